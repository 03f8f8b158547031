"""Rollout manifests: one JSON line a video, no file-name rules.

Conventions: `video` and a `poses` file are paths relative to the manifest's folder and stay inside it unless the caller
says otherwise. `instance_id` is "scene/template"; the template names the commanded trajectory unless the line carries
its own `poses` (a file, or a nested list `(T, 4, 4)`) or its own `script`. `first_frame` is the index of the video
frame that shows pose 0.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.pose_files import read_poses
from revisit_metric.templates import template
from revisit_metric.trajectory import integrate, parse_script, script_from_rows, validate_poses

MAX_LINE_BYTES = 64 * 2**20
"""A longer line is refused: a manifest line holds paths and at most one inline trajectory."""


class ManifestError(ValueError):
    """A manifest, or one line of it, that cannot be used."""


@dataclass(frozen=True)
class Rollout:
    """One generated video and the trajectory it was commanded to follow.

    Attributes:
        instance_id: "scene/template", or any id when `poses` or `script` is given.
        video: The video file.
        model: Name of the world model that made it.
        revision: Revision of that model, if known.
        seed: Seed of the generation.
        fps: Frames per second the model was run at, if known; the file's own rate is recorded beside it.
        first_frame: Index of the video frame that shows pose 0.
        trajectory: Name under which scores are grouped; the part of `instance_id` after the last slash.
        poses: A pose file, an array `(T, 4, 4)`, or `None` for the template's own poses.
        script: Script rows or text with its step sizes, when the commanded poses come from a script.
        scale_normalised: Whether the model discards absolute translation scale.
    """

    instance_id: str
    video: Path
    model: str = "unnamed"
    revision: str | None = None
    seed: int = 0
    fps: float | None = None
    first_frame: int = 0
    trajectory: str = ""
    poses: Path | NDArray[np.float64] | None = field(default=None, compare=False)
    script: Mapping[str, Any] | None = field(default=None, compare=False)
    scale_normalised: bool | None = None

    @property
    def model_id(self) -> str:
        """The model with its revision: what a row of a table stands for."""
        return f"{self.model}@{self.revision}" if self.revision else self.model

    @property
    def rollout_id(self) -> str:
        """The id a rollout is journaled and reported under, unique within a run."""
        return f"{self.model_id}/{self.instance_id}/seed{self.seed}"

    @property
    def scene_id(self) -> str:
        """The part of `instance_id` before the last slash."""
        return self.instance_id.rpartition("/")[0] or self.instance_id

    def commanded_poses(self) -> NDArray[np.float64]:
        """Return the commanded camera-to-world poses `(T, 4, 4)`.

        Raises:
            ValueError: If the pose file, inline poses, script or template cannot be read or are not rigid.
        """
        if isinstance(self.poses, Path):
            return read_poses(self.poses)
        if self.poses is not None:
            return validate_poses(self.poses)
        if self.script is not None:
            return _poses_of_script(self.script)
        return template(self.trajectory).poses()


class BadLine(NamedTuple):
    """A manifest line that names no usable rollout, kept so that it is counted."""

    line: int
    rollout_id: str
    cause: str
    message: str


class Manifest(NamedTuple):
    """What a manifest file holds: usable rollouts and the lines that are not."""

    rollouts: tuple[Rollout, ...]
    bad_lines: tuple[BadLine, ...]

    @property
    def n_expected(self) -> int:
        """Number of rollouts the manifest promises, usable or not."""
        return len(self.rollouts) + len(self.bad_lines)


_KEYS = {
    "instance_id",
    "video",
    "model",
    "seed",
    "fps",
    "first_frame",
    "trajectory",
    "poses",
    "script",
    "metres_per_frame",
    "degrees_per_frame",
    "scale_normalised",
}


def read_manifest(path: Path, *, allow_outside: bool = False) -> Manifest:
    """Read `rollouts.jsonl`.

    A line that cannot be used never hides the others: it is returned as a `BadLine` with its cause.

    Args:
        path: The manifest, UTF-8 JSON Lines; blank lines are skipped.
        allow_outside: Accept paths that leave the manifest's folder.

    Raises:
        ManifestError: If the file itself is missing, is not UTF-8 text, or has no line at all.
    """
    rollouts: dict[str, Rollout] = {}
    bad: list[BadLine] = []
    for number, text in _numbered_lines(path):
        try:
            rollout = rollout_from_row(_parse_line(text), folder=path.parent, allow_outside=allow_outside)
        except ManifestError as error:
            bad.append(BadLine(number, _best_id(text, number), "bad_manifest_line", f"line {number}: {error}"))
            continue
        if rollout.rollout_id in rollouts:
            message = f"line {number}: {rollout.rollout_id!r} is in the manifest already; give each sample its own seed"
            bad.append(BadLine(number, f"{rollout.rollout_id}#line{number}", "duplicate_rollout", message))
        else:
            rollouts[rollout.rollout_id] = rollout
    if not rollouts and not bad:
        raise ManifestError(f"{path} holds no rollout: expected one JSON object a line")
    return Manifest(tuple(rollouts.values()), tuple(bad))


def rollout_from_row(row: Mapping[str, Any], *, folder: Path | None = None, allow_outside: bool = False) -> Rollout:
    """Build a `Rollout` from one manifest row.

    Args:
        row: The row's keys as in the module docstring; an unknown key is refused.
        folder: Folder that relative paths start from; `None` takes paths as they are.
        allow_outside: Accept paths that leave `folder`.

    Raises:
        ManifestError: If a key is missing, unknown or of the wrong type, or a path leaves `folder`.

    Example:
        >>> rollout_from_row({"instance_id": "0001/out_and_back", "video": "a.mp4"}).rollout_id
        'unnamed/0001/out_and_back/seed0'
    """
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise ManifestError(f"unknown key {unknown[0]!r}; known keys are {', '.join(sorted(_KEYS))}")
    instance_id = _typed(row, "instance_id", str, required=True)
    if not instance_id:
        raise ManifestError("'instance_id' is empty")
    name, revision = _model(row.get("model"))
    fps = _typed(row, "fps", (int, float))
    if fps is not None and not 0 < fps < 1e4:
        raise ManifestError(f"'fps' is {fps}, expected frames per second above 0")
    first_frame = _typed(row, "first_frame", int) or 0
    if first_frame < 0:
        raise ManifestError(f"'first_frame' is {first_frame}, expected a frame index from 0")
    return Rollout(
        instance_id=instance_id,
        video=_inside(_typed(row, "video", str, required=True), folder, allow_outside),
        model=name,
        revision=revision,
        seed=_typed(row, "seed", int) or 0,
        fps=fps,
        first_frame=first_frame,
        trajectory=_typed(row, "trajectory", str) or instance_id.rpartition("/")[2],
        poses=_poses_entry(row.get("poses"), folder, allow_outside),
        script=_script_entry(row),
        scale_normalised=_typed(row, "scale_normalised", bool),
    )


def write_manifest(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write manifest rows as JSON Lines, each checked as `read_manifest` would."""
    lines = []
    for row in rows:
        rollout_from_row(row, folder=path.parent, allow_outside=True)
        lines.append(json.dumps(row, ensure_ascii=False, allow_nan=False))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _numbered_lines(path: Path) -> Iterable[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ManifestError(f"{path} does not exist") from error
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path} is not UTF-8 text (byte {error.start}): a video instead of a manifest?") from error
    except OSError as error:
        raise ManifestError(f"{path} cannot be read: {error.strerror}") from error
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parse_line(text: str) -> Mapping[str, Any]:
    if len(text) > MAX_LINE_BYTES:
        raise ManifestError(f"{len(text)} characters, more than {MAX_LINE_BYTES}")
    try:
        row = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ManifestError(f"not a JSON object: {error}") from error
    if not isinstance(row, dict):
        raise ManifestError(f"a JSON {type(row).__name__}, expected an object")
    return row


