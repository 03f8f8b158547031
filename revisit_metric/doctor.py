"""`r2m doctor`: what is installed, which weights are where, and what each profile lacks; nothing is downloaded."""

import importlib.util
import os
import platform
from importlib import metadata
from typing import NamedTuple

from revisit_metric import profiles, weights
from revisit_metric.controls import renderer

PACKAGES = {
    "torch": None,
    "torchvision": None,
    "transformers": None,
    "datasets": None,
    "evaluate": None,
    "huggingface-hub": None,
    "decord2": None,
    "av": None,
    "opencv-python-headless": None,
    "lpips": None,
    "kornia": None,
    "numpy": None,
    "scipy": None,
    "moderngl": "controls",
    "openai": "judge",
    "ray": "ray",
    "gradio": "space",
}
"""Distribution -> the extra that brings it, `None` when it always comes along."""


class Finding(NamedTuple):
    """One line of the examination; `ok` is `None` where nothing is wrong but something optional is absent."""

    topic: str
    name: str
    ok: bool | None
    detail: str


def examine() -> list[Finding]:
    """Look at the machine and the installation without changing either."""
    return [
        Finding("machine", "python", True, f"{platform.python_version()} on {platform.platform()}"),
        Finding("machine", "processors", True, f"{os.cpu_count()} cores"),
        _device(),
        *(_package(name, extra) for name, extra in PACKAGES.items()),
        _renderer(),
        *(_weights(row) for row in weights.status()),
        *(_profile(name) for name in profiles.PROFILES),
    ]


def _device() -> Finding:
    if importlib.util.find_spec("torch") is None:
        return Finding("machine", "device", False, "torch is not installed")
    import torch

    if not torch.cuda.is_available():
        return Finding("machine", "device", True, f"cpu, {torch.get_num_threads()} threads (no CUDA device)")
    memory = torch.cuda.get_device_properties(0).total_memory / 2**30
    return Finding("machine", "device", True, f"{torch.cuda.get_device_name(0)}, {memory:.0f} GiB")


def _package(name: str, extra: str | None) -> Finding:
    try:
        return Finding("package", name, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        if extra is None:
            return Finding("package", name, False, f"not installed: pip install {name}")
        return Finding("package", name, None, f"not installed: pip install 'revisit-metric[{extra}]'")


def _renderer() -> Finding:
    available, reason = renderer.available()
    return Finding("controls", "offline renderer", True if available else None, reason)


def _weights(row: weights.Status) -> Finding:
    return Finding("weights", row.name, True if row.path is not None else None, row.detail)


def _profile(name: str) -> Finding:
    missing = profiles.missing(name)
    if not missing:
        return Finding("profile", name, True, "every metric can be computed")
    return Finding("profile", name, None, "; ".join(f"{metric}: {reason}" for metric, reason in missing.items()))
