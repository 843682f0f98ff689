"""Planning and equivalence: how many rows decide between two classifiers, and whether any would.

Both read the joint counts of two classifiers on the same rows, or what both cost on them.  A pilot
says how large the difference is and how much the rows vary, and so how many rows a test of given
level and power needs (`sample_size`).  If a difference below some margin does not matter,
`equivalence` tests whether the true difference is below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite, sqrt
from statistics import NormalDist
from typing import Any

from wager._tables import Table, View, Viewed, real_number, require_kind, signed_numbers
from wager._visible import brief
from wager.compare._outcome import Outcome, check_alpha, check_names, show_p
from wager.compare._paired_amounts import PairedAmounts
from wager.compare._paired_costs import PairedCosts
from wager.compare._simultaneous import Adjustment
from wager.costs import CostMatrix, ExtendedCosts, in_unit
from wager.rewards import Difference, PairedTally, Quadratic, UtilityLike, get_utility

SHOWN_U = (0.5, 0.6, 0.65, 0.7, 0.8, 0.9, 1.0)
_Pilot = PairedTally | PairedAmounts


@dataclass(frozen=True, repr=False)
class SamplePlan(Viewed):
    """How many rows decide between two classifiers.

    Attributes
    ----------
    utility : str
        The utility under which they are compared, or "average_cost".
    difference, interval : float and tuple of float
        The mean difference in the pilot, and its interval of level 1 - `alpha`.
    n : float
        The rows that are needed in all if the true difference is that of the pilot; infinite if
        the pilot shows no difference.
    more : float
        The rows that are needed beyond the pilot.
    between : tuple of float
        The rows that are needed if the true difference is at the ends of its interval; the second
        is infinite if the interval contains 0.
    by_u : mapping of float to float
        The rows that are needed in all for other values of u(0.5); empty for costs.
    power, alpha : float
        Power and level of the test.
    verdict : str
        The result as a sentence.
    is_weighted : bool, default=False
        Whether `n`, `more`, `between` and `by_u` are total weights: a pilot of clusters whose rows
        have weights does not say how many rows its clusters have.
    """

    utility: str
    difference: float
    interval: tuple[float, float]
    n: float
    more: float
    between: tuple[float, float]
    by_u: dict[float, float]
    power: float
    alpha: float
    verdict: str
    is_weighted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data; None for an infinite number of rows."""
        return {
            "utility": self.utility,
            "difference": self.difference,
            "interval": list(self.interval),
            "rows": _finite(self.n),
            "more_rows": _finite(self.more),
            "between": [_finite(rows) for rows in self.between],
            "by_u": {f"{u:g}": _finite(rows) for u, rows in self.by_u.items()},
            "power": self.power,
            "alpha": self.alpha,
            "verdict": self.verdict,
        } | ({"is_weighted": True} if self.is_weighted else {})

    def _view(self) -> View:
        rows = [(f"{u:g}", _rows(n)) for u, n in self.by_u.items()]
        needed = "total weight needed" if self.is_weighted else "rows needed"
        tables = [Table(["u(0.5)", needed], rows)] if rows else []
        return View(tables=tables, verdict=[self.verdict])


def sample_size(
    pilot: PairedTally | PairedCosts | PairedAmounts,
    utility: UtilityLike = "u65",
    *,
    costs: CostMatrix | ExtendedCosts | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
) -> SamplePlan:
    """How many rows a test needs to decide between two classifiers, from a pilot.

    Parameters
    ----------
    pilot : PairedTally, PairedCosts or PairedAmounts
        The joint counts of both classifiers on some rows; or what both cost on them.
    utility : utility, default="u65"
        The utility of a prediction, for a `PairedTally`.
    costs : CostMatrix or ExtendedCosts, optional
        The costs of predictions, for `PairedCosts`.
    power : float, default=0.8
        The probability that the test finds the difference of the pilot, if it is the true one.
    alpha : float, default=0.05
        The level of the two-sided test.
    names : pair of str
        The names of the two classifiers in the sentence.

    Notes
    -----
    With difference d and standard deviation s of a unit (a row, or a cluster), the test needs
    ``(z_(1 - alpha/2) s0 + z_power s)² / d²`` units, where s0 is the standard deviation under the
    hypothesis of no difference with which the test itself computes its statistic on the pilot.

    Examples
    --------
    >>> y = [0] * 100
    >>> pilot = PairedTally.of(y, [0] * 88 + [1] * 12, [0] * 80 + [1] * 20)
    >>> plan = sample_size(pilot, "u65")
    >>> plan.n, plan.more
    (96, 0)
    """
    check_alpha(alpha)
    if not 0 < real_number(power, "power") < 1:
        raise ValueError(f"power must lie between 0 and 1, got {brief(power)}")
    compared = _Compared.of(pilot, utility, costs)
    found, pilot = compared.difference, compared.pilot
    interval = found.interval(1 - alpha)
    test = _Test.of(found, pilot, alpha, power)
    n = test.rows(found.mean)
    far, near = max(map(abs, interval)), min(map(abs, interval))
    between = test.rows(far), inf if interval[0] <= 0 <= interval[1] else test.rows(near)
    by_u = {}
    for u in SHOWN_U if isinstance(pilot, PairedTally) else ():
        assert isinstance(pilot, PairedTally)
        here = pilot.difference(Quadratic(u))
        by_u[u] = _Test.of(here, pilot, alpha, power).rows(here.mean)
    more = max(n - pilot.effective_n * _rows_per_unit(pilot), 0.0)
    more = ceil(more - 1e-9) if isfinite(more) else more
    is_weighted = _is_clustered(pilot) and pilot.sums.totals.dtype.kind == "f"
    under = compared.under
    words = _sentence(found, interval, n, more, between, under, power, names, is_weighted)
    return SamplePlan(
        compared.name,
        found.mean,
        interval,
        n,
        more,
        between,
        by_u,
        power,
        alpha,
        words,
        is_weighted,
    )


