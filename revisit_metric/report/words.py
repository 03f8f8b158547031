"""Numbers and names as a reader of the report sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

from revisit_metric.overall import FAMILIES, REQUIRED_TEMPLATES
from revisit_metric.report.markup import Html, aside, el, fragment, text

UNITS: Mapping[str, str] = {"psnr": "dB"}
"""Units of the metrics that have one."""

SOUND = frozenset({"reliable_retention", "partial_retention", "revisit_failure", "negative_effect"})
"""Diagnoses that rest on a dynamic range; under any other the NMR says little."""

TONES: Mapping[str, str] = {
    "reliable_retention": "good",
    "partial_retention": "fair",
    "caution_weak_scale": "fair",
    "revisit_failure": "bad",
    "negative_effect": "bad",
}
"""Diagnosis -> class of its colour; what is absent says nothing about memory and stays grey."""

MISSING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def number(value: float | None, *, digits: int = 3) -> Html:
    """Return a number, a dash where there is none.

    Example:
        >>> number(1.23456), number(0.5, digits=2), number(-0.0001), number(2.5e7)
        ('1.235', '0.50', '0.000', '2.50e+07')
        >>> number(-1.5) == MINUS + "1.500", MISSING in number(None)
        (True, True)
    """
    if value is None:
        return fragment(el("span", MISSING, aria_hidden="true"), aside("not measured"))
    written = f"{value:.2e}" if abs(value) >= 1e5 else f"{value:.{digits}f}"
    if not written.strip("-0."):
        written = written.lstrip("-")
    return text(written.replace("-", MINUS, 1) if written.startswith("-") else written)


def spaced(identifier: str) -> str:
    """Return an identifier as words.

    Example:
        >>> spaced("out_and_back")
        'out and back'
    """
    return identifier.replace("_", " ")


def plural(count: int, noun: str) -> str:
    """Return a count with its noun.

    Example:
        >>> plural(1, "rollout"), plural(0, "rollout")
        ('1 rollout', '0 rollouts')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def metric_order(metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return metric names in the benchmark's order of families and metrics; others follow by name.

    A result read from its file has lost its order, and the report must not depend on that.

    Example:
        >>> metric_order({"aa": {"family": "scene"}, **dict.fromkeys(("ssim", "psnr"), {"family": "appearance"})})
        ['psnr', 'ssim', 'aa']
    """
    families = list(FAMILIES)

    def place(metric: str) -> tuple[int, int, str]:
        family = metrics[metric]["family"]
        known = FAMILIES.get(family, ())
        at = known.index(metric) if metric in known else len(known)
        return (families.index(family) if family in families else len(families), at, metric)

    return sorted(metrics, key=place)


def trajectory_order(trajectories: Mapping[str, Any]) -> list[str]:
    """Return trajectory names: the benchmark's three in its order, others by name."""
    required = [trajectory for trajectory in REQUIRED_TEMPLATES if trajectory in trajectories]
    return required + sorted(set(trajectories) - set(required))


def label(diagnosis: Mapping[str, Any] | None) -> Html:
    """Return a diagnosis as a coloured word, its explanation on hover."""
    if diagnosis is None:
        return el("span", "no scale for this metric", class_="label none")
    tone = TONES.get(diagnosis["label"], "none")
    return el("span", spaced(diagnosis["label"]), class_=f"label {tone}", title=diagnosis["explanation"])


def definitions(record: Mapping[str, Any]) -> Html:
    """Return a record as a list of terms, nested as it is; keys in order, exact values."""
    items = []
    for key in sorted(record):
        items += [el("dt", spaced(key)), el("dd", _written(record[key]))]
    return el("dl", *items, class_="record")


def _written(value: object) -> Html:
    if isinstance(value, Mapping):
        return definitions(value) if value else text("none")
    if isinstance(value, list | tuple):
        return _written_list(value)
    if value is None:
        return text("not set")
    if isinstance(value, bool):
        return text("yes" if value else "no")
    return text(value)


def _written_list(values: Sequence[object]) -> Html:
    """Return sentences below one another, everything else in one line."""
    if any(isinstance(value, str) and " " in value for value in values):
        return fragment(*(el("div", value) for value in values))
    parts: list[Html] = []
    for value in values:
        parts += [text(", ")] if parts else []
        parts += [fragment("(", _written(value), ")") if isinstance(value, list | tuple) else _written(value)]
    return fragment(*parts) if parts else text("none")
