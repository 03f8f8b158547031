"""Parked vehicles: cars, vans, bicycles, hand carts, railway carriages in bays.

Conventions: authoring frame; at yaw 0 a vehicle's right side faces the camera (-z) and its nose points to -x.
No makes, no lettering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, merge
from revisit_metric.controls.parts.forms import hoop, loft, rod, tube, wheel
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

CAR_PAINTS = ("white", "cream", "crimson", "forest green", "teal", "sky blue", "navy", "slate blue", "mustard",
              "light grey", "charcoal", "rust red", "sage green")  # fmt: skip
RUBBER = Material("black metal", (0.7, 0.7, 0.7), gloss=0.1, words="rubber")
TRIM = Material("black metal", (0.8, 0.8, 0.8), gloss=0.4, words="black plastic")
GLASS = Material("steel", (0.05, 0.065, 0.08), gloss=1.7, words="glass")
ROOF_GREY = Material("steel", (0.5, 0.5, 0.5), gloss=0.4, words="grey metal")
CHROME = Material("steel", (0.9, 0.9, 0.92), gloss=1.2)


class CarShape(NamedTuple):
    """Side view of a car, metres.

    Attributes:
        body: (x, top of the body) from nose to tail.
        cabin: x of the windscreen's foot and head, of the rear window's head and foot.
        roof: height of the roof.
        half: half the width.
        axles: x of the front and the rear axle.
        blind: x behind which the cabin has no side windows.
    """

    body: tuple[tuple[float, float], ...]
    cabin: tuple[float, float, float, float]
    roof: float
    half: float
    axles: tuple[float, float]
    blind: float = 9.0


CARS: dict[str, CarShape] = {
    "hatchback": CarShape(
        ((-1.92, 0.5), (-1.84, 0.68), (-1.0, 0.86), (-0.75, 0.9), (1.5, 0.95), (1.86, 0.86), (1.93, 0.52)),
        (-0.95, -0.3, 1.42, 1.8), 1.46, 0.84, (-1.2, 1.22),
    ),
    "saloon": CarShape(
        ((-2.22, 0.5), (-2.12, 0.66), (-1.15, 0.84), (-0.9, 0.88), (1.3, 0.92), (2.05, 0.9), (2.2, 0.8), (2.26, 0.5)),
        (-1.05, -0.35, 0.95, 1.6), 1.42, 0.87, (-1.42, 1.36),
    ),
    "estate car": CarShape(
        ((-2.2, 0.5), (-2.1, 0.68), (-1.15, 0.86), (-0.9, 0.9), (1.8, 0.95), (2.16, 0.9), (2.24, 0.52)),
        (-1.05, -0.35, 1.8, 2.12), 1.48, 0.87, (-1.4, 1.36),
    ),
    "van": CarShape(
        ((-2.3, 0.55), (-2.22, 0.85), (-1.75, 1.05), (-1.5, 1.1), (2.2, 1.12), (2.34, 1.1), (2.36, 0.55)),
        (-1.72, -1.15, 2.22, 2.32), 2.05, 0.95, (-1.5, 1.5), -0.35,
    ),
}  # fmt: skip


def car(b: SceneBuilder, at: Vec3, yaw: float, *, kind: str = "", landmark: bool = False) -> None:
    """A parked car of the given kind (a random one where empty): one part."""
    kind = kind or b.one_of("hatchback", "saloon", "estate car")
    shape = CARS[kind]
    paint = tinted("paint", b.rng, among=CAR_PAINTS, noun="car paint")
    paint = Material("paint", paint.tint, 6.0, 1.8, words=paint.words, variant=paint.variant)
    shapes: list[Shape] = [(_body(shape), paint), (_greenhouse(shape), GLASS), (_roof(shape), paint)]
    shapes += [(_pillars(shape), paint), (_seams(shape), TRIM), (_lights(shape, -1), CHROME)]
    shapes += [(_lights(shape, 1), Material("paint", (0.5, 0.03, 0.03), gloss=2.0, words="red glass"))]
    shapes += _wheels(shape)
    b.add("car" if kind != "van" else "van", shapes, at=at, yaw=yaw, movable=True, landmark=landmark)


def _section(x: float, low: float, top: float, half: float) -> NDArray[np.float64]:
    """Cross-section of a body at `x`: sill, bulging flank, shoulder, deck."""
    waist = low + 0.55 * (top - low)
    right = [(0.9 * half, low), (0.99 * half, low + 0.12), (half, waist), (0.95 * half, top - 0.05), (0.86 * half, top)]
    ring = [(x, up, -z) for z, up in right] + [(x, up, z) for z, up in reversed(right)]
    return np.array(ring)


def _body(shape: CarShape) -> Mesh:
    ends = {0: 0.84, 1: 0.95, len(shape.body) - 2: 0.97, len(shape.body) - 1: 0.88}
    low = [0.3 if i in (0, len(shape.body) - 1) else 0.2 for i in range(len(shape.body))]
    rings = [
        _section(x, lo, top, shape.half * ends.get(i, 1.0))
        for i, ((x, top), lo) in enumerate(zip(shape.body, low, strict=True))
    ]
    return loft(rings)


def _waist(shape: CarShape, x: float) -> float:
    xs, ups = zip(*shape.body, strict=True)
    return float(np.interp(x, xs, ups)) - 0.03


def _cabin(shape: CarShape, grow: float) -> NDArray[np.float64]:
    """Corners of the cabin: (foot front, head front, head rear, foot rear) x (right, left) x 3."""
    foot0, head0, head1, foot1 = shape.cabin
    half, top = shape.half, shape.roof - 0.05
    lower, upper = 0.88 * half + grow, 0.72 * half + grow if shape.blind > 5 else 0.86 * half + grow
    points = [(foot0 - grow, _waist(shape, foot0), lower), (head0, top, upper), (head1, top, upper)]
    points.append((foot1 + grow, _waist(shape, foot1), lower))
    return np.array([[(x, up, -z), (x, up, z)] for x, up, z in points])


def _greenhouse(shape: CarShape) -> Mesh:
    c = _cabin(shape, 0.0)
    low = np.array([c[0, 0], c[3, 0], c[3, 1], c[0, 1]])
    high = np.array([c[1, 0], c[2, 0], c[2, 1], c[1, 1]])
    return loft([low, high], caps=False)


def _roof(shape: CarShape) -> Mesh:
    """The roof, and the closed flank behind the driver of a van."""
    _, head0, head1, _ = shape.cabin
    half = (0.72 if shape.blind > 5 else 0.86) * shape.half + 0.015
    top = shape.roof
    rings = []
    for x, drop, narrow in ((head0 - 0.06, 0.06, 0.98), (head0 + 0.1, 0.03, 1.0), (0.5 * (head0 + head1), 0.0, 1.0),
                            (head1 - 0.1, 0.03, 1.0), (head1 + 0.05, 0.06, 0.98)):  # fmt: skip
        w = half * narrow
        right = [(w, top - drop - 0.06), (w * 0.94, top - drop - 0.015), (w * 0.5, top - drop)]
        rings.append([(x, up, -z) for z, up in right] + [(x, up, z) for z, up in reversed(right)])
    meshes = [loft(rings)]
    if shape.blind < 5:
        c = _cabin(shape, 0.012)
        start = np.array(
            [
                [shape.blind, c[0, 0, 1], -0.88 * shape.half - 0.012],
                [shape.blind, c[1, 0, 1], -0.86 * shape.half - 0.012],
            ]
        )
        ring0 = [start[0], start[1], start[1] * [1, 1, -1], start[0] * [1, 1, -1]]
        ring1 = [c[3, 0], c[2, 0], c[2, 1], c[3, 1]]
        meshes.append(loft([ring0, ring1]))
    return merge(meshes)


def _pillars(shape: CarShape) -> Mesh:
    c = _cabin(shape, 0.01)
    bars = []
    for side in (0, 1):
        bars += [rod(tuple(c[0, side]), tuple(c[1, side]), 0.024), rod(tuple(c[3, side]), tuple(c[2, side]), 0.032)]
        middle = 0.52 * c[0, side] + 0.48 * c[3, side], 0.5 * c[1, side] + 0.5 * c[2, side]
        bars.append(rod(tuple(middle[0]), tuple(middle[1]), 0.026))
        mirror = c[0, side] + (0.35, 0.08, 0.0)
        bars.append(box(0.1, 0.13, 0.2).at(float(mirror[0]), float(mirror[1]), float(mirror[2]) * 1.12))
    return merge(bars)


def _seams(shape: CarShape) -> Mesh:
    """Door gaps, handles, sills, grille and bumpers."""
    half = shape.half
    front, rear = shape.cabin[0], shape.cabin[3]
    middle = 0.5 * (front + rear)
    lines = []
    for side in (-1, 1):
        for x in (front + 0.2, middle, rear - 0.32):
            lines.append(box(0.014, 0.42, 0.03).at(x, 0.34, side * (half - 0.012)))
        lines += [box(0.17, 0.03, 0.04).at(x, 0.74, side * half) for x in (middle - 0.16, rear - 0.5)]
        lines.append(box(rear - front + 0.3, 0.09, 0.06).at(middle, 0.24, side * (half * 0.985)))
    nose, tail = shape.body[0][0], shape.body[-1][0]
    lines.append(box(0.08, 0.16, half * 1.1).at(nose + 0.015, 0.34))
    lines += [box(0.14, 0.1, half * 1.6).at(x, 0.3) for x in (nose + 0.04, tail - 0.04)]
    return merge(lines)


def _lights(shape: CarShape, end: int) -> Mesh:
    x, up = shape.body[1] if end < 0 else shape.body[-2]
    lens = box(0.16, 0.14, 0.3)
    return merge([lens.at(x + 0.02 * end, up - 0.2, s * shape.half * 0.78) for s in (-1, 1)])


def _wheels(shape: CarShape) -> list[Shape]:
    radius = 0.31 if shape.roof < 1.8 else 0.36
    arches, tyres, hubs = [], [], []
    for x in shape.axles:
        arches.append(wheel(radius + 0.06, 2 * shape.half + 0.012, sides=20).at(x, -0.03))
        for side in (-1, 1):
            tyres.append(wheel(radius, 0.2, sides=18).at(x, 0, side * (shape.half - 0.075)))
            hubs.append(wheel(radius * 0.62, 0.03, sides=10).at(x, radius * 0.38, side * (shape.half + 0.018)))
    return [(merge(arches), TRIM), (merge(tyres), RUBBER), (merge(hubs), Material("steel", (0.5, 0.5, 0.52)))]


def bicycle(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A town bicycle on its stand."""
    paint = tinted("paint", b.rng, noun="painted steel")
    r, x0, x1 = 0.34, -0.52, 0.52
    frame = [
        tube([(x0, r, 0), (x0 + 0.17, 0.86, 0), (0.18, 0.78, 0), (0.02, 0.3, 0), (x0 + 0.13, 0.7, 0)], 0.02),
        tube([(0.02, 0.3, 0), (x1, r, 0), (0.18, 0.78, 0)], 0.014),
    ]
    metal = [tube([(x0 + 0.17, 0.86, 0), (x0 + 0.2, 1.02, 0), (x0 + 0.3, 1.04, -0.26)], 0.014)]
    metal += [rod((x0 + 0.2, 1.02, 0), (x0 + 0.3, 1.04, 0.26), 0.014), rod((0.18, 0.78, 0), (0.2, 0.92, 0), 0.013)]
    metal += [wheel(0.09, 0.03, sides=12).at(0.02, 0.21), rod((0.12, 0.3, 0.05), (0.22, 0.0, 0.16), 0.01)]
    for x in (x0, x1):
        for a in np.linspace(0, np.pi, 6)[:-1]:
            c, s = 0.3 * float(np.cos(a)), 0.3 * float(np.sin(a))
            metal.append(rod((x - c, r - s, 0), (x + c, r + s, 0), 0.004, sides=3))
    tyres = [hoop(r, 0.022).at(x) for x in (x0, x1)]
    shapes: list[Shape] = [(merge(frame), paint), (merge(metal), CHROME), (merge(tyres), RUBBER)]
    shapes.append((box(0.26, 0.06, 0.15).at(0.21, 0.92), Material("leather", words="leather saddle")))
    if b.rng.random() < 0.6:
        shapes.append((box(0.26, 0.22, 0.34).at(x0 - 0.02, 0.82), Material("pine", (0.7, 0.6, 0.5), words="wicker")))
    b.add("bicycle", shapes, at=at, yaw=yaw, movable=True)


