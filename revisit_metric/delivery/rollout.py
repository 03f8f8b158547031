"""Findings about one rollout: its length, motion, rate, size, first view, and what is drawn over it.

Conventions: similarity of two pictures is the correlation of their small grey versions, `[-1, 1]`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from revisit_metric.delivery.images import InstanceError
from revisit_metric.delivery.scan import Scan, shrunk
from revisit_metric.manifest import Rollout
from revisit_metric.trajectory import Poses, rotation_angle_deg, step_lengths_m
from revisit_metric.video import VideoError

Severity = Literal["error", "warning"]

FPS_TOLERANCE = 0.01
MIN_SIDE = 128
"""Frames with a shorter side leave the backbones little to see."""

MIN_SIMILARITY = 0.7
STILL_FRAMES = 24
STILL_MOTION = (0.5, 10.0)
"""Commanded metres or degrees over a still stretch, above which it should not be still."""

VIDEO_FIXES = {
    "missing": "generate it, or correct the path in the manifest (relative to the manifest's folder)",
    "truncated": "copy the file again, or render the rollout to its end",
    "corrupt_frames": "copy the file again; if that does not help, render it again",
    "too_large": "scale the video down",
    "unsupported_codec": "encode it as H.264: `ffmpeg -i IN -c:v libx264 -crf 12 -pix_fmt yuv420p OUT.mp4`",
    "unsupported_colour": "encode it as H.264: `ffmpeg -i IN -c:v libx264 -crf 12 -pix_fmt yuv420p OUT.mp4`",
    "frame_size_changed": "write all frames of a rollout at one size",
    "unreadable": "give read permission, or check the disk",
}
"""Cause of a `VideoError` -> what to do."""

RENDER_AGAIN = "render the rollout again and check that its writer ended without an error"
"""What to do about every other cause."""


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        severity: "error" or "warning".
        code: Short machine-readable code.
        rollout_id: The rollout, manifest line or instance that it is about.
        message: What is wrong, with the values.
        fix: What to do about it.
    """

    severity: Severity
    code: str
    rollout_id: str
    message: str
    fix: str

    def to_dict(self) -> dict[str, str]:
        """Return the fields as a JSON-ready dictionary."""
        return asdict(self)


def undecodable(rollout: Rollout, error: VideoError) -> Finding:
    """The finding for a video that cannot be decoded."""
    fix = VIDEO_FIXES.get(error.cause, RENDER_AGAIN)
    return Finding("error", error.cause, rollout.rollout_id, str(error), fix)


def check_rollout(rollout: Rollout, scan: Scan, instances: Mapping[str, NDArray[np.uint8]] | None) -> Iterator[Finding]:
    """Findings about one rollout whose video was scanned; arguments as of `check_delivery`."""
    try:
        poses = rollout.commanded_poses()
    except (ValueError, OSError) as error:
        fix = "name a template in 'trajectory', or give 'poses' or 'script' that can be read"
        yield Finding("error", "bad_poses", rollout.rollout_id, f"no commanded poses: {error}", fix)
    else:
        yield from _length(rollout, scan, len(poses))
        yield from _stillness(rollout, scan, poses)
    yield from _rate(rollout, scan)
    yield from _size(rollout, scan)
    yield from _overlay(rollout, scan)
    if instances is not None and scan.first is not None and rollout.instance_id in instances:
        yield from _first_view(rollout, scan.first, instances)


def _length(rollout: Rollout, scan: Scan, n_poses: int) -> Iterator[Finding]:
    found = scan.n_frames - rollout.first_frame
    text = f"{found} frames from frame {rollout.first_frame} on, the command has {n_poses} poses"
    if found < n_poses and scan.cut_short:
        yield Finding("error", "truncated", rollout.rollout_id, f"cut short: {text}", VIDEO_FIXES["truncated"])
    elif found < n_poses:
        fix = "render the rollout to its end, give the poses of the frames that exist, or correct 'first_frame'"
        yield Finding("error", "too_few_frames", rollout.rollout_id, text, fix)
    elif found > n_poses:
        fix = "fine if the model pads at the end; if it puts frames before pose 0, set 'first_frame'"
        yield Finding("warning", "surplus_frames", rollout.rollout_id, text, fix)


