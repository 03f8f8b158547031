"""What was measured: headline, family bars and metric tables of every model."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from revisit_metric.report.bars import families_of, family_bars, family_number, missing_everywhere
from revisit_metric.report.markup import Html, el, fragment, name, table
from revisit_metric.report.words import (
    UNITS,
    label,
    metric_order,
    number,
    plural,
    spaced,
    trajectory_order,
)

Block = Mapping[str, Any]

_N_REASONS = 3

_HOW_TO_READ = (
    "The bar of a family is grey where none of its metrics moved enough to be judged, and ends in an arrow where it "
    "leaves the scale. MG and NMR are oriented: higher is better, also for distances. A count such as 3 of 4 under an "
    "NMR says over how many rollouts it is taken. A mean is over the trajectories with a value."
)


# --- headline -----------------------------------------------------------------------------------------------


def headline(record: Block) -> Html:
    """Return the head of the page: whose rollouts, the Overall or why there is none, and how complete it is."""
    models = record["models"]
    one = next(iter(models)) if len(models) == 1 else None
    title = name(one) if one is not None else plural(len(models), "model")
    parts = [el("p", "R2M-Bench · revisit consistency", class_="eyebrow"), el("h1", title)]
    if one is not None:
        parts.append(_overall(models[one]))
    elif models:
        parts.append(_comparison(models))
    else:
        parts.append(el("p", "No rollout could be identified, so there is nothing to score.", class_="lead"))
    return el("header", *parts, _facts(record), class_="top")


def _overall(block: Block) -> Html:
    if block["overall"] is not None:
        return el("p", el("span", number(block["overall"]), class_="overall num"), " Overall NMR", class_="lead")
    return fragment(el("p", el("strong", "No Overall."), " ", _why_none(block), class_="lead"), _partial(block))


def _why_none(block: Block) -> Html:
    gaps = grouped_gaps(block["overall_partial"]["missing"])
    said = [f"{gap} ({plural(len(metrics), 'metric')})" if metrics else gap for gap, metrics in gaps.items()]
    more = f"; and {len(said) - _N_REASONS} more" if len(said) > _N_REASONS else ""
    return fragment("; ".join(said[:_N_REASONS]), more, ". ", el("a", "All reasons", href="#missing"), ".")


def _partial(block: Block) -> Html:
    partial = block["overall_partial"]
    if partial["value"] is None:
        return el("p", "Nothing was measured.", class_="quiet")
    families = ", ".join(partial["families"])
    said = f"The mean of what was measured ({families}) is "
    return el("p", said, number(partial["value"]), "; it cannot be compared with an Overall.", class_="quiet")


def _comparison(models: Mapping[str, Block]) -> Html:
    families = [family.name for family in families_of(next(iter(models.values())))]
    heads = ["Model", "Overall", *(family.capitalize() for family in families), "Scored"]
    head = el("tr", *(el("th", text, scope="col", class_="num" if at else None) for at, text in enumerate(heads)))
    rows = [_comparison_row(at, model, models[model]) for at, model in enumerate(sorted(models), 1)]
    caption = "NMR of each family; “partial” is over what was measured and cannot be compared with a complete score"
    return table(caption, head, rows, wide="Models")


def _comparison_row(at: int, model: str, block: Block) -> Html:
    cells = [
        el("td", number(block["overall"]), class_="num"),
        *(el("td", family_number(family), class_="num") for family in families_of(block)),
        el("td", f"{block['n_scored']} of {block['n_expected']}", class_="num"),
    ]
    return el("tr", el("th", el("a", name(model), href=f"#model-{at}"), scope="row"), *cells)


def _facts(record: Block) -> Html:
    settings, profile = record["settings"], record["profile"]
    n_failed, n_missing = len(record["failures"]), len(record["missing_metrics"])
    facts = {
        "Scored": f"{record['n_scored']} of {plural(record['n_expected'], 'rollout')}",
        "Pair protocol": settings["protocol"],
        "Profile": f"{profile['name']} {profile['version']}",
    }
    items = [el("div", el("dt", term), el("dd", value)) for term, value in facts.items()]
    if n_failed or n_missing:
        said = [plural(n_failed, "failure")] if n_failed else []
        said += [f"{plural(n_missing, 'metric')} not measured"] if n_missing else []
        items.append(el("div", el("dt", "Missing"), el("dd", el("a", ", ".join(said), href="#missing"))))
    return el("dl", *items, class_="facts")


def meaning() -> Html:
    """Return what MG and NMR mean, in two sentences."""
    gain = fragment(
        el("b", "MemoryGain (MG)"),
        " is how much more alike a place looks when the camera returns than two unrelated views of the same video, "
        "filmed as far apart in time: above 0, something was remembered. ",
    )
    ratio = fragment(
        el("b", "Normalized Memory Ratio (NMR)"),
        " divides that gain by what two views a moment apart would gain: at 1 the return changes no more than a "
        "moment does, at 0 it is no more alike than an unrelated view.",
    )
    return el("p", gain, ratio, class_="meaning")


# --- one model ----------------------------------------------------------------------------------------------


def models_section(record: Block) -> Html:
    """Return bars and table of every model."""
    models = record["models"]
    if not models:
        return el("section", el("h2", "Scores"), el("p", "There is no model to show."), id="scores")
    parts = [_model(at, model, models[model], only=len(models) == 1) for at, model in enumerate(sorted(models), 1)]
    return el("section", el("h2", "Scores"), el("p", _HOW_TO_READ), *parts, id="scores")


def _model(at: int, model: str, block: Block, *, only: bool) -> Html:
    heading = [] if only else [el("h3", name(model), id=f"model-{at}")]
    bars = family_bars(families_of(block))
    return el("section", *heading, bars, _metric_table(model, block), class_="model")


def _metric_table(model: str, block: Block) -> Html:
    trajectories = trajectory_order(block["n_expected_per_trajectory"])
    metrics = block["metrics"]
    if not metrics:
        return el("p", "No metric of the profile could be measured.")
    rows = [_metric_row(metric, metrics[metric], trajectories) for metric in metric_order(metrics)]
    caption = fragment("Metrics of ", name(model), " by trajectory", _unbalanced(block))
    return table(caption, _metric_head(trajectories), rows, wide=f"Metrics of {model}", class_="metrics")


def _metric_head(trajectories: Sequence[str]) -> Html:
    groups = [spaced(trajectory) for trajectory in trajectories] + ["mean"]
    top = [
        el("th", "Metric", scope="col", rowspan=2),
        *(el("th", group, scope="colgroup", colspan=2, class_="group") for group in groups),
        el("th", "Diagnosis", scope="col", rowspan=2),
    ]
    kinds = [el("th", kind, scope="col", class_="num") for _ in groups for kind in ("MG", "NMR")]
    return fragment(el("tr", *top), el("tr", *kinds))


def _metric_row(metric: str, summary: Block, trajectories: Sequence[str]) -> Html:
    unit = el("small", UNITS[metric]) if metric in UNITS else ""
    lower = "" if summary["higher_is_better"] else el("small", "negated")
    cells = [cell for trajectory in trajectories for cell in _cells(summary["trajectories"].get(trajectory))]
    partial = summary["partial"]
    means = [el("td", number(partial[kind]), class_="num mean") for kind in ("mg", "nmr")]
    head = el("th", metric, unit, lower, scope="row")
    return el("tr", head, *cells, *means, el("td", _diagnosis(summary, trajectories), class_="diagnosis"))


def _cells(score: Block | None) -> list[Html]:
    if score is None:
        return [el("td", number(None), class_="num")] * 2
    fewer = score["n_dr_valid"] < score["n"]
    count = el("small", f"{score['n_dr_valid']} of {score['n']}") if fewer else ""
    nmr = el("td", number(score["nmr"]), count, class_="num", title=score["reason"])
    return [el("td", number(score["mg"]), class_="num"), nmr]


def _diagnosis(summary: Block, trajectories: Sequence[str]) -> Html:
    diagnosis = summary["diagnosis"]
    if diagnosis is None:
        return label(None)
    own = {trajectory: summary["trajectories"].get(trajectory, {}).get("diagnosis") for trajectory in trajectories}
    differing = [
        f"{spaced(trajectory)}: {spaced(found['label'])}"
        for trajectory, found in own.items()
        if found and found["label"] != diagnosis["label"]
    ]
    said = "; ".join([diagnosis["explanation"], *differing])
    return fragment(label(diagnosis), " ", el("span", said, class_="quiet"))


def _unbalanced(block: Block) -> str:
    missing = missing_everywhere(block["metrics"].values())
    if not missing:
        return ""
    return f"; a mean without {', '.join(map(spaced, missing))} is not comparable with the benchmark"


# --- what is missing ----------------------------------------------------------------------------------------


def missing_section(record: Block) -> Html:
    """Return failures with causes, metrics that were not measured, and what keeps an Overall from existing."""
    parts = [*_failures(record["failures"]), *_missing_metrics(record["missing_metrics"])]
    parts += _unanswered(record.get("unanswered", {}))
    for model in sorted(record["models"]):
        parts += _no_overall(model, record["models"][model])
    if not parts:
        parts = [el("p", "Nothing: every expected rollout was scored by every metric.")]
    return el("section", el("h2", "What is missing"), *parts, id="missing")


def _failures(failures: Sequence[Block]) -> list[Html]:
    if not failures:
        return []
    causes = [failure["cause"] for failure in failures]
    counted = ", ".join(f"{cause} {causes.count(cause)}" for cause in sorted(set(causes)))
    head = el("tr", *(el("th", text, scope="col") for text in ("Rollout", "Cause", "What happened")))
    rows = [
        el(
            "tr",
            el("th", name(failure["rollout_id"]), scope="row", class_="id"),
            el("td", spaced(failure["cause"])),
            el("td", name(failure["message"]), class_="said"),
        )
        for failure in failures
    ]
    caption = f"Rollouts that were not scored, by cause: {counted}"
    return [el("h3", f"{plural(len(failures), 'rollout')} not scored"), table(caption, head, rows, wide="Failures")]


def _missing_metrics(missing: Mapping[str, str]) -> list[Html]:
    if not missing:
        return []
    items = [el("div", el("dt", metric), el("dd", name(missing[metric]))) for metric in sorted(missing)]
    return [el("h3", f"{plural(len(missing), 'metric')} not measured"), el("dl", *items, class_="reasons")]


def _unanswered(unanswered: Mapping[str, Mapping[str, int]]) -> list[Html]:
    if not unanswered:
        return []
    items = [
        el(
            "div",
            el("dt", metric),
            *(el("dd", name(why), f" ({plural(n, 'pair')})") for why, n in sorted(reasons.items())),
        )
        for metric, reasons in sorted(unanswered.items())
    ]
    return [el("h3", "Pairs that a rerun would ask for again"), el("dl", *items, class_="reasons")]


def grouped_gaps(gaps: Sequence[str]) -> dict[str, list[str]]:
    """Return what an Overall lacks, with the metrics that lack the same on the same trajectory together.

    Example:
        >>> grouped_gaps(["a/psnr on closed_loop: not scored", "a/ssim on closed_loop: not scored", "state: no metric"])
        {'closed_loop: not scored': ['a/psnr', 'a/ssim'], 'state: no metric': []}
    """
    same: dict[str, list[str]] = defaultdict(list)
    for gap in gaps:
        metric, on, rest = gap.partition(" on ")
        same[rest if on else gap].extend([metric] if on else [])
    return dict(same)


def _no_overall(model: str, block: Block) -> list[Html]:
    gaps = grouped_gaps(block["overall_partial"]["missing"])
    if not gaps:
        return []
    heading = el("h3", "Why ", name(model), " has no Overall")
    said = [f"{gap} ({', '.join(metrics)})" if metrics else gap for gap, metrics in gaps.items()]
    return [heading, el("ul", *(el("li", gap) for gap in said), class_="why")]
