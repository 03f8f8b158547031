"""Checkpoints on this machine: find, fetch, verify, and accept the licences that restrict their use.

The files are the rows of `weights.table.WEIGHTS`. A row's sources are tried in order and each must produce exactly
the row's bytes: two sources of the same numbers give the same file, and a source that gives other numbers is
refused. Nothing is ever substituted: what cannot be had raises `MissingWeights`.

Conventions:
    Folder: `folder` argument, else `REVISIT_METRIC_WEIGHTS`, else `REVISIT_METRIC_CACHE`/weights, else
        `XDG_CACHE_HOME`/revisit-metric/weights, else `~/.cache/revisit-metric/weights`. A file that is not there
        but in the Hub client's own cache is used where it lies.
    Offline: `offline` argument, else true when `REVISIT_METRIC_OFFLINE` or `HF_HUB_OFFLINE` is 1, true, yes
        or on.
    Licences: a row with `terms` is neither fetched nor used before they are accepted: `accept_licence`,
        `fetch(..., accept_licence=True)`, or its name in `REVISIT_METRIC_ACCEPT_LICENCES` (comma-separated).
    First use: where the table has no sha256, the file's hash is written to `<file>.source.json` in the weight folder
        the first time it is seen; from then on that hash is the expected one.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from revisit_metric.weights.conversion import CheckpointError
from revisit_metric.weights.sources import (
    PROVENANCE,
    ByHand,
    HubFile,
    PyPISdist,
    PyPIWheel,
    Source,
    SourceError,
    TorchvisionAlexNet,
)
from revisit_metric.weights.table import WEIGHTS, Terms, WeightFile

__all__ = [
    "WEIGHTS",
    "LicenceNotAccepted",
    "MissingWeights",
    "PyPISdist",
    "PyPIWheel",
    "SourceError",
    "Status",
    "Terms",
    "TorchvisionAlexNet",
    "WeightFile",
    "accept_licence",
    "fetch",
    "file_sha256",
    "is_offline",
    "names",
    "status",
    "verify",
    "weight_folder",
    "weight_path",
]

_ACCEPTED = "accepted_licences.json"


class MissingWeights(RuntimeError):  # noqa: N818  (it says what is wrong, as FileNotFound does)
    """A checkpoint that is absent, or present with the wrong content; the message says how to get it."""


class LicenceNotAccepted(MissingWeights):
    """A checkpoint whose restrictive licence nobody has accepted on this machine; the message states it."""


class Status(NamedTuple):
    """What this machine holds of one row.

    Attributes:
        name: Key in `WEIGHTS`.
        state: "corrupt" is a file with another hash than the expected one, "licence" one that may not be used yet.
        path: The file, where it is ready to use.
        detail: For people: size and origin of a ready file, what to do about another.
    """

    name: str
    state: Literal["ready", "absent", "corrupt", "licence"]
    path: Path | None
    detail: str


# --- the public calls ---------------------------------------------------------------------------------------


def names(selection: str) -> tuple[str, ...]:
    """Return the rows a selection means: a row itself, or every row of a folder.

    Raises:
        ValueError: Nothing has that name.

    Example:
        >>> names("dinov2"), names("xfeat")
        (('dinov2/config.json', 'dinov2/model.safetensors'), ('xfeat',))
    """
    if selection in WEIGHTS:
        return (selection,)
    rows = tuple(name for name in WEIGHTS if name.startswith(f"{selection}/"))
    if not rows:
        raise ValueError(f"unknown weights {selection!r}; known: {', '.join(WEIGHTS)}")
    return rows


def weight_path(name: str, *, offline: bool | None = None, folder: Path | None = None) -> Path:
    """Return the verified local file of one checkpoint, downloading it first unless offline.

    Args:
        name: Key in `WEIGHTS`.
        offline: Never download; `None` reads the environment.
        folder: Weight folder; `None` reads the environment.

    Raises:
        ValueError: The name is unknown.
        LicenceNotAccepted: The row's licence has not been accepted.
        MissingWeights: The file is absent and cannot be fetched, or its content is not the expected one.
    """
    file = _row(name)
    if _present(file, folder) is not None:
        return verify(name, folder=folder)
    if is_offline(offline):
        _require_licence(file, folder)
        where = _local_path(file, folder).parent
        raise MissingWeights(f"weights {name!r} are not in {where} and downloads are off; {_advice(file)}")
    return fetch(name, folder=folder)


def fetch(name: str, *, folder: Path | None = None, accept_licence: bool = False) -> Path:
    """Download one checkpoint from the first source that gives the right bytes; keep a verified file.

    The file appears under its name only when it is whole and its hash is right, so an interrupted or a
    concurrent fetch does no harm.

    Args:
        name: Key in `WEIGHTS`.
        folder: Weight folder; `None` reads the environment.
        accept_licence: Accept the row's restrictive licence, for this machine's weight folder.

    Raises:
        ValueError: The name is unknown.
        LicenceNotAccepted: The row's licence has not been accepted.
        MissingWeights: No source gave the file; the message holds each one's reason.
    """
    file = _row(name)
    if accept_licence:
        _record_acceptance(file, folder)
    _require_licence(file, folder)
    if _present(file, folder) is not None:
        return verify(name, folder=folder)
    reasons = []
    for source in file.sources:
        try:
            return _fetch_from(source, file, _local_path(file, folder))
        except (SourceError, CheckpointError, OSError) as error:
            reasons.append(f"{source.label}: {error}")
    raise MissingWeights(f"weights {name!r} could not be fetched. {'; '.join(reasons)}. {_advice(file)}")


def verify(name: str, *, folder: Path | None = None) -> Path:
    """Return the local file of one checkpoint after hashing it; never downloads.

    Raises:
        ValueError: The name is unknown.
        LicenceNotAccepted: The row's licence has not been accepted.
        MissingWeights: The file is absent or has another sha256 than the expected one.
    """
    file = _row(name)
    _require_licence(file, folder)
    path = _present(file, folder)
    if path is None:
        raise MissingWeights(f"weights {name!r} are not in {_local_path(file, folder).parent}; {_advice(file)}")
    found, expected = file_sha256(path), _expected_sha256(file, folder)
    if expected is None:
        _pin(file, folder, found, path)
    elif found != expected:
        raise MissingWeights(_other_content(file, folder, path, found, expected))
    return path


def accept_licence(selection: str, *, folder: Path | None = None) -> tuple[Terms, ...]:
    """Record that the user of this weight folder accepts the licences of some rows; return what was accepted.

    Args:
        selection: A row or a folder of rows ("superpoint").
        folder: Weight folder; `None` reads the environment.

    Raises:
        ValueError: Nothing has that name.
    """
    rows = [WEIGHTS[name] for name in names(selection)]
    for file in rows:
        _record_acceptance(file, folder)
    return tuple(file.terms for file in rows if file.terms is not None)


def status(*, folder: Path | None = None) -> list[Status]:
    """Say for every row whether its file is ready, absent, corrupt or under an unaccepted licence; never downloads.

    Example:
        >>> [row.name for row in status()][:3]
        ['lpips_alex', 'xfeat', 'lighterglue']
    """
    return [_status_of(file, folder) for file in WEIGHTS.values()]


def is_offline(offline: bool | None = None) -> bool:
    """Whether downloads are off: the argument where it is given, else the environment.

    Example:
        >>> is_offline(True), is_offline(False)
        (True, False)
    """
    if offline is not None:
        return offline
    variables = ("REVISIT_METRIC_OFFLINE", "HF_HUB_OFFLINE")
    return any(os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on"} for name in variables)


def weight_folder(folder: Path | None = None) -> Path:
    """Return the folder weight files lie in (see Conventions); it need not exist."""
    if folder is not None:
        return folder
    if override := os.environ.get("REVISIT_METRIC_WEIGHTS"):
        return Path(override).expanduser()
    if cache := os.environ.get("REVISIT_METRIC_CACHE"):
        return Path(cache).expanduser() / "weights"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "revisit-metric" / "weights"


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file as 64 hex digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


# --- files and hashes ---------------------------------------------------------------------------------------


def _row(name: str) -> WeightFile:
    if name not in WEIGHTS:
        raise ValueError(f"unknown weights {name!r}; known: {', '.join(WEIGHTS)}")
    return WEIGHTS[name]


def _local_path(file: WeightFile, folder: Path | None) -> Path:
    return weight_folder(folder) / file.filename


def _present(file: WeightFile, folder: Path | None) -> Path | None:
    """The file in the weight folder, else in the Hub client's cache."""
    path = _local_path(file, folder)
    if path.exists():
        return path
    cached = (source.cached() for source in file.sources if isinstance(source, HubFile))
    return next((found for found in cached if found is not None), None)


