import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revisit_metric.overall import (
    FAMILIES,
    REQUIRED_TEMPLATES,
    family_first,
    family_score,
    overall,
    overall_partial,
    template_balanced,
)
from revisit_metric.ranks import average_ranks, family_ranks
from revisit_metric.relative import (
    EPS,
    MetricRow,
    aggregate_metric,
    aggregate_rows,
    exact_mean,
    rollout_relative,
)

METRICS = tuple(metric for metrics in FAMILIES.values() for metric in metrics)
HUNDREDTHS = st.integers(-10_000, 10_000).map(lambda n: n / 100)
SCORES = st.lists(HUNDREDTHS, min_size=1, max_size=6)
LOOSE = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False, width=64), max_size=5)


def higher(revisit, baseline, short):
    return rollout_relative(revisit, baseline, short, higher_is_better=True)


# --- one rollout ---


def test_a_rollout_by_hand():
    score = higher([30, 34], [20, 22, 24], [38, 42])
    assert (score.revisit, score.baseline, score.short) == (32, 22, 40)
    assert (score.mg, score.dr) == (10, 18)
    assert score.nmr == 10 / (18 + 1e-8)
    assert (score.n_revisit, score.n_baseline, score.n_short, score.reason) == (2, 3, 2, None)


def test_a_distance_is_negated_so_that_a_closer_revisit_gains():
    score = rollout_relative([0.2], [0.6], [0.1], higher_is_better=False)
    assert (score.revisit, score.baseline, score.short) == (-0.2, -0.6, -0.1)
    assert score.mg == pytest.approx(0.4)
    assert score.dr == pytest.approx(0.5)
    assert score.nmr == pytest.approx(0.8)


def test_missing_values_are_left_out_and_not_counted():
    score = higher([1.0, None, 3.0], [None, 0.0], [4.0])
    assert (score.mg, score.dr) == (2.0, 4.0)
    assert (score.n_revisit, score.n_baseline, score.n_short) == (2, 1, 1)


@pytest.mark.parametrize(
    ("pairs", "absent", "reason"),
    [
        (([], [1.0], [2.0]), {"revisit", "mg", "nmr"}, "no revisit pairs"),
        (([1.0], [], [2.0]), {"baseline", "mg", "dr", "nmr"}, "no baseline pairs"),
        (([1.0], [0.5], []), {"short", "dr", "nmr"}, "no short pairs"),
        (([None, None], [1.0], [2.0]), {"revisit", "mg", "nmr"}, "none of the 2 revisit pairs has a value"),
        (([1.0], [1.0], [1.0]), {"nmr"}, "dynamic range 0 <= 1e-08"),
        (([1.0], [3.0], [2.0]), {"nmr"}, "dynamic range -1 <= 1e-08"),
        (([], [], [2.0]), {"revisit", "baseline", "mg", "dr", "nmr"}, "no revisit pairs; no baseline pairs"),
    ],
)
def test_what_cannot_be_defined_is_none_with_a_reason(pairs, absent, reason):
    score = higher(*pairs)
    numbers = {name: getattr(score, name) for name in ("revisit", "baseline", "short", "mg", "dr", "nmr")}
    assert {name for name, value in numbers.items() if value is None} == absent
    assert score.reason == reason


def test_the_dynamic_range_must_exceed_eps():
    assert higher([1.0], [0.0], [EPS]).nmr is None
    assert higher([1.0], [0.0], [2 * EPS]).nmr == 1.0 / (3 * EPS)


def test_mg_exists_where_the_ratio_does_not():
    assert higher([3.0], [1.0], [1.0]).mg == 2.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e101])
@pytest.mark.parametrize("kind", range(3))
def test_numbers_that_are_no_scores_are_refused(bad, kind):
    pairs = [[0.1], [0.1], [0.1]]
    pairs[kind].append(bad)
    with pytest.raises(ValueError, match=r"(revisit|baseline|short) value .* is no score: what is missing is None"):
        higher(*pairs)


@given(SCORES, SCORES, SCORES, HUNDREDTHS)
def test_a_shift_of_all_scores_changes_nothing(revisit, baseline, short, shift):
    before = higher(revisit, baseline, short)
    after = higher(*([value + shift for value in values] for values in (revisit, baseline, short)))
    assert after.mg == pytest.approx(before.mg, abs=1e-9)
    assert after.dr == pytest.approx(before.dr, abs=1e-9)
    if before.dr > 1e-3:
        assert after.nmr == pytest.approx(before.nmr, rel=1e-6, abs=1e-6)


