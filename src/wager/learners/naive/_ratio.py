"""Credal dominance of the naive credal classifier: the least ratio of two classes' probabilities.

Zaffalon (2001, 2002).  Under the imprecise Dirichlet model with strength s, class c1 dominates c2
when P(c1 | x) / P(c2 | x) exceeds 1 for every prior, that is, when the least value of

    h(x) = (n(c1)+s-x)/(n(c2)+x) prod_j [(n_j(c2)+x)/(n_j(c1)+s-x)] [n_j(a_j,c1)/(n_j(a_j,c2)+x)]

over 0 < x < s exceeds 1.  Its logarithm f is convex, and it is the sum of a part of c1 and a part
of c2: f(x) = G1_c1(s - x) + G2_c2(x).  So the values that the rows need at a few fixed points x can
be summed from tables by value and class, at the cost of naive Bayes.  Convexity then settles nearly
all pairs (a value below 0: no dominance; tangents that stay above 0: dominance), and only the rest
need a search.

With a floor epsilon, as in Corani & Zaffalon's program, n_j(a_j,c1) becomes n_j(a_j,c1) + s epsilon
and x is restricted to [s epsilon, s (1 - epsilon)].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wager._tables import Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners.naive._probe_tables import PaddedCounts, ProbeTables
from wager.learners.naive._tangents import undominated_classes

__all__ = ["Dominance", "feature_slopes", "feature_values"]

_ClassCounts = tuple[Floats, Floats]  # of the values of rows, and of the rows with a known value


@dataclass(frozen=True)
class Dominance:
    """Least log ratios of the classes, from counts.

    Parameters
    ----------
    counts : Counts
        Of the training rows.
    s : float
        Strength of the imprecise Dirichlet model, in rows; 0 gives maximum likelihood.
    floor : float
        The epsilon of the module's description; 0 is the exact model.

    Examples
    --------
    >>> counts = Counts.of(np.array([[0], [0], [0], [1]]), np.array([0, 0, 0, 1]), [2], 2)
    >>> np.exp(Dominance(counts, s=1.0).log_infimum(np.array([[0]]))[0, 0, 1]).round(6).item()
    3.0
    """

    counts: Counts
    s: float
    floor: float = 0.0

    def with_strength(self, s: float) -> Dominance:
        """The model with another s, from the same counts."""
        twin = replace(self, s=s)
        twin.__dict__["padded"] = self.padded  # where a cached property keeps its value
        return twin

    @property
    def range(self) -> tuple[float, float]:
        """The end points of x."""
        return self.s * self.floor, self.s * (1 - self.floor)

    @cached_property
    def padded(self) -> PaddedCounts:
        """The counts in the form that the loops take."""
        return PaddedCounts.of(self.counts)

    @cached_property
    def tables(self) -> ProbeTables:
        """The log ratios at both ends and in the middle of the range, in parts for summing up."""
        low, high = self.range
        probes = np.array([low, (low + high) / 2, high])
        return ProbeTables.of(self.padded, probes, float(self.s), float(self.s * self.floor))

    def undominated(self, codes: Ints) -> Bools:
        """The classes of each row that no other class dominates, shape (n, K)."""
        return undominated_classes(codes, self.tables)

    def log_infimum(self, codes: Ints) -> Floats:
        """The logarithm of the least ratio of classes c1 and c2, ``[row, c1, c2]``.

        Minus infinity where the ratio can be 0, NaN on the diagonal.
        """
        K = len(self.counts.classes)
        found = np.full((len(codes), K, K), np.nan)
        for block in row_blocks(len(codes), max(codes.shape[1], 1)):
            rows = _Rows.of(self, codes[block])
            for c1 in range(K):
                for c2 in range(K):
                    if c1 != c2:
                        found[block, c1, c2] = _least(rows, c1, c2, self.range)
        return found


@dataclass(frozen=True)
class _Rows:
    """For the slow, obvious way, bisection on the slope of all rows of a block at once.

    Holds the counts of the rows' values by class, and which values are known.
    """

    model: Dominance
    n: Floats  # (rows, m, K): n_j(a_j, c)
    seen: Bools  # (rows, m): the value is not missing

    @classmethod
    def of(cls, model: Dominance, codes: Ints) -> _Rows:
        return cls(model, model.padded.values[model.padded.starts + codes], codes >= 0)

    def value(self, c1: int, c2: int, x: Floats) -> Floats:
        """The logarithm of the ratio, with a separate x for each row."""
        rows, y = self.model.counts.classes, self.model.s - x
        first, second = self._counts_of(c1, c2)
        value = feature_values(self.seen, first, second, x, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(rows[c1] + y) - np.log(rows[c2] + x) + value
        vanishes = (self.seen & (first[0] <= 0)).any(axis=1)
        return np.where(vanishes, -np.inf, value)

    def slope(self, c1: int, c2: int, x: Floats) -> Floats:
        """The slope of ``value`` in x."""
        rows, y = self.model.counts.classes, self.model.s - x
        slope = feature_slopes(self.seen, *self._counts_of(c1, c2), x, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            return -1 / (rows[c1] + y) - 1 / (rows[c2] + x) + slope

    def _counts_of(self, c1: int, c2: int) -> tuple[_ClassCounts, _ClassCounts]:
        known = self.model.padded.known
        n1 = self.n[:, :, c1] + self.model.s * self.model.floor
        return (n1, known[:, c1]), (self.n[:, :, c2], known[:, c2])


def feature_values(
    seen: Bools, first: _ClassCounts, second: _ClassCounts, x: Floats, y: Floats
) -> Floats:
    """The part of the features in the log ratio, summed for each row.

    ``first`` and ``second`` are the counts of the two classes: of the row's value of each feature,
    (rows, m), and of the rows in which the feature is known, (m,).
    """
    (n1, total1), (n2, total2) = first, second
    at, to = x[:, None], y[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        possible = seen & (n1 > 0)
        known = seen & (total2 > 0)  # a feature never known with the class gives log(x / x) = 0
        f = np.where(possible, np.log(n1) - np.log(total1 + to), 0.0)
        f = f + np.where(known, np.log(total2 + at) - np.log(n2 + at), 0.0)
        return f.sum(axis=1)


def feature_slopes(
    seen: Bools, first: _ClassCounts, second: _ClassCounts, x: Floats, y: Floats
) -> Floats:
    """The slope of ``feature_values`` in x, where y falls as x rises."""
    (n1, total1), (n2, total2) = first, second
    at, to = x[:, None], y[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(seen & (n1 > 0), 1 / (total1 + to), 0.0)
        slope = slope + np.where(seen & (total2 > 0), 1 / (total2 + at) - 1 / (n2 + at), 0.0)
        return slope.sum(axis=1)


def _least(rows: _Rows, c1: int, c2: int, ends: tuple[float, float]) -> Floats:
    n = len(rows.n)
    low, high = np.full(n, ends[0]), np.full(n, ends[1])
    for _ in range(80):
        middle = (low + high) / 2
        falls = rows.slope(c1, c2, middle) < 0
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    values = [rows.value(c1, c2, x) for x in ((low + high) / 2, low, high)]
    return np.fmin.reduce([np.full(n, np.inf), *values])
