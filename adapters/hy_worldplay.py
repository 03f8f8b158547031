"""HY-WorldPlay (Tencent-Hunyuan/HY-WorldPlay).

Input, `form=json` (default): an object keyed "0", "1", ... with, for every **latent**, `extrinsic` (4 x 4,
camera-to-world OpenCV; matrices with other axes move another way) and `K`, which the loader divides by twice
its own principal point, so that the point has to be the middle. Latent k carries the pose of frame 4 k.

Input, `form=string`: "w-31,right-4", durations in **latents** (neither frames nor seconds, and whole: 0.5
becomes 0), one action at a time (w s a d, left right up down), 0.08 units and 3 degrees a latent. Nothing
stands still in it, so a hold's time goes to the action before it and the script is stretched to the frame
grid.

Pixel frames are 4 L - 3; L is a multiple of 4 for the autoregressive model and of 16 for the bidirectional
one, and the number of poses has to be L.

A derived class is fed besides the matrices: a step above 1e-4 units counts as motion. Steps below it are
therefore taken out of the JSON, so that numeric dust in a pure rotation is no walk.

Known from: read in the repository. That a unit is a metre is inferred (translations pass through unscaled;
the native action is 0.08 a latent); change `units_per_metre` if your calibration says otherwise.
"""

import json
from pathlib import Path

import numpy as np

from adapters.base import PoseAdapter, Written, speed_note, units_option
from adapters.paths import residual_of, rigid, still_noise_removed, told
from adapters.protocol import AdapterError, Command, Conversion, Facts, Grid, Instance, Option, Spec
from adapters.quantise import in_blocks, without_holds
from revisit_metric.trajectory import Poses, Segment, integrate

STRIDE = 4
UNITS_PER_LATENT = 0.08
DEGREES_PER_LATENT = 3.0
MOTION_THRESHOLD = 1e-4
NAMES = {
    "w": "forward",
    "s": "back",
    "a": "left",
    "d": "right",
    "left": "yaw_left",
    "right": "yaw_right",
    "up": "pitch_up",
    "down": "pitch_down",
}
WORDS = {action: word for word, action in NAMES.items()}
GRIDS = {
    "ar": Grid(13, 16, "16 k - 3 (4 L - 3, latents L a multiple of 4)"),
    "bi": Grid(61, 64, "64 k - 3 (4 L - 3, latents L a multiple of 16)"),
}


def string_poses(text: str) -> Poses:
    """The poses that the model builds from a string, one a latent, the identity first; units of the model.

    Raises:
        AdapterError: An unknown action, a duration that is no whole number of latents, or two actions at
        once.

    Example:
        >>> string_poses("right-1")[1, 0, 2].round(5).item()
        0.05234
    """
    script = []
    for entry in text.split(","):
        word, _, duration = entry.strip().rpartition("-")
        if word not in NAMES or not duration.isdecimal() or int(duration) < 1:
            raise AdapterError(
                f"{entry.strip()!r} in a HY-WorldPlay string: expected one of {' '.join(NAMES)}, one at a time, "
                "a hyphen and a whole number of latents"
            )
        script.append(Segment(NAMES[word], int(duration)))
    return integrate(script, metres_per_frame=UNITS_PER_LATENT, degrees_per_frame=DEGREES_PER_LATENT)


class HYWorldPlay(PoseAdapter):
    """Poses or actions, one a latent."""

    spec = Spec(
        model="hy-worldplay",
        revision="Tencent-Hunyuan/HY-WorldPlay as of 2026-11",
        input_form="pose.json, one pose a latent; or a string",
        fps=24.0,
        grid=GRIDS["ar"],
        resolution=(480, 832),
        convention="c2w OpenCV",
        scale="units that pass through; native action 0.08 a latent",
        scale_normalised=False,
        overlay="none without --with-ui",
        licence="Tencent community licence (not EU, UK, South Korea)",
        stride=STRIDE,
        facts=Facts(
            verified=(
                "one c2w pose a latent, frames 4 L - 3",
                "string: 0.08 units and 3 degrees a latent, a/d strafe",
                "steps above 1e-4 are classed as motion",
                "writer at 24 frames a second",
            ),
            inferred=("a unit is a metre",),
        ),
        options=(
            Option("form", "json: exact poses; string: the model's own actions", "json", ("json", "string")),
            Option("model_type", "ar: autoregressive; bi: bidirectional", "ar", ("ar", "bi")),
            units_option("1.0", "the model's units in a metre"),
        ),
    )

    @property
    def grid(self) -> Grid:
        """Frame counts of the model type."""
        return GRIDS[self.options["model_type"]]

    def convert(self, instance: Instance, folder: Path) -> Conversion:
        """Write the model's input for one instance into `folder`."""
        if self.options["form"] == "json":
            return super().convert(instance, folder)
        n_frames = self.grid.next_valid(instance.n_frames)
        latents = (n_frames - 1) // STRIDE + 1
        script = in_blocks(without_holds(instance.actions()), latents - 1)
        text = ",".join(f"{WORDS[action]}-{count}" for action, count in script)
        effective = told(rigid(string_poses(text), units_per_metre=1 / self.units), STRIDE)
        file = folder / "pose.txt"
        file.write_text(text + "\n", encoding="utf-8")
        return Conversion(
            instance_id=instance.instance_id,
            files=(file,),
            requested=instance.poses,
            effective=effective,
            residual=residual_of(instance.poses, effective),
            values={"frames": n_frames, "latents": latents, "pose": text},
            notes=(
                f"pose string {text}",
                f"{self.units:g} units are taken as a metre",
                speed_note(instance.poses, effective),
            ),
        )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `pose.json`."""
        samples, dust = still_noise_removed(path[::STRIDE], threshold=MOTION_THRESHOLD)
        camera = instance.intrinsics
        middle = [instance.image_size[0] / 2, instance.image_size[1] / 2]
        matrix = [[camera[0, 0], 0.0, middle[0]], [0.0, camera[1, 1], middle[1]], [0.0, 0.0, 1.0]]
        frames = {str(k): {"extrinsic": pose.tolist(), "K": matrix} for k, pose in enumerate(samples)}
        file = folder / "pose.json"
        file.write_text(json.dumps(frames), encoding="utf-8")
        notes = [f"{dust} steps below {MOTION_THRESHOLD:g} units taken out"] if dust else []
        if not np.allclose(camera[:2, 2], middle):
            notes.append(f"principal point {camera[:2, 2].tolist()} replaced by the middle, as the loader does")
        return Written((file,), {"latents": len(samples)}, tuple(notes))

    def command(self) -> Command:
        """`hyvideo/generate.py`."""
        pose = "{inputs}/pose.json" if self.options["form"] == "json" else "{pose}"
        head = ("torchrun", "--nproc_per_node", "1", "hyvideo/generate.py", "--prompt", "{prompt}")
        inputs = ("--image_path", "{image}", "--pose", pose, "--video_length", "{frames}", "--seed", "{seed}")
        size = ("--resolution", "480p", "--aspect_ratio", "16:9", "--width", "832", "--height", "480")
        model = (
            "--model_path",
            "<model folder>",
            "--action_ckpt",
            "<action checkpoint>",
            "--model_type",
            self.options["model_type"],
        )
        run = ("--few_step", "true", "--num_inference_steps", "4", "--sr", "false", "--rewrite", "false")
        return Command((*head, *inputs, *size, *model, *run, "--output_path", "{out}"), "gen.mp4")
