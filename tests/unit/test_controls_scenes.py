"""Scenes of the reference world: what every layout owes, and the geometry underneath."""

from itertools import pairwise

import numpy as np
import pytest

from revisit_metric.controls import LAYOUTS, build_scene, clearance_m, forgettable_share
from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.camera import clip_matrix, intrinsics
from revisit_metric.controls.meshes import box, cards, cone, cylinder, lathe, merge, prism, quad, rock, sphere
from revisit_metric.controls.scene import CATEGORIES, Material
from revisit_metric.controls.textures import TEXTURES, texture

SEEDS = (0, 1)


def straight(*points):
    """Poses that strafe from point to point in steps of about 3 cm, facing +z."""
    legs = []
    for a, b in pairwise(points):
        steps = max(round(float(np.linalg.norm(np.subtract(b, a))) / 0.03), 1)
        legs.append(np.linspace(a, b, steps, endpoint=False))
    places = np.concatenate([*legs, [points[-1]]])
    poses = np.tile(np.eye(4), (len(places), 1, 1))
    poses[:, 0, 3], poses[:, 2, 3] = places.T
    return poses


OUT_AND_BACK = straight((0, 0), (7.2, 0), (0, 0))
CLOSED_LOOP = straight((0, 0), (0, 4), (4, 4), (4, 0), (0, 0))
FORWARD = straight((0, 0), (0, 2.4), (0, 0))


@pytest.fixture(scope="module")
def scenes():
    return {(name, seed): build_scene(name, seed) for name in LAYOUTS for seed in SEEDS}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_keeps_the_path_free(scenes, layout):
    for seed in SEEDS:
        for poses in (OUT_AND_BACK, CLOSED_LOOP, FORWARD):
            assert clearance_m(scenes[layout, seed], poses) >= 0.4


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_complete(scenes, layout):
    for seed in SEEDS:
        scene = scenes[layout, seed]
        assert scene.category in CATEGORIES
        assert [p.instance for p in scene.parts] == list(range(1, len(scene.parts) + 1))
        assert sum(len(s.mesh.triangles) for p in scene.parts for s in p.surfaces) < 160_000
        for part in scene.parts:
            for surface in part.surfaces:
                kind = TEXTURES[surface.material.texture]
                assert (kind.use == "surface") == surface.mesh.metric, (part.noun, surface.material.texture)
                assert np.isfinite(surface.mesh.positions).all()
                assert surface.mesh.triangles.max() < len(surface.mesh.positions)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_seeds_change_the_scene_and_equal_seeds_do_not(scenes, layout):
    again = build_scene(layout, 0)
    first = scenes[layout, 0]
    assert len(again.parts) == len(first.parts)
    for a, b in zip(again.parts, first.parts, strict=True):
        assert a.noun == b.noun
        assert [s.material for s in a.surfaces] == [s.material for s in b.surfaces]
        assert np.array_equal(a.surfaces[0].mesh.positions, b.surfaces[0].mesh.positions)
    other = scenes[layout, 1]
    assert [p.materials for p in other.parts] != [p.materials for p in first.parts]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_descriptions_name_objects_without_counts(scenes, layout):
    told = scenes[layout, 0].describe()
    assert told["place"]
    assert told["landmarks"]
    assert len(told["nouns"]) >= 8
    words = " ".join([told["place"], *told["nouns"], *(m for o in told["objects"] for m in o["materials"])])
    assert not any(ch.isdigit() for ch in words)
    few = scenes[layout, 0].describe([1])
    assert few["nouns"] == [scenes[layout, 0].parts[0].noun]


def test_an_unknown_layout_lists_the_known_ones():
    with pytest.raises(ValueError, match="living_room"):
        build_scene("moon", 0)


