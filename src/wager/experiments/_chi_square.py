"""Classes that differ in one chi-square distributed number, and how probable each then is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Floats, Ints

__all__ = ["ChiSquareClasses"]


@dataclass(frozen=True)
class ChiSquareClasses:
    """Equally frequent classes, each with its own degrees of freedom.

    Attributes
    ----------
    degrees : tuple of float
        The degrees of freedom, a class each.

    Examples
    --------
    >>> model = ChiSquareClasses((2, 8, 16))
    >>> model.class_probabilities([[1.0], [20.0]]).round(3).tolist()
    [[0.98, 0.02, 0.0], [0.0, 0.077, 0.922]]
    >>> np.bincount(model.sample(27, random_state=0)[1]).tolist()
    [9, 9, 9]
    """

    degrees: tuple[float, ...]

    @property
    def n_values(self) -> Ints:
        """A single feature, which is numeric."""
        return np.zeros(1, dtype=np.int64)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.degrees)

    def sample(self, n: int, random_state: Any = None) -> tuple[Floats, Ints]:
        """Draw n rows, as many of each class, or one more of the first ones."""
        y = np.sort(np.arange(n) % self.n_classes)
        drawn = np.random.default_rng(random_state).chisquare(np.array(self.degrees)[y])
        return drawn[:, None], y

    def class_probabilities(self, X: Any) -> Floats:
        """The true P(c | x) of each row, shape (n, K)."""
        from scipy.stats import chi2

        logs = chi2.logpdf(np.asarray(X, dtype=float), np.array(self.degrees))
        density = np.exp(logs - logs.max(axis=1, keepdims=True))
        return density / density.sum(axis=1, keepdims=True)
