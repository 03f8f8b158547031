"""The judge inside the run: which pairs it is shown, what a failure is, what a rerun asks, what is written down."""

import json
import threading

import pytest

from revisit_metric import profiles
from revisit_metric.assignment import assign, is_finished
from revisit_metric.cli import main
from revisit_metric.families.protocol import (
    ConditionalScore,
    GatheringScore,
    Outcome,
    RetryableScore,
    SelectiveScore,
)
from revisit_metric.families.state import StateJudge
from revisit_metric.forecast import forecast
from revisit_metric.judge import settings as judge_settings
from revisit_metric.judge.budget import Price
from revisit_metric.judge.interview import Interview, Manner
from revisit_metric.judge.protocol import JudgeError, Reply
from revisit_metric.judge.recorded import write_recording
from revisit_metric.judge.reply_store import ReplyStore
from revisit_metric.judge.retry import RetryPolicy
from revisit_metric.judge.rubric import load_rubric
from revisit_metric.judge.settings import JudgeSettings
from revisit_metric.manifest import read_manifest, rollout_from_row
from revisit_metric.profiles import Profile
from revisit_metric.report.html import write_report
from revisit_metric.run import JOURNAL_NAME, RESULT_NAME, Settings, commanded_pairs, evaluate_rollouts
from revisit_metric.tasks.revisit import PAIR_TYPES, pairs_by_type

N_JUDGED = 3


class FakeJudge:
    """Says 4, except for the pictures it is told to fail on; remembers what it was asked."""

    def __init__(self):
        self.asked = []
        self.failing = 0
        self.before_answer = lambda: None
        self._lock = threading.Lock()

    def identity(self):
        return {"model": "fake-2026-01-01", "temperature": "0"}

    def ask(self, question):
        with self._lock:
            self.before_answer()
            self.asked.append((question.earlier.sha256, question.later.sha256))
            if len(self.asked) <= self.failing:
                raise JudgeError("timeout", "no reply within 1 s")
        return Reply(json.dumps({"shared": "wall", "inconsistencies": [], "score": 4}), "stop", "fake")

    def cancel(self):
        """Nothing is under way."""


@pytest.fixture
def judge(monkeypatch):
    fake = FakeJudge()
    monkeypatch.setattr(judge_settings, "open_judge", lambda settings: fake)
    return fake


@pytest.fixture
def only_state(monkeypatch):
    monkeypatch.setattr(profiles, "PROFILES", {"paper": Profile("paper", 1, {"state": ("state_judge",)})})


@pytest.fixture
def with_psnr(monkeypatch):
    scores = {"appearance": ("psnr",), "state": ("state_judge",)}
    monkeypatch.setattr(profiles, "PROFILES", {"paper": Profile("paper", 1, scores)})


@pytest.fixture
def rollouts(small_rollouts):
    return read_manifest(small_rollouts).rollouts[:1]


@pytest.fixture
def settings(tmp_path):
    asked = JudgeSettings("openai:fake", store=tmp_path / "replies", manner=Manner(concurrency=2))
    return Settings(profile="paper", judge=asked, judge_pairs=N_JUDGED)


