"""An urban layout: a station under a canopy. See `revisit_metric.controls.layouts` for what a layout must do."""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import box, cylinder, lathe, merge, prism
from revisit_metric.controls.parts import (
    facades,
    kerbside,
    market,
    placing,
    plants,
    street,
    vehicles,
)
from revisit_metric.controls.parts.buildings import Row
from revisit_metric.controls.parts.daylight import daylight
from revisit_metric.controls.parts.forms import arc, arch_band, arched, tube, wheel
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

EDGE_Z, RAIL_UP = 4.7, -0.95


def station_canopy(b: SceneBuilder) -> str:
    """A platform under an iron canopy with a train standing at it, tracks and a second platform beyond."""
    b.light = daylight(b, "morning", "evening", "bright cloud", "afternoon")
    paving = b.material("paving slabs", "brick paving", "concrete", "asphalt", tile_m=1.8)
    street.ground(b, "platform", paving, x=(-62, 72), z=(-5.2, EDGE_Z - 0.9))
    _edge(b)
    gravel = Material("gravel", (0.62, 0.58, 0.55), 1.6)
    street.ground(b, "track bed", gravel, x=(-80, 90), z=(EDGE_Z, 70), up=RAIL_UP - 0.03)
    for z in (6.3, 10.2):
        vehicles.rails(b, x=(-60, 72), z=z, up=RAIL_UP, ballast=gravel)
    _train(b)
    metal = tinted(
        "paint", b.rng, among=("forest green", "crimson", "slate blue", "charcoal", "teal"), noun="painted iron"
    )
    _canopy(b, metal)
    _station(b)
    _platform_things(b, metal)
    _opposite(b, metal)
    return b.one_of("railway platform with a standing train", "small-town railway station under an iron canopy")


def _edge(b: SceneBuilder) -> None:
    """Coping stones with a coloured line, and the platform wall."""
    stone = b.material("granite", "concrete", tile_m=1.8)
    line = tinted("worn paint", b.rng, among=("white", "mustard"), noun="painted line")
    for x in np.arange(-60.0, 72.0, 1.5):
        shapes: list[Shape] = [
            (box(1.5, 0.14, 0.9).at(up=-0.14, z=-0.45), stone),
            (box(1.5, 0.012, 0.12).at(z=-0.72), line),
        ]
        shapes.append((box(1.5, 0.95, 0.2).at(up=-1.0, z=-0.25), stone))
        b.add("platform edge", shapes, at=(float(x) + 0.75, 0.0, EDGE_Z), joined=True)


def _train(b: SceneBuilder) -> None:
    """Carriages from the left up to a cab; the track is free beyond it."""
    body = tinted(
        "paint",
        b.rng,
        among=("crimson", "forest green", "navy", "cream", "teal", "mustard", "light grey", "terracotta"),
        noun="painted steel",
    )
    band = tinted("paint", b.rng, among=("cream", "white", "mustard", "charcoal"), noun="painted band")
    door = tinted("paint", b.rng, among=("cream", "mustard", "navy", "crimson", "light grey"), noun="painted door")
    look = vehicles.TrainLook(body, band, door)
    width, end = 1.75, float(b.rng.uniform(2.4, 4.9))
    for i in range(18):
        vehicles.carriage_bay(
            b, (end - (i + 0.5) * width, RAIL_UP, EDGE_Z + 0.22), look, width=width, door=i % 6 in (1, 4)
        )
    vehicles.carriage_end(b, (end, RAIL_UP, EDGE_Z + 0.22), look, side=1.0)
    other = vehicles.TrainLook(*(tinted("paint", b.rng, noun="painted steel") for _ in range(3)))
    for i in range(9):
        vehicles.carriage_bay(b, (34.0 + i * width, RAIL_UP, 8.8), other, width=width, door=i % 6 in (1, 4))
    vehicles.carriage_end(b, (34.0 - width / 2, RAIL_UP, 8.8), other, side=-1.0)


