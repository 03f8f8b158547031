"""Every video here is made on the spot, and every frame read back is compared with the frame written."""

import hashlib
import tracemalloc
from fractions import Fraction

import av
import numpy as np
import pytest
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.reformatter import Colorspace

from revisit_metric import video
from revisit_metric.video import (
    FrameReader,
    VideoError,
    content_sha256,
    count_frames,
    probe,
    read_frames,
    stream_frames,
    write_video,
)
from revisit_metric.video import decode as video_decode
from revisit_metric.video.pixels import Orientation

N = 20
PLAIN = {"codec": "libx264", "pix_fmt": "yuv420p"}
B_FRAMES = {"crf": "3", "bf": "3", "b_strategy": "0", "sc_threshold": "0", "g": "9"}
needs_decord = pytest.mark.skipif(video_decode.decord_version() is None, reason="decord is not installed")


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


# ---------------------------------------------------------------- frames and their numbers


@pytest.mark.parametrize("indices", [[0], [N - 1], [1, 2, 7], [0, 19], list(range(N))])
def test_the_wanted_frames_come_back_exactly(tmp_path, indices):
    frames = scene()
    write_video(tmp_path / "a.mp4", frames, fps=16, lossless=True)
    got = list(stream_frames(tmp_path / "a.mp4", indices))
    assert [index for index, _ in got] == indices
    for index, image in got:
        assert image.dtype == np.uint8
        np.testing.assert_array_equal(image, frames[index])


@pytest.mark.parametrize("decoder", ["pyav", pytest.param("decord", marks=needs_decord)])
@pytest.mark.parametrize("indices", [[0], [N - 1], [3, 4, 11], list(range(N))])
def test_b_frames_are_numbered_as_shown(tmp_path, decoder, indices):
    path = encode(tmp_path / "b.mp4", grey_scene(), **PLAIN, options=B_FRAMES)
    assert is_reordered(path)
    for index, image in stream_frames(path, indices, decoder=decoder):
        np.testing.assert_allclose(image.astype(int), grey_scene()[index], atol=2)


def test_a_video_of_one_frame(tmp_path):
    write_video(tmp_path / "one.mp4", scene(1), fps=16, lossless=True)
    np.testing.assert_array_equal(read_frames(tmp_path / "one.mp4", [0]), scene(1))
    assert count_frames(tmp_path / "one.mp4") == 1
    assert cause(read_frames, tmp_path / "one.mp4", [1]) == "too_few_frames"


def test_unevenly_spaced_frames_are_taken_by_number(tmp_path):
    times = [0, 1, 2, 5, 6, 7, 11, *range(12, 25)]
    path = encode(tmp_path / "vfr.mp4", scene(), pts=times)
    info = probe(path)
    assert info.variable_frame_rate
    assert "variable frame rate (62.5 to 250.0 ms a frame)" in info.notes[0]
    np.testing.assert_array_equal(read_frames(path, range(N)), scene())


def test_a_coarse_time_base_is_not_a_variable_frame_rate(tmp_path):
    path = encode(tmp_path / "ms.mkv", scene())  # 62.5 ms a frame in whole milliseconds: 62, 63, 62, ...
    assert not probe(path).variable_frame_rate
    assert probe(path).n_frames_declared is None
    np.testing.assert_array_equal(read_frames(path, range(N)), scene())


@pytest.mark.parametrize("suffix", ["mkv", "mp4"])
def test_frames_before_time_zero(tmp_path, suffix):
    path = encode(tmp_path / f"early.{suffix}", scene(), pts=list(range(-5, N - 5)))
    hidden = 5 if suffix == "mp4" else 0  # an mp4 hides them behind an edit list, as players do
    np.testing.assert_array_equal(read_frames(path, range(N - hidden)), scene()[hidden:])
    assert count_frames(path) == N - hidden
    assert any("5 frames hidden by an edit list" in note for note in probe(path).notes) == bool(hidden)


