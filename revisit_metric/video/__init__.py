"""Reading and writing videos: the only way pixels enter or leave this package.

*Conventions.* Frames are `(H, W, 3)` uint8 RGB, upright. A frame's index is its place in the order of
presentation, from 0, as decoded: what a container claims about its length is never trusted. Reading is one
sequential pass that keeps one frame, converts the wanted ones only, and stops after the last. `video.pixels`
documents the conversion to RGB.

*Decoders.* The pixels are identical whichever decoder reads them. PyAV is the default: it decodes a file once and flags
damage as it goes. decord passes damaged frames on without a word, so `decoder="decord"` supplies the pixels only after
PyAV has decoded the whole file and found it sound, and only of plain mp4 files (8-bit H.264 in yuv420p, one video
stream, upright, evenly spaced frames from time zero, an honest frame count): twice the work, for those who want the
decoder of the benchmark's release.
"""

import collections
import hashlib
import itertools
from collections.abc import Iterable, Iterator
from numbers import Integral
from pathlib import Path
from typing import Literal

import av
import numpy as np

from revisit_metric.video.decode import DecordPass, PyavPass, decord_version, plain_info
from revisit_metric.video.info import VideoInfo, inspect
from revisit_metric.video.pixels import RgbFrame
from revisit_metric.video.source import MAX_PIXELS, VideoError, VideoPath, checked_file, ends_early, no_frames
from revisit_metric.video.writer import write_video

__all__ = [
    "MAX_PIXELS",
    "FrameReader",
    "VideoError",
    "VideoInfo",
    "content_sha256",
    "count_frames",
    "decoder_identity",
    "probe",
    "read_frames",
    "stream_frames",
    "write_video",
]

Decoder = Literal["pyav", "decord"]


def probe(path: VideoPath, *, max_pixels: int = MAX_PIXELS) -> VideoInfo:
    """Describe a video without decoding more than its first frame.

    Args:
        path: The video.
        max_pixels: Larger frames are refused (`too_large`).

    Raises:
        VideoError: If the file cannot be opened, or nothing in it can be decoded.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", np.zeros((9, 48, 64, 3), np.uint8), fps=16)
        ...     info = probe(f"{folder}/a.mp4")
        >>> (info.width, info.height, info.fps, info.codec, info.n_frames_declared)
        (64, 48, 16.0, 'h264', 9)
    """
    return inspect(path, max_pixels=max_pixels).info


class FrameReader:
    """The wanted frames of one video, in one sequential pass.

    Iterating yields (index, RGB `(H, W, 3)` uint8) in ascending order. Each iteration is a pass of its own.

    Args:
        path: The video.
        indices: Ascending distinct frame indices from 0.
        decoder: `pyav`, or `decord`, which refuses files that it may not decode, and damage
            anywhere.
        to_end: Decode past the last wanted frame to the end, so that `n_frames` is the length of the video
            and damage anywhere is found.
        max_pixels: Larger frames are refused.

    Attributes:
        decoder_used: `decord` or `pyav`, once the first frame was yielded.

    Raises:
        VideoError: `bad_argument` for indices that are not ascending, distinct and from 0. While iterating:
            `truncated` or `too_few_frames` when the video ends before a wanted frame, `corrupt_frames`,
            `frame_size_changed`, and the other causes listed at `VideoError`.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", np.zeros((9, 48, 64, 3), np.uint8), fps=16)
        ...     reader = FrameReader(f"{folder}/a.mp4", [0, 4])
        ...     [(index, frame.shape) for index, frame in reader]
        ...     reader.n_frames
        [(0, (48, 64, 3)), (4, (48, 64, 3))]
        9
    """

    def __init__(
        self,
        path: VideoPath,
        indices: Iterable[int],
        *,
        decoder: Decoder = "pyav",
        to_end: bool = True,
        max_pixels: int = MAX_PIXELS,
    ) -> None:
        if decoder not in ("pyav", "decord"):
            raise VideoError(f"decoder is {decoder!r}, expected 'pyav' or 'decord'", "bad_argument")
        self._path = path
        self._indices = _checked_indices(indices)
        self._decoder = decoder
        self._to_end = to_end
        self._max_pixels = max_pixels
        self._n_frames: int | None = None
        self.decoder_used: str | None = None

    @property
    def n_frames(self) -> int:
        """Frames in the video, by decoding.

        Raises:
            VideoError: `bad_argument` before a full iteration, or without `to_end`.
        """
        if self._n_frames is None:
            raise VideoError(
                f"{self._path}: the number of frames is known after a full iteration with to_end",
                "bad_argument",
            )
        return self._n_frames

    def __iter__(self) -> Iterator[tuple[int, RgbFrame]]:
        file = checked_file(self._path)
        wanted = frozenset(self._indices)
        decord = self._decord_pass(file)
        if decord is not None:
            self.decoder_used = "decord"
            yield from decord.rgb(wanted)
            return
        self.decoder_used = "pyav"
        frames = PyavPass(file, max_pixels=self._max_pixels, last=self._last)
        yield from frames.rgb(wanted)
        self._settle(frames.n_frames, file)

    @property
    def _last(self) -> int | None:
        """The frame to stop after, `None` for the end of the video."""
        return None if self._to_end else max(self._indices, default=-1)

    def _decord_pass(self, file: Path) -> DecordPass | None:
        """A decord pass over a file that PyAV has found sound, `None` where PyAV is the decoder."""
        if self._decoder == "pyav":
            return None
        info = plain_info(file, max_pixels=self._max_pixels)
        judge = PyavPass(file, max_pixels=self._max_pixels, last=None)
        collections.deque(judge.frames(), maxlen=0)
        self._settle(judge.n_frames, file)
        return DecordPass(file, info)

    def _settle(self, n_frames: int, file: Path) -> None:
        if n_frames == 0:
            raise no_frames(file)
        missing = [index for index in self._indices if index >= n_frames]
        if missing:
            short = ends_early(file)
            likely = "the file is cut short, copy it again" if short else "was the rollout rendered to its end?"
            text = f"ends after {n_frames} decoded frames, frame {missing[0]} is wanted; {likely}"
            raise VideoError(f"{file}: {text}", "truncated" if short else "too_few_frames")
        self._n_frames = n_frames if self._to_end else None


