import json
import math
import re
import statistics
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revisit_metric.diagnosis import (
    DEFAULT_SCALES,
    FAILED_NMR,
    SCALE_VERSION,
    STRONG_NMR,
    WEAK_SHARE,
    DiagnosisScale,
    Label,
    diagnose,
    scales_record,
)
from revisit_metric.families.appearance import Lpips, Psnr, Ssim
from revisit_metric.families.geometry import SiftGeometry
from revisit_metric.families.scene import AlexNetPool
from revisit_metric.overall import FAMILIES
from revisit_metric.relative import EPS, rollout_relative

TABLES = json.loads((Path(__file__).parents[1] / "golden" / "published_tables.json").read_text("utf-8"))
UNIT = DiagnosisScale.of("unit", typical_dr=1.0, source="test", saturated_at=10.0)
NUMBERS = st.none() | st.floats(-1e6, 1e6)


def label(mg, dr, *, scale=UNIT, baseline=None):
    nmr = mg / (dr + EPS) if mg is not None and dr is not None and dr > EPS else None
    return diagnose(mg, dr, nmr, scale=scale, baseline=baseline).label


@pytest.mark.parametrize(
    ("mg", "dr", "expected"),
    [
        (0.8, 1.0, "reliable_retention"),
        (3.0, 1.0, "reliable_retention"),
        (0.3, 1.0, "partial_retention"),
        (0.05, 1.0, "revisit_failure"),
        (0.0, 1.0, "revisit_failure"),
        (-0.05, 1.0, "revisit_failure"),
        (-0.3, 1.0, "negative_effect"),
        (0.2, 0.2, "caution_weak_scale"),
        (0.01, 0.02, "weak_regime"),
        (-0.01, 0.02, "weak_regime"),
        (-0.2, 0.2, "negative_effect"),
        (0.0, 0.0, "invalid_normalisation"),
        (0.5, 1e-8, "invalid_normalisation"),
        (-0.5, -1.0, "invalid_normalisation"),
        (None, 1.0, "invalid_normalisation"),
        (0.5, None, "invalid_normalisation"),
    ],
)
def test_each_regime_has_its_label(mg, dr, expected):
    assert label(mg, dr) == expected


def test_thresholds_belong_to_the_better_side():
    assert label(0.3 * FAILED_NMR * 1.0001, 0.3) == "partial_retention"
    assert diagnose(0.5, 1.0, STRONG_NMR, scale=UNIT).label == "reliable_retention"
    assert diagnose(0.1, 1.0, FAILED_NMR, scale=UNIT).label == "partial_retention"
    assert diagnose(-0.1, 1.0, -FAILED_NMR, scale=UNIT).label == "negative_effect"
    assert diagnose(UNIT.least_mg, UNIT.weak_dr / 2, 0.2, scale=UNIT).label == "caution_weak_scale"


@given(st.floats(-0.2, 0.2))
def test_weak_and_sound_labels_meet_at_the_weak_range(mg):
    """At `weak_dr` "too little happens" turns into "failure", and a gain into a gain, at the same MG."""
    meets = {
        "weak_regime": {"revisit_failure"},
        "caution_weak_scale": {"partial_retention", "reliable_retention"},
        "negative_effect": {"negative_effect"},
    }
    if abs(abs(mg) - UNIT.least_mg) > 1e-6:
        assert label(mg, UNIT.weak_dr * (1 + 1e-9)) in meets[label(mg, UNIT.weak_dr * (1 - 1e-9))]


def test_a_gain_on_a_nearly_absent_scale_is_never_retention():
    assert label(0.001, 0.001) == "weak_regime"
    assert label(0.29, 0.1) == "caution_weak_scale"


@pytest.mark.parametrize(
    ("metric", "mg", "dr", "baseline"),
    [
        # A still photograph as 481 frames of H.264, official pairs: crf 18, crf 23, crf 23 with sensor noise.
        ("psnr", -2.53, 32.8, 61.6),
        ("psnr", 1.04, 36.5, 56.0),
        ("psnr", -0.50, 13.2, 42.8),
        ("ssim", -0.0007, 0.0100, 0.9900),
        ("ssim", -0.0016, 0.0266, 0.9717),
        ("lpips", -0.00005, 0.0021, -0.0021),
        ("lpips", -0.0002, 0.0063, -0.0071),
        ("alexnet_pool", -0.00001, 0.0011, 0.9989),
        ("sift_match", -0.0065, 0.0972, 0.9028),
        ("sift_match", -0.0165, 0.1742, 0.8155),
        ("sift_inlier", 0.0003, 0.0054, 0.9944),
    ],
)
def test_a_still_picture_under_a_codec_is_a_weak_regime_on_every_embedded_metric(metric, mg, dr, baseline):
    assert label(mg, dr, scale=DEFAULT_SCALES[metric], baseline=baseline) == "weak_regime"


