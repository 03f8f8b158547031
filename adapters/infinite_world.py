"""Infinite-World (MeiGen-AI/Infinite-World).

Input: `actions.json`, a list with one object a frame: `move` ("go forward", "go back", "go left", "go right",
"no-op") and `view` ("turn up", "turn down", "turn left", "turn right", "no-op"); `demo.yaml` lists prompt,
image and that file under `prompts`. `scripts/infworld_inference.py` has no command line: the prompt list, the
number of chunks and the seed are constants in it. The option `entry` names your copy, which takes
`--prompts`, `--chunks`, `--seed` and `--out`.

A chunk is 81 frames, 80 of them new: 80 k + 1. It reads the actions from the frame before its first new one.

Known from: labels, chunks and the writer's 30 frames a second were read in the repository (2af24b8). The
steps are learned: they have to be given, from a measurement. That the label of frame i leads from i to i + 1
is inferred. README says MIT; there is no licence file.
"""

import json
from pathlib import Path

from adapters.base import PACE, STEPS, KeyAdapter, Written
from adapters.matrix_game_2 import ENTRY
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from adapters.quantise import ground_path
from revisit_metric.trajectory import Poses

MOVES = {"forward": "go forward", "back": "go back", "left": "go left", "right": "go right"}
VIEWS = {"pitch_up": "turn up", "pitch_down": "turn down", "yaw_left": "turn left", "yaw_right": "turn right"}
STILL = "no-op"


class InfiniteWorld(KeyAdapter):
    """A pair of labels a frame."""

    spec = Spec(
        model="infinite-world",
        revision="MeiGen-AI/Infinite-World at 2af24b8",
        input_form="actions.json and demo.yaml",
        fps=30.0,
        grid=Grid(81, 80, "80 k + 1"),
        resolution=None,
        convention="labels",
        scale="learned",
        scale_normalised=False,
        overlay="none drawn",
        licence="README says MIT, no licence file",
        facts=Facts(
            verified=("labels of move and view", "13 chunks are 1041 frames", "writer at 30 frames a second"),
            inferred=("the label of frame i leads from frame i to i + 1",),
            unknown=("metres and degrees a frame",),
        ),
        options=(PACE, *STEPS, Option("entry", ENTRY.help.replace("--actions FILE", "its settings as arguments"))),
        consent=True,
    )

    def write(self, instance: Instance, folder: Path, actions: list[str]) -> Written:
        """Write `actions.json` and `demo.yaml`."""
        import yaml

        labels = [{"move": MOVES.get(action, STILL), "view": VIEWS.get(action, STILL)} for action in actions]
        file, listing = folder / "actions.json", folder / "demo.yaml"
        file.write_text(json.dumps(labels), encoding="utf-8")
        entry = [instance.prompt, str(instance.image), str(file.resolve())]
        listing.write_text(yaml.safe_dump({"prompts": [entry]}, allow_unicode=True), encoding="utf-8")
        return Written((file, listing), {"chunks": (len(actions) - 1) // 80})

    def path(self, actions: list[str], metres: float, degrees: float) -> Poses:
        """A walker's path."""
        return ground_path(actions, metres=metres, degrees=degrees)

    def command(self) -> Command:
        """Your copy of the script."""
        head = ("python", self.options["entry"], "--prompts", "{inputs}/demo.yaml", "--chunks", "{chunks}")
        return Command((*head, "--seed", "{seed}", "--out", "{out}"), "**/*.mp4")
