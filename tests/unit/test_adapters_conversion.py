"""Every adapter, every template: its files, read as the model reads them, lead along the path that it reports.

The readers below are written from the models' interfaces and share no code with the adapters.
"""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from adapters import TABLE, load_adapter
from adapters.instances import instance_from_row
from adapters.protocol import Adapter

TEMPLATES = ("out_and_back", "translation_rotation", "closed_loop")
MOVES = {"w": (0, 1), "s": (0, -1), "a": (-1, 0), "d": (1, 0)}
TURNS = {"j": (-1, 0), "l": (1, 0), "i": (0, 1), "k": (0, -1)}

STEPS = {"metres_per_frame": "0.04", "degrees_per_frame": "0.8"}
ACCEPT = {"accept_inferred": "yes"}
CASES = {
    "lingbot-world": {},
    "lingbot-world-act2cam": {},
    "lingbot-world-fast": {},
    "lingbot-world-2-fast": {},
    "matrix-game-2": {**STEPS, "entry": "patched.py"},
    "matrix-game-3": {"entry": "patched.py", "clean_output": "yes"},
    "matrix-game-3.5": {},
    "hy-worldplay": {},
    "dreamx-world": {},
    "sana-wm": {},
    "lyra-2": {"units_per_metre": "0.17"},
    "wonderworld": {"units_per_metre": "0.2", "client": "client.py"},
    "yume-1.5": {**STEPS, **ACCEPT, "suffix": ""},
    "gamecraft": {**ACCEPT, "units_per_metre": "0.2"},
    "infinite-world": {**STEPS, **ACCEPT, "entry": "patched.py"},
    "alayaworld": ACCEPT,
    "camera-re10k": {},
    "camera-c2w": {},
    "camera-w2c": {},
    "camera-opengl": {},
}


