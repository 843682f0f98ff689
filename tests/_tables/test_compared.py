"""Results are equal if their fields are, on every version of Python."""

import pytest

from wager._tables import ComparedFields
from wager.compare import Outcome
from wager.compare._paired_probabilities import MeanDifference
from wager.partitions import PartitionEstimate
from wager.report import Score
from wager.rewards import MeanEstimate
from wager.rewards._estimate import Estimate, RegionEstimate, TransformedEstimate
from wager.rewards._paired import Difference

OF_A_NUMBER = [
    lambda x: Estimate(0.5, x, 1.0),
    lambda x: TransformedEstimate(0.5, x, 1.0),
    lambda x: RegionEstimate(0.5, x, 1.0),
    lambda x: MeanEstimate(x, x, 1.0),
    lambda x: MeanDifference(x, x, 1.0),
    lambda x: PartitionEstimate(0.9, x, 1, x, 0.0, 0.0),
    lambda x: Difference(x, 0.0, 1.0, Estimate(x, x, 1.0)),
    lambda x: Score("a.csv", "sets", "", "", "single_accuracy", x, x),
    lambda x: Outcome("sign test", 3.0, 0.5, 0.1, (x, x), "no significant difference"),
]


@pytest.mark.parametrize("make", OF_A_NUMBER)
def test_undefined_numbers_are_equal(make):
    undefined, same = make(float("nan")), make(float("nan"))
    assert undefined == same
    assert undefined != make(0.0)
    assert make(0.0) == make(0)
    if not isinstance(undefined, Outcome):  # its details are a mapping, which has no hash
        assert len({undefined, same, make(0.0), make(0)}) == 2


def test_results_of_different_kinds_differ():
    assert Estimate(0.5, 0.1, 9.0) != TransformedEstimate(0.5, 0.1, 9.0)


def test_no_class_compares_in_another_way():
    def of(base):
        return {base}.union(*map(of, base.__subclasses__()))

    found = of(ComparedFields)
    assert {type(make(0.0)) for make in OF_A_NUMBER} < found
    assert all(each.__eq__ is ComparedFields.__eq__ for each in found)
