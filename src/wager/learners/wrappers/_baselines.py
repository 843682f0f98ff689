"""Baselines that know nothing: one predicts all classes, the others guess.

Zaffalon, Corani & Mauá (2012), Section 2: every credal classifier has a K-random counterpart, which
picks a class uniformly from the set that the credal one predicts.  The counterpart of the vacuous
classifier is the random classifier.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wager._doc_links import DocumentedEstimator
from wager._tables import labels_for_fit, read_table
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.learners._base import TableClassifier
from wager.learners.wrappers._inner import adopt, inner_tags, new_copy
from wager.predictions import ProbabilityIntervals

__all__ = ["KRandom", "RandomClass", "Vacuous"]


class _ClassesOnly(TableClassifier):
    """Learns only which classes there are."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the names of the classes.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Only its shape is used.
        y : array-like of shape (n,)
            The class labels.
        """
        self._read_labels(y, read_table(self, X, reset=True).shape[0])
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        tags.classifier_tags.poor_score = True
        return tags


class _Guesser(ABC):
    """A classifier that draws one class for each row."""

    classes_: Array

    def predict(self, X: Any) -> Array:
        """A random class for each row.

        Parameters
        ----------
        X : table as for ``fit``
        """
        drawn = self._draw(X)
        return self.classes_[drawn]

    def predict_set(self, X: Any) -> Bools:
        """The set of the drawn class only, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as for ``fit``
        """
        drawn = self._draw(X)
        return np.arange(len(self.classes_)) == drawn[:, None]

    @abstractmethod
    def _draw(self, X: Any) -> Ints:
        """The code of the class drawn for each row."""


class Vacuous(_ClassesOnly):
    """Always predict the set of all classes.

    The features are not used; the prediction is always right and never informative.

    Use it to see what admitting ignorance is worth: under a risk-averse utility it earns more than
    `RandomClass`.

    Parameters
    ----------
    classes : array-like, optional
        The declared classes; by default those that occur (or a pandas column's categories).
    empty_classes : {"keep", "drop"}, default="keep"
        Whether a declared class without any training row is kept.

    Notes
    -----
    ``predict``, which has to return one class, returns the first.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 3.

    Examples
    --------
    >>> Vacuous().fit([[0], [0]], ["a", "b"]).predict_set([[0]]).tolist()
    [[True, True]]
    """

    def __init__(self, *, classes: ArrayLike | None = None, empty_classes: str = "keep"):
        self.classes = classes
        self.empty_classes = empty_classes

    def predict_set(self, X: Any) -> Bools:
        """All classes for every row, a boolean matrix of shape (n, K).

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        """
        rows = self._read_rows(X).shape[0]
        return np.ones((rows, len(self.classes_)), dtype=bool)

    def predict_proba(self, X: Any) -> Floats:
        """The same probability for every class.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        """
        everything = self.predict_set(X)
        return everything / everything.shape[1]

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The interval from 0 to 1 for every class.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        """
        everything = self.predict_set(X).astype(np.float64)
        return ProbabilityIntervals(0 * everything, everything, classes=self.classes_)


class RandomClass(_Guesser, _ClassesOnly):
    """Pick one of the classes at random, each with the same probability.

    The features are not used.

    Use it as the lower end of the scale: a classifier that earns no more has learned nothing.

    Parameters
    ----------
    random_state : int, RandomState or None
        With an integer, predictions for the same table are the same every time.
    classes, empty_classes
        Declared classes, as for ``Vacuous``.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 3.

    Examples
    --------
    >>> guesser = RandomClass(random_state=0).fit([[0], [0]], ["a", "b"])
    >>> guesser.predict_set([[0], [0]]).sum(axis=1).tolist()  # one class per row
    [1, 1]
    """

    def __init__(
        self,
        *,
        random_state: Any = None,
        classes: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.random_state = random_state
        self.classes = classes
        self.empty_classes = empty_classes

    def _draw(self, X: Any) -> Ints:
        rows = self._read_rows(X).shape[0]
        return check_random_state(self.random_state).randint(len(self.classes_), size=rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


class KRandom(DocumentedEstimator, _Guesser, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Pick one class at random from the set that a set-valued classifier predicts.

    Its expected accuracy is the discounted accuracy of that classifier, with more variance.  If a
    set is empty, any class may be picked.

    Use it as the rival that a set-valued classifier must be better than: both earn the same on
    average, but this one takes more risk.

    Parameters
    ----------
    estimator : classifier with ``predict_set``
        It is cloned, never modified.
    random_state : int, RandomState or None
        With an integer, predictions for the same table are the same every time.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 3.

    Examples
    --------
    >>> guesser = KRandom(Vacuous(), random_state=0).fit([[0], [0], [1]], ["a", "b", "b"])
    >>> guesser.predict_set([[0], [0]]).sum(axis=1).tolist()  # one class per row
    [1, 1]
    """

    def __init__(self, estimator: Any, *, random_state: Any = None):
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the set-valued classifier.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        y : array-like of shape (n,)
            The class labels.
        """
        if not hasattr(self.estimator, "predict_set"):
            raise ValueError(
                f"KRandom picks a class from predicted sets, but "
                f"{type(self.estimator).__name__} has no predict_set: wrap it, for instance in "
                "OptimalSets"
            )
        self.estimator_ = new_copy(self.estimator).fit(X, labels_for_fit(y))
        adopt(self, self.estimator_)
        return self

    def _draw(self, X: Any) -> Ints:
        check_is_fitted(self)
        sets = np.asarray(self.estimator_.predict_set(X), dtype=bool)
        sets = sets | ~sets.any(axis=1, keepdims=True)  # from an empty set any class is drawn
        which = check_random_state(self.random_state).random_sample(len(sets)) * sets.sum(axis=1)
        return (sets.cumsum(axis=1) > np.floor(which)[:, None]).argmax(axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = inner_tags(super().__sklearn_tags__(), self.estimator)
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        return tags
