"""How long a plan will take, from a few of its units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from wager.experiments.plan._plan import Plan
from wager.experiments.plan._units import Limits, Task, Unit, tasks_of
from wager.experiments.run._outcome import Outcome
from wager.experiments.run._process import Worker

__all__ = ["Estimate", "probe"]

BUDGET = 10.0  # seconds


@dataclass(frozen=True)
class Estimate:
    """Seconds of one core that units will take, by data set.

    Attributes
    ----------
    seconds : dict of str to float
        For a task, all learners of a plan on one split, on the data sets that were tried.
    tasks : dict of str to int
        Tasks by data set, on all of them.
    cut_short : bool
        Whether some unit took longer than the probe could wait: the estimate is a lower bound.
    """

    seconds: dict[str, float]
    tasks: dict[str, int]
    cut_short: bool

    @property
    def total(self) -> float:
        """All tasks; a data set that was not tried is taken for an average one."""
        tried = self.seconds.values()
        usual = sum(tried) / len(tried) if tried else 0.0
        return sum(n * self.seconds.get(name, usual) for name, n in self.tasks.items())


def probe(plan: Plan, units: Sequence[Unit], budget: float = BUDGET) -> Estimate:
    """Do the first split of a few data sets, spread over the plan, and store nothing.

    Parameters
    ----------
    plan : Plan
    units : sequence of Unit
        Those that are to be done.
    budget : float, default=10
        Seconds after which no further data set is tried, and after which a unit is given up.
    """
    first: dict[str, Task] = {}
    tasks: dict[str, int] = {}
    for task in tasks_of(plan, units):
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
            outcomes = list(worker.do(task))
            if _seconds(outcomes) < budget / 4:  # once more, without loading and compiling
                outcomes = list(worker.do(task))
            seconds[name] = _seconds(outcomes)
            cut_short |= any("time limit" in (o.error or "") for o in outcomes)
    finally:
        worker.kill()
    return Estimate(seconds, tasks, cut_short)


def _seconds(outcomes: Sequence[Outcome]) -> float:
    """Time inside a task, without that of starting a worker."""
    prepared = max(outcome.prepare_seconds for outcome in outcomes)
    return prepared + sum(o.fit_seconds + o.predict_seconds for o in outcomes)


def _spread_out(names: list[str]) -> list[str]:
    """The first, the last, the middle, ...: any beginning of the list is spread over the whole."""
    order: list[int] = []
    step = len(names)
    while len(order) < len(names):
        order += [i for i in range(0, len(names), max(step, 1)) if i not in order]
        step //= 2
    return [names[i] for i in order]
