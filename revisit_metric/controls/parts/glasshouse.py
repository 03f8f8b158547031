"""Glasshouses: ridged roofs of panes, glazed walls, staging with pots, beds, cacti, hanging baskets.

Conventions: authoring frame; every function adds parts at (x, up, z), the front facing the camera (-z) at yaw 0.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cards, cylinder, lathe, merge, prism, quad, sphere
from revisit_metric.controls.parts import plants, rooms
from revisit_metric.controls.parts.shells import Room
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def ridged_roof(b: SceneBuilder, room: Room, frame: Material, pane: Material, *, spans: int, rise: float) -> None:
    """Gables side by side, ridges along z: bars, gutters and frosted panes; every fifth bay is clear (open)."""
    width = (room.x[1] - room.x[0]) / spans
    depth = room.z[1] - room.z[0]
    rows = round(depth / 1.5)
    dz, slope = depth / rows, float(np.hypot(width / 2, rise))
    lean = float(np.degrees(np.arctan2(width / 2, rise)))
    for i in range(spans):
        x0 = room.x[0] + i * width
        b.add("gutter", [(box(0.16, 0.12, depth), frame)], at=(x0, room.height - 0.06, sum(room.z) / 2))
        ridge = box(0.1, 0.12, depth)
        b.add("ridge beam", [(ridge, frame)], at=(x0 + width / 2, room.height + rise - 0.1, sum(room.z) / 2))
        for j in range(rows):
            z = room.z[0] + j * dz
            for side in (0, 1):
                if (i + 2 * j + 3 * side) % 5:
                    _panes(b, (x0, room.height, z), (width, rise, dz), pane, side=side)
            bars = [box(0.05, slope, 0.07).tilted(about_z=s * lean).at(x=-s * width / 2) for s in (-1, 1)]
            tie = box(width, 0.035, 0.035)
            shapes: list[Shape] = [(merge([*bars, tie]), frame)]
            b.add("roof bar", shapes, at=(x0 + width / 2, room.height, z))


def _panes(b: SceneBuilder, at: Vec3, size: Vec3, pane: Material, *, side: int) -> None:
    """The lower and the upper pane of one bay of a slope: `side` 0 rises to the right, 1 to the left."""
    width, rise, dz = size
    way = (width / 4 if side == 0 else -width / 4, rise / 2, 0.0)
    for row in range(2):
        low = (side * width + row * way[0], row * way[1], 0.0)
        b.add("glass roof", [(quad(low, (0, 0, dz), way, both=True), pane)], at=at, joined=True)


def glazed_wall(b: SceneBuilder, run: rooms.Run, count: int, base: Material, frame: Material, pane: Material) -> None:
    """A dwarf wall with bars above; some panes are frosted, the others open to the view."""
    w, h, sill = run.panel_m, run.height, 0.75
    for panel in range(count):
        lower: list[Shape] = [(box(w, sill, 0.25).at(z=0.125), base), (box(w, 0.06, 0.34).at(up=sill, z=0.1), frame)]
        b.add("dwarf wall", lower, at=run.at(panel), yaw=run.yaw, joined=True)
        bars = [box(0.06, h - sill, 0.08).at(x=x, up=sill, z=0.1) for x in (-w / 2 + 0.03, 0.0)]
        bars += [box(w, 0.05, 0.07).at(up=u, z=0.1) for u in (sill + (h - sill) * 0.62, h - 0.05)]
        b.add("glazing bars", [(merge(bars), frame)], at=run.at(panel), yaw=run.yaw)
        for side in (-0.5, 0.5):
            if b.rng.random() < 0.55:
                glass = box(w / 2 - 0.05, (h - sill) * 0.62, 0.01).at(x=side * w / 2, up=sill + 0.04, z=0.1)
                b.add("frosted pane", [(glass, pane)], at=run.at(panel), yaw=run.yaw)


def glazed_gable(b: SceneBuilder, at: Vec3, frame: Material, pane: Material, *, width: float, rise: float) -> None:
    """The triangle of a span above a glazed wall, frosted, with bars."""
    face = prism([(-width / 2, 0.0), (width / 2, 0.0), (0.0, rise)], 0.02)
    bars = [box(0.05, rise * (1 - abs(x) / (width / 2)), 0.05).at(x=float(x)) for x in (-width / 4, 0.0, width / 4)]
    b.add("glass gable", [(face, pane), (merge([*bars, box(width, 0.08, 0.08)]), frame)], at=at)


def staging(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, *, width: float = 1.8) -> None:
    """A slatted bench with a lower shelf, and a crop of pots on both."""
    slats = [box(width, 0.03, 0.09).at(up=0.78, z=-0.33 + 0.11 * i) for i in range(7)]
    slats += [box(width, 0.025, 0.09).at(up=0.28, z=-0.22 + 0.15 * i) for i in range(4)]
    posts = [box(0.06, 0.78, 0.06).at(x=sx * (width / 2 - 0.05), z=sz * 0.32) for sx in (-1, 1) for sz in (-1, 1)]
    b.add("staging", [(merge(slats + posts), wood)], at=at, yaw=yaw)
    a = np.radians(yaw)
    for up, reach in ((0.81, 0.22), (0.305, 0.1)):
        dx = -width / 2 + 0.16
        while dx < width / 2 - 0.1:
            lz = float(b.rng.uniform(-reach, reach))
            x, z = at[0] + dx * np.cos(a) + lz * np.sin(a), at[2] - dx * np.sin(a) + lz * np.cos(a)
            pot_plant(b, (float(x), at[1] + up, float(z)), small=up < 0.5)
            dx += float(b.rng.uniform(0.28, 0.46))


def pot_plant(b: SceneBuilder, at: Vec3, *, small: bool = False) -> None:
    """A small pot with a seedling, flowers, a fern, a leafy plant or a cactus."""
    clay = (
        b.material("terracotta tiles", words="terracotta", tile_m=6.0)
        if b.rng.random() < 0.3
        else tinted("stucco", b.rng, among=("terracotta", "rust red", "ochre", "slate blue", "cream"), noun="clay")
    )
    r = float(b.rng.uniform(0.07, 0.12)) * (0.8 if small else 1.0)
    pot = lathe(
        [(0.0, 0.0), (r * 0.7, 0.0), (r * 0.95, r * 1.5), (r * 1.1, r * 1.5), (r * 1.1, r * 1.9), (r, r * 1.9)],
        sides=10,
    )
    shapes: list[Shape] = [(pot, clay), (cylinder(r * 0.98, 0.01, sides=10).at(up=r * 1.75), Material("soil"))]
    kind = b.one_of("flowers", "fern", "leaves", "broad leaves", "cactus", "leaves")
    if kind == "cactus":
        shapes.append((cactus_mesh(r * 0.7, float(b.rng.uniform(0.1, 0.24))).at(up=r * 1.7), _cactus_skin(b)))
    else:
        count = {"flowers": 5, "fern": 5, "leaves": 9, "broad leaves": 8}[kind]
        upright = kind in ("flowers", "fern")
        spread = b.rng.normal(0, r * 0.35, (count, 3)) + np.array([0.0, r * 1.75 if upright else r * 3.0, 0.0])
        if upright:
            spread[:, 1] = r * 1.7
        edge = float(b.rng.uniform(0.22, 0.34)) * (0.75 if small else 1.0)
        leaf = plants.foliage(b, kind)
        shapes.append((cards(spread, edge, b.rng, upright=upright, puff=(0, 0, 0)), leaf))
    b.add("potted plant", shapes, at=at, movable=True)


def _cactus_skin(b: SceneBuilder) -> Material:
    return tinted("wool", b.rng, among=("forest green", "sage green", "olive"), tile_m=0.5, noun="cactus skin")


def cactus_mesh(radius: float, height: float) -> Mesh:
    """A rounded column."""
    angle = np.linspace(0, np.pi / 2, 4)
    dome = [(radius * float(np.cos(a)), height - radius + radius * float(np.sin(a))) for a in angle]
    return lathe([(radius * 0.8, 0.0), (radius, height * 0.3), *dome[:-1], (0.0, height)], sides=12)


def tall_cactus(b: SceneBuilder, at: Vec3, *, height: float = 1.6) -> None:
    """A column cactus with two arms in a wide pot."""
    skin = _cactus_skin(b)
    r = 0.11
    body = [cactus_mesh(r, height).at(up=0.3)]
    for side in (-1, 1):
        low = height * float(b.rng.uniform(0.35, 0.6))
        body.append(cylinder(r * 0.6, 0.28, sides=10).tilted(about_z=side * 90).at(up=0.3 + low))
        body.append(cactus_mesh(r * 0.7, height * 0.35).at(x=side * 0.3, up=0.28 + low))
    pot = lathe([(0.0, 0.0), (0.2, 0.0), (0.28, 0.34), (0.24, 0.34), (0.22, 0.3)], sides=18)
    clay = tinted("stucco", b.rng, among=("terracotta", "rust red", "cream", "slate blue"), noun="clay")
    shapes: list[Shape] = [
        (pot, clay),
        (cylinder(0.24, 0.02, sides=14).at(up=0.3), Material("gravel")),
        (merge(body), skin),
    ]
    b.add("cactus", shapes, at=at, movable=True, landmark=True)


def raised_bed(b: SceneBuilder, at: Vec3, wood: Material, *, length: float = 1.8, canes: bool = False) -> None:
    """A timber bed with a crop; canes carry climbing plants with fruit."""
    rim = [box(length, 0.34, 0.05).at(z=s * 0.45) for s in (-1, 1)] + [
        box(0.05, 0.34, 0.9).at(x=s * length / 2) for s in (-1, 1)
    ]
    soil = box(length - 0.05, 0.28, 0.85)
    b.add("raised bed", [(merge(rim), wood), (soil, Material("soil", tile_m=1.0))], at=at)
    leaf = plants.foliage(b, "leaves", "broad leaves", "fern")
    fruit = tinted("paint", b.rng, among=("crimson", "mustard", "plum", "forest green", "terracotta"), noun="fruit")
    ball = sphere(0.04, sides=7, rings=5)
    for dx in np.arange(-length / 2 + 0.25, length / 2 - 0.1, 0.42):
        place = (at[0] + float(dx), at[1] + 0.28, at[2] + float(b.rng.uniform(-0.1, 0.1)))
        if not canes:
            plants.tufts(
                b,
                place,
                plants.foliage(b, "fern", "flowers", "grass tuft"),
                spread=0.2,
                count=5,
                size=0.45,
                noun="crop",
            )
            continue
        t = b.rng.random((16, 1))
        spots = np.hstack([b.rng.normal(0, 0.1, (16, 1)), 0.15 + 1.35 * t, b.rng.normal(0, 0.1, (16, 1))])
        balls = [ball.at(float(p[0]) + 0.06, float(p[1]) - 0.06, float(p[2]) - 0.06) for p in spots[:8]]
        shapes: list[Shape] = [
            (cylinder(0.012, 1.7, sides=6), Material("pine", tile_m=1.0, words="cane")),
            (cards(spots, 0.36, b.rng, puff=(0, 0.8, 0)), leaf),
            (merge(balls), fruit),
        ]
        b.add("climbing plant", shapes, at=place, movable=True)


def palm(b: SceneBuilder, at: Vec3, *, height: float = 2.6) -> None:
    """A tall plant in a tub: a stem with a crown of large leaves."""
    tub = b.material("oak", "rusty metal", "concrete", tile_m=1.2)
    crown = np.clip(b.rng.normal(0, 0.3, (22, 3)), -0.48, 0.48) * np.array([1.0, 0.6, 1.0]) + np.array([0, height, 0])
    rim = lathe([(0.0, 0.0), (0.26, 0.0), (0.33, 0.45), (0.29, 0.45), (0.27, 0.38)], sides=18)
    shapes: list[Shape] = [
        (rim, tub),
        (cylinder(0.29, 0.02, sides=14).at(up=0.38), Material("soil")),
        (cylinder(0.06, height - 0.35, sides=8, top=0.04).at(up=0.36), b.material("pine bark", "oak bark", tile_m=0.8)),
        (cards(crown, 0.72, b.rng, puff=(0, height - 0.5, 0)), plants.foliage(b, "broad leaves", "fern", "leaves")),
    ]
    b.add("palm", shapes, at=at, movable=True)


def hanging_basket(b: SceneBuilder, at: Vec3, metal: Material, *, hang_up: float) -> None:
    """A basket of trailing leaves or flowers; `at` is its lowest point."""
    bowl = lathe([(0.0, 0.0), (0.15, 0.04), (0.22, 0.18), (0.2, 0.18)], sides=16)
    drop = hang_up - at[1] - 0.18
    wires = merge(
        [box(0.01, drop, 0.01).at(up=0.18), box(0.42, 0.01, 0.01).at(up=0.18), box(0.01, 0.01, 0.42).at(up=0.18)]
    )
    places = b.rng.normal(0, 0.13, (14, 3)) + np.array([0, 0.2, 0])
    leaf = plants.foliage(b, "leaves", "broad leaves", "autumn leaves", "fern")
    shapes: list[Shape] = [
        (bowl, b.material("linen", tint=(0.5, 0.4, 0.25), words="coir")),
        (wires, metal),
        (cards(places, 0.34, b.rng, puff=(0, 0, 0)), leaf),
    ]
    b.add("hanging basket", shapes, at=at)


def watering_can(b: SceneBuilder, at: Vec3, yaw: float, metal: Material) -> None:
    """A can with a spout, a rose and a bow handle."""
    body = [cylinder(0.13, 0.26, sides=16), box(0.05, 0.34, 0.05).tilted(about_z=-40).at(x=-0.12, up=0.08)]
    body.append(cylinder(0.03, 0.05, sides=10, top=0.06).tilted(about_z=-55).at(x=-0.33, up=0.33))
    body += [box(0.02, 0.14, 0.03).at(x=s * 0.1, up=0.26) for s in (-1, 1)] + [box(0.22, 0.025, 0.03).at(up=0.4)]
    b.add("watering can", [(merge(body), metal)], at=at, yaw=yaw, movable=True)


def wheelbarrow(b: SceneBuilder, at: Vec3, yaw: float, paint: Material, wood: Material) -> None:
    """A barrow with a tray of soil; its wheel points along -x at yaw 0."""
    tray = lathe([(0.3, 0.3), (0.5, 0.58)], sides=4, smooth=False).at(yaw=45.0).scaled(1.25, 1.0, 0.85)
    inner = lathe([(0.49, 0.58), (0.29, 0.31)], sides=4, smooth=False).at(yaw=45.0).scaled(1.25, 1.0, 0.85)
    bars = [box(1.5, 0.045, 0.045).tilted(about_z=-6).at(x=0.1, up=0.3, z=s * 0.24) for s in (-1, 1)]
    bars += [box(0.045, 0.32, 0.045).at(x=0.34, z=s * 0.24) for s in (-1, 1)]
    wheel = cylinder(0.18, 0.07, sides=18).tilted(about_x=90).at(x=-0.6, up=0.18, z=-0.035)
    shapes: list[Shape] = [
        (merge([tray, inner]), paint),
        (box(0.62, 0.02, 0.42).at(up=0.46), Material("soil", tile_m=1.0)),
        (merge(bars), wood),
        (wheel, Material("black metal", tile_m=1.0)),
    ]
    b.add("wheelbarrow", shapes, at=at, yaw=yaw, movable=True)
