"""The best sets for probabilities that are listed for a few of many classes.

The classes of a row in the order of decreasing probability are the listed ones above the share of
the others, then the others, which are all alike, and then the listed ones below it.  So the
probability ``P(s)`` of the s most probable classes follows from the list, and so does the value
``g(s) P(s)`` of the set that they form (see `_optimal_by_size`).  Usually no class that is not
listed is worth taking, which a bound shows at once.  In the other rows the sizes are divided into
blocks, and the same bound shows which few of them have to be looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats, Ints
from wager.predictions import (
    PredictionSets,
    TopKBlock,
    TopKProbabilities,
    check_memory,
    sets_of_members,
)

__all__ = ["best_listed_heads"]

_WIDEST = 256  # sizes of a block
_ROWS = 1 << 12  # rows whose blocks of sizes are compared together


class OrderedRows(NamedTuple):
    """The rows of a block in the order of decreasing probability.

    Attributes
    ----------
    codes, proba : ndarray of shape (n, k)
        The listed classes, the most probable first; the last places may have no class, and the
        probability -1.
    sums : ndarray of shape (n, k + 1)
        The probability of the first 0, 1, ... listed classes.
    above : ndarray of int, shape (n,)
        How many listed classes are more probable than those that are not listed.
    share : ndarray of shape (n,)
        The probability of each class that is not listed.
    others : ndarray of int, shape (n,)
        The number of classes that are not listed.
    """

    codes: Ints
    proba: Floats
    sums: Floats
    above: Ints
    share: Floats
    others: Ints

    @classmethod
    def of(cls, block: TopKBlock) -> OrderedRows:
        """The rows of a block."""
        codes, proba = _in_order(*block.descending(), block.share)
        sums = np.zeros((len(proba), proba.shape[1] + 1))
        np.cumsum(np.maximum(proba, 0.0), axis=1, out=sums[:, 1:])
        others = block.n_classes - block.n_listed
        above = (proba > np.where(others > 0, block.share, -1.0)[:, None]).sum(axis=1)
        return cls(codes, proba, sums, above, block.share, others)

    def take(self, rows: Ints) -> OrderedRows:
        """Some of the rows."""
        columns: Any = (column[rows] for column in self)
        return OrderedRows(*columns)

    def head(self, sizes: Ints) -> Floats:
        """The probability of the 1, 2, ... most probable classes, of shape (n, len(sizes))."""
        unlisted = np.clip(sizes - self.above[:, None], 0, self.others[:, None])
        listed = np.minimum(sizes - unlisted, self.sums.shape[1] - 1)
        return np.take_along_axis(self.sums, listed, axis=1) + unlisted * self.share[:, None]

    def most(self, gain: Any, product: Any) -> Floats:
        """The most that sizes can be worth, from the largest gain and the largest s times gain.

        ``P`` is concave, so it is nowhere above the line that it follows where classes are taken
        that are not listed: ``P(s) = c + s q``.
        """
        at_zero = np.take_along_axis(self.sums, self.above[:, None], axis=1)
        at_zero -= (self.above * self.share)[:, None]
        return np.asarray(np.maximum(at_zero, 0.0) * gain + self.share[:, None] * product)


def best_listed_heads(proba: TopKProbabilities, gain: Floats) -> tuple[PredictionSets, Floats]:
    """The best set of each row, and by how much it is worth more than a miss.

    Parameters
    ----------
    proba : TopKProbabilities
        The probabilities.
    gain : ndarray of shape (K,)
        By how much a hit by a set of 1, ..., K classes is worth more than a miss; at least 0.

    Notes
    -----
    Ties go to the smaller set; classes of equal probability are taken in their order.
    """
    best, size = np.empty(len(proba)), np.empty(len(proba), dtype=np.intp)
    parts: list[Ints] = []
    n_members = 0
    for block in proba.blocks():
        rows = OrderedRows.of(block)
        size[block.rows], best[block.rows] = found, _ = _best_sizes(rows, gain)
        n_members += int(found[found < len(gain)].sum())
        check_memory(16 * n_members, "the members", *proba.shape)
        parts.append(_members(rows, found, len(gain)).astype(np.int32))
    whole = size == len(gain)
    lengths = np.where(whole, 0, size)
    sets = sets_of_members(np.concatenate(parts), lengths, proba.classes, whole, proba.source)
    return sets, best


def _in_order(codes: Ints, proba: Floats, share: Floats) -> tuple[Ints, Floats]:
    """Classes in the order of decreasing probability, by class where these differ by rounding."""
    gap, beside = proba[:, :-1] - proba[:, 1:], np.abs(proba - share[:, None])
    if not (((gap > 0) & (gap <= ROUNDING)).any() or ((beside > 0) & (beside <= ROUNDING)).any()):
        return codes, proba
    proba = np.where(beside <= ROUNDING, share[:, None], proba)
    begins = np.ones(proba.shape, dtype=bool)
    begins[:, 1:] = proba[:, :-1] - proba[:, 1:] > ROUNDING
    first = np.maximum.accumulate(np.where(begins, np.arange(proba.shape[1]), 0), axis=1)
    proba = np.take_along_axis(proba, first, axis=1)
    order = np.lexsort((codes, -proba), axis=1)
    return np.take_along_axis(codes, order, axis=1), np.take_along_axis(proba, order, axis=1)


def _best_sizes(rows: OrderedRows, gain: Floats) -> tuple[Ints, Floats]:
    """The size of the best set of each row, and its value."""
    few = np.arange(1, min(rows.codes.shape[1], len(gain)) + 1)
    values = gain[: len(few)] * rows.head(few)
    best = values.max(axis=1)
    rounding = ROUNDING * float(gain.max())
    size = (values >= best[:, None] - rounding).argmax(axis=1) + 1
    larger = np.arange(len(few) + 1, len(gain) + 1)
    if len(larger):
        at_most = rows.most(gain[larger - 1].max(), (larger * gain[larger - 1]).max())[:, 0]
        left = np.flatnonzero(at_most > best)
        for start in range(0, len(left), _ROWS):
            some = left[start : start + _ROWS]
            size[some], best[some] = _among_all(rows.take(some), values[some], gain, rounding)
    return size, best


def _among_all(
    rows: OrderedRows, values: Floats, gain: Floats, rounding: float
) -> tuple[Ints, Floats]:
    """The same among all sizes, given the values of the first ones."""
    first, last = _blocks_of_sizes(values.shape[1] + 1, len(gain))
    heads = rows.head(last)
    best = np.maximum(values.max(axis=1), (heads * gain[last - 1]).max(axis=1))
    at_most = rows.most(
        np.maximum.reduceat(gain, first - 1),
        np.maximum.reduceat(gain * np.arange(1, len(gain) + 1), first - 1),
    )
    for number, (low, high) in enumerate(zip(first, last, strict=True)):
        some = np.flatnonzero(at_most[:, number] > best)
        if len(some):
            found = _values(rows, some, gain, low, high)
            best[some] = np.maximum(best[some], found.max(axis=1))
    almost = best - rounding
    is_enough = values >= almost[:, None]
    size = np.where(is_enough.any(axis=1), is_enough.argmax(axis=1) + 1, 0)
    for number, (low, high) in enumerate(zip(first, last, strict=True)):
        some = np.flatnonzero((size == 0) & (at_most[:, number] >= almost))
        if len(some):
            is_enough = _values(rows, some, gain, low, high) >= almost[some, None]
            size[some] = np.where(is_enough.any(axis=1), low + is_enough.argmax(axis=1), 0)
    return size, best


def _values(rows: OrderedRows, some: Ints, gain: Floats, low: int, high: int) -> Floats:
    sizes = np.arange(low, high + 1)
    return gain[low - 1 : high] * rows.take(some).head(sizes)


def _blocks_of_sizes(low: int, high: int) -> tuple[Ints, Ints]:
    """The first and the last sizes of blocks; narrow ones first, where the gain changes quickly."""
    first = [low]
    while first[-1] + min(max(first[-1] // 16, 1), _WIDEST) <= high:
        first.append(first[-1] + min(max(first[-1] // 16, 1), _WIDEST))
    starts = np.array(first)
    return starts, np.append(starts[1:] - 1, high)


def _members(rows: OrderedRows, size: Ints, n_classes: int) -> Ints:
    """The ``size`` most probable classes of all rows end to end; none of a set of all classes."""
    place = np.arange(rows.codes.shape[1])
    beyond = np.flatnonzero((size > rows.above) & (size < n_classes))
    listed = place < np.where(size < n_classes, np.minimum(size, rows.above), 0)[:, None]
    if not len(beyond):
        return rows.codes[listed]
    row = np.nonzero(listed)[0]
    others, of_row = _beyond_listed(rows.take(beyond), size[beyond] - rows.above[beyond])
    row = np.concatenate([row, beyond[of_row]])
    codes = np.concatenate([rows.codes[listed], others])
    return codes[np.argsort(row, kind="stable")]


def _beyond_listed(rows: OrderedRows, n: Ints) -> tuple[Ints, Ints]:
    """The n classes that follow those above the others, and the row of each.

    First come the classes that are as probable as those not listed, in their order, and then the
    listed ones that are less probable.
    """
    is_listed = rows.codes >= 0
    n_classes = int(rows.others[0] + is_listed[0].sum())
    differs = is_listed & (rows.proba != rows.share[:, None])
    alike = np.minimum(n, n_classes - differs.sum(axis=1))
    row = np.repeat(np.arange(len(n)), alike)
    number = np.arange(len(row)) - np.repeat(np.cumsum(alike) - alike, alike)
    codes = number.copy()
    # the i-th of the excluded classes comes before the number-th other one if it is small enough
    place = np.arange(rows.codes.shape[1])
    none = n_classes + len(place)  # no class, and after all classes
    for i, excluded in enumerate(np.sort(np.where(differs, rows.codes, none), axis=1).T):
        codes += excluded[row] - i <= number
    below = rows.above + (is_listed & ~differs).sum(axis=1)
    last = (place >= below[:, None]) & (place < (below + n - alike)[:, None])
    return np.concatenate([codes, rows.codes[last]]), np.concatenate([row, np.nonzero(last)[0]])
