"""Natural layouts at the water: a lakeshore and a rocky beach.

See `revisit_metric.controls.layouts` for what a layout must do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.parts import plants, rustic, shore, street, terrain, wild
from revisit_metric.controls.parts.placing import along, around, slots, spots
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import tinted

LAKE_LIGHT = Light(
    to_sun=(-0.5, -0.68, -0.5),
    sun=(2.3, 2.1, 1.75),
    zenith=(0.2, 0.38, 0.7),
    horizon=(0.7, 0.78, 0.84),
    sky_ambient=(0.52, 0.6, 0.68),
    ground_ambient=(0.26, 0.28, 0.22),
    clouds=0.6,
    fog_per_m=0.008,
)
SEA_LIGHT = Light(
    to_sun=(-0.48, -0.78, -0.4),
    sun=(2.6, 2.4, 2.0),
    zenith=(0.12, 0.34, 0.72),
    horizon=(0.72, 0.82, 0.9),
    sky_ambient=(0.55, 0.62, 0.7),
    ground_ambient=(0.38, 0.34, 0.27),
    clouds=0.4,
    fog_per_m=0.004,
)


def lakeshore(b: SceneBuilder) -> str:
    """The grassy shore of a small lake: reeds, a jetty with boats, a boathouse, woods on the far side."""
    b.light = LAKE_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.15, hills_m=9.0, bank_z=4.3, bank_m=-1.1)
    meadow = Material(b.one_of("grass", "grass", "moss", "dry grass"), (0.85, 0.85, 0.8), tile_m=2.2)
    terrain.patches(b, "shore", meadow, shape, x=(-75, 80), z=(-40, 80), tile_m=1.1)
    street.ground(b, "lake", Material("water", tile_m=3.0), x=(-75, 80), z=(4.3, 60), up=-0.3)
    house, pier, _ = slots(b.rng, -2.6, 1.6, 5.6)
    _jetty(b, pier)
    _boathouse(b, house)
    _reeds(b, (house, pier))
    _shore_trees(b, shape)
    _bank(b, shape)
    leaf, needle = plants.foliage(b, "leaves", "autumn leaves"), plants.foliage(b, "needles")
    bark = Material("pine bark", tile_m=1.5)
    for x, z in around(b.rng, 95, near_m=25, far_m=50):
        place = shape.at(x, z)
        if place[1] < -0.2:
            continue
        if b.rng.random() < 0.5:
            plants.conifer(b, place, plants.TreeLook(bark, needle, 44), height=float(b.rng.uniform(8, 13)), spread=2.4)
        else:
            plants.broadleaf(b, place, plants.TreeLook(bark, leaf, 56), height=8, crown=3.0, clear=1.6)
    return b.one_of("lakeshore with a wooden jetty among reeds", "reedy bank of a small lake with a boathouse")


def _jetty(b: SceneBuilder, x: float) -> None:
    wood = b.material("grey planks", "oak planks", tile_m=1.4)
    shore.jetty(b, x, (4.4, 11.5), 0.12, wood)
    for side, z in ((-1, 6.4), (1, 8.4)):
        paint = tinted("worn paint", b.rng, noun="painted wood")
        shore.boat(b, (x + 1.35 * side, -0.42, z), float(b.rng.uniform(-15, 15)), paint, wood)
    rustic.basket(
        b, (x + 0.35, 0.17, 5.4), tinted("paint", b.rng, among=("ochre", "slate blue"), noun="fishing floats")
    )


def _boathouse(b: SceneBuilder, x: float) -> None:
    wall = b.material("grey planks", "walnut planks", "oak planks", tile_m=1.5)
    if b.rng.random() < 0.5:
        wall = tinted("worn paint", b.rng, among=("rust red", "sage green", "sky blue", "white"), noun="painted boards")
    look = rustic.HutLook(wall, b.material("slate", "clay roof tiles", "grey planks", tile_m=2.0), noun="boathouse")
    rustic.hut(b, (x, 0.0, 4.95), 0, look, size=(3.0, 2.2, 3.2))
    for dx in (-1.4, 1.4):
        street.barrel(b, (x + dx, 0.0, 4.6), Material("oak", tile_m=1.0), Material("rusty metal"))


def _reeds(b: SceneBuilder, open_x: tuple[float, float]) -> None:
    """Reed beds in the shallows, open before the jetty and the boathouse."""
    reed = plants.foliage(b, "reeds")
    for z, tall in ((5.0, 1.8), (5.4, 2.3), (5.9, 2.8)):
        for x in along(b.rng, -10.0, 17.0, 0.48, sway=0.2):
            if min(abs(x - gap) for gap in open_x) < 1.9:
                continue
            size = tall * float(b.rng.uniform(0.8, 1.1))
            wild.reed_clump(b, (x, -0.35, z), reed, height=size)
    for x, z in spots(b.rng, 26, x=(-8.0, 15.0), z=(6.8, 11.0)):
        wild.lily_pads(b, (x, -0.29, z))


def _shore_trees(b: SceneBuilder, shape: terrain.Relief) -> None:
    bark, leaf = (
        b.material("birch bark", "oak bark", tile_m=1.2),
        plants.foliage(b, "leaves", "leaves", "autumn leaves"),
    )
    look = plants.TreeLook(bark, leaf, 150)
    for x, z in (
        (-2.4, 3.1),
        (-5.0, 4.4),
        (3.9, 5.5),
        (8.9, 4.7),
        (-8.3, 2.2),
        (12.6, 3.6),
        (-3.4, 5.3),
        (-6.5, -2.2),
        (15.0, 1.0),
    ):
        if x == -2.4 or b.rng.random() < 0.75:
            place = shape.at(x + float(b.rng.uniform(-0.4, 0.4)), z)
            height = float(b.rng.uniform(6.8, 8.2))
            plants.broadleaf(b, place, look, height=height, crown=1.7, clear=3.1)


def _bank(b: SceneBuilder, shape: terrain.Relief) -> None:
    """Grass, flowers and stones on the shore; a fishing seat in the middle."""
    grass, bloom = plants.foliage(b, "grass tuft"), Material(b.one_of("buttercups", "flowers", "gentians"))
    stone, shrub = b.material("granite", "dark rock", tile_m=1.6), plants.foliage(b, "leaves")
    rustic.log_seat(b, (2.0, 0.0, 2.1), float(b.rng.uniform(-20, 20)), Material("oak bark", tile_m=1.0), length=1.1)
    rustic.rail_fence(b, (-9.5, 1.4), 8.0, b.material("grey planks", "oak", tile_m=1.0), bays=5)
    for x, z in spots(b.rng, 130, z=(-1.5, 5.0)):
        kind = b.rng.random()
        if kind < 0.45:
            plants.tufts(b, shape.at(x, z), grass, spread=0.35, count=5, size=0.45)
        elif kind < 0.68:
            plants.tufts(b, shape.at(x, z), bloom, spread=0.3, count=4, size=0.42, noun="wildflowers")
        elif kind < 0.92:
            plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.12, 0.38)))
        elif abs(x - 3.5) > 5:
            plants.bush(b, shape.at(x, z), shrub, size=(0.6, 0.5, 0.5), cards_n=30)


class Coast(terrain.Relief):
    """A relief without hills beyond its bank: the sea lies there."""

    def height(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        """Height at (x, z), metres above the ground plane."""
        depth = np.asarray(z, np.float64)
        shelf = np.clip((depth - self.bank_z) / 3.0, 0.0, 1.0)
        return super().height(x, np.minimum(depth, self.bank_z)) + shelf * self.bank_m


def rocky_beach(b: SceneBuilder) -> str:
    """A sandy cove between layered rocks: pools, driftwood, a groyne, the sea and a lighthouse behind."""
    b.light = SEA_LIGHT
    shape = Coast(terrain.relief(b.rng, rough_m=0.12, hills_m=4.0).waves, 4.0, 5.2, -0.9)
    tint = (1.0, 0.95, 0.88) if b.rng.random() < 0.5 else (0.95, 0.8, 0.65)
    sand = Material("sand", tint, tile_m=2.6)
    terrain.patches(b, "beach", sand, shape, x=(-75, 80), z=(-45, 30), tile_m=1.1)
    sea = Material("water", (0.9, 1.5, 1.7), tile_m=5.0)
    street.ground(b, "sea", sea, x=(-140, 150), z=(5.2, 200), up=-0.32)
    tone = b.one_of("dark", "pale", "warm")
    _stacks(b, shape, tone)
    _finds(b, shape, _stone(tone)[0])
    _sea_side(b, shape)
    return b.one_of("rocky cove with tidal pools and driftwood", "sandy beach between layered rocks")


def _stone(tone: str) -> tuple[Material, Material]:
    if tone == "dark":
        return Material("dark rock", (0.9, 0.9, 0.95), tile_m=2.2), Material("dark rock", (1.3, 1.25, 1.2), tile_m=2.2)
    if tone == "pale":
        pale = Material("sandstone", (1.3, 1.45, 1.7), tile_m=2.4, words="pale limestone")
        return pale, Material("sandstone", (1.1, 1.2, 1.35), tile_m=2.4, words="pale limestone")
    return (
        Material("sandstone", (1.0, 0.75, 0.6), tile_m=2.4),
        Material("granite", (1.1, 0.9, 0.8), tile_m=2.2, words="pink granite"),
    )


def _stacks(b: SceneBuilder, shape: terrain.Relief, tone: str) -> None:
    """Rock stacks on both sides of one or two gaps through which the sea shows."""
    stones = _stone(tone)
    beds = [float(h) for h in b.rng.uniform(0.35, 0.7, 11)]
    gaps = (float(b.rng.uniform(1.2, 3.4)), float(b.rng.choice([-6.4, 6.4, 9.0])))
    for z, low, high, step in ((4.7, 1, 5, 1.05), (5.2, 5, 10, 1.1), (6.4, 6, 11, 1.5)):
        for x in along(b.rng, -13.0, 20.0, step):
            if min(abs(x - gap) for gap in gaps) < 1.0:
                continue
            heights = tuple(beds[: int(b.rng.integers(low, high))])
            wild.rock_layers(b, (x, float(shape.height(x, z)) - 0.1, z), stones, width=step, heights=heights)
    outcrop = float(b.rng.choice([-3.8, -3.2, -2.7]))
    for dx, dz, tall in ((0.0, 0.0, 6), (0.75, 0.35, 3), (-0.8, 0.1, 4), (0.2, 0.9, 8)):
        wild.rock_layers(b, (outcrop + dx, 0.0, 3.1 + dz), stones, width=0.95, heights=tuple(beds[:tall]))
    for x, z in around(b.rng, 16, near_m=16, far_m=60, half_deg=70):
        heights = tuple(float(h) for h in b.rng.uniform(1.2, 2.2, int(b.rng.integers(1, 4))))
        wild.rock_layers(
            b, (x, -0.5, z + 3.0), stones, width=float(b.rng.uniform(2.5, 5)), heights=heights, noun="sea stack"
        )


def _finds(b: SceneBuilder, shape: terrain.Relief, stone: Material) -> None:
    """Pools, driftwood, shells and boulders on the sand."""
    wood = Material("grey planks", (1.2, 1.15, 1.05), tile_m=1.2, words="bleached wood")
    for x, z in ((1.9, 2.0), (-2.6, 2.2), (6.0, 2.8), (10.2, 2.0), (-5.8, 3.2)):
        if x == 1.9 or b.rng.random() < 0.8:
            shore.rock_pool(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.45, 0.75)))
    for x, z in spots(b.rng, 22, z=(1.0, 4.8), margin_m=1.3):
        if not -1.4 < x < 4.0:
            shore.driftwood(b, shape.at(x, z), wood, length=float(b.rng.uniform(1.1, 2.0)))
    for x, z in spots(b.rng, 60, x=(-5.0, 12.0), z=(1.6, 4.7)):
        shore.shells(b, shape.at(x, z))
    grass = plants.foliage(b, "dry tuft", "grass tuft")
    for x, z in spots(b.rng, 120, z=(-2.0, 5.0)):
        if b.rng.random() < 0.7:
            plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.08, 0.4)))
        elif x < -3 or x > 9:
            plants.tufts(b, shape.at(x, z), grass, spread=0.4, count=6, size=0.6, noun="dune grass")


def _sea_side(b: SceneBuilder, shape: terrain.Relief) -> None:
    wood = b.material("grey planks", "walnut planks", tile_m=1.2)
    x = float(b.rng.choice([-3.6, 5.6, 8.4]))
    shore.groyne(b, (x, 3.6), float(b.rng.uniform(-12, 12)), wood, posts=14)
    paint = tinted("paint", b.rng, among=("crimson", "navy", "charcoal"), noun="painted stone")
    side = 1 if b.rng.random() < 0.5 else -1
    shore.lighthouse(b, (3.5 + side * 30.0, 1.0, 34.0), paint)
    hull = tinted("worn paint", b.rng, noun="painted wood")
    shore.boat(b, shape.at(float(b.rng.choice([-5.4, 9.6])), 3.4), float(b.rng.uniform(40, 120)), hull, wood)
    for i, hut_x in enumerate(along(b.rng, -30.0, -9.0, 3.4)):
        wall = tinted("paint", b.rng, noun="painted boards")
        look = rustic.HutLook(wall, Material("slate", tile_m=2.0), noun="beach hut")
        rustic.hut(b, (hut_x, float(shape.height(hut_x, -2.0 - i)), -2.0 - 0.8 * i), 115, look, size=(2.0, 2.0, 2.2))
