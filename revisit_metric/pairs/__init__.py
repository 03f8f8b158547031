"""Which frame pairs a trajectory is scored on: revisits, gap-matched baselines and short pairs, under a named protocol.

Conventions: a pair is (earlier, later), indices of poses from 0. A pair set is a function of the commanded poses, the
frame count, the protocol and its seed; never of a model's pixels. A protocol is frozen and versioned: a change that
moves any list raises its version, and a result names the one it used.

Protocols:
    official: the sampler of the benchmark's released code, index for index. It produced the published numbers.
    paper: the text of the paper's Eq. 1-4 with its constants, and nothing the text does not say.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from revisit_metric.pairs import official as pairs_official
from revisit_metric.pairs import paper as pairs_paper
from revisit_metric.pairs.geometry import Pair, Thresholds
from revisit_metric.trajectory import Poses, validate_poses

__all__ = ["PROTOCOLS", "Pair", "PairSet", "Protocol", "Thresholds", "sample_pairs"]


class Protocol(NamedTuple):
    """A frozen rule for choosing pairs.

    Attributes:
        name: Key in `PROTOCOLS`.
        version: Raised whenever any list of any trajectory changes.
        cap: Most revisit pairs taken unless the caller says otherwise; `None` takes all.
        description: What it follows, in one sentence.
    """

    name: str
    version: int
    cap: int | None
    description: str


PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("official", 1, 100, "the sampler of the benchmark's released code, index for index"),
        Protocol("paper", 1, None, "Eq. 1-4 of the paper's text, with frame-level exclusion of revisits"),
    )
}
"""Every pair protocol by name."""


@dataclass(frozen=True)
class PairSet:
    """The pairs of one trajectory.

    Attributes:
        protocol: Name of the protocol.
        version: Its version.
        seed: Seed of its random choices.
        cap: Most revisit pairs taken; `None` for all.
        n_frames: Effective length T: posed frames that take part.
        revisit: Commanded revisits, in the protocol's order.
        baseline: Gap-matched pairs that are no revisits; not aligned with `revisit`.
        short: Pairs a moment apart.
        thresholds: What counts as the same pose, in metres and degrees, and the least gap.
        tier: The exclusion rule that the baselines obey.
        matched_rate: Baselines over revisits; above 1 where the protocol tops up; `None` without revisits.
        notes: What a reader of the scores must know, in sentences.
        details: The protocol's own counts.
    """

    protocol: str
    version: int
    seed: int
    cap: int | None
    n_frames: int
    revisit: tuple[Pair, ...]
    baseline: tuple[Pair, ...]
    short: tuple[Pair, ...]
    thresholds: Thresholds
    tier: str
    matched_rate: float | None
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Hash of the protocol, its settings and the three lists."""
        identity = [self.protocol, self.version, self.seed, self.cap, self.n_frames]
        return hashlib.sha256(_compact([*identity, self.revisit, self.baseline, self.short]).encode()).hexdigest()

    @property
    def n_posed_needed(self) -> int:
        """Frames a video needs from pose 0 on: above `n_frames` where leading still frames are trimmed."""
        return int(self.details.get("first_frame", 0)) + self.n_frames

    def frames(self) -> list[int]:
        """All frames that any pair reads, ascending."""
        return sorted({frame for pair in (*self.revisit, *self.baseline, *self.short) for frame in pair})

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready record; `from_dict` reads it back."""
        record = {**asdict(self), "thresholds": self.thresholds._asdict(), "sha256": self.sha256}
        lists = {kind: [list(pair) for pair in record[kind]] for kind in ("revisit", "baseline", "short")}
        return {**record, **lists, "notes": list(self.notes), "details": dict(self.details)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "PairSet":
        """Read what `to_dict` wrote.

        Raises:
            ValueError: The lists do not have the hash that the record claims.
        """
        lists = {kind: _pairs(record[kind]) for kind in ("revisit", "baseline", "short")}
        known = {key: value for key, value in record.items() if key != "sha256"}
        thresholds = Thresholds(**record["thresholds"])
        pairs = cls(**{**known, **lists, "thresholds": thresholds, "notes": tuple(record["notes"])})
        if record.get("sha256") != pairs.sha256:
            raise ValueError(f"pair set has hash {pairs.sha256}, its record says {record.get('sha256')}")
        return pairs


def sample_pairs(
    poses: Poses,
    *,
    n_frames: int | None = None,
    protocol: str = "official",
    seed: int = 42,
    cap: int | Literal["all"] | None = None,
) -> PairSet:
    """Choose the pairs of one commanded trajectory.

    Args:
        poses: Commanded camera-to-world OpenCV poses `(T, 4, 4)`, metres.
        n_frames: Frames of the video from pose 0 on; poses beyond them take no part. `None` for all poses.
        protocol: Key in `PROTOCOLS`.
        seed: Seed of the protocol's random choices; the released lists have 42.
        cap: Most revisit pairs; `None` takes the protocol's own, "all" takes every one.

    Raises:
        ValueError: The poses are not rigid, the protocol is unknown, or a count is below 1.

    Example:
        >>> from revisit_metric.templates import template
        >>> pairs = sample_pairs(template("closed_loop").poses())
        >>> pairs.revisit, len(pairs.baseline), pairs.sha256[:16]
        (((1, 478), (1, 479), (1, 480)), 20, '8698fa890bc13dbf')
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"unknown pair protocol {protocol!r}; known: {', '.join(PROTOCOLS)}")
    chosen = PROTOCOLS[protocol]
    limit = chosen.cap if cap is None else None if cap == "all" else _positive("cap", cap)
    poses = validate_poses(poses)
    n_video = len(poses) if n_frames is None else _positive("n_frames", n_frames)
    module = {"official": pairs_official, "paper": pairs_paper}[protocol]
    return PairSet(
        protocol=protocol,
        version=chosen.version,
        seed=seed,
        cap=limit,
        **module.sample(poses, n_video=n_video, seed=seed, cap=limit)._asdict(),
    )


def list_hash(pairs: Iterable[Pair]) -> str:
    """Return the first 16 hex digits of the sha256 of one list as compact JSON: how released lists are cited."""
    return hashlib.sha256(_compact(list(pairs)).encode()).hexdigest()[:16]


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _pairs(listed: Iterable[Sequence[int]]) -> tuple[Pair, ...]:
    return tuple((int(earlier), int(later)) for earlier, later in listed)


def _positive(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} is {value!r}, expected a whole number from 1")
    return value
