"""A judge that runs here: any vision-language model `transformers` can load from a folder."""

import hashlib
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from revisit_metric.backbones import pick_device
from revisit_metric.judge.protocol import JudgeError, Picture, Question, Reply, Usage
from revisit_metric.judge.rubric import REQUEST
from revisit_metric.weights import file_sha256

if TYPE_CHECKING:
    import torch


class LocalJudge:
    """Greedy decoding of a model in a local folder, one question at a time, in the checkpoint's precision.

    Args:
        folder: A saved model with its processor; nothing is downloaded.
        max_tokens: Longest reply.
        device: Torch device; `None` picks CUDA where there is one, else the CPU.

    Raises:
        ValueError: The folder holds no model, or the device is not there.
    """

    def __init__(self, folder: Path, *, max_tokens: int = 2048, device: str | None = None) -> None:
        import transformers

        if not (folder / "config.json").is_file():
            raise ValueError(f"{folder} holds no model (config.json is missing): not downloaded yet?")
        self._folder = folder
        self._max_tokens = max_tokens
        self._device = pick_device(device)
        library: Any = transformers
        self._processor = library.AutoProcessor.from_pretrained(folder, local_files_only=True)
        model = library.AutoModelForImageTextToText.from_pretrained(folder, local_files_only=True, torch_dtype="auto")
        self._model = model.to(self._device).eval()
        self._identity = {
            "model": folder.resolve().name,
            "model_sha256": folder_sha256(folder),
            "dtype": str(model.dtype).removeprefix("torch."),
            "decoding": "greedy",
            "max_tokens": str(max_tokens),
        }
        # A model answers one question at a time whatever the interview's concurrency.
        self._turn = threading.Lock()

    def identity(self) -> Mapping[str, str]:
        """Return the model's name and hash, its precision and the decoding."""
        return self._identity

    def ask(self, question: Question) -> Reply:
        """Return the reply. Raises `JudgeError` when the model fails, for want of memory say."""
        with self._turn:
            started = time.monotonic()
            try:
                tokens_in, written = self._generate(question)
            except RuntimeError as error:
                raise JudgeError("model failed", str(error)) from error
            text = self._processor.batch_decode([written], skip_special_tokens=True)[0]
            return Reply(
                text=text,
                finish_reason="stop" if self._ended(written) else "length",
                model=self._identity["model"],
                latency_s=round(time.monotonic() - started, 3),
                usage=Usage(tokens_in, len(written)),
            )

    def cancel(self) -> None:
        """A reply that is being written cannot be stopped."""

    def _generate(self, question: Question) -> tuple[int, "torch.Tensor"]:
        import torch

        inputs = self._processor.apply_chat_template(
            _conversation(question),
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        ).to(self._device, self._model.dtype)
        with torch.inference_mode():
            output = self._model.generate(**inputs, max_new_tokens=self._max_tokens, do_sample=False)
        tokens_in = int(inputs["input_ids"].shape[1])
        return tokens_in, output[0, tokens_in:].cpu()

    def _ended(self, written: "torch.Tensor") -> bool:
        if len(written) < self._max_tokens:
            return True
        ends = self._model.generation_config.eos_token_id
        return len(written) > 0 and int(written[-1]) in (ends if isinstance(ends, list) else [ends])


def folder_sha256(folder: Path) -> str:
    """Return one hash over all files of a model folder, by name; hidden files and subfolders are left out."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    told = "".join(f"{path.name}:{file_sha256(path)}\n" for path in files)
    return hashlib.sha256(told.encode()).hexdigest()


def _conversation(question: Question) -> list[dict[str, Any]]:
    # One turn: not every model's template knows a system role.
    text = f"{question.rubric.text}\n\n{REQUEST}"
    content = [{"type": "text", "text": text}, _image(question.earlier), _image(question.later)]
    return [{"role": "user", "content": content}]


def _image(picture: Picture) -> dict[str, Any]:
    return {"type": "image", "image": Image.fromarray(picture.frame)}
