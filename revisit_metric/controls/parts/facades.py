"""More facades in bays: half-timbering, gables, arcades, brick yards, shutters, offices; far blocks of flats.

Conventions as in `revisit_metric.controls.parts.buildings`: a bay is placed along a `Row`, its front at z 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, merge, prism
from revisit_metric.controls.parts import buildings
from revisit_metric.controls.parts.buildings import FacadeLook, Row, pierced
from revisit_metric.controls.parts.forms import arch_band, arched, rod, tube
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

DARK_GLASS = Material("steel", (0.06, 0.09, 0.11), gloss=1.8, words="glass")


def casement(hole: tuple[float, float, float], frame: Material, pane: Material, *, z: float = 0.14) -> list[Shape]:
    """Two casements in an opening (width, sill, top), each with one glazing bar."""
    w, sill, top = hole
    h = top - sill
    bars = [box(0.06, h, 0.06).at(x=x, up=sill, z=z - 0.02) for x in (-w / 2 + 0.03, 0.0, w / 2 - 0.03)]
    bars += [box(w, 0.06, 0.06).at(up=u, z=z - 0.02) for u in (sill, top - 0.06)]
    bars.append(box(w, 0.035, 0.04).at(up=sill + 0.62 * h, z=z - 0.02))
    glass = box(w, h, 0.02, metric=False, without=("left", "right", "top", "bottom")).at(up=sill, z=z + 0.02)
    return [(glass, pane), (merge(bars), frame)]


def wall_bay(
    b: SceneBuilder, row: Row, along: float, wall: Material, *, size: tuple[float, float], up: float = 0.0
) -> None:
    """A plain piece of wall (width, height)."""
    body = box(size[0], size[1], 0.3, without=("bottom",)).at(z=0.15)
    b.add("wall", [(body, wall)], at=row.at(along, up), yaw=row.yaw, joined=True)


def flanks(b: SceneBuilder, row: Row, span: tuple[float, float], wall: Material, *, height: float, deep: float) -> None:
    """The blind side walls of a house between two places along its row, in pieces two metres deep."""
    pieces = max(round(deep / 2.0), 1)
    step = deep / pieces
    for side, along in ((1, span[0]), (-1, span[1])):
        for i in range(pieces):
            body = box(0.2, height, step, without=("bottom",)).at(x=side * 0.1)
            place = turned(row.at(along), row.yaw, 0.0, 0.3 + (i + 0.5) * step)
            b.add("wall", [(body, wall)], at=place, yaw=row.yaw, joined=True)


def timber_bay(
    b: SceneBuilder, row: Row, along: float, look: FacadeLook, *, size: tuple[float, float], up: float, jetty: float
) -> None:
    """A half-timbered bay (width, height) that juts out by `jetty`: posts, rails, braces, perhaps a window."""
    w, h = size
    hole = (min(0.95, w * 0.5), 0.85, h - 0.5)
    window = bool(b.rng.random() < 0.8)
    wall = pierced(w, h, hole, 0.25) if window else [box(w, h, 0.25).at(z=0.125)]
    beams = [box(0.17, h, 0.06).at(x=s * (w / 2 - 0.085), z=-0.02) for s in (-1, 1)]
    beams += [box(w, 0.16, 0.08).at(up=u, z=-0.02) for u in (0.0, h - 0.16)]
    beams.append(box(w, 0.12, 0.05).at(up=0.78, z=-0.015))
    lean = 38.0 if b.rng.random() < 0.5 else -38.0
    if window:
        beams += [box(0.12, h, 0.05).at(x=s * (hole[0] / 2 + 0.06), z=-0.015) for s in (-1, 1)]
        beams.append(box(hole[0], 0.12, 0.05).at(up=hole[2], z=-0.015))
        reach = (w - hole[0]) / 4 + 0.06
        beams += [_brace(s * (w / 2 - reach), 0.92, s * lean * 0.45, hole[2] - 0.95) for s in (-1, 1)]
    else:
        beams += [_brace(s * w / 4, 0.94, s * lean * 0.55, h - 1.2) for s in (-1, 1)]
        beams += [_brace(s * w / 4, 0.14, -s * lean * 0.7, 0.66) for s in (-1, 1)]
    ends = [box(0.13, 0.13, 0.3).at(x=x, up=-0.13, z=0.08) for x in np.linspace(-w / 2 + 0.2, w / 2 - 0.2, 4)]
    shapes: list[Shape] = [(merge(wall), look.wall), (merge(beams), look.trim), (merge(ends), look.trim)]
    at = _out(row, along, up, jetty)
    b.add("half-timbered wall", shapes, at=at, yaw=row.yaw, joined=True)
    if window:
        pane = Material("window pane", variant=int(b.rng.integers(8)))
        b.add("window", casement(hole, look.frame, pane), at=at, yaw=row.yaw)
        if b.rng.random() < 0.45:
            buildings.flower_box(b, (at[0], up + 0.86, at[2]), row.yaw, look.trim, width=hole[0])


def _brace(x: float, up: float, lean: float, height: float) -> Mesh:
    length = height / float(np.cos(np.radians(lean)))
    foot = x - 0.5 * height * float(np.tan(np.radians(lean)))
    return box(0.13, length, 0.045).tilted(about_z=lean).at(x=foot, up=up, z=-0.012)


def _out(row: Row, along: float, up: float, out: float) -> Vec3:
    """A point `out` metres in front of the building line."""
    x, _, z = row.at(along)
    a = np.radians(row.yaw)
    return x - out * float(np.sin(a)), up, z - out * float(np.cos(a))


def gable(
    b: SceneBuilder,
    row: Row,
    place: Vec3,
    look: FacadeLook,
    *,
    size: Vec3,
    roof: Material,
) -> None:
    """A gable that faces the street, with its roof behind it, in pieces.

    Args:
        b: the scene under construction.
        row: the building line.
        place: metres along the row, height of the eaves, how far the gable juts out.
        look: materials of the house.
        size: width, height of the gable, depth of the roof.
        roof: what covers it.
    """
    w, h, d = size
    at = _out(row, *place)
    half, hole = h * 0.45, min(0.42, w * 0.12)
    for side in (-1, 1):
        outline = [(0.0, 0.0), (w / 2, 0.0), (0.0, h)] if side > 0 else [(-w / 2, 0.0), (0.0, 0.0), (0.0, h)]
        b.add("gable", [(prism(outline, 0.3), look.wall)], at=at, yaw=row.yaw, joined=True)
    pane = box(2 * hole, half, 0.05, metric=False, without=("left", "right")).at(up=0.35, z=-0.03)
    rim = [box(0.08, half, 0.08).at(x=x, up=0.35, z=-0.04) for x in (-hole, 0.0, hole)]
    rim += [box(2 * hole + 0.12, 0.1, 0.12).at(up=u, z=-0.05) for u in (0.27, 0.35 + half)]
    window: list[Shape] = [(pane, Material("window pane", variant=int(b.rng.integers(8)))), (merge(rim), look.frame)]
    b.add("window", window, at=at, yaw=row.yaw)
    reach = w / 2 + 0.35
    slope = float(np.degrees(np.arctan2(reach, h * reach / (w / 2))))
    length = float(np.hypot(reach, h * reach / (w / 2)))
    foot = h - length * float(np.cos(np.radians(slope)))
    pieces = max(round((d + 0.5) / 2.0), 1)
    deep = (d + 0.5) / pieces
    for side in (-1, 1):
        sheet = box(0.12, length, deep).tilted(about_z=-side * slope).at(x=side * reach, up=foot + 0.02)
        for i in range(pieces):
            shapes: list[Shape] = [(sheet, roof)]
            if i == 0:
                barge = box(0.1, length, 0.06).tilted(about_z=-side * slope)
                shapes.append((barge.at(x=side * (reach - 0.05), up=foot - 0.06, z=-deep / 2 - 0.02), look.trim))
            b.add("roof", shapes, at=turned(at, row.yaw, 0.0, (i + 0.5) * deep - 0.45), yaw=row.yaw, joined=True)


def stepped_gable(
    b: SceneBuilder, row: Row, along: float, look: FacadeLook, *, size: tuple[float, float], up: float
) -> None:
    """A stepped or a bell-shaped gable of (width, height) with a stone cap, a hoist beam and an attic window."""
    w, h = size
    shapes: list[Shape] = []
    if b.rng.random() < 0.55:
        count = 5
        for i in range(count):
            width = w * (1 - i / count) if i else w
            shapes.append((box(width, h / count, 0.35).at(up=i * h / count, z=0.175), look.wall))
            caps = [
                box(0.1 + w / count / 2, 0.08, 0.42).at(
                    x=s * (width / 2 - w / count / 4), up=(i + 1) * h / count, z=0.175
                )
                for s in (-1, 1)
            ]
            shapes.append((merge(caps), look.trim))
    else:
        bell = [(0.0, h), (-0.32, h * 0.97), (-0.42, h * 0.75), (-0.5, h * 0.45), (-0.72, h * 0.28), (-w / 2, 0.0)]
        points = [(w / 2, 0.0), *[(-x, u) for x, u in reversed(bell[1:-1])], *bell[:-1], (-w / 2, 0.0)]
        for (x0, u0), (x1, u1) in pairwise(points):
            shapes.append((prism([(x1, 0.0), (x0, 0.0), (x0, max(u0, 0.01)), (x1, max(u1, 0.01))], 0.35), look.wall))
            shapes.append((rod((x0, u0, 0.15), (x1, u1, 0.15), 0.07), look.trim))
    hole = (0.7, 0.35, h * 0.62)
    shapes.append(
        (
            box(0.7, h * 0.42, 0.04, metric=False, without=("left", "right")).at(up=0.4, z=-0.01),
            Material("panelled door", look.frame.tint),
        )
    )
    shapes.append((merge([box(0.08, h * 0.42, 0.08).at(x=s * 0.39, up=0.4, z=-0.02) for s in (-1, 1)]), look.trim))
    shapes.append(
        (rod((0.0, hole[2] + 0.3, 0.1), (0.0, hole[2] + 0.3, -0.75), 0.05), Material("oak", words="hoist beam"))
    )
    b.add("gable", shapes, at=row.at(along, up), yaw=row.yaw, joined=True)


def arcade_bay(
    b: SceneBuilder, row: Row, along: float, look: FacadeLook, *, size: tuple[float, float], deep: float = 2.2
) -> None:
    """A round arch on square piers (width, height), a vaulted walk `deep` metres deep and its back wall."""
    w, h = size
    opening, spring = w - 0.55, h - 0.45 - (w - 0.55) / 2
    front: list[Shape] = [(merge(arched(w, h, (opening, spring), 0.45)), look.wall)]
    front.append((arch_band(opening, spring, 0.2, 0.06).at(z=-0.06), look.trim))
    caps = [box(0.36, 0.16, 0.55).at(x=s * (w / 2 - 0.15), up=spring - 0.16, z=0.225) for s in (-1, 1)]
    caps += [box(0.4, 0.3, 0.55).at(x=s * (w / 2 - 0.17), z=0.22) for s in (-1, 1)]
    caps.append(box(w, 0.14, 0.2).at(up=h - 0.14, z=-0.02))
    front.append((merge(caps), look.trim))
    b.add("arcade", front, at=row.at(along), yaw=row.yaw, joined=True)
    b.add(
        "ceiling",
        [(box(w, 0.12, deep).at(up=h - 0.16, z=deep / 2 + 0.3), look.base)],
        at=row.at(along),
        yaw=row.yaw,
        joined=True,
    )


def office_bay(
    b: SceneBuilder, row: Row, along: float, frame: Material, *, size: tuple[float, float], up: float, lit: bool
) -> None:
    """A bay of a glass front (width, height): panes between posts, a band of metal below."""
    w, h = size
    glass = Material(b.one_of("shop window", "shop goods"), variant=int(b.rng.integers(6))) if lit else DARK_GLASS
    shapes: list[Shape] = [
        (box(w, 0.7, 0.2).at(z=0.1), frame),
        (merge([box(0.09, h, 0.24).at(x=s * w / 2, z=0.04) for s in (-1, 0, 1)]), frame),
    ]
    pane = box(w, h - 0.7, 0.04, metric=not lit, without=("left", "right")).at(up=0.7, z=0.14)
    shapes += [
        (pane, glass),
        (box(w, 0.07, 0.16).at(up=0.7 + 0.72 * (h - 0.7), z=0.08), frame),
        (box(w, 0.14, 0.26).at(up=h - 0.14, z=0.07), frame),
    ]
    b.add("glass front" if lit else "glass facade", shapes, at=row.at(along, up), yaw=row.yaw, joined=True)


def shutter_bay(
    b: SceneBuilder, row: Row, along: float, wall: Material, *, size: tuple[float, float], raised: float = 0.0
) -> None:
    """A garage or a workshop front: a roller shutter under a steel lintel; `raised` leaves a dark gap below."""
    w, h = size
    hole = (w - 0.5, 0.0, h - 0.7)
    paint = tinted("paint", b.rng, noun="painted steel")
    slats = Material("roller shutter", paint.tint, 1.4, words=paint.words, variant=int(b.rng.integers(3)))
    metal = Material("black metal")
    shapes: list[Shape] = [
        (merge(pierced(w, h, hole, 0.35)), wall),
        (box(w - 0.3, 0.22, 0.1).at(up=h - 0.72, z=-0.03), metal),
    ]
    b.add("wall", shapes, at=row.at(along), yaw=row.yaw, joined=True)
    leaf: list[Shape] = [
        (box(hole[0], hole[2] - raised, 0.05).at(up=raised, z=0.2), slats),
        (box(hole[0], 0.08, 0.09).at(up=raised, z=0.19), metal),
    ]
    if raised > 0:
        leaf.append((box(hole[0], raised, 0.02).at(z=0.3), Material("black metal", (0.2, 0.2, 0.2))))
    b.add("roller shutter", leaf, at=row.at(along), yaw=row.yaw)


def sash_bay(
    b: SceneBuilder,
    row: Row,
    along: float,
    wall: Material,
    *,
    size: tuple[float, float],
    up: float = 0.0,
    bars: bool = False,
) -> None:
    """An industrial window of many small panes in a brick wall (width, height), perhaps behind iron bars."""
    w, h = size
    hole = (w - 0.7, 1.05, h - 0.5)
    frame = tinted("worn paint", b.rng, among=("white", "charcoal", "forest green", "slate blue"), noun="painted steel")
    sill = Material("concrete", tile_m=1.5)
    shapes: list[Shape] = [
        (merge(pierced(w, h, hole, 0.3)), wall),
        (box(hole[0] + 0.2, 0.12, 0.3).at(up=hole[1] - 0.12, z=0.06), sill),
    ]
    shapes.append((box(hole[0] + 0.3, 0.2, 0.04).at(up=hole[2], z=-0.02), sill))
    b.add("wall", shapes, at=row.at(along, up), yaw=row.yaw, joined=True)
    tall = hole[2] - hole[1]
    grid = [
        box(0.035, tall, 0.05).at(x=float(x), up=hole[1], z=0.12) for x in np.linspace(-hole[0] / 2, hole[0] / 2, 5)
    ]
    grid += [box(hole[0], 0.035, 0.05).at(up=float(u), z=0.12) for u in np.linspace(hole[1], hole[2] - 0.035, 4)]
    glass: list[Shape] = [(box(hole[0], tall, 0.02).at(up=hole[1], z=0.16), DARK_GLASS), (merge(grid), frame)]
    if bars:
        rods = [
            rod((float(x), hole[1], -0.06), (float(x), hole[2], -0.06), 0.014)
            for x in np.linspace(-hole[0] / 2 + 0.1, hole[0] / 2 - 0.1, 7)
        ]
        glass.append((merge(rods), Material("black metal")))
    b.add("window", glass, at=row.at(along, up), yaw=row.yaw)


def fire_escape(
    b: SceneBuilder, row: Row, along: float, metal: Material, *, levels: Sequence[float], width: float = 2.6
) -> None:
    """Iron landings with railings at the given heights, joined by slanting ladders; `along` is the middle."""
    for i, up in enumerate(levels):
        slats = [box(width, 0.03, 0.07).at(z=-0.15 - 0.13 * k) for k in range(7)]
        slats += [box(0.05, 0.08, 0.95).at(x=s * width / 2, up=-0.08, z=-0.5) for s in (-1, 1)]
        rail = [rod((-width / 2, u, -0.98), (width / 2, u, -0.98), 0.018) for u in (0.5, 1.0)]
        rail += [rod((s * width / 2, u, -0.98), (s * width / 2, u, -0.05), 0.018) for u in (0.5, 1.0) for s in (-1, 1)]
        rail += [
            rod((float(x), 0, -0.98), (float(x), 1.0, -0.98), 0.012, sides=4)
            for x in np.linspace(-width / 2, width / 2, 12)
        ]
        brackets = [rod((s * width * 0.42, 0, -0.9), (s * width * 0.42, -0.7, 0.0), 0.022) for s in (-1, 1)]
        shapes: list[Shape] = [(merge(slats), metal), (merge(rail), metal), (merge(brackets), metal)]
        b.add("fire escape", shapes, at=row.at(along, up), yaw=row.yaw)
        if i:
            _ladder(b, row, along, metal, (levels[i - 1], up), width * (0.3 if i % 2 else -0.3))


def _ladder(b: SceneBuilder, row: Row, along: float, metal: Material, span: tuple[float, float], lean: float) -> None:
    low, high = span
    ends = [((-lean, 0.0, z), (lean, high - low, z)) for z in (-0.8, -0.35)]
    meshes = [rod(a, c, 0.025) for a, c in ends]
    for t in np.linspace(0.05, 0.95, 9):
        x, up = -lean + 2 * lean * float(t), (high - low) * float(t)
        meshes.append(rod((x, up, -0.8), (x, up, -0.35), 0.016, sides=4))
    b.add("ladder", [(merge(meshes), metal)], at=row.at(along, low), yaw=row.yaw)


def balcony(
    b: SceneBuilder, row: Row, along: float, up: float, metal: Material, slab: Material, *, width: float
) -> None:
    """A slab with an iron railing and, often, a box of flowers on it."""
    rail = [
        tube([(-width / 2, u, 0.0), (-width / 2, u, -0.85), (width / 2, u, -0.85), (width / 2, u, 0.0)], 0.02)
        for u in (0.16, 0.95)
    ]
    rail += [
        rod((float(x), 0.14, -0.85), (float(x), 0.95, -0.85), 0.011, sides=4)
        for x in np.linspace(-width / 2, width / 2, 15)
    ]
    shapes: list[Shape] = [(box(width + 0.1, 0.14, 0.95).at(z=-0.45), slab), (merge(rail), metal)]
    b.add("balcony", shapes, at=row.at(along, up), yaw=row.yaw)
    if b.rng.random() < 0.6:
        at = _out(row, along, up + 0.14, 0.6)
        buildings.flower_box(b, at, row.yaw, metal, width=width * 0.7)


def pipes(b: SceneBuilder, row: Row, along: float, metal: Material, *, height: float) -> None:
    """Two downpipes with brackets and a bend at the foot."""
    tubes = [tube([(x, height, -0.12), (x, 0.45, -0.12), (x, 0.25, -0.3)], 0.055, sides=8) for x in (0.0, 0.22)]
    tubes += [box(0.42, 0.05, 0.14).at(x=0.11, up=float(u), z=-0.07) for u in np.arange(0.8, height, 1.4)]
    b.add("drainpipe", [(merge(tubes), metal)], at=row.at(along), yaw=row.yaw)


def air_unit(b: SceneBuilder, row: Row, along: float, up: float) -> None:
    """An air conditioner on brackets with a round grille."""
    grey, dark = Material("paint", (0.75, 0.76, 0.74), words="white metal"), Material("black metal")
    fan = [
        cylinder(r, 0.02, sides=18).tilted(about_x=90).at(x=0.16, up=0.3, z=-0.5 - e)
        for r, e in ((0.24, 0.0), (0.06, 0.02))
    ]
    shapes: list[Shape] = [(box(0.85, 0.58, 0.34).at(z=-0.32), grey), (merge(fan), dark)]
    shapes.append((merge([box(0.04, 0.04, 0.5).at(x=s * 0.3, up=-0.04, z=-0.25) for s in (-1, 1)]), dark))
    shapes.append(
        (
            tube([(-0.43, 0.2, -0.3), (-0.55, 0.2, -0.1), (-0.55, 1.4, -0.05)], 0.025),
            Material("paint", words="white pipe"),
        )
    )
    b.add("air conditioner", shapes, at=row.at(along, up), yaw=row.yaw)


def far_block(b: SceneBuilder, at: Vec3, yaw: float, *, size: Vec3, noun: str = "block of flats") -> None:
    """A distant modern building whose windows are painted on, with a parapet and a lift house."""
    w, h, d = size
    tone = tuple(float(v) for v in b.rng.uniform(0.7, 1.1) * b.rng.uniform(0.9, 1.06, 3))
    kind = b.one_of("office windows", "flat windows")
    wall = Material(
        kind, (tone[0], tone[1], tone[2]), tile_m=float(b.rng.uniform(10.5, 13.0)), variant=int(b.rng.integers(3))
    )
    cap = Material("concrete", tile_m=4.0)
    shapes: list[Shape] = [
        (box(w, h, d, without=("top", "bottom")), wall),
        (box(w + 0.3, 0.9, d + 0.3).at(up=h - 0.2), cap),
    ]
    shapes.append((box(w * 0.3, 2.6, d * 0.4).at(x=w * 0.15, up=h), cap))
    b.add(noun, shapes, at=at, yaw=yaw)


def far_house(b: SceneBuilder, at: Vec3, yaw: float, wall: Material, *, size: Vec3) -> None:
    """A distant house as one part of few surfaces: body, rows of windows with sills, pitched roof, chimney."""
    w, h, d = size
    xs = np.arange(-w / 2 + 1.3, w / 2 - 0.9, 2.1) + 0.5 * ((w - 2.2) % 2.1)
    ups = np.arange(0.9, h - 1.8, 2.9)
    panes = [box(1.0, 1.5, 0.08, without=("back", "bottom")).at(float(x), float(u), -d / 2) for x in xs for u in ups]
    sills = [box(1.3, 0.14, 0.2, without=("back",)).at(float(x), float(u) - 0.14, -d / 2) for x in xs for u in ups]
    sills += [box(w + 0.3, 0.25, d + 0.3).at(up=h - 0.1)]
    roof = (
        prism([(-d / 2 - 0.2, 0.0), (d / 2 + 0.2, 0.0), (0.0, d * 0.32)], w + 0.3).at(z=-w / 2 - 0.15).at(yaw=90, up=h)
    )
    cover = Material(b.one_of("clay roof tiles", "slate"), tile_m=2.6)
    shapes: list[Shape] = [(box(w, h, d, without=("top", "bottom")), wall), (merge(panes), DARK_GLASS)]
    shapes += [(merge(sills), Material("concrete", tile_m=2.0)), (roof, cover)]
    shapes.append(
        (
            box(0.8, 1.8, 0.7).at(x=float(b.rng.uniform(-0.35, 0.35)) * w, up=h + d * 0.2),
            Material("red brick", tile_m=1.2),
        )
    )
    b.add("building", shapes, at=at, yaw=yaw)


def far_walls(b: SceneBuilder, count: int = 6) -> list[Material]:
    """A handful of wall materials that far houses share."""
    among = ("white", "cream", "sand", "ochre", "rose", "sage green", "light grey", "terracotta")
    walls = [tinted("plaster", b.rng, among=among, noun="render", tile_m=3.0) for _ in range(count - 2)]
    return [
        *walls,
        b.material("red brick", "brick", tile_m=1.4),
        b.material("ashlar stone", "rubble stone", tile_m=2.4),
    ]


def town_around(
    b: SceneBuilder, *, left: float, right: float, near: float, far: float, step: float = 9.5, closed: bool = True
) -> None:
    """Plain houses at x = left and right, at z = near (behind) and, where `closed`, at z = far."""
    walls = far_walls(b)
    places = [
        (x, float(z), yaw) for x, yaw in ((left, -90.0), (right, 90.0)) for z in np.arange(near, far + step, step)
    ]
    places += [
        (float(x), z, yaw)
        for z, yaw in ((near, 180.0), (far, 0.0))
        for x in np.arange(left + step, right - step / 2, step)
    ]
    for x, z, yaw in places:
        size = (step - float(b.rng.uniform(0.0, 0.8)), float(b.rng.uniform(6, 11)), float(b.rng.uniform(7, 9)))
        back = float(b.rng.uniform(0.0, 1.5))
        place = (x + back * float(np.sign(x - 3.0)), 0.0, z) if abs(yaw) == 90.0 else (x, 0.0, z + back)
        far_house(b, place, yaw, walls[int(b.rng.integers(len(walls)))], size=size)
