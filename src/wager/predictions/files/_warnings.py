"""What is odd about a file that can be read: sentences that say so, for the user to judge.

They are attributes of what was read, not Python warnings, which would stop programs that treat
warnings as errors.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wager._tables import format_labels
from wager._typing import Array, Bools, Ints
from wager.predictions._packing import unpack
from wager.predictions.files._predictions import Predictions

__all__ = ["oddities", "oddities_of_rows"]


def oddities(classes: Array, truth: Ints, predicted: Bools | None, size: Ints) -> tuple[str, ...]:
    """Sentences about classes that are never true, one-class truth and sets of all classes.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes.
    truth, size : ndarray of int
        True classes and set sizes that occur, in any number and order.
    predicted : ndarray of bool, shape (K,), or None
        The classes that occur in a prediction; None if they are not known.

    Examples
    --------
    >>> oddities(np.array(["a", "b"]), np.array([0]), np.array([True, True]), np.array([1]))[0]
    "'b' is predicted but never occurs in y_true: check the spelling"
    """
    found = []
    true = np.isin(np.arange(len(classes)), truth)
    never = classes[predicted & ~true] if predicted is not None else classes[:0]
    full = len(classes) > 1 and bool((size == len(classes)).all())
    if len(never) and not full:
        verbs = (
            "is predicted but never occurs" if len(never) == 1 else "are predicted but never occur"
        )
        found.append(f"{format_labels(never)} {verbs} in y_true: check the spelling")
    if true.sum() == 1:
        found.append(
            f"y_true is {format_labels(classes[true])} in every row: the scores say nothing about "
            "other classes"
        )
    if full:
        found.append(f"every set names all {len(classes)} classes, so the predictions say nothing")
    return tuple(found)


def oddities_of_rows(parts: Iterable[Predictions]) -> tuple[str, ...]:
    """The oddities of rows that come in parts; the class of the largest value is predicted."""
    classes = np.array([])
    truth: set[int] = set()
    size: set[int] = set()
    predicted: Bools | None = None
    for part in parts:
        classes = part.classes
        truth.update(np.unique(part.codes).tolist())
        named = _named(part)
        predicted = named if predicted is None or named is None else predicted | named
        size.update({1} if part.sets is None else np.unique(part.sets.sizes).tolist())
    return oddities(classes, np.array([*truth]), predicted, np.array([*size]))


def _named(part: Predictions) -> Bools | None:
    """The classes that are predicted in any row; None for intervals, which a rule must decide."""
    K = len(part.classes)
    if part.sets is not None:
        return unpack(np.bitwise_or.reduce(part.sets.words, axis=0)[None], K)[0]
    values = part.memberships if part.proba is None else part.proba
    if values is None:
        return None
    return np.isin(np.arange(K), values.argmax(axis=1))
