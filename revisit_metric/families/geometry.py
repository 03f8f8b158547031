"""Geometry: are points of the earlier frame found again in the later one, moving as one rigid scene?

Conventions:
    Points are (x, y) in pixels of the full-size frame. The order is always (earlier, later).

Scores:
    match: Matches / max(min(K earlier, K later), 1), `[0, 1]`, higher is better; SuperPoint keypoints matched by
        LightGlue.
    inlier: Inliers of a fundamental matrix found by RANSAC (3 px, 0.99) / matches, `[0, 1]`, higher is better; 0 with
        a note for fewer than 8 matches or when no matrix is found, as in the paper's recipe.
    xfeat_match, xfeat_inlier: The same with XFeat keypoints matched by LighterGlue.
    sift_match, sift_inlier: The same with SIFT. A match is a mutual nearest neighbour among RootSIFT descriptors
        that passes the ratio test (0.8) in both directions, so the value does not depend on the order of the frames.

A frame without a single keypoint has no texture to judge by: both scores are then None with that reason (the released
code gives 0). Keypoints without a match are a finding, and score 0.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from revisit_metric.families.protocol import Feature, Metric, Outcome

RATIO = 0.8
MIN_MATCHES = 8
RANSAC_THRESHOLD_PX = 3.0
RANSAC_CONFIDENCE = 0.99
RANSAC_SEED = 0
_RANSAC = f"FM_RANSAC {RANSAC_THRESHOLD_PX:g} px {RANSAC_CONFIDENCE:g} seed {RANSAC_SEED}"
_NO_MATCHES = np.empty((0, 2), np.int64)


class SiftGeometry:
    """Matches and RANSAC inliers on the `sift` backbone."""

    name = "sift"
    backbone = "sift"
    metrics = (
        Metric("sift_match", "geometry", True, (0.0, 1.0), 1),
        Metric("sift_inlier", "geometry", True, (0.0, 1.0), 1),
    )

    def identity(self) -> Mapping[str, str]:
        """Return the matcher's and RANSAC's settings."""
        return {
            "matcher": f"RootSIFT, mutual nearest neighbours, ratio {RATIO} both ways",
            "ransac": _RANSAC,
        }

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the match ratio and the inlier ratio of each pair."""
        pairs = list(zip(earlier, later, strict=True))
        matches = [match_descriptors(a["descriptors"], b["descriptors"]) for a, b in pairs]
        outcomes = [_outcomes(a, b, found) for (a, b), found in zip(pairs, matches, strict=True)]
        return {
            "sift_match": [match for match, _ in outcomes],
            "sift_inlier": [inlier for _, inlier in outcomes],
        }


