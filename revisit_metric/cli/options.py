"""Options that several commands share: which pairs, and who judges."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from revisit_metric.judge.budget import Price
    from revisit_metric.judge.settings import JudgeSettings


def add_pair_options(command: argparse.ArgumentParser) -> None:
    """Add the manifest and what decides which pairs are scored."""
    command.add_argument("manifest", type=Path, help="rollouts.jsonl")
    command.add_argument("--protocol", default="official", help="pair protocol: official (default) or paper")
    command.add_argument("--seed", type=int, default=42, help="seed of the pair sampler (default 42)")
    command.add_argument(
        "--pairs", type=count_or_all, help="most revisit pairs, or 'all' (default: the protocol's own)"
    )
    command.add_argument("--allow-short", action="store_true", help="score videos with fewer frames than poses")
    command.add_argument("--allow-outside", action="store_true", help="accept paths outside the manifest's folder")


def add_asking_options(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Add how a judge is asked and what it costs; return the group, for options of the command's own."""
    group = command.add_argument_group("judge of persistent state (profiles paper and official)")
    group.add_argument(
        "--judge-pairs", type=count_or_all, default=10, metavar="N", help="pairs of each type, or 'all' (default 10)"
    )
    group.add_argument("--judge-repeats", type=int, default=1, metavar="N", help="times each pair is asked (default 1)")
    group.add_argument(
        "--judge-concurrency", type=int, default=8, metavar="N", help="questions asked at once (default 8)"
    )
    group.add_argument("--rubric", type=Path, metavar="FILE", help="another prompt (default: the built-in rubric)")
    group.add_argument("--price-in", type=float, metavar="X", help="price of a million tokens read")
    group.add_argument("--price-out", type=float, metavar="X", help="price of a million tokens written")
    return group


def add_judge_options(command: argparse.ArgumentParser) -> None:
    """Add who judges, and all of `add_asking_options`."""
    group = add_asking_options(command)
    group.add_argument("--judge", metavar="JUDGE", help="openai:MODEL, local:FOLDER or recorded:FILE")
    group.add_argument("--judge-url", metavar="URL", help="an OpenAI-compatible endpoint (default: OpenAI's)")
    group.add_argument(
        "--judge-key-env",
        default="OPENAI_API_KEY",
        metavar="NAME",
        help="environment variable of the endpoint's key, '' for none (default OPENAI_API_KEY)",
    )
    group.add_argument(
        "--max-cost", type=float, metavar="X", help="stop asking before this is crossed, in the currency of the prices"
    )


def count_or_all(text: str) -> int | Literal["all"]:
    """Read a number of pairs."""
    return "all" if text == "all" else int(text)


def price(options: argparse.Namespace) -> "Price | None":
    """Return the price of tokens, `None` where it is not given.

    Raises:
        ValueError: Only one of the two prices is given.
    """
    from revisit_metric.judge.budget import Price

    if options.price_in is None and options.price_out is None:
        return None
    if options.price_in is None or options.price_out is None:
        raise ValueError("--price-in and --price-out are given together: what is read and what is written both cost")
    return Price(options.price_in, options.price_out)


def judge_settings(options: argparse.Namespace) -> "JudgeSettings | None":
    """Return who judges and how, `None` without `--judge`.

    Raises:
        ValueError: An option does not fit the others.
    """
    from revisit_metric.judge.endpoint import OPENAI_URL
    from revisit_metric.judge.interview import Manner
    from revisit_metric.judge.settings import JudgeSettings

    if options.judge is None:
        if options.max_cost is not None or options.judge_url is not None:
            raise ValueError("--max-cost and --judge-url say how a judge is asked, but no --judge is named")
        return None
    return JudgeSettings(
        options.judge,
        base_url=options.judge_url or OPENAI_URL,
        key_variable=options.judge_key_env or None,
        device=options.device,
        rubric=options.rubric,
        manner=Manner(repeats=options.judge_repeats, concurrency=options.judge_concurrency),
        price=price(options),
        max_cost=options.max_cost,
    )
