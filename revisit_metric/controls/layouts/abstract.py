"""Abstract layouts. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, box, cone, cylinder, lathe, merge, prism, rock, sphere
from revisit_metric.controls.parts import street
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import STRONG, tinted

PLAZA_LIGHT = Light(
    to_sun=(-0.5, -0.62, -0.55),
    sun=(1.75, 1.6, 1.35),
    zenith=(0.34, 0.3, 0.62),
    horizon=(0.95, 0.74, 0.62),
    sky_ambient=(0.48, 0.44, 0.52),
    ground_ambient=(0.36, 0.29, 0.27),
    clouds=0.25,
    fog_per_m=0.006,
)


def shape_gallery(b: SceneBuilder) -> str:
    """A plaza of coloured solids on pedestals before a wall of coffers."""
    b.light = PLAZA_LIGHT
    floor = b.material("terrazzo", "chequered marble", "marble", "terracotta tiles", tile_m=2.0)
    street.ground(b, "floor", floor, x=(-90, 90), z=(-60, 90))
    _wall(b)
    _arches(b)
    _pedestals(b)
    _far_shapes(b)
    return b.one_of(
        "plaza of coloured geometric solids on pedestals",
        "open court of geometric sculptures before a wall of niches",
    )


def _paint(b: SceneBuilder) -> Material:
    base = b.one_of("paint", "paint", "plaster", "wool", "linen")
    return tinted(base, b.rng, among=STRONG, noun="" if base in ("wool", "linen") else "coloured " + base)


def _wall(b: SceneBuilder) -> None:
    """Coffers of 1.6 m, three high, each a part; a solid in every other one."""
    palette = [_paint(b) for _ in range(6)] + [
        b.material("dark marble", "oak", "blue tiles", "brass", tile_m=1.2) for _ in range(3)
    ]
    cell = 1.6
    for column, x in enumerate(np.arange(-12.8, 20.0, cell)):
        depth = 5.5 + 0.6 * float(b.rng.integers(0, 2))
        for level in range(4):
            outer, inner = (palette[int(i)] for i in b.rng.integers(len(palette), size=2))
            rim = merge([box(cell, 0.14, 0.9).at(up=u, z=0.45) for u in (0.0, cell - 0.14)])
            side = merge([box(0.14, cell, 0.9).at(x=s * (cell / 2 - 0.07), z=0.45) for s in (-1, 1)])
            back = box(cell, cell, 0.1).at(z=0.85)
            shapes: list[Shape] = [(rim, outer), (side, outer), (back, inner)]
            b.add("niche", shapes, at=(float(x), level * cell, depth), joined=True)
            if (column + level) % 2 == 0 and level < 3:
                solid = _solid(b, 0.42)
                b.add(
                    solid[0],
                    [(solid[1], _paint(b))],
                    at=(float(x), level * cell + 0.14, depth + 0.42),
                    yaw=float(b.rng.uniform(0, 90)),
                    movable=True,
                )


def _solid(b: SceneBuilder, r: float) -> tuple[str, Mesh]:
    """A named solid of about radius `r`, standing on the ground."""
    choice = int(b.rng.integers(8))
    if choice == 0:
        return "sphere", sphere(r, sides=22, rings=13).at(up=r)
    if choice == 1:
        return "cube", box(1.5 * r, 1.5 * r, 1.5 * r)
    if choice == 2:
        return "cone", cone(r, 2.2 * r, sides=24)
    if choice == 3:
        return "cylinder", cylinder(0.75 * r, 2 * r, sides=24)
    if choice == 4:
        return "pyramid", cone(1.15 * r, 1.8 * r, sides=4)
    if choice == 5:
        return "ring", _ring(r)
    if choice == 6:
        return "wedge", prism([(-r, 0.0), (r, 0.0), (-r, 1.6 * r)], 1.2 * r).at(z=-0.6 * r)
    return "crystal", rock(r, b.rng, detail=0, roughness=0.3).scaled(up=1.3).at(up=r * 1.15)


def _ring(r: float) -> Mesh:
    """A torus that stands upright."""
    turn = np.linspace(0, 2 * np.pi, 15)
    profile = [(0.72 * r + 0.26 * r * float(np.sin(a)), -0.26 * r * float(np.cos(a))) for a in turn]
    return lathe(profile, sides=28).tilted(about_x=90).at(up=r)


def _arches(b: SceneBuilder) -> None:
    """Free-standing gates at both sides of the free space."""
    for x, z, yaw in (
        (-2.6, 4.4, 20.0),
        (6.0, 4.3, -15.0),
        (9.6, 2.4, 30.0),
        (-5.6, 1.6, 60.0),
        (12.6, 4.6, 0.0),
    ):
        paint = _paint(b)
        height = float(b.rng.uniform(2.3, 3.4))
        frame = [box(0.32, height, 0.32).at(x=s * 0.6) for s in (-1, 1)] + [box(1.6, 0.34, 0.34).at(up=height)]
        b.add(
            "gate",
            [(merge(frame), paint)],
            at=(x, 0, z),
            yaw=yaw + float(b.rng.uniform(-10, 10)),
            landmark=True,
        )


def _pedestals(b: SceneBuilder) -> None:
    spots = [
        (-4.3, 3.6),
        (-1.0, 4.95),
        (1.0, 4.9),
        (2.9, 4.95),
        (4.8, 4.8),
        (5.6, 2.2),
        (7.6, 3.2),
        (8.2, 4.8),
        (10.6, 4.3),
        (-6.8, 4.6),
    ]
    spots += [(-3.2, 1.2), (-7.0, -1.0), (11.4, 0.6), (14.0, 2.8), (2.0, 2.0)]
    for x, z in spots:
        low = (x, z) == (2.0, 2.0)
        height = 0.3 if low else float(b.rng.uniform(0.5, 1.1))
        block = b.material("concrete", "marble", "granite", "oak", tile_m=1.4)
        b.add("pedestal", [(box(0.7, height, 0.7), block)], at=(x, 0, z), yaw=float(b.rng.uniform(-25, 25)))
        noun, solid = _solid(b, 0.2 if low else float(b.rng.uniform(0.28, 0.42)))
        b.add(noun, [(solid, _paint(b))], at=(x, height, z), yaw=float(b.rng.uniform(0, 90)), movable=True)


def _far_shapes(b: SceneBuilder) -> None:
    """Large solids around the plaza, so that every direction shows something."""
    for _ in range(46):
        angle, reach = float(b.rng.uniform(-2.6, 2.6)), float(b.rng.uniform(15, 45))
        x, z = 3.5 + reach * float(np.sin(angle)), 3.0 + reach * float(np.cos(angle))
        if abs(x - 3.5) < 17 and 0 < z < 9:
            continue
        noun, solid = _solid(b, float(b.rng.uniform(1.6, 4.0)))
        b.add(noun, [(solid, _paint(b))], at=(x, 0, z), yaw=float(b.rng.uniform(0, 90)))
