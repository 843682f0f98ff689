"""No public function answers a hostile call with anything but a ValueError or a TypeError."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wager
from tests.fuzz.functions import LEFT_OUT, calls, public_functions, try_call

FUNCTIONS = public_functions()


def test_every_public_function_is_tried_or_left_out_for_a_reason():
    assert len(FUNCTIONS) > 100
    assert set(LEFT_OUT) <= set(wager.__all__)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_hostile_calls_are_answered_by_the_errors_that_are_promised(name):
    @settings(
        max_examples=4,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def attack(data):
        try_call(FUNCTIONS[name], data.draw(calls(FUNCTIONS[name])))

    attack()
