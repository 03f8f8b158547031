"""Triangle meshes of the reference world, built from a few primitives.

Conventions: meshes live in the *authoring frame*, metres: x to the right, "up" against gravity, z away from
the camera; `SceneBuilder` turns that into the camera frame (y down). Texture coordinates are metres on the
surface (`metric=True`, for materials that repeat) or 0..1 across a face (`metric=False`, for pictures and
leaves).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Mesh:
    """Triangles with normals and texture coordinates.

    Attributes:
        positions: float64 (V, 3), metres, authoring frame (x, up, z).
        normals: float64 (V, 3), unit length, pointing out of the solid.
        uvs: float64 (V, 2), metres on the surface or 0..1 across the picture.
        triangles: int64 (T, 3), wound so that the geometric normal agrees with `normals`.
        metric: whether `uvs` are metres.
    """

    positions: NDArray[np.float64]
    normals: NDArray[np.float64]
    uvs: NDArray[np.float64]
    triangles: NDArray[np.int64]
    metric: bool = True

    def at(self, x: float = 0.0, up: float = 0.0, z: float = 0.0, *, yaw: float = 0.0) -> Mesh:
        """The mesh turned by `yaw` degrees (from z towards x) about its own vertical axis, then moved."""
        turn = _yaw_matrix(yaw)
        positions = self.positions @ turn.T + np.array([x, up, z])
        return replace(self, positions=positions, normals=self.normals @ turn.T)

    def tilted(self, *, about_x: float = 0.0, about_z: float = 0.0) -> Mesh:
        """The mesh turned by degrees about the x axis (top towards +z), then the z axis (top towards +x)."""
        a, c = np.radians(about_x), np.radians(about_z)
        first = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        second = np.array([[np.cos(c), np.sin(c), 0], [-np.sin(c), np.cos(c), 0], [0, 0, 1]])
        turn = second @ first
        return replace(self, positions=self.positions @ turn.T, normals=self.normals @ turn.T)

    def scaled(self, x: float = 1.0, up: float = 1.0, z: float = 1.0) -> Mesh:
        """The mesh stretched along its axes; normals follow, metric texture coordinates stay."""
        factors = np.array([x, up, z])
        normals = self.normals / factors
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return replace(self, positions=self.positions * factors, normals=normals)


def _yaw_matrix(yaw_deg: float) -> NDArray[np.float64]:
    a = np.radians(yaw_deg)
    return np.array([[np.cos(a), 0.0, np.sin(a)], [0.0, 1.0, 0.0], [-np.sin(a), 0.0, np.cos(a)]])


def mesh(
    positions: ArrayLike, normals: ArrayLike, uvs: ArrayLike, triangles: ArrayLike, *, metric: bool = True
) -> Mesh:
    """A `Mesh` from plain arrays; triangles wound against their normals are turned round."""
    p, n = np.asarray(positions, np.float64), np.asarray(normals, np.float64)
    t = np.array(triangles, np.int64).reshape(-1, 3)
    geometric = np.cross(p[t[:, 1]] - p[t[:, 0]], p[t[:, 2]] - p[t[:, 0]])
    wrong = np.einsum("ij,ij->i", geometric, n[t].mean(axis=1)) < 0
    t[wrong] = t[wrong][:, ::-1]
    return Mesh(p, n, np.asarray(uvs, np.float64), t, metric)


def merge(meshes: Sequence[Mesh]) -> Mesh:
    """One mesh holding all of `meshes`; they must agree on `metric`.

    Raises:
        ValueError: `meshes` is empty or mixes metric and picture coordinates.
    """
    if not meshes or len({m.metric for m in meshes}) != 1:
        raise ValueError(f"cannot merge {len(meshes)} meshes: none given, or metric and picture ones mixed")
    starts = np.cumsum([0] + [len(m.positions) for m in meshes[:-1]])
    return Mesh(
        np.concatenate([m.positions for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.uvs for m in meshes]),
        np.concatenate([m.triangles + s for m, s in zip(meshes, starts, strict=True)]),
        meshes[0].metric,
    )


def quad(origin: ArrayLike, right: ArrayLike, top: ArrayLike, *, metric: bool = True, both: bool = False) -> Mesh:
    """A parallelogram facing right x top; `both` adds the back side (leaves, flags).

    Args:
        origin: corner, (x, up, z) metres.
        right: edge along u.
        top: edge along v; a picture's upper edge lies at `origin + top`.
        metric: see `Mesh`.
        both: whether it is seen from behind, too.
    """
    o, r, t = (np.asarray(v, np.float64) for v in (origin, right, top))
    corners = np.array([o, o + r, o + r + t, o + t])
    normal = np.cross(r, t)
    normal = normal / np.linalg.norm(normal)
    u, v = (np.linalg.norm(r), np.linalg.norm(t)) if metric else (1.0, 1.0)
    # Row 0 of a texture is its top row, hence v runs downwards.
    uvs = np.array([[0, v], [u, v], [u, 0], [0, 0]])
    faces = [[0, 1, 2], [0, 2, 3]]
    front = mesh(corners, np.tile(normal, (4, 1)), uvs, faces, metric=metric)
    return merge([front, mesh(corners, np.tile(-normal, (4, 1)), uvs, faces, metric=metric)]) if both else front


# Per face: normal axis, sign, and the axes of u and v.
_BOX_FACES = {
    "left": (0, -1, 2, 1),
    "right": (0, 1, 2, 1),
    "bottom": (1, -1, 0, 2),
    "top": (1, 1, 0, 2),
    "front": (2, -1, 0, 1),
    "back": (2, 1, 0, 1),
}


def box(
    width: float,
    height: float,
    depth: float,
    *,
    centred: bool = False,
    without: Sequence[str] = (),
    metric: bool = True,
) -> Mesh:
    """A box standing on the ground (or centred), `width` along x, `depth` along z.

    Args:
        width: metres along x.
        height: metres along up.
        depth: metres along z.
        centred: whether the origin is the middle instead of the middle of the bottom.
        without: faces to leave out: left, right, bottom, top, front (towards the camera), back.
        metric: `False` spreads one picture over each face.
    """
    half = np.array([width, height, depth]) / 2.0
    faces = [_box_face(half, *_BOX_FACES[name], metric) for name in _BOX_FACES if name not in without]
    whole = merge(faces)
    return whole if centred else whole.at(up=height / 2.0)


def _box_face(half: NDArray[np.float64], axis: int, sign: int, u: int, v: int, metric: bool) -> Mesh:
    corners = np.zeros((4, 3))
    corners[:, axis] = sign * half[axis]
    corners[:, u] = np.array([-1, 1, 1, -1]) * half[u]
    corners[:, v] = np.array([-1, -1, 1, 1]) * half[v]
    normal = np.zeros(3)
    normal[axis] = sign
    uvs = np.stack([corners[:, u], -corners[:, v]], axis=1)
    if not metric:
        uvs = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float64)
    return mesh(corners, np.tile(normal, (4, 1)), uvs, [[0, 1, 2], [0, 2, 3]], metric=metric)


def lathe(profile: Sequence[tuple[float, float]], *, sides: int = 16, smooth: bool = True) -> Mesh:
    """A solid of revolution from a list of (radius, up), lowest first; open where the radius is not 0.

    Example:
        >>> bowl = lathe([(0.0, 0.0), (0.2, 0.05), (0.25, 0.15)], sides=8)
        >>> bowl.positions.shape, round(float(bowl.positions[:, 1].max()), 2)
        ((36, 3), 0.15)
    """
    radius, up = np.array(profile, np.float64).T
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(radius), np.diff(up)))])
    bands = [_band(radius[i : i + 2], up[i : i + 2], along[i : i + 2], sides) for i in range(len(radius) - 1)]
    whole = merge(bands)
    return _smoothed(whole) if smooth else whole


def _band(radius: NDArray[np.float64], up: NDArray[np.float64], along: NDArray[np.float64], sides: int) -> Mesh:
    angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    slope = np.array([up[1] - up[0], radius[0] - radius[1]])
    slope = slope / max(float(np.hypot(*slope)), 1e-9)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    p, n, t = [], [], []
    for r, h, s in zip(radius, up, along, strict=True):
        p.append(np.stack([r * ring[:, 0], np.full(sides + 1, h), r * ring[:, 1]], axis=1))
        n.append(np.stack([slope[0] * ring[:, 0], np.full(sides + 1, slope[1]), slope[0] * ring[:, 1]], axis=1))
        t.append(np.stack([angle * max(radius.max(), 0.02), np.full(sides + 1, -s)], axis=1))
    low = np.arange(sides)
    high = low + sides + 1
    faces = np.concatenate([np.stack([low, low + 1, high + 1], 1), np.stack([low, high + 1, high], 1)])
    return mesh(np.concatenate(p), np.concatenate(n), np.concatenate(t), faces)


def _smoothed(source: Mesh) -> Mesh:
    """Average the normals of vertices that share a place and do not meet at a sharp edge (60 degrees)."""
    _, group = np.unique(np.round(source.positions, 5), axis=0, return_inverse=True)
    group = group.reshape(-1)
    total = np.zeros((group.max() + 1, 3))
    np.add.at(total, group, source.normals)
    mean = total[group] / np.maximum(np.linalg.norm(total[group], axis=1, keepdims=True), 1e-9)
    keep = np.einsum("ij,ij->i", mean, source.normals) < 0.8
    return replace(source, normals=np.where(keep[:, None], source.normals, mean))


def cylinder(radius: float, height: float, *, sides: int = 14, top: float | None = None) -> Mesh:
    """A closed cylinder (or truncated cone with radius `top` at its upper end) standing on the ground."""
    upper = radius if top is None else top
    return lathe([(0.0, 0.0), (radius, 0.0), (upper, height), (0.0, height)], sides=sides)


def cone(radius: float, height: float, *, sides: int = 14) -> Mesh:
    """A closed cone standing on the ground."""
    return lathe([(0.0, 0.0), (radius, 0.0), (0.0, height)], sides=sides)


def sphere(radius: float, *, sides: int = 16, rings: int = 9) -> Mesh:
    """A ball around the origin."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, rings)
    return lathe([(radius * max(np.cos(a), 0.0), radius * np.sin(a)) for a in angle], sides=sides)


