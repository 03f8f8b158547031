"""`r2m report`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from revisit_metric.cli.conventions import EXIT_DONE, Commands

if TYPE_CHECKING:
    from revisit_metric.manifest import Rollout


def add_commands(commands: Commands) -> None:
    """Enter `report`."""
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

    rollouts: Sequence[Rollout] = ()
    if options.manifest is not None:
        rollouts = read_manifest(options.manifest, allow_outside=options.allow_outside).rollouts
    result = read_result(options.results / RESULT_NAME)
    out = options.out or options.results / "report.html"
    write_report(out, result, options.results / JOURNAL_NAME, rollouts)
    Console(soft_wrap=True).print(str(out), highlight=False)
    return EXIT_DONE
