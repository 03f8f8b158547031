"""The run on real encoded video: values, resume, bad input, budgets."""

import json
import shutil

import numpy as np
import pytest

from revisit_metric.families.appearance import psnr, ssim
from revisit_metric.manifest import read_manifest, rollout_from_row
from revisit_metric.pairs import sample_pairs
from revisit_metric.profiles import PROFILES
from revisit_metric.run import JOURNAL_NAME, RESULT_NAME, Settings, evaluate_rollouts
from revisit_metric.video import read_frames, write_video

SETTINGS = Settings()


@pytest.fixture(scope="module")
def scored(small_rollouts, tmp_path_factory):
    out = tmp_path_factory.mktemp("scored")
    return out, evaluate_rollouts(read_manifest(small_rollouts).rollouts, SETTINGS, out=out)


def lines(out, kind):
    every = [json.loads(line) for line in (out / JOURNAL_NAME).read_text().splitlines()]
    return [line for line in every if line["kind"] == kind]


def test_every_pair_value_is_the_functions_value_on_the_decoded_frames(small_rollouts, scored):
    out, _ = scored
    rollout = read_manifest(small_rollouts).rollouts[0]
    pairs = sample_pairs(rollout.commanded_poses())
    frames = read_frames(rollout.video, range(61))
    (line,) = [line for line in lines(out, "scores") if line["score"] == "psnr" and "wall0" in line["rollout_id"]]
    assert line["metrics"]["psnr"]["revisit"] == [psnr(frames[i], frames[j]) for i, j in pairs.revisit]
    (line,) = [line for line in lines(out, "scores") if line["score"] == "ssim" and "wall0" in line["rollout_id"]]
    expected = [ssim(frames[i], frames[j]) for i, j in pairs.baseline]
    np.testing.assert_allclose(line["metrics"]["ssim"]["baseline"], expected, rtol=0, atol=1e-12)


def test_a_wall_that_is_remembered_is_remembered(scored):
    _, result = scored
    record = result.to_dict()
    assert record["n_expected"] == record["n_scored"] == 2
    for block in record["rollouts"]:
        for name, metric in block["metrics"].items():
            assert metric["mg"] > 0, name
    summary = record["models"]["toy"]
    assert summary["overall"] is None
    assert "object: no metric in this profile" in summary["overall_partial"]["missing"]
    assert summary["families"]["state"] == {"nmr": None, "partial": None, "reason": "no metric in this profile"}


def test_the_result_is_recomputed_from_the_journal_alone(small_rollouts, scored, tmp_path):
    out, result = scored
    shutil.copytree(out, tmp_path / "again")
    again = evaluate_rollouts(read_manifest(small_rollouts).rollouts, SETTINGS, out=tmp_path / "again")
    assert again.to_dict()["run"]["decoded_frames"] == 0
    assert without_run(again) == without_run(result)
    assert json.loads((out / RESULT_NAME).read_text()) == result.to_dict()


def without_run(result):
    return json.dumps({key: value for key, value in result.to_dict().items() if key != "run"}, sort_keys=True)


@pytest.mark.parametrize("options", [{"batch_size": 1}, {"batch_size": 5, "memory_mib": 1}])
def test_batches_and_memory_change_no_bit(small_rollouts, scored, options):
    result = evaluate_rollouts(read_manifest(small_rollouts).rollouts, Settings(**options))
    assert without_run(result) == without_run(scored[1])
    assert options.get("memory_mib", 9999) * 2**20 + 2**20 > result.to_dict()["run"]["peak_cache_bytes"]


def test_a_killed_run_scores_only_what_is_missing(small_rollouts, scored, tmp_path):
    out, result = scored
    kept = (out / JOURNAL_NAME).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL_NAME).write_bytes(b"".join(kept[:4]) + kept[4][:50])
    again = evaluate_rollouts(read_manifest(small_rollouts).rollouts, SETTINGS, out=tmp_path)
    assert without_run(again) == without_run(result)
    assert again.to_dict()["run"]["journal_lines_unreadable"] == 1
    assert len(lines_tolerant(tmp_path)) == len(kept) + 1  # the torn line


def lines_tolerant(out):
    return (out / JOURNAL_NAME).read_bytes().splitlines()


