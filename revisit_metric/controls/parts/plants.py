"""Trees, bushes, ferns, grass and boulders.

Conventions: authoring frame; crowns are picture cards lit like a ball, a few hundred at most each (cut-outs
are slow).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, cards, cylinder, directed_cards, lathe, merge, rock
from revisit_metric.controls.scene import Material


def foliage(b: SceneBuilder, *textures: str) -> Material:
    """Leaves of a random green (or the texture's own colour)."""
    tint = b.rng.uniform(0.7, 1.2) * b.rng.uniform((0.8, 0.9, 0.75), (1.2, 1.1, 1.15))
    return Material(
        b.one_of(*textures), (float(tint[0]), float(tint[1]), float(tint[2])), variant=int(b.rng.integers(3))
    )


def ball_points(rng: np.random.Generator, count: int, radius: Vec3, *, hollow: float = 0.55) -> NDArray[np.float64]:
    """`count` points in the outer part of an ellipsoid."""
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return np.asarray(way * (hollow + (1 - hollow) * rng.random((count, 1)) ** 0.5) * np.array(radius))


def trunk(height: float, radius: float, *, lean: float = 0.0) -> Mesh:
    """A tapering trunk with a flared foot."""
    profile = [
        (radius * 1.4, -0.15),
        (radius * 1.12, height * 0.06),
        (radius, height * 0.2),
        (radius * 0.55, height),
    ]
    return lathe(profile, sides=12).tilted(about_z=lean)


class TreeLook(NamedTuple):
    """Materials of a tree and how many cards its crown has (above 80 it shows boughs)."""

    bark: Material
    leaf: Material
    cards_n: int = 160


def broadleaf(
    b: SceneBuilder,
    at: Vec3,
    look: TreeLook,
    *,
    height: float = 7.0,
    crown: float = 2.2,
    clear: float = 2.4,
) -> None:
    """A broadleaved tree: trunk, a few boughs, clustered crown."""
    bark, leaf, cards_n = look
    rng = b.rng
    radius = 0.032 * height * float(rng.uniform(0.8, 1.15))
    shapes: list[Shape] = [(trunk(height * 0.75, radius), bark)]
    middle = clear + (height - clear) / 2
    boughs, points = [], []
    for i in range(6):
        a = i * 1.05 + float(rng.uniform(0, 0.6))
        tilt = float(rng.uniform(28, 50))
        length = crown * float(rng.uniform(0.8, 1.15))
        bough = cylinder(radius * 0.38, length, sides=6, top=radius * 0.12).tilted(about_x=tilt)
        start = clear * float(rng.uniform(0.85, 1.25))
        if cards_n > 80:  # from afar a crown hides them
            boughs.append(bough.at(up=start, yaw=float(np.degrees(a))))
        centre = np.array(
            [np.sin(a) * crown * 0.6, rng.uniform(-0.3, 0.5) * (height - clear) / 2, np.cos(a) * crown * 0.6]
        )
        points.append(centre + ball_points(rng, cards_n // 7, (crown * 0.55, (height - clear) * 0.26, crown * 0.55)))
    points.append(
        np.array([0, (height - clear) * 0.28, 0])
        + ball_points(rng, cards_n // 7, (crown * 0.6, (height - clear) * 0.25, crown * 0.6))
    )
    places = np.concatenate(points) + np.array([0, middle, 0])
    if boughs:
        shapes.append((merge(boughs), bark))
    shapes.append(
        (
            cards(places, crown * rng.uniform(0.38, 0.62, len(places)), rng, puff=(0, middle - crown * 0.6, 0)),
            leaf,
        )
    )
    b.add("tree", shapes, at=at, yaw=float(rng.uniform(0, 360)))


def conifer(
    b: SceneBuilder,
    at: Vec3,
    look: TreeLook,
    *,
    height: float = 9.0,
    spread: float = 1.9,
    clear: float = 1.2,
) -> None:
    """A spruce: whorls of drooping boughs along a straight trunk."""
    bark, leaf, cards_n = look
    rng = b.rng
    t = np.sort(rng.random(cards_n) ** 1.25)
    angle = np.arange(cards_n) * 2.4 + rng.normal(0, 0.3, cards_n)
    reach = spread * (1 - 0.9 * t) * rng.uniform(0.8, 1.15, cards_n)
    droop = np.radians(rng.uniform(8, 28, cards_n))
    out = np.stack([np.cos(angle) * np.cos(droop), -np.sin(droop), np.sin(angle) * np.cos(droop)], axis=1)
    side = np.stack([-np.sin(angle), rng.normal(0, 0.25, cards_n), np.cos(angle)], axis=1)
    roots = np.stack([np.zeros(cards_n), clear + t * (height - clear), np.zeros(cards_n)], axis=1)
    light = out + np.array([0.0, 1.0, 0.0])
    light /= np.linalg.norm(light, axis=1, keepdims=True)
    boughs = directed_cards(roots, side * reach[:, None] * 1.1, out * reach[:, None], light)
    shapes: list[Shape] = [(trunk(height * 0.95, 0.02 * height), bark), (boughs, leaf)]
    b.add("conifer", shapes, at=at, yaw=float(rng.uniform(0, 360)))


def bush(b: SceneBuilder, at: Vec3, leaf: Material, *, size: Vec3 = (0.7, 0.6, 0.6), cards_n: int = 46) -> None:
    """A rounded shrub; `size` holds its half axes."""
    places = ball_points(b.rng, cards_n, size, hollow=0.5) + np.array([0, size[1] * 0.85, 0])
    places[:, 1] = np.maximum(places[:, 1], 0.14)
    edge = float(np.mean(size)) * b.rng.uniform(0.6, 0.95, cards_n)
    b.add("bush", [(cards(places, edge, b.rng, puff=(0, -size[1] * 0.4, 0)), leaf)], at=at, movable=True)


def tufts(
    b: SceneBuilder,
    at: Vec3,
    material: Material,
    *,
    spread: float = 0.6,
    count: int = 9,
    size: float = 0.5,
    noun: str = "grass",
) -> None:
    """A patch of upright cards: grass, ferns, flowers."""
    reach = spread * np.sqrt(b.rng.random(count))
    angle = b.rng.uniform(0, 2 * np.pi, count)
    roots = np.stack([reach * np.cos(angle), np.full(count, -0.03), reach * np.sin(angle)], axis=1)
    shapes: list[Shape] = [(cards(roots, size * b.rng.uniform(0.7, 1.15, count), b.rng, upright=True), material)]
    b.add(noun, shapes, at=at, movable=True)


def boulder(
    b: SceneBuilder,
    at: Vec3,
    stone: Material,
    *,
    radius: float = 0.6,
    squash: float = 0.75,
    movable: bool = True,
    landmark: bool = False,
) -> None:
    """A rock, a third of it in the ground."""
    detail = 1 if radius < 0.33 else 2 if radius < 1.05 else 3
    shape = rock(radius, b.rng, detail=detail).scaled(up=squash)
    noun = "boulder" if radius >= 0.45 else "stone"
    b.add(
        noun,
        [(shape.at(up=radius * squash * 0.55), stone)],
        at=at,
        yaw=float(b.rng.uniform(0, 360)),
        movable=movable,
        landmark=landmark,
    )
