"""For whom is one classifier better: the risk attitude at which two classifiers earn the same.

Zaffalon, Corani & Mauá (2012) judge set-valued predictions by the quadratic utilities
``u(x) = (2 - 4q) x^2 + (4q - 1) x`` with ``u(0.5) = q``: q = 0.5 is risk neutral (discounted
accuracy), 0.65 and 0.80 are their u65 and u80.  The expected utility is linear in q, so two
classifiers earn the same at one q at most, and on either side of it the same one is better.  Along
other families of utilities and of costs the curves are followed numerically.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._typing import Floats
from wager.compare._break_even_words import sentence
from wager.compare._cost_risk import COST_FAMILIES, cost_grid
from wager.compare._crossings import follow
from wager.compare._fieller import fieller_set
from wager.compare._gaps import PairedCosts, cost_gap, utility_gap
from wager.compare._risk import FAMILIES
from wager.costs import CostMatrix
from wager.rewards import PairedTally, Tally, rewards_of

LOW, HIGH = 0.5, 1.0  # risk neutral; as happy with a hit among two classes as with a sure hit


class BreakEven(NamedTuple):
    """Where two classifiers earn the same, how sure that is, and what it means in words.

    Attributes
    ----------
    value : float or None
        The u(0.5) in [0.5, 1] at which both earn the same; None where one is better throughout.
        Along other families there may be several such points: the first of them.
    interval : tuple of float or None
        The part of [0.5, 1] in which the data cannot tell the two apart (Fieller's confidence
        set); None where they are told apart everywhere.
    verdict : str
        The sentence to quote.
    """

    value: float | None
    interval: tuple[float, float] | None
    verdict: str


def break_even(
    a: PairedTally | Tally | PairedCosts,
    b: Tally | None = None,
    *,
    family: str = "quadratic",
    costs: CostMatrix | None = None,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
    **options: Any,
) -> BreakEven:
    """The risk attitude at which two classifiers earn the same, with its confidence interval.

    Parameters
    ----------
    a : PairedTally, Tally of the first classifier, or PairedCosts
        A paired tally of both on the same rows gives the shorter interval.  A family of costs
        needs `PairedCosts`.
    b : Tally, optional
        The second classifier, when ``a`` is a plain tally; the two are then taken to have been
        scored on different rows.
    family : {"quadratic", "exponential", "fbeta", "p-discounted", "ha"}, default="quadratic"
        Along which decision makers to look, as in `risk_profile`: by default along u(0.5).
    costs : CostMatrix, optional
        The costs of single classes, for a family of costs; ``options`` are those of `risk_profile`.
    names : pair of str
        What the sentence calls the two.
    confidence : float, default=0.95
        Level of the interval, which is Fieller's: the attitudes at which a test of equal utility
        does not reject.

    Examples
    --------
    >>> y = [0] * 1000
    >>> plain = [0] * 860 + [1] * 140                 # right in 260 of the last 400 rows
    >>> cautious = [[0]] * 600 + [[0, 1]] * 400       # keeps both classes there
    >>> even = break_even(PairedTally.of(y, cautious, plain), names=("cautious", "plain"))
    >>> even.verdict
    'cautious is better than plain for anyone with u(0.5) above 0.65 (0.60-0.70), plain for anyone
    below'
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}")
    if family in COST_FAMILIES:
        return _along_costs(a, family, costs, options, names, confidence)
    if family not in FAMILIES:
        known = ", ".join([*FAMILIES, *COST_FAMILIES])
        raise ValueError(f"no family {family!r}: choose from {known}")
    if isinstance(a, PairedCosts) or costs is not None or options:
        raise ValueError(f"the {family} family is one of utilities: pass a PairedTally, no costs")
    if isinstance(a, PairedTally) == (b is not None):
        missing = "a second tally is missing: pass break_even(tally_a, tally_b)"
        raise ValueError(
            missing if b is None else "pass one paired tally, or two tallies, not both"
        )
    if family == "quadratic":
        return _along_quadratics(a, b, names, confidence)
    chosen = FAMILIES[family]
    gap = utility_gap(a, b, chosen)
    low, high = chosen.grid[0], chosen.grid[-1]
    found, interval = follow(gap, low, high, confidence)
    words = sentence(gap.at, found, interval, chosen.parameter, (low, high), names, "earn")
    return BreakEven(found[0] if found else None, interval, words)


