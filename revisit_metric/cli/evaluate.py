"""`r2m evaluate`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from revisit_metric.cli.conventions import EXIT_DONE, EXIT_INCOMPLETE, Commands
from revisit_metric.cli.options import add_judge_options, add_pair_options, judge_settings

if TYPE_CHECKING:
    from revisit_metric.manifest import Rollout
    from revisit_metric.run import Settings

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


def add_commands(commands: Commands) -> None:
    """Enter `evaluate`."""
    command = commands.add_parser(
        "evaluate",
        help="score the rollouts of a manifest",
        description="Score every rollout of a manifest (one JSON line a video: instance_id, video, and optionally "
        "model, seed, fps, first_frame, poses, script). Run again to resume.",
        allow_abbrev=False,
    )
    add_pair_options(command)
    command.add_argument(
        "--out", type=Path, help="folder for journal and result (default: results beside the manifest)"
    )
    command.add_argument(
        "--profile", default="embedded", help="backbones: embedded (default), embedded-xfeat, paper or official"
    )
    command.add_argument(
        "--dtype",
        choices=tuple(DTYPES),
        default="fp32",
        help="number format of the transformer backbones (default fp32: comparable with published numbers)",
    )
    command.add_argument("--device", help="torch device (default: CUDA where there is one)")
    command.add_argument("--batch-size", type=int, default=8, help="frames per backbone call (default 8)")
    command.add_argument("--memory-mib", type=int, default=2048, help="budget of the feature cache (default 2048)")
    command.add_argument("--offline", action="store_true", default=None, help="never download weights")
    command.add_argument(
        "--valid-subset",
        type=Path,
        metavar="FILE",
        help="show the scores of the action-valid rollouts as well; FILE is what `r2m realized --out` wrote",
    )
    add_judge_options(command)
    command.set_defaults(command=_evaluate)


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
        judge=judge_settings(options),
        judge_pairs=options.judge_pairs,
        allow_short=options.allow_short,
        dtype=DTYPES[options.dtype],
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
    if options.valid_subset is not None:
        _show_valid(manifest.rollouts, settings, out, options.valid_subset)
    Console(stderr=True).print(f"result: {out / RESULT_NAME}", highlight=False, soft_wrap=True)
    return EXIT_DONE if result.complete else EXIT_INCOMPLETE


def _show_valid(rollouts: "Sequence[Rollout]", settings: "Settings", out: Path, diagnoses: Path) -> None:
    """Score the action-valid rollouts alone, from the journal, and show them under their own heading."""
    from revisit_metric.realized import read_valid_ids
    from revisit_metric.run import VALID_RESULT_NAME, evaluate_rollouts
    from revisit_metric.tables import show_result

    valid = read_valid_ids(diagnoses)
    subset = [rollout for rollout in rollouts if rollout.rollout_id in valid]
    console = Console()
    console.print(f"\n[bold]action-valid subset: {len(subset)} of {len(rollouts)} rollouts[/bold]", highlight=False)
    show_result(evaluate_rollouts(subset, settings, out=out, result_name=VALID_RESULT_NAME), console)
