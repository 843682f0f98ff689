"""The risk-coverage curve of ranked rows, the areas below it, and their influence functions.

Rows are accepted from the most confident one down.  Coverage is the share of accepted rows, G the
loss of accepted rows as a share of all rows (the generalized risk), and R = G / coverage the mean
loss of the accepted ones (the selective risk).  Rows of equal confidence are accepted in random
order; G is its expected value over these orders.  It is then linear in coverage between the
ends of a tie, so the rows enter through the share and the mean loss of each tie alone, and their
order does not matter.

Both areas are means of the loss over coverage, with a weight that falls from the first accepted row
to the last one: ``-ln(u)`` for the area below R, ``1 - u`` for the area below G, where u is the
coverage at which a row is accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wager._typing import Bools, Floats, Ints

_ROUNDING = 2.0**-50  # relative: confidences, such as sums and quotients, that differ by less tie
_WINDOW = 0.5  # of the local loss, as a part of units ** (-1 / 3)


@dataclass(frozen=True)
class Area:
    """The area below a curve: the weight of a loss at coverage u, and its integral from 0 to u."""

    weight: Callable[[Floats], Floats]
    integral: Callable[[Floats], Floats]


def _begin(rising: Floats) -> Bools:
    """Which of the rising confidences are larger than the one before by more than rounding.

    Many confidences so close together that the first and the last of them differ by more, such as
    those of a network that is nearly certain, are different ones.

    Examples
    --------
    >>> _begin(np.array([0.2, 0.3, 0.1 + 0.2, 0.4])).tolist()
    [True, True, False, True]
    >>> _begin(1 - np.arange(9, 0, -1) * 2.0**-52).tolist().count(True)
    9
    """
    if not len(rising):
        return np.zeros(0, dtype=bool)
    size = np.abs(rising)
    with np.errstate(over="ignore", invalid="ignore"):  # infinite confidences
        apart = np.append(True, _is_far(np.diff(rising), size[1:], size[:-1]))
        tie, first = np.cumsum(apart) - 1, np.flatnonzero(apart)
        last = np.append(first[1:], len(rising)) - 1
        wide = _is_far(rising[last] - rising[first], size[last], size[first])
    return apart | wide[tie]


def _is_far(gap: Floats, size: Floats, other: Floats) -> Bools:
    """Whether two confidences differ by more than rounding."""
    return (gap > _ROUNDING * np.minimum(size, other)) | np.isinf(gap)


def _log(u: Floats) -> Floats:
    return np.log(np.where(u > 0, u, 1.0))  # where u = 0 it is multiplied by 0


SELECTIVE = Area(lambda u: -_log(u), lambda u: u - u * _log(u))
GENERALIZED = Area(lambda u: 1 - u, lambda u: u - u * u / 2)


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Rows that are ranked by confidence, as ties: the rows of one confidence.

    Parameters
    ----------
    tie : array of int, shape (n,)
        The tie of each row; 0 is accepted first.
    row_loss, row_weight : array of shape (n,)
        The loss and the weight of each row.
    threshold, weight, loss : array of shape (T,)
        The least confidence of each tie, the total weight of its rows, and their mean loss.
        Confidences that differ only by rounding, such as 0.1 + 0.2 and 0.3, are tied.

    Examples
    --------
    >>> curve = RiskCoverage.of([0.9, 0.8, 0.8, 0.3], [0.0, 0.0, 1.0, 1.0], np.ones(4))
    >>> curve.coverage.tolist(), curve.generalized_risk.tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.25, 0.5])
    >>> round(curve.area(GENERALIZED), 4)
    0.1562
    """

    tie: Ints
    row_loss: Floats
    row_weight: Floats
    threshold: Floats
    weight: Floats
    loss: Floats

    @classmethod
    def of(cls, confidence: Floats, loss: Floats, weight: Floats) -> RiskCoverage:
        """Rank rows of positive weight."""
        losses, weights = np.asarray(loss, dtype=float), np.asarray(weight, dtype=float)
        distinct, place = np.unique(np.asarray(confidence, dtype=float), return_inverse=True)
        begins = _begin(distinct)
        rising = distinct[begins]
        tie = (len(rising) - np.cumsum(begins))[place.ravel()]
        total = np.bincount(tie, weights).astype(np.float64)
        mean = np.bincount(tie, weights * losses) / total
        return cls(tie, losses, weights, rising[::-1], total, mean)

    @cached_property
    def coverage(self) -> Floats:
        """The coverage after each tie."""
        after = np.cumsum(self.weight)
        return after / after[-1]

    @cached_property
    def share(self) -> Floats:
        """The share of each tie in the total weight."""
        return self.weight / self.weight.sum()

    @cached_property
    def before(self) -> Floats:
        """The coverage before each tie."""
        return np.append(0.0, self.coverage[:-1])

    @cached_property
    def generalized_risk(self) -> Floats:
        """The loss of the rows accepted after each tie, as a share of all rows."""
        return np.cumsum(self.weight * self.loss) / self.weight.sum()

    @property
    def selective_risk(self) -> Floats:
        """The mean loss of the rows accepted after each tie."""
        return self.generalized_risk / self.coverage

    def generalized_risk_at(self, coverage: float) -> float:
        """The generalized risk at any coverage; inside a tie its expected value."""
        risk = np.append(0.0, self.generalized_risk)
        return float(np.interp(coverage, np.append(0.0, self.coverage), risk))

    def best(self) -> RiskCoverage:
        """The same rows, ranked by their loss: no confidence has a smaller area."""
        return RiskCoverage.of(-self.row_loss, self.row_loss, self.row_weight)

    def area(self, area: Area) -> float:
        """The area below the selective or the generalized risk."""
        return float(self.loss @ self._weights(area))

    def _weights(self, area: Area) -> Floats:
        return area.integral(self.coverage) - area.integral(self.before)

    def area_influence(self, area: Area) -> Floats:
        """How much a row moves the area: its derivative with respect to the weight of the row.

        A row counts by its own loss, and it shifts the coverage of all ties: those that are less
        confident are accepted later.
        """
        after, before, loss = self.coverage, self.before, self.loss
        at_after, at_before = area.weight(after), np.where(before > 0, area.weight(before), 0.0)
        if_above = loss * (at_after * (1 - after) - at_before * (1 - before))
        if_inside = loss * (at_after * (1 - after) + at_before * before)
        if_below = loss * (at_before * before - at_after * after)
        later = np.append(np.cumsum(if_above[::-1])[::-1][1:], 0.0)
        earlier = np.append(0.0, np.cumsum(if_below)[:-1])
        moved = later + if_inside + earlier
        own = self._weights(area) / self.share
        return (self.row_loss - loss[self.tie]) * own[self.tie] + moved[self.tie]

    def accepted(self, coverage: float) -> Floats:
        """The probability that each row is accepted at this coverage."""
        parts = (coverage - self.before) / self.share
        return np.clip(parts, 0.0, 1.0)[self.tie]

    def local_loss(self, coverage: float, units: float) -> float:
        """The mean loss of rows near a coverage: where the threshold lies is uncertain."""
        reach = _WINDOW * units ** (-1 / 3) if units > 0 else 1.0
        low, high = max(coverage - reach, 0.0), min(coverage + reach, 1.0)
        gained = self.generalized_risk_at(high) - self.generalized_risk_at(low)
        return gained / (high - low)

    def risk_influence(self, coverage: float, units: float) -> Floats:
        """How much a row moves the selective risk at a coverage above 0."""
        near, accepted = self.local_loss(coverage, units), self.accepted(coverage)
        centre = self.generalized_risk_at(coverage) - coverage * near
        return ((self.row_loss - near) * accepted - centre) / coverage

    def rejected_influence(self, coverage: float, units: float) -> Floats:
        """How much a row moves the mean loss of the rejected rows at a coverage below 1."""
        near, rejected = self.local_loss(coverage, units), 1 - self.accepted(coverage)
        lost = self.generalized_risk[-1] - self.generalized_risk_at(coverage)
        centre = lost - (1 - coverage) * near
        return ((self.row_loss - near) * rejected - centre) / (1 - coverage)
