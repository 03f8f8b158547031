"""The benchmark's three camera paths, bit for bit, and paths of your own beside them.

Each release path is built as its authors built it: *ticks* of 0.05 m or 1 degree, 48 to a letter of the
path's name; 161 *key* poses picked from the ticks; 481 frames blended linearly, element by element, between
the keys. Blending makes rotations slightly non-orthonormal and speed slightly uneven, and the official pair
lists depend on both down to the last bit. The keys are therefore computed in exact rational arithmetic,
rounded where the authors' machine rounded: the same bits everywhere, whatever the BLAS, the SIMD width or the
C library.

A path of your own is a YAML file:

    name: look_back
    description: Turn away to the left and back.
    script: yaw_left 90deg, hold 10f, yaw_right 90deg
    degrees_per_frame: 0.75
    # metres_per_frame: 0.03       # needed when the script translates
"""

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from revisit_metric.trajectory import Poses, ScriptError, Segment, integrate, parse_script

TICKS_PER_LETTER = 48
METRES_PER_TICK = 0.05
DEGREES_PER_TICK = 1.0
N_STEPS = 480
KEY_STEPS = 160
FOCAL_PER_WIDTH = 969.7675145179088 / 1920
"""Focal length of the release's camera over the image width: a horizontal field of view of 89.4 degrees."""

_YAML_KEYS = ("name", "script", "metres_per_frame", "degrees_per_frame", "description")

Rows = list[list[float]]


class TemplateError(ValueError):
    """A template that is unknown, malformed or already registered."""


@dataclass(frozen=True)
class Template:
    """A named camera path.

    Attributes:
        name: Lower-case name; the second half of an instance id ("0001/out_and_back").
        script: Actions with their frames: what a model driven by actions is told.
        description: One sentence for a reader.
        metres_per_frame: Mean step of the frames that translate; `None` where none does.
        degrees_per_frame: Mean step of the frames that rotate; `None` where none does.
        release_name: Name in the benchmark's release; `None` for a path of your own.
        build: Gives the poses `(T, 4, 4)`; `None` integrates the script.
    """

    name: str
    script: tuple[Segment, ...]
    description: str
    metres_per_frame: float | None = None
    degrees_per_frame: float | None = None
    release_name: str | None = None
    build: Callable[[], Poses] | None = None

    @cached_property
    def _poses(self) -> Poses:
        poses = self.build() if self.build else self._integrated()
        poses.setflags(write=False)
        return poses

    def _integrated(self) -> Poses:
        return integrate(self.script, metres_per_frame=self.metres_per_frame, degrees_per_frame=self.degrees_per_frame)

    def poses(self) -> Poses:
        """Camera-to-world OpenCV poses, float64 `(1 + total frames, 4, 4)`, metres; cached and read-only.

        Raises:
            ScriptError: A bad script, or a step size that the script needs and the template lacks.

        Example:
            >>> template("out_and_back").poses()[240, :3, 3].round(9).tolist()
            [7.2, 0.0, 0.0]
        """
        return self._poses


# --- the release's construction ---


def _fused(row: list[float], column: list[float]) -> float:
    """An inner product by fused multiply-adds, each rounded once: what the authors' matrix product did."""
    total = 0.0
    for a, b in zip(row, column, strict=True):
        total = float(Fraction(a) * Fraction(b) + Fraction(total))
    return total


def _cos_sin(angle: float) -> tuple[float, float]:
    """Correctly rounded cosine and sine of |angle| < 1, where C libraries may differ in the last bit."""
    x, tiny = Fraction(angle), Fraction(1, 2**140)
    sums = []
    for order, term in ((0, Fraction(1)), (1, x)):
        total, n = term, order
        while abs(term) > tiny:
            term = -term * x * x / ((n + 1) * (n + 2))
            total, n = total + term, n + 2
        sums.append(float(total))
    return sums[0], sums[1]


def _tick(rotation: Rows, position: list[float], letter: str, ticks: int) -> tuple[Rows, list[float]]:
    """Rotation and position after `ticks` ticks of one letter."""
    if letter in "LR":
        c, s = _cos_sin(math.radians((ticks if letter == "R" else -ticks) * DEGREES_PER_TICK))
        columns = [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]
        return [[_fused(row, column) for column in columns] for row in rotation], position
    axis, sign = {"W": (2, 1), "S": (2, -1), "D": (0, 1), "A": (0, -1)}[letter]
    distance = sign * (METRES_PER_TICK * ticks)
    return rotation, [p + row[axis] * distance for p, row in zip(position, rotation, strict=True)]


