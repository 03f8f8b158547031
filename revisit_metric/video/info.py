"""What a video file says about itself, read from its packets and its first frame.

*Conventions.* `rotation_deg` is clockwise. Frames are numbered from 0 in the order they are presented.
"""

from dataclasses import dataclass
from typing import NamedTuple

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from revisit_metric.video.pixels import UPRIGHT, Orientation, orientation, pixel_notes
from revisit_metric.video.source import MAX_PIXELS, VideoPath, checked_file, is_cover, no_frames, opened

_COMMON_MATRICES = (1, 2, 5, 6, 9)
"""BT.709, unspecified, BT.601 twice, BT.2020: both decoders were compared on these."""


@dataclass(frozen=True)
class VideoInfo:
    """What a video is.

    Attributes:
        width: Pixels, after the rotation the file asks for.
        height: Pixels, after the rotation the file asks for.
        fps: Mean frames a second; `None` when the file does not say.
        rotation_deg: Clockwise rotation applied to every frame: 0, 90, 180 or 270.
        pix_fmt: FFmpeg's name of the stored pixel format, such as `yuv420p`.
        codec: FFmpeg's name of the codec, such as `h264`.
        bit_depth: Bits a stored sample.
        n_frames_declared: What the container claims, `None` when it claims nothing. Only decoding tells the
            truth.
        variable_frame_rate: Whether frames are unevenly spaced in time.
        notes: Everything that shapes the pixels or the frame numbers and that a reader should know.
    """

    width: int
    height: int
    fps: float | None
    rotation_deg: int
    pix_fmt: str
    codec: str
    bit_depth: int
    n_frames_declared: int | None
    variable_frame_rate: bool
    notes: tuple[str, ...]


class Inspection(NamedTuple):
    """A video's description, and why decord may not decode it (`None`: it may)."""

    info: VideoInfo
    decord_obstacle: str | None


class _Packets(NamedTuple):
    """The packets of the stream, summed up without decoding them."""

    n: int
    n_hidden: int
    n_corrupt: int
    pts: NDArray[np.int64]

    @property
    def spacing(self) -> NDArray[np.int64]:
        ordered = np.sort(self.pts)
        return ordered[1:] - ordered[:-1]

    @property
    def uneven(self) -> bool:
        """Unequal spacing beyond the rounding of one tick that a coarse time base forces."""
        if not self.spacing.size:
            return False
        usual = float(np.median(self.spacing))
        return bool((np.abs(self.spacing - usual) > max(1.0, 0.01 * usual)).any())


def inspect(path: VideoPath, *, max_pixels: int = MAX_PIXELS) -> Inspection:
    """Describe a video: one pass over its packets, one decoded frame.

    Raises:
        VideoError: If it cannot be opened or holds no frame.
    """
    file = checked_file(path)
    with opened(file, max_pixels=max_pixels) as (container, stream):
        packets, first = _survey(container, stream)
        if first is None:
            raise no_frames(file)
        turn = orientation(first, file)
        info = _describe(container, stream, packets, first, turn)
        obstacle = _decord_obstacle(container, stream, packets, first, turn)
    try:
        str(file).encode()
    except UnicodeEncodeError:
        obstacle = "its name is not valid UTF-8"
    return Inspection(info, obstacle)


def _survey(container: InputContainer, stream: VideoStream) -> tuple[_Packets, VideoFrame | None]:
    n = n_hidden = n_corrupt = 0
    pts: list[int] = []
    first: VideoFrame | None = None
    for packet in container.demux(stream):
        if first is None and not packet.is_corrupt:
            first = next(iter(packet.decode()), None)
        if not packet.size:
            continue
        n += 1
        n_corrupt += packet.is_corrupt
        n_hidden += packet.is_discard
        if packet.pts is not None and not packet.is_discard:
            pts.append(packet.pts)
    return _Packets(n, n_hidden, n_corrupt, np.array(pts, np.int64)), first


def _describe(
    container: InputContainer, stream: VideoStream, packets: _Packets, first: VideoFrame, turn: Orientation
) -> VideoInfo:
    turned = turn.transpose
    return VideoInfo(
        width=first.height if turned else first.width,
        height=first.width if turned else first.height,
        fps=float(stream.average_rate) if stream.average_rate else None,
        rotation_deg=turn.rotation_deg,
        pix_fmt=first.format.name,
        codec=stream.codec_context.codec.canonical_name,
        bit_depth=max(component.bits for component in first.format.components),
        n_frames_declared=stream.frames if stream.frames > 0 else None,
        variable_frame_rate=packets.uneven,
        notes=(*_container_notes(container, stream, packets), *turn.notes, *pixel_notes(first)),
    )


def _container_notes(container: InputContainer, stream: VideoStream, packets: _Packets) -> list[str]:
    notes = []
    covers = sum(map(is_cover, container.streams.video))
    if covers:
        notes.append("cover picture skipped")
    if len(container.streams.video) - covers > 1:
        notes.append(f"{len(container.streams.video) - covers} video streams: the first is used")
    if 0 < stream.frames != packets.n:
        notes.append(f"the container declares {stream.frames} frames and holds {packets.n}")
    if packets.n_hidden:
        notes.append(f"{packets.n_hidden} frames hidden by an edit list are not counted")
    if packets.uneven:
        low, high = (1000 * float(ticks * (stream.time_base or 0)) for ticks in _extremes(packets))
        spread = f"variable frame rate ({low:.1f} to {high:.1f} ms a frame)"
        notes.append(f"{spread}: frames are taken by number, not by time")
    if stream.metadata.get("alpha_mode") == "1":
        notes.append("the alpha plane is ignored")
    ratio = stream.sample_aspect_ratio
    if ratio and ratio != 1:
        notes.append(f"pixels are {ratio.numerator}:{ratio.denominator}, not square: frames are not stretched")
    return notes


def _extremes(packets: _Packets) -> tuple[int, int]:
    return int(packets.spacing.min()), int(packets.spacing.max())


def _decord_obstacle(
    container: InputContainer, stream: VideoStream, packets: _Packets, first: VideoFrame, turn: Orientation
) -> str | None:
    """What may keep decord from giving the frames and pixels that PyAV gives; `None` when nothing does."""
    kind = stream.codec_context.codec.canonical_name, first.format.name
    obstacles = {
        f"its container is {container.format.name}, not mp4": "mp4" not in container.format.name.split(","),
        f"it is {kind[0]} in {kind[1]}, not h264 in yuv420p": kind != ("h264", "yuv420p"),
        "its colour matrix is one that decord was not tried with": first.colorspace not in _COMMON_MATRICES,
        "it is interlaced": first.interlaced_frame,
        "it has more than one video stream": len(container.streams.video) > 1,
        "it is rotated": turn != UPRIGHT,
        "its frame rate varies": packets.uneven,
        "it does not start at time zero": not packets.pts.size or bool(packets.pts.min()),
        "its container is wrong about the number of frames": stream.frames != packets.n,
        "an edit list hides some of its frames": packets.n_hidden > 0,
        "it has damaged packets": packets.n_corrupt > 0,
        "its index is damaged": not _rewinds(container, stream),
    }
    return next((text for text, found in obstacles.items() if found), None)


def _rewinds(container: InputContainer, stream: VideoStream) -> bool:
    try:
        container.seek(0, stream=stream)
    except av.FFmpegError:
        return False
    return True
