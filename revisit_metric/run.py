"""The evaluation of many rollouts: plan, decode once, score, journal, resume.

A rollout is the unit of work. Its journal lines are keyed by hashes of everything they depend on (video, commanded
poses, protocol, score versions, weights), so a rerun scores exactly what is missing or has changed, and the result is
built from journal lines alone, whether they were written a second or a month ago.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from revisit_metric import profiles
from revisit_metric.assignment import Assignment, assign, is_finished
from revisit_metric.backbones.precision import check_dtype
from revisit_metric.families.protocol import PairScore
from revisit_metric.families.state import JUDGE_PAIRS, StateJudge
from revisit_metric.journal import Journal, content_key
from revisit_metric.judge.endpoint_judge import EndpointJudge
from revisit_metric.judge.settings import JudgeSettings, open_interview
from revisit_metric.manifest import BadLine, Rollout
from revisit_metric.pairs import PROTOCOLS, PairSet, sample_pairs
from revisit_metric.progress import RunProgress, Silent
from revisit_metric.results import Failure, Result, Scored, build_result
from revisit_metric.scoring import PairOutcomes, Schedule, score_pairs
from revisit_metric.tasks import revisit
from revisit_metric.video import FrameReader, VideoError, content_sha256, count_frames, decoder_identity, probe

JOURNAL_NAME = "journal.jsonl"
RESULT_NAME = "result.json"
VALID_RESULT_NAME = "result-action-valid.json"


@dataclass(frozen=True)
class Settings:
    """How rollouts are evaluated.

    Attributes:
        protocol: Pair protocol, "official" or "paper".
        profile: Set of backbones, "embedded".
        judge: Who judges persistent state, for profiles that have it; `None` leaves it missing.
        judge_pairs: Pairs of each type the judge is shown, "all" for every pair.
        seed: Seed of the pair sampler.
        pairs_per_type: Most revisit pairs; `None` is the protocol's own cap, "all" none.
        allow_short: Score a video that has fewer frames than commanded poses on the frames it has, as the released
            code does, instead of refusing it.
        dtype: Number format of the transformer backbones, "float32", "bfloat16" or "float16".
        device: Torch device; `None` picks CUDA where there is one, else the CPU.
        batch_size: Frames per backbone call.
        memory_mib: Budget of the feature cache, in MiB.
        offline: Never download weights; `None` leaves it to the environment.
    """

    protocol: str = "official"
    profile: str = "embedded"
    seed: int = 42
    pairs_per_type: int | Literal["all"] | None = None
    judge: JudgeSettings | None = None
    judge_pairs: int | Literal["all"] = JUDGE_PAIRS
    allow_short: bool = False
    dtype: str = "float32"
    device: str | None = None
    batch_size: int = 8
    memory_mib: int = 2048
    offline: bool | None = None

    @property
    def judge_cap(self) -> int | None:
        """Most pairs of one type the judge is shown, `None` for all."""
        return None if self.judge_pairs == "all" else self.judge_pairs

    def shaping(self) -> dict[str, Any]:
        """Return the settings that shape scores; the others change only where and how fast they are computed."""
        free = ("device", "batch_size", "memory_mib", "offline", "judge", "judge_pairs")
        shaping = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in free}
        return {**shaping, "judge": None if self.judge is None else {**self.judge.shaping(), "pairs": self.judge_pairs}}

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"unknown pair protocol {self.protocol!r}; known: {', '.join(PROTOCOLS)}")
        if self.memory_mib < 1:
            raise ValueError(f"memory_mib is {self.memory_mib}, expected at least 1 MiB")
        if self.batch_size < 1:
            raise ValueError(f"batch_size is {self.batch_size}, expected at least 1 frame")
        if self.judge_pairs != "all" and self.judge_pairs < 1:
            raise ValueError(f"judge_pairs is {self.judge_pairs}, expected at least 1 pair of each type, or 'all'")
        if self.judge is not None:
            require_judge(self.profile)
        check_dtype(self.dtype)


def evaluate_rollouts(
    rollouts: Sequence[Rollout],
    settings: Settings | None = None,
    *,
    bad_lines: Iterable[BadLine] = (),
    out: Path | None = None,
    progress: RunProgress | None = None,
    loaded: profiles.Loaded | None = None,
    result_name: str = RESULT_NAME,
) -> Result:
    """Score rollouts and return the result; nothing that fails is dropped, it is listed with its cause.

    Args:
        rollouts: What to score; ids must be unique.
        settings: How; the defaults are the benchmark's.
        bad_lines: Manifest lines that named no usable rollout; they count as expected and failed.
        out: Folder for `journal.jsonl` (resumed from when it exists) and `result.json`; `None` keeps all in memory.
        progress: Display.
        loaded: A profile already loaded, to reuse backbones over several calls in one process.
        result_name: File name of the result in `out`.

    Raises:
        ValueError: If two rollouts share an id, a setting names an unknown protocol or profile, or the judge cannot
            be had.
        ImportError: The judge needs a package that is not installed.
    """
    settings = settings or Settings()
    _refuse_duplicates(rollouts)
    started = time.time()
    progress = progress or Silent()
    loaded = loaded or _load(settings)
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
        result.write(out / result_name)
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
            "judge_cost": _judge_cost(self._loaded),
        }

    def _resumed_or_scored(self, rollout: Rollout) -> tuple[Scored, str]:
        poses = rollout.commanded_poses()
        key = self._rollout_key(rollout, poses)
        keys = {score.name: self._score_key(key, score) for score in self._loaded.scores}
        unfinished = [
            score for score in self._loaded.scores if not is_finished(score, self._journal.get(keys[score.name]))
        ]
        if unfinished or key not in self._journal:
            self._score(rollout, poses, key, {score.name: score for score in unfinished}, keys)
        scores = [self._journal[each] for each in keys.values()]
        return Scored(self._journal[key], scores), "scored" if unfinished else "resumed"

    def _score(
        self,
        rollout: Rollout,
        poses: NDArray[np.float64],
        key: str,
        unfinished: Mapping[str, PairScore],
        keys: Mapping[str, str],
    ) -> None:
        """Decode the rollout once, and journal each unfinished score as soon as it has its outcomes."""
        pairs = commanded_pairs(rollout, self._settings, poses=poses)
        lists = revisit.pairs_by_type(pairs)
        given = {
            name: assign(score, lists, seed=self._settings.seed, line=self._journal.get(keys[name]))
            for name, score in unfinished.items()
        }
        schedule = _schedule(given, lists)

        def journal(score: PairScore, outcomes: PairOutcomes) -> None:
            line = revisit.scores_line(rollout, score, pairs, given[score.name].merged(outcomes))
            self._journal.append({"key": keys[score.name], **line})

        _, statistics = score_pairs(
            self._decoded(rollout, pairs, schedule, key=key, n_poses=len(poses)),
            schedule,
            list(unfinished.values()),
            self._loaded.backbones,
            memory_bytes=self._settings.memory_mib * 2**20,
            batch_size=self._settings.batch_size,
            on_scored=journal,
        )
        self._peak_cache_bytes = max(self._peak_cache_bytes, statistics.peak_cache_bytes)

    def _decoded(
        self, rollout: Rollout, pairs: PairSet, schedule: Schedule, *, key: str, n_poses: int
    ) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield the scheduled frames by pose index; then refuse a short video, or journal what it was.

        All of it before any outcome is asked for, so that no judge is paid for a rollout that is refused.
        """
        self._progress.rollout(rollout.rollout_id, len(schedule.frames))
        reader = FrameReader(rollout.video, [rollout.first_frame + index for index in schedule.frames])
        for n_done, (index, frame) in enumerate(reader, start=1):
            yield index - rollout.first_frame, frame
            self._n_frames += 1
            self._progress.frame(n_done)
        n_posed = reader.n_frames - rollout.first_frame
        if n_posed < pairs.n_posed_needed:
            raise _too_short(rollout, n_posed, n_poses)
        if key not in self._journal:
            video = _video_record(rollout, reader, n_poses)
            self._journal.append({"key": key, **revisit.rollout_line(rollout, pairs, video)})

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


