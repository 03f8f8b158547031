"""Ambient occlusion for the price of two texture reads: a blurred voxel grid of where matter is.

Conventions: world frame, metres; channel 0 is blurred by about 0.2 m (contact shadows), channel 1 by 0.6 m
(corners of rooms, courtyards). Computed once for the original scene: a part that a fault moves leaves its
faint contact shadow behind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.meshes import Mesh
from revisit_metric.controls.scene import Scene
from revisit_metric.controls.textures import TEXTURES

VOXEL_M = 0.16
# The neighbourhood that any template shows from nearby; farther surfaces are left unoccluded.
REGION = np.array([[-14.0, -9.0, -6.0], [22.0, 3.0, 18.0]])


class Occupancy(NamedTuple):
    """Voxels (z, y, x, 2) uint8 and the world box (2, 3) that they fill."""

    voxels: NDArray[np.uint8]
    box: NDArray[np.float64]


def occupancy(scene: Scene) -> Occupancy:
    """Blurred occupancy of the scene's parts near the path."""
    from scipy.ndimage import gaussian_filter

    low = np.maximum(scene.surface_bounds[:, 0].min(axis=0), REGION[0]) - 4 * VOXEL_M
    high = np.minimum(scene.surface_bounds[:, 1].max(axis=0), REGION[1]) + 4 * VOXEL_M
    shape = np.maximum(np.ceil((high - low) / VOXEL_M).astype(int), 1)
    filled = np.zeros(shape[::-1], np.float32)
    rng = np.random.default_rng(0)
    for part in scene.parts:
        for surface in part.surfaces:
            share = 0.25 if TEXTURES[surface.material.texture].use == "cutout" else 1.0
            _mark(filled, surface.mesh, low, share, rng)
    # A band of empty voxels at the rim: reads beyond the box then find nothing.
    for axis in range(3):
        np.moveaxis(filled, axis, 0)[[0, 1, -2, -1]] = 0.0
    near = gaussian_filter(filled, 0.2 / VOXEL_M, mode="constant", truncate=3.0)
    wide = gaussian_filter(near, 0.55 / VOXEL_M, mode="constant", truncate=2.5)
    voxels = np.round(np.clip(np.stack([near, wide], axis=-1), 0, 1) * 255).astype(np.uint8)
    return Occupancy(voxels, np.stack([low, low + shape * VOXEL_M]))


def _mark(
    filled: NDArray[np.float32],
    source: Mesh,
    low: NDArray[np.float64],
    share: float,
    rng: np.random.Generator,
) -> None:
    corners = source.positions[source.triangles]
    edges = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = np.linalg.norm(np.cross(*edges), axis=1) / 2
    inside = ((corners.max(axis=1) > low) & (corners.min(axis=1) < low + np.array(filled.shape[::-1]) * VOXEL_M)).all(1)
    count = np.where(inside, np.minimum(np.ceil(3.0 * area / VOXEL_M**2), 40000), 0).astype(int)
    pick = np.repeat(np.arange(len(corners)), count)
    a, b = rng.random((2, len(pick)))
    fold = a + b > 1
    a, b = np.where(fold, 1 - a, a), np.where(fold, 1 - b, b)
    points = corners[pick, 0] + a[:, None] * edges[0][pick] + b[:, None] * edges[1][pick]
    cell = np.floor((points - low) / VOXEL_M).astype(int)
    cell = cell[((cell >= 0) & (cell < filled.shape[::-1])).all(axis=1)]
    where = cell[:, 2], cell[:, 1], cell[:, 0]
    filled[where] = np.maximum(filled[where], share)
