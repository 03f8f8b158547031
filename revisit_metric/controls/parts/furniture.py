"""Furniture: seats, tables, shelves and cabinets.

Conventions: authoring frame; every function adds parts at (x, up, z), the front facing the camera (-z) at
yaw 0.
"""

from __future__ import annotations

from dataclasses import replace

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, merge, quad
from revisit_metric.controls.scene import Material


def legs(width: float, depth: float, height: float, *, thick: float = 0.05, round_: bool = False) -> Mesh:
    """Four legs at the corners of a `width` by `depth` rectangle."""
    one = cylinder(thick / 2, height, sides=8) if round_ else box(thick, height, thick)
    x, z = width / 2 - thick / 2, depth / 2 - thick / 2
    return merge([one.at(x=sx * x, z=sz * z) for sx in (-1, 1) for sz in (-1, 1)])


def chair(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, seat: Material) -> None:
    """A dining chair with a slatted back."""
    back = [box(0.045, 0.5, 0.035).at(x=s * 0.19, up=0.45, z=0.2).tilted(about_x=4) for s in (-1, 1)]
    back += [box(0.36, 0.07, 0.025).at(up=h, z=0.215).tilted(about_x=4) for h in (0.62, 0.74, 0.87)]
    shapes: list[Shape] = [
        (legs(0.42, 0.42, 0.44, thick=0.045), wood),
        (merge(back), wood),
        (box(0.43, 0.03, 0.43).at(up=0.43), wood),
        (box(0.4, 0.045, 0.39).at(up=0.455), seat),
    ]
    b.add("chair", shapes, at=at, yaw=yaw, movable=True)


def stool(b: SceneBuilder, at: Vec3, wood: Material, *, height: float = 0.68) -> None:
    """A round bar stool."""
    shapes: list[Shape] = [
        (legs(0.32, 0.32, height, thick=0.04, round_=True), wood),
        (cylinder(0.18, 0.05, sides=18).at(up=height), wood),
        (box(0.3, 0.025, 0.025).at(up=height * 0.35, z=-0.14), wood),
    ]
    b.add("stool", shapes, at=at, movable=True)


def table(
    b: SceneBuilder,
    at: Vec3,
    yaw: float,
    wood: Material,
    *,
    size: tuple[float, float] = (1.8, 0.95),
    height: float = 0.74,
) -> None:
    """A table with four legs and an apron."""
    w, d = size
    shapes: list[Shape] = [
        (legs(w - 0.1, d - 0.1, height - 0.04, thick=0.07), wood),
        (box(w - 0.2, 0.09, 0.025).at(up=height - 0.13, z=-(d / 2 - 0.1)), wood),
        (box(w - 0.2, 0.09, 0.025).at(up=height - 0.13, z=d / 2 - 0.1), wood),
        (box(w, 0.04, d).at(up=height - 0.04), wood),
    ]
    b.add("table", shapes, at=at, yaw=yaw)


def sofa(b: SceneBuilder, at: Vec3, yaw: float, cloth: Material, wood: Material, *, seats: int = 3) -> None:
    """A sofa (or an armchair with `seats=1`) with separate cushions."""
    w = 0.68 * seats + 0.36
    shapes: list[Shape] = [
        (box(w, 0.26, 0.88).at(up=0.12), cloth),
        (box(w, 0.5, 0.2).at(up=0.36, z=0.36).tilted(about_x=3), cloth),
        (box(0.18, 0.36, 0.88).at(x=-(w / 2 - 0.09), up=0.3), cloth),
        (box(0.18, 0.36, 0.88).at(x=w / 2 - 0.09, up=0.3), cloth),
        (legs(w - 0.1, 0.78, 0.12, thick=0.06), wood),
    ]
    for i in range(seats):
        x = (i - (seats - 1) / 2) * 0.68
        shapes.append((box(0.66, 0.13, 0.66).at(x=x, up=0.38, z=-0.08), cloth))
        shapes.append((box(0.62, 0.38, 0.14).at(x=x, up=0.5, z=0.22).tilted(about_x=6), cloth))
    b.add("sofa" if seats > 1 else "armchair", shapes, at=at, yaw=yaw)


def cushion(b: SceneBuilder, at: Vec3, yaw: float, cloth: Material) -> None:
    """A scatter cushion leaning back."""
    b.add("cushion", [(box(0.42, 0.4, 0.13).tilted(about_x=18), cloth)], at=at, yaw=yaw, movable=True)


