"""`r2m estimate`: what the judge will take, before anything is asked."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from revisit_metric.cli.conventions import EXIT_DONE, EXIT_INCOMPLETE, Commands
from revisit_metric.cli.options import add_asking_options, add_pair_options, price

if TYPE_CHECKING:
    from revisit_metric.judge.estimate import Estimate


def add_commands(commands: Commands) -> None:
    """Enter `estimate`."""
    command = commands.add_parser(
        "estimate",
        help="what the judge will take: pairs, calls, tokens, money, time",
        description="Count what an evaluation will ask the judge of persistent state. Nothing is sent; replies that "
        "are stored already would make it less.",
        allow_abbrev=False,
    )
    add_pair_options(command)
    command.add_argument("--profile", default="paper", help="paper (default) or official")
    add_asking_options(command)
    command.set_defaults(command=_estimate)


def _estimate(options: argparse.Namespace) -> int:
    from revisit_metric.forecast import forecast
    from revisit_metric.judge.estimate import Plan
    from revisit_metric.judge.rubric import load_rubric
    from revisit_metric.manifest import read_manifest
    from revisit_metric.run import Settings

    manifest = read_manifest(options.manifest, allow_outside=options.allow_outside)
    settings = Settings(
        protocol=options.protocol,
        profile=options.profile,
        seed=options.seed,
        pairs_per_type=options.pairs,
        judge_pairs=options.judge_pairs,
        allow_short=options.allow_short,
    )
    plan = Plan(repeats=options.judge_repeats, concurrency=options.judge_concurrency)
    told = forecast(manifest.rollouts, settings, rubric=load_rubric(options.rubric), plan=plan, price=price(options))
    table = Table(box=None, show_header=False, pad_edge=False)
    for row in _rows(told.estimate, n_rollouts=told.n_rollouts, latency_s=plan.latency_s):
        table.add_row(*row)
    console = Console(soft_wrap=True)
    console.print(table)
    left_out = {line.rollout_id: line.message for line in manifest.bad_lines} | dict(told.left_out)
    for name, cause in left_out.items():
        console.print(f"[yellow]not counted[/yellow] {escape(name)}: {escape(cause)}", highlight=False)
    return EXIT_INCOMPLETE if left_out else EXIT_DONE


def _rows(estimate: "Estimate", *, n_rollouts: int, latency_s: float) -> Iterator[tuple[str, str]]:
    yield "rollouts", str(n_rollouts)
    yield "pairs", str(estimate.pairs)
    yield "calls", str(estimate.calls)
    yield "tokens", f"about {estimate.tokens_in:,} read, {estimate.tokens_out:,} written"
    if estimate.cost is None or estimate.cost_at_most is None:
        yield "money", "give --price-in and --price-out, per million tokens"
    else:
        yield (
            "money",
            f"about {estimate.cost:.2f}, at most {estimate.cost_at_most:.2f} if every reply is as long as can be",
        )
    yield "time", f"about {_duration(estimate.seconds)}, at {latency_s:g} s a reply"


def _duration(seconds: float) -> str:
    """Say a time in the largest unit that fits."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"
