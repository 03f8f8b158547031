"""Loading checkpoints strictly: a missing, surplus or misshapen tensor is an error that names it.

Conventions:
    Files hold tensors alone: safetensors, or PyTorch pickles read with `weights_only`. A "module." prefix, which
    PyTorch's data parallelism leaves behind, is dropped; nothing else is renamed silently.
"""

import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from revisit_metric.weights.conversion import CheckpointError

if TYPE_CHECKING:
    import torch

_SHOWN = 8


def read_state(path: Path) -> "dict[str, torch.Tensor]":
    """Read the tensors of a safetensors file or a PyTorch state dict.

    Raises:
        CheckpointError: The file is neither, or holds more than tensors.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        state: Any = torch.load(path, map_location="cpu", weights_only=True)
    except (SafetensorError, pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise CheckpointError(f"{path} is no checkpoint of plain tensors: {error}") from error
    if not isinstance(state, Mapping) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise CheckpointError(f"{path} holds more than a mapping of tensors: a training checkpoint?")
    return {str(name).removeprefix("module."): value for name, value in state.items()}


def load_strictly(
    network: "torch.nn.Module", state: "Mapping[str, torch.Tensor]", *, source: Path, derived: Sequence[str] = ()
) -> None:
    """Copy `state` into `network`, whose tensors it must name exactly.

    Args:
        network: The freshly built network.
        state: Tensors by name.
        source: The file, for the message.
        derived: Buffers that follow from the settings; a checkpoint may or may not hold them.

    Raises:
        CheckpointError: A tensor is missing, surplus or of another shape; the message lists them.
    """
    own = {name: value for name, value in network.state_dict().items() if name not in derived}
    given = {name: value for name, value in state.items() if name not in derived}
    misshapen = [
        f"{name} {tuple(given[name].shape)} for {tuple(own[name].shape)}"
        for name in own
        if name in given and given[name].shape != own[name].shape
    ]
    require_match(source, missing=own.keys() - given.keys(), surplus=given.keys() - own.keys(), misshapen=misshapen)
    network.load_state_dict(given, strict=False)


def require_match(
    source: Path, *, missing: "Sequence[str] | set[str]", surplus: "Sequence[str] | set[str]", misshapen: Sequence[str]
) -> None:
    """Raise when a checkpoint and a network differ.

    Raises:
        CheckpointError: One of the three is not empty.

    Example:
        >>> require_match(Path("boq.pth"), missing=["fc.bias"], surplus=[], misshapen=[])
        Traceback (most recent call last):
        revisit_metric.weights.conversion.CheckpointError: boq.pth does not fit the network: missing fc.bias
    """
    parts = [
        f"{what} {_listed(found)}"
        for what, found in (("missing", missing), ("surplus", surplus), ("misshapen", misshapen))
        if found
    ]
    if parts:
        raise CheckpointError(f"{source} does not fit the network: {'; '.join(parts)}")


def load_pretrained(
    model_class: Any,
    config_path: Path,
    weights_path: Path,
    *,
    derived: Sequence[str] = (),
    **settings: Any,
) -> Any:
    """Load a `transformers` model in float32 evaluation mode from two files, strictly and without the network.

    Args:
        model_class: The model's class.
        config_path: Its config.json.
        weights_path: Its model.safetensors.
        derived: Regular expressions of tensors older checkpoints hold beside the weights.
        settings: Configuration values that replace the file's.

    Raises:
        CheckpointError: The weights do not fit the configured network, or a file is unreadable.
    """
    from safetensors import SafetensorError

    try:
        config = model_class.config_class.from_json_file(config_path)
        for name, value in settings.items():
            setattr(config, name, value)
        with _quiet():
            model, info = model_class.from_pretrained(
                weights_path.parent,
                config=config,
                local_files_only=True,
                use_safetensors=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
            )
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{weights_path} cannot be loaded: {error}") from error
    surplus = {key for key in info["unexpected_keys"] if not any(re.search(mark, key) for mark in derived)}
    misshapen = [str(found) for found in info["mismatched_keys"]]
    require_match(weights_path, missing=set(info["missing_keys"]), surplus=surplus, misshapen=misshapen)
    return model.float().eval()


def _listed(found: Sequence[str] | set[str]) -> str:
    shown = sorted(found)
    rest = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + rest


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars or loading reports of `transformers` inside: what does not fit is raised, not logged."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
