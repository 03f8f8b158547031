"""SAM 2.1 hiera-large: the mask of what a box holds, through `transformers`.

The recipe: the frame squeezed to 1024x1024 (bilinear, antialias, on values in [0, 1]), ImageNet statistics, one mask a
box (`multimask_output` off, with the dynamic choice by stability, 0.05 and 0.98), logits resized to the frame
(bilinear), mask where above 0. The library's processor is not used: it resizes 8-bit values. The release calls the
model once a box and embeds the frame anew for each prompt; here a frame is embedded once and its boxes go together.
"""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.checkpoints import load_pretrained
from revisit_metric.backbones.precision import check_dtype, inference
from revisit_metric.backbones.preprocess import IMAGENET
from revisit_metric.weights import file_sha256

# The checkpoint also serves video; its memory has no part in single images.
_DERIVED = (
    r"^memory_",
    r"^mask_downsample",
    r"^object_pointer_proj",
    r"^temporal_positional_encoding_projection_layer",
    r"^no_memory_positional_encoding",
    r"^no_object_pointer",
    r"^occlusion_spatial_embedding_parameter",
)


class Sam2:
    """The segmenter.

    Args:
        config: config.json of facebook/sam2.1-hiera-large.
        weights: Its model.safetensors.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
        dtype: "float32", or "bfloat16" and "float16" for speed.
    """

    name = "sam2"
    weights: ClassVar[tuple[str, ...]] = ("sam2/config.json", "sam2/model.safetensors")
    half_precision: ClassVar[bool] = True

    def __init__(self, config: Path, weights: Path, *, device: str | None = None, dtype: str = "float32") -> None:
        import torch
        from transformers import Sam2Model

        self.device, self.dtype = torch.device(pick_device(device)), check_dtype(dtype)
        self._files = {"weights": file_sha256(weights), "config": file_sha256(config)}
        self._model = load_pretrained(Sam2Model, config, weights, derived=_DERIVED).to(self.device)
        self._side: int = self._model.config.prompt_encoder_config.image_size
        self._frame: NDArray[np.uint8] | None = None
        self._embedding: Any = None

    def identity(self) -> Mapping[str, str]:
        """Return the files' hashes and the settings."""
        return {
            "name": self.name,
            "version": "1",
            **self._files,
            "dtype": self.dtype,
            "input": f"{self._side}x{self._side} bilinear antialias",
            "masks": "one a box, dynamic by stability",
            "transformers": version("transformers"),
        }

    def segment(self, frame: NDArray[np.uint8], boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return one mask a box, `(N, H, W)`.

        Args:
            frame: uint8 RGB `(H, W, 3)`, not changed between calls.
            boxes: `(N, 4)`, left, top, right, bottom in pixels.
        """
        import torch
        from torch.nn import functional

        require_rgb(frame, ndim=3)
        height, width = frame.shape[:2]
        if not len(boxes):
            return np.empty((0, height, width), np.bool_)
        scale = self._side / torch.tensor([width, height, width, height], device=self.device)
        with inference(self.device, self.dtype):
            prompts = torch.as_tensor(boxes, dtype=torch.float32, device=self.device) * scale
            found = self._model(image_embeddings=self._embed(frame), input_boxes=prompts[None], multimask_output=False)
            logits = functional.interpolate(
                found.pred_masks[0].float(), (height, width), mode="bilinear", align_corners=False
            )
            return cast("NDArray[np.bool_]", (logits[:, 0] > 0).cpu().numpy())

    def _embed(self, frame: NDArray[np.uint8]) -> list[Any]:
        import torch
        from torchvision.transforms.functional import normalize, resize

        if self._embedding is None or self._frame is not frame:
            pixels = torch.from_numpy(np.ascontiguousarray(frame)).to(self.device).permute(2, 0, 1).float() / 255
            squeezed = normalize(resize(pixels, [self._side, self._side], antialias=True), *IMAGENET)
            self._frame, self._embedding = frame, self._model.get_image_embeddings(squeezed[None])
        return list(self._embedding)
