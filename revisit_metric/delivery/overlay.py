"""Is something drawn over the video: pressed keys, a compass, a watermark?

Some models draw the keys they were given into the frame. Such a drawing returns wherever the camera is and would count
as memory. It shows as edges that stay, near the border, while the rest of the picture changes.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_FRAMES = 8
MIN_CHANGE = 6.0
"""Median over pixels of their standard deviation in time; below, too little moves for anything to stand out."""

MIN_EDGE = 24.0
STAYS = 0.9
"""An edge stays when its gradient, in grey levels a pixel, keeps its size and sign in this share of the frames."""

MIN_AREA = 0.0015
MAX_SIDE = 0.6
"""Least area and greatest width and height of a drawing, as shares of the frame."""

MIN_PART = 0.2
"""Least share of upright and of level edges in it: a camera that slides along a wall keeps the level ones alone."""

BORDER = 0.3
"""A drawing's centre lies within this share of the frame's size from a border."""


class Box(NamedTuple):
    """A box in shares of the frame's width and height."""

    left: float
    top: float
    right: float
    bottom: float


def constant_overlay(frames: NDArray[np.float32]) -> Box | None:
    """The largest drawing that stays while the rest changes, `None` without.

    Args:
        frames: `(N, H, W)` grey frames spread over the video, 0 to 255.

    Example:
        >>> video = np.random.default_rng(0).uniform(0, 255, (12, 90, 160)).astype(np.float32)
        >>> constant_overlay(video) is None
        True
        >>> video[:, 70:84, 8:40] = np.kron(np.indices((7, 16)).sum(0) % 2, np.ones((2, 2))) * 255
        >>> box = constant_overlay(video)
        >>> box.left < 0.1, box.top > 0.7
        (True, True)
    """
    if len(frames) < MIN_FRAMES or np.median(frames.std(axis=0)) < MIN_CHANGE:
        return None
    upright = _staying(np.gradient(frames, axis=2))
    level = _staying(np.gradient(frames, axis=1))
    boxes = [(edges, box) for edges, box in _groups(upright, level) if _is_drawing(box)]
    return max(boxes, key=lambda entry: entry[0])[1] if boxes else None


def _staying(gradients: NDArray[np.float32]) -> NDArray[np.bool_]:
    rising = (gradients > MIN_EDGE / 2).mean(axis=0)
    falling = (gradients < -MIN_EDGE / 2).mean(axis=0)
    return np.asarray(np.maximum(rising, falling) >= STAYS)


def _groups(upright: NDArray[np.bool_], level: NDArray[np.bool_]) -> "Iterator[tuple[int, Box]]":
    """Groups of staying edges that hold both kinds: their number of edge pixels and their box."""
    import cv2

    height, width = upright.shape
    edges = upright | level
    reach = max(3, width // 40) | 1
    grown = cv2.dilate(edges.astype(np.uint8), np.ones((reach, reach), np.uint8))
    n_groups, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    for label in range(1, n_groups):
        inside = (labels == label) & edges
        count = int(inside.sum())
        parts = (upright & inside).sum() / count, (level & inside).sum() / count
        if count >= MIN_AREA * edges.size and min(parts) >= MIN_PART:
            x, y, w, h = (int(value) for value in stats[label, :4])
            yield count, Box(x / width, y / height, (x + w) / width, (y + h) / height)


def _is_drawing(box: Box) -> bool:
    if max(box.right - box.left, box.bottom - box.top) > MAX_SIDE:
        return False
    across, down = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    return min(across, 1 - across, down, 1 - down) <= BORDER
