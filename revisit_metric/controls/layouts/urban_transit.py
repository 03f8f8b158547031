"""Urban layouts along tracks and behind houses. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, lathe, merge
from revisit_metric.controls.parts import buildings, facades, kerbside, street, vehicles, worksite
from revisit_metric.controls.parts.buildings import FacadeLook, Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.forms import arch_band, rod
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

EDGE_Z, TRACK_Z, WALL_Z, TRACK_UP = 3.45, 5.6, 6.6, -0.6
BACKS_Z = 5.3


def railway_platform(b: SceneBuilder) -> str:
    """A roofed platform, the track before it and a wall with posters beyond the track."""
    b.light = daylight(b, "morning", "afternoon", "bright cloud", "noon")
    paving = b.material("paving slabs", "brick paving", "asphalt", "concrete", tile_m=1.6)
    street.ground(b, "platform", paving, x=(-60, 70), z=(-9, EDGE_Z))
    rim = tinted("paint", b.rng, among=("white", "mustard"), noun="painted stone")
    for x in np.arange(-24.0, 32.0, 1.5):
        stone: list[Shape] = [(box(1.5, 0.95, 0.3).at(up=-0.94), Material("concrete", tile_m=1.6))]
        stone.append((box(1.5, 0.02, 0.16).at(up=0.01, z=-0.5), rim))
        b.add("platform edge", stone, at=(float(x), 0, EDGE_Z - 0.1), joined=True)
    vehicles.rails(b, x=(-42, 51), z=TRACK_Z, up=TRACK_UP, ballast=Material("gravel", tile_m=1.4))
    street.ground(b, "gravel", Material("gravel", tile_m=1.4), x=(-60, 70), z=(EDGE_Z, WALL_Z), up=TRACK_UP - 0.03)
    _far_wall(b)
    _canopy(b)
    _platform_things(b)
    _station(b)
    return b.one_of("railway platform under a canopy", "small railway station platform beside a wall with posters")


def _far_wall(b: SceneBuilder) -> None:
    """Panels of the wall across the track: plain, niched or with windows, many with posters."""
    row, width, high = Row((0.0, WALL_Z)), 1.6, 5.6
    wall = b.material("red brick", "white brick", "brick", "rubble stone", "ashlar stone", tile_m=1.4)
    band = tinted("plaster", b.rng, among=("cream", "sage green", "white", "sky blue", "ochre"), noun="render")
    stone = b.material("granite", "concrete", "ashlar stone", tile_m=1.8)
    for i in range(-18, 24):
        along = (i + 0.5) * width
        kind = b.one_of("poster", "poster", "plain", "window", "niche")
        if kind == "window":
            facades.sash_bay(b, row, along, wall, size=(width, high - 2.6), up=TRACK_UP + 0.9)
            facades.wall_bay(b, row, along, wall, size=(width, 0.9), up=TRACK_UP)
            facades.wall_bay(b, row, along, wall, size=(width, 1.7), up=high - 2.6)
            continue
        facades.wall_bay(b, row, along, band if kind == "niche" else wall, size=(width, high), up=TRACK_UP)
        ribs = [box(0.22, high, 0.12).at(x=-width / 2, z=-0.06), box(width, 0.18, 0.1).at(up=3.9, z=-0.05)]
        b.add("pilaster", [(merge(ribs), stone)], at=row.at(along, TRACK_UP), joined=True)
        if kind == "niche":
            b.add("arch", [(arch_band(1.1, 2.5, 0.16, 0.1).at(z=-0.1), stone)], at=row.at(along, TRACK_UP))
        if kind == "poster":
            _poster(b, (along, float(b.rng.uniform(0.4, 0.8)), WALL_Z))
    b.add("wall", [(box(80, 5.0, 0.2).at(x=4, up=-0.9, z=0.6), wall)], at=(0, 0, WALL_Z))


def _poster(b: SceneBuilder, at: Vec3) -> None:
    sheet = box(1.05, 1.5, 0.03, metric=False).at(z=-0.05)
    rim = box(1.17, 1.62, 0.03).at(up=-0.06, z=-0.02)
    frame = b.material("oak", "black metal", "steel", tile_m=1.0)
    b.add("poster", [(sheet, Material("poster", variant=int(b.rng.integers(12)))), (rim, frame)], at=at, movable=True)


def _canopy(b: SceneBuilder) -> None:
    """Iron columns with brackets, beams and a roof in strips."""
    iron = tinted(
        "paint", b.rng, among=("forest green", "crimson", "slate blue", "charcoal", "cream"), noun="painted iron"
    )
    boards = b.material("pine", "corrugated metal", "grey planks", "oak", tile_m=1.6)
    trim = tinted("paint", b.rng, among=("white", "cream", "mustard", "sky blue"), noun="painted wood")
    profile = [
        (0.2, 0.0),
        (0.2, 0.25),
        (0.11, 0.35),
        (0.085, 2.5),
        (0.16, 2.65),
        (0.16, 2.75),
        (0.08, 2.8),
        (0.08, 3.5),
    ]
    for x in np.arange(-13.0, 18.0, 3.0):
        if 0.0 < x < 4.5:
            continue
        arms = [rod((0, 2.5, 0), (s * 0.9, 3.4, 0), 0.04) for s in (-1, 1)]
        arms += [rod((0, 2.5, 0), (0, 3.4, s * 0.7), 0.04) for s in (-1, 1)]
        b.add("column", [(lathe(profile, sides=12), iron), (merge(arms), iron)], at=(float(x), 0, 3.0))
    for x in np.arange(-20.0, 26.0, 1.5):
        roof: list[Shape] = [
            (box(1.5, 0.1, 6.2).at(up=3.5, z=1.1), boards),
            (box(0.1, 0.14, 6.0).at(up=3.38, z=1.1), iron),
        ]
        teeth = [box(0.12, 0.32, 0.04).at(x=d, up=3.3, z=4.2) for d in np.arange(-0.66, 0.7, 0.19).tolist()]
        b.add("canopy", roof, at=(float(x), 0, 0), joined=True)
        b.add("valance", [(merge([*teeth, box(1.5, 0.16, 0.05).at(up=3.5, z=4.22)]), trim)], at=(float(x), 0, 0))


def _platform_things(b: SceneBuilder) -> None:
    metal, wood = b.material("black metal", "steel"), b.material("oak", "walnut", tile_m=1.0)
    left, far = (-3.4, -7.6) if b.rng.random() < 0.5 else (-7.4, -2.2)
    kerbside.bus_shelter(b, (left - 0.4, 0, 2.4), 0.0, metal)
    machines = far - 0.2
    for dx in (-0.55, 0.55):
        _ticket_machine(b, (machines + dx, 0, 2.6), float(b.rng.uniform(-8, 8)))
    kerbside.vending_machine(b, (machines - 1.8, 0, 2.7), 0.0)
    kerbside.station_clock(b, (-1.3, 0, 2.4), float(b.rng.uniform(-10, 10)), metal)
    street.bench(b, (1.95, 0, 2.3), float(b.rng.choice([0.0, 180.0])) + float(b.rng.uniform(-8, 8)), wood, metal)
    for x, z in ((1.4, 1.5), (2.1, 1.45), (2.8, 1.6), (-1.5, 1.6), (-2.2, 1.9), (5.8, 2.6), (9.6, 2.0)):
        if b.rng.random() < 0.8:
            kerbside.luggage(b, (x, 0, z + float(b.rng.uniform(-0.05, 0.05))), float(b.rng.uniform(-30, 30)))
    for x in (6.9, 10.4, 14.5):
        street.bench(b, (x + float(b.rng.uniform(-0.3, 0.3)), 0, 2.6), 0.0, wood, metal)
    for x in (-10.5, 5.6, 12.3):
        street.litter_bin(b, (x, 0, 2.9), metal)
    for x in (-9.4, -5.6, 6.3, 11.6):
        kerbside.road_sign(b, (x, 0, 3.05), float(b.rng.uniform(-6, 6)))
    street.planter(b, (8.6, 0, 2.6), 0.0)
    vehicles.hand_cart(b, (-3.0, 0, 1.1), float(b.rng.uniform(-25, 25)), wood, metal)


def _ticket_machine(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A steel case with a lit screen, a slot and a tray."""
    paint = tinted("paint", b.rng, noun="painted metal")
    dark = Material("black metal")
    screen = Material("screen", variant=int(b.rng.integers(4)))
    shapes: list[Shape] = [(box(0.8, 1.75, 0.55), paint), (box(0.86, 0.14, 0.6).at(up=1.75), dark)]
    shapes.append((box(0.46, 0.36, 0.02, metric=False).at(x=-0.1, up=1.2, z=-0.28), screen))
    shapes.append(
        (merge([box(0.12, 0.3, 0.03).at(x=0.26, up=1.2, z=-0.28), box(0.5, 0.2, 0.03).at(up=0.5, z=-0.28)]), dark)
    )
    b.add("ticket machine", shapes, at=at, yaw=yaw)


