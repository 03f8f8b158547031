"""PSNR and SSIM against scikit-image, the definition of both."""

import cv2
import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from revisit_metric.families.appearance import psnr, ssim


def noise(shape, seed):
    return np.random.default_rng(seed).integers(0, 256, (*shape, 3), np.uint8)


def smooth(shape, phase):
    y, x, c = np.indices((*shape, 3))
    return (127.5 + 127 * np.sin(x / 17 + phase) * np.cos(y / 23 + c)).astype(np.uint8)


def brighter(frame, amount):
    return np.clip(frame.astype(int) + amount, 0, 255).astype(np.uint8)


SHAPES = [(7, 7), (7, 40), (33, 61), (70, 71), (135, 128)]
PAIRS = {
    "random": lambda s: (noise(s, 0), noise(s, 1)),
    "smooth": lambda s: (smooth(s, 0.0), smooth(s, 0.4)),
    "slightly noisy": lambda s: (smooth(s, 0.0), brighter(smooth(s, 0.0), noise(s, 2) % 5)),
    "inverted": lambda s: (noise(s, 3), 255 - noise(s, 3)),
    "constant": lambda s: (np.full((*s, 3), 12, np.uint8), np.full((*s, 3), 200, np.uint8)),
    "one constant": lambda s: (smooth(s, 1.0), np.full((*s, 3), 128, np.uint8)),
    "black and white": lambda s: (np.zeros((*s, 3), np.uint8), np.full((*s, 3), 255, np.uint8)),
    "one grey level apart": lambda s: (smooth(s, 0.0) // 2, smooth(s, 0.0) // 2 + np.uint8(1)),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_pair_equals_scikit_image(name, shape):
    a, b = PAIRS[name](shape)
    assert ssim(a, b) == pytest.approx(
        structural_similarity(a, b, data_range=255, channel_axis=2, win_size=7), abs=1e-6
    )
    assert psnr(a, b) == pytest.approx(peak_signal_noise_ratio(a, b, data_range=255), abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_identical_frames_equal_scikit_image(shape):
    a = noise(shape, 5)
    assert ssim(a, a) == structural_similarity(a, a, data_range=255, channel_axis=2, win_size=7) == 1.0


def test_full_size_frames_equal_scikit_image():
    a = smooth((480, 832), 0.0)
    b = brighter(cv2.GaussianBlur(a, (0, 0), 2.0), noise((480, 832), 6) % 9)
    assert ssim(a, b) == pytest.approx(
        structural_similarity(a, b, data_range=255, channel_axis=2, win_size=7), abs=1e-7
    )
