"""The input images of a benchmark's instances, to hold a video's first frame against.

A source is a folder that `load_dataset` reads or a dataset's name on the Hub, a `.parquet` file, or a `.jsonl` list
whose `image` is a file beside it. Each row has `instance_id` and `image`.
"""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError


class InstanceError(ValueError):
    """A source of instances that cannot be read, or an image in it."""


class InstanceImages(Mapping[str, NDArray[np.uint8]]):
    """RGB images `(H, W, 3)` uint8 by instance id; each is decoded when it is asked for.

    Args:
        entries: A file, encoded bytes, or a dictionary with `bytes` or `path`, by instance id.
        folder: Folder that relative paths start from.

    Raises:
        InstanceError: On access, an image that cannot be read.

    Example:
        >>> InstanceImages({"0001/out_and_back": "0001.png"})["0001/out_and_back"]
        Traceback (most recent call last):
        revisit_metric.delivery.images.InstanceError: 0001/out_and_back: image '0001.png' cannot be read: ...
    """

    def __init__(self, entries: Mapping[str, Any], *, folder: Path = Path()) -> None:
        self._entries = dict(entries)
        self._folder = folder

    def __getitem__(self, instance_id: str) -> NDArray[np.uint8]:
        entry = self._entries[instance_id]
        place = entry.get("path") if isinstance(entry, Mapping) else entry
        data = entry.get("bytes") if isinstance(entry, Mapping) else entry
        try:
            stream = io.BytesIO(data) if isinstance(data, bytes) else (self._folder / str(place)).open("rb")
            with stream, Image.open(stream) as image:
                return np.asarray(image.convert("RGB"))
        except (OSError, UnidentifiedImageError) as error:
            raise InstanceError(f"{instance_id}: image {str(place)[:80]!r} cannot be read: {error}") from error

    def __contains__(self, instance_id: object) -> bool:
        # The mapping's own would decode the image, and fail on one that is broken.
        return instance_id in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def read_instance_images(source: str | Path, *, config: str | None = None, split: str = "test") -> InstanceImages:
    """Read which instances there are, and where their images are.

    Args:
        source: As in the module's docstring.
        config: The dataset's configuration, where it has several.
        split: The dataset's split.

    Raises:
        InstanceError: It cannot be read, a row has no `instance_id` or `image`, or an id is there twice.
    """
    text = str(source)
    rows = _listed(Path(source)) if text.endswith(".jsonl") else _dataset(text, config, split)
    entries: dict[str, Any] = {}
    for number, row in enumerate(rows, start=1):
        missing = [key for key in ("instance_id", "image") if not row.get(key)]
        if missing:
            raise InstanceError(f"{source}, row {number}: {missing[0]!r} is missing; it has {', '.join(sorted(row))}")
        if row["instance_id"] in entries:
            raise InstanceError(f"{source}, row {number}: {row['instance_id']!r} is there already")
        entries[row["instance_id"]] = row["image"]
    if not entries:
        raise InstanceError(f"{source}: holds no instance")
    return InstanceImages(entries, folder=Path(source).parent if text.endswith(".jsonl") else Path(source))


def _listed(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise InstanceError(f"{path}: cannot be read: {error}") from error
    for row in rows:
        if not isinstance(row, dict):
            raise InstanceError(f"{path}: a JSON {type(row).__name__}, expected an object a line")
        yield row


def _dataset(source: str, config: str | None, split: str) -> Iterator[dict[str, Any]]:
    import datasets
    from datasets.exceptions import DatasetsError

    try:
        if source.endswith(".parquet"):
            table = datasets.load_dataset("parquet", data_files={split: source}, split=split)
        else:
            table = datasets.load_dataset(source, config, split=split)
    except (ValueError, OSError, DatasetsError) as error:
        raise InstanceError(f"{source}: load_dataset cannot read it: {error}") from error
    columns = [name for name in ("instance_id", "image") if name in table.features]
    if "image" in columns:
        table = table.cast_column("image", datasets.Image(decode=False))
    yield from table.select_columns(columns)
