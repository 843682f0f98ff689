"""The classes that a prediction file speaks of.

Inside SQL every label is text.  Here the texts become the classes a user sees: declared ones as
they were given; others sorted, as whole numbers if all of them are and the file does not say that
its labels are text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np

from wager._tables import check_classes
from wager._typing import Array, ArrayLike
from wager.predictions.files._columns import is_text
from wager.predictions.files._layout import Layout
from wager.predictions.files._source import Source

__all__ = ["BITS", "class_texts", "declared_classes", "find_classes", "refuse_mixed_kinds"]

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
BITS = 64  # of a mask


def declared_classes(source: Source, layout: Layout, classes: ArrayLike | None) -> Array | None:
    """The classes known before a row is read: those declared, or named by the columns."""
    declared = None if classes is None else check_classes(classes)
    if layout.form == "mask":
        if declared is None:
            raise ValueError(
                f"{source.path}: a mask names classes by number only: list them in the order of "
                "the bits with classes= (--classes a,b,c)"
            )
        if len(declared) > BITS:
            raise ValueError(
                f"{source.path}: a mask has bits for {BITS} classes, but {len(declared)} are "
                "declared: state the predictions as set or in:<class> columns"
            )
    if declared is None:
        return _as_array(layout.labels, source, layout) if layout.labels else None
    known = set(class_texts(declared))
    for place, label in zip(layout.columns, layout.labels, strict=False):
        if label not in known:
            raise ValueError(
                f"{source.path}: the column {source.names[place]} speaks of a class that is not "
                f"declared: add {label} to classes= (--classes), or drop the column"
            )
    return declared


def find_classes(
    source: Source, layout: Layout, truths: Collection[str], predicted: Collection[str]
) -> Array:
    """The classes of a file that declares none: every label that occurs."""
    refuse_mixed_kinds(source, layout, truths, predicted)
    return _as_array({*truths, *predicted}, source, layout)


def class_texts(classes: Array) -> list[str]:
    """How labels of these classes are spelled in SQL.

    Examples
    --------
    >>> class_texts(np.array([True, False])), class_texts(np.array([2.0, 10.0]))
    (['True', 'False'], ['2', '10'])
    """
    if classes.dtype.kind == "f" and (classes == np.trunc(classes)).all():
        classes = classes.astype(np.int64)
    return [str(label) for label in classes.tolist()]


def refuse_mixed_kinds(
    source: Source, layout: Layout, truths: Collection[str], predicted: Collection[str]
) -> None:
    """Refuse numbers on one side and names on the other: they cannot mean the same classes."""
    for these, those in ((truths, predicted), (predicted, truths)):
        if these and those and _all_whole(these) and not any(map(_is_whole, those)):
            name = source.names[layout.columns[0]]
            raise ValueError(
                f"{source.path}: y_true and {name} do not speak of the same classes: y_true holds "
                f"{min(truths)!r} and {name} {min(predicted)!r}: make both names or both numbers"
            )


def _as_array(texts: Iterable[str], source: Source, layout: Layout) -> Array:
    distinct = list(dict.fromkeys(texts))
    if _all_whole(distinct) and not is_text(source, layout.truth):
        return np.array(sorted(int(text) for text in distinct))
    return np.array(sorted(distinct))


def _is_whole(text: str) -> bool:
    return _WHOLE_NUMBER.fullmatch(text) is not None


def _all_whole(texts: Iterable[str]) -> bool:
    return all(map(_is_whole, texts))
