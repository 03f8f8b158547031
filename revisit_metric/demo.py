"""`r2m demo`: the main job on rollouts whose memory is known, with no model and no download but LPIPS' weights.

It renders two scenes on two trajectories with perfect memory, with everything forgotten and with a camera that never
moves, encodes them as H.264, scores them, and checks that every metric orders them as they were built. Without a
renderer it scores the three small rollouts kept under `examples/`.
"""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from revisit_metric.controls import renderer
from revisit_metric.controls.faults import parse_fault
from revisit_metric.controls.layouts import build_scene
from revisit_metric.controls.rollout import render_rollout
from revisit_metric.manifest import Manifest, read_manifest, write_manifest
from revisit_metric.progress import Bars
from revisit_metric.report.html import write_report
from revisit_metric.results import Result
from revisit_metric.run import JOURNAL_NAME, Settings, evaluate_rollouts
from revisit_metric.tables import number, show_result
from revisit_metric.templates import template
from revisit_metric.video import write_video

SCENES = (("living_room", 1), ("shopping_street", 1))
TRAJECTORIES = ("out_and_back", "translation_rotation")
FAULTS = {"perfect memory": "perfect", "forgets all": "forgetful:1", "stands still": "static"}
SIZE = (320, 180)
FPS = 16
MANIFEST_NAME = "rollouts.jsonl"
EXAMPLES = Path(__file__).parents[1] / "examples"


class Control(NamedTuple):
    """One rollout of known memory."""

    layout: str
    seed: int
    trajectory: str
    model: str
    fault: str

    @property
    def stem(self) -> str:
        """File name without suffix."""
        return f"{self.layout}-{self.seed}-{self.trajectory}-{self.fault.replace(':', '-')}"

    @property
    def row(self) -> dict[str, Any]:
        """The control's manifest line."""
        return {
            "instance_id": f"{self.layout}-{self.seed}/{self.trajectory}",
            "video": f"videos/{self.stem}.mp4",
            "model": self.model,
            "fps": FPS,
        }


class Verdict(NamedTuple):
    """How one metric orders one scene's rollouts: `perfect` should lie above `forgetful`."""

    scene: str
    trajectory: str
    metric: str
    perfect: float | None
    forgetful: float | None

    @property
    def holds(self) -> bool:
        """Whether both were measured and stand in the order they were built."""
        return self.perfect is not None and self.forgetful is not None and self.perfect > self.forgetful


def controls() -> list[Control]:
    """Return the demo's rollouts."""
    return [
        Control(layout, seed, trajectory, model, fault)
        for layout, seed in SCENES
        for trajectory in TRAJECTORIES
        for model, fault in FAULTS.items()
    ]


def render_control(control: Control, folder: Path) -> Path:
    """Render and encode one control with its ground truth beside it, unless it is there already."""
    path = folder / f"{control.stem}.mp4"
    truth = path.with_suffix(".truth.json")
    if path.exists() and truth.exists():
        return path
    rollout = render_rollout(
        build_scene(control.layout, control.seed),
        template(control.trajectory).poses(),
        size=SIZE,
        fault=parse_fault(control.fault, seed=control.seed),
    )
    write_video(path, rollout, fps=FPS)
    truth.write_text(rollout.truth.to_json(), encoding="utf-8")
    return path


def run_demo(out: Path, console: Console) -> bool:
    """Render, score, print and report; return whether all was scored and every metric orders as built."""
    available, reason = renderer.available()
    if available:
        manifest = _rendered(out, console)
    else:
        console.print(f"[yellow]no renderer:[/yellow] {escape(reason)}", highlight=False)
        console.print("scoring the small rollouts kept under examples/ instead", highlight=False)
        manifest = read_manifest(EXAMPLES / MANIFEST_NAME)
    console.print("==> scoring")
    with Bars(console) as progress:
        result = evaluate_rollouts(
            manifest.rollouts, Settings(), bad_lines=manifest.bad_lines, out=out / "results", progress=progress
        )
    show_result(result, console)
    verdicts = list(_verdicts(result))
    _show_verdicts(verdicts, console)
    report = write_report(out / "report.html", result, out / "results" / JOURNAL_NAME, manifest.rollouts)
    console.print(f"report: {report}", highlight=False, soft_wrap=True)
    return result.complete and all(verdict.holds for verdict in verdicts)


def _rendered(out: Path, console: Console) -> Manifest:
    wanted = controls()
    folder = out / "videos"
    folder.mkdir(parents=True, exist_ok=True)
    console.print(f"==> rendering {len(wanted)} rollouts of known memory, 481 frames each, {SIZE[0]}x{SIZE[1]}")
    # A forked child inherits the graphics context that the parent has opened, and hangs on it.
    spawn = multiprocessing.get_context("spawn")
    with Bars(console) as progress, ProcessPoolExecutor(max_workers=2, mp_context=spawn) as pool:
        progress.start(len(wanted))
        futures = {pool.submit(render_control, control, folder): control for control in wanted}
        for future in as_completed(futures):
            future.result()
            progress.done(futures[future].stem, "rendered")
    write_manifest(out / MANIFEST_NAME, [control.row for control in wanted])
    return read_manifest(out / MANIFEST_NAME)


def _verdicts(result: Result) -> Iterator[Verdict]:
    by_instance: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for block in result.to_dict()["rollouts"]:
        by_instance.setdefault((block["scene_id"], block["trajectory"]), {})[block["model"]] = block["metrics"]
    perfect, forgetful = list(FAULTS)[:2]
    for (scene, trajectory), models in sorted(by_instance.items()):
        for metric in models.get(perfect, {}):
            values = [models[model][metric]["nmr"] if model in models else None for model in (perfect, forgetful)]
            yield Verdict(scene, trajectory, metric, *values)


def _show_verdicts(verdicts: Sequence[Verdict], console: Console) -> None:
    table = Table(title="NMR of the same place: perfect memory against everything forgotten", title_justify="left")
    for heading in ("scene", "trajectory", "metric"):
        table.add_column(heading)
    for heading in ("perfect", "forgets all"):
        table.add_column(heading, justify="right")
    table.add_column("ordered as built")
    for verdict in verdicts:
        mark = "[green]yes[/green]" if verdict.holds else "[red]no[/red]"
        table.add_row(*verdict[:3], number(verdict.perfect), number(verdict.forgetful), mark)
    console.print(table)
    n_held = sum(verdict.holds for verdict in verdicts)
    console.print(f"{n_held} of {len(verdicts)} orderings as built", highlight=False)
