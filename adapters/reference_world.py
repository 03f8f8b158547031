"""The reference world as a "model": it reads a path in any model's input format and renders it.

`python -m adapters.reference_world --poses FILE --format NAME --out VIDEO` takes the formats of all models that are
told poses, with readers of its own, and renders in a scene whose memory is perfect (or faulty, with `--fault`). So
every export can be tried from script to score without a GPU, and a wrong sign shows as a wrong pixel.

Conventions: `--seed` picks the scene's variant; without `--units-per-metre`, a unit is a metre.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from revisit_metric.trajectory import Poses

LATENT_STRIDE = 4


def _arrays(path: Path, name: str) -> Poses:
    with np.load(path) as archive:
        return np.asarray(archive[name], np.float64)


def _re10k(path: Path) -> Poses:
    rows = np.array([line.split() for line in path.read_text(encoding="utf-8").splitlines()[1:]], np.float64)
    w2c = np.repeat(np.eye(4)[None], len(rows), axis=0)
    w2c[:, :3] = rows[:, 7:].reshape(-1, 3, 4)
    return np.asarray(np.linalg.inv(w2c))


def _opengl(path: Path) -> Poses:
    frames = json.loads(path.read_text(encoding="utf-8"))["frames"]
    poses = np.array([frame["transform_matrix"] for frame in frames])
    poses[:, :3, 1:3] *= -1
    return poses


def _hy(path: Path) -> Poses:
    record = json.loads(path.read_text(encoding="utf-8"))
    keys = np.array([record[str(k)]["extrinsic"] for k in range(len(record))])
    times = np.arange(1 + (len(keys) - 1) * LATENT_STRIDE) / LATENT_STRIDE
    low = np.minimum(times.astype(int), len(keys) - 2)
    part = (times - low)[:, None, None]
    blend = keys[low] * (1 - part) + keys[low + 1] * part
    left, _, right = np.linalg.svd(blend[:, :3, :3])
    blend[:, :3, :3] = left @ right
    return np.asarray(blend)


def _wonderworld(path: Path) -> Poses:
    views = np.array(json.loads(path.read_text(encoding="utf-8"))["views"]).reshape(-1, 4, 4)
    pytorch3d = views @ np.diag([-1.0, -1.0, 1.0, 1.0])
    pytorch3d[:, 3, :3] /= 1000.0
    # Row vectors, x left and y up on both sides: transpose, then turn both frames round.
    flip = np.diag([-1.0, -1.0, 1.0, 1.0])
    return np.asarray(np.linalg.inv(flip @ pytorch3d.transpose(0, 2, 1) @ flip))


def _alaya(path: Path) -> Poses:
    import torch

    return np.asarray(torch.load(path, weights_only=True)["cam_c2w"].numpy(), np.float64)


READERS: dict[str, Callable[[Path], Poses]] = {
    "re10k": _re10k,
    "c2w": lambda path: _arrays(path, "c2w"),
    "w2c": lambda path: np.asarray(np.linalg.inv(_arrays(path, "w2c"))),
    "opengl": _opengl,
    "lingbot": lambda path: np.asarray(np.load(path / "poses.npy"), np.float64),
    "hy": _hy,
    "sana": lambda path: np.asarray(np.load(path), np.float64),
    "lyra": lambda path: np.asarray(np.linalg.inv(_arrays(path, "w2c"))),
    "matrix-game-3.5": lambda path: _arrays(path, "extrinsics_c2w"),
    "wonderworld": _wonderworld,
    "alaya": _alaya,
}
"""Formats by name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Render one video and return the exit code."""
    options = _parser().parse_args(arguments)
    poses = READERS[options.format](options.poses)[: options.frames]
    poses[:, :3, 3] /= options.units_per_metre
    _render(poses, options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="adapters.reference_world", description=__doc__, allow_abbrev=False)
    parser.add_argument("--poses", type=Path, required=True, metavar="FILE")
    parser.add_argument("--format", choices=READERS, required=True)
    parser.add_argument("--out", type=Path, required=True, metavar="VIDEO")
    parser.add_argument("--units-per-metre", type=float, default=1.0, metavar="U")
    parser.add_argument("--frames", type=int, metavar="N", help="the first N poses alone")
    parser.add_argument("--layout", default="living_room", help="a scene of the reference world")
    parser.add_argument("--seed", type=int, default=0, help="variant of the scene")
    parser.add_argument("--fault", default="perfect", help="as in r2m render: forgetful:0.5, drift:0.1, static, ...")
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--height", type=int, default=180)
    parser.add_argument("--fps", type=float, default=16.0)
    return parser


def _render(poses: Poses, options: argparse.Namespace) -> None:
    from revisit_metric.controls import build_scene, parse_fault, render_rollout
    from revisit_metric.video import write_video

    scene = build_scene(options.layout, options.seed)
    size = (options.width, options.height)
    rollout = render_rollout(scene, poses, fault=parse_fault(options.fault), size=size)
    write_video(options.out, rollout, fps=options.fps)


if __name__ == "__main__":
    raise SystemExit(main())
