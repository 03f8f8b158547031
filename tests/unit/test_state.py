import json

import numpy as np
import pytest

from revisit_metric.backbones.pixels import Pixels
from revisit_metric.families.protocol import PairScore
from revisit_metric.families.state import JUDGE_PAIRS, StateJudge
from revisit_metric.judge.budget import Price
from revisit_metric.judge.endpoint_judge import EndpointJudge
from revisit_metric.judge.interview import Interview, Manner
from revisit_metric.judge.protocol import JudgeError, Reply
from revisit_metric.judge.reply_store import ReplyStore
from revisit_metric.judge.rubric import load_rubric
from revisit_metric.judge.settings import JudgeSettings, open_interview, open_judge


class DifferenceJudge:
    """5 for equal frames, less the more they differ, no reply for a black one."""

    def __init__(self):
        self.n_asked = 0

    def identity(self):
        return {"model": "difference"}

    def ask(self, question):
        self.n_asked += 1
        if not question.earlier.frame.any():
            raise JudgeError("timeout", "it is dark")
        difference = np.abs(question.earlier.frame.astype(int) - question.later.frame).mean()
        return Reply(json.dumps({"score": max(1.0, 5.0 - difference / 10)}), "stop", "difference-1")

    def cancel(self):
        """Nothing is under way."""


def features(*levels):
    return Pixels().extract(np.stack([np.full((16, 24, 3), level, np.uint8) for level in levels]))


def state_judge(folder, judge=None, **options):
    interview = Interview(judge or DifferenceJudge(), load_rubric(), ReplyStore(folder), Manner(concurrency=2))
    return StateJudge(interview, **options)


def test_scores_of_frames(tmp_path):
    score = state_judge(tmp_path)
    assert isinstance(score, PairScore)
    values = score.compare(features(100, 100, 100), features(100, 120, 200))["state"]
    assert values == [(5.0, None), (3.0, None), (1.0, None)]


def test_a_pair_without_a_reply_is_missing_and_may_be_asked_again(tmp_path):
    score = state_judge(tmp_path)
    dark, light = score.compare(features(0, 50), features(50, 50))["state"]
    assert dark == (None, "judge: timeout")
    assert light.value == 5.0
    assert score.asks_again(dark.note)
    assert not any(score.asks_again(note) for note in (None, "not sampled", "mean of 3 answers, spread 1"))


def test_chunks_give_the_same_as_one_call(tmp_path):
    earlier, later = features(10, 20, 30, 40), features(11, 29, 60, 10)
    whole = state_judge(tmp_path / "a").compare(earlier, later)
    score = state_judge(tmp_path / "b")
    parts = [score.compare(earlier[k : k + 1], later[k : k + 1])["state"][0] for k in range(4)]
    assert whole["state"] == parts
    sitting = state_judge(tmp_path / "c").open()
    sitting.add(earlier[:3], later[:3])
    sitting.add(earlier[3:], later[3:])
    assert sitting.outcomes() == whole


def test_select_takes_so_many_of_each_type(tmp_path):
    pairs = {
        "revisit": [(k, k + 200) for k in range(100)],
        "short": [(k, k + 3) for k in range(0, 400, 4)],
        "baseline": [],
    }
    chosen = state_judge(tmp_path).select(pairs, seed=42)
    assert [len(chosen[kind]) for kind in pairs] == [JUDGE_PAIRS, JUDGE_PAIRS, 0]
    assert max(earlier for earlier, _ in chosen["short"]) > 350
    assert state_judge(tmp_path).select(pairs, seed=42) == chosen
    everything = state_judge(tmp_path, pairs_per_type=None).select(pairs, seed=42)
    assert [len(everything[kind]) for kind in pairs] == [100, 100, 0]


def test_identity_changes_with_what_changes_values(tmp_path):
    base = state_judge(tmp_path).identity()
    assert base["model"] == "difference"
    assert base["rubric_sha256"] == load_rubric().sha256
    assert state_judge(tmp_path, pairs_per_type=5).identity() != base
    assert state_judge(tmp_path).identity() == base


def test_without_a_judge_every_pair_is_missing():
    score = StateJudge()
    assert "--judge openai:MODEL" in score.unavailable
    outcome = score.compare(features(1), features(2))["state"][0]
    assert outcome.value is None
    assert score.asks_again(outcome.note)
    assert score.identity()["judge"] == "none"


def test_refuses_no_pairs():
    with pytest.raises(ValueError, match="judge_pairs is 0"):
        StateJudge(pairs_per_type=0)


# --- settings ---


@pytest.mark.parametrize("judge", ["", "gpt-5", "openai:", "gemini:flash", ":x"])
def test_settings_refuse_an_unknown_judge(judge):
    with pytest.raises(ValueError, match="expected openai:MODEL, local:FOLDER or recorded:FILE"):
        JudgeSettings(judge)


def test_a_limit_needs_a_price():
    with pytest.raises(ValueError, match="what tokens cost is not given"):
        JudgeSettings("openai:m", max_cost=5.0)


def test_an_endpoint_from_settings(monkeypatch, tmp_path):
    pytest.importorskip("openai", reason="the judge extra is not installed")
    monkeypatch.setenv("MY_KEY", "abcdef0123")
    settings = JudgeSettings(
        "openai:org/model:free",
        base_url="http://127.0.0.1:1/v1",
        key_variable="MY_KEY",
        max_tokens=99,
        price=Price(1.0, 2.0),
        max_cost=5.0,
        store=tmp_path,
        manner=Manner(repeats=2),
    )
    interview = open_interview(settings)
    assert isinstance(interview.judge, EndpointJudge)
    assert interview.judge.budget.max_cost == 5.0
    identity = interview.identity()
    assert (identity["model"], identity["max_tokens"], identity["repeats"]) == ("org/model:free", "99", "2")
    assert "abcdef0123" not in repr(settings)
    interview.judge.close()


def test_a_recording_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_judge(JudgeSettings(f"recorded:{tmp_path / 'none.jsonl'}"))


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="holds no model"):
        open_judge(JudgeSettings(f"local:{tmp_path}"))
