import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices, predictions, rules
from wager.costs import CostMatrix, CostTally, evaluate_costs
from wager.metrics import average_cost

costs = CostMatrix(TABLE_I, OBSTACLES)


def slow_average(truth, sets, extended, weights, empty_cost=None):
    """Add up one row after another."""
    total = 0.0
    for row, y, w in zip(sets, truth, weights, strict=True):
        labels = np.flatnonzero(row)
        total += w * (extended.cost(labels, y) if len(labels) else empty_cost)
    return total / sum(weights)


@settings(deadline=None)
@given(st.data(), cost_matrices(), rules)
def test_it_is_the_mean_over_the_rows(data, matrix, rule):
    truth, sets = data.draw(predictions(len(matrix), empty=True))
    whole = st.lists(st.integers(1, 5), min_size=len(truth), max_size=len(truth))
    weights = data.draw(whole)
    extended = matrix.extend(rule[0], **rule[1])
    slow = slow_average(truth, sets, extended, weights, empty_cost=2.5)
    fast = average_cost(truth, sets, extended, sample_weight=weights, empty_cost=2.5)
    assert fast == pytest.approx(slow, rel=1e-9, abs=1e-12)
    tally = CostTally.of(truth, sets, sample_weight=weights)
    assert tally.average(extended, empty_cost=2.5) == pytest.approx(slow, rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(st.data(), cost_matrices())
def test_errors_of_counts_are_those_of_repeated_rows(data, matrix):
    truth, sets = data.draw(predictions(len(matrix), low=2))
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(truth), max_size=len(truth)))
    extended = matrix.extend("p-discounted")
    weighted = evaluate_costs(truth, sets, extended, counts=weights)
    repeated = evaluate_costs(truth.repeat(weights), sets.repeat(weights, axis=0), extended)
    assert weighted.mean == pytest.approx(repeated.mean)
    assert weighted.standard_error == pytest.approx(repeated.standard_error, abs=1e-9)


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_n():
    rng = np.random.default_rng(0)
    sets = rng.random((200, 3)) < 0.5
    sets[:, 0] |= ~sets.any(axis=1)
    truth = np.array(OBSTACLES)[rng.integers(0, 3, 200)]
    extended = costs.extend("p-discounted")
    rows = extended.of(sets, truth, classes=OBSTACLES)
    result = evaluate_costs(truth, sets, extended, by=np.arange(200) % 2, classes=OBSTACLES)
    assert result.mean == pytest.approx(rows.mean())
    assert result.standard_error == pytest.approx(rows.std(ddof=1) / np.sqrt(200))
    for label in OBSTACLES:
        part = rows[truth == label]
        assert result.by_class[label].value == pytest.approx(part.mean())
        error = part.std(ddof=1) / np.sqrt(len(part))
        assert result.by_class[label].standard_error == pytest.approx(error)
    for group in (0, 1):
        assert result.by_group[group].value == pytest.approx(rows[group::2].mean())
        assert result.by_group[group].n == 100


def test_classes_are_weighed_by_how_often_they_are_true():
    truth, said = ["h", "h", "n"], ["b", "h", "h"]
    result = evaluate_costs(truth, said, costs)
    parts = [e for e in result.by_class.values() if e.n]
    assert sum(e.n * e.value for e in parts) / 3 == pytest.approx(result.mean)
    assert np.isnan(result.by_class["b"].value)


def test_zero_one_costs_average_to_the_error_rate():
    truth, said = ["a", "b", "b", "a"], ["a", "a", "b", "a"]
    assert average_cost(truth, said, CostMatrix.zero_one(["a", "b"])) == 0.25
    assert average_cost([0, 1, 1], [0, 0, 1], [[0, 1], [1, 0]]) == pytest.approx(1 / 3)


def test_utility_costs_are_one_minus_utility_discounted_accuracy():
    from wager.metrics import utility_discounted_accuracy

    rng = np.random.default_rng(5)
    sets = rng.random((100, 4)) < 0.5
    sets[:, 1] |= ~sets.any(axis=1)
    truth = rng.integers(0, 4, 100)
    extended = CostMatrix.zero_one(range(4)).extend("utility", utility="u80")
    worth = utility_discounted_accuracy(truth, sets, "u80")
    assert average_cost(truth, sets, extended) == pytest.approx(1 - worth)