def _closed(mesh):
    """Signed volume by the divergence theorem: positive when triangles face outwards."""
    a, b, c = (mesh.positions[mesh.triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize(
    ("solid", "volume"),
    [
        (box(2, 3, 4), 24.0),
        (cylinder(1.0, 2.0, sides=64), 2 * np.pi),
        (cone(1.0, 3.0, sides=64), np.pi),
        (sphere(1.0, sides=64, rings=33), 4 * np.pi / 3),
        (prism([(0, 0), (2, 0), (0, 1)], 3.0), 3.0),
        (lathe([(0, 0), (1, 0), (1, 1), (0, 1)], sides=64), np.pi),
    ],
)
def test_solids_enclose_their_volume_and_face_outwards(solid, volume):
    assert _closed(solid) == pytest.approx(volume, rel=0.01)


def test_rocks_are_closed_and_of_their_size():
    shape = rock(1.0, np.random.default_rng(3))
    assert 1.5 < _closed(shape) < 4 * np.pi / 3 * 1.4
    assert np.linalg.norm(shape.normals, axis=1) == pytest.approx(1.0)


def test_a_quad_faces_right_cross_top():
    assert quad((0, 0, 0), (1, 0, 0), (0, 1, 0)).normals[0].tolist() == [0, 0, 1]


def test_meshes_of_two_kinds_do_not_merge():
    with pytest.raises(ValueError, match="mixed"):
        merge([box(1, 1, 1), cards([(0, 0, 0)], 1.0, np.random.default_rng(0))])


def test_the_builder_turns_up_into_negative_y():
    b = SceneBuilder(np.random.default_rng(0), eye_m=1.5)
    b.add("post", [(box(0.2, 2.0, 0.2), Material("oak"))], at=(1, 0, 5), yaw=30)
    low, high = b.scene("x", "abstract", 0, place="x").parts[0].bounds
    assert (low[1], high[1]) == (-0.5, 1.5)
    for _ in range(8):
        b.lamp((0, 2, 0), (1, 1, 1))
    with pytest.raises(ValueError, match="8 lamps"):
        b.lamp((0, 2, 0), (1, 1, 1))


def test_clearance_is_the_distance_to_the_nearest_box():
    b = SceneBuilder(np.random.default_rng(0), eye_m=1.0)
    b.add("wall", [(box(4, 3, 0.5), Material("brick"))], at=(0, 0, 5))
    scene = b.scene("x", "abstract", 0, place="x")
    assert clearance_m(scene, straight((0, 0), (0, 4))) == pytest.approx(0.75)
    assert clearance_m(scene, straight((0, 0), (0, 6))) == 0.0


def test_forgettable_share_follows_the_view():
    b = SceneBuilder(np.random.default_rng(0), eye_m=1.0)
    for x in (-2.0, 2.0):
        b.add("box", [(box(0.5, 2, 0.5), Material("oak"))], at=(x, 0, 4))
    scene = b.scene("x", "abstract", 0, place="x")
    view = np.array([[0, 1], [2, 0]], np.uint32)
    # At x = 7.2 the view spans 3.2 m .. 11.2 m at 4 m: both boxes are out of it; at 3 m only the left one is.
    assert forgettable_share(scene, OUT_AND_BACK, view) == 0.5
    assert forgettable_share(scene, straight((0, 0), (3, 0), (0, 0)), view) == 0.25


@pytest.mark.parametrize("name", ["brick", "leaves", "shop sign"])
def test_textures_are_deterministic(name):
    assert texture(name).dtype == np.uint8
    assert texture(name).shape == (512, 512, 4)
    assert texture(name, 1) is texture(name, 1)
    assert not np.array_equal(texture(name, 0), texture(name, 1))
    with pytest.raises(KeyError, match="brick"):
        texture("kryptonite")


def test_the_camera_is_the_benchmarks():
    k = intrinsics(1920, 1080)
    assert k[0, 0] == pytest.approx(969.7675145179088)
    assert k[1, 2] == 540
    # A point at the right edge of the view lies on the clip border.
    edge = clip_matrix(np.eye(4), 1920, 1080) @ [960 / k[0, 0], 540 / k[1, 1], 1.0, 1.0]
    assert edge[0] / edge[3] == pytest.approx(1.0)
    assert edge[1] / edge[3] == pytest.approx(1.0)
