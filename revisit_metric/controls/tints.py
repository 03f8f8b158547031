"""Named tints, so that a material's words and its colour agree.

Conventions: a tint is a factor on the linear colour of a pale texture ("paint", "plaster", "linen", "wool").
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.meshes import Vec3
from revisit_metric.controls.scene import Material

TINTS: dict[str, Vec3] = {
    "white": (1.1, 1.1, 1.08),
    "cream": (1.08, 1.0, 0.82),
    "sand": (0.9, 0.74, 0.5),
    "ochre": (0.85, 0.52, 0.14),
    "terracotta": (0.72, 0.27, 0.14),
    "rust red": (0.52, 0.12, 0.07),
    "crimson": (0.55, 0.04, 0.06),
    "rose": (0.88, 0.5, 0.48),
    "sage green": (0.42, 0.54, 0.36),
    "forest green": (0.08, 0.22, 0.11),
    "olive": (0.32, 0.33, 0.12),
    "teal": (0.05, 0.33, 0.36),
    "sky blue": (0.4, 0.64, 0.86),
    "navy": (0.05, 0.09, 0.25),
    "slate blue": (0.25, 0.34, 0.48),
    "plum": (0.28, 0.1, 0.25),
    "mustard": (0.82, 0.55, 0.08),
    "light grey": (0.72, 0.72, 0.72),
    "charcoal": (0.1, 0.1, 0.115),
    "brown": (0.24, 0.13, 0.07),
}

PALE = ("white", "cream", "sand", "sage green", "sky blue", "rose", "light grey")
STRONG = tuple(name for name in TINTS if name not in ("white", "cream", "light grey"))


def tinted(
    texture: str,
    rng: np.random.Generator,
    *,
    among: tuple[str, ...] = STRONG,
    tile_m: float = 2.0,
    noun: str = "",
) -> Material:
    """A pale texture in one of the named tints; its words are "navy linen" and the like.

    Args:
        texture: name of a pale texture.
        rng: picks the tint and the variant.
        among: names of `TINTS` to choose from.
        tile_m: metres per repeat.
        noun: replaces the texture's name in the words.
    """
    name = among[int(rng.integers(len(among)))]
    words = f"{name} {noun or texture}"
    return Material(texture, TINTS[name], tile_m, words=words, variant=int(rng.integers(4)))
