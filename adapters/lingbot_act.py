"""LingBot-World told by keys ("act2cam", upstream 7ee84e1).

Input: `wasd_action.npy` `(F, 4)`, columns W A S D, and `ijkl_action.npy` `(F, 4)`, columns I J K L, 0 or 1,
beside `intrinsics.npy`; several keys may be on in one row. w/s move ahead and back, a/d **strafe**, j/l yaw
left and right, i/k pitch up and down: 0.05 units and 2 degrees a frame, yaw about the world's vertical, pitch
clamped to 85 degrees, steps in the ground plane. The same keys as text for `--action_string` are in the
placeholder `{action_string}`.

Known from: forks only, not the upstream file. The model builds F + 1 poses and samples F, about one frame of
stretch over the clip; which frame shows which pose is therefore inferred to be within one frame. A unit is
taken as a metre: scale is normalised away (see `lingbot_world`), so only ratios count.
"""

from pathlib import Path

from adapters.base import PACE, KeyAdapter, Written, save_npy
from adapters.lingbot_world import check_checkpoint, sizes_option, write_intrinsics
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from adapters.quantise import KEYS, ground_path, one_hot
from revisit_metric.trajectory import Poses

WASD_COLUMNS = ("forward", "left", "back", "right")
IJKL_COLUMNS = ("pitch_up", "yaw_left", "pitch_down", "yaw_right")


def action_string(actions: list[str]) -> str:
    """Actions as `keys-frames` segments.

    Example:
        >>> action_string(["forward", "forward", "yaw_right", "hold"])
        'w-2,l-1,none-1'
    """
    runs: list[tuple[str, int]] = []
    for action in actions:
        key = KEYS.get(action, "none")
        if runs and runs[-1][0] == key:
            runs[-1] = (key, runs[-1][1] + 1)
        else:
            runs.append((key, 1))
    return ",".join(f"{key}-{count}" for key, count in runs)


class LingBotAct(KeyAdapter):
    """Keys that the model turns into camera poses."""

    spec = Spec(
        model="lingbot-world-act2cam",
        revision="upstream 7ee84e1, read in forks",
        input_form="wasd_action.npy, ijkl_action.npy and intrinsics.npy",
        fps=16.0,
        grid=Grid(5, 4, "4k + 1"),
        resolution=None,
        convention="keys; c2w OpenCV inside",
        scale="normalised by the clip's largest step",
        scale_normalised=True,
        overlay="none drawn",
        licence="Apache-2.0",
        metres_per_frame=0.05,
        degrees_per_frame=2.0,
        facts=Facts(
            documented=(
                "fork: 0.05 units and 2 degrees a frame, a/d strafe, j/l yaw, pitch within 85 degrees",
                "fork: F + 1 poses sampled at F places",
            ),
            inferred=("frame i shows pose i to within one frame", "a unit is a metre (normalised away)"),
        ),
        options=(
            PACE,
            sizes_option(),
            Option("checkpoint", "checkpoint folder; its path must contain 'cam'", "lingbot-world-base-cam"),
        ),
    )

    def write(self, instance: Instance, folder: Path, actions: list[str]) -> Written:
        """Write the two key tables and the intrinsics into `actions/`."""
        wasd = save_npy(folder / "actions" / "wasd_action.npy", one_hot(actions, WASD_COLUMNS))
        ijkl = save_npy(folder / "actions" / "ijkl_action.npy", one_hot(actions, IJKL_COLUMNS))
        camera = write_intrinsics(instance, folder / "actions" / "intrinsics.npy", len(actions))
        notes = ("a unit is taken as a metre; scale is normalised away",)
        return Written((wasd, ijkl, camera), {"action_string": action_string(actions)}, notes)

    def path(self, actions: list[str], metres: float, degrees: float) -> Poses:
        """A walker's path, pitch within 85 degrees."""
        return ground_path(actions, metres=metres, degrees=degrees, pitch_limit=85.0)

    def command(self) -> Command:
        """`generate.py --allow_act2cam`."""
        checkpoint = self.options["checkpoint"]
        check_checkpoint(self.spec.model, checkpoint)
        head = (
            "torchrun",
            "--nproc_per_node",
            "1",
            "generate.py",
            "--task",
            "i2v-A14B",
            "--size",
            self.options["size"],
        )
        inputs = (
            "--ckpt_dir",
            checkpoint,
            "--image",
            "{image}",
            "--allow_act2cam",
            "--action_path",
            "{inputs}/actions",
        )
        tail = ("--frame_num", "{frames}", "--prompt", "{prompt}", "--base_seed", "{seed}")
        return Command((*head, *inputs, *tail, "--save_file", "{out}/video.mp4"), "video.mp4")
