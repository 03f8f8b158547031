import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revisit_metric.pose_files import PoseFileError, read_intrinsics, read_poses, write_poses
from revisit_metric.script import ACTIONS, Segment
from revisit_metric.templates import TEMPLATES, release_intrinsics
from revisit_metric.trajectory import PoseError, integrate, invert, parse_script

SIZE = (1920, 1080)
K = release_intrinsics(*SIZE)
CAMERA = {".txt": {"intrinsics": K, "image_size": SIZE}}


@pytest.fixture
def poses():
    script = parse_script("forward 3f, yaw_left 2f, right 1f, pitch_up 2f, forward 3f")
    return integrate(script, metres_per_frame=0.1, degrees_per_frame=7.0)


# --- round trips ---


@pytest.mark.parametrize("name", sorted(TEMPLATES))
@pytest.mark.parametrize("suffix", [".json", ".npy", ".npz"])
def test_bits_survive(tmp_path, name, suffix):
    file, poses = tmp_path / f"path{suffix}", TEMPLATES[name].poses()
    write_poses(file, poses)
    assert read_poses(file, convention="c2w" if suffix == ".npy" else None).tobytes() == poses.tobytes()


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_text_survives_to_1e_12(tmp_path, name):
    write_poses(tmp_path / "path.txt", TEMPLATES[name].poses(), **CAMERA[".txt"])
    np.testing.assert_allclose(read_poses(tmp_path / "path.txt"), TEMPLATES[name].poses(), rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.builds(Segment, st.sampled_from(ACTIONS), st.integers(1, 9)), min_size=1, max_size=5))
def test_every_layout_agrees(tmp_path_factory, script):
    poses = integrate(script, metres_per_frame=0.37, degrees_per_frame=11.0)
    folder = tmp_path_factory.mktemp("paths")
    for suffix in (".json", ".npz", ".txt"):
        write_poses(folder / f"p{suffix}", poses, **CAMERA.get(suffix, {}))
        np.testing.assert_allclose(read_poses(folder / f"p{suffix}"), poses, rtol=0, atol=1e-12)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".NPY", ".NPZ"])
def test_world_to_camera_survives(tmp_path, poses, suffix):
    file = tmp_path / f"path{suffix}"
    write_poses(file, poses, convention="w2c")
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]
    np.testing.assert_allclose(read_poses(file, convention="w2c"), poses, rtol=0, atol=1e-12)


# --- the release's JSON ---


def release(frames):
    return {str(i): {"extrinsic": np.eye(4).tolist(), "K": K.tolist()} for i in frames}


def test_json_is_the_releases_layout_in_numeric_order(tmp_path, poses):
    write_poses(tmp_path / "p.json", poses, intrinsics=K)
    data = json.loads((tmp_path / "p.json").read_text())
    assert list(data["0"]) == ["extrinsic", "K"]
    assert data["3"] == {"extrinsic": poses[3].tolist(), "K": K.tolist()}
    # As text "10" sorts before "2".
    (tmp_path / "p.json").write_text(json.dumps({key: data[key] for key in sorted(data)}))
    assert (read_poses(tmp_path / "p.json") == poses).all()
    assert read_intrinsics(tmp_path / "p.json").shape == (12, 3, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(release([0, 1, 3])), "frame 2 is missing; 3 frames count from 0 without a gap"),
        (json.dumps(release([1, 2])), "frame 0 is missing"),
        (json.dumps({**release([0]), "00": {}}), "key '00' is not a frame number"),
        ('{"0": {"extrinsic": []}, "0": {"extrinsic": []}}', "key '0' occurs twice"),
        ('{"0": {"K": []}}', "frame 0 has no 'extrinsic'"),
        ('{"0": [[1]]}', "frame 0 has no 'extrinsic'"),
        ("[]", "found list"),
        ("{}", "found dict"),
        ('{"0": {"extr', "not JSON"),
        ('{"0": {"extrinsic": [[1, 0], [0]]}}', "ragged"),
        (
            '{"0": {"extrinsic": [[NaN,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}}',
            r"frame 0: element \[0, 0\] is nan",
        ),
    ],
)
def test_bad_json_is_refused(tmp_path, text, message):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(PoseFileError, match=rf"p\.json: .*{message}"):
        read_poses(tmp_path / "p.json")


