"""The per-pair values behind a rollout's numbers, found in the journal.

A journal may hold several runs of one rollout: other settings, another version of a metric, a video that was replaced.
Values are shown only if they are of the video and pair set that the result names, and if their means are, bit for bit,
the means in the result.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revisit_metric.families.protocol import Outcome, Pair
from revisit_metric.relative import rollout_relative
from revisit_metric.tasks.revisit import PAIR_TYPES

Lines = Mapping[str, Any]


@dataclass(frozen=True)
class PairValues:
    """One rollout's pairs and what was measured on them.

    Attributes:
        pairs: Pair type -> (earlier, later) frame indices, 0 being the frame of pose 0.
        columns: Metric -> its journal column.
    """

    pairs: Mapping[str, Sequence[Pair]]
    columns: Mapping[str, Lines]

    def outcome(self, metric: str, kind: str, at: int) -> Outcome:
        """Return the value of pair number `at` of a type, as measured (LPIPS not negated)."""
        if metric not in self.columns:
            return Outcome(None, "not in the journal")
        column = self.columns[metric]
        return Outcome(column[kind][at], column["notes"].get(kind, {}).get(str(at)))


class PairLookup:
    """Finds the pair values of the rollouts of a result.

    Args:
        lines: Journal lines, oldest first.
        higher_is_better: Metric -> its direction, for every metric of the result.
    """

    def __init__(self, lines: Iterable[Lines], higher_is_better: Mapping[str, bool]) -> None:
        self._higher_is_better = higher_is_better
        self._lines: dict[tuple[str, str], list[Lines]] = defaultdict(list)
        for line in lines:
            self._lines[line["rollout_id"], line["kind"]].append(line)

    def find(self, block: Lines) -> PairValues | None:
        """Return the values behind one rollout block of the result; `None` if the journal does not hold them."""
        listed = [line for line in self._lines[block["rollout_id"], "rollout"] if _same_input(line, block)]
        if not listed:
            return None
        pairs = {kind: [(i, j) for i, j in listed[-1]["pairs"][kind]] for kind in PAIR_TYPES}
        columns = {}
        for line in self._lines[block["rollout_id"], "scores"]:
            for metric, column in line["metrics"].items():
                if metric in block["metrics"] and self._makes(column, metric, block["metrics"][metric], pairs):
                    columns[metric] = column
        return PairValues(pairs, columns)

    def _makes(self, column: Lines, metric: str, summary: Lines, pairs: Mapping[str, Sequence[Pair]]) -> bool:
        """Return whether the values of `column` are those that `summary` was made of."""
        if column["version"] != summary["version"]:
            return False
        if any(len(column[kind]) != len(pairs[kind]) for kind in PAIR_TYPES):
            return False
        values = {kind: column[kind] for kind in PAIR_TYPES}
        relative = rollout_relative(**values, higher_is_better=self._higher_is_better[metric])
        return all(summary[key] == value for key, value in relative._asdict().items())


def _same_input(line: Lines, block: Lines) -> bool:
    same_pairs: bool = line["pairs"]["sha256"] == block["pairs"]["sha256"]
    return same_pairs and line["video"] == block["video"]
