"""Indoor layouts of cafes and shops. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box
from revisit_metric.controls.parts import decor, furniture, rooms, shells, shopfit, street
from revisit_metric.controls.parts import kitchenware as kit
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import tinted

CAFE = shells.Room((-6.4, 15.2), (-2.9, 6.0), 3.5)

CAFE_LIGHT = Light(
    to_sun=(-0.75, -0.5, 0.1),
    sun=(3.2, 2.8, 2.2),
    sky_ambient=(0.5, 0.48, 0.46),
    ground_ambient=(0.43, 0.39, 0.34),
    fog_per_m=0.0005,
    clouds=0.4,
)


def corner_cafe(b: SceneBuilder) -> str:
    """A cafe with a long bar, booths, small tables and a glazed front to the left."""
    b.light = CAFE_LIGHT
    wood = b.material("walnut", "oak", "pine", tile_m=1.2)
    metal = b.material("black metal", "brass", "steel")
    wall = b.material("red brick", "white brick", "brick", "subway tiles", tile_m=1.4)
    if b.rng.random() < 0.4:
        wall = tinted("plaster", b.rng, among=("teal", "forest green", "mustard", "cream", "rose", "navy"))
    _cafe_shell(b, wall, wood, metal)
    bar_first = bool(b.rng.random() < 0.5)
    _bar(b, 2.4 if bar_first else -2.6, wood, metal)
    _booths(b, (-5.3, -3.8, -2.3) if bar_first else (0.9, 2.4, 3.9), wood)
    _booths(b, (8.9, 10.4, 11.9, 13.4), wood)
    for x in (-0.85 if bar_first else 5.6, 7.3):
        _sideboard(b, x, wood, metal)
    _cafe_tables(b, wood, metal)
    shells.town(b, CAFE, sides="left")
    return b.one_of("corner cafe with a long bar and booths", "coffee house with a tiled bar")


def _cafe_shell(b: SceneBuilder, wall: Material, wood: Material, metal: Material) -> None:
    floor = b.material("chequered marble", "oak planks", "concrete", "terracotta tiles", "parquet", tile_m=1.5)
    rooms.tiled_plane(b, "floor", floor, x=CAFE.x, z=CAFE.z, up=0.0, tile_m=1.4)
    dark = tinted("plaster", b.rng, among=("charcoal", "navy", "brown", "cream", "white"))
    shells.ceiling(b, CAFE, dark, tile_m=2.0)
    trim = tinted("paint", b.rng, noun="painted wood")
    dado = wood if b.rng.random() < 0.5 else b.material("subway tiles", "blue tiles", tile_m=1.0)
    fit = shells.Fittings(rooms.WallLook(wall, trim, dado), metal)
    shells.wall_row(b, CAFE.far(12), "w" * 11 + "d", fit)
    shells.wall_row(b, CAFE.left(5), "tttwt", fit)
    shells.wall_row(b, CAFE.right(5), "wwdww", fit)
    shells.wall_row(b, CAFE.near(12), "w" * 12, fit)
    pipe = b.material("steel", "brass", "corrugated metal", tile_m=1.0)
    for z in (4.55, 1.4):
        shopfit.duct(b, (CAFE.x[0] + 0.2, CAFE.x[1] - 0.2), z, CAFE.height - 0.3, pipe)


def _bar(b: SceneBuilder, x0: float, wood: Material, metal: Material) -> None:
    """The bar, shelves of bottles and chalkboards behind it; 4.8 m from `x0` - 2.4."""
    front = b.one_of("wood", "tiles", "paint")
    body = {
        "wood": wood,
        "tiles": b.material("blue tiles", "subway tiles", "terracotta tiles", tile_m=0.9),
        "paint": tinted("paint", b.rng, noun="painted wood"),
    }[front]
    top = b.material("marble", "dark marble", "walnut", "terrazzo", tile_m=1.2)
    for i in range(4):
        shopfit.bar_unit(b, (x0 - 1.8 + 1.2 * i, 0, 5.0), body, top)
    things = ["machine", "cakes", "bread", "plant", "jars", "cakes"]
    b.rng.shuffle(things)
    for i, thing in enumerate(things):
        _bar_top(b, (x0 - 2.0 + 0.8 * i, 1.06, 4.98), thing)
    for dx in (-1.6, -0.5, 0.6, 1.7):
        furniture.cabinet(b, (x0 + dx, 0, CAFE.z[1] - 0.2), 0, body, metal, size=(1.05, 0.95, 0.36))
        for up in (1.35, 1.78, 2.21):
            furniture.wall_shelf(b, (x0 + dx, up, CAFE.z[1] - 0.13), 0, wood, width=1.0)
            row = shopfit.bottles if b.rng.random() < 0.6 else kit.jars
            row(b, (x0 + dx, up + 0.035, CAFE.z[1] - 0.13), width=0.95)
    shopfit.board(b, (x0 - 0.05, 2.85, CAFE.z[1] - 0.02), 0, wood, size=(1.9, 0.75), texture="chalkboard")
    for dx in (-1.6, 1.6):
        shopfit.board(b, (x0 + dx, 2.85, CAFE.z[1] - 0.02), 0, wood, size=(0.9, 0.75), texture="chalkboard")
    for dx in (-1.7, -0.55, 0.6, 1.75):
        decor.pendant(b, (x0 + dx, 2.15, 4.9), metal, ceiling=CAFE.height, light=dx in (-1.7, 0.6))


def _bar_top(b: SceneBuilder, at: tuple[float, float, float], thing: str) -> None:
    if thing == "machine":
        shopfit.coffee_machine(b, at, b.material("steel", "brass"), tinted("paint", b.rng, noun="enamel"))
    elif thing == "cakes":
        shopfit.cake_stand(b, at)
    elif thing == "bread":
        shopfit.basket(b, at, b.material("linen", tint=(0.8, 0.6, 0.35), words="straw"))
    elif thing == "plant":
        decor.vase(b, at, tinted("paint", b.rng, noun="glazed"), height=0.26, leaves=True)
    else:
        kit.jars(b, at, width=0.6)


def _booths(b: SceneBuilder, xs: tuple[float, ...], wood: Material) -> None:
    cloth = b.material("leather", tile_m=1.0) if b.rng.random() < 0.4 else tinted("linen", b.rng)
    for x in xs:
        shopfit.booth(b, (x, 0, CAFE.z[1] - 0.42), 0, cloth, wood, width=1.42)
        if b.rng.random() < 0.7:
            decor.painting(b, (x, 1.95, CAFE.z[1] - 0.03), 0, wood, size=(float(b.rng.uniform(0.7, 1.1)), 0.7))
        else:
            decor.clock(b, (x, 2.0, CAFE.z[1] - 0.01), 0, wood)
        shopfit.side_table(b, (x, 0, CAFE.z[1] - 1.05), wood)
        decor.vase(b, (x, 0.75, CAFE.z[1] - 1.0), tinted("paint", b.rng, noun="glazed"), height=0.18, leaves=True)
        kit.jug(b, (x - 0.22, 0.75, CAFE.z[1] - 1.15), tinted("paint", b.rng, noun="porcelain"), size=0.7)
    seat = tinted("wool", b.rng)
    for x in xs[1:]:
        furniture.chair(b, (x + 0.05, 0, CAFE.z[1] - 1.75), 180 + float(b.rng.uniform(-12, 12)), wood, seat)


def _sideboard(b: SceneBuilder, x: float, wood: Material, metal: Material) -> None:
    """A cabinet with cakes and cups below a picture, or a case of books and a plant."""
    z = CAFE.z[1]
    if b.rng.random() < 0.35:
        furniture.bookcase(b, (x, 0, z - 0.2), 0, wood, width=1.1, height=2.2)
        return
    furniture.cabinet(
        b, (x, 0, z - 0.28), 0, tinted("paint", b.rng, noun="painted wood"), metal, size=(1.2, 0.95, 0.45)
    )
    shopfit.cake_stand(b, (x - 0.35, 0.95, z - 0.28))
    if b.rng.random() < 0.5:
        kit.jars(b, (x + 0.2, 0.95, z - 0.25), width=0.6)
    else:
        shopfit.bottles(b, (x + 0.2, 0.95, z - 0.25), width=0.6)
    kind = b.one_of("chalkboard", "poster", "abstract painting")
    shopfit.board(b, (x, 1.9, z - 0.02), 0, wood, size=(0.95, 1.1), texture=kind)


def _cafe_tables(b: SceneBuilder, wood: Material, metal: Material) -> None:
    top, cloth = b.material("marble", "oak", "dark marble", "terrazzo", tile_m=1.0), tinted("linen", b.rng)
    spots = [(-2.3, 2.1), (-4.4, 2.9), (-3.1, 3.9), (-5.0, 0.9), (6.6, 2.7), (8.8, 2.2), (10.8, 2.8), (12.9, 1.9)]
    spots += [(1.4, -1.6), (4.9, -1.6), (-2.4, -1.5), (9.6, -1.2), (12.2, -0.9)]
    for x, z in [*spots, (2.1, 2.2)]:
        x, z = x + float(b.rng.uniform(-0.2, 0.2)), z + float(b.rng.uniform(-0.15, 0.15))
        street.cafe_table(b, (x, 0, z), metal, top)
        start = float(b.rng.uniform(0, 360))
        for turn in (0.0, 150.0) if b.rng.random() < 0.5 else (0.0, 125.0, 240.0):
            a = np.radians(start + turn)
            place = (x + 0.6 * float(np.sin(a)), 0.0, z + 0.6 * float(np.cos(a)))
            street.cafe_chair(b, place, start + turn, metal, wood)
    for x, z in ((-2.3, 2.1), (6.6, 2.7), (10.8, 2.8)):
        decor.pendant(b, (x, 2.2, z), metal, ceiling=CAFE.height)
    for x, z in ((-5.9, 4.3), (6.4, 5.2), (14.6, 4.4), (-5.9, -1.9), (8.0, 4.9)):
        pot = tinted("paint", b.rng, noun="glazed pot")
        decor.potted_plant(b, (x, 0, z), pot, height=float(b.rng.uniform(1.0, 1.9)))
    for z in (-1.6, 1.9, 4.6):
        decor.painting(b, (CAFE.x[1] - 0.03, 1.8, z), 90, wood, size=(0.9, 0.9))
    for x in (-3.0, 0.5, 3.0, 6.5, 9.5, 12.0):
        if x != 3.0:
            shopfit.booth(b, (x, 0, CAFE.z[0] + 0.42), 180, cloth, wood)
        decor.painting(b, (x, 1.9, CAFE.z[0] + 0.03), 180, wood, size=(1.0, 0.8))


GROCERY = shells.Room((-7.0, 15.6), (-3.2, 6.5), 3.3)

GROCERY_LIGHT = Light(
    to_sun=(-0.75, -0.5, 0.1),
    sun=(2.4, 2.3, 2.1),
    sky_ambient=(0.54, 0.55, 0.56),
    ground_ambient=(0.5, 0.49, 0.47),
    fog_per_m=0.0005,
    clouds=0.5,
)


def grocery_shop(b: SceneBuilder) -> str:
    """A food shop: coolers and shelves along the wall, aisles, stands of fruit, checkouts."""
    b.light = GROCERY_LIGHT
    wood, metal = b.material("pine", "oak", "walnut", tile_m=1.2), b.material("steel", "black metal")
    accent = tinted("paint", b.rng, noun="painted metal")
    _grocery_shell(b, accent, metal)
    _grocery_wall(b, accent, wood, metal)
    _aisles(b, accent if b.rng.random() < 0.6 else metal)
    _produce(b, wood)
    _checkouts(b, accent, metal)
    return b.one_of("grocery shop with fruit stands", "small supermarket with shelves and fruit stands")


def _grocery_shell(b: SceneBuilder, accent: Material, metal: Material) -> None:
    floor = b.material("terrazzo", "ceramic tiles", "chequered marble", "concrete", tile_m=1.8)
    rooms.tiled_plane(b, "floor", floor, x=GROCERY.x, z=GROCERY.z, up=0.0, tile_m=1.4)
    shells.ceiling(b, GROCERY, Material("ceiling tiles", tile_m=2.4), tile_m=2.0)
    fit = shells.Fittings(
        rooms.WallLook(tinted("plaster", b.rng, among=("white", "cream", "sage green")), accent), metal
    )
    shells.wall_row(b, GROCERY.far(12), "w" * 12, fit)
    shells.wall_row(b, GROCERY.left(5), "ttwdw", fit)
    shells.wall_row(b, GROCERY.right(5), "wwwdw", fit)
    shells.wall_row(b, GROCERY.near(12), "w" * 12, fit)
    shells.town(b, GROCERY, sides="left")
    places = [(x, z) for x in (-4.8, -1.0, 2.8, 6.6, 10.4, 14.0) for z in (0.6, 4.2)]
    shells.light_panels(b, places, up=GROCERY.height, size=(1.6, 0.34))


def _grocery_wall(b: SceneBuilder, accent: Material, wood: Material, metal: Material) -> None:
    """The wall ahead: coolers, shelves and a bakery counter in a random order."""
    kinds = [
        "cooler",
        "cooler",
        "cooler",
        "shelf",
        "shelf",
        "shelf",
        "shelf",
        "bread",
        "bread",
        "cooler",
        "shelf",
        "bread",
    ]
    b.rng.shuffle(kinds)
    z = GROCERY.z[1]
    for i, kind in enumerate(kinds):
        x = -6.1 + 1.72 * i
        if kind == "cooler":
            shopfit.cooler(b, (x, 0, z - 0.42), accent, width=1.62)
        elif kind == "shelf":
            shopfit.goods_shelf(b, (x, 0, z - 0.26), 0, metal, width=1.6, height=2.05)
        else:
            _bakery(b, x, wood)
    for i in range(6):
        band = Material("shop sign", variant=int(b.rng.integers(14)))
        b.add("sign", [(box(1.7, 0.5, 0.04, metric=False), band)], at=(-6.1 + 3.44 * i, 2.4, z - 0.03), movable=True)
        b.add(
            "poster",
            [(box(0.7, 0.6, 0.03, metric=False), Material("poster", variant=int(b.rng.integers(12))))],
            at=(-4.38 + 3.44 * i, 2.38, z - 0.02),
            movable=True,
        )


def _bakery(b: SceneBuilder, x: float, wood: Material) -> None:
    z = GROCERY.z[1]
    straw = b.material("linen", tint=(0.8, 0.6, 0.35), words="straw")
    furniture.counter(b, (x, 0, z - 0.36), 0, tinted("paint", b.rng, noun="painted wood"), wood, width=1.6)
    for dx in (-0.45, 0.3):
        shopfit.basket(b, (x + dx, 0.94, z - 0.38), straw)
    for up in (1.5, 1.95):
        furniture.wall_shelf(b, (x, up, z - 0.14), 0, wood, width=1.55)
        kit.jars(b, (x, up + 0.035, z - 0.14), width=1.4)


def _aisles(b: SceneBuilder, metal: Material) -> None:
    """Shelves that stand free, end-on or across, left and right of the loop."""
    turned = bool(b.rng.random() < 0.5)
    if turned:
        for x in (-5.4, -3.5):
            for z in (2.0, 3.4, 4.8):
                shopfit.goods_shelf(b, (x - 0.22, 0, z), 90, metal, width=1.36, height=1.6, levels=4)
                shopfit.goods_shelf(b, (x + 0.22, 0, z), -90, metal, width=1.36, height=1.6, levels=4)
            shopfit.goods_shelf(b, (x, 0, 1.08), 0, metal, width=0.86, height=1.5, levels=4)
    else:
        for x in (-5.6, -4.2, -2.8):
            shopfit.goods_shelf(b, (x, 0, 2.6), 0, metal, width=1.36, height=1.6, levels=4)
            shopfit.goods_shelf(b, (x, 0, 3.04), 180, metal, width=1.36, height=1.6, levels=4)
    for x in (8.9, 11.0):
        for z in (1.6, 3.0, 4.4):
            shopfit.goods_shelf(b, (x - 0.22, 0, z), 90, metal, width=1.36, height=1.7, levels=4)
            shopfit.goods_shelf(b, (x + 0.22, 0, z), -90, metal, width=1.36, height=1.7, levels=4)
        shopfit.goods_shelf(b, (x, 0, 0.68), 0, metal, width=0.86, height=1.6, levels=4)
    for x in (-3.4, 1.2, 5.8, 9.9):
        shopfit.hanging_sign(b, (x, 2.45, 4.5), metal, ceiling_up=GROCERY.height)
    for x in np.arange(-5.6, 14.0, 1.45):
        if abs(x - 6.0) > 0.9:
            shopfit.goods_shelf(b, (float(x), 0, GROCERY.z[0] + 0.28), 180, metal, width=1.36, height=1.9, levels=4)


def _produce(b: SceneBuilder, wood: Material) -> None:
    shopfit.produce_stand(b, (2.0, 0, 1.75), float(b.rng.uniform(-8, 8)), wood, rows=2)
    shopfit.produce_stand(b, (6.2, 0, 2.2), 0, wood, rows=2)
    spots = [-2.0, 0.35, 2.7, 5.0, 7.3]
    for x in spots:
        if b.rng.random() < 0.6:
            shopfit.produce_stand(b, (x, 0, 4.85), 0, wood, rows=1)
        else:
            for dx in (-0.5, 0.0, 0.5):
                for up in range(int(b.rng.integers(1, 4))):
                    shopfit.crate(b, (x + dx, 0.17 * up, 4.85), float(b.rng.uniform(-6, 6)), wood)
    shopfit.produce_stand(b, (-2.2, 0, 1.3), -90, replace(wood, variant=2), rows=1)


def _checkouts(b: SceneBuilder, accent: Material, metal: Material) -> None:
    for z in (0.2, 2.4):
        shopfit.till(b, (13.6, 0, z), 0, accent)
    for x, z, yaw in ((7.6, 4.0, 30.0), (-1.3, 3.1, -35.0), (12.9, 4.6, 10.0), (12.2, 5.2, 10.0), (-5.6, 0.5, 80.0)):
        shopfit.trolley(b, (x, 0, z), yaw + float(b.rng.uniform(-15, 15)))
    decor.potted_plant(b, (14.8, 0, 5.6), tinted("paint", b.rng, noun="glazed pot"), height=1.6)
    for z in (0.0, 4.8):
        decor.painting(b, (GROCERY.x[1] - 0.03, 2.0, z), 90, metal, size=(1.2, 0.9), texture="poster")
