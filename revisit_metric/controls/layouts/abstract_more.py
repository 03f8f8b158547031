"""More abstract layouts: a terraced valley of stairs and arches, a hall of hanging and stacked forms.

See `revisit_metric.controls.layouts` for what a layout must do.
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, cylinder, merge, quad, sphere
from revisit_metric.controls.parts import rooms, shells, solids, street
from revisit_metric.controls.scene import Light, Material
from revisit_metric.controls.tints import STRONG, tinted

EARTHY = (
    "rose",
    "sand",
    "sage green",
    "sky blue",
    "terracotta",
    "mustard",
    "slate blue",
    "teal",
    "ochre",
    "rust red",
    "plum",
)

TERRACE_LIGHT = Light(
    to_sun=(0.6, -0.7, -0.5),
    sun=(2.3, 2.0, 1.6),
    zenith=(0.2, 0.42, 0.66),
    horizon=(0.95, 0.82, 0.72),
    sky_ambient=(0.5, 0.52, 0.6),
    ground_ambient=(0.38, 0.31, 0.27),
    clouds=0.15,
    fog_per_m=0.007,
)


def _palette(b: SceneBuilder, among: tuple[str, ...], count: int) -> list[Material]:
    bases = ("plaster", "stucco", "paint", "plaster")
    paints = []
    for _ in range(count):
        base = b.one_of(*bases)
        paints.append(tinted(base, b.rng, among=among, noun="coloured " + base, tile_m=2.2))
    return paints


def _pick(b: SceneBuilder, paints: list[Material]) -> Material:
    return paints[int(b.rng.integers(len(paints)))]


def stair_terraces(b: SceneBuilder) -> str:
    """Terraces of coloured blocks with stairs, arches and towers that climb away from the path."""
    b.light = TERRACE_LIGHT
    paints = [*_palette(b, EARTHY, 6), b.material("terracotta tiles", "blue tiles", "ashlar stone", tile_m=1.8)]
    paints += [b.material("red brick", "brick", "rubble stone", "white brick", tile_m=1.4)]
    floor = b.material("terrazzo", "cobblestones", "terracotta tiles", "brick paving", "paving slabs", tile_m=1.8)
    street.ground(b, "floor", floor, x=(-90, 90), z=(-60, 90), tile_m=1.0)
    _terraces(b, paints)
    _terrace_sides(b, paints)
    _court(b, paints)
    _far_towers(b, paints)
    return b.one_of("terraces of coloured blocks with stairs and arches", "stepped court of stairs, arches and towers")


def _terraces(b: SceneBuilder, paints: list[Material]) -> None:
    """Columns of 1.3 m with heights that rise in three ranks; stairs, arches and solids on them."""
    cell = 1.3
    for rank, (z, low, high) in enumerate(((5.05, 0.4, 1.3), (5.85, 1.7, 3.0), (6.65, 3.8, 5.8))):
        # After a strafe of 7.2 m the view begins at a border between two columns, which forgets most.
        x, previous = 7.1 - 0.99 * (z + 0.42) - 11.5 * cell, -1.0
        while x < 21.0:
            height = low + (high - low) * float(b.rng.integers(0, 5)) / 4
            if height == previous:
                height = min(height + 0.3, high + 0.3)
            previous = height
            block = box(cell, height, 0.8, without=("bottom",))
            lip = box(cell - 0.02, 0.12, 0.08).at(up=height - 0.16, z=-0.43)
            b.add("block", [(block, _pick(b, paints)), (lip, _pick(b, paints))], at=(x, 0, z), joined=True)
            _on_block(b, paints, (x, height, z), rank)
            x += cell


def _on_block(b: SceneBuilder, paints: list[Material], at: tuple[float, float, float], rank: int) -> None:
    kind = (
        b.one_of("none", "arch", "solid", "solid", "stairs", "stack")
        if rank < 2
        else b.one_of("none", "none", "arch", "tower")
    )
    yaw = float(b.rng.choice([0.0, 0.0, 90.0]))
    if kind == "arch":
        height = float(b.rng.uniform(1.1, 1.6))
        b.add("arch", [(solids.arch(1.0, height, 0.5, thick=0.2), _pick(b, paints))], at=at, yaw=yaw, landmark=True)
    elif kind == "solid":
        name, mesh = solids.solid(b.rng, float(b.rng.uniform(0.3, 0.5)))
        b.add(name, [(mesh, _pick(b, paints))], at=at, yaw=float(b.rng.uniform(0, 90)), movable=True)
    elif kind == "stairs":
        steps = solids.stairs(0.85, 0.16, 0.14, 6).at(z=-0.42)
        b.add("stairs", [(steps, _pick(b, paints))], at=at, yaw=float(b.rng.choice([0.0, 90.0, -90.0])))
    elif kind == "stack":
        solids.stack(b, at, paints, count=3, radius=0.42)
    elif kind == "tower":
        tall = float(b.rng.uniform(1.0, 2.4))
        shapes: list[Shape] = [
            (box(0.8, tall, 0.8), _pick(b, paints)),
            (box(0.94, 0.14, 0.94).at(up=tall), _pick(b, paints)),
        ]
        dark = Material("paint", (0.1, 0.09, 0.12), words="dark opening")
        shapes.append((merge([box(0.22, 0.5, 0.02).at(x=s * 0.2, up=tall * 0.5, z=-0.405) for s in (-1, 1)]), dark))
        b.add("tower", shapes, at=at)


def _terrace_sides(b: SceneBuilder, paints: list[Material]) -> None:
    """Flights and walls to the left and right, so that every heading shows something near."""
    for x, side in ((-7.4, -1.0), (12.4, 1.0)):
        for z in np.arange(-6.8, 5.0, 1.7):
            height = float(b.rng.uniform(0.9, 3.6))
            b.add("block", [(box(1.6, height, 1.7), _pick(b, paints))], at=(x + side * 0.8, 0, float(z)), joined=True)
            if b.rng.random() < 0.5:
                name, mesh = solids.solid(b.rng, 0.5)
                b.add(name, [(mesh, _pick(b, paints))], at=(x + side * 0.8, height, float(z)), movable=True)
        flight = solids.stairs(1.5, 0.18, 0.3, 8)
        b.add("stairs", [(flight, _pick(b, paints))], at=(x - side * 2.4, 0, 1.4), yaw=90.0 * side, landmark=True)
    for x in np.arange(-6.0, 12.0, 2.4):
        b.add(
            "arch",
            [(solids.arch(2.2, float(b.rng.uniform(1.8, 2.8)), 0.6), _pick(b, paints))],
            at=(float(x), 0, -5.2 + float(b.rng.uniform(-0.5, 0.5))),
        )


def _court(b: SceneBuilder, paints: list[Material]) -> None:
    for x, z in ((-2.4, 2.0), (-4.3, 3.7), (-2.0, 4.0), (5.4, 3.9), (6.6, 2.0), (8.2, 3.8), (9.4, 2.0), (-5.2, 1.6)):
        place = (x + float(b.rng.uniform(-0.2, 0.2)), 0.0, z)
        kind = b.one_of("stack", "arch", "spiral", "fan", "stack", "ring")
        paint = _pick(b, paints)
        if kind == "stack":
            solids.stack(b, place, paints, count=int(b.rng.integers(2, 4)), radius=0.42)
        elif kind == "arch":
            b.add(
                "arch", [(solids.arch(1.3, 1.8, 0.35, thick=0.22), paint)], at=place, yaw=float(b.rng.uniform(-30, 30))
            )
        elif kind == "spiral":
            mesh = solids.spiral(0.3, float(b.rng.uniform(1.4, 2.2)))
            b.add("spiral of balls", [(mesh, paint)], at=place, movable=True)
        elif kind == "fan":
            b.add("fan", [(solids.fan(0.9, 9), paint)], at=place, yaw=float(b.rng.uniform(-30, 30)), movable=True)
        else:
            b.add("ring", [(solids.ring(0.65, 0.12), paint)], at=place, yaw=float(b.rng.uniform(-50, 50)), movable=True)
    for x, z in ((1.5, 1.9), (2.5, 2.4), (2.0, 1.5)):
        name, mesh = solids.solid(b.rng, 0.26)
        b.add(name, [(mesh, _pick(b, paints))], at=(x, 0, z), yaw=float(b.rng.uniform(0, 90)), movable=True)


def _far_towers(b: SceneBuilder, paints: list[Material]) -> None:
    for _ in range(60):
        angle, reach = float(b.rng.uniform(-3.1, 3.1)), float(b.rng.uniform(16, 55))
        x, z = 3.5 + reach * float(np.sin(angle)), 3.0 + reach * float(np.cos(angle))
        if abs(x - 3) < 19 and -9 < z < 13:
            continue
        wide, tall = float(b.rng.uniform(2.0, 4.5)), float(b.rng.uniform(3.0, 13.0))
        cap = float(b.rng.uniform(0.3, 1.2))
        shapes: list[Shape] = [
            (box(wide, tall, wide), _pick(b, paints)),
            (box(wide + 0.4, cap, wide + 0.4).at(up=tall), _pick(b, paints)),
        ]
        b.add("tower", shapes, at=(x, 0, z), yaw=float(b.rng.uniform(0, 90)))


HALL = shells.Room((-7.5, 15.5), (-4.0, 6.6), 5.4)

HALL_LIGHT = Light(
    to_sun=(-0.5, -0.8, 0.35),
    sun=(0.0, 0.0, 0.0),
    sky_ambient=(0.62, 0.6, 0.64),
    ground_ambient=(0.5, 0.47, 0.5),
    fog_per_m=0.001,
)


def mobile_hall(b: SceneBuilder) -> str:
    """A hall of tilted wall panels and half cylinders, with hanging mobiles and stacked forms."""
    b.light = HALL_LIGHT
    paints = [*_palette(b, STRONG, 7), b.material("brass", "steel", "oak", "dark marble", tile_m=1.4)]
    floor = b.material("chequered marble", "parquet", "terrazzo", "concrete", "blue tiles", tile_m=1.8)
    rooms.tiled_plane(b, "floor", floor, x=HALL.x, z=HALL.z, up=0.0, tile_m=1.4)
    _relief_wall(b, paints)
    _hall_shell(b, paints)
    _mobiles(b, paints)
    _hall_floor(b, paints)
    for x in (-4.5, 0.5, 5.5, 10.5):
        colour = tuple(float(v) for v in b.rng.uniform(0.75, 1.25, 3))
        b.lamp((x, 3.6, 4.0), (colour[0], colour[1] * 0.9, colour[2] * 0.8), 6.0)
        b.lamp((x, 4.2, -0.5), (0.6, 0.56, 0.52), 6.5)
    return b.one_of("hall of coloured reliefs and hanging mobiles", "sculpture hall with suspended rings and balls")


def _relief_wall(b: SceneBuilder, paints: list[Material]) -> None:
    """Panels of 1.4 m, four high: slabs that stand out, drums, half balls, grids of pegs."""
    cell, depth = 1.4, HALL.z[1]
    for x in np.arange(HALL.x[0] + cell / 2, HALL.x[1], cell):
        for level in range(4):
            back, front = _pick(b, paints), _pick(b, paints)
            kind = int(b.rng.integers(6))
            shapes: list[Shape] = [(box(cell, cell, 0.2), back)]
            low = cell / 2
            if kind == 0:
                shapes.append(
                    (box(cell * 0.7, cell * 0.7, 0.3, centred=True).tilted(about_z=45).at(up=low, z=-0.15), front)
                )
            elif kind == 1:
                shapes.append((sphere(0.5, sides=20, rings=11).scaled(z=0.7).at(up=low, z=-0.08), front))
            elif kind == 2:
                drum = cylinder(0.48, 0.45, sides=22).tilted(about_x=-90).at(up=low, z=-0.05)
                shapes.append((drum, front))
            elif kind == 3:
                pegs = [
                    box(0.2, 0.2, float(b.rng.uniform(0.15, 0.55))).at(x=u, up=v - 0.1, z=-0.2)
                    for u in (-0.42, 0.0, 0.42)
                    for v in (low - 0.42, low, low + 0.42)
                ]
                shapes.append((merge(pegs), front))
            elif kind == 4:
                bars = [box(0.14, cell, 0.16 + 0.07 * i).at(x=-0.5 + 0.25 * i, z=-0.15) for i in range(5)]
                shapes.append((merge(bars), front))
            else:
                shapes.append((solids.ring(0.5, 0.12).at(up=low - 0.5, z=-0.15), front))
            b.add("relief panel", shapes, at=(float(x), level * cell, depth), joined=True, landmark=kind == 2)


def _hall_shell(b: SceneBuilder, paints: list[Material]) -> None:
    plain = tinted("plaster", b.rng, among=("white", "cream", "light grey", "charcoal", "navy", "plum"))
    shells.ceiling(b, HALL, plain, tile_m=1.9)
    for wall, panels in ((HALL.left(7), 7), (HALL.right(7), 7), (HALL.near(15), 15)):
        for panel in range(panels):
            paint, fin = _pick(b, paints), _pick(b, paints)
            face: list[Shape] = [(box(wall.panel_m, HALL.height, 0.2).at(z=0.1), paint)]
            face.append((box(0.16, HALL.height, 0.3).at(x=-wall.panel_m / 2, z=-0.1), fin))
            b.add("wall panel", face, at=wall.at(panel), yaw=wall.yaw, joined=True)
            if b.rng.random() < 0.5:
                disc = cylinder(float(b.rng.uniform(0.3, 0.6)), 0.12, sides=22).tilted(about_x=-90)
                up = float(b.rng.uniform(1.2, 3.4))
                x, _, z = wall.at(panel)
                b.add("disc", [(disc, _pick(b, paints))], at=(x, up, z), yaw=wall.yaw, movable=True)


def _mobiles(b: SceneBuilder, paints: list[Material]) -> None:
    """Bars on threads with balls, discs and rings; all well above the path or beside it."""
    thread = Material("black metal", tile_m=1.0)
    for x, z in (
        (-4.4, 3.0),
        (-2.2, 4.8),
        (0.6, 5.3),
        (2.9, 5.3),
        (5.6, 4.9),
        (6.8, 2.2),
        (9.2, 3.6),
        (11.8, 2.6),
        (-5.6, 0.6),
        (3.6, -2.2),
    ):
        up = float(b.rng.uniform(2.9, 3.6))
        half = float(b.rng.uniform(0.5, 0.75))
        lines = [box(0.012, HALL.height - up, 0.012), box(2 * half, 0.025, 0.025)]
        drops = [float(b.rng.uniform(0.2, 0.7)) for _ in range(3)]
        spots = (-half + 0.01, half * 0.1, half - 0.01)
        lines += [box(0.01, d, 0.01).at(x=s, up=-d) for s, d in zip(spots, drops, strict=True)]
        yaw = float(b.rng.uniform(-30, 30))
        b.add("mobile", [(merge(lines), thread)], at=(x, up, z), yaw=yaw)
        a = np.radians(yaw)
        for s, d in zip(spots, drops, strict=True):
            place = (x + s * float(np.cos(a)), up - d, z - s * float(np.sin(a)))
            r = float(b.rng.uniform(0.13, 0.22))
            kind = b.one_of("ball", "ring", "disc", "cube")
            mesh = {
                "ball": sphere(r, sides=16, rings=9).at(up=-r),
                "ring": solids.ring(r, 0.25 * r).at(up=-2 * r),
                "disc": cylinder(r, 0.03, sides=18).tilted(about_x=90).at(up=-r),
                "cube": box(1.4 * r, 1.4 * r, 1.4 * r).at(up=-1.4 * r),
            }[kind]
            b.add(kind, [(mesh, _pick(b, paints))], at=place, yaw=float(b.rng.uniform(0, 90)), movable=True)


def _hall_floor(b: SceneBuilder, paints: list[Material]) -> None:
    spots = [
        (-3.2, 2.0),
        (-4.8, 4.2),
        (-1.4, 5.0),
        (0.4, 5.2),
        (2.2, 5.1),
        (4.2, 5.1),
        (6.4, 4.0),
        (7.0, 1.9),
        (9.0, 4.9),
    ]
    spots += [(10.4, 2.4), (12.6, 4.0), (13.4, 1.0), (-5.9, 1.4), (-3.0, -2.2), (1.0, -2.6), (5.4, -2.4), (9.4, -1.8)]
    for x, z in spots:
        place = (x + float(b.rng.uniform(-0.2, 0.2)), 0.0, z)
        kind = b.one_of("stack", "stack", "spiral", "steps", "screen")
        if kind == "stack":
            solids.stack(b, place, paints, count=int(b.rng.integers(2, 5)), radius=0.45)
        elif kind == "spiral":
            mesh = solids.spiral(0.3, float(b.rng.uniform(1.4, 2.3)), turns=3.0)
            b.add("spiral of balls", [(mesh, _pick(b, paints))], at=place, movable=True)
        elif kind == "steps":
            mesh = solids.stairs(0.8, 0.2, 0.2, 5).at(z=-0.5)
            b.add("steps", [(mesh, _pick(b, paints))], at=place, yaw=float(b.rng.choice([0.0, 90.0, -90.0])))
        else:
            slats = merge(
                [box(0.07, float(b.rng.uniform(1.0, 2.0)), 0.07).at(x=q) for q in np.arange(-0.5, 0.51, 0.125)]
            )
            b.add("slat screen", [(slats, _pick(b, paints))], at=place, yaw=float(b.rng.uniform(-40, 40)))
    carpet = quad((1.0, 0.012, 3.0), (2.0, 0, 0), (0, 0, -2.0), metric=False)
    b.add("carpet", [(carpet, Material("carpet", variant=int(b.rng.integers(8)), words="patterned wool"))])
    for x, z in ((1.5, 1.8), (2.4, 2.4)):
        name, mesh = solids.solid(b.rng, 0.28)
        b.add(name, [(mesh, _pick(b, paints))], at=(x, 0.013, z), yaw=float(b.rng.uniform(0, 90)), movable=True)
