"""Check matrices of class probabilities: one row per instance, one column per class."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._jit import entry
from wager._tables import (
    check_classes,
    counted,
    encode_labels,
    format_labels,
    frame_to_matrix,
    in_memory,
    is_frame,
    numbered_classes,
    row_blocks,
    row_sums,
    there_are,
    unmasked,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import reason

SUM_TOLERANCE = 1e-6  # how far the sum of a row of doubles may be from 1
_FEW_COLUMNS = 64  # columns that are compared one by one


def check_probabilities(proba: ArrayLike, *, name: str = "proba") -> Floats:
    """Check a matrix of class probabilities; an error names the first wrong row.

    Parameters
    ----------
    proba : array-like of shape (n_rows, n_classes)
        Finite and not negative; each row must sum to 1.  The sum may differ by rounding: up to
        1e-6 for double, 3.5e-4 for single and 3.2e-2 for half precision (the square root of their
        epsilon).  Rows within that tolerance are not rescaled, but values above 1 become 1.
    name : str, default="proba"
        The name of the matrix in error messages.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), float64
        The same matrix; copied only if necessary.

    Examples
    --------
    >>> check_probabilities([[0.25, 0.75], [1, 0]])
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    >>> check_probabilities([[0.5, 0.5], [0.5, 0.6]])
    Traceback (most recent call last):
    ...
    ValueError: every row of proba must sum to 1, but row 1 sums to 1.1: divide each row by its
    sum, or turn scores into memberships with to_memberships
    """
    table, tolerance = as_real_matrix(proba, name)
    sums, smallest, largest = _sums_and_range(table)
    if not smallest >= 0 or not largest < np.inf:  # a NaN makes both comparisons false
        _refuse_first_value(table, name)
    row = wrong_sum(sums, tolerance)
    if row is not None:
        raise ValueError(
            f"every row of {name} must sum to 1, but row {row} sums to {sums[row]:.10g}: divide "
            "each row by its sum, or turn scores into memberships with to_memberships"
        )
    return np.minimum(table, 1.0) if largest > 1 else table


def align_probabilities(
    y_true: ArrayLike, proba: ArrayLike, classes: ArrayLike | None = None, *, name: str = "proba"
) -> tuple[Ints, Floats, Array]:
    """Codes of the true labels, the checked probabilities, and their common classes.

    The columns of a table with names (pandas, polars, Arrow) are found by name: the names are the
    classes, in the order of ``classes`` if it lists the same names.

    Examples
    --------
    >>> codes, proba, classes = align_probabilities(["b", "a"], [[0.25, 0.75], [1, 0]])
    >>> codes.tolist(), classes.tolist()
    ([1, 0], ['a', 'b'])
    """
    proba, classes = columns_by_name(proba, classes, y_true)
    table = check_probabilities(proba, name=name)
    n_rows, n_classes = table.shape
    if classes is not None and np.size(classes) != n_classes:
        raise ValueError(
            f"{name} has {counted(n_classes, 'column')} but "
            f"{there_are(np.size(classes), 'class')}: pass one column per class, in the order of "
            "classes="
        )
    codes, known = encode_labels(y_true, classes, n_classes=n_classes)
    if len(codes) != n_rows:
        raise ValueError(
            f"y_true has {counted(len(codes), 'label')} but {name} has {counted(n_rows, 'row')}: "
            "give one label per row"
        )
    return codes, table, known


def columns_by_name(
    proba: Any, classes: ArrayLike | None = None, y_true: ArrayLike | None = None
) -> tuple[ArrayLike, ArrayLike | None]:
    """The matrix and the classes of a table with named columns; other arguments unchanged.

    True labels show whether columns 1, 2, ... of a pandas frame are classes (`numbered_classes`).

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"b": [0.25], "a": [0.75]})
    >>> columns_by_name(frame)
    (array([[0.25, 0.75]]), ['b', 'a'])
    >>> columns_by_name(frame, ["a", "b"])
    (array([[0.75, 0.25]]), ['a', 'b'])
    """
    if not is_frame(proba):
        return proba, classes
    if classes is None and y_true is not None:
        classes = numbered_classes(y_true, proba)
    matrix, names = frame_to_matrix(proba, classes)
    if names is None:
        return matrix, classes
    columns = check_classes(list(names), "the columns")
    if classes is None:
        return matrix, columns.tolist()
    wanted = check_classes(classes)
    columns = same_spelling(columns, wanted)
    if not set(wanted.tolist()) & set(columns.tolist()):
        return matrix, classes  # the columns have other names: the classes, in their order
    if set(wanted.tolist()) != set(columns.tolist()):
        raise ValueError(
            f"the columns are named {format_labels(columns)} but classes= lists "
            f"{format_labels(wanted)}: name the columns as the classes, or pass the values alone, "
            "with .to_numpy()"
        )
    place = {label: j for j, label in enumerate(columns.tolist())}
    return matrix[:, [place[label] for label in wanted.tolist()]], classes


def first_largest(values: Floats) -> Ints:
    """The column of the largest number of each row, the first of equal ones.

    Like ``values.argmax(axis=1)``, and much faster for few columns that lie one after the other.

    Examples
    --------
    >>> first_largest(np.array([[0.1, 0.9], [0.5, 0.5]])).tolist()
    [1, 0]
    """
    if values.shape[1] > _FEW_COLUMNS:
        return values.argmax(axis=1)
    found = np.zeros(len(values), dtype=np.intp)
    _find_largest(values, found, work=2e-9 * values.size)
    return found


def _largest_by_numpy(values: Floats, place: Ints) -> None:
    largest = values[:, 0].copy()
    for column in range(1, values.shape[1]):
        np.copyto(place, column, where=values[:, column] > largest)
        np.maximum(largest, values[:, column], out=largest)


@entry(plain=_largest_by_numpy, label="the loops over probabilities")
def _find_largest(values, place):
    n_rows, n_columns = values.shape
    largest = np.empty(4096)
    for start in range(0, n_rows, 4096):  # so that these stay in the cache
        found = place[start : start + 4096]
        for i in range(len(found)):
            largest[i] = values[start + i, 0]
        for j in range(1, n_columns):  # without branches, which would be taken at random
            column = values[start : start + 4096, j]
            for i in range(len(column)):
                above = column[i] > largest[i]
                found[i] = j if above else found[i]
                largest[i] = column[i] if above else largest[i]


def same_spelling(names: Array, classes: Array) -> Array:
    """Names as text, as the classes with the same spelling: column ``"1"`` is the class 1.

    Examples
    --------
    >>> same_spelling(np.array(["1", "0"]), np.array([0, 1])).tolist()
    [1, 0]
    """
    if names.dtype.kind != "U" or classes.dtype.kind == "U":
        return names
    label_of = {str(label): label for label in classes.tolist()}
    if not all(name in label_of for name in names.tolist()):
        return names
    return np.array([label_of[name] for name in names.tolist()], dtype=classes.dtype)


def as_real_matrix(values: ArrayLike, name: str) -> tuple[Floats, float]:
    """A matrix of doubles with at least one row and column, and the tolerance for row sums."""
    try:
        given: Array = np.asarray(unmasked(in_memory(values)))
        if given.dtype.kind == "c":  # NumPy would drop the imaginary parts
            raise TypeError("complex numbers are not allowed")
        with np.errstate(over="ignore"):  # longer numbers become infinite, and are then refused
            table = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(
            f"{name} must be a matrix of numbers, one row per instance and one column per class: "
            f"{reason(problem)}"
        ) from None
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(
            f"{name} must have one row per instance and one column per class, got an array of "
            f"shape {table.shape}{_hint(table)}"
        )
    return table, sum_tolerance(given)


def sum_tolerance(numbers: Array) -> float:
    """By how much the sum of a row may differ from 1: more for numbers of single precision."""
    narrow = numbers.dtype.kind == "f" and numbers.dtype.itemsize < 8
    return float(np.sqrt(np.finfo(numbers.dtype).eps)) if narrow else SUM_TOLERANCE


def wrong_sum(sums: Floats, tolerance: float) -> int | None:
    """The first row whose sum is not 1; None if all are."""
    if sums.min() < 1 - tolerance or sums.max() > 1 + tolerance:
        return int((np.abs(sums - 1) > tolerance).argmax())
    return None


def _sums_and_range(table: Floats) -> tuple[Floats, float, float]:
    """The sum of each row, the smallest and the largest value, in one pass over memory."""
    sums = np.empty(len(table))
    smallest, largest = np.inf, -np.inf
    for rows in row_blocks(*table.shape):
        part = table[rows]
        sums[rows] = row_sums(part)
        smallest, largest = np.minimum(smallest, part.min()), np.maximum(largest, part.max())
    return sums, float(smallest), float(largest)


def _hint(table: Floats) -> str:
    if table.ndim == 1 and len(table):
        return ": pass both columns of a two-class problem, np.column_stack([1 - p, p])"
    if table.ndim == 2 and not len(table):
        return ": there is no row to score"
    return ""


def _refuse_first_value(table: Floats, name: str) -> None:
    bad = ~(np.isfinite(table) & (table >= 0))
    row, column = np.unravel_index(bad.argmax(), table.shape)
    raise ValueError(
        f"{name} must contain finite values that are not negative, got {table[row, column]:g} in "
        f"row {row}, column {column}"
    )
