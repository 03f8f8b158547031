"""The append-only journal of an evaluation: one JSON line a finished (rollout, score), everything else recomputed.

Line kinds, told by `"kind"`:
    rollout: what the video and its pair set are (frames, size, notes, the three pair lists, hashes).
    scores: one pair score's values on that pair set, aligned with the lists of its `rollout` line; a missing value is
        null and its reason stands in `notes`.
    failure: a rollout that could not be scored, with its cause. Failures are history: a rerun tries again.

Each `rollout` and `scores` line carries a `key`, the hash of everything its content depends on. A rerun reuses exactly
the lines whose keys still hold.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SCHEMA = 1
"""Version of the line layout."""


def canonical_json(value: Any) -> str:
    """Return compact JSON with sorted keys, UTF-8, and no NaN or Infinity.

    Raises:
        ValueError: If a number is not finite.

    Example:
        >>> canonical_json({"b": 1, "a": [0.5, None]})
        '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def content_key(parts: Mapping[str, Any]) -> str:
    """Return the sha256 of `parts` in canonical JSON: the key of a journal line."""
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


class Journal:
    """Appends lines and finds finished ones by key.

    Args:
        path: The journal file, made if it is absent; `None` keeps the journal in memory.

    A torn last line, left by a killed process, is passed over; `n_unreadable` counts such lines.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines: dict[str, dict[str, Any]] = {}
        self.n_unreadable = 0
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            for line in self._read(path):
                if "key" in line:
                    self._lines[line["key"]] = line

    def __contains__(self, key: str) -> bool:
        """Whether a finished line has this key."""
        return key in self._lines

    def __getitem__(self, key: str) -> dict[str, Any]:
        """Return the finished line with this key.

        Raises:
            KeyError: There is none.
        """
        return self._lines[key]

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the line with this key, `None` where there is none."""
        return self._lines.get(key)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield every finished line, in the order in which their keys were first written."""
        yield from self._lines.values()

    def append(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Write one line durably, and return it as a reader of the file would see it."""
        text = canonical_json({"schema": SCHEMA, **line})
        if self._path is not None:
            _append_durably(self._path, text)
        stored: dict[str, Any] = json.loads(text)
        if "key" in stored:
            self._lines[stored["key"]] = stored
        return stored

    def _read(self, path: Path) -> Iterator[dict[str, Any]]:
        if not path.exists():
            return
        with path.open(encoding="utf-8", errors="replace") as stream:
            for text in stream:
                try:
                    line = json.loads(text)
                except json.JSONDecodeError:
                    self.n_unreadable += 1
                    continue
                if isinstance(line, dict) and line.get("schema") == SCHEMA:
                    yield line
                else:
                    self.n_unreadable += 1


def _append_durably(path: Path, text: str) -> None:
    with path.open("ab+") as stream:
        size = stream.seek(0, os.SEEK_END)
        if size and _last_byte(stream) != b"\n":
            text = "\n" + text
        stream.write(f"{text}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())


def _last_byte(stream: Any) -> bytes:
    stream.seek(-1, os.SEEK_END)
    byte: bytes = stream.read(1)
    return byte
