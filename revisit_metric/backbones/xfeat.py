"""XFeat keypoints and descriptors, through `kornia`, with the authors' weights.

`kornia` keeps strict maxima of the keypoint map only; the authors' code also keeps plateaus and judges points at the
border by part of their window. The frame is resized to multiples of 32 inside.
"""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import numpy as np

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.checkpoints import load_strictly, read_state
from revisit_metric.backbones.precision import forward_groups, inference
from revisit_metric.families.protocol import Feature, Frames
from revisit_metric.weights import file_sha256

MAX_KEYPOINTS = 1024
"""The limit the paper gives SuperPoint; the strongest are kept."""

THRESHOLD = 0.05


class XFeat:
    """Up to 1024 keypoints a frame, always in float32.

    A feature holds `points` float32 `(K, 2)`, x and y in pixels of the frame, `descriptors` float32 `(K, 64)`, unit
    length, and `frame_size` int64 `(2,)`, height and width. K is 0 on a frame without texture.

    Args:
        weights: The authors' xfeat.pt.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
    """

    name = "xfeat"
    weights: ClassVar[tuple[str, ...]] = ("xfeat",)

    def __init__(self, weights: Path, *, device: str | None = None) -> None:
        import torch
        from kornia import feature

        self.device = torch.device(pick_device(device))
        self._sha256 = file_sha256(weights)
        model = feature.XFeat(top_k=MAX_KEYPOINTS, detection_threshold=THRESHOLD)
        load_strictly(model.net, read_state(weights), source=weights)
        self._model = model.to(self.device).eval()

    def identity(self) -> Mapping[str, str]:
        """Return the weights' hash and the settings."""
        return {
            "name": self.name,
            "version": "1",
            "weights": self._sha256,
            "dtype": "float32",
            "detector": f"above {THRESHOLD:g}, {MAX_KEYPOINTS} strongest",
            "kornia": version("kornia"),
        }

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the keypoints and descriptors of each frame."""
        import torch

        require_rgb(frames, ndim=4)
        features: list[Feature] = []
        for group in forward_groups(list(frames), self.device):
            pixels = torch.from_numpy(np.stack(group)).to(self.device).permute(0, 3, 1, 2)
            with inference(self.device):
                found = self._model.detectAndCompute(pixels.float() / 255)
            features += [
                {
                    "points": one["keypoints"].float().cpu().numpy(),
                    "descriptors": one["descriptors"].float().cpu().numpy(),
                    "frame_size": np.array(frames.shape[1:3]),
                }
                for one in found
            ]
        return features
