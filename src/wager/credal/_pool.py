"""Many judges, one credal set: classifiers, annotators or repeated answers joined per instance.

A judge gives a probability for each class, or bounds of it.  The judges can be averaged (linear
pool), kept side by side (convex hull: any of them may be right), or required to agree
(intersection), and each can be discounted by how far it is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wager._tables import (
    ROUNDING,
    frame_names,
    in_memory,
    in_order_of,
    is_frame,
    is_one_of,
    real_numbers,
    require_sorted,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import brief
from wager.credal._vertices import CredalVertices
from wager.predictions import ProbabilityIntervals, check_probabilities, columns_over

__all__ = ["PoolMethod", "WhenEmpty", "judge_conflict", "pool_judges"]

PoolMethod: TypeAlias = Literal["linear", "hull", "intersection"]
WhenEmpty: TypeAlias = Literal["error", "hull", "discount"]


def pool_judges(
    judges: Iterable[Any] | Mapping[str, Any],
    method: PoolMethod = "hull",
    *,
    weights: ArrayLike | None = None,
    discount: ArrayLike = 0.0,
    if_empty: WhenEmpty = "error",
    classes: ArrayLike | None = None,
) -> CredalVertices | ProbabilityIntervals:
    """Join the opinions of several judges into one credal set per row.

    Parameters
    ----------
    judges : sequence or mapping of judges
        Each one a matrix of probabilities of shape (n, K), a data frame, `ProbabilityIntervals`;
        or one array of shape (judges, n, K).
    method : {"linear", "hull", "intersection"}, default="hull"
        - ``"linear"``: the weighted mean of the probabilities, or of the bounds (Stone, 1961);
        - ``"hull"``: every mixture of the judges, for judges any of whom may be right;
        - ``"intersection"``: the probabilities that all judges allow; it needs bounds, or a
          discount, unless all judges agree.
    weights : array-like of shape (judges,), optional
        The weights of the linear pool; by default all the same.  A mapping or a Series is matched
        with the names of the judges, as that of `discount` is.
    discount : float or array-like of shape (judges,), default=0
        How far each judge is *not* trusted, from 0 to 1: the judge's probabilities p become the
        bounds ``(1 - d) p`` to ``(1 - d) p + d`` (Shafer, 1976).
    if_empty : {"error", "hull", "discount"}, default="error"
        What to do where the intersection is empty: raise an error, take the hull of the judges, or
        discount all of them equally, as little as possible (see `judge_conflict`).
    classes : array-like of shape (K,), optional
        The classes of the columns.

    Returns
    -------
    CredalVertices or ProbabilityIntervals
        For `decide`.  The hull of precise judges without discount is given by its vertices; all
        others are bounds.

    Examples
    --------
    >>> judges = [[[0.7, 0.2, 0.1]], [[0.4, 0.5, 0.1]]]
    >>> from wager.credal import decide
    >>> decide(pool_judges(judges, classes=["a", "b", "c"])).to_lists()
    [['a', 'b']]
    >>> pool_judges(judges, "linear").lower.round(4).tolist()
    [[0.55, 0.35, 0.1]]
    >>> pool_judges(judges, "intersection", discount=0.3).upper.round(4).tolist()
    [[0.58, 0.44, 0.16]]
    """
    if not is_one_of(method, get_args(PoolMethod)):
        raise ValueError(
            f"method must be one of {', '.join(get_args(PoolMethod))}, got {brief(method)}"
        )
    if not is_one_of(if_empty, get_args(WhenEmpty)):
        known = ", ".join(get_args(WhenEmpty))
        raise ValueError(f"if_empty must be one of {known}, got {brief(if_empty)}")
    if weights is not None and method != "linear":
        raise ValueError(f"weights= are those of the linear pool: leave them out for {method!r}")
    lower, upper, names = _bounds(judges, classes)
    precise = bool((lower == upper).all())
    who = list(judges) if isinstance(judges, Mapping) else range(len(lower))
    doubt = _numbers(in_order_of(who, discount, "discount", "judges"), len(lower), "discount")
    if ((doubt < 0) | (doubt > 1)).any():
        raise ValueError(f"discount must lie between 0 and 1, got {brief(discount)}")
    if precise and not doubt.any() and method == "hull":
        return CredalVertices(lower.transpose(1, 0, 2), names)
    lower, upper = _discounted(lower, upper, doubt[:, None, None])
    if method == "hull":
        return ProbabilityIntervals(lower.min(axis=0), upper.max(axis=0), names)
    if method == "linear":
        given = 1.0 if weights is None else in_order_of(who, weights, "weights", "judges")
        share = _numbers(given, len(lower), "weights")
        if (share < 0).any() or not share.any():
            raise ValueError(f"weights must not be negative, nor all 0, got {brief(weights)}")
        share = share / share.sum()
        low, high = (np.tensordot(share, part, axes=1) for part in (lower, upper))
        return ProbabilityIntervals(low, high, names)
    return _intersection(lower, upper, if_empty, names)


def judge_conflict(
    judges: Iterable[Any] | Mapping[str, Any], classes: ArrayLike | None = None
) -> Floats:
    """How much judges disagree: the least discount of all of them that lets them agree.

    Parameters
    ----------
    judges, classes
        As in `pool_judges`.

    Returns
    -------
    ndarray of shape (n,)
        0 where some probability satisfies all judges; 1/2 for two judges who are certain of
        different classes; below 1 always.

    Notes
    -----
    With the discount d the bounds of all judges have a common probability if, for
    ``L = max lower`` and ``U = min upper`` over the judges, no lower bound exceeds an upper one,
    ``(1 - d) L <= (1 - d) U + d``, and the bounds admit a total of 1, ``(1 - d) sum(L) <= 1`` and
    ``(1 - d) sum(U) + K d >= 1``.  Each condition gives the least d directly.

    Examples
    --------
    >>> judge_conflict([[[1, 0], [0.6, 0.4]], [[0, 1], [0.6, 0.4]]]).tolist()
    [0.5, 0.0]
    """
    lower, upper, _ = _bounds(judges, classes)
    return _conflict(lower.max(axis=0), upper.min(axis=0))


def _conflict(most: Floats, least: Floats) -> Floats:
    """The least discount, from the largest lower and the smallest upper bounds."""
    n_classes = most.shape[1]
    crossed = np.maximum((most - least).max(axis=1), 0.0)
    low, high = most.sum(axis=1), least.sum(axis=1)
    needed = np.maximum(crossed / (1 + crossed), 1 - 1 / np.maximum(low, 1.0))
    missing = np.maximum(1 - high, 0.0)
    if n_classes > 1:  # the only class has probability 1 by all judges
        needed = np.maximum(needed, missing / (n_classes - np.minimum(high, 1.0)))
    return np.where(needed > ROUNDING, needed, 0.0)


def _discounted(lower: Floats, upper: Floats, doubt: Any) -> tuple[Floats, Floats]:
    return (1 - doubt) * lower, np.minimum((1 - doubt) * upper + doubt, 1.0)


def _intersection(
    lower: Floats, upper: Floats, if_empty: WhenEmpty, names: Array | None
) -> ProbabilityIntervals:
    low, high = lower.max(axis=0), upper.min(axis=0)
    needed = _conflict(low, high)
    empty = needed > 0
    if empty.any() and if_empty == "error":
        row = int(empty.argmax())
        raise ValueError(
            f"no probability satisfies all {len(lower)} judges in row {row}: discount them by at "
            f"least {needed[row]:.3g}, or pass if_empty='hull' or if_empty='discount'"
        )
    if if_empty == "hull":
        low = np.where(empty[:, None], lower.min(axis=0), low)
        high = np.where(empty[:, None], upper.max(axis=0), high)
    else:
        low, high = _discounted(low, high, needed[:, None])
    return ProbabilityIntervals(low, np.maximum(low, high), names).tighten()


def _bounds(judges: Any, classes: ArrayLike | None) -> tuple[Floats, Floats, Array | None]:
    """Lower and upper probabilities of shape (judges, n, K), and the classes if they have names."""
    listed = list(judges.values()) if isinstance(judges, Mapping) else list(judges)
    if not listed:
        raise ValueError("there is no judge: pass at least one matrix of probabilities")
    names = None if classes is None else np.asarray(classes)
    if names is None:
        named = [_names_of(judge) for judge in listed]
        names = next((found for found in named if found is not None), None)
        unnamed = [number for number, found in enumerate(named) if found is None]
        if names is not None and unnamed:
            require_sorted(names, f"judge {unnamed[0]}", "the other judges")
    parts = [_bounds_of(judge, number, names) for number, judge in enumerate(listed)]
    shapes = {low.shape for low, _ in parts}
    if len(shapes) > 1:
        raise ValueError(
            f"all judges must have the same rows and classes, got the shapes {sorted(shapes)}"
        )
    lower, upper = (np.stack(side) for side in zip(*parts, strict=True))
    return lower, upper, names


def _names_of(judge: Any) -> Array | None:
    """The classes that a judge names itself."""
    if isinstance(judge, ProbabilityIntervals):
        return judge.classes if judge.named else None
    columns = frame_names(in_memory(judge)) if is_frame(judge) else None
    return None if columns is None else np.asarray(columns)


def _bounds_of(judge: Any, number: int, names: Array | None) -> tuple[Floats, Floats]:
    if isinstance(judge, ProbabilityIntervals):
        judge.require_proper()
        tight = judge.tighten()
        if names is None or not judge.named:
            return tight.lower, tight.upper
        columns = [columns_over(side, names, "the judges", judge.classes)
                   for side in (tight.lower, tight.upper)]  # fmt: skip
        return np.asarray(columns[0]), np.asarray(columns[1])
    if names is not None and is_frame(judge):
        judge = columns_over(judge, names, "the judges")
    proba = check_probabilities(judge, name=f"judge {number}")
    return proba, proba


def _numbers(given: ArrayLike, n: int, name: str) -> Floats:
    values = real_numbers(given, name)
    if values.shape not in ((), (n,)) or not np.isfinite(values).all():
        raise ValueError(f"{name} must be one number, or one for each of the {n} judges")
    return np.broadcast_to(values, (n,)).copy()