def test_another_video_under_the_same_name_is_scored_anew(small_rollouts, scored, tmp_path):
    out, _ = scored
    shutil.copytree(small_rollouts.parent, tmp_path / "rollouts")
    shutil.copytree(out, tmp_path / "out")
    shutil.copy(tmp_path / "rollouts" / "1.mp4", tmp_path / "rollouts" / "0.mp4")
    manifest = read_manifest(tmp_path / "rollouts" / "rollouts.jsonl")
    record = evaluate_rollouts(manifest.rollouts, SETTINGS, out=tmp_path / "out").to_dict()
    first, second = record["rollouts"]
    assert first["metrics"] == second["metrics"]


def row(folder, name, **keys):
    return rollout_from_row(
        {
            "instance_id": f"{name}/slide",
            "video": name,
            "script": "right 30f, left 30f",
            "metres_per_frame": 0.1,
            **keys,
        },
        folder=folder,
    )


def test_bad_rollouts_are_listed_with_their_cause_and_the_rest_is_scored(small_rollouts, tmp_path):
    good = small_rollouts.parent / "0.mp4"
    frames = read_frames(good, range(61))
    (tmp_path / "zero.mp4").write_bytes(b"")
    (tmp_path / "text.mp4").write_text("this is no video\n" * 20)
    (tmp_path / "cut.mp4").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    write_video(tmp_path / "short.mp4", frames[:40], fps=16)
    write_video(tmp_path / "long.mp4", np.concatenate([frames, frames[:9]]), fps=16)
    shutil.copy(good, tmp_path / "vidéo #1 100%.mp4")
    np.save(tmp_path / "nan.npy", np.full((61, 4, 4), np.nan))
    rollouts = [
        row(tmp_path, "missing.mp4"),
        row(tmp_path, "zero.mp4"),
        row(tmp_path, "text.mp4"),
        row(tmp_path, "cut.mp4"),
        row(tmp_path, "short.mp4"),
        row(tmp_path, "long.mp4"),
        row(tmp_path, "vidéo #1 100%.mp4"),
        row(tmp_path, "long.mp4", script=None, metres_per_frame=None, poses="nan.npy", seed=1),
        row(tmp_path, "long.mp4", script="fly 9f", seed=2),
        row(tmp_path, "long.mp4", script=None, metres_per_frame=None, instance_id="x/nowhere"),
    ]
    result = evaluate_rollouts(rollouts, SETTINGS, out=tmp_path / "out")
    record = result.to_dict()
    causes = {failure["rollout_id"].partition("/")[2]: failure["cause"] for failure in record["failures"]}
    assert causes == {
        "missing.mp4/slide/seed0": "missing",
        "zero.mp4/slide/seed0": "empty",
        "text.mp4/slide/seed0": "not_a_video",
        "cut.mp4/slide/seed0": causes["cut.mp4/slide/seed0"],
        "short.mp4/slide/seed0": "too_few_frames",
        "long.mp4/slide/seed1": "bad_trajectory",
        "long.mp4/slide/seed2": "bad_trajectory",
        "x/nowhere/seed0": "bad_trajectory",
    }
    assert causes["cut.mp4/slide/seed0"] in ("not_a_video", "truncated")
    assert (record["n_expected"], record["n_scored"], result.complete) == (10, 2, False)
    by_id = {block["instance_id"]: block for block in record["rollouts"]}
    assert "9 frames after the last pose take no part" in by_id["long.mp4/slide"]["video"]["notes"]
    assert len(lines(tmp_path / "out", "failure")) == 8


def test_a_change_of_size_on_the_way_is_a_failure(tmp_path):
    # Two mp4 files cannot simply be joined; an elementary stream can.
    import av

    with av.open(str(tmp_path / "mixed.ts"), "w") as container:
        stream = container.add_stream("mpeg2video", rate=16)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(20):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")))
        container.mux(stream.encode())
    with av.open(str(tmp_path / "b.ts"), "w") as container:
        stream = container.add_stream("mpeg2video", rate=16)
        stream.width, stream.height, stream.pix_fmt = 80, 48, "yuv420p"
        for _ in range(60):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((48, 80, 3), np.uint8), format="rgb24")))
        container.mux(stream.encode())
    joined = (tmp_path / "mixed.ts").read_bytes() + (tmp_path / "b.ts").read_bytes()
    (tmp_path / "mixed.ts").write_bytes(joined)
    record = evaluate_rollouts([row(tmp_path, "mixed.ts")], SETTINGS).to_dict()
    assert record["failures"][0]["cause"] in ("frame_size_changed", "corrupt_frames")
    assert record["n_scored"] == 0


