"""``evaluate_sets`` with costs: the same average as everywhere, beside the other measures."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wager
from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices, predictions
from tests.fewer import fewer
from wager import PredictionSets, evaluate_sets
from wager.costs import CostMatrix, CostTally, costs_for_classes, evaluate_costs
from wager.metrics import average_cost

EUROS = CostMatrix(TABLE_I, OBSTACLES, unit="EUR")
TRUTH = ["h", "n", "b", "b", "n"]
SETS = [["h", "b"], ["n"], ["h"], ["b"], ["h", "n"]]


@given(st.data(), cost_matrices())
@fewer(8)
def test_the_average_is_that_of_evaluate_costs(data, matrix):
    truth, sets = data.draw(predictions(len(matrix), low=2))
    groups = [row // 2 for row in range(len(truth))]
    found = evaluate_sets(truth, sets, costs=matrix, groups=groups)
    expected = evaluate_costs(truth, sets, matrix.extend(), groups=groups)
    cost = found.estimates["average_cost"]
    assert found["average_cost"] == cost.value
    assert cost.value == pytest.approx(average_cost(truth, sets, matrix.extend()))
    assert cost.standard_error == pytest.approx(expected.standard_error, nan_ok=True)
    assert cost.interval() == pytest.approx(expected.overall.interval(), nan_ok=True)
    assert found.costs.by_class.keys() == expected.by_class.keys()


@given(st.data(), cost_matrices())
@fewer(12)
def test_arrays_and_one_matrix_per_row_are_costs_too(data, matrix):
    truth, sets = data.draw(predictions(len(matrix)))
    one = evaluate_sets(truth, sets, costs=matrix)["average_cost"]
    assert evaluate_sets(truth, sets, costs=matrix.costs)["average_cost"] == pytest.approx(one)
    each = np.broadcast_to(matrix.costs, (len(truth), *matrix.costs.shape))
    assert evaluate_sets(truth, sets, costs=each)["average_cost"] == pytest.approx(one)


def test_permuted_columns_with_names_cost_the_same_money():
    order = ["n", "h", "b"]
    places = [OBSTACLES.index(label) for label in order]
    permuted = CostMatrix(EUROS.costs[np.ix_(places, places)], order)
    for classes in (OBSTACLES, order, sorted(OBSTACLES)):
        sets = PredictionSets.from_lists(SETS, classes)
        for costs in (EUROS, permuted, permuted.extend()):
            found = evaluate_sets(TRUTH, sets, costs=costs)
            assert found["average_cost"] == pytest.approx(0.35)  # (0.25 + 0 + 1 + 0 + 0.5) / 5


def test_the_table_and_the_sentence_name_the_unit():
    found = evaluate_sets(TRUTH, SETS, costs=EUROS)
    assert "average cost (EUR)" in repr(found)
    low, high = found.estimates["average_cost"].interval()
    assert f"costs 0.35 EUR on average (95% interval {low:.2f} to {high:.2f})" in found.sentence()
    assert found.to_dict()["costs"]["unit"] == "EUR"
    assert "average_cost" in found.to_frame().index
    assert "costs" not in evaluate_sets(TRUTH, SETS).to_dict()


def test_a_frame_of_costs_is_matched_by_the_names_of_its_columns():
    """The numbers were taken for those of the sorted classes."""
    pd = pytest.importorskip("pandas")
    names = ["low", "high"]
    frame = pd.DataFrame([[0, 9], [1, 0]], index=names, columns=names)
    y, said = ["high", "low", "high"], ["low", "low", "high"]
    found = [
        average_cost(y, said, frame),
        evaluate_costs(y, said, frame).mean,
        evaluate_sets(y, said, costs=frame)["average_cost"],
        CostTally.of(y, said).average(frame),
        wager.head_to_head(y, {"a": said, "b": y}, costs=frame).cost("a").value,
        wager.sequential(y, y, said, costs=frame).mean[-1],
    ]
    assert found == [3.0] * 6
    assert CostMatrix(frame, ["high", "low"]).costs.tolist() == [[0, 1], [9, 0]]
    plain = pd.DataFrame([[0, 9], [1, 0]])  # only numbered
    assert CostMatrix(plain, ["high", "low"]).costs.tolist() == [[0, 9], [1, 0]]
    with pytest.raises(ValueError, match="the columns of costs are 'low', 'high' but the classes"):
        CostMatrix(frame, ["a", "b"])


def test_empty_sets_need_a_cost():
    with pytest.raises(ValueError, match="row 1 predicts the empty set, which has no cost"):
        evaluate_sets(["h", "b"], [["h"], []], costs=EUROS)
    assert evaluate_sets(["h", "b"], [["h"], []], costs=EUROS, empty_cost=3)["average_cost"] == 1.5
    with pytest.raises(ValueError, match="pass costs= as well"):
        evaluate_sets(["h", "b"], [["h"], []], empty_cost=3)


def test_costs_work_with_any_import():
    code = (
        "import numpy as np, wager; "
        "print(wager.evaluate_sets([0, 1], [0, 0], costs=np.array([[0, 4], [1, 0]]))"
        "['average_cost'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2.0"
    assert wager.evaluate_sets is wager.rewards.evaluate_sets is wager.metrics.evaluate_sets


def test_labels_of_files_are_matched_as_text():
    whole = costs_for_classes(CostMatrix([[0, 1], [2, 0]], ["7", "3"]), [3, 7])
    assert whole.classes.tolist() == [7, 3]
    extended = EUROS.extend({("h", "b"): [9, 9, 9]})
    assert costs_for_classes(extended, ["b", "h"]).cost(["h", "b"], "n") == 9
    with pytest.raises(ValueError, match="no row and column for 'x', 'y', classes of p"):
        costs_for_classes(EUROS, ["h", "x", "y"], "p.csv")
