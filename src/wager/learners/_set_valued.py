"""Mixins for classifiers with ``predict_set``: how they choose when one class is required."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.costs import ExtendedCosts
from wager.credal import determinate_costs
from wager.learners._base import first_largest
from wager.learners._strengths import Strength
from wager.predictions import ProbabilityIntervals

__all__ = [
    "CodedSetsMixin",
    "CostSensitiveMixin",
    "SetValuedMixin",
    "cheapest_choice",
    "forced_choice",
    "single_class_costs",
]


class SetValuedMixin(ABC):
    """A classifier that may predict several classes; ``predict`` returns the most probable one."""

    classes_: Array
    predict_proba: Callable[[Any], Floats]

    @abstractmethod
    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``."""

    def predict(self, X: Any) -> Array:
        """A single class for each row: the most probable one of the predicted set.

        With costs, the class of the set that has the least expected cost under ``predict_proba``.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n,)
        """
        chosen = self._choose(self.predict_set(X), self.predict_proba(X))
        return self.classes_[chosen]  # after the calls, which refuse a model that is not fitted

    def _choose(self, sets: Bools, proba: Floats) -> Ints:
        return forced_choice(sets, proba)

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        """The parameters that make it more or less cautious, the usual one first."""
        return ()

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """``predict_set`` for ascending values of a parameter that ``fit`` does not use, (S, n, K).

        Learners that keep what all values share (codes, probabilities) do this faster.
        """
        twin = copy(self)
        found = []
        for value in values:
            setattr(twin, name, value)
            found.append(twin.predict_set(X))
        return np.stack(found)


class CostSensitiveMixin(SetValuedMixin):
    """A set-valued classifier with ``costs``; ``predict`` returns the cheapest class of the set."""

    costs: Any = None

    def _choose(self, sets: Bools, proba: Floats) -> Ints:
        return cheapest_choice(sets, proba, self.costs, self.classes_)


class CodedSetsMixin(SetValuedMixin):
    """A set-valued classifier of codes, which predicts them block by block."""

    _code_blocks: Callable[[Any], tuple[int, Iterator[tuple[slice, Ints]]]]
    _proba: Callable[[Ints], Floats]

    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``."""
        n, blocks = self._code_blocks(X)
        kept = np.empty((n, len(self.classes_)), dtype=bool)
        for rows, codes in blocks:
            kept[rows] = self._sets(codes)
        return kept

    def predict(self, X: Any) -> Array:
        """A single class for each row: the most probable one of the predicted set.

        With costs, the class of the set that has the least expected cost under ``predict_proba``.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n,)
        """
        n, blocks = self._code_blocks(X)
        predicted = np.empty(n, dtype=self.classes_.dtype)
        for rows, codes in blocks:
            predicted[rows] = self.classes_[self._choose(self._sets(codes), self._proba(codes))]
        return predicted

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """Posterior probability intervals of the classes, in the order of ``classes_``."""
        n, blocks = self._code_blocks(X)
        lower, upper = np.empty((2, n, len(self.classes_)))
        for rows, codes in blocks:
            part = self._intervals(codes)
            if len(codes) == n:
                return part
            lower[rows], upper[rows] = part.lower, part.upper
        return ProbabilityIntervals(lower, upper, self.classes_)

    def _all_codes(self, X: Any) -> Ints:
        """The codes of all rows, to decide about them more than once."""
        parts = [codes for _, codes in self._code_blocks(X)[1]]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @abstractmethod
    def _sets(self, codes: Ints) -> Bools:
        """The classes kept for rows that are given as codes."""

    @abstractmethod
    def _intervals(self, codes: Ints) -> ProbabilityIntervals:
        """The posterior intervals of rows that are given as codes."""


def forced_choice(sets: Bools, proba: Floats) -> Ints:
    """The position of the most probable class in each set, the first one if several are tied.

    An empty set is replaced by all classes.

    Examples
    --------
    >>> forced_choice(np.array([[False, True, True]]), np.array([[0.6, 0.1, 0.3]])).tolist()
    [2]
    """
    candidates = sets | ~sets.any(axis=1, keepdims=True)
    return first_largest(np.where(candidates, proba, -1.0))


def cheapest_choice(sets: Bools, proba: Floats, costs: Any, classes: Array) -> Ints:
    """The position of the class with the least expected cost in each set.

    Without costs this is the most probable class of the set.

    Examples
    --------
    >>> sets, proba = np.array([[True, True, False]]), np.array([[0.6, 0.4, 0.0]])
    >>> cheapest_choice(sets, proba, None, np.arange(3)).tolist()
    [0]
    >>> cheapest_choice(sets, proba, [[0, 9, 9], [1, 0, 9], [1, 1, 0]], np.arange(3)).tolist()
    [1]
    """
    matrix = determinate_costs(single_class_costs(costs), classes)
    if matrix is None:
        return forced_choice(sets, proba)
    unit = matrix.max() or 1.0  # what is cheapest must not depend on the unit of the costs
    return forced_choice(sets, 1.0 - proba @ matrix.T / unit)


def single_class_costs(costs: Any) -> Any:
    """The costs of single classes; those of an extension to sets are part of it."""
    return costs.determinate if isinstance(costs, ExtendedCosts) else costs
