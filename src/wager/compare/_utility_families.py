"""Families of utilities along one parameter, from risk neutral to strongly risk averse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wager.rewards import Exponential, FBeta, Linear, Quadratic, Utility


@dataclass(frozen=True)
class Family:
    """Utilities along one parameter: its name, its usual range, and the utility for a value.

    If the family `is_linear`, every utility is linear in the parameter.
    """

    name: str
    parameter: str
    grid: tuple[float, ...]
    utility: Callable[[float], Utility]
    is_linear: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The usual range of the parameter."""
        return self.grid[0], self.grid[-1]


def _steps(low: float, high: float) -> tuple[float, ...]:
    return tuple(float(v) for v in np.linspace(low, high, 51).round(10))


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("quadratic", "u(0.5)", _steps(0.5, 1.0), Quadratic, is_linear=True),
        Family("exponential", "a", _steps(0.0, 5.0), lambda a: Exponential(a, normalized=True)),
        Family("fbeta", "beta", _steps(0.0, 3.0), FBeta),
    )
}


def family_of(utility: Utility) -> str | None:
    """The family that a utility belongs to, if its parameter is in the usual range.

    Examples
    --------
    >>> family_of(Quadratic(0.65)), family_of(FBeta(2)), family_of(Quadratic(0.3))
    ('quadratic', 'fbeta', None)
    """
    if isinstance(utility, Linear):
        return "quadratic"  # u(0.5) = 0.5
    if isinstance(utility, Quadratic):
        name, value = "quadratic", float(utility(0.5))
    elif isinstance(utility, FBeta):
        name, value = "fbeta", utility.beta
    elif isinstance(utility, Exponential) and utility.normalized:
        name, value = "exponential", utility.a
    else:
        return None
    low, high = FAMILIES[name].ends
    return name if low <= value <= high else None
