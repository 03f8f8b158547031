"""The revisit evaluator: journal lines out of one pass, and what the journal's values amount to.

Conventions: a *rollout block* summarises one video, a *model block* all videos of one model; both are plain dicts in
the result and are recomputed from the journal's per-pair values. A score that was not measured is `None`, and the
reason stands beside it. `mg`, `dr` and the three means are oriented: higher is more consistent, LPIPS negated.

Scores: MemoryGain (`mg`), dynamic range (`dr`) and Normalized Memory Ratio (`nmr`) of `revisit_metric.relative`, per
rollout, per template, balanced over the three templates, per family, and Overall.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from revisit_metric.diagnosis import DEFAULT_SCALES, diagnose
from revisit_metric.families.protocol import NOT_SAMPLED, Metric, Outcome, Pair, PairScore
from revisit_metric.manifest import Rollout
from revisit_metric.overall import (
    FAMILIES,
    REQUIRED_TEMPLATES,
    Composition,
    PartMean,
    Quantity,
    family_scores,
    overall_partial,
    template_balanced,
)
from revisit_metric.pairs import PairSet
from revisit_metric.relative import MetricRow, TemplateScore, aggregate_rows, exact_mean, rollout_relative
from revisit_metric.scoring import PairOutcomes

PAIR_TYPES = ("revisit", "baseline", "short")
QUANTITIES: tuple[Quantity, ...] = ("mg_all", "mg", "dr", "nmr")

Block = dict[str, Any]
Lines = Mapping[str, Any]


# --- journal lines ------------------------------------------------------------------------------------------


def pairs_by_type(pairs: PairSet) -> dict[str, Sequence[Pair]]:
    """Return the three pair lists by name."""
    return {"revisit": pairs.revisit, "baseline": pairs.baseline, "short": pairs.short}


def rollout_line(rollout: Rollout, pairs: PairSet, video: Mapping[str, Any]) -> Block:
    """Return the journal line that says what was scored: the video as decoded, and its pair set."""
    return {"kind": "rollout", "rollout_id": rollout.rollout_id, "video": dict(video), "pairs": pairs.to_dict()}


def scores_line(rollout: Rollout, score: PairScore, pairs: PairSet, outcomes: PairOutcomes) -> Block:
    """Return the journal line of one pair score: values aligned with the pair lists, notes by position."""
    metrics = {metric.name: _column(outcomes[metric.name], metric, pairs) for metric in score.metrics}
    return {"kind": "scores", "rollout_id": rollout.rollout_id, "score": score.name, "metrics": metrics}


def outcomes_of(line: Lines, pairs: Mapping[str, Sequence[Pair]]) -> PairOutcomes:
    """Return what a scores line holds, metric by metric and pair by pair: `scores_line` undone."""
    return {
        metric: {
            pair: Outcome(value, column["notes"].get(kind, {}).get(str(at)))
            for kind, listed in pairs.items()
            for at, (pair, value) in enumerate(zip(listed, column[kind], strict=True))
        }
        for metric, column in line["metrics"].items()
    }


def _column(outcomes: Mapping[Pair, Any], metric: Metric, pairs: PairSet) -> Block:
    column: Block = {"version": metric.version, "notes": {}}
    for kind, listed in pairs_by_type(pairs).items():
        column[kind] = [outcomes[pair].value for pair in listed]
        notes = {str(at): outcomes[pair].note for at, pair in enumerate(listed) if outcomes[pair].note is not None}
        if notes:
            column["notes"][kind] = notes
    return column


# --- one rollout --------------------------------------------------------------------------------------------


def rollout_block(rollout: Rollout, line: Lines, scores: Iterable[Lines], metrics: Iterable[Metric]) -> Block:
    """Summarise one scored rollout from its journal lines."""
    columns = {name: column for scored in scores for name, column in scored["metrics"].items()}
    return {
        "rollout_id": rollout.rollout_id,
        "instance_id": rollout.instance_id,
        "scene_id": rollout.scene_id,
        "trajectory": rollout.trajectory,
        "model": rollout.model,
        "revision": rollout.revision,
        "seed": rollout.seed,
        "video": line["video"],
        "pairs": _pairs_summary(line["pairs"]),
        "metrics": {metric.name: _metric_block(metric, columns[metric.name]) for metric in metrics},
    }


def _pairs_summary(pairs: Mapping[str, Any]) -> Block:
    summary = {key: value for key, value in pairs.items() if key not in PAIR_TYPES}
    return {**summary, **{f"n_{kind}": len(pairs[kind]) for kind in PAIR_TYPES}}


def _metric_block(metric: Metric, column: Mapping[str, Any]) -> Block:
    values = {kind: column[kind] for kind in PAIR_TYPES}
    relative = rollout_relative(**values, higher_is_better=metric.higher_is_better)
    notes = _counted_notes(column)
    n_empty = sum(value is None for listed in values.values() for value in listed)
    n_not_sampled = notes.get(NOT_SAMPLED, 0)
    return {
        "family": metric.family,
        "version": metric.version,
        **relative._asdict(),
        "n_missing": n_empty - n_not_sampled,
        "n_not_sampled": n_not_sampled,
        "notes": notes,
        "diagnosis": _diagnosis(metric.name, relative.mg, relative.dr, relative.nmr, relative.baseline),
    }


def _counted_notes(column: Mapping[str, Any]) -> dict[str, int]:
    notes = Counter(note for by_position in column["notes"].values() for note in by_position.values())
    return dict(sorted(notes.items()))


def _diagnosis(
    metric: str, mg: float | None, dr: float | None, nmr: float | None, baseline: float | None
) -> Block | None:
    scale = DEFAULT_SCALES.get(metric)
    return None if scale is None else diagnose(mg, dr, nmr, scale=scale, baseline=baseline)._asdict()


# --- one model ----------------------------------------------------------------------------------------------


def model_block(
    expected: Sequence[Rollout], blocks: Sequence[Block], metrics: Sequence[Metric], composition: Composition
) -> Block:
    """Summarise all rollouts of one model; `expected` holds those that failed as well."""
    rows = [_row(rollout, blocks, metric.name) for rollout in expected for metric in metrics]
    scores = aggregate_rows(rows)
    counts = Counter(rollout.trajectory for rollout in expected)
    partial = overall_partial(
        scores, expected={name: counts[name] for name in REQUIRED_TEMPLATES}, composition=composition
    )
    summaries = {metric.name: _metric_summary(metric, scores) for metric in metrics}
    return {
        "n_expected": len(expected),
        "n_scored": len(blocks),
        "n_expected_per_trajectory": dict(sorted(counts.items())),
        "metrics": summaries,
        "families": _families(summaries, composition),
        "overall": None if partial.missing else partial.value,
        "overall_partial": {**partial._asdict(), "note": "mean of what exists; not comparable with an Overall"},
    }


def _row(rollout: Rollout, blocks: Sequence[Block], metric: str) -> MetricRow:
    found = next((block for block in blocks if block["rollout_id"] == rollout.rollout_id), None)
    if found is None:
        return MetricRow(rollout.rollout_id, rollout.trajectory, metric, None, None)
    values = found["metrics"][metric]
    return MetricRow(rollout.rollout_id, rollout.trajectory, metric, values["mg"], values["dr"], values["baseline"])


def _metric_summary(metric: Metric, scores: Sequence[TemplateScore]) -> Block:
    """One metric: balanced over the three required trajectories, and over those present under `partial`."""
    own = [score for score in scores if score.metric == metric.name]
    present = [score.template for score in own]
    balanced = {kind: template_balanced(own, kind) for kind in QUANTITIES}
    partial = {kind: template_balanced(own, kind, templates=present).partial for kind in QUANTITIES}
    baselines = [score.baseline for score in own if score.baseline is not None]
    baseline = exact_mean(baselines) if baselines else None
    return {
        "family": metric.family,
        "higher_is_better": metric.higher_is_better,
        "trajectories": {score.template: _template_block(score) for score in own},
        **{kind: mean.value for kind, mean in balanced.items()},
        "missing_trajectories": list(balanced["nmr"].missing),
        "partial": partial,
        "diagnosis": _diagnosis(metric.name, partial["mg"], partial["dr"], partial["nmr"], baseline),
    }


def _template_block(score: TemplateScore) -> Block:
    block = {key: value for key, value in score._asdict().items() if key not in ("template", "metric")}
    return {**block, "diagnosis": _diagnosis(score.metric, score.mg, score.dr, score.nmr, score.baseline)}


def _families(summaries: Mapping[str, Block], composition: Composition) -> Block:
    """NMR of each family; a family without metrics in this profile is listed as `None` with the reason."""
    complete = family_scores({name: summary["nmr"] for name, summary in summaries.items()}, composition)
    partial = family_scores({name: summary["partial"]["nmr"] for name, summary in summaries.items()}, composition)
    return {family: _family_block(complete.get(family), partial.get(family)) for family in FAMILIES}


def _family_block(complete: PartMean | None, partial: PartMean | None) -> Block:
    if complete is None or partial is None:
        return {"nmr": None, "partial": None, "reason": "no metric in this profile"}
    return {"nmr": complete.value, "partial": partial.partial, "reason": complete.reason}
