"""Matrix-Game 3.0 (github SkyworkAI/Matrix-Game, folder Matrix-Game-3).

Input: none as a file; `get_data` returns random bench actions, the interactive mode asks on stdin. The
adapter writes `actions.npz`: `keyboard` `(1, F, 6)`, columns W S A D space attack, the last two always 0, and
`mouse` `(1, F, 2)`, [pitch, yaw], up and right +0.1. The option `entry` names your copy of `generate.py`,
which has to

1. read `--actions FILE` and return its tensors from `get_data`;
2. write the frames **before** `process_video`: that function draws keys and a mouse on every frame of the
   only file there is, so an unpatched model cannot be scored. Say that it does with `clean_output=yes`.

It integrates its own poses: 12.35 cm a key frame, 15 degrees a mouse unit (1.5 degrees a frame at 0.1), steps
in the ground plane; action i leads from frame i to i + 1. Poses are normalised by the largest step of each
*clip* (57 frames, then 40 new ones), so a clip that mixes speeds differs from one that does not. `generate()`
ends with `exit()`: one process a video.

Known from: all of this was read in the repository. The file's rate is read from the file, since the code
holds 24, 17 and 16 in different places.
"""

from pathlib import Path

import numpy as np

from adapters.base import PACE, KeyAdapter, Written, save_npz
from adapters.matrix_game_2 import ENTRY, mouse
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from adapters.quantise import ground_path, one_hot
from revisit_metric.script import TRANSLATIONS
from revisit_metric.trajectory import Poses


class MatrixGame3(KeyAdapter):
    """Keys and mouse, integrated by the model."""

    spec = Spec(
        model="matrix-game-3",
        revision="SkyworkAI/Matrix-Game, Matrix-Game-3 as of 2026-11",
        input_form="tensors, as actions.npz for your copy of generate.py",
        fps=24.0,
        grid=Grid(57, 40, "57 + 40 (n - 1)"),
        resolution=(704, 1280),
        convention="keys and mouse; c2w inside",
        scale="metres, normalised by each clip's largest step",
        scale_normalised=True,
        overlay="always drawn; your copy of generate.py has to write frames before process_video",
        licence="Apache-2.0",
        metres_per_frame=0.1235,
        degrees_per_frame=1.5,
        facts=Facts(
            verified=(
                "columns W S A D space attack; mouse [pitch, yaw], up and right positive, 0.1",
                "12.35 cm a key frame, 15 degrees a mouse unit",
                "12 iterations are 497 frames",
                "every saved frame carries the controls",
                "exit() after one video",
            ),
            inferred=("which of 24, 17 and 16 frames a second the file gets",),
        ),
        options=(
            PACE,
            ENTRY,
            Option("clean_output", "yes: your copy writes frames before process_video draws on them", None, ("yes",)),
        ),
    )

    def write(self, instance: Instance, folder: Path, actions: list[str]) -> Written:
        """Write `actions.npz`."""
        keys = np.pad(one_hot(actions, TRANSLATIONS), ((0, 0), (0, 2)))
        file = save_npz(folder / "actions.npz", keyboard=keys[None], mouse=mouse(actions)[None])
        return Written((file,), {"iterations": self.spec.grid.index(len(actions)) + 1})

    def path(self, actions: list[str], metres: float, degrees: float) -> Poses:
        """A walker's path."""
        return ground_path(actions, metres=metres, degrees=degrees)

    def command(self) -> Command:
        """Your copy of `generate.py`."""
        head = ("torchrun", "--nproc_per_node", "1", self.options["entry"], "--size", "704*1280")
        model = ("--ckpt_dir", "Matrix-Game-3.0", "--image", "{image}", "--prompt", "{prompt}")
        run = ("--num_iterations", "{iterations}", "--num_inference_steps", "3", "--seed", "{seed}")
        out = ("--save_name", "video", "--output_dir", "{out}", "--actions", "{inputs}/actions.npz")
        return Command((*head, *model, *run, *out), "video.mp4")
