"""Procedural textures of rooms and buildings: wood, brick, plaster, tiles, cloth, metal, paint.

Conventions as in `revisit_metric.controls.textures`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import SIZE, bricks, cells, clouds, emboss, grid, smoothstep, uniform
from revisit_metric.controls.painting import Colour, Paint, TextureKind, blend, glossy, per_cell, shade


def _wood(rng: np.random.Generator, low: Colour, high: Colour) -> NDArray[np.float32]:
    rings = np.sin(
        2 * np.pi * (6 * clouds(rng, beta=3.2, stretch=(12.0, 1.0)) * 0.35 + 3 * uniform(clouds(rng, beta=3.4)))
    )
    pores = clouds(rng, beta=0.8, low=20, stretch=(24.0, 1.0))
    tone = uniform(0.55 * rings.astype(np.float32) + 0.4 * clouds(rng, beta=2.4, stretch=(8.0, 1.0)))
    return shade(blend(low, high, tone), 0.05 * pores)


def _planks(low: Colour, high: Colour, *, boards: int = 5, gloss: float = 0.25) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        # Boards run down the texture; every column is cut at its own height.
        y, x = grid()
        column = np.floor(x * boards).astype(np.int64)
        cut = rng.random(boards).astype(np.float32)[column]
        half = np.floor((y + cut) * 2).astype(np.int64) % 2
        board = column * 2 + half
        along = (y + cut) * 2 % 1.0
        across = x * boards % 1.0
        edge = np.minimum(np.minimum(across, 1 - across), np.minimum(along, 1 - along) * boards / 2)
        mask = smoothstep(0.006, 0.03, edge)
        rows = (np.arange(SIZE)[:, None] + rng.integers(0, SIZE, boards * 2)[board]) % SIZE
        grain = _wood(rng, low, high)[rows, np.arange(SIZE)[None, :]]
        colour = shade(grain, per_cell(rng, board, 0.1) + 0.1 * (mask - 1) * 6)
        return glossy(colour, gloss * mask * (0.8 + 0.2 * uniform(clouds(rng))))

    return paint


def _solid_wood(low: Colour, high: Colour, gloss: float = 0.2) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        return glossy(_wood(rng, low, high), gloss)

    return paint


def _parquet(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    count = 4
    square = (np.floor(y * count) + np.floor(x * count)) % 2 == 0
    strips = 5
    across = np.where(square, x, y) * count * strips
    tile = np.floor(y * count) * count + np.floor(x * count)
    strip = (tile * strips + np.floor(across) % strips).astype(np.int64)
    wood = _wood(rng, (0.45, 0.28, 0.15), (0.66, 0.45, 0.26))
    wood = np.where(square[..., None], wood, wood.transpose(1, 0, 2))
    inner = across % 1.0
    mask = smoothstep(0.01, 0.07, np.minimum(inner, 1 - inner))
    along = np.where(square, y, x) * count % 1.0
    mask *= smoothstep(0.002, 0.014, np.minimum(along, 1 - along))
    return glossy(shade(wood, per_cell(rng, strip, 0.11) + 0.55 * (mask - 1)), 0.3 * mask)


def _brick(low: Colour, high: Colour, mortar: Colour, *, rows: int = 16, columns: int = 6) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        mask, number, _, _ = bricks(rows, columns, joint=0.07)
        rough = clouds(rng, beta=1.4, low=4)
        mask = smoothstep(0.3, 0.75, mask + 0.12 * rough)
        tone = np.clip(0.5 + per_cell(rng, number, 0.28) + 0.1 * rough, 0, 1)
        colour = shade(blend(low, high, tone), emboss(mask + 0.12 * rough, 0.35) + 0.05 * clouds(rng, beta=0.6, low=30))
        joint = shade(blend(mortar, mortar, mask), 0.07 * rough)
        whole = joint * (1 - mask[..., None]) + colour * mask[..., None]
        return shade(whole, 0.06 * clouds(rng, beta=2.6))

    return paint


def _plaster(base: Colour, *, rough: float = 0.05) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        coarse, fine = clouds(rng, beta=2.4), clouds(rng, beta=1.0, low=12)
        stains = 0.012 * clouds(rng, beta=2.6, stretch=(3.0, 1.0))
        trowel = emboss(clouds(rng, beta=2.0, low=3), 0.8 * rough)
        return shade(blend(base, base, coarse), stains + rough * 0.35 * fine + 0.25 * rough * coarse + trowel)

    return paint


def _concrete(rng: np.random.Generator) -> NDArray[np.float32]:
    coarse, fine = clouds(rng, beta=2.2), clouds(rng, beta=0.9, low=8)
    pits, _, _ = cells(rng, 24)
    hole = 1 - smoothstep(0.05, 0.11, pits)
    keep = uniform(clouds(rng, beta=2.0)) > 0.62
    return shade(blend((0.5, 0.5, 0.49), (0.66, 0.65, 0.63), uniform(coarse)), 0.06 * fine - 0.35 * hole * keep)


def _tiles(tone: Colour, grout: Colour, *, count: int = 6, spread: float = 0.06, gloss: float = 0.5) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        mask, number, v, u = bricks(count, count, joint=0.022, offset=0.0)
        veins = clouds(rng, beta=2.2)
        pillow = 0.06 * (smoothstep(0.0, 0.12, np.minimum(np.minimum(v, 1 - v), np.minimum(u, 1 - u))) - 1)
        face = shade(blend(tone, tone, veins), per_cell(rng, number, spread) + 0.03 * veins + pillow)
        whole = face * mask[..., None] + np.array(grout, np.float32) * (1 - mask[..., None])
        return glossy(shade(whole, 0.02 * clouds(rng, beta=1.0, low=6)), gloss * mask)

    return paint


def _checker(dark: Colour, light: Colour, *, count: int = 4) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        mask, _, _, _ = bricks(count, count, joint=0.012, offset=0.0)
        y, x = grid()
        odd = ((np.floor(y * count) + np.floor(x * count)) % 2).astype(np.float32)
        vein = 1 - smoothstep(0.0, 0.12, np.abs(clouds(rng, beta=2.4)))
        colour = shade(blend(dark, light, odd), 0.05 * clouds(rng, beta=1.6) + 0.12 * vein * (1 - 1.4 * odd))
        return glossy(shade(colour, 0.4 * (mask - 1)), 0.45 * mask)

    return paint


def _subway(tone: Colour, grout: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        mask, number, v, _ = bricks(12, 6, joint=0.035)
        face = shade(blend(tone, tone, v), per_cell(rng, number, 0.035) + 0.07 * (0.5 - v))
        return glossy(face * mask[..., None] + np.array(grout, np.float32) * (1 - mask[..., None]), 0.6 * mask)

    return paint


def _marble(base: Colour, vein: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        warp = clouds(rng, beta=2.8)
        lines = 1 - smoothstep(0.0, 0.16, np.abs(clouds(rng, beta=2.6) + 0.35 * warp))
        thin = 1 - smoothstep(0.0, 0.06, np.abs(clouds(rng, beta=2.3)))
        amount = np.clip(0.55 * lines * uniform(warp) + 0.4 * thin + 0.12 * uniform(clouds(rng, beta=2.0)), 0, 1)
        return glossy(blend(base, vein, amount), 0.5)

    return paint


def _terrazzo(rng: np.random.Generator) -> NDArray[np.float32]:
    near, _, owner = cells(rng, 34)
    chips = np.array([[0.75, 0.72, 0.66], [0.45, 0.4, 0.36], [0.72, 0.5, 0.4], [0.35, 0.42, 0.4], [0.9, 0.88, 0.84]])
    colour = chips[rng.integers(0, 5, 34 * 34)][owner].astype(np.float32)
    size = rng.uniform(0.12, 0.5, 34 * 34)[owner].astype(np.float32)
    mask = (near < size)[..., None]
    ground = shade(blend((0.8, 0.78, 0.74), (0.8, 0.78, 0.74), near), 0.03 * clouds(rng, beta=1.2))
    return glossy(np.where(mask, colour, ground), 0.4)


def _fabric(base: Colour, *, weave: int = 64, contrast: float = 0.16) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        y, x = grid()
        over = np.sin(2 * np.pi * weave * x) * np.sin(np.pi * weave * y) ** 2
        under = np.sin(2 * np.pi * weave * y) * np.cos(np.pi * weave * x) ** 2
        slub = clouds(rng, beta=1.2, low=6, stretch=(1.0, 8.0)) + clouds(rng, beta=1.2, low=6, stretch=(8.0, 1.0))
        light = contrast * (0.5 * over + 0.5 * under) + 0.05 * slub + 0.05 * clouds(rng, beta=2.4)
        return shade(blend(base, base, x), light.astype(np.float32))

    return paint


def _stripes(colours: tuple[Colour, ...], *, bands: int = 12) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        _, x = grid()
        wide = rng.dirichlet(np.full(bands, 4.0)).cumsum()
        band = np.searchsorted(wide, x.ravel()).reshape(x.shape).clip(0, bands - 1)
        order = np.resize(rng.permutation(len(colours)), bands)
        colour = np.array(colours, np.float32)[order][band]
        return shade(colour, 0.06 * clouds(rng, beta=1.0, low=10) + 0.03 * clouds(rng, beta=2.2))

    return paint


def _damask(base: Colour, figure: Colour, *, repeat: int = 4) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        y, x = grid()
        u = np.abs((x * repeat + 0.5 * (np.floor(y * repeat) % 2)) % 1.0 - 0.5) * 2
        v = (y * repeat) % 1.0
        petal = np.cos(3 * np.arctan2(v - 0.5, u + 1e-3) + 5 * np.hypot(u, v - 0.5) + rng.uniform(0, 6))
        mask = smoothstep(0.0, 0.25, (petal - 0.9 * np.hypot(u, 1.3 * (v - 0.5)) + 0.25).astype(np.float32))
        return shade(blend(base, figure, 0.75 * mask), 0.02 * clouds(rng, beta=1.0, low=8) + 0.02 * clouds(rng))

    return paint


def _carpet(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    hue = rng.permutation(4)
    palette = np.array([[0.48, 0.13, 0.12], [0.14, 0.2, 0.35], [0.76, 0.64, 0.42], [0.22, 0.33, 0.26]])[hue]
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    u, v = np.abs(x - 0.5) * 2, np.abs(y - 0.5) * 2
    diamond = np.floor((u + v) * 7).astype(int) % 4
    lattice = (np.sin(44 * u) * np.sin(44 * v) > 0.3).astype(int)
    inside = np.where(u + v < 0.9, (diamond + lattice) % 3, (lattice * 2 + (np.sin(60 * (u - v)) > 0.6)) % 4)
    bands = np.floor(edge * 40).astype(int)
    motif = (np.sin(2 * np.pi * 24 * np.where(np.minimum(x, 1 - x) < np.minimum(y, 1 - y), y, x)) > 0.2).astype(int)
    border = np.choose(np.clip(bands, 0, 5), [0 * motif + 2, 0 * motif + 1, motif, 1 + motif, 0 * motif + 2, 0 * motif])
    number = np.where(edge < 0.14, border, inside)
    pile = 0.12 * clouds(rng, beta=0.7, low=40) + 0.06 * clouds(rng, beta=2.0)
    return shade(palette[number].astype(np.float32), pile)


def _leather(base: Colour) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        near, second, _ = cells(rng, 52)
        crease = smoothstep(0.0, 0.22, second - near)
        return glossy(shade(blend(base, base, near), 0.3 * (crease - 1) + 0.06 * clouds(rng)), 0.3 * crease)

    return paint


def _metal(base: Colour, gloss: float) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        brushed = clouds(rng, beta=0.6, low=6, stretch=(1.0, 40.0))
        colour = shade(blend(base, base, brushed), 0.05 * brushed + 0.04 * clouds(rng, beta=2.4))
        return glossy(colour, gloss + 0.05 * brushed)

    return paint


def _rust(rng: np.random.Generator) -> NDArray[np.float32]:
    patch = smoothstep(0.0, 0.8, clouds(rng, beta=2.2))
    grain = clouds(rng, beta=1.0, low=10)
    paint = blend((0.32, 0.42, 0.44), (0.36, 0.47, 0.48), uniform(grain))
    rust = blend((0.3, 0.15, 0.08), (0.58, 0.3, 0.14), uniform(clouds(rng, beta=1.5)))
    return glossy(shade(paint * (1 - patch[..., None]) + rust * patch[..., None], 0.08 * grain), 0.15 * (1 - patch))


def _painted(base: Colour, *, worn: float = 0.0) -> Paint:
    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        brush = clouds(rng, beta=1.4, low=3, stretch=(14.0, 1.0))
        scratch = smoothstep(1.7, 2.4, clouds(rng, beta=1.6)) * worn
        colour = shade(blend(base, (0.5, 0.4, 0.3), scratch), 0.03 * brush + 0.02 * clouds(rng))
        return glossy(colour, 0.18 * (1 - scratch))

    return paint


SURFACES: dict[str, TextureKind] = {
    "oak planks": TextureKind(_planks((0.5, 0.34, 0.2), (0.74, 0.56, 0.36)), "surface", "wood"),
    "walnut planks": TextureKind(_planks((0.24, 0.15, 0.1), (0.44, 0.29, 0.19)), "surface", "wood"),
    "grey planks": TextureKind(_planks((0.4, 0.38, 0.35), (0.62, 0.6, 0.56), gloss=0.05), "surface", "wood"),
    "parquet": TextureKind(_parquet, "surface", "wood"),
    "oak": TextureKind(_solid_wood((0.52, 0.35, 0.2), (0.74, 0.55, 0.35)), "surface", "wood"),
    "walnut": TextureKind(_solid_wood((0.25, 0.15, 0.09), (0.45, 0.29, 0.18)), "surface", "wood"),
    "pine": TextureKind(_solid_wood((0.72, 0.54, 0.33), (0.88, 0.73, 0.5)), "surface", "wood"),
    "red brick": TextureKind(_brick((0.42, 0.17, 0.12), (0.68, 0.34, 0.24), (0.68, 0.64, 0.58)), "surface", "masonry"),
    "brick": TextureKind(_brick((0.5, 0.34, 0.24), (0.76, 0.58, 0.42), (0.6, 0.57, 0.52)), "surface", "masonry"),
    "white brick": TextureKind(_brick((0.8, 0.79, 0.76), (0.9, 0.89, 0.87), (0.72, 0.71, 0.69)), "surface", "masonry"),
    "plaster": TextureKind(_plaster((0.88, 0.87, 0.84), rough=0.035), "surface", "wall"),
    "stucco": TextureKind(_plaster((0.82, 0.74, 0.6), rough=0.16), "surface", "masonry"),
    "concrete": TextureKind(_concrete, "surface", "masonry"),
    "ceramic tiles": TextureKind(_tiles((0.86, 0.86, 0.83), (0.55, 0.54, 0.52)), "surface", "tile"),
    "terracotta tiles": TextureKind(
        _tiles((0.66, 0.38, 0.26), (0.5, 0.44, 0.38), spread=0.1, gloss=0.1), "surface", "tile"
    ),
    "blue tiles": TextureKind(_tiles((0.2, 0.4, 0.5), (0.8, 0.8, 0.78), count=10, spread=0.14), "surface", "tile"),
    "chequered marble": TextureKind(_checker((0.12, 0.12, 0.13), (0.88, 0.86, 0.82)), "surface", "tile"),
    "subway tiles": TextureKind(_subway((0.9, 0.9, 0.88), (0.6, 0.6, 0.6)), "surface", "tile"),
    "marble": TextureKind(_marble((0.9, 0.89, 0.87), (0.45, 0.44, 0.46)), "surface", "tile"),
    "dark marble": TextureKind(_marble((0.14, 0.2, 0.17), (0.66, 0.68, 0.64)), "surface", "tile"),
    "terrazzo": TextureKind(_terrazzo, "surface", "tile"),
    "linen": TextureKind(_fabric((0.8, 0.76, 0.68)), "surface", "fabric"),
    "wool": TextureKind(_fabric((0.62, 0.6, 0.57), weave=40, contrast=0.26), "surface", "fabric"),
    "striped cloth": TextureKind(
        _stripes(((0.8, 0.76, 0.68), (0.2, 0.3, 0.42), (0.7, 0.36, 0.26), (0.86, 0.72, 0.42))),
        "surface",
        "fabric",
    ),
    "patterned wallpaper": TextureKind(_damask((0.84, 0.81, 0.73), (0.6, 0.62, 0.54)), "surface", "wall"),
    "striped wallpaper": TextureKind(_stripes(((0.88, 0.85, 0.78), (0.78, 0.79, 0.74)), bands=16), "surface", "wall"),
    "carpet": TextureKind(_carpet, "picture", "carpet"),
    "leather": TextureKind(_leather((0.42, 0.24, 0.15)), "surface", "fabric"),
    "steel": TextureKind(_metal((0.66, 0.67, 0.68), 0.45), "surface", "metal"),
    "brass": TextureKind(_metal((0.78, 0.6, 0.3), 0.5), "surface", "metal"),
    "black metal": TextureKind(_metal((0.12, 0.12, 0.13), 0.25), "surface", "metal"),
    "rusty metal": TextureKind(_rust, "surface", "metal"),
    "paint": TextureKind(_painted((0.88, 0.88, 0.87)), "surface", "wall"),
    "worn paint": TextureKind(_painted((0.85, 0.85, 0.83), worn=0.8), "surface", "wall"),
}
