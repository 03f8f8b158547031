"""Money: what a question may cost at most is set aside before it is sent, so that a limit holds."""

from typing import NamedTuple

from revisit_metric.judge.protocol import JudgeError, Usage

COST_LIMIT = "cost limit"
"""Cause of every question that was not asked for want of money."""


class Price(NamedTuple):
    """Price of a million tokens read and a million written, in any one currency."""

    per_million_in: float
    per_million_out: float

    def of(self, usage: Usage) -> float:
        """Return what so many tokens cost.

        Example:
            >>> Price(2.0, 10.0).of(Usage(1_000_000, 100_000))
            3.0
        """
        return (usage.tokens_in * self.per_million_in + usage.tokens_out * self.per_million_out) / 1e6


class Budget:
    """Money of one process. Not locked: only the judge's event loop spends it.

    Args:
        max_cost: What may be spent in all.
        price: What tokens cost.

    Attributes:
        spent: What replies have cost, by the tokens they reported; a request whose fate is unknown counts in
            full.

    Raises:
        ValueError: `max_cost` or a price is not a positive number.

    Example:
        >>> budget = Budget(1.0, Price(1.0, 10.0))
        >>> hold = budget.reserve(Usage(100_000, 10_000))
        >>> budget.settle(hold, Usage(90_000, 2_000))
        >>> round(budget.spent, 6)
        0.11
    """

    def __init__(self, max_cost: float, price: Price) -> None:
        if not max_cost > 0:
            raise ValueError(f"max_cost is {max_cost}, expected an amount above 0")
        if min(price) < 0 or not sum(price) > 0:
            raise ValueError(f"prices are {tuple(price)}, expected amounts per million tokens")
        self.max_cost = max_cost
        self.price = price
        self.spent = 0.0
        self._held = 0.0
        self._stopped = False
        # Estimates of input tokens are raised by the worst ratio seen.
        self._ratio = 1.0

    def reserve(self, most: Usage) -> "Hold | None":
        """Set aside what a request costs at most.

        Returns:
            The hold, or `None` where the money now held by others must come free first.

        Raises:
            JudgeError: The limit would be crossed; from then on, always.
        """
        cost = self.price.of(Usage(round(most.tokens_in * self._ratio), most.tokens_out))
        if self._stopped or self.spent + cost > self.max_cost:
            self._stopped = True
            raise JudgeError(COST_LIMIT, f"{self.spent:.4f} of {self.max_cost:g} spent, the next needs {cost:.4f}")
        if self.spent + self._held + cost > self.max_cost:
            return None
        self._held += cost
        return Hold(cost, most.tokens_in)

    def settle(self, hold: "Hold", usage: Usage | None, *, charged: bool = True) -> None:
        """Replace what was set aside by what was used.

        Args:
            hold: What `reserve` returned.
            usage: Tokens of the reply, `None` where they are unknown: the whole hold then counts.
            charged: `False` for a request the endpoint turned away.
        """
        self._held -= hold.cost
        if not charged:
            return
        self.spent += hold.cost if usage is None else self.price.of(usage)
        if usage is not None:
            self._ratio = max(self._ratio, usage.tokens_in / max(hold.tokens_in, 1))


class Hold(NamedTuple):
    """Money set aside for one request."""

    cost: float
    tokens_in: int