def prism(outline: Sequence[tuple[float, float]], depth: float) -> Mesh:
    """A convex outline of (x, up) points, anticlockwise, drawn out along z from 0 to `depth` (gables)."""
    points = np.array(outline, np.float64)
    count = len(points)
    near = np.column_stack([points, np.zeros(count)])
    far = near + np.array([0.0, 0.0, depth])
    fan = [[0, i, i + 1] for i in range(1, count - 1)]
    uv = np.column_stack([points[:, 0], -points[:, 1]])
    caps = [
        mesh(near, np.tile([0.0, 0.0, -1.0], (count, 1)), uv, fan),
        mesh(far, np.tile([0.0, 0.0, 1.0], (count, 1)), uv, fan),
    ]
    return merge(caps + [_prism_side(near[i], near[(i + 1) % count], depth) for i in range(count)])


def _prism_side(a: NDArray[np.float64], b: NDArray[np.float64], depth: float) -> Mesh:
    edge = b - a
    length = float(np.hypot(edge[0], edge[1]))
    normal = np.array([edge[1], -edge[0], 0.0]) / max(length, 1e-9)
    away = np.array([0.0, 0.0, depth])
    corners = np.array([a, b, b + away, a + away])
    uvs = np.array([[0, 0], [length, 0], [length, depth], [0, depth]])
    return mesh(corners, np.tile(normal, (4, 1)), uvs, [[0, 1, 2], [0, 2, 3]])