@given(SCORES, SCORES, SCORES, st.floats(0.5, 50))
def test_a_change_of_unit_scales_mg_and_leaves_nmr(revisit, baseline, short, factor):
    before = higher(revisit, baseline, short)
    after = higher(*([value * factor for value in values] for values in (revisit, baseline, short)))
    assert after.mg == pytest.approx(before.mg * factor, abs=1e-9)
    if before.dr > 1e-3:
        assert after.nmr == pytest.approx(before.nmr, rel=1e-4, abs=1e-9)


@given(SCORES, SCORES, SCORES)
def test_a_score_and_its_negation_as_a_distance_are_one(revisit, baseline, short):
    flipped = [[-value for value in values] for values in (revisit, baseline, short)]
    assert rollout_relative(*flipped, higher_is_better=False) == higher(revisit, baseline, short)


@given(SCORES, SCORES, SCORES, st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_no_bit(revisit, baseline, short, rng: random.Random):
    shuffled = [rng.sample(values, len(values)) for values in (revisit, baseline, short)]
    assert higher(*shuffled) == higher(revisit, baseline, short)


@given(SCORES, SCORES)
def test_a_return_as_good_as_a_moments_pause_is_one_and_as_bad_as_unrelated_views_zero(controls, near):
    short = [value + 300 for value in near]
    assert higher(short, controls, short).nmr == pytest.approx(1)
    assert higher(controls, controls, short).nmr == 0


@given(LOOSE, LOOSE, LOOSE, st.booleans())
def test_nothing_non_finite_comes_out_of_a_rollout(revisit, baseline, short, better):
    try:
        score = rollout_relative(revisit, baseline, short, higher_is_better=better)
    except ValueError as error:
        assert "is no score" in str(error)  # noqa: PT017  (only some inputs raise)
        return
    assert all(math.isfinite(value) for value in score[:9] if value is not None)
    assert (score.reason is None) == (None not in score[:6])


# --- one model on one template ---


def row(rollout_id, mg, dr, baseline=None, metric="ssim", template="closed_loop"):
    return MetricRow(rollout_id, template, metric, mg, dr, baseline)


def test_the_ratio_is_of_means_over_the_valid_set_only():
    score = aggregate_metric([row("a", 1.0, 1.0), row("b", 1.0, 3.0), row("c", 7.0, 0.0), row("d", -2.0, None)])
    assert (score.n, score.n_mg, score.n_scored, score.n_dr_valid) == (4, 4, 3, 2)
    assert score.mg_all == 7 / 4
    assert (score.mg, score.dr) == (1.0, 2.0)
    assert score.nmr == 1 / (2 + 1e-8)
    # The mean of the two ratios would have been 2/3.
    assert score.reason is None


def test_a_rollout_that_was_not_measured_is_counted_and_nothing_else():
    with_gap = aggregate_metric([row("a", 1.0, 2.0), row("b", None, None), row("c", None, 5.0)])
    without = aggregate_metric([row("a", 1.0, 2.0)])
    assert with_gap._replace(n=1) == without
    assert with_gap.n == 3


def test_no_valid_range_gives_no_ratio_but_the_gain():
    score = aggregate_metric([row("a", 0.5, 0.0), row("b", 0.25, -1.0)])
    assert (score.mg_all, score.mg, score.dr, score.nmr) == (0.375, None, None, None)
    assert score.reason == "none of the 2 scored rollouts has a dynamic range above 1e-08"


def test_nothing_measured_says_so():
    score = aggregate_metric([row("a", None, None), row("b", None, 1.0)])
    assert score.mg_all is None
    assert score.reason == "none of the 2 rollouts has both MG and DR"


def test_the_baseline_is_that_of_the_valid_set_or_none():
    assert aggregate_metric([row("a", 1, 1, 20.0), row("b", 1, 1, 30.0), row("c", 1, 0, 99.0)]).baseline == 25
    assert aggregate_metric([row("a", 1, 1, 20.0), row("b", 1, 1)]).baseline is None


def test_rows_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="hold 0 pairs"):
        aggregate_metric([])
    with pytest.raises(ValueError, match=r"hold 2 pairs of \(template, metric\)"):
        aggregate_metric([row("a", 1, 1), row("b", 1, 1, metric="psnr")])
    with pytest.raises(ValueError, match="rollout 'a' occurs twice"):
        aggregate_metric([row("a", 1, 1), row("a", 2, 1)])
    with pytest.raises(ValueError, match="ssim MG nan is no score"):
        aggregate_metric([row("a", math.nan, 1)])
    with pytest.raises(ValueError, match="ssim DR inf is no score"):
        aggregate_metric([row("a", 1, math.inf)])


