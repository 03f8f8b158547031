"""The reader of the authors' release, on a synthetic copy of its layout."""

import json

import numpy as np
import pytest
from PIL import Image

from dataset_builder.findings import BuildError
from dataset_builder.release import read_release_scenes, release_templates, surplus_images
from revisit_metric.templates import release_intrinsics

NUMBERS = [*range(1, 49), *range(56, 108)]
"""As in the release: 0048 is followed by 0056."""


def write_json(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


def write_poses(release, entry):
    camera = release_intrinsics(1920, 1080).tolist()
    frames = {str(index): {"extrinsic": pose, "K": camera} for index, pose in enumerate(entry.poses().tolist())}
    write_json(release / "trajectories" / f"trajectory_{entry.release_name}_30s.json", frames)


def list_path(release, name):
    return release / "meta_data" / f"data_single_{name}_100.json"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A release and its images; every byte is made up here."""
    root = tmp_path_factory.mktemp("release")
    for entry in release_templates():
        write_poses(root / "code", entry)
        rows = [
            {
                "pose_json_path": f"./trajectories/trajectory_{entry.release_name}_30s.json",
                "prompt": f"Made-up place {number}, with ä",
                "image": f"./generated_imgs/{number:04d}.png",
            }
            for number in NUMBERS
        ]
        write_json(list_path(root / "code", entry.release_name), rows)
    folder = root / "hub" / "test_imgs"
    folder.mkdir(parents=True)
    for number in NUMBERS:
        Image.new("RGB", (16, 9), (number, 2 * number, 255 - number)).save(folder / f"{number:04d}.png")
    return root


@pytest.fixture
def release(pristine, tmp_path):
    """A copy to damage: the small files copied, the rest linked."""
    for path in pristine.rglob("*"):
        target = tmp_path / path.relative_to(pristine)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif "meta_data" in path.parts:
            target.write_bytes(path.read_bytes())
        else:
            target.hardlink_to(path)
    return tmp_path


def damage(path, change):
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.unlink()
    write_json(path, data)


def faults(root, **options):
    with pytest.raises(BuildError) as caught:
        read_release_scenes(root / "code", images=root / "hub", **options)
    return str(caught.value)


def test_scenes_keep_the_release_numbers_and_order(pristine):
    scenes = read_release_scenes(pristine / "code", images=pristine / "hub")
    assert [scene.scene_id for scene in scenes] == [f"{number:04d}" for number in NUMBERS]
    assert scenes[47].scene_id == "0048"
    assert scenes[48].prompt == "Made-up place 56, with ä"
    assert {scene.category for scene in scenes} == {None}
    assert {scene.tags for scene in scenes} == {()}
    assert {scene.licence for scene in scenes} == {"not stated"}
    assert {scene.camera_size for scene in scenes} == {(1920, 1080)}
    assert "sha256" in scenes[0].source
    assert "images from a local folder" in scenes[0].source


def test_labels_are_taken_from_a_table_only(pristine, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("file_name,category,tags\n0001.png,urban,outdoor; object-rich\n")
    first, second, *_ = read_release_scenes(pristine / "code", images=pristine / "hub" / "test_imgs", labels=table)
    assert (first.category, first.tags) == ("urban", ("outdoor", "object-rich"))
    assert (second.category, second.tags) == (None, ())


def test_labels_of_no_image_or_with_prompts_are_refused(pristine, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("file_name,category,prompt\n0049.png,urban,\n0001.png,urban,mine\n")
    text = faults(pristine, labels=table)
    assert "labels.csv: names '0049.png', which is no image of the release" in text
    assert "labels.csv: 0001.png: only category and tags can be given" in text


def test_lists_that_differ_name_the_file_and_the_image(release):
    def change(rows):
        rows[3]["prompt"] += "!"
        rows[99]["image"] = "./generated_imgs/0049.png"

    damage(list_path(release / "code", "WSLRRLL"), change)
    text = faults(release)
    assert "(3 findings)" in text
    lead = "data_single_WSLRRLL_100.json:"
    assert f"{lead} the prompt of 0004.png differs from the one in data_single_DDDAAA_100.json" in text
    assert f"{lead} does not list 0107.png, which data_single_DDDAAA_100.json lists" in text
    assert f"{lead} lists 0049.png, which data_single_DDDAAA_100.json does not" in text


def test_a_short_list_a_repeated_image_and_a_wrong_pose_file(release):
    def change(rows):
        del rows[50]
        rows[1]["image"] = rows[0]["image"]
        rows[2]["pose_json_path"] = "./trajectories/trajectory_WSLRRLL_30s.json"
        rows[5]["prompt"] = ""

    damage(list_path(release / "code", "DDDAAA"), change)
    text = faults(release)
    assert "DDDAAA_100.json: expected a list of 100 entries, found 99 entries" in text
    assert "DDDAAA_100.json: entry 1: image './generated_imgs/0001.png' is listed a second time" in text
    assert "entry 2: pose_json_path is './trajectories/trajectory_WSLRRLL_30s.json', expected" in text
    assert "entry 5: prompt is '', expected text" in text


def test_poses_that_differ_in_the_last_bit_are_found(release):
    def change(frames):
        frames["100"]["extrinsic"][0][3] = float(np.nextafter(frames["100"]["extrinsic"][0][3], 9))

    damage(release / "code" / "trajectories" / "trajectory_DDDAAA_30s.json", change)
    text = faults(release)
    assert "trajectory_DDDAAA_30s.json: differs from template 'out_and_back' from frame 100 on, by up to" in text
    assert "(1 finding)" in text


def test_short_path_other_camera_and_missing_files(release):
    folder = release / "code" / "trajectories"
    damage(folder / "trajectory_DDDAAA_30s.json", lambda frames: frames.pop("480"))
    damage(folder / "trajectory_WSLRRLL_30s.json", lambda frames: frames["7"]["K"][0].__setitem__(0, 1.0))
    (folder / "trajectory_revisit_loop_30s.json").unlink()
    list_path(release / "code", "revisit_loop").write_text("[")
    text = faults(release)
    assert "trajectory_DDDAAA_30s.json: holds 480 frames, expected 481" in text
    assert "trajectory_WSLRRLL_30s.json: K is" in text
    assert "trajectory_revisit_loop_30s.json" in text
    assert "data_single_revisit_loop_100.json: not JSON" in text
    assert "(4 findings)" in text


def test_missing_and_corrupt_images_are_named(release):
    folder = release / "hub" / "test_imgs"
    (folder / "0017.png").unlink()
    (folder / "0018.png").unlink()
    (folder / "0018.png").write_bytes(b"cut")
    text = faults(release)
    assert "(2 findings)" in text
    assert "0017.png: missing, though the prompt lists name it" in text
    assert "0018.png: not a readable image" in text


def test_images_that_no_list_names_are_told(release):
    Image.new("RGB", (16, 9)).save(release / "hub" / "test_imgs" / "0049.png")
    assert [path.name for path in surplus_images(release / "code", release / "hub")] == ["0049.png"]
    assert len(read_release_scenes(release / "code", images=release / "hub")) == 100


@pytest.mark.parametrize("images", ["GD-ML/R2MBench", "GD-ML/R2MBench@main", "no/such/folder"])
def test_an_unpinned_download_is_refused(pristine, images):
    with pytest.raises(BuildError, match="pin the commit: 'GD-ML/R2MBench@' and its 40 digits"):
        read_release_scenes(pristine / "code", images=images)


def test_not_a_checkout(tmp_path):
    with pytest.raises(BuildError, match=r"data_single_DDDAAA_100\.json: cannot be read"):
        read_release_scenes(tmp_path, images=tmp_path)
