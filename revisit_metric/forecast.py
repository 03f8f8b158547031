"""What an evaluation will ask its judge, before anything is asked: the pairs it would show, and what they take."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from revisit_metric.judge.budget import Price
from revisit_metric.judge.estimate import Estimate, Plan, estimate
from revisit_metric.judge.rubric import Rubric
from revisit_metric.judge.sampling import sample_for_judge
from revisit_metric.manifest import Rollout
from revisit_metric.run import Settings, commanded_pairs, require_judge
from revisit_metric.tasks.revisit import pairs_by_type
from revisit_metric.video import probe


class Forecast(NamedTuple):
    """What a run takes.

    Attributes:
        n_rollouts: Rollouts that are counted.
        estimate: What judging them takes, all together.
        left_out: Rollout to the reason it could not be counted.
    """

    n_rollouts: int
    estimate: Estimate
    left_out: Mapping[str, str]


def forecast(
    rollouts: Sequence[Rollout],
    settings: Settings,
    *,
    rubric: Rubric,
    plan: Plan | None = None,
    price: Price | None = None,
) -> Forecast:
    """Return what judging these rollouts takes; reads the commanded poses and the videos' headers.

    Args:
        rollouts: What would be evaluated.
        settings: How; its judge is not needed.
        rubric: What the judge would be told.
        plan: How it would be asked; the defaults when `None`.
        price: What its tokens cost.

    Raises:
        ValueError: The profile asks no judge.
    """
    require_judge(settings.profile)
    estimates: list[Estimate] = []
    left_out: dict[str, str] = {}
    for rollout in rollouts:
        try:
            size = probe(rollout.video)
            n_pairs = _n_judged(rollout, settings)
        except (ValueError, OSError) as error:
            left_out[rollout.rollout_id] = str(error)
            continue
        estimates.append(estimate(n_pairs, width=size.width, height=size.height, rubric=rubric, plan=plan, price=price))
    return Forecast(len(estimates), _total(estimates, priced=price is not None), left_out)


def _n_judged(rollout: Rollout, settings: Settings) -> int:
    lists = pairs_by_type(commanded_pairs(rollout, settings))
    return len(
        {pair for own in sample_for_judge(lists, cap=settings.judge_cap, seed=settings.seed).values() for pair in own}
    )


def _total(estimates: Sequence[Estimate], *, priced: bool) -> Estimate:
    """Add up; the run asks one rollout after the other, so times add up as well."""
    return Estimate(
        pairs=sum(each.pairs for each in estimates),
        calls=sum(each.calls for each in estimates),
        tokens_in=sum(each.tokens_in for each in estimates),
        tokens_out=sum(each.tokens_out for each in estimates),
        cost=sum(each.cost or 0.0 for each in estimates) if priced else None,
        cost_at_most=sum(each.cost_at_most or 0.0 for each in estimates) if priced else None,
        seconds=sum(each.seconds for each in estimates),
    )
