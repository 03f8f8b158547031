"""Playground equipment.

Conventions: authoring frame; fronts face -z at yaw 0; functions add parts at (x, up, z).
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, cylinder, lathe, merge, prism, sphere
from revisit_metric.controls.parts.forms import loft, rod, tube
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

BRIGHT = ("crimson", "mustard", "forest green", "teal", "sky blue", "terracotta", "navy")


def bright(b: SceneBuilder, noun: str = "painted steel") -> Material:
    """A strong play colour."""
    return tinted("paint", b.rng, among=BRIGHT, noun=noun)


def swings(b: SceneBuilder, at: Vec3, yaw: float, *, seats: int = 2) -> None:
    """A swing frame across x with seats on chains; frame and seats are parts."""
    paint, half = bright(b), 0.85 * seats
    frame = [rod((-half, 2.2, 0), (half, 2.2, 0), 0.05, sides=8)]
    frame += [rod((s * half, 2.2, 0), (s * (half + 0.25), 0, z), 0.04, sides=8) for s in (-1, 1) for z in (-0.75, 0.75)]
    b.add("swing frame", [(merge(frame), paint)], at=at, yaw=yaw, landmark=True)
    for i in range(seats):
        x, lean = (i - (seats - 1) / 2) * 1.45, float(b.rng.uniform(-0.35, 0.35))
        chains = [rod((s * 0.22, 1.72, 0), (s * 0.22, 0.0, lean), 0.012, sides=4) for s in (-1, 1)]
        seat = box(0.48, 0.04, 0.2).at(up=-0.02, z=lean)
        b.add(
            "swing",
            [(merge(chains), Material("steel")), (seat, Material("black metal", words="rubber"))],
            at=turned(at, yaw, x, 0.0, 0.47),
            yaw=yaw,
        )


def play_tower(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A wooden tower with a roof, a ladder on one side and a slide on the other (towards +x)."""
    wood, roof, slide = b.material("oak", "pine", tile_m=1.2), bright(b, "painted wood"), bright(b, "plastic")
    posts = [box(0.12, 2.5, 0.12).at(x=sx * 0.62, z=sz * 0.62) for sx in (-1, 1) for sz in (-1, 1)]
    deck = [box(1.4, 0.06, 0.22).at(up=1.25, z=-0.56 + 0.28 * i) for i in range(5)]
    rail = [box(1.3, 0.08, 0.05).at(up=u, z=s * 0.62) for u in (1.55, 1.9) for s in (-1, 1)]
    b.add("play tower", [(merge(posts + deck), wood), (merge(rail), wood)], at=at, yaw=yaw, landmark=True)
    tent = loft(
        [
            [(-0.85, 2.45, -0.85), (0.85, 2.45, -0.85), (0.85, 2.45, 0.85), (-0.85, 2.45, 0.85)],
            [(-0.05, 3.3, -0.05), (0.05, 3.3, -0.05), (0.05, 3.3, 0.05), (-0.05, 3.3, 0.05)],
        ]
    )
    b.add("tower roof", [(tent, roof)], at=at, yaw=yaw)
    rungs = [
        box(0.06, 0.05, 0.9).at(x=-0.72 - 0.4 * (1 - float(t)), up=0.12 + 1.1 * float(t)) for t in np.linspace(0, 1, 6)
    ]
    sides = [rod((-1.16, 0.0, s * 0.45), (-0.66, 1.4, s * 0.45), 0.04) for s in (-1, 1)]
    b.add("ladder", [(merge(rungs + sides), wood)], at=at, yaw=yaw)
    path = [(0.65, 1.3), (1.0, 1.25), (1.8, 0.6), (2.3, 0.28), (2.8, 0.22)]
    gutter = [
        [
            (x, u + 0.2, -0.32),
            (x, u, -0.26),
            (x, u, 0.26),
            (x, u + 0.2, 0.32),
            (x, u + 0.2, 0.28),
            (x, u + 0.04, 0.22),
            (x, u + 0.04, -0.22),
            (x, u + 0.2, -0.28),
        ]
        for x, u in path
    ]
    skins = []
    for k in range(7):
        skins.append(
            loft(
                [
                    [r[k], r[k + 1], (r[k + 1][0], r[k + 1][1] - 0.01, r[k + 1][2]), (r[k][0], r[k][1] - 0.01, r[k][2])]
                    for r in gutter
                ]
            )
        )
    legs = [rod((x, 0, s * 0.2), (x, u, s * 0.2), 0.03) for x, u in ((1.8, 0.6), (2.6, 0.24)) for s in (-1, 1)]
    b.add("slide", [(merge(skins), slide), (merge(legs), Material("steel"))], at=at, yaw=yaw)


