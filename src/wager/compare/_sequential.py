"""Sequential comparison: bounds and evidence that are valid after every row simultaneously.

Two classifiers in production are compared by the mean difference of their utilities so far.
Checking a usual interval after every row would sooner or later find a difference where there is
none.  A confidence sequence is valid at all times simultaneously, and an e-process measures the
evidence so far: it exceeds 1/alpha with probability at most alpha if the other classifier is at
least as good, no matter when one stops.  Both follow Choe & Ramdas (2024): the differences may
drift, and the bound is for their running average.  The boundary is the gamma-exponential mixture of
Howard, Ramdas, McAuliffe & Sekhon (2021, Proposition 9) on the empirical variance process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from math import exp
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Floats, Ints
from wager.compare._mixture_martingale import MixtureMartingale
from wager.predictions import align, size_and_hit
from wager.rewards import Tabulated, Utility, UtilityLike, get_utility, reward_points

_MANY = 64  # larger sets are worth about as little as a miss


@dataclass(frozen=True)
class SequentialState:
    """All that must be stored of the rows seen: five numbers, however many rows.

    Attributes
    ----------
    n : int
        The number of rows seen.
    total : float
        Sum of the differences in utility, first minus second.
    variation : float
        Sum of squared deviations of each difference from the mean before it.
    alpha : float
        Level of the confidence sequence.
    bound : float
        The largest possible absolute difference.
    """

    n: int = 0
    total: float = 0.0
    variation: float = 0.0
    alpha: float = 0.05
    bound: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {self.alpha!r}")
        if not self.bound > 0:
            raise ValueError(f"bound must be positive, got {self.bound!r}")
        if not (self.n >= 0 and abs(self.total) < np.inf and 0 <= self.variation < np.inf):
            raise ValueError(
                f"{self.n} rows cannot have the sum {self.total!r} and the variation "
                f"{self.variation!r}"
            )

    def update(self, differences: ArrayLike) -> SequentialState:
        """The state after more rows, given their differences in utility.

        Examples
        --------
        >>> start = SequentialState()
        >>> start.update([0.5, 0.0]).update([1.0]) == start.update([0.5, 0.0, 1.0])
        True
        """
        return self.follow(differences)[0]

    def follow(self, differences: ArrayLike) -> tuple[SequentialState, Floats, Floats]:
        """The state after more rows, and the running total and variation after each of them."""
        d = np.atleast_1d(np.asarray(differences, dtype=float))
        if d.ndim != 1:
            raise ValueError(f"differences must be a list, got shape {d.shape}")
        if len(d) == 0:
            return self, np.empty(0), np.empty(0)
        if not np.abs(d).max() <= self.bound * (1 + 1e-9):
            row = int(np.flatnonzero(~(np.abs(d) <= self.bound * (1 + 1e-9)))[0])
            raise ValueError(
                f"row {self.n + row}: a difference of {d[row]} exceeds the bound of {self.bound}"
            )
        totals = np.cumsum(d)
        totals += self.total
        before = np.empty_like(totals)  # mean of the rows before each; 0 before the first
        before[0] = self.total
        before[1:] = totals[:-1]
        before /= np.maximum(np.arange(self.n, self.n + len(d)), 1)
        np.subtract(d, before, out=before)
        np.square(before, out=before)
        variations = np.cumsum(before, out=before)
        variations += self.variation
        state = replace(
            self, n=self.n + len(d), total=float(totals[-1]), variation=float(variations[-1])
        )
        return state, totals, variations

    @property
    def mean(self) -> float:
        """The mean difference so far; NaN before the first row."""
        return self.total / self.n if self.n else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the running mean difference, valid at all times simultaneously."""
        if self.n == 0:
            return -self.bound, self.bound
        radius = float(self._mixture(self.alpha / 2).boundary(self.variation)) / self.n
        return max(self.mean - radius, -self.bound), min(self.mean + radius, self.bound)

    @property
    def log_evidence(self) -> tuple[float, float]:
        """Logarithms of the e-values for the first, and for the second, being better."""
        mixture = self._mixture(self.alpha / 2)
        return (
            float(mixture.log_value(self.total, self.variation)),
            float(mixture.log_value(-self.total, self.variation)),
        )

    @property
    def decided(self) -> str:
        """The classifier that the bounds favour: "a", "b", or "" while they include 0."""
        low, high = self.interval
        return "a" if low > 0 else "b" if high < 0 else ""

    def verdict(self, names: tuple[str, str] = ("A", "B")) -> str:
        """The result so far as a sentence."""
        if self.n == 0:
            return "no rows yet"
        low, high = self.interval
        bounds = f"{self.mean:+.4f} ({low:+.4f} to {high:+.4f})"
        seen = f"after {self.n} rows the mean difference is {bounds}"
        if not self.decided:
            return f"undecided: {seen}"
        winner, loser = names if self.decided == "a" else names[::-1]
        evidence = max(self.log_evidence)
        size = f"{exp(evidence):.3g}" if evidence < 300 else f"e^{evidence:.0f}"
        return f"{winner} is better than {loser}: {seen}, e-value {size}"

    def to_json(self) -> str:
        """The state as one line of JSON, to continue later or elsewhere."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SequentialState:
        """The state that `to_json` wrote."""
        try:
            data = {key: float(value) for key, value in json.loads(text).items()}
            return cls(int(data.pop("n")), **data)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is not a saved sequential comparison: {error}") from None

    def _mixture(self, alpha: float) -> MixtureMartingale:
        # differences lie in [-bound, bound]: the deviations are sub-exponential with this scale
        return MixtureMartingale.tuned(scale=2 * self.bound, alpha=alpha)


@dataclass(frozen=True)
class ConfidenceSequence:
    """The course of the comparison: bounds and evidence after some rows, and the last state."""

    n: Ints
    mean: Floats
    low: Floats
    high: Floats
    log_evidence_a: Floats
    log_evidence_b: Floats
    state: SequentialState
    names: tuple[str, str]

    @property
    def decided_at(self) -> int | None:
        """The first row shown at which the bounds exclude 0."""
        out = np.flatnonzero((self.low > 0) | (self.high < 0))
        return int(self.n[out[0]]) if len(out) else None

    @property
    def verdict(self) -> str:
        """The final result as a sentence."""
        return self.state.verdict(self.names)

    def to_frame(self) -> Any:
        """A pandas frame with one row per point in time."""
        import pandas as pd

        columns = ("n", "mean", "low", "high", "log_evidence_a", "log_evidence_b")
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def __repr__(self) -> str:
        return self.verdict


def sequential(
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    utility: UtilityLike = "u65",
    alpha: float = 0.05,
    *,
    classes: ArrayLike | None = None,
    points: int | None = 400,
    names: tuple[str, str] = ("A", "B"),
) -> ConfidenceSequence:
    """Compare two classifiers row by row, with bounds that are valid at all times simultaneously.

    Parameters
    ----------
    y_true, pred_a, pred_b : anything `wager.as_sets` takes
        True classes and set-valued (or single) predictions, in the order of arrival.
    utility : utility, default="u65"
        The utility of a prediction.
    alpha : float, default=0.05
        The probability that the bounds ever fail is at most alpha.
    points : int or None, default=400
        The number of rows, evenly spaced on a logarithmic scale, after which bounds are computed;
        None for every row.

    Examples
    --------
    >>> y = [0, 1] * 300
    >>> sure, half = y, [[0, 1]] * 600
    >>> sequential(y, sure, half, names=("sure", "half")).state.decided
    'a'
    """
    u = get_utility(utility)
    d = utility_differences(y_true, pred_a, pred_b, u, classes)
    if len(d) == 0:
        raise ValueError("there are no predictions to compare: pass at least one row")
    start = SequentialState(alpha=alpha, bound=_largest_difference(u))
    state, totals, variations = start.follow(d)
    n = np.arange(1, len(d) + 1)
    if points is not None and points < len(d):
        n = np.unique(np.geomspace(1, len(d), points).round().astype(int))
    total, variation = totals[n - 1], variations[n - 1]
    mixture = state._mixture(alpha / 2)
    radius = mixture.boundary(variation) / n
    mean = total / n
    return ConfidenceSequence(
        n,
        mean,
        np.maximum(mean - radius, -state.bound),
        np.minimum(mean + radius, state.bound),
        mixture.log_value(total, variation),
        mixture.log_value(-total, variation),
        state,
        names,
    )


def utility_differences(
    y_true: Any, pred_a: Any, pred_b: Any, utility: UtilityLike, classes: ArrayLike | None = None
) -> Floats:
    """Difference in utility of two classifiers on each row, first minus second.

    Examples
    --------
    >>> utility_differences([0, 1], [[0, 1], [1]], [0, 0], "u65").round(2).tolist()
    [-0.35, 1.0]
    """
    u = get_utility(utility)

    def earned(predictions: Any) -> Floats:
        codes, sets = align(y_true, predictions, classes)
        sizes, hits = size_and_hit(codes, sets)
        worth = u.of_size(np.arange(int(sizes.max(initial=0)) + 1))
        return worth[np.where(hits, sizes, 0)]

    first, second = earned(pred_a), earned(pred_b)
    if len(first) != len(second):
        raise ValueError(
            f"the two classifiers have {len(first)} and {len(second)} rows: give the same rows"
        )
    return first - second


def _largest_difference(u: Utility) -> float:
    """The largest possible difference in utility between two predictions."""
    worth = u(reward_points(_MANY)) if not isinstance(u, Tabulated) else [u.miss, *u.values]
    return float(np.ptp(worth)) or 1.0


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
