"""SuperPoint keypoints and descriptors, through `transformers`, to LightGlue's recipe.

The recipe: longer side resized to 1024, up or down (kornia: bilinear, Gaussian filter before shrinking), grey by 0.299,
0.587, 0.114 after that, score above 5e-4, non-maximum suppression radius 4, 4 pixels of border dropped, the 1024
strongest kept, points mapped back to pixels of the frame.

Where `transformers` differs, and what is done about it: its image processor squeezes frames to 640x480 and takes the
first channel for grey, so it is not used; its border rule compares with eight times the size and so keeps points at the
right and bottom border, and its cut to the strongest comes after that rule, so it is asked for all points, and border
and cut are applied here.
"""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.checkpoints import load_pretrained
from revisit_metric.backbones.precision import forward_groups, inference
from revisit_metric.families.protocol import Feature, Frames
from revisit_metric.weights import file_sha256

if TYPE_CHECKING:
    import torch

MAX_KEYPOINTS = 1024
LONG_SIDE = 1024
THRESHOLD = 5e-4
NMS_RADIUS = 4
BORDER = 4
_CELL = 8


class SuperPoint:
    """Up to 1024 keypoints a frame, always in float32.

    A feature holds `points` float32 `(K, 2)`, x and y in pixels of the frame, `descriptors` float32 `(K, 256)`, unit
    length, and `frame_size` int64 `(2,)`, height and width. K is 0 on a frame without texture, or one so thin that
    nothing is left of it after resizing.

    Args:
        config: config.json of magic-leap-community/superpoint.
        weights: Its model.safetensors, under Magic Leap's restrictive licence.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
    """

    name = "superpoint"
    weights: ClassVar[tuple[str, ...]] = ("superpoint/config.json", "superpoint/model.safetensors")

    def __init__(self, config: Path, weights: Path, *, device: str | None = None) -> None:
        import torch
        from transformers import SuperPointForKeypointDetection

        self.device = torch.device(pick_device(device))
        self._files = {"weights": file_sha256(weights), "config": file_sha256(config)}
        settings: dict[str, Any] = {
            "keypoint_threshold": THRESHOLD,
            "nms_radius": NMS_RADIUS,
            "border_removal_distance": BORDER,
            "max_keypoints": -1,
        }
        model = load_pretrained(SuperPointForKeypointDetection, config, weights, **settings)
        self._model = model.to(self.device)

    def identity(self) -> Mapping[str, str]:
        """Return the files' hashes and the settings."""
        detector = f"above {THRESHOLD:g}, nms {NMS_RADIUS}, border {BORDER}, {MAX_KEYPOINTS} strongest"
        return {
            "name": self.name,
            "version": "1",
            **self._files,
            "dtype": "float32",
            "input": f"longer side {LONG_SIDE} bilinear antialias, grey",
            "detector": detector,
            "transformers": version("transformers"),
            "kornia": version("kornia"),
        }

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the keypoints and descriptors of each frame."""
        require_rgb(frames, ndim=4)
        return [
            feature for group in forward_groups(list(frames), self.device) for feature in self._group(np.stack(group))
        ]

    def _group(self, frames: Frames) -> list[Feature]:
        size = frames.shape[1:3]
        with inference(self.device):
            grey = _prepare(frames, self.device)
            if min(grey.shape[-2:]) < _CELL:
                return [_feature(size, None, None) for _ in frames]
            found = self._model(pixel_values=grey)
            extent = found.keypoints.new_tensor([grey.shape[-1], grey.shape[-2]])
            # The model divides whole pixels by the size; rounding gets them back exactly.
            points = (found.keypoints * extent).round()
            return [
                _feature(size, *_select(points[k], found.scores[k], found.descriptors[k], found.mask[k], extent))
                for k in range(len(frames))
            ]


def _prepare(frames: Frames, device: "torch.device") -> "torch.Tensor":
    """Resized grey images `(B, 1, h, w)` in `[0, 1]`."""
    import torch
    from kornia.color import rgb_to_grayscale
    from kornia.geometry.transform import resize

    height, width = frames.shape[1:3]
    pixels = torch.from_numpy(frames).to(device).permute(0, 3, 1, 2).float() / 255
    if LONG_SIDE * min(height, width) < max(height, width):
        return pixels.new_zeros(len(frames), 1, 0, LONG_SIDE)
    return rgb_to_grayscale(resize(pixels, LONG_SIDE, side="long", antialias=True))


def _select(
    points: "torch.Tensor",
    scores: "torch.Tensor",
    descriptors: "torch.Tensor",
    mask: "torch.Tensor",
    extent: "torch.Tensor",
) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
    """Drop padding and border points, keep the strongest; points as fractions of the image."""
    # The border is that of the score map, which ends at the last whole cell.
    end = extent // _CELL * _CELL - BORDER
    kept = mask.bool() & ((points >= BORDER) & (points < end)).all(dim=1)
    points, scores, descriptors = points[kept], scores[kept], descriptors[kept]
    if len(points) > MAX_KEYPOINTS:
        strongest = scores.topk(MAX_KEYPOINTS).indices
        points, descriptors = points[strongest], descriptors[strongest]
    fractions = (points + 0.5) / extent
    return fractions.cpu().numpy(), descriptors.cpu().numpy()


def _feature(
    size: tuple[int, ...], fractions: NDArray[np.float32] | None, descriptors: NDArray[np.float32] | None
) -> Feature:
    if fractions is None or descriptors is None:
        fractions, descriptors = np.empty((0, 2), np.float32), np.empty((0, 256), np.float32)
    points = fractions * np.array([size[1], size[0]], np.float32) - np.float32(0.5)
    return {"points": points, "descriptors": descriptors, "frame_size": np.array(size)}