def _station(b: SceneBuilder) -> None:
    """The station behind the camera and houses around."""
    row, along = Row((44.0, -4.2), 180.0), 0.0
    look = buildings.random_look(b)
    while along < 76.0:
        along = buildings.house(
            b, row, along, buildings.HouseSize(3, float(b.rng.uniform(2.2, 2.8)), 2), look, shops=False
        )
    street.ground(b, "ground", Material("gravel", tile_m=2.0), x=(-80, 90), z=(7.4, 60), up=-0.5)
    facades.town_around(b, left=-48, right=58, near=-18, far=24, step=10.0)


def laundry_alley(b: SceneBuilder) -> str:
    """The brick backs of houses: doors, shutters, fire escapes, pipes, bins, crates, bicycles, laundry."""
    b.light = daylight(b, "bright cloud", "afternoon", "morning", "noon")
    paving = b.material("cobblestones", "cobblestones", "brick paving", "asphalt", tile_m=1.5)
    street.ground(b, "alley", paving, x=(-60, 70), z=(-20, 40))
    _backs(b)
    _laundry(b)
    _alley_wall_things(b)
    _alley_middle(b)
    _alley_closed(b)
    return b.one_of("back alley with laundry between brick houses", "narrow alley behind old brick buildings")


def _backs(b: SceneBuilder) -> None:
    row, along = Row((0.0, BACKS_Z)), -27.0
    while along < 36.0:
        along = _back(b, row, along, int(b.rng.integers(2, 5)), float(b.rng.uniform(1.6, 1.95)))


