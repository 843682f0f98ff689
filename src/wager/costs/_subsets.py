"""Sets of classes: a set given by its labels, and all sets in the order of the printed tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wager._tables import encode_labels, in_braces
from wager._typing import Array, Bools, Words

__all__ = ["MOST_CLASSES", "members_of", "show_set", "subset_masks"]

MOST_CLASSES = 20  # a million sets: the largest table that fits into memory


def subset_masks(n_classes: int) -> Words:
    """Every non-empty set of classes as a bit mask, ordered by size, then lexicographically.

    Examples
    --------
    >>> subset_masks(3).tolist()  # 0, 1, 2, 01, 02, 12, 012
    [1, 2, 4, 3, 5, 6, 7]
    """
    if n_classes > MOST_CLASSES:
        raise ValueError(
            f"{n_classes} classes have 2**{n_classes} - 1 sets, too many to list (at most "
            f"{MOST_CLASSES} classes): compute the costs of the sets you need with "
            "extended.of(sets, y_true)"
        )
    masks = np.arange(1, 1 << n_classes, dtype=np.uint64)
    # With class 0 as the highest bit, lexicographic order is decreasing order of the numbers.
    mirrored = np.zeros(len(masks), dtype=np.int64)
    for k in range(n_classes):
        bit = (masks >> np.uint64(k) & np.uint64(1)).astype(np.int64)
        mirrored |= bit << (n_classes - 1 - k)
    return masks[np.lexsort((-mirrored, np.bitwise_count(masks)))]


def members_of(labels: Any, classes: Array) -> Bools:
    """The indicator of one non-empty set, given as a label or as a collection of labels."""
    several = isinstance(labels, Iterable) and not isinstance(labels, str | bytes)
    listed = list(labels) if several else [labels]
    if not listed:
        raise ValueError("the empty set has no cost: name at least one class")
    codes, _ = encode_labels(listed, classes, name="the set")
    members = np.zeros(len(classes), dtype=bool)
    members[codes] = True
    return members


def show_set(members: Bools, classes: Array) -> str:
    """The members among the classes as text: {h, b}."""
    return in_braces(classes[members])
