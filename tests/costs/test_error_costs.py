"""The cost of each kind of error: every row once, whichever way the rows are counted."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.costs.strategies import cost_matrices, predictions, rules
from tests.fewer import fewer
from wager.costs import CostMatrix, CostTally, evaluate_costs
from wager.metrics import evaluate_sets

ILL = CostMatrix([[0, 50], [8, 0]], ["ill", "well"], unit="EUR")


def slow_errors(truth, sets, extended, weights):
    """Add up one row after another."""
    totals, counts = defaultdict(float), defaultdict(float)
    for row, y, w in zip(sets, truth, weights, strict=True):
        key = int(y), tuple(np.flatnonzero(row).tolist())
        totals[key] += w * extended.cost(key[1], y)
        counts[key] += w
    return {key: (counts[key], total) for key, total in totals.items() if total > 0}


@given(st.data(), cost_matrices(), rules)
@fewer(12)
def test_rows_and_tallies_give_the_same_table(data, matrix, rule):
    truth, sets = data.draw(predictions(len(matrix)))
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(truth), max_size=len(truth)))
    extended = matrix.extend(rule[0], **rule[1])
    slow = slow_errors(truth, sets, extended, weights)
    classes = range(len(matrix))
    of_rows = evaluate_costs(truth, sets, extended, counts=weights).errors
    each = np.broadcast_to(matrix.costs, (len(truth), *matrix.costs.shape))
    per_row = evaluate_costs(truth, sets, each, counts=weights, rule=rule[0], **rule[1]).errors
    tally = CostTally.of(truth, sets, classes=classes, counts=weights)
    for errors in (of_rows, per_row, tally.errors(extended), tally.evaluate(extended).errors):
        found = {(e.true, e.predicted): (e.n, e.total) for e in errors}
        assert found.keys() == slow.keys()
        for key, (n, total) in slow.items():
            assert found[key] == (n, pytest.approx(total))
        assert sum(e.share for e in errors) == pytest.approx(1 if slow else 0)
        totals = [e.total for e in errors]
        assert totals == sorted(totals, reverse=True)
        assert all(e.cost * e.n == pytest.approx(e.total) for e in errors)
        assert errors.n == sum(weights)


def test_costs_that_differ_between_rows_are_averaged_within_an_error():
    each = np.array([ILL.costs, 3 * ILL.costs])
    errors = evaluate_costs(["ill", "ill"], ["well", "well"], each, classes=ILL.classes).errors
    assert [(e.true, e.n, e.cost, e.total) for e in errors] == [("ill", 2, 16.0, 32.0)]


def test_a_long_table_adds_up_the_rest():
    truth, said = ["a", "b", "c", "a"], ["b", "c", "a", "c"]
    errors = CostTally.of(truth, said).errors(CostMatrix.ordinal(["a", "b", "c"]))
    assert len(errors.table()) == 4
    *_, rest = errors.table(3)
    assert rest == ["2 further kinds", "", 2, "1.00", "2.00", "33.3%"]


def test_weights_are_not_called_cases():
    matrix = CostMatrix([[0, 2], [1, 0]], ["a", "b"])
    y, pred = ["a", "b", "a"], ["b", "a", "b"]
    options = {"counts": [1, 2, 3]}, {"sample_weight": [1, 2, 3]}, {"sample_weight": [0.5, 1, 1.5]}
    found = [evaluate_sets(y, pred, costs=matrix, **some).costs.errors for some in options]
    assert [errors.header[2] for errors in found] == ["cases", "weight", "weight"]
    for errors in found:
        for row in errors:
            assert row.total == pytest.approx(row.n * row.cost)


def test_as_data_and_as_a_frame():
    errors = CostTally.of(["ill", "well"], [["ill", "well"], ["well"]]).errors(ILL.extend())
    (entry,) = errors.to_dict()
    assert entry["true"] == "ill"
    assert entry["predicted"] == ["ill", "well"]
    assert errors.to_frame()["predicted"].tolist() == ["{ill, well}"]
    assert "total cost (EUR)" in repr(errors)
    right = CostTally.of(["ill", "well"], ["ill", "well"]).errors(ILL)
    assert repr(right) == "no prediction has a cost"


def test_the_sentence_names_the_worst_error_if_there_are_several():
    def said(truth, sets):
        return evaluate_costs(truth, sets, ILL.extend()).sentence()

    none, one = said(["ill", "well"], ["ill", "well"]), said(["ill", "well"], ["well", "well"])
    assert "causes" not in none + one
    two = said(["ill", "well"], ["well", "ill"])
    assert two.endswith("Predicting ill where well is true causes 86% of the total cost.")  # 50/58


def test_the_most_frequent_pairs_are_shown_first():
    tally = CostTally.of(["ill", "well", "well"], ["well", "ill", "ill"])
    lines = repr(tally).splitlines()[-2:]
    assert [line.split()[-1] for line in lines] == ["2", "1"]
