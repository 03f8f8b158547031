"""When to ask again, and after how long."""

import email.utils
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass

RETRIED_STATUS = frozenset({408, 409, 425, 429})
"""HTTP statuses that pass with time, besides all from 500 on."""


@dataclass(frozen=True)
class RetryPolicy:
    """How long one question is pursued.

    Attributes:
        attempts: Requests at most, the first included.
        timeout_s: Longest one request may take, from connecting to the last byte.
        deadline_s: Longest all attempts of a question may take, waits included.
        base_s: Wait after the first failure; it doubles with each further one.
        max_s: Longest such wait. A longer one that the endpoint asks for (Retry-After) is honoured up to the
            deadline.
        seed: Seed of the jitter.
    """

    attempts: int = 6
    timeout_s: float = 120.0
    deadline_s: float = 600.0
    base_s: float = 1.0
    max_s: float = 60.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}, expected at least 1")
        for name in ("timeout_s", "deadline_s", "base_s", "max_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}, expected seconds above 0")

    def backoff_s(self, failures: int, key: str) -> float:
        """Return the wait after so many failures: exponential, and a random half of it left out.

        Args:
            failures: 1 after the first failed attempt.
            key: What is asked for; different questions get different jitter and do not come back as one.

        Example:
            >>> policy = RetryPolicy(base_s=1.0, max_s=60.0)
            >>> [1.0 <= policy.backoff_s(2, "a") <= 2.0, policy.backoff_s(40, "a") <= 60.0]
            [True, True]
        """
        full = min(self.max_s, self.base_s * 2.0 ** min(failures - 1, 60))
        return full * random.Random(f"{self.seed}:{key}:{failures}").uniform(0.5, 1.0)


def retry_after_s(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds an endpoint asks to wait, `None` where it does not say.

    Args:
        headers: Response headers, by lower-case name.
        now: Unix time a date is counted from; the clock's when `None`.

    Example:
        >>> retry_after_s({"retry-after": "3"}), retry_after_s({"retry-after-ms": "250"}), retry_after_s({})
        (3.0, 0.25, None)
        >>> retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=20.0)
        40.0
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        wait = _number(headers.get(name, ""))
        if wait is not None:
            return wait * unit
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - (time.time() if now is None else now))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
