"""A judge that repeats recorded replies: the same scores again, without an endpoint, a key or a model."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from revisit_metric.judge.protocol import JudgeError, Question, Reply
from revisit_metric.judge.reply_store import ReplyStore


class RecordedJudge:
    """Answers from a recording: JSON Lines, one reply a line, as `write_recording` writes it.

    Args:
        path: The recording; all its replies must be one judge's.

    Raises:
        ValueError: A line is no recorded reply, the judges differ, or there is no line.
        OSError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        self._replies: dict[str, Reply] = {}
        judges: list[dict[str, str]] = []
        for number, line in enumerate(content.splitlines(), start=1):
            if line.strip():
                key, reply, judge = _read_line(line, where=f"{path}, line {number}")
                self._replies[key] = reply
                judges += [judge] if judge not in judges else []
        if len(judges) != 1:
            found = "no reply" if not judges else f"replies of {len(judges)} judges: {judges}"
            raise ValueError(f"{path} holds {found}, expected those of one judge")
        self._identity = {**judges[0], "recording_sha256": hashlib.sha256(content).hexdigest()}

    def identity(self) -> Mapping[str, str]:
        """Return the recorded judge's identity and the recording's hash."""
        return self._identity

    def ask(self, question: Question) -> Reply:
        """Return the recorded reply. Raises `JudgeError` for a question that was not recorded."""
        reply = self._replies.get(_key(question.key_parts()))
        if reply is None:
            raise JudgeError("not recorded", "other frames, another rubric or more repeats than were recorded")
        return reply

    def cancel(self) -> None:
        """Nothing is ever under way."""


def write_recording(store: ReplyStore, path: Path, *, judge: Mapping[str, str]) -> int:
    """Write the stored replies of one judge as a recording.

    Args:
        store: Where the replies lie.
        path: The file to write.
        judge: Identity of the judge whose replies are taken.

    Returns:
        How many replies were written.
    """
    records = [record for record in store.records() if record.get("judge") == dict(judge)]
    lines = (json.dumps(record, sort_keys=True) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")
    return len(records)


def _read_line(line: bytes, *, where: str) -> tuple[str, Reply, dict[str, str]]:
    try:
        record = json.loads(line)
        return _key(record), Reply.from_dict(record["reply"]), dict(record["judge"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{where} is no recorded reply: {type(error).__name__} {error}") from error


def _key(parts: Mapping[str, Any]) -> str:
    return ":".join(str(parts[name]) for name in ("earlier", "later", "rubric", "repeat"))
