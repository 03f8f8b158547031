"""Matrix-Game 3.5 (github Riemann-Dynamics/Matrix-Game-3.5).

Input: `camera.npz` with `extrinsics_c2w` float32 `(N, 4, 4)`, camera-to-world OpenCV, **metres**, identity
first, and `intrinsics` `(3, 3)` in pixels of the anchor image. Translations are not normalised by the clip;
the scale matters.

Known from: read in the repository, which contradicts itself: README says that a block is 80 frames and takes
84 poses, the code takes poses 1 + 84 k to 84 (k + 1) and its own sample of 6 blocks has 505 = 1 + 84 * 6. The
adapter follows the code, one pose a frame, and `collect` counts the frames of every video: one that has
another number is reported, because then nobody knows which frame shows which pose.
"""

from pathlib import Path

import numpy as np

from adapters.base import PoseAdapter, Written, save_npz
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from revisit_metric.trajectory import Poses

MIN_POSES = 86


class MatrixGame35(PoseAdapter):
    """Metric poses, one a frame."""

    spec = Spec(
        model="matrix-game-3.5",
        revision="Riemann-Dynamics/Matrix-Game-3.5 as of 2026-11",
        input_form="camera.npz",
        fps=16.0,
        grid=Grid(85, 84, "1 + 84 n"),
        resolution=(704, 1280),
        convention="c2w OpenCV",
        scale="metres",
        scale_normalised=False,
        overlay="none drawn on result.mp4",
        licence="Apache-2.0; samples CC-BY-4.0",
        facts=Facts(
            verified=("extrinsics_c2w in metres, intrinsics in pixels of the image", "at least 86 poses"),
            documented=("80 frames a block (README), against the code's 84",),
            inferred=("frame i shows pose i, as the code's 84 poses a block suggest; counted on collecting",),
        ),
        options=(Option("person", "first or third", "first", ("first", "third")),),
    )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `camera.npz`."""
        short = max(0, MIN_POSES - len(path))
        poses = np.concatenate([path, np.repeat(path[-1:], short, axis=0)]).astype(np.float32)
        file = save_npz(folder / "camera.npz", extrinsics_c2w=poses, intrinsics=instance.intrinsics.astype(np.float32))
        return Written((file,), {"blocks": self.spec.grid.index(len(path)) + 1})

    def command(self) -> Command:
        """`infer.py`."""
        head = ("python", "infer.py", "--person", self.options["person"], "--image", "{image}")
        inputs = ("--camera", "{inputs}/camera.npz", "--camera-convention", "c2w", "--prompt", "{prompt}")
        run = ("--num-blocks", "{blocks}", "--steps", "25", "--cfg-scale", "5", "--seed", "{seed}")
        return Command((*head, *inputs, *run, "--output", "{out}"), "**/result.mp4")
