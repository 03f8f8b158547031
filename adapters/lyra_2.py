"""Lyra 2.0 (nv-tlabs/lyra, folder Lyra-2).

Input: `trajectory.npz` with `w2c` float32 `(N, 4, 4)`, **world-to-camera** OpenCV, `intrinsics` `(N, 3, 3)`
in pixels, `image_height` and `image_width` that these refer to.

Scale: a translation is relative to the monocular depth of the first frame, not metric; a typical step is
about 0.005. A path in metres would leave the scene, so `units_per_metre` has to be given: about 0.005 divided
by your metres a frame (0.17 for the benchmark's templates), or the ratio of the model's depth to metres where
you know it. The script multiplies translations by `--pose_scale`, 1.1 unless told otherwise; the command sets
it to 1.

Known from: read in the repository; that the typical step suits a scene is its authors' statement. Existing
output is skipped by the script.
"""

from pathlib import Path

import numpy as np

from adapters.base import PoseAdapter, Written, save_npz, units_option
from adapters.protocol import Command, Facts, Grid, Instance, Spec
from revisit_metric.trajectory import Poses, invert


class Lyra2(PoseAdapter):
    """World-to-camera poses relative to the first frame's depth."""

    spec = Spec(
        model="lyra-2",
        revision="nv-tlabs/lyra, Lyra-2 as of 2026-11",
        input_form="trajectory.npz",
        fps=16.0,
        grid=Grid(81, 80, "80 k + 1"),
        resolution=(480, 832),
        convention="w2c OpenCV",
        scale="relative to the first frame's estimated depth",
        scale_normalised=False,
        overlay="none drawn",
        licence="code Apache-2.0; weights NVIDIA internal research licence",
        facts=Facts(
            verified=(
                "w2c, intrinsics and their image size",
                "(frames - 1) % 80 == 0",
                "--pose_scale is 1.1 by default",
            ),
            documented=("typical step about 0.005 units",),
            unknown=("units in a metre: depends on the image",),
        ),
        options=(units_option(None, "the model's depth units in a metre, about 0.17 for the benchmark's templates"),),
    )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `trajectory.npz`."""
        width, height = instance.image_size
        file = save_npz(
            folder / "trajectory.npz",
            w2c=invert(path).astype(np.float32),
            intrinsics=np.repeat(instance.intrinsics[None], len(path), axis=0).astype(np.float32),
            image_height=np.array(height),
            image_width=np.array(width),
        )
        return Written((file,))

    def command(self) -> Command:
        """The custom-trajectory script."""
        head = ("python", "-m", "lyra_2._src.inference.lyra2_custom_traj_inference", "--input_image_path", "{image}")
        inputs = ("--trajectory_path", "{inputs}/trajectory.npz", "--prompt", "{prompt}", "--pose_scale", "1.0")
        model = ("--experiment", "lyra2", "--checkpoint_dir", "checkpoints/model", "--resolution", "480,832")
        run = ("--num_frames", "{frames}", "--fps", "16", "--guidance", "5", "--num_sampling_step", "35")
        argv = (*head, *inputs, *model, *run, "--seed", "{seed}", "--output_path", "{out}")
        return Command(argv, "*.mp4", {"PYTHONPATH": "."})
