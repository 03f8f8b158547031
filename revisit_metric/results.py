"""The result of a run: one versioned JSON record that says what was measured, how, and what was not.

Everything but the `run` block (seconds, device) is a function of the journal and the settings, so two runs over the
same rollouts give the same bytes whatever order or machine they ran in. A number that does not exist is null and its
reason stands beside it.

Fields of the record:
    schema, package_version, task: What wrote it.
    settings: What shaped the scores: protocol, profile, seed, cap.
    profile: Scores and backbones with everything that determines their values: versions, weights' sha256, settings.
    diagnosis_scales: The thresholds behind every label.
    n_expected, n_scored, failures: How many rollouts there should be and are, and each other one with its cause.
    missing_metrics: Metrics of the profile that could not run, with the reason.
    models: One block a model (`tasks.revisit.model_block`): metrics, balanced and partial, families, Overall.
    rollouts: One block a scored rollout (`tasks.revisit.rollout_block`): the video, its pair set, its metrics.
    run: What this process did.
"""

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from revisit_metric import __version__
from revisit_metric.diagnosis import DEFAULT_SCALES, scales_record
from revisit_metric.families.protocol import Metric, RetryableScore
from revisit_metric.manifest import Rollout
from revisit_metric.profiles import Loaded
from revisit_metric.tasks import revisit

SCHEMA = "revisit-metric/result/1"
"""Changes whenever a reader of an older result would misread a newer one."""


class Failure(NamedTuple):
    """A rollout that could not be scored."""

    rollout_id: str
    cause: str
    message: str


class Scored(NamedTuple):
    """A scored rollout: its journal lines."""

    line: Mapping[str, Any]
    scores: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Result:
    """A result record and the views of it that callers want.

    Attributes:
        record: The JSON-ready dict; the module's docstring names its fields.
    """

    record: dict[str, Any]

    @property
    def complete(self) -> bool:
        """Whether every expected rollout was scored by every metric of the profile, and no rerun can add a value."""
        done: bool = self.record["n_scored"] == self.record["n_expected"]
        return done and not self.record["missing_metrics"] and not self.record.get("unanswered")

    def to_dict(self) -> dict[str, Any]:
        """Return the record."""
        return self.record

    def flat_scores(self) -> dict[str, Any]:
        """Return the scores as a flat dict, ready for a logger.

        Keys: "overall", "<family>_nmr", "<metric>_mg", "<metric>_dr", "<metric>_nmr" (balanced over the three
        trajectories, `None` unless all are there), the same with suffix "_partial" over the trajectories present,
        "n_expected", "n_scored" and "failures". With several models the keys are prefixed "model/".
        """
        models = self.record["models"]
        flat: dict[str, Any] = {}
        for name, block in models.items():
            prefix = "" if len(models) == 1 else f"{name}/"
            flat.update({f"{prefix}{key}": value for key, value in _flat_model(block).items()})
        return {**flat, **{key: self.record[key] for key in ("n_expected", "n_scored", "failures")}}

    def to_json(self) -> str:
        """Return the record as JSON that a strict parser reads: sorted keys, no NaN, no Infinity."""
        return json.dumps(self.record, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1) + "\n"

    def write(self, path: Path) -> None:
        """Write the JSON; a reader never sees half a file."""
        scratch = path.with_name(f".{path.name}.{os.getpid()}")
        scratch.write_text(self.to_json(), encoding="utf-8")
        scratch.replace(path)


