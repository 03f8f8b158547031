"""`python -m dataset_builder`: build the dataset, publish it.

Exit codes as of `r2m`: 0 done; 1 done in part, with what is missing on screen; 2 not carried out.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dataset_builder.build import Built, build
from dataset_builder.builder import CONFIGS, SPLIT
from dataset_builder.images import RULES
from dataset_builder.publish import TOKEN_VARIABLE, push

EXIT_DONE, EXIT_INCOMPLETE, EXIT_REFUSED = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except (ValueError, OSError) as error:
        _say(f"dataset_builder {options.name}: {error}", to_stderr=True)
        return EXIT_REFUSED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dataset_builder", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="name")
    _add_build(commands)
    _add_push(commands)
    return parser


def _add_build(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("build", help="write Parquet and a card that load_dataset reads", allow_abbrev=False)
    parser.set_defaults(command=_build)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the dataset's folder")
    parser.add_argument("--config", choices=CONFIGS, help="what to build; 'custom' when only --scenes is given")
    parser.add_argument("--release", metavar="DIR", help="official: checkout of the release's code repository")
    parser.add_argument("--images", metavar="WHERE", help="official: image folder, or GD-ML/R2MBench@COMMIT")
    parser.add_argument("--labels", metavar="FILE", help="official: table with file_name, category, tags")
    parser.add_argument("--scenes", metavar="DIR", help="custom: folder of your images; open: another open set")
    parser.add_argument("--prompts", metavar="FILE", help="custom: table with file_name, prompt, ... (.csv, .jsonl)")
    parser.add_argument("--licence", metavar="TEXT", help="custom: licence of your images")
    parser.add_argument(
        "--waive", action="append", choices=RULES, default=[], help="custom: an inclusion rule not to apply"
    )
    parser.add_argument("--template", action="append", default=[], metavar="FILE", help="YAML of one more trajectory")


def _add_push(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "push",
        help=f"publish a built folder on the Hub, with the token in {TOKEN_VARIABLE}",
        allow_abbrev=False,
    )
    parser.set_defaults(command=_push)
    parser.add_argument("repo", metavar="REPO", help="owner/name")
    parser.add_argument("--from", dest="folder", type=Path, required=True, metavar="DIR", help="what build wrote")
    parser.add_argument("--private", action="store_true", help="make the repository private")


def _build(options: argparse.Namespace) -> int:
    import datasets

    config = options.config or ("custom" if options.scenes else None)
    if config is None:
        raise ValueError(f"say what to build: --config {'|'.join(CONFIGS)}, or --scenes DIR")
    datasets.disable_progress_bars()
    built = build(
        options.out,
        config,
        release=options.release,
        images=options.images,
        labels=options.labels,
        scenes=options.scenes,
        prompts=options.prompts,
        licence=options.licence,
        waived=tuple(options.waive),
        templates=tuple(options.template),
    )
    _report(built, options.out)
    return EXIT_DONE


def _report(built: Built, out: Path) -> None:
    size = sum(shard.stat().st_size for shard in built.shards) / 1e6
    _say(f"{built.config}: {built.n_scenes} scenes, {built.n_instances} instances, {size:.1f} MB of Parquet")
    if built.left_out:
        names = ", ".join(path.name for path in built.left_out[:5])
        _say(f"left out, {len(built.left_out)} files that no instance uses: {names}")
    _say(f'load_dataset("{out}", "{built.config}", split="{SPLIT}")')


def _push(options: argparse.Namespace) -> int:
    published = push(options.repo, options.folder, private=options.private)
    _say(f"{published.url} at {published.commit}")
    if published.eval_refusal is None:
        return EXIT_DONE
    _say(
        "The data are published; the Hub refused eval.yaml, as it does until the framework is registered in "
        f"huggingface.js packages/tasks/src/eval.ts: {published.eval_refusal}",
        to_stderr=True,
    )
    return EXIT_INCOMPLETE


def _say(text: str, *, to_stderr: bool = False) -> None:
    Console(stderr=to_stderr).print(text, markup=False, highlight=False, soft_wrap=True)
