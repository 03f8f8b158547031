"""What both pair protocols measure on a trajectory: pose distances, adaptive thresholds, short pairs.

Conventions: arrays are float64; yaw in degrees, positions in metres. The official pair lists depend on the last bit of
these numbers (poses on the way back fall midway between those on the way out), so the order of operations is fixed and
nothing here goes through a matrix product.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.trajectory import Poses, translation_m, yaw_deg

Pair = tuple[int, int]
"""(earlier, later) frame indices."""

METRES_TO_COST = 10.0
"""The combined pose difference of a match is `yaw_deg + 10 * metres`."""

MAX_SHORT, MIN_SHORT = 100, 20
SHORTEST_GAP = 2


class Thresholds(NamedTuple):
    """What a protocol called the same pose, and how far apart in time.

    Attributes:
        tau_pos_m: Largest distance of a revisit, metres: `clip(2 P95(step), 0.1, 1)`.
        tau_rot_deg: Largest yaw difference of a revisit, degrees: `clip(2 P95(|yaw step|), 1, 5)`.
        min_gap_frames: Least gap of a revisit, frames.
        exclusion_frames: Radius around revisits that baselines stay clear of, frames.
    """

    tau_pos_m: float
    tau_rot_deg: float
    min_gap_frames: float
    exclusion_frames: int


class Sample(NamedTuple):
    """What a protocol's sampler returns; the fields are those of `pairs.PairSet`."""

    n_frames: int
    revisit: tuple[Pair, ...]
    baseline: tuple[Pair, ...]
    short: tuple[Pair, ...]
    thresholds: Thresholds
    tier: str
    matched_rate: float | None
    notes: tuple[str, ...]
    details: dict[str, Any]


@dataclass(frozen=True)
class Track:
    """The part of a trajectory a protocol looks at.

    Attributes:
        yaw: Yaw `(T,)`, degrees.
        position: Camera centres `(T, 3)`, metres.
        pitch: Elevation of the optical axis `(T,)`, degrees; no protocol matches on it.
    """

    yaw: NDArray[np.float64]
    position: NDArray[np.float64]
    pitch: NDArray[np.float64]

    @classmethod
    def of(cls, poses: Poses) -> "Track":
        """Return the track of camera-to-world poses `(T, 4, 4)`."""
        pitch = np.degrees(np.arcsin(np.clip(-poses[:, 1, 2], -1.0, 1.0)))
        return cls(yaw_deg(poses), translation_m(poses), pitch)

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.yaw)

    def tolerances(self) -> tuple[float, float]:
        """Return (tau_pos in metres, tau_rot in degrees), adapted to the trajectory's own speed."""
        if len(self) < 2:
            return 0.1, 1.0
        steps = distance_m(self.position[1:], self.position[:-1])
        turns = yaw_distance_deg(self.yaw[1:], self.yaw[:-1])
        tau_pos = np.clip(2.0 * np.percentile(steps, 95), 0.1, 1.0)
        tau_rot = np.clip(2.0 * np.percentile(turns, 95), 1.0, 5.0)
        return float(tau_pos), float(tau_rot)

    def leaves(self) -> bool:
        """Whether any frame is out of tolerance of the first: a camera that never leaves cannot come back."""
        tau_pos, tau_rot = self.tolerances()
        away = distance_m(self.position, self.position[:1])
        turned = yaw_distance_deg(self.yaw, self.yaw[:1])
        return bool(((away > tau_pos) | (turned > tau_rot)).any())

    def notes(self) -> Iterator[str]:
        """Yield what matching by position and yaw does not see on this track."""
        tau_pos, tau_rot = self.tolerances()
        if not self.leaves():
            yield (
                f"no pairs: all {len(self)} frames stay within {tau_pos:g} m and {tau_rot:g} deg of yaw of the first, "
                "so there is nothing to come back to"
            )
        if (span := float(np.ptp(self.pitch))) > tau_rot:
            yield f"pitch varies by {span:.1f} deg, which matching by position and yaw does not see"

    def costs(
        self, later: NDArray[np.int64], earlier: NDArray[np.int64], *, tolerances: tuple[float, float], min_gap: float
    ) -> NDArray[np.float64]:
        """Return the combined pose difference `(len(later), len(earlier))`, infinite where frames do not match."""
        away = distance_m(self.position[later][:, None], self.position[earlier][None])
        turned = yaw_distance_deg(self.yaw[later][:, None], self.yaw[earlier][None])
        gap = later[:, None] - earlier[None]
        matches = (gap >= min_gap) & (away <= tolerances[0]) & (turned <= tolerances[1])
        return np.where(matches, turned + METRES_TO_COST * away, np.inf)


def distance_m(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Euclidean distance over the last axis, squares summed from x to z."""
    d = a - b
    distance: NDArray[np.float64] = np.sqrt(d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1] + d[..., 2] * d[..., 2])
    return distance


def yaw_distance_deg(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Circular difference of two yaws, `[0, 180]` degrees."""
    distance: NDArray[np.float64] = np.abs((a - b + 180.0) % 360.0 - 180.0)
    return distance


def short_pairs(n_frames: int, n_revisit: int, *, seed: int) -> tuple[Pair, ...]:
    """Choose pairs a moment apart, anchored evenly over the video (Eq. 4 / released sampler).

    Args:
        n_frames: Effective length T.
        n_revisit: Number of revisit pairs; between 20 and 100 short pairs are aimed at.
        seed: Seed of the gaps, which run from 2 to `max(6, floor(0.02 T))`.

    Returns:
        Distinct pairs ordered by anchor; fewer than aimed at where the video is too short to hold them.
    """
    rng = random.Random(seed)
    n_anchors = n_frames - SHORTEST_GAP
    if n_anchors < 1:
        return ()
    longest = max(6, int(0.02 * n_frames))
    chosen: dict[Pair, None] = {}
    for place in np.linspace(0, n_anchors - 1, min(MAX_SHORT, max(MIN_SHORT, n_revisit))):
        anchor = round(float(place))
        room = min(longest, n_frames - 1 - anchor)
        free = any((anchor, anchor + gap) not in chosen for gap in range(SHORTEST_GAP, room + 1))
        while free:
            pair = (anchor, anchor + rng.randint(SHORTEST_GAP, room))
            if pair not in chosen:
                chosen[pair] = None
                break
    return tuple(chosen)


def gap_window(gap: int, n_frames: int, *, share: float, least: int) -> tuple[int, int]:
    """Return the gaps a control of a revisit with this gap may have, `gap -+ max(least, round(share * gap))`."""
    tolerance = max(least, round(share * gap))
    return max(1, gap - tolerance), min(n_frames - 1, gap + tolerance)
