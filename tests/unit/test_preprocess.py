"""Frames to network input, against torchvision's transforms on Pillow images."""

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import transforms

from revisit_metric.backbones.precision import forward_groups, inference
from revisit_metric.backbones.preprocess import CLIP, IMAGENET, resize_and_crop, resize_to, to_input

BICUBIC = transforms.InterpolationMode.BICUBIC


def noise(height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@pytest.mark.parametrize("size", [(48, 83), (83, 48), (50, 50), (97, 31), (1, 7), (480, 832)], ids=str)
def test_crop_equals_torchvision(size):
    frame = noise(*size)
    theirs = transforms.Compose([transforms.Resize(56, BICUBIC), transforms.CenterCrop(56)])(Image.fromarray(frame))
    assert np.array_equal(resize_and_crop(frame, 56), np.asarray(theirs))


@pytest.mark.parametrize("bilinear", [False, True])
def test_resize_equals_torchvision(bilinear):
    mode = transforms.InterpolationMode.BILINEAR if bilinear else BICUBIC
    theirs = np.asarray(transforms.Resize((30, 20), mode)(Image.fromarray(noise(48, 83))))
    assert np.array_equal(resize_to(noise(48, 83), 30, 20, bilinear=bilinear), theirs)


@pytest.mark.parametrize("statistics", [IMAGENET, CLIP])
def test_input_equals_torchvision(statistics):
    frames = [noise(8, 6, seed) for seed in range(2)]
    steps = transforms.Compose([transforms.ToTensor(), transforms.Normalize(*statistics)])
    theirs = torch.stack([steps(Image.fromarray(frame)) for frame in frames])
    assert (to_input(frames, torch.device("cpu"), statistics) - theirs).abs().max() < 1e-6


def test_accelerators_get_a_whole_group():
    assert forward_groups([1, 2, 3], torch.device("cuda")) == [[1, 2, 3]]
    assert forward_groups([], torch.device("cuda")) == []
    assert forward_groups([1, 2, 3], torch.device("cpu")) == [[1], [2], [3]]


def test_formats_inside_and_switches_after(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    device, layer = torch.device("cpu"), torch.nn.Linear(3, 3)
    for dtype in ("float32", "bfloat16"):
        with inference(device, dtype):
            out = layer(torch.ones(1, 3))
            assert out.dtype == getattr(torch, dtype)
            assert not out.requires_grad
            assert not torch.backends.cudnn.benchmark
    with pytest.raises(RuntimeError, match="inside"), inference(device):
        raise RuntimeError("inside")
    assert torch.backends.cudnn.benchmark
