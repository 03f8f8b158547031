"""Files that are no videos, or no longer: each made here, each refused with its cause or read as far as it is sound."""

import os
import pickle
from fractions import Fraction

import av
import numpy as np
import pytest
from av.video.frame import VideoFrame

from revisit_metric.video import (
    FrameReader,
    VideoError,
    content_sha256,
    count_frames,
    probe,
    read_frames,
    write_video,
)
from revisit_metric.video.source import ends_early

N = 20
PLAIN = {"codec": "libx264", "pix_fmt": "yuv420p"}
B_FRAMES = {"crf": "3", "bf": "3", "b_strategy": "0", "sc_threshold": "0", "g": "9"}


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


def grey_scene(n=N, width=256, height=144):
    """Grey frames of one level each: what 4:2:0 keeps to a level, and a wrong index does not."""
    levels = (20 + 10 * np.arange(n)).astype(np.uint8)
    return np.broadcast_to(levels[:, None, None, None], (n, height, width, 3)).copy()


def encode(path, frames, *, codec="libx264rgb", pix_fmt="rgb24", options=None, pts=None, prepare=None, **opening):
    """Encode with every freedom that `write_video` refuses; lossless RGB unless told otherwise."""
    with av.open(str(path), "w", **opening) as container:
        stream = container.add_stream(codec, rate=16)
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = pix_fmt
        stream.options = options or ({"crf": "0"} if "264" in codec else {})
        stream.codec_context.time_base = Fraction(1, 16)
        stream.codec_context.thread_count = 1
        if prepare:
            prepare(stream)
        for index, image in enumerate(frames):
            frame = VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24").reformat(format=pix_fmt)
            frame.pts, frame.time_base = pts[index] if pts else index, Fraction(1, 16)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def packet_places(path):
    """(offset, size) of every video packet, in the order of the file."""
    with av.open(str(path)) as container:
        return [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]


def is_reordered(path):
    """Whether frames are stored in another order than they are shown in."""
    with av.open(str(path)) as container:
        stored = [packet.pts for packet in container.demux(video=0) if packet.size]
    return stored != sorted(stored)


def damaged(path, target, packet, *, garbage):
    """A copy with random bytes, or one flipped byte, in one packet."""
    data = bytearray(path.read_bytes())
    start, size = packet_places(path)[packet]
    if garbage:
        data[start + 6 : start + size] = np.random.default_rng(0).bytes(size - 6)
    else:
        data[start + size // 2] ^= 0xFF
    target.write_bytes(data)
    return target


def cause(action, *args, **kwargs):
    with pytest.raises(VideoError) as caught:
        action(*args, **kwargs)
    return caught.value.cause


# ---------------------------------------------------------------- files that are no videos


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello world\n" * 100, "starts with b'hello world"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"),
        (b"1\n00:00:00,000 --> 00:00:02,000\nsubtitle\n", "not a video"),
        (b"#EXTM3U\n#EXTINF:1\nother.mp4\n", "a playlist"),
        (b"ffconcat version 1.0\nfile other.mp4\n", "not a video"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "a PNG picture"),
        (bytes(5000), "not a video"),
    ],
)
def test_other_files_named_mp4(tmp_path, content, message):
    (tmp_path / "a.mp4").write_bytes(content)
    with pytest.raises(VideoError, match=message) as caught:
        count_frames(tmp_path / "a.mp4")
    assert caught.value.cause == "not_a_video"
    assert str(tmp_path / "a.mp4") in str(caught.value)


@pytest.mark.parametrize("action", [probe, count_frames, content_sha256, lambda path: read_frames(path, [0])])
def test_paths_without_a_file(tmp_path, action):
    (tmp_path / "empty.mp4").touch()
    os.mkfifo(tmp_path / "pipe.mp4")
    assert cause(action, tmp_path / "nowhere.mp4") == "missing"
    assert cause(action, tmp_path / "empty.mp4" / "in_a_file.mp4") == "missing"
    assert cause(action, tmp_path) == "is_a_directory"
    assert cause(action, tmp_path / "empty.mp4") == "empty"
    assert cause(action, tmp_path / "pipe.mp4") == "not_a_file"
    assert cause(action, "nul\0byte.mp4") == "unreadable"


@pytest.mark.parametrize("decoder", ["decord", "pyav"])
@pytest.mark.parametrize(
    "name",
    [
        "ünï 漢字 🎬.mp4",
        "100% #1 %d.mp4",
        "http:a.mp4",
        "a b?c&d=e.mp4",
        b"\xff\xfe.mp4".decode(errors="surrogateescape"),
    ],
)
def test_names(tmp_path, monkeypatch, name, decoder):
    if decoder == "decord" and not name.isprintable():
        pytest.skip("decord takes no name that is not valid UTF-8, and says so")
    write_video(tmp_path / name, grey_scene(3), fps=16)
    monkeypatch.chdir(tmp_path)
    np.testing.assert_allclose(read_frames(name, range(3), decoder=decoder).astype(int), grey_scene(3), atol=2)
    assert count_frames(name) == 3


