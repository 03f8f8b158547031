"""BoQ and MutualVPR: descriptors trained to recognise a place.

Both squeeze the whole frame into a square (bicubic, antialias, aspect ratio ignored) and take ImageNet statistics; both
run on a DINOv2 ViT-B/14 that is part of the checkpoint. Checkpoints are loaded strictly. The release loads MutualVPR's
with missing names allowed, so that it can run on random layers without a word; here that is an error.

What could not be checked against the files themselves: BoQ's tensor names are those of the authors' public code;
MutualVPR's too, except the exponent of its pooling ("aggregation.1.p", one element), which lies in a file that the
authors' repository leaves out and is taken from CosPlace, whose layers it uses.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.checkpoints import load_strictly, read_state
from revisit_metric.backbones.precision import check_dtype, forward_groups, inference
from revisit_metric.backbones.preprocess import resize_to, to_input
from revisit_metric.families.protocol import Feature, Frames
from revisit_metric.weights import file_sha256

if TYPE_CHECKING:
    import torch


class _PlaceRecognition:
    """What the two share: a network from a square image to a unit descriptor."""

    name: ClassVar[str]
    side: ClassVar[int]
    architecture: ClassVar[str]
    half_precision: ClassVar[bool] = True

    def __init__(self, weights: Path, *, device: str | None = None, dtype: str = "float32") -> None:
        import torch

        self.device, self.dtype = torch.device(pick_device(device)), check_dtype(dtype)
        self._sha256 = file_sha256(weights)
        network = self.build()
        load_strictly(network, read_state(weights), source=weights)
        self._network = network.to(self.device).eval()

    def build(self) -> "torch.nn.Module":
        """Return the network without weights."""
        raise NotImplementedError

    def identity(self) -> Mapping[str, str]:
        """Return the weights' hash and the settings."""
        return {
            "name": self.name,
            "version": "1",
            "weights": self._sha256,
            "dtype": self.dtype,
            "input": f"{self.side}x{self.side} bicubic, aspect ratio ignored",
            "architecture": self.architecture,
        }

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the descriptor of each frame."""
        require_rgb(frames, ndim=4)
        features: list[Feature] = []
        for group in forward_groups(list(frames), self.device):
            pixels = to_input([resize_to(frame, self.side, self.side) for frame in group], self.device)
            with inference(self.device, self.dtype):
                rows = self._network(pixels).float().cpu().numpy()
            features += [{"descriptor": np.ascontiguousarray(row)} for row in rows]
        return features


class Boq(_PlaceRecognition):
    """Bag-of-Queries on DINOv2, at 322x322.

    A feature holds `descriptor` float32 `(12288,)`, unit length.

    Args:
        weights: The authors' dinov2_12288.pth.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
        dtype: "float32", or "bfloat16" and "float16" for speed.
    """

    name = "boq"
    weights: ClassVar[tuple[str, ...]] = ("boq",)
    side = 322
    architecture = "DINOv2 ViT-B/14 without final norm, BoQ 2 blocks x 64 queries, 32 x 384"

    def build(self) -> "torch.nn.Module":
        """Return the network without weights."""
        from revisit_metric.backbones.networks.boq import BoqNetwork, BoqShape

        return BoqNetwork(BoqShape())


class MutualVpr(_PlaceRecognition):
    """MutualVPR on DINOv2, at 518x518.

    A feature holds `descriptor` float32 `(512,)`, unit length.

    Args:
        weights: The authors' MutualVPR_model_512.pth.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
        dtype: "float32", or "bfloat16" and "float16" for speed.
    """

    name = "mutualvpr"
    weights: ClassVar[tuple[str, ...]] = ("mutualvpr",)
    side = 518
    architecture = "DINOv2 ViT-B/14 normed patch tokens, L2, GeM, linear 768 to 512, L2"

    def build(self) -> "torch.nn.Module":
        """Return the network without weights."""
        from revisit_metric.backbones.networks.mutualvpr import MutualVprNetwork
        from revisit_metric.backbones.networks.vit import VitShape

        return MutualVprNetwork(VitShape(), 512)
