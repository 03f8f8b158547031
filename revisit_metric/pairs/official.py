"""The `official` pair protocol: what the benchmark's released sampler does, index for index.

It walks the trajectory's motion segments and, for every later frame and every earlier segment, takes the one earlier
frame with the smallest pose difference; keeps gaps of a fifth of the video or more; draws at most `cap` of them. Each
baseline starts in the same tenth of the video as its revisit and has about its gap; where fewer than 20 come out, the
first revisits are walked again with a wider window until there are 20. Differences from the paper's text: matching
per segment (frame 0 belongs to none), trailing trim only, exclusion per pair instead of per frame, the cap, the top-up.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.pairs.geometry import Pair, Sample, Thresholds, Track, distance_m, gap_window, short_pairs
from revisit_metric.trajectory import STATIC_ROTATION_DEG, STATIC_STEP_M, Poses, trim_static

MATCH_GAP = 10
N_BINS = 10
MIN_BASELINES = 20
MAX_ATTEMPTS = 500


class Segment(NamedTuple):
    """A stretch of one kind of motion, first to last frame: `W` or `S` along an axis, `R` or `L` a turn."""

    first: int
    last: int
    label: str

    def frames(self) -> "np.ndarray[Any, np.dtype[np.int64]]":
        """Its frame indices, ascending."""
        return np.arange(self.first, self.last + 1)


def sample(poses: Poses, *, n_video: int, seed: int, cap: int | None) -> Sample:
    """Choose the official pairs; `pairs.sample_pairs` says what the arguments are."""
    track = Track.of(poses[trim_static(poses, leading=False, trailing=True)])
    n = min(n_video, len(track))
    tolerances = track.tolerances()
    segments = motion_segments(track)
    leaves = track.leaves()
    # The released code calls all frames of such a path revisits of each other.
    matched, fallback = _matches(track, segments, tolerances) if leaves else ([], False)
    min_gap = int(n * 0.2)
    revisit = [(i, j) for i, j in sorted(set(matched), key=lambda p: (p[1], p[0])) if j < n and j - i >= min_gap]
    n_candidates = len(revisit)
    if cap is not None and n_candidates > cap:
        revisit = random.Random(seed).sample(revisit, cap)
    baselines = Baselines(revisit, n, seed=seed)
    thresholds = Thresholds(*tolerances, float(min_gap), baselines.radius)
    return Sample(
        n_frames=n,
        revisit=tuple(revisit),
        baseline=tuple(baselines.chosen),
        short=short_pairs(n, len(revisit), seed=seed) if leaves else (),
        thresholds=thresholds,
        tier="pair_plus",
        matched_rate=len(baselines.chosen) / len(revisit) if revisit else None,
        notes=(*track.notes(), *(_notes(revisit, baselines) if leaves else ())),
        details={
            "n_matched": len(matched),
            "n_candidates": n_candidates,
            "brute_force": fallback,
            "segments": [list(segment) for segment in segments],
            "n_strict_baseline": baselines.n_strict,
            "n_topped_up_baseline": len(baselines.chosen) - baselines.n_strict,
        },
    )


def motion_segments(track: Track) -> list[Segment]:
    """Split a track into stretches of one kind of motion; still frames stay in the running stretch.

    The yaw step is not unwrapped, and sideways motion counts as `W` or `S` by the sign of its largest component: both
    as released.
    """
    starts: list[tuple[int, str]] = []
    for frame, label in enumerate(_labels(track), 1):
        if label and (not starts or starts[-1][1] != label):
            starts.append((frame, label))
    lasts = [frame - 1 for frame, _ in starts[1:]] + [len(track) - 1]
    return [Segment(first, last, label) for (first, label), last in zip(starts, lasts, strict=False)]


def _labels(track: Track) -> Iterator[str]:
    steps = track.position[1:] - track.position[:-1]
    lengths = distance_m(track.position[1:], track.position[:-1])
    turns = track.yaw[1:] - track.yaw[:-1]
    for step, length, turn in zip(steps, lengths, turns, strict=True):
        if length > STATIC_STEP_M and abs(turn) < STATIC_ROTATION_DEG:
            yield "W" if step[np.argmax(np.abs(step))] > 0 else "S"
        elif abs(turn) > STATIC_ROTATION_DEG:
            yield "R" if turn > 0 else "L"
        else:
            yield ""


def _matches(track: Track, segments: Sequence[Segment], tolerances: tuple[float, float]) -> tuple[list[Pair], bool]:
    """Return the matches, and whether brute force over all pairs found more than the segments' fewer than three."""
    found: list[Pair] = []
    for number, later in enumerate(segments):
        for earlier in segments[:number]:
            found.extend(_best_matches(track, earlier, later, tolerances))
    if len(found) >= 3:
        return found, False
    every = np.arange(len(track))
    costs = track.costs(every, every, tolerances=tolerances, min_gap=MATCH_GAP)
    brute = [(int(i), int(j)) for j, i in np.argwhere(np.isfinite(costs))]
    return (brute, True) if len(brute) > len(found) else (found, False)


