"""The reference camera: projection, clip matrices and the view frustum.

Conventions: camera-to-world OpenCV poses (x right, y down, z forward), metres. The focal length is a fixed
share of the image width, that of the benchmark's intrinsics (969.77 px at 1920), so that any 16:9 size shows
the same view.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FOCAL_PER_WIDTH = 969.7675145179088 / 1920.0
NEAR_M = 0.06
FAR_M = 600.0


def intrinsics(width: int, height: int) -> NDArray[np.float64]:
    """(3, 3) pinhole matrix, pixels, principal point in the middle.

    Example:
        >>> intrinsics(1920, 1080)[0].round(2).tolist()
        [969.77, 0.0, 960.0]
    """
    f = FOCAL_PER_WIDTH * width
    return np.array([[f, 0.0, width / 2], [0.0, f, height / 2], [0.0, 0.0, 1.0]])


def view_reach(width: int, height: int) -> tuple[float, float]:
    """Half the view's width and height at one metre, metres."""
    return 0.5 / FOCAL_PER_WIDTH, 0.5 * height / width / FOCAL_PER_WIDTH


def clip_matrix(pose: ArrayLike, width: int, height: int) -> NDArray[np.float64]:
    """(4, 4): world to clip space, y down, depth -1 at `NEAR_M` and 1 at `FAR_M`."""
    reach_x, reach_y = view_reach(width, height)
    depth = (FAR_M + NEAR_M) / (FAR_M - NEAR_M), -2 * FAR_M * NEAR_M / (FAR_M - NEAR_M)
    projection = np.array([[1 / reach_x, 0, 0, 0], [0, 1 / reach_y, 0, 0], [0, 0, *depth], [0, 0, 1, 0]])
    return np.asarray(projection @ np.linalg.inv(np.asarray(pose, np.float64)))


def box_corners(bounds: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 8, 3): corners of bounding boxes (N, 2, 3)."""
    pick = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    return np.asarray(bounds[:, pick, np.arange(3)])


def outside_view(corners: NDArray[np.float64], clip: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which convex bodies, given by corners (N, K, 3), lie beyond one plane of the view: surely not seen.

    Args:
        corners: world coordinates.
        clip: `clip_matrix` of the view.
    """
    p = corners @ clip[:, :3].T + clip[:, 3]
    w = p[..., 3]
    beyond = [p[..., 0] > w, p[..., 0] < -w, p[..., 1] > w, p[..., 1] < -w, p[..., 2] < -w, w <= 0]
    return np.asarray(np.stack([b.all(axis=1) for b in beyond]).any(axis=0))
