"""Rollout by rollout: the frames behind the numbers of some, the numbers of all."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

from revisit_metric.manifest import Rollout
from revisit_metric.report.frames import Pictures, read_pictures
from revisit_metric.report.markup import Html, el, fragment, name, table
from revisit_metric.report.pair_values import PairLookup, PairValues
from revisit_metric.report.strips import Strips, frames_of
from revisit_metric.report.words import MISSING, metric_order, number, plural, spaced

Block = Mapping[str, Any]


# --- frames -------------------------------------------------------------------------------------------------


class FrameSection:
    """The section of frame strips.

    Args:
        lookup: Finds pair values.
        strips: Draws strips; `None` where no metric ranks returns.
        rollouts: The rollouts of the manifest by id, for their videos.
        max_shown: Most rollouts to show.
    """

    def __init__(
        self, lookup: PairLookup, strips: Strips | None, rollouts: Mapping[str, Rollout], *, max_shown: int
    ) -> None:
        self._lookup = lookup
        self._strips = strips
        self._rollouts = rollouts
        self._max_shown = max_shown

    def draw(self, blocks: Sequence[Block]) -> Html:
        """Return the section for the scored rollouts `blocks`."""
        shown = spread(blocks, self._max_shown)
        parts = [el("p", *_introduction(len(shown), len(blocks)))]
        parts += [self._article(block) for block in shown]
        return el("section", el("h2", "The frames behind the numbers"), *parts, id="frames")

    def _article(self, block: Block) -> Html:
        title = el("h3", name(block["instance_id"]), " ", el("small", _whose(block), class_="quiet"))
        body = self._body(block)
        return el("article", title, el("p", *_video_line(block, self._rollouts), class_="quiet"), body)

    def _body(self, block: Block) -> Html:
        values = self._lookup.find(block)
        if values is None or self._strips is None:
            return el("p", "The journal does not hold the per-pair values of this rollout.", class_="gone")
        picks = self._strips.picks(values)
        if not picks:
            return el("p", _why_no_return(values), class_="gone")
        pictures: Pictures = read_pictures(self._rollouts.get(block["rollout_id"]), frames_of(picks, values))
        return self._strips.draw(block["rollout_id"], picks, values, pictures)


def spread(blocks: Sequence[Block], n: int) -> list[Block]:
    """Return at most `n` blocks, taken in turn from every model and trajectory, in their own order.

    Example:
        >>> blocks = [{"rollout_id": i, "model": m, "revision": None, "trajectory": "t"} for i, m in enumerate("aab")]
        >>> [block["rollout_id"] for block in spread(blocks, 2)]
        [0, 2]
    """
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, block in enumerate(blocks):
        groups[block["model"], block["revision"] or "", block["trajectory"]].append(at)
    in_turn = chain.from_iterable(zip_longest(*(groups[key] for key in sorted(groups))))
    return [blocks[at] for at in sorted([at for at in in_turn if at is not None][:n])]


def _introduction(n_shown: int, n_scored: int) -> Iterator[str]:
    if n_scored == 0:
        yield "No rollout was scored, so there are no frames to show."
        return
    yield (
        "Of each rollout, the best, the median and the worst return. Beside each, the two controls of the same video "
        "that it is measured against: a baseline pair, whose views owe each other nothing, with the nearest time gap; "
        "and a short pair, a moment apart, that begins nearest to the first view. Values are as measured; an arrow "
        "down marks distances, of which less is better. Frame 0 shows the first pose."
    )
    if n_shown < n_scored:
        yield f" Shown are {n_shown} of {n_scored} scored rollouts, taken in turn from every model and trajectory."


def _whose(block: Block) -> Html:
    revision = f"@{block['revision']}" if block["revision"] else ""
    return fragment(name(f"{block['model']}{revision}"), f", seed {block['seed']}")


def _video_line(block: Block, rollouts: Mapping[str, Rollout]) -> Iterator[object]:
    pairs = block["pairs"]
    yield f"{spaced(block['trajectory'])}; {pairs['n_revisit']} revisit, {pairs['n_baseline']} baseline and "
    yield f"{plural(pairs['n_short'], 'short pair')}; "
    video = block["video"]
    yield f"{video['width']} \N{MULTIPLICATION SIGN} {video['height']}, {plural(video['n_frames'], 'frame')}"
    rollout = rollouts.get(block["rollout_id"])
    if rollout is None:
        return
    yield fragment("; ", name(rollout.video.name))
    if rollout.first_frame:
        yield f", in which frame 0 is video frame {rollout.first_frame}"


def _why_no_return(values: PairValues) -> str:
    n_returns = len(values.pairs["revisit"])
    return f"None of its {plural(n_returns, 'revisit pair')} has a value." if n_returns else "It has no revisit pairs."


# --- numbers ------------------------------------------------------------------------------------------------


def numbers_section(blocks: Sequence[Block]) -> Html:
    """Return the table of all scored rollouts."""
    heading = el("h2", "All scored rollouts")
    if not blocks:
        return el("section", heading, el("p", "None."), id="rollouts")
    metrics = metric_order(blocks[0]["metrics"])
    heads = ["Rollout", *metrics, "Remarks"]
    head = el("tr", *(el("th", text, scope="col", class_="num" if text in metrics else None) for text in heads))
    caption = "NMR of every rollout, MG below it; a dash is not measured or has no dynamic range to divide by"
    rows = [_row(block, metrics) for block in blocks]
    return el("section", heading, table(caption, head, rows, wide="All scored rollouts"), id="rollouts")


def _row(block: Block, metrics: Sequence[str]) -> Html:
    title = el("th", name(block["instance_id"]), el("small", _whose(block)), scope="row", class_="id")
    cells = [_cell(block["metrics"][metric]) for metric in metrics]
    return el("tr", title, *cells, el("td", *_remarks(block, metrics), class_="quiet remarks"))


def _cell(summary: Block) -> Html:
    diagnosis = summary["diagnosis"]
    said = diagnosis["explanation"] if diagnosis else summary["reason"]
    return el("td", number(summary["nmr"]), el("small", number(summary["mg"])), class_="num", title=said)


def _remarks(block: Block, metrics: Sequence[str]) -> list[Html]:
    found: dict[str, list[str]] = defaultdict(list)
    for metric in metrics:
        for remark in _metric_remarks(block["metrics"][metric]):
            found[remark].append(metric)
    of = {remark: "all" if len(names) == len(metrics) else ", ".join(names) for remark, names in found.items()}
    said = [el("div", f"{of[remark]}: {remark}") for remark in found]
    video = [el("div", f"video: {note}") for note in block["video"]["notes"]]
    return [*said, *video] or [el("div", MISSING)]


def _metric_remarks(summary: Block) -> Iterator[str]:
    if summary["diagnosis"]:
        yield spaced(summary["diagnosis"]["label"])
    if summary["reason"]:
        yield summary["reason"]
    if summary["n_missing"]:
        yield f"{plural(summary['n_missing'], 'pair')} without a value"
    for note, count in summary["notes"].items():
        yield f"{note} ({plural(count, 'pair')})"