def hand_cart(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, metal: Material) -> None:
    """A flat two-wheeled cart with a drawbar."""
    spokes = [box(0.03, 0.62, 0.02, centred=True).tilted(about_z=a) for a in (0.0, 60.0, 120.0)]
    shapes: list[Shape] = [
        (box(1.5, 0.08, 0.9).at(up=0.5), wood),
        (merge([box(1.5, 0.22, 0.04).at(up=0.56, z=s * 0.43) for s in (-1, 1)]), wood),
        (merge([hoop(0.34, 0.03).at(z=s * 0.52) for s in (-1, 1)]), metal),
        (merge([spoke.at(up=0.34, z=s * 0.52) for spoke in spokes for s in (-1, 1)]), wood),
        (tube([(0.7, 0.55, 0.2), (1.45, 0.3, 0.0), (0.7, 0.55, -0.2)], 0.03), wood),
        (rod((0, 0.34, -0.52), (0, 0.34, 0.52), 0.03), metal),
        (box(0.06, 0.5, 0.06).at(x=0.68), wood),
    ]
    b.add("cart", shapes, at=at, yaw=yaw, movable=True)


class TrainLook(NamedTuple):
    """Paint of a carriage: body, band below the windows, doors."""

    body: Material
    band: Material
    door: Material


