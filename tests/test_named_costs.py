"""Costs in a data frame are matched by their labels, wherever costs are taken."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.naive_bayes import GaussianNB

from wager import (
    CostMatrix,
    CostTally,
    NaiveCredal,
    NestedDichotomies,
    OptimalSets,
    PredictionSets,
    ProbabilityIntervals,
    break_even,
    decide,
    evaluate_sets,
    head_to_head,
    optimal_sets,
    risk_profile,
    sequential,
)
from wager.compare import PairedCosts, equivalence, sample_size
from wager.costs import evaluate_costs
from wager.metrics import average_cost, make_set_scorer

CLASSES = ["low", "mid", "high"]  # not in sorted order
VALUES = [[0.0, 2.0, 9.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]]
COSTS = CostMatrix(VALUES, CLASSES)
Y = ["low", "mid", "high", "high", "low", "mid"] * 5
A = ["low", "high", "low", "high", "mid", "mid"] * 5
B = [["low", "mid"], ["mid"], ["mid", "high"], ["high"], ["high"], ["mid"]] * 5
PROBA = np.array([[0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0.1, 0.8, 0.1]])

BY_TRUE = {label: [row[j] for row in VALUES] for j, label in enumerate(CLASSES)}
FRAMES = {
    "pandas": pd.DataFrame(VALUES, index=CLASSES, columns=CLASSES),
    "pandas with shuffled rows": pd.DataFrame(VALUES, index=CLASSES, columns=CLASSES).loc[
        ["high", "low", "mid"]
    ],
    "pandas without index": pd.DataFrame(VALUES, columns=CLASSES),
    "polars": pl.DataFrame({"predicted": CLASSES, **BY_TRUE}),
    "arrow": pa.table(BY_TRUE),
}


def _fitted(estimator):
    rng = np.random.default_rng(0)
    y = np.array(Y)
    X = (
        (rng.normal(size=(len(y), 2)) + np.unique(y, return_inverse=True)[1][:, None])
        .round()
        .clip(0)
    )
    return estimator.fit(X, y).predict_set(X)


def _score(costs):
    X = np.arange(len(Y))[:, None] % 7
    return make_set_scorer("average_cost", costs=costs)(GaussianNB().fit(X, Y), X, Y)


QUESTIONS = {
    "average_cost": lambda c: average_cost(Y, A, c),
    "evaluate_costs": lambda c: evaluate_costs(Y, A, c).overall.value,
    "evaluate_sets": lambda c: evaluate_sets(Y, B, costs=c).estimates["average_cost"].value,
    "CostTally": lambda c: CostTally.of(Y, A).average(c),
    "PairedCosts": lambda c: PairedCosts.of(Y, A, B).difference(c).mean,
    "head_to_head": lambda c: head_to_head(Y, {"a": A, "b": B}, costs=c).cost("a").value,
    "sequential": lambda c: sequential(Y, A, B, costs=c).mean,
    "risk_profile": lambda c: risk_profile({"a": CostTally.of(Y, B)}, costs=c).expected,
    "break_even": lambda c: break_even(PairedCosts.of(Y, A, B), costs=c).decided,
    "sample_size": lambda c: sample_size(PairedCosts.of(Y, A, B), costs=c).n,
    "equivalence": lambda c: equivalence(PairedCosts.of(Y, A, B), costs=c).effect,
    "optimal_sets": lambda c: optimal_sets(PROBA, costs=c, classes=sorted(CLASSES)).to_indicator(),
    "decide": lambda c: decide(
        ProbabilityIntervals(PROBA - 0.1, PROBA + 0.1, classes=sorted(CLASSES)), costs=c
    ).to_indicator(),
    "OptimalSets": lambda c: _fitted(OptimalSets(GaussianNB(), costs=c)),
    "NaiveCredal": lambda c: _fitted(NaiveCredal(costs=c)),
    "NestedDichotomies": lambda c: _fitted(NestedDichotomies(costs=c, random_state=0)),
    "scorer": _score,
}


@pytest.mark.parametrize("form", FRAMES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_data_frame_of_costs_is_matched_by_name(question, form):
    ask = QUESTIONS[question]
    np.testing.assert_allclose(ask(FRAMES[form]), ask(COSTS))


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_array_is_for_the_sorted_classes(question):
    order = np.argsort(CLASSES)
    array = np.array(VALUES)[np.ix_(order, order)]
    ask = QUESTIONS[question]
    np.testing.assert_allclose(ask(array), ask(COSTS))
    np.testing.assert_allclose(ask(pd.DataFrame(array)), ask(COSTS))  # numbers are not names


def test_a_cost_matrix_takes_the_rows_of_a_frame_in_the_order_of_classes():
    other = CostMatrix(FRAMES["pandas"], classes=sorted(CLASSES))
    assert other.costs[0].tolist() == [0.0, 3.0, 1.0]  # high predicted: high, low, mid are true
    numbered = CostMatrix(pd.DataFrame(VALUES), classes=CLASSES)
    assert numbered.costs.tolist() == VALUES
    with pytest.raises(ValueError, match="the columns of costs are 'low', 'mid', 'high' but the"):
        CostMatrix(FRAMES["pandas"], classes=["a", "b", "c"])


@pytest.mark.parametrize(
    "question", ["average_cost", "PairedCosts", "risk_profile", "break_even", "decide", "scorer"]
)
def test_costs_that_are_not_a_matrix_are_refused_in_one_sentence(question):
    ask = QUESTIONS[question]
    with pytest.raises(ValueError, match=r"got the text 'costs.toml': read a cost file with"):
        ask("costs.toml")
    with pytest.raises(ValueError, match="costs must be a square matrix"):
        ask(3.0)
    with pytest.raises(ValueError, match=r"costs (has 2 rows|is for 2 classes)"):
        ask([[0, 1], [1, 0]])


def test_costs_of_single_classes_are_extended_to_sets_alike():
    extended = COSTS.extend()
    assert evaluate_sets(Y, B, costs=COSTS).estimates["average_cost"].value == pytest.approx(
        average_cost(Y, B, extended)
    )
    by_matrix = sequential(Y, A, B, costs=COSTS)
    by_rule = sequential(Y, A, B, costs=extended)
    assert by_matrix.mean.tolist() == by_rule.mean.tolist()
    assert by_matrix.state.bounds == by_rule.state.bounds
    scorer = make_set_scorer("average_cost", costs=COSTS)
    X = np.arange(len(Y))[:, None] % 7
    cautious = OptimalSets(GaussianNB(), costs=COSTS).fit(X, Y)
    sets = cautious.predict_set(X)
    assert (sets.sum(axis=1) > 1).any()
    assert scorer(cautious, X, Y) == pytest.approx(
        -average_cost(Y, sets, extended, classes=cautious.classes_)
    )


def test_a_tally_counts_the_rows_whose_sets_have_no_cost():
    words = "^10 rows predict several classes but the costs are for single classes: extend them"
    with pytest.raises(ValueError, match=words):
        CostTally.of(Y, B).average(COSTS)


def test_break_even_and_profiles_of_costs_follow_r_without_being_asked():
    paired = PairedCosts.of(Y, A, B)
    assert break_even(paired, costs=COSTS) == break_even(paired, family="p-discounted", costs=COSTS)
    assert risk_profile({"b": paired.b}, costs=COSTS).parameter == "r"
    assert break_even(paired, costs=COSTS.extend()) == break_even(paired, costs=COSTS)


@pytest.mark.parametrize("shape", ["one matrix", "one per row"])
def test_costs_without_names_are_not_guessed_for_predictions_in_another_order(shape):
    costs = np.array(VALUES) if shape == "one matrix" else np.tile(VALUES, (len(Y), 1, 1))
    a, b = (PredictionSets.from_labels(labels, classes=CLASSES) for labels in (A, Y))
    questions = [
        lambda **c: average_cost(Y, a, costs, **c),
        lambda **c: evaluate_sets(Y, a, costs=costs, **c).estimates["average_cost"].value,
        lambda **c: head_to_head(Y, {"a": a, "b": b}, costs=costs, **c).cost("a").value,
        lambda **c: -sequential(Y, a, b, costs=costs, **c).mean[-1],
    ]
    for ask in questions:
        with pytest.raises(ValueError, match="costs has no class names, so it is read in the sort"):
            ask()
        assert ask(classes=CLASSES) == pytest.approx(average_cost(Y, A, COSTS))
