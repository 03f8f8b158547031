"""Small houses with gardens: cottages with a gable to the street, bay windows, porches, garages, front gardens.

Conventions as in `revisit_metric.controls.parts.buildings`.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, box, merge, prism
from revisit_metric.controls.parts import buildings, facades, plants
from revisit_metric.controls.parts.buildings import FacadeLook, Row
from revisit_metric.controls.parts.forms import loft
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def cottage(
    b: SceneBuilder, row: Row, start: float, look: FacadeLook, *, bays: int, bay_m: float, storeys: int
) -> float:
    """A house whose gable faces the street, in bays, with a bay window and a porch; returns where it ends."""
    width, low = bays * bay_m, 2.9
    roof = b.material("clay roof tiles", "slate", tile_m=2.6)
    door = int(b.rng.integers(bays))
    oriel = (door + 1 + int(b.rng.integers(max(bays - 1, 1)))) % bays
    for i in range(bays):
        along = start + (i + 0.5) * bay_m
        if i == door:
            buildings.door_bay(b, row, along, look, width=bay_m, height=low)
            porch(b, row, along, roof, look.trim)
        elif i == oriel:
            facades.wall_bay(b, row, along, look.wall, size=(bay_m, low))
            bay_window(b, row, along, look, roof)
        else:
            buildings.window_bay(b, row, along, 0.0, look, width=bay_m, height=low)
        for storey in range(storeys - 1):
            buildings.window_bay(b, row, along, low + 2.8 * storey, look, width=bay_m, height=2.8)
    eaves, middle = low + 2.8 * (storeys - 1), start + width / 2
    facades.gable(b, row, (middle, eaves, 0.0), look, size=(width, 0.5 * width, 8.0), roof=roof)
    facades.flanks(b, row, (start, start + width), look.wall, height=eaves, deep=7.6)
    stack: list[Shape] = [(box(0.7, 2.2, 0.7), Material("red brick", tile_m=1.2))]
    x, _, z = row.at(start + width * 0.72)
    a = np.radians(row.yaw)
    spot = (x + 3.5 * float(np.sin(a)), eaves + 0.22 * width, z + 3.5 * float(np.cos(a)))
    b.add("chimney", stack, at=spot, yaw=row.yaw)
    return start + width


def bay_window(b: SceneBuilder, row: Row, along: float, look: FacadeLook, roof: Material) -> None:
    """A window that stands out 0.6 m, with slanting sides and a small roof."""
    outline = [(-0.85, 0.0), (-0.5, -0.6), (0.5, -0.6), (0.85, 0.0)]
    shapes: list[Shape] = [(_slab(outline, 0.0, 0.8), look.base), (_slab(outline, 2.25, 0.18), look.trim)]
    cap = [(x * 1.06, z * 1.12) for x, z in outline]
    shapes += [(_slab(cap, 2.43, 0.1), roof), (_slab([(x * 0.7, z * 0.5) for x, z in outline], 2.53, 0.16), roof)]
    b.add("bay window", shapes, at=row.at(along), yaw=row.yaw)
    pane = Material("window pane", variant=int(b.rng.integers(8)))
    glass: list[Shape] = [(box(0.94, 1.45, 0.03, metric=False).at(up=0.8, z=-0.56), pane)]
    lean = float(np.degrees(np.arctan2(0.6, 0.35)))
    glass += [
        (box(0.62, 1.45, 0.03, metric=False).at(yaw=s * lean).at(x=s * 0.66, up=0.8, z=-0.3), pane) for s in (-1, 1)
    ]
    bars = [
        box(0.09, 1.45, 0.09).at(x=x, up=0.8, z=z)
        for x, z in ((-0.82, -0.04), (-0.5, -0.57), (0.0, -0.59), (0.5, -0.57), (0.82, -0.04))
    ]
    bars.append(box(1.0, 0.05, 0.05).at(up=1.85, z=-0.58))
    glass.append((merge(bars), look.frame))
    b.add("window", glass, at=row.at(along), yaw=row.yaw)


def _slab(outline: list[tuple[float, float]], up: float, height: float) -> Mesh:
    """A horizontal slab over an outline of (x, z)."""
    return loft([[(x, u, z) for x, z in outline] for u in (up, up + height)])


def porch(b: SceneBuilder, row: Row, along: float, roof: Material, wood: Material) -> None:
    """A small gabled roof over a door on two brackets."""
    top = prism([(-0.85, 0.0), (0.85, 0.0), (0.0, 0.5)], 0.9).at(z=-0.9, up=2.75)
    brackets = [box(0.08, 0.08, 0.8).at(x=s * 0.72, up=2.68, z=-0.4) for s in (-1, 1)]
    brackets += [box(0.07, 0.9, 0.07).tilted(about_x=-38).at(x=s * 0.72, up=2.0, z=-0.05) for s in (-1, 1)]
    b.add("porch", [(top, roof), (merge(brackets), wood)], at=row.at(along), yaw=row.yaw)


def garage(b: SceneBuilder, row: Row, along: float, wall: Material) -> None:
    """A flat-roofed garage with an up-and-over door, 3 m wide."""
    facades.shutter_bay(b, row, along, wall, size=(3.0, 2.9))
    body = box(3.0, 2.9, 5.0, without=("top", "bottom", "front")).at(z=2.6)
    b.add(
        "garage",
        [(body, wall), (box(3.2, 0.15, 5.3).at(up=2.9, z=2.5), Material("concrete", tile_m=2.0))],
        at=row.at(along),
        yaw=row.yaw,
        joined=True,
    )


def front_garden(b: SceneBuilder, *, x: tuple[float, float], z: tuple[float, float]) -> None:
    """Bushes and flowers between fence and house."""
    leaf = plants.foliage(b, "leaves", "broad leaves")
    for px in np.arange(x[0] + 0.6, x[1] - 0.4, 1.25):
        spot = float(px + b.rng.uniform(-0.25, 0.25)), 0.0, sum(z) / 2 + float(b.rng.uniform(-0.1, 0.1))
        kind = b.rng.random()
        if kind < 0.45:
            plants.bush(b, spot, leaf, size=(0.42, float(b.rng.uniform(0.3, 0.5)), 0.28), cards_n=26)
        elif kind < 0.85:
            tone = tuple(float(v) for v in b.rng.uniform(0.55, 1.3, 3))
            name = b.one_of("flowers", "poppies", "buttercups", "flowers")
            bloom = Material(
                name, (tone[0], tone[1], tone[2]) if name == "flowers" else (1, 1, 1), variant=int(b.rng.integers(3))
            )
            plants.tufts(b, spot, bloom, spread=0.3, count=8, size=0.45, noun="flowers")


def shed(b: SceneBuilder, row: Row, along: float) -> None:
    """A garden shed with a plank door."""
    wood = tinted("worn paint", b.rng, noun="painted wood")
    body = prism([(-0.9, 0.0), (0.9, 0.0), (0.9, 2.0), (0.0, 2.5), (-0.9, 2.0)], 2.0)
    b.add(
        "shed",
        [(body, wood), (box(0.8, 1.8, 0.05).at(z=-0.03), Material("grey planks", tile_m=1.2))],
        at=row.at(along),
        yaw=row.yaw,
    )
