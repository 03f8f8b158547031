"""The `paper` pair protocol: the text of the paper's Eq. 1-4, with its constants and nothing it does not say.

Eq. 1: a revisit is a pair of frames at least `max(0.2 T, 10)` apart whose poses agree within `tau_pos` and `tau_rot`;
    one best earlier frame, by combined pose difference, for each later frame.
Eq. 2: a baseline is a pair of which neither frame lies within `eta = max(10, floor(T / 20))` of any frame of any
    revisit, and which does not satisfy Eq. 1 itself.
Eq. 3: at most one baseline for each revisit, its gap within `delta = max(10, round(0.3 gap))` of the revisit's.
Eq. 4: short pairs, 2 to `max(6, floor(0.02 T))` frames apart.

T is the length after trimming still frames at both ends. On an out-and-back path the revisits cover so much of the
video that Eq. 2 leaves no baseline for any of them: the pair set then has none and says so. What a relaxed exclusion
rule would give is counted beside it and never used: `pair` keeps a pair away from a revisit only if both ends are near
that revisit's ends, `pair_plus` also keeps frames out that are ends themselves.

The text does not say which of several candidates of a revisit is taken; here it is one with the least gap error,
chosen by the seed, that no earlier revisit has.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from revisit_metric.pairs.geometry import Pair, Sample, Thresholds, Track, gap_window, short_pairs
from revisit_metric.trajectory import Poses, trim_static

Tier = Literal["literal", "pair", "pair_plus"]
"""Exclusion rules, from the text's to the weakest."""

Allowed = NDArray[np.bool_]
"""`(T, T)`: whether (u, v) may be a baseline; false unless u < v."""


class CandidateCount(NamedTuple):
    """How many baselines one exclusion rule leaves for the revisits.

    Attributes:
        n_revisit: Revisits asked about.
        n_matched: Those with at least one candidate.
        least: Fewest candidates of any revisit.
        median: Median of the candidates' numbers, rounded down.
        most: Most candidates of any revisit.
    """

    n_revisit: int
    n_matched: int
    least: int
    median: int
    most: int