def _best_id(text: str, number: int) -> str:
    try:
        row = _parse_line(text)
    except ManifestError:
        return f"line{number}"
    return f"{row.get('instance_id', '')}#line{number}"


def _typed(row: Mapping[str, Any], key: str, kind: type | tuple[type, ...], *, required: bool = False) -> Any:
    value = row.get(key)
    if value is None:
        if required:
            raise ManifestError(f"{key!r} is missing")
        return None
    wrong_bool = isinstance(value, bool) and kind is not bool
    if wrong_bool or not isinstance(value, kind):
        expected = kind.__name__ if isinstance(kind, type) else "number"
        raise ManifestError(f"{key!r} is {value!r}, expected {expected}")
    return value


def _model(entry: Any) -> tuple[str, str | None]:
    if entry is None:
        return "unnamed", None
    if isinstance(entry, str) and entry:
        return entry, None
    if isinstance(entry, dict) and set(entry) <= {"name", "revision"} and isinstance(entry.get("name"), str):
        revision = entry.get("revision")
        if revision is None or isinstance(revision, str):
            return entry["name"], revision
    raise ManifestError(f"'model' is {entry!r}, expected a name or {{'name': ..., 'revision': ...}}")


def _inside(value: str, folder: Path | None, allow_outside: bool) -> Path:
    if "\0" in value:
        raise ManifestError(f"path {value!r} holds a NUL character")
    if folder is None:
        return Path(value)
    path = folder / value
    if not allow_outside and not path.resolve().is_relative_to(folder.resolve()):
        raise ManifestError(f"path {value!r} leaves the manifest's folder; --allow-outside permits it")
    return path


def _poses_entry(entry: Any, folder: Path | None, allow_outside: bool) -> Path | NDArray[np.float64] | None:
    if entry is None:
        return None
    if isinstance(entry, str):
        return _inside(entry, folder, allow_outside)
    try:
        return np.asarray(entry, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ManifestError(f"'poses' is neither a path nor a (T, 4, 4) list of numbers: {error}") from error


def _script_entry(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    script = row.get("script")
    steps = {key: _typed(row, key, (int, float)) for key in ("metres_per_frame", "degrees_per_frame")}
    if script is None:
        if any(value is not None for value in steps.values()):
            raise ManifestError("'metres_per_frame' and 'degrees_per_frame' belong to a 'script', and there is none")
        return None
    if row.get("poses") is not None:
        raise ManifestError("both 'poses' and 'script' are given; the commanded trajectory would be ambiguous")
    if not isinstance(script, (str, list)):
        raise ManifestError(f"'script' is {script!r}, expected text or a list of {{'action', 'frames'}}")
    return {"script": script, **steps}


def _poses_of_script(entry: Mapping[str, Any]) -> NDArray[np.float64]:
    steps = {key: entry[key] for key in ("metres_per_frame", "degrees_per_frame")}
    script = entry["script"]
    segments = parse_script(script, **steps) if isinstance(script, str) else script_from_rows(script)
    return integrate(segments, **steps)
