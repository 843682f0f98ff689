"""Run a plan: do the units that a store does not hold yet, and store each as it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from os import PathLike
from time import perf_counter
from typing import Any

from wager.experiments.plan._plan import Plan
from wager.experiments.plan._units import Keep, Unit, tasks_of
from wager.experiments.run._engines import ENGINES
from wager.experiments.store._database import open_to_write
from wager.experiments.store._store import Store

__all__ = ["Progress", "RunSummary", "run"]


@dataclass
class Progress:
    """How far a run has come."""

    total: int
    reused: int = 0
    done: int = 0
    failed: int = 0  # of those done now
    latest: Unit | None = None
    seconds: float = 0.0  # since the first unit was done: starting workers says nothing of the rest
    bulk_done: float = 0.0  # of the data behind the units done, the first left out
    bulk_left: float = 0.0

    @property
    def left(self) -> int:
        """Units still to do."""
        return self.total - self.reused - self.done

    @property
    def rate(self) -> float:
        """Units a second; 0 as long as it cannot be told."""
        return (self.done - 1) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float:
        """How long the rest will take if time grows with the bulk of the data.

        Plans often have their large data sets last; counting units alone would promise too much.
        """
        if self.bulk_done > 0 and self.seconds > 0:
            return self.seconds * self.bulk_left / self.bulk_done
        return self.left / self.rate if self.rate else float("nan")


@dataclass(frozen=True)
class RunSummary:
    """What a run did.

    Attributes
    ----------
    total, reused, done : int
        Units of the plan; those that the store held already; those done now.
    failures : list of (unit, reason)
        Units of the plan that have failed, now or before.
    seconds : float
    """

    total: int
    reused: int
    done: int
    failures: list[tuple[Unit, str]] = field(repr=False)
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether every unit of the plan went well."""
        return not self.failures

    def text(self) -> str:
        """The summary in words, with each reason for failure once."""
        lines = [
            f"{self.total} units: {self.done} done in {self.seconds:.1f} s, {self.reused} reused, "
            f"{len(self.failures)} failed"
        ]
        reasons = Counter((u.source.name, u.label, reason) for u, reason in self.failures)
        for (dataset, learner, reason), times in reasons.most_common(SHOWN):
            first_line = reason.splitlines()[0] if reason else ""
            lines.append(f"  {learner} on {dataset}, {times} units: {first_line}")
        if len(reasons) > SHOWN:
            lines.append(f"  and {len(reasons) - SHOWN} reasons more: see the store's failures")
        return "\n".join(lines)


SHOWN = 20  # reasons for failure in a summary


def run(
    plan: Plan | str | PathLike[str],
    store: Store | str | PathLike[str],
    *,
    n_jobs: int = 1,
    engine: str = "local",
    address: str | None = None,
    retry: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> RunSummary:
    """Do what a plan asks for and a store does not hold yet.

    It can be stopped at any time, by any means; run again, it goes on where it was.

    Parameters
    ----------
    plan : Plan or path
    store : Store or path
        The folder for results; made if need be.
    n_jobs : int, default=1
        How many units to do at a time.
    engine : {"local", "dask"}, default="local"
    address : str, optional
        Of a Dask scheduler; without it a cluster of ``n_jobs`` processes is started here.
    retry : bool, default=False
        Whether to try units again that failed before.
    progress : callable, optional
        Called with a `Progress` at the start and after each unit.

    Returns
    -------
    RunSummary
        The numbers do not depend on ``n_jobs``, the engine, or the order of the units.

    Raises
    ------
    OSError
        If the store cannot be written to, or another process is writing to it.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine must be 'local' or 'dask', got {engine!r}")
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be at least 1, got {n_jobs}")
    plan = plan if isinstance(plan, Plan) else Plan.load(plan)
    store = store if isinstance(store, Store) else Store(store)
    start = perf_counter()
    units = plan.units()
    keep = Keep(plan.probabilities, plan.predictions)
    report = progress or _silent
    with open_to_write(store.path) as writer:
        writer.begin(plan.model_dump_json(), units)
        known = writer.known(keep, retry)
        todo = {unit.key: unit for unit in units if unit.key not in known}
        state = Progress(len(units), len(units) - len(todo))
        state.bulk_left = sum(unit.source.bulk for unit in todo.values())
        report(state)
        tasks = tasks_of(plan, todo.values())
        first = 0.0
        with closing(ENGINES[engine](tasks, n_jobs, address)) as results:
            for outcome, versions in results:
                unit = todo[outcome.key]
                writer.add(unit, outcome, keep, versions)
                state.done += 1
                state.failed += outcome.error is not None
                state.latest = unit
                state.bulk_left -= unit.source.bulk
                if first:
                    state.bulk_done += unit.source.bulk
                first = first or perf_counter()
                state.seconds = perf_counter() - first
                report(state)
        reasons = writer.reasons()
    failures = [(unit, reasons[unit.key]) for unit in units if unit.key in reasons]
    return RunSummary(len(units), state.reused, state.done, failures, perf_counter() - start)


def _silent(_: Any) -> None:
    """Nobody is looking."""