def _origin_path(path: Path) -> Path:
    return path.with_name(path.name + ".source.json")


def _origin(file: WeightFile, folder: Path | None) -> Mapping[str, Any]:
    path = _origin_path(_local_path(file, folder))
    return _read_json(path) if path.exists() else {}


def _expected_sha256(file: WeightFile, folder: Path | None) -> str | None:
    return file.sha256 or _origin(file, folder).get("sha256")


def _pin(file: WeightFile, folder: Path | None, sha256: str, path: Path) -> None:
    target = _local_path(file, folder)
    source = "put there by hand" if path == target else f"the Hub client's cache, {path}"
    # A read-only weight folder cannot hold the pin; the hash is in every result all the same.
    with suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_json(_origin_path(target), {"sha256": sha256, "source": source, "pinned": "on first use"})


def _other_content(file: WeightFile, folder: Path | None, path: Path, found: str, expected: str) -> str:
    if file.sha256 is None:
        pin = _origin_path(_local_path(file, folder))
        return (
            f"{path} has sha256 {found}, on first use it was {expected}: changed since; if that was meant, delete {pin}"
        )
    return f"{path} has sha256 {found}, expected {expected}: damaged or replaced; delete it, then {_advice(file)}"


def _advice(file: WeightFile) -> str:
    pages = [source.page for source in file.sources if isinstance(source, ByHand)]
    if pages:
        return f"download it from {pages[0]} and put it into the weight folder as {file.filename}"
    return (
        f"where the network is reachable run: r2m weights fetch {_selection(file)}, "
        "or point REVISIT_METRIC_WEIGHTS at a folder that holds the file"
    )


