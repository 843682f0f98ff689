"""Correlation-based feature selection: features that predict the class but not each other.

Hall (1999).  The merit of a set of features is the sum of their symmetric uncertainties with the
class, divided by the square root of (their number plus twice the sum of the symmetric
uncertainties between them).  A best-first search goes forward from the empty set.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from wager._doc_links import DocumentedEstimator
from wager._tables import (
    Schema,
    is_frame,
    is_one_of,
    read_class_labels,
    read_table,
    real_number,
    select_columns,
)
from wager._typing import Bools, Floats, Ints
from wager._visible import brief
from wager.prepare._uncertainty import TINY, symmetric_uncertainties

__all__ = ["CfsSelector"]

_TERMS = 1_000_000  # correlations that are summed at a time
IMPROVEMENT = 1e-5  # a subset must be better by more than this to become the best


class CfsSelector(DocumentedEstimator, SelectorMixin, BaseEstimator):
    """Select the nominal features that are correlated with the class but not with each other.

    Parameters
    ----------
    locally_predictive : bool, default=True
        After the search, also add features, the most correlated with the class first: a feature is
        added if no selected feature is more correlated with it than the class is.
    missing : {"share", "value"}, default="share"
        Whether rows with a missing value are distributed over the known values, or "missing" is a
        separate value.
    zero_pair : {1, 0}, default=1
        The correlation of two features that are uncorrelated: 1 treats them as redundant, which
        reproduces the published results; 0 is the paper's definition.
    stale : int, default=5
        Stop after this many expansions in a row without improvement; also the largest number of
        subsets that wait for expansion.

    Attributes
    ----------
    support_ : ndarray of bool
        The selected features.
    merit_ : float
        The merit of the subset that the search found, before locally predictive features are added.
    n_evaluated_ : int
        The number of merits that were computed.
    class_correlations_ : ndarray of float32
        Symmetric uncertainty of each feature with the class.

    Notes
    -----
    Features must be nominal: discretize numbers first.  Correlations are kept in single precision,
    so that near-ties are decided as in Weka.  The selection may be empty; the output then has no
    column.

    Examples
    --------
    >>> X = np.array([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]])
    >>> CfsSelector(locally_predictive=False).fit(X, [0, 0, 1, 1]).get_support().tolist()
    [True, False, False]
    """

    def __init__(
        self,
        *,
        locally_predictive: bool = True,
        missing: str = "share",
        zero_pair: int = 1,
        stale: int = 5,
    ):
        self.locally_predictive = locally_predictive
        self.missing = missing
        self.zero_pair = zero_pair
        self.stale = stale

    def fit(self, X: Any, y: Any) -> Self:
        """Search for the best subset of features.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Nominal features.
        y : array-like of shape (n,)
            The class labels.
        """
        if not is_one_of(self.missing, ("share", "value")):
            raise ValueError(f"missing must be 'share' or 'value', got {brief(self.missing)}")
        if real_number(self.zero_pair, "zero_pair") not in (0, 1):
            raise ValueError(f"zero_pair must be 0 or 1, got {brief(self.zero_pair)}")
        if not (isinstance(self.stale, int | np.integer) and self.stale >= 1):
            raise ValueError(f"stale must be an integer of at least 1, got {brief(self.stale)}")
        table = read_table(self, X, reset=True)
        labels, classes = read_class_labels(self, y, table.shape[0])
        schema = Schema.of(table)
        correlations = Correlations(
            np.column_stack([schema.codes(table, known=True), labels]),
            np.append(schema.n_values, len(classes)),
            self.missing == "share",
            float(self.zero_pair),
        )
        search = BestFirst(correlations, self.stale)
        chosen, self.merit_ = search.run()
        self.n_evaluated_ = search.evaluated
        self.class_correlations_ = correlations.with_class
        if self.locally_predictive:
            chosen = add_locally_predictive(chosen, correlations)
        self.support_ = np.zeros(table.shape[1], dtype=bool)
        self.support_[list(chosen)] = True
        self.merit_of_selected_ = correlations.merit(chosen)
        return self

    def transform(self, X: Any) -> Any:
        """Keep the selected features, in a table of the same kind.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        """
        if not is_frame(X):
            return super().transform(X)
        check_is_fitted(self)
        read_table(self, X, reset=False)
        return select_columns(X, self.support_)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class Correlations:
    """Symmetric uncertainties in single precision; a feature's row is computed when needed."""

    def __init__(self, codes: Ints, n_values: Ints, share_missing: bool, zero_pair: float):
        self._codes = codes  # the class is the last column
        self._n_values = n_values
        self._share_missing = share_missing
        self._zero_pair = zero_pair
        n_features = len(n_values) - 1
        self._between = np.empty((n_features, n_features), dtype=np.float32)
        self._computed = np.zeros(n_features, dtype=bool)
        of_class = self._uncertainties(len(n_values) - 1)[:-1]
        self.with_class = np.where(np.abs(of_class) < TINY, 0.0, of_class).astype(np.float32)

    def _uncertainties(self, j: int) -> Floats:
        return symmetric_uncertainties(
            self._codes, self._n_values, j, share_missing=self._share_missing
        )

    def with_feature(self, j: int) -> Floats:
        """The correlation of every feature with feature j."""
        self._compute(j)
        return self._between[j].astype(np.float64)

    def _compute(self, j: int) -> None:
        if not self._computed[j]:
            row = self._uncertainties(j)[:-1]
            self._between[j] = np.where(np.abs(row) < TINY, self._zero_pair, row)
            self._computed[j] = True

    def merit(self, subset: tuple[int, ...]) -> float:
        """The merit of a set of features, given in ascending order; 0 for the empty set."""
        return float(self.merits(np.array([subset]))[0]) if subset else 0.0

    def merits(self, subsets: Ints) -> Floats:
        """The merits of sets of equally many features, one per row and in ascending order.

        Everything is summed from left to right, so that equal merits are equal to the last bit.
        """
        for i in np.unique(subsets[:, :-1]):
            self._compute(i)
        # for each feature in turn: a 1, and its correlations with the features before it
        later, place = np.tril_indices(subsets.shape[1])
        pair = place > 0
        merits = np.empty(len(subsets))
        step = max(1, _TERMS // len(place))
        for start in range(0, len(subsets), step):
            part = subsets[start : start + step]
            terms = np.ones((len(part), len(place)))
            terms[:, pair] = 2 * self._between[part[:, place[pair] - 1], part[:, later[pair]]]
            relevance = np.cumsum(self.with_class[part], axis=1, dtype=np.float64)[:, -1]
            merits[start : start + step] = relevance / np.sqrt(terms.cumsum(axis=1)[:, -1])
        return merits


@dataclass
class BestFirst:
    """Forward best-first search with a short list of subsets that wait for expansion."""

    correlations: Correlations
    stale: int
    evaluated: int = 0

    def __post_init__(self) -> None:
        self._n_features = len(self.correlations.with_class)
        self._known: set[tuple[int, ...]] = set()

    def run(self) -> tuple[tuple[int, ...], float]:
        """The best subset and its merit."""
        best: tuple[int, ...] = ()
        best_merit = 0.0
        waiting: list[tuple[float, tuple[int, ...]]] = [(-0.0, ())]  # by merit, descending
        stale = 0
        while stale < self.stale and waiting:
            _, head = waiting.pop(0)
            improved = False
            for child, merit in self._children(head):
                self._insert(waiting, merit, child)
                if merit - best_merit > IMPROVEMENT:
                    best, best_merit, improved, stale = child, merit, True, 0
            stale += not improved
        return best, best_merit

    def _insert(
        self, waiting: list[tuple[float, tuple[int, ...]]], merit: float, child: tuple[int, ...]
    ) -> None:
        """Insert after the subsets of equal merit; keep at most ``stale`` subsets."""
        if len(waiting) == self.stale:
            if merit <= -waiting[-1][0]:
                return
            waiting.pop()
        waiting.insert(bisect_right(waiting, -merit, key=lambda entry: entry[0]), (-merit, child))

    def _children(self, head: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], float]]:
        """The subsets with one more feature and their merits.

        Those that were not yet known are counted, and forgotten as in Weka, so that
        ``n_evaluated_`` agrees.
        """
        others = [j for j in range(self._n_features) if j not in head]
        if not others:
            return
        subsets = np.sort([(*head, j) for j in others], axis=1)
        merits = self.correlations.merits(subsets).tolist()
        for child, merit in zip(map(tuple, subsets.tolist()), merits, strict=True):
            if child not in self._known:
                self.evaluated += 1
                if len(self._known) > self._n_features + 1:
                    self._known.clear()
                self._known.add(child)
            yield child, merit


def add_locally_predictive(chosen: tuple[int, ...], correlations: Correlations) -> tuple[int, ...]:
    """Add each feature unless a selected one is more correlated with it than the class is."""
    selected = list(chosen)
    waiting = [j for j in range(len(correlations.with_class)) if j not in chosen]
    for j in sorted(waiting, key=lambda j: -correlations.with_class[j]):  # stable: first on ties
        rival = max((correlations.with_feature(i)[j] for i in selected), default=-np.inf)
        if not rival > correlations.with_class[j]:
            selected.append(j)
    return tuple(sorted(selected))
