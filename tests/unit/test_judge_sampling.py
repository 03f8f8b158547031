import random
from collections import Counter

import pytest

from revisit_metric.judge.sampling import sample_for_judge

LADDER = [(i, i + 100 + 7 * (i % 13)) for i in range(0, 300, 2)]


def chosen(pairs, cap, seed=0):
    return sample_for_judge({"revisit": pairs}, cap=cap, seed=seed)["revisit"]


def test_few_pairs_are_all_taken():
    assert chosen([(5, 9), (1, 2)], 2) == ((1, 2), (5, 9))
    assert chosen(LADDER, None) == tuple(sorted(LADDER))
    assert chosen([], 3) == ()


@pytest.mark.parametrize("cap", [1, 2, 3, 10, 33, 149])
def test_exactly_the_cap_without_repetition(cap):
    for seed in range(20):
        pairs = chosen(LADDER, cap, seed)
        assert len(set(pairs)) == cap
        assert set(pairs) <= set(LADDER)


def test_the_order_of_the_list_does_not_matter():
    shuffled = random.Random(1).sample(LADDER, len(LADDER))
    assert chosen(shuffled, 10) == chosen(LADDER, 10)
    assert chosen(LADDER + LADDER[:20], 10) == chosen(LADDER, 10)


def test_the_seed_matters_and_types_do_not_disturb_each_other():
    assert len({chosen(LADDER, 10, seed) for seed in range(10)}) > 5
    other = sample_for_judge({"short": [(0, 2), (4, 7)], "revisit": LADDER}, cap=10, seed=0)
    assert other["revisit"] == chosen(LADDER, 10)
    assert other["short"] == ((0, 2), (4, 7))


def test_the_whole_timeline_and_all_gaps():
    """A prefix of ten pairs would cover the first 20 of 300 frames."""
    gaps = sorted(later - earlier for earlier, later in LADDER)
    for seed in range(30):
        pairs = chosen(LADDER, 10, seed)
        per_third = Counter(earlier // 100 for earlier, _ in pairs)
        assert set(per_third) == {0, 1, 2}
        assert min(per_third.values()) >= 2
        found = sorted(later - earlier for earlier, later in pairs)
        assert found[2] <= gaps[len(gaps) // 2] <= found[-3]


def test_every_pair_has_the_same_chance():
    counts = Counter(pair for seed in range(3000) for pair in chosen(LADDER, 10, seed))
    expected = 3000 * 10 / len(LADDER)
    assert len(counts) == len(LADDER)
    assert max(abs(count - expected) for count in counts.values()) < 5 * expected**0.5


def test_refuses_an_empty_cap():
    with pytest.raises(ValueError, match="judge_pairs is 0"):
        chosen(LADDER, 0)
