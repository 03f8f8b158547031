"""What SSIM needs of one frame: its pixels and, per 7x7 window, their exact sum and spread.

With N = 49 pixels a window, S = sum(x) and V = N sum(x^2) - S^2, a window's mean is S / N and its sample
variance is V / (N (N - 1)). All fit their types with room (S <= 12495, V <= 39e6), so no rounding happens
before the ratio.
"""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import require_rgb
from revisit_metric.families.protocol import Feature, Frames

WINDOW = 7
"""Side of the uniform window in pixels; a frame must have at least one whole window."""

COUNT = WINDOW * WINDOW
"""Pixels in a window."""

STRIP_ROWS = 64
"""Rows worked on at once: the intermediate arrays of a strip stay in the processor's cache."""


def window_sums(values: NDArray[np.uint8] | NDArray[np.uint16]) -> NDArray[np.int32]:
    """Return the exact sum over every whole 7x7 window, `(H, W, C)` to `(H - 6, W - 6, C)`.

    Example:
        >>> window_sums(np.full((7, 8, 3), 2, np.uint8))[..., 0]
        array([[98, 98]], dtype=int32)
    """
    import cv2

    sums = cv2.boxFilter(values, cv2.CV_32S, (WINDOW, WINDOW), normalize=False)
    margin = WINDOW // 2
    return sums[margin:-margin, margin:-margin].astype(np.int32, copy=False)


def products(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return the exact elementwise product of two 8-bit arrays."""
    import cv2

    return cv2.multiply(a, b, dtype=cv2.CV_16U).astype(np.uint16, copy=False)


class SsimMoments:
    """Windowed moments of one frame, 8.2 MB at 832x480.

    A feature holds `frame` uint8 `(H, W, 3)`, `sum` uint16 and `spread` int32, both `(H - 6, W - 6, 3)`; a
    frame smaller than the window has `frame` alone.
    """

    name = "ssim_moments"
    weights: ClassVar[tuple[str, ...]] = ()

    def identity(self) -> Mapping[str, str]:
        """Return the window; nothing else shapes the feature."""
        return {"name": self.name, "version": "1", "window": f"uniform {WINDOW}x{WINDOW}"}

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the moments of each frame."""
        require_rgb(frames, ndim=4)
        return [_moments(frame.copy()) for frame in frames]


def _moments(frame: NDArray[np.uint8]) -> Feature:
    rows, columns = frame.shape[0] - WINDOW + 1, frame.shape[1] - WINDOW + 1
    if rows < 1 or columns < 1:
        return {"frame": frame}
    total = np.empty((rows, columns, 3), np.uint16)
    spread = np.empty((rows, columns, 3), np.int32)
    for start in range(0, rows, STRIP_ROWS):
        strip = frame[start : start + STRIP_ROWS + WINDOW - 1]
        sums = window_sums(strip)
        view = spread[start : start + STRIP_ROWS]
        np.multiply(window_sums(products(strip, strip)), COUNT, out=view)
        view -= sums * sums
        total[start : start + STRIP_ROWS] = sums
    return {"frame": frame, "sum": total, "spread": spread}
