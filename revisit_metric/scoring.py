"""One pass over a video: every needed frame decoded once, every backbone run once per frame, then pair arithmetic.

Frames stream in ascending order. A pair is scored as soon as its later frame has features; a feature is dropped after
the last pair that reads it. What stays in between lives in a `FeatureCache` under a memory budget.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.families.protocol import Backbone, Feature, Metric, Outcome, PairScore
from revisit_metric.feature_cache import FeatureCache

Pair = tuple[int, int]
PairOutcomes = dict[str, dict[Pair, Outcome]]
"""Metric name -> pair -> outcome."""

PAIR_CHUNK = 8
"""Pairs handed to `PairScore.compare` at once; bounds the working set beside the cache."""


class PassStatistics(NamedTuple):
    """What one pass cost."""

    n_frames: int
    n_pairs: int
    peak_cache_bytes: int
    n_spilled: int


class Schedule:
    """Which pairs each frame completes, and when each frame is needed next."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.pairs: tuple[Pair, ...] = tuple(sorted(set(pairs), key=lambda pair: (pair[1], pair[0])))
        self._completed: dict[int, list[Pair]] = defaultdict(list)
        uses: dict[int, set[int]] = defaultdict(set)
        for earlier, later in self.pairs:
            if not 0 <= earlier < later:
                raise ValueError(f"pair ({earlier}, {later}) is not (earlier, later) with indices from 0")
            self._completed[later].append((earlier, later))
            uses[earlier].add(later)
            uses[later].add(later)
        self._uses = {frame: sorted(at) for frame, at in uses.items()}

    @property
    def frames(self) -> list[int]:
        """All frames any pair reads, ascending."""
        return sorted(self._uses)

    def completed_by(self, frame: int) -> list[Pair]:
        """Pairs whose later frame is `frame`."""
        return self._completed.get(frame, [])

    def next_use(self, frame: int, *, after: int) -> int | None:
        """The first frame after `after` that completes a pair reading `frame`; `None` when there is none."""
        return next((at for at in self._uses[frame] if at > after), None)


def score_pairs(
    frames: Iterable[tuple[int, NDArray[np.uint8]]],
    schedule: Schedule,
    scores: Sequence[PairScore],
    backbones: Mapping[str, Backbone],
    *,
    memory_bytes: int,
    batch_size: int = 8,
    on_frame: Callable[[int], None] | None = None,
) -> tuple[PairOutcomes, PassStatistics]:
    """Score all pairs of one rollout in one pass.

    Args:
        frames: (index, RGB frame `(H, W, 3)` uint8) in ascending order: exactly `schedule.frames`.
        schedule: The pairs.
        scores: Pair scores to compute.
        backbones: The backbones those scores name.
        memory_bytes: Budget of the feature cache; changes speed, never values.
        batch_size: Frames per backbone call.
        on_frame: Called with the number of frames done, for progress.

    Returns:
        Outcomes per metric and pair, and what the pass cost.

    Raises:
        ValueError: If `frames` does not hold exactly the scheduled frames.
    """
    by_backbone: dict[str, list[PairScore]] = defaultdict(list)
    for score in scores:
        by_backbone[score.backbone].append(score)
    outcomes: PairOutcomes = {metric.name: {} for score in scores for metric in score.metrics}
    seen = 0
    with FeatureCache(budget_bytes=memory_bytes) as cache:
        for batch in _batches(frames, batch_size):
            indices = [index for index, _ in batch]
            if indices != schedule.frames[seen : seen + len(batch)]:
                raise ValueError(f"got frames {indices}, expected {schedule.frames[seen : seen + len(batch)]}")
            for name, readers in by_backbone.items():
                _take_batch(batch, backbones[name], readers, schedule, cache, outcomes)
            seen += len(batch)
            if on_frame is not None:
                on_frame(seen)
        statistics = PassStatistics(seen, len(schedule.pairs), cache.peak_bytes, cache.n_spilled)
    if seen != len(schedule.frames):
        raise ValueError(f"got {seen} frames, expected {len(schedule.frames)}")
    return outcomes, statistics


def _take_batch(
    batch: Sequence[tuple[int, NDArray[np.uint8]]],
    backbone: Backbone,
    readers: Sequence[PairScore],
    schedule: Schedule,
    cache: FeatureCache,
    outcomes: PairOutcomes,
) -> None:
    indices = [index for index, _ in batch]
    features = backbone.extract(np.stack([frame for _, frame in batch]))
    fresh: dict[int, Feature] = dict(zip(indices, features, strict=True))
    due = [pair for index in indices for pair in schedule.completed_by(index)]
    for start in range(0, len(due), PAIR_CHUNK):
        chunk = due[start : start + PAIR_CHUNK]
        earlier = [_feature(pair[0], fresh, cache, backbone.name) for pair in chunk]
        later = [fresh[pair[1]] for pair in chunk]
        for score in readers:
            _record(score, chunk, score.compare(earlier, later), outcomes)
    _settle(due, fresh, backbone.name, schedule, cache)


def _feature(index: int, fresh: Mapping[int, Feature], cache: FeatureCache, name: str) -> Feature:
    return fresh[index] if index in fresh else cache.get((name, index))


def _settle(
    due: Sequence[Pair], fresh: Mapping[int, Feature], name: str, schedule: Schedule, cache: FeatureCache
) -> None:
    """Drop what no later pair reads, cache what one does."""
    last = max(fresh)
    for index in sorted({pair[0] for pair in due} - set(fresh)):
        following = schedule.next_use(index, after=last)
        if following is None:
            cache.drop((name, index))
        else:
            cache.reschedule((name, index), next_use=following)
    for index, feature in fresh.items():
        following = schedule.next_use(index, after=last)
        if following is not None:
            cache.put((name, index), feature, next_use=following)


def _record(
    score: PairScore, pairs: Sequence[Pair], values: Mapping[str, Sequence[Outcome]], outcomes: PairOutcomes
) -> None:
    for metric in score.metrics:
        column = values[metric.name]
        for pair, outcome in zip(pairs, column, strict=True):
            outcomes[metric.name][pair] = checked(outcome, metric)


def checked(outcome: Outcome, metric: Metric) -> Outcome:
    """Return the outcome, or a missing one with the reason if its value cannot be a value of `metric`.

    Example:
        >>> from revisit_metric.families.protocol import Metric, Outcome
        >>> checked(Outcome(323.0), Metric("psnr", "appearance", True, (0.0, 100.0), 1))
        Outcome(value=None, note='psnr 323.0 is outside [0.0, 100.0]')
    """
    if outcome.value is None:
        return outcome
    low, high = metric.bounds
    if math.isfinite(outcome.value) and low <= outcome.value <= high:
        return Outcome(float(outcome.value), outcome.note)
    return Outcome(None, f"{metric.name} {outcome.value} is outside [{low}, {high}]")


def _batches(
    frames: Iterable[tuple[int, NDArray[np.uint8]]], size: int
) -> Iterator[list[tuple[int, NDArray[np.uint8]]]]:
    batch: list[tuple[int, NDArray[np.uint8]]] = []
    for item in frames:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
