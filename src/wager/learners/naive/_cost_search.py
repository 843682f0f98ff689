"""The least value of a sum of convex and concave terms over the priors, by branch and bound.

``_cost_dominance`` explains the sum: d_k L_k(x_k) where d_k > 0, which is convex, and
-|d_k| U_k(x_k) where d_k < 0.  U_k is increasing and log-concave, and if no training value is
missing it is convex.  The search keeps boxes of the x_k of the negative terms.  In a box each
negative term lies above a line and each positive one above its tangents, so the sum is at least the
least value of a linear function under ``sum x_k <= s``, which puts the weight where the slope is
steepest.  Tangents at the minimum of the bounded problem make this bound tight; Newton steps lead
there.  A box whose bound is positive is done, a point where the sum is not positive settles the
row, and other boxes are cut where the line is farthest from its term.  Both errors shrink with the
square of the width.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import PaddedCounts

__all__ = ["Terms", "stays_positive"]

_LARGEST = 300.0  # of exponents
_TURNS = 400  # ten are usually enough; more only if the least value is 0 except for rounding
_HALVINGS = 60


@dataclass(frozen=True)
class _Side:
    """The classes whose differences of costs have one sign, and the rows' counts for them."""

    weight: Floats  # (k,): |d|
    rows: Floats  # (k,): n(c)
    known: Floats  # (m, k): n_j(c)
    n: Floats  # (r, m, k): n_j(a_j, c)

    def take(self, rows: Ints) -> _Side:
        return _Side(self.weight, self.rows, self.known, self.n[rows])


