"""What an adapter is: the types that cross between it, the exporter, the generator and the collector.

Conventions:
    Poses are float64 `(T, 4, 4)` camera-to-world matrices in the OpenCV frame (x right, y down, z forward),
    metres; frame 0 is the identity and `poses[i]` is the pose **at** video frame i. The script's action for
    frame i leads from i to i + 1.

    Frames, not seconds: pose i belongs to video frame i whatever rate the model's writer stamps on the file,
    as in the benchmark's own protocol. A model that runs at 24 frames a second shows the same path in less
    time.

    *Requested* is the instance's path. *Effective* is the path the pair protocol sees: what the model is
    told, once the request is rounded to its grid and its step sizes. *Residual* is the distance between the
    two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from revisit_metric.trajectory import Poses, Segment


class AdapterError(ValueError):
    """An instance, option or folder that an adapter cannot serve; the message says what to do."""


@dataclass(frozen=True, eq=False)
class Instance:
    """One thing to generate: an image, a prompt and a camera path.

    Attributes:
        instance_id: "scene/trajectory".
        image: The image file that the first frame shows.
        prompt: Text for the model.
        poses: Requested path, `(T, 4, 4)`, frame 0 the identity.
        script: The path as actions, `None` where only poses are known.
        trajectory: Name under which scores are grouped.
        intrinsics: `(3, 3)` in pixels of an image of `image_size`.
        image_size: (width, height).
        fps: Rate the path was designed for.
    """

    instance_id: str
    image: Path
    prompt: str
    poses: Poses
    script: tuple[Segment, ...] | None
    trajectory: str
    intrinsics: NDArray[np.float64]
    image_size: tuple[int, int]
    fps: float = 16.0

    @property
    def n_frames(self) -> int:
        """Length of the requested path."""
        return len(self.poses)

    def actions(self) -> tuple[Segment, ...]:
        """The script, for models that take actions.

        Raises:
            AdapterError: The instance has poses alone, or a script of another length than its poses.
        """
        if self.script is None:
            raise AdapterError(
                f"{self.instance_id}: this model takes actions and the instance has poses alone: add a 'script'"
            )
        steps = sum(segment.frames for segment in self.script)
        if steps != self.n_frames - 1:
            raise AdapterError(
                f"{self.instance_id}: the script has {steps} steps, its {self.n_frames} poses have {self.n_frames - 1}"
            )
        return self.script


@dataclass(frozen=True)
class Grid:
    """Frame counts that a model can generate: `first`, `first + step`, `first + 2 step`, ...

    Attributes:
        first: Smallest count.
        step: Distance between counts.
        description: The rule as its authors state it.

    Example:
        >>> grid = Grid(57, 40, "57 + 40 (n - 1)")
        >>> grid.is_valid(497), grid.next_valid(481), grid.index(497)
        (True, 497, 11)
    """

    first: int
    step: int
    description: str

    def is_valid(self, n: int) -> bool:
        """Whether the model can generate exactly n frames."""
        return n >= self.first and (n - self.first) % self.step == 0

    def next_valid(self, n: int) -> int:
        """The smallest count of at least n frames."""
        return self.first + max(0, -(-(n - self.first) // self.step)) * self.step

    def index(self, n: int) -> int:
        """How many steps above `first` a valid count lies.

        Raises:
            AdapterError: n is not on the grid.
        """
        if not self.is_valid(n):
            raise AdapterError(f"{n} frames are not on the grid {self.description}; next is {self.next_valid(n)}")
        return (n - self.first) // self.step


class Option(NamedTuple):
    """A setting of an adapter, given as `--set name=value`.

    Attributes:
        name: Its name.
        help: What it means, with unit.
        default: Value as text; `None` where the user has to say.
        choices: The values it may have; empty for a free one.
        kind: "text", "positive" (a number above 0) or "whole" (a whole number from 1).
    """

    name: str
    help: str
    default: str | None = None
    choices: tuple[str, ...] = ()
    kind: str = "text"


@dataclass(frozen=True)
class Facts:
    """How well each statement about a model's interface is known.

    Attributes:
        verified: Read in the model's own code.
        documented: Stated by its documentation alone, or read in a fork.
        inferred: Concluded, not stated.
        unknown: Looked for and not found.
    """

    verified: tuple[str, ...] = ()
    documented: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spec:
    """What is known about a model's interface.

    Attributes:
        model: Name in manifests.
        revision: What the adapter was written against.
        input_form: The control input, in words.
        fps: Rate that the model's writer stamps on its files; `None` where it varies.
        grid: Frame counts it can generate.
        resolution: (height, width) of its videos; `None` where it follows the input.
        convention: Of the control input.
        scale: What a unit of translation means to the model.
        scale_normalised: Whether the model discards absolute translation scale.
        overlay: How the video is kept free of drawn-in controls.
        licence: Of code and weights.
        stride: Frames to one control sample; between two samples the model fills in by itself.
        metres_per_frame: Fixed step of the model's own actions, if any.
        degrees_per_frame: Fixed turn of the model's own actions, if any.
        facts: How well all this is known.
        options: Settings.
        consent: Whether effective poses hang on inferred facts: the user must then accept them.
    """

    model: str
    revision: str
    input_form: str
    fps: float | None
    grid: Grid
    resolution: tuple[int, int] | None
    convention: str
    scale: str
    scale_normalised: bool
    overlay: str
    licence: str
    stride: int = 1
    metres_per_frame: float | None = None
    degrees_per_frame: float | None = None
    facts: Facts = field(default_factory=Facts)
    options: tuple[Option, ...] = ()
    consent: bool = False


class Residual(NamedTuple):
    """Distance of what the model is told from what was requested.

    Attributes:
        metres: Largest distance between the two positions at one frame.
        degrees: Largest angle between the two rotations at one frame.
        frames: Frames generated beyond (above 0) or short of (below 0) the requested ones.
    """

    metres: float
    degrees: float
    frames: int


Value = str | int | float | list[str]
"""What a placeholder of a command stands for; a list becomes several arguments."""


@dataclass(frozen=True, eq=False)
class Conversion:
    """One instance in a model's own input.

    Attributes:
        instance_id: The instance.
        files: What was written.
        requested: The instance's path.
        effective: The path that the pair protocol sees, one pose a video frame from `first_frame` on.
        residual: Between the two.
        first_frame: Index of the video frame that shows `effective[0]`.
        first_pose: Index of the requested pose that `effective[0]` stands for.
        values: Placeholders of the command, besides the common ones.
        notes: What a reader should know about this conversion.
    """

    instance_id: str
    files: tuple[Path, ...]
    requested: Poses
    effective: Poses
    residual: Residual
    first_frame: int = 0
    first_pose: int = 0
    values: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Command(NamedTuple):
    """How a video is generated, as a template that the user edits.

    Attributes:
        argv: Program and arguments; no shell. `{placeholders}` are filled for every instance and seed.
        video: Pattern of the video in the folder `{out}`.
        env: Further environment variables.
        cwd: Folder to run in, such as the model's checkout; `None` for the current one.
    """

    argv: tuple[str, ...]
    video: str
    env: Mapping[str, str] = {}
    cwd: str | None = None


class Collected(NamedTuple):
    """Manifest rows and what is known of the videos behind them.

    Attributes:
        rows: One an instance and seed, found or not, so that a missing video counts as missing.
        findings: What is wrong, with what to do about it.
        notes: What differs from the adapter's expectation and is right all the same.
    """

    rows: list[dict[str, Any]]
    findings: list[str]
    notes: list[str]


@runtime_checkable
class Adapter(Protocol):
    """The contract of an adapter; nothing needs to be inherited.

    It is built from options: `factory({"name": "value"})`, see `AdapterFactory`, and the class carries
    `spec`, so that it can be listed without options.
    """

    spec: Spec

    def convert(self, instance: Instance, folder: Path) -> Conversion:
        """Write the model's input for one instance into `folder`."""
        ...

    def command(self) -> Command:
        """The command that generates one video."""
        ...

    def collect(self, folder: Path, *, seeds: tuple[int, ...], videos: str | None) -> Collected:
        """Manifest rows of an export folder's videos, one for each instance and seed, found or not."""
        ...


AdapterFactory = Callable[[Mapping[str, str]], Adapter]
"""What a table row or an entry point names."""
