"""The classes of a prediction file.

In SQL every label is text.  Here the texts become the classes that a user sees: declared classes as
they were given; otherwise sorted, and as whole numbers if all of them are whole numbers and the
file does not declare its labels as text.  Labels that are written to a file take the other way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import BLANKS, encode_labels, refuse_final_nul
from wager._typing import Array, ArrayLike
from wager.predictions.files._columns import FileColumn

__all__ = [
    "class_array",
    "class_texts",
    "joint_classes",
    "label_column",
    "plain_labels",
    "plain_texts",
    "refuse_mixed_kinds",
    "refuse_unsaved",
]

_LABEL_BYTES = 1 << 28  # that labels may take at most, or so many times their characters:
_WASTE = 40
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # what UTF-8, or a CSV file, cannot contain
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def class_texts(classes: Array) -> list[str]:
    """How the labels of these classes are spelled in SQL, without blanks around them.

    Examples
    --------
    >>> class_texts(np.array([True, False])), class_texts(np.array([2.0, 10.0]))
    (['True', 'False'], ['2', '10'])
    >>> class_texts(np.array(["a ", "b"]))
    ['a', 'b']
    """
    if classes.dtype.kind == "f" and (np.abs(classes.astype(np.float64)) < 2.0**63).all():
        whole = classes.astype(np.int64)
        classes = whole if (classes == whole).all() else classes
    return [str(label).strip(BLANKS) for label in classes.tolist()]


def class_array(texts: Iterable[str], truth: FileColumn) -> Array:
    """The sorted classes that these texts name, in a file whose true classes are in `truth`."""
    distinct = list(dict.fromkeys(texts))
    if _all_whole(distinct) and not truth.is_text:
        return np.array(sorted(int(text) for text in distinct))
    _refuse_long_labels(distinct)
    refuse_final_nul(distinct, "the file")
    return np.array(sorted(distinct))


def _refuse_long_labels(texts: Sequence[str]) -> None:
    """Raise if one long label makes all labels, which take equal space, fill the memory."""
    longest = max(texts, key=len, default="")
    size = 4 * len(longest) * len(texts)
    if size > max(_LABEL_BYTES, _WASTE * sum(map(len, texts))):
        raise ValueError(
            f"a label of {len(longest)} characters ({longest[:20]!r} ...) beside {len(texts) - 1} "
            f"other classes would take {size / 1e9:.1f} GB: shorten it"
        )


def joint_classes(parts: Sequence[Array]) -> Array:
    """The classes that rows of several files, or parts of one, show.

    Examples
    --------
    >>> joint_classes([np.array([2, 10]), np.array([1])]).tolist()
    [1, 2, 10]
    >>> joint_classes([np.array([2, 10]), np.array(["a"])]).tolist()
    ['10', '2', 'a']
    """
    if not all(labels.dtype.kind in "iu" for labels in parts):
        parts = [labels.astype(str) for labels in parts]
    return np.unique(np.concatenate(parts))


def refuse_mixed_kinds(
    path: Path, predicted_in: str, truths: Collection[str], predicted: Collection[str]
) -> None:
    """Raise if ``y_true`` has numbers and the column `predicted_in` names, or the reverse."""
    for these, those in ((truths, predicted), (predicted, truths)):
        if these and those and not any(map(_is_whole, those)) and _all_whole(these):
            raise ValueError(
                f"{path}: y_true and {predicted_in} do not name the same classes: y_true contains "
                f"{min(truths)!r} and {predicted_in} contains {min(predicted)!r}: use names in "
                "both or numbers in both"
            )


def label_column(labels: ArrayLike, name: str) -> Array:
    """Labels, one per row, as a file contains them; `name` is for error messages."""
    codes, distinct = encode_labels(labels, name=name)
    return plain_labels(distinct, name)[codes]


def plain_labels(labels: Array, name: str) -> Array:
    """Labels as a file contains them: whole numbers, or else text without blanks around it."""
    if labels.dtype.kind in "iu":
        return labels
    if labels.dtype.kind == "f":
        if not (labels == np.trunc(labels)).all():
            raise ValueError(
                f"{name} contains fractions: labels in a file must be text or whole numbers"
            )
        if (np.abs(labels) >= 2.0**63).any():
            raise ValueError(
                f"{name} contains {labels[np.abs(labels) >= 2.0**63][0]:g}: labels in a file must "
                "be text, or whole numbers below 2^63"
            )
        return labels.astype(np.int64)
    texts = np.array([str(label).strip(BLANKS) for label in labels.tolist()], dtype=object)
    for text in texts:
        if not text:
            raise ValueError(
                f"{name} contains an empty label, which is a missing value in a file: rename it"
            )
    refuse_unsaved(texts.tolist(), name)
    known: dict[str, Any] = {}
    for text, label in zip(texts, labels.tolist(), strict=True):
        if known.setdefault(text, label) != label:
            raise ValueError(
                f"{name} contains {known[text]!r} and {label!r}, which are the same label in a "
                "file: rename one"
            )
    return texts


def plain_texts(classes: Array) -> list[str]:
    """The names of classes as a file contains them, all different; others are refused.

    Examples
    --------
    >>> plain_texts(np.array([2.0, 10.0]))
    ['2', '10']
    """
    return [str(label) for label in plain_labels(classes, "classes").tolist()]


def refuse_unsaved(texts: Iterable[str | None], name: str) -> None:
    """Raise for the first text that a file cannot contain; `name` is for error messages."""
    wrong = next((text for text in texts if text and _NO_TEXT.search(text)), None)
    if wrong is not None:
        raise ValueError(f"{name} contains {wrong!r}, which cannot be saved as text: rename it")


def _is_whole(text: str) -> bool:
    return _WHOLE_NUMBER.fullmatch(text) is not None


def _all_whole(texts: Iterable[str]) -> bool:
    return all(map(_is_whole, texts))
