"""`r2m render` and `r2m demo`: rollouts of known memory."""

import argparse
from pathlib import Path

from rich.console import Console

from revisit_metric.cli.conventions import EXIT_DONE, EXIT_INCOMPLETE, Commands


def add_commands(commands: Commands) -> None:
    """Enter `render` and `demo`."""
    _add_render(commands)
    _add_demo(commands)


def _add_demo(commands: Commands) -> None:
    command = commands.add_parser("demo", help="score rollouts of known memory, with no model at all")
    command.add_argument("--out", type=Path, default=Path("demo"), help="folder for videos, results and report")
    command.set_defaults(command=_demo)


def _demo(options: argparse.Namespace) -> int:
    from revisit_metric.demo import run_demo

    return EXIT_DONE if run_demo(options.out, Console()) else EXIT_INCOMPLETE


def _add_render(commands: Commands) -> None:
    command = commands.add_parser(
        "render",
        help="render a rollout of known memory",
        description="Render a scene of the reference world along a trajectory, with a fault of known strength.",
        allow_abbrev=False,
    )
    command.add_argument("layout", help="scene layout, or 'list'")
    command.add_argument("--scene-seed", type=int, default=1, help="seed of the scene (default 1)")
    command.add_argument("--trajectory", default="out_and_back", help="template name, or a pose file")
    command.add_argument(
        "--fault", default="perfect", help="perfect, forgetful:DOSE, static, slow:FACTOR, drift:0.2m, drift:2deg"
    )
    command.add_argument("--fault-seed", type=int, default=0)
    command.add_argument("--size", type=_size, default=(320, 180), help="WIDTHxHEIGHT (default 320x180)")
    command.add_argument("--fps", type=float, default=16)
    command.add_argument("--out", type=Path, help="video file; the ground truth is written beside it")
    command.set_defaults(command=_render)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def _render(options: argparse.Namespace) -> int:
    from revisit_metric.controls.faults import parse_fault
    from revisit_metric.controls.layouts import LAYOUTS, build_scene
    from revisit_metric.controls.rollout import render_rollout
    from revisit_metric.pose_files import read_poses
    from revisit_metric.templates import TEMPLATES, template
    from revisit_metric.video import write_video

    console = Console(soft_wrap=True)
    if options.layout == "list":
        for name, layout in LAYOUTS.items():
            console.print(f"{layout.category:9}{name}", highlight=False)
        return EXIT_DONE
    known = options.trajectory in TEMPLATES or not Path(options.trajectory).exists()
    poses = template(options.trajectory).poses() if known else read_poses(Path(options.trajectory))
    fault = parse_fault(options.fault, seed=options.fault_seed)
    out = options.out or Path(f"{options.layout}.mp4")
    rollout = render_rollout(build_scene(options.layout, options.scene_seed), poses, size=options.size, fault=fault)
    write_video(out, rollout, fps=options.fps)
    out.with_suffix(".truth.json").write_text(rollout.truth.to_json(), encoding="utf-8")
    console.print(str(out), highlight=False)
    return EXIT_DONE