def sample(poses: Poses, *, n_video: int, seed: int, cap: int | None) -> Sample:
    """Choose the paper's pairs; `pairs.sample_pairs` says what the arguments are."""
    kept = trim_static(poses[:n_video], leading=True, trailing=True)
    track = Track.of(poses[kept])
    n = len(track)
    found, every = revisits(track) if track.leaves() else ([], np.zeros((n, n), dtype=bool))
    revisit = found
    if cap is not None and len(found) > cap:
        revisit = sorted(random.Random(seed).sample(found, cap), key=lambda pair: (pair[1], pair[0]))
    eta = max(10, n // 20)
    # A cap thins the revisits that are scored; baselines keep clear of all that were found.
    allowed = {tier: allowed_pairs(found, every, n, tier=tier) for tier in get_args(Tier)}
    baseline = _one_each(revisit, allowed["literal"], seed=seed)
    counts = {tier: count_candidates(found, pairs) for tier, pairs in allowed.items()}
    return Sample(
        n_frames=n,
        revisit=_shifted(revisit, kept.start),
        baseline=_shifted(baseline, kept.start),
        short=_shifted(short_pairs(n, len(revisit), seed=seed), kept.start) if track.leaves() else (),
        thresholds=Thresholds(*track.tolerances(), _min_gap(n), eta),
        tier="literal",
        matched_rate=len(baseline) / len(revisit) if revisit else None,
        notes=(*track.notes(), *(_notes(revisit, baseline, counts) if track.leaves() else ())),
        details={
            "first_frame": int(kept.start),
            "n_satisfying_eq1": int(every.sum()),
            "candidates": {tier: count._asdict() for tier, count in counts.items()},
        },
    )


def revisits(track: Track) -> tuple[list[Pair], Allowed]:
    """Return the best earlier frame of each later one, and all pairs `(T, T)` that satisfy Eq. 1."""
    frames = np.arange(len(track))
    costs = track.costs(frames, frames, tolerances=track.tolerances(), min_gap=_min_gap(len(track)))
    every = np.isfinite(costs).T
    best = costs.argmin(axis=1)
    return [(int(best[later]), int(later)) for later in np.flatnonzero(every.any(axis=0))], every


def allowed_pairs(revisit: Sequence[Pair], every: Allowed, n_frames: int, *, tier: Tier) -> Allowed:
    """Return which pairs Eq. 2 allows as baselines under one exclusion rule.

    Args:
        revisit: The revisits that are kept clear of.
        every: Pairs that satisfy Eq. 1.
        n_frames: T.
        tier: The rule.
    """
    allowed = np.triu(np.ones((n_frames, n_frames), dtype=bool), 1) & ~every
    ends = np.zeros(n_frames, dtype=bool)
    ends[[frame for pair in revisit for frame in pair]] = True
    eta = max(10, n_frames // 20)
    if tier == "literal":
        free = free_frames(ends, eta)
        return allowed & free[:, None] & free[None]
    for earlier, later in revisit:
        allowed[max(0, earlier - eta) : earlier + eta + 1, max(0, later - eta) : later + eta + 1] = False
    return allowed & ~ends[:, None] & ~ends[None] if tier == "pair_plus" else allowed


def free_frames(ends: NDArray[np.bool_], eta: int) -> NDArray[np.bool_]:
    """Return which frames lie further than `eta` from every end of a revisit."""
    near = np.convolve(ends, np.ones(2 * eta + 1, dtype=np.int64), mode="full")[eta : eta + len(ends)]
    free: NDArray[np.bool_] = near == 0
    return free


def count_candidates(revisit: Sequence[Pair], allowed: Allowed) -> CandidateCount:
    """Count, for each revisit, the allowed pairs with about its gap (Eq. 3)."""
    if not revisit:
        return CandidateCount(0, 0, 0, 0, 0)
    n = len(allowed)
    of_gap = np.array([np.count_nonzero(allowed.diagonal(gap)) for gap in range(n)])
    up_to = np.concatenate([[0], np.cumsum(of_gap)])
    windows = [_window(pair, n) for pair in revisit]
    counts = np.array([up_to[high + 1] - up_to[low] for low, high in windows])
    least, median, most = int(counts.min()), int(np.median(counts)), int(counts.max())
    return CandidateCount(len(revisit), int((counts > 0).sum()), least, median, most)


def _one_each(revisit: Sequence[Pair], allowed: Allowed, *, seed: int) -> list[Pair]:
    rng = random.Random(seed)
    taken = np.zeros_like(allowed)
    chosen = []
    for pair in revisit:
        candidates = _closest(pair, allowed & ~taken)
        if candidates:
            chosen.append(rng.choice(candidates))
            taken[chosen[-1]] = True
    return chosen


def _closest(revisit: Pair, allowed: Allowed) -> list[Pair]:
    """The allowed pairs with the least gap error, ascending."""
    gap = revisit[1] - revisit[0]
    low, high = _window(revisit, len(allowed))
    for near in sorted(range(low, high + 1), key=lambda other: (abs(other - gap), other)):
        anchors = np.flatnonzero(allowed.diagonal(near))
        if anchors.size:
            return [(int(anchor), int(anchor) + near) for anchor in anchors]
    return []


def _window(pair: Pair, n_frames: int) -> tuple[int, int]:
    return gap_window(pair[1] - pair[0], n_frames, share=0.3, least=10)


def _min_gap(n_frames: int) -> float:
    return max(0.2 * n_frames, 10.0)


def _shifted(pairs: Sequence[Pair], start: int) -> tuple[Pair, ...]:
    return tuple((earlier + start, later + start) for earlier, later in pairs)


def _notes(revisit: Sequence[Pair], baseline: Sequence[Pair], counts: Mapping[Tier, CandidateCount]) -> Iterator[str]:
    if not revisit:
        yield "no revisit: the commanded camera never comes back to an earlier pose after leaving it"
    elif not baseline:
        relaxed = ", ".join(f"{tier} {counts[tier].n_matched}" for tier in ("pair", "pair_plus"))
        yield (
            f"no baseline: Eq. 2 excludes every candidate of all {len(revisit)} revisits, so MG and NMR do not exist "
            f"(revisits that a relaxed rule would match: {relaxed})"
        )
    elif len(baseline) < len(revisit):
        yield f"{len(baseline)} of {len(revisit)} revisits have a baseline; Eq. 2 leaves none for the others"
