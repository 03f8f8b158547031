"""The README's code runs as it stands."""

import json
import os
import re
import subprocess
import sys

import pytest

from revisit_metric.controls import renderer
from revisit_metric.controls.faults import parse_fault
from revisit_metric.controls.layouts import build_scene
from revisit_metric.controls.rollout import render_rollout
from revisit_metric.templates import template
from revisit_metric.video import write_video


@pytest.fixture(scope="module")
def blocks(project_root):
    return re.findall(r"```python\n(.*?)```", (project_root / "README.md").read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, project_root):
    """A working folder with a rendered rollout, a manifest that names it, and one scene of the open dataset."""
    available, reason = renderer.available()
    if not available:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("readme")
    frames = render_rollout(
        build_scene("living_room", 1), template("out_and_back").poses(), size=(128, 72), fault=parse_fault("perfect")
    )
    write_video(folder / "rollout.mp4", frames, fps=16)
    row = {"instance_id": "0001/out_and_back", "video": "rollout.mp4"}
    (folder / "rollouts.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "revisit_metric").symlink_to(project_root / "revisit_metric")
    done = run(
        [sys.executable, "-m", "dataset_builder", "build", "--config", "open", "--out", "data"], folder, project_root
    )
    assert done.returncode == 0, done.stderr
    return folder


def run(command, folder, project_root):
    environment = {**os.environ, "HF_HOME": str(folder / "hf"), "PYTHONPATH": str(project_root)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_loop_with_dataset_and_metric(blocks, folder, project_root):
    code = next(block for block in blocks if "load_dataset" in block).replace("DATASET_FOLDER", "data")
    done = run([sys.executable, "-c", code], folder, project_root)
    assert done.returncode == 0, done.stderr
    gain, ratio, failures = done.stdout.split(maxsplit=2)
    assert float(gain) > 1
    assert float(ratio) > 0.5
    assert failures.strip() == "[]"


def test_the_functions(blocks, folder, project_root):
    code = next(block for block in blocks if "evaluate_rollouts" in block)
    done = run([sys.executable, "-c", code + "\nprint(result.to_dict()['n_scored'])"], folder, project_root)
    assert done.stdout.strip() == "1", done.stderr


def test_every_command_the_readme_names_exists(project_root):
    text = (project_root / "README.md").read_text()
    named = set(re.findall(r"`r2m (\w+)", text)) | set(re.findall(r"^r2m (\w+)", text, re.MULTILINE))
    done = subprocess.run(
        [sys.executable, "-c", "from revisit_metric.cli import main; main(['--help'])"],
        cwd=project_root,
        capture_output=True,
        text=True,
        check=False,
    )
    for command in named:
        assert re.search(rf"^ +{command} ", done.stdout, re.MULTILINE), command
    assert len(named) >= 9
