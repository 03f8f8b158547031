import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revisit_metric.pairs import PROTOCOLS, PairSet, list_hash, sample_pairs
from revisit_metric.pairs import official as pairs_official
from revisit_metric.pairs import paper as pairs_paper
from revisit_metric.pairs.geometry import Track
from revisit_metric.templates import TEMPLATES, template
from revisit_metric.trajectory import PoseError, integrate, parse_script

SHARED = Path(__file__).parents[2].parent / "shared" / "reference"
RELEASED = ("out_and_back", "translation_rotation", "closed_loop")

# (template, cap) -> hashes of the revisit, baseline and short lists, and their lengths
OFFICIAL = {
    ("out_and_back", 100): ("dc15881a1f915255", "328cb25c3e6662c9", "f1b089c072ccbf37", 100, 100, 100),
    ("out_and_back", "all"): ("82a7222012ec16f0", "fbbc834c674b57f8", "f1b089c072ccbf37", 192, 99, 100),
    ("translation_rotation", 100): ("ecb9f7df5e8b6ee4", "f9b1e9d62f2f0408", "f1b089c072ccbf37", 100, 100, 100),
    ("translation_rotation", "all"): ("8b3d6abd026e607c", "8ea4c515c5d12bdd", "f1b089c072ccbf37", 229, 210, 100),
    ("closed_loop", 100): ("180f3a0b59f15e7e", "3447ff538989cff1", "b72b5b079abbb3ef", 3, 20, 20),
    ("closed_loop", "all"): ("180f3a0b59f15e7e", "3447ff538989cff1", "b72b5b079abbb3ef", 3, 20, 20),
}

# template -> revisits, revisits the literal rule, the pair rule and the pair rule without endpoints match
PAPER = {
    "out_and_back": (193, 0, 193, 158),
    "translation_rotation": (138, 53, 138, 138),
    "closed_loop": (3, 3, 3, 3),
}


