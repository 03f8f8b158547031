"""Did the camera go where it was told? A diagnosis beside the score, never part of it.

A world model that ignores its input looks perfectly consistent. From local matches between frames this module estimates
whether the camera left, followed the command step by step and came back to the views that the command revisits.

Conventions:
    Frames are counted from pose 0. A *step* joins two keyframes about 0.35 m or 8 degrees of commanded motion apart. A
    *return* is a pair of frames whose commanded poses coincide, with a departure between them. Displacements are shares
    of the image's width.

Why steps and returns: returns find small drift, but a world that forgot what it showed cannot be matched there. Steps
join frames of one moment and do not depend on memory, so a forgetful model is not struck from the valid subset for
being forgetful; its confidence is lower. Drift too slow to show in single steps is then not seen. The scale of a
translation cannot be measured: a camera that goes too far or not far enough and comes back in time passes. A slip
along the view shifts far scenes little: a metre of it may pass where nothing is near.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.realized.plan import STEP_DEG, STEP_M, plan
from revisit_metric.realized.two_view import Matrix, Motion, rotation_vector_deg, two_view_motion
from revisit_metric.templates import release_intrinsics
from revisit_metric.trajectory import Poses
from revisit_metric.video import stream_frames

if TYPE_CHECKING:
    from revisit_metric.families.protocol import Feature
    from revisit_metric.manifest import Rollout

MAX_WIDTH = 480
"""Wider frames are scaled down to this many pixels."""

STILL = 0.0015
"""Median displacement below which a step shows no motion: half a pixel at 320 pixels."""

MIN_LEAVE = 0.02
"""The first view never shifted by more: the camera did not leave."""

STEP_COSINE = 0.7
STEP_TURN_DEG = 2.0
STEP_TURN_SHARE = 0.3
"""A step follows when its direction lies within 45 degrees, or its rotation within 2 degrees or 30 % of the command."""

MIN_FOLLOWED = 0.75
MAX_RETURN_DEG = 2.0
MAX_RETURN_DISPLACEMENT = 0.02
"""Limits of a rollout that is action-valid. Rendered without fault, returns stay below 0.4 degrees and 0.004."""

MIN_MEASURED_STEPS = 0.3
"""With fewer steps measured, as a share, and nothing wrong found, nothing is claimed."""


@dataclass(frozen=True)
class Realized:
    """What the camera of one rollout did, as far as it can be seen.

    Attributes:
        departure: How much of the first view was lost at the farthest point, 1 - overlap, `[0, 1]`; 1 where nothing of
            it can be matched.
        turn_error_deg: Estimated minus commanded rotation at the largest turn that still shares the first view; `None`
            where the command does not turn or the views cannot be matched.
        steps_followed: Share of the measured steps that go the commanded way; `None` where none was measured.
        steps_measured: Number of steps measured.
        steps_commanded: Number of commanded steps.
        return_rotation_deg: Residual rotation at commanded returns, upper quartile; `None` where none was measured.
        return_displacement: Residual shift of the image at commanded returns, as a share of its width, upper quartile.
        returns_measured: Number of returns measured.
        returns_commanded: Number of commanded returns that were looked at.
        action_valid: Whether the camera did as commanded; `None` where that cannot be told.
        confidence: Share of the evidence that could be measured, `[0, 1]`: the mean over steps and returns.
        reasons: What speaks against the rollout, or limits the diagnosis.
    """

    departure: float
    turn_error_deg: float | None
    steps_followed: float | None
    steps_measured: int
    steps_commanded: int
    return_rotation_deg: float | None
    return_displacement: float | None
    returns_measured: int
    returns_commanded: int
    action_valid: bool | None
    confidence: float
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON-ready dictionary."""
        return {**asdict(self), "reasons": list(self.reasons)}


class Subset(NamedTuple):
    """Rollout ids by diagnosis; a result for `valid` says how many were left out and why."""

    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    undetermined: tuple[str, ...]


def realized(rollout: "Rollout", *, intrinsics: Matrix | None = None) -> Realized:
    """Diagnose one rollout; one sequential pass over its video.

    Args:
        rollout: The rollout.
        intrinsics: `(3, 3)`, pixels of the video's frames; `None` takes the benchmark's camera (89.4 degrees across).

    Raises:
        VideoError: The video cannot be read, or ends before its last pose.
        ValueError: The commanded poses cannot be read.
    """
    poses = rollout.commanded_poses()
    wanted = plan(poses).frames()
    indices = [rollout.first_frame + frame for frame in wanted]
    frames = (image for _, image in stream_frames(rollout.video, indices))
    return realized_motion(zip(wanted, frames, strict=True), poses, intrinsics=intrinsics)


