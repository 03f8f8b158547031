"""Running commands: placeholders, devices, resuming, failures; and the manifest that comes of it."""

import json
import os
import sys
import time

import numpy as np
import pytest
from PIL import Image

from adapters import load_adapter
from adapters.export import export
from adapters.folder import locked
from adapters.generation import filled, plan, run
from adapters.instances import instance_from_row
from revisit_metric.video import write_video

# Writes its arguments, its device and a file that passes for a video; fails for instances named after a failure.
PROGRAM = """
import os, sys, time, pathlib
out, seed, prompt = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
print("device", os.environ.get("CUDA_VISIBLE_DEVICES"), "mode", os.environ.get("MODE"), flush=True)
if "fail" in prompt:
    sys.exit(3)
if "hang" in prompt:
    time.sleep(60)
if "silent" not in prompt:
    (out / "a.mp4").write_text(prompt + seed)
if "twice" in prompt:
    (out / "b.mp4").write_text("b")
"""


@pytest.fixture
def exported(tmp_path):
    Image.new("RGB", (64, 36)).save(tmp_path / "view.png")
    out = tmp_path / "out"
    (out / "images").mkdir(parents=True)

    def make(*prompts, script="right 12f, left 12f"):
        rows = [
            {"instance_id": f"{k}/there", "image": "view.png", "prompt": prompt, "script": script}
            | {"metres_per_frame": 0.1, "degrees_per_frame": 1.0}
            for k, prompt in enumerate(prompts)
        ]
        instances = [instance_from_row(row, folder=tmp_path, images=out / "images") for row in rows]
        options = {"units_per_metre": "2"}
        export("camera-c2w", load_adapter("camera-c2w", options), instances, out, options=options)
        edit(out, argv=[sys.executable, "-c", PROGRAM, "{out}", "{seed}", "{prompt}"], video="*.mp4")
        return out

    return make


def edit(out, **changes):
    record = json.loads((out / "command.json").read_text())
    (out / "command.json").write_text(json.dumps({**record, **changes}))


def states(outcomes):
    return [outcome.state for outcome in outcomes]


def test_placeholders():
    values = {"keys": ["w", "s"], "seed": 3, "prompt": "{not} a placeholder"}
    assert filled(["x", "{keys}", "--p={prompt}", "{{}}"], values) == ("x", "w", "s", "--p={not} a placeholder", "{}")
    for bad in ("{sed}", "{", "k={keys}", "{0}"):
        with pytest.raises(ValueError, match=r"known are \{keys\}, \{seed\}, \{prompt\}"):
            filled([bad], values)


def test_a_failed_instance_is_recorded_and_the_rest_goes_on(exported):
    out = exported("one", "please fail", "silent", "twice")
    outcomes = run(out, "camera-c2w", seeds=(0, 5))
    assert states(outcomes) == ["generated"] * 2 + ["failed"] * 6
    assert "exit code 3; see" in outcomes[2].cause
    assert "no video '*.mp4'" in outcomes[4].cause
    assert "several videos fit '*.mp4': a.mp4, b.mp4" in outcomes[6].cause
    marker = json.loads((out / "outputs/1/there/seed5/done.json").read_text())
    assert (marker["ok"], marker["exit_code"], marker["video"]) == (False, 3, None)
    good = json.loads((out / "outputs/0/there/seed5/done.json").read_text())
    assert (out / "outputs/0/there/seed5" / good["video"]).read_text() == "one5"
    assert good["argv"][-2:] == ["5", "one"]


def test_a_rerun_makes_only_what_is_missing_or_has_changed(exported):
    out = exported("one", "two", "please fail")
    run(out, "camera-c2w")
    assert states(run(out, "camera-c2w")) == ["kept", "kept", "failed"]
    (out / "outputs/0/there/seed0/a.mp4").write_text("damaged")
    (out / "outputs/1/there/seed0/done.json").write_text("{")
    assert states(run(out, "camera-c2w")) == ["generated", "generated", "failed"]
    (out / "inputs/1/there/prompt.txt").write_text("changed input")
    assert states(run(out, "camera-c2w")) == ["kept", "generated", "failed"]
    edit(out, env={"MODE": "b"})
    assert states(run(out, "camera-c2w")) == ["generated", "generated", "failed"]
    assert "mode b" in (out / "outputs/0/there/seed0/log.txt").read_text()


