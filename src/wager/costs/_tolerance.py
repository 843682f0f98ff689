"""A unit in which costs are about 1, for tolerances that do not depend on their size."""

from __future__ import annotations

import numpy as np

from wager._typing import Floats


def unit_of(costs: Floats) -> float:
    """A power of two close to the largest number: division by it is exact; 1 if all are 0.

    Examples
    --------
    >>> unit_of(np.array([0.0, 300.0])), unit_of(np.zeros(2))
    (256.0, 1.0)
    """
    largest = float(np.abs(costs).max(initial=0.0))
    return float(2.0 ** (np.frexp(largest)[1] - 1)) if largest else 1.0