def _canopy(b: SceneBuilder, metal: Material) -> None:
    """Cast columns with curved brackets, a boarded roof and a toothed valance."""
    boards = b.material("pine", "grey planks", "oak", tile_m=1.5)
    lead = tinted("worn paint", b.rng, among=("white", "cream", "sage green", "light grey"), noun="painted boards")
    for x in (-13.4, -8.2, -2.6, 2.0, 6.9, 12.3, 17.5):
        z = 2.1
        shaft = lathe(
            [
                (0.2, 0.0),
                (0.2, 0.35),
                (0.13, 0.45),
                (0.1, 0.8),
                (0.085, 2.6),
                (0.14, 2.68),
                (0.14, 2.78),
                (0.09, 2.86),
                (0.09, 3.9),
            ],
            sides=12,
        )
        curls = [
            tube(
                [(px, up, 0.0) for px, up, _ in arc((s * 1.1, 2.9, 0.0), 1.0, 180 if s > 0 else 0, 90, steps=5)], 0.035
            )
            for s in (-1, 1)
        ]
        cross = [m.at(yaw=90) for m in curls] + curls
        b.add("iron column", [(shaft, metal), (merge(cross), metal)], at=(x, 0, z))
    for x in np.arange(-15.0, 20.0, 1.9):
        for z0, z1 in ((-4.4, -2.2), (-2.2, 0.0), (0.0, 2.1), (2.1, 4.3)):
            b.add("canopy", [(box(1.9, 0.08, z1 - z0), boards)], at=(float(x), 3.9, (z0 + z1) / 2), joined=True)
        teeth = [
            prism([(-0.1, 0.0), (0.0, -0.22), (0.1, 0.0), (0.1, 0.28), (-0.1, 0.28)], 0.04).at(x=-0.85 + 0.21 * k)
            for k in range(9)
        ]
        b.add("valance", [(merge(teeth), lead)], at=(float(x), 3.82, 4.3), joined=True)
        b.add("beam", [(box(1.9, 0.16, 0.12), metal)], at=(float(x), 3.74, 2.1), joined=True)


def _station(b: SceneBuilder) -> None:
    """The building behind the camera, with arched doors; offices at both ends of the platform."""
    wall, stone = (
        b.material("red brick", "brick", "stucco", "ashlar stone", tile_m=1.5),
        Material("ashlar stone", tile_m=1.8),
    )
    row = Row((26.0, -5.0), 180.0)
    for i in range(20):
        bay: list[Shape] = [
            (merge(arched(2.6, 4.6, (1.3, 2.3), 0.35)), wall),
            (arch_band(1.3, 2.3, 0.2, 0.06).at(z=-0.06), stone),
        ]
        bay += [(box(2.6, 0.5, 0.1).at(z=-0.05), stone), (box(1.3, 2.95, 0.05).at(z=0.25), facades.DARK_GLASS)]
        paint = tinted("paint", b.rng, among=("forest green", "crimson", "brown", "cream"), noun="painted wood")
        bay.append(
            (
                merge(
                    [box(0.07, 2.95, 0.08).at(x=x, z=0.2) for x in (-0.62, 0.0, 0.62)]
                    + [box(1.3, 0.08, 0.08).at(up=u, z=0.2) for u in (0.0, 2.2)]
                ),
                paint,
            )
        )
        b.add("station wall", bay, at=row.at(1.3 + 2.6 * i), yaw=180.0, joined=True)
    walls = facades.far_walls(b)
    facades.far_house(b, (-34.0, 0, -9.4), 180.0, walls[0], size=(13.0, 7.0, 8.0))
    facades.far_house(b, (40.0, 0, -9.4), 180.0, walls[1], size=(13.0, 6.0, 8.0))
    facades.town_around(b, left=-66, right=78, near=-26, far=46, step=10.0, closed=False)


def _platform_things(b: SceneBuilder, metal: Material) -> None:
    wood = b.material("oak", "walnut", "pine", tile_m=1.0)
    street.bench(b, (float(b.rng.uniform(-3.9, -3.1)), 0, 2.3), float(b.rng.uniform(-8, 8)), wood, metal)
    street.bench(b, (8.6, 0, 2.3), float(b.rng.uniform(-8, 8)), wood, metal)
    spots = placing.slots(b.rng, -5.6, -1.4, 10.6)
    vehicles.hand_cart(b, (spots[0], 0, 3.1), float(b.rng.uniform(-30, 30)), wood, Material("black metal"))
    for k in range(3):
        kerbside.luggage(
            b,
            (spots[0] - 0.35 + 0.35 * k, 0.58 if k < 2 else 0.0, 3.1 if k < 2 else 2.3),
            float(b.rng.uniform(60, 120)),
        )
    kerbside.vending_machine(b, (spots[1], 0, 2.9), float(b.rng.uniform(-8, 8)))
    kerbside.station_clock(b, (spots[2], 0, 3.0), 0.0, metal)
    kerbside.luggage(b, (2.7, 0, 1.7), float(b.rng.uniform(-40, 40)))
    kerbside.luggage(b, (1.35, 0, 2.3), float(b.rng.uniform(-40, 40)))
    board: list[Shape] = [
        (box(1.3, 1.0, 0.05, metric=False).at(up=1.0), Material("timetable", variant=int(b.rng.integers(6))))
    ]
    board += [
        (
            merge(
                [box(0.08, 2.15, 0.08).at(x=s * 0.72) for s in (-1, 1)]
                + [box(1.5, 0.1, 0.1).at(up=u) for u in (0.9, 2.05)]
            ),
            metal,
        )
    ]
    middle = b.one_of("timetable", "vending", "stall", "timetable")
    if middle == "vending":
        kerbside.vending_machine(b, (2.6, 0, 2.5), float(b.rng.uniform(-15, 15)))
    elif middle == "stall":
        market.stall(b, (2.1, 0, 2.75), float(b.rng.uniform(-8, 8)), wood, b.material("striped cloth", tile_m=1.0))
    board_x = 2.0 if middle == "timetable" else -7.6
    b.add("timetable", board, at=(board_x, 0, 2.75), yaw=float(b.rng.uniform(-12, 12)))
    for x, z in ((-9.0, 2.8), (5.6, 3.0), (14.2, 2.6)):
        if b.rng.random() < 0.5:
            street.litter_bin(b, (x, 0, z), metal)
        else:
            street.planter(b, (x, 0, z), 0.0, length=1.1)
    market.flower_bucket(b, (-2.0, 0, 2.0), size=0.5)
    street.barrel(b, (-9.8, 0, 1.6), wood, metal)
    for x in (-1.2, 5.0):
        hanging: list[Shape] = [
            (box(0.02, 0.5, 0.02).at(up=0.3), metal),
            (lathe([(0.06, 0.3), (0.24, 0.1), (0.2, 0.06)], sides=14), metal),
        ]
        hanging.append(
            (
                cylinder(0.1, 0.14, sides=10).at(up=0.0),
                Material("paint", (1.0, 0.92, 0.75), emit=1.2, words="opal glass"),
            )
        )
        b.add("hanging lamp", hanging, at=(x, 3.1, 3.5))