def height_field(xs: ArrayLike, zs: ArrayLike, up: ArrayLike) -> Mesh:
    """A terrain patch over a grid: `up` is (len(zs), len(xs)) metres; seen from above only."""
    x, z, h = (np.asarray(a, np.float64) for a in (xs, zs, up))
    gx, gz = np.meshgrid(x, z)
    slope_z, slope_x = np.gradient(h, z, x)
    normals = np.stack([-slope_x, np.ones_like(h), -slope_z], axis=-1).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    rows, columns = h.shape
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.concatenate(
        [
            np.stack([corner, corner + 1, corner + columns + 1], 1),
            np.stack([corner, corner + columns + 1, corner + columns], 1),
        ]
    )
    positions = np.stack([gx, h, gz], axis=-1).reshape(-1, 3)
    return mesh(positions, normals, positions[:, [0, 2]], faces)


def rock(radius: float, rng: np.random.Generator, *, roughness: float = 0.22, detail: int = 2) -> Mesh:
    """A boulder around the origin: a ball pushed in and out by smooth noise and cut by a dozen planes."""
    points, faces = _icosphere(detail)
    waves = rng.normal(size=(7, 3)) * np.array([1.2, 1.2, 1.2, 2.2, 2.2, 3.5, 3.5])[:, None]
    weight = np.array([1.0, 1.0, 1.0, 0.6, 0.6, 0.35, 0.35])
    bump = (np.sin(points @ waves.T + rng.uniform(0, 6.3, 7)) * weight).sum(axis=1) / 3.0
    shaped = points * (1.0 + roughness * bump)[:, None]
    for _ in range(12):
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        excess = np.maximum(shaped @ way - rng.uniform(0.66, 0.9), 0.0)
        shaped = shaped - 0.92 * excess[:, None] * way
    shaped = shaped * radius
    corner = shaped[faces]
    flat = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    smooth = np.zeros_like(shaped)
    np.add.at(smooth, faces.reshape(-1), np.repeat(flat, 3, axis=0))
    smooth /= np.linalg.norm(smooth, axis=1, keepdims=True)
    return _projected(shaped, smooth, faces, np.abs(flat).argmax(axis=1))


