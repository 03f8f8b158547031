"""Writing frames to an mp4 that every decoder reads alike, and that is the same file for the same frames.

*Conventions.* H.264, BT.709, limited range, stated in the file so that no decoder has to guess. The encoder
runs on one thread and no date or version of the muxer is written. A file appears under its name only when it
is complete.
"""

import contextlib
import itertools
import secrets
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from av.container import OutputContainer
from av.video.frame import VideoFrame
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from av.video.stream import VideoStream
from numpy.typing import NDArray

from revisit_metric.video.source import VideoError, VideoPath

PIXEL_FORMATS = {"libx264": ("yuv420p", "yuv444p"), "libx264rgb": ("rgb24",)}
"""What each encoder may store."""

_MAX_FPS_DENOMINATOR = 1001
_BT709 = 1


def write_video(
    path: VideoPath,
    frames: Iterable[NDArray[np.uint8]],
    *,
    fps: float | Fraction,
    crf: int = 18,
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    lossless: bool = False,
) -> None:
    """Encode frames to an mp4, streaming: one frame is held at a time.

    Args:
        path: Where to write; ends in `.mp4`.
        frames: RGB frames `(H, W, 3)` uint8, all of one size.
        fps: Frames a second; kept exactly (`Fraction(30000, 1001)` for NTSC).
        crf: Quality of x264 from 0 (best) to 51.
        codec: `libx264`, or `libx264rgb` which stores RGB as it is.
        pix_fmt: `yuv420p` (even sizes only), `yuv444p`, or `rgb24` for `libx264rgb`.
        lossless: Store every pixel exactly; chooses `libx264rgb` at crf 0. Few players show such a file.

    Raises:
        VideoError: `bad_argument`, `bad_frame`, `frame_size_changed`, `no_frames` or `cannot_write`. Nothing
            is left under `path` then, except what was there before.

    Example:
        >>> import tempfile
        >>> from revisit_metric.video import read_frames
        >>> frames = np.arange(2 * 48 * 64 * 3, dtype=np.uint8).reshape(2, 48, 64, 3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", frames, fps=16, lossless=True)
        ...     bool((read_frames(f"{folder}/a.mp4", range(2)) == frames).all())
        True
    """
    if lossless:
        codec, pix_fmt, crf = "libx264rgb", "rgb24", 0
    encoding = _checked_encoding(codec, pix_fmt, crf, fps)
    file = _checked_target(path)
    checked = _checked_frames(frames, pix_fmt)
    first = next(checked, None)
    if first is None:
        raise VideoError(f"{file}: there is no frame to write", "no_frames")
    with _appearing_whole(file) as partial:
        _encode(partial, itertools.chain([first], checked), first.shape, encoding)


class _Encoding(NamedTuple):
    codec: str
    pix_fmt: str
    crf: int
    rate: Fraction


def _checked_encoding(codec: str, pix_fmt: str, crf: int, fps: float | Fraction) -> _Encoding:
    if codec not in PIXEL_FORMATS:
        raise VideoError(f"codec is {codec!r}, expected one of {', '.join(PIXEL_FORMATS)}", "bad_argument")
    if pix_fmt not in PIXEL_FORMATS[codec]:
        allowed = " or ".join(PIXEL_FORMATS[codec])
        raise VideoError(f"pix_fmt is {pix_fmt!r}, {codec} stores {allowed}", "bad_argument")
    if not 0 <= crf <= 51:
        raise VideoError(f"crf is {crf}, expected 0 (best) to 51", "bad_argument")
    return _Encoding(codec, pix_fmt, crf, _checked_rate(fps))


def _checked_target(path: VideoPath) -> Path:
    file = Path(path).absolute()
    if file.suffix.lower() != ".mp4":
        raise VideoError(f"{file}: the name must end in .mp4", "bad_argument")
    if file.is_dir() or not file.parent.is_dir():
        what = "a folder of this name is in the way" if file.is_dir() else f"there is no folder {file.parent}"
        raise VideoError(f"{file}: {what}", "cannot_write")
    return file


