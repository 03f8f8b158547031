"""Urban layouts of a canal and of a courtyard. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, lathe, merge, quad
from revisit_metric.controls.parts import boats, buildings, decor, facades, kerbside, plants, street, vehicles
from revisit_metric.controls.parts.buildings import FacadeLook, Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.forms import arch_band, arched, rod
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

NEAR_EDGE, FAR_EDGE, FRONTS = 1.8, 4.8, 5.85
WATER_UP = -0.75


def canal_quay(b: SceneBuilder) -> str:
    """A narrow canal with moored boats between two quays, tall gabled houses on the far side, a footbridge."""
    b.light = daylight(b, "morning", "afternoon", "evening", "bright cloud", "noon")
    paving = b.material("cobblestones", "brick paving", "paving slabs", tile_m=1.6)
    street.ground(b, "quay", paving, x=(-80, 90), z=(-40, NEAR_EDGE))
    street.ground(b, "quay", paving, x=(-80, 90), z=(FAR_EDGE, 60))
    tone = float(b.rng.uniform(0.75, 1.15))
    water = Material("water", (tone, tone * float(b.rng.uniform(0.95, 1.1)), tone), tile_m=2.2)
    street.ground(b, "canal", water, x=(-80, 90), z=(NEAR_EDGE, FAR_EDGE), tile_m=1.2, up=WATER_UP)
    _quay_walls(b)
    _canal_houses(b)
    bridge = -2.7 if b.rng.random() < 0.5 else 10.2
    _footbridge(b, bridge)
    _moorings(b, bridge)
    _far_quay(b, bridge)
    _near_quay(b)
    _beyond(b)
    return b.one_of("canal quay with moored boats and tall gabled houses", "narrow town canal with a footbridge")


def _quay_walls(b: SceneBuilder) -> None:
    """Walls down to the water under a coping, in pieces; here and there a ladder."""
    wall = b.material("red brick", "brick", "rubble stone", "ashlar stone", tile_m=1.5)
    stone = b.material("granite", "ashlar stone", "concrete", tile_m=1.8)
    for x in np.arange(-39.0, 48.0, 1.6):
        for z, side in ((FAR_EDGE, 1), (NEAR_EDGE, -1)):
            body = box(1.6, 1.6, 0.3).at(up=-1.62, z=0.17 * side)
            coping = box(1.6, 0.1, 0.42).at(up=-0.02, z=0.16 * side)
            b.add("quay wall", [(body, wall), (coping, stone)], at=(float(x), 0, z), joined=True)
        if b.rng.random() < 0.18:
            rails = [rod((s * 0.2, -1.0, -0.08), (s * 0.2, 0.25, -0.08), 0.022) for s in (-1, 1)]
            rungs = [rod((-0.2, float(u), -0.08), (0.2, float(u), -0.08), 0.016) for u in np.arange(-0.8, 0.05, 0.22)]
            b.add("ladder", [(merge(rails + rungs), Material("rusty metal"))], at=(float(x), 0, FAR_EDGE))


def _canal_look(b: SceneBuilder) -> FacadeLook:
    """Dark brick or bright render, pale trims, painted shutters now and then."""
    look = buildings.random_look(b)
    trim = tinted("plaster", b.rng, among=("white", "cream", "sand", "light grey"), noun="stone", tile_m=2.0)
    wall = look.wall
    if b.rng.random() < 0.45:
        shade = float(b.rng.uniform(0.5, 1.0))
        wall = Material(b.one_of("red brick", "brick"), (shade, shade * 0.92, shade * 0.9), tile_m=1.4)
    return FacadeLook(wall, trim, look.base, look.frame, look.shutter)


def _canal_houses(b: SceneBuilder) -> None:
    row, along = Row((0.0, FRONTS)), float(b.rng.uniform(-24.0, -22.0))
    while along < 31.0:
        bays, bay = int(b.rng.integers(2, 4)), float(b.rng.uniform(1.45, 1.7))
        size = buildings.HouseSize(bays, bay, int(b.rng.integers(1, 3)))
        along = _canal_house(b, row, along, size, _canal_look(b))


def _canal_house(b: SceneBuilder, row: Row, start: float, size: buildings.HouseSize, look: FacadeLook) -> float:
    """A tall house under a stepped or bell-shaped gable; returns where the next one starts."""
    bays, bay, storeys = size
    door, shop = int(b.rng.integers(bays)), bool(b.rng.random() < 0.35)
    for i in range(bays):
        along = start + (i + 0.5) * bay
        if i == door:
            buildings.door_bay(b, row, along, look, width=bay, height=3.3)
        elif shop:
            buildings.shop_bay(b, row, along, look, width=bay, height=3.3)
        else:
            buildings.window_bay(b, row, along, 0.0, look, width=bay, height=3.3)
        for storey in range(storeys):
            buildings.window_bay(b, row, along, 3.3 + 2.9 * storey, look, width=bay, height=2.9)
    width, up = bays * bay, 3.3 + 2.9 * storeys
    facades.stepped_gable(b, row, start + width / 2, look, size=(width, 2.9), up=up)
    body = box(width, up, 6.0, without=("top", "bottom")).at(z=3.35)
    b.add("building", [(body, look.wall)], at=row.at(start + width / 2), yaw=row.yaw, joined=True)
    return start + width


def _footbridge(b: SceneBuilder, x: float) -> None:
    """An arched bridge for walkers over the canal, one part per piece, with iron or wooden railings."""
    deck = b.material("oak planks", "grey planks", "granite", tile_m=1.4)
    rail = b.material("black metal", "oak", "rusty metal", tile_m=1.0)
    if b.rng.random() < 0.4:
        rail = tinted("paint", b.rng, among=("white", "forest green", "crimson", "navy"), noun="painted iron")
    ends = np.linspace(NEAR_EDGE - 0.5, FAR_EDGE + 0.5, 8)
    ups = 0.08 + 0.55 * np.sin(np.linspace(0.0, np.pi, 8))
    for i in range(7):
        (z0, z1), (u0, u1) = (float(v) for v in ends[i : i + 2]), (float(v) for v in ups[i : i + 2])
        step = box(1.5, 0.16, z1 - z0 + 0.04).at(up=(u0 + u1) / 2 - 0.1, z=(z0 + z1) / 2)
        bars = [rod((s * 0.7, u0 + h, z0), (s * 0.7, u1 + h, z1), 0.025) for s in (-1, 1) for h in (0.5, 0.95)]
        bars += [rod((s * 0.7, u0, z0), (s * 0.7, u0 + 0.98, z0), 0.03) for s in (-1, 1)]
        b.add("footbridge", [(step, deck), (merge(bars), rail)], at=(x, 0, 0), landmark=i == 3, joined=True)


def _moorings(b: SceneBuilder, bridge: float) -> None:
    """Boats along both quays; low ones only where the path crosses the water."""
    long_boat = bool(b.rng.random() < 0.6)
    if long_boat:
        sections, x = (3, 2.45) if bridge < 0 else (2, 2.8)
        boats.narrow_boat(b, (x + float(b.rng.uniform(-0.1, 0.2)), WATER_UP, 3.72), 0.0, sections=sections)
        near: tuple[float, ...] = (7.4,)
    else:
        near = (0.6, 4.0, 7.4)
    for x in near:
        place = (x + float(b.rng.uniform(-0.2, 0.2)), WATER_UP, 2.55 + float(b.rng.uniform(0, 0.05)))
        boats.rowing_boat(b, place, _either_way(b) + float(b.rng.uniform(-2, 2)), length=3.0)
    if not long_boat:
        for x in (0.9, 4.6):
            place = (x + float(b.rng.uniform(-0.2, 0.2)), WATER_UP, 4.05)
            boats.rowing_boat(b, place, float(b.rng.uniform(-2, 2)), length=3.2)
    big = -3.25 if bridge > 0 else 13.2
    boats.fishing_boat(b, (big, WATER_UP, 3.5), 0.0 if bridge > 0 else _either_way(b), length=5.8)
    boats.narrow_boat(b, (16.8 if bridge > 0 else -10.5, WATER_UP, 3.7), 0.0, sections=4)


def _either_way(b: SceneBuilder) -> float:
    """The yaw of a boat whose bow points left or right."""
    return 180.0 * int(b.rng.integers(2))


def _far_quay(b: SceneBuilder, bridge: float) -> None:
    metal, bark = Material("black metal"), b.material("oak bark", "birch bark", tile_m=1.0)
    look = plants.TreeLook(bark, plants.foliage(b, "leaves", "leaves", "autumn leaves"), 110)
    trees = [x + float(b.rng.uniform(-0.4, 0.4)) for x in (-4.4, -1.5, 6.6, 13.2)]
    lamps = [x + float(b.rng.uniform(-0.3, 0.3)) for x in (-2.9, 5.2, 8.5)]
    for x in np.arange(-9.4, 17.0, 1.35):
        if abs(x - bridge) < 1.3 or min(abs(x - t) for t in trees) < 0.9:
            continue
        place = (float(x) + float(b.rng.uniform(-0.2, 0.2)), 0.0, 5.2)
        _on_the_far_quay(b, place, metal)
    for x in trees:
        _boxed_tree(b, x, 5.3, look)
    for x in lamps:
        street.street_lamp(b, (x, 0, 5.1), metal, height=3.4)


def _on_the_far_quay(b: SceneBuilder, place: Vec3, metal: Material) -> None:
    """One thing, or none, in front of the houses."""
    kind = b.one_of("bicycle", "planter", "bollard", "bollard", "pot", "bench", "none", "rope")
    if kind == "bicycle":
        vehicles.bicycle(b, place, float(b.rng.uniform(-10, 10)))
    elif kind == "planter":
        street.planter(b, place, 0.0, length=0.9, height=0.45)
    elif kind == "bollard":
        boats.mooring_bollard(b, (place[0], 0.06, 5.05), metal)
    elif kind == "bench":
        street.bench(b, (place[0], 0, 5.35), 0.0, b.material("oak", "walnut", tile_m=1.0), metal)
    elif kind == "rope":
        boats.rope_coil(b, place)
    elif kind == "pot":
        clay = tinted("plaster", b.rng, among=("terracotta", "slate blue"), noun="clay")
        decor.potted_plant(b, place, clay, height=0.85)


def _boxed_tree(b: SceneBuilder, x: float, z: float, look: plants.TreeLook) -> None:
    """A small tree in a square tub."""
    tub = b.material("oak", "concrete", "rusty metal", "granite", tile_m=1.2)
    shapes: list[Shape] = [(box(0.8, 0.55, 0.8), tub), (box(0.7, 0.02, 0.7).at(up=0.55), Material("soil"))]
    b.add("tree planter", shapes, at=(x, 0, z))
    plants.broadleaf(b, (x, 0.5, z), look, height=float(b.rng.uniform(4.2, 5.2)), crown=1.1, clear=2.3)


def _near_quay(b: SceneBuilder) -> None:
    metal, wood = Material("black metal"), b.material("oak", "walnut", tile_m=1.0)
    for x in (1.1, 2.0, 2.9):
        kind = b.one_of("planter", "pot", "bollard", "barrel") if x != 2.0 else "pot"
        place = (x, 0.0, 1.45)
        if kind == "planter":
            street.planter(b, place, float(b.rng.uniform(-6, 6)), length=0.8, height=0.4)
        elif kind == "pot":
            clay = tinted("plaster", b.rng, among=("terracotta", "sand", "slate blue"), noun="clay")
            decor.potted_plant(b, place, clay, height=0.9 if x != 2.0 else float(b.rng.uniform(1.1, 1.4)))
        elif kind == "barrel":
            street.barrel(b, place, wood, metal)
        else:
            boats.mooring_bollard(b, (x, 0.06, 1.65), metal)
    for x in (-2.2, 6.0, 8.6):
        vehicles.bicycle(b, (x + float(b.rng.uniform(-0.3, 0.3)), 0, 1.5), float(b.rng.uniform(-12, 12)))
    look = plants.TreeLook(Material("oak bark", tile_m=1.0), plants.foliage(b, "leaves"), 110)
    if b.rng.random() < 0.6:
        street.street_lamp(b, (-1.4, 0, 1.6), metal, height=3.4)
    else:
        kerbside.lifebuoy(b, (-1.45, 0, 1.65), float(b.rng.uniform(-25, 5)))
    for x in (-6.6, 12.6):
        _boxed_tree(b, x, 1.0, look)
    street.bench(b, (-4.8, 0, -1.2), 60.0, wood, metal)
    street.litter_bin(b, (9.8, 0, 1.2), metal)


def _beyond(b: SceneBuilder) -> None:
    """Houses behind the camera, stone bridges that close the canal, the town around."""
    row, along = Row((34.0, -5.4), 180.0), 0.0
    while along < 58.0:
        size = buildings.HouseSize(3, float(b.rng.uniform(2.4, 2.9)), 1)
        along = buildings.house(b, row, along, size, _canal_look(b), shops=False)
    stone = b.material("rubble stone", "ashlar stone", "red brick", tile_m=2.0)
    for x, yaw in ((-29.0, -90.0), (38.0, 90.0)):
        bridge = merge([*arched(6.0, 2.4, (2.8, 0.2), 4.0), box(6.0, 0.9, 0.4).at(up=2.4)])
        b.add("stone bridge", [(bridge.at(up=-1.2), stone)], at=(x, 0, 3.5), yaw=yaw)
    facades.town_around(b, left=-44, right=54, near=-16, far=26, step=9.5)


def arcade_courtyard(b: SceneBuilder) -> str:
    """A courtyard with columns and arches in front of a vaulted walk, a draw well, benches, pots and planters."""
    b.light = daylight(b, "morning", "afternoon", "noon", "evening")
    _paving(b)
    among = ("white", "cream", "sand", "ochre", "rose", "terracotta", "sage green", "sky blue")
    wall = tinted("plaster", b.rng, among=among, noun="render", tile_m=3.0)
    if b.rng.random() < 0.35:
        wall = b.material("ashlar stone", "red brick", "white brick", tile_m=1.7)
    stone = b.material("ashlar stone", "granite", "concrete", tile_m=1.6)
    frame = tinted("paint", b.rng, among=("white", "forest green", "brown", "slate blue"), noun="painted wood")
    shutter = tinted("worn paint", b.rng, noun="painted wood") if b.rng.random() < 0.7 else None
    look = FacadeLook(wall, stone, stone, frame, shutter)
    _arcade(b, look)
    _wings(b, look)
    _court_things(b)
    facades.town_around(b, left=-26, right=34, near=-22, far=24, step=9.0)
    return b.one_of("courtyard with an arcade of columns and a draw well", "cloister-like court with arches and pots")


def _paving(b: SceneBuilder) -> None:
    """Slabs of two kinds in a checker, in stripes or in a lattice."""
    pale, dark = float(b.rng.uniform(0.7, 0.95)), float(b.rng.uniform(0.55, 1.0))
    first = Material(b.one_of("paving slabs", "ashlar stone", "concrete"), (pale, pale, pale * 0.95), tile_m=1.3)
    second = Material(b.one_of("brick paving", "cobblestones", "brick paving"), (dark, dark, dark), tile_m=1.3)
    kind, step = b.one_of("checker", "stripes", "lattice"), float(b.rng.uniform(0.95, 1.25))
    face = quad((0, 0, step), (step, 0, 0), (0, 0, -step))
    for i in range(int(24.0 / step)):
        for k in range(int(16.0 / step)):
            odd = {"checker": (i + k) % 2, "stripes": i % 2, "lattice": int(i % 3 == 0 or k % 3 == 0)}[kind]
            place = (-8.0 + i * step, 0.0, -7.5 + k * step)
            b.add("paving", [(face, second if odd else first)], at=place, joined=True)
    street.ground(b, "yard", first, x=(-60, 70), z=(-50, 60), tile_m=12.0, up=-0.02)


def _arcade(b: SceneBuilder, look: FacadeLook) -> None:
    """Arches on round columns, a storey of windows above, doors and windows at the back of the walk."""
    row, inner = Row((0.0, 5.35)), Row((0.0, 7.55))
    bay, columns = float(b.rng.uniform(1.8, 2.2)), b.one_of("round", "round", "eight-sided")
    start, spring = -8.0 - float(b.rng.uniform(0, 1.5)), float(b.rng.uniform(1.95, 2.2))
    for i in range(int(26.0 / bay)):
        along = start + (i + 0.5) * bay
        _arch(b, row, along, look, (bay, spring))
        _column(b, row, along - bay / 2, look.trim, (spring, 20 if columns == "round" else 8))
        top = spring + bay / 2 + 0.35
        buildings.window_bay(b, row, along, top, look, width=bay, height=2.9)
        if b.rng.random() < 0.4:
            buildings.door_bay(b, inner, along, look, width=bay, height=top)
        else:
            buildings.window_bay(b, inner, along, 0.0, look, width=bay, height=top)
        if b.rng.random() < 0.4:
            decor.pendant(b, (along, spring, 6.5), Material("black metal"), ceiling=top - 0.1, light=False)
    roof = b.material("clay roof tiles", "slate", tile_m=2.6)
    for x in np.arange(start, 18.0, 2.0):
        slab = box(2.0, 0.2, 4.0).tilted(about_x=-20)
        b.add("roof", [(slab, roof)], at=(float(x) + 1.0, 6.6, 6.4), joined=True)


def _arch(b: SceneBuilder, row: Row, along: float, look: FacadeLook, size: tuple[float, float]) -> None:
    """An arch of (width of bay, height of its spring) that rests on the columns at both its ends."""
    bay, spring = size
    opening, high = bay - 0.36, bay / 2 + 0.35
    shapes: list[Shape] = [(merge(arched(bay, high, (opening, 0.06), 0.4)), look.wall)]
    shapes.append((arch_band(opening, 0.06, 0.15, 0.05).at(z=-0.05), look.trim))
    shapes.append((box(bay, 0.12, 0.12).at(up=high - 0.12, z=-0.04), look.trim))
    b.add("arch", shapes, at=row.at(along, spring), yaw=row.yaw, joined=True)
    ceiling = box(bay, 0.12, 1.9).at(up=high - 0.14, z=1.3)
    b.add("ceiling", [(ceiling, look.wall)], at=row.at(along, spring), yaw=row.yaw, joined=True)


def _column(b: SceneBuilder, row: Row, along: float, stone: Material, size: tuple[float, int]) -> None:
    """A column with base and capital of (height, sides)."""
    h, sides = size
    foot = [(0.25, 0.12), (0.25, 0.2), (0.17, 0.28), (0.18, h * 0.5)]
    head = [(0.15, h - 0.35), (0.19, h - 0.3), (0.16, h - 0.26)]
    shaft = lathe([*foot, *head, (0.25, h - 0.1)], sides=sides, smooth=sides > 8)
    blocks = [box(0.52, 0.13, 0.52), box(0.52, 0.12, 0.52).at(up=h - 0.11)]
    x, _, z = row.at(along)
    b.add("column", [(shaft, stone), (merge(blocks), stone)], at=(x, 0, z + 0.2))


def _wings(b: SceneBuilder, look: FacadeLook) -> None:
    """The other three sides of the court: doors and shuttered windows in two storeys."""
    left, right, back = Row((-6.6, -7.0), -90.0), Row((14.6, 5.5), 90.0), Row((15.0, -6.6), 180.0)
    for row, length in ((left, 12.5), (right, 12.5), (back, 22.0)):
        bay = float(b.rng.uniform(2.0, 2.4))
        for i in range(int(length / bay) + 1):
            along = (i + 0.5) * bay
            if b.rng.random() < 0.3:
                buildings.door_bay(b, row, along, look, width=bay, height=3.2)
            else:
                buildings.window_bay(b, row, along, 0.0, look, width=bay, height=3.2)
            buildings.window_bay(b, row, along, 3.2, look, width=bay, height=2.9)


def _court_things(b: SceneBuilder) -> None:
    """The well in the middle; benches, pots and planters before the columns."""
    metal, wood = Material("black metal"), b.material("oak", "walnut", tile_m=1.0)
    stone = b.material("rubble stone", "ashlar stone", "granite", tile_m=1.3)
    roof = b.material("clay roof tiles", "slate", "grey planks", tile_m=1.6)
    kerbside.well(b, (float(b.rng.uniform(1.8, 2.2)), 0, 2.15), float(b.rng.uniform(-20, 20)), stone, wood, roof)
    clay = tinted("plaster", b.rng, among=("terracotta", "terracotta", "sand", "slate blue"), noun="clay")
    x = -6.0
    while x < 14.0:
        x += _at_the_columns(b, x + float(b.rng.uniform(-0.1, 0.1)), clay, wood, metal)
    _left_corner(b, clay)


def _at_the_columns(b: SceneBuilder, x: float, clay: Material, wood: Material, metal: Material) -> float:
    """One thing, or none, before the columns; returns how far to go on."""
    place = (x, 0.0, 5.0)
    kind = b.one_of("pot", "planter", "bench", "bush", "barrel", "pot", "none")
    if kind == "bench":
        street.bench(b, (x + 0.5, 0, 4.85), 0.0, wood, metal)
        return 1.95
    if kind == "pot":
        texture = b.one_of("broad leaves", "leaves", "fern")
        decor.potted_plant(b, place, clay, height=float(b.rng.uniform(0.65, 1.0)), texture=texture)
    elif kind == "planter":
        street.planter(b, place, 0.0, length=0.85, height=0.45)
    elif kind == "bush":
        plants.bush(b, place, plants.foliage(b, "leaves", "flowers"), size=(0.4, 0.4, 0.3))
    elif kind == "barrel":
        street.barrel(b, place, wood, metal)
    return 0.95


def _left_corner(b: SceneBuilder, clay: Material) -> None:
    """Pots and a tree near the start, where they soon leave the view; the right of the court."""
    kind = b.one_of("pots", "beds", "mixed")
    for i, (x, z) in enumerate(((-1.8, 2.2), (-2.6, 2.9), (-1.8, 3.4), (-3.6, 2.3))):
        place = (x + float(b.rng.uniform(-0.15, 0.15)), 0.0, z)
        if kind == "pots" or (kind == "mixed" and i % 2):
            decor.potted_plant(b, place, clay, height=float(b.rng.uniform(1.1, 1.7)))
        else:
            street.planter(b, place, float(b.rng.uniform(-25, 25)), length=1.0, height=float(b.rng.uniform(0.4, 0.7)))
    tree = plants.TreeLook(Material("oak bark", tile_m=1.0), plants.foliage(b, "leaves", "broad leaves"), 110)
    for x, z in ((-4.4, 3.6), (9.2, 2.6), (12.2, -3.0)):
        _boxed_tree(b, x + float(b.rng.uniform(-0.3, 0.3)), z, tree)
    for x in (-5.6, 11.6):
        street.bench(b, (x, 0, 1.2), -90.0 if x < 0 else 90.0, b.material("oak", tile_m=1.0), Material("black metal"))
    vehicles.bicycle(b, (6.9, 0, 4.1), float(b.rng.uniform(-12, 12)))
    street.planter(b, (8.6, 0, -2.4), 20.0, length=1.4)
    for x in (-3.2, 5.6):
        street.street_lamp(b, (x, 0, 4.3 if x > 0 else -2.6), Material("black metal"), height=3.0)
