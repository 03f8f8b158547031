"""SuperPoint, LightGlue, XFeat and LighterGlue against plain calls of the libraries on the same weights."""

from typing import ClassVar

import cv2
import numpy as np
import pytest
import torch

from revisit_metric.backbones.lightglue import LighterGlue, LightGlue
from revisit_metric.backbones.superpoint import MAX_KEYPOINTS, SuperPoint
from revisit_metric.backbones.xfeat import XFeat
from revisit_metric.families.geometry import SuperPointLightGlue, XFeatLighterGlue
from revisit_metric.families.protocol import Backbone, PairScore
from revisit_metric.weights import MissingWeights, weight_path
from revisit_metric.weights.conversion import CheckpointError

SIZES = [(96, 128), (64, 64), (130, 70), (65, 97)]


@pytest.fixture(scope="module")
def superpoint(tiny_weights):
    paths = tiny_weights / "superpoint/config.json", tiny_weights / "superpoint/model.safetensors"
    return SuperPoint(*paths, device="cpu")


def real(name):
    try:
        return weight_path(name)
    except MissingWeights as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def xfeat():
    return XFeat(real("xfeat"), device="cpu")


@pytest.fixture(scope="module")
def lighterglue():
    return LighterGlue(real("lighterglue"), device="cpu")


# --- SuperPoint ---


def naive_superpoint(folder, frame):
    """The recipe from the model's parts: everything after the network spelled out."""
    from kornia.color import rgb_to_grayscale
    from kornia.geometry.transform import resize
    from transformers import SuperPointForKeypointDetection

    model = SuperPointForKeypointDetection.from_pretrained(folder / "superpoint").eval()
    height, width = frame.shape[:2]
    image = torch.from_numpy(frame).permute(2, 0, 1)[None].float() / 255
    image = rgb_to_grayscale(resize(image, 1024, side="long", antialias=True))
    with torch.no_grad():
        encoded = model.encoder(image).last_hidden_state
        scores = model.keypoint_decoder._get_pixel_scores(encoded)[0]  # radius 4 is in the saved settings
        scores[:4] = scores[-4:] = -1
        scores[:, :4] = scores[:, -4:] = -1
        rows, columns = torch.where(scores > 5e-4)
        points, found = torch.stack([columns, rows], dim=1).float(), scores[rows, columns]
        if len(points) > 1024:
            found, order = found.topk(1024)
            points = points[order]
        descriptors = model.descriptor_decoder(encoded, points[None])
    scale = torch.tensor([image.shape[-1] / width, image.shape[-2] / height])
    return ((points + 0.5) / scale - 0.5).numpy(), descriptors.numpy()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_superpoint_equals_the_recipe(superpoint, tiny_weights, place, size):
    frame = place(1, *size)
    points, descriptors = naive_superpoint(tiny_weights, frame)
    (feature,) = superpoint.extract(frame[None])
    assert len(points) == MAX_KEYPOINTS
    assert np.abs(feature["points"] - points).max() < 1e-3
    assert np.abs(feature["descriptors"] - descriptors).max() < 1e-5
    assert feature["frame_size"].tolist() == list(size)


def test_the_library_alone_keeps_points_at_two_borders(superpoint, place):
    frame = place(1, 1024, 1024)
    grey = torch.from_numpy(frame).permute(2, 0, 1)[None].float() / 255
    with torch.no_grad():
        theirs = (superpoint._model(grey).keypoints[0] * 1024).round()
    (feature,) = superpoint.extract(frame[None])
    assert theirs.max() >= 1020
    assert feature["points"].min() >= 4
    assert feature["points"].max() < 1020


@pytest.mark.parametrize("value", [0, 128, 255])
def test_frames_without_texture_never_crash(superpoint, value):
    frames = np.full((1, 64, 96, 3), value, np.uint8)
    (feature,) = superpoint.extract(frames)
    assert feature["points"].shape[1:] == (2,)
    assert feature["descriptors"].shape == (len(feature["points"]), 256)


@pytest.mark.parametrize("size", [(1, 2000), (2000, 1), (3, 900)])
def test_hair_thin_frames_have_no_keypoints(superpoint, size):
    (feature,) = superpoint.extract(np.zeros((1, *size, 3), np.uint8))
    assert feature["points"].shape == (0, 2)
    assert feature["descriptors"].shape == (0, 256)


