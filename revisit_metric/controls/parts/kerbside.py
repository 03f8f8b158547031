"""What stands along streets and squares: fences, hedges, dustbins, shelters, pumps, statues, wells, railings.

Conventions: authoring frame; fronts face -z at yaw 0; functions add parts at (x, up, z).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Vec3, box, cards, cone, cylinder, lathe, merge, prism, sphere
from revisit_metric.controls.parts.forms import arc, hoop, rod, tube, wheel
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted


def picket_fence(
    b: SceneBuilder, *, x: tuple[float, float], z: float, wood: Material, gaps: Sequence[float] = ()
) -> None:
    """A garden fence of pointed boards along x in pieces of 1.5 m; pieces that hold a gap's middle are left out."""
    for x0 in np.arange(x[0], x[1], 1.5):
        if any(x0 <= g < x0 + 1.5 for g in gaps):
            continue
        boards = [
            prism([(-0.05, 0.06), (0.05, 0.06), (0.05, 0.88), (0.0, 0.96), (-0.05, 0.88)], 0.025).at(x=float(dx))
            for dx in np.arange(-0.68, 0.7, 0.15)
        ]
        bars = [box(1.5, 0.08, 0.04).at(up=u, z=0.05) for u in (0.22, 0.7)] + [box(0.09, 1.0, 0.09).at(x=-0.75, z=0.07)]
        b.add("fence", [(merge(boards), wood), (merge(bars), wood)], at=(float(x0) + 0.75, 0, z))


def iron_fence(
    b: SceneBuilder, *, x: tuple[float, float], z: float, metal: Material, stone: Material, height: float = 1.5
) -> None:
    """Spiked bars on a low wall along x, with a stone post every two metres."""
    for x0 in np.arange(x[0], x[1], 2.0):
        shapes: list[Shape] = [(box(2.0, 0.4, 0.3), stone), (box(2.0, 0.06, 0.38).at(up=0.4), stone)]
        bars = [rod((float(dx), 0.46, 0), (float(dx), height, 0), 0.014, sides=4) for dx in np.arange(-0.9, 0.95, 0.16)]
        bars += [cone(0.03, 0.12, sides=4).at(x=float(dx), up=height) for dx in np.arange(-0.9, 0.95, 0.16)]
        bars += [box(2.0, 0.05, 0.03).at(up=u) for u in (0.6, height - 0.1)]
        shapes.append((merge(bars), metal))
        shapes += [
            (box(0.34, height + 0.1, 0.34).at(x=-1.0), stone),
            (box(0.42, 0.1, 0.42).at(x=-1.0, up=height + 0.1), stone),
        ]
        b.add("iron fence", shapes, at=(float(x0) + 1.0, 0, z), joined=True)


def railing(
    b: SceneBuilder, *, x: tuple[float, float], z: float, metal: Material, height: float = 1.05, up: float = 0.0
) -> None:
    """A plain railing along x in pieces of two metres."""
    for x0 in np.arange(x[0], x[1], 2.0):
        bars = [
            rod((-1, u, 0), (1, u, 0), r) for u, r in ((height, 0.03), (height * 0.5, 0.016), (height * 0.12, 0.016))
        ]
        bars += [
            rod((float(dx), height * 0.12, 0), (float(dx), height, 0), 0.01, sides=4)
            for dx in np.arange(-0.9, 0.95, 0.2)
        ]
        bars.append(
            lathe(
                [(0.06, 0.0), (0.035, 0.1), (0.035, height), (0.05, height + 0.05), (0.0, height + 0.1)], sides=10
            ).at(x=-1.0)
        )
        b.add("railing", [(merge(bars), metal)], at=(float(x0) + 1.0, up, z))


