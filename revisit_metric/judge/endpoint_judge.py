"""A judge behind an OpenAI-compatible HTTP endpoint: retries, rate limits, deadlines, a cost limit."""

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from revisit_metric.judge.api_key import ApiKey
from revisit_metric.judge.budget import Budget, Hold
from revisit_metric.judge.endpoint import (
    Endpoint,
    next_to_give_up,
    read_completion,
    request_arguments,
    without,
)
from revisit_metric.judge.endpoint_failures import RequestFailure, failure_of, malformed
from revisit_metric.judge.estimate import question_tokens
from revisit_metric.judge.event_loop import EventLoop
from revisit_metric.judge.protocol import JudgeError, Question, Reply, Usage
from revisit_metric.judge.retry import RetryPolicy

if TYPE_CHECKING:
    from openai import AsyncOpenAI

GIVE_UP_AFTER = 20
"""Questions in a row without any reply after which the endpoint is taken to be down, and no more are sent."""

_HOLD_POLL_S = 0.02
_LOG = logging.getLogger(__name__)


class EndpointJudge:
    """Asks a model over HTTP, safely from any number of threads.

    Args:
        endpoint: Where and how.
        retry: How long one question is pursued.
        budget: What may be spent, `None` for no limit.

    Raises:
        ImportError: The `openai` package is missing.
        ValueError: The key's environment variable is not set.
    """

    def __init__(self, endpoint: Endpoint, *, retry: RetryPolicy | None = None, budget: Budget | None = None) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self._retry = retry or RetryPolicy()
        self._key = ApiKey(endpoint.key_variable)
        self._client = _client(endpoint, self._key, self._retry.timeout_s)
        self._loop = EventLoop(at_end=self._client.close)
        # All below is touched in the event loop only.
        self._given_up: frozenset[str] = frozenset()
        self._not_before = 0.0
        self._failed_in_a_row = 0
        self._hopeless: JudgeError | None = None

    def identity(self) -> Mapping[str, str]:
        """Return the model and the parameters it is asked with."""
        return self.endpoint.identity()

    def ask(self, question: Question) -> Reply:
        """Return the reply.

        Raises:
            JudgeError: There is none after all attempts, within the deadline, or without crossing the cost
                limit.
        """
        arguments = request_arguments(self.endpoint, question)
        try:
            return self._loop.run(self._ask(question, arguments))
        except CancelledError:
            raise JudgeError("cancelled") from None

    def cancel(self) -> None:
        """Give up all requests and waits under way."""
        self._loop.cancel()

    def close(self) -> None:
        """Give up what is under way and close all connections; the judge cannot be used any more."""
        self._loop.close()

    async def _ask(self, question: Question, arguments: dict[str, Any]) -> Reply:
        if self._hopeless is not None:
            raise JudgeError(self._hopeless.cause, "not sent: an earlier question showed that none can succeed")
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._retry.deadline_s):
                reply = await self._pursue(question, arguments)
        except TimeoutError:
            error = JudgeError("timeout", f"no reply within {self._retry.deadline_s:g} s, retries included")
        except RequestFailure as failure:
            error = JudgeError(failure.cause, self._key.scrub(str(failure)))
            self._failed_in_a_row += GIVE_UP_AFTER if failure.hopeless else 0
        else:
            self._failed_in_a_row = 0
            return replace(reply, latency_s=round(time.monotonic() - started, 3))
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= GIVE_UP_AFTER and self._hopeless is None:
            _LOG.warning("the judge's endpoint is asked no more: %s", error)
            self._hopeless = error
        # Raised outside the handlers, so not chained: the client's exceptions hold the request and the key in it.
        raise error

    async def _pursue(self, question: Question, arguments: dict[str, Any]) -> Reply:
        """Attempt until a reply comes; the last failure is raised."""
        given_up = self._given_up
        most = _most(question, self.endpoint)
        until = time.monotonic() + self._retry.deadline_s
        failures = 0
        while True:
            wanted = without(arguments, given_up)
            try:
                reply = await self._attempt(wanted, most)
            except RequestFailure as failure:
                refused = next_to_give_up(wanted, str(failure)) if failure.refused else None
                if refused is not None:
                    given_up |= {refused}
                    continue
                failures += 1
                if not failure.retry or failures == self._retry.attempts:
                    raise
                pause = self._pause_s(failure, failures, question)
                if time.monotonic() + pause > until:
                    raise
                await asyncio.sleep(pause)
            else:
                self._given_up |= given_up
                return replace(reply, adjustments=tuple(sorted(given_up)))

    async def _attempt(self, arguments: dict[str, Any], most: Usage) -> Reply:
        while (pause := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(pause)
        hold = await self._reserve(most)
        usage, charged = None, True
        try:
            reply = await self._request(arguments)
            usage = reply.usage
        except RequestFailure as failure:
            charged = failure.charged
            raise
        finally:
            if self.budget is not None and hold is not None:
                self.budget.settle(hold, usage, charged=charged)
        return reply

    async def _request(self, arguments: dict[str, Any]) -> Reply:
        import openai

        try:
            async with asyncio.timeout(self._retry.timeout_s):
                response = await self._client.chat.completions.with_raw_response.create(**arguments)
        except TimeoutError:
            raise RequestFailure("timeout", f"no reply within {self._retry.timeout_s:g} s", charged=True) from None
        except openai.APIError as error:
            raise failure_of(error) from None
        try:
            return read_completion(self._key.scrub(response.http_response.text))
        except ValueError as error:
            raise malformed(str(error)) from None

    def _pause_s(self, failure: RequestFailure, failures: int, question: Question) -> float:
        key = question.earlier.sha256 + question.later.sha256
        if failure.wait_s is None:
            return self._retry.backoff_s(failures, key)
        # What one request was told holds for all; a little jitter keeps them from coming back as one.
        self._not_before = max(self._not_before, time.monotonic() + failure.wait_s)
        return failure.wait_s + self._retry.backoff_s(1, key) / 10

    async def _reserve(self, most: Usage) -> Hold | None:
        if self.budget is None:
            return None
        while (hold := self.budget.reserve(most)) is None:
            await asyncio.sleep(_HOLD_POLL_S)
        return hold


def _most(question: Question, endpoint: Endpoint) -> Usage:
    """Tokens a question takes at most: both frames share a size."""
    height, width = question.earlier.frame.shape[:2]
    return Usage(question_tokens(width, height, question.rubric), endpoint.max_tokens)


def _client(endpoint: Endpoint, key: ApiKey, timeout_s: float) -> "AsyncOpenAI":
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise ImportError("a judge over HTTP needs the openai package: pip install 'revisit-metric[judge]'") from error
    return AsyncOpenAI(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=timeout_s)
