"""What is measured on a reference scene's first view: things, tags, free space."""

import numpy as np
import pytest

from dataset_builder.open_view import (
    Look,
    count_objects,
    free_space_m,
    measured_tags,
    sky_above,
    things,
    visible_instances,
)
from revisit_metric.controls import Renderer, available
from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.meshes import box, quad
from revisit_metric.controls.scene import Material

usable, reason = available()
needs_egl = pytest.mark.skipif(not usable, reason=reason)
pytestmark = needs_egl

OAK, BRICK = Material("oak"), Material("brick", words="red brick")


def yard(*extra, roof=False):
    """A floor, a wall 6 m ahead and two oak crates, one of them 1 m to the left."""
    b = SceneBuilder(np.random.default_rng(0), eye_m=1.5)
    b.add("floor", [(quad((-20, 0, 20), (40, 0, 0), (0, 0, -40)), Material("concrete"))])
    b.add("wall", [(box(20, 3, 0.2), BRICK)], at=(0, 0, 6))
    b.add("crate", [(box(0.6, 0.6, 0.6), OAK)], at=(-1, 0, 4), movable=True)
    b.add("crate", [(box(0.6, 0.6, 0.6), OAK), (box(0.1, 0.1, 0.1).at(up=0.6), BRICK)], at=(-2.5, 0, 4), movable=True)
    for noun, place in extra:
        b.add(noun, [(box(0.3, 2.0, 0.3), OAK)], at=place)
    if roof:
        b.add("roof", [(box(40, 0.2, 40), OAK)], at=(0, 4, 0))
    return b.scene("yard", "urban", 0, place="yard")


def strafe(metres):
    poses = np.tile(np.eye(4), (100, 1, 1))
    poses[:, 0, 3] = np.linspace(0, metres, 100)
    return poses


@pytest.fixture(scope="module")
def renderer():
    with Renderer(size=(416, 240)) as opened:
        yield opened


def test_things_are_grouped_by_noun_with_place_and_material(renderer):
    scene = yard()
    frame = renderer.render(scene, np.eye(4))
    found = {thing.noun: thing for thing in things(scene, frame)}
    assert [thing.noun for thing in things(scene, frame)][-1] == "crate"
    crate = found["crate"]
    assert (crate.count, crate.look, crate.movable, crate.flat) == (2, Look("oak", "wood"), True, False)
    assert crate.side == pytest.approx(-1.75 / 4 / 0.99, abs=0.06)
    assert crate.distance_m == pytest.approx(3.7, abs=0.15)
    assert found["floor"].flat
    assert not found["wall"].flat
    assert found["wall"].look == Look("red brick", "masonry")
    shown = (frame.instance > 0).mean()
    assert sum(thing.share for thing in found.values()) == pytest.approx(shown, abs=0.01)


def test_only_movable_instances_of_enough_pixels_are_objects(renderer):
    scene = yard(("post", (1.0, 0, 4.0)))
    frame = renderer.render(scene, np.eye(4))
    assert len(visible_instances(frame)) == 5
    assert count_objects(scene, frame) == 2


def test_a_roof_hides_the_sky_above(renderer):
    assert sky_above(renderer, yard()) == 1.0
    assert sky_above(renderer, yard(roof=True)) == 0.0


def test_tags_follow_the_measurements():
    assert measured_tags(12, 1.0) == ["object-rich", "outdoor"]
    assert measured_tags(0, 0.0) == []


def test_free_space_is_the_distance_to_what_stands_by_the_path(renderer):
    # A post of 0.3 m stands 1 m beside the path; the floor lies 1.5 m below.
    scene = yard(("post", (2.0, 0, 1.0)))
    assert free_space_m(renderer, scene, strafe(4.0)) == pytest.approx(0.85, abs=0.05)
    assert free_space_m(renderer, yard(), strafe(4.0)) == pytest.approx(1.5, abs=0.1)


def test_a_wall_across_the_path_leaves_no_space(renderer):
    scene = yard(("post", (2.0, 0, 0.0)))
    assert free_space_m(renderer, scene, strafe(4.0)) < 0.2
    assert free_space_m(renderer, scene, strafe(1.3)) > 0.4
