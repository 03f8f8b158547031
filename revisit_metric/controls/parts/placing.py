"""Where to put things in open country: near the path but off it, and all around in the distance.

Conventions: authoring frame; places are (x, z) in metres.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from revisit_metric.controls.builder import on_path

NEAR_X, NEAR_Z = (-9.0, 16.0), (-1.5, 6.0)


def spots(
    rng: np.random.Generator,
    count: int,
    *,
    x: tuple[float, float] = NEAR_X,
    z: tuple[float, float] = NEAR_Z,
    margin_m: float = 0.6,
) -> Iterator[tuple[float, float]]:
    """Of `count` random places, those at least `margin_m` beside the path of every template.

    Example:
        >>> all(not on_path(x, z, 0.6) for x, z in spots(np.random.default_rng(0), 50))
        True
    """
    for _ in range(count):
        px, pz = float(rng.uniform(*x)), float(rng.uniform(*z))
        if not on_path(px, pz, margin_m):
            yield px, pz


def around(
    rng: np.random.Generator, count: int, *, near_m: float, far_m: float, half_deg: float = 130.0
) -> Iterator[tuple[float, float]]:
    """`count` random places on a ring about the path, within `half_deg` of straight ahead."""
    for _ in range(count):
        angle = float(np.radians(rng.uniform(-half_deg, half_deg)))
        reach = float(rng.uniform(near_m, far_m))
        yield 3.5 + reach * float(np.sin(angle)), 2.0 + 0.9 * reach * float(np.cos(angle))


def slots(rng: np.random.Generator, left: float, middle: float, right: float) -> list[float]:
    """Three x places in random order; the first, for what is large, is never the right one: that stays in view."""
    large, other = (float(v) for v in rng.permutation([left, middle]))
    return [large, *(float(v) for v in rng.permutation([other, right]))]


def along(rng: np.random.Generator, low: float, high: float, step: float, *, sway: float = 0.3) -> Iterator[float]:
    """Places from `low` to `high` about `step` apart, each moved by up to `sway`."""
    for value in np.arange(low, high, step):
        yield float(value + rng.uniform(-sway, sway))
