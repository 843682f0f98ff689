"""Prediction sets from an estimator, also at the end of a pipeline or inside a search."""

from __future__ import annotations

from typing import Any

from wager._typing import Bools


def predict_set(estimator: Any, X: Any) -> Bools:
    """The prediction sets of a fitted estimator, a pipeline or a search.

    scikit-learn's ``Pipeline`` and ``GridSearchCV`` do not forward ``predict_set`` to their last
    step or best estimator; this function does.

    Parameters
    ----------
    estimator : estimator
        One with ``predict_set``, or a ``Pipeline`` or search that ends in one.
    X : array-like
        What the estimator takes.

    Returns
    -------
    bool ndarray of shape (n_rows, n_classes)
        The columns are in the order of ``classes_``.

    Examples
    --------
    >>> class Everything:
    ...     def predict_set(self, X):
    ...         return [[True, True] for _ in X]
    >>> predict_set(Everything(), [0])
    [[True, True]]
    """
    if hasattr(estimator, "predict_set"):
        return estimator.predict_set(X)
    if hasattr(estimator, "best_estimator_"):
        return predict_set(estimator.best_estimator_, X)
    if hasattr(estimator, "steps"):
        return predict_set(estimator[-1], estimator[:-1].transform(X))
    raise ValueError(
        f"{type(estimator).__name__} has no predict_set: score its labels with scikit-learn, or "
        "wrap it in a set-valued classifier of wager.learners"
    )
