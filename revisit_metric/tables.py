"""A result as tables in a terminal."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from revisit_metric.results import Result

MISSING = "\N{EN DASH}"

STYLES = {
    "reliable_retention": "green",
    "partial_retention": "yellow",
    "caution_weak_scale": "yellow",
    "revisit_failure": "red",
    "negative_effect": "red",
    "weak_regime": "dim",
    "invalid_normalisation": "dim",
}
"""Diagnosis label -> rich style."""


def number(value: float | None, *, digits: int = 3) -> str:
    """Return a number for a table, a dash where there is none.

    Example:
        >>> number(1.23456), number(-0.0001), number(None) == MISSING
        ('1.235', '0.000', True)
    """
    if value is None:
        return MISSING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def show_result(result: Result, console: Console) -> None:
    """Print one table a model, what is missing, and the failures with their causes."""
    record = result.to_dict()
    for name, block in record["models"].items():
        console.print(_model_table(name, block))
        console.print(_overall_line(block), highlight=False)
    for metric, reason in record["missing_metrics"].items():
        console.print(f"[yellow]not measured[/yellow] {metric}: {escape(reason)}", highlight=False)
    for metric, reasons in record.get("unanswered", {}).items():
        said = ", ".join(f"{reason} ({n})" for reason, n in reasons.items())
        text = f"[yellow]no answer[/yellow] {metric}: {escape(said)}; the same command asks for these pairs again"
        console.print(text, highlight=False)
    _show_failures(record, console)
    console.print(f"scored {record['n_scored']} of {record['n_expected']} rollouts", highlight=False)


def _model_table(name: str, block: Mapping[str, Any]) -> Table:
    trajectories = sorted(block["n_expected_per_trajectory"])
    table = Table(title=escape(name), title_justify="left", caption=_caption(block), caption_justify="left")
    table.add_column("metric")
    for trajectory in trajectories:
        table.add_column(f"{trajectory}\nMG / NMR", justify="right")
    table.add_column("mean\nMG", justify="right")
    table.add_column("mean\nNMR", justify="right")
    table.add_column("diagnosis")
    family = None
    for metric, summary in block["metrics"].items():
        if family not in (None, summary["family"]):
            table.add_section()
        family = summary["family"]
        cells = [_cell(summary["trajectories"].get(trajectory)) for trajectory in trajectories]
        partial = summary["partial"]
        label = summary["diagnosis"]["label"] if summary["diagnosis"] else MISSING
        style = STYLES.get(label, "")
        table.add_row(
            metric,
            *cells,
            number(partial["mg"]),
            number(partial["nmr"]),
            f"[{style}]{label.replace('_', ' ')}[/{style}]" if style else label,
        )
    return table


def _cell(score: Mapping[str, Any] | None) -> str:
    return MISSING if score is None else f"{number(score['mg'])} / {number(score['nmr'])}"


def _caption(block: Mapping[str, Any]) -> str:
    missing: list[str] = next((summary["missing_trajectories"] for summary in block["metrics"].values()), [])
    text = (
        f"{block['n_scored']} of {block['n_expected']} rollouts; MG above 0: the return resembles the first view more"
    )
    if missing:
        text += f"; mean over the trajectories shown, not balanced: no {', '.join(missing)}"
    return text


def _overall_line(block: Mapping[str, Any]) -> str:
    if block["overall"] is not None:
        return f"[bold]Overall NMR {number(block['overall'])}[/bold]"
    missing = block["overall_partial"]["missing"]
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"no Overall: {escape('; '.join(missing[:3]))}{more}"


def _show_failures(record: Mapping[str, Any], console: Console) -> None:
    failures = record["failures"]
    if not failures:
        return
    table = Table(title=f"{len(failures)} not scored", title_justify="left", title_style="red")
    table.add_column("rollout", overflow="fold")
    table.add_column("cause")
    table.add_column("what happened", overflow="fold")
    for failure in failures:
        table.add_row(*(escape(failure[key]) for key in ("rollout_id", "cause", "message")))
    console.print(table)
    causes = Counter(failure["cause"] for failure in failures)
    console.print("causes: " + ", ".join(f"{cause} {n}" for cause, n in causes.most_common()), highlight=False)