FLANK = ((0.0, 0.55), (-0.06, 1.1), (-0.06, 1.9), (0.0, 2.9))
ROOF = ((-0.03, 2.88), (0.12, 3.4), (0.55, 3.75), (1.4, 3.9))


def _both_sides(x: float, half: tuple[tuple[float, float], ...]) -> list[Vec3]:
    """A cross-section at `x` from its near half (z, up); the carriage is 2.8 m wide."""
    return [(x, up, z) for z, up in half] + [(x, up, 2.8 - z) for z, up in reversed(half)]


def carriage_bay(b: SceneBuilder, at: Vec3, look: TrainLook, *, width: float, door: bool) -> None:
    """One bay of a railway carriage; `at` is the middle of its side at rail level. Its ends are open."""
    ends = (-width / 2, width / 2)
    shapes: list[Shape] = [
        (loft([_both_sides(x, FLANK) for x in ends], closed=False, caps=False), look.body),
        (loft([_both_sides(x, ROOF) for x in ends], closed=False, caps=False), ROOF_GREY),
        (box(width, 0.28, 0.05).at(up=1.25, z=-0.075), look.band),
        (box(width, 0.07, 0.05).at(up=2.84, z=-0.03), look.band),
        (box(width, 0.5, 2.2).at(up=0.1, z=1.4), TRIM),
    ]
    b.add("train carriage", shapes, at=at, joined=True)
    if door:
        b.add("train door", _train_door(look), at=at)
        return
    pane = Material("window pane", variant=int(b.rng.integers(6)))
    frame = [box(width - 0.3, 0.06, 0.06).at(up=u, z=-0.07) for u in (1.7, 2.36, 2.66)]
    frame += [box(0.06, 1.0, 0.06).at(x=s * (width - 0.36) / 2, up=1.72, z=-0.07) for s in (-1, 1)]
    glass = box(width - 0.36, 0.96, 0.04, metric=False).at(up=1.73, z=-0.06)
    b.add("train window", [(glass, pane), (merge(frame), CHROME)], at=at)


