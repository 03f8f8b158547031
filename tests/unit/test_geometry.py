import cv2
import numpy as np
import pytest

from revisit_metric.backbones.sift import MAX_KEYPOINTS, Sift
from revisit_metric.families.geometry import SiftGeometry, count_inliers, match_descriptors
from revisit_metric.families.protocol import Backbone, PairScore


def place(seed, height=160, width=224):
    """A blotchy picture with corners to find; another seed is another place."""
    coarse = np.random.default_rng(seed).integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def flat(value=128):
    return np.full((160, 224, 3), value, np.uint8)


def compare(a, b):
    first, second = (Sift().extract(frame[None])[0] for frame in (a, b))
    outcomes = SiftGeometry().compare([first], [second])
    return outcomes["sift_match"][0], outcomes["sift_inlier"][0]


def rotated(frame, degrees):
    height, width = frame.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return cv2.warpAffine(frame, matrix, (width, height), borderMode=cv2.BORDER_REFLECT)


# --- scores on frames ---


def test_identical_frames():
    match, inlier = compare(place(0), place(0))
    assert match.value > 0.95
    assert inlier == (1.0, None)


def test_small_rotation_beats_another_place():
    near_match, near_inlier = compare(place(0), rotated(place(0), 5))
    far_match, _ = compare(place(0), place(1))
    assert near_match.value > 0.5
    assert near_inlier.value > 0.9
    assert far_match.value < 0.1


def test_match_does_not_depend_on_the_order():
    a, b = place(0), rotated(place(0), 8)
    assert compare(a, b)[0] == compare(b, a)[0]


def test_more_blur_matches_no_better():
    values = [compare(place(0), cv2.blur(place(0), (r, r)))[0].value for r in (1, 9, 17, 33)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("a", "b", "where"),
    [
        (flat(), place(0), "the earlier frame"),
        (place(0), flat(), "the later frame"),
        (flat(), flat(3), "both frames"),
    ],
    ids=["earlier", "later", "both"],
)
def test_no_texture_is_missing_not_zero(a, b, where):
    expected = (None, f"no keypoints in {where}: no texture")
    assert compare(a, b) == (expected, expected)


def test_texture_without_matches_is_zero():
    features = [
        {"points": np.zeros((2, 2), np.float32), "descriptors": np.full((2, 128), value, np.uint8)}
        for value in (10, 20)
    ]
    outcomes = SiftGeometry().compare(features[:1], features[1:])
    assert outcomes["sift_match"] == [(0.0, None)]
    assert outcomes["sift_inlier"] == [(0.0, "0 by rule: fewer than 8 matches")]


def test_no_fundamental_matrix_is_zero_by_rule():
    # Ten perfect matches that all lie on one spot: OpenCV returns no matrix, and a mask of rubbish.
    points = np.zeros((10, 2), np.float32)
    feature = {"points": points, "descriptors": np.eye(10, 128, dtype=np.uint8) * 100}
    outcomes = SiftGeometry().compare([feature], [feature])
    assert outcomes["sift_match"] == [(1.0, None)]
    assert outcomes["sift_inlier"] == [(0.0, "0 by rule: no fundamental matrix found")]


def test_values_stay_within_the_declared_bounds():
    for a, b in [(place(0), place(0)), (place(0), place(1)), (place(2), rotated(place(2), 40))]:
        for outcome in compare(a, b):
            assert 0 <= outcome.value <= 1


def test_is_deterministic_whatever_the_generator_holds():
    a, b = place(0), rotated(place(0), 20)
    results = []
    for seed in (1, 2):
        cv2.setRNGSeed(seed)
        results.append(compare(a, b))
    assert results[0] == results[1]


def test_keeps_to_the_protocol():
    assert isinstance(SiftGeometry(), PairScore)
    assert isinstance(Sift(), Backbone)
    assert SiftGeometry().backbone == Sift().name
    assert "ratio 0.8" in SiftGeometry().identity()["matcher"]
    assert Sift().identity()["opencv"] == cv2.__version__


