"""`r2m doctor` and `r2m weights`: what this machine has, and how to give it what it lacks."""

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from revisit_metric import __version__
from revisit_metric.cli.conventions import EXIT_DONE, EXIT_INCOMPLETE, Commands


def add_commands(commands: Commands) -> None:
    """Enter `doctor` and `weights`."""
    doctor = commands.add_parser("doctor", help="what is installed, which weights are where, what is missing")
    doctor.set_defaults(command=_doctor)
    _add_weights(commands)


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


# --- weights ------------------------------------------------------------------------------------------------


def _add_weights(commands: Commands) -> None:
    command = commands.add_parser(
        "weights",
        help="list, fetch or verify checkpoints",
        description="Checkpoints by name; a model of several files (dinov2) goes by its folder. Without names, `fetch` "
        "and `verify` take what one profile needs, `list` takes everything.",
        allow_abbrev=False,
    )
    command.add_argument("action", choices=("list", "fetch", "verify"))
    command.add_argument("names", nargs="*", metavar="NAME", help="checkpoints or models")
    command.add_argument("--profile", help="take what this profile needs (default for fetch and verify: embedded)")
    command.add_argument(
        "--accept-licence", action="store_true", help="accept the restrictive licences among them, for this machine"
    )
    command.set_defaults(command=_weights)


def _weights(options: argparse.Namespace) -> int:
    rows = _rows(options)
    if options.action == "list":
        return _list(rows)
    if options.action == "verify":
        return _each(rows, fetch=False, accept_licence=options.accept_licence)
    return _each(rows, fetch=True, accept_licence=options.accept_licence)


def _rows(options: argparse.Namespace) -> list[str]:
    """The checkpoints that are meant, each once."""
    from revisit_metric import profiles, weights

    chosen = [row for name in options.names for row in weights.names(name)]
    if options.profile is not None:
        chosen += profiles.weight_names(options.profile)
    if not chosen:
        chosen = list(weights.WEIGHTS) if options.action == "list" else profiles.weight_names("embedded")
    return list(dict.fromkeys(chosen))


def _list(rows: Sequence[str]) -> int:
    from revisit_metric import weights

    console = Console(soft_wrap=True)
    for row in weights.status():
        if row.name in rows:
            size = weights.WEIGHTS[row.name].size / 1e6
            console.print(f"{row.name}  {row.state}  {size:.3g} MB  {escape(row.detail)}", highlight=False)
    return EXIT_DONE


def _each(rows: Sequence[str], *, fetch: bool, accept_licence: bool) -> int:
    """Fetch or verify every row; one that fails stops no other."""
    from revisit_metric import weights

    console = Console(soft_wrap=True)
    code = EXIT_DONE
    for name in rows:
        if accept_licence:
            for terms in weights.accept_licence(name):
                console.print(f"accepted: {terms.name} ({terms.summary}; {terms.page})", highlight=False)
        try:
            path = weights.fetch(name) if fetch else weights.verify(name)
        except weights.MissingWeights as error:
            console.print(f"[red]{name}[/red]  {escape(str(error))}", highlight=False)
            code = EXIT_INCOMPLETE
        else:
            console.print(f"{name}  {escape(str(path))}", highlight=False)
    return code