def _back(b: SceneBuilder, row: Row, along: float, bays: int, bay: float) -> float:
    """The back of one house of three storeys; returns where it ends."""
    wall = b.material("red brick", "brick", "white brick", "red brick", tile_m=1.3)
    stone = Material("concrete", tile_m=1.6)
    frame = tinted("worn paint", b.rng, among=("forest green", "navy", "crimson", "brown", "teal"), noun="painted wood")
    look, metal = FacadeLook(wall, stone, wall, frame), b.material("black metal", "rusty metal")
    for i in range(bays):
        middle = along + (i + 0.5) * bay
        _ground_bay(b, row, middle, look, bay)
        for k in (1, 2):
            facades.sash_bay(b, row, middle, wall, size=(bay, 2.9), up=2.9 * k)
        if b.rng.random() < 0.3:
            facades.air_unit(b, row, middle + 0.2, 2.95 if b.rng.random() < 0.5 else 3.1)
    if b.rng.random() < 0.6:
        escape = along + bays * bay * float(b.rng.uniform(0.4, 0.6))
        facades.fire_escape(b, row, escape, metal, levels=(3.35, 6.2), width=float(b.rng.uniform(1.5, 1.9)))
    facades.pipes(b, row, along + 0.1, metal, height=8.6)
    body = box(bays * bay, 8.7, 5.0, without=("bottom",)).at(z=2.85)
    b.add("building", [(body, wall)], at=row.at(along + bays * bay / 2), yaw=row.yaw, joined=True)
    return along + bays * bay


