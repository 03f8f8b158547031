"""Ground that is not flat: patches of one continuous height function.

Conventions: authoring frame. A `Relief` is flat (within 10 cm) around the path and rises outside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import Vec3, height_field
from revisit_metric.controls.parts.street import part_borders
from revisit_metric.controls.scene import Material


@dataclass(frozen=True)
class Relief:
    """Height of the ground: waves, hills outside, and a bank that rises behind `bank_z`.

    Attributes:
        waves: (K, 4): x and z wave numbers (radians per metre), phase, amplitude in metres.
        hills_m: height of the hills some 60 m away.
        bank_z: where the bank in front of the camera begins.
        bank_m: its height, reached 3 m farther.
    """

    waves: NDArray[np.float64]
    hills_m: float = 8.0
    bank_z: float = 7.0
    bank_m: float = 0.0

    def height(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        """Height at (x, z), metres above the ground plane."""
        px, pz = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(z, np.float64))
        phase = px[..., None] * self.waves[:, 0] + pz[..., None] * self.waves[:, 1] + self.waves[:, 2]
        rough = (np.sin(phase) * self.waves[:, 3]).sum(axis=-1)
        gap = np.hypot(np.maximum(np.maximum(-1.0 - px, px - 8.5), 0), np.maximum(np.maximum(-1.5 - pz, pz - 5.0), 0))
        rise = np.clip((gap - 8.0) / 50.0, 0.0, 2.0) ** 1.3 * self.hills_m
        bank = np.clip((pz - self.bank_z) / 3.0, 0.0, 1.0)
        return np.asarray(rough * np.clip(gap / 3.0, 0.12, 1.0) + rise + bank**2 * (3 - 2 * bank) * self.bank_m)

    def at(self, x: float, z: float) -> Vec3:
        """The point of the ground at (x, z)."""
        return x, float(self.height(x, z)), z


def relief(
    rng: np.random.Generator,
    *,
    rough_m: float = 0.25,
    hills_m: float = 8.0,
    bank_z: float = 7.0,
    bank_m: float = 0.0,
) -> Relief:
    """A random relief."""
    angle = rng.uniform(0, 2 * np.pi, 6)
    number = rng.uniform(0.25, 1.1, 6)
    waves = np.stack(
        [number * np.cos(angle), number * np.sin(angle), rng.uniform(0, 6.3, 6), rough_m / (1 + 3 * number)],
        1,
    )
    return Relief(waves, hills_m, bank_z, bank_m)


def patches(
    b: SceneBuilder,
    noun: str,
    material: Material,
    shape: Relief,
    *,
    x: tuple[float, float],
    z: tuple[float, float],
    tile_m: float = 1.5,
) -> None:
    """The ground in parts: about `tile_m` near the path, 12 m beyond."""
    columns, rows = part_borders(x, -9.0, 16.5, tile_m), part_borders(z, -3.0, 12.0, tile_m)
    for x0, x1 in pairwise(columns):
        for z0, z1 in pairwise(rows):
            steps = 4 if max(x1 - x0, z1 - z0) < 3 else 8
            xs, zs = np.linspace(0, x1 - x0, steps + 1), np.linspace(0, z1 - z0, steps + 1)
            up = shape.height(x0 + xs[None, :], z0 + zs[:, None])
            face = height_field(xs, zs, up)
            # The slope at a border must not depend on the patch, or the light would show a grid.
            normals = _normals(shape, x0 + face.positions[:, 0], z0 + face.positions[:, 2])
            b.add(noun, [(replace(face, normals=normals), material)], at=(x0, 0.0, z0), joined=True)


def _normals(shape: Relief, x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    step = 0.05
    slope_x = (shape.height(x + step, z) - shape.height(x - step, z)) / (2 * step)
    slope_z = (shape.height(x, z + step) - shape.height(x, z - step)) / (2 * step)
    normals = np.stack([-slope_x, np.ones_like(slope_x), -slope_z], axis=1)
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))
