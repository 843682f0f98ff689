"""The generalized mean, which extends costs of single classes to sets of classes."""

from __future__ import annotations

import numpy as np

from wager._tables import real_numbers
from wager._typing import ArrayLike
from wager.costs.extensions import OneTruth, check_exponent

__all__ = ["generalized_mean"]


def generalized_mean(values: ArrayLike, p: float) -> float:
    """Average non-negative values; the smaller ``p`` is, the more weight small values have.

    Equations (12) and (13) of Yang, Destercke & Masson (2017): ``(mean of v**p) ** (1/p)``, the
    geometric mean for ``p = 0``, the minimum for minus infinity and the maximum for plus infinity.
    It increases with p.  A zero among the values makes it 0 for every p <= 0.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite and non-negative values.
    p : float
        The exponent: any real number, or plus or minus infinity.

    Examples
    --------
    >>> generalized_mean([1, 2, 4], 0), generalized_mean([1, 2, 4], 1)
    (2.0, 2.3333333333333335)
    >>> generalized_mean([1, 2, 4], float("inf")), generalized_mean([0, 2, 4], -1)
    (4.0, 0.0)
    """
    numbers = real_numbers(values, "values")
    if numbers.ndim != 1 or numbers.size == 0:
        raise ValueError(f"values must be a list of at least one number, got shape {numbers.shape}")
    bad = ~(np.isfinite(numbers) & (numbers >= 0))
    if bad.any():
        place = int(bad.argmax())
        raise ValueError(
            "a generalized mean needs finite values that are not negative, "
            f"got {numbers[place]:g} at position {place}"
        )
    exponent = check_exponent(p)
    everything = np.ones((1, numbers.size), dtype=bool)
    columns = np.broadcast_to(numbers[None, :, None], (1, numbers.size, numbers.size))
    return float(OneTruth(columns, everything, np.array([0])).mean(exponent)[0])
