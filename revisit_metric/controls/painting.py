"""What every texture is drawn with: colour blending, shading, gloss, one tone per brick.

Conventions: colours are sRGB in [0, 1]; pictures are float32 (512, 512, 3), or 4 with gloss or coverage last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.noise import SIZE, Field

Paint = Callable[[np.random.Generator], NDArray[np.float32]]
Colour = tuple[float, float, float]


class TextureKind(NamedTuple):
    """How a texture is made and used.

    Attributes:
        paint: draws float (512, 512, 3 or 4), sRGB in [0, 1].
        use: "surface" repeats, "picture" fills one face, "cutout" has holes.
        family: textures that can stand in for each other when a part is re-seeded.
    """

    paint: Paint
    use: Literal["surface", "picture", "cutout"]
    family: str


def blend(low: Colour, high: Colour, amount: Field) -> NDArray[np.float32]:
    """Colour between `low` (0) and `high` (1), (512, 512, 3)."""
    a = np.asarray(amount, np.float32)[..., None]
    return np.asarray(np.array(low, np.float32) * (1 - a) + np.array(high, np.float32) * a, np.float32)


def shade(colour: NDArray[np.float32], light: Field | float) -> NDArray[np.float32]:
    """`colour` made lighter or darker by a field around 0."""
    factor = 1.0 + np.asarray(light, np.float32)
    return np.asarray(colour * (factor[..., None] if factor.ndim else factor), np.float32)


def glossy(colour: NDArray[np.float32], gloss: Field | float) -> NDArray[np.float32]:
    """`colour` with a gloss channel."""
    channel = np.broadcast_to(np.asarray(gloss, np.float32), (SIZE, SIZE))
    return np.concatenate([colour, channel[..., None]], axis=2).astype(np.float32)


def per_cell(rng: np.random.Generator, owner: NDArray[np.int64], spread: float) -> Field:
    """One random value around 0 per cell, brick or plank."""
    return np.asarray(rng.normal(0.0, spread, int(owner.max()) + 1)[owner], np.float32)
