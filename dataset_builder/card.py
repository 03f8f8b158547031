"""The dataset card: the text of `cards/dataset_card.md` with the numbers of the files it lies beside.

Numbers are read back from the Parquet files, never carried over from the build, so that a card cannot
disagree with its data.
"""

from collections import Counter
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import yaml

from dataset_builder.builder import CONFIGS, SPLIT
from dataset_builder.findings import BuildError
from dataset_builder.scenes import OPEN_LICENCE

CARD_TEMPLATE = Path(__file__).parent.parent / "cards" / "dataset_card.md"
EVAL_TEMPLATE = Path(__file__).parent.parent / "cards" / "eval.yaml"

_COLUMNS = ("scene_id", "trajectory", "script", "category", "tags", "licence", "image_width", "image_height")


class ConfigFacts(NamedTuple):
    """What one configuration's files hold.

    Attributes:
        name: Of the configuration.
        n_instances: Rows.
        n_scenes: Different scene ids.
        trajectories: Names in the dataset's order, with their scripts.
        categories: Scenes of each; the key is "not stated" where a row has none.
        tags: Scenes with each.
        licences: Different licences.
        sizes: Different (width, height) that the intrinsics refer to.
        n_bytes: Of all its files.
    """

    name: str
    n_instances: int
    n_scenes: int
    trajectories: dict[str, list[dict[str, Any]]]
    categories: Counter[str]
    tags: Counter[str]
    licences: list[str]
    sizes: list[tuple[int, int]]
    n_bytes: int


def read_facts(folder: Path) -> list[ConfigFacts]:
    """Measure every configuration that was built into a folder.

    Raises:
        BuildError: The folder holds none.
    """
    found = {name: sorted((folder / name).glob(f"{SPLIT}-*.parquet")) for name in CONFIGS}
    facts = [_facts(name, files) for name, files in found.items() if files]
    if not facts:
        raise BuildError(f"{folder}: holds no dataset: build one first, as in `build --config open --out {folder}`")
    return facts


def write_card(folder: Path) -> Path:
    """Write `README.md` for all configurations in the folder, with the `configs:` that `load_dataset` needs.

    Raises:
        BuildError: The folder holds no configuration.
    """
    facts = read_facts(folder)
    text = Template(CARD_TEMPLATE.read_text(encoding="utf-8")).substitute(
        front_matter=_front_matter(facts),
        first_config=facts[0].name,
        configs="\n".join(_config_line(entry) for entry in facts),
        trajectories="\n".join(_trajectory_lines(facts)),
        contents="\n".join(_content_lines(facts)),
    )
    card = folder / "README.md"
    card.write_text(text, encoding="utf-8")
    return card


def eval_yaml(facts: list[ConfigFacts]) -> str | None:
    """The benchmark registration, one task for each configuration with scores of its own.

    Returns:
        YAML, or `None` where only a user's own scenes were built: those are no benchmark.
    """
    known = [entry.name for entry in facts if entry.name != "custom"]
    if not known:
        return None
    registration = yaml.safe_load(EVAL_TEMPLATE.read_text(encoding="utf-8"))
    registration["tasks"] = [{"id": name, "config": name, "split": SPLIT} for name in known]
    return yaml.safe_dump(registration, sort_keys=False, allow_unicode=True, width=110)


def _facts(name: str, files: list[Path]) -> ConfigFacts:
    import datasets
    import pyarrow as pa
    from pyarrow.parquet import read_schema, read_table

    features = datasets.Features.from_arrow_schema(read_schema(files[0]))
    rows = pa.concat_tables([read_table(file, columns=list(_COLUMNS)) for file in files]).to_pylist()
    scenes = {row["scene_id"]: row for row in rows}
    trajectory, category = features["trajectory"], features["category"]
    return ConfigFacts(
        name=name,
        n_instances=len(rows),
        n_scenes=len(scenes),
        trajectories={
            label: next(row["script"] for row in rows if row["trajectory"] == index)
            for index, label in enumerate(trajectory.names)
        },
        categories=Counter(
            "not stated" if row["category"] is None else category.int2str(row["category"]) for row in scenes.values()
        ),
        tags=Counter(tag for row in scenes.values() for tag in row["tags"]),
        licences=sorted({row["licence"] for row in rows}),
        sizes=sorted({(row["image_width"], row["image_height"]) for row in rows}),
        n_bytes=sum(file.stat().st_size for file in files),
    )


def _front_matter(facts: list[ConfigFacts]) -> str:
    licences = {licence for entry in facts for licence in entry.licences}
    matter = {
        "pretty_name": "Revisit instances (R2M-Bench)",
        "license": "cc0-1.0" if licences == {OPEN_LICENCE} else "other",
        "task_categories": ["image-to-video"],
        "size_categories": [_size_category(sum(entry.n_instances for entry in facts))],
        "tags": ["world-models", "video-generation", "memory", "benchmark"],
        "configs": [
            {
                "config_name": entry.name,
                "data_files": [{"split": SPLIT, "path": f"{entry.name}/{SPLIT}-*.parquet"}],
            }
            for entry in facts
        ],
    }
    return yaml.safe_dump(matter, sort_keys=False).rstrip()


def _size_category(rows: int) -> str:
    for bound, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if rows < bound:
            return name
    return "100K<n<1M"


def _config_line(entry: ConfigFacts) -> str:
    sizes = ", ".join(f"{width} x {height}" for width, height in entry.sizes[:3])
    more = f" and {len(entry.sizes) - 3} more" if len(entry.sizes) > 3 else ""
    cells = (
        f"`{entry.name}`",
        entry.n_scenes,
        len(entry.trajectories),
        entry.n_instances,
        f"{sizes}{more}",
        f"{entry.n_bytes / 1e6:.1f} MB",
        ", ".join(entry.licences),
    )
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _trajectory_lines(facts: list[ConfigFacts]) -> list[str]:
    scripts = {name: script for entry in facts for name, script in entry.trajectories.items()}
    lines = []
    for name, script in scripts.items():
        frames = 1 + sum(row["frames"] for row in script)
        text = ", ".join(f"{row['action']} {row['frames']}" for row in script)
        lines.append(f"| `{name}` | {frames} | {text} |")
    return lines


def _content_lines(facts: list[ConfigFacts]) -> list[str]:
    lines = []
    for entry in facts:
        for kind, counts in (("category", entry.categories), ("tag", entry.tags)):
            text = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
            lines.append(f"| `{entry.name}` | {kind} | {text or 'none'} |")
    return lines
