"""DINOv2, BoQ and MutualVPR against plain calls of the libraries on the same weights (tolerance 1e-5 unless said)."""

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional
from torchvision import transforms

from revisit_metric.backbones.dinov2 import Dinov2
from revisit_metric.backbones.networks.vit import Vit, VitShape
from revisit_metric.backbones.place_recognition import Boq, MutualVpr
from revisit_metric.families import scene
from revisit_metric.families.protocol import Backbone, PairScore
from revisit_metric.weights.conversion import CheckpointError

SIZES = [(96, 128), (64, 64), (128, 72), (65, 97), (40, 600)]
STATISTICS = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def dinov2(folder, **options):
    return Dinov2(folder / "dinov2/config.json", folder / "dinov2/model.safetensors", device="cpu", **options)


@pytest.fixture
def models(tiny_weights, small_place_recognition):
    return {
        "dino": (scene.Dino(), dinov2(tiny_weights)),
        "boq": (scene.Boq(), Boq(tiny_weights / "dinov2_12288.pth", device="cpu")),
        "mutualvpr": (scene.MutualVpr(), MutualVpr(tiny_weights / "MutualVPR_model_512.pth", device="cpu")),
    }


def naive_input(frame, *resize):
    steps = [*resize, transforms.ToTensor(), transforms.Normalize(*STATISTICS)]
    return transforms.Compose(steps)(Image.fromarray(frame))[None]


BICUBIC = transforms.InterpolationMode.BICUBIC


def naive_dino(folder, frame):
    from transformers import Dinov2Model

    model = Dinov2Model.from_pretrained(folder / "dinov2").eval()
    pixels = naive_input(frame, transforms.Resize(518, BICUBIC), transforms.CenterCrop(518))
    with torch.no_grad():
        return functional.normalize(model(pixels).pooler_output, dim=-1)[0].numpy()


# --- DINOv2 ---


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_dino_equals_a_plain_call(tiny_weights, place, size):
    frame = place(3, *size)
    (feature,) = dinov2(tiny_weights).extract(frame[None])
    assert np.abs(feature["descriptor"] - naive_dino(tiny_weights, frame)).max() < 1e-5


def authors_names(state):
    """`transformers`' names of DINOv2's tensors to its authors'."""
    moved = {}
    for name, value in state.items():
        for old, new in (
            ("embeddings.position_embeddings", "pos_embed"),
            ("embeddings.patch_embeddings.projection", "patch_embed.proj"),
            ("embeddings.", ""), ("encoder.layer.", "blocks."), ("layer_scale1.lambda1", "ls1.gamma"),
            ("layer_scale2.lambda1", "ls2.gamma"), ("attention.output.dense", "attn.proj"), ("layernorm.", "norm."),
        ):  # fmt: skip
            name = name.replace(old, new)
        moved[name] = value
    for block in {name.split(".")[1] for name in moved if name.startswith("blocks.")}:
        for kind in ("weight", "bias"):
            parts = [f"blocks.{block}.attention.attention.{part}.{kind}" for part in ("query", "key", "value")]
            moved[f"blocks.{block}.attn.qkv.{kind}"] = torch.cat([moved.pop(part) for part in parts])
    return moved


def converted_vit(folder, mlp_ratio=2):
    vit = Vit(VitShape(dim=32, depth=2, heads=2))
    for block in vit.blocks:
        block.mlp.fc1, block.mlp.fc2 = nn.Linear(32, 32 * mlp_ratio), nn.Linear(32 * mlp_ratio, 32)
    vit.load_state_dict(authors_names(load_file(folder / "dinov2/model.safetensors")))
    return vit.eval()