@settings(deadline=None)
@given(st.data(), st.integers(2, 4))
def test_one_matrix_per_row_scores_each_row_under_its_matrix(data, k):
    truth, sets = data.draw(predictions(k))
    matrices = np.random.default_rng(k).random((len(truth), k, k))
    fast = average_cost(truth, sets, matrices, rule="p-discounted", r=0.3)
    slow = [
        CostMatrix(m).extend("p-discounted", r=0.3).cost(np.flatnonzero(row), y)
        for m, row, y in zip(matrices, sets, truth, strict=True)
    ]
    assert fast == pytest.approx(np.mean(slow))


def test_the_same_matrix_in_every_row_changes_nothing():
    truth, sets = ["h", "n", "b", "b"], ["h|b", "n", "b", "h|b|n"]
    each = np.broadcast_to(costs.costs, (4, 3, 3))
    for rule, options in [
        ("discounted", {}),
        ("p-discounted", {"p": -1}),
        ("abellan-masegosa", {}),
    ]:
        one = average_cost(truth, sets, costs, rule=rule, **options)
        many = average_cost(truth, sets, each, rule=rule, classes=OBSTACLES, **options)
        assert many == pytest.approx(one)
    ha = CostMatrix.ha([1, 2, 3], OBSTACLES)
    one = average_cost(truth, sets, ha, rule="ha", delta=0.2)
    each = np.broadcast_to(ha.costs, (4, 3, 3))
    many = average_cost(truth, sets, each, rule="ha", delta=0.2, classes=OBSTACLES)
    assert many == pytest.approx(one)


def test_a_grid_search_looks_for_the_lowest_average_cost():
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.model_selection import GridSearchCV

    from wager.metrics import make_set_scorer

    class Constant(ClassifierMixin, BaseEstimator):
        def __init__(self, kept=("h",)):
            self.kept = kept

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict_set(self, X):
            return np.broadcast_to(np.isin(self.classes_, self.kept), (len(X), 3))

    X, y = np.zeros((12, 1)), np.array(["h", "b", "n"] * 4)
    scorer = make_set_scorer(average_cost, costs=costs.extend("p-discounted", r=0.5))
    search = GridSearchCV(Constant(), {"kept": [("n",), ("h", "b")]}, scoring=scorer, cv=2)
    assert search.fit(X, y).best_params_ == {"kept": ("h", "b")}
    assert search.best_score_ == pytest.approx(-2.5 / 3)


# The tally


@settings(deadline=None)
@given(st.data(), st.sampled_from([3, 9, 17, 66]), st.integers(0, 20))
def test_tallies_of_two_parts_add_up_to_the_tally_of_the_whole(data, k, cut):
    truth, sets = data.draw(predictions(min(k, 9), high=20, empty=True))
    sets = np.concatenate([sets, np.zeros((len(sets), k - sets.shape[1]), dtype=bool)], axis=1)
    parts = CostTally.of(truth[:cut], sets[:cut]) if cut and len(truth[:cut]) else 0
    if len(truth[cut:]):
        parts = parts + CostTally.of(truth[cut:], sets[cut:])
    whole = CostTally.of(truth, sets)
    assert parts == whole
    assert parts.sums.n_units == whole.sums.n_units
    assert CostTally.from_json(whole.to_json()) == whole


def test_a_tally_counts_each_pair_once_whatever_the_number_of_classes():
    rng = np.random.default_rng(2)
    for k in (3, 12, 30, 70):
        base = rng.random((15, k)) < 0.4
        rows = rng.integers(0, 15, 3000)
        truth = rng.integers(0, 3, 3000)
        tally = CostTally.of(truth, base[rows])
        seen = {(base[r].tobytes(), int(t)) for r, t in zip(rows, truth, strict=True)}
        assert len(tally.truth) == len(seen)
        assert tally.n == 3000


def test_fractional_weights_stay_in_the_tally_and_in_its_error():
    rng = np.random.default_rng(4)
    truth, said, weights = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.random(50)
    matrix = CostMatrix(TABLE_I)
    direct = evaluate_costs(truth, said, matrix, sample_weight=weights)
    tally = CostTally.of(truth[:20], said[:20], [0, 1, 2], weights[:20])
    tally = tally + CostTally.of(truth[20:], said[20:], [0, 1, 2], weights[20:])
    again = CostTally.from_dict(json.loads(json.dumps(tally.to_dict()))).evaluate(matrix)
    assert again.mean == pytest.approx(direct.mean)
    assert again.standard_error == pytest.approx(direct.standard_error)
    assert again.by_class[1].value == pytest.approx(direct.by_class[1].value)


