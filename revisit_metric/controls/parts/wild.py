"""Cacti, reeds, layered rock, snow-laden spruces, birches, vines, distant mountains.

Conventions: authoring frame; functions add parts at (x, up, z) or return meshes around their own origin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import (
    Mesh,
    Vec3,
    cards,
    cylinder,
    directed_cards,
    height_field,
    lathe,
    merge,
    mesh,
    sphere,
)
from revisit_metric.controls.parts.plants import ball_points, trunk
from revisit_metric.controls.scene import Material

CACTUS = Material("cactus skin", tile_m=1.1, words="green ribbed skin")


def slab(width: float, height: float, depth: float, rng: np.random.Generator) -> Mesh:
    """A flat-topped block with an irregular outline and worn edges, standing on the ground."""
    count = 9
    angle = np.linspace(0, 2 * np.pi, count + 1)[:-1] + rng.uniform(-0.2, 0.2, count)
    square = (np.abs(np.cos(angle)) ** 4 + np.abs(np.sin(angle)) ** 4) ** -0.25
    rings = []
    for share, up in ((0.9, 0.0), (1.0, 0.16), (0.99, 0.8), (0.86, 1.0)):
        reach = square * share * rng.uniform(0.9, 1.04, count)
        lift = np.full(count, up * height) + (rng.uniform(-0.05, 0.05, count) * height if 0 < up < 1 else 0.0)
        rings.append(np.stack([reach * np.cos(angle) * width / 2, lift, reach * np.sin(angle) * depth / 2], axis=1))
    low, high = np.concatenate(rings[:-1]), np.concatenate(rings[1:])
    after = np.concatenate([np.roll(np.arange(count), -1) + count * k for k in range(len(rings) - 1)])
    return merge([_sides(np.stack([low, low[after], high[after], high], axis=1)), _lid(rings[-1])])


def _sides(corners: NDArray[np.float64]) -> Mesh:
    """Flat faces (N, 4, 3) about the vertical axis, seen from outside."""
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals *= np.sign((normals * corners.mean(axis=1))[:, [0, 2]].sum(axis=1, keepdims=True))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    edge = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    along = np.stack([0 * edge, edge, edge, 0 * edge], axis=1)
    uvs = np.stack([along, -corners[..., 1]], axis=-1)
    faces = 4 * np.arange(len(corners))[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    return mesh(corners.reshape(-1, 3), np.repeat(normals, 4, axis=0), uvs.reshape(-1, 2), faces)


def _lid(ring: NDArray[np.float64]) -> Mesh:
    fan = [[0, i, i + 1] for i in range(1, len(ring) - 1)]
    return mesh(ring, np.tile([0.0, 1.0, 0.0], (len(ring), 1)), ring[:, [0, 2]], fan)


def rock_layers(
    b: SceneBuilder,
    at: Vec3,
    stones: tuple[Material, ...],
    *,
    width: float,
    heights: tuple[float, ...],
    noun: str = "rock ledge",
) -> None:
    """A pillar of layered rock: one part per layer, each set a little back from the one below."""
    x, up, z = at
    for i, height in enumerate(heights):
        back = 0.07 * i + float(b.rng.uniform(-0.1, 0.15))
        size = width * float(b.rng.uniform(1.05, 1.25)), height * 1.06, width * float(b.rng.uniform(0.8, 0.95))
        place = x + float(b.rng.uniform(-0.15, 0.15)), up, z + 0.42 * width + back
        b.add(noun, [(slab(*size, b.rng), stones[i % len(stones)])], at=place, joined=True)
        up += height


def saguaro(b: SceneBuilder, at: Vec3, *, height: float = 3.0, landmark: bool = False) -> None:
    """A column cactus with two or three arms."""
    shapes: list[Mesh] = [_column(0.22, height)]
    for side in (-1, 1, 1)[: int(b.rng.integers(1, 4))]:
        start, reach = height * float(b.rng.uniform(0.3, 0.55)), float(b.rng.uniform(0.4, 0.55))
        elbow = cylinder(0.13, reach, sides=10).tilted(about_z=90.0 * side).at(up=start)
        arm = _column(0.14, height * float(b.rng.uniform(0.25, 0.45))).at(x=side * reach, up=start - 0.06)
        shapes.append(merge([elbow, arm]).at(yaw=float(b.rng.uniform(-40, 40))))
    b.add("saguaro cactus", [(merge(shapes), CACTUS)], at=at, yaw=float(b.rng.uniform(-30, 30)), landmark=landmark)


def _column(radius: float, height: float) -> Mesh:
    turn = np.linspace(0, np.pi / 2, 5)
    top = [(radius * float(np.cos(a)), height - radius + radius * float(np.sin(a))) for a in turn]
    return lathe([(0.0, -0.05), (radius * 0.85, -0.05), (radius, height * 0.4), *top], sides=14)


def prickly_pear(b: SceneBuilder, at: Vec3) -> None:
    """A clump of flat oval pads with red fruit on their rims."""
    pads, fruit = [], []
    for _ in range(9):
        yaw, lean, size = float(b.rng.uniform(0, 360)), float(b.rng.uniform(-25, 25)), float(b.rng.uniform(0.15, 0.22))
        place = (float(v) for v in b.rng.uniform((-0.35, 0.1, -0.3), (0.35, 0.55, 0.3)))
        x, up, z = place
        pad = sphere(size, sides=12, rings=7).scaled(up=1.3, z=0.22)
        pads.append(pad.tilted(about_z=lean).at(x, up, z, yaw=yaw))
        fruit.append(sphere(0.03, sides=6, rings=5).scaled(up=1.4).tilted(about_z=lean).at(x, up + size * 1.25, z))
    rind = Material("paint", (0.55, 0.08, 0.16), words="red fruit")
    b.add("prickly pear", [(merge(pads), CACTUS), (merge(fruit), rind)], at=at, movable=True)


def barrel_cactus(b: SceneBuilder, at: Vec3, *, radius: float = 0.28) -> None:
    """A round cactus with a ring of yellow flowers."""
    ring = [
        sphere(0.045, sides=7, rings=5).at(0.09 * float(np.cos(a)), radius * 1.95, 0.09 * float(np.sin(a)))
        for a in np.arange(0, 6.2, 0.9)
    ]
    bloom = Material("paint", (0.9, 0.6, 0.08), words="yellow flowers")
    body = sphere(radius, sides=16, rings=10).scaled(up=1.1).at(up=radius * 0.9)
    b.add("barrel cactus", [(body, CACTUS), (merge(ring), bloom)], at=at, movable=True)


def snowy_spruce(
    b: SceneBuilder, at: Vec3, bark: Material, leaf: Material, *, height: float, spread: float, cards_n: int
) -> None:
    """A spruce with level boughs down to the ground, for snow to lie on."""
    t = np.sort(b.rng.random(cards_n) ** 1.1)
    angle = np.arange(cards_n) * 2.4 + b.rng.normal(0, 0.3, cards_n)
    reach = spread * (1.02 - 0.86 * t) * b.rng.uniform(0.85, 1.1, cards_n)
    droop = np.radians(b.rng.uniform(14, 34, cards_n))
    out = np.stack([np.cos(angle) * np.cos(droop), -np.sin(droop), np.sin(angle) * np.cos(droop)], axis=1)
    side = np.stack([-np.sin(angle), b.rng.normal(0, 0.2, cards_n), np.cos(angle)], axis=1)
    roots = np.stack([np.zeros(cards_n), 0.5 + t * (height - 0.5), np.zeros(cards_n)], axis=1)
    light = 0.7 * out + np.array([0.0, 1.0, 0.0])
    light /= np.linalg.norm(light, axis=1, keepdims=True)
    boughs = directed_cards(roots, side * reach[:, None] * 1.45, out * reach[:, None], light)
    shapes: list[Shape] = [(trunk(height * 0.85, 0.018 * height), bark), (boughs, leaf)]
    b.add("spruce", shapes, at=at, yaw=float(b.rng.uniform(0, 360)))


def birch(b: SceneBuilder, at: Vec3, bark: Material, leaf: Material, *, height: float, cards_n: int) -> None:
    """A slender birch, often of two stems, with drooping outer twigs."""
    rng = b.rng
    stems = [trunk(height, 0.013 * height * float(rng.uniform(0.8, 1.1)), lean=float(rng.normal(0, 2.5)))]
    if rng.random() < 0.35:
        stems.append(trunk(height * 0.85, 0.01 * height, lean=float(rng.uniform(3, 6))))
    crown = np.array([0.16, 0.3, 0.16]) * height
    places = ball_points(rng, cards_n, (float(crown[0]), float(crown[1]), float(crown[2])), hollow=0.3)
    places += np.array([0, height * 0.78, 0])
    leaves = cards(places, height * 0.09 * rng.uniform(0.8, 1.3, cards_n), rng, puff=(0, height * 0.5, 0))
    b.add("birch", [(merge(stems), bark), (leaves, leaf)], at=at, yaw=float(rng.uniform(0, 360)))


def vine(b: SceneBuilder, at: Vec3, leaf: Material, fruit: Material, *, length: float = 1.2) -> None:
    """One stretch of a trellised vine along z: a gnarled stem, a hedge of leaves, bunches of grapes."""
    n = 34
    half = (0.24, 0.45, length * 0.6)
    places = b.rng.uniform(np.negative(half), half, (n, 3)) + np.array([0, 1.18, 0])
    stem = merge(
        [trunk(0.8, 0.04, lean=float(b.rng.normal(0, 8))), cylinder(0.02, length).tilted(about_x=90).at(up=0.8)]
    )
    bunches = []
    for _ in range(5):
        x, up, z = (float(v) for v in b.rng.uniform((-0.3, 0.72, -length / 2), (0.3, 0.95, length / 2)))
        bunches.append(lathe([(0.0, -0.17), (0.035, -0.1), (0.06, -0.02), (0.0, 0.02)], sides=6).at(x, up, z))
    shapes: list[Shape] = [
        (stem, Material("oak bark", tile_m=0.8, words="gnarled wood")),
        (merge(bunches), fruit),
        (cards(places, b.rng.uniform(0.34, 0.5, n), b.rng, puff=(0, 0.7, 0)), leaf),
    ]
    b.add("grape vine", shapes, at=at)


def cypress(b: SceneBuilder, at: Vec3, *, height: float = 6.0) -> None:
    """A dark, narrow column of a tree."""
    n = 70
    t = b.rng.random(n)
    radius = 0.09 * height * np.sin(np.pi * (0.12 + 0.86 * t)) ** 0.8
    angle = b.rng.uniform(0, 2 * np.pi, n)
    places = np.stack([radius * np.cos(angle), 0.3 + t * (height - 0.5), radius * np.sin(angle)], axis=1)
    leaf = Material("leaves", (0.3, 0.42, 0.42), variant=int(b.rng.integers(3)), words="dark foliage")
    crown = cards(places, height * 0.12, b.rng, puff=(0, height * 0.3, 0))
    b.add("cypress", [(trunk(height * 0.6, 0.1), Material("oak bark")), (crown, leaf)], at=at)


def lily_pads(b: SceneBuilder, at: Vec3, *, count: int = 6) -> None:
    """Round floating leaves and a white flower or two."""
    pads, petals = [], []
    for i in range(count):
        x, z = (float(v) for v in b.rng.uniform(-0.6, 0.6, 2))
        pads.append(cylinder(float(b.rng.uniform(0.13, 0.22)), 0.015, sides=12).at(x, 0.01 * (i % 3), z))
        if i % 3 == 0:
            petals.append(lathe([(0.02, 0.0), (0.075, 0.05), (0.09, 0.1), (0.0, 0.04)], sides=8).at(x, 0.03, z))
    green = Material("paint", (0.12, 0.3, 0.08), words="green leaves")
    white = Material("paint", (1.1, 0.95, 1.0), words="white petals")
    b.add("water lily", [(merge(pads), green), (merge(petals), white)], at=at, movable=True)


def mountain(b: SceneBuilder, x: float, z: float, stone: Material, snow: Material, *, height: float) -> None:
    """A far peak with spurs, white where it is high."""
    reach = 1.15 * height
    line = np.linspace(-reach, reach, 19)
    px, pz = np.meshgrid(line, line)
    turn = np.arctan2(pz, px)
    far = np.hypot(px, pz) / reach
    spur = np.abs(np.cos(2.5 * turn + b.rng.uniform(0, 6.3) + 1.5 * np.sin(3 * far + b.rng.uniform(0, 6.3))))
    up = height * np.maximum(1 - far, 0) * (0.7 + 0.3 * spur) + b.rng.normal(0, 0.018 * height, far.shape)
    field = height_field(line, line, up)
    white = field.positions[field.triangles, 1].mean(axis=1) > 0.42 * height
    shapes = [
        (replace(field, triangles=field.triangles[keep]), material)
        for keep, material in ((~white, stone), (white, snow))
    ]
    b.add("mountain", shapes, at=(x, -0.06 * height, z), landmark=True)


def reed_clump(b: SceneBuilder, at: Vec3, leaf: Material, *, height: float, spread: float = 0.3) -> None:
    """A clump of reeds on narrow upright cards."""
    count = 7
    turn, tall = b.rng.uniform(0, 2 * np.pi, count), height * b.rng.uniform(0.8, 1.1, (count, 1))
    place = b.rng.uniform(-spread, spread, (count, 2))
    roots = np.stack([place[:, 0], np.zeros(count), place[:, 1]], axis=1)
    right = 0.36 * height * np.stack([np.cos(turn), np.zeros(count), np.sin(turn)], axis=1)
    up = np.array([[0.0, 1.0, 0.0]])
    b.add("reeds", [(directed_cards(roots, right, up * tall, np.repeat(up, count, axis=0)), leaf)], at=at, movable=True)


def mesa(b: SceneBuilder, x: float, z: float, stones: tuple[Material, ...], *, width: float, height: float) -> None:
    """A far table mountain in three layers."""
    shapes: list[Shape] = [
        (slab(width * s, height * h, width * s, b.rng).at(up=height * u), stones[i % len(stones)])
        for i, (s, h, u) in enumerate(((1.25, 0.3, -0.03), (1.0, 0.4, 0.26), (0.88, 0.36, 0.65)))
    ]
    b.add("mesa", shapes, at=(x, 0, z), yaw=float(b.rng.uniform(0, 90)), landmark=True)
