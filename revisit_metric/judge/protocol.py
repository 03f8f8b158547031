"""What a judge is: one question in, one raw reply out.

Conventions:
    A question shows two frames of one video, the earlier first, and nothing else: no frame numbers, no file
    names, no pair type. A reply is the judge's text as it came; reading a score out of it is `verdict.py`'s
    job, so that a stored reply can be read again.
"""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from revisit_metric.backbones import require_rgb
from revisit_metric.judge.rubric import Rubric


class JudgeError(RuntimeError):
    """A question that got no reply.

    Attributes:
        cause: Short and the same for every question that fails this way ("timeout", "cost limit").
    """

    def __init__(self, cause: str, message: str = "") -> None:
        super().__init__(f"{cause}: {message}" if message else cause)
        self.cause = cause


@dataclass(frozen=True)
class Picture:
    """One frame as a judge sees it.

    Attributes:
        frame: uint8 RGB `(H, W, 3)`, `[0, 255]`.
    """

    frame: NDArray[np.uint8]

    def __post_init__(self) -> None:
        require_rgb(self.frame, ndim=3)

    @cached_property
    def sha256(self) -> str:
        """Hash of size and pixels: the same whatever encoder or decoder carried them."""
        digest = hashlib.sha256(repr(self.frame.shape).encode())
        digest.update(np.ascontiguousarray(self.frame).data)
        return digest.hexdigest()

    def png(self) -> bytes:
        """Return the frame as a PNG: lossless, native size."""
        stream = io.BytesIO()
        Image.fromarray(self.frame).save(stream, "PNG")
        return stream.getvalue()


@dataclass(frozen=True)
class Question:
    """Two frames under a rubric.

    Attributes:
        earlier: Shown first, as Image A.
        later: Shown second, as Image B.
        rubric: What the judge is told.
        repeat: Which of several askings of the same question this is, from 0; the judge does not see it.
    """

    earlier: Picture
    later: Picture
    rubric: Rubric
    repeat: int = 0

    def key_parts(self) -> dict[str, Any]:
        """What tells this question from others."""
        return {
            "earlier": self.earlier.sha256,
            "later": self.later.sha256,
            "rubric": self.rubric.sha256,
            "repeat": self.repeat,
        }


class Usage(NamedTuple):
    """Tokens the judge reported."""

    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Reply:
    """What came back, untouched apart from removed keys.

    Attributes:
        text: The judge's words.
        finish_reason: Why it stopped: "stop", "length", "content_filter", ...; "" when not told.
        model: The model that answered, by its own account: the served snapshot, not the alias asked for.
        latency_s: Seconds from the first attempt to the reply, waits included.
        usage: Tokens, `None` when not told.
        adjustments: Request parameters the endpoint refused, and that were left out or replaced.
    """

    text: str
    finish_reason: str
    model: str
    latency_s: float = 0.0
    usage: Usage | None = None
    adjustments: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {**asdict(self), "usage": None if self.usage is None else self.usage._asdict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Reply":
        """Undo `to_dict`. Raises KeyError or TypeError where the values are not a reply's."""
        usage = values["usage"]
        return cls(
            text=str(values["text"]),
            finish_reason=str(values["finish_reason"]),
            model=str(values["model"]),
            latency_s=float(values["latency_s"]),
            usage=None if usage is None else Usage(**usage),
            adjustments=tuple(values["adjustments"]),
        )


@runtime_checkable
class Judge(Protocol):
    """Someone who answers questions, from several threads at once."""

    def identity(self) -> Mapping[str, str]:
        """What determines the replies: the model and the parameters it is asked with."""
        ...

    def ask(self, question: Question) -> Reply:
        """Return the reply. Raises `JudgeError` when there is none."""
        ...

    def cancel(self) -> None:
        """Give up what is being asked now; the waiting callers get `JudgeError`."""
        ...
