"""Measures of streams, row by row, as river calls them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager import evaluate_sets
from wager.rewards import RunningMeasure, get_utility

rows = st.lists(st.tuples(st.sampled_from("abc"), st.sets(st.sampled_from("abc"))), min_size=1)


@pytest.mark.parametrize("measure", ["u65", "u80", "coverage", "mean_set_size", "determinacy"])
@given(rows)
@fewer(8)
def test_the_value_is_that_of_all_rows_at_once(measure, rows):
    running = RunningMeasure(measure, n_classes=3)
    for y_true, y_pred in rows:
        running.update(y_true, y_pred)
    truth, sets = zip(*rows, strict=True)
    found = evaluate_sets(truth, list(map(sorted, sets)), ("u65", "u80"), classes=list("abc"))
    assert running.get() == pytest.approx(found[measure])
    assert running.n == len(rows)


@given(rows, rows)
def test_reverting_rows_leaves_the_others(first, second):
    running, alone = RunningMeasure("u65"), RunningMeasure("u65")
    for row in first:
        running.update(*row)
        alone.update(*row)
    for row in second:
        running.update(*row)
    for row in second:
        running.revert(*row)
    assert running.get() == alone.get()


def test_labels_lists_and_nothing_are_predictions():
    running = RunningMeasure("coverage")
    assert np.isnan(running.get())
    for y_pred in ("cat", ["cat", "dog"], ("cat",), frozenset({"cat"}), None, "dog"):
        running.update("cat", y_pred)
    assert running.get() == pytest.approx(4 / 6)
    assert repr(running) == "coverage: 0.6667"


def test_what_river_asks_for():
    class Model:
        def predict_one(self, x):
            return None

    worth, size = RunningMeasure(get_utility("u80")), RunningMeasure("mean_set_size")
    assert worth.bigger_is_better
    assert not size.bigger_is_better
    assert worth.works_with(Model())
    assert not worth.works_with(object())
    assert worth.requires_labels
    worth.update(1, {1, 2})
    other = worth.clone()
    other.update(1, 1)
    assert other.is_better_than(worth)
    assert not worth.is_better_than(other)
    assert worth.tally.score("coverage").value == 1


def test_wrong_calls_are_named():
    running = RunningMeasure()
    with pytest.raises(ValueError, match="takes back a row that was added before"):
        running.revert("a", "a")
    with pytest.raises(TypeError, match=r"must be a label or a set of labels, got probabilities"):
        running.update("a", {"a": 0.5})
    with pytest.raises(ValueError, match="nothing"):
        RunningMeasure("nothing")
