"""Indoor layouts. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box
from revisit_metric.controls.parts import decor, furniture, rooms
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import PALE, tinted

HEIGHT_M = 3.0
LEFT, RIGHT, NEAR, FAR = -6.6, 15.0, -2.4, 6.2

ROOM_LIGHT = Light(
    to_sun=(-0.42, -0.62, 0.66),
    sun=(3.4, 3.0, 2.4),
    sky_ambient=(0.46, 0.47, 0.5),
    ground_ambient=(0.4, 0.36, 0.31),
    fog_per_m=0.0005,
    clouds=0.4,
)


def living_room(b: SceneBuilder) -> str:
    """A long living room: windows, bookcases, a fireplace, a dining table, a kitchen counter."""
    b.light = ROOM_LIGHT
    wood, metal = b.material("oak", "walnut", "pine", tile_m=1.2), b.material("brass", "black metal")
    trim = tinted("paint", b.rng, among=("white", "cream"), noun="painted wood")
    wall = (
        b.material("patterned wallpaper", tile_m=1.6) if b.rng.random() < 0.4 else tinted("plaster", b.rng, among=PALE)
    )
    look = rooms.WallLook(wall, trim, trim if b.rng.random() < 0.6 else None)
    _shell(b, look)
    _far_wall(b, look, wood, metal)
    _dining_group(b, wood)
    _sitting_group(b, wood, metal)
    _right_end(b, wood, metal)
    _garden(b)
    return b.one_of("long living room with a fireplace", "loft living room with a fireplace and a dining table")


def _shell(b: SceneBuilder, look: rooms.WallLook) -> None:
    floor = b.material("oak planks", "walnut planks", "parquet", tile_m=1.0)
    ceiling = Material("plaster", (1.05, 1.05, 1.03), words="white plaster")
    span = {"x": (LEFT, RIGHT), "z": (NEAR, FAR)}
    rooms.tiled_plane(b, "floor", floor, **span, up=0.0, tile_m=1.5)
    rooms.tiled_plane(b, "ceiling", ceiling, **span, up=HEIGHT_M, tile_m=2.2)
    left = rooms.Run((LEFT, NEAR), -90.0, HEIGHT_M, (FAR - NEAR) / 6)
    right = rooms.Run((RIGHT, FAR), 90.0, HEIGHT_M, (FAR - NEAR) / 6)
    behind = rooms.Run((RIGHT, NEAR), 180.0, HEIGHT_M, (RIGHT - LEFT) / 12)
    for panel in range(6):
        if panel in (1, 3, 4):
            rooms.window(b, left, panel, look)
        else:
            rooms.wall(b, left, panel, look)
        rooms.wall(b, right, panel, look)
    for panel in range(12):
        rooms.wall(b, behind, panel, look)
    for x in np.arange(LEFT + 1.2, RIGHT, 2.4):
        beam = box(0.2, 0.22, FAR - NEAR)
        b.add(
            "beam",
            [(beam, b.material("walnut", "oak", tint=(0.8, 0.8, 0.8)))],
            at=(x, HEIGHT_M - 0.2, (NEAR + FAR) / 2),
        )


def _far_wall(b: SceneBuilder, look: rooms.WallLook, wood: Material, metal: Material) -> None:
    run = rooms.Run((LEFT, FAR), 0.0, HEIGHT_M, 1.8)
    cloth = tinted("linen", b.rng)
    windows, doorway = (2, 5, 8), 9
    for panel in range(12):
        if panel in windows:
            rooms.window(b, run, panel, look)
            rooms.curtains(b, run, panel, cloth, metal)
        elif panel == doorway:
            rooms.door(b, run, panel, look, tinted_door(b), metal)
        else:
            rooms.wall(b, run, panel, look)
    x = [run.at(p)[0] for p in range(12)]
    furniture.bookcase(b, (x[0] - 0.2, 0, FAR - 0.18), 0, wood, width=1.3)
    furniture.bookcase(b, (x[1] - 0.25, 0, FAR - 0.18), 0, wood, width=1.3)
    _fireplace(b, x[3] + 0.3)
    furniture.cabinet(
        b,
        (x[4] + 0.45, 0, FAR - 0.26),
        0,
        tinted("paint", b.rng, noun="painted wood"),
        metal,
        size=(1.5, 0.85, 0.45),
    )
    decor.painting(b, (x[4] + 0.4, 1.75, FAR - 0.03), 0, metal, size=(1.0, 0.72))
    decor.vase(b, (x[4] + 0.1, 0.86, FAR - 0.28), tinted("paint", b.rng, noun="glazed"), leaves=True)
    decor.table_lamp(b, (x[4] + 0.95, 0.86, FAR - 0.28), metal, tinted("linen", b.rng, among=("cream", "white")))
    furniture.bookcase(b, (x[6], 0, FAR - 0.18), 0, wood, width=1.5, height=2.4)
    decor.painting(b, (x[7], 1.7, FAR - 0.03), 0, wood, size=(0.75, 1.0))
    decor.potted_plant(b, (x[7] + 0.5, 0, FAR - 0.45), tinted("paint", b.rng, noun="glazed pot"), height=1.5)
    decor.clock(b, (x[10], 1.95, FAR - 0.01), 0, metal)
    furniture.cabinet(b, (x[10], 0, FAR - 0.26), 0, wood, metal, size=(1.6, 0.9, 0.45))
    decor.painting(b, (x[11], 1.6, FAR - 0.03), 0, metal)


def tinted_door(b: SceneBuilder) -> Material:
    """A panelled door in one of the strong colours or white."""
    plain = tinted("paint", b.rng, noun="painted wood")
    return Material("panelled door", plain.tint, words=plain.words, variant=plain.variant)


def _fireplace(b: SceneBuilder, x: float) -> None:
    stone = b.material("marble", "dark marble", "red brick", "ashlar stone", tile_m=1.2)
    dark = Material("red brick", (0.12, 0.11, 0.1), 0.8, words="sooty brick")
    shapes = [
        (box(0.3, 1.05, 0.34).at(x=-0.6), stone),
        (box(0.3, 1.05, 0.34).at(x=0.6), stone),
        (box(1.5, 0.25, 0.34).at(up=0.85), stone),
        (box(1.75, 0.07, 0.46).at(up=1.1, z=-0.04), stone),
        (box(0.92, 0.86, 0.03).at(z=0.14), dark),
        (box(1.7, 0.05, 0.8).at(z=-0.2), stone),
    ]
    b.add("fireplace", shapes, at=(x, 0, FAR - 0.19), landmark=True)
    for i in range(4):
        log = box(0.5, 0.09, 0.09).at(
            up=0.06 + 0.08 * (i // 2), z=-0.1 + 0.1 * (i % 2), yaw=float(b.rng.uniform(-20, 20))
        )
        b.add("firewood", [(log, Material("oak bark", tile_m=0.6))], at=(x, 0, FAR - 0.2), movable=True)
    decor.painting(b, (x, 1.95, FAR - 0.03), 0, Material("brass"), size=(1.2, 0.85), texture="landscape painting")
    for dx in (-0.6, 0.55):
        decor.vase(b, (x + dx, 1.17, FAR - 0.25), tinted("paint", b.rng, noun="glazed"), height=0.3)


def _dining_group(b: SceneBuilder, wood: Material) -> None:
    x, z = -3.3, 3.2
    seat = tinted("wool", b.rng)
    decor.rug(b, (x, 0, z), 0, size=(3.4, 2.6))
    furniture.table(b, (x, 0, z), 0, wood, size=(2.1, 1.0))
    for dx in (-0.6, 0.15, 0.75):
        furniture.chair(b, (x + dx, 0, z - 0.75), 180 + float(b.rng.uniform(-8, 8)), wood, seat)
        furniture.chair(b, (x + dx, 0, z + 0.75), float(b.rng.uniform(-8, 8)), wood, seat)
    decor.bowl(b, (x - 0.2, 0.74, z), tinted("paint", b.rng, noun="glazed"), tinted("paint", b.rng, noun="fruit"))
    decor.vase(b, (x + 0.55, 0.74, z + 0.1), tinted("paint", b.rng, noun="glazed"), leaves=True)
    decor.pendant(b, (x, 1.95, z), Material("black metal"), ceiling=HEIGHT_M)
    decor.potted_plant(b, (-6.0, 0, 5.2), tinted("paint", b.rng, noun="glazed pot"), height=1.7)
    decor.potted_plant(b, (-5.9, 0, 0.6), tinted("paint", b.rng, noun="glazed pot"), height=1.0)


def _sitting_group(b: SceneBuilder, wood: Material, metal: Material) -> None:
    cloth = tinted("linen", b.rng)
    second = b.material("leather", tile_m=1.0) if b.rng.random() < 0.4 else tinted("wool", b.rng)
    decor.rug(b, (2.0, 0, 2.1), 90, size=(2.9, 2.2))
    furniture.table(b, (2.0, 0, 2.1), 0, wood, size=(1.2, 0.7), height=0.42)
    decor.book_stack(b, (1.75, 0.42, 2.0))
    decor.vase(b, (2.3, 0.42, 2.2), tinted("paint", b.rng, noun="glazed"), height=0.22)
    furniture.sofa(b, (5.75, 0, 2.5), 90, cloth, wood)
    for dz in (-0.6, 0.55):
        decor_at = (5.8, 0.5, 2.5 + dz)
        furniture.cushion(b, decor_at, 90 + float(b.rng.uniform(-12, 12)), tinted("wool", b.rng))
    furniture.sofa(b, (2.3, 0, 5.35), 8, second, wood, seats=1)
    furniture.sofa(b, (-1.6, 0, 5.2), -24, second, wood, seats=1)
    decor.floor_lamp(b, (5.9, 0, 4.6), metal, tinted("linen", b.rng, among=("cream", "white")))


def _right_end(b: SceneBuilder, wood: Material, metal: Material) -> None:
    body, top = (
        tinted("paint", b.rng, noun="painted wood"),
        b.material("marble", "dark marble", "terrazzo", tile_m=1.2),
    )
    decor.rug(b, (9.6, 0, 3.4), 0, size=(2.6, 1.9))
    furniture.counter(b, (9.3, 0, 3.6), 0, body, top, width=2.6)
    for i in range(3):
        furniture.stool(b, (8.5 + 0.8 * i, 0, 2.85), wood)
        decor.pendant(b, (8.5 + 0.8 * i, 2.0, 3.6), metal, ceiling=HEIGHT_M, light=i == 1)
    decor.bowl(b, (9.0, 0.94, 3.6), tinted("paint", b.rng, noun="glazed"), tinted("paint", b.rng, noun="fruit"))
    decor.vase(b, (9.9, 0.94, 3.65), tinted("paint", b.rng, noun="glazed"), leaves=True)
    furniture.sofa(b, (12.8, 0, 4.4), -20, tinted("linen", b.rng), wood, seats=2)
    decor.floor_lamp(b, (14.2, 0, 5.4), metal, tinted("linen", b.rng, among=("cream", "white")))
    decor.potted_plant(b, (12.0, 0, 1.6), tinted("paint", b.rng, noun="glazed pot"), height=1.2)
    for i, z in enumerate((0.0, 2.2, 4.4)):
        decor.painting(b, (RIGHT - 0.03, 1.6, z), 90, wood, size=(0.9, 0.7 + 0.1 * i))


def _garden(b: SceneBuilder) -> None:
    """What the windows show."""
    rooms.tiled_plane(b, "lawn", b.material("grass", tile_m=3.0), x=(-40, 40), z=(FAR + 0.3, 46), up=-0.3, tile_m=10.0)
    rooms.tiled_plane(
        b,
        "lawn",
        b.material("grass", tile_m=3.0),
        x=(-40, LEFT - 0.3),
        z=(-20, FAR + 0.3),
        up=-0.3,
        tile_m=10.0,
    )
    hedge = b.material("hedge", tile_m=1.6, words="clipped hedge")
    for x in np.arange(-24, 34, 4.0):
        b.add("hedge", [(box(4.0, 1.7 + float(b.rng.uniform(0, 0.5)), 1.0), hedge)], at=(x, -0.3, 16.0))
    for z in np.arange(-10, 16, 4.0):
        b.add("hedge", [(box(1.0, 2.0, 4.0), hedge)], at=(-17.0, -0.3, z))
