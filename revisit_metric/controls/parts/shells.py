"""Larger shells of rooms: rows of wall panels from a plan, ceilings, trusses, gables, lights, what windows show.

Conventions: authoring frame. A plan is a string with one letter per wall panel, from the start of its run:
`w` wall, `o` window, `t` tall window, `d` door, `p` open passage, `.` nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, lathe, merge, prism, quad
from revisit_metric.controls.parts import buildings, plants, rooms
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


class Room(NamedTuple):
    """A box: x from left to right, z from near to far, metres."""

    x: tuple[float, float]
    z: tuple[float, float]
    height: float

    def far(self, panels: int) -> rooms.Run:
        """The wall ahead, left to right."""
        return rooms.Run((self.x[0], self.z[1]), 0.0, self.height, (self.x[1] - self.x[0]) / panels)

    def left(self, panels: int) -> rooms.Run:
        """The left wall, near to far."""
        return rooms.Run((self.x[0], self.z[0]), -90.0, self.height, (self.z[1] - self.z[0]) / panels)

    def right(self, panels: int) -> rooms.Run:
        """The right wall, far to near."""
        return rooms.Run((self.x[1], self.z[1]), 90.0, self.height, (self.z[1] - self.z[0]) / panels)

    def near(self, panels: int) -> rooms.Run:
        """The wall behind the camera, right to left."""
        return rooms.Run((self.x[1], self.z[0]), 180.0, self.height, (self.x[1] - self.x[0]) / panels)


class Fittings(NamedTuple):
    """What a row of wall panels is furnished with."""

    look: rooms.WallLook
    handle: Material
    sill: float = 0.9
    top: float = 2.4


def wall_row(b: SceneBuilder, run: rooms.Run, plan: str, fit: Fittings) -> None:
    """Panels along `run`, one per letter of `plan`; see the module's conventions."""
    for panel, kind in enumerate(plan):
        if kind == "w":
            rooms.wall(b, run, panel, fit.look)
        elif kind == "o":
            rooms.window(b, run, panel, fit.look, sill=fit.sill, top=fit.top)
        elif kind == "t":
            rooms.window(b, run, panel, fit.look, sill=0.5, top=run.height - 0.45)
        elif kind == "d":
            rooms.door(b, run, panel, fit.look, door_leaf(b), fit.handle)
        elif kind == "p":
            passage(b, run, panel, fit.look)


def door_leaf(b: SceneBuilder) -> Material:
    """A panelled door in one of the strong colours."""
    plain = tinted("paint", b.rng, noun="painted wood")
    return Material("panelled door", plain.tint, words=plain.words, variant=plain.variant)


def passage(b: SceneBuilder, run: rooms.Run, panel: int, look: rooms.WallLook, *, width: float = 1.25) -> None:
    """A panel with an open doorway; the layout shows something behind it."""
    w, h, top = run.panel_m, run.height, min(2.25, run.height - 0.3)
    shapes: list[Shape] = [(m, look.wall) for m in buildings.pierced(w, h, (width, 0.0, top), rooms.THICK_M)]
    shapes += [(box(0.1, top, 0.24).at(x=s * (width / 2 + 0.03), z=0.07), look.trim) for s in (-1, 1)]
    shapes.append((box(width + 0.26, 0.12, 0.26).at(up=top, z=0.07), look.trim))
    b.add("doorway", shapes, at=run.at(panel), yaw=run.yaw, joined=True)


def ceiling(b: SceneBuilder, room: Room, material: Material, *, tile_m: float = 2.1, up: float | None = None) -> None:
    """A flat ceiling in slabs; they reach over the walls, so that no sun falls through the seam."""
    height, over = room.height if up is None else up, 0.25
    columns = round((room.x[1] - room.x[0]) / tile_m)
    rows = round((room.z[1] - room.z[0]) / tile_m)
    left, near = room.x[0] - over, room.z[0] - over
    dx, dz = (room.x[1] + over - left) / columns, (room.z[1] + over - near) / rows
    for i in range(columns):
        for j in range(rows):
            at = (left + (i + 0.5) * dx, height, near + (j + 0.5) * dz)
            b.add("ceiling", [(box(dx, 0.1, dz), material)], at=at, joined=True)


def beams(
    b: SceneBuilder, room: Room, wood: Material, *, step: float, size: tuple[float, float], across: bool = True
) -> None:
    """Ceiling beams of (width, height): across the room along z, or along x in pieces of two metres."""
    w, h = size
    if across:
        length = room.z[1] - room.z[0]
        for x in np.arange(room.x[0] + step / 2, room.x[1], step):
            b.add("beam", [(box(w, h, length), wood)], at=(float(x), room.height - h, sum(room.z) / 2))
        return
    for z in np.arange(room.z[0] + step / 2, room.z[1], step):
        for x in np.arange(room.x[0] + 1.0, room.x[1], 2.0):
            b.add("beam", [(box(2.0, h, w), wood)], at=(float(x), room.height - h, float(z)), joined=True)


