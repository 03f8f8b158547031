"""From 8-bit frames to network input, as the paper's backbones expect it.

Conventions:
    Frames are uint8 RGB `(H, W, 3)`; a network's input is float32 `(3, S, S)`. Resizing is Pillow's, which filters
    before it shrinks (antialias), as torchvision's transforms on Pillow images do.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    import torch

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
"""Mean and standard deviation per channel, for values in `[0, 1]`."""

CLIP = ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
"""The same of the CLIP models."""

Frame = NDArray[np.uint8]


def resize_to(frame: Frame, height: int, width: int, *, bilinear: bool = False) -> Frame:
    """Resize to exactly `height` x `width`, bicubic by default; the aspect ratio is not kept.

    Example:
        >>> resize_to(np.zeros((4, 9, 3), np.uint8), 2, 3).shape
        (2, 3, 3)
    """
    filter_ = Image.Resampling.BILINEAR if bilinear else Image.Resampling.BICUBIC
    return np.asarray(Image.fromarray(frame).resize((width, height), filter_))


def resize_and_crop(frame: Frame, side: int) -> Frame:
    """Resize the shorter side to `side` (bicubic) and keep the central square; a 16:9 frame loses 44 % of its width.

    Example:
        >>> resize_and_crop(np.zeros((48, 83, 3), np.uint8), 24).shape
        (24, 24, 3)
    """
    height, width = frame.shape[:2]
    if height <= width:
        resized = resize_to(frame, side, int(side * width / height))
    else:
        resized = resize_to(frame, int(side * height / width), side)
    top, left = (round((extent - side) / 2) for extent in resized.shape[:2])
    return resized[top : top + side, left : left + side]


def to_input(
    frames: Sequence[Frame],
    device: "torch.device",
    statistics: tuple[Sequence[float], Sequence[float]] = IMAGENET,
) -> "torch.Tensor":
    """Stack frames of one size to normalised float32 `(B, 3, H, W)` on the device."""
    import torch

    mean, deviation = (torch.tensor(values, device=device)[:, None, None] for values in statistics)
    pixels = torch.from_numpy(np.stack(frames)).to(device).permute(0, 3, 1, 2)
    return ((pixels.float() / 255 - mean) / deviation).contiguous()