def _opposite(b: SceneBuilder, metal: Material) -> None:
    """The second platform with a shelter, a fence, signals, trees and houses."""
    paving, stone = b.material("paving slabs", "concrete", tile_m=1.8), Material("concrete", tile_m=2.0)
    for x in np.arange(-48.0, 60.0, 3.0):
        b.add("far platform", [(box(3.0, 0.95, 4.5), paving)], at=(float(x), RAIL_UP, 14.6), joined=True)
    for x in np.arange(-30.0, 42.0, 1.5):
        b.add(
            "fence",
            [
                (
                    merge(
                        [box(0.1, 1.3, 0.04).at(x=-0.6 + 0.3 * k) for k in range(5)]
                        + [box(1.5, 0.08, 0.06).at(up=u, z=0.05) for u in (0.3, 0.95)]
                    ),
                    Material("paint", words="white wood"),
                )
            ],
            at=(float(x), 0, 16.7),
        )
    roof, sheet = (
        b.material("slate", "corrugated metal", "clay roof tiles", tile_m=2.2),
        b.material("grey planks", "red brick", "pine", tile_m=1.5),
    )
    hut = [
        (box(6.0, 2.5, 0.15).at(z=1.2), sheet),
        (merge([box(0.15, 2.5, 1.4).at(x=s * 2.95, z=0.5) for s in (-1, 1)]), sheet),
        (prism([(-1.3, 0.0), (1.6, 0.0), (1.6, 0.15), (-1.3, 0.7)], 6.6).at(z=-3.3).at(yaw=90, up=2.5, z=0.4), roof),
    ]
    b.add("shelter", hut, at=(float(b.rng.uniform(7.0, 12.0)), 0, 15.0))
    for x in (-10.0, 18.0):
        pole: list[Shape] = [
            (cylinder(0.09, 5.0, sides=10), Material("steel")),
            (
                box(1.4, 0.24, 0.05).at(x=0.6, up=4.4, z=-0.1),
                Material("barrier stripes", tile_m=0.8, words="red and white board"),
            ),
        ]
        pole.append(
            (
                merge([wheel(0.12, 0.08, sides=12).at(x=-0.1, up=u, z=-0.1) for u in (3.9, 4.5)]),
                Material("paint", (0.1, 0.7, 0.3), emit=1.0, words="signal glass"),
            )
        )
        b.add("signal", pole, at=(x, RAIL_UP, 8.2))
    look = plants.TreeLook(
        b.material("oak bark", "pine bark", tile_m=1.1), plants.foliage(b, "leaves", "autumn leaves"), 60
    )
    for x in placing.along(b.rng, -34, 46, 6.5, sway=1.5):
        plants.broadleaf(b, (x, -0.9, 19.5), look, height=float(b.rng.uniform(5.5, 8.5)), crown=2.4, clear=2.0)
    walls = facades.far_walls(b)
    for x in placing.along(b.rng, -56, 66, 10.5, sway=1.0):
        facades.far_house(
            b,
            (x, -0.9, 30.0),
            0.0,
            walls[int(b.rng.integers(len(walls)))],
            size=(9.5, float(b.rng.uniform(6, 10)), 8.0),
        )
    deck = [
        (box(3.4, 0.5, 46).at(z=18.0), stone),
        (merge([box(0.2, 1.1, 46).at(x=s * 1.6, up=0.5, z=18.0) for s in (-1, 1)]), metal),
        (merge([box(1.2, 6.0, 1.2).at(z=z, up=-6.0) for z in (-4.0, 8.3, 13.0, 24.0)]), stone),
    ]
    b.add("foot bridge", deck, at=(-40.0, 5.2, 0.0))
    b.add("foot bridge", deck, at=(52.0, 5.2, 0.0))
