"""Object: are the things of the earlier frame found again in the later one, and are they the same things?

Conventions:
    The earlier frame's objects are the *anchors*: at most 10, found with a fixed prompt of 23 words. Each is looked
    for in the later frame by its own concept, among at most 5 candidates; two anchors may find the same candidate.
    Similarities are cosines moved to `[0, 1]`.

Scores:
    app_persist: Mean over the anchors of the appearance similarity (DINOv2 of the crops) to the accepted candidate,
        `[0, 1]`, higher is better.
    sem_persist: The same of the semantic similarity: half the candidate's detector confidence, half the similarity of
        its crop and the concept's words (CLIP).
    A candidate's match is half appearance, half semantic; the best one counts from 0.50 on, and an anchor without one
    contributes 0 to both.

Variants, which the identity names:
    paper: Objects ranked by confidence x area among all that remain after suppression, as the paper's text has it;
        without an anchor there is nothing to find again, and no value.
    official: As the released code computes it: cut to the most confident first, ranked after; 0 without an anchor.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from revisit_metric.families.object_extraction import (
    MIN_AREA,
    NMS_IOU,
    PROMPT,
    WORDS,
    AppearanceEmbedder,
    Detector,
    Extractor,
    FoundObject,
    MeaningEmbedder,
    Segmenter,
)
from revisit_metric.families.protocol import Feature, Metric, Outcome

MAX_ANCHORS = 10
MAX_CANDIDATES = 5
ACCEPT_FROM = 0.50
CACHE_ENTRIES = 8192
"""Kept answers to "which objects does this prompt name in this frame", at most 5 KB an object."""

NO_ANCHOR = "no object found in the earlier frame"


class _Seen(NamedTuple):
    """A frame and what the cache knows it by."""

    frame: NDArray[np.uint8]
    key: tuple[bytes, tuple[int, ...]]


class Variant(NamedTuple):
    """How objects are cut to the first few, and what a frame without any gives."""

    name: str
    keep_before_masks: bool
    no_anchor: Outcome


PAPER = Variant("paper", keep_before_masks=False, no_anchor=Outcome(None, NO_ANCHOR))
OFFICIAL = Variant("official", keep_before_masks=True, no_anchor=Outcome(0.0, f"0 by rule: {NO_ANCHOR}"))


class ObjectPersistence:
    """Appearance and semantic persistence of objects, on the `pixels` backbone.

    Objects are found once per frame and prompt, and kept by the frame's content: anchors once per earlier frame, and
    candidates once per later frame and concept, however many pairs ask.

    Args:
        detector: Finds boxes of what a prompt names.
        segmenter: Finds the mask in a box.
        appearance: Describes crops.
        meaning: Describes crops and words in one space.
        cache_entries: Answers kept.
    """

    name: ClassVar[str] = "object_persistence"
    backbone = "pixels"
    parts: ClassVar[tuple[str, ...]] = ("grounding_dino", "sam2", "dinov2", "clip")
    metrics = (
        Metric("app_persist", "object", True, (0.0, 1.0), 1),
        Metric("sem_persist", "object", True, (0.0, 1.0), 1),
    )
    variant: ClassVar[Variant] = PAPER

    def __init__(
        self,
        detector: Detector,
        segmenter: Segmenter,
        appearance: AppearanceEmbedder,
        meaning: MeaningEmbedder,
        *,
        cache_entries: int = CACHE_ENTRIES,
    ) -> None:
        self._extractor = Extractor(detector, segmenter, appearance, meaning)
        self._limit = cache_entries
        self._objects: OrderedDict[tuple[object, str], list[FoundObject]] = OrderedDict()
        self._texts: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def identity(self) -> Mapping[str, str]:
        """Return the variant, the rules, and what each of the four models is."""
        models = {
            f"{role}.{key}": value
            for role, model in self._extractor._asdict().items()
            for key, value in model.identity().items()
        }
        return {
            "variant": self.variant.name,
            "prompt": WORDS,
            "limits": f"{MAX_ANCHORS} anchors, {MAX_CANDIDATES} candidates, nms {NMS_IOU:g}, area {MIN_AREA:g}",
            "match": f"0.5 appearance + 0.5 semantic from {ACCEPT_FROM:g}",
            **models,
        }

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return both persistences of each pair."""
        # All earlier frames first: the models keep what they computed of the last frame only.
        anchors = [self._find(_seen(feature["frame"]), PROMPT, MAX_ANCHORS) for feature in earlier]
        outcomes = [self._pair(found, _seen(b["frame"])) for found, b in zip(anchors, later, strict=True)]
        return {"app_persist": [app for app, _ in outcomes], "sem_persist": [sem for _, sem in outcomes]}

    def _pair(self, anchors: Sequence[FoundObject], seen: _Seen) -> tuple[Outcome, Outcome]:
        if not anchors:
            return self.variant.no_anchor, self.variant.no_anchor
        found = [self._best_match(anchor, seen) for anchor in anchors]
        appearance, semantic = np.mean(found, axis=0)
        return Outcome(float(appearance)), Outcome(float(semantic))

    def _best_match(self, anchor: FoundObject, seen: _Seen) -> tuple[float, float]:
        """Appearance and semantic similarity of the accepted candidate, zeros where there is none."""
        text = self._text(anchor.concept)
        best = (0.0, 0.0)
        for candidate in self._find(seen, f"{anchor.concept} .", MAX_CANDIDATES):
            appearance = _similarity(anchor.appearance, candidate.appearance)
            semantic = 0.5 * min(max(candidate.score, 0.0), 1.0) + 0.5 * _similarity(candidate.meaning, text)
            match = 0.5 * appearance + 0.5 * semantic
            if match >= ACCEPT_FROM and match > 0.5 * sum(best):
                best = (appearance, semantic)
        return best

    def _find(self, seen: _Seen, prompt: str, keep: int) -> list[FoundObject]:
        key = (seen.key, prompt)
        if key not in self._objects:
            self._objects[key] = self._extractor.find(
                seen.frame, prompt, keep=keep, keep_before_masks=self.variant.keep_before_masks
            )
            if len(self._objects) > self._limit:
                self._objects.popitem(last=False)
        self._objects.move_to_end(key)
        return self._objects[key]

    def _text(self, words: str) -> NDArray[np.float32]:
        if words not in self._texts:
            self._texts[words] = self._extractor.meaning.embed_text(words)
            if len(self._texts) > self._limit:
                self._texts.popitem(last=False)
        return self._texts[words]


class ObjectPersistenceOfficial(ObjectPersistence):
    """The same as the released code computes it."""

    name = "object_persistence_official"
    variant = OFFICIAL


def _seen(frame: NDArray[np.uint8]) -> _Seen:
    return _Seen(frame, (hashlib.sha256(frame.tobytes()).digest(), frame.shape))


def _similarity(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Cosine of unit vectors, moved from `[-1, 1]` to `[0, 1]`."""
    return min(max((float(np.dot(a, b)) + 1) / 2, 0.0), 1.0)
