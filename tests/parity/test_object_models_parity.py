"""GroundingDINO, SAM 2.1 and CLIP against plain calls of `transformers` on the same weights."""

import json

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch.nn import functional
from torchvision import transforms

from revisit_metric.backbones.clip import Clip
from revisit_metric.backbones.grounding_dino import GroundingDino, input_size
from revisit_metric.backbones.sam2 import Sam2
from revisit_metric.families.object_extraction import PROMPT
from revisit_metric.weights.conversion import CheckpointError

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


@pytest.fixture
def detector(tiny_weights):
    return make_detector(tiny_weights)


def make_detector(folder, **options):
    files = ("config.json", "tokenizer.json", "model.safetensors")
    return GroundingDino(*(folder / "grounding_dino" / name for name in files), device="cpu", **options)


@pytest.fixture
def segmenter(tiny_weights):
    return Sam2(tiny_weights / "sam2/config.json", tiny_weights / "sam2/model.safetensors", device="cpu")


@pytest.fixture
def clip(tiny_weights):
    files = ("config.json", "tokenizer.json", "model.safetensors")
    return Clip(*(tiny_weights / "clip" / name for name in files), device="cpu")


# --- GroundingDINO ---


def naive_detections(folder, frame, prompt):
    """The library's model and post-processing on torchvision's transforms."""
    from transformers import (
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        GroundingDinoProcessor,
        PreTrainedTokenizerFast,
    )

    model = GroundingDinoForObjectDetection.from_pretrained(folder / "grounding_dino").eval()
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "grounding_dino/tokenizer.json"))
    size = input_size(*frame.shape[:2])
    steps = [transforms.Resize(size), transforms.ToTensor(), transforms.Normalize(*IMAGENET)]
    pixels = transforms.Compose(steps)(Image.fromarray(frame))[None]
    ids = torch.tensor([tokenizer(prompt)["input_ids"]])
    with torch.no_grad():
        outputs = model(pixel_values=pixels, input_ids=ids)
    processor = GroundingDinoProcessor(GroundingDinoImageProcessor(), tokenizer)
    return processor.post_process_grounded_object_detection(
        outputs, ids, threshold=0.25, text_threshold=0.20, target_sizes=[frame.shape[:2]]
    )[0]


@pytest.mark.parametrize("prompt", [PROMPT, "chair .", "chair table ."])
@pytest.mark.parametrize("size", [(96, 128), (64, 64), (120, 50)], ids=str)
def test_detections_equal_the_librarys(detector, tiny_weights, place, size, prompt):
    frame = place(0, *size)
    expected = naive_detections(tiny_weights, frame, prompt)
    found = detector.detect(frame, prompt)
    assert len(found) == len(expected["scores"]) > 0
    limits = torch.tensor([size[1], size[0]] * 2) - 1
    boxes = torch.minimum(expected["boxes"].clamp(min=0), limits).numpy()
    assert np.abs(np.array([one.box for one in found]) - boxes).max() < 1e-2
    assert np.abs(np.array([one.score for one in found]) - expected["scores"].numpy()).max() < 1e-5
    phrases = [" ".join(phrase.replace(".", "").split()) for phrase in expected["text_labels"]]
    assert [" ".join(one.phrase.split()) for one in found] == phrases


def test_thresholds_and_phrases_by_hand(detector):
    ids = detector._tokenizer.encode("chair . table .").ids
    assert ids == [101, 210, 1012, 211, 1012, 102]
    probabilities = np.zeros(256, np.float32)
    for wanted, expected in [((1,), "chair"), ((1, 3), "chair table"), ((0, 1, 255), "chair"), ((2, 4), ""), ((), "")]:
        probabilities[:] = 0.20
        probabilities[list(wanted)] = 0.21
        assert " ".join(detector._phrase(probabilities, ids).split()) == expected


@pytest.mark.parametrize("size", [(480, 832), (832, 480), (720, 1280), (64, 64), (801, 800)])
def test_input_size_is_the_librarys(size):
    from transformers.models.grounding_dino.image_processing_grounding_dino import get_size_with_aspect_ratio

    # The library rounds where the authors' code cuts.
    differences = np.subtract(input_size(*size), get_size_with_aspect_ratio(size, 800, 1333))
    assert np.abs(differences).max() <= 1