def hedge(
    b: SceneBuilder, *, x: tuple[float, float], z: float, height: float, leaf: Material, deep: float = 0.6
) -> None:
    """A clipped hedge along x in pieces of about 1.2 m, with loose leaves on top."""
    for x0 in np.arange(x[0], x[1], 1.2):
        h = height + float(b.rng.uniform(-0.04, 0.04))
        roots = np.stack([b.rng.uniform(-0.6, 0.6, 14), np.full(14, h), b.rng.uniform(-deep / 2, deep / 2, 14)], 1)
        tips = cards(roots, 0.26, b.rng, puff=(0, h - 0.5, 0))
        shapes: list[Shape] = [
            (box(1.2, h, deep), leaf),
            (tips, Material("leaves", (0.7, 0.75, 0.65), variant=int(b.rng.integers(3)))),
        ]
        b.add("hedge", shapes, at=(float(x0) + 0.6, 0, z), joined=True)


def wheelie_bin(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A household dustbin on two wheels."""
    paint = tinted("paint", b.rng, among=("forest green", "charcoal", "navy", "brown", "olive"), noun="plastic")
    body = prism([(-0.2, 0.01), (0.2, 0.01), (0.27, 0.92), (-0.27, 0.92)], 0.5).at(z=-0.25)
    lid = prism([(-0.3, 0.92), (0.3, 0.92), (0.28, 0.99), (-0.28, 0.99)], 0.62).at(z=-0.31)
    shapes: list[Shape] = [(merge([body, lid, box(0.5, 0.05, 0.05).at(up=0.88, z=0.32)]), paint)]
    shapes.append(
        (merge([wheel(0.1, 0.05, sides=12).at(yaw=90).at(x=s * 0.2, z=0.22) for s in (-1, 1)]), Material("black metal"))
    )
    b.add("dustbin", shapes, at=at, yaw=yaw, movable=True)


def letter_box(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A letter box on a post."""
    paint = tinted("paint", b.rng, among=("crimson", "mustard", "navy", "forest green"), noun="painted steel")
    shapes: list[Shape] = [
        (cylinder(0.05, 0.85, sides=10), Material("black metal")),
        (box(0.46, 0.6, 0.34).at(up=0.8), paint),
    ]
    shapes += [
        (box(0.5, 0.06, 0.38).at(up=1.4), paint),
        (box(0.3, 0.03, 0.02).at(up=1.24, z=-0.18), Material("black metal", (0.3, 0.3, 0.3))),
    ]
    shapes.append((box(0.24, 0.16, 0.02).at(up=0.92, z=-0.175), Material("paint", words="white plate")))
    b.add("letter box", shapes, at=at, yaw=yaw, movable=True)


def hydrant(b: SceneBuilder, at: Vec3) -> None:
    """A fire hydrant."""
    paint = tinted("worn paint", b.rng, among=("crimson", "mustard", "slate blue"), noun="painted iron")
    body = lathe(
        [(0.16, 0.0), (0.16, 0.05), (0.11, 0.08), (0.11, 0.5), (0.14, 0.52), (0.14, 0.58), (0.1, 0.68), (0.0, 0.76)],
        sides=14,
    )
    arms = [
        cylinder(0.055, 0.4, sides=10).tilted(about_z=90).at(x=-0.2, up=0.42),
        cylinder(0.07, 0.16, sides=10).tilted(about_x=-90).at(up=0.36),
    ]
    b.add("hydrant", [(body, paint), (merge(arms), paint)], at=at, movable=True)


def bus_shelter(b: SceneBuilder, at: Vec3, yaw: float, metal: Material) -> None:
    """A bus shelter open to the front, with a bench, a poster case and a timetable; one part per piece."""
    posts = [box(0.08, 2.45, 0.08).at(x=x, z=z) for x in (-1.9, 0.0, 1.9) for z in (0.6,)]
    posts += [box(0.07, 2.45, 0.07).at(x=s * 1.9, z=-0.45) for s in (-1, 1)]
    posts += [box(3.9, 0.06, 0.06).at(up=u, z=0.6) for u in (0.35, 2.2)]
    frame: list[Shape] = [(merge(posts), metal)]
    b.add("bus shelter", frame, at=at, yaw=yaw, landmark=True)
    for s in (-1, 1):
        roof = [box(2.05, 0.1, 1.6).at(up=2.45, z=0.05), box(2.05, 0.16, 0.06).at(up=2.42, z=-0.75)]
        b.add("shelter roof", [(merge(roof), metal)], at=turned(at, yaw, s * 1.025, 0.0), yaw=yaw, joined=True)
    seat, legs = box(1.7, 0.06, 0.38).at(up=0.45, z=0.3), [box(0.05, 0.45, 0.3).at(x=s * 0.6, z=0.3) for s in (-1, 1)]
    b.add(
        "bench",
        [(seat, Material("oak", tile_m=1.0)), (merge(legs), metal)],
        at=turned(at, yaw, -0.95, 0.0),
        yaw=yaw,
        movable=True,
    )
    for x, name in ((0.95, "poster"), (-0.95, "timetable")):
        size = (1.25, 1.8) if name == "poster" else (0.7, 0.95)
        up = 0.4 if name == "poster" else 1.1
        sheet = box(size[0], size[1], 0.03, metric=False).at(up=up, z=0.53)
        rim = box(size[0] + 0.1, size[1] + 0.1, 0.03).at(up=up - 0.05, z=0.56)
        b.add(
            name,
            [(sheet, Material(name, variant=int(b.rng.integers(12)))), (rim, metal)],
            at=turned(at, yaw, x, 0.0),
            yaw=yaw,
        )


def road_sign(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A sign without letters on a pole: a disc, a triangle or a board."""
    steel, white = Material("steel", (0.7, 0.7, 0.7)), Material("paint", gloss=0.6, words="white metal")
    colour = tinted("paint", b.rng, among=("crimson", "navy", "mustard"), noun="painted metal")
    kind = b.one_of("disc", "triangle", "board")
    shapes: list[Shape] = [(cylinder(0.035, 2.6, sides=10), steel)]
    if kind == "disc":
        discs = [
            cylinder(r, 0.02, sides=24).tilted(about_x=-90).at(up=2.3, z=-0.04 - e)
            for r, e in ((0.32, 0.0), (0.23, 0.01))
        ]
        shapes += [(discs[0], colour), (discs[1], white), (box(0.34, 0.08, 0.01).at(up=2.26, z=-0.075), colour)]
    elif kind == "triangle":
        for r, e, paint in ((0.38, 0.0, colour), (0.24, 0.012, white)):
            outline = [(-0.87 * r, -0.5 * r), (0.87 * r, -0.5 * r), (0.0, r)]
            shapes.append((prism(outline, 0.012).at(up=2.2, z=-0.055 - e), paint))
        shapes.append((box(0.06, 0.2, 0.01).at(up=2.12, z=-0.075), Material("black metal")))
    else:
        shapes += [
            (box(0.5, 0.5, 0.02).at(up=2.05, z=-0.05), colour),
            (box(0.34, 0.1, 0.01).at(up=2.25, z=-0.065), white),
        ]
    b.add("road sign", shapes, at=at, yaw=yaw)


def traffic_light(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """Three lamps on a pole; the lowest glows."""
    dark = Material("black metal")
    lamps = [(2.72, (0.35, 0.04, 0.03), 0.0), (2.48, (0.4, 0.3, 0.03), 0.0), (2.24, (0.1, 0.9, 0.3), 1.6)]
    shapes: list[Shape] = [(cylinder(0.06, 2.15, sides=10), dark), (box(0.28, 0.82, 0.24).at(up=2.08), dark)]
    for up, colour, glow in lamps:
        shapes.append(
            (sphere(0.085, sides=12, rings=7).at(up=up, z=-0.1), Material("paint", colour, emit=glow, words="glass"))
        )
        shapes.append((box(0.24, 0.02, 0.14).at(up=up + 0.1, z=-0.18), dark))
    b.add("traffic light", shapes, at=at, yaw=yaw)


def fuel_pump(b: SceneBuilder, at: Vec3, yaw: float, paint: Material) -> None:
    """A fuel pump with a display, hoses and nozzles."""
    white, dark = Material("paint", gloss=0.8, words="white metal"), Material("black metal", words="rubber")
    shapes: list[Shape] = [
        (box(0.75, 1.55, 0.5), white),
        (box(0.8, 0.28, 0.54).at(up=1.5), paint),
        (box(0.78, 0.3, 0.52), paint),
    ]
    shapes.append(
        (box(0.42, 0.26, 0.02, metric=False).at(up=1.14, z=-0.26), Material("screen", variant=int(b.rng.integers(4))))
    )
    hoses = []
    for x in (-0.3, 0.0, 0.3):
        hoses += [
            tube([(x, 1.0, -0.27), (x + 0.04, 0.4, -0.36), (x + 0.1, 0.35, -0.36), (x + 0.12, 0.95, -0.28)], 0.018)
        ]
        hoses.append(box(0.07, 0.22, 0.1).at(x=x, up=0.9, z=-0.3))
    shapes.append((merge(hoses), dark))
    b.add("fuel pump", shapes, at=at, yaw=yaw, movable=True)


def vending_machine(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A lit vending machine."""
    paint = tinted("paint", b.rng, noun="painted metal")
    goods = Material("shop window", emit=0.25, variant=int(b.rng.integers(10)))
    shapes: list[Shape] = [
        (box(0.95, 1.85, 0.75), paint),
        (box(0.62, 1.25, 0.02, metric=False).at(x=-0.1, up=0.48, z=-0.38), goods),
    ]
    shapes += [
        (box(0.14, 0.5, 0.02).at(x=0.34, up=0.95, z=-0.38), Material("black metal")),
        (box(0.55, 0.2, 0.03).at(x=-0.1, up=0.16, z=-0.38), Material("black metal")),
    ]
    b.add("vending machine", shapes, at=at, yaw=yaw)


def station_clock(b: SceneBuilder, at: Vec3, yaw: float, metal: Material) -> None:
    """A two-faced clock on a post."""
    face = Material("clock face", variant=int(b.rng.integers(4)))
    shapes: list[Shape] = [
        (lathe([(0.16, 0.0), (0.16, 0.15), (0.07, 0.3), (0.055, 2.6)], sides=12), metal),
        (cylinder(0.4, 0.2, sides=28).tilted(about_x=90).at(up=3.0, z=-0.1), metal),
        (box(0.52, 0.52, 0.22, metric=False, without=("left", "right", "top", "bottom")).at(up=2.74), face),
    ]
    b.add("clock", shapes, at=at, yaw=yaw, landmark=True)


def luggage(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A suitcase with a handle and corners."""
    skin = tinted("leather", b.rng, among=("brown", "navy", "forest green", "crimson", "sand"), noun="leather")
    w, h = float(b.rng.uniform(0.5, 0.75)), float(b.rng.uniform(0.38, 0.52))
    bright = Material("leather", tuple(3.0 * v for v in skin.tint), words=skin.words)  # type: ignore[arg-type]
    straps = [box(0.04, h + 0.01, 0.225).at(x=s * w * 0.3) for s in (-1, 1)]
    handle = tube([(-0.09, h, 0), (-0.07, h + 0.06, 0), (0.07, h + 0.06, 0), (0.09, h, 0)], 0.013)
    b.add(
        "suitcase",
        [(box(w, h, 0.21), bright), (merge(straps), Material("brass")), (handle, Material("black metal"))],
        at=at,
        yaw=yaw,
        movable=True,
    )


def kiosk(b: SceneBuilder, at: Vec3, paint: Material, cloth: Material) -> None:
    """A six-sided newspaper stand with a hatch, papers and a pointed roof, in three parts."""
    rim = lathe([(1.2, 0.0), (1.2, 0.25), (1.15, 0.25)], sides=6, smooth=False)
    body: list[Shape] = [(cylinder(1.15, 2.3, sides=6), paint), (rim, Material("black metal"))]
    for angle in (60.0, 120.0, 240.0, 300.0):
        sheet = box(0.78, 1.15, 0.03, metric=False).at(up=0.75, z=-1.0).at(yaw=angle)
        name = "shop goods" if angle % 120.0 else "poster"
        body.append((sheet, Material(name, variant=int(b.rng.integers(8)))))
    b.add("kiosk", body, at=at, landmark=True)
    front: list[Shape] = [
        (box(0.9, 0.95, 0.06, metric=False).at(up=1.0, z=-1.0), Material("jars", variant=int(b.rng.integers(5))))
    ]
    front += [
        (box(1.05, 0.06, 0.35).at(up=0.95, z=-1.1), Material("oak", tile_m=1.0)),
        (
            prism([(0, 0), (-0.6, -0.25), (-0.6, -0.22), (0, 0.04)][::-1], 1.1)
            .at(z=-0.55)
            .at(yaw=-90)
            .at(up=2.1, z=-1.0),
            cloth,
        ),
    ]
    front.append(
        (box(0.8, 0.7, 0.03, metric=False).at(up=0.15, z=-1.01), Material("poster", variant=int(b.rng.integers(12))))
    )
    b.add("hatch", front, at=at)
    roof: list[Shape] = [
        (cone(1.5, 0.9, sides=6).at(up=2.3), Material("steel", (0.25, 0.45, 0.4), words="copper sheet")),
        (sphere(0.1, sides=10, rings=7).at(up=3.25), Material("brass")),
    ]
    b.add("kiosk roof", roof, at=at)


def advertising_column(b: SceneBuilder, at: Vec3) -> None:
    """A round column papered with posters."""
    shapes: list[Shape] = [
        (cylinder(0.62, 2.5, sides=20), Material("concrete", tile_m=1.4)),
        (cylinder(0.7, 0.25, sides=20), Material("concrete", tile_m=1.4)),
    ]
    cap = lathe([(0.74, 2.5), (0.74, 2.62), (0.5, 2.85), (0.1, 3.0), (0.0, 3.2)], sides=20)
    shapes.append((cap, Material("steel", (0.3, 0.42, 0.36), words="green metal")))
    for angle in np.arange(0, 360, 60):
        for up in (0.35, 1.45):
            sheet = box(0.58, 0.92, 0.02, metric=False).at(up=up, z=-0.6).at(yaw=float(angle))
            shapes.append((sheet, Material("poster", variant=int(b.rng.integers(12)))))
    b.add("advertising column", shapes, at=at, landmark=True)


def statue(b: SceneBuilder, at: Vec3, yaw: float, stone: Material, bronze: Material) -> None:
    """A standing figure in a long coat on a stepped pedestal."""
    base = [box(1.5 - 0.3 * i, 0.22, 1.5 - 0.3 * i).at(up=0.22 * i) for i in range(2)]
    base += [box(0.8, 1.1, 0.8).at(up=0.44), box(0.98, 0.12, 0.98).at(up=1.5)]
    coat = lathe([(0.3, 0.0), (0.26, 0.5), (0.2, 0.95), (0.27, 1.35), (0.2, 1.5), (0.08, 1.56)], sides=16).scaled(
        z=0.75
    )
    head = sphere(0.12, sides=14, rings=9).scaled(up=1.2).at(up=1.7)
    arms = [
        tube([(-0.24, 1.42, 0), (-0.34, 1.1, -0.06), (-0.12, 0.98, -0.24)], 0.065, sides=8),
        tube([(0.24, 1.42, 0), (0.4, 1.3, -0.15), (0.52, 1.62, -0.3)], 0.06, sides=8),
    ]
    hat = cylinder(0.2, 0.03, sides=16).at(up=1.78)
    figure = merge([coat, head, *arms, hat, cylinder(0.11, 0.12, sides=14, top=0.09).at(up=1.8)])
    b.add("statue", [(merge(base), stone), (figure.at(up=1.62), bronze)], at=at, yaw=yaw, landmark=True)


def well(b: SceneBuilder, at: Vec3, yaw: float, stone: Material, wood: Material, roof: Material) -> None:
    """A draw well: round wall, two posts, a windlass with a bucket under a small roof."""
    wall = lathe([(0.85, 0.0), (0.85, 0.75), (0.92, 0.78), (0.92, 0.9), (0.62, 0.9), (0.62, 0.1)], sides=22)
    posts = [box(0.12, 2.3, 0.12).at(x=s * 0.78) for s in (-1, 1)]
    windlass = rod((-0.95, 1.65, 0), (0.95, 1.65, 0), 0.06, sides=8)
    bucket = lathe([(0.0, 0.0), (0.12, 0.0), (0.16, 0.3), (0.13, 0.3), (0.1, 0.04)], sides=12).at(up=1.05)
    slope = prism([(-0.75, 0.0), (0.75, 0.0), (0.0, 0.55)], 2.0).at(z=-1.0).at(yaw=90, up=2.25)
    shapes: list[Shape] = [
        (wall, stone),
        (merge([*posts, windlass, bucket, rod((0, 1.3, 0), (0, 1.65, 0), 0.012)]), wood),
        (slope, roof),
    ]
    b.add("well", shapes, at=at, yaw=yaw, landmark=True)


def string_lights(b: SceneBuilder, start: Vec3, end: Vec3, *, sag: float = 0.5, flags: bool = False) -> None:
    """A sagging cord with bulbs or pennants between two points."""
    a, c = np.array(start), np.array(end)
    t = np.linspace(0, 1, 13)
    points = [tuple(float(v) for v in a + (c - a) * s - np.array([0, 4 * sag * s * (1 - s), 0])) for s in t]
    cord = tube([(p[0], p[1], p[2]) for p in points], 0.012, sides=4)
    shapes: list[Shape] = [(cord, Material("black metal"))]
    if not flags:
        glow = Material("paint", (1.0, 0.85, 0.55), emit=1.5, words="glass")
        shapes.append((merge([sphere(0.05, sides=8, rings=5).at(p[0], p[1] - 0.07, p[2]) for p in points[1:-1]]), glow))
        b.add("string of lamps", shapes)
        return
    heading = float(np.degrees(np.arctan2(-(c - a)[2], (c - a)[0])))
    for k in range(3):
        paint = tinted("linen", b.rng, noun="cloth")
        some = [
            prism([(-0.14, 0.0), (0.0, -0.32), (0.14, 0.0)], 0.012).at(yaw=heading).at(*p)
            for p in points[1 + k : -1 : 3]
        ]
        shapes.append((merge(some), paint))
    b.add("bunting", shapes)


def cycle_stand(b: SceneBuilder, at: Vec3, metal: Material) -> None:
    """One bent tube to lean a bicycle on."""
    bend = [
        (0.0, 0.0, -0.35),
        (0.0, 0.62, -0.35),
        (0.0, 0.78, -0.2),
        (0.0, 0.78, 0.2),
        (0.0, 0.62, 0.35),
        (0.0, 0.0, 0.35),
    ]
    b.add("bicycle stand", [(tube([(x, u, z) for x, u, z in bend], 0.028, sides=8), metal)], at=at)


def modern_lamp(b: SceneBuilder, at: Vec3, yaw: float, metal: Material, *, height: float = 6.5) -> None:
    """A tall street light with a curved arm over the road."""
    bend = arc((0.0, height - 1.2, 0.0), 1.2, 90, 180, steps=5)
    pole = [lathe([(0.1, 0.0), (0.08, 1.0), (0.05, height - 1.2)], sides=10).at(x=-1.2), tube(bend, 0.04)]
    head: list[Shape] = [(merge(pole), metal), (box(0.7, 0.1, 0.26).at(x=0.3, up=height - 0.06), metal)]
    head.append((box(0.55, 0.03, 0.2).at(x=0.3, up=height - 0.09), Material("paint", emit=0.7, words="opal glass")))
    b.add("street light", [(m.at(x=1.2).at(yaw=yaw), s) for m, s in head], at=at)


def lifebuoy(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A lifebuoy hung on a board on a post."""
    ring = hoop(0.34, 0.07).at(up=0.85, z=-0.1)
    shapes: list[Shape] = [
        (box(0.1, 1.75, 0.1), Material("paint", words="white wood")),
        (box(0.8, 0.8, 0.04).at(up=0.8, z=-0.03), Material("paint", words="white wood")),
    ]
    shapes.append((ring, Material("paint", (0.9, 0.22, 0.05), words="orange plastic")))
    b.add("lifebuoy", shapes, at=at, yaw=yaw, landmark=True)
