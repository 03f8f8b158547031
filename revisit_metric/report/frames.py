"""Frames of a rollout as small JPEG pictures that fit into a page."""

import base64
import io
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from revisit_metric.manifest import Rollout
from revisit_metric.video import VideoError, stream_frames

MAX_SIZE = (320, 240)
"""Largest (width, height) of an embedded frame, in pixels."""

MAX_BYTES = 24 * 1024
"""Most bytes of one JPEG; quality gives way first, then size."""

_QUALITIES = (85, 70, 55, 40)


class Picture(NamedTuple):
    """One frame, ready to embed."""

    jpeg: bytes
    width: int
    height: int

    @property
    def data_uri(self) -> str:
        """The picture as the `src` of an image."""
        return f"data:image/jpeg;base64,{base64.b64encode(self.jpeg).decode('ascii')}"


class Pictures(NamedTuple):
    """Frames of one rollout by pose index, or why there are none."""

    by_frame: dict[int, Picture]
    reason: str | None


def read_pictures(rollout: Rollout | None, frames: Iterable[int]) -> Pictures:
    """Read frames of a rollout; a video that is gone or damaged is a reason, not an error.

    Args:
        rollout: The rollout; `None` where no manifest names it.
        frames: Frame indices, 0 being the frame of pose 0.
    """
    if rollout is None:
        return Pictures({}, "no manifest with this rollout was given")
    wanted = [rollout.first_frame + index for index in sorted(set(frames))]
    try:
        decoded = stream_frames(rollout.video, wanted)
        return Pictures({index - rollout.first_frame: shrink(frame) for index, frame in decoded}, None)
    except (VideoError, OSError) as error:
        return Pictures({}, f"{rollout.video.name}: {_cause(error)}")


def shrink(frame: NDArray[np.uint8]) -> Picture:
    """Return a frame `(H, W, 3)` uint8 RGB as a JPEG within `MAX_SIZE` and `MAX_BYTES`.

    Example:
        >>> shrink(np.zeros((720, 1280, 3), np.uint8))[1:]
        (320, 180)
    """
    image = Image.fromarray(frame)
    image.thumbnail(MAX_SIZE, Image.Resampling.LANCZOS)
    while True:
        for quality in _QUALITIES:
            jpeg = _encoded(image, quality)
            if len(jpeg) <= MAX_BYTES:
                return Picture(jpeg, image.width, image.height)
        image.thumbnail((image.width // 2, image.height // 2))


def _encoded(image: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality, optimize=True)
    return buffer.getvalue()


def _cause(error: VideoError | OSError) -> str:
    return error.cause.replace("_", " ") if isinstance(error, VideoError) else str(error.strerror)
