"""Wrappers that train their estimator on some rows and calibrate it on the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params, _num_samples

from wager._tables import encode_labels, real_number, union_labels
from wager._typing import Array, Floats, Ints
from wager._visible import brief
from wager.learners.wrappers._inner import adopt, new_copy
from wager.predictions import check_probabilities

__all__ = ["CalibratedMixin", "with_weight"]


class CalibratedMixin:
    """A wrapper that sets a random part of the rows aside; it comes before the base class."""

    estimator: Any
    calibration_size: float
    estimator_: Any
    classes_: Array
    n_calibration_: int
    _check_fitted_estimator: Any

    def _fit_and_hold_out(
        self, X: Any, y: Any, found: Array, fit_params: dict[str, Any], rng: Any
    ) -> tuple[Floats, Ints]:
        """Fit the estimator; the probabilities and the true classes of the calibration rows."""
        learn, calibrate = self._split(_num_samples(X), rng)
        calibrate = with_weight(calibrate, fit_params)
        if not len(calibrate):
            raise ValueError(
                "the sample_weight of all calibration rows is 0: give some of them a weight"
            )
        params = _check_method_params(X, fit_params, indices=learn)  # such as weights of the rows
        self.estimator_ = new_copy(self.estimator).fit(
            _safe_indexing(X, learn), _safe_indexing(y, learn), **params
        )
        adopt(self, self.estimator_)
        self._check_fitted_estimator()
        self._add_classes(found)  # a class may occur only in calibration rows
        proba = self._proba_by(self.estimator_, _safe_indexing(X, calibrate))
        codes, _ = encode_labels(_safe_indexing(y, calibrate), self.classes_, name="y")
        self.n_calibration_ = len(codes)
        return proba, codes

    def _proba(self, X: Any) -> Floats:
        return self._proba_by(self.estimator_, X)

    def _proba_by(self, model: Any, X: Any) -> Floats:
        """A model's probabilities; 0 for a class that it was not trained on."""
        given = check_probabilities(model.predict_proba(X))
        given = given / given.sum(axis=1, keepdims=True)
        if np.array_equal(model.classes_, self.classes_):
            return given
        places, _ = encode_labels(model.classes_, self.classes_, name="classes_ of a model")
        proba = np.zeros((len(given), len(self.classes_)))
        proba[:, places] = given
        return proba

    def _add_classes(self, found: Array) -> None:
        """Add classes that the estimator does not know; without any its order is kept."""
        if not np.isin(found, self.classes_).all():
            self.classes_ = union_labels(self.classes_, found)

    def _split(self, rows: int, rng: Any) -> tuple[Array, Array]:
        """The rows for training and those for calibration, both in ascending order."""
        if isinstance(self.estimator, FrozenEstimator):
            return np.arange(min(rows, 1)), np.arange(rows)
        n_calibration = round(rows * self.calibration_size)
        if not 0 < n_calibration < rows:
            raise ValueError(
                f"n_samples={rows} with calibration_size={self.calibration_size} leaves "
                f"{rows - n_calibration} rows for training and {n_calibration} for calibration: "
                "both need at least one"
            )
        order = rng.permutation(rows)
        return np.sort(order[n_calibration:]), np.sort(order[:n_calibration])

    def _check_calibration_size(self) -> None:
        if not 0 < real_number(self.calibration_size, "calibration_size") < 1:
            raise ValueError(
                "calibration_size must be a share of the rows between 0 and 1, got "
                f"{brief(self.calibration_size)}"
            )


def with_weight(rows: Ints, fit_params: dict[str, Any]) -> Ints:
    """The rows that have a weight, if weights are given: one without is as good as none."""
    weight = fit_params.get("sample_weight")
    return rows if weight is None else rows[np.asarray(weight)[rows] != 0]
