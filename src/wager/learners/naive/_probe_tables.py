"""Tables for the naive credal classifier: counts, and the log ratio of two classes at three priors.

The loops of ``_tangents`` read these tables; ``_ratio`` explains the log ratio f(x).
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from wager._jit import as_lists, entry, logarithm
from wager._tables import Counts
from wager._typing import Floats, Ints
from wager.learners.naive._log_tables import pad, padded_starts

__all__ = ["PaddedCounts", "ProbeTables", "RowCounts"]


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
    """The counts that the ratio of two classes needs for one row, for kernels."""

    n_value: Any  # by feature and class: training rows with the row's value of the feature
    n_known: Any  # by feature and class: training rows in which the feature is known
    n_class: Any  # by class
    observed: Any  # whether the row's value of each feature is known


class ProbeTables(NamedTuple):
    """f and its slope at three values of x, in parts to be summed over the features of a row.

    At each probe there are four parts with one number per class: f and its slope as the first class
    of a pair, then f and its slope as the second.  Counts have one dimension, for kernels.
    """

    lines: Floats  # (padded lines, 3 * 4 * K): the parts of each feature value
    first: Any  # 3 * 4 * K numbers: the parts of the class itself
    probes: Any  # both ends of the range of x, and the middle
    values: Any  # the fields of ``PaddedCounts``
    known: Any
    classes: Any
    starts: Any
    s: float
    floor: float  # added to the counts of the first class

    @classmethod
    def of(cls, counts: PaddedCounts, probes: Floats, s: float, floor: float) -> ProbeTables:
        n_classes = len(counts.classes)
        lines, first = np.zeros(12 * counts.values.size), np.empty(12 * n_classes)
        flat = counts._replace(values=counts.values.ravel(), known=counts.known.ravel())
        work = STEP * 3 * counts.values.size
        fill_tables(flat, probes, s, floor, lines, first, work=work)
        return cls(
            lines.reshape(-1, first.size),
            first,
            probes,
            flat.values,
            flat.known,
            flat.classes,
            flat.starts,
            s,
            floor,
        )


STEP = 3e-6  # seconds of plain Python for a number at a probe


def _fill_lists(
    counts: PaddedCounts, probes: Floats, s: float, floor: float, lines: Floats, first: Floats
) -> None:
    of_lines, of_first = as_lists(lines), as_lists(first)
    fill_by_loop(as_lists(counts), as_lists(probes), s, floor, of_lines, of_first)
    lines[:], first[:] = of_lines, of_first


def fill_by_loop(counts, probes, s, floor, lines, first):
    """Fill the parts of every feature value and class at the probes."""
    n_classes = len(counts.classes)
    for p in range(3):
        x = probes[p]
        y = s - x
        for c in range(n_classes):
            to, at = counts.classes[c] + y, counts.classes[c] + x
            part = 4 * p * n_classes + c
            first[part] = logarithm(to)
            first[part + n_classes] = 1 / to if to > 0 else inf
            first[part + 2 * n_classes] = -logarithm(at)
            first[part + 3 * n_classes] = -1 / at if at > 0 else -inf
            for j in range(len(counts.starts)):
                total = counts.known[j * n_classes + c]
                log_to, log_at = logarithm(total + y), logarithm(total + x)
                begin = counts.starts[j]
                for line in range(begin, begin + counts.n_values[j] + 1):
                    n = counts.values[line * n_classes + c]
                    cell = 12 * line * n_classes + part
                    if n + floor > 0:
                        lines[cell] = logarithm(n + floor) - log_to
                        lines[cell + n_classes] = -1 / (total + y)
                    else:
                        lines[cell] = -inf
                    # a feature never known with the second class contributes log(x / x) = 0
                    if total > 0 and n + x > 0:
                        lines[cell + 2 * n_classes] = log_at - logarithm(n + x)
                        lines[cell + 3 * n_classes] = 1 / (total + x) - 1 / (n + x)
                    elif total > 0:
                        lines[cell + 2 * n_classes] = inf
                        lines[cell + 3 * n_classes] = -inf


fill_tables = entry(fill_by_loop, plain=_fill_lists, label="the naive credal classifier")
