"""How far the coverage given the features is from the promised one, by a classifier of hits.

If the probability of a hit depends on the features, a classifier can predict hits.  For a
classifier g of hits that was trained on other rows, the mean of sign(g(x) - c) (hit - c), with
c = 1 - alpha, is at most the mean of |P(hit | x) - c|, and equal to it if g(x) is on the right side
of c in every row (Braun, Holzmüller, Jordan & Bach, 2025: the excess risk of the target coverage,
ERT, for the L1 loss).
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from wager._tables import counted, frame_to_matrix, is_frame, require_whole, unmasked
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.predictions import size_and_hit
from wager.rewards._cell_sums import CellSums
from wager.rewards._count import CheckedRows, read_rows
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._registry import as_measure
from wager.rewards._strata import check_alpha


@overload
def conditional_coverage_error(
    y_true: ArrayLike, y_pred: Any, X: Any, alpha: float, *, return_estimate: Literal[True],
    estimator: Any = ..., cv: int = ..., random_state: int | None = ...,
    groups: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def conditional_coverage_error(
    y_true: ArrayLike, y_pred: Any, X: Any, alpha: float, *, return_estimate: Literal[False] = ...,
    estimator: Any = ..., cv: int = ..., random_state: int | None = ...,
    groups: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    greater_is_better=False,
    meaning="How far the coverage given the features is from the nominal coverage, as far as a "
    "classifier can predict misses.",
    formula="mean of sign(g(x) - (1 - alpha)) (hit - (1 - alpha)), where g(x) is the probability "
    "of a hit by a classifier that was trained on other rows",
    use="A lower bound of the mean distance |P(hit | x) - (1 - alpha)|: clearly above 0 if "
    "coverage depends on the features, around 0 or below if the classifier sees nothing.",
    source="Braun, Holzmüller, Jordan & Bach (2025), L1-ERT",
    range="about 0 (best) to max(alpha, 1 - alpha)",
    aliases=("ert", "excess_risk_of_the_target_coverage"),
)
def conditional_coverage_error(
    y_true: ArrayLike,
    y_pred: Any,
    X: Any,
    alpha: float,
    *,
    estimator: Any = None,
    cv: int = 5,
    random_state: int | None = 0,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """How far coverage given the features is from 1 - alpha, as far as a classifier can tell.

    Parameters
    ----------
    y_true, y_pred, classes
        As in `discounted_accuracy`.
    X : array-like or frame of shape (n_rows, n_features)
        The features, in a form that `estimator` takes.
    alpha : float
        The nominal share of misses, in [0, 1].
    estimator : classifier, optional
        Learns to predict hits; gradient boosting of histograms by default.
    cv : int, default=5
        The number of parts of the rows; each is predicted by a classifier trained on the others.
    random_state : int or None, default=0
        Seed of the division into parts, and of the default classifier.
    groups : array-like of shape (n_rows,), optional
        Clusters of dependent rows; a cluster is never divided.
    return_estimate : bool, default=False
        Whether to return an `Estimate` with standard error, interval and test instead of a number.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.tile([[0], [1]], (100, 1))
    >>> y_true, y_pred = np.zeros(200, dtype=int), np.tile([0, 0, 0, 1], 50)  # misses for x = 1
    >>> tree = DecisionTreeClassifier()
    >>> round(conditional_coverage_error(y_true, y_pred, X, 0.25, estimator=tree), 2)
    0.25
    """
    check_alpha(alpha)
    rows = read_rows(y_true, y_pred, classes, None, None, groups)
    features = X if hasattr(X, "iloc") else _matrix(X)
    n = len(rows.codes)
    if np.shape(features)[:1] != (n,):
        raise ValueError(
            f"X has the shape {np.shape(features)} but y_true has {counted(n, 'row')}: give the "
            "features of every row"
        )
    _, hit = size_and_hit(rows.codes, rows.sets)
    target = 1 - alpha
    side = np.sign(_probability_of_hit(features, hit, rows, estimator, cv, random_state) - target)
    sums = CellSums.of((2 * (side + 1)).astype(np.intp) + hit, rows.units)
    values = (sums.numbers // 2 - 1) * (sums.numbers % 2 - target)
    most = max(alpha, target)
    found = estimate_mean(values, sums, -most, most)
    return found if return_estimate else found.value


def _matrix(X: Any) -> Array:
    return np.asarray(frame_to_matrix(X)[0] if is_frame(X) else unmasked(X))


def _take(features: Any, rows: Ints) -> Any:
    """Some rows of a matrix, or of a pandas frame, whose columns keep their names."""
    return features.iloc[rows] if hasattr(features, "iloc") else features[rows]


def _probability_of_hit(
    features: Any, hit: Bools, rows: CheckedRows, estimator: Any, cv: int, random_state: int | None
) -> Floats:
    """The probability of a hit of each row, by classifiers trained on the other parts."""
    from sklearn.base import clone
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import GroupKFold, KFold

    n, clusters = len(hit), rows.units.clusters
    n_parts = n if clusters is None else len(np.unique(clusters))
    cv = require_whole(cv, "cv")
    if not 2 <= cv <= n_parts:
        what = "rows" if clusters is None else "clusters"
        raise ValueError(f"cv must be between 2 and the number of {what}, {n_parts}, got {cv}")
    splitter = (KFold if clusters is None else GroupKFold)(
        cv, shuffle=True, random_state=random_state
    )
    model = estimator
    if model is None:
        model = HistGradientBoostingClassifier(random_state=random_state)
    elif not hasattr(model, "fit"):
        raise TypeError(f"estimator must be a classifier, got {brief(model)}")
    found = np.empty(n)
    for train, test in splitter.split(np.zeros(n), groups=clusters):
        if hit[train].all() or not hit[train].any():  # nothing to learn
            found[test] = hit[train].mean()
            continue
        fitted = clone(model).fit(_take(features, train), hit[train])
        found[test] = fitted.predict_proba(_take(features, test))[:, 1]
    return found
