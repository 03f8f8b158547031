"""From metrics to templates, families and Overall; a value exists only when everything it needs does.

Conventions: all inputs are oriented relative scores of `revisit_metric.relative` (MG or NMR, higher is
better). Every mean here is the plain mean of *named* parts. The benchmark's release averages whatever exists;
here a mean
has two values: `value`, which is `None` unless every part is there, and `partial`, the release's. On complete
input they are equal.

Scores (R2M-Bench, Table 2 / released aggregation):
    Balanced: mean of a metric over the templates.
    Family: mean of its metrics' balanced scores.
    Overall: mean of the five families, on three templates, with every expected rollout scored.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from revisit_metric.relative import TemplateScore, exact_mean, present_values

REQUIRED_TEMPLATES = ("out_and_back", "translation_rotation", "closed_loop")
"""The camera paths an Overall needs."""

Composition = Mapping[str, tuple[str, ...]]
"""Family -> names of its metrics."""

FAMILIES: Composition = {
    "appearance": ("psnr", "ssim", "lpips"),
    "scene": ("dino", "boq", "mutualvpr"),
    "object": ("app_persist", "sem_persist"),
    "geometry": ("match", "inlier"),
    "state": ("state",),
}
"""The `paper` profile: eleven metrics in the five families an Overall needs."""

Quantity = Literal["mg_all", "mg", "dr", "nmr"]
"""A field of `TemplateScore` that can be averaged over templates."""

_Cells = Mapping[str, Mapping[str, TemplateScore]]
"""Metric -> template -> score."""


# --- means of named parts -----------------------------------------------------------------------------------


class PartMean(NamedTuple):
    """The plain mean of named parts.

    Attributes:
        value: The mean; `None` if a part is missing.
        partial: The mean of the parts that exist, which is what the release reports; `None` if none does.
        missing: Names of the missing parts.
    """

    value: float | None
    partial: float | None
    missing: tuple[str, ...]

    @property
    def reason(self) -> str | None:
        """Why `value` is `None`; `None` when it exists."""
        return f"missing: {', '.join(self.missing)}" if self.missing else None


def template_balanced(
    scores: Iterable[TemplateScore],
    quantity: Quantity = "nmr",
    *,
    templates: Sequence[str] = REQUIRED_TEMPLATES,
) -> PartMean:
    """Return the plain mean of one quantity of one metric over the templates; other templates are left out.

    Balanced NMR is a mean of ratios, so it is not balanced MG over balanced DR.

    Raises:
        ValueError: The scores are of several metrics, or a template occurs twice.

    Example:
        >>> from revisit_metric.relative import MetricRow, aggregate_rows
        >>> rows = [MetricRow("0001", "closed_loop", "ssim", mg=0.25, dr=0.5)]
        >>> template_balanced(aggregate_rows(rows), "mg", templates=("closed_loop", "out_and_back"))
        PartMean(value=None, partial=0.25, missing=('out_and_back',))
    """
    cells = _by_metric(scores)
    if len(cells) > 1:
        raise ValueError(f"scores are of the metrics {sorted(cells)}, expected one")
    by_template = next(iter(cells.values()), {})
    return _part_mean({name: getattr(score, quantity) for name, score in by_template.items()}, templates)


def family_score(values: Mapping[str, float | None], metrics: Sequence[str]) -> PartMean:
    """Return the plain mean of a family's `metrics`; `values` may hold others too.

    Raises:
        ValueError: A value is not finite.

    Example:
        >>> family_score({"psnr": 1.0, "ssim": 2.0, "lpips": None}, ("psnr", "ssim", "lpips"))
        PartMean(value=None, partial=1.5, missing=('lpips',))
    """
    return _part_mean(values, metrics)


def family_scores(values: Mapping[str, float | None], composition: Composition = FAMILIES) -> dict[str, PartMean]:
    """Return `family_score` of every family of `composition` that has metrics."""
    return {family: family_score(values, metrics) for family, metrics in composition.items() if metrics}


def family_first(values: Mapping[str, float | None], composition: Composition = FAMILIES) -> PartMean:
    """Return the mean of the family means: metrics are averaged within their family, then the families.

    Of one rollout's NMRs this is the per-rollout Overall that correlations use; of a model's balanced NMRs it
    is the arithmetic of Overall. It knows neither templates nor expected rollouts, nor that a family may be
    absent from `composition`: the Overall of a model is `overall`.

    Args:
        values: Metric -> NMR; `None` or absent where there is none.
        composition: Families to average.

    Returns:
        The mean; a missing metric is named "family/metric".

    Example:
        >>> two = {"appearance": ("psnr", "ssim"), "scene": ("dino",)}
        >>> family_first({"psnr": 1.0, "ssim": 3.0, "dino": 0.0}, two)
        PartMean(value=1.0, partial=1.0, missing=())
    """
    families = family_scores(values, composition)
    partial = [family.partial for family in families.values() if family.partial is not None]
    mean = exact_mean(partial) if partial else None
    missing = tuple(f"{name}/{metric}" for name, family in families.items() for metric in family.missing)
    return PartMean(None if missing else mean, mean, missing)


def _part_mean(values: Mapping[str, float | None], parts: Sequence[str]) -> PartMean:
    present = present_values((values.get(part) for part in parts), "value")
    missing = tuple(part for part in parts if values.get(part) is None)
    mean = exact_mean(present) if present else None
    return PartMean(None if missing else mean, mean, missing)


def _by_metric(scores: Iterable[TemplateScore]) -> _Cells:
    cells: dict[str, dict[str, TemplateScore]] = defaultdict(dict)
    for score in scores:
        if score.template in cells[score.metric]:
            raise ValueError(f"{score.metric} on {score.template} occurs twice: scores of two models?")
        cells[score.metric][score.template] = score
    return cells


# --- Overall ------------------------------------------------------------------------------------------------


class Overall(NamedTuple):
    """A model's Overall: `value` is `None` unless nothing is `missing`."""

    value: float | None
    missing: tuple[str, ...]


