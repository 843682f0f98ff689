import pytest

from wager.credal import class_selective_rejection, optimal_sets, reject
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
