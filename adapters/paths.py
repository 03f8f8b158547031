"""Camera paths on their way into a model: padding, clean rotations, what is told between samples, residuals.

Conventions: as in `protocol`.
"""

import numpy as np
from numpy.typing import NDArray

from adapters.protocol import AdapterError, Instance, Residual
from revisit_metric.trajectory import Poses


def held(poses: Poses, length: int) -> Poses:
    """The path, then its last pose until there are `length` poses.

    Raises:
        AdapterError: The path is longer.
    """
    if len(poses) > length:
        raise AdapterError(f"a path of {len(poses)} poses does not fit into {length} frames")
    return np.concatenate([poses, np.repeat(poses[-1:], length - len(poses), axis=0)])


def rigid(poses: Poses, *, units_per_metre: float = 1.0) -> Poses:
    """The path as models expect it: exact rotations (blended matrices are not), translations in the model's unit."""
    clean = poses.copy()
    left, _, right = np.linalg.svd(poses[:, :3, :3])
    clean[:, :3, :3] = left @ right
    # The decomposition turns an exact identity into one that is off in the last digits.
    same = (poses[:, :3, :3] == np.eye(3)).all(axis=(1, 2))
    clean[same, :3, :3] = np.eye(3)
    clean[:, :3, 3] *= units_per_metre
    return clean


def told(samples: Poses, stride: int) -> Poses:
    """The path between samples `stride` frames apart: straight lines, turns at constant speed.

    Args:
        samples: `(K, 4, 4)` with exact rotations.
        stride: Frames from one sample to the next.

    Returns:
        `(1 + (K - 1) stride, 4, 4)`.
    """
    if stride == 1 or len(samples) == 1:
        return samples
    from scipy.spatial.transform import Rotation, Slerp

    keys = np.arange(len(samples), dtype=np.float64)
    times = np.arange(1 + (len(samples) - 1) * stride) / stride
    path = np.repeat(np.eye(4)[None], len(times), axis=0)
    path[:, :3, :3] = Slerp(keys, Rotation.from_matrix(samples[:, :3, :3]))(times).as_matrix()
    for axis in range(3):
        path[:, axis, 3] = np.interp(times, keys, samples[:, axis, 3])
    return path


def residual_of(requested: Poses, effective: Poses, *, first_pose: int = 0) -> Residual:
    """How far a path is from the requested one; beyond its end the request stays at its last pose.

    Args:
        requested: `(T, 4, 4)`.
        effective: `(F, 4, 4)`.
        first_pose: Index of the requested pose that `effective[0]` stands for.

    Example:
        >>> still = np.repeat(np.eye(4)[None], 3, axis=0)
        >>> moved = still.copy()
        >>> moved[1, 0, 3] = 0.25
        >>> residual_of(still, moved)
        Residual(metres=0.25, degrees=0.0, frames=0)
    """
    length = len(effective)
    wanted = held(requested, max(len(requested), first_pose + length))[first_pose : first_pose + length]
    offset = np.sqrt(((effective[:, :3, 3] - wanted[:, :3, 3]) ** 2).sum(axis=1))
    return Residual(
        float(offset.max()), float(_angles_deg(rigid(wanted), rigid(effective)).max()), length - len(requested)
    )


def _angles_deg(a: Poses, b: Poses) -> NDArray[np.float64]:
    """Angle between two rotations, frame by frame; exact near 0, where the arc cosine is not."""
    chord = np.sqrt(((a[:, :3, :3] - b[:, :3, :3]) ** 2).sum(axis=(1, 2)) / 8)
    angles: NDArray[np.float64] = np.degrees(2 * np.arcsin(np.minimum(chord, 1.0)))
    return angles


def still_noise_removed(poses: Poses, *, threshold: float) -> tuple[Poses, int]:
    """The path with steps below `threshold` taken out of the translation, and how many poses that moved.

    A slow drift is kept: it counts from the last position that was kept.
    """
    clean, changed = poses.copy(), 0
    for frame in range(1, len(clean)):
        step = clean[frame, :3, 3] - clean[frame - 1, :3, 3]
        if 0 < float(np.sqrt((step * step).sum())) < threshold:
            clean[frame, :3, 3] = clean[frame - 1, :3, 3]
            changed += 1
    return clean, changed


def scaled_intrinsics(instance: Instance, *, width: float, height: float) -> NDArray[np.float64]:
    """The instance's camera for an image stretched to `width` x `height`, `(3, 3)`, pixels."""
    scale = np.diag([width / instance.image_size[0], height / instance.image_size[1], 1.0])
    camera: NDArray[np.float64] = scale @ instance.intrinsics
    return camera


def fxfycxcy(camera: NDArray[np.float64]) -> NDArray[np.float64]:
    """fx, fy, cx, cy of a camera matrix, `(4,)`."""
    return np.array([camera[0, 0], camera[1, 1], camera[0, 2], camera[1, 2]])