@dataclass(frozen=True)
class _Compared:
    """What two classifiers are compared by, the joint counts, and the difference."""

    pilot: PairedTally | PairedAmounts
    difference: Difference
    name: str
    under: str  # "under u65", or "by average cost (EUR)"
    unit: str | None = None

    @classmethod
    def of(cls, pilot: Any, utility: UtilityLike, costs: Any = None) -> _Compared:
        """A paired tally under a utility, or paired costs."""
        if isinstance(pilot, PairedTally):
            if costs is not None:
                raise ValueError("costs need PairedCosts.of(y_true, pred_a, pred_b)")
            name = get_utility(utility).name
            return cls(pilot, pilot.difference(utility), name, f"under {name}")
        if isinstance(pilot, PairedCosts):
            if costs is None:
                raise ValueError("PairedCosts are compared by costs: pass costs=")
            pilot = pilot.amounts(costs)
        if not isinstance(pilot, PairedAmounts):
            raise ValueError(
                f"pass PairedTally.of(y_true, pred_a, pred_b), or PairedCosts.of with costs=, got "
                f"an object of type {type(pilot).__name__}"
            )
        under = f"by {in_unit('average cost', pilot.unit)}"
        return cls(pilot, pilot.difference, "average_cost", under, pilot.unit)


@dataclass(frozen=True)
class _Test:
    """A two-sided score test with its level and power, and the spread of independent units."""

    alpha: float
    power: float
    spread: float
    null_factor: float  # the variance under no difference, relative to spread² + difference²
    rows_per_unit: float

    @classmethod
    def of(cls, found: Difference, pilot: _Pilot, alpha: float, power: float) -> _Test:
        """The test of a difference in the pilot."""
        spread = _spread(found, pilot)
        factor = _null_factor(found, pilot, spread)
        return cls(alpha, power, spread, factor, _rows_per_unit(pilot))

    def rows(self, difference: float) -> float:
        """The rows that the test needs for a difference."""
        if difference == 0:
            return inf
        z_alpha, z_power = (NormalDist().inv_cdf(q) for q in (1 - self.alpha / 2, self.power))
        s = self.spread
        null = sqrt(self.null_factor * (s**2 + difference**2))
        units = ((z_alpha * null + z_power * s) / difference) ** 2
        return ceil(units * self.rows_per_unit - 1e-9)


def _spread(found: Difference, pilot: _Pilot) -> float:
    """The standard deviation of a unit: the standard error times the root of the units.

    A pilot in which every row has the same difference still gets a spread, from the width of the
    difference's interval.
    """
    units = pilot.effective_n
    if found.standard_error > 0:
        return found.standard_error * sqrt(units - 1 if units > 1 else 1)
    low, high = found.interval()
    return (high - low) / 4 * sqrt(units)


def _null_factor(found: Difference, pilot: _Pilot, spread: float) -> float:
    """The variance under no difference that the pilot's own statistic contains, relative.

    The statistic of the pilot is its difference over the standard error under no difference.
    """
    from scipy.special import ndtri, stdtrit

    units, p = pilot.effective_n, found.p
    if not (p > 1e-250 and found.mean and units > 1):
        return 1.0  # beyond the reach of the tail
    plain = pilot.sums.squares is None
    statistic = float(ndtri(p / 2) if plain else stdtrit(units - 1, p / 2))
    variance = units * (found.mean / statistic) ** 2 if statistic else float("inf")
    factor = variance / (spread**2 + found.mean**2)
    return factor if isfinite(factor) else 1.0


def _rows_per_unit(pilot: _Pilot) -> float:
    """Rows of a cluster, or their weight; a weighted row is one row, whatever the scale."""
    return float(pilot.n) / pilot.effective_n if _is_clustered(pilot) else 1.0


def _is_clustered(pilot: _Pilot) -> bool:
    squares = pilot.sums.squares
    return squares is not None and squares.ndim == 2


