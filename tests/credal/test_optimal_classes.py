import numpy as np
import pytest

from wager.costs import CostMatrix
from wager.credal import class_selective_rejection, optimal_sets, reject
from wager.credal._class_costs import determinate_costs
from wager.metrics import evaluate_sets

PROBA = [[0.9, 0.06, 0.04], [0.06, 0.9, 0.04], [0.04, 0.06, 0.9]]


@pytest.mark.parametrize("rule", [optimal_sets, lambda p: reject(p, 0.5),
                                  lambda p: class_selective_rejection(p, 0.3)])  # fmt: skip
def test_columns_without_names_take_those_of_the_truth(rule):
    assert evaluate_sets(["ant", "bee", "cow"], rule(PROBA))["discounted_accuracy"] == 1.0


def test_declared_classes_stay_what_they_are():
    sets = optimal_sets(PROBA, classes=["x", "y", "z"])
    with pytest.raises(ValueError, match="'ant'"):
        evaluate_sets(["ant", "bee", "cow"], sets)


def test_zero_one_costs_are_told_from_all_others():
    classes = np.array(["a", "b"])
    assert determinate_costs(CostMatrix.zero_one(classes), classes) is None
    twice = determinate_costs(CostMatrix([[0, 2], [2, 0]], classes), classes)
    assert twice.tolist() == [[0, 2], [2, 0]]