def journal(out, kind):
    lines = [json.loads(line) for line in (out / JOURNAL_NAME).read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


def values(column):
    return [value for kind in PAIR_TYPES for value in column[kind]]


def test_the_capabilities_are_the_protocols():
    score = StateJudge()
    for protocol in (SelectiveScore, GatheringScore, RetryableScore, ConditionalScore):
        assert isinstance(score, protocol)


# --- which pairs, and what they count as ---


def test_only_the_selected_pairs_are_asked_and_the_rest_is_no_failure(judge, only_state, rollouts, settings, tmp_path):
    result = evaluate_rollouts(rollouts, settings, out=tmp_path)
    record = result.to_dict()
    (line,) = journal(tmp_path, "scores")
    lists = pairs_by_type(commanded_pairs(rollouts[0], settings))
    selected = StateJudge(None, pairs_per_type=N_JUDGED).select(lists, seed=settings.seed)
    column = line["metrics"]["state"]
    for kind, listed in lists.items():
        shown = [pair for pair, value in zip(listed, column[kind], strict=True) if value is not None]
        assert tuple(sorted(shown)) == selected[kind]
        notes = column["notes"][kind]
        assert set(notes.values()) == {"not sampled"}
        assert len(notes) == len(listed) - len(shown)
    n_selected = sum(len(own) for own in selected.values())
    assert len(judge.asked) == n_selected == 3 * N_JUDGED
    state = record["rollouts"][0]["metrics"]["state"]
    assert (state["n_revisit"], state["n_baseline"], state["n_short"]) == (N_JUDGED,) * 3
    assert state["n_missing"] == 0
    assert state["n_not_sampled"] == len(values(column)) - n_selected
    assert state["revisit"] == 4.0
    assert record["missing_metrics"] == record["unanswered"] == {}
    assert record["failures"] == []
    assert result.complete
    frames = {frame for own in selected.values() for pair in own for frame in pair}
    assert record["run"]["decoded_frames"] == len(frames)


def test_every_pair_where_all_are_wanted(judge, only_state, rollouts, settings):
    record = evaluate_rollouts(rollouts, Settings(profile="paper", judge=settings.judge, judge_pairs="all")).to_dict()
    state = record["rollouts"][0]["metrics"]["state"]
    assert state["n_not_sampled"] == state["n_missing"] == 0
    assert record["settings"]["judge"]["pairs"] == "all"


def test_a_rollout_is_one_sitting(judge, only_state, rollouts, settings, monkeypatch):
    opened = []
    original = StateJudge.open
    monkeypatch.setattr(StateJudge, "open", lambda self: opened.append(self) or original(self))
    evaluate_rollouts(rollouts, Settings(profile="paper", judge=settings.judge, judge_pairs=5, batch_size=2))
    assert len(opened) == 1


def test_the_other_scores_are_journaled_before_the_judge_is_asked(judge, with_psnr, rollouts, settings, tmp_path):
    seen = []
    judge.before_answer = lambda: seen.append([line["score"] for line in journal(tmp_path, "scores")])
    record = evaluate_rollouts(rollouts, settings, out=tmp_path).to_dict()
    assert seen[0] == ["psnr"]
    psnr = record["rollouts"][0]["metrics"]["psnr"]
    assert psnr["n_not_sampled"] == psnr["n_missing"] == 0


def test_no_judge_is_asked_about_a_video_that_is_too_short(judge, only_state, small_rollouts, settings):
    row = {"instance_id": "wall0/slide", "video": "0.mp4", "script": "right 30f, left 31f", "metres_per_frame": 0.1}
    record = evaluate_rollouts([rollout_from_row(row, folder=small_rollouts.parent)], settings).to_dict()
    assert record["failures"][0]["cause"] == "too_few_frames"
    assert judge.asked == []


# --- failures and reruns ---


def test_a_failed_call_is_null_with_its_cause_and_alone_asked_again(judge, only_state, rollouts, settings, tmp_path):
    judge.failing = 2
    result = evaluate_rollouts(rollouts, settings, out=tmp_path)
    record = result.to_dict()
    state = record["rollouts"][0]["metrics"]["state"]
    assert state["n_missing"] == 2
    assert state["notes"]["judge: timeout"] == 2
    assert record["unanswered"] == {"state": {"judge: timeout": 2}}
    assert not result.complete
    refused, judge.asked, judge.failing = judge.asked[:2], [], 0
    # Another machine, another cache: what the journal holds is not paid for twice.
    elsewhere = Settings(
        profile="paper",
        judge=JudgeSettings("openai:fake", store=tmp_path / "elsewhere", manner=Manner(concurrency=2)),
        judge_pairs=N_JUDGED,
    )
    again = evaluate_rollouts(rollouts, elsewhere, out=tmp_path)
    assert sorted(judge.asked) == sorted(refused)
    assert again.complete
    assert len(journal(tmp_path, "rollout")) == 1
    judge.asked = []
    third = evaluate_rollouts(rollouts, settings, out=tmp_path).to_dict()
    assert judge.asked == []
    assert third["run"]["decoded_frames"] == 0
    assert third["rollouts"] == again.to_dict()["rollouts"]


def test_an_assignment_keeps_what_is_known():
    score = StateJudge(None, pairs_per_type=1)
    lists = {"revisit": [(0, 9), (1, 8)], "baseline": [], "short": [(2, 3)]}
    column = {"version": 1, "revisit": [None, 3.0], "baseline": [], "short": [None]}
    line = {
        "metrics": {"state": {**column, "notes": {"revisit": {"0": "judge: timeout"}, "short": {"0": "not sampled"}}}}
    }
    assert not is_finished(score, line)
    given = assign(score, lists, seed=42, line=line)
    assert given.wanted == {(0, 9)}
    merged = given.merged({"state": {(0, 9): Outcome(5.0)}})
    assert merged == {"state": {(0, 9): (5.0, None), (1, 8): (3.0, None), (2, 3): (None, "not sampled")}}
    line["metrics"]["state"]["notes"]["revisit"] = {"0": "state 9.0 is outside [1.0, 5.0]"}
    assert is_finished(score, line)
    assert not is_finished(score, None)


# --- what is written down ---


def test_the_result_names_the_judge_the_rubric_and_the_money(judge, only_state, rollouts, tmp_path):
    asked = JudgeSettings("openai:fake", store=tmp_path / "replies", price=Price(2.0, 8.0), max_cost=1.5)
    record = evaluate_rollouts(rollouts, Settings(profile="paper", judge=asked, judge_pairs=1)).to_dict()
    identity = record["profile"]["scores"]["state_judge"]["identity"]
    rubric = load_rubric()
    assert identity["model"] == "fake-2026-01-01"
    assert (identity["rubric"], identity["rubric_sha256"]) == (rubric.name, rubric.sha256)
    assert identity["pairs_per_type"] == "1"
    assert record["settings"]["judge"] == {
        "judge": "openai:fake",
        "base_url": "https://api.openai.com/v1",
        "rubric": None,
        "repeats": 1,
        "price": {"per_million_in": 2.0, "per_million_out": 8.0},
        "max_cost": 1.5,
        "pairs": 1,
    }


def test_the_key_is_nowhere(only_state, rollouts, tmp_path, monkeypatch):
    pytest.importorskip("openai", reason="the judge extra is not installed")
    monkeypatch.setenv("TOY_KEY", "sk-toy-0123456789abcdef")
    asked = JudgeSettings(
        "openai:toy",
        base_url="http://127.0.0.1:9/v1",
        key_variable="TOY_KEY",
        store=tmp_path / "replies",
        price=Price(1.0, 1.0),
        max_cost=1.0,
        retry=RetryPolicy(attempts=1, timeout_s=5.0),
    )
    result = evaluate_rollouts(rollouts, Settings(profile="paper", judge=asked, judge_pairs=1), out=tmp_path)
    record = result.to_dict()
    assert record["rollouts"][0]["metrics"]["state"]["n_missing"] == 3
    assert sum(record["unanswered"]["state"].values()) == 3
    assert record["run"]["judge_cost"] is not None
    write_report(tmp_path / "report.html", result, tmp_path / JOURNAL_NAME, rollouts)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"0123456789abcdef" not in path.read_bytes(), path


def test_without_a_judge_the_metric_is_missing_with_the_cause(with_psnr, rollouts):
    record = evaluate_rollouts(rollouts, Settings(profile="paper")).to_dict()
    assert record["missing_metrics"]["state"].startswith("no judge is set up: name one with --judge")
    assert profiles.missing("paper") == record["missing_metrics"]
    assert record["settings"]["judge"] is None


def test_a_score_that_stands_is_used(tmp_path):
    score = StateJudge(Interview(FakeJudge(), load_rubric(), ReplyStore(tmp_path)))
    loaded = profiles.load("paper", device="cpu", offline=True, built={"state_judge": score})
    assert score in loaded.scores
    assert "state" not in loaded.missing


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judge_pairs": 0}, "judge_pairs is 0"),
        ({"dtype": "fp16"}, "dtype 'fp16' is unknown"),
        ({"judge": JudgeSettings("recorded:x")}, "profile 'embedded' asks no judge; those that do: paper, official"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        Settings(**options)


# --- the command line ---


@pytest.fixture
def recording(small_rollouts, settings, tmp_path, only_state):
    """What the fake judge said about both rollouts, as a file."""
    fake = FakeJudge()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_settings, "open_judge", lambda asked: fake)
        evaluate_rollouts(read_manifest(small_rollouts).rollouts, settings)
    path = tmp_path / "judge.jsonl"
    assert write_recording(ReplyStore(settings.judge.store), path, judge=fake.identity()) > 0
    return path


def evaluate(manifest, out, *options):
    return main(["evaluate", str(manifest), "--out", str(out), "--profile", "paper", *map(str, options)])


def test_the_command_line_replays_a_recording(recording, small_rollouts, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REVISIT_METRIC_CACHE", str(tmp_path / "cache"))
    chosen = ("--judge", f"recorded:{recording}", "--judge-pairs")
    assert evaluate(small_rollouts, tmp_path / "out", *chosen, N_JUDGED) == 0
    record = json.loads((tmp_path / "out" / RESULT_NAME).read_text())
    assert "recording_sha256" in record["profile"]["scores"]["state_judge"]["identity"]
    assert record["settings"]["judge"]["base_url"] is None
    capsys.readouterr()
    assert evaluate(small_rollouts, tmp_path / "more", *chosen, N_JUDGED + 2) == 1
    assert "no answer state: judge: not recorded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-cost", "1"), "no --judge is named"),
        (("--judge", "openai:m", "--price-in", "1"), "are given together"),
        (("--judge", "gpt"), "expected openai:MODEL, local:FOLDER or recorded:FILE"),
        (("--judge", "openai:m", "--max-cost", "1"), "what tokens cost is not given"),
        (("--judge", "openai:m", "--judge-key-env", "NO_SUCH_KEY"), "NO_SUCH_KEY"),
    ],
)
def test_options_that_do_not_fit(small_rollouts, tmp_path, capsys, only_state, options, message):
    assert evaluate(small_rollouts, tmp_path, *options) == 2
    assert message in capsys.readouterr().err


