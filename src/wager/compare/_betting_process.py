"""The betting confidence sequence of a stream, row by row in bounded space.

After each row, the means that either bettor has refuted so far are left out: the interval is the
running intersection.  To recompute its ends after every row would be slow and change little, so an
end moves when it can move by a hundredth of the interval's width, or past 0.  The row at which 0 is
excluded is therefore exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np

from wager._typing import Floats, Ints
from wager.compare._betting import Bets, total_capital
from wager.compare._value_counts import Shares, shares_of

_STEP = 0.01  # the part of the width by which an end must be able to move
_PRECISION = 1e-4  # of an end, as a part of the width
_FEW, _MANY = 16, 2048  # rows that are followed at once
_PIECE = 128  # rows whose best moment is looked at first


@dataclass(frozen=True)
class BettingProcess:
    """How often each value occurred, and the interval that the bets leave.

    Attributes
    ----------
    alpha : float
        The probability that the interval ever excludes the mean is at most alpha.
    bounds : tuple of two floats
        The smallest and the largest possible value.
    n : int
        The number of rows seen.
    values, counts : tuple of float
        The values seen, sorted, and how often; rare values may be shared between two others.
    low, high : float
        The means not yet refuted.
    decided_at : int or None
        The row after which 0 was refuted.
    contradicted_at : int or None
        The row after which every mean was refuted, as happens when the mean changes over time.
    """

    alpha: float
    bounds: tuple[float, float]
    n: int
    values: tuple[float, ...]
    counts: tuple[float, ...]
    low: float
    high: float
    decided_at: int | None = None
    contradicted_at: int | None = None

    @classmethod
    def start(cls, alpha: float, bounds: tuple[float, float]) -> BettingProcess:
        """Before the first row."""
        return cls(alpha, bounds, 0, (), (), *bounds)

    def __post_init__(self) -> None:
        smallest, largest = self.bounds
        counts, values = np.array(self.counts, dtype=float), np.array(self.values, dtype=float)
        if not (
            len(values) == len(counts)
            and (counts >= 0).all()
            and abs(counts.sum() - self.n) <= 1e-6 * max(self.n, 1)
            and (np.diff(values) > 0).all()
            and (len(values) == 0 or smallest <= values[0] <= values[-1] <= largest)
            and smallest <= self.low < self.high <= largest
        ):
            raise ValueError(f"the values and counts do not describe {self.n} rows")

    @property
    def total(self) -> float:
        """The sum of the rows."""
        return float(np.dot(self.values, self.counts))

    @property
    def interval(self) -> tuple[float, float]:
        """The means not refuted so far."""
        return self.low, self.high

    @cached_property
    def log_evidence(self) -> tuple[float, float]:
        """Logarithms of the e-values against a mean of at most 0, and of at least 0."""
        values, counts = np.array(self.values, dtype=float), np.array(self.counts)
        if self.n == 0:
            return 0.0, 0.0
        a, b = (Bets(*self.bounds, up).log_capital(values, counts, 0.0) for up in (True, False))
        return a, b

    def follow(self, rows: Floats) -> tuple[BettingProcess, list[BettingProcess]]:
        """The process after more rows, and after each of them that moved an end."""
        kept, shares, counts = self._placed(rows)
        current = replace(self, values=tuple(kept.tolist()), counts=tuple(counts.tolist()))
        moved: list[BettingProcess] = []
        done, size = 0, _FEW
        while done < len(rows):
            watch = _Watch.of(current)
            if watch is None:
                return current._count(shares.part(slice(done, None))), moved
            hit = None
            while done < len(rows) and hit is None:
                block = shares.part(slice(done, done + size))
                hit, taken = watch.first_hit(block)
                done += taken
                size = min(2 * size, _MANY)
            current = watch.process_after(self.n + done)
            if hit is not None:
                current = current._move(hit)
                moved.append(current)
                size = max(_FEW, size // 4)
        return current, moved

    def course(
        self, rows: Floats, shown: Ints
    ) -> tuple[BettingProcess, Floats, Floats, Floats, Floats]:
        """The process after the rows; bounds and evidence after some of them (1 is the first)."""
        after, moved = self.follow(rows)
        ends = [self, *moved]
        at = np.searchsorted([p.n for p in ends], self.n + shown, side="right") - 1
        low, high = np.array([p.low for p in ends]), np.array([p.high for p in ends])
        return after, low[at], high[at], *self._evidence(rows, shown)

    def _evidence(self, rows: Floats, shown: Ints) -> tuple[Floats, Floats]:
        """The logarithms of both e-values after some of the next rows."""
        kept, shares, counts = self._placed(rows)
        paths = []
        for up in (True, False):
            table = Bets(*self.bounds, up).log_factors(kept, 0.0)
            path, capital = np.empty(len(rows)), table @ counts
            for first in range(0, len(rows), _MANY):
                part = slice(first, first + _MANY)
                courses = np.cumsum(shares.part(part).rows_of(table), axis=1)
                courses += capital[:, None]
                path[part], capital = total_capital(courses), courses[:, -1]
            paths.append(path[shown - 1])
        return paths[0], paths[1]

    def _placed(self, rows: Floats) -> tuple[Floats, Shares, Floats]:
        """The values kept once the rows are known, the rows in terms of them, counts before."""
        kept, shares = shares_of(rows, np.array(self.values, dtype=float), self.bounds)
        counts = np.zeros(len(kept))
        counts[np.searchsorted(kept, self.values)] = self.counts
        return kept, shares, counts

    def _count(self, block: Shares) -> BettingProcess:
        counts = np.array(self.counts) + block.totals(len(self.values))
        return replace(self, n=self.n + len(block.position), counts=tuple(counts.tolist()))

    def _move(self, sides: tuple[bool, bool]) -> BettingProcess:
        """The process after the sides that can move have moved."""
        values, counts = np.array(self.values), np.array(self.counts)
        goal, precision = log(2 / self.alpha), _PRECISION * (self.high - self.low)
        ends = [self.low, self.high]
        for side, up in ((0, True), (1, False)):
            if sides[side]:
                bets = Bets(*self.bounds, up)
                end = bets.refuted_until(values, counts, goal, _watched(self, up), precision)
                # the end is a little before the exact one, and 0 may lie between them
                is_short = end < 0 if up else end > 0
                if is_short and bets.log_capital(values, counts, 0.0) >= goal:
                    end = 0.0
                ends[side] = end
        low, high = ends
        if low >= high:
            return replace(self, contradicted_at=self.n)
        decided_at = self.decided_at
        if decided_at is None and (low >= 0 or high <= 0):
            decided_at = self.n
        return replace(self, low=low, high=high, decided_at=decided_at)


class _Watch:
    """The capitals at the two means whose refutation would move an end."""

    def __init__(self, process: BettingProcess):
        self.process = process
        self.counts = np.array(process.counts)
        values = np.array(process.values)
        self.goal = log(2 / process.alpha)
        self.tables = [
            Bets(*process.bounds, up).log_factors(values, _watched(process, up))
            for up in (True, False)
        ]

    @classmethod
    def of(cls, process: BettingProcess) -> _Watch | None:
        return None if process.contradicted_at is not None else cls(process)

    def first_hit(self, block: Shares) -> tuple[tuple[bool, bool] | None, int]:
        """Which sides reach the goal at the first row where one does, and the rows used up."""
        paths = [self._path(table, block) for table in self.tables]
        reached = np.array([path >= self.goal for path in paths if path is not None])
        used, sides = len(block.position), None
        if reached.any():
            used = int(reached.any(axis=0).argmax()) + 1
            at = [path is not None and bool(path[used - 1] >= self.goal) for path in paths]
            sides = at[0], at[1]
        self.counts += block.part(slice(used)).totals(len(self.counts))
        return sides, used

    def process_after(self, n: int) -> BettingProcess:
        return replace(self.process, n=n, counts=tuple(self.counts.tolist()))

    def _path(self, table: Floats, block: Shares) -> Floats | None:
        """The logarithm of the capital after each row; None if it stays below the goal."""
        courses = np.cumsum(block.rows_of(table), axis=1)
        courses += (table @ self.counts)[:, None]
        # each bettor's best moment bounds what all of them own at any one
        pieces = np.arange(0, courses.shape[1], _PIECE)
        near = total_capital(np.maximum.reduceat(courses, pieces, axis=1)) >= self.goal
        if not near.any():
            return None
        start = int(near.argmax()) * _PIECE
        path = np.full(courses.shape[1], -np.inf)
        path[start:] = total_capital(courses[:, start:])
        return path


def _watched(process: BettingProcess, up: bool) -> float:
    """The mean a little inside an end, or 0 if that is nearer."""
    step = _STEP * (process.high - process.low)
    if up:
        return min(process.low + step, 0.0) if process.low < 0 else process.low + step
    return max(process.high - step, 0.0) if process.high > 0 else process.high - step
