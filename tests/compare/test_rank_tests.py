"""Rank tests over data sets: against SciPy, scikit-posthocs and statsmodels."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from tests.fewer import fewer
from wager.compare import (
    bonferroni_dunn,
    friedman,
    holm,
    holm_adjust,
    nemenyi,
    over_datasets,
    paired_t,
    ranks,
    wilcoxon,
    wins_table,
    wins_ties_losses,
)

tables = arrays(
    float, st.tuples(st.integers(3, 12), st.integers(3, 5)), elements=st.integers(0, 9).map(float)
)


@given(tables)
@fewer(12)
def test_friedman_is_scipys(table):
    if np.ptp(table, axis=1).max() == 0:
        assert friedman(table).p == 1.0
        return
    theirs = scipy.stats.friedmanchisquare(*table.T)
    ours = friedman(table)
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-9)


@given(tables)
@fewer(12)
def test_mean_ranks_average_to_the_middle_and_flip_with_the_direction(table):
    up = np.array(friedman(table).details["mean_ranks"])
    down = np.array(friedman(table, higher_is_better=False).details["mean_ranks"])
    np.testing.assert_allclose(up.mean(), (table.shape[1] + 1) / 2)
    np.testing.assert_allclose(up + down, table.shape[1] + 1)


def test_nemenyi_agrees_with_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    table = np.random.default_rng(3).random((12, 4)) + np.array([0, 0.2, 0.4, 0.6])
    theirs = posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    ours = nemenyi(table).p
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(ours[off], theirs[off], atol=1e-6)


def test_holm_agrees_with_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(0).random(8) ** 3
    np.testing.assert_allclose(holm_adjust(p), multitest.multipletests(p, method="holm")[1])


@given(tables)
def test_holm_finds_whatever_bonferroni_dunn_finds(table):
    assert set(bonferroni_dunn(table).pairs()) <= set(holm(table).pairs())


def test_wins_ties_and_losses_add_up_to_the_data_sets():
    a, b = np.random.default_rng(0).integers(0, 3, (2, 40))
    record = wins_ties_losses(a, b)
    assert record.wins + record.ties + record.losses == 40
    assert (record.wins, record.losses) == ((a > b).sum(), (a < b).sum())


def test_a_table_of_wins_decides_each_data_set_by_its_folds():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.8, 0.02, (2, 12, 10))
    a[:4] += 0.1
    found = wins_table({"u65": (a, b), "u80": (b, a)}, names=("NCC", "NDC"))
    p = [paired_t(x, y).p for x, y in zip(a, b, strict=True)]
    assert found["u65"] == wins_ties_losses(a.mean(axis=1), b.mean(axis=1), p=p)
    assert (found["u65"].wins, found["u65"].losses) == (found["u80"].losses, found["u80"].wins)
    assert found["u65"].wins >= 4
    assert "utility  NCC wins  ties  NDC wins" in repr(found)


def test_all_ties_are_no_significant_difference():
    table = np.full((5, 3), 0.8)
    assert friedman(table).p == 1.0
    assert "no significant difference" in friedman(table).verdict
    for comparison in (nemenyi(table), holm(table), bonferroni_dunn(table)):
        assert comparison.pairs() == []
        assert "finds no significant difference" in comparison.verdict
    assert str(wins_ties_losses(table[:, 0], table[:, 1])) == "0/5/0"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nemenyi([[1, 2], [2, 1]], names=["ncc", "nbc"]), r"got 2 \(ncc, nbc\)"),
        (lambda: friedman([[1, 2, 3]]), "at least 2 data sets, got 1"),
        (lambda: friedman([[1, 2, 3], [2, 1, 3]], alpha=5), "alpha must lie between 0 and 1"),
        (lambda: nemenyi([[1, 2, 3]]), "for one data set compare the folds with corrected_t"),
        (lambda: holm([[1, 2], [2, 1]], 2), "control must be 0 to 1 or a name, got 2"),
        (lambda: wins_ties_losses([1, 2], [1]), "a has 2 values and b has 1"),
        (
            lambda: wins_ties_losses([1, 2], [1, 3], p=[0.1]),
            "2 data sets: give one p-value per data set",
        ),
        (lambda: wins_table({"u65": ([1, 2], [1, 2])}), "two tables with one row per data set"),
        (lambda: friedman([1, 2, 3]), "one row per data set"),
        (lambda: friedman([[1, 2, np.nan], [1, 2, 3]]), "score in row 0, column 2 is missing"),
        (lambda: holm([[1, 2], [1, 2]], "c", names=["a", "b"]), "unknown classifier 'c'"),
        (lambda: friedman([[1, 2, 3], [3, 2, 1]], names=["a"]), "1 name was given for 3"),
    ],
)
def test_bad_input_is_refused_with_a_clear_message(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_scores_that_differ_by_rounding_are_tied():
    assert ranks([[0.1 + 0.2, 0.3, 0.25]]).tolist() == [[1.5, 1.5, 3.0]]


def test_a_single_pair_is_tested_and_none_is_refused():
    assert wilcoxon([0.5]).p == 1.0
    assert wilcoxon([0.5, -0.5]).p == 1.0  # opposite differences: the sum of both sides is cut
    with pytest.raises(ValueError, match="the signed-rank test needs at least 1 pair, got 0"):
        wilcoxon([])


def test_a_classifier_is_not_compared_with_itself():
    scores = [[0.9, 0.8, 0.5], [0.8, 0.7, 0.6], [0.9, 0.7, 0.5], [0.7, 0.6, 0.5]]
    p = nemenyi(scores).p
    assert np.isnan(np.diagonal(p)).all()
    assert np.isfinite(p[~np.eye(3, dtype=bool)]).all()


def test_bonferroni_dunn_multiplies_by_the_comparisons_with_the_control():
    scores = np.random.default_rng(0).random((12, 4))
    found = bonferroni_dunn(scores, 0)
    z = (found.mean_ranks[1:] - found.mean_ranks[0]) / np.sqrt(4 * 5 / (6 * 12))
    slow = np.minimum(1, 3 * 2 * scipy.stats.norm.sf(np.abs(z)))
    np.testing.assert_allclose(np.asarray(found.p)[0, 1:], slow)
    # Demšar (2006), Table 5: q = 2.394 for four classifiers at the level 0.05
    assert found.critical_difference == pytest.approx(2.394 * np.sqrt(4 * 5 / (6 * 12)), rel=2e-4)


def test_names_in_another_order_choose_the_columns_of_a_frame():
    frame = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=["a", "b", "c"])
    found = nemenyi(frame, names=["c", "a", "b"])
    assert found.mean_ranks.tolist() == [1, 3, 2]
    table = over_datasets({"u65": frame[["b", "a"]], "u80": frame[["a", "b"]]}, names=["a", "b"])
    assert table.mean_ranks("u65").tolist() == table.mean_ranks("u80").tolist() == [2, 1]
    assert nemenyi(frame, names=["x", "y", "z"]).names == ("x", "y", "z")


def test_classifiers_with_the_same_rank_are_all_named():
    scores = np.tile([[3.0, 2.0, 1.0, 0.0], [2.0, 3.0, 1.0, 0.0]], (5, 1))
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        names = ["wxyz"[i] for i in order]
        first, second = (name for name in names if name in "wx")
        verdict = friedman(scores[:, order], names=names).verdict
        assert verdict.endswith(f"; {first} and {second} rank best")
    draw = over_datasets({"u65": scores[:2, :3]}, names=["w", "x", "y"])
    assert draw.recommendation == "under u65 take any (w and x rank best, not significantly)"


def test_any_classifier_is_advised_only_if_the_test_finds_no_difference():
    # Friedman's test is significant, Nemenyi's test does not say for which pair
    scores = np.tile([[3.0, 2.0, 1.0], [2.0, 3.0, 1.0]], (2, 1))
    found = over_datasets({"u65": scores}, names=["w", "x", "y"])
    assert found.test("u65").p < 0.05
    assert found.beaten("u65") == []
    words = "under u65 take w or x (they rank best; y is not significantly worse)"
    assert found.recommendation == words


@pytest.mark.parametrize(("names", "words"), [("abc", "a or b"), ("bac", "b or a")])
def test_the_advice_names_all_that_share_the_best_rank(names, words):
    scores = {"a": [0.9, 0.8] * 6, "b": [0.8, 0.9] * 6, "c": [0.5, 0.4] * 6}
    table = np.column_stack([scores[name] for name in names])
    found = over_datasets({"u65": table}, names=list(names))
    assert found.recommendation == f"under u65 take {words} (they rank best)"
    both = np.column_stack([table, np.tile([0.7, 0.8, 0.85], 4)])
    found = over_datasets({"u65": both}, names=[*names, "d"])
    assert (
        found.recommendation
        == f"under u65 take {words} (they rank best; d is not significantly worse)"
    )
