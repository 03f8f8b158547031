"""Scenes: one image with its prompt, from which every trajectory starts; and the reader of the open set.

The open set is a folder of its own making, and is checked as such:
    `scenes.jsonl`: one object a line: `scene_id`, `file` (relative to the folder), `sha256` of that file,
        `width`, `height`, `category`, `tags`, `prompt`; and how it was drawn (`layout`, `seed`, ...), which
        the dataset keeps only as the scene's source.
    `LICENSE`: must name `OPEN_LICENCE`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataset_builder.findings import BuildError, Findings
from dataset_builder.images import ImageError, image_bytes, image_size
from dataset_builder.prompts import CATEGORIES, PromptError, read_text

OPEN_FOLDER = Path(__file__).parent / "open"
OPEN_LICENCE = "CC0-1.0"

UNSTATED = "not stated"
"""Licence of an image for which nobody stated one: all rights may be reserved."""

_OPEN_KEYS: dict[str, type] = {
    "scene_id": str,
    "file": str,
    "sha256": str,
    "width": int,
    "height": int,
    "category": str,
    "tags": list,
    "prompt": str,
    "layout": str,
    "seed": int,
}


@dataclass(frozen=True)
class Scene:
    """One start image with what is known of it.

    Attributes:
        scene_id: First part of its instances' ids; unique in a configuration, without a slash.
        path: The image file.
        camera_size: Width and height in pixels that the scene's camera matrix refers to.
        prompt: Text a model is given with the image.
        category: One of `CATEGORIES`, or `None` where nobody said.
        tags: Free words.
        licence: Of the image and the prompt.
        source: Where both come from.
    """

    scene_id: str
    path: Path
    camera_size: tuple[int, int]
    prompt: str
    category: str | None = None
    tags: tuple[str, ...] = ()
    licence: str = UNSTATED
    source: str = ""

    def image(self) -> dict[str, Any]:
        """The image as the dataset stores it: `{"bytes": ..., "path": file name}`."""
        data, name = image_bytes(self.path)
        return {"bytes": data, "path": name}


def check_ids(scenes: Iterable[Scene], findings: Findings) -> None:
    """Record scene ids that no instance id can be made of, and ids that two images share."""
    seen: dict[str, Path] = {}
    for scene in scenes:
        if not scene.scene_id.strip() or "/" in scene.scene_id:
            findings.add(scene.path, f"scene id {scene.scene_id!r}, expected a name without a slash")
        if scene.scene_id in seen:
            findings.add(scene.path, f"scene id {scene.scene_id!r} is taken by {seen[scene.scene_id]}")
        seen.setdefault(scene.scene_id, scene.path)


def read_open_scenes(folder: Path = OPEN_FOLDER) -> list[Scene]:
    """Read the open set, in the order of its list, every file compared with its checksum.

    Args:
        folder: A folder laid out as in the module's docstring.

    Raises:
        BuildError: All that is wrong with it: a missing list, licence or image, an image of other bytes or
            size, a missing or mistyped key, a category that is not one, a scene id twice, no scene.
    """
    findings = Findings()
    rows = _rows(folder / "scenes.jsonl")
    _check_licence(folder, findings)
    scenes = [scene for line, row in rows if (scene := _open_scene(folder, line, row, findings))]
    check_ids(scenes, findings)
    findings.raise_any(f"{folder}: the open set cannot be used")
    return scenes


def _rows(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    if not path.is_file():
        raise BuildError(f"{path}: no such file: expected a folder with scenes.jsonl and images")
    rows = []
    try:
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.strip():
                rows.append((number, json.loads(line)))
    except PromptError as error:
        raise BuildError(str(error)) from error
    except ValueError as error:
        raise BuildError(f"{path}, line {number}: not JSON: {error}") from error
    if not rows:
        raise BuildError(f"{path}: holds no scene")
    return rows


def _check_licence(folder: Path, findings: Findings) -> None:
    files = sorted(folder.glob("LICENSE*"))
    if not files:
        findings.add(folder / "LICENSE", f"missing: the images are published as {OPEN_LICENCE}")
    elif not any(OPEN_LICENCE in read_text(file) for file in files):
        findings.add(files[0], f"does not name {OPEN_LICENCE}")


def _open_scene(folder: Path, line: int, row: Any, findings: Findings) -> Scene | None:
    where = f"{folder / 'scenes.jsonl'}, line {line}"
    fault = _row_fault(row)
    if fault:
        findings.add(where, fault)
        return None
    path = folder / row["file"]
    fault = _file_fault(folder, path, row)
    if fault:
        findings.add(path, fault)
        return None
    return Scene(
        scene_id=row["scene_id"],
        path=path,
        camera_size=(row["width"], row["height"]),
        prompt=row["prompt"],
        category=row["category"],
        tags=tuple(row["tags"]),
        licence=OPEN_LICENCE,
        source=f"revisit-metric reference world, layout {row['layout']}, seed {row['seed']}",
    )


def _row_fault(row: Any) -> str | None:
    if not isinstance(row, dict):
        return f"expected an object, found {type(row).__name__}"
    for key, kind in _OPEN_KEYS.items():
        if not isinstance(row.get(key), kind) or row[key] == "":
            return f"{key} is {row[key]!r}, expected {kind.__name__}" if key in row else f"no {key!r}"
    if row["category"] not in CATEGORIES:
        return f"category is {row['category']!r}, expected one of {', '.join(CATEGORIES)}"
    if not all(isinstance(tag, str) and tag for tag in row["tags"]):
        return f"tags are {row['tags']!r}, expected words"
    return None


def _file_fault(folder: Path, path: Path, row: Mapping[str, Any]) -> str | None:
    if not path.resolve().is_relative_to(folder.resolve()):
        return "leaves the folder"
    if not path.is_file():
        return "missing"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != row["sha256"]:
        return f"sha256 is {digest[:16]}..., listed as {row['sha256'][:16]}...: changed, or cut off in a copy"
    try:
        size = image_size(path)
    except ImageError as error:
        return str(error)
    if size != (row["width"], row["height"]):
        return f"is {size[0]} x {size[1]} pixels, listed as {row['width']} x {row['height']}"
    return None
