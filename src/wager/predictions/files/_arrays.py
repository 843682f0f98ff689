"""Rows of a prediction file as arrays: the truth, what was said, and what stands beside it.

DuckDB has turned cells into numbers by then and labels into codes, with -1 or NaN for what it could
not; here they become prediction sets, probabilities, intervals or memberships.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.predictions._intervals import ProbabilityIntervals
from wager.predictions._packing import pack
from wager.predictions._sets import PredictionSets
from wager.predictions._strings import split_labels
from wager.predictions.files._classes import class_texts
from wager.predictions.files._layout import Layout
from wager.predictions.files._source import Source

__all__ = ["ALMOST_ONE", "Predictions", "assemble"]

ALMOST_ONE = 1 + 1e-6  # what exceeds 1 by rounding is 1
_SLACK = 5e-4  # a probability printed with three decimals is off by so much
_ROUNDING = 1e-6  # and one that was computed, by no more than this

Columns = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows of a prediction file: the truth, what was said, and what stands beside it.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes.
    codes : ndarray of int, shape (n,)
        The true class of each row, as a place in `classes`.
    form : {"label", "set", "mask", "in", "p", "interval", "m"}
        How predictions are stated; it tells which of the next four is there.
    sets : PredictionSets, optional
        From ``y_pred``, ``set``, ``mask`` or ``in:`` columns.
    proba : ndarray of shape (n, K), optional
        From ``p:`` columns.
    intervals : ProbabilityIntervals, optional
        From ``lower:`` and ``upper:`` columns.
    memberships : ndarray of shape (n, K), optional
        From ``m:`` columns.
    weight : ndarray of float, optional
        The weight of each row.
    group, id : ndarray of object, optional
        Text, or None where the file has nothing.
    """

    classes: Array
    codes: Ints
    form: str
    sets: PredictionSets | None = None
    proba: Floats | None = None
    intervals: ProbabilityIntervals | None = None
    memberships: Floats | None = None
    weight: Floats | None = None
    group: Array | None = None
    id: Array | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def y_true(self) -> Array:
        """The true labels."""
        return self.classes[self.codes]


def assemble(
    columns: Columns,
    source: Source,
    layout: Layout,
    classes: Array,
    start: int,
    refuse: Callable[[], NoReturn],
) -> Predictions:
    """Arrays of some rows.

    Parameters
    ----------
    columns : mapping of str to ndarray
        What `rows_sql` selects.
    source, layout, classes
        The file, what its columns say, and its classes.
    start : int
        The number of rows before these, for the sentences about a row.
    refuse : callable
        Is called when a cell turns out to be wrong; it finds it and raises.
    """
    codes = np.asarray(columns["truth"])
    weight = np.asarray(columns["w"]) if "w" in columns else None
    if (codes < 0).any() or (weight is not None and (weight < 0).any()):
        refuse()
    beside: dict[str, Any] = {
        "weight": weight,
        "group": _texts(columns["g"]) if "g" in columns else None,
        "id": _texts(columns["id"]) if "id" in columns else None,
    }
    said: dict[str, Any]
    if layout.form in ("label", "set", "mask", "in"):
        said = {"sets": PredictionSets(_words(columns, layout, classes, refuse), classes)}
    else:
        first = _matrix(columns, layout, layout.columns, classes, refuse)
        if layout.form == "p":
            said = {"proba": _shares(first, source, start)}
        elif layout.form == "m":
            said = {"memberships": first}
        else:
            second = _matrix(columns, layout, layout.uppers, classes, refuse)
            said = {"intervals": _intervals(first, second, classes, source, start)}
    return Predictions(classes, codes, layout.form, **said, **beside)