def _stillness(rollout: Rollout, scan: Scan, poses: Poses) -> Iterator[Finding]:
    last = min(len(poses), scan.n_frames - rollout.first_frame) - 1
    start = max(0, scan.n_frames - scan.still_frames - rollout.first_frame)
    if last <= start:
        return
    stretch = poses[start : last + 1]
    metres, degrees = float(step_lengths_m(stretch).sum()), float(rotation_angle_deg(stretch).sum())
    if metres < STILL_MOTION[0] and degrees < STILL_MOTION[1]:
        return
    command = f"while the command moves {metres:.1f} m and turns {degrees:.0f} degrees"
    if scan.still_frames == scan.n_frames:
        fix = "check that the actions reach the model; a world that never moves is not tested for memory"
        text = f"all {scan.n_frames} frames show the same picture {command}"
        yield Finding("error", "static_video", rollout.rollout_id, text, fix)
    elif scan.still_frames >= STILL_FRAMES:
        fix = "check whether the writer repeats the last frame to fill up, and how many actions the model was given"
        text = f"the last {scan.still_frames} of {scan.n_frames} frames show the same picture {command}"
        yield Finding("warning", "frozen_tail", rollout.rollout_id, text, fix)


def _rate(rollout: Rollout, scan: Scan) -> Iterator[Finding]:
    rate = scan.info.fps
    if rate is not None and rollout.fps is not None and abs(rate - rollout.fps) > FPS_TOLERANCE * rollout.fps:
        text = f"the file runs at {rate:g} frames a second, the manifest says {rollout.fps:g}"
        fix = "correct 'fps'; if the writer dropped or repeated frames, write one frame a pose"
        yield Finding("warning", "fps_differs", rollout.rollout_id, text, fix)
    if scan.info.variable_frame_rate:
        fix = "write at a constant rate; frames are counted, so one that the writer dropped shifts all poses after it"
        text = "the frames are unevenly spaced in time"
        yield Finding("warning", "variable_frame_rate", rollout.rollout_id, text, fix)


def _size(rollout: Rollout, scan: Scan) -> Iterator[Finding]:
    width, height = scan.info.width, scan.info.height
    if min(width, height) < MIN_SIDE:
        fix = "deliver the model's own resolution, not a preview"
        text = f"frames of {width}x{height}, a side below {MIN_SIDE}"
        yield Finding("warning", "tiny_frames", rollout.rollout_id, text, fix)
    if width % 2 or height % 2:
        fix = "crop to even sides: most encoders of yuv420p pad or scale odd ones"
        yield Finding("warning", "odd_size", rollout.rollout_id, f"frames of {width}x{height}, an odd side", fix)


def _overlay(rollout: Rollout, scan: Scan) -> Iterator[Finding]:
    if scan.overlay is not None:
        left, top, right, bottom = (round(100 * value) for value in scan.overlay)
        where = f"{left} to {right} % across, {top} to {bottom} % down"
        text = f"something drawn at {where} stays while the rest changes: keys, a compass or a watermark?"
        fix = "switch the model's overlay off (see `python -m adapters list MODEL`): it counts as memory of the scene"
        yield Finding("warning", "overlay_suspected", rollout.rollout_id, text, fix)


def _first_view(
    rollout: Rollout, first: NDArray[np.uint8], instances: Mapping[str, NDArray[np.uint8]]
) -> Iterator[Finding]:
    try:
        measure = similarity(first, instances[rollout.instance_id])
    except InstanceError as error:
        fix = "repair the dataset: build or download it again"
        yield Finding("warning", "image_unreadable", rollout.rollout_id, str(error), fix)
        return
    if measure < MIN_SIMILARITY:
        text = f"frame {rollout.first_frame} resembles the instance's image by {measure:.2f}, below {MIN_SIMILARITY}"
        fix = "check that the video belongs to this instance, and that 'first_frame' is the frame that shows the image"
        yield Finding("warning", "first_frame_differs", rollout.rollout_id, text, fix)


def similarity(frame: NDArray[np.uint8], image: NDArray[np.uint8]) -> float:
    """How much a frame resembles an input image, the better of image stretched and image cropped to the frame's shape.

    Example:
        >>> picture = np.random.default_rng(0).integers(0, 255, (72, 128, 3), dtype=np.uint8)
        >>> round(similarity(picture, picture), 6), similarity(picture, picture[::-1, ::-1]) < 0.5
        (1.0, True)
    """
    height, width = frame.shape[:2]
    return max(_correlation(frame, image), _correlation(frame, _cropped(image, width / height)))


def _cropped(image: NDArray[np.uint8], aspect: float) -> NDArray[np.uint8]:
    height, width = image.shape[:2]
    w, h = min(width, max(1, round(height * aspect))), min(height, max(1, round(width / aspect)))
    top, left = (height - h) // 2, (width - w) // 2
    return image[top : top + h, left : left + w]


def _correlation(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    x, y = (shrunk(picture.astype(np.float32).mean(axis=2)).ravel() for picture in (a, b))
    x, y = x - x.mean(), y - y.mean()
    norm = float(np.linalg.norm(x) * np.linalg.norm(y))
    # Without any contrast in one of them there is no resemblance to claim.
    return float(x @ y) / norm if norm > 1e-6 else 0.0
