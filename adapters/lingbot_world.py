"""LingBot-World told by camera poses: base-cam, Fast, and 2-Fast (github Robbyant/lingbot-world).

Input: a folder with `poses.npy` float32 `(F, 4, 4)`, camera-to-world OpenCV, and `intrinsics.npy` float32
`(F, 4)`, fx fy cx cy in pixels of a 480 x 832 reference image whatever the output size; only row 0 is used.
The poses are sampled at frames 0, 4, 8, ...: exactly only where the frame count is on the model's own grid.
Beside it the trajectory is stretched or compressed in time without a word, so `frames` never leaves the grid.

Scale is normalised away: the largest step between two samples of the clip becomes 1. Only the ratio of steps
inside one clip reaches the model; a path at 0.01 m a frame and one at 1 m a frame are the same to it.
Rotations stay absolute. Poses estimated from video (ViPE) therefore look slow or fast for other reasons than
their unit.

Trap: camera or act conditioning is decided by `cam` or `act` in the checkpoint's *path*; the option
`checkpoint` is checked for it where the model looks.

Known from: base-cam was read in its repository. Fast and 2-Fast were read in forks only; that README's 361
frames for 2-Fast lie off the grid (the model then makes 349, compressed) is inferred. `--base_seed` of 2-Fast
is inferred from the first version.
"""

from pathlib import Path
from typing import ClassVar

import numpy as np

from adapters.base import PoseAdapter, Written, save_npy
from adapters.paths import fxfycxcy, scaled_intrinsics
from adapters.protocol import AdapterError, Command, Facts, Grid, Instance, Option, Spec
from revisit_metric.trajectory import Poses

REFERENCE_HEIGHT, REFERENCE_WIDTH = 480, 832


def write_intrinsics(instance: Instance, path: Path, n_frames: int) -> Path:
    """Write `intrinsics.npy`: the instance's camera in pixels of the 480 x 832 reference, one row a frame."""
    camera = scaled_intrinsics(instance, width=REFERENCE_WIDTH, height=REFERENCE_HEIGHT)
    return save_npy(path, np.repeat(fxfycxcy(camera)[None], n_frames, axis=0))


def check_checkpoint(model: str, checkpoint: str) -> None:
    """Refuse a checkpoint path in which the model finds no camera mode.

    Raises:
        AdapterError: The path does not contain "cam".
    """
    if "cam" not in checkpoint:
        raise AdapterError(
            f"{model}: checkpoint {checkpoint!r} has no 'cam' in its path, and the model decides by it what its "
            "input means: keep the folder's name"
        )


def sizes_option() -> Option:
    """The output area; the aspect ratio follows the image."""
    return Option("size", "output area, height*width", "480*832", ("480*832", "720*1280", "832*480", "1280*720"))


_FACTS = Facts(
    verified=(
        "poses.npy camera-to-world OpenCV, intrinsics.npy for a 480 x 832 reference",
        "writer at 16 frames a second",
        "translations divided by the clip's largest step between latents",
        "latent poses at frames 0, 4, 8, ...",
    ),
    documented=("up to 961 frames",),
)


class LingBotWorld(PoseAdapter):
    """Base-cam."""

    mode_from_path: ClassVar[bool] = True

    spec = Spec(
        model="lingbot-world",
        revision="Robbyant/lingbot-world as of 2026-11",
        input_form="poses.npy and intrinsics.npy",
        fps=16.0,
        grid=Grid(5, 4, "4k + 1"),
        resolution=None,
        convention="c2w OpenCV",
        scale="normalised by the clip's largest step",
        scale_normalised=True,
        overlay="none drawn",
        licence="Apache-2.0",
        stride=4,
        facts=_FACTS,
        options=(
            sizes_option(),
            Option("checkpoint", "checkpoint folder; its path must contain 'cam'", "lingbot-world-base-cam"),
        ),
    )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `actions/poses.npy` and `actions/intrinsics.npy`."""
        poses = save_npy(folder / "actions" / "poses.npy", path)
        return Written((poses, write_intrinsics(instance, folder / "actions" / "intrinsics.npy", len(path))))

    def _argv(self, script: str, *extra: str) -> tuple[str, ...]:
        checkpoint = self.options["checkpoint"]
        if self.mode_from_path:
            check_checkpoint(self.spec.model, checkpoint)
        head = ("torchrun", "--nproc_per_node", "1", script, "--task", "i2v-A14B", "--size", self.options["size"])
        inputs = ("--ckpt_dir", checkpoint, "--image", "{image}", "--action_path", "{inputs}/actions")
        return (*head, *inputs, "--frame_num", "{frames}", "--prompt", "{prompt}", "--base_seed", "{seed}", *extra)

    def command(self) -> Command:
        """`generate.py`."""
        return Command(self._argv("generate.py", "--save_file", "{out}/video.mp4"), "video.mp4")


class LingBotWorldFast(LingBotWorld):
    """Fast: weights inside the base-cam folder; chunks of 3 latents."""

    spec = Spec(
        model="lingbot-world-fast",
        revision="generate_fast.py in forks as of 2026-11",
        input_form="poses.npy and intrinsics.npy",
        fps=16.0,
        grid=Grid(9, 12, "12k - 3 (chunks of 3 latents)"),
        resolution=None,
        convention="c2w OpenCV",
        scale="normalised by the clip's largest step",
        scale_normalised=True,
        overlay="none drawn",
        licence="Apache-2.0",
        stride=4,
        facts=Facts(
            verified=_FACTS.verified,
            documented=("fork: latents floored to a multiple of 3, poses resampled over the whole request",),
        ),
        options=LingBotWorld.spec.options,
    )

    def command(self) -> Command:
        """`generate_fast.py`."""
        return Command(self._argv("generate_fast.py", "--save_dir", "{out}"), "*.mp4")


class LingBotWorld2Fast(LingBotWorld):
    """Version 2, causal_fast ("Infinity"): chunks of 4 latents."""

    mode_from_path = False
    spec = Spec(
        model="lingbot-world-2-fast",
        revision="lingbot-world v2 in a fork as of 2026-11 (arXiv 2607.07534)",
        input_form="poses.npy and intrinsics.npy",
        fps=16.0,
        grid=Grid(13, 16, "16k - 3 (chunks of 4 latents)"),
        resolution=None,
        convention="c2w OpenCV",
        scale="normalised by the clip's largest step",
        scale_normalised=True,
        overlay="none drawn",
        licence="CC BY-NC-SA 4.0",
        stride=4,
        facts=Facts(
            verified=("command line of the README",),
            documented=("fork: same files, same 480 x 832 reference, same normalisation; keys are dead code",),
            inferred=("the README's 361 frames are floored to 349 and compressed in time", "--base_seed"),
        ),
        options=(
            sizes_option(),
            Option("checkpoint", "checkpoint folder", "lingbot-world-v2-14b-causal-fast"),
        ),
    )

    def command(self) -> Command:
        """`generate.py` of version 2."""
        extra = ("--infer_mode", "causal_fast", "--local_attn_size", "18", "--sink_size", "6", "--chunk_size", "4")
        return Command(self._argv("generate.py", *extra, "--save_dir", "{out}"), "*.mp4")
