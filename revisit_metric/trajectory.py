"""Camera paths: the poses a script gives, and what is measured on them.

The script itself, its grammar and its rows live in `revisit_metric.script`; its names are offered here too.

Conventions:
    Poses are float64 `(T, 4, 4)` camera-to-world matrices in the OpenCV camera frame (x right, y down, z
    forward), translations in metres. `poses[i]` is the pose **at** frame i; the script's action for frame i
    leads from i to i + 1. Yaw to the right is positive and makes `c2w[0, 2]` positive; pitch up is positive
    and makes `c2w[1, 2]` negative.

Arithmetic:
    Results do not depend on the BLAS or the SIMD width of the machine: matched pairs hang on the last bit of
    a pose, so paths are built from element-wise products and sums and from `math.cos`, `math.sin`,
    `math.atan2`.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.script import (
    ACTIONS,
    ScriptError,
    Segment,
    checked_step,
    format_script,
    parse_script,
    script_from_rows,
    script_to_rows,
    segment_of,
)

__all__ = [
    "ACTIONS",
    "PoseError",
    "Poses",
    "ScriptError",
    "Segment",
    "format_script",
    "integrate",
    "invert",
    "parse_script",
    "rebase",
    "rotation_angle_deg",
    "script_from_rows",
    "script_to_rows",
    "step_lengths_m",
    "translation_m",
    "trim_static",
    "validate_poses",
    "yaw_deg",
]

Poses = NDArray[np.float64]
"""Camera-to-world OpenCV matrices `(T, 4, 4)`, metres."""

ORTHONORMAL_TOLERANCE = 2e-3
"""Largest |R R^T - I| accepted. The benchmark's matrices, blended between key poses, reach 6.1e-4."""

STATIC_STEP_M = 0.01
STATIC_ROTATION_DEG = 0.5
"""A frame is static when it moved no further and turned no more than these two since the frame before."""

_AXES = {"forward": (2, 1.0), "back": (2, -1.0), "left": (0, -1.0), "right": (0, 1.0)}
"""Translation: the camera axis and the direction along it."""

_PLANES = {
    "yaw_left": (2, 0, -1.0),
    "yaw_right": (2, 0, 1.0),
    "pitch_up": (1, 2, 1.0),
    "pitch_down": (1, 2, -1.0),
}
"""Rotation: it carries the first camera axis towards the second, times the sign."""


class PoseError(ValueError):
    """Matrices that are not camera-to-world poses."""


def _move(start: Poses, segment: Segment, step: float) -> Poses:
    """The poses after 1, 2, ... frames of one segment that begins at `start` `(4, 4)`."""
    poses = np.repeat(start[None], segment.frames, axis=0)
    amounts = step * np.arange(1, segment.frames + 1)
    if segment.action in _AXES:
        axis, sign = _AXES[segment.action]
        poses[:, :3, 3] += (sign * amounts)[:, None] * start[:3, axis]
    elif segment.action in _PLANES:
        first, second, sign = _PLANES[segment.action]
        angles = [math.radians(sign * amount) for amount in amounts.tolist()]
        cosine = np.array([math.cos(angle) for angle in angles])[:, None]
        sine = np.array([math.sin(angle) for angle in angles])[:, None]
        poses[:, :3, first] = start[:3, first] * cosine + start[:3, second] * sine
        poses[:, :3, second] = start[:3, second] * cosine - start[:3, first] * sine
    return poses


