"""Instances from a list of one's own, and from a dataset that `load_dataset` reads."""

import json

import numpy as np
import pytest
from PIL import Image

from adapters.instances import read_instances
from revisit_metric.pose_files import write_poses
from revisit_metric.templates import release_intrinsics, template
from revisit_metric.trajectory import integrate, rebase


@pytest.fixture
def listed(tmp_path):
    Image.new("RGB", (64, 36), (200, 10, 10)).save(tmp_path / "ä b.png")
    Image.new("RGB", (64, 36), (10, 10, 200)).save(tmp_path / "c.jpg")

    def read(*rows, **options):
        file = tmp_path / "instances.jsonl"
        text = "".join(json.dumps({"image": "ä b.png", "prompt": "A room.", **row}) + "\n\n" for row in rows)
        file.write_text(text, encoding="utf-8")
        return list(read_instances(str(file), images=tmp_path / "images", **options))

    return read


def test_a_template_by_its_name_or_by_the_id(listed):
    first, second = listed({"instance_id": "1/closed_loop"}, {"instance_id": "1/x", "trajectory": "DDDAAA"})
    assert first.poses.tobytes() == template("closed_loop").poses().tobytes()
    assert first.script == template("closed_loop").script
    assert second.poses.tobytes() == template("out_and_back").poses().tobytes()
    assert (first.trajectory, second.trajectory) == ("closed_loop", "DDDAAA")
    assert (first.intrinsics == release_intrinsics(64, 36)).all()
    assert first.image == second.image  # one copy for equal bytes
    assert first.image.suffix == ".png"


def test_a_script_as_text_or_rows(listed):
    steps = {"metres_per_frame": 0.5, "degrees_per_frame": 1.0}
    text, rows = listed(
        {"instance_id": "a", "script": "forward 2m, yaw_left 3deg", **steps},
        {"instance_id": "b", "script": [{"action": "forward", "frames": 4}], **steps, "image": "c.jpg"},
    )
    assert text.n_frames == 8
    assert rows.poses[-1, 2, 3] == 2.0
    assert rows.image.suffix == ".jpg"


def test_poses_from_a_file_are_seen_from_their_first_frame(listed, tmp_path):
    path = integrate([("forward", 9)], metres_per_frame=0.1)[2:]
    write_poses(tmp_path / "mine.npz", path)
    (instance,) = listed({"instance_id": "a", "poses": "mine.npz"})
    assert (instance.poses == rebase(path)).all()
    assert instance.script is None
    with pytest.raises(ValueError, match="takes actions and the instance has poses alone"):
        instance.actions()


def test_a_script_of_another_length_than_the_poses_is_refused_where_it_is_needed(listed):
    poses = integrate([("forward", 9)], metres_per_frame=0.1).tolist()
    (instance,) = listed({"instance_id": "a", "poses": poses, "script": "forward 8f"})
    with pytest.raises(ValueError, match="the script has 8 steps, its 10 poses have 9"):
        instance.actions()


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({"instance_id": "a/nowhere"}, "row 1: a/nowhere: no 'poses', no 'script', and 'nowhere' is no template"),
        ({"instance_id": "../closed_loop"}, "instance_id is '../closed_loop'"),
        ({"instance_id": "a/closed_loop", "promt": "x"}, "unknown key 'promt'"),
        ({"instance_id": "a/closed_loop", "prompt": ""}, "'prompt' is missing"),
        ({"instance_id": "a/closed_loop", "image": "no.png"}, "row 1: .*no.png"),
        ({"instance_id": "a/closed_loop", "image": "instances.jsonl"}, "no known picture format"),
        ({"instance_id": "a", "script": "forwards 3f"}, "did you mean 'forward'"),
        ({"instance_id": "a", "poses": [[[1, 0], [0, 1]]]}, "poses have shape"),
        ({"instance_id": "a/closed_loop", "intrinsics": [[1, 0], [0, 1]]}, "intrinsics have shape"),
    ],
)
def test_a_bad_row_is_named(row, match, listed):
    with pytest.raises(ValueError, match=match):
        listed(row)


def test_two_rows_of_one_id_and_a_limit(listed):
    rows = [{"instance_id": "a/closed_loop"}] * 2
    with pytest.raises(ValueError, match="row 2: 'a/closed_loop' is there already"):
        listed(*rows)
    assert len(listed(*rows, limit=1)) == 1
    with pytest.raises(ValueError, match="the limit is 0"):
        listed(*rows, limit=0)


def test_an_empty_list_a_broken_line_a_missing_file(tmp_path):
    file = tmp_path / "x.jsonl"
    for text, match in (("", "holds no instance"), ("{\n", "line 1: not JSON"), ("[1]\n", "a JSON list")):
        file.write_text(text)
        with pytest.raises(ValueError, match=match):
            list(read_instances(str(file), images=tmp_path / "images"))
    with pytest.raises(ValueError, match="cannot be read"):
        list(read_instances(str(tmp_path / "none.jsonl"), images=tmp_path / "images"))


def test_a_dataset_on_disk(tmp_path):
    datasets = pytest.importorskip("datasets")
    poses = np.array(template("closed_loop").poses())
    picture = tmp_path / "p.png"
    Image.new("RGB", (64, 36)).save(picture)
    rows = {
        "instance_id": ["0001/closed_loop"],
        "scene_id": ["0001"],
        "image": [str(picture)],
        "prompt": ["A room."],
        "trajectory": ["closed_loop"],
        "script": [[{"action": s.action, "frames": s.frames} for s in template("closed_loop").script]],
        "poses": [poses],
        "intrinsics": [release_intrinsics(1920, 1080)],
        "image_width": [1920],
        "image_height": [1080],
        "fps": [16.0],
        "category": [None],
    }
    features = datasets.Features(
        {
            "instance_id": datasets.Value("string"),
            "scene_id": datasets.Value("string"),
            "image": datasets.Image(),
            "prompt": datasets.Value("string"),
            "trajectory": datasets.ClassLabel(names=["out_and_back", "closed_loop"]),
            "script": [{"action": datasets.Value("string"), "frames": datasets.Value("int32")}],
            "poses": datasets.Array3D((481, 4, 4), "float64"),
            "intrinsics": datasets.Array2D((3, 3), "float64"),
            "image_width": datasets.Value("int32"),
            "image_height": datasets.Value("int32"),
            "fps": datasets.Value("float64"),
            "category": datasets.ClassLabel(names=["indoor", "urban"]),
        }
    )
    folder = tmp_path / "set" / "data"
    folder.mkdir(parents=True)
    datasets.Dataset.from_dict(rows, features=features).to_parquet(folder / "test-00000-of-00001.parquet")
    (instance,) = read_instances(str(tmp_path / "set"), images=tmp_path / "images")
    assert instance.poses.tobytes() == poses.tobytes()
    assert instance.trajectory == "closed_loop"
    assert instance.script == template("closed_loop").script
    assert instance.image_size == (1920, 1080)
    with pytest.raises(ValueError, match="load_dataset cannot read it"):
        list(read_instances(str(tmp_path / "set"), images=tmp_path / "images", split="train"))
