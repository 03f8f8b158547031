"""Three ways to score one rollout's pairs, each with a meter on its terms (see `reuse`, which runs them)."""

import importlib
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
import torch
from numpy.typing import NDArray

from revisit_metric.backbones.alexnet import pool_scene
from revisit_metric.families.protocol import Backbone, Feature, Frames, Outcome, Pair, PairScore
from revisit_metric.pairs import PairSet
from revisit_metric.run import Settings
from revisit_metric.scoring import PairOutcomes, Schedule, score_pairs
from revisit_metric.video import FrameReader
from revisit_metric.weights import weight_path

Frame = NDArray[np.uint8]
Values = dict[str, dict[Pair, float | None]]


class Cost(NamedTuple):
    """Seconds."""

    cpu: float
    wall: float

    def plus(self, other: "Cost", factor: float = 1.0) -> "Cost":
        return Cost(self.cpu + factor * other.cpu, self.wall + factor * other.wall)


def now() -> Cost:
    return Cost(time.process_time(), time.perf_counter())


Terms = dict[tuple[str, str], Cost]
"""Seconds by (decode, features, pairs or rest; backbone or score where there is one)."""


class Meter:
    """Seconds by term of one run; what no term claims is the rest."""

    def __init__(self) -> None:
        self.terms: Terms = defaultdict(lambda: Cost(0.0, 0.0))
        self._started = now()

    @contextmanager
    def timed(self, kind: str, name: str = "") -> Iterator[None]:
        term, start = (kind, name), now()
        yield
        self.terms[term] = self.terms[term].plus(now()).plus(start, -1)

    def each(self, kind: str, items: Iterable[Any]) -> Iterator[Any]:
        """Pass items on, timing what it takes to get them."""
        source = iter(items)
        while True:
            with self.timed(kind):
                item = next(source, None)
            if item is None:
                return
            yield item

    def stop(self) -> Terms:
        rest = now().plus(self._started, -1)
        for cost in self.terms.values():
            rest = rest.plus(cost, -1)
        return {**self.terms, ("rest", ""): rest}


class TimedBackbone:
    def __init__(self, model: Backbone, meter: Meter) -> None:
        self.name, self.identity = model.name, model.identity
        self._model, self._meter = model, meter

    def extract(self, frames: Frames) -> list[Feature]:
        with self._meter.timed("features", self.name):
            return self._model.extract(frames)


class TimedScore:
    def __init__(self, score: PairScore, meter: Meter) -> None:
        self.name, self.backbone = score.name, score.backbone
        self.metrics, self.identity = score.metrics, score.identity
        self._score, self._meter = score, meter

    def compare(self, earlier: Sequence[Feature], later: Sequence[Feature]) -> dict[str, list[Outcome]]:
        with self._meter.timed("pairs", self.name):
            return self._score.compare(earlier, later)


class Job(NamedTuple):
    """What is scored, and with what."""

    video: Path
    pairs: PairSet
    scores: tuple[PairScore, ...]
    backbones: Mapping[str, Backbone]

    def timed(self, meter: Meter) -> tuple[list[PairScore], dict[str, Backbone]]:
        backbones: dict[str, Backbone] = {name: TimedBackbone(each, meter) for name, each in self.backbones.items()}
        return [TimedScore(score, meter) for score in self.scores], backbones


def all_pairs(pairs: PairSet) -> list[Pair]:
    return list(dict.fromkeys((*pairs.revisit, *pairs.baseline, *pairs.short)))


# --- a: the release's access pattern ------------------------------------------------------------------------


def lpips_package(path: Path) -> Any:
    """The lpips package's network with the weights of our file."""
    import lpips
    from safetensors.torch import load_file

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="torchvision")
        model = lpips.LPIPS(net="alex", pnet_rand=True, verbose=False)
    tensors = load_file(path)
    convolutions = [module for module in model.net.modules() if isinstance(module, torch.nn.Conv2d)]
    for number, module in enumerate(convolutions, start=1):
        module.load_state_dict({part: tensors[f"conv{number}.{part}"] for part in ("weight", "bias")})
    return model.eval()


