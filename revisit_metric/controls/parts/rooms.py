"""Shells of rooms: floors, ceilings, wall panels with windows and doors, all in parts of one to two metres.

Conventions: authoring frame. Walls are built along a `Run`: a straight line of panels whose room side faces
`inward`. Small parts matter: whatever is one part can only be forgotten as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, quad
from revisit_metric.controls.scene import Material

THICK_M = 0.18


class Run(NamedTuple):
    """A straight wall: `start` (x, z), heading in degrees (0 runs along +x with the room on the -z side)."""

    start: tuple[float, float]
    yaw: float
    height: float
    panel_m: float

    def at(self, panel: int, across: float = 0.5) -> tuple[float, float, float]:
        """(x, 0, z) of the inner face of `panel`, at a share `across` of its width."""
        along = (panel + across) * self.panel_m
        a = np.radians(self.yaw)
        return self.start[0] + along * float(np.cos(a)), 0.0, self.start[1] - along * float(np.sin(a))


class WallLook(NamedTuple):
    """Materials of a wall."""

    wall: Material
    trim: Material
    dado: Material | None = None


def tiled_plane(
    b: SceneBuilder,
    noun: str,
    material: Material,
    *,
    x: tuple[float, float],
    z: tuple[float, float],
    up: float,
    tile_m: float,
) -> None:
    """A floor (up <= 0) or a ceiling (up > 0) in square parts of about `tile_m`."""
    columns = max(round((x[1] - x[0]) / tile_m), 1)
    rows = max(round((z[1] - z[0]) / tile_m), 1)
    dx, dz = (x[1] - x[0]) / columns, (z[1] - z[0]) / rows
    for i in range(columns):
        for j in range(rows):
            corner = (x[0] + i * dx, up, z[0] + j * dz)
            near, ahead = (0.0, dz) if up > 0 else (dz, -dz)
            face = quad((0, 0, near), (dx, 0, 0), (0, 0, ahead))
            b.add(noun, [(face, material)], at=corner, joined=True)


def wall(b: SceneBuilder, run: Run, panel: int, look: WallLook, *, noun: str = "wall") -> None:
    """One plain panel with skirting, cornice and, if the look has one, a dado."""
    w, h = run.panel_m, run.height
    shapes: list[Shape] = [(box(w, h, THICK_M, without=("bottom", "top")).at(z=THICK_M / 2), look.wall)]
    b.add(noun, shapes + _trims(w, h, look), at=run.at(panel), yaw=run.yaw, joined=True)


def _trims(w: float, h: float, look: WallLook) -> list[Shape]:
    shapes: list[Shape] = [
        (box(w, 0.12, 0.03).at(z=-0.015), look.trim),
        (box(w, 0.09, 0.07).at(up=h - 0.09, z=-0.035), look.trim),
    ]
    if look.dado is not None:
        shapes += [
            (box(w, 0.95, 0.015).at(z=-0.0075), look.dado),
            (box(w, 0.05, 0.05).at(up=0.93, z=-0.025), look.trim),
        ]
    return shapes


def window(
    b: SceneBuilder,
    run: Run,
    panel: int,
    look: WallLook,
    *,
    sill: float = 0.85,
    top: float = 2.45,
    margin: float = 0.14,
) -> None:
    """A panel with a window: open to the world behind it, so that the sun falls in."""
    w, h = run.panel_m, run.height
    hole = w - 2 * margin
    side = box(margin, top - sill, THICK_M)
    shapes: list[Shape] = [
        (box(w, sill, THICK_M).at(z=THICK_M / 2), look.wall),
        (box(w, h - top, THICK_M).at(up=top, z=THICK_M / 2), look.wall),
        (side.at(x=-(w - margin) / 2, up=sill, z=THICK_M / 2), look.wall),
        (side.at(x=(w - margin) / 2, up=sill, z=THICK_M / 2), look.wall),
        (box(w, 0.12, 0.03).at(z=-0.015), look.trim),
        (box(w, 0.09, 0.07).at(up=h - 0.09, z=-0.035), look.trim),
    ]
    b.add("wall", shapes, at=run.at(panel), yaw=run.yaw, joined=True)
    b.add("window", window_frame(hole, top - sill, look.trim, sill), at=run.at(panel), yaw=run.yaw)


def window_frame(width: float, height: float, trim: Material, sill: float) -> list[Shape]:
    """Casing, glazing bars and a sill board around an opening whose lower edge is at `sill`."""
    bar = 0.05
    shapes: list[Shape] = [
        (box(width + 0.16, 0.045, 0.2).at(up=sill - 0.03, z=-0.03), trim),
        (box(width + 0.1, 0.09, 0.035).at(up=sill + height, z=-0.017), trim),
        (box(width, bar, bar).at(up=sill + height - bar, z=0.1), trim),
        (box(width, bar * 0.7, bar * 0.7).at(up=sill + height * 0.62, z=0.1), trim),
        (box(width, bar, bar).at(up=sill + 0.01, z=0.1), trim),
    ]
    for x in (-width / 2 + bar / 2, 0.0, width / 2 - bar / 2):
        shapes.append((box(bar, height, bar).at(x=x, up=sill, z=0.1), trim))
    for x in (-width / 2 - 0.045, width / 2 + 0.045):
        shapes.append((box(0.09, height, 0.035).at(x=x, up=sill, z=-0.017), trim))
    return shapes


def door(b: SceneBuilder, run: Run, panel: int, look: WallLook, leaf: Material, handle: Material) -> None:
    """A closed door in its casing, set into a plain panel."""
    wall(b, run, panel, WallLook(look.wall, look.trim))
    shapes: list[Shape] = [
        (box(0.95, 2.08, 0.05, metric=False).at(z=-0.045), leaf),
        (box(0.1, 2.2, 0.07).at(x=-0.52, z=-0.05), look.trim),
        (box(0.1, 2.2, 0.07).at(x=0.52, z=-0.05), look.trim),
        (box(1.14, 0.12, 0.08).at(up=2.1, z=-0.055), look.trim),
        (box(0.13, 0.025, 0.025).at(x=0.34, up=1.02, z=-0.11), handle),
    ]
    b.add("door", shapes, at=run.at(panel), yaw=run.yaw, landmark=True)


def curtains(b: SceneBuilder, run: Run, panel: int, cloth: Material, rail: Material, *, top: float = 2.62) -> None:
    """A pair of drawn-back curtains with folds, hanging from a rail."""
    w = run.panel_m
    for side in (-1, 1):
        folds: list[Shape] = []
        for i in range(5):
            x = side * (w / 2 + 0.04 - 0.055 * i)
            depth = 0.07 if i % 2 else 0.11
            folds.append((box(0.06, top - 0.06, depth, without=("top", "bottom")).at(x=x, up=0.04, z=-0.15), cloth))
        b.add("curtain", folds, at=run.at(panel), yaw=run.yaw)
    b.add("curtain rail", [(box(w + 0.3, 0.03, 0.03).at(up=top, z=-0.15), rail)], at=run.at(panel), yaw=run.yaw)
