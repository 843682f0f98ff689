"""Counts of very many rows are exact or refused, and the order of merging hardly matters."""

from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from wager import CostTally, PairedTally, Tally
from wager._tables import Counts
from wager.metrics import information_reward
from wager.rewards import ClassTally, ProbabilityTally

TOO_MANY = r"the counts add up to 2\*\*63 rows or more, which is too many"


def test_tallies_of_1e15_rows_are_exact():
    counts = [10**15 + 1, 10**15 - 3, 7]
    y, sets = ["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]]
    for kind in (Tally, ClassTally, CostTally):
        tally = kind.of(y, sets, classes=["a", "b", "c"], counts=counts)
        assert (tally + tally).sums.n == 2 * sum(counts)
        assert ((tally + tally) - tally) == tally
    tally = Tally.of(y, sets, classes=["a", "b", "c"], counts=counts)
    assert tally.table.tolist() == [[0, 0], [0, 10**15 + 1], [7, 10**15 - 3], [0, 0]]
    exact = (counts[0] + Fraction(65, 100) * counts[1]) / sum(counts)
    assert tally.expected_utility("u65") == pytest.approx(float(exact), rel=1e-15)
    paired = PairedTally.of(y, sets, y, classes=["a", "b", "c"], counts=counts)
    assert (paired + paired).n == 2 * sum(counts)
    assert paired.a == tally


def test_counts_near_the_largest_integer_are_exact():
    near = 2**62 - 1025
    tally = Tally([[0, 0], [near, near], [0, 1]])
    assert tally.n == 2**63 - 2049
    joined = tally.sums.renumbered(np.zeros(3, dtype=np.int64))
    assert joined.totals.tolist() == [2**63 - 2049]


@pytest.mark.parametrize(
    "count",
    [
        lambda: Tally([[0, 0], [2**62, 2**62], [0, 0]]),
        lambda: Tally([[0, 0], [2**63, 1], [0, 0]]),
        lambda: Tally.from_json('{"table": [[0, 0], [9223372036854775808, 1], [0, 0]]}'),
        lambda: Tally.from_json(
            '{"table": [[0, 0], [4611686018427387904, 4611686018427387904], [0, 0]]}'
        ),
        lambda: Tally([[0, 0], [2**62, 0], [0, 0]]) + Tally([[0, 0], [0, 2**62], [0, 0]]),
        lambda: Tally([[0, 0], [2**63 - 1024, 500], [500, 500], [0, 0]]),  # 2**63 - 1024 as floats
        lambda: Tally([[0, 0], [2**62, 0], [0, 0]]) + Tally([[0, 0], [2**62, 0], [0, 0]]),
    ],
)
def test_more_rows_than_an_integer_can_count_are_refused(count):
    with pytest.raises(ValueError, match=TOO_MANY):
        count()


def test_sums_over_cells_are_refused_before_they_wrap_round():
    half = Tally([[0, 0], [2**62, 0], [0, 0]])
    with pytest.raises(ValueError, match=TOO_MANY):
        half + Tally([[0, 0], [0, 2**62], [0, 0]])


def test_counts_of_training_rows_are_refused_before_they_wrap_round():
    part = Counts(np.array([[2**62]]), np.array([2**62]), np.array([1]))
    with pytest.raises(ValueError, match=TOO_MANY):
        part + part


@given(
    st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=12),
    st.randoms(use_true_random=False),
)
def test_the_order_of_merging_changes_weighted_sums_within_the_stated_bound(weights, random):
    """Adding m positive numbers in any order has a relative error below (m - 1) 2**-53."""
    parts = [Tally.of(["a"], ["a"], ["a", "b"], sample_weight=[w]) for w in weights]
    ahead = reduce(add, parts)
    random.shuffle(parts)
    other = reduce(add, parts)
    exact = sum(map(Fraction, weights))
    bound = (len(weights) - 1) * Fraction(1, 2**53) * exact
    for tally in (ahead, other):
        assert abs(Fraction(tally.n) - exact) <= bound


@given(st.lists(st.integers(0, 2**40), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_merging_changes_no_count(counts, random):
    parts = [Tally([[0, 0], [n, n + 1], [0, n]]) for n in counts]
    ahead = reduce(add, parts)
    random.shuffle(parts)
    assert reduce(add, parts) == ahead


@settings(max_examples=10)
@given(st.integers(2, 60), st.integers(0, 2**20), st.randoms(use_true_random=False))
def test_the_order_of_merging_changes_means_of_probabilities_within_the_stated_bound(
    n, seed, random
):
    """The sum of n terms in any order and any parts: at most (n - 1) 2**-53 of the sum of sizes."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(3, 0.3), n) * (1 - 1e-9) + 1e-9 / 3
    y = rng.integers(0, 3, n)
    pieces = np.split(np.arange(n), np.sort(rng.integers(0, n + 1, 4)))
    parts = [
        ProbabilityTally.of(y[rows], proba[rows], classes=range(3)) for rows in pieces if len(rows)
    ]
    ahead = reduce(add, parts)
    random.shuffle(parts)
    whole = ProbabilityTally.of(y, proba, classes=range(3))
    rows = information_reward(y, proba, classes=range(3), per_row=True).tolist()
    exact = sum(map(Fraction, rows)) / n
    # n - 1 additions, a division, the rounding of each term, and the change to bits
    bound = (n + 3) * 2.0**-53 * sum(map(abs, rows)) / n
    for tally in (ahead, reduce(add, parts), whole):
        found = tally.score("information_reward").value
        assert abs(float(Fraction(found) - exact)) <= bound
