"""Some rows of probabilities, and what several rewards need of them, each computed once.

The probabilities lie class by class, because operations on whole columns are several times as fast
as operations along short rows.  A block of rows fits the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from wager._tables import RowUnits
from wager._typing import Bools, Floats, Ints
from wager.predictions import TopKProbabilities
from wager.rewards._block_sums import BlockParts, block_parts
from wager.rewards._listed_block import ListedBlock
from wager.rewards._probability_rows import ProbabilityRows
from wager.rewards._true_class import TrueClassBlock

_NUMBERS = 1 << 17  # probabilities in a block


class ProbabilityBlock(TrueClassBlock):
    """Rows of probabilities with their true classes, and what rewards have in common.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        The probabilities.
    truth : ndarray of int, shape (n_rows,)
        The codes of the true classes.
    units : RowUnits, optional
        What the rows count for.

    Examples
    --------
    >>> block = ProbabilityBlock(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([1, 1]))
    >>> block.true_p.tolist(), block.largest.tolist(), block.is_right.tolist()
    ([0.5, 0.8], [0.5, 0.8], [False, True])
    """

    def __init__(self, proba: Floats, truth: Ints, units: RowUnits | None = None) -> None:
        self.columns: Floats = np.ascontiguousarray(proba.T)  # one row per class
        self.truth = truth
        self.units = RowUnits() if units is None else units
        self._clipped: dict[float, ProbabilityBlock] = {}

    @classmethod
    def split(
        cls, rows: ProbabilityRows, *, whole: bool = False
    ) -> Iterator[ProbabilityBlock | ListedBlock]:
        """The rows in blocks, or in a single one; listed probabilities have their own blocks.

        Parameters
        ----------
        rows : ProbabilityRows
            The rows.
        whole : bool, default=False
            Whether all rows are one block.
        """
        if isinstance(rows.proba, TopKProbabilities):
            yield from ListedBlock.split(rows.proba, rows.truth, rows.units)
            return
        n_rows, n_classes = rows.proba.shape
        step = max(1, n_rows if whole else _NUMBERS // max(1, n_classes))
        for start in range(0, n_rows, step):
            part = slice(start, start + step)
            yield cls(rows.proba[part], rows.truth[part], rows.units.take(part))

    @property
    def proba(self) -> Floats:
        """The probabilities, shape (n_rows, n_classes)."""
        return self.columns.T

    def clipped(self, clip: float | None) -> ProbabilityBlock:
        """The same rows with probabilities within [clip, 1 - clip]."""
        if clip is None:
            return self
        if clip not in self._clipped:
            proba = np.clip(self.columns, clip, 1 - clip).T
            self._clipped[clip] = ProbabilityBlock(proba, self.truth, self.units)
        return self._clipped[clip]

    @cached_property
    def true_place(self) -> Ints:
        """The place of each row's true class among all numbers of `columns`."""
        return self.truth * len(self.truth) + np.arange(len(self.truth))

    @cached_property
    def _parts(self) -> BlockParts:
        return block_parts(self.columns, self.truth)

    @property
    def true_p(self) -> Floats:
        """The probability of the true class."""
        return self._parts.true_p

    @cached_property
    def log_others(self) -> Floats:
        """The sum over the wrong classes of log(1 - p).

        One logarithm is enough for all of them: their product cannot underflow, because at most
        one factor can be close to 0 when the probabilities sum to 1.
        """
        return np.log(self._parts.others)

    def weighted_log_others(self, weights: Floats) -> Floats:
        """The sum over the wrong classes of a weight of the class times log(1 - p)."""
        others = self.columns.copy()
        others.ravel()[self.true_place] = 0
        return np.asarray(weights @ np.log1p(-others))

    @cached_property
    def sum_of_squares(self) -> Floats:
        """The sum over all classes of the squared probability."""
        return np.asarray(np.einsum("ij,ij->j", self.columns, self.columns))

    @property
    def largest(self) -> Floats:
        """The largest probability."""
        return self._parts.largest

    @property
    def is_right(self) -> Bools:
        """Whether the class of the largest probability, the first of equal ones, is true."""
        return self._parts.is_right
