"""What people leave in the country: huts, fences, stone walls, wood piles, troughs, signposts, hay, snowmen.

Conventions: authoring frame; fronts face -z at yaw 0; functions add parts at (x, up, z).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cone, cylinder, lathe, merge, prism, rock, sphere
from revisit_metric.controls.scene import Material


def turned(at: Vec3, yaw: float, x: float, z: float, up: float = 0.0) -> Vec3:
    """The point (x, up, z) of a frame that stands at `at`, turned by `yaw` degrees."""
    a = np.radians(yaw)
    c, s = float(np.cos(a)), float(np.sin(a))
    return at[0] + c * x + s * z, at[1] + up, at[2] - s * x + c * z


class HutLook(NamedTuple):
    """Materials of a hut, what it is called, and whether its walls are round logs instead of boards."""

    wall: Material
    roof: Material
    noun: str = "hut"
    logs: bool = False


def hut(b: SceneBuilder, at: Vec3, yaw: float, look: HutLook, *, size: Vec3 = (3.6, 2.3, 3.0)) -> None:
    """A gabled timber hut in panels; `at` is the middle of its front wall, `size` width, wall height, depth."""
    w, h, d = size
    count = max(round(w / 1.2), 2)
    panel = _timber(w / count, h, look.logs)
    door = int(b.rng.integers(count))
    for i in range(count):
        x = (i + 0.5) * w / count - w / 2
        b.add(f"{look.noun} wall", [(panel, look.wall)], at=turned(at, yaw, x, 0.0), yaw=yaw, joined=True)
        if i == door:
            _door(b, turned(at, yaw, x, -0.1), yaw, look.noun)
        else:
            _window(b, turned(at, yaw, x, -0.1), yaw)
    plinth = box(w + 0.1, 0.7, d + 0.1, without=("bottom",)).at(up=-0.7, z=d / 2)
    b.add(f"{look.noun} plinth", [(plinth, Material("rubble stone", tile_m=1.5))], at=at, yaw=yaw)
    sides = max(round(d / 1.3), 2)
    flank = _timber(d / sides, h, look.logs)
    for side in (-1, 1):
        for i in range(sides):
            place = turned(at, yaw, side * (w / 2 - 0.06), (i + 0.5) * d / sides)
            b.add(f"{look.noun} wall", [(flank, look.wall)], at=place, yaw=yaw + 90.0, joined=True)
    gable = prism([(-w / 2, 0.0), (w / 2, 0.0), (0.0, w * 0.36)], 0.12)
    for z in (-0.06, d - 0.06):
        b.add(f"{look.noun} gable", [(gable, look.wall)], at=turned(at, yaw, 0, z, h), yaw=yaw, joined=True)
    _roof(b, turned(at, yaw, 0, 0, h), yaw, look, (w, d))


def _timber(width: float, height: float, logs: bool) -> Mesh:
    """A wall panel centred on z 0: boards, or round logs one above the other."""
    if not logs:
        return box(width, height, 0.12)
    count = max(round(height / 0.24), 1)
    r = height / count / 2
    return merge(
        [cylinder(r, width, sides=10).tilted(about_z=90).at(x=-width / 2, up=r * (2 * i + 1)) for i in range(count)]
    )


def _door(b: SceneBuilder, at: Vec3, yaw: float, noun: str) -> None:
    wood = b.material("oak planks", "walnut planks", "grey planks", tile_m=1.4)
    iron = Material("black metal")
    shapes: list[Shape] = [(box(0.85, 1.9, 0.12).at(z=-0.02), wood)]
    shapes += [(box(0.7, 0.06, 0.03).at(up=u, z=-0.09), iron) for u in (0.35, 1.45)]
    shapes += [(box(0.1, 2.0, 0.16).at(x=s * 0.47, z=-0.03), wood) for s in (-1, 1)]
    shapes.append((box(1.1, 0.12, 0.18).at(up=1.95, z=-0.03), wood))
    b.add(f"{noun} door", shapes, at=at, yaw=yaw)


def _window(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    pane = Material("window pane", variant=int(b.rng.integers(8)))
    frame = b.material("pine", "oak", tile_m=1.0)
    shapes: list[Shape] = [(box(0.7, 0.7, 0.04, metric=False).at(up=1.0, z=-0.03), pane)]
    shapes += [(box(0.07, 0.84, 0.1).at(x=x, up=0.93, z=-0.05), frame) for x in (-0.38, 0.0, 0.38)]
    shapes += [(box(0.84, 0.07, 0.1).at(up=u, z=-0.05), frame) for u in (0.93, 1.7)]
    b.add("window", shapes, at=at, yaw=yaw)


def _roof(b: SceneBuilder, at: Vec3, yaw: float, look: HutLook, size: tuple[float, float]) -> None:
    """Two slopes, each in pieces of about 1.2 m along the ridge."""
    w, d = size
    length, pitch = w * 0.74, float(np.degrees(np.arctan(0.72)))
    count = max(round((d + 0.8) / 1.2), 1)
    for side in (-1, 1):
        board = box(length, 0.12, (d + 0.8) / count, centred=True).tilted(about_z=side * pitch)
        for i in range(count):
            z = -0.4 + (i + 0.5) * (d + 0.8) / count
            place = turned(at, yaw, side * length / 2 * 0.81, z, w * 0.36 - length / 2 * 0.58 + 0.06)
            b.add(f"{look.noun} roof", [(board, look.roof)], at=place, yaw=yaw, joined=True)


def rail_fence(b: SceneBuilder, start: tuple[float, float], yaw: float, wood: Material, *, bays: int) -> None:
    """Posts and two rails, one part per bay of 1.5 m, along +x at yaw 0."""
    for i in range(bays):
        post = cylinder(0.06, 1.1, sides=8).tilted(about_z=float(b.rng.normal(0, 2)))
        rails = [
            cylinder(0.045, 1.56, sides=7).tilted(about_z=90 + float(b.rng.normal(0, 1.5))).at(up=u)
            for u in (0.45, 0.85)
        ]
        place = turned((start[0], 0.0, start[1]), yaw, 1.5 * i, 0.0)
        b.add("fence", [(merge([post, *rails]), wood)], at=place, yaw=yaw, joined=True)


def stone_wall(
    b: SceneBuilder, x: tuple[float, float], z: float, stone: Material, *, height: float = 0.9, up: float = 0.0
) -> None:
    """A dry stone wall along x in pieces of a metre."""
    for x0 in np.arange(x[0], x[1], 1.0):
        stones = []
        for row in range(4):
            for column in range(3):
                shape = rock(0.24, b.rng, detail=1).scaled(x=0.95, up=0.72, z=1.1)
                stones.append(shape.at(0.34 * column + 0.17 * (row % 2), height * (row + 0.5) / 4, 0.0))
        b.add("stone wall", [(merge(stones), stone)], at=(float(x0), up, z), joined=True)


def wood_pile(b: SceneBuilder, at: Vec3, yaw: float, bark: Material, *, columns: int = 7, rows: int = 4) -> None:
    """Split logs stacked between two posts, cut ends towards the camera."""
    logs, ends = [], []
    for row in range(rows):
        for i in range(columns - row % 2):
            r = 0.11 * float(b.rng.uniform(0.85, 1.08))
            x, up = (i - (columns - 1) / 2 + 0.5 * (row % 2)) * 0.23, 0.12 + 0.2 * row
            logs.append(cylinder(r, 0.9, sides=9).tilted(about_x=90).at(x, up, 0.0))
            ends.append(cylinder(r * 0.88, 0.02, sides=9).tilted(about_x=90).at(x, up, -0.015))
    posts = merge([box(0.08, 1.1, 0.08).at(x=s * columns * 0.123, z=z) for s in (-1, 1) for z in (0.1, 0.8)])
    cut = Material("pine", tile_m=0.4, words="cut wood")
    b.add("wood pile", [(merge(logs), bark), (merge(ends), cut), (posts, cut)], at=at, yaw=yaw, landmark=True)


def log_seat(b: SceneBuilder, at: Vec3, yaw: float, bark: Material, *, length: float = 1.5) -> None:
    """A log lying on two short ones."""
    feet = [cylinder(0.13, 0.5, sides=9).tilted(about_x=90).at(x=s * length * 0.32, up=0.12, z=-0.25) for s in (-1, 1)]
    top = cylinder(0.17, length, sides=12).tilted(about_z=90).at(x=-length / 2, up=0.38)
    b.add("log bench", [(merge([*feet, top]), bark)], at=at, yaw=yaw, movable=True)


def stump(b: SceneBuilder, at: Vec3, bark: Material, *, axe: bool = False) -> None:
    """A tree stump, perhaps with an axe stuck in it."""
    cut = Material("pine", tile_m=0.5, words="cut wood")
    shapes: list[Shape] = [
        (lathe([(0.36, -0.1), (0.29, 0.12), (0.26, 0.42)], sides=12), bark),
        (cylinder(0.25, 0.02, sides=12).at(up=0.41), cut),
    ]
    if axe:
        shapes += [
            (cylinder(0.02, 0.7, sides=7).tilted(about_z=-40).at(x=0.08, up=0.5), cut),
            (box(0.2, 0.11, 0.03).tilted(about_z=-40).at(x=0.04, up=0.41), Material("steel")),
        ]
    b.add("tree stump", shapes, at=at, yaw=float(b.rng.uniform(0, 360)))


def trough(b: SceneBuilder, at: Vec3, yaw: float, wood: Material) -> None:
    """A hollowed trunk full of water under a wooden spout."""
    sides = [box(1.9, 0.45, 0.08).at(z=s * 0.26) for s in (-1, 1)] + [
        box(0.08, 0.45, 0.5).at(x=s * 0.92) for s in (-1, 1)
    ]
    spout = [box(0.14, 1.15, 0.14).at(x=0.7, z=0.45), box(0.07, 0.06, 0.5).at(x=0.7, up=0.85, z=0.18)]
    water = box(1.8, 0.3, 0.46)
    shapes: list[Shape] = [(merge(sides), wood), (merge(spout), wood), (water, Material("water", tile_m=1.0))]
    b.add("water trough", shapes, at=at, yaw=yaw, landmark=True)


def signpost(b: SceneBuilder, at: Vec3, wood: Material) -> None:
    """A post with two or three pointed boards."""
    boards = []
    for i in range(int(b.rng.integers(2, 4))):
        side = 1 if b.rng.random() < 0.5 else -1
        arrow = prism([(0.0, 0.0), (0.55, 0.0), (0.7, 0.09), (0.55, 0.18), (0.0, 0.18)], 0.04)
        boards.append(arrow.at(x=-0.1, up=1.75 - 0.26 * i, z=-0.1, yaw=0.0 if side > 0 else 180.0))
    shapes: list[Shape] = [(cylinder(0.055, 2.1, sides=8), wood), (merge(boards), Material("pine", tile_m=1.0))]
    b.add("signpost", shapes, at=at, yaw=float(b.rng.uniform(-25, 25)), landmark=True)


def cairn(b: SceneBuilder, at: Vec3, stone: Material) -> None:
    """A pile of flat stones, a small one on top."""
    up, stones = 0.0, []
    for r in (0.42, 0.36, 0.33, 0.26, 0.22, 0.16, 0.12):
        shape = rock(r, b.rng, detail=2).scaled(up=0.5)
        stones.append(shape.at(float(b.rng.uniform(-0.05, 0.05)), up + r * 0.4, float(b.rng.uniform(-0.05, 0.05))))
        up += r * 0.72
    b.add("cairn", [(merge(stones), stone)], at=at, landmark=True)


def haystack(b: SceneBuilder, at: Vec3, *, height: float = 1.7) -> None:
    """A domed heap of hay around a pole."""
    h = height
    heap = lathe([(0.75, -0.1), (0.85, 0.2 * h), (0.78, 0.5 * h), (0.5, 0.8 * h), (0.12, h), (0.0, h)], sides=16)
    hay = Material("dry grass", (1.1, 1.0, 0.7), tile_m=0.8, words="hay")
    b.add("haystack", [(heap, hay), (cylinder(0.03, h + 0.35, sides=7), Material("grey planks"))], at=at, movable=True)


def snowman(b: SceneBuilder, at: Vec3, yaw: float, scarf: Material) -> None:
    """Three balls of snow with a scarf, a hat and a carrot nose."""
    snow, coal = Material("snow", tile_m=1.2), Material("paint", (0.05, 0.05, 0.05), words="black felt")
    balls = merge([sphere(r, sides=18, rings=11).at(up=u) for r, u in ((0.42, 0.36), (0.31, 0.92), (0.22, 1.34))])
    eyes = [sphere(0.03, sides=7, rings=5).at(x=s * 0.08, up=1.4, z=-0.2) for s in (-1, 1)]
    buttons = [sphere(0.03, sides=7, rings=5).at(up=u, z=-0.31) for u in (0.82, 0.95, 1.07)]
    hat = [cylinder(0.25, 0.03).at(up=1.5), cylinder(0.17, 0.26).at(up=1.52)]
    nose = cone(0.035, 0.2, sides=8).tilted(about_x=-90).at(up=1.34, z=-0.2)
    arms = merge([cylinder(0.018, 0.55, sides=6).tilted(about_z=s * 60).at(x=s * 0.26, up=0.98) for s in (-1, 1)])
    wrap = [lathe([(0.2, 1.1), (0.25, 1.15), (0.2, 1.22)], sides=16), box(0.1, 0.4, 0.04).at(x=0.12, up=0.76, z=-0.3)]
    shapes: list[Shape] = [
        (balls, snow),
        (merge([*eyes, *buttons, *hat]), coal),
        (nose, Material("paint", (0.9, 0.32, 0.03), words="carrot")),
        (arms, Material("oak bark")),
        (merge(wrap), scarf),
    ]
    b.add("snowman", shapes, at=at, yaw=yaw, landmark=True)


def sledge(b: SceneBuilder, at: Vec3, yaw: float, wood: Material) -> None:
    """A wooden sledge on two runners."""
    runners = [box(0.04, 0.06, 1.1).at(x=s * 0.2) for s in (-1, 1)]
    runners += [box(0.04, 0.06, 0.3).tilted(about_x=-40).at(x=s * 0.2, up=0.1, z=-0.63) for s in (-1, 1)]
    frame = [box(0.03, 0.2, 0.03).at(x=s * 0.2, up=0.05, z=z) for s in (-1, 1) for z in (-0.35, 0.1, 0.45)]
    slats = [box(0.08, 0.025, 1.0).at(x=x, up=0.25, z=0.05) for x in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    b.add("sledge", [(merge([*runners, *frame, *slats]), wood)], at=at, yaw=yaw, movable=True)


def basket(b: SceneBuilder, at: Vec3, fruit: Material) -> None:
    """A wicker basket heaped with fruit."""
    wicker = Material("leather", (1.3, 1.2, 0.9), tile_m=0.5, words="wicker")
    heap = [
        sphere(0.06, sides=8, rings=6).at(float(x), 0.3 + 0.05 * float(b.rng.random()), float(z))
        for x, z in b.rng.uniform(-0.17, 0.17, (14, 2))
    ]
    shell = lathe([(0.0, 0.0), (0.2, 0.0), (0.29, 0.3), (0.26, 0.3), (0.22, 0.24), (0.0, 0.24)], sides=16)
    b.add("basket", [(shell, wicker), (merge(heap), fruit)], at=at, movable=True)


def hand_cart(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, metal: Material) -> None:
    """A two-wheeled cart with its shafts on the ground."""
    bed = [box(1.3, 0.05, 0.9).at(up=0.62)]
    bed += [box(1.3, 0.28, 0.04).at(up=0.66, z=s * 0.43) for s in (-1, 1)]
    bed += [box(0.04, 0.28, 0.86).at(x=0.63, up=0.66)]
    shafts = [box(1.4, 0.06, 0.06).tilted(about_z=-24).at(x=-1.2, up=0.36, z=s * 0.3) for s in (-1, 1)]
    spokes = [
        box(0.045, 0.9, 0.04, centred=True).tilted(about_z=t).at(up=0.5, z=s * 0.53)
        for s in (-1, 1)
        for t in (0, 45, 90, 135)
    ]
    rim = [(0.5, -0.03), (0.5, 0.03), (0.44, 0.03), (0.44, -0.03), (0.5, -0.03)]
    tyres = [lathe(rim, sides=22).tilted(about_x=90).at(up=0.5, z=s * 0.53) for s in (-1, 1)]
    shapes: list[Shape] = [(merge([*bed, *shafts, *spokes]), wood), (merge(tyres), metal)]
    b.add("hand cart", shapes, at=at, yaw=yaw, landmark=True)
