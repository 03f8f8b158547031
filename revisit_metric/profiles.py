"""Named sets of scores, and how one is loaded.

Profiles:
    paper: The paper's eleven metrics with its backbones, object identity by the paper's text.
    official: The same eleven with object identity as the released code computes it, for comparison with published
        numbers: cut by confidence before areas are known, and 0 where the earlier frame has no object.
    embedded: What runs on a laptop without the Hub.
    embedded-xfeat: The same with XFeat and LighterGlue instead of SIFT, 17 MB more.

A score of one profile never stands in for a score of another: what cannot be loaded is listed as missing,
with the cause, under its own name. The two variants of object identity share metric names, because an Overall is made
of either, and never a profile: the result names the profile, and the scores' identity the variant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from revisit_metric.backbones import pick_device
from revisit_metric.backbones.precision import check_dtype
from revisit_metric.families.protocol import Backbone, ConditionalScore, PairScore
from revisit_metric.weights import MissingWeights, verify, weight_path
from revisit_metric.weights.conversion import CheckpointError

FAMILIES = ("appearance", "scene", "object", "geometry", "state")
"""The five families an Overall needs."""

SCORES: Mapping[str, str] = {
    "psnr": "revisit_metric.families.appearance:Psnr",
    "ssim": "revisit_metric.families.appearance:Ssim",
    "lpips": "revisit_metric.families.appearance:Lpips",
    "dino": "revisit_metric.families.scene:Dino",
    "boq": "revisit_metric.families.scene:Boq",
    "mutualvpr": "revisit_metric.families.scene:MutualVpr",
    "alexnet_pool": "revisit_metric.families.scene:AlexNetPool",
    "object_persistence": "revisit_metric.families.objects:ObjectPersistence",
    "object_persistence_official": "revisit_metric.families.objects:ObjectPersistenceOfficial",
    "superpoint_lightglue": "revisit_metric.families.geometry:SuperPointLightGlue",
    "xfeat_lighterglue": "revisit_metric.families.geometry:XFeatLighterGlue",
    "sift": "revisit_metric.families.geometry:SiftGeometry",
    "state_judge": "revisit_metric.families.state:StateJudge",
}
"""Pair scores by name, imported on first use.

A class names the models its pair step runs in `parts` (keys of `MODELS` or `BACKBONES`) and is built from them; without
`parts` it is built without arguments. One that is a `ConditionalScore` says itself what else it lacks.
"""

BACKBONES: Mapping[str, str] = {
    "pixels": "revisit_metric.backbones.pixels:Pixels",
    "ssim_moments": "revisit_metric.backbones.ssim_moments:SsimMoments",
    "alexnet_lpips": "revisit_metric.backbones.alexnet:AlexNetLpips",
    "dinov2": "revisit_metric.backbones.dinov2:Dinov2",
    "boq": "revisit_metric.backbones.place_recognition:Boq",
    "mutualvpr": "revisit_metric.backbones.place_recognition:MutualVpr",
    "superpoint": "revisit_metric.backbones.superpoint:SuperPoint",
    "xfeat": "revisit_metric.backbones.xfeat:XFeat",
    "sift": "revisit_metric.backbones.sift:Sift",
}
"""Backbones by name, imported on first use.

A class names the checkpoints it needs in `weights`; it is built from their paths and `device=`, or without
arguments where there are none. One with `half_precision` takes `dtype=` too; the others always run in float32.
"""

MODELS: Mapping[str, str] = {
    "grounding_dino": "revisit_metric.backbones.grounding_dino:GroundingDino",
    "sam2": "revisit_metric.backbones.sam2:Sam2",
    "clip": "revisit_metric.backbones.clip:Clip",
    "lightglue": "revisit_metric.backbones.lightglue:LightGlue",
    "lighterglue": "revisit_metric.backbones.lightglue:LighterGlue",
}
"""Models that a score's pair step runs; they give no per-frame feature, and are built as backbones are."""


@dataclass(frozen=True)
class Profile:
    """A frozen choice of scores.

    Attributes:
        name: Key in `PROFILES`.
        version: Raised when the choice changes.
        scores: Family to score names; a family that is absent has no score, and then there is no Overall.
    """

    name: str
    version: int
    scores: Mapping[str, tuple[str, ...]]

    def score_names(self) -> list[str]:
        """Return all score names, in family order."""
        return [name for names in self.scores.values() for name in names]

    def metrics(self) -> dict[str, tuple[str, ...]]:
        """Return family to metric names, of everything the profile promises, whether it can run or not.

        Example:
            >>> PROFILES["embedded"].metrics()["geometry"]
            ('sift_match', 'sift_inlier')
        """
        return {
            family: tuple(metric for name in names for metric in metric_names(name))
            for family, names in self.scores.items()
        }


_EMBEDDED = {"appearance": ("psnr", "ssim", "lpips"), "scene": ("alexnet_pool",)}
_PAPER = {
    "appearance": ("psnr", "ssim", "lpips"),
    "scene": ("dino", "boq", "mutualvpr"),
    "object": ("object_persistence",),
    "geometry": ("superpoint_lightglue",),
    "state": ("state_judge",),
}

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("embedded", 1, {**_EMBEDDED, "geometry": ("sift",)}),
        Profile("embedded-xfeat", 1, {**_EMBEDDED, "geometry": ("xfeat_lighterglue",)}),
        Profile("paper", 1, _PAPER),
        Profile("official", 1, {**_PAPER, "object": ("object_persistence_official",)}),
    )
}
"""Every profile by name."""


