"""The report as one HTML file that needs nothing else: no scripts, no requests, frames inside."""

import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from revisit_metric.journal import Journal
from revisit_metric.manifest import Rollout
from revisit_metric.report.markup import Html, document, el
from revisit_metric.report.pair_values import PairLookup
from revisit_metric.report.provenance import method_section, provenance_section
from revisit_metric.report.rollouts import FrameSection, numbers_section
from revisit_metric.report.scores import headline, meaning, missing_section, models_section
from revisit_metric.report.strips import Strips
from revisit_metric.report.words import metric_order
from revisit_metric.results import Result

RANKED_BY = "lpips"
"""The metric that ranks returns unless the caller names another: of those in every profile, nearest to the eye."""

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

_SECTIONS = {
    "scores": "Scores",
    "frames": "Frames",
    "rollouts": "Rollouts",
    "missing": "Missing",
    "method": "Method",
    "provenance": "Provenance",
}


def write_report(
    out: Path,
    result: Result,
    journal: Journal | Path,
    rollouts: Sequence[Rollout] = (),
    *,
    ranked_by: str | None = None,
    max_rollouts_with_frames: int = 24,
) -> Path:
    """Write the report of a result and return its path; a reader never sees half a file.

    A rollout takes at most 18 frames of at most 24 KiB of JPEG, so the frames of 24 rollouts are at most 14 MiB of
    base64; at 320x180 pixels, 4 MiB are usual. Without a rollout's video the report shows its values and says why there
    are no frames.

    Args:
        out: The HTML file.
        result: The result; of `read_result` or of `evaluate_rollouts`, the report is the same.
        journal: The journal of that result, or its path; without it there are no per-pair values.
        rollouts: The rollouts of the manifest, which know where the videos are.
        ranked_by: Metric by which best, median and worst returns are chosen; `None` takes LPIPS, or the first metric
            where LPIPS was not measured.
        max_rollouts_with_frames: Most rollouts whose frames are shown.

    Raises:
        ValueError: `ranked_by` is not a metric of the result.
    """
    page = report_page(
        result,
        journal,
        rollouts,
        ranked_by=ranked_by,
        max_rollouts_with_frames=max_rollouts_with_frames,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = out.with_name(f".{out.name}.{os.getpid()}")
    scratch.write_text(page, encoding="utf-8")
    scratch.replace(out)
    return out


def report_page(
    result: Result,
    journal: Journal | Path,
    rollouts: Sequence[Rollout] = (),
    *,
    ranked_by: str | None = None,
    max_rollouts_with_frames: int = 24,
) -> Html:
    """Return the report as text; arguments and errors are those of `write_report`."""
    record = result.to_dict()
    metrics = _metrics(record)
    metric = _ranking_metric(metrics, ranked_by)
    directions = {name: own["higher_is_better"] for name, own in metrics.items()}
    frames = FrameSection(
        PairLookup(_lines(journal), directions),
        None if metric is None else Strips(directions, metric),
        {rollout.rollout_id: rollout for rollout in rollouts},
        max_shown=max_rollouts_with_frames,
    )
    return _page(record, frames)


def _lines(journal: Journal | Path) -> Sequence[Mapping[str, Any]]:
    if isinstance(journal, Path):
        if not journal.exists():
            return []
        journal = Journal(journal)
    return list(journal.lines())


def _metrics(record: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the metrics of a result, in the order of the report."""
    scores = record["profile"]["scores"].values()
    metrics = {name: metric for score in scores for name, metric in score["metrics"].items()}
    return {name: metrics[name] for name in metric_order(metrics)}


def _ranking_metric(metrics: Mapping[str, Any], asked: str | None) -> str | None:
    if asked is not None and asked not in metrics:
        raise ValueError(f"ranked_by is {asked!r}, the result has {', '.join(metrics) or 'no metric'}")
    if asked is not None or RANKED_BY in metrics:
        return asked or RANKED_BY
    return next(iter(metrics), None)


def _page(record: Mapping[str, Any], frames: FrameSection) -> Html:
    blocks = record["rollouts"]
    main = el(
        "main",
        headline(record),
        meaning(),
        models_section(record),
        frames.draw(blocks),
        numbers_section(blocks),
        missing_section(record),
        method_section(record),
        provenance_section(record),
        id="content",
    )
    skip = el("a", "Skip to content", href="#content", class_="skip")
    body = el("body", skip, _navigation(), main, _footer(record))
    return document(el("html", _head(record), body, lang="en"))


def _head(record: Mapping[str, Any]) -> Html:
    style = files("revisit_metric.report").joinpath("style.css").read_text(encoding="utf-8")
    models = ", ".join(sorted(record["models"])) or "no model"
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"Revisit report: {models}"),
        el("style", Html(style)),
    )


def _navigation() -> Html:
    links = [el("li", el("a", title, href=f"#{section}")) for section, title in _SECTIONS.items()]
    return el("nav", el("ul", *links), aria_label="Sections")


def _footer(record: Mapping[str, Any]) -> Html:
    return el("footer", f"revisit-metric {record['package_version']}; {record['schema']}")
