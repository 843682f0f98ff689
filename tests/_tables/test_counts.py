"""Counts add up and subtract, and the compiled loops count like NumPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager._tables import Counts, PairCounts, training_counts


@st.composite
def coded_rows(draw):
    """Codes with gaps, classes, numbers of values (some never used) and of classes."""
    m = draw(st.integers(1, 4))
    n_values = np.array(draw(st.lists(st.integers(1, 4), min_size=m, max_size=m)))
    n_classes = draw(st.integers(1, 3))
    n = draw(st.integers(0, 20))
    seed = draw(st.integers(0, 2**16))
    random = np.random.default_rng(seed)
    codes = random.integers(-1, n_values, size=(n, m)).astype(np.int32)
    return codes, random.integers(0, n_classes, size=n), n_values, n_classes


@pytest.fixture(params=["numba", "numpy"])
def engine(request, monkeypatch):
    monkeypatch.setenv("WAGER_COMPILE", "never" if request.param == "numpy" else "always")
    return request.param


def test_counts_are_those_of_a_plain_loop(engine):
    @given(coded_rows())
    def check(data):
        codes, y, n_values, n_classes = data
        counts, pairs = (kind.of(*data) for kind in (Counts, PairCounts))
        for j, v in enumerate(n_values):
            expected = [
                [sum((codes[:, j] == a) & (y == c)) for c in range(n_classes)] for a in range(v)
            ]
            assert counts.of_feature(j).tolist() == expected
            assert counts.observed[j].tolist() == np.sum(expected, axis=0).tolist()
            for k, w in enumerate(n_values):
                for a, b, c in np.ndindex(v, w, n_classes):
                    rows = (codes[:, j] == a) & (codes[:, k] == b) & (y == c)
                    assert pairs.of_features(j, k)[a, b, c] == rows.sum()

    check()


@given(coded_rows(), st.integers(0, 20))
def test_counts_of_parts_add_up_and_subtract(data, cut):
    codes, y, n_values, n_classes = data
    for kind in (Counts, PairCounts):
        left = kind.of(codes[:cut], y[:cut], n_values, n_classes)
        right = kind.of(codes[cut:], y[cut:], n_values, n_classes)
        whole = kind.of(*data)
        for ours, expected in ((left + right, whole), (whole - right, left)):
            one, other = (getattr(counts, "single", counts) for counts in (ours, expected))
            np.testing.assert_array_equal(one.values, other.values)
            np.testing.assert_array_equal(one.classes, other.classes)
            np.testing.assert_array_equal(getattr(ours, "table", 0), getattr(expected, "table", 0))


@pytest.mark.parametrize("kind", [Counts, PairCounts])
def test_training_counts_of_folds_follow_by_subtraction(kind):
    random = np.random.default_rng(3)
    codes, y = random.integers(-1, 3, size=(40, 5)), random.integers(0, 2, size=40)
    fold = random.integers(-1, 4, size=40)
    n_values = np.full(5, 3)
    total = kind.of(codes, y, n_values, 2)
    for f, counts in enumerate(training_counts(total, codes, y, fold)):
        expected = kind.of(codes[fold != f], y[fold != f], n_values, 2)
        for part in ("values", "table"):
            ours, theirs = (getattr(c, part, None) for c in (counts, expected))
            np.testing.assert_array_equal(ours, theirs)


def test_counts_of_different_features_do_not_mix():
    one, other = (
        Counts.of(np.zeros((1, 1), dtype=int), np.zeros(1, dtype=int), np.array([v]), 1)
        for v in (1, 2)
    )
    with pytest.raises(ValueError, match="cannot combine counts"):
        _ = one + other


def test_a_table_of_pairs_that_would_not_fit_is_refused_before_it_is_made():
    codes = np.zeros((1, 10_000), dtype=np.int32)
    with pytest.raises(ValueError, match=r"20000 values in 10000 features .* GiB.*CfsSelector"):
        PairCounts.of(codes, np.zeros(1, dtype=int), np.full(10_000, 2), 2)
