"""A judge from a few words: what a command line or a configuration file says, turned into an interview."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from revisit_metric.judge.budget import Budget, Price
from revisit_metric.judge.endpoint import OPENAI_URL, Endpoint
from revisit_metric.judge.endpoint_judge import EndpointJudge
from revisit_metric.judge.interview import Interview, Manner
from revisit_metric.judge.protocol import Judge
from revisit_metric.judge.reply_store import ReplyStore, default_folder
from revisit_metric.judge.retry import RetryPolicy
from revisit_metric.judge.rubric import load_rubric

KINDS = ("openai", "local", "recorded")


@dataclass(frozen=True)
class JudgeSettings:
    """Who judges, and how.

    Attributes:
        judge: "openai:MODEL" for an OpenAI-compatible endpoint, "local:FOLDER" for a saved `transformers`
            model, "recorded:FILE" for a recording.
        base_url: The endpoint's address.
        key_variable: Environment variable of the endpoint's key, `None` where none is needed.
        temperature: Sampling temperature of the endpoint; a local model decodes greedily.
        max_tokens: Longest reply.
        structured: Ask the endpoint for the rubric's JSON schema.
        device: Torch device of a local model.
        rubric: File with another prompt, `None` for the built-in one.
        manner: Repeats, concurrency, order.
        retry: How long one question is pursued.
        price: What the endpoint's tokens cost, `None` when unknown.
        max_cost: What may be spent on it in one run, `None` for no limit.
        store: Folder of stored replies, `None` for the user's cache folder.

    Raises:
        ValueError: The judge is none of these kinds, or there is a limit without a price.
    """

    judge: str
    base_url: str = OPENAI_URL
    key_variable: str | None = "OPENAI_API_KEY"
    temperature: float = 0.0
    max_tokens: int = 2048
    structured: bool = True
    device: str | None = None
    rubric: Path | None = None
    manner: Manner = field(default_factory=Manner)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    price: Price | None = None
    max_cost: float | None = None
    store: Path | None = None

    def __post_init__(self) -> None:
        kind, colon, name = self.judge.partition(":")
        if kind not in KINDS or not colon or not name:
            raise ValueError(f"judge is {self.judge!r}, expected openai:MODEL, local:FOLDER or recorded:FILE")
        if self.max_cost is not None and self.price is None:
            raise ValueError(f"max_cost is {self.max_cost:g}, but what tokens cost is not given (price)")

    def shaping(self) -> dict[str, Any]:
        """Return what may change which values a run has, JSON-ready; how fast they come is left out, and the key."""
        return {
            "judge": self.judge,
            "base_url": self.base_url if self.judge.startswith("openai:") else None,
            "rubric": None if self.rubric is None else self.rubric.name,
            "repeats": self.manner.repeats,
            "price": None if self.price is None else self.price._asdict(),
            "max_cost": self.max_cost,
        }


def open_judge(settings: JudgeSettings) -> Judge:
    """Return the judge.

    Raises:
        ValueError: It cannot be had: no key, no model in the folder, no recording.
        ImportError: The `openai` package is missing.
        OSError: The recording cannot be read.
    """
    kind, _, name = settings.judge.partition(":")
    if kind == "recorded":
        from revisit_metric.judge.recorded import RecordedJudge

        return RecordedJudge(Path(name))
    if kind == "local":
        from revisit_metric.judge.local import LocalJudge

        return LocalJudge(Path(name), max_tokens=settings.max_tokens, device=settings.device)
    endpoint = Endpoint(
        model=name,
        base_url=settings.base_url,
        key_variable=settings.key_variable,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        structured=settings.structured,
    )
    return EndpointJudge(endpoint, retry=settings.retry, budget=_budget(settings))


def open_interview(settings: JudgeSettings) -> Interview:
    """Return the judge with its rubric and stored replies. Raises as `open_judge` and `load_rubric` do."""
    rubric = load_rubric(settings.rubric)
    store = ReplyStore(settings.store or default_folder())
    return Interview(open_judge(settings), rubric, store, settings.manner)


def _budget(settings: JudgeSettings) -> Budget | None:
    if settings.max_cost is None or settings.price is None:
        return None
    return Budget(settings.max_cost, settings.price)