def test_our_transformer_equals_the_librarys_on_the_trained_grid(tiny_weights):
    from transformers import Dinov2Model

    model, vit = Dinov2Model.from_pretrained(tiny_weights / "dinov2").eval(), converted_vit(tiny_weights)
    pixels = torch.randn(2, 3, 518, 518, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert (vit.norm(vit(pixels)) - model(pixels).last_hidden_state).abs().max() < 1e-4


def test_away_from_the_trained_grid_the_library_interpolates_otherwise(tiny_weights):
    from transformers import Dinov2Model

    embeddings, vit = Dinov2Model.from_pretrained(tiny_weights / "dinov2").embeddings, converted_vit(tiny_weights)
    with torch.no_grad():
        theirs = embeddings.interpolate_pos_encoding(torch.zeros(1, 1 + 23 * 23, 32), 322, 322)
        ours = vit._positions(23)
        trained = vit.pos_embed[:, 1:].reshape(1, 37, 37, 32).permute(0, 3, 1, 2)
        factor = 23.1 / 37
        authors = functional.interpolate(trained, scale_factor=(factor, factor), mode="bicubic", antialias=False)
    assert ours.shape == theirs.shape
    assert torch.equal(ours[0, 1:], authors.permute(0, 2, 3, 1).reshape(-1, 32))
    assert (ours - theirs).abs().max() > 1e-3
    assert torch.equal(vit._positions(37), vit.pos_embed)


# --- BoQ ---


def naive_boq(state, frame, heads=1):
    """The published architecture, spelled out with PyTorch's modules on the file's tensors."""
    vit = Vit(VitShape(64, 2, 2))
    vit.load_state_dict({name.removeprefix("backbone.dino."): v for name, v in state.items() if "dino" in name})
    tensors = {name.removeprefix("aggregator."): v for name, v in state.items() if name.startswith("aggregator.")}

    def part(module, prefix):
        module.load_state_dict({n.removeprefix(prefix): v for n, v in tensors.items() if n.startswith(prefix)})
        return module.eval()

    x = vit.eval()(naive_input(frame, transforms.Resize((322, 322), BICUBIC)))[:, 1:]
    x = part(nn.Conv2d(64, 64, 3, padding=1), "proj_c.")(x.permute(0, 2, 1).reshape(1, 64, 23, 23))
    x = part(nn.LayerNorm(64), "norm_input.")(x.flatten(2).permute(0, 2, 1))
    outs = []
    for k in range(2):
        layer = nn.TransformerEncoderLayer(d_model=64, nhead=heads, dim_feedforward=256, batch_first=True, dropout=0.0)
        x = part(layer, f"boqs.{k}.encoder.")(x)
        q = tensors[f"boqs.{k}.queries"]
        q = q + part(nn.MultiheadAttention(64, heads, batch_first=True), f"boqs.{k}.self_attn.")(q, q, q)[0]
        q = part(nn.LayerNorm(64), f"boqs.{k}.norm_q.")(q)
        out = part(nn.MultiheadAttention(64, heads, batch_first=True), f"boqs.{k}.cross_attn.")(q, x, x)[0]
        outs.append(part(nn.LayerNorm(64), f"boqs.{k}.norm_out.")(out))
    rows = part(nn.Linear(16, 4), "fc.")(torch.cat(outs, dim=1).permute(0, 2, 1))
    return functional.normalize(rows.flatten(1), dim=-1)[0]


@pytest.mark.parametrize("size", SIZES[:3], ids=str)
def test_boq_equals_the_architecture_spelled_out(models, tiny_weights, place, size):
    state = torch.load(tiny_weights / "dinov2_12288.pth", weights_only=True)
    frame = place(4, *size)
    with torch.no_grad():
        expected = naive_boq(state, frame).numpy()
    (feature,) = models["boq"][1].extract(frame[None])
    assert feature["descriptor"].shape == (4 * 64,)
    assert np.abs(feature["descriptor"] - expected).max() < 1e-5


def test_boq_has_the_authors_names_and_sizes():
    from revisit_metric.backbones.networks.boq import BoqNetwork, BoqShape

    with torch.device("meta"):
        state = {name: tuple(value.shape) for name, value in BoqNetwork(BoqShape()).state_dict().items()}
    assert state["backbone.dino.pos_embed"] == (1, 1370, 768)
    assert state["backbone.dino.blocks.11.attn.qkv.weight"] == (2304, 768)
    assert state["aggregator.proj_c.weight"] == (384, 768, 3, 3)
    assert state["aggregator.boqs.1.queries"] == (1, 64, 384)
    assert state["aggregator.boqs.0.encoder.linear1.weight"] == (1536, 384)
    assert state["aggregator.boqs.0.cross_attn.in_proj_weight"] == (1152, 384)
    assert state["aggregator.fc.weight"] == (32, 128)
    assert 32 * 384 == 12288


# --- MutualVPR ---


def naive_mutualvpr(state, frame):
    vit = Vit(VitShape(64, 2, 2))
    vit.load_state_dict({name.removeprefix("backbone."): v for name, v in state.items() if "backbone" in name})
    pixels = naive_input(frame, transforms.Resize((518, 518), BICUBIC))
    tokens = vit.eval().norm(vit(pixels))[:, 1:]
    grid = functional.normalize(tokens.reshape(1, 37, 37, 64).permute(0, 3, 1, 2), p=2, dim=1)
    p = state["aggregation.1.p"]
    pooled = functional.avg_pool2d(grid.clamp(min=1e-6).pow(p), 37).pow(1.0 / p).flatten(1)
    vector = functional.linear(pooled, state["aggregation.3.weight"], state["aggregation.3.bias"])
    return functional.normalize(vector, p=2, dim=1)[0]


@pytest.mark.parametrize("size", SIZES[:3], ids=str)
def test_mutualvpr_equals_the_architecture_spelled_out(models, tiny_weights, place, size):
    state = torch.load(tiny_weights / "MutualVPR_model_512.pth", weights_only=True)
    frame = place(5, *size)
    with torch.no_grad():
        expected = naive_mutualvpr({n.removeprefix("module."): v for n, v in state.items()}, frame).numpy()
    (feature,) = models["mutualvpr"][1].extract(frame[None])
    assert np.abs(feature["descriptor"] - expected).max() < 1e-5


# --- strict loading ---


def altered(path, target, change):
    state = torch.load(path, weights_only=True)
    change(state)
    torch.save(state, target)
    return target


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("aggregator.fc.bias"), "missing aggregator.fc.bias"),
        (lambda state: state.update(extra=torch.zeros(1)), "surplus extra"),
        (
            lambda state: state.update({"aggregator.fc.bias": torch.zeros(9)}),
            r"misshapen aggregator.fc.bias \(9,\)",
        ),
        (lambda state: state.update(epoch=3), "more than a mapping of tensors"),
    ],
    ids=["missing", "surplus", "misshapen", "training"],
)
def test_a_checkpoint_that_does_not_fit_is_refused(models, tiny_weights, tmp_path, change, message):
    path = altered(tiny_weights / "dinov2_12288.pth", tmp_path / "boq.pth", change)
    with pytest.raises(CheckpointError, match=message):
        Boq(path, device="cpu")


