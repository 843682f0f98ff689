"""Some of the calls with one wrong argument; ``python -m tests.fuzz.one_by_one`` makes them all."""

import pytest

from tests.fuzz import functions, one_by_one
from tests.fuzz.children import try_cases
from tests.fuzz.working import WORKING

SHARE = 151  # every 151st case, which is not a divisor of the number of values


def test_listed_calls_work_and_are_of_public_functions():
    for name in ("wager.decide", "compare.wins_table", "plots.plot_scatter"):
        assert repr(functions.targets()[name].call(**WORKING[name]()))
    assert set(WORKING) <= set(functions.targets())


@pytest.mark.long
def test_one_wrong_argument_is_an_error_that_is_promised():
    asked = one_by_one.questions()
    n = len(asked) * one_by_one.N_VALUES // SHARE
    assert {each.target for each in asked} >= set(WORKING)
    found = try_cases(lambda case, folder: one_by_one.attempt(SHARE * case, folder), 0, n)
    assert found == (n, [])
