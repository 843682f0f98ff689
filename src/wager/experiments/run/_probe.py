"""An estimate of the time that a plan will take, from a few of its units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from wager.experiments.plan import Limits, Plan, Task, Unit
from wager.experiments.run._process import Worker
from wager.experiments.store import UnitResult

__all__ = ["TimeEstimate", "probe"]

BUDGET = 10.0  # seconds


@dataclass(frozen=True)
class TimeEstimate:
    """The time that units will take on one core, by data set.

    Attributes
    ----------
    seconds : dict of str to float
        Seconds for one task (all learners on one split) on each data set that was tried.
    tasks : dict of str to int
        The number of tasks on each data set.
    cut_short : bool
        Whether a unit took longer than the probe could wait: the estimate is then a lower bound.
    """

    seconds: dict[str, float]
    tasks: dict[str, int]
    cut_short: bool

    @property
    def total(self) -> float:
        """Seconds for all tasks; data sets that were not tried get the average time."""
        tried = self.seconds.values()
        average = sum(tried) / len(tried) if tried else 0.0
        return sum(n * self.seconds.get(name, average) for name, n in self.tasks.items())


def probe(plan: Plan, units: Sequence[Unit], budget: float = BUDGET) -> TimeEstimate:
    """Do the first split of a few data sets, spread over the plan, without storing anything.

    Parameters
    ----------
    plan : Plan
    units : sequence of Unit
        The units that are to be done.
    budget : float, default=10
        Seconds after which no further data set is tried, and after which a unit is given up.
    """
    first: dict[str, Task] = {}
    tasks: dict[str, int] = {}
    for task in plan.tasks(units):
        name = task.units[0].source.name
        first.setdefault(name, task)
        tasks[name] = tasks.get(name, 0) + 1
    seconds: dict[str, float] = {}
    cut_short = False
    worker = Worker()
    try:
        worker.start()
        start = perf_counter()
        for name in _spread_out(list(first)):
            if perf_counter() - start > budget:
                break
            allowed = min(budget, plan.time_limit or budget)
            task = replace(first[name], limits=Limits(allowed, plan.memory_limit))
            results = list(worker.do(task))
            if _seconds(results) < budget / 4:  # again, without the time of loading and compiling
                results = list(worker.do(task))
            seconds[name] = _seconds(results)
            cut_short |= any("time limit" in (result.error or "") for result in results)
    finally:
        worker.kill()
    return TimeEstimate(seconds, tasks, cut_short)


def _seconds(results: Sequence[UnitResult]) -> float:
    """The time of a task, without the start of the worker."""
    prepared = max(result.prepare_seconds for result in results)
    return prepared + sum(result.fit_seconds + result.predict_seconds for result in results)


def _spread_out(names: list[str]) -> list[str]:
    """The names in an order in which the first few are spread over the whole list."""
    order: list[int] = []
    step = len(names)
    while len(order) < len(names):
        order += [i for i in range(0, len(names), max(step, 1)) if i not in order]
        step //= 2
    return [names[i] for i in order]