# --- RealEstate10K ---

LINE = "90000 0.5 0.9 0.5 0.5 0 0 1 0 0 0 0 1 0 0 0 0 1 -1"


def test_one_unit_forward_is_minus_one_in_the_text(tmp_path):
    for header in ("https://example.org/watch?v=x\n", "17\n", ""):
        (tmp_path / "p.txt").write_text(header + LINE + "\n\n")
        assert read_poses(tmp_path / "p.txt")[0, :3, 3].tolist() == [0, 0, 1]
    camera = read_intrinsics(tmp_path / "p.txt", image_size=(1280, 720))
    assert camera.tolist() == [[[640, 0, 640], [0, 648, 360], [0, 0, 1]]]


def test_written_text(tmp_path):
    poses = integrate(parse_script("forward 1f"), metres_per_frame=1.0)
    write_poses(tmp_path / "p.txt", poses, **CAMERA[".txt"])
    header, first, second = (tmp_path / "p.txt").read_text().splitlines()
    assert len(header.split()) < 19
    assert [float(cell) for cell in second.split()] == pytest.approx(
        [1, K[0, 0] / 1920, K[1, 1] / 1080, 0.5, 0.5, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1]
    )
    assert "-0" not in first.split()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("url\n1 2 3\n", "line 2: 3 columns, RealEstate10K has 19"),
        (LINE.rsplit(" ", 1)[0] + "\n", "line 1: 18 columns"),
        (f"{LINE}\n{LINE[:-2]}x\n", "line 2: could not convert"),
        ("url\n", "no frames"),
        ("", "no frames"),
        (LINE.replace("-1", "inf"), r"frame 0: element \[2, 3\] is inf"),
    ],
)
def test_bad_text_is_refused(tmp_path, text, message):
    (tmp_path / "p.txt").write_text(text)
    with pytest.raises(PoseFileError, match=rf"p\.txt.*{message}"):
        read_poses(tmp_path / "p.txt")


# --- NumPy ---


def test_a_bare_array_needs_a_convention(tmp_path):
    forward = integrate(parse_script("forward 4f"), metres_per_frame=0.6)
    np.save(tmp_path / "p.npy", forward[:, :3])
    readings = r"'c2w' \(then the camera moves to \+z by 2.4\) or .*'w2c' \(then it moves to -z by 2.4\)"
    with pytest.raises(PoseFileError, match=readings):
        read_poses(tmp_path / "p.npy")
    assert (read_poses(tmp_path / "p.npy", convention="c2w") == forward).all()
    assert (read_poses(tmp_path / "p.npy", convention="w2c") == invert(forward)).all()


def test_the_message_describes_a_turn_and_a_rest(tmp_path):
    np.save(tmp_path / "p.npy", integrate(parse_script("yaw_left 3f"), degrees_per_frame=10.0))
    with pytest.raises(PoseFileError, match=r"turns left by 30 degrees.*turns right by 30 degrees"):
        read_poses(tmp_path / "p.npy")
    np.save(tmp_path / "p.npy", integrate(parse_script("hold 3f")))
    with pytest.raises(PoseFileError, match="hardly moves"):
        read_poses(tmp_path / "p.npy")


