"""How alike two stills are: a perceptual hash, and the scene descriptor of the `alexnet_pool` score."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.fft import dctn

HASH_SIDE = 32
HASH_BITS = 64

MIN_HASH_DISTANCE = 12
"""Bits of `HASH_BITS` that two stills of one set differ in at least. Over ten seeds of every layout, stills of
different layouts differ in 14 to 46, of one layout in 6 to 42 (median 22)."""

MAX_COSINE = 0.94
"""Of their scene descriptors, at most. Over the same stills: 0.53 to 0.88, and 0.75 to 0.97 (median 0.88)."""


def perceptual_hash(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """64 bits (64,): which of the 8 x 8 lowest frequencies of the luma exceed their median.

    Args:
        picture: (H, W, 3), sRGB.

    Example:
        >>> ramp = np.tile(np.arange(64, dtype=np.uint8)[:, None, None] * 4, (1, 64, 3))
        >>> int((perceptual_hash(ramp) != perceptual_hash(ramp // 2)).sum())
        0
    """
    small = Image.fromarray(picture).convert("L").resize((HASH_SIDE, HASH_SIDE), Image.Resampling.BOX)
    low = dctn(np.asarray(small, np.float64), norm="ortho")[:8, :8].round(6).ravel()
    # The mean brightness (the first) would move the median.
    return np.asarray(low > np.median(low[1:]))


def hash_distances(hashes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(N, N): bits in which hashes (N, 64) differ."""
    return np.asarray((hashes[:, None] != hashes[None]).sum(axis=2))
