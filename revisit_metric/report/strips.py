"""The frame pairs behind a rollout's numbers: a return beside its two controls, with their values.

Of each rollout the best, the median and the worst return are shown, by one metric. Beside each stand the baseline pair
whose time gap is nearest to the return's, and the short pair that begins nearest to the first view.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from revisit_metric.families.protocol import Pair
from revisit_metric.report.frames import Picture, Pictures
from revisit_metric.report.markup import Html, aside, el, fragment, name, text
from revisit_metric.report.pair_values import PairValues
from revisit_metric.report.words import UNITS, number, plural

KINDS: Mapping[str, tuple[str, str, str]] = {
    "revisit": ("Return", "first view", "the return to its pose"),
    "baseline": ("Baseline", "an earlier view", "an unrelated view as much later"),
    "short": ("Short", "a view", "a moment later"),
}
"""Pair type -> its title, and what its earlier and its later frame show."""


class Chosen(NamedTuple):
    """A pair: its type, and its position in the list of that type."""

    kind: str
    at: int


class Pick(NamedTuple):
    """One return and its controls; a control is absent where the pair set has none."""

    rank: str
    pairs: tuple[Chosen, ...]


def pick_returns(values: PairValues, metric: str, *, higher_is_better: bool) -> list[Pick]:
    """Return the best, the median and the worst return by one metric, fewer where there are fewer returns.

    Pairs without a value take no part. Ties are broken by the position in the pair list, and the median of an even
    number is the lower one, so the choice is a function of the journal.
    """
    sign = 1 if higher_is_better else -1
    outcomes = [values.outcome(metric, "revisit", at).value for at in range(len(values.pairs["revisit"]))]
    ranked = sorted((sign * value, at) for at, value in enumerate(outcomes) if value is not None)
    return [Pick(rank, _with_controls(values, ranked[place][1])) for rank, place in _ranks(len(ranked))]


def _ranks(n: int) -> list[tuple[str, int]]:
    """Return what to show of `n` returns sorted from worst to best."""
    if n < 3:
        return [[], [("Only", 0)], [("Best", 1), ("Worst", 0)]][n]
    return [("Best", n - 1), ("Median", (n - 1) // 2), ("Worst", 0)]


def _with_controls(values: PairValues, at: int) -> tuple[Chosen, ...]:
    earlier, later = values.pairs["revisit"][at]
    gap = later - earlier
    baselines = [(abs(v - u - gap), abs(u - earlier), k) for k, (u, v) in enumerate(values.pairs["baseline"])]
    shorts = [(abs(u - earlier), k) for k, (u, _) in enumerate(values.pairs["short"])]
    controls = [Chosen("baseline", min(baselines)[-1])] if baselines else []
    controls += [Chosen("short", min(shorts)[-1])] if shorts else []
    return (Chosen("revisit", at), *controls)


def frames_of(picks: Sequence[Pick], values: PairValues) -> set[int]:
    """Return the frames that the strips of these picks show."""
    return {frame for pick in picks for kind, at in pick.pairs for frame in values.pairs[kind][at]}


class Strips:
    """Draws the strips of a result.

    Args:
        higher_is_better: Metric -> its direction, in the order in which values are listed.
        ranked_by: The metric that ranks returns.
    """

    def __init__(self, higher_is_better: Mapping[str, bool], ranked_by: str) -> None:
        self._higher_is_better = higher_is_better
        self._ranked_by = ranked_by

    def picks(self, values: PairValues) -> list[Pick]:
        """Return what to show of one rollout."""
        direction = self._higher_is_better[self._ranked_by]
        return pick_returns(values, self._ranked_by, higher_is_better=direction)

    def draw(self, rollout_id: str, picks: Sequence[Pick], values: PairValues, pictures: Pictures) -> Html:
        """Return the strips of one rollout, without frames where there are none."""
        parts = [self._pick(rollout_id, pick, values, pictures) for pick in picks]
        if pictures.reason is not None:
            parts.insert(0, el("p", "Frames are not shown: ", name(pictures.reason), ".", class_="gone"))
        return fragment(*parts)

    def _pick(self, rollout_id: str, pick: Pick, values: PairValues, pictures: Pictures) -> Html:
        figures = [self._figure(rollout_id, chosen, values, pictures) for chosen in pick.pairs]
        lacking = [kind for kind in KINDS if kind not in {chosen.kind for chosen in pick.pairs}]
        figures += [el("p", f"The pair set has no {kind} pairs.", class_="gone") for kind in lacking]
        n_returns = len(values.pairs["revisit"])
        heading = el("h4", f"{pick.rank} return ", el("small", f"of {n_returns}, by {self._ranked_by}", class_="quiet"))
        return el("section", heading, el("div", *figures, class_="pairs"), class_="pick")

    def _figure(self, rollout_id: str, chosen: Chosen, values: PairValues, pictures: Pictures) -> Html:
        pair = values.pairs[chosen.kind][chosen.at]
        title, first, second = KINDS[chosen.kind]
        images = [
            _image(pictures.by_frame[frame], f"Frame {frame}, {what}, of {rollout_id}")
            for frame, what in zip(pair, (first, second), strict=True)
            if frame in pictures.by_frame
        ]
        shown = [el("div", *images, class_="frames")] if images else []
        return el("figure", *shown, _caption(title, pair), self._values(chosen, values), class_=chosen.kind)

    def _values(self, chosen: Chosen, values: PairValues) -> Html:
        rows: list[Html] = []
        for metric in self._higher_is_better:
            value, note = values.outcome(metric, *chosen)
            unit = f" {UNITS[metric]}" if metric in UNITS and value is not None else ""
            written = fragment(number(value), unit, *_note(note))
            rows.append(el("div", el("dt", metric, *_direction(self._higher_is_better[metric])), el("dd", written)))
        return el("dl", *rows, class_="values")


def _direction(higher_is_better: bool) -> Iterator[Html]:
    if not higher_is_better:
        yield fragment(el("span", " \N{DOWNWARDS ARROW}", aria_hidden="true"), aside(", lower is better"))


def _note(note: str | None) -> Iterator[Html]:
    if note is not None:
        yield el("small", note)


def _caption(title: str, pair: Pair) -> Html:
    earlier, later = pair
    arrow = fragment(el("span", " \N{RIGHTWARDS ARROW} ", aria_hidden="true"), aside(" to "))
    gap = el("span", plural(later - earlier, "frame"), " apart", class_="quiet")
    return el("figcaption", el("b", title), " ", el("span", text(earlier), arrow, text(later), class_="num"), " ", gap)


def _image(picture: Picture, alt: str) -> Html:
    return el("img", src=picture.data_uri, width=picture.width, height=picture.height, alt=alt)
