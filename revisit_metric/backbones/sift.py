"""SIFT keypoints and descriptors of a frame, by OpenCV."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from revisit_metric.backbones import require_rgb
from revisit_metric.families.protocol import Feature, Frames

MAX_KEYPOINTS = 1024
"""The limit the paper gives SuperPoint; the strongest are kept."""


class Sift:
    """Up to 1024 SIFT keypoints on the grey frame (0.299 R + 0.587 G + 0.114 B), 0.14 MB.

    A feature holds `points` float32 `(K, 2)`, x and y in pixels of the frame, and `descriptors` uint8 `(K,
    128)`: OpenCV's SIFT descriptors are whole numbers, so nothing is lost. K is 0 on a frame without texture.
    """

    name = "sift"
    weights: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        import cv2

        self._sift = cv2.SIFT.create(nfeatures=MAX_KEYPOINTS)
        self._opencv = cv2.__version__

    def identity(self) -> Mapping[str, str]:
        """Return the settings and OpenCV's version, whose detector it is."""
        return {
            "name": self.name,
            "version": "1",
            "max_keypoints": str(MAX_KEYPOINTS),
            "opencv": self._opencv,
        }

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the keypoints and descriptors of each frame."""
        import cv2

        require_rgb(frames, ndim=4)
        return [self._feature(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY)) for frame in frames]

    def _feature(self, grey: np.ndarray) -> Feature:
        keypoints, descriptors = self._sift.detectAndCompute(grey, None)
        if descriptors is None:
            return {"points": np.empty((0, 2), np.float32), "descriptors": np.empty((0, 128), np.uint8)}
        # OpenCV keeps every keypoint that ties with the last one allowed.
        points = np.array([keypoint.pt for keypoint in keypoints[:MAX_KEYPOINTS]], np.float32)
        return {"points": points, "descriptors": descriptors[:MAX_KEYPOINTS].astype(np.uint8)}