def test_a_tally_is_scored_under_costs_that_list_the_classes_otherwise():
    tally = CostTally.of(["h", "n"], ["h|b", "n"], classes=["n", "b", "h"])
    assert tally.average(costs.extend("discounted")) == 0.25


def test_a_tally_serves_every_extension_without_the_rows():
    truth, sets = ["h", "n", "b"], ["h|b", "n", "b|n"]
    tally = CostTally.of(truth, sets, classes=OBSTACLES)
    for r in (0, 0.2, 0.9):
        extended = costs.extend("p-discounted", r=r)
        assert tally.average(extended) == pytest.approx(average_cost(truth, sets, extended))
        assert tally.average(costs, rule="p-discounted", r=r) == tally.average(extended)


# What is printed and kept


def test_the_evaluation_prints_and_converts():
    result = evaluate_costs(["h", "n"], ["h", "h"], costs, by=["x", "y"])
    assert "group y" in repr(result)
    assert result.to_dict()["by_class"]["n"]["mean"] == 2
    frame = result.to_frame()
    assert frame.query("part == 'group' and label == 'y'")["mean"].item() == 2


# Refusals


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: average_cost(["h"], [["h", "b"]], costs), "row 0 predicts 2 classes .* extend"),
        (lambda: average_cost(["h"], ["h"], costs, r=0.5), "r= is an option of an extension rule"),
        (
            lambda: average_cost(["h"], ["h"], costs.extend("discounted"), rule="discounted"),
            "already extended",
        ),
        (lambda: average_cost(["h"], [[]], costs), "row 0 predicts the empty set"),
        (lambda: average_cost(["x"], ["h"], costs), "'x'"),
        (lambda: average_cost(["h"], ["x"], costs), "'x'"),
        (lambda: average_cost(["h", "b"], ["h"], costs), "1 prediction but 2 true classes"),
        (lambda: average_cost([], [], costs), "no prediction to score"),
        (lambda: average_cost(["h"], ["h"], costs, sample_weight=[-1]), "got -1 in row 0"),
        (lambda: average_cost([0, 1], [0, 1], np.zeros((3, 2, 2))), r"must have shape \(2, 2, 2\)"),
        (lambda: average_cost([0, 1], [0, 1], -np.ones((2, 2, 2))), "of matrix 0"),
        (
            lambda: average_cost([0, 1], [[0, 1], [1]], np.ones((2, 2, 2))),
            "row 0 predicts 2 classes",
        ),
        (
            lambda: average_cost([0], [[]], np.ones((1, 2, 2)), classes=[0, 1]),
            "row 0 predicts the empty set",
        ),
        (
            lambda: evaluate_costs(["h"], ["h"], costs, by=["x", "y"]),
            "1 prediction but 2 labels in by",
        ),
        (
            lambda: CostTally.of([0], [0], [0, 1]) + CostTally.of([0], [0], [0, 1, 2]),
            "both parts must list the same classes",
        ),
    ],
)
def test_error_messages_are_clear(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_empty_set_in_instance_costs_has_the_cost_that_is_given():
    each = np.ones((2, 2, 2)) - np.eye(2)
    assert average_cost([0, 1], [[], [1]], each, classes=[0, 1], empty_cost=3) == 1.5


def test_intervals_of_parts_are_those_of_the_parts_alone():
    costs = CostMatrix(np.add(TABLE_I, [1, 3, 2]), OBSTACLES).extend()  # no prediction is free
    truth, said = list("hbnnh"), ["h|b", "n", "h", "n", "b"]
    whole = evaluate_costs(truth, said, costs, by=list("xyxyx"))
    for name in "xy":
        rows = [row for row, part in enumerate("xyxyx") if part == name]
        alone = evaluate_costs([truth[r] for r in rows], [said[r] for r in rows], costs)
        assert whole.by_group[name].interval() == pytest.approx(alone.overall.interval())


@pytest.mark.parametrize(
    ("rule", "options"), [("ha", {"delta": 0.5}), ("abellan-masegosa", {}), ("p-discounted", {})]
)
def test_equal_costs_of_every_row_have_the_interval_of_one_matrix(rule, options):
    y, costs = [0, 1, 2, 3] * 3, 1 - np.eye(4)
    sets = [[1], [1, 2], *([label] for label in y[2:])]
    one = evaluate_costs(y, sets, costs, rule=rule, **options)
    each = evaluate_costs(y, sets, np.repeat(costs[None], 12, axis=0), rule=rule, **options)
    assert each.mean == one.mean
    assert each.overall.interval() == pytest.approx(one.overall.interval())
