"""Plain camera files, for a model that reads one of them: your own, CameraCtrl, VideoX-Fun, a NeRF viewer.

`camera-re10k`: RealEstate10K text: a header, then 19 numbers a line: timestamp, fx fy cx cy over width and
height, two zeros, a 3 x 4 **world-to-camera** matrix. CameraCtrl and VideoX-Fun's Control-Camera checkpoints
(not its Control ones, which ignore it and do not move) read it. `camera-c2w`, `camera-w2c`: `poses.npz` with
the matrices under the name that says what they are, and `intrinsics`. A bare array would not say: files
called c2w that hold w2c are common. `camera-opengl`: `transforms.json`, a NeRF `transform_matrix` a frame:
camera-to-world with the camera looking along -z, y up (the columns y and z of the OpenCV matrix negated).

The default command renders the path in the reference world, which reads all four: a model to try the tools
with. Put your own in `command.json`; `frames` has to be on its grid (VideoX-Fun: 4 k + 1), and `first`,
`step` set that grid.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from adapters.base import PoseAdapter, Written, units_option
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from revisit_metric.pose_files import write_poses
from revisit_metric.trajectory import Poses

OPENGL = np.diag([1.0, -1.0, -1.0, 1.0])

_SPEC = Spec(
    model="camera",
    revision="formats, not a model",
    input_form="",
    fps=None,
    grid=Grid(1, 1, "any, or first + step k"),
    resolution=None,
    convention="",
    scale="metres times units_per_metre",
    scale_normalised=False,
    overlay="up to the model",
    licence="none needed",
    facts=Facts(verified=("layout and signs",)),
    options=(
        Option("first", "smallest frame count of your model", "1", kind="whole"),
        Option("step", "distance between its frame counts", "1", kind="whole"),
        units_option("1.0", "your model's units in a metre"),
    ),
)


class CameraFile(PoseAdapter):
    """One file of poses."""

    format: ClassVar[str]
    file: ClassVar[str]

    @property
    def grid(self) -> Grid:
        """Frame counts of the user's model."""
        return Grid(int(self.number("first")), int(self.number("step")), "as given by first and step")

    def command(self) -> Command:
        """The reference world, as a stand-in."""
        head = (sys.executable, "-m", "adapters.reference_world", "--poses", "{inputs}/" + self.file)
        units = ("--units-per-metre", self.options["units_per_metre"], "--seed", "{seed}")
        return Command((*head, "--format", self.format, *units, "--out", "{out}/video.mp4"), "video.mp4")


class RealEstate10K(CameraFile):
    """RealEstate10K text."""

    format, file = "re10k", "poses.txt"
    spec = replace(_SPEC, model="camera-re10k", input_form="poses.txt", convention="w2c OpenCV")

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `poses.txt`."""
        file = folder / self.file
        write_poses(file, path, intrinsics=instance.intrinsics, image_size=instance.image_size)
        return Written((file,))


class CameraToWorld(CameraFile):
    """An archive of camera-to-world matrices."""

    format, file = "c2w", "poses.npz"
    spec = replace(_SPEC, model="camera-c2w", input_form="poses.npz", convention="c2w OpenCV")

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `poses.npz`."""
        file = folder / self.file
        write_poses(file, path, convention="w2c" if self.format == "w2c" else "c2w", intrinsics=instance.intrinsics)
        return Written((file,))


class WorldToCamera(CameraToWorld):
    """An archive of world-to-camera matrices."""

    format = "w2c"
    spec = replace(_SPEC, model="camera-w2c", input_form="poses.npz", convention="w2c OpenCV")


class OpenGL(CameraFile):
    """NeRF transforms."""

    format, file = "opengl", "transforms.json"
    spec = replace(_SPEC, model="camera-opengl", input_form="transforms.json", convention="c2w OpenGL")

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `transforms.json`."""
        camera, (width, height) = instance.intrinsics, instance.image_size
        record = {
            "w": width,
            "h": height,
            "fl_x": camera[0, 0],
            "fl_y": camera[1, 1],
            "cx": camera[0, 2],
            "cy": camera[1, 2],
            "frames": [{"transform_matrix": (pose @ OPENGL).tolist()} for pose in path],
        }
        file = folder / self.file
        file.write_text(json.dumps(record), encoding="utf-8")
        return Written((file,))
