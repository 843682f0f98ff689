"""Rejection: Chow's rule, Ha's rule, and rejection by lower probabilities.

A classifier that rejects predicts all classes.  Chow (1970) rejects if the largest probability is
too small; Ha (1997) rejects class by class and keeps those whose risk of being missed is high
enough; a credal classifier rejects if no lower probability is large enough (Zaffalon, Corani &
Mauá, 2012, Sec. 9.4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import require_sorted
from wager._typing import Array, ArrayLike, Bools, Floats
from wager.costs import ROUNDING
from wager.predictions import (
    PredictionSets,
    ProbabilityIntervals,
    as_sets,
    check_probabilities,
    class_source,
    columns_by_name,
)

__all__ = ["class_selective_rejection", "reject", "reject_credal"]


def reject(proba: ArrayLike, threshold: float, classes: ArrayLike | None = None) -> PredictionSets:
    """Predict the most probable class if it is probable enough, else all classes (Chow, 1970).

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes)
    threshold : float in [0, 1]
        A single class is predicted if the largest probability is at least this.  With cost 1 for an
        error and d for rejecting, the best threshold is ``1 - d``.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns; by default those of a data frame; columns without
        names stand for the sorted classes.

    Examples
    --------
    >>> reject([[0.7, 0.3], [0.9, 0.1]], 0.8, classes=["a", "b"]).to_lists()
    [['a', 'b'], ['a']]
    """
    proba, classes = columns_by_name(proba, classes)
    table = check_probabilities(proba)
    _require_share(threshold)
    accepted = table.max(axis=1) >= threshold - ROUNDING
    best = table.argmax(axis=1)[:, None] == np.arange(table.shape[1])
    return PredictionSets.from_indicator(best | ~accepted[:, None], classes)


def class_selective_rejection(
    proba: ArrayLike,
    delta: float,
    eta: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> PredictionSets:
    """Keep each class whose risk of being missed outweighs the cost of one more class (Ha, 1997).

    A set Y costs ``eta(y)`` if it misses the true class y, plus ``delta`` for each class beyond the
    first (Yang, Destercke & Masson, 2017, Sec. V b).  Each class with ``p(y) eta(y) > delta``
    lowers the expected cost; if there is none, the best class is kept.

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes)
    delta : float
        The cost of each class beyond the first, at least 0.
    eta : array-like of shape (n_classes,), optional
        The cost of missing each class, 1 by default.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns; by default those of a data frame; columns without
        names stand for the sorted classes.

    Examples
    --------
    >>> class_selective_rejection([[0.6, 0.3, 0.1], [0.9, 0.06, 0.04]], delta=0.2).to_lists()
    [[0, 1], [0]]
    """
    proba, classes = columns_by_name(proba, classes)
    table = check_probabilities(proba)
    if not (np.isfinite(delta) and delta >= 0):
        raise ValueError(f"delta must be finite and not negative, got {delta!r}")
    at_stake = table * _losses(eta, table.shape[1])
    top = at_stake.max(axis=1, keepdims=True)
    first = (at_stake >= top - ROUNDING).argmax(axis=1)[:, None] == np.arange(table.shape[1])
    return PredictionSets.from_indicator((at_stake > delta + ROUNDING) | first, classes)


def reject_credal(
    intervals: ProbabilityIntervals, sets: Any, threshold: float, *, group: bool = False
) -> PredictionSets:
    """Keep a credal prediction only where a lower probability is large enough.

    Parameters
    ----------
    intervals : ProbabilityIntervals
    sets : prediction sets, or a boolean matrix
        The predictions of the credal classifier for the same rows.
    threshold : float in [0, 1]
        The prediction is kept where the largest lower probability exceeds this; elsewhere all
        classes are predicted (Zaffalon, Corani & Mauá, 2012, Sec. 9.4).
    group : bool, default=False
        Use the lower probability of the predicted set instead of that of one class, and where it
        is too small add classes in the order of decreasing upper probability until it exceeds the
        threshold: nondeterministic classification generalised to intervals.

    Examples
    --------
    >>> intervals = ProbabilityIntervals([[0.5, 0.3, 0], [0.3, 0.3, 0]], [[0.7, 0.4, 0.2]] * 2)
    >>> sets = [[True, False, False], [True, True, False]]
    >>> reject_credal(intervals, sets, 0.4).to_lists()
    [[0], [0, 1, 2]]
    >>> reject_credal(intervals, sets, 0.7, group=True).to_lists()
    [[0, 1], [0, 1]]
    """
    _require_share(threshold)
    intervals.require_proper()
    names = _shared_names(intervals, sets)
    given = as_sets(sets, names).to_indicator()
    if given.shape != intervals.lower.shape:
        raise ValueError(
            f"the sets have shape {given.shape} but the intervals have {intervals.lower.shape}: "
            "give both for the same rows and classes"
        )
    if group:
        kept = _grown(intervals.tighten(), given, threshold)
    else:
        accepted = intervals.lower.max(axis=1) > threshold + ROUNDING
        kept = given | ~accepted[:, None]
    return PredictionSets.from_indicator(kept, names)


def _shared_names(intervals: ProbabilityIntervals, sets: Any) -> Array | None:
    """The classes that the intervals or the sets name; columns without names are sorted."""
    source, declared = class_source(sets)
    if intervals.named:
        if source == "columns":
            cure = "pass PredictionSets.from_indicator(sets, classes)"
            require_sorted(intervals.classes, "sets", "the intervals", cure)
        return intervals.classes
    if declared is None:  # both are without names, or the sets list column numbers
        return None if source == "columns" else intervals.classes
    cure = "name the classes of the intervals as well"
    require_sorted(declared, "intervals", "the sets", cure)
    return declared


def _grown(intervals: ProbabilityIntervals, sets: Bools, threshold: float) -> Bools:
    """The sets with classes added, by decreasing upper probability, until probable enough."""
    order = np.lexsort((-intervals.upper, ~sets), axis=1)
    lower, upper = (
        np.take_along_axis(bound, order, axis=1) for bound in (intervals.lower, intervals.upper)
    )
    inside = lower.cumsum(axis=1)
    outside = upper.sum(axis=1, keepdims=True) - upper.cumsum(axis=1)
    enough = np.maximum(inside, 1 - outside) > threshold + ROUNDING
    position = np.arange(sets.shape[1])
    enough &= position + 1 >= sets.sum(axis=1, keepdims=True)
    enough[:, -1] = True
    return np.argsort(order, axis=1) <= enough.argmax(axis=1)[:, None]


def _require_share(threshold: float) -> None:
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be a probability between 0 and 1, got {threshold!r}")


def _losses(eta: ArrayLike | None, n_classes: int) -> Floats:
    losses = np.asarray(1.0 if eta is None else eta, dtype=np.float64)
    if losses.shape not in ((), (n_classes,)):
        raise ValueError(
            f"eta must be one cost, or one for each of the {n_classes} classes, got shape "
            f"{losses.shape}"
        )
    if not (np.isfinite(losses) & (losses >= 0)).all():
        raise ValueError(f"eta must be finite and not negative for every class, got {eta!r}")
    return losses
