"""One pass over a video: every needed frame decoded once, every backbone run once per frame, then pair arithmetic.

Frames stream in ascending order. A pair is scored as soon as its later frame has features; a feature is dropped after
the last pair that reads it. What stays in between lives in a `FeatureCache` under a memory budget. A score that
gathers its pairs is asked for its outcomes when the video is done.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.families.protocol import Backbone, Feature, GatheringScore, Metric, Outcome, Pair, PairScore
from revisit_metric.feature_cache import FeatureCache

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
    """Which pairs each frame completes, when each frame is needed next, and which score is given which pair.

    Args:
        pairs: (earlier, later) frame indices.
        limited: Score name to the pairs it is given; a score that is not named is given all.
    """

    def __init__(self, pairs: Iterable[Pair], limited: Mapping[str, Collection[Pair]] | None = None) -> None:
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
        self._limited = limited or {}

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

    def given(self, score: str, pairs: Sequence[Pair]) -> list[int]:
        """Positions of those of `pairs` that the score is given."""
        wanted = self._limited.get(score)
        return [at for at, pair in enumerate(pairs) if wanted is None or pair in wanted]


def score_pairs(
    frames: Iterable[tuple[int, NDArray[np.uint8]]],
    schedule: Schedule,
    scores: Sequence[PairScore],
    backbones: Mapping[str, Backbone],
    *,
    memory_bytes: int,
    batch_size: int = 8,
    on_scored: Callable[[PairScore, PairOutcomes], None] | None = None,
) -> tuple[PairOutcomes, PassStatistics]:
    """Score all pairs of one rollout in one pass.

    Args:
        frames: (index, RGB frame `(H, W, 3)` uint8) in ascending order: exactly `schedule.frames`.
        schedule: The pairs.
        scores: Pair scores to compute.
        backbones: The backbones those scores name.
        memory_bytes: Budget of the feature cache; changes speed, never values.
        batch_size: Frames per backbone call.
        on_scored: Called with each score and its outcomes when it has them all, after the last frame; scores that
            gather their pairs, and may take long to answer, come last.

    Returns:
        Outcomes per metric and pair, and what the pass cost.

    Raises:
        ValueError: If `frames` does not hold exactly the scheduled frames.
    """
    readers = [_Reader(score) for score in scores]
    by_backbone: dict[str, list[_Reader]] = defaultdict(list)
    for reader in readers:
        by_backbone[reader.score.backbone].append(reader)
    seen = 0
    with FeatureCache(budget_bytes=memory_bytes) as cache:
        for batch in _batches(frames, batch_size):
            indices = [index for index, _ in batch]
            if indices != schedule.frames[seen : seen + len(batch)]:
                raise ValueError(f"got frames {indices}, expected {schedule.frames[seen : seen + len(batch)]}")
            for name, own in by_backbone.items():
                _take_batch(batch, backbones[name], own, schedule, cache)
            seen += len(batch)
        statistics = PassStatistics(seen, len(schedule.pairs), cache.peak_bytes, cache.n_spilled)
    if seen != len(schedule.frames):
        raise ValueError(f"got {seen} frames, expected {len(schedule.frames)}")
    return _collect(readers, on_scored), statistics


class _Reader:
    """One score on its way through the pass: what it was given and what it said."""

    def __init__(self, score: PairScore) -> None:
        self.score = score
        self.sitting = score.open() if isinstance(score, GatheringScore) else None
        self._gathered: list[Pair] = []
        self._outcomes: PairOutcomes = {metric.name: {} for metric in score.metrics}

    def take(self, pairs: Sequence[Pair], earlier: Sequence[Feature], later: Sequence[Feature]) -> None:
        """Score pairs, or gather them."""
        if not pairs:
            return
        if self.sitting is None:
            self._record(pairs, self.score.compare(earlier, later))
        else:
            self.sitting.add(earlier, later)
            self._gathered += pairs

    def finish(self) -> PairOutcomes:
        """Return all outcomes, once every pair was taken."""
        if self.sitting is not None and self._gathered:
            self._record(self._gathered, self.sitting.outcomes())
        return self._outcomes

    def _record(self, pairs: Sequence[Pair], values: Mapping[str, Sequence[Outcome]]) -> None:
        for metric in self.score.metrics:
            column = values[metric.name]
            for pair, outcome in zip(pairs, column, strict=True):
                self._outcomes[metric.name][pair] = checked(outcome, metric)


def _collect(readers: Sequence[_Reader], on_scored: Callable[[PairScore, PairOutcomes], None] | None) -> PairOutcomes:
    outcomes: PairOutcomes = {}
    for reader in sorted(readers, key=lambda reader: reader.sitting is not None):
        own = reader.finish()
        outcomes.update(own)
        if on_scored is not None:
            on_scored(reader.score, own)
    return outcomes


def _take_batch(
    batch: Sequence[tuple[int, NDArray[np.uint8]]],
    backbone: Backbone,
    readers: Sequence[_Reader],
    schedule: Schedule,
    cache: FeatureCache,
) -> None:
    indices = [index for index, _ in batch]
    features = backbone.extract(np.stack([frame for _, frame in batch]))
    fresh: dict[int, Feature] = dict(zip(indices, features, strict=True))
    due = [pair for index in indices for pair in schedule.completed_by(index)]
    for start in range(0, len(due), PAIR_CHUNK):
        chunk = due[start : start + PAIR_CHUNK]
        earlier = [_feature(pair[0], fresh, cache, backbone.name) for pair in chunk]
        later = [fresh[pair[1]] for pair in chunk]
        for reader in readers:
            at = schedule.given(reader.score.name, chunk)
            reader.take([chunk[k] for k in at], [earlier[k] for k in at], [later[k] for k in at])
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
