"""Rejection: Chow's rule, Ha's rule, and rejection by lower probabilities.

A classifier that rejects predicts all classes.  Chow (1970) rejects if the largest probability is
too small; Ha (1997) rejects class by class and keeps those whose risk of being missed is high
enough; a credal classifier rejects if no lower probability is large enough (Zaffalon, Corani &
Mauá, 2012, Sec. 9.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from wager._tables import (
    ROUNDING,
    in_order_of,
    real_number,
    real_numbers,
    require_kind,
    require_sorted,
    row_blocks,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.predictions import (
    PredictionSets,
    ProbabilityIntervals,
    TopKBlock,
    TopKProbabilities,
    as_sets,
    as_top_k,
    check_probabilities,
    class_source,
    columns_by_name,
    sets_of_members,
)

__all__ = [
    "class_selective_rejection",
    "expected_rejection_cost",
    "reject",
    "reject_credal",
]


def reject(proba: ArrayLike, threshold: float, classes: ArrayLike | None = None) -> PredictionSets:
    """Predict the most probable class if it is probable enough, else all classes (Chow, 1970).

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes), TopKProbabilities or sparse matrix
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
    _require_share(threshold)
    listed = as_top_k(proba, classes)
    if listed is not None:
        return _reject_listed(listed, threshold)
    proba, classes = columns_by_name(proba, classes)
    table = check_probabilities(proba)
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
    proba : array-like of shape (n_rows, n_classes), TopKProbabilities or sparse matrix
    delta : float
        The cost of each class beyond the first, at least 0.
    eta : array-like of shape (n_classes,), optional
        The cost of missing each class, 1 by default; a mapping or a Series is matched by name.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns; by default those of a data frame; columns without
        names stand for the sorted classes.

    Examples
    --------
    >>> class_selective_rejection([[0.6, 0.3, 0.1], [0.9, 0.06, 0.04]], delta=0.2).to_lists()
    [[0, 1], [0]]
    """
    if not (np.isfinite(real_number(delta, "delta")) and delta >= 0):
        raise ValueError(f"delta must be finite and not negative, got {brief(delta)}")
    listed = as_top_k(proba, classes)
    if listed is not None:
        return _select_listed(listed, delta, _losses(eta, listed.classes))
    declared = classes is not None
    proba, classes = columns_by_name(proba, classes)
    table = check_probabilities(proba)
    names = np.arange(table.shape[1]) if classes is None else np.asarray(classes)
    losses = _losses(eta, names, declared)
    kept = _selected(table * losses, delta, _slack(delta, losses))
    return PredictionSets.from_indicator(kept, classes)


def _slack(delta: float, losses: Floats) -> float:
    """Risks that differ by less are equal except for rounding."""
    return ROUNDING * max(delta, float(losses.max()))


def _selected(at_stake: Floats, delta: float, slack: float) -> Bools:
    """The classes whose risk exceeds delta, and the first class of the largest risk."""
    top = at_stake.max(axis=1, keepdims=True)
    first = (at_stake >= top - slack).argmax(axis=1)[:, None] == np.arange(at_stake.shape[1])
    return (at_stake > delta + slack) | first


def _reject_listed(proba: TopKProbabilities, threshold: float) -> PredictionSets:
    """As `reject`, for listed probabilities."""
    best, largest = np.empty(len(proba), dtype=np.intp), np.empty(len(proba))
    for block in proba.blocks():
        best[block.rows], largest[block.rows] = block.named(), block.largest()
    accepted = largest >= threshold - ROUNDING
    return sets_of_members(
        best[accepted], accepted.astype(np.intp), proba.classes, ~accepted, proba.source
    )


def _select_listed(proba: TopKProbabilities, delta: float, losses: Floats) -> PredictionSets:
    """As `class_selective_rejection`, for listed probabilities."""
    largest, slack = float(losses.max()), _slack(delta, losses)
    n, lengths = len(proba.classes), np.empty(len(proba), dtype=np.intp)
    parts: list[Ints] = []
    for block in proba.blocks():
        eta = losses if losses.ndim == 0 else losses[block.codes]
        at_stake = np.where(block.codes < 0, -1.0, block.proba * eta)
        top = at_stake.max(axis=1)
        kept = at_stake > delta + slack
        is_first = at_stake >= top[:, None] - slack
        first = np.where(is_first, block.codes, n).min(axis=1)
        kept |= block.codes == first[:, None]
        row, column = np.nonzero(kept)
        codes = block.codes[row, column].astype(np.intp)
        # other classes matter only where one of them may have a larger risk
        matter = (block.share * largest > delta + slack) | (block.share * largest >= top - slack)
        wide = np.flatnonzero(matter & (block.n_listed < n))
        if len(wide):
            inside = ~np.isin(row, wide)
            chosen = [(row[inside], codes[inside]), *_of_whole_rows(block, wide, delta, losses)]
            row, codes = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
            order = np.argsort(row, kind="stable")
            row, codes = row[order], codes[order]
        parts.append(codes)
        lengths[block.rows] = np.bincount(row, minlength=len(block))
    none = np.zeros(len(proba), dtype=bool)
    return sets_of_members(np.concatenate(parts), lengths, proba.classes, none, proba.source)


def _of_whole_rows(
    block: TopKBlock, rows: Ints, delta: float, losses: Floats
) -> Iterator[tuple[Ints, Ints]]:
    """The rows and classes of sets that may contain any class, some rows at a time."""
    slack = _slack(delta, losses)
    for part in row_blocks(len(rows), block.n_classes):
        at_stake = block.take(rows[part]).dense() * losses
        row, codes = np.nonzero(_selected(at_stake, delta, slack))
        yield rows[part][row], codes


def expected_rejection_cost(
    proba: TopKProbabilities, sets: PredictionSets, delta: float, losses: Floats
) -> Floats:
    """The expected cost of sets under Ha's rule, for listed probabilities.

    A set costs what is at stake in the classes that it misses, and ``delta`` for each class beyond
    the first.
    """
    lists, n_classes, rows = sets.rows.sparse(), len(losses), np.arange(len(proba))
    listed, member = np.repeat(rows, proba.n_listed), lists.row_numbers()
    stake = proba.values * losses[proba.codes]
    keys = listed * n_classes + proba.codes
    inside = np.isin(keys, member * n_classes + lists.codes, assume_unique=True)
    inside |= lists.is_whole[listed]
    missed = np.bincount(listed[~inside], stake[~inside], len(proba))
    # the classes that are neither listed nor in the set
    of_listed = np.bincount(listed[~inside], losses[proba.codes[~inside]], len(proba))
    of_set = np.bincount(member, losses[lists.codes], len(proba))
    others = np.where(lists.is_whole, 0.0, losses.sum() - of_set - of_listed)
    return missed + proba.shares * others + delta * (sets.sizes - 1)


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
    require_kind(intervals, "intervals", ProbabilityIntervals)
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
    if not 0 <= real_number(threshold, "threshold") <= 1:
        raise ValueError(f"threshold must be a probability between 0 and 1, got {brief(threshold)}")


def _losses(eta: Any, classes: Array, declared: bool = True) -> Floats:
    n_classes = len(classes)
    known = in_order_of(classes.tolist(), eta, "eta", "classes")
    losses = real_numbers(1.0 if eta is None else known, "eta")
    if losses.ndim and not declared and known is eta:
        require_sorted(classes, "eta", "the columns of proba")
    if losses.shape not in ((), (n_classes,)):
        raise ValueError(
            f"eta must be one cost, or one for each of the {n_classes} classes, got shape "
            f"{losses.shape}"
        )
    if not (np.isfinite(losses) & (losses >= 0)).all():
        raise ValueError(f"eta must be finite and not negative for every class, got {brief(eta)}")
    return losses
