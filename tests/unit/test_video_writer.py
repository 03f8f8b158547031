"""What is written comes back, always as the same bytes, and nothing half-written is left."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from revisit_metric.video import (
    VideoError,
    content_sha256,
    probe,
    read_frames,
    write_video,
)

N = 20


@pytest.fixture(autouse=True)
def _no_output(capfd):
    """No decoder may write to the terminal, whatever it is fed."""
    yield
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def scene(n=N, width=64, height=48):
    """Frames that differ from each other everywhere."""
    y, x = np.mgrid[:height, :width]
    steps = range(n)
    return np.stack([np.stack([x * 3 + 5 * i, y * 4 + 9 * i, x + y + 6 * i], -1) for i in steps]).astype(np.uint8)


def cause(action, *args, **kwargs):
    with pytest.raises(VideoError) as caught:
        action(*args, **kwargs)
    return caught.value.cause


def test_a_written_video_states_its_colours_and_keeps_them(tmp_path):
    colour = np.array([200, 60, 30], np.uint8)
    write_video(tmp_path / "a.mp4", [np.broadcast_to(colour, (48, 64, 3))], fps=16, crf=5)
    with av.open(str(tmp_path / "a.mp4")) as container:
        context = container.streams.video[0].codec_context
        assert (context.colorspace, context.color_range) == (1, 1)
        assert (context.color_primaries, context.color_trc) == (1, 1)
    np.testing.assert_allclose(read_frames(tmp_path / "a.mp4", [0])[0, 9, 9].astype(int), colour, atol=3)


@pytest.mark.parametrize(
    ("fps", "exact"),
    [(16, Fraction(16)), (12.5, Fraction(25, 2)), (29.97, Fraction(2997, 100)), (Fraction(24000, 1001),) * 2],
)
def test_the_frame_rate_is_exact(tmp_path, fps, exact):
    write_video(tmp_path / "a.mp4", scene(), fps=fps)
    with av.open(str(tmp_path / "a.mp4")) as container:
        assert container.streams.video[0].average_rate == exact
    assert not probe(tmp_path / "a.mp4").variable_frame_rate


def test_the_same_frames_give_the_same_bytes(tmp_path):
    for name in ("a.mp4", "b.mp4"):
        write_video(tmp_path / name, iter(scene()), fps=16)
    assert content_sha256(tmp_path / "a.mp4") == content_sha256(tmp_path / "b.mp4")


def test_odd_sizes(tmp_path):
    frames = scene(3, width=65, height=47)
    with pytest.raises(VideoError, match="65x47 cannot be stored in yuv420p") as caught:
        write_video(tmp_path / "a.mp4", frames, fps=16)
    assert caught.value.cause == "bad_frame"
    write_video(tmp_path / "a.mp4", frames, fps=16, pix_fmt="yuv444p", crf=1)
    assert np.abs(read_frames(tmp_path / "a.mp4", range(3)).astype(int) - frames).mean() < 2
    write_video(tmp_path / "b.mp4", frames, fps=16, lossless=True)
    np.testing.assert_array_equal(read_frames(tmp_path / "b.mp4", range(3)), frames)


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (np.zeros((2, 3, 48, 64), np.uint8), "expected \\(H, W, 3\\) — channels first\\?"),
        (np.zeros((2, 48, 64), np.uint8), "frame 0 has shape \\(48, 64\\)"),
        (np.zeros((2, 48, 64, 4), np.uint8), "frame 0 has shape \\(48, 64, 4\\)"),
        (np.zeros((2, 48, 64, 3)), "dtype float64, expected uint8"),
        ([scene()[0], scene(width=80)[0]], "frame 1 has shape \\(48, 80, 3\\), the frames before it"),
        ([], "no frame to write"),
    ],
)
def test_frames_that_cannot_be_written_leave_nothing(tmp_path, frames, message):
    with pytest.raises(VideoError, match=message):
        write_video(tmp_path / "a.mp4", frames, fps=16)
    assert list(tmp_path.iterdir()) == []


def test_a_failing_source_keeps_the_file_that_was_there(tmp_path):
    def failing():
        yield scene()[0]
        raise OSError("the renderer died")

    write_video(tmp_path / "a.mp4", scene(), fps=16, lossless=True)
    with pytest.raises(OSError, match="the renderer died"):
        write_video(tmp_path / "a.mp4", failing(), fps=16)
    np.testing.assert_array_equal(read_frames(tmp_path / "a.mp4", range(N)), scene())
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


@pytest.mark.parametrize(
    "settings",
    [
        {"fps": 0},
        {"fps": -16},
        {"fps": float("nan")},
        {"fps": float("inf")},
        {"fps": 16, "crf": 52},
        {"fps": 16, "codec": "libx265"},
        {"fps": 16, "pix_fmt": "yuv420p10le"},
        {"fps": 16, "codec": "libx264rgb"},
    ],
)
def test_settings_are_checked(tmp_path, settings):
    assert cause(write_video, tmp_path / "a.mp4", scene(), **settings) == "bad_argument"


def test_targets_are_checked(tmp_path):
    assert cause(write_video, tmp_path / "a.avi", scene(), fps=16) == "bad_argument"
    assert cause(write_video, tmp_path / "no" / "a.mp4", scene(), fps=16) == "cannot_write"
    Path(tmp_path / "folder.mp4").mkdir()
    assert cause(write_video, tmp_path / "folder.mp4", scene(), fps=16) == "cannot_write"
