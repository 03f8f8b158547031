"""Which pairs of a rollout a score still has to be given: all, those it selects, or those it got no answer for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from revisit_metric.families.protocol import NOT_SAMPLED, Outcome, Pair, PairScore, RetryableScore, SelectiveScore
from revisit_metric.scoring import PairOutcomes
from revisit_metric.tasks.revisit import outcomes_of

PairLists = Mapping[str, Sequence[Pair]]
"""Pair type -> its pairs."""


class Assignment(NamedTuple):
    """What a score is given of one rollout.

    Attributes:
        score: The score.
        wanted: The pairs it is given.
        known: Metric -> pair -> outcome, of every other pair.
    """

    score: PairScore
    wanted: frozenset[Pair]
    known: PairOutcomes

    def merged(self, scored: PairOutcomes) -> PairOutcomes:
        """Return the outcomes of all pairs, from those of the wanted ones."""
        return {name: {**self.known[name], **own} for name, own in scored.items()}


def is_finished(score: PairScore, line: Mapping[str, Any] | None) -> bool:
    """Whether a score's journal line stands, so that nothing of it needs another try."""
    if line is None:
        return False
    return not (isinstance(score, RetryableScore) and any(score.asks_again(note) for note in _reasons(line)))


def assign(score: PairScore, pairs: PairLists, *, seed: int, line: Mapping[str, Any] | None = None) -> Assignment:
    """Return what a score is given.

    Args:
        score: The score.
        pairs: The rollout's pair lists.
        seed: Seed of the selection.
        line: The score's unfinished journal line of the same pairs; its values are kept.
    """
    everything = frozenset(pair for listed in pairs.values() for pair in listed)
    if line is not None and isinstance(score, RetryableScore):
        before = outcomes_of(line, pairs)
        wanted = frozenset(_to_retry(score, before))
        known = {name: {pair: own[pair] for pair in own.keys() - wanted} for name, own in before.items()}
        return Assignment(score, wanted, known)
    wanted = everything
    if isinstance(score, SelectiveScore):
        wanted = frozenset(pair for listed in score.select(pairs, seed=seed).values() for pair in listed)
    left_out = dict.fromkeys(everything - wanted, Outcome(None, NOT_SAMPLED))
    return Assignment(score, wanted, {metric.name: left_out for metric in score.metrics})


def _to_retry(score: RetryableScore, outcomes: PairOutcomes) -> Iterator[Pair]:
    for own in outcomes.values():
        yield from (pair for pair, outcome in own.items() if outcome.value is None and score.asks_again(outcome.note))


def _reasons(line: Mapping[str, Any]) -> Iterator[str]:
    """Why values of a scores line are missing."""
    for column in line["metrics"].values():
        for kind, notes in column["notes"].items():
            yield from (note for at, note in notes.items() if column[kind][int(at)] is None)
