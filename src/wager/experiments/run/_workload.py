"""How much work units are: the cells of their tables, times the seconds per cell of their learner.

The number of cells is known beforehand.  How long a learner takes for a cell is learnt while the
units are done, so the estimate of what is left does not depend on the order of the learners.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from wager.experiments.plan import SourceSize, Unit

__all__ = ["Workload", "cells_of"]


def cells_of(unit: Unit, sizes: Mapping[str, SourceSize]) -> float:
    """The number of cells in the table that a unit is trained and tested on."""
    size = sizes.get(unit.source.name)
    if size is not None:
        return float(size.n_rows * max(size.n_columns, 1))
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
        self._cells_left: defaultdict[str, float] = defaultdict(float)  # by learner
        self._cells_done: defaultdict[str, float] = defaultdict(float)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        for unit in units:
            self._cells_left[unit.label] += cells_of(unit, self._sizes)

    def add(self, unit: Unit, seconds: float | None) -> None:
        """Count a unit that was just done; None if it failed, since it then has no usual time."""
        cells = cells_of(unit, self._sizes)
        self._cells_left[unit.label] -= cells
        if seconds is not None:
            self._cells_done[unit.label] += cells
            self._seconds[unit.label] += seconds

    @property
    def done(self) -> float:
        """The seconds that the units done so far took."""
        return sum(self._seconds.values())

    @property
    def left(self) -> float:
        """The seconds that the other units will take; learners not seen yet get the average."""
        cells = sum(self._cells_done.values())
        average = self.done / cells if cells else 0.0
        rates = {name: self._seconds[name] / n for name, n in self._cells_done.items() if n}
        return sum(n * rates.get(name, average) for name, n in self._cells_left.items())
