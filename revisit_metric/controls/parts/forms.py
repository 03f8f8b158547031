"""Shapes that primitives lack: lofts, rods and bent tubes, tyres, walls with round-headed openings.

Conventions: authoring frame; pure meshes, no builder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.meshes import Mesh, Vec3, box, cylinder, lathe, merge, mesh, prism

_PLANES = np.array([[2, 1], [0, 2], [0, 1]])


def loft(rings: ArrayLike, *, closed: bool = True, caps: bool = True, inward: bool = False) -> Mesh:
    """A skin over cross-sections: car bodies, hulls, canopies.

    Args:
        rings: (R, N, 3) metres; every ring has N points in the same order.
        closed: whether the last point of a ring joins its first.
        caps: whether the first and the last ring are filled (convex rings).
        inward: whether faces look towards the inside (the inner side of a boat).

    Example:
        >>> square = [(-1, 0), (1, 0), (1, 1), (-1, 1)]
        >>> skin = loft([[(x, up, z) for x, up in square] for z in (0.0, 3.0)])
        >>> skin.triangles.shape
        (12, 3)
    """
    r = np.asarray(rings, np.float64)
    count = r.shape[1] if closed else r.shape[1] - 1
    nxt = (np.arange(count) + 1) % r.shape[1]
    quads = np.stack([r[:-1, :count], r[:-1][:, nxt], r[1:][:, nxt], r[1:, :count]], axis=2).reshape(-1, 4, 3)
    faces = [_fan(corners, r.mean(axis=(0, 1)), inward) for corners in quads]
    if caps:
        faces += [_fan(end, r.mean(axis=(0, 1)), inward) for end in (r[0], r[-1])]
    return smoothed(merge([f for f in faces if f is not None]))


def _fan(corners: NDArray[np.float64], centre: NDArray[np.float64], inward: bool) -> Mesh | None:
    """One flat convex face that looks away from `centre`; `None` where it has no area."""
    middle = corners.mean(axis=0)
    arms = corners - middle
    normal = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
    length = float(np.linalg.norm(normal))
    if length < 1e-9:
        return None
    normal = normal / length * (1.0 if float(normal @ (middle - centre)) >= 0 else -1.0) * (-1.0 if inward else 1.0)
    uvs = corners[:, _PLANES[int(np.abs(normal).argmax())]] * np.array([1.0, -1.0])
    triangles = [[0, i, i + 1] for i in range(1, len(corners) - 1)]
    return mesh(corners, np.tile(normal, (len(corners), 1)), uvs, triangles)


def smoothed(source: Mesh, *, sharp: float = 0.8) -> Mesh:
    """Average normals of vertices that share a place, except where the mean differs by a cosine below `sharp`."""
    _, group = np.unique(np.round(source.positions, 4), axis=0, return_inverse=True)
    group = group.reshape(-1)
    total = np.zeros((int(group.max()) + 1, 3))
    np.add.at(total, group, source.normals)
    mean = total[group] / np.maximum(np.linalg.norm(total[group], axis=1, keepdims=True), 1e-9)
    keep = np.einsum("ij,ij->i", mean, source.normals) < sharp
    return replace(source, normals=np.where(keep[:, None], source.normals, mean))


def rod(start: Vec3, end: Vec3, radius: float, *, sides: int = 6) -> Mesh:
    """A closed round bar between two points."""
    a, c = np.asarray(start, np.float64), np.asarray(end, np.float64)
    way = c - a
    length = float(np.linalg.norm(way))
    way = way / length
    side = np.cross(way, [1.0, 0.0, 0.0] if abs(way[0]) < 0.9 else [0.0, 0.0, 1.0])
    side = side / np.linalg.norm(side)
    turn = np.stack([side, way, np.cross(side, way)], axis=1)
    bar = cylinder(radius, length, sides=sides)
    return replace(bar, positions=bar.positions @ turn.T + a, normals=bar.normals @ turn.T)


def tube(points: Sequence[Vec3], radius: float, *, sides: int = 6) -> Mesh:
    """Rods from point to point."""
    return merge([rod(a, c, radius, sides=sides) for a, c in pairwise(points)])


def arc(centre: Vec3, radius: float, start_deg: float, end_deg: float, *, steps: int = 8) -> list[Vec3]:
    """Points of an arc in the plane of x and up; 0 degrees points to +x, 90 up."""
    angle = np.radians(np.linspace(start_deg, end_deg, steps + 1))
    return [(centre[0] + radius * float(np.cos(a)), centre[1] + radius * float(np.sin(a)), centre[2]) for a in angle]


def wheel(radius: float, width: float, *, sides: int = 16) -> Mesh:
    """A solid wheel with a rounded tread that stands on the ground, its axle along z."""
    edge = 0.22 * width
    profile = [(0.0, -width / 2), (radius - edge, -width / 2), (radius, -width / 2 + edge)]
    profile += [(radius, width / 2 - edge), (radius - edge, width / 2), (0.0, width / 2)]
    return lathe(profile, sides=sides).tilted(about_x=90).at(up=radius)


def hoop(radius: float, thick: float, *, sides: int = 20) -> Mesh:
    """A thin ring that stands on the ground, its axle along z (bicycle tyres, lifebuoys)."""
    turn = np.linspace(0, 2 * np.pi, 6)
    profile = [(radius - thick + thick * float(np.sin(a)), -thick * float(np.cos(a))) for a in turn]
    return lathe(profile, sides=sides).tilted(about_x=90).at(up=radius)


def arched(width: float, height: float, hole: tuple[float, float], depth: float, *, steps: int = 8) -> list[Mesh]:
    """A wall slab (front at z 0) with a round-headed opening down to the ground.

    Args:
        width: of the slab, metres.
        height: of the slab; above the crown, `hole[1] + hole[0] / 2`.
        hole: width of the opening and height at which its arch springs.
        depth: of the slab.
        steps: straight pieces of the arch.
    """
    w, spring = hole
    side = (width - w) / 2
    slabs = [box(side, spring, depth).at(x=s * (width - side) / 2, z=depth / 2) for s in (-1, 1)]
    slabs += [box(side, height - spring, depth).at(x=s * (width - side) / 2, up=spring, z=depth / 2) for s in (-1, 1)]
    angle = np.linspace(np.pi, 0.0, steps + 1)
    points = [(w / 2 * float(np.cos(a)), spring + w / 2 * float(np.sin(a))) for a in angle]
    slabs += [prism([p, q, (q[0], height), (p[0], height)], depth) for p, q in pairwise(points)]
    return slabs


def arch_band(width: float, spring: float, thick: float, depth: float, *, steps: int = 8) -> Mesh:
    """Voussoirs around a round-headed opening of the given width (front at z 0)."""
    angle = np.linspace(np.pi, 0.0, steps + 1)
    inner = [(width / 2 * float(np.cos(a)), spring + width / 2 * float(np.sin(a))) for a in angle]
    r = width / 2 + thick
    outer = [(r * float(np.cos(a)), spring + r * float(np.sin(a))) for a in angle]
    return merge([prism([inner[i], inner[i + 1], outer[i + 1], outer[i]], depth) for i in range(steps)])
