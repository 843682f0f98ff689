"""Measures of sets of ordered classes: their width, their gaps, and how far away the truth is.

The ranks of the classes are 0, 1, ..., K - 1.  A set is an interval of ranks if it has no gaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import ComparedFields, RowUnits, real_number, row_blocks
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief
from wager.costs._checks import check_lengths
from wager.costs._class_order import order_of_classes, read_ordered
from wager.costs._named_estimates import NamedEstimates, estimate_rows, mean_of_rows
from wager.costs._ordered_rewards import ends_of, nearest_distance
from wager.predictions import PredictionSets, sets_over
from wager.rewards import as_measure

__all__ = [
    "OrderedEvaluation",
    "contiguity_rate",
    "evaluate_ordered",
    "mean_distance_to_set",
    "mean_width",
    "ordinal_interval_score",
]


@dataclass(frozen=True, eq=False)
class RankedSets:
    """The lowest and highest rank of each set, its size, and the rank of the true class.

    Of an empty set the ends are meaningless.
    """

    low: Ints
    high: Ints
    size: Ints
    distance: Ints | None  # of the true class from the nearest member
    outside: Ints | None  # of the true class from the nearest end, 0 between the ends
    n_classes: int

    @classmethod
    def of(cls, sets: PredictionSets, codes: Ints | None = None) -> RankedSets:
        """Measure the sets, in blocks of rows."""
        n, n_classes = len(sets), len(sets.classes)
        low, high = np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
        distance = None if codes is None else np.zeros(n, dtype=np.intp)
        for part in row_blocks(n, n_classes):
            members = sets[part].to_indicator()
            low[part], high[part] = ends_of(members)
            if distance is not None and codes is not None:
                near = nearest_distance(members)[np.arange(len(members)), codes[part]]
                distance[part] = np.minimum(near, n_classes - 1)  # that of an empty set
        outside = None
        if codes is not None:
            outside = np.maximum(np.maximum(low - codes, codes - high), 0)
            outside[sets.sizes == 0] = n_classes - 1
        return cls(low, high, np.asarray(sets.sizes), distance, outside, n_classes)

    @property
    def width(self) -> Floats:
        """The number of steps from the lowest to the highest member; NaN for an empty set."""
        return np.where(self.size > 0, (self.high - self.low) * 1.0, np.nan)

    @property
    def contiguous(self) -> Floats:
        """1 if the set has no gap, else 0; NaN for an empty set."""
        return np.where(self.size > 0, (self.width + 1 == self.size) * 1.0, np.nan)

    def interval_score(self, alpha: float) -> Floats:
        """The width plus 2/alpha times the distance of the truth from the ends."""
        assert self.outside is not None
        return np.where(self.size > 0, self.width, 0.0) + 2 / alpha * self.outside


@dataclass(frozen=True, eq=False, repr=False)
class OrderedEvaluation(ComparedFields, NamedEstimates):
    """Measures of sets of ordered classes, each with its standard error and interval.

    Parameters
    ----------
    estimates : mapping of name to Estimate
        The measures by name: ``evaluation["mean_width"]`` is a value.
    n_rows : int
        The number of predictions.
    class_order : ndarray of shape (K,)
        The classes from the lowest to the highest.
    """

    class_order: Array

    def sentence(self) -> str:
        """The main results in a sentence."""
        width, away = self["mean_width"], self["mean_distance_to_set"]
        return (
            f"{self.n_rows:,} predictions over {len(self.class_order)} ordered classes: "
            f"{100 * self['contiguity_rate']:.1f}% of the sets have no gap, they reach over "
            f"{width:.2f} steps on average, contain the true class {100 * self['coverage']:.1f}% "
            f"of the time, and are {away:.2f} steps away from it on average."
        )


_LEAST_ALPHA = 1e-90  # the squares of scores of 2 / alpha stay finite, also with weights


def _check_alpha(alpha: float) -> float:
    if not _LEAST_ALPHA <= real_number(alpha, "alpha") <= 1:
        raise ValueError(
            f"alpha, the nominal share of misses, must lie between {_LEAST_ALPHA:g} and 1, got "
            f"{brief(alpha)}"
        )
    return float(alpha)


def _ordered_sets(y_pred: Any, class_order: Any, classes: ArrayLike | None) -> RankedSets:
    known = order_of_classes(class_order, None, y_pred, classes)
    sets = sets_over(y_pred, known, "class_order", classes)
    check_lengths(len(sets), len(sets))
    return RankedSets.of(sets)


def _ordered_rows(
    y_true: Any, y_pred: Any, class_order: Any, classes: ArrayLike | None
) -> RankedSets:
    codes, sets = read_ordered(y_true, y_pred, class_order, classes)
    return RankedSets.of(sets, codes)


@as_measure(
    meaning="How often a set of ordered classes has no gap.",
    formula="share of sets with k = high - low + 1; empty sets are left out",
    use="Sets with gaps, such as {mild, severe}, are hard to act on. If many have gaps, predict "
    "with optimal_sets and SetRewards.ordered, whose sets have none.",
    source="common in ordinal classification",
    needs_truth=False,
    aliases=("contiguity", "contiguous_sets"),
)
def contiguity_rate(
    y_pred: Any,
    *,
    class_order: Any = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How often a set of ordered classes has no gap; empty sets are left out.

    Parameters
    ----------
    y_pred : anything `wager.predictions.as_sets` takes
        The predicted sets.
    class_order : array-like of shape (K,), optional
        The classes from the lowest to the highest, or an ordered pandas Categorical.  By default
        classes that are numbers are ordered by value; other classes need it.
    sample_weight : array-like of shape (n,), optional
        A weight for each row.
    classes : array-like of shape (K,), optional
        The classes of the columns of ``y_pred``.

    Examples
    --------
    >>> contiguity_rate([["low", "mid"], ["low", "high"]], class_order=["low", "mid", "high"])
    0.5
    """
    return mean_of_rows(_ordered_sets(y_pred, class_order, classes).contiguous, sample_weight)