class Matcher(Protocol):
    """A network that matches the keypoints of two frames."""

    def identity(self) -> Mapping[str, str]:
        """What determines the matches apart from the features."""
        ...

    def match(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> list[NDArray[np.int64]]:
        """Return matched index pairs `(M, 2)` of each pair of features, all of which have keypoints."""
        ...


class _LearnedGeometry:
    """Matches by a network, then RANSAC.

    Args:
        matcher: The network.
    """

    metrics: ClassVar[tuple[Metric, ...]]

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher

    def identity(self) -> Mapping[str, str]:
        """Return what the matcher is, and RANSAC's settings."""
        matcher = {f"matcher.{key}": value for key, value in self._matcher.identity().items()}
        return {**matcher, "ransac": _RANSAC}

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the match ratio and the inlier ratio of each pair."""
        pairs = list(zip(earlier, later, strict=True))
        usable = [k for k, (a, b) in enumerate(pairs) if len(a["points"]) and len(b["points"])]
        found = self._matcher.match([earlier[k] for k in usable], [later[k] for k in usable])
        matches = dict(zip(usable, found, strict=True))
        outcomes = [_outcomes(a, b, matches.get(k, _NO_MATCHES)) for k, (a, b) in enumerate(pairs)]
        return {metric.name: [both[k] for both in outcomes] for k, metric in enumerate(self.metrics)}


class SuperPointLightGlue(_LearnedGeometry):
    """LightGlue's matches and RANSAC inliers on the `superpoint` backbone."""

    name = "superpoint_lightglue"
    backbone = "superpoint"
    parts: ClassVar[tuple[str, ...]] = ("lightglue",)
    metrics = (
        Metric("match", "geometry", True, (0.0, 1.0), 1),
        Metric("inlier", "geometry", True, (0.0, 1.0), 1),
    )


class XFeatLighterGlue(_LearnedGeometry):
    """LighterGlue's matches and RANSAC inliers on the `xfeat` backbone."""

    name = "xfeat_lighterglue"
    backbone = "xfeat"
    parts: ClassVar[tuple[str, ...]] = ("lighterglue",)
    metrics = (
        Metric("xfeat_match", "geometry", True, (0.0, 1.0), 1),
        Metric("xfeat_inlier", "geometry", True, (0.0, 1.0), 1),
    )


def match_descriptors(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return matched index pairs `(M, 2)` of SIFT descriptors `(Ka, 128)`, `(Kb, 128)`, ordered by the first.

    With a single descriptor on a side there is no second neighbour, the ratio test cannot be passed and
    nothing matches.

    Example:
        >>> a = np.eye(3, 128, dtype=np.uint8) * 100
        >>> match_descriptors(a, a[::-1]).tolist()
        [[0, 2], [1, 1], [2, 0]]
    """
    import cv2

    if min(len(a), len(b)) < 2:
        return np.empty((0, 2), np.intp)
    # RootSIFT descriptors have unit length, so the squared distance is 2 - 2 cos.
    squared = np.maximum(2 - 2 * (_root_sift(a) @ _root_sift(b).T), 0)
    nearest, passed = _ratio_test(squared)
    # NumPy searches columns in place, and copies transposed arrays, at several times the cost of OpenCV's copy.
    back, back_passed = _ratio_test(cv2.transpose(squared))
    rows = np.arange(len(a))
    kept = passed & (back[nearest] == rows) & back_passed[nearest]
    return np.stack([rows[kept], nearest[kept]], axis=1)


def count_inliers(a: NDArray[np.float32], b: NDArray[np.float32]) -> int | None:
    """Return how many of the matched points `(M, 2)` obey one fundamental matrix; `None` when none is found.

    Deterministic: OpenCV's RANSAC seeds itself, and its global generator is set before each call in case a
    version uses that one.

    Raises:
        ValueError: Fewer than 8 matches.

    Example:
        >>> points = np.random.default_rng(0).uniform(0, 400, (50, 2)).astype(np.float32)
        >>> count_inliers(points, points + np.float32(5))
        50
    """
    import cv2

    if len(a) < MIN_MATCHES:
        raise ValueError(f"{len(a)} matches, a fundamental matrix needs at least {MIN_MATCHES}")
    cv2.setRNGSeed(RANSAC_SEED)
    matrix, mask = cv2.findFundamentalMat(a, b, cv2.FM_RANSAC, RANSAC_THRESHOLD_PX, RANSAC_CONFIDENCE)
    # On failure OpenCV 5 returns no matrix but an uninitialised mask.
    return None if matrix is None else int(np.count_nonzero(mask))


def _outcomes(a: Feature, b: Feature, matches: NDArray[np.integer]) -> tuple[Outcome, Outcome]:
    """Match ratio and inlier ratio of one pair."""
    sizes = len(a["points"]), len(b["points"])
    if 0 in sizes:
        where = "both frames" if sizes == (0, 0) else f"the {'earlier' if sizes[0] == 0 else 'later'} frame"
        missing = Outcome(None, f"no keypoints in {where}: no texture")
        return missing, missing
    match = Outcome(len(matches) / min(sizes))
    return match, _inlier_outcome(a["points"][matches[:, 0]], b["points"][matches[:, 1]])


def _inlier_outcome(a: NDArray[np.float32], b: NDArray[np.float32]) -> Outcome:
    if len(a) < MIN_MATCHES:
        return Outcome(0.0, f"0 by rule: fewer than {MIN_MATCHES} matches")
    inliers = count_inliers(a, b)
    return Outcome(0.0, "0 by rule: no fundamental matrix found") if inliers is None else Outcome(inliers / len(a))


def _root_sift(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    values = descriptors.astype(np.float32)
    # A descriptor of zeros stays zeros: far from everything, including its like.
    values /= np.maximum(values.sum(axis=1, keepdims=True), 1)
    return np.sqrt(values)


def _ratio_test(squared: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Nearest neighbour of each row, and whether it is nearer than 0.8 times the second.

    The array is written to, and is as before at the end.
    """
    rows, nearest = np.arange(len(squared)), squared.argmin(axis=1)
    least = squared[rows, nearest]
    squared[rows, nearest] = np.inf
    second = squared.min(axis=1)
    squared[rows, nearest] = least
    return nearest, least < RATIO**2 * second
