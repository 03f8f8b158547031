"""Reading a score out of a reply, strictly: a number the judge clearly gave, or the cause why there is none.

The rule:
    1. A reply that stopped for its length, by a content filter, or is empty has no score.
    2. A leading `<think> ... </think>` block is reasoning, not answer, and is left out.
    3. The answer is the one top-level JSON object with a "score" in what remains: the whole text, inside a
       code fence, or between words. Two such objects are no answer, nor is a brace that never closes.
    4. The score is a JSON number, finite, from 1 to 5. A string ("4"), a boolean and a number outside the
       range are no score; nothing is clamped, rounded or guessed from prose.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from revisit_metric.judge.protocol import Reply

LOW, HIGH = 1.0, 5.0

VERDICT_VERSION = 1
"""Raised when the rule reads any reply otherwise."""

_STOPPED = {
    "length": "reply truncated",
    "max_tokens": "reply truncated",
    "content_filter": "content filter",
    "refusal": "judge refused",
}
_REASONING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class Verdict(NamedTuple):
    """A score, or the cause why there is none."""

    score: float | None
    cause: str = ""


class _NoScoreError(ValueError):
    """The cause is the message."""


def read_verdict(reply: Reply) -> Verdict:
    """Return the score of a reply, `[1, 5]`, or why it has none.

    Example:
        >>> read_verdict(Reply('{"score": 4}', "stop", "m")), read_verdict(Reply("Four.", "stop", "m"))
        (Verdict(score=4.0, cause=''), Verdict(score=None, cause='no JSON object with a score'))
        >>> read_verdict(Reply('{"score": 7}', "stop", "m")).cause
        'score outside 1 to 5'
    """
    if reply.finish_reason in _STOPPED:
        return Verdict(None, _STOPPED[reply.finish_reason])
    try:
        return Verdict(_score(_answer(_REASONING.sub("", reply.text))))
    except _NoScoreError as problem:
        return Verdict(None, str(problem))


def _answer(text: str) -> dict[str, Any]:
    if not text.strip():
        raise _NoScoreError("reply empty")
    if text.lstrip().startswith("<think>"):
        raise _NoScoreError("reply truncated")
    found = [answer for answer in map(_parse, _objects(text)) if "score" in answer]
    if len(found) > 1:
        raise _NoScoreError("several JSON objects with a score")
    if not found:
        raise _NoScoreError("no JSON object with a score")
    return found[0]


def _objects(text: str) -> Iterator[str]:
    """Top-level `{...}` spans of `text`, strings respected."""
    depth, start, quoted, escaped = 0, 0, False, False
    for at, letter in enumerate(text):
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"' and depth:
            quoted = True
        elif letter == "{":
            start = start if depth else at
            depth += 1
        elif letter == "}" and depth:
            depth -= 1
            if not depth:
                yield text[start : at + 1]
    if depth:
        raise _NoScoreError("reply truncated")


def _parse(text: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(text, object_pairs_hook=_no_duplicates)
    except (json.JSONDecodeError, RecursionError):
        if '"score"' in text:
            raise _NoScoreError("invalid JSON") from None
        return {}
    return answer


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if sum(name == "score" for name, _ in pairs) > 1:
        raise _NoScoreError("two scores in one JSON object")
    return dict(pairs)


def _score(answer: dict[str, Any]) -> float:
    score = answer["score"]
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise _NoScoreError("score is not a number")
    # NaN, Infinity and integers beyond any float fail the comparison, too.
    if not (LOW <= score <= HIGH and math.isfinite(score)):
        raise _NoScoreError("score outside 1 to 5")
    return float(score)