def test_rows_are_grouped_by_template_and_metric_in_sorted_order():
    rows = [row("a", 1, 2, metric=m, template=t) for t in ("out_and_back", "closed_loop") for m in ("ssim", "psnr")]
    cells = [(score.template, score.metric) for score in aggregate_rows(rows)]
    assert cells == sorted((r.template, r.metric) for r in rows)


@given(st.lists(st.tuples(LOOSE.map(lambda v: v[0] if v else None), st.none() | HUNDREDTHS), min_size=1, max_size=5))
def test_nothing_non_finite_comes_out_of_a_template(values):
    try:
        score = aggregate_metric([row(str(i), mg, dr) for i, (mg, dr) in enumerate(values)])
    except ValueError as error:
        assert "is no score" in str(error)  # noqa: PT017  (only some inputs raise)
        return
    assert all(math.isfinite(value) for value in score[6:11] if value is not None)


def test_a_mean_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no values"):
        exact_mean([])


# --- templates, families, Overall ---


def complete_rows(nmr=0.5, n=2, metrics=METRICS, templates=REQUIRED_TEMPLATES):
    return [
        row(f"{i}", nmr * 2, 2.0, metric=metric, template=template)
        for metric in metrics
        for template in templates
        for i in range(n)
    ]


EXPECTED = dict.fromkeys(REQUIRED_TEMPLATES, 2)


def test_templates_weigh_alike_however_many_rollouts_they_have():
    rows = [row("a", 1, 2, template="closed_loop")]
    rows += [row(str(i), 4, 2, template="out_and_back") for i in range(9)]
    balanced = template_balanced(aggregate_rows(rows), templates=("closed_loop", "out_and_back"))
    assert balanced.value == pytest.approx(1.25)
    assert balanced.reason is None


def test_a_missing_template_leaves_the_partial_mean_alone():
    balanced = template_balanced(aggregate_rows([row("a", 1, 2)]))
    assert balanced.value is None
    assert balanced.partial == pytest.approx(0.5)
    assert balanced.reason == "missing: out_and_back, translation_rotation"


def test_a_template_without_a_valid_range_is_missing_for_nmr_and_not_for_mg_all():
    scores = aggregate_rows([*complete_rows(metrics=("ssim",))[:4], row("x", 0.4, 0.0)])
    assert template_balanced(scores).missing == ("closed_loop",)
    assert template_balanced(scores, "mg_all").value == pytest.approx((1 + 1 + 0.4) / 3)


def test_templates_beyond_the_required_ones_do_not_count():
    rows = [*complete_rows(metrics=("ssim",)), row("z", 90, 1, template="my_own_path")]
    assert template_balanced(aggregate_rows(rows)).value == pytest.approx(0.5)


def test_balancing_refuses_what_cannot_be_one_metric_of_one_model():
    scores = aggregate_rows([row("a", 1, 2)])
    with pytest.raises(ValueError, match="occurs twice: scores of two models"):
        template_balanced(scores * 2)
    with pytest.raises(ValueError, match=r"\['psnr', 'ssim'\], expected one"):
        template_balanced(scores + aggregate_rows([row("a", 1, 2, metric="psnr")]))
    assert template_balanced([]).partial is None


def test_a_family_weighs_its_metrics_alike_and_overall_the_families():
    values = dict.fromkeys(METRICS, 0.0) | {"psnr": 3.0, "state": 1.0}
    assert family_score(values, FAMILIES["appearance"]).value == 1.0
    assert family_first(values).value == pytest.approx((1 + 0 + 0 + 0 + 1) / 5)


def test_an_incomplete_family_makes_the_family_mean_partial():
    values = dict.fromkeys(METRICS, 0.5) | {"dino": None, "boq": 1.0}
    del values["state"]
    mean = family_first(values)
    assert mean.value is None
    assert mean.partial == pytest.approx((0.5 + 0.75 + 0.5 + 0.5) / 4)
    assert mean.missing == ("scene/dino", "state/state")


def test_a_value_that_is_not_finite_stops_a_mean():
    with pytest.raises(ValueError, match="value nan is no score"):
        family_first({"psnr": math.nan})


def test_a_complete_model_has_an_overall_and_the_partial_one_equals_it():
    scores = aggregate_rows(complete_rows())
    result = overall(scores, expected=EXPECTED)
    assert result.missing == ()
    assert result.value == pytest.approx(0.5)
    partial = overall_partial(scores, expected=EXPECTED)
    assert (partial.value, partial.families) == (result.value, tuple(FAMILIES))


def without(metric, template):
    return [r for r in complete_rows() if not (r.metric == metric and r.template == template)]


def failed(metric, template, mg, dr):
    rows = complete_rows()
    i = next(i for i, r in enumerate(rows) if (r.metric, r.template) == (metric, template))
    rows[i] = rows[i]._replace(mg=mg, dr=dr)
    return rows


