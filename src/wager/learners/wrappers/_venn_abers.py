"""Venn-Abers intervals of class probabilities, by the package venn-abers.

Isotonic regression makes probabilities of scores that rise with the class.  Venn-Abers prediction
fits it twice to the calibration rows and the new row: once as if the new row were not of the class,
once as if it were.  The two values are the ends of an interval, and one of them is perfectly
calibrated, however bad the scores are.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state, indexable
from sklearn.utils.validation import _num_samples

from wager._tables import labels_for_fit, read_class_labels
from wager._typing import Floats
from wager._visible import brief
from wager.credal import DecisionRule
from wager.learners.wrappers._base import CredalWrapper
from wager.learners.wrappers._calibrated import CalibratedMixin
from wager.predictions import ProbabilityIntervals

__all__ = ["VennAbers"]


class VennAbers(CalibratedMixin, CredalWrapper):
    """Calibrated probability intervals around any classifier, and the sets that they leave open.

    Rows that the estimator was not trained on turn its probability of a class into an interval
    [p0, p1]: p0 is the isotonic regression of the calibration rows with the new row as another
    class, p1 with it as this class.  A decision rule makes sets of the intervals.

    Use it if probabilities must be calibrated and it should show how well they are known: the
    fewer calibration rows are near, the wider the interval.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.  With a ``FrozenEstimator``, all rows of ``fit`` are used for
        calibration.
    calibration_size : float in (0, 1), default=0.3
        The share of the rows that is used for calibration; they are drawn at random.
    precision : int, default=9
        The number of decimals to which the probabilities of the estimator are rounded, so that no
        rounding error decides between two rows.  With 2 or 3, long calibration sets are faster.
    rule : str, default="maximality"
        The decision rule, as in `decide`.
    costs : CostMatrix or array-like of shape (K, K), optional
        The cost of predicting a class (row) when another is true (column); 0/1 by default.
    random_state : int, RandomState or None
        Draws the calibration rows.

    Attributes
    ----------
    estimator_ : classifier
        The clone, fitted on the rows that are not used for calibration.
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    n_calibration_ : int
        The number of calibration rows.

    Notes
    -----
    Needs the package venn-abers: ``pip install 'wager[venn]'``.  Calibration rows count alike,
    whatever their ``sample_weight``; those with weight 0 do not count.

    With more than two classes, each class is calibrated against all others.  Numbers between such
    ends need not sum to 1, so they are divided by their sum: the interval of a class is then
    ``[p0 / (p0 + sum of the other p1), p1 / (p1 + sum of the other p0)]``.  With two classes this
    changes nothing.

    ``predict_proba`` is ``p1 / (1 - p0 + p1)``, divided by its sum over the classes: with two
    classes it has the smallest possible regret under log loss.  ``predict`` returns the most
    probable class of the set, or with costs the cheapest one.

    References
    ----------
    Vovk, V. & Petej, I. (2014). Venn-Abers predictors. Uncertainty in Artificial Intelligence.

    Vovk, V., Petej, I. & Fedorova, V. (2015). Large-scale probabilistic predictors with and without
    guarantees of validity. NeurIPS, Algorithms 1 to 6 and Section 4.

    Manokhin, V. (2017). Multi-class probabilistic classification using inductive and cross
    Venn-Abers predictors. COPA.

    Examples
    --------
    This example needs ``pip install 'wager[venn]'``.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = VennAbers(GaussianNB(), random_state=0).fit(X, y)
    >>> found = model.predict_credal(X[[1, 73]])
    >>> found.lower.round(2).tolist(), found.upper.round(2).tolist()
    ([[0.96, 0.02], [0.0, 0.62]], [[0.98, 0.04], [0.38, 1.0]])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        calibration_size: float = 0.3,
        precision: int = 9,
        rule: DecisionRule = "maximality",
        costs: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.calibration_size = calibration_size
        self.precision = precision
        self.rule = rule
        self.costs = costs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a clone of the estimator to some rows, and calibrate it on the others.

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
        make = _calibrator()
        X, y = indexable(X, labels_for_fit(y))
        _, found = read_class_labels(self, y, _num_samples(X))
        rng = check_random_state(self.random_state)
        proba, codes = self._fit_and_hold_out(X, y, found, fit_params, rng)
        with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of slopes between equal points
            self._calibrators = [
                make().fit(self._against_rest(proba, c), (codes == c) * 1.0)
                for c in self._calibrated_classes()
            ]
        return self

    def _calibrated_classes(self) -> range:
        """The classes with a calibrator: of two classes, the second one is enough."""
        n_classes = len(self.classes_)
        return range(1, n_classes) if n_classes <= 2 else range(n_classes)

    def _against_rest(self, proba: Floats, c: int) -> Floats:
        """The probabilities of all other classes together, and of class c."""
        score = np.round(proba[:, c], self.precision)
        return np.column_stack([1 - score, score])

    def _bounds(self, X: Any) -> tuple[Floats, Floats]:
        """The two values p0 and p1 of every class."""
        given = self._proba_by(self.estimator_, X)
        if given.shape[1] == 1:
            return given, given
        pairs = [
            calibrator.predict_proba(self._against_rest(given, c))[1]
            for c, calibrator in zip(self._calibrated_classes(), self._calibrators, strict=True)
        ]
        # ratios of counts; rounded, so that equal ones are equal to the last bit
        low, high = (np.column_stack([p[:, end] for p in pairs]).round(12) for end in (0, 1))
        if given.shape[1] == 2:
            low, high = np.hstack([1 - high, low]), np.hstack([1 - low, high])
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def _credal(self, X: Any) -> ProbabilityIntervals:
        return ProbabilityIntervals(*_normalized(*self._bounds(X)), self.classes_)

    def _proba(self, X: Any) -> Floats:
        low, high = self._bounds(X)
        calibrated = high / (1 - low + high)
        return calibrated / calibrated.sum(axis=1, keepdims=True)

    def _check_arguments(self) -> None:
        self._check_calibration_size()
        if not (isinstance(self.precision, Integral) and self.precision >= 0):
            raise ValueError(
                f"precision must be a number of decimals, 0 or more, got {brief(self.precision)}"
            )


def _normalized(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The bounds of all vectors between the ends, divided by their sums.

    Examples
    --------
    >>> low, high = _normalized(np.array([[0.5, 0.2, 0.1]]), np.array([[0.6, 0.2, 0.2]]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([[0.556, 0.2, 0.111]], [[0.667, 0.25, 0.222]])
    """
    least, most = low.sum(axis=1, keepdims=True), high.sum(axis=1, keepdims=True)
    return low / (low + most - high), high / (high + least - low)


def _calibrator() -> Any:
    """The binary calibrator of the package, whose import changes NumPy's settings for warnings."""
    before = np.geterr()
    try:
        from venn_abers.venn_abers import VennAbers as Calibrator
    except ImportError:
        raise ImportError("VennAbers needs venn-abers: pip install wager[venn]") from None
    finally:
        np.seterr(**before)
    return Calibrator
