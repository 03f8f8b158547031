"""MemoryGain, dynamic range and Normalized Memory Ratio: of one rollout, and of one model on one template.

Conventions: a pairwise score is *oriented* before anything else, so that higher means more consistent; a
distance such as LPIPS is negated. A score that does not exist is `None` and has a reason; it is never
replaced by a number, and NaN or infinity is refused. Means are exactly rounded sums, so the order of pairs,
rollouts and workers changes no bit.

Scores (R2M-Bench, Eq. 5-8 / released aggregation, without the release's rounding of means to six digits):
    MG: `mean(revisit) - mean(baseline)`; above 0, a return looks more alike than views that owe each other
        nothing.
    DR: `mean(short) - mean(baseline)`: how far those views are from two views a moment apart.
    NMR: `MG / (DR + 1e-8)`, for `DR > 1e-8` only; 1 means a return is as consistent as a moment's pause.
    Per template and metric: `mean(MG) / (mean(DR) + 1e-8)` over the rollouts with `DR > 1e-8`.

`overall` goes on from here to families and Overall, `diagnosis` says in words what one (MG, DR, NMR) means.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

EPS = 1e-8
"""Least dynamic range that normalises anything, and the term added to it."""

LARGEST = 1e100
"""Largest magnitude taken for a score; keeps every derived number finite."""


# --- one rollout --------------------------------------------------------------------------------------------


class Relative(NamedTuple):
    """One metric on one rollout, relative to the rollout's own controls.

    Attributes:
        revisit: Oriented mean over the revisit pairs; `None` without values.
        baseline: Oriented mean over the baseline pairs; `None` without values.
        short: Oriented mean over the short pairs; `None` without values.
        mg: MemoryGain, `revisit - baseline`; `None` without either.
        dr: Dynamic range, `short - baseline`; may be negative; `None` without either.
        nmr: Normalized Memory Ratio; `None` without `mg` or `dr`, or where `dr <= 1e-8`.
        n_revisit: Revisit pairs with a value.
        n_baseline: Baseline pairs with a value.
        n_short: Short pairs with a value.
        reason: Why one of the above is `None`; `None` when all exist.
    """

    revisit: float | None
    baseline: float | None
    short: float | None
    mg: float | None
    dr: float | None
    nmr: float | None
    n_revisit: int
    n_baseline: int
    n_short: int
    reason: str | None


def rollout_relative(
    revisit: Sequence[float | None],
    baseline: Sequence[float | None],
    short: Sequence[float | None],
    *,
    higher_is_better: bool,
) -> Relative:
    """Return MG, DR and NMR of one metric on one rollout (R2M-Bench, Eq. 5-8).

    Args:
        revisit: Values of the revisit pairs, as measured. `None` is a missing value: left out, not counted.
        baseline: Values of the baseline pairs.
        short: Values of the short pairs.
        higher_is_better: `False` negates the values first.

    Raises:
        ValueError: A value is NaN, infinite or beyond 1e100.

    Example:
        >>> score = rollout_relative([0.3, 0.5], [0.7, None], [0.2], higher_is_better=False)
        >>> round(score.mg, 3), round(score.dr, 3), round(score.nmr, 3), score.n_baseline
        (0.3, 0.5, 0.6, 1)
        >>> rollout_relative([40.0], [40.0], [40.0], higher_is_better=True).reason
        'dynamic range 0 <= 1e-08'
    """
    pairs = {"revisit": revisit, "baseline": baseline, "short": short}
    valid = {kind: present_values(values, f"{kind} value") for kind, values in pairs.items()}
    mean = {kind: _oriented_mean(values, higher_is_better) for kind, values in valid.items()}
    mg = _difference(mean["revisit"], mean["baseline"])
    dr = _difference(mean["short"], mean["baseline"])
    reasons = [_why_empty(kind, len(pairs[kind])) for kind, values in valid.items() if not values]
    if dr is not None and dr <= EPS:
        reasons.append(f"dynamic range {dr:.3g} <= {EPS:g}")
    return Relative(
        revisit=mean["revisit"],
        baseline=mean["baseline"],
        short=mean["short"],
        mg=mg,
        dr=dr,
        nmr=_ratio(mg, dr),
        n_revisit=len(valid["revisit"]),
        n_baseline=len(valid["baseline"]),
        n_short=len(valid["short"]),
        reason="; ".join(reasons) or None,
    )


def _oriented_mean(values: Sequence[float], higher_is_better: bool) -> float | None:
    if not values:
        return None
    return exact_mean(values) if higher_is_better else -exact_mean(values)


def _why_empty(kind: str, n_pairs: int) -> str:
    return f"none of the {n_pairs} {kind} pairs has a value" if n_pairs else f"no {kind} pairs"


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _ratio(mg: float | None, dr: float | None) -> float | None:
    return None if mg is None or dr is None or dr <= EPS else mg / (dr + EPS)


# --- one model on one template ------------------------------------------------------------------------------


class MetricRow(NamedTuple):
    """One metric of one expected rollout; `None` where it could not be measured.

    Attributes:
        rollout_id: Unique within a model's (template, metric).
        template: Template name.
        metric: Metric name.
        mg: MemoryGain of the rollout.
        dr: Dynamic range of the rollout, valid or not.
        baseline: Oriented mean of the baseline pairs. No part of the ratio: `diagnosis` reads it to tell a
            picture that hardly changes.
    """

    rollout_id: str
    template: str
    metric: str
    mg: float | None
    dr: float | None
    baseline: float | None = None


class TemplateScore(NamedTuple):
    """One metric of one model on one template.

    Attributes:
        template: Template name.
        metric: Metric name.
        n: Rollouts given, measured or not.
        n_mg: Rollouts with an MG.
        n_scored: Rollouts with both MG and DR.
        n_dr_valid: Rollouts with MG and `DR > 1e-8`: the set that the next fields but `mg_all` are taken
            over.
        mg_all: Mean MG over the `n_mg` rollouts.
        mg: Mean MG over the DR-valid rollouts: what the release reports as MG.
        dr: Mean DR over the DR-valid rollouts.
        nmr: `mg / (dr + 1e-8)`.
        baseline: Mean baseline over the DR-valid rollouts; `None` if one has none.
        reason: Why `nmr` is `None`; `None` when it exists.
    """

    template: str
    metric: str
    n: int
    n_mg: int
    n_scored: int
    n_dr_valid: int
    mg_all: float | None
    mg: float | None
    dr: float | None
    nmr: float | None
    baseline: float | None
    reason: str | None


def aggregate_metric(rows: Sequence[MetricRow]) -> TemplateScore:
    """Return one metric of one model on one template (R2M-Bench, Eq. 8 / released aggregation).

    A ratio of means, not a mean of ratios: a rollout whose controls differ more weighs more.

    Args:
        rows: One row for every expected rollout, also for those that could not be measured.

    Raises:
        ValueError: No rows, several templates or metrics, a rollout twice, or a number that is not finite.

    Example:
        >>> moving = MetricRow("0001", "closed_loop", "ssim", mg=0.2, dr=0.4)
        >>> static = MetricRow("0002", "closed_loop", "ssim", mg=0.1, dr=0.0)
        >>> score = aggregate_metric([moving, static])
        >>> score.n_dr_valid, round(score.mg_all, 3), round(score.mg, 3), round(score.nmr, 3)
        (1, 0.15, 0.2, 0.5)
    """
    template, metric = _one_cell(rows)
    gains = present_values((row.mg for row in rows), f"{metric} MG")
    ranges = present_values((row.dr for row in rows if row.mg is not None), f"{metric} DR")
    valid = [row for row in rows if row.mg is not None and row.dr is not None and row.dr > EPS]
    mg = _mean_of([row.mg for row in valid], f"{metric} MG")
    dr = _mean_of([row.dr for row in valid], f"{metric} DR")
    return TemplateScore(
        template=template,
        metric=metric,
        n=len(rows),
        n_mg=len(gains),
        n_scored=len(ranges),
        n_dr_valid=len(valid),
        mg_all=exact_mean(gains) if gains else None,
        mg=mg,
        dr=dr,
        nmr=_ratio(mg, dr),
        baseline=_mean_of([row.baseline for row in valid], f"{metric} baseline"),
        reason=None if valid else _why_no_ratio(len(rows), len(ranges)),
    )


def aggregate_rows(rows: Iterable[MetricRow]) -> list[TemplateScore]:
    """Return `aggregate_metric` of each (template, metric) among `rows`, sorted by template, then metric."""
    cells: dict[tuple[str, str], list[MetricRow]] = defaultdict(list)
    for row in rows:
        cells[row.template, row.metric].append(row)
    return [aggregate_metric(cells[cell]) for cell in sorted(cells)]


def _one_cell(rows: Sequence[MetricRow]) -> tuple[str, str]:
    cells = sorted({(row.template, row.metric) for row in rows})
    if len(cells) != 1:
        raise ValueError(f"rows hold {len(cells)} pairs of (template, metric), expected one: {cells[:4]}")
    seen: set[str] = set()
    for row in rows:
        if row.rollout_id in seen:
            raise ValueError(f"rollout {row.rollout_id!r} occurs twice in {cells[0]}: two seeds under one id?")
        seen.add(row.rollout_id)
    return cells[0]


def _mean_of(values: Sequence[float | None], what: str) -> float | None:
    present = present_values(values, what)
    return exact_mean(present) if present and len(present) == len(values) else None


def _why_no_ratio(n: int, n_scored: int) -> str:
    if n_scored == 0:
        return f"none of the {n} rollouts has both MG and DR"
    return f"none of the {n_scored} scored rollouts has a dynamic range above {EPS:g}"


# --- numbers ------------------------------------------------------------------------------------------------


def exact_mean(values: Sequence[float]) -> float:
    """Return the mean, the same bits in any order of `values`.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("no values have no mean")
    return math.fsum(values) / len(values)


def present_values(values: Iterable[float | None], what: str) -> list[float]:
    """Return the values that are not `None`.

    Raises:
        ValueError: One is NaN, infinite or beyond 1e100; the message calls it `what`.
    """
    present = [float(value) for value in values if value is not None]
    for value in present:
        # Not `abs(value) > LARGEST`: NaN fails every comparison.
        if not abs(value) <= LARGEST:
            raise ValueError(f"{what} {value} is no score: what is missing is None, the rest within {LARGEST:g}")
    return present