def test_many_differences_are_listed_briefly(models, tiny_weights):
    with pytest.raises(CheckpointError, match=r"missing aggregator.*, .* and \d+ more; surplus"):
        Boq(tiny_weights / "MutualVPR_model_512.pth", device="cpu")


def test_a_pickle_with_code_is_refused(models, tmp_path):
    torch.save({"a": pytest.importorskip}, tmp_path / "boq.pth")
    with pytest.raises(CheckpointError, match="no checkpoint of plain tensors"):
        Boq(tmp_path / "boq.pth", device="cpu")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("layernorm.bias"), "missing layernorm.bias"),
        (lambda state: state.update(extra=torch.zeros(1)), "surplus extra"),
        (lambda state: state.update({"layernorm.bias": torch.zeros(9)}), "misshapen .*layernorm.bias"),
    ],
    ids=["missing", "surplus", "misshapen"],
)
def test_a_library_checkpoint_that_does_not_fit_is_refused(tiny_weights, tmp_path, change, message):
    state = load_file(tiny_weights / "dinov2/model.safetensors")
    change(state)
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=message):
        Dinov2(tiny_weights / "dinov2/config.json", tmp_path / "model.safetensors", device="cpu")


def test_a_damaged_file_is_refused(tiny_weights, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        Dinov2(tiny_weights / "dinov2/config.json", tmp_path / "model.safetensors", device="cpu")


# --- what all three promise ---


@pytest.mark.parametrize("name", ["dino", "boq", "mutualvpr"])
def test_keeps_to_the_protocol(models, name):
    score, backbone = models[name]
    assert isinstance(score, PairScore)
    assert isinstance(backbone, Backbone)
    assert score.backbone == backbone.name
    assert [metric.name for metric in score.metrics] == [name]
    assert len(backbone.identity()["weights"]) == 64


@pytest.mark.parametrize("name", ["dino", "boq", "mutualvpr"])
def test_batch_and_order_change_no_bit(models, place, name):
    _, backbone = models[name]
    frames = np.stack([place(seed) for seed in range(3)])
    together = [one["descriptor"] for one in backbone.extract(frames)]
    backwards = [one["descriptor"] for one in backbone.extract(frames[::-1])][::-1]
    alone = [backbone.extract(frame[None])[0]["descriptor"] for frame in frames]
    for a, b, c in zip(together, backwards, alone, strict=True):
        assert np.array_equal(a, b)
        assert np.array_equal(a, c)


@pytest.mark.parametrize("name", ["dino", "boq", "mutualvpr"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_any_frame_has_a_value(models, place, name, size):
    score, backbone = models[name]
    frames = [place(0, *size), np.zeros((*size, 3), np.uint8), np.full((*size, 3), 128, np.uint8)]
    features = backbone.extract(np.stack([frames[0], *frames]))
    values = [one.value for one in score.compare([features[0]] * 4, features)[name]]
    assert values[:2] == pytest.approx([1.0, 1.0], abs=1e-6)
    assert all(-1 <= value <= 1 for value in values)
    black = score.compare([features[2]], [features[2]])[name][0]
    assert black == (pytest.approx(1.0, abs=1e-6), None)


def test_other_number_formats_are_a_choice_and_named(tiny_weights, place):
    frames = place(0)[None]
    full = dinov2(tiny_weights)
    half = dinov2(tiny_weights, dtype="bfloat16")
    a, b = full.extract(frames)[0]["descriptor"], half.extract(frames)[0]["descriptor"]
    assert b.dtype == np.float32
    assert 1e-6 < np.abs(a - b).max() < 0.05
    assert (full.identity()["dtype"], half.identity()["dtype"]) == ("float32", "bfloat16")
    with pytest.raises(ValueError, match="dtype 'fp16' is unknown"):
        dinov2(tiny_weights, dtype="fp16")


def test_the_callers_autocast_does_not_reach_the_network(tiny_weights, place):
    backbone = dinov2(tiny_weights)
    plain = backbone.extract(place(0)[None])[0]["descriptor"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = backbone.extract(place(0)[None])[0]["descriptor"]
    assert np.array_equal(plain, inside)


def test_nothing_but_eight_bit_frames_is_taken(models):
    for _, backbone in models.values():
        with pytest.raises(ValueError, match="channels first"):
            backbone.extract(np.zeros((1, 3, 64, 64), np.uint8))
