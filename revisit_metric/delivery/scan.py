"""What a delivery check needs to know about a video, from one decode of all its frames.

Conventions: small frames are grey (0.299 R + 0.587 G + 0.114 B), 0 to 255. Hashes are difference hashes of 64 bits.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revisit_metric.delivery.overlay import Box, constant_overlay
from revisit_metric.video import MAX_PIXELS, VideoInfo, content_sha256, probe
from revisit_metric.video.decode import PyavPass
from revisit_metric.video.pixels import RgbConverter
from revisit_metric.video.source import VideoPath, checked_file, ends_early, no_frames

SMALL = (64, 36)
"""Width and height of the frames in which change is measured."""

HASHED_FRAMES = 16
OVERLAY_FRAMES = 24
OVERLAY_WIDTH = 320

STILL_SHARE = 0.03
STILL_GREY = (0.3, 1.0)
"""Small frames show the same picture when they differ by less than this share of the contrast, within these limits."""


@dataclass(frozen=True)
class Scan:
    """One video, seen once from end to end.

    Attributes:
        info: What the file says about itself.
        n_frames: Frames decoded.
        cut_short: Whether the file ends before its container says.
        sha256: Of the file's bytes.
        first: The frame that shows pose 0, RGB `(H, W, 3)` uint8; `None` where the video ends before it.
        still_frames: How many frames at the end show the same picture.
        hashes: uint64 `(16,)`, of frames spread evenly over the video.
        overlay: Where a drawing stays while the rest changes; `None` without.
    """

    info: VideoInfo
    n_frames: int
    cut_short: bool
    sha256: str
    first: NDArray[np.uint8] | None
    still_frames: int
    hashes: NDArray[np.uint64]
    overlay: Box | None


def scan_video(path: VideoPath, *, first_frame: int = 0) -> Scan:
    """Decode a video once and describe it.

    Args:
        path: The video.
        first_frame: Index of the frame to keep.

    Raises:
        VideoError: The video cannot be decoded.

    Example:
        >>> import tempfile
        >>> from revisit_metric.video import write_video
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", np.zeros((9, 48, 64, 3), np.uint8), fps=16)
        ...     scan = scan_video(f"{folder}/a.mp4")
        >>> scan.n_frames, scan.still_frames, scan.overlay
        (9, 9, None)
    """
    file = checked_file(path)
    info, decode, convert = probe(file), PyavPass(file, max_pixels=MAX_PIXELS), RgbConverter(file)
    smalls, samples, first = [], _Spread(), None
    for index, (stored, turn) in enumerate(decode.frames()):
        frame = convert(stored, turn)
        grey = _grey(frame)
        samples.add(grey)
        smalls.append(shrunk(grey))
        first = frame if index == first_frame else first
    if not smalls:
        raise no_frames(file)
    small = np.stack(smalls)
    hashed = small[np.linspace(0, len(small) - 1, HASHED_FRAMES).round().astype(int)]
    return Scan(
        info=info,
        n_frames=len(small),
        cut_short=ends_early(file),
        sha256=content_sha256(file),
        first=first,
        still_frames=still_tail(small),
        hashes=np.array([difference_hash(image) for image in hashed], np.uint64),
        overlay=constant_overlay(samples.frames),
    )


def still_tail(small: NDArray[np.float32]) -> int:
    """The number of frames at the end, of `(T, H, W)` grey ones, that show the last frame's picture.

    Example:
        >>> still_tail(np.arange(5, dtype=np.float32)[[0, 1, 2, 3, 3, 3], None, None] * 10 * np.ones((1, 4, 4)))
        3
    """
    limit = float(np.clip(STILL_SHARE * small[-1].std(), *STILL_GREY))
    differs = np.abs(small - small[-1]).mean(axis=(1, 2)) > limit
    moving = np.flatnonzero(differs)
    return len(small) - (int(moving[-1]) + 1 if moving.size else 0)


def difference_hash(grey: NDArray[np.float32]) -> int:
    """64 bits of a grey picture: whether each of 8 x 8 cells is brighter than its right neighbour.

    Example:
        >>> difference_hash(np.tile(np.arange(64, dtype=np.float32), (36, 1)))
        0
    """
    import cv2

    cells = np.asarray(cv2.resize(grey, (9, 8), interpolation=cv2.INTER_AREA))
    return int.from_bytes(np.packbits(cells[:, :-1] > cells[:, 1:]).tobytes(), "big")


def hash_distances(many: NDArray[np.uint64], one: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Mean number of differing bits, `[0, 64]`, of each sequence in `many` `(N, 16)` from `one` `(16,)`: `(N,)`.

    Example:
        >>> hash_distances(np.array([[5], [4]], np.uint64), np.array([4], np.uint64)).tolist()
        [1.0, 0.0]
    """
    different = np.ascontiguousarray(many ^ one).view(np.uint8)
    counts: NDArray[np.float64] = np.unpackbits(different, axis=1).sum(axis=1) / len(one)
    return counts


def shrunk(grey: NDArray[np.floating]) -> NDArray[np.float32]:
    """A grey picture as a small frame, `SMALL`."""
    import cv2

    return np.asarray(cv2.resize(grey, SMALL, interpolation=cv2.INTER_AREA), np.float32)


def _grey(frame: NDArray[np.uint8]) -> NDArray[np.float32]:
    import cv2

    height, width = frame.shape[:2]
    grey = cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY)
    if width > OVERLAY_WIDTH:
        size = OVERLAY_WIDTH, max(1, round(height * OVERLAY_WIDTH / width))
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    return np.asarray(grey, np.float32)


class _Spread:
    """Evenly spaced frames of a sequence whose length is not known: every second one is let go when it is full."""

    def __init__(self) -> None:
        self._frames: list[NDArray[np.float32]] = []
        self._every, self._count = 1, 0

    def add(self, frame: NDArray[np.float32]) -> None:
        if self._count % self._every == 0:
            self._frames.append(frame)
        self._count += 1
        if len(self._frames) > 2 * OVERLAY_FRAMES:
            self._frames, self._every = self._frames[::2], 2 * self._every

    @property
    def frames(self) -> NDArray[np.float32]:
        return np.stack(self._frames)