def test_a_late_start_shifts_no_frame(tmp_path):
    path = encode(tmp_path / "late.mp4", scene(), pts=list(range(30, 30 + N)))
    np.testing.assert_array_equal(read_frames(path, range(N)), scene())


def test_a_container_that_overreports_is_counted_by_decoding(tmp_path):
    data = bytearray(encode(tmp_path / "a.mp4", grey_scene(), **PLAIN).read_bytes())
    entry = data.find(b"stts") + 12
    assert int.from_bytes(data[entry : entry + 4], "big") == N
    data[entry : entry + 4] = (50).to_bytes(4, "big")
    (tmp_path / "over.mp4").write_bytes(data)
    info = probe(tmp_path / "over.mp4")
    assert info.n_frames_declared == 50
    assert "declares 50 frames and holds 20" in info.notes[0]
    reader = FrameReader(tmp_path / "over.mp4", [0, 19])
    assert [index for index, _ in reader] == [0, 19]
    assert (reader.n_frames, reader.decoder_used) == (N, "pyav")
    with pytest.raises(VideoError, match="ends after 20 decoded frames, frame 20 is wanted"):
        read_frames(tmp_path / "over.mp4", [20])


def test_reading_stops_after_the_last_wanted_frame(tmp_path):
    path = encode(tmp_path / "a.mp4", grey_scene(), **PLAIN, options={"crf": "18", "g": "5", "bf": "0"})
    bad = damaged(path, tmp_path / "bad.mp4", 12, garbage=True)
    assert len(read_frames(bad, range(10))) == 10
    assert cause(list, FrameReader(bad, range(10))) == "corrupt_frames"


def test_memory_does_not_grow_with_the_video(tmp_path):
    image = np.zeros((240, 320, 3), np.uint8)
    write_video(tmp_path / "long.mp4", (image for _ in range(120)), fps=16)
    tracemalloc.start()
    try:
        for _ in stream_frames(tmp_path / "long.mp4", range(120), decoder="pyav"):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * image.nbytes


def test_the_count_is_unknown_before_the_end(tmp_path):
    write_video(tmp_path / "a.mp4", scene(), fps=16)
    reader = FrameReader(tmp_path / "a.mp4", [0], to_end=False)
    list(reader)
    with pytest.raises(VideoError, match="known after a full iteration"):
        _ = reader.n_frames


@pytest.mark.parametrize("indices", [[3, 2], [1, 1], [-1, 0], [0.5], [True]])
def test_indices_must_ascend(tmp_path, indices):
    assert cause(FrameReader, tmp_path / "a.mp4", indices) == "bad_argument"


def test_no_index_and_unknown_decoder(tmp_path):
    write_video(tmp_path / "a.mp4", scene(), fps=16)
    assert cause(read_frames, tmp_path / "a.mp4", []) == "bad_argument"
    assert cause(FrameReader, tmp_path / "a.mp4", [0], decoder="cv2") == "bad_argument"
    assert list(stream_frames(tmp_path / "a.mp4", [])) == []


# ---------------------------------------------------------------- orientation, size, pixel formats


