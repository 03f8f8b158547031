"""Scene: do the two frames show the same place?

Scores:
    dino: Cosine of DINOv2 class tokens (`backbones.dinov2`), `[-1, 1]`, higher is better.
    boq: Cosine of Bag-of-Queries place descriptors (`backbones.place_recognition`), `[-1, 1]`, higher is better.
    mutualvpr: The same of MutualVPR's.
    alexnet_pool: Cosine of two descriptors pooled from AlexNet's deeper maps
        (`backbones.alexnet.pool_scene`), `[-1, 1]`, higher is better; the maps are rectified, so real values
        lie in `[0, 1]`, and unrelated photographs near 0.6. Ours, for running without the Hub: it is none of
        the paper's three place-recognition models.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from revisit_metric.backbones.alexnet import MIN_SIDE
from revisit_metric.families.protocol import Feature, Metric, Outcome


class _DescriptorCosine:
    """Cosine of one unit vector of each frame."""

    metrics: ClassVar[tuple[Metric, ...]]
    key: ClassVar[str] = "descriptor"

    def identity(self) -> Mapping[str, str]:
        """Return the similarity; the descriptor is the backbone's."""
        return {"similarity": "cosine"}

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return the cosine of each pair; frames too small for the backbone have none."""
        outcomes = [_cosine(a, b, self.key) for a, b in zip(earlier, later, strict=True)]
        return {self.metrics[0].name: outcomes}


class Dino(_DescriptorCosine):
    """Cosine of the descriptors of the `dinov2` backbone."""

    name = "dino"
    backbone = "dinov2"
    metrics = (Metric("dino", "scene", True, (-1.0, 1.0), 1),)


class Boq(_DescriptorCosine):
    """Cosine of the descriptors of the `boq` backbone."""

    name = "boq"
    backbone = "boq"
    metrics = (Metric("boq", "scene", True, (-1.0, 1.0), 1),)


class MutualVpr(_DescriptorCosine):
    """Cosine of the descriptors of the `mutualvpr` backbone."""

    name = "mutualvpr"
    backbone = "mutualvpr"
    metrics = (Metric("mutualvpr", "scene", True, (-1.0, 1.0), 1),)


class AlexNetPool(_DescriptorCosine):
    """Cosine of the `scene` descriptors of the `alexnet_lpips` backbone."""

    name = "alexnet_pool"
    backbone = "alexnet_lpips"
    metrics = (Metric("alexnet_pool", "scene", True, (-1.0, 1.0), 1),)
    key = "scene"


def _cosine(a: Feature, b: Feature, key: str) -> Outcome:
    for feature in (a, b):
        if key not in feature:
            height, width = feature["frame_size"]
            return Outcome(None, f"frame {width}x{height} too small for AlexNet: at least {MIN_SIDE} pixels a side")
    # Unit vectors in float32 can give a cosine one rounding step past 1.
    return Outcome(float(np.clip(np.dot(a[key], b[key]), -1.0, 1.0)))