def _train_door(look: TrainLook) -> list[Shape]:
    pane = Material("window pane", variant=3)
    shapes: list[Shape] = [(box(1.25, 2.12, 0.06).at(up=0.72, z=-0.08), look.door)]
    shapes.append((box(0.03, 2.1, 0.08).at(up=0.73, z=-0.09), TRIM))
    shapes += [(box(0.38, 0.9, 0.04, metric=False).at(x, 1.72, -0.11), pane) for x in (-0.31, 0.31)]
    shapes.append((merge([box(0.04, 0.5, 0.06).at(s * 0.08, 1.15, -0.12) for s in (-1, 1)]), CHROME))
    return shapes


def carriage_end(b: SceneBuilder, at: Vec3, look: TrainLook, *, side: float) -> None:
    """A rounded cab at the end of a train (side -1: towards -x) with windscreen, lamps and buffers."""
    rings, tops = [], []
    for x, narrow, lower in ((0.0, 1.0, 0.0), (0.6, 0.95, 0.06), (1.1, 0.8, 0.3), (1.3, 0.62, 0.75)):
        skins = [
            tuple((1.4 - (1.4 - z) * narrow, up - lower * (up - 0.55) / 3.4) for z, up in half)
            for half in (FLANK, ROOF)
        ]
        rings.append(_both_sides(side * x, skins[0]))
        tops.append(_both_sides(side * x, skins[1]))
    shapes: list[Shape] = [(loft(rings), look.body), (loft(tops), ROOF_GREY)]
    shapes.append((box(0.1, 0.75, 1.5).at(side * 1.24, 1.7, 1.4), GLASS))
    shapes.append(
        (merge([wheel(0.14, 0.1, sides=12).at(yaw=90).at(side * 1.3, 0.98, 1.4 + s * 0.6) for s in (-1, 1)]), CHROME)
    )
    shapes.append((box(1.2, 0.5, 2.0).at(side * 0.5, 0.1, 1.4), TRIM))
    b.add("train cab", shapes, at=at, landmark=True)


