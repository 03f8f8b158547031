"""GroundingDINO Swin-T: boxes of what a prompt names, through `transformers`.

The recipe: shorter side to 800 with the longer at most 1333 (bilinear, antialias), ImageNet statistics; a box counts
when its best token's probability is above 0.25, and its phrase is the tokens above 0.20, joined, dots removed. The
library's processor is not used: its input size is read from a file, and it resizes 8-bit tensors where the authors'
code resizes images; boxes and phrases come out the same.

The image tower depends on the frame alone, so its output is kept for the next prompt on the same frame.
"""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from revisit_metric.backbones import pick_device, require_rgb
from revisit_metric.backbones.checkpoints import load_pretrained
from revisit_metric.backbones.precision import check_dtype, inference
from revisit_metric.backbones.preprocess import resize_to, to_input
from revisit_metric.families.object_extraction import Detection
from revisit_metric.weights import file_sha256

if TYPE_CHECKING:
    import torch

SHORT_SIDE = 800
LONG_SIDE = 1333
BOX_THRESHOLD = 0.25
TEXT_THRESHOLD = 0.20

_DERIVED = (r"\.position_ids$",)


class GroundingDino:
    """The detector.

    Args:
        config: config.json of IDEA-Research/grounding-dino-tiny.
        tokenizer: Its tokenizer.json.
        weights: Its model.safetensors.
        device: A torch device; `None` is the first CUDA device where there is one, else the CPU.
        dtype: "float32", or "bfloat16" and "float16" for speed.
    """

    name = "grounding_dino"
    weights: ClassVar[tuple[str, ...]] = (
        "grounding_dino/config.json",
        "grounding_dino/tokenizer.json",
        "grounding_dino/model.safetensors",
    )
    half_precision: ClassVar[bool] = True

    def __init__(
        self, config: Path, tokenizer: Path, weights: Path, *, device: str | None = None, dtype: str = "float32"
    ) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import GroundingDinoForObjectDetection

        self.device, self.dtype = torch.device(pick_device(device)), check_dtype(dtype)
        files = {"weights": weights, "config": config, "tokenizer": tokenizer}
        self._files = {role: file_sha256(path) for role, path in files.items()}
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        model = load_pretrained(GroundingDinoForObjectDetection, config, weights, derived=_DERIVED)
        self._model = model.to(self.device)
        self._frame: NDArray[np.uint8] | None = None
        self._pixels: torch.Tensor | None = None
        _remember(self._model.model.backbone)

    def identity(self) -> Mapping[str, str]:
        """Return the files' hashes and the settings."""
        return {
            "name": self.name,
            "version": "1",
            **self._files,
            "dtype": self.dtype,
            "input": f"shorter side {SHORT_SIDE}, longer at most {LONG_SIDE}, bilinear",
            "thresholds": f"box {BOX_THRESHOLD:g}, text {TEXT_THRESHOLD:g}",
            "transformers": version("transformers"),
        }

    def detect(self, frame: NDArray[np.uint8], prompt: str) -> list[Detection]:
        """Return what the prompt names in a frame `(H, W, 3)`, before suppression, in the model's order.

        Args:
            frame: uint8 RGB, not changed between calls.
            prompt: Words separated by " . ", closed by a dot.
        """
        import torch

        require_rgb(frame, ndim=3)
        ids = self._tokenizer.encode(prompt).ids
        tokens = torch.tensor([ids], device=self.device)
        with inference(self.device, self.dtype):
            found = self._model(pixel_values=self._input(frame), input_ids=tokens)
            probabilities = found.logits[0].float().sigmoid().cpu().numpy()
            boxes = found.pred_boxes[0].float().cpu().numpy()
        scores = probabilities.max(axis=1)
        return [
            Detection(_corners(boxes[k], frame), float(scores[k]), self._phrase(probabilities[k], ids))
            for k in np.flatnonzero(scores > BOX_THRESHOLD)
        ]

    def _input(self, frame: NDArray[np.uint8]) -> "torch.Tensor":
        if self._pixels is None or self._frame is not frame:
            self._frame = frame
            self._pixels = to_input([resize_to(frame, *input_size(*frame.shape[:2]), bilinear=True)], self.device)
        return self._pixels

    def _phrase(self, probabilities: NDArray[np.float32], ids: list[int]) -> str:
        # The first token opens the text and the model's last slot is never text; neither names anything.
        above = np.flatnonzero(probabilities[: len(ids)] > TEXT_THRESHOLD)
        named = [ids[index] for index in above if 0 < index < len(probabilities) - 1]
        phrase: str = self._tokenizer.decode(named, skip_special_tokens=False)
        return phrase.replace(".", "")


def input_size(height: int, width: int) -> tuple[int, int]:
    """Return the height and width a frame is resized to: shorter side 800, unless the longer would pass 1333.

    Example:
        >>> input_size(480, 832), input_size(1080, 1080), input_size(90, 30)
        ((769, 1332), (800, 800), (1332, 444))
    """
    short, long = sorted((height, width))
    side = SHORT_SIDE
    if long / short * side > LONG_SIDE:
        side = max(1, round(LONG_SIDE * short / long))
    return (side, int(side * width / height)) if height <= width else (int(side * height / width), side)


def _corners(box: NDArray[np.float32], frame: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    """Centre and size, as fractions, to corners in pixels inside the frame."""
    height, width = frame.shape[:2]
    x, y, w, h = (float(value) for value in box)
    left, right = ((x + half) * width for half in (-w / 2, w / 2))
    top, bottom = ((y + half) * height for half in (-h / 2, h / 2))
    x0, x1 = (min(max(value, 0.0), width - 1.0) for value in (left, right))
    y0, y1 = (min(max(value, 0.0), height - 1.0) for value in (top, bottom))
    return x0, y0, x1, y1


def _remember(backbone: Any) -> None:
    """Let the image tower answer from memory when it is asked about the same tensor again."""
    compute = backbone.forward
    kept: dict[str, Any] = {}

    def forward(pixel_values: "torch.Tensor", pixel_mask: "torch.Tensor") -> tuple[list[Any], list[Any]]:
        if kept.get("pixels") is not pixel_values:
            features, positions = compute(pixel_values, pixel_mask)
            kept.update(pixels=pixel_values, features=features, positions=positions)
        # The model appends to the lists it gets.
        return list(kept["features"]), list(kept["positions"])

    backbone.forward = forward
