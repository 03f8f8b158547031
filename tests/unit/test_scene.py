"""The scene score, and the AlexNet backbone it shares with LPIPS."""

import cv2
import numpy as np
import pytest
import torch

from revisit_metric.backbones.alexnet import MIN_SIDE, AlexNetLpips, pool_scene
from revisit_metric.families.protocol import Backbone, PairScore
from revisit_metric.families.scene import AlexNetPool
from revisit_metric.weights import MissingWeights, file_sha256, weight_path


@pytest.fixture(scope="module")
def path():
    try:
        return weight_path("lpips_alex")
    except MissingWeights as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def backbone(path):
    return AlexNetLpips(path, device="cpu")


def place(seed, height=128, width=192):
    """A blotchy picture; another seed is another place."""
    coarse = np.random.default_rng(seed).integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def cosine(backbone, a, b):
    first, second = backbone.extract(np.stack([a, b]))
    return AlexNetPool().compare([first], [second])["alexnet_pool"][0].value


def hand_made(values):
    return {"frame_size": np.array((64, 64)), "scene": np.array(values, np.float32)}


# --- the score ---


def test_cosine_of_hand_made_descriptors():
    earlier = [hand_made([1, 0]), hand_made([1, 0]), hand_made([0.6, 0.8])]
    later = [hand_made([1, 0]), hand_made([-1, 0]), hand_made([0, 1])]
    values = [outcome.value for outcome in AlexNetPool().compare(earlier, later)["alexnet_pool"]]
    assert values == pytest.approx([1.0, -1.0, 0.8])


def test_rounding_never_leaves_the_bounds():
    over = hand_made([1.0000001, 0])
    assert AlexNetPool().compare([over], [over])["alexnet_pool"][0].value == 1.0


@pytest.mark.parametrize("small_is_later", [False, True])
def test_small_frames_have_no_value(small_is_later):
    pair = [{"frame_size": np.array((20, 64))}, hand_made([1, 0])]
    a, b = reversed(pair) if small_is_later else pair
    expected = (None, "frame 64x20 too small for AlexNet: at least 31 pixels a side")
    assert AlexNetPool().compare([a], [b])["alexnet_pool"] == [expected]


def test_keeps_to_the_protocol(backbone):
    assert isinstance(AlexNetPool(), PairScore)
    assert isinstance(backbone, Backbone)
    assert AlexNetPool().backbone == backbone.name
    assert AlexNetPool().identity() == {"similarity": "cosine"}


def test_same_place_beats_a_shift_beats_another_place(backbone):
    here = place(0, 144, 208)
    same = cosine(backbone, here[8:136, 8:200], here[8:136, 8:200])
    near = cosine(backbone, here[8:136, 8:200], here[8:136, 16:208])
    other = cosine(backbone, here[8:136, 8:200], place(1))
    assert same == pytest.approx(1.0, abs=1e-6)
    assert same > near > 0.9 > other > 0


def test_is_symmetric(backbone):
    assert cosine(backbone, place(0), place(1)) == cosine(backbone, place(1), place(0))


def test_more_blur_scores_no_better(backbone):
    values = [cosine(backbone, place(2), cv2.blur(place(2), (2 * r + 1, 2 * r + 1))) for r in range(0, 10, 3)]
    assert values == sorted(values, reverse=True)


