"""What a leaf of a credal tree says: the classes it keeps, its rows, its intervals."""

from __future__ import annotations

import numpy as np

from wager._typing import Array, Bools, Floats

__all__ = ["leaf_label"]


def leaf_label(counts: Floats, classes: Array, lower: Floats, upper: Floats, kept: Bools) -> str:
    """In words; classes without a row share an interval, which stands at the end.

    Examples
    --------
    >>> counts = np.array([3.0, 0.0, 2.0])
    >>> lower, upper = counts / 6, (counts + 1) / 6
    >>> leaf_label(counts, np.array(["a", "b", "c"]), lower, upper, counts > 0)
    'a|c (5): a [0.50, 0.67], c [0.33, 0.50], others [0.00, 0.17]'
    """
    if not counts.any():
        return "any (0)"
    names = "|".join(str(c) for c in classes[kept])
    seen = np.flatnonzero(counts) if len(counts) > 2 else np.arange(len(counts))
    intervals = [f"{classes[c]} [{lower[c]:.2f}, {upper[c]:.2f}]" for c in seen]
    if len(seen) < len(counts):
        rest = np.flatnonzero(counts == 0)[0]
        intervals.append(f"others [{lower[rest]:.2f}, {upper[rest]:.2f}]")
    rows = f"{counts.sum():.2f}".rstrip("0").rstrip(".")
    return f"{names} ({rows}): {', '.join(intervals)}"
