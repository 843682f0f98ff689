"""The pivot table: spread over splits, and the corrected t-test against a baseline."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.compare import corrected_t, paired_t
from wager.experiments.store._pivot import SplitScore, pivot_table
from wager.experiments.store._scores import ScoreTable

values = st.lists(st.floats(0, 1), min_size=2, max_size=12)


def pivot(a, b, *, n_train=90.0, greater_is_better=True, **options):
    means = np.array([[np.nanmean(a), np.nanmean(b)]])
    table = ScoreTable("u65", ("iris",), ("a", "b"), means, greater_is_better)
    splits = {
        ("iris", name): {(0, i): SplitScore(x, n_train, 10) for i, x in enumerate(scores)}
        for name, scores in (("a", a), ("b", b))
    }
    return pivot_table(table, splits, **options)


@given(values, st.randoms(use_true_random=False), st.booleans())
def test_marks_are_those_of_the_corrected_t_test(a, random, greater_is_better):
    b = [random.random() for _ in a]
    found = pivot(a, b, greater_is_better=greater_is_better)
    expected = corrected_t(b, a, n_train=90, n_test=10)
    assert found.p[0, 1] == pytest.approx(expected.p)
    sign = np.sign(expected.effect) if expected.p < 0.05 else 0
    assert found.outcomes[0].tolist() == [0, sign if greater_is_better else -sign]
    np.testing.assert_allclose(found.deviations[0], [np.std(a, ddof=1), np.std(b, ddof=1)])
    other = pivot(a, b, greater_is_better=greater_is_better, baseline="b")
    assert other.outcomes[0, 0] == -found.outcomes[0, 1]


def test_rows_drawn_anew_need_no_correction():
    a, b = [0.8, 0.82, 0.79, 0.8], [0.9, 0.88, 0.91, 0.87]
    assert pivot(a, b, n_train=np.inf).p[0, 1] == pytest.approx(paired_t(b, a).p)
    assert pivot(a, b, n_train=np.inf).p[0, 1] < pivot(a, b).p[0, 1]


def test_one_split_has_neither_deviation_nor_mark():
    found = pivot([0.8], [0.9])
    assert np.isnan(found.deviations).all()
    assert np.isnan(found.p).all()
    assert found.wins_ties_losses("b") == (0, 0, 0)
    assert found.cells() == [["0.8000", "0.9000"]]
    assert "over 1 split;" in found.legend()


def test_infinite_splits_are_not_left_out():
    """The finite ones alone said that the learner that lost everything was better."""
    lost, other = [0.9, 0.91, 0.92, 0.9, -np.inf], [0.5, 0.51, 0.49, 0.5, 0.5]
    found = pivot(other, lost)
    assert np.isnan(found.deviations[0, 1])
    assert np.isfinite(found.deviations[0, 0])
    assert np.isnan(found.p).all()
    assert not found.outcomes.any()
    assert found.n_splits == (5, 5)
    assert found.cells()[0][1] == "-inf"


def test_undefined_splits_are_left_out():
    found = pivot([0.8, np.nan, 0.7], [0.9, 0.8, 0.85])
    assert found.deviations[0, 0] == pytest.approx(np.std([0.8, 0.7], ddof=1))
    assert found.p[0, 1] == pytest.approx(
        corrected_t([0.9, 0.85], [0.8, 0.7], n_train=90, n_test=10).p
    )
    assert found.n_splits == (2, 3)


def test_it_prints_and_goes_to_a_frame():
    found = pivot([0.8, 0.81, 0.79], [0.9, 0.91, 0.92])
    assert "0.910 ± 0.010 v" in repr(found)
    frame = found.to_frame()
    assert frame.loc[1, "outcome"] == 1
    assert frame["mean"].tolist() == pytest.approx([0.8, 0.91])