def test_a_network_that_finds_nothing_gives_no_keypoints(superpoint, monkeypatch):
    monkeypatch.setattr(superpoint._model.keypoint_decoder, "keypoint_threshold", 2.0)
    (feature,) = superpoint.extract(np.zeros((1, 64, 64, 3), np.uint8))
    assert feature["points"].shape == (0, 2)


@pytest.mark.parametrize("name", ["superpoint", "xfeat"])
def test_batch_and_order_change_no_bit(name, request, place):
    backbone = request.getfixturevalue(name)
    frames = np.stack([place(seed) for seed in range(3)])
    together, backwards = backbone.extract(frames), backbone.extract(frames[::-1])[::-1]
    for index, frame in enumerate(frames):
        (alone,) = backbone.extract(frame[None])
        for key, array in alone.items():
            assert np.array_equal(together[index][key], array)
            assert np.array_equal(backwards[index][key], array)


def test_a_group_on_an_accelerator_gives_what_single_frames_give(superpoint, place):
    # The grouped path runs on accelerators only; here it is called by hand.
    frames = np.stack([place(seed) for seed in range(3)])
    for one, alone in zip(superpoint._group(frames), superpoint.extract(frames), strict=True):
        assert np.abs(one["points"] - alone["points"]).max() < 1e-3
        assert np.abs(one["descriptors"] - alone["descriptors"]).max() < 1e-4


# --- LightGlue ---


class Permissive(LightGlue):
    """Random weights match nothing at the recipe's 0.1; without the filter every mutual best is a match."""

    settings: ClassVar = {**LightGlue.settings, "filter_threshold": 0.0}


@pytest.fixture(scope="module")
def lightglue(tiny_weights):
    return Permissive(tiny_weights / "superpoint_lightglue.pth", device="cpu")


def naive_lightglue(matcher, a, b):
    """kornia's own forward pass, with its pruning off: what it does on an accelerator at 1024 points."""
    width_confidence, matcher._net.conf.width_confidence = matcher._net.conf.width_confidence, -1
    data = {
        f"image{k}": {
            "keypoints": torch.from_numpy(side["points"])[None],
            "descriptors": torch.from_numpy(side["descriptors"])[None],
            "image_size": torch.from_numpy(side["frame_size"][::-1].copy())[None],
        }
        for k, side in enumerate((a, b))
    }
    with torch.no_grad():
        found = matcher._net(data)["matches"][0].numpy()
    matcher._net.conf.width_confidence = width_confidence
    return found


def random_side(seed, count, first=0.0):
    rng = np.random.default_rng(seed)
    descriptors = rng.normal(size=(count, 256)).astype(np.float32)
    descriptors[:, 0] = first
    descriptors /= np.linalg.norm(descriptors, axis=1, keepdims=True)
    points = rng.uniform((4, 4), (120, 90), (count, 2)).astype(np.float32)
    return {"points": points, "descriptors": descriptors, "frame_size": np.array((96, 128))}


def moved(side, seed):
    """The same points, shuffled and shifted: a later frame with true matches."""
    order = np.random.default_rng(seed).permutation(len(side["points"]))
    return {**side, "points": side["points"][order] + 1, "descriptors": side["descriptors"][order]}


def test_lightglue_equals_the_library(lightglue):
    for seed, counts in enumerate([(40, 40), (30, 50), (1, 9), (200, 120)]):
        a, b = random_side(seed, counts[0]), random_side(seed + 10, counts[1])
        (matches,) = lightglue.match([a], [b])
        assert len(matches)
        assert np.array_equal(matches, naive_lightglue(lightglue, a, b))
        assert matches.dtype == np.int64


def test_lightglue_finds_the_same_points_again(lightglue):
    a = random_side(0, 60)
    b = moved(a, 1)
    (matches,) = lightglue.match([a], [b])
    right = np.abs(a["points"][matches[:, 0]] + 1 - b["points"][matches[:, 1]]).max(axis=1) < 1e-4
    assert len(matches) > 50
    assert right.mean() > 0.95


