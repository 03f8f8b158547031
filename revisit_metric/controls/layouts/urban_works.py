"""Urban layouts of work and traffic. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, cylinder, merge
from revisit_metric.controls.parts import facades, kerbside, placing, plants, street, vehicles, worksite
from revisit_metric.controls.parts.buildings import Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.forms import tube
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def construction_site(b: SceneBuilder) -> str:
    """A building shell behind scaffolding, with pallets, a mixer, barriers and a digger on bare ground."""
    b.light = daylight(b, "morning", "afternoon", "bright cloud", "noon")
    soil = Material(b.one_of("soil", "gravel", "sand"), (0.85, 0.82, 0.8), 2.4, variant=int(b.rng.integers(3)))
    street.ground(b, "ground", soil, x=(-80, 90), z=(-60, 70))
    _shell(b)
    _heaps(b)
    _site_things(b)
    _site_around(b)
    return b.one_of(
        "building site in front of a half-finished house", "construction site with scaffolding and brick pallets"
    )


def _shell(b: SceneBuilder) -> None:
    """Columns and slabs of two storeys, filled with masonry to different heights, scaffolding in front."""
    concrete, brick = Material("concrete", tile_m=2.2), b.material("red brick", "brick", "white brick", tile_m=1.4)
    if b.rng.random() < 0.35:
        brick = Material("concrete", (0.85, 0.87, 0.9), 0.9, words="concrete blocks")
    steel, wood = Material("steel", (0.7, 0.7, 0.72)), Material("pine", (0.85, 0.8, 0.72), 1.4)
    z, bay = 5.75, 1.9
    for i in range(-5, 8):
        x = i * bay + 0.4
        for up in (0.0, 2.8):
            b.add("column", [(box(0.32, 2.6, 0.32).at(z=0.16), concrete)], at=(x - bay / 2, up, z), joined=True)
            b.add(
                "slab",
                [(box(bay, 0.22, 1.9).at(z=0.9 + 1.9 * k), concrete) for k in range(3)],
                at=(x, up + 2.6, z),
                joined=True,
            )
            _infill(b, (x, up, z), bay - 0.32, brick, concrete)
        rods = [
            cylinder(0.014, float(b.rng.uniform(0.5, 0.9)), sides=5).at(x=dx, up=5.6, z=dz)
            for dx in (-0.1, 0.1)
            for dz in (0.08, 0.24)
        ]
        b.add("steel bars", [(merge(rods), Material("rusty metal", tile_m=1.0))], at=(x - bay / 2, 0, z))
        b.add(
            "wall", [(box(bay, 5.4, 0.2), Material("concrete", (0.8, 0.8, 0.8), 2.2))], at=(x, 0, z + 5.6), joined=True
        )
        if i < 1 or (i < 4 and b.rng.random() < 0.4) or i > 4:
            worksite.scaffold_bay(b, (x, 0, 4.75), width=bay, lifts=2, steel=steel, wood=wood)
    for x in (-5.5 * bay + 0.4, 7.5 * bay + 0.4):
        b.add("wall", [(box(0.25, 5.6, 5.8).at(z=2.9), concrete)], at=(x, 0, z), joined=True)


def _infill(b: SceneBuilder, at: tuple[float, float, float], width: float, brick: Material, concrete: Material) -> None:
    kind = b.one_of("full", "half", "window", "open", "sheet", "window")
    if kind == "full":
        b.add("brick wall", [(box(width, 2.6, 0.24).at(z=0.16), brick)], at=at, joined=True)
    elif kind == "half":
        steps = [
            box(width / 3, float(u), 0.24).at(x=(k - 1) * width / 3, z=0.16)
            for k, u in enumerate(b.rng.uniform(0.5, 1.7, 3))
        ]
        b.add("brick wall", [(merge(steps), brick)], at=at, joined=True)
    elif kind == "window":
        frame = [box(0.28, 2.6, 0.24).at(x=s * (width / 2 - 0.14), z=0.16) for s in (-1, 1)]
        frame += [box(width - 0.56, 0.9, 0.24).at(z=0.16), box(width - 0.56, 0.4, 0.24).at(up=2.2, z=0.16)]
        lintel = box(width - 0.3, 0.2, 0.28).at(up=2.1, z=0.16)
        b.add("brick wall", [(merge(frame), brick), (lintel, concrete)], at=at, joined=True)
    elif kind == "sheet":
        cloth = tinted("linen", b.rng, among=("sky blue", "light grey", "sage green", "cream"), noun="plastic sheet")
        folds = [
            box(width / 6 + 0.02, 2.5, 0.04).at(x=(k - 2.5) * width / 6, up=0.05, z=0.02 + 0.05 * (k % 2))
            for k in range(6)
        ]
        b.add("plastic sheet", [(merge(folds), cloth)], at=at, movable=True)


def _heaps(b: SceneBuilder) -> None:
    """Heaps of gravel and earth, and the digger."""
    for x, z, r in ((12.6, 3.0, 1.3), (-10.5, 3.4, 1.5), (15.5, 1.0, 1.6)):
        plants.boulder(
            b, (x, 0, z), b.material("gravel", "soil", "sand", tile_m=1.2), radius=r, squash=0.7, movable=False
        )
    worksite.digger(b, (10.0 + float(b.rng.uniform(-0.3, 0.6)), 0, 3.3), float(b.rng.uniform(-30, 10)))


def _site_things(b: SceneBuilder) -> None:
    yaw = float(b.rng.uniform(-18, 18))
    if b.rng.random() < 0.5:
        worksite.portable_toilet(b, (2.1, 0, 2.2), yaw)
        worksite.traffic_cone(b, (1.3, 0, 1.6))
    else:
        height = worksite.loaded_pallet(b, (2.0, 0, 2.4), yaw, movable=False)
        worksite.loaded_pallet(b, (2.05, height, 2.4), yaw + 5)
        worksite.traffic_cone(b, (1.2, 0, 1.6))
    spots = placing.slots(b.rng, -4.6, -2.2, 5.6)
    depth = {-4.6: 3.2, -2.2: 3.0, 5.6: 3.6}
    worksite.cement_mixer(b, (spots[0], 0, depth[spots[0]]), float(b.rng.uniform(-40, 40)))
    worksite.loaded_pallet(b, (spots[1], 0, depth[spots[1]]), float(b.rng.uniform(-20, 20)))
    worksite.pipe_stack(b, (spots[2], 0, depth[spots[2]]), float(b.rng.uniform(-15, 15)), length=1.6)
    for x, z in ((-7.3, 2.6), (-6.0, 4.1), (7.6, 2.2), (-1.2, 4.4)):
        worksite.loaded_pallet(b, (x, 0, z), float(b.rng.uniform(-25, 25)))
    for x in (-3.4, -0.9, 1.2, 3.0, 6.8):
        if b.rng.random() < 0.6:
            worksite.barrier(b, (x, 0, 4.5 if -0.7 < x < 4.7 else 4.2), float(b.rng.uniform(-8, 8)))
        else:
            worksite.traffic_cone(b, (x, 0, 4.4))
    worksite.cable_reel(b, (-8.8, 0, 1.8), float(b.rng.uniform(-60, 60)))
    worksite.skip(b, (-10.6, 0, 0.6), 90.0)
    vehicles.oil_drum(b, (-5.9, 0, 2.0))
    for x in np.arange(13.0, 26.0, 1.9):
        worksite.site_fence(b, (float(x), 0, -2.6), 0.0)
    worksite.portable_toilet(b, (-11.5, 0, 4.6), 20.0)


def _site_around(b: SceneBuilder) -> None:
    """Site huts, hoardings, a crane, blocks of flats, houses."""
    for z in (-4.0, -1.2, 1.6):
        worksite.container(b, (-16.0, 0, z), -90.0)
    worksite.container(b, (-16.0, 2.6, -1.2), -90.0)
    hoarding = tinted(
        "worn paint", b.rng, among=("white", "sky blue", "forest green", "mustard"), noun="painted boards"
    )
    for x in np.arange(-30.0, 40.0, 2.4):
        b.add(
            "hoarding",
            [(box(2.4, 2.2, 0.08), hoarding), (box(0.1, 2.3, 0.12), Material("pine"))],
            at=(float(x), 0, -7.0),
            joined=True,
        )
    for z in np.arange(-6.0, 22.0, 2.4):
        for x in (-30.0, 41.0):
            b.add("hoarding", [(box(0.08, 2.2, 2.4), hoarding)], at=(x, 0, float(z)), joined=True)
    worksite.tower_crane(b, (22.0, 0, 26.0), float(b.rng.uniform(120, 230)), height=24)
    for x in placing.along(b.rng, -46, 56, 16.0, sway=3.0):
        size = (12.0, float(b.rng.uniform(12, 30)), 11.0)
        facades.far_block(b, (x, 0, float(b.rng.uniform(36, 46))), 0, size=size)
    facades.town_around(b, left=-52, right=62, near=-22, far=58, step=10.0)


def back_alley(b: SceneBuilder) -> str:
    """A narrow yard between brick walls: shutters, iron stairs, pipes, bins, wall paintings, washing lines."""
    b.light = daylight(b, "noon", "bright cloud", "noon")
    ground = Material(
        b.one_of("asphalt", "cobblestones", "concrete"), (0.82, 0.8, 0.78), 2.0, variant=int(b.rng.integers(3))
    )
    street.ground(b, "ground", ground, x=(-60, 70), z=(-4.0, 6.2))
    gutter = Material("granite", tile_m=1.4)
    for x in np.arange(-16.0, 24.0, 2.0):
        b.add("gutter", [(box(2.0, 0.03, 0.4), gutter)], at=(float(x), 0.0, -1.3), joined=True)
    iron = b.material("black metal", "rusty metal", tile_m=1.2)
    _alley_wall(b, iron)
    _alley_back(b, iron)
    _alley_things(b, iron)
    return b.one_of("back alley between brick workshops", "narrow yard behind brick houses with iron stairs")


def _alley_wall(b: SceneBuilder, iron: Material) -> None:
    """The wall ahead: stretches of different brick, each with shutters, windows, doors or a wall painting."""
    row, along = Row((0.0, 5.6)), -15.6
    while along < 24.0:
        wall, count = (
            b.material("red brick", "brick", "white brick", "worn paint", "stucco", tile_m=1.4),
            int(b.rng.integers(2, 5)),
        )
        height = float(b.rng.uniform(2.9, 3.3))
        painted = int(b.rng.integers(count)) if b.rng.random() < 0.6 else -1
        for i in range(count):
            middle = along + (i + 0.5) * 2.3
            kind = "mural" if i == painted else b.one_of("shutter", "sash", "door", "wall", "sash", "shutter")
            _alley_bay(b, row, middle, wall, kind, height)
            for storey in range(2):
                facades.sash_bay(b, row, middle, wall, size=(2.3, 2.9), up=height + 2.9 * storey)
        for i in range(count):
            ledge = box(2.3, 0.16, 0.14).at(x=(i + 0.5) * 2.3, up=height - 0.08, z=-0.06)
            b.add("ledge", [(ledge, Material("concrete", tile_m=1.5))], at=(along, 0, 5.6), joined=True)
        if count >= 3 and b.rng.random() < 0.75:
            facades.fire_escape(b, row, along + 1.15 * count, iron, levels=(height, height + 2.9), width=2.4)
        facades.pipes(b, row, along + 0.12, b.material("steel", "rusty metal", tile_m=1.0), height=height + 5.6)
        along += count * 2.3


def _alley_bay(b: SceneBuilder, row: Row, middle: float, wall: Material, kind: str, height: float) -> None:
    if kind == "shutter":
        facades.shutter_bay(b, row, middle, wall, size=(2.3, height), raised=float(b.rng.choice([0.0, 0.0, 0.5])))
    elif kind == "sash":
        facades.sash_bay(b, row, middle, wall, size=(2.3, height), bars=bool(b.rng.random() < 0.5))
    else:
        facades.wall_bay(b, row, middle, wall, size=(2.3, height))
    x, _, z = row.at(middle)
    if kind == "mural":
        sheet = box(2.26, height - 0.3, 0.02, metric=False).at(up=0.12)
        b.add(
            "wall painting",
            [(sheet, Material("mural", variant=int(b.rng.integers(12))))],
            at=(x, 0, z - 0.01),
            landmark=True,
        )
    elif kind == "door":
        paint = tinted("worn paint", b.rng, noun="painted steel")
        leaf: list[Shape] = [(box(1.0, 2.1, 0.06), paint), (box(1.14, 0.1, 0.1).at(up=2.1), Material("concrete"))]
        leaf += [
            (box(0.06, 0.16, 0.08).at(x=0.36, up=1.0, z=-0.05), Material("steel")),
            (box(1.3, 0.14, 0.5).at(z=-0.2), Material("concrete", tile_m=1.5)),
        ]
        leaf.append(
            (box(0.3, 0.2, 0.16).at(up=2.32, z=-0.06), Material("paint", (1.0, 0.9, 0.7), emit=0.8, words="lamp glass"))
        )
        b.add("door", leaf, at=(x, 0, z - 0.03))
    elif kind == "wall" and b.rng.random() < 0.7:
        facades.air_unit(b, row, middle, float(b.rng.uniform(1.6, 2.2)))
    if kind in ("wall", "door") and b.rng.random() < 0.5:
        sheet = box(0.5, 0.7, 0.012, metric=False).at(x=-0.8, up=1.1)
        b.add(
            "poster", [(sheet, Material("poster", variant=int(b.rng.integers(12))))], at=(x, 0, z - 0.015), movable=True
        )


def _alley_back(b: SceneBuilder, iron: Material) -> None:
    """The wall behind the camera, a gate at the left end, a street at the right one, wires overhead."""
    row = Row((26.0, -2.9), 180.0)
    wall = b.material("red brick", "brick", tile_m=1.4)
    for i in range(19):
        kind = b.one_of("sash", "wall", "shutter")
        _alley_bay(b, row, 1.15 + 2.3 * i, wall, kind, 3.0)
        facades.sash_bay(b, row, 1.15 + 2.3 * i, wall, size=(2.3, 2.9), up=3.0)
    end = Row((-13.2, -3.0), -90.0)
    for i in range(4):
        other = b.material("brick", "concrete", tile_m=1.5)
        if i == 1:
            facades.shutter_bay(b, end, 1.1 + 2.2 * i, other, size=(2.2, 3.2))
        else:
            facades.wall_bay(b, end, 1.1 + 2.2 * i, other, size=(2.2, 3.2))
        facades.sash_bay(b, end, 1.1 + 2.2 * i, other, size=(2.2, 2.9), up=3.2)
    street.ground(b, "street", Material("asphalt", tile_m=2.2), x=(26, 60), z=(-40, 40), up=-0.01)
    walls = facades.far_walls(b)
    for z in np.arange(-24.0, 32.0, 8.0):
        facades.far_house(
            b,
            (40.0, 0, float(z)),
            90.0,
            walls[int(b.rng.integers(len(walls)))],
            size=(7.9, float(b.rng.uniform(8, 12)), 8.0),
        )
    for x in (-8.0, -2.6, 3.4, 8.6, 14.0):
        lean, up = float(b.rng.uniform(-1.5, 1.5)), float(b.rng.uniform(3.9, 5.0))
        line = [(x + lean * t, up - 0.9 * t * (1 - t), -2.9 + 8.4 * t) for t in np.linspace(0, 1, 9).tolist()]
        b.add("cable", [(tube(line, 0.012, sides=4), Material("black metal"))])
        if b.rng.random() < 0.7:
            for k in (5, 6, 7):
                _washing(b, line[k])


def _washing(b: SceneBuilder, at: tuple[float, float, float]) -> None:
    cloth = tinted("linen", b.rng, among=("white", "cream", "sky blue", "rose", "crimson", "navy"), noun="linen")
    w, h = float(b.rng.uniform(0.45, 0.75)), float(b.rng.uniform(0.5, 0.85))
    b.add("washing", [(box(0.02, h, w).at(up=-h), cloth)], at=at, movable=True)


def _alley_things(b: SceneBuilder, iron: Material) -> None:
    spots = placing.slots(b.rng, -5.2, -2.2, 6.4)
    worksite.skip(b, (spots[0], 0, 4.6), float(b.rng.uniform(-4, 4)), noun="rubbish container", rubble=False)
    for k in range(3):
        kerbside.wheelie_bin(b, (spots[1] - 0.7 + 0.72 * k, 0, 4.9), float(b.rng.uniform(-10, 10)))
    worksite.stacked(b, (spots[2], 0, 4.7), float(b.rng.uniform(-10, 10)), count=3)
    for x in (0.2, 1.9, 3.6):
        kind = b.one_of("boxes", "crate", "pallets", "drum", "bicycle")
        if kind == "boxes":
            vehicles.boxes_on(b, (x, 0, 5.1), 0.0, count=2)
        elif kind == "crate":
            worksite.crate(b, (x, 0, 5.05), float(b.rng.uniform(-15, 15)), size=0.6)
        elif kind == "pallets":
            worksite.pallet(b, (x, 0, 5.0), 0.0)
            worksite.pallet(b, (x + 0.05, 0.15, 5.0), 4.0)
        elif kind == "drum":
            vehicles.oil_drum(b, (x, 0, 5.1))
        else:
            vehicles.bicycle(b, (x, 0, 5.1), 4.0)
    worksite.stacked(b, (2.0, 0, 2.1), float(b.rng.uniform(-30, 30)), count=3)
    vehicles.boxes_on(b, (2.2, 0, 2.9), float(b.rng.uniform(-20, 20)), count=2, spread=0.55)
    vehicles.oil_drum(b, (-1.6, 0, 2.7))
    vehicles.oil_drum(b, (-2.2, 0, 2.3))
    for x in (-7.4, 9.2, 12.6):
        kind = b.one_of("bins", "skip", "crates")
        if kind == "bins":
            kerbside.wheelie_bin(b, (x, 0, 4.8), 0.0)
            kerbside.wheelie_bin(b, (x + 0.75, 0, 4.85), 8.0)
        elif kind == "skip":
            worksite.skip(b, (x, 0, 4.5), 0.0, noun="rubbish container", rubble=False)
        else:
            worksite.stacked(b, (x, 0, 4.8), 0.0, count=2)
    worksite.stacked(b, (-8.4, 0, -0.9), 70.0, count=3)
    vehicles.car(b, (17.5, 0, 1.4), float(b.rng.uniform(-4, 4)), kind="van")
    vehicles.bicycle(b, (-5.0, 0, -2.3), 0.0)
