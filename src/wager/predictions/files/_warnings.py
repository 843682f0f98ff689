"""What is odd about a file that can be read: sentences that say so, for the user to judge.

They are attributes of what was read, not Python warnings, which would stop programs that treat
warnings as errors.
"""

from __future__ import annotations

import numpy as np

from wager._tables import format_labels
from wager._typing import Array, Bools, Ints
from wager.predictions._top_k import most_probable
from wager.predictions.files._predictions import Predictions

__all__ = ["RowOddities", "oddities"]


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


class RowOddities:
    """The oddities of rows that come in parts; the class of the largest value is predicted."""

    def __init__(self) -> None:
        self._classes: Array = np.array([])
        self._truth: set[int] = set()
        self._sizes: set[int] = set()
        self._predicted: Bools | None = None
        self._is_known = True

    @classmethod
    def of(cls, classes: Array, truth: Ints, predicted: Bools | None, size: Ints) -> RowOddities:
        """The oddities of rows of which it is known what occurs in them; see `oddities`."""
        found = cls()
        found._classes, found._predicted = classes, predicted
        found._truth, found._sizes = set(truth.tolist()), set(size.tolist())
        found._is_known = predicted is not None
        return found

    def __add__(self, other: RowOddities) -> RowOddities:
        """Those of the rows of two parts, over the same classes."""
        found = RowOddities()
        found._classes = self._classes
        found._truth, found._sizes = self._truth | other._truth, self._sizes | other._sizes
        found._is_known = self._is_known and other._is_known
        named = [one._predicted for one in (self, other) if one._predicted is not None]
        found._predicted = np.logical_or.reduce(named) if named else None
        return found

    def add(self, part: Predictions) -> None:
        """Take account of some rows; rows that come twice change nothing."""
        self._classes = part.classes
        self._truth.update(np.flatnonzero(np.bincount(part.codes)).tolist())
        named = _named(part)
        self._is_known &= named is not None
        if named is not None:
            self._predicted = named if self._predicted is None else self._predicted | named
        sizes = {1} if part.sets is None else np.flatnonzero(np.bincount(part.sets.sizes)).tolist()
        self._sizes.update(sizes)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is odd about all rows so far."""
        predicted = self._predicted if self._is_known else None
        truth, sizes = np.array([*self._truth]), np.array([*self._sizes])
        return oddities(self._classes, truth, predicted, sizes)


def _named(part: Predictions) -> Bools | None:
    """The classes that are predicted in any row; None for intervals, which a rule must decide."""
    K = len(part.classes)
    if part.sets is not None:
        return part.sets.named
    values = part.memberships if part.proba is None else part.proba
    if values is None:
        return None
    return np.bincount(most_probable(values), minlength=K) > 0
