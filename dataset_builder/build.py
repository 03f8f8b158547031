"""From inputs to a folder that `load_dataset` reads: Parquet shards and a card."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from dataset_builder.builder import SPLIT, RevisitBench
from dataset_builder.card import write_card
from dataset_builder.parquet import write_shards


class Built(NamedTuple):
    """What a build wrote.

    Attributes:
        config: Its configuration.
        n_scenes: Images.
        n_instances: Rows.
        shards: Parquet files.
        left_out: Files among the inputs that no row was made of.
    """

    config: str
    n_scenes: int
    n_instances: int
    shards: list[Path]
    left_out: list[Path]


def build(out: Path, config: str, **options: Any) -> Built:
    """Build one configuration into `out/<config>/` and bring `out/README.md` up to date.

    Configurations built earlier into the same folder stay. The same inputs give the same bytes.

    Args:
        out: The dataset's folder.
        config: "open", "official" or "custom".
        **options: Those of `RevisitBenchConfig`.

    Raises:
        BuildError: Everything that is wrong with the inputs; nothing is written then.
        TemplateError: A template file that cannot be used.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        builder = RevisitBench(config_name=config, cache_dir=cache, **options)
        builder.download_and_prepare()
        dataset = builder.as_dataset(split=SPLIT)
        per_scene = len(builder.config.all_templates())
        shards = write_shards(dataset, out / config, rows_per_scene=per_scene)
        count = len(dataset)
    write_card(out)
    return Built(config, count // per_scene, count, shards, builder.config.left_out())
