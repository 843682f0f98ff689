"""How much work units are, from the sizes of their tables and the times of those already done.

The number of cells of a table is known beforehand.  How the time of a learner grows with it is
learnt while the units are done: every unit takes some time, and every cell adds to it.  A fast
learner spends most of its time on the former, so that in proportion to the cells a small data set
that comes first would announce days instead of minutes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from wager.experiments.plan import SourceSize, Unit

__all__ = ["Workload", "cells_of"]

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
        """Count a unit of these that was just done.

        The time of one that failed is None: it says nothing about others.
        """
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
    """The units of one learner by the cells of their tables, and how their time grows with them."""

    def __init__(self) -> None:
        self.left: Counter[float] = Counter()  # units by cells
        self.expected = 0.0  # seconds for them
        self.n_done, self.seconds = 0, 0.0
        self._done: dict[float, tuple[int, float]] = {}  # units and seconds by cells
        self._fit_at = 1.0

    def add(self, cells: float, seconds: float | None) -> None:
        before = self.left.total()
        self.left[cells] -= 1
        if seconds is not None:
            n, total = self._done.get(cells, (0, 0.0))
            self._done[cells] = n + 1, total + seconds
            self.n_done, self.seconds = self.n_done + 1, self.seconds + seconds
        if self.n_done >= self._fit_at:
            self.expected = self._fitted()
            self._fit_at = self.n_done * REFIT
        else:
            self.expected *= (before - 1) / before if before > 1 else 0.0

    def _fitted(self) -> float:
        """The seconds for the units that are left."""
        from scipy.optimize import nnls

        cells = np.array(list(self._done))
        n, seconds = np.array(list(self._done.values())).T
        left = np.array([*self.left.items()], dtype=float)
        if len(cells) == 1:  # says nothing about growth: half way between none and proportional
            times, done = np.sqrt(left[:, 0]), np.sqrt(cells)
        else:  # seconds per unit and per cell, by least squares of relative errors
            mean = np.maximum(seconds / n, 1e-9)
            (unit, cell), _ = nnls(np.stack([1 / mean, cells / mean], axis=1), np.ones(len(cells)))
            times, done = unit + cell * left[:, 0], unit + cell * cells
        return float(self.seconds * (left[:, 1] @ times) / (n @ done))
