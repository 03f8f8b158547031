import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revisit_metric.trajectory import (
    ACTIONS,
    PoseError,
    ScriptError,
    Segment,
    format_script,
    integrate,
    invert,
    parse_script,
    rebase,
    rotation_angle_deg,
    script_from_rows,
    script_to_rows,
    step_lengths_m,
    translation_m,
    trim_static,
    validate_poses,
    yaw_deg,
)

STEPS = {"metres_per_frame": 0.03, "degrees_per_frame": 0.6}
OPPOSITE = {
    "forward": "back", "back": "forward", "left": "right", "right": "left", "hold": "hold",
    "yaw_left": "yaw_right", "yaw_right": "yaw_left", "pitch_up": "pitch_down", "pitch_down": "pitch_up",
}  # fmt: skip
scripts = st.lists(st.builds(Segment, st.sampled_from(ACTIONS), st.integers(1, 12)), min_size=1, max_size=6)


def parsed(text, **steps):
    return [tuple(segment) for segment in parse_script(text, **(steps or STEPS))]


# --- grammar ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forward 2.4m", [("forward", 80)]),
        ("yaw_left 48deg", [("yaw_left", 80)]),
        ("yaw left 48 deg", [("yaw_left", 80)]),
        ("Pitch  Up 6 DEG", [("pitch_up", 10)]),
        ("hold 10f", [("hold", 10)]),
        ("yaw_right 7f", [("yaw_right", 7)]),
        ("back 3e-2m; left +.06m\nright 1f", [("back", 1), ("left", 2), ("right", 1)]),
        ("\n forward 3f,\n back 3f,\n", [("forward", 3), ("back", 3)]),
        ("forward 0.1000000001m", [("forward", 1)]),
    ],
)
def test_grammar(text, expected):
    steps = {"metres_per_frame": 0.1, "degrees_per_frame": 0.6} if "0.1000" in text else STEPS
    assert parsed(text, **steps) == expected


def test_frames_need_no_step():
    assert parse_script("forward 3f, yaw_left 2f") == (Segment("forward", 3), Segment("yaw_left", 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forwards 3f", r"unknown action 'forwards': did you mean 'forward'\? known are forward, .*hold"),
        ("yaw-left 3f", "expected an action and an amount"),
        ("zoom 3f", r"segment 1, 'zoom 3f': unknown action 'zoom': known are"),
        ("yaw_left 2m", "the amount of yaw_left is in deg or f .frames., not 'm'"),
        ("forward 30deg", "the amount of forward is in m or f .frames., not 'deg'"),
        ("hold 2m", "the amount of hold is in f .frames., not 'm'"),
        ("forward 20cm", "not 'cm'"),
        ("forward 3", "add the unit: m or f"),
        ("forward -2m", "the amount is -2, expected a positive number"),
        ("hold 0f", "the amount is 0"),
        ("hold 2.5f", "2.5f is not a whole number of frames"),
        ("forward nanm", "the amount is nan"),
        ("forward inf m", "the amount is inf"),
        ("forward", "expected an action and an amount"),
        ("forward 3f back 3f", "expected an action and an amount"),
        (" ,; \n", "has no segment"),
        ("forward 1e9m", "more than 1000000 frames"),
        ("hold 1000001f", "1000001 frames, expected 1 to 1000000"),
        ("hold 3f, forward 2.41m", r"segment 2, 'forward 2.41m': 2.41m is 80.3333 frames of 0.03 m, "
         r"not a whole number; the nearest amounts are 2.4m \(80 frames\) and 2.43m \(81 frames\)"),
        ("forward 0.01m", r"the nearest amounts are 0.03m \(1 frame\)"),
    ],
)  # fmt: skip
def test_grammar_refuses(text, message):
    with pytest.raises(ScriptError, match=message):
        parse_script(text, **STEPS)


def test_missing_and_bad_steps_are_named():
    with pytest.raises(ScriptError, match="an amount in m needs metres_per_frame"):
        parse_script("forward 2m", degrees_per_frame=1)
    with pytest.raises(ScriptError, match="an amount in deg needs degrees_per_frame"):
        parse_script("yaw left 2deg", metres_per_frame=1)
    with pytest.raises(ScriptError, match="metres_per_frame is nan"):
        parse_script("forward 2f", metres_per_frame=math.nan)
    with pytest.raises(ScriptError, match=r"degrees_per_frame is -1"):
        integrate([("hold", 1)], degrees_per_frame=-1)
    with pytest.raises(ScriptError, match="the script has 'back': give metres_per_frame"):
        integrate([("back", 1)], degrees_per_frame=1)


@given(scripts)
def test_text_and_rows_round_trip(script):
    assert parse_script(format_script(script)) == tuple(script)
    assert script_from_rows(script_to_rows(script)) == tuple(script)


