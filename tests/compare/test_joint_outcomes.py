"""The outcomes of all classifiers together are the joint counts of every two of them."""

from itertools import combinations

import numpy as np
from hypothesis import given, strategies as st

from wager._tables import RowUnits
from wager.compare import JointOutcomes, head_to_head
from wager.rewards import CellSums, PairedTally, joint_number


@given(st.integers(0, 10**6), st.sampled_from(["plain", "weights", "counts", "clusters"]))
def test_joint_counts_of_any_two_follow_from_the_outcomes_of_all(seed, kind):
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(1, 60)), 4
    y = rng.integers(0, K, n)
    sets = {name: rng.random((n, K)) < 0.5 for name in "abc"}
    units = {
        "plain": {},
        "weights": {"sample_weight": rng.choice([0.0, 0.5, 1.7], n) + 1e-3},
        "counts": {"counts": rng.integers(0, 3, n) + (np.arange(n) == 0)},
        "clusters": {"groups": rng.integers(0, 5, n)},
    }[kind]
    found = head_to_head(y, sets, classes=list(range(K)), **units)
    rows = found.rows.outcomes()
    assert (np.unique(np.vstack([rows.numbers, _clusters(rows)]), axis=1).shape[1]
            == rows.numbers.shape[1])  # fmt: skip
    assert (rows.totals > 0).all()
    assert (rows.squares is not None) == (kind == "weights")
    for i, j in combinations(range(3), 2):
        again = PairedTally.of_sums(K, _sums(rows, i, j, K))
        pair = found.pairs["abc"[i], "abc"[j]]
        np.testing.assert_array_equal(again.outcomes, pair.outcomes)
        np.testing.assert_allclose(again.counts, pair.counts, rtol=1e-12)
        if pair.sums.squares is not None:
            np.testing.assert_allclose(again.sums.squares, pair.sums.squares, rtol=1e-12)


def _clusters(rows):
    return np.zeros(rows.numbers.shape[1], int) if rows.clusters is None else rows.clusters


def _sums(rows, i, j, K):
    numbers = joint_number(rows.numbers[i], rows.numbers[j], K)
    if rows.clusters is not None:
        labels = np.arange(rows.clusters.max() + 1)
        return CellSums.of(numbers, RowUnits(None, rows.totals, rows.clusters, labels))
    order = np.argsort(numbers, kind="stable")
    squares = None if rows.squares is None else rows.squares[order]
    return CellSums(numbers[order], rows.totals[order], squares).renumbered(numbers[order])


def test_too_many_rows_are_not_kept(monkeypatch):
    monkeypatch.setattr("wager.compare._joint_outcomes.MOST_ENTRIES", 5)
    found = head_to_head([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    assert found.rows.outcomes() is None


def test_rows_without_weight_do_not_occur():
    units = RowUnits.of(3, sample_weight=[1.0, 0.0, 2.0])
    found = JointOutcomes.of([np.array([3, 2, 3]), np.array([3, 3, 3])], units)
    assert found.numbers.tolist() == [[3], [3]]
    assert (found.totals.tolist(), found.squares.tolist()) == ([3.0], [5.0])
