"""`r2m check` and `r2m realized`: the delivery gate, and what the cameras really did.

Exit codes: 0 nothing is wrong (warnings do not count); 1 there are errors, or rollouts that cannot be diagnosed; 2 the
command itself could not be carried out.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from revisit_metric.cli.conventions import EXIT_DONE, EXIT_INCOMPLETE, Commands
from revisit_metric.tables import MISSING, number

if TYPE_CHECKING:
    from revisit_metric.delivery import Finding
    from revisit_metric.delivery.images import InstanceImages
    from revisit_metric.manifest import Manifest, Rollout
    from revisit_metric.realized import Realized
    from revisit_metric.realized.two_view import Matrix

RELEASE_TRAJECTORIES = ("out_and_back", "translation_rotation", "closed_loop")


def add_commands(commands: Commands) -> None:
    """Enter `check` and `realized`."""
    _add_check(commands)
    _add_realized(commands)


# --- check --------------------------------------------------------------------------------------------------


def _add_check(commands: Commands) -> None:
    """Add `check` to the commands of `r2m`."""
    command = commands.add_parser(
        "check",
        help="check rollouts before they are scored",
        description="Decode every video of a manifest once and say what is wrong with the delivery, and how to fix it.",
        allow_abbrev=False,
    )
    command.add_argument("manifest", type=Path, help="rollouts.jsonl")
    command.add_argument(
        "--dataset", help="folder, Hub name, .parquet or .jsonl with instance_id and image: compares first frames"
    )
    command.add_argument("--config", help="configuration of the dataset")
    command.add_argument("--split", default="test", help="split of the dataset (default test)")
    command.add_argument(
        "--expect",
        metavar="WHAT",
        help="'dataset': every instance of it; 'templates': the benchmark's three trajectories for every scene in the "
        "manifest; or a text file with one instance id a line",
    )
    command.add_argument("--allow-outside", action="store_true", help="accept paths outside the manifest's folder")
    command.add_argument("--json", action="store_true", help="print JSON instead of a table")
    command.set_defaults(command=_check)


def _check(options: argparse.Namespace) -> int:
    from revisit_metric.delivery import check_delivery
    from revisit_metric.delivery.images import read_instance_images
    from revisit_metric.manifest import read_manifest

    manifest = read_manifest(options.manifest, allow_outside=options.allow_outside)
    images = None
    if options.dataset is not None:
        images = read_instance_images(options.dataset, config=options.config, split=options.split)
    expected = _expected(options.expect, manifest, images)
    with Console(stderr=True).status("checking") as status:
        findings = check_delivery(
            manifest,
            instances=images,
            expected=expected,
            progress=lambda rollout: status.update(f"checking {escape(rollout.rollout_id)}"),
        )
    errors = sum(finding.severity == "error" for finding in findings)
    if options.json:
        record = {
            "manifest": str(options.manifest),
            "n_rollouts": manifest.n_expected,
            "n_errors": errors,
            "n_warnings": len(findings) - errors,
            "findings": [finding.to_dict() for finding in findings],
        }
        _print_json(record)
    else:
        _show_findings(findings, manifest.n_expected)
    return EXIT_INCOMPLETE if errors else EXIT_DONE


def _expected(what: str | None, manifest: "Manifest", images: "InstanceImages | None") -> Sequence[str] | None:
    if what is None:
        return None
    if what == "dataset":
        if images is None:
            raise ValueError("--expect dataset needs --dataset")
        return list(images)
    if what == "templates":
        scenes = dict.fromkeys(rollout.scene_id for rollout in manifest.rollouts)
        return [f"{scene}/{trajectory}" for scene in scenes for trajectory in RELEASE_TRAJECTORIES]
    names = [line.strip() for line in Path(what).read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if not names:
        raise ValueError(f"--expect {what}: the file names no instance")
    return names


def _show_findings(findings: "Sequence[Finding]", n_rollouts: int) -> None:
    console = Console()
    if findings:
        table = Table(title=f"{len(findings)} findings", title_justify="left", show_lines=True)
        table.add_column("finding")
        for heading in ("rollout", "what is wrong", "what to do"):
            table.add_column(heading, overflow="fold")
        for finding in findings:
            style = "red" if finding.severity == "error" else "yellow"
            name = f"[{style}]{finding.severity}[/{style}]\n{escape(finding.code)}"
            table.add_row(name, *(escape(text) for text in (finding.rollout_id, finding.message, finding.fix)))
        console.print(table)
    counts = Counter(finding.severity for finding in findings)
    text = f"{n_rollouts} rollouts checked: {counts['error']} errors, {counts['warning']} warnings"
    console.print(text, highlight=False)


# --- realized -----------------------------------------------------------------------------------------------


def _add_realized(commands: Commands) -> None:
    """Add `realized` to the commands of `r2m`."""
    command = commands.add_parser(
        "realized",
        help="estimate whether the cameras went where they were told",
        description="A diagnosis beside the score: from local matches between frames, whether each camera left, "
        "followed its command and returned.",
        allow_abbrev=False,
    )
    command.add_argument("manifest", type=Path, help="rollouts.jsonl")
    command.add_argument("--hfov", type=float, metavar="DEG", help="horizontal field of view (default: 89.4 degrees)")
    command.add_argument("--out", type=Path, help="write the diagnoses and the subsets as JSON")
    command.add_argument("--allow-outside", action="store_true", help="accept paths outside the manifest's folder")
    command.add_argument("--json", action="store_true", help="print JSON instead of a table")
    command.set_defaults(command=_realized)


def _realized(options: argparse.Namespace) -> int:
    from revisit_metric.manifest import read_manifest
    from revisit_metric.realized import valid_subset

    manifest = read_manifest(options.manifest, allow_outside=options.allow_outside)
    failures = {line.rollout_id: line.message for line in manifest.bad_lines}
    diagnoses: dict[str, Realized] = {}
    with Console(stderr=True).status("matching") as status:
        for rollout in manifest.rollouts:
            status.update(f"matching {escape(rollout.rollout_id)}")
            try:
                diagnoses[rollout.rollout_id] = _diagnosed(rollout, options.hfov)
            except (ValueError, OSError) as error:
                failures[rollout.rollout_id] = str(error)
    record = {
        "manifest": str(options.manifest),
        "rollouts": {name: diagnosis.to_dict() for name, diagnosis in diagnoses.items()},
        "subsets": {name: list(ids) for name, ids in valid_subset(diagnoses)._asdict().items()},
        "failures": failures,
    }
    if options.out is not None:
        options.out.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    if options.json:
        _print_json(record)
    else:
        _show_diagnoses(diagnoses, failures)
    return EXIT_INCOMPLETE if failures else EXIT_DONE


def _diagnosed(rollout: "Rollout", hfov: float | None) -> "Realized":
    from revisit_metric.realized import realized
    from revisit_metric.video import probe

    if hfov is None:
        return realized(rollout)
    info = probe(rollout.video)
    return realized(rollout, intrinsics=_camera(info.width, info.height, hfov))


def _camera(width: int, height: int, hfov: float) -> "Matrix":
    """Intrinsics `(3, 3)` of a centred camera with square pixels."""
    import math

    import numpy as np

    if not 1 <= hfov <= 179:
        raise ValueError(f"--hfov is {hfov:g}, expected degrees between 1 and 179")
    focal = width / 2 / math.tan(math.radians(hfov) / 2)
    return np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])


_VERDICTS = {True: "[green]valid[/green]", False: "[red]invalid[/red]", None: "[yellow]unknown[/yellow]"}


def _show_diagnoses(diagnoses: "Mapping[str, Realized]", failures: Mapping[str, str]) -> None:
    console = Console()
    table = Table(title="did the camera go where it was told?", title_justify="left")
    table.add_column("rollout", overflow="fold")
    table.add_column("actions")
    for heading in ("confidence", "departure", "steps\nfollowed", "return\ndegrees", "return\nshift"):
        table.add_column(heading, justify="right")
    table.add_column("why", overflow="fold")
    for name, found in diagnoses.items():
        steps = MISSING if found.steps_followed is None else f"{found.steps_followed:.0%} of {found.steps_measured}"
        values = [number(found.confidence, digits=2), number(found.departure, digits=2), steps]
        values += [number(found.return_rotation_deg, digits=1), number(found.return_displacement)]
        table.add_row(escape(name), _VERDICTS[found.action_valid], *values, escape("; ".join(found.reasons)))
    console.print(table)
    for name, cause in failures.items():
        console.print(f"[red]not diagnosed[/red] {escape(name)}: {escape(cause)}", highlight=False)
    counts = Counter(found.action_valid for found in diagnoses.values())
    text = f"valid {counts[True]}, invalid {counts[False]}, unknown {counts[None]}, not diagnosed {len(failures)}"
    console.print(f"{text}; a diagnosis, no part of any score", highlight=False)


def _print_json(record: Mapping[str, Any]) -> None:
    Console(soft_wrap=True).print(json.dumps(record, indent=1, allow_nan=False), markup=False, highlight=False)