def test_input_size_by_hand():
    # 37 / 1000 * 1333 = 49.3; 49 * 1000 / 37 = 1324.3
    assert input_size(37, 1000) == (49, 1324)
    assert input_size(1000, 37) == (1324, 49)
    assert input_size(1, 3000) == (1, 3000)


def test_the_second_prompt_on_a_frame_is_not_influenced_by_the_first(detector, tiny_weights, place):
    a, b = place(0), place(1)
    alone = {(k, prompt): make_detector(tiny_weights).detect(frame, prompt)
             for k, frame in enumerate((a, b)) for prompt in (PROMPT, "lamp .")}  # fmt: skip
    for k, prompt in [(0, PROMPT), (0, "lamp ."), (1, "lamp ."), (0, "lamp ."), (1, PROMPT), (1, PROMPT)]:
        assert detector.detect((a, b)[k], prompt) == alone[k, prompt]


def test_the_image_tower_runs_once_a_frame(detector, place):
    counted = []
    tower = detector._model.model.backbone.conv_encoder
    handle = tower.register_forward_hook(lambda *_: counted.append(1))
    frame = place(0)
    for prompt in (PROMPT, "lamp .", "chair ."):
        detector.detect(frame, prompt)
    detector.detect(place(1), "chair .")
    handle.remove()
    assert len(counted) == 2


@pytest.mark.parametrize("value", [0, 128, 255])
def test_flat_frames_are_defined(detector, segmenter, value):
    frame = np.full((64, 48, 3), value, np.uint8)
    for one in detector.detect(frame, PROMPT):
        x0, y0, x1, y1 = one.box
        assert 0 <= x0 <= x1 <= 47
        assert 0 <= y0 <= y1 <= 63
        assert 0.25 < one.score <= 1
    assert segmenter.segment(frame, np.float32([[0, 0, 20, 20]])).shape == (1, 64, 48)


def test_detector_in_another_number_format(tiny_weights, place):
    half = make_detector(tiny_weights, dtype="bfloat16")
    full = make_detector(tiny_weights)
    assert half.identity()["dtype"] == "bfloat16"
    a, b = (model.detect(place(0), "chair .") for model in (half, full))
    assert a
    assert abs(max(one.score for one in a) - max(one.score for one in b)) < 0.05


# --- SAM 2.1 ---


BOXES = np.float32([[10, 12, 60, 70], [0, 0, 127, 95], [100.5, 3.25, 120, 40], [5, 5, 9, 9]])


def naive_masks(folder, frame, boxes):
    """The authors' steps around the library's model: one call a box."""
    from transformers import Sam2Model

    model = Sam2Model.from_pretrained(folder / "sam2").eval()
    steps = [transforms.Resize((128, 128)), transforms.Normalize(*IMAGENET)]
    pixels = transforms.Compose(steps)(transforms.ToTensor()(Image.fromarray(frame)))[None]
    height, width = frame.shape[:2]
    masks = []
    for box in boxes:
        prompt = torch.from_numpy(box) / torch.tensor([width, height, width, height]) * 128
        with torch.no_grad():
            low = model(pixel_values=pixels, input_boxes=prompt[None, None], multimask_output=False).pred_masks
            logits = functional.interpolate(low[0], (height, width), mode="bilinear", align_corners=False)
        masks.append(logits[0, 0].numpy() > 0)
    return np.stack(masks)


@pytest.mark.parametrize("size", [(96, 128), (130, 121)], ids=str)
def test_masks_equal_the_librarys_box_by_box(segmenter, tiny_weights, place, size):
    frame = place(2, *size)
    ours, expected = segmenter.segment(frame, BOXES), naive_masks(tiny_weights, frame, BOXES)
    assert ours.shape == (4, *size)
    assert 0 < expected.mean() < 1
    # A pixel whose logit is 0 to the last bits may fall on either side.
    assert (ours != expected).mean() < 1e-3


def test_the_librarys_processor_gives_nearly_the_same_masks(segmenter, tiny_weights, place):
    from transformers import Sam2ImageProcessor, Sam2Model, Sam2Processor

    frame = place(2)
    processor = Sam2Processor(Sam2ImageProcessor(size={"height": 128, "width": 128}), target_size=128)
    inputs = processor(images=Image.fromarray(frame), input_boxes=[BOXES.tolist()], return_tensors="pt")
    sizes = inputs.pop("original_sizes")
    with torch.no_grad():
        outputs = Sam2Model.from_pretrained(tiny_weights / "sam2").eval()(**inputs, multimask_output=False)
    masks = processor.post_process_masks(outputs.pred_masks, sizes)[0][:, 0].numpy()
    assert (segmenter.segment(frame, BOXES) != masks).mean() < 0.01


