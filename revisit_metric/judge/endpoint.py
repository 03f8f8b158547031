"""An OpenAI-compatible chat endpoint: what is sent, which parameters can be given up, how a reply is read."""

import base64
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from revisit_metric.judge.protocol import Picture, Question, Reply, Usage
from revisit_metric.judge.rubric import REQUEST

OPENAI_URL = "https://api.openai.com/v1"

_GIVEN_UP: Mapping[str, tuple[str, ...]] = {
    "response_format": ("response_format", "json_schema", "structured output", "guided"),
    "max_tokens": ("max_tokens",),
    "temperature": ("temperature",),
}
"""Parameters some endpoints refuse, with the words by which a refusal names them."""


@dataclass(frozen=True)
class Endpoint:
    """Where a judge answers, and how it is asked.

    Attributes:
        model: Name at the endpoint; a dated snapshot, where there is one, keeps scores comparable.
        base_url: The API's address, without a key in it. Gemini, vLLM, Ollama and others offer one of this
            kind.
        key_variable: Environment variable that holds the key, `None` where none is needed.
        temperature: Sampling temperature.
        max_tokens: Longest reply, a model's reasoning included where the endpoint counts it.
        structured: Ask for the rubric's JSON schema; left out, and recorded, where the endpoint refuses it.

    Raises:
        ValueError: The address is no HTTP address or carries credentials, or a number is out of range.
    """

    model: str
    base_url: str = OPENAI_URL
    key_variable: str | None = "OPENAI_API_KEY"
    temperature: float = 0.0
    max_tokens: int = 2048
    structured: bool = True

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        if not self.model.strip():
            raise ValueError("the judge's model is not named")
        if not 0 <= self.temperature <= 2:
            raise ValueError(f"temperature is {self.temperature}, expected 0 to 2")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is {self.max_tokens}, expected at least 1")

    def identity(self) -> dict[str, str]:
        """What determines the replies. The address does not: a moved server keeps its stored replies."""
        return {
            "model": self.model,
            "temperature": f"{self.temperature:g}",
            "max_tokens": str(self.max_tokens),
            "structured": "json_schema" if self.structured else "no",
        }


def request_arguments(endpoint: Endpoint, question: Question) -> dict[str, Any]:
    """Return the arguments of the chat call: rubric, then one sentence, Image A, Image B."""
    content = [{"type": "text", "text": REQUEST}, _image(question.earlier), _image(question.later)]
    arguments: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [
            {"role": "system", "content": question.rubric.text},
            {"role": "user", "content": content},
        ],
        "temperature": endpoint.temperature,
        "max_tokens": endpoint.max_tokens,
    }
    if endpoint.structured and question.rubric.schema is not None:
        schema = {"name": "verdict", "strict": True, "schema": dict(question.rubric.schema)}
        arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
    return arguments


def without(arguments: Mapping[str, Any], given_up: Collection[str]) -> dict[str, Any]:
    """Return the arguments without the parameters given up; a length limit goes by its newer name instead."""
    kept = {name: value for name, value in arguments.items() if name not in given_up}
    if "max_tokens" in given_up:
        # Not an argument of every version of the client.
        kept["extra_body"] = {"max_completion_tokens": arguments["max_tokens"]}
    return kept


def next_to_give_up(arguments: Mapping[str, Any], refusal: str) -> str | None:
    """Return the parameter to leave out after the endpoint refused a request, `None` when that cannot help.

    The one the refusal names; where it names none, structured output is the usual cause.

    Example:
        >>> next_to_give_up({"temperature": 0.0}, "Unsupported value: 'temperature' does not support 0.0")
        'temperature'
        >>> next_to_give_up({"temperature": 0.0}, "image too large") is None
        True
    """
    refusal = refusal.lower()
    for name, words in _GIVEN_UP.items():
        if name in arguments and any(word in refusal for word in words):
            return name
    return "response_format" if "response_format" in arguments else None


def read_completion(body: str) -> Reply:
    """Return the reply in a chat completion's JSON.

    Raises:
        ValueError: It is no chat completion; the message says what it is.

    Example:
        >>> body = '{"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": "Hi"}}]}'
        >>> read_completion(body).text
        'Hi'
    """
    try:
        completion = json.loads(body)
        choice = completion["choices"][0]
        message = choice["message"]
        refused = bool(message.get("refusal"))
        return Reply(
            text=str(message["refusal"]) if refused else _text(message.get("content")),
            finish_reason="refusal" if refused else str(choice.get("finish_reason") or ""),
            model=str(completion.get("model") or ""),
            usage=_usage(completion.get("usage")),
        )
    except (json.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no chat completion: {body[:200]!r}") from error


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return "" if content is None else str(content)


def _usage(usage: Any) -> Usage | None:
    try:
        return Usage(int(usage["prompt_tokens"]), int(usage["completion_tokens"]))
    except (KeyError, TypeError, ValueError):
        return None


def _image(picture: Picture) -> dict[str, Any]:
    code = base64.b64encode(picture.png()).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{code}"}}


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        # Not shown: what is in there may be the key.
        raise ValueError(
            "the judge's base_url carries credentials or a query; a key belongs in an environment variable"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the judge's base_url is {url!r}, expected for instance {OPENAI_URL}")
