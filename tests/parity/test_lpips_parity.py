"""LPIPS against the authors' package: its code and its own linear heads, on the trunk in our file."""

import warnings
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from revisit_metric.backbones.alexnet import AlexNetLpips
from revisit_metric.families.appearance import Lpips
from revisit_metric.weights import MissingWeights, weight_path

# What the lpips 0.1.4 package gives for golden_pair(), on a CPU with torch 2.14.
GOLDEN_LPIPS = 0.0625329


@pytest.fixture(scope="module")
def path():
    try:
        return weight_path("lpips_alex")
    except MissingWeights as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def reference(path):
    import lpips

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="torchvision")
        model = lpips.LPIPS(net="alex", pnet_rand=True, verbose=False)
    tensors = load_file(path)
    convolutions = [module for module in model.net.modules() if isinstance(module, torch.nn.Conv2d)]
    with torch.no_grad():
        for number, module in enumerate(convolutions, start=1):
            module.weight.copy_(torch.from_numpy(tensors[f"conv{number}.weight"]))
            module.bias.copy_(torch.from_numpy(tensors[f"conv{number}.bias"]))

    def distance(a, b):
        first, second = (torch.from_numpy(x).permute(2, 0, 1)[None].float() / 255 * 2 - 1 for x in (a, b))
        with torch.no_grad():
            return model(first, second).item()

    return distance


@pytest.fixture(scope="module")
def backbone(path):
    return AlexNetLpips(path, device="cpu")


def distance(backbone, a, b):
    first, second = backbone.extract(np.stack([a, b]))
    return Lpips().compare([first], [second])["lpips"][0].value


def pattern(height, width):
    y, x, c = np.indices((height, width, 3))
    return ((x * 5 + y * 3 + (x * y) // 7 + c * 40) % 256).astype(np.uint8)


def golden_pair():
    """Integer arithmetic alone, so that the frames are the same everywhere and for ever."""
    a = pattern(96, 128)
    b = a.copy()
    b[24:72, 32:96] = 255 - b[24:72, 32:96]
    return a, b


def noise(height, width, seed):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@pytest.mark.parametrize("size", [(31, 31), (64, 64), (65, 97), (120, 208), (256, 256)], ids=str)
def test_distance_equals_the_package(backbone, reference, size):
    frames = [noise(*size, 0), noise(*size, 1), pattern(*size), cv2.GaussianBlur(pattern(*size), (0, 0), 1.5)]
    for a, b in [(0, 1), (0, 2), (2, 3), (3, 2)]:
        assert distance(backbone, frames[a], frames[b]) == pytest.approx(reference(frames[a], frames[b]), abs=1e-5)


@pytest.mark.parametrize("kind", ["blurred", "noise"])
def test_full_size_distance_equals_the_package(backbone, reference, kind):
    # Millions of terms a layer: where a plain float32 sum would drift.
    a = cv2.resize(noise(60, 104, 2), (832, 480))
    b = cv2.GaussianBlur(a, (0, 0), 2.0) if kind == "blurred" else noise(480, 832, 3)
    assert distance(backbone, a, b) == pytest.approx(reference(a, b), abs=1e-5)


def test_golden_value(backbone, reference):
    assert distance(backbone, *golden_pair()) == pytest.approx(GOLDEN_LPIPS, abs=1e-6)
    assert reference(*golden_pair()) == pytest.approx(GOLDEN_LPIPS, abs=1e-6)


def test_identical_frames_have_distance_zero(backbone):
    a = noise(64, 96, 3)
    assert distance(backbone, a, a) == 0.0


def test_distance_is_symmetric(backbone):
    a, b = golden_pair()
    assert distance(backbone, a, b) == distance(backbone, b, a)


def test_more_blur_is_no_closer(backbone):
    a = cv2.resize(noise(24, 32, 4), (256, 192))
    values = [distance(backbone, a, cv2.blur(a, (2 * r + 1, 2 * r + 1))) for r in range(5)]
    assert values == sorted(values)
    assert values[0] == 0.0


def test_range_is_converted_once(backbone):
    # Feeding [0, 1] instead of [-1, 1] is the classic mistake; it would move this value by far more.
    black, white = np.zeros((64, 64, 3), np.uint8), np.full((64, 64, 3), 255, np.uint8)
    assert distance(backbone, black, white) > 0.5


def test_linear_heads_are_those_of_the_package(path):
    import lpips

    heads = Path(lpips.__file__).parent / "weights" / "v0.1" / "alex.pth"
    state = torch.load(heads, map_location="cpu", weights_only=True)
    ours = load_file(path)
    for layer in range(5):
        theirs = state[f"lin{layer}.model.1.weight"].numpy().reshape(-1)
        assert np.array_equal(ours[f"head{layer + 1}.weight"], theirs)
