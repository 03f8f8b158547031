"""Facades in bays: shop fronts, doors, windows, gables and roofs, each bay of each storey a part of its own.

Conventions: authoring frame. A `Row` is a line of facades; `bay` places are given along it, in metres from
its start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cards, cylinder, prism
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


@dataclass(frozen=True)
class Row:
    """A line of facades that look towards -z at yaw 0 and towards +z at yaw 180.

    Attributes:
        origin: (x, z) of its start on the building line.
        yaw: degrees.
    """

    origin: tuple[float, float]
    yaw: float = 0.0

    def at(self, along: float, up: float = 0.0) -> Vec3:
        """Authoring coordinates of a point on the building line."""
        a = np.radians(self.yaw)
        return self.origin[0] + along * float(np.cos(a)), up, self.origin[1] - along * float(np.sin(a))


@dataclass(frozen=True)
class FacadeLook:
    """Materials of one house."""

    wall: Material
    trim: Material
    base: Material
    frame: Material
    shutter: Material | None = None


def random_look(b: SceneBuilder) -> FacadeLook:
    """Materials of a house: brick, rendered or stone walls with matching trims."""
    kind = b.one_of("render", "render", "brick", "stone")
    stone = b.material("ashlar stone", "concrete", tile_m=2.0, words="stone")
    frame = tinted(
        "paint",
        b.rng,
        among=("white", "forest green", "brown", "charcoal", "slate blue"),
        noun="painted wood",
    )
    shutter = tinted("worn paint", b.rng, noun="painted wood") if b.rng.random() < 0.5 else None
    if kind == "brick":
        return FacadeLook(b.material("red brick", "brick", "white brick", tile_m=1.4), stone, stone, frame, shutter)
    if kind == "stone":
        return FacadeLook(b.material("ashlar stone", "rubble stone", tile_m=2.4), stone, stone, frame, shutter)
    among = (
        "white",
        "cream",
        "sand",
        "ochre",
        "terracotta",
        "rose",
        "sage green",
        "sky blue",
        "mustard",
        "light grey",
    )
    return FacadeLook(tinted("plaster", b.rng, among=among, noun="render", tile_m=3.0), stone, stone, frame, shutter)


def pierced(width: float, height: float, hole: tuple[float, float, float], depth: float) -> list[Mesh]:
    """A wall slab (front at z 0) with one opening `hole` = (width, sill, top)."""
    w, sill, top = hole
    side = (width - w) / 2
    slabs = [box(side, top - sill, depth).at(x=s * (width - side) / 2, up=sill, z=depth / 2) for s in (-1, 1)]
    slabs.append(box(width, height - top, depth, without=("top",)).at(up=top, z=depth / 2))
    if sill > 0:
        slabs.append(box(width, sill, depth, without=("bottom",)).at(z=depth / 2))
    return slabs


def window_bay(
    b: SceneBuilder, row: Row, along: float, up: float, look: FacadeLook, *, width: float, height: float
) -> None:
    """One bay of an upper storey with a tall window, sill, lintel and perhaps shutters."""
    hole = (min(1.05, width * 0.55), 0.75, height - 0.55)
    shapes: list[Shape] = [(m, look.wall) for m in pierced(width, height, hole, 0.3)]
    shapes += _window_trim(hole, look)
    shapes.append((box(width, 0.12, 0.06).at(z=-0.03), look.trim))
    b.add("facade", shapes, at=row.at(along, up), yaw=row.yaw, joined=True)
    pane = Material("window pane", variant=int(b.rng.integers(8)))
    b.add("window", _sash(hole, look.frame, pane), at=row.at(along, up), yaw=row.yaw)
    if look.shutter is not None:
        for side in (-1, 1):
            x = side * (hole[0] / 2 + 0.26)
            b.add("shutter", _shutter(hole, x, look.shutter), at=row.at(along, up), yaw=row.yaw, movable=True)
    if b.rng.random() < 0.3:
        flower_box(b, row.at(along, up + 0.75), row.yaw, look.frame, width=hole[0])


def _window_trim(hole: tuple[float, float, float], look: FacadeLook) -> list[Shape]:
    w, sill, top = hole
    shapes: list[Shape] = [
        (box(w + 0.3, 0.1, 0.16).at(up=sill - 0.1, z=-0.06), look.trim),
        (box(w + 0.3, 0.2, 0.05).at(up=top, z=-0.025), look.trim),
    ]
    shapes += [(box(0.12, top - sill, 0.05).at(x=s * (w / 2 + 0.06), up=sill, z=-0.025), look.trim) for s in (-1, 1)]
    return shapes


def _sash(hole: tuple[float, float, float], frame: Material, pane: Material) -> list[Shape]:
    w, sill, top = hole
    h = top - sill
    shapes: list[Shape] = [(box(w, h, 0.02, metric=False, without=("left", "right")).at(up=sill, z=0.2), pane)]
    shapes += [(box(0.06, h, 0.07).at(x=x, up=sill, z=0.17), frame) for x in (-w / 2 + 0.03, 0.0, w / 2 - 0.03)]
    shapes += [(box(w, 0.06, 0.07).at(up=sill + s * h, z=0.17), frame) for s in (0.0, 0.64)]
    shapes.append((box(w, 0.06, 0.07).at(up=top - 0.06, z=0.17), frame))
    return shapes


def _shutter(hole: tuple[float, float, float], x: float, material: Material) -> list[Shape]:
    _, sill, top = hole
    h = top - sill
    shapes: list[Shape] = [(box(0.05, h, 0.05).at(x=x + s * 0.2, up=sill, z=-0.08), material) for s in (-1, 1)]
    count = 9
    shapes += [
        (
            box(0.38, h / count * 0.8, 0.03).tilted(about_x=14).at(x=x, up=sill + i * h / count, z=-0.07),
            material,
        )
        for i in range(count)
    ]
    return shapes


def flower_box(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, *, width: float = 1.0) -> None:
    """A box of flowers on a window sill."""
    count = max(int(width * 9), 3)
    xs = np.linspace(-width / 2 + 0.08, width / 2 - 0.08, count)
    roots = np.stack([xs, np.full(count, 0.12), b.rng.normal(-0.14, 0.03, count)], axis=1)
    tint = tuple(float(v) for v in b.rng.uniform(0.55, 1.3, 3))
    bloom = Material("flowers", (tint[0], tint[1], tint[2]), variant=int(b.rng.integers(3)))
    shapes: list[Shape] = [
        (box(width, 0.17, 0.18).at(z=-0.14), wood),
        (cards(roots, 0.34, b.rng, upright=True), bloom),
    ]
    b.add("flower box", shapes, at=at, yaw=yaw, movable=True)


def shop_bay(b: SceneBuilder, row: Row, along: float, look: FacadeLook, *, width: float, height: float) -> None:
    """A shop window over a stall riser, with a fascia and a sign."""
    wood = tinted("paint", b.rng, noun="painted wood")
    hole = (width - 0.3, 0.6, height - 0.85)
    wares = Material("shop window", variant=int(b.rng.integers(10)))
    shapes: list[Shape] = [(m, look.base) for m in pierced(width, height, hole, 0.35)]
    shapes += [
        (box(width - 0.1, 0.5, 0.08).at(up=height - 0.72, z=-0.04), wood),
        (box(width, 0.08, 0.2).at(up=height - 0.22, z=-0.08), wood),
        (box(width - 0.1, 0.5, 0.05).at(up=0.08, z=-0.025), wood),
    ]
    b.add("shop front", shapes, at=row.at(along), yaw=row.yaw, joined=True)
    w, sill, top = hole
    glass: list[Shape] = [
        (box(w, top - sill, 0.02, metric=False, without=("left", "right")).at(up=sill, z=0.22), wares)
    ]
    glass += [(box(0.05, top - sill, 0.06).at(x=x, up=sill, z=0.19), wood) for x in (-w / 2, -w / 6, w / 6, w / 2)]
    glass += [(box(w, 0.05, 0.06).at(up=sill + s * (top - sill), z=0.19), wood) for s in (0.0, 0.72)]
    b.add("shop window", glass, at=row.at(along), yaw=row.yaw)
    sign = Material("shop sign", variant=int(b.rng.integers(20)))
    b.add(
        "sign",
        [(box(width * 0.8, 0.36, 0.04, metric=False), sign)],
        at=_ahead(row, along, height - 0.65, 0.1),
        yaw=row.yaw,
        movable=True,
    )
    if b.rng.random() < 0.6:
        awning(
            b,
            _ahead(row, along, height - 0.8, 0.08),
            row.yaw,
            b.material("striped cloth", tile_m=1.3),
            width=width - 0.15,
        )


def _ahead(row: Row, along: float, up: float, out: float) -> Vec3:
    x, _, z = row.at(along)
    a = np.radians(row.yaw)
    return x - out * float(np.sin(a)), up, z - out * float(np.cos(a))


def awning(b: SceneBuilder, at: Vec3, yaw: float, cloth: Material, *, width: float) -> None:
    """A sloping canvas awning with a valance."""
    # Drawn along z, then turned so that it runs along the facade.
    wedge = prism([(0.0, 0.0), (0.0, -0.04), (-0.95, -0.5), (-0.95, -0.46)][::-1], width).at(z=-width / 2)
    canvas = wedge.at(yaw=-90.0)
    shapes: list[Shape] = [(canvas, cloth), (box(width, 0.18, 0.02).at(up=-0.66, z=-0.95), cloth)]
    b.add("awning", shapes, at=at, yaw=yaw, movable=True)


def door_bay(b: SceneBuilder, row: Row, along: float, look: FacadeLook, *, width: float, height: float) -> None:
    """A house door on a step, under a stone surround with a fanlight."""
    hole = (1.05, 0.0, 2.55)
    shapes: list[Shape] = [(m, look.wall) for m in pierced(width, height, hole, 0.35)]
    shapes += [(box(0.2, 2.6, 0.1).at(x=s * 0.62, z=-0.05), look.trim) for s in (-1, 1)]
    shapes += [
        (box(1.6, 0.25, 0.16).at(up=2.6, z=-0.06), look.trim),
        (box(width, 0.12, 0.06).at(up=height - 0.12, z=-0.03), look.trim),
    ]
    b.add("facade", shapes, at=row.at(along), yaw=row.yaw, joined=True)
    paint = tinted("paint", b.rng, noun="painted wood")
    leaf = Material("panelled door", paint.tint, words=paint.words, variant=int(b.rng.integers(3)))
    pane = Material("window pane", variant=int(b.rng.integers(8)))
    entrance: list[Shape] = [
        (box(1.05, 2.1, 0.06, metric=False).at(z=0.22), leaf),
        (box(1.05, 0.08, 0.12).at(up=2.1, z=0.2), look.frame),
        (box(1.05, 0.37, 0.03, metric=False).at(up=2.18, z=0.22), pane),
        (box(0.05, 0.2, 0.06).at(x=0.38, up=0.95, z=0.16), Material("brass")),
    ]
    b.add("door", entrance, at=row.at(along), yaw=row.yaw)
    b.add("doorstep", [(box(1.5, 0.14, 0.45).at(z=-0.2), look.trim)], at=row.at(along), yaw=row.yaw)


class HouseSize(NamedTuple):
    """Bays along the street, width of a bay in metres, storeys above the ground floor."""

    bays: int
    bay_m: float
    storeys: int


def house(b: SceneBuilder, row: Row, start: float, size: HouseSize, look: FacadeLook, *, shops: bool) -> float:
    """A terraced house in bays; returns where the next one starts."""
    bays, bay_m, storeys = size
    ground = 3.5 if shops else 3.2
    doorway = int(b.rng.integers(bays))
    for i in range(bays):
        along = start + (i + 0.5) * bay_m
        if i == doorway:
            door_bay(b, row, along, look, width=bay_m, height=ground)
        elif shops:
            shop_bay(b, row, along, look, width=bay_m, height=ground)
        else:
            window_bay(b, row, along, 0.0, look, width=bay_m, height=ground)
        for storey in range(storeys):
            window_bay(b, row, along, ground + 3.0 * storey, look, width=bay_m, height=3.0)
    _crown(b, row, start, bays * bay_m, ground + 3.0 * storeys, look)
    if b.rng.random() < 0.7:
        pipe = [(cylinder(0.05, ground + 3.0 * storeys, sides=8), Material("steel", (0.5, 0.5, 0.5)))]
        b.add("drainpipe", pipe, at=_ahead(row, start + 0.02, 0.0, 0.1), yaw=row.yaw)
    return start + bays * bay_m


def _crown(b: SceneBuilder, row: Row, start: float, width: float, up: float, look: FacadeLook) -> None:
    """Cornice, a pitched roof along the street and a chimney."""
    roof = b.material("clay roof tiles", "slate", tile_m=2.6)
    slope = prism([(0.35, 0.0), (-5.0, 0.0), (-2.3, 2.6)], width).at(z=-width / 2).at(yaw=90.0)
    shapes: list[Shape] = [(box(width, 0.3, 0.4).at(up=-0.05, z=-0.1), look.trim), (slope, roof)]
    body = box(width, up, 4.2, without=("top", "bottom")).at(up=-up, z=2.55)
    b.add("roof", shapes, at=row.at(start + width / 2, up), yaw=row.yaw)
    b.add("building", [(body, look.wall)], at=row.at(start + width / 2, up), yaw=row.yaw, joined=True)
    chimney: list[Shape] = [(box(0.8, 1.5, 0.6), Material("red brick", tile_m=1.2))]
    chimney += [
        (cylinder(0.12, 0.4, sides=10).at(x=s * 0.2, up=1.5), Material("clay roof tiles", tile_m=1.0)) for s in (-1, 1)
    ]
    x, _, z = row.at(start + width * 0.2)
    a = np.radians(row.yaw)
    b.add("chimney", chimney, at=(x + 2.4 * float(np.sin(a)), up + 1.6, z + 2.4 * float(np.cos(a))), yaw=row.yaw)


def plain_block(b: SceneBuilder, at: Vec3, yaw: float, look: FacadeLook, *, size: Vec3) -> None:
    """A far house as one part: a body with rows of flat windows and a roof."""
    w, h, d = size
    pane = Material("window pane", variant=int(b.rng.integers(8)))
    shapes: list[Shape] = [(box(w, h, d), look.wall), (box(w + 0.3, 0.3, d + 0.3).at(up=h), look.trim)]
    for row in range(int(h // 3)):
        for x in np.arange(-w / 2 + 1.1, w / 2 - 0.8, 2.2):
            shapes.append((box(1.0, 1.5, 0.06, metric=False).at(x=float(x), up=1.0 + 3 * row, z=-d / 2), pane))
            shapes.append((box(1.2, 0.1, 0.16).at(x=float(x), up=0.9 + 3 * row, z=-d / 2), look.trim))
    roof = prism([(-w / 2, 0.0), (w / 2, 0.0), (0.0, w * 0.3)], d).at(up=h + 0.3, z=-d / 2)
    shapes.append((roof, b.material("clay roof tiles", "slate", tile_m=2.6)))
    b.add("building", shapes, at=at, yaw=yaw)
