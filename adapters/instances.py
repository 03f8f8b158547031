"""Instances from a dataset or from a list of your own.

A dataset is a folder that `load_dataset` reads (what `python -m dataset_builder` writes) or a name on the
Hub. A list is a JSONL file, one object a line: `instance_id` ("scene/trajectory"), `image` (a file beside the
list), `prompt`, and the path as one of

* `trajectory`: the name of a template; left out, it is the part of the id after the last slash;
* `script`: text or rows, with `metres_per_frame` and `degrees_per_frame`;
* `poses`: a pose file or a nested list `(T, 4, 4)`, camera-to-world OpenCV, metres; beside it `script` for
  models that take actions.

Optional: `intrinsics` `(3, 3)` with `image_width` and `image_height`, else the benchmark's camera (89.4
degrees across); `fps`.

Images are copied, one file for equal bytes, so that an export folder can be moved to another machine as a
whole.
"""

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from adapters.protocol import AdapterError, Instance
from revisit_metric.pose_files import read_poses
from revisit_metric.script import ScriptError, Segment, parse_script, script_from_rows
from revisit_metric.templates import TEMPLATES, release_intrinsics, template
from revisit_metric.trajectory import PoseError, Poses, integrate, rebase, validate_poses

_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")
_NEEDED = ("instance_id", "image", "prompt")
_PATH_KEYS = ("trajectory", "script", "metres_per_frame", "degrees_per_frame", "poses")
_CAMERA_KEYS = ("intrinsics", "image_width", "image_height", "fps")
_PASSED_OVER = ("scene_id", "category", "tags", "licence", "source")
_KNOWN = {*_NEEDED, *_PATH_KEYS, *_CAMERA_KEYS, *_PASSED_OVER}


def read_instances(
    source: str, *, images: Path, config: str | None = None, split: str = "test", limit: int | None = None
) -> Iterator[Instance]:
    """Instances in their order.

    Args:
        source: A JSONL file, a dataset's folder, or its name on the Hub.
        images: Folder that image files are copied to.
        config: The dataset's configuration, where it has several.
        split: The dataset's split.
        limit: Stop after so many.

    Raises:
        AdapterError: Nothing to read, or a row that is no instance; the message names the row.
    """
    if limit is not None and limit < 1:
        raise AdapterError(f"the limit is {limit}, expected at least 1 instance")
    folder, rows = _jsonl(Path(source)) if source.endswith(".jsonl") else _dataset(source, config, split)
    images.mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        if limit is not None and number > limit:
            return
        try:
            instance = instance_from_row(row, folder=folder, images=images)
        except (AdapterError, PoseError, ScriptError, OSError) as error:
            raise AdapterError(f"{source}, row {number}: {error}") from error
        if instance.instance_id in seen:
            raise AdapterError(f"{source}, row {number}: {instance.instance_id!r} is there already")
        seen.add(instance.instance_id)
        yield instance
    if not seen:
        raise AdapterError(f"{source}: holds no instance")


def instance_from_row(row: Mapping[str, Any], *, folder: Path, images: Path) -> Instance:
    """An instance from a dataset's row or a line of a list.

    Args:
        row: Its keys as in the module's docstring; `image` may also be a dictionary with `bytes` or `path`.
        folder: Folder that relative paths start from.
        images: Folder that the image is copied to.

    Raises:
        AdapterError: A key that is missing, unknown or malformed.
        ValueError: Poses, a script or a template that cannot be used.
    """
    for key in row:
        if key not in _KNOWN:
            raise AdapterError(f"unknown key {key!r}; known are {', '.join(sorted(_KNOWN))}")
    for key in _NEEDED:
        if not row.get(key):
            raise AdapterError(f"{key!r} is missing")
    name = row["instance_id"]
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise AdapterError(f"instance_id is {name!r}, expected words of letters, digits, '.', '-', '_' between slashes")
    file, size = _image(row["image"], folder, images)
    poses, script = _path(row, name, folder)
    width, height = int(row.get("image_width") or size[0]), int(row.get("image_height") or size[1])
    return Instance(
        instance_id=name,
        image=file,
        prompt=str(row["prompt"]),
        poses=poses if np.array_equal(poses[0], np.eye(4)) else rebase(poses),
        script=script,
        trajectory=str(row.get("trajectory") or name.rpartition("/")[2]),
        intrinsics=_intrinsics(row.get("intrinsics"), width, height),
        image_size=(width, height),
        fps=float(row.get("fps") or 16.0),
    )


