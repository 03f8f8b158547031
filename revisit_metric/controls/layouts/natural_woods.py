"""Natural layouts of woods and heights: an autumn birch grove, a snowy clearing, an alpine meadow.

See `revisit_metric.controls.layouts` for what a layout must do.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import cylinder, lathe, rock
from revisit_metric.controls.parts import plants, rustic, terrain, wild
from revisit_metric.controls.parts.placing import along, around, slots, spots
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import tinted

AUTUMN_LIGHT = Light(
    to_sun=(-0.6, -0.6, -0.45),
    sun=(2.5, 2.05, 1.45),
    horizon=(0.78, 0.76, 0.7),
    sky_ambient=(0.5, 0.54, 0.58),
    ground_ambient=(0.32, 0.27, 0.2),
    clouds=0.4,
    fog_per_m=0.012,
)
WINTER_LIGHT = Light(
    to_sun=(-0.62, -0.5, -0.5),
    sun=(1.7, 1.5, 1.25),
    zenith=(0.24, 0.4, 0.66),
    horizon=(0.76, 0.8, 0.86),
    sky_ambient=(0.5, 0.58, 0.72),
    ground_ambient=(0.4, 0.44, 0.52),
    clouds=0.55,
    fog_per_m=0.01,
)
ALPINE_LIGHT = Light(to_sun=(-0.5, -0.75, -0.45), sun=(2.5, 2.3, 1.95), clouds=0.4, fog_per_m=0.0035)


def birch_grove(b: SceneBuilder) -> str:
    """White birches over leaf litter and bracken, a stone wall, a wood pile, a path with a signpost."""
    b.light = AUTUMN_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.25, hills_m=6.0, bank_z=5.6, bank_m=1.2)
    floor = Material(b.one_of("leaf litter", "leaf litter", "dry grass", "moss"), (0.95, 0.9, 0.85), tile_m=2.0)
    terrain.patches(b, "woodland floor", floor, shape, x=(-75, 80), z=(-40, 80), tile_m=1.1)
    season = b.one_of("gold", "gold", "rust", "green")
    tint = {"gold": (1.25, 1.35, 0.7), "rust": (1.0, 0.62, 0.55), "green": (1.3, 1.25, 0.8)}[season]
    leaf = Material("leaves" if season == "green" else "autumn leaves", tint, words=f"{season} leaves")
    bark = Material("birch bark", tile_m=1.1)
    _trunks(b, shape, bark, leaf)
    pile, sign, _ = slots(b.rng, -2.6, 1.6, 5.2)
    rustic.wood_pile(b, shape.at(pile, 4.9), float(b.rng.uniform(-12, 12)), bark, rows=5)
    rustic.signpost(b, shape.at(sign, 4.75), b.material("oak", "grey planks", tile_m=1.0))
    stone = b.material("granite", "dark rock", "rubble stone", tile_m=1.5)
    gate = float(b.rng.uniform(-4, 7))
    for x0, x1 in ((-10.0, gate - 0.9), (gate + 0.9, 17.0)):
        rustic.stone_wall(b, (x0, x1), 5.5, stone, height=1.05)
    _undergrowth(b, shape, leaf)
    return b.one_of("birch grove with a mossy stone wall", "open birch wood with bracken and a stacked wood pile")


def _trunks(b: SceneBuilder, shape: terrain.Relief, bark: Material, leaf: Material) -> None:
    near = [
        (-1.5, 2.6),
        (5.5, 2.6),
        (8.6, 3.4),
        (-3.6, 3.6),
        (-2.2, 4.9),
        (-4.4, 4.6),
        (-1.3, 4.7),
        (1.9, 5.4),
        (3.2, 5.6),
        (10.8, 1.8),
        (-6.3, 2.0),
        (13.2, 3.9),
    ]
    near += [(-8.2, 4.4), (0.6, 5.6), (7.0, 4.9), (-5.2, -1.6), (15.4, 0.4)]
    for x, z in near:
        if b.rng.random() < 0.85:
            place = shape.at(x + float(b.rng.uniform(-0.4, 0.4)), z + float(b.rng.uniform(-0.2, 0.2)))
            wild.birch(b, place, bark, leaf, height=float(b.rng.uniform(7, 9.5)), cards_n=64)
    for z, step in ((5.7, 0.95), (6.8, 1.3), (9.0, 1.8)):
        for x in along(b.rng, -14.0, 21.0, step, sway=0.5):
            place = shape.at(x, z + float(b.rng.uniform(-0.5, 0.5)))
            wild.birch(b, place, bark, leaf, height=float(b.rng.uniform(4.2, 6.2)) + 0.3 * z - 1.8, cards_n=34)
            plants.bush(b, shape.at(x + 0.5, z + 0.3), leaf, size=(0.6, 0.85, 0.5), cards_n=18)
    for x, z in around(b.rng, 70, near_m=15, far_m=45):
        wild.birch(b, shape.at(x, z), bark, leaf, height=float(b.rng.uniform(8, 11)), cards_n=22)


def _undergrowth(b: SceneBuilder, shape: terrain.Relief, leaf: Material) -> None:
    bracken, grass = plants.foliage(b, "fern"), plants.foliage(b, "dry tuft", "grass tuft")
    moss_bark = Material("oak bark", (0.85, 1.0, 0.7), tile_m=1.0, words="mossy bark")
    stone = b.material("granite", "dark rock", tile_m=1.5)
    for x, z in ((1.8, 2.1), (-2.9, 3.1), (6.2, 1.9), (10.0, 4.4)):
        rustic.stump(b, shape.at(x, z), moss_bark, axe=x == 6.2)
    for x, z in spots(b.rng, 130):
        kind = b.rng.random()
        if kind < 0.35:
            plants.tufts(b, shape.at(x, z), bracken, spread=0.35, count=5, size=0.6, noun="bracken")
        elif kind < 0.6:
            plants.tufts(b, shape.at(x, z), grass, spread=0.3, count=5, size=0.42)
        elif kind < 0.8:
            mushrooms(b, shape, x, z)
        elif kind < 0.93:
            plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.12, 0.4)))
        elif abs(x - 3.5) > 5:
            plants.bush(b, shape.at(x, z), leaf, size=(0.5, 0.45, 0.5), cards_n=24)


def mushrooms(b: SceneBuilder, shape: terrain.Relief, x: float, z: float) -> None:
    """Three toadstools."""
    cap = tinted("paint", b.rng, among=("crimson", "brown", "ochre"), noun="caps")
    stalk = Material("plaster", (1.0, 0.96, 0.85), words="white stalks")
    shapes = []
    for dx, dz, size in ((0.0, 0.0, 1.0), (0.14, 0.08, 0.7), (-0.1, 0.12, 0.6)):
        profile = [(0.0, 0.1), (0.09, 0.1), (0.075, 0.14), (0.03, 0.17), (0.0, 0.175)]
        shapes.append((lathe([(r * size, h * size) for r, h in profile], sides=12).at(dx, 0, dz), cap))
        shapes.append((cylinder(0.025 * size, 0.11 * size, sides=8).at(dx, 0, dz), stalk))
    b.add("mushroom", shapes, at=shape.at(x, z), movable=True)


def snowy_clearing(b: SceneBuilder) -> str:
    """A clearing in snow: laden spruces, a log cabin, a fence, a snowman, a sledge."""
    b.light = WINTER_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.25, hills_m=9.0, bank_z=5.4, bank_m=1.6)
    snow = Material("snow", tile_m=3.0)
    terrain.patches(b, "snowy ground", snow, shape, x=(-75, 80), z=(-40, 80), tile_m=1.1)
    bark, leaf = (
        Material("pine bark", (0.5, 0.5, 0.55), tile_m=1.4),
        Material("snowy needles", (0.92, 0.95, 1.0), words="snow-laden needles"),
    )
    cabin, man, pile = slots(b.rng, -2.7, 1.5, 5.4)
    _cabin(b, shape, cabin, snow)
    scarf = tinted("wool", b.rng, among=("crimson", "teal", "mustard", "plum"))
    rustic.snowman(b, shape.at(man, 5.0), float(b.rng.uniform(-20, 20)), scarf)
    rustic.wood_pile(b, shape.at(pile, 4.7), 0, bark, rows=5)
    for x in (-2.0, 8.0, -6.6, 11.6):
        place = shape.at(x + float(b.rng.uniform(-0.3, 0.3)), 3.6 if x == -2.0 else 3.9)
        wild.snowy_spruce(b, place, bark, leaf, height=float(b.rng.uniform(2.2, 3.6)), spread=0.85, cards_n=70)
    for z, step, low, high in ((5.5, 1.0, 3.4, 5.4), (7.0, 1.6, 6.0, 8.5)):
        for x in along(b.rng, -14.0, 21.0, step, sway=0.5):
            if abs(x - cabin) > 2.5:
                place = shape.at(x, z + float(b.rng.uniform(-0.1, 0.5)))
                wild.snowy_spruce(b, place, bark, leaf, height=float(b.rng.uniform(low, high)), spread=0.75, cards_n=85)
    for x, z in around(b.rng, 80, near_m=15, far_m=46):
        wild.snowy_spruce(b, shape.at(x, z), bark, leaf, height=float(b.rng.uniform(7, 12)), spread=2.4, cards_n=40)
    _winter_ground(b, shape, bark)
    return b.one_of("snowy forest clearing with a log cabin", "snow-covered clearing among spruces")


def _cabin(b: SceneBuilder, shape: terrain.Relief, x: float, snow: Material) -> None:
    wall = b.material("pine", "oak", "walnut", tile_m=1.5)
    logs = Material(wall.texture, wall.tint, tile_m=1.5, words=f"{wall.texture} logs")
    look = rustic.HutLook(logs, snow, noun="log cabin", logs=True)
    rustic.hut(b, shape.at(x, 5.1), float(b.rng.uniform(-8, 8)), look, size=(3.4, 2.1, 3.0))


def _winter_ground(b: SceneBuilder, shape: terrain.Relief, bark: Material) -> None:
    wood = b.material("oak", "pine", "walnut", tile_m=1.0)
    rustic.sledge(
        b, shape.at(*((-2.6, 2.2) if b.rng.random() < 0.5 else (6.2, 2.4))), float(b.rng.uniform(20, 70)), wood
    )
    rustic.stump(b, shape.at(1.9, 2.0), bark, axe=True)
    rustic.rail_fence(b, (8.6, 2.3), float(b.rng.uniform(-20, 0)), wood, bays=4)
    rustic.rail_fence(b, (-9.8, 2.6), float(b.rng.uniform(0, 15)), wood, bays=4)
    stone, tuft = b.material("granite", "dark rock", tile_m=1.6), plants.foliage(b, "dry tuft")
    for x, z in spots(b.rng, 230):
        kind = b.rng.random()
        if kind < 0.45:
            plants.tufts(b, shape.at(x, z), tuft, spread=0.25, count=4, size=0.4, noun="dry grass")
        elif kind < 0.75:
            snow_capped(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.14, 0.42)))
        elif kind < 0.85 and abs(x - 3.5) > 4.6:
            rustic.stump(b, shape.at(x, z), bark)


def snow_capped(b: SceneBuilder, at: tuple[float, float, float], stone: Material, *, radius: float) -> None:
    """A boulder under a cushion of snow."""
    body = rock(radius, b.rng, detail=2).scaled(up=0.8).at(up=radius * 0.4)
    turn = np.linspace(0, np.pi / 2, 5)
    dome = [(0.95 * radius * float(np.cos(a)), radius * (0.75 + 0.45 * float(np.sin(a)))) for a in turn]
    cap = lathe([(0.0, radius * 0.7), *dome], sides=12)
    b.add("boulder", [(body, stone), (cap, Material("snow", tile_m=1.5))], at=at, movable=True)


def alpine_meadow(b: SceneBuilder) -> str:
    """A flowering slope below the peaks: boulders, a hay hut, a fence, a water trough, scattered firs."""
    b.light = ALPINE_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.16, hills_m=6.0, bank_z=4.5, bank_m=2.9)
    meadow = Material(b.one_of("grass", "grass", "dry grass"), (0.95, 0.95, 0.85), tile_m=2.4)
    terrain.patches(b, "meadow", meadow, shape, x=(-75, 80), z=(-40, 80), tile_m=1.1)
    hut, basin, cairn = slots(b.rng, -2.7, 1.5, 5.4)
    wood = b.material("grey planks", "walnut planks", "oak planks", tile_m=1.4)
    stone = b.material("granite", "dark rock", tile_m=2.0)
    look = rustic.HutLook(
        wood, b.material("slate", "grey planks", tile_m=1.8), noun="hay hut", logs=b.rng.random() < 0.5
    )
    rustic.hut(b, (hut, 0.05, 5.0), float(b.rng.uniform(-10, 10)), look, size=(3.2, 2.3, 2.8))
    rustic.trough(b, shape.at(basin, 4.85), float(b.rng.uniform(-15, 15)), wood)
    rustic.cairn(b, shape.at(cairn, 4.95), stone)
    _crags(b, shape, stone, hut)
    _flowers(b, shape)
    rustic.rail_fence(b, (-9.8, 3.3), float(b.rng.uniform(-5, 12)), wood, bays=5)
    rustic.rail_fence(b, (8.4, 3.0), float(b.rng.uniform(-15, 5)), wood, bays=5)
    _peaks(b, shape, stone)
    return b.one_of("alpine meadow with a hay hut below rocky peaks", "mountain pasture with boulders and a wooden hut")


def _crags(b: SceneBuilder, shape: terrain.Relief, stone: Material, hut_x: float) -> None:
    """Boulders, firs and hay on the slope ahead."""
    needle, bark = plants.foliage(b, "needles"), Material("pine bark", tile_m=1.4)
    for z, low, high, step in ((5.0, 0.3, 0.6, 1.1), (5.7, 0.5, 0.9, 1.2), (6.8, 0.7, 1.3, 1.7)):
        for x in along(b.rng, -10.0, 17.0, step, sway=0.5):
            if abs(x - hut_x) > 2.3 and b.rng.random() < 0.75:
                plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(low, high)), movable=z < 6)
    for x in along(b.rng, -12.0, 19.0, 1.8, sway=0.6):
        if abs(x - hut_x) > 2.4 and b.rng.random() < 0.8:
            look = plants.TreeLook(bark, needle, 80)
            plants.conifer(b, shape.at(x, 6.0), look, height=float(b.rng.uniform(3.8, 6)), spread=1.0, clear=0.4)
    for x, z in ((-4.6, 3.9), (7.6, 4.1), (-6.8, 1.2), (10.6, 1.7)):
        if b.rng.random() < 0.7:
            rustic.haystack(b, shape.at(x, z), height=float(b.rng.uniform(1.4, 1.9)))


def _flowers(b: SceneBuilder, shape: terrain.Relief) -> None:
    blooms = [Material(name) for name in ("buttercups", "gentians", "flowers", "poppies")]
    first, second = (blooms[int(i)] for i in b.rng.choice(4, 2, replace=False))
    grass, stone = plants.foliage(b, "grass tuft", "dry tuft"), b.material("granite", "dark rock", tile_m=1.4)
    for x, z in ((1.7, 2.1), (2.4, 1.8)):
        plants.boulder(b, shape.at(x, z), stone, radius=0.38)
    for x, z in spots(b.rng, 190, z=(-1.5, 7.5)):
        kind = b.rng.random()
        if kind < 0.62:
            bloom = first if kind < 0.4 else second
            plants.tufts(b, shape.at(x, z), bloom, spread=0.35, count=5, size=0.42, noun="wildflowers")
        elif kind < 0.85:
            plants.tufts(b, shape.at(x, z), grass, spread=0.35, count=5, size=0.4)
        else:
            plants.boulder(b, shape.at(x, z), stone, radius=float(b.rng.uniform(0.1, 0.35)))


def _peaks(b: SceneBuilder, shape: terrain.Relief, stone: Material) -> None:
    snow = Material("snow", tile_m=30.0)
    stone = Material(stone.texture, (0.8, 0.82, 0.88), tile_m=45.0)
    for angle in np.radians(np.arange(-125.0, 126.0, 19.0)):
        reach = float(b.rng.uniform(150, 230))
        x, z = 3.5 + reach * float(np.sin(angle)), reach * float(np.cos(angle))
        wild.mountain(b, x, z, stone, snow, height=float(b.rng.uniform(50, 95)))
    needle, bark = plants.foliage(b, "needles"), Material("pine bark", tile_m=1.4)
    for x, z in around(b.rng, 60, near_m=18, far_m=50):
        look = plants.TreeLook(bark, needle, 40)
        plants.conifer(b, shape.at(x, z), look, height=float(b.rng.uniform(6, 10)), spread=2.0, clear=0.6)
