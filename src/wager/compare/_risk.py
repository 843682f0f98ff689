"""Risk profile: what classifiers are worth to every decision maker of a family, at one glance.

A family is a curve of utilities from risk neutral to strongly risk averse.  Whatever the number of
rows, a profile is read off the tallies: utilities of the observed set sizes times their shares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._text import table
from wager._typing import ArrayLike, Floats
from wager.rewards import Exponential, FBeta, Quadratic, Tally, Utility


@dataclass(frozen=True)
class Family:
    """Utilities along one parameter: its name, its usual range, and the utility at a value."""

    name: str
    parameter: str
    grid: tuple[float, ...]
    utility: Callable[[float], Utility]


def _steps(low: float, high: float, n: int = 51) -> tuple[float, ...]:
    return tuple(float(v) for v in np.linspace(low, high, n).round(10))


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("quadratic", "u(0.5)", _steps(0.5, 1.0), Quadratic),
        Family("exponential", "a", _steps(0.0, 5.0), lambda a: Exponential(a, normalized=True)),
        Family("fbeta", "beta", _steps(0.0, 3.0), FBeta),
    )
}


@dataclass(frozen=True)
class RiskProfile:
    """Expected utility of each classifier (rows) at each parameter of a family (columns)."""

    family: str
    parameter: str
    grid: Floats
    names: tuple[str, ...]
    utility: Floats
    standard_error: Floats

    def best(self) -> list[str]:
        """The classifier of largest expected utility at each parameter."""
        return [self.names[i] for i in self.utility.argmax(axis=0)]

    def to_frame(self) -> Any:
        """A tidy pandas frame: classifier, parameter, utility, standard error."""
        import pandas as pd

        n, m = self.utility.shape
        return pd.DataFrame(
            {
                "classifier": np.repeat(self.names, m),
                self.parameter: np.tile(self.grid, n),
                "utility": self.utility.ravel(),
                "standard_error": self.standard_error.ravel(),
            }
        )

    def __repr__(self) -> str:
        shown = np.linspace(0, len(self.grid) - 1, min(6, len(self.grid))).round().astype(int)
        rows = [[name, *self.utility[i, shown]] for i, name in enumerate(self.names)]
        heads = [f"{self.parameter}={self.grid[j]:g}" for j in shown]
        return table(rows, ["classifier", *heads])


def risk_profile(
    tallies: Mapping[str, Tally] | Sequence[Tally],
    family: str = "quadratic",
    grid: ArrayLike | None = None,
) -> RiskProfile:
    """Expected utility of classifiers over a whole family of decision makers.

    Parameters
    ----------
    tallies : mapping of name to Tally, or sequence of Tally
        One tally a classifier.
    family : {"quadratic", "exponential", "fbeta"}, default="quadratic"
        The utilities: quadratics through u(0.5) (Zaffalon, Corani & Mauá, 2012), normalised
        exponentials with risk aversion a, or F-beta.
    grid : array-like, optional
        Parameter values; by default 51 from risk neutral on.

    Examples
    --------
    >>> sure = Tally.of([0, 1, 1], [0, 1, 0], classes=[0, 1])
    >>> vacuous = Tally.of([0, 1, 1], [[0, 1]] * 3, classes=[0, 1])
    >>> risk_profile({"sure": sure, "vacuous": vacuous}, grid=[0.5, 0.65, 0.8]).best()
    ['sure', 'sure', 'vacuous']
    """
    if family not in FAMILIES:
        raise ValueError(f"no family {family!r}: choose from {', '.join(FAMILIES)}")
    chosen = FAMILIES[family]
    named = (
        dict(tallies)
        if isinstance(tallies, Mapping)
        else {f"classifier {i + 1}": tally for i, tally in enumerate(tallies)}
    )
    if not named:
        raise ValueError("no tally was given: a profile needs at least one classifier")
    points = np.atleast_1d(np.asarray(chosen.grid if grid is None else grid, dtype=float))
    utilities = [chosen.utility(float(value)) for value in points]
    mean = np.empty((len(named), len(points)))
    error = np.empty_like(mean)
    by_size: dict[int, Floats] = {}  # utilities of sizes 1..K, shared by tallies of equal K
    for i, (name, tally) in enumerate(named.items()):
        if tally.n == 0:
            raise ValueError(f"the tally of {name} has no rows: score at least one")
        K = tally.n_classes
        if K not in by_size:
            by_size[K] = np.stack([u.of_size(np.arange(1, K + 1)) for u in utilities])
        # a miss and the empty set earn u(0) = 0 in each family
        share = tally.table[1:, 1] / tally.table.sum()
        mean[i] = by_size[K] @ share
        second = by_size[K] ** 2 @ share
        error[i] = np.sqrt(np.maximum(second - mean[i] ** 2, 0) / tally.n)
    return RiskProfile(family, chosen.parameter, points, tuple(named), mean, error)