def bookcase(
    b: SceneBuilder,
    at: Vec3,
    yaw: float,
    wood: Material,
    *,
    width: float = 1.2,
    height: float = 2.2,
    shelves: int = 5,
) -> None:
    """An open bookcase; each shelf of books is a part of its own."""
    depth, board = 0.32, 0.03
    case = [box(board, height, depth).at(x=s * (width / 2 - board / 2)) for s in (-1, 1)]
    gap = (height - 0.1) / shelves
    case += [box(width - 2 * board, board, depth).at(up=0.07 + i * gap) for i in range(shelves)]
    case += [box(width, board, depth + 0.02).at(up=height), box(width, height, 0.015).at(z=depth / 2)]
    b.add("bookcase", [(merge(case), wood)], at=at, yaw=yaw, landmark=True)
    for i in range(shelves):
        if b.rng.random() < 0.12:
            continue
        tint = tuple(float(v) for v in b.rng.uniform(0.6, 1.0, 3))
        books = Material("books", (tint[0], tint[1], tint[2]), variant=int(b.rng.integers(6)))
        face = quad(
            (-width / 2 + 0.04, 0.105 + i * gap, -0.08),
            (width - 0.08, 0, 0),
            (0, gap - 0.06, 0),
            metric=False,
        )
        # Turned so that it faces the room.
        b.add("books", [(facing_front(face), books)], at=at, yaw=yaw)


def facing_front(face: Mesh) -> Mesh:
    """`quad` along x and up faces +z; this turns it to -z and keeps the picture upright."""
    return replace(face, normals=-face.normals, triangles=face.triangles[:, ::-1])


def cabinet(
    b: SceneBuilder,
    at: Vec3,
    yaw: float,
    body: Material,
    knob: Material,
    *,
    size: tuple[float, float, float] = (1.6, 0.8, 0.45),
) -> None:
    """A low cabinet (width, height, depth) with doors and knobs."""
    w, h, d = size
    doors = max(round(w / 0.5), 1)
    shapes: list[Shape] = [
        (box(w, h - 0.1, d).at(up=0.08), body),
        (box(w + 0.04, 0.035, d + 0.04).at(up=h - 0.03), body),
    ]
    shapes.append((box(w - 0.08, 0.08, d - 0.08), body))
    step = w / doors
    for i in range(doors):
        x = -w / 2 + (i + 0.5) * step
        shapes.append((box(step - 0.03, h - 0.19, 0.02).at(x=x, up=0.12, z=-d / 2 - 0.01), body))
        shapes.append((box(0.03, 0.03, 0.03).at(x=x + step * 0.36, up=h * 0.55, z=-d / 2 - 0.035), knob))
    b.add("cabinet", shapes, at=at, yaw=yaw)


def counter(b: SceneBuilder, at: Vec3, yaw: float, body: Material, top: Material, *, width: float = 2.4) -> None:
    """A kitchen counter with a stone top and drawers."""
    shapes: list[Shape] = [
        (box(width, 0.8, 0.58).at(up=0.1), body),
        (box(width - 0.04, 0.1, 0.5), body),
        (box(width + 0.04, 0.04, 0.64).at(up=0.9), top),
    ]
    count = max(round(width / 0.6), 1)
    for i in range(count):
        x = (i + 0.5) * width / count - width / 2
        for up, height in ((0.13, 0.5), (0.66, 0.21)):
            shapes.append((box(width / count - 0.02, height, 0.02).at(x=x, up=up, z=-0.3), body))
            shapes.append((box(0.16, 0.015, 0.02).at(x=x, up=up + height - 0.05, z=-0.325), top))
    b.add("kitchen counter", shapes, at=at, yaw=yaw, landmark=True)


def wall_shelf(b: SceneBuilder, at: Vec3, yaw: float, wood: Material, *, width: float = 1.2) -> None:
    """A single board on brackets."""
    shapes: list[Shape] = [(box(width, 0.035, 0.24), wood)]
    shapes += [(box(0.03, 0.14, 0.18).at(x=s * width * 0.36, up=-0.14, z=0.03), wood) for s in (-1, 1)]
    b.add("shelf", shapes, at=at, yaw=yaw)