@pytest.mark.parametrize(
    ("name", "stored_as"),
    [("c2w", "c2w"), ("cam_c2w", "c2w"), ("extrinsics_c2w", "c2w"), ("cam2world", "c2w"),
     ("camera_to_world", "c2w"), ("w2c", "w2c"), ("W2C_all", "w2c"), ("world2cam", "w2c"),
     ("poses", None), ("extrinsics", None)],
)  # fmt: skip
def test_the_arrays_name_states_the_convention(tmp_path, poses, name, stored_as):
    stored = invert(poses) if stored_as == "w2c" else poses
    np.savez(tmp_path / "p.npz", **{name: stored, "intrinsics": np.tile(np.eye(4), (12, 1, 1)), "fps": 16})
    if stored_as is None:
        with pytest.raises(PoseFileError, match="say what the matrices are"):
            read_poses(tmp_path / "p.npz")
    else:
        np.testing.assert_allclose(read_poses(tmp_path / "p.npz"), poses, atol=1e-12)
    # The caller's word wins over the name's.
    np.testing.assert_allclose(read_poses(tmp_path / "p.npz", convention="c2w"), stored, atol=1e-12)


def test_several_candidates_are_listed(tmp_path, poses):
    np.savez(tmp_path / "p.npz", c2w=poses, w2c=invert(poses))
    with pytest.raises(PoseFileError, match=r"several arrays may be the poses: c2w \(12, 4, 4\), w2c \(12, 4, 4\)"):
        read_poses(tmp_path / "p.npz")
    assert (read_poses(tmp_path / "p.npz", convention="c2w") == poses).all()
    np.testing.assert_allclose(read_poses(tmp_path / "p.npz", convention="w2c"), poses, atol=1e-12)
    np.savez(tmp_path / "p.npz", cam_c2w=poses, cam_c2w_raw=poses)
    with pytest.raises(PoseFileError, match="several arrays"):
        read_poses(tmp_path / "p.npz", convention="c2w")


def test_nothing_is_unpickled(tmp_path, poses):
    objects = np.array([{"prompt": "a room"}], dtype=object)
    np.savez(tmp_path / "p.npz", c2w=poses, prompt=objects)
    assert (read_poses(tmp_path / "p.npz") == poses).all()
    np.savez(tmp_path / "p.npz", c2w=objects)
    with pytest.raises(PoseFileError, match=r"no array of shape .* it holds c2w"):
        read_poses(tmp_path / "p.npz")
    np.save(tmp_path / "p.npy", objects, allow_pickle=True)
    with pytest.raises(PoseFileError, match="not a NumPy file of plain numbers"):
        read_poses(tmp_path / "p.npy", convention="c2w")


def test_damaged_and_misnamed_files(tmp_path, poses):
    np.save(tmp_path / "a.npy", poses)
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:300])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "a.npz").write_bytes(whole)
    np.savez(tmp_path / "b.npz", c2w=poses)
    archive = (tmp_path / "b.npz").read_bytes()
    (tmp_path / "b.npy").write_bytes(archive)
    (tmp_path / "cut.npz").write_bytes(archive[:300])
    (tmp_path / "flipped.npz").write_bytes(archive.replace(poses[2].tobytes(), bytes(128)))
    for name, message in {
        "cut.npy": "not a NumPy file", "empty.npy": "not a NumPy file", "cut.npz": "not a NumPy file",
        "a.npz": "an .npy array under the name .npz", "b.npy": "an .npz archive under the name .npy",
        "flipped.npz": "array 'c2w' is damaged",
    }.items():  # fmt: skip
        with pytest.raises(PoseFileError, match=message):
            read_poses(tmp_path / name, convention="c2w")


def test_bad_matrices_name_file_and_frame(tmp_path, poses):
    bad = poses.copy()
    bad[5, :3, :3] *= 2
    np.savez(tmp_path / "p.npz", c2w=bad)
    with pytest.raises(PoseFileError, match=r"p\.npz: frame 5: scale 2 in the rotation"):
        read_poses(tmp_path / "p.npz")
    with pytest.raises(PoseError, match="frame 5: scale 2"):
        write_poses(tmp_path / "q.npz", bad)
    assert not (tmp_path / "q.npz").exists()


# --- suffixes, conventions, intrinsics ---


