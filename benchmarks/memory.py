"""Peak memory of one evaluation, for rollouts of 481 and 1921 frames under the same cache budget.

Usage: python benchmarks/memory.py [--memory-mib 64] [--size 320x180]

Each rollout is a camera that slides along a textured wall and back, encoded as H.264, and is scored in a process of its
own; printed are that process's peak resident memory and the cache's peak. The second line over the first should be 1:
an evaluation holds what its budget allows, however long the video is.
"""

import argparse
import multiprocessing
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

LENGTHS = (481, 1921)


def wall_frames(n_frames: int, width: int, height: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(0)
    coarse = rng.uniform(0, 255, (height // 8 + 1, (width + n_frames) // 8 + 2, 3))
    wall = np.kron(coarse, np.ones((8, 8, 1))).astype(np.uint8)
    for frame in range(n_frames):
        at = (n_frames - 1) // 2 - abs(frame - (n_frames - 1) // 2)
        yield wall[:height, at : at + width]


def measure(
    folder: str, n_frames: int, memory_mib: int, answer: "multiprocessing.Queue[tuple[float, float, int]]"
) -> None:
    from revisit_metric.manifest import rollout_from_row
    from revisit_metric.run import Settings, evaluate_rollouts

    row = {
        "instance_id": f"wall/{n_frames}",
        "video": f"{n_frames}.mp4",
        "script": f"right {(n_frames - 1) // 2}f, left {(n_frames - 1) // 2}f",
        "metres_per_frame": 14.4 / (n_frames - 1),
    }
    result = evaluate_rollouts([rollout_from_row(row, folder=Path(folder))], Settings(memory_mib=memory_mib)).to_dict()
    if result["failures"]:
        raise SystemExit(result["failures"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.put((peak, result["run"]["peak_cache_bytes"] / 2**20, result["run"]["decoded_frames"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory-mib", type=int, default=64)
    parser.add_argument("--size", default="320x180")
    options = parser.parse_args()
    width, height = (int(side) for side in options.size.split("x"))
    from revisit_metric.video import write_video

    spawn = multiprocessing.get_context("spawn")
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for n_frames in LENGTHS:
            write_video(f"{folder}/{n_frames}.mp4", wall_frames(n_frames, width, height), fps=16)
            answer = spawn.Queue()
            process = spawn.Process(target=measure, args=(folder, n_frames, options.memory_mib, answer))
            process.start()
            peak, cache, used = answer.get()
            process.join()
            peaks.append(peak)
            print(f"{n_frames:5} frames, {used:4} scored: {peak:7.0f} MiB resident, {cache:6.1f} MiB cache at most")
    print(f"ratio {peaks[1] / peaks[0]:.3f} at --memory-mib {options.memory_mib}, {options.size}")


if __name__ == "__main__":
    main()
