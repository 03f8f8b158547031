"""AlayaWorld (AlayaLab/AlayaWorld).

Input: files with one prefix: `case_image.png`, `case_prompt.txt`, and `case_camera.pt`, a dictionary with
`cam_c2w` float32 `(1600, 4, 4)` (camera-to-world OpenCV), `intrinsic` `(3, 3)`, the same two under `_raw`,
`pose_orig_w`, `pose_orig_h`, `frame_start`, `frame_end`, `has_camera`. 32 frames a round at 24 frames a
second.

A joystick is drawn on the video by default; the command switches it off (`--no-joystick`).

Known from: read in the repository. Inferred: that intrinsics are divided by width and height (the
repository's own data sets do so), that frame i shows pose i from the first round on, and that the given scale
is kept (its depth estimate is rescaled to the poses). Writing needs torch.
"""

from pathlib import Path

import numpy as np

from adapters.base import PoseAdapter, Written
from adapters.paths import held, scaled_intrinsics
from adapters.protocol import AdapterError, Command, Facts, Grid, Instance, Spec
from revisit_metric.trajectory import Poses

N_POSES = 1600
ROUND_FRAMES = 32


class AlayaWorld(PoseAdapter):
    """Poses in a torch file."""

    spec = Spec(
        model="alayaworld",
        revision="AlayaLab/AlayaWorld at fa0ca02",
        input_form="case_camera.pt, case_image.png, case_prompt.txt",
        fps=24.0,
        grid=Grid(ROUND_FRAMES, ROUND_FRAMES, "32 a round"),
        resolution=(544, 960),
        convention="c2w OpenCV",
        scale="the poses' own; estimated depth is rescaled to it",
        scale_normalised=False,
        overlay="--no-joystick",
        licence="LTX-2 Community Licence",
        facts=Facts(
            verified=(
                "names and shapes in case_camera.pt",
                "joystick drawn unless --no-joystick",
                "24 frames a second",
            ),
            inferred=(
                "intrinsics are divided by width and height",
                "frame i shows pose i, the input image being frame 0",
                "the given scale is kept",
            ),
        ),
        consent=True,
    )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write the three files of a case."""
        import torch
        from PIL import Image

        if len(path) > N_POSES:
            raise AdapterError(
                f"{instance.instance_id}: {len(path)} frames, AlayaWorld's camera file ends at {N_POSES}"
            )
        poses = torch.from_numpy(held(path, N_POSES).astype(np.float32))
        camera = torch.from_numpy(scaled_intrinsics(instance, width=1.0, height=1.0).astype(np.float32))
        record = {
            "cam_c2w": poses,
            "intrinsic": camera,
            "cam_c2w_raw": poses.clone(),
            "intrinsic_raw": camera.clone(),
            "pose_orig_w": float(instance.image_size[0]),
            "pose_orig_h": float(instance.image_size[1]),
            "frame_start": 0,
            "frame_end": N_POSES - 1,
            "has_camera": True,
        }
        files = tuple(folder / f"case_{name}" for name in ("camera.pt", "image.png", "prompt.txt"))
        torch.save(record, files[0])
        with Image.open(instance.image) as image:
            image.convert("RGB").save(files[1])
        files[2].write_text(instance.prompt + "\n", encoding="utf-8")
        return Written(files, {"rounds": len(path) // ROUND_FRAMES})

    def command(self) -> Command:
        """`inference.run`."""
        head = ("python", "-m", "inference.run", "--input", "{inputs}/case", "--seed", "{seed}", "--rounds", "{rounds}")
        return Command((*head, "--no-joystick", "--skill-sec", "0", "--output-dir", "{out}"), "*.mp4")
