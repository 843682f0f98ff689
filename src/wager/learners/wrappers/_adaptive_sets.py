"""Adaptive prediction sets by their definition, for calibration rows of two classes.

MAPIE does not offer its method "aps" if the calibration rows have only two classes; the definition
of Romano, Sesia & Candès (2020) covers this case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from wager._typing import Bools, Floats, Ints

__all__ = ["AdaptiveThreshold"]

EPSILON = 1e-8  # sums and probabilities that differ by less are taken to be equal


@dataclass(frozen=True)
class AdaptiveThreshold:
    """A threshold on the sum of the probabilities of a class and of all more probable ones.

    Attributes
    ----------
    threshold : float
        The sum that a set must reach.
    seed : int
        Seed of the random numbers that decide whether the class that passes the threshold is kept.
    """

    threshold: float
    seed: int

    @classmethod
    def calibrated(cls, proba: Floats, codes: Ints, alpha: float, seed: int) -> Self:
        """The ceil((n + 1)(1 - alpha))-th smallest sum, less a random part of its last term.

        Examples
        --------
        >>> proba, codes = np.array([[0.9, 0.1]] * 19), np.array([0, 1] * 9 + [0])
        >>> rule = AdaptiveThreshold.calibrated(proba, codes, 0.1, 0)
        >>> rule.sets(np.array([[0.99, 0.01], [0.7, 0.3]]), True).tolist()
        [[True, False], [True, True]]
        """
        rows = np.arange(len(codes))
        uniform = np.random.RandomState(seed).uniform(size=len(codes))
        scores = np.sort(_sums(proba)[rows, codes] - uniform * proba[rows, codes])
        place = int(np.ceil(round((len(codes) + 1) * (1 - alpha), 9)))
        return cls(float(scores[min(place, len(codes)) - 1]), seed)

    def sets(self, proba: Floats, include_last: bool | str) -> Bools:
        """The most probable classes, until their sum reaches the threshold."""
        rows, sums = np.arange(len(proba)), _sums(proba)
        reached = sums >= self.threshold - EPSILON
        if include_last is False:  # up to the last class below the threshold, but at least one
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
            uniform = np.random.RandomState(self.seed).uniform(size=len(proba))
            over = sums[rows, last] - self.threshold
            kept[rows, last] = over <= (uniform + EPSILON) * least
        return kept


def _sums(proba: Floats) -> Floats:
    """For each class the sum of its probability and those of all more probable classes."""
    order = np.argsort(-proba, axis=1, kind="stable")
    sums = np.empty_like(proba)
    np.put_along_axis(sums, order, np.take_along_axis(proba, order, axis=1).cumsum(axis=1), axis=1)
    return sums
