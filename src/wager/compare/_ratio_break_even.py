"""Break-even points along a line of rewards: the accuracy of a person, the weight of a class.

The lead of one classifier over another is ``mean_1 + x mean_2`` in these cases: linear in what a
user has to say.  It is 0 at one x, whose confidence set is Fieller's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wager._tables import ROUNDING, encode_labels, real_number, require_kind
from wager._typing import Floats
from wager._visible import brief
from wager.compare._break_even import BreakEven
from wager.compare._fieller import fieller_set
from wager.compare._lead_curves import without_rounding
from wager.compare._outcome import check_names
from wager.compare._paired_costs import PairedCosts
from wager.costs import SetRewards, cell_rewards
from wager.rewards import CellSums, PairedTally


def break_even_accuracy(
    paired: PairedTally,
    *,
    cost: float = 0.0,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
) -> BreakEven:
    """How accurate a person must be, so that handing over sets beats a precise classifier.

    The first classifier decides where it names one class, and hands its sets of several classes to
    a person, who finds the true class with accuracy a if the set contains it.  Each set that is
    handed over has a price.  The value is share of right single classes + a x share of sets that
    contain the true class - cost x share of sets; the second classifier always names one class.
    The confidence set is Fieller's.

    Use it to say whether a person is worth asking, before anybody has measured the person.

    Parameters
    ----------
    paired : PairedTally
        Both classifiers on the same rows; the second one always predicts one class.
    cost : float, default=0
        The price of asking the person about a set, in units of a right answer.
    names : pair of str
        The names of the two classifiers in the sentence.
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    BreakEven
        ``value`` is the accuracy above which handing over is better, None if there is none from 0
        to 1; ``interval`` its confidence interval.

    References
    ----------
    Fieller (1954), for the interval; Madras, Pitassi & Zemel (2018), for deferring to a person.

    Examples
    --------
    >>> y = [0] * 1000
    >>> plain = [0] * 860 + [1] * 140                 # right in 260 of the last 400 rows
    >>> cautious = [[0]] * 600 + [[0, 1]] * 400       # keeps both classes there
    >>> even = break_even_accuracy(PairedTally.of(y, cautious, plain), cost=0.05)
    >>> round(even.value, 4)
    0.7
    >>> even.verdict
    'handing the sets of A to a person is better than B if the person is right in more than 74.7% of
    the sets that contain the true class, and worse below 65.3%; in between the data do not decide
    (break-even at 70.0%, 95% interval 65.3%-74.7%)'
    """
    _check_confidence(confidence)
    require_kind(paired, "paired", PairedTally)
    if not 0 <= real_number(cost, "cost") < np.inf:
        raise ValueError(f"cost must be finite and not negative, got {brief(cost)}")
    names = check_names(names)
    if paired.n == 0:
        raise ValueError("there are no rows to compare the classifiers on: pass at least one")
    size_a, hit_a, size_b, hit_b = paired.outcomes.T
    if (size_b != 1).any():
        raise ValueError(
            f"{names[1]} must predict exactly one class in every row, got a set of "
            f"{size_b[size_b != 1][0]} classes: pass the sets first and a precise classifier second"
        )
    several = size_a > 1
    alone = np.where(several, -float(cost), hit_a) - hit_b
    handed = np.where(several & (hit_a == 1), 1.0, 0.0)
    a, b = names
    if not handed.any():
        words = f"no set of several classes by {a} contains the true class: there is nothing to ask"
        return BreakEven(None, None, words)
    value, interval = _zero(np.stack([alone, handed]), paired.sums, confidence, (0.0, 1.0))
    better = f"handing the sets of {a} to a person is better than {b}"
    level = f"{100 * confidence:g}% interval"
    if interval is None:  # decided for every accuracy
        always = float(alone @ paired.counts) > 0
        words = (
            f"{better}, however often the person is right"
            if always
            else f"{b} is better than handing the sets of {a} to a person, even if the person is "
            "always right"
        )
    elif value is not None and interval[0] > 0 and interval[1] < 1:
        words = (
            f"{better} if the person is right in more than {100 * interval[1]:.1f}% of the sets "
            f"that contain the true class, and worse below {100 * interval[0]:.1f}%; in between "
            f"the data do not decide (break-even at {100 * value:.1f}%, {level} "
            f"{_percent(interval)})"
        )
    elif interval[1] < 1:
        words = f"{better} if the person is right in more than {100 * interval[1]:.1f}% of the "
        words += "sets that contain the true class; below the data do not decide"
    elif interval[0] > 0:
        words = f"{b} is better than handing the sets of {a} to a person who is right in less than "
        words += f"{100 * interval[0]:.1f}% of the sets that contain the true class; above the "
        words += "data do not decide"
    else:
        words = f"the data do not decide whether {better}, for any accuracy of the person"
    return _with_sides(BreakEven(value, interval, words), interval, (0.0, 1.0), True)


def break_even_weight(
    paired: PairedCosts,
    rewards: SetRewards,
    label: Any,
    *,
    names: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
) -> BreakEven:
    """How much one class must count, so that two classifiers earn the same.

    The rewards of all rows in which the class is true are multiplied by a weight w, and those of
    other rows stay as they are: the difference of the two classifiers is linear in w.  The
    confidence set is Fieller's.

    Use it if two people agree on everything but on how much one class matters.

    Parameters
    ----------
    paired : PairedCosts
        Both classifiers on the same rows.
    rewards : SetRewards
        The rewards for w = 1.
    label : label
        The class.
    names : pair of str
        The names of the two classifiers in the sentence.
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    BreakEven
        ``value`` is the weight at which both earn the same, None if there is no positive one;
        ``interval`` its confidence interval, whose upper end may be infinite.

    References
    ----------
    Fieller (1954).

    Examples
    --------
    >>> y = ["ill"] * 100 + ["well"] * 900
    >>> eager = ["ill"] * 90 + ["well"] * 10 + ["ill"] * 200 + ["well"] * 700
    >>> calm = ["ill"] * 50 + ["well"] * 50 + ["ill"] * 20 + ["well"] * 880
    >>> rewards = SetRewards.by_class("u65", classes=["ill", "well"])
    >>> even = break_even_weight(
    ...     PairedCosts.of(y, eager, calm), rewards, "ill", names=("eager", "calm")
    ... )
    >>> round(even.value, 4)
    4.5
    >>> even.verdict
    "eager earns more than calm if the class 'ill' has a weight above 6.7, calm earns more below
    3.3; in between the data do not decide (break-even at 4.5, 95% interval 3.3-6.7)"
    """
    _check_confidence(confidence)
    require_kind(paired, "paired", PairedCosts)
    require_kind(rewards, "rewards", SetRewards)
    if paired.n == 0:
        raise ValueError("there are no rows to compare the classifiers on: pass at least one")
    codes, _ = encode_labels([label], rewards.classes, name="label")
    gaps, truth = cell_rewards(paired.sets_a, paired.truth, rewards)
    gaps = gaps - cell_rewards(paired.sets_b, paired.truth, rewards)[0]
    here = truth == codes[0]
    both = np.stack([np.where(here, 0.0, gaps), np.where(here, gaps, 0.0)])
    a, b = check_names(names)
    means = _means(both, paired.sums)
    if means[1] == 0:
        words = f"{a} and {b} earn the same where {label!r} is true: its weight changes nothing"
        return BreakEven(None, None, words)
    value, interval = _zero(both, paired.sums, confidence, (0.0, np.inf))
    rises = bool(means[1] > 0)
    above, below = (a, b) if rises else (b, a)
    level = f"{100 * confidence:g}% interval"
    which = f"if the class {label!r} has a weight"
    if interval is None:
        leader, other = (a, b) if means[0] > 0 else (b, a)
        words = f"{leader} earns more than {other} for every weight of the class {label!r}"
    elif value is not None and interval[0] > 0 and np.isfinite(interval[1]):
        words = (
            f"{above} earns more than {below} {which} above {interval[1]:.2g}, {below} earns more "
            f"below {interval[0]:.2g}; in between the data do not decide (break-even at "
            f"{value:.2g}, {level} {_number(interval)})"
        )
    elif np.isfinite(interval[1]):
        words = f"{above} earns more than {below} {which} above {interval[1]:.2g}; below the data "
        words += "do not decide"
    elif interval[0] > 0:
        words = f"{below} earns more than {above} {which} below {interval[0]:.2g}; above the data "
        words += "do not decide"
    else:
        words = f"the data do not decide which of {a} and {b} earns more, for any weight of the "
        words += f"class {label!r}"
    return _with_sides(BreakEven(value, interval, words), interval, (0.0, np.inf), rises)


def _check_confidence(confidence: float) -> None:
    if not 0 < real_number(confidence, "confidence") < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {brief(confidence)}")


def _zero(
    values: Floats, sums: CellSums, confidence: float, within: tuple[float, float]
) -> tuple[float | None, tuple[float, float] | None]:
    """Where ``mean_1 + x mean_2`` is 0, and its confidence set, both within a range."""
    n, values = float(sums.n), values / np.abs(values).max()  # zeros do not depend on the unit
    means = _means(values, sums)
    off = values - means[:, None]
    first, second = sums.square(off)
    cross = (sums.square(off[0] + off[1]) - first - second) / 2
    units = sums.n_units
    scale = units / (units - 1) / n**2 if units > 1 else np.nan
    covariance = np.array([[first, cross], [cross, second]]) * scale
    found = -means[0] / means[1]
    for end in within:  # rounding must not move an end out of the range
        found = end if abs(found - end) <= ROUNDING else found
    value = float(found) if within[0] <= found <= within[1] else None
    return value, fieller_set(means, covariance, units, confidence, within)


def _means(values: Floats, sums: CellSums) -> Floats:
    """The means, 0 if they are rounding errors beside the largest value."""
    return without_rounding(values @ (sums.totals / float(sums.n)), float(np.abs(values).max()))


def _with_sides(
    even: BreakEven,
    interval: tuple[float, float] | None,
    within: tuple[float, float],
    rises: bool,
) -> BreakEven:
    """Add the parts of the range in which the data distinguish the two."""
    if interval is not None:
        sides = [(within[0], interval[0], -1 if rises else 1)]
        sides += [(interval[1], within[1], 1 if rises else -1)]
        even.decided = [side for side in sides if side[0] < side[1]]
    return even


def _shown(interval: tuple[float, float], form: Callable[[float], str]) -> str:
    return f"{form(interval[0])}-{form(interval[1])}"


def _percent(interval: tuple[float, float]) -> str:
    return _shown(interval, lambda end: f"{100 * end:.1f}%")


def _number(interval: tuple[float, float]) -> str:
    return _shown(interval, lambda end: f"{end:.2g}")
