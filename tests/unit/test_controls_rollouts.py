"""Faults and rollouts of the reference world: what a world of known memory promises."""

import json
import sys

import numpy as np
import pytest

from revisit_metric.controls import (
    LAYOUTS,
    Fault,
    MissingRenderer,
    Renderer,
    available,
    build_scene,
    forgettable_share,
    parse_fault,
    realised_poses,
    render_rollout,
)
from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.faults import is_forgotten, new_look
from revisit_metric.controls.meshes import box, cards, quad
from revisit_metric.controls.rollout import CHECK_EVERY, FORGET_AFTER, Memory
from revisit_metric.controls.scene import Material
from revisit_metric.controls.table import Change, PartTable

FIRST_OF_CATEGORY = {layout.category: name for name, layout in reversed(LAYOUTS.items())}.values()
RENDERED = [name if name in FIRST_OF_CATEGORY else pytest.param(name, marks=pytest.mark.slow) for name in LAYOUTS]
"""One layout of each category; all of them in the slow run, since every layout costs several rendered rollouts."""

SIZE = (96, 54)
_WORKS, _REASON = available()
needs_egl = pytest.mark.skipif(not _WORKS, reason=_REASON)


def strafe(metres=7.2, frames=121):
    poses = np.tile(np.eye(4), (frames, 1, 1))
    poses[:, 0, 3] = metres * (1 - np.abs(np.linspace(-1, 1, frames)))
    return poses


PATH = strafe()


@pytest.fixture(scope="module")
def renderer():
    if not _WORKS:
        pytest.skip(_REASON)
    with Renderer(size=SIZE) as opened:
        yield opened


@pytest.fixture(scope="module")
def scene():
    return build_scene("living_room", 0)


@pytest.fixture(scope="module")
def forgetful(renderer, scene):
    def run(dose):
        rollout = render_rollout(scene, PATH, fault=Fault("forgetful", dose), renderer=renderer)
        return list(rollout), rollout.truth

    return {dose: run(dose) for dose in (0.0, 0.3, 1.0)}


@pytest.fixture(scope="module")
def perfect(renderer, scene):
    return list(render_rollout(scene, PATH, fault=Fault(), renderer=renderer))


# --- faults as values


def test_faults_read_back_what_they_write():
    for text in ("perfect", "forgetful:0.5", "static", "slow:0.25", "drift:0.3m", "drift:2deg"):
        assert str(parse_fault(text)) == text
    assert parse_fault("forgetful", seed=4) == Fault("forgetful", 1.0, "", 4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("lazy", "no fault 'lazy'"),
        ("forgetful:1.5", "from 0 to 1"),
        ("slow:-1", "from 0 to 1"),
        ("slow:fast", "cannot read a number"),
        ("static:1", "takes no strength"),
        ("drift:-2deg", "at least 0"),
    ],
)
def test_bad_faults_say_why(text, why):
    with pytest.raises(ValueError, match=why):
        parse_fault(text)


def test_poses_of_a_path_fault():
    assert np.array_equal(realised_poses(PATH, Fault()), PATH)
    assert np.array_equal(realised_poses(PATH, Fault("forgetful", 1.0)), PATH)
    assert np.array_equal(realised_poses(PATH, parse_fault("static")), np.tile(np.eye(4), (121, 1, 1)))
    slow = realised_poses(PATH, parse_fault("slow:0.5"))
    assert slow[::2] == pytest.approx(PATH[:61])
    metres = realised_poses(PATH, parse_fault("drift:0.2m")) - PATH
    assert np.linalg.norm(metres[100, :3, 3]) == pytest.approx(0.2)
    assert metres[100, 2, 3] < 0
    degrees = realised_poses(PATH, parse_fault("drift:2deg"))
    assert np.degrees(np.arctan2(degrees[50, 0, 2], degrees[50, 0, 0])) == pytest.approx(1.0)


def test_slow_poses_stay_rigid_while_turning():
    a = np.radians(np.arange(40.0))
    poses = np.tile(np.eye(4), (40, 1, 1))
    poses[:, 0, 0], poses[:, 0, 2], poses[:, 2, 0], poses[:, 2, 2] = np.cos(a), np.sin(a), -np.sin(a), np.cos(a)
    rotation = realised_poses(poses, parse_fault("slow:0.5"))[:, :3, :3]
    assert rotation @ rotation.transpose(0, 2, 1) == pytest.approx(np.tile(np.eye(3), (40, 1, 1)))


def test_doses_are_nested_and_graded():
    sets = [{i for i in range(1, 400) if is_forgotten(Fault("forgetful", d), i)} for d in (0.0, 0.3, 0.6, 1.0)]
    assert not sets[0]
    assert sets[1] < sets[2] < sets[3]
    assert len(sets[3]) == 399
    assert len(sets[1]) == pytest.approx(0.3 * 399, abs=30)


