"""Two-class problems at the splits: bounds of the probability of the left side.

Trees share many splits, so every distinct split is learned once.  The naive credal classifier needs
only one table of counts for all splits: the counts of a group of classes are sums over its classes,
and the posterior interval of the left side follows from the likelihood bounds of the two groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from wager._tables import Counts
from wager._typing import Bools, Floats, Ints
from wager.learners.dichotomies._class_trees import ClassTree
from wager.learners.naive import LocalModel, RowCountsByClass

__all__ = ["EstimatorSplitModels", "NaiveSplitModels", "SplitModels", "Splits"]


@dataclass(frozen=True, eq=False)
class Splits:
    """Distinct pairs of disjoint groups of classes.

    Parameters
    ----------
    left, right : bool ndarray of shape (S, K)
        The classes on either side of each split.
    """

    left: Bools
    right: Bools

    @classmethod
    def of_trees(cls, trees: Sequence[ClassTree]) -> tuple[Splits, list[Ints]]:
        """The distinct splits of all trees, and the numbers of the splits of each tree."""
        met: dict[bytes, int] = {}
        sides: list[tuple[Bools, Bools]] = []
        numbers: list[Ints] = []
        for tree in trees:
            pairs = tree.groups[tree.sides]  # (K - 1, 2, K)
            keys = [pair.tobytes() for pair in pairs]
            for key, pair in zip(keys, pairs, strict=True):
                if key not in met:
                    met[key] = len(met)
                    sides.append((pair[0], pair[1]))
            numbers.append(np.array([met[key] for key in keys], dtype=np.intp))
        both = np.array(sides, dtype=bool).reshape(-1, 2, trees[0].n_classes)
        return cls(both[:, 0], both[:, 1]), numbers

    @classmethod
    def of_cuts(cls, n_classes: int) -> Splits:
        """The first k classes against the others, for k = 1..K-1."""
        left = np.tri(n_classes - 1, n_classes, dtype=bool)
        return cls(left, ~left)

    def __len__(self) -> int:
        return len(self.left)


class SplitModels(Protocol):
    """The models at the splits."""

    @property
    def splits(self) -> Splits:
        """The splits."""
        ...

    def bounds(self, rows: Any) -> tuple[Floats, Floats]:
        """The lower and the upper probability of the left side of each split, (n, S) each."""
        ...


@dataclass(frozen=True, eq=False)
class NaiveSplitModels:
    """The naive credal classifier at every split (Yang, Destercke & Masson, 2017, Eqs 19-24).

    With two groups B and R and the class model's s on one of them, the bounds of P(B | x) are
    ``n(B) L(B) / (n(B) L(B) + (n(R)+s) U(R))`` and ``(n(B)+s) U(B) / ((n(B)+s) U(B) + n(R) L(R))``:
    logistic functions of differences of logarithms.
    """

    counts: Counts
    splits: Splits
    s: float

    @cached_property
    def _groups(self) -> tuple[LocalModel, Ints, Ints]:
        """The model with groups of classes instead of classes, and the groups of each split."""
        both = np.concatenate([self.splits.left, self.splits.right])
        distinct, number = np.unique(both, axis=0, return_inverse=True)
        members = distinct.astype(np.int64).T
        merged = Counts(
            self.counts.values @ members, self.counts.classes @ members, self.counts.n_values
        )
        left, right = np.split(number.ravel(), 2)
        return LocalModel(merged, self.s), left, right

    def bounds(self, rows: Ints) -> tuple[Floats, Floats]:
        """The lower and the upper probability of the left side of each split, (n, S) each."""
        model, _, _ = self._groups
        return self._shares(*model.likelihoods(rows), np.full(len(rows), float(self.s)))

    def bounds_at(self, rows: Ints, s: Floats) -> tuple[Floats, Floats]:
        """The same bounds with a strength for each row."""
        counts = self._groups[0].counts
        share = np.zeros(len(counts.n_values))
        of_rows = RowCountsByClass.of(counts, rows)
        return self._shares(*of_rows.likelihoods(s, share, counts.n_values), s)

    @property
    def n_groups(self) -> int:
        """The number of distinct groups of classes."""
        return self._groups[0].counts.n_classes

    def _shares(self, low: Floats, high: Floats, s: Floats) -> tuple[Floats, Floats]:
        model, left, right = self._groups
        known = model.counts.classes
        with np.errstate(divide="ignore"):
            low, high = np.log(known) + low, np.log(known + s[:, None]) + high
        return (
            _share(low[:, left], high[:, right], nothing=0.0),
            _share(high[:, left], low[:, right], nothing=1.0),
        )


def _share(ours: Floats, theirs: Floats, nothing: float) -> Floats:
    """``exp(ours) / (exp(ours) + exp(theirs))``, and ``nothing`` where both are 0.

    Examples
    --------
    >>> _share(np.log([[3.0, 0.5]]), np.log([[1.0, 0.5]]), 0.0).round(12)
    array([[0.75, 0.5 ]])
    """
    with np.errstate(invalid="ignore"):
        share = expit(ours - theirs)
    return np.where(np.isneginf(ours) & np.isneginf(theirs), nothing, share)


@dataclass(frozen=True, eq=False)
class EstimatorSplitModels:
    """A clone of a classifier with ``predict_credal`` at every split.

    If all n rows of a split are on one side, nothing can be learned from the features; the interval
    is then that of the imprecise Dirichlet model, ``n / (n + s)`` to 1 for that side.
    """

    models: tuple[Any, ...]  # a fitted classifier, or the two bounds
    splits: Splits

    @classmethod
    def learn(cls, base: Any, X: Any, y: Ints, splits: Splits, s: float) -> EstimatorSplitModels:
        """Fit a clone for each split to the rows whose class is on one of its sides."""
        models: list[Any] = []
        for left, right in zip(splits.left, splits.right, strict=True):
            rows = np.flatnonzero((left | right)[y])
            on_left = left[y[rows]].astype(np.int64)
            if 0 < on_left.sum() < len(rows):
                models.append(_for_two_classes(base).fit(_safe_indexing(X, rows), on_left))
            else:
                models.append(_one_sided(len(rows), bool(on_left.any()), s))
        return cls(tuple(models), splits)

    def bounds(self, rows: Any) -> tuple[Floats, Floats]:
        """The lower and the upper probability of the left side of each split, (n, S) each."""
        n = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        lower, upper = np.empty((2, n, len(self.splits)))
        for i, model in enumerate(self.models):
            if isinstance(model, tuple):
                lower[:, i], upper[:, i] = model
            else:
                credal = model.predict_credal(rows).tighten()
                column = int(np.flatnonzero(np.asarray(model.classes_) == 1)[0])
                lower[:, i], upper[:, i] = credal.lower[:, column], credal.upper[:, column]
        return lower, upper


def _for_two_classes(base: Any) -> Any:
    """A clone without the declared classes, which are those of the whole problem."""
    declared = [key for key in base.get_params() if key.rpartition("__")[2] == "classes"]
    return clone(base).set_params(**dict.fromkeys(declared))


def _one_sided(rows: int, on_left: bool, s: float) -> tuple[float, float]:
    if not rows:
        return 0.0, 1.0
    least = rows / (rows + s)
    return (least, 1.0) if on_left else (0.0, 1.0 - least)