def _checked_rate(fps: float | Fraction) -> Fraction:
    try:
        rate = Fraction(fps).limit_denominator(_MAX_FPS_DENOMINATOR)
    except (OverflowError, TypeError, ValueError) as error:
        raise VideoError(f"fps is {fps!r}, expected a positive number", "bad_argument") from error
    if not 0 < rate <= 1000:
        raise VideoError(f"fps is {fps}, expected more than 0 and at most 1000", "bad_argument")
    return rate


def _checked_frames(frames: Iterable[NDArray[np.uint8]], pix_fmt: str) -> Iterator[NDArray[np.uint8]]:
    expected: tuple[int, ...] | None = None
    for index, frame in enumerate(frames):
        image = np.asarray(frame)
        _check_frame(image, index)
        if expected is None:
            expected = image.shape
            _check_size(image, pix_fmt)
        if image.shape != expected:
            text = f"frame {index} has shape {image.shape}, the frames before it {expected}"
            raise VideoError(text, "frame_size_changed")
        yield np.ascontiguousarray(image)


def _check_frame(image: NDArray[np.uint8], index: int) -> None:
    if image.dtype != np.uint8:
        text = f"frame {index} has dtype {image.dtype}, expected uint8 in [0, 255]; floats in [0, 1]?"
        raise VideoError(text, "bad_frame")
    if image.ndim != 3 or image.shape[2] != 3 or image.size == 0:
        hint = " — channels first?" if image.ndim == 3 and image.shape[0] == 3 else ""
        raise VideoError(f"frame {index} has shape {image.shape}, expected (H, W, 3){hint}", "bad_frame")


def _check_size(image: NDArray[np.uint8], pix_fmt: str) -> None:
    height, width = image.shape[:2]
    if pix_fmt == "yuv420p" and (height % 2 or width % 2):
        text = f"frames of {width}x{height} cannot be stored in yuv420p, whose colour planes have half the size"
        raise VideoError(f"{text}; crop to an even size or pass pix_fmt='yuv444p'", "bad_frame")


@contextlib.contextmanager
def _appearing_whole(file: Path) -> Iterator[Path]:
    """A temporary name beside `file`, moved to it on success and removed otherwise."""
    partial = file.with_name(f".{secrets.token_hex(8)}.partial.mp4")
    try:
        yield partial
        partial.replace(file)
    except av.FFmpegError as error:
        raise VideoError(f"{file}: cannot be written ({error}); is the disk full?", "cannot_write") from error
    finally:
        partial.unlink(missing_ok=True)


def _encode(file: Path, frames: Iterable[NDArray[np.uint8]], shape: tuple[int, ...], encoding: _Encoding) -> None:
    with av.open(str(file), "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream = _add_stream(container, shape, encoding)
        for index, image in enumerate(frames):
            container.mux(stream.encode(_encodable(image, index, encoding)))
        container.mux(stream.encode())


def _add_stream(container: OutputContainer, shape: tuple[int, ...], encoding: _Encoding) -> VideoStream:
    stream = container.add_stream(encoding.codec, rate=encoding.rate)
    if not isinstance(stream, VideoStream):
        raise TypeError(f"{encoding.codec} made a {stream.type} stream")
    context = stream.codec_context
    context.height, context.width = shape[:2]
    context.pix_fmt = encoding.pix_fmt
    context.time_base = 1 / encoding.rate
    context.thread_count = 1
    # x264's macroblock tree reads memory it has not set: the same frames gave other bytes in a process with a past.
    tree = {"x264-params": "mbtree=0:rc-lookahead=0"}
    context.options = {"crf": str(encoding.crf), "preset": "medium", "flags": "+bitexact", **tree}
    if encoding.pix_fmt != "rgb24":
        context.colorspace, context.color_range = _BT709, ColorRange.MPEG
        context.color_primaries, context.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
    return stream


def _encodable(image: NDArray[np.uint8], index: int, encoding: _Encoding) -> VideoFrame:
    frame = VideoFrame.from_ndarray(image, format="rgb24")
    if encoding.pix_fmt != "rgb24":
        frame = frame.reformat(
            format=encoding.pix_fmt,
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
            threads=1,
        )
    frame.pts, frame.time_base = index, 1 / encoding.rate
    return frame
