"""Choose a strength from sums over the rows of folds.

A fold needs only a few sums for each strength, and the products of values at two strengths, so
memory does not grow with the rows.  The choice of all folds but one is a matter of subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import nan, sqrt
from numbers import Real
from operator import add
from typing import Any

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Bools, Floats, Ints
from wager.rewards import MeanEstimate

__all__ = ["FoldSums", "Rule", "judged"]


@dataclass(frozen=True, eq=False)
class FoldSums:
    """Sums over rows, one entry per strength: what any later question needs."""

    n: int
    sums: Floats  # of the values
    squares: Floats
    products: Floats  # (S, S): of the values at two strengths
    sizes: Floats  # of the predicted sets
    single: Floats  # the number of sets of one class

    @classmethod
    def of(cls, values: Floats, sizes: Ints) -> FoldSums:
        """The sums over rows with these values and set sizes, (S, n) each."""
        squares = np.einsum("sn,sn->s", values, values)
        changes = (values != values[0]).any(axis=0)
        varied = values[:, changes]  # few: most rows have one value at all strengths
        rest = squares[0] - np.einsum("n,n->", varied[0], varied[0])
        products = np.einsum("sn,tn->st", varied, varied) + rest  # BLAS starts threads: slower
        return cls(
            values.shape[1],
            values.sum(axis=1),
            squares,
            products,
            sizes.sum(axis=1, dtype=float),
            (sizes == 1).sum(axis=1, dtype=float),
        )

    def __add__(self, other: FoldSums) -> FoldSums:
        return self._with(other, 1)

    def __sub__(self, other: FoldSums) -> FoldSums:
        return self._with(other, -1)

    def _with(self, other: FoldSums, sign: int) -> FoldSums:
        return FoldSums(
            self.n + sign * other.n,
            self.sums + sign * other.sums,
            self.squares + sign * other.squares,
            self.products + sign * other.products,
            self.sizes + sign * other.sizes,
            self.single + sign * other.single,
        )


@dataclass(frozen=True)
class Rule:
    """How a strength is chosen from the values of all strengths."""

    greater_is_better: bool
    one_standard_error: bool
    strength: Floats
    given: Any  # the strength of the estimator, which breaks ties

    def choose(self, judged: FoldSums, units: float) -> tuple[int, int]:
        """The positions of the best and of the chosen strength.

        Parameters
        ----------
        judged : FoldSums
            The sums over all rows that decide.
        units : float
            The number of different rows among them.
        """
        n, value, sizes = judged.n, judged.sums / judged.n, judged.sizes / judged.n
        gain = value if self.greater_is_better else -value
        # not relative to the largest possible value: a cost of 1e12 may occur in no row
        tolerance = ROUNDING * sqrt(max(float(judged.squares[gain.argmax()]), 0.0) / n)
        best = self._nearest(gain >= gain.max() - tolerance)
        if not self.one_standard_error or n < 2:
            return best, best
        variance = max(float(judged.squares[best] - n * value[best] ** 2), 0.0) / (n - 1)
        within = gain >= gain[best] - np.sqrt(variance / units) - tolerance
        largest = sizes[within].max()
        return best, self._nearest(within & (sizes >= largest - ROUNDING))

    def _nearest(self, candidates: Bools) -> int:
        """The candidate nearest to the given strength, by the number of strengths between."""
        places = np.flatnonzero(candidates)
        if not isinstance(self.given, Real):
            return int(places[(len(places) - 1) // 2])
        home = int(np.abs(self.strength - float(self.given)).argmin())
        return int(places[np.abs(places - home).argmin()])


def judged(
    rule: Rule, folds: Sequence[FoldSums], tests: Sequence[Ints], bounds: tuple[float, float]
) -> dict[str, Any]:
    """The fields of a `CautionCurve` that follow from the sums of the folds.

    Parameters
    ----------
    rule : Rule
        How to choose.
    folds : sequence of FoldSums
        The sums of every fold.
    tests : sequence of ndarray
        The rows of every fold.
    bounds : (float, float)
        The smallest and the largest possible value.
    """
    whole = reduce(add, folds)
    n, value = whole.n, whole.sums / whole.n
    distinct = len(np.unique(np.concatenate(tests)))
    best, chosen = rule.choose(whole, distinct)
    covariance = (whole.products / n - np.outer(value, value)) * (n / max(n - 1, 1))
    found = {
        "strength": rule.strength,
        "value": value,
        "mean_set_size": whole.sizes / n,
        "determinacy": whole.single / n,
        "covariance": covariance,
        "n": distinct,
        "bounds": bounds,
        "best": best,
        "chosen": chosen,
        "greater_is_better": rule.greater_is_better,
    }
    if distinct < n or len(folds) < 2:
        return found
    rests = [whole - fold for fold in folds]
    by_fold = [rule.choose(rest, rest.n)[1] for rest in rests]
    honest = _honest_estimate(folds, by_fold, bounds)
    return found | {"fold_strengths": rule.strength[by_fold], "honest": honest}


def _honest_estimate(
    folds: Sequence[FoldSums], chosen: Sequence[int], bounds: tuple[float, float]
) -> MeanEstimate:
    """The mean value of each fold at the strength that was chosen for it."""
    n = sum(fold.n for fold in folds)
    mean = sum(fold.sums[i] for fold, i in zip(folds, chosen, strict=True)) / n
    squares = sum(fold.squares[i] for fold, i in zip(folds, chosen, strict=True))
    error = sqrt(max(squares - n * mean**2, 0.0) / (n - 1) / n) if n > 1 else nan
    return MeanEstimate(float(mean), error, n, lowest=bounds[0], largest=bounds[1])
