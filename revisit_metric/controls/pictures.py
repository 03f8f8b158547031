"""Pictures for single faces (paintings, screens, books, signs) and cut-outs (leaves, grass, flowers).

Conventions as in `revisit_metric.controls.textures`; every picture is drawn by us, without lettering or
fonts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import SIZE, Field, clouds, grid, uniform
from revisit_metric.controls.painting import Colour, Paint, TextureKind, blend, glossy, shade


def _random_colour(rng: np.random.Generator, low: float = 0.15, high: float = 0.9) -> NDArray[np.float32]:
    return rng.uniform(low, high, 3).astype(np.float32)


def _muted(rng: np.random.Generator) -> NDArray[np.float32]:
    """A cloth or leather colour: grey, with a little of a random hue."""
    hues = np.array([[0.5, 0.2, 0.16], [0.2, 0.27, 0.4], [0.25, 0.33, 0.22], [0.55, 0.46, 0.3], [0.3, 0.2, 0.15]])
    tone = hues[rng.integers(len(hues))] * rng.uniform(0.55, 1.5) + rng.normal(0, 0.04, 3)
    return np.asarray(np.clip(tone, 0.05, 0.9), np.float32)


def _landscape(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    colour = blend(tuple(_random_colour(rng, 0.4, 0.7)), tuple(_random_colour(rng, 0.7, 0.95)), y * 1.5)
    sun = np.hypot(x - rng.uniform(0.2, 0.8), y - rng.uniform(0.15, 0.35)) < rng.uniform(0.04, 0.09)
    colour[sun] = (0.98, 0.9, 0.7)
    for layer in range(5):
        line = clouds(rng, beta=3.0)[0] * 0.05 + 0.42 + 0.12 * layer
        hill = y > line[None, :]
        tone = _random_colour(rng, 0.1, 0.55) * np.float32(1.1 - 0.12 * layer)
        colour[hill] = tone
    return shade(colour, 0.07 * clouds(rng, beta=1.0, low=6, stretch=(1.0, 4.0)))


def _abstract(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    colour = np.tile(_random_colour(rng, 0.6, 0.95), (SIZE, SIZE, 1))
    for _ in range(int(rng.integers(6, 12))):
        angle, r = rng.uniform(0, np.pi), rng.uniform(0.05, 0.3)
        u = (x - rng.random()) * np.cos(angle) + (y - rng.random()) * np.sin(angle)
        v = -(x - rng.random()) * np.sin(angle) + (y - rng.random()) * np.cos(angle)
        shape = np.hypot(u, v) < r if rng.random() < 0.4 else (np.abs(u) < r * 0.4) & (np.abs(v) < r * 1.4)
        colour[shape] = _random_colour(rng)
    return shade(colour, 0.05 * clouds(rng, beta=1.2, low=4))


def _still_life(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    dark = tuple(_random_colour(rng, 0.1, 0.3))
    colour = blend(dark, tuple(_random_colour(rng, 0.25, 0.5)), uniform(clouds(rng, beta=2.6)))
    colour[y > 0.68] = _random_colour(rng, 0.35, 0.6)
    for _ in range(7):
        cx, r = rng.uniform(0.15, 0.85), rng.uniform(0.06, 0.13)
        cy = 0.74 - r * 0.8 + rng.uniform(0, 0.08)
        ball = np.hypot(x - cx, y - cy) < r
        light = np.clip(1.0 - np.hypot(x - cx + r * 0.35, y - cy + r * 0.35) / (1.5 * r), 0.1, 1)
        colour[ball] = (_random_colour(rng, 0.4, 0.9) * 1.2 * light[..., None])[ball]
    return shade(colour, 0.05 * clouds(rng, beta=1.0, low=6))


def _books(rng: np.random.Generator) -> NDArray[np.float32]:
    """One shelf of spines; the gap above the books is dark."""
    y, x = grid()
    colour = np.full((SIZE, SIZE, 3), 0.05, np.float32)
    left = 0.0
    while left < 1.0:
        width, top = rng.uniform(0.03, 0.085), rng.uniform(0.04, 0.3)
        spine = (x >= left) & (x < left + width - 0.003) & (y > top)
        tone = _muted(rng)
        round_light = 1.0 - 0.45 * np.abs((x - left) / width * 2 - 1) ** 2
        colour[spine] = (tone * round_light[..., None])[spine]
        for _ in range(int(rng.integers(1, 4))):
            at = rng.uniform(top + 0.05, 0.95)
            band = spine & (np.abs(y - at) < rng.uniform(0.005, 0.03))
            colour[band] = _muted(rng) + 0.3 * (rng.random() > 0.4)
        left += width
    return shade(colour, 0.04 * clouds(rng, beta=1.0, low=8))


def _screen(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    colour = blend((0.05, 0.07, 0.11), (0.08, 0.13, 0.22), y)
    for row in range(14):
        at, length = 0.1 + row * 0.06, rng.uniform(0.15, 0.6)
        line = (np.abs(y - at) < 0.012) & (x > 0.08) & (x < 0.08 + length)
        colour[line] = _random_colour(rng, 0.35, 0.9)
    return glossy(colour, 0.3)


def _clock(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    u, v = x - 0.5, y - 0.5
    radius, angle = np.hypot(u, v), np.arctan2(v, u)
    colour = np.tile(_random_colour(rng, 0.8, 0.95), (SIZE, SIZE, 1))
    tick = (np.abs((angle * 12 / (2 * np.pi) + 0.5) % 1 - 0.5) < 0.07) & (radius > 0.36) & (radius < 0.43)
    colour[tick | (radius > 0.46)] = 0.08
    for reach, width in ((0.22, 0.022), (0.34, 0.014)):
        a = rng.uniform(0, 2 * np.pi)
        along, across = u * np.cos(a) + v * np.sin(a), -u * np.sin(a) + v * np.cos(a)
        colour[(along > -0.03) & (along < reach) & (np.abs(across) < width)] = 0.05
    return colour


def _poster(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    a, b, c = (_random_colour(rng, 0.1, 0.95) for _ in range(3))
    colour = np.tile(a, (SIZE, SIZE, 1))
    colour[np.hypot(x - 0.5, y - 0.42) < rng.uniform(0.18, 0.34)] = b
    colour[np.abs((x + y * rng.uniform(-0.6, 0.6)) % 0.2 - 0.1) < 0.025 * (y > 0.55)] = c
    colour[(y > 0.8) & (np.abs((x * 9) % 1 - 0.5) < 0.32) & (np.abs(y - 0.88) < 0.035)] = c
    frame = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y)) < 0.04
    colour[frame] = 0.92
    return shade(colour, 0.03 * clouds(rng, beta=1.4))


def _sign(rng: np.random.Generator) -> NDArray[np.float32]:
    """A shop sign: a band of colour with a pictogram and bars that stand for lettering."""
    y, x = grid()
    colour = np.tile(_random_colour(rng, 0.08, 0.55), (SIZE, SIZE, 1))
    ink = _random_colour(rng, 0.75, 1.0)
    left = 0.24
    while left < 0.9:
        width = rng.uniform(0.035, 0.075)
        kind = rng.integers(3)
        u, v = (x - left) / width, (y - 0.3) / 0.4
        inside = (u > 0) & (u < 0.8) & (v > 0) & (v < 1)
        glyph = (u < 0.25) | (v < 0.16) if kind == 0 else np.abs(np.hypot(u - 0.4, v - 0.5) - 0.36) < 0.13
        glyph = (np.abs(u - 0.4) < 0.13) | (v > 0.84) if kind == 2 else glyph
        colour[inside & glyph] = ink
        left += width
    mark = np.hypot((x - 0.12) * 2.2, y - 0.5) < 0.2
    colour[mark] = _random_colour(rng, 0.5, 1.0)
    border = np.minimum(np.minimum(x, 1 - x) * 4, np.minimum(y, 1 - y)) < 0.05
    colour[border] = ink
    return glossy(colour, 0.1)


def _glass(rng: np.random.Generator) -> NDArray[np.float32]:
    """A pane with a curtain or a dim room behind it."""
    y, x = grid()
    room = blend((0.1, 0.11, 0.13), (0.2, 0.19, 0.17), uniform(clouds(rng, beta=2.8)))
    fold = 0.5 + 0.5 * np.sin(2 * np.pi * (x * 17 + 0.12 * clouds(rng, beta=3.0, stretch=(4.0, 1.0))))
    draw = rng.uniform(0.08, 0.42)
    curtain = (np.minimum(x, 1 - x) < draw * (0.75 + 0.25 * y)) if rng.random() < 0.7 else y < draw
    cloth = (
        shade(np.tile(_random_colour(rng, 0.45, 0.85), (SIZE, SIZE, 1)), (0.25 * (fold - 0.7)).astype(np.float32)) * 0.6
    )
    return glossy(np.where(curtain[..., None], cloth, room), 0.55)


def _shop_window(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    colour = blend((0.16, 0.13, 0.1), (0.34, 0.29, 0.22), y)
    for shelf in (0.35, 0.62, 0.88):
        colour[np.abs(y - shelf) < 0.012] = (0.5, 0.42, 0.32)
        left = rng.uniform(0.02, 0.08)
        while left < 0.94:
            width, height = rng.uniform(0.03, 0.09), rng.uniform(0.06, 0.19)
            ware = (np.abs(x - left - width / 2) < width / 2) & (y < shelf - 0.012) & (y > shelf - height)
            light = 1.1 - 0.6 * np.abs((x - left) / width - 0.4)
            colour[ware] = (_random_colour(rng, 0.25, 0.95) * light[..., None])[ware]
            left += width + rng.uniform(0.005, 0.05)
    return glossy(shade(colour, 0.03 * clouds(rng)), 0.3)


def _panelled_door(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    colour = np.tile(np.array([0.86, 0.86, 0.86], np.float32), (SIZE, SIZE, 1))
    light = np.zeros((SIZE, SIZE), np.float32)
    for low, high in ((0.06, 0.46), (0.54, 0.94)):
        for left, right in ((0.1, 0.46), (0.54, 0.9)):
            inside = np.minimum(np.minimum(x - left, right - x) * 0.45, np.minimum(y - low, high - y))
            light += 0.22 * np.exp(-(((inside - 0.012) / 0.007) ** 2)) * np.where(y - low < high - y, -1, 1)
    grain = 0.03 * clouds(rng, beta=1.2, low=6, stretch=(16.0, 1.0))
    return glossy(shade(colour, light + grain), 0.15)


def _ellipse(
    y: Field, x: Field, at: tuple[float, float], angle: float, size: tuple[float, float]
) -> tuple[Field, Field]:
    """Coordinates along and across a leaf, both in [-1, 1] inside its ellipse."""
    dy, dx = y - np.float32(at[0]), x - np.float32(at[1])
    along = (dx * np.cos(angle) + dy * np.sin(angle)) / size[0]
    across = (-dx * np.sin(angle) + dy * np.cos(angle)) / size[1]
    return along.astype(np.float32), across.astype(np.float32)


def _leaves(low: Colour, high: Colour, *, count: int, size: tuple[float, float]) -> Paint:
    """A spray of leaves around a few twigs, on nothing."""

    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        y, x = grid()
        canvas = np.zeros((SIZE, SIZE, 4), np.float32)
        canvas[..., :3] = np.array(low, np.float32) * 0.6
        for i in range(count):
            turn, reach = rng.uniform(0, 2 * np.pi), 0.4 * rng.random() ** 0.7
            at = (0.5 + reach * np.sin(turn), 0.5 + reach * np.cos(turn))
            # Only the leaf's own neighbourhood: a spray has a hundred of them.
            rows, columns = (slice(max(int((c - size[0]) * SIZE), 0), int((c + size[0]) * SIZE) + 2) for c in at)
            along, across = _ellipse(y[rows, columns], x[rows, columns], at, turn + rng.normal(0, 0.7), size)
            width = np.sqrt(np.clip(1 - along**2, 0, 1)) * (1 - 0.35 * along)
            inside = (np.abs(along) < 1) & (np.abs(across) < width)
            mix = np.float32(rng.random() * 0.7 + 0.3 * i / count)
            tone = np.array(low) * (1 - mix) + np.array(high) * mix
            light = 0.75 + 0.3 * i / count - 0.2 * np.exp(-((across / 0.1) ** 2)) + 0.15 * np.sign(across)
            opaque = np.ones((*along.shape, 1))
            canvas[rows, columns][inside] = np.concatenate([tone * light[..., None], opaque], 2)[inside]
        return canvas

    return paint


def _needles(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    canvas = np.zeros((SIZE, SIZE, 4), np.float32)
    canvas[..., :3] = (0.08, 0.14, 0.07)
    for twig in range(13):
        a = np.pi * (0.06 + 0.88 * twig / 12) + rng.normal(0, 0.05)
        along, across = _ellipse(y, x, (0.98, 0.5), -a, (rng.uniform(0.75, 0.97), 0.055))
        comb = np.abs((along * 26 - np.abs(across) * 1.5) % 1 - 0.5) < 0.3
        inside = (along > 0.05) & (along < 1) & (np.abs(across) < 1.1 - 0.8 * along) & (comb | (np.abs(across) < 0.14))
        tone = np.array([0.14, 0.26, 0.13]) * rng.uniform(0.8, 1.5)
        canvas[inside] = np.concatenate([tone, [1.0]])
    return canvas


def _tuft(low: Colour, high: Colour, *, blades: int = 60, flowers: Colour | None = None) -> Paint:
    """Blades growing from the lower edge, with blossoms when `flowers` names a colour."""

    def paint(rng: np.random.Generator) -> NDArray[np.float32]:
        y, x = grid()
        canvas = np.zeros((SIZE, SIZE, 4), np.float32)
        canvas[..., :3] = low
        up = 1.0 - y
        for i in range(blades):
            root, tip, tall = rng.uniform(0.2, 0.8), rng.normal(0, 0.22), rng.uniform(0.4, 0.97)
            t = up / tall
            centre = root + tip * t**2
            inside = (t < 1) & (np.abs(x - centre) < 0.014 * (1.15 - t))
            mix = np.float32(rng.random())
            tone = (np.array(low) * (1 - mix) + np.array(high) * mix)[None, None] * (0.45 + 0.65 * t[..., None])
            canvas[inside] = np.concatenate([tone, np.ones((SIZE, SIZE, 1))], 2)[inside]
            if flowers is not None and i % 5 == 0:
                head = np.hypot(x - (root + tip), up - tall + 0.02)
                petal = head < 0.035 + 0.015 * np.cos(6 * np.arctan2(up - tall + 0.02, x - root - tip))
                canvas[petal] = (*flowers, 1.0)
                canvas[head < 0.012] = (0.9, 0.75, 0.2, 1.0)
        return canvas

    return paint


def _fern(rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = grid()
    canvas = np.zeros((SIZE, SIZE, 4), np.float32)
    canvas[..., :3] = (0.12, 0.2, 0.06)
    for frond in range(9):
        angle = -np.pi * (0.12 + 0.76 * frond / 8) + rng.normal(0, 0.05)
        length = rng.uniform(0.6, 0.93)
        along, across = _ellipse(y, x, (0.99, 0.5), angle, (length, 0.12))
        leaflet = np.abs((along * 15 - 1.2 * np.abs(across)) % 1 - 0.5) < 0.36
        envelope = np.abs(across) < np.clip(1.25 * (1 - along) * np.sqrt(np.clip(along * 3, 0, 1)), 0, 1)
        inside = (along > 0.02) & (along < 1) & envelope & (leaflet | (np.abs(across) < 0.06))
        tone = np.array([0.24, 0.4, 0.12]) * rng.uniform(0.75, 1.35)
        canvas[inside] = np.concatenate([tone, [1.0]])
    return canvas


GREEN: tuple[Colour, Colour] = ((0.13, 0.24, 0.06), (0.4, 0.55, 0.18))

PICTURES: dict[str, TextureKind] = {
    "landscape painting": TextureKind(_landscape, "picture", "art"),
    "abstract painting": TextureKind(_abstract, "picture", "art"),
    "still life": TextureKind(_still_life, "picture", "art"),
    "poster": TextureKind(_poster, "picture", "art"),
    "books": TextureKind(_books, "picture", "books"),
    "screen": TextureKind(_screen, "picture", "screen"),
    "clock face": TextureKind(_clock, "picture", "clock"),
    "shop sign": TextureKind(_sign, "picture", "sign"),
    "window pane": TextureKind(_glass, "picture", "glass"),
    "shop window": TextureKind(_shop_window, "picture", "glass"),
    "panelled door": TextureKind(_panelled_door, "picture", "door"),
    "leaves": TextureKind(_leaves(*GREEN, count=110, size=(0.065, 0.032)), "cutout", "foliage"),
    "broad leaves": TextureKind(_leaves(*GREEN, count=34, size=(0.16, 0.075)), "cutout", "foliage"),
    "autumn leaves": TextureKind(
        _leaves((0.45, 0.18, 0.05), (0.85, 0.55, 0.15), count=110, size=(0.065, 0.036)), "cutout", "foliage"
    ),
    "needles": TextureKind(_needles, "cutout", "foliage"),
    "grass tuft": TextureKind(_tuft((0.16, 0.26, 0.07), (0.5, 0.6, 0.24)), "cutout", "tuft"),
    "dry tuft": TextureKind(_tuft((0.45, 0.36, 0.18), (0.78, 0.68, 0.42)), "cutout", "tuft"),
    "flowers": TextureKind(_tuft((0.14, 0.26, 0.07), (0.4, 0.54, 0.2), flowers=(0.92, 0.9, 0.95)), "cutout", "tuft"),
    "fern": TextureKind(_fern, "cutout", "tuft"),
}
