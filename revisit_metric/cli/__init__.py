"""`r2m`: one file a group of commands, each command a thin call of the library.

Exit codes: 0 all that was expected was done; 1 something was not scored, with its cause on screen and in the result;
2 the command itself could not be carried out (wrong arguments, unreadable manifest).
"""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from revisit_metric import __version__
from revisit_metric.cli import check, controls, estimate, evaluate, machine, report
from revisit_metric.cli.conventions import EXIT_REFUSED

GROUPS = (evaluate, check, estimate, report, controls, machine)
"""Modules whose `add_commands` enters their commands, in the order of `r2m --help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `r2m` and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except (ValueError, OSError, ImportError) as error:
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
    for group in GROUPS:
        group.add_commands(commands)
    return parser