def test_a_new_look_keeps_to_its_freedom():
    looks = [new_look(0, i, 0, freedom="none") for i in range(50)]
    assert not any(c.moves for c in looks)
    assert all(c.layer_shift for c in looks)
    assert any(new_look(0, i, 0, freedom="stands").scale == 0 for i in range(50))
    assert all(new_look(0, i, 0, freedom="hangs").offset == (0, 0, 0) for i in range(50))
    assert new_look(0, 1, 0, freedom="none") != new_look(0, 1, 1, freedom="none")


def test_a_missing_renderer_names_extra_and_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "moderngl", None)
    works, reason = available()
    assert not works
    assert "revisit-metric[controls]" in reason
    assert "libegl1 libgl1 libgl1-mesa-dri" in reason
    with pytest.raises(MissingRenderer, match="moderngl"):
        Renderer()


@pytest.mark.parametrize("error", [Exception("libEGL.so not loaded"), ImportError("libGL"), ValueError("version")])
def test_a_missing_driver_names_the_packages(monkeypatch, error):
    moderngl = pytest.importorskip("moderngl")

    def fail(**_):
        raise error

    monkeypatch.setattr(moderngl, "create_context", fail)
    works, reason = available()
    assert not works
    assert "apt install libegl1" in reason
    assert str(error) in reason


def test_a_bug_in_the_renderer_is_not_a_missing_driver(monkeypatch):
    moderngl = pytest.importorskip("moderngl")

    def fail(**_):
        raise KeyError("bug")

    monkeypatch.setattr(moderngl, "create_context", fail)
    with pytest.raises(KeyError, match="bug"):
        available()


def test_rollouts_and_renderers_check_their_arguments(scene):
    with pytest.raises(ValueError, match=r"\(T, 4, 4\)"):
        render_rollout(scene, np.eye(4), fault=Fault())
    with pytest.raises(ValueError, match="at least 1"):
        Renderer(size=(0, 5))


# --- the renderer


@needs_egl
def test_depth_and_instances_of_a_known_plane(renderer):
    b = SceneBuilder(np.random.default_rng(0), eye_m=1.0)
    b.add("wall", [(box(40, 40, 1), Material("brick"))], at=(0, -20, 5.5))
    b.add("leaf", [(cards([(0, 1, 3)], 0.5, b.rng, upright=True), Material("leaves"))])
    plane = b.scene("plane", "abstract", 0, place="plane")
    frame = renderer.render(plane, np.eye(4))
    wall = frame.instance == 1
    assert wall.mean() > 0.9
    assert frame.depth[wall] == pytest.approx(5.0, abs=1e-4)
    assert frame.rgb.shape == (54, 96, 3)
    assert frame.instance.dtype == np.uint32
    moved = np.eye(4)
    moved[2, 3] = -2.0
    assert renderer.render(plane, moved).depth[0, 0] == pytest.approx(7.0, abs=1e-4)


@needs_egl
def test_the_image_is_the_right_way_round(renderer):
    b = SceneBuilder(np.random.default_rng(0), eye_m=1.0)
    b.add("upper left", [(box(0.5, 0.5, 0.5), Material("paint"))], at=(-1.5, 1.3, 3))
    b.add("floor", [(quad((-9, 0, 9), (18, 0, 0), (0, 0, -9)), Material("paint"))])
    instance = renderer.render(b.scene("x", "abstract", 0, place="x"), np.eye(4)).instance
    rows, columns = np.nonzero(instance == 1)
    assert rows.mean() < 27
    assert columns.mean() < 48
    assert (instance[-1] == 2).all()
    assert (instance[0, 60:] == 0).all()


@needs_egl
def test_sky_has_no_instance_and_no_depth(renderer):
    b = SceneBuilder(np.random.default_rng(0))
    b.add("crate", [(box(1, 1, 1), Material("pine"))], at=(0, 1, 4))
    frame = renderer.render(b.scene("x", "abstract", 0, place="x"), np.eye(4))
    assert np.array_equal(frame.instance == 0, np.isinf(frame.depth))
    assert (frame.instance == 0).any()


@needs_egl
@pytest.mark.parametrize("layout", RENDERED)
def test_every_layout_shows_enough_and_lets_it_leave(layout):
    with Renderer(size=(208, 117)) as small:
        built = build_scene(layout, 1)
        instance = small.render_masks(built, np.eye(4))[1]
        pixels = np.bincount(instance.ravel())[1:]
        # 5 of these pixels are 20 at 416 x 240.
        assert (pixels >= 5).sum() >= 30
        assert forgettable_share(built, strafe(frames=481)[200:281], instance) > 0.45


@needs_egl
def test_frames_are_reproducible_in_a_new_context(renderer, scene):
    first = renderer.render_rgb(scene, PATH[30])
    with Renderer(size=SIZE) as other:
        assert np.array_equal(first, other.render_rgb(build_scene("living_room", 0), PATH[30]))


@needs_egl
def test_supersampling_is_the_mean_of_samples(scene):
    with Renderer(size=(48, 27), supersample=2) as fine, Renderer(size=(96, 54)) as plain:
        mean = plain.render_rgb(scene, PATH[0]).reshape(27, 2, 48, 2, 3).mean(axis=(1, 3))
        assert np.abs(fine.render_rgb(scene, PATH[0]) - mean).max() <= 1.0


