"""Run a plan: do the units that a store does not have yet, and store each result."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from os import PathLike
from time import perf_counter

from wager._visible import brief
from wager.experiments.plan import Plan, Unit, versions
from wager.experiments.run._engines import ENGINES
from wager.experiments.run._limits import can_limit_memory
from wager.experiments.run._progress import Progress, RunSummary
from wager.experiments.run._workload import Workload
from wager.experiments.store import Store, costs_to_text, open_to_write

__all__ = ["run"]


def run(
    plan: Plan | str | PathLike[str],
    store: Store | str | PathLike[str],
    *,
    n_jobs: int = 1,
    engine: str = "local",
    address: str | None = None,
    retry: bool = False,
    imports: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> RunSummary:
    """Do the units of a plan that a store does not have yet.

    A run can be stopped or killed at any time.  Run the plan again to continue.

    Parameters
    ----------
    plan : Plan or path
    store : Store or path
        The folder for results; it is created if necessary.
    n_jobs : int, default=1
        The number of units to do in parallel.
    engine : {"local", "dask"}, default="local"
    address : str, optional
        The address of a Dask scheduler.  Without it, ``engine="dask"`` starts a cluster of
        ``n_jobs`` processes on this machine.
    retry : bool, default=False
        Whether to try again units that failed in an earlier run.
    imports : bool, default=True
        Whether the plan may name classes by dotted paths, which are imported.  With False such a
        plan is refused before anything is imported.
    progress : callable, optional
        Called with a `Progress` at the start and after each unit.

    Returns
    -------
    RunSummary
        The results do not depend on ``n_jobs``, the engine, or the order of the units.

    Raises
    ------
    ValueError
        If the plan has faults: its data sets are loaded and checked before anything runs.
    OSError
        If the store cannot be written to, or another process is writing to it.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine must be 'local' or 'dask', got {brief(engine)}")
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be at least 1, got {n_jobs}")
    plan = plan if isinstance(plan, Plan) else Plan.load(plan, imports=imports)
    if not imports and plan.import_paths():
        raise ValueError(f"imports=False forbids to import {', '.join(plan.import_paths())}")
    store = store if isinstance(store, Store) else Store(store)
    if plan.memory_limit is not None and not can_limit_memory():
        warnings.warn(
            "memory_limit has no effect: this operating system cannot limit memory", stacklevel=2
        )
    start = perf_counter()
    units = plan.units()
    sizes = plan.check(_to_do(units, store, plan, retry))
    report = progress or _ignore
    with open_to_write(store.path) as writer:
        writer.begin(plan.model_dump_json(), units, _costs_of(plan))
        known = writer.known(units, plan.keep, retry, versions())
        todo = {unit.key: unit for unit in units if unit.key not in known.ok}
        state = Progress(
            len(units),
            reused=sum(known.ok.get(unit.key, False) for unit in units),
            failed_before=sum(not known.ok.get(unit.key, True) for unit in units),
            again=dict(known.again),
        )
        names = Counter(unit.key for unit in units)
        work = Workload(todo.values(), sizes)
        report(state)
        tasks = plan.tasks(todo.values())
        with closing(ENGINES[engine](tasks, n_jobs, address)) as results:
            for result, computed_by in results:
                unit = todo[result.key]
                failed = result.error is not None
                writer.add(unit, result, plan.keep, computed_by)
                work.add(unit, None if failed else result.fit_seconds + result.predict_seconds)
                state.add(unit, work, failed=failed, names=names[unit.key])
                report(state)
        reasons = writer.reasons()
    failures = [(unit, reasons[unit.key]) for unit in units if unit.key in reasons]
    seconds = perf_counter() - start
    before = state.failed_before
    return RunSummary(len(units), state.reused, state.done, failures, seconds, before, state.again)


def _to_do(units: list[Unit], store: Store, plan: Plan, retry: bool) -> list[Unit]:
    """The units that the store does not have yet; all of them if there is none that can be read."""
    known: dict[str, bool] = {}
    with suppress(ValueError):  # writing to it gives a better message
        known = store.known(plan, units, retry).ok
    return [unit for unit in units if unit.key not in known]


def _costs_of(plan: Plan) -> str | None:
    """The content of the plan's cost file, so that the store can be read without it."""
    path = plan.costs_path
    return None if path is None else costs_to_text(path, plan.empty_cost)


def _ignore(_: Progress) -> None:
    """The report of a run without ``progress``."""
