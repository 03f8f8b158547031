"""Procedural textures of streets and nature: paving, roofs, soil, grass, rock, bark.

Conventions as in `revisit_metric.controls.textures`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import bricks, cells, clouds, emboss, grid, smoothstep, uniform
from revisit_metric.controls.painting import Colour, Paint, TextureKind, blend, glossy, per_cell, shade


def _asphalt(rng: np.random.Generator) -> NDArray[np.float32]:
    grains, _, owner = cells(rng, 90)
    stone = per_cell(rng, owner, 0.16) * (grains < 0.42)
    patch = clouds(rng, beta=2.4)
    crack = 1 - smoothstep(0.0, 0.03, np.abs(clouds(rng, beta=2.8)))
    crack = crack * (uniform(clouds(rng, beta=2.6)) > 0.7)
    return shade(blend((0.29, 0.29, 0.3), (0.37, 0.37, 0.38), uniform(patch)), stone - 0.35 * crack)


def _paving(tone: Colour, joint: Colour, *, rows: int, columns: int, offset: float = 0.5) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        mask, number, _, _ = bricks(rows, columns, joint=0.02, offset=offset)
        rough = clouds(rng, beta=1.5, low=3)
        worn = smoothstep(0.2, 0.8, mask + 0.06 * rough)
        face = shade(blend(tone, tone, worn), per_cell(rng, number, 0.07) + 0.05 * rough + emboss(worn, 0.25))
        whole = face * worn[..., None] + np.array(joint, np.float32) * (1 - worn[..., None])
        return shade(whole, 0.05 * clouds(rng, beta=2.6) + 0.05 * clouds(rng, beta=0.7, low=30))

    return paint


def _cobbles(rng: np.random.Generator) -> NDArray[np.float32]:
    mask, number, v, u = bricks(12, 10, joint=0.06)
    dome = smoothstep(0.0, 0.5, np.minimum(np.minimum(v, 1 - v), np.minimum(u, 1 - u)))
    dome = dome + 0.1 * clouds(rng, beta=1.6, low=4)
    tone = np.clip(0.5 + per_cell(rng, number, 0.3), 0, 1)
    stone = shade(blend((0.4, 0.39, 0.38), (0.62, 0.59, 0.55), tone), emboss(dome, 2.2) + 0.25 * (dome - 0.7))
    soft = smoothstep(0.2, 0.9, mask + 0.1 * clouds(rng, beta=1.4, low=4))[..., None]
    return glossy(stone * soft + np.array([0.27, 0.25, 0.21], np.float32) * (1 - soft), 0.05)


def _rubble(rng: np.random.Generator) -> NDArray[np.float32]:
    near, second, owner = cells(rng, 8, jitter=0.75)
    rough = clouds(rng, beta=1.6, low=3)
    stone = smoothstep(0.04, 0.2, second - near + 0.03 * rough)
    tone = np.clip(0.5 + per_cell(rng, owner, 0.3), 0, 1)
    face = shade(blend((0.45, 0.42, 0.38), (0.68, 0.63, 0.55), tone), emboss(stone + 0.12 * rough, 0.6) + 0.06 * rough)
    return face * stone[..., None] + np.array([0.42, 0.39, 0.34], np.float32) * (1 - stone[..., None])


def _ashlar(rng: np.random.Generator) -> NDArray[np.float32]:
    mask, number, _, _ = bricks(6, 3, joint=0.018)
    rough = clouds(rng, beta=1.5, low=3)
    colour = shade(blend((0.74, 0.68, 0.57), (0.82, 0.77, 0.67), uniform(rough)), per_cell(rng, number, 0.06))
    stained = shade(colour, 0.05 * clouds(rng, beta=2.4, stretch=(3.0, 1.0)) + 0.05 * rough + emboss(mask, 0.25))
    return shade(stained, 0.4 * (mask - 1))


def _roof(low: Colour, high: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        _, number, v, u = bricks(10, 12, joint=0.03)
        hollow = np.cos(2 * np.pi * (u - 0.5)) * 0.14
        lip = 0.45 * smoothstep(0.75, 1.0, v) + 0.2 * (1 - smoothstep(0.0, 0.2, v))
        tone = np.clip(0.5 + per_cell(rng, number, 0.25), 0, 1)
        moss = smoothstep(0.9, 1.8, clouds(rng, beta=2.0))
        colour = blend(low, high, tone) * (1 - 0.5 * moss[..., None])
        colour += 0.5 * moss[..., None] * np.array([0.3, 0.34, 0.18], np.float32)
        return shade(colour, hollow - lip + 0.08 * clouds(rng, beta=1.0, low=8))

    return paint


def _gravel(rng: np.random.Generator) -> NDArray[np.float32]:
    near, second, owner = cells(rng, 40)
    body = smoothstep(0.02, 0.3, second - near)
    tone = np.clip(0.5 + per_cell(rng, owner, 0.3), 0, 1)
    return shade(blend((0.5, 0.47, 0.43), (0.78, 0.75, 0.7), tone), 0.5 * (body - 1) + emboss(1 - near, 1.4))


def _soil(low: Colour, high: Colour, litter: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        coarse, fine = clouds(rng, beta=2.0), clouds(rng, beta=0.9, low=10)
        near, _, owner = cells(rng, 44)
        leaf = (rng.random(44 * 44) > 0.6)[owner] & (near < 0.42 + 0.1 * coarse)
        colour = blend(low, high, uniform(coarse + 0.6 * fine))
        tint = shade(blend(litter, litter, near), per_cell(rng, owner, 0.25) - 0.5 * near)
        return shade(np.where(leaf[..., None], tint, colour), 0.1 * fine + emboss(fine, 0.12))

    return paint


def _sand(rng: np.random.Generator) -> NDArray[np.float32]:
    y, _ = grid()
    ripple = np.sin(2 * np.pi * (9 * y + 0.35 * clouds(rng, beta=3.0)))
    fine = clouds(rng, beta=0.5, low=40)
    base = blend((0.76, 0.66, 0.5), (0.86, 0.78, 0.62), uniform(clouds(rng)))
    return shade(base, 0.06 * ripple.astype(np.float32) + 0.05 * fine)


def _grass(low: Colour, high: Colour, dry: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        blades = clouds(rng, beta=0.5, low=16, stretch=(4.0, 1.0)) + clouds(rng, beta=0.5, low=16, stretch=(1.0, 4.0))
        patch = clouds(rng, beta=2.4)
        colour = blend(low, high, uniform(0.7 * blades + 0.6 * patch))
        yellow = 0.6 * smoothstep(0.4, 1.8, clouds(rng, beta=2.2) + 0.3 * blades)[..., None]
        return shade(colour * (1 - yellow) + np.array(dry, np.float32) * yellow, 0.13 * blades)

    return paint


def _moss(rng: np.random.Generator) -> NDArray[np.float32]:
    near, _, owner = cells(rng, 60)
    tone = uniform(clouds(rng, beta=2.0)) + per_cell(rng, owner, 0.15)
    return shade(blend((0.2, 0.26, 0.08), (0.44, 0.52, 0.18), np.clip(tone, 0, 1)), 0.4 * (0.45 - near))


def _rock(low: Colour, high: Colour, *, layered: bool = False) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        stretch = (1.0, 5.0) if layered else (1.0, 1.0)
        relief = clouds(rng, beta=2.0, stretch=stretch)
        ridge = np.float32(1) - np.abs(clouds(rng, beta=2.2, low=2, stretch=stretch))
        crack = 1 - smoothstep(0.0, 0.05, np.abs(clouds(rng, beta=2.5, low=2, stretch=stretch)))
        lichen = smoothstep(1.1, 1.6, clouds(rng, beta=1.6))[..., None]
        colour = blend(low, high, uniform((relief + 0.4 * ridge).astype(np.float32)))
        colour = colour * (1 - 0.4 * lichen) + 0.4 * lichen * np.array([0.66, 0.66, 0.5], np.float32)
        light = emboss(ridge + 0.6 * relief, 1.1) + 0.07 * clouds(rng, beta=0.8, low=14)
        return shade(colour, light - 0.28 * crack)

    return paint


def _bark(low: Colour, high: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        ridge = clouds(rng, beta=1.7, low=3, stretch=(5.0, 1.0))
        furrow = smoothstep(-0.2, 0.7, (np.abs(ridge) - 0.25).astype(np.float32))
        fine = clouds(rng, beta=0.8, low=12, stretch=(3.0, 1.0))
        colour = blend(low, high, furrow)
        return shade(colour, emboss(furrow, 0.7) + 0.1 * fine + 0.06 * clouds(rng))

    return paint


def _birch(rng: np.random.Generator) -> NDArray[np.float32]:
    peel = smoothstep(1.35, 1.7, clouds(rng, beta=1.6, low=3, stretch=(1.0, 7.0)))
    scar = smoothstep(1.6, 1.9, clouds(rng, beta=2.0, low=2, stretch=(1.0, 2.5)))
    base = blend((0.78, 0.76, 0.71), (0.9, 0.89, 0.86), uniform(clouds(rng, beta=1.4, stretch=(1.0, 4.0))))
    return shade(base, np.float32(-0.75) * np.maximum(peel, scar))


def _hedge(rng: np.random.Generator) -> NDArray[np.float32]:
    colour = np.full((512, 512, 3), 0.06, np.float32) * np.array([0.8, 1.2, 0.5], np.float32)
    for count, bright in ((26, 0.55), (32, 0.8), (38, 1.1)):
        near, _, owner = cells(rng, count)
        leaf = (rng.random(count * count) > 0.4)[owner] & (near < 0.46)
        tint = shade(blend((0.2, 0.34, 0.1), (0.36, 0.5, 0.18), near), per_cell(rng, owner, 0.3) - 0.5 * near)
        colour = np.where(leaf[..., None], tint * bright, colour)
    return colour


def _water(rng: np.random.Generator) -> NDArray[np.float32]:
    wave = clouds(rng, beta=2.2, low=3, stretch=(1.0, 3.0))
    return glossy(shade(blend((0.1, 0.19, 0.2), (0.16, 0.27, 0.27), uniform(wave)), 0.1 * wave), 0.75)


OUTDOOR: dict[str, TextureKind] = {
    "asphalt": TextureKind(_asphalt, "surface", "ground"),
    "paving slabs": TextureKind(
        _paving((0.64, 0.62, 0.58), (0.36, 0.35, 0.32), rows=4, columns=4), "surface", "ground"
    ),
    "brick paving": TextureKind(_paving((0.6, 0.4, 0.32), (0.4, 0.36, 0.3), rows=16, columns=8), "surface", "ground"),
    "cobblestones": TextureKind(_cobbles, "surface", "ground"),
    "rubble stone": TextureKind(_rubble, "surface", "masonry"),
    "ashlar stone": TextureKind(_ashlar, "surface", "masonry"),
    "clay roof tiles": TextureKind(_roof((0.5, 0.24, 0.16), (0.7, 0.38, 0.25)), "surface", "roof"),
    "slate": TextureKind(_roof((0.27, 0.29, 0.32), (0.42, 0.44, 0.47)), "surface", "roof"),
    "gravel": TextureKind(_gravel, "surface", "ground"),
    "soil": TextureKind(_soil((0.24, 0.17, 0.11), (0.42, 0.31, 0.21), (0.48, 0.36, 0.2)), "surface", "earth"),
    "leaf litter": TextureKind(_soil((0.22, 0.17, 0.1), (0.38, 0.3, 0.18), (0.6, 0.38, 0.16)), "surface", "earth"),
    "sand": TextureKind(_sand, "surface", "earth"),
    "grass": TextureKind(_grass((0.16, 0.27, 0.07), (0.42, 0.55, 0.2), (0.6, 0.57, 0.3)), "surface", "earth"),
    "dry grass": TextureKind(_grass((0.42, 0.37, 0.18), (0.7, 0.62, 0.36), (0.78, 0.7, 0.5)), "surface", "earth"),
    "moss": TextureKind(_moss, "surface", "earth"),
    "granite": TextureKind(_rock((0.4, 0.39, 0.38), (0.66, 0.64, 0.61)), "surface", "rock"),
    "sandstone": TextureKind(_rock((0.58, 0.42, 0.28), (0.82, 0.66, 0.46), layered=True), "surface", "rock"),
    "dark rock": TextureKind(_rock((0.24, 0.24, 0.25), (0.45, 0.44, 0.43)), "surface", "rock"),
    "oak bark": TextureKind(_bark((0.2, 0.15, 0.11), (0.47, 0.39, 0.31)), "surface", "bark"),
    "pine bark": TextureKind(_bark((0.3, 0.17, 0.1), (0.58, 0.38, 0.25)), "surface", "bark"),
    "birch bark": TextureKind(_birch, "surface", "bark"),
    "hedge": TextureKind(_hedge, "surface", "foliage"),
    "water": TextureKind(_water, "surface", "water"),
}
