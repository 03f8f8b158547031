"""`python -m adapters` end to end: a stand-in with a model's flags, and the reference world in every camera format."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from adapters import TABLE, adapter_class
from adapters.cli import main
from adapters.reference_world import READERS
from adapters.reference_world import main as reference_world
from revisit_metric.manifest import read_manifest
from revisit_metric.pairs import sample_pairs
from revisit_metric.trajectory import integrate, parse_script
from revisit_metric.video import read_frames

ROOT = Path(__file__).parents[2]
STANDIN = Path(__file__).with_name("standin_worldplay.py")
SCRIPT = "yaw_left 12f, yaw_right 12f, right 12f, left 12f"
STEPS = {"metres_per_frame": 0.05, "degrees_per_frame": 1.5}


@pytest.fixture
def listed(tmp_path):
    """A list of instances, and the export folder to be."""

    def write(*prompts, **more):
        Image.fromarray(np.random.default_rng(0).integers(0, 255, (36, 64, 3), np.uint8)).save(tmp_path / "v.png")
        rows = [
            {"instance_id": f"{k:04d}/look", "image": "v.png", "prompt": text, "script": SCRIPT, **STEPS, **more}
            for k, text in enumerate(prompts)
        ]
        (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(tmp_path / "list.jsonl"), tmp_path / "out"

    return write


def edit(out, argv):
    record = json.loads((out / "command.json").read_text())
    (out / "command.json").write_text(
        json.dumps({**record, "argv": argv(record["argv"]), "cwd": str(ROOT), "env": {"PYTHONPATH": str(ROOT)}})
    )


@pytest.mark.parametrize("settings", [[], ["--set", "form=string"], ["--set", "model_type=bi"]])
def test_a_stand_in_with_hy_flags_from_export_to_manifest(settings, listed, capsys):
    source, out = listed("a hall", "break", 'a roof, with "quotes" and {braces}')
    assert main(["export", "hy-worldplay", "--dataset", source, "--out", str(out), *settings]) == 0
    assert "look: at most" in capsys.readouterr().out
    # torchrun --nproc_per_node 1 hyvideo/generate.py FLAGS: the user names another program, flags stay.
    assert main(["run", "hy-worldplay", str(out)]) == 2
    assert "put your own in place of <model folder>, <action checkpoint>" in capsys.readouterr().err
    edit(out, lambda argv: [sys.executable, str(STANDIN), *(word.strip("<>") for word in argv[4:])])
    assert main(["run", "hy-worldplay", str(out), "--dry-run"]) == 0
    assert "3 videos, gen.mp4" in capsys.readouterr().out
    assert main(["run", "hy-worldplay", str(out), "--workers", "2"]) == 1
    said = capsys.readouterr()
    assert "2 generated, 0 kept, 1 failed" in said.out
    assert "pretended" in (out / "outputs/0001/look/seed0/log.txt").read_text()
    assert main(["run", "hy-worldplay", str(out), "--devices", "3"]) == 1
    assert "0 generated, 2 kept, 1 failed" in capsys.readouterr().out

    assert main(["collect", "hy-worldplay", str(out), "--revision", "r1"]) == 1
    assert "0001/look seed 0: missing: generation failed" in capsys.readouterr().err
    manifest = read_manifest(out / "rollouts.jsonl")
    assert not manifest.bad_lines
    assert [rollout.video.is_file() for rollout in manifest.rollouts] == [True, False, True]
    first = manifest.rollouts[0]
    assert (first.model, first.revision, first.fps, first.first_frame) == ("hy-worldplay", "r1", 24.0, 0)
    assert len(first.commanded_poses()) == 61
    assert first.scale_normalised is False


def test_list_shows_every_model_and_all_that_is_known_of_one(capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert all(f" {name} " in text for name in TABLE)
    assert main(["list", "gamecraft"]) == 0
    text = capsys.readouterr().out
    assert "--set units_per_metre=... (required)" in text
    for fact in adapter_class("gamecraft").spec.facts.inferred:
        assert f"inferred    {fact}" in text


def test_refusals_are_one_line_and_exit_with_2(listed, capsys, tmp_path):
    source, out = listed("p")
    for arguments, text in (
        (["export", "dreamx-world-memo", "--dataset", source, "--out", str(out)], "not released"),
        (["export", "lyra-2", "--dataset", source, "--out", str(out)], "lyra-2 needs --set units_per_metre"),
        (["export", "sana-wm", "--dataset", source, "--out", str(out), "--set", "x"], "expected NAME=VALUE"),
        (["run", "sana-wm", str(tmp_path / "none")], "export` first"),
        (["collect", "sana-wm", str(tmp_path / "none")], "export` first"),
        (["list", "hy"], "unknown adapter 'hy'"),
    ):
        assert main(arguments) == 2
        assert text in capsys.readouterr().err
    assert not (out / "export.json").exists()


def test_an_instance_that_cannot_be_converted_is_named_and_the_exit_code_says_so(listed, capsys):
    source, out = listed("p", script="hold 3f, forward 45f")
    assert main(["export", "hy-worldplay", "--dataset", source, "--out", str(out), "--set", "form=string"]) == 1
    assert "0000/look: the script begins with a hold" in capsys.readouterr().err


def test_it_runs_as_a_module_from_the_checkout():
    done = subprocess.run([sys.executable, "-m", "adapters", "list"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "hy-worldplay" in done.stdout


# --- the reference world reads every camera format ---

FORMATS = {
    "re10k": ("camera-re10k", "poses.txt", {}),
    "c2w": ("camera-c2w", "poses.npz", {}),
    "w2c": ("camera-w2c", "poses.npz", {"units_per_metre": "3"}),
    "opengl": ("camera-opengl", "transforms.json", {}),
    "lingbot": ("lingbot-world", "actions", {}),
    "hy": ("hy-worldplay", "pose.json", {}),
    "sana": ("sana-wm", "camera.npy", {}),
    "lyra": ("lyra-2", "trajectory.npz", {"units_per_metre": "0.17"}),
    "matrix-game-3.5": ("matrix-game-3.5", "camera.npz", {}),
    "wonderworld": ("wonderworld", "views.json", {"units_per_metre": "0.2", "client": "x"}),
    "alaya": ("alayaworld", "case_camera.pt", {"accept_inferred": "yes"}),
}


def test_every_format_that_the_reference_world_reads_is_tried():
    assert set(FORMATS) == set(READERS)


@pytest.fixture(scope="module")
def truth():
    """The scene rendered along the requested path, straight from the script."""
    from revisit_metric.controls import Renderer, available, build_scene

    usable, reason = available()
    if not usable:
        pytest.skip(reason)
    poses = integrate(parse_script(SCRIPT), **STEPS)
    scene = build_scene("living_room", 0)
    with Renderer(size=(160, 90)) as renderer:
        return poses, [renderer.render_rgb(scene, pose) for pose in poses]


@pytest.mark.parametrize("name", FORMATS)
def test_script_to_file_to_video_to_pairs(name, truth, listed):
    poses, frames = truth
    model, file, settings = FORMATS[name]
    source, out = listed("a room")
    chosen = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    assert main(["export", model, "--dataset", source, "--out", str(out), *chosen]) == 0
    record = json.loads((out / "inputs/0000/look/instance.json").read_text())
    length = record["n_frames"]
    arguments = ["--poses", str(out / "inputs/0000/look" / file), "--format", name, "--frames", str(length)]
    units = ["--units-per-metre", settings.get("units_per_metre", "1")]
    (out / "mine").mkdir()
    size = ["--width", "160", "--height", "90"]
    assert reference_world([*arguments, *units, *size, "--out", str(out / "mine/look.mp4")]) == 0
    assert main(["collect", model, str(out), "--videos", "mine/{trajectory}.mp4"]) == 0

    (rollout,) = read_manifest(out / "rollouts.jsonl").rollouts
    # Its pairs are those of the request, index for index: what was added at the end is held, and trimmed.
    pairs = sample_pairs(rollout.commanded_poses(), n_frames=length)
    wanted = sample_pairs(poses, n_frames=len(poses))
    assert pairs.revisit == wanted.revisit
    assert len(pairs.revisit) > 5
    assert pairs.baseline == wanted.baseline
    # Frame i shows pose i: of all views along the path, none is nearer to it than one from that very pose.
    read = read_frames(rollout.video, range(len(poses))).astype(int)
    for index in range(0, len(poses), 3):
        nearest = min(range(len(poses)), key=lambda j, i=index: np.abs(read[i] - frames[j]).mean())
        assert np.abs(poses[nearest] - poses[index]).max() < 1e-9, (index, nearest)


def test_the_default_command_of_a_plain_format_works_as_it_is(truth, listed, capsys):
    source, out = listed("a room", script="yaw_left 4f, yaw_right 4f")
    assert main(["export", "camera-opengl", "--dataset", source, "--out", str(out)]) == 0
    edit(out, lambda argv: argv)
    assert main(["run", "camera-opengl", str(out), "--seeds", "0"]) == 0
    assert main(["collect", "camera-opengl", str(out)]) == 0
    (rollout,) = read_manifest(out / "rollouts.jsonl").rollouts
    assert rollout.fps == 16.0
    assert len(read_frames(rollout.video, range(9))) == 9
