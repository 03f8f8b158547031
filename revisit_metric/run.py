"""The evaluation of many rollouts: plan, decode once, score, journal, resume.

A rollout is the unit of work. Its journal lines are keyed by hashes of everything they depend on (video, commanded
poses, protocol, score versions, weights), so a rerun scores exactly what is missing or has changed, and the result is
built from journal lines alone, whether they were written a second or a month ago.
"""

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from revisit_metric import profiles
from revisit_metric.families.protocol import PairScore
from revisit_metric.journal import Journal, content_key
from revisit_metric.manifest import BadLine, Rollout
from revisit_metric.pairs import PROTOCOLS, PairSet, sample_pairs
from revisit_metric.progress import RunProgress, Silent
from revisit_metric.results import Failure, Result, Scored, build_result
from revisit_metric.scoring import Schedule, score_pairs
from revisit_metric.tasks import revisit
from revisit_metric.video import FrameReader, VideoError, content_sha256, count_frames, decoder_identity, probe

JOURNAL_NAME = "journal.jsonl"
RESULT_NAME = "result.json"


@dataclass(frozen=True)
class Settings:
    """How rollouts are evaluated.

    Attributes:
        protocol: Pair protocol, "official" or "paper".
        profile: Set of backbones, "embedded".
        seed: Seed of the pair sampler.
        pairs_per_type: Most revisit pairs; `None` is the protocol's own cap, "all" none.
        allow_short: Score a video that has fewer frames than commanded poses on the frames it has, as the released
            code does, instead of refusing it.
        device: Torch device; `None` picks CUDA where there is one, else the CPU.
        batch_size: Frames per backbone call.
        memory_mib: Budget of the feature cache, in MiB.
        offline: Never download weights; `None` leaves it to the environment.
    """

    protocol: str = "official"
    profile: str = "embedded"
    seed: int = 42
    pairs_per_type: int | Literal["all"] | None = None
    allow_short: bool = False
    device: str | None = None
    batch_size: int = 8
    memory_mib: int = 2048
    offline: bool | None = None

    def shaping(self) -> dict[str, Any]:
        """Return the settings that shape scores; the others change only where and how fast they are computed."""
        free = ("device", "batch_size", "memory_mib", "offline")
        return {key: value for key, value in asdict(self).items() if key not in free}

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"unknown pair protocol {self.protocol!r}; known: {', '.join(PROTOCOLS)}")
        if self.memory_mib < 1:
            raise ValueError(f"memory_mib is {self.memory_mib}, expected at least 1 MiB")
        if self.batch_size < 1:
            raise ValueError(f"batch_size is {self.batch_size}, expected at least 1 frame")


def evaluate_rollouts(
    rollouts: Sequence[Rollout],
    settings: Settings | None = None,
    *,
    bad_lines: Iterable[BadLine] = (),
    out: Path | None = None,
    progress: RunProgress | None = None,
    loaded: profiles.Loaded | None = None,
) -> Result:
    """Score rollouts and return the result; nothing that fails is dropped, it is listed with its cause.

    Args:
        rollouts: What to score; ids must be unique.
        settings: How; the defaults are the benchmark's.
        bad_lines: Manifest lines that named no usable rollout; they count as expected and failed.
        out: Folder for `journal.jsonl` (resumed from when it exists) and `result.json`; `None` keeps all in memory.
        progress: Display.
        loaded: A profile already loaded, to reuse backbones over several calls in one process.

    Raises:
        ValueError: If two rollouts share an id, or a setting names an unknown protocol or profile.
    """
    settings = settings or Settings()
    _refuse_duplicates(rollouts)
    started = time.time()
    progress = progress or Silent()
    loaded = loaded or profiles.load(settings.profile, device=settings.device, offline=settings.offline)
    evaluation = _Evaluation(settings, loaded, Journal(out / JOURNAL_NAME if out is not None else None), progress)
    progress.start(len(rollouts))
    scored: dict[str, Scored] = {}
    failures = [Failure(line.rollout_id, line.cause, line.message) for line in bad_lines]
    for rollout in rollouts:
        outcome = evaluation.run(rollout)
        if isinstance(outcome, Failure):
            failures.append(outcome)
        else:
            scored[rollout.rollout_id] = outcome
    run = {"started": int(started), "seconds": round(time.time() - started, 3), **evaluation.run_block()}
    result = build_result(rollouts, scored, failures, settings=settings.shaping(), loaded=loaded, run=run)
    if out is not None:
        result.write(out / RESULT_NAME)
    return result


