"""The reader of the open set, on a small set of the same layout."""

import hashlib
import json

import numpy as np
import pytest
from PIL import Image

from dataset_builder.findings import BuildError
from dataset_builder.scenes import read_open_scenes


def write_open_set(folder, n_scenes=3):
    (folder / "images").mkdir(parents=True)
    (folder / "LICENSE").write_text("Images and prompts: CC0-1.0.\n")
    rows = []
    for index in range(1, n_scenes + 1):
        path = folder / "images" / f"{index:04d}.jpg"
        noise = np.random.default_rng(index).integers(0, 256, (30, 52, 3), dtype=np.uint8)
        Image.fromarray(noise).resize((832, 480), Image.Resampling.NEAREST).save(path, quality=93)
        rows.append(
            {
                "scene_id": f"{index:04d}",
                "file": f"images/{index:04d}.jpg",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "width": 832,
                "height": 480,
                "category": ["indoor", "urban", "natural", "abstract"][index % 4],
                "tags": ["object-rich"],
                "prompt": f"Place {index}",
                "layout": "loft",
                "seed": index,
                "objects": {"chair": 3},
            }
        )
    write_rows(folder, rows)
    return rows


def write_rows(folder, rows):
    (folder / "scenes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def faults(folder):
    with pytest.raises(BuildError) as caught:
        read_open_scenes(folder)
    return str(caught.value)


def test_scenes_are_read_in_the_order_of_the_list(tmp_path):
    rows = write_open_set(tmp_path)
    write_rows(tmp_path, rows[::-1])
    scenes = read_open_scenes(tmp_path)
    assert [scene.scene_id for scene in scenes] == ["0003", "0002", "0001"]
    assert scenes[2].category == "urban"
    assert scenes[2].tags == ("object-rich",)
    assert scenes[2].camera_size == (832, 480)
    assert scenes[2].licence == "CC0-1.0"
    assert scenes[2].source == "revisit-metric reference world, layout loft, seed 1"
    assert scenes[2].image()["bytes"] == (tmp_path / "images" / "0001.jpg").read_bytes()


def test_every_fault_names_its_file(tmp_path):
    rows = write_open_set(tmp_path, 8)
    (tmp_path / "images" / "0001.jpg").unlink()
    (tmp_path / "images" / "0002.jpg").write_bytes(b"changed")
    rows[2]["width"] = 640
    del rows[3]["prompt"]
    rows[4]["category"] = "city"
    rows[5]["scene_id"] = "0007"
    rows[7]["file"] = "../elsewhere.jpg"
    write_rows(tmp_path, rows)
    (tmp_path / "LICENSE").write_text("mine")
    text = faults(tmp_path)
    assert "(8 findings)" in text
    for line in (
        "LICENSE: does not name CC0-1.0",
        "0001.jpg: missing",
        "0002.jpg: sha256 is",
        "0003.jpg: is 832 x 480 pixels, listed as 640 x 480",
        "scenes.jsonl, line 4: no 'prompt'",
        "scenes.jsonl, line 5: category is 'city'",
        "0007.jpg: scene id '0007' is taken by",
        "elsewhere.jpg: leaves the folder",
    ):
        assert line in text, line


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seed", "1", "seed is '1', expected int"),
        ("tags", ["x", 3], "tags are"),
        ("scene_id", "", "scene_id is '', expected str"),
        ("scene_id", "a/b", "scene id 'a/b', expected a name without a slash"),
    ],
)
def test_a_mistyped_key_is_named(tmp_path, key, value, message):
    rows = write_open_set(tmp_path)
    rows[1][key] = value
    write_rows(tmp_path, rows)
    assert message in faults(tmp_path)


def test_zero_scenes_no_list_no_licence(tmp_path):
    assert "scenes.jsonl: no such file" in faults(tmp_path)
    (tmp_path / "scenes.jsonl").write_text("\n")
    assert "holds no scene" in faults(tmp_path)
    (tmp_path / "scenes.jsonl").write_text("{")
    assert "scenes.jsonl, line 1: not JSON" in faults(tmp_path)
    (tmp_path / "scenes.jsonl").write_bytes(b"\xff")
    assert "byte 0xff at offset 0" in faults(tmp_path)
    (tmp_path / "scenes.jsonl").write_text("[]")
    assert "LICENSE: missing" in faults(tmp_path)
    assert "line 1: expected an object, found list" in faults(tmp_path)
