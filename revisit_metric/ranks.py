"""Ranks of systems, per family and over families.

Conventions: 1 is the best rank; tied systems share the mean of the ranks they occupy; values are oriented (MG
or NMR, higher is better) unless said otherwise.

Scores (R2M-Bench, Table 9): systems are ranked on each metric, ranks averaged within a family, then over
families.
"""

from collections.abc import Mapping
from typing import NamedTuple

from revisit_metric.overall import FAMILIES, Composition
from revisit_metric.relative import exact_mean, present_values


class FamilyRanks(NamedTuple):
    """Mean rank of one system in each family, and the mean of those over the families; 1 is best."""

    families: dict[str, float]
    overall: float


def average_ranks(values: Mapping[str, float], *, higher_is_better: bool = True) -> dict[str, float]:
    """Return each system's rank; tied systems share the mean of their ranks.

    Raises:
        ValueError: A value is not finite.

    Example:
        >>> average_ranks({"a": 0.3, "b": 0.9, "c": 0.3})
        {'a': 2.5, 'b': 1.0, 'c': 2.5}
    """
    numbers = present_values(values.values(), "value to rank")
    oriented = numbers if higher_is_better else [-number for number in numbers]
    return {system: _rank(own, oriented) for system, own in zip(values, oriented, strict=True)}


def _rank(own: float, all_values: list[float]) -> float:
    better = sum(value > own for value in all_values)
    tied = sum(value == own for value in all_values)
    return better + (tied + 1) / 2


def family_ranks(
    table: Mapping[str, Mapping[str, float]], composition: Composition = FAMILIES
) -> dict[str, FamilyRanks]:
    """Return every system's mean rank in each family and over the families, as R2M-Bench's Table 9 does.

    Table 9 ranks seven systems: WonderWorld, the explicit 3D reference of Table 2, is not among them. From
        those
    seven rows of Table 2 this gives the printed MG and NMR ranks wherever the two tables agree. No metric of
    the seven has a tie, so the paper does not show what it would do with one.

    Args:
        table: System -> metric -> oriented value, higher is better.
        composition: Families to rank in.

    Raises:
        ValueError: A system lacks a metric: ranks among different sets of systems cannot be averaged.

    Example:
        >>> family_ranks({"a": {"state": 0.2}, "b": {"state": 0.7}}, {"state": ("state",)})["b"]
        FamilyRanks(families={'state': 1.0}, overall=1.0)
    """
    metrics = [metric for family in composition.values() for metric in family]
    for system, values in table.items():
        if absent := [metric for metric in metrics if values.get(metric) is None]:
            raise ValueError(f"{system} has no {', '.join(absent)}: rank complete systems only")
    ranks = {m: average_ranks({system: values[m] for system, values in table.items()}) for m in metrics}
    return {system: _in_families(system, ranks, composition) for system in table}


def _in_families(system: str, ranks: Mapping[str, Mapping[str, float]], composition: Composition) -> FamilyRanks:
    families = {
        family: exact_mean([ranks[metric][system] for metric in metrics])
        for family, metrics in composition.items()
        if metrics
    }
    return FamilyRanks(families, exact_mean(list(families.values())))