def climbing_dome(b: SceneBuilder, at: Vec3, *, radius: float = 1.4) -> None:
    """A half-ball of steel bars."""
    ring = [(radius * float(np.cos(e)), radius * float(np.sin(e))) for e in np.radians([0, 28, 56, 82])]
    bars = []
    for k, (r, up) in enumerate(ring):
        count = 10
        angle = [2 * np.pi * (i + 0.5 * (k % 2)) / count for i in range(count)]
        points = [(r * float(np.cos(a)), up, r * float(np.sin(a))) for a in angle]
        if k:
            bars += [rod(points[i], points[(i + 1) % count], 0.02, sides=5) for i in range(count)]
            for i in range(count):
                below = [2 * np.pi * (i + 0.5 * ((k - 1) % 2) + d) / count for d in ((0, 1) if k % 2 else (0, -1))]
                r0, u0 = ring[k - 1]
                bars += [
                    rod((r0 * float(np.cos(a)), u0, r0 * float(np.sin(a))), points[i], 0.02, sides=5) for a in below
                ]
    b.add("climbing dome", [(merge(bars), bright(b))], at=at, landmark=True)


def seesaw(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A plank on a stand with two seats, tipped to one side."""
    tip = 11.0 if b.rng.random() < 0.5 else -11.0
    plank = box(2.6, 0.07, 0.22, centred=True).tilted(about_z=tip).at(up=0.52)
    ends = []
    for s in (-1, 1):
        up = 0.52 - s * 1.1 * float(np.sin(np.radians(tip)))
        ends += [
            box(0.34, 0.05, 0.32).at(x=s * 1.15, up=up + 0.02),
            tube(
                [(s * 0.86, up, 0), (s * 0.86, up + 0.32, -0.16), (s * 0.86, up + 0.32, 0.16), (s * 0.86, up, 0)], 0.018
            ),
        ]
    stand = prism([(-0.3, 0.0), (0.3, 0.0), (0.06, 0.5), (-0.06, 0.5)], 0.3).at(z=-0.15)
    b.add(
        "seesaw",
        [(plank, bright(b, "painted wood")), (merge(ends), Material("black metal")), (stand, bright(b))],
        at=at,
        yaw=yaw,
        movable=True,
    )


def spring_rider(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A rocking animal on a spring."""
    spring = [
        lathe([(0.11, 0.02 + 0.07 * i), (0.13, 0.05 + 0.07 * i), (0.11, 0.08 + 0.07 * i)], sides=12) for i in range(5)
    ]
    body = [
        sphere(0.24, sides=14, rings=9).scaled(x=1.5, z=0.6).at(up=0.62),
        sphere(0.16, sides=12, rings=8).at(x=-0.38, up=0.88),
        prism([(-0.05, 0.0), (0.05, 0.0), (0.0, 0.16)], 0.05).at(x=-0.38, up=1.0, z=-0.1),
    ]
    more = [
        rod((-0.2, 0.86, -0.22), (-0.2, 0.86, 0.22), 0.02),
        rod((-0.05, 0.45, -0.26), (-0.05, 0.45, 0.26), 0.02),
        box(0.3, 0.04, 0.26).at(x=0.14, up=0.83),
    ]
    b.add(
        "spring rider",
        [
            (merge(spring), Material("black metal")),
            (merge(body), bright(b, "plastic")),
            (merge(more), Material("steel")),
        ],
        at=at,
        yaw=yaw,
        movable=True,
    )


def sandpit(b: SceneBuilder, at: Vec3, *, size: float = 2.4) -> None:
    """A wooden frame full of sand with a bucket and moulds."""
    wood, h = b.material("pine", "oak", tile_m=1.2), size / 2
    edges = [box(size + 0.2, 0.26, 0.2).at(z=s * h) for s in (-1, 1)] + [
        box(0.2, 0.26, size).at(x=s * h) for s in (-1, 1)
    ]
    b.add("sandpit", [(merge(edges), wood), (box(size - 0.1, 0.16, size - 0.1), Material("sand", tile_m=2.0))], at=at)
    for i in range(3):
        toy = b.one_of("bucket", "ball", "castle")
        place = (
            at[0] + float(b.rng.uniform(-0.3, 0.3)) * size,
            at[1] + 0.16,
            at[2] + float(b.rng.uniform(-0.25, 0.25)) * size,
        )
        if toy == "bucket":
            b.add(
                "bucket",
                [
                    (
                        lathe([(0.0, 0.0), (0.1, 0.0), (0.13, 0.2), (0.12, 0.2), (0.09, 0.02), (0.0, 0.02)], sides=14),
                        bright(b, "plastic"),
                    )
                ],
                at=place,
                movable=True,
            )
        elif toy == "ball":
            b.add("ball", [(sphere(0.13, sides=14, rings=9).at(up=0.13), bright(b, "plastic"))], at=place, movable=True)
        else:
            towers = [
                cylinder(0.09, 0.16, sides=10, top=0.07).at(x=dx, z=dz) for dx in (-0.16, 0.16) for dz in (-0.16, 0.16)
            ]
            b.add(
                "sandcastle",
                [(merge([*towers, box(0.3, 0.12, 0.3)]), Material("sand", (0.85, 0.82, 0.78), 1.0))],
                at=place,
                yaw=20.0 * i,
                movable=True,
            )


def stepping_posts(b: SceneBuilder, at: Vec3, *, count: int = 5) -> None:
    """A row of log ends to balance on, along x."""
    bark = Material("oak bark", tile_m=1.0)
    for i in range(count):
        h = float(b.rng.uniform(0.2, 0.5))
        shapes: list[Shape] = [
            (cylinder(0.19, h, sides=12), bark),
            (cylinder(0.18, 0.015, sides=12).at(up=h), Material("pine", tile_m=0.8)),
        ]
        b.add("log", shapes, at=(at[0] + 0.55 * i, at[1], at[2] + float(b.rng.uniform(-0.15, 0.15))), movable=True)


def playhouse(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A small wooden house to play in: walls with openings, a steep roof, a bench inside."""
    wall, roof, trim = bright(b, "painted wood"), bright(b, "painted wood"), b.material("pine", "oak", tile_m=1.0)
    w, d, h = 1.75, 1.3, 1.75
    front = [box(0.4, h, 0.05).at(x=s * (w / 2 - 0.2), z=-d / 2) for s in (-1, 1)] + [
        box(w, 0.25, 0.05).at(up=h - 0.25, z=-d / 2)
    ]
    sides = [box(0.05, part, d).at(x=s * w / 2, up=up) for s in (-1, 1) for part, up in ((0.6, 0.0), (0.25, h - 0.25))]
    sides += [box(0.05, h, 0.3).at(x=s * w / 2, z=e * (d / 2 - 0.15)) for s in (-1, 1) for e in (-1, 1)]
    back = [box(w, h, 0.05).at(z=d / 2)]
    gables = [
        prism([(-w / 2, 0.0), (w / 2, 0.0), (0.0, 1.0)], 0.05).at(up=h, z=z) for z in (-d / 2 - 0.025, d / 2 - 0.025)
    ]
    b.add("playhouse", [(merge([*front, *sides, *back, *gables]), wall)], at=at, yaw=yaw, landmark=True)
    pitch = float(np.degrees(np.arctan2(w / 2, 1.0)))
    sheet = [box(0.06, 1.5, d + 0.3).tilted(about_z=-s * pitch).at(x=s * (w / 2 + 0.13), up=h - 0.13) for s in (-1, 1)]
    bars = [box(0.07, h, 0.07).at(x=sx * w / 2, z=sz * d / 2) for sx in (-1, 1) for sz in (-1, 1)]
    b.add("playhouse roof", [(merge(sheet), roof)], at=at, yaw=yaw)
    bars.append(box(w - 0.2, 0.05, 0.3).at(up=0.32, z=d / 2 - 0.25))
    b.add("playhouse frame", [(merge(bars), trim)], at=at, yaw=yaw)