@dataclass(frozen=True)
class Loaded:
    """What a run needs of a profile.

    Attributes:
        profile: The profile asked for.
        scores: The scores that can run, in the profile's order.
        backbones: The backbones they read, by name.
        device: The torch device of the backbones that have weights.
        missing: Metric to the reason it cannot run; never empty values, never substitutes.
    """

    profile: Profile
    scores: tuple[PairScore, ...]
    backbones: Mapping[str, Backbone]
    device: str
    missing: Mapping[str, str]


def load(
    name: str,
    *,
    device: str | None = None,
    dtype: str = "float32",
    offline: bool | None = None,
    built: Mapping[str, PairScore] | None = None,
) -> Loaded:
    """Load a profile: its scores and backbones, and what is missing and why.

    Args:
        name: Key in `PROFILES`.
        device: A torch device for the backbones that have weights; `None` picks CUDA where there is one.
        dtype: "float32", or "bfloat16" and "float16" for the transformer backbones; part of their identity.
        offline: Never download; `None` reads the environment (see `weights`).
        built: Score name to a score that stands already, such as the one that holds a judge; used where the profile
            names it, instead of a fresh one.

    Raises:
        ValueError: The profile, the device or the dtype is unknown, or the device is not there.

    Example:
        >>> loaded = load("embedded", device="cpu", offline=True)
        >>> [score.name for score in loaded.scores if score.name in ("psnr", "ssim", "sift")]
        ['psnr', 'ssim', 'sift']
    """
    chosen = profile(name)
    shelf = _Shelf(pick_device(device), check_dtype(dtype), offline)
    scores, missing = [], {}
    for score_name in chosen.score_names():
        score, cause = _score(score_name, shelf, built or {})
        if score is None:
            missing.update(dict.fromkeys(metric_names(score_name), cause))
        else:
            scores.append(score)
    read = {score.backbone for score in scores}
    backbones = {name: model for name, model in shelf.built.items() if name in read}
    return Loaded(chosen, tuple(scores), backbones, shelf.device, missing)


def missing(name: str) -> dict[str, str]:
    """Return metric to the reason it cannot run as things are on disk; builds and downloads nothing.

    Raises:
        ValueError: The profile is unknown.

    Example:
        >>> "psnr" in missing("paper")
        False
    """
    reasons: dict[str, str] = {}
    for score in profile(name).score_names():
        cause = _missing_weights(score) or _condition(score)
        if cause:
            reasons.update(dict.fromkeys(metric_names(score), cause))
    return reasons


def weight_names(name: str) -> list[str]:
    """Return the checkpoints of a profile, keys of `weights.WEIGHTS`, each once.

    Raises:
        ValueError: The profile is unknown.

    Example:
        >>> weight_names("embedded")
        ['lpips_alex']
    """
    models = (model for score in profile(name).score_names() for model in _models(score))
    return list(dict.fromkeys(row for model in models for row in _model_class(model).weights))


def metric_names(score: str) -> tuple[str, ...]:
    """Return the metrics of one score.

    Example:
        >>> metric_names("sift"), metric_names("dino")
        (('sift_match', 'sift_inlier'), ('dino',))
    """
    return tuple(metric.name for metric in _resolve(SCORES[score]).metrics)


def profile(name: str) -> Profile:
    """Return the profile of that name.

    Raises:
        ValueError: There is none.
    """
    if name not in PROFILES:
        raise ValueError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    return PROFILES[name]


@dataclass
class _Shelf:
    """Models built so far, each once, and why others cannot be."""

    device: str
    dtype: str
    offline: bool | None
    built: dict[str, Any] = field(default_factory=dict)
    causes: dict[str, str] = field(default_factory=dict)

    def put(self, name: str) -> str:
        """Build a model unless it stands here; return why it cannot be had, or an empty string."""
        if name not in self.built and name not in self.causes:
            try:
                self.built[name] = self._build(_model_class(name))
            except (MissingWeights, CheckpointError) as error:
                self.causes[name] = str(error)
        return self.causes.get(name, "")

    def _build(self, model: Any) -> Any:
        paths = [weight_path(row, offline=self.offline) for row in model.weights]
        if not paths:
            return model()
        half = {"dtype": self.dtype} if getattr(model, "half_precision", False) else {}
        return model(*paths, device=self.device, **half)


def _score(name: str, shelf: _Shelf, built: Mapping[str, PairScore]) -> tuple[PairScore | None, str]:
    """Put everything a score needs on the shelf and return it, or the first reason that it cannot run."""
    cause = next((cause for cause in map(shelf.put, _models(name)) if cause), "")
    if cause:
        return None, cause
    cls = _resolve(SCORES[name])
    score: PairScore = built[name] if name in built else cls(*(shelf.built[part] for part in _parts(cls)))
    cause = score.unavailable if isinstance(score, ConditionalScore) else ""
    return (None, cause) if cause else (score, "")


def _condition(score: str) -> str:
    """What a score lacks besides weights when nobody sets it up."""
    found = _resolve(SCORES[score])
    return str(found().unavailable) if hasattr(found, "unavailable") else ""


def _missing_weights(score: str) -> str:
    try:
        for model in _models(score):
            for row in _model_class(model).weights:
                verify(row)
    except MissingWeights as error:
        return str(error)
    return ""


def _models(score: str) -> Iterator[str]:
    """Names of the models a score needs: its backbone, and what its pair step runs."""
    found = _resolve(SCORES[score])
    yield found.backbone
    yield from _parts(found)


def _parts(score: Any) -> tuple[str, ...]:
    parts: tuple[str, ...] = getattr(score, "parts", ())
    return parts


def _model_class(name: str) -> Any:
    return _resolve(BACKBONES[name] if name in BACKBONES else MODELS[name])


def _resolve(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