def _selection(file: WeightFile) -> str:
    """What a person asks for: all files of the model this one belongs to."""
    return file.name.split("/")[0]


def _fetch_from(source: Source, file: WeightFile, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A scratch folder beside the target keeps the final rename on one file system, hence atomic.
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetch-") as folder:
        scratch = Path(folder)
        made = source.fetch(scratch)
        found = file_sha256(made)
        if file.sha256 is not None and found != file.sha256:
            raise SourceError(f"gave a file with sha256 {found}, expected {file.sha256}")
        origin: dict[str, Any] = {"sha256": found, "source": source.label}
        if file.sha256 is None:
            origin["pinned"] = "on first use"
        if (scratch / PROVENANCE).exists():
            origin["provenance"] = _read_json(scratch / PROVENANCE)
        _write_json(scratch / "source.json", origin).replace(_origin_path(path))
        made.replace(path)
    return path


def _status_of(file: WeightFile, folder: Path | None) -> Status:
    try:
        path = verify(file.name, folder=folder)
    except LicenceNotAccepted as error:
        return Status(file.name, "licence", None, str(error))
    except MissingWeights as error:
        state: Literal["absent", "corrupt"] = "absent" if _present(file, folder) is None else "corrupt"
        return Status(file.name, state, None, str(error))
    source = _origin(file, folder).get("source", "put there by hand")
    pinned = "" if file.sha256 is not None else ", sha256 pinned on first use"
    size = path.stat().st_size / 1e6
    return Status(file.name, "ready", path, f"{path} ({size:.1f} MB, {file.licence}), {source}{pinned}")


# --- licences -----------------------------------------------------------------------------------------------


def _require_licence(file: WeightFile, folder: Path | None) -> None:
    if file.terms is None or _is_accepted(file, folder):
        return
    raise LicenceNotAccepted(
        f"weights {file.name!r} are under the {file.terms.name} ({file.terms.summary}; {file.terms.page}), "
        f"stricter than this package's own licence, so they are used only after you accept it: "
        f"r2m weights fetch {_selection(file)} --accept-licence, "
        f"or set REVISIT_METRIC_ACCEPT_LICENCES={_selection(file)}"
    )


def _is_accepted(file: WeightFile, folder: Path | None) -> bool:
    listed = os.environ.get("REVISIT_METRIC_ACCEPT_LICENCES", "").split(",")
    if {file.name, _selection(file)} & {name.strip() for name in listed}:
        return True
    path = weight_folder(folder) / _ACCEPTED
    return file.terms is not None and path.exists() and file.terms.name in _read_json(path)


def _record_acceptance(file: WeightFile, folder: Path | None) -> None:
    if file.terms is None:
        return
    path = weight_folder(folder) / _ACCEPTED
    path.parent.mkdir(parents=True, exist_ok=True)
    accepted = dict(_read_json(path)) if path.exists() else {}
    _write_json(path, {**accepted, file.terms.name: file.terms.page})


def _read_json(path: Path) -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _write_json(path: Path, content: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")
    return path
