"""Conformal prediction sets around any probabilistic classifier; MAPIE does the calibration.

A part of the rows is kept from the estimator.  How badly it fares on them tells how many classes
must be named to hold the true one with probability ``1 - alpha``, whatever the estimator is worth.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from wager._tables import read_class_labels
from wager._typing import Array, Bools, Floats, Ints
from wager.learners.wrappers._adaptive_sets import HeadSums
from wager.learners.wrappers._base import SetWrapper, adopt
from wager.predictions import check_probabilities, encode_labels

__all__ = ["Conformal"]

METHODS = ("lac", "aps", "raps")


class Conformal(SetWrapper):
    """Predict sets that hold the true class with a probability of at least ``1 - alpha``.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.  Around a ``FrozenEstimator`` all rows of ``fit`` calibrate.
    alpha : float in (0, 1), default=0.1
        How often a set may miss the true class.
    method : {"lac", "aps", "raps"}, default="lac"
        "lac" keeps the classes whose probability reaches a threshold: the smallest sets on
        average, some of them empty.  "aps" adds the most probable classes until their sum reaches
        a threshold; "raps" charges a price for every class beyond the first few, which it learns
        from a part of the calibration rows.
    calibration_size : float in (0, 1), default=0.3
        The share of the rows that calibrates; drawn at random.
    include_last : bool or "randomized", default=True
        With "aps" and "raps": whether the class that passes the threshold belongs to the set, or
        does so by lot, which makes the coverage exact and a few sets empty.
    mondrian : bool, default=False
        With "lac": calibrate class by class, so that every class is covered as often as promised.
    allow_empty : bool, default=True
        Whether a set may be empty.  If not, the most probable class stands for an empty one; the
        sets then hold the true class at least as often as they did.
    random_state : int, RandomState or None
        Draws the calibration rows, and the lots of "aps" and "raps".

    Attributes
    ----------
    estimator_ : classifier
        The clone, fitted on the other rows.
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    n_calibration_ : int
        The number of calibration rows.

    Notes
    -----
    Needs MAPIE: ``pip install wager[conformal]``.  With fewer calibration rows than ``1 / alpha``
    or ``1 / (1 - alpha)`` no threshold is found, and every class is kept.  ``predict_proba`` is the
    estimator's; ``predict`` names the most probable class of the set, or of all if it is empty.

    References
    ----------
    Sadinle, Lei & Wasserman (2019) for "lac", Romano, Sesia & Candès (2020) for "aps",
    Angelopoulos, Bates, Malik & Jordan (2021) for "raps".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Conformal(GaussianNB(), alpha=0.05, calibration_size=0.4, random_state=0).fit(X, y)
    >>> model.predict_set(X[[0, 70]]).tolist()  # of the second iris it is not sure
    [[True, False, False], [False, True, True]]
    """

    def __init__(
        self,
        estimator: Any,
        alpha: float = 0.1,
        method: str = "lac",
        *,
        calibration_size: float = 0.3,
        include_last: bool | str = True,
        mondrian: bool = False,
        allow_empty: bool = True,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.method = method
        self.calibration_size = calibration_size
        self.include_last = include_last
        self.mondrian = mondrian
        self.allow_empty = allow_empty
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a clone of the estimator to some rows, and calibrate its sets on the others.

        Parameters
        ----------
        X : table as the estimator takes it
        y : array-like of shape (n,)
        **fit_params
            Passed on to the estimator's ``fit``.
        """
        self._check_arguments()
        X, y = indexable(X, y)
        _, found = read_class_labels(self, y, _num_samples(X))
        rng = check_random_state(self.random_state)
        learn, calibrate = self._split(_num_samples(X), rng)
        params = _check_method_params(X, fit_params, indices=learn)  # a weight for each row, say
        self.estimator_ = clone(self.estimator).fit(
            _safe_indexing(X, learn), _safe_indexing(y, learn), **params
        )
        adopt(self, self.estimator_)
        self._check_fitted_estimator()
        if not np.isin(found, self.classes_).all():  # one of which calibration has the only rows
            self.classes_ = np.union1d(self.classes_, found)
        proba = self.predict_proba(_safe_indexing(X, calibrate))
        codes, _ = encode_labels(_safe_indexing(y, calibrate), self.classes_, name="y")
        self.n_calibration_ = len(codes)
        self._calibrators = self._calibrate(proba, codes, rng.randint(2**31 - 1))
        return self

    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        proba = self.predict_proba(X)
        parts = [self._sets(calibrator, proba) for calibrator in self._calibrators]
        sets = parts[0]
        if self.mondrian:
            sets = np.column_stack([of_class[:, c] for c, of_class in enumerate(parts)])
        if not self.allow_empty:
            empty = np.flatnonzero(~sets.any(axis=1))
            sets[empty, proba[empty].argmax(axis=1)] = True
        return sets

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities that the estimator gives; 0 for a class that it was not shown.

        Parameters
        ----------
        X : table as the estimator takes it

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        check_is_fitted(self)
        given = check_probabilities(self.estimator_.predict_proba(X))
        given = given / given.sum(axis=1, keepdims=True)
        if given.shape[1] == len(self.classes_):
            return given
        proba = np.zeros((len(given), len(self.classes_)))
        proba[:, np.searchsorted(self.classes_, self.estimator_.classes_)] = given
        return proba

    def _split(self, rows: int, rng: Any) -> tuple[Array, Array]:
        """The rows to learn from and those to calibrate on, each in their order."""
        if isinstance(self.estimator, FrozenEstimator):
            return np.arange(min(rows, 1)), np.arange(rows)
        held = round(rows * self.calibration_size)
        if not 0 < held < rows:
            raise ValueError(
                f"n_samples={rows} with calibration_size={self.calibration_size} leaves "
                f"{rows - held} rows to learn from and {held} to calibrate on: both need one"
            )
        order = rng.permutation(rows)
        return np.sort(order[held:]), np.sort(order[:held])

    def _calibrate(self, proba: Floats, codes: Ints, seed: int) -> list[Any]:
        """One calibrator for all rows, or one for the rows of each class."""
        if not self.mondrian:
            return [self._calibrator(proba, codes, seed)]
        of_class = (codes == c for c in range(proba.shape[1]))
        return [self._calibrator(proba[rows], codes[rows], seed) for rows in of_class]

    def _calibrator(self, proba: Floats, codes: Ints, seed: int) -> Any:
        """MAPIE's calibrator, or ours for two classes; None with too few rows for a threshold."""
        if proba.shape[1] == 2 and self.method == "raps":
            raise ValueError(
                "with two classes there is no class to charge for, got method='raps': take 'aps'"
            )
        if len(codes) < max(1 / self.alpha, 1 / (1 - self.alpha)):
            return None
        if self.method == "aps" and len(np.unique(codes)) <= 2:
            return HeadSums.calibrated(proba, codes, self.alpha, seed)
        calibrator = _split_conformal()(
            _Given(proba.shape[1]),
            confidence_level=1 - self.alpha,
            conformity_score=self.method,
            prefit=True,
            random_state=seed,
        )
        try:
            with warnings.catch_warnings():  # it warns of classes without a calibration row
                warnings.simplefilter("ignore", UserWarning)
                calibrator.conformalize(proba, codes)
            self._sets(calibrator, proba[:1])
        except ValueError as problem:
            raise ValueError(
                f"method={self.method!r} cannot be calibrated on these {len(codes)} rows of "
                f"{len(np.unique(codes))} classes ({' '.join(str(problem).split())}): give it "
                "more rows, or take method='lac'"
            ) from None
        return calibrator

    def _sets(self, calibrator: Any, proba: Floats) -> Bools:
        if calibrator is None:
            return np.ones(proba.shape, dtype=bool)
        if isinstance(calibrator, HeadSums):
            return calibrator.sets(proba, self.include_last)
        options = {"include_last_label": self.include_last}
        return calibrator.predict_set(proba, conformity_score_params=options)[1][:, :, 0]

    def _check_arguments(self) -> None:
        _split_conformal()
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {self.alpha!r}")
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        if not 0 < self.calibration_size < 1:
            raise ValueError(
                f"calibration_size is a share of the rows, 0 to 1, got {self.calibration_size!r}"
            )
        if self.include_last not in (True, False, "randomized"):
            raise ValueError(
                f"include_last must be True, False or 'randomized', got {self.include_last!r}"
            )
        if self.mondrian and self.method != "lac":
            raise ValueError(
                f"class by class MAPIE calibrates method='lac' alone, got {self.method!r}"
            )


class _Given(ClassifierMixin, BaseEstimator):
    """Stands for the fitted estimator before MAPIE: the rows are its probabilities."""

    def __init__(self, n_classes: int):
        self.n_classes = n_classes

    @property
    def classes_(self) -> Ints:
        return np.arange(self.n_classes)

    def fit(self, X: Floats, y: Ints) -> Self:
        return self

    def predict_proba(self, X: Floats) -> Floats:
        return X

    def predict(self, X: Floats) -> Ints:
        return X.argmax(axis=1)


def _split_conformal() -> Any:
    try:
        from mapie.classification import SplitConformalClassifier
    except ImportError:
        raise ImportError("Conformal needs MAPIE: pip install wager[conformal]") from None
    return SplitConformalClassifier