def shared(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the golden file {name} lies beside the project on its developers' machines only")
    return json.loads(path.read_text())


# --- official -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "cap"), OFFICIAL)
def test_official_lists_are_the_released_ones(name, cap):
    *hashes, n_revisit, n_baseline, n_short = OFFICIAL[name, cap]
    pairs = sample_pairs(template(name).poses(), cap=cap)
    assert [len(pairs.revisit), len(pairs.baseline), len(pairs.short)] == [n_revisit, n_baseline, n_short]
    assert [list_hash(listed) for listed in (pairs.revisit, pairs.baseline, pairs.short)] == hashes


@pytest.mark.parametrize(("name", "cap"), OFFICIAL)
def test_official_lists_index_for_index(name, cap):
    golden = shared("official_pairs.json")[template(name).release_name]["nocap" if cap == "all" else "cap100"]
    pairs = sample_pairs(template(name).poses(), cap=cap)
    for kind in ("revisit", "baseline", "short"):
        assert [list(pair) for pair in getattr(pairs, kind)] == golden[kind]
    meta = golden["meta"]
    assert pairs.n_frames == meta["effective_frames"]
    assert pairs.thresholds.tau_pos_m == meta["thresholds"]["translation_tolerance_m"]
    assert pairs.thresholds.tau_rot_deg == meta["thresholds"]["angle_tolerance_deg"]
    assert pairs.thresholds.min_gap_frames == meta["min_gap"]
    assert pairs.thresholds.exclusion_frames == meta["exclusion_radius"]
    assert pairs.matched_rate == meta["baseline_stats"]["matched_rate"]
    assert pairs.details["n_matched"] == meta["raw_pairs"]
    assert pairs.details["n_candidates"] == meta["after_gap"]
    assert pairs.details["n_strict_baseline"] == meta["baseline_stats"]["num_strict_baseline"]
    assert pairs.details["segments"] == meta["detail"]["segments"]
    assert pairs.details["brute_force"] == meta["detail"]["used_3d_fallback"]


def test_the_default_is_the_official_protocol_with_its_cap():
    poses = template("out_and_back").poses()
    assert sample_pairs(poses) == sample_pairs(poses, protocol="official", seed=42, cap=100, n_frames=481)
    assert sample_pairs(poses).revisit[:3] == ((29, 452), (164, 317), (187, 295))
    assert sample_pairs(poses, seed=7).revisit != sample_pairs(poses).revisit


def test_a_longer_video_changes_nothing_a_shorter_one_does():
    poses = template("out_and_back").poses()
    assert sample_pairs(poses, n_frames=900).sha256 == sample_pairs(poses).sha256
    short = sample_pairs(poses, n_frames=400)
    assert short.n_frames == 400
    assert max(short.frames()) < 400
    assert short.thresholds.min_gap_frames == 80


def test_trailing_still_frames_take_no_part():
    poses = template("closed_loop").poses()
    held = np.concatenate([poses, poses[-1:].repeat(50, axis=0)])
    assert sample_pairs(held).n_frames == 481
    assert sample_pairs(held).revisit == sample_pairs(poses).revisit


def test_the_loop_says_that_its_baselines_were_topped_up():
    assert sample_pairs(template("closed_loop").poses()).notes == (
        "17 of 20 baselines top the list up, with gaps matched less closely",
    )


def test_brute_force_where_segments_give_almost_nothing():
    # Steps of 9 mm are still to the segmenter: only the fallback sees the way back.
    pairs = sample_pairs(integrate([("right", 120), ("left", 120)], metres_per_frame=0.009))
    assert pairs.details["segments"] == []
    assert pairs.details["brute_force"]
    assert len(pairs.revisit) == 100


# --- paper --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAPER)
def test_paper_counts(name):
    n_revisit, literal, pair, pair_plus = PAPER[name]
    pairs = sample_pairs(template(name).poses(), protocol="paper")
    assert len(pairs.revisit) == n_revisit
    counted = {tier: count["n_matched"] for tier, count in pairs.details["candidates"].items()}
    assert counted == {"literal": literal, "pair": pair, "pair_plus": pair_plus}
    assert pairs.tier == "literal"
    assert len(pairs.baseline) <= literal
    assert pairs.matched_rate == len(pairs.baseline) / n_revisit


@pytest.mark.parametrize("name", RELEASED)
def test_paper_equals_the_reference_counts(name):
    golden = shared("paper_literal_counts.json")[template(name).release_name]
    poses = template(name).poses()
    best, every = pairs_paper.revisits(Track.of(poses))
    assert [list(pair) for pair in best] == golden["best"]
    assert int(every.sum()) == golden["n_all"]
    kinds = {
        "all_pairs(Eq1 set)": [(int(i), int(j)) for i, j in np.argwhere(every)],
        "best_per_later(Eq1+best)": best,
        "code_uncapped": sample_pairs(poses, cap="all").revisit,
        "code_cap100": sample_pairs(poses).revisit,
    }
    for kind, revisit in kinds.items():
        expected = golden["counts"][kind]
        ends = np.zeros(481, dtype=bool)
        ends[[frame for pair in revisit for frame in pair]] = True
        assert int(pairs_paper.free_frames(ends, 24).sum()) == expected["free_frames_literal"]
        for tier, key in (("literal", "literal"), ("pair", "pair"), ("pair_plus", "pair_plus_not_endpoint")):
            count = pairs_paper.count_candidates(revisit, pairs_paper.allowed_pairs(revisit, every, 481, tier=tier))
            assert [count.n_matched, [count.least, count.median, count.most]] == expected[key], (kind, tier)


def test_out_and_back_has_no_paper_baseline_and_says_so():
    pairs = sample_pairs(template("out_and_back").poses(), protocol="paper")
    assert pairs.baseline == ()
    assert pairs.matched_rate == 0.0
    assert "Eq. 2 excludes every candidate of all 193 revisits" in pairs.notes[0]
    assert "pair 193, pair_plus 158" in pairs.notes[0]


def test_paper_baselines_keep_clear_of_every_revisit():
    pairs = sample_pairs(template("translation_rotation").poses(), protocol="paper")
    ends = np.array(sorted({frame for pair in pairs.revisit for frame in pair}))
    for frame in {frame for pair in pairs.baseline for frame in pair}:
        assert np.abs(ends - frame).min() > pairs.thresholds.exclusion_frames
    assert len(set(pairs.baseline)) == len(pairs.baseline) > 40


def test_paper_trims_both_ends_and_keeps_the_videos_indices():
    poses = template("translation_rotation").poses()
    held = np.concatenate([poses[:1].repeat(40, axis=0), poses])
    late, early = sample_pairs(held, protocol="paper"), sample_pairs(poses, protocol="paper")
    assert late.details["first_frame"] == 40
    assert late.n_frames == early.n_frames == 481
    assert (early.n_posed_needed, late.n_posed_needed) == (481, 521)
    assert late.revisit == tuple((i + 40, j + 40) for i, j in early.revisit)


# --- both ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("action", ["hold", "pitch_up"])
def test_a_camera_that_never_leaves_has_no_pairs_and_says_why(protocol, action):
    poses = integrate([(action, 100)], degrees_per_frame=0.3)
    pairs = sample_pairs(poses, protocol=protocol)
    assert pairs.revisit == pairs.baseline == pairs.short == ()
    assert pairs.matched_rate is None
    assert "nothing to come back to" in pairs.notes[0]
    assert any("pitch varies by 30.0 deg" in note for note in pairs.notes) == (action == "pitch_up")


def test_official_names_the_rule_that_keeps_endpoints_out():
    pairs = sample_pairs(template("out_and_back").poses())
    ends = {frame for pair in pairs.revisit for frame in pair}
    assert pairs.tier == "pair_plus"
    assert not ends & {frame for pair in pairs.baseline for frame in pair}


def test_a_cap_under_paper_thins_revisits_but_not_the_exclusion():
    poses = template("translation_rotation").poses()
    every, few = sample_pairs(poses, protocol="paper"), sample_pairs(poses, protocol="paper", cap=20)
    assert len(few.revisit) == 20
    assert few.details["candidates"] == every.details["candidates"]
    ends = np.array(sorted({frame for pair in every.revisit for frame in pair}))
    for frame in {frame for pair in few.baseline for frame in pair}:
        assert np.abs(ends - frame).min() > 24


def test_paper_says_how_many_revisits_have_a_baseline():
    pairs = sample_pairs(template("translation_rotation").poses(), protocol="paper")
    assert pairs.notes == ("53 of 138 revisits have a baseline; Eq. 2 leaves none for the others",)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_path_that_never_returns(protocol):
    script = parse_script("forward 200f", metres_per_frame=0.05)
    pairs = sample_pairs(integrate(script, metres_per_frame=0.05), protocol=protocol)
    assert pairs.revisit == ()
    assert pairs.matched_rate is None
    assert "never comes back" in pairs.notes[0]
    assert len(pairs.short) == 20


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_very_short_trajectories(protocol, n):
    pairs = sample_pairs(np.eye(4)[None].repeat(n, 0), protocol=protocol)
    assert pairs.revisit == ()
    assert all(later < n for _, later in pairs.short)


paths = st.lists(
    st.sampled_from(["forward", "back", "left", "right", "yaw_left", "yaw_right", "hold"]), min_size=2, max_size=8
)


@settings(deadline=None, max_examples=40)
@given(actions=paths, frames=st.integers(8, 40), protocol=st.sampled_from(sorted(PROTOCOLS)), seed=st.integers(0, 5))
def test_invariants_on_any_path(actions, frames, protocol, seed):
    script = parse_script(", ".join(f"{action} {frames}f" for action in actions))
    poses = integrate(script, metres_per_frame=0.04, degrees_per_frame=1.0)
    pairs = sample_pairs(poses, protocol=protocol, seed=seed)
    everything = (*pairs.revisit, *pairs.baseline, *pairs.short)
    assert all(0 <= earlier < later < len(poses) for earlier, later in everything)
    assert all(later - earlier >= pairs.thresholds.min_gap_frames for earlier, later in pairs.revisit)
    assert len(set(pairs.baseline)) == len(pairs.baseline)
    assert len(set(pairs.short)) == len(pairs.short)
    radius = pairs.thresholds.exclusion_frames
    for u, v in pairs.baseline:
        assert not any(abs(u - i) <= radius and abs(v - j) <= radius for i, j in pairs.revisit)
    assert pairs == sample_pairs(poses, protocol=protocol, seed=seed)


def test_a_pair_set_survives_json_and_notices_tampering():
    pairs = sample_pairs(template("closed_loop").poses(), protocol="paper")
    record = json.loads(json.dumps(pairs.to_dict()))
    assert PairSet.from_dict(record) == pairs
    record["revisit"][0] = [0, 9]
    with pytest.raises(ValueError, match="its record says"):
        PairSet.from_dict(record)


def test_the_hash_covers_protocol_and_lists():
    poses = template("closed_loop").poses()
    assert sample_pairs(poses).sha256 != sample_pairs(poses, protocol="paper").sha256
    assert sample_pairs(poses).sha256 != sample_pairs(poses, seed=1).sha256


def test_frames_lists_every_index_once():
    pairs = sample_pairs(template("closed_loop").poses())
    assert pairs.frames() == sorted(set(pairs.frames()))


def test_bad_arguments():
    poses = template("closed_loop").poses()
    with pytest.raises(ValueError, match="unknown pair protocol 'offical'; known: official, paper"):
        sample_pairs(poses, protocol="offical")
    with pytest.raises(ValueError, match="cap is 0"):
        sample_pairs(poses, cap=0)
    with pytest.raises(ValueError, match="n_frames is -1"):
        sample_pairs(poses, n_frames=-1)
    with pytest.raises(PoseError):
        sample_pairs(np.full((4, 4, 4), np.nan))


def test_official_segments_of_a_turning_path():
    segments = pairs_official.motion_segments(Track.of(template("translation_rotation").poses()))
    assert [tuple(segment) for segment in segments] == [
        (1, 69, "W"),
        (70, 138, "S"),
        (139, 207, "L"),
        (208, 345, "R"),
        (346, 480, "L"),
    ]


def test_every_template_has_revisits_under_both_protocols():
    for name in TEMPLATES:
        for protocol in PROTOCOLS:
            assert sample_pairs(template(name).poses(), protocol=protocol).revisit
