"""The benchmark's official instances, from their authors' own files.

Nothing of them is kept in this project: prompts and camera paths are read from your checkout of the code
repository (`meta_data/data_single_<T>_100.json`, `trajectories/trajectory_<T>_30s.json`), images from the Hub
dataset at a commit that you name, or from a local copy. Everything that should agree is compared: the three
prompt lists with each other, the images with the lists, the paths with our templates, bit by bit. The release
states no licence, and says nothing of a scene's category.
"""

import functools
import hashlib
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from dataset_builder.findings import BuildError, Findings
from dataset_builder.images import SUFFIXES, ImageError, image_facts
from dataset_builder.prompts import Label, PromptError, plain_name, read_labels, read_text
from dataset_builder.scenes import UNSTATED, Scene, check_ids
from revisit_metric.pose_files import read_intrinsics, read_poses
from revisit_metric.templates import TEMPLATES, Template, release_intrinsics
from revisit_metric.trajectory import PoseError

HUB_IMAGES = "GD-ML/R2MBench"
IMAGE_FOLDER = "test_imgs"
N_SCENES = 100
CAMERA_SIZE = (1920, 1080)
"""Width and height that the release's intrinsics refer to."""

_PINNED = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")

Entries = dict[str, str]
"""Prompt by image file name, in the list's order."""


def release_templates() -> list[Template]:
    """The templates that the release has, in our order."""
    return [entry for entry in TEMPLATES.values() if entry.release_name]


def read_release_scenes(release: Path, *, images: str | Path, labels: Path | None = None) -> list[Scene]:
    """Read the official scenes, in the order of the prompt lists.

    Args:
        release: Checkout of the release's code repository.
        images: A folder with the images (or with `test_imgs` in it), or `"GD-ML/R2MBench@<commit>"` to
            download them from the Hub; the commit is its full 40 digits.
        labels: A table of `file_name`, `category` and `tags`, if you have one; see `prompts`.

    Raises:
        BuildError: Every disagreement, each with its file: lists that differ, images that are missing or
            unreadable, paths that are not our templates', a malformed file.
    """
    findings = Findings()
    lists = {_list_path(release, entry): _entries(release, entry, findings) for entry in release_templates()}
    for entry in release_templates():
        _check_poses(_pose_path(release, entry), entry, findings)
    read = {path: entries for path, entries in lists.items() if entries}
    first, entries = next(iter(read.items()), (release, {}))
    for path, other in read.items():
        _compare(first, entries, path, other, findings)
    findings.raise_any(f"{release}: the release cannot be used")
    folder, origin = _image_folder(images)
    source = f"AMAP-ML/R2MBench prompts (sha256 {_digest(first)}), images {origin}"
    scenes = _scenes(folder, entries, _labels(labels, entries, findings), source, findings)
    check_ids(scenes, findings)
    findings.raise_any(f"{folder}: the images cannot be used")
    return scenes


def surplus_images(release: Path, images: str | Path) -> list[Path]:
    """Images in the folder that no prompt list names."""
    named = _entries(release, release_templates()[0], Findings())
    folder, _ = _image_folder(images)
    found = (path for path in sorted(folder.iterdir()) if path.suffix.lower() in SUFFIXES)
    return [path for path in found if path.name not in named]


def _list_path(release: Path, entry: Template) -> Path:
    return release / "meta_data" / f"data_single_{entry.release_name}_{N_SCENES}.json"


def _pose_path(release: Path, entry: Template) -> Path:
    return release / "trajectories" / f"trajectory_{entry.release_name}_30s.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _entries(release: Path, entry: Template, findings: Findings) -> Entries:
    path = _list_path(release, entry)
    try:
        rows = json.loads(read_text(path))
    except PromptError as error:
        findings.add(path, error)
        return {}
    except ValueError as error:
        findings.add(path, f"not JSON: {error}")
        return {}
    if not isinstance(rows, list) or len(rows) != N_SCENES:
        found = f"{len(rows)} entries" if isinstance(rows, list) else type(rows).__name__
        findings.add(path, f"expected a list of {N_SCENES} entries, found {found}")
    entries: Entries = {}
    for index, row in enumerate(rows if isinstance(rows, list) else []):
        fault = _entry_fault(row, _pose_path(release, entry).name, entries)
        if fault:
            findings.add(path, f"entry {index}: {fault}")
        else:
            entries[_name(row["image"])] = row["prompt"]
    return entries


