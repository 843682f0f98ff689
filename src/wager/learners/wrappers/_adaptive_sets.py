"""Adaptive prediction sets straight from their definition, for rows of two classes.

MAPIE refuses to sum up probabilities where the calibration rows have two classes only; the
definition of Romano, Sesia & Candès (2020) does not mind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from wager._typing import Bools, Floats, Ints

__all__ = ["HeadSums"]

EPSILON = 1e-8  # sums and probabilities that differ by less are the same


@dataclass(frozen=True)
class HeadSums:
    """A threshold on the sum of the greatest probabilities, down to the class in question.

    Attributes
    ----------
    threshold : float
        The sum that a set must reach.
    seed : int
        Of the lots that are drawn where the class that passes the threshold is kept by lot.
    """

    threshold: float
    seed: int

    @classmethod
    def calibrated(cls, proba: Floats, codes: Ints, alpha: float, seed: int) -> Self:
        """The ceil((n + 1)(1 - alpha))-th smallest sum, each less a random part of its last term.

        Examples
        --------
        >>> proba, codes = np.array([[0.9, 0.1]] * 19), np.array([0, 1] * 9 + [0])
        >>> sums = HeadSums.calibrated(proba, codes, 0.1, 0)
        >>> sums.sets(np.array([[0.99, 0.01], [0.7, 0.3]]), True).tolist()
        [[True, False], [True, True]]
        """
        rows = np.arange(len(codes))
        lots = np.random.RandomState(seed).uniform(size=len(codes))
        scores = np.sort(_sums(proba)[rows, codes] - lots * proba[rows, codes])
        place = int(np.ceil(round((len(codes) + 1) * (1 - alpha), 9)))
        return cls(float(scores[min(place, len(codes)) - 1]), seed)

    def sets(self, proba: Floats, include_last: bool | str) -> Bools:
        """The most probable classes until their sum reaches the threshold."""
        rows, sums = np.arange(len(proba)), _sums(proba)
        reached = sums >= self.threshold - EPSILON
        if include_last is False:  # the last class that stays below, but never none
            below = np.where(reached & (sums > self.threshold + EPSILON), -np.inf, sums)
            last = np.where(
                np.isfinite(below).any(axis=1), below.argmax(axis=1), proba.argmax(axis=1)
            )
        else:
            last = np.where(reached, sums, np.inf).argmin(axis=1)
            last = np.where(reached.any(axis=1), last, sums.argmax(axis=1))
        least = proba[rows, last]
        kept = proba >= least[:, None] - EPSILON
        if include_last == "randomized":
            lots = np.random.RandomState(self.seed).uniform(size=len(proba))
            over = sums[rows, last] - self.threshold
            kept[rows, last] = over <= (lots + EPSILON) * least
        return kept


def _sums(proba: Floats) -> Floats:
    """Of each class: its probability and that of all more probable ones."""
    order = np.argsort(-proba, axis=1, kind="stable")
    sums = np.empty_like(proba)
    np.put_along_axis(sums, order, np.take_along_axis(proba, order, axis=1).cumsum(axis=1), axis=1)
    return sums