def stream_frames(
    path: VideoPath, indices: Iterable[int], *, decoder: Decoder = "pyav", max_pixels: int = MAX_PIXELS
) -> Iterator[tuple[int, RgbFrame]]:
    """Yield the wanted frames of a video in one pass that stops after the last of them.

    Args:
        path: The video.
        indices: Ascending distinct frame indices from 0.
        decoder: `pyav` or `decord`.
        max_pixels: Larger frames are refused.

    Yields:
        (index, RGB `(H, W, 3)` uint8), ascending.

    Raises:
        VideoError: As `FrameReader`.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", np.zeros((9, 48, 64, 3), np.uint8), fps=16)
        ...     [index for index, frame in stream_frames(f"{folder}/a.mp4", [2, 7])]
        [2, 7]
    """
    return iter(FrameReader(path, indices, decoder=decoder, to_end=False, max_pixels=max_pixels))


def read_frames(
    path: VideoPath, indices: Iterable[int], *, decoder: Decoder = "pyav", max_pixels: int = MAX_PIXELS
) -> RgbFrame:
    """The wanted frames as one array `(N, H, W, 3)` uint8 RGB; use `stream_frames` where memory matters.

    Raises:
        VideoError: As `FrameReader`, and `bad_argument` for no index at all.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", np.zeros((9, 48, 64, 3), np.uint8), fps=16)
        ...     read_frames(f"{folder}/a.mp4", range(3)).shape
        (3, 48, 64, 3)
    """
    images = [image for _, image in stream_frames(path, indices, decoder=decoder, max_pixels=max_pixels)]
    if not images:
        raise VideoError(f"{path}: no frame index is given", "bad_argument")
    return np.stack(images)


def count_frames(path: VideoPath, *, max_pixels: int = MAX_PIXELS) -> int:
    """The number of frames, by decoding all of them.

    A video that is cut short counts what is left of it. Only damage within the video is an error.

    Raises:
        VideoError: As `FrameReader`.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_video(f"{folder}/a.mp4", np.zeros((9, 48, 64, 3), np.uint8), fps=16)
        ...     count_frames(f"{folder}/a.mp4")
        9
    """
    reader = FrameReader(path, (), decoder="pyav", max_pixels=max_pixels)
    collections.deque(reader, maxlen=0)
    return reader.n_frames


def decoder_identity(decoder: Decoder = "pyav") -> str:
    """What may change a pixel: the decoders and libraries in use, for journal keys and result records.

    Args:
        decoder: The decoder that frames are read with.
    """
    libraries = av.library_versions
    versions = {name: ".".join(map(str, libraries[name])) for name in ("libavcodec", "libswscale")}
    pyav = f"PyAV {av.__version__} (" + ", ".join(f"{name} {text}" for name, text in versions.items()) + ")"
    version = None if decoder == "pyav" else decord_version()
    return pyav if version is None else f"decord {version}, {pyav}"


def content_sha256(path: VideoPath) -> str:
    """The SHA-256 of a file's bytes in hexadecimal, read in pieces.

    Raises:
        VideoError: `missing`, `is_a_directory`, `empty` or `unreadable`.
    """
    file = checked_file(path)
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise VideoError(f"{file}: cannot be read ({error})", "unreadable") from error


def _checked_indices(indices: Iterable[int]) -> tuple[int, ...]:
    found = tuple(indices)
    if any(isinstance(index, bool) or not isinstance(index, Integral) for index in found):
        raise VideoError(f"frame indices {found[:5]}... hold something that is no integer", "bad_argument")
    whole = tuple(map(int, found))
    if any(index < 0 for index in whole[:1]) or any(b <= a for a, b in itertools.pairwise(whole)):
        raise VideoError(
            f"frame indices {whole[:5]}... must ascend from 0 without repeats; sort them first",
            "bad_argument",
        )
    return whole
