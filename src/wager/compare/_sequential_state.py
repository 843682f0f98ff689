"""The state of a sequential comparison: updated chunk by chunk, saved as JSON, read as a sentence.

Two methods are available.  ``betting`` (Waudby-Smith & Ramdas, 2024) is for a mean difference that
does not change over time, and decides earliest.  ``mixture`` (Choe & Ramdas, 2024) is for the
average difference so far, and allows drift.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from math import exp, inf, isfinite
from typing import Any

import numpy as np

from wager._tables import (
    View,
    Viewed,
    is_one_of,
    real_number,
    real_numbers,
    require_kind,
    signed_numbers,
)
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.compare._betting import two_sided, within
from wager.compare._betting_process import BettingProcess
from wager.compare._mixture_process import MixtureProcess
from wager.compare._outcome import check_alpha, check_names

METHODS = ("betting", "mixture")


@dataclass(frozen=True, repr=False)
class SequentialState(Viewed):
    """All that must be stored of the rows seen, in bounded space however many rows.

    Parameters
    ----------
    alpha : float, default=0.05
        The probability that the interval ever fails is at most alpha.
    bounds : tuple of two floats, default=(-1, 1)
        The smallest and the largest possible difference; 0 must lie between them.
    method : {"betting", "mixture"}, default="betting"
        The kind of confidence sequence.
    process : BettingProcess or MixtureProcess, optional
        What the rows seen have led to; by default there are none.

    Examples
    --------
    >>> state = SequentialState().update([0.5, 0.0]).update([1.0])
    >>> state.n, state.mean
    (3, 0.5)
    >>> state.verdict()
    'no difference established after 3 rows: the 95% confidence sequence is -0.7025 to +0.9296'
    """

    alpha: float = 0.05
    bounds: tuple[float, float] = (-1.0, 1.0)
    method: str = "betting"
    process: BettingProcess | MixtureProcess = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        smallest, largest = (real_number(bound, "bounds") for bound in self.bounds)
        if not (isfinite(smallest) and isfinite(largest) and smallest < 0 < largest):
            raise ValueError(
                f"bounds must be finite with 0 between them, got {smallest} and {largest}: pass "
                "differences, such as scores minus the value to compare them with"
            )
        if not is_one_of(self.method, METHODS):
            raise ValueError(f"unknown method {brief(self.method)}: use {' or '.join(METHODS)}")
        bounds = (float(smallest), float(largest))
        object.__setattr__(self, "bounds", bounds)
        if self.process is None:
            start = BettingProcess.start if self.method == "betting" else MixtureProcess
            object.__setattr__(self, "process", start(self.alpha, bounds))
        require_kind(self.process, "process", BettingProcess, MixtureProcess)

    def _view(self) -> View:
        return View(
            f"{self.method} confidence sequence, alpha {self.alpha:g}, differences in "
            f"[{self.bounds[0]:g}, {self.bounds[1]:g}]",
            verdict=[self.verdict()],
        )

    def update(self, differences: ArrayLike) -> SequentialState:
        """The state after more rows, given their differences.

        Examples
        --------
        >>> start = SequentialState()
        >>> start.update([0.5, 0.0]).update([1.0]) == start.update([0.5, 0.0, 1.0])
        True
        """
        return replace(self, process=self.process.follow(self.checked(differences))[0])

    def checked(self, differences: ArrayLike) -> Floats:
        """The differences as an array, all within the bounds."""
        d = np.atleast_1d(real_numbers(differences, "differences"))
        if d.ndim != 1:
            raise ValueError(f"differences must be a list, got shape {d.shape}")
        smallest, largest = self.bounds
        inside = within(d, smallest, largest)
        if not inside.all():
            row = int(np.flatnonzero(~inside)[0])
            raise ValueError(
                f"row {self.n + row}: a difference of {d[row]} lies outside the bounds "
                f"{smallest} to {largest}"
            )
        return np.clip(d, smallest, largest)

    @property
    def n(self) -> int:
        """The number of rows seen."""
        return self.process.n

    @property
    def total(self) -> float:
        """The sum of the differences, first minus second."""
        return self.process.total

    @property
    def bound(self) -> float:
        """The largest possible absolute difference."""
        return max(-self.bounds[0], self.bounds[1])

    @property
    def mean(self) -> float:
        """The mean difference so far; NaN before the first row."""
        return self.total / self.n if self.n else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the mean difference, valid at all times simultaneously."""
        return self.process.interval

    @property
    def log_evidence(self) -> tuple[float, float]:
        """Logarithms of the e-values for the first, and for the second, being better."""
        return self.process.log_evidence

    @property
    def log_e_value(self) -> float:
        """The logarithm of the e-value against no difference: the average of both sides'."""
        return float(two_sided(*self.log_evidence))

    @property
    def e_value(self) -> float:
        """The e-value against no difference, for `combine_e_values`."""
        return exp(self.log_e_value) if self.log_e_value < 709 else inf

    @property
    def decided_at(self) -> int | None:
        """The first row after which bets excluded 0; None before that, or for the mixture."""
        process = self.process
        return process.decided_at if isinstance(process, BettingProcess) else None

    @property
    def contradicted(self) -> bool:
        """Whether no single mean is compatible with all rows: the mean seems to change."""
        process = self.process
        return isinstance(process, BettingProcess) and process.contradicted_at is not None

    @property
    def decided(self) -> str:
        """The classifier that the bounds favour: "a", "b", or "" while they include 0."""
        low, high = self.interval
        if self.n == 0 or self.contradicted:
            return ""
        return "a" if low >= 0 else "b" if high <= 0 else ""

    def verdict(
        self, names: tuple[str, str] = ("A", "B"), score: str = "", unit: str | None = None
    ) -> str:
        """The result so far as a sentence.

        Parameters
        ----------
        names : tuple of two str
            The classifiers.
        score : str, optional
            What was compared: the name of a utility, or "costs".
        unit : str, optional
            What costs are counted in.
        """
        names = check_names(names)
        if self.n == 0:
            return "no rows yet"
        if self.contradicted:
            return (
                f"no verdict after {self.n} rows: no constant mean difference fits all of them; "
                'if it changes over time, use method="mixture"'
            )
        low, high = signed_numbers(*self.interval)
        level = f"the {100 * (1 - self.alpha):g}% confidence sequence"
        course = f"{low} to {high}" + ("" if unit is None else f" {unit} per case")
        if not self.decided:
            return f"no difference established after {self.n} rows: {level} is {course}"
        winner, loser = names if self.decided == "a" else names[::-1]
        leads = "costs less than" if score == "costs" else "scores higher than"
        under = f" under {score}" if score not in ("", "costs") else ""
        when = self.decided_at or self.n
        now = f"; after {self.n} rows it is {course}" if when < self.n else f": {course}"
        return f"{winner} {leads} {loser}{under}: after {when} rows {level} excludes 0{now}"

    def to_json(self) -> str:
        """The state as one line of JSON, to continue later or elsewhere."""
        return json.dumps({"method": self.method} | asdict(self.process))

    @classmethod
    def from_json(cls, text: str) -> SequentialState:
        """The state that `to_json` wrote, also by version 0.1.0."""
        try:
            data = json.loads(text)
            if not isinstance(data, dict):
                raise ValueError("it is not a JSON object")
            return _from_dict(data)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"this is not a saved sequential comparison: {error}") from None


