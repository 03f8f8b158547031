"""The delivery gate: one small video for every finding, and clean deliveries without any."""

import argparse
import json

import numpy as np
import pytest
from PIL import Image

from revisit_metric.cli.check import add_commands
from revisit_metric.delivery import Finding, check_delivery
from revisit_metric.delivery.images import InstanceError, InstanceImages, read_instance_images
from revisit_metric.delivery.overlay import constant_overlay
from revisit_metric.delivery.rollout import similarity
from revisit_metric.delivery.scan import scan_video, still_tail
from revisit_metric.manifest import Manifest, read_manifest
from revisit_metric.video import write_video

N = 41
SIZE = (192, 144)
SCRIPT = {"script": "right 20f, left 20f", "metres_per_frame": 0.1}


def world(seed=0, *, n=N, size=SIZE, shift=3, frozen_from=None):
    """A camera that slides along a smooth wall and back; `frozen_from` repeats that frame to the end."""
    width, height = size
    rng = np.random.default_rng(seed)
    wall = np.kron(rng.uniform(0, 255, (height // 12 + 1, (width + shift * n) // 12 + 2, 3)), np.ones((12, 12, 1)))
    frames = []
    for frame in range(n):
        at = shift * min(frame, n - 1 - frame)
        frames.append(wall[:height, at : at + width].astype(np.uint8))
    if frozen_from is not None:
        frames[frozen_from:] = [frames[frozen_from]] * (n - frozen_from)
    return frames


def keys(frames):
    """Two outlined keys near the lower left corner."""
    drawn = []
    for frame in frames:
        image = frame.copy()
        for left in (10, 34):
            image[110:130, left : left + 20] = 235
            image[114:126, left + 4 : left + 16] = 30
        drawn.append(image)
    return drawn


@pytest.fixture
def delivery(tmp_path):
    """Collects rollouts and gives the manifest."""

    class Delivery:
        def __init__(self):
            self.path = tmp_path / "rollouts.jsonl"
            self.rows = []

        def add(self, name, frames, *, fps=16, **more):
            if frames is not None:
                write_video(tmp_path / f"{len(self.rows)}.mp4", frames, fps=fps)
            row = {"instance_id": name, "video": f"{len(self.rows)}.mp4", "model": "toy", "fps": 16, **SCRIPT}
            self.rows.append({**row, **more})
            self.path.write_text("".join(json.dumps(row) + "\n" for row in self.rows))

        def findings(self, **more):
            return check_delivery(read_manifest(self.path), **more)

        def codes(self, **more):
            return [finding.code for finding in self.findings(**more)]

    return Delivery()


def test_a_clean_delivery_has_no_finding(delivery):
    delivery.add("a/slide", world(0))
    delivery.add("b/slide", world(1))
    images = {"a/slide": world(0)[0], "b/slide": world(1)[0]}
    assert delivery.findings(instances=images, expected=["a/slide", "b/slide"]) == []


def test_every_finding_says_how_to_fix_it(delivery):
    delivery.add("a/slide", None)
    (finding,) = delivery.findings()
    assert finding == Finding("error", "missing", "toy/a/slide/seed0", finding.message, finding.fix)
    assert "there is no such file" in finding.message
    assert "relative to the manifest's folder" in finding.fix
    assert set(finding.to_dict()) == {"severity", "code", "rollout_id", "message", "fix"}


def test_a_file_that_is_no_video(delivery):
    delivery.add("a/slide", None)
    delivery.path.with_name("0.mp4").write_text("<html>not found</html>")
    assert delivery.codes() == ["not_a_video"]


def test_too_few_frames_are_an_error_and_surplus_ones_a_warning(delivery):
    delivery.add("a/slide", world(0)[:-3])
    delivery.add("b/slide", [*world(1), *world(1)[:2]])
    short, surplus = delivery.findings()
    assert (short.severity, short.code) == ("error", "too_few_frames")
    assert short.message == "38 frames from frame 0 on, the command has 41 poses"
    assert (surplus.severity, surplus.code) == ("warning", "surplus_frames")


def test_frames_are_counted_from_the_first_frame(delivery):
    delivery.add("a/slide", [world(0)[0]] * 2 + world(0), first_frame=2)
    delivery.add("b/slide", world(1), first_frame=2)
    assert delivery.codes(instances={"a/slide": world(0)[0]}) == ["too_few_frames"]


def test_a_file_that_is_cut_short(delivery):
    delivery.add("a/slide", world(0))
    file = delivery.path.with_name("0.mp4")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert set(delivery.codes()) == {"truncated"}


def test_another_rate_than_the_manifests(delivery):
    delivery.add("a/slide", world(0), fps=24)
    (finding,) = delivery.findings()
    assert finding.code == "fps_differs"
    assert "24 frames a second, the manifest says 16" in finding.message


def test_another_size_than_the_models_other_rollouts(delivery):
    delivery.add("a/slide", world(0))
    delivery.add("b/slide", world(1, size=(160, 144)))
    delivery.add("c/slide", world(2))
    delivery.add("a/slide", world(0, size=(160, 144)), model="other")
    (finding,) = (finding for finding in delivery.findings() if finding.code == "size_differs")
    assert finding.rollout_id == "toy/b/slide/seed0"
    assert "2 of 3 rollouts of toy have 192x144" in finding.message


def test_tiny_frames(delivery):
    delivery.add("a/slide", world(0, size=(96, 64)))
    assert delivery.codes() == ["tiny_frames"]


def test_a_static_video_is_an_error_only_while_the_command_moves(delivery):
    delivery.add("a/slide", [world(0)[0]] * N)
    delivery.add("b/rest", [world(1)[0]] * N, script="hold 40f", metres_per_frame=None)
    (finding,) = delivery.findings()
    assert (finding.severity, finding.code) == ("error", "static_video")
    assert "moves 4.0 m and turns 0 degrees" in finding.message


def test_a_frozen_tail(delivery):
    delivery.add("a/slide", world(0, frozen_from=12))
    (finding,) = delivery.findings()
    assert (finding.severity, finding.code) == ("warning", "frozen_tail")
    assert finding.message.startswith("the last 29 of 41 frames show the same picture")


def test_the_length_of_a_still_tail():
    values = np.array([0, 40, 80, 120, 120, 120], np.float32)
    assert still_tail(values[:, None, None] * np.ones((1, 36, 64), np.float32)) == 3


def test_a_first_frame_of_another_scene(delivery):
    delivery.add("a/slide", world(0))
    (finding,) = delivery.findings(instances={"a/slide": world(5)[0], "z/slide": world(6)[0]})
    assert finding.code == "first_frame_differs"
    assert "resembles the instance's image by" in finding.message


@pytest.mark.parametrize("size", [(768, 576), (1024, 576), (576, 576)])
def test_an_image_of_another_size_or_shape_is_the_same_view(size):
    frame = world(0)[0]
    picture = np.asarray(Image.fromarray(frame).resize((768, 576)))
    wide = np.asarray(Image.fromarray(world(3)[0]).resize(size)).copy()
    across, down = min(768, size[0]), min(576, size[1])
    x, y = (size[0] - across) // 2, (size[1] - down) // 2
    left = (768 - across) // 2
    wide[y : y + down, x : x + across] = picture[:down, left : left + across]
    shown = frame if size[0] >= 768 else frame[:, 24:168]
    assert similarity(shown, wide) > 0.95


def test_the_same_file_under_two_instances(delivery):
    delivery.add("a/slide", world(0))
    delivery.add("b/slide", world(0))
    (finding,) = delivery.findings()
    assert (finding.severity, finding.code, finding.rollout_id) == ("error", "duplicate_video", "toy/b/slide/seed0")
    assert "'toy/a/slide/seed0'" in finding.message


def test_two_seeds_with_the_same_file_are_a_warning(delivery):
    delivery.add("a/slide", world(0))
    delivery.add("a/slide", world(0), seed=1)
    (finding,) = delivery.findings()
    assert (finding.severity, finding.code) == ("warning", "duplicate_seed")


def test_the_same_frames_encoded_differently(delivery, tmp_path):
    delivery.add("a/slide", world(0))
    delivery.add("b/slide", world(0), fps=16)
    write_video(tmp_path / "1.mp4", world(0), fps=16, crf=30)
    (finding,) = delivery.findings()
    assert (finding.severity, finding.code) == ("warning", "same_frames")


def test_keys_drawn_into_the_frame(delivery):
    delivery.add("a/slide", keys(world(0)))
    (finding,) = delivery.findings()
    assert finding.code == "overlay_suspected"
    box = scan_video(delivery.path.with_name("0.mp4")).overlay
    assert box.left < 10 / 192 < 54 / 192 < box.right < 0.4
    assert box.top < 110 / 144 < 130 / 144 < box.bottom


def test_level_edges_alone_are_no_overlay():
    rng = np.random.default_rng(0)
    frames = rng.uniform(0, 255, (12, 90, 160)).astype(np.float32)
    frames[:, 70:72] = 255.0
    frames[:, 72:76] = 0.0
    assert constant_overlay(frames) is None


def test_a_still_video_shows_no_overlay():
    assert constant_overlay(np.tile(np.float32(keys(world(0))[0].mean(axis=2)), (12, 1, 1))) is None


def test_missing_and_surplus_instances_are_counted_for_each_model(delivery):
    delivery.add("a/slide", world(0))
    delivery.add("x/slide", world(1))
    found = [
        (finding.severity, finding.code, finding.rollout_id)
        for finding in delivery.findings(expected=["a/slide", "b/slide"])
    ]
    assert found == [
        ("error", "missing_instance", "toy/b/slide"),
        ("warning", "surplus_instance", "toy/x/slide"),
    ]
    nothing = check_delivery(Manifest((), ()), expected=["a/slide"])
    assert [finding.rollout_id for finding in nothing] == ["no model/a/slide"]


def test_bad_lines_duplicates_and_bad_poses(delivery):
    delivery.add("a/slide", world(0))
    delivery.add("a/slide", None)
    delivery.add("b/slide", world(1), script=None, metres_per_frame=None)
    delivery.path.write_text(delivery.path.read_text() + "{not json\n")
    assert delivery.codes() == ["duplicate_rollout", "bad_manifest_line", "bad_poses"]


# --- images of instances


def test_images_from_a_list_and_from_parquet(tmp_path, monkeypatch):
    import pandas as pd

    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")

    picture = world(0)[0]
    Image.fromarray(picture).save(tmp_path / "a.png")
    (tmp_path / "list.jsonl").write_text('{"instance_id": "a/slide", "image": "a.png", "prompt": "A wall."}\n')
    listed = read_instance_images(tmp_path / "list.jsonl")
    np.testing.assert_array_equal(listed["a/slide"], picture)
    data = (tmp_path / "a.png").read_bytes()
    pd.DataFrame({"instance_id": ["a/slide"], "image": [{"bytes": data, "path": None}]}).to_parquet(
        tmp_path / "t.parquet"
    )
    stored = read_instance_images(tmp_path / "t.parquet")
    assert list(stored) == ["a/slide"]
    np.testing.assert_array_equal(stored["a/slide"], picture)


def test_bad_lists_of_instances_say_why(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"instance_id": "a"}\n')
    with pytest.raises(InstanceError, match="row 1: 'image' is missing"):
        read_instance_images(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text('{"instance_id": "a", "image": "a.png"}\n' * 2)
    with pytest.raises(InstanceError, match="row 2: 'a' is there already"):
        read_instance_images(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").write_text("\n")
    with pytest.raises(InstanceError, match="holds no instance"):
        read_instance_images(tmp_path / "c.jsonl")


def test_an_unreadable_image_is_a_finding(delivery):
    delivery.add("a/slide", world(0))
    assert delivery.codes(instances=InstanceImages({"a/slide": b"no picture"})) == ["image_unreadable"]


# --- the command


def run(*arguments):
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers(dest="name"))
    options = parser.parse_args(["check", *map(str, arguments)])
    return options.command(options)


def test_warnings_alone_exit_zero_and_errors_one(delivery, capsys):
    delivery.add("a/slide", world(0), fps=24)
    assert run(delivery.path) == 0
    assert "1 rollouts checked: 0 errors, 1 warnings" in capsys.readouterr().out
    delivery.add("b/slide", None)
    assert run(delivery.path) == 1
    capsys.readouterr()
    assert run(delivery.path, "--json") == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["n_rollouts"], record["n_errors"], record["n_warnings"]) == (2, 1, 1)
    assert [finding["code"] for finding in record["findings"]] == ["fps_differs", "missing"]


def test_what_may_be_expected(delivery, tmp_path, capsys):
    delivery.add("a/out_and_back", world(0))
    Image.fromarray(world(0)[0]).save(tmp_path / "a.png")
    (tmp_path / "list.jsonl").write_text('{"instance_id": "q/slide", "image": "a.png"}\n')
    (tmp_path / "ids.txt").write_text("r/slide\n")

    def missing(*arguments):
        run(delivery.path, "--json", *arguments)
        findings = json.loads(capsys.readouterr().out)["findings"]
        return [finding["rollout_id"] for finding in findings if finding["code"] == "missing_instance"]

    assert missing("--expect", "templates") == ["toy/a/translation_rotation", "toy/a/closed_loop"]
    assert missing("--expect", "dataset", "--dataset", tmp_path / "list.jsonl") == ["toy/q/slide"]
    assert missing("--expect", tmp_path / "ids.txt") == ["toy/r/slide"]
    with pytest.raises(ValueError, match="--expect dataset needs --dataset"):
        run(delivery.path, "--expect", "dataset")