def yaw_matrix(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def pitch_matrix(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def walk(keys, metres, degrees):
    """Poses of keys pressed frame by frame: turn first, then step along the heading, on the ground."""
    yaw = pitch = 0.0
    position, poses = np.zeros(3), [np.eye(4)]
    for key in keys:
        turn = TURNS.get(key, (0, 0))
        yaw, pitch = yaw + turn[0] * degrees, pitch + turn[1] * degrees
        right, ahead = MOVES.get(key, (0, 0))
        position = position + yaw_matrix(yaw) @ [right * metres, 0, ahead * metres]
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = yaw_matrix(yaw) @ pitch_matrix(pitch), position
        poses.append(pose)
    return np.stack(poses)


def between(keys, stride):
    """Frames between samples, by hand: straight lines, and the blended rotation made orthonormal."""
    frames = []
    for a, b in itertools.pairwise(keys):
        for part in range(stride):
            frames.append(a + (b - a) * part / stride)
    frames = np.array([*frames, keys[-1]])
    u, _, v = np.linalg.svd(frames[:, :3, :3])
    frames[:, :3, :3] = u @ v
    return frames


def key_rows(rows, names):
    return ["".join(name for name, on in zip(names, row, strict=True) if on) for row in rows]


def read_lingbot(folder, _):
    poses = np.load(folder / "actions/poses.npy")
    assert poses.dtype == np.float32
    return between(poses[::4].astype(float), 4)


def read_act(folder, _):
    wasd, ijkl = (np.load(folder / f"actions/{name}_action.npy") for name in ("wasd", "ijkl"))
    keys = [a + b for a, b in zip(key_rows(wasd, "wasd"), key_rows(ijkl, "ijkl"), strict=True)]
    return walk(keys[:-1], 0.05, 2.0)


def read_mouse_and_keys(folder, metres, degrees, columns):
    data = np.load(folder / "actions.npz")
    keyboard, mouse = data["keyboard"][0], data["mouse"][0]
    assert keyboard.shape == (len(mouse), columns)
    assert not keyboard[:, 4:].any()
    keys = key_rows(keyboard[:, :4], "wsad")
    for frame, (pitch, yaw) in enumerate(mouse.tolist()):
        keys[frame] += "i" * (pitch > 0.02) + "k" * (pitch < -0.02) + "l" * (yaw > 0.02) + "j" * (yaw < -0.02)
        assert np.abs(mouse[frame]).max() in (0, np.float32(0.1))
    return walk(keys[:-1], metres, degrees)


def read_hy(folder, _):
    record = json.loads((folder / "pose.json").read_text())
    assert list(record) == [str(k) for k in range(len(record))]
    for frame in record.values():  # normalised by twice its own principal point
        k = np.array(frame["K"])
        assert k[0, 0] / (2 * k[0, 2]) == pytest.approx(0.505087, abs=1e-6)
        assert k[1, 1] / (2 * k[1, 2]) == pytest.approx(0.505087 * 16 / 9, abs=1e-6)
    return between(np.array([frame["extrinsic"] for frame in record.values()]), 4)


def read_dreamx(folder, _):
    (entry,) = json.loads((folder / "input.json").read_text())
    weights, n_frames = entry["action_speed_list"], sum(entry["action_speed_list"])
    assert Path(entry["image_path"]).is_file()
    keys = []
    for key, weight in zip(entry["action_seq"], weights, strict=True):
        keys += [key] * max(1, round(n_frames * weight / sum(weights)))
    assert len(keys) == n_frames
    moved = walk(keys, 0.075, 1.5)[1:]  # frame 0 has moved one step already
    return np.linalg.inv(moved[0]) @ moved


def read_mg35(folder, _):
    data = np.load(folder / "camera.npz")
    assert data["intrinsics"].shape == (3, 3)
    return data["extrinsics_c2w"].astype(float)


def read_sana(folder, _):
    assert np.load(folder / "intrinsics.npy")[0, 2] == 32
    return np.load(folder / "camera.npy").astype(float)


def read_lyra(folder, _):
    data = np.load(folder / "trajectory.npz")
    assert (int(data["image_width"]), int(data["image_height"])) == (64, 36)
    assert data["intrinsics"].shape == (len(data["w2c"]), 3, 3)
    poses = np.linalg.inv(data["w2c"].astype(float))
    poses[:, :3, 3] /= 0.17
    return poses


def read_wonderworld(folder, _):
    view = np.array(json.loads((folder / "views.json").read_text())["views"]).reshape(-1, 4, 4)
    assert view[0].tolist() == np.diag([-1, -1, 1, 1]).tolist()
    poses = []
    for matrix in view:
        camera = matrix @ np.diag([-1, -1, 1, 1])  # PyTorch3D: x_camera = x_world @ R + T
        rotation, shift = camera[:3, :3], camera[3, :3] / 1000
        centre = -shift @ rotation.T  # x left, y up, z ahead
        flip = np.diag([-1, -1, 1])
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = flip @ rotation @ flip, flip @ centre / 0.2
        poses.append(pose)
    return np.stack(poses)


def read_yume(folder, _):
    keys = []
    for line in (folder / "captions.txt").read_text(encoding="utf-8").splitlines():
        person = next((key for key in "WASD" if f"({key})." in line), "").lower()
        arrow = next((key for mark, key in zip("→←↑↓", "ljik", strict=True) if f"({mark})" in line), "")
        assert not (person and arrow)
        keys += [person + arrow] * 32
    assert [file.suffix for file in (folder / "image").iterdir()] == [".png"]
    return walk(keys[:-1], 0.04, 0.8)


def read_gamecraft(folder, values):
    names = dict(zip(["left_rot", "right_rot", "up_rot", "down_rot"], "jlik", strict=True))
    start, path = np.eye(4), []
    for name, value in zip(values["action_list"], values["action_speed_list"], strict=True):
        total = float(value) / (0.2 if name in MOVES else 1.0)
        block = walk([names.get(name, name)] * 32, total / 32, total / 32)
        path.append(start @ block)
        start = path[-1][-1]
    return np.concatenate(path)


def read_infinite(folder, _):
    moves = {"go forward": "w", "go back": "s", "go left": "a", "go right": "d", "no-op": ""}
    views = {"turn up": "i", "turn down": "k", "turn left": "j", "turn right": "l", "no-op": ""}
    rows = json.loads((folder / "actions.json").read_text())
    return walk([moves[row["move"]] + views[row["view"]] for row in rows][:-1], 0.04, 0.8)


def read_alaya(folder, values):
    import torch

    record = torch.load(folder / "case_camera.pt", weights_only=True)
    assert record["cam_c2w"].shape == (1600, 4, 4)
    assert record["cam_c2w"].dtype == torch.float32
    assert record["intrinsic"][0, 0] == pytest.approx(0.505087, abs=1e-6)
    assert (folder / "case_image.png").is_file()
    return record["cam_c2w"].numpy().astype(float)[: values["rounds"] * 32]


def read_re10k(folder, _):
    rows = np.array([line.split() for line in (folder / "poses.txt").read_text().splitlines()[1:]], float)
    assert rows.shape[1] == 19
    assert rows[0, 1:7] == pytest.approx([0.505087, 0.505087 * 16 / 9, 0.5, 0.5, 0, 0], abs=1e-6)
    w2c = np.concatenate([rows[:, 7:].reshape(-1, 3, 4), np.tile([[[0, 0, 0, 1]]], (len(rows), 1, 1))], axis=1)
    return np.linalg.inv(w2c)


def read_opengl(folder, _):
    record = json.loads((folder / "transforms.json").read_text())
    return np.array([frame["transform_matrix"] for frame in record["frames"]]) @ np.diag([1, -1, -1, 1])


READERS = {
    "lingbot-world": read_lingbot,
    "lingbot-world-act2cam": read_act,
    "lingbot-world-fast": read_lingbot,
    "lingbot-world-2-fast": read_lingbot,
    "matrix-game-2": lambda folder, _: read_mouse_and_keys(folder, 0.04, 0.8, 4),
    "matrix-game-3": lambda folder, _: read_mouse_and_keys(folder, 0.1235, 1.5, 6),
    "matrix-game-3.5": read_mg35,
    "hy-worldplay": read_hy,
    "dreamx-world": read_dreamx,
    "sana-wm": read_sana,
    "lyra-2": read_lyra,
    "wonderworld": read_wonderworld,
    "yume-1.5": read_yume,
    "gamecraft": read_gamecraft,
    "infinite-world": read_infinite,
    "alayaworld": read_alaya,
    "camera-re10k": read_re10k,
    "camera-c2w": lambda folder, _: np.load(folder / "poses.npz")["c2w"],
    "camera-w2c": lambda folder, _: np.linalg.inv(np.load(folder / "poses.npz")["w2c"]),
    "camera-opengl": read_opengl,
}


def deviation(a, b):
    """Largest distance and angle between two paths over all frames; the shorter one rests at its end."""
    n = max(len(a), len(b))
    a, b = (np.concatenate([p, np.repeat(p[-1:], n - len(p), axis=0)]) for p in (a, b))
    relative = np.einsum("tki,tkj->tij", a[:, :3, :3], b[:, :3, :3])
    axis = relative - relative.transpose(0, 2, 1)
    sine = np.sqrt(axis[:, 0, 1] ** 2 + axis[:, 0, 2] ** 2 + axis[:, 1, 2] ** 2) / 2
    angle = np.degrees(np.arctan2(sine, (np.trace(relative, axis1=1, axis2=2) - 1) / 2))
    return np.linalg.norm(a[:, :3, 3] - b[:, :3, 3], axis=1).max(), angle.max()


@pytest.fixture
def instance(tmp_path):
    Image.new("RGB", (64, 36), (90, 120, 30)).save(tmp_path / "view.png")
    (tmp_path / "images").mkdir()

    def make(trajectory, **more):
        row = {"instance_id": f"0001/{trajectory}", "image": "view.png", "prompt": "A room.", **more}
        return instance_from_row(row, folder=tmp_path, images=tmp_path / "images")

    return make


def test_every_row_of_the_table_is_tried():
    assert set(CASES) == set(READERS) == set(TABLE)


@pytest.mark.parametrize("trajectory", TEMPLATES)
@pytest.mark.parametrize("name", TABLE)
def test_files_read_as_the_model_reads_them_lead_along_the_reported_path(name, trajectory, instance, tmp_path):
    adapter = load_adapter(name, CASES[name])
    assert isinstance(adapter, Adapter)
    wanted = instance(trajectory)
    folder = tmp_path / "inputs"
    folder.mkdir()
    conversion = adapter.convert(wanted, folder)
    read = READERS[name](folder, conversion.values)
    frames = conversion.values["frames"]

    assert len(conversion.effective) == frames
    assert adapter.grid.is_valid(frames)
    assert all(file.is_file() for file in conversion.files)
    assert (conversion.requested == wanted.poses).all()
    # What the model does is within the residual of the request, and no further than that from the effective path.
    metres, degrees = deviation(read, wanted.poses)
    assert metres <= conversion.residual.metres + 1e-5
    assert degrees <= conversion.residual.degrees + 2e-2
    assert conversion.residual.frames == frames - 481
    effective = deviation(conversion.effective, wanted.poses)
    assert effective[0] <= conversion.residual.metres + 1e-9
    assert effective[1] <= conversion.residual.degrees + 0.04  # blended rotations of the request
    if adapter.spec.metres_per_frame or "accept_inferred" in CASES[name] or name == "matrix-game-2":
        assert deviation(read, conversion.effective) == pytest.approx((0, 0), abs=1e-5 if name != "gamecraft" else 1e-3)


@pytest.mark.parametrize("trajectory", TEMPLATES)
@pytest.mark.parametrize("name", [name for name, options in CASES.items() if not STEPS.keys() & options.keys()])
def test_pose_driven_models_keep_the_official_poses_to_the_last_bit(name, trajectory, instance, tmp_path):
    adapter = load_adapter(name, CASES[name])
    if adapter.spec.metres_per_frame or name == "gamecraft":
        return
    wanted = instance(trajectory)
    effective = adapter.convert(wanted, tmp_path).effective
    assert effective[:481].tobytes() == wanted.poses.tobytes()
    assert (effective[481:] == wanted.poses[-1]).all()


@pytest.mark.parametrize("trajectory", TEMPLATES)
@pytest.mark.parametrize("name", ["matrix-game-3", "dreamx-world", "lingbot-world-act2cam"])
def test_matching_the_pace_stays_within_half_a_step_of_the_request(name, trajectory, instance, tmp_path):
    adapter = load_adapter(name, {**CASES[name], "pace": "match"})
    conversion = adapter.convert(instance(trajectory), tmp_path)
    axes = 2 if trajectory == "closed_loop" else 1
    assert conversion.residual.metres <= 0.5 * adapter.spec.metres_per_frame * axes**0.5 + 1e-9
    assert conversion.residual.degrees <= 0.5 * adapter.spec.degrees_per_frame + 1e-9
    read = READERS[name](tmp_path, conversion.values)
    assert deviation(read, conversion.effective) == pytest.approx((0, 0), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "options", "residuals", "frames"),
    [
        ("lingbot-world", {}, [(0.0167, 0), (0.05, 1.25), (0.0256, 0)], 0),
        ("hy-worldplay", {}, [(0.0167, 0), (0.05, 1.25), (0.0256, 0)], 12),
        ("hy-worldplay", {"form": "string"}, [(2.4, 0), (1.02, 10.33), (2.31, 0)], 12),
        ("sana-wm", {}, [(0, 0), (0, 0), (0, 0)], 0),
        ("matrix-game-3", {"pace": "hold"}, [(22.44, 0), (6.121, 55.5), (14.78, 0)], 16),
        ("matrix-game-3", {"pace": "match"}, [(0.0617, 0), (0.0615, 0.667), (0.078, 0)], 16),
        ("dreamx-world", {"pace": "match"}, [(0.0333, 0), (0.0333, 0.667), (0.045, 0)], 8),
        ("gamecraft", {}, [(0.7071, 0), (0.2333, 13.0), (0.8205, 0)], 14),
    ],
)
def test_residuals_are_those_of_the_readme(name, options, residuals, frames, instance, tmp_path):
    adapter = load_adapter(name, {**CASES[name], **options})
    for trajectory, wanted in zip(TEMPLATES, residuals, strict=True):
        residual = adapter.convert(instance(trajectory), tmp_path).residual
        assert residual[:2] == pytest.approx(wanted, rel=5e-3, abs=1e-6)
        assert residual.frames == frames


@pytest.mark.parametrize("trajectory", TEMPLATES)
def test_a_hy_string_reads_back_as_the_reported_path(trajectory, instance, tmp_path):
    conversion = load_adapter("hy-worldplay", {"form": "string"}).convert(instance(trajectory), tmp_path)
    words = dict(zip(["left", "right", "up", "down"], "jlik", strict=True))
    keys = []
    for entry in conversion.values["pose"].split(","):
        word, duration = entry.split("-")
        keys += [words.get(word, word)] * int(duration)
    poses = walk(keys, 0.08, 3.0)
    assert len(poses) == conversion.values["latents"] == (conversion.values["frames"] + 3) // 4
    assert len(poses) % 4 == 0
    assert deviation(between(poses, 4), conversion.effective) == pytest.approx((0, 0), abs=5e-3)
    assert deviation(conversion.effective, conversion.requested)[0] == pytest.approx(conversion.residual.metres)


def test_intrinsics_are_told_in_the_image_size_each_model_means(instance, tmp_path):
    camera = [[1000.0, 0.0, 500.0], [0.0, 900.0, 260.0], [0.0, 0.0, 1.0]]
    wanted = instance("out_and_back", intrinsics=camera, image_width=1000, image_height=500)
    load_adapter("lingbot-world").convert(wanted, tmp_path)
    rows = np.load(tmp_path / "actions/intrinsics.npy")
    assert rows.shape == (481, 4)
    assert rows[0] == pytest.approx([1000 * 832 / 1000, 900 * 480 / 500, 500 * 832 / 1000, 260 * 480 / 500])
    notes = load_adapter("hy-worldplay").convert(wanted, tmp_path).notes
    assert any("principal point" in note for note in notes)
    with pytest.raises(ValueError, match=r"field of view is 2\.864 degrees"):
        load_adapter("sana-wm").convert(instance("out_and_back", **_telescope()), tmp_path)


def _telescope():
    return {
        "intrinsics": [[20000.0, 0.0, 500.0], [0.0, 20000.0, 250.0], [0.0, 0.0, 1.0]],
        "image_width": 1000,
        "image_height": 500,
    }
