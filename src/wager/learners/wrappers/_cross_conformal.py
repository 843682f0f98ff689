"""Cross-conformal sets: every training row calibrates a model that was not trained on it.

With the score s = 1 - p(class), class c belongs to the set of a new row x if

    #{i : s_i < s_k(i)(x, c)} < (1 - alpha)(n + 1)

where s_i is the score of training row i by the model k(i) that was fitted without its fold, and
s_k(i)(x, c) the score of c by the same model (CV+, Romano, Sesia & Candès, 2020, Section 2.3; after
Barber, Candès, Ramdas & Tibshirani, 2021).  The true class is missed with a probability of at most
2 alpha, in practice about alpha.  Folds of one row each give the jackknife+.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wager._typing import Bools, Floats, Ints

__all__ = ["CrossScores"]


@dataclass(frozen=True, eq=False)
class CrossScores:
    """The scores of the training rows, sorted, by fold and by class.

    Examples
    --------
    >>> scores = CrossScores.of([np.array([[0.9, 0.1], [0.3, 0.7]])], [np.array([0, 1])], 2)
    >>> scores.sets([np.array([[0.8, 0.2], [0.1, 0.9]])], 0.4, by_class=False).tolist()
    [[True, False], [False, True]]
    """

    by_class: tuple[tuple[Floats, ...], ...]  # [fold][class]

    @classmethod
    def of(cls, probas: Sequence[Floats], truths: Sequence[Ints], n_classes: int) -> CrossScores:
        """The scores of the held-out rows of every fold."""
        return cls(
            tuple(
                tuple(np.sort(1 - proba[truth == c, c]) for c in range(n_classes))
                for proba, truth in zip(probas, truths, strict=True)
            )
        )

    def sets(self, probas: Sequence[Floats], alpha: float, *, by_class: bool) -> Bools:
        """The sets of new rows from their probabilities by the model of every fold.

        With ``by_class``, class c is compared with the training rows of class c alone.
        """
        smaller, n = self._conforming(probas, by_class)
        # rounded, since (1 - 0.1) * 10 must be 9
        return smaller < np.round((1 - alpha) * (n + 1), 9)

    def p_values(self, probas: Sequence[Floats], *, by_class: bool) -> Floats:
        """The share of training rows, and the new row itself, that conform as little or less."""
        smaller, n = self._conforming(probas, by_class)
        return (n - smaller + 1) / (n + 1)

    def _conforming(self, probas: Sequence[Floats], by_class: bool) -> tuple[Ints, Ints]:
        """For each row and class, how many training rows conform more; and of how many."""
        n_classes = probas[0].shape[1]
        smaller = np.zeros(probas[0].shape, dtype=np.int64)
        for proba, scores in zip(probas, self.by_class, strict=True):
            everyone = np.sort(np.concatenate(scores))
            for c in range(n_classes):
                among = scores[c] if by_class else everyone
                smaller[:, c] += np.searchsorted(among, 1 - proba[:, c], side="left")
        sizes = np.array([[len(of_class) for of_class in fold] for fold in self.by_class])
        return smaller, sizes.sum(axis=0) if by_class else np.full(n_classes, sizes.sum())
