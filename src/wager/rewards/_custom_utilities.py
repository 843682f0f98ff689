"""User-defined utilities: a table by set size, or any function of the reward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from wager._tables import (
    ROUNDING,
    in_order_of,
    named_values,
    real_number,
    real_numbers,
    require_kind,
    unmasked,
)
from wager._typing import Array, ArrayLike, Floats
from wager._visible import shortened
from wager.rewards._utility import MESH, Utility, require, reward_points, set_sizes


def by_size(values: Any, what: str) -> Any:
    """The values of a mapping or Series for sets of 1, 2, ... classes; others as they are."""
    named = named_values(values, what)
    sizes = range(1, 1 + len(named or ()))
    return values if named is None else in_order_of(sizes, values, what, "sizes")


@dataclass(frozen=True, repr=False)
class Tabulated(Utility):
    """A table of values for hits by sets of 1, 2, 3, ... classes, interpolated linearly.

    Parameters
    ----------
    values : sequence of float
        The utility of a hit by a set of 1, 2, ..., n classes.  Larger sets raise an error.
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
        values_by_size = by_size(self.values, "a table by set size")
        given = np.atleast_1d(np.asarray(unmasked(values_by_size)))
        require(given.dtype.kind != "c", "a table by set size needs real numbers", self.values)
        values = tuple(np.ravel(real_numbers(given, "a table by set size")).tolist())
        miss = real_number(self.miss, "the utility of a miss")
        finite = len(values) > 0 and np.isfinite([*values, miss]).all()
        require(bool(finite), "a table by set size needs a finite utility for each size", values)
        object.__setattr__(self, "values", values)
        if not isinstance(self.miss, float):  # an integer of many digits would not fit an array
            object.__setattr__(self, "miss", miss)

    @property
    def spelling(self) -> str:
        """``"tabulated:1,0.7,0.4"``: the values by set size."""
        return "tabulated:" + ",".join(f"{v:.6g}" for v in self.values)

    @property
    def _knots(self) -> tuple[Floats, Floats]:
        return reward_points(len(self.values)), np.array([self.miss, *reversed(self.values)])

    def of_size(self, size: ArrayLike) -> Floats:
        """The value of a hit by a set of `size` classes; that of a miss for the empty set."""
        size = set_sizes(size)
        if (size > len(self.values)).any():
            raise ValueError(
                f"the utility has values for sets of up to {len(self.values)} classes but a "
                f"prediction has {size.max()}: add the values of larger sets"
            )
        return np.array([self.miss, *self.values])[size]

    @property
    def largest_size(self) -> float:
        """The number of values in the table."""
        return len(self.values)

    def _value(self, x: Floats) -> Array:
        if (x > 1 + ROUNDING).any():
            raise ValueError(
                f"a table by set size has no value for a reward of {float(x.max()):g}: rewards "
                "above 1 (totals of several bets) need a utility with a formula"
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
        """1 if the values never decrease, else 0."""
        return 1.0 if (np.diff(self._knots[1]) >= 0).all() else 0.0


@dataclass(frozen=True, repr=False)
class Custom(Utility):
    """Any function of the reward, for arrays or for single numbers.

    Inverse and second derivative are computed numerically; the inverse is searched on [0, 1].

    Parameters
    ----------
    function : callable
        The utility of a reward.
    label : str, optional
        The name of the utility; by default that of the function.
    """

    function: Callable[[Any], Any]
    label: str = field(default="")
    kind: ClassVar[str] = "custom"

    def __post_init__(self) -> None:
        require_kind(self.label, "label", str)

    @property
    def spelling(self) -> str:
        """The name of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def _value(self, x: Floats) -> Array:
        try:
            values = np.broadcast_to(np.asarray(self.function(x), dtype=np.float64), x.shape)
        except (TypeError, ValueError):  # a function of one number, such as math.sqrt
            values = np.array([self.function(float(one)) for one in x.flat], dtype=np.float64)
            values = values.reshape(x.shape)
        if not np.isfinite(values).all():
            bad = float(x[~np.isfinite(values)].flat[0])
            raise ValueError(
                f"{self.name} is {self.function(bad)} for the reward {bad:g}: it must be finite"
            )
        return values

    @property
    def increasing_up_to(self) -> float:
        """Infinite if it never decreases on [0, 1]; larger rewards are not checked."""
        return np.inf if (np.diff(self(MESH)) >= -ROUNDING).all() else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Raises an error: a Python function cannot be saved as data."""
        raise ValueError(
            f"{shortened(self.name)} is a Python function and cannot be written to a file"
        )
