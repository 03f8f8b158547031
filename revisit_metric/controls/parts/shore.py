"""Water and what stands at its edge: lakes and seas, jetties, boats, driftwood, groynes, a lighthouse.

Conventions: authoring frame; functions add parts at (x, up, z).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.builder import SceneBuilder, Shape
from revisit_metric.controls.meshes import Mesh, Vec3, box, cone, cylinder, lathe, merge, mesh, prism, rock
from revisit_metric.controls.parts.rustic import turned
from revisit_metric.controls.scene import Material


def boat(b: SceneBuilder, at: Vec3, yaw: float, hull: Material, wood: Material) -> None:
    """An open rowing boat of 2.6 m with three thwarts and a pair of oars; its bow points to +z at yaw 0."""
    stations = np.linspace(-1.3, 1.3, 9)
    beam = 0.55 * (1 - (np.abs(stations + 0.15) / 1.6) ** 2.4)
    beam[-1] = 0.04
    profile = np.array([(1.0, 0.5), (0.93, 0.3), (0.65, 0.1), (0.0, 0.0), (-0.65, 0.1), (-0.93, 0.3), (-1.0, 0.5)])
    points = np.zeros((len(stations), len(profile), 3))
    points[..., 0] = beam[:, None] * profile[:, 0]
    points[..., 1] = profile[:, 1] + 0.1 * (stations[:, None] / 1.3) ** 2
    points[..., 2] = stations[:, None]
    inner = points[:, ::-1] * np.array([0.93, 1.0, 0.97]) + np.array([0, 0.03, 0])
    stern = prism([(float(x), float(up)) for x, up, _ in points[0, ::-1]], 0.05).at(z=-1.3)
    seats = [box(float(np.interp(z, stations, beam)) * 1.7, 0.04, 0.22).at(up=0.34, z=z) for z in (-0.75, 0.0, 0.7)]
    oars = [cylinder(0.022, 1.9, sides=7).tilted(about_x=86).at(x=s * 0.2, up=0.42, z=-0.95) for s in (-1, 1)]
    shapes: list[Shape] = [(merge([_skin(points), stern]), hull), (merge([_skin(inner), *seats, *oars]), wood)]
    b.add("rowing boat", shapes, at=at, yaw=yaw, landmark=True)


def _skin(points: NDArray[np.float64]) -> Mesh:
    """A surface through (stations, profile, 3) points, seen from the side where the profile runs from +x to -x."""
    rows, columns = points.shape[:2]
    along = np.gradient(points, axis=0)
    normals = np.cross(along, np.gradient(points, axis=1)).reshape(-1, 3)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.concatenate(
        [
            np.stack([first, first + 1, first + columns + 1], axis=1),
            np.stack([first, first + columns + 1, first + columns], axis=1),
        ]
    )
    flat = points.reshape(-1, 3)
    return mesh(flat, normals, flat[:, [2, 1]], faces)


def jetty(b: SceneBuilder, x: float, z: tuple[float, float], up: float, wood: Material, *, width: float = 1.3) -> None:
    """A plank jetty running away from the shore, one part per 0.9 m."""
    for z0 in np.arange(z[0], z[1], 0.9):
        planks = [box(width, 0.05, 0.2).at(up=up, z=0.11 + 0.225 * i) for i in range(4)]
        beams = [box(0.1, 0.12, 0.9).at(x=s * width * 0.4, up=up - 0.12, z=0.45) for s in (-1, 1)]
        b.add("jetty", [(merge([*planks, *beams]), wood)], at=(x, 0.0, float(z0)), joined=True, landmark=True)
    for z0 in np.arange(z[0] + 0.3, z[1], 1.8):
        for side in (-1, 1):
            post = cylinder(0.08, up + 1.6, sides=9)
            b.add("mooring post", [(post, wood)], at=(x + side * (width / 2 + 0.06), -1.0, float(z0)))


def driftwood(b: SceneBuilder, at: Vec3, wood: Material, *, length: float = 1.8) -> None:
    """A bleached trunk with broken branches."""
    limbs = [cylinder(0.12, length, sides=10, top=0.06).tilted(about_z=86)]
    for _ in range(4):
        branch = cylinder(0.045, float(b.rng.uniform(0.35, 0.7)), sides=7, top=0.015)
        lean = float(b.rng.uniform(15, 65))
        limbs.append(
            branch.tilted(about_x=lean).at(
                x=length * float(b.rng.uniform(0.3, 0.95)), up=0.08, yaw=float(b.rng.uniform(0, 360))
            )
        )
    b.add(
        "driftwood",
        [(merge(limbs), wood)],
        at=(at[0], at[1] + 0.1, at[2]),
        yaw=float(b.rng.uniform(-60, 60)),
        movable=True,
    )


def groyne(
    b: SceneBuilder, start: tuple[float, float], yaw: float, wood: Material, *, posts: int, up: float = 1.2
) -> None:
    """A row of weathered posts that runs down the beach, one part per pair."""
    for i in range(posts):
        stakes = []
        for j in (0, 1):
            height = up * float(b.rng.uniform(0.75, 1.1)) * (1 - 0.03 * i)
            stake = cylinder(0.13, height + 0.4, sides=9, top=0.11).tilted(about_x=float(b.rng.normal(0, 2)))
            stakes.append(stake.at(up=-0.4, z=0.3 * j))
        place = turned((start[0], 0.0, start[1]), yaw, 0.0, 0.6 * i)
        b.add("groyne", [(merge(stakes), wood)], at=place, yaw=yaw, joined=True)


def rock_pool(b: SceneBuilder, at: Vec3, stone: Material, *, radius: float = 0.7) -> None:
    """A pool of sea water in a ring of low stones."""
    ring = []
    for a in np.arange(0, 6.1, 0.62):
        r = float(b.rng.uniform(0.2, 0.3))
        ring.append(
            rock(r, b.rng, detail=1).scaled(up=0.6).at(radius * float(np.cos(a)), 0.04, radius * float(np.sin(a)))
        )
    water = cylinder(radius, 0.05, sides=18)
    b.add("rock pool", [(merge(ring), stone), (water, Material("water", (1.2, 1.6, 1.6), tile_m=1.2))], at=at)


def lighthouse(b: SceneBuilder, at: Vec3, paint: Material) -> None:
    """A far banded tower with a lantern."""
    white = Material("plaster", (1.1, 1.1, 1.08), words="white plaster")
    bands: list[Shape] = []
    for i in range(6):
        low, high = 2.2 - 0.2 * i, 2.0 - 0.2 * i
        bands.append((lathe([(low, 3.0 * i), (high, 3.0 * (i + 1))], sides=18), white if i % 2 else paint))
    bands += [
        (cylinder(1.4, 0.3, sides=18).at(up=18.0), Material("black metal")),
        (cylinder(0.7, 1.8, sides=12).at(up=18.3), Material("paint", (1.0, 0.92, 0.7), emit=0.5, words="glass")),
        (cone(1.0, 1.1, sides=12).at(up=20.1), paint),
    ]
    b.add("lighthouse", bands, at=at, landmark=True)


def shells(b: SceneBuilder, at: Vec3) -> None:
    """A scatter of shells and a starfish."""
    pale = Material("plaster", (1.05, 0.85, 0.75), words="shell")
    fans = []
    for x, z in b.rng.uniform(-0.3, 0.3, (5, 2)):
        fan = lathe([(0.0, 0.0), (0.06, 0.015), (0.075, 0.035), (0.0, 0.05)], sides=9).scaled(z=0.7)
        fans.append(fan.at(float(x), 0.0, float(z), yaw=float(b.rng.uniform(0, 360))))
    star = merge(
        [
            prism([(-0.035, 0.0), (0.035, 0.0), (0.0, 0.16)], 0.04).tilted(about_x=90).at(up=0.04, yaw=72.0 * i)
            for i in range(5)
        ]
    )
    b.add(
        "seashell",
        [(merge(fans), pale), (star, Material("paint", (0.8, 0.3, 0.12), words="orange starfish"))],
        at=at,
        movable=True,
    )
