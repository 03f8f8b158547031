"""Appearance: do the two frames look alike, pixel by pixel and patch by patch?

Conventions:
    Frames are uint8 RGB `(H, W, 3)` at full size, never resized or cropped; the two frames of a pair share
    one size.

Scores:
    psnr: Peak signal-to-noise ratio in dB, `[0, 100]`, higher is better. Identical frames have no finite
        value; they and anything above 100 dB are set to 100 with a note.
    ssim: Structural similarity, `[-1, 1]`, higher is better: 7x7 uniform window, sample covariance, range
        255, border left out, mean over pixels and channels (scikit-image's `structural_similarity(win_size=7,
        channel_axis=2)`).
    lpips: LPIPS v0.1 with AlexNet, `[0, inf)`, lower is better.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import require_rgb
from revisit_metric.backbones.alexnet import MIN_SIDE
from revisit_metric.backbones.ssim_moments import (
    COUNT,
    STRIP_ROWS,
    WINDOW,
    SsimMoments,
    products,
    window_sums,
)
from revisit_metric.families.protocol import Feature, Metric, Outcome

PSNR_CAP_DB = 100.0
"""PSNR of identical frames, and the most any pair gets."""

_BLOCK = 16_384
# SSIM's constants for range 255, scaled to window sums: C1 N^2 for means, C2 N (N - 1) for covariances.
_C1 = np.float32((0.01 * 255) ** 2 * COUNT**2)
_C2 = np.float32((0.03 * 255) ** 2 * COUNT * (COUNT - 1))


# --- pure scores --------------------------------------------------------------------------------------------


def psnr(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Return the peak signal-to-noise ratio of two frames in dB, at most 100 (`PSNR_CAP_DB`).

    Args:
        a: uint8 RGB `(H, W, 3)`, `[0, 255]`.
        b: The same.

    Raises:
        ValueError: Not 8-bit RGB frames of one size.

    Example:
        >>> black = np.zeros((8, 8, 3), np.uint8)
        >>> round(psnr(black, black + 1), 4), psnr(black, black)
        (48.1308, 100.0)
    """
    _require_pair(a, b)
    return min(_uncapped_psnr(a, b), PSNR_CAP_DB)


