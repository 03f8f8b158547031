"""Indoor layouts of work and learning: workshop, glasshouse, classroom.

See `revisit_metric.controls.layouts` for what a layout must do.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, cylinder, lathe, merge
from revisit_metric.controls.parts import decor, exhibits, furniture, glasshouse, rooms, shells, shopfit, street
from revisit_metric.controls.parts import workshop as tools
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import PALE, tinted

SHED = shells.Room((-6.6, 15.0), (-3.0, 6.2), 3.0)
RIDGE = shells.Gable(1.6, 5.3)

SHED_LIGHT = Light(
    to_sun=(-0.45, -0.75, 0.62),
    sun=(3.4, 3.1, 2.5),
    sky_ambient=(0.52, 0.52, 0.53),
    ground_ambient=(0.44, 0.41, 0.37),
    fog_per_m=0.0005,
    clouds=0.4,
)


def joinery_workshop(b: SceneBuilder) -> str:
    """A workshop under an open roof: benches, tool boards, machines, timber, a roller door."""
    b.light = SHED_LIGHT
    wood = b.material("oak", "pine", "walnut", tile_m=1.2)
    metal = b.material("steel", "black metal", "rusty metal", tile_m=1.2)
    paint = tinted("worn paint", b.rng, noun="painted metal")
    _shed_shell(b, wood, metal)
    _shed_wall(b, wood, metal, paint)
    _machines(b, wood, metal)
    _shed_stores(b, wood, metal)
    return b.one_of("joinery workshop under an open timber roof", "workshop with benches, tools and racks of timber")


def _shed_shell(b: SceneBuilder, wood: Material, metal: Material) -> None:
    floor = b.material("concrete", "brick paving", "grey planks", "concrete", tile_m=1.8)
    rooms.tiled_plane(b, "floor", floor, x=SHED.x, z=SHED.z, up=0.0, tile_m=1.4)
    wall = b.material("white brick", "red brick", "brick", "corrugated metal", "grey planks", tile_m=1.5)
    fit = shells.Fittings(
        rooms.WallLook(wall, tinted("worn paint", b.rng, noun="painted wood")), metal, sill=1.5, top=2.6
    )
    shells.wall_row(b, SHED.far(12), "wwowwwowwwww", fit)
    shells.wall_row(b, SHED.left(5), "wowow", fit)
    shells.wall_row(b, SHED.right(5), "wwdww", fit)
    shells.wall_row(b, SHED.near(12), "w" * 12, fit)
    cover = b.material("pine", "corrugated metal", "grey planks", "oak planks", tile_m=1.6)
    shells.gable_roof(b, SHED, RIDGE, cover, skylights=(1, 4, 7, 10))
    shells.gable_ends(b, SHED, RIDGE, wall)
    shells.trusses(b, SHED, RIDGE, wood, step=2.7)
    shells.garden(b, SHED)


def _shed_wall(b: SceneBuilder, wood: Material, metal: Material, paint: Material) -> None:
    """The wall ahead, in places of 1.8 m: benches with tool boards, shelves, machines, in a random order."""
    z = SHED.z[1]
    kinds = ["bench", "bench", "bench", "shelf", "shelf", "timber", "drill", "bench", "shelf"]
    b.rng.shuffle(kinds)
    board = (
        b.material("pine", "oak", tile_m=1.2) if b.rng.random() < 0.5 else tinted("paint", b.rng, noun="painted board")
    )
    for i, kind in enumerate(kinds):
        x = -5.7 + 1.8 * i
        if kind == "bench":
            tools.workbench(b, (x, 0, z - 0.42), wood, metal, width=1.7)
            _bench_top(b, x, z - 0.42)
            if i in (2, 6):  # a window
                continue
            tools.tool_board(b, (x, 1.15, z - 0.03), board, size=(1.6, 1.05))
        elif kind == "shelf":
            for up in (0.25, 0.75, 1.2):
                furniture.wall_shelf(b, (x, up, z - 0.14), 0, wood, width=1.6)
                tools.paint_tins(b, (x, up + 0.035, z - 0.14), width=1.5)
            _boxes(b, x, z - 0.8)
        elif kind == "timber":
            tools.timber_rack(b, (x, 0, z - 0.45), 0, metal)
        else:
            tools.drill_press(b, (x - 0.4, 0, z - 0.5), paint, metal)
            tools.rolling_chest(b, (x + 0.45, 0, z - 0.35), 0, tinted("paint", b.rng, noun="painted metal"))
    tools.roller_door(b, (11.9, 0, z - 0.05), 0, paint, metal)


def _bench_top(b: SceneBuilder, x: float, z: float) -> None:
    thing = b.one_of("tins", "lamp", "box", "planks")
    if thing == "tins":
        tools.paint_tins(b, (x + 0.1, 0.88, z + 0.1), width=0.8)
    elif thing == "lamp":
        shade = tinted("paint", b.rng, noun="enamel")
        exhibits.reading_lamp(b, (x + 0.2, 0.88, z + 0.1), 0, Material("black metal"), shade)
        decor.book_stack(b, (x - 0.1, 0.88, z - 0.05))
    elif thing == "box":
        body = tinted("paint", b.rng, noun="painted metal")
        handle = merge(
            [box(0.02, 0.08, 0.02).at(x=s * 0.12, up=0.2) for s in (-1, 1)] + [box(0.26, 0.02, 0.03).at(up=0.28)]
        )
        shapes: list[Shape] = [(box(0.46, 0.2, 0.24), body), (handle, Material("black metal"))]
        b.add("toolbox", shapes, at=(x + 0.2, 0.88, z), yaw=float(b.rng.uniform(-20, 20)), movable=True)
    else:
        stock = b.material("oak", "walnut", "pine", tile_m=1.0)
        pieces = [box(0.8, 0.04, 0.1).at(up=0.041 * i, yaw=float(b.rng.uniform(-8, 8))) for i in range(3)]
        b.add("boards", [(merge(pieces), stock)], at=(x + 0.1, 0.88, z), movable=True)


def _boxes(b: SceneBuilder, x: float, z: float) -> None:
    """Crates on the floor, one now and then on another."""
    for dx in (-0.5, 0.15):
        size = float(b.rng.uniform(0.38, 0.52))
        crate = b.material("pine", "oak", "grey planks", tile_m=1.0)
        rim = [box(size + 0.03, 0.07, size + 0.03).at(up=u) for u in (0.02, size - 0.09)]
        shapes: list[Shape] = [(merge([box(size, size, size), *rim]), crate)]
        b.add("crate", shapes, at=(x + dx, 0, z), yaw=float(b.rng.uniform(-15, 15)), movable=True)


def _machines(b: SceneBuilder, wood: Material, metal: Material) -> None:
    second = tinted("worn paint", b.rng, noun="painted metal")
    tools.sawhorses(
        b, (2.0, 0, 2.1), float(b.rng.uniform(-20, 20)), wood, b.material("pine", "oak", "walnut", tile_m=1.2)
    )
    left, right = ((-3.0, 2.2), (6.8, 2.6)) if b.rng.random() < 0.5 else ((6.8, 2.6), (-3.0, 2.2))
    tools.table_saw(b, (left[0], 0, left[1]), float(b.rng.uniform(-25, 25)), second, metal)
    tools.workbench(b, (right[0], 0, right[1]), wood, metal, width=1.6)
    _bench_top(b, right[0], right[1])
    for x in (-4.8, -1.0, 2.8, 6.6, 10.4):
        tools.strip_light(b, (x, 2.55, 4.6), hang_up=SHED.height, lit=True)
    for x in (-2.9, 8.5):
        tools.strip_light(b, (x, 2.55, 1.6), hang_up=SHED.height, lit=True)


def _shed_stores(b: SceneBuilder, wood: Material, metal: Material) -> None:
    tools.bicycle(b, (-1.9, 0, 4.75), float(b.rng.uniform(-10, 10)), tinted("paint", b.rng, noun="painted steel"))
    tools.tyre_stack(b, (0.6, 0, 4.95), count=int(b.rng.integers(2, 5)))
    if b.rng.random() < 0.6:
        street.barrel(b, (3.0, 0, 4.98), wood, metal)
    tools.bicycle(b, (8.2, 0, 4.8), 180 + float(b.rng.uniform(-12, 12)), tinted("paint", b.rng, noun="painted steel"))
    exhibits.ladder(b, (9.55, 0, 5.65), wood, height=2.6, lean=10)
    for x, z in ((-5.9, 3.6), (-5.8, 2.8), (5.4, 4.9), (10.9, 1.2), (13.9, 5.0)):
        street.barrel(b, (x, 0, z), b.material("oak", "pine", tile_m=1.0), metal)
    tools.timber_rack(b, (SHED.x[0] + 0.5, 0, 0.4), -90, metal)
    tools.rolling_chest(b, (5.2, 0, 1.5), 90, tinted("paint", b.rng, noun="painted metal"))
    glasshouse.wheelbarrow(
        b, (11.0, 0, 3.3), float(b.rng.uniform(0, 90)), tinted("paint", b.rng, noun="painted steel"), wood
    )
    tools.timber_rack(b, (SHED.x[1] - 0.5, 0, 3.9), 90, metal)
    tools.tyre_stack(b, (13.2, 0, 2.6), count=3)
    for x in (-4.0, 0.5, 5.0, 9.5, 12.0):
        tools.workbench(b, (x, 0, SHED.z[0] + 0.5), wood, metal)
    for x in (-4.5, 0.0, 4.4, 8.8):
        poster = b.one_of("poster", "pinboard", "poster")
        shopfit.board(b, (x, 1.9, SHED.z[0] + 0.03), 180, wood, size=(1.2, 0.8), texture=poster)


GLASS = shells.Room((-6.6, 15.0), (-3.0, 6.3), 2.7)

GLASS_LIGHT = Light(
    to_sun=(-0.55, -0.75, -0.35),
    sun=(2.7, 2.5, 2.05),
    sky_ambient=(0.62, 0.68, 0.7),
    ground_ambient=(0.4, 0.42, 0.36),
    fog_per_m=0.002,
    clouds=0.55,
)


def glasshouse_nursery(b: SceneBuilder) -> str:
    """A glasshouse of several spans: staging with pots, beds, climbing plants, palms, hanging baskets."""
    b.light = GLASS_LIGHT
    wood = b.material("oak", "pine", "grey planks", tile_m=1.2)
    frame = tinted(
        "paint", b.rng, among=("white", "forest green", "sage green", "charcoal", "sky blue"), noun="painted iron"
    )
    pane = Material("paint", (0.78, 0.86, 0.84), emit=0.12, words="frosted glass", variant=int(b.rng.integers(4)))
    _glass_shell(b, frame, pane)
    _glass_back(b, wood, frame)
    _glass_middle(b, wood)
    _glass_ends(b, wood)
    shells.garden(b, GLASS, trees=False)
    return b.one_of("glasshouse full of potted plants", "nursery greenhouse with staging and climbing plants")


def _glass_shell(b: SceneBuilder, frame: Material, pane: Material) -> None:
    floor = b.material("brick paving", "gravel", "paving slabs", "terracotta tiles", tile_m=1.6)
    rooms.tiled_plane(b, "floor", floor, x=GLASS.x, z=GLASS.z, up=0.0, tile_m=1.4)
    base = b.material("red brick", "brick", "white brick", "rubble stone", tile_m=1.3)
    spans, rise = int(b.rng.integers(5, 7)), float(b.rng.uniform(1.1, 1.5))
    glasshouse.glazed_wall(b, GLASS.far(12), 12, base, frame, pane)
    glasshouse.glazed_wall(b, GLASS.left(5), 5, base, frame, pane)
    glasshouse.glazed_wall(b, GLASS.right(5), 5, base, frame, pane)
    fit = shells.Fittings(rooms.WallLook(base, frame), frame)
    shells.wall_row(b, GLASS.near(12), "wwwwdwwwwwww", fit)
    glasshouse.ridged_roof(b, GLASS, frame, pane, spans=spans, rise=rise)
    width = (GLASS.x[1] - GLASS.x[0]) / spans
    for i in range(spans):
        for z in (GLASS.z[1], GLASS.z[0]):
            at = (GLASS.x[0] + (i + 0.5) * width, GLASS.height, z)
            glasshouse.glazed_gable(b, at, frame, pane, width=width, rise=rise)
        if i:
            for z in (5.0, -1.6):
                post = merge([cylinder(0.055, GLASS.height, sides=10), box(0.2, 0.06, 0.2)])
                b.add("iron post", [(post, frame)], at=(GLASS.x[0] + i * width, 0, z))


def _glass_back(b: SceneBuilder, wood: Material, frame: Material) -> None:
    """Along the wall ahead, in places of 1.7 m: staging, climbers, palms; a second row in front."""
    kinds = ["staging"] * 4 + ["canes"] * 3 + ["palms"] * 3 + ["cacti", "staging"]
    b.rng.shuffle(kinds)
    for i, kind in enumerate(kinds):
        x = -5.7 + 1.76 * i
        if kind == "staging":
            glasshouse.staging(b, (x, 0, 5.75), 0, wood, width=1.66)
        elif kind == "canes":
            glasshouse.raised_bed(b, (x, 0, 5.7), wood, length=1.6, canes=True)
        elif kind == "palms":
            for dx in (-0.42, 0.4):
                glasshouse.palm(
                    b, (x + dx, 0, 5.7 + float(b.rng.uniform(-0.15, 0.15))), height=float(b.rng.uniform(1.7, 2.5))
                )
        else:
            for dx in (-0.5, 0.2):
                glasshouse.tall_cactus(b, (x + dx, 0, 5.75), height=float(b.rng.uniform(1.1, 1.8)))
    _glass_front(b, frame)


def _glass_front(b: SceneBuilder, frame: Material) -> None:
    """Pots, planters and cans before the back row, hanging baskets above."""
    for x in (-3.8, -1.1, 1.4, 3.9, 6.6, 9.2):
        spot = (x + float(b.rng.uniform(-0.4, 0.4)), 0.0, 5.1)
        kind = b.one_of("plant", "bed", "can", "plant")
        if kind == "plant":
            pot = tinted("stucco", b.rng, among=("terracotta", "rust red", "slate blue", "ochre"), noun="clay pot")
            decor.potted_plant(b, spot, pot, height=float(b.rng.uniform(0.7, 1.0)))
        elif kind == "bed":
            street.planter(b, spot, 0, length=1.1, height=0.4)
        else:
            glasshouse.watering_can(b, spot, float(b.rng.uniform(0, 180)), b.material("steel", "rusty metal", "brass"))
    for x in np.arange(-5.4, 13.0, 1.55):
        if b.rng.random() < 0.8:
            low = float(b.rng.uniform(2.05, 2.3))
            glasshouse.hanging_basket(b, (float(x), low, 5.15), frame, hang_up=2.95)


def _glass_middle(b: SceneBuilder, wood: Material) -> None:
    glasshouse.raised_bed(b, (2.0, 0, 2.3), wood, length=1.7)
    glasshouse.watering_can(
        b, (1.6, 0, 1.45), float(b.rng.uniform(0, 180)), b.material("steel", "brass", "rusty metal")
    )
    for z in (1.6, 3.6):
        glasshouse.staging(b, (-2.5, 0, z), -90, wood, width=1.7)
        glasshouse.staging(b, (6.2, 0, z), 90, wood, width=1.7)
    stone = b.material("granite", "ashlar stone", "concrete", tile_m=1.4)
    if b.rng.random() < 0.5:
        street.fountain(b, (9.3, 0, 2.9), stone, radius=0.95)
    else:
        glasshouse.raised_bed(b, (9.0, 0, 2.2), wood, length=1.8, canes=True)
        glasshouse.raised_bed(b, (9.0, 0, 3.7), wood, length=1.8, canes=True)
    barrow = tinted("paint", b.rng, noun="painted steel")
    glasshouse.wheelbarrow(b, (-4.4, 0, 2.6), float(b.rng.uniform(-40, 40)), barrow, wood)


def _glass_ends(b: SceneBuilder, wood: Material) -> None:
    for z in (-1.8, 0.2, 3.9):
        glasshouse.staging(b, (GLASS.x[0] + 0.5, 0, z), -90, wood, width=1.6)
    for x, z in ((-5.6, 1.9), (-3.6, -1.8), (11.2, 1.4), (12.0, 4.2), (14.0, 2.6), (13.6, 5.2), (10.6, -1.9)):
        glasshouse.palm(b, (x, 0, z), height=float(b.rng.uniform(1.5, 2.4)))
    for x in (-0.8, 1.2, 5.4, 7.4):
        glasshouse.staging(b, (x, 0, GLASS.z[0] + 0.5), 180, wood, width=1.7)


SCHOOL = shells.Room((-6.2, 14.2), (-3.0, 6.1), 3.15)

SCHOOL_LIGHT = Light(
    to_sun=(-0.72, -0.55, 0.2),
    sun=(3.0, 2.7, 2.2),
    sky_ambient=(0.55, 0.55, 0.56),
    ground_ambient=(0.47, 0.45, 0.41),
    fog_per_m=0.0005,
    clouds=0.35,
)


def village_classroom(b: SceneBuilder) -> str:
    """A classroom: boards, maps and cupboards along the wall ahead, rows of desks, windows to the left."""
    b.light = SCHOOL_LIGHT
    wood, metal = b.material("oak", "pine", "walnut", tile_m=1.2), b.material("steel", "black metal")
    trim = tinted("paint", b.rng, among=("white", "cream", "sage green", "sky blue", "slate blue"), noun="painted wood")
    dado = tinted("paint", b.rng, noun="painted panelling") if b.rng.random() < 0.7 else wood
    fit = shells.Fittings(rooms.WallLook(tinted("plaster", b.rng, among=PALE), trim, dado), metal, sill=1.0, top=2.7)
    _school_shell(b, fit)
    _school_wall(b, wood, metal)
    _desks(b, wood, metal)
    _school_ends(b, wood, metal)
    return b.one_of("village classroom with rows of desks", "school classroom with a chalkboard and maps")


def _school_shell(b: SceneBuilder, fit: shells.Fittings) -> None:
    floor = b.material("parquet", "oak planks", "grey planks", "terrazzo", tile_m=1.4)
    rooms.tiled_plane(b, "floor", floor, x=SCHOOL.x, z=SCHOOL.z, up=0.0, tile_m=1.4)
    shells.ceiling(b, SCHOOL, Material("ceiling tiles", tile_m=2.4), tile_m=2.0)
    shells.wall_row(b, SCHOOL.far(12), "w" * 12, fit)
    shells.wall_row(b, SCHOOL.left(5), "oooow", fit)
    shells.wall_row(b, SCHOOL.right(5), "wwdww", fit)
    shells.wall_row(b, SCHOOL.near(12), "w" * 12, fit)
    shells.garden(b, SCHOOL, sides="left")
    places = [(x, z) for x in (-4.2, -0.4, 3.4, 7.2, 11.0) for z in (1.0, 4.4)]
    shells.light_panels(b, places, up=SCHOOL.height, size=(1.5, 0.3))


def _school_wall(b: SceneBuilder, wood: Material, metal: Material) -> None:
    """The wall ahead in places of 2 m, in a random order."""
    z = SCHOOL.z[1]
    kinds = ["board", "board", "map", "pins", "books", "cupboard", "sink", "art", "books", "pins"]
    b.rng.shuffle(kinds)
    for i, kind in enumerate(kinds):
        x = -5.1 + 2.04 * i
        if kind == "board":
            shopfit.board(b, (x, 1.7, z - 0.03), 0, wood, size=(1.85, 1.2), texture="chalkboard")
            b.add("chalk tray", [(box(1.8, 0.03, 0.1), wood)], at=(x, 1.02, z - 0.08))
            _teacher_desk(b, x, wood)
        elif kind == "map":
            shopfit.board(b, (x, 1.85, z - 0.03), 0, wood, size=(1.8, 1.15), texture="world map")
            furniture.cabinet(b, (x, 0, z - 0.28), 0, wood, metal, size=(1.5, 0.8, 0.45))
            exhibits.globe(b, (x - 0.3, 0.8, z - 0.3), wood, radius=0.17, stand=0.34)
            decor.book_stack(b, (x + 0.35, 0.8, z - 0.28))
        elif kind == "pins":
            shopfit.board(b, (x, 1.75, z - 0.03), 0, wood, size=(1.7, 1.1), texture="pinboard")
            _trays(b, x)
        elif kind == "books":
            furniture.bookcase(b, (x - 0.5, 0, z - 0.2), 0, wood, width=0.95, height=1.9)
            furniture.bookcase(b, (x + 0.5, 0, z - 0.2), 0, wood, width=0.95, height=1.9)
            decor.vase(b, (x - 0.5, 1.94, z - 0.2), tinted("paint", b.rng, noun="glazed"), leaves=True)
            exhibits.globe(b, (x + 0.5, 1.93, z - 0.2), wood, radius=0.14, stand=0.28)
        elif kind == "cupboard":
            _cupboard(b, x, metal)
        elif kind == "sink":
            furniture.counter(b, (x, 0, z - 0.36), 0, tinted("paint", b.rng, noun="painted wood"), wood, width=1.8)
            jars = [tinted("paint", b.rng, noun="paint jar") for _ in range(6)]
            for j, tone in enumerate(jars):
                pot = [(lathe([(0.0, 0.0), (0.06, 0.0), (0.06, 0.13), (0.05, 0.13), (0.05, 0.1)], sides=12), tone)]
                b.add("paint jar", pot, at=(x - 0.7 + 0.26 * j, 0.94, z - 0.35), movable=True)
            _small_pictures(b, x)
        else:
            _small_pictures(b, x)
            decor.potted_plant(b, (x + 0.5, 0, z - 0.45), tinted("paint", b.rng, noun="glazed pot"), height=1.2)
            _trays(b, x - 0.4)
    decor.clock(b, (-0.1, 2.68, z - 0.01), 0, metal)


def _small_pictures(b: SceneBuilder, x: float) -> None:
    frame = tinted("paint", b.rng, noun="painted frame")
    for dx in (-0.55, 0.0, 0.55):
        for up in (1.5, 2.1):
            decor.painting(b, (x + dx, up, SCHOOL.z[1] - 0.03), 0, frame, size=(0.4, 0.42))


def _trays(b: SceneBuilder, x: float) -> None:
    """A low rack of coloured trays."""
    body = b.material("pine", "oak", tile_m=1.0)
    case = [box(1.3, 0.03, 0.4).at(up=u) for u in (0.05, 0.72)] + [
        box(0.03, 0.7, 0.4).at(x=q) for q in (-0.65, -0.22, 0.22, 0.65)
    ]
    b.add("tray rack", [(merge([*case, box(1.3, 0.7, 0.02).at(z=0.2)]), body)], at=(x, 0, SCHOOL.z[1] - 0.25))
    for column in range(3):
        for row in range(4):
            tone = tinted("paint", b.rng, noun="plastic")
            at = (x - 0.435 + 0.435 * column, 0.1 + 0.155 * row, SCHOOL.z[1] - 0.27)
            b.add("tray", [(box(0.39, 0.12, 0.38), tone), (box(0.14, 0.03, 0.03).at(up=0.07, z=-0.2), tone)], at=at)


def _cupboard(b: SceneBuilder, x: float, metal: Material) -> None:
    body = tinted("paint", b.rng, noun="painted wood")
    shapes: list[Shape] = [(box(1.6, 2.0, 0.5), body), (box(1.66, 0.06, 0.56).at(up=2.0), body)]
    for side in (-1, 1):
        leaf = Material("panelled door", body.tint, words=body.words, variant=1)
        shapes.append((box(0.77, 1.85, 0.02, metric=False).at(x=side * 0.395, up=0.08, z=-0.26), leaf))
        shapes.append((box(0.03, 0.16, 0.04).at(x=side * 0.06, up=0.95, z=-0.29), metal))
    b.add("cupboard", shapes, at=(x, 0, SCHOOL.z[1] - 0.28), landmark=True)
    for dx in (-0.4, 0.35):
        tone = b.material("pine", "linen", tile_m=1.0, words="cardboard")
        size = float(b.rng.uniform(0.26, 0.36))
        b.add("storage box", [(box(0.6, size, 0.4), tone)], at=(x + dx, 2.06, SCHOOL.z[1] - 0.28), movable=True)


def _teacher_desk(b: SceneBuilder, x: float, wood: Material) -> None:
    z = SCHOOL.z[1] - 0.95
    furniture.table(b, (x, 0, z), 0, wood, size=(1.4, 0.65))
    decor.book_stack(b, (x - 0.4, 0.74, z))
    if b.rng.random() < 0.5:
        exhibits.globe(b, (x + 0.4, 0.74, z), wood, radius=0.16, stand=0.32)
    else:
        decor.vase(b, (x + 0.4, 0.74, z), tinted("paint", b.rng, noun="glazed"), leaves=True)
    decor.book_stack(b, (x, 0.74, z - 0.1))


def _desks(b: SceneBuilder, wood: Material, metal: Material) -> None:
    seat = tinted("paint", b.rng, noun="plastic")
    pairs = bool(b.rng.random() < 0.5)
    spots = [(x, z) for x in (-4.6, -3.1, -1.6) for z in (1.5, 3.0)] + [(2.0, 1.6), (2.0, 2.9)]
    spots += [(x, z) for x in (6.0, 7.5, 9.0, 10.5) for z in (1.5, 3.2)] + [(x, -1.7) for x in (-4.6, -2.4, 8.6, 10.8)]
    for x, z in spots:
        turn = float(b.rng.uniform(-4, 4)) if pairs else float(b.rng.uniform(-14, 14))
        legs = furniture.legs(1.0, 0.48, 0.68, thick=0.04, round_=True)
        tray = box(0.9, 0.02, 0.4).at(up=0.56)
        desk: list[Shape] = [(merge([legs, tray]), metal), (box(1.1, 0.035, 0.55).at(up=0.68), wood)]
        b.add("desk", desk, at=(x, 0, z), yaw=turn)
        for dx in (-0.26, 0.26) if pairs else (0.0,):
            street.cafe_chair(b, (x + dx, 0, z - 0.45), 180 + turn + float(b.rng.uniform(-10, 10)), metal, seat)
        if b.rng.random() < 0.7:
            decor.book_stack(b, (x + float(b.rng.uniform(-0.3, 0.3)), 0.715, z))
    if b.rng.random() < 0.7:
        decor.rug(b, (6.6, 0, 4.9), 0, size=(2.6, 1.1))


def _school_ends(b: SceneBuilder, wood: Material, metal: Material) -> None:
    for z in (-1.9, 3.3):
        decor.potted_plant(b, (SCHOOL.x[0] + 0.5, 0, z), tinted("paint", b.rng, noun="glazed pot"), height=1.2)
    for i, z in enumerate((-1.6, 0.2, 4.6)):
        kind = ("pinboard", "world map", "chalkboard")[(i + int(b.rng.integers(3))) % 3]
        shopfit.board(b, (SCHOOL.x[1] - 0.03, 1.7, z), 90, wood, size=(1.5, 1.0), texture=kind)
    for x in (-4.4, -1.2, 4.8, 8.0, 11.2):
        shopfit.board(
            b, (x, 1.75, SCHOOL.z[0] + 0.03), 180, wood, size=(1.5, 0.95), texture=b.one_of("pinboard", "poster")
        )
        furniture.cabinet(b, (x, 0, SCHOOL.z[0] + 0.26), 180, wood, metal, size=(1.5, 0.75, 0.42))
    for x in (-3.9, 0.9, 5.0, 9.6):
        _coat(b, (x, 1.2, SCHOOL.z[0] + 0.12))


def _coat(b: SceneBuilder, at: tuple[float, float, float]) -> None:
    """A coat on a hook, hanging on the wall behind the camera."""
    cloth = tinted("wool", b.rng)
    body = lathe([(0.2, -0.5), (0.17, 0.0), (0.07, 0.28), (0.03, 0.32)], sides=12).scaled(z=0.45)
    sleeves = [box(0.09, 0.5, 0.08).tilted(about_z=s * 9).at(x=s * 0.16, up=-0.28) for s in (-1, 1)]
    b.add("coat", [(merge([body, *sleeves]), cloth)], at=(at[0], at[1] + 0.3, at[2] + 0.02), movable=True)
