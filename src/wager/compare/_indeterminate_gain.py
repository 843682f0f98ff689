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

from wager._typing import ArrayLike, Floats
from wager.compare._fieller import fieller_set
from wager.rewards import PairedTally, UtilityLike, get_utility, rows_of_ignorance, utility_of


@dataclass(frozen=True)
class IndeterminateGain:
    """Relative gain in expected utility on the rows where the credal classifier is indeterminate.

    Attributes
    ----------
    value : float
        E[u(credal)] / E[u(precise)] - 1 on these rows: 0.09 is 9% more.  Infinite if the precise
        one earns nothing there, NaN if neither does or there is no such row.
    interval : tuple of float
        Fieller's confidence interval; its end is infinite if the precise one might earn nothing.
    credal, precise : float
        The two expected utilities on these rows.
    n : float
        The number of these rows; `share` is their fraction of all rows.
    verdict : str
        The result as a sentence.
    """

    value: float
    interval: tuple[float, float]
    credal: float
    precise: float
    n: float
    share: float
    verdict: str

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
    confidence: float = 0.95,
    names: tuple[str, str] = ("the credal classifier", "the precise one"),
) -> IndeterminateGain:
    """How much more utility the credal classifier earns where it predicts several classes.

    Over many data sets, average the values: ``paired_t([float(g) for g in gains])`` gives the mean
    gain with its interval, as the paper reports it.

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
    confidence : float, default=0.95
        Level of the interval.

    Examples
    --------
    >>> y = [0] * 100
    >>> credal = [[0]] * 60 + [[0, 1]] * 40
    >>> precise = [0] * 80 + [1] * 20                 # right in half of the last 40 rows
    >>> gain = indeterminate_gain(y, credal, precise, "u65")
    >>> round(gain.value, 4), gain.n
    (0.3, 40)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}")
    paired = PairedTally.of(y_true, credal, precise, classes, sample_weight)
    ignorance = rows_of_ignorance(paired)
    if ignorance.n == 0:
        words = f"{names[0]} always predicts a single class: there are no rows to compare"
        return IndeterminateGain(nan, (nan, nan), nan, nan, 0.0, 0.0, words)
    mean, covariance = _moments(ignorance, utility)
    value = _ratio(*mean)
    # the utility of the credal one minus (1 + gain) times that of the precise one is 0
    line, sign = mean * (1, -1), np.array([1, -1])
    found = fieller_set(
        line, covariance * np.outer(sign, sign), ignorance.effective_n, confidence, (0.0, inf)
    )
    low, high = (value, value) if found is None else (found[0] - 1, found[1] - 1)
    return IndeterminateGain(
        value,
        (low, high),
        float(mean[0]),
        float(mean[1]),
        ignorance.n,
        ignorance.n / paired.n,
        _words(value, (low, high), mean, ignorance.n, names),
    )


def _moments(paired: PairedTally, utility: UtilityLike) -> tuple[Floats, Floats]:
    """The mean utilities of both, and the covariance of these means."""
    u = get_utility(utility)
    size_a, hit_a, size_b, hit_b = paired.outcomes.T
    earned = np.stack([utility_of(u, size_a, hit_a), utility_of(u, size_b, hit_b)])
    if earned.min() < 0:
        raise ValueError(
            f"a relative gain needs non-negative utilities, but {u.name} gives {earned.min():g}: "
            "compare the differences instead"
        )
    share = paired.counts / paired.n
    mean = earned @ share
    centred = earned - mean[:, None]
    return mean, (centred * share) @ centred.T / max(paired.effective_n - 1, 1)


def _ratio(credal: float, precise: float) -> float:
    if precise > 0:
        return float(credal / precise - 1)
    return inf if credal > 0 else nan


def _words(
    value: float, interval: tuple[float, float], mean: Floats, n: float, names: tuple[str, str]
) -> str:
    where = f"on the {n:.10g} rows where {names[0]} is indeterminate"
    if isnan(value):
        return f"{where} neither classifier earns any utility"
    if not isfinite(value):
        return f"{where} it earns {mean[0]:.3f}, {names[1]} nothing"
    more = f"{abs(100 * value):.1f}% {'more' if value >= 0 else 'less'} utility than {names[1]}"
    low, high = (f"{100 * end:.1f}%" if isfinite(end) else "any" for end in interval)
    return f"{where} it earns {more} ({low} to {high})"