@needs_egl
def test_moving_a_part_back_restores_the_frame(renderer, scene):
    before = renderer.render_rgb(scene, np.eye(4))
    table = PartTable(scene)
    seen = renderer.render_masks(scene, np.eye(4))[1]
    chair = next(p.instance for p in scene.parts if p.noun == "armchair" and p.instance in seen)
    table.apply(chair, Change(scale=0.0))
    assert chair not in renderer.render_masks(scene, np.eye(4), table=table)[1]
    assert not np.array_equal(before, renderer.render_rgb(scene, np.eye(4), table=table))
    table.apply(chair, Change())
    assert np.array_equal(before, renderer.render_rgb(scene, np.eye(4), table=table))


# --- rollouts


def test_a_perfect_return_equals_the_first_frame_to_the_bit(perfect):
    assert np.array_equal(perfect[0], perfect[-1])
    assert all(np.array_equal(perfect[i], perfect[-1 - i]) for i in (10, 40))
    assert not np.array_equal(perfect[0], perfect[60])


def test_dose_zero_is_perfect_to_the_bit(forgetful, perfect):
    frames, truth = forgetful[0.0]
    assert all(np.array_equal(a, b) for a, b in zip(frames, perfect, strict=True))
    assert truth.events == []
    assert set(truth.changed.values()) == {0.0}


def test_forgetting_grows_with_the_dose(forgetful, perfect):
    error = [np.abs(forgetful[d][0][-1].astype(int) - perfect[0]).mean() for d in (0.0, 0.3, 1.0)]
    assert error[0] == 0
    assert 1.0 < error[1] < error[2]
    assert error[2] > 8.0
    share = [forgetful[d][1].changed[120] for d in (0.0, 0.3, 1.0)]
    assert share[0] == 0
    assert 0.05 < share[1] < share[2]
    assert share[2] > 0.3


def test_events_are_nested_in_the_dose(forgetful):
    few, all_ = ({(e.frame, e.instance) for e in forgetful[d][1].events} for d in (0.3, 1.0))
    assert few
    assert few < all_


def test_ground_truth_is_complete(forgetful):
    truth = forgetful[1.0][1]
    record = json.loads(truth.to_json())
    assert len(record["poses"]) == 121
    assert len(record["events"]) == len(truth.events)
    assert record["fault"] == {"text": "forgetful:1", "seed": 0}
    assert all(e.frame % CHECK_EVERY == 0 and e.frame >= FORGET_AFTER for e in truth.events)
    last = truth.events[-1]
    assert last.instance in truth.reseeded_at(last.frame)
    assert truth.reseeded_at(FORGET_AFTER - 1) == []


@needs_egl
@pytest.mark.parametrize("layout", RENDERED)
def test_nothing_pops_inside_the_view(renderer, layout):
    """At every check the frame before and after the re-seeding is the same, shadows included."""
    built = build_scene(layout, 1)
    truth = render_rollout(built, strafe(frames=121), fault=Fault("forgetful", 1.0), renderer=renderer).truth
    memory = Memory(built, truth)
    checked = 0
    for frame, pose in enumerate(truth.poses):
        due = frame % CHECK_EVERY == 0
        before = renderer.render_rgb(built, pose, table=memory.table) if due else None
        events = len(truth.events)
        memory.watch(frame, pose, renderer)
        if before is not None and len(truth.events) > events:
            assert np.array_equal(before, renderer.render_rgb(built, pose, table=memory.table)), frame
            checked += 1
    assert checked >= 3
    assert any(e.moved for e in truth.events)


@needs_egl
def test_a_static_world_repeats_its_first_frame(renderer, scene):
    frames = list(render_rollout(scene, PATH[:12], fault=parse_fault("static"), renderer=renderer))
    assert len(frames) == 12
    assert all(np.array_equal(f, frames[0]) for f in frames)


@needs_egl
def test_a_slow_world_shows_half_the_way(renderer, scene, perfect):
    rollout = render_rollout(scene, PATH[:21], fault=parse_fault("slow:0.5"), renderer=renderer)
    assert len(rollout) == 21
    frames = list(rollout)
    assert np.array_equal(frames[20], perfect[10])
    assert np.array_equal(frames[0], perfect[0])


@needs_egl
def test_a_drifting_world_does_not_return(renderer, scene, perfect):
    frames = list(render_rollout(scene, PATH[[0, 60, 120]], fault=parse_fault("drift:9m"), renderer=renderer))
    assert np.array_equal(frames[0], perfect[0])
    assert not np.array_equal(frames[2], perfect[0])


@needs_egl
def test_progress_and_own_renderer(scene):
    seen = []
    rollout = render_rollout(scene, PATH[:3], fault=Fault(), size=SIZE, progress=seen.append)
    assert next(rollout).shape == (54, 96, 3)
    assert len(list(rollout)) == 2
    assert seen == [1, 2, 3]