def _best_matches(track: Track, earlier: Segment, later: Segment, tolerances: tuple[float, float]) -> Iterator[Pair]:
    costs = track.costs(later.frames(), earlier.frames(), tolerances=tolerances, min_gap=MATCH_GAP)
    best = costs.argmin(axis=1)
    for row in np.flatnonzero(np.isfinite(costs.min(axis=1))):
        yield earlier.first + int(best[row]), later.first + int(row)


class Baselines:
    """Gap-matched pairs that are no revisits.

    Attributes:
        chosen: The pairs, in the order they were found.
        n_strict: How many were found by the first walk; the rest topped the list up.
        radius: Frames that a baseline stays away from a revisit, at both of its ends at once.
    """

    def __init__(self, revisit: Sequence[Pair], n_frames: int, *, seed: int) -> None:
        self.radius = max(10, n_frames // 20)
        self.chosen: list[Pair] = []
        ends = {frame for pair in revisit for frame in pair}
        self._near = _near_revisits(revisit, n_frames, self.radius)
        self._near[list(ends), :] = self._near[:, list(ends)] = True
        self._taken: set[Pair] = set()
        self._n = n_frames
        self._rng = random.Random(seed)
        self._bin_size = max(1, -(-n_frames // N_BINS))
        self._bins: dict[int, list[int]] = defaultdict(list)
        for frame in range(n_frames):
            if frame not in ends:
                self._bins[frame // self._bin_size].append(frame)
        for pair in revisit:
            self._match(pair)
        self.n_strict = len(self.chosen)
        for pair in revisit:
            self._top_up(pair)

    def _match(self, revisit: Pair) -> None:
        """Take the allowed pair with the smallest gap error among the attempts."""
        gap = revisit[1] - revisit[0]
        best: tuple[int, Pair] | None = None
        for pair in self._attempts(revisit, share=0.3, least=10):
            error = abs(pair[1] - pair[0] - gap)
            if best is None or error < best[0]:
                best = error, pair
            if error == 0:
                break
        if best is not None:
            self._take(best[1])

    def _top_up(self, revisit: Pair) -> None:
        """Take every allowed pair until there are enough."""
        if len(self.chosen) >= MIN_BASELINES:
            return
        for pair in self._attempts(revisit, share=0.5, least=3):
            self._take(pair)
            if len(self.chosen) >= MIN_BASELINES:
                return

    def _attempts(self, revisit: Pair, *, share: float, least: int) -> Iterator[Pair]:
        low, high = gap_window(revisit[1] - revisit[0], self._n, share=share, least=least)
        anchors = self._anchors(revisit[0])
        anchors = [u for u in anchors if u + high < self._n] or [u for u in anchors if u + low < self._n]
        for _ in range(MAX_ATTEMPTS if anchors else 0):
            anchor = self._rng.choice(anchors)
            pair = (anchor, anchor + self._rng.randint(low, high))
            if self._allowed(pair):
                yield pair

    def _anchors(self, frame: int) -> list[int]:
        home, around = frame // self._bin_size, 0
        anchors = self._bins[home]
        while len(anchors) < 2 and around < N_BINS:
            around += 1
            anchors = [u for near in range(home - around, home + around + 1) for u in self._bins[near]]
        return anchors

    def _allowed(self, pair: Pair) -> bool:
        return pair[1] < self._n and not self._near[pair] and pair not in self._taken

    def _take(self, pair: Pair) -> None:
        self.chosen.append(pair)
        self._taken.add(pair)


def _near_revisits(revisit: Sequence[Pair], n_frames: int, radius: int) -> NDArray[np.bool_]:
    """Return `(T, T)`: whether (u, v) lies beside a revisit at both of its ends at once."""
    near = np.zeros((n_frames, n_frames), dtype=bool)
    for i, j in revisit:
        near[max(0, i - radius) : i + radius + 1, max(0, j - radius) : j + radius + 1] = True
    return near


def _notes(revisit: Sequence[Pair], baselines: Baselines) -> Iterator[str]:
    if not revisit:
        yield "no revisit: the commanded camera never comes back to an earlier pose after leaving it"
    elif not baselines.chosen:
        yield "no baseline: every gap-matched pair lies beside a revisit"
    topped_up = len(baselines.chosen) - baselines.n_strict
    if topped_up:
        yield f"{topped_up} of {len(baselines.chosen)} baselines top the list up, with gaps matched less closely"
