"""Navigation scripts: what a camera is told to do, as actions with their frames.

A script is a tuple of `Segment(action, frames)`. People write it as text, `"forward 2.4m, yaw_left 48deg,
hold 10f"`; a dataset stores it as rows `{"action": ..., "frames": ...}`. `trajectory.integrate` turns it into
camera poses.
"""

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

ACTIONS = ("forward", "back", "left", "right", "yaw_left", "yaw_right", "pitch_up", "pitch_down", "hold")

MAX_FRAMES = 1_000_000
"""Longest segment accepted: beyond it an amount is a slip, and would only exhaust the memory."""

TRANSLATIONS = ACTIONS[:4]
ROTATIONS = ACTIONS[4:8]

_SEGMENT = re.compile(
    r"(?P<name>[a-z][a-z_ \t]*?)[ \t]+"
    r"(?P<amount>[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|nan|inf))[ \t]*(?P<unit>[a-z]*)",
    re.IGNORECASE,
)


class ScriptError(ValueError):
    """A script that cannot be read or carried out."""


class Segment(NamedTuple):
    """One action held for a number of frames.

    Attributes:
        action: One of `ACTIONS`.
        frames: How many frames it lasts, at least 1.
    """

    action: str
    frames: int


def segment_of(action: object, frames: object) -> Segment:
    """Check one action and its frames, whatever they came from.

    Raises:
        ScriptError: An unknown action, or frames that are not an integer of 1 to `MAX_FRAMES`.
    """
    if action not in ACTIONS:
        close = difflib.get_close_matches(str(action).lower(), ACTIONS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ScriptError(f"unknown action {action!r}: {hint}known are {', '.join(ACTIONS)}")
    if isinstance(frames, bool) or not isinstance(frames, Integral):
        raise ScriptError(f"{action}: frames is {frames!r}, expected a whole number of frames")
    count = int(frames)
    if not 1 <= count <= MAX_FRAMES:
        raise ScriptError(f"{action}: {count} frames, expected 1 to {MAX_FRAMES}")
    return Segment(str(action), count)


def checked_step(name: str, value: float | None) -> float | None:
    """Check a step size, in metres or degrees a frame; `None` means that none is given.

    Raises:
        ScriptError: A step that is not finite and positive.
    """
    if value is not None and not (math.isfinite(value) and value > 0):
        raise ScriptError(f"{name} is {value}, expected a positive number")
    return value


def _whole_frames(amount: float, step: float, unit: str) -> int:
    exact = amount / step
    if exact > MAX_FRAMES:
        raise ScriptError(f"{amount:g}{unit} at {step:g} {unit} a frame is more than {MAX_FRAMES} frames")
    frames = round(exact)
    if abs(exact - frames) <= 1e-6 and frames > 0:
        return frames
    near = [f"{n * step:.6g}{unit} ({n} frame{'s' * (n > 1)})" for n in (math.floor(exact), math.ceil(exact)) if n > 0]
    raise ScriptError(
        f"{amount:g}{unit} is {exact:.6g} frames of {step:g} {unit}, not a whole number; "
        f"the nearest amounts are {' and '.join(near)}"
    )


def _frames(action: str, amount: float, unit: str, steps: Mapping[str, float | None]) -> int:
    if not (math.isfinite(amount) and amount > 0):
        raise ScriptError(f"the amount is {amount:g}, expected a positive number; the direction is in the action")
    if unit == "f":
        if not amount.is_integer():
            raise ScriptError(f"{amount:g}f is not a whole number of frames")
        return int(amount)
    own = "m" if action in TRANSLATIONS else "deg" if action in ROTATIONS else ""
    if not unit or unit != own:
        units = f"{own} or f (frames)" if own else "f (frames)"
        raise ScriptError(f"the amount of {action} is in {units}, not {unit!r}" if unit else f"add the unit: {units}")
    step = steps[unit]
    if step is None:
        name = "metres_per_frame" if unit == "m" else "degrees_per_frame"
        raise ScriptError(f"an amount in {unit} needs {name}; or give frames, as in '{action} 48f'")
    return _whole_frames(amount, step, unit)


def _parse_segment(text: str, steps: Mapping[str, float | None]) -> Segment:
    match = _SEGMENT.fullmatch(text)
    if match is None:
        raise ScriptError("expected an action and an amount, as in 'forward 2.4m', 'yaw_left 48deg' or 'hold 10f'")
    action = segment_of("_".join(re.split(r"[ \t_]+", match["name"].lower())), 1).action
    return segment_of(action, _frames(action, float(match["amount"]), match["unit"].lower(), steps))


def parse_script(
    text: str, *, metres_per_frame: float | None = None, degrees_per_frame: float | None = None
) -> tuple[Segment, ...]:
    """Read a script such as `"forward 2.4m, yaw_left 48deg, hold 10f"`.

    Segments are separated by commas, semicolons or line ends. Each is an action and an amount in metres (`m`,
    for translations), degrees (`deg`, for rotations) or frames (`f`, for any action); case is ignored and
    `yaw_left` may be written `yaw left`.

    Args:
        text: The script.
        metres_per_frame: Step of a translation; needed for amounts in `m`.
        degrees_per_frame: Step of a rotation; needed for amounts in `deg`.

    Raises:
        ScriptError: An unknown action, an amount that is not positive, has the wrong unit or is no whole
            number of frames (within 1e-6), a missing step, or no segment at all. The message names segment
            and value.

    Example:
        >>> parse_script("forward 2.4m; yaw left 48 deg", metres_per_frame=0.03, degrees_per_frame=0.6)
        (Segment(action='forward', frames=80), Segment(action='yaw_left', frames=80))
    """
    steps = {
        "m": checked_step("metres_per_frame", metres_per_frame),
        "deg": checked_step("degrees_per_frame", degrees_per_frame),
    }
    pieces = [piece.strip() for piece in re.split(r"[,;\n]", text)]
    segments = []
    for number, piece in enumerate((piece for piece in pieces if piece), start=1):
        try:
            segments.append(_parse_segment(piece, steps))
        except ScriptError as error:
            raise ScriptError(f"segment {number}, {piece!r}: {error}") from error
    if not segments:
        raise ScriptError(f"the script {text!r} has no segment")
    return tuple(segments)


def format_script(script: Iterable[tuple[str, int]]) -> str:
    """Write a script in frames, so that `parse_script` gives the same segments back without any step size.

    Raises:
        ScriptError: An unknown action or a number of frames below 1.

    Example:
        >>> format_script([Segment("forward", 80), Segment("yaw_left", 48)])
        'forward 80f, yaw_left 48f'
    """
    return ", ".join(f"{action} {frames}f" for action, frames in (segment_of(*entry) for entry in script))


def script_from_rows(rows: Iterable[Mapping[str, Any]]) -> tuple[Segment, ...]:
    """Read a script from rows `{"action": ..., "frames": ...}`, as a dataset stores it.

    Raises:
        ScriptError: A row with other keys, an unknown action, or frames that are not an integer of at least
            1.

    Example:
        >>> script_from_rows([{"action": "right", "frames": 240}])
        (Segment(action='right', frames=240),)
    """
    segments = []
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping) or set(row) != {"action", "frames"}:
            raise ScriptError(f"row {index} is {row!r}, expected {{'action': ..., 'frames': ...}}")
        try:
            segments.append(segment_of(row["action"], row["frames"]))
        except ScriptError as error:
            raise ScriptError(f"row {index}: {error}") from error
    return tuple(segments)


def script_to_rows(script: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """Turn a script into rows `{"action": ..., "frames": ...}`; `script_from_rows` reads them back.

    Raises:
        ScriptError: An unknown action or a number of frames below 1.

    Example:
        >>> script_to_rows([Segment("hold", 3)])
        [{'action': 'hold', 'frames': 3}]
    """
    return [segment_of(*entry)._asdict() for entry in script]