def test_estimate(small_rollouts, capsys):
    arguments = ["estimate", str(small_rollouts), "--judge-pairs", "3", "--judge-repeats", "2"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out.split()
    assert shown[shown.index("pairs") + 1] == "18"
    assert shown[shown.index("calls") + 1] == "36"
    assert "--price-in" in shown
    assert main([*arguments, "--price-in", "2", "--price-out", "8"]) == 0
    assert "at most" in capsys.readouterr().out
    assert main([*arguments, "--profile", "embedded"]) == 2
    assert "asks no judge" in capsys.readouterr().err


def test_a_forecast_counts_what_the_run_asks(judge, only_state, rollouts, settings, tmp_path):
    told = forecast(rollouts, settings, rubric=load_rubric(), price=Price(1.0, 1.0))
    evaluate_rollouts(rollouts, settings)
    assert told.estimate.calls == len(judge.asked)
    assert 0 < told.estimate.cost < told.estimate.cost_at_most
    absent = rollout_from_row({"instance_id": "a/out_and_back", "video": "none.mp4"}, folder=tmp_path)
    told = forecast([absent], settings, rubric=load_rubric())
    assert (told.n_rollouts, told.estimate.pairs, told.estimate.cost) == (0, 0, None)
    assert list(told.left_out) == [absent.rollout_id]


def test_weights_without_names_are_the_profiles(monkeypatch, tmp_path, capsys):
    from revisit_metric import weights

    fetched = []
    monkeypatch.setattr(weights, "fetch", lambda name: fetched.append(name) or tmp_path / name)
    assert main(["weights", "fetch"]) == 0
    assert fetched == ["lpips_alex"]
    fetched.clear()
    assert main(["weights", "fetch", "dinov2", "--profile", "embedded-xfeat"]) == 0
    assert fetched == ["dinov2/config.json", "dinov2/model.safetensors", *profiles.weight_names("embedded-xfeat")]
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(tmp_path))
    capsys.readouterr()
    assert main(["weights", "fetch", "superpoint", "--accept-licence"]) == 0
    assert "Magic Leap SuperPoint licence (academic" in capsys.readouterr().out
    assert main(["weights", "verify", "superpoint"]) == 1
    assert main(["weights", "list"]) == 0
    assert "mutualvpr" in capsys.readouterr().out
