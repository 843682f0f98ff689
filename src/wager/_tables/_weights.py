"""Row weights: how many instances, or which fraction of one, each row represents."""

from __future__ import annotations

import numpy as np

from wager._typing import ArrayLike, Floats


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> Floats | None:
    """The weights as doubles: one per row, finite, not negative, not all 0; None stays None.

    Examples
    --------
    >>> check_weights([1, 0, 2], 3).tolist()
    [1.0, 0.0, 2.0]
    >>> check_weights([1, -1], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight must be finite and not negative, got -1 in row 1
    """
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows, got the shape "
            f"{weights.shape}"
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"sample_weight must be finite and not negative, got {weights[row]:g} in row {row}"
        )
    if not weights.any():
        raise ValueError("sample_weight is 0 in every row: at least one row must count")
    return weights