def ssim(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Return the structural similarity of two frames, `[-1, 1]`.

    Args:
        a: uint8 RGB `(H, W, 3)`, `[0, 255]`, at least 7 pixels a side.
        b: The same.

    Raises:
        ValueError: Not 8-bit RGB frames of one size, or smaller than the window.

    Example:
        >>> ramp = np.arange(12 * 12 * 3, dtype=np.uint8).reshape(12, 12, 3)
        >>> ssim(ramp, ramp), round(ssim(ramp, 255 - ramp), 4)
        (1.0, -0.9868)
    """
    _require_pair(a, b)
    if min(a.shape[:2]) < WINDOW:
        raise ValueError(_too_small(a.shape, "SSIM's window", WINDOW))
    first, second = SsimMoments().extract(np.stack([a, b]))
    return _ssim_of(first, second)


# --- pair scores on features --------------------------------------------------------------------------------


class Psnr:
    """PSNR on the `pixels` backbone."""

    name = "psnr"
    backbone = "pixels"
    metrics = (Metric("psnr", "appearance", True, (0.0, PSNR_CAP_DB), 1),)

    def identity(self) -> Mapping[str, str]:
        """Return the cap; the definition is the metric's version."""
        return {"cap_db": f"{PSNR_CAP_DB:g}"}

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the PSNR of each pair in dB; a capped value carries a note."""
        return {"psnr": _each(earlier, later, _psnr_outcome)}


class Ssim:
    """SSIM on the `ssim_moments` backbone."""

    name = "ssim"
    backbone = "ssim_moments"
    metrics = (Metric("ssim", "appearance", True, (-1.0, 1.0), 1),)

    def identity(self) -> Mapping[str, str]:
        """Return the constants; the window is the backbone's."""
        return {"data_range": "255", "k1": "0.01", "k2": "0.03", "covariance": "sample"}

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the SSIM of each pair; frames smaller than the window have none."""
        return {"ssim": _each(earlier, later, _ssim_outcome)}


class Lpips:
    """LPIPS on the `alexnet_lpips` backbone, whose features make it a squared Euclidean distance."""

    name = "lpips"
    backbone = "alexnet_lpips"
    metrics = (Metric("lpips", "appearance", False, (0.0, math.inf), 1),)

    def identity(self) -> Mapping[str, str]:
        """Return the variant; the heads are among the backbone's weights."""
        return {"net": "alex", "version": "0.1"}

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the LPIPS distance of each pair; frames too small for AlexNet have none."""
        return {"lpips": _each(earlier, later, _lpips_outcome)}


# --- one pair -----------------------------------------------------------------------------------------------


def _each(
    earlier: Sequence[Feature], later: Sequence[Feature], outcome: Callable[[Feature, Feature], Outcome]
) -> list[Outcome]:
    return [outcome(a, b) for a, b in zip(earlier, later, strict=True)]


def _psnr_outcome(a: Feature, b: Feature) -> Outcome:
    _require_one_size(a["frame"].shape, b["frame"].shape)
    value = _uncapped_psnr(a["frame"], b["frame"])
    if value <= PSNR_CAP_DB:
        return Outcome(value)
    return Outcome(PSNR_CAP_DB, "capped: identical frames" if value == math.inf else "capped: above 100 dB")


def _uncapped_psnr(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    import cv2

    # The sum is a whole number; OpenCV squares a square root, which moves its last bit.
    mean = round(cv2.norm(a, b, cv2.NORM_L2SQR)) / a.size
    return 10 * math.log10(255**2 / mean) if mean else math.inf


def _ssim_outcome(a: Feature, b: Feature) -> Outcome:
    _require_one_size(a["frame"].shape, b["frame"].shape)
    if "sum" not in a:
        return Outcome(None, _too_small(a["frame"].shape, "SSIM's window", WINDOW))
    return Outcome(_ssim_of(a, b))


def _ssim_of(a: Feature, b: Feature) -> float:
    rows = a["sum"].shape[0]
    strips = (slice(start, min(start + STRIP_ROWS, rows)) for start in range(0, rows, STRIP_ROWS))
    total = sum(float(_ssim_map(a, b, strip).sum(dtype=np.float64)) for strip in strips)
    # A mean of float32 ratios can pass 1 by a rounding step.
    return min(1.0, total / a["sum"].size)


def _ssim_map(a: Feature, b: Feature, rows: slice) -> NDArray[np.float32]:
    """SSIM of every window whose first row is in `rows`.

    Everything that can cancel is whole numbers; float32 starts where terms of one sign are added. In place,
    because at this size fresh arrays cost as much as the arithmetic.
    """
    pixels = slice(rows.start, rows.stop + WINDOW - 1)
    covariance = window_sums(products(a["frame"][pixels], b["frame"][pixels])) * COUNT
    covariance -= a["sum"][rows].astype(np.int32) * b["sum"][rows]
    ratio = covariance.astype(np.float32)
    ratio *= 2
    ratio += _C2
    sum_a, sum_b = a["sum"][rows].astype(np.float32), b["sum"][rows].astype(np.float32)
    means = sum_a * sum_b
    means *= 2
    means += _C1
    ratio *= means
    sum_a *= sum_a
    sum_b *= sum_b
    sum_a += sum_b
    sum_a += _C1
    below = (a["spread"][rows] + b["spread"][rows]).astype(np.float32)
    below += _C2
    below *= sum_a
    ratio /= below
    return ratio


def _lpips_outcome(a: Feature, b: Feature) -> Outcome:
    _require_one_size(tuple(a["frame_size"]), tuple(b["frame_size"]))
    if "lpips" not in a:
        return Outcome(None, _too_small(tuple(a["frame_size"]), "AlexNet", MIN_SIDE))
    return Outcome(_squared_distance(a["lpips"], b["lpips"]))


def _squared_distance(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    # One float32 dot product over millions of terms is off by 4e-5; blocks summed in double by 1e-7.
    total = 0.0
    for start in range(0, a.size, _BLOCK):
        difference = a[start : start + _BLOCK] - b[start : start + _BLOCK]
        total += float(np.dot(difference, difference))
    return total


# --- checks -------------------------------------------------------------------------------------------------


def _require_pair(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> None:
    require_rgb(a, ndim=3)
    require_rgb(b, ndim=3)
    _require_one_size(a.shape, b.shape)


def _require_one_size(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    if tuple(a) != tuple(b):
        raise ValueError(
            f"frames are {a[1]}x{a[0]} and {b[1]}x{b[0]}, expected one size: "
            "a pair from two videos, or a video that changes size?"
        )


def _too_small(size: tuple[int, ...], what: str, least: int) -> str:
    return f"frame {size[1]}x{size[0]} too small for {what}: at least {least} pixels a side"
