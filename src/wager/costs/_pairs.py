"""The distinct pairs of predicted set and true class among many rows."""

from __future__ import annotations

import numpy as np

from wager._typing import Ints, Words
from wager.rewards import distinct_numbers

__all__ = ["distinct_pairs"]

_MOST_CELLS = 1 << 20  # up to this size a table of all (set, true class) cells is counted directly


def distinct_pairs(words: Words, codes: Ints, n_classes: int) -> tuple[Words, Ints, Ints]:
    """The distinct pairs of set and true class, ordered, and the place of each row among them."""
    n_cells = n_classes << n_classes if n_classes <= 20 else np.inf
    if n_cells <= min(_MOST_CELLS, 8 * len(codes)):  # a table of all pairs beats sorting
        numbers, place = distinct_numbers(words[:, 0].astype(np.intp) * n_classes + codes)
        masks, truth = np.divmod(numbers, n_classes)
        return masks.astype(np.uint64)[:, None], truth, place
    order = np.lexsort((codes, *words.T))
    words, codes = words[order], codes[order]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (words[1:] != words[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
    place = np.empty(len(codes), dtype=np.intp)
    place[order] = np.cumsum(first) - 1
    return words[first], codes[first], place