@given(st.sampled_from(ACTIONS[:4]), st.integers(1, 500), st.sampled_from([0.01, 0.03, 0.05, 4 / 117, 0.1235]))
def test_amounts_in_metres_round_trip(action, frames, step):
    assert parse_script(f"{action} {frames * step!r}m", metres_per_frame=step) == ((action, frames),)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"action": "fly", "frames": 3}, "row 1: unknown action 'fly'"),
        ({"action": "hold", "frames": 3.0}, "row 1: hold: frames is 3.0, expected a whole number"),
        ({"action": "hold", "frames": True}, "frames is True"),
        ({"action": "hold", "frames": "3"}, "frames is '3'"),
        ({"action": "hold", "frames": 0}, "0 frames, expected 1"),
        ({"action": "hold"}, r"row 1 is \{'action': 'hold'\}, expected"),
        ({"action": "hold", "frames": 1, "speed": 2}, "speed"),
        (["hold", 3], "row 1 is"),
    ],
)
def test_bad_rows_are_refused(row, message):
    with pytest.raises(ScriptError, match=message):
        script_from_rows([{"action": "hold", "frames": np.int64(2)}, row])


# --- integration ---


@pytest.mark.parametrize(
    ("action", "element", "value"),
    [
        ("forward", (2, 3), 0.5), ("back", (2, 3), -0.5), ("right", (0, 3), 0.5), ("left", (0, 3), -0.5),
        ("yaw_right", (0, 2), math.sin(math.radians(2))), ("yaw_left", (0, 2), -math.sin(math.radians(2))),
        ("pitch_up", (1, 2), -math.sin(math.radians(2))), ("pitch_down", (1, 2), math.sin(math.radians(2))),
    ],
)  # fmt: skip
def test_signs(action, element, value):
    poses = integrate([(action, 1)], metres_per_frame=0.5, degrees_per_frame=2.0)
    assert (poses[0] == np.eye(4)).all()
    assert poses[1][element] == value


