"""Tests of two classifiers: against SciPy and mlxtend, and laws that hold for all scores."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from tests.replications import replications
from wager._tables import rows_of
from wager.compare import (
    corrected_t,
    five_by_two_cv,
    mcnemar,
    paired_t,
    sign_test,
    wilcoxon,
    wins_ties_losses,
)
from wager.compare._wilcoxon import _hodges_lehmann

scores = arrays(float, st.integers(3, 20), elements=st.integers(0, 20).map(lambda i: i / 20))


@given(scores)
def test_the_paired_t_test_is_scipys(a):
    b = a[::-1]
    ours, theirs = paired_t(a, b), scipy.stats.ttest_rel(a, b)
    if np.ptp(a - b) > 1e-12:
        assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
        assert ours.p == pytest.approx(theirs.pvalue, abs=1e-9)
        assert ours.interval == pytest.approx(tuple(theirs.confidence_interval()), abs=1e-9)
    else:
        assert ours.p in (0.0, 1.0)


def test_differences_that_agree_up_to_rounding_are_constant_at_any_scale():
    for scale in (1e-6, 1.0, 1e3, 1e6):
        d = scale * np.array([0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2])
        assert (paired_t(d).p, paired_t(d).interval) == (0.0, (d.mean(), d.mean()))


def test_the_shift_of_many_differences_is_that_of_2000_quantiles():
    d = np.arange(2001.0) ** 2
    kept = np.linspace(0, 2000, 2000).round().astype(int)
    assert _hodges_lehmann(d[::-1]) == _hodges_lehmann(d[kept])


@given(scores, st.floats(0.01, 2))
def test_the_correction_never_makes_a_difference_more_significant(a, test_share):
    d = a - a.mean() + 0.1
    assert corrected_t(d, n_train=1, n_test=test_share).p >= paired_t(d).p - 1e-12


@given(scores, scores)
def test_swapping_the_two_swaps_the_sign_and_keeps_p(a, b):
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    for test in (paired_t, sign_test, wilcoxon):
        there, back = test(a, b), test(b, a)
        assert there.p == pytest.approx(back.p)
        assert there.effect == pytest.approx(-back.effect)


@given(st.permutations(range(1, 11)), st.lists(st.booleans(), min_size=10, max_size=10))
def test_the_exact_signed_rank_law_without_ties_is_scipys(sizes, signs):
    d = np.where(signs, sizes, np.negative(sizes)).astype(float)
    theirs = scipy.stats.wilcoxon(d, method="exact")
    ours = wilcoxon(d, method="exact")
    assert ours.statistic == theirs.statistic
    assert ours.p == pytest.approx(theirs.pvalue)


@given(scores)
def test_the_exact_signed_rank_law_with_ties_runs_over_all_sign_patterns(a):
    d = (a - 0.5)[:9].round(6)
    outcome = wilcoxon(d, method="exact")
    ranks = scipy.stats.rankdata(np.abs(d[d != 0]))
    n = len(ranks)
    patterns = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    totals = patterns @ ranks
    expected = min(1.0, 2 * np.mean(totals <= outcome.statistic + 1e-9)) if n else 1.0
    assert outcome.p == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:Sample size too small")  # SciPy before 1.15
@given(scores)
def test_the_normal_signed_rank_test_is_scipys_with_zeros_dropped_or_split(a):
    d = (a - 0.5).round(6)
    if not d.any():
        return
    for zeros, theirs in (("drop", "wilcox"), ("split", "zsplit")):
        ours = wilcoxon(d, zeros=zeros, method="normal")
        expected = scipy.stats.wilcoxon(d, zero_method=theirs, method="approx")
        assert ours.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_mcnemar_and_five_by_two_agree_with_mlxtend():
    evaluate = pytest.importorskip("mlxtend.evaluate")
    rng = np.random.default_rng(1)
    a, b = rng.random(200) < 0.8, rng.random(200) < 0.7
    table = evaluate.mcnemar_table(np.ones(200, int), a.astype(int), b.astype(int))
    _, p = evaluate.mcnemar(table, exact=True)
    assert mcnemar(a, b).p == pytest.approx(p)
    chi2, p_chi2 = evaluate.mcnemar(table, corrected=True)
    details = mcnemar(a, b).details
    assert (details["chi2_corrected"], details["p_chi2"]) == pytest.approx((chi2, p_chi2))


def _resampled_differences(rng, n=100, splits=15, share=0.1):
    """Accuracy differences of two learners that are equally good, over overlapping splits.

    One sees only the first feature, the other the second, and both features have the same law.
    """
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + y[:, None]
    d = np.empty(splits)
    for j in range(splits):
        order = rng.permutation(n)
        test, train = order[: round(share * n)], order[round(share * n) :]
        means = [X[train][y[train] == label].mean(axis=0) for label in (0, 1)]
        middle, up = (means[0] + means[1]) / 2, means[1] > means[0]
        right = ((X[test] > middle) == up) == (y[test] == 1)[:, None]
        d[j] = right[:, 0].mean() - right[:, 1].mean()
    return d


@pytest.mark.slow
def test_the_corrected_test_holds_its_level_where_the_plain_one_does_not():
    rng, runs = np.random.default_rng(8), replications(1000)
    plain = corrected = 0
    for _ in range(runs):
        d = _resampled_differences(rng)
        plain += paired_t(d).p < 0.05
        corrected += corrected_t(d, n_train=90, n_test=10).p < 0.05
    error = np.sqrt(0.05 * 0.95 / runs)
    assert corrected / runs <= 0.05 + 2 * error
    assert plain / runs > 0.15


def test_equal_scores_are_a_tie_without_nan():
    for test in (paired_t, sign_test, wilcoxon):
        outcome = test([0.8, 0.7, 0.9], [0.8, 0.7, 0.9])
        assert outcome.p == 1.0
        assert outcome.effect == 0.0
        assert outcome.verdict.startswith("no significant difference between A and B")
    assert five_by_two_cv(np.zeros((5, 2))).p == 1.0
    assert mcnemar([True, False], [True, False]).p == 1.0


def test_scores_that_differ_only_by_rounding_are_equal():
    a, b = [0.1 + 0.2, 0.7 + 0.1, 0.3], [0.3, 0.8, 0.1 + 0.2]
    assert a != b
    for test in (paired_t, sign_test, wilcoxon):
        assert test(a, b).p == 1.0


def test_the_two_5x2cv_tests_report_their_own_effect():
    d = np.array([[0.02, 0.03], [0.01, 0.02], [-0.02, 0.02], [0.03, 0.01], [0.02, -0.01]])
    t, f = five_by_two_cv(d), five_by_two_cv(d, statistic="F")
    assert (t.effect, f.effect) == pytest.approx((0.02, d.mean()))
    assert t.interval[0] < t.effect < t.interval[1]
    assert np.isnan(f.interval).all()


def test_a_constant_lead_is_certain():
    outcome = paired_t([0.9, 0.8], [0.8, 0.7], names=("ncc", "nbc"))
    assert outcome.p == 0.0
    assert outcome.verdict == "ncc scores higher than nbc (p < 0.0001)"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paired_t([1, 2], [1, 2, 3]), "a has 2 values and b has 3"),
        (lambda: paired_t([1.0], [2.0]), "at least 2 pairs, got 1"),
        (lambda: paired_t([1, np.nan], [1, 2]), r"a\[1\] is nan"),
        (lambda: corrected_t([1, 2], n_train=0, n_test=1), "positive n_train"),
        (lambda: five_by_two_cv(np.zeros((4, 2))), "five repetitions of two folds"),
        (lambda: five_by_two_cv([[-np.inf, 0.0]] * 5), "pass finite scores"),
        (lambda: five_by_two_cv([[np.inf, 0.5]] * 5, [[0.4, 0.2]] * 5), "pass finite scores"),
        (lambda: mcnemar([True], [True, False]), "same rows"),
        (lambda: wilcoxon([1, 2], zeros="keep"), "'drop' or 'split'"),
        (lambda: wilcoxon([1, 2], alpha=2), "alpha must lie between 0 and 1"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, float("nan"), 0.0], r"correct_b\[1\] is nan: give True or False for each row"),
        ([True, None, False], r"correct_b\[1\] is None"),
        ([1, 2, 0], r"correct_b\[1\] is 2"),
        (["yes", "no", "no"], r"correct_b\[0\] is 'yes'"),
    ],
)
def test_mcnemar_takes_only_right_and_wrong(values, words):
    with pytest.raises(ValueError, match=words):
        mcnemar([True, False, True], values)


def test_mcnemar_takes_ones_and_zeros():
    a, b = np.array([True, True, False, True]), np.array([False, True, True, False])
    assert mcnemar(a, b) == mcnemar(a.astype(float), b.astype(int).astype(object))


def test_series_are_paired_by_their_names():
    first = pd.Series([0.9, 0.8, 0.7, 0.95], index=["w", "x", "y", "z"])
    second = pd.Series([0.85, 0.8, 0.6, 0.9], index=first.index)
    shuffled = second[["y", "w", "z", "x"]]
    for test in (paired_t, wilcoxon, sign_test):
        assert test(first, shuffled) == test(first, second) == test(list(first), list(second))
    assert mcnemar(first > 0.8, shuffled > 0.8) == mcnemar(first > 0.8, second > 0.8)
    p = pd.Series([0.01, 1.0, 1.0, 1.0], index=first.index)
    record = wins_ties_losses(first, second, p=p)
    assert str(record) == str(wins_ties_losses(first, shuffled, p=p[shuffled.index])) == "1/3/0"
    numbered = second.set_axis([5, 6, 7, 8])  # rows of a long table
    assert paired_t(first, numbered) == paired_t(first, second)
    twice = second.set_axis(["w", "w", "y", "z"])
    assert paired_t(first, twice) == paired_t(first, second)
    assert rows_of(first, second) is second  # a million rows are not compared one by one


def test_series_that_may_be_paired_by_number_or_by_row_are_refused():
    """As if one comes from a shuffled frame and the other from a list in its order."""
    first = pd.Series([0.9, 0.8, 0.7, 0.95])
    shuffled = pd.Series([0.85, 0.8, 0.6, 0.9], index=[2, 0, 3, 1])
    for a, b in ((first, shuffled), (shuffled, first)):
        with pytest.raises(ValueError, match=r"pass both with sort_index\(\) .* or with to_numpy"):
            wilcoxon(a, b)
    assert wilcoxon(first, shuffled.sort_index()).details


def test_the_keys_of_a_dictionary_of_scores_are_names():
    scores = {"plain": [0.9, 0.8, 0.7], "credal": [0.8, 0.6, 0.4]}
    found = paired_t(*scores.values(), names=scores.keys())
    assert found == paired_t(*scores.values(), names=("plain", "credal"))


@pytest.mark.parametrize("b", [0.8, [0.8, 0.7], [[0.8]] * 5])
def test_scores_of_another_shape_are_not_repeated(b):
    with pytest.raises(ValueError, match=r"a has the shape \(5, 2\), b .*pass both as 5 by 2"):
        five_by_two_cv([[0.8, 0.7], [0.6, 0.9], [0.7, 0.8], [0.9, 0.8], [0.7, 0.6]], b)
