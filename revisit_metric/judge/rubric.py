"""What a judge is told: the rubric, the sentence that goes with the images, and the form of the answer.

The built-in rubric is `rubric.md` beside this file; `RUBRIC_VERSION` is raised with any change to it, and a
test holds its hash. Another prompt comes from a file and is known by its own hash.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

RUBRIC_VERSION = 1

REQUEST = (
    "The first image is Image A (earlier), the second is Image B (later). "
    "Judge the pair by the rubric and reply with the JSON object only."
)
"""What the judge is asked for every pair; it says nothing of how the pair was chosen."""

INCONSISTENCY_TYPES = (
    "layout",
    "missing",
    "added",
    "moved",
    "identity",
    "appearance",
    "conditions",
    "style",
    "degraded",
)

# Strict structured output wants every property required and no others, and not every endpoint takes numeric
# bounds: the range is checked when the reply is read. The score comes last, after what it rests on.
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "shared": {"type": "string"},
        "inconsistencies": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": list(INCONSISTENCY_TYPES)},
                    "what": {"type": "string"},
                },
                "required": ["type", "what"],
                "additionalProperties": False,
            },
        },
        "score": {"type": "number", "description": "1 to 5"},
    },
    "required": ["shared", "inconsistencies", "score"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Rubric:
    """A prompt and the form of its answer.

    Attributes:
        name: "r2m/1" for the built-in one, else the file's name.
        text: The instructions.
        schema: JSON schema of the reply for endpoints that enforce one; `None` for a prompt of the user's,
            whose form only the user knows. Either way the reply must hold a number under "score".
    """

    name: str
    text: str
    schema: Mapping[str, Any] | None

    @cached_property
    def sha256(self) -> str:
        """Hash of everything the judge is told."""
        told = json.dumps([self.text, REQUEST, self.schema], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()


def load_rubric(path: Path | None = None) -> Rubric:
    """Return the built-in rubric, or the prompt in a UTF-8 text file.

    Raises:
        ValueError: The file is empty, not UTF-8, or never asks for a "score".
        OSError: The file cannot be read.

    Example:
        >>> rubric = load_rubric()
        >>> rubric.name, "score" in rubric.schema["required"]
        ('r2m/1', True)
    """
    if path is None:
        text = Path(__file__).with_name("rubric.md").read_text(encoding="utf-8")
        return Rubric(f"r2m/{RUBRIC_VERSION}", text, SCHEMA)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: {error}") from error
    if "score" not in text:
        found = "it is empty" if not text.strip() else "the word is not in it"
        raise ValueError(f'{path} does not ask for a JSON object with a "score": {found}')
    return Rubric(path.name, text, None)
