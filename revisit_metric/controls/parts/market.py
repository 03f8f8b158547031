"""Market stalls of several trades.

Conventions: authoring frame; fronts face -z at yaw 0; functions add parts at (x, up, z).
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, lathe, merge, prism, sphere
from revisit_metric.controls.parts import plants
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

FRUIT = ("crimson", "mustard", "forest green", "ochre", "plum", "terracotta")
BLOSSOMS = ("flowers", "poppies", "buttercups", "gentians")


def stall(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, cloth: Material, *, trade: str = "") -> None:
    """A stall 2.1 m wide and 1.6 m deep with the wares of `trade`: fruit, pottery, cloth, bread or flowers.

    Args:
        b: the scene under construction.
        at: middle of its foot.
        yaw: degrees.
        wood: posts and desk.
        cloth: roof.
        trade: a random one where empty.
    """
    trade = trade or b.one_of("fruit", "fruit", "pottery", "cloth", "bread", "flowers")
    posts = [box(0.07, 2.35 if z > 0 else 2.08, 0.07).at(x=x, z=z) for x in (-1.0, 1.0) for z in (-0.6, 0.6)]
    desk = [box(2.0, 0.06, 1.1).at(up=0.76), box(2.0, 0.7, 0.04).at(up=0.06, z=-0.5)]
    desk += [box(0.05, 0.7, 0.06).at(x=x, up=0.06, z=-0.53) for x in (-0.95, -0.32, 0.32, 0.95)]
    shapes: list[Shape] = [(merge(posts + desk), wood)]
    if b.rng.random() < 0.5:
        shapes.append((box(1.96, 0.62, 0.03).at(up=0.13, z=-0.56), tinted("linen", b.rng, noun="cloth")))
    b.add("market stall", shapes, at=at, yaw=yaw, landmark=True)
    b.add("stall roof", [(mesh, cloth) for mesh in _roof(peaked=bool(b.rng.random() < 0.4))], at=at, yaw=yaw)
    _SELL[trade](b, at, yaw)


def _roof(*, peaked: bool) -> list[Mesh]:
    """A sloping sheet with a valance, or a ridge along the stall."""
    valance = [box(2.3, 0.2, 0.02).at(up=1.82, z=-0.86)]
    if peaked:
        top = prism([(-0.88, 2.0), (0.88, 2.0), (0.0, 2.62)], 2.3).at(z=-1.15).at(yaw=90)
        return [top, *valance]
    return [prism([(0.75, 2.35), (-0.87, 2.0), (-0.87, 1.97), (0.75, 2.32)], 2.3).at(z=-1.15).at(yaw=-90), *valance]


def _fruit(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """Four sloping crates of fruit or vegetables."""
    wood = Material("pine", tile_m=1.0)
    for i in range(4):
        paint = tinted("paint", b.rng, among=FRUIT, noun="fruit")
        size = float(b.rng.uniform(0.05, 0.075))
        one = sphere(size, sides=7, rings=4)
        heap = [
            one.at(float(x + b.rng.uniform(-0.02, 0.02)), 0.1 + size * 0.7 + 0.03 * float(b.rng.random()), float(z))
            for x in np.linspace(-0.15, 0.15, 3)
            for z in np.linspace(-0.3, 0.18, 4)
        ]
        box_of: list[Shape] = [(box(0.44, 0.12, 0.66).at(z=-0.06), wood), (merge(heap).at(), paint)]
        b.add("fruit crate", box_of, at=turned(at, yaw, -0.72 + 0.48 * i, -0.12, 0.82), yaw=yaw, movable=True)


def _pottery(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """Jugs, bowls and vases on the desk and on a shelf behind it."""
    for i in range(8):
        x, z = -0.84 + 0.24 * i, -0.3 if i % 2 else 0.05
        glaze = tinted("paint", b.rng, noun="glazed clay")
        r, h = float(b.rng.uniform(0.07, 0.11)), float(b.rng.uniform(0.14, 0.36))
        profile = [
            (0.0, 0.0),
            (r * 0.6, 0.0),
            (r, h * 0.4),
            (r * 0.5, h * 0.8),
            (r * 0.62, h),
            (r * 0.5, h),
            (0.0, h * 0.85),
        ]
        pot: list[Shape] = [(lathe(profile, sides=12), Material("paint", glaze.tint, gloss=2.0, words=glaze.words))]
        b.add("jug", pot, at=turned(at, yaw, x, z, 0.82), yaw=yaw, movable=True)
    _shelf(b, at, yaw, "jars")


def _cloth(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """Bolts of cloth lying and lengths hanging from the back rail."""
    for i in range(6):
        weave = tinted("wool", b.rng, noun="cloth", tile_m=0.8)
        bolt = cylinder(0.1, 0.75, sides=12).tilted(about_x=90).at(up=0.1, z=-0.4)
        b.add("bolt of cloth", [(bolt, weave)], at=turned(at, yaw, -0.78 + 0.31 * i, 0.0, 0.82), yaw=yaw, movable=True)
    for i in range(4):
        weave = tinted("linen", b.rng, noun="cloth", tile_m=0.8) if i % 2 else b.material("striped cloth", tile_m=0.6)
        b.add(
            "hanging cloth", [(box(0.42, 1.1, 0.03), weave)], at=turned(at, yaw, -0.72 + 0.48 * i, 0.56, 1.05), yaw=yaw
        )


def _bread(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """Loaves and wheels of cheese on boards."""
    crust, rind = (
        Material("leather", (1.5, 1.25, 0.85), 0.5, 0.2, words="bread"),
        Material("paint", (0.9, 0.66, 0.2), words="cheese"),
    )
    for i in range(4):
        meshes = []
        for k in range(3):
            loaf = sphere(0.13, sides=10, rings=6).scaled(x=1.0, up=0.6, z=1.7)
            wheel = cylinder(0.16, 0.09, sides=16)
            meshes.append(loaf.at(x=0.0, up=0.1, z=-0.28 + 0.26 * k) if i % 2 else wheel.at(up=0.03 + 0.09 * k, z=-0.1))
        shapes: list[Shape] = [
            (merge(meshes), crust if i % 2 else rind),
            (box(0.4, 0.03, 0.8).at(z=-0.06), Material("oak", tile_m=1.0)),
        ]
        b.add(
            "bread" if i % 2 else "cheese",
            shapes,
            at=turned(at, yaw, -0.7 + 0.47 * i, -0.08, 0.82),
            yaw=yaw,
            movable=True,
        )
    _shelf(b, at, yaw, "shop window")


def _flowers(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """Buckets of flowers on the desk and in front of it."""
    for i in range(5):
        flower_bucket(b, turned(at, yaw, -0.8 + 0.4 * i, -0.15, 0.82))
    for i in range(3):
        flower_bucket(b, turned(at, yaw, -0.7 + 0.65 * i, -0.85))


_SELL = {"fruit": _fruit, "pottery": _pottery, "cloth": _cloth, "bread": _bread, "flowers": _flowers}


def _shelf(b: SceneBuilder, at: Vec3, yaw: float, texture: str) -> None:
    """A board of wares behind the desk."""
    goods = box(1.8, 0.9, 0.03, metric=False).at(up=0.95, z=-0.04)
    back = box(1.94, 1.1, 0.04).at(up=0.85)
    shapes: list[Shape] = [
        (back, Material("pine", tile_m=1.2)),
        (goods, Material(texture, variant=int(b.rng.integers(6)))),
    ]
    b.add("shelf", shapes, at=turned(at, yaw, 0.0, 0.7), yaw=yaw)


def flower_bucket(b: SceneBuilder, at: Vec3, *, size: float = 0.45) -> None:
    """A zinc bucket of cut flowers."""
    pail = lathe([(0.0, 0.0), (0.11, 0.0), (0.15, 0.28), (0.13, 0.28), (0.1, 0.03), (0.0, 0.03)], sides=12)
    b.add("bucket", [(pail, Material("steel"))], at=at)
    bloom = Material(b.one_of(*BLOSSOMS), variant=int(b.rng.integers(2)))
    plants.tufts(b, (at[0], at[1] + 0.18, at[2]), bloom, spread=0.08, count=6, size=size, noun="flowers")
