"""Matrix-Game 2.0, universal configuration (github SkyworkAI/Matrix-Game, folder Matrix-Game-2).

Input: none as a file. `inference.py` takes random bench actions, so the tensors have to be put into its
conditional dictionary: `keyboard_cond` `(1, F, 4)`, columns forward, back, left, right, and `mouse_cond` `(1,
F, 2)`, [pitch, yaw], up +0.1 and right +0.1. The adapter writes them as `keyboard` and `mouse` of
`actions.npz`; the option `entry` names your copy of `inference.py` that reads `--actions FILE` and does so.
There is no text prompt.

Actions of Matrix-Game 1 (jump, attack) do not exist here: 4 columns, not 6.

Known from: frames, columns and mouse signs were read in the repository. How far a key frame leads and how
many degrees a mouse unit turns is documented nowhere: the steps have to be given, from a measurement on a
generated video. (That they equal those of version 3 would be a guess.) The writer stamps 12 frames a second;
README says 25. The authors warn that looking up may give black frames.
"""

from pathlib import Path

import numpy as np

from adapters.base import PACE, STEPS, KeyAdapter, Written, save_npz
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from adapters.quantise import ground_path, one_hot
from revisit_metric.script import TRANSLATIONS
from revisit_metric.trajectory import Poses

MOUSE_STEP = 0.1


def mouse(actions: list[str]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Mouse rows [pitch, yaw] of Matrix-Game: float32 `(F, 2)`, up and right positive.

    Example:
        >>> mouse(["pitch_up", "yaw_left"]).round(3).tolist()[1]
        [0.0, -0.10000000149011612]
    """
    up, down, left, right = one_hot(actions, ["pitch_up", "pitch_down", "yaw_left", "yaw_right"]).T
    return (MOUSE_STEP * np.stack([up - down, right - left], axis=1)).astype(np.float32)


ENTRY = Option("entry", "your copy of the model's script that reads --actions FILE (see the adapter's docstring)")


class MatrixGame2(KeyAdapter):
    """Universal keys and mouse."""

    spec = Spec(
        model="matrix-game-2",
        revision="SkyworkAI/Matrix-Game, Matrix-Game-2 as of 2026-11",
        input_form="tensors, as actions.npz for your copy of inference.py",
        fps=12.0,
        grid=Grid(9, 12, "4 (N - 1) + 1 with N latents, N a multiple of 3"),
        resolution=(352, 640),
        convention="keys and mouse",
        scale="learned",
        scale_normalised=False,
        overlay="demo.mp4 is clean; demo_icon.mp4 carries the controls",
        licence="MIT",
        facts=Facts(
            verified=(
                "keyboard columns W S A D, mouse [pitch, yaw], up and right positive, 0.1",
                "150 latents are 597 frames",
                "writer at 12 frames a second (in a fork), README says 25",
            ),
            inferred=("an action's steps are the same throughout a clip", "action i leads from frame i to i + 1"),
            unknown=("metres a key frame", "degrees a mouse unit"),
        ),
        options=(PACE, *STEPS, ENTRY),
    )

    def write(self, instance: Instance, folder: Path, actions: list[str]) -> Written:
        """Write `actions.npz`."""
        keys = one_hot(actions, TRANSLATIONS)
        file = save_npz(folder / "actions.npz", keyboard=keys[None], mouse=mouse(actions)[None])
        return Written((file,), {"latents": (len(actions) - 1) // 4 + 1})

    def path(self, actions: list[str], metres: float, degrees: float) -> Poses:
        """A walker's path."""
        return ground_path(actions, metres=metres, degrees=degrees)

    def command(self) -> Command:
        """Your copy of `inference.py`."""
        head = ("python", self.options["entry"], "--config_path", "configs/inference_yaml/inference_universal.yaml")
        tail = ("--img_path", "{image}", "--output_folder", "{out}", "--num_output_frames", "{latents}")
        return Command((*head, *tail, "--seed", "{seed}", "--actions", "{inputs}/actions.npz"), "demo.mp4")
