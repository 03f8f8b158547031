"""How much of a scene a path puts to the test: what of the first view leaves it and comes back.

Conventions: as in `revisit_metric.controls.rollout`, whose rule of forgetting this measures without drawing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.camera import box_corners, clip_matrix, outside_view
from revisit_metric.controls.rollout import FORGET_AFTER
from revisit_metric.controls.scene import Scene


def forgettable_share(scene: Scene, poses: ArrayLike, instance: NDArray[np.uint32]) -> float:
    """Share of the first view, sky included, whose part is out of view for `FORGET_AFTER` frames running.

    Args:
        scene: the place.
        poses: (T, 4, 4) camera-to-world.
        instance: (H, W) ids of the first view.

    Returns:
        0..1; a forgetful world of dose 1 changes this share of the first view (unless parts hide each other).
    """
    height, width = instance.shape
    corners = box_corners(scene.surface_bounds)
    run = longest = np.zeros(len(scene.parts), int)
    for pose in np.asarray(poses, np.float64):
        run = np.where(scene.all_of_part(outside_view(corners, clip_matrix(pose, width, height))), run + 1, 0)
        longest = np.maximum(longest, run)
    leaves = np.concatenate([[False], longest >= FORGET_AFTER])
    return float(leaves[instance].mean())
