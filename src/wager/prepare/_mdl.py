"""Cut points that separate the classes, by the minimum description length (MDL) principle.

Fayyad & Irani (1993): choose the cut that leaves the least class entropy, accept it if the gain
exceeds the cost of encoding it, and continue in both parts.  Kononenko (1995) computes the cost of
the same cut by counting: the classes of n rows cost the choice of their frequencies and of their
order.

Entropies are sums of x ln x over integers, looked up in a table and added in a fixed order (class
by class, left part first), because the last bit decides between equally good cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

from wager._jit import entry
from wager._typing import Floats, Ints

LN2 = log(2.0)


@dataclass(frozen=True)
class MDLRule:
    """The rule that accepts a cut.

    ``distinct`` counts the candidate positions instead of the rows minus one (Weka's better
    encoding); ``kononenko`` uses Kononenko's cost instead of Fayyad and Irani's.
    """

    distinct: bool = False
    kononenko: bool = False


def mdl_cuts(values: Floats, y: Ints, n_classes: int, rule: MDLRule) -> Floats:
    """The cuts of one numeric column, ascending.

    Parameters
    ----------
    values : ndarray of shape (n,)
        NaN is missing and ignored.
    y : ndarray of shape (n,)
        Class codes.

    Examples
    --------
    >>> values = np.arange(20.0)
    >>> mdl_cuts(values, (values > 11).astype(int), 2, MDLRule()).tolist()
    [11.5]
    """
    known = ~np.isnan(values)
    if not known.all():
        values, y = values[known], y[known]
    order = np.argsort(values)
    return cuts_of_sorted(values[order], y[order], n_classes, rule)


def mdl_cuts_of_counts(low: Floats, high: Floats, table: Ints, rule: MDLRule) -> Floats:
    """The cuts of a numeric column of which the values, or fine bins, are counted by class.

    They are those of `mdl_cuts` on the rows that were counted, to the last bit, except that no cut
    lies within a bin.

    Parameters
    ----------
    low, high : ndarray of shape (D,)
        The least and the largest number of each line of the table, ascending.
    table : ndarray of int, shape (D, K)
        The counts by class.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> table = np.array([[9, 0], [9, 0], [0, 9], [0, 9]])
    >>> mdl_cuts_of_counts(values, values, table, MDLRule()).tolist()
    [2.5]
    """
    xlogx = _Logarithms()
    cuts = []
    waiting = [(0, len(table))]
    while waiting:
        lo, hi = waiting.pop()
        if hi - lo < 2:
            continue
        below = np.cumsum(table[lo:hi], axis=0)
        before = below[-1]
        entropy = _entropy(before, xlogx)
        place, least = _least_entropy(below[:-1], before, xlogx)
        if not least < entropy:
            continue
        positions = hi - lo - 1 if rule.distinct else before.sum() - 1
        if rule.kononenko:
            accepted = _pays_by_counting(before, below[place], positions)
        else:
            gain = entropy - least
            accepted = _pays_by_entropy(before, below[place], positions, entropy, gain, xlogx)
        if accepted:
            middle = lo + place + 1
            cuts.append((high[middle - 1] + low[middle]) / 2)
            waiting += [(lo, middle), (middle, hi)]
    return np.sort(np.array(cuts, dtype=np.float64))


class _Logarithms:
    """x ln x of any counts, for which a table of all numbers up to the rows would be too large."""

    def __getitem__(self, counts: Any) -> Any:
        return xlogy(counts, counts)


def cuts_of_sorted(values: Floats, y: Ints, n_classes: int, rule: MDLRule) -> Floats:
    """The cuts of a sorted column without missing values."""
    whole = np.arange(len(values) + 1.0)
    xlogx = xlogy(whole, whole)
    cuts = []
    waiting = [(0, len(values))]
    while waiting:
        lo, hi = waiting.pop()
        if hi - lo < 2 or values[lo] == values[hi - 1]:
            continue
        before = np.bincount(y[lo:hi], minlength=n_classes)
        entropy = _entropy(before, xlogx)
        at, least, candidates = _best_cut(
            values[lo:hi], y[lo:hi], before, xlogx, entropy, work=2e-8 * (hi - lo) * n_classes
        )
        if at < 0:
            continue
        middle = lo + at + 1
        left = np.bincount(y[lo:middle], minlength=n_classes)
        positions = candidates if rule.distinct else hi - lo - 1
        if rule.kononenko:
            accepted = _pays_by_counting(before, left, positions)
        else:
            accepted = _pays_by_entropy(before, left, positions, entropy, entropy - least, xlogx)
        if accepted:
            cuts.append((values[middle - 1] + values[middle]) / 2)
            waiting += [(lo, middle), (middle, hi)]
    return np.sort(np.array(cuts, dtype=np.float64))


def _entropy(counts: Ints, xlogx: Any) -> float:
    """Class entropy in bits."""
    total = 0.0
    for count in counts:
        total -= xlogx[count]
    n = counts.sum()
    return float((total + xlogx[n]) / (n * LN2))


def _pays_by_entropy(
    before: Ints, left: Ints, positions: int, entropy: float, gain: float, xlogx: Any
) -> bool:
    """Fayyad & Irani (1993): the gain exceeds the cost of the position and of the two parts."""
    right = before - left
    k, k_left, k_right = (np.count_nonzero(part) for part in (before, left, right))
    delta = log(3.0**k - 2) / LN2 - (
        k * entropy - k_right * _entropy(right, xlogx) - k_left * _entropy(left, xlogx)
    )
    return gain > (log(positions) / LN2 + delta) / before.sum()


def _pays_by_counting(before: Ints, left: Ints, positions: int) -> bool:
    """Kononenko (1995): one part costs more bits than two parts and the position of the cut."""
    k = int(np.count_nonzero(before))
    together = _bits_of_classes(before, k)
    apart = _bits_of_classes(left, k) + _bits_of_classes(before - left, k)
    return together > log(positions) / LN2 + apart


def _bits_of_classes(counts: Ints, k: int) -> float:
    """The bits that encode k frequencies with sum n, and the order of the n classes."""
    n = counts.sum()
    frequencies = gammaln(n + k) - gammaln(k) - gammaln(n + 1)
    order = gammaln(n + 1) - gammaln(counts + 1).sum()
    return float((frequencies + order) / LN2)


def _best_cut_by_tables(
    values: Floats, y: Ints, before: Ints, xlogx: Floats, entropy: float
) -> tuple[int, float, int]:
    places = np.flatnonzero(values[:-1] < values[1:])
    below = np.column_stack([np.cumsum(y == c)[places] for c in range(len(before))])
    best, least = _least_entropy(below, before, xlogx)
    at = int(places[best]) if least < entropy else -1
    return at, least, len(places)


@entry(plain=_best_cut_by_tables, label="cuts of numeric columns")
def _best_cut(values, y, before, xlogx, entropy):
    """The first row after which a cut leaves the least entropy below ``entropy``, or -1.

    Returns the row, the remaining entropy, and the number of places where the value changes.
    """
    n = len(values)
    n_classes = len(before)
    left = np.zeros(n_classes, dtype=np.int64)
    scale = n * LN2
    least = entropy
    at = -1
    candidates = 0
    for i in range(n - 1):
        left[y[i]] += 1
        if values[i] < values[i + 1]:
            candidates += 1
            total = 0.0  # the order of the additions decides ties: see the module's docstring
            for c in range(n_classes):
                total += xlogx[left[c]]
            total -= xlogx[i + 1]
            for c in range(n_classes):
                total += xlogx[before[c] - left[c]]
            total -= xlogx[n - i - 1]
            rest = -total / scale
            if rest < least:
                least = rest
                at = i
    return at, least, candidates


def _least_entropy(below: Ints, before: Ints, xlogx: Any) -> tuple[int, float]:
    """The first of the candidate cuts that leaves the least entropy, and this entropy.

    Parameters
    ----------
    below : ndarray of int, shape (candidates, K)
        The counts by class of the rows below each cut.
    before : ndarray of int, shape (K,)
        The counts of all rows.
    """
    n = before.sum()
    rows = below.sum(axis=1)
    total = np.zeros(len(below))  # the order of the additions decides ties, as in the loop
    for c in range(len(before)):
        total += xlogx[below[:, c]]
    total -= xlogx[rows]
    for c in range(len(before)):
        total += xlogx[before[c] - below[:, c]]
    total -= xlogx[n - rows]
    rest = -total / (n * LN2)
    best = int(rest.argmin())
    return best, float(rest[best])
