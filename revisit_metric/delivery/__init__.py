"""The delivery gate: is a folder of rollouts what the evaluation expects?

Every finding says what is wrong and how to put it right. Errors keep a rollout from being scored, or make its score one
of something else; warnings are for a person to look at.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from revisit_metric.delivery.rollout import Finding, check_rollout, undecodable
from revisit_metric.delivery.scan import Scan, hash_distances, scan_video
from revisit_metric.manifest import Manifest, Rollout
from revisit_metric.video import VideoError

__all__ = ["Finding", "check_delivery"]

SAME_BITS = 3.0
"""Mean number of differing bits of 64 up to which two sequences of hashes show the same video."""


def check_delivery(
    manifest: Manifest,
    *,
    instances: Mapping[str, NDArray[np.uint8]] | None = None,
    expected: Collection[str] | None = None,
    progress: Callable[[Rollout], None] | None = None,
) -> list[Finding]:
    """Check all rollouts of a manifest; each video is decoded once.

    Args:
        manifest: As `read_manifest` gives it.
        instances: Input image, RGB `(H, W, 3)` uint8, by instance id; a rollout of another instance is not compared.
        expected: Ids of the instances that every model is to deliver.
        progress: Called with each rollout before it is decoded.

    Returns:
        Findings: manifest lines, then rollouts in their order, then what concerns several of them.

    Example:
        >>> from pathlib import Path
        >>> gone = Rollout("0001/out_and_back", Path("gone.mp4"), trajectory="out_and_back")
        >>> [finding.code for finding in check_delivery(Manifest((gone,), ()))]
        ['missing']
    """
    findings = [
        Finding("error", line.cause, line.rollout_id, line.message, _line_fix(line.cause))
        for line in manifest.bad_lines
    ]
    scans: dict[str, Scan] = {}
    for rollout in manifest.rollouts:
        if progress is not None:
            progress(rollout)
        try:
            scan = scan_video(rollout.video, first_frame=rollout.first_frame)
        except VideoError as error:
            findings.append(undecodable(rollout, error))
            continue
        findings += check_rollout(rollout, scan, instances)
        # Kept pictures of a thousand rollouts would fill the memory.
        scans[rollout.rollout_id] = replace(scan, first=None)
    findings += _sizes(manifest.rollouts, scans)
    findings += _duplicates(manifest.rollouts, scans)
    if expected is not None:
        findings += _coverage(manifest.rollouts, expected)
    return findings


def _line_fix(cause: str) -> str:
    if cause == "duplicate_rollout":
        return "remove one of the lines, or give each sample its own seed"
    return "correct the line as the message says; the keys are described in revisit_metric.manifest"


def _sizes(rollouts: Iterable[Rollout], scans: Mapping[str, Scan]) -> Iterator[Finding]:
    models: dict[str, dict[str, str]] = defaultdict(dict)
    for rollout in rollouts:
        if rollout.rollout_id in scans:
            info = scans[rollout.rollout_id].info
            models[rollout.model_id][rollout.rollout_id] = f"{info.width}x{info.height}"
    for model, sizes in models.items():
        (usual, count), *_ = Counter(sizes.values()).most_common()
        for name, size in sizes.items():
            if size != usual:
                text = f"frames of {size}, {count} of {len(sizes)} rollouts of {model} have {usual}"
                fix = "generate all rollouts of a model at one size; scores depend on it"
                yield Finding("warning", "size_differs", name, text, fix)


def _duplicates(rollouts: Iterable[Rollout], scans: Mapping[str, Scan]) -> Iterator[Finding]:
    decoded = [rollout for rollout in rollouts if rollout.rollout_id in scans]
    if not decoded:
        return
    hashes = np.stack([scans[rollout.rollout_id].hashes for rollout in decoded])
    lengths = np.array([scans[rollout.rollout_id].n_frames for rollout in decoded])
    first_with: dict[str, Rollout] = {}
    for index, rollout in enumerate(decoded):
        twin = first_with.setdefault(scans[rollout.rollout_id].sha256, rollout)
        if twin is not rollout:
            yield _twin(rollout, twin)
            continue
        close = (lengths[:index] == lengths[index]) & (hash_distances(hashes[:index], hashes[index]) <= SAME_BITS)
        others = (decoded[i] for i in np.flatnonzero(close) if decoded[i].instance_id != rollout.instance_id)
        alike = next(others, None)
        if alike is not None:
            text = f"shows the same frames as {alike.rollout_id!r}, encoded differently"
            fix = "check which instance the video belongs to, and whether the model heeds its actions"
            yield Finding("warning", "same_frames", rollout.rollout_id, text, fix)


def _twin(rollout: Rollout, twin: Rollout) -> Finding:
    text = f"the file is identical to that of {twin.rollout_id!r}"
    if twin.model_id == rollout.model_id and twin.instance_id == rollout.instance_id:
        fix = "check that the seed reaches the model; if it knows no seed, list the video once"
        return Finding("warning", "duplicate_seed", rollout.rollout_id, text, fix)
    fix = "replace it by the video of this instance and model"
    return Finding("error", "duplicate_video", rollout.rollout_id, text, fix)


def _coverage(rollouts: Iterable[Rollout], expected: Collection[str]) -> Iterator[Finding]:
    models: dict[str, set[str]] = defaultdict(set)
    for rollout in rollouts:
        models[rollout.model_id].add(rollout.instance_id)
    if not models:
        models["no model"] = set()
    wanted = set(expected)
    for model, found in models.items():
        for name in dict.fromkeys(expected):
            if name not in found:
                text = f"{model} delivers no rollout of instance {name!r}"
                fix = "generate it and add its line; a result without it says that it is incomplete"
                yield Finding("error", "missing_instance", f"{model}/{name}", text, fix)
        for name in sorted(found - wanted):
            text = f"instance {name!r} is not among the {len(wanted)} expected ones"
            fix = "remove its line, or check the spelling of 'instance_id'"
            yield Finding("warning", "surplus_instance", f"{model}/{name}", text, fix)