def rails(b: SceneBuilder, *, x: tuple[float, float], z: float, up: float, ballast: Material) -> None:
    """A track along x on a ballast bed: rails and sleepers in pieces of three metres."""
    steel, tie = (
        Material("rusty metal", (0.6, 0.55, 0.5), words="steel rail"),
        b.material("concrete", "walnut", tile_m=1.5),
    )
    for x0 in np.arange(x[0], x[1], 3.0):
        shapes: list[Shape] = [(box(3.0, 0.02, 3.4).at(up=-0.02), ballast)]
        shapes += [(box(3.0, 0.15, 0.08).at(up=0.12, z=s * 0.72), steel) for s in (-1, 1)]
        shapes.append((merge([box(0.24, 0.14, 2.4).at(x=-1.2 + 0.6 * i) for i in range(5)]), tie))
        b.add("railway track", shapes, at=(float(x0) + 1.5, up, z), joined=True)


def boxes_on(b: SceneBuilder, at: Vec3, yaw: float, *, count: int = 3, spread: float = 0.6) -> None:
    """A few cardboard or wooden boxes standing about `at`."""
    for i in range(count):
        size = b.rng.uniform(0.28, 0.5, 3)
        card = b.material("pine", "linen", tint=(0.75, 0.58, 0.4), tile_m=1.0, words="cardboard")
        x = (i - (count - 1) / 2) * spread + float(b.rng.uniform(-0.06, 0.06))
        place = turned(at, yaw, x, float(b.rng.uniform(-0.1, 0.1)))
        body = box(float(size[0]), float(size[1]), float(size[2]))
        tape = box(0.05, 0.004, float(size[2])).at(up=float(size[1]))
        b.add(
            "cardboard box",
            [(body, card), (tape, Material("pine"))],
            at=place,
            yaw=yaw + float(b.rng.uniform(-20, 20)),
            movable=True,
        )


def oil_drum(b: SceneBuilder, at: Vec3) -> None:
    """A steel drum with two ribs."""
    paint = tinted("worn paint", b.rng, noun="painted steel")
    shapes: list[Shape] = [(cylinder(0.29, 0.88, sides=18), paint)]
    shapes += [(cylinder(0.305, 0.04, sides=18).at(up=u), paint) for u in (0.0, 0.28, 0.58, 0.86)]
    b.add("oil drum", shapes, at=at, movable=True)
