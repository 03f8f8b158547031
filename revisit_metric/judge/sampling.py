"""Which pairs a judge is shown when not all: spread over the timeline and over gaps, never a prefix."""

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Pair = tuple[int, int]
"""(earlier, later) frame indices."""


def sample_for_judge(
    pairs_by_type: Mapping[str, Sequence[Pair]], *, cap: int | None, seed: int
) -> dict[str, tuple[Pair, ...]]:
    """Return at most `cap` pairs of each type, a function of the sets and the seed alone.

    Systematic sampling: the pairs of a type are cut into slices of the timeline by their earlier frame,
    ordered by gap within a slice (up, then down, so that neighbours stay alike), and every n/cap-th is taken
    from a random start. Every pair has the same chance; every slice and, within it, every range of gaps has
    its share.

    Args:
        pairs_by_type: Pairs per type; their order does not matter.
        cap: Most pairs of one type, `None` for all.
        seed: Seed of the random starts.

    Returns:
        The chosen pairs per type, ascending.

    Raises:
        ValueError: `cap` is below 1.

    Example:
        >>> ladder = [(i, i + 100) for i in range(200)]
        >>> sample_for_judge({"revisit": ladder}, cap=4, seed=0)["revisit"]
        ((39, 139), (89, 189), (139, 239), (189, 289))
    """
    if cap is not None and cap < 1:
        raise ValueError(f"judge_pairs is {cap}, expected at least 1 pair of each type, or None for all")
    return {
        kind: tuple(sorted(_systematic(set(pairs), cap, random.Random(f"{seed}:{kind}"))))
        for kind, pairs in pairs_by_type.items()
    }


def _systematic(pairs: set[Pair], cap: int | None, rng: random.Random) -> Iterable[Pair]:
    if cap is None or len(pairs) <= cap:
        return pairs
    ordered = _serpentine(sorted(pairs), n_slices=round(cap**0.5))
    step = len(ordered) / cap
    start = rng.random() * step
    # Rounding may carry the last position to the end.
    return [ordered[min(int(start + k * step), len(ordered) - 1)] for k in range(cap)]


def _serpentine(pairs: Sequence[Pair], *, n_slices: int) -> list[Pair]:
    bounds = [len(pairs) * k // n_slices for k in range(n_slices + 1)]
    ordered: list[Pair] = []
    for k, (low, high) in enumerate(pairwise(bounds)):
        sign = -1 if k % 2 else 1
        ordered += sorted(pairs[low:high], key=lambda pair: (sign * (pair[1] - pair[0]), pair))
    return ordered
