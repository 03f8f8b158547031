"""The demo: on the small rollouts that come with the project, and what it renders where it can."""

import pytest
from rich.console import Console

from revisit_metric import demo
from revisit_metric.manifest import read_manifest


@pytest.fixture(scope="module")
def without_renderer(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo")
    console = Console(record=True, width=160)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo.renderer, "available", lambda: (False, "no EGL: apt-get install libegl1"))
        complete = demo.run_demo(out, console)
    return out, complete, console.export_text()


def test_without_a_renderer_it_says_what_to_install_and_scores_the_examples(without_renderer):
    out, complete, shown = without_renderer
    assert "apt-get install libegl1" in shown
    assert "scored 3 of 3 rollouts" in shown
    assert (out / "report.html").stat().st_size > 10_000
    assert complete


def test_every_metric_orders_the_examples_as_they_were_built(without_renderer):
    shown = without_renderer[2]
    assert "6 of 6 orderings as built" in shown
    assert shown.count("weak regime") + shown.count("invalid normalisation") >= 6


def test_the_examples_are_small_and_complete(project_root):
    manifest = read_manifest(project_root / "examples" / "rollouts.jsonl")
    assert [rollout.model for rollout in manifest.rollouts] == list(demo.FAULTS)
    assert sum(rollout.video.stat().st_size for rollout in manifest.rollouts) < 2**20


def test_a_control_is_rendered_once(tmp_path):
    available, reason = demo.renderer.available()
    if not available:
        pytest.skip(reason)
    control = demo.Control("living_room", 1, "closed_loop", "stands still", "static")
    path = demo.render_control(control, tmp_path)
    before = path.stat().st_mtime_ns
    assert demo.render_control(control, tmp_path).stat().st_mtime_ns == before
    assert path.with_suffix(".truth.json").exists()
    assert control.row["instance_id"] == "living_room-1/closed_loop"


def test_the_demo_covers_two_scenes_and_two_trajectories():
    built = demo.controls()
    assert len(built) == 12
    assert len({control.layout for control in built}) == len({control.trajectory for control in built}) == 2
