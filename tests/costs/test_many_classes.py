"""Costs of predictions over many classes, without a K x K array."""

from __future__ import annotations

import tracemalloc
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import coo_array

from tests.fewer import fewer
from wager.costs import CostMatrix, CostTally, average_cost, evaluate_costs
from wager.costs._cost_tables import DefaultCosts, FullCosts, LossByTruth, RankDistances
from wager.costs._pairs import distinct_pairs
from wager.predictions import PredictionSets

N = 70  # more classes than the bits of a word
RULES = [
    ("discounted", {}),
    ("p-discounted", {"r": 0.5}),
    ("p-discounted", {"r": 0.5, "mode": "mistake-averse"}),
    ("p-discounted", {"r": 1}),
    ("p-discounted", {"p": -np.inf}),
    ("p-discounted", {"p": 200.0}),
    ("abellan-masegosa", {}),
]


def sparse_costs():
    rows, columns = [0, 3, 5, 7], [1, 3, 69, 2]
    return coo_array(([4.0, 0.5, 0.0, 9.0], (rows, columns)), shape=(N, N))


def tables():
    rng = np.random.default_rng(0)
    return [
        CostMatrix.zero_one(range(N)),
        CostMatrix.ha(rng.random(N) * 3, range(N)),
        CostMatrix.ordinal(range(N), p=1.5),
        CostMatrix(sparse_costs(), range(N), default=2.0),
    ]


@st.composite
def predictions(draw):
    rows = draw(
        st.lists(
            st.one_of(
                st.sets(st.integers(0, N - 1), min_size=1, max_size=4), st.just(set(range(N)))
            ),
            min_size=1,
            max_size=6,
        )
    )
    truth = draw(st.lists(st.integers(0, N - 1), min_size=len(rows), max_size=len(rows)))
    return np.array(truth), PredictionSets.from_lists([sorted(row) for row in rows], range(N))


@pytest.mark.parametrize("costs", tables(), ids=lambda c: type(c.table).__name__)
@pytest.mark.parametrize(("rule", "options"), RULES)
@fewer(5)
@given(data=predictions())
def test_costs_by_a_rule_are_those_of_the_whole_matrix(costs, rule, options, data):
    truth, sets = data
    whole = CostMatrix(costs.costs, range(N)).extend(rule, **options)
    cells = whole._pairs(sets.to_indicator(), truth)  # one matrix product, with all classes
    np.testing.assert_allclose(costs.extend(rule, **options).of(sets, truth), cells, rtol=1e-9)


@given(data=predictions(), delta=st.floats(0, 2))
def test_rules_of_hits_and_sizes_agree_with_the_whole_matrix(data, delta):
    truth, sets = data
    losses, ones = CostMatrix.ha(np.arange(N) / 7, range(N)), CostMatrix.zero_one(range(N))
    for costs, rule, options in (
        (losses, "ha", {"delta": delta}),
        (ones, "utility", {"utility": "u80"}),
    ):
        whole = CostMatrix(costs.costs, range(N)).extend(rule, **options)
        cells = whole._pairs(sets.to_indicator(), truth)
        np.testing.assert_allclose(costs.extend(rule, **options).of(sets, truth), cells)


@pytest.mark.parametrize("costs", tables(), ids=lambda c: type(c.table).__name__)
@pytest.mark.parametrize(("rule", "options"), [*RULES, ("ha", {"delta": 0.3}), ("utility", {})])
def test_ranges_are_those_of_all_extreme_sets(costs, rule, options):
    try:
        extended = costs.extend(rule, **options)
    except ValueError:
        assert rule in ("ha", "utility")  # these need costs of a certain kind
        return
    single = np.eye(N, dtype=bool)
    rows = extended.costs_of_members(np.vstack([single, ~single, np.ones((1, N), dtype=bool)]))
    expected = np.stack([rows.min(axis=0), rows.max(axis=0)], axis=1)
    np.testing.assert_allclose(extended.ranges, expected, atol=1e-12)


@pytest.mark.parametrize(("rule", "options"), [*RULES, ("ha", {"delta": 0.3}), ("utility", {})])
def test_ranges_need_no_matrix_of_costs(rule, options):
    n = 600
    extended = CostMatrix.zero_one(range(n)).extend(rule, **options)
    tracemalloc.start()
    try:
        low, high = extended.ranges.T
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n * n * 8 / 4  # a quarter of the matrix
    assert (low == 0).all()
    assert (high >= 1).all()


@pytest.mark.parametrize("costs", tables(), ids=lambda c: type(c.table).__name__)
@pytest.mark.parametrize("by", [np.add, np.minimum, np.maximum, np.logaddexp])
def test_columns_are_reduced_as_those_of_the_whole_matrix(costs, by):
    found = costs.table.whole(np.sqrt, by)
    np.testing.assert_allclose(found, by.reduce(np.sqrt(costs.costs), axis=0))


def test_the_usual_costs_are_kept_as_rules():
    assert isinstance(CostMatrix.zero_one(["a", "b"]).table, LossByTruth)
    assert isinstance(CostMatrix.ha([1, 2]).table, LossByTruth)
    assert isinstance(CostMatrix.ordinal(["a", "b"]).table, RankDistances)
    assert isinstance(CostMatrix([[0, 1], [1, 0]]).table, FullCosts)
    stored = CostMatrix(sparse_costs(), default=2.0)
    assert isinstance(stored.table, DefaultCosts)
    assert stored.costs[0, 1] == 4
    assert stored.costs[3, 3] == 0.5
    assert stored.costs[5, 69] == 0
    assert stored.costs[8, 9] == 2
    assert stored.costs[8, 8] == 0


