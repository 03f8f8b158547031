import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from revisit_metric.judge.interview import Interview, Manner
from revisit_metric.judge.protocol import Judge, JudgeError, Picture, Question, Reply, Usage
from revisit_metric.judge.recorded import RecordedJudge, write_recording
from revisit_metric.judge.reply_store import ReplyStore, default_folder
from revisit_metric.judge.rubric import load_rubric


class ScriptedJudge:
    """Answers by a function of (question, how often asked before)."""

    def __init__(self, answer, **identity):
        self.answer = answer
        self.asked = []
        self.cancelled = False
        self._identity = {"model": "scripted", **identity}
        self._lock = threading.Lock()

    def identity(self):
        return self._identity

    def ask(self, question):
        with self._lock:
            before = sum(q.key_parts() == question.key_parts() for q in self.asked)
            self.asked.append(question)
        answer = self.answer(question, before)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, Reply) else Reply(answer, "stop", "scripted-1", 0.5, Usage(10, 5))

    def cancel(self):
        self.cancelled = True


def picture(seed):
    return Picture(np.full((8, 12, 3), seed, np.uint8))


PAIRS = [(picture(k), picture(k + 100)) for k in range(12)]


def by_brightness(question, _):
    return json.dumps({"score": 1 + int(question.earlier.frame[0, 0, 0]) % 5})


def hold(judge, folder, **manner):
    return Interview(judge, load_rubric(), ReplyStore(folder), Manner(**{"concurrency": 3, **manner}))


# --- order and sharing ---


def test_outcomes_come_in_the_order_of_the_pairs(tmp_path):
    judge = ScriptedJudge(by_brightness)
    assert isinstance(judge, Judge)
    outcomes = hold(judge, tmp_path).judge_pairs(PAIRS)
    assert [outcome.value for outcome in outcomes] == [1.0 + k % 5 for k in range(12)]
    assert {outcome.note for outcome in outcomes} == {None}


def test_the_order_of_asking_is_seeded_and_says_nothing(tmp_path):
    def order(pairs, seed, name):
        judge = ScriptedJudge(by_brightness)
        hold(judge, tmp_path / name, concurrency=1, seed=seed).judge_pairs(pairs)
        return [int(question.earlier.frame[0, 0, 0]) for question in judge.asked]

    first = order(PAIRS, 0, "a")
    assert order(random.Random(3).sample(PAIRS, 12), 0, "b") == first
    assert order(PAIRS, 1, "c") != first
    assert first not in (sorted(first), sorted(first, reverse=True))


def test_pairs_of_the_same_pictures_share_a_question(tmp_path):
    judge = ScriptedJudge(by_brightness)
    outcomes = hold(judge, tmp_path).judge_pairs([PAIRS[0], (picture(0), picture(100)), PAIRS[1]])
    assert [outcome.value for outcome in outcomes] == [1.0, 1.0, 2.0]
    assert len(judge.asked) == 2


def test_concurrency_changes_nothing(tmp_path):
    one = hold(ScriptedJudge(by_brightness), tmp_path / "1", concurrency=1).judge_pairs(PAIRS)
    many = hold(ScriptedJudge(by_brightness), tmp_path / "8", concurrency=8).judge_pairs(PAIRS)
    assert one == many


def test_nothing_to_ask(tmp_path):
    assert hold(ScriptedJudge(by_brightness), tmp_path).judge_pairs([]) == []


# --- repeats ---


def test_repeats_give_mean_and_spread(tmp_path):
    judge = ScriptedJudge(lambda question, _: f'{{"score": {(3, 4, 3.5)[question.repeat]}}}')
    outcome = hold(judge, tmp_path, repeats=3).judge_pairs(PAIRS[:1])[0]
    assert outcome == (3.5, "mean of 3 answers, spread 1")


def test_a_missing_repeat_is_a_missing_pair(tmp_path):
    judge = ScriptedJudge(lambda question, _: "?" if question.repeat == 1 else '{"score": 4}')
    outcome = hold(judge, tmp_path, repeats=3).judge_pairs(PAIRS[:1])[0]
    assert outcome == (None, "judge: no JSON object with a score (2 of 3 answers have a score)")
    more = ScriptedJudge(by_brightness)
    hold(more, tmp_path, repeats=3).judge_pairs(PAIRS[:1])
    assert [question.repeat for question in more.asked] == [1]


# --- failures ---


def test_a_reply_without_a_score_is_asked_anew(tmp_path):
    judge = ScriptedJudge(lambda _, before: '{"score": 4}' if before else "hm")
    assert hold(judge, tmp_path / "a", reasks=1).judge_pairs(PAIRS[:1])[0] == (4.0, None)
    assert hold(judge, tmp_path / "b", reasks=0).judge_pairs(PAIRS[1:2])[0].value is None
    assert len(list((tmp_path / "a" / "refused").iterdir())) == 1


def test_no_reply_is_left_to_the_judges_own_retries(tmp_path):
    judge = ScriptedJudge(lambda *_: JudgeError("timeout", "after 120 s"))
    assert hold(judge, tmp_path, reasks=5).judge_pairs(PAIRS[:1])[0] == (None, "judge: timeout")
    assert len(judge.asked) == 1


