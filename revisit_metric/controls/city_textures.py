"""Procedural textures of cities: walls of windows, roller shutters, wall paintings, trapezoidal steel, timber frames.

Conventions as in `revisit_metric.controls.textures`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import SIZE, bricks, clouds, grid, smoothstep, uniform
from revisit_metric.controls.painting import Colour, Paint, TextureKind, blend, glossy, per_cell, shade


def _windows(wall: Colour, pane: Colour, *, rows: int, columns: int, hole: tuple[float, float]) -> Paint:
    """A facade seen from far: `hole` is the share of a cell, (across, up), that its window takes."""

    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        _, number, v, u = bricks(rows, columns, joint=0.001, offset=0.0)
        inside = (np.abs(u - 0.5) < hole[0] / 2) & (np.abs(v - 0.5) < hole[1] / 2)
        bar = (np.abs(u - 0.5) < 0.025) | (np.abs(v - 0.42) < 0.02)
        tone = np.clip(0.35 + per_cell(rng, number, 0.3), 0, 1)
        blind = (rng.random(rows * columns) > 0.72)[number] & (v < 0.5 - hole[1] / 2 + hole[1] * 0.45)
        glass = blend(pane, (0.52, 0.6, 0.68), tone * 0.7)
        glass = np.where(blind[..., None], np.array([0.74, 0.72, 0.66], np.float32), glass)
        glass = np.where(bar[..., None], np.array(wall, np.float32) * np.float32(0.8), glass)
        stain = 0.05 * clouds(rng, beta=2.2, stretch=(3.0, 1.0)) + 0.03 * clouds(rng, beta=0.8, low=10)
        ledge = -0.35 * ((v > 0.5 + hole[1] / 2) & (v < 0.54 + hole[1] / 2) & (np.abs(u - 0.5) < hole[0] / 2))
        face = shade(blend(wall, wall, v), stain + ledge.astype(np.float32))
        return glossy(np.where(inside[..., None], glass, face), 0.55 * (inside & ~bar & ~blind))

    return paint


def _shutter(rng: np.random.Generator) -> NDArray[np.float32]:
    """Horizontal slats of a roller shutter."""
    y, _ = grid()
    t = (y * 20) % 1.0
    light = 0.22 * np.sin(2 * np.pi * t) - 0.5 * (t > 0.9)
    dirt = 0.06 * clouds(rng, beta=2.0, stretch=(4.0, 1.0))
    return glossy(shade(np.full((SIZE, SIZE, 3), 0.74, np.float32), light.astype(np.float32) + dirt), 0.2)


def _trapezoid(rng: np.random.Generator) -> NDArray[np.float32]:
    """Upright corrugations of a freight container, with scratches and a little rust."""
    _, x = grid()
    t = (x * 8) % 1.0
    light = 0.3 * (smoothstep(0.06, 0.2, t) - smoothstep(0.56, 0.7, t)) - 0.16
    rust = smoothstep(1.7, 2.3, clouds(rng, beta=1.9, stretch=(2.5, 1.0)))
    base = blend((0.8, 0.8, 0.8), (0.42, 0.26, 0.17), rust)
    dirt = 0.07 * clouds(rng, beta=2.0, stretch=(5.0, 1.0)) + 0.03 * clouds(rng, beta=0.8, low=12)
    return glossy(shade(base, light + dirt), 0.12 * (1 - rust))


def _mural(rng: np.random.Generator) -> NDArray[np.float32]:
    """A sprayed wall painting: bands, leaves and discs with dark outlines over old render."""
    y, x = grid()
    canvas = np.full((SIZE, SIZE, 3), 0.7, np.float32) * np.array([1.0, 0.97, 0.9], np.float32)
    palette = rng.uniform(0.15, 0.95, (7, 3)).astype(np.float32)
    wave = np.zeros((SIZE, SIZE), np.float32) + 0.2
    for i in range(4):
        wave = (
            wave
            + np.float32(0.16)
            + np.float32(0.07) * np.sin(2 * np.pi * (rng.uniform(0.6, 1.6) * x + rng.random())).astype(np.float32)
        )
        canvas = np.where((y > wave)[..., None], palette[i], canvas)
        canvas[np.abs(y - wave) < 0.012] = 0.08
    for i in range(9):
        cx, cy, r = rng.uniform(0.08, 0.92), rng.uniform(0.1, 0.85), rng.uniform(0.06, 0.17)
        angle = np.arctan2(y - cy, x - cx)
        reach = np.hypot(x - cx, y - cy) / (1 + 0.35 * np.cos(int(rng.integers(2, 7)) * angle + rng.uniform(0, 6)))
        canvas[reach < r + 0.014] = 0.07
        canvas[reach < r] = palette[i % 7]
        canvas[reach < r * 0.45] = palette[(i + 3) % 7]
    worn = smoothstep(1.2, 2.0, clouds(rng, beta=1.8))[..., None]
    return shade(canvas * (1 - worn) + np.float32(0.62) * worn, 0.05 * clouds(rng, beta=1.0, low=8))


def _warning(rng: np.random.Generator) -> NDArray[np.float32]:
    """Slanting red and white bands of a road barrier."""
    y, x = grid()
    red = ((x + y) * 4) % 1.0 < 0.5
    colour = np.where(red[..., None], np.array([0.78, 0.1, 0.08]), np.array([0.9, 0.9, 0.88])).astype(np.float32)
    return shade(colour, 0.05 * clouds(rng, beta=1.4) - 0.2 * smoothstep(1.4, 2.2, clouds(rng, beta=1.8)))


def _timetable(rng: np.random.Generator) -> NDArray[np.float32]:
    """A timetable: a pale sheet with a coloured head and rows of grey dashes."""
    y, x = grid()
    tone = np.full((SIZE, SIZE, 3), 0.88, np.float32)
    head = rng.uniform(0.1, 0.7, 3).astype(np.float32)
    tone = np.where((y < 0.16)[..., None], head, tone)
    rows = (y > 0.22) & (y < 0.94) & ((y * 26) % 1.0 < 0.45) & (x > 0.07) & (x < 0.93)
    dashes = rows & (rng.random((26, 14)) > 0.3)[(y * 26).astype(int), (x * 14).astype(int)]
    tone[dashes] = 0.3
    tone[(np.abs(x - 0.3) < 0.004) & (y > 0.2)] = 0.45
    return glossy(shade(tone, 0.02 * uniform(clouds(rng))), 0.3)


CITY: dict[str, TextureKind] = {
    "office windows": TextureKind(
        _windows((0.62, 0.63, 0.64), (0.14, 0.2, 0.26), rows=4, columns=4, hole=(0.86, 0.72)), "surface", "facade"
    ),
    "flat windows": TextureKind(
        _windows((0.8, 0.76, 0.68), (0.13, 0.15, 0.18), rows=4, columns=4, hole=(0.42, 0.5)), "surface", "facade"
    ),
    "roller shutter": TextureKind(_shutter, "surface", "metal"),
    "container steel": TextureKind(_trapezoid, "surface", "metal"),
    "mural": TextureKind(_mural, "picture", "art"),
    "barrier stripes": TextureKind(_warning, "surface", "barrier"),
    "timetable": TextureKind(_timetable, "picture", "board"),
}
