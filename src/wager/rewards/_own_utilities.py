"""Utilities of your own: a table by set size, or any function of the reward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from wager._typing import Array, ArrayLike, Floats
from wager.rewards._utility import MESH, SLACK, Utility, require, reward_points


@dataclass(frozen=True)
class Tabulated(Utility):
    """Your own values for hits by sets of 1, 2, 3, ... classes; straight lines in between.

    Parameters
    ----------
    values : sequence of float
        The utility of a hit by a set of 1, 2, ..., n classes.  Larger sets are refused.
    miss : float, default=0
        The utility of a miss.

    Examples
    --------
    >>> u = Tabulated([1.0, 0.7, 0.4])
    >>> u.of_size([1, 2, 3]).tolist()
    [1.0, 0.7, 0.4]
    """

    values: tuple[float, ...]
    miss: float = 0.0
    kind: ClassVar[str] = "tabulated"

    def __post_init__(self) -> None:
        values = tuple(float(v) for v in np.atleast_1d(np.asarray(self.values, dtype=np.float64)))
        finite = len(values) > 0 and np.isfinite([*values, self.miss]).all()
        require(bool(finite), "a table by set size wants a finite utility for each size", values)
        object.__setattr__(self, "values", values)

    @property
    def name(self) -> str:
        """``"tabulated:1,0.7,0.4"``: the values by set size."""
        return "tabulated:" + ",".join(f"{v:.6g}" for v in self.values)

    @property
    def _knots(self) -> tuple[Floats, Floats]:
        return reward_points(len(self.values)), np.array([self.miss, *reversed(self.values)])

    def of_size(self, size: ArrayLike) -> Floats:
        """The tabulated value of a hit by a set of `size` classes; of an empty set, a miss's."""
        size = np.asarray(size)
        if (size > len(self.values)).any():
            raise ValueError(
                f"the utility lists sets of up to {len(self.values)} classes but a prediction has "
                f"{size.max()}: add the values of larger sets"
            )
        return np.array([self.miss, *self.values])[size]

    @property
    def largest_size(self) -> float:
        """As many classes as the table has values."""
        return len(self.values)

    def _value(self, x: Floats) -> Array:
        if (x > 1 + SLACK).any():
            raise ValueError(
                f"a table by set size says nothing about a reward of {float(x.max()):g}: "
                "rewards above 1 (totals of several bets) need a utility given by a formula"
            )
        return np.interp(x, *self._knots)

    def _derivative2(self, x: Floats) -> Array:
        """The curvature of the parabola through the three nearest knots."""
        knots, u = self._knots
        if len(knots) < 3:
            return np.zeros_like(x)
        middle = np.clip(np.abs(x[..., None] - knots).argmin(axis=-1), 1, len(knots) - 2)
        slopes = np.diff(u) / np.diff(knots)
        return 2 * (slopes[middle] - slopes[middle - 1]) / (knots[middle + 1] - knots[middle - 1])

    @property
    def increasing_up_to(self) -> float:
        """1 if the table never falls, else 0."""
        return 1.0 if (np.diff(self._knots[1]) >= 0).all() else 0.0


@dataclass(frozen=True)
class Custom(Utility):
    """Any function of the reward, of an array or of one number at a time.

    Inverse and second derivative are numerical: the inverse is looked for on [0, 1].
    """

    function: Callable[[Any], Any]
    label: str = field(default="")
    kind: ClassVar[str] = "custom"

    @property
    def name(self) -> str:
        """The label, or what the function calls itself."""
        return self.label or getattr(self.function, "__name__", type(self.function).__name__)

    def _value(self, x: Floats) -> Array:
        try:
            values = np.broadcast_to(np.asarray(self.function(x), dtype=np.float64), x.shape)
        except (TypeError, ValueError):  # written for one number, as with math.sqrt or an if
            values = np.array([self.function(float(one)) for one in x.flat], dtype=np.float64)
            values = values.reshape(x.shape)
        if not np.isfinite(values).all():
            bad = float(x[~np.isfinite(values)].flat[0])
            raise ValueError(f"{self.name} gives {self.function(bad)} for the reward {bad:g}")
        return values

    @property
    def increasing_up_to(self) -> float:
        """Infinite if it never falls on [0, 1]: further out it is taken at its word."""
        return np.inf if (np.diff(self(MESH)) >= -SLACK).all() else 0.0

    def to_dict(self) -> dict[str, Any]:
        """A function cannot be written down."""
        raise ValueError(f"{self.name} is a Python function and cannot be written to a file")
