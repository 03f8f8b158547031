"""AlexNet as LPIPS v0.1 uses it: one forward pass gives the LPIPS feature and our scene descriptor.

Conventions:
    A frame goes through alone, at full size, in float32 and outside autocast, so its feature depends on
    nothing else, bit for bit. A batched convolution moves values (measured on a CPU: up to 1e-5 on 64x96
    frames), and eight 832x480 frames in one batch took twice as long there as eight passes.

Features, per frame:
    frame_size: int64 `(2,)`, height and width in pixels.
    lpips: float32 `(N,)`, a point in the space where LPIPS is the squared Euclidean distance: the five
        unit-normalised ReLU maps, each channel times sqrt(head weight / positions). Channels whose head
        weight is 0 (150 of 1152) are left out, which changes no value: 11.1 MB at 832x480 instead of 16.3 MB.
    scene: float32 `(3584,)`, unit length (see `pool_scene`).
    A frame with a side under 31 pixels has `frame_size` alone: the third convolution would have no input.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.precision import inference
from revisit_metric.families.protocol import Feature, Frames
from revisit_metric.weights import file_sha256

if TYPE_CHECKING:
    import torch

MIN_SIDE = 31
"""Smallest frame side, in pixels, for which all five maps have at least one position."""

SCENE_GRID = 2
SCENE_EXPONENT = 3.0
_SHIFT = (-0.030, -0.088, -0.188)
_SCALE = (0.458, 0.448, 0.450)


class _Layer(NamedTuple):
    """One convolution with the pooling before it and the LPIPS head after its ReLU."""

    weight: "torch.Tensor"
    bias: "torch.Tensor"
    kept: "torch.Tensor"
    head: "torch.Tensor"
    stride: int
    padding: int
    pooled: bool


_GEOMETRY = ((4, 2, False), (1, 2, True), (1, 1, True), (1, 1, False), (1, 1, False))


class AlexNetLpips:
    """AlexNet with LPIPS v0.1 heads.

    Args:
        weights: The safetensors file of `weights.weight_path("lpips_alex")`.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
    """

    name = "alexnet_lpips"
    weights: ClassVar[tuple[str, ...]] = ("lpips_alex",)

    def __init__(self, weights: Path, *, device: str | None = None) -> None:
        import torch

        self.device = torch.device(pick_device(device))
        self._sha256 = file_sha256(weights)
        self._layers = _load_layers(weights, self.device)
        self._shift = torch.tensor(_SHIFT, device=self.device)[:, None, None]
        self._scale = torch.tensor(_SCALE, device=self.device)[:, None, None]

    def identity(self) -> Mapping[str, str]:
        """Return the weights' hash and the settings; the device moves values by rounding alone."""
        scene = f"relu3-5, GeM {SCENE_EXPONENT:g}, grid {SCENE_GRID}x{SCENE_GRID}"
        return {
            "name": self.name,
            "version": "1",
            "weights": self._sha256,
            "dtype": "float32",
            "scene": scene,
        }

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the LPIPS feature and the scene descriptor of each frame."""
        require_rgb(frames, ndim=4)
        return [self._feature(frame) for frame in frames]

    def _feature(self, frame: NDArray[np.uint8]) -> Feature:
        size = np.array(frame.shape[:2])
        if size.min() < MIN_SIDE:
            return {"frame_size": size}
        with inference(self.device):
            maps = self._maps(frame)
            lpips = _embed(maps, self._layers)
            scene = pool_scene(maps[2:])
        return {"frame_size": size, "lpips": lpips.cpu().numpy(), "scene": scene.cpu().numpy()}

    def _maps(self, frame: NDArray[np.uint8]) -> "list[torch.Tensor]":
        import torch
        from torch.nn import functional

        pixels = torch.from_numpy(np.ascontiguousarray(frame)).to(self.device)
        x = ((pixels.permute(2, 0, 1).float() / 255 * 2 - 1 - self._shift) / self._scale)[None]
        maps = []
        for layer in self._layers:
            x = _max_pool(x) if layer.pooled else x
            x = functional.conv2d(x, layer.weight, layer.bias, layer.stride, layer.padding).relu_()
            maps.append(x[0])
        return maps


def pool_scene(maps: "list[torch.Tensor]") -> "torch.Tensor":
    """Pool ReLU maps `(C, h, w)` into one unit vector: what is where in the frame, coarsely.

    Ours, not the paper's. Each map is pooled by a generalised mean (exponent 3) over each quarter of the
    frame; each of the resulting parts is scaled to unit length so that no layer or quarter outweighs another;
    the parts are concatenated and scaled to unit length. Quarters keep the layout coarse enough that a small
    camera offset hardly matters, and mirror images differ.
    """
    import torch
    from torch.nn import functional

    parts = []
    for x in maps:
        pooled = functional.adaptive_avg_pool2d(x.pow(SCENE_EXPONENT), SCENE_GRID).pow(1 / SCENE_EXPONENT)
        parts.append(functional.normalize(pooled.flatten(1), dim=0).T.flatten())
    return functional.normalize(torch.cat(parts), dim=0)


def _max_pool(x: "torch.Tensor") -> "torch.Tensor":
    """Maximum over 3x3 windows at stride 2, the values of `max_pool2d` in a tenth of its time on a CPU.

    Rows first, which are contiguous and leave half the data for the columns.
    """
    for axis in (2, 3):
        size = x.shape[axis]
        first, second, third = (
            x.narrow(axis, start, size - 2)[(slice(None),) * axis + (slice(None, None, 2),)] for start in range(3)
        )
        x = first.maximum(second).maximum(third)
    return x


def _embed(maps: "list[torch.Tensor]", layers: tuple[_Layer, ...]) -> "torch.Tensor":
    import torch

    parts = []
    for x, layer in zip(maps, layers, strict=True):
        length = x.square().sum(0, keepdim=True).sqrt() + 1e-10
        factor = (layer.head / (x.shape[1] * x.shape[2])).sqrt()
        parts.append((x[layer.kept] / length * factor[:, None, None]).flatten())
    return torch.cat(parts)


def _load_layers(path: Path, device: "torch.device") -> tuple[_Layer, ...]:
    from safetensors.torch import load_file

    tensors = load_file(path)
    layers = []
    for number, (stride, padding, pooled) in enumerate(_GEOMETRY, start=1):
        head = tensors[f"head{number}.weight"]
        kept = head.nonzero().flatten()
        arrays = (tensors[f"conv{number}.weight"], tensors[f"conv{number}.bias"], kept, head[kept])
        weight, bias, kept, head = (array.to(device) for array in arrays)
        layers.append(_Layer(weight, bias, kept, head, stride, padding, pooled))
    return tuple(layers)