def test_a_hundred_thousand_classes_are_scored_and_their_matrix_is_refused():
    K = 100_000
    rng = np.random.default_rng(0)
    truth = rng.integers(0, K, 500)
    lists = (truth[:, None] + rng.integers(0, 2, (500, 3))) % K
    sets = PredictionSets.from_lists(lists.tolist(), np.arange(K))
    hit = sets.contains(truth)
    costs = CostMatrix.zero_one(np.arange(K))
    extended = costs.extend("utility", utility="u65")
    found = evaluate_costs(truth, sets, extended)
    worth = 1.6 / sets.sizes - 0.6 / sets.sizes**2
    assert found.mean == pytest.approx(1 - (worth * hit).mean())
    some = truth[0].item()
    rows = truth == some
    assert found.by_class[some].value == pytest.approx(1 - (worth * hit)[rows].mean())
    assert len(found.by_class) == K
    tally = CostTally.of(truth, sets)
    assert tally.average(extended) == pytest.approx(found.mean)
    assert CostTally.from_json(tally.to_json()) == tally
    assert (tally + tally) - tally == tally
    ordinal = CostMatrix.ordinal(np.arange(K))
    assert average_cost(truth, truth, ordinal) == 0
    assert repr(ordinal) == "<costs of 100,000 classes>"
    with pytest.raises(ValueError, match="over 100,000 classes would take 80 GB"):
        _ = ordinal.costs


@pytest.mark.parametrize(
    ("costs", "options", "words"),
    [
        (sparse_costs(), {}, "leaves errors out: give their cost with default="),
        (np.ones((2, 2)), {"default": 1.0}, "default= is the cost of the errors that a sparse"),
        (sparse_costs(), {"default": -1.0}, "default must be finite and not negative, got -1"),
        (-sparse_costs(), {"default": 1.0}, "got -4 in row 0, column 1"),
        (sparse_costs().tocsr()[:3], {"default": 1.0}, r"got shape \(3, 70\)"),
    ],
)
def test_a_wrong_sparse_matrix_is_refused_in_words(costs, options, words):
    costs = costs.tocsr() if hasattr(costs, "tocsr") else costs
    with pytest.raises(ValueError, match=words):
        CostMatrix(costs, **options)


@given(data=predictions(), again=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_distinct_pairs_are_those_of_a_dictionary(data, again):
    truth, sets = data
    rows = np.array(again) % len(truth)
    truth, sets = truth[rows], sets[rows]
    distinct, codes, place = distinct_pairs(sets, truth)
    pairs = list(zip(map(tuple, sets.to_lists()), truth.tolist(), strict=True))
    found = list(zip(map(tuple, distinct.to_lists()), codes.tolist(), strict=True))
    assert sorted(found) == sorted(set(pairs))
    assert [found[i] for i in place] == pairs


def test_pairs_with_the_same_key_are_distinguished(monkeypatch):
    class Weak(np.random.Generator):
        """The first one draws zeros, so that all pairs have the same key."""

        seeds: ClassVar[list[int]] = []

        def __init__(self, seed):
            super().__init__(np.random.PCG64(seed))
            self.seeds.append(seed)

        def integers(self, *args, **kwargs):
            drawn = super().integers(*args, **kwargs)
            return drawn * 0 if len(self.seeds) == 1 else drawn

    monkeypatch.setattr(np.random, "default_rng", Weak)
    sets = PredictionSets.from_lists([[1, 2], [3], [1, 2], [1, 2]], range(N))
    distinct, codes, place = distinct_pairs(sets, np.array([1, 1, 2, 1]))
    assert Weak.seeds == [0, 1]
    assert len(distinct) == len(codes) == 3
    assert place[0] == place[3]
    assert len(set(place.tolist())) == 3


def test_a_sparse_matrix_may_store_every_error_of_a_class():
    """Then no error of this class has the default cost."""
    stored = coo_array(([3.0, 4.0, 5.0], ([1, 2, 0], [0, 0, 1])), shape=(3, 3))
    costs = CostMatrix(stored, default=2.0)
    assert costs.costs.tolist() == [[0, 5, 2], [3, 0, 2], [4, 2, 0]]
    for by in (np.add, np.minimum, np.maximum, np.logaddexp):
        found = costs.table.whole(np.sqrt, by)
        np.testing.assert_allclose(found, by.reduce(np.sqrt(costs.costs), axis=0))


def test_a_sparse_matrix_needs_two_classes():
    two = CostMatrix(coo_array(([3.0], ([1], [0])), shape=(2, 2)), default=2.0)
    assert two.costs.tolist() == [[0, 2], [3, 0]]
    with pytest.raises(ValueError, match=r"at least two classes, got shape \(1, 1\)"):
        CostMatrix(coo_array(([3.0], ([0], [0])), shape=(1, 1)), default=2.0)


def test_tables_of_sets_know_all_classes():
    """Sets that differ only beyond the first 64 classes are different."""
    costs = CostMatrix.zero_one(range(N)).extend({(0, 65): [0.25] * N}, otherwise="discounted")
    assert costs.of([[0, 65], [0, 66], [0]], [0, 0, 0]).tolist() == [0.25, 0.5, 0]


def test_means_of_large_powers_do_not_overflow():
    """The distance of the ends costs 69**10, and its 20th power exceeds every double."""
    extended = CostMatrix.ordinal(range(N), p=10).extend("p-discounted", p=20.0)
    assert extended.of([[0, N - 1]], [0]) == pytest.approx(69**10 / 2 ** (1 / 20), rel=1e-12)