def _sentence(
    found: Difference,
    interval: tuple[float, float],
    n: float,
    more: float,
    between: tuple[float, float],
    under: str,
    power: float,
    names: tuple[str, str],
    is_weighted: bool = False,
) -> str:
    a, b = check_names(names)
    if not isfinite(n):
        return (
            f"the pilot shows no difference between {a} and {b} {under}: rows of this "
            "kind will not decide between them"
        )
    extra = f"{more:,.0f} more than the pilot" if more > 0 else "no more than the pilot has"
    most = f"{between[1]:,.0f}" if isfinite(between[1]) else "any number of"
    mean, low, high = signed_numbers(found.mean, *interval)
    rows, range_of_rows = f"{n:,.0f} rows ({extra})", f"{between[0]:,.0f} to {most} rows"
    if is_weighted:
        most = f"{between[1]:,.0f}" if isfinite(between[1]) else "any weight"
        rows = f"rows with a total weight of {n:,.0f} ({extra})"
        range_of_rows = f"a weight of {between[0]:,.0f} to {most}"
    return (
        f"{rows} decide between {a} and {b} {under} with probability "
        f"{100 * power:g}%, if the true difference is {mean} as in the pilot; from "
        f"{range_of_rows}, as it may be {low} to {high}"
    )


def equivalence(
    paired: PairedTally | PairedCosts | PairedAmounts,
    utility: UtilityLike = "u65",
    *,
    costs: CostMatrix | ExtendedCosts | None = None,
    margin: float = 0.01,
    alpha: float = 0.05,
    names: tuple[str, str] = ("A", "B"),
    adjustment: Adjustment | None = None,
) -> Outcome:
    """Whether two classifiers are within a margin of each other: two one-sided tests.

    Parameters
    ----------
    paired : PairedTally, PairedCosts or PairedAmounts
        The joint counts of both classifiers on the same rows; or what both cost on them.
    utility : utility, default="u65"
        The utility of a prediction, for a `PairedTally`.
    costs : CostMatrix or ExtendedCosts, optional
        The costs of predictions, for `PairedCosts`.
    margin : float, default=0.01
        Differences in mean utility, or in average cost, that are smaller than this do not matter.
    alpha : float, default=0.05
        The level of the test.
    names : pair of str
        The names of the two classifiers in the sentence.
    adjustment : Adjustment, optional
        The adjustment of the p-value, if the test is part of a larger report.

    Returns
    -------
    Outcome
        ``p`` is the larger one of the two one-sided p-values (Schuirmann, 1987); `interval` has
        level 1 - 2 alpha (with the adjusted alpha), and lies within the margin exactly if the test
        is significant.

    Examples
    --------
    >>> y = [0] * 3000
    >>> a, b = [0] * 2700 + [1] * 300, [0] * 2690 + [1] * 310
    >>> equivalence(PairedTally.of(y, a, b), margin=0.01, names=("old", "new")).verdict
    'old and new are within 0.01 of each other under u65 (p = 0.0001)'
    """
    if not 0 < real_number(alpha, "alpha") < 0.5:
        raise ValueError(f"alpha must lie between 0 and 0.5, got {brief(alpha)}")
    if not real_number(margin, "margin") > 0:
        raise ValueError(f"margin must be positive, got {brief(margin)}")
    margin = float(margin)
    require_kind(adjustment, "adjustment", Adjustment, type(None))
    compared = _Compared.of(paired, utility, costs)
    found = compared.difference
    adjust = adjustment or Adjustment()
    p = adjust.p(max(_beyond(found, margin, 1), _beyond(found, -margin, -1)))
    size = f"{margin:g}" if compared.unit is None else f"{margin:g} {compared.unit}"
    where = f"within {size} of each other {compared.under.split(' (')[0]}"
    a, b = check_names(names)
    if p < alpha:
        verdict = f"{a} and {b} are {where} ({show_p(p)})"
    else:
        verdict = f"the data do not show that {a} and {b} are {where} ({show_p(p)})"
    interval = found.interval(1 - 2 * (1 - adjust.level(alpha)))
    details = {"utility": compared.name, "margin": margin, "n": found.n}
    return Outcome("equivalence test", float("nan"), p, found.mean, interval, verdict, details)


def _beyond(found: Difference, at: float, side: int) -> float:
    """One-sided p-value of the hypothesis that the difference is at least `at` (or at most)."""
    sample = found.estimate.sample
    if sample is not None and (at > sample.high if side > 0 else at < sample.low):
        return 0.0  # impossible, whatever the data, such as those of a single cluster
    half = found.estimate.p_value(at) / 2
    return half if side * (found.mean - at) < 0 else 1 - half


def _finite(rows: float) -> int | None:
    return int(rows) if isfinite(rows) else None


def _rows(n: float) -> str:
    return f"{n:,.0f}" if isfinite(n) else "no number"
