"""Sets from an estimator, also when it stands at the end of a pipeline or inside a search."""

from __future__ import annotations

from typing import Any

from wager._typing import Bools


def predict_set(estimator: Any, X: Any) -> Bools:
    """The sets of a fitted estimator; a pipeline or a search passes the call on to its last step.

    scikit-learn's ``Pipeline`` and ``GridSearchCV`` pass on the methods they know, and
    ``predict_set`` is not among them.

    Parameters
    ----------
    estimator : estimator with ``predict_set``, or a Pipeline or search that ends in one
    X : as the estimator takes it

    Returns
    -------
    bool ndarray of shape (n_rows, n_classes), columns in the order of ``classes_``

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
        "wrap it in one of wager.learners that predict sets"
    )
