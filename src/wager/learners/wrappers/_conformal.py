"""Conformal prediction sets around any probabilistic classifier, calibrated by MAPIE.

Some rows are not used to train the estimator.  The probabilities that it gives to their true
classes show how many classes must be predicted to contain the true one with probability
``1 - alpha``, however good the estimator is.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from wager._tables import encode_labels, is_one_of, labels_for_fit, read_class_labels, real_number
from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief
from wager.learners._base import check_option
from wager.learners._strengths import Strength
from wager.learners.wrappers._adaptive_sets import EPSILON, AdaptiveThreshold
from wager.learners.wrappers._base import SetWrapper
from wager.learners.wrappers._calibrated import CalibratedMixin, with_weight
from wager.learners.wrappers._cross_conformal import CrossScores
from wager.learners.wrappers._inner import adopt, new_copy

__all__ = ["Conformal"]

METHODS = ("lac", "aps", "raps")


class Conformal(CalibratedMixin, SetWrapper):
    """Predict sets that contain the true class with a probability of at least ``1 - alpha``.

    Rows that the estimator was not trained on show how large a score must be so that a class is
    kept.

    Use it if a guaranteed coverage is required; `coverage` and `mean_set_size` show what it costs.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.  With a ``FrozenEstimator``, all rows of ``fit`` are used for
        calibration.
    alpha : float in (0, 1), default=0.1
        The probability with which a set may miss the true class.
    method : {"lac", "aps", "raps"}, default="lac"
        "lac" keeps the classes whose probability reaches a threshold: the smallest sets on
        average, some of them empty.  "aps" adds the most probable classes until their sum reaches
        a threshold; "raps" adds a penalty for every class beyond the first few, which it learns
        from a part of the calibration rows.
    calibration_size : float in (0, 1), default=0.3
        The share of the rows that is used for calibration; they are drawn at random.
    cv : int or splitter of scikit-learn, optional
        With "lac": cross-conformal sets.  The estimator is trained once per fold, and all rows
        calibrate, each with the model that was not trained on it; ``LeaveOneOut()`` gives the
        jackknife+.  Better for few rows.  A set misses the true class with a probability of at most
        ``2 * alpha``, in practice about ``alpha``.
    include_last : bool or "randomized", default=True
        With "aps" and "raps": whether the class that passes the threshold belongs to the set.
        "randomized" decides at random, which makes the coverage exact and a few sets empty.
        False gives up the guarantee, and ``fit`` warns: in simulations with two or three classes
        and ``alpha=0.1``, sets of "aps" contained the true class in only 70 to 75% of cases.
    mondrian : bool, default=False
        With "lac": calibrate each class separately, so that every class has the coverage
        ``1 - alpha``.
    allow_empty : bool, default=True
        Whether a set may be empty.  If not, an empty set is replaced by the most probable class,
        which can only increase the coverage.
    random_state : int, RandomState or None
        Draws the calibration rows, and the random numbers of "aps" and "raps".

    Attributes
    ----------
    estimator_ : classifier
        The clone, fitted on the rows that are not used for calibration; on all rows with ``cv``.
    estimators_ : list of classifiers
        With ``cv``: the clones, each fitted on all rows but those of its fold.
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    n_calibration_ : int
        The number of calibration rows.

    Notes
    -----
    Needs MAPIE, except with ``cv``: ``pip install 'wager[conformal]'``.  With fewer calibration
    rows than ``1 / alpha`` or ``1 / (1 - alpha)`` there is no threshold, and every class is kept.
    Otherwise the sets of "lac" are the classes whose p-value (`predict_pvalues`) is above
    ``alpha``.
    ``predict_proba`` is that of the estimator, with 0 for a class that it was not trained on;
    ``predict`` returns the most probable class of the set, or of all classes if it is empty.

    References
    ----------
    Sadinle, Lei & Wasserman (2019) for "lac", Romano, Sesia & Candès (2020) for "aps",
    Angelopoulos, Bates, Malik & Jordan (2021) for "raps"; Barber, Candès, Ramdas & Tibshirani
    (2021) for the jackknife+ and ``cv``.

    Examples
    --------
    This example needs ``pip install 'wager[conformal]'``.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Conformal(GaussianNB(), alpha=0.05, calibration_size=0.4, random_state=0).fit(X, y)
    >>> model.predict_set(X[[0, 70]]).tolist()  # the second iris is ambiguous
    [[True, False, False], [False, True, True]]
    """

    def __init__(
        self,
        estimator: Any,
        alpha: float = 0.1,
        method: str = "lac",
        *,
        calibration_size: float = 0.3,
        cv: Any = None,
        include_last: bool | str = True,
        mondrian: bool = False,
        allow_empty: bool = True,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.method = method
        self.calibration_size = calibration_size
        self.cv = cv
        self.include_last = include_last
        self.mondrian = mondrian
        self.allow_empty = allow_empty
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a clone of the estimator to some rows, and calibrate its sets on the others.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        y : array-like of shape (n,)
            The class labels.
        **fit_params
            Passed on to the estimator's ``fit``.
        """
        self._check_arguments()
        self._warn_of_lost_coverage()
        X, y = indexable(X, labels_for_fit(y))
        _, found = read_class_labels(self, y, _num_samples(X))
        rng = check_random_state(self.random_state)
        if self.cv is not None:
            return self._fit_folds(X, y, found, fit_params)
        proba, codes = self._fit_and_hold_out(X, y, found, fit_params, rng)
        self._calibration = proba, codes, rng.randint(2**31 - 1)
        self._calibrators = self._calibrate(*self._calibration)
        return self

    def _fit_folds(self, X: Any, y: Any, found: Array, fit_params: dict[str, Any]) -> Self:
        """Fit one clone per fold, and one to all rows; every row calibrates."""
        self.estimator_ = new_copy(self.estimator).fit(X, y, **fit_params)
        adopt(self, self.estimator_)
        self._check_fitted_estimator()
        self._add_classes(found)
        codes, _ = encode_labels(y, self.classes_, name="y")
        self.estimators_, probas, truths = [], [], []
        for learn, rest in check_cv(self.cv, codes, classifier=True).split(X, codes):
            rest = with_weight(np.arange(len(codes))[rest], fit_params)  # a mask, too
            if not len(rest):
                continue
            params = _check_method_params(X, fit_params, indices=learn)
            model = new_copy(self.estimator).fit(
                _safe_indexing(X, learn), _safe_indexing(y, learn), **params
            )
            self.estimators_.append(model)
            probas.append(self._proba_by(model, _safe_indexing(X, rest)))
            truths.append(codes[rest])
        if not truths:
            raise ValueError("cv gives no split: pass a number of folds, such as cv=10")
        self.n_calibration_ = sum(map(len, truths))
        self._scores = CrossScores.of(probas, truths, len(self.classes_))
        return self

    def predict_pvalues(self, X: Any) -> Floats:
        """The conformal p-value of every class: how usual the row would be if it had the class.

        With the score s = 1 - p(class), the scores s_i of the n calibration rows and the score
        s(x, c) of class c::

            p(x, c) = (#{i : s_i >= s(x, c)} + 1) / (n + 1)

        The p-value of the true class is at most alpha with a probability of at most alpha, for
        every alpha (with ``cv``: of at most 2 alpha).  With ``mondrian``, only the rows of class c
        count.  Needs ``method="lac"``.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``

        See Also
        --------
        wager.metrics.pvalue_efficiency, wager.metrics.pvalue_uniformity

        References
        ----------
        Vovk, Gammerman & Shafer (2005), Section 2.2, without smoothing.

        Examples
        --------
        This example needs ``pip install 'wager[conformal]'``.

        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> model = Conformal(GaussianNB(), calibration_size=0.4, random_state=0).fit(X, y)
        >>> model.predict_pvalues(X[[0, 70]]).round(3)
        array([[1.   , 0.016, 0.016],
               [0.016, 0.082, 0.115]])
        """
        check_is_fitted(self)
        if self.method != "lac":
            raise ValueError(f"p-values need method='lac', got method={brief(self.method)}")
        if self.cv is not None:
            return self._scores.p_values(self._fold_probas(X), by_class=self.mondrian)
        proba, codes, _ = self._calibration
        scores = CrossScores.of([proba], [codes], proba.shape[1])
        # MAPIE keeps classes whose score exceeds the threshold by a rounding error
        return scores.p_values([self._proba(X) + EPSILON], by_class=self.mondrian)

    def robustness(self, X: Any) -> Floats:
        """The largest confidence level 1 - alpha at which at most one class is predicted.

        It is 1 minus the second largest p-value, which Shafer & Vovk (2008) call the confidence of
        the prediction.  Towards lower levels sets become smaller, and may be empty.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.

        Returns
        -------
        ndarray of shape (n,)
            0 where two classes have the largest p-value, so that no level names one of them alone;
            infinity if there is only one class.

        References
        ----------
        Shafer, G. & Vovk, V. (2008). A tutorial on conformal prediction. Journal of Machine
        Learning Research 9, Section 4.2.
        """
        p_values = self.predict_pvalues(X)
        if p_values.shape[1] == 1:
            return np.full(len(p_values), np.inf)
        second, largest = np.partition(p_values, -2, axis=1)[:, -2:].T
        return np.where(second < largest, 1 - second, 0.0)

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        return (Strength("alpha", tuple((np.arange(1, 51) / 100).tolist())),)

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """The sets for several values of alpha, from the same models and calibration rows."""
        proba, twin = self._proba(X), copy(self)
        folds = None if self.cv is None else self._fold_probas(X)
        found = []
        for value in values:
            twin.alpha = value
            twin._check_arguments()
            if folds is None:
                twin._calibrators = twin._calibrate(*self._calibration)
                found.append(twin._sets_of(proba))
            else:
                found.append(twin._cross_sets(folds, proba))
        return np.stack(found)

    def _fold_probas(self, X: Any) -> list[Floats]:
        return [self._proba_by(model, X) for model in self.estimators_]

    def _cross_sets(self, folds: list[Floats], proba: Floats) -> Bools:
        sets = self._scores.sets(folds, self.alpha, by_class=self.mondrian)
        return self._never_empty(sets, proba)

    def _sets(self, X: Any) -> Bools:
        proba = self._proba(X)
        if self.cv is not None:
            return self._cross_sets(self._fold_probas(X), proba)
        return self._sets_of(proba)

    def _sets_of(self, proba: Floats) -> Bools:
        parts = [self._calibrated_sets(calibrator, proba) for calibrator in self._calibrators]
        sets = parts[0]
        if self.mondrian:
            sets = np.column_stack([of_class[:, c] for c, of_class in enumerate(parts)])
        return self._never_empty(sets, proba)

    def _never_empty(self, sets: Bools, proba: Floats) -> Bools:
        """The same sets, with the most probable class in empty ones if these are not allowed."""
        if not self.allow_empty:
            empty = np.flatnonzero(~sets.any(axis=1))
            sets[empty, proba[empty].argmax(axis=1)] = True
        return sets

    def _calibrate(self, proba: Floats, codes: Ints, seed: int) -> list[Any]:
        """One calibrator for all rows, or one for the rows of each class."""
        if not self.mondrian:
            return [self._calibrator(proba, codes, seed)]
        of_class = (codes == c for c in range(proba.shape[1]))
        return [self._calibrator(proba[rows], codes[rows], seed) for rows in of_class]

    def _calibrator(self, proba: Floats, codes: Ints, seed: int) -> Any:
        """MAPIE's calibrator, or ours for two classes; None if there are too few rows."""
        if proba.shape[1] == 2 and self.method == "raps":
            raise ValueError("method='raps' needs more than two classes: use method='aps'")
        if len(codes) < max(1 / self.alpha, 1 / (1 - self.alpha)):
            return None
        if self.method == "aps" and len(np.unique(codes)) <= 2:
            return AdaptiveThreshold.calibrated(proba, codes, self.alpha, seed)
        calibrator = _split_conformal()(
            _Given(proba.shape[1]),
            confidence_level=1 - float(self.alpha),
            conformity_score=self.method,
            prefit=True,
            random_state=seed,
        )
        try:
            with warnings.catch_warnings():  # MAPIE warns of classes without a calibration row
                warnings.simplefilter("ignore", UserWarning)
                calibrator.conformalize(proba, codes)
            self._calibrated_sets(calibrator, proba[:1])
        except ValueError as problem:
            raise ValueError(
                f"method={self.method!r} cannot be calibrated on these {len(codes)} rows of "
                f"{len(np.unique(codes))} classes ({' '.join(str(problem).split())}): use more "
                "rows, or method='lac'"
            ) from None
        return calibrator

    def _calibrated_sets(self, calibrator: Any, proba: Floats) -> Bools:
        if calibrator is None:
            return np.ones(proba.shape, dtype=bool)
        if isinstance(calibrator, AdaptiveThreshold):
            return calibrator.sets(proba, self.include_last)
        options = {"include_last_label": self.include_last}
        return calibrator.predict_set(proba, conformity_score_params=options)[1][:, :, 0]

    def _check_arguments(self) -> None:
        if self.cv is None:
            _split_conformal()
        elif self.method != "lac":
            raise ValueError(f"cv needs method='lac', got method={brief(self.method)}")
        elif isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                "cv trains the estimator once per fold, but a FrozenEstimator is not "
                "trained again: give the estimator itself, or leave out cv"
            )
        if not 0 < real_number(self.alpha, "alpha") < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {brief(self.alpha)}")
        check_option("method", self.method, METHODS)
        self._check_calibration_size()
        if not isinstance(self.include_last, bool | np.bool_) and not is_one_of(
            self.include_last, ("randomized",)
        ):
            raise ValueError(
                f"include_last must be True, False or 'randomized', got {brief(self.include_last)}"
            )
        if self.mondrian and self.method != "lac":
            raise ValueError(f"mondrian=True needs method='lac', got method={brief(self.method)}")

    def _warn_of_lost_coverage(self) -> None:
        if self.method != "lac" and not self.include_last:
            warnings.warn(
                f"include_last=False gives up the guarantee that a set contains the true class "
                f"with probability {1 - self.alpha:g}: use include_last=True, or 'randomized' for "
                "smaller sets",
                UserWarning,
                stacklevel=3,
            )


class _Given(ClassifierMixin, BaseEstimator):
    """Replaces the fitted estimator inside MAPIE: the rows are its probabilities already."""

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
