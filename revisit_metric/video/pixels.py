"""From a decoded frame to upright 8-bit RGB: the one conversion path.

*Conversion.* FFmpeg's swscale with its default (bilinear) chroma handling turns every pixel format into
`rgb24`. The matrix and range are those of the frame; an unspecified matrix is BT.601 and an unspecified range
is limited, which is swscale's own rule and therefore what decord, and with it the released evaluation, does.
Samples of more than 8 bits are reduced by the same call, without tone mapping. An alpha plane is dropped, not
blended.

decord runs the same swscale conversion: on 8-bit H.264 in yuv420p both give identical pixels.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

import av
import numpy as np
from av.sidedata.sidedata import SideData
from av.sidedata.sidedata import Type as SideDataType
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from revisit_metric.video.source import VideoError

RgbFrame = NDArray[np.uint8]
"""`(H, W, 3)` RGB, `[0, 255]`."""

_UNSPECIFIED_MATRIX = 2
_HDR_TRANSFERS = (16, 18)
_FIXED_POINT = 1 << 16


class Orientation(NamedTuple):
    """How stored rows and columns become upright ones: transpose first, then reverse.

    Attributes:
        transpose: Exchange rows and columns.
        flip_rows: Reverse the order of the rows.
        flip_columns: Reverse the order of the columns.
    """

    transpose: bool
    flip_rows: bool
    flip_columns: bool

    @property
    def mirrored(self) -> bool:
        """Whether a reflection is part of it."""
        return self.transpose ^ self.flip_rows ^ self.flip_columns

    @property
    def rotation_deg(self) -> int:
        """Clockwise rotation in degrees; for a mirrored one, the rotation after mirroring left to right."""
        if self.transpose:
            return 90 if self.flip_columns else 270
        return 180 if self.flip_rows else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was applied, in words."""
        mirror = ("mirrored left to right, as the file asks",) if self.mirrored else ()
        turn = f"rotated {self.rotation_deg} degrees clockwise, as the file asks"
        return (*mirror, turn) if self.rotation_deg else mirror

    def apply(self, image: RgbFrame) -> RgbFrame:
        """Turn `(H, W, 3)` upright, as a contiguous array."""
        if self.transpose:
            image = image.swapaxes(0, 1)
        rows, columns = (slice(None, None, -1 if flip else 1) for flip in self[1:])
        return np.ascontiguousarray(image[rows, columns])


UPRIGHT = Orientation(False, False, False)


def orientation(frame: VideoFrame, file: Path) -> Orientation:
    """The orientation that the frame's display matrix asks for.

    Raises:
        VideoError: `unsupported_orientation` for anything but quarter turns and mirroring.
    """
    side_data = cast("Mapping[SideDataType, SideData]", frame.side_data)  # PyAV types it as a narrower dict
    if SideDataType.DISPLAYMATRIX not in side_data:
        return UPRIGHT
    matrix = np.frombuffer(bytes(side_data[SideDataType.DISPLAYMATRIX]), "=i4").reshape(3, 3)[:2, :2]
    (a, b), (c, d) = (matrix / _FIXED_POINT).tolist()
    if b == c == 0 and a and d:
        return Orientation(False, flip_rows=d < 0, flip_columns=a < 0)
    if a == d == 0 and b and c:
        return Orientation(True, flip_rows=b < 0, flip_columns=c < 0)
    raise VideoError(
        f"{file}: its display matrix is {matrix.tolist()}, neither a quarter turn nor a mirror",
        "unsupported_orientation",
    )


def pixel_notes(frame: VideoFrame) -> list[str]:
    """What a reader should know about how this kind of frame becomes RGB."""
    name, components = frame.format.name, frame.format.components
    bits = max(component.bits for component in components)
    notes = []
    if bits > 8:
        notes.append(f"{name}: {bits}-bit samples are converted to 8 bits by swscale")
    if frame.color_trc in _HDR_TRANSFERS:
        notes.append("high dynamic range (PQ or HLG): samples are converted without tone mapping")
    if any(component.is_alpha for component in components):
        notes.append(f"{name}: the alpha plane is ignored")
    if frame.format.name.startswith("gray"):
        notes.append(f"{name}: grey levels are repeated in the three channels, and read as full range")
    elif not frame.format.is_rgb and frame.colorspace == _UNSPECIFIED_MATRIX:
        notes.append("the file does not state its colour matrix: BT.601 is assumed")
    if frame.interlaced_frame:
        notes.append("interlaced: fields are not separated")
    return notes


class RgbConverter:
    """Converts the frames of one video; keeps swscale's tables between them."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._reformatter = VideoReformatter()

    def __call__(self, frame: VideoFrame, turn: Orientation) -> RgbFrame:
        """Convert one frame.

        Raises:
            VideoError: `unsupported_colour` if swscale cannot convert it.
        """
        try:
            # One thread: a worker process stays on the core it was given.
            rgb = self._reformatter.reformat(frame, format="rgb24", interpolation="BILINEAR", threads=1)
        except (av.FFmpegError, ValueError) as error:
            text = f"cannot convert {frame.format.name} with colour matrix {frame.colorspace} to RGB ({error})"
            raise VideoError(f"{self._file}: {text}", "unsupported_colour") from error
        return turn.apply(np.asarray(rgb.to_ndarray(), dtype=np.uint8))
