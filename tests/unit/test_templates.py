import hashlib
import pickle
from pathlib import Path

import numpy as np
import pytest

from revisit_metric import templates
from revisit_metric.templates import (
    TEMPLATES,
    Template,
    TemplateError,
    register,
    release_intrinsics,
    template,
    template_from_yaml,
)
from revisit_metric.trajectory import (
    ACTIONS,
    ScriptError,
    Segment,
    integrate,
    rotation_angle_deg,
    step_lengths_m,
    validate_poses,
    yaw_deg,
)

RELEASE = Path(__file__).parents[2].parent / "shared" / "reference" / "trajectories"
HASHES = {
    "out_and_back": ("DDDAAA", "c0438499c242c97d"),
    "translation_rotation": ("WSLRRLL", "d2e16d2b44ba2c38"),
    "closed_loop": ("revisit_loop", "15ca4d590476fef6"),
}
NAMES = sorted(HASHES)


@pytest.mark.parametrize("name", NAMES)
def test_poses_are_the_releases_to_the_bit(name):
    release_name, digest = HASHES[name]
    poses = template(name).poses()
    assert (poses.dtype, poses.shape, poses.flags.c_contiguous) == (np.float64, (481, 4, 4), True)
    assert hashlib.sha256(poses.tobytes()).hexdigest()[:16] == digest
    assert template(release_name) is template(name)


@pytest.mark.parametrize("name", NAMES)
def test_poses_equal_the_released_files(name):
    file = RELEASE / f"traj_{HASHES[name][0]}.npy"
    if not file.exists():
        pytest.skip("the released trajectories are not beside this checkout")
    assert template(name).poses().tobytes() == np.load(file).tobytes()


def test_turns_do_not_lean_on_the_machines_own_arithmetic(monkeypatch):
    def refuse(*_args):
        raise AssertionError("called")

    for name in ("cos", "sin"):
        monkeypatch.setattr(templates.math, name, refuse)
    for name in ("cos", "sin", "dot", "matmul", "einsum"):
        monkeypatch.setattr(np, name, refuse)
    keys = templates._blend(templates._word_keys("WSLRRLL"))
    assert hashlib.sha256(keys.tobytes()).hexdigest()[:16] == "d2e16d2b44ba2c38"


def observed_actions(poses):
    """The action of every step, read off the poses alone."""
    actions = []
    steps = np.diff(poses[:, :3, 3], axis=0)
    turns = np.diff(yaw_deg(poses))
    for step, turn in zip(steps, turns, strict=True):
        axis = int(np.argmax(np.abs(step)))
        if abs(step[axis]) > 1e-6:
            actions.append(
                {(0, True): "right", (0, False): "left", (2, True): "forward", (2, False): "back"}[axis, step[axis] > 0]
            )
        else:
            actions.append("hold" if abs(turn) < 1e-6 else "yaw_right" if turn > 0 else "yaw_left")
    return actions


@pytest.mark.parametrize("name", NAMES)
def test_script_is_what_the_camera_does(name):
    entry = template(name)
    actions = [action for action, frames in entry.script for _ in range(frames)]
    assert len(actions) == 480
    assert actions == observed_actions(entry.poses())