def test_a_frame_is_embedded_once_and_boxes_do_not_mix(segmenter, place):
    counted = []
    handle = segmenter._model.vision_encoder.register_forward_hook(lambda *_: counted.append(1))
    frame, other = place(2), place(3)
    together = segmenter.segment(frame, BOXES)
    alone = [segmenter.segment(frame, box[None])[0] for box in BOXES]
    assert len(counted) == 1
    assert (together != np.stack(alone)).mean() < 1e-3
    assert (segmenter.segment(other, BOXES) != together).any()
    assert np.array_equal(segmenter.segment(frame, BOXES), together)
    assert len(counted) == 3
    handle.remove()
    assert segmenter.segment(frame, np.empty((0, 4), np.float32)).shape == (0, 96, 128)


def test_video_parts_of_the_checkpoint_are_expected_other_surplus_is_not(segmenter, tiny_weights, tmp_path, place):
    # The Hub's file is a video model's: its configuration says so, and it holds the memory's tensors.
    settings = json.loads((tiny_weights / "sam2/config.json").read_text())
    settings |= {"model_type": "sam2_video", "architectures": ["Sam2VideoModel"], "num_maskmem": 7}
    config, path = tmp_path / "config.json", tmp_path / "model.safetensors"
    config.write_text(json.dumps(settings))
    state = load_file(tiny_weights / "sam2/model.safetensors")
    state["memory_attention.layers.0.linear1.weight"] = torch.zeros(2)
    save_file(state, path, metadata={"format": "pt"})
    as_video = Sam2(config, path, device="cpu")
    assert np.array_equal(as_video.segment(place(2), BOXES), segmenter.segment(place(2), BOXES))
    state["mask_decoder.extra"] = torch.zeros(2)
    save_file(state, path, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=r"surplus mask_decoder\.extra"):
        Sam2(config, path, device="cpu")


# --- CLIP ---


def unit(vectors):
    return functional.normalize(vectors, dim=-1).numpy()


def features(output):
    """Older versions of the library give the vectors, newer ones an object that holds them."""
    return output if isinstance(output, torch.Tensor) else output.pooler_output


def test_clip_equals_the_library(clip, tiny_weights, place):
    from transformers import CLIPModel

    model = CLIPModel.from_pretrained(tiny_weights / "clip").eval()
    steps = [
        transforms.Resize(224, transforms.InterpolationMode.BICUBIC),
        transforms.CenterCrop(224),
        transforms.ToTensor(),
        transforms.Normalize((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    ]
    crops = [place(0), place(1, 30, 12), place(2, 5, 90)]
    pixels = torch.stack([transforms.Compose(steps)(Image.fromarray(crop)) for crop in crops])
    ids = torch.tensor([clip._tokenizer.encode("chair table").ids])
    with torch.no_grad():
        images, text = features(model.get_image_features(pixel_values=pixels)), features(model.get_text_features(ids))
    assert np.abs(clip.embed_images(crops) - unit(images)).max() < 1e-5
    assert np.abs(clip.embed_text("chair table") - unit(text)[0]).max() < 1e-5
    assert clip.embed_images([]).shape == (0, 16)


def test_text_longer_than_the_model_is_cut(clip):
    vector = clip.embed_text("a" * 40 + " " + "b" * 60)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)
    assert not np.allclose(vector, clip.embed_text("a"), atol=1e-4)


def test_position_ids_in_an_older_checkpoint_are_no_surplus(tiny_weights, tmp_path):
    state = load_file(tiny_weights / "clip/model.safetensors")
    state["text_model.embeddings.position_ids"] = torch.arange(77)[None]
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    files = (tiny_weights / "clip/config.json", tiny_weights / "clip/tokenizer.json")
    Clip(*files, tmp_path / "model.safetensors", device="cpu")
    state["extra"] = torch.zeros(1)
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="surplus extra"):
        Clip(*files, tmp_path / "model.safetensors", device="cpu")
