import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from revisit_metric import profiles
from revisit_metric.families.protocol import Backbone, PairScore
from revisit_metric.overall import FAMILIES as OVERALL_FAMILIES
from revisit_metric.profiles import (
    BACKBONES,
    FAMILIES,
    MODELS,
    PROFILES,
    SCORES,
    load,
    metric_names,
    missing,
)
from revisit_metric.weights import WEIGHTS

PAPER_METRICS = {
    "appearance": ("psnr", "ssim", "lpips"),
    "scene": ("dino", "boq", "mutualvpr"),
    "object": ("app_persist", "sem_persist"),
    "geometry": ("match", "inlier"),
    "state": ("state",),
}


@pytest.fixture
def no_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(tmp_path))
    return tmp_path


# --- tables ---


@pytest.mark.parametrize("name", SCORES)
def test_every_score_exists_under_its_name(name):
    score = profiles._resolve(SCORES[name])
    assert callable(score.identity)
    assert callable(score.compare)
    assert score.name == name
    assert score.backbone in BACKBONES
    assert set(getattr(score, "parts", ())) <= set(BACKBONES) | set(MODELS)
    assert all(metric.family in FAMILIES for metric in score.metrics)


@pytest.mark.parametrize("name", [*BACKBONES, *MODELS])
def test_every_model_exists_under_its_name(name):
    model = profiles._model_class(name)
    assert model.name == name
    assert set(model.weights) <= set(WEIGHTS)


def test_every_model_and_checkpoint_is_used():
    used = {model for score in SCORES for model in profiles._models(score)}
    assert used == set(BACKBONES) | set(MODELS)
    assert {row for model in used for row in profiles._model_class(model).weights} == set(WEIGHTS)


def test_metric_names_are_unique_and_in_their_family():
    # The two variants of object identity are the one exception: an Overall is made of either.
    scores = set(SCORES) - {"object_persistence_official"}
    names = [metric for score in scores for metric in metric_names(score)]
    assert len(names) == len(set(names))
    assert metric_names("object_persistence_official") == metric_names("object_persistence")
    for profile in PROFILES.values():
        for family, scores in profile.scores.items():
            for name in scores:
                assert {metric.family for metric in profiles._resolve(SCORES[name]).metrics} == {family}


def test_profiles_name_every_score_and_no_other():
    named = {name for profile in PROFILES.values() for scores in profile.scores.values() for name in scores}
    assert named == set(SCORES)


@pytest.mark.parametrize("name", ["paper", "official"])
def test_paper_profiles_are_the_papers_eleven_metrics(name):
    assert PROFILES[name].metrics() == PAPER_METRICS == dict(OVERALL_FAMILIES)
    assert tuple(PROFILES[name].scores) == FAMILIES


def test_official_differs_in_object_identity_alone():
    paper, official = PROFILES["paper"].scores, PROFILES["official"].scores
    assert {family for family in FAMILIES if paper[family] != official[family]} == {"object"}


def test_embedded_profile_has_no_object_or_state_family():
    assert PROFILES["embedded"].metrics() == {
        "appearance": ("psnr", "ssim", "lpips"),
        "scene": ("alexnet_pool",),
        "geometry": ("sift_match", "sift_inlier"),
    }
    assert PROFILES["embedded-xfeat"].metrics()["geometry"] == ("xfeat_match", "xfeat_inlier")


# --- loading ---


def test_missing_weights_are_missing_metrics_with_the_cause(no_weights):
    loaded = load("embedded", offline=True)
    assert [score.name for score in loaded.scores] == ["psnr", "ssim", "sift"]
    assert set(loaded.backbones) == {"pixels", "ssim_moments", "sift"}
    assert set(loaded.missing) == {"lpips", "alexnet_pool"}
    for reason in loaded.missing.values():
        assert str(no_weights) in reason
        assert "downloads are off" in reason


def test_damaged_weights_are_missing_metrics_too(no_weights):
    (no_weights / "lpips_alex_v0.1.safetensors").write_bytes(b"damaged")
    assert "damaged or replaced" in load("embedded", offline=False).missing["lpips"]


