"""Parquet shards in which each image is stored once, though three rows show it.

`Dataset.to_parquet` switches dictionaries off for images, and every row then carries its own copy. A column
dictionary stores equal values once within a row group, so a row group holds whole scenes. It stays small
because reading one row, as streaming does, decodes its row group's whole dictionary.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataset_builder.builder import SPLIT

if TYPE_CHECKING:
    import datasets

SCENES_PER_GROUP = 10
DICTIONARY_LIMIT = 1 << 30
"""Bytes of a column's dictionary beyond which Parquet would write plain copies again."""
SHARD_LIMIT = 500_000_000


def write_shards(
    dataset: "datasets.Dataset", folder: Path, *, rows_per_scene: int, shard_limit: int = SHARD_LIMIT
) -> list[Path]:
    """Write a dataset as `test-00000-of-0000N.parquet`, in place of what an earlier build left there.

    Args:
        dataset: Rows scene by scene.
        folder: Folder of one configuration; made where it does not exist.
        rows_per_scene: Rows that share an image.
        shard_limit: Bytes after which a new file is begun.

    Returns:
        The files, in order.
    """
    partial = folder / ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    tables = _tables(dataset, rows_per_scene * SCENES_PER_GROUP)
    written = _write(tables, partial, shard_limit)
    for old in folder.glob(f"{SPLIT}-*.parquet"):
        old.unlink()
    names = [f"{SPLIT}-{index:05d}-of-{len(written):05d}.parquet" for index in range(len(written))]
    shards = [path.replace(folder / name) for path, name in zip(written, names, strict=True)]
    partial.rmdir()
    return shards


def _tables(dataset: "datasets.Dataset", rows: int) -> Iterator[Any]:
    schema = dataset.features.arrow_schema
    for table in dataset.with_format("arrow").iter(rows):
        yield table.cast(schema)


def _write(tables: Iterator[Any], folder: Path, shard_limit: int) -> list[Path]:
    paths: list[Path] = []
    table = next(tables, None)
    while table is not None:
        paths.append(folder / f"{len(paths)}.parquet")
        with paths[-1].open("wb") as file, _writer(file, table.schema) as writer:
            writer.write_table(table, row_group_size=len(table))
            while (table := next(tables, None)) is not None and file.tell() < shard_limit:
                writer.write_table(table, row_group_size=len(table))
    return paths


def _writer(file: Any, schema: Any) -> Any:
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(file, schema, compression="zstd", dictionary_pagesize_limit=DICTIONARY_LIMIT)
