"""E-admissibility under general costs: the walk over vertices against one program per class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog
from scipy.sparse import block_diag, coo_array

from tests.credal.strategies import cost_matrices, intervals, probabilities
from tests.fewer import fewer
from wager.credal import CredalVertices, decide
from wager.credal._e_admissibility import least_margin
from wager.credal._screening import screen
from wager.credal._simplex_walk import Mixtures, walk
from wager.predictions import ProbabilityIntervals


def by_programs(points, lower, upper, costs) -> list[bool]:
    """Whether some mixture of the points within the bounds makes each class optimal."""
    losses = points @ costs.T / costs.max()
    n_points, k = losses.shape
    # The programs of the classes share nothing: together they are one, which is solved faster.
    least = linprog(
        np.tile(np.append(np.zeros(n_points), 1), k),
        A_ub=block_diag(
            [
                coo_array(np.column_stack([losses[:, [j]].T - losses.T, -np.ones(k)]))
                for j in range(k)
            ]
        ),
        b_ub=np.zeros(k * k),
        A_eq=block_diag([coo_array([[1] * n_points + [0]])] * k),
        b_eq=np.ones(k),
        bounds=[*zip(lower, upper, strict=True), (None, None)] * k,
    )
    return (least.x.reshape(k, -1)[:, -1] <= 1e-9).tolist()


def some_intervals(kind: str, n: int, k: int, rng) -> ProbabilityIntervals:
    p = rng.dirichlet(np.ones(k), n)
    grid = rng.integers(0, 4, (n, k)) + np.eye(k)[rng.integers(0, k, n)]
    grid /= grid.sum(axis=1, keepdims=True)
    if kind == "narrow":
        return ProbabilityIntervals.from_idm(rng.multinomial(50, p), s=2)
    if kind == "wide":
        return ProbabilityIntervals.from_contamination(p, 0.3)
    if kind == "vacuous":
        return ProbabilityIntervals(np.zeros((n, k)), np.ones((n, k)))
    if kind == "touching":  # bounds in quarters and thirds: degenerate vertices
        return ProbabilityIntervals.from_contamination(grid, 0.25)
    some = rng.random((n, k)) < 0.5  # half of the probabilities are known
    return ProbabilityIntervals(grid * some, grid + (1 - grid) * ~some)


def some_costs(kind: str, k: int, rng):
    if kind == "money":
        return 1e4 * rng.uniform(0.5, 5, (k, k)) * (1 - np.eye(k))
    if kind == "ordinal":
        return np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)
    few = rng.integers(0, 3, (k, k)).astype(float)
    few[0, -1] = 2
    few[k // 2] = few[0]  # two classes that cost the same
    return few


@pytest.mark.parametrize("kind", ["narrow", "wide", "vacuous", "touching", "half known"])
@pytest.mark.parametrize("costs_kind", ["money", "ordinal", "few values"])
@pytest.mark.parametrize(("k", "n"), [(2, 10), (4, 8), (9, 3), (20, 1)])
def test_intervals_keep_the_classes_that_one_program_each_finds(kind, costs_kind, k, n):
    rng = np.random.default_rng([k, len(kind), len(costs_kind)])
    credal, costs = some_intervals(kind, n, k, rng), some_costs(costs_kind, k, rng)
    kept = decide(credal, "e-admissibility", costs).to_indicator()
    for row, low, high in zip(kept, credal.lower, credal.upper, strict=True):
        np.testing.assert_array_equal(row, by_programs(np.eye(k), low, high, costs))


@pytest.mark.parametrize(("v", "k"), [(1, 5), (3, 4), (12, 3), (6, 9)])
@pytest.mark.parametrize("costs_kind", ["money", "ordinal", "few values"])
def test_hulls_keep_the_classes_that_one_program_each_finds(v, k, costs_kind):
    rng = np.random.default_rng([v, k])
    costs = some_costs(costs_kind, k, rng)
    grid = rng.integers(0, 4, (10, v, k)) + np.eye(k)[rng.integers(0, k, (10, v))]
    hulls = CredalVertices(grid / grid.sum(axis=2, keepdims=True))
    kept = decide(hulls, "e-admissibility", costs).to_indicator()
    for row, points in zip(kept, hulls.vertices, strict=True):
        expected = by_programs(points, np.zeros(v), np.ones(v), costs)
        np.testing.assert_array_equal(row, expected)


@given(st.data())
@fewer(8)
def test_a_class_that_is_optimal_within_the_set_is_kept(data):
    credal = data.draw(intervals(most_classes=8))
    k = len(credal.classes)
    costs = data.draw(cost_matrices(k))
    weights = data.draw(probabilities(n_classes=len(credal.vertices(0)), most_rows=1))[0]
    expected = costs @ (weights @ credal.vertices(0))
    kept = decide(credal[:1], "e-admissibility", costs).to_indicator()[0]
    assert kept[expected.argmin()]


@given(st.data())
@fewer(8)
def test_what_the_walk_leaves_in_doubt_is_solved_one_by_one(data):
    credal = data.draw(intervals(most_classes=4))
    k = len(credal.classes)
    costs = data.draw(cost_matrices(k)) / 5
    tight = credal.tighten()
    sets = Mixtures.of(costs.T[None], tight.lower, tight.upper)
    found, doubtful = walk(sets, np.ones((len(credal), k), dtype=bool))
    assert not doubtful.any()
    for row in range(len(credal)):
        one = sets.some(np.array([row]))
        margins = np.array([least_margin(one, j) for j in range(k)])
        np.testing.assert_array_equal(found[row], margins <= 1e-9)


def test_a_doubtful_class_gets_the_verdict_of_its_program(monkeypatch):
    rng = np.random.default_rng(3)
    credal, costs = some_intervals("wide", 30, 6, rng), some_costs("money", 6, rng)
    walked = decide(credal, "e-admissibility", costs).to_lists()

    def doubt_all(mixtures, asked):
        return np.zeros_like(asked), asked

    monkeypatch.setattr("wager.credal._e_admissibility.walk", doubt_all)
    assert decide(credal, "e-admissibility", costs).to_lists() == walked


def test_a_tableau_that_is_off_gives_doubts_and_no_wrong_verdicts(monkeypatch):
    from wager.credal._simplex_walk import _Walkers

    rng = np.random.default_rng(4)
    credal, costs = some_intervals("wide", 40, 8, rng), some_costs("money", 8, rng) / 5e4
    sets = Mixtures.of(costs.T[None], credal.lower, credal.upper)
    asked = np.ones((40, 8), dtype=bool)
    true, _ = walk(sets, asked)
    step = _Walkers.step

    def spoilt(self, entering, moving):
        self.table *= 1 + 1e-3 * rng.standard_normal(self.table.shape)
        return step(self, entering, moving)

    monkeypatch.setattr(_Walkers, "step", spoilt)
    found, doubtful = walk(sets, asked)
    assert doubtful.any()
    np.testing.assert_array_equal(found[~doubtful], true[~doubtful])


@pytest.mark.parametrize("rule", ["e-admissibility", "maximality", "interval-dominance"])
@pytest.mark.parametrize("off", [3e-10, -3e-10])
def test_bounds_whose_sum_is_off_by_rounding_are_decided(rule, off):
    p = np.array([[0.2, 0.3, 0.5]])
    credal = ProbabilityIntervals(p + off, p + off)
    costs = np.array([[0, 2, 1.8], [1, 0, 1.8], [3, 2, 0]])
    assert decide(credal, rule, costs).to_lists() == [[1]]
    assert credal.tighten().is_proper.all()


@pytest.mark.parametrize("rule", ["e-admissibility", "maximality"])
def test_rows_of_many_classes_are_decided_like_each_alone(rule):
    rng = np.random.default_rng(5)
    credal, costs = some_intervals("wide", 120, 12, rng), some_costs("few values", 12, rng)
    together = decide(credal, rule, costs).to_indicator()
    alone = np.vstack([decide(credal[i], rule, costs).to_indicator() for i in range(0, 120, 10)])
    np.testing.assert_array_equal(together[::10], alone)


@pytest.mark.parametrize("kind", ["narrow", "wide", "vacuous", "touching", "half known"])
@pytest.mark.parametrize("costs_kind", ["money", "ordinal", "few values"])
def test_the_walk_settles_every_class_itself(kind, costs_kind):
    """A wrong tableau would leave classes in doubt, which a program for each then decides."""
    rng = np.random.default_rng([9, len(kind), len(costs_kind)])
    tight = some_intervals(kind, 30, 9, rng).tighten()
    costs = some_costs(costs_kind, 9, rng)
    sets = Mixtures.of((costs / costs.max()).T[None], tight.lower, tight.upper)
    _, doubtful = walk(sets, np.ones((30, 9), dtype=bool))
    assert not doubtful.any()


@pytest.mark.parametrize("kind", ["narrow", "wide", "half known"])
def test_what_the_screening_calls_optimal_is_optimal_somewhere(kind):
    rng = np.random.default_rng(len(kind))
    credal, costs = some_intervals(kind, 400, 6, rng).tighten(), some_costs("money", 6, rng) / 5e4
    unbeaten, optimal = screen(credal, costs)
    sets = Mixtures.of(costs.T[None], credal.lower, credal.upper)
    found, _ = walk(sets, np.ones((400, 6), dtype=bool))
    assert not (optimal & ~found).any()
    assert not (found & ~unbeaten).any()


def test_the_screening_offers_every_class_that_is_best_in_its_own_best_case():
    credal = ProbabilityIntervals(np.zeros((3, 5)), np.ones((3, 5)))
    costs = some_costs("money", 5, np.random.default_rng(6))  # 0 only where the class is true
    assert screen(credal, costs)[1].all()
