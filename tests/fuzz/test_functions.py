"""No public function answers a hostile call with anything but a ValueError or a TypeError."""

import pytest
from hypothesis import HealthCheck, given, settings

import wager
from tests.fuzz.functions import LEFT_OUT, attempt, calls, target_of, targets

TARGETS = sorted(targets())


def test_every_public_function_is_tried_or_left_out_for_a_reason():
    assert len(TARGETS) > 300
    names = {
        name.split(".")[1 if name.startswith("experiments.generators") else -1] for name in TARGETS
    }
    tried = {part for name in TARGETS for part in name.split(".")} | names
    assert {name for name in wager.__all__ if name not in tried} <= set(LEFT_OUT)


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_calls_are_answered_by_the_errors_that_are_promised(name, tmp_path):
    @settings(
        max_examples=1 if name.startswith("plots.") else 2,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(calls(name))
    def attack(number):
        assert target_of(number) == name
        assert attempt(number, tmp_path) is None

    attack()