def require_judge(profile: str) -> None:
    """Refuse a profile that asks no judge.

    Raises:
        ValueError: It is such a profile, or unknown.
    """
    if StateJudge.name not in profiles.profile(profile).score_names():
        having = [name for name, each in profiles.PROFILES.items() if StateJudge.name in each.score_names()]
        raise ValueError(f"profile {profile!r} asks no judge; those that do: {', '.join(having)}")


def commanded_pairs(rollout: Rollout, settings: Settings, *, poses: NDArray[np.float64] | None = None) -> PairSet:
    """Return the pairs a rollout is scored on.

    Args:
        rollout: The rollout; its video is read only under `allow_short`.
        settings: Protocol, seed and cap.
        poses: The rollout's commanded poses, where they are at hand.

    Raises:
        ValueError: The poses cannot be had.
    """
    poses = rollout.commanded_poses() if poses is None else poses
    n_frames = len(poses)
    if settings.allow_short:
        n_frames = min(n_frames, max(count_frames(rollout.video) - rollout.first_frame, 0))
    return sample_pairs(
        poses, n_frames=n_frames, protocol=settings.protocol, seed=settings.seed, cap=settings.pairs_per_type
    )


def _load(settings: Settings) -> profiles.Loaded:
    built: dict[str, PairScore] = {}
    if settings.judge is not None:
        interview = open_interview(settings.judge)
        built[StateJudge.name] = StateJudge(interview, pairs_per_type=settings.judge_cap)
    return profiles.load(
        settings.profile, device=settings.device, dtype=settings.dtype, offline=settings.offline, built=built
    )


def _schedule(given: Mapping[str, Assignment], lists: Mapping[str, Sequence[tuple[int, int]]]) -> Schedule:
    """The pairs some score is given; all of them where none is, for the rollout's own line."""
    wanted = {name: assignment.wanted for name, assignment in given.items()}
    everything = [pair for listed in lists.values() for pair in listed]
    return Schedule([pair for own in wanted.values() for pair in own] if wanted else everything, wanted)


def _judge_cost(loaded: profiles.Loaded) -> float | None:
    """What this process spent on the judge, in the currency of its price; `None` where nothing was counted."""
    for score in loaded.scores:
        if isinstance(score, StateJudge) and score.interview is not None:
            judge = score.interview.judge
            if isinstance(judge, EndpointJudge) and judge.budget is not None:
                return round(judge.budget.spent, 6)
    return None


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
