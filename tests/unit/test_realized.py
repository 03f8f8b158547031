"""Realised trajectories: planning, two views of known motion, and rendered rollouts whose camera path is known."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from revisit_metric.cli.check import _camera, _realized
from revisit_metric.controls import Renderer, available, build_scene, parse_fault, realised_poses, render_rollout
from revisit_metric.manifest import rollout_from_row
from revisit_metric.realized import realized, realized_motion, valid_subset
from revisit_metric.realized.plan import plan
from revisit_metric.realized.two_view import rotation_vector_deg, two_view_motion
from revisit_metric.templates import release_intrinsics, template
from revisit_metric.trajectory import integrate, parse_script
from revisit_metric.video import VideoError, write_video

SIZE = (320, 180)
CAMERA = release_intrinsics(*SIZE)
PATHS = {
    # As long as the templates, so that drift has its time, but with a third of the motion: fewer frames to draw.
    "sideways": integrate(parse_script("right 240f, left 240f"), metres_per_frame=0.0125),
    "turns": integrate(
        parse_script("forward 80f, back 80f, yaw_left 160f, yaw_right 160f"),
        metres_per_frame=0.02,
        degrees_per_frame=0.25,
    ),
}
_WORKS, _REASON = available()


class World:
    """A scene in a renderer; a view is drawn once."""

    def __init__(self, name, renderer):
        self.name, self.scene, self.renderer = name, build_scene(name, 1), renderer
        self._drawn = {}

    def view(self, pose):
        key = pose.tobytes()
        if key not in self._drawn:
            self._drawn[key] = self.renderer.render_rgb(self.scene, pose)
        return self._drawn[key]

    def diagnosed(self, poses, fault="perfect"):
        """Only the frames that are looked at are drawn."""
        seen = realised_poses(poses, parse_fault(fault))
        return realized_motion(((i, self.view(seen[i])) for i in plan(poses).frames()), poses)


@pytest.fixture(scope="module", params=["living_room", "shopping_street"])
def world(request):
    # Uploading a scene takes seconds: the tests of one scene run together.
    if not _WORKS:
        pytest.skip(_REASON)
    with Renderer(size=SIZE) as opened:
        yield World(request.param, opened)


living_room = pytest.mark.parametrize("world", ["living_room"], indirect=True)


# --- the plan


def test_the_plan_of_the_sideways_path_mirrors_it():
    course = plan(template("out_and_back").poses())
    assert len(course.steps) == 41  # 14.4 m in steps of 0.35 m
    assert course.returns[0] == (0, 480)
    # Within the tolerance the last frame that is close enough counts, up to a frame or two late.
    assert all(0 <= later - (480 - earlier) <= 2 for earlier, later in course.returns)
    assert len(course.returns) == 8
    assert course.frames() == sorted(set(course.frames()))


def test_a_return_needs_a_departure():
    poses = integrate(parse_script("right 1f, left 1f, right 40f"), metres_per_frame=0.1)
    assert plan(poses).returns == ()


def test_a_long_path_has_no_more_steps_than_it_may():
    poses = integrate(parse_script("forward 3000f"), metres_per_frame=0.1)
    assert len(plan(poses).steps) == 48


def test_a_path_without_motion_is_not_judged():
    poses = np.tile(np.eye(4), (9, 1, 1))
    frames = [(0, np.zeros((36, 64, 3), np.uint8))]
    diagnosis = realized_motion(frames, poses)
    assert diagnosis.action_valid is None
    assert diagnosis.confidence == 0
    assert "less than 0.35 m and 8 degrees" in diagnosis.reasons[0]


def test_a_missing_frame_is_named():
    with pytest.raises(ValueError, match="frame 12 is needed"):
        realized_motion([(0, np.zeros((36, 64, 3), np.uint8))], template("out_and_back").poses())


def test_frames_without_texture_are_undetermined():
    grey = np.full((90, 160, 3), 128, np.uint8)
    diagnosis = realized_motion(((i, grey) for i in range(481)), template("out_and_back").poses())
    assert diagnosis.action_valid is None
    assert (diagnosis.confidence, diagnosis.steps_followed, diagnosis.return_displacement) == (0.0, None, None)


def test_the_subset_keeps_every_rollout_in_one_of_three():
    poses = template("out_and_back").poses()
    noise = np.random.default_rng(0).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    still = realized_motion(((i, noise) for i in range(481)), poses)
    blank = realized_motion(((i, np.zeros_like(noise)) for i in range(481)), poses)
    assert still.reasons[0].startswith("the first view never shifts")
    assert valid_subset({"a": still, "b": blank}) == ((), ("a",), ("b",))


# --- two views


def projected(points, rotation, centre):
    seen = (points - centre) @ rotation
    return (seen / seen[:, 2:]) @ CAMERA.T[:, :2]


def feature(points, names):
    return {"points": points.astype(np.float32), "descriptors": names}


@pytest.mark.parametrize(
    ("yaw", "centre"),
    [(0.0, (0.4, 0, 0)), (8.0, (0, 0, 0)), (-5.0, (0.1, 0, 0.5)), (0.0, (0, 0, -0.6)), (0.0, (0, 0, 0))],
)
def test_a_known_motion_is_recovered(yaw, centre):
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.uniform(-3, 3, 200), rng.uniform(-1.5, 1.5, 200), rng.uniform(2.5, 8, 200)])
    a = np.radians(yaw)
    rotation = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    names = rng.integers(0, 255, (200, 128), dtype=np.uint8)
    before = feature(projected(points, np.eye(3), np.zeros(3)), names)
    after = feature(projected(points, rotation, np.array(centre)), names)
    motion = two_view_motion(before, after, intrinsics=CAMERA, width=320)
    np.testing.assert_allclose(motion.rotation_deg, [0, yaw, 0], atol=0.1)
    if any(centre):
        np.testing.assert_allclose(motion.direction, np.array(centre) / np.linalg.norm(centre), atol=0.02)
    else:
        assert motion.direction is None
    assert motion.n_inliers == 200
    assert motion.overlap == 1.0


def test_unrelated_features_give_no_motion():
    rng = np.random.default_rng(2)
    a, b = (feature(rng.uniform(0, 180, (99, 2)), rng.integers(0, 255, (99, 128), dtype=np.uint8)) for _ in "ab")
    assert two_view_motion(a, b, intrinsics=CAMERA, width=320) is None


def test_rotation_vectors_follow_the_signs_of_the_poses():
    poses = integrate(parse_script("yaw_right 10f"), degrees_per_frame=1.0)
    np.testing.assert_allclose(rotation_vector_deg(poses[-1, :3, :3]), [0, 10, 0], atol=1e-9)


# --- rendered


@pytest.mark.parametrize("path", PATHS)
def test_a_camera_that_does_as_told_passes(world, path):
    diagnosis = world.diagnosed(PATHS[path])
    assert diagnosis.action_valid is True, diagnosis.reasons
    assert diagnosis.confidence > 0.9
    assert diagnosis.departure > 0.4
    assert diagnosis.return_rotation_deg < 0.5
    assert diagnosis.return_displacement < 0.006
    if path == "turns":
        assert abs(diagnosis.turn_error_deg) < 0.3


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("static", "did not leave"),
        ("slow:0.5", "go the commanded way"),
        ("drift:0.3m", "of the image's width"),
        ("drift:2deg", "degrees"),
    ],
)
def test_a_camera_that_does_otherwise_is_flagged(world, fault, reason):
    diagnosis = world.diagnosed(PATHS["sideways" if world.name == "living_room" else "turns"], fault)
    assert diagnosis.action_valid is False
    assert any(reason in text for text in diagnosis.reasons), diagnosis.reasons


@living_room
def test_the_benchmarks_own_path(world):
    diagnosis = world.diagnosed(template("translation_rotation").poses())
    assert diagnosis.action_valid is True, diagnosis.reasons
    assert world.diagnosed(template("translation_rotation").poses(), "drift:0.2m").action_valid is False


@living_room
def test_a_camera_that_turns_the_other_way_is_flagged(world):
    poses = integrate(parse_script("yaw_left 40f, yaw_right 40f"), degrees_per_frame=1.0)
    mirrored = np.linalg.inv(poses)
    frames = ((i, world.view(mirrored[i])) for i in plan(poses).frames())
    diagnosis = realized_motion(frames, poses)
    assert diagnosis.steps_followed == 0
    assert diagnosis.turn_error_deg == pytest.approx(-80, abs=1)
    assert diagnosis.action_valid is False


@living_room
def test_a_forgetful_world_is_not_called_disobedient(world):
    poses = integrate(parse_script("yaw_left 60f, yaw_right 60f"), degrees_per_frame=1.0)
    rollout = render_rollout(world.scene, poses, fault=parse_fault("forgetful:1"), renderer=world.renderer)
    diagnosis = realized_motion(enumerate(rollout), poses)
    assert rollout.truth.events
    assert diagnosis.action_valid is True or diagnosis.confidence < 0.6, diagnosis


@living_room
def test_a_video_file_gives_what_its_frames_give(world, tmp_path):
    poses = integrate(parse_script("yaw_right 20f, yaw_left 20f"), degrees_per_frame=2.0)
    views = [world.view(pose) for pose in poses]
    write_video(tmp_path / "a.mp4", [views[0], views[0], *views], fps=16)
    row = {"instance_id": "a/turn", "video": "a.mp4", "first_frame": 2, "poses": poses.tolist()}
    diagnosis = realized(rollout_from_row(row, folder=tmp_path), intrinsics=_camera(*SIZE, 89.4193))
    assert diagnosis.action_valid is True, diagnosis.reasons
    assert abs(diagnosis.turn_error_deg) < 0.3
    assert json.loads(json.dumps(diagnosis.to_dict()))["steps_measured"] == diagnosis.steps_measured


def test_a_video_that_ends_early_is_an_error(small_rollouts):
    row = {"instance_id": "a/out_and_back", "video": "0.mp4"}
    with pytest.raises(VideoError, match="ends after 61 decoded frames"):
        realized(rollout_from_row(row, folder=small_rollouts.parent))


# --- the command


def test_the_command_writes_diagnoses_and_subsets(small_rollouts, tmp_path, capsys):
    out = tmp_path / "realized.json"
    options = SimpleNamespace(manifest=small_rollouts, hfov=None, out=out, allow_outside=False, json=False)
    assert _realized(options) == 0
    record = json.loads(out.read_text())
    names = sorted(name for ids in record["subsets"].values() for name in ids)
    assert names == sorted(record["rollouts"]) == ["toy/wall0/slide/seed0", "toy/wall1/slide/seed0"]
    assert "invalid" in capsys.readouterr().out


def test_a_field_of_view_out_of_range_is_refused():
    with pytest.raises(ValueError, match="--hfov is 200"):
        _camera(320, 180, 200)
