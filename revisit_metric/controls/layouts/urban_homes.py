"""Urban layouts where people live and play. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box, cylinder, lathe
from revisit_metric.controls.parts import buildings, facades, homes, kerbside, placing, plants, play, street, vehicles
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def residential_street(b: SceneBuilder) -> str:
    """A quiet street of cottages with front gardens: fences, hedges, parked cars, dustbins, garages between."""
    b.light = daylight(b, "morning", "afternoon", "noon")
    street.ground(b, "street", b.material("asphalt", "asphalt", "brick paving", tile_m=2.2), x=(-80, 90), z=(-3.6, 3.3))
    walk = b.material("paving slabs", "brick paving", "concrete", tile_m=1.8)
    street.ground(b, "pavement", walk, x=(-80, 90), z=(3.3, 4.75), up=0.1)
    lawn = Material("grass", (0.85, 0.9, 0.8), 2.4, variant=int(b.rng.integers(3)))
    street.ground(b, "lawn", lawn, x=(-80, 90), z=(4.75, 60), up=0.08)
    street.ground(b, "lawn", lawn, x=(-80, 90), z=(-60, -3.6), up=0.05)
    street.kerb(b, b.material("granite", "concrete", tile_m=2.0), x=(-40, 50), z=3.38)
    gaps = _cottages(b)
    _boundary(b, gaps)
    _street_things(b)
    _over_the_road(b)
    return b.one_of("residential street of gabled houses with front gardens", "suburban lane with cottages and hedges")


def _cottages(b: SceneBuilder) -> list[float]:
    """Houses on the far side; returns the middles of the drives between them."""
    row, gaps = buildings.Row((0.0, 5.55)), []
    along = float(b.rng.uniform(-25.5, -24.0))
    while along < 34.0:
        bays, bay = int(b.rng.integers(2, 4)), float(b.rng.uniform(1.7, 1.9))
        storeys = 1 if b.rng.random() < 0.55 else 2
        along = homes.cottage(b, row, along, buildings.random_look(b), bays=bays, bay_m=bay, storeys=storeys)
        gap = float(b.rng.uniform(2.9, 3.5))
        middle = along + gap / 2
        gaps.append(middle)
        kind = b.one_of("garage", "shed", "hedge", "garage")
        if kind == "garage":
            homes.garage(b, buildings.Row((0.0, 8.6)), middle, b.material("red brick", "brick", "concrete", tile_m=1.4))
        elif kind == "shed":
            homes.shed(b, buildings.Row((0.0, 9.6)), middle)
        drive = Material("gravel", tile_m=1.5) if kind != "hedge" else b.material("paving slabs", tile_m=1.4)
        for i in range(3):
            b.add("drive", [(box(gap - 0.3, 0.03, 2.1), drive)], at=(middle, 0.09, 4.75 + 1.05 + 2.1 * i), joined=True)
        along += gap
    hedge = b.material("hedge", tile_m=1.4)
    for x in np.arange(-26.0, 36.0, 2.0):
        b.add("hedge", [(box(2.0, 2.1, 0.7), hedge)], at=(float(x), 0.05, 17.5), joined=True)
    return gaps


def _boundary(b: SceneBuilder, gaps: list[float]) -> None:
    """A fence, hedge or wall between pavement and gardens, different from house to house."""
    wood = tinted("worn paint", b.rng, among=("white", "white", "brown", "forest green"), noun="painted wood")
    stone, metal = b.material("red brick", "rubble stone", "white brick", tile_m=1.3), b.material("black metal")
    leaf = Material("hedge", (0.8, 0.85, 0.75), 1.2, variant=int(b.rng.integers(3)))
    edges = [-25.0, *gaps, 36.0]
    for left, right in pairwise(edges):
        kind, x0, x1 = b.one_of("fence", "hedge", "wall", "iron"), left + 1.35, right - 1.35
        if kind == "fence":
            kerbside.picket_fence(b, x=(x0, x1 - 1.0), z=4.85, wood=wood)
        elif kind == "hedge":
            kerbside.hedge(b, x=(x0, x1 - 0.9), z=4.95, height=float(b.rng.uniform(0.75, 1.05)), leaf=leaf, deep=0.4)
        elif kind == "iron":
            kerbside.iron_fence(b, x=(x0, x1 - 1.2), z=4.95, metal=metal, stone=stone, height=1.15)
        else:
            for x in np.arange(x0, x1 - 0.8, 1.5):
                piece = [(box(1.5, 0.6, 0.24), stone), (box(1.5, 0.07, 0.32).at(up=0.6), Material("concrete"))]
                b.add("garden wall", piece, at=(float(x) + 0.75, 0.08, 4.95), joined=True)
        homes.front_garden(b, x=(x0, x1), z=(5.0, 5.75))


def _street_things(b: SceneBuilder) -> None:
    vehicles.car(b, (-4.6 + float(b.rng.uniform(-0.3, 0.3)), 0, 2.35), 0, landmark=True)
    vehicles.car(b, (-10.2 + float(b.rng.uniform(-0.4, 0.4)), 0, 2.35), 0)
    vehicles.car(
        b, (10.4 + float(b.rng.uniform(-0.4, 0.4)), 0, 2.35), 180.0, kind=b.one_of("van", "estate car", "hatchback")
    )
    vehicles.car(b, (16.6, 0, 2.4), 0)
    look = plants.TreeLook(
        b.material("oak bark", "birch bark", tile_m=1.0), plants.foliage(b, "leaves", "autumn leaves"), 120
    )
    for x in (-7.2, 8.2, 13.9):
        plants.broadleaf(b, (x + float(b.rng.uniform(-0.3, 0.3)), 0.1, 4.3), look, height=6.0, crown=1.5, clear=2.9)
    metal = Material("black metal")
    for x in (-3.4, 1.7, 6.9):
        kind = b.one_of("bin", "letter box", "hydrant", "bins", "bicycle")
        place = (x + float(b.rng.uniform(-0.3, 0.3)), 0.1, 4.6)
        if kind == "bin":
            kerbside.wheelie_bin(b, place, float(b.rng.uniform(-12, 12)))
        elif kind == "bins":
            kerbside.wheelie_bin(b, place, float(b.rng.uniform(-12, 12)))
            kerbside.wheelie_bin(b, (place[0] + 0.7, 0.1, 4.6), float(b.rng.uniform(-12, 12)))
        elif kind == "letter box" and not -0.6 < x < 4.6:
            kerbside.letter_box(b, place, 0.0)
        elif kind == "hydrant":
            kerbside.hydrant(b, place)
        else:
            vehicles.bicycle(b, (place[0], 0.1, 4.62), 0.0)
    _island(b, look, b.material("granite", "concrete", tile_m=1.6))
    kerbside.modern_lamp(b, (-1.9, 0.1, 4.55), 90.0, metal, height=6.0)
    kerbside.modern_lamp(b, (15.6, 0.1, 4.5), 90.0, metal, height=6.0)


def _island(b: SceneBuilder, look: plants.TreeLook, stone: Material) -> None:
    """A kerbed island in the road with a tree and low plants."""
    x, z = 2.0 + float(b.rng.uniform(-0.12, 0.12)), 2.05 + float(b.rng.uniform(-0.1, 0.1))
    rim = lathe([(0.82, 0.0), (0.82, 0.16), (0.68, 0.16), (0.68, 0.1), (0.0, 0.1)], sides=24)
    b.add("kerb", [(rim, stone)], at=(x, 0, z))
    b.add("flower bed", [(cylinder(0.67, 0.14, sides=20), Material("soil", tile_m=1.2))], at=(x, 0, z))
    plants.broadleaf(b, (x, 0.1, z), look, height=5.6, crown=1.12, clear=2.2)
    for i in range(5):
        a = 1.256 * i + float(b.rng.uniform(0, 0.5))
        place = (x + 0.45 * float(np.cos(a)), 0.12, z + 0.45 * float(np.sin(a)))
        bloom = Material(b.one_of("flowers", "buttercups", "grass tuft", "fern"), variant=int(b.rng.integers(3)))
        plants.tufts(b, place, bloom, spread=0.16, count=6, size=0.42, noun="flowers")


def _over_the_road(b: SceneBuilder) -> None:
    """Hedges and houses behind the camera and at the ends of the street."""
    leaf = b.material("hedge", tile_m=1.3)
    for x in np.arange(-40.0, 48.0, 2.4):
        b.add("hedge", [(box(2.4, 1.5, 0.7), leaf)], at=(float(x), 0, -5.4), joined=True)
    look = plants.TreeLook(Material("oak bark", tile_m=1.0), plants.foliage(b, "leaves"), 60)
    for x in placing.along(b.rng, -34, 46, 8.0, sway=2.0):
        plants.broadleaf(b, (x, 0, -7.5), look, height=7.0, crown=2.4, clear=2.0)
    for x in (-26.0, 37.0):
        vehicles.car(b, (x, 0, -1.6), 180.0)
    facades.town_around(b, left=-58, right=68, near=-15, far=26, step=10.0)


def park_playground(b: SceneBuilder) -> str:
    """A playground at the edge of a park, in front of an iron fence, trees and blocks of flats."""
    b.light = daylight(b, "morning", "afternoon", "bright cloud", "noon")
    grass = Material("grass", (0.9, 0.95, 0.85), 2.6, variant=int(b.rng.integers(3)))
    pit = b.material("sand", "gravel", tile_m=2.0)
    rubber = tinted("concrete", b.rng, among=("terracotta", "sage green", "sand", "rust red"), noun="rubber ground")
    street.ground(
        b, "path", b.material("gravel", "paving slabs", "brick paving", tile_m=1.8), x=(-80, 90), z=(-2.6, 1.35)
    )
    street.ground(
        b,
        "play area",
        Material(pit.texture, (0.8, 0.77, 0.74), 2.2, variant=pit.variant) if b.rng.random() < 0.45 else rubber,
        x=(-9.0, 16.5),
        z=(1.35, 6.5),
    )
    for x in ((-80, -9.0), (16.5, 90)):
        street.ground(b, "grass", grass, x=x, z=(1.35, 6.5))
    street.ground(b, "grass", grass, x=(-80, 90), z=(6.5, 70))
    street.ground(b, "grass", grass, x=(-80, 90), z=(-60, -2.6))
    _play(b)
    _park_edge(b)
    _park_trees(b)
    return b.one_of("playground at the edge of a city park", "neighbourhood playground in front of blocks of flats")


def _play(b: SceneBuilder) -> None:
    """Equipment: what is large stands left, where it leaves the view."""
    tower, swing = (-3.9, -7.2) if b.rng.random() < 0.5 else (-5.4, -1.2)
    mirrored = tower == -5.4
    play.play_tower(b, (tower, 0, 4.5), 180.0 if mirrored else 0.0)
    if mirrored:
        play.swings(b, (swing + 0.3, 0, 5.9), float(b.rng.uniform(-6, 6)))
    else:
        play.swings(b, (swing - 0.6, 0, 5.2), float(b.rng.uniform(-8, 8)))
        play.spring_rider(b, (0.3, 0, 5.3), float(b.rng.uniform(-60, 60)))
    play.playhouse(b, (2.05, 0, 2.15), float(b.rng.uniform(-25, 25)))
    play.seesaw(b, (6.4, 0, 3.0), float(b.rng.uniform(-35, 35)))
    play.sandpit(b, (-2.6, 0, 2.1), size=1.9) if not mirrored else play.spring_rider(b, (-2.2, 0, 2.3), 30.0)
    for x, z in ((2.5, 5.6), (-1.9 if not mirrored else -3.4, 3.6)):
        play.spring_rider(b, (x + float(b.rng.uniform(-0.2, 0.2)), 0, z), float(b.rng.uniform(-70, 70)))
    play.stepping_posts(b, (3.4, 0, 5.2), count=4)
    if b.rng.random() < 0.5:
        play.climbing_dome(b, (8.3, 0, 4.9))
        play.swings(b, (13.4, 0, 5.2), 5.0)
    else:
        play.swings(b, (8.6, 0, 5.0), -8.0, seats=3)
        play.climbing_dome(b, (13.4, 0, 5.2))
    play.sandpit(b, (10.6, 0, 2.0), size=2.2)


def _park_edge(b: SceneBuilder) -> None:
    metal, stone = b.material("black metal"), b.material("red brick", "granite", "ashlar stone", tile_m=1.4)
    wood = b.material("oak", "walnut", tile_m=1.0)
    for x in (-6.4, 0.9, 6.3, 11.4):
        street.bench(b, (x + float(b.rng.uniform(-0.3, 0.3)), 0, 6.0), 0, wood, metal)
    for x in (-0.7, 4.6):
        street.litter_bin(b, (x, 0, 6.05), metal)
    leaf = Material("hedge", (0.8, 0.85, 0.75), 1.3, variant=int(b.rng.integers(3)))
    if b.rng.random() < 0.55:
        kerbside.iron_fence(b, x=(-24, 34), z=6.75, metal=metal, stone=stone, height=1.9)
    else:
        kerbside.hedge(b, x=(-24, 34), z=6.85, height=1.85, leaf=leaf)
    shrub = plants.foliage(b, "leaves", "broad leaves")
    for x in placing.along(b.rng, -9.5, 16.0, 1.5):
        if b.rng.random() < 0.75:
            plants.bush(b, (x, 0, 7.6), shrub, size=(0.8, float(b.rng.uniform(0.6, 1.15)), 0.6), cards_n=36)
    street.ground(b, "street", Material("asphalt", tile_m=2.2), x=(-60, 70), z=(10.2, 15.0), up=0.02)
    for x in placing.along(b.rng, -16, 26, 6.4, sway=0.6):
        if b.rng.random() < 0.8:
            vehicles.car(
                b, (x, 0.02, 11.4), 180.0 if b.rng.random() < 0.5 else 0.0, kind=b.one_of("van", "saloon", "hatchback")
            )


def _park_trees(b: SceneBuilder) -> None:
    bark = b.material("oak bark", "birch bark", "pine bark", tile_m=1.1)
    leaf = plants.foliage(b, "leaves", "autumn leaves", "leaves")
    near = plants.TreeLook(bark, leaf, 130)
    for x, z in ((-2.3, 5.6), (-6.1, 6.0), (-8.6, 3.3), (8.8, 5.9), (12.6, 6.0)):
        place = (x + float(b.rng.uniform(-0.25, 0.25)), 0, z)
        plants.broadleaf(b, place, near, height=float(b.rng.uniform(6, 7.5)), crown=1.7, clear=2.6)
    far = plants.TreeLook(bark, leaf, 60)
    for x in placing.along(b.rng, -26, 36, 5.5, sway=1.2):
        plants.broadleaf(b, (x, 0, 16.4), far, height=float(b.rng.uniform(6.5, 9)), crown=2.5, clear=2.4)
    for x in placing.along(b.rng, -44, 54, 7.0, sway=2.0):
        plants.broadleaf(b, (x, 0, float(b.rng.uniform(-16, -6))), far, height=8.5, crown=2.8, clear=2.2)
    for z in placing.along(b.rng, -6, 16, 5.5, sway=1.0):
        for x in (-22.0, 32.0):
            plants.broadleaf(b, (x + float(b.rng.uniform(-3, 3)), 0, z), far, height=8.0, crown=2.7, clear=2.2)
    for x in placing.along(b.rng, -44, 54, 15.0, sway=1.5):
        height = float(b.rng.uniform(12, 25))
        facades.far_block(b, (x, 0, 38.0), 0, size=(float(b.rng.uniform(11, 14)), height, 11.0))
    facades.town_around(b, left=-60, right=70, near=-34, far=56, step=10.0)