def _name(posix_path: str) -> str:
    return plain_name(PurePosixPath(posix_path).name)


def _entry_fault(row: Any, poses: str, seen: Entries) -> str | None:
    if not isinstance(row, dict):
        return f"expected an object, found {type(row).__name__}"
    for key in ("image", "prompt", "pose_json_path"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            return f"{key} is {row.get(key)!r}, expected text"
    if _name(row["image"]) in seen:
        return f"image {row['image']!r} is listed a second time"
    if _name(row["pose_json_path"]) != poses:
        return f"pose_json_path is {row['pose_json_path']!r}, expected {poses}"
    return None


def _compare(first: Path, entries: Entries, path: Path, other: Entries, findings: Findings) -> None:
    """Record how another template's list differs from the first one's."""
    for name in [*entries, *(name for name in other if name not in entries)]:
        if name not in other:
            findings.add(path, f"does not list {name}, which {first.name} lists")
        elif name not in entries:
            findings.add(path, f"lists {name}, which {first.name} does not")
        elif entries[name] != other[name]:
            findings.add(path, f"the prompt of {name} differs from the one in {first.name}")


def _check_poses(path: Path, entry: Template, findings: Findings) -> None:
    try:
        poses, cameras = read_poses(path), read_intrinsics(path)
    except PoseError as error:
        findings.add(path, error)
        return
    ours = entry.poses()
    if poses.shape != ours.shape:
        findings.add(path, f"holds {len(poses)} frames, expected {len(ours)}")
    elif poses.tobytes() != ours.tobytes():
        frame = int(np.flatnonzero((poses.view(np.int64) != ours.view(np.int64)).any(axis=(1, 2)))[0])
        gap = float(np.abs(poses - ours).max())
        findings.add(path, f"differs from template {entry.name!r} from frame {frame} on, by up to {gap:.3g}")
    if not (cameras == release_intrinsics(*CAMERA_SIZE)).all():
        findings.add(path, f"K is {cameras[0].tolist()}, expected the release's camera for {CAMERA_SIZE}")


def _image_folder(images: str | Path) -> tuple[Path, str]:
    """The folder that holds the images, and where they come from."""
    pinned = _PINNED.fullmatch(str(images))
    if pinned:
        return _download(pinned["repo"], pinned["commit"]), str(images)
    folder = Path(images)
    if not folder.is_dir():
        raise BuildError(f"{images}: no such folder; to download, pin the commit: '{HUB_IMAGES}@' and its 40 digits")
    return (folder / IMAGE_FOLDER if (folder / IMAGE_FOLDER).is_dir() else folder), "from a local folder"


@functools.cache
def _download(repo: str, commit: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        root = snapshot_download(repo, repo_type="dataset", revision=commit, allow_patterns=[f"{IMAGE_FOLDER}/*"])
    except OSError as error:
        raise BuildError(f"{repo}@{commit}: the images cannot be downloaded: {error}") from error
    folder = Path(root) / IMAGE_FOLDER
    if not folder.is_dir():
        raise BuildError(f"{repo}@{commit}: holds no folder {IMAGE_FOLDER}")
    return folder


def _labels(path: Path | None, entries: Entries, findings: Findings) -> dict[str, Label]:
    if path is None:
        return {}
    try:
        labels = read_labels(path)
    except PromptError as error:
        findings.add(path, error)
        return {}
    for name, label in labels.items():
        if name not in entries:
            findings.add(path, f"names {name!r}, which is no image of the release")
        if label.prompt or label.licence or label.source:
            findings.add(path, f"{name}: only category and tags can be given: the rest is the release's")
    return labels


def _scenes(folder: Path, entries: Entries, labels: dict[str, Label], source: str, findings: Findings) -> list[Scene]:
    scenes = []
    for name, prompt in entries.items():
        path, label = folder / name, labels.get(name, Label())
        if _is_readable(path, findings):
            scenes.append(Scene(path.stem, path, CAMERA_SIZE, prompt, label.category, label.tags, UNSTATED, source))
    return scenes


def _is_readable(path: Path, findings: Findings) -> bool:
    if not path.is_file():
        findings.add(path, "missing, though the prompt lists name it")
        return False
    try:
        image_facts(path)
    except ImageError as error:
        findings.add(path, error)
        return False
    return True
