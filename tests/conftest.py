"""What every test has: its own user folders, one weight cache for the session, and small encoded rollouts."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

# Two threads that wait for each other by spinning are slower than one wherever the cores are shared.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def textured(n_frames, *, height=96, width=160, seed=0, shift=2):
    """Frames `(T, H, W, 3)` of a camera that slides along a textured wall to the middle frame and back."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0, 255, (height // 8 + 1, (width + shift * n_frames) // 8 + 2, 3))
    wall = np.kron(coarse, np.ones((8, 8, 1)))
    wall = np.clip(wall + rng.normal(0, 12, wall.shape), 0, 255).astype(np.uint8)
    turn = (n_frames - 1) / 2
    for frame in range(n_frames):
        at = round(shift * (turn - abs(frame - turn)))
        yield wall[:height, at : at + width]


SHORT_SCRIPT = {"script": "right 30f, left 30f", "metres_per_frame": 0.1}
SHORT_FRAMES = 61


@pytest.fixture(scope="session")
def small_rollouts(tmp_path_factory):
    """A manifest of two textured rollouts of 61 frames, 160x96, encoded as H.264."""
    from revisit_metric.video import write_video

    folder = tmp_path_factory.mktemp("rollouts")
    rows = []
    for seed in range(2):
        write_video(folder / f"{seed}.mp4", textured(SHORT_FRAMES, seed=seed), fps=16)
        rows.append({"instance_id": f"wall{seed}/slide", "video": f"{seed}.mp4", "model": "toy", **SHORT_SCRIPT})
    path = folder / "rollouts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="session")
def hf_home(tmp_path_factory):
    """A private HF cache for tests that go through `evaluate` or `datasets`."""
    return tmp_path_factory.mktemp("hf")


@pytest.fixture(scope="session")
def project_root():
    """The checkout."""
    return Path(__file__).parents[1]