def test_exporting_again_keeps_the_edited_command_and_what_was_generated(exported):
    out = exported("one")
    run(out, "camera-c2w")
    edited = (out / "command.json").read_text()
    exported("one")
    assert json.loads((out / "command.json").read_text()) == json.loads(edited)
    assert states(run(out, "camera-c2w")) == ["kept"]


def test_other_options_renew_a_command_that_nobody_edited_and_report_one_that_somebody_did(tmp_path):
    def again(options):
        return export("hy-worldplay", load_adapter("hy-worldplay", options), [], tmp_path, options=options).command

    def pose():
        argv = json.loads((tmp_path / "command.json").read_text())["argv"]
        return argv[argv.index("--pose") + 1]

    assert again({}) == "new"
    assert again({}) == "kept"
    assert again({"form": "string"}) == "new"
    assert pose() == "{pose}"
    edit(tmp_path, cwd="/somewhere")
    assert again({"form": "string"}) == "kept"
    assert again({"form": "json"}) == "outdated"
    assert pose() == "{pose}"
    assert "{inputs}/pose.json" in json.loads((tmp_path / "export.json").read_text())["command"]["argv"]


def test_every_worker_has_its_own_device(exported):
    out = exported(*["one"] * 6)
    seen = []
    run(out, "camera-c2w", devices=["0", "1,2"], on_outcome=seen.append)
    logs = {(out / f"outputs/{k}/there/seed0/log.txt").read_text().split()[1] for k in range(6)}
    assert logs == {"0", "1,2"}
    assert len(seen) == 6


def test_a_hanging_program_is_ended(exported):
    out = exported("hang")
    started = time.monotonic()
    (outcome,) = run(out, "camera-c2w", timeout_s=1.0)
    assert outcome.cause == "not finished after 1 s"
    assert time.monotonic() - started < 20


def test_an_interrupted_run_leaves_no_process_behind(exported, monkeypatch):
    from adapters import generation

    out = exported("one", "hang")
    children = []
    begin = generation.subprocess.Popen
    monkeypatch.setattr(generation.subprocess, "Popen", lambda *a, **k: children.append(begin(*a, **k)) or children[-1])

    def interrupt(outcome):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(out, "camera-c2w", devices=["0", "1"], on_outcome=interrupt)
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child.pid, 0)
    assert states(run(out, "camera-c2w", timeout_s=1.0))[0] == "kept"


def test_a_program_that_is_not_there(exported):
    out = exported("one")
    edit(out, argv=["no-such-program-at-all", "{out}"])
    (outcome,) = run(out, "camera-c2w")
    assert "cannot start 'no-such-program-at-all'" in outcome.cause
    with pytest.raises(ValueError, match="every seed would give the same video"):
        plan(out, "camera-c2w", seeds=(0, 1))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"argv": "run {image}"}, "'argv' is 'run {image}', expected a list of texts"),
        ({"video": ""}, "'video' is ''"),
        ({"env": {"A": 1}}, "'env' is"),
        ({"cwd": 3}, "'cwd' is 3"),
        ({"shell": True}, "unknown key 'shell'"),
    ],
)
def test_a_command_that_was_edited_badly(change, match, exported):
    out = exported("one")
    edit(out, **change)
    with pytest.raises(ValueError, match=match):
        plan(out, "camera-c2w", seeds=(0,))


def test_another_models_folder_is_refused(exported, tmp_path):
    out = exported("one")
    with pytest.raises(ValueError, match="was exported for 'camera-c2w', not for 'sana-wm'"):
        plan(out, "sana-wm", seeds=(0,))
    with pytest.raises(ValueError, match="holds an export for 'camera-c2w'"):
        export("sana-wm", load_adapter("sana-wm"), [], out, options={})
    with pytest.raises(ValueError, match="run `python -m adapters export` first"):
        plan(tmp_path / "nothing", "sana-wm", seeds=(0,))