def test_yaw_matrix_is_the_pages():
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    turned = integrate([("yaw_right", 1)], degrees_per_frame=30.0)[1]
    assert turned.tolist() == [[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]


def test_translation_follows_the_camera():
    poses = integrate([("yaw_right", 1), ("forward", 2)], metres_per_frame=1.5, degrees_per_frame=90.0)
    np.testing.assert_allclose(poses[-1, :3, 3], [3.0, 0.0, 0.0], atol=1e-15)


def test_positions_are_multiplied_not_accumulated():
    z = integrate([("forward", 1000)], metres_per_frame=0.1)[:, 2, 3]
    assert z.tolist() == [0.1 * s for s in range(1001)]


def test_rotations_compose_on_the_right():
    poses = integrate([("pitch_up", 1), ("yaw_right", 1)], degrees_per_frame=90.0)
    # Looking straight up, then turning about the camera's own y axis: it faces right, on its back.
    np.testing.assert_allclose(poses[-1, :3, 2], [1.0, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(poses[-1, :3, 1], [0.0, 0.0, 1.0], atol=1e-15)


@settings(max_examples=60)
@given(scripts)
def test_out_and_back_ends_at_the_start(script):
    back = [Segment(OPPOSITE[action], frames) for action, frames in reversed(script)]
    poses = integrate([*script, *back], **STEPS)
    assert len(poses) == 1 + 2 * sum(frames for _, frames in script)
    np.testing.assert_allclose(poses[-1], np.eye(4), atol=1e-12)
    np.testing.assert_allclose(poses[::-1], poses, atol=1e-12)


@settings(max_examples=60)
@given(scripts)
def test_integrated_paths_are_rigid_and_have_the_commanded_steps(script):
    poses = integrate(script, **STEPS)
    rotations = validate_poses(poses)[:, :3, :3]
    np.testing.assert_allclose(
        rotations @ rotations.transpose(0, 2, 1), np.eye(3)[None].repeat(len(poses), 0), atol=1e-12
    )
    actions = [action for action, frames in script for _ in range(frames)]
    moves = [0.03 if action in ACTIONS[:4] else 0.0 for action in actions]
    turns = [0.6 if action in ACTIONS[4:8] else 0.0 for action in actions]
    np.testing.assert_allclose(step_lengths_m(poses), moves, atol=1e-12)
    np.testing.assert_allclose(rotation_angle_deg(poses), turns, atol=1e-9)


@settings(max_examples=60)
@given(scripts, scripts)
def test_rebase_undoes_a_change_of_world(first, second):
    whole = integrate([*first, *second], **STEPS)
    start = sum(frames for _, frames in first)
    np.testing.assert_allclose(rebase(whole[start:]), integrate(second, **STEPS), atol=1e-12)
    np.testing.assert_allclose(invert(invert(whole)), whole, atol=1e-12)


def test_rebase_leaves_a_path_from_the_identity_as_it_is():
    poses = integrate([("yaw_left", 5), ("forward", 5)], **STEPS)
    assert (rebase(poses) == poses).all()


# --- validation ---


def path(frames=4):
    return integrate([("forward", 2), ("yaw_right", frames - 3)], **STEPS)


def changed(index, value):
    poses = path()
    poses[index] = value
    return poses


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        (np.eye(4), r"shape \(4, 4\), expected \(T, 4, 4\): one matrix: add the frame axis"),
        (np.zeros((0, 4, 4)), "no frames"),
        (np.zeros((5, 16)), "flattened"),
        (np.zeros((5, 7)), "quaternion"),
        (np.zeros((5, 3, 3)), "rotations or intrinsics alone"),
        (np.zeros((5, 4, 3)), "row-vector"),
        (np.zeros((2, 5, 4, 4)), r"shape \(2, 5, 4, 4\)"),
        ([[1, 2], [3]], "ragged"),
        (np.full((1, 4, 4), "1"), "dtype <U1"),
        (path().astype(complex), "complex128"),
        (changed((2, 0, 3), np.nan), r"frame 2: element \[0, 3\] is nan"),
        (changed((1, 1, 1), np.inf), r"frame 1: element \[1, 1\] is inf"),
        (path().transpose(0, 2, 1), "frame 1: .*row-vector convention: translation found in the last"),
        (changed((3, 3), [0, 0, 1, 0]), r"frame 3: last row is \[0.0, 0.0, 1.0, 0.0\]"),
        (changed((1, slice(3), slice(3)), np.diag([1, 1, -1])), r"frame 1: left-handed \(det -1\): a U"),
        (changed((2, slice(3), slice(3)), 2 * np.eye(3)), "frame 2: scale 2 in the rotation"),
        (changed((2, slice(3), slice(3)), 0), "frame 2: the rotation is all zeros"),
        (changed((2, 0, 1), 0.1), r"frame 2: rotation is not orthonormal: max \|R R\^T - I\| is 0.1"),
    ],
)  # fmt: skip
def test_bad_poses_are_refused(poses, message):
    with pytest.raises(PoseError, match=message):
        validate_poses(poses)


def test_blended_rotations_are_accepted_and_kept():
    ends = integrate([("yaw_right", 1)], degrees_per_frame=3.0)
    blend = (ends[:1] + ends[1:]) / 2
    assert (validate_poses(blend) == blend).all()


def test_three_rows_and_other_number_types_are_completed():
    poses = path()
    assert (validate_poses(poses[:, :3]) == poses).all()
    single = validate_poses(poses.astype(np.float32))
    assert single.dtype == np.float64
    assert validate_poses([np.eye(4, dtype=int).tolist()]).tolist() == [np.eye(4).tolist()]


# --- measures ---


def test_yaw_wraps_and_ignores_translation():
    poses = integrate([("yaw_right", 3), ("forward", 1)], metres_per_frame=1.0, degrees_per_frame=80.0)
    np.testing.assert_allclose(yaw_deg(poses), [0, 80, 160, -120, -120])


def test_angles_are_exact_at_both_ends():
    for degrees in (1e-7, 0.5, 90.0, 180.0):
        angle = rotation_angle_deg(integrate([("pitch_up", 1)], degrees_per_frame=degrees))
        np.testing.assert_allclose(angle, [degrees], rtol=1e-9)


def test_translation_is_a_copy():
    poses = path()
    translation_m(poses)[:] = 7
    assert poses[:, :3, 3].max() < 1


@pytest.mark.parametrize(
    ("script", "leading", "trailing", "kept"),
    [
        ("hold 5f, forward 3f, hold 4f", False, True, (0, 9)),
        ("hold 5f, forward 3f, hold 4f", True, False, (5, 13)),
        ("hold 5f, forward 3f, hold 4f", False, False, (0, 13)),
        ("hold 5f, yaw_left 3f, hold 4f", True, True, (5, 9)),
        ("forward 3f, hold 4f, forward 1f", True, True, (0, 9)),
        ("hold 9f", True, True, (0, 10)),
        ("forward 1f", True, True, (0, 2)),
    ],
)
def test_trim(script, leading, trailing, kept):
    poses = integrate(parse_script(script), **STEPS)
    assert trim_static(poses, leading=leading, trailing=trailing) == slice(*kept)


def test_trim_thresholds():
    for metres, degrees, stop in ((0.0099, 0.49, 6), (0.0101, 0.49, 9), (0.0099, 0.51, 12)):
        script = parse_script("right 2f, yaw_left 3f, forward 3f, pitch_up 3f")
        # The first five steps are made large, the tail is the one under test.
        poses = integrate(script, metres_per_frame=metres, degrees_per_frame=degrees)
        poses[:6, 1, 3] = np.arange(6) - 5.0
        assert trim_static(poses, leading=False, trailing=True) == slice(0, stop)
