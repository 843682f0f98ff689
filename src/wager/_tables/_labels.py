"""Class labels as codes 0..K-1, and the classes that the codes refer to.

All other modules work with codes.  The classes are those the user declares with ``classes=``, else
the sorted distinct labels as in scikit-learn, else, for a matrix without column names, the numbers
of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables._frames import (
    column_array,
    declared_categories,
    in_memory,
    is_pandas_column,
    keep_values,
    plain_values,
    shifted_numbers,
)
from wager._tables._joined_texts import number_joined
from wager._tables._values import format_label, format_labels, is_missing, plain_text
from wager._typing import Array, ArrayLike, Ints
from wager._visible import brief

__all__ = [
    "DistinctLabels",
    "check_classes",
    "distinct_labels",
    "encode_labels",
    "kind_of_labels",
    "labels_for_fit",
    "numbered_classes",
    "read_class_labels",
    "read_labels",
    "refuse_final_nul",
    "union_labels",
]

_TABLE = 1 << 16  # slots of the tables that replace a sort
_CHUNK = 1 << 14  # rows that are hashed together
_TEXT = {str, np.str_}
_MANY = 1 << 20  # labels from which array operations are faster than a dictionary


@dataclass(frozen=True)
class DistinctLabels:
    """Labels as codes into their sorted distinct values.

    ``place`` gives the place of the i-th label for error messages: its row, or for lists of labels
    the row of the list.
    """

    codes: Ints
    labels: Array
    name: str
    place: Callable[[int], str]

    def among(self, classes: Array) -> Ints:
        """The codes of the same labels in ``classes``; any other label is an error."""
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        recode = np.array([code_of.get(label, -1) for label in self.labels.tolist()], dtype=np.intp)
        if recode.size and recode.min() < 0:
            raise self._unknown(recode < 0, classes)
        return recode[self.codes]

    def where(self, label: int) -> str:
        """The place where the ``label``-th distinct label first occurs."""
        return self.place(int(np.argmax(self.codes == label)))

    def _unknown(self, unknown: Array, classes: Array) -> ValueError:
        first = int(np.argmax(unknown[self.codes]))
        label, place = self.labels[self.codes[first]], self.place(first)
        if kind_of_labels(self.labels) != kind_of_labels(classes):
            return ValueError(
                f"{self.name} contains {format_label(label)} in {place} but the classes are "
                f"{format_labels(classes)}: make labels and classes all strings or all numbers"
            )
        return ValueError(
            f"{self.name} contains {format_label(label)} in {place}, which is not among the "
            f"classes {format_labels(classes)}: correct it, or add it to classes="
        )


def _row(index: int) -> str:
    return f"row {index}"


def distinct_labels(
    y: Any, name: str, place: Callable[[int], str] = _row, *, categories: bool = True
) -> DistinctLabels:
    """Number the distinct labels of ``y``; missing labels and mixed types are errors.

    With ``categories=True``, the categories that a column declares are labels even if they do not
    occur.

    Examples
    --------
    >>> distinct_labels([3, 1, 3], "y").codes.tolist()
    [1, 0, 1]
    """
    _check_is_column(y, name)
    labels = read_labels(y)
    if is_pandas_column(labels):
        return _of_pandas(labels, name, place, categories=categories)
    declared = declared_categories(y) if categories else None
    if declared is not None:
        every = _of_objects(np.concatenate([labels.astype(object), declared]), name, place)
        return DistinctLabels(every.codes[: len(labels)], every.labels, name, place)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must have one label per row, got an array of shape {labels.shape}: "
            "pass a one-dimensional array"
        )
    if labels.dtype.kind in "OT":
        return _of_objects(labels.astype(object, copy=False), name, place)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise _missing(name, place(int(np.argmax(np.isnan(labels)))))
    if labels.dtype.kind in "iu":
        found, codes = _of_integers(labels)
    elif labels.dtype.kind in "US":
        found, codes = _of_strings(labels)
    elif labels.dtype.kind in "bf":
        found, codes = np.unique(labels, return_inverse=True)
    else:
        raise ValueError(
            f"{name} must contain strings or numbers, got an array of type {labels.dtype}: "
            "convert it with astype(str)"
        )
    return DistinctLabels(codes, found, name, place)


def read_labels(y: Any) -> Any:
    """The labels as an array; a pandas column is kept unless it holds plain numbers.

    Half-precision numbers become doubles, which all libraries know.  Pandas numbers the distinct
    values of its columns itself, faster than a loop over objects.  No label changes: integers that
    a float cannot represent stay objects, and a masked entry is None.
    """
    if isinstance(y, np.ndarray):
        labels = column_array(y)
        return labels.astype(np.float64) if labels.dtype == np.float16 else labels
    if not isinstance(y, (list, tuple)):
        y = in_memory(y)
        return y if is_pandas_column(y) and y.dtype.kind not in "biuf" else column_array(y)
    types = set(map(type, y))
    plain = plain_values(y, types)
    if plain is not y:
        y, types = plain, set(map(type, plain))
    if types and not types & {np.ma.core.MaskedConstant} and not _are_text(types):
        try:
            labels = np.asarray(y)
        except ValueError:  # ragged
            labels = np.zeros(0, dtype=object)
        if _keeps_integers(labels, types) and labels.dtype.kind not in "USO":
            return labels
    if np.ma.core.MaskedConstant in types:  # it cannot be hashed
        y = [None if value is np.ma.masked else value for value in y]
    if any(issubclass(t, np.number) for t in types):
        y = [value.item() if isinstance(value, np.number) else value for value in y]
    return np.fromiter(y, dtype=object, count=len(y))


def _are_text(types: set[type]) -> bool:
    """Whether some of these types are text, subclasses included."""
    return any(issubclass(t, str) for t in types)


def _keeps_integers(labels: Array, types: set[type]) -> bool:
    """Whether the array has the integers of a list of these types: none of them became a float."""
    return labels.dtype.kind != "f" or not any(issubclass(t, int | np.integer) for t in types)


def _check_is_column(y: Any, name: str) -> None:
    """Refuse what has no rows in a fixed order: text, one value, a set, a generator."""
    if isinstance(y, Iterator):
        raise ValueError(
            f"{name} is a {type(y).__name__}, which can be read only once: pass list({name})"
        )
    if y is None or isinstance(y, (str, bytes, set, frozenset, dict, bool, int, float)):
        raise ValueError(
            f"{name} must have one label per row, got {format_label(y)}: pass a list or an array"
        )


def kind_of_labels(labels: Array) -> str:
    """The kind of labels, of which only the same kind can be equal: text, bytes or numbers."""
    return {"U": "text", "S": "bytes"}.get(labels.dtype.kind, "numbers")


def union_labels(first: Array, second: Array) -> Array:
    """All labels of two arrays, sorted; unlike ``np.union1d`` it does not round large integers.

    Examples
    --------
    >>> union_labels(np.array([2, 3]), np.array([1, 2])).tolist()
    [1, 2, 3]
    >>> len(union_labels(np.array([2**53 + 1]), np.array([2.0**53])))
    2
    """
    if first.dtype == second.dtype or kind_of_labels(first) != "numbers":
        return np.union1d(first, second)
    return _exact_array(sorted({*first.tolist(), *second.tolist()}))


def _exact_array(labels: list[Any]) -> Array:
    """Numbers as an array that has exactly these values: of objects if no other type does."""
    array = np.array(labels)
    if array.dtype.kind in "iub" or (array.dtype != object and array.tolist() == labels):
        return array
    # Python's numbers are compared exactly, NumPy's only with numbers of a similar size
    plain = (label.item() if isinstance(label, np.generic) else label for label in labels)
    return np.fromiter(plain, dtype=object, count=len(labels))


def _missing(name: str, place: str) -> ValueError:
    return ValueError(f"{name} has a missing label in {place}: drop the row or give it a label")


def _of_pandas(
    column: Any, name: str, place: Callable[[int], str], *, categories: bool
) -> DistinctLabels:
    if column.dtype == object:  # pandas 2 takes "a" and "a\0b" for one value
        return _of_objects(np.asarray(column, dtype=object), name, place)
    codes, values = column.factorize()
    codes = np.asarray(codes, dtype=np.intp)
    if codes.size and codes.min() < 0:
        raise _missing(name, place(int(np.argmin(codes))))
    declared = declared_categories(column) if categories else None
    every = [*np.asarray(values, dtype=object), *([] if declared is None else declared)]
    found = _of_objects(
        np.fromiter(every, dtype=object, count=len(every)),
        name,
        lambda value: place(int(np.argmax(codes == value))),
    )
    return DistinctLabels(found.codes[codes], found.labels, name, place)


class _Numbering(dict[Any, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


def _of_objects(objects: Array, name: str, place: Callable[[int], str]) -> DistinctLabels:
    listed, number = objects.tolist(), _Numbering()
    try:
        codes = _number_texts(listed, number)
        if codes is None:
            codes = np.fromiter(map(number.__getitem__, listed), dtype=np.intp, count=len(listed))
    except TypeError:
        row = next(i for i, label in enumerate(objects) if getattr(label, "__hash__", 0) is None)
        raise ValueError(
            f"{name} must have one label per row, got {brief(objects[row])} in {place(row)}: "
            "pass strings or numbers"
        ) from None
    first = DistinctLabels(codes, np.fromiter(number, dtype=object, count=len(number)), name, place)
    is_plain = set(map(type, number)) == {str} and not any(map(_ends_with_nul, number))
    for code, label in enumerate(() if is_plain else number):
        if is_missing(label):
            raise _missing(name, first.where(code))
        _check_label(label, first, code)
    kinds = ["text"] if is_plain else [_kind_of_label(label) for label in number]
    if len(set(kinds)) > 1:
        other = next(i for i, kind in enumerate(kinds) if kind != kinds[0])
        raise ValueError(
            f"{name} mixes strings and other labels ({format_label(first.labels[0])} in "
            f"{first.where(0)}, {format_label(first.labels[other])} in {first.where(other)}): make "
            "all of them strings or all of them numbers"
        )
    is_text = bool(kinds) and kinds[0] == "text"
    each = list(map(plain_text, number))
    labels = np.array(each, dtype=str) if is_text else _exact_array(each)
    found, rank = np.unique(labels, return_inverse=True)
    return DistinctLabels(rank[codes], found, name, place)


def _number_texts(labels: list[Any], number: _Numbering) -> Ints | None:
    """The codes of many labels that are all text; None for others."""
    if len(labels) < _MANY or set(map(type, labels)) != {str}:
        return None
    text = "\0".join(labels)
    if text.count("\0") != len(labels) - 1:
        return None
    found = number_joined(text, "\0")
    if found is not None:
        number.update(zip(found[1], range(len(found[1])), strict=True))
    return None if found is None else found[0]


def _check_label(label: Any, among: DistinctLabels, code: int) -> None:
    """Refuse a label that is neither text nor a number, or that NumPy would change."""
    if not isinstance(label, (str, bytes, int, float, np.bool_, np.integer, np.floating)):
        raise ValueError(
            f"{among.name} must contain strings or numbers, got {format_label(label)} in "
            f"{among.where(code)}: convert the labels to strings"
        )
    refuse_final_nul([label], among.name, f" in {among.where(code)}")


def refuse_final_nul(labels: Iterable[Any], name: str, where: str = "") -> None:
    """Refuse a label that ends with a NUL character, which an array of text does not keep."""
    for label in labels:
        if isinstance(label, (str, bytes)) and label[-1:] in ("\0", b"\0"):
            raise ValueError(
                f"{name} contains {format_label(label)}{where}, which ends with a NUL character "
                "that NumPy would drop: remove it from the label"
            )


def _ends_with_nul(label: str) -> bool:
    return label.endswith("\0")


def _kind_of_label(label: Any) -> str:
    return "text" if isinstance(label, str) else "bytes" if isinstance(label, bytes) else "numbers"


def _of_integers(labels: Array) -> tuple[Array, Ints]:
    """``np.unique`` with its inverse; by a table, not a sort, where the range is small."""
    if labels.size == 0:
        return np.unique(labels, return_inverse=True)
    low = labels.min()
    span = int(labels.max()) - int(low) + 1
    if span > max(_TABLE, len(labels)):
        return np.unique(labels, return_inverse=True)
    if labels.dtype.kind == "u":  # may not fit into signed integers before the subtraction
        place = (labels - low).astype(np.intp)
    else:
        place = labels if low == 0 else labels.astype(np.intp) - int(low)
    seen = np.zeros(span, dtype=np.bool_)
    seen[place] = True
    return np.flatnonzero(seen).astype(labels.dtype) + low, (np.cumsum(seen) - 1)[place]


def _of_strings(labels: Array) -> tuple[Array, Ints]:
    """``np.unique`` with its inverse; by a hash, not a sort, where there are many labels.

    Each string is hashed to a slot of a table, the first string of a slot represents the slot, and
    every string is compared with the representative of its slot.  Only strings that differ from
    it, because two of them share a slot, are sorted.
    """
    n = len(labels)
    if n < _TABLE // 16:
        return np.unique(labels, return_inverse=True)
    labels = np.ascontiguousarray(labels, dtype=labels.dtype.newbyteorder("="))
    character = np.uint32 if labels.dtype.kind == "U" else np.uint8
    units: Array = labels.view(character).reshape(n, -1)
    if units.shape[1] == 1:
        points, codes = _of_integers(units[:, 0])
        return points.view(labels.dtype), codes
    odd = np.random.default_rng(0).integers(1 << 31, size=units.shape[1], dtype=np.uint32) * 2 + 1
    found, number = labels[:0], np.full(_TABLE, -1, dtype=np.intp)  # of slots
    numbers, shared = np.empty(n, dtype=np.uint16), np.empty(n, dtype=np.bool_)
    for start in range(0, n, _CHUNK):
        rows = slice(start, start + _CHUNK)
        slots = units[rows] @ odd >> 16  # multiply-shift; uint32 wraps round
        chosen = number.take(slots)
        if chosen.min() < 0:
            new, first = np.unique(slots[chosen < 0], return_index=True)
            number[new] = len(found) + np.arange(len(new))
            found = np.concatenate([found, labels[rows][chosen < 0][first]])
            chosen = number.take(slots)
        numbers[rows] = chosen
        shared[rows] = found.take(chosen) != labels[rows]
    rest, rest_numbers = np.unique(labels[shared], return_inverse=True)
    every, rank = np.unique(np.concatenate([found, rest]), return_inverse=True)
    codes = rank.take(numbers)
    codes[shared] = rank[len(found) + rest_numbers]
    return every, codes


def encode_labels(
    y: ArrayLike,
    classes: ArrayLike | None = None,
    *,
    name: str = "y_true",
    n_classes: int | None = None,
) -> tuple[Ints, Array]:
    """Encode labels as codes 0..K-1, and return the classes they refer to.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels: strings, integers, booleans or other numbers, none of them missing.
    classes : array-like of shape (K,), optional
        The classes, in the order of the codes.  Any other label is an error.  By default the
        classes are the sorted distinct labels and the categories of a pandas Categorical.
    name : str
        The name of ``y`` in error messages.
    n_classes : int, optional
        The number of classes if they have no names, as for a matrix without ``classes``: integers
        are then codes already, and other labels are taken in sorted order if exactly ``n_classes``
        distinct ones occur.

    Returns
    -------
    codes : ndarray of intp, shape (n,)
    classes : ndarray of shape (K,)

    Examples
    --------
    >>> codes, classes = encode_labels(["b", "a", "b"])
    >>> codes.tolist(), classes.tolist()
    ([1, 0, 1], ['a', 'b'])
    >>> encode_labels(["b", "a"], classes=["c", "b", "a"])[0].tolist()
    [1, 2]
    >>> encode_labels([0, 2], n_classes=4)[1].tolist()
    [0, 1, 2, 3]
    >>> encode_labels(["a", "d"], classes=["a", "b", "c"])
    Traceback (most recent call last):
    ...
    ValueError: y_true contains 'd' in row 1, which is not among the classes 'a', 'b', 'c': correct
    it, or add it to classes=
    """
    _check_is_column(y, name)
    labels = read_labels(y)
    if classes is None and n_classes is not None:
        classes = _whole_categories(y, n_classes)
    known = None if classes is None else check_classes(classes)
    numbers = np.arange(n_classes or 0) if known is None else known
    if _are_codes(numbers) and _are_within(labels, len(numbers)):
        return labels.astype(np.intp, copy=False), numbers
    given = labels if declared_categories(y) is None else y
    found = distinct_labels(given, name, categories=known is None)
    if known is not None:
        return found.among(known), known
    if n_classes is None:
        return found.codes, found.labels
    if len(found.labels) > n_classes:  # a column per class that occurs, as of scikit-learn
        found = distinct_labels(labels, name, categories=False)
    return _as_columns(found, n_classes)


def _whole_categories(y: Any, n_classes: int) -> list[int] | None:
    """The declared categories in sorted order, if they are one whole number per column."""
    declared = declared_categories(y)
    if declared is None or len(declared) != n_classes:
        return None
    is_whole = all(type(label) is int for label in declared.tolist())
    return sorted(declared.tolist()) if is_whole else None


def _as_columns(found: DistinctLabels, n_classes: int) -> tuple[Ints, Array]:
    """Codes if only the number of classes is known, by the rule in ``encode_labels``."""
    labels = found.labels
    if labels.dtype.kind in "iu" or labels.size == 0:
        if labels.size and (labels[0] < 0 or labels[-1] >= n_classes):
            raise ValueError(
                f"{found.name} runs from {labels[0]} to {labels[-1]} but the predictions have "
                f"{n_classes} columns: pass codes 0..{n_classes - 1}, or name the columns with "
                "classes="
            )
        return labels.astype(np.intp)[found.codes], np.arange(n_classes)
    if labels.dtype.kind == "b" and n_classes == 2:
        return labels.astype(np.intp)[found.codes], np.array([False, True])
    if len(labels) != n_classes:
        plural = "" if len(labels) == 1 else "s"
        raise ValueError(
            f"{found.name} contains {len(labels)} distinct label{plural} ({format_labels(labels)}) "
            f"but the predictions have {n_classes} columns: name the columns with classes="
        )
    return found.codes, labels


def numbered_classes(y: Any, table: Any) -> list[int] | None:
    """The classes of a pandas frame with columns 1, 2, ..., if the true labels say so; else None.

    Such numbers are classes for ``pd.DataFrame({1: ..., 2: ...})`` in pandas 3, and places for
    ``frame.iloc[:, 1:]`` of a frame without names.  True labels that can be both are an error.

    Examples
    --------
    This example needs ``pip install 'wager[frames]'``.

    >>> import pandas as pd
    >>> table = pd.DataFrame({1: [0.75, 0.25], 2: [0.25, 0.75]})
    >>> numbered_classes([2, 1], table), numbered_classes([1, 0], table)
    ([1, 2], None)
    """
    numbers = shifted_numbers(table)
    if numbers is None:
        return None
    declared = declared_categories(y)
    labels = read_labels(y) if declared is None else declared
    if is_pandas_column(labels):  # such as of nullable integers
        labels = np.asarray(labels, dtype=object)
    listed = np.ravel(labels).tolist()
    if not all(type(label) is int for label in listed) or not set(listed) <= set(numbers):
        return None
    found = set(listed)
    if not found:
        return None
    if found <= set(range(len(numbers))):
        raise ValueError(
            f"the columns are numbered {numbers[0]} to {numbers[-1]}, which may be the classes or "
            f"the places after other columns, and the true labels {format_labels(sorted(found))} "
            "can be either: pass classes= with the classes of the columns"
        )
    return list(numbers)


def check_classes(classes: ArrayLike, name: str = "classes") -> Array:
    """The declared classes as an array; an empty list or a duplicate is an error.

    Examples
    --------
    >>> check_classes(["b", "a"]).tolist()
    ['b', 'a']
    """
    if type(classes) is np.ndarray and classes.ndim == 1 and len(classes) and _are_codes(classes):
        return classes.copy()
    found = distinct_labels(classes, name, categories=False)
    if len(found.codes) == 0:
        raise ValueError(f"{name} is empty: name at least one class")
    counts = np.bincount(found.codes)
    if counts.max() > 1:
        twice = found.labels[np.argmax(counts > 1)]
        raise ValueError(f"duplicate class {format_label(twice)} in {name}: name each class once")
    return found.labels[found.codes]


def read_class_labels(
    estimator: Any, y: Any, n_rows: int, classes: ArrayLike | None = None
) -> tuple[Ints, Array]:
    """The labels given to ``fit`` as codes, after scikit-learn's checks, and the classes.

    The categories of a pandas column are its classes, in sorted order as in scikit-learn; declared
    ``classes`` keep their order.
    """
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    # scikit-learn's checks take longer than many a small fit, and change no array of codes
    is_plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu"
    y = y if is_plain else labels_for_fit(y)
    is_categorical = hasattr(y, "cat") and declared_categories(y) is not None
    if not (is_categorical or is_plain):
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            row = int(np.argmin(np.isfinite(y)))
            raise ValueError(f"y contains {y[row]} in row {row}: drop the row or give it a label")
    # categories, integers and booleans are always classes; the check would sort all of them
    if not (is_categorical or y.dtype.kind in "biu"):
        _check_targets(y)
    if len(y) != n_rows:
        check_consistent_length(np.empty(n_rows), y)
    return encode_labels(y, classes, name="y")


def labels_for_fit(y: Any) -> Any:
    """Labels that scikit-learn's checks know, and from which they lose nothing.

    They would lose a mask, a final NUL and large integers, and refuse whole numbers among objects
    and NumPy's text of any length.
    """
    if isinstance(y, list | tuple):
        y = plain_values(y, set(map(type, y)))
        types = set(map(type, y))
        if _are_text(types - _TEXT):
            return np.fromiter(map(plain_text, y), dtype=object, count=len(y))
        if types & _TEXT and any(
            isinstance(label, str) and label.endswith("\0") for label in _distinct(y, types)
        ):
            return np.fromiter(y, dtype=object, count=len(y))
        return read_labels(y) if np.ma.core.MaskedConstant in types else y
    y = keep_values(in_memory(y))
    whole = getattr(getattr(y, "dtype", None), "numpy_dtype", None)  # of pandas' nullable columns
    if is_pandas_column(y) and whole is not None and whole.kind in "biu" and not y.isna().any():
        return y.to_numpy(dtype=whole)  # scikit-learn makes doubles of them
    kind = getattr(getattr(y, "dtype", None), "kind", None)
    if kind == "T":
        return y.astype(object)
    if kind == "O" and y.ndim == 1 and all(type(label) is int for label in y):
        return _exact_array(list(y))
    return y


def _distinct(labels: Sequence[Any], types: set[type]) -> Iterable[Any]:
    """The distinct labels if they are text, else all of them, some of which cannot be in a set."""
    return set(labels) if types == {str} else labels


def _check_targets(y: Array) -> None:
    """Refuse labels that are not classes; name the row of a missing label."""
    from sklearn.utils.multiclass import check_classification_targets

    try:
        check_classification_targets(y)
    except (TypeError, ValueError):  # sorting a missing label fails
        for row, label in enumerate(y):
            if is_missing(label):
                raise ValueError(
                    f"y contains {label} in row {row}: drop the row or give it a label"
                ) from None
        raise


def _are_codes(classes: Array) -> bool:
    return classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))


def _are_within(labels: Any, n_classes: int) -> bool:
    """Whether the labels are an array of integers in 0..n_classes-1."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu" or labels.ndim != 1:
        return False
    return labels.size == 0 or bool(labels.min() >= 0 and labels.max() < n_classes)
