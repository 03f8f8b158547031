"""Fittings of cafes and shops: bars, coffee machines, shelves of goods, crates, tills, trolleys, ducts.

Conventions: authoring frame; every function adds parts at (x, up, z), the front facing the camera (-z) at yaw 0.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, lathe, merge, sphere
from revisit_metric.controls.parts import kitchenware as kit
from revisit_metric.controls.parts.furniture import legs
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def bar_unit(b: SceneBuilder, at: Vec3, body: Material, top: Material, *, width: float = 1.2) -> None:
    """One stretch of a bar: a panelled front, a thick top, a foot rail."""
    shapes: list[Shape] = [
        (box(width, 1.0, 0.6), body),
        (box(width, 0.06, 0.78).at(up=1.0, z=-0.04), top),
        (box(width, 0.1, 0.5).at(z=-0.06), Material("black metal")),
        (cylinder(0.02, width, sides=8).tilted(about_z=90).at(x=-width / 2, up=0.2, z=-0.42), Material("brass")),
    ]
    for x in np.arange(-width / 2 + 0.2, width / 2, 0.4):
        shapes.append((box(0.34, 0.7, 0.02).at(x=float(x), up=0.18, z=-0.31), body))
    b.add("bar counter", shapes, at=at, landmark=True)


def coffee_machine(b: SceneBuilder, at: Vec3, metal: Material, colour: Material) -> None:
    """An espresso machine with two groups, a drip tray and cups on top."""
    shapes: list[Shape] = [
        (box(0.8, 0.06, 0.46), metal),
        (box(0.8, 0.42, 0.24).at(up=0.06, z=0.11), colour),
        (box(0.84, 0.14, 0.46).at(up=0.36), metal),
        (box(0.72, 0.02, 0.2).at(up=0.06, z=-0.12), Material("black metal")),
    ]
    for x in (-0.2, 0.2):
        group = [cylinder(0.05, 0.08, sides=12).at(x=x, up=0.28, z=-0.1), box(0.03, 0.03, 0.2).at(x=x, up=0.26, z=-0.2)]
        shapes.append((merge(group), Material("black metal")))
    cups = [
        cylinder(0.035, 0.06, sides=10, top=0.042).at(x=x, up=0.5, z=z)
        for x in np.arange(-0.32, 0.35, 0.1)
        for z in (-0.1, 0.02)
    ]
    shapes.append((merge(cups), tinted("paint", b.rng, among=("white", "cream"), noun="porcelain")))
    b.add("coffee machine", shapes, at=at, movable=True)


def cake_stand(b: SceneBuilder, at: Vec3) -> None:
    """A cake on a footed plate."""
    glaze = tinted("paint", b.rng, among=("white", "sky blue", "rose", "sage green"), noun="porcelain")
    cake = tinted("stucco", b.rng, among=("brown", "cream", "rose", "mustard", "ochre"), noun="cake")
    icing = tinted("paint", b.rng, among=("white", "rose", "brown", "crimson"), noun="icing")
    cherries = [
        sphere(0.02, sides=8, rings=5).at(0.1 * np.sin(a), 0.23, 0.1 * np.cos(a)) for a in np.arange(0, 6.2, 0.8)
    ]
    shapes: list[Shape] = [
        (
            lathe([(0.0, 0.0), (0.08, 0.0), (0.02, 0.03), (0.02, 0.1), (0.17, 0.115), (0.17, 0.125), (0.0, 0.125)]),
            glaze,
        ),
        (cylinder(0.135, 0.085, sides=20).at(up=0.12), cake),
        (cylinder(0.138, 0.02, sides=20).at(up=0.2), icing),
        (merge(cherries), tinted("paint", b.rng, among=("crimson", "plum", "brown"), noun="fruit")),
    ]
    b.add("cake", shapes, at=at, movable=True)


def bottles(b: SceneBuilder, at: Vec3, *, width: float) -> None:
    """A row of bottles along x, each a part."""
    x = -width / 2 + 0.06
    while x < width / 2 - 0.04:
        h = float(b.rng.uniform(0.24, 0.34))
        r = float(b.rng.uniform(0.032, 0.045))
        glass = tinted("paint", b.rng, noun="glass")
        body = lathe([(0.0, 0.0), (r, 0.0), (r, h * 0.6), (r * 0.35, h * 0.78), (r * 0.35, h), (0.0, h)], sides=12)
        label = tinted("paint", b.rng, among=("cream", "white", "mustard", "crimson"), noun="paper")
        band = lathe([(r + 0.002, h * 0.2), (r + 0.002, h * 0.45)], sides=12)
        b.add("bottle", [(body, glass), (band, label)], at=(at[0] + x, at[1], at[2]), movable=True)
        x += 2 * r + float(b.rng.uniform(0.015, 0.07))


def board(b: SceneBuilder, at: Vec3, yaw: float, frame: Material, *, size: tuple[float, float], texture: str) -> None:
    """A framed board (chalkboard, map, pinboard); `at` is its middle, on the wall."""
    w, h = size
    picture = Material(texture, variant=int(b.rng.integers(8)))
    bars = [box(w + 0.1, 0.05, 0.04).at(up=s * (h / 2 + 0.025) - 0.025) for s in (-1, 1)]
    bars += [box(0.05, h, 0.04).at(x=s * (w / 2 + 0.025), up=-h / 2) for s in (-1, 1)]
    shapes: list[Shape] = [(box(w, h, 0.02, centred=True, metric=False), picture), (merge(bars), frame)]
    b.add(texture if texture != "world map" else "map", shapes, at=at, yaw=yaw, movable=True)


def booth(b: SceneBuilder, at: Vec3, yaw: float, cloth: Material, wood: Material, *, width: float = 1.3) -> None:
    """An upholstered bench with a high back."""
    shapes: list[Shape] = [
        (box(width, 0.34, 0.5), wood),
        (box(width - 0.02, 0.13, 0.52).at(up=0.34), cloth),
        (box(width, 1.05, 0.12).at(z=0.3), wood),
    ]
    count = max(round(width / 0.3), 2)
    for i in range(count):
        x = (i + 0.5) * width / count - width / 2
        shapes.append((box(width / count - 0.02, 0.55, 0.12).tilted(about_x=6).at(x=x, up=0.48, z=0.2), cloth))
    b.add("booth", shapes, at=at, yaw=yaw, landmark=True)


def duct(
    b: SceneBuilder, x: tuple[float, float], z: float, up: float, metal: Material, *, radius: float = 0.19
) -> None:
    """A round ventilation duct along x, in pieces with collars, hung from the ceiling above."""
    step = 1.9
    for start in np.arange(x[0], x[1] - 0.01, step):
        pipe = [
            cylinder(radius, step, sides=16).tilted(about_z=90),
            cylinder(radius + 0.025, 0.06, sides=16).tilted(about_z=90),
        ]
        b.add("duct", [(merge(pipe), metal)], at=(float(start), up, z))


def goods_shelf(
    b: SceneBuilder, at: Vec3, yaw: float, metal: Material, *, width: float = 1.3, height: float = 1.9, levels: int = 5
) -> None:
    """A shop shelf; every level of goods is a part of its own."""
    gap, deep = (height - 0.15) / levels, 0.42
    frame = [box(0.04, height, deep).at(x=s * (width / 2 - 0.02)) for s in (-1, 1)]
    frame += [box(width - 0.08, 0.03, deep).at(up=0.12 + i * gap) for i in range(levels)]
    frame += [
        box(width, height, 0.02).at(z=deep / 2),
        box(width, 0.12, deep - 0.04),
        box(width, 0.03, deep).at(up=height),
    ]
    b.add("shelf", [(merge(frame), metal)], at=at, yaw=yaw, landmark=True)
    strip = tinted("paint", b.rng, among=("white", "mustard", "crimson", "sky blue"), noun="plastic")
    for i in range(levels):
        up = 0.15 + i * gap
        goods = Material(b.one_of("shop goods", "shop goods", "shop goods", "jars"), variant=int(b.rng.integers(9)))
        shapes = [kit.shelf_picture(width - 0.1, gap - 0.07, goods, up=up, z=-deep / 2 + 0.09)]
        shapes.append((box(width - 0.08, 0.045, 0.015).at(up=up - 0.035, z=-deep / 2 - 0.008), strip))
        b.add("groceries", shapes, at=at, yaw=yaw)


def cooler(b: SceneBuilder, at: Vec3, body: Material, *, width: float = 1.5, height: float = 2.05) -> None:
    """An open refrigerated shelf with a lit canopy."""
    lit = Material("paint", (0.9, 0.97, 1.0), emit=1.0, words="white plastic")
    side = [box(0.06, height, 0.75).at(x=s * (width / 2 - 0.03)) for s in (-1, 1)]
    shapes: list[Shape] = [
        (merge([*side, box(width, 0.42, 0.75), box(width, 0.05, 0.7).at(up=height)]), body),
        (box(width - 0.12, 0.18, 0.06).at(up=height - 0.2, z=-0.3), lit),
        (box(width - 0.12, height - 0.45, 0.04).at(up=0.4, z=0.33), lit),
    ]
    b.add("cooler", shapes, at=at, landmark=True)
    levels = 4
    gap = (height - 0.62) / levels
    for i in range(levels):
        up = 0.42 + i * gap
        goods = Material(b.one_of("shop goods", "jars"), variant=int(b.rng.integers(9)))
        front = kit.shelf_picture(width - 0.14, gap - 0.06, goods, up=up + 0.02, z=-0.2 + 0.08 * i)
        shelf = box(width - 0.12, 0.02, 0.5 - 0.08 * i).at(up=up, z=0.05 + 0.04 * i)
        b.add("groceries", [front, (shelf, Material("steel", tile_m=1.0))], at=at)


def produce_stand(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, *, rows: int = 2) -> None:
    """A stepped wooden stand with crates of fruit and vegetables."""
    steps = [box(1.9, 0.42 + 0.24 * i, 0.55).at(z=0.58 * i) for i in range(rows)]
    b.add("produce stand", [(merge(steps), wood)], at=at, yaw=yaw, landmark=True)
    a = np.radians(yaw)
    for i in range(rows):
        for dx in (-0.7, -0.235, 0.235, 0.7):
            lx, lz = dx, 0.58 * i
            x, z = at[0] + lx * np.cos(a) + lz * np.sin(a), at[2] - lx * np.sin(a) + lz * np.cos(a)
            crate(b, (float(x), at[1] + 0.42 + 0.24 * i, float(z)), yaw, wood)


def crate(b: SceneBuilder, at: Vec3, yaw: float, wood: Material) -> None:
    """A slatted crate heaped with fruit, roots or leafy heads of one colour."""
    slats: list[Mesh] = [box(0.43, 0.05, 0.015).at(up=u, z=s * 0.25) for u in (0.02, 0.1) for s in (-1, 1)]
    slats += [box(0.015, 0.14, 0.5).at(x=s * 0.215) for s in (-1, 1)] + [box(0.43, 0.02, 0.5)]
    kind = b.one_of("round", "round", "long", "leafy")
    tones = {
        "round": ("crimson", "mustard", "ochre", "plum", "terracotta", "forest green", "rose"),
        "long": ("terracotta", "forest green", "mustard", "plum", "cream"),
        "leafy": ("forest green", "olive", "sage green", "plum"),
    }[kind]
    fruit = tinted("stucco" if kind == "leafy" else "paint", b.rng, among=tones, noun="fruit")
    radius = {"round": 0.05, "long": 0.03, "leafy": 0.075}[kind]
    ball = sphere(radius, sides=6, rings=5).scaled(z=3.4 if kind == "long" else 1.0)
    heap = []
    for x in np.linspace(-0.15, 0.15, 4 if kind == "round" else 3):
        for z in np.linspace(-0.18, 0.18, 4):
            up, turn = 0.11 + 0.05 * float(b.rng.random()), float(b.rng.uniform(-25, 25))
            heap.append(ball.at(float(x), up, float(z), yaw=turn))
    b.add("crate of produce", [(merge(slats), wood), (merge(heap), fruit)], at=at, yaw=yaw, movable=True)


def till(b: SceneBuilder, at: Vec3, yaw: float, body: Material) -> None:
    """A checkout desk with a belt, a screen and a divider."""
    dark, metal = Material("black metal", tile_m=1.0), Material("steel", tile_m=1.0)
    shapes: list[Shape] = [
        (box(1.9, 0.82, 0.6), body),
        (box(2.0, 0.05, 0.68).at(up=0.82), metal),
        (box(1.2, 0.012, 0.42).at(x=-0.3, up=0.87), dark),
        (box(0.05, 0.35, 0.05).at(x=0.7, up=0.87), dark),
        (box(0.36, 0.26, 0.04).at(x=0.7, up=1.2), dark),
        (box(0.32, 0.22, 0.01, metric=False).at(x=0.7, up=1.22, z=-0.026), Material("screen", emit=0.8)),
    ]
    b.add("checkout", shapes, at=at, yaw=yaw, landmark=True)


def trolley(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A shopping trolley: a wire basket on a frame with wheels."""
    metal = Material("steel", tile_m=1.0)
    grip = tinted("paint", b.rng, among=("crimson", "navy", "forest green", "mustard"), noun="plastic")
    wires: list[Mesh] = []
    for u in (0.5, 0.64, 0.78, 0.92):
        wires += [box(0.012, 0.012, 0.78).at(x=s * 0.26, up=u) for s in (-1, 1)]
        wires += [box(0.52, 0.012, 0.012).at(up=u, z=s * 0.39) for s in (-1, 1)]
    for z in np.linspace(-0.39, 0.39, 9):
        wires += [box(0.012, 0.42, 0.012).at(x=s * 0.26, up=0.5, z=float(z)) for s in (-1, 1)]
    for x in np.linspace(-0.26, 0.26, 7):
        wires += [box(0.012, 0.42, 0.012).at(x=float(x), up=0.5, z=s * 0.39) for s in (-1, 1)]
    wires += [box(0.52, 0.012, 0.78).at(up=0.49), box(0.5, 0.03, 0.8).at(up=0.14)]
    wires += [box(0.03, 0.85, 0.03).at(x=s * 0.24, up=0.12, z=0.4) for s in (-1, 1)]
    wheels = [
        cylinder(0.06, 0.03, sides=10).tilted(about_z=90).at(x=sx * 0.22, up=0.06, z=sz * 0.34)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    shapes: list[Shape] = [
        (merge(wires), metal),
        (merge(wheels), Material("black metal")),
        (box(0.56, 0.04, 0.04).at(up=0.96, z=0.46), grip),
    ]
    b.add("shopping trolley", shapes, at=at, yaw=yaw, movable=True)


def hanging_sign(b: SceneBuilder, at: Vec3, metal: Material, *, ceiling_up: float, width: float = 1.2) -> None:
    """A pictogram board on two rods; `at` is the middle of its lower edge."""
    sign = Material("shop sign", variant=int(b.rng.integers(12)))
    rods = [box(0.015, ceiling_up - at[1] - 0.4, 0.015).at(x=s * width * 0.4, up=0.4) for s in (-1, 1)]
    shapes: list[Shape] = [(box(width, 0.4, 0.04, metric=False), sign), (merge(rods), metal)]
    b.add("hanging sign", shapes, at=at)


def basket(b: SceneBuilder, at: Vec3, straw: Material) -> None:
    """A round basket filled with loaves."""
    crust = Material("stucco", (0.78, 0.46, 0.2), 0.6, words="bread")
    loaves = [
        sphere(0.075, sides=10, rings=6)
        .scaled(x=1.6)
        .at(x=float(x), up=0.24 + 0.04 * float(b.rng.random()), z=float(z), yaw=float(b.rng.uniform(0, 180)))
        for x in (-0.1, 0.1)
        for z in (-0.12, 0.0, 0.12)
    ]
    shapes: list[Shape] = [
        (lathe([(0.0, 0.0), (0.2, 0.0), (0.27, 0.24), (0.24, 0.24), (0.18, 0.05)], sides=18), straw),
        (merge(loaves), crust),
    ]
    b.add("bread basket", shapes, at=at, movable=True)


def side_table(b: SceneBuilder, at: Vec3, wood: Material, *, size: tuple[float, float] = (0.8, 0.7)) -> None:
    """A small square table that may be moved away."""
    w, d = size
    shapes: list[Shape] = [(legs(w - 0.08, d - 0.08, 0.71, thick=0.05), wood), (box(w, 0.035, d).at(up=0.71), wood)]
    b.add("table", shapes, at=at)