class OverallPartial(NamedTuple):
    """The mean of what exists; no Overall, and not to be ranked beside one.

    Attributes:
        value: Mean of the `families`' partial means; `None` if nothing exists.
        families: Families that contribute.
        missing: What an Overall still needs, one line each.
    """

    value: float | None
    families: tuple[str, ...]
    missing: tuple[str, ...]


def overall(
    scores: Iterable[TemplateScore],
    *,
    expected: Mapping[str, int],
    composition: Composition = FAMILIES,
) -> Overall:
    """Return a model's Overall, the mean of the five family scores, if it is complete.

    Complete: all five families have metrics, every metric has an NMR on all three templates, and every
        expected
    rollout an MG and a DR. A rollout with `DR <= 1e-8` counts as scored: the benchmark's own rule leaves it
    out of the ratio.

    Args:
        scores: From `relative.aggregate_rows`.
        expected: Template -> number of rollouts that should have been scored.
        composition: The profile's metrics of each family.

    Raises:
        ValueError: `composition` has an unknown family, `expected` lacks one of the three templates, or more
            rollouts were scored than expected.

    Example:
        >>> counts = {"out_and_back": 100, "translation_rotation": 100, "closed_loop": 100}
        >>> overall([], expected=counts, composition={"state": ("state",)}).missing[-2:]
        ('geometry: no metric in this profile', 'state/state: not scored')
    """
    partial = overall_partial(scores, expected=expected, composition=composition)
    return Overall(None if partial.missing else partial.value, partial.missing)


def overall_partial(
    scores: Iterable[TemplateScore],
    *,
    expected: Mapping[str, int],
    composition: Composition = FAMILIES,
) -> OverallPartial:
    """Return the mean of the families, metrics and templates that exist, and what is missing.

    This is the number that the release prints, complete or not. Arguments and errors are those of `overall`.
    """
    cells = _by_metric(scores)
    missing = tuple(_gaps(cells, expected, composition))
    balanced = {metric: template_balanced(by_template.values()).partial for metric, by_template in cells.items()}
    families = family_scores(balanced, composition)
    present = tuple(name for name, family in families.items() if family.partial is not None)
    return OverallPartial(family_first(balanced, composition).partial, present, missing)


def _gaps(cells: _Cells, expected: Mapping[str, int], composition: Composition) -> Iterator[str]:
    """Name everything that keeps an Overall from existing."""
    if unknown := sorted(set(composition) - set(FAMILIES)):
        raise ValueError(f"unknown families {unknown}; the benchmark has {', '.join(FAMILIES)}")
    if uncounted := [name for name in REQUIRED_TEMPLATES if name not in expected]:
        raise ValueError(f"expected has no number of rollouts for {', '.join(uncounted)}")
    for family in FAMILIES:
        metrics = composition.get(family, ())
        if not metrics:
            yield f"{family}: no metric in this profile"
        for metric in metrics:
            yield from _metric_gaps(f"{family}/{metric}", cells.get(metric, {}), expected)


def _metric_gaps(name: str, by_template: Mapping[str, TemplateScore], expected: Mapping[str, int]) -> Iterator[str]:
    if not by_template:
        yield f"{name}: not scored"
        return
    for template in REQUIRED_TEMPLATES:
        gap = _gap(by_template.get(template), expected[template])
        if gap is not None:
            yield f"{name} on {template}: {gap}"


def _gap(score: TemplateScore | None, n_expected: int) -> str | None:
    if score is None:
        return "not scored"
    if score.n_scored > n_expected:
        raise ValueError(f"{score.metric} on {score.template}: {score.n_scored} rollouts scored, {n_expected} expected")
    if score.n_scored < n_expected:
        return f"{score.n_scored} of {n_expected} rollouts scored"
    return score.reason
