"""The generalized mean, which carries costs of single classes over to sets of them."""

from __future__ import annotations

import numpy as np

from wager._typing import ArrayLike
from wager.costs._cells import OneTruth

__all__ = ["generalized_mean"]


def generalized_mean(values: ArrayLike, p: float) -> float:
    """Average non-negative values, the small ones counting more the smaller ``p`` is.

    Equations (12) and (13) of Yang, Destercke & Masson (2017): ``(mean of v**p) ** (1/p)``, the
    geometric mean for ``p = 0``, the least value for minus and the largest for plus infinity.  It
    grows with p.  A zero among the values makes it 0 for every p <= 0.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite values, none negative.
    p : float
        The exponent: any real number or an infinity.

    Examples
    --------
    >>> generalized_mean([1, 2, 4], 0), generalized_mean([1, 2, 4], 1)
    (2.0, 2.3333333333333335)
    >>> generalized_mean([1, 2, 4], float("inf")), generalized_mean([0, 2, 4], -1)
    (4.0, 0.0)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or numbers.size == 0:
        raise ValueError(
            f"values must be a list of at least one number, got the shape {numbers.shape}"
        )
    bad = ~(np.isfinite(numbers) & (numbers >= 0))
    if bad.any():
        place = int(bad.argmax())
        raise ValueError(
            "a generalized mean is of finite values that are not negative, "
            f"got {numbers[place]:g} at position {place}"
        )
    exponent = check_exponent(p)
    everyone = np.ones((1, numbers.size), dtype=bool)
    columns = np.broadcast_to(numbers[None, :, None], (1, numbers.size, numbers.size))
    return float(OneTruth(columns, everyone, np.array([0])).mean(exponent)[0])


def check_exponent(p: float) -> float:
    """The exponent of a mean as a float; it may be infinite, not undefined."""
    exponent = float(p)
    if np.isnan(exponent):
        raise ValueError("p must be a real number or an infinity, got nan")
    return exponent
