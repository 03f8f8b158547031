"""The `paper` profile from a weight folder, as a run loads it; only the sizes and the numbers are not the real ones."""

import json
import shutil

import numpy as np
import pytest

from revisit_metric import profiles, weights
from revisit_metric.backbones import grounding_dino, superpoint
from revisit_metric.families.protocol import Backbone
from revisit_metric.scoring import Schedule, score_pairs

TEN = ("psnr", "ssim", "dino", "boq", "mutualvpr", "app_persist", "sem_persist", "match", "inlier")


@pytest.fixture
def folder(tiny_weights, small_place_recognition, monkeypatch):
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(tiny_weights))
    monkeypatch.setenv("REVISIT_METRIC_ACCEPT_LICENCES", "superpoint")
    # The real sizes are what the models' own tests use; here they would be most of the time.
    monkeypatch.setattr(grounding_dino, "SHORT_SIDE", 160)
    monkeypatch.setattr(superpoint, "MAX_KEYPOINTS", 128)
    monkeypatch.setattr(superpoint, "LONG_SIDE", 256)
    return tiny_weights


@pytest.fixture
def loaded(folder):
    return profiles.load("paper", device="cpu", offline=True)


def score_all(loaded, frames):
    """Every pair of the first frame with a later one."""
    pairs = [(0, k) for k in range(1, len(frames))]
    outcomes, _ = score_pairs(enumerate(frames), Schedule(pairs), loaded.scores, loaded.backbones, memory_bytes=2**28)
    return {name: [column[pair] for pair in pairs] for name, column in outcomes.items()}


def test_everything_but_the_judge_and_lpips_loads_from_the_folder(loaded):
    assert set(loaded.missing) - {"state"} == {"lpips"}
    assert set(loaded.backbones) == {"pixels", "ssim_moments", "dinov2", "boq", "mutualvpr", "superpoint"}
    assert all(isinstance(backbone, Backbone) for backbone in loaded.backbones.values())
    assert {metric.name for score in loaded.scores for metric in score.metrics} - {"state"} == set(TEN)


def test_a_model_that_two_scores_use_is_built_once(loaded):
    (score,) = (score for score in loaded.scores if score.name == "object_persistence")
    assert score._extractor.appearance is loaded.backbones["dinov2"]


def test_first_use_pins_what_the_table_does_not_know(folder, loaded):
    pin = json.loads((folder / "dinov2/model.safetensors.source.json").read_text())
    assert pin["pinned"] == "on first use"
    assert pin["sha256"] == loaded.backbones["dinov2"].identity()["weights"]


def test_pairs_run_through_every_score(loaded, place):
    frames = [place(0), place(0), place(1), np.zeros((96, 128, 3), np.uint8)]
    outcomes = score_all(loaded, frames)
    same = {name: column[0] for name, column in outcomes.items() if name in TEN}
    assert all(same[name].value == pytest.approx(1, abs=1e-6) for name in ("ssim", "dino", "boq", "mutualvpr"))
    assert same["psnr"].value == 100
    for column in outcomes.values():
        for outcome in column:
            assert outcome.value is not None or outcome.note


@pytest.mark.parametrize("size", [(64, 64), (97, 65), (128, 60)], ids=str)
def test_odd_frames_have_values_or_causes(loaded, place, size):
    frames = [np.full((*size, 3), 77, np.uint8), place(0, *size)]
    for column in score_all(loaded, frames).values():
        for outcome in column:
            assert outcome.value is not None or outcome.note


def test_cache_size_and_batch_change_no_value(loaded, place):
    frames = [place(seed) for seed in range(3)]
    pairs = [(0, 1), (0, 2)]
    results = [
        score_pairs(
            enumerate(frames), Schedule(pairs), loaded.scores, loaded.backbones, memory_bytes=memory, batch_size=batch
        )[0]
        for memory, batch in ((2**28, 3), (1, 2))
    ]
    assert results[0] == results[1]


def test_official_profile_names_its_variant(folder):
    loaded = profiles.load("official", device="cpu", offline=True)
    (score,) = (score for score in loaded.scores if score.name.startswith("object"))
    assert (score.name, score.identity()["variant"]) == ("object_persistence_official", "official")


def test_number_format_reaches_the_transformers_alone(folder):
    loaded = profiles.load("paper", device="cpu", dtype="bfloat16", offline=True)
    formats = {name: backbone.identity().get("dtype") for name, backbone in loaded.backbones.items()}
    assert {name for name, value in formats.items() if value == "bfloat16"} == {"dinov2", "boq", "mutualvpr"}
    assert formats["superpoint"] == "float32"


def test_superpoint_waits_for_its_licence(folder, monkeypatch):
    monkeypatch.delenv("REVISIT_METRIC_ACCEPT_LICENCES")
    for reasons in (profiles.load("paper", device="cpu", offline=True).missing, profiles.missing("paper")):
        for metric in ("match", "inlier"):
            assert "Magic Leap SuperPoint licence (academic or non-profit" in reasons[metric]


def test_a_checkpoint_that_does_not_fit_is_a_missing_metric(folder, tmp_path, monkeypatch):
    copy = tmp_path / "weights"
    shutil.copytree(folder, copy)
    shutil.copy(copy / "MutualVPR_model_512.pth", copy / "dinov2_12288.pth")
    (copy / "dinov2_12288.pth.source.json").unlink(missing_ok=True)
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(copy))
    loaded = profiles.load("paper", device="cpu", offline=True)
    assert "does not fit the network: missing aggregator" in loaded.missing["boq"]
    assert "dino" not in loaded.missing


def test_a_file_that_changed_since_its_first_use_is_refused(folder, loaded, tmp_path, monkeypatch):
    copy = tmp_path / "weights"
    shutil.copytree(folder, copy)
    shutil.copy(copy / "MutualVPR_model_512.pth", copy / "dinov2_12288.pth")
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(copy))
    with pytest.raises(weights.MissingWeights, match=r"on first use it was .*changed since; if that was meant, delete"):
        weights.verify("boq")
