"""Street furniture and paving.

Conventions: authoring frame; functions add parts at (x, up, z).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, cards, cone, cylinder, lathe, merge, prism, quad, sphere
from revisit_metric.controls.parts.furniture import legs
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def ground(
    b: SceneBuilder,
    noun: str,
    material: Material,
    *,
    x: tuple[float, float],
    z: tuple[float, float],
    tile_m: float = 1.5,
    up: float = 0.0,
) -> None:
    """Paving in square parts of about `tile_m` within 12 m of the path, in large ones beyond."""
    columns = part_borders(x, -9.0, 16.0, tile_m)
    rows = part_borders(z, -3.0, 10.0, tile_m)
    for x0, x1 in pairwise(columns):
        for z0, z1 in pairwise(rows):
            face = quad((0, 0, z1 - z0), (x1 - x0, 0, 0), (0, 0, z0 - z1))
            b.add(noun, [(face, material)], at=(x0, up, z0), joined=True)


def part_borders(span: tuple[float, float], low: float, high: float, fine: float) -> list[float]:
    """Borders of parts along one axis: `fine` steps between low and high, twelve metres outside."""
    inner = [c for c in np.arange(low, high + 0.01, fine).tolist() if span[0] < c < span[1]]
    left = [c for c in np.arange(low - 12.0, span[0], -12.0).tolist() if c < span[1]]
    right = [c for c in np.arange(high + 12.0, span[1], 12.0).tolist() if c > span[0]]
    return sorted({span[0], *left, *inner, *right, span[1]})


def kerb(b: SceneBuilder, material: Material, *, x: tuple[float, float], z: float, step_m: float = 2.0) -> None:
    """A raised kerb along x in pieces."""
    for x0 in np.arange(x[0], x[1], step_m):
        b.add("kerb", [(box(step_m, 0.13, 0.2), material)], at=(float(x0) + step_m / 2, 0, z), joined=True)


def street_lamp(b: SceneBuilder, at: Vec3, metal: Material, *, height: float = 3.6) -> None:
    """A cast lamp post with a glass lantern."""
    glass = Material("paint", (1.0, 0.93, 0.75), emit=0.6, words="opal glass")
    shapes: list[Shape] = [
        (
            lathe([(0.2, 0.0), (0.2, 0.12), (0.12, 0.2), (0.1, 0.7), (0.06, 0.8), (0.045, height)], sides=12),
            metal,
        ),
        (lathe([(0.06, height), (0.17, height + 0.12), (0.2, height + 0.45)], sides=6), glass),
        (cone(0.26, 0.22, sides=6).at(up=height + 0.45), metal),
        (sphere(0.05, sides=8, rings=5).at(up=height + 0.7), metal),
        (box(0.5, 0.03, 0.03).at(up=height - 0.35), metal),
    ]
    b.add("street lamp", shapes, at=at)


def bench(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, metal: Material) -> None:
    """A slatted park bench."""
    slats = [box(1.7, 0.035, 0.09).at(up=0.43, z=-0.18 + 0.115 * i) for i in range(4)]
    slats += [box(1.7, 0.1, 0.03).tilted(about_x=12).at(up=0.55 + 0.14 * i, z=0.24 + 0.03 * i) for i in range(3)]
    ends = [box(0.05, 0.43, 0.5).at(x=s * 0.72) for s in (-1, 1)]
    ends += [box(0.05, 0.5, 0.05).tilted(about_x=12).at(x=s * 0.72, up=0.43, z=0.27) for s in (-1, 1)]
    b.add("bench", [(merge(slats), wood), (merge(ends), metal)], at=at, yaw=yaw, movable=True)


def litter_bin(b: SceneBuilder, at: Vec3, metal: Material) -> None:
    """A round litter bin."""
    ribs = merge(
        [box(0.05, 0.7, 0.02).at(x=0.26 * np.cos(a), up=0.08, z=0.26 * np.sin(a)) for a in np.arange(0, 6.2, 0.63)]
    )
    shapes: list[Shape] = [
        (cylinder(0.24, 0.8, sides=14), metal),
        (ribs, metal),
        (cylinder(0.28, 0.06, sides=14).at(up=0.8), metal),
    ]
    b.add("litter bin", shapes, at=at, movable=True)


def bollard(b: SceneBuilder, at: Vec3, metal: Material) -> None:
    """A short post."""
    profile = [
        (0.0, 0.0),
        (0.1, 0.0),
        (0.09, 0.1),
        (0.07, 0.75),
        (0.09, 0.78),
        (0.09, 0.84),
        (0.05, 0.92),
        (0.0, 0.93),
    ]
    b.add("bollard", [(lathe(profile, sides=12), metal)], at=at, movable=True)


def cafe_table(b: SceneBuilder, at: Vec3, metal: Material, top: Material) -> None:
    """A round bistro table."""
    shapes: list[Shape] = [
        (cylinder(0.22, 0.03, sides=14), metal),
        (cylinder(0.03, 0.7, sides=8), metal),
        (cylinder(0.36, 0.03, sides=20).at(up=0.71), top),
    ]
    b.add("table", shapes, at=at, movable=True)


def cafe_chair(b: SceneBuilder, at: Vec3, yaw: float, metal: Material, seat: Material) -> None:
    """A light outdoor chair."""
    back = merge([box(0.03, 0.42, 0.03).at(x=x, up=0.45, z=0.19).tilted(about_x=5) for x in (-0.18, -0.06, 0.06, 0.18)])
    shapes: list[Shape] = [
        (legs(0.4, 0.4, 0.44, thick=0.03, round_=True), metal),
        (box(0.4, 0.03, 0.4).at(up=0.44), seat),
        (back, metal),
        (box(0.42, 0.07, 0.03).at(up=0.84, z=0.265), seat),
    ]
    b.add("chair", shapes, at=at, yaw=yaw, movable=True)


def parasol(b: SceneBuilder, at: Vec3, cloth: Material, wood: Material) -> None:
    """A large sunshade."""
    shapes: list[Shape] = [
        (cylinder(0.25, 0.08, sides=14), Material("concrete")),
        (cylinder(0.025, 2.5, sides=8), wood),
        (lathe([(1.35, 2.05), (0.0, 2.6)], sides=8, smooth=False), cloth),
        (lathe([(0.0, 2.56), (1.34, 2.04)][::-1], sides=8, smooth=False).scaled(up=1.0), cloth),
        (lathe([(1.36, 1.9), (1.36, 2.06)], sides=8, smooth=False), cloth),
    ]
    b.add("parasol", shapes, at=at)


def planter(b: SceneBuilder, at: Vec3, yaw: float, *, length: float = 1.2, height: float = 0.55) -> None:
    """A box planter with a clipped hedge or flowers in it."""
    box_material = b.material("oak", "concrete", "rusty metal", tile_m=1.2)
    shapes: list[Shape] = [(box(length, height, 0.5), box_material)]
    count = int(length * 18)
    roots = np.stack(
        [
            b.rng.uniform(-length / 2, length / 2, count),
            np.full(count, height - 0.05),
            b.rng.uniform(-0.2, 0.2, count),
        ],
        1,
    )
    if b.rng.random() < 0.5:
        shapes.append((cards(roots, 0.5, b.rng, upright=True), Material("flowers", variant=int(b.rng.integers(3)))))
    else:
        lifted = roots + np.array([0, 0.22, 0])
        shapes.append(
            (
                cards(lifted, 0.5, b.rng, puff=(0, height - 0.3, 0)),
                Material("leaves", variant=int(b.rng.integers(3))),
            )
        )
    b.add("planter", shapes, at=at, yaw=yaw, movable=True)


def fountain(b: SceneBuilder, at: Vec3, stone: Material, *, radius: float = 1.25) -> None:
    """A round basin with a column and a bowl."""
    r = radius
    basin = [(r, 0.0), (r, 0.42), (r + 0.06, 0.45), (r + 0.06, 0.55), (r - 0.16, 0.55), (r - 0.16, 0.3)]
    column = [
        (0.3, 0.3),
        (0.2, 0.5),
        (0.14, 0.9),
        (0.2, 1.15),
        (0.6, 1.32),
        (0.62, 1.38),
        (0.5, 1.36),
        (0.12, 1.34),
        (0.1, 1.7),
        (0.0, 1.85),
    ]
    shapes: list[Shape] = [
        (lathe(basin, sides=28), stone),
        (lathe(column, sides=20), stone),
        (cylinder(r - 0.15, 0.02, sides=28).at(up=0.42), Material("water", tile_m=1.5)),
        (cylinder(0.52, 0.01, sides=20).at(up=1.36), Material("water", tile_m=1.0)),
    ]
    b.add("fountain", shapes, at=at, landmark=True)


def market_stall(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, cloth: Material) -> None:
    """A stall with a canvas roof; its crates are parts of their own."""
    posts = merge([box(0.07, 2.3 if z > 0 else 2.05, 0.07).at(x=x, z=z) for x in (-1.0, 1.0) for z in (-0.6, 0.6)])
    roof = prism([(0.75, 2.3), (-0.85, 2.0), (-0.85, 1.97), (0.75, 2.27)], 2.3).at(z=-1.15).at(yaw=-90.0)
    valance = box(2.3, 0.2, 0.02).at(up=1.8, z=-0.85)
    desk = [box(2.0, 0.06, 1.1).at(up=0.78), box(2.0, 0.72, 0.04).at(up=0.06, z=-0.5)]
    shapes: list[Shape] = [(posts, wood), (merge(desk), wood), (merge([roof, valance]), cloth)]
    b.add("market stall", shapes, at=at, yaw=yaw, landmark=True)
    a = np.radians(yaw)
    for i in range(4):
        dx, dz = -0.72 + 0.48 * i, -0.2
        place = (at[0] + dx * np.cos(a) + dz * np.sin(a), 0.84, at[2] - dx * np.sin(a) + dz * np.cos(a))
        fruit_crate(b, (float(place[0]), 0.84, float(place[2])), yaw, wood)


def fruit_crate(b: SceneBuilder, at: Vec3, yaw: float, wood: Material) -> None:
    """A crate heaped with fruit of one colour."""
    fruit = tinted(
        "paint",
        b.rng,
        among=("crimson", "mustard", "forest green", "ochre", "plum", "terracotta"),
        noun="fruit",
    )
    heap = [
        sphere(0.055, sides=8, rings=5).at(x, 0.12 + 0.05 * float(b.rng.random()), z)
        for x in np.linspace(-0.15, 0.15, 4)
        for z in np.linspace(-0.22, 0.22, 5)
    ]
    shapes: list[Shape] = [(box(0.44, 0.14, 0.58), wood), (merge(heap), fruit)]
    b.add("fruit crate", shapes, at=at, yaw=yaw, movable=True)


def barrel(b: SceneBuilder, at: Vec3, wood: Material, metal: Material) -> None:
    """A wooden barrel with hoops."""
    shapes: list[Shape] = [(lathe([(0.0, 0.0), (0.26, 0.0), (0.33, 0.42), (0.26, 0.85), (0.0, 0.83)], sides=18), wood)]
    shapes += [(lathe([(r, h), (r, h + 0.05)], sides=18), metal) for r, h in ((0.29, 0.12), (0.335, 0.4), (0.29, 0.7))]
    b.add("barrel", shapes, at=at, movable=True)
