"""Rollouts of known memory: frames, and beside them what was forgotten, where and when.

Conventions: frames are uint8 RGB (H, W, 3); poses camera-to-world OpenCV; frame i shows realised pose i. An
instance is *out of view* when its bounding boxes (one a surface) lie wholly outside the view. A forgetful
world re-seeds an instance once it has been seen and then out of view for `FORGET_AFTER` frames, at the check
(every `CHECK_EVERY` frames) that finds it so; it can happen again after it was seen again. A re-seeding
never shows in the frame in which it happens: parts that moved, and the sun shadows of both states, are kept
out of the present view, else only the look changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.camera import box_corners, clip_matrix, outside_view
from revisit_metric.controls.faults import Fault, Freedom, is_forgotten, new_look, realised_poses
from revisit_metric.controls.renderer import Renderer
from revisit_metric.controls.scene import Part, Scene
from revisit_metric.controls.table import Change, PartTable, moved_bounds

FORGET_AFTER = 30
CHECK_EVERY = 10
PROBE_SIZE = (160, 90)


@dataclass(frozen=True)
class Event:
    """One re-seeding: from this frame on the instance differs.

    Attributes:
        frame: first frame that is drawn with the change.
        instance: which part.
        moved: whether its geometry changed, too.
    """

    frame: int
    instance: int
    moved: bool


@dataclass
class GroundTruth:
    """What truly happened in a rollout; complete once all frames were drawn.

    Attributes:
        fault: the fault.
        poses: (T, 4, 4) realised poses.
        events: re-seedings in order of time; none unless the fault is forgetful.
        changed: frame -> share of the view's pixels that show another instance than a perfect world would,
            or one that was re-seeded; measured on every checked frame at 160 x 90.
    """

    fault: Fault
    poses: NDArray[np.float64]
    events: list[Event] = field(default_factory=list)
    changed: dict[int, float] = field(default_factory=dict)

    def reseeded_at(self, frame: int) -> list[int]:
        """Instances that were re-seeded at or before `frame`, sorted."""
        return sorted({e.instance for e in self.events if e.frame <= frame})

    def to_json(self) -> str:
        """A strict JSON text with every field."""
        record: dict[str, Any] = {
            "fault": {"text": str(self.fault), "seed": self.fault.seed},
            "poses": self.poses.tolist(),
            "events": [{"frame": e.frame, "instance": e.instance, "moved": e.moved} for e in self.events],
            "changed": {str(k): round(v, 6) for k, v in sorted(self.changed.items())},
        }
        return json.dumps(record, allow_nan=False)


class Rollout:
    """An iterator of frames with its ground truth; `truth` fills while it is read.

    Attributes:
        truth: the ground truth so far.
    """

    def __init__(self, frames: Iterator[NDArray[np.uint8]], truth: GroundTruth) -> None:
        self._frames = frames
        self.truth = truth

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return self._frames

    def __next__(self) -> NDArray[np.uint8]:
        return next(self._frames)

    def __len__(self) -> int:
        """Number of frames of the whole rollout."""
        return len(self.truth.poses)


def render_rollout(
    scene: Scene,
    poses: ArrayLike,
    *,
    fault: Fault,
    size: tuple[int, int] = (320, 180),
    supersample: int = 1,
    renderer: Renderer | None = None,
    progress: Callable[[int], None] | None = None,
) -> Rollout:
    """Draw a rollout of `scene` along `poses` with `fault`, frame by frame.

    Args:
        scene: the place.
        poses: (T, 4, 4) commanded camera-to-world poses, metres.
        fault: what is wrong with it.
        size: (width, height) of the frames; that of `renderer` where one is given.
        supersample: samples per pixel and direction; that of `renderer` where one is given.
        renderer: reused and left open; else one is opened for this rollout and closed after the last frame.
        progress: called with the number of frames drawn so far.

    Returns:
        An iterator over T frames, uint8 (H, W, 3), with `.truth`.

    Raises:
        ValueError: poses of another shape.
        MissingRenderer: on the first frame, when no renderer was given and none can be opened.

    Example:
        >>> from revisit_metric.controls import build_scene, parse_fault
        >>> path = np.tile(np.eye(4), (81, 1, 1))
        >>> rollout = render_rollout(build_scene("shape_gallery", 0), path, fault=parse_fault("static"))
        >>> len(rollout), len(rollout.truth.events)
        (81, 0)
    """
    commanded = np.asarray(poses, np.float64)
    if commanded.ndim != 3 or commanded.shape[1:] != (4, 4) or not len(commanded):
        raise ValueError(f"poses have shape {commanded.shape}, expected (T, 4, 4) with T of at least 1")
    truth = GroundTruth(fault, realised_poses(commanded, fault))

    def frames() -> Iterator[NDArray[np.uint8]]:
        opened = Renderer(size=size, supersample=supersample) if renderer is None else nullcontext(renderer)
        with opened as active:
            for number, frame in enumerate(_frames(scene, truth, active), start=1):
                if progress is not None:
                    progress(number)
                yield frame

    return Rollout(frames(), truth)


def _frames(scene: Scene, truth: GroundTruth, renderer: Renderer) -> Iterator[NDArray[np.uint8]]:
    if truth.fault.kind == "static":
        still = renderer.render_rgb(scene, truth.poses[0])
        yield from (still.copy() for _ in truth.poses)
        return
    if truth.fault.kind != "forgetful":
        yield from (renderer.render_rgb(scene, pose) for pose in truth.poses)
        return
    memory = Memory(scene, truth)
    for frame, pose in enumerate(truth.poses):
        memory.watch(frame, pose, renderer)
        yield renderer.render_rgb(scene, pose, table=memory.table)


class Memory:
    """The state of a forgetful world: who was seen when, and how everybody looks now.

    Args:
        scene: as built.
        truth: receives events and changed shares.
    """

    def __init__(self, scene: Scene, truth: GroundTruth) -> None:
        self.table = PartTable(scene)
        self._scene, self._truth = scene, truth
        self._corners = box_corners(scene.surface_bounds)
        self._forgotten = np.array([is_forgotten(truth.fault, p.instance) for p in scene.parts])
        self._lowest = scene.surface_bounds[:, 1, 1].max()
        self._seen = np.zeros(len(scene.parts), bool)
        self._out_since = np.zeros(len(scene.parts), int)
        self._times = np.zeros(len(scene.parts), int)

    def watch(self, frame: int, pose: NDArray[np.float64], renderer: Renderer) -> None:
        """Note what is in view at `frame` and, at a check, forget what has been out of it for long enough."""
        clip = clip_matrix(pose, *renderer.size)
        # The original boxes decide, so that who is re-seeded when does not depend on the dose.
        inside = ~self._scene.all_of_part(outside_view(self._corners, clip))
        self._out_since[inside] = frame + 1
        if frame % CHECK_EVERY:
            return
        due = self._seen & self._forgotten & (frame + 1 - self._out_since >= FORGET_AFTER)
        for index in np.flatnonzero(due):
            self._reseed(int(index), frame, clip)
        original = renderer.render_masks(self._scene, pose, size=PROBE_SIZE)[1]
        present = np.unique(original[original > 0]).astype(int) - 1
        self._seen[present] = True
        self._truth.changed[frame] = self._changed_share(original, pose, renderer)

    def _reseed(self, index: int, frame: int, clip: NDArray[np.float64]) -> None:
        part = self._scene.parts[index]
        change = new_look(self._truth.fault.seed, part.instance, int(self._times[index]), freedom=self._freedom(part))
        if (change.moves or part.has_holes) and not self._stays_unseen(index, change, clip):
            # Another leaf texture would draw another shadow.
            change = Change(change.tint, 0 if part.has_holes else change.layer_shift)
        self.table.apply(part.instance, change)
        self._times[index] += 1
        self._seen[index] = False
        self._truth.events.append(Event(frame, part.instance, change.moves))

    def _freedom(self, part: Part) -> Freedom:
        if not part.movable:
            return "none"
        return "stands" if part.bounds[1, 1] > self._scene.eye_m - 0.15 else "hangs"

    def _stays_unseen(self, index: int, change: Change, clip: NDArray[np.float64]) -> bool:
        """Whether neither the part nor its shadow, as it is and as it will be, can be in view."""
        part = self._scene.parts[index]
        mine = slice(self._scene.first_surface[index], self._scene.first_surface[index + 1])
        original = self._scene.surface_bounds[mine]
        corners = box_corners(np.concatenate([self.table.bounds[mine], moved_bounds(original, part.pivot, change)]))
        sun = np.asarray(self._scene.light.to_sun)
        fall = (self._lowest - corners[..., 1:2]) / min(sun[1], -0.05)
        shadow = corners + fall * sun
        swept = np.concatenate([corners, shadow], axis=1)
        return bool(outside_view(swept, clip).all())

    def _changed_share(self, original: NDArray[np.uint32], pose: NDArray[np.float64], renderer: Renderer) -> float:
        if not self._times.any():
            return 0.0
        now = renderer.render_masks(self._scene, pose, table=self.table, size=PROBE_SIZE)[1]
        touched = np.concatenate([[False], self._times > 0])
        return float(((now != original) | touched[now]).mean())
