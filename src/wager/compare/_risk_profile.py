"""Risk profile: the expected utility of classifiers for every decision maker of a family.

A family is a curve of utilities from risk neutral to strongly risk averse, or of costs of sets from
no reward for caution to the greatest.  A profile is computed from the tallies, for any number of
rows: the utilities of the observed set sizes times their frequencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import ROUNDING, ComparedFields, Table, View, Viewed, is_one_of, real_numbers
from wager._typing import ArrayLike, Floats
from wager._visible import brief, in_one_line
from wager.compare._classifier_names import by_name
from wager.compare._cost_families import COST_FAMILIES, cost_curves, cost_grid, single_costs
from wager.compare._unpaired import Means
from wager.compare._utility_families import FAMILIES, Family
from wager.costs import CostMatrix, CostTally
from wager.rewards import Tally


@dataclass(frozen=True, eq=False, repr=False)
class RiskProfile(ComparedFields, Viewed):
    """Expected utility (or cost) of each classifier (rows) at each parameter (columns).

    Attributes
    ----------
    family, parameter : str
        The family, and the name of its parameter.
    grid : array of shape (m,)
        The values of the parameter.
    names : tuple of str
        The classifiers.
    expected, standard_error : array of shape (n_classifiers, m)
        Expected utility or cost, and its standard error.
    lower_is_better : bool
        Whether these are costs.
    means : sequence of Means, or None
        What the intervals are computed from.
    unit : str, optional
        What costs are counted in.
    """

    family: str
    parameter: str
    grid: Floats
    names: tuple[str, ...]
    expected: Floats
    standard_error: Floats
    lower_is_better: bool = False
    means: Sequence[Means] | None = field(default=None, compare=False)
    unit: str | None = None

    @cached_property
    def intervals(self) -> Floats | None:
        """Lower and upper ends of 95% intervals, of shape (n_classifiers, 2, m); None if unknown.

        Each interval is for one value of the parameter.
        """
        return None if self.means is None else np.array([m.interval(0.95) for m in self.means])

    def best(self) -> list[str]:
        """The classifier of largest expected utility, or least cost, at each parameter.

        Of those that are equal except for rounding it is the first one.
        """
        earned = -self.expected if self.lower_is_better else self.expected
        slack = ROUNDING * np.abs(earned).max(axis=0)
        ahead = (earned >= earned.max(axis=0) - slack).argmax(axis=0)
        return [self.names[i] for i in ahead]

    def to_frame(self) -> Any:
        """A tidy pandas frame: classifier, parameter, utility or cost, standard error."""
        import pandas as pd

        n, m = self.expected.shape
        found = self.intervals
        ends = {} if found is None else {"lower": found[:, 0], "upper": found[:, 1]}
        return pd.DataFrame(
            {
                "classifier": np.repeat(self.names, m),
                self.parameter: np.tile(self.grid, n),
                "cost" if self.lower_is_better else "utility": self.expected.ravel(),
                "standard_error": self.standard_error.ravel(),
            }
            | {name: end.ravel() for name, end in ends.items()}
        )

    def _view(self) -> View:
        shown = np.linspace(0, len(self.grid) - 1, min(6, len(self.grid))).round().astype(int)
        rows = [[name, *self.expected[i, shown]] for i, name in enumerate(self.names)]
        heads = [f"{self.parameter}={self.grid[j]:g}" for j in shown]
        return View(tables=[Table(["classifier", *heads], rows)])


def risk_profile(
    tallies: Mapping[str, Tally] | Iterable[Tally] | Mapping[str, CostTally] | Iterable[CostTally],
    family: str = "quadratic",
    grid: ArrayLike | None = None,
    *,
    costs: CostMatrix | ArrayLike | None = None,
    **options: Any,
) -> RiskProfile:
    """Expected utility, or cost, of classifiers along a family of decision makers.

    Parameters
    ----------
    tallies : mapping of name to Tally, or sequence of Tally
        One tally per classifier; `CostTally` objects for a family of costs.
    family : {"quadratic", "exponential", "fbeta", "p-discounted", "ha"}, default="quadratic"
        A family of utilities: quadratics along u(0.5) (Zaffalon, Corani & Mauá, 2012), normalised
        exponentials with risk aversion a, or F-beta.  Or a family of costs of sets: p-discounted
        along the reward r for caution, or Ha's along the cost delta of each class beyond the first
        (Yang, Destercke & Masson, 2017).  If costs are given, the default is "p-discounted".
    grid : array-like, optional
        Parameter values; by default 51 values, starting at risk neutral.
    costs : CostMatrix or array of shape (K, K), optional
        The costs of single classes, for a family of costs.
    **options
        For a family of costs: ``mode`` of p-discounted costs, ``empty_cost``.

    Examples
    --------
    >>> sure = Tally.of([0, 1, 1], [0, 1, 0], classes=[0, 1])
    >>> vacuous = Tally.of([0, 1, 1], [[0, 1]] * 3, classes=[0, 1])
    >>> risk_profile({"sure": sure, "vacuous": vacuous}, grid=[0.5, 0.65, 0.8]).best()
    ['sure', 'sure', 'vacuous']
    """
    known = [*FAMILIES, *COST_FAMILIES]
    if not is_one_of(family, known):
        raise ValueError(f"unknown family {brief(family)}: choose from {', '.join(known)}")
    if family == "quadratic" and costs is not None:
        family = "p-discounted"
    named: dict[str, Any] = by_name(tallies)
    if not named:
        raise ValueError("no tally was given: a risk profile needs at least one classifier")
    wanted: Any = CostTally if family in COST_FAMILIES else Tally
    for name, tally in named.items():
        if not isinstance(tally, wanted):
            cure = f"count its predictions with {wanted.__name__}.of"
            if isinstance(tally, CostTally):
                cure = "pass costs="
            raise ValueError(
                f"the {family} family needs a {wanted.__name__} per classifier, but "
                f"{in_one_line(str(name))} has a {type(tally).__name__}: {cure}"
            )
        if tally.n == 0:
            raise ValueError(f"the tally of {name} has no rows: count at least one prediction")
    if family in COST_FAMILIES:
        if costs is None:
            raise ValueError(f"the {family} family needs a cost matrix: pass costs=")
        single = single_costs(costs, next(iter(named.values())).classes)
        points = _points(cost_grid(family, single) if grid is None else grid)
        curves = cost_curves(list(named.values()), family, points, single, options)
        unit = single.unit
        parameter = COST_FAMILIES[family]
    else:
        if costs is not None or options:
            raise ValueError(
                f"the {family} family is a family of utilities: leave out costs and options"
            )
        points = _points(FAMILIES[family].grid if grid is None else grid)
        curves = _utility_curves(list(named.values()), FAMILIES[family], points)
        parameter, unit = FAMILIES[family].parameter, None
    return RiskProfile(
        family,
        parameter,
        points,
        tuple(named),
        np.array([means.mean for means in curves]),
        np.array([means.standard_error for means in curves]),
        family in COST_FAMILIES,
        curves,
        unit,
    )


def _points(grid: ArrayLike) -> Floats:
    return np.atleast_1d(real_numbers(grid, "grid").copy())  # the profile keeps it


def _utility_curves(tallies: list[Tally], family: Family, points: Floats) -> list[Means]:
    utilities = [family.utility(float(value)) for value in points]
    by_size: dict[int, Floats] = {}  # utilities of a miss and of sizes 1..K, by K
    for tally in tallies:
        K = tally.n_classes
        if K not in by_size:
            by_size[K] = np.stack([u.of_size(np.arange(K + 1)) for u in utilities])
    return [Means.of(by_size[tally.n_classes], tally) for tally in tallies]
