"""Objects of one frame: what a prompt names, cut out and described.

Conventions:
    Frames are uint8 RGB `(H, W, 3)`; boxes are left, top, right, bottom in pixels of the frame; an area is a fraction
    of the frame.

The steps are the recipe's: boxes above the detector's thresholds, suppression at IoU 0.60 whatever the class, one mask
a box, masks under 0.002 of the frame dropped, rank by confidence x area, the first few kept. The crop is the box, white
outside the mask. `keep_before_masks` moves the cut before the masks, by confidence alone, as the released code does.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

NMS_IOU = 0.60
MIN_AREA = 0.002
WORDS = (
    "object furniture building vehicle plant person animal sign door window chair table sofa bed cabinet lamp screen "
    "picture shelf tree road wall floor"
)
PROMPT = " . ".join(WORDS.split()) + " ."
"""What anchors are looked for with: 23 words."""

Frame = NDArray[np.uint8]
Box = tuple[float, float, float, float]


class Detection(NamedTuple):
    """A box, its confidence in `[0, 1]`, and the words of the prompt it answers to."""

    box: Box
    score: float
    phrase: str


class FoundObject(NamedTuple):
    """An object of one frame.

    Attributes:
        concept: Its name, and the prompt it is looked for with in another frame.
        score: The detector's confidence, `[0, 1]`.
        area: Its mask's share of the frame.
        appearance: Unit vector of the crop.
        meaning: Unit vector of the crop in a space shared with text.
    """

    concept: str
    score: float
    area: float
    appearance: NDArray[np.float32]
    meaning: NDArray[np.float32]


class Detector(Protocol):
    """Boxes of what a prompt names."""

    def identity(self) -> Mapping[str, str]:
        """What determines the boxes apart from frame and prompt."""
        ...

    def detect(self, frame: Frame, prompt: str) -> list[Detection]:
        """Return the boxes above the detector's thresholds, before suppression."""
        ...


class Segmenter(Protocol):
    """Masks of what boxes hold."""

    def identity(self) -> Mapping[str, str]:
        """What determines the masks apart from frame and boxes."""
        ...

    def segment(self, frame: Frame, boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return one mask a box: `(N, 4)` to `(N, H, W)`."""
        ...


class AppearanceEmbedder(Protocol):
    """Vectors of what images look like."""

    def identity(self) -> Mapping[str, str]:
        """What determines the vectors apart from the images."""
        ...

    def embed(self, images: Sequence[Frame]) -> NDArray[np.float32]:
        """Return one unit vector an image."""
        ...


class MeaningEmbedder(Protocol):
    """Vectors of images and words in one space."""

    def identity(self) -> Mapping[str, str]:
        """What determines the vectors apart from images and words."""
        ...

    def embed_images(self, images: Sequence[Frame]) -> NDArray[np.float32]:
        """Return one unit vector an image."""
        ...

    def embed_text(self, text: str) -> NDArray[np.float32]:
        """Return the text's unit vector."""
        ...


class Extractor(NamedTuple):
    """The four models that find and describe objects."""

    detector: Detector
    segmenter: Segmenter
    appearance: AppearanceEmbedder
    meaning: MeaningEmbedder

    def find(self, frame: Frame, prompt: str, *, keep: int, keep_before_masks: bool) -> list[FoundObject]:
        """Return at most `keep` objects that the prompt names, the first by confidence x area first."""
        detections = suppress(self.detector.detect(frame, prompt))
        if keep_before_masks:
            detections = detections[:keep]
        boxes = np.array([detection.box for detection in detections], np.float32).reshape(-1, 4)
        masks = self.segmenter.segment(frame, boxes) if detections else np.empty((0, 0, 0), np.bool_)
        crops = [(crop, float(mask.mean())) for crop, mask in zip(_crops(frame, boxes, masks), masks, strict=True)]
        usable = [k for k, (crop, area) in enumerate(crops) if crop is not None and area >= MIN_AREA]
        usable.sort(key=lambda k: -detections[k].score * crops[k][1])
        return self._describe([(detections[k], *crops[k]) for k in usable[:keep]])

    def _describe(self, cuts: Sequence[tuple[Detection, Frame | None, float]]) -> list[FoundObject]:
        images = [crop for _, crop, _ in cuts if crop is not None]
        if not images:
            return []
        appearances, meanings = self.appearance.embed(images), self.meaning.embed_images(images)
        return [
            FoundObject(concept(detection.phrase), detection.score, area, appearances[k], meanings[k])
            for k, (detection, _, area) in enumerate(cuts)
        ]


def suppress(detections: Sequence[Detection]) -> list[Detection]:
    """Return the detections by falling confidence, without those that overlap a better one by more than IoU 0.60.

    Example:
        >>> box = (0.0, 0.0, 10.0, 10.0)
        >>> [found.phrase for found in suppress([Detection(box, 0.3, "table"), Detection(box, 0.9, "chair")])]
        ['chair']
    """
    import torch
    from torchvision.ops import nms

    if not detections:
        return []
    boxes = torch.tensor([detection.box for detection in detections], dtype=torch.float32)
    scores = torch.tensor([detection.score for detection in detections], dtype=torch.float32)
    return [detections[k] for k in nms(boxes, scores, NMS_IOU).tolist()]


def concept(phrase: str) -> str:
    """Return a detector's phrase as a plain name.

    Example:
        >>> concept("Chair (wooden)  Table."), concept("...")
        ('chair table', 'object')
    """
    text = re.sub(r"\([^)]*\)", " ", phrase.lower())
    text = re.sub(r"[^a-z0-9 /_-]+", " ", text)
    return re.sub(r"\s+", " ", text).strip(" .") or "object"


def _crops(frame: Frame, boxes: NDArray[np.float32], masks: NDArray[np.bool_]) -> list[Frame | None]:
    return [_crop(frame, box, mask) for box, mask in zip(boxes, masks, strict=True)]


def _crop(frame: Frame, box: NDArray[np.float32], mask: NDArray[np.bool_]) -> Frame | None:
    """The box, end included, white outside the mask unless the mask misses the box; `None` for a box of no extent."""
    height, width = frame.shape[:2]
    x0, y0, x1, y1 = (round(float(value)) for value in box)
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, width - 1), min(y1, height - 1)
    if x1 <= x0 or y1 <= y0:
        return None
    crop, inside = frame[y0 : y1 + 1, x0 : x1 + 1].copy(), mask[y0 : y1 + 1, x0 : x1 + 1]
    if inside.any():
        crop[~inside] = 255
    return crop