def _matrix(rotation: Rows, position: list[float]) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix


def _word_keys(word: str) -> Poses:
    """Key poses `(161, 4, 4)` of a path spelled in letters: W S D A move, L R turn."""
    pose: tuple[Rows, list[float]] = ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 0.0])
    starts = [pose]
    for letter in word:
        starts.append(_tick(*starts[-1], letter, TICKS_PER_LETTER))
    keys = []
    for key in range(KEY_STEPS + 1):
        index, ticks = divmod(key * TICKS_PER_LETTER * len(word) // KEY_STEPS, TICKS_PER_LETTER)
        keys.append(_matrix(*(_tick(*starts[index], word[index], ticks) if ticks else starts[index])))
    return np.stack(keys)


def _square_keys(side: float = 4.0) -> Poses:
    """Key poses `(161, 4, 4)` of the square: forward, right, back, left, never turning."""
    corners = [(0.0, 0.0), (0.0, side), (side, side), (side, 0.0), (0.0, 0.0)]
    keys = np.repeat(np.eye(4)[None], KEY_STEPS + 1, axis=0)
    for key in range(KEY_STEPS + 1):
        # The last side has one key more than the others, and so no rest at its end.
        leg = min(key // 40, 3)
        t = (key - 40 * leg) / (40 if leg == 3 else 39)
        (x0, z0), (x1, z1) = corners[leg], corners[leg + 1]
        keys[key, 0, 3], keys[key, 2, 3] = x0 + (x1 - x0) * t, z0 + (z1 - z0) * t
    return keys


def _blend(keys: Poses) -> Poses:
    """Frames `(481, 4, 4)` between key poses; other forms of the same line differ in the last bits."""
    x = [frame * KEY_STEPS / N_STEPS for frame in range(N_STEPS + 1)]
    low = np.array([math.floor(value) for value in x])
    t = (np.array(x) - low)[:, None, None]
    frames: Poses = keys[low] * (1 - t) + keys[np.minimum(low + 1, KEY_STEPS)] * t
    return frames


def _word_path(word: str) -> Poses:
    return _blend(_word_keys(word))


def _square_path() -> Poses:
    return _blend(_square_keys())


# --- the table ---

TEMPLATES: dict[str, Template] = {}
"""Every known template by name; `register` adds to it."""


def register(entry: Template) -> Template:
    """Add a template to the table and return it.

    Raises:
        TemplateError: Its name or release name is taken.

    Example:
        >>> register(template("out_and_back"))
        Traceback (most recent call last):
        revisit_metric.templates.TemplateError: template 'out_and_back' is already registered
    """
    taken = {name for known in TEMPLATES.values() for name in (known.name, known.release_name)} - {None}
    for name in (entry.name, entry.release_name):
        if name in taken:
            raise TemplateError(f"template {name!r} is already registered")
    TEMPLATES[entry.name] = entry
    return entry


def template(name: str) -> Template:
    """The template of that name, ours ("closed_loop") or the release's ("revisit_loop").

    Raises:
        TemplateError: No template has it; the message lists all.

    Example:
        >>> template("WSLRRLL").name
        'translation_rotation'
    """
    for entry in TEMPLATES.values():
        if name in (entry.name, entry.release_name):
            return entry
    known = [f"{t.name} ({t.release_name})" if t.release_name else t.name for t in TEMPLATES.values()]
    raise TemplateError(f"unknown template {name!r}; known are {', '.join(known)}")


register(
    Template(
        name="out_and_back",
        release_name="DDDAAA",
        script=parse_script("right 240f, left 240f"),
        description="Step sideways to the right for 7.2 m and back to the start, always facing forward.",
        metres_per_frame=14.4 / 480,
        build=partial(_word_path, "DDDAAA"),
    )
)
register(
    Template(
        name="translation_rotation",
        release_name="WSLRRLL",
        script=parse_script("forward 69f, back 69f, yaw_left 69f, yaw_right 135f, hold 3f, yaw_left 135f"),
        description="Forward 2.4 m and back; turn left to 48 degrees, right to 47, left to 48.",
        metres_per_frame=4.8 / 138,
        degrees_per_frame=238 / 339,
        build=partial(_word_path, "WSLRRLL"),
    )
)
register(
    Template(
        name="closed_loop",
        release_name="revisit_loop",
        script=parse_script("forward 117f, hold 3f, right 117f, hold 3f, back 117f, hold 3f, left 120f"),
        description="Round a square of 4 m: forward, right, back, left, always facing forward.",
        metres_per_frame=16 / 471,
        build=_square_path,
    )
)


# --- your own ---


def _yaml_mapping(path: Path) -> Mapping[Any, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read: {error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TemplateError(f"{path}: not YAML: {error}") from error
    if not isinstance(data, Mapping):
        raise TemplateError(f"{path}: expected the keys {', '.join(_YAML_KEYS)}, found {type(data).__name__}")
    for key in data:
        if key not in _YAML_KEYS:
            close = difflib.get_close_matches(str(key), _YAML_KEYS, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise TemplateError(f"{path}: unknown key {key!r}: {hint}known are {', '.join(_YAML_KEYS)}")
    return data


def _yaml_text(path: Path, data: Mapping[Any, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise TemplateError(
            f"{path}: {key} is {value!r}, expected text" if key in data else f"{path}: {key} is missing"
        )
    return value


def _yaml_step(path: Path, data: Mapping[Any, Any], key: str) -> float | None:
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, str) and re.fullmatch(r"\d+e[-+]?\d+", value.strip(), re.IGNORECASE):
        raise TemplateError(f"{path}: {key} is the text {value!r}: YAML wants a point in it, as in 1.0e-2")
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value > 0):
        raise TemplateError(f"{path}: {key} is {value!r}, expected a positive number")
    return float(value)


def template_from_yaml(path: str | Path) -> Template:
    """Read a template of your own from a YAML file with the keys shown in the module's docstring.

    `name` and `script` are required, `description` is optional, and the step sizes are required where the
    script moves that way. The template is returned, not registered.

    Raises:
        TemplateError: The file cannot be read, or a key is unknown, missing or has a bad value; the message
            names the file and the key.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "glance.yaml"
        >>> _ = file.write_text("{name: glance, script: yaw_left 9deg; hold 5f, degrees_per_frame: 0.5}")
        >>> template_from_yaml(file).script
        (Segment(action='yaw_left', frames=18), Segment(action='hold', frames=5))
    """
    path = Path(path)
    data = _yaml_mapping(path)
    name = _yaml_text(path, data, "name")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise TemplateError(f"{path}: name is {name!r}, expected lower-case letters, digits and underscores")
    text = _yaml_text(path, data, "script")
    metres, degrees = (_yaml_step(path, data, key) for key in ("metres_per_frame", "degrees_per_frame"))
    try:
        entry = Template(
            name=name,
            script=parse_script(text, metres_per_frame=metres, degrees_per_frame=degrees),
            description=_yaml_text(path, data, "description") if "description" in data else "",
            metres_per_frame=metres,
            degrees_per_frame=degrees,
        )
        entry.poses()
    except ScriptError as error:
        raise TemplateError(f"{path}: script: {error}") from error
    return entry


def release_intrinsics(width: int, height: int) -> NDArray[np.float64]:
    """The release's camera for an image of that size: `(3, 3)`, pixels.

    Square pixels, the principal point at the centre, and the release's horizontal field of view (89.4
    degrees): an image of another aspect ratio than 16:9 is cropped or extended vertically, never stretched.

    Args:
        width: Image width in pixels.
        height: Image height in pixels.

    Raises:
        ValueError: A size that is not positive.

    Example:
        >>> release_intrinsics(1920, 1080).tolist()
        [[969.7675145179088, 0.0, 960.0], [0.0, 969.7675145179088, 540.0], [0.0, 0.0, 1.0]]
    """
    if width <= 0 or height <= 0:
        raise ValueError(f"image size is {width} x {height}, expected positive pixels")
    focal = FOCAL_PER_WIDTH * width
    return np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])
