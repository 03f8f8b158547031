import json

import numpy as np
import pytest

from revisit_metric.manifest import ManifestError, read_manifest, rollout_from_row, write_manifest
from revisit_metric.templates import template


def manifest(folder, *rows):
    path = folder / "rollouts.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def row(**keys):
    return {"instance_id": "0001/out_and_back", "video": "a.mp4", **keys}


def test_a_full_line(tmp_path):
    line = row(model={"name": "m", "revision": "r1"}, seed=3, fps=16, first_frame=1, scale_normalised=True)
    (rollout,) = read_manifest(manifest(tmp_path, line)).rollouts
    assert rollout.rollout_id == "m@r1/0001/out_and_back/seed3"
    assert (rollout.scene_id, rollout.trajectory, rollout.model_id) == ("0001", "out_and_back", "m@r1")
    assert rollout.video == tmp_path / "a.mp4"
    assert (rollout.fps, rollout.first_frame, rollout.scale_normalised) == (16, 1, True)
    np.testing.assert_array_equal(rollout.commanded_poses(), template("DDDAAA").poses())


def test_one_bad_line_hides_no_other(tmp_path):
    path = manifest(tmp_path, row(), "{not json", "[1]", row(video=None), "", row(seed=1))
    found = read_manifest(path)
    assert [rollout.seed for rollout in found.rollouts] == [0, 1]
    assert [line.line for line in found.bad_lines] == [2, 3, 4]
    assert {line.cause for line in found.bad_lines} == {"bad_manifest_line"}
    assert found.n_expected == 5


def test_the_same_rollout_twice_is_counted_not_merged(tmp_path):
    found = read_manifest(manifest(tmp_path, row(), row(video="b.mp4")))
    assert len(found.rollouts) == 1
    assert found.bad_lines[0].cause == "duplicate_rollout"
    assert "seed" in found.bad_lines[0].message


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"vidoe": "a.mp4"}, "unknown key 'vidoe'; known keys are"),
        ({"instance_id": ""}, "'instance_id' is empty"),
        ({"instance_id": 7}, "'instance_id' is 7, expected str"),
        ({"video": 7}, "'video' is 7, expected str"),
        ({"seed": "1"}, "'seed' is '1', expected int"),
        ({"seed": True}, "'seed' is True, expected int"),
        ({"fps": 0}, "'fps' is 0"),
        ({"first_frame": -1}, "'first_frame' is -1"),
        ({"model": {"nam": "x"}}, "expected a name or"),
        ({"poses": [[1, "x"]]}, "neither a path nor a"),
        ({"poses": "p.npy", "script": "hold 3f"}, "both 'poses' and 'script'"),
        ({"script": 3}, "'script' is 3"),
        ({"metres_per_frame": 0.1}, "belong to a 'script'"),
        ({"video": "a\0b"}, "NUL"),
    ],
)
def test_a_bad_row_says_what_is_wrong(keys, message):
    with pytest.raises(ManifestError, match=message):
        rollout_from_row(row(**keys))


@pytest.mark.parametrize("escape", ["../secret.mp4", "/etc/passwd", "x/../../secret.mp4"])
@pytest.mark.parametrize("key", ["video", "poses"])
def test_paths_stay_inside_the_folder(tmp_path, escape, key):
    (folder := tmp_path / "m").mkdir()
    path = manifest(folder, row(**{key: escape}))
    assert "leaves the manifest's folder" in read_manifest(path).bad_lines[0].message
    assert read_manifest(path, allow_outside=True).bad_lines == ()


def test_a_symlink_does_not_lead_outside(tmp_path):
    (folder := tmp_path / "m").mkdir()
    (tmp_path / "outside.mp4").write_bytes(b"x")
    (folder / "a.mp4").symlink_to(tmp_path / "outside.mp4")
    assert "leaves" in read_manifest(manifest(folder, row())).bad_lines[0].message


def test_names_with_spaces_hashes_and_other_scripts(tmp_path):
    (rollout,) = read_manifest(manifest(tmp_path, row(video="vidéo #1 100% 世界.mp4"))).rollouts
    assert rollout.video.name == "vidéo #1 100% 世界.mp4"


def test_poses_of_a_script_and_of_a_file(tmp_path):
    np.save(tmp_path / "p.npy", template("closed_loop").poses())
    by_script = rollout_from_row(row(script="forward 1m, back 1m", metres_per_frame=0.1))
    assert by_script.commanded_poses().shape == (21, 4, 4)
    assert by_script.commanded_poses()[10, 2, 3] == pytest.approx(1.0)
    rows = rollout_from_row(row(script=[{"action": "hold", "frames": 4}]))
    assert rows.commanded_poses().shape == (5, 4, 4)
    inline = rollout_from_row(row(poses=np.eye(4)[None].repeat(3, 0).tolist()))
    assert inline.commanded_poses().shape == (3, 4, 4)


def test_bad_trajectories_raise_when_they_are_needed():
    with pytest.raises(ValueError, match="fly"):
        rollout_from_row(row(script="fly 3m", metres_per_frame=0.1)).commanded_poses()
    with pytest.raises(ValueError, match=r"(?i)nan|finite"):
        rollout_from_row(row(poses=[[[float("nan")] * 4] * 4] * 2)).commanded_poses()
    with pytest.raises(ValueError, match="nowhere"):
        rollout_from_row(row(instance_id="0001/nowhere")).commanded_poses()


def test_manifests_that_are_none(tmp_path):
    with pytest.raises(ManifestError, match="does not exist"):
        read_manifest(tmp_path / "no.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n\n")
    with pytest.raises(ManifestError, match="holds no rollout"):
        read_manifest(tmp_path / "empty.jsonl")
    (tmp_path / "video.mp4").write_bytes(b"\x00\xff\xfe\x80")
    with pytest.raises(ManifestError, match="a video instead of a manifest"):
        read_manifest(tmp_path / "video.mp4")
    with pytest.raises(ManifestError, match="cannot be read"):
        read_manifest(tmp_path)


def test_write_then_read(tmp_path):
    path = tmp_path / "rollouts.jsonl"
    write_manifest(path, [row(), row(seed=1, model="m")])
    assert [rollout.rollout_id for rollout in read_manifest(path).rollouts] == [
        "unnamed/0001/out_and_back/seed0",
        "m/0001/out_and_back/seed1",
    ]
    with pytest.raises(ManifestError, match="unknown key"):
        write_manifest(path, [row(oops=1)])
