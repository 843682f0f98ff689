"""The distinct pairs of predicted set and true class among many rows."""

from __future__ import annotations

from itertools import count, pairwise

import numpy as np

from wager._typing import Bools, Ints
from wager.predictions import PredictionSets
from wager.rewards import distinct_numbers

__all__ = ["distinct_pairs", "set_keys"]

_MOST_CELLS = 1 << 20  # up to this size a table of all (set, true class) cells is counted directly
_FEW_CLASSES = 64  # sets of so many classes are numbers, which can be sorted


def distinct_pairs(sets: PredictionSets, codes: Ints) -> tuple[PredictionSets, Ints, Ints]:
    """The distinct pairs of set and true class, and the place of each row among them.

    The order of the pairs depends on the pairs only.
    """
    n_classes = len(sets.classes)
    if n_classes > _FEW_CLASSES:
        return _distinct_lists(sets, codes)
    words = sets.words
    n_cells = n_classes << n_classes if n_classes <= 20 else np.inf
    if n_cells <= min(_MOST_CELLS, 8 * len(codes)):  # a table of all pairs beats sorting
        numbers, place = distinct_numbers(words[:, 0].astype(np.intp) * n_classes + codes)
        masks, truth = np.divmod(numbers, n_classes)
        return PredictionSets.from_masks(masks.astype(np.uint64), sets.classes), truth, place
    order = np.lexsort((codes, *words.T))
    first, place = _first_of_each(
        (words[order] != np.roll(words[order], 1, axis=0)).any(axis=1), codes, order
    )
    return sets[order[first]], codes[order[first]], place


def _distinct_lists(sets: PredictionSets, codes: Ints) -> tuple[PredictionSets, Ints, Ints]:
    """The same for many classes: pairs that have the same sum of random numbers are compared."""
    lists, n_classes = sets.rows.sparse(), len(sets.classes)
    for seed in count():  # a second seed is needed if two different pairs have the same sum
        rng = np.random.default_rng(seed)
        signs, of_truth = rng.integers(1 << 63, size=(2, n_classes + 1))
        sums = np.concatenate([[0], np.cumsum(signs[lists.codes])])  # integers wrap round
        key = np.where(lists.is_whole, signs[-1], sums[lists.ends[1:]] - sums[lists.ends[:-1]])
        key += of_truth[codes]
        order = np.argsort(key)
        first = np.ones(len(key), dtype=np.bool_)
        np.not_equal(key[order[1:]], key[order[:-1]], out=first[1:])
        place = np.empty(len(key), dtype=np.intp)
        place[order] = np.cumsum(first) - 1
        chosen = order[first]
        found, truth = sets[chosen], codes[chosen]
        again = np.flatnonzero(chosen[place] != np.arange(len(key)))
        same = np.array_equal(codes[again], truth[place[again]])
        if same and lists.take(again) == found.rows.take(place[again]):
            return found, truth, place
    raise AssertionError


def _first_of_each(other_set: Bools, codes: Ints, order: Ints) -> tuple[Bools, Ints]:
    """Which of the ordered rows begin a new pair, and the place of each row among the pairs."""
    first = other_set | (codes[order] != np.roll(codes[order], 1))
    first[:1] = True
    place = np.empty(len(codes), dtype=np.intp)
    place[order] = np.cumsum(first) - 1
    return first, place


def set_keys(sets: PredictionSets) -> list[bytes]:
    """A key for each set, by which equal sets over the same classes are found.

    Examples
    --------
    >>> one, two, three = set_keys(PredictionSets.from_strings(["a|b", "c", "b|a"]))
    >>> one == three, one == two
    (True, False)
    """
    if len(sets.classes) <= _FEW_CLASSES:
        return [word.tobytes() for word in sets.words]
    lists = sets.rows.sparse()
    keys = [lists.codes[start:end].tobytes() for start, end in pairwise(lists.ends.tolist())]
    return [b"all" if whole else key for key, whole in zip(keys, lists.is_whole, strict=True)]
