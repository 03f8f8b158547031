"""Family NMRs as bars on one scale, where 0 is an unrelated view and 1 a view a moment later."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from revisit_metric.overall import FAMILIES
from revisit_metric.report.markup import Html, el, fragment
from revisit_metric.report.words import MISSING, SOUND, number, spaced

LEAST, MOST = -0.5, 1.5
"""Ends of the scale in NMR; a bar that goes on is cut there with an arrow, its number is beside it."""


class Family(NamedTuple):
    """A family of one model: its NMR, whether that is over all that was expected, and what can be said of it."""

    name: str
    nmr: float | None
    complete: bool
    remark: str
    sound: bool


def families_of(block: Mapping[str, Any]) -> list[Family]:
    """Return the five families of a model block; where the NMR is missing, the partial one marked as such."""
    return [_family(name, block) for name in FAMILIES]


def family_number(family: Family) -> Html:
    """Return a family's NMR, marked where it is partial."""
    if family.nmr is None or family.complete:
        return number(family.nmr)
    return fragment(number(family.nmr), el("small", "partial"))


def family_bars(families: list[Family]) -> Html:
    """Return the bars as a list that reads as text: family, NMR, and the diagnoses of its metrics."""
    rows = [_row(family) for family in families]
    return fragment(_axis(), el("ul", *rows, class_="families", role="list"))


def _family(name: str, block: Mapping[str, Any]) -> Family:
    summary = block["families"][name]
    metrics = [metric for metric in block["metrics"].values() if metric["family"] == name]
    labels = [metric["diagnosis"]["label"] for metric in metrics if metric["diagnosis"]]
    counted = sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0]))
    said = [f"{count} {spaced(label)}" for label, count in counted]
    if missing := missing_everywhere(metrics):
        said.append(f"without {', '.join(map(spaced, missing))}")
    if summary["partial"] is None and summary["reason"]:
        said.append(summary["reason"])
    complete = summary["nmr"] is not None
    value = summary["nmr"] if complete else summary["partial"]
    return Family(name, value, complete, "; ".join(said), not labels or bool(SOUND & set(labels)))


def missing_everywhere(metrics: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the trajectories on which no metric that has an NMR at all has one."""
    measured = [metric for metric in metrics if metric["partial"]["nmr"] is not None]
    lacking = [set(metric["missing_trajectories"]) for metric in measured]
    return sorted(set.intersection(*lacking)) if lacking else []


def _row(family: Family) -> Html:
    return el(
        "li",
        el("b", family.name),
        el("span", family_number(family), class_="num"),
        _bar(family),
        el("span", family.remark or MISSING, class_="quiet"),
    )


def _axis() -> Html:
    words = {0.0: "0 unrelated view", 1.0: "1 a moment later"}
    ticks = [el("span", said, style=f"left:{_percent(at):.4g}%") for at, said in words.items()]
    return el("div", el("span", "NMR"), el("div", *ticks), class_="axis", aria_hidden="true")


def _percent(nmr: float) -> float:
    """Return the place of an NMR on the scale, in percent of its width."""
    return 100 * (min(max(nmr, LEAST), MOST) - LEAST) / (MOST - LEAST)


def _bar(family: Family) -> Html:
    zero, one = _percent(0), _percent(1)
    marks = [el("line", x1=at, x2=at, y1=0, y2=20, class_="tick") for at in (zero, one)]
    if family.nmr is not None:
        marks.insert(0, _mark(family, zero))
    said = f"{family.name}: no NMR" if family.nmr is None else f"{family.name}: NMR {family.nmr:.3f}"
    return el("svg", el("title", said), *marks, role="img", viewBox="0 0 100 20", preserveAspectRatio="none")


def _mark(family: Family, zero: float) -> Html:
    nmr = family.nmr or 0.0
    end = _percent(nmr)
    left, width = min(zero, end), abs(end - zero)
    shape = "mark" if family.sound else "mark unsound"
    if nmr > MOST:
        return el("path", d=f"M{zero:g} 4H97L100 10L97 16H{zero:g}Z", class_=shape)
    if nmr < LEAST:
        return el("path", d=f"M{zero:g} 4H3L0 10L3 16H{zero:g}Z", class_=shape)
    return el("rect", x=f"{left:.4g}", y=4, width=f"{width:.4g}", height=12, class_=shape)