def _words(
    columns: Columns, layout: Layout, classes: Array, refuse: Callable[[], NoReturn]
) -> Array:
    if layout.form == "set":
        members = _members(columns["said"], classes)
        if members is None:
            refuse()
        return pack(members)
    if layout.form == "in":
        flags = _in_order(columns, layout, layout.columns, classes)
        if flags.max(initial=0) > 1:
            refuse()
        return pack(flags.astype(bool))
    said = np.asarray(columns["said"])
    if layout.form == "label":
        if (said < 0).any():
            refuse()
        return pack(said[:, None] == np.arange(len(classes)))
    if not np.asarray(columns["right"]).all():
        refuse()
    return said.astype(np.uint64)[:, None]


def _members(said: Array, classes: Array) -> Bools | None:
    """The indicator matrix of written sets, or None if one of them is wrong."""
    code = {text: place for place, text in enumerate(class_texts(classes))}
    number: dict[Any, int] = {}  # each distinct set is taken apart once
    which = np.empty(len(said), dtype=np.intp)
    for row, cell in enumerate(_texts(said)):
        if cell is None:
            return None
        which[row] = number.setdefault(cell if isinstance(cell, str) else tuple(cell), len(number))
    distinct = np.zeros((len(number), len(classes)), dtype=bool)
    for row, cell in enumerate(number):
        labels = split_labels(cell) if isinstance(cell, str) else cell
        if not all(label in code for label in labels):
            return None
        distinct[row, [code[label] for label in labels]] = True
    return distinct[which]


def _in_order(columns: Columns, layout: Layout, places: tuple[int, ...], classes: Array) -> Array:
    """Columns side by side in the order of the classes; 0 where a class has no column."""
    found = {label: columns[f"x{i}"] for label, i in zip(layout.labels, places, strict=True)}
    none = np.zeros_like(columns[f"x{places[0]}"])
    return np.column_stack([found.get(text, none) for text in class_texts(classes)])


def _matrix(
    columns: Columns,
    layout: Layout,
    places: tuple[int, ...],
    classes: Array,
    refuse: Callable[[], NoReturn],
) -> Floats:
    matrix = np.asarray(_in_order(columns, layout, places, classes))
    low, high = matrix.min(), matrix.max()  # NaN if there is one
    if layout.form == "m":
        if not np.isfinite(low + high):
            refuse()
        return matrix
    if not (low >= 0 and high <= ALMOST_ONE):
        refuse()
    return np.minimum(matrix, 1) if high > 1 else matrix


def _shares(proba: Floats, source: Source, start: int) -> Floats:
    """Rows that sum to 1 but for the rounding of printed numbers, which is divided out."""
    sums = proba.sum(axis=1)
    off = np.abs(sums - 1)
    if (off > _SLACK * proba.shape[1]).any():
        row = int((off > _SLACK * proba.shape[1]).argmax())
        raise ValueError(
            f"{source.path}: the p: columns of row {start + row + 1} sum to {sums[row]:.6g}: "
            "probabilities sum to 1, and other scores belong in m: columns"
        )
    return proba / sums[:, None] if (off > _ROUNDING).any() else proba


def _intervals(
    lower: Floats, upper: Floats, classes: Array, source: Source, start: int
) -> ProbabilityIntervals:
    if (lower > upper).any():
        row, column = np.argwhere(lower > upper)[0]
        name = class_texts(classes)[column]
        raise ValueError(
            f"{source.path}: lower:{name} is {lower[row, column]:g} in row {start + row + 1} but "
            f"upper:{name} is {upper[row, column]:g}: exchange them"
        )
    intervals = ProbabilityIntervals(lower, upper, classes)
    if not np.all(intervals.is_proper):
        row = int((~intervals.is_proper).argmax())
        raise ValueError(
            f"{source.path}: no probability fits the bounds of row {start + row + 1}: the lower "
            f"ones sum to {lower[row].sum():.6g} and the upper ones to {upper[row].sum():.6g}, but "
            "1 must lie between"
        )
    return intervals


def _texts(column: Array) -> Array:
    """Text with None where it is missing, whether DuckDB says so by a mask or by itself."""
    texts = np.ma.getdata(column).astype(object)
    texts[np.ma.getmaskarray(column)] = None
    return texts
