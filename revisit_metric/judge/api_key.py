"""The key of a judge's endpoint: read from the environment, shown to the endpoint, never to anyone else."""

import os

MASK = "[key]"
MIN_SECRET = 6


class ApiKey:
    """A key that cannot be printed by accident.

    Args:
        variable: Environment variable that holds it; `None` for an endpoint that asks for none.

    Raises:
        ValueError: The variable is not set, or holds what no key is; the message does not show it.

    Example:
        >>> ApiKey(None)
        ApiKey(None)
    """

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str | None) -> None:
        self.variable = variable
        self._value = "" if variable is None else os.environ.get(variable, "").strip()
        if variable is not None and not self._value:
            raise ValueError(
                f"environment variable {variable} is not set: it must hold the judge's API key; "
                "for an endpoint that needs none, say so with key_variable=None"
            )

        if not (self._value.isascii() and self._value.isprintable()):
            raise ValueError(f"environment variable {variable} holds letters that no API key has: a line break?")

    def __repr__(self) -> str:
        return f"ApiKey({self.variable!r})"

    def __reduce__(self) -> tuple[type["ApiKey"], tuple[str | None]]:
        # Another process reads its own environment.
        return (ApiKey, (self.variable,))

    def reveal(self) -> str:
        """Return the key for the request's header; some word where none is needed: the client wants one."""
        return self._value or "none"

    def scrub(self, text: str) -> str:
        """Return `text` with the key masked; a word under 6 letters ("EMPTY") is no secret and stays."""
        return text.replace(self._value, MASK) if len(self._value) >= MIN_SECRET else text