def _projected(
    places: NDArray[np.float64],
    normals: NDArray[np.float64],
    faces: NDArray[np.int64],
    axis: NDArray[np.int64],
) -> Mesh:
    """Metric coordinates by projection along each triangle's axis; vertices split where the axis changes."""
    pairs, where = np.unique(np.stack([faces.reshape(-1), axis.repeat(3)], axis=1), axis=0, return_inverse=True)
    vertex, along = pairs.T
    columns = np.array([[2, 1], [0, 2], [0, 1]])[along]
    uvs = np.take_along_axis(places[vertex], columns, axis=1)
    return mesh(places[vertex], normals[vertex], uvs, where.reshape(-1, 3))


def _icosphere(detail: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    g = (1 + 5**0.5) / 2
    flat = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0]]
    points = np.array(flat + [[c, a, b] for a, b, c in flat] + [[b, c, a] for a, b, c in flat], np.float64)
    points /= np.linalg.norm(points[0])
    gap = np.linalg.norm(points[:, None] - points[None], axis=2)
    edge = np.sort(gap[gap > 1e-6])[0] * 1.01
    near = (gap < edge) & (gap > 1e-6)
    faces = np.array(
        [[i, j, k] for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[i, k]]
    )
    for _ in range(detail):
        points, faces = _subdivide(points, faces)
    corner = points[faces]
    inward = np.einsum("ij,ij->i", np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), corner[:, 0]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces


def _subdivide(points: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    unique, where = np.unique(edges, axis=0, return_inverse=True)
    middle = points[unique].mean(axis=1)
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    a, b, c = where.reshape(3, -1) + len(points)
    i, j, k = faces.T
    new = np.concatenate([np.stack(s, 1) for s in ((i, a, c), (a, j, b), (c, b, k), (a, b, c))])
    return np.concatenate([points, middle]), new


def cards(
    centres: ArrayLike,
    size: float | ArrayLike,
    rng: np.random.Generator,
    *,
    upright: bool = False,
    puff: ArrayLike | None = None,
) -> Mesh:
    """Square picture cards around `centres` for cut-out textures, seen from both sides (leaves, grass).

    Args:
        centres: (N, 3), middle of each card, or the middle of its lower edge when `upright`.
        size: edge, metres; one value or N.
        rng: turns the cards.
        upright: vertical cards with a random heading instead of any direction.
        puff: point (3,) from which normals point away, so that a crown is lit like a ball; else the card's
            own.
    """
    places = np.asarray(centres, np.float64).reshape(-1, 3)
    edge = np.broadcast_to(np.asarray(size, np.float64), len(places))[:, None]
    right, top = _card_axes(len(places), rng, upright)
    low = places if upright else places - top * edge / 2
    normals = np.cross(right, top)
    if puff is not None:
        normals = places - np.asarray(puff, np.float64) + 1e-6
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    elif upright:
        normals = np.tile([0.0, 1.0, 0.0], (len(places), 1))
    return _card_mesh(low, right * edge, top * edge, normals)


def directed_cards(roots: ArrayLike, right: ArrayLike, top: ArrayLike, normals: ArrayLike) -> Mesh:
    """Picture cards with given axes, for boughs that all point outwards.

    Args:
        roots: (N, 3) metres, the middle of each lower edge.
        right: (N, 3) metres along u.
        top: (N, 3) metres from the lower to the upper edge.
        normals: (N, 3) for the light, unit length.
    """
    return _card_mesh(*(np.asarray(a, np.float64) for a in (roots, right, top, normals)))


def _card_mesh(
    low: NDArray[np.float64],
    right: NDArray[np.float64],
    top: NDArray[np.float64],
    normals: NDArray[np.float64],
) -> Mesh:
    left = low - right / 2
    corners = np.stack([left, left + right, left + right + top, left + top], axis=1)
    start = np.arange(len(low))[:, None, None] * 4
    faces = (np.array([[0, 1, 2], [0, 2, 3]]) + start).reshape(-1, 3)
    uvs = np.tile(np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float64), (len(low), 1))
    return Mesh(corners.reshape(-1, 3), np.repeat(normals, 4, axis=0), uvs, faces, metric=False)


def _card_axes(count: int, rng: np.random.Generator, upright: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    right = np.stack([np.cos(angle), np.zeros(count), np.sin(angle)], axis=1)
    if upright:
        return right, np.tile([0.0, 1.0, 0.0], (count, 1))
    lean = rng.uniform(-1.2, 1.2, count)
    ahead = np.stack([-np.sin(angle), np.zeros(count), np.cos(angle)], axis=1)
    top = np.cos(lean)[:, None] * np.array([0.0, 1.0, 0.0]) + np.sin(lean)[:, None] * ahead
    return right, top