@pytest.mark.parametrize(("counterclockwise", "clockwise"), [(90, 270), (180, 180), (270, 90)])
def test_the_display_matrix_is_applied(tmp_path, counterclockwise, clockwise):
    path = encode(
        tmp_path / "turned.mp4", scene(), prepare=lambda stream: stream.set_display_rotation(counterclockwise)
    )
    expected = np.rot90(scene(), counterclockwise // 90, axes=(1, 2))
    np.testing.assert_array_equal(read_frames(path, range(N)), expected)
    info = probe(path)
    assert (info.rotation_deg, info.height, info.width) == (clockwise, *expected.shape[1:3])
    assert f"rotated {clockwise} degrees clockwise, as the file asks" in info.notes


def test_a_mirrored_video(tmp_path):
    path = encode(tmp_path / "m.mp4", scene(), prepare=lambda stream: stream.set_display_rotation(0, hflip=True))
    np.testing.assert_array_equal(read_frames(path, range(N)), scene()[:, :, ::-1])
    assert "mirrored left to right, as the file asks" in probe(path).notes


def test_a_skewed_video_is_refused(tmp_path):
    path = encode(tmp_path / "skew.mp4", scene(), prepare=lambda stream: stream.set_display_rotation(45))
    assert cause(probe, path) == "unsupported_orientation"
    assert cause(read_frames, path, [0]) == "unsupported_orientation"


@pytest.mark.parametrize("flags", [(t, r, c) for t in (0, 1) for r in (0, 1) for c in (0, 1)])
def test_an_orientation_is_what_it_says(flags):
    turn, image = Orientation(*map(bool, flags)), scene(1)[0]
    mirrored = image[:, ::-1] if turn.mirrored else image
    np.testing.assert_array_equal(turn.apply(image), np.rot90(mirrored, -turn.rotation_deg // 90))


def test_a_change_of_size_on_the_way(tmp_path):
    first = encode(tmp_path / "a.h264", scene(), **PLAIN, format="h264").read_bytes()
    second = encode(tmp_path / "b.h264", scene(width=80), **PLAIN, format="h264").read_bytes()
    (tmp_path / "ab.h264").write_bytes(first + second)
    with pytest.raises(VideoError, match="frame 20 is 80x48, the frames before it 64x48") as caught:
        count_frames(tmp_path / "ab.h264")
    assert caught.value.cause == "frame_size_changed"
    assert len(read_frames(tmp_path / "ab.h264", range(N))) == N


@pytest.mark.parametrize("codec", ["libx264", "libx265"])
def test_ten_bits_become_eight(tmp_path, codec):
    options = {"x265-params": "log-level=none:lossless=1"} if codec == "libx265" else None
    path = encode(tmp_path / "ten.mp4", grey_scene(8), codec=codec, pix_fmt="yuv420p10le", options=options)
    info = probe(path)
    assert info.bit_depth == 10
    assert "yuv420p10le: 10-bit samples are converted to 8 bits by swscale" in info.notes
    np.testing.assert_allclose(read_frames(path, range(8)).astype(int), grey_scene(8), atol=2)


def test_alpha_is_ignored(tmp_path):
    path = encode(tmp_path / "alpha.mov", scene(4), codec="png", pix_fmt="rgba")
    np.testing.assert_array_equal(read_frames(path, range(4)), scene(4))
    assert "rgba: the alpha plane is ignored" in probe(path).notes
    webm = encode(tmp_path / "alpha.webm", grey_scene(4), codec="libvpx-vp9", pix_fmt="yuva420p")
    assert "the alpha plane is ignored" in probe(webm).notes


def test_grey_levels_fill_three_channels(tmp_path):
    path = encode(tmp_path / "grey.mkv", grey_scene(8), codec="ffv1", pix_fmt="gray")
    np.testing.assert_allclose(read_frames(path, range(8)).astype(int), grey_scene(8), atol=1)
    assert any(note.startswith("gray: grey levels") for note in probe(path).notes)


@pytest.mark.parametrize(("matrix", "space"), [(1, Colorspace.ITU709), (6, Colorspace.ITU601), (2, Colorspace.ITU601)])
@pytest.mark.parametrize("value_range", [1, 2])
def test_matrix_and_range_of_the_file_are_used(tmp_path, matrix, space, value_range):
    colour = np.array([200, 60, 30])
    image = np.broadcast_to(colour.astype(np.uint8), (48, 64, 3))
    with av.open(str(tmp_path / "c.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=16, options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv444p"
        stream.codec_context.colorspace, stream.codec_context.color_range = matrix, value_range
        frame = VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
        stored = frame.reformat(format="yuv444p", dst_colorspace=space, dst_color_range=value_range)
        container.mux(stream.encode(stored))
        container.mux(stream.encode())
    np.testing.assert_allclose(read_frames(tmp_path / "c.mp4", [0])[0, 24, 32].astype(int), colour, atol=3)
    assumed = "the file does not state its colour matrix: BT.601 is assumed" in probe(tmp_path / "c.mp4").notes
    assert assumed == (matrix == 2)


def test_what_swscale_cannot_convert_is_refused(tmp_path):
    ycgco = encode(
        tmp_path / "a.mp4",
        scene(2),
        **PLAIN,
        prepare=lambda stream: setattr(stream.codec_context, "colorspace", 8),
    )
    with pytest.raises(VideoError, match="cannot convert yuv420p with colour matrix 8") as caught:
        list(FrameReader(ycgco, [0]))
    assert caught.value.cause == "unsupported_colour"


@pytest.mark.parametrize(
    ("name", "value", "note"),
    [
        ("sample_aspect_ratio", Fraction(4, 3), "pixels are 4:3, not square: frames are not stretched"),
        ("color_trc", 16, "high dynamic range (PQ or HLG): samples are converted without tone mapping"),
    ],
)
def test_what_is_not_done_is_said(tmp_path, name, value, note):
    path = encode(
        tmp_path / "a.mp4",
        scene(2),
        **PLAIN,
        prepare=lambda stream: setattr(stream.codec_context, name, value),
    )
    assert note in probe(path).notes


def test_interlaced_video_is_left_as_it_is(tmp_path):
    options = {"flags": "+ildct+ilme", "x264-params": "tff=1", "crf": "1"}
    path = encode(tmp_path / "a.mp4", grey_scene(4), **PLAIN, options=options)
    assert "interlaced: fields are not separated" in probe(path).notes
    reader = FrameReader(path, range(4))
    np.testing.assert_allclose(np.stack([image for _, image in reader]).astype(int), grey_scene(4), atol=2)
    assert reader.decoder_used == "pyav"  # the two decoders differ here


# ---------------------------------------------------------------- streams that are not the video


def test_a_cover_picture_is_skipped(tmp_path):
    path = tmp_path / "cover.mp4"
    with av.open(str(path), "w") as container:
        cover = container.add_stream("png", rate=1)
        cover.width, cover.height, cover.pix_fmt = 32, 32, "rgb24"
        cover.disposition = Disposition.attached_pic
        stream = container.add_stream("libx264rgb", rate=16, options={"crf": "0"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "rgb24"
        container.mux(cover.encode(VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")))
        container.mux(cover.encode())
        for image in scene():
            container.mux(stream.encode(VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())
    np.testing.assert_array_equal(read_frames(path, range(N)), scene())
    assert "cover picture skipped" in probe(path).notes


def test_the_first_of_two_videos_is_read(tmp_path):
    with av.open(str(tmp_path / "two.mp4"), "w") as container:
        streams = [container.add_stream("libx264rgb", rate=16, options={"crf": "0"}) for _ in range(2)]
        for stream in streams:
            stream.width, stream.height, stream.pix_fmt = 64, 48, "rgb24"
        for stream, images in zip(streams, (scene(), scene()[::-1]), strict=True):
            for image in images:
                frame = VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
    np.testing.assert_array_equal(read_frames(tmp_path / "two.mp4", range(N)), scene())
    assert "2 video streams: the first is used" in probe(tmp_path / "two.mp4").notes


def test_a_codec_without_a_decoder(tmp_path):
    write_video(tmp_path / "a.mp4", scene(), fps=16)
    (tmp_path / "b.mp4").write_bytes((tmp_path / "a.mp4").read_bytes().replace(b"avc1", b"zzzz"))
    assert cause(probe, tmp_path / "b.mp4") == "unsupported_codec"


def test_sound_without_pictures(tmp_path):
    with av.open(str(tmp_path / "sound.mp4"), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 4096), np.float32), format="fltp", layout="mono")
        sound.sample_rate = 44100
        container.mux(stream.encode(sound))
        container.mux(stream.encode())
    with pytest.raises(VideoError, match="no video stream \\(only audio\\)") as caught:
        probe(tmp_path / "sound.mp4")
    assert caught.value.cause == "no_video_stream"


# ---------------------------------------------------------------- the two decoders


@needs_decord
@pytest.mark.parametrize(("width", "height"), [(256, 144), (178, 98), (320, 180), (854, 480)])
def test_both_decoders_give_the_same_pixels(tmp_path, width, height):
    noise = np.random.default_rng(0).integers(0, 256, (4, height, width, 3), dtype=np.uint8)
    path = tmp_path / "a.mp4"
    write_video(path, np.concatenate([scene(4, width, height), noise]), fps=16, crf=5)
    reader = FrameReader(path, range(8), decoder="decord")
    with_decord = np.stack([image for _, image in reader])
    np.testing.assert_array_equal(with_decord, read_frames(path, range(8), decoder="pyav"))
    assert reader.decoder_used == "decord"


@needs_decord
def test_decord_is_refused_where_it_shapes_frames_wrongly(tmp_path):
    write_video(tmp_path / "a.mp4", scene(4, 144, 96), fps=16)
    with pytest.raises(VideoError) as caught:
        list(FrameReader(tmp_path / "a.mp4", range(4), decoder="decord"))
    assert caught.value.cause == "decoder_unsuitable"
    assert len(read_frames(tmp_path / "a.mp4", range(4))) == 4


@needs_decord
@pytest.mark.parametrize(
    ("name", "options", "obstacle"),
    [
        ("a.mkv", PLAIN, "its container is matroska,webm"),
        ("a.mp4", {}, "it is h264 in gbrp"),
        ("a.mp4", {**PLAIN, "pts": [0, 1, 5, 6]}, "its frame rate varies"),
        ("a.mp4", {**PLAIN, "pts": [3, 4, 5, 6]}, "it does not start at time zero"),
        ("a.mp4", {**PLAIN, "prepare": lambda stream: stream.set_display_rotation(90)}, "it is rotated"),
    ],
)
def test_decord_refuses_what_it_may_not_decode(tmp_path, name, options, obstacle):
    path = encode(tmp_path / name, grey_scene(4), **options)
    with pytest.raises(VideoError, match=obstacle) as caught:
        read_frames(path, [0], decoder="decord")
    assert caught.value.cause == "decoder_unsuitable"
    reader = FrameReader(path, [0, 3])
    assert [index for index, _ in reader] == [0, 3]
    assert reader.decoder_used == "pyav"


@needs_decord
def test_the_identity_names_both_decoders():
    assert video.decoder_identity("decord").startswith(
        f"decord {video_decode.decord_version()}, PyAV {av.__version__} ("
    )
    assert video.decoder_identity("pyav").startswith(f"PyAV {av.__version__} (libavcodec ")


def test_without_decord_everything_is_pyav(tmp_path, monkeypatch):
    monkeypatch.setattr(video_decode.importlib.util, "find_spec", lambda name: None)
    write_video(tmp_path / "a.mp4", grey_scene(3), fps=16)
    assert len(read_frames(tmp_path / "a.mp4", range(3))) == 3
    assert video.decoder_identity("decord") == video.decoder_identity("pyav")
    with pytest.raises(VideoError, match="pip install decord2") as caught:
        read_frames(tmp_path / "a.mp4", [0], decoder="decord")
    assert caught.value.cause == "decoder_missing"


# ---------------------------------------------------------------- description and hash


def test_what_a_plain_video_says(tmp_path):
    write_video(tmp_path / "a.mp4", scene(9), fps=Fraction(30000, 1001))
    info = probe(tmp_path / "a.mp4")
    assert info == video.VideoInfo(64, 48, 30000 / 1001, 0, "yuv420p", "h264", 8, 9, False, ())


def test_the_hash_is_of_the_bytes(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"abc")
    assert content_sha256(tmp_path / "a.mp4") == hashlib.sha256(b"abc").hexdigest()