@dataclass(frozen=True)
class Terms:
    """The terms of the sum for some rows, scaled by ``exp(-shift)``."""

    plus: _Side
    minus: _Side
    seen: Bools  # (r, m, 1)
    s: Floats  # (r, 1)
    shift: Floats  # (r, 1)

    @classmethod
    def of(cls, counts: PaddedCounts, n: Floats, seen: Bools, d: Floats, s: Floats) -> Terms:
        """The terms of rows with counts ``n`` (r, m, K) and strengths ``s``; ``d`` as above."""

        def side(sign: float, factor: float) -> _Side:
            chosen = sign * d > 0
            weight = factor * np.abs(d[chosen])
            return _Side(weight, counts.classes[chosen], counts.known[:, chosen], n[:, :, chosen])

        terms = cls(
            side(1, 1.0), side(-1, 1 + TIE), seen[:, :, None], s[:, None], np.zeros((len(n), 1))
        )
        logs = terms._log_losses(terms._all(terms.s))
        shift = logs.max(axis=1, keepdims=True, initial=-np.inf)
        return replace(terms, shift=np.where(np.isfinite(shift), shift, 0.0))

    def take(self, rows: Ints) -> Terms:
        """The terms of some rows, in any order and repeated."""
        return replace(
            self,
            plus=self.plus.take(rows),
            minus=self.minus.take(rows),
            seen=self.seen[rows],
            s=self.s[rows],
            shift=self.shift[rows],
        )

    def _all(self, x: float | Floats) -> Floats:
        return np.full((len(self.seen), len(self.minus.weight)), x)

    def gains(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The positive terms d L(x), their slopes and their curvatures, (r, k) each."""
        side, at = self.plus, x[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            total = side.known + at
            logs = np.where(self.seen, np.log(side.n) - np.log(total), 0.0).sum(axis=1)
            logs += np.log(side.rows + x) + np.log(side.weight) - self.shift
            first = 1 / (side.rows + x) - np.where(self.seen, 1 / total, 0.0).sum(axis=1)
            second = np.where(self.seen, total**-2.0, 0.0).sum(axis=1) - (side.rows + x) ** -2.0
        # a zero count makes L vanish, whatever the other factors are
        possible = ~(self.seen & (side.n == 0)).any(axis=1)
        value = np.where(possible, np.exp(np.minimum(logs, _LARGEST)), 0.0)
        first = np.where(possible, first, 0.0)
        second = np.where(possible, second, 0.0)
        return value, value * first, value * (first**2 + second)

    def losses(self, x: Floats) -> Floats:
        """The sizes |d| U(x) of the negative terms, with the factor for ties, (r, k)."""
        return np.exp(self._log_losses(x) - self.shift)

    def _log_losses(self, x: Floats) -> Floats:
        side, at = self.minus, x[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            # a feature that was never known with the class gives log(x / x) = 0
            ratio = np.log(side.n + at) - np.log(side.known + at)
            logs = np.where(self.seen & (side.known > 0), ratio, 0.0).sum(axis=1)
            return logs + np.log(side.rows + x) + np.log(side.weight)

    def above(self, low: Floats, high: Floats, convex: bool) -> tuple[Floats, Floats]:
        """A line above each |d| U between two points: its values at both.

        It is the chord where U is convex.  Otherwise log U is below its tangent in the middle, and
        the exponential of the tangent is below its own chord.
        """
        if convex:
            return self.losses(low), self.losses(high)
        side, middle = self.minus, (low + high) / 2
        at = middle[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(
                self.seen & (side.known > 0), 1 / (side.n + at) - 1 / (side.known + at), 0.0
            ).sum(axis=1)
            slope += 1 / (side.rows + middle)
            reach = np.where(high > low, slope * (high - middle), 0.0)
        reach = np.minimum(reach, _LARGEST)
        value = self.losses(middle)
        return value * np.exp(-reach), value * np.exp(reach)

    def refuted_at_corners(self) -> Bools:
        """Whether the sum is not positive if one class of a negative term gets all of s."""
        gains = self.gains(np.zeros((len(self.seen), len(self.plus.weight))))[0].sum(axis=1)
        nothing, everything = self.losses(self._all(0.0)), self.losses(self._all(self.s))
        most = (everything - nothing).max(axis=1, initial=0.0)
        return gains - nothing.sum(axis=1) - most <= 0

    def linear_bound(self) -> Floats:
        """A lower bound by tangents at 0 and by chords, if U is convex."""
        gains, slopes, _ = self.gains(np.zeros((len(self.seen), len(self.plus.weight))))
        nothing, everything = self.losses(self._all(0.0)), self.losses(self._all(self.s))
        steepest = np.minimum(
            slopes.min(axis=1) * self.s[:, 0], -(everything - nothing).max(axis=1, initial=0.0)
        )
        return gains.sum(axis=1) - nothing.sum(axis=1) + steepest


@dataclass(frozen=True)
class _Boxes:
    """Boxes of the weights x of the negative terms, each for one row, and a point of the rest."""

    row: Ints  # (b,)
    low: Floats  # (b, k)
    high: Floats  # (b, k)
    point: Floats  # (b, k of the positive terms): where tangents start

    def take(self, chosen: Any) -> _Boxes:
        return _Boxes(self.row[chosen], self.low[chosen], self.high[chosen], self.point[chosen])


def stays_positive(terms: Terms, convex: bool) -> Bools:
    """Whether the sum is positive for every prior, for each row."""
    n, k = len(terms.seen), len(terms.minus.weight)
    positive = np.ones(n, dtype=bool)
    boxes = _Boxes(
        np.arange(n),
        np.zeros((n, k)),
        np.full((n, k), terms.s),
        np.zeros((n, len(terms.plus.weight))),
    )
    for _ in range(_TURNS):
        here = terms.take(boxes.row)
        bounded = _bound(here, boxes, convex)
        positive[boxes.row[bounded.value <= 0]] = False
        left = np.flatnonzero((bounded.least <= 0) & positive[boxes.row])
        if not left.size:
            break
        boxes = _split(boxes, bounded, left)
    return positive


@dataclass(frozen=True)
class _Bounded:
    """What is known of each box."""

    value: Floats  # the sum at a point
    least: Floats  # a lower bound of the sum
    plus: Floats  # the point, and its coordinates of the negative terms
    minus: Floats
    distance: Floats  # from the lines to the negative terms, at the point


def _bound(terms: Terms, boxes: _Boxes, convex: bool) -> _Bounded:
    low, width = boxes.low, boxes.high - boxes.low
    at_low, at_high = terms.above(low, boxes.high, convex)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(width > 0, (at_low - at_high) / width, 0.0)
    gains, first, second = terms.gains(boxes.point)
    plus, minus = _balance(terms.s, boxes, (first, second), slopes)
    gains, first, _ = terms.gains(plus)
    losses = terms.losses(minus)
    value = gains.sum(axis=1) - losses.sum(axis=1)
    # the linear function at the low end of all weights, then the weight where it falls fastest
    start = (gains - first * plus).sum(axis=1) - at_low.sum(axis=1)
    fall = np.concatenate([first, slopes], axis=1)
    space = np.concatenate([np.full_like(first, terms.s), width], axis=1)
    order = np.argsort(fall, axis=1)
    fall, space = (
        np.take_along_axis(part, order, axis=1) for part in (np.minimum(fall, 0.0), space)
    )
    rest = terms.s - low.sum(axis=1, keepdims=True)
    given = np.clip(rest - (space.cumsum(axis=1) - space), 0.0, space)
    least = start + (fall * given).sum(axis=1)
    least = np.where(rest[:, 0] < 0, np.inf, least)  # no prior is in the box
    distance = at_low - slopes * (minus - low) - losses
    return _Bounded(value, least, plus, minus, distance)


def _balance(
    s: Floats, boxes: _Boxes, curve: tuple[Floats, Floats], slopes: Floats
) -> tuple[Floats, Floats]:
    """The weights where all slopes agree, with quadratic models of the positive terms.

    Weights with sum at most s minimize the model if every slope equals one number, at most 0, or
    the weight is at an end of its range.  The number is found by bisection.
    """
    first, second = curve
    curved = second > 0

    def at(level: Floats) -> tuple[Floats, Floats]:
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(curved, (level - first) / second, np.where(first < level, s, -s))
        plus = np.clip(boxes.point + step, 0.0, s)
        return plus, np.where(slopes < level, boxes.high, boxes.low)

    def total(level: Floats) -> Floats:
        plus, minus = at(level)
        return plus.sum(axis=1, keepdims=True) + minus.sum(axis=1, keepdims=True)

    top = np.zeros((len(slopes), 1))
    steepest = np.minimum(
        slopes.min(axis=1, keepdims=True, initial=0.0),
        (first - second * s).min(axis=1, keepdims=True),
    )
    bottom = 2 * steepest - 1e-300
    for _ in range(_HALVINGS):
        level = (bottom + top) / 2
        few = total(level) <= s
        bottom, top = np.where(few, level, bottom), np.where(few, top, level)
    below, above = at(bottom), at(top)
    least, most = total(bottom), total(top)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(most > least, np.clip((s - least) / (most - least), 0.0, 1.0), 0.0)
    plus, minus = (low + share * (high - low) for low, high in zip(below, above, strict=True))
    return plus, minus


def _split(boxes: _Boxes, bounded: _Bounded, left: Ints) -> _Boxes:
    """The boxes that are left, moved to their new points, and halved where a line is too far."""
    low, high, minus = boxes.low[left], boxes.high[left], bounded.minus[left]
    distance = bounded.distance[left]
    moved = _Boxes(boxes.row[left], low, high, bounded.plus[left])
    gap = bounded.value[left] - bounded.least[left]
    split = distance.sum(axis=1) > gap / 2
    if not split.any():
        return moved
    rows, k = np.flatnonzero(split), distance[split].argmax(axis=1)
    start, stop = low[rows, k], high[rows, k]
    # at the point if that is well inside, else in the middle
    share = (minus[rows, k] - start) / np.maximum(stop - start, 1e-300)
    cut = start + np.where((share > 0.1) & (share < 0.9), share, 0.5) * (stop - start)
    below, above = high.copy(), low[rows].copy()
    below[rows, k] = cut
    above[np.arange(len(rows)), k] = cut
    return _Boxes(
        np.concatenate([moved.row, moved.row[rows]]),
        np.concatenate([low, above]),
        np.concatenate([below, high[rows]]),
        np.concatenate([moved.point, moved.point[rows]]),
    )
