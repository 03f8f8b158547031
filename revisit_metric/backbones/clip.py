"""CLIP ViT-B/32: one space for crops and words, through `transformers`.

The recipe: shorter side to 224 (bicubic, antialias), central 224x224, CLIP's statistics, projected class token, unit
length; text is the bare concept, no template. The release runs the authors' own package, in float16 on CUDA devices;
here float32 is the default on every device.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device
from revisit_metric.backbones.checkpoints import load_pretrained
from revisit_metric.backbones.precision import check_dtype, forward_groups, inference
from revisit_metric.backbones.preprocess import CLIP, resize_and_crop, to_input
from revisit_metric.weights import file_sha256

_DERIVED = (r"\.position_ids$",)


class Clip:
    """CLIP's two towers.

    Args:
        config: config.json of openai/clip-vit-base-patch32.
        tokenizer: Its tokenizer.json.
        weights: Its model.safetensors.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
        dtype: "float32", or "bfloat16" and "float16" for speed.
    """

    name = "clip"
    weights: ClassVar[tuple[str, ...]] = ("clip/config.json", "clip/tokenizer.json", "clip/model.safetensors")
    half_precision: ClassVar[bool] = True

    def __init__(
        self, config: Path, tokenizer: Path, weights: Path, *, device: str | None = None, dtype: str = "float32"
    ) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import CLIPModel

        self.device, self.dtype = torch.device(pick_device(device)), check_dtype(dtype)
        files = {"weights": weights, "config": config, "tokenizer": tokenizer}
        self._files = {role: file_sha256(path) for role, path in files.items()}
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._model = load_pretrained(CLIPModel, config, weights, derived=_DERIVED).to(self.device)
        self._side: int = self._model.config.vision_config.image_size

    def identity(self) -> Mapping[str, str]:
        """Return the files' hashes and the settings."""
        return {
            "name": self.name,
            "version": "1",
            **self._files,
            "dtype": self.dtype,
            "input": f"shorter side {self._side} bicubic, central {self._side}x{self._side}",
            "text": "bare concept",
            "transformers": version("transformers"),
        }

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return unit vectors `(N, 512)` of images `(H, W, 3)` of any sizes."""
        rows = [np.empty((0, self._model.config.projection_dim), np.float32)]
        for group in forward_groups(images, self.device):
            crops = [resize_and_crop(image, self._side) for image in group]
            with inference(self.device, self.dtype):
                pooled = self._model.vision_model(pixel_values=to_input(crops, self.device, CLIP)).pooler_output
                vectors = self._model.visual_projection(pooled).float()
                rows.append((vectors / vectors.norm(dim=1, keepdim=True)).cpu().numpy())
        return np.concatenate(rows)

    def embed_text(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector `(512,)` of a text; one longer than the model's 77 tokens is cut before its end."""
        import torch

        ids, limit = self._tokenizer.encode(text).ids, self._model.config.text_config.max_position_embeddings
        cut = ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]
        with inference(self.device, self.dtype):
            pooled = self._model.text_model(input_ids=torch.tensor([cut], device=self.device)).pooler_output
            vector = self._model.text_projection(pooled)[0].float()
            return cast("NDArray[np.float32]", (vector / vector.norm()).cpu().numpy())
