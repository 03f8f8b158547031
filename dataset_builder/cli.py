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
from dataset_builder.scenes import OPEN_FOLDER

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
    _add_draw(commands)
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


def _add_draw(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("draw", help="draw the open reference set again, or check it", allow_abbrev=False)
    parser.set_defaults(command=_draw)
    parser.add_argument("--out", type=Path, default=OPEN_FOLDER, metavar="DIR", help="folder with plan.jsonl")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="these scenes alone")
    parser.add_argument("--check", action="store_true", help="compare with what is there instead of writing")
    parser.add_argument("--deal", action="store_true", help="first write plan.jsonl anew from the layouts there are")
    parser.add_argument("--contact-sheet", type=Path, metavar="FILE", help="write sheets of 25 stills, draw nothing")


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


def _draw(options: argparse.Namespace) -> int:
    from dataset_builder import open_plan, open_set

    if options.contact_sheet:
        for path in open_set.contact_sheets(options.out, options.contact_sheet):
            _say(str(path))
    elif options.check:
        for scene_id, gap in open_set.check_set(options.out, only=options.only):
            _say(f"{scene_id}: mean {gap.mean:.2f}, 99th percentile {gap.p99:.0f}")
    else:
        if options.deal or not (options.out / open_plan.PLAN_FILE).is_file():
            open_plan.write_plan(options.out, open_plan.deal_plan())
        for scene_id in open_set.draw_set(options.out, only=options.only):
            _say(scene_id)
    return EXIT_DONE


def _say(text: str, *, to_stderr: bool = False) -> None:
    Console(stderr=to_stderr).print(text, markup=False, highlight=False, soft_wrap=True)
