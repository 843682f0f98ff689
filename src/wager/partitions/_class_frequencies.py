"""Class frequencies as estimates of true probabilities, for predictors with few values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    check_weights,
    counted,
    encode_labels,
    is_missing,
    real_number,
    unmasked,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief


@dataclass(frozen=True, eq=False, repr=False)
class ClassFrequencies(Viewed):
    """How often each class occurs with each distinct value of the predictors.

    Attributes
    ----------
    values : tuple of tuples
        The distinct values, sorted.
    counts : ndarray of shape (n_values,)
        Number (or weight) of objects with each value.
    frequencies : ndarray of shape (n_values, n_classes)
        Share of each class among them; NaN if their total weight is 0.
    classes : ndarray of shape (n_classes,)
        The classes.
    """

    values: tuple[tuple[Any, ...], ...]
    counts: Floats
    frequencies: Floats
    classes: Array
    _place: dict[tuple[Any, ...], int] = field(repr=False, compare=False)

    def of(self, X: ArrayLike, min_count: float = 1) -> Floats:
        """The class frequencies for the value of each row, as memberships or true probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows,) or (n_rows, n_features)
            Predictors; every value must have occurred in at least ``min_count`` objects.
        min_count : float, default=1
            The smallest number of objects that is enough for an estimate.
        """
        real_number(min_count, "min_count")
        rows = []
        for number, value in enumerate(_keys(X)):
            place = self._place.get(value)
            if place is None or self.counts[place] < min_count:
                seen = 0 if place is None else self.counts[place]
                raise ValueError(
                    f"the value {brief(value)} in row {number} occurred {seen:g} times, less than "
                    f"min_count={min_count:g}: merge values, or use the regions of standardize"
                )
            rows.append(place)
        return self.frequencies[rows]

    def to_frame(self) -> Any:
        """A pandas frame with one row per value."""
        import pandas as pd

        columns = {str(label): self.frequencies[:, c] for c, label in enumerate(self.classes)}
        index = [value[0] if len(value) == 1 else value for value in self.values]
        return pd.DataFrame({"count": self.counts, **columns}, index=pd.Index(index))

    def _view(self) -> View:
        shown = [
            [", ".join(map(str, value)), f"{self.counts[i]:.6g}", *self.frequencies[i]]
            for i, value in enumerate(self.values[:20])
        ]
        more = len(self.values) - len(shown)
        return View(
            tables=[Table(["value", "count", *map(str, self.classes)], shown)],
            notes=[f"({more} more values: see to_frame())"] if more else [],
        )


def class_frequencies(
    X: ArrayLike,
    y_true: ArrayLike,
    classes: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> ClassFrequencies:
    """Count the classes for each distinct value of the predictors.

    If the predictors take few values, each of them often enough, ``p(c | X = a)`` is estimated by
    the share of class c among the objects with value a (Sondhauss & Weihs, 2001, Sec. 4); otherwise
    by the regions of `standardize`.

    Parameters
    ----------
    X : array-like of shape (n_rows,) or (n_rows, n_features)
        Predictors with few distinct values.
    y_true : array-like of shape (n_rows,)
        True labels.
    classes : array-like of shape (n_classes,), optional
        All classes; by default those that occur, sorted.
    sample_weight : array-like of shape (n_rows,), optional
        The number of objects that each row represents.

    Examples
    --------
    >>> found = class_frequencies(["red", "red", "blue"], ["a", "b", "a"])
    >>> found.values, found.frequencies.tolist()
    ((('blue',), ('red',)), [[1.0, 0.0], [0.5, 0.5]])
    >>> found.of(["red", "blue"])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    keys = _keys(X)
    if not keys:
        raise ValueError("X has no rows: there is nothing to count")
    codes, known = encode_labels(y_true, classes)
    if len(keys) != len(codes):
        raise ValueError(
            f"X has {counted(len(keys), 'row')} but y_true has {counted(len(codes), 'label')}: "
            "give one label per row"
        )
    weights = check_weights(sample_weight, len(codes))
    try:
        values = tuple(sorted(set(keys)))
    except ArithmeticError as problem:  # such as Decimal("NaN")
        raise ValueError("X has values that cannot be sorted") from problem
    place = {value: number for number, value in enumerate(values)}
    cell: Ints = np.array([place[key] for key in keys]) * len(known) + codes
    counts = np.bincount(cell, weights, len(values) * len(known)).reshape(len(values), -1)
    total = counts.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        frequencies = counts / total[:, None]
    return ClassFrequencies(values, total, frequencies, known, place)


def _keys(X: ArrayLike) -> list[tuple[Any, ...]]:
    """The value of every row as a tuple."""
    table = np.asarray(unmasked(X))
    if table.ndim not in (1, 2):
        raise ValueError(f"X must have one or two dimensions, got shape {table.shape}")
    keys = [tuple(row) for row in (table[:, None] if table.ndim == 1 else table).tolist()]
    for row, key in enumerate(keys):
        if any(map(is_missing, key)):  # missing values differ from each other
            raise ValueError(f"X has a missing value in row {row}: drop the row or give it a value")
    return keys
