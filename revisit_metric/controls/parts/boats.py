"""Boats, bollards, nets and other things of a waterside.

Conventions: authoring frame; at yaw 0 a boat's bow points to -x; `at` lies on the water line.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, lathe, merge, prism, sphere
from revisit_metric.controls.parts.forms import hoop, loft, rod, tube
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

HULLS = ("white", "navy", "crimson", "forest green", "teal", "mustard", "sky blue", "terracotta", "charcoal")


def _hull(length: float, beam: float, depth: float, *, rise: float, shrink: float = 0.0) -> list[list[Vec3]]:
    """Cross-sections from bow to stern: gunwale, bilge, keel, bilge, gunwale; 0.3 of `depth` lies below water."""
    rings: list[list[Vec3]] = []
    for t in np.linspace(0.0, 1.0, 9):
        wide = (
            beam / 2 * float(np.clip(np.sin(np.pi * (0.1 + 0.62 * t)) ** 0.75 - (0.44 if t == 0 else 0.0), 0.05, 1))
            - shrink
        )
        wide = max(wide, 0.02)
        top = 0.7 * depth + rise * float((1 - t) ** 2.2) + 0.25 * rise * float(t**3) - shrink * 0.4
        keel = -0.3 * depth + 0.5 * depth * float((1 - t) ** 5) + shrink
        x = (float(t) - 0.5) * length * (1 - 0.8 * shrink / length)
        bilge = keel + 0.35 * (top - keel)
        rings.append(
            [
                (x, top, -wide),
                (x, bilge, -0.86 * wide),
                (x, keel, -0.3 * wide),
                (x, keel, 0.3 * wide),
                (x, bilge, 0.86 * wide),
                (x, top, wide),
            ]
        )
    return rings


def _gunwale(rings: list[list[Vec3]], thick: float) -> Mesh:
    sides = [[ring[k] for ring in rings] for k in (0, -1)]
    return merge(
        [tube(side, thick, sides=6) for side in sides]
        + [rod(rings[-1][0], rings[-1][-1], thick), rod(rings[0][0], rings[0][-1], thick)]
    )


def rowing_boat(b: SceneBuilder, at: Vec3, yaw: float, *, length: float = 3.6) -> None:
    """An open boat with thwarts and a pair of oars."""
    paint = tinted("worn paint", b.rng, among=HULLS, noun="painted wood")
    wood = b.material("oak", "pine", "walnut", tile_m=1.0)
    outer = _hull(length, 1.4, 0.75, rise=0.3)
    inner = _hull(length, 1.4, 0.75, rise=0.3, shrink=0.05)
    shapes: list[Shape] = [
        (loft(outer, closed=False, caps=True), paint),
        (loft(inner, closed=False, caps=False, inward=True), wood),
    ]
    shapes.append((_gunwale(outer, 0.035), wood))
    shapes.append(
        (
            merge([box(0.26, 0.04, 1.1 * s).at(x=x, up=0.34) for x, s in ((-0.7, 0.95), (0.35, 1.08), (1.25, 0.95))]),
            wood,
        )
    )
    oars = [tube([(-0.9, 0.4, s * 0.28), (1.3, 0.43, s * 0.4)], 0.025) for s in (-1, 1)] + [
        box(0.5, 0.02, 0.13).at(x=-1.0, up=0.39, z=s * 0.27) for s in (-1, 1)
    ]
    shapes.append((merge(oars), Material("pine", tile_m=1.0)))
    b.add("rowing boat", shapes, at=at, yaw=yaw)


def fishing_boat(b: SceneBuilder, at: Vec3, yaw: float, *, length: float = 6.5) -> None:
    """A decked boat: hull, wheelhouse, mast with a boom; three parts."""
    paint = tinted("worn paint", b.rng, among=HULLS, noun="painted wood")
    house = tinted("worn paint", b.rng, among=("white", "cream", "sky blue", "ochre"), noun="painted wood")
    deck, metal = b.material("grey planks", "oak planks", tile_m=1.4), Material("black metal")
    rings = _hull(length, 2.3, 1.35, rise=0.6)
    floor = [[(r[0][0], r[0][1] - 0.35, r[0][2] * 0.97), (r[0][0], r[0][1] - 0.35, r[-1][2] * 0.97)] for r in rings]
    sheet = loft(
        [
            [*pair, (pair[1][0], pair[1][1] - 0.05, pair[1][2]), (pair[0][0], pair[0][1] - 0.05, pair[0][2])]
            for pair in floor
        ]
    )
    inner = [
        [
            (r[0][0] * 0.985, r[0][1], r[0][2] * 0.95),
            (r[0][0] * 0.985, r[0][1] - 0.4, r[0][2] * 0.95),
            (r[0][0] * 0.985, r[0][1] - 0.4, r[-1][2] * 0.95),
            (r[0][0] * 0.985, r[0][1], r[-1][2] * 0.95),
        ]
        for r in rings
    ]
    hull: list[Shape] = [
        (loft(rings, closed=False), paint),
        (sheet, deck),
        (_inner_sides(inner), house),
        (_gunwale(rings, 0.06), Material("oak", tile_m=1.0)),
    ]
    band = [
        tube([(r[1][0], r[0][1] - 0.2, r[0][2] * 1.005) for r in rings], 0.035),
        tube([(r[1][0], r[0][1] - 0.2, r[-1][2] * 1.005) for r in rings], 0.035),
    ]
    hull.append((merge(band), house))
    b.add("fishing boat", hull, at=at, yaw=yaw, landmark=True)
    x, up = 0.18 * length, 0.62
    cabin: list[Shape] = [
        (box(1.5, 1.75, 1.25).at(x=x, up=up), house),
        (box(1.85, 0.08, 1.55).at(x=x, up=up + 1.75), paint),
    ]
    pane = Material("steel", (0.06, 0.08, 0.1), gloss=1.6, words="glass")
    panes = [box(0.5, 0.55, 0.03).at(x=x + dx, up=up + 0.95, z=s * 0.63) for dx in (-0.36, 0.36) for s in (-1, 1)]
    panes += [box(0.03, 0.55, 0.5).at(x=x - 0.76, up=up + 0.95, z=s * 0.3) for s in (-1, 1)]
    cabin.append((merge(panes), pane))
    b.add("wheelhouse", cabin, at=at, yaw=yaw)
    gear = [
        rod((-0.12 * length, 0.5, 0), (-0.12 * length, 4.2, 0), 0.06, sides=8),
        rod((-0.12 * length, 1.5, 0), (-0.4 * length, 3.2, 0), 0.04),
    ]
    gear += [
        rod((-0.12 * length, 4.1, 0), (-0.49 * length, 1.2, 0), 0.012, sides=4),
        rod((-0.12 * length, 4.1, 0), (x + 0.6, up + 1.8, 0), 0.012, sides=4),
    ]
    gear += [rod((-0.12 * length, 4.1, 0), (-0.12 * length, 0.85, s * 1.05), 0.012, sides=4) for s in (-1, 1)]
    b.add("mast", [(merge(gear), b.material("oak", "rusty metal", tile_m=1.0))], at=at, yaw=yaw)
    fenders = [cylinder(0.13, 0.45, sides=10).at(x=dx, up=0.2, z=-1.24) for dx in (-0.9, 0.6, 2.0)]
    b.add("fender", [(merge(fenders), Material("black metal", words="rubber"))], at=at, yaw=yaw)
    b.add(
        "winch",
        [(cylinder(0.2, 0.7, sides=14).tilted(about_x=90).at(x=-0.2 * length, up=0.85, z=-0.35), metal)],
        at=at,
        yaw=yaw,
    )


def _inner_sides(inner: list[list[Vec3]]) -> Mesh:
    left, right = [[r[0], r[1]] for r in inner], [[r[2], r[3]] for r in inner]
    both = []
    for side in (left, right):
        skin = loft([[p, q, (q[0], q[1], q[2] * 0.985), (p[0], p[1], p[2] * 0.985)] for p, q in side])
        both.append(skin)
    return merge(both)


def narrow_boat(b: SceneBuilder, at: Vec3, yaw: float, *, sections: int = 4) -> None:
    """A canal boat in sections of 1.7 m: hull, cabin with round windows, plants and firewood on the roof."""
    hull, cabin = tinted("paint", b.rng, among=HULLS, noun="painted steel"), tinted("paint", b.rng, noun="painted wood")
    trim = tinted("paint", b.rng, among=("cream", "mustard", "white", "crimson"), noun="painted wood")
    start = -(sections - 1) / 2 * 1.7
    for i in range(sections):
        x = start + 1.7 * i
        shapes: list[Shape] = [(box(1.7, 0.85, 1.9).at(up=-0.3), hull), (box(1.7, 0.08, 1.96).at(up=0.5), trim)]
        shapes.append(
            (
                prism([(-0.82, 0.55), (0.82, 0.55), (0.7, 1.4), (0.0, 1.5), (-0.7, 1.4)], 1.7).at(z=-0.85).at(yaw=90),
                cabin,
            )
        )
        b.add("narrow boat", shapes, at=_on(at, yaw, x), yaw=yaw, landmark=i == 0, joined=True)
        window: list[Shape] = [
            (cylinder(0.22, 0.04, sides=16).tilted(about_x=-82).at(x=0.0, up=0.98, z=-0.77), Material("brass")),
            (
                cylinder(0.17, 0.05, sides=16).tilted(about_x=-82).at(x=0.0, up=0.98, z=-0.775),
                Material("steel", (0.06, 0.08, 0.1), gloss=1.6, words="glass"),
            ),
        ]
        b.add("porthole", window, at=_on(at, yaw, x), yaw=yaw)
    bow = [
        [
            (start - 0.85 - 1.6 * t, up, s * w * (1 - t**1.6))
            for s, w, up in ((-1, 0.95, 0.55 + 0.3 * t), (-1, 0.9, -0.3), (1, 0.9, -0.3), (1, 0.95, 0.55 + 0.3 * t))
        ]
        for t in (0.0, 0.35, 0.7, 0.97)
    ]
    b.add("bow", [(loft(bow), hull)], at=at, yaw=yaw)
    stern = [
        box(1.3, 0.85, 1.8).at(x=start + 1.7 * sections - 0.2, up=-0.3),
        rod((start + 1.7 * sections + 0.2, 0.5, 0), (start + 1.7 * sections - 0.3, 1.2, 0.1), 0.04),
    ]
    b.add("stern", [(merge(stern), hull)], at=at, yaw=yaw)


def _on(at: Vec3, yaw: float, x: float) -> Vec3:
    a = np.radians(yaw)
    return at[0] + x * float(np.cos(a)), at[1], at[2] - x * float(np.sin(a))


def mooring_bollard(b: SceneBuilder, at: Vec3, metal: Material) -> None:
    """A cast-iron bollard with a coil of rope around it."""
    shape = lathe(
        [(0.24, 0.0), (0.24, 0.05), (0.15, 0.09), (0.14, 0.34), (0.22, 0.4), (0.22, 0.47), (0.0, 0.52)], sides=16
    )
    rope = merge(
        [hoop(0.19, 0.028, sides=16).tilted(about_x=90).at(up=0.1 + 0.055 * i, z=-0.19 - 0.0) for i in range(3)]
    )
    b.add(
        "mooring bollard",
        [(shape, metal), (rope.at(z=0.0), Material("linen", (0.75, 0.6, 0.4), 0.5, words="rope"))],
        at=at,
        movable=True,
    )


def rope_coil(b: SceneBuilder, at: Vec3) -> None:
    """A coil of thick rope on the ground."""
    turns = [
        hoop(r, 0.03, sides=18).tilted(about_x=90).at(up=u, z=-r)
        for r, u in ((0.36, 0.03), (0.3, 0.06), (0.24, 0.08), (0.34, 0.09))
    ]
    b.add("coil of rope", [(merge(turns), Material("linen", (0.75, 0.6, 0.4), 0.5, words="rope"))], at=at, movable=True)


def lobster_pots(b: SceneBuilder, at: Vec3, yaw: float, *, count: int = 4) -> None:
    """Half-round wicker and net cages, stacked."""
    wood, net = (
        Material("oak", tile_m=1.0),
        tinted("wool", b.rng, among=("forest green", "teal", "rust red", "mustard"), noun="netting"),
    )
    for i in range(count):
        level, x = divmod(i, 2)
        hoops = [
            tube(
                [(0.3 * float(np.cos(a)), 0.38 * float(np.sin(a)), z) for a in np.linspace(0, np.pi, 7)], 0.018, sides=5
            )
            for z in (-0.38, 0.0, 0.38)
        ]
        slats = [
            rod(
                (0.3 * float(np.cos(a)), 0.38 * float(np.sin(a)), -0.38),
                (0.3 * float(np.cos(a)), 0.38 * float(np.sin(a)), 0.38),
                0.012,
                sides=4,
            )
            for a in np.linspace(0, np.pi, 9)
        ]
        core = prism([(0.27 * float(np.cos(a)), 0.34 * float(np.sin(a))) for a in np.linspace(0, np.pi, 7)], 0.7).at(
            z=-0.35
        )
        place = _on(at, yaw, -0.34 + 0.68 * x + 0.12 * level)
        b.add(
            "lobster pot",
            [(merge([*hoops, *slats, box(0.62, 0.04, 0.8)]), wood), (core, net)],
            at=(place[0], at[1] + 0.42 * level, place[2]),
            yaw=yaw + float(b.rng.uniform(-6, 6)),
            movable=level == 1,
        )


def net_heap(b: SceneBuilder, at: Vec3) -> None:
    """A heap of fishing net with floats."""
    net = tinted("wool", b.rng, among=("forest green", "teal", "navy", "rust red"), noun="netting")
    lumps = [
        sphere(0.36, sides=12, rings=7)
        .scaled(up=0.55)
        .at(x=float(b.rng.uniform(-0.45, 0.45)), up=0.14, z=float(b.rng.uniform(-0.3, 0.3)))
        for _ in range(6)
    ]
    floats = [
        sphere(0.07, sides=9, rings=6).at(
            x=float(b.rng.uniform(-0.6, 0.6)), up=0.34, z=float(b.rng.uniform(-0.35, 0.35))
        )
        for _ in range(9)
    ]
    b.add(
        "fishing net",
        [(merge(lumps), net), (merge(floats), Material("paint", (0.9, 0.3, 0.08), words="orange cork"))],
        at=at,
        movable=True,
    )