def film(path, n_frames, fps):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_video(path, np.zeros((n_frames, 36, 64, 3), np.uint8), fps=fps)


def test_collecting_reads_the_rate_counts_frames_and_keeps_missing_videos(exported):
    out = exported("a", "b", "c", "d")
    for k, (frames, fps) in enumerate([(25, 12), (24, 16)]):
        film(out / f"v/{k}_there_7.mp4", frames, fps)
    (out / "v/2_there_7.mp4").write_text("no video")
    adapter = load_adapter("camera-c2w", {"units_per_metre": "2"})
    rows, findings, _ = adapter.collect(out, seeds=(7,), videos="v/{scene_id}_{trajectory}_{seed}.mp4")
    assert [row.get("fps") for row in rows] == [12.0, 16.0, None, None]
    assert [row["instance_id"] for row in rows] == ["0/there", "1/there", "2/there", "3/there"]
    assert rows[0]["first_frame"] == 0
    assert rows[0]["seed"] == 7
    assert rows[0]["poses"].startswith("poses/there-")
    assert "1/there seed 7: 24 frames, the path has 25" in findings[0]
    assert "2/there seed 7: unreadable" in findings[1]
    assert findings[2] == "3/there seed 7: missing: v/3_there_7.mp4 does not exist"
    assert len(findings) == 3
    with pytest.raises(ValueError, match=r"known are \{instance_id\}"):
        adapter.collect(out, seeds=(7,), videos="{scene}.mp4")


def test_collecting_says_what_was_not_generated(exported):
    out = exported("one", "please fail", "two")
    film(out / "film.mp4", 25, 16)
    program = "import shutil, sys; 'fail' in sys.argv[2] and sys.exit(1); shutil.copy(sys.argv[3], sys.argv[1])"
    edit(out, argv=[sys.executable, "-c", program, "{out}/a.mp4", "{prompt}", str(out / "film.mp4")])
    run(out, "camera-c2w")
    (out / "outputs/2/there/seed0/a.mp4").unlink()
    rows, findings, _ = load_adapter("camera-c2w").collect(out, seeds=(0, 1))
    assert len(rows) == 6
    assert rows[0]["video"] == "outputs/0/there/seed0/a.mp4"
    assert "0/there seed 1: missing: not generated" in findings[0]
    assert "1/there seed 0: missing: generation failed: exit code 1" in findings[1]
    assert "2/there seed 0: missing: " in findings[3]


def test_a_video_of_an_earlier_export_is_not_paired_with_the_new_path(exported):
    out = exported("one")
    film(out / "film.mp4", 25, 16)
    program = "import shutil, sys; shutil.copy(sys.argv[2], sys.argv[1])"
    edit(out, argv=[sys.executable, "-c", program, "{out}/a.mp4", str(out / "film.mp4")])
    run(out, "camera-c2w")
    assert load_adapter("camera-c2w").collect(out).findings == []
    exported("one", script="right 10f, left 14f")
    rows, findings, _ = load_adapter("camera-c2w").collect(out)
    assert "exported anew since it was generated" in findings[0]
    assert rows[0]["video"].endswith("no_video.mp4")


def test_two_runs_in_one_folder_are_refused(exported):
    out = exported("one")
    with locked(out), pytest.raises(ValueError, match="another run is at work there"):
        run(out, "camera-c2w")
    assert states(run(out, "camera-c2w")) == ["generated"]


def test_an_instance_that_cannot_be_exported_still_counts(tmp_path, exported):
    out = exported("one")
    Image.new("RGB", (64, 36)).save(tmp_path / "view.png")
    row = {"instance_id": "x/poses", "image": "view.png", "prompt": "p", "poses": np.eye(4)[None].tolist()}
    instance = instance_from_row(row, folder=tmp_path, images=out / "images")
    other = tmp_path / "other"
    (other / "images").mkdir(parents=True)
    adapter = load_adapter("dreamx-world")
    done = export("dreamx-world", adapter, [instance], other, options={})
    assert "poses alone" in done.failures["x/poses"]
    rows, findings, _ = adapter.collect(other)
    assert [row["instance_id"] for row in rows] == ["x/poses"]
    assert "was not exported" in findings[0]
