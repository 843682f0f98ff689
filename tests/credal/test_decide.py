"""Decision rules: how they are nested, what they say at the extremes, and Example 4."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from tests.credal.strategies import cost_matrices, intervals, probabilities
from tests.fewer import fewer
from wager.costs import CostMatrix
from wager.credal import CredalVertices, decide
from wager.predictions import ProbabilityIntervals

RULES = ("maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax")
TABLE_I = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])


@st.composite
def intervals_and_costs(draw, most_classes: int = 5):
    credal = draw(intervals(most_classes=most_classes))
    return credal, draw(cost_matrices(len(credal.classes)))


@pytest.fixture
def obstacle():
    """Yang, Destercke & Masson (2017), Example 3."""
    return ProbabilityIntervals([[0, 0.3, 0.4]], [[0.2, 0.4, 0.6]], classes=["h", "b", "n"])


def test_example_4_predicts_the_bicycle(obstacle):
    assert decide(obstacle, "maximality", TABLE_I).to_lists() == [["b"]]


def test_example_3_with_equal_costs_keeps_a_class_that_is_only_tied(obstacle):
    # the least value of p(n) - p(b) is exactly 0, so n does not beat b
    assert decide(obstacle).to_lists() == [["b", "n"]]


def test_example_3_leaves_two_classes_to_interval_dominance(obstacle):
    assert decide(obstacle, "interval-dominance", TABLE_I).to_lists() == [["h", "b"]]


def margin(credal: ProbabilityIntervals, row: int, costs, j: int) -> float:
    """The least over p of the largest E_p[c_j - c_k], by a separate linear program."""
    k = len(costs)
    solution = linprog(
        np.append(np.zeros(k), 1),
        A_ub=np.column_stack([costs[j] - costs, -np.ones(k)]),
        b_ub=np.zeros(k),
        A_eq=[[1] * k + [0]],
        b_eq=[1],
        bounds=[*zip(credal.lower[row], credal.upper[row], strict=True), (None, None)],
    )
    return solution.fun


@given(intervals_and_costs())
@fewer(8)
def test_e_admissible_classes_are_those_that_separate_programs_find(case):
    credal, costs = case
    kept = decide(credal, "e-admissibility", costs).to_indicator()
    for row in range(len(credal)):
        margins = [margin(credal, row, costs, j) for j in range(len(costs))]
        np.testing.assert_array_equal(kept[row], np.array(margins) <= 1e-9)


@given(intervals())
@fewer(8)
def test_e_admissible_classes_under_0_1_costs_need_no_program(credal):
    costs = 1 - np.eye(len(credal.classes))
    kept = decide(credal, "e-admissibility").to_indicator()
    for row in range(len(credal)):
        margins = [margin(credal, row, costs, j) for j in range(len(costs))]
        np.testing.assert_array_equal(kept[row], np.array(margins) <= 1e-9)


@given(intervals_and_costs())
def test_maximal_classes_are_those_that_no_vertex_wide_comparison_drops(case):
    credal, costs = case
    kept = decide(credal, "maximality", costs).to_indicator()
    for row in range(len(credal)):
        expected = credal.vertices(row) @ costs.T
        gains = (expected[:, None, :] - expected[:, :, None]).min(axis=0)  # [i, j]: c_j - c_i
        np.testing.assert_array_equal(kept[row], ~(gains > 1e-9).any(axis=0))


def nested(credal, costs) -> None:
    inner, middle, outer = (
        decide(credal, rule, costs).to_indicator()
        for rule in ("e-admissibility", "maximality", "interval-dominance")
    )
    assert inner.any(axis=1).all()
    assert (inner <= middle).all()
    assert (middle <= outer).all()


@given(intervals())
def test_e_admissible_is_maximal_is_undominated_under_0_1_costs(credal):
    nested(credal, None)


@given(intervals_and_costs())
@fewer(12)
def test_e_admissible_is_maximal_is_undominated_under_any_costs(case):
    nested(*case)


@given(intervals_and_costs())
@fewer(12)
def test_the_gamma_rules_choose_among_the_maximal_and_the_admissible(case):
    credal, costs = case
    maximin, maximax, maximal, undominated, admissible = (
        decide(credal, rule, costs).to_indicator()
        for rule in (
            "gamma-maximin", "gamma-maximax", "maximality", "interval-dominance", "e-admissibility",
        )
    )  # fmt: skip
    assert (maximin & maximal).any(axis=1).all()
    assert (maximin <= undominated).all()
    assert (maximax <= undominated).all()
    assert (maximax & admissible).any(axis=1).all()


@given(st.integers(2, 6).flatmap(cost_matrices))
def test_a_vacuous_set_keeps_what_is_not_dominated_pointwise(costs):
    k = len(costs)
    vacuous = ProbabilityIntervals(np.zeros((1, k)), np.ones((1, k)))
    beaten = [any((costs[i] < costs[j]).all() for i in range(k)) for j in range(k)]
    kept = decide(vacuous, "maximality", costs).to_indicator()[0]
    np.testing.assert_array_equal(kept, ~np.array(beaten))


@given(st.data())
@fewer(12)
def test_a_precise_probability_gives_the_expected_cost_optimum(data):
    p = data.draw(probabilities())
    costs = data.draw(cost_matrices(p.shape[1]))
    expected = p @ costs.T
    optimal = expected <= expected.min(axis=1, keepdims=True) + 1e-9
    for rule in RULES:
        for credal in (ProbabilityIntervals(p, p), CredalVertices(p[:, None, :])):
            np.testing.assert_array_equal(decide(credal, rule, costs).to_indicator(), optimal)


@given(intervals_and_costs(most_classes=4), st.sampled_from(RULES))
@fewer(12)
def test_intervals_and_their_vertices_decide_alike(case, rule):
    credal, costs = case
    hull = CredalVertices.from_intervals(credal)
    np.testing.assert_array_equal(
        decide(hull, rule, costs).to_indicator(), decide(credal, rule, costs).to_indicator()
    )
    np.testing.assert_array_equal(
        decide(hull, rule).to_indicator(), decide(credal, rule).to_indicator()
    )


@given(intervals_and_costs(), st.sampled_from(RULES))
@fewer(12)
def test_a_cost_matrix_of_zeros_and_ones_is_the_default(case, rule):
    credal, _ = case
    zero_one = CostMatrix.zero_one(credal.classes)
    np.testing.assert_array_equal(
        decide(credal, rule, zero_one).to_indicator(), decide(credal, rule).to_indicator()
    )


@given(intervals_and_costs(), st.integers(-8, 8), st.sampled_from(RULES))
@fewer(12)
def test_the_unit_of_the_costs_does_not_matter(case, power, rule):
    credal, costs = case
    hull = CredalVertices.from_intervals(credal)
    for credal_set in (credal, hull):
        kept = decide(credal_set, rule, costs).to_indicator()
        assert kept.any(axis=1).all()
        scaled = decide(credal_set, rule, costs * 10.0**power).to_indicator()
        np.testing.assert_array_equal(scaled, kept)


@pytest.mark.parametrize("rule", RULES)
def test_precise_probabilities_with_costs_in_millions_keep_a_class(rule):
    p = np.random.default_rng(0).dirichlet(np.ones(4), 2000)
    precise = ProbabilityIntervals(p, p)
    sets = decide(precise, rule, 1e7 * (1 - np.eye(4))).to_indicator()
    np.testing.assert_array_equal(sets, p == p.max(axis=1, keepdims=True))


def test_a_maximal_class_need_not_be_admissible():
    # the middle one is never cheapest, but neither of the others beats it everywhere
    costs = [[0, 4], [2.5, 2.5], [4, 0]]
    square = np.array([[*row, 9] for row in costs])
    vacuous = ProbabilityIntervals([[0, 0, 0]], [[1, 1, 0]])
    assert decide(vacuous, "maximality", square).to_lists() == [[0, 1, 2]]
    assert decide(vacuous, "e-admissibility", square).to_lists() == [[0, 2]]


@given(intervals_and_costs())
@fewer(12)
def test_a_contiguous_prediction_is_the_run_around_the_plain_one(case):
    credal, costs = case
    plain = decide(credal, costs=costs).to_indicator()
    runs = decide(credal, costs=costs, contiguous=True).to_indicator()
    for kept, run in zip(plain, runs, strict=True):
        first, last = np.flatnonzero(kept)[[0, -1]]
        np.testing.assert_array_equal(np.flatnonzero(run), np.arange(first, last + 1))


def test_many_rows_are_decided_like_each_alone():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(5), 3000)
    credal = ProbabilityIntervals.from_contamination(p, 0.4)
    costs = rng.uniform(0, 5, (5, 5))
    some = rng.choice(len(p), 25, replace=False)
    for rule in RULES:
        together = decide(credal, rule, costs).to_indicator()[some]
        alone = np.vstack([decide(credal[int(i)], rule, costs).to_indicator() for i in some])
        np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("rule", RULES)
def test_blocks_of_rows_make_no_difference(rule, monkeypatch):
    p = np.random.default_rng(2).dirichlet(np.ones(4), 50)
    hull = CredalVertices(p.reshape(10, 5, 4))
    costs = CostMatrix.ordinal(range(4))
    whole = [decide(credal, rule, costs) for credal in (hull, hull.envelope())]
    monkeypatch.setattr("wager.credal._decide._BLOCK", 40)
    parts = [decide(credal, rule, costs) for credal in (hull, hull.envelope())]
    assert [sets.to_lists() for sets in parts] == [sets.to_lists() for sets in whole]


def test_costs_may_list_the_classes_in_another_order(obstacle):
    turned = CostMatrix(TABLE_I.costs[::-1, ::-1], ["n", "b", "h"])
    for rule in RULES:
        same = decide(obstacle, rule, TABLE_I).to_lists()
        assert decide(obstacle, rule, turned).to_lists() == same


def test_wrong_arguments_are_refused(obstacle):
    with pytest.raises(ValueError, match=r"rule must be one of maximality, .* got 'minimax'"):
        decide(obstacle, "minimax")
    with pytest.raises(
        ValueError, match="must be ProbabilityIntervals or CredalVertices, got list"
    ):
        decide([[0.5, 0.5]])
    with pytest.raises(
        ValueError, match=r"costs are for the classes 'a', 'b', 'c' but .* 'h', 'b', 'n'"
    ):
        decide(obstacle, costs=CostMatrix(TABLE_I.costs, ["a", "b", "c"]))
    with pytest.raises(ValueError, match="costs has 2 rows but there are 3 classes"):
        decide(obstacle, costs=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="not negative, got -1"):
        decide(obstacle, costs=[[0, 1, -1], [1, 0, 1], [1, 1, 0]])
    with pytest.raises(ValueError, match="no probabilities satisfy the bounds of row 1"):
        decide(ProbabilityIntervals([[0.2, 0.2], [0.6, 0.6]], [[0.9, 0.9], [0.9, 0.9]]))


def test_gaps_between_kept_classes_are_filled_on_request():
    outer = ProbabilityIntervals([[0.3, 0.0, 0.3]], [[0.7, 0.1, 0.7]])
    assert decide(outer).to_lists() == [[0, 2]]
    assert decide(outer, contiguous=True).to_lists() == [[0, 1, 2]]