def test_files_and_suffixes(tmp_path, poses):
    for act in (read_poses, read_intrinsics, lambda file: write_poses(file, poses)):
        with pytest.raises(PoseFileError, match=r"unknown suffix '\.pt', known are \.json, \.npy, \.npz, \.txt"):
            act(tmp_path / "p.pt")
    with pytest.raises(PoseFileError, match="no such file"):
        read_poses(tmp_path / "p.json")
    (tmp_path / "d.json").mkdir()
    with pytest.raises(PoseFileError, match="not a file"):
        read_poses(tmp_path / "d.json")


def test_bad_conventions(tmp_path, poses):
    with pytest.raises(PoseFileError, match=r"convention is 'opengl', expected 'c2w'"):
        write_poses(tmp_path / "p.npy", poses, convention="opengl")
    with pytest.raises(PoseFileError, match="the JSON layout is camera-to-world"):
        write_poses(tmp_path / "p.json", poses, convention="w2c")
    with pytest.raises(PoseFileError, match="convention is 'wtc'"):
        read_poses(tmp_path / "p.npy", convention="wtc")


@pytest.mark.parametrize("given", [K, np.tile(K, (12, 1, 1)), K[[0, 1, 0, 1], [0, 1, 2, 2]]])
@pytest.mark.parametrize("suffix", [".json", ".npz", ".txt"])
def test_intrinsics_survive(tmp_path, poses, suffix, given):
    file, size = tmp_path / f"p{suffix}", SIZE if suffix == ".txt" else None
    write_poses(file, poses, intrinsics=given, image_size=size)
    read = read_intrinsics(file, image_size=size)
    np.testing.assert_allclose(read, np.tile(K, (12, 1, 1)), rtol=1e-15)


def test_one_camera_for_all_frames(tmp_path, poses):
    np.savez(tmp_path / "p.npz", c2w=poses, K=[500.0, 510.0, 416.0, 240.0])
    assert read_intrinsics(tmp_path / "p.npz").tolist() == [[[500, 0, 416], [0, 510, 240], [0, 0, 1]]]


@pytest.mark.parametrize(
    ("suffix", "options", "message"),
    [
        (".txt", {}, "RealEstate10K lines carry intrinsics"),
        (".txt", {"intrinsics": K}, "image_size is None, expected the"),
        (".txt", {"intrinsics": K, "image_size": (0, 9)}, "image_size is"),
        (".txt", {"intrinsics": K / 1920, "image_size": SIZE}, "normalised already"),
        (".txt", {"intrinsics": K + np.eye(3, k=1), "image_size": SIZE}, "no room for skew, found 1"),
        (".npy", {"intrinsics": K}, "holds poses alone"),
        (".json", {"intrinsics": K, "image_size": SIZE}, "image_size is for .txt alone"),
        (".json", {"intrinsics": np.tile(K, (5, 1, 1))}, "5 camera matrices for 12 poses"),
        (".json", {"intrinsics": np.eye(4)[None]}, r"shape \(1, 4, 4\), expected \(3, 3\)"),
        (".json", {"intrinsics": -K}, "positive focal lengths"),
        (".json", {"intrinsics": K * np.nan}, "finite"),
        (".json", {"intrinsics": "K"}, "not a numeric array"),
    ],
)
def test_bad_intrinsics_are_refused(tmp_path, poses, suffix, options, message):
    with pytest.raises(PoseFileError, match=message):
        write_poses(tmp_path / f"p{suffix}", poses, **options)
    assert not list(tmp_path.iterdir())


def test_missing_intrinsics_are_named(tmp_path, poses):
    for suffix, message in (
        (".json", "frame 0 has no 'K'"),
        (".npz", r"it holds c2w \(12, 4, 4\)"),
        (".npy", "alone"),
    ):
        write_poses(tmp_path / f"p{suffix}", poses)
        with pytest.raises(PoseFileError, match=message):
            read_intrinsics(tmp_path / f"p{suffix}")
