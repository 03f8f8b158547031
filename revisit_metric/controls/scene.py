"""A reference scene as data: parts with names and materials, light, and a description for prompts.

Conventions: everything here is in the world frame, which is the camera frame of pose 0 (OpenCV: x right, y
down, z forward, metres); the ground lies at y = `eye_m`. Instance ids start at 1; 0 is the sky.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.meshes import Mesh, Vec3
from revisit_metric.controls.textures import TEXTURES

CATEGORIES = ("indoor", "urban", "natural", "abstract")


@dataclass(frozen=True)
class Material:
    """What a surface looks like.

    Attributes:
        texture: a name of `textures.TEXTURES`.
        tint: factor on the texture's linear colour; (1, 1, 1) leaves it.
        tile_m: metres that one repeat of the texture covers (metric meshes only).
        gloss: factor on the texture's gloss channel; 1 mirrors as painted.
        emit: own light, as a factor on the colour (lamp shades, screens).
        words: what a person would call it ("blue linen"); the texture's name where empty.
        variant: seed of the texture.
    """

    texture: str
    tint: Vec3 = (1.0, 1.0, 1.0)
    tile_m: float = 2.0
    gloss: float = 1.0
    emit: float = 0.0
    words: str = ""
    variant: int = 0

    @property
    def name(self) -> str:
        """The words, or the texture's name."""
        return self.words or self.texture


@dataclass(frozen=True)
class Surface:
    """A mesh in world coordinates with its material."""

    mesh: Mesh
    material: Material

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """(2, 3): lowest and highest corner, metres, world frame."""
        return np.stack([self.mesh.positions.min(axis=0), self.mesh.positions.max(axis=0)])


@dataclass(frozen=True)
class Part:
    """One instance: the unit of masks, of object tags and of forgetting.

    Attributes:
        instance: id in the instance mask, 1...
        noun: what it is ("chair").
        surfaces: its meshes and materials.
        movable: whether a strong fault may move, resize or remove it; otherwise only its look changes.
        landmark: whether a description should name it first.
    """

    instance: int
    noun: str
    surfaces: tuple[Surface, ...]
    movable: bool = False
    landmark: bool = False

    @property
    def materials(self) -> tuple[str, ...]:
        """Material words, the largest surface first, without repeats."""
        order = sorted(self.surfaces, key=lambda s: -len(s.mesh.triangles))
        return tuple(dict.fromkeys(s.material.name for s in order))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """(2, 3): lowest and highest corner, metres, world frame."""
        boxes = np.stack([s.bounds for s in self.surfaces])
        return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])

    @property
    def has_holes(self) -> bool:
        """Whether some surface is a cut-out, whose texture shapes its shadow."""
        return any(TEXTURES[s.material.texture].use == "cutout" for s in self.surfaces)

    @property
    def pivot(self) -> NDArray[np.float64]:
        """(3,): the middle of its foot (the largest y), about which faults turn and scale it."""
        low, high = self.bounds
        return np.array([(low[0] + high[0]) / 2, high[1], (low[2] + high[2]) / 2])


@dataclass(frozen=True)
class Lamp:
    """A point light without shadow: world position, linear colour, distance at which it fades out."""

    position: Vec3
    colour: Vec3
    reach_m: float = 5.0


@dataclass(frozen=True)
class Light:
    """Sun, sky, ambient light and fog; all colours linear.

    Attributes:
        to_sun: direction from the scene towards the sun, world frame (y is negative above the horizon).
        sun: colour of the direct light; zeros for none.
        zenith: sky colour overhead.
        horizon: sky colour at the horizon, and the colour of the fog.
        sky_ambient: light that falls on faces turned up.
        ground_ambient: light that falls on faces turned down.
        clouds: cloud cover, 0..1.
        fog_per_m: fog density; 0.01 hides two thirds of what is 100 m away.
    """

    to_sun: Vec3 = (0.45, -0.75, -0.5)
    sun: Vec3 = (2.6, 2.4, 2.05)
    zenith: Vec3 = (0.16, 0.34, 0.72)
    horizon: Vec3 = (0.66, 0.76, 0.86)
    sky_ambient: Vec3 = (0.55, 0.62, 0.74)
    ground_ambient: Vec3 = (0.3, 0.28, 0.25)
    clouds: float = 0.5
    fog_per_m: float = 0.004