def test_golden_value(backbone):
    y, x, c = np.indices((96, 128, 3))
    a = ((x * 5 + y * 3 + (x * y) // 7 + c * 40) % 256).astype(np.uint8)
    assert cosine(backbone, a, a[:, ::-1].copy()) == pytest.approx(0.712897, abs=1e-5)


# --- the descriptor ---


def test_pool_scene_has_unit_parts():
    maps = [torch.rand(5, 6, 8), torch.rand(3, 6, 8)]
    descriptor = pool_scene(maps)
    assert descriptor.shape == ((5 + 3) * 4,)
    assert descriptor.norm().item() == pytest.approx(1.0, abs=1e-6)
    parts = [*descriptor[:20].reshape(4, 5), *descriptor[20:].reshape(4, 3)]
    assert [part.norm().item() for part in parts] == pytest.approx([8**-0.5] * 8, abs=1e-6)


def test_pool_scene_is_a_generalised_mean_per_quarter():
    quarter = torch.tensor([[[1.0, 2.0, 0.0, 0.0]] * 2, [[3.0, 3.0, 5.0, 5.0]] * 2])
    first = pool_scene([quarter])[:2]
    mean = torch.tensor([((1 + 8) / 2) ** (1 / 3), 3.0])
    assert torch.allclose(first / first.norm(), mean / mean.norm(), atol=1e-6)


# --- the backbone ---


def test_batch_and_order_change_no_bit(backbone):
    frames = np.stack([place(seed, 64, 96) for seed in range(4)])
    together = backbone.extract(frames)
    alone = [backbone.extract(frame[None])[0] for frame in frames]
    backwards = backbone.extract(frames[::-1])[::-1]
    for key in ("lpips", "scene", "frame_size"):
        for a, b, c in zip(together, alone, backwards, strict=True):
            assert np.array_equal(a[key], b[key])
            assert np.array_equal(a[key], c[key])


def test_features_are_small_host_arrays(backbone):
    (feature,) = backbone.extract(place(0, 64, 96)[None])
    assert {key: (array.dtype, array.ndim) for key, array in feature.items()} == {
        "frame_size": (np.int64, 1),
        "lpips": (np.float32, 1),
        "scene": (np.float32, 1),
    }
    # 64x96: the five maps have 15x23, 7x11, 3x5, 3x5 and 3x5 positions; zero-weight channels are dropped.
    assert feature["lpips"].size == 29 * 345 + 137 * 77 + (347 + 238 + 251) * 15
    assert feature["scene"].size == (384 + 256 + 256) * 4


@pytest.mark.parametrize(("side", "has_maps"), [(MIN_SIDE, True), (MIN_SIDE - 1, False), (1, False)])
def test_smallest_frame(backbone, side, has_maps):
    (feature,) = backbone.extract(np.zeros((1, side, 64, 3), np.uint8))
    assert ("lpips" in feature) is has_maps
    assert feature["frame_size"].tolist() == [side, 64]


def test_black_frames_are_described(backbone):
    (feature,) = backbone.extract(np.zeros((1, 64, 64, 3), np.uint8))
    assert np.linalg.norm(feature["scene"]) == pytest.approx(1.0, abs=1e-6)


def test_identity_holds_the_weights_hash(backbone, path):
    assert backbone.identity()["weights"] == file_sha256(path)
    assert backbone.identity()["dtype"] == "float32"


def test_callers_autocast_and_switches_do_not_reach_the_network(backbone):
    frames = place(0, 64, 96)[None]
    plain = backbone.extract(frames)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = backbone.extract(frames)[0]
    assert np.array_equal(plain["lpips"], inside["lpips"])


def test_global_switches_are_put_back(backbone, monkeypatch):
    cudnn = torch.backends.cudnn
    monkeypatch.setattr(cudnn, "benchmark", True)
    before = (cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark)
    backbone.extract(place(0, 64, 96)[None])
    assert (cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark) == before


@pytest.mark.skipif(not hasattr(torch.backends.cudnn, "conv"), reason="this torch has one TF32 switch only")
def test_a_caller_who_set_the_newer_tf32_switch_is_served(backbone):
    convolutions = torch.backends.cudnn.conv
    before = convolutions.fp32_precision
    convolutions.fp32_precision = "ieee"
    try:
        backbone.extract(place(0, 64, 96)[None])
        assert convolutions.fp32_precision == "ieee"
    finally:
        convolutions.fp32_precision = before


@pytest.mark.gpu
def test_accelerator_agrees_with_the_cpu(backbone, path):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    frames = np.stack([place(0), place(1)])
    for ours, theirs in zip(backbone.extract(frames), AlexNetLpips(path).extract(frames), strict=True):
        assert np.abs(ours["lpips"] - theirs["lpips"]).max() < 1e-5
        assert ours["scene"] @ theirs["scene"] == pytest.approx(1.0, abs=1e-5)
