"""Exhibits and reading-room furniture: plinths, statues, showcases, a skeleton, globes, ladders, reading lamps.

Conventions: authoring frame; every function adds parts at (x, up, z), the front facing the camera (-z) at yaw 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cone, cylinder, lathe, merge, prism, sphere
from revisit_metric.controls.parts import kitchenware as kit
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def plinth(b: SceneBuilder, at: Vec3, stone: Material, *, width: float = 0.6, height: float = 1.0) -> None:
    """A square plinth with foot and top slab."""
    shapes: list[Shape] = [
        (box(width + 0.1, 0.1, width + 0.1), stone),
        (box(width - 0.04, height - 0.16, width - 0.04).at(up=0.1), stone),
        (box(width + 0.06, 0.06, width + 0.06).at(up=height - 0.06), stone),
    ]
    b.add("plinth", shapes, at=at)


def bust(b: SceneBuilder, at: Vec3, stone: Material, *, size: float = 1.0) -> None:
    """Head and shoulders on a small socle."""
    s = size
    socle = lathe([(0.0, 0.0), (0.11 * s, 0.0), (0.11 * s, 0.03 * s), (0.06 * s, 0.06 * s), (0.07 * s, 0.16 * s)])
    chest = lathe(
        [(0.0, 0.12 * s), (0.13 * s, 0.16 * s), (0.23 * s, 0.3 * s), (0.2 * s, 0.37 * s), (0.07 * s, 0.44 * s)],
        sides=20,
    ).scaled(z=0.62)
    neck = cylinder(0.065 * s, 0.14 * s, sides=12).at(up=0.4 * s)
    head = sphere(0.11 * s, sides=16, rings=11).scaled(x=0.82, up=1.25).at(up=0.62 * s)
    nose = cone(0.028 * s, 0.07 * s, sides=8).tilted(about_x=-25).at(up=0.58 * s, z=-0.1 * s)
    hair = sphere(0.116 * s, sides=14, rings=9).scaled(x=0.86, up=1.05).at(up=0.66 * s, z=0.025 * s)
    b.add("bust", [(merge([socle, chest, neck, head, nose, hair]), stone)], at=at, movable=True)


def statue(b: SceneBuilder, at: Vec3, yaw: float, stone: Material, *, height: float = 1.8) -> None:
    """A draped standing figure, one arm raised or both down."""
    s = height / 1.8
    robe = lathe([(0.0, 0.0), (0.27, 0.0), (0.2, 0.35), (0.17, 0.8), (0.2, 0.98), (0.14, 1.12)], sides=18).scaled(z=0.8)
    folds = [
        cylinder(0.045, 0.95, sides=8, top=0.02).at(x=0.2 * np.sin(a), z=0.16 * np.cos(a))
        for a in np.linspace(0, 5.6, 9)
    ]
    torso = lathe([(0.14, 1.08), (0.2, 1.3), (0.21, 1.42), (0.08, 1.5), (0.055, 1.6)], sides=18).scaled(z=0.62)
    head = sphere(0.1, sides=14, rings=9).scaled(x=0.85, up=1.2).at(up=1.68)
    hair = sphere(0.107, sides=12, rings=7).scaled(x=0.88, up=1.0).at(up=1.72, z=0.03)
    raised = bool(b.rng.random() < 0.5)
    right_arm = cylinder(0.055, 0.56, sides=10, top=0.04).tilted(about_x=-20, about_z=28 if raised else 168)
    left_arm = cylinder(0.055, 0.56, sides=10, top=0.04).tilted(about_x=-12, about_z=-168)
    whole = merge([robe, *folds, torso, head, hair, right_arm.at(x=0.2, up=1.4), left_arm.at(x=-0.2, up=1.4)])
    b.add("statue", [(whole.scaled(s, s, s), stone)], at=at, yaw=yaw, movable=True)


def amphora(b: SceneBuilder, at: Vec3, clay: Material, band: Material, *, height: float = 0.6) -> None:
    """A bellied jar with two handles and a painted band."""
    h = height
    profile = [(0.0, 0.0), (0.1, 0.0), (0.08, 0.06), (0.26, 0.5), (0.25, 0.64), (0.09, 0.8), (0.08, 0.92), (0.13, 1.0)]
    body = lathe([(r * h, u * h) for r, u in profile], sides=20)
    ring = lathe([(0.245 * h, 0.44 * h), (0.266 * h, 0.5 * h), (0.262 * h, 0.6 * h)], sides=20)
    handles = [
        box(0.03 * h, 0.34 * h, 0.05 * h).tilted(about_z=s * 22).at(x=s * 0.13 * h, up=0.62 * h) for s in (-1, 1)
    ]
    handles += [box(0.16 * h, 0.03 * h, 0.05 * h).at(x=s * 0.16 * h, up=0.92 * h) for s in (-1, 1)]
    b.add("amphora", [(merge([body, *handles]), clay), (ring, band)], at=at, movable=True)


def showcase(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, metal: Material, *, width: float = 1.2) -> None:
    """A cabinet with a slim metal frame above it (its panes are clear); what it shows is parts of its own."""
    w, d, low, high = width, 0.6, 0.85, 1.55
    posts = [box(0.025, high - low, 0.025).at(x=sx * w / 2, up=low, z=sz * d / 2) for sx in (-1, 1) for sz in (-1, 1)]
    rails = [box(w, 0.03, 0.03).at(up=high - 0.03, z=sz * d / 2) for sz in (-1, 1)]
    rails += [box(0.03, 0.03, d).at(x=sx * w / 2, up=high - 0.03) for sx in (-1, 1)]
    felt = tinted("wool", b.rng, among=("crimson", "navy", "forest green", "charcoal"))
    shapes: list[Shape] = [
        (box(w, low - 0.02, d), wood),
        (box(w + 0.04, 0.08, d + 0.04), wood),
        (box(w - 0.03, 0.02, d - 0.03).at(up=low - 0.02), felt),
        (merge(posts + rails), metal),
    ]
    b.add("showcase", shapes, at=at, yaw=yaw)
    a = np.radians(yaw)
    for dx in np.linspace(-w / 2 + 0.2, w / 2 - 0.2, max(round(w / 0.35), 2)):
        place = (at[0] + float(dx * np.cos(a)), at[1] + low, at[2] - float(dx * np.sin(a)))
        _relic(b, place)


def _relic(b: SceneBuilder, at: Vec3) -> None:
    """One small find."""
    clay = tinted("stucco", b.rng, among=("terracotta", "ochre", "sand", "brown"), noun="clay")
    kind = b.one_of("jug", "amphora", "bust", "plate", "gem")
    if kind == "jug":
        kit.jug(b, at, clay, size=1.3)
    elif kind == "amphora":
        amphora(b, at, clay, Material("paint", (0.08, 0.06, 0.05), words="black glaze"), height=0.38)
    elif kind == "bust":
        bust(b, at, b.material("marble", "dark marble", "brass", tile_m=1.0), size=0.55)
    elif kind == "plate":
        kit.plate(b, at, clay)
    else:
        stone = cone(0.09, 0.12, sides=6)
        gem = merge([stone, stone.scaled(up=1.4).at(x=0.1, up=0.0, z=0.04), stone.scaled(0.7, 2.0, 0.7).at(x=-0.07)])
        b.add("crystal", [(gem, tinted("paint", b.rng, noun="crystal"))], at=at, movable=True)


def rope_barrier(b: SceneBuilder, start: tuple[float, float], *, count: int, step: float = 1.2) -> None:
    """Brass posts along x with a hanging rope between them."""
    metal = Material("brass", tile_m=1.0)
    rope = tinted("wool", b.rng, among=("crimson", "navy", "forest green", "plum"), noun="cord")
    post = merge([cylinder(0.15, 0.03, sides=16), cylinder(0.022, 0.92, sides=8), sphere(0.045, sides=10).at(up=0.94)])
    t = np.linspace(0, 1, 9)
    sag = 0.82 - 0.22 * 4 * t * (1 - t)
    pieces = []
    for i in range(8):
        rise, run = float(sag[i + 1] - sag[i]), step / 8
        tilt = float(np.degrees(np.arctan2(rise, run)))
        link = box(float(np.hypot(rise, run)) + 0.012, 0.032, 0.032, centred=True).tilted(about_z=-tilt)
        pieces.append(link.at(x=(t[i] + 0.5 / 8) * step, up=float(sag[i] + sag[i + 1]) / 2))
    for i in range(count):
        at = (start[0] + i * step, 0.0, start[1])
        b.add("barrier post", [(post, metal)], at=at)
        if i + 1 < count:
            b.add("rope", [(merge(pieces), rope)], at=at)


def skeleton(b: SceneBuilder, at: Vec3, yaw: float, bone: Material) -> None:
    """A long-necked dinosaur skeleton, about 5 m long, its head towards -x at yaw 0."""
    t = np.linspace(0, 1, 34)
    x = -2.4 + 4.9 * t
    up = (
        1.15
        + 0.25 * np.sin(np.pi * np.clip((t - 0.25) / 0.5, 0, 1))
        + 1.0 * np.clip(0.3 - t, 0, 1) ** 1.3 / 0.3**1.3 * 0.8
    )
    up = up - 0.85 * np.clip(t - 0.68, 0, 1) ** 1.2 / 0.32**1.2
    spine = [
        sphere(0.065 * (1 - 0.6 * abs(s - 0.45)), sides=8, rings=5).at(a, h) for s, a, h in zip(t, x, up, strict=True)
    ]
    spine += [box(0.03, 0.13, 0.02).at(float(a), float(h)) for a, h in zip(x[3:26], up[3:26], strict=True)]
    for i in range(len(t) - 1):
        run, rise = float(x[i + 1] - x[i]), float(up[i + 1] - up[i])
        link = box(float(np.hypot(run, rise)), 0.045, 0.045, centred=True)
        link = link.tilted(about_z=-float(np.degrees(np.arctan2(rise, run))))
        spine.append(link.at(float(x[i]) + run / 2, float(up[i]) + rise / 2))
    b.add("dinosaur skeleton", [(merge(spine), bone)], at=at, yaw=yaw, landmark=True)
    ribs = [
        _rib(0.42 * np.sin(np.pi * (i + 1.2) / 9)).at(float(a), float(h))
        for i, (a, h) in enumerate(zip(x[11:19], up[11:19], strict=True))
    ]
    b.add("rib cage", [(merge(ribs), bone)], at=at, yaw=yaw)
    for hip in (11, 20):
        leg = []
        for side in (-1, 1):
            thigh = cylinder(0.05, 0.62, sides=8, top=0.04).tilted(about_x=side * 8, about_z=12)
            shin = cylinder(0.04, 0.66, sides=8, top=0.045).tilted(about_z=-10)
            leg += [shin.at(float(x[hip]) + 0.08, 0.0, side * 0.3), thigh.at(float(x[hip]) - 0.02, 0.62, side * 0.3)]
            leg.append(sphere(0.09, sides=8, rings=5).scaled(x=1.5, up=0.6).at(float(x[hip]) + 0.02, 0.05, side * 0.3))
            leg.append(sphere(0.06, sides=8, rings=5).at(float(x[hip]) - 0.02, 0.63, side * 0.3))
        b.add("leg bones", [(merge(leg), bone)], at=at, yaw=yaw)
    skull = [sphere(0.13, sides=12, rings=7).scaled(x=1.5, up=0.8).at(float(x[0]) - 0.12, float(up[0]) + 0.05)]
    skull.append(box(0.28, 0.04, 0.12).tilted(about_z=14).at(float(x[0]) - 0.22, float(up[0]) - 0.1))
    b.add("skull", [(merge(skull), bone)], at=at, yaw=yaw)


def _rib(reach: float) -> Mesh:
    """Two arcs that hang from the spine."""
    links = []
    for side in (-1, 1):
        for i in range(6):
            a, c = np.pi * i / 7, np.pi * (i + 1) / 7
            p = np.array([side * reach * 0.75 * np.sin(a), reach * (np.cos(a) - 1)])
            q = np.array([side * reach * 0.75 * np.sin(c), reach * (np.cos(c) - 1)])
            length, lean = float(np.hypot(*(q - p))), float(np.degrees(np.arctan2(q[0] - p[0], q[1] - p[1])))
            link = box(0.035, length * 1.1, 0.03, centred=True).tilted(about_x=lean)
            links.append(link.at(up=float(p[1] + q[1]) / 2, z=float(p[0] + q[0]) / 2))
    return merge(links)


def globe(b: SceneBuilder, at: Vec3, wood: Material, *, radius: float = 0.24, stand: float = 0.75) -> None:
    """A globe in a wooden stand."""
    sides = 24
    ball = sphere(radius, sides=sides, rings=13)
    around = np.tile(np.linspace(0, 1, sides + 1), len(ball.positions) // (sides + 1))
    uvs = np.stack([around, 0.5 - 0.47 * ball.positions[:, 1] / radius], axis=1)
    ball = replace(ball, uvs=uvs, metric=False).tilted(about_z=18).at(up=stand)
    foot = lathe([(0.0, 0.0), (0.24, 0.0), (0.22, 0.04), (0.05, 0.1), (0.04, stand - radius)], sides=16)
    ring = lathe([(radius + 0.015, stand - 0.02), (radius + 0.06, stand), (radius + 0.015, stand + 0.02)], sides=24)
    earth = Material("world map", variant=int(b.rng.integers(4)), words="printed map")
    b.add("globe", [(ball, earth), (foot, wood), (ring, wood)], at=at, movable=True)


def ladder(b: SceneBuilder, at: Vec3, wood: Material, *, height: float = 2.5, lean: float = 12.0) -> None:
    """A ladder that leans against something behind it."""
    rails = [box(0.04, height, 0.07).at(x=s * 0.22) for s in (-1, 1)]
    rungs = [box(0.42, 0.03, 0.05).at(up=float(h)) for h in np.arange(0.25, height - 0.1, 0.28)]
    b.add("ladder", [(merge(rails + rungs).tilted(about_x=lean), wood)], at=at, movable=True)


def reading_lamp(b: SceneBuilder, at: Vec3, yaw: float, metal: Material, shade: Material) -> None:
    """A desk lamp with a long glass shade."""
    lit = replace(shade, emit=1.1)
    hood = prism([(-0.09, 0.0), (0.09, 0.0), (0.05, 0.08), (-0.05, 0.08)], 0.34).at(z=-0.17).at(yaw=90.0)
    shapes: list[Shape] = [
        (lathe([(0.0, 0.0), (0.1, 0.0), (0.09, 0.03), (0.016, 0.05), (0.016, 0.36)], sides=14), metal),
        (hood.at(up=0.33), lit),
    ]
    b.add("reading lamp", shapes, at=at, yaw=yaw, movable=True)


def balustrade(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, metal: Material, *, width: float) -> None:
    """A railing of one panel's width, rail at one metre."""
    bars = [box(0.03, 0.92, 0.03).at(x=float(x)) for x in np.arange(-width / 2 + 0.09, width / 2, 0.185)]
    rails = [box(width, 0.06, 0.09).at(up=0.94), box(width, 0.04, 0.06).at(up=0.06)]
    b.add("balustrade", [(merge(bars), metal), (merge(rails), wood)], at=at, yaw=yaw, joined=True)


def drawer_cabinet(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, knob: Material, *, rows: int = 5) -> None:
    """A card catalogue: a grid of small drawers with pulls."""
    w, d, step = 1.2, 0.5, 0.2
    height = 0.15 + rows * step
    shapes: list[Shape] = [(box(w, height, d), wood), (box(w + 0.06, 0.04, d + 0.06).at(up=height), wood)]
    fronts, pulls = [], []
    for i in range(5):
        for j in range(rows):
            x, up = -w / 2 + (i + 0.5) * w / 5, 0.12 + j * step
            fronts.append(box(w / 5 - 0.02, step - 0.02, 0.02).at(x=x, up=up, z=-d / 2 - 0.01))
            pulls.append(box(0.06, 0.02, 0.03).at(x=x, up=up + 0.07, z=-d / 2 - 0.03))
    shapes += [(merge(fronts), replace(wood, tint=(0.82, 0.82, 0.82))), (merge(pulls), knob)]
    b.add("card catalogue", shapes, at=at, yaw=yaw)