@as_measure(
    greater_is_better=False,
    meaning="The mean number of steps from the lowest to the highest class of a set.",
    formula="mean of high - low; empty sets are left out",
    use="0 for single classes. Wide sets reach any coverage: read it together with the coverage "
    "or the ordinal interval score.",
    source="common in ordinal classification",
    range="0 (best) to K - 1",
    needs_truth=False,
    aliases=("width",),
)
def mean_width(
    y_pred: Any,
    *,
    class_order: Any = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The mean number of steps from the lowest to the highest class of a set.

    Parameters
    ----------
    y_pred, class_order, sample_weight, classes
        As in `contiguity_rate`.

    Examples
    --------
    >>> mean_width([[2, 3], [4], [1, 5]])
    1.6666666666666667
    """
    return mean_of_rows(_ordered_sets(y_pred, class_order, classes).width, sample_weight)


@as_measure(
    greater_is_better=False,
    meaning="How far the true class is from the nearest class of the set, on average.",
    formula="mean over rows of the minimum of |rank of the true class - rank of a member|; K - 1 "
    "for an empty set",
    use="0 for a hit. It shows whether misses are near misses; wide sets make it small.",
    source="common in ordinal classification",
    range="0 (best) to K - 1",
    aliases=("distance_to_set",),
)
def mean_distance_to_set(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    class_order: Any = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How far the true class is from the nearest class of the set, on average.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes; an ordered pandas Categorical gives the order of the classes.
    y_pred, class_order, sample_weight, classes
        As in `contiguity_rate`.

    Examples
    --------
    >>> mean_distance_to_set([1, 4], [[2, 3], [4]])
    0.5
    """
    rows = _ordered_rows(y_true, y_pred, class_order, classes)
    assert rows.distance is not None
    return mean_of_rows(rows.distance.astype(np.float64), sample_weight)


@as_measure(
    greater_is_better=False,
    meaning="The width of a set of ordered classes, plus a penalty for the distance of a miss.",
    formula="mean of (high - low) + (2 / alpha) x (distance of the true class from the interval)",
    use="Winkler's score for intervals, on ranks: it is smallest in expectation for the interval "
    "between the alpha/2 and the 1 - alpha/2 quantile. Compare classifiers with the same alpha.",
    source="Winkler (1972); Gneiting & Raftery (2007), Eq. 43",
    range="0 (best) to 2 (K - 1) / alpha",
    aliases=("winkler_score", "interval_score", "evaluate_ordered"),
)
def ordinal_interval_score(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    alpha: float = 0.1,
    class_order: Any = None,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Winkler's interval score on ranks: the width, plus 2/alpha times the distance of a miss.

    Parameters
    ----------
    y_true, y_pred, class_order, sample_weight, classes
        As in `mean_distance_to_set`.
    alpha : float, default=0.1
        The nominal share of misses.

    Notes
    -----
    A set with gaps is scored as the interval from its lowest to its highest class; an empty set as
    a miss by the largest distance, K - 1.

    Examples
    --------
    >>> ordinal_interval_score([1, 4], [[2, 3], [4]], alpha=0.5)  # (1 + 4 * 1 + 0) / 2
    2.5
    """
    rows = _ordered_rows(y_true, y_pred, class_order, classes)
    return mean_of_rows(rows.interval_score(_check_alpha(alpha)), sample_weight)


def evaluate_ordered(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    class_order: Any = None,
    alpha: float = 0.1,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> OrderedEvaluation:
    """Measures of sets of ordered classes, with standard errors and intervals.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes; an ordered pandas Categorical gives the order of the classes.
    y_pred : anything `wager.predictions.as_sets` takes
        The predicted classes or sets.
    class_order : array-like of shape (K,), optional
        The classes from the lowest to the highest, or an ordered pandas Categorical.  By default
        classes that are numbers are ordered by value; other classes need it.
    alpha : float, default=0.1
        The nominal share of misses, for the interval score.
    sample_weight, counts, groups
        As in `wager.metrics.evaluate_sets`.
    classes : array-like of shape (K,), optional
        The classes of the columns of ``y_pred``.

    Examples
    --------
    >>> found = evaluate_ordered([1, 2, 4, 5], [[1], [2, 3], [2, 3], [3, 5]], alpha=0.5)
    >>> print(found.sentence())
    4 predictions over 5 ordered classes: 75.0% of the sets have no gap, they reach over 1.00 steps
    on average, contain the true class 75.0% of the time, and are 0.25 steps away from it on
    average.
    >>> found["ordinal_interval_score"]
    2.0
    """
    codes, sets = read_ordered(y_true, y_pred, class_order, classes)
    rows, last = RankedSets.of(sets, codes), len(sets.classes) - 1
    assert rows.distance is not None
    units = RowUnits.of(len(codes), sample_weight, counts, groups)
    widest = min(last, int(np.nanmax(rows.width, initial=0.0)) + 1)
    hit = (rows.distance == 0) & (rows.size > 0)
    score = rows.interval_score(_check_alpha(alpha))
    estimates = {
        "coverage": estimate_rows(hit * 1.0, units, 0, 1),
        "contiguity_rate": estimate_rows(rows.contiguous, units, 0, 1),
        "mean_width": estimate_rows(rows.width, units, 0, widest),
        "mean_distance_to_set": estimate_rows(rows.distance.astype(np.float64), units, 0, last),
        "ordinal_interval_score": estimate_rows(score, units, 0, 2 * last / alpha),
    }
    return OrderedEvaluation(estimates, units.observations(len(codes)), sets.classes)
