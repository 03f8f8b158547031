"""Fittings of workshops: benches, tool boards, machines, racks of timber, tyres, bicycles.

Conventions: authoring frame; every function adds parts at (x, up, z), the front facing the camera (-z) at yaw 0.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cone, cylinder, lathe, merge
from revisit_metric.controls.parts.furniture import legs
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def workbench(b: SceneBuilder, at: Vec3, wood: Material, metal: Material, *, width: float = 1.8) -> None:
    """A heavy bench with a shelf, drawers and a vice."""
    shapes: list[Shape] = [
        (box(width, 0.08, 0.7).at(up=0.8), wood),
        (legs(width - 0.1, 0.6, 0.8, thick=0.1), wood),
        (box(width - 0.14, 0.04, 0.5).at(up=0.2), wood),
        (box(0.5, 0.3, 0.6).at(x=width * 0.25, up=0.5), wood),
    ]
    fronts = [box(0.46, 0.12, 0.02).at(x=width * 0.25, up=0.51 + 0.15 * i, z=-0.31) for i in range(2)]
    pulls = [box(0.12, 0.02, 0.03).at(x=width * 0.25, up=0.57 + 0.15 * i, z=-0.33) for i in range(2)]
    vice = [box(0.14, 0.14, 0.08).at(x=-width * 0.32, up=0.86, z=z) for z in (-0.36, -0.22)]
    vice += [
        box(0.05, 0.05, 0.3).at(x=-width * 0.32, up=0.9, z=-0.3),
        box(0.2, 0.02, 0.02).at(x=-width * 0.32, up=0.91, z=-0.46),
    ]
    shapes += [(merge(fronts), wood), (merge(pulls + vice), metal)]
    b.add("workbench", shapes, at=at, landmark=True)


def _tool(kind: int, rng: np.random.Generator) -> tuple[list[Mesh], list[Mesh]]:
    """Metal and handle meshes of a tool that hangs from (0, 0), about 0.3 m long, flat against a wall."""
    size = float(rng.uniform(0.85, 1.15))
    if kind == 0:
        head = [box(0.16, 0.045, 0.045).at(up=-0.06)]
        return head, [box(0.03, 0.3, 0.03).at(up=-0.34 * size)]
    if kind == 1:
        blade = [box(0.07, 0.3, 0.006).at(up=-0.32 * size, x=0.02).tilted(about_z=4)]
        return blade, [box(0.1, 0.12, 0.03).at(up=-0.08)]
    if kind == 2:
        return [box(0.015, 0.16, 0.015).at(up=-0.3)], [cylinder(0.018, 0.13, sides=8).at(up=-0.14)]
    if kind == 3:
        jaw = [
            box(0.09, 0.05, 0.02).at(up=-0.05),
            box(0.035, 0.26, 0.018).at(up=-0.3),
            box(0.07, 0.04, 0.02).at(up=-0.34),
        ]
        return jaw, []
    if kind == 4:
        arms = [box(0.022, 0.2, 0.02).tilted(about_z=s * 8).at(x=s * 0.012, up=-0.3) for s in (-1, 1)]
        return [box(0.05, 0.09, 0.02).at(up=-0.1)], arms
    disc = [cylinder(0.1 * size, 0.012, sides=18).tilted(about_x=-90).at(up=-0.12)]
    return disc, []


def tool_board(b: SceneBuilder, at: Vec3, board: Material, *, size: tuple[float, float] = (1.7, 1.0)) -> None:
    """A board on the wall with two rows of hanging tools, each a part; `at` is the middle of its lower edge."""
    w, h = size
    b.add("tool board", [(box(w, h, 0.03), board)], at=at)
    metal = Material("steel", (0.8, 0.8, 0.8), 1.0)
    grip = tinted("paint", b.rng, among=("crimson", "mustard", "navy", "forest green", "ochre"), noun="handles")
    for up in (h - 0.06, h - 0.54):
        for x in np.arange(-w / 2 + 0.14, w / 2 - 0.06, 0.2):
            steel, handle = _tool(int(b.rng.integers(6)), b.rng)
            shapes: list[Shape] = [(merge(m), t) for m, t in ((steel, metal), (handle, grip)) if m]
            b.add("tool", shapes, at=(at[0] + float(x), at[1] + up, at[2] - 0.045), movable=True)


def drill_press(b: SceneBuilder, at: Vec3, colour: Material, metal: Material) -> None:
    """A pillar drill on its own foot."""
    shapes: list[Shape] = [
        (merge([box(0.45, 0.06, 0.5), box(0.4, 0.04, 0.36).at(up=0.95, z=-0.06)]), metal),
        (cylinder(0.045, 1.7, sides=12).at(z=0.14), metal),
        (merge([box(0.28, 0.34, 0.6).at(up=1.35), cylinder(0.11, 0.3, sides=12).at(up=1.5, z=0.32)]), colour),
        (
            merge(
                [cylinder(0.035, 0.18, sides=10).at(up=1.18, z=-0.16), cone(0.012, 0.1, sides=6).at(up=1.09, z=-0.16)]
            ),
            metal,
        ),
    ]
    spokes = [box(0.02, 0.26, 0.02).tilted(about_x=a).at(x=0.17, up=1.42, z=-0.1) for a in (20, 140, 260)]
    shapes.append((merge(spokes), metal))
    b.add("drill press", shapes, at=at, landmark=True)


def table_saw(b: SceneBuilder, at: Vec3, yaw: float, colour: Material, metal: Material) -> None:
    """A table saw with half a blade showing."""
    shapes: list[Shape] = [
        (box(0.7, 0.72, 0.6).at(up=0.08), colour),
        (box(0.6, 0.08, 0.5), Material("black metal")),
        (box(1.1, 0.05, 0.8).at(up=0.8), metal),
        (cylinder(0.17, 0.008, sides=24).tilted(about_z=90).at(up=0.84), metal),
        (box(0.04, 0.07, 0.8).at(x=0.3, up=0.85), metal),
        (cylinder(0.1, 0.03, sides=16).tilted(about_x=-90).at(x=-0.15, up=0.45, z=-0.3), Material("black metal")),
    ]
    b.add("table saw", shapes, at=at, yaw=yaw, landmark=True)


def timber_rack(b: SceneBuilder, at: Vec3, yaw: float, metal: Material) -> None:
    """Uprights with arms; each layer of boards is a part."""
    arms = [box(0.08, 2.1, 0.08).at(x=s * 0.85, z=0.25) for s in (-1, 1)]
    arms += [box(0.06, 0.05, 0.5).at(x=s * 0.85, up=u) for s in (-1, 1) for u in (0.4, 0.95, 1.5)]
    b.add("timber rack", [(merge(arms), metal)], at=at, yaw=yaw)
    for up in (0.45, 1.0, 1.55):
        wood = b.material("pine", "oak", "walnut", "grey planks", tile_m=1.4)
        boards = []
        for i in range(4):
            for j in range(int(b.rng.integers(1, 4))):
                length = float(b.rng.uniform(1.9, 2.5))
                boards.append(
                    box(length, 0.05, 0.1).at(x=float(b.rng.uniform(-0.1, 0.1)), up=0.055 * j, z=-0.15 + 0.115 * i)
                )
        b.add("boards", [(merge(boards), wood)], at=(at[0], at[1] + up, at[2]), yaw=yaw, movable=True)


def tyre_stack(b: SceneBuilder, at: Vec3, *, count: int = 4) -> None:
    """Tyres lying on each other."""
    turn = np.linspace(0, 2 * np.pi, 11)
    ring = lathe([(0.24 + 0.1 * float(np.sin(a)), 0.1 - 0.1 * float(np.cos(a))) for a in turn], sides=20)
    rubber = Material("leather", (0.14, 0.16, 0.2), 0.7, words="black rubber")
    for i in range(count):
        place = (at[0] + float(b.rng.normal(0, 0.015)), at[1] + 0.195 * i, at[2] + float(b.rng.normal(0, 0.015)))
        b.add("tyre", [(ring, rubber)], at=place, movable=i == count - 1)


def bicycle(b: SceneBuilder, at: Vec3, yaw: float, paint: Material) -> None:
    """A bicycle seen from its side at yaw 0, standing upright."""
    dark, metal = Material("black metal", tile_m=1.0), Material("steel", tile_m=1.0)
    turn = np.linspace(0, 2 * np.pi, 7)
    tyre = lathe([(0.33 + 0.02 * float(np.sin(a)), -0.02 * float(np.cos(a))) for a in turn], sides=26)
    wheels, spokes = [], []
    for x in (-0.52, 0.52):
        wheels.append(tyre.tilted(about_x=90).at(x, 0.35))
        for a in np.arange(0, 180, 22.5):
            spokes.append(box(0.005, 0.62, 0.005, centred=True).tilted(about_z=float(a)).at(x, 0.35))
    joints = {
        "rear": (0.52, 0.35),
        "crank": (0.06, 0.32),
        "seat": (0.2, 0.78),
        "head": (-0.34, 0.8),
        "fork": (-0.52, 0.35),
    }
    pairs = (
        ("rear", "crank"),
        ("rear", "seat"),
        ("crank", "seat"),
        ("seat", "head"),
        ("crank", "head"),
        ("head", "fork"),
    )
    tubes = [_tube(joints[p], joints[q]) for p, q in pairs]
    rest = [_tube((0.2, 0.78), (0.23, 0.92)), box(0.26, 0.05, 0.14).at(x=0.24, up=0.92)]
    rest += [_tube((-0.34, 0.8), (-0.36, 0.98)), box(0.05, 0.03, 0.5).at(x=-0.38, up=0.97)]
    rest += [box(0.03, 0.03, 0.34).at(x=0.06, up=0.2), cylinder(0.09, 0.02, sides=14).tilted(about_x=90).at(0.06, 0.32)]
    shapes: list[Shape] = [(merge(tubes), paint), (merge(wheels + rest), dark), (merge(spokes), metal)]
    b.add("bicycle", shapes, at=at, yaw=yaw, movable=True, landmark=True)


def _tube(p: tuple[float, float], q: tuple[float, float]) -> Mesh:
    run, rise = q[0] - p[0], q[1] - p[1]
    lean = float(np.degrees(np.arctan2(run, rise)))
    return box(0.032, float(np.hypot(run, rise)), 0.032).tilted(about_z=lean).at(*p)


def paint_tins(b: SceneBuilder, at: Vec3, *, width: float) -> None:
    """A row of tins, some stacked, each with its colour on lid and band."""
    metal = Material("steel", tile_m=1.0)
    x = -width / 2 + 0.1
    while x < width / 2 - 0.06:
        h, r = float(b.rng.uniform(0.13, 0.24)), float(b.rng.uniform(0.06, 0.1))
        colour = tinted("paint", b.rng, noun="paint")
        shapes: list[Shape] = [
            (cylinder(r, h, sides=14), metal),
            (lathe([(r + 0.002, h * 0.2), (r + 0.002, h * 0.8)], sides=14), colour),
            (cylinder(r * 0.8, 0.008, sides=14).at(up=h), colour),
        ]
        b.add("paint tin", shapes, at=(at[0] + x, at[1], at[2]), movable=True)
        x += 2 * r + float(b.rng.uniform(0.01, 0.12))


def rolling_chest(b: SceneBuilder, at: Vec3, yaw: float, colour: Material) -> None:
    """A tool chest on castors with drawers."""
    dark = Material("black metal", tile_m=1.0)
    shapes: list[Shape] = [(box(0.72, 0.82, 0.46).at(up=0.12), colour), (box(0.74, 0.03, 0.48).at(up=0.94), dark)]
    for i in range(6):
        h = 0.1 if i > 1 else 0.17
        up = 0.14 + (0.19 * i if i < 2 else 0.38 + 0.115 * (i - 2))
        shapes.append((box(0.66, h - 0.01, 0.02).at(up=up, z=-0.235), colour))
        shapes.append((box(0.6, 0.015, 0.02).at(up=up + h - 0.035, z=-0.25), dark))
    castors = [
        cylinder(0.06, 0.04, sides=10).tilted(about_z=90).at(x=sx * 0.3, up=0.06, z=sz * 0.17)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    shapes.append((merge(castors), dark))
    b.add("tool chest", shapes, at=at, yaw=yaw)


def sawhorses(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, board: Material) -> None:
    """Two trestles with boards across; below a metre."""
    trestle = [box(0.08, 0.1, 0.8).at(up=0.62)]
    trestle += [
        box(0.06, 0.66, 0.06).tilted(about_z=sx * 12).at(x=-sx * 0.14, z=sz * 0.3) for sx in (-1, 1) for sz in (-1, 1)
    ]
    shapes: list[Shape] = [(merge([m.at(x=s * 0.55) for s in (-1, 1) for m in trestle]), wood)]
    b.add("sawhorse", shapes, at=at, yaw=yaw)
    for i in range(3):
        size = float(b.rng.uniform(1.5, 2.0)), float(b.rng.uniform(0.12, 0.22))
        plank = box(size[0], 0.035, size[1])
        place = (at[0] + float(b.rng.uniform(-0.1, 0.1)), at[1] + 0.72, at[2] - 0.25 + 0.25 * i)
        b.add("plank", [(plank, board)], at=place, yaw=yaw + float(b.rng.uniform(-6, 6)), movable=True)


def roller_door(
    b: SceneBuilder, at: Vec3, yaw: float, colour: Material, frame: Material, *, width: float = 2.6
) -> None:
    """A ribbed steel door in its guides, closed, on the wall behind `at`."""
    slats = [box(width, 0.17, 0.03 + 0.02 * (i % 2)).at(up=0.18 * i, z=-0.02) for i in range(14)]
    guides = [box(0.12, 2.6, 0.12).at(x=s * (width / 2 + 0.06), z=-0.04) for s in (-1, 1)]
    guides.append(box(width + 0.3, 0.34, 0.32).at(up=2.5, z=-0.12))
    b.add("roller door", [(merge(slats), colour), (merge(guides), frame)], at=at, yaw=yaw, landmark=True)


def strip_light(b: SceneBuilder, at: Vec3, *, hang_up: float, lit: bool) -> None:
    """A hanging tube lamp along x; `at` is its middle."""
    glow = Material("paint", (1.0, 0.98, 0.92), emit=2.6, words="glowing tube")
    tray = Material("paint", (0.85, 0.85, 0.85), words="white metal")
    chains = merge([box(0.012, hang_up - at[1], 0.012).at(x=s * 0.5) for s in (-1, 1)])
    shapes: list[Shape] = [
        (box(1.3, 0.06, 0.18), tray),
        (cylinder(0.022, 1.2, sides=8).tilted(about_z=90).at(x=-0.6, up=-0.03), glow),
        (chains, Material("black metal")),
    ]
    b.add("strip light", shapes, at=at)
    if lit:
        b.lamp((at[0], at[1] - 0.2, at[2]), (0.75, 0.72, 0.62), 6.0)
