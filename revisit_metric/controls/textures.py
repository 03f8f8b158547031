"""The procedural textures by name, seeded and cached.

Conventions: a texture is uint8 (512, 512, 4), sRGB colour plus a fourth channel that is gloss for opaque
textures (255 mirrors the sky) and coverage for cut-outs (leaves). Row 0 is the top row. The drawing itself
is in `surfaces` (buildings), `indoor_textures` (shops, schools), `outdoor_textures` (streets, nature),
`wild_textures` (snow, desert, meadows),
`city_textures` (far windows, shutters, wall paintings) and `pictures` (single faces, leaves).
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.city_textures import CITY
from revisit_metric.controls.indoor_textures import INDOOR
from revisit_metric.controls.noise import SIZE
from revisit_metric.controls.outdoor_textures import OUTDOOR
from revisit_metric.controls.painting import TextureKind
from revisit_metric.controls.pictures import PICTURES
from revisit_metric.controls.surfaces import SURFACES
from revisit_metric.controls.wild_textures import WILD

Image = NDArray[np.uint8]

TEXTURES: dict[str, TextureKind] = SURFACES | OUTDOOR | INDOOR | PICTURES | WILD | CITY


def texture(name: str, variant: int = 0) -> Image:
    """The named texture, (512, 512, 4) uint8, read-only.

    Args:
        name: a key of `TEXTURES`.
        variant: seed; equal arguments give equal bytes.

    Raises:
        KeyError: no such texture; the message lists the known ones.

    Example:
        >>> texture("brick").shape
        (512, 512, 4)
    """
    if name not in TEXTURES:
        raise KeyError(f"no texture {name!r}; known: {', '.join(sorted(TEXTURES))}")
    return _painted(name, variant)


@lru_cache(maxsize=160)
def _painted(name: str, variant: int) -> Image:
    rng = np.random.default_rng([crc32(name.encode()), variant])
    painted = TEXTURES[name].paint(rng)
    if painted.shape[2] == 3:
        painted = np.concatenate([painted, np.zeros((SIZE, SIZE, 1), np.float32)], axis=2)
    image = np.round(np.clip(painted, 0.0, 1.0) * 255.0).astype(np.uint8)
    image.flags.writeable = False
    return image
