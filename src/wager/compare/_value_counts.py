"""How often each value occurred, in bounded space, and never more favourable than the rows were.

The first distinct values of a stream, up to a few hundred, are counted exactly: utilities and
tables of costs rarely have more.  A later value is shared between the two neighbouring values
that are kept, in the proportions that preserve its mean.  A sum of concave functions of the rows,
such as the logarithm of a bettor's capital, can only become smaller by that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Bools, Floats, Ints

MOST_VALUES = 400  # distinct values that are counted exactly
_EVEN_VALUES = 65  # evenly spaced values that are always there to share between


@dataclass(frozen=True)
class Shares:
    """For each row: the position of the value kept below it, and the share of the one above."""

    position: Ints
    above: Floats | None  # None if every row is one of the values kept

    def part(self, rows: slice) -> Shares:
        """Some of the rows."""
        return Shares(self.position[rows], None if self.above is None else self.above[rows])

    def totals(self, n_values: int) -> Floats:
        """How often each value occurs in these rows."""
        if self.above is None:
            return np.bincount(self.position, minlength=n_values).astype(float)
        totals: Floats = np.bincount(self.position, 1 - self.above, n_values).astype(float)
        totals += np.bincount(self.position + 1, self.above, n_values + 1)[:n_values]
        return totals

    def rows_of(self, table: Floats) -> Floats:
        """The columns of a table with one column per value, for each row."""
        chosen = table[:, self.position]
        if self.above is not None:
            last = table.shape[1] - 1
            higher = table[:, np.minimum(self.position + 1, last)]
            chosen += self.above * (higher - chosen)
        return chosen


def shares_of(rows: Floats, kept: Floats, bounds: tuple[float, float]) -> tuple[Floats, Shares]:
    """The values kept after these rows, sorted, and each row in terms of them.

    Examples
    --------
    >>> kept, shares = shares_of(np.array([0.5, 0.0, 0.5]), np.empty(0), (-1, 1))
    >>> kept.tolist(), shares.totals(2).tolist()
    ([0.0, 0.5], [1.0, 2.0])
    """
    position, same = _find(rows, kept)
    if same.all():
        return kept, Shares(position, None)
    even = np.linspace(*bounds, _EVEN_VALUES)
    if len(kept) < MOST_VALUES:
        new, first = np.unique(rows[~same], return_index=True)
        new = new[np.argsort(first)[: MOST_VALUES - len(kept)]]  # by order of arrival
        kept = np.union1d(kept, new)
        if len(kept) == MOST_VALUES:
            kept = np.union1d(kept, even)
        position, same = _find(rows, kept)
        if same.all():
            return kept, Shares(position, None)
    position = np.where(same, position, position - 1)
    gap = kept[np.minimum(position + 1, len(kept) - 1)] - kept[position]
    above = np.where(same, 0.0, (rows - kept[position]) / np.where(same, 1.0, gap))
    return kept, Shares(position, above)


def _find(rows: Floats, kept: Floats) -> tuple[Ints, Bools]:
    """Positions of rows among the values kept, and whether each row is one of them."""
    position = np.searchsorted(kept, rows)
    if len(kept) == 0:
        return position, np.zeros(len(rows), dtype=bool)
    same = kept[np.minimum(position, len(kept) - 1)] == rows
    return position, same