class PairByPair:
    """Every metric of one pair from its two frames, nothing kept."""

    def __init__(self, backbones: Mapping[str, Backbone]) -> None:
        self._backbones = backbones
        self._skimage: Any = importlib.import_module("skimage.metrics")
        self._lpips = lpips_package(weight_path("lpips_alex"))

    def values(self, score: PairScore, a: Frame, b: Frame) -> dict[str, float | None]:
        naive: Mapping[str, Callable[[Frame, Frame], float]] = {
            "psnr": self._psnr,
            "ssim": self._ssim,
            "lpips": self._distance,
            "alexnet_pool": self._scene,
        }
        if score.name in naive:
            return {score.name: naive[score.name](a, b)}
        features = [self._backbones[score.backbone].extract(frame[None]) for frame in (a, b)]
        return {name: outcomes[0].value for name, outcomes in score.compare(*features).items()}

    def _psnr(self, a: Frame, b: Frame) -> float:
        return float(self._skimage.peak_signal_noise_ratio(a, b, data_range=255))

    def _ssim(self, a: Frame, b: Frame) -> float:
        return float(self._skimage.structural_similarity(a, b, data_range=255, channel_axis=2, win_size=7))

    def _distance(self, a: Frame, b: Frame) -> float:
        with torch.inference_mode():
            return float(self._lpips(_signed(a), _signed(b)).item())

    def _scene(self, a: Frame, b: Frame) -> float:
        model = self._lpips
        with torch.inference_mode():
            first, second = (
                pool_scene([layer[0] for layer in model.net(model.scaling_layer(_signed(frame)))[2:]])
                for frame in (a, b)
            )
        return float(first @ second)


def _signed(frame: Frame) -> torch.Tensor:
    return torch.from_numpy(frame).permute(2, 0, 1)[None].float() / 255 * 2 - 1


def release(job: Job, naive: PairByPair, sample: Sequence[Pair], threads: int) -> tuple[Values, Terms]:
    """Score the sampled pairs; costs are scaled to all pairs."""
    import decord

    meter = Meter()
    values: Values = defaultdict(dict)
    with meter.timed("decode"):
        reader = decord.VideoReader(str(job.video), num_threads=threads)
    for pair in sample:
        with meter.timed("decode"):
            a, b = (reader[index].asnumpy() for index in pair)
        for score in job.scores:
            with meter.timed("pairs", score.name):
                for name, value in naive.values(score, a, b).items():
                    values[name][pair] = value
    scale = len(all_pairs(job.pairs)) / len(sample)
    return values, {term: Cost(scale * cost.cpu, scale * cost.wall) for term, cost in meter.stop().items()}


# --- b: ours ------------------------------------------------------------------------------------------------


def ours(job: Job) -> tuple[PairOutcomes, Terms, int]:
    """Score all pairs as an evaluation does; also the number of features that the cache wrote out."""
    settings, meter = Settings(), Meter()
    scores, backbones = job.timed(meter)
    schedule = Schedule(all_pairs(job.pairs))
    outcomes, passed = score_pairs(
        meter.each("decode", FrameReader(job.video, schedule.frames)),
        schedule,
        scores,
        backbones,
        memory_bytes=settings.memory_mib * 2**20,
        batch_size=settings.batch_size,
    )
    return outcomes, meter.stop(), passed.n_spilled


# --- c: the floor -------------------------------------------------------------------------------------------


def floor(job: Job) -> Terms:
    """Do what cannot be left out, and nothing else."""
    meter = Meter()
    scores, backbones = job.timed(meter)
    completed: dict[int, list[Pair]] = defaultdict(list)
    for pair in all_pairs(job.pairs):
        completed[pair[1]].append(pair)
    last = {index: max(pair[1] for pair in all_pairs(job.pairs) if index in pair) for index in job.pairs.frames()}
    kept: dict[int, dict[str, Feature]] = {}
    for index, frame in meter.each("decode", in_order(job.video, last)):
        kept[index] = {name: backbone.extract(frame[None])[0] for name, backbone in backbones.items()}
        for earlier, later in completed[index]:
            for score in scores:
                score.compare([kept[earlier][score.backbone]], [kept[later][score.backbone]])
        for gone in [each for each in kept if last[each] <= index]:
            del kept[gone]
    return meter.stop()


def in_order(video: Path, wanted: Mapping[int, int]) -> Iterator[tuple[int, Frame]]:
    end = max(wanted)
    with av.open(str(video)) as container:
        container.streams.video[0].thread_count = 1
        for index, frame in enumerate(container.decode(video=0)):
            if index in wanted:
                yield index, np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
            if index == end:
                return
