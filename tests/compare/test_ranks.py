"""Rank tests over data sets: against SciPy and scikit-posthocs, and the published conclusions."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.published import CLASSIFIERS, published_scores
from tests.shared import shared
from wager.compare import (
    bonferroni_dunn,
    friedman,
    holm,
    holm_adjust,
    nemenyi,
    wins_ties_losses,
)

tables = arrays(
    float, st.tuples(st.integers(3, 12), st.integers(3, 5)), elements=st.integers(0, 9).map(float)
)


@given(tables)
def test_friedman_is_scipys(table):
    if np.ptp(table, axis=1).max() == 0:
        assert friedman(table).p == 1.0
        return
    theirs = scipy.stats.friedmanchisquare(*table.T)
    ours = friedman(table)
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-9)


@given(tables)
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


class TestThePublishedConclusions:
    """Zaffalon, Corani & Mauá (2012), Section 9.2, recomputed from Tables 13 to 15."""

    def scores(self, table):
        return published_scores(
            shared("reference", "published", "zaffalon2012_tables12_19.csv"), table
        )

    def test_under_discounted_accuracy_ncc_is_beaten_by_cma_and_cdt_alone(self):
        found = nemenyi(self.scores(13), names=CLASSIFIERS)
        assert friedman(self.scores(13)).p < 0.05
        assert set(found.pairs()) == {("CMA", "NCC"), ("CDT", "NCC")}

    @pytest.mark.parametrize("table", [14, 15])
    def test_under_u65_and_u80_no_classifier_is_significantly_better(self, table):
        assert friedman(self.scores(table)).p > 0.05


def test_wins_ties_and_losses_add_up_to_the_data_sets():
    a, b = np.random.default_rng(0).integers(0, 3, (2, 40))
    record = wins_ties_losses(a, b)
    assert record.wins + record.ties + record.losses == 40
    assert (record.wins, record.losses) == ((a > b).sum(), (a < b).sum())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nemenyi([[1, 2], [2, 1]], names=["ncc", "nbc"]), r"got 2 \(ncc, nbc\)"),
        (lambda: friedman([[1, 2, 3]]), "at least 2 data sets, got 1"),
        (lambda: friedman([1, 2, 3]), "a row a data set"),
        (lambda: friedman([[1, 2, np.nan], [1, 2, 3]]), "row 0, column 2 holds no score"),
        (lambda: holm([[1, 2], [1, 2]], "c", names=["a", "b"]), "no classifier 'c'"),
        (lambda: friedman([[1, 2, 3], [3, 2, 1]], names=["a"]), "1 names were given for 3"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()
