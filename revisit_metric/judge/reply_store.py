"""Replies on disk, one JSON file a question, whole or absent: what was paid for is not asked twice.

Layout of the folder:
    replies/ab/<key>.json: a usable reply with everything its key is made of.
    refused/<key>-<n>.json: a reply without a score, with the cause, for people to read; never an answer.

The key is the hash of both images, the rubric, the judge's identity (model and parameters) and the repeat.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from revisit_metric.journal import content_key
from revisit_metric.judge.protocol import Question, Reply

SCHEMA = 1
"""Version of the file layout."""


class ReplyStore:
    """Stored replies of one folder, for any number of judges, threads and processes.

    Args:
        folder: Made when the first reply is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, question: Question, identity: Mapping[str, str]) -> Reply | None:
        """Return the stored reply, `None` where there is none that can be read."""
        record = _read(self._path(content_key(_parts(question, identity))))
        return None if record is None else _reply(record)

    def put(self, question: Question, identity: Mapping[str, str], reply: Reply) -> None:
        """Keep a usable reply."""
        parts = _parts(question, identity)
        _write(self._path(content_key(parts)), {**parts, "reply": reply.to_dict()})

    def put_refused(self, question: Question, identity: Mapping[str, str], reply: Reply, cause: str) -> None:
        """Keep a reply that has no score, beside the earlier ones."""
        parts = _parts(question, identity)
        key = content_key(parts)
        folder = self.folder / "refused"
        path = next(path for n in count(1) if not (path := folder / f"{key}-{n}.json").exists())
        _write(path, {**parts, "cause": cause, "reply": reply.to_dict()})

    def records(self) -> Iterator[dict[str, Any]]:
        """All usable replies with their key parts, in the order of their keys."""
        for path in sorted(self.folder.glob("replies/*/*.json")):
            record = _read(path)
            if record is not None:
                yield record

    def _path(self, key: str) -> Path:
        return self.folder / "replies" / key[:2] / f"{key}.json"


def default_folder() -> Path:
    """Return the folder of stored replies: `REVISIT_METRIC_CACHE`/judge, else the user's cache folder."""
    if cache := os.environ.get("REVISIT_METRIC_CACHE"):
        return Path(cache).expanduser() / "judge"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "revisit-metric" / "judge"


def _parts(question: Question, identity: Mapping[str, str]) -> dict[str, Any]:
    return {"schema": SCHEMA, **question.key_parts(), "judge": dict(identity)}


def _reply(record: Mapping[str, Any]) -> Reply | None:
    try:
        return Reply.from_dict(record["reply"])
    except (KeyError, TypeError, ValueError):
        return None


def _read(path: Path) -> dict[str, Any] | None:
    """Return a record, `None` where there is no whole one: it is then asked again."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _write(path: Path, record: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(record, ensure_ascii=False, indent=1)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            # Half a surrogate pair, which JSON can carry and UTF-8 cannot, stays a JSON escape.
            stream.write(text.encode("utf-8", "backslashreplace"))
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