@dataclass(frozen=True)
class Scene:
    """A whole place.

    Attributes:
        layout: key of `layouts.LAYOUTS`.
        category: one of `CATEGORIES`.
        seed: with `layout`, all that is needed to build it again.
        place: a noun phrase without articles of style ("long living room of a loft").
        parts: instance `i` is `parts[i - 1]`.
        light: sun, sky and fog.
        lamps: at most 8.
        eye_m: height of the start pose above the ground.
    """

    layout: str
    category: str
    seed: int
    place: str
    parts: tuple[Part, ...]
    light: Light
    lamps: tuple[Lamp, ...]
    eye_m: float

    @cached_property
    def surface_bounds(self) -> NDArray[np.float64]:
        """(surfaces, 2, 3): bounding box of every surface, part after part; tighter than the parts' boxes."""
        return np.stack([s.bounds for p in self.parts for s in p.surfaces])

    @cached_property
    def first_surface(self) -> NDArray[np.int64]:
        """(parts + 1,): part i owns the surfaces `first_surface[i]` to `first_surface[i + 1] - 1`."""
        return np.cumsum([0] + [len(p.surfaces) for p in self.parts])

    def all_of_part(self, surfaces: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(parts,): for which parts something holds for every surface, given (surfaces,)."""
        return np.asarray(np.logical_and.reduceat(surfaces, self.first_surface[:-1]))

    def describe(self, instances: ArrayLike | None = None) -> dict[str, Any]:
        """What persists in this place, for writing prompts and object tags.

        Only lasting cues: no counts, no light, no weather, no style.

        Args:
            instances: ids to speak of (those visible at the start, say); all parts where `None`.

        Returns:
            `category`, `layout`, `place`, `landmarks` and `objects` (each `{"noun", "materials"}`, in order
            of first appearance), and `nouns`, sorted.
        """
        wanted = None if instances is None else set(np.asarray(instances).ravel().tolist())
        parts = [p for p in self.parts if wanted is None or p.instance in wanted]
        return {
            "category": self.category,
            "layout": self.layout,
            "place": self.place,
            "landmarks": _entries([p for p in parts if p.landmark]),
            "objects": _entries([p for p in parts if not p.landmark]),
            "nouns": sorted({p.noun for p in parts}),
        }


def _entries(parts: list[Part]) -> list[dict[str, Any]]:
    """One entry per noun, with the materials of all its parts, the most frequent first."""
    by_noun: dict[str, dict[str, int]] = {}
    for part in parts:
        seen = by_noun.setdefault(part.noun, {})
        for name in part.materials[:2]:
            seen[name] = seen.get(name, 0) + 1
    return [{"noun": n, "materials": sorted(m, key=lambda k: (-m[k], k))[:3]} for n, m in by_noun.items()]


def clearance_m(scene: Scene, poses: ArrayLike) -> float:
    """Free space around the path: the least distance from a camera to any surface's bounding box.

    Args:
        scene: the place.
        poses: (T, 4, 4) camera-to-world, metres.

    Returns:
        Metres; 0 when the path enters a bounding box. A path keeps clear of the near plane above 0.1 m.
    """
    path = np.unique(np.asarray(poses, np.float64)[:, :3, 3].round(6), axis=0)
    low, high = scene.surface_bounds[:, 0], scene.surface_bounds[:, 1]
    gap = np.maximum(np.maximum(low[None] - path[:, None], path[:, None] - high[None]), 0.0)
    return float(np.linalg.norm(gap, axis=2).min())
