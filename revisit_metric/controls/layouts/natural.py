"""Natural layouts. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, on_path
from revisit_metric.controls.meshes import cylinder
from revisit_metric.controls.parts import plants, terrain
from revisit_metric.controls.scene import Light, Material

FOREST_LIGHT = Light(
    to_sun=(-0.55, -0.7, -0.5),
    sun=(2.5, 2.25, 1.8),
    sky_ambient=(0.46, 0.56, 0.62),
    ground_ambient=(0.26, 0.27, 0.2),
    horizon=(0.62, 0.72, 0.78),
    clouds=0.5,
    fog_per_m=0.008,
)


def forest_rocks(b: SceneBuilder) -> str:
    """A forest glade below a bank of boulders: old trees, ferns, a fallen trunk."""
    b.light = FOREST_LIGHT
    shape = terrain.relief(b.rng, rough_m=0.3, hills_m=7.0, bank_z=4.9, bank_m=3.2)
    floor = b.one_of("leaf litter", "moss", "grass")
    terrain.patches(
        b,
        "forest floor",
        Material(floor, (0.75, 0.75, 0.75), tile_m=2.2),
        shape,
        x=(-75, 80),
        z=(-40, 80),
        tile_m=1.1,
    )
    stone = b.material("granite", "dark rock", "sandstone", tile_m=2.2)
    _bank(b, shape, stone)
    _near_trees(b, shape)
    _undergrowth(b, shape)
    _fallen_trunk(b, shape)
    _far_trees(b, shape)
    return b.one_of("forest glade below a bank of boulders", "woodland clearing with mossy rocks and a fallen trunk")


def _at(shape: terrain.Relief, x: float, z: float) -> tuple[float, float, float]:
    return x, float(shape.height(x, z)), z


def _bank(b: SceneBuilder, shape: terrain.Relief, stone: Material) -> None:
    """Rows of boulders, the lower ones in front, that fill most of the view ahead."""
    for z, low, high, step in (
        (5.5, 0.5, 0.75, 1.0),
        (6.1, 0.65, 0.85, 1.2),
        (6.8, 0.7, 1.0, 1.35),
        (7.7, 0.9, 1.2, 1.6),
    ):
        for x in np.arange(-9.5, 17.0, step):
            place = _at(shape, float(x + b.rng.uniform(-0.3, 0.3)), z + float(b.rng.uniform(-0.3, 0.3)))
            radius = float(b.rng.uniform(low, high))
            plants.boulder(b, place, stone, radius=radius, squash=float(b.rng.uniform(0.7, 1.15)), movable=False)
    big = _at(shape, float(b.rng.uniform(-3.2, -2.2)), 4.7)
    plants.boulder(b, big, stone, radius=1.1, squash=1.3, movable=False, landmark=True)


def _near_trees(b: SceneBuilder, shape: terrain.Relief) -> None:
    bark, leaf = (
        b.material("oak bark", "pine bark", "birch bark", tile_m=1.3),
        plants.foliage(b, "leaves", "autumn leaves"),
    )
    spots = (
        (-1.25, 1.9),
        (5.4, 3.4),
        (8.2, 4.3),
        (-4.6, 3.4),
        (11.4, 2.6),
        (-7.2, 4.6),
        (14.2, 4.4),
        (-6.8, -1.5),
    )
    for x, z in spots:
        place = _at(shape, x + float(b.rng.uniform(-0.25, 0.25)), z + float(b.rng.uniform(-0.2, 0.2)))
        height = float(b.rng.uniform(8.5, 10.5))
        plants.broadleaf(b, place, plants.TreeLook(bark, leaf, 110), height=height, crown=2.0, clear=4.1)


def _undergrowth(b: SceneBuilder, shape: terrain.Relief) -> None:
    fern, grass = plants.foliage(b, "fern"), plants.foliage(b, "grass tuft", "fern")
    shrub = plants.foliage(b, "leaves")
    for _ in range(95):
        x, z = float(b.rng.uniform(-9, 16)), float(b.rng.uniform(-1.5, 6.2))
        if on_path(x, z, 0.5):
            continue
        kind = b.rng.random()
        if kind < 0.55:
            plants.tufts(
                b,
                _at(shape, x, z),
                fern if b.rng.random() < 0.5 else grass,
                spread=0.35,
                count=6,
                size=0.55,
                noun="fern",
            )
        elif kind < 0.8:
            plants.boulder(
                b,
                _at(shape, x, z),
                b.material("granite", "dark rock", tile_m=1.6),
                radius=float(b.rng.uniform(0.12, 0.32)),
            )
        elif not on_path(x, z, 1.3):
            plants.bush(b, _at(shape, x, z), shrub, size=(0.55, 0.45, 0.5), cards_n=34)
    _middle(b, shape, fern)
    for x in np.arange(-9.0, 16.0, 1.3):
        plants.bush(b, _at(shape, float(x + b.rng.uniform(-0.4, 0.4)), 7.1), shrub, size=(0.8, 0.7, 0.6), cards_n=38)
        plants.tufts(b, _at(shape, float(x), 4.95), fern, spread=0.4, count=6, size=0.7, noun="fern")


def _middle(b: SceneBuilder, shape: terrain.Relief, fern: Material) -> None:
    """Low stones and ferns inside the square that the closed loop runs around."""
    stone = b.material("granite", "dark rock", "sandstone", tile_m=1.6)
    for x, z, radius in (
        (-3.1, 3.0, 0.85),
        (-2.5, 1.9, 0.45),
        (1.7, 1.9, 0.5),
        (2.5, 2.3, 0.42),
        (1.35, 2.6, 0.34),
        (2.3, 1.45, 0.28),
    ):
        spot = x + float(b.rng.uniform(-0.15, 0.15)), z + float(b.rng.uniform(-0.15, 0.15))
        plants.boulder(b, _at(shape, *spot), stone, radius=radius)
        plants.tufts(b, _at(shape, spot[0] - 0.3, spot[1] - 0.3), fern, spread=0.4, count=6, size=0.6, noun="fern")


def _fallen_trunk(b: SceneBuilder, shape: terrain.Relief) -> None:
    bark = Material("oak bark", tile_m=1.2, words="mossy bark")
    log = cylinder(0.3, 4.2, sides=14, top=0.22).tilted(about_z=87)
    b.add(
        "fallen trunk",
        [(log, bark)],
        at=(7.0, 0.28, 2.3),
        yaw=float(b.rng.uniform(-25, -8)),
        landmark=True,
    )
    for x in (-3.2, 9.7):
        stump = cylinder(0.34, 0.45, sides=14, top=0.28)
        b.add("tree stump", [(stump, bark)], at=_at(shape, x, 3.4))


def _far_trees(b: SceneBuilder, shape: terrain.Relief) -> None:
    """The forest around: on the bank, to both sides and behind."""
    needle, bark = plants.foliage(b, "needles"), Material("pine bark", tile_m=1.5)
    leaf = plants.foliage(b, "leaves", "autumn leaves")
    for x in np.arange(-14.0, 22.0, 2.6):
        place = _at(shape, float(x + b.rng.uniform(-0.8, 0.8)), 9.8 + float(b.rng.uniform(-0.8, 1.8)))
        plants.conifer(
            b,
            place,
            plants.TreeLook(bark, needle, 90),
            height=float(b.rng.uniform(7, 11)),
            spread=1.9,
            clear=0.6,
        )
    for _ in range(90):
        angle, reach = float(b.rng.uniform(-2.2, 2.2)), float(b.rng.uniform(14, 42))
        x, z = 3.5 + reach * np.sin(angle), 2.0 + 0.9 * reach * np.cos(angle)
        if b.rng.random() < 0.6:
            plants.conifer(
                b,
                _at(shape, x, z),
                plants.TreeLook(bark, needle, 44),
                height=float(b.rng.uniform(8, 14)),
                spread=2.6,
                clear=0.5,
            )
        else:
            plants.broadleaf(b, _at(shape, x, z), plants.TreeLook(bark, leaf, 56), height=9, crown=3.0, clear=2.2)
