"""Small things: lamps, vases, plants in pots, paintings, clocks, rugs.

Conventions: authoring frame; the front faces the camera (-z) at yaw 0.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, cards, cone, cylinder, lathe, merge, quad, sphere
from revisit_metric.controls.parts.furniture import facing_front
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

ART = ("landscape painting", "abstract painting", "still life", "poster")


def painting(
    b: SceneBuilder,
    at: Vec3,
    yaw: float,
    frame: Material,
    *,
    size: tuple[float, float] = (0.9, 0.65),
    texture: str = "",
) -> None:
    """A framed picture whose middle is at `at`, hanging on a wall behind it."""
    w, h = size
    name = texture or b.one_of(*ART)
    picture = Material(name, variant=int(b.rng.integers(12)))
    bar = 0.045
    rim = [box(w + 2 * bar, bar, 0.04).at(up=s * (h / 2 + bar / 2) - bar / 2) for s in (-1, 1)]
    rim += [box(bar, h, 0.04).at(x=s * (w / 2 + bar / 2), up=-h / 2) for s in (-1, 1)]
    shapes: list[Shape] = [
        (box(w, h, 0.02, centred=True, metric=False), picture),
        (merge(rim), frame),
    ]
    b.add("poster" if name == "poster" else "painting", shapes, at=at, yaw=yaw, movable=True)


def clock(b: SceneBuilder, at: Vec3, yaw: float, rim: Material) -> None:
    """A round wall clock."""
    disc = cylinder(0.21, 0.05, sides=28).tilted(about_x=-90)
    face = quad((-0.19, -0.19, -0.052), (0.38, 0, 0), (0, 0.38, 0), metric=False)
    shapes: list[Shape] = [
        (disc, rim),
        (facing_front(face), Material("clock face", variant=int(b.rng.integers(6)))),
    ]
    b.add("clock", shapes, at=at, yaw=yaw, movable=True)


def rug(b: SceneBuilder, at: Vec3, yaw: float, *, size: tuple[float, float] = (2.6, 1.8)) -> None:
    """A patterned carpet lying on the floor."""
    w, d = size
    face = quad((-w / 2, 0.014, d / 2), (w, 0, 0), (0, 0, -d), metric=False)
    edge = box(w, 0.012, d, without=("bottom",))
    plain = b.material("wool", words="wool")
    carpet = Material("carpet", variant=int(b.rng.integers(8)), words="patterned wool")
    b.add("rug", [(face, carpet), (edge, plain)], at=at, yaw=yaw)


def floor_lamp(b: SceneBuilder, at: Vec3, metal: Material, shade: Material, *, height: float = 1.6) -> None:
    """A standing lamp with a glowing cloth shade, and its light."""
    lit = Material(shade.texture, shade.tint, shade.tile_m, emit=2.4, words=shade.words, variant=shade.variant)
    shapes: list[Shape] = [
        (cylinder(0.15, 0.025, sides=18), metal),
        (cylinder(0.014, height - 0.2, sides=8), metal),
        (lathe([(0.22, height - 0.3), (0.15, height)], sides=18), lit),
        (lathe([(0.148, height), (0.0, height - 0.02)], sides=18), lit),
    ]
    b.add("floor lamp", shapes, at=at)
    b.lamp((at[0], at[1] + height - 0.1, at[2]), (0.9, 0.62, 0.34), 4.5)


def pendant(b: SceneBuilder, at: Vec3, metal: Material, *, ceiling: float, light: bool = True) -> None:
    """A hanging lamp; `at` is the middle of its open lower edge."""
    glow = Material("paint", (1.0, 0.86, 0.62), emit=3.2, words="opal glass")
    drop = ceiling - at[1]
    shapes: list[Shape] = [
        (lathe([(0.24, 0.0), (0.2, 0.09), (0.07, 0.2), (0.03, 0.24)], sides=20), metal),
        (lathe([(0.0, 0.04), (0.21, 0.05)], sides=20), glow),
        (cylinder(0.009, drop - 0.2, sides=6).at(up=0.22), metal),
        (cylinder(0.06, 0.025, sides=12).at(up=drop - 0.03), metal),
    ]
    b.add("pendant lamp", shapes, at=at)
    if light:
        b.lamp((at[0], at[1] - 0.12, at[2]), (0.9, 0.68, 0.42), 4.5)


def vase(b: SceneBuilder, at: Vec3, glaze: Material, *, height: float = 0.32, leaves: bool = False) -> None:
    """A turned vase, with a bunch of leaves when asked for."""
    h = height
    r = h * float(b.rng.uniform(0.28, 0.4))
    profile = [
        (0.0, 0.0),
        (r * 0.6, 0.0),
        (r, h * 0.35),
        (r * 0.8, h * 0.65),
        (r * 0.35, h * 0.85),
        (r * 0.5, h),
    ]
    shapes: list[Shape] = [(lathe(profile, sides=18), glaze)]
    if leaves:
        spread = b.rng.normal(0, 0.09, (9, 3)) + np.array([0, h + 0.16, 0])
        shapes.append((cards(spread, 0.3, b.rng, puff=(0, h, 0)), Material("leaves", variant=int(b.rng.integers(3)))))
    b.add("vase", shapes, at=at, movable=True)


def potted_plant(
    b: SceneBuilder, at: Vec3, pot: Material, *, height: float = 1.3, texture: str = "broad leaves"
) -> None:
    """A house plant in a pot."""
    r = 0.13 + 0.09 * height
    count = int(16 + 22 * height)
    t = b.rng.random(count) ** 0.7
    angle = b.rng.uniform(0, 2 * np.pi, count)
    reach = (0.06 + 0.32 * height * np.sin(np.pi * np.clip(t, 0.12, 0.95))) * b.rng.uniform(0.4, 1.0, count)
    up = r * 1.5 + t * (height - r * 1.5)
    places = np.stack([reach * np.cos(angle), up, reach * np.sin(angle)], axis=1)
    leaf = Material(texture, tuple(b.rng.uniform(0.7, 1.15, 3)), variant=int(b.rng.integers(3)))
    shapes: list[Shape] = [
        (
            lathe([(0.0, 0.0), (r * 0.72, 0.0), (r, r * 1.7), (r * 0.9, r * 1.7), (r * 0.85, r * 1.5)], sides=18),
            pot,
        ),
        (cylinder(r * 0.86, 0.02, sides=14).at(up=r * 1.45), Material("soil")),
        (cylinder(0.022, height * 0.7, sides=6, top=0.012).at(up=r * 1.4), Material("oak bark", tile_m=1.0)),
        (cards(places, 0.2 + 0.2 * height, b.rng, puff=(0, height * 0.5, 0)), leaf),
    ]
    b.add("potted plant", shapes, at=at, movable=True)


def bowl(b: SceneBuilder, at: Vec3, glaze: Material, fruit: Material) -> None:
    """A bowl of fruit."""
    r = 0.16
    shapes: list[Shape] = [
        (
            lathe(
                [(0.0, 0.0), (r * 0.4, 0.0), (r, 0.09), (r * 0.93, 0.09), (r * 0.4, 0.03), (0.0, 0.03)],
                sides=20,
            ),
            glaze,
        )
    ]
    for i in range(5):
        a = i * 1.256
        shapes.append((sphere(0.042, sides=10, rings=6).at(0.075 * np.cos(a), 0.085, 0.075 * np.sin(a)), fruit))
    b.add("bowl", shapes, at=at, movable=True)


def book_stack(b: SceneBuilder, at: Vec3) -> None:
    """A few books lying on each other."""
    shapes: list[Shape] = []
    for i in range(int(b.rng.integers(2, 5))):
        size = b.rng.uniform(0.8, 1.1)
        cover = tinted("paint", b.rng, noun="cloth cover")
        shapes.append((box(0.26 * size, 0.028, 0.19 * size).at(up=i * 0.029, yaw=float(b.rng.uniform(-18, 18))), cover))
    b.add("books", shapes, at=at, movable=True)


def table_lamp(b: SceneBuilder, at: Vec3, foot: Material, shade: Material) -> None:
    """A small lamp with a glowing cone shade (no light of its own: lamps are few)."""
    lit = Material(shade.texture, shade.tint, shade.tile_m, emit=1.8, words=shade.words, variant=shade.variant)
    shapes: list[Shape] = [
        (lathe([(0.0, 0.0), (0.09, 0.0), (0.1, 0.05), (0.03, 0.18), (0.02, 0.3)], sides=14), foot),
        (lathe([(0.17, 0.27), (0.1, 0.48)], sides=16), lit),
        (cone(0.1, 0.01, sides=16).at(up=0.475), lit),
    ]
    b.add("table lamp", shapes, at=at, movable=True)
