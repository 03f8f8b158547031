import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revisit_metric.families.protocol import Metric, Outcome
from revisit_metric.scoring import Schedule, checked, score_pairs

METRIC = Metric("difference", "appearance", False, (0.0, 255.0), 1)


class MeanBackbone:
    """Mean grey of a frame; remembers how often each frame was seen."""

    name = "mean"

    def __init__(self):
        self.calls = []

    def identity(self):
        return {"version": "1"}

    def extract(self, frames):
        self.calls.append(len(frames))
        return [{"mean": np.array([frame.mean()]), "padding": np.zeros(64)} for frame in frames]


class Difference:
    name = "difference"
    backbone = "mean"
    metrics = (METRIC,)

    def identity(self):
        return {}

    def compare(self, earlier, later):
        pairs = zip(earlier, later, strict=True)
        return {"difference": [Outcome(abs(float(a["mean"][0] - b["mean"][0]))) for a, b in pairs]}


def frames_of(schedule):
    for index in schedule.frames:
        yield index, np.full((2, 2, 3), index % 256, dtype=np.uint8)


def run(pairs, **options):
    schedule = Schedule(pairs)
    backbone = MeanBackbone()
    options = {"memory_bytes": 10**9, **options}
    outcomes, statistics = score_pairs(frames_of(schedule), schedule, [Difference()], {"mean": backbone}, **options)
    return outcomes["difference"], statistics, backbone


def test_every_pair_gets_the_value_of_its_own_frames():
    pairs = [(0, 9), (3, 9), (3, 4), (0, 3), (8, 9)]
    outcomes, statistics, backbone = run(pairs, batch_size=2)
    assert {pair: outcome.value for pair, outcome in outcomes.items()} == {(i, j): j - i for i, j in pairs}
    assert sum(backbone.calls) == statistics.n_frames == 5


pair_lists = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda p: (p[0], p[0] + p[1])), min_size=1, max_size=60
)


@settings(deadline=None, max_examples=60)
@given(pairs=pair_lists, batch=st.integers(1, 9), memory=st.integers(1, 4000))
def test_batch_and_memory_change_nothing(pairs, batch, memory):
    small, statistics, backbone = run(pairs, batch_size=batch, memory_bytes=memory)
    large, _, _ = run(pairs)
    assert small == large
    assert sum(backbone.calls) == len({frame for pair in pairs for frame in pair})
    assert statistics.n_pairs == len(set(pairs))


def test_a_tight_budget_spills_and_a_loose_one_does_not():
    pairs = [(i, 40 + i) for i in range(30)]
    assert run(pairs, memory_bytes=2000)[1].n_spilled > 0
    loose = run(pairs, batch_size=1)[1]
    assert loose.n_spilled == 0
    assert loose.peak_cache_bytes == 30 * (64 + 1) * 8


def test_frames_that_do_not_match_the_plan_are_an_error():
    schedule = Schedule([(0, 1)])
    one = iter([(0, np.zeros((2, 2, 3), np.uint8))])
    with pytest.raises(ValueError, match="got 1 frames, expected 2"):
        score_pairs(one, schedule, [Difference()], {"mean": MeanBackbone()}, memory_bytes=1)
    wrong = iter([(5, np.zeros((2, 2, 3), np.uint8))])
    with pytest.raises(ValueError, match=r"got frames \[5\]"):
        score_pairs(wrong, schedule, [Difference()], {"mean": MeanBackbone()}, memory_bytes=1)


def test_a_pair_in_the_wrong_order_is_an_error():
    with pytest.raises(ValueError, match="earlier, later"):
        Schedule([(4, 2)])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 256.0])
def test_an_impossible_value_becomes_missing_with_its_reason(value):
    outcome = checked(Outcome(value), METRIC)
    assert outcome.value is None
    assert "outside" in outcome.note


def test_missing_keeps_its_own_reason():
    assert checked(Outcome(None, "no keypoints"), METRIC) == Outcome(None, "no keypoints")
