"""How much work units are, from the sizes of their tables and the times of those already done.

The number of cells of a table is known beforehand.  How the time of a learner grows with it is
learnt while the units are done: a fast learner spends most of its time on what every unit costs, a
slow one on the cells.  So the time is taken as rate * cells ** growth, with both numbers fitted for
each learner.  Before tables of different sizes were seen, the growth is 1/2: in proportion to the
cells, a small data set that comes first would announce days instead of minutes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from wager.experiments.plan import SourceSize, Unit

__all__ = ["Workload", "cells_of"]

USUAL_GROWTH = 0.5
TRUST = 4.0  # of the usual growth: as much as two sizes whose logarithms differ by 2.8
REFIT = 1.01  # fitted anew when so many times the units are done


def cells_of(unit: Unit, sizes: Mapping[str, SourceSize]) -> float:
    """The number of cells in the table that a unit is trained and tested on."""
    size = sizes.get(unit.source.name)
    if size is not None:
        return float(max(size.n_rows, 1) * max(size.n_columns, 1))
    return float((unit.split.size or 0) + unit.scheme.get("test_rows", 0)) or 1.0


class Workload:
    """The work that is done and that is left, in seconds of one core.

    Parameters
    ----------
    units : iterable of Unit
        The units to do.
    sizes : mapping
        The size of each data set that is not generated, by name.

    Examples
    --------
    >>> from wager.experiments import Plan
    >>> plan = Plan(datasets=["iris"], learners={"a": "vacuous", "b": "c45"}, scheme="5x2")
    >>> work = Workload(plan.units(), plan.check())
    >>> for unit in plan.units()[:2]:
    ...     work.add(unit, 1.0 if unit.label == "a" else 3.0)
    >>> round(work.done, 6), round(work.left, 6)
    (4.0, 36.0)
    """

    def __init__(self, units: Iterable[Unit] = (), sizes: Mapping[str, SourceSize] | None = None):
        self._sizes = sizes or {}
        self._paces: defaultdict[str, _Pace] = defaultdict(_Pace)  # by learner
        for unit in units:
            self._paces[unit.label].left[cells_of(unit, self._sizes)] += 1

    def add(self, unit: Unit, seconds: float | None) -> None:
        """Count a unit that was just done; None if it failed, since it then has no usual time."""
        self._paces[unit.label].add(cells_of(unit, self._sizes), seconds)

    @property
    def done(self) -> float:
        """The seconds that the units done so far took."""
        return sum(pace.seconds for pace in self._paces.values())

    @property
    def left(self) -> float:
        """The seconds that the other units will take; learners not seen yet get the average."""
        paces = self._paces.values()
        n_done = sum(pace.n_done for pace in paces)
        average = self.done / n_done if n_done else 0.0
        return sum(p.expected if p.n_done else average * p.left.total() for p in paces)


class _Pace:
    """The units of one learner by the size of their tables, and how their time grows with it."""

    def __init__(self) -> None:
        self.left: Counter[float] = Counter()  # units by the cells of their tables
        self.expected = 0.0  # seconds for them
        self.n_done, self.seconds = 0, 0.0
        self._done: dict[float, tuple[int, float]] = {}  # units and seconds by cells
        self._growth, self._rate = USUAL_GROWTH, 0.0
        self._fit_at = 1.0

    def add(self, cells: float, seconds: float | None) -> None:
        self.left[cells] -= 1
        if seconds is not None:
            n, total = self._done.get(cells, (0, 0.0))
            self._done[cells] = n + 1, total + seconds
            self.n_done, self.seconds = self.n_done + 1, self.seconds + seconds
        if self.n_done >= self._fit_at:
            self._fit()
            self._fit_at = self.n_done * REFIT
        else:
            self.expected -= self._rate * cells**self._growth
        if not self.left.total():
            self.expected = 0.0  # exactly

    def _fit(self) -> None:
        """Fit the growth to the mean times by size, and the rate to all times."""
        cells = np.array(list(self._done))
        n, seconds = np.array(list(self._done.values())).T
        x, y = np.log(cells), np.log(np.maximum(seconds / n, 1e-9))
        x -= x.mean()
        growth = (x @ y + TRUST * USUAL_GROWTH) / (x @ x + TRUST)
        self._growth = float(np.clip(growth, 0.0, 1.0))
        self._rate = float(self.seconds / (n @ cells**self._growth))
        left = np.array([(size, k) for size, k in self.left.items() if k], dtype=float)
        if len(left):
            sizes, numbers = left.T
            self.expected = self._rate * float(numbers @ sizes**self._growth)