# --- matching ---


def test_ratio_test_refuses_repeated_texture():
    a = np.eye(2, 128, dtype=np.uint8) * 100
    b = np.stack([a[0], a[0], a[1]])
    assert match_descriptors(a, b).tolist() == [[1, 2]]
    assert match_descriptors(b, a).tolist() == [[2, 1]]


def test_matches_are_mutual():
    a = np.zeros((2, 128), np.uint8)
    a[0, :2], a[1, :2] = (100, 0), (100, 1)
    b = np.zeros((2, 128), np.uint8)
    b[0, :2], b[1, 5] = (100, 0), 100
    # Both rows of `a` are nearest to b[0], which is too near to both: neither may have it.
    assert match_descriptors(a, b).tolist() == [[0, 0]]


@pytest.mark.parametrize("counts", [(0, 5), (1, 5), (5, 1)])
def test_without_a_second_neighbour_nothing_matches(counts):
    a, b = (np.eye(count, 128, dtype=np.uint8) * 9 for count in counts)
    assert match_descriptors(a, b).shape == (0, 2)


# --- inliers ---


def test_outliers_are_not_counted():
    rng = np.random.default_rng(0)
    a = rng.uniform(0, 400, (60, 2)).astype(np.float32)
    b = a + np.float32(7)
    b[:15] = rng.uniform(0, 400, (15, 2))
    assert 45 <= count_inliers(a, b) < 60


def test_too_few_matches_are_refused():
    with pytest.raises(ValueError, match="7 matches, a fundamental matrix needs at least 8"):
        count_inliers(np.zeros((7, 2), np.float32), np.zeros((7, 2), np.float32))


# --- the backbone ---


def test_keypoints_are_limited_and_descriptors_whole_numbers():
    noise = np.random.default_rng(0).integers(0, 256, (1, 600, 800, 3), np.uint8)
    (feature,) = Sift().extract(noise)
    assert feature["points"].shape == (MAX_KEYPOINTS, 2)
    assert feature["points"].dtype == np.float32
    assert feature["descriptors"].shape == (MAX_KEYPOINTS, 128)
    grey = cv2.cvtColor(noise[0], cv2.COLOR_RGB2GRAY)
    _, raw = cv2.SIFT.create(nfeatures=MAX_KEYPOINTS).detectAndCompute(grey, None)
    assert np.array_equal(raw[:MAX_KEYPOINTS], feature["descriptors"])


def test_points_are_x_then_y_in_pixels():
    frame = flat(0)
    frame[20:60, 150:200] = place(0)[:40, :50]
    (feature,) = Sift().extract(frame[None])
    assert len(feature["points"]) > 5
    assert (feature["points"] >= (140, 10)).all()
    assert (feature["points"] <= (210, 70)).all()


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (7, 7)])
def test_tiny_frames_have_no_keypoints(shape):
    frame = np.random.default_rng(0).integers(0, 256, (1, *shape, 3), np.uint8)
    (feature,) = Sift().extract(frame)
    assert feature["points"].shape == (0, 2)
    assert feature["descriptors"].shape == (0, 128)


def test_threads_and_batch_change_nothing():
    frames = np.stack([place(0), place(1)])
    together = Sift().extract(frames)
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    alone = [Sift().extract(frame[None])[0] for frame in frames]
    cv2.setNumThreads(threads)
    for a, b in zip(together, alone, strict=True):
        assert np.array_equal(a["points"], b["points"])
        assert np.array_equal(a["descriptors"], b["descriptors"])


def test_golden_values():
    y, x, c = np.indices((160, 224, 3))
    a = ((x * 5 + y * 3 + (x * y) // 7 + c * 40) % 256).astype(np.uint8)
    match, inlier = compare(a[:, 16:], a[:, :-16])
    # Loose: OpenCV's keypoints differ by a few between processors and versions.
    assert (match.value, inlier.value) == pytest.approx((0.9061, 0.9910), abs=0.03)
