"""How every number is computed, and from what."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from revisit_metric.overall import REQUIRED_TEMPLATES
from revisit_metric.relative import EPS
from revisit_metric.report.markup import Html, el, fragment, name, table
from revisit_metric.report.words import MINUS, definitions, metric_order, number, plural, spaced

Block = Mapping[str, Any]


# --- how ----------------------------------------------------------------------------------------------------


def method_section(record: Block) -> Html:
    """Return how every number of the report is computed, and the thresholds of the diagnoses."""
    items = [fragment(el("dt", term), el("dd", *said)) for term, said in _steps()]
    heading = el("h2", "How every number is computed")
    return el("section", heading, el("dl", *items, class_="steps"), *_scales(record), id="method")


def _steps() -> Iterator[tuple[str, tuple[object, ...]]]:
    yield (
        "Pairs",
        (
            "Three lists of frame pairs follow from the commanded camera path, the pair protocol and its seed alone, "
            "never from the pixels of a model. Revisit: the camera is back at a pose after a long gap. Baseline: as "
            "long a gap, but no return. Short: a few frames apart.",
        ),
    )
    yield (
        "Scores of a pair",
        ("Each metric compares the two frames of a pair. A distance such as LPIPS is negated from here on.",),
    )
    yield (
        "One rollout",
        (
            el("span", f"MG = mean(revisit) {MINUS} mean(baseline)", class_="formula"),
            el("span", f"DR = mean(short) {MINUS} mean(baseline)", class_="formula"),
            el("span", f"NMR = MG / (DR + {EPS:g})", class_="formula"),
            f"A value that could not be measured is left out and counted. Without DR above {EPS:g} there is no NMR.",
        ),
    )
    yield (
        "One trajectory",
        (
            "Over the rollouts with a valid DR: mean(MG) / mean(DR), a ratio of means. "
            "MG in the tables is the mean over the same rollouts.",
        ),
    )
    required = ", ".join(map(spaced, REQUIRED_TEMPLATES))
    yield (
        "Mean, family, Overall",
        (
            f"The mean of a metric is the plain mean over the trajectories ({required}); a family is the mean of its "
            "metrics; Overall is the mean of the five families. Overall exists only if nothing at all is missing.",
        ),
    )
    yield (
        "Where the values are",
        (
            "Every value of every pair is in journal.jsonl, and every number here is recomputed from there; "
            "result.json holds the numbers of this page in full precision.",
        ),
    )


def _scales(record: Block) -> list[Html]:
    scales = record["diagnosis_scales"]["metrics"]
    if not scales:
        return []
    families = {
        metric: own for score in record["profile"]["scores"].values() for metric, own in score["metrics"].items()
    }
    order = metric_order({metric: families[metric] for metric in scales})
    heads = ["Metric", "Weak below DR", "Noise within MG", "Failure within NMR", "Reliable from NMR", "Static from"]
    head = el(
        "tr",
        *(el("th", text, scope="col", class_="num" if at else None) for at, text in enumerate(heads)),
        el("th", "Source", scope="col"),
    )
    rows = [_scale_row(metric, scales[metric]) for metric in order]
    caption = f"Thresholds of the diagnoses, version {record['diagnosis_scales']['version']}; empirical, and ours"
    return [table(caption, head, rows, wide="Thresholds of the diagnoses")]


def _scale_row(metric: str, scale: Block) -> Html:
    keys = ("weak_dr", "least_mg", "failed_nmr", "strong_nmr", "saturated_at")
    values = [el("td", number(scale[key]), class_="num") for key in keys]
    return el("tr", el("th", metric, scope="row"), *values, el("td", scale["source"], class_="quiet"))


# --- from what ----------------------------------------------------------------------------------------------


def provenance_section(record: Block) -> Html:
    """Return settings, pair sets, scores, backbones and what the process did."""
    profile = record["profile"]
    scores = {
        score: {"backbone": own["backbone"], **own["identity"], "metrics": sorted(own["metrics"])}
        for score, own in profile["scores"].items()
    }
    versions = {
        "package": f"revisit-metric {record['package_version']}",
        "result schema": record["schema"],
        "task": record["task"],
        "profile": f"{profile['name']} version {profile['version']}",
        **{f"setting {key}": value for key, value in record["settings"].items()},
    }
    parts = [
        el("h3", "Versions and settings"),
        definitions(versions),
        el("h3", "Pair sets"),
        *_pair_sets(record["rollouts"]),
        el("h3", "Scores"),
        definitions(scores),
        el("h3", "Backbones"),
        definitions(profile["backbones"]),
        el("h3", "This run"),
        definitions(_run(record["run"])),
    ]
    return el("section", el("h2", "Provenance"), *parts, id="provenance")


def _pair_sets(blocks: Sequence[Block]) -> list[Html]:
    if not blocks:
        return [el("p", "No rollout was scored.")]
    same: dict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        same[block["pairs"]["sha256"]].append(block)
    return [_pair_set(own) for _, own in sorted(same.items(), key=lambda item: (_trajectories(item[1]), item[0]))]


def _pair_set(blocks: Sequence[Block]) -> Html:
    heading = el("h4", name(_trajectories(blocks)), " ", el("small", plural(len(blocks), "rollout"), class_="quiet"))
    return fragment(heading, definitions(blocks[0]["pairs"]))


def _trajectories(blocks: Sequence[Block]) -> str:
    return ", ".join(sorted({spaced(block["trajectory"]) for block in blocks}))


def _run(run: Block) -> dict[str, Any]:
    started = datetime.fromtimestamp(run["started"], UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return {**run, "started": started}
