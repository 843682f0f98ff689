"""Measures of set-valued predictions, each with its record.

The plain scores are functions of a set's size and of whether it hit; their functions of
``(y_true, y_pred)`` are made from the record.  The other measures are functions that count the
predictions once and compute the measure from the tally; `evaluate_sets` computes all of them from
one tally.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, overload

import numpy as np

from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.rewards._class_tally import share_of_hits
from wager.rewards._count import class_table, count_cells, read_rows, require_rows
from wager.rewards._estimate import Estimate
from wager.rewards._measure import CONFORMAL_USAGE, CREDAL_USAGE, ZAFFALON_2012, Measure
from wager.rewards._paired import PairedTally
from wager.rewards._registry import SET_SCORES, as_measure, register
from wager.rewards._scores import SetScore, set_metric, size_metric
from wager.rewards._strata import check_alpha, strata_of_groups
from wager.rewards._strata_intervals import mean_distance, mean_distance_by_rows
from wager.rewards._tally import Tally
from wager.rewards._utility import rewards_of
from wager.rewards._utility_names import UtilityLike

# -- plain scores: a function of (size, hit), its record, and the metric made from both ------------


def _hit(size: Ints, hit: Bools) -> Array:
    return hit * 1.0


def _hit_alone(size: Ints, hit: Bools) -> Floats:
    return np.where(size == 1, hit, np.nan)


def _hit_among_several(size: Ints, hit: Bools) -> Floats:
    return np.where(size > 1, hit, np.nan)


def _is_single(size: Ints, hit: Bools) -> Floats:
    return (size == 1) * 1.0


def _size(size: Ints, hit: Bools) -> Array:
    return size * 1.0


def _size_of_several(size: Ints, hit: Bools) -> Floats:
    return np.where(size > 1, size, np.nan)


def _is_empty(size: Ints, hit: Bools) -> Floats:
    return (size == 0) * 1.0


discounted_accuracy = set_metric(
    register(
        SetScore(
            "discounted_accuracy",
            rewards_of,
            meaning="The mean reward of a bettor who divides one coin evenly among the classes of "
            "the set: 1/size for a hit, 0 for a miss.",
            formula="mean of hit / k; a miss and the empty set earn 0",
            use="The risk-neutral score (u50), and the only reward for sets that bettor and "
            "bookmaker can agree on if all they know is the reward of single classes. A set is "
            "worth no more than one of its classes drawn at random: use u65 or u80 if caution "
            "has a value.",
            source=f"{ZAFFALON_2012}, Section 4 and Theorem 1",
            aliases=("dacc",),
            example='>>> discounted_accuracy(["a", "b"], [["a"], ["a", "b"]])\n0.75',
        )
    )
)

coverage = set_metric(
    register(
        SetScore(
            "coverage",
            _hit,
            meaning="How often the set contains the true class.",
            formula="share of hits",
            use="The guarantee of conformal predictors. Large sets reach any coverage: read it "
            "together with the mean set size.",
            source=CONFORMAL_USAGE,
            example='>>> coverage(["a", "b"], [["b"], ["a", "b"]])\n0.5',
        )
    )
)

determinacy = size_metric(
    register(
        SetScore(
            "determinacy",
            _is_single,
            meaning="The share of predictions that name exactly one class.",
            formula="share of rows with k = 1",
            use="How often the classifier decides for one class. It does not show how often that "
            "class is right: read it together with the single accuracy.",
            source=CREDAL_USAGE,
            range="0 (never) to 1 (always)",
            needs_truth=False,
            example='>>> determinacy([["a"], ["a", "b"]])\n0.5',
        )
    )
)

single_accuracy = set_metric(
    register(
        SetScore(
            "single_accuracy",
            _hit_alone,
            meaning="The accuracy on the rows for which exactly one class is predicted.",
            formula="share of hits among rows with k = 1; undefined if there are none",
            use="It should exceed the accuracy of a precise classifier, because the easy rows are "
            "the ones that get a single class.",
            source=CREDAL_USAGE,
            example='>>> single_accuracy(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])\n0.5',
        )
    )
)

set_accuracy = set_metric(
    register(
        SetScore(
            "set_accuracy",
            _hit_among_several,
            meaning="How often a set of two or more classes contains the true class.",
            formula="share of hits among rows with k >= 2; undefined if there are none",
            use="It should be near 1; otherwise caution is wasted.",
            source=CREDAL_USAGE,
            example='>>> set_accuracy(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])\n1.0',
        )
    )
)

mean_set_size = size_metric(
    register(
        SetScore(
            "mean_set_size",
            _size,
            greater_is_better=False,
            meaning="The mean number of predicted classes; an empty set counts as 0.",
            formula="mean of k",
            use="How informative a set-valued predictor is: at equal coverage, smaller is better.",
            source=CONFORMAL_USAGE,
            range="0 to K",
            needs_truth=False,
            aliases=("size",),
            measures_size=True,
            example='>>> mean_set_size([["a"], ["a", "b"]])\n1.5',
        )
    )
)

indeterminate_set_size = size_metric(
    register(
        SetScore(
            "indeterminate_set_size",
            _size_of_several,
            greater_is_better=False,
            meaning="The mean number of predicted classes where two or more are predicted.",
            formula="mean of k over rows with k >= 2; undefined if there are none",
            use="How many classes remain possible when the classifier does not decide for one.",
            source=CREDAL_USAGE,
            range="2 to K",
            needs_truth=False,
            measures_size=True,
            is_rare=True,
            example='>>> indeterminate_set_size([["a"], ["a", "b"]])\n2.0',
        )
    )
)

empty_rate = size_metric(
    register(
        SetScore(
            "empty_rate",
            _is_empty,
            greater_is_better=False,
            meaning="The share of empty sets.",
            formula="share of rows with k = 0",
            use="Conformal predictors can return empty sets. They earn 0 and are always misses.",
            source=CONFORMAL_USAGE,
            range="0 to 1",
            needs_truth=False,
            example='>>> empty_rate([["a"], []], classes=["a", "b"])\n0.5',
        )
    )
)

__test__ = {name: score.metric.__doc__ for name, score in SET_SCORES.items()}  # for doctest

# -- other measures: functions that count the predictions and read the tally ----------------------


@as_measure(
    meaning="The mean utility of the reward: what the predictions are worth to a given decision "
    "maker.",
    formula="mean of u(hit / k); u65 has u(1/2) = 0.65, u80 has u(1/2) = 0.80",
    use="Compares cautious and precise classifiers on one scale. u65 rewards caution mildly, u80 "
    "strongly; break-even points show at which u(1/2) the preference changes.",
    source=f"{ZAFFALON_2012}, Section 5; u65 and u80 as corrected, Section 9",
    aliases=("u50", "u65", "u80", "utility", "f1"),
)
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
    return Tally.of(y_true, y_pred, classes, sample_weight).expected_utility(utility)


@as_measure(
    meaning="The certain reward that is worth as much as these predictions.",
    formula="the least x with u(x) = mean utility",
    use="Converts utilities of different shapes back to the scale of accuracy.",
    source=f"{ZAFFALON_2012}, Section 5",
    is_rare=True,
)
def certainty_equivalent(
    y_true: ArrayLike,
    y_pred: Any,
    utility: UtilityLike = "u65",
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The accuracy that you would accept for certain in exchange for these predictions.

    This is u⁻¹(E[u]), the reward whose utility is the mean utility of the predictions.

    Parameters
    ----------
    y_true, y_pred, utility, sample_weight, classes
        As in `utility_discounted_accuracy`.

    Examples
    --------
    >>> certainty_equivalent(["a", "b"], [["a", "b"], ["a", "b"]], "u80")
    0.5
    """
    return Tally.of(y_true, y_pred, classes, sample_weight).certainty_equivalent(utility)


