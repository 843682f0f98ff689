"""Symmetric uncertainty, and the feature selection that uses it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from wager.prepare import CfsSelector
from wager.prepare._cfs import Correlations
from wager.prepare._uncertainty import (
    _count_cross,
    _cross_by_bincount,
    symmetric_uncertainties,
)


@st.composite
def nominal_tables(draw):
    """Codes with gaps; the numbers of values may exceed those that occur."""
    m, n = draw(st.integers(2, 4)), draw(st.integers(1, 25))
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_values = random.integers(1, 4, size=m)
    gaps = draw(st.sampled_from([0.0, 0.3]))
    codes = random.integers(0, n_values, size=(n, m))
    return np.where(random.random((n, m)) < gaps, -1, codes), n_values


def _xlogx(x):
    return 0.0 if x < 1e-6 else x * np.log(x)


def _slow(a, b, v_a, v_b, share):
    """One pair, cell by cell: the counts of missing values shared out by the original margins."""
    table = np.zeros((v_a + 1, v_b + 1))
    for i, j in zip(a, b, strict=True):
        table[i, j] += 1  # -1 is the last row or column
    if share and table[-1].sum() < len(a) and table[:, -1].sum() < len(a):
        original = table.copy()
        rows, columns, total = original.sum(1), original.sum(0), original.sum()
        complete = total - (rows[-1] + columns[-1] - original[-1, -1])
        for i, j in np.ndindex(v_a, v_b):
            table[i, j] += rows[i] / (total - rows[-1]) * original[-1, j]
            table[i, j] += columns[j] / (total - columns[-1]) * original[i, -1]
            if complete > 0:
                table[i, j] += original[i, j] / complete * original[-1, -1]
        table[-1], table[:, -1] = 0, 0
    total = _xlogx(table.sum())
    h_a = total - sum(map(_xlogx, table.sum(1)))
    h_b = total - sum(map(_xlogx, table.sum(0)))
    h_ab = total - sum(map(_xlogx, table.ravel()))
    return 0.0 if min(abs(h_a), abs(h_b)) < 1e-6 else 2 * (h_a + h_b - h_ab) / (h_a + h_b)


@given(nominal_tables(), st.booleans())
def test_symmetric_uncertainty_is_that_of_the_shared_table(data, share):
    codes, n_values = data
    for i in range(codes.shape[1]):
        ours = symmetric_uncertainties(codes, n_values, i, share_missing=share)
        slow = [
            _slow(codes[:, i], codes[:, j], n_values[i], n_values[j], share)
            for j in range(codes.shape[1])
        ]
        np.testing.assert_allclose(ours, slow, atol=1e-9)


@given(nominal_tables())
def test_symmetric_uncertainty_is_symmetric_and_at_most_one(data):
    codes, n_values = data
    table = np.array([symmetric_uncertainties(codes, n_values, j) for j in range(len(n_values))])
    np.testing.assert_allclose(table, table.T, atol=1e-9)
    assert table.max() <= 1 + 1e-9


@given(nominal_tables())
def test_the_compiled_table_is_the_one_of_bincount(data):
    codes, n_values = data
    starts = np.cumsum(n_values + 1) - n_values - 1
    tables = [np.zeros((n_values[0] + 1, (n_values + 1).sum()), dtype=int) for _ in range(2)]
    _count_cross.loop(codes, starts, n_values, 0, tables[0])
    _cross_by_bincount(codes, starts, n_values, 0, tables[1])
    np.testing.assert_array_equal(*tables)


def _correlations(seed=0, zero_pair=1.0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, 200)
    noisy = [np.where(random.random(200) < q, y, 1 - y) for q in (0.9, 0.8, 0.7, 0.5)]
    codes = np.column_stack([*noisy, noisy[0], y])
    return Correlations(codes, np.full(6, 2), True, zero_pair)


def test_the_merit_is_the_mean_correlation_formula_of_hall():
    correlations = _correlations()
    subset = (0, 2, 3)
    k = len(subset)
    with_class = np.mean([correlations.with_class[j] for j in subset], dtype=float)
    among = [correlations.with_feature(i)[j] for i in subset for j in subset if i < j]
    expected = k * with_class / np.sqrt(k + k * (k - 1) * np.mean(among))
    assert correlations.merit(subset) == pytest.approx(expected, rel=1e-12)
    assert correlations.merit(()) == 0.0


def test_the_merits_of_many_sets_have_the_bits_of_a_sum_from_left_to_right(monkeypatch):
    correlations = _correlations(1)
    subsets = np.array(list(combinations(range(5), 3)))
    expected = []
    for subset in subsets:
        relevance, redundancy = 0.0, 0.0
        for place, j in enumerate(subset):
            relevance += float(correlations.with_class[j])
            redundancy += 1.0
            for i in subset[:place]:
                redundancy += 2.0 * correlations.with_feature(i)[j]
        expected.append(relevance / np.sqrt(redundancy))
    assert correlations.merits(subsets).tolist() == expected
    monkeypatch.setattr("wager.prepare._cfs._TERMS", 1)  # one set at a time
    assert correlations.merits(subsets).tolist() == expected


def test_no_single_addition_improves_what_the_search_found():
    correlations = _correlations(3)
    from wager.prepare._cfs import BestFirst

    best, merit = BestFirst(correlations, 5).run()
    assert merit == correlations.merit(best)
    for j in set(range(5)) - set(best):
        assert correlations.merit(tuple(sorted((*best, j)))) <= merit + 1e-5


def test_a_copy_of_a_feature_is_redundant_and_noise_is_not_chosen():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    X = np.column_stack([y, y, random.integers(0, 2, 300)])
    assert CfsSelector(locally_predictive=False).fit(X, y).get_support().tolist() == [
        True,
        False,
        False,
    ]


def test_nothing_is_chosen_where_nothing_helps():
    X = pd.DataFrame({"a": pd.Categorical(["k"] * 6), "b": pd.Categorical(["k"] * 6)})
    selector = CfsSelector(locally_predictive=False).fit(X, [0, 1, 0, 1, 0, 1])
    assert selector.get_support().tolist() == [False, False]
    assert selector.transform(X).shape == (6, 0)


def test_independent_features_count_as_redundant_only_if_asked():
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 4)
    y = X[:, 0]
    codes = np.column_stack([X, y])
    assert Correlations(codes, np.full(3, 2), True, 1.0).with_feature(0)[1] == 1.0
    assert Correlations(codes, np.full(3, 2), True, 0.0).with_feature(0)[1] == 0.0
