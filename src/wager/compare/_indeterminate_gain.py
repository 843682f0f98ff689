"""The gain of a credal classifier on the rows where its prediction is indeterminate.

Where a credal classifier predicts a single class, a precise one of the same family predicts it too.
They differ on the area of ignorance, and Zaffalon, Corani & Mauá (2012, Section 9.1.3) compare them
there: how much more utility, relatively, the credal classifier earns than the precise one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from wager._tables import ROUNDING, Table, View, Viewed, format_number, real_number
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.compare._curve_crossings import curve_facts
from wager.compare._lead_curves import TestedCurve, excess_of, without_rounding
from wager.compare._outcome import check_names
from wager.rewards import (
    CellSums,
    PairedTally,
    UtilityLike,
    get_utility,
    mean_p_values,
    rows_of_ignorance,
)


@dataclass(frozen=True, repr=False)
class IndeterminateGain(Viewed):
    """Relative gain in expected utility on the rows where the credal classifier is indeterminate.

    Attributes
    ----------
    value : float
        E[u(credal)] / E[u(precise)] - 1 on these rows: 0.09 is 9% more.  Infinite if the precise
        one earns nothing there, NaN if neither does or there is no such row.
    interval : tuple of float
        The gains that a test does not reject: the score test of the mean of
        u(credal) - (1 + gain) u(precise).  Its end is infinite if the precise one earns nothing.
    credal, precise : float
        The two expected utilities on these rows.
    n : float
        The number of these rows, or their total weight; `share` is their fraction of all rows.
    verdict : str
        The result as a sentence.
    is_weighted : bool, default=False
        Whether rows have weights.
    """

    value: float
    interval: tuple[float, float]
    credal: float
    precise: float
    n: float
    share: float
    verdict: str
    is_weighted: bool = False

    def _view(self) -> View:
        low, high = self.interval
        total = "total weight" if self.is_weighted else "rows"
        rows: list[list[Any]] = [
            ["relative gain", self.value],
            ["interval", f"{format_number(low)} to {format_number(high)}"],
            ["utility of the credal one", self.credal],
            ["utility of the precise one", self.precise],
            [total, f"{self.n:.10g} ({100 * self.share:.1f}%)"],
        ]
        return View(tables=[Table((), rows)], verdict=[self.verdict])

    def __float__(self) -> float:
        return self.value


def indeterminate_gain(
    y_true: ArrayLike,
    credal: Any,
    precise: Any,
    utility: UtilityLike = "u65",
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("the credal classifier", "the precise one"),
) -> IndeterminateGain:
    """How much more utility the credal classifier earns where it predicts several classes.

    Over many data sets, average the values: ``paired_t([float(g) for g in gains])`` gives the mean
    gain with its interval, as the paper reports it.

    On the rows with several predicted classes, the mean utility of the sets relative to that of the
    precise classifier's classes.

    Use it to see whether caution pays off where it is exercised.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    credal : anything `wager.as_sets` takes
        The sets of the credal classifier.
    precise : anything `wager.as_sets` takes
        One class per row.
    utility : utility, default="u65"
        The utility of a prediction.
    classes, sample_weight, counts, groups
        As in `wager.metrics.evaluate_sets`.
    confidence : float, default=0.95
        Level of the interval.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 9.1.3.

    Examples
    --------
    >>> y = [0] * 100
    >>> credal = [[0]] * 60 + [[0, 1]] * 40
    >>> precise = [0] * 80 + [1] * 20                 # right in half of the last 40 rows
    >>> gain = indeterminate_gain(y, credal, precise, "u65")
    >>> round(gain.value, 4), gain.n
    (0.3, 40)
    """
    names = check_names(names)
    if not 0 < real_number(confidence, "confidence") < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {brief(confidence)}")
    paired = PairedTally.of(
        y_true, credal, precise, classes, sample_weight, counts=counts, groups=groups
    )
    ignorance = rows_of_ignorance(paired)
    if ignorance.n == 0:
        words = f"{names[0]} always predicts a single class: there are no rows to compare"
        return IndeterminateGain(nan, (nan, nan), nan, nan, 0.0, 0.0, words)
    curve, is_weighted = _earned(ignorance, utility), sample_weight is not None
    mean = curve.means
    value = _ratio(*mean)
    found = curve_facts(curve, (0.0, 1.0), confidence).undecided or (0.0, 1.0)
    low, high = map(_gain_of, found)
    if not isnan(value):  # the value is not rejected; rounding must not exclude it
        low, high = min(low, value), max(high, value)
    shown = f"{ignorance.n:.10g}"
    rows = f"rows of total weight {shown}" if is_weighted else f"{shown} rows"
    return IndeterminateGain(
        value,
        (low, high),
        float(mean[0]),
        float(mean[1]),
        ignorance.n,
        ignorance.n / paired.n,
        _words(value, (low, high), mean, rows, names),
        is_weighted,
    )


@dataclass(frozen=True, eq=False)
class _Earned(TestedCurve):
    """The mean of (1 - t) u(credal) - t u(precise), which is 0 for the gain t / (1 - t) - 1.

    On this scale all gains from -100% to infinity lie between 0 and 1.

    Parameters
    ----------
    utilities : array of shape (2, J)
        The utilities of both in each cell.
    low, high : array of shape (2,)
        The smallest and the largest possible utility of each.
    sums : CellSums
        The totals of the J cells.
    """

    utilities: Floats
    low: Floats
    high: Floats
    sums: CellSums

    @property
    def means(self) -> Floats:
        """The mean utilities of both."""
        return self.utilities @ (self.sums.totals / self.sums.n)

    def lead(self, points: Floats) -> Floats:
        """The mean at some t."""
        return without_rounding(_sides(points) @ self.means, float(self.high.max()))

    def excess(self, points: Floats, level: float) -> Floats:
        """By the score test of a mean whose range is known."""
        sides = _sides(points)
        # the precise one counts negatively, so its largest utility gives the smallest value
        low = sides @ np.array([self.low[0], self.high[1]])
        high = sides @ np.array([self.high[0], self.low[1]])
        return excess_of(mean_p_values(sides @ self.utilities, self.sums, low, high), level)


def _sides(points: Floats) -> Floats:
    return np.stack([1 - points, -points], axis=1)


def _gain_of(t: float) -> float:
    return t / (1 - t) - 1 if t < 1 else inf


def _earned(paired: PairedTally, utility: UtilityLike) -> _Earned:
    """The utilities of both on rows where the first predicts several classes."""
    u = get_utility(utility)
    worth = u.of_size(np.arange(paired.n_classes + 1))
    size_a, hit_a, size_b, hit_b = paired.outcomes.T
    earned = worth[np.stack([np.where(hit_a, size_a, 0), np.where(hit_b, size_b, 0)])]
    if earned.min() < 0:
        raise ValueError(
            f"a relative gain needs non-negative utilities, but {u.name} gives {earned.min():g}: "
            "compare the differences instead"
        )
    several = worth[2:] if paired.n_classes == 2 else worth[[0, *range(2, len(worth))]]
    low, high = (np.array([end(part) for part in (several, worth[:2])]) for end in (np.min, np.max))
    return _Earned(earned, low, high, paired.sums)


def _ratio(credal: float, precise: float) -> float:
    if precise > 0:
        return float(credal / precise - 1)
    return inf if credal > 0 else nan


def _words(
    value: float, interval: tuple[float, float], mean: Floats, rows: str, names: tuple[str, str]
) -> str:
    where = f"on the {rows} where {names[0]} is indeterminate"
    if isnan(value):
        return f"{where} neither classifier earns any utility"
    if not isfinite(value):
        return f"{where} it earns {mean[0]:.3f}, {names[1]} nothing"
    more = f"{abs(100 * value):.1f}% {'more' if value > 0 else 'less'} utility than {names[1]}"
    if abs(value) <= ROUNDING:
        more = f"as much utility as {names[1]}"
    low, high = (f"{100 * end:.1f}%" if isfinite(end) else "any" for end in interval)
    return f"{where} it earns {more} ({low} to {high})"
