"""Scripts on a model's grid: actions frame by frame, in equal blocks, and the paths they lead along.

Conventions: as in `protocol`. Nothing here knows a model; steps and block sizes are arguments.
"""

import math
from collections.abc import Sequence

import numpy as np

from adapters.protocol import AdapterError, Instance
from revisit_metric.script import TRANSLATIONS
from revisit_metric.trajectory import Poses, Segment, rotation_angle_deg, step_lengths_m

WASD = {"forward": "w", "back": "s", "left": "a", "right": "d"}
"""Keys of the translations: a and d strafe."""

IJKL = {"pitch_up": "i", "pitch_down": "k", "yaw_left": "j", "yaw_right": "l"}
"""Keys of the rotations."""

KEYS = WASD | IJKL

_AXES = {action: i // 2 for i, action in enumerate(KEYS)}
_SIGNS = {action: 1 - 2 * (i % 2) for i, action in enumerate(KEYS)}
"""Opposite actions stand side by side in the two key tables above."""

PACES = ("hold", "match")
"""`hold`: a key is down throughout its segment, at the model's own speed. `match`: it is down in so many
frames that the distance comes nearest to the requested one."""


def frame_actions(script: Sequence[Segment], length: int) -> list[str]:
    """One action a frame, filled up with "hold" to `length`.

    Raises:
        AdapterError: The script is longer.

    Example:
        >>> frame_actions([Segment("forward", 2), Segment("yaw_left", 1)], 5)
        ['forward', 'forward', 'yaw_left', 'hold', 'hold']
    """
    actions = [segment.action for segment in script for _ in range(segment.frames)]
    if len(actions) > length:
        raise AdapterError(f"a script of {len(actions)} frames does not fit into {length}")
    return actions + ["hold"] * (length - len(actions))


def paced_actions(instance: Instance, length: int, *, pace: str, metres: float, degrees: float) -> list[str]:
    """One action a frame at the model's fixed steps, see `PACES`.

    Args:
        instance: With a script.
        length: Number of actions, at least that of the script's steps.
        pace: "hold" or "match".
        metres: The model's step, metres a frame.
        degrees: The model's turn, degrees a frame.
    """
    actions = frame_actions(instance.actions(), length)
    if pace == "hold":
        return actions
    moves = step_lengths_m(instance.poses) / metres
    turns = rotation_angle_deg(instance.poses) / degrees
    # Signed, one account an axis: what a segment leaves over is settled when the camera comes back along it.
    owed = dict.fromkeys(_AXES.values(), 0.0)
    for frame, action in enumerate(actions[: instance.n_frames - 1]):
        if action == "hold":
            continue
        axis, sign = _AXES[action], _SIGNS[action]
        owed[axis] += sign * (moves[frame] if action in TRANSLATIONS else turns[frame])
        if sign * owed[axis] >= 0.5:
            owed[axis] -= sign
        else:
            actions[frame] = "hold"
    return actions


def without_holds(script: Sequence[Segment]) -> list[Segment]:
    """The script for a model that cannot stand still: the time of a hold goes to the segment before it.

    Raises:
        AdapterError: The script begins with a hold.

    Example:
        >>> without_holds([Segment("left", 3), Segment("hold", 1)])
        [Segment(action='left', frames=4)]
    """
    moving: list[Segment] = []
    for segment in script:
        if segment.action != "hold":
            moving.append(segment)
        elif moving:
            moving[-1] = Segment(moving[-1].action, moving[-1].frames + segment.frames)
        else:
            raise AdapterError("the script begins with a hold, and this model has no action for standing still")
    return moving


def in_blocks(script: Sequence[Segment], n_blocks: int) -> list[Segment]:
    """The script stretched to `n_blocks` equal blocks, one action each; `frames` counts blocks.

    Ends of segments are rounded to the nearest block, the script's end to the last one. A hold may vanish.

    Raises:
        AdapterError: A moving segment would vanish.

    Example:
        >>> in_blocks([Segment("right", 240), Segment("left", 240)], 15)
        [Segment(action='right', frames=8), Segment(action='left', frames=7)]
    """
    total = sum(segment.frames for segment in script)
    blocks, end, passed = [], 0, 0
    for number, segment in enumerate(script, start=1):
        passed += segment.frames
        start, end = end, round(passed * n_blocks / total)
        if end > start:
            blocks.append(Segment(segment.action, end - start))
        elif segment.action != "hold":
            raise AdapterError(
                f"segment {number}, '{segment.action} {segment.frames}f', is too short: "
                f"this model takes one action for {total / n_blocks:.4g} frames"
            )
    return blocks


def ground_path(actions: Sequence[str], *, metres: float, degrees: float, pitch_limit: float | None = None) -> Poses:
    """The path of a walker, as games integrate it.

    Heading about the world's vertical, pitch about the camera's own x axis, steps in the ground plane whatever the
    pitch.

    Args:
        actions: One a frame; action i leads from pose i to i + 1.
        metres: Step of a translation.
        degrees: Step of a rotation.
        pitch_limit: Largest pitch either way, degrees.

    Returns:
        `(1 + len(actions), 4, 4)`.

    Example:
        >>> ground_path(["yaw_right"], metres=0.05, degrees=2.0)[1, 0, 2].round(5).item()
        0.0349
    """
    limit = math.inf if pitch_limit is None else pitch_limit
    yaw, pitch, position = 0.0, 0.0, np.zeros(3)
    poses = [np.eye(4)]
    for action in actions:
        yaw += degrees * ((action == "yaw_right") - (action == "yaw_left"))
        pitch += degrees * ((action == "pitch_up") - (action == "pitch_down"))
        pitch = min(max(pitch, -limit), limit)
        pose = _walker(yaw, pitch)
        ahead = metres * ((action == "forward") - (action == "back"))
        aside = metres * ((action == "right") - (action == "left"))
        heading = math.radians(yaw)
        position = position + np.array(
            [
                math.sin(heading) * ahead + math.cos(heading) * aside,
                0.0,
                math.cos(heading) * ahead - math.sin(heading) * aside,
            ]
        )
        pose[:3, 3] = position
        poses.append(pose)
    return np.stack(poses)


def _walker(yaw: float, pitch: float) -> Poses:
    """Camera-to-world `(4, 4)` at the origin, degrees."""
    cy, sy = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    cp, sp = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))
    return np.array(
        [[cy, sy * sp, sy * cp, 0.0], [0.0, cp, -sp, 0.0], [-sy, cy * sp, cy * cp, 0.0], [0.0, 0.0, 0.0, 1.0]]
    )


def one_hot(actions: Sequence[str], columns: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Which action is on at which frame: float32 `(len(actions), len(columns))`, 0 or 1.

    Example:
        >>> one_hot(["left", "hold"], ["forward", "left"]).tolist()
        [[0.0, 1.0], [0.0, 0.0]]
    """
    return np.array([[action == column for column in columns] for action in actions], np.float32)
