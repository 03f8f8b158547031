"""Building sites, docks and yards: containers, scaffolding, pallets, skips, mixers, barriers, cranes, diggers.

Conventions: authoring frame; fronts face -z at yaw 0; functions add parts at (x, up, z).
"""

from __future__ import annotations

import numpy as np

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cone, cylinder, lathe, merge, prism, sphere
from revisit_metric.controls.parts.forms import loft, rod, tube, wheel
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material
from revisit_metric.controls.tints import tinted

MACHINE = ("mustard", "ochre", "terracotta", "teal", "forest green")


def container(b: SceneBuilder, at: Vec3, yaw: float, *, length: float = 6.06) -> None:
    """A freight container; its doors face -z, it reaches `length` metres back. Doors and body are two parts."""
    steel = tinted(
        "container steel",
        b.rng,
        among=("rust red", "navy", "teal", "forest green", "mustard", "light grey", "terracotta", "slate blue"),
        tile_m=2.2,
        noun="painted steel",
    )
    dark = Material(
        steel.texture,
        (steel.tint[0] * 0.8, steel.tint[1] * 0.8, steel.tint[2] * 0.8),
        2.2,
        words=steel.words,
        variant=steel.variant,
    )
    w, h = 2.44, 2.59
    body = box(w - 0.06, h - 0.06, length - 0.1).at(up=0.03, z=length / 2)
    posts = [box(0.14, h, 0.14).at(x=s * (w / 2 - 0.07), z=z) for s in (-1, 1) for z in (0.07, length - 0.07)]
    rails = [
        box(0.12, 0.14, length).at(x=s * (w / 2 - 0.06), up=u, z=length / 2) for s in (-1, 1) for u in (0.0, h - 0.14)
    ]
    edges = [box(w, 0.14, 0.14).at(up=u, z=z) for u in (0.0, h - 0.14) for z in (0.07, length - 0.07)]
    plain = Material("worn paint", dark.tint, words=steel.words)
    b.add("freight container", [(body, steel), (merge(posts + rails + edges), plain)], at=at, yaw=yaw)
    leaves = [box(w / 2 - 0.16, h - 0.32, 0.05).at(x=s * (w / 4 - 0.07), up=0.16, z=0.02) for s in (-1, 1)]
    bars = [rod((x, 0.1, -0.04), (x, h - 0.1, -0.04), 0.02) for x in (-0.85, -0.35, 0.35, 0.85)]
    bars += [box(0.3, 0.05, 0.04).at(x=x, up=1.05, z=-0.05) for x in (-0.72, -0.48, 0.48, 0.72)]
    doors: list[Shape] = [(merge(leaves), plain), (merge(bars), Material("steel", (0.6, 0.6, 0.6)))]
    b.add("container door", doors, at=at, yaw=yaw)


