"""What a backbone and a pair score are: the two small interfaces every family is made of.

A *backbone* turns frames into features, one per frame, in batches; it never sees a pair. A *pair score* turns
the features of (earlier, later) frame pairs into values; it never sees a video. The run decodes each needed
frame once, calls each backbone once per frame, and hands cached features to every score that reads that
backbone. PSNR, LPIPS, a place-recognition descriptor, a matcher with RANSAC, an object detector and a
vision-language judge all fit this shape.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Frames = NDArray[np.uint8]
"""RGB frames `(B, H, W, 3)`, `[0, 255]`."""

Feature = Mapping[str, NDArray[Any]]
"""Everything kept of one frame, as named host arrays: what a cache can measure, write and read back."""


Pair = tuple[int, int]
"""(earlier, later) frame indices."""

NOT_SAMPLED = "not sampled"
"""Note of a pair that a `SelectiveScore` left out: no value was wanted, so none is missing."""


class Outcome(NamedTuple):
    """The score of one pair: a value, or `None` with the reason there is none.

    A value may carry a note when a written rule shaped it (a capped PSNR); notes are counted in the result.
    """

    value: float | None
    note: str | None = None


class Metric(NamedTuple):
    """What a score says about itself.

    Attributes:
        name: Column name, unique over all profiles ("psnr").
        family: `appearance`, `scene`, `object`, `geometry` or `state`.
        higher_is_better: `False` for distances such as LPIPS; relative scores are computed on the oriented
        value.
        bounds: Closed range a value may take; a value outside it is refused by the run.
        version: Raised whenever a change moves any value.
    """

    name: str
    family: str
    higher_is_better: bool
    bounds: tuple[float, float]
    version: int


@runtime_checkable
class Backbone(Protocol):
    """Per-frame features in batches."""

    name: str

    def identity(self) -> Mapping[str, str]:
        """What determines the features apart from the frame: version, weights' sha256, settings, dtype."""
        ...

    def extract(self, frames: Frames) -> list[Feature]:
        """Return one feature per frame of `frames` `(B, H, W, 3)`, independent of batch composition."""
        ...


@runtime_checkable
class PairScore(Protocol):
    """Values of frame pairs from the features of one backbone."""

    name: str
    backbone: str
    metrics: tuple[Metric, ...]

    def identity(self) -> Mapping[str, str]:
        """What determines the values apart from the features: settings and heads' sha256."""
        ...

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        """Return, for each metric name, one outcome per pair; `earlier[k]` and `later[k]` form pair k."""
        ...


# --- what a pair score may offer besides --------------------------------------------------------------------


@runtime_checkable
class SelectiveScore(Protocol):
    """A pair score too dear for every pair: it names those it is given, the others are "not sampled"."""

    def select(self, pairs_by_type: Mapping[str, Sequence[Pair]], *, seed: int) -> Mapping[str, Sequence[Pair]]:
        """Return the pairs of each type that are scored; a function of the pair lists and the seed alone."""
        ...


class Sitting(Protocol):
    """The pairs of one rollout, gathered first and answered together."""

    def add(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> None:
        """Gather pairs; `earlier[k]` and `later[k]` form pair k."""
        ...

    def outcomes(self) -> dict[str, list[Outcome]]:
        """Return, for each metric name, one outcome per gathered pair, in the order they came."""
        ...


@runtime_checkable
class GatheringScore(Protocol):
    """A pair score that answers the pairs of a rollout together, once all are known, not chunk by chunk."""

    def open(self) -> Sitting:
        """Return an empty sitting for one rollout."""
        ...


@runtime_checkable
class RetryableScore(Protocol):
    """A pair score whose missing values may be had another time: a network was down, a limit was reached."""

    def asks_again(self, note: str | None) -> bool:
        """Whether a missing value with this note is worth another try in a rerun."""
        ...


@runtime_checkable
class ConditionalScore(Protocol):
    """A pair score that needs more than weights, and says what it lacks."""

    @property
    def unavailable(self) -> str:
        """Why the score cannot run; an empty string when it can."""
        ...
