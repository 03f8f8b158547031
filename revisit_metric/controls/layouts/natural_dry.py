"""Natural layouts of dry country: a desert canyon and a hillside vineyard.

See `revisit_metric.controls.layouts` for what a layout must do.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import cylinder, merge, rock
from revisit_metric.controls.parts import buildings, plants, rustic, terrain, wild
from revisit_metric.controls.parts.placing import along, around, spots
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import tinted

DESERT_LIGHT = Light(
    to_sun=(-0.5, -0.72, -0.5),
    sun=(2.75, 2.35, 1.8),
    zenith=(0.12, 0.3, 0.68),
    horizon=(0.82, 0.78, 0.72),
    sky_ambient=(0.5, 0.54, 0.62),
    ground_ambient=(0.4, 0.3, 0.22),
    clouds=0.2,
    fog_per_m=0.004,
)
HILL_LIGHT = Light(
    to_sun=(-0.6, -0.62, -0.42),
    sun=(2.6, 2.25, 1.65),
    horizon=(0.8, 0.78, 0.72),
    sky_ambient=(0.52, 0.57, 0.64),
    ground_ambient=(0.32, 0.28, 0.2),
    clouds=0.35,
    fog_per_m=0.006,
)

STRATA = {
    "red": (("red sandstone", (1.0, 0.55, 0.4)), ("pale sandstone", (1.1, 0.85, 0.68))),
    "ochre": (("ochre sandstone", (1.05, 0.8, 0.5)), ("brown sandstone", (0.8, 0.55, 0.4))),
    "pale": (("pale sandstone", (1.15, 1.0, 0.85)), ("rose sandstone", (1.1, 0.72, 0.6))),
}


def desert_canyon(b: SceneBuilder) -> str:
    """A desert floor with cacti before a canyon wall of layered rock; mesas behind the gap in it."""
    b.light = DESERT_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.2, hills_m=3.0, bank_z=5.0, bank_m=0.5)
    stones = tuple(Material("sandstone", t, tile_m=2.6, words=w) for w, t in STRATA[b.one_of(*STRATA)])
    floor = b.one_of("sand", "cracked earth", "gravel")
    tint = (1.0, 0.72, 0.55) if stones[0].words.startswith("red") else (1.0, 0.86, 0.7)
    ground = Material(floor, tint, tile_m=2.4)
    terrain.patches(b, "desert floor", ground, shape, x=(-75, 80), z=(-45, 80), tile_m=1.1)
    gap = float(b.rng.choice([-3.6, 0.8, 3.8, 6.6]))
    _cliff(b, shape, stones, gap)
    _arch(b, shape, stones, float(b.rng.choice([-3.4, 6.4])))
    _cacti(b, shape)
    for x, z in around(b.rng, 22, near_m=24, far_m=62):
        wild.mesa(b, x, z, stones, width=float(b.rng.uniform(7, 13)), height=float(b.rng.uniform(5, 13)))
    return b.one_of(
        "desert canyon with cacti below a cliff of layered rock", "dry canyon mouth with tall cacti and rock ledges"
    )


def _cliff(b: SceneBuilder, shape: terrain.Relief, stones: tuple[Material, ...], gap: float) -> None:
    beds = [float(h) for h in b.rng.uniform(0.32, 0.75, 10)]
    for z, low, high, step in ((4.7, 1, 3, 1.0), (5.1, 4, 7, 1.05), (6.2, 7, 10, 1.6)):
        for x in along(b.rng, -15.0, 22.0, step):
            if abs(x - gap) < 0.9:
                continue
            # Layers at the same heights all along, as in bedded rock.
            heights = tuple(beds[: int(b.rng.integers(low, high))])
            place = shape.at(x, z + float(b.rng.uniform(-0.1, 0.2)))
            wild.rock_layers(b, place, stones, width=step, heights=heights)


def _arch(b: SceneBuilder, shape: terrain.Relief, stones: tuple[Material, ...], x: float) -> None:
    """Two pillars that carry a boulder."""
    for side in (-0.75, 0.75):
        place = shape.at(x + side, 3.5)
        wild.rock_layers(b, place, stones, width=0.65, heights=(0.7, 0.6, 0.55, 0.5), noun="rock pillar")
    block = rock(1.0, b.rng, detail=3).scaled(x=1.35, up=0.5, z=0.85)
    b.add("balanced rock", [(block, stones[0])], at=(x, 2.72, 4.3), landmark=True)


def _cacti(b: SceneBuilder, shape: terrain.Relief) -> None:
    tall = [(-1.7, 3.4), (5.2, 4.5), (8.7, 3.0), (-6.2, 2.6), (11.8, 3.9), (2.2, 5.1), (-4.8, -1.4), (13.6, 1.0)]
    first = int(b.rng.integers(3))
    for i, (x, z) in enumerate(tall):
        if i < 3 or b.rng.random() < 0.75:
            place = shape.at(x + float(b.rng.uniform(-0.4, 0.4)), z + float(b.rng.uniform(-0.1, 0.2)))
            wild.saguaro(b, place, height=float(b.rng.uniform(2.3, 3.9)), landmark=i == first)
    for x, z in spots(b.rng, 34, margin_m=0.9):
        if b.rng.random() < 0.5:
            wild.prickly_pear(b, shape.at(x, z))
        else:
            wild.barrel_cactus(b, shape.at(x, z), radius=float(b.rng.uniform(0.18, 0.32)))
    for x, z in ((1.6, 2.2), (2.3, 1.7)):
        wild.barrel_cactus(b, shape.at(x, z), radius=0.2)
    tuft, shrub = plants.foliage(b, "dry tuft"), Material("leaves", (0.85, 0.8, 0.75), words="grey-green leaves")
    stone = b.material("sandstone", "granite", tile_m=1.6)
    for x, z in spots(b.rng, 140):
        kind = b.rng.random()
        if kind < 0.5:
            plants.tufts(b, shape.at(x, z), tuft, spread=0.25, count=5, size=0.42, noun="dry grass")
        elif kind < 0.85:
            plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.1, 0.4)))
        else:
            plants.bush(b, shape.at(x, z), shrub, size=(0.4, 0.32, 0.4), cards_n=22)


def vineyard(b: SceneBuilder) -> str:
    """Rows of vines that climb a hill, with olive trees, cypresses and a farmhouse above."""
    b.light = HILL_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.15, hills_m=10.0, bank_z=4.9, bank_m=2.1)
    ground = Material(b.one_of("soil", "dry grass", "grass", "gravel"), (0.9, 0.85, 0.8), tile_m=2.2)
    terrain.patches(b, "hillside", ground, shape, x=(-75, 80), z=(-40, 80), tile_m=1.1)
    _rows(b, shape)
    _harvest(b, shape)
    stone = b.material("rubble stone", "sandstone", "granite", tile_m=1.4)
    start = float(b.rng.choice([-9.0, 7.8]))
    rustic.stone_wall(b, (start, start + 7.0), 4.45 if start > 0 else 3.2, stone, height=0.75)
    for x in along(b.rng, -16.0, 24.0, 2.3, sway=0.7):
        if b.rng.random() < 0.7:
            wild.cypress(b, shape.at(x, 14.5), height=float(b.rng.uniform(4.5, 7.5)))
    leaf = plants.foliage(b, "leaves")
    look = plants.TreeLook(Material("oak bark", tile_m=1.2), leaf, 50)
    for x, z in around(b.rng, 55, near_m=19, far_m=48):
        plants.broadleaf(b, shape.at(x, z), look, height=float(b.rng.uniform(3.5, 6)), crown=2.2, clear=1.2)
    for x, z in ((-12.0, 24.0), (18.0, 22.0), (-26.0, 6.0), (34.0, 8.0)):
        yaw = 0.0 if abs(x) < 20 else -90.0 * float(np.sign(x - 3))
        buildings.plain_block(b, shape.at(x, z), yaw, buildings.random_look(b), size=(7, 6, 6))
    return b.one_of("hillside vineyard with old vines and olive trees", "terraced vineyard below a row of cypresses")


def _rows(b: SceneBuilder, shape: terrain.Relief) -> None:
    """Trellised rows along z, an end post and a rose bush before each."""
    leaf = plants.foliage(b, "broad leaves", "broad leaves", "autumn leaves")
    grape = tinted("paint", b.rng, among=("plum", "olive", "navy"), noun="grapes")
    wood, rose = b.material("grey planks", "oak", tile_m=1.0), plants.foliage(b, "poppies", "flowers", "buttercups")
    step = float(b.rng.uniform(1.4, 1.7))
    for x in along(b.rng, -11.0 + float(b.rng.uniform(0, 1.2)), 19.0, step, sway=0.05):
        start = 5.05 if -1.6 < x < 8.6 else float(b.rng.uniform(2.2, 3.4))
        post = merge([cylinder(0.06, 1.75, sides=8), cylinder(0.04, 1.3, sides=7).tilted(about_x=24).at(z=-0.5)])
        b.add("trellis post", [(post, wood)], at=shape.at(x, start))
        plants.tufts(b, shape.at(x, start - 0.5), rose, spread=0.2, count=6, size=0.6, noun="rose bush")
        for z in np.arange(start + 0.6, 10.5, 1.2):
            wild.vine(b, shape.at(x, float(z)), leaf, grape)
    olive = Material("leaves", (0.95, 1.0, 1.25), variant=int(b.rng.integers(3)), words="silvery leaves")
    look = plants.TreeLook(Material("oak bark", tile_m=1.1), olive, 120)
    for x in (-2.6, *b.rng.choice([-4.6, 0.9, 5.8, 7.4, 9.6, 12.0], 3, replace=False)):
        plants.broadleaf(b, shape.at(float(x), 5.3), look, height=4.9, crown=1.25, clear=2.3)


def _harvest(b: SceneBuilder, shape: terrain.Relief) -> None:
    fruit = tinted("paint", b.rng, among=("plum", "olive", "crimson"), noun="grapes")
    wood = b.material("oak", "pine", tile_m=1.0)
    rustic.hand_cart(
        b, (float(b.rng.choice([-2.6, 6.3])), 0, 2.9), float(b.rng.uniform(-30, 30)), wood, Material("black metal")
    )
    for x, z in spots(b.rng, 9, x=(-6.0, 13.0), z=(1.2, 4.9), margin_m=0.75):
        rustic.basket(b, shape.at(x, z), fruit)
    for x, z in ((1.7, 2.0), (2.3, 2.2)):
        rustic.basket(b, shape.at(x, z), fruit)
    tuft, stone = plants.foliage(b, "grass tuft", "dry tuft"), b.material("granite", "sandstone", tile_m=1.4)
    for x, z in spots(b.rng, 85, z=(-1.5, 6.5)):
        if b.rng.random() < 0.75:
            plants.tufts(b, shape.at(x, z), tuft, spread=0.3, count=5, size=0.36)
        else:
            plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.08, 0.22)))
