"""Faults: worlds whose memory is known to be perfect, leaky, or not put to the test.

Conventions: a fault is a frozen value. The camera path of `static`, `slow` and `drift` differs from the
commanded one while the scene stays; `forgetful` changes the scene and follows the path. Dose and direction
depend only on the fault's seed and the instance, so doses are nested: what is re-seeded at 0.3 is re-seeded,
in the same way and at the same frame, at 0.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revisit_metric.controls.table import Change

Freedom = Literal["none", "hangs", "stands"]
Kind = Literal["perfect", "forgetful", "static", "slow", "drift"]

_DEFAULTS: dict[str, tuple[float, str]] = {
    "perfect": (0.0, ""),
    "forgetful": (1.0, ""),
    "static": (0.0, ""),
    "slow": (0.5, ""),
    "drift": (0.2, "m"),
}


@dataclass(frozen=True)
class Fault:
    """What is wrong with a rollout.

    Attributes:
        kind: perfect; forgetful (what left the view comes back changed); static (the camera never moves);
            slow (only a fraction of the motion is executed in the same number of frames); drift (the pose
            error grows).
        strength: forgetful: share of the instances that are forgotten, 0..1. slow: speed factor, 0..1.
            drift: metres or degrees per 100 frames. Unused (0) for perfect and static.
        unit: of a drift, "m" (sideways slide in a direction chosen by the seed) or "deg" (growing yaw error).
        seed: of every chance decision.

    Raises:
        ValueError: an unknown kind, or a strength outside its range.
    """

    kind: Kind = "perfect"
    strength: float = 0.0
    unit: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"no fault {self.kind!r}; known: {', '.join(get_args(Kind))}")
        if self.kind in ("forgetful", "slow") and not 0.0 <= self.strength <= 1.0:
            raise ValueError(f"{self.kind} takes a strength from 0 to 1, not {self.strength:g}")
        if self.kind == "drift" and self.unit not in ("m", "deg"):
            raise ValueError(f"drift needs the unit 'm' or 'deg' (per 100 frames), not {self.unit!r}")
        if not np.isfinite(self.strength) or self.strength < 0.0:
            raise ValueError(f"{self.kind} takes a finite strength of at least 0, not {self.strength}")

    def __str__(self) -> str:
        """The text that `parse_fault` reads (without the seed)."""
        bare = self.kind in ("perfect", "static")
        return self.kind if bare else f"{self.kind}:{self.strength:g}{self.unit}"


def parse_fault(text: str, *, seed: int = 0) -> Fault:
    """Read a fault from text: "perfect", "forgetful:0.5", "static", "slow:0.5", "drift:0.2m", "drift:2deg".

    Args:
        text: kind, and after a colon the strength; without it forgetful is 1, slow 0.5, drift 0.2m.
        seed: of the fault.

    Raises:
        ValueError: not of this form.

    Example:
        >>> parse_fault("drift:2deg").unit, str(parse_fault("forgetful:0.50"))
        ('deg', 'forgetful:0.5')
    """
    kind, _, value = text.strip().partition(":")
    if kind not in _DEFAULTS:
        raise ValueError(f"no fault {kind!r} in {text!r}; known: {', '.join(_DEFAULTS)}")
    strength, unit = _DEFAULTS[kind]
    if value and kind in ("perfect", "static"):
        raise ValueError(f"{kind} takes no strength, got {text!r}")
    if value:
        number, unit = _split_unit(value, unit)
        try:
            strength = float(number)
        except ValueError:
            raise ValueError(f"cannot read a number in {text!r}; write it like forgetful:0.5 or drift:2deg") from None
    return Fault(_kind(kind), strength, unit, seed)


def _split_unit(value: str, default: str) -> tuple[str, str]:
    for unit in ("deg", "m"):
        if value.endswith(unit) and default:
            return value.removesuffix(unit), unit
    return value, default


def _kind(text: str) -> Kind:
    for kind in get_args(Kind):
        if kind == text:
            return kind  # type: ignore[no-any-return]
    raise ValueError(f"no fault {text!r}")


def realised_poses(poses: ArrayLike, fault: Fault) -> NDArray[np.float64]:
    """The camera path that a world with `fault` executes when `poses` are commanded.

    Args:
        poses: (T, 4, 4) camera-to-world, metres.
        fault: perfect and forgetful worlds follow the command to the bit.

    Returns:
        (T, 4, 4). `slow` shows at frame i the commanded pose of time `strength * i`; `drift` adds
        `strength * i / 100` metres in one direction, or degrees of yaw.

    Example:
        >>> path = np.tile(np.eye(4), (201, 1, 1))
        >>> path[:, 0, 3] = np.arange(201) * 0.01
        >>> realised_poses(path, parse_fault("slow:0.5"))[200, 0, 3].item()
        1.0
    """
    commanded = np.array(poses, np.float64)
    if fault.kind == "static":
        return np.repeat(commanded[:1], len(commanded), axis=0)
    if fault.kind == "slow":
        return _resampled(commanded, np.asarray(fault.strength * np.arange(len(commanded)), np.float64))
    if fault.kind == "drift":
        return _drifted(commanded, fault)
    return commanded


def _resampled(poses: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    low = np.minimum(np.floor(times).astype(int), len(poses) - 1)
    high = np.minimum(low + 1, len(poses) - 1)
    share = (times - low)[:, None, None]
    mixed = np.asarray(poses[low] * (1.0 - share) + poses[high] * share)
    between = np.flatnonzero(share.ravel() > 0)
    u, _, v = np.linalg.svd(mixed[between, :3, :3])
    mixed[between, :3, :3] = u @ v
    return mixed


def _drifted(poses: NDArray[np.float64], fault: Fault) -> NDArray[np.float64]:
    amount = fault.strength * np.arange(len(poses)) / 100.0
    drifted = poses.copy()
    if fault.unit == "deg":
        turn = np.tile(np.eye(4), (len(poses), 1, 1))
        a = np.radians(amount)
        turn[:, 0, 0], turn[:, 0, 2], turn[:, 2, 0], turn[:, 2, 2] = (
            np.cos(a),
            np.sin(a),
            -np.sin(a),
            np.cos(a),
        )
        return np.asarray(drifted @ turn)
    # Away from what lies ahead: backwards, at most 60 degrees to either side.
    heading = np.radians(np.random.default_rng([fault.seed, 77]).uniform(120.0, 240.0))
    drifted[:, :3, 3] += amount[:, None] * np.array([np.sin(heading), 0.0, np.cos(heading)])
    return drifted


def is_forgotten(fault: Fault, instance: int) -> bool:
    """Whether this instance is among those that a forgetful world re-seeds (nested in the dose)."""
    return bool(np.random.default_rng([fault.seed, instance, 1]).random() < fault.strength)


def new_look(seed: int, instance: int, times_before: int, *, freedom: Freedom) -> Change:
    """How an instance comes back: always another tint and, where there is one, another texture.

    Args:
        seed: of the fault.
        instance: which part.
        times_before: how often it was re-seeded before; every time it looks different.
        freedom: what may happen to its place: nothing ("none"); a new size or, in one case of four, removal
            ("hangs": pictures, things on a table); also another spot and heading ("stands").
    """
    rng = np.random.default_rng([seed, instance, 2, times_before])
    tint = _strong_tint(rng)
    shift = int(rng.integers(1, 1000))
    if freedom == "none":
        return Change(tint, shift)
    if rng.random() < 0.25:
        return Change(tint, shift, scale=0.0)
    x, z = rng.uniform(-0.3, 0.3, 2)
    yaw, scale = rng.uniform(-75.0, 75.0), rng.choice([rng.uniform(0.6, 0.85), rng.uniform(1.15, 1.35)])
    if freedom == "hangs":
        return Change(tint, shift, scale=float(scale))
    return Change(tint, shift, (float(x), 0.0, float(z)), float(yaw), float(scale))


def _strong_tint(rng: np.random.Generator) -> tuple[float, float, float]:
    """A clearly different colour of about the same lightness."""
    hue, depth = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.25, 0.55)
    wheel = 1.0 + depth * np.cos(hue + np.array([0.0, 2.1, 4.2]))
    r, g, b = (float(v) for v in np.clip(wheel * rng.uniform(0.55, 1.25), 0.08, 1.7))
    return r, g, b
