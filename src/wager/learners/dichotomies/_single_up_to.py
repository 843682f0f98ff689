"""Up to which strength nested dichotomies name a single class.

The intervals at the splits widen with s, so lower expectations fall and classes stay kept once they
are.  Bounds at the cuts of an order may contain no cumulative distribution as long as s is small;
they are then widened until they contain one, and there the p-box may shrink as s passes the value
from which the bounds fit.  Below and above this value it widens with s, so both parts are searched.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.learners._base import LEAST_STRENGTH
from wager.learners._single_up_to import Margin, largest_root, single_class
from wager.learners.dichotomies._credal import Credal, PBoxes
from wager.learners.dichotomies._split_models import NaiveSplitModels

__all__ = ["dichotomy_strengths"]

Credals = Callable[[Floats, Floats], list[Credal]]


def dichotomy_strengths(
    models: NaiveSplitModels,
    codes: Ints,
    credals: Credals,
    maximal: Callable[[list[Credal]], Bools],
) -> Floats:
    """The largest strength at which the prediction of each row is the same single class."""
    n = len(codes)

    def sets(rows: Ints, s: Floats) -> Bools:
        return maximal(credals(*models.bounds_at(codes[rows], s)))

    alone, winner = single_class(sets(np.arange(n), np.full(n, LEAST_STRENGTH)))

    def margin(rows: Ints, s: Floats) -> Floats:
        still, leader = single_class(sets(rows, s))
        return np.where(still & alone[rows] & (leader == winner[rows]), 1.0, -1.0)

    one = credals(*models.bounds_at(codes[:1], np.full(min(n, 1), LEAST_STRENGTH)))
    if not isinstance(one[0], PBoxes):
        return largest_root(margin, n)
    return _in_two_parts(models, codes, margin)


def _in_two_parts(models: NaiveSplitModels, codes: Ints, margin: Margin) -> Floats:
    n = len(codes)
    fits_from = largest_root(
        lambda rows, s: PBoxes.gap(*models.bounds_at(codes[rows], s)), n
    )  # 0 where the bounds contain a distribution from the start

    def before(rows: Ints, s: Floats) -> Floats:
        return np.where(s <= fits_from[rows], margin(rows, s), -1.0)

    def after(rows: Ints, s: Floats) -> Floats:
        return np.where(s <= fits_from[rows], 1.0, margin(rows, s))

    early, late = largest_root(before, n), largest_root(after, n)
    return np.where(early < fits_from, early, late)
