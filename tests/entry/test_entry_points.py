"""Functions, `evaluate.load` and the command line give the same numbers, and refuse what they do not know."""

import json
import os
import re
import subprocess
import sys

import pytest

from revisit_metric.cli import main
from revisit_metric.manifest import read_manifest
from revisit_metric.run import RESULT_NAME, evaluate_rollouts


@pytest.fixture(scope="module")
def by_function(small_rollouts):
    return evaluate_rollouts(read_manifest(small_rollouts).rollouts)


@pytest.fixture
def metric(hf_home, monkeypatch, project_root):
    import evaluate

    monkeypatch.chdir(project_root)
    return evaluate.load("./revisit_metric", cache_dir=str(hf_home))


def inputs(manifest):
    rollouts = read_manifest(manifest).rollouts
    predictions = [{"video": str(rollout.video), "model": "toy"} for rollout in rollouts]
    references = [{"instance_id": rollout.instance_id, "poses": rollout.commanded_poses()} for rollout in rollouts]
    return predictions, references


def measured(record):
    return json.dumps({key: record[key] for key in ("models", "rollouts", "profile", "settings")}, sort_keys=True)


def test_evaluate_gives_the_functions_numbers(metric, small_rollouts, by_function):
    predictions, references = inputs(small_rollouts)
    scores = metric.compute(predictions=predictions, references=references)
    assert measured(scores["result"]) == measured(by_function.to_dict())
    flat = by_function.flat_scores()
    assert {key: scores[key] for key in flat} == flat
    assert scores["overall"] is None
    assert scores["psnr_mg_partial"] > 0


def test_the_command_line_gives_the_functions_numbers(small_rollouts, by_function, tmp_path, capsys):
    assert main(["evaluate", str(small_rollouts), "--out", str(tmp_path)]) == 0
    assert measured(json.loads((tmp_path / RESULT_NAME).read_text())) == measured(by_function.to_dict())
    shown = capsys.readouterr().out
    assert "toy" in shown
    assert "sift_inlier" in shown
    assert "scored 2 of 2 rollouts" in shown


def test_adding_one_by_one_and_in_batches_is_the_same(metric, small_rollouts, by_function):
    predictions, references = inputs(small_rollouts)
    for prediction, reference in zip(predictions, references, strict=True):
        metric.add(prediction=prediction, reference=reference)
    assert measured(metric.compute()["result"]) == measured(by_function.to_dict())
    metric.add_batch(predictions=predictions, references=references)
    assert measured(metric.compute()["result"]) == measured(by_function.to_dict())


def test_paths_alone_and_templates_by_name(metric, small_rollouts):
    video = str(small_rollouts.parent / "0.mp4")
    scores = metric.compute(predictions=[video], references=[{"instance_id": "0001/out_and_back"}])
    assert scores["n_scored"] == 0
    assert scores["failures"][0]["cause"] == "too_few_frames"
    assert scores["psnr_nmr"] is None


def test_a_dataset_rows_other_keys_are_passed_over(metric, small_rollouts):
    predictions, references = inputs(small_rollouts)
    rows = [{**row, "poses": row["poses"].tolist(), "prompt": "a wall", "trajectory": 0} for row in references]
    assert metric.compute(predictions=predictions, references=rows)["n_scored"] == 2


def test_the_class_is_the_packages_own(metric):
    from revisit_metric.metric import RevisitMetric

    assert type(metric) is RevisitMetric
    assert type(metric).__module__ == "revisit_metric.metric"


def test_unknown_configs_and_arguments_are_refused(metric, small_rollouts, hf_home):
    import evaluate

    with pytest.raises(ValueError, match="unknown config 'typo'; known configs are default, revisit"):
        evaluate.load("./revisit_metric", "typo", cache_dir=str(hf_home))
    with pytest.raises(TypeError, match="unknown argument 'protocl'"):
        evaluate.load("./revisit_metric", protocl="paper", cache_dir=str(hf_home))
    predictions, references = inputs(small_rollouts)
    with pytest.raises(TypeError, match="profil"):
        metric.compute(predictions=predictions, references=references, profil="embedded")
    with pytest.raises(ValueError, match="unknown pair protocol 'papr'"):
        metric.compute(predictions=predictions, references=references, protocol="papr")


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([{"vidoe": "a.mp4"}], ["0001/out_and_back"], "neither a video path nor a dict with 'video'"),
        ([{"video": "a.mp4", "sed": 1}], ["0001/out_and_back"], "unknown key 'sed'"),
        (["a.mp4"], [{"id": 1}], "dict with 'instance_id'"),
        ("a.mp4", ["0001/out_and_back"], "predictions is a single str"),
        (None, ["0001/out_and_back"], "predictions are missing"),
    ],
)
def test_malformed_inputs_say_what_is_wrong(metric, predictions, references, message):
    with pytest.raises(ValueError, match=message):
        metric.add_batch(predictions=predictions, references=references)


def test_evaluate_load_from_another_folder(tmp_path, project_root, small_rollouts):
    script = tmp_path / "loop.py"
    script.write_text(
        "import evaluate\n"
        f"metric = evaluate.load({str(project_root / 'revisit_metric')!r})\n"
        f"scores = metric.compute(predictions=[{str(small_rollouts.parent / '0.mp4')!r}], "
        "references=['wall0/out_and_back'], allow_short=True)\n"
        "print(scores['n_scored'], type(metric).__module__)\n"
    )
    environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "PYTHONPATH": str(project_root)}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip().endswith("1 revisit_metric.metric"), done.stderr


def test_exit_codes(small_rollouts, tmp_path, capsys):
    assert main(["evaluate", str(tmp_path / "none.jsonl")]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["evaluate", str(small_rollouts), "--protocol", "offical", "--out", str(tmp_path)]) == 2
    broken = small_rollouts.parent / "broken.jsonl"
    broken.write_text(small_rollouts.read_text() + '{"instance_id": "x/closed_loop", "video": "no.mp4"}\nnonsense\n')
    assert main(["evaluate", str(broken), "--out", str(tmp_path / "out")]) == 1
    shown = capsys.readouterr().out
    assert "scored 2 of 4 rollouts" in shown
    assert "missing 1" in shown
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", str(small_rollouts), "--protocl", "paper"])
    assert stopped.value.code == 2


def test_the_action_valid_subset_is_shown_beside_all(small_rollouts, tmp_path, capsys):
    valid = tmp_path / "realized.json"
    valid.write_text(json.dumps({"subsets": {"valid": ["toy/wall1/slide/seed0"]}}))
    command = ["evaluate", str(small_rollouts), "--out", str(tmp_path), "--valid-subset", str(valid)]
    assert main(command) == 0
    assert "action-valid subset: 1 of 2 rollouts" in capsys.readouterr().out
    subset = json.loads((tmp_path / "result-action-valid.json").read_text())
    assert [block["instance_id"] for block in subset["rollouts"]] == ["wall1/slide"]
    assert subset["run"]["decoded_frames"] == 0
    assert json.loads((tmp_path / RESULT_NAME).read_text())["n_scored"] == 2
    valid.write_text("[]")
    assert main(command) == 2
    assert "r2m realized --out" in capsys.readouterr().err


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for command in ("evaluate", "report", "render", "demo", "weights", "doctor", "check", "estimate"):
        assert re.search(rf"^ +{command} ", shown, re.MULTILINE), command


def test_doctor_says_what_is_there(capsys):
    assert main(["doctor"]) in (0, 1)
    shown = capsys.readouterr().out
    for word in ("torch", "lpips_alex", "embedded", "paper", "offline renderer"):
        assert word in shown
