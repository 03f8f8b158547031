"""The builder that layouts use: places parts in the authoring frame and hands over a `Scene`.

Conventions: the authoring frame has x to the right, "up" above the ground (0) and z away from the camera; the
camera starts at (0, eye_m, 0) and looks along +z. Yaw is in degrees from z towards x.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from revisit_metric.controls.meshes import Mesh, Vec3
from revisit_metric.controls.scene import Lamp, Light, Material, Part, Scene, Surface

Shape = tuple[Mesh, Material]

MAX_LAMPS = 8


class SceneBuilder:
    """Collects parts, lamps and light.

    Args:
        rng: the layout's only source of chance.
        eye_m: camera height above the ground, metres.

    Example:
        >>> from revisit_metric.controls.meshes import box
        >>> b = SceneBuilder(np.random.default_rng(0), eye_m=1.5)
        >>> b.add("crate", [(box(1, 1, 1), Material("pine"))], at=(0, 0, 3), movable=True)
        >>> scene = b.scene("demo", "abstract", 0, place="empty floor")
        >>> scene.parts[0].bounds.tolist()
        [[-0.5, 0.5, 2.5], [0.5, 1.5, 3.5]]
    """

    def __init__(self, rng: np.random.Generator, *, eye_m: float = 1.55) -> None:
        self.rng = rng
        self.eye_m = eye_m
        self.light = Light()
        self._parts: list[Part] = []
        self._lamps: list[Lamp] = []

    def add(
        self,
        noun: str,
        shapes: Iterable[Shape],
        *,
        at: Vec3 = (0.0, 0.0, 0.0),
        yaw: float = 0.0,
        movable: bool = False,
        landmark: bool = False,
        joined: bool = False,
    ) -> None:
        """Add one part (one instance).

        Args:
            noun: what a person would call it; it becomes an object tag.
            shapes: (mesh, material) pairs around the part's own origin.
            at: (x, up, z) of that origin.
            yaw: degrees, turns the part about its origin.
            movable: a strong fault may move, resize or remove it: nothing must stand or hang on it.
            landmark: a description names it first.
            joined: the texture runs on from part to part (wall panels, floor tiles) instead of starting
                anywhere.
        """
        jitter = self.rng.uniform(0.0, 8.0, 2)
        surfaces = tuple(Surface(self._placed(m, at, yaw, None if joined else jitter), s) for m, s in shapes)
        self._parts.append(Part(len(self._parts) + 1, noun, surfaces, movable, landmark))

    def lamp(self, at: Vec3, colour: Vec3, reach_m: float = 5.0) -> None:
        """Add a point light at (x, up, z).

        Raises:
            ValueError: there are eight already; the shader takes no more.
        """
        if len(self._lamps) == MAX_LAMPS:
            raise ValueError(f"a scene takes {MAX_LAMPS} lamps at most; merge some into one with a longer reach")
        self._lamps.append(Lamp((at[0], self.eye_m - at[1], at[2]), colour, reach_m))

    def scene(self, layout: str, category: str, seed: int, *, place: str) -> Scene:
        """The finished scene.

        Raises:
            ValueError: nothing was added.
        """
        if not self._parts:
            raise ValueError(f"layout {layout!r} added no part; a scene needs at least one")
        return Scene(layout, category, seed, place, tuple(self._parts), self.light, tuple(self._lamps), self.eye_m)

    def one_of(self, *options: str) -> str:
        """One of the given words."""
        return str(options[int(self.rng.integers(len(options)))])

    def material(self, *textures: str, tint: Vec3 | None = None, tile_m: float = 2.0, words: str = "") -> Material:
        """One of the given textures in a random variant (of 4), slightly tinted unless `tint` is given."""
        name = self.one_of(*textures)
        shift = tuple(float(v) for v in self.rng.uniform(0.88, 1.08, 3)) if tint is None else tint
        return Material(name, (shift[0], shift[1], shift[2]), tile_m, words=words, variant=int(self.rng.integers(4)))

    def _placed(self, source: Mesh, at: Vec3, yaw: float, jitter: NDArray[np.float64] | None) -> Mesh:
        moved = source.at(*at, yaw=yaw)
        uvs = moved.uvs
        if moved.metric:
            uvs = uvs + (_anchored(moved, source) if jitter is None else jitter)
        # Authoring "up" becomes y down: a reflection, which turns every triangle round.
        sign = np.array([1.0, -1.0, 1.0])
        positions = moved.positions * sign + np.array([0.0, self.eye_m, 0.0])
        return replace(
            moved,
            positions=positions,
            normals=moved.normals * sign,
            uvs=uvs,
            triangles=moved.triangles[:, ::-1],
        )


def on_path(x: float, z: float, margin_m: float) -> bool:
    """Whether (x, z) lies within `margin_m` of the ground under the three templates.

    Example:
        >>> on_path(2.0, 2.0, 1.0), on_path(7.5, 0.0, 0.5)
        (False, True)
    """
    strafe = -margin_m < x < 7.2 + margin_m and abs(z) < margin_m
    square = -margin_m < x < 4 + margin_m and -margin_m < z < 4 + margin_m
    inside = margin_m < x < 4 - margin_m and margin_m < z < 4 - margin_m
    return strafe or (square and not inside)


def _anchored(moved: Mesh, source: Mesh) -> NDArray[np.float64]:
    """What to add to metric coordinates so that they run on from one part to its neighbour."""
    axis = np.abs(moved.normals).argmax(axis=1)
    pair = np.array([[2, 1], [0, 2], [0, 1]])[axis]
    world = np.take_along_axis(moved.positions, pair, axis=1)
    return np.asarray(world * np.array([1.0, -1.0]) - source.uvs)