@pytest.mark.parametrize(
    ("rows", "missing"),
    [
        (without("dino", "closed_loop"), "scene/dino on closed_loop: not scored"),
        (
            failed("psnr", "out_and_back", None, None),
            "appearance/psnr on out_and_back: 1 of 2 rollouts scored",
        ),
        (failed("state", "closed_loop", 1.0, None), "state/state on closed_loop: 1 of 2 rollouts scored"),
        ([r for r in complete_rows() if r.metric != "state"], "state/state: not scored"),
        (
            [r._replace(dr=0.0) if r[1:3] == ("closed_loop", "match") else r for r in complete_rows()],
            "geometry/match on closed_loop: none of the 2 scored rollouts has a dynamic range above 1e-08",
        ),
    ],
)
def test_one_gap_anywhere_leaves_no_overall_and_is_named(rows, missing):
    scores = aggregate_rows(rows)
    assert overall(scores, expected=EXPECTED) == (None, (missing,))
    partial = overall_partial(scores, expected=EXPECTED)
    assert partial.value == pytest.approx(0.5)
    assert partial.missing == (missing,)


def test_a_rollout_left_out_by_the_benchmarks_own_rule_is_scored():
    scores = aggregate_rows(failed("psnr", "out_and_back", 0.0, 0.0))
    assert overall(scores, expected=EXPECTED).value == pytest.approx(0.5)


def test_a_profile_without_object_and_state_never_has_an_overall():
    embedded = {
        "appearance": ("psnr", "ssim", "lpips"),
        "scene": ("alexnet_pool",),
        "geometry": ("sift_match", "sift_inlier"),
    }
    metrics = tuple(metric for family in embedded.values() for metric in family)
    scores = aggregate_rows(complete_rows(metrics=metrics))
    lacking = ("object: no metric in this profile", "state: no metric in this profile")
    assert overall(scores, expected=EXPECTED, composition=embedded) == (None, lacking)
    partial = overall_partial(scores, expected=EXPECTED, composition=embedded)
    assert partial.families == ("appearance", "scene", "geometry")
    assert partial.value == pytest.approx(0.5)


def test_no_rollouts_at_all_give_no_number():
    partial = overall_partial([], expected=EXPECTED)
    assert (partial.value, partial.families, len(partial.missing)) == (None, (), 11)


def test_overall_refuses_a_count_or_a_family_that_cannot_be():
    scores = aggregate_rows(complete_rows())
    with pytest.raises(ValueError, match="2 rollouts scored, 1 expected"):
        overall(scores, expected=dict.fromkeys(REQUIRED_TEMPLATES, 1))
    with pytest.raises(ValueError, match="no number of rollouts for closed_loop"):
        overall(scores, expected={"out_and_back": 2, "translation_rotation": 2})
    with pytest.raises(ValueError, match=r"unknown families \['sound'\]"):
        overall(scores, expected=EXPECTED, composition={"sound": ("loudness",)})


# --- ranks ---


def test_ties_share_the_mean_rank_and_lower_can_be_better():
    assert average_ranks({"a": 5, "b": 7, "c": 7, "d": 9}) == {"a": 4, "b": 2.5, "c": 2.5, "d": 1}
    assert average_ranks({"a": 5, "b": 7, "c": 7}, higher_is_better=False) == {"a": 1, "b": 2.5, "c": 2.5}


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 4), max_size=8))
def test_ranks_sum_to_the_same_whatever_is_tied(values):
    n = len(values)
    assert sum(average_ranks(values).values()) == n * (n + 1) / 2


def test_family_ranks_by_hand():
    two = {"appearance": ("psnr", "ssim"), "state": ("state",)}
    table = {
        "a": {"psnr": 3, "ssim": 0.1, "state": 2},
        "b": {"psnr": 2, "ssim": 0.3, "state": 1},
        "c": {"psnr": 1, "ssim": 0.2, "state": 3},
    }
    ranks = family_ranks(table, two)
    assert ranks["a"] == ({"appearance": 2.0, "state": 2.0}, 2.0)
    assert ranks["b"] == ({"appearance": 1.5, "state": 3.0}, 2.25)
    assert ranks["c"] == ({"appearance": 2.5, "state": 1.0}, 1.75)


def test_an_incomplete_system_is_not_ranked():
    with pytest.raises(ValueError, match="b has no state: rank complete systems only"):
        family_ranks({"a": {"state": 1}, "b": {}}, {"state": ("state",)})
    with pytest.raises(ValueError, match="value to rank nan"):
        average_ranks({"a": math.nan})
