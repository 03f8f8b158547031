"""Urban layouts of traffic: filling station and bus stop. See `revisit_metric.controls.layouts`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, cylinder, lathe, merge
from revisit_metric.controls.parts import (
    buildings,
    facades,
    homes,
    kerbside,
    placing,
    plants,
    street,
    vehicles,
    worksite,
)
from revisit_metric.controls.parts.buildings import Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.forms import arc, tube
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def petrol_station(b: SceneBuilder) -> str:
    """A filling station: pumps under a flat canopy, a glazed shop behind, cars, a price pylon, an air pump."""
    b.light = daylight(b, "noon", "afternoon", "bright cloud", "evening")
    street.ground(
        b, "forecourt", b.material("concrete", "brick paving", "asphalt", tile_m=2.2), x=(-80, 90), z=(-3.8, 14)
    )
    street.ground(b, "street", Material("asphalt", (0.8, 0.8, 0.8), 2.2), x=(-80, 90), z=(-11.5, -3.8), up=-0.02)
    street.ground(b, "grass", Material("grass", (0.85, 0.9, 0.8), 2.6), x=(-80, 90), z=(14, 70), up=-0.02)
    street.ground(b, "grass", Material("grass", (0.85, 0.9, 0.8), 2.6), x=(-80, 90), z=(-60, -11.5), up=-0.02)
    brand = tinted(
        "paint", b.rng, among=("crimson", "navy", "forest green", "teal", "mustard", "terracotta"), noun="painted metal"
    )
    second = tinted("paint", b.rng, among=("white", "mustard", "light grey", "cream"), noun="painted metal")
    _forecourt_canopy(b, brand, second)
    _pumps(b, brand)
    _shop(b, brand)
    _forecourt_things(b, brand, second)
    look = plants.TreeLook(Material("oak bark", tile_m=1.1), plants.foliage(b, "leaves", "autumn leaves"), 60)
    for x in placing.along(b.rng, -40, 50, 6.5, sway=2.0):
        plants.broadleaf(
            b, (x, 0, float(b.rng.uniform(16, 20))), look, height=float(b.rng.uniform(6, 9)), crown=2.6, clear=2.0
        )
        if b.rng.random() < 0.6:
            plants.broadleaf(b, (x, 0, -14.5), look, height=8.0, crown=2.7, clear=2.2)
    for x, yaw in ((-30.0, 0.0), (33.0, 180.0), (-16.0, 0.0)):
        vehicles.car(b, (x, 0, -6.2), yaw)
    for x in (-24.0, 0.0, 24.0):
        kerbside.modern_lamp(b, (x, 0, -12.4), 90.0, Material("steel"), height=7.0)
    facades.town_around(b, left=-60, right=70, near=-30, far=50, step=10.0)
    return b.one_of("filling station with pumps under a canopy", "petrol station beside a road")


def _forecourt_canopy(b: SceneBuilder, brand: Material, second: Material) -> None:
    """A flat roof on square columns with a banded edge and light panels."""
    soffit, x0, x1, z0, z1, up = Material("paint", tile_m=3.0, words="white panels"), -9.6, 10.4, 3.6, 8.0, 4.0
    columns = np.linspace(x0, x1, 11)
    for a, c in pairwise(columns.tolist()):
        for near, far in ((z0, (z0 + z1) / 2), ((z0 + z1) / 2, z1)):
            panel: list[Shape] = [(box(float(c - a), 0.4, far - near), soffit)]
            panel.append(
                (box(0.5, 0.03, 0.9).at(up=-0.03), Material("paint", (1, 0.98, 0.92), emit=0.9, words="light panel"))
            )
            b.add("canopy", panel, at=(float(a + c) / 2, up, (near + far) / 2), joined=True)
        for z in (z0 - 0.05, z1 + 0.05):
            bands: list[Shape] = [
                (box(float(c - a), 0.36, 0.1).at(up=0.34), brand),
                (box(float(c - a), 0.24, 0.1).at(up=0.1), second),
                (box(float(c - a), 0.12, 0.1).at(up=-0.02), brand),
            ]
            b.add("canopy edge", bands, at=(float(a + c) / 2, up, z), joined=True)
    for x in (x0, x1):
        b.add("canopy edge", [(box(0.1, 0.7, z1 - z0), brand)], at=(x, up, (z0 + z1) / 2))
    shift = float(b.rng.uniform(-1.3, 1.0))
    for x in (-7.0 + shift, -1.9 + shift, 6.2 + shift, 9.6):
        b.add("column", [(box(0.36, up, 0.36), second), (box(0.42, 0.9, 0.42), brand)], at=(x, 0, 5.3))


def _pumps(b: SceneBuilder, brand: Material) -> None:
    """Kerbed islands with pumps, bollards, bins and buckets."""
    kerb = Material("concrete", tile_m=1.6)
    shift = float(b.rng.uniform(-1.0, 0.9))
    for x in (-4.6 + shift, 0.7 + shift, 8.0 + 0.5 * shift):
        island = [box(3.0, 0.16, 1.0)] + [cylinder(0.5, 0.16, sides=16).at(x=s * 1.5) for s in (-1, 1)]
        b.add("kerb", [(merge(island), kerb)], at=(x, 0, 5.3))
        for dx in (-1.0, 0.75):
            kerbside.fuel_pump(b, (x + dx, 0.16, 5.3), 0.0, brand)
        street.bollard(b, (x - 1.75, 0.16, 5.3), Material("paint", (0.85, 0.6, 0.05), words="yellow post"))
        street.bollard(b, (x + 1.75, 0.16, 5.3), Material("paint", (0.85, 0.6, 0.05), words="yellow post"))
        kind = b.one_of("bin", "bucket", "rack")
        if kind == "bin":
            street.litter_bin(b, (x - 0.12, 0.16, 5.25), Material("steel"))
        elif kind == "bucket":
            b.add(
                "bucket",
                [
                    (
                        lathe([(0.0, 0.0), (0.12, 0.0), (0.16, 0.3), (0.14, 0.3), (0.1, 0.03)], sides=12),
                        tinted("paint", b.rng, noun="plastic"),
                    )
                ],
                at=(x - 0.12, 0.16, 5.2),
                movable=True,
            )
        else:
            rack = [box(0.5, 0.03, 0.36).at(up=u) for u in (0.1, 0.5, 0.9)] + [
                box(0.03, 1.1, 0.03).at(x=sx * 0.24, z=sz * 0.16) for sx in (-1, 1) for sz in (-1, 1)
            ]
            cans = [
                cylinder(0.07, 0.2, sides=10).at(x=-0.16 + 0.16 * k, up=u + 0.03, z=-0.06)
                for k in range(3)
                for u in (0.1, 0.5)
            ]
            b.add(
                "oil rack",
                [(merge(rack), Material("steel")), (merge(cans), tinted("paint", b.rng, noun="oil can"))],
                at=(x - 0.12, 0.16, 5.3),
            )


def _shop(b: SceneBuilder, brand: Material) -> None:
    """The glazed shop behind the pumps, wash bays to the right of it."""
    row, frame, bay = Row((0.0, 9.4)), b.material("steel", "black metal", tile_m=1.5), 1.9
    for i in range(-5, 3):
        facades.office_bay(b, row, (i + 0.5) * bay, frame, size=(bay, 3.0), up=0.0, lit=bool(b.rng.random() < 0.7))
        b.add(
            "fascia",
            [(box(bay, 0.7, 0.5).at(up=3.0), brand), (box(bay, 0.1, 0.7).at(up=2.95, z=-0.1), frame)],
            at=row.at((i + 0.5) * bay),
            joined=True,
        )
    wall = b.material("brick", "white brick", "concrete", "grey planks", tile_m=1.5)
    b.add("building", [(box(8 * bay, 3.6, 5.0, without=("front",)), wall)], at=(-bay, 0, 12.2))
    for i in range(2):
        along = 3 * bay + 2.0 + 3.6 * i
        facades.shutter_bay(b, Row((0.0, 9.2)), along, wall, size=(3.6, 3.6), raised=0.9 if i else 0.0)
    b.add("building", [(box(7.2, 3.6, 5.0, without=("front",)), wall)], at=(3 * bay + 3.8, 0, 12.1))
    for x, kind in ((-6.2, "stack"), (-3.0, "vending"), (-0.2, "logs"), (2.4, "vending"), (4.4, "stack")):
        if kind == "vending":
            kerbside.vending_machine(b, (x, 0, 8.8), 0.0)
        elif kind == "stack":
            worksite.stacked(b, (x, 0, 8.8), 0.0, count=3)
        else:
            street.planter(b, (x, 0, 8.7), 0.0)


def _forecourt_things(b: SceneBuilder, brand: Material, second: Material) -> None:
    vehicles.car(
        b, (-4.9 + float(b.rng.uniform(-0.3, 0.3)), 0, 3.35), 0.0 if b.rng.random() < 0.5 else 180.0, landmark=True
    )
    vehicles.car(b, (-0.9, 0, 7.1), 180.0, kind=b.one_of("hatchback", "van", "saloon"))
    vehicles.car(b, (9.8, 0, 3.2), 0.0, kind=b.one_of("estate car", "van"))
    vehicles.car(b, (14.5, 0, 7.6), float(b.rng.uniform(70, 110)))
    vehicles.car(b, (-11.5, 0, 7.0), float(b.rng.uniform(60, 120)))
    middle = b.one_of("pylon", "column", "tyres", "pylon")
    if middle == "pylon":
        _pylon(b, (2.0, 0, 2.15), brand, second)
    elif middle == "column":
        kerbside.advertising_column(b, (2.05, 0, 2.2))
    else:
        kerbside.vending_machine(b, (1.8, 0, 2.5), float(b.rng.uniform(-20, 20)))
        _tyres(b, (2.6, 0, 1.9), 5)
    spots = placing.slots(b.rng, -2.5, -1.4, 5.4)
    air: list[Shape] = [
        (box(0.5, 1.3, 0.4), second),
        (box(0.3, 0.3, 0.02, metric=False).at(up=0.85, z=-0.21), Material("screen")),
    ]
    air.append((tube(arc((0.3, 0.8, -0.1), 0.3, 90, -90, steps=6), 0.02), vehicles.RUBBER))
    b.add("air pump", air, at=(spots[0], 0, 3.3), yaw=float(b.rng.uniform(-15, 15)), movable=True)
    _tyres(b, (spots[1], 0, 2.7), 4)
    vehicles.oil_drum(b, (spots[2], 0, 3.9))
    for x in (-7.8, 12.4, 6.2):
        worksite.traffic_cone(b, (x, 0, float(b.rng.uniform(2.0, 3.4))))
    street.planter(b, (-8.8, 0, 2.2), 20.0, length=1.4)
    homes.shed(b, Row((0.0, 10.4)), -14.0)


def _tyres(b: SceneBuilder, at: tuple[float, float, float], count: int) -> None:
    """A stack of tyres."""
    for k in range(count):
        tyre = lathe([(0.19, 0.0), (0.3, 0.02), (0.32, 0.1), (0.3, 0.19), (0.19, 0.2), (0.19, 0.0)], sides=18)
        b.add("tyre", [(tyre, vehicles.RUBBER)], at=(at[0], 0.2 * k, at[2]), movable=k == count - 1)


def _pylon(b: SceneBuilder, at: tuple[float, float, float], brand: Material, second: Material) -> None:
    """A price pylon without figures: coloured fields on two posts in a bed of flowers."""
    posts = [box(0.12, 3.4, 0.12).at(x=s * 0.55) for s in (-1, 1)]
    shapes: list[Shape] = [
        (merge(posts), Material("steel")),
        (box(1.2, 0.75, 0.16).at(up=2.55), brand),
        (box(1.2, 1.35, 0.14).at(up=1.15), second),
    ]
    shapes += [(box(1.0, 0.26, 0.02).at(up=1.22 + 0.42 * i, z=-0.08), Material("black metal")) for i in range(3)]
    shapes += [(cylinder(0.24, 0.03, sides=22).tilted(about_x=-90).at(up=2.92, z=-0.08), second)]
    b.add("pylon", shapes, at=at, yaw=float(b.rng.uniform(-20, 20)), landmark=True)
    street.planter(b, (at[0], 0, at[2] - 0.15), 0.0, length=1.5, height=0.3)


def avenue_bus_stop(b: SceneBuilder) -> str:
    """A bus stop on a city avenue: shelter, plane trees, kiosk, cycle stands, glass fronts, towers beyond."""
    b.light = daylight(b, "morning", "afternoon", "bright cloud", "evening", "noon")
    road = Material("asphalt", (0.9, 0.9, 0.9), 2.2, variant=int(b.rng.integers(3)))
    street.ground(b, "street", road, x=(-80, 90), z=(-12.0, -1.15), up=-0.12)
    walk = b.material("paving slabs", "brick paving", "terracotta tiles", "paving slabs", tile_m=1.7)
    street.ground(
        b, "pavement", Material(walk.texture, (0.82, 0.82, 0.8), 1.7, variant=walk.variant), x=(-80, 90), z=(-1.15, 30)
    )
    street.ground(b, "pavement", walk, x=(-80, 90), z=(-40, -12.0))
    street.kerb(b, Material("granite", tile_m=1.6), x=(-50, 60), z=-1.1)
    for x in np.arange(-48.0, 58.0, 4.0):
        b.add(
            "lane marking",
            [(box(2.0, 0.012, 0.12), Material("worn paint", words="white line"))],
            at=(float(x), -0.115, -6.4),
        )
    _offices(b)
    _stop(b)
    _avenue_far(b)
    return b.one_of("bus stop on a city avenue", "city boulevard with a bus shelter and plane trees")


def _offices(b: SceneBuilder) -> None:
    """Glass fronts on the left; a side street; an older corner house on the right."""
    row, frame = Row((0.0, 6.3)), b.material("black metal", "steel", "brass", tile_m=1.5)
    bay, along = 1.8, 2.6
    stone = b.material("granite", "marble", "dark marble", "concrete", tile_m=1.6)
    for i in range(15):
        middle = along - (i + 0.5) * bay
        if i % 5 == 3:
            facades.wall_bay(b, row, middle, stone, size=(bay, 3.2))
        else:
            facades.office_bay(b, row, middle, frame, size=(bay, 3.2), up=0.0, lit=bool(b.rng.random() < 0.5))
        b.add("ledge", [(box(bay, 0.3, 0.5).at(up=3.2, z=0.0), stone)], at=row.at(middle), joined=True)
        for storey in range(3):
            facades.office_bay(b, row, middle, frame, size=(bay, 3.0), up=3.5 + 3.0 * storey, lit=False)
    side = Row((along, 6.3), -90.0)
    for i in range(6):
        middle = (i + 0.5) * bay
        facades.office_bay(b, side, middle, frame, size=(bay, 3.2), up=0.0, lit=False)
        b.add("ledge", [(box(bay, 0.3, 0.5).at(up=3.2, z=0.0), stone)], at=side.at(middle), joined=True)
        for storey in range(3):
            facades.office_bay(b, side, middle, frame, size=(bay, 3.0), up=3.5 + 3.0 * storey, lit=False)
    old, start = Row((0.0, 6.3)), 8.2
    while start < 36.0:
        size = buildings.HouseSize(int(b.rng.integers(2, 4)), float(b.rng.uniform(1.9, 2.3)), 3)
        first = start
        start = buildings.house(b, old, start, size, buildings.random_look(b), shops=bool(b.rng.random() < 0.7))
        if b.rng.random() < 0.6:
            for storey in (0, 1):
                facades.balcony(
                    b,
                    old,
                    first + size.bay_m,
                    3.9 + 3.0 * storey,
                    Material("black metal"),
                    Material("concrete"),
                    width=size.bay_m * 1.5,
                )
    walls = facades.far_walls(b)
    for i, z in enumerate((16.0, 25.0, 34.0)):
        facades.far_house(b, (-1.6, 0, z + 7.0), -90.0, walls[i], size=(8.8, float(b.rng.uniform(10, 15)), 8.0))
        facades.far_house(b, (12.4, 0, z + 2.0), 90.0, walls[i + 1], size=(8.8, float(b.rng.uniform(10, 15)), 8.0))


def _stop(b: SceneBuilder) -> None:
    """Shelter and sign, what stands beside them, trees, bicycles."""
    metal = b.material("black metal", "steel", tile_m=1.2)
    shelter = float(b.rng.uniform(-4.2, -1.0))
    kerbside.bus_shelter(b, (shelter, 0, 5.4), 0.0, metal)
    plate = box(0.34, 0.5, 0.03, metric=False).at(up=1.3, z=-0.05)
    flag = tinted("paint", b.rng, among=("forest green", "crimson", "navy", "mustard"), noun="painted metal")
    sign: list[Shape] = [(cylinder(0.04, 2.7, sides=10), metal), (box(0.5, 0.5, 0.04).at(up=2.2, x=0.26), flag)]
    sign.append((plate, Material("timetable", variant=int(b.rng.integers(6)))))
    b.add("bus stop sign", sign, at=(shelter + float(b.rng.choice([-2.35, 2.3])), 0, 4.75))
    _landmarks(b)
    look = plants.TreeLook(
        b.material("birch bark", "oak bark", tile_m=1.1),
        plants.foliage(b, "broad leaves", "leaves", "autumn leaves"),
        110,
    )
    grate = merge([box(1.1, 0.025, 0.1).at(z=-0.48 + 0.16 * i) for i in range(7)])
    for px, z in ((-6.7, 2.2), (-11.0, 2.2), (6.3, 3.4), (14.6, 2.6), (19.0, 2.6)):
        x = px + float(b.rng.uniform(-0.3, 0.3))
        plants.broadleaf(b, (x, 0, z), look, height=7.5, crown=1.8, clear=3.0)
        b.add("tree grate", [(grate, Material("rusty metal", tile_m=1.0))], at=(x, 0.0, z))
    for k in range(4):
        place = (shelter + 4.3 + 0.75 * k, 0, 5.2)
        kerbside.cycle_stand(b, place, Material("steel"))
        if b.rng.random() < 0.65:
            vehicles.bicycle(b, (place[0] + 0.18, 0, 5.25), 90.0 + float(b.rng.uniform(-6, 6)))
    for x in (shelter - 3.2, shelter + 3.2):
        _by_the_wall(b, x, metal)
    kerbside.traffic_light(b, (7.9, 0, 3.3), 20.0)
    kerbside.road_sign(b, (-4.1, 0, 3.4), 0.0)
    kerbside.letter_box(b, (8.8, 0, 5.0), 0.0)


def _landmarks(b: SceneBuilder) -> None:
    """What stands inside the square of the path, the kiosk and the advertising column."""
    middle = b.one_of("column", "statue", "kiosk", "planters")
    paint = tinted("paint", b.rng, among=("forest green", "crimson", "navy", "teal"), noun="painted metal")
    cloth = b.material("striped cloth", tile_m=1.0)
    if middle == "kiosk":
        kerbside.kiosk(b, (2.05, 0, 2.1), paint, cloth)
    elif middle == "column":
        kerbside.advertising_column(b, (2.0, 0, 2.2))
    elif middle == "statue":
        stone = b.material("granite", "ashlar stone", tile_m=1.5)
        bronze = Material("steel", (0.2, 0.26, 0.2), gloss=0.6, words="bronze")
        kerbside.statue(b, (2.05, 0, 2.2), float(b.rng.uniform(-40, 40)), stone, bronze)
    else:
        kerbside.road_sign(b, (2.0, 0, 2.5), float(b.rng.uniform(-15, 15)))
        street.planter(b, (2.0, 0, 2.0), float(b.rng.uniform(-15, 15)), length=1.6, height=0.6)
    if middle != "kiosk":
        kerbside.kiosk(b, (9.6, 0, 3.6) if b.rng.random() < 0.5 else (-8.2, 0, 3.0), paint, cloth)
    if middle != "column":
        kerbside.advertising_column(b, (-5.2, 0, 3.0) if b.rng.random() < 0.6 else (12.4, 0, 4.0))


def _by_the_wall(b: SceneBuilder, x: float, metal: Material) -> None:
    """One thing in front of the shops."""
    kind = b.one_of("bin", "planter", "letter box" if x < 0 else "hydrant", "bench")
    if kind == "bin":
        street.litter_bin(b, (x, 0, 5.4), metal)
    elif kind == "planter":
        street.planter(b, (x, 0, 5.4), 0.0, length=1.0)
    elif kind == "letter box":
        kerbside.letter_box(b, (x, 0, 5.2), 0.0)
    elif kind == "hydrant":
        kerbside.hydrant(b, (x, 0, 5.0))
    else:
        street.bench(b, (x, 0, 5.5), 0.0, b.material("oak", "walnut", tile_m=1.0), metal)


def _avenue_far(b: SceneBuilder) -> None:
    for x, yaw in ((-13.0, 0.0), (-19.5, 0.0), (15.0, 0.0), (24.0, 0.0)):
        vehicles.car(b, (x, -0.12, -2.6), yaw, kind=b.one_of("saloon", "van", "hatchback", "estate car"))
    for x in (-30.0, -8.0, 20.0, 36.0):
        vehicles.car(b, (x, -0.12, -9.4), 180.0)
    for x in (-15.0, 5.2, 24.0):
        kerbside.modern_lamp(
            b, (x, 0, -0.6 if x != 5.2 else -13.0), -90.0 if x != 5.2 else 90.0, Material("steel"), height=7.0
        )
    for x in np.arange(-50.0, 60.0, 12.5):
        facades.far_block(
            b, (float(x), 0, -22.0), 180.0, size=(12.2, float(b.rng.uniform(12, 24)), 11.0), noun="office block"
        )
    for x in (-56.0, 66.0):
        for z in (-10.0, 4.0, 18.0):
            facades.far_block(
                b,
                (x, 0, z),
                -90.0 if x < 0 else 90.0,
                size=(13.0, float(b.rng.uniform(14, 34)), 11.0),
                noun="office block",
            )
    for x in (-4.0, 9.0, 20.0):
        facades.far_block(
            b,
            (x, 0, float(b.rng.uniform(58, 66))),
            0.0,
            size=(13.0, float(b.rng.uniform(24, 48)), 12.0),
            noun="office tower",
        )