@pytest.fixture
def stopping(tiny_weights):
    """Let the first descriptor component decide when a pair stops."""
    matcher = Permissive(tiny_weights / "superpoint_lightglue.pth", device="cpu")
    for layer, module in enumerate(matcher._net.token_confidence):
        with torch.no_grad():
            module.token[0].weight.zero_()[0, 0] = 200.0
            module.token[0].bias.fill_(-40.0 + 10 * layer)
    return matcher


def layers_run(matcher, a, b):
    counted = []
    handles = [
        module.register_forward_hook(lambda *_, k=k: counted.append(k))
        for k, module in enumerate(matcher._net.transformers)
    ]
    found = matcher.match([a], [b])[0]
    for handle in handles:
        handle.remove()
    return len(counted), found


def test_pairs_of_a_group_stop_by_themselves(stopping):
    pairs = [(random_side(k, count, first), random_side(k + 9, other, first)) for k, (count, other, first) in
             enumerate([(40, 50, 12.0), (50, 50, -6.0), (20, 35, 3.0), (50, 41, 1.0)])]  # fmt: skip
    alone = [layers_run(stopping, a, b) for a, b in pairs]
    assert len({layers for layers, _ in alone}) > 1
    grouped = stopping._match_group([a for a, _ in pairs], [b for _, b in pairs])
    for (_, single), found, (a, b) in zip(alone, grouped, pairs, strict=True):
        assert np.array_equal(found, single)
        assert np.array_equal(single, naive_lightglue(stopping, a, b))


def test_order_of_pairs_changes_nothing(lightglue):
    pairs = [(random_side(k, 30 + k), random_side(k + 9, 40)) for k in range(3)]
    columns = [[pair[side] for pair in pairs] for side in (0, 1)]
    forward = lightglue.match(*columns)
    backward = lightglue.match(columns[0][::-1], columns[1][::-1])[::-1]
    assert all(np.array_equal(a, b) for a, b in zip(forward, backward, strict=True))
    assert lightglue.match([], []) == []


def test_lightglue_is_loaded_strictly(tiny_weights, tmp_path):
    state = torch.load(tiny_weights / "superpoint_lightglue.pth", weights_only=True)
    assert "self_attn.0.Wqkv.weight" in state
    state.pop("self_attn.3.Wqkv.weight")
    torch.save(state, tmp_path / "glue.pth")
    with pytest.raises(CheckpointError, match=r"missing transformers\.3\.self_attn\.Wqkv\.weight"):
        LightGlue(tmp_path / "glue.pth", device="cpu")


def test_settings_are_the_recipes(tiny_weights):
    matcher = LightGlue(tiny_weights / "superpoint_lightglue.pth", device="cpu")
    conf = matcher._net.conf
    assert (conf.filter_threshold, conf.depth_confidence, conf.width_confidence) == (0.1, 0.95, 0.99)
    assert (conf.n_layers, conf.flash, conf.mp) == (9, False, False)
    assert "no pruning" in matcher.identity()["settings"]


# --- XFeat and LighterGlue, with their real weights ---


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_xfeat_equals_a_plain_call(xfeat, place, size):
    from kornia import feature

    model = feature.XFeat(top_k=1024)
    model.net.load_state_dict(torch.load(real("xfeat"), weights_only=True))
    frame = place(2, *size)
    found = model.eval().detectAndCompute(torch.from_numpy(frame).permute(2, 0, 1)[None].float() / 255)[0]
    (ours,) = xfeat.extract(frame[None])
    assert np.array_equal(ours["points"], found["keypoints"].numpy())
    assert np.abs(ours["descriptors"] - found["descriptors"].numpy()).max() < 1e-6


def pair(backbone, a, b):
    return backbone.extract(a[None])[0], backbone.extract(b[None])[0]


def shifted(frame, pixels=12):
    return np.roll(frame, pixels, axis=1)


def test_lighterglue_equals_the_library(xfeat, lighterglue, place):
    for seed in range(3):
        frame = place(seed, 192, 256)
        a, b = pair(xfeat, frame, shifted(frame))
        (matches,) = lighterglue.match([a], [b])
        assert len(matches) > 20
        assert np.array_equal(matches, naive_lightglue(lighterglue, a, b))


