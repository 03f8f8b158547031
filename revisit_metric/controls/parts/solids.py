"""Geometric solids, stairs, arches and frames for abstract scenes.

Conventions: authoring frame; meshes stand on the ground at the origin, functions that take a builder add parts.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import Mesh, Vec3, box, cone, cylinder, lathe, merge, prism, rock, sphere
from revisit_metric.controls.scene import Material


def ring(radius: float, thick: float) -> Mesh:
    """A torus that stands upright, facing z."""
    turn = np.linspace(0, 2 * np.pi, 11)
    profile = [(radius - thick + thick * float(np.sin(a)), -thick * float(np.cos(a))) for a in turn]
    return lathe(profile, sides=26).tilted(about_x=90).at(up=radius)


def arch(width: float, height: float, depth: float, *, thick: float = 0.3, steps: int = 10) -> Mesh:
    """Two legs and a half-round top; `height` is that of the opening's crown."""
    r = width / 2 - thick
    legs = [box(thick, height - r, depth).at(x=s * (width / 2 - thick / 2)) for s in (-1, 1)]
    angle = np.linspace(0, np.pi, steps + 1)
    stones = []
    for a, c in pairwise(angle.tolist()):
        outer, inner = width / 2, r
        outline = [
            (inner * np.cos(a), inner * np.sin(a)),
            (outer * np.cos(a), outer * np.sin(a)),
            (outer * np.cos(c), outer * np.sin(c)),
            (inner * np.cos(c), inner * np.sin(c)),
        ]
        stones.append(prism([(float(p), float(q) + height - r) for p, q in outline], depth).at(z=-depth / 2))
    return merge(legs + stones)


def stairs(width: float, rise: float, run: float, steps: int) -> Mesh:
    """Solid steps that climb away from the camera; the lowest step starts at z = 0."""
    return merge([box(width, rise * (i + 1), run).at(z=run * (i + 0.5)) for i in range(steps)])


def spiral(radius: float, height: float, *, turns: float = 2.0, balls: int = 26, size: float = 0.1) -> Mesh:
    """Balls that wind upwards around a thin pole."""
    ball, t = sphere(size, sides=10, rings=7), np.linspace(0, 1, balls)
    beads = [
        ball.at(
            radius * float(np.cos(2 * np.pi * turns * s)),
            size + (height - 2 * size) * float(s),
            radius * float(np.sin(2 * np.pi * turns * s)),
        )
        for s in t
    ]
    return merge([*beads, cylinder(0.03, height, sides=8)])


def fan(radius: float, blades: int, *, thick: float = 0.05) -> Mesh:
    """Flat bars that radiate from the ground in the plane facing z."""
    angles = np.linspace(-80, 80, blades)
    return merge([box(0.14, radius, thick).tilted(about_z=float(a)).at(up=0.08) for a in angles])


def solid(rng: np.random.Generator, r: float) -> tuple[str, Mesh]:
    """A named solid of about radius `r` that stands on the ground."""
    kind = ("ball", "cube", "cone", "cylinder", "pyramid", "ring", "egg", "hexagonal prism", "crystal")[
        int(rng.integers(9))
    ]
    if kind == "ball":
        return kind, sphere(r, sides=20, rings=11).at(up=r)
    if kind == "egg":
        return kind, sphere(r, sides=18, rings=11).scaled(x=0.75, up=1.15, z=0.75).at(up=1.15 * r)
    if kind == "ring":
        return kind, ring(r, 0.24 * r)
    if kind == "cube":
        return kind, box(1.5 * r, 1.5 * r, 1.5 * r)
    if kind == "crystal":
        return kind, rock(r, rng, detail=0, roughness=0.3).scaled(up=1.3).at(up=r * 1.15)
    if kind in ("cone", "pyramid"):
        return kind, cone(r, 2.1 * r, sides=22 if kind == "cone" else 4)
    return kind, cylinder(0.8 * r, 1.8 * r, sides=6 if kind == "hexagonal prism" else 22)


def stack(b: SceneBuilder, at: Vec3, paints: list[Material], *, count: int, radius: float) -> None:
    """Discs, drums and cubes on each other, each a part; only the topmost may move."""
    up = at[1]
    for i in range(count):
        r = radius * float(b.rng.uniform(0.65, 1.0)) * (1 - 0.1 * i)
        height = float(b.rng.uniform(0.25, 0.6))
        kind = int(b.rng.integers(4))
        last = i == count - 1
        if last:
            name, mesh = solid(b.rng, r * 0.8)
        elif kind == 0:
            name, mesh = "drum", cylinder(r, height, sides=20)
        elif kind == 1:
            name, mesh = "block", box(1.6 * r, height, 1.6 * r)
        elif kind == 2:
            name, mesh = "tapered drum", cylinder(r, height, sides=20, top=r * 0.7)
        else:
            name, mesh = "hexagonal prism", cylinder(r, height, sides=6)
        paint = paints[int(b.rng.integers(len(paints)))]
        b.add(name, [(mesh, paint)], at=(at[0], up, at[2]), yaw=float(b.rng.uniform(0, 90)), movable=last)
        up += height
