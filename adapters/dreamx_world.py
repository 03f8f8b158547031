"""DreamX-World 5B, autoregressive: the public sibling of DreamX-World-Memo (github AMAP-ML/DreamX-World).

DreamX-World-Memo, the benchmark's model, has no public repository, checkpoint or interface. This adapter is
for the released `inference_ar_forcing.py`; its results are DreamX-World's and must not be reported as Memo's.
(The other sibling, 5B-Cam, ends at 121 frames, before any of the three templates, and has no adapter.)

Input: a list of one object with `image_path`, `caption`, `action_seq` (strings of w s a d i j k l; a/d
strafe, j/l yaw, i/k pitch; a blank stands still), `action_speed_list` and `task_id`. In this script "speed"
is the segment's **share of the frames**, not a speed; the step is fixed, 0.075 units and 1.5 degrees a frame.
The first frame has already moved one step and poses are then taken relative to it: the first action gets one
frame more, which cancels out.

The model conditions latent k >= 1 on frame 1 + 4 (k - 1), the first of its block. Existing output is skipped.
Its colour correction changes frames after generation and is switched off.

Known from: read in the repository and in copies of `trajectory_processor.py` (its
`generate_trajectory_from_json`; the other generator in that file turns the opposite way). That a unit is a
metre is inferred.
"""

import json
from pathlib import Path

import numpy as np

from adapters.base import PACE, KeyAdapter, Written
from adapters.protocol import Command, Facts, Grid, Instance, Spec
from adapters.quantise import KEYS
from revisit_metric.trajectory import Poses, Segment, integrate


def runs(actions: list[str]) -> list[Segment]:
    """Equal neighbours joined.

    Example:
        >>> runs(["hold", "hold", "left"])
        [Segment(action='hold', frames=2), Segment(action='left', frames=1)]
    """
    joined: list[Segment] = []
    for action in actions:
        if joined and joined[-1].action == action:
            joined[-1] = Segment(action, joined[-1].frames + 1)
        else:
            joined.append(Segment(action, 1))
    return joined


class DreamXWorld(KeyAdapter):
    """Segments of keys with their frames."""

    spec = Spec(
        model="dreamx-world",
        revision="AMAP-ML/DreamX-World as of 2026-11 (public sibling of DreamX-World-Memo)",
        input_form="input.json: keys and frame shares of each segment",
        fps=16.0,
        grid=Grid(9, 12, "4 (N - 1) + 1 with N latents, N a multiple of 3"),
        resolution=(704, 1280),
        convention="keys; w2c rows inside",
        scale="units that pass through; 0.075 a frame",
        scale_normalised=False,
        overlay="none drawn",
        licence="Apache-2.0",
        metres_per_frame=0.075,
        degrees_per_frame=1.5,
        facts=Facts(
            verified=(
                "action_speed_list holds shares of the frames, rounded one by one, the last takes the rest",
                "0.075 units and 1.5 degrees a frame at the fixed speed of 1.5",
                "yaw right and pitch up positive; a blank stands still",
                "frame 0 has moved one step; poses relative to it",
                "21 latents are 81 frames",
            ),
            inferred=("a unit is a metre",),
            unknown=("DreamX-World-Memo: any public interface",),
        ),
        options=(PACE,),
    )

    def write(self, instance: Instance, folder: Path, actions: list[str]) -> Written:
        """Write `input.json`."""
        segments = runs(actions[:1] + actions[:-1])
        entry = {
            "image_path": str(instance.image),
            "caption": instance.prompt,
            "action_seq": [KEYS.get(segment.action, " ") for segment in segments],
            "action_speed_list": [segment.frames for segment in segments],
            "task_id": "0",
        }
        file = folder / "input.json"
        file.write_text(json.dumps([entry], ensure_ascii=False), encoding="utf-8")
        return Written((file,), {"latents": (len(actions) - 1) // 4 + 1}, ("a unit is taken as a metre",))

    def path(self, actions: list[str], metres: float, degrees: float) -> Poses:
        """Steps along the camera's own axes, turns composed on the right."""
        path = integrate(runs(actions), metres_per_frame=metres, degrees_per_frame=degrees)
        return np.asarray(path)

    def command(self) -> Command:
        """`inference_ar_forcing.py`."""
        head = (
            "python",
            "inference_ar_forcing.py",
            "--config_path",
            "configs/ar_forcing/causal_camera_forcing_5b.yaml",
        )
        inputs = ("--base_checkpoint_path", "<base checkpoint>", "--data_path", "{inputs}/input.json")
        run = ("--num_output_frames", "{latents}", "--fps", "16", "--seed", "{seed}")
        return Command((*head, *inputs, *run, "--color_correction_strength", "0", "--output_folder", "{out}"), "*.mp4")