def test_lighterglue_groups_equal_single_pairs(xfeat, lighterglue, place):
    sizes = [(192, 256), (128, 160), (96, 128)]
    pairs = [pair(xfeat, place(seed, *size), shifted(place(seed, *size))) for seed, size in enumerate(sizes)]
    grouped = lighterglue._match_group([a for a, _ in pairs], [b for _, b in pairs])
    for (a, b), found in zip(pairs, grouped, strict=True):
        assert np.array_equal(found, lighterglue.match([a], [b])[0])


def xfeat_scores(xfeat, lighterglue, a, b):
    outcomes = XFeatLighterGlue(lighterglue).compare(*[[side] for side in pair(xfeat, a, b)])
    return outcomes["xfeat_match"][0], outcomes["xfeat_inlier"][0]


def test_the_same_place_beats_another(xfeat, lighterglue, place):
    here = place(0, 192, 256)
    matrix = cv2.getRotationMatrix2D((128, 96), 5, 1.0)
    turned = cv2.warpAffine(here, matrix, (256, 192), borderMode=cv2.BORDER_REFLECT)
    same, near, other = (xfeat_scores(xfeat, lighterglue, here, b) for b in (here, turned, place(1, 192, 256)))
    assert same[0].value > 0.9
    assert same[1].value == 1.0
    assert near[0].value > 0.5 > 0.2 > other[0].value
    assert near[1].value > 0.9


def test_a_frame_without_texture_is_missing(xfeat, lighterglue, place):
    flat = np.full((96, 128, 3), 90, np.uint8)
    cases = {"the later frame": (place(0), flat), "the earlier frame": (flat, place(0)), "both frames": (flat, flat)}
    for where, (a, b) in cases.items():
        missing = (None, f"no keypoints in {where}: no texture")
        assert xfeat_scores(xfeat, lighterglue, a, b) == (missing, missing)


@pytest.mark.parametrize("size", [(64, 64), (97, 65), (130, 70), (8, 8), (31, 200)], ids=str)
def test_any_size_has_a_value_or_a_cause(xfeat, lighterglue, place, size):
    frame = place(0, *size)
    for outcome in xfeat_scores(xfeat, lighterglue, frame, frame):
        assert (outcome.value is None and "no keypoints" in outcome.note) or 0 <= outcome.value <= 1


def test_golden_values_of_the_real_weights(xfeat, lighterglue):
    # Whole-number arithmetic, so that the frame is the same everywhere and for ever.
    y, x, c = np.indices((24, 34, 3))
    blocks = ((x * x * 31 + y * y * 17 + x * y * 57 + c * 91) * 2654435761 >> 7) % 256
    world = np.kron(blocks, np.ones((8, 8, 1), int))
    world = sum(np.roll(world, (dy, dx), (0, 1)) for dy in range(7) for dx in range(7)) // 49
    world = world.astype(np.uint8)
    match, inlier = xfeat_scores(xfeat, lighterglue, world[:, 16:], world[:, :-16])
    # Loose: a keypoint on the edge of the threshold comes and goes with the processor.
    assert (match.value, inlier.value) == pytest.approx((0.9289, 1.0), abs=0.02)


# --- scores ---


def test_scores_keep_to_the_protocol(superpoint, lightglue):
    score = SuperPointLightGlue(lightglue)
    assert isinstance(score, PairScore)
    assert isinstance(superpoint, Backbone)
    assert (score.backbone, XFeatLighterGlue(lightglue).backbone) == ("superpoint", "xfeat")
    assert score.identity()["matcher.name"] == "lightglue"
    assert score.identity()["ransac"] == "FM_RANSAC 3 px 0.99 seed 0"


def test_mixed_pairs_keep_their_places(lightglue):
    empty = {**random_side(0, 1), "points": np.empty((0, 2), np.float32), "descriptors": np.empty((0, 256), np.float32)}
    full = random_side(0, 40)
    outcomes = SuperPointLightGlue(lightglue).compare([full, empty, full], [moved(full, 1), full, empty])
    assert [outcome.value is None for outcome in outcomes["match"]] == [False, True, True]
    assert outcomes["match"][0].value > 0.8
    assert outcomes["inlier"][0].value > 0.9