def test_scripts():
    assert template("translation_rotation").script == (
        ("forward", 69), ("back", 69), ("yaw_left", 69), ("yaw_right", 135), ("hold", 3), ("yaw_left", 135)
    )  # fmt: skip
    assert template("closed_loop").script == (
        ("forward", 117), ("hold", 3), ("right", 117), ("hold", 3), ("back", 117), ("hold", 3), ("left", 120)
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_steps_are_the_mean_of_the_moving_frames(name):
    entry = template(name)
    actions = np.array([action for action, frames in entry.script for _ in range(frames)])
    moves, turns = np.isin(actions, ACTIONS[:4]), np.isin(actions, ACTIONS[4:8])
    assert entry.metres_per_frame == pytest.approx(step_lengths_m(entry.poses())[moves].mean(), abs=1e-12)
    if turns.any():
        # The chord of a blended rotation is traversed unevenly; whole letters are exact.
        assert entry.degrees_per_frame == pytest.approx(rotation_angle_deg(entry.poses())[turns].mean(), abs=1e-9)
    else:
        assert entry.degrees_per_frame is None


def test_extents():
    assert template("out_and_back").poses()[:, 0, 3].max() == pytest.approx(7.2, abs=1e-12)
    yaw = yaw_deg(template("translation_rotation").poses())
    assert (yaw.min(), yaw.max(), yaw[-1]) == pytest.approx((-48, 47, -48), abs=1e-9)
    loop = template("closed_loop").poses()
    assert step_lengths_m(loop).sum() == pytest.approx(16)
    assert (loop[-1] == np.eye(4)).all()


def test_blended_rotations_have_the_known_slack():
    rotations = validate_poses(template("translation_rotation").poses())[:, :3, :3]
    slack = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max()
    assert slack == pytest.approx(6.1e-4, abs=1e-5)


def test_keys_are_the_tick_path():
    script = [("forward", 48), ("back", 48), ("yaw_left", 48), ("yaw_right", 96), ("yaw_left", 96)]
    ticks = integrate(script, metres_per_frame=0.05, degrees_per_frame=1.0)
    picked = ticks[[key * 336 // 160 for key in range(161)]]
    np.testing.assert_allclose(template("WSLRRLL").poses()[::3], picked, atol=1e-14)


def test_poses_are_cached_and_read_only():
    poses = template("closed_loop").poses()
    assert template("closed_loop").poses() is poses
    with pytest.raises(ValueError, match="read-only"):
        poses[0] = 0


def test_templates_survive_pickling():
    entry = pickle.loads(pickle.dumps(template("closed_loop")))
    assert (entry.name, entry.poses().tobytes()) == ("closed_loop", template("closed_loop").poses().tobytes())


def test_unknown_name_lists_the_known():
    with pytest.raises(
        TemplateError, match=r"unknown template 'loop'; known are out_and_back \(DDDAAA\), .*closed_loop"
    ):
        template("loop")


def test_register(monkeypatch):
    monkeypatch.setattr(templates, "TEMPLATES", dict(TEMPLATES))
    entry = Template("still", (Segment("hold", 2),), "Nothing moves.")
    assert register(entry) is template("still") is entry
    assert template("still").poses().shape == (3, 4, 4)
    for name, release_name in (("still", None), ("DDDAAA", None), ("new", "revisit_loop")):
        with pytest.raises(TemplateError, match="is already registered"):
            register(Template(name, (Segment("hold", 1),), "", release_name=release_name))
    with pytest.raises(TemplateError, match=r"known are .*, still$"):
        template("DDD")


def test_a_template_without_its_step_says_so():
    with pytest.raises(ScriptError, match="give metres_per_frame"):
        Template("walk", (Segment("forward", 2),), "").poses()


YAML = """
name: look_back
description: Turn away and back.
script: |
  forward 0.6m
  yaw left 90 deg, hold 10f
  yaw_right 90deg
metres_per_frame: 0.03
degrees_per_frame: 1
"""


def test_yaml(tmp_path):
    file = tmp_path / "look_back.yaml"
    file.write_text(YAML)
    entry = template_from_yaml(file)
    assert entry.script == (("forward", 20), ("yaw_left", 90), ("hold", 10), ("yaw_right", 90))
    assert (entry.name, entry.description) == ("look_back", "Turn away and back.")
    assert entry.poses().shape == (211, 4, 4)
    assert "look_back" not in TEMPLATES


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: look_back", "name: look/back", "name is 'look/back', expected lower-case"),
        ("name: look_back", "name: 7", "name is 7, expected text"),
        ("name: look_back", "", "name is missing"),
        ("name: look_back", "nmae: look_back", "unknown key 'nmae': did you mean 'name'"),
        ("description: Turn away and back.", "description:", "description is None, expected text"),
        (
            "metres_per_frame: 0.03",
            "",
            "script: segment 1, 'forward 0.6m': an amount in m needs metres_per_frame",
        ),
        ("metres_per_frame: 0.03", "metres_per_frame: -1", "metres_per_frame is -1, expected a positive"),
        ("metres_per_frame: 0.03", "metres_per_frame: .nan", "metres_per_frame is nan"),
        ("metres_per_frame: 0.03", "metres_per_frame: true", "metres_per_frame is True"),
        (
            "metres_per_frame: 0.03",
            "metres_per_frame: 3e-2",
            "metres_per_frame is the text '3e-2': YAML wants a point",
        ),
        ("forward 0.6m", "froward 0.6m", "script: segment 1, .*did you mean 'forward'"),
        ("forward 0.6m", "forward 3f", None),
        ("script: |", "script: [", "not YAML"),
    ],
)
def test_bad_yaml_names_file_and_key(tmp_path, old, new, message):
    file = tmp_path / "mine.yaml"
    file.write_text(YAML.replace(old, new))
    if message is None:
        assert template_from_yaml(file).script[0] == ("forward", 3)
        return
    with pytest.raises(TemplateError, match=rf"mine\.yaml: .*{message}"):
        template_from_yaml(file)


def test_yaml_without_a_needed_step_or_without_keys(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: a\nscript: forward 3f")
    with pytest.raises(TemplateError, match=r"mine\.yaml: script: the script has 'forward': give metres_per_frame"):
        template_from_yaml(file)
    file.write_text("- forward 3f")
    with pytest.raises(TemplateError, match=r"expected the keys name, script, .*found list"):
        template_from_yaml(file)
    file.write_text("!!python/object/apply:os.getcwd []")
    with pytest.raises(TemplateError, match="not YAML"):
        template_from_yaml(file)
    with pytest.raises(TemplateError, match=r"absent\.yaml: cannot be read"):
        template_from_yaml(tmp_path / "absent.yaml")


def test_intrinsics_scale_with_the_width():
    full, half = release_intrinsics(1920, 1080), release_intrinsics(960, 540)
    assert full.tolist() == [[969.7675145179088, 0, 960], [0, 969.7675145179088, 540], [0, 0, 1]]
    np.testing.assert_allclose(half[:2] * 2, full[:2])
    cropped = release_intrinsics(1920, 800)
    assert (cropped[0, 0], cropped[1, 1], cropped[1, 2]) == (full[0, 0], full[0, 0], 400)
    with pytest.raises(ValueError, match="image size is 0 x 5"):
        release_intrinsics(0, 5)
