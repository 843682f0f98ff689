"""An estimate of the time that a plan will take, from a few of its units.

Before anything is timed, every learner is fitted once on a few rows.  This imports libraries and
compiles loops if the plan is large enough for that, which takes long on a fresh installation and
happens only once.  What a worker needs to load all this again later is measured and counted once
per run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from wager._tables import Table, View, Viewed
from wager.experiments.plan import Limits, Plan, SourceSize, Task, Unit
from wager.experiments.run._process import Worker
from wager.experiments.run._unit_data import TRIAL
from wager.experiments.run._workload import cells_of
from wager.experiments.store import Writer, open_to_write

__all__ = ["TimeEstimate", "probe"]

BUDGET = 10.0  # seconds
COMPILING = 2.0  # seconds from which on a first fit on a few rows must have compiled something
COMPILE_LIMIT = 300.0  # seconds that a first fit on a few rows may take
TRIAL_ROWS = 40
COMPILED_CELLS = 1e6  # from so many cells of all tasks on, loops will be compiled during the run


@dataclass(frozen=True, repr=False)
class TimeEstimate(Viewed):
    """The time that units will take, by data set.

    Attributes
    ----------
    seconds : dict of str to float
        Seconds for one task (all learners on one split) on each data set that was tried.  Training
        sets of several sizes count as several data sets.
    tasks : dict of str to int
        The number of tasks on each data set.
    cut_short : bool
        Whether a unit took longer than the probe could wait: the estimate is then a lower bound.
    units : dict of str to int
        The number of units on each data set.
    cells : dict of str to float
        The number of cells of each data set.
    startup : float
        Seconds to check the plan, to start a worker, and to load the data there.
    failures : list of (unit, reason)
        Units that were tried and failed.
    """

    seconds: dict[str, float]
    tasks: dict[str, int]
    cut_short: bool
    units: dict[str, int] = field(default_factory=dict)
    cells: dict[str, float] = field(default_factory=dict)
    startup: float = 0.0
    failures: list[tuple[Unit, str]] = field(default_factory=list)

    def _view(self) -> View:
        rows = [[name, n, self._expected(name)] for name, n in self.tasks.items()]
        about = "at least" if self.cut_short else "about"
        words = f"{about} {self.wall():.0f} s on one core, {self.startup:.1f} s of it to start"
        table = Table(["data set", "tasks", "seconds per task"], rows, digits=2)
        failed = [f"{len(self.failures)} of the tried units failed"] if self.failures else []
        return View(tables=[table], notes=failed, verdict=[words])

    @property
    def total(self) -> float:
        """Seconds for all tasks on one core, without the start."""
        return sum(n * self._expected(name) for name, n in self.tasks.items())

    def wall(self, n_jobs: int = 1) -> float:
        """Seconds from the start to the end of a run with ``n_jobs`` workers."""
        return self.startup + self.total / min(n_jobs, max(sum(self.tasks.values()), 1))

    def _expected(self, name: str) -> float:
        """The seconds of a data set, from those of the tried ones that are most like it in size."""
        seconds = self.seconds
        if name in seconds or not seconds:
            return seconds.get(name, 0.0)
        if name not in self.cells:
            return sum(seconds.values()) / len(seconds)
        cells = self.cells[name]
        tried = sorted((self.cells[other], time) for other, time in seconds.items())
        (least, least_time), (most, most_time) = tried[0], tried[-1]
        if cells < least:
            return least_time * cells / least
        if cells > most:
            return most_time * cells / most
        return float(np.interp(cells, *np.transpose(tried)))


@dataclass(frozen=True)
class _Group:
    """The tasks on one data set with training sets of one size."""

    first: Task
    cells: float
    n_tasks: int = 0
    n_units: int = 0


def probe(plan: Plan, units: Sequence[Unit], budget: float = BUDGET) -> TimeEstimate:
    """Check the plan and do the first split of a few data sets, without storing anything.

    Parameters
    ----------
    plan : Plan
    units : sequence of Unit
        The units that are to be done.
    budget : float, default=10
        Seconds after which no further data set is tried, and after which a unit is given up.

    Raises
    ------
    ValueError
        If the plan has faults.
    """
    start = perf_counter()
    sizes = plan.check(units)
    checked = perf_counter() - start
    groups = _groups(plan, units, sizes)
    by_size = sorted(groups, key=lambda name: groups[name].cells)
    found = TimeEstimate(
        seconds={},
        tasks={name: group.n_tasks for name, group in groups.items()},
        cut_short=False,
        units={name: group.n_units for name, group in groups.items()},
        cells={name: group.cells for name, group in groups.items()},
    )
    large = sum(group.n_tasks * group.cells for group in groups.values()) > COMPILED_CELLS
    trials = _trials(groups, by_size, sizes)
    with _warm_worker(trials, large) as (worker, startup), _scratch() as writer:
        found = replace(found, startup=2 * checked + startup)  # workers load the data again
        limits = Limits(min(budget, plan.time_limit or budget), plan.memory_limit)
        start = perf_counter()
        for name in _spread_out(by_size):
            if perf_counter() - start > budget:
                break
            task = replace(groups[name].first, limits=limits)
            found = _with(found, name, _Trial.of(worker, writer, task, budget))
    return found


def _groups(
    plan: Plan, units: Sequence[Unit], sizes: Mapping[str, SourceSize]
) -> dict[str, _Group]:
    found: dict[str, _Group] = {}
    for task in plan.tasks(units):
        unit = task.units[0]
        size = unit.split.size
        name = unit.source.name if size is None else f"{unit.source.name}, {size} rows"
        seen = found.get(name, _Group(task, _cells(unit, sizes)))
        n_units = seen.n_units + len(task.units)
        found[name] = replace(seen, n_tasks=seen.n_tasks + 1, n_units=n_units)
    return found


def _cells(unit: Unit, sizes: Mapping[str, SourceSize]) -> float:
    """The cells of a unit; those for training count twice if there are several training sizes."""
    of_source = sizes.get(unit.source.name)
    columns = 1 if of_source is None else of_source.n_columns
    return cells_of(unit, sizes) + (unit.split.size or 0) * columns


def _trials(
    groups: Mapping[str, _Group], by_size: Sequence[str], sizes: Mapping[str, SourceSize]
) -> list[Task]:
    """All learners on a few rows of the smallest data sets with and without numeric columns."""
    chosen: dict[bool, Task] = {}
    for name in by_size:
        task = groups[name].first
        size = sizes.get(task.units[0].source.name)
        chosen.setdefault(size is not None and size.has_numbers, _trial_of(task, size))
    return list(chosen.values())


def _trial_of(task: Task, size: SourceSize | None) -> Task:
    limits = Limits(COMPILE_LIMIT)
    if size is None:  # generated rows
        units = [
            replace(
                unit,
                scheme={**unit.scheme, "test_rows": TRIAL_ROWS},
                split=unit.split._replace(size=min(unit.split.size or 1, TRIAL_ROWS)),
            )
            for unit in task.units
        ]
    else:
        rows = max(min(TRIAL_ROWS, size.n_rows // 2), 1)
        split = task.units[0].split._replace(size=rows)
        units = [replace(unit, scheme={"kind": TRIAL}, split=split) for unit in task.units]
    return replace(task, units=tuple(units), limits=limits)


@contextmanager
def _warm_worker(trials: Sequence[Task], large: bool) -> Iterator[tuple[Worker, float]]:
    """A worker that has fitted every learner, and how long a worker will need for that later."""
    compile_at_once = large and "WAGER_COMPILE" not in os.environ
    worker = Worker({"WAGER_COMPILE": "always"} if compile_at_once else None)
    try:
        seconds = _warm_up(worker, trials)
        if seconds > COMPILING:  # once more, in a process that finds everything compiled
            worker.kill()
            seconds = _warm_up(worker, trials)
        yield worker, seconds
    finally:
        worker.kill()


def _warm_up(worker: Worker, trials: Sequence[Task]) -> float:
    start = perf_counter()
    worker.start()
    for task in trials:
        list(worker.do(task))
    return perf_counter() - start


@contextmanager
def _scratch() -> Iterator[Writer]:
    """A store for results that nobody needs, since storing them takes time as well."""
    with TemporaryDirectory() as folder, open_to_write(Path(folder)) as writer:
        yield writer


@dataclass(frozen=True)
class _Trial:
    """What doing one task has shown."""

    seconds: float
    cut_short: bool
    failures: list[tuple[Unit, str]]

    @classmethod
    def of(cls, worker: Worker, writer: Writer, task: Task, budget: float) -> _Trial:
        """Do a task, and do it again if there is time, without loading its data."""
        first, failures = _timed(worker, writer, task, budget)
        again = first
        if first < budget / 4:
            again, failures = _timed(worker, writer, task, budget)
        late = [unit for unit, reason in failures if "time limit" in reason]
        wrong = [(unit, reason) for unit, reason in failures if unit not in late]
        return cls(min(first, again), bool(late), wrong)


def _timed(
    worker: Worker, writer: Writer, task: Task, budget: float
) -> tuple[float, list[tuple[Unit, str]]]:
    """The seconds that a task takes, and its failures; tasks far over the budget are cut short."""
    start = perf_counter()
    failures = []
    units = {unit.key: unit for unit in task.units}
    for result in worker.do(task):
        unit = units[result.key]
        writer.add(unit, result, task.keep, worker.versions)
        if result.error is not None:
            failures.append((unit, result.error))
        if perf_counter() - start > 2 * budget:
            worker.kill()
            failures.append((unit, "time limit"))
            break
    return perf_counter() - start, failures


def _with(found: TimeEstimate, name: str, trial: _Trial) -> TimeEstimate:
    return replace(
        found,
        seconds={**found.seconds, name: trial.seconds},
        cut_short=found.cut_short or trial.cut_short,
        failures=[*found.failures, *trial.failures],
    )


def _spread_out(names: list[str]) -> list[str]:
    """The names in an order in which the first few are spread over the whole list."""
    order: list[int] = []
    step = len(names)
    while len(order) < len(names):
        order += [i for i in range(0, len(names), max(step, 1)) if i not in order]
        step //= 2
    return [names[i] for i in order]
