"""Set-valued measures as functions of ``(y_true, y_pred)``, in scikit-learn's argument order.

Each function counts its predictions once and reads the measure off the tally; `evaluate_sets`
reads all of them off one tally.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike, Floats
from wager.predictions import as_sets, check_weights
from wager.rewards._class_tally import share_of_hits
from wager.rewards._count import count_cells
from wager.rewards._estimate import estimate_mean
from wager.rewards._paired import PairedTally
from wager.rewards._scores import SET_SCORES, SetScore
from wager.rewards._tally import Tally
from wager.rewards._utility_names import UtilityLike


def _tally(
    y_true: ArrayLike, y_pred: Any, sample_weight: ArrayLike | None, classes: ArrayLike | None
) -> Tally:
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    return tally


def _of_sizes(
    score: SetScore, y_pred: Any, sample_weight: ArrayLike | None, classes: ArrayLike | None
) -> float:
    """A score that sees sizes alone needs no truth."""
    sizes = as_sets(y_pred, classes).sizes
    weights = check_weights(sample_weight, len(sizes))
    if len(sizes) == 0:
        raise ValueError("there is no prediction to score: pass at least one row")
    counts = np.bincount(sizes, weights=weights)
    size = np.flatnonzero(counts)
    values = score.function(size, np.zeros(len(size), dtype=bool))
    return estimate_mean(values, counts[size]).value


def discounted_accuracy(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """What the predictions earn on average: 1/size for a hit, 0 for a miss.

    The only reward for sets that bettor and house can agree on if all that is known is how to
    reward single classes (Zaffalon, Corani & Mauá, 2012, Theorem 1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_pred : array-like of shape (n, K) or anything `wager.as_sets` takes
        The predicted sets: a boolean matrix, lists of labels, single labels, ...
    sample_weight : array-like of shape (n,), optional
        A weight for each row.
    classes : array-like of shape (K,), optional
        The classes, in the order of the columns of `y_pred`.

    Returns
    -------
    float

    Examples
    --------
    >>> discounted_accuracy(["a", "b"], [["a"], ["a", "b"]])
    0.75
    """
    return SET_SCORES["discounted_accuracy"](_tally(y_true, y_pred, sample_weight, classes))


def utility_discounted_accuracy(
    y_true: ArrayLike,
    y_pred: Any,
    utility: UtilityLike = "u65",
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """What the predictions are worth on average to someone with this utility.

    A concave utility values the set {a, b} higher than a guess between a and b (Zaffalon, Corani &
    Mauá, 2012, Sec. 5).

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    utility : str, float, Utility, callable or path, default="u65"
        Anything `wager.rewards.get_utility` takes.

    Examples
    --------
    >>> utility_discounted_accuracy(["a", "b"], [["a"], ["a", "b"]], "u80")
    0.9
    """
    return _tally(y_true, y_pred, sample_weight, classes).expected_utility(utility)


def certainty_equivalent(
    y_true: ArrayLike,
    y_pred: Any,
    utility: UtilityLike = "u65",
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The accuracy you would take for sure in exchange for these predictions: u⁻¹(E[u]).

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    utility : str, float, Utility, callable or path, default="u65"
        Anything `wager.rewards.get_utility` takes.

    Examples
    --------
    >>> certainty_equivalent(["a", "b"], [["a", "b"], ["a", "b"]], "u80")
    0.5
    """
    return _tally(y_true, y_pred, sample_weight, classes).certainty_equivalent(utility)


def reward_variance(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Population variance of the reward: what a risk-averse person holds against a classifier.

    Examples
    --------
    >>> reward_variance(["a", "b"], [["a"], ["a", "b"]])
    0.0625
    """
    return _tally(y_true, y_pred, sample_weight, classes).moments().variance


def determinacy(
    y_pred: Any, *, sample_weight: ArrayLike | None = None, classes: ArrayLike | None = None
) -> float:
    """Share of predictions that name exactly one class.

    Examples
    --------
    >>> determinacy([["a"], ["a", "b"]])
    0.5
    """
    return _of_sizes(SET_SCORES["determinacy"], y_pred, sample_weight, classes)


def mean_set_size(
    y_pred: Any, *, sample_weight: ArrayLike | None = None, classes: ArrayLike | None = None
) -> float:
    """How many classes a prediction names on average; an empty one counts with 0.

    Examples
    --------
    >>> mean_set_size([["a"], ["a", "b"]])
    1.5
    """
    return _of_sizes(SET_SCORES["mean_set_size"], y_pred, sample_weight, classes)


def indeterminate_set_size(
    y_pred: Any, *, sample_weight: ArrayLike | None = None, classes: ArrayLike | None = None
) -> float:
    """How many classes the predictions of two or more name on average; NaN if there are none.

    Examples
    --------
    >>> indeterminate_set_size([["a"], ["a", "b"]])
    2.0
    """
    return _of_sizes(SET_SCORES["indeterminate_set_size"], y_pred, sample_weight, classes)


def empty_rate(
    y_pred: Any, *, sample_weight: ArrayLike | None = None, classes: ArrayLike | None = None
) -> float:
    """Share of predictions that name no class at all.

    Examples
    --------
    >>> empty_rate([["a"], []], classes=["a", "b"])
    0.5
    """
    return _of_sizes(SET_SCORES["empty_rate"], y_pred, sample_weight, classes)


def single_accuracy(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Accuracy where exactly one class is named; NaN if that never happens.

    Examples
    --------
    >>> single_accuracy(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    0.5
    """
    return SET_SCORES["single_accuracy"](_tally(y_true, y_pred, sample_weight, classes))


def set_accuracy(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How often a set of two or more classes holds the true one; NaN if there is no such set.

    Examples
    --------
    >>> set_accuracy(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    1.0
    """
    return SET_SCORES["set_accuracy"](_tally(y_true, y_pred, sample_weight, classes))


def coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How often the predicted set holds the true class.

    Examples
    --------
    >>> coverage(["a", "b"], [["b"], ["a", "b"]])
    0.5
    """
    return SET_SCORES["coverage"](_tally(y_true, y_pred, sample_weight, classes))


def class_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> Floats:
    """Coverage by true class, in the order of the classes; NaN for a class without rows.

    Examples
    --------
    >>> class_coverage(["a", "b", "b"], [["b"], ["a", "b"], ["b"]]).tolist()
    [0.0, 1.0]
    """
    cells = count_cells(y_true, y_pred, classes, sample_weight)
    _require_any(cells.by_class)
    return share_of_hits(cells.by_class)


def size_stratified_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> Floats:
    """Coverage by set size 0, 1, ..., K; NaN for a size that no prediction has.

    Examples
    --------
    >>> size_stratified_coverage(["a", "b"], [["b"], ["a", "b"]]).tolist()
    [nan, 0.0, 1.0]
    """
    return share_of_hits(_tally(y_true, y_pred, sample_weight, classes).table)


def coverage_gap(
    y_true: ArrayLike,
    y_pred: Any,
    alpha: float,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """How far coverage is from 1 - alpha, on average over the classes that occur.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    alpha : float
        The share of misses that was promised, in [0, 1].

    Examples
    --------
    >>> coverage_gap(["a", "b"], [["a"], ["a", "b"]], alpha=0.25)
    0.25
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha, the promised share of misses, must lie in [0, 1], got {alpha!r}")
    found = class_coverage(y_true, y_pred, sample_weight=sample_weight, classes=classes)
    return float(np.nanmean(np.abs(found - (1 - alpha))))


def area_of_ignorance(
    y_true: ArrayLike,
    credal: Any,
    precise: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The precise classifier's accuracy where the credal one names two or more classes.

    Near 1/size the precise classifier only guesses there, and the credal one was right to hold back
    (Zaffalon, Corani & Mauá, 2012, Sec. 9.1); NaN if the credal one is always determinate.

    Parameters
    ----------
    y_true, sample_weight, classes
        As in `discounted_accuracy`.
    credal : anything `wager.as_sets` takes
        Sets of the credal classifier.
    precise : anything `wager.as_sets` takes
        One class a row.

    Examples
    --------
    >>> area_of_ignorance(["a", "b", "b"], [["a"], ["a", "b"], ["a", "b"]], ["a", "a", "b"])
    0.5
    """
    ignorance = rows_of_ignorance(PairedTally.of(y_true, credal, precise, classes, sample_weight))
    return SET_SCORES["coverage"](ignorance.b) if ignorance.n else float("nan")


def rows_of_ignorance(paired: PairedTally) -> PairedTally:
    """Only the rows where the first names two or more classes; the second must always name one."""
    size_credal, _, size_precise, _ = paired.outcomes.T
    if (size_precise != 1).any():
        raise ValueError(
            "precise must name one class a row, but a prediction of "
            f"{int(size_precise[size_precise != 1][0])} classes occurs: pass its labels"
        )
    return paired.where(size_credal > 1)


def _require_any(table: Array) -> None:
    if not table.any():
        raise ValueError("there is no prediction to score: pass at least one row")
