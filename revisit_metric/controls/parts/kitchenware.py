"""Kitchens: cabinets, cooker, fridge, sink, dresser, and what stands on and hangs above them.

Conventions: authoring frame; every function adds parts at (x, up, z), the front facing the camera (-z) at
yaw 0. The depth of cabinets runs from z - 0.3 to z + 0.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, cylinder, lathe, merge, quad, sphere
from revisit_metric.controls.parts.furniture import facing_front
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


class KitchenLook(NamedTuple):
    """Materials shared by the cabinets of one kitchen."""

    body: Material
    top: Material
    knob: Material


def base_cabinet(b: SceneBuilder, at: Vec3, look: KitchenLook, *, width: float = 1.2, drawers: bool = False) -> None:
    """A floor cabinet with a worktop; doors or three drawers per 0.6 m."""
    shapes: list[Shape] = [
        (box(width, 0.78, 0.58).at(up=0.1), look.body),
        (box(width, 0.1, 0.5).at(z=0.04), Material("paint", (0.1, 0.1, 0.1), words="dark plinth")),
        (box(width, 0.04, 0.63).at(up=0.88, z=-0.015), look.top),
    ]
    count = max(round(width / 0.6), 1)
    fronts = ((0.12, 0.24), (0.38, 0.24), (0.64, 0.22)) if drawers else ((0.12, 0.52), (0.66, 0.2))
    for i in range(count):
        x, w = (i + 0.5) * width / count - width / 2, width / count - 0.025
        for up, height in fronts:
            shapes.append((box(w, height, 0.022).at(x=x, up=up, z=-0.3), look.body))
            shapes.append((box(0.14, 0.016, 0.025).at(x=x, up=up + height - 0.06, z=-0.325), look.knob))
    b.add("kitchen cabinet", shapes, at=at)


def wall_cupboard(b: SceneBuilder, at: Vec3, look: KitchenLook, *, width: float = 1.2, height: float = 0.7) -> None:
    """A hanging cupboard with doors, its back 0.17 m behind `at`."""
    shapes: list[Shape] = [(box(width, height, 0.32), look.body)]
    count = max(round(width / 0.6), 1)
    for i in range(count):
        x, w = (i + 0.5) * width / count - width / 2, width / count - 0.025
        shapes.append((box(w, height - 0.03, 0.022).at(x=x, up=0.015, z=-0.17), look.body))
        shapes.append((box(w - 0.14, height - 0.2, 0.012).at(x=x, up=0.1, z=-0.185), look.body))
        side = 1 if i % 2 == 0 else -1
        shapes.append((box(0.018, 0.13, 0.025).at(x=x + side * (w / 2 - 0.05), up=0.06, z=-0.195), look.knob))
    b.add("wall cupboard", shapes, at=at)


def cooker(b: SceneBuilder, at: Vec3, enamel: Material, metal: Material, *, width: float = 1.0) -> None:
    """A range cooker with two ovens, knobs and rings."""
    glass = Material("window pane", (0.25, 0.22, 0.2), words="dark glass")
    dark = Material("black metal", tile_m=1.0)
    shapes: list[Shape] = [
        (box(width, 0.86, 0.6).at(up=0.04), enamel),
        (box(width + 0.02, 0.04, 0.64).at(up=0.88, z=-0.015), dark),
        (box(width, 0.16, 0.03).at(up=0.92, z=0.28), metal),
    ]
    for side in (-1, 1):
        x, w = side * width / 4, width / 2 - 0.05
        shapes.append((box(w, 0.5, 0.025).at(x=x, up=0.16, z=-0.31), enamel))
        shapes.append((box(w - 0.12, 0.26, 0.012, metric=False).at(x=x, up=0.24, z=-0.325), glass))
        shapes.append((box(w - 0.06, 0.022, 0.03).at(x=x, up=0.63, z=-0.34), metal))
        rings = [cylinder(0.09, 0.015, sides=16).at(x=x, up=0.92, z=z) for z in (-0.16, 0.12)]
        shapes.append((merge(rings), dark))
    knobs = [cylinder(0.024, 0.03, sides=10).tilted(about_x=-90).at(x=x, up=0.78, z=-0.3) for x in _spread(width, 6)]
    shapes.append((merge(knobs), metal))
    b.add("range cooker", shapes, at=at, landmark=True)


def _spread(width: float, count: int) -> list[float]:
    return [float(v) for v in np.linspace(-width / 2 + 0.1, width / 2 - 0.1, count)]


def hood(b: SceneBuilder, at: Vec3, material: Material, *, ceiling_up: float, width: float = 1.05) -> None:
    """A cooker hood; `at` is the middle of its lower edge."""
    skirt = lathe([(0.707 * 0.98, 0.1), (0.24, 0.5)], sides=4, smooth=False).at(yaw=45.0).scaled(width, 1.0, 0.55)
    shapes: list[Shape] = [
        (box(width, 0.1, 0.55), material),
        (skirt, material),
        (box(0.34 * width, ceiling_up - at[1] - 0.45, 0.2).at(up=0.45), material),
    ]
    b.add("cooker hood", shapes, at=at)


def fridge(b: SceneBuilder, at: Vec3, enamel: Material, metal: Material, *, height: float = 1.8) -> None:
    """A two-door fridge with bar handles."""
    split = height * 0.66
    shapes: list[Shape] = [
        (box(0.7, height - 0.06, 0.6).at(up=0.06), enamel),
        (box(0.66, 0.06, 0.5), Material("black metal")),
        (box(0.68, split - 0.1, 0.04).at(up=0.08, z=-0.32), enamel),
        (box(0.68, height - split - 0.04, 0.04).at(up=split + 0.01, z=-0.32), enamel),
        (box(0.03, 0.5, 0.045).at(x=-0.27, up=split - 0.6, z=-0.36), metal),
        (box(0.03, 0.28, 0.045).at(x=-0.27, up=split + 0.08, z=-0.36), metal),
    ]
    b.add("fridge", shapes, at=at, landmark=True)


def sink(b: SceneBuilder, at: Vec3, look: KitchenLook, basin: Material, *, width: float = 1.2) -> None:
    """A cabinet with a Belfast sink in front and a swan-neck tap."""
    shapes: list[Shape] = [
        (box(width, 0.62, 0.58).at(up=0.1), look.body),
        (box((width - 0.66) / 2, 0.16, 0.58).at(x=-(width + 0.66) / 4, up=0.72), look.body),
        (box((width - 0.66) / 2, 0.16, 0.58).at(x=(width + 0.66) / 4, up=0.72), look.body),
        (box((width - 0.66) / 2, 0.04, 0.63).at(x=-(width + 0.66) / 4, up=0.88, z=-0.015), look.top),
        (box((width - 0.66) / 2, 0.04, 0.63).at(x=(width + 0.66) / 4, up=0.88, z=-0.015), look.top),
        (box(0.66, 0.04, 0.1).at(up=0.88, z=0.25), look.top),
        (box(0.64, 0.03, 0.5).at(up=0.74, z=-0.05), basin),
        (box(0.64, 0.2, 0.04).at(up=0.7, z=-0.32), basin),
        (box(0.64, 0.14, 0.03).at(up=0.76, z=0.19), basin),
    ]
    shapes += [(box(0.03, 0.2, 0.52).at(x=s * 0.31, up=0.7, z=-0.07), basin) for s in (-1, 1)]
    for s in (-1, 1):
        shapes.append((box(width / 2 - 0.02, 0.48, 0.02).at(x=s * width / 4, up=0.14, z=-0.3), look.body))
        shapes.append((box(0.03, 0.03, 0.03).at(x=s * 0.08, up=0.5, z=-0.325), look.knob))
    neck = [cylinder(0.014, 0.3, sides=8).at(up=0.9, z=0.26)]
    for i in range(5):
        a = np.pi * (i + 0.5) / 5
        bend = box(0.026, 0.065, 0.026, centred=True).tilted(about_x=-90.0 + 180.0 * (i + 0.5) / 5 - 90.0)
        neck.append(bend.at(up=1.2 + 0.09 * float(np.sin(a)), z=0.17 + 0.09 * float(np.cos(a))))
    shapes.append((merge(neck), look.knob))
    b.add("sink", shapes, at=at, landmark=True)


def dresser(b: SceneBuilder, at: Vec3, look: KitchenLook, *, width: float = 1.4) -> None:
    """A cabinet with plate shelves above; plates and jugs are parts of their own."""
    base_cabinet(b, at, look, width=width)
    x, up, z = at
    case = [box(0.035, 1.15, 0.26).at(x=s * (width / 2 - 0.02), up=0.92, z=0.16) for s in (-1, 1)]
    case += [box(width - 0.07, 0.03, 0.26).at(up=h, z=0.16) for h in (1.27, 1.62)]
    case += [box(width + 0.06, 0.06, 0.32).at(up=2.07, z=0.15), box(width - 0.04, 1.15, 0.02).at(up=0.92, z=0.28)]
    b.add("dresser", [(merge(case), look.body)], at=at)
    for shelf in (0.92, 1.3, 1.65):
        glaze = tinted("paint", b.rng, noun="glazed")
        for dx in np.arange(-width / 2 + 0.2, width / 2 - 0.1, 0.27):
            place = (x + float(dx), up + shelf, z + 0.17)
            if b.rng.random() < 0.65:
                plate(b, place, glaze)
            else:
                jug(b, place, tinted("paint", b.rng, noun="glazed"))


def plate(b: SceneBuilder, at: Vec3, glaze: Material) -> None:
    """A plate that leans against what is behind it."""
    dish = lathe([(0.0, 0.012), (0.07, 0.0), (0.125, 0.02), (0.12, 0.03), (0.07, 0.018), (0.0, 0.02)], sides=20)
    b.add("plate", [(dish.tilted(about_x=-78).at(up=0.125, z=0.02), glaze)], at=at, movable=True)


def jug(b: SceneBuilder, at: Vec3, glaze: Material, *, size: float = 1.0) -> None:
    """A jug or a mug with a handle."""
    s = size * float(b.rng.uniform(0.75, 1.0))
    profile = [(0.0, 0.0), (0.05 * s, 0.0), (0.075 * s, 0.07 * s), (0.05 * s, 0.15 * s), (0.06 * s, 0.2 * s)]
    handle = [box(0.014 * s, 0.014 * s, 0.05 * s).at(x=0.08 * s, up=h * s) for h in (0.05, 0.16)] + [
        box(0.014 * s, 0.12 * s, 0.014 * s).at(x=0.105 * s, up=0.05 * s)
    ]
    b.add("jug", [(lathe(profile, sides=16), glaze), (merge(handle), glaze)], at=at, movable=True)


def jar(b: SceneBuilder, at: Vec3, content: Material, lid: Material, *, height: float = 0.2) -> None:
    """A storage jar with a lid."""
    r = height * float(b.rng.uniform(0.28, 0.42))
    body = [(0.0, 0.0), (r, 0.0), (r, height * 0.8), (r * 0.8, height * 0.9)]
    shapes: list[Shape] = [
        (lathe(body, sides=14), content),
        (cylinder(r * 0.85, height * 0.14, sides=14).at(up=height * 0.88), lid),
    ]
    b.add("jar", shapes, at=at, movable=True)


def jars(b: SceneBuilder, at: Vec3, *, width: float) -> None:
    """A row of different jars along x."""
    x, lid = -width / 2 + 0.08, b.material("oak", "steel", "brass", tile_m=1.0)
    while x < width / 2 - 0.05:
        height = float(b.rng.uniform(0.14, 0.26))
        jar(b, (at[0] + x, at[1], at[2]), tinted("paint", b.rng, noun="glass"), lid, height=height)
        x += height * 0.9 + float(b.rng.uniform(0.0, 0.12))


def pan(b: SceneBuilder, at: Vec3, metal: Material, *, hanging: bool = False, radius: float = 0.14) -> None:
    """A saucepan, on a hob or hanging by its handle from `at`."""
    r = radius
    pot = lathe([(0.0, 0.0), (r * 0.95, 0.0), (r, 0.13), (r * 0.95, 0.13), (r * 0.9, 0.02), (0.0, 0.02)], sides=18)
    whole = merge([pot, box(0.2, 0.018, 0.03).at(x=r + 0.09, up=0.1)])
    if hanging:
        whole = whole.tilted(about_z=-90).at(up=-(r + 0.2))
    b.add("saucepan", [(whole, metal)], at=at, movable=True)


def pot_rack(b: SceneBuilder, at: Vec3, metal: Material, copper: Material, *, ceiling_up: float) -> None:
    """A bar hung from the ceiling with pans on hooks; it runs along x."""
    drop = ceiling_up - at[1]
    rods = [box(0.015, drop, 0.015).at(x=s * 0.6) for s in (-1, 1)] + [box(1.5, 0.025, 0.025)]
    b.add("pot rack", [(merge(rods), metal)], at=at)
    for x in (-0.55, -0.2, 0.15, 0.5):
        pan(b, (at[0] + x, at[1], at[2]), copper, hanging=True, radius=float(b.rng.uniform(0.1, 0.15)))


def kettle(b: SceneBuilder, at: Vec3, metal: Material) -> None:
    """A kettle with a spout and a bow handle."""
    body = lathe([(0.0, 0.0), (0.11, 0.0), (0.12, 0.05), (0.07, 0.15), (0.0, 0.17)], sides=18)
    parts = [body, sphere(0.018, sides=8, rings=5).at(up=0.18)]
    parts.append(box(0.12, 0.03, 0.03, centred=True).tilted(about_z=-40).at(x=-0.13, up=0.11))
    parts += [box(0.014, 0.12, 0.014).at(x=s * 0.085, up=0.12) for s in (-1, 1)] + [box(0.18, 0.02, 0.02).at(up=0.235)]
    b.add("kettle", [(merge(parts), metal)], at=at, movable=True)


def bread_board(b: SceneBuilder, at: Vec3, wood: Material) -> None:
    """A board with a loaf on it."""
    crust = Material("stucco", (0.75, 0.42, 0.18), 0.6, words="bread")
    loaf = sphere(0.1, sides=14, rings=9).scaled(x=1.5, up=0.75).at(x=-0.03, up=0.085)
    b.add(
        "bread", [(box(0.42, 0.025, 0.26), wood), (loaf, crust)], at=at, yaw=float(b.rng.uniform(-30, 30)), movable=True
    )


def splashback(b: SceneBuilder, at: Vec3, tiles: Material, *, width: float, height: float) -> None:
    """A thin sheet of tiles on the wall behind `at`."""
    b.add("tiled splashback", [(box(width, height, 0.02, without=("back",)), tiles)], at=at, joined=True)


def shelf_picture(width: float, height: float, material: Material, *, x: float = 0.0, up: float, z: float) -> Shape:
    """One face towards the camera that shows a picture of a full shelf."""
    face = quad((x - width / 2, up, z), (width, 0, 0), (0, height, 0), metric=False)
    return facing_front(face), material
