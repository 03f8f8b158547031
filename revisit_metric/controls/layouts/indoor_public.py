"""Indoor layouts of public halls. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, merge, prism, quad
from revisit_metric.controls.parts import decor, exhibits, furniture, rooms, shells
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import tinted

LIBRARY = shells.Room((-6.8, 15.4), (-3.0, 6.4), 5.0)
DECK_UP, DECK_Z = 2.62, 5.15

LIBRARY_LIGHT = Light(
    to_sun=(-0.7, -0.6, 0.3),
    sun=(3.2, 2.8, 2.2),
    sky_ambient=(0.6, 0.57, 0.53),
    ground_ambient=(0.54, 0.48, 0.41),
    fog_per_m=0.0005,
    clouds=0.35,
)


def gallery_library(b: SceneBuilder) -> str:
    """A two-storey reading room: shelves below and above a gallery, reading tables, book stacks."""
    b.light = LIBRARY_LIGHT
    wood = b.material("walnut", "oak", "oak", "pine", tile_m=1.2)
    metal = b.material("brass", "black metal", "steel")
    wall = tinted("plaster", b.rng, among=("cream", "sand", "sage green", "slate blue", "rust red", "white"))
    fit = shells.Fittings(rooms.WallLook(wall, wood, wood), metal, sill=3.2, top=4.5)
    _library_shell(b, fit, wood)
    _gallery(b, wood, metal)
    _reading_tables(b, wood, metal)
    _stacks(b, wood)
    _library_middle(b, wood, metal)
    return b.one_of("library reading room with a gallery", "old library with bookshelves on a gallery")


def _library_shell(b: SceneBuilder, fit: shells.Fittings, wood: Material) -> None:
    floor = b.material("parquet", "walnut planks", "oak planks", "chequered marble", tile_m=1.2)
    rooms.tiled_plane(b, "floor", floor, x=LIBRARY.x, z=LIBRARY.z, up=0.0, tile_m=1.4)
    shells.ceiling(b, LIBRARY, b.material("plaster", "pine", tile_m=2.0), tile_m=1.85)
    dark = replace(wood, tint=(0.8, 0.8, 0.8))
    shells.beams(b, LIBRARY, dark, step=1.85, size=(0.16, 0.24))
    shells.beams(b, LIBRARY, dark, step=1.88, size=(0.14, 0.2), across=False)
    shells.wall_row(b, LIBRARY.far(12), "wwowwowwowwo", fit)
    shells.wall_row(b, LIBRARY.left(5), "wtwtw", fit)
    shells.wall_row(b, LIBRARY.right(5), "wwdww", fit)
    shells.wall_row(b, LIBRARY.near(12), "w" * 12, fit)
    shells.garden(b, LIBRARY)


def _gallery(b: SceneBuilder, wood: Material, metal: Material) -> None:
    run = LIBRARY.far(12)
    width, deep = run.panel_m, LIBRARY.z[1] - DECK_Z
    bays = ["books"] * 7 + ["door", "picture", "picture", "catalogue", "catalogue"]
    b.rng.shuffle(bays)
    for panel, kind in enumerate(bays):
        x = run.at(panel)[0]
        deck: list[Shape] = [
            (box(width, 0.1, deep).at(z=deep / 2), wood),
            (box(width, 0.2, 0.08).at(up=-0.1), wood),
        ]
        b.add("gallery", deck, at=(x, DECK_UP - 0.1, DECK_Z), joined=True)
        exhibits.balustrade(b, (x, DECK_UP, DECK_Z + 0.06), 0, wood, metal, width=width)
        _lower_bay(b, x, kind, wood, metal)
        if panel % 3 != 2:
            furniture.bookcase(b, (x, DECK_UP, LIBRARY.z[1] - 0.18), 0, wood, width=width - 0.1, height=2.1)
        if panel % 2 == 0:
            post = merge([box(0.16, DECK_UP - 0.2, 0.16), box(0.24, 0.12, 0.24), box(0.24, 0.1, 0.24).at(up=2.3)])
            b.add("post", [(post, wood)], at=(x - width / 2, 0, DECK_Z + 0.08))


def _lower_bay(b: SceneBuilder, x: float, kind: str, wood: Material, metal: Material) -> None:
    """One bay below the gallery, and what stands in front of it."""
    z, width = LIBRARY.z[1], LIBRARY.far(12).panel_m
    if kind == "door":
        leaf = [(box(1.1, 2.15, 0.06, metric=False), shells.door_leaf(b))]
        frame = merge([box(0.14, 2.3, 0.1).at(x=s * 0.62) for s in (-1, 1)] + [box(1.38, 0.14, 0.1).at(up=2.18)])
        b.add("door", [*leaf, (frame, wood)], at=(x, 0, z - 0.06), landmark=True)
        return
    if kind == "picture":
        decor.painting(b, (x, 1.72, z - 0.05), 0, metal, size=(1.15, 0.8))
        furniture.sofa(b, (x, 0, z - 0.75), 0, tinted("wool", b.rng), wood, seats=2)
        return
    if kind == "catalogue":
        exhibits.drawer_cabinet(b, (x, 0, z - 0.3), 0, wood, metal)
        stone = b.material("marble", "dark marble", "brass", tile_m=1.0)
        for dx in (-0.35, 0.35):
            exhibits.bust(b, (x + dx, 1.19, z - 0.3), stone, size=float(b.rng.uniform(0.8, 1.0)))
        decor.painting(b, (x, 2.1, z - 0.05), 0, metal, size=(1.2, 0.4), texture="landscape painting")
        return
    furniture.bookcase(b, (x, 0, z - 0.18), 0, wood, width=width - 0.1, height=2.38, shelves=6)
    if b.rng.random() < 0.4:
        exhibits.ladder(b, (x + float(b.rng.uniform(-0.5, 0.5)), 0, z - 0.78), wood, height=2.4, lean=9)
    elif b.rng.random() < 0.5:
        exhibits.plinth(b, (x + 0.4, 0, 4.95), replace(wood, variant=2), width=0.38, height=1.05)
        if b.rng.random() < 0.6:
            exhibits.bust(b, (x + 0.4, 1.05, 4.95), b.material("marble", "dark marble", "brass", tile_m=1.0))
        else:
            decor.vase(b, (x + 0.4, 1.05, 4.95), tinted("paint", b.rng, noun="glazed"), leaves=True)


def _reading_tables(b: SceneBuilder, wood: Material, metal: Material) -> None:
    shade = tinted("paint", b.rng, among=("forest green", "mustard", "crimson", "teal"), noun="glass")
    seat = b.material("leather", tile_m=1.0) if b.rng.random() < 0.5 else tinted("wool", b.rng)
    for x, z in ((-3.6, 1.9), (-3.6, 3.7), (6.4, 3.7), (6.6, 1.9)):
        furniture.table(b, (x, 0, z), 0, wood, size=(2.4, 0.85), height=0.76)
        for dx in (-0.7, 0.5):
            place = (x + dx + float(b.rng.uniform(-0.1, 0.1)), 0.0, z - 0.62)
            furniture.chair(b, place, 180 + float(b.rng.uniform(-15, 15)), wood, seat)
        exhibits.reading_lamp(b, (x - 0.75, 0.76, z + 0.1), 0, metal, shade)
        exhibits.reading_lamp(b, (x + 0.75, 0.76, z + 0.1), 0, metal, shade)
        for dx in (-0.2, 0.3):
            decor.book_stack(b, (x + dx, 0.76, z + float(b.rng.uniform(-0.25, 0.2))))
    for x, z in ((-3.6, 2.8), (2.0, 2.2), (6.5, 2.8), (11.0, 2.6)):
        shells.hanging_globe(b, (x, 3.1, z), metal, ceiling_up=LIBRARY.height, radius=0.22)
    for x in (-3.0, 1.0, 5.0, 9.0):
        b.lamp((x, 2.0, 4.8), (0.8, 0.66, 0.46), 4.0)


def _stacks(b: SceneBuilder, wood: Material) -> None:
    """Free-standing rows that run away from the camera, to the right and behind."""
    for x in (9.4, 11.2, 13.0):
        for z in (1.4, 2.9):
            height = float(b.rng.uniform(1.9, 2.3))
            furniture.bookcase(b, (x, 0, z), 90, wood, width=1.45, height=height)
            furniture.bookcase(b, (x + 0.34, 0, z), -90, wood, width=1.45, height=height)
    for x in (-5.2, -3.2, -1.2, 8.6, 10.6, 12.6):
        furniture.bookcase(b, (x, 0, LIBRARY.z[0] + 0.2), 180, wood, width=1.8, height=2.4)
    exhibits.drawer_cabinet(b, (LIBRARY.x[0] + 0.28, 0, 1.6), -90, wood, Material("brass"))
    exhibits.globe(b, (-5.7, 0, 5.0), wood, radius=0.3, stand=0.9)
    decor.potted_plant(b, (-6.1, 0, -1.7), tinted("paint", b.rng, noun="glazed pot"), height=1.7)
    decor.painting(b, (LIBRARY.x[0] + 0.03, 2.0, 1.7), -90, Material("brass"), size=(1.2, 0.8))


def _library_middle(b: SceneBuilder, wood: Material, metal: Material) -> None:
    decor.rug(b, (2.0, 0, 2.1), float(b.one_of("0", "90")), size=(2.4, 2.1))
    if b.rng.random() < 0.5:
        furniture.table(b, (2.2, 0, 2.3), 0, wood, size=(1.1, 0.7), height=0.45)
        decor.book_stack(b, (2.0, 0.45, 2.25))
        decor.vase(b, (2.45, 0.45, 2.4), tinted("paint", b.rng, noun="glazed"), height=0.24)
        exhibits.globe(b, (1.25, 0, 2.2), wood, radius=0.22, stand=0.62)
    else:
        exhibits.drawer_cabinet(b, (2.0, 0, 2.3), 0, wood, metal, rows=3)
        decor.book_stack(b, (1.7, 0.79, 2.3))
        exhibits.reading_lamp(b, (2.3, 0.79, 2.35), 0, metal, tinted("paint", b.rng, noun="glass"))
    armchair = b.material("leather", tile_m=1.0) if b.rng.random() < 0.6 else tinted("wool", b.rng)
    furniture.sofa(b, (-1.35, 0, 4.6), -14 + float(b.rng.uniform(-8, 8)), armchair, wood, seats=1)
    furniture.sofa(b, (9.0, 0, 4.7), float(b.rng.uniform(-12, 12)), armchair, wood, seats=2)


MUSEUM = shells.Room((-7.2, 15.8), (-3.4, 6.6), 4.6)

MUSEUM_LIGHT = Light(
    to_sun=(-0.5, -0.8, 0.35),
    sun=(2.6, 2.4, 2.0),
    sky_ambient=(0.52, 0.52, 0.53),
    ground_ambient=(0.5, 0.48, 0.45),
    fog_per_m=0.0005,
    clouds=0.5,
)


def museum_hall(b: SceneBuilder) -> str:
    """A vaulted hall: statues between columns, paintings, showcases, a dinosaur skeleton."""
    b.light = MUSEUM_LIGHT
    stone = b.material("marble", "ashlar stone", "sandstone", "granite", tile_m=1.8)
    tone = ("rust red", "sage green", "slate blue", "sand", "plum", "forest green", "cream", "ochre")
    look = rooms.WallLook(tinted("plaster", b.rng, among=tone), stone, replace(stone, variant=3))
    _museum_shell(b, look, stone)
    _museum_wall(b, stone)
    _museum_floor(b, stone)
    _museum_ends(b, stone)
    return b.one_of("museum hall with statues and a dinosaur skeleton", "vaulted museum gallery of antiquities")


def _museum_shell(b: SceneBuilder, look: rooms.WallLook, stone: Material) -> None:
    floor = b.material("chequered marble", "ceramic tiles", "terrazzo", "dark marble", "parquet", tile_m=2.2)
    rooms.tiled_plane(b, "floor", floor, x=MUSEUM.x, z=MUSEUM.z, up=0.0, tile_m=1.5)
    fit = shells.Fittings(look, Material("brass"), sill=1.6, top=4.0)
    shells.wall_row(b, MUSEUM.far(10), "w" * 10, fit)
    shells.wall_row(b, MUSEUM.left(5), "wowow", fit)
    shells.wall_row(b, MUSEUM.right(5), "wwdww", fit)
    shells.wall_row(b, MUSEUM.near(10), "wwwdwwwwww", fit)
    shells.garden(b, MUSEUM, sides="left")
    _vault(b, tinted("plaster", b.rng, among=("white", "cream", "light grey")), stone)


def _vault(b: SceneBuilder, cover: Material, stone: Material) -> None:
    """A barrel vault along x with ribs; its crown is glazed."""
    glow = Material("paint", (0.95, 0.98, 1.0), emit=1.2, words="frosted glass")
    low, high, rise, count = MUSEUM.z[0], MUSEUM.z[1], 2.4, 10
    middle, half = (low + high) / 2, (high - low) / 2
    angle = np.linspace(0, np.pi, count + 1)
    z, up = middle - half * np.cos(angle), MUSEUM.height + rise * np.sin(angle)
    step = (MUSEUM.x[1] - MUSEUM.x[0]) / 10
    for i in range(10):
        for j in range(count):
            face = quad((0, up[j], z[j]), (step, 0, 0), (0, up[j + 1] - up[j], z[j + 1] - z[j]), both=True)
            top = j in (4, 5)
            at = (MUSEUM.x[0] + i * step, 0.0, 0.0)
            b.add("skylight" if top else "vault", [(face, glow if top else cover)], at=at, joined=True)
        rib = []
        for j in range(count):
            run, climb = z[j + 1] - z[j], up[j + 1] - up[j]
            lean = -float(np.degrees(np.arctan2(climb, run)))
            bar = box(0.3, 0.22, float(np.hypot(run, climb)) + 0.06, centred=True).tilted(about_x=lean)
            rib.append(bar.at(up=float(up[j] + up[j + 1]) / 2 - 0.06, z=float(z[j] + z[j + 1]) / 2))
        b.add("rib", [(merge(rib), stone)], at=(MUSEUM.x[0] + i * step, 0, 0))
    for x, side in ((MUSEUM.x[0], -90.0), (MUSEUM.x[1], 90.0)):
        outline = [(float(a - middle), float(h - MUSEUM.height)) for a, h in zip(z, up, strict=True)][::-1]
        b.add("wall", [(prism(outline, 0.2), cover)], at=(x, MUSEUM.height, middle), yaw=side)


def _museum_wall(b: SceneBuilder, stone: Material) -> None:
    run = MUSEUM.far(10)
    pale = b.material("marble", "ashlar stone", tile_m=1.6)
    first = int(b.rng.integers(3))
    frame = b.material("brass", "walnut", "oak", "black metal")
    for panel in range(10):
        x = run.at(panel)[0]
        shells.column(b, (run.at(panel, 0.0)[0], 0, 5.85), stone, height=MUSEUM.height)
        beam = merge([box(run.panel_m, 0.3, 1.3), box(run.panel_m, 0.12, 1.5).at(up=0.3)])
        b.add("entablature", [(beam, stone)], at=(x, MUSEUM.height, 6.2), joined=True)
        kind = (panel + first) % 3
        if kind == 0:
            _aedicule(b, x, stone)
            exhibits.plinth(b, (x, 0, 6.1), pale, width=0.62, height=0.7)
            exhibits.statue(b, (x, 0.7, 6.1), float(b.rng.uniform(-25, 25)), pale)
        elif kind == 1:
            decor.painting(b, (x, 2.3, 6.56), 0, frame, size=(1.5, float(b.rng.uniform(1.1, 1.9))))
            exhibits.rope_barrier(b, (x - 0.6, 5.35), count=2)
        else:
            for up in (1.75, 2.95):
                decor.painting(b, (x, up, 6.56), 0, frame, size=(float(b.rng.uniform(0.9, 1.4)), 0.85))
            exhibits.plinth(b, (x, 0, 5.2), b.material("marble", "granite", "oak", tile_m=1.2), height=0.95)
            _object(b, (x, 0.95, 5.2))


def _aedicule(b: SceneBuilder, x: float, stone: Material) -> None:
    """A shallow frame with a pediment around a statue."""
    posts = [box(0.2, 2.9, 0.25).at(x=s * 0.68) for s in (-1, 1)] + [box(1.7, 0.22, 0.32).at(up=2.9)]
    gable = prism([(-0.9, 3.12), (0.9, 3.12), (0.0, 3.65)], 0.3).at(z=-0.15)
    back = tinted("plaster", b.rng, noun="plaster", among=("charcoal", "navy", "brown", "plum", "teal"))
    shapes: list[Shape] = [(merge(posts), stone), (gable, stone), (box(1.2, 2.9, 0.03).at(z=0.1), back)]
    b.add("niche", shapes, at=(x, 0, 6.46))


def _object(b: SceneBuilder, at: tuple[float, float, float]) -> None:
    """What stands on a plinth."""
    kind = b.one_of("bust", "amphora", "amphora", "vase", "bust")
    if kind == "bust":
        exhibits.bust(b, at, b.material("marble", "dark marble", "brass", "granite", tile_m=1.0))
    elif kind == "amphora":
        clay = tinted("stucco", b.rng, among=("terracotta", "ochre", "sand", "brown"), noun="clay")
        band = Material("paint", (0.09, 0.07, 0.06), words="black glaze")
        exhibits.amphora(b, at, clay, band, height=float(b.rng.uniform(0.55, 0.8)))
    else:
        decor.vase(b, at, tinted("paint", b.rng, noun="glazed"), height=0.6)


def _museum_floor(b: SceneBuilder, stone: Material) -> None:
    wood, metal = b.material("walnut", "oak", tile_m=1.2), b.material("brass", "black metal", "steel")
    kinds = ["case", "case", "case", "statue", "plinth", "plinth", "jar", "jar"]
    spots = [(-3.0, 2.0), (-4.7, 3.7), (6.5, 2.2), (6.3, 4.7), (-2.0, 4.7), (-5.6, 1.2), (-5.6, 5.2), (0.6, 5.15)]
    b.rng.shuffle(kinds)
    for kind, (x, z) in zip(kinds, spots, strict=True):
        place = (x + float(b.rng.uniform(-0.15, 0.15)), 0.0, z)
        if kind == "case":
            exhibits.showcase(b, place, float(b.one_of("0", "90", "20", "-20")), wood, metal)
        elif kind == "statue":
            exhibits.plinth(b, place, stone, width=0.7, height=0.55)
            exhibits.statue(b, (place[0], 0.55, z), float(b.rng.uniform(-60, 60)), b.material("marble", "sandstone"))
        elif kind == "jar":
            clay = tinted("stucco", b.rng, among=("terracotta", "ochre", "sand", "brown"), noun="clay")
            exhibits.amphora(
                b, place, clay, tinted("paint", b.rng, noun="glaze"), height=float(b.rng.uniform(1.2, 1.5))
            )
        else:
            height = float(b.rng.uniform(0.8, 1.1))
            exhibits.plinth(b, place, b.material("marble", "granite", "concrete", "oak", tile_m=1.2), height=height)
            _object(b, (place[0], height, z))
    _museum_middle(b, wood)
    for x in (-4.0, 1.0, 6.0, 11.0):
        b.lamp((x, 3.6, 4.4), (0.6, 0.52, 0.4), 4.5)
        b.lamp((x, 3.6, 0.6), (0.45, 0.4, 0.32), 5.0)


def _museum_middle(b: SceneBuilder, wood: Material) -> None:
    """A long seat or a low showpiece between the paths."""
    decor.rug(b, (2.0, 0, 2.1), 0, size=(2.3, 2.3))
    if b.rng.random() < 0.5:
        seat = [(box(1.7, 0.1, 0.55).at(up=0.38), b.material("leather")), (box(1.5, 0.38, 0.4), wood)]
        b.add("bench", seat, at=(2.0, 0, 2.2), yaw=float(b.rng.uniform(-20, 20)), movable=True)
    else:
        exhibits.plinth(
            b, (2.0, 0, 2.2), b.material("granite", "dark marble", "oak", tile_m=1.4), width=1.1, height=0.3
        )
        clay = tinted("stucco", b.rng, among=("terracotta", "ochre", "sand"), noun="clay")
        for dx in (-0.3, 0.3):
            exhibits.amphora(b, (2.0 + dx, 0.3, 2.2), clay, tinted("paint", b.rng, noun="glaze"), height=0.62)


def _museum_ends(b: SceneBuilder, stone: Material) -> None:
    bone = Material("stucco", (0.95, 0.86, 0.68), 1.0, words="bone")
    base = b.material("dark marble", "granite", "oak", tile_m=1.6)
    for i in range(3):
        b.add("podium", [(box(1.9, 0.25, 1.7), base)], at=(9.2 + 1.9 * i, 0, 3.0), joined=True)
    exhibits.skeleton(b, (11.0, 0.25, 3.0), 0, bone)
    exhibits.rope_barrier(b, (8.4, 1.75), count=6)
    for z in (-1.9, 0.2, 4.9):
        decor.painting(b, (MUSEUM.x[1] - 0.04, 2.1, z), 90, Material("brass"), size=(1.3, 1.0))
    marble = b.material("marble", "sandstone", tile_m=1.6)
    for z in (-1.4, 3.6):
        exhibits.plinth(b, (MUSEUM.x[0] + 0.7, 0, z), stone, height=0.6)
        exhibits.statue(b, (MUSEUM.x[0] + 0.7, 0.6, z), -90, marble)
    for x in (-4.0, 0.5, 6.0):
        exhibits.showcase(b, (x, 0, MUSEUM.z[0] + 0.5), 180, base, Material("brass"))
    for x in (-1.6, 2.6, 9.0, 12.0):
        exhibits.plinth(b, (x + 1.6, 0, MUSEUM.z[0] + 0.7), stone, height=0.9)
        _object(b, (x + 1.6, 0.9, MUSEUM.z[0] + 0.7))
        decor.painting(b, (x, 2.2, MUSEUM.z[0] + 0.04), 180, Material("brass"), size=(1.6, 1.2))