def _from_dict(data: dict[str, Any]) -> SequentialState:
    data = dict(data)
    if "method" not in data and "bound" in data:  # version 0.1.0 knew only the mixture
        bound = float(data.pop("bound"))
        data |= {"method": "mixture", "bounds": [-bound, bound]}
    method = data.pop("method", None)
    if not is_one_of(method, METHODS):
        raise ValueError("it has no known method" if method is None else f"method {method!r}")
    kind = BettingProcess if method == "betting" else MixtureProcess
    names = {field.name for field in fields(kind)}
    if missing := sorted(names - set(data)):
        raise ValueError(f"{missing[0]} is missing")
    if foreign := sorted(set(data) - names):
        raise ValueError(f"{foreign[0]} does not belong to it")
    numbers = {name: _number(name, value) for name, value in data.items()}
    if len(numbers["bounds"]) != 2:
        raise ValueError("bounds must be two numbers")
    process = kind(**numbers)
    return SequentialState(process.alpha, process.bounds, method, process)


def _number(name: str, value: Any) -> Any:
    """The finite number, or tuple of them, of a field."""
    if name in ("bounds", "values", "counts"):
        if not isinstance(value, list):
            raise ValueError(f"{name} must be a list")
        return tuple(_number(f"a number of {name}", item) for item in value)
    whole = name in ("n", "decided_at", "contradicted_at")
    if value is None and whole and name != "n":
        return None
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise ValueError(f"{name} must be a {'whole ' if whole else ''}number, got {brief(value)}")
    if not isfinite(value) or (whole and value < 0):
        raise ValueError(f"{name} cannot be {value}")
    return value if whole else float(value)


def stop_when_decided(
    chunks: Iterable[ArrayLike],
    *,
    state: SequentialState | None = None,
    most_rows: int | None = None,
) -> SequentialState:
    """Process chunks of differences until the comparison is decided or the rows run out.

    Examples
    --------
    >>> lead = iter([np.full(100, 0.5)] * 1000)
    >>> state = stop_when_decided(lead)
    >>> state.decided, state.n < 1000
    ('a', True)
    """
    current = state or SequentialState()
    for chunk in chunks:
        current = current.update(chunk)
        if current.decided or (most_rows is not None and current.n >= most_rows):
            break
    return current
