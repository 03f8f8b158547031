"""A cache of per-frame features under a memory budget.

The pair lists are known before the first frame is decoded, so the cache knows when each feature is needed next. Over
budget it moves the feature whose next use is farthest to a temporary folder (Belady's rule, optimal for a known future)
and reads it back when its pair is due; a feature with no use left is dropped. Values never depend on the budget.
"""

import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from revisit_metric.families.protocol import Feature

Key = tuple[str, int]
"""(backbone name, frame index)."""


def feature_bytes(feature: Feature) -> int:
    """Host memory of one feature, in bytes."""
    return sum(array.nbytes for array in feature.values())


class FeatureCache:
    """Features by (backbone, frame), bounded in host memory.

    Args:
        budget_bytes: What the cached features may hold in memory; at least one feature is always accepted.
        spill_folder: Where a temporary folder for the overflow is made; the system's default when `None`.

    Example:
        >>> with FeatureCache(budget_bytes=8) as cache:
        ...     cache.put(("pixels", 0), {"x": np.zeros(1)}, next_use=9)
        ...     cache.put(("pixels", 1), {"x": np.ones(1)}, next_use=5)
        ...     (cache.n_spilled, float(cache.get(("pixels", 0))["x"][0]))
        (1, 0.0)
    """

    def __init__(self, *, budget_bytes: int, spill_folder: Path | None = None) -> None:
        self._budget = budget_bytes
        self._memory: dict[Key, dict[str, NDArray[Any]]] = {}
        self._next_use: dict[Key, int] = {}
        self._spilled: dict[Key, Path] = {}
        self._parent = spill_folder
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._bytes = 0
        self.peak_bytes = 0
        self.n_spilled = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memory.clear()
        if self._folder is not None:
            self._folder.cleanup()

    def put(self, key: Key, feature: Feature, *, next_use: int) -> None:
        """Keep `feature` until `drop`; `next_use` is the index of the frame that completes its next pair."""
        self._memory[key] = dict(feature)
        self._next_use[key] = next_use
        self._bytes += feature_bytes(feature)
        self._shrink()
        self.peak_bytes = max(self.peak_bytes, self._bytes)

    def get(self, key: Key) -> Feature:
        """Return the feature, from memory or from the overflow folder.

        Raises:
            KeyError: If it was never put, or was dropped.
        """
        if key in self._memory:
            return self._memory[key]
        with np.load(self._spilled[key], allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}

    def reschedule(self, key: Key, *, next_use: int) -> None:
        """Say when the feature is needed next, after a pair has used it."""
        self._next_use[key] = next_use

    def drop(self, key: Key) -> None:
        """Forget the feature everywhere."""
        feature = self._memory.pop(key, None)
        if feature is not None:
            self._bytes -= feature_bytes(feature)
        path = self._spilled.pop(key, None)
        if path is not None:
            path.unlink()
        del self._next_use[key]

    def _shrink(self) -> None:
        while self._bytes > self._budget and len(self._memory) > 1:
            farthest = max(self._memory, key=lambda key: (self._next_use[key], key))
            self._spill(farthest)

    def _spill(self, key: Key) -> None:
        feature = self._memory.pop(key)
        self._bytes -= feature_bytes(feature)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="revisit-metric-", dir=self._parent)
        path = Path(self._folder.name) / f"{key[0]}-{key[1]}.npz"
        # savez takes names as keywords; a feature array called "file" would clash with its first parameter
        np.savez(path, **feature)  # type: ignore[arg-type]
        self._spilled[key] = path
        self.n_spilled += 1
