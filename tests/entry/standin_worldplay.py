"""A stand-in with HY-WorldPlay's flags: it checks its input as the model does and writes a video of that length."""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from revisit_metric.video import write_video

TEXTS = ("prompt", "image_path", "resolution", "aspect_ratio", "model_path", "action_ckpt")
NUMBERS = ("few_step", "num_inference_steps", "width", "height", "sr", "rewrite")


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for flag in (*TEXTS, *NUMBERS):
        parser.add_argument(f"--{flag}", required=True)
    parser.add_argument("--pose", required=True)
    parser.add_argument("--video_length", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--model_type", choices=["ar", "bi"], required=True)
    parser.add_argument("--output_path", type=Path, required=True)
    options = parser.parse_args()
    latents = (options.video_length - 1) // 4 + 1
    assert latents % {"ar": 4, "bi": 16}[options.model_type] == 0
    if options.pose.endswith(".json"):
        n_poses = len(json.loads(Path(options.pose).read_text()))
    else:
        n_poses = 1 + sum(int(part.split("-")[1]) for part in options.pose.split(","))
    assert n_poses == latents, f"{n_poses} poses for {latents} latents"
    if options.prompt == "break":
        sys.exit("out of memory, pretended")
    first = np.asarray(Image.open(options.image_path).convert("RGB").resize((64, 36)))
    frames = (np.roll(first, index, axis=1) for index in range(options.video_length))
    write_video(options.output_path / "gen.mp4", frames, fps=24)


if __name__ == "__main__":
    main()
