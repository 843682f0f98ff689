"""Engines: tasks are done on this machine or on a Dask cluster.

An engine takes tasks and yields results as they arrive, in any order.  Each result comes with the
versions of the software that computed it.
"""

from __future__ import annotations

from asyncio import CancelledError as AsyncCancelledError
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread, get_ident
from typing import Any

from wager._dask import dask_client
from wager.experiments.plan import Task, versions
from wager.experiments.run._process import Worker
from wager.experiments.store import UnitResult

__all__ = ["ENGINES", "dask_engine", "local_engine"]

ResultAndVersions = tuple[UnitResult, str]
Results = Generator[ResultAndVersions, None, None]
IN_FLIGHT = 4  # tasks per worker that the Dask scheduler has at a time, to keep workers busy


def local_engine(tasks: Sequence[Task], n_jobs: int, address: str | None = None) -> Results:
    """Do tasks on this machine, in ``n_jobs`` worker processes."""
    if address is not None:
        raise ValueError("address is only for engine='dask': leave it out for engine='local'")
    waiting: SimpleQueue[Task | None] = SimpleQueue()
    results: SimpleQueue[ResultAndVersions | BaseException | None] = SimpleQueue()
    for task in tasks:
        waiting.put(task)
    workers = [Worker() for _ in range(min(n_jobs, len(tasks)))]
    threads = [Thread(target=_drive, args=(w, waiting, results), daemon=True) for w in workers]
    for thread in threads:
        waiting.put(None)
        thread.start()
    busy = len(workers)
    try:
        while busy:
            result = _next(results)
            if result is None:
                busy -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join()


def _next(results: SimpleQueue[Any]) -> Any:
    """The next result; on Windows, Ctrl-C is only noticed between waits with a time limit."""
    while True:
        try:
            return results.get(timeout=1.0)
        except Empty:
            continue


def _drive(worker: Worker, waiting: SimpleQueue[Any], results: SimpleQueue[Any]) -> None:
    """Give a worker one task after another; None in ``results`` says that it has finished."""
    try:
        while not worker.stopped and (task := waiting.get()) is not None:
            for result in worker.do(task):
                results.put((result, worker.versions))
        results.put(None)
    except BaseException as problem:
        results.put(problem)
    finally:
        worker.kill()


def dask_engine(tasks: Sequence[Task], n_jobs: int, address: str | None = None) -> Results:
    """Do tasks on a Dask cluster; without an address, start one of ``n_jobs`` processes here.

    A task whose machine fails is done again on another machine.  All machines must find data files
    under the same path.
    """
    if not tasks:
        return
    with dask_client(n_jobs, address) as client:
        from distributed.comm import CommClosedError

        try:
            yield from _submit_all(client, tasks, n_jobs)
        # nobody else cancels tasks; the other error is raised if a result is on its way
        except (CancelledError, AsyncCancelledError, CommClosedError):
            raise ConnectionError(
                "the connection to the Dask scheduler was lost: finished units are stored; start "
                "the scheduler and its workers, and run again to continue"
            ) from None
        finally:
            with suppress(Exception):  # workers also end by themselves when their machine is lost
                if client.status == "running":
                    client.run(_stop_workers, on_error="ignore")


def _submit_all(client: Any, tasks: Sequence[Task], n_jobs: int) -> Results:
    """Submit tasks to the scheduler, a few at a time, and yield results as they arrive."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    waiting = iter(tasks)
    running: dict[str, Task] = {}

    def submit(number: int) -> list[Any]:
        futures = []
        for task in islice(waiting, number):
            futures.append(client.submit(_do_in_dask, task, pure=False))
            running[futures[-1].key] = task
        return futures

    at_a_time = IN_FLIGHT * max(n_jobs, sum(client.nthreads().values()))
    finished = as_completed(submit(at_a_time), loop=client.loop)
    for future in finished:
        finished.update(submit(1))
        task = running.pop(future.key)
        try:
            yield from future.result()
        except KilledWorker as problem:
            for unit in task.units:
                reason = "the machines that tried it were lost"
                yield UnitResult(unit.key, error=reason, trace=str(problem)), versions()
        future.release()


_WORKERS: dict[int, Worker] = {}  # of this Dask worker, one per thread


def _do_in_dask(task: Task) -> list[ResultAndVersions]:
    """Do a task on a Dask worker, in a separate process with the same limits as elsewhere."""
    worker = _WORKERS.setdefault(get_ident(), Worker())
    return [(result, worker.versions) for result in worker.do(task)]


def _stop_workers() -> None:
    """Stop the worker processes of a Dask worker, which may be used for other things later."""
    while _WORKERS:
        _, worker = _WORKERS.popitem()
        worker.stop()
        worker.kill()  # closes its pipes


ENGINES: dict[str, Callable[[Sequence[Task], int, str | None], Results]] = {
    "local": local_engine,
    "dask": dask_engine,
}
