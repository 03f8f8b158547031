"""Opening a video file safely, and saying in words why one cannot be opened.

Only common video containers are accepted and only the local file is read: a playlist, a subtitle or a text
file under a video's name is refused instead of being followed or rendered. Dimensions are limited before a
frame is allocated.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

VideoPath = str | os.PathLike[str]

MAX_PIXELS = 8192 * 8192
"""Most pixels a frame may have; a few hundred bytes can declare a frame that fills the memory."""

CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,nut,h264,hevc"
"""Names of the container formats that are read, as FFmpeg lists them."""

_FOREIGN_STARTS = (
    (b"version https://git-lfs", "a Git LFS pointer; fetch the video with `git lfs pull`"),
    (b"<", "a web page; was the download answered with an error?"),
    (b"#EXTM3U", "a playlist, not a video"),
    (b"\x89PNG", "a PNG picture, not a video"),
    (b"\xff\xd8\xff", "a JPEG picture, not a video"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
)


class VideoError(ValueError):
    """A video that cannot be read, or cannot be written as asked.

    Attributes:
        cause: Short code for records and tests: `missing`, `is_a_directory`, `not_a_file`, `unreadable`,
            `empty`, `not_a_video`, `no_video_stream`, `unsupported_codec`, `unsupported_colour`,
            `unsupported_orientation`, `too_large`, `truncated`, `too_few_frames`, `corrupt_frames`,
            `frame_size_changed`, `orientation_changed`, `decoder_missing`, `decoder_unsuitable`,
            `decoder_failed`, `bad_argument`, `bad_frame`, `no_frames`, `cannot_write`.
    """

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message, cause)

    @property
    def cause(self) -> str:
        """The short code."""
        return str(self.args[1])

    def __str__(self) -> str:
        return str(self.args[0])


def checked_file(path: VideoPath) -> Path:
    """The absolute path of a regular, non-empty file.

    Absolute, because FFmpeg takes a relative name such as `http:clip.mp4` for an address.

    Raises:
        VideoError: `missing`, `is_a_directory`, `not_a_file`, `empty` or `unreadable`.
    """
    file = Path(path).absolute()
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise VideoError(f"{file}: there is no such file", "missing") from error
    except (OSError, ValueError) as error:
        raise VideoError(f"{file}: cannot be read ({error})", "unreadable") from error
    if stat.S_ISDIR(status.st_mode):
        raise VideoError(f"{file}: a folder, expected a video file", "is_a_directory")
    if not stat.S_ISREG(status.st_mode):
        raise VideoError(f"{file}: a pipe or a device, expected a video file", "not_a_file")
    if status.st_size == 0:
        raise VideoError(f"{file}: zero bytes; the writer was stopped before it wrote anything", "empty")
    return file


@contextmanager
def opened(path: VideoPath, *, max_pixels: int = MAX_PIXELS) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a file and choose its video stream: the first one that is not a cover picture.

    Decoding runs on one thread, so that what is decoded before a fault never depends on timing.

    Yields:
        The container and the stream, both closed on leaving.

    Raises:
        VideoError: If the file holds no video stream that can be decoded, or FFmpeg gives up while it is
            open.
    """
    file = checked_file(path)
    limits = {"max_pixels": str(max_pixels), "threads": "1"}
    only_local = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
    try:
        # Tags that are not UTF-8 are no reason to refuse the pictures.
        container = av.open(str(file), "r", options=limits, container_options=only_local, metadata_errors="replace")
    except (av.FFmpegError, OSError) as error:
        raise _unopenable(file, error) from error
    with container:
        stream = _video_stream(file, container, max_pixels)
        stream.codec_context.options = limits
        stream.thread_count = 1
        try:
            yield container, stream
        except av.FFmpegError as error:
            text = f"damaged ({_reason(error)}); copy or render it again"
            raise VideoError(f"{file}: {text}", "corrupt_frames") from error


def ends_early(file: Path) -> bool:
    """Whether an mp4 or mov file is shorter than its own boxes say, or lacks its index."""
    if not is_mp4(file):
        return False
    boxes = list(_boxes(file))
    return boxes[-1][1] > file.stat().st_size or b"moov" not in [name for name, _ in boxes]


def is_mp4(file: Path) -> bool:
    """Whether a file begins as mp4 and mov files do."""
    return next((name for name, _ in _boxes(file)), b"") == b"ftyp"


def no_frames(file: Path) -> VideoError:
    """The error for a video in which not one frame can be decoded."""
    if ends_early(file):
        return VideoError(f"{file}: cut short before its first frame is complete; copy it again", "truncated")
    return VideoError(f"{file}: not one frame can be decoded", "no_frames")


def _boxes(file: Path) -> Iterator[tuple[bytes, int]]:
    """(type, end offset) of every top-level box of an mp4 or mov file."""
    size, start = file.stat().st_size, 0
    with file.open("rb") as stream:
        while start + 8 <= size:
            stream.seek(start)
            header = stream.read(16)
            length, name = int.from_bytes(header[:4], "big"), header[4:8]
            if length == 1:
                length = int.from_bytes(header[8:16], "big")
            elif length == 0:
                length = size - start
            if length < 8:
                return
            start += length
            yield name, start


def _unopenable(file: Path, error: Exception) -> VideoError:
    if isinstance(error, PermissionError):
        return VideoError(f"{file}: no permission to read it", "unreadable")
    if ends_early(file):
        text = "the mp4 is cut short: its index (moov) is missing; was the writer or the copy stopped?"
        return VideoError(f"{file}: {text}", "truncated")
    with file.open("rb") as stream:
        start = stream.read(24)
    for prefix, meaning in _FOREIGN_STARTS:
        if start.lstrip().startswith(prefix):
            return VideoError(f"{file}: {meaning}", "not_a_video")
    text = f"not a video in a known container (it starts with {start!r}; FFmpeg says: {_reason(error)})"
    return VideoError(f"{file}: {text}", "not_a_video")


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _video_stream(file: Path, container: InputContainer, max_pixels: int) -> VideoStream:
    streams = [stream for stream in container.streams.video if not is_cover(stream)]
    if not streams:
        held = sorted({stream.type for stream in container.streams})
        only = "a cover picture" if "video" in held else ", ".join(held) or "an empty container"
        raise VideoError(f"{file}: no video stream (only {only})", "no_video_stream")
    stream = streams[0]
    if stream.codec_context is None:  # PyAV's answer to a codec without a decoder; its types do not know
        raise VideoError(f"{file}: this FFmpeg has no decoder for its codec", "unsupported_codec")
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > max_pixels:
        text = f"frames of {width}x{height} exceed the limit of {max_pixels} pixels (max_pixels)"
        raise VideoError(f"{file}: {text}", "too_large")
    return stream


def is_cover(stream: VideoStream) -> bool:
    """Whether a stream is an attached cover picture."""
    return bool(stream.disposition & Disposition.attached_pic)
