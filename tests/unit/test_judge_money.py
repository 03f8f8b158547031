import pytest

from revisit_metric.judge.budget import Budget, Price
from revisit_metric.judge.estimate import Plan, estimate, image_tokens, question_tokens
from revisit_metric.judge.protocol import JudgeError, Usage
from revisit_metric.judge.retry import RetryPolicy, retry_after_s
from revisit_metric.judge.rubric import REQUEST, Rubric

UNIT = Price(1_000_000.0, 1_000_000.0)
"""One token costs 1."""


# --- budget ---


def test_holds_count_until_they_are_settled():
    budget = Budget(10.0, UNIT)
    first = budget.reserve(Usage(4, 2))
    assert budget.reserve(Usage(4, 2)) is None  # 12 would cross the limit, if the first is used in full
    budget.settle(first, Usage(2, 1))
    assert budget.spent == 3.0
    assert budget.reserve(Usage(4, 2)) is not None


def test_beyond_the_limit_there_is_no_more():
    budget = Budget(10.0, UNIT)
    budget.settle(budget.reserve(Usage(5, 3)), None)
    with pytest.raises(JudgeError, match=r"cost limit: 8.0000 of 10 spent, the next needs 3.0000"):
        budget.reserve(Usage(2, 1))
    with pytest.raises(JudgeError, match="cost limit"):
        budget.reserve(Usage(1, 0))


def test_a_request_turned_away_costs_nothing():
    budget = Budget(10.0, UNIT)
    budget.settle(budget.reserve(Usage(5, 3)), None, charged=False)
    assert budget.spent == 0.0


def test_estimates_learn_from_what_was_used():
    budget = Budget(100.0, UNIT)
    budget.settle(budget.reserve(Usage(10, 0)), Usage(30, 0))
    assert budget.reserve(Usage(10, 5)).cost == 35.0


@pytest.mark.parametrize("cost", [0.0, -1.0, float("nan")])
def test_refuses_no_limit(cost):
    with pytest.raises(ValueError, match="max_cost is"):
        Budget(cost, UNIT)


@pytest.mark.parametrize("price", [Price(0.0, 0.0), Price(-1.0, 2.0)])
def test_refuses_no_price(price):
    with pytest.raises(ValueError, match="prices are"):
        Budget(1.0, price)


# --- estimate ---


def test_estimate_by_hand():
    rubric = Rubric("x", "a" * (400 - len(REQUEST)), None)
    assert image_tokens(832, 480) == 30 * 18
    assert question_tokens(832, 480, rubric) == 100 + 2 * 540
    plan = Plan(repeats=2, concurrency=4, max_tokens=1000, latency_s=3.0)
    told = estimate(9, width=832, height=480, rubric=rubric, plan=plan, price=Price(1.0, 10.0))
    assert (told.pairs, told.calls, told.tokens_in, told.tokens_out) == (9, 18, 18 * 1180, 18 * 250)
    assert told.cost == pytest.approx((18 * 1180 + 10 * 18 * 250) / 1e6)
    assert told.cost_at_most == pytest.approx((18 * 1180 + 10 * 18 * 1000) / 1e6)
    assert told.seconds == 5 * 3.0


def test_estimate_without_a_price_has_no_cost():
    told = estimate(0, width=64, height=64, rubric=Rubric("x", "y", None))
    assert (told.calls, told.cost, told.cost_at_most, told.seconds) == (0, None, None, 0.0)
    with pytest.raises(ValueError, match="pairs is -1"):
        estimate(-1, width=64, height=64, rubric=Rubric("x", "y", None))


# --- retries ---


def test_backoff_doubles_is_bounded_and_reproducible():
    policy = RetryPolicy(base_s=1.0, max_s=10.0)
    waits = [policy.backoff_s(n, "a") for n in (1, 2, 3, 4, 5, 100)]
    for wait, full in zip(waits, (1, 2, 4, 8, 10, 10), strict=True):
        assert full / 2 <= wait <= full
    assert waits == [policy.backoff_s(n, "a") for n in (1, 2, 3, 4, 5, 100)]
    assert waits != [policy.backoff_s(n, "b") for n in (1, 2, 3, 4, 5, 100)]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:03:00 GMT"}, 80.0),
    ],
)
def test_retry_after(headers, wait):
    assert retry_after_s(headers, now=100.0) == wait


@pytest.mark.parametrize(
    "change", [{"attempts": 0}, {"timeout_s": 0.0}, {"deadline_s": -1.0}, {"base_s": float("nan")}]
)
def test_policy_refuses(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))} is"):
        RetryPolicy(**change)