def test_without_the_baseline_a_still_picture_passes_for_a_failure_in_decibels():
    """Why `baseline` exists: PSNR between near-identical frames spans tens of dB."""
    assert label(-2.53, 32.8, scale=DEFAULT_SCALES["psnr"]) == "revisit_failure"


def test_a_truly_still_picture_has_no_normalisation():
    score = rollout_relative([100.0] * 3, [100.0] * 3, [100.0] * 3, higher_is_better=True)
    result = diagnose(score.mg, score.dr, score.nmr, scale=DEFAULT_SCALES["psnr"], baseline=score.baseline)
    assert result.label == "invalid_normalisation"
    assert "a static picture?" in result.explanation


def test_saturated_controls_do_not_hide_a_return_to_another_place():
    assert label(-30.0, 10.0, scale=DEFAULT_SCALES["psnr"], baseline=45.0) == "negative_effect"


def test_saturation_is_for_the_oriented_score():
    distance = DiagnosisScale.of("d", typical_dr=0.2, source="test", saturated_at=-0.01)
    assert label(0.0, 0.5, scale=distance, baseline=-0.005) == "weak_regime"
    assert label(0.0, 0.5, scale=distance, baseline=-0.4) == "revisit_failure"


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((None, None, None), "no MG and no DR: not measured"),
        ((0.1, 0.5, None), "no NMR: not measured"),
        ((0.1, -0.5, None), r"DR -0.5 is negative: .*flicker"),
        ((0.29, 0.1, 2.9), "MG 0.29 is a gain, but DR 0.1 is below 0.3"),
        ((0.3, 1.0, 0.3), "NMR 0.3 is below 0.5"),
    ],
)
def test_the_explanation_holds_the_numbers(numbers, text):
    assert re.search(text, diagnose(*numbers, scale=UNIT).explanation)


def test_numbers_that_are_no_scores_are_refused():
    with pytest.raises(ValueError, match="unit nan is no score"):
        diagnose(math.nan, 1.0, 1.0, scale=UNIT)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_every_input_gets_exactly_one_known_label_and_a_sentence(mg, dr, nmr, baseline):
    result = diagnose(mg, dr, nmr, scale=UNIT, baseline=baseline)
    assert result.label in get_args(Label)
    assert result.explanation


# --- scales ---


def test_every_metric_of_both_profiles_has_a_scale():
    embedded = {m.name for score in (Psnr, Ssim, Lpips, AlexNetPool, SiftGeometry) for m in score.metrics}
    assert set(DEFAULT_SCALES) == embedded | {m for metrics in FAMILIES.values() for m in metrics}
    assert all(scale.metric == name for name, scale in DEFAULT_SCALES.items())


def implied_ranges(metric):
    gains, ratios = TABLES["table2_memory_gain"], TABLES["table2_nmr"]
    return [gains[s][metric] / ratios[s][metric] for s in ratios if abs(ratios[s][metric]) >= 0.1]


@pytest.mark.parametrize("metric", TABLES["metrics"])
def test_typical_ranges_are_what_the_published_tables_imply(metric):
    assert float(f"{statistics.median(implied_ranges(metric)):.2g}") == DEFAULT_SCALES[metric].typical_dr


@pytest.mark.parametrize("metric", TABLES["metrics"])
def test_no_published_system_is_on_a_weak_scale(metric):
    assert min(implied_ranges(metric)) > DEFAULT_SCALES[metric].weak_dr


def test_published_extremes_get_the_labels_the_paper_tells():
    def labels(system):
        gains, ratios = TABLES["table2_memory_gain"][system], TABLES["table2_nmr"][system]
        return {
            metric: diagnose(gains[metric], scale.typical_dr, ratios[metric], scale=scale).label
            for metric, scale in DEFAULT_SCALES.items()
            if metric in TABLES["metrics"]
        }

    assert set(labels("WonderWorld").values()) == {"reliable_retention"}
    assert set(labels("SANA-WM").values()) == {"revisit_failure"}
    assert set(labels("Lyra-2").values()) == {"partial_retention"}
    assert [m for m, found in labels("DreamX-World-Memo").items() if found != "reliable_retention"] == ["inlier"]


def test_the_thresholds_used_go_into_the_result():
    record = json.loads(json.dumps(scales_record([DEFAULT_SCALES["psnr"]])))
    assert record["version"] == SCALE_VERSION == 2
    psnr = record["metrics"]["psnr"]
    assert DiagnosisScale(**psnr) == DEFAULT_SCALES["psnr"]
    assert psnr["weak_dr"] == pytest.approx(WEAK_SHARE * 4.3)
    assert psnr["least_mg"] == pytest.approx(FAILED_NMR * WEAK_SHARE * 4.3)


def test_a_scale_needs_a_positive_range():
    with pytest.raises(ValueError, match="typical dynamic range is positive, got 0"):
        DiagnosisScale.of("x", typical_dr=0.0, source="test")
