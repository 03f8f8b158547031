import math

import numpy as np
import pytest

from revisit_metric.backbones.pixels import Pixels
from revisit_metric.backbones.ssim_moments import SsimMoments, products, window_sums
from revisit_metric.families.appearance import Lpips, Psnr, Ssim, psnr, ssim
from revisit_metric.families.protocol import Backbone, PairScore


def pattern(height=48, width=64):
    """A deterministic frame from integer arithmetic: no generator whose stream could change."""
    y, x, c = np.indices((height, width, 3))
    return ((x * 5 + y * 3 + (x * y) // 7 + c * 40) % 256).astype(np.uint8)


def blurred(frame, radius):
    import cv2

    return cv2.blur(frame, (2 * radius + 1, 2 * radius + 1))


def compare(score, backbone, earlier, later):
    return score.compare(backbone.extract(np.stack(earlier)), backbone.extract(np.stack(later)))[score.name]


# --- psnr ---


def test_psnr_of_known_error():
    a = np.full((10, 10, 3), 100, np.uint8)
    b = a.copy()
    b[0, 0, 0] = 110
    assert psnr(a, b) == pytest.approx(10 * math.log10(255**2 * 300 / 100), abs=1e-12)
    assert psnr(np.zeros_like(a), np.full_like(a, 255)) == 0


def test_psnr_of_identical_frames_is_capped_with_a_note():
    a = pattern()
    assert psnr(a, a) == 100.0
    assert compare(Psnr(), Pixels(), [a], [a]) == [(100.0, "capped: identical frames")]


def test_psnr_above_the_cap_is_capped_with_another_note():
    a = np.zeros((480, 832, 3), np.uint8)
    b = a.copy()
    b[0, 0, 0] = 1
    assert psnr(a, b) == 100.0
    assert compare(Psnr(), Pixels(), [a], [b]) == [(100.0, "capped: above 100 dB")]


def test_ordinary_psnr_has_no_note():
    (outcome,) = compare(Psnr(), Pixels(), [pattern()], [blurred(pattern(), 1)])
    assert outcome.note is None


# --- ssim ---


def test_window_sums_match_a_direct_sum():
    frame = pattern(9, 11)
    expected = [[frame[i : i + 7, j : j + 7, 1].sum(dtype=int) for j in range(5)] for i in range(3)]
    assert window_sums(frame)[..., 1].tolist() == expected


def test_products_reach_the_largest_value():
    white = np.full((7, 7, 3), 255, np.uint8)
    assert products(white, white).max() == 65025
    assert window_sums(products(white, white))[0, 0, 0] == 49 * 65025


def test_moments_are_exact_at_the_extremes():
    stripes = np.zeros((7, 7, 3), np.uint8)
    stripes[:, ::2] = 255
    (feature,) = SsimMoments().extract(stripes[None])
    assert feature["sum"][0, 0, 0] == 28 * 255
    assert feature["spread"][0, 0, 0] == 49 * 28 * 255**2 - (28 * 255) ** 2


def test_ssim_of_identical_frames_is_exactly_one():
    rng = np.random.default_rng(0)
    for frame in (
        pattern(),
        np.full((20, 30, 3), 255, np.uint8),
        rng.integers(0, 256, (70, 90, 3), np.uint8),
    ):
        assert ssim(frame, frame) == 1.0


def test_ssim_of_constant_frames():
    # Without variance only the luminance term is left.
    c1 = (0.01 * 255) ** 2
    a, b = np.full((8, 8, 3), 50, np.uint8), np.full((8, 8, 3), 100, np.uint8)
    assert ssim(a, b) == pytest.approx((2 * 5000 + c1) / (2500 + 10000 + c1), abs=1e-6)


def test_frames_smaller_than_the_window_have_no_ssim():
    a = pattern(6, 64)
    (outcome,) = compare(Ssim(), SsimMoments(), [a], [a])
    assert outcome == (None, "frame 64x6 too small for SSIM's window: at least 7 pixels a side")
    with pytest.raises(ValueError, match="frame 64x6 too small"):
        ssim(a, a)


def test_ssim_does_not_depend_on_the_strips(monkeypatch):
    a, b = pattern(150, 40), blurred(pattern(150, 40), 1)
    whole = ssim(a, b)
    for module in ("revisit_metric.backbones.ssim_moments", "revisit_metric.families.appearance"):
        monkeypatch.setattr(f"{module}.STRIP_ROWS", 7)
    assert ssim(a, b) == pytest.approx(whole, abs=1e-12)


# --- both ---


@pytest.mark.parametrize("score", [psnr, ssim])
def test_order_of_the_frames_does_not_matter(score):
    a, b = pattern(), blurred(pattern(), 2)
    assert score(a, b) == score(b, a)


@pytest.mark.parametrize("score", [psnr, ssim])
def test_more_blur_scores_no_better(score):
    values = [score(pattern(), blurred(pattern(), radius)) for radius in range(5)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(("score", "backbone"), [(Psnr(), Pixels()), (Ssim(), SsimMoments())])
def test_pair_scores_agree_with_the_functions_and_keep_to_the_protocol(score, backbone):
    function = {"psnr": psnr, "ssim": ssim}[score.name]
    later = [blurred(pattern(), 1), blurred(pattern(), 3)]
    outcomes = compare(score, backbone, [pattern()] * 2, later)
    assert [outcome.value for outcome in outcomes] == [function(pattern(), frame) for frame in later]
    assert isinstance(score, PairScore)
    assert isinstance(backbone, Backbone)
    assert score.backbone == backbone.name
    assert score.identity()
    assert backbone.identity()["version"] == "1"


@pytest.mark.parametrize("backbone", [Pixels(), SsimMoments()])
def test_features_own_their_frame(backbone):
    frames = np.stack([pattern()])
    (feature,) = backbone.extract(frames)
    frames[:] = 0
    assert (feature["frame"] == pattern()).all()
    assert feature["frame"].base is None


@pytest.mark.parametrize("score", [psnr, ssim])
@pytest.mark.parametrize(
    ("a", "match"),
    [
        (np.zeros((3, 48, 64), np.uint8), "channels first"),
        (np.zeros((48, 64), np.uint8), r"shape \(48, 64\), expected \(H, W, 3\)"),
        (np.zeros((48, 64, 3), np.float32), "dtype float32, expected uint8"),
        (np.zeros((48, 62, 3), np.uint8), "62x48 and 64x48, expected one size"),
    ],
)
def test_wrong_frames_are_refused(score, a, match):
    with pytest.raises(ValueError, match=match):
        score(a, pattern())


def test_a_batch_must_be_a_batch():
    with pytest.raises(ValueError, match=r"frames have shape \(48, 64, 3\), expected \(B, H, W, 3\)"):
        Pixels().extract(pattern())


def test_golden_values():
    # What scikit-image 0.26 gives for this pair.
    a = pattern(96, 128)
    b = a.copy()
    b[24:72, 32:96] = 255 - b[24:72, 32:96]
    assert psnr(a, b) == pytest.approx(10.7265136, abs=1e-6)
    assert ssim(a, b) == pytest.approx(0.4862799, abs=1e-6)


# --- lpips on hand-made features (the network is compared with the lpips package in tests/parity) ---


def feature(values, size=(64, 64)):
    return {"frame_size": np.array(size), "lpips": np.array(values, np.float32)}


def test_lpips_is_the_squared_distance_of_its_features():
    outcomes = Lpips().compare([feature([1, 2])], [feature([0.5, 2.5])])
    assert outcomes == {"lpips": [(0.5, None)]}


def test_lpips_of_long_features_is_summed_without_drift():
    rng = np.random.default_rng(0)
    a, b = (rng.random(1_000_000, np.float32) ** 8 for _ in range(2))
    expected = np.square(a.astype(np.float64) - b).sum()
    (outcome,) = Lpips().compare([feature(a)], [feature(b)])["lpips"]
    assert outcome.value == pytest.approx(expected, rel=1e-6)


def test_lpips_of_small_frames_is_none_with_the_reason():
    tiny = {"frame_size": np.array((30, 64))}
    assert Lpips().compare([tiny], [tiny])["lpips"] == [
        (None, "frame 64x30 too small for AlexNet: at least 31 pixels a side")
    ]


def test_lpips_refuses_frames_of_two_sizes_even_with_equally_long_features():
    with pytest.raises(ValueError, match="64x32 and 32x64, expected one size"):
        Lpips().compare([feature([0, 0], (32, 64))], [feature([0, 0], (64, 32))])


def test_lpips_is_a_distance():
    (metric,) = Lpips().metrics
    assert not metric.higher_is_better
    assert metric.bounds == (0.0, math.inf)


def test_unequal_numbers_of_frames_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        Psnr().compare(Pixels().extract(pattern()[None]), [])
