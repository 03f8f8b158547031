"""Indoor layouts of homes. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box
from revisit_metric.controls.parts import decor, furniture, rooms, shells
from revisit_metric.controls.parts import kitchenware as kit
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import PALE, tinted

KITCHEN = shells.Room((-6.0, 14.4), (-2.6, 5.9), 2.75)

KITCHEN_LIGHT = Light(
    to_sun=(-0.62, -0.55, 0.4),
    sun=(3.3, 2.9, 2.3),
    sky_ambient=(0.54, 0.54, 0.54),
    ground_ambient=(0.45, 0.41, 0.36),
    fog_per_m=0.0005,
    clouds=0.3,
)


def farmhouse_kitchen(b: SceneBuilder) -> str:
    """A low country kitchen: a run of cabinets with a range cooker, a work table, a long dining table."""
    b.light = KITCHEN_LIGHT
    wood, metal = b.material("oak", "pine", "walnut", tile_m=1.2), b.material("brass", "black metal", "steel")
    trim = tinted("paint", b.rng, among=("white", "cream", "sage green"), noun="painted wood")
    fit = shells.Fittings(rooms.WallLook(tinted("plaster", b.rng, among=PALE), trim), metal, sill=1.05, top=2.3)
    look = kit.KitchenLook(
        tinted("paint", b.rng, noun="painted wood"),
        b.material("marble", "dark marble", "oak", "terrazzo", tile_m=1.2),
        metal,
    )
    _kitchen_shell(b, fit, wood)
    _cabinet_run(b, look, wood)
    _work_table(b, wood, metal)
    _breakfast_corner(b, wood)
    _dining_end(b, look, wood, metal)
    _behind(b, look, wood, metal)
    shells.garden(b, KITCHEN)
    return b.one_of("farmhouse kitchen with a range cooker", "country kitchen with a long dining table")


def _kitchen_shell(b: SceneBuilder, fit: shells.Fittings, wood: Material) -> None:
    floor = b.material("terracotta tiles", "chequered marble", "ceramic tiles", "grey planks", tile_m=1.6)
    rooms.tiled_plane(b, "floor", floor, x=KITCHEN.x, z=KITCHEN.z, up=0.0, tile_m=1.4)
    boards = b.material("pine", "plaster", "grey planks", tile_m=1.6)
    shells.ceiling(b, KITCHEN, boards, tile_m=2.0)
    shells.beams(b, KITCHEN, replace(wood, tint=(0.7, 0.7, 0.7)), step=1.15, size=(0.13, 0.17), across=False)
    shells.wall_row(b, KITCHEN.far(12), "wwowwowwwdow", fit)
    shells.wall_row(b, KITCHEN.left(5), "wowow", fit)
    shells.wall_row(b, KITCHEN.right(5), "wdwww", fit)
    shells.wall_row(b, KITCHEN.near(12), "wwwwdwwwwwww", fit)


def _cabinet_run(b: SceneBuilder, look: kit.KitchenLook, wood: Material) -> None:
    """Cabinets along the wall ahead, x -5.3 to 7.3; sinks under windows, the rest in any order."""
    z, wall = KITCHEN.z[1] - 0.32, KITCHEN.z[1]
    tiles = b.material("subway tiles", "blue tiles", "ceramic tiles", "terracotta tiles", tile_m=1.1)
    enamel = tinted("paint", b.rng, noun="enamel")
    for x in np.arange(-4.6, 7.6, 1.2):
        height = 0.13 if abs(x + 1.75) < 0.9 or abs(x - 3.35) < 0.9 else 0.55
        kit.splashback(b, (float(x), 0.92, wall - 0.012), tiles, width=1.2, height=height)
    kit.fridge(b, (-5.5, 0, z), enamel, look.knob, height=float(b.rng.uniform(1.6, 1.95)))
    basin = tinted("paint", b.rng, among=("white", "cream", "light grey"), noun="ceramic")
    near, far = (-1.75, 3.35) if b.rng.random() < 0.5 else (3.35, -1.75)
    kit.sink(b, (near, 0, z), look, basin)
    kit.base_cabinet(b, (far, 0, z), look, drawers=True)
    kit.jars(b, (far, 0.92, z + 0.12), width=0.9)
    cooker_x = (-0.3, 0.8, 2.0)[int(b.rng.integers(3))]
    _cooker_bay(b, cooker_x, look, enamel)
    for x in (-4.5, -3.05, -0.3, 0.8, 2.0, 4.6, 5.75, 6.9):
        if x != cooker_x:
            _cabinet_bay(b, x, look, wood)


def _cooker_bay(b: SceneBuilder, x: float, look: kit.KitchenLook, enamel: Material) -> None:
    z = KITCHEN.z[1] - 0.32
    metal = b.material("steel", "brass", "black metal")
    kit.cooker(b, (x, 0, z), replace(enamel, variant=1), metal, width=1.05)
    hood = metal if b.rng.random() < 0.5 else look.body
    kit.hood(b, (x, 1.72, KITCHEN.z[1] - 0.3), hood, ceiling_up=KITCHEN.height)
    kit.kettle(b, (x + 0.26, 0.935, z - 0.16), b.material("steel", "brass"))
    kit.pan(b, (x - 0.26, 0.935, z + 0.1), b.material("steel", "black metal"))


def _cabinet_bay(b: SceneBuilder, x: float, look: kit.KitchenLook, wood: Material) -> None:
    z, width = KITCHEN.z[1] - 0.32, 1.12
    kit.base_cabinet(b, (x, 0, z), look, width=width, drawers=bool(b.rng.random() < 0.4))
    if b.rng.random() < 0.5:
        kit.wall_cupboard(b, (x, 1.5, KITCHEN.z[1] - 0.18), look, width=width, height=float(b.rng.uniform(0.65, 0.8)))
    else:
        for up in (1.52, 1.95):
            furniture.wall_shelf(b, (x, up, KITCHEN.z[1] - 0.14), 0, wood, width=width)
            kit.jars(b, (x, up + 0.035, KITCHEN.z[1] - 0.14), width=width - 0.1)
    thing = b.one_of("jars", "bread", "bowl", "jug", "plant", "kettle")
    place = (x + float(b.rng.uniform(-0.2, 0.2)), 0.92, z)
    glaze = tinted("paint", b.rng, noun="glazed")
    if thing == "jars":
        kit.jars(b, (x, 0.92, z + 0.12), width=0.9)
    elif thing == "bread":
        kit.bread_board(b, place, wood)
    elif thing == "bowl":
        decor.bowl(b, place, glaze, tinted("paint", b.rng, noun="fruit"))
    elif thing == "jug":
        kit.jug(b, place, glaze, size=1.5)
    elif thing == "plant":
        decor.vase(b, place, glaze, height=0.24, leaves=True)
    else:
        kit.kettle(b, place, b.material("steel", "brass"))


def _work_table(b: SceneBuilder, wood: Material, metal: Material) -> None:
    """In the middle of the loop: everything stays below a metre; the pans hang high above."""
    x, z = 2.0, 2.1
    decor.rug(b, (x, 0, z), 90, size=(2.0, 2.2))
    furniture.table(b, (x, 0, z), 0, wood, size=(1.5, 0.85), height=0.78)
    kit.bread_board(b, (x - 0.35, 0.78, z), b.material("oak", "walnut", tile_m=1.0))
    decor.bowl(
        b, (x + 0.35, 0.78, z + 0.1), tinted("paint", b.rng, noun="glazed"), tinted("paint", b.rng, noun="fruit")
    )
    for dx in (-0.55, 0.45):
        furniture.stool(b, (x + dx, 0, z - 0.75), wood, height=0.5)
    copper = Material("brass", (1.0, 0.62, 0.42), words="copper")
    kit.pot_rack(b, (-2.9, 2.3, 4.75), metal, copper, ceiling_up=KITCHEN.height)
    for px in (-0.9, 2.6, 5.7):
        decor.pendant(b, (px, 2.1, 4.9), metal, ceiling=KITCHEN.height)


def _breakfast_corner(b: SceneBuilder, wood: Material) -> None:
    x, z = -3.3, float(b.rng.uniform(2.3, 2.7))
    seat = tinted("wool", b.rng)
    decor.rug(b, (x, 0, z), 0, size=(2.5, 2.3))
    furniture.table(b, (x, 0, z), 0, wood, size=(1.2, 1.0))
    for turn in (20.0, 110.0, 200.0, 290.0):
        a = np.radians(turn)
        place = (x + 0.85 * float(np.sin(a)), 0.0, z + 0.8 * float(np.cos(a)))
        furniture.chair(b, place, turn + float(b.rng.uniform(-10, 10)), wood, seat)
    decor.vase(b, (x + 0.1, 0.74, z), tinted("paint", b.rng, noun="glazed"), leaves=True)
    kit.jug(b, (x - 0.3, 0.74, z - 0.2), tinted("paint", b.rng, noun="glazed"))
    decor.pendant(b, (x, 1.9, z), Material("black metal"), ceiling=KITCHEN.height)
    for px, pz in ((-5.5, 4.4), (-5.5, 1.1), (-5.4, -1.6)):
        pot = tinted("paint", b.rng, noun="glazed pot")
        decor.potted_plant(b, (px, 0, pz), pot, height=float(b.rng.uniform(0.9, 1.6)))
    decor.clock(b, (KITCHEN.x[0] + 0.01, 1.9, 4.95), -90, wood)


def _dining_end(b: SceneBuilder, look: kit.KitchenLook, wood: Material, metal: Material) -> None:
    x, z = 10.6, 2.9
    decor.rug(b, (x, 0, z), 0, size=(3.8, 2.6))
    furniture.table(b, (x, 0, z), 0, wood, size=(2.8, 1.0))
    seat = tinted("linen", b.rng)
    for dx in (-1.0, -0.3, 0.4, 1.1):
        furniture.chair(b, (x + dx, 0, z + 0.78), float(b.rng.uniform(-9, 9)), wood, seat)
    bench = [(box(2.4, 0.05, 0.34).at(up=0.42), wood), (furniture.legs(2.2, 0.3, 0.42, thick=0.06), wood)]
    b.add("bench", bench, at=(x, 0, z - 0.8), movable=True)
    decor.vase(b, (x + 0.3, 0.74, z), tinted("paint", b.rng, noun="glazed"), leaves=True)
    decor.bowl(b, (x - 0.6, 0.74, z), tinted("paint", b.rng, noun="glazed"), tinted("paint", b.rng, noun="fruit"))
    for dx in (-0.8, 0.8):
        decor.pendant(b, (x + dx, 1.85, z), metal, ceiling=KITCHEN.height, light=dx > 0)
    kit.dresser(b, (8.35, 0, KITCHEN.z[1] - 0.32), look)
    kit.dresser(b, (13.4, 0, KITCHEN.z[1] - 0.32), look, width=1.3)
    furniture.sofa(b, (6.6, 0, 2.7), 90, tinted("linen", b.rng), wood, seats=2)
    for wz in (-1.4, 0.4, 4.4):
        decor.painting(b, (KITCHEN.x[1] - 0.03, 1.6, wz), 90, wood, size=(0.8, 0.6))
    furniture.cabinet(b, (KITCHEN.x[1] - 0.27, 0, 0.4), 90, look.body, metal)
    decor.potted_plant(b, (13.3, 0, -1.9), tinted("paint", b.rng, noun="glazed pot"), height=1.4)


def _behind(b: SceneBuilder, look: kit.KitchenLook, wood: Material, metal: Material) -> None:
    """Along the wall behind the camera: cabinets, shelves, bookcases and pictures."""
    z = KITCHEN.z[0]
    for x in (-4.4, -2.4, 3.4, 5.6, 7.8, 10.2, 12.4):
        if b.rng.random() < 0.4:
            furniture.bookcase(b, (x, 0, z + 0.2), 180, wood, width=1.2, height=1.9)
            continue
        furniture.cabinet(b, (x, 0, z + 0.27), 180, look.body, metal, size=(1.5, 0.85, 0.45))
        decor.vase(b, (x + 0.4, 0.86, z + 0.27), tinted("paint", b.rng, noun="glazed"), leaves=True)
        decor.painting(b, (x, 1.7, z + 0.03), 180, wood, size=(1.0, 0.7))
