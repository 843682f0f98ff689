"""The value of the next m bets: a utility of their total reward.

A patient is concerned with the next prediction, a trader with all predictions of a day.  For the
trader the utility is a function of the total of m rewards (Zaffalon, Corani & Mauá, 2012, Sec. 8),
so it must increase up to the largest total; quadratic utilities do not.  The published
second-order approximation is given next to the exact value, with its error, which is not always
small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._tables import View, Viewed, real_number, require_kind
from wager._typing import Floats, Ints
from wager._visible import brief
from wager.rewards._tally import Tally
from wager.rewards._total import binomial_law, law_of_total
from wager.rewards._utilities import Exponential, Linear, Quadratic
from wager.rewards._utility import Utility, second_order
from wager.rewards._utility_names import UtilityLike, get_utility


class BetsUtility(Viewed, float):
    """Expected utility of the total of m bets: a number that knows how it was computed.

    Attributes
    ----------
    expected_utility : float
        The value itself, exact up to `error_bound`.
    method : str
        ``"constant"``, ``"moments"``, ``"exponential"``, ``"binomial"``, ``"grid"`` or
        ``"rounded grid"``.
    error_bound : float
        Bound on the error from rounding the rewards to a grid; 0 for the other methods.
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

    def _view(self) -> View:
        bound = f", error at most {self.error_bound:.1e}" if self.error_bound else ""
        words = (
            f"{self.expected_utility:.6g} ({self.method}{bound}; "
            f"second order {self.second_order:.6g}, off by {self.second_order_error:+.2g})"
        )
        return View(verdict=[words])

    def __str__(self) -> str:
        return f"{float(self):.6g}"


def expected_utility_of_bets(
    tally: Tally, m: int, utility: UtilityLike = "log", exact: bool = True
) -> BetsUtility:
    """The expected utility of the total reward of the next m bets.

    Parameters
    ----------
    tally : Tally
        The distribution of one reward; the bets are independent draws from it.
    m : int
        The number of bets.
    utility : str, float, Utility, callable or path, default="log"
        A utility of the total reward, which must increase up to the largest total.
    exact : bool, default=True
        Return the exact value; otherwise the second-order approximation.  The result has both.

    Returns
    -------
    BetsUtility
        A float with the method, the error bound and the second-order value as attributes.

    Notes
    -----
    Exponential utilities and rewards with two values have closed forms for every m.  Otherwise the
    distribution of the total is computed by convolution on the grid of rewards.  This is exact if
    the grid has fewer than 50 million points; longer grids are rounded.  Rounding divides each
    reward between two neighbouring points and keeps its mean, so it changes the value by at most
    half the variance that it adds times the largest absolute value of u'': `error_bound`.

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
    require_kind(tally, "tally", Tally)
    tally.require_rows()
    sizes, chance = _reward_sizes(tally)
    rewards = np.divide(1.0, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    if m > 1:
        _require_increasing(u, m * float(rewards.max()), m)
    mean = float(chance @ rewards)
    variance = float(chance @ (rewards - mean) ** 2)
    approximate = second_order(u, m * mean, m * variance)
    found = _expectation(u, m, sizes, chance, rewards, approximate)
    result = BetsUtility(found.value if exact else approximate)
    result.expected_utility, result.method, result.error_bound = found
    result.mean_total, result.variance_total = m * mean, m * variance
    result.second_order = approximate
    return result


class _Found(NamedTuple):
    value: float
    method: str
    error_bound: float = 0.0


def _expectation(
    u: Utility, m: int, sizes: Ints, chance: Floats, rewards: Floats, approximate: float
) -> _Found:
    """E u(total), in closed form if there is one."""
    if len(sizes) == 1:
        return _Found(float(u(m * rewards[0])), "constant")
    if m == 1:
        return _Found(float(chance @ u.of_size(sizes)), "constant")
    if isinstance(u, Linear | Quadratic):
        return _Found(approximate, "moments")  # Eq. (2) is exact for them
    if isinstance(u, Exponential):
        if u.is_linear:
            return _Found(m * float(chance @ rewards), "exponential")
        log_mean = np.log1p(chance @ np.expm1(-u.a * rewards))  # of exp(-a reward)
        return _Found(float(-u.scale * np.expm1(m * log_mean)), "exponential")
    around = float(u(m * (chance @ rewards)))  # adding up differences from it loses fewer digits
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
    """Sizes of the sets that hit, 0 for a miss, and the probability of each."""
    size, hit, count = tally.cells
    sizes, place = np.unique(np.where(hit, size, 0), return_inverse=True)
    return sizes, np.bincount(place, weights=count) / tally.n


def _whole(m: int) -> int:
    number = real_number(m, "the number of bets")
    if not (np.isfinite(number) and number >= 1 and int(m) == m):
        raise ValueError(f"the number of bets must be a whole number of at least 1, got {brief(m)}")
    return int(m)


def _require_increasing(u: Utility, largest_total: float, m: int) -> None:
    if u.increasing_up_to < largest_total:
        raise ValueError(
            f"{u.name} does not increase beyond a total reward of {u.increasing_up_to:.4g}, but "
            f"{m} bets can earn {largest_total:g}: choose a utility that does, such as log, exp:1, "
            "f1 or power:0.5"
        )
