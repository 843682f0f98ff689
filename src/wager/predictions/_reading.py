"""Read sets in each of their forms into rows of classes, and the names of the classes.

Each reader checks its argument; an error says what is wrong, and in which row or column.  The
classes are those that the user declares; otherwise the sorted labels that occur; otherwise, for a
matrix without names, the numbers of its columns.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from wager._tables import (
    DistinctLabels,
    check_classes,
    count_joined,
    counted,
    distinct_labels,
    flatten_lists,
    format_label,
    format_labels,
    frame_to_matrix,
    is_frame,
    is_sparse,
    kind_of_labels,
    number_joined,
    require_kind,
    there_are,
)
from wager._typing import Array, ArrayLike, Ints
from wager._visible import brief
from wager.predictions._indicator import check_indicator, check_sparse_indicator
from wager.predictions._packing import n_words, pack
from wager.predictions._probabilities import same_spelling
from wager.predictions._set_rows import PackedRows, SetRows, rows_of_codes
from wager.predictions._strings import separator_in, split_labels

__all__ = [
    "ClassSource",
    "ReadSets",
    "check_same_kind",
    "over_classes",
    "read_determinate",
    "read_indicator",
    "read_lists",
    "read_masks",
    "read_strings",
    "refuse_other_separator",
]

_MANY_STRINGS = 100_000  # from which they are split together, if most of them are different
_SAMPLE = 2000  # strings that show whether they are

ClassSource: TypeAlias = Literal["declared", "labels", "columns"]


class ReadSets(NamedTuple):
    """Sets of the classes 0..K-1, the names of the classes, and where these come from."""

    rows: SetRows
    classes: Array
    source: ClassSource


def read_indicator(matrix: Any, classes: ArrayLike | None) -> ReadSets:
    """Sets from a dense or sparse matrix, or from a table with named columns."""
    if is_frame(matrix):
        matrix, names = frame_to_matrix(matrix, classes)
        if names is not None:
            named = read_indicator(matrix, check_classes(names, "the columns"))
            return named if classes is None else over_classes(named, check_classes(classes))
    known = None if classes is None else check_classes(classes)
    if is_sparse(matrix):
        rows = rows_of_codes(*check_sparse_indicator(matrix, known), matrix.shape[-1])
    else:
        flags = check_indicator(matrix, known)
        rows = PackedRows(pack(flags), flags.shape[1])
    columns = ReadSets(rows, np.arange(rows.n_classes), "columns")
    return columns if known is None else over_classes(columns, known)


def read_determinate(labels: Any, classes: ArrayLike | None) -> ReadSets:
    """Sets from one label per row."""
    found = distinct_labels(labels, "y_pred", categories=classes is None)
    known = None if classes is None else check_classes(classes)
    return _read_labels(found, np.ones(len(found.codes), dtype=np.intp), known)


def read_lists(lists: Any, classes: ArrayLike | None) -> ReadSets:
    """Sets from lists of labels."""
    labels, lengths = flatten_lists(lists)
    ends = np.cumsum(lengths)
    found = distinct_labels(
        labels, "y_pred", lambda i: f"row {np.searchsorted(ends, i, side='right')}"
    )
    return _read_labels(found, lengths, None if classes is None else check_classes(classes))


def read_strings(strings: Any, classes: ArrayLike | None, sep: str) -> ReadSets:
    """Sets from text; each distinct text is split once."""
    if not sep or "\\" in sep:
        raise ValueError(f"sep must be text without a backslash, got {brief(sep)}: pass sep='|'")
    many = _read_many_strings(strings, sep)
    if many is not None:
        return _read_split(*many, classes, sep)
    texts = distinct_labels(strings, "y_pred", categories=False)
    if len(texts.labels) and texts.labels.dtype.kind != "U":
        raise ValueError(
            "sets as text must be strings, got "
            f"{format_label(texts.labels[texts.codes[0]])} in row 0: pass labels that are not "
            "strings to PredictionSets.from_labels"
        )
    labels, lengths = flatten_lists([split_labels(text, sep) for text in texts.labels.tolist()])
    ends = np.cumsum(lengths)
    found = distinct_labels(
        labels, "y_pred", lambda i: texts.where(int(np.searchsorted(ends, i, side="right")))
    )
    if "" in labels:
        raise ValueError(
            f"y_pred has an empty label in {found.place(labels.index(''))}: "
            f"write labels joined by {sep!r}, and empty text for the empty set"
        )
    rows, names, source = _read_split(found, lengths, classes, sep)
    return ReadSets(rows.take(texts.codes), names, source)


def _read_split(
    found: DistinctLabels, lengths: Ints, classes: ArrayLike | None, sep: str
) -> ReadSets:
    """Sets from the labels of text that was split."""
    known = None if classes is None else check_classes(classes)
    if known is not None:
        refuse_other_separator(found, known, sep)
        found = _match_text(found, known)
    return _read_labels(found, lengths, known)


def _read_many_strings(strings: Any, sep: str) -> tuple[DistinctLabels, Ints] | None:
    """The labels of very many texts, most of which are different, and the sizes of the sets.

    None if they are better split one by one, or if one of them is wrong.
    """
    require_kind(sep, "sep", str)
    if len(sep) > 1 or not sep.isascii() or not isinstance(strings, list | np.ndarray):
        return None
    if len(strings) < _MANY_STRINGS:
        return None
    texts = strings if isinstance(strings, list) else strings.tolist()
    if len(set(map(str, texts[:_SAMPLE]))) < _SAMPLE // 2 or set(map(type, texts)) != {str}:
        return None
    joined = sep.join(text for text in texts if text)
    found = None if "\\" in joined or "\0" in joined else number_joined(joined, sep)
    if found is None or not joined or "" in found[1]:
        return None
    lengths = count_joined(texts, sep)
    ends = np.cumsum(lengths)
    labels, rank = np.unique(np.array(found[1]), return_inverse=True)

    def place(i: int) -> str:
        return f"row {np.searchsorted(ends, i, side='right')}"

    return DistinctLabels(rank[found[0]], labels, "y_pred", place), lengths


def read_masks(masks: Any, classes: ArrayLike) -> ReadSets:
    """Sets from bit masks, which must not have bits beyond the classes."""
    known = check_classes(classes)
    words = np.asarray(masks)
    if words.dtype.kind not in "iu" and words.size:
        raise ValueError(
            f"masks must be unsigned integers, got an array of type {words.dtype}: "
            "pass bit masks, or a matrix to PredictionSets.from_indicator"
        )
    columns = n_words(len(known))
    if words.ndim == 1:
        words = words[:, None]
    if words.ndim != 2 or words.shape[1] != columns:
        raise ValueError(
            f"masks over {len(known)} classes must have the shape (n, {columns}), got "
            f"{np.shape(masks)}: pass {columns} word{'s' if columns > 1 else ''} of 64 bits per row"
        )
    highest = (1 << len(known) - 64 * (columns - 1)) - 1
    negative = words.dtype.kind == "i" and words.size and words.min() < 0
    if negative or (words.size and int(words[:, -1].max()) > highest):
        wrong = (words < 0).any(axis=1) | (words[:, -1].astype(np.uint64) > np.uint64(highest))
        row = int(np.argmax(wrong))
        raise ValueError(
            f"the mask in row {row} is {words[row].tolist()[-1]}, but {len(known)} classes use "
            f"only bits 0..{len(known) - 1}: list every class in classes="
        )
    packed = PackedRows(words.astype(np.uint64, copy=False), len(known))
    return ReadSets(packed, known, "declared")


def over_classes(sets: ReadSets, classes: Array) -> ReadSets:
    """The same sets over other classes: renamed columns, reordered or additional classes."""
    if sets.source == "columns" and len(classes) != len(sets.classes):
        raise ValueError(
            f"the sets have {counted(len(sets.classes), 'column')} but "
            f"{there_are(len(classes), 'class')} ({format_labels(classes)}): pass one class per "
            "column"
        )
    if sets.source == "columns" or np.array_equal(classes, sets.classes):
        return ReadSets(sets.rows, classes, "declared")

    def place(code: int) -> str:
        inside = sets.rows.has(np.full(len(sets.rows), code))
        return f"row {np.argmax(inside)}" if inside.any() else "its own classes"

    old = DistinctLabels(np.arange(len(sets.classes)), sets.classes, "y_pred", place)
    to = _match_text(old, classes).among(classes)
    return ReadSets(sets.rows.moved(to, len(classes)), classes, "declared")


def check_same_kind(found: DistinctLabels, classes: Array) -> None:
    """Raise if one side has text and the other numbers or bytes: they cannot be the same labels."""
    if kind_of_labels(found.labels) != kind_of_labels(classes):
        raise ValueError(
            f"{found.name} contains {format_labels(found.labels, most=3)} but y_pred contains "
            f"{format_labels(classes, most=3)}: make both strings or both numbers, or declare the "
            "labels with classes="
        )


def refuse_other_separator(found: DistinctLabels, known: Array, sep: str = "|") -> None:
    """Raise if a label is in fact several known labels, joined by another separator."""
    texts = {str(label) for label in known.tolist()}
    for code, label in enumerate(found.labels.tolist()):
        other = separator_in(label, texts) if isinstance(label, str) else None
        if other not in (None, sep):
            raise ValueError(
                f"{found.name} contains {label!r} in {found.where(code)}, joined by {other!r} "
                f"rather than {sep!r}: read it with PredictionSets.from_strings(..., sep={other!r})"
            )


def _read_labels(found: DistinctLabels, lengths: Ints, known: Array | None) -> ReadSets:
    if known is None:
        rows = rows_of_codes(found.codes, lengths, len(found.labels))
        return ReadSets(rows, found.labels, "labels")
    rows = rows_of_codes(found.among(known), lengths, len(known))
    return ReadSets(rows, known, "declared")


def _match_text(found: DistinctLabels, classes: Array) -> DistinctLabels:
    """Labels that were read as text, as the labels in ``classes`` with the same spelling."""
    labels = same_spelling(found.labels, classes)
    return DistinctLabels(found.codes, labels, found.name, found.place)
