"""What the next m bets are worth: a utility of their total reward.

A patient cares for the next prediction, a trader for all of a day's.  The utility is then one of
the total of m rewards (Zaffalon, Corani & Mauá, 2012, Sec. 8), so it must keep growing up to the
largest total; quadratic utilities do not.  The published second-order formula is given beside the
exact value, with its true error: it is not always small.
"""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np

from wager._typing import Floats, Ints
from wager.rewards._tally import Tally
from wager.rewards._total import binomial_law, law_of_total
from wager.rewards._utilities import Exponential, Linear, Quadratic, Utility
from wager.rewards._utility_names import UtilityLike, get_utility


class BetsUtility(float):
    """Expected utility of the total of m bets: a number that knows how it was found.

    Attributes
    ----------
    expected_utility : float
        The value itself, exact up to `error_bound`.
    method : str
        ``"constant"``, ``"moments"``, ``"exponential"``, ``"binomial"``, ``"grid"`` or
        ``"rounded grid"``.
    error_bound : float
        How far rounding the rewards to a grid can have moved the value; 0 for the other methods.
    mean_total, variance_total : float
        Mean and variance of the total reward.
    second_order : float
        The approximation u(E) + u''(E) Var / 2 (Eq. 2 applied to the total).
    second_order_error : float
        That approximation minus the exact value.
    """

    expected_utility: float
    method: str
    error_bound: float
    mean_total: float
    variance_total: float
    second_order: float

    @property
    def second_order_error(self) -> float:
        """The second-order approximation minus the exact value."""
        return self.second_order - self.expected_utility

    def __repr__(self) -> str:
        bound = f", error at most {self.error_bound:.1e}" if self.error_bound else ""
        return (
            f"{self.expected_utility:.6g} ({self.method}{bound}; "
            f"second order {self.second_order:.6g}, off by {self.second_order_error:+.2g})"
        )

    __str__ = float.__repr__


