"""Evidence from several data sets or streams as one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wager._tables import real_numbers
from wager._typing import Floats


def combine_e_values(values: Sequence[float] | Floats, dependent: bool = False) -> float:
    """One e-value from several: their product, or their average if they may depend on each other.

    An e-value is evidence against a null hypothesis: under it, its expectation is at most 1, so
    that it reaches 1/alpha with probability at most alpha.  The product of e-values keeps this
    property if they are independent, such as those of different data sets; the average keeps it
    always (Vovk & Wang, 2021).

    Use it to combine the results of `sequential` on several data sets or streams.

    Parameters
    ----------
    values : sequence of float
        The e-values, at least 0; a state or a confidence sequence has ``e_value``.
    dependent : bool, default=False
        Whether the e-values may depend on each other, as those of two utilities on the same rows.

    Returns
    -------
    float

    References
    ----------
    Vovk, V. & Wang, R. (2021). E-values: calibration, combination and applications.
    The Annals of Statistics 49(3), 1736-1754.

    Examples
    --------
    >>> combine_e_values([4.0, 8.0, 0.5])
    16.0
    >>> combine_e_values([4.0, 8.0], dependent=True)
    6.0
    """
    e = real_numbers(values, "e-values")
    if e.ndim != 1 or len(e) == 0:
        raise ValueError(f"pass a list of at least one e-value, got shape {e.shape}")
    if not (e >= 0).all():
        row = int(np.flatnonzero(~(e >= 0))[0])
        raise ValueError(f"an e-value is at least 0, but number {row + 1} is {e[row]}")
    if dependent:
        return float(e.mean())
    if (e == 0).any():
        return 0.0
    with np.errstate(over="ignore"):
        product = float(e.prod())
        # a partial product may be too large or too small for a float although the whole is not
        return product if 0 < product < np.inf else float(np.exp(np.log(e).sum()))