def integrate(
    script: Iterable[tuple[str, int]],
    *,
    metres_per_frame: float | None = None,
    degrees_per_frame: float | None = None,
) -> Poses:
    """Camera poses of a script, starting from the identity.

    Within a segment the position is `p_start + R_start @ (direction * step * s)` after s frames, multiplied
    and not accumulated; translations follow the camera's axes at the start of the segment. Rotations compose
    on the right: yaw about the camera's y axis, pitch about its x axis (so a yaw after a pitch tilts the
    horizon).

    Args:
        script: Segments.
        metres_per_frame: Step of a translation; may be left out where the script has none.
        degrees_per_frame: Step of a rotation; may be left out where the script has none.

    Returns:
        float64 `(1 + total frames, 4, 4)` camera-to-world, frame 0 the identity.

    Raises:
        ScriptError: A bad segment, or a missing or non-positive step.

    Example:
        >>> script = parse_script("forward 2f, yaw_right 90f")
        >>> poses = integrate(script, metres_per_frame=0.5, degrees_per_frame=1.0)
        >>> poses.shape, poses[-1, :3, 3].tolist(), round(float(yaw_deg(poses)[-1]), 9)
        ((93, 4, 4), [0.0, 0.0, 1.0], 90.0)
    """
    metres = checked_step("metres_per_frame", metres_per_frame)
    degrees = checked_step("degrees_per_frame", degrees_per_frame)
    blocks = [np.eye(4)[None]]
    for segment in (segment_of(*entry) for entry in script):
        step = metres if segment.action in _AXES else degrees if segment.action in _PLANES else 0.0
        if step is None:
            name = "metres_per_frame" if segment.action in _AXES else "degrees_per_frame"
            raise ScriptError(f"the script has {segment.action!r}: give {name}")
        blocks.append(_move(blocks[-1][-1], segment, step))
    return np.concatenate(blocks)


def _as_matrices(poses: ArrayLike) -> Poses:
    try:
        array = np.asarray(poses)
    except ValueError as error:
        raise PoseError(f"poses are ragged, expected (T, 4, 4): {error}") from error
    if array.dtype.kind not in "fiu":
        raise PoseError(f"poses have dtype {array.dtype}, expected real numbers")
    if array.ndim != 3 or array.shape[0] == 0 or array.shape[1:] not in {(4, 4), (3, 4)}:
        hints = {
            (4, 4): "one matrix: add the frame axis, poses[None]",
            (3, 4): "one matrix: add the frame axis, poses[None]",
            (16,): "flattened: reshape to (-1, 4, 4)",
            (12,): "flattened: reshape to (-1, 3, 4)",
            (7,): "position and quaternion: convert to matrices",
            (4, 3): "row-vector convention: transpose each matrix",
            (3, 3): "rotations or intrinsics alone",
        }
        hint = hints.get(array.shape) or hints.get(array.shape[1:])
        if array.size == 0:
            hint = "no frames"
        raise PoseError(f"poses have shape {array.shape}, expected (T, 4, 4)" + (f": {hint}" if hint else ""))
    array = array.astype(np.float64, copy=False)
    if array.shape[1] == 3:
        row = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (len(array), 1, 4))
        array = np.concatenate([array, row], axis=1)
    return array


def _check_last_row(poses: Poses) -> None:
    bad = np.flatnonzero((np.abs(poses[:, 3] - [0.0, 0.0, 0.0, 1.0]) > 1e-6).any(axis=1))
    if not bad.size:
        return
    frame, row = int(bad[0]), poses[bad[0], 3]
    if row[3] == 1 and not poses[:, :3, 3].any():
        cause = "row-vector convention: translation found in the last row; transpose each matrix"
    else:
        cause = "a projection or a transposed matrix?"
    raise PoseError(f"frame {frame}: last row is {row.tolist()}, expected [0, 0, 0, 1] ({cause})")


def _rotation_fault(rotation: NDArray[np.float64], deviation: float) -> str:
    determinant = float(np.linalg.det(rotation))
    scale = math.sqrt(float((rotation * rotation).sum()) / 3)
    if scale == 0:
        return "the rotation is all zeros: a frame without a pose?"
    if np.abs(rotation @ rotation.T / scale**2 - np.eye(3)).max() > ORTHONORMAL_TOLERANCE:
        bound = f"at most {ORTHONORMAL_TOLERANCE} is accepted"
        return f"rotation is not orthonormal: max |R R^T - I| is {deviation:.3g}, {bound}"
    if deviation > ORTHONORMAL_TOLERANCE:
        return f"scale {scale:.6g} in the rotation: divide it out"
    return (
        f"left-handed (det {determinant:.3g}): a Unity or Unreal matrix, or one axis flipped alone "
        "(OpenGL to OpenCV flips y and z together)?"
    )


