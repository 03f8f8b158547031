"""The export folder: where everything lies, so that exporting, generating and collecting agree.

export.json          model, options, instances, failures
command.json         the command template; the user's to edit, never overwritten
images/              the input images
inputs/<id>/         the model's files, prompt.txt, instance.json
poses/               requested and effective paths, one file for equal ones
outputs/<id>/seed0/  video, log.txt, done.json
rollouts.jsonl       the manifest
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from adapters.protocol import AdapterError, Command
from revisit_metric.pose_files import write_poses
from revisit_metric.trajectory import Poses

SCHEMA = 1
EXPORT, COMMAND, INSTANCE, DONE, LOG = "export.json", "command.json", "instance.json", "done.json", "log.txt"
MANIFEST = "rollouts.jsonl"


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record so that a reader sees the old or the new file, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    unfinished.replace(path)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold an export folder for one run: two would delete each other's output.

    Raises:
        AdapterError: Another run holds it.
    """
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AdapterError(f"{folder}: another run is at work there; export to a folder of its own") from error
        yield


def read_json(path: Path) -> dict[str, Any]:
    """Read a record.

    Raises:
        AdapterError: No such file, or no JSON object in it.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise AdapterError(f"{path} does not exist: run `python -m adapters export` first") from error
    except ValueError as error:
        raise AdapterError(f"{path}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise AdapterError(f"{path}: a JSON {type(record).__name__}, expected an object")
    return record


def read_export(folder: Path, model: str) -> dict[str, Any]:
    """Read `export.json` of that model.

    Raises:
        AdapterError: The folder is another model's, or was written by a later version.
    """
    record = read_json(folder / EXPORT)
    if record.get("schema") != SCHEMA:
        raise AdapterError(f"{folder / EXPORT}: schema {record.get('schema')!r}, this version reads {SCHEMA}")
    if record["model"] != model:
        raise AdapterError(f"{folder} was exported for {record['model']!r}, not for {model!r}")
    return record


def read_command(folder: Path) -> Command:
    """Read `command.json`, as exported or as edited since.

    Raises:
        AdapterError: A key that is missing, unknown or of another type.
    """
    path = folder / COMMAND
    record = read_json(path)
    for key in record:
        if key not in Command._fields:
            raise AdapterError(f"{path}: unknown key {key!r}; known are {', '.join(Command._fields)}")
    argv, env, cwd = record.get("argv"), record.get("env", {}), record.get("cwd")
    if not isinstance(argv, list) or not argv or not all(isinstance(word, str) for word in argv):
        raise AdapterError(f"{path}: 'argv' is {argv!r}, expected a list of texts; no shell reads it")
    if not isinstance(record.get("video"), str) or not record["video"]:
        raise AdapterError(f"{path}: 'video' is {record.get('video')!r}, expected a pattern such as '*.mp4'")
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise AdapterError(f"{path}: 'env' is {env!r}, expected names with texts")
    if cwd is not None and not isinstance(cwd, str):
        raise AdapterError(f"{path}: 'cwd' is {cwd!r}, expected a folder or null")
    return Command(tuple(argv), record["video"], env, cwd)


def inputs_folder(folder: Path, instance_id: str) -> Path:
    """Where an instance's input lies."""
    return folder / "inputs" / instance_id


def output_folder(folder: Path, instance_id: str, seed: int) -> Path:
    """Where a video lies."""
    return folder / "outputs" / instance_id / f"seed{seed}"


def save_path(folder: Path, poses: Poses, name: str) -> str:
    """Write a path under a name that ends in its content's hash; returns the file, relative to the folder."""
    digest = hashlib.sha256(poses.tobytes()).hexdigest()[:12]
    file = folder / "poses" / f"{name}-{digest}.npz"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_poses(file, poses)
    return file.relative_to(folder).as_posix()


def tree_sha256(folder: Path) -> str:
    """Hash of every file in a folder, names and contents."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
