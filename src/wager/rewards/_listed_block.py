"""Some rows of probabilities that are listed for a few of many classes, as rewards need them.

The classes that are not listed are all alike, so each sum over classes is a sum over the list and
one term for all others.  `ListedBlock` answers the same questions as `ProbabilityBlock`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import RowUnits, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.predictions import TopKBlock, TopKProbabilities
from wager.rewards._true_class import TrueClassBlock


class ListedBlock(TrueClassBlock):
    """Rows of listed probabilities with their true classes.

    Parameters
    ----------
    listed : TopKBlock
        The probabilities.
    truth : ndarray of int, shape (n_rows,)
        The codes of the true classes.
    units : RowUnits, optional
        What the rows count for.

    Examples
    --------
    >>> proba = TopKProbabilities([["a"], ["b"]], [[0.5], [0.8]], ["a", "b", "c"])
    >>> block = next(ListedBlock.split(proba, np.array([1, 1])))
    >>> block.true_p.tolist(), block.largest.tolist(), block.is_right.tolist()
    ([0.25, 0.8], [0.5, 0.8], [False, True])
    """

    def __init__(self, listed: TopKBlock, truth: Ints, units: RowUnits | None = None) -> None:
        self.listed = listed
        self.truth = truth
        self.units = RowUnits() if units is None else units
        self._clipped: dict[float, ListedBlock] = {}

    @classmethod
    def split(
        cls, proba: TopKProbabilities, truth: Ints, units: RowUnits | None = None
    ) -> Iterator[ListedBlock]:
        """All rows in blocks."""
        for block in proba.blocks():
            part = None if units is None else units.take(block.rows)
            yield cls(block, truth[block.rows], part)

    def pieces(self) -> Iterator[tuple[slice, Floats]]:
        """The matrix of all probabilities, some rows at a time."""
        for rows in row_blocks(len(self), self.listed.n_classes):
            yield rows, self.listed.take(np.arange(rows.start, rows.stop)).dense()

    def clipped(self, clip: float | None) -> ListedBlock:
        """The same rows with probabilities within [clip, 1 - clip]."""
        if clip is None:
            return self
        if clip not in self._clipped:
            given = self.listed
            proba = np.where(given.codes < 0, 0.0, np.clip(given.proba, clip, 1 - clip))
            block = replace(given, proba=proba, share=np.clip(given.share, clip, 1 - clip))
            self._clipped[clip] = ListedBlock(block, self.truth, self.units)
        return self._clipped[clip]

    @cached_property
    def is_true(self) -> Bools:
        """Which of the listed classes is true."""
        return self.listed.codes == self.truth[:, None]

    @cached_property
    def true_p(self) -> Floats:
        """The probability of the true class."""
        return self.listed.of(self.truth)

    @cached_property
    def log_others(self) -> Floats:
        """The sum over the wrong classes of log(1 - p)."""
        others = np.where(self.is_true, 1.0, 1 - self.listed.proba)
        unlisted = self.listed.n_classes - self.listed.n_listed - ~self.is_true.any(axis=1)
        return np.log(np.multiply.reduce(others, axis=1)) + self._of_unlisted(unlisted)

    def weighted_log_others(self, weights: Floats) -> Floats:
        """The sum over the wrong classes of a weight of the class times log(1 - p)."""
        each = np.where(self.listed.codes < 0, 0.0, weights[self.listed.codes])
        others = np.where(self.is_true, 0.0, each) * np.log1p(
            -np.where(self.is_true, 0.0, self.listed.proba)
        )
        unlisted = weights.sum() - each.sum(axis=1)
        unlisted -= np.where(self.is_true.any(axis=1), 0.0, weights[self.truth])
        none = self.listed.n_classes - self.listed.n_listed - ~self.is_true.any(axis=1) == 0
        return others.sum(axis=1) + self._of_unlisted(np.where(none, 0.0, unlisted))

    def _of_unlisted(self, times: Any) -> Floats:
        """So many times log(1 - p) of a class that is not listed; 0 if there is none."""
        return np.where(times == 0, 0.0, times * np.log1p(-self.listed.share))

    @cached_property
    def sum_of_squares(self) -> Floats:
        """The sum over all classes of the squared probability."""
        squares = np.einsum("ij,ij->i", self.listed.proba, self.listed.proba)
        unlisted = self.listed.n_classes - self.listed.n_listed
        return squares + unlisted * self.listed.share**2

    @cached_property
    def largest(self) -> Floats:
        """The largest probability."""
        return self.listed.largest()

    @cached_property
    def is_right(self) -> Bools:
        """Whether the class of the largest probability, the first of equal ones, is true."""
        return self.listed.named() == self.truth
