"""Persistent state: does a vision-language judge find the earlier place again in the later frame?

Conventions:
    The judge sees the two frames of a pair at native size, the earlier first, and a rubric; never a pair's
    type, frame numbers or other pairs. A judge costs money and time, so only some pairs are shown: `select`
    spreads them over the timeline and over gaps.

Scores:
    state: The judge's score, `[1, 5]`, 5 = plainly the same place, higher is better; the mean of the
        repeats where a pair is asked several times. A pair without an answer is missing, and a rerun asks it
        again.
"""

from collections.abc import Mapping, Sequence

from revisit_metric.families.protocol import Feature, Metric, Outcome
from revisit_metric.judge.interview import NOTE, Interview
from revisit_metric.judge.protocol import Picture
from revisit_metric.judge.sampling import Pair, sample_for_judge
from revisit_metric.judge.verdict import HIGH, LOW, VERDICT_VERSION

JUDGE_PAIRS = 10
"""Pairs of each type a judge is shown unless told otherwise: as many as the paper's runs."""

NO_JUDGE = "no judge is set up: name one with --judge openai:MODEL, local:FOLDER or recorded:FILE"


class StateJudge:
    """The judge's score on the `pixels` backbone.

    Args:
        interview: The judge, its rubric and stored replies; `None` for no judge, where every pair is missing.
        pairs_per_type: Pairs of each type the judge is shown, `None` for all.
    """

    name = "state_judge"
    backbone = "pixels"
    metrics: tuple[Metric, ...] = (Metric("state", "state", True, (LOW, HIGH), 1),)

    def __init__(self, interview: Interview | None = None, *, pairs_per_type: int | None = JUDGE_PAIRS) -> None:
        if pairs_per_type is not None and pairs_per_type < 1:
            raise ValueError(f"judge_pairs is {pairs_per_type}, expected at least 1, or None for all")
        self.interview = interview
        self.pairs_per_type = pairs_per_type

    @property
    def unavailable(self) -> str:
        """Why the score cannot run, an empty string when it can."""
        return NO_JUDGE if self.interview is None else ""

    def identity(self) -> Mapping[str, str]:
        """Return the judge, the rubric, the reading rule and how many pairs are shown."""
        asked = {"judge": "none"} if self.interview is None else self.interview.identity()
        return {**asked, "verdict_version": str(VERDICT_VERSION), "pairs_per_type": str(self.pairs_per_type)}

    def select(self, pairs_by_type: Mapping[str, Sequence[Pair]], *, seed: int) -> Mapping[str, tuple[Pair, ...]]:
        """Return the pairs of each type the judge is shown; a function of the pair sets and the seed."""
        return sample_for_judge(pairs_by_type, cap=self.pairs_per_type, seed=seed)

    def open(self) -> "Sitting":
        """Return an empty sitting: the pairs of one rollout are gathered, then asked together."""
        return Sitting(self.interview)

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the judge's score of each pair."""
        sitting = self.open()
        sitting.add(earlier, later)
        return sitting.outcomes()

    @staticmethod
    def asks_again(note: str | None) -> bool:
        """Whether a missing value with this note may be had by a rerun.

        Example:
            >>> StateJudge.asks_again("judge: timeout"), StateJudge.asks_again("not sampled")
            (True, False)
        """
        return note is not None and note.startswith(NOTE)


class Sitting:
    """The pairs of one rollout, kept until all are known, so that they can be asked in an order of its own.

    It holds each different frame once: 1.2 MB at 832x480.
    """

    def __init__(self, interview: Interview | None) -> None:
        self._interview = interview
        self._pictures: dict[str, Picture] = {}
        self._pairs: list[tuple[Picture, Picture]] = []

    def add(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> None:
        """Gather pairs; `earlier[k]` and `later[k]` form pair k."""
        for a, b in zip(earlier, later, strict=True):
            self._pairs.append((self._picture(a), self._picture(b)))

    def outcomes(self) -> dict[str, list[Outcome]]:
        """Ask the judge and return one outcome per gathered pair, in the order they came."""
        if self._interview is None:
            return {"state": [Outcome(None, NOTE + NO_JUDGE)] * len(self._pairs)}
        return {"state": self._interview.judge_pairs(self._pairs)}

    def _picture(self, feature: Feature) -> Picture:
        picture = Picture(feature["frame"])
        return self._pictures.setdefault(picture.sha256, picture)
