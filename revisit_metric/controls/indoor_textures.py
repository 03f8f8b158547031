"""Procedural textures of shops, schools and workshops: shelves of goods, chalkboards, maps, ceiling tiles.

Conventions as in `revisit_metric.controls.textures`; every picture is drawn by us, without lettering or fonts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import SIZE, Field, bricks, cells, clouds, grid, smoothstep, uniform
from revisit_metric.controls.painting import Colour, Paint, TextureKind, blend, glossy, per_cell, shade


def _bright(rng: np.random.Generator) -> NDArray[np.float32]:
    """A packaging colour: white or cream now and then, else one hue, pale to strong."""
    if rng.random() < 0.2:
        return np.array([0.93, 0.91, 0.86], np.float32) * np.float32(rng.uniform(0.8, 1.0))
    hue = rng.random() * 2 * np.pi + np.array([0.0, 2.1, 4.2])
    tone = rng.uniform(0.4, 0.68) + rng.uniform(0.1, 0.3) * np.cos(hue) * np.array([1.0, 0.75, 1.0])
    return np.asarray(np.clip(tone, 0.06, 0.95), np.float32)


def _goods(rng: np.random.Generator) -> NDArray[np.float32]:
    """One shelf of packages: runs of equal tins and boxes, a plain label on each."""
    y, x = grid()
    colour = np.full((SIZE, SIZE, 3), 0.07, np.float32)
    left = 0.005
    while left < 0.99:
        width, top = rng.uniform(0.045, 0.09), rng.uniform(0.1, 0.4)
        pack, label = _bright(rng), _bright(rng)
        is_round, low, high = rng.random() < 0.5, rng.uniform(0.2, 0.4), rng.uniform(0.55, 0.8)
        for _ in range(int(rng.integers(2, 5))):
            _package(colour, (y, x), (left, width, top), (pack, label, low, high), is_round=bool(is_round))
            left += width
    return shade(colour, 0.03 * clouds(rng, beta=1.0, low=8))


def _package(
    colour: NDArray[np.float32],
    place: tuple[Field, Field],
    size: tuple[float, float, float],
    look: tuple[NDArray[np.float32], NDArray[np.float32], float, float],
    *,
    is_round: bool,
) -> None:
    y, x = place
    left, width, top = size
    pack, label, low, high = look
    u, v = (x - left) / width, (y - top) / (1 - top)
    inside = (u > 0.03) & (u < 0.97) & (v > 0)
    light = 1.1 - 0.9 * np.abs(u - 0.4) ** 1.5 if is_round else np.where(u < 0.9, 1.0, 0.7)
    colour[inside] = (pack * light[..., None])[inside]
    band = inside & (v > low) & (v < high)
    colour[band] = (label * light[..., None])[band]
    mark = inside & (np.hypot((u - 0.5) * width, (v - (low + high) / 2) * (1 - top)) < 0.28 * width)
    colour[mark] = (np.clip(1.3 * pack + 0.2, 0, 1) * light[..., None])[mark]


def _jars(rng: np.random.Generator) -> NDArray[np.float32]:
    """One shelf of jars and bottles with lids or corks."""
    y, x = grid()
    colour = blend((0.1, 0.08, 0.06), (0.17, 0.14, 0.11), y)
    left = 0.01
    while left < 0.97:
        width, top = rng.uniform(0.05, 0.1), rng.uniform(0.12, 0.45)
        neck = rng.uniform(0.12, 0.3)
        half = np.where(y < top + neck * (1 - top), rng.uniform(0.16, 0.46), 0.46)
        u = (x - left) / width - 0.5
        inside = (np.abs(u) < half) & (y > top)
        tone, light = _bright(rng), 0.75 + 0.5 * np.exp(-(((u + 0.2) / 0.12) ** 2)) - 0.7 * u**2
        colour[inside] = (tone * 0.8 * light[..., None])[inside]
        lid = (np.abs(u) < half + 0.03) & (y > top) & (y < top + 0.045)
        colour[lid] = np.array([0.62, 0.5, 0.32], np.float32) * rng.uniform(0.5, 1.2)
        left += width + rng.uniform(0.0, 0.02)
    return glossy(shade(colour, 0.03 * clouds(rng)), 0.2)


def _chalkboard(rng: np.random.Generator) -> NDArray[np.float32]:
    """Curves, axes and polygons in chalk on a wiped board."""
    y, x = grid()
    board = blend((0.1, 0.2, 0.15), (0.17, 0.28, 0.22), uniform(clouds(rng, beta=2.4, stretch=(1.0, 3.0))))
    ink = np.zeros((SIZE, SIZE), np.float32)
    for column in range(3):
        cx, cy, r = 0.18 + 0.32 * column, rng.uniform(0.35, 0.65), rng.uniform(0.1, 0.15)
        ink = np.maximum(ink, _chalk_figure(rng, x - np.float32(cx), y - np.float32(cy), float(r)))
    grain = smoothstep(-0.9, 0.4, clouds(rng, beta=0.6, low=30))
    chalk = np.clip(ink * (0.55 + 0.45 * grain), 0, 1)[..., None]
    tone = np.array((0.93, 0.93, 0.88), np.float32)
    return np.asarray(board * (1 - chalk) + tone * chalk, np.float32)


def _chalk_figure(rng: np.random.Generator, u: Field, v: Field, r: float) -> Field:
    """1 where one figure of about radius `r` around (0, 0) is drawn: a curve, a circle, a triangle or bars."""
    kind, line = int(rng.integers(4)), 0.007
    inside = (np.abs(u) < r) & (np.abs(v) < r)
    axes = (np.abs(v - r) < line) & (np.abs(u) < r)
    if kind == 0:
        curve = np.abs(v - r * 0.7 * np.sin(u / r * rng.uniform(2, 5))) < line * 1.6
        drawn = axes | (inside & curve) | ((np.abs(u + r) < line) & (np.abs(v) < r))
    elif kind == 1:
        chord = inside & (np.abs(v - u * rng.uniform(-1, 1)) < line) & (np.hypot(u, v) < r * 0.9)
        drawn = chord | (np.abs(np.hypot(u, v) - r * 0.9) < line)
    elif kind == 2:
        edge = np.maximum(1.7 * np.abs(u) - v - r * 0.1, v - r * 0.7)
        drawn = inside & (np.abs(edge) < line * 1.5)
    else:
        bar = np.floor((u + r) / r * 4).astype(int).clip(0, 7)
        height = rng.uniform(0.3, 1.8, 8)[bar] * r
        sides = (v - r > -height) & (np.mod(u + r, r / 4) < line)
        drawn = axes | (inside & (sides | (np.abs(v - r + height) < line)))
    return np.asarray(drawn, np.float32)


def _world_map(rng: np.random.Generator) -> NDArray[np.float32]:
    """Invented continents on a sea with a graticule."""
    y, x = grid()
    relief = clouds(rng, beta=3.0) + 0.7 * np.cos((x - 0.5) * 9.0).astype(np.float32) * np.sin(y * 7.0)
    land = relief > 0.55
    coast = np.abs(relief - 0.55) < 0.1
    colour = blend((0.46, 0.64, 0.78), (0.62, 0.77, 0.86), uniform(clouds(rng, beta=2.6)))
    _, _, owner = cells(rng, 9)
    tones = rng.uniform((0.6, 0.5, 0.3), (0.95, 0.85, 0.6), (81, 3)).astype(np.float32)
    colour = np.where(land[..., None], tones[owner], colour)
    colour[coast] *= np.float32(0.55)
    lines = (np.mod(x * 12, 1.0) < 0.03) | (np.mod(y * 8, 1.0) < 0.024)
    colour[lines] *= np.float32(0.85)
    rim = np.minimum(np.minimum(x, 1 - x) * 1.5, np.minimum(y, 1 - y)) < 0.03
    colour[rim] = (0.93, 0.9, 0.82)
    return colour


def _pinboard(rng: np.random.Generator) -> NDArray[np.float32]:
    """Sheets, photographs and notes pinned on cork."""
    y, x = grid()
    grain = clouds(rng, beta=0.8, low=16)
    colour = shade(blend((0.6, 0.42, 0.26), (0.74, 0.55, 0.36), uniform(grain)), 0.05 * grain)
    for row in range(3):
        for column in range(5):
            if rng.random() < 0.2:
                continue
            cx, cy = 0.1 + 0.2 * column + rng.uniform(-0.02, 0.02), 0.18 + 0.32 * row + rng.uniform(-0.03, 0.03)
            w, h, lean = rng.uniform(0.055, 0.085), rng.uniform(0.09, 0.14), rng.normal(0, 0.07)
            u, v = x - cx + lean * (y - cy), y - cy - lean * (x - cx)
            sheet = (np.abs(u) < w) & (np.abs(v) < h)
            colour[sheet] = rng.uniform(0.82, 0.97, 3) if rng.random() < 0.5 else _bright(rng)
            mark = sheet & (np.abs(u) < w * 0.75) & (np.mod(v / h * 4, 1.0) < 0.3) & (np.abs(v) < h * 0.8)
            blot = np.hypot(u, v * 0.8) < w * 0.65
            colour[mark if rng.random() < 0.6 else blot] = _bright(rng) * 0.7
            colour[np.hypot(u, v + h * 0.85) < 0.009] = (0.75, 0.1, 0.1)
    return colour


def _ceiling_tiles(rng: np.random.Generator) -> NDArray[np.float32]:
    mask, number, _, _ = bricks(4, 4, joint=0.012, offset=0.0)
    near, _, _ = cells(rng, 60)
    holes = 1 - smoothstep(0.1, 0.2, near)
    face = shade(blend((0.86, 0.86, 0.84), (0.9, 0.9, 0.88), mask), per_cell(rng, number, 0.015) - 0.22 * holes)
    rail = np.array((0.95, 0.95, 0.95), np.float32)
    return np.asarray(face * mask[..., None] + 0.8 * rail * (1 - mask[..., None]), np.float32)


def _corrugated(low: Colour, high: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        _, x = grid()
        wave = np.cos(2 * np.pi * 14 * x).astype(np.float32)
        streak = clouds(rng, beta=1.8, low=2, stretch=(10.0, 1.0))
        colour = blend(low, high, uniform(streak))
        return glossy(shade(colour, 0.2 * wave + 0.04 * clouds(rng, beta=1.0, low=8)), 0.2 + 0.1 * wave)

    return paint


INDOOR: dict[str, TextureKind] = {
    "shop goods": TextureKind(_goods, "picture", "goods"),
    "jars": TextureKind(_jars, "picture", "goods"),
    "chalkboard": TextureKind(_chalkboard, "picture", "board"),
    "world map": TextureKind(_world_map, "picture", "board"),
    "pinboard": TextureKind(_pinboard, "picture", "board"),
    "ceiling tiles": TextureKind(_ceiling_tiles, "surface", "tile"),
    "corrugated metal": TextureKind(_corrugated((0.55, 0.57, 0.58), (0.68, 0.7, 0.71)), "surface", "metal"),
}
