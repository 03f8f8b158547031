"""What one (MG, DR, NMR) says, in one of seven words.

A ratio needs its scale to be read: NMR 0.9 over a dynamic range of codec noise is no memory. The labels have
the names of R2M-Bench's Table 6. The rules and thresholds that assign them here are **ours**; they are
empirical, versioned, and written into every result (`scales_record`), so that a label can be traced and
disputed.

Conventions: MG, DR and the baseline are oriented (higher is better). `weak_dr` and `least_mg` are in the
metric's own unit (dB for PSNR).

Labels, in the order they are tried:
    invalid_normalisation: MG, DR or NMR does not exist; also `DR <= 1e-8`: the controls are the same (a
        static picture) or the wrong way round (flicker, cuts). Nothing can be said.
    weak_regime: hardly anything happened, so nothing could be remembered or forgotten: even views that owe
        each other nothing are as good as identical (`saturated_at`), or both DR and MG are too small to tell
        from noise.
    caution_weak_scale: DR is small, MG is not and is positive: a gain, but its NMR is inflated by the short
        scale.
    negative_effect: returning makes the view *less* alike than unrelated views are.
    revisit_failure: the controls differ as they should, and a return looks no better than an unrelated view.
    partial_retention: a return recovers part of the distance to a view a moment apart.
    reliable_retention: a return recovers at least half of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from revisit_metric.relative import EPS, present_values

Label = Literal[
    "reliable_retention",
    "partial_retention",
    "caution_weak_scale",
    "revisit_failure",
    "weak_regime",
    "negative_effect",
    "invalid_normalisation",
]

SCALE_VERSION = 2
"""Raised whenever a rule or a default threshold moves any label."""

WEAK_SHARE = 0.3
"""`weak_dr` over `typical_dr`. Every published system lies above it on every metric (least: 0.32, PSNR)."""

FAILED_NMR = 0.1
"""Published systems that lose the place stay within it of 0 (SANA-WM's Overall is 0.016)."""

STRONG_NMR = 0.5
"""Half of the way from unrelated views to views a moment apart; published Overalls are 0.016 to 0.706."""


@dataclass(frozen=True)
class DiagnosisScale:
    """Against what MG, DR and NMR of one metric are read.

    Attributes:
        metric: Metric name.
        typical_dr: Dynamic range to expect of a video in which the camera moves.
        saturated_at: Oriented score from which on two frames are as good as identical; `None` where the
            metric is bounded so that a static video has a weak DR anyway, or where it has not been measured.
        source: Where the two numbers come from.
        weak_dr: Below it, DR normalises poorly.
        least_mg: On a weak scale, an MG within it is noise. `failed_nmr * weak_dr`, so that the labels meet
            there.
        failed_nmr: An NMR within it is no retention.
        strong_nmr: From it on, retention is reliable.
    """

    metric: str
    typical_dr: float
    saturated_at: float | None
    source: str
    weak_dr: float
    least_mg: float
    failed_nmr: float = FAILED_NMR
    strong_nmr: float = STRONG_NMR

    @classmethod
    def of(cls, metric: str, *, typical_dr: float, source: str, saturated_at: float | None = None) -> "DiagnosisScale":
        """Return the scale of a metric with this typical dynamic range.

        Raises:
            ValueError: `typical_dr` is not positive.
        """
        if not typical_dr > 0:
            raise ValueError(f"{metric}: a typical dynamic range is positive, got {typical_dr}")
        weak_dr = WEAK_SHARE * typical_dr
        return cls(metric, typical_dr, saturated_at, source, weak_dr, FAILED_NMR * weak_dr)

    def saturates(self, level: float) -> bool:
        """Return whether frames this alike (oriented) are as good as identical."""
        return self.saturated_at is not None and level >= self.saturated_at

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)


PAPER_TABLE = "median MG / NMR of the systems with NMR of 0.1 or more in R2M-Bench, Table 2"
PHOTO_PANS = "ours: pans over five photographs, H.264; provisional"

DEFAULT_SCALES: Mapping[str, DiagnosisScale] = {
    scale.metric: scale
    for scale in (
        # A static picture under H.264 was measured to have baselines of 42 to 63 dB (37 where the picture is
        # white noise) and, its short pairs often identical and capped, a DR of 10 to 36 dB: up there the decibel
        # knows no small DR. At 35 dB frames differ by 4.5 grey levels. SSIM: baselines of 0.97 to 1.00, DR of 0.004
        # to 0.027.
        DiagnosisScale.of("psnr", typical_dr=4.3, source=PAPER_TABLE, saturated_at=35.0),
        DiagnosisScale.of("ssim", typical_dr=0.13, source=PAPER_TABLE, saturated_at=0.96),
        DiagnosisScale.of("lpips", typical_dr=0.29, source=PAPER_TABLE),
        DiagnosisScale.of("dino", typical_dr=0.28, source=PAPER_TABLE),
        DiagnosisScale.of("boq", typical_dr=0.41, source=PAPER_TABLE),
        DiagnosisScale.of("mutualvpr", typical_dr=0.22, source=PAPER_TABLE),
        DiagnosisScale.of("app_persist", typical_dr=0.17, source=PAPER_TABLE),
        DiagnosisScale.of("sem_persist", typical_dr=0.049, source=PAPER_TABLE),
        DiagnosisScale.of("match", typical_dr=0.38, source=PAPER_TABLE),
        DiagnosisScale.of("inlier", typical_dr=0.13, source=PAPER_TABLE),
        DiagnosisScale.of("state", typical_dr=1.6, source=PAPER_TABLE),
        # Pans: DR of 0.13 to 0.19; a static picture: 0.0004 to 0.0011.
        DiagnosisScale.of("alexnet_pool", typical_dr=0.16, source=PHOTO_PANS),
        # Pans: DR of 0.19 to 0.33, baselines of 0.38 to 0.64; a static picture: 0.10 to 0.17, 0.82 to 0.90.
        DiagnosisScale.of("sift_match", typical_dr=0.24, source=PHOTO_PANS, saturated_at=0.75),
        # A pan over a flat picture keeps every match an inlier and says nothing about this one.
        DiagnosisScale.of("sift_inlier", typical_dr=0.13, source="that of inlier; provisional"),
    )
}
"""`typical_dr` of the paper's metrics is what its tables imply: balanced MG over balanced
NMR is the DR up to the balancing over templates. Under NMR 0.1, three printed decimals do not tell."""


