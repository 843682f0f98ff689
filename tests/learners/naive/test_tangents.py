"""What three tangents prove about the least ratio of two classes."""

import numpy as np
import pytest

from wager.learners.naive._tangents import OPEN, PROVED, REFUTED, verdict_of_probes


@pytest.mark.parametrize(
    ("low", "high", "value", "expected"),
    [
        (-0.5, 0.5, 1.0, OPEN),  # it falls, then rises: the least value lies between the probes
        (0.5, 1.0, 1.0, PROVED),
        (-1.0, -0.5, 1.0, PROVED),
        (-0.5, 0.5, -1.0, REFUTED),
    ],
)
def test_dominance_is_proved_only_if_the_least_value_lies_at_an_end(low, high, value, expected):
    """Of each probe: values and slopes of the first class, then of the second, by class."""
    sums = np.zeros((3, 4, 2))
    sums[:, 0, 0] = value  # of the first class
    sums[:, 1, 0] = 3.0  # its slopes, which are subtracted
    sums[:, 3, 1] = 3.0 + low, 3.0, 3.0 + high
    assert verdict_of_probes(sums.ravel(), 2, 0, 1) == expected
