"""What a reference scene shows from its start pose, measured on depth and instance mask: things, tags, free space.

Conventions: measured at 832x480, one sample a pixel. An instance counts as visible from `VISIBLE_PX` on (20 pixels
at 416x240, the size at which the reference world counts them).

Tags:
    object-rich: at least `MIN_OBJECTS` visible instances that could be carried off (`Part.movable`): a chair, a
        stone, a pot, not the wall, the tree or the table that something stands on.
    outdoor: no roof: at least `MIN_SKY_ABOVE` of the view straight up from the start is sky.
"""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls import Frame, Renderer, Scene
from revisit_metric.controls.camera import view_reach
from revisit_metric.controls.scene import Part, Surface
from revisit_metric.controls.textures import TEXTURES

VISIBLE_PX = 80
MIN_OBJECTS = 12
MIN_SKY_ABOVE = 0.4

LEG_M = 1.2
_PROBE_SIZE = (208, 120)


class Look(NamedTuple):
    """A material word with the family of its texture ("fabric", "wood", ...)."""

    words: str
    family: str


@dataclass(frozen=True)
class Thing:
    """All visible instances of one noun.

    Attributes:
        noun: Singular, as the layout gives it.
        count: Visible instances.
        share: Of the picture's pixels.
        side: Mean horizontal place, -1 at the left edge to 1 at the right.
        spread: Standard deviation of the same.
        distance_m: Median depth.
        look: The material with the most surface, if most of the instances agree on it.
        landmark: Whether one of them is a landmark.
        movable: Whether all of them are.
        flat: Whether they lie on the ground and are flat: floors, streets, rugs.
    """

    noun: str
    count: int
    share: float
    side: float
    spread: float
    distance_m: float
    look: Look | None
    landmark: bool
    movable: bool
    flat: bool


def visible_instances(frame: Frame) -> NDArray[np.uint32]:
    """Ids of the instances with `VISIBLE_PX` pixels or more, ascending."""
    ids, counts = np.unique(frame.instance[frame.instance > 0], return_counts=True)
    return np.asarray(ids[counts >= VISIBLE_PX])


def things(scene: Scene, frame: Frame) -> list[Thing]:
    """What the first view shows, by noun, the largest share of the picture first."""
    by_noun: dict[str, list[Part]] = {}
    for instance in visible_instances(frame):
        part = scene.parts[instance - 1]
        by_noun.setdefault(part.noun, []).append(part)
    found = [_thing(scene, frame, noun, parts) for noun, parts in by_noun.items()]
    return sorted(found, key=lambda thing: (-thing.share, thing.noun))


def _thing(scene: Scene, frame: Frame, noun: str, parts: list[Part]) -> Thing:
    where = np.isin(frame.instance, [part.instance for part in parts])
    columns = np.nonzero(where)[1] / (where.shape[1] - 1) * 2 - 1
    looks = Counter(_look(part) for part in parts)
    look, votes = looks.most_common(1)[0]
    return Thing(
        noun,
        len(parts),
        float(where.mean()),
        float(columns.mean()),
        float(columns.std()),
        float(np.median(frame.depth[where])),
        look if votes * 2 > len(parts) else None,
        any(part.landmark for part in parts),
        all(part.movable for part in parts),
        all(_is_flat(part, scene.eye_m) for part in parts),
    )


def _look(part: Part) -> Look:
    area: dict[Look, float] = {}
    for surface in part.surfaces:
        look = Look(surface.material.name, TEXTURES[surface.material.texture].family)
        area[look] = area.get(look, 0.0) + _area_m2(surface)
    return max(area, key=area.__getitem__)


def _area_m2(surface: Surface) -> float:
    corner = surface.mesh.positions[surface.mesh.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    return float(np.linalg.norm(normal, axis=1).sum() / 2)


def _is_flat(part: Part, eye_m: float) -> bool:
    low, high = part.bounds
    height, width = high[1] - low[1], max(high[0] - low[0], high[2] - low[2])
    return bool(high[1] > eye_m - 1.2 and height < min(1.0, 0.3 * width))


def count_objects(scene: Scene, frame: Frame) -> int:
    """Visible instances that are movable."""
    return sum(scene.parts[instance - 1].movable for instance in visible_instances(frame))


def sky_above(renderer: Renderer, scene: Scene) -> float:
    """Share of sky in the view straight up from the start pose."""
    up = np.eye(4)
    up[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    _, instance = renderer.render_masks(scene, up, size=_PROBE_SIZE)
    return float((instance == 0).mean())


def measured_tags(objects: int, sky: float) -> list[str]:
    """The tags that hold, by the rules in the module's docstring.

    Example:
        >>> measured_tags(40, 0.0), measured_tags(3, 0.8)
        (['object-rich'], ['outdoor'])
    """
    held = {"object-rich": objects >= MIN_OBJECTS, "outdoor": sky >= MIN_SKY_ABOVE}
    return [tag for tag, holds in held.items() if holds]


def free_space_m(renderer: Renderer, scene: Scene, poses: ArrayLike) -> float:
    """Least distance from the path to anything seen along it, from depth maps in the direction of travel.

    An independent witness to `clearance_m`, which goes by bounding boxes: this one sees what was drawn.

    Args:
        renderer: Any size.
        scene: The place.
        poses: (T, 4, 4) camera-to-world, metres.

    Returns:
        Metres; below 0.4 something stands in the way.
    """
    stops = _stops(np.asarray(poses, np.float64)[:, :3, 3])
    ends = [_leg_end(stops, index) for index in range(len(stops) - 1)]
    return min(_nearest_m(renderer, scene, a, b) for a, b in zip(stops, ends, strict=False))


def _stops(path: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Places about `LEG_M` apart along the path."""
    stops = [path[0]]
    for place in path:
        if np.linalg.norm(place - stops[-1]) >= LEG_M:
            stops.append(place)
    return stops


def _leg_end(stops: list[NDArray[np.float64]], index: int) -> NDArray[np.float64]:
    """Where the straight leg ends that the path takes from a stop."""
    ahead = stops[index + 1] - stops[index]
    end = stops[index + 1]
    for place in stops[index + 2 :]:
        step = place - end
        if step @ ahead < 0.996 * np.linalg.norm(step) * np.linalg.norm(ahead):
            break
        end = place
    return end


def _nearest_m(renderer: Renderer, scene: Scene, start: NDArray[np.float64], end: NDArray[np.float64]) -> float:
    """Distance from the segment to the nearest point seen from its start when looking along it."""
    ahead = (end - start) / np.linalg.norm(end - start)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([np.cross([0.0, 1.0, 0.0], ahead), [0.0, 1.0, 0.0], ahead], axis=1)
    pose[:3, 3] = start
    depth, _ = renderer.render_masks(scene, pose, size=_PROBE_SIZE)
    reach_x, reach_y = view_reach(*_PROBE_SIZE)
    rows, columns = (np.linspace(-1, 1, n) for n in depth.shape)
    across = np.hypot(columns[None, :] * reach_x, rows[:, None] * reach_y)
    seen = np.isfinite(depth)
    beyond = np.maximum(depth[seen] - np.linalg.norm(end - start), 0.0)
    return float(np.hypot(across[seen] * depth[seen], beyond).min(initial=np.inf))