@as_measure(
    greater_is_better=False,
    meaning="How much the reward hit / k varies from row to row.",
    formula="mean of (hit / k)^2 minus the square of the mean of hit / k",
    use="Of two classifiers with the same discounted accuracy, the one with less variance is "
    "better under every quadratic risk-averse utility.",
    source=f"{ZAFFALON_2012}, Section 5, Equation 2",
    range="0 (constant) to 1/4",
    of_tally=lambda tally: tally.moments().variance,
    takes_groups=True,
    is_rare=True,
)
def reward_variance(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Population variance of the reward, which a risk-averse user wants to be small.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.

    Examples
    --------
    >>> reward_variance(["a", "b"], [["a"], ["a", "b"]])
    0.0625
    """
    return Tally.of(y_true, y_pred, classes, sample_weight).moments().variance


def _binary_variance(mean: Any) -> Any:
    """The variance of a reward of 0 or 1: a class drawn at random from a set is right or wrong."""
    return mean * (1 - mean)


register(
    Measure(
        "k_random_variance",
        greater_is_better=False,
        meaning="The variance of the reward if one class were drawn at random from each set.",
        formula="a(1 - a), where a is the discounted accuracy",
        use="The baseline that predicting the whole set avoids: the same mean with more variance.",
        source=f"{ZAFFALON_2012}, Sections 2 and 4",
        range="0 to 1/4",
        of_tally=lambda tally: _binary_variance(tally.moments().mean),
        takes_groups=True,
        is_rare=True,
    )
)


@as_measure(
    greater_is_better=None,
    meaning="Coverage among the rows of each true class.",
    formula="share of hits, class by class; undefined for a class without rows",
    use="Shows classes whose coverage is sacrificed for that of others.",
    source=CONFORMAL_USAGE,
)
def class_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> Floats:
    """Coverage by true class, in the order of the classes; NaN for a class without rows.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.

    Examples
    --------
    >>> class_coverage(["a", "b", "b"], [["b"], ["a", "b"], ["b"]]).tolist()
    [0.0, 1.0]
    """
    counts = count_cells(read_rows(y_true, y_pred, classes, sample_weight))
    require_rows(counts.by_class.n)
    return share_of_hits(class_table(counts))


@as_measure(
    greater_is_better=None,
    meaning="Coverage among the predictions of each set size.",
    formula="share of hits, by k = 0, 1, ..., K; undefined for sizes that do not occur",
    use="Shows whether large sets are large for a reason.",
    source="Angelopoulos & Bates (2021)",
)
def size_stratified_coverage(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> Floats:
    """Coverage by set size 0, 1, ..., K; NaN for a size that no prediction has.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.

    Examples
    --------
    >>> size_stratified_coverage(["a", "b"], [["b"], ["a", "b"]]).tolist()
    [nan, 0.0, 1.0]
    """
    tally = Tally.of(y_true, y_pred, classes, sample_weight)
    tally.require_rows()
    return share_of_hits(tally.table)


@overload
def coverage_gap(
    y_true: ArrayLike, y_pred: Any, alpha: float, *, return_estimate: Literal[True],
    by: ArrayLike | None = ..., weighted: bool = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> Estimate: ...  # fmt: skip


@overload
def coverage_gap(
    y_true: ArrayLike, y_pred: Any, alpha: float, *, return_estimate: Literal[False] = ...,
    by: ArrayLike | None = ..., weighted: bool = ...,
    sample_weight: ArrayLike | None = ..., classes: ArrayLike | None = ...,
) -> float: ...  # fmt: skip


@as_measure(
    greater_is_better=False,
    meaning="How far the coverage of the classes is from the nominal coverage, on average.",
    formula="mean over classes (or groups, with by=) of |coverage - (1 - alpha)|",
    use="Shows whether a conformal predictor treats all classes alike. It is above 0 by chance as "
    "well: return_estimate=True gives an interval.",
    source="Ding et al. (2023)",
    range="0 (best) to 1",
)
def coverage_gap(
    y_true: ArrayLike,
    y_pred: Any,
    alpha: float,
    *,
    by: ArrayLike | None = None,
    weighted: bool = False,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    return_estimate: bool = False,
) -> float | Estimate:
    """How far coverage is from 1 - alpha, on average over the classes that occur.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.
    alpha : float
        The nominal share of misses, in [0, 1].
    by : array-like of shape (n_rows,), optional
        The group of each row, for the gap over groups instead of true classes.
    weighted : bool, default=False
        Whether a class or group counts by its rows; by default all count the same.
    return_estimate : bool, default=False
        Whether to return an `Estimate` with an interval, as `size_stratified_violation` does.  With
        many small classes it is wide: their coverages are not known well.

    Examples
    --------
    >>> coverage_gap(["a", "b"], [["a"], ["a", "b"]], alpha=0.25)
    0.25
    >>> coverage_gap(["a", "b", "b"], [["a"], ["a"], ["b"]], alpha=0.25, by=["x", "x", "y"])
    0.25
    """
    check_alpha(alpha)
    rows = read_rows(y_true, y_pred, classes, sample_weight)
    require_rows(len(rows.codes))
    strata = strata_of_groups(rows.codes if by is None else by, rows)
    measure = mean_distance_by_rows if weighted else mean_distance
    found = strata.measure(partial(measure, at=1 - alpha), by_rows=weighted)
    return found if return_estimate else found.value


@as_measure(
    greater_is_better=None,
    meaning="A precise classifier's accuracy on the rows where the cautious one predicts several "
    "classes.",
    formula="share of the precise classifier's hits among rows with k >= 2 of the other",
    use="If it is below u(1/2) of your utility (two classes), caution pays.",
    source="Zaffalon, Corani & Mauá (2011), Section 9",
)
def area_of_ignorance(
    y_true: ArrayLike,
    credal: Any,
    precise: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The precise classifier's accuracy where the credal one predicts two or more classes.

    An accuracy near 1/size shows that the precise classifier only guesses there, so that the
    credal one is right to abstain (Zaffalon, Corani & Mauá, 2012, Sec. 9.1).  The result is NaN if
    the credal classifier always predicts a single class.

    Parameters
    ----------
    y_true, sample_weight, classes
        As in `discounted_accuracy`.
    credal : anything `wager.as_sets` takes
        The sets of the credal classifier.
    precise : anything `wager.as_sets` takes
        One class per row.

    Examples
    --------
    >>> area_of_ignorance(["a", "b", "b"], [["a"], ["a", "b"], ["a", "b"]], ["a", "a", "b"])
    0.5
    """
    ignorance = rows_of_ignorance(PairedTally.of(y_true, credal, precise, classes, sample_weight))
    return SET_SCORES["coverage"](ignorance.b) if ignorance.n else float("nan")


def rows_of_ignorance(paired: PairedTally) -> PairedTally:
    """The rows where the first predicts two or more classes; the second must always predict one."""
    size_credal, _, size_precise, _ = paired.outcomes.T
    if (size_precise != 1).any():
        raise ValueError(
            "precise must predict one class per row, but a prediction of "
            f"{int(size_precise[size_precise != 1][0])} classes occurs: pass its labels"
        )
    return paired.where(size_credal > 1)