def expected_utility_of_bets(
    tally: Tally, m: int, utility: UtilityLike = "log", exact: bool = True
) -> BetsUtility:
    """The expected utility of what the next m bets earn together.

    Parameters
    ----------
    tally : Tally
        The law of one reward; the bets are independent draws from it.
    m : int
        The number of bets.
    utility : str, float, Utility, callable or path, default="log"
        A utility of the total reward, which must not fall on the way to the largest total.
    exact : bool, default=True
        Return the exact value; otherwise the second-order approximation.  The result carries both.

    Returns
    -------
    BetsUtility
        A float with the method, the error bound and the second-order value as attributes.

    Notes
    -----
    Exponential utilities and two-valued rewards have closed forms at any m.  Otherwise the law of
    the total is found by convolution on the grid of rewards, exactly as long as the grid stays
    below 50 million points, and beyond that on a rounded grid.  Rounding spreads each reward over
    two neighbours and keeps its mean, so it moves the value by at most half the variance it adds
    times the largest |u''|: `error_bound`.

    Examples
    --------
    >>> tally = Tally.of([0, 1, 1], [[True, True], [True, False], [False, True]])
    >>> value = expected_utility_of_bets(tally, 10, "log")
    >>> value
    1.76... (grid; second order 1.76..., off by ...)
    >>> value.method
    'grid'
    """
    m, u = _whole(m), get_utility(utility)
    tally.require_rows()
    sizes, chance = _reward_sizes(tally)
    rewards = np.divide(1.0, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    if m > 1:
        _require_increasing(u, m * float(rewards.max()), m)
    mean = float(chance @ rewards)
    variance = float(chance @ (rewards - mean) ** 2)
    second_order = float(u(m * mean) + u.derivative2(m * mean) * m * variance / 2)
    found = _expectation(u, m, sizes, chance, rewards, second_order)
    result = BetsUtility(found.value if exact else second_order)
    result.expected_utility, result.method, result.error_bound = found
    result.mean_total, result.variance_total = m * mean, m * variance
    result.second_order = second_order
    return result


class _Found(NamedTuple):
    value: float
    method: str
    error_bound: float = 0.0


def _expectation(
    u: Utility, m: int, sizes: Ints, chance: Floats, rewards: Floats, second_order: float
) -> _Found:
    """E u(total), in closed form where there is one."""
    if len(sizes) == 1:
        return _Found(float(u(m * rewards[0])), "constant")
    if m == 1:
        return _Found(float(chance @ u.of_size(sizes)), "constant")
    if isinstance(u, Linear | Quadratic):
        return _Found(second_order, "moments")  # Eq. (2) is exact for them
    if isinstance(u, Exponential):
        if u.is_linear:
            return _Found(m * float(chance @ rewards), "exponential")
        log_mean = np.log1p(chance @ np.expm1(-u.a * rewards))  # of exp(-a reward)
        return _Found(float(-u.scale * np.expm1(m * log_mean)), "exponential")
    around = float(u(m * (chance @ rewards)))  # summing what differs from it loses fewer digits
    if len(sizes) == 2:
        low, high = rewards.min(), rewards.max()
        law = binomial_law(m, float(chance[rewards.argmax()]))
        if law is not None:
            totals = m * low + (law[0] + np.arange(len(law[1]))) * (high - low)
            return _Found(around + float(law[1] @ (u(totals) - around)), "binomial")
    total = law_of_total(sizes, chance, m)
    value = around + float(total.chance @ (u(total.totals) - around))
    if total.added_variance == 0:
        return _Found(value, "grid")
    ends = np.linspace(max(total.start, 0.0), total.totals[-1], 1001)
    bound = total.added_variance / 2 * float(np.abs(u.derivative2(ends)).max())
    return _Found(value, "rounded grid", bound)


def _reward_sizes(tally: Tally) -> tuple[Ints, Floats]:
    """Sizes of the sets that hit, 0 for a miss, with the probability of each."""
    size, hit, count = tally.cells
    sizes, place = np.unique(np.where(hit, size, 0), return_inverse=True)
    return sizes, np.bincount(place, weights=count) / tally.n


def _whole(m: int) -> int:
    if int(m) != m or m < 1:
        raise ValueError(f"the number of bets must be a whole number of at least 1, got {m!r}")
    return int(m)


def _require_increasing(u: Utility, largest_total: float, m: int) -> None:
    if u.increasing_up_to < largest_total:
        raise ValueError(
            f"{u.name} does not increase beyond a total reward of {u.increasing_up_to:.4g}, but "
            f"{m} bets can earn {largest_total:g}: choose one that does, as log, exp:1, f1 or "
            "power:0.5"
        )


class RandomVsVacuous(float):
    """d(m): what knowing that you do not know is worth over m bets.

    The float is the expected utility of the vacuous classifier, which always names all classes,
    minus that of the random one, which always guesses (positive under risk aversion).

    Attributes
    ----------
    random, vacuous : float
        The two expected utilities, exact.
    difference : float
        Vacuous minus random, exact.
    random_second_order, difference_second_order : float
        The same by the second-order approximation (Zaffalon, Corani & Mauá, 2012, Eq. 7).
    slope : float
        Derivative in m of the second-order difference (Eq. 8, with its constant).
    """

    random: float
    vacuous: float
    difference: float
    random_second_order: float
    difference_second_order: float
    slope: float
    _problem: tuple[int, Utility]

    @property
    def turning_point(self) -> float:
        """The m at which the second-order difference is largest: n for log, n/a for exp."""
        n, u = self._problem
        return n * _peak_of_risk(u)

    def __repr__(self) -> str:
        return (
            f"{self.difference:.6g} (vacuous {self.vacuous:.6g} - random {self.random:.6g}; second "
            f"order {self.difference_second_order:.6g}, turning at m = {self.turning_point:.4g})"
        )

    __str__ = float.__repr__


def random_vs_vacuous(
    m: int, n_classes: int, utility: UtilityLike = "log", exact: bool = True
) -> RandomVsVacuous:
    """How much better than guessing it is to name all classes, over the next m bets.

    Both classifiers earn m/n on average; the vacuous one earns it for sure.

    Parameters
    ----------
    m : int
        The number of bets.
    n_classes : int
        The number of classes n.
    utility : str, float, Utility, callable or path, default="log"
        A utility of the total reward.
    exact : bool, default=True
        Return the exact difference; otherwise the second-order one.  The result carries both.

    Examples
    --------
    >>> d = random_vs_vacuous(1, 2, "log")
    >>> round(d.difference, 4), round(d.difference_second_order, 4), round(d.turning_point, 4)
    (0.0589, 0.0556, 2.0)
    """
    if int(n_classes) != n_classes or n_classes < 2:
        raise ValueError(f"guessing needs at least 2 classes, got n_classes={n_classes!r}")
    n, u = int(n_classes), get_utility(utility)
    guess = Tally(np.array([[0, 0], [n - 1, 1], *[[0, 0]] * (n - 1)]))
    random = expected_utility_of_bets(guess, m, u)
    vacuous = float(u(m / n))
    gap, gap_second = vacuous - random.expected_utility, vacuous - random.second_order
    result = RandomVsVacuous(gap if exact else gap_second)
    result.random, result.vacuous, result.difference = random.expected_utility, vacuous, gap
    result.random_second_order, result.difference_second_order = random.second_order, gap_second
    x = m / n
    result.slope = float(-(u.derivative2(x) + x * u.derivative3(x)) * (1 - 1 / n) / (2 * n))
    result._problem = (n, u)
    return result


def inversion_point(n_classes: int, utility: UtilityLike = "log") -> float:
    """The number of bets at which the exact difference d(m) is largest; NaN if there is none.

    For the logarithm it lies beyond the published m = n: 4 for n = 3, 7 for 5, 14 for 10.

    Examples
    --------
    >>> [inversion_point(n) for n in (2, 3, 5, 10)]
    [2, 4, 7, 14]
    """
    u = get_utility(utility)

    def gap(m: int) -> float:
        return random_vs_vacuous(m, n_classes, u).difference

    if not gap(1) > 1e-14:  # no risk aversion, nothing to gain
        return nan
    low, high = 1, 2
    while gap(high) > gap(high // 2):
        low, high = high // 2, 2 * high
        if high > 1 << 40:
            return nan
    while high - low > 2:  # d rises, then falls: a third of the bracket goes at each step
        left, right = low + (high - low) // 3, high - (high - low) // 3
        low, high = (left, high) if gap(left) < gap(right) else (low, right)
    return max(range(low, high + 1), key=gap)


def _peak_of_risk(u: Utility) -> float:
    """The reward x at which -x u''(x) is largest, where x u''' + u'' turns positive; or NaN."""

    def falling(x: float) -> bool:
        return bool(u.derivative2(x) + x * u.derivative3(x) >= 0)

    mesh = np.geomspace(1e-6, 1e6, 241)
    turned = [falling(x) for x in mesh]
    if turned[0] or not any(turned):
        return nan
    first = turned.index(True)
    low, high = float(mesh[first - 1]), float(mesh[first])
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if falling(middle) else (middle, high)
    return high
