"""Which classes are optimal somewhere in a credal set: a walk over vertices, for many sets at once.

Class j is admissible if ``E_p[c_j] - s`` can be 0, where p is in the credal set and s is at most
the expected cost of every class.  That is a linear program for each class, but all classes of a row
share its constraints: the programs differ only in which slack ``z_k = E_p[c_k] - s`` is minimised.
So there is one simplex tableau per row.  It is pivoted until the slack of one class reaches its
minimum, and goes on from there to the next class; every class whose slack becomes 0 on the way is
found without a separate program.  All rows are pivoted together by array expressions.

No verdict depends on the rounding errors of a tableau, which only makes proposals: a probability at
which a class is optimal, or a mixture of other classes that costs less under every probability.
Both are checked against the given costs and bounds, and what fails the check is reported as
doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from wager._typing import Bools, Floats, Ints
from wager.predictions import TOLERANCE

__all__ = ["Mixtures", "walk"]

_ZERO = 1e-11  # a smaller entry of a tableau is rounding; costs are in units of the largest one
_ROUNDING = 1e-12  # weights whose sum is off by more are not trusted
_CROWDED = 0.8  # the rows that are done are dropped when less than this share is left


class Mixtures(NamedTuple):
    """Credal sets as mixtures of points, with weights within bounds that sum to 1."""

    losses: Floats  # (n, V, K), or (1, V, K) if all rows share it: the cost of a class at a point
    lower: Floats  # (n, V): the least weights
    width: Floats  # (n, V): how much larger they may be
    rest: Floats  # (n,): what they sum to above the least ones

    @classmethod
    def of(cls, losses: Floats, lower: Floats, upper: Floats) -> Mixtures:
        """With weights between two bounds."""
        width = upper - lower
        rest = np.clip(1 - lower.sum(axis=1), 0, width.sum(axis=1))  # rounding may leave no choice
        return cls(losses, lower, width, rest)

    def some(self, rows: Ints) -> Mixtures:
        """Some of the rows."""
        losses = self.losses if len(self.losses) == 1 else self.losses[rows]
        return Mixtures(losses, self.lower[rows], self.width[rows], self.rest[rows])

    def expected(self, weights: Floats) -> Floats:
        """The expected cost of every class."""
        if len(self.losses) == 1:
            return weights @ self.losses[0]
        return np.einsum("nv,nvk->nk", weights, self.losses)

    def mixed(self, shares: Floats) -> Floats:
        """The cost at every point if a class is drawn with these probabilities."""
        if len(self.losses) == 1:
            return shares @ self.losses[0].T
        return np.einsum("nk,nvk->nv", shares, self.losses)

    def least(self, f: Floats) -> tuple[Floats, Ints]:
        """The weights with the least mean of f, and the only point whose weight may be at no bound.

        What the weights are above the least ones goes first to the points where f is smallest.
        """
        order = np.argsort(f, axis=1)
        width = np.take_along_axis(self.width, order, axis=1)
        taken = np.clip(self.rest[:, None] - (width.cumsum(axis=1) - width), 0, width)
        given = np.empty_like(taken)
        np.put_along_axis(given, order, taken, axis=1)
        last = f.shape[1] - 1 - (taken[:, ::-1] > 0).argmax(axis=1)
        return self.lower + given, order[np.arange(len(order)), last]


def walk(mixtures: Mixtures, asked: Bools) -> tuple[Bools, Bools]:
    """The classes that are optimal for some weights, and those that remain in doubt.

    Parameters
    ----------
    mixtures : Mixtures
    asked : bool ndarray of shape (n, K)
        The classes in question, at least one in each row.

    Returns
    -------
    found, doubtful : bool ndarrays of shape (n, K)
        A class that was asked for and is in neither is not optimal for any weights.
    """
    walkers = _Walkers.start(mixtures, asked)
    found, doubtful = walkers.accept(mixtures, np.arange(len(asked)))
    for _ in range(100 + 20 * sum(mixtures.losses.shape[1:])):  # more steps would be a cycle
        live: Bools = np.asarray(walkers.open.any(axis=1))
        if not live.any():
            return found, doubtful
        if live.mean() < _CROWDED:
            walkers.drop(~live)
            live = live[live]
        goal = walkers.table[np.arange(len(live)), walkers.target, :-1]
        entering = goal.argmax(axis=1)
        minimal = goal[np.arange(len(live)), entering] <= _ZERO
        touched = np.flatnonzero(walkers.step(entering, live & ~minimal))
        where = walkers.row[touched]
        optimal, failed = walkers.accept(mixtures, touched)
        found[where] |= optimal
        doubtful[where] |= failed
        done = np.flatnonzero(live & minimal)
        where = walkers.row[done]
        label, failing = walkers.reject(mixtures, done, goal[done])
        doubtful[where[failing], label[failing]] = True
    doubtful[walkers.row] |= walkers.asked
    return found, doubtful


@dataclass(eq=False)
class _Walkers:
    """Simplex tableaus: ``basic = value - entries @ nonbasic``, at the vertex where nonbasic is 0.

    The variables are the weights above their lower bounds, numbered from 0 to V - 1, and the slacks
    of the classes, from V to V + K - 1.  A weight at its upper bound is measured down from there.
    """

    table: Floats  # (n, K, V + 1): the entries; the values are in the last column
    basic: Ints  # (n, K): the variables of the rows
    nonbasic: Ints  # (n, V): the variables of the columns
    basic_bound: Floats  # (n, K): their upper bounds
    nonbasic_bound: Floats  # (n, V)
    downward: Bools  # (n, V + K): whether a variable is measured down from its upper bound
    asked: Bools  # (n, K): the classes without a verdict
    open: Bools  # (n, K): whether a row of the tableau is the slack of such a class
    target: Ints  # (n,): the row of the tableau that is minimised
    row: Ints  # (n,): the row of the mixtures

    @classmethod
    def start(cls, mixtures: Mixtures, asked: Bools) -> _Walkers:
        """At the weights that favour the first class asked for most, compared with the others.

        Only the free weight is basic, and all slacks but the one of the best class there.
        """
        (n, n_classes), n_points = asked.shape, mixtures.lower.shape[1]
        rows = np.arange(n)
        first = np.zeros(asked.shape)
        first[rows, asked.argmax(axis=1)] = 1
        weights, free = mixtures.least(mixtures.mixed(first - 1 / n_classes))
        expected = mixtures.expected(weights)
        best = expected.argmin(axis=1)
        width = mixtures.width.copy()
        height = weights - mixtures.lower
        high = 2 * height > width
        high[rows, free] = False
        sign = np.where(high, -1.0, 1.0) * (width > 0)  # a weight without a choice never moves

        table = np.empty((n, n_classes, n_points + 1))
        entries = table[:, :, :-1]
        losses = np.broadcast_to(mixtures.losses, (n, n_points, n_classes))
        excess = losses - losses[rows, free][:, None, :]  # over the free point
        np.subtract(excess[rows, :, best][:, None, :], excess.transpose(0, 2, 1), out=entries)
        entries *= sign[:, None, :]
        entries[rows, :, free] = -1  # the column of the slack of the best class
        entries[rows, best] = sign  # the row of the free weight
        entries[rows, best, free] = 0
        table[:, :, -1] = expected - expected[rows, best][:, None]
        table[rows, best, -1] = height[rows, free]

        basic = np.tile(n_points + np.arange(n_classes), (n, 1))
        nonbasic = np.tile(np.arange(n_points), (n, 1))
        basic_bound = np.full((n, n_classes), np.inf)
        basic[rows, best], nonbasic[rows, free] = free, n_points + best
        basic_bound[rows, best] = width[rows, free]
        width[rows, free] = np.inf
        downward = np.concatenate([high, np.zeros((n, n_classes), dtype=bool)], axis=1)
        return cls(
            table, basic, nonbasic, basic_bound, width, downward,
            asked.copy(), asked.copy(), np.zeros(n, dtype=np.intp), rows,
        )  # fmt: skip

    def drop(self, done: Bools) -> None:
        """Forget some rows."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name)[~done])

    def step(self, entering: Ints, moving: Bools) -> Bools:
        """Increase one nonbasic variable per row as far as possible; say where a slack became 0."""
        rows = np.arange(len(entering))
        along, values = self.table[rows, :, entering], self.table[:, :, -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            limit = np.where(along > 0, values, values - self.basic_bound) / along
        limit[np.abs(along) <= _ZERO] = np.inf
        leaving = limit.argmin(axis=1)
        bound = self.nonbasic_bound[rows, entering]
        first = limit[rows, leaving] < bound
        turn = np.flatnonzero(moving & ~first)  # reaches its own other bound first
        swap = np.flatnonzero(moving & first)

        change = np.zeros((len(rows), self.table.shape[2]))
        change[turn, entering[turn]] = 2
        change[turn, -1] = bound[turn]
        self.downward[turn, self.nonbasic[turn, entering[turn]]] ^= True
        out, into = leaving[swap], entering[swap]
        pivots = self._pivot_rows(swap, out, into)
        change[swap] = pivots
        change[swap, into] += 1
        self.table -= along[:, :, None] * change[:, None, :]
        self.table[swap, out] = pivots
        np.maximum(values, 0, out=values)

        touched = np.zeros(len(rows), dtype=bool)
        touched[swap] = self.open[swap, out]
        self._exchange(swap, out, into)
        return touched | (self.open & (values <= TOLERANCE)).any(axis=1)

    def _pivot_rows(self, swap: Ints, out: Ints, into: Ints) -> Floats:
        """The rows that leave, solved for the variables that enter."""
        pivots = self.table[swap, out]
        each = np.arange(len(swap))
        divisor = pivots[each, into]
        top = np.flatnonzero(divisor < 0)  # leave at their upper bounds
        pivots[top] *= -1
        pivots[top, -1] += self.basic_bound[swap[top], out[top]]
        self.downward[swap[top], self.basic[swap[top], out[top]]] ^= True
        pivots[each, into] = 1
        return pivots / np.abs(divisor)[:, None]

    def _exchange(self, swap: Ints, out: Ints, into: Ints) -> None:
        for inner, outer in (
            (self.basic, self.nonbasic),
            (self.basic_bound, self.nonbasic_bound),
        ):
            inner[swap, out], outer[swap, into] = outer[swap, into], inner[swap, out]
        self.open[swap, out] = False  # a slack that enters was 0, so its class has a verdict

    def accept(self, mixtures: Mixtures, at: Ints) -> tuple[Bools, Bools]:
        """The classes that are optimal at the present weights, and those that just fail to be."""
        part = mixtures.some(self.row[at])
        n_points = part.lower.shape[1]
        height = np.zeros((len(at), self.downward.shape[1]))
        np.put_along_axis(height, self.basic[at], self.table[at, :, -1], axis=1)
        slack_is_zero = height[:, n_points:] <= TOLERANCE
        height = height[:, :n_points]
        height = np.where(self.downward[at, :n_points], part.width - height, height)
        height = np.clip(height, 0, part.width)
        expected = part.expected(part.lower + height)
        optimal = expected <= expected.min(axis=1, keepdims=True) + TOLERANCE
        optimal &= (np.abs(height.sum(axis=1) - part.rest) <= _ROUNDING)[:, None]
        failed = self.asked[at] & slack_is_zero & ~optimal
        self._settle(at, optimal | failed)
        return optimal, failed

    def reject(self, mixtures: Mixtures, at: Ints, goal: Floats) -> tuple[Ints, Bools]:
        """The classes whose slack is minimal, and where the mixture that beats them just fails to.

        At the minimum the slack is a mixture of other slacks plus weights that can only grow, so
        the same mixture of the other classes costs less, whatever the weights are.
        """
        part = mixtures.some(self.row[at])
        each, n_points = np.arange(len(at)), self.nonbasic.shape[1]
        label = self.basic[at, self.target[at]] - n_points
        share = np.zeros((len(at), self.downward.shape[1]))
        np.put_along_axis(share, self.nonbasic[at], np.maximum(-goal, 0), axis=1)
        share = share[:, n_points:]
        with np.errstate(invalid="ignore"):  # no share at all: NaN, which fails
            share /= -share.sum(axis=1, keepdims=True)
            share[each, label] = 1
            f = part.mixed(share)
            weights, _ = part.least(f)
            failing = ~(np.einsum("nv,nv->n", weights, f) > TOLERANCE)
        settled = np.zeros(self.asked[at].shape, dtype=bool)
        settled[each, label] = True
        self._settle(at, settled)
        return label, failing

    def _settle(self, at: Ints, settled: Bools) -> None:
        """Ask no more for some classes, and turn to the open slack that is nearest to 0."""
        self.asked[at] &= ~settled
        n_points = self.nonbasic.shape[1]
        ask = np.zeros((len(at), self.downward.shape[1]), dtype=bool)
        ask[:, n_points:] = self.asked[at]
        self.open[at] = np.take_along_axis(ask, self.basic[at], axis=1)
        height = np.where(self.open[at], self.table[at, :, -1], np.inf)
        self.target[at] = height.argmin(axis=1)
