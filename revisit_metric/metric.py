"""`RevisitMetric`: the `evaluate` face of the run, for model authors who call the metric inside their own loop.

It turns predictions and references into rollouts and hands them to `revisit_metric.run`; the numbers are those of the
command line and of the functions, to the last digit.
"""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import datasets
import evaluate
import numpy as np

from revisit_metric.families.state import JUDGE_PAIRS
from revisit_metric.judge.settings import JudgeSettings
from revisit_metric.manifest import rollout_from_row
from revisit_metric.run import Settings, evaluate_rollouts

_DESCRIPTION = """\
R2M-Bench revisit consistency of interactive video world models. Each commanded revisit of a rollout is scored against
two controls from the same rollout: a gap-matched non-revisit pair and a short-range pair. MemoryGain (MG) is the
revisit's advantage over the first; the Normalized Memory Ratio (NMR) divides it by the distance between the controls.
"""

_CITATION = """\
The benchmark is R2M-Bench (AMAP-ML). Cite the paper as its authors ask; cite this implementation by CITATION.cff.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: One video a rollout: a path, or a dict with `video` and optionally `model`, `seed`, `fps`,
        `first_frame` (index of the video frame that shows pose 0).
    references: One instance a rollout: a row of the dataset, or a dict with `instance_id` ("scene/template") and
        optionally `poses` (camera-to-world OpenCV, metres, (T, 4, 4)); without poses the template's own are used.
    protocol: Pair protocol, "official" (default) or "paper".
    profile: Set of backbones: "embedded" (default), "embedded-xfeat", "paper" or "official".
    seed: Seed of the pair sampler.
    pairs_per_type: Most revisit pairs; None (default) is the protocol's own cap, "all" none.
    allow_short: Score a video with fewer frames than poses on what it has.
    judge: Who judges persistent state under "paper" and "official": "openai:MODEL", "local:FOLDER", "recorded:FILE", or
        a `JudgeSettings`. judge_pairs: pairs of each type it is shown. Without a judge the state family is missing.
    dtype: Number format of the transformer backbones: "float32" (default), "bfloat16" or "float16".
    device, batch_size, memory_mib: where and how; they change speed, never values.
    out: Folder for the journal and the result; a rerun resumes from it.
Returns:
    A flat dict of scores ("overall", "<family>_nmr", "<metric>_mg", "<metric>_nmr", ...), counts ("n_expected",
    "n_scored"), "failures", and the whole record under "result". A score that was not measured is None.
Examples:
    >>> metric = evaluate.load("./revisit_metric")
    >>> scores = metric.compute(predictions=["rollout.mp4"], references=[{"instance_id": "0001/out_and_back"}])
"""

CONFIG_NAMES = ("default", "revisit")
"""Evaluators behind this metric; `default` is `revisit`."""

_PREDICTION = {
    "video": datasets.Value("string"),
    "model": datasets.Value("string"),
    "seed": datasets.Value("int64"),
    "fps": datasets.Value("float64"),
    "first_frame": datasets.Value("int64"),
}
_REFERENCE = {
    "instance_id": datasets.Value("string"),
    "poses": datasets.Sequence(datasets.Sequence(datasets.Sequence(datasets.Value("float64")))),
}


class RevisitMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate is untyped
    """MemoryGain and Normalized Memory Ratio of world-model rollouts; see `inputs_description` for the arguments."""

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        # evaluate swallows keywords it does not know; a misspelt option would vanish
        unknown = sorted(set(kwargs) - set(inspect.signature(evaluate.EvaluationModule.__init__).parameters))
        if unknown:
            raise TypeError(f"unknown argument {unknown[0]!r}: options of the evaluation belong to compute()")
        super().__init__(config_name=config_name, **kwargs)

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in CONFIG_NAMES:
            raise ValueError(f"unknown config {self.config_name!r}; known configs are {', '.join(CONFIG_NAMES)}")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({"predictions": _PREDICTION, "references": _REFERENCE}),
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one rollout; see `inputs_description` for what a prediction and a reference are."""
        super().add(prediction=_prediction_row(prediction), reference=_reference_row(reference), **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add several rollouts; see `inputs_description` for what predictions and references are."""
        super().add_batch(
            predictions=[_prediction_row(row) for row in _rows(predictions, "predictions")],
            references=[_reference_row(row) for row in _rows(references, "references")],
            **kwargs,
        )

    def _compute(  # noqa: PLR0913  evaluate passes every option by keyword, and refuses those that are not named here
        self,
        predictions: list[dict[str, Any]],
        references: list[dict[str, Any]],
        *,
        protocol: str = "official",
        profile: str = "embedded",
        seed: int = 42,
        pairs_per_type: int | Literal["all"] | None = None,
        allow_short: bool = False,
        judge: str | JudgeSettings | None = None,
        judge_pairs: int | Literal["all"] = JUDGE_PAIRS,
        dtype: str = "float32",
        device: str | None = None,
        batch_size: int = 8,
        memory_mib: int = 2048,
        offline: bool | None = None,
        out: str | Path | None = None,
    ) -> dict[str, Any]:
        settings = Settings(
            protocol=protocol,
            profile=profile,
            seed=seed,
            pairs_per_type=pairs_per_type,
            allow_short=allow_short,
            judge=JudgeSettings(judge) if isinstance(judge, str) else judge,
            judge_pairs=judge_pairs,
            dtype=dtype,
            device=device,
            batch_size=batch_size,
            memory_mib=memory_mib,
            offline=offline,
        )
        rollouts = [
            rollout_from_row(_without_missing({**prediction, **reference}))
            for prediction, reference in zip(predictions, references, strict=True)
        ]
        result = evaluate_rollouts(rollouts, settings, out=Path(out) if out is not None else None)
        return {**result.flat_scores(), "result": result.to_dict()}


def _rows(rows: Any, name: str) -> Iterable[Any]:
    if rows is None:
        raise ValueError(f"{name} are missing: pass one per rollout")
    if isinstance(rows, (str, Path, Mapping)):
        raise ValueError(f"{name} is a single {type(rows).__name__}, expected a list with one entry per rollout")
    return cast("Iterable[Any]", rows)


def _prediction_row(entry: Any) -> dict[str, Any]:
    row = {"video": entry} if isinstance(entry, (str, Path)) else entry
    if not isinstance(row, Mapping) or "video" not in row:
        raise ValueError(f"prediction {entry!r} is neither a video path nor a dict with 'video'")
    unknown = sorted(set(row) - set(_PREDICTION))
    if unknown:
        raise ValueError(f"prediction has unknown key {unknown[0]!r}; known keys are {', '.join(_PREDICTION)}")
    # evaluate takes no missing value for a string, so an unnamed model is an empty one
    model = row.get("model") or ""
    return {**dict.fromkeys(_PREDICTION), **row, "video": str(row["video"]), "model": model}


def _reference_row(entry: Any) -> dict[str, Any]:
    """Take what scoring needs from a reference; a dataset row holds more (image, prompt, ...)."""
    row = {"instance_id": entry} if isinstance(entry, str) else entry
    if not isinstance(row, Mapping) or "instance_id" not in row:
        raise ValueError("reference is neither an instance id nor a dict with 'instance_id'")
    poses = row.get("poses")
    return {
        "instance_id": row["instance_id"],
        "poses": None if poses is None else np.asarray(poses, dtype=np.float64).tolist(),
    }


def _without_missing(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None and value != ""}