def test_short_videos_are_scored_only_when_asked(small_rollouts, tmp_path):
    frames = read_frames(small_rollouts.parent / "0.mp4", range(55))
    write_video(tmp_path / "short.mp4", frames, fps=16)
    rollouts = [row(tmp_path, "short.mp4")]
    assert evaluate_rollouts(rollouts, SETTINGS).to_dict()["n_scored"] == 0
    allowed = evaluate_rollouts(rollouts, Settings(allow_short=True)).to_dict()
    assert allowed["n_scored"] == 1
    assert allowed["rollouts"][0]["pairs"]["n_frames"] == 55
    assert allowed["settings"]["allow_short"] is True


def test_first_frame_shifts_what_is_read(small_rollouts, scored, tmp_path):
    frames = read_frames(small_rollouts.parent / "0.mp4", range(61))
    write_video(tmp_path / "late.mp4", np.concatenate([np.zeros_like(frames[:3]), frames]), fps=16, lossless=True)
    late = evaluate_rollouts([row(tmp_path, "late.mp4", first_frame=3)], SETTINGS).to_dict()["rollouts"][0]
    assert late["metrics"]["psnr"]["mg"] == pytest.approx(scored[1].to_dict()["rollouts"][0]["metrics"]["psnr"]["mg"])


def test_a_static_video_is_no_success(tmp_path):
    still = np.random.default_rng(0).integers(0, 255, (96, 160, 3)).astype(np.uint8)
    write_video(tmp_path / "still.mp4", np.repeat(still[None], 61, 0), fps=16)
    record = evaluate_rollouts([row(tmp_path, "still.mp4")], SETTINGS, out=tmp_path / "out").to_dict()
    metrics = record["rollouts"][0]["metrics"]
    labels = {name: metric["diagnosis"]["label"] for name, metric in metrics.items()}
    assert set(labels.values()) <= {"weak_regime", "invalid_normalisation"}, labels
    assert any("capped" in note for note in metrics["psnr"]["notes"])
    text = (tmp_path / "out" / RESULT_NAME).read_text() + (tmp_path / "out" / JOURNAL_NAME).read_text()
    assert "Infinity" not in text
    assert "NaN" not in text


def test_the_paper_protocol_says_when_it_has_no_baseline(tmp_path, small_rollouts):
    rollouts = read_manifest(small_rollouts).rollouts[:1]
    block = evaluate_rollouts(rollouts, Settings(protocol="paper")).to_dict()["rollouts"][0]
    assert block["pairs"]["n_baseline"] == 0
    assert "Eq. 2 excludes every candidate" in block["pairs"]["notes"][0]
    assert block["metrics"]["psnr"]["mg"] is None
    assert "no baseline pairs" in block["metrics"]["psnr"]["reason"]


def test_missing_weights_leave_their_metrics_missing_and_nothing_else(small_rollouts, tmp_path, monkeypatch):
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(tmp_path / "none"))
    result = evaluate_rollouts(read_manifest(small_rollouts).rollouts[:1], Settings(offline=True))
    record = result.to_dict()
    assert set(record["missing_metrics"]) == {"lpips", "alexnet_pool"}
    assert "r2m weights fetch" in record["missing_metrics"]["lpips"]
    assert set(record["rollouts"][0]["metrics"]) == {"psnr", "ssim", "sift_match", "sift_inlier"}
    assert not result.complete
    assert record["models"]["toy"]["families"]["appearance"]["nmr"] is None


def test_an_infinite_bound_is_null_in_the_record(scored):
    profile = scored[1].to_dict()["profile"]
    assert profile["name"] in PROFILES
    for score in profile["scores"].values():
        for metric in score["metrics"].values():
            assert all(bound is None or np.isfinite(bound) for bound in metric["bounds"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": "offical"}, "unknown pair protocol 'offical'"),
        ({"memory_mib": 0}, "memory_mib is 0"),
        ({"batch_size": 0}, "batch_size is 0"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        Settings(**options)


def test_the_same_rollout_twice_is_refused(small_rollouts):
    rollout = read_manifest(small_rollouts).rollouts[0]
    with pytest.raises(ValueError, match="given twice"):
        evaluate_rollouts([rollout, rollout])
