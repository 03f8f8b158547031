"""Hunyuan-GameCraft 1.0 (Tencent-Hunyuan/Hunyuan-GameCraft-1.0).

Input: two lists on the command line, an action and a value for every 33 frames. Actions: w s a d move (a/d
strafe); `left_rot right_rot up_rot down_rot` turn the camera. The value is the **total** of its 33 frames: of
the translation (times 10 inside), or of the rotation in degrees. A small value ("s" at 0.2 and below) is
known to be ignored by the model.

The value is free, so that distances and angles are those of the request; its times are rounded to blocks, and
a hold's time goes to the action before it.

Known from: read in the repository. The unit of a translation is not stated: `units_per_metre` has to be given
(examples use 0.2 for 33 frames of walking). Inferred: that an action leads evenly from its block's first
frame to its last, so that each block's first frame repeats the pose before it (every action restarts its pose
from the identity); and that frame 0 shows the input image.
"""

from pathlib import Path

import numpy as np

from adapters.base import Written, units_option
from adapters.block_adapter import BlockAdapter
from adapters.protocol import Command, Facts, Grid, Instance, Spec
from adapters.quantise import WASD
from revisit_metric.script import TRANSLATIONS
from revisit_metric.trajectory import Poses, Segment, integrate, rotation_angle_deg, step_lengths_m

BLOCK_FRAMES = 33
NAMES = WASD | {
    "yaw_left": "left_rot",
    "yaw_right": "right_rot",
    "pitch_up": "up_rot",
    "pitch_down": "down_rot",
}
SMALL_VALUE = 0.2


def block_amounts(instance: Instance, blocks: list[Segment]) -> list[tuple[str, float]]:
    """Action and amount of every block, metres or degrees: the requested distance of a segment, spread evenly."""
    steps, turns = step_lengths_m(instance.poses), rotation_angle_deg(instance.poses)
    totals, frame = [], 0
    for segment in instance.actions():
        if segment.action != "hold":
            measure = steps if segment.action in TRANSLATIONS else turns
            totals.append(float(measure[frame : frame + segment.frames].sum()))
        frame += segment.frames
    amounts: list[tuple[str, float]] = []
    for total, (action, count) in zip(totals, blocks, strict=True):
        amounts += [(action, total / count)] * count
    return amounts


class GameCraft(BlockAdapter):
    """An action and its amount every 33 frames."""

    can_hold = False
    spec = Spec(
        model="gamecraft",
        revision="Tencent-Hunyuan/Hunyuan-GameCraft-1.0 as of 2026-11",
        input_form="--action-list and --action-speed-list",
        fps=24.0,
        grid=Grid(BLOCK_FRAMES, BLOCK_FRAMES, "33 an action"),
        resolution=(704, 1216),
        convention="named actions with totals",
        scale="unit not stated, times 10 inside",
        scale_normalised=False,
        overlay="none drawn",
        licence="Tencent licence",
        facts=Facts(
            verified=(
                "33 frames an action",
                "value is the total of the action, degrees for rotations",
                "24 frames a second",
            ),
            inferred=(
                "an action leads evenly from its block's first frame to its last",
                "a block's first frame repeats the pose before it",
                "frame 0 shows the input image",
            ),
            unknown=("unit of a translation value",),
        ),
        options=(units_option(None, "translation value of a metre"),),
        consent=True,
    )

    def write(self, instance: Instance, folder: Path, blocks: list[Segment]) -> Written:
        """Write `actions.txt`, for the reader; the command carries the lists."""
        units = self.number("units_per_metre")
        amounts = block_amounts(instance, blocks)
        values = [amount * (units if action in TRANSLATIONS else 1.0) for action, amount in amounts]
        names = [NAMES[action] for action, _ in amounts]
        texts = [f"{value:.6g}" for value in values]
        file = folder / "actions.txt"
        file.write_text("".join(f"{name} {text}\n" for name, text in zip(names, texts, strict=True)), encoding="utf-8")
        moves = [value for value, (action, _) in zip(values, amounts, strict=True) if action in TRANSLATIONS]
        note = f"translation values down to {min(moves):.3g}: small ones are known to be ignored" if moves else ""
        notes = (note,) if moves and min(moves) <= SMALL_VALUE else ()
        return Written((file,), {"action_list": names, "action_speed_list": texts}, notes)

    def path(self, instance: Instance, blocks: list[Segment]) -> Poses:
        """Block by block, from the pose before it."""
        start, path = np.eye(4), []
        for action, amount in block_amounts(instance, blocks):
            step = amount / (BLOCK_FRAMES - 1)
            block = integrate(
                [Segment(action, BLOCK_FRAMES - 1)], metres_per_frame=step or None, degrees_per_frame=step or None
            )
            path.append(start @ block)
            start = path[-1][-1]
        return np.concatenate(path)

    def command(self) -> Command:
        """`hymm_sp/sample_batch.py`."""
        head = ("torchrun", "--nproc_per_node", "1", "hymm_sp/sample_batch.py", "--image-path", "{image}")
        inputs = ("--prompt", "{prompt}", "--ckpt", "<checkpoint>", "--video-size", "704", "1216", "--image-start")
        actions = ("--action-list", "{action_list}", "--action-speed-list", "{action_speed_list}")
        run = ("--sample-n-frames", "33", "--cfg-scale", "2", "--infer-steps", "50", "--seed", "{seed}")
        return Command((*head, *inputs, *actions, *run, "--save-path", "{out}"), "*.mp4")