def pallet(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """An empty pallet."""
    b.add(
        "pallet",
        [(_pallet(), Material("pine", (0.8, 0.75, 0.68), 1.2, variant=int(b.rng.integers(3))))],
        at=at,
        yaw=yaw,
        movable=True,
    )


def _pallet() -> Mesh:
    boards = [box(1.2, 0.025, 0.12).at(up=0.12, z=z) for z in (-0.34, -0.17, 0.0, 0.17, 0.34)]
    return merge([*boards, *(box(0.1, 0.12, 0.8).at(x=x) for x in (-0.55, 0.0, 0.55))])


def loaded_pallet(b: SceneBuilder, at: Vec3, yaw: float, *, movable: bool = True) -> float:
    """A pallet of bricks, blocks, sacks or planks, one part; returns its height. Not movable under another."""
    wood = Material("pine", (0.8, 0.75, 0.68), 1.2)
    kind = b.one_of("bricks", "concrete blocks", "cement sacks", "planks")
    shapes: list[Shape] = [(_pallet(), wood)]
    if kind == "bricks":
        bricks = box(1.1, float(b.rng.uniform(0.5, 0.85)), 0.76).at(up=0.145)
        shapes.append((bricks, b.material("red brick", "brick", tile_m=0.9)))
    elif kind == "concrete blocks":
        blocks = [
            box(0.36, 0.19, 0.19).at(x=-0.37 + 0.37 * i, up=0.145 + 0.2 * k, z=-0.3 + 0.2 * j)
            for i in range(3)
            for j in range(4)
            for k in range(3 if i < 2 else 2)
        ]
        shapes.append((merge(blocks), Material("concrete", tile_m=1.5)))
    elif kind == "cement sacks":
        sack = sphere(0.3, sides=12, rings=7).scaled(up=0.28, z=0.75)
        heap = [
            sack.at(x=-0.28 + 0.56 * i, up=0.22 + 0.15 * k, z=-0.2 + 0.4 * j)
            for i in range(2)
            for j in range(2)
            for k in range(4)
        ]
        shapes.append((merge(heap), tinted("linen", b.rng, among=("sand", "light grey", "cream"), noun="paper")))
    else:
        planks = [
            box(1.9, 0.04, 0.14).at(x=float(b.rng.uniform(-0.05, 0.05)), up=0.15 + 0.045 * k, z=-0.32 + 0.16 * j)
            for j in range(5)
            for k in range(7)
        ]
        shapes.append((merge(planks), Material("pine", tile_m=1.4, variant=int(b.rng.integers(3)))))
    b.add(f"pallet of {kind}", shapes, at=at, yaw=yaw, movable=movable)
    return float(max(mesh.positions[:, 1].max() for mesh, _ in shapes))


def skip(b: SceneBuilder, at: Vec3, yaw: float, *, noun: str = "skip", rubble: bool = True) -> None:
    """A steel trough for rubble, or a lidded waste container without rubble."""
    paint = tinted(
        "worn paint", b.rng, among=("mustard", "forest green", "slate blue", "rust red", "teal"), noun="painted steel"
    )
    if rubble:
        shell = prism([(-0.85, 0.1), (0.85, 0.1), (1.35, 1.15), (-1.35, 1.15)], 1.5).at(z=-0.75)
        ribs = [box(0.08, 1.1, 0.06).tilted(about_z=s * 25).at(x=s * 0.5, up=0.1, z=-0.77) for s in (-1, 1)]
        heap = [
            sphere(0.4, sides=9, rings=6).scaled(up=0.5).at(x=float(x), up=1.1, z=float(b.rng.uniform(-0.3, 0.3)))
            for x in np.linspace(-0.85, 0.85, 5)
        ]
        shapes: list[Shape] = [
            (shell, paint),
            (merge(ribs), paint),
            (merge(heap), b.material("gravel", "soil", tile_m=0.9)),
        ]
    else:
        shell = prism([(-0.9, 0.16), (0.9, 0.16), (0.95, 1.15), (-0.95, 1.15)], 1.0).at(z=-0.5)
        lid = prism([(-0.52, 1.15), (0.52, 1.15), (0.0, 1.36)], 1.94).at(z=-0.97).at(yaw=90)
        bars = [box(1.96, 0.07, 0.05).at(up=u, z=-0.52) for u in (0.5, 1.05)] + [
            box(0.12, 0.5, 0.1).at(x=s * 0.99, up=0.6) for s in (-1, 1)
        ]
        feet = [wheel(0.09, 0.05, sides=10).at(x=x, z=z) for x in (-0.75, 0.75) for z in (-0.4, 0.4)]
        shapes = [
            (merge([shell, *bars]), paint),
            (lid, Material("black metal", words="black plastic")),
            (merge(feet), Material("black metal")),
        ]
    b.add(noun, shapes, at=at, yaw=yaw, movable=True)


def cement_mixer(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A drum mixer on a two-wheeled frame."""
    paint = tinted("worn paint", b.rng, among=MACHINE, noun="painted steel")
    drum = lathe(
        [(0.0, -0.35), (0.22, -0.35), (0.42, -0.05), (0.42, 0.12), (0.22, 0.48), (0.24, 0.52), (0.2, 0.5), (0.2, 0.3)],
        sides=18,
    )
    frame = [tube([(-0.45, 0.02, s * 0.3), (0.0, 0.9, s * 0.42), (0.45, 0.02, s * 0.3)], 0.035) for s in (-1, 1)]
    frame += [rod((0.0, 0.9, -0.48), (0.0, 0.9, 0.48), 0.04), rod((-0.45, 0.15, -0.3), (-0.45, 0.15, 0.3), 0.03)]
    shapes: list[Shape] = [
        (drum.tilted(about_z=-48).at(up=0.98), paint),
        (merge(frame), Material("rusty metal", tile_m=1.0)),
    ]
    shapes.append((box(0.3, 0.35, 0.3).at(x=0.35, up=0.5, z=0.05), paint))
    shapes.append(
        (merge([wheel(0.22, 0.09, sides=14).at(x=-0.45, z=s * 0.36) for s in (-1, 1)]), Material("black metal"))
    )
    b.add("cement mixer", shapes, at=at, yaw=yaw, movable=True, landmark=True)


def barrier(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A striped board on two feet, with a lamp."""
    stripes = Material("barrier stripes", tile_m=0.8, words="red and white board", variant=int(b.rng.integers(3)))
    feet = [box(0.08, 0.06, 0.6).at(x=s * 0.6) for s in (-1, 1)] + [box(0.06, 1.0, 0.05).at(x=s * 0.6) for s in (-1, 1)]
    shapes: list[Shape] = [
        (box(1.5, 0.24, 0.03).at(up=0.75, z=-0.03), stripes),
        (box(1.5, 0.16, 0.03).at(up=0.32, z=-0.03), stripes),
    ]
    shapes += [
        (merge(feet), Material("steel", (0.6, 0.6, 0.6))),
        (
            sphere(0.08, sides=10, rings=7).at(x=0.6, up=1.06),
            Material("paint", (1.0, 0.5, 0.05), emit=0.8, words="amber glass"),
        ),
    ]
    b.add("barrier", shapes, at=at, yaw=yaw, movable=True)


def traffic_cone(b: SceneBuilder, at: Vec3) -> None:
    """A rubber cone with a white band."""
    red, white = Material("paint", (0.85, 0.16, 0.04), words="orange rubber"), Material("paint", words="white band")
    shapes: list[Shape] = [
        (box(0.36, 0.04, 0.36), red),
        (cone(0.14, 0.62, sides=14).at(up=0.04), red),
        (lathe([(0.105, 0.22), (0.075, 0.36)], sides=14), white),
    ]
    b.add("traffic cone", shapes, at=at, movable=True)


def scaffold_bay(b: SceneBuilder, at: Vec3, *, width: float, lifts: int, steel: Material, wood: Material) -> None:
    """One bay of scaffolding along x; `at` is the middle of its outer foot, it reaches 0.9 m towards +z."""
    h = 2.0
    poles = [
        rod((s * width / 2, 0, z), (s * width / 2, h * lifts + 1.0, z), 0.026) for s in (-1, 1) for z in (0.0, 0.85)
    ]
    for i in range(1, lifts + 1):
        poles += [rod((-width / 2, h * i + u, 0), (width / 2, h * i + u, 0), 0.022) for u in (0.0, 0.5, 1.0)]
        poles += [rod((s * width / 2, h * i, 0), (s * width / 2, h * i, 0.85), 0.022) for s in (-1, 1)]
    lean = 1 if b.rng.random() < 0.5 else -1
    poles += [
        rod((-lean * width / 2, h * i, -0.03), (lean * width / 2, h * (i + 1), -0.03), 0.02) for i in range(lifts)
    ]
    poles += [cylinder(0.09, 0.03, sides=8).at(x=s * width / 2, z=z) for s in (-1, 1) for z in (0.0, 0.85)]
    b.add("scaffolding", [(merge(poles), steel)], at=at)
    for i in range(1, lifts + 1):
        boards = [box(width, 0.045, 0.2).at(up=h * i, z=0.11 + 0.21 * k) for k in range(4)] + [
            box(width, 0.15, 0.03).at(up=h * i + 0.05, z=0.02)
        ]
        b.add("scaffold boards", [(merge(boards), wood)], at=at, joined=True)


def site_fence(b: SceneBuilder, at: Vec3, yaw: float, *, width: float = 1.75) -> None:
    """A wire panel in two concrete feet."""
    frame = [
        tube(
            [
                (-width / 2, 0.1, 0),
                (-width / 2, 1.95, 0),
                (width / 2, 1.95, 0),
                (width / 2, 0.1, 0),
                (-width / 2, 0.1, 0),
            ],
            0.02,
        )
    ]
    frame += [
        rod((float(x), 0.1, 0), (float(x), 1.95, 0), 0.005, sides=3) for x in np.linspace(-width / 2, width / 2, 15)
    ]
    frame += [
        rod((-width / 2, float(u), 0), (width / 2, float(u), 0), 0.005, sides=3) for u in np.linspace(0.3, 1.75, 6)
    ]
    feet = [box(0.24, 0.13, 0.6).at(x=s * width / 2) for s in (-1, 1)]
    b.add(
        "wire fence",
        [(merge(frame), Material("steel", (0.75, 0.75, 0.75))), (merge(feet), Material("concrete"))],
        at=at,
        yaw=yaw,
        movable=True,
    )


def portable_toilet(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A plastic cabin with a door and a pale roof."""
    paint = tinted("paint", b.rng, among=("teal", "sky blue", "forest green", "plum"), noun="plastic")
    ribs = [box(0.06, 2.0, 0.03).at(x=x, up=0.1, z=-0.56) for x in (-0.5, -0.38, 0.38, 0.5)]
    shapes: list[Shape] = [
        (box(1.1, 2.1, 1.1).at(up=0.08), paint),
        (merge(ribs), paint),
        (box(0.7, 1.85, 0.03).at(up=0.16, z=-0.565), paint),
    ]
    roof = loft(
        [
            [(x, 2.18, -0.58) for x in (-0.58, 0.58)] + [(x, 2.18, 0.58) for x in (0.58, -0.58)],
            [(x, 2.38, -0.3) for x in (-0.35, 0.35)] + [(x, 2.38, 0.3) for x in (0.35, -0.35)],
        ]
    )
    shapes += [
        (roof, Material("paint", words="white plastic")),
        (box(0.12, 0.06, 0.05).at(x=0.26, up=1.1, z=-0.6), Material("black metal")),
    ]
    b.add("portable toilet", shapes, at=at, yaw=yaw)


def pipe_stack(b: SceneBuilder, at: Vec3, yaw: float, *, length: float = 2.2) -> None:
    """Concrete or clay pipes in a pyramid, seen from their open ends."""
    stone = b.material("concrete", "terracotta tiles", tint=(0.85, 0.8, 0.76), tile_m=1.5, words="concrete")
    r, meshes = 0.3, []
    outline = [(r, 0.0), (r, length), (r - 0.07, length), (r - 0.07, 0.0), (r, 0.0)]
    for level, count in enumerate((3, 2, 1)):
        for i in range(count):
            x = (i - (count - 1) / 2) * 2 * r
            meshes.append(lathe(outline, sides=18).tilted(about_x=90).at(x=x, up=r + level * r * 1.73, z=-length / 2))
    b.add("stack of pipes", [(merge(meshes), stone)], at=at, yaw=yaw)


def digger(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A small excavator on tracks; its arm reaches towards -x."""
    paint = tinted("worn paint", b.rng, among=("mustard", "ochre", "terracotta"), noun="painted steel")
    dark, glass = Material("black metal", tile_m=1.0), Material("steel", (0.06, 0.08, 0.1), gloss=1.6, words="glass")
    track = [
        prism(
            [
                (-0.85, 0.0),
                (0.85, 0.0),
                (1.05, 0.2),
                (1.05, 0.35),
                (0.85, 0.52),
                (-0.85, 0.52),
                (-1.05, 0.35),
                (-1.05, 0.2),
            ],
            0.4,
        ).at(z=z)
        for z in (-0.85, 0.45)
    ]
    body = [
        box(2.1, 0.2, 1.5).at(up=0.55),
        box(1.0, 0.75, 1.5).at(x=0.55, up=0.75),
        box(0.3, 0.5, 0.4).at(x=-0.95, up=0.7, z=0.3),
    ]
    cab = [box(0.9, 0.06, 0.85).at(x=-0.4, up=2.15, z=-0.3)] + [
        box(0.07, 1.42, 0.07).at(x=-0.4 + sx * 0.41, up=0.74, z=-0.3 + sz * 0.38) for sx in (-1, 1) for sz in (-1, 1)
    ]
    boom = [tube([(-0.9, 1.0, 0.3), (-1.7, 2.5, 0.3), (-2.9, 2.7, 0.3), (-3.3, 1.4, 0.3)], 0.12, sides=4)]
    bucket = prism([(-3.75, 0.75), (-3.2, 0.55), (-2.95, 1.1), (-3.35, 1.35)], 0.7).at(z=-0.05)
    shapes: list[Shape] = [
        (merge(track), dark),
        (merge([*body, *boom]), paint),
        (merge(cab), paint),
        (box(0.78, 1.36, 0.7).at(x=-0.4, up=0.76, z=-0.3), glass),
    ]
    shapes += [
        (bucket, Material("rusty metal", (0.7, 0.65, 0.6), 1.0)),
        (rod((-1.0, 1.2, 0.3), (-1.9, 2.4, 0.3), 0.05), Material("steel")),
    ]
    b.add("excavator", shapes, at=at, yaw=yaw, landmark=True)


def tower_crane(b: SceneBuilder, at: Vec3, yaw: float, *, height: float = 26.0, reach: float = 22.0) -> None:
    """A lattice crane for the skyline: mast, jib along +x, counterweight, cab."""
    paint = tinted("paint", b.rng, among=("mustard", "crimson", "ochre", "white"), noun="painted steel")
    meshes = [
        _lattice(height, 0.9),
        _lattice(reach, 0.7).tilted(about_z=90).at(up=height + 0.4),
        _lattice(6.5, 0.7).tilted(about_z=-90).at(up=height + 0.4),
        _lattice(4.0, 0.6).at(up=height + 0.4),
    ]
    meshes += [
        rod((0, height + 4.4, 0), (reach * 0.75, height + 0.8, 0), 0.06, sides=4),
        rod((0, height + 4.4, 0), (-6.0, height + 0.8, 0), 0.06, sides=4),
    ]
    shapes: list[Shape] = [
        (merge(meshes), paint),
        (box(2.2, 1.6, 1.2).at(x=-5.4, up=height - 1.2), Material("concrete")),
        (box(1.2, 1.6, 1.2).at(x=1.0, up=height - 1.4), Material("paint", words="white cab")),
    ]
    shapes.append(
        (rod((reach * 0.6, height, 0), (reach * 0.6, height * 0.55, 0), 0.05, sides=4), Material("black metal"))
    )
    b.add("crane", shapes, at=at, yaw=yaw, landmark=True)


def _lattice(length: float, width: float) -> Mesh:
    """Four chords with zigzag braces along up."""
    h, bars = width / 2, []
    corners = [(-h, -h), (h, -h), (h, h), (-h, h)]
    bars += [rod((x, 0, z), (x, length, z), 0.07, sides=4) for x, z in corners]
    steps = max(int(length / (1.5 * width)), 1)
    for i in range(steps):
        low, high = length * i / steps, length * (i + 1) / steps
        for k in range(4):
            (x0, z0), (x1, z1) = corners[k], corners[(k + 1) % 4]
            bars.append(rod((x0, low, z0), (x1, high, z1), 0.045, sides=3))
    return merge(bars)


def crate(b: SceneBuilder, at: Vec3, yaw: float, *, size: float = 0.7) -> None:
    """A slatted wooden crate."""
    wood = b.material("pine", "oak", "grey planks", tile_m=1.2)
    s = size
    edge = [box(0.08, s, 0.03).at(x=sx * (s / 2 - 0.04), z=sz * (s / 2 + 0.01)) for sx in (-1, 1) for sz in (-1, 1)]
    edge += [box(s, 0.08, 0.03).at(up=u, z=sz * (s / 2 + 0.01)) for u in (0.0, s - 0.08) for sz in (-1, 1)]
    edge += [box(0.03, s, 0.08).at(x=sx * (s / 2 + 0.01), z=sz * (s / 2 - 0.04)) for sx in (-1, 1) for sz in (-1, 1)]
    edge.append(box(0.08, s * 1.18, 0.025).tilted(about_z=40).at(x=-0.38 * s, up=0.05, z=-s / 2 - 0.01))
    b.add("crate", [(box(s, s, s), wood), (merge(edge), wood)], at=at, yaw=yaw, movable=True)


def cable_reel(b: SceneBuilder, at: Vec3, yaw: float) -> None:
    """A wooden reel of cable standing on its rims."""
    wood, dark = Material("pine", (0.85, 0.8, 0.72), 1.2), Material("black metal", words="cable")
    rims = [cylinder(0.55, 0.07, sides=22).tilted(about_x=90).at(up=0.55, z=z) for z in (-0.35, 0.28)]
    core = cylinder(0.36, 0.56, sides=18).tilted(about_x=90).at(up=0.55, z=-0.28)
    b.add("cable reel", [(merge(rims), wood), (core, dark)], at=at, yaw=yaw, movable=True)


def stacked(b: SceneBuilder, at: Vec3, yaw: float, *, count: int) -> None:
    """Crates on each other; only the top one may move, so the lower ones are one part."""
    wood = b.material("pine", "grey planks", tile_m=1.2)
    low = [box(0.72, 0.46, 0.62).at(up=0.48 * i, yaw=float(b.rng.uniform(-6, 6))) for i in range(count - 1)]
    lids = [box(0.76, 0.05, 0.66).at(up=0.48 * i + 0.43) for i in range(count - 1)]
    b.add("stack of crates", [(merge(low), wood), (merge(lids), wood)], at=at, yaw=yaw)
    crate(b, turned(at, yaw, 0.0, 0.0, 0.48 * (count - 1)), yaw + 8, size=0.5)
