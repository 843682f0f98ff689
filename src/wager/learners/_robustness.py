"""How robust a prediction is: the largest strength at which it stays a single class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from wager._typing import Floats, Ints

__all__ = ["CodedRobustnessMixin", "RobustMixin"]


class RobustMixin(ABC):
    """A set-valued classifier with a strength, which says up to where a prediction is single."""

    @abstractmethod
    def robustness(self, X: Any) -> Floats:
        """The largest strength at which the prediction of each row stays the same single class.

        A large value means that the data alone decide; a small one that a slightly more cautious
        model would name several classes.  It does not depend on the strength of the fitted model,
        except for what was learned with it (the splits of a tree, the neighbours of a lazy
        classifier).  The value is exact: at it the prediction is single, and beyond it no longer.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n,)
            0 where the prediction is not a single class at any strength, however small; infinity
            where it is single at every strength.
        """


class CodedRobustnessMixin(RobustMixin):
    """A classifier of codes, which computes the robustness of rows block by block."""

    _code_blocks: Callable[[Any], tuple[int, Iterator[tuple[slice, Ints]]]]

    def robustness(self, X: Any) -> Floats:
        """The largest strength at which the prediction of each row stays the same single class.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n,)
            0 where the prediction is not a single class at any strength, however small; infinity
            where it is single at every strength.
        """
        n, blocks = self._code_blocks(X)
        found = np.empty(n)
        for rows, codes in blocks:
            found[rows] = self._largest_strengths(codes)
        return found

    @abstractmethod
    def _largest_strengths(self, codes: Ints) -> Floats:
        """The robustness of rows that are given as codes."""