class _Evaluation:
    """Scores single rollouts against one journal with one loaded profile."""

    def __init__(self, settings: Settings, loaded: profiles.Loaded, journal: Journal, progress: RunProgress) -> None:
        self._settings = settings
        self._loaded = loaded
        self._journal = journal
        self._progress = progress
        self._peak_cache_bytes = 0
        self._n_frames = 0

    def run(self, rollout: Rollout) -> Scored | Failure:
        """Return the rollout's journal lines, scoring what is missing, or why it cannot be scored."""
        try:
            scored, outcome = self._resumed_or_scored(rollout)
        except (ValueError, OSError, RuntimeError) as error:
            failure = Failure(rollout.rollout_id, _cause(error), str(error))
            self._journal.append({"kind": "failure", **failure._asdict()})
            self._progress.done(rollout.rollout_id, failure.cause)
            return failure
        self._progress.done(rollout.rollout_id, outcome)
        return scored

    def run_block(self) -> dict[str, Any]:
        """What this process did, as against what the result is."""
        return {
            "device": self._loaded.device,
            "decoded_frames": self._n_frames,
            "peak_cache_bytes": self._peak_cache_bytes,
            "journal_lines_unreadable": self._journal.n_unreadable,
        }

    def _resumed_or_scored(self, rollout: Rollout) -> tuple[Scored, str]:
        poses = rollout.commanded_poses()
        key = self._rollout_key(rollout, poses)
        score_keys = {score.name: self._score_key(key, score) for score in self._loaded.scores}
        needed = (key, *score_keys.values())
        outcome = "resumed"
        if any(each not in self._journal for each in needed):
            self._score(rollout, poses, key, score_keys)
            outcome = "scored"
        line, *scores = (self._journal[each] for each in needed)
        return Scored(line, scores), outcome

    def _score(self, rollout: Rollout, poses: NDArray[np.float64], key: str, score_keys: Mapping[str, str]) -> None:
        """Decode the rollout once and journal every score that is not in the journal yet."""
        missing = [score for score in self._loaded.scores if score_keys[score.name] not in self._journal]
        pairs = self._pairs(rollout, poses)
        schedule = Schedule(pair for listed in revisit.pairs_by_type(pairs).values() for pair in listed)
        self._progress.rollout(rollout.rollout_id, len(schedule.frames))
        reader = FrameReader(rollout.video, [rollout.first_frame + index for index in schedule.frames])
        outcomes, statistics = score_pairs(
            ((index - rollout.first_frame, frame) for index, frame in reader),
            schedule,
            missing,
            self._loaded.backbones,
            memory_bytes=self._settings.memory_mib * 2**20,
            batch_size=self._settings.batch_size,
            on_frame=self._progress.frame,
        )
        self._n_frames += statistics.n_frames
        self._peak_cache_bytes = max(self._peak_cache_bytes, statistics.peak_cache_bytes)
        n_posed = reader.n_frames - rollout.first_frame
        if n_posed < pairs.n_posed_needed:
            raise _too_short(rollout, n_posed, len(poses))
        self._journal.append({"key": key, **revisit.rollout_line(rollout, pairs, _video_record(rollout, reader, len(poses)))})
        for score in missing:
            self._journal.append(
                {"key": score_keys[score.name], **revisit.scores_line(rollout, score, pairs, outcomes)}
            )

    def _pairs(self, rollout: Rollout, poses: NDArray[np.float64]) -> PairSet:
        n_frames = len(poses)
        if self._settings.allow_short:
            n_frames = min(n_frames, max(count_frames(rollout.video) - rollout.first_frame, 0))
        return sample_pairs(
            poses,
            n_frames=n_frames,
            protocol=self._settings.protocol,
            seed=self._settings.seed,
            cap=self._settings.pairs_per_type,
        )

    def _rollout_key(self, rollout: Rollout, poses: NDArray[np.float64]) -> str:
        return content_key(
            {
                "video_sha256": content_sha256(rollout.video),
                "first_frame": rollout.first_frame,
                "poses_sha256": hashlib.sha256(np.ascontiguousarray(poses).tobytes()).hexdigest(),
                "protocol": [self._settings.protocol, PROTOCOLS[self._settings.protocol].version],
                "seed": self._settings.seed,
                "pairs_per_type": self._settings.pairs_per_type,
                "allow_short": self._settings.allow_short,
                "decoder": decoder_identity(),
            }
        )

    def _score_key(self, rollout_key: str, score: PairScore) -> str:
        return content_key(
            {
                "rollout": rollout_key,
                "score": {"name": score.name, **score.identity()},
                "backbone": dict(self._loaded.backbones[score.backbone].identity()),
                "metrics": {metric.name: metric.version for metric in score.metrics},
            }
        )


def _video_record(rollout: Rollout, reader: FrameReader, n_poses: int) -> dict[str, Any]:
    """What was decoded, for the journal: the stream, its real length, and everything a reader should know."""
    record = {**asdict(probe(rollout.video)), "n_frames": reader.n_frames, "decoder": reader.decoder_used}
    surplus = reader.n_frames - rollout.first_frame - n_poses
    notes = [*record["notes"], *([f"{surplus} frames after the last pose take no part"] if surplus > 0 else [])]
    if rollout.fps is not None and record["fps"] is not None and abs(rollout.fps - record["fps"]) > 0.01 * rollout.fps:
        notes.append(f"the manifest says {rollout.fps:g} frames per second, the file {record['fps']:g}")
    return {**record, "notes": notes}


def _refuse_duplicates(rollouts: Sequence[Rollout]) -> None:
    seen: set[str] = set()
    for rollout in rollouts:
        if rollout.rollout_id in seen:
            raise ValueError(f"rollout {rollout.rollout_id!r} is given twice; give each sample its own seed")
        seen.add(rollout.rollout_id)


def _cause(error: Exception) -> str:
    if isinstance(error, VideoError):
        return error.cause
    if isinstance(error, ValueError):
        return "bad_trajectory"
    return "unreadable" if isinstance(error, OSError) else "internal_error"


def _too_short(rollout: Rollout, n_posed: int, n_poses: int) -> VideoError:
    return VideoError(
        f"{rollout.video} has {n_posed} frames from first_frame {rollout.first_frame} on, for {n_poses} commanded "
        "poses; give the poses at the video's frame rate, or allow_short (--allow-short) to score what is there",
        cause="too_few_frames",
    )
