"""Sequential comparison: bounds and evidence that are valid after every row simultaneously.

Two classifiers in production are compared by the mean difference of their utilities, or costs.
Checking a usual interval after every row would sooner or later find a difference where there is
none.  A confidence sequence is valid at all times simultaneously, and an e-process measures the
evidence so far: it exceeds 1/alpha with probability at most alpha if the other classifier is at
least as good, no matter when one stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wager._tables import ComparedFields, Table, View, Viewed, folded, real_number
from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.compare._betting import two_sided
from wager.compare._outcome import check_names
from wager.compare._sequential_state import SequentialState
from wager.costs import (
    CostMatrix,
    ExtendedCosts,
    named_costs,
    require_sorted_predictions,
    row_costs,
)
from wager.predictions import align, sets_over, size_and_hit
from wager.rewards import (
    HumanUtility,
    Tabulated,
    Utility,
    UtilityLike,
    get_utility,
    read_rows,
    reward_points,
    shared_classes,
)

_MANY = 64  # larger sets are worth about as little as a miss


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceSequence(ComparedFields, Viewed):
    """The course of the comparison: bounds and evidence after some rows, and the last state.

    Attributes
    ----------
    n : ndarray of int
        The numbers of rows after which the other arrays are given.
    mean, low, high : ndarray
        The mean difference and its bounds; positive favours the first classifier.
    log_evidence_a, log_evidence_b : ndarray
        Logarithms of the e-values for the first, and for the second, being better.
    state : SequentialState
        The state after the last row.
    names : tuple of two str
        The classifiers.
    score : str
        The name of the utility, "costs", or "".
    unit : str, optional
        What costs are counted in.
    """

    n: Ints
    mean: Floats
    low: Floats
    high: Floats
    log_evidence_a: Floats
    log_evidence_b: Floats
    state: SequentialState
    names: tuple[str, str]
    score: str = ""
    unit: str | None = None

    @property
    def log_e_value(self) -> Floats:
        """Logarithms of the e-values against no difference: the average of both sides'."""
        return two_sided(self.log_evidence_a, self.log_evidence_b)

    @property
    def e_value(self) -> float:
        """The e-value against no difference after the last row, for `combine_e_values`."""
        return self.state.e_value

    @property
    def decided_at(self) -> int | None:
        """The first row at which the bounds exclude 0; for the mixture, the first one shown."""
        if self.state.method == "betting":
            return self.state.decided_at
        out = np.flatnonzero((self.low > 0) | (self.high < 0))
        return int(self.n[out[0]]) if len(out) else None

    @property
    def verdict(self) -> str:
        """The final result as a sentence."""
        return self.state.verdict(self.names, self.score, self.unit)

    def to_frame(self) -> Any:
        """A pandas frame with one row per point in time."""
        import pandas as pd

        columns = (
            "n", "mean", "low", "high", "log_evidence_a", "log_evidence_b", "log_e_value",
        )  # fmt: skip
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def __repr__(self) -> str:
        return folded(self.verdict)

    def _view(self) -> View:
        shown = np.unique(np.linspace(0, len(self.n) - 1, 6).round().astype(int))
        rows = [[self.n[j], self.mean[j], self.low[j], self.high[j]] for j in shown if len(self.n)]
        decided = "never" if self.decided_at is None else f"at row {self.decided_at:,}"
        return View(
            f"{self.names[0]} - {self.names[1]}",
            [Table(["rows", "mean", "from", "to"], rows, ">>>>")],
            [f"decided: {decided}; the bounds hold at all rows together"],
            [self.verdict],
        )


def sequential(
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    utility: UtilityLike = "u65",
    alpha: float = 0.05,
    *,
    costs: CostMatrix | ExtendedCosts | ArrayLike | None = None,
    empty_cost: float | None = None,
    method: str = "betting",
    classes: ArrayLike | None = None,
    points: int | None = 400,
    names: tuple[str, str] = ("A", "B"),
) -> ConfidenceSequence:
    """Compare two classifiers row by row, with bounds that are valid at all times simultaneously.

    The bounds form a confidence sequence: with probability 1 - alpha they contain the true mean
    difference after every row.

    Use it in production: look at the result as often as you like, and stop when it is decided.

    Parameters
    ----------
    y_true, pred_a, pred_b : anything `wager.as_sets` takes
        True classes and set-valued (or single) predictions, in the order of arrival.
    utility : utility, default="u65"
        The utility of a prediction.
    alpha : float, default=0.05
        The probability that the bounds ever fail is at most alpha.
    costs : CostMatrix, ExtendedCosts, or array of shape (K, K) or (n, K, K), optional
        Compare costs instead of utilities: the difference is what the first classifier saves.
        Costs of single classes are extended to sets by the p-discounted rule with r = 0.5.  An
        array with three dimensions holds one matrix per row.
    empty_cost : float, optional
        The cost of an empty set; without it an empty set is an error.
    method : {"betting", "mixture"}, default="betting"
        "betting" (Waudby-Smith & Ramdas, 2024) is for a mean difference that does not change, and
        needs the fewest rows.  "mixture" (Choe & Ramdas, 2024) is for the average difference so
        far, which may drift.
    classes : array-like, optional
        The classes, in the order of the columns of boolean matrices.
    points : int or None, default=400
        The number of rows, evenly spaced on a logarithmic scale, after which the course is given;
        None for every row.
    names : tuple of two str
        What to call the classifiers.

    Returns
    -------
    ConfidenceSequence

    See Also
    --------
    sequential_differences : the same for differences of any bounded score.
    combine_e_values : the evidence of several streams as one number.

    References
    ----------
    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86.

    Choe, Y. J. & Ramdas, A. (2024). Comparing sequential forecasters. Operations Research 72.

    Examples
    --------
    >>> y = [0, 1] * 300
    >>> sure, half = y, [[0, 1]] * 600
    >>> race = sequential(y, sure, half, names=("sure", "half"))
    >>> race.state.decided, race.decided_at
    ('a', 17)
    """
    if costs is None:
        u = get_utility(utility)
        d = utility_differences(y_true, pred_a, pred_b, u, classes)
        score, most = u.name, _largest_difference(u)
    else:
        both, costs = (pred_a, pred_b), named_costs(costs)
        if isinstance(costs, CostMatrix | ExtendedCosts):
            d, most = _savings(y_true, both, costs, empty_cost, classes)
        else:
            d, most = _savings_by_array(y_true, both, costs, empty_cost, classes)
        score = "costs"
    course = sequential_differences(
        d, (-most, most), alpha, method=method, points=points, names=names
    )
    return replace(course, score=score, unit=getattr(costs, "unit", None))