def realized_motion(
    frames: Iterable[tuple[int, NDArray[np.uint8]]], poses: Poses, *, intrinsics: Matrix | None = None
) -> Realized:
    """Diagnose frames against commanded poses.

    Args:
        frames: (frame, RGB `(H, W, 3)` uint8), at least those of `plan(poses).frames()`; others are passed over.
        poses: `(T, 4, 4)` commanded camera-to-world.
        intrinsics: `(3, 3)`, pixels of the frames; `None` takes the benchmark's camera.

    Raises:
        ValueError: A frame of the plan is missing.

    Example:
        >>> still = np.random.default_rng(0).integers(0, 255, (90, 160, 3), dtype=np.uint8)
        >>> path = np.tile(np.eye(4), (41, 1, 1))
        >>> path[:, 0, 3] = 0.1 * np.minimum(np.arange(41), 40 - np.arange(41))
        >>> verdict = realized_motion(((frame, still) for frame in range(41)), path)
        >>> verdict.action_valid, verdict.reasons[0]
        (False, 'the first view never shifts by more than 0.000 of its width: the camera did not leave')
    """
    course = plan(poses)
    views = _Views(frames, course.frames(), intrinsics)
    looks = {frame: views.motion(0, frame) for frame in course.looks}
    steps = [_follows(views.motion(a, b), poses, a, b) for a, b in course.steps]
    returns = [(views.motion(a, b), _commanded(poses, a, b)) for a, b in course.returns]
    return _diagnosis(looks, steps, returns, poses)


def valid_subset(diagnoses: Mapping[str, Realized]) -> Subset:
    """Sort rollout ids into valid, invalid and undetermined, in their order.

    Example:
        >>> valid_subset({})
        Subset(valid=(), invalid=(), undetermined=())
    """

    def those(verdict: bool | None) -> tuple[str, ...]:
        return tuple(name for name, diagnosis in diagnoses.items() if diagnosis.action_valid is verdict)

    return Subset(those(True), those(False), those(None))


def read_valid_ids(path: Path) -> frozenset[str]:
    """Return the ids of the action-valid rollouts in what `r2m realized --out` wrote.

    Raises:
        ValueError: The file holds no such record.
    """
    try:
        return frozenset(json.loads(path.read_text(encoding="utf-8"))["subsets"]["valid"])
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not what `r2m realized --out` writes: {error!r}") from error


# --- what they show ---


class _Views:
    """SIFT features of the planned frames, and motions between them."""

    def __init__(
        self, frames: Iterable[tuple[int, NDArray[np.uint8]]], wanted: Sequence[int], intrinsics: Matrix | None
    ) -> None:
        from revisit_metric.backbones.sift import Sift

        sift = Sift()
        self._features: dict[int, Feature] = {}
        needed = frozenset(wanted)
        for frame, image in frames:
            if frame in needed:
                small, scale = _scaled(image)
                self._features[frame] = sift.extract(small[None])[0]
                self._width = small.shape[1]
                self._intrinsics = _camera(image, intrinsics, scale)
        missing = sorted(needed - set(self._features))
        if missing:
            raise ValueError(f"frame {missing[0]} is needed and was not given ({len(missing)} frames are missing)")

    def motion(self, a: int, b: int) -> Motion | None:
        return two_view_motion(self._features[a], self._features[b], intrinsics=self._intrinsics, width=self._width)


