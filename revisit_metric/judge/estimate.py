"""What a judged run will take, before it is started: pairs, calls, tokens, money, time.

Tokens are estimates until an endpoint has answered. Text: one token for 4 characters. Images: one token for
each 28 x 28 pixels begun, as Qwen's models count; at 832x480 that is 540, where OpenAI's tile rule gives 425
and Anthropic's area rule 533. Larger frames are scaled down by most endpoints, so there it errs upwards.
"""

import math
from dataclasses import dataclass

from revisit_metric.judge.budget import Price
from revisit_metric.judge.protocol import Usage
from revisit_metric.judge.rubric import REQUEST, Rubric

LETTERS_PER_TOKEN = 4
IMAGE_CELL_PX = 28
REPLY_TOKENS = 250
"""Tokens of a usual reply under the built-in rubric; a model that reasons at length writes more."""


@dataclass(frozen=True)
class Estimate:
    """What a run takes.

    Attributes:
        pairs: Pairs the judge is shown.
        calls: Questions asked: pairs times repeats; fewer where replies are already stored.
        tokens_in: Tokens the judge reads.
        tokens_out: Tokens it writes, by `REPLY_TOKENS`.
        cost: Money by these, `None` without a price.
        cost_at_most: Money if every reply has `max_tokens`, `None` without a price. What `max_cost` guards.
        seconds: Time at the latency and concurrency given.
    """

    pairs: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    cost_at_most: float | None
    seconds: float


def estimate(
    pairs: int,
    *,
    width: int,
    height: int,
    rubric: Rubric,
    plan: "Plan | None" = None,
    price: Price | None = None,
) -> Estimate:
    """Return what judging so many pairs takes.

    Args:
        pairs: Pairs the judge is shown, of all rollouts, after sampling.
        width: Frame width in pixels.
        height: Frame height in pixels.
        rubric: What the judge is told.
        plan: How it is asked; the defaults when `None`.
        price: What tokens cost.

    Raises:
        ValueError: `pairs` is negative.

    Example:
        >>> from revisit_metric.judge.rubric import load_rubric
        >>> told = estimate(3000, width=832, height=480, rubric=load_rubric(), price=Price(2.0, 8.0))
        >>> told.calls, told.tokens_out, told.cost < told.cost_at_most
        (3000, 750000, True)
    """
    if pairs < 0:
        raise ValueError(f"pairs is {pairs}, expected 0 or more")
    plan = plan or Plan()
    calls = pairs * plan.repeats
    used = Usage(calls * question_tokens(width, height, rubric), calls * min(REPLY_TOKENS, plan.max_tokens))
    return Estimate(
        pairs=pairs,
        calls=calls,
        tokens_in=used.tokens_in,
        tokens_out=used.tokens_out,
        cost=None if price is None else price.of(used),
        cost_at_most=None if price is None else price.of(Usage(used.tokens_in, calls * plan.max_tokens)),
        seconds=math.ceil(calls / plan.concurrency) * plan.latency_s,
    )


@dataclass(frozen=True)
class Plan:
    """How a run asks.

    Attributes:
        repeats: Times each pair is asked.
        concurrency: Questions asked at once.
        max_tokens: Longest reply.
        latency_s: Seconds one reply takes.
    """

    repeats: int = 1
    concurrency: int = 8
    max_tokens: int = 2048
    latency_s: float = 6.0


def question_tokens(width: int, height: int, rubric: Rubric) -> int:
    """Return the tokens of one question: rubric, request and two frames."""
    text = math.ceil((len(rubric.text) + len(REQUEST)) / LETTERS_PER_TOKEN)
    return text + 2 * image_tokens(width, height)


def image_tokens(width: int, height: int) -> int:
    """Return the tokens of one frame.

    Example:
        >>> image_tokens(832, 480), image_tokens(64, 64)
        (540, 9)
    """
    return math.ceil(width / IMAGE_CELL_PX) * math.ceil(height / IMAGE_CELL_PX)
