"""For whom is one classifier better: the risk attitude at which two classifiers earn the same.

Zaffalon, Corani & Mauá (2012) judge set-valued predictions by the quadratic utilities
``u(x) = (2 - 4q) x^2 + (4q - 1) x`` with ``u(0.5) = q``: q = 0.5 is risk neutral (discounted
accuracy), 0.65 and 0.80 are their u65 and u80.  The expected utility is linear in q, so two
classifiers earn the same at one q at most, and on either side of it the same one is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._typing import Floats
from wager.compare._fieller import fieller_set
from wager.rewards import PairedTally, Tally, rewards_of

LOW, HIGH = 0.5, 1.0  # risk neutral; as happy with a hit among two classes as with a sure hit


class BreakEven(NamedTuple):
    """Where two classifiers earn the same, how sure that is, and what it means in words.

    Attributes
    ----------
    value : float or None
        The u(0.5) in [0.5, 1] at which both earn the same; None where one is better throughout.
    interval : tuple of float or None
        The part of [0.5, 1] in which the data cannot tell the two apart (Fieller's confidence
        set); None where they are told apart everywhere.
    verdict : str
        The sentence to quote.
    """

    value: float | None
    interval: tuple[float, float] | None
    verdict: str


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


def break_even(
    a: PairedTally | Tally,
    b: Tally | None = None,
    *,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
) -> BreakEven:
    """The u(0.5) at which two classifiers earn the same, with its confidence interval.

    Parameters
    ----------
    a : PairedTally, or Tally of the first classifier
        A paired tally of both on the same rows gives the shorter interval.
    b : Tally, optional
        The second classifier, when ``a`` is a plain tally; the two are then taken to have been
        scored on different rows.
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
    if isinstance(a, PairedTally):
        if b is not None:
            raise ValueError("pass one paired tally, or two tallies, not both")
        mean, covariance, n = _paired_difference(a)
    elif b is None:
        raise ValueError("a second tally is missing: pass break_even(tally_a, tally_b)")
    else:
        mean, covariance, n = _unpaired_difference(a, b)
    value = _crossing(mean)
    interval = fieller_set(mean, covariance, n, confidence, (LOW, HIGH))
    if interval is None and value is not None:
        interval = value, value  # nothing varies: the crossing is known exactly
    return BreakEven(value, interval, _sentence(mean, value, interval, names))


# -- the line of a tally, and the difference of two -------------------------------------------


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


# -- the crossing ---------------------------------------------------------------------------


def _crossing(mean: Floats) -> float | None:
    intercept, slope = mean
    if np.isclose(slope, 0, atol=1e-12):
        return None
    crossing = -intercept / slope
    # a crossing at the very end of the range is one, whatever the rounding
    inside = LOW - 1e-9 <= crossing <= HIGH + 1e-9
    return float(np.clip(crossing, LOW, HIGH)) if inside else None


# -- in words -------------------------------------------------------------------------------


def _sentence(
    mean: Floats,
    value: float | None,
    interval: tuple[float, float] | None,
    names: tuple[str, str],
) -> str:
    if np.allclose(mean, 0, atol=1e-12):
        return f"{names[0]} and {names[1]} earn the same whatever u(0.5) is"
    at_low, at_high = (float(mean @ (1, q)) for q in (LOW, HIGH))
    undecided = interval is not None and interval[0] <= LOW and interval[1] >= HIGH
    if undecided:
        ahead = names[0] if at_low + at_high > 0 else names[1]
        here = f"{ahead} is ahead" if value is None else f"both earn the same at {value:.2f}"
        return (
            f"the data do not tell {names[0]} and {names[1]} apart between u(0.5) = 0.5 and 1; "
            f"in this sample {here}"
        )
    if value is None or np.isclose(value, LOW) or np.isclose(value, HIGH):
        better, worse = names if at_low + at_high > 0 else names[::-1]
        sentence = f"{better} is better than {worse} for anyone with u(0.5) from 0.5 to 1"
        if interval is None:
            return sentence
        return f"{sentence}, though not surely between {interval[0]:.2f} and {interval[1]:.2f}"
    above, below = names if mean[1] > 0 else names[::-1]
    assert interval is not None
    low, high = interval
    return (
        f"{above} is better than {below} for anyone with u(0.5) above {value:.2f} "
        f"({low:.2f}-{high:.2f}), {below} for anyone below"
    )