def _scaled(image: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    import cv2

    height, width = image.shape[:2]
    if width <= MAX_WIDTH:
        return image, 1.0
    scale = MAX_WIDTH / width
    small = cv2.resize(image, (MAX_WIDTH, round(height * scale)), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scale


def _camera(image: NDArray[np.uint8], intrinsics: Matrix | None, scale: float) -> Matrix:
    camera = release_intrinsics(image.shape[1], image.shape[0]) if intrinsics is None else np.array(intrinsics, float)
    camera[:2] *= scale
    return camera


def _commanded(poses: Poses, a: int, b: int) -> Matrix:
    """Commanded motion `(4, 4)` from frame a to frame b."""
    return np.asarray(np.linalg.inv(poses[a]) @ poses[b])


def _follows(motion: Motion | None, poses: Poses, a: int, b: int) -> bool | None:
    """Whether a step goes the commanded way; `None` where that cannot be told."""
    if motion is None:
        return None
    command = _commanded(poses, a, b)
    turn = rotation_vector_deg(command[:3, :3])
    degrees, metres = float(np.linalg.norm(turn)), float(np.linalg.norm(command[:3, 3]))
    if degrees >= STEP_DEG / 2:
        return float(np.linalg.norm(motion.rotation_deg - turn)) <= max(STEP_TURN_DEG, STEP_TURN_SHARE * degrees)
    if metres < STEP_M / 2:
        # A turning point: the step goes one way and back.
        return None
    if motion.direction is None:
        return False if motion.displacement < STILL else None
    return float(motion.direction @ command[:3, 3]) / metres >= STEP_COSINE


# --- what follows from it ---


def _diagnosis(
    looks: Mapping[int, Motion | None],
    steps: Sequence[bool | None],
    returns: Sequence[tuple[Motion | None, Matrix]],
    poses: Poses,
) -> Realized:
    judged = [step for step in steps if step is not None]
    met = [(motion, command) for motion, command in returns if motion is not None]
    followed = sum(judged) / len(judged) if judged else None
    rotation = _quartile([_angle_between(motion.rotation_deg, command) for motion, command in met])
    displacement = _quartile([motion.displacement for motion, _ in met])
    faults = [*_not_left(looks), *_not_followed(followed, len(judged)), *_not_back(rotation, displacement)]
    shares = [len(judged) / len(steps)] if steps else []
    shares += [len(met) / len(returns)] if returns else []
    return Realized(
        departure=max((1 - (motion.overlap if motion else 0.0) for motion in looks.values()), default=0.0),
        turn_error_deg=_turn_error(looks, poses),
        steps_followed=followed,
        steps_measured=len(judged),
        steps_commanded=len(steps),
        return_rotation_deg=rotation,
        return_displacement=displacement,
        returns_measured=len(met),
        returns_commanded=len(returns),
        action_valid=_verdict(faults, judged, steps),
        confidence=sum(shares) / len(shares) if shares else 0.0,
        reasons=(*faults, *_limits(judged, steps, met, returns)),
    )


def _verdict(faults: Sequence[str], judged: Sequence[bool], steps: Sequence[bool | None]) -> bool | None:
    if faults:
        return False
    return True if steps and len(judged) >= MIN_MEASURED_STEPS * len(steps) else None


def _not_left(looks: Mapping[int, Motion | None]) -> list[str]:
    seen = [motion for motion in looks.values() if motion is not None]
    if not seen or len(seen) < len(looks):
        return []
    most = max(motion.displacement for motion in seen)
    if most >= MIN_LEAVE:
        return []
    return [f"the first view never shifts by more than {most:.3f} of its width: the camera did not leave"]


def _not_followed(followed: float | None, measured: int) -> list[str]:
    if followed is None or followed >= MIN_FOLLOWED:
        return []
    return [f"{followed:.0%} of {measured} measured steps go the commanded way"]


def _not_back(rotation: float | None, displacement: float | None) -> list[str]:
    faults = []
    if rotation is not None and rotation > MAX_RETURN_DEG:
        faults.append(f"commanded returns miss their view by {rotation:.1f} degrees")
    if displacement is not None and displacement > MAX_RETURN_DISPLACEMENT:
        faults.append(f"commanded returns miss their view by {displacement:.3f} of the image's width")
    return faults


def _limits(
    judged: Sequence[bool], steps: Sequence[bool | None], met: Sequence[Any], returns: Sequence[Any]
) -> list[str]:
    if not steps:
        return [f"the command moves the camera by less than {STEP_M} m and {STEP_DEG:g} degrees"]
    limits = []
    if len(judged) < len(steps) / 2:
        limits.append(
            f"only {len(judged)} of {len(steps)} steps could be measured: too few matches or too little parallax"
        )
    if not returns:
        limits.append("the command never returns")
    elif len(met) < len(returns) / 2:
        limits.append(
            f"only {len(met)} of {len(returns)} returns could be matched: the world changed, or the camera is elsewhere"
        )
    return limits


def _quartile(values: Sequence[float]) -> float | None:
    return float(np.quantile(values, 0.75)) if values else None


def _angle_between(estimate_deg: NDArray[np.float64], command: Matrix) -> float:
    import cv2

    estimate = cv2.Rodrigues(np.radians(estimate_deg))[0]
    return float(np.linalg.norm(rotation_vector_deg(np.asarray(estimate) @ command[:3, :3].T)))


def _turn_error(looks: Mapping[int, Motion | None], poses: Poses) -> float | None:
    """Rotation at the largest commanded turn that was matched, minus the command."""
    turns = {}
    for frame, motion in looks.items():
        command = rotation_vector_deg(_commanded(poses, 0, frame)[:3, :3])
        size = float(np.linalg.norm(command))
        if motion is not None and size >= STEP_DEG:
            turns[frame] = (size, float(motion.rotation_deg @ command) / size - size)
    return max(turns.values())[1] if turns else None
