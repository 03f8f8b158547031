"""How networks are run: which number format, without the caller's global switches, and in which groups.

Conventions:
    "float32" is full precision on every device: no TF32, no autocast, deterministic convolutions. "bfloat16" and
    "float16" keep the weights in float32 and run matrix products and convolutions in that format (autocast); they
    are an explicit choice and part of a backbone's identity.
    On the CPU frames go through one at a time, so a value never depends on its batch, bit for bit, and at these
    sizes nothing is lost. Accelerators take a whole batch; there a descriptor's components move by rounding alone
    (1e-5 of its length in float32).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import torch

Item = TypeVar("Item")

DTYPES = ("float32", "bfloat16", "float16")
"""Number formats a transformer backbone can run in."""


def check_dtype(dtype: str) -> str:
    """Return `dtype` when it is one of `DTYPES`.

    Raises:
        ValueError: It is not.

    Example:
        >>> check_dtype("fp16")
        Traceback (most recent call last):
        ValueError: dtype 'fp16' is unknown, expected one of float32, bfloat16, float16
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype {dtype!r} is unknown, expected one of {', '.join(DTYPES)}")
    return dtype


def forward_groups(items: Sequence[Item], device: "torch.device") -> list[Sequence[Item]]:
    """Split what one forward pass takes: single items on the CPU, everything at once on an accelerator.

    Example:
        >>> import torch
        >>> forward_groups([1, 2], torch.device("cpu")), forward_groups([], torch.device("cpu"))
        ([[1], [2]], [])
    """
    if device.type == "cpu":
        return [items[index : index + 1] for index in range(len(items))]
    return [items] if len(items) else []


@contextmanager
def inference(device: "torch.device", dtype: str = "float32") -> Iterator[None]:
    """Run networks inside without gradients and in `dtype`; the caller's global switches are put back after."""
    import torch

    switches = _switches()
    before = [getattr(owner, name) for owner, name, _ in switches]
    half = dtype != "float32"
    autocast = torch.autocast(device.type, dtype=getattr(torch, dtype) if half else None, enabled=half)
    try:
        for owner, name, value in switches:
            setattr(owner, name, value)
        with autocast, torch.inference_mode():
            yield
    finally:
        for (owner, name, _), value in zip(switches, before, strict=True):
            setattr(owner, name, value)


def _switches() -> list[tuple[Any, str, Any]]:
    import torch

    backends: Any = torch.backends
    cudnn, onednn, products = backends.cudnn, backends.mkldnn, backends.cuda.matmul
    if hasattr(cudnn, "conv"):
        # Newer torch; reading or writing the old switches after a caller used the new ones raises.
        owners = (cudnn.conv, onednn.conv, onednn.matmul, products)
        precision: list[tuple[Any, str, Any]] = [(owner, "fp32_precision", "ieee") for owner in owners]
    else:
        precision = [(cudnn, "allow_tf32", False), (products, "allow_tf32", False)]
    return [(cudnn, "benchmark", False), (cudnn, "deterministic", True), *precision]