class Diagnosis(NamedTuple):
    """A label, and the numbers behind it in one sentence."""

    label: Label
    explanation: str


def diagnose(
    mg: float | None,
    dr: float | None,
    nmr: float | None,
    *,
    scale: DiagnosisScale,
    baseline: float | None = None,
) -> Diagnosis:
    """Say what one metric's relative scores mean, of a rollout or of a model.

    Args:
        mg: MemoryGain.
        dr: Dynamic range.
        nmr: Normalized Memory Ratio. Not recomputed: of balanced scores it is a mean of ratios.
        scale: What to read them against.
        baseline: Oriented mean of the baseline pairs. Without it saturation cannot be seen, and a static
            video under a codec may pass for a revisit failure on an unbounded metric such as PSNR.

    Raises:
        ValueError: A number is not finite.

    Example:
        >>> psnr = DEFAULT_SCALES["psnr"]
        >>> diagnose(4.6, 4.5, 1.03, scale=psnr, baseline=12.0).label
        'reliable_retention'
        >>> diagnose(-0.5, 13.2, -0.04, scale=psnr, baseline=42.8).label
        'weak_regime'
        >>> diagnose(0.0, 0.0, None, scale=psnr).label
        'invalid_normalisation'
    """
    present_values((mg, dr, nmr, baseline), scale.metric)
    if mg is None or dr is None or (nmr is None and dr > EPS):
        return Diagnosis("invalid_normalisation", _unmeasured(mg, dr))
    if dr <= EPS or nmr is None:
        return Diagnosis("invalid_normalisation", _no_range(dr))
    if baseline is not None and scale.saturates(min(baseline, baseline + mg)):
        return Diagnosis("weak_regime", _saturation(baseline, mg, scale))
    if dr < scale.weak_dr:
        return _on_weak_scale(mg, dr, scale)
    return _on_sound_scale(nmr, scale)


def scales_record(scales: Iterable[DiagnosisScale]) -> dict[str, Any]:
    """Return the thresholds used, for the result: `{"version": ..., "metrics": {name: thresholds}}`."""
    return {"version": SCALE_VERSION, "metrics": {scale.metric: scale.to_dict() for scale in scales}}


def _unmeasured(mg: float | None, dr: float | None) -> str:
    absent = [name for name, value in (("MG", mg), ("DR", dr)) if value is None]
    return f"no {' and no '.join(absent or ['NMR'])}: not measured, or no rollout has a valid dynamic range"


def _no_range(dr: float) -> str:
    if dr < -EPS:
        return f"DR {dr:.3g} is negative: a moment changes more than a change of pose does (flicker, cuts?)"
    return f"DR {dr:.3g} is at most {EPS:g}: the controls do not differ (a static picture?)"


def _saturation(baseline: float, mg: float, scale: DiagnosisScale) -> str:
    levels = f"baseline {baseline:.3g} and revisit {baseline + mg:.3g}"
    return f"{levels} are at least {scale.saturated_at:g}: the picture hardly changes"


def _on_weak_scale(mg: float, dr: float, scale: DiagnosisScale) -> Diagnosis:
    weak = f"DR {dr:.3g} is below {scale.weak_dr:.3g}"
    if abs(mg) < scale.least_mg:
        return Diagnosis("weak_regime", f"{weak} and MG {mg:.3g} within {scale.least_mg:.3g}")
    if mg < 0:
        return Diagnosis("negative_effect", f"MG {mg:.3g} is below 0; {weak}, so NMR exaggerates it")
    return Diagnosis("caution_weak_scale", f"MG {mg:.3g} is a gain, but {weak}: NMR exaggerates it")


def _on_sound_scale(nmr: float, scale: DiagnosisScale) -> Diagnosis:
    if nmr <= -scale.failed_nmr:
        return Diagnosis("negative_effect", f"NMR {nmr:.3g}: a return is less alike than unrelated views")
    if nmr < scale.failed_nmr:
        return Diagnosis("revisit_failure", f"NMR {nmr:.3g}: a return is no more alike than unrelated views")
    if nmr < scale.strong_nmr:
        return Diagnosis("partial_retention", f"NMR {nmr:.3g} is below {scale.strong_nmr:g}")
    return Diagnosis("reliable_retention", f"NMR {nmr:.3g} is at least {scale.strong_nmr:g} on a sound scale")
