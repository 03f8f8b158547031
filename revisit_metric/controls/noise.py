"""Tileable noise fields, the raw material of the procedural textures.

Conventions: fields are float32 (SIZE, SIZE), wrap at their edges, row 0 on top; `uniform` fields lie in [0,
1].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft2, rfft2

SIZE = 512

Field = NDArray[np.float32]


def grid() -> tuple[Field, Field]:
    """Row and column coordinates of every texel, in [0, 1)."""
    line = (np.arange(SIZE, dtype=np.float32) + 0.5) / SIZE
    rows, columns = np.meshgrid(line, line, indexing="ij")
    return rows.astype(np.float32), columns.astype(np.float32)


def clouds(
    rng: np.random.Generator,
    *,
    beta: float = 2.0,
    low: float = 1.0,
    stretch: tuple[float, float] = (1.0, 1.0),
) -> Field:
    """Fractal noise with spectrum 1/f^beta, mean 0, standard deviation 1.

    Args:
        rng: source of the phases.
        beta: steepness of the spectrum; 1 is rough, 3 soft.
        low: frequencies below this many periods per texture are removed (keeps tiling unobtrusive).
        stretch: (rows, columns) factors; (8, 1) draws the pattern out eight times along the rows' axis
            (vertically).

    Example:
        >>> field = clouds(np.random.default_rng(0))
        >>> field.shape, round(float(field.std()), 3)
        ((512, 512), 1.0)
    """
    fy = np.fft.fftfreq(SIZE, 1.0 / SIZE)[:, None] * stretch[0]
    fx = np.fft.rfftfreq(SIZE, 1.0 / SIZE)[None, :] * stretch[1]
    radius = np.hypot(fy, fx)
    gain = np.where(radius >= low, np.maximum(radius, 0.5) ** (-beta / 2.0), 0.0)
    white = rng.standard_normal((SIZE, SIZE), dtype=np.float32)
    field = irfft2(rfft2(white) * gain.astype(np.float32), s=(SIZE, SIZE))
    return np.asarray((field - field.mean()) / field.std(), np.float32)


def cells(rng: np.random.Generator, count: int, *, jitter: float = 0.9) -> tuple[Field, Field, NDArray[np.int64]]:
    """Voronoi cells of a jittered `count` x `count` grid.

    Returns:
        Distance to the nearest point and to the second nearest (in cell widths), and the index of the nearest
        point (0..count^2-1).
    """
    shift = 0.5 + (rng.random((count, count, 2)).astype(np.float32) - 0.5) * jitter
    rows, columns = (a * count for a in grid())
    base_r, base_c = rows.astype(np.int64), columns.astype(np.int64)
    first = np.full((SIZE, SIZE), 9.0, np.float32)
    second = first.copy()
    owner = np.zeros((SIZE, SIZE), np.int64)
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            r, c = base_r + dr, base_c + dc
            point = shift[r % count, c % count]
            distance = np.hypot(r + point[..., 0] - rows, c + point[..., 1] - columns).astype(np.float32)
            closer = distance < first
            second = np.where(closer, first, np.minimum(second, distance))
            owner = np.where(closer, (r % count) * count + c % count, owner)
            first = np.where(closer, distance, first)
    return first, second, owner


def bricks(
    rows: int, columns: int, *, joint: float, offset: float = 0.5
) -> tuple[Field, NDArray[np.int64], Field, Field]:
    """A running bond of `rows` courses with `columns` bricks each.

    Args:
        rows: number of courses; even when `offset` is 0.5, so that the pattern tiles.
        columns: bricks per course.
        joint: half width of the mortar, in course heights.
        offset: shift of every other course, in bricks.

    Returns:
        Mask (1 inside a brick, 0 in the joint, soft edge), brick number, and the position (row, column) in
        [0, 1) inside the brick.
    """
    y, x = grid()
    course = np.floor(y * rows)
    along = x * columns + offset * (course % 2)
    number = np.floor(along) % columns
    v, u = y * rows - course, along - np.floor(along)
    aspect = rows / columns
    edge = np.minimum(np.minimum(v, 1 - v), np.minimum(u, 1 - u) * aspect)
    mask = smoothstep(joint * 0.6, joint * 1.6, edge)
    return mask, (course * columns + number).astype(np.int64), v.astype(np.float32), u.astype(np.float32)


def smoothstep(low: float, high: float, value: Field) -> Field:
    """0 below `low`, 1 above `high`, smooth between."""
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t), np.float32)


def uniform(field: Field) -> Field:
    """A mean 0, deviation 1 field squeezed into [0, 1]."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.8 * field), np.float32)


def emboss(height: Field, strength: float = 1.0) -> Field:
    """Shading of a height field lit from the upper left, around 0: relief of stones and planks."""
    slope = (height - np.roll(height, (1, 1), (0, 1))) * strength
    return np.asarray(np.clip(slope, -0.35, 0.35), np.float32)
