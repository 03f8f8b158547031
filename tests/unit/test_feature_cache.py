import numpy as np
import pytest

from revisit_metric.feature_cache import FeatureCache, feature_bytes


def feature(value, size=4):
    return {"x": np.full(size, value, dtype=np.float32)}


def test_spills_the_feature_needed_last_and_reads_back_the_same_bits(tmp_path):
    with FeatureCache(budget_bytes=32, spill_folder=tmp_path) as cache:
        cache.put(("b", 0), feature(0.1), next_use=50)
        cache.put(("b", 1), feature(0.2), next_use=10)
        cache.put(("b", 2), feature(0.3), next_use=20)
        assert cache.n_spilled == 1
        assert [path.name for path in tmp_path.glob("*/*")] == ["b-0.npz"]
        for index, value in enumerate([0.1, 0.2, 0.3]):
            np.testing.assert_array_equal(cache.get(("b", index))["x"], feature(value)["x"])
        assert cache.peak_bytes <= 32
    assert list(tmp_path.iterdir()) == []


def test_a_feature_larger_than_the_budget_is_still_served():
    with FeatureCache(budget_bytes=1) as cache:
        cache.put(("b", 0), feature(1.0), next_use=1)
        assert cache.get(("b", 0))["x"][0] == 1.0


def test_drop_frees_memory_and_disk(tmp_path):
    with FeatureCache(budget_bytes=16, spill_folder=tmp_path) as cache:
        cache.put(("b", 0), feature(1.0), next_use=9)
        cache.put(("b", 1), feature(2.0), next_use=5)
        cache.drop(("b", 0))
        assert list(tmp_path.glob("*/*.npz")) == []
        cache.drop(("b", 1))
        with pytest.raises(KeyError):
            cache.get(("b", 1))


def test_reschedule_changes_what_is_spilled(tmp_path):
    with FeatureCache(budget_bytes=32, spill_folder=tmp_path) as cache:
        cache.put(("b", 0), feature(1.0), next_use=90)
        cache.put(("b", 1), feature(2.0), next_use=5)
        cache.reschedule(("b", 0), next_use=2)
        cache.put(("b", 2), feature(3.0), next_use=3)
        assert [path.name for path in tmp_path.glob("*/*")] == ["b-1.npz"]


def test_feature_bytes_counts_every_array():
    assert feature_bytes({"a": np.zeros(3, np.float64), "b": np.zeros(5, np.uint8)}) == 29