def _check_rotations(poses: Poses) -> None:
    rotations = poses[:, :3, :3]
    gram = np.einsum("tik,tjk->tij", rotations, rotations)
    deviation = np.abs(gram - np.eye(3)).max(axis=(1, 2))
    bad = np.flatnonzero((deviation > ORTHONORMAL_TOLERANCE) | (np.linalg.det(rotations) <= 0))
    if bad.size:
        frame = int(bad[0])
        raise PoseError(f"frame {frame}: {_rotation_fault(rotations[frame], float(deviation[frame]))}")


def validate_poses(poses: ArrayLike) -> Poses:
    """Check that matrices are rigid poses and return them as float64 `(T, 4, 4)`.

    `(T, 3, 4)` is completed by the row 0 0 0 1. Values are returned as they came: nothing is
    re-orthonormalised. A camera-to-world matrix cannot be told from its inverse, nor OpenCV axes from OpenGL
    ones; that is the caller's word.

    Args:
        poses: `(T, 4, 4)` or `(T, 3, 4)` real numbers, T >= 1.

    Raises:
        PoseError: Wrong shape or type; a value that is not finite; a last row other than 0 0 0 1 (within
            1e-6); a rotation with max |R R^T - I| above `ORTHONORMAL_TOLERANCE` or determinant not positive.
            The message names the first bad frame and the likely cause.

    Example:
        >>> validate_poses([[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5]]])[0, 3].tolist()
        [0.0, 0.0, 0.0, 1.0]
    """
    matrices = _as_matrices(poses)
    bad = np.argwhere(~np.isfinite(matrices))
    if bad.size:
        frame, row, column = bad[0].tolist()
        raise PoseError(f"frame {frame}: element [{row}, {column}] is {matrices[frame, row, column]}, not finite")
    _check_last_row(matrices)
    _check_rotations(matrices)
    return matrices


def translation_m(poses: ArrayLike) -> NDArray[np.float64]:
    """Camera centres in metres, `(T, 3)`, as a copy.

    Raises:
        PoseError: See `validate_poses`.
    """
    return validate_poses(poses)[:, :3, 3].copy()


def yaw_deg(poses: ArrayLike) -> NDArray[np.float64]:
    """Heading in degrees, `(T,)` in [-180, 180], right positive: atan2 of elements [0, 2] and [0, 0].

    Raises:
        PoseError: See `validate_poses`.

    Example:
        >>> yaw_deg(integrate([("yaw_left", 1)], degrees_per_frame=30.0)).round(9).tolist()
        [0.0, -30.0]
    """
    matrices = validate_poses(poses)
    sines, cosines = matrices[:, 0, 2].tolist(), matrices[:, 0, 0].tolist()
    # math, not np.arctan2: NumPy's vectorised one differs in the last bit from machine to machine.
    return np.array([math.atan2(sine, cosine) * 180 / math.pi for sine, cosine in zip(sines, cosines, strict=True)])


def step_lengths_m(poses: ArrayLike) -> NDArray[np.float64]:
    """Distance in metres from each frame to the next, `(T - 1,)`.

    Raises:
        PoseError: See `validate_poses`.
    """
    x, y, z = np.diff(translation_m(poses), axis=0).T
    lengths: NDArray[np.float64] = np.sqrt(x * x + y * y + z * z)
    return lengths