def test_a_frame_too_large_to_decode(tmp_path):
    write_video(tmp_path / "a.mp4", scene(), fps=16)
    with pytest.raises(VideoError, match="64x48 exceed the limit of 3000 pixels") as caught:
        probe(tmp_path / "a.mp4", max_pixels=3000)
    assert caught.value.cause == "too_large"
    assert cause(count_frames, tmp_path / "a.mp4", max_pixels=3000) == "too_large"
    assert count_frames(tmp_path / "a.mp4", max_pixels=64 * 48) == N


# ---------------------------------------------------------------- damage


def test_an_mp4_without_its_index(tmp_path):
    write_video(tmp_path / "a.mp4", scene(), fps=16)
    data = (tmp_path / "a.mp4").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(data[: len(data) // 2])
    with pytest.raises(VideoError, match="its index \\(moov\\) is missing") as caught:
        probe(tmp_path / "cut.mp4")
    assert caught.value.cause == "truncated"


@pytest.mark.parametrize("fraction", [0.0, 0.5])
@pytest.mark.parametrize("packet", range(6, N))
def test_an_mp4_cut_short_gives_its_first_frames_under_their_own_numbers(tmp_path, packet, fraction):
    opening = {"container_options": {"movflags": "+faststart"}}
    path = encode(tmp_path / "a.mp4", scene(), **PLAIN, options=B_FRAMES, **opening)
    assert is_reordered(path)
    whole = read_frames(path, range(N))
    start, size = packet_places(path)[packet]
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(path.read_bytes()[: start + int(size * fraction)])
    assert ends_early(cut)
    left = count_frames(cut)
    assert 0 < left <= packet
    np.testing.assert_array_equal(read_frames(cut, range(left)), whole[:left])
    with pytest.raises(VideoError, match=f"ends after {left} decoded frames, frame {left} is wanted") as caught:
        read_frames(cut, range(left + 1))
    assert caught.value.cause == "truncated"


def test_an_mp4_cut_before_its_first_frame(tmp_path):
    path = encode(tmp_path / "a.mp4", scene(), container_options={"movflags": "+faststart"})
    start, size = packet_places(path)[0]
    (tmp_path / "cut.mp4").write_bytes(path.read_bytes()[: start + size // 2])
    assert cause(probe, tmp_path / "cut.mp4") == "truncated"
    assert cause(count_frames, tmp_path / "cut.mp4") == "truncated"


def test_a_matroska_file_cut_short_loses_no_frame_in_between(tmp_path):
    path = encode(tmp_path / "a.mkv", scene(), **PLAIN, options=B_FRAMES)
    assert is_reordered(path)
    whole = read_frames(path, range(N))
    for kept in (0.5, 0.6, 0.7, 0.8, 0.9):
        (tmp_path / "cut.mkv").write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
        left = count_frames(tmp_path / "cut.mkv")
        np.testing.assert_array_equal(read_frames(tmp_path / "cut.mkv", range(left)), whole[:left])


@pytest.mark.parametrize("decoder", ["decord", "pyav"])
@pytest.mark.parametrize("garbage", [True, False])
def test_damage_in_the_middle_is_refused(tmp_path, garbage, decoder):
    path = encode(tmp_path / "a.mp4", scene(width=256, height=144), **PLAIN, options={"crf": "18", "bf": "0"})
    bad = damaged(path, tmp_path / "bad.mp4", 10, garbage=garbage)
    with pytest.raises(VideoError, match="after 10 frames; the file is damaged") as caught:
        read_frames(bad, range(N), decoder=decoder)
    assert caught.value.cause == "corrupt_frames"
    assert cause(count_frames, bad) == "corrupt_frames"


@pytest.mark.parametrize("seed", range(3))
def test_random_damage_is_an_error_or_harmless(tmp_path, seed):
    rng = np.random.default_rng(seed)
    whole = encode(tmp_path / "a.mp4", grey_scene(8), **PLAIN, options=B_FRAMES).read_bytes()
    refused = []
    for _ in range(40):
        data = bytearray(whole)
        for place in rng.integers(len(data), size=rng.integers(1, 20)):
            data[place] = rng.integers(256)
        (tmp_path / "b.mp4").write_bytes(data)
        try:
            given = [image for _, image in FrameReader(tmp_path / "b.mp4", range(8))]
        except VideoError as error:
            refused.append(error)
        else:
            np.testing.assert_array_equal(given, read_frames(tmp_path / "b.mp4", range(8), decoder="pyav"))
    assert len(refused) > 10
    assert all(str(tmp_path) in str(error) for error in refused)


def test_an_error_survives_a_process_boundary(tmp_path):
    with pytest.raises(VideoError) as caught:
        probe(tmp_path / "nowhere.mp4")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.cause) == (str(caught.value), "missing")
    assert isinstance(error, ValueError)
