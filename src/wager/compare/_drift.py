"""A test that a mean has not fallen below (or risen above) a target, valid after every row.

A bettor plays against "every row has a conditional mean of at least the target" (Waudby-Smith &
Ramdas, 2024).  A bettor who has played since the first row has lost much when the mean falls late.
Therefore only half of the money plays from the first row on; the rest enters in parts, one every
hundred rows, so that some of it is fresh whenever the change comes (as in the e-detectors of Shin,
Ramdas & Rinaldo, 2024, but with a budget of 1: the capital stays an e-process, which ever reaches
1/alpha with probability at most alpha).  All parts of one stake multiply by the same factor, so
their sum is one number and the state is constant.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from wager._tables import ViewedFields, real_numbers
from wager._typing import Floats
from wager._visible import brief
from wager.compare._betting import CAPITALS, FRACTIONS, Bets, within

_STEP = 100  # rows between two parts of the money
_FIRST = 0.5  # the share of the money that plays from the first row on


def _part(j: int) -> float:
    """The part of the money that enters before row j * _STEP."""
    return _FIRST if j == 0 else (1 - _FIRST) / (j * (j + 1))


def _kept(j: int) -> float:
    """The money that has not entered after part j."""
    return (1 - _FIRST) / (j + 1)


@dataclass(frozen=True, repr=False)
class DriftTest(ViewedFields):
    """The evidence that a mean is worse than its target, after the rows seen.

    Parameters
    ----------
    measure : str
        What the mean is of: "coverage", or the name of a utility.
    target : float
        The mean that is tested.
    rise : bool, default=False
        Whether a mean above the target is looked for, instead of one below it.
    alpha : float, default=0.05
        An alert is raised with at most this probability, ever, if there is no drift.
    bounds : tuple of two floats, default=(0, 1)
        The smallest and the largest possible value of a row.
    n : int, default=0
        The rows seen, up to an alert.
    capital : tuple of float, optional
        What the bettors of each stake own; by default nothing yet.
    alert_at : int, optional
        The row at which the alert was raised.

    Examples
    --------
    >>> test = DriftTest("coverage", 0.9).follow(np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    >>> test.n, test.alert_at
    (6, 6)
    """

    measure: str
    target: float
    rise: bool = False
    alpha: float = 0.05
    bounds: tuple[float, float] = (0.0, 1.0)
    n: int = 0
    capital: tuple[float, ...] = (0.0,) * len(FRACTIONS)
    alert_at: int | None = None

    @property
    def e_value(self) -> float:
        """The evidence against "no drift": at most 1 on average if there is none."""
        if self.n == 0:
            return 1.0
        return float(np.sum(np.array(self.capital))) + _kept((self.n - 1) // _STEP)

    @property
    def is_alert(self) -> bool:
        """Whether the evidence has reached 1/alpha."""
        return self.alert_at is not None

    def follow(self, values: Floats) -> DriftTest:
        """The test after more rows; it stops at an alert.

        Rows in any pieces give the same state to the last bit: capitals are multiplied in the order
        of the rows, between two parts of the money all rows at once.
        """
        values = real_numbers(values, "values")
        if values.ndim != 1:
            raise ValueError(f"values must be a list, one per row, got shape {values.shape}")
        if self.is_alert or len(values) == 0:
            return self
        distinct, place = np.unique(values, return_inverse=True)
        low, high = self.bounds
        outside = ~within(distinct, low, high)
        if outside.any():
            row = int(np.isin(place, np.flatnonzero(outside)).argmax())
            raise ValueError(
                f"row {self.n + row}: a value of {values[row]:g} lies outside the bounds {low:g} "
                f"to {high:g}"
            )
        bets = Bets(*self.bounds, up=self.rise)
        table = np.ascontiguousarray(bets.factors(distinct, self.target).T)
        capital, n, done, goal = np.array(self.capital), self.n, 0, 1 / self.alpha
        while done < len(place):
            if n % _STEP == 0:
                capital = capital + _part(n // _STEP) * CAPITALS
            course = table[place[done : done + _STEP - n % _STEP]]
            course[0] *= capital
            with np.errstate(over="ignore", invalid="ignore"):  # only after the row that decides
                np.multiply.accumulate(course, axis=0, out=course)
            reached = course.sum(axis=1) + _kept(n // _STEP) >= goal
            if reached.any():
                rows = int(reached.argmax()) + 1
                at, owned = n + rows, tuple(course[rows - 1].tolist())
                return replace(self, n=at, capital=owned, alert_at=at)
            capital, n, done = course[-1], n + len(course), done + len(course)
        return replace(self, n=n, capital=tuple(capital.tolist()))

    def sentence(self) -> str:
        """The result so far in words."""
        side = "above" if self.rise else "below"
        if self.is_alert:
            return (
                f"alert: {self.measure} is {side} {self.target:.4f} (found at row "
                f"{self.alert_at:,}, e-value {self.e_value:.4g})"
            )
        return (
            f"{self.measure}: no evidence of a mean {side} {self.target:.4f} after {self.n:,} rows "
            f"(e-value {self.e_value:.3g}, an alert needs {1 / self.alpha:.4g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The test as plain data."""
        return asdict(self) | {"bounds": list(self.bounds), "capital": list(self.capital)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DriftTest:
        """The test that `to_dict` wrote."""
        given = dict(data)
        missing = [each.name for each in fields(cls) if each.name not in given]
        if missing:
            raise ValueError(f"the test is damaged: it has no {missing[0]}")
        for name in ("bounds", "capital"):
            given[name] = tuple(_number(value) for value in given[name])
        for name in ("target", "alpha"):
            given[name] = _number(given[name])
        found = cls(**given)
        if not found._is_sound():
            raise ValueError(f"the test of {found.measure} is damaged")
        return found

    def _is_sound(self) -> bool:
        """Whether the rows can have led to this state."""
        if len(self.bounds) != 2 or len(self.capital) != len(FRACTIONS):
            return False
        low, high = self.bounds
        on_edge = self.target == (high if self.rise is True else low)
        alert_at = self.n if self.alert_at is None else self.alert_at
        return (
            isinstance(self.measure, str)
            and isinstance(self.rise, bool)
            and low < high
            and (on_edge or low < self.target < high)
            and 1e-100 < self.alpha < 1
            and min(self.capital) >= 0
            and type(self.n) is type(alert_at) is int
            and (0 <= self.n == alert_at < 2**63)
            and (self.n > 0 or self.alert_at is None)
            and (self.is_alert or self.e_value < 1 / self.alpha)
        )


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{brief(value)} is not a finite number")
    return float(value)
