"""The paper's models as real architectures with small random weights, saved to disk as the real ones lie there."""

import cv2
import numpy as np
import pytest
import torch

from revisit_metric.backbones.place_recognition import Boq, MutualVpr

VIT = {"dim": 64, "depth": 2, "heads": 2}


def place(seed, height=96, width=128):
    """A blotchy picture; another seed is another place."""
    coarse = np.random.default_rng(seed).integers(0, 256, (-(-height // 8), -(-width // 8), 3), np.uint8)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


@pytest.fixture(scope="session", name="place")
def place_fixture():
    return place


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny_weights(tmp_path_factory):
    """A weight folder that holds every model of the paper's profile, small."""
    folder = tmp_path_factory.mktemp("weights")
    torch.manual_seed(0)
    for write in (_dinov2, _superpoint, _lightglue, _grounding_dino, _sam2, _clip, _place_recognition):
        write(folder)
    return folder


@pytest.fixture
def small_place_recognition(monkeypatch):
    """BoQ and MutualVPR at the sizes of the small checkpoints; the real sizes are not read from a file."""
    boq, mutual = _place_recognition_networks()
    monkeypatch.setattr(Boq, "build", lambda self: boq())
    monkeypatch.setattr(MutualVpr, "build", lambda self: mutual())


def _place_recognition_networks():
    from revisit_metric.backbones.networks.boq import BoqNetwork, BoqShape
    from revisit_metric.backbones.networks.mutualvpr import MutualVprNetwork
    from revisit_metric.backbones.networks.vit import VitShape

    vit = VitShape(**VIT)
    shape = BoqShape(vit, proj_dim=64, blocks=2, queries=8, row_dim=4)
    return (lambda: BoqNetwork(shape)), (lambda: MutualVprNetwork(vit, 16))


def randomise(network, scale=0.2):
    """Random values for every tensor, so that none of them could be left out unnoticed."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * scale)
    return network.eval()


def _place_recognition(folder):
    boq, mutual = _place_recognition_networks()
    torch.save(randomise(boq()).state_dict(), folder / "dinov2_12288.pth")
    # As data parallelism leaves it.
    state = {f"module.{name}": value for name, value in randomise(mutual(), 0.1).state_dict().items()}
    torch.save(state, folder / "MutualVPR_model_512.pth")


def _dinov2(folder):
    from transformers import Dinov2Config, Dinov2Model

    config = Dinov2Config(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=518, patch_size=14, mlp_ratio=2
    )
    randomise(Dinov2Model(config)).save_pretrained(folder / "dinov2")


def _superpoint(folder):
    from transformers import SuperPointConfig, SuperPointForKeypointDetection

    config = SuperPointConfig(encoder_hidden_sizes=[8, 8, 16, 16], decoder_hidden_size=16)
    model = SuperPointForKeypointDetection(config)
    randomise(model, 0.3).save_pretrained(folder / "superpoint")


def _lightglue(folder):
    from kornia.feature import LightGlue

    net = randomise(LightGlue(None, flash=False), 0.02)
    state = {}
    for name, value in net.state_dict().items():
        # The authors' file groups attention by kind, not by layer.
        parts = name.split(".")
        if parts[0] == "transformers":
            name = ".".join([parts[2], parts[1], *parts[3:]])
        if name != "confidence_thresholds":
            state[name] = value
    torch.save(state, folder / "superpoint_lightglue.pth")


def _bert_vocabulary():
    """Words at the ids the model knows its separators by: [CLS] 101, [SEP] 102, "." 1012, "?" 1029."""
    from revisit_metric.families.object_extraction import WORDS

    words = [f"[unused{k}]" for k in range(1100)]
    for index, word in {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 1012: ".", 1029: "?"}.items():
        words[index] = word
    for index, word in enumerate(WORDS.split()):
        words[200 + index] = word
    return {word: index for index, word in enumerate(words)}


def _bert_tokenizer(path):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece(_bert_vocabulary(), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.save(str(path))


def _grounding_dino(folder):
    from transformers import BertConfig, GroundingDinoConfig, GroundingDinoForObjectDetection, SwinConfig

    swin = SwinConfig(
        image_size=32, embed_dim=16, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    text = BertConfig(vocab_size=1100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
    config = GroundingDinoConfig(
        backbone_config=swin, text_config=text, d_model=32, encoder_layers=1, decoder_layers=2,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        num_queries=12, disable_custom_kernels=True,
    )  # fmt: skip
    randomise(GroundingDinoForObjectDetection(config), 0.05).save_pretrained(folder / "grounding_dino")
    _bert_tokenizer(folder / "grounding_dino" / "tokenizer.json")


def _sam2(folder):
    from transformers import (
        Sam2Config,
        Sam2HieraDetConfig,
        Sam2MaskDecoderConfig,
        Sam2Model,
        Sam2PromptEncoderConfig,
        Sam2VisionConfig,
    )

    hiera = Sam2HieraDetConfig(
        hidden_size=8, image_size=[128, 128], blocks_per_stage=[1, 1, 2, 1], embed_dim_per_stage=[8, 16, 32, 64],
        num_attention_heads_per_stage=[1, 1, 2, 2], window_size_per_stage=[8, 4, 4, 4], global_attention_blocks=[3],
    )  # fmt: skip
    vision = Sam2VisionConfig(
        backbone_config=hiera, backbone_channel_list=[64, 32, 16, 8],
        backbone_feature_sizes=[[32, 32], [16, 16], [8, 8]], fpn_hidden_size=32,
    )  # fmt: skip
    config = Sam2Config(
        vision_config=vision,
        prompt_encoder_config=Sam2PromptEncoderConfig(hidden_size=32, image_size=128),
        mask_decoder_config=Sam2MaskDecoderConfig(
            hidden_size=32, mlp_dim=32, num_attention_heads=2, iou_head_hidden_dim=32
        ),
    )
    randomise(Sam2Model(config), 0.1).save_pretrained(folder / "sam2")


def _clip(folder):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import CLIPConfig, CLIPModel

    tower = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = CLIPConfig(
        text_config={**tower, "vocab_size": 300, "bos_token_id": 298, "eos_token_id": 299},
        vision_config={**tower, "image_size": 224, "patch_size": 32},
        projection_dim=16,
    )
    randomise(CLIPModel(config)).save_pretrained(folder / "clip")
    letters = {f"{chr(97 + k)}{end}": 2 * k + bool(end) for k in range(26) for end in ("", "</w>")}
    vocabulary = {**letters, "<start>": 298, "<end>": 299}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.RobertaProcessing(("<end>", 299), ("<start>", 298))
    tokenizer.save(str(folder / "clip" / "tokenizer.json"))