def _ground_bay(b: SceneBuilder, row: Row, along: float, look: FacadeLook, bay: float) -> None:
    kind = b.one_of("door", "shutter", "window", "wall", "shutter", "door")
    if kind == "door":
        buildings.door_bay(b, row, along, look, width=bay, height=2.9)
    elif kind == "shutter":
        raised = 0.5 if b.rng.random() < 0.25 else 0.0
        facades.shutter_bay(b, row, along, look.wall, size=(bay, 2.9), raised=raised)
    elif kind == "window":
        facades.sash_bay(b, row, along, look.wall, size=(bay, 2.9), bars=True)
    else:
        facades.wall_bay(b, row, along, look.wall, size=(bay, 2.9))
        sheet = box(0.6, 0.85, 0.02, metric=False).at(up=float(b.rng.uniform(0.9, 1.4)), z=-0.015)
        b.add("poster", [(sheet, Material("poster", variant=int(b.rng.integers(12))))], at=row.at(along), movable=True)


def _laundry(b: SceneBuilder) -> None:
    """Lines of washing overhead, each piece a part."""
    for x0, x1 in ((-8.0, -3.0), (-1.5, 3.5), (6.0, 11.0)):
        z, up = float(b.rng.uniform(4.5, 4.8)), float(b.rng.uniform(3.3, 3.6))
        b.add("washing line", [(rod((x0, up, z), (x1, up, z), 0.01, sides=4), Material("black metal"))])
        x = x0 + float(b.rng.uniform(0.3, 0.7))
        while x < x1 - 0.5:
            wide, tall = float(b.rng.uniform(0.4, 0.8)), float(b.rng.uniform(0.45, 0.85))
            shapes: list[Shape] = [(box(wide, tall, 0.03).at(up=-tall), tinted("linen", b.rng, noun="cloth"))]
            if b.rng.random() < 0.5:
                shapes.append((box(wide + 0.4, 0.2, 0.035).at(up=-0.2), shapes[0][1]))
            b.add("laundry", shapes, at=(x, up, z), movable=True, landmark=True)
            x += wide + float(b.rng.uniform(0.35, 0.6))


def _alley_wall_things(b: SceneBuilder) -> None:
    """Bins, bicycles and crates in front of the far wall."""
    for x in np.arange(-10.0, 16.0, 1.35):
        place = (float(x) + float(b.rng.uniform(-0.15, 0.15)), 0.0, 4.85)
        kind = b.one_of("bin", "bin", "bicycle", "crates", "barrel", "none")
        if kind == "bin":
            kerbside.wheelie_bin(b, place, float(b.rng.uniform(-10, 10)))
        elif kind == "bicycle":
            vehicles.bicycle(b, place, float(b.rng.uniform(-5, 5)))
        elif kind == "barrel":
            street.barrel(b, place, Material("oak", tile_m=1.0), Material("rusty metal"))
        elif kind == "crates":
            worksite.crate(b, place, float(b.rng.uniform(-15, 15)), size=0.5)


def _alley_middle(b: SceneBuilder) -> None:
    """What stands on the cobbles, off the path."""
    places = [(-2.6, 2.6), (-5.6, 2.9), (8.8, 2.9)]
    for i in b.rng.permutation(3)[:2].tolist():
        worksite.skip(
            b, (places[i][0], 0, places[i][1]), float(b.rng.uniform(-12, 12)), noun="waste container", rubble=False
        )
    vehicles.boxes_on(b, (2.0, 0, 2.1), float(b.rng.uniform(-20, 20)), count=3)
    for x, z in ((1.4, 1.5), (2.7, 1.5), (-1.3, 1.9), (5.4, 2.6), (-7.8, 2.2), (11.4, 2.4)):
        if b.rng.random() < 0.75:
            worksite.crate(b, (x, 0, z), float(b.rng.uniform(-25, 25)), size=0.45)
    worksite.pallet(b, (-4.1, 0, 1.5), float(b.rng.uniform(-20, 20)))
    worksite.stacked(b, (6.6, 0, 3.4), float(b.rng.uniform(-20, 20)), count=2)
    vehicles.bicycle(b, (-1.6, 0, 3.7), float(b.rng.uniform(-20, 20)))


def _alley_closed(b: SceneBuilder) -> None:
    """Backs behind the camera and houses at both ends."""
    row, along = Row((38.0, -3.6), 180.0), 0.0
    while along < 66.0:
        along = _back(b, row, along, 4, float(b.rng.uniform(2.2, 2.8)))
    facades.town_around(b, left=-31, right=42, near=-16, far=22, step=9.0)
