"""`python -m adapters`: list models, export their inputs, generate, collect a manifest.

Exit codes as of `r2m`: 0 all done; 1 done in part, with what is missing on screen; 2 not carried out.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from adapters import TABLE, adapter_class, adapter_table, load_adapter
from adapters.base import all_options
from adapters.export import export
from adapters.folder import COMMAND, MANIFEST, read_export
from adapters.generation import Outcome, plan, run
from adapters.instances import read_instances
from adapters.protocol import AdapterError, Option, Residual, Spec
from revisit_metric.manifest import write_manifest

EXIT_DONE, EXIT_INCOMPLETE, EXIT_REFUSED, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.command(options)
    except (ValueError, OSError) as error:
        _say(f"adapters {options.name}: {error}", to_stderr=True)
        return EXIT_REFUSED
    except KeyboardInterrupt:
        _say("interrupted; finished videos are kept, the same command goes on from there", to_stderr=True)
        return EXIT_INTERRUPTED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="adapters", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="name")
    listing = commands.add_parser("list", help="models; or all that is known of one", allow_abbrev=False)
    listing.add_argument("model", nargs="?", metavar="MODEL")
    listing.set_defaults(command=_list)
    _add_export(commands)
    _add_run(commands)
    _add_collect(commands)
    return parser


def _add_export(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("export", help="write every instance in the model's input", allow_abbrev=False)
    parser.set_defaults(command=_export)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--dataset", required=True, metavar="WHERE", help="folder, Hub name, or instances.jsonl")
    parser.add_argument("--config", metavar="NAME", help="the dataset's configuration")
    parser.add_argument("--split", default="test", metavar="NAME", help="the dataset's split (test)")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N instances")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the export folder")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings", help="an option of the model"
    )


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("run", help="generate what is not there yet", allow_abbrev=False)
    parser.set_defaults(command=_run)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the export folder")
    _add_seeds(parser)
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        "--devices", nargs="+", metavar="IDS", help="one worker each: 0 1, or 0,1 2,3 for pairs (CUDA_VISIBLE_DEVICES)"
    )
    workers.add_argument("--workers", type=int, metavar="N", help="N workers on devices 0 to N - 1")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for one video (no limit)")
    parser.add_argument("--dry-run", action="store_true", help="print the first command and stop")


def _add_collect(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("collect", help=f"write {MANIFEST} for r2m evaluate", allow_abbrev=False)
    parser.set_defaults(command=_collect)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the export folder")
    _add_seeds(parser)
    parser.add_argument("--videos", metavar="PATTERN", help="videos made otherwise: v/{scene_id}_{trajectory}.mp4")
    parser.add_argument("--revision", metavar="TEXT", help="revision of the model, for the record")


def _add_seeds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", nargs="+", type=int, default=[0], metavar="N", help="a video each (0)")


def _list(options: argparse.Namespace) -> int:
    if options.model:
        _describe(adapter_class(options.model).spec)
        return EXIT_DONE
    table = Table(box=None)
    for heading in ("model", "fps", "frames", "481 become", "scale", "input"):
        table.add_column(heading, no_wrap=heading == "model", overflow="fold")
    for name in adapter_table():
        spec = adapter_class(name).spec
        rate = "varies" if spec.fps is None else f"{spec.fps:g}"
        shown = name if name in TABLE else f"{name} *"
        become = str(spec.grid.next_valid(481))
        table.add_row(shown, rate, spec.grid.description, become, spec.scale, spec.input_form)
    Console().print(table)
    return EXIT_DONE


def _describe(spec: Spec) -> None:
    size = "follows the image" if spec.resolution is None else "{} x {}".format(*spec.resolution)
    normalised = ", scale-normalised" if spec.scale_normalised else ""
    for label, text in (
        ("model", f"{spec.model} ({spec.revision})"),
        ("input", f"{spec.input_form}; {spec.convention}"),
        ("frames", f"{spec.grid.description}; {'varying' if spec.fps is None else f'{spec.fps:g}'} a second; {size}"),
        ("scale", spec.scale + normalised),
        ("overlay", spec.overlay),
        ("licence", spec.licence),
        *(("option", _option_text(option)) for option in all_options(spec)),
        *(("verified", fact) for fact in spec.facts.verified),
        *(("documented", fact) for fact in spec.facts.documented),
        *(("inferred", fact) for fact in spec.facts.inferred),
        *(("not found", fact) for fact in spec.facts.unknown),
    ):
        _say(f"{label:<11} {text}")


def _option_text(option: Option) -> str:
    value = "required" if option.default is None else f"default {option.default}"
    among = f" of {', '.join(option.choices)}" if option.choices else ""
    return f"--set {option.name}=...{among} ({value}): {option.help}"


def _export(options: argparse.Namespace) -> int:
    settings = _settings(options.settings)
    adapter = load_adapter(options.model, settings)
    instances = read_instances(
        options.dataset,
        images=options.out / "images",
        config=options.config,
        split=options.split,
        limit=options.limit,
    )
    exported = export(options.model, adapter, instances, options.out, options=settings)
    _say(f"{options.model}: {len(exported.residuals)} instances in {options.out}")
    _say_residuals(exported.residuals)
    _say(
        f"{_EDIT[exported.command].format(options.out / COMMAND)}: python -m adapters run {options.model} {options.out}"
    )
    _say_failures(f"{name}: {cause}" for name, cause in exported.failures.items())
    return EXIT_INCOMPLETE if exported.failures else EXIT_DONE


_EDIT = {
    "new": "edit {}, then",
    "kept": "{} is kept as it was; then",
    "outdated": "{} is kept with your edits; these options need other arguments, see 'command' in export.json; then",
}


def _settings(pairs: Iterable[str]) -> dict[str, str]:
    settings = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise AdapterError(f"--set {pair!r}: expected NAME=VALUE")
        settings[name] = value
    return settings


def _say_residuals(residuals: dict[str, Residual]) -> None:
    worst: dict[str, Residual] = {}
    for name, residual in residuals.items():
        trajectory = name.rpartition("/")[2]
        known = worst.get(trajectory, Residual(0.0, 0.0, 0))
        worst[trajectory] = Residual(
            max(known.metres, residual.metres), max(known.degrees, residual.degrees), residual.frames
        )
    for trajectory, residual in worst.items():
        metres, degrees = round(residual.metres, 6), round(residual.degrees, 6)
        distance = f"at most {metres:.4g} m and {degrees:.4g} degrees from the request"
        _say(f"  {trajectory}: {distance}, {residual.frames:+d} frames")


def _run(options: argparse.Namespace) -> int:
    if options.dry_run:
        command, tasks = plan(options.folder, options.model, seeds=options.seeds)
        _say(f"{len(tasks)} videos, {command.video} in each output folder; the first command:")
        _say(" ".join(tasks[0].argv) if tasks else "none")
        return EXIT_DONE
    devices: list[str | None] = options.devices or [None]
    if options.workers is not None:
        if options.workers < 1:
            raise AdapterError(f"--workers is {options.workers}, expected at least 1")
        devices = [str(number) for number in range(options.workers)]
    outcomes = run(
        options.folder,
        options.model,
        seeds=options.seeds,
        devices=devices,
        timeout_s=options.timeout,
        on_outcome=_say_outcome,
    )
    counts = {state: sum(o.state == state for o in outcomes) for state in ("generated", "kept", "failed")}
    _say(f"{options.model}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    return EXIT_INCOMPLETE if counts["failed"] else EXIT_DONE


def _say_outcome(outcome: Outcome) -> None:
    _say(f"{outcome.state}: {outcome.name}" + (f": {outcome.cause}" if outcome.cause else ""))


def _collect(options: argparse.Namespace) -> int:
    record = read_export(options.folder, options.model)
    adapter = load_adapter(options.model, record["options"])
    collected = adapter.collect(options.folder, seeds=tuple(options.seeds), videos=options.videos)
    for row in collected.rows:
        if options.revision:
            row["model"]["revision"] = options.revision
    write_manifest(options.folder / MANIFEST, collected.rows)
    for note in sorted(set(collected.notes)):
        _say(f"note: {note}")
    _say(f"{options.folder / MANIFEST}: {len(collected.rows)} rollouts, {len(collected.findings)} findings")
    _say_failures(collected.findings)
    return EXIT_INCOMPLETE if collected.findings else EXIT_DONE


def _say_failures(lines: Iterable[str]) -> None:
    for line in lines:
        _say(line, to_stderr=True)


def _say(text: str, *, to_stderr: bool = False) -> None:
    Console(stderr=to_stderr).print(text, markup=False, highlight=False, soft_wrap=True)