def test_an_interruption_cancels_and_keeps_what_was_answered(tmp_path):
    def until_the_sixth(question, before):
        return KeyboardInterrupt() if len(interrupted.asked) > 5 else by_brightness(question, before)

    judge, interrupted = ScriptedJudge(by_brightness), ScriptedJudge(until_the_sixth)
    interview = hold(interrupted, tmp_path, concurrency=1)
    with pytest.raises(KeyboardInterrupt):
        interview.judge_pairs(PAIRS)
    assert interrupted.cancelled
    outcomes = hold(judge, tmp_path).judge_pairs(PAIRS)
    assert all(outcome.value for outcome in outcomes)
    assert len(judge.asked) == 7


# --- the store ---


def test_stored_replies_are_not_asked_again(tmp_path):
    first = hold(ScriptedJudge(by_brightness), tmp_path).judge_pairs(PAIRS)
    again = ScriptedJudge(by_brightness)
    assert hold(again, tmp_path, seed=9).judge_pairs(PAIRS) == first
    assert again.asked == []


@pytest.mark.parametrize("change", ["judge", "rubric", "repeat", "order", "picture"])
def test_a_reply_answers_its_own_question_only(tmp_path, change):
    store = ReplyStore(tmp_path / "store")
    question = Question(picture(1), picture(2), load_rubric())
    identity = {"model": "m", "temperature": "0"}
    store.put(question, identity, Reply("x", "stop", "m"))
    assert store.get(question, identity) == Reply("x", "stop", "m")
    (tmp_path / "other.txt").write_text("score")
    changed = {
        "judge": question,
        "rubric": Question(picture(1), picture(2), load_rubric(tmp_path / "other.txt")),
        "repeat": Question(picture(1), picture(2), load_rubric(), 1),
        "order": Question(picture(2), picture(1), load_rubric()),
        "picture": Question(picture(1), Picture(np.full((12, 8, 3), 2, np.uint8)), load_rubric()),
    }[change]
    assert store.get(changed, {**identity, "temperature": "1"} if change == "judge" else identity) is None


@pytest.mark.parametrize("content", ["", '{"schema": 1', "[]", "{}"])
def test_a_damaged_file_is_asked_again_and_replaced(tmp_path, content):
    hold(ScriptedJudge(by_brightness), tmp_path).judge_pairs(PAIRS[:1])
    (path,) = tmp_path.glob("replies/*/*.json")
    path.write_text(content)
    judge = ScriptedJudge(by_brightness)
    assert hold(judge, tmp_path).judge_pairs(PAIRS[:1])[0].value == 1.0
    assert len(judge.asked) == 1
    assert json.loads(path.read_text())["reply"]["model"] == "scripted-1"


def test_a_reply_keeps_every_letter(tmp_path):
    store, question = ReplyStore(tmp_path), Question(picture(1), picture(2), load_rubric())
    reply = Reply('ä 墙 \ud83d "\n', "stop", "m", 1.25, None, ("temperature",))
    store.put(question, {}, reply)
    assert store.get(question, {}) == reply


def test_writers_at_once_leave_whole_files_only(tmp_path):
    store, question = ReplyStore(tmp_path), Question(picture(1), picture(2), load_rubric())
    replies = [Reply(str(k) * 20000, "stop", "m") for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        writes = [pool.submit(store.put, question, {}, reply) for reply in replies]
        while not all(write.done() for write in writes):
            assert store.get(question, {}) in (None, *replies)
            time.sleep(0.001)
    assert store.get(question, {}) in replies
    assert not list(tmp_path.rglob("*.part"))


def test_default_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("REVISIT_METRIC_CACHE", str(tmp_path))
    assert default_folder() == tmp_path / "judge"
    monkeypatch.delenv("REVISIT_METRIC_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "revisit-metric" / "judge"


# --- recordings ---


def recorded(folder, path, **identity):
    judge = ScriptedJudge(by_brightness, **identity)
    hold(judge, folder).judge_pairs(PAIRS)
    return write_recording(ReplyStore(folder), path, judge=judge.identity())


def test_a_recording_gives_the_same_scores(tmp_path):
    path = tmp_path / "recording.jsonl"
    assert recorded(tmp_path / "live", path) == 12
    judge = RecordedJudge(path)
    assert isinstance(judge, Judge)
    assert judge.identity()["model"] == "scripted"
    live = hold(ScriptedJudge(by_brightness), tmp_path / "live").judge_pairs(PAIRS)
    assert hold(judge, tmp_path / "replay").judge_pairs(PAIRS) == live
    more = hold(judge, tmp_path / "replay").judge_pairs([(picture(200), picture(201))])
    assert more[0] == (None, "judge: not recorded")


def test_a_recording_is_one_judges(tmp_path):
    recorded(tmp_path / "a", tmp_path / "a.jsonl")
    recorded(tmp_path / "a", tmp_path / "b.jsonl", temperature="1")
    assert len((tmp_path / "b.jsonl").read_text().splitlines()) == 12
    both = tmp_path / "both.jsonl"
    both.write_text((tmp_path / "a.jsonl").read_text() + (tmp_path / "b.jsonl").read_text())
    with pytest.raises(ValueError, match="replies of 2 judges"):
        RecordedJudge(both)


@pytest.mark.parametrize(
    ("content", "match"),
    [("", "holds no reply"), ("{}\n", "line 1 is no recorded reply"), ("\nno\n", "line 2 is no recorded reply")],
)
def test_no_recording(tmp_path, content, match):
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(ValueError, match=match):
        RecordedJudge(tmp_path / "x.jsonl")


@pytest.mark.parametrize("change", [{"repeats": 0}, {"concurrency": 0}, {"reasks": -1}])
def test_manner_refuses(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))} is"):
        Manner(**change)
