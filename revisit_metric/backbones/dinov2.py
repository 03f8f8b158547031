"""DINOv2 ViT-B/14: one vector for what a frame, or an object's crop, shows.

The recipe: shorter side to 518 (bicubic, antialias), central 518x518, ImageNet statistics, class token after the final
LayerNorm, unit length. At 518 the patches form the 37x37 grid the position embeddings were trained on, so nothing is
interpolated and the `transformers` model computes what the authors' does (`x_norm_clstoken`); at any other input size
the two differ, because `transformers` interpolates the embeddings to a size and the authors by a scale factor with an
offset of 0.1. This backbone never leaves 518.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.checkpoints import load_pretrained
from revisit_metric.backbones.precision import check_dtype, forward_groups, inference
from revisit_metric.backbones.preprocess import resize_and_crop, to_input
from revisit_metric.families.protocol import Feature, Frames
from revisit_metric.weights import file_sha256

SIDE = 518


class Dinov2:
    """DINOv2 through `transformers`.

    A feature holds `descriptor` float32 `(768,)`, unit length.

    Args:
        config: config.json of facebook/dinov2-base.
        weights: Its model.safetensors.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
        dtype: "float32", or "bfloat16" and "float16" for speed.
    """

    name = "dinov2"
    weights: ClassVar[tuple[str, ...]] = ("dinov2/config.json", "dinov2/model.safetensors")
    half_precision: ClassVar[bool] = True

    def __init__(self, config: Path, weights: Path, *, device: str | None = None, dtype: str = "float32") -> None:
        import torch
        from transformers import Dinov2Model

        self.device, self.dtype = torch.device(pick_device(device)), check_dtype(dtype)
        self._files = {"weights": file_sha256(weights), "config": file_sha256(config)}
        self._model = load_pretrained(Dinov2Model, config, weights).to(self.device)

    def identity(self) -> Mapping[str, str]:
        """Return the files' hashes and the settings."""
        return {
            "name": self.name,
            "version": "1",
            **self._files,
            "dtype": self.dtype,
            "input": f"shorter side {SIDE} bicubic, central {SIDE}x{SIDE}",
            "transformers": version("transformers"),
        }

    def extract(self, frames: Frames) -> list[Feature]:
        """Return the descriptor of each frame."""
        require_rgb(frames, ndim=4)
        return [{"descriptor": row.copy()} for row in self.embed(list(frames))]

    def embed(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return unit vectors `(N, 768)` of images of any sizes."""
        rows = [np.empty((0, self._model.config.hidden_size), np.float32)]
        for group in forward_groups(images, self.device):
            pixels = to_input([resize_and_crop(image, SIDE) for image in group], self.device)
            with inference(self.device, self.dtype):
                token = self._model(pixel_values=pixels).last_hidden_state[:, 0].float()
                rows.append((token / token.norm(dim=1, keepdim=True)).cpu().numpy())
        return np.concatenate(rows)
