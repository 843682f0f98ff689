"""Checks of costs, probabilities and lengths that several modules of the package share."""

from __future__ import annotations

from numbers import Real
from os import PathLike
from typing import Any

import numpy as np

from wager._tables import (
    counted,
    distinct_labels,
    encode_labels,
    format_labels,
    in_order_of,
    not_complex,
    real_number,
    there_are,
    unmasked,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief, reason
from wager.predictions import check_probabilities, columns_over

__all__ = [
    "MOST_COST",
    "are_costs",
    "check_costs",
    "check_lengths",
    "check_proba",
    "encode_truth",
    "match_labels",
    "refuse_empty",
    "wrong_cost",
]


MOST_COST = 1e100  # the squares of larger ones may overflow, as those of weights


def are_costs(values: Floats) -> Bools:
    """Which numbers can be costs: not negative, and at most 1e100."""
    return (values >= 0) & (values <= MOST_COST)


def wrong_cost(value: float, name: str = "costs") -> str:
    """What is wrong with a number that is not a cost, as the beginning of a message.

    Examples
    --------
    >>> wrong_cost(-1.0)
    'costs must be finite and not negative, got -1'
    >>> wrong_cost(1e200)
    'costs must be at most 1e+100, got 1e+200'
    """
    if MOST_COST < value < np.inf:
        return f"{name} must be at most {MOST_COST:g}, got {value:g}"
    return f"{name} must be finite and not negative, got {value:g}"


def check_costs(costs: Any) -> Floats:
    """Costs of shape (K, K), or (n, K, K) with one matrix per row: finite and not negative."""
    if isinstance(costs, str | PathLike):
        raise ValueError(
            f"costs must be a matrix, got the text {brief(str(costs))}: "
            "read a cost file with wager.costs.read_costs"
        )
    try:
        values = np.array(not_complex(costs, "costs"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"costs must be a square matrix of numbers: {reason(problem)}") from None
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2:
        raise ValueError(
            "costs must be a square matrix with one row and one column per class, for at least "
            f"two classes, got shape {values.shape}"
        )
    bad = ~are_costs(values)
    if bad.any():
        *row, predicted, true = (int(i) for i in np.unravel_index(bad.argmax(), bad.shape))
        place = f"row {predicted}, column {true}" + (f" of matrix {row[0]}" if row else "")
        value = values[bad][0]
        cure = "write a gain as a smaller cost, with 0 for the best prediction of each true class"
        if value > MOST_COST:
            cure = "write all costs in a larger unit"
        raise ValueError(f"{wrong_cost(value)} in {place}: {cure}")
    return values


def check_proba(proba: ArrayLike, known: Array, classes: ArrayLike | None = None) -> Floats:
    """Probabilities in the order of the classes of the costs; a vector stays a vector.

    The columns of a data frame, those of an array whose classes are given, and the values of a
    mapping or a Series are matched by name; others are in the order of the costs already.
    """
    n_classes = len(known)
    proba = in_order_of(known.tolist(), proba, "proba", "classes of the costs")
    given = np.asarray(columns_over(unmasked(proba), known, "the costs", classes))
    values = check_probabilities(given[None] if given.ndim == 1 else given)
    if values.shape[1] != n_classes:
        raise ValueError(
            f"proba has {counted(values.shape[1], 'column')} but the costs have "
            f"{counted(n_classes, 'class')}: give one column per class, in the order of "
            "costs.classes"
        )
    return values[0] if given.ndim == 1 else values


def encode_truth(y_true: ArrayLike, known: Array) -> Ints:
    """The true classes as positions among the classes of the costs."""
    try:
        return encode_labels(y_true, known)[0]
    except ValueError:
        found = distinct_labels(y_true, "y_true").labels  # a missing label is named as such
        raise ValueError(
            f"y_true contains the classes {format_labels(found)} but the costs list "
            f"{format_labels(known)}: give costs of every class, with the same labels"
        ) from None


def match_labels(predicted: ArrayLike, true: ArrayLike) -> Array:
    """The row for the class of each column, if rows and columns list the same classes."""
    rows, _ = encode_labels(np.asarray(predicted), np.asarray(true), name="the rows of costs")
    order = np.argsort(rows, kind="stable")
    if len(order) != len(np.asarray(true)) or (rows[order] != np.arange(len(order))).any():
        raise ValueError(
            f"costs has the rows {format_labels(np.asarray(predicted))} but the columns "
            f"{format_labels(np.asarray(true))}: give one row and one column per class"
        )
    return order


def check_lengths(n_sets: int, n_others: int, others: str = "true classes") -> None:
    """Raise a ValueError if predictions and true classes differ in number, or there are none."""
    if n_sets != n_others:
        raise ValueError(
            f"{there_are(n_sets, 'prediction')} but {n_others} {others}: give one for each "
            "prediction"
        )
    if n_sets == 0:
        raise ValueError("there is no prediction to score: give at least one row")


def refuse_empty(
    empty: Bools, empty_cost: float | None = None, counts: Array | None = None
) -> None:
    """Raise a ValueError if the cost of the empty set is wrong, or lacks though there is one.

    With ``counts`` the sets stand for that many rows each, and the error counts the rows.
    """
    if empty_cost is not None:
        if not isinstance(empty_cost, Real):
            raise ValueError(f"empty_cost must be a number, got {brief(empty_cost)}")
        if not 0 <= real_number(empty_cost, "empty_cost") <= MOST_COST:
            raise ValueError(f"empty_cost must be finite and not negative, got {brief(empty_cost)}")
        return
    if not empty.any():
        return
    if counts is not None:
        n = counts[empty].sum()
        rows = "1 row predicts" if n == 1 else f"{n:,.10g} rows predict"
        raise ValueError(f"{rows} the empty set, which has no cost: pass empty_cost= to score it")
    raise ValueError(
        f"row {int(empty.argmax())} predicts the empty set, which has no cost: "
        "pass empty_cost= to score it"
    )