def _along_costs(
    paired: Any,
    family: str,
    costs: CostMatrix | None,
    options: dict[str, Any],
    names: tuple[str, str],
    confidence: float,
) -> BreakEven:
    if costs is None or not isinstance(paired, PairedCosts):
        raise ValueError(
            f"along the {family} family pass PairedCosts.of(y_true, pred_a, pred_b) and costs="
        )
    gap = cost_gap(paired, family, costs, options)
    low, high = (float(end) for end in cost_grid(family, costs)[[0, -1]])
    found, interval = follow(gap, low, high, confidence)
    words = sentence(gap.at, found, interval, COST_FAMILIES[family], (low, high), names, "cost")
    return BreakEven(found[0] if found else None, interval, words)


# -- quadratic utilities: a line for each classifier --------------------------------------------


def quadratic_line(tally: Tally) -> tuple[float, float]:
    """Expected quadratic utility of a tally as ``intercept + slope * u(0.5)``.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], np.ones((2, 2), dtype=bool))
    >>> quadratic_line(vacuous)
    (0.0, 1.0)
    """
    mean, _ = _mean_and_covariance(*_cells(tally))
    return float(mean[0]), float(mean[1])


def _along_quadratics(
    a: PairedTally | Tally, b: Tally | None, names: tuple[str, str], confidence: float
) -> BreakEven:
    if isinstance(a, PairedTally):
        mean, covariance, n = _paired_difference(a)
    else:
        assert b is not None
        mean, covariance, n = _unpaired_difference(a, b)
    value = _crossing(mean)
    interval = fieller_set(mean, covariance, n, confidence, (LOW, HIGH))
    if interval is None and value is not None:
        interval = value, value  # nothing varies: the crossing is known exactly

    def lead(points: Floats) -> tuple[Floats, Floats]:
        return mean[0] + mean[1] * points, points

    found = [] if value is None else [value]
    words = sentence(lead, found, interval, "u(0.5)", (LOW, HIGH), names, "earn")
    return BreakEven(value, interval, words)


def _cells(tally: Tally) -> tuple[Floats, Floats]:
    """(intercept, slope) of the utility of each reward that occurs, and its probability."""
    rewards, chance = tally.reward_law()
    return _line(rewards), chance


def _line(reward: Floats) -> Floats:
    # u(x) = (2x^2 - x) + q * 4(x - x^2)
    return np.stack([2 * reward**2 - reward, 4 * (reward - reward**2)], axis=-1)


def _mean_and_covariance(lines: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mean of the rows' lines, and the (population) covariance of intercept and slope."""
    total = weights.sum()
    mean = weights @ lines / total
    centred = lines - mean
    return mean, (centred * weights[:, None]).T @ centred / total


def _paired_difference(paired: PairedTally) -> tuple[Floats, Floats, float]:
    paired.a.require_rows()
    size_a, hit_a, size_b, hit_b = paired.outcomes.T
    lines = _line(rewards_of(size_a, hit_a)) - _line(rewards_of(size_b, hit_b))
    mean, covariance = _mean_and_covariance(lines, np.asarray(paired.counts, dtype=float))
    n = paired.effective_n
    return mean, covariance / _degrees(n), n


def _unpaired_difference(a: Tally, b: Tally) -> tuple[Floats, Floats, float]:
    mean_a, covariance_a = _mean_and_covariance(*_cells(a))
    mean_b, covariance_b = _mean_and_covariance(*_cells(b))
    n_a, n_b = a.effective_n, b.effective_n
    covariance = covariance_a / _degrees(n_a) + covariance_b / _degrees(n_b)
    return mean_a - mean_b, covariance, min(n_a, n_b)


def _degrees(n: float) -> float:
    """The divisor of a variance of a mean; infinite for a law, which is no sample."""
    return np.inf if np.isnan(n) else max(n - 1, 1)


def _crossing(mean: Floats) -> float | None:
    intercept, slope = mean
    if abs(slope) <= 1e-12:
        return None
    crossing = -intercept / slope
    # a crossing at the very end of the range is one, whatever the rounding
    inside = LOW - 1e-9 <= crossing <= HIGH + 1e-9
    return float(min(max(crossing, LOW), HIGH)) if inside else None
