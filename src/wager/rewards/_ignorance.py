"""The value of admitting ignorance: the vacuous classifier compared with the random one.

Both know nothing about the class and earn 1/n per bet on average: the vacuous classifier with
certainty, the random one by chance.  Over m bets the difference of their expected utilities first
grows and then vanishes (Zaffalon, Corani & Mauá, 2012, Sec. 8).
"""

from __future__ import annotations

from math import nan

import numpy as np

from wager._tables import View, Viewed, require_whole
from wager.rewards._bets import expected_utility_of_bets
from wager.rewards._tally import Tally, whole_classes
from wager.rewards._utility import Utility
from wager.rewards._utility_names import UtilityLike, get_utility


class RandomVsVacuous(Viewed, float):
    """d(m): the value over m bets of predicting all classes instead of guessing one.

    The number is the expected utility of the vacuous classifier, which always predicts all
    classes, minus that of the random one, which always guesses.  It is positive under risk
    aversion.

    Attributes
    ----------
    random, vacuous : float
        The two expected utilities, exact.
    difference : float
        Vacuous minus random, exact.
    random_second_order, difference_second_order : float
        The same in second-order approximation (Zaffalon, Corani & Mauá, 2012, Eq. 7).
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

    def _view(self) -> View:
        words = (
            f"{self.difference:.6g} (vacuous {self.vacuous:.6g} - random {self.random:.6g}; second "
            f"order {self.difference_second_order:.6g}, turning at m = {self.turning_point:.4g})"
        )
        return View(verdict=[words])

    def __str__(self) -> str:
        return f"{float(self):.6g}"


def random_vs_vacuous(
    m: int, n_classes: int, utility: UtilityLike = "log", exact: bool = True
) -> RandomVsVacuous:
    """How much better than guessing it is to predict all classes, over the next m bets.

    Both classifiers earn m/n on average; the vacuous one earns it with certainty.

    Parameters
    ----------
    m : int
        The number of bets.
    n_classes : int
        The number of classes n.
    utility : str, float, Utility, callable or path, default="log"
        A utility of the total reward.
    exact : bool, default=True
        Return the exact difference; otherwise the second-order one.  The result has both.

    Examples
    --------
    >>> d = random_vs_vacuous(1, 2, "log")
    >>> round(d.difference, 4), round(d.difference_second_order, 4), round(d.turning_point, 4)
    (0.0589, 0.0556, 2.0)
    """
    n, u = require_whole(n_classes, "n_classes", -(2**63)), get_utility(utility)
    if n < 2:
        raise ValueError(f"guessing needs at least 2 classes, got n_classes={n}")
    whole_classes(n)
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

    For the logarithm it is larger than the published m = n: 4 for n = 3, 7 for 5, 14 for 10.

    Examples
    --------
    >>> [inversion_point(n) for n in (2, 3, 5, 10)]
    [2, 4, 7, 14]
    """
    u = get_utility(utility)

    def gap(m: int) -> float:
        return random_vs_vacuous(m, n_classes, u).difference

    if not gap(1) > 1e-14:  # without risk aversion there is nothing to gain
        return nan
    low, high = 1, 2
    while gap(high) > gap(high // 2):
        low, high = high // 2, 2 * high
        if high > 1 << 40:
            return nan
    while high - low > 2:  # d rises, then falls: each step removes a third of the bracket
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
