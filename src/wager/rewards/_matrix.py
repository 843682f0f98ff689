"""The extended reward matrix: the reward of every set for every true class."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from wager._tables import require_whole
from wager._typing import Floats
from wager.rewards._tally import utility_of
from wager.rewards._utility_names import UtilityLike, get_utility

_MOST_CLASSES = 16  # 65,535 rows


def all_sets(n_classes: int) -> list[tuple[int, ...]]:
    """Every non-empty set of class codes, by size and then lexicographically.

    Examples
    --------
    >>> all_sets(2)
    [(0,), (1,), (0, 1)]
    """
    n_classes = require_whole(n_classes, "n_classes")
    if not 1 <= n_classes <= _MOST_CLASSES:
        raise ValueError(
            f"all sets can be listed for 1 to {_MOST_CLASSES} classes, got {n_classes}: n classes "
            "have 2^n - 1 sets"
        )
    sizes = range(1, n_classes + 1)
    return [chosen for size in sizes for chosen in combinations(range(n_classes), size)]


def extended_reward_matrix(n_classes: int, utility: UtilityLike = "u50") -> Floats:
    """The reward of each non-empty set of classes for each true class.

    With the linear utility this is the only extension of 0/1 rewards that bettor and bookmaker
    agree on (Zaffalon, Corani & Mauá, 2012, Theorem 1 and Table 2).  Any other utility is applied
    to it entry by entry (Table 3).

    Parameters
    ----------
    n_classes : int
        The number of classes, at most 16: there are 2^n - 1 sets.
    utility : str, float, Utility, callable or path, default="u50"
        The utility of a reward.

    Returns
    -------
    ndarray of shape (2^n - 1, n)
        One row per set, in the order of `all_sets`.

    Examples
    --------
    >>> extended_reward_matrix(2, "u65").tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.65, 0.65]]
    """
    sets = all_sets(n_classes)
    hit = np.zeros((len(sets), len(sets[-1])), dtype=bool)  # the last set has all classes
    for row, chosen in enumerate(sets):
        hit[row, list(chosen)] = True
    size = hit.sum(axis=1, keepdims=True)
    return utility_of(get_utility(utility), size, hit)