def sequential_differences(
    differences: ArrayLike,
    bounds: tuple[float, float] = (-1.0, 1.0),
    alpha: float = 0.05,
    *,
    method: str = "betting",
    points: int | None = 400,
    names: tuple[str, str] = ("A", "B"),
) -> ConfidenceSequence:
    """A confidence sequence for the mean of differences between known bounds.

    As `sequential`, for differences that you compute yourself.

    Use it for any score with known bounds, such as costs.

    Parameters
    ----------
    differences : array-like of shape (n,)
        The score of the first classifier minus that of the second, in the order of arrival.
    bounds : tuple of two floats, default=(-1, 1)
        The smallest and the largest possible difference; 0 must lie between them.
    alpha, method, points, names
        As for `sequential`.

    Returns
    -------
    ConfidenceSequence

    References
    ----------
    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86.

    Examples
    --------
    >>> sequential_differences([0.0, 3.0, 2.0, 0.0] * 20, bounds=(-10, 10)).state.decided
    'a'
    """
    names = check_names(names)
    start = SequentialState(alpha, bounds, method)
    d = start.checked(differences)
    if len(d) == 0:
        raise ValueError("there are no predictions to compare: pass at least one row")
    n = np.arange(1, len(d) + 1)
    if points is not None and not real_number(points, "points") >= 1:
        raise ValueError(f"points must be at least 1, got {brief(points)}")
    if points is not None and points < len(d):
        n = np.unique(np.geomspace(1, len(d), int(points)).round().astype(int))
    after, low, high, log_a, log_b = start.process.course(d, n)
    state = replace(start, process=after)
    return ConfidenceSequence(n, np.cumsum(d)[n - 1] / n, low, high, log_a, log_b, state, names)


def utility_differences(
    y_true: Any, pred_a: Any, pred_b: Any, utility: UtilityLike, classes: ArrayLike | None = None
) -> Floats:
    """Difference in utility of two classifiers on each row, first minus second.

    The utility of the first set minus the utility of the second one.

    Use it to feed `sequential_differences`, or to look at single rows.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 9.

    Examples
    --------
    >>> utility_differences([0, 1], [[0, 1], [1]], [0, 0], "u65").round(2).tolist()
    [-0.35, 1.0]
    """
    u = get_utility(utility)

    def earned(predictions: Any) -> Floats:
        codes, sets = align(y_true, predictions, classes)
        sizes, hits = size_and_hit(codes, sets)
        worth = u.of_size(np.arange(int(sizes.max(initial=0)) + 1))
        return worth[np.where(hits, sizes, 0)]

    first, second = earned(pred_a), earned(pred_b)
    _check_rows(first, second)
    return first - second


def _savings(
    y_true: Any,
    predictions: tuple[Any, Any],
    costs: CostMatrix | ExtendedCosts,
    empty_cost: float | None,
    classes: ArrayLike | None,
) -> tuple[Floats, float]:
    """What the first classifier saves on each row, and the most that is possible."""
    sets = [sets_over(p, costs.classes, classes=classes) for p in predictions]
    extended = costs if isinstance(costs, ExtendedCosts) else costs.extend()
    ranges = extended.ranges
    first, second = (extended.of(s, y_true, empty_cost=empty_cost) for s in sets)
    _check_rows(first, second)
    if empty_cost is not None:
        ranges = np.stack(
            [np.minimum(ranges[:, 0], empty_cost), np.maximum(ranges[:, 1], empty_cost)], axis=1
        )
    return second - first, float((ranges[:, 1] - ranges[:, 0]).max()) or 1.0


def _savings_by_array(
    y_true: Any,
    predictions: tuple[Any, Any],
    costs: ArrayLike,
    empty_cost: float | None,
    classes: ArrayLike | None,
) -> tuple[Floats, float]:
    """The same for costs over the classes of the predictions, one matrix or one per row."""
    if classes is None:
        for predicted in predictions:
            require_sorted_predictions(predicted)
    shared = shared_classes(y_true, predictions, classes)
    spent = []
    for predicted in predictions:
        rows = read_rows(y_true, predicted, shared)
        spent.append(row_costs(rows.codes, rows.sets, costs, empty_cost=empty_cost))
    _check_rows(*spent)
    most = max(float(np.max(np.asarray(costs))), empty_cost or 0.0)
    return spent[1] - spent[0], most or 1.0


def _check_rows(first: Floats, second: Floats) -> None:
    if len(first) != len(second):
        raise ValueError(
            f"the two classifiers have {len(first)} and {len(second)} rows: give the same rows"
        )


def _largest_difference(u: Utility) -> float:
    """The largest possible difference in utility between two predictions."""
    if isinstance(u, Tabulated | HumanUtility):
        worth = [u.miss, *u.values]
    else:
        worth = u(reward_points(_MANY))
    return float(np.ptp(worth)) or 1.0
