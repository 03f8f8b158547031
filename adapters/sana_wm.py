"""SANA-WM (NVlabs/Sana, `inference_video_scripts/wm/`).

Input: `camera.npy` `(F, 4, 4)`, camera-to-world OpenCV, metric, and `intrinsics.npy` `(3, 3)` in pixels of
the **input image**; the script crops and rescales both. It refuses a horizontal field of view outside 25 to
120 degrees, and so does the adapter, before a GPU is held.

The keyboard DSL (`--action "w-100,dw-60"`) is not used: it eases the motion, so that the commanded poses are
not the path, and its keys changed between releases (a/d were strafe and became yaw, j/l the reverse), so that
an old script goes elsewhere.

`streaming=yes` exports for the streaming script: 24 k + 1 frames, of which it drops the first; the video then
starts at pose 1. Which flags the streaming script shares is inferred.

The overlay of actions is on by default there and switched off here (`--no_action_overlay`).

Known from: read in the repository; check the licence of the weights.
"""

import math
from pathlib import Path

from adapters.base import PoseAdapter, Written, save_npy
from adapters.protocol import AdapterError, Command, Conversion, Facts, Grid, Instance, Option, Spec
from revisit_metric.trajectory import Poses

STREAMING_GRID = Grid(25, 24, "24 k + 1, the first frame is dropped")


class SanaWM(PoseAdapter):
    """Metric poses, one a frame."""

    spec = Spec(
        model="sana-wm",
        revision="NVlabs/Sana as of 2026-11",
        input_form="camera.npy and intrinsics.npy",
        fps=16.0,
        grid=Grid(9, 8, "8 k + 1"),
        resolution=(704, 1280),
        convention="c2w OpenCV",
        scale="metres",
        scale_normalised=False,
        overlay="--no_action_overlay",
        licence="code Apache-2.0; see the weights",
        facts=Facts(
            verified=(
                "c2w OpenCV, rebased to frame 0, metric scale",
                "intrinsics in pixels of the input image",
                "field of view within 25 to 120 degrees",
                "overlay on unless --no_action_overlay",
                "streaming drops the first frame",
            ),
            inferred=("the streaming script takes the same flags",),
        ),
        options=(Option("streaming", "yes: for the streaming script", "no", ("yes", "no")),),
    )

    @property
    def grid(self) -> Grid:
        """Frame counts of the script in use."""
        return STREAMING_GRID if self._streams else self.spec.grid

    @property
    def _streams(self) -> bool:
        return self.options["streaming"] == "yes"

    def convert(self, instance: Instance, folder: Path) -> Conversion:
        """Write the model's input for one instance into `folder`."""
        conversion = super().convert(instance, folder)
        if not self._streams:
            return conversion
        return Conversion(
            instance_id=conversion.instance_id,
            files=conversion.files,
            requested=conversion.requested,
            effective=conversion.effective[1:],
            residual=conversion.residual._replace(frames=conversion.residual.frames - 1),
            first_pose=1,
            values=conversion.values,
            notes=("the streaming script drops the first frame: the video starts at pose 1",),
        )

    def write(self, instance: Instance, folder: Path, path: Poses) -> Written:
        """Write `camera.npy`, `intrinsics.npy` and the prompt."""
        view = 2 * math.degrees(math.atan(instance.image_size[0] / 2 / instance.intrinsics[0, 0]))
        if not 25 <= view <= 120:
            raise AdapterError(
                f"{instance.instance_id}: the horizontal field of view is {view:.4g} degrees, SANA-WM takes 25 to 120: "
                "do the intrinsics belong to this image size?"
            )
        camera = save_npy(folder / "camera.npy", path)
        return Written((camera, save_npy(folder / "intrinsics.npy", instance.intrinsics)))

    def command(self) -> Command:
        """`inference_sana_wm.py`, or its streaming sibling."""
        name, output = ("_streaming", "streaming") if self._streams else ("", "generated")
        head = ("python", f"inference_video_scripts/wm/inference_sana_wm{name}.py", "--image", "{image}")
        inputs = ("--prompt", "{prompt_file}", "--camera", "{inputs}/camera.npy")
        camera = ("--intrinsics", "{inputs}/intrinsics.npy", "--num_frames", "{frames}", "--fps", "16")
        run = ("--step", "60", "--cfg_scale", "5", "--seed", "{seed}", "--no_refiner", "--no_action_overlay")
        return Command(
            (*head, *inputs, *camera, *run, "--output_dir", "{out}", "--name", "video"), f"video_{output}.mp4"
        )
