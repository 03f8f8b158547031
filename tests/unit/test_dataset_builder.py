"""From scenes to rows, Parquet and the card; everything read back through `datasets`."""

import hashlib
import json

import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from dataset_builder.build import build
from dataset_builder.builder import RevisitBench, instance_features
from dataset_builder.card import eval_yaml, read_facts
from dataset_builder.findings import BuildError
from dataset_builder.parquet import write_shards
from revisit_metric.script import script_from_rows
from revisit_metric.templates import TEMPLATES, TemplateError, release_intrinsics, template
from revisit_metric.trajectory import integrate

NAMES = ["out_and_back", "translation_rotation", "closed_loop"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def own_templates():
    """Undo registrations."""
    known = dict(TEMPLATES)
    yield
    TEMPLATES.clear()
    TEMPLATES.update(known)


def write_open_set(folder, n_scenes=2):
    (folder / "images").mkdir(parents=True)
    (folder / "LICENSE").write_text("CC0-1.0")
    with (folder / "scenes.jsonl").open("w") as file:
        for index in range(1, n_scenes + 1):
            path = folder / "images" / f"{index:04d}.jpg"
            noise = np.random.default_rng(index).integers(0, 256, (120, 208, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((832, 480), Image.Resampling.NEAREST).save(path, quality=93)
            row = {
                "scene_id": f"{index:04d}",
                "file": f"images/{path.name}",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "width": 832,
                "height": 480,
                "category": ["indoor", "urban"][index % 2],
                "tags": ["object-rich", "outdoor"][: index % 3],
                "prompt": f"Place {index}",
                "layout": "loft",
                "seed": index,
            }
            file.write(json.dumps(row) + "\n")
    return folder


def glance(folder, name="glance", script="yaw_left 9deg, yaw_right 9deg"):
    path = folder / f"{name}.yaml"
    path.write_text(f"name: {name}\nscript: {script}\ndegrees_per_frame: 0.5\n")
    return path


def load(folder, config, **options):
    return datasets.load_dataset(str(folder), config, split="test", **options)


def same_bits(rows, array):
    found = np.asarray(rows, dtype=np.float64)
    return found.shape == array.shape and found.tobytes() == array.tobytes()


def test_rows_read_back_to_the_bit(tmp_path):
    scenes = write_open_set(tmp_path / "open", 4)
    built = build(tmp_path / "out", "open", scenes=scenes)
    assert (built.n_scenes, built.n_instances, len(built.shards)) == (4, 12, 1)
    for dataset in (load(tmp_path / "out", "open"), load(tmp_path / "out", "open", streaming=True)):
        rows = list(dataset)
        assert [row["instance_id"] for row in rows] == [
            f"{scene:04d}/{name}" for scene in (1, 2, 3, 4) for name in NAMES
        ]
        for row in rows:
            entry = template(row["instance_id"].partition("/")[2])
            assert dataset.features["trajectory"].int2str(row["trajectory"]) == entry.name
            assert script_from_rows(row["script"]) == entry.script
            assert isinstance(row["poses"][0][0], list)
            assert same_bits(row["poses"], entry.poses())
            assert same_bits(row["intrinsics"], release_intrinsics(832, 480))
            assert (row["image_width"], row["image_height"], row["fps"]) == (832, 480, 16.0)
            assert row["image"].size == (832, 480)
        first = rows[0]
        assert dataset.features["category"].int2str(first["category"]) == "urban"
        assert (first["prompt"], first["tags"], first["licence"]) == ("Place 1", ["object-rich"], "CC0-1.0")
        assert first["source"].endswith("layout loft, seed 1")
    assert dataset.features["poses"] == datasets.Array3D(shape=(481, 4, 4), dtype="float64")


def test_numpy_format_needs_its_dtype(tmp_path):
    """`datasets` narrows floats unless told otherwise; the card says so."""
    build(tmp_path / "out", "open", scenes=write_open_set(tmp_path / "open"))
    dataset = load(tmp_path / "out", "open")
    assert dataset.with_format("numpy")[0]["poses"].dtype == np.float32
    kept = dataset.with_format("numpy", columns=["poses"], dtype=np.float64)[0]["poses"]
    assert same_bits(kept, template("out_and_back").poses())


def test_image_bytes_are_those_of_the_file_and_stored_once(tmp_path):
    scenes = write_open_set(tmp_path / "open", 12)
    built = build(tmp_path / "out", "open", scenes=scenes)
    files = {path.name: path.read_bytes() for path in (scenes / "images").iterdir()}
    dataset = load(tmp_path / "out", "open").cast_column("image", datasets.Image(decode=False))
    assert all(row["bytes"] == files[row["path"]] for row in dataset["image"])
    total = sum(map(len, files.values()))
    assert built.shards[0].stat().st_size < 1.2 * total  # not three times
    parquet = pq.ParquetFile(built.shards[0])
    assert parquet.metadata.num_row_groups == 2  # ten scenes, then two


def test_the_same_inputs_give_the_same_bytes_and_replace_the_old(tmp_path):
    scenes = write_open_set(tmp_path / "open")
    (first,) = build(tmp_path / "a", "open", scenes=scenes).shards
    (second,) = build(tmp_path / "b", "open", scenes=scenes).shards
    assert first.read_bytes() == second.read_bytes()
    stale = first.with_name("test-00001-of-00002.parquet")
    stale.write_bytes(first.read_bytes())
    build(tmp_path / "a", "open", scenes=scenes)
    assert sorted(path.name for path in first.parent.iterdir()) == ["test-00000-of-00001.parquet"]
    assert (tmp_path / "a" / "README.md").read_text() == (tmp_path / "b" / "README.md").read_text()


def test_large_datasets_are_split_into_shards(tmp_path):
    builder = RevisitBench(config_name="open", scenes=write_open_set(tmp_path / "open", 21))
    builder.download_and_prepare()
    dataset = builder.as_dataset(split="test")
    shards = write_shards(dataset, tmp_path / "out", rows_per_scene=3, shard_limit=1)
    assert [path.name for path in shards] == [f"test-{index:05d}-of-00003.parquet" for index in range(3)]
    files = [str(path) for path in shards]
    read = datasets.load_dataset("parquet", data_files=files, split="train")
    assert read["instance_id"] == dataset["instance_id"]


def test_a_changed_input_is_not_taken_from_the_cache(tmp_path):
    scenes = write_open_set(tmp_path / "open")
    path = scenes / "scenes.jsonl"
    for prompt in ("Place 1", "Another"):
        path.write_text(path.read_text().replace("Place 1", prompt))
        builder = RevisitBench(config_name="open", scenes=str(scenes))
        builder.download_and_prepare()
        assert builder.as_dataset(split="test")[0]["prompt"] == prompt


@pytest.mark.usefixtures("own_templates")
def test_own_images_with_an_own_template(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    noise = np.random.default_rng(0).integers(0, 256, (540, 960), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "grey.png")
    (folder / "grey.txt").write_text("A grey place")
    options = {"scenes": folder, "templates": (glance(tmp_path),), "licence": "CC-BY-4.0"}
    assert build(tmp_path / "out", "custom", **options).n_instances == 4
    dataset = load(tmp_path / "out", "custom")
    assert dataset.features["trajectory"].names == [*NAMES, "glance"]
    assert dataset.features["poses"].shape == (None, 4, 4)
    row = dataset[3]
    assert row["instance_id"] == "grey/glance"
    assert same_bits(row["poses"], integrate([("yaw_left", 18), ("yaw_right", 18)], degrees_per_frame=0.5))
    assert same_bits(dataset[1]["poses"], template("translation_rotation").poses())
    assert row["category"] is None
    assert np.asarray(row["image"]).tolist() == noise[..., None].repeat(3, axis=2).tolist()
    assert build(tmp_path / "out", "custom", **options).n_scenes == 1  # a second time, registered already


@pytest.mark.usefixtures("own_templates")
def test_a_template_of_equal_length_keeps_the_shape_fixed(tmp_path):
    path = glance(tmp_path, "sway", "yaw_left 240f, yaw_right 240f")
    builder = RevisitBench(config_name="open", scenes=write_open_set(tmp_path / "open"), templates=(path,))
    assert builder.info.features["poses"].shape == (481, 4, 4)


@pytest.mark.usefixtures("own_templates")
def test_a_template_name_that_is_taken_is_refused(tmp_path):
    with pytest.raises(TemplateError, match="'closed_loop' is already registered"):
        RevisitBench(config_name="open", templates=(glance(tmp_path, "closed_loop"),))


@pytest.mark.parametrize(
    ("config", "options", "message"),
    [
        ("open", {"images": "x"}, "config 'open' takes no 'images'; it takes scenes, templates"),
        ("official", {"release": "x"}, "config 'official' needs 'images'"),
        ("official", {"release": "x", "images": "y", "templates": ("z",)}, "takes no 'templates'"),
        ("custom", {}, "config 'custom' needs 'scenes'"),
        ("custom", {"scenes": "x", "waived": ("colour",)}, "'colour' is no inclusion rule; they are size"),
    ],
)
def test_an_option_is_never_ignored(config, options, message):
    with pytest.raises(BuildError, match=message):
        RevisitBench(config_name=config, **options)


def test_nothing_is_written_when_the_inputs_are_bad(tmp_path):
    scenes = write_open_set(tmp_path / "open")
    (scenes / "images" / "0002.jpg").write_bytes(b"")
    with pytest.raises(BuildError, match=r"0002\.jpg: sha256"):
        build(tmp_path / "out", "open", scenes=scenes)
    assert not (tmp_path / "out").exists()


def test_features_name_every_field_of_the_design():
    assert set(instance_features([template(name) for name in NAMES])) == {
        *("instance_id", "scene_id", "image", "prompt", "trajectory", "script", "poses", "intrinsics"),
        *("image_width", "image_height", "fps", "category", "tags", "licence", "source"),
    }


# --- the card ---


def front_matter(card):
    return yaml.safe_load(card.read_text(encoding="utf-8").split("---\n")[1])


def test_the_card_counts_what_is_in_the_files(tmp_path):
    build(tmp_path / "out", "open", scenes=write_open_set(tmp_path / "open", 5))
    card = tmp_path / "out" / "README.md"
    text = card.read_text(encoding="utf-8")
    assert "| `open` | 5 | 3 | 15 | 832 x 480 | " in text
    assert "| `open` | category | indoor 2, urban 3 |" in text
    assert "| `open` | tag | object-rich 4, outdoor 2 |" in text
    assert "| `out_and_back` | 481 | right 240, left 240 |" in text
    assert "$" not in text
    matter = front_matter(card)
    assert matter["license"] == "cc0-1.0"
    assert matter["size_categories"] == ["n<1K"]
    files = [{"split": "test", "path": "open/test-*.parquet"}]
    assert matter["configs"] == [{"config_name": "open", "data_files": files}]


def test_a_second_configuration_joins_the_card(tmp_path):
    build(tmp_path / "out", "open", scenes=write_open_set(tmp_path / "open"))
    folder = tmp_path / "mine"
    folder.mkdir()
    noise = np.random.default_rng(0).integers(0, 256, (480, 832, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "a.png")
    (folder / "a.txt").write_text("A place")
    build(tmp_path / "out", "custom", scenes=folder)
    matter = front_matter(tmp_path / "out" / "README.md")
    assert [entry["config_name"] for entry in matter["configs"]] == ["open", "custom"]
    assert matter["license"] == "other"
    assert len(load(tmp_path / "out", "open")) == 6
    assert len(load(tmp_path / "out", "custom")) == 3
    with pytest.raises(ValueError, match="Config name is missing"):
        datasets.load_dataset(str(tmp_path / "out"))


def test_eval_yaml_registers_the_benchmark_configurations_only(tmp_path):
    build(tmp_path / "out", "open", scenes=write_open_set(tmp_path / "open"))
    (facts,) = read_facts(tmp_path / "out")
    registration = yaml.safe_load(eval_yaml([facts, facts._replace(name="custom")]))
    assert registration["evaluation_framework"] == "revisit-metric"
    assert registration["tasks"] == [{"id": "open", "config": "open", "split": "test"}]
    assert set(registration) == {"name", "description", "evaluation_framework", "tasks"}
    assert eval_yaml([facts._replace(name="custom")]) is None


def test_an_empty_folder_has_no_card(tmp_path):
    with pytest.raises(BuildError, match="holds no dataset: build one first"):
        read_facts(tmp_path)
