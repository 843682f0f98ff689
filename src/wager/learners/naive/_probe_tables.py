"""Tables for the naive credal classifier: counts, and the log ratio of two classes at three priors.

The loops of ``_tangents`` read these tables; ``_ratio`` explains the log ratio f(x).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._jit import compiled
from wager._tables import Counts
from wager._typing import Bools, Floats, Ints
from wager.learners.naive._log_tables import pad, padded_starts

__all__ = ["PaddedCounts", "ProbeTables", "RowCounts", "fill_tables"]


class PaddedCounts(NamedTuple):
    """Counts as floating point numbers, with a line of zeros for values that were not seen."""

    values: Floats  # (padded lines, K): n_j(a, c)
    known: Floats  # (m, K): n_j(c)
    classes: Floats  # (K,): n(c)
    starts: Ints  # (m,): the line of each feature's first value
    n_values: Ints  # (m,)

    @classmethod
    def of(cls, counts: Counts) -> PaddedCounts:
        values = counts.values.astype(float)
        zeros = np.zeros((len(counts.n_values), values.shape[1]))
        return cls(
            pad(values, zeros, counts.n_values),
            counts.observed.astype(float),
            counts.classes.astype(float),
            padded_starts(counts.n_values),
            counts.n_values,
        )


class RowCounts(NamedTuple):
    """The counts that the ratio of two classes needs for one row."""

    n_value: Floats  # (m, K): training rows of each class with the row's value of feature j
    n_known: Floats  # (m, K): training rows of each class in which feature j is known
    n_class: Floats  # (K,)
    observed: Bools  # (m,): whether the row's value of feature j is known


class ProbeTables(NamedTuple):
    """f and its slope at three values of x, in parts to be summed over the features of a row.

    At each probe there are four parts with one number per class: f and its slope as the first class
    of a pair, then f and its slope as the second.
    """

    lines: Floats  # (padded lines, 3 * 4 * K): the parts of each feature value
    first: Floats  # (3 * 4 * K,): the parts of the class itself
    probes: Floats  # (3,): both ends of the range of x, and the middle
    counts: PaddedCounts
    s: float
    floor: float  # added to the counts of the first class

    @classmethod
    def of(cls, counts: PaddedCounts, probes: Floats, s: float, floor: float) -> ProbeTables:
        n_classes = len(counts.classes)
        lines = np.zeros((len(counts.values), 3, 4, n_classes))
        first = np.empty((3, 4, n_classes))
        (compiled(fill_tables) or fill_tables)(counts, probes, s, floor, lines, first)
        parts = lines.reshape(len(lines), first.size), first.ravel()
        return cls(*parts, probes, counts, s, floor)


def fill_tables(counts, probes, s, floor, lines, first):
    """Fill the parts of every feature value and class at the probes; compiled by ``compiled``."""
    for p in range(3):
        x = probes[p]
        y = s - x
        for c in range(len(counts.classes)):
            to, at = counts.classes[c] + y, counts.classes[c] + x
            first[p, 0, c] = np.log(to)
            first[p, 1, c] = 1 / to if to > 0 else np.inf
            first[p, 2, c] = -np.log(at)
            first[p, 3, c] = -1 / at if at > 0 else -np.inf
            for j in range(len(counts.starts)):
                total = counts.known[j, c]
                log_to = np.log(total + y)
                log_at = np.log(total + x)
                begin = counts.starts[j]
                for line in range(begin, begin + counts.n_values[j] + 1):
                    n = counts.values[line, c]
                    if n + floor > 0:
                        lines[line, p, 0, c] = np.log(n + floor) - log_to
                        lines[line, p, 1, c] = -1 / (total + y)
                    else:
                        lines[line, p, 0, c] = -np.inf
                    # a feature never known with the second class contributes log(x / x) = 0
                    if total > 0 and n + x > 0:
                        lines[line, p, 2, c] = log_at - np.log(n + x)
                        lines[line, p, 3, c] = 1 / (total + x) - 1 / (n + x)
                    elif total > 0:
                        lines[line, p, 2, c] = np.inf
                        lines[line, p, 3, c] = -np.inf
