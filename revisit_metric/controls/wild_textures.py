"""Procedural textures of wild places: snow, cracked earth, cactus skin, reeds, snow-laden boughs, blossoms.

Conventions as in `revisit_metric.controls.textures`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import SIZE, cells, clouds, emboss, grid, smoothstep, uniform
from revisit_metric.controls.painting import Colour, Paint, TextureKind, blend, glossy, per_cell, shade


def _snow(rng: np.random.Generator) -> NDArray[np.float32]:
    drift = clouds(rng, beta=2.6, low=2, stretch=(1.0, 2.0))
    grain = clouds(rng, beta=0.4, low=50)
    base = blend((0.8, 0.85, 0.93), (0.93, 0.94, 0.97), uniform(drift))
    return glossy(shade(base, emboss(drift, 0.12) + 0.02 * grain), 0.06)


def _cracked_earth(rng: np.random.Generator) -> NDArray[np.float32]:
    near, second, owner = cells(rng, 11, jitter=0.95)
    rough = clouds(rng, beta=1.6, low=3)
    plate = smoothstep(0.02, 0.11, second - near + 0.02 * rough)
    tone = np.clip(0.5 + per_cell(rng, owner, 0.18) + 0.15 * rough, 0, 1)
    face = shade(blend((0.62, 0.46, 0.32), (0.78, 0.62, 0.45), tone), emboss(plate + 0.1 * rough, 0.5))
    return face * (0.4 + 0.6 * plate[..., None])


def _cactus_skin(rng: np.random.Generator) -> NDArray[np.float32]:
    """Upright ribs with a row of pale thorns on each."""
    y, x = grid()
    rib = np.float32(0.5) + np.float32(0.5) * np.cos(2 * np.pi * 16 * x)
    colour = shade(blend((0.13, 0.22, 0.1), (0.4, 0.5, 0.25), rib), 0.08 * clouds(rng, beta=1.6))
    thorn = (np.abs((y * 24) % 1 - 0.5) < 0.2) & (rib > 0.93)
    colour[thorn] = (0.82, 0.76, 0.58)
    return colour


def _blade(canvas: NDArray[np.float32], rng: np.random.Generator, tone: NDArray[np.float64], *, head: bool) -> None:
    """One bent blade from the lower edge; with a brown seed head or without."""
    y, x = grid()
    up = 1.0 - y
    root, tip, tall = rng.uniform(0.15, 0.85), rng.normal(0, 0.11), rng.uniform(0.55, 0.97)
    t = up / tall
    centre = root + tip * t**2
    inside = (t < 1) & (np.abs(x - centre) < 0.012 * (1.2 - t))
    light = (0.45 + 0.6 * t)[..., None]
    canvas[inside] = np.concatenate([tone * light, np.ones((SIZE, SIZE, 1))], 2)[inside]
    if head:
        canvas[(np.abs(x - centre) < 0.017) & (t > 0.8) & (t < 0.96)] = (0.3, 0.19, 0.1, 1.0)


def _reeds(rng: np.random.Generator) -> NDArray[np.float32]:
    canvas = np.zeros((SIZE, SIZE, 4), np.float32)
    canvas[..., :3] = (0.2, 0.28, 0.1)
    for i in range(34):
        mix = rng.random()
        tone = np.array([0.22, 0.33, 0.1]) * (1 - mix) + np.array([0.6, 0.58, 0.26]) * mix
        _blade(canvas, rng, tone, head=i % 3 == 0)
    return canvas


def _laden_needles(rng: np.random.Generator) -> NDArray[np.float32]:
    """A spruce bough whose twigs carry snow along their backs."""
    y, x = grid()
    canvas = np.zeros((SIZE, SIZE, 4), np.float32)
    canvas[..., :3] = (0.3, 0.35, 0.36)
    for twig in range(15):
        a = np.pi * (0.04 + 0.92 * twig / 14) + rng.normal(0, 0.05)
        length = rng.uniform(0.7, 0.97)
        dx, dy = x - 0.5, 0.98 - y
        along = (dx * np.cos(a) + dy * np.sin(a)) / length
        across = (-dx * np.sin(a) + dy * np.cos(a)) / 0.06
        comb = np.abs((along * 24 - np.abs(across) * 1.5) % 1 - 0.5) < 0.32
        inside = (along > 0.05) & (along < 1) & (np.abs(across) < 1.15 - 0.8 * along) & comb
        canvas[inside] = (*(np.array([0.13, 0.23, 0.16]) * rng.uniform(0.8, 1.4)), 1.0)
        snow = (along > 0.12) & (along < 0.97) & (np.abs(across) < rng.uniform(0.1, 0.5) * (1.1 - 0.6 * along))
        canvas[snow] = (*(np.array([0.9, 0.93, 0.97]) * rng.uniform(0.9, 1.0)), 1.0)
    return canvas


def _blossoms(petals: Colour, heart: Colour, *, stems: int) -> Paint:
    """Round blossoms on stems among a few leaves."""

    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        y, x = grid()
        canvas = np.zeros((SIZE, SIZE, 4), np.float32)
        canvas[..., :3] = (0.14, 0.26, 0.07)
        for i in range(stems + 26):
            _blade(canvas, rng, np.array([0.2, 0.36, 0.1]) * rng.uniform(0.8, 1.3), head=False)
            if i < stems:
                at = rng.uniform(0.12, 0.88), rng.uniform(0.08, 0.6)
                reach, turn = np.hypot(x - at[0], y - at[1]), np.arctan2(y - at[1], x - at[0])
                petal = reach < 0.05 + 0.012 * np.cos(5 * turn + i)
                tone = np.array(petals)[None, None] * (0.65 + 6 * reach[..., None])
                canvas[petal] = np.concatenate([np.minimum(tone, 1), np.ones((SIZE, SIZE, 1))], 2)[petal]
                canvas[reach < 0.016] = (*heart, 1.0)
        return canvas

    return paint


WILD: dict[str, TextureKind] = {
    "snow": TextureKind(_snow, "surface", "earth"),
    "cracked earth": TextureKind(_cracked_earth, "surface", "earth"),
    "cactus skin": TextureKind(_cactus_skin, "surface", "rind"),
    "reeds": TextureKind(_reeds, "cutout", "tuft"),
    "snowy needles": TextureKind(_laden_needles, "cutout", "foliage"),
    "poppies": TextureKind(_blossoms((0.85, 0.16, 0.1), (0.1, 0.08, 0.08), stems=11), "cutout", "tuft"),
    "buttercups": TextureKind(_blossoms((0.95, 0.8, 0.15), (0.8, 0.5, 0.1), stems=16), "cutout", "tuft"),
    "gentians": TextureKind(_blossoms((0.25, 0.28, 0.85), (0.9, 0.9, 0.7), stems=14), "cutout", "tuft"),
}