def light_panels(
    b: SceneBuilder, places: Sequence[tuple[float, float]], *, up: float, size: tuple[float, float] = (1.2, 0.32)
) -> None:
    """Flat luminous panels under a ceiling; up to eight of them light the room, evenly chosen."""
    glow = Material("paint", (1.0, 0.98, 0.92), emit=2.2, words="opal glass")
    rim = Material("paint", (0.9, 0.9, 0.9), words="white metal")
    w, d = size
    shapes: list[Shape] = [(box(w, 0.05, d).at(up=-0.05), rim), (box(w - 0.08, 0.012, d - 0.08).at(up=-0.06), glow)]
    for x, z in places:
        b.add("ceiling light", shapes, at=(x, up, z))
    step = max(-(-len(places) // 8), 1)
    for x, z in places[::step]:
        b.lamp((x, up - 0.35, z), (0.62, 0.6, 0.54), 6.5)


def hanging_globe(b: SceneBuilder, at: Vec3, metal: Material, *, ceiling_up: float, radius: float = 0.2) -> None:
    """A glass ball on a rod; `at` is its middle."""
    glow = Material("paint", (1.0, 0.9, 0.72), emit=2.6, words="opal glass")
    angle = np.linspace(-np.pi / 2, np.pi / 2, 9)
    ball = lathe([(radius * max(float(np.cos(a)), 0.0), radius * float(np.sin(a))) for a in angle], sides=18)
    drop = ceiling_up - at[1] - radius
    rod = merge([box(0.025, drop, 0.025).at(up=radius), box(0.12, 0.05, 0.12).at(up=radius - 0.02)])
    b.add("globe lamp", [(ball, glow), (rod, metal)], at=at)
    b.lamp((at[0], at[1] - 0.1, at[2]), (0.85, 0.68, 0.46), 6.0)


def column(b: SceneBuilder, at: Vec3, stone: Material, *, height: float, radius: float = 0.26) -> None:
    """A round column with base and capital."""
    r, h = radius, height
    shaft = [(r * 1.3, 0.22), (r * 1.05, 0.34), (r, 0.5), (r * 0.86, h - 0.55), (r * 1.0, h - 0.5), (r * 0.9, h - 0.4)]
    top = [(r * 0.9, h - 0.4), (r * 1.4, h - 0.18)]
    slabs = [box(2.9 * r, 0.22, 2.9 * r), box(3.0 * r, 0.18, 3.0 * r).at(up=h - 0.18)]
    b.add("column", [(lathe(shaft, sides=20), stone), (lathe(top, sides=20), stone), (merge(slabs), stone)], at=at)


class Gable(NamedTuple):
    """A roof over a room whose ridge runs along x at (`z`, `up`)."""

    z: float
    up: float


def gable_roof(b: SceneBuilder, room: Room, ridge: Gable, cover: Material, *, skylights: Sequence[int] = ()) -> None:
    """Sloping roof panels of about 1.8 m; bays listed in `skylights` are open in the lower middle of the far slope."""
    count = round((room.x[1] - room.x[0]) / 1.8)
    dx = (room.x[1] - room.x[0]) / count
    for i in range(count):
        for edge, flip in ((room.z[1], 1.0), (room.z[0], -1.0)):
            for row in range(3):
                if i in skylights and flip > 0 and row == 1:
                    continue
                low, high = row / 3, (row + 1) / 3
                z0, z1 = edge + (ridge.z - edge) * low, edge + (ridge.z - edge) * high
                u0, u1 = (room.height + (ridge.up - room.height) * s for s in (low, high))
                face = quad((0, u0, z0), (dx, 0, 0), (0, u1 - u0, z1 - z0), both=True)
                b.add("roof", [(face, cover)], at=(room.x[0] + i * dx, 0, 0), joined=True)
            # A plate on the wall keeps the sun out of the seam below the roof.
            plate = box(dx, 0.24, 0.5).at(x=dx / 2, up=room.height - 0.02, z=edge + 0.14 * flip)
            b.add("wall plate", [(plate, cover)], at=(room.x[0] + i * dx, 0, 0), joined=True)


def gable_ends(b: SceneBuilder, room: Room, ridge: Gable, wall: Material) -> None:
    """The triangles above the left and the right wall."""
    near, far = room.z[0] - ridge.z, room.z[1] - ridge.z
    rise = ridge.up - room.height
    left = prism([(near, 0.0), (far, 0.0), (0.0, rise)], 0.18)
    right = prism([(-far, 0.0), (-near, 0.0), (0.0, rise)], 0.18)
    b.add("wall", [(left, wall)], at=(room.x[0], room.height, ridge.z), yaw=-90.0, joined=True)
    b.add("wall", [(right, wall)], at=(room.x[1], room.height, ridge.z), yaw=90.0, joined=True)


def trusses(b: SceneBuilder, room: Room, ridge: Gable, wood: Material, *, step: float = 2.7) -> None:
    """Tie beam, rafters, king post and two struts every `step` metres."""
    span, middle = room.z[1] - room.z[0], sum(room.z) / 2
    rise = ridge.up - room.height
    meshes = [box(0.14, 0.2, span).at(z=middle - ridge.z), box(0.12, rise, 0.12)]
    for edge in room.z:
        run = edge - ridge.z
        slope = float(np.degrees(np.arctan2(rise, abs(run)))) * float(np.sign(run))
        rafter = box(0.12, 0.16, float(np.hypot(run, rise)), centred=True).tilted(about_x=slope)
        meshes.append(rafter.at(up=rise / 2 - 0.12, z=run / 2))
        strut = box(0.1, 0.1, abs(run) * 0.5, centred=True).tilted(about_x=-slope)
        meshes.append(strut.at(up=rise * 0.25, z=run * 0.25))
    for x in np.arange(room.x[0] + step / 2, room.x[1], step):
        b.add("roof truss", [(merge(meshes), wood)], at=(float(x), room.height - 0.1, ridge.z))


def garden(b: SceneBuilder, room: Room, *, sides: str = "far left", trees: bool = True) -> None:
    """A lawn with a hedge or fence and trees (half as many without `trees`), outside the windows of the named sides."""
    grass, bark = b.material("grass", tile_m=3.0), Material("oak bark", tile_m=1.0)
    leaf = plants.foliage(b, "leaves", "autumn leaves")
    kind = b.one_of("hedge", "fence", "hedge")
    screen = b.material("hedge", tile_m=1.6) if kind == "hedge" else b.material("grey planks", "pine", tile_m=1.6)
    look = plants.TreeLook(bark, leaf, 60)
    if "far" in sides:
        z = room.z[1]
        rooms.tiled_plane(b, "lawn", grass, x=(-40, 44), z=(z + 0.3, z + 44), up=-0.3, tile_m=10.0)
        for x in np.arange(-26, 38, 4.0):
            b.add(kind, [(box(4.0, 1.9, 0.5), screen)], at=(float(x), -0.3, z + 9.0), joined=True)
        for x in np.arange(-24, 36, 7.5 if trees else 15.0):
            place = (float(x + b.rng.uniform(-2, 2)), -0.3, z + 13 + float(b.rng.uniform(-1, 4)))
            plants.broadleaf(b, place, look, height=float(b.rng.uniform(5, 8)), crown=2.4, clear=1.6)
    if "left" in sides:
        x = room.x[0]
        far = room.z[1] + 0.3
        rooms.tiled_plane(b, "lawn", grass, x=(x - 40, x - 0.3), z=(-26, far), up=-0.3, tile_m=10.0)
        for z in np.arange(-22, 26, 4.0):
            b.add(kind, [(box(0.5, 1.9, 4.0), screen)], at=(x - 9.0, -0.3, float(z)), joined=True)
        for z in np.arange(-14, 14, 7.0 if trees else 14.0):
            place = (x - 13 - float(b.rng.uniform(0, 3)), -0.3, float(z + b.rng.uniform(-2, 2)))
            plants.broadleaf(b, place, look, height=float(b.rng.uniform(5, 8)), crown=2.4, clear=1.6)


def town(b: SceneBuilder, room: Room, *, sides: str = "far left") -> None:
    """A road and houses, outside the windows of the named sides."""
    road = b.material("asphalt", "cobblestones", "paving slabs", tile_m=2.0)
    if "far" in sides:
        z = room.z[1]
        rooms.tiled_plane(b, "street", road, x=(-40, 44), z=(z + 0.3, z + 30), up=-0.2, tile_m=10.0)
        for x in np.arange(-26, 40, 7.4):
            size = (7.4, float(b.rng.uniform(6, 10)), 5.0)
            buildings.plain_block(b, (float(x), -0.2, z + 13.0), 0, buildings.random_look(b), size=size)
    if "left" in sides:
        x = room.x[0]
        rooms.tiled_plane(b, "street", road, x=(x - 30, x - 0.3), z=(-26, room.z[1] + 0.3), up=-0.2, tile_m=10.0)
        for z in np.arange(-22, 22, 7.4):
            size = (7.4, float(b.rng.uniform(6, 10)), 5.0)
            buildings.plain_block(b, (x - 13.0, -0.2, float(z)), -90, buildings.random_look(b), size=size)
