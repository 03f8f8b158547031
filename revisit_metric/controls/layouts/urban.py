"""Urban layouts. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box, cone
from revisit_metric.controls.parts import buildings, plants, street
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import tinted

FAR_Z, NEAR_Z = 5.95, -5.2
ALLEY = (5.2, 7.4)

STREET_LIGHT = Light(to_sun=(-0.5, -0.78, -0.42), sun=(2.4, 2.2, 1.85), clouds=0.45, fog_per_m=0.004)


def shopping_street(b: SceneBuilder) -> str:
    """An old pedestrian street: shop fronts and houses on both sides, a fountain, a cafe, a stall."""
    b.light = STREET_LIGHT
    paving = b.material("cobblestones", "paving slabs", "brick paving", tile_m=1.5)
    walk = b.material("paving slabs", "brick paving", tile_m=1.8)
    street.ground(b, "street", paving, x=(-80, 90), z=(NEAR_Z - 2, 4.7))
    street.ground(b, "pavement", walk, x=(-80, 90), z=(4.7, 26), up=0.1)
    street.kerb(b, Material("ashlar stone", tile_m=2.0, words="stone"), x=(-30, 40), z=4.75)
    _far_row(b)
    _near_row(b)
    _ends(b)
    _furniture(b)
    _cafe(b, -3.4, 2.9)
    street.fountain(b, (7.2, 0, 3.0), b.material("granite", "ashlar stone", tile_m=1.6))
    cloth = b.material("striped cloth", tile_m=1.2)
    street.market_stall(b, (10.6, 0, 3.4), float(b.rng.uniform(-10, 10)), Material("pine", tile_m=1.2), cloth)
    return b.one_of("pedestrian shopping street in an old town", "old town street with small shops and a fountain")


def _far_row(b: SceneBuilder) -> None:
    row = buildings.Row((0.0, FAR_Z))
    along = ALLEY[0]
    while along > -26.0:
        bays, bay = int(b.rng.integers(2, 4)), float(b.rng.uniform(1.75, 2.15))
        along -= bays * bay
        _house(b, row, along, bays, bay)
    along = ALLEY[1]
    while along < 34.0:
        bays, bay = int(b.rng.integers(2, 4)), float(b.rng.uniform(1.75, 2.15))
        along = _house(b, row, along, bays, bay)
    _alley(b)


def _house(b: SceneBuilder, row: buildings.Row, along: float, bays: int, bay: float) -> float:
    storeys, shops = int(b.rng.integers(2, 4)), b.rng.random() < 0.7
    look = buildings.random_look(b)
    return buildings.house(b, row, along, buildings.HouseSize(bays, bay, storeys), look, shops=bool(shops))


def _alley(b: SceneBuilder) -> None:
    """A gap between two houses that shows a yard with a tree."""
    middle = sum(ALLEY) / 2
    buildings.plain_block(b, (middle, 0, 22), 0, buildings.random_look(b), size=(12, 9, 5))
    plants.broadleaf(
        b,
        (middle, 0.1, 14.5),
        plants.TreeLook(Material("oak bark", tile_m=1.0), plants.foliage(b, "leaves", "autumn leaves")),
        height=7,
        crown=2.2,
        clear=2.5,
    )
    street.barrel(b, (ALLEY[0] + 0.55, 0.1, 8.4), Material("oak", tile_m=1.0), Material("black metal"))
    street.litter_bin(b, (ALLEY[1] - 0.5, 0.1, 7.6), Material("black metal"))


def _near_row(b: SceneBuilder) -> None:
    """Behind the camera; its bays run the other way round."""
    row = buildings.Row((40.0, NEAR_Z), 180.0)
    along = 0.0
    while along < 68.0:
        bays, bay = 3, float(b.rng.uniform(2.3, 3.0))
        along = buildings.house(b, row, along, buildings.HouseSize(bays, bay, 2), buildings.random_look(b), shops=False)


def _ends(b: SceneBuilder) -> None:
    """Houses that close the street at both ends, a church tower above them."""
    for x, yaw in ((-52.0, -90.0), (62.0, 90.0)):
        for i in range(4):
            size = (8.0, float(b.rng.uniform(7, 12)), 8.0)
            buildings.plain_block(b, (x, 0, -11.0 + 8.2 * i), yaw, buildings.random_look(b), size=size)
    stone = Material("ashlar stone", tile_m=2.4)
    tower = [
        (box(5, 20, 5), stone),
        (cone(3.9, 9, sides=4).at(up=20, yaw=45), b.material("slate", "clay roof tiles", tile_m=2.6)),
    ]
    b.add("church tower", tower, at=(-62.0, 0, 8.0), landmark=True)


def _furniture(b: SceneBuilder) -> None:
    metal = b.material("black metal", "rusty metal")
    for x in (-8.6, -1.2, 4.9, 12.3):
        street.street_lamp(b, (x, 0.1, 5.05), metal)
    for x in np.arange(-9.5, 15.0, 1.9):
        if b.rng.random() < 0.7:
            street.bollard(b, (float(x), 0, 4.62 + 0.2), metal)
    for x in (-6.2, 1.1, 3.3, 8.9):
        kind = b.one_of("planter", "bench", "planter", "barrel", "bin")
        place = (x + float(b.rng.uniform(-0.3, 0.3)), 0.1, 5.35)
        if kind == "planter":
            street.planter(b, place, 0)
        elif kind == "bench":
            street.bench(b, place, 0, Material("oak", tile_m=1.0), metal)
        elif kind == "barrel":
            street.barrel(b, place, Material("oak", tile_m=1.0), metal)
        else:
            street.litter_bin(b, place, metal)
    bark = Material("oak bark", tile_m=1.0)
    for x in (-5.4, 10.2):
        plants.broadleaf(
            b,
            (x, 0, 4.9),
            plants.TreeLook(bark, plants.foliage(b, "leaves"), 130),
            height=6.2,
            crown=1.6,
            clear=2.9,
        )


def _cafe(b: SceneBuilder, x: float, z: float) -> None:
    metal, seat = Material("black metal"), b.material("oak", "walnut", tile_m=1.0)
    cloth = tinted("linen", b.rng, among=("cream", "crimson", "forest green", "mustard", "navy"))
    street.parasol(b, (x, 0, z + 0.35), cloth, seat)
    for dx, dz in ((-1.0, -0.5), (0.75, 0.0), (-0.6, 1.1)):
        street.cafe_table(b, (x + dx, 0, z + dz), metal, seat)
        start = float(b.rng.uniform(0, 360))
        for turn in (0.0, 130.0, 235.0):
            a = np.radians(start + turn)
            place = (x + dx + 0.62 * float(np.sin(a)), 0.0, z + dz + 0.62 * float(np.cos(a)))
            street.cafe_chair(b, place, start + turn, metal, seat)
