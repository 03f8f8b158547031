"""What a failed request means: whether to ask again, when, and whether it may have cost money."""

from typing import TYPE_CHECKING

from revisit_metric.judge.retry import RETRIED_STATUS, retry_after_s

if TYPE_CHECKING:
    import openai

_NEVER_CONNECTED = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
_HOPELESS_STATUS = frozenset({401, 402, 404})


class RequestFailure(Exception):  # noqa: N818  (it ends one attempt, not the question)
    """One attempt without a reply.

    Attributes:
        cause: Short and the same for every attempt that fails this way.
        retry: It may pass with time.
        wait_s: Seconds the endpoint asks to wait, `None` where it does not say.
        charged: The endpoint may have done the work.
        refused: It refused the request as such: a parameter may be to blame.
        hopeless: Every further question would fail alike.
    """

    def __init__(
        self,
        cause: str,
        message: str,
        *,
        retry: bool = True,
        wait_s: float | None = None,
        charged: bool = False,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.retry = retry
        self.wait_s = wait_s
        self.charged = charged
        self.refused = False
        self.hopeless = False


def failure_of(error: "openai.APIError") -> RequestFailure:
    """Return what an exception of the client means."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    if isinstance(error, openai.APITimeoutError | openai.APIConnectionError):
        cause = "timeout" if isinstance(error, openai.APITimeoutError) else "connection failed"
        reason = type(error.__cause__).__name__
        return RequestFailure(cause, f"{error} ({reason})", charged=reason not in _NEVER_CONNECTED)
    return malformed(str(error))


def malformed(message: str) -> RequestFailure:
    """Return the failure of a response that is no reply."""
    return RequestFailure("malformed response", message, charged=True)


def _status_failure(error: "openai.APIStatusError") -> RequestFailure:
    status = error.status_code
    message = str(error)[:500]
    if status == 429 and "insufficient_quota" in (error.code or "", error.type or ""):
        failure = RequestFailure("quota exhausted", message, retry=False)
        failure.hopeless = True
        return failure
    if status in RETRIED_STATUS or status >= 500:
        cause = "rate limited" if status == 429 else f"server error {status}"
        return RequestFailure(cause, message, wait_s=retry_after_s(error.response.headers))
    failure = RequestFailure(f"request refused {status}", message, retry=False)
    failure.refused = status in (400, 422)
    failure.hopeless = status in _HOPELESS_STATUS
    return failure