def _jsonl(path: Path) -> tuple[Path, Iterator[Mapping[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AdapterError(f"{path}: cannot be read: {error}") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise AdapterError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise AdapterError(f"{path}, line {number}: a JSON {type(row).__name__}, expected an object")
        rows.append(row)
    return path.parent, iter(rows)


def _dataset(source: str, config: str | None, split: str) -> tuple[Path, Iterator[Mapping[str, Any]]]:
    from datasets import ClassLabel, Image, load_dataset
    from datasets.exceptions import DatasetsError

    try:
        table = load_dataset(source, config, split=split)
    except (ValueError, OSError, DatasetsError) as error:
        raise AdapterError(f"{source}: load_dataset cannot read it: {error}") from error
    features = table.features
    if "image" in features:
        table = table.cast_column("image", Image(decode=False))
    labels = {name: feature for name, feature in features.items() if isinstance(feature, ClassLabel)}

    def rows() -> Iterator[Mapping[str, Any]]:
        for row in table:
            known = {key: value for key, value in row.items() if value is not None}
            yield {key: labels[key].int2str(value) if key in labels else value for key, value in known.items()}

    return Path(source), rows()


def _image(entry: Any, folder: Path, images: Path) -> tuple[Path, tuple[int, int]]:
    """The copied image and its (width, height)."""
    data = entry.get("bytes") if isinstance(entry, Mapping) else None
    if data is None:
        place = entry.get("path") if isinstance(entry, Mapping) else entry
        if not isinstance(place, str | Path):
            raise AdapterError(f"image is {type(entry).__name__}, expected a file or its bytes")
        data = (folder / place).read_bytes()
    try:
        with Image.open(io.BytesIO(data)) as image:
            size, kind = image.size, str(image.format).lower()
    except UnidentifiedImageError as error:
        raise AdapterError(f"image is {len(data)} bytes of no known picture format") from error
    file = images.resolve() / f"{hashlib.sha256(data).hexdigest()[:16]}.{'jpg' if kind == 'jpeg' else kind}"
    if not file.exists():
        file.write_bytes(data)
    return file, size


def _path(row: Mapping[str, Any], name: str, folder: Path) -> tuple[Poses, tuple[Segment, ...] | None]:
    steps = {key: row.get(key) for key in ("metres_per_frame", "degrees_per_frame")}
    script = row.get("script")
    segments = None
    if script:
        segments = parse_script(script, **steps) if isinstance(script, str) else script_from_rows(script)
    entry = row.get("poses")
    if entry is not None:
        return read_poses(folder / entry) if isinstance(entry, str) else validate_poses(entry), segments
    if segments is not None:
        return integrate(segments, **steps), segments
    known = row.get("trajectory") or name.rpartition("/")[2]
    if known not in {text for each in TEMPLATES.values() for text in (each.name, each.release_name)}:
        raise AdapterError(f"{name}: no 'poses', no 'script', and {known!r} is no template")
    return np.array(template(known).poses()), template(known).script


def _intrinsics(entry: Any, width: int, height: int) -> NDArray[np.float64]:
    if entry is None:
        return release_intrinsics(width, height)
    camera = np.asarray(entry, dtype=np.float64)
    if camera.shape != (3, 3) or not np.isfinite(camera).all() or min(camera[0, 0], camera[1, 1]) <= 0:
        raise AdapterError(f"intrinsics have shape {camera.shape}, expected a (3, 3) matrix in pixels")
    if camera[0, 2] > width or camera[1, 2] > height or camera[0, 2] < 2:
        raise AdapterError(
            f"the principal point {camera[:2, 2].tolist()} lies outside an image of {width} x {height}: "
            "give image_width and image_height of the image that the intrinsics refer to"
        )
    return camera
