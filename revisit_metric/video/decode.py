"""The sequential passes over a video: PyAV, which also judges the file, and decord, which may supply pixels.

*PyAV* decodes on one thread in presentation order and refuses what it cannot vouch for: damaged packets or
frames, a change of size or orientation on the way.

*decord* gives the same pixels on the plain files that `video.info` lets it have, but hands out damaged frames without a
word, and fails on a file that is cut short over frames nobody asked for. So it only follows a PyAV pass over the whole
file that found nothing, and reads every frame up to the last wanted one in order: its own skipping jumps to key frames.
"""

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from revisit_metric.video.info import VideoInfo, inspect
from revisit_metric.video.pixels import Orientation, RgbConverter, RgbFrame, orientation
from revisit_metric.video.source import VideoError, ends_early, is_mp4, opened

Wanted = frozenset[int]


class PyavPass:
    """One sequential decode of a file with PyAV.

    Attributes:
        n_frames: Frames decoded so far.

    Args:
        file: The video.
        max_pixels: Larger frames are refused.
        last: The frame to stop after, `None` for the end of the video.
    """

    def __init__(self, file: Path, *, max_pixels: int, last: int | None = None) -> None:
        self.n_frames = 0
        self._last = last
        self._file = file
        self._max_pixels = max_pixels
        self._first: tuple[tuple[int, int], Orientation] | None = None

    def rgb(self, wanted: Wanted) -> Iterator[tuple[int, RgbFrame]]:
        """Yield (index, RGB) of the wanted frames; only they are converted.

        Raises:
            VideoError: `corrupt_frames`, `frame_size_changed`, `orientation_changed`, or a fault of opening.
        """
        convert = RgbConverter(self._file)
        for frame, turn in self.frames():
            if self.n_frames - 1 in wanted:
                yield self.n_frames - 1, convert(frame, turn)

    def frames(self) -> Iterator[tuple[VideoFrame, Orientation]]:
        """Yield every frame with its orientation, counting them in `n_frames`."""
        with opened(self._file, max_pixels=self._max_pixels) as (container, stream), self._decoding():
            for frame in self._whole(container.demux(stream)):
                turn = self._checked(frame)
                self.n_frames += 1
                yield frame, turn
                if self.n_frames - 1 == self._last:
                    return

    def _whole(self, packets: "Iterable[Packet[VideoStream]]") -> Iterator[VideoFrame]:
        """Decode packets up to the point where the file is cut short, if it is.

        Frames are stored in another order than they are shown in. What a decoder still holds when a file
        breaks off may therefore follow frames that are lost, and would get their numbers: it is not handed
        out.
        """
        cut = False
        gaps = _Gaps()
        for packet in packets:
            if cut and packet.size:
                raise self._corrupt("a packet is damaged")
            cut |= packet.is_corrupt
            flushing = not packet.size
            if cut or (flushing and ends_early(self._file)):
                continue
            for frame in packet.decode():
                if gaps.widened_by(frame) and flushing and not is_mp4(self._file):
                    return
                yield frame

    @contextmanager
    def _decoding(self) -> Iterator[None]:
        try:
            yield
        except av.FFmpegError as error:
            raise self._corrupt(f"the decoder gave up: {error.strerror or error}") from error

    def _corrupt(self, what: str) -> VideoError:
        text = f"{what} after {self.n_frames} frames; the file is damaged, copy or render it again"
        return VideoError(f"{self._file}: {text}", "corrupt_frames")

    def _checked(self, frame: VideoFrame) -> Orientation:
        if frame.is_corrupt:
            raise self._corrupt(f"frame {self.n_frames} is damaged and was patched up by the decoder")
        size, turn = (frame.width, frame.height), orientation(frame, self._file)
        if self._first is None:
            self._first = size, turn
        first_size, first_turn = self._first
        if size != first_size:
            change = f"{size[0]}x{size[1]}, the frames before it {first_size[0]}x{first_size[1]}"
            raise VideoError(f"{self._file}: frame {self.n_frames} is {change}", "frame_size_changed")
        if turn != first_turn:
            text = f"frame {self.n_frames} is turned differently from the frames before it"
            raise VideoError(f"{self._file}: {text}", "orientation_changed")
        return turn


class _Gaps:
    """Watches the time between frames for a jump beyond anything before it."""

    def __init__(self) -> None:
        self._widest = 0
        self._last: int | None = None

    def widened_by(self, frame: VideoFrame) -> bool:
        """Whether the frame is half as far again from the one before as any two frames so far."""
        if frame.pts is None or self._last is None:
            self._last = frame.pts
            return False
        gap, before = frame.pts - self._last, self._widest
        self._last, self._widest = frame.pts, max(before, gap)
        return 0 < before < gap / 1.5


def _decord() -> Any:
    """The decord module; torch goes first, because convolutions crash in a process that loaded decord before it."""
    with suppress(ImportError):
        importlib.import_module("torch")
    return importlib.import_module("decord")


def decord_version() -> str | None:
    """The installed decord's version, `None` without it."""
    if importlib.util.find_spec("decord") is None:
        return None
    return str(_decord().__version__)


def plain_info(file: Path, *, max_pixels: int) -> VideoInfo:
    """The description of a file that decord may decode.

    Raises:
        VideoError: `decoder_missing` without decord, `decoder_unsuitable` for a file that only PyAV may
            decode.
    """
    if decord_version() is None:
        raise VideoError("decord is not installed: `pip install decord2`", "decoder_missing")
    info, obstacle = inspect(file, max_pixels=max_pixels)
    if obstacle is not None:
        raise VideoError(f"{file}: decord may not decode this file: {obstacle}", "decoder_unsuitable")
    return info


class DecordPass:
    """One sequential decode with decord of a file that is plain and that a PyAV pass found sound.

    Raises:
        VideoError: `decoder_unsuitable` when decord cannot open the file or shapes its frames wrongly.
    """

    def __init__(self, file: Path, info: VideoInfo) -> None:
        decord: Any = _decord()
        decord.logging.set_level(decord.logging.QUIET)
        self._file = file
        self._shape = (info.height, info.width, 3)
        self._faults = (decord.DECORDError, RuntimeError, AssertionError, StopIteration)
        try:
            self._reader = decord.VideoReader(str(file), num_threads=1)
            self._next = self._reader.next()
        except self._faults as error:
            raise VideoError(f"{file}: decord cannot open it ({error})", "decoder_unsuitable") from error
        if self._next.shape != self._shape:
            # decord 3.4 takes the padding of narrow rows for further channels.
            text = f"decord gives frames of shape {self._next.shape}, expected {self._shape}"
            raise VideoError(f"{file}: {text}", "decoder_unsuitable")

    def rgb(self, wanted: Wanted) -> Iterator[tuple[int, RgbFrame]]:
        """Yield (index, RGB) of the wanted frames.

        Raises:
            VideoError: `decoder_failed` when decord stops before the last of them.
        """
        for index in range(max(wanted, default=-1) + 1):
            if index:
                self._advance(index)
            if index in wanted:
                yield index, np.asarray(self._next.asnumpy(), dtype=np.uint8)

    def _advance(self, index: int) -> None:
        try:
            self._next = self._reader.next()
        except self._faults as error:
            text = f"decord stops at frame {index} of a file that PyAV decodes ({error})"
            raise VideoError(f"{self._file}: {text}", "decoder_failed") from error
