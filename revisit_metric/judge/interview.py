"""Asking many pairs: once each, in an order that tells nothing, several at a time, stored as they come."""

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

from revisit_metric.families.protocol import Outcome
from revisit_metric.judge.protocol import Judge, JudgeError, Picture, Question, Reply
from revisit_metric.judge.reply_store import ReplyStore
from revisit_metric.judge.rubric import Rubric
from revisit_metric.judge.verdict import read_verdict

NOTE = "judge: "
"""How the reason of every missing judgement begins."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Manner:
    """How pairs are asked.

    Attributes:
        repeats: Times each pair is asked; its value is the mean of all.
        concurrency: Questions asked at once.
        reasks: Times a question is asked anew when its reply has no score.
        seed: Seed of the order.
    """

    repeats: int = 1
    concurrency: int = 8
    reasks: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("repeats", 1), ("concurrency", 1), ("reasks", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, expected at least {least}")


class _Answer(NamedTuple):
    score: float | None
    reply: Reply | None = None
    cause: str = ""


class Interview:
    """A judge, its rubric and its stored replies.

    Args:
        judge: Who answers.
        rubric: What it is told.
        store: Where replies lie; a stored one is not asked for again.
        manner: How pairs are asked.
    """

    def __init__(self, judge: Judge, rubric: Rubric, store: ReplyStore, manner: Manner | None = None) -> None:
        self.judge = judge
        self.rubric = rubric
        self.manner = manner or Manner()
        self._store = store
        self._identity = dict(judge.identity())

    def identity(self) -> Mapping[str, str]:
        """What determines a pair's value: judge, rubric, repeats."""
        return {
            **self._identity,
            "rubric": self.rubric.name,
            "rubric_sha256": self.rubric.sha256,
            "repeats": str(self.manner.repeats),
        }

    def judge_pairs(self, pairs: Sequence[tuple[Picture, Picture]]) -> list[Outcome]:
        """Return one outcome per (earlier, later) pair: a score in `[1, 5]`, or `None` with a note.

        Pairs that show the same two frames share one question. The order of asking depends on the pictures
        and the seed alone, so neither the list's order nor what a pair is for can be read from it.
        """
        asked: dict[tuple[str, str, int], Question] = {}
        for earlier, later in pairs:
            for repeat in range(self.manner.repeats):
                question = Question(earlier, later, self.rubric, repeat)
                asked.setdefault(_key(question), question)
        answers = self._ask_all(sorted(asked.values(), key=self._rank))
        return [self._outcome(answers, earlier, later) for earlier, later in pairs]

    def _ask_all(self, questions: Iterable[Question]) -> dict[tuple[str, str, int], _Answer]:
        queue = list(questions)
        pool = ThreadPoolExecutor(self.manner.concurrency, thread_name_prefix="interview")
        finished = False
        try:
            answers = dict(zip(map(_key, queue), pool.map(self._answer, queue), strict=True))
            finished = True
        finally:
            # An interruption must not wait for requests under way; what was answered is stored.
            if not finished:
                self.judge.cancel()
            pool.shutdown(cancel_futures=True)
        return answers

    def _answer(self, question: Question) -> _Answer:
        stored = self._store.get(question, self._identity)
        if stored is not None and (score := read_verdict(stored).score) is not None:
            return _Answer(score, stored)
        answer = _Answer(None)
        for _ in range(1 + self.manner.reasks):
            answer = self._ask(question)
            if answer.score is not None or answer.reply is None:
                break
        return answer

    def _ask(self, question: Question) -> _Answer:
        try:
            reply = self.judge.ask(question)
        except JudgeError as error:
            _LOG.info("no reply: %s", error)
            return _Answer(None, cause=error.cause)
        score, cause = read_verdict(reply)
        if score is None:
            self._store.put_refused(question, self._identity, reply, cause)
        else:
            self._store.put(question, self._identity, reply)
        return _Answer(score, reply, cause)

    def _rank(self, question: Question) -> str:
        told = ":".join(map(str, (self.manner.seed, *_key(question))))
        return hashlib.sha256(told.encode()).hexdigest()

    def _outcome(self, answers: Mapping[tuple[str, str, int], _Answer], earlier: Picture, later: Picture) -> Outcome:
        question = Question(earlier, later, self.rubric)
        return combined([answers[_key(replace(question, repeat=k))] for k in range(self.manner.repeats)])


def combined(answers: Sequence[_Answer]) -> Outcome:
    """Return the mean of a pair's answers, with their spread as a note; `None` unless all have a score."""
    scores = [answer.score for answer in answers if answer.score is not None]
    if len(scores) < len(answers):
        cause = next(answer.cause for answer in answers if answer.score is None)
        several = f" ({len(scores)} of {len(answers)} answers have a score)" if len(answers) > 1 else ""
        return Outcome(None, f"{NOTE}{cause}{several}")
    notes = []
    if len(scores) > 1:
        notes.append(f"mean of {len(scores)} answers, spread {max(scores) - min(scores):g}")
    given_up = sorted({name for answer in answers if answer.reply for name in answer.reply.adjustments})
    if given_up:
        notes.append(f"endpoint refused {', '.join(given_up)}")
    return Outcome(sum(scores) / len(scores), "; ".join(notes) or None)


def _key(question: Question) -> tuple[str, str, int]:
    return (question.earlier.sha256, question.later.sha256, question.repeat)
