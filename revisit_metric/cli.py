"""`r2m`: one function a command, each a thin call of the library.

Exit codes: 0 all that was expected was done; 1 something was not scored, with its cause on screen and in the result;
2 the command itself could not be carried out (wrong arguments, unreadable manifest).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from revisit_metric import __version__

if TYPE_CHECKING:
    from revisit_metric.manifest import Rollout

EXIT_DONE, EXIT_INCOMPLETE, EXIT_REFUSED = 0, 1, 2

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"



def main(arguments: Sequence[str] | None = None) -> int:
    """Run `r2m` and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except (ValueError, OSError) as error:
        message = f"[red]r2m {options.name}:[/red] {escape(str(error))}"
        Console(stderr=True, soft_wrap=True).print(message, highlight=False)
        return EXIT_REFUSED
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted; what was finished is in the journal, run the same command to resume")
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="r2m",
        description=f"revisit-metric {__version__}: does a generated world stay the same place?",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"revisit-metric {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="name")
    _add_evaluate(commands)
    _add_report(commands)
    _add_render(commands)
    _add_demo(commands)
    _add_weights(commands)
    doctor = commands.add_parser("doctor", help="what is installed, which weights are where, what is missing")
    doctor.set_defaults(command=_doctor)
    return parser


# --- evaluate -----------------------------------------------------------------------------------------------


def _add_evaluate(commands: Commands) -> None:
    command = commands.add_parser(
        "evaluate",
        help="score the rollouts of a manifest",
        description="Score every rollout of a manifest (one JSON line a video: instance_id, video, and optionally "
        "model, seed, fps, first_frame, poses, script). Run again to resume.",
        allow_abbrev=False,
    )
    command.add_argument("manifest", type=Path, help="rollouts.jsonl")
    command.add_argument(
        "--out", type=Path, help="folder for journal and result (default: results beside the manifest)"
    )
    command.add_argument("--protocol", default="official", help="pair protocol: official (default) or paper")
    command.add_argument("--profile", default="embedded", help="backbones: embedded (default) or paper")
    command.add_argument("--seed", type=int, default=42, help="seed of the pair sampler (default 42)")
    command.add_argument("--pairs", type=_pairs_cap, help="most revisit pairs, or 'all' (default: the protocol's own)")
    command.add_argument("--allow-short", action="store_true", help="score videos with fewer frames than poses")
    command.add_argument("--allow-outside", action="store_true", help="accept paths outside the manifest's folder")
    command.add_argument("--device", help="torch device (default: CUDA where there is one)")
    command.add_argument("--batch-size", type=int, default=8, help="frames per backbone call (default 8)")
    command.add_argument("--memory-mib", type=int, default=2048, help="budget of the feature cache (default 2048)")
    command.add_argument("--offline", action="store_true", default=None, help="never download weights")
    command.set_defaults(command=_evaluate)


def _pairs_cap(text: str) -> int | str:
    return text if text == "all" else int(text)


def _evaluate(options: argparse.Namespace) -> int:
    from revisit_metric.manifest import read_manifest
    from revisit_metric.progress import Bars
    from revisit_metric.run import RESULT_NAME, Settings, evaluate_rollouts
    from revisit_metric.tables import show_result

    manifest = read_manifest(options.manifest, allow_outside=options.allow_outside)
    out = options.out or options.manifest.parent / "results"
    settings = Settings(
        protocol=options.protocol,
        profile=options.profile,
        seed=options.seed,
        pairs_per_type=options.pairs,
        allow_short=options.allow_short,
        device=options.device,
        batch_size=options.batch_size,
        memory_mib=options.memory_mib,
        offline=options.offline,
    )
    with Bars() as progress:
        result = evaluate_rollouts(
            manifest.rollouts, settings, bad_lines=manifest.bad_lines, out=out, progress=progress
        )
    show_result(result, Console())
    Console(stderr=True).print(f"result: {out / RESULT_NAME}", highlight=False, soft_wrap=True)
    return EXIT_DONE if result.complete else EXIT_INCOMPLETE


# --- doctor and weights -------------------------------------------------------------------------------------


def _doctor(options: argparse.Namespace) -> int:
    from revisit_metric.doctor import examine

    console = Console()
    marks = {True: "[green]ok[/green]", False: "[red]missing[/red]", None: "[yellow]absent[/yellow]"}
    table = Table(box=None, pad_edge=False)
    for heading in ("", "topic", "what", "detail"):
        table.add_column(heading, overflow="fold")
    findings = examine()
    for finding in findings:
        table.add_row(marks[finding.ok], finding.topic, escape(finding.name), escape(finding.detail))
    console.print(f"revisit-metric {__version__}", highlight=False)
    console.print(table)
    return EXIT_INCOMPLETE if any(finding.ok is False for finding in findings) else EXIT_DONE


def _add_weights(commands: Commands) -> None:
    command = commands.add_parser("weights", help="list, fetch or verify checkpoints")
    command.add_argument("action", choices=("list", "fetch", "verify"))
    command.add_argument("names", nargs="*", help="checkpoints; all when none is named")
    command.set_defaults(command=_weights)


def _weights(options: argparse.Namespace) -> int:
    from revisit_metric import weights

    console = Console(soft_wrap=True)
    names = options.names or list(weights.WEIGHTS)
    if options.action == "list":
        for row in weights.status():
            console.print(f"{escape(row.name)}  {row.state}  {escape(row.detail)}", highlight=False)
        return EXIT_DONE
    call = weights.fetch if options.action == "fetch" else weights.verify
    code = EXIT_DONE
    for name in names:
        try:
            console.print(f"{escape(name)}  {escape(str(call(name)))}", highlight=False)
        except weights.MissingWeights as error:
            console.print(f"[red]{escape(name)}[/red]  {escape(str(error))}", highlight=False)
            code = EXIT_INCOMPLETE
    return code


# --- controls -----------------------------------------------------------------------------------------------


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


# --- report -------------------------------------------------------------------------------------------------


def _add_report(commands: Commands) -> None:
    command = commands.add_parser("report", help="write the HTML report of a results folder")
    command.add_argument("results", type=Path, help="folder with result.json and journal.jsonl")
    command.add_argument("--manifest", type=Path, help="the rollouts, for the frames behind the numbers")
    command.add_argument("--allow-outside", action="store_true", help="accept paths outside the manifest's folder")
    command.add_argument("--out", type=Path, help="HTML file (default: report.html in the results folder)")
    command.set_defaults(command=_report)


def _report(options: argparse.Namespace) -> int:
    from revisit_metric.manifest import read_manifest
    from revisit_metric.report.html import write_report
    from revisit_metric.results import read_result
    from revisit_metric.run import JOURNAL_NAME, RESULT_NAME

    rollouts: "Sequence[Rollout]" = ()
    if options.manifest is not None:
        rollouts = read_manifest(options.manifest, allow_outside=options.allow_outside).rollouts
    result = read_result(options.results / RESULT_NAME)
    out = options.out or options.results / "report.html"
    write_report(out, result, options.results / JOURNAL_NAME, rollouts)
    Console(soft_wrap=True).print(str(out), highlight=False)
    return EXIT_DONE