def rotation_angle_deg(poses: ArrayLike) -> NDArray[np.float64]:
    """Angle in degrees from each frame's rotation to the next, `(T - 1,)` in [0, 180].

    Raises:
        PoseError: See `validate_poses`.

    Example:
        >>> rotation_angle_deg(integrate([("pitch_up", 2)], degrees_per_frame=0.5)).round(9).tolist()
        [0.5, 0.5]
    """
    rotations = validate_poses(poses)[:, :3, :3]
    relative = np.einsum("tki,tkj->tij", rotations[:-1], rotations[1:])
    # From both the sine and the cosine: the arc cosine of a trace near 3 loses half the digits.
    odd = relative - relative.transpose(0, 2, 1)
    sine = np.sqrt(odd[:, 0, 1] ** 2 + odd[:, 0, 2] ** 2 + odd[:, 1, 2] ** 2) / 2
    cosine = (np.trace(relative, axis1=1, axis2=2) - 1) / 2
    angles: NDArray[np.float64] = np.degrees(np.arctan2(sine, cosine))
    return angles


def trim_static(poses: ArrayLike, *, leading: bool, trailing: bool) -> slice:
    """The frames left when the camera's rest at the start or the end is cut away.

    A step is a rest when the camera moves no more than 0.01 m and turns no more than 0.5 degrees. Cutting the
    end keeps everything up to the frame that the last moving step arrives at; cutting the start keeps
    everything from the frame that the first moving step leaves from. Fewer than three frames, or a camera
    that never moves, are left whole.

    Args:
        poses: `(T, 4, 4)`.
        leading: Cut the start.
        trailing: Cut the end.

    Returns:
        A slice with start and stop set.

    Raises:
        PoseError: See `validate_poses`.

    Example:
        >>> poses = integrate([("hold", 5), ("forward", 3), ("hold", 4)], metres_per_frame=0.1)
        >>> trim_static(poses, leading=False, trailing=True), trim_static(poses, leading=True, trailing=True)
        (slice(0, 9, None), slice(5, 9, None))
    """
    matrices = validate_poses(poses)
    moving = (step_lengths_m(matrices) > STATIC_STEP_M) | (rotation_angle_deg(matrices) > STATIC_ROTATION_DEG)
    steps = np.flatnonzero(moving)
    if len(matrices) < 3 or not steps.size:
        return slice(0, len(matrices))
    return slice(int(steps[0]) if leading else 0, int(steps[-1]) + 2 if trailing else len(matrices))


def rebase(poses: ArrayLike) -> Poses:
    """The same path seen from its first frame: `inverse(poses[0]) @ poses[i]`, frame 0 exactly the identity.

    Raises:
        PoseError: See `validate_poses`.

    Example:
        >>> path = integrate([("forward", 3)], metres_per_frame=1.0)
        >>> rebase(path[1:])[:, 2, 3].tolist()
        [0.0, 1.0, 2.0]
    """
    matrices = validate_poses(poses)
    inverse = np.linalg.inv(matrices[0, :3, :3])
    based = np.repeat(np.eye(4)[None], len(matrices), axis=0)
    based[1:, :3, :3] = np.einsum("ik,tkj->tij", inverse, matrices[1:, :3, :3])
    based[1:, :3, 3] = np.einsum("ik,tk->ti", inverse, matrices[1:, :3, 3] - matrices[0, :3, 3])
    return based


def invert(poses: ArrayLike) -> Poses:
    """World-to-camera from camera-to-world, or the reverse.

    The true inverse, not the transpose: blended matrices are not orthonormal, and only so does inverting
    twice give the poses back.

    Raises:
        PoseError: See `validate_poses`.

    Example:
        >>> invert(integrate([("forward", 1)], metres_per_frame=2.0))[1, :3, 3].tolist()
        [0.0, 0.0, -2.0]
    """
    matrices = validate_poses(poses)
    inverse = np.repeat(np.eye(4)[None], len(matrices), axis=0)
    inverse[:, :3, :3] = np.linalg.inv(matrices[:, :3, :3])
    inverse[:, :3, 3] = -np.einsum("tik,tk->ti", inverse[:, :3, :3], matrices[:, :3, 3])
    return inverse + 0.0  # -0.0 becomes 0.0
