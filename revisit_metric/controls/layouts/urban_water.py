"""Urban layouts by the water. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, cone, lathe, merge
from revisit_metric.controls.parts import (
    boats,
    buildings,
    facades,
    kerbside,
    placing,
    plants,
    street,
    vehicles,
    worksite,
)
from revisit_metric.controls.parts.buildings import FacadeLook, Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.forms import arch_band, arched
from revisit_metric.controls.parts.rustic import HutLook, hut
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

WATER_UP, QUAY_Z = -0.95, 8.3
CANAL_UP = -0.5


def harbour_quay(b: SceneBuilder) -> str:
    """A fishing harbour: coloured huts on the quay, boats behind and beside them, containers, a far bank."""
    b.light = daylight(b, "morning", "afternoon", "evening", "bright cloud")
    quay = b.material("concrete", "granite", "cobblestones", "paving slabs", tile_m=2.0)
    street.ground(b, "quay", quay, x=(-80, 90), z=(-60, QUAY_Z))
    water = Material("water", (1.0, 1.05, 1.1), 3.4)
    street.ground(b, "water", water, x=(-80, 90), z=(QUAY_Z, 62), up=WATER_UP)
    stone = b.material("granite", "rubble stone", "concrete", tile_m=1.8)
    for x in np.arange(-40.0, 50.0, 2.0):
        edge: list[Shape] = [
            (box(2.0, 0.16, 0.5), stone),
            (box(2.0, 1.6, 0.1, without=("bottom",)).at(up=-1.6, z=0.2), stone),
        ]
        b.add("quay edge", edge, at=(float(x), 0, QUAY_Z), joined=True)
    _huts(b)
    _harbour_boats(b)
    _quay_things(b)
    _far_bank(b)
    return b.one_of("fishing harbour with net huts on the quay", "harbour quay with moored boats and containers")


def _huts(b: SceneBuilder) -> None:
    """Narrow huts side by side with gaps that show the water."""
    x = -9.6 + float(b.rng.uniform(0, 0.5))
    while x < 3.9:
        width = float(b.rng.uniform(2.0, 2.6))
        wall = tinted(
            "grey planks",
            b.rng,
            among=("crimson", "white", "mustard", "teal", "sky blue", "forest green", "terracotta", "navy"),
            tile_m=1.5,
            noun="painted boards",
        )
        # Grey planks are dark: a stronger tint keeps the paint as bright as its name.
        red, green, blue = (min(2.2 * v, 1.9) for v in wall.tint)
        bright = Material(wall.texture, (red, green, blue), 1.5, words=wall.words, variant=wall.variant)
        roof = b.material("slate", "corrugated metal", "clay roof tiles", "grey planks", tile_m=2.0)
        size = (width, float(b.rng.uniform(2.1, 2.7)), 2.3)
        hut(b, (x + width / 2, 0, 5.5), 0.0, HutLook(bright, roof, "net hut"), size=size)
        x += width + float(b.rng.choice([0.35, 0.9, 1.5]))


def _harbour_boats(b: SceneBuilder) -> None:
    up = WATER_UP
    boats.fishing_boat(b, (8.9 + float(b.rng.uniform(-0.5, 0.5)), up, 10.3), float(b.rng.uniform(-6, 6)))
    for x in (-10.0, 0.6):
        boats.fishing_boat(b, (x + float(b.rng.uniform(-0.8, 0.8)), up, 11.0), 180.0 if b.rng.random() < 0.5 else 0.0)
    boats.rowing_boat(b, (4.9, up, 9.7), float(b.rng.uniform(60, 110)))
    for x, z in ((15.0, 10.2), (20.5, 11.0), (14.2, 15.5), (-5.0, 17.0), (4.0, 19.0)):
        if b.rng.random() < 0.75:
            boats.rowing_boat(b, (x, up, z), float(b.rng.uniform(0, 180)))
    for x, z in ((26.0, 13.0), (22.0, 24.0), (-18.0, 13.0)):
        boats.fishing_boat(b, (x, up, z), float(b.rng.uniform(-30, 30)))


def _quay_things(b: SceneBuilder) -> None:
    iron, wood = b.material("black metal", "rusty metal", tile_m=1.0), Material("oak", tile_m=1.0)
    for x in (5.2, 10.3, 16.0):
        boats.mooring_bollard(b, (x, 0, 7.6), iron)
    kerbside.lifebuoy(b, (5.0, 0, 5.6), 0.0)
    spots = placing.slots(b.rng, -4.4, -1.6, 6.6)
    boats.lobster_pots(b, (spots[0], 0, 3.7), float(b.rng.uniform(-15, 15)), count=6)
    boats.net_heap(b, (spots[1], 0, 3.2 if spots[1] < 0 else 4.9))
    worksite.stacked(b, (spots[2], 0, 3.9 if spots[2] < 0 else 5.4), float(b.rng.uniform(-15, 15)), count=3)
    worksite.stacked(b, (2.0, 0, 2.3), float(b.rng.uniform(-25, 25)), count=4)
    street.barrel(b, (2.75, 0, 1.75), wood, iron)
    boats.rope_coil(b, (1.3, 0, 1.7))
    boats.lobster_pots(b, (2.6, 0, 5.0), float(b.rng.uniform(-8, 8)), count=2)
    vehicles.oil_drum(b, (-3.0, 0, 4.6))
    for x in (-6.6, 8.0, 12.4):
        kind = b.one_of("drum", "pallet", "crate", "barrel", "net")
        place = (x + float(b.rng.uniform(-0.4, 0.4)), 0, float(b.rng.uniform(3.4, 4.8)))
        if kind == "drum":
            vehicles.oil_drum(b, place)
        elif kind == "pallet":
            worksite.pallet(b, place, float(b.rng.uniform(-30, 30)))
        elif kind == "crate":
            worksite.crate(b, place, float(b.rng.uniform(-30, 30)))
        elif kind == "barrel":
            street.barrel(b, place, wood, iron)
        else:
            boats.net_heap(b, place)
    vehicles.hand_cart(b, (-8.6, 0, 2.2), float(b.rng.uniform(0, 60)), wood, iron)
    for x in (-2.9, 13.0, 19.0):
        street.street_lamp(b, (x, 0, 4.7 if x < 0 else 7.4), Material("black metal"), height=4.0)


def _far_bank(b: SceneBuilder) -> None:
    """Containers to the left, sheds across the basin, cranes, a lighthouse on a mole."""
    for i, (x, z) in enumerate(((-14.5, -2.6), (-14.5, 0.3), (-14.5, 3.2), (-14.5, 6.0))):
        for level in range(1 + int(b.rng.integers(0, 3))):
            worksite.container(b, (x - 0.3 * (i % 2), 2.6 * level, z), -90.0)
    stone = b.material("granite", "rubble stone", tile_m=2.2)
    b.add("mole", [(box(170, 3.0, 30), stone)], at=(5.0, -2.2, 60.0))
    walls = facades.far_walls(b)
    for x in placing.along(b.rng, -62, 72, 9.5, sway=1.0):
        size = (9.4, float(b.rng.uniform(5, 9)), 8.0)
        facades.far_house(b, (x, 0.8, 54.0), 0.0, walls[int(b.rng.integers(len(walls)))], size=size)
    tower = [
        (lathe([(1.9, 0.0), (1.4, 9.5), (1.7, 9.6), (1.7, 9.9)], sides=18), Material("paint", words="white render"))
    ]
    tower.append(
        (
            lathe([(1.72, 3.2), (1.55, 6.2)], sides=18),
            tinted("paint", b.rng, among=("crimson", "navy", "forest green"), noun="painted band"),
        )
    )
    tower += [
        (lathe([(1.0, 9.9), (1.0, 11.6)], sides=12), facades.DARK_GLASS),
        (cone(1.3, 1.4, sides=12).at(up=11.6), Material("black metal")),
    ]
    b.add("lighthouse", tower, at=(float(b.rng.uniform(18, 30)), 0.3, 47.0), landmark=True)
    worksite.tower_crane(b, (-34.0, 0, 58.0), float(b.rng.uniform(-40, 40)), height=24)
    facades.town_around(b, left=-58, right=68, near=-20, far=36, step=10.0, closed=False)
    for z in (-12.0, -5.0, 2.0):
        worksite.container(b, (30.0, 0, z), 90.0)


def canal_bridge(b: SceneBuilder) -> str:
    """A narrow canal with gabled brick houses opposite, a moored narrow boat and a stone bridge on the right."""
    b.light = daylight(b, "morning", "noon", "bright cloud", "afternoon")
    paving = Material(
        b.one_of("brick paving", "cobblestones", "paving slabs"), (0.85, 0.83, 0.8), 1.5, variant=int(b.rng.integers(3))
    )
    near, far = 4.6, 7.9
    street.ground(b, "quay", paving, x=(-80, 90), z=(-30, near))
    street.ground(b, "water", Material("water", (0.9, 1.0, 0.85), 2.8), x=(-80, 90), z=(near, far), up=CANAL_UP)
    street.ground(b, "pavement", b.material("cobblestones", "brick paving", tile_m=1.5), x=(-80, 90), z=(far, 30))
    stone = b.material("red brick", "ashlar stone", "rubble stone", tile_m=1.5)
    for x in np.arange(-50.0, 60.0, 2.0):
        face = [box(2.0, 0.9, 0.12, without=("bottom",)).at(up=-0.9, z=0.16), box(2.0, 0.12, 0.4).at(up=0.0, z=0.12)]
        b.add("quay wall", [(merge(face), stone)], at=(float(x), 0, far - 0.1), joined=True)
        b.add(
            "quay edge",
            [(box(2.0, 0.1, 0.4), Material("granite", tile_m=1.6))],
            at=(float(x), 0, near - 0.1),
            joined=True,
        )
    _canal_houses(b, far + 0.35)
    bridge = float(b.rng.choice([5.9, 6.6, 9.4, -9.0]))
    _bridge(b, stone, (near, far), bridge)
    _canal_things(b, near, bridge)
    walls = facades.far_walls(b)
    for x in np.arange(-46.0, 56.0, 7.6):
        size = (7.6, float(b.rng.uniform(6, 9)), 8.0)
        facades.far_house(b, (float(x), 0, -9.4), 180.0, walls[int(b.rng.integers(len(walls)))], size=size)
    facades.town_around(b, left=-58, right=68, near=-24, far=26, step=9.5)
    return b.one_of("canal between narrow gabled houses", "old canal with a stone bridge and a moored boat")


def _canal_houses(b: SceneBuilder, front: float) -> None:
    row, along = Row((0.0, front)), -27.0
    while along < 36.0:
        look, bays, bay = _canal_look(b), int(b.rng.integers(2, 4)), float(b.rng.uniform(1.5, 1.75))
        storeys = int(b.rng.integers(1, 3))
        door = int(b.rng.integers(bays))
        shop = bool(b.rng.random() < 0.25)
        for i in range(bays):
            middle = along + (i + 0.5) * bay
            if i == door:
                buildings.door_bay(b, row, middle, look, width=bay, height=3.0)
            elif shop:
                buildings.shop_bay(b, row, middle, look, width=bay, height=3.0)
            else:
                buildings.window_bay(b, row, middle, 0.0, look, width=bay, height=3.0)
            for s in range(storeys):
                buildings.window_bay(b, row, middle, 3.0 + 2.7 * s, look, width=bay, height=2.7)
        width, up = bays * bay, 3.0 + 2.7 * storeys
        facades.stepped_gable(b, row, along + width / 2, look, size=(width, float(b.rng.uniform(2.4, 3.2))), up=up)
        facades.flanks(b, row, (along, along + width), look.wall, height=up, deep=6.0)
        along += width


def _canal_look(b: SceneBuilder) -> FacadeLook:
    """Mostly brick of many shades, white trims, dark green or black shutters."""
    if b.rng.random() < 0.42:
        return buildings.random_look(b)
    shade = float(b.rng.uniform(0.55, 1.1))
    wall = Material(
        b.one_of("red brick", "brick"),
        (shade, shade * float(b.rng.uniform(0.85, 1.0)), shade * float(b.rng.uniform(0.8, 1.0))),
        1.4,
        variant=int(b.rng.integers(2)),
    )
    trim = tinted("paint", b.rng, among=("white", "cream", "light grey"), noun="stone")
    frame = tinted("paint", b.rng, among=("white", "white", "forest green", "charcoal"), noun="painted wood")
    shutter = (
        tinted("worn paint", b.rng, among=("forest green", "crimson", "charcoal", "navy"), noun="painted wood")
        if b.rng.random() < 0.3
        else None
    )
    return FacadeLook(wall, trim, Material("granite", tile_m=2.0), frame, shutter)


def _bridge(b: SceneBuilder, stone: Material, edges: tuple[float, float], place: float) -> None:
    """A humped bridge over the canal with parapets and steps at x = `place`, more of them far left and right."""
    near, far = edges
    span = far - near
    for x in (place, -27.0, 34.0):
        width = 2.6
        rise = 0.75
        # A flat segment of a circle: the round arch is sunk below the water.
        side = merge(arched(span + 1.6, 3.1 + rise, (span - 0.3, 1.55), width))
        face: list[Shape] = [
            (side, stone),
            (arch_band(span - 0.3, 1.55, 0.26, 0.08).at(z=-0.07), Material("ashlar stone", tile_m=1.2)),
        ]
        b.add("bridge", face, at=(x, -3.0, (near + far) / 2), yaw=90.0, landmark=True)
        parapet = [box(span + 2.4, 0.85, 0.28).at(up=rise + 0.1, z=z) for z in (0.14, width - 0.14)]
        parapet += [box(span + 2.5, 0.1, 0.38).at(up=rise + 0.95, z=z) for z in (0.14, width - 0.14)]
        b.add("parapet", [(merge(parapet), stone)], at=(x, 0.0, (near + far) / 2), yaw=90.0)
        ramp = [
            box(width - 0.1, 0.12 * i, 0.4).at(x=width / 2, z=z0 + s * 0.4 * (6 - i))
            for s, z0 in ((-1, near - 0.6), (1, far + 0.6))
            for i in range(6, 0, -1)
        ]
        b.add("steps", [(merge(ramp), Material("granite", tile_m=1.6))], at=(x, 0, 0))


def _canal_things(b: SceneBuilder, near: float, bridge: float) -> None:
    metal = Material("black metal")
    kerbside.railing(
        b, x=(bridge - 0.25 - 2.0 * int((bridge + 40.0) / 2.0), bridge - 0.3), z=near - 0.12, metal=metal, height=0.95
    )
    kerbside.railing(b, x=(bridge + 2.85, 44.0), z=near - 0.12, metal=metal, height=0.95)
    boats.narrow_boat(b, (-3.4 + float(b.rng.uniform(-0.8, 0.8)), CANAL_UP + 0.1, near + 1.5), 0.0, sections=3)
    boats.rowing_boat(
        b, (2.9 + float(b.rng.uniform(-0.4, 0.4)), CANAL_UP, near + 1.1), float(b.rng.uniform(-8, 8)), length=3.2
    )
    boats.narrow_boat(b, (16.5, CANAL_UP + 0.1, near + 1.5), 180.0, sections=4)
    bark, leaf = b.material("oak bark", "pine bark", tile_m=1.1), plants.foliage(b, "leaves", "leaves", "autumn leaves")
    look = plants.TreeLook(bark, leaf, 120)
    middle = b.one_of("tree", "tree", "column", "crates")
    if middle == "column":
        kerbside.advertising_column(b, (2.05, 0, 2.1))
    elif middle == "crates":
        worksite.stacked(b, (2.1, 0, 2.2), float(b.rng.uniform(-25, 25)), count=3)
        street.barrel(b, (1.35, 0, 1.9), Material("oak", tile_m=1.0), metal)
    left = float(b.rng.uniform(-4.3, -2.5))
    spots = [(left, 3.1), (left - 4.9, 3.3), (12.9, 3.2), (17.4, 3.3)]
    for x, z in [(2.0, 2.15), *spots] if middle == "tree" else spots:
        tight = x == 2.0
        place = (x + float(b.rng.uniform(-0.1, 0.1)), 0, z)
        plants.broadleaf(b, place, look, height=7.5, crown=1.1 if tight else 1.8, clear=4.0 if tight else 2.9)
        grate = [box(1.0, 0.03, 0.12).at(z=-0.42 + 0.17 * i) for i in range(6)]
        b.add("tree grate", [(merge(grate), Material("rusty metal", tile_m=1.0))], at=(place[0], 0.0, z))
    for x, z, yaw in ((left - 1.3, 3.9, 4.0), (-1.1, 4.3, -5.0), (1.0, 4.3, 3.0), (3.2, 4.3, 0.0), (14.6, 4.2, 0.0)):
        if b.rng.random() < 0.6:
            vehicles.bicycle(b, (x + float(b.rng.uniform(-0.2, 0.2)), 0, min(z, 4.3)), yaw)
    for x in (left - 2.2, left + 1.5, 12.4):
        street.street_lamp(b, (x, 0, 4.2), metal)
    wood = Material("oak", tile_m=1.0)
    street.bench(b, (-8.6, 0, 2.2), float(b.rng.uniform(-15, 15)), wood, metal)
    for x in (-6.3, 9.5, -3.4):
        kind = b.one_of("planter", "barrel", "bin")
        if kind == "planter":
            street.planter(b, (x, 0, 2.5), float(b.rng.uniform(-10, 10)))
        elif kind == "barrel":
            street.barrel(b, (x, 0, 2.4), wood, metal)
        else:
            street.litter_bin(b, (x, 0, 2.4), metal)
    vehicles.car(b, (-13.0, 0, 2.6), 0.0)
    vehicles.car(b, (21.0, 0, 2.4), 180.0)
