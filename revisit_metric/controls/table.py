"""The part table: where every part is and how it looks *now*; faults write it, the shader reads it.

Conventions: one row of four RGBA texels per surface: (cos, sin, scale, layer), (translation, repeats per
metre), (tint, gloss), (emission, instance, 0, 0). The translation already contains the pivot, so that an
unchanged part is multiplied by exactly 1 and moved by exactly 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.camera import box_corners
from revisit_metric.controls.meshes import Vec3
from revisit_metric.controls.scene import Scene, Surface
from revisit_metric.controls.textures import TEXTURES


class Layer(NamedTuple):
    """One layer of a scene's texture array."""

    texture: str
    variant: int


class Change(NamedTuple):
    """How a part differs from the original.

    Attributes:
        tint: factor on the original tint.
        layer_shift: which stand-in texture to take, cyclic; 0 keeps the original.
        offset: metres, world frame.
        yaw_deg: turn about the part's pivot.
        scale: factor about the pivot; 0 removes the part.
    """

    tint: Vec3 = (1.0, 1.0, 1.0)
    layer_shift: int = 0
    offset: Vec3 = (0.0, 0.0, 0.0)
    yaw_deg: float = 0.0
    scale: float = 1.0

    @property
    def moves(self) -> bool:
        """Whether it changes geometry and not only looks."""
        return self.offset != (0.0, 0.0, 0.0) or self.yaw_deg != 0.0 or self.scale != 1.0


MIN_STAND_INS = 3


def scene_layers(scene: Scene) -> list[Layer]:
    """A scene's texture layers: what it uses, and stand-ins for what has too few of its own family."""
    used = {Layer(s.material.texture, s.material.variant) for p in scene.parts for s in p.surfaces}
    layers = set(used)
    for family in sorted({TEXTURES[layer.texture].family for layer in used}):
        kin = [name for name, kind in TEXTURES.items() if kind.family == family]
        spare = [Layer(name, variant) for variant in (0, 100, 101) for name in kin]
        have = sum(TEXTURES[layer.texture].family == family for layer in layers)
        layers.update([layer for layer in spare if layer not in layers][: max(MIN_STAND_INS - have, 0)])
    return sorted(layers)


class PartTable:
    """Current state of all parts of a scene.

    Attributes:
        rows: float32 (surfaces, 4, 4), see the module.
        bounds: float64 (surfaces, 2, 3), world frame, of the surfaces as they are now.
        look: replaced by a new object whenever any row changes.
        geometry: replaced by a new object whenever a part moved or its holes changed, so that shadows can be redrawn.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._layers = scene_layers(scene)
        self._stand_ins = _stand_ins(self._layers)
        self._first = scene.first_surface
        self.rows = np.stack([self._row(p.instance, s) for p in scene.parts for s in p.surfaces])
        self._original = self.rows.copy()
        self.bounds = scene.surface_bounds.copy()
        self.look, self.geometry = object(), object()

    def _row(self, instance: int, surface: Surface) -> NDArray[np.float32]:
        m = surface.material
        layer = self._layers.index(Layer(m.texture, m.variant))
        repeats = 1.0 / m.tile_m if surface.mesh.metric else 1.0
        return np.array(
            [[1, 0, 1, layer], [0, 0, 0, repeats], [*m.tint, m.gloss], [m.emit, instance, 0, 0]], np.float32
        )

    def apply(self, instance: int, change: Change) -> None:
        """Make part `instance` look as `change` says, relative to the original scene."""
        part = self._scene.parts[instance - 1]
        where = slice(self._first[instance - 1], self._first[instance])
        rows = self._original[where].copy()
        rows[:, 2, :3] *= np.array(change.tint, np.float32)
        rows[:, 0, 3] = [self._shifted(int(layer), change.layer_shift) for layer in rows[:, 0, 3]]
        if change.moves:
            rows[:, 0, :3], rows[:, 1, :3] = _motion(part.pivot, change)
        if part.has_holes or not np.array_equal(self.rows[where][:, :2, :3], rows[:, :2, :3]):
            self.geometry = object()
        self.rows[where] = rows
        self.bounds[where] = moved_bounds(self._scene.surface_bounds[where], part.pivot, change)
        self.look = object()

    def _shifted(self, layer: int, shift: int) -> int:
        others = [i for i in self._stand_ins[layer] if i != layer]
        return others[shift % len(others)] if shift and others else layer


def _stand_ins(layers: list[Layer]) -> list[list[int]]:
    """For every layer, the layers that can replace it: those of its family."""
    family = [TEXTURES[layer.texture].family for layer in layers]
    return [[i for i, other in enumerate(family) if other == mine] for mine in family]


def _turn(yaw_deg: float) -> tuple[float, float]:
    return float(np.cos(np.radians(yaw_deg))), float(np.sin(np.radians(yaw_deg)))


def _motion(pivot: NDArray[np.float64], change: Change) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(cos, sin, scale) and the translation that turns and scales about `pivot`, then moves."""
    c, s = _turn(change.yaw_deg)
    turned = np.array([c * pivot[0] + s * pivot[2], pivot[1], -s * pivot[0] + c * pivot[2]]) * change.scale
    return np.array([c, s, change.scale]), pivot + np.array(change.offset) - turned


def moved_bounds(bounds: NDArray[np.float64], pivot: NDArray[np.float64], change: Change) -> NDArray[np.float64]:
    """Bounding boxes (N, 2, 3) of surfaces whose original boxes are `bounds` after `change` about `pivot`."""
    if not change.moves:
        return bounds.copy()
    corners = box_corners(bounds)
    (c, s, scale), translation = _motion(pivot, change)
    x, z = corners[..., 0].copy(), corners[..., 2].copy()
    corners[..., 0], corners[..., 2] = c * x + s * z, -s * x + c * z
    moved = corners * scale + translation
    return np.stack([moved.min(axis=1), moved.max(axis=1)], axis=1)
