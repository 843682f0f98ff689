"""The naive credal classifier with costs: exact maximality over the priors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.learners.strategies import declared, nominal_problems, rows_to_predict
from wager.costs import CostMatrix
from wager.learners import NaiveCredal

strengths = st.sampled_from([0.0, 0.3, 1.0, 2.0, 6.0])


@st.composite
def cost_problems(draw, gaps=True):
    problem = draw(nominal_problems(gaps=gaps, least=4).filter(lambda p: p[3] > 1))
    k = problem[3]
    cells = draw(st.lists(st.integers(0, 8), min_size=k * k, max_size=k * k))
    return problem, np.array(cells, dtype=float).reshape(k, k)


def sums_at(model, row, d, x):
    """``sum_k d_k P(k, row)`` for weights x (points, K) of the priors, factor by factor."""
    counts, total = model.counts_.single, np.zeros(len(x))
    for k in np.flatnonzero(d):
        value = counts.classes[k] + x[:, k]
        for j, a in enumerate(row):
            of_value = counts.of_feature(j)
            n = float(of_value[a, k]) if 0 <= a < len(of_value) else 0.0
            known = float(counts.observed[j, k])
            if a < 0:
                continue
            if d[k] > 0:  # the feature's part of the prior goes to its other values
                value = value * n / (known + x[:, k]) if n else 0 * value
            elif known:  # all of it goes to this value
                value = value * (n + x[:, k]) / (known + x[:, k])
        total += d[k] * value
    return total


def least_sum(model, row, d, s, seed=0):
    """The least sum over the priors: corners, random points, then ever closer to the best one."""
    random = np.random.default_rng(seed)
    k = len(d)
    shares = np.concatenate([np.eye(k), random.dirichlet(np.full(k, 0.5), 400)])
    sums = sums_at(model, row, d, s * shares)
    best = shares[sums.argmin()]
    for spread in 0.3 ** np.arange(1, 12):
        near = np.clip(best + spread * random.normal(size=(200, k)), 0, None) + 1e-300
        near = np.concatenate([best[None], near / near.sum(axis=1, keepdims=True)])
        sums = sums_at(model, row, d, s * near)
        best = near[sums.argmin()]
    return sums.min(), np.abs(d).max() * np.abs(sums_at(model, row, -np.abs(d), s * near)).max()


@given(cost_problems(), st.sampled_from([0.3, 1.0, 2.0, 6.0]))
def test_a_class_is_kept_unless_another_is_cheaper_under_every_prior(case, s):
    problem, costs = case
    model = declared(NaiveCredal, problem, s=s, costs=costs).fit(problem[0], problem[1])
    rows = rows_to_predict(problem)[:4]
    for row, kept in zip(rows, model.predict_set(rows), strict=True):
        assert kept.any()
        for j in range(len(costs)):
            margins = []
            for i in set(range(len(costs))) - {j}:
                d = costs[j] - costs[i]
                least, unit = least_sum(model, row, d, s)
                margins.append(1.0 if (d > 0).all() else least / max(unit, 1e-300))
            # what a search among priors finds is never below the least value
            if not kept[j]:
                assert max(margins) > -1e-12
            else:
                assert max(margins) < 1e-4


@given(nominal_problems(least=2).filter(lambda p: p[3] > 1), strengths, st.sampled_from([0.5, 7.0]))
def test_equal_costs_of_all_errors_give_the_sets_without_costs(problem, s, unit):
    X, y, _, k = problem
    rows = rows_to_predict(problem)
    for idm in ("global", "local", "intervals"):
        plain = declared(NaiveCredal, problem, s=s, idm=idm).fit(X, y)
        scaled = unit * (1 - np.eye(k))
        priced = declared(NaiveCredal, problem, s=s, idm=idm, costs=scaled).fit(X, y)
        np.testing.assert_array_equal(priced.predict_set(rows), plain.predict_set(rows))


@given(cost_problems(), strengths)
def test_the_exact_sets_are_inside_those_of_the_local_model_and_of_the_intervals(case, s):
    problem, costs = case
    sets = [
        declared(NaiveCredal, problem, s=s, idm=idm, costs=costs)
        .fit(problem[0], problem[1])
        .predict_set(rows_to_predict(problem))
        for idm in ("global", "local", "intervals")
    ]
    assert (sets[0] <= sets[1]).all()
    assert (sets[1] <= sets[2]).all()


@given(cost_problems(), st.integers(-8, 8), st.sampled_from(["global", "local"]))
def test_the_unit_of_the_costs_does_not_matter(case, power, idm):
    problem, costs = case
    rows = rows_to_predict(problem)
    models = [
        declared(NaiveCredal, problem, idm=idm, costs=unit * costs).fit(problem[0], problem[1])
        for unit in (1.0, 10.0**power)
    ]
    np.testing.assert_array_equal(models[0].predict_set(rows), models[1].predict_set(rows))


@given(cost_problems(), strengths)
def test_the_cheapest_class_under_the_perks_prior_is_kept_and_predicted(case, s):
    problem, costs = case
    model = declared(NaiveCredal, problem, s=s, costs=costs).fit(problem[0], problem[1])
    rows = rows_to_predict(problem)
    expected = model.predict_proba(rows) @ costs.T
    least = expected.min(axis=1, keepdims=True)
    sets, predicted = model.predict_set(rows), model.predict(rows)
    every = np.arange(len(rows))
    if s > 0:
        assert (sets & (expected <= least + 1e-9)).any(axis=1).all()
        np.testing.assert_allclose(expected[every, predicted], least[:, 0], atol=1e-9)
    assert sets[every, predicted].all()


def test_costs_are_matched_by_the_names_of_their_classes():
    X = [["p"], ["p"], ["p"], ["q"], ["q"], ["p"]]
    y = ["low", "low", "low", "high", "high", "high"]
    costs = CostMatrix([[0, 9], [1, 0]], ["low", "high"])  # classes_ are high, low
    for idm in ("global", "local", "intervals"):
        model = NaiveCredal(costs=costs, idm=idm).fit(X, y)
        turned = NaiveCredal(costs=[[0, 1], [9, 0]], idm=idm).fit(X, y)
        np.testing.assert_array_equal(model.predict_set(X), turned.predict_set(X))
    extended = NaiveCredal(costs=costs.extend("p-discounted")).fit(X, y)
    plain = NaiveCredal(costs=costs).fit(X, y)
    np.testing.assert_array_equal(extended.predict_set(X), plain.predict_set(X))


def test_a_dear_error_keeps_a_class_out_that_is_most_probable():
    X, y = [["p"]] * 8 + [["q"]] * 4, ["well"] * 8 + ["ill"] * 4
    assert NaiveCredal().fit(X, y).predict_set([["p"]]).tolist() == [[False, True]]
    costs = CostMatrix([[0, 1], [1000, 0]], ["ill", "well"])
    kept = NaiveCredal(costs=costs).fit(X, y).predict_set([["p"], ["q"], [None]])
    assert kept.tolist() == [[True, True], [True, False], [True, False]]


def test_hundreds_of_features_do_not_underflow():
    random = np.random.default_rng(1)
    X = random.integers(0, 3, (60, 400))
    y = random.integers(0, 3, 60)
    X[y == 1, :150] = 1
    plain = NaiveCredal(n_values=np.full(400, 3)).fit(X, y).predict_set(X)
    priced = NaiveCredal(n_values=np.full(400, 3), costs=2 * (1 - np.eye(3))).fit(X, y)
    np.testing.assert_array_equal(priced.predict_set(X), plain)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 0.1}, "costs with idm='global' need missing='mar' and epsilon=0"),
        ({"missing": "conservative"}, "costs with idm='global' need missing='mar' and epsilon=0"),
        ({"costs": [[0, 1, 1]] * 3}, "costs has 3 rows but there are 2 classes"),
        ({"costs": CostMatrix.zero_one(["a", "b"])}, "the costs are for the classes 'a', 'b' but"),
    ],
)
def test_what_costs_cannot_be_combined_with_is_said_at_fit(arguments, words):
    given_costs = {"costs": [[0, 2], [1, 0]]} | arguments
    with pytest.raises(ValueError, match=words):
        NaiveCredal(**given_costs).fit([["p"], ["q"]], [0, 1])


def test_ratios_of_probabilities_ignore_costs_and_say_so():
    model = NaiveCredal(costs=[[0, 2], [1, 0]]).fit([["p"], ["q"]], [0, 1])
    with pytest.raises(ValueError, match="log_dominance compares probabilities alone"):
        model.log_dominance([["p"]])
