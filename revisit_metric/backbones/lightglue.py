"""LightGlue, a network that matches the keypoints of two frames, through `kornia`.

Settings are the library's: 9 layers, filter 0.1, early stopping at depth confidence 0.95, point pruning at width
confidence 0.99. Three things are fixed so that a value depends on its pair alone:

- Pruning: the library prunes on accelerators only above 1024 points, and on the CPU always. The recipe's 1024 points
  are never pruned on an accelerator, which is where the published numbers come from, so nothing is pruned anywhere.
- Early stopping: in a batch the library goes on until every pair is done. Here each pair stops by itself.
- Attention is float32; the library's default would run it in float16 on CUDA devices.

Order is part of the definition: (earlier, later).
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device
from revisit_metric.backbones.checkpoints import load_strictly, read_state
from revisit_metric.backbones.precision import forward_groups, inference
from revisit_metric.families.protocol import Feature
from revisit_metric.weights import file_sha256

if TYPE_CHECKING:
    import torch

_DERIVED = ("confidence_thresholds",)


class _Side(NamedTuple):
    """One frame of each pair of a batch, padded to the longest."""

    tokens: "torch.Tensor"
    encoding: "torch.Tensor"
    valid: "torch.Tensor"
    counts: list[int]


class LightGlue:
    """LightGlue for SuperPoint.

    Args:
        weights: The authors' superpoint_lightglue.pth.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
    """

    name: ClassVar[str] = "lightglue"
    weights: ClassVar[tuple[str, ...]] = ("lightglue",)
    settings: ClassVar[Mapping[str, Any]] = {
        "input_dim": 256,
        "descriptor_dim": 256,
        "n_layers": 9,
        "num_heads": 4,
        "depth_confidence": 0.95,
        "width_confidence": 0.99,
        "filter_threshold": 0.1,
    }
    prefix: ClassVar[str] = ""

    def __init__(self, weights: Path, *, device: str | None = None) -> None:
        import torch
        from kornia import feature as untyped

        self.device = torch.device(pick_device(device))
        self._sha256 = file_sha256(weights)
        feature: Any = untyped
        net = feature.LightGlue(None, flash=False, **self.settings)
        load_strictly(net, self._state(weights), source=weights, derived=_DERIVED)
        self._net = net.to(self.device).eval()

    def identity(self) -> Mapping[str, str]:
        """Return the weights' hash and the settings."""
        settings = ", ".join(f"{name} {value}" for name, value in self.settings.items())
        return {
            "name": self.name,
            "version": "1",
            "weights": self._sha256,
            "dtype": "float32",
            "settings": f"{settings}, no pruning",
            "kornia": version("kornia"),
        }

    def match(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> list[NDArray[np.int64]]:
        """Return matched index pairs `(M, 2)` of each pair of features, ordered by the first.

        Args:
            earlier: Features with `points`, `descriptors` and `frame_size`; at least one point each.
            later: The same; `earlier[k]` and `later[k]` form pair k.
        """
        matches: list[NDArray[np.int64]] = []
        with inference(self.device):
            for group in forward_groups(list(zip(earlier, later, strict=True)), self.device):
                matches += self._match_group([a for a, _ in group], [b for _, b in group])
        return matches

    def _state(self, path: Path) -> "dict[str, torch.Tensor]":
        """The matcher's tensors under kornia's names, which regrouped the authors' layers."""
        state = {
            name.removeprefix(self.prefix): value
            for name, value in read_state(path).items()
            if name.startswith(self.prefix)
        }
        for layer in range(self.settings["n_layers"]):
            for part in ("self_attn", "cross_attn"):
                old, new = f"{part}.{layer}.", f"transformers.{layer}.{part}."
                state = {name.replace(old, new) if name.startswith(old) else name: state[name] for name in state}
        return state

    def _match_group(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> list[NDArray[np.int64]]:
        sides = self._side(earlier), self._side(later)
        results: dict[int, NDArray[np.int64]] = {}
        running = list(range(len(earlier)))
        for layer in range(self.settings["n_layers"]):
            sides = self._through(layer, *sides)
            done = [k for k in range(len(running)) if self._stops(layer, k, *sides)]
            for k in done:
                results[running[k]] = self._assign(layer, k, *sides)
            kept = [k for k in range(len(running)) if k not in done]
            if not kept:
                break
            if done:
                running = [running[k] for k in kept]
                sides = _take(sides[0], kept), _take(sides[1], kept)
        return [results[k] for k in range(len(earlier))]

    def _side(self, features: Sequence[Feature]) -> _Side:
        import torch
        from kornia.feature.lightglue import normalize_keypoints
        from torch.nn.utils.rnn import pad_sequence

        def padded(arrays: list[NDArray[Any]]) -> "torch.Tensor":
            return pad_sequence([torch.from_numpy(array) for array in arrays], batch_first=True).to(self.device)

        counts = [len(feature["points"]) for feature in features]
        sizes = torch.tensor(np.stack([feature["frame_size"][::-1] for feature in features]), device=self.device)
        points = normalize_keypoints(padded([feature["points"] for feature in features]), sizes)
        tokens = self._net.input_proj(padded([feature["descriptors"] for feature in features]))
        valid = torch.arange(max(counts), device=self.device) < torch.tensor(counts, device=self.device)[:, None]
        return _Side(tokens, self._net.posenc(points), valid, counts)

    def _through(self, layer: int, a: _Side, b: _Side) -> tuple[_Side, _Side]:
        padded = not (bool(a.valid.all()) and bool(b.valid.all()))
        # The masks get axes for heads and for the other side's points.
        masks = [side.valid[:, None, :, None] for side in (a, b)] if padded else [None, None]
        tokens_a, tokens_b = self._net.transformers[layer](
            a.tokens, b.tokens, a.encoding, b.encoding, mask0=masks[0], mask1=masks[1]
        )
        return a._replace(tokens=tokens_a), b._replace(tokens=tokens_b)

    def _stops(self, layer: int, k: int, a: _Side, b: _Side) -> bool:
        if layer == self.settings["n_layers"] - 1:
            return True
        if self.settings["depth_confidence"] <= 0:
            return False
        own_a, own_b = _own(a, k), _own(b, k)
        confident = self._net.token_confidence[layer](own_a, own_b)
        return bool(self._net.check_if_stop(*confident, layer, a.counts[k] + b.counts[k]))

    def _assign(self, layer: int, k: int, a: _Side, b: _Side) -> NDArray[np.int64]:
        from kornia.feature.lightglue import filter_matches

        scores, _ = self._net.log_assignment[layer](_own(a, k), _own(b, k))
        forward = filter_matches(scores, self.settings["filter_threshold"])[0][0].cpu().numpy()
        matched = np.flatnonzero(forward >= 0)
        return np.stack([matched, forward[matched]], axis=1).astype(np.int64)


class LighterGlue(LightGlue):
    """LightGlue for XFeat, smaller, without early stopping.

    Args:
        weights: The authors' xfeat-lighterglue.pt, which also holds an XFeat that is not used.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
    """

    name = "lighterglue"
    weights: ClassVar[tuple[str, ...]] = ("lighterglue",)
    settings: ClassVar[Mapping[str, Any]] = {
        "input_dim": 64,
        "descriptor_dim": 96,
        "n_layers": 6,
        "num_heads": 1,
        "depth_confidence": -1,
        "width_confidence": 0.95,
        "filter_threshold": 0.1,
    }
    prefix = "matcher."


def _own(side: _Side, k: int) -> "torch.Tensor":
    return side.tokens[k : k + 1, : side.counts[k]]


def _take(side: _Side, kept: Sequence[int]) -> _Side:
    # The encoding stacks cosines and sines before the batch.
    return _Side(side.tokens[kept], side.encoding[:, kept], side.valid[kept], [side.counts[k] for k in kept])
