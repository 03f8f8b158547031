"""Which frames show whether a camera did as it was told: chosen from the commanded poses alone.

Conventions: frames are counted from pose 0. Commanded motion is measured in steps of `STEP_M` or `STEP_DEG`.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.trajectory import Poses, rotation_angle_deg, step_lengths_m

STEP_M = 0.35
STEP_DEG = 8.0
MAX_STEPS = 48
VIEWS_OF_FIRST = 16
MAX_RETURNS = 8

RETURN_POSITION_M = 0.05
RETURN_ANGLE_DEG = 1.0
"""Commanded poses that differ by no more coincide."""

LEFT_STEPS = 2.0
"""A return has to leave its pose by so many steps in between."""


class Plan(NamedTuple):
    """The pairs of frames to look at: the first frame against `looks`, steps, and returns."""

    looks: tuple[int, ...]
    steps: tuple[tuple[int, int], ...]
    returns: tuple[tuple[int, int], ...]

    def frames(self) -> list[int]:
        """All frames needed, ascending."""
        pairs = [*self.steps, *self.returns]
        return sorted({0, *self.looks, *(frame for pair in pairs for frame in pair)})


def plan(poses: Poses) -> Plan:
    """Choose the frames to look at from the commanded poses `(T, 4, 4)` alone.

    Example:
        >>> from revisit_metric.templates import template
        >>> course = plan(template("out_and_back").poses())
        >>> len(course.steps), course.returns[0]
        (41, (0, 480))
    """
    length = np.concatenate([[0.0], np.cumsum(step_lengths_m(poses) / STEP_M + rotation_angle_deg(poses) / STEP_DEG)])
    n_steps = min(int(length[-1]), MAX_STEPS)
    if n_steps == 0:
        return Plan((), (), ())
    spacing = max(1.0, float(length[-1]) / MAX_STEPS)
    levels = np.arange(n_steps + 1) * spacing - 1e-9
    keys = np.unique(np.searchsorted(length, levels).clip(max=len(poses) - 1)).tolist()
    looks = [keys[i] for i in np.unique(np.linspace(1, len(keys) - 1, VIEWS_OF_FIRST).round().astype(int))]
    return Plan(tuple(looks), tuple(itertools.pairwise(keys)), _returns(poses, keys))


def _returns(poses: Poses, keys: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns from keyframes spread over the path, each to the last frame that comes back to it."""
    found = []
    for start in keys:
        metres, degrees = _distances(poses, start)
        close = (metres <= RETURN_POSITION_M) & (degrees <= RETURN_ANGLE_DEG)
        left = np.maximum.accumulate(np.where(np.arange(len(poses)) > start, metres / STEP_M + degrees / STEP_DEG, 0.0))
        back = np.flatnonzero(close & (left >= LEFT_STEPS))
        if back.size:
            # Of the last run of close frames, the closest.
            last = back[back > back[-1] - 20]
            miss = metres[last] / RETURN_POSITION_M + degrees[last] / RETURN_ANGLE_DEG
            found.append((start, int(last[miss.argmin()])))
    if not found:
        return ()
    return tuple(found[i] for i in np.unique(np.linspace(0, len(found) - 1, MAX_RETURNS).round().astype(int)))


def _distances(poses: Poses, start: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance in metres and degrees of every pose from that of frame `start`."""
    metres = np.linalg.norm(poses[:, :3, 3] - poses[start, :3, 3], axis=1)
    cosine = (np.einsum("ij,tij->t", poses[start, :3, :3], poses[:, :3, :3]) - 1) / 2
    return metres, np.degrees(np.arccos(cosine.clip(-1, 1)))
