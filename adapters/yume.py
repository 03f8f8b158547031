"""YUME 1.5 (github stdstu12/YUME): told in words.

Input: `captions.txt`, one caption for every segment of 32 frames (2 s), built from fixed sentences: "Person
moves forward (W).", "Camera turns right (→).", and so on. A suffix follows ("Actual distance moved:4 at 100
meters per second. Angular change rate (turn speed):0. View rotation speed:0." in its examples); it carries
the only statement of speed, nobody says in which unit, and so the option `suffix` has to be given ("" for
none).

Known from: the sentences were read in the repository's data loader. How far a segment leads is learned and
stated nowhere: the steps have to be given, from a measurement. That frame 0 of the first segment shows the
input image is inferred. README's `sample_jpg.sh` does not exist; the command is for `sample_5b.sh` and needs
your checkpoint paths.
"""

import shutil
from pathlib import Path

from adapters.base import STEPS, Written
from adapters.block_adapter import BlockAdapter
from adapters.protocol import Command, Facts, Grid, Instance, Option, Spec
from revisit_metric.trajectory import Poses, Segment, integrate

SEGMENT_FRAMES = 32
PERSON = {
    "forward": "Person moves forward (W).",
    "back": "Person moves backward (S).",
    "left": "Person moves left (A).",
    "right": "Person moves right (D).",
}
CAMERA = {
    "yaw_right": "Camera turns right (→).",
    "yaw_left": "Camera turns left (←).",
    "pitch_up": "Camera tilts up (↑).",
    "pitch_down": "Camera tilts down (↓).",
}
STILL_PERSON, STILL_CAMERA = "Person stands still (·).", "Camera remains still (·)."


def caption(action: str) -> str:
    """The two sentences of an action.

    Example:
        >>> caption("yaw_right")
        'Person stands still (·).Camera turns right (→).'
    """
    return PERSON.get(action, STILL_PERSON) + CAMERA.get(action, STILL_CAMERA)


class Yume(BlockAdapter):
    """A caption a segment."""

    can_hold = True
    spec = Spec(
        model="yume-1.5",
        revision="stdstu12/YUME as of 2026-11",
        input_form="captions.txt, one a segment",
        fps=16.0,
        grid=Grid(SEGMENT_FRAMES, SEGMENT_FRAMES, "32 a segment"),
        resolution=(704, 1280),
        convention="text",
        scale="learned",
        scale_normalised=False,
        overlay="none drawn",
        licence="Apache-2.0",
        facts=Facts(
            verified=("the sentences", "32 frames a segment at 16 frames a second"),
            inferred=(
                "frame 0 shows the input image",
                "an action leads evenly through its segment",
                "the prompt may open each caption, where the examples have a sentence on a city walk",
            ),
            unknown=("metres and degrees a segment", "unit of the suffix's numbers"),
        ),
        options=(*STEPS, Option("suffix", "text after the sentences, with your speeds; empty for none")),
        consent=True,
    )

    def write(self, instance: Instance, folder: Path, blocks: list[Segment]) -> Written:
        """Write `captions.txt`, and the image alone in a folder: the script takes all that it finds."""
        images = folder / "image"
        images.mkdir(exist_ok=True)
        image = Path(shutil.copy(instance.image, images))
        opening = " ".join(instance.prompt.split()) + " "
        lines = [opening + caption(action) + self.options["suffix"] for action, count in blocks for _ in range(count)]
        file = folder / "captions.txt"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return Written((file, image))

    def path(self, instance: Instance, blocks: list[Segment]) -> Poses:
        """Even steps through each segment."""
        script = [Segment(action, count * SEGMENT_FRAMES) for action, count in blocks]
        metres, degrees = self.number("metres_per_frame"), self.number("degrees_per_frame")
        return integrate(script, metres_per_frame=metres, degrees_per_frame=degrees)[:-1]

    def command(self) -> Command:
        """`sample_5b.sh`."""
        head = ("bash", "scripts/inference/sample_5b.sh", "--jpg_dir", "{inputs}/image", "--caption_path")
        tail = ("{inputs}/captions.txt", "--prompt", "{prompt}", "--num_euler_timesteps", "4", "--seed", "{seed}")
        return Command((*head, *tail, "--video_output_dir", "{out}"), "**/*.mp4")