def read_result(path: Path) -> Result:
    """Read a result record.

    Raises:
        ValueError: If the file is not a result of a schema this version reads.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a result: {error}") from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"{path} has schema {schema!r}, this version reads {SCHEMA!r}")
    return Result(record)


def build_result(
    rollouts: Sequence[Rollout],
    scored: Mapping[str, Scored],
    failures: Sequence[Failure],
    *,
    settings: Mapping[str, Any],
    loaded: Loaded,
    run: Mapping[str, Any],
) -> Result:
    """Put a result together from journal lines.

    Args:
        rollouts: Every expected rollout that has an id, scored or not.
        scored: Journal lines by rollout id.
        failures: What could not be scored, also manifest lines without a usable id.
        settings: The settings that shape scores.
        loaded: The profile the values were made with.
        run: What the process did; the only part that differs between equal runs.
    """
    metrics = [metric for score in loaded.scores for metric in score.metrics]
    blocks = [
        revisit.rollout_block(rollout, *scored[rollout.rollout_id], metrics)
        for rollout in sorted(rollouts, key=lambda rollout: rollout.rollout_id)
        if rollout.rollout_id in scored
    ]
    listed = {failure.rollout_id for failure in failures}
    return _as_read(
        {
            "schema": SCHEMA,
            "package_version": __version__,
            "task": "revisit",
            "settings": dict(settings),
            "profile": _profile_block(loaded),
            "diagnosis_scales": scales_record(
                DEFAULT_SCALES[metric.name] for metric in metrics if metric.name in DEFAULT_SCALES
            ),
            "n_expected": len(listed | {rollout.rollout_id for rollout in rollouts}),
            "n_scored": len(blocks),
            "failures": [failure._asdict() for failure in sorted(failures)],
            "missing_metrics": dict(loaded.missing),
            "unanswered": _unanswered(blocks, loaded),
            "models": _models(rollouts, blocks, metrics, loaded),
            "rollouts": blocks,
            "run": dict(run),
        }
    )


def _as_read(record: Mapping[str, Any]) -> Result:
    """The result as a reader of its file sees it: lists where Python had tuples, and no NaN or infinity."""
    return Result(json.loads(json.dumps(record, allow_nan=False)))


def _models(
    rollouts: Sequence[Rollout], blocks: Sequence[revisit.Block], metrics: Sequence[Metric], loaded: Loaded
) -> dict[str, Any]:
    composition = loaded.profile.metrics()
    models: dict[str, Any] = {}
    for name in sorted({rollout.model_id for rollout in rollouts}):
        own = [rollout for rollout in rollouts if rollout.model_id == name]
        ids = {rollout.rollout_id for rollout in own}
        mine = [block for block in blocks if block["rollout_id"] in ids]
        models[name] = revisit.model_block(own, mine, metrics, composition)
    return models


def _unanswered(blocks: Sequence[revisit.Block], loaded: Loaded) -> dict[str, dict[str, int]]:
    """Metric -> reason -> number of pairs, of the values that a rerun would ask for again."""
    unanswered: dict[str, Counter[str]] = defaultdict(Counter)
    for score in loaded.scores:
        if not isinstance(score, RetryableScore):
            continue
        for block, metric in product(blocks, score.metrics):
            notes: Mapping[str, int] = block["metrics"][metric.name]["notes"]
            unanswered[metric.name].update({note: n for note, n in notes.items() if score.asks_again(note)})
    return {metric: dict(counted) for metric, counted in unanswered.items() if counted}


def _profile_block(loaded: Loaded) -> dict[str, Any]:
    return {
        "name": loaded.profile.name,
        "version": loaded.profile.version,
        "scores": {
            score.name: {
                "backbone": score.backbone,
                "identity": dict(score.identity()),
                "metrics": {metric.name: _metric_record(metric) for metric in score.metrics},
            }
            for score in loaded.scores
        },
        "backbones": {name: dict(backbone.identity()) for name, backbone in sorted(loaded.backbones.items())},
    }


def _metric_record(metric: Metric) -> dict[str, Any]:
    """The metric's own account of itself; an open bound is `None`, since JSON knows no infinity."""
    bounds = [bound if math.isfinite(bound) else None for bound in metric.bounds]
    return {**metric._asdict(), "bounds": bounds}


def _flat_model(block: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {"overall": block["overall"]}
    for family, summary in block["families"].items():
        flat[f"{family}_nmr"] = summary["nmr"]
        flat[f"{family}_nmr_partial"] = summary["partial"]
    for metric, summary in block["metrics"].items():
        for kind in ("mg", "dr", "nmr"):
            flat[f"{metric}_{kind}"] = summary[kind]
            flat[f"{metric}_{kind}_partial"] = summary["partial"][kind]
    return flat
