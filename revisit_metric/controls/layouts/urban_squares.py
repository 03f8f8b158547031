"""Urban layouts of squares and markets. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box, cone, cylinder, lathe, merge
from revisit_metric.controls.parts import buildings, facades, kerbside, market, plants, street, vehicles, worksite
from revisit_metric.controls.parts.buildings import FacadeLook, Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.rustic import basket, hand_cart, turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

BRONZE = Material("steel", (0.2, 0.26, 0.2), gloss=0.6, words="bronze")


def old_town_square(b: SceneBuilder) -> str:
    """A cobbled square: an arcaded, half-timbered hall on the left, open ground with a fountain on the right."""
    b.light = daylight(b, "morning", "evening", "noon", "afternoon")
    paving = b.material("cobblestones", "paving slabs", "cobblestones", tile_m=1.5)
    street.ground(b, "square", paving, x=(-60, 70), z=(-40, 60))
    stone = b.material("ashlar stone", "rubble stone", "granite", tile_m=1.8)
    end = _hall(b, stone)
    _square_far(b, end)
    if b.rng.random() < 0.5:
        street.fountain(b, (8.3, 0, 5.6), stone, radius=1.7)
        kerbside.statue(b, (13.4, 0, 9.5), 20.0, stone, BRONZE)
    else:
        kerbside.statue(b, (8.0, 0, 6.2), -10.0, stone, BRONZE)
        street.fountain(b, (13.8, 0, 8.5), stone, radius=2.0)
    _square_things(b)
    return b.one_of("old town square with an arcaded hall", "cobbled market square with half-timbered houses")


def _hall(b: SceneBuilder, stone: Material) -> float:
    """The arcade, its upper floor of timber, gables on top; returns where it ends."""
    row, bay, count = Row((0.0, 5.35)), 2.05, 6
    wall = tinted("plaster", b.rng, among=("cream", "white", "ochre", "rose", "sand"), noun="render", tile_m=3.0)
    timber = _timber(b)
    frame = tinted("paint", b.rng, among=("white", "forest green", "brown"), noun="painted wood")
    look = FacadeLook(wall, timber, stone, frame)
    arch = FacadeLook(stone if b.rng.random() < 0.6 else wall, stone, wall, frame)
    start = 2.6 - count * bay - 2.05
    for i in range(count + 1):
        along = start + (i + 0.5) * bay
        facades.arcade_bay(b, row, along, arch, size=(bay, 3.1))
        facades.timber_bay(b, row, along, look, size=(bay, 2.5), up=3.1, jetty=0.25)
        _inside(b, along, wall, i)
    roof, wide = b.material("clay roof tiles", "slate", tile_m=2.6), bay * 3.5
    for k in range(2):
        facades.gable(b, row, (start + (k + 0.5) * wide, 5.6, 0.25), look, size=(wide, 3.2, 7.0), roof=roof)
    _hall_side(b, look, arch, bay)
    return 2.6


def _hall_side(b: SceneBuilder, look: FacadeLook, arch: FacadeLook, bay: float) -> None:
    """The right flank of the hall: one arch, then walled bays with windows, timber above."""
    row = Row((2.6, 5.35), -90.0)
    facades.arcade_bay(b, row, 1.25, arch, size=(2.4, 3.1), deep=0.1)
    for i in range(3):
        along = 2.45 + (i + 0.5) * bay
        buildings.window_bay(b, row, along, 0.0, arch, width=bay, height=3.1)
    for i in range(4):
        facades.timber_bay(b, row, (i + 0.5) * 2.15 - 0.2, look, size=(2.15, 2.5), up=3.1, jetty=0.0)
    for i in range(7):
        back = box(bay, 2.5, 0.3).at(x=2.6 - (i + 0.5) * bay, up=3.1, z=13.8)
        b.add("wall", [(back, look.wall)], joined=True)


def _inside(b: SceneBuilder, along: float, wall: Material, number: int) -> None:
    """The back wall of the walk behind the arcade: shop windows, doors, lamps."""
    inner = Row((0.0, 7.75))
    look = FacadeLook(wall, Material("oak", tile_m=1.0), Material("ashlar stone", tile_m=1.8), Material("paint"))
    if number % 3 == 1:
        buildings.door_bay(b, inner, along, look, width=2.05, height=3.1)
    else:
        buildings.shop_bay(b, inner, along, look, width=2.05, height=3.1)
    if number % 2:
        lamp = [
            (cylinder(0.012, 0.5).at(up=2.35), Material("black metal")),
            (cone(0.2, 0.16).at(up=2.22), Material("black metal")),
        ]
        b.add("hanging lamp", lamp, at=(along, 0, 6.8))


def _square_far(b: SceneBuilder, end: float) -> None:
    """A lane beside the hall, houses across the square and around it, a church."""
    walls = facades.far_walls(b)
    for i, z in enumerate((9.0, 15.5, 22.0)):
        facades.far_house(b, (end - 2.8, 0, z + 8.4), -90.0, walls[i], size=(6.2, float(b.rng.uniform(6, 9)), 5.0))
    far = Row((0.0, 25.0))
    along = 2.0
    while along < 44.0:
        bays, bay = int(b.rng.integers(2, 4)), float(b.rng.uniform(1.9, 2.4))
        size = buildings.HouseSize(bays, bay, int(b.rng.integers(1, 4)))
        along = buildings.house(b, far, along, size, buildings.random_look(b), shops=bool(b.rng.random() < 0.6))
    stone = Material("ashlar stone", tile_m=2.6)
    tower = [(box(6, 19, 6), stone), (box(6.6, 0.6, 6.6).at(up=19), stone)]
    tower.append(
        (
            cone(4.5, 12, sides=4 if b.rng.random() < 0.5 else 8).at(up=19.6, yaw=45),
            b.material("slate", "clay roof tiles", tile_m=2.6),
        )
    )
    b.add("church tower", tower, at=(float(b.rng.uniform(10, 19)), 0, 35.0), landmark=True)
    facades.town_around(b, left=-27, right=34, near=-20, far=44, step=8.2)


def _square_things(b: SceneBuilder) -> None:
    metal, wood = b.material("black metal", "rusty metal"), b.material("oak", "walnut", tile_m=1.0)
    cloth = tinted("linen", b.rng, among=("cream", "crimson", "forest green", "mustard", "navy"))
    for x, z in ((-3.3, 3.0), (-6.6, 3.4)):
        street.parasol(b, (x, 0, z), cloth, wood)
        _tables(b, (x, 0, z), metal, wood)
    for x in (float(b.rng.uniform(-2.4, 0.9)), 4.9, 11.4):
        street.street_lamp(b, (x, 0, 4.75), metal)
    for x in np.arange(-7.5, 4.0, 2.05):
        if b.rng.random() < 0.55:
            street.planter(b, (float(x) + 0.15, 0, 4.98), 0, length=0.8)
    middle = b.one_of("planter", "bollards", "bench")
    if middle == "bollards":
        for x, z in ((1.3, 1.5), (2.7, 1.5), (1.3, 2.8), (2.7, 2.8)):
            street.bollard(b, (x, 0, z), metal)
        street.planter(b, (2.0, 0, 2.15), float(b.rng.uniform(-20, 20)), length=0.9, height=0.4)
    elif middle == "bench":
        street.bench(b, (2.0, 0, 2.3), float(b.rng.uniform(-25, 25)), wood, metal)
        street.litter_bin(b, (3.0, 0, 2.4), metal)
    else:
        street.planter(b, (1.6, 0, 2.0), float(b.rng.uniform(-15, 15)), length=1.3, height=0.45)
        street.planter(b, (2.6, 0, 2.8), float(b.rng.uniform(-15, 15)), length=0.9, height=0.4)
    look = plants.TreeLook(Material("oak bark", tile_m=1.0), plants.foliage(b, "leaves", "autumn leaves"), 120)
    for x, z in ((5.6, 8.6), (17.0, 6.5), (22.0, 13.0), (9.0, 17.0)):
        plants.broadleaf(b, (x, 0, z), look, height=6.5, crown=2.0, clear=2.6)
    if b.rng.random() < 0.55:
        vehicles.bicycle(b, (float(b.rng.uniform(-1.2, 1.2)), 0, 4.95), 6.0)
    vehicles.bicycle(b, (5.7, 0, 4.9), float(b.rng.uniform(-30, 30)))
    street.barrel(b, (-8.9, 0, 4.2), wood, metal)


def _tables(b: SceneBuilder, at: tuple[float, float, float], metal: Material, wood: Material) -> None:
    for dx, dz in ((-0.9, 0.1), (0.85, -0.15)):
        spot = (at[0] + dx, 0.0, at[2] + dz)
        street.cafe_table(b, spot, metal, wood)
        start = float(b.rng.uniform(0, 360))
        for turn in (0.0, 150.0):
            a = np.radians(start + turn)
            place = (spot[0] + 0.6 * float(np.sin(a)), 0.0, spot[2] + 0.6 * float(np.cos(a)))
            street.cafe_chair(b, place, start + turn, metal, wood)


def _timber(b: SceneBuilder) -> Material:
    """Weathered beams: dark brown, tarred, oxblood or grey."""
    kind = b.one_of("dark", "black", "oxblood", "grey", "oak")
    tints = {"dark": (0.55, 0.5, 0.48), "black": (0.2, 0.2, 0.2), "oxblood": (0.7, 0.3, 0.25), "oak": (0.9, 0.85, 0.8)}
    return Material(
        "grey planks" if kind == "grey" else "walnut", tints.get(kind, (0.6, 0.6, 0.6)), 1.4, words="timber"
    )


def street_market(b: SceneBuilder) -> str:
    """Rows of stalls with awnings, crates and flower buckets in front of old houses; bunting overhead."""
    b.light = daylight(b, "morning", "afternoon", "bright cloud")
    ground = b.material("paving slabs", "cobblestones", "brick paving", "asphalt", tile_m=1.7)
    street.ground(b, "market place", ground, x=(-60, 70), z=(-40, 60))
    wood = b.material("pine", "oak", tile_m=1.2)
    _stall_row(b, wood)
    _wares(b, wood)
    _market_houses(b)
    metal = Material("black metal")
    posts = ((-6.6, 4.35), (-1.15, 4.5), (5.05, 4.5), (10.6, 4.35))
    for x, z in posts:
        b.add(
            "pole",
            [(lathe([(0.12, 0.0), (0.1, 0.12), (0.045, 0.2), (0.04, 3.7), (0.0, 3.75)], sides=10), metal)],
            at=(x, 0, z),
        )
    flags = bool(b.rng.random() < 0.6)
    for (x0, z0), (x1, z1) in pairwise(posts):
        kerbside.string_lights(b, (x0, 3.65, z0), (x1, 3.65, z1), sag=0.35, flags=flags)
    return b.one_of("open-air market with stalls on a town square", "street market in front of old houses")


def _stall_row(b: SceneBuilder, wood: Material) -> None:
    x = -9.4
    while x < 17.0:
        cloth = b.material("striped cloth", tile_m=float(b.rng.uniform(0.9, 1.6)))
        if b.rng.random() < 0.45:
            cloth = tinted(
                "linen", b.rng, among=("cream", "crimson", "forest green", "mustard", "navy", "teal"), noun="canvas"
            )
        place, yaw = (x, 0.0, 5.45 + float(b.rng.uniform(0, 0.25))), float(b.rng.uniform(-4, 4))
        market.stall(b, place, yaw, wood, cloth)
        _beside(b, place, yaw)
        x += float(b.rng.uniform(2.5, 3.1))
    for x, z, yaw in ((-3.7, 2.5, -38.0), (8.9, 2.4, 30.0)):
        market.stall(b, (x, 0.0, z), yaw + float(b.rng.uniform(-8, 8)), wood, b.material("striped cloth", tile_m=1.2))


def _beside(b: SceneBuilder, at: tuple[float, float, float], yaw: float) -> None:
    """What stands in front of a stall."""
    for dx in (-0.75, 0.55):
        if b.rng.random() < 0.6:
            place = turned(at, yaw, dx, -0.95)
            if b.rng.random() < 0.5:
                market.flower_bucket(b, place)
            else:
                worksite.crate(b, place, yaw + float(b.rng.uniform(-15, 15)), size=0.42)


def _wares(b: SceneBuilder, wood: Material) -> None:
    """Low displays inside the square of the path and beside the first steps."""
    steps = merge([box(1.5, 0.22, 1.2), box(1.5, 0.22, 0.8).at(up=0.22, z=0.2), box(1.5, 0.22, 0.4).at(up=0.44, z=0.4)])
    yaw = float(b.rng.uniform(-20, 20))
    cloth = tinted("linen", b.rng, among=("cream", "crimson", "forest green", "mustard", "navy", "teal"), noun="canvas")
    street.parasol(b, (2.0, 0, 2.0), cloth, wood)
    b.add("display steps", [(steps, wood)], at=(2.0, 0, 2.0), yaw=yaw)
    for level, z in ((0, -0.4), (1, 0.0)):
        for dx in (-0.5, 0.0, 0.5):
            place = turned((2.0, 0.22 * (level + 1), 2.0), yaw, dx, z)
            if b.rng.random() < 0.5:
                basket(b, place, tinted("paint", b.rng, noun="fruit", among=("crimson", "mustard", "ochre", "plum")))
            else:
                plants.tufts(
                    b,
                    place,
                    Material(b.one_of("flowers", "poppies", "buttercups"), variant=int(b.rng.integers(3))),
                    spread=0.12,
                    count=6,
                    size=0.35,
                    noun="flowers",
                )
    left = b.one_of("cart", "sacks", "barrels", "cart")
    if left == "cart":
        hand_cart(
            b, (-1.8, 0, float(b.rng.uniform(3.4, 3.9))), float(b.rng.uniform(60, 150)), wood, Material("black metal")
        )
    elif left == "sacks":
        worksite.loaded_pallet(b, (-1.9, 0, 3.6), float(b.rng.uniform(-20, 20)))
        worksite.crate(b, (-1.5, 0, 2.6), float(b.rng.uniform(-20, 20)), size=0.55)
    else:
        for x, z in ((-1.3, 3.5), (-2.0, 3.8), (-1.5, 2.7)):
            street.barrel(b, (x, 0, z), Material("oak", tile_m=1.0), Material("black metal"))
    vehicles.boxes_on(b, (6.3, 0, 4.4), 0.0, count=3)
    for x in (-6.4, 5.4, 7.4):
        street.barrel(b, (x, 0, float(b.rng.uniform(3.5, 4.0))), Material("oak", tile_m=1.0), Material("black metal"))
    for x, z in ((-7.4, 2.4), (-5.7, 1.6), (11.3, 1.8)):
        worksite.stacked(b, (x, 0, z), float(b.rng.uniform(-20, 20)), count=2)


def _market_houses(b: SceneBuilder) -> None:
    """Tall narrow houses with gables behind the stalls, more of them around."""
    row = Row((0.0, 7.9))
    along = -21.0
    while along < 32.0:
        bays, bay = 2, float(b.rng.uniform(1.75, 2.1))
        look, storeys = buildings.random_look(b), int(b.rng.integers(1, 3))
        if b.rng.random() < 0.4:
            along = _timbered(b, row, along, bay, storeys)
        else:
            along = buildings.house(
                b, row, along, buildings.HouseSize(bays, bay, storeys), look, shops=bool(b.rng.random() < 0.5)
            )
        if b.rng.random() < 0.2:
            along += 2.0
    facades.town_around(b, left=-34, right=44, near=-20, far=34, step=9.0)
    stone = Material("ashlar stone", tile_m=2.4)
    dome = [(box(7, 13, 7), stone), (cylinder(3.0, 3.0, sides=16).at(up=13), stone)]
    dome.append(
        (
            lathe([(3.2, 16.0), (2.9, 17.6), (2.0, 19.0), (0.6, 19.8), (0.0, 21.5)], sides=16),
            Material("steel", (0.3, 0.52, 0.44), words="copper"),
        )
    )
    b.add("domed tower", dome, at=(float(b.rng.uniform(12, 18)), 0, 26.0), landmark=True)


def _timbered(b: SceneBuilder, row: Row, along: float, bay: float, storeys: int) -> float:
    """A half-timbered house of two bays with a gable; each storey juts out a little farther."""
    wall = tinted("plaster", b.rng, among=("white", "cream", "sand", "rose", "ochre"), noun="render", tile_m=3.0)
    timber = _timber(b)
    frame = tinted("paint", b.rng, among=("white", "crimson", "forest green"), noun="painted wood")
    look = FacadeLook(wall, timber, Material("rubble stone", tile_m=2.0), frame)
    for i in range(2):
        middle = along + (i + 0.5) * bay
        make = buildings.shop_bay if i else buildings.door_bay
        make(b, row, middle, look, width=bay, height=3.0)
        for s in range(storeys):
            facades.timber_bay(b, row, middle, look, size=(bay, 2.5), up=3.0 + 2.5 * s, jetty=0.18 * (s + 1))
    up = 3.0 + 2.5 * storeys
    facades.gable(
        b,
        row,
        (along + bay, up, 0.18 * storeys),
        look,
        size=(2 * bay, 2.8, 6.0),
        roof=b.material("clay roof tiles", "slate", tile_m=2.6),
    )
    body = box(2 * bay, up, 5.0, without=("top", "bottom")).at(z=2.85)
    b.add("building", [(body, wall)], at=row.at(along + bay), yaw=row.yaw, joined=True)
    return along + 2 * bay
