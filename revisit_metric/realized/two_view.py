"""How a camera moved between two frames, from SIFT matches and known intrinsics.

Conventions: motion is that of the later camera seen from the earlier one, `inverse(pose_a) @ pose_b` in OpenCV axes (x
right, y down, z forward). Two views give a rotation and the *direction* of a translation, never its length.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from revisit_metric.families.geometry import match_descriptors

if TYPE_CHECKING:
    from revisit_metric.families.protocol import Feature

MIN_INLIERS = 20
MIN_INLIER_SHARE = 0.4
"""Fewer matches that agree on one motion, in number or share, and the motion is not known."""

THRESHOLD_PER_WIDTH = 1 / 320
"""How far a match may lie from its epipolar line, as a share of the image's width."""

ROTATION_ONLY_SHARE = 0.8
"""A rotation about the camera's centre that explains so many of the inliers is preferred to one with a translation."""

ROTATION_ROUNDS = 15
"""Rounds of reweighting in the fit of a rotation."""

CELLS = (8, 5)
"""Cells across and down in which overlap is counted."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """The motion of a camera between two frames.

    Attributes:
        n_matches: Matches between the frames.
        n_inliers: Matches that agree on one motion.
        rotation_deg: Rotation vector (3,), degrees, in the earlier camera's axes; y positive turns right.
        direction: Unit vector (3,) from the earlier camera to the later one; `None` where there is no parallax.
        displacement: Median distance that the inliers moved in the image, as a share of its width.
        overlap: Share of the earlier frame's textured cells that are found again, `[0, 1]`.
    """

    n_matches: int
    n_inliers: int
    rotation_deg: NDArray[np.float64]
    direction: NDArray[np.float64] | None
    displacement: float
    overlap: float


def two_view_motion(a: "Feature", b: "Feature", *, intrinsics: Matrix, width: int) -> Motion | None:
    """Return the motion from frame `a` to frame `b`, or `None` where too few matches agree on one.

    Args:
        a: SIFT feature of the earlier frame (`points` (K, 2) pixels and `descriptors` (K, 128)).
        b: SIFT feature of the later frame.
        intrinsics: `(3, 3)`, pixels, of both frames.
        width: Width of the frames in pixels.
    """
    matches = match_descriptors(a["descriptors"], b["descriptors"])
    if len(matches) < MIN_INLIERS:
        return None
    before = a["points"][matches[:, 0]].astype(np.float64)
    after = b["points"][matches[:, 1]].astype(np.float64)
    found = _essential(before, after, intrinsics, width)
    if found is None:
        return None
    rotation, direction, inliers = _rotation_only(before, after, found[2], intrinsics, width) or found
    count = int(inliers.sum())
    if count < MIN_INLIERS or count < MIN_INLIER_SHARE * len(matches):
        return None
    moved = np.linalg.norm(after - before, axis=1)[inliers]
    overlap = _overlap(a["points"], before[inliers])
    return Motion(
        len(matches), count, rotation_vector_deg(rotation), direction, float(np.median(moved)) / width, overlap
    )


def rotation_vector_deg(rotation: Matrix) -> NDArray[np.float64]:
    """The rotation vector (3,) in degrees of a matrix `(3, 3)`.

    Example:
        >>> rotation_vector_deg(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])).round(9).tolist()
        [0.0, 90.0, 0.0]
    """
    import cv2

    vector: NDArray[np.float64] = np.degrees(cv2.Rodrigues(np.asarray(rotation, np.float64))[0].ravel())
    return vector


Found = tuple[Matrix, NDArray[np.float64] | None, NDArray[np.bool_]]


def _essential(before: Matrix, after: Matrix, intrinsics: Matrix, width: int) -> Found | None:
    """The motion by an essential matrix: RANSAC, then the one of four solutions in front of both cameras."""
    import cv2

    cv2.setRNGSeed(0)
    threshold = THRESHOLD_PER_WIDTH * width
    matrix, mask = cv2.findEssentialMat(before, after, intrinsics, cv2.RANSAC, 0.999, threshold)
    if matrix is None or matrix.shape != (3, 3):
        return None
    inliers = mask.ravel().astype(bool)
    # recoverPose narrows its mask to points in front of both cameras and not far off.
    _, rotation, translation, _ = cv2.recoverPose(matrix, before, after, intrinsics, mask=mask.copy())
    turned = np.asarray(rotation, np.float64).T
    return turned, -(turned @ np.asarray(translation, np.float64)).ravel(), np.asarray(inliers, np.bool_)


def _rotation_only(
    before: Matrix, after: Matrix, agreeing: NDArray[np.bool_], intrinsics: Matrix, width: int
) -> Found | None:
    """The motion as a rotation alone, where that explains nearly what the epipolar geometry explains.

    The two are told apart because an essential matrix of a camera that does not translate has a random direction.
    """
    rays_a, rays_b = _rays(before, intrinsics), _rays(after, intrinsics)
    tolerance = 1.5 * THRESHOLD_PER_WIDTH * width / intrinsics[0, 0]
    weights = agreeing.astype(np.float64)
    for _ in range(ROTATION_ROUNDS):
        u, _, vt = np.linalg.svd((rays_a * weights[:, None]).T @ rays_b)
        rotation = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
        errors = np.linalg.norm(rays_a - rays_b @ rotation.T, axis=1)
        scale = max(float(np.median(errors[agreeing])), tolerance / 2)
        weights = agreeing / (1 + (errors / scale) ** 2) ** 2
    inliers: NDArray[np.bool_] = errors < tolerance
    return (rotation, None, inliers) if inliers.sum() >= ROTATION_ONLY_SHARE * agreeing.sum() else None


def _rays(points: Matrix, intrinsics: Matrix) -> Matrix:
    homogeneous = np.column_stack([points, np.ones(len(points))])
    rays = homogeneous @ np.linalg.inv(intrinsics).T
    unit: Matrix = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    return unit


def _overlap(points: NDArray[np.float32], found: Matrix) -> float:
    low, high = points.min(axis=0), points.max(axis=0) + 1e-3

    def cells(xy: NDArray[np.floating]) -> set[tuple[int, int]]:
        return {(int(x), int(y)) for x, y in (xy - low) / (high - low) * CELLS}

    return len(cells(found)) / len(cells(points))