def test_paper_profile_says_what_it_lacks(no_weights, monkeypatch):
    monkeypatch.delenv("REVISIT_METRIC_ACCEPT_LICENCES", raising=False)
    loaded = load("paper", offline=True)
    assert {"psnr", "ssim"} <= {score.name for score in loaded.scores}
    assert "no judge is set up: name one with --judge" in loaded.missing["state"]
    assert "weights 'dinov2/config.json' are not in" in loaded.missing["dino"]
    assert "weights 'grounding_dino/config.json' are not in" in loaded.missing["app_persist"]
    assert "github.com/Gucci233/MutualVPR" in loaded.missing["mutualvpr"]
    assert "Magic Leap SuperPoint licence" in loaded.missing["match"] == loaded.missing["inlier"]
    assert all(str(no_weights) in loaded.missing[name] for name in ("boq", "mutualvpr", "lpips"))


@pytest.mark.parametrize("call", [load, missing])
def test_unknown_profile(call):
    with pytest.raises(ValueError, match="unknown profile 'best'; known: embedded, embedded-xfeat, paper, official"):
        call("best")


def test_missing_agrees_with_loading_and_downloads_nothing(no_weights):
    for name in PROFILES:
        assert set(missing(name)) == set(load(name, device="cpu", offline=True).missing)
    assert "where the network is reachable run" in missing("embedded")["lpips"]
    assert list(no_weights.iterdir()) == []


def test_unknown_number_format_is_refused():
    with pytest.raises(ValueError, match="dtype 'half' is unknown, expected one of float32, bfloat16, float16"):
        load("embedded", dtype="half", offline=True)


def test_unknown_device_is_refused():
    with pytest.raises(ValueError, match="device 'gpu' is no torch device"):
        load("embedded", device="gpu", offline=True)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_absent_device_is_refused_not_replaced():
    with pytest.raises(ValueError, match="device 'cuda:0' is not available"):
        load("embedded", device="cuda:0", offline=True)
    assert load("embedded", offline=True).device == "cpu"


@pytest.mark.parametrize(("name", "matcher"), [("embedded", "sift"), ("embedded-xfeat", "xfeat")])
def test_embedded_profiles_run_end_to_end(name, matcher):
    loaded = load(name, device="cpu")
    if loaded.missing:
        pytest.skip("; ".join(loaded.missing.values()))
    assert loaded.missing == {}
    assert all(isinstance(backbone, Backbone) for backbone in loaded.backbones.values())
    assert all(isinstance(score, PairScore) for score in loaded.scores)
    coarse = np.random.default_rng(0).integers(0, 256, (16, 24, 3), np.uint8)
    frame = cv2.resize(coarse, (192, 128), interpolation=cv2.INTER_CUBIC)
    outcomes = {}
    for score in loaded.scores:
        first, second = loaded.backbones[score.backbone].extract(np.stack([frame, frame]))
        outcomes |= score.compare([first], [second])
    best = {name: values[0].value for name, values in outcomes.items()}
    assert best == pytest.approx(
        {"psnr": 100, "ssim": 1, "lpips": 0, "alexnet_pool": 1, f"{matcher}_match": 1, f"{matcher}_inlier": 1},
        abs=0.05,
    )
    for score in loaded.scores:
        for metric in score.metrics:
            low, high = metric.bounds
            assert low <= best[metric.name] <= high


def test_a_shared_backbone_is_built_once():
    loaded = load("embedded", device="cpu")
    if "lpips" in loaded.missing:
        pytest.skip(loaded.missing["lpips"])
    assert len(loaded.backbones) == 4
    assert len(loaded.scores) == 5


def test_importing_the_tables_imports_no_heavy_library():
    code = (
        "import sys, revisit_metric.profiles as p; [p.metric_names(s) for s in p.SCORES]; "
        "[p._model_class(m) for m in (*p.BACKBONES, *p.MODELS)]; "
        "print(sorted({'torch', 'cv2', 'torchvision', 'lpips', 'transformers', 'kornia'} & set(sys.modules)))"
    )
    root = Path(profiles.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
