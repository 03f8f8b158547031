"""What adapters share: checked options, and the steps of a conversion that do not depend on the model.

A third party's adapter may inherit from these classes and need not.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from adapters import collection
from adapters.paths import held, residual_of, rigid, told
from adapters.protocol import (
    AdapterError,
    Collected,
    Command,
    Conversion,
    Grid,
    Instance,
    Option,
    Spec,
    Value,
)
from adapters.quantise import PACES, paced_actions
from revisit_metric.trajectory import Poses

ACCEPT = Option(
    "accept_inferred", "yes: go on although the path rests on inferred facts, which are listed", None, ("yes",)
)
PACE = Option("pace", "hold: keys down throughout a segment; match: nearest to the requested distance", "hold", PACES)
STEPS = (
    Option("metres_per_frame", "step of the model's move actions, metres a frame; measure it", kind="positive"),
    Option("degrees_per_frame", "step of the model's turn actions, degrees a frame; measure it", kind="positive"),
)
"""For models whose authors do not say how far an action leads."""


def units_option(default: str | None, help_text: str) -> Option:
    """The setting that turns metres into a model's own unit of length."""
    return Option("units_per_metre", help_text, default, kind="positive")


def all_options(spec: Spec) -> tuple[Option, ...]:
    """A spec's options, with `accept_inferred` where the user has to accept inferred facts."""
    return (*spec.options, ACCEPT) if spec.consent else spec.options


def checked_options(spec: Spec, given: Mapping[str, str]) -> dict[str, str]:
    """Options with their defaults.

    Raises:
        AdapterError: An unknown option, a bad value, or one that the user has to give and has not.
    """
    known = {option.name: option for option in all_options(spec)}
    for name in given:
        if name not in known:
            raise AdapterError(f"{spec.model} has no option {name!r}; it has {', '.join(known) or 'none'}")
    values = {}
    for option in known.values():
        value = given.get(option.name, option.default)
        if value is None:
            raise AdapterError(_missing(spec, option))
        _check_value(spec, option, value)
        values[option.name] = value
    return values


def _missing(spec: Spec, option: Option) -> str:
    if option is ACCEPT:
        facts = "".join(f"\n  inferred: {fact}" for fact in spec.facts.inferred)
        facts += "".join(f"\n  not found: {fact}" for fact in spec.facts.unknown)
        return (
            f"{spec.model}: the path this model is told is not fully known:{facts}\n"
            "check them against your copy of the model, then pass --set accept_inferred=yes"
        )
    return f"{spec.model} needs --set {option.name}=...: {option.help}"


def _check_value(spec: Spec, option: Option, value: str) -> None:
    if option.choices and value not in option.choices:
        raise AdapterError(f"{spec.model}: {option.name} is {value!r}, expected {' or '.join(option.choices)}")
    if option.kind == "text":
        return
    try:
        number = float(value)
    except ValueError as error:
        raise AdapterError(f"{spec.model}: {option.name} is {value!r}, expected a number") from error
    if not math.isfinite(number) or (option.kind == "positive" and number <= 0):
        raise AdapterError(f"{spec.model}: {option.name} is {value}, expected a positive number")
    if option.kind == "whole" and (number < 1 or not number.is_integer()):
        raise AdapterError(f"{spec.model}: {option.name} is {value}, expected a whole number from 1")


class Written(NamedTuple):
    """What a model's own part of a conversion gives."""

    files: tuple[Path, ...]
    values: Mapping[str, Value] = {}
    notes: tuple[str, ...] = ()


class BaseAdapter:
    """Options and collecting.

    Args:
        options: See `spec.options`; `None` is none.

    Raises:
        AdapterError: See `checked_options`.
    """

    spec: ClassVar[Spec]

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self.options = checked_options(self.spec, options or {})

    def number(self, name: str) -> float:
        """A numeric option."""
        return float(self.options[name])

    @property
    def grid(self) -> Grid:
        """Frame counts under these options."""
        return self.spec.grid

    def command(self) -> Command:
        """The command that generates one video."""
        raise NotImplementedError

    def collect(self, folder: Path, *, seeds: tuple[int, ...] = (0,), videos: str | None = None) -> Collected:
        """Manifest rows of an export folder's videos; see `collection.collect`."""
        return collection.collect(self.spec, folder, seeds=seeds, videos=videos)


class PoseAdapter(BaseAdapter):
    """For models that are told poses.

    Effective poses are the requested ones, bit for bit, then the last one held. A model that samples every
    `stride`-th frame is told nothing in between; what its own interpolation makes of the path between two samples is
    the residual.
    """

    def convert(self, instance: Instance, folder: Path) -> Conversion:
        """Write the model's input for one instance into `folder`."""
        n_frames = self.grid.next_valid(instance.n_frames)
        path = held(instance.poses, n_frames)
        written = self.write(instance, folder, rigid(path, units_per_metre=self.units))
        seen = told(rigid(path[:: self.spec.stride]), self.spec.stride)
        return Conversion(
            instance_id=instance.instance_id,
            files=written.files,
            requested=instance.poses,
            effective=path,
            residual=residual_of(instance.poses, seen),
            values={"frames": n_frames, **written.values},
            notes=written.notes,
        )

    @property
    def units(self) -> float:
        """The model's units of length in a metre."""
        return self.number("units_per_metre") if "units_per_metre" in self.options else 1.0

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write the model's files.

        Args:
            instance: The instance.
            folder: Where to.
            path: One pose for every frame to generate, exact rotations, the model's unit of length.
        """
        raise NotImplementedError


class KeyAdapter(BaseAdapter):
    """For models that take one action a frame and move by steps of their own."""

    def convert(self, instance: Instance, folder: Path) -> Conversion:
        """Write the model's input for one instance into `folder`."""
        n_frames = self.grid.next_valid(instance.n_frames)
        metres, degrees = self.steps()
        actions = paced_actions(instance, n_frames, pace=self.options["pace"], metres=metres, degrees=degrees)
        written = self.write(instance, folder, actions)
        effective = self.path(actions[:-1], metres, degrees)
        return Conversion(
            instance_id=instance.instance_id,
            files=written.files,
            requested=instance.poses,
            effective=effective,
            residual=residual_of(instance.poses, effective),
            values={"frames": n_frames, **written.values},
            notes=(*written.notes, speed_note(instance.poses, effective)),
        )

    def steps(self) -> tuple[float, float]:
        """Metres and degrees a frame: the model's own, or the user's measurement."""
        if self.spec.metres_per_frame is None or self.spec.degrees_per_frame is None:
            return self.number("metres_per_frame"), self.number("degrees_per_frame")
        return self.spec.metres_per_frame, self.spec.degrees_per_frame

    def write(self, instance: Instance, folder: Path, actions: list[str]) -> Written:
        """Write the model's files; `actions` has one entry a frame, the last one leads nowhere."""
        raise NotImplementedError

    def path(self, actions: list[str], metres: float, degrees: float) -> Poses:
        """The path that the model integrates from actions."""
        raise NotImplementedError


def speed_note(requested: Poses, effective: Poses) -> str:
    """How much longer or shorter the effective path is, for a reader."""
    return f"path length {_travel(effective):.4g} m, requested {_travel(requested):.4g} m"


def _travel(poses: Poses) -> float:
    return float(np.sqrt((np.diff(poses[:, :3, 3], axis=0) ** 2).sum(axis=1)).sum())


def save_npz(path: Path, **arrays: Any) -> Path:
    """Write an archive of arrays and return its path."""
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def save_npy(path: Path, array: Any) -> Path:
    """Write one array as float32 and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.save(file, np.asarray(array, np.float32))
    return path
