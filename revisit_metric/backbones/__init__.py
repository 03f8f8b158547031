"""Per-frame features, one file a model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def require_rgb(frames: NDArray[Any], *, ndim: int) -> None:
    """Refuse anything but 8-bit RGB: `(H, W, 3)` for `ndim` 3, `(B, H, W, 3)` for `ndim` 4.

    Raises:
        ValueError: Wrong type, number of axes or channels.

    Example:
        >>> require_rgb(np.zeros((3, 64, 64), np.uint8), ndim=3)
        Traceback (most recent call last):
        ValueError: frame has shape (3, 64, 64), expected (H, W, 3) RGB: channels first?
    """
    noun, axes = ("frame", "(H, W, 3)") if ndim == 3 else ("frames", "(B, H, W, 3)")
    verb = "has" if ndim == 3 else "have"
    if frames.ndim != ndim or frames.shape[-1] != 3:
        likely = ": channels first?" if 3 in frames.shape[:-1] and frames.ndim == ndim else ""
        raise ValueError(f"{noun} {verb} shape {frames.shape}, expected {axes} RGB{likely}")
    if frames.dtype != np.uint8:
        raise ValueError(f"{noun} {verb} dtype {frames.dtype}, expected uint8 in [0, 255]; scaled to [0, 1]?")


def pick_device(device: str | None) -> str:
    """Return the torch device to use: the one named, else the first CUDA device, else the CPU.

    Raises:
        ValueError: The name is no torch device, or a CUDA device where there is none.

    Example:
        >>> pick_device("cpu")
        'cpu'
    """
    import torch

    found = torch.cuda.is_available()
    if device is None:
        return "cuda" if found else "cpu"
    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        raise ValueError(f"device {device!r} is no torch device, expected for instance cpu or cuda:0") from error
    if kind == "cuda" and not found:
        raise ValueError(f"device {device!r} is not available: torch {torch.__version__} finds no CUDA device")
    return device
