"""Nearest neighbours whose class counts are a small sample: the imprecise Dirichlet model.

Few neighbours say little about the class probabilities at a point.  With n(c) of k neighbours in
class c, and s more rows that could be of any class, the probability of c is between n(c) / (k + s)
and (n(c) + s) / (k + s).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from wager._doc_links import DocumentedEstimator
from wager._tables import (
    frame_names,
    in_memory,
    is_frame,
    is_one_of,
    read_class_labels,
    refuse_repeated_names,
    unmasked,
)
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief
from wager.learners._base import check_single, check_strength
from wager.learners._explain import CountExplanation, evidence_of
from wager.learners._robustness import RobustMixin
from wager.learners._set_valued import SetValuedMixin
from wager.learners._strengths import PRIOR_ROWS, Strength
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalNeighbors"]

_MISSING = "nan_euclidean"  # the distance that allows missing values
_LARGEST = 1e150  # of the features: squares of distances stay finite


class CredalNeighbors(
    DocumentedEstimator, RobustMixin, SetValuedMixin, ClassifierMixin, BaseEstimator
):
    """The k nearest neighbours vote, and s rows of unknown class vote against each answer.

    With n(c) of the k neighbours in class c, the imprecise Dirichlet model gives c a probability
    between n(c) / (k + s) and (n(c) + s) / (k + s).  A class is kept unless another one is more
    probable whatever the classes of the s rows: unless n(c) + s < n(d) for a class d.

    Use it for numeric features whose classes follow no simple model.

    Parameters
    ----------
    n_neighbors : int, default=15
        The number k of neighbours; all training rows if there are fewer.
    s : float, default=1
        How many rows the prior is worth: the larger, the more cautious.
    metric : str or callable, default="euclidean"
        The distance, as in scikit-learn's ``NearestNeighbors``; "nan_euclidean" allows missing
        values.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    n_features_in_ : int
        The number of features.

    Notes
    -----
    ``predict_proba`` spreads the s rows evenly over the K classes: (n(c) + s / K) / (k + s).
    ``predict`` returns the most probable class, the first one of several.  Scale the features
    first, since all of them count alike in the distance.  Of equally distant rows at the edge of a
    neighbourhood, scikit-learn chooses some.

    References
    ----------
    Walley, P. (1996). Inferences from multinomial data: learning about a bag of marbles. Journal of
    the Royal Statistical Society B 58.

    Destercke, S. (2012). A k-nearest neighbours method based on imprecise probabilities. Soft
    Computing 16; there, distances make neighbours imprecise as well.

    Examples
    --------
    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.3]], ["a", "a", "a", "b", "b", "b"]
    >>> model = CredalNeighbors(3, s=1).fit(X, y)
    >>> model.predict_set([[0.1], [0.62]]).tolist()
    [[True, False], [True, True]]
    >>> model.robustness([[0.1], [0.62]]).tolist()  # three votes to none, and two to one
    [3.0, 1.0]
    """

    classes_: Array
    _codes: Ints
    _index: NearestNeighbors

    def __init__(
        self,
        n_neighbors: int = 15,
        s: float = 1.0,
        *,
        metric: str | Callable[..., float] = "euclidean",
    ):
        self.n_neighbors = n_neighbors
        self.s = s
        self.metric = metric

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows, in a structure that finds neighbours fast.

        Parameters
        ----------
        X : array-like of shape (n, m)
            Numbers.
        y : array-like of shape (n,)
            The class labels.
        """
        if not (isinstance(self.n_neighbors, Integral) and self.n_neighbors >= 1):
            raise ValueError(
                f"n_neighbors must be a number of rows, 1 or more, got {brief(self.n_neighbors)}"
            )
        check_strength(self.s)
        table = self._table(X, reset=True)
        self._codes, self.classes_ = read_class_labels(self, y, len(table))
        self._index = NearestNeighbors(metric=self.metric).fit(table)
        return self

    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n, m)
        """
        return self._kept(self._counts(X), self.s)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, with the s rows spread evenly.

        Parameters
        ----------
        X : array-like of shape (n, m)

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        counts = self._counts(X)
        smoothed = counts + self.s / counts.shape[1]
        return smoothed / smoothed.sum(axis=1, keepdims=True)

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """Probability intervals of the classes, in the order of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n, m)
        """
        return ProbabilityIntervals.from_idm(self._counts(X), self.s, self.classes_)

    def robustness(self, X: Any) -> Floats:
        """The largest s at which one class is left: the lead of its votes over the second class.

        Parameters
        ----------
        X : array-like of shape (n, m)

        Returns
        -------
        ndarray of shape (n,)
            0 where two classes have the most votes; infinity if there is only one class.
        """
        return self._leads(self._counts(X))

    def explain_set(self, x: Any) -> CountExplanation:
        """Why one row has its predicted set: the votes of its neighbours.

        Parameters
        ----------
        x : array-like of shape (1, m)

        Returns
        -------
        CountExplanation
            ``print(str(...))`` says it in words; `plot_explanation` draws it.

        Examples
        --------
        >>> X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.3]], ["a", "a", "a", "b", "b", "b"]
        >>> found = CredalNeighbors(3, s=1).fit(X, y).explain_set([[0.62]])
        >>> found.pair, found.lead
        (('b', 'a'), 1.0)
        """
        counts = self._counts(x)
        check_single(len(counts))
        bounds = ProbabilityIntervals.from_idm(counts, self.s, self.classes_)
        k = int(counts.sum())
        named = "nearest neighbour has" if k == 1 else f"{k} nearest neighbours have"
        return CountExplanation(
            **evidence_of(
                self.classes_,
                counts[0],
                bounds.lower[0],
                bounds.upper[0],
                self._kept(counts, self.s)[0],
            ),
            s=float(self.s),
            robustness=float(self._leads(counts)[0]),
            source=f"The {named} these classes",
        )

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        return (Strength("s", PRIOR_ROWS),)

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        counts = self._counts(X)
        for value in values:
            check_strength(value)
        return np.stack([self._kept(counts, value) for value in values])

    def _counts(self, X: Any) -> Floats:
        """The classes of the nearest neighbours of each row, counted."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        k = min(int(self.n_neighbors), len(self._codes))
        near = self._codes[self._index.kneighbors(table, k, return_distance=False)]
        counts = np.zeros((len(table), len(self.classes_)))
        np.add.at(counts, (np.arange(len(table))[:, None], near), 1.0)
        return counts

    @staticmethod
    def _kept(counts: Floats, s: float) -> Bools:
        return counts + s >= counts.max(axis=1, keepdims=True)

    @staticmethod
    def _leads(counts: Floats) -> Floats:
        """By how many votes the first class leads the second; infinity if there is one class."""
        if counts.shape[1] == 1:
            return np.full(len(counts), np.inf)
        second, first = np.partition(counts, -2, axis=1)[:, -2:].T
        return first - second

    def _table(self, X: Any, reset: bool) -> Floats:
        X = in_memory(X)
        if is_frame(X):
            refuse_repeated_names(frame_names(X))
        finite: Any = "allow-nan" if is_one_of(self.metric, (_MISSING,)) else True
        try:
            with np.errstate(invalid="ignore"):  # the check adds up the numbers
                table = validate_data(
                    self, unmasked(X), reset=reset, dtype=np.float64, ensure_all_finite=finite
                )
        except OverflowError:
            raise ValueError("X must be numbers below 1e308") from None
        if np.fmax.reduce(np.abs(table), axis=None, initial=0.0) > _LARGEST:
            raise ValueError(f"X must be numbers below {_LARGEST:g}, whose distances have squares")
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_one_of(self.metric, (_MISSING,))
        return tags
