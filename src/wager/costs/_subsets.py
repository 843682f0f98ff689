"""Sets of classes: one by its labels, and all of them in the order in which a table lists them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Words
from wager.predictions import encode_labels

__all__ = ["MOST_CLASSES", "members_of", "show_set", "subset_masks"]

MOST_CLASSES = 20  # a million sets: more than anybody reads, and the memory of a table of them


def subset_masks(n_classes: int) -> Words:
    """Every non-empty set of classes as a bit mask, by size, then lexicographically.

    Examples
    --------
    >>> subset_masks(3).tolist()  # 0, 1, 2, 01, 02, 12, 012
    [1, 2, 4, 3, 5, 6, 7]
    """
    if n_classes > MOST_CLASSES:
        raise ValueError(
            f"{n_classes} classes have 2**{n_classes} - 1 sets, too many to list (at most "
            f"{MOST_CLASSES} classes): ask for the sets you need, as extended.of(sets, y_true) does"
        )
    masks = np.arange(1, 1 << n_classes, dtype=np.uint64)
    # With class 0 as the highest digit, the larger number comes first in the dictionary.
    mirrored = np.zeros(len(masks), dtype=np.int64)
    for k in range(n_classes):
        bit = (masks >> np.uint64(k) & np.uint64(1)).astype(np.int64)
        mirrored |= bit << (n_classes - 1 - k)
    return masks[np.lexsort((-mirrored, np.bitwise_count(masks)))]


def members_of(labels: Any, classes: Array) -> Bools:
    """The indicator of one set: a label alone, or any collection of labels; never empty."""
    several = isinstance(labels, Iterable) and not isinstance(labels, str | bytes)
    listed = list(labels) if several else [labels]
    if not listed:
        raise ValueError("the empty set has no cost of its own: pass empty_cost= to score it")
    codes, _ = encode_labels(listed, classes, name="the set")
    members = np.zeros(len(classes), dtype=bool)
    members[codes] = True
    return members


def show_set(members: Bools, classes: Array) -> str:
    """A set as the papers write it: {h, b}."""
    return "{" + ", ".join(str(label) for label in classes[members]) + "}"
