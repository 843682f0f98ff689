"""Engines: where tasks are done, on this machine or on a Dask cluster.

An engine takes tasks and gives outcomes as they come, in whatever order; each comes with the
versions that it was computed with.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from queue import SimpleQueue
from threading import Thread, get_ident
from typing import Any

from wager.experiments.plan._units import Task
from wager.experiments.run._outcome import Outcome
from wager.experiments.run._process import Worker

__all__ = ["ENGINES", "dask_engine", "local_engine"]

Result = tuple[Outcome, str]
Results = Generator[Result, None, None]
IN_FLIGHT = 4  # tasks a worker that Dask knows of at a time: enough to keep it busy


def local_engine(tasks: Sequence[Task], n_jobs: int, address: str | None = None) -> Results:
    """Do tasks on this machine, ``n_jobs`` at a time, each in a process of its own."""
    if address is not None:
        raise ValueError("an address is for engine='dask': the local engine has none")
    waiting: SimpleQueue[Task | None] = SimpleQueue()
    results: SimpleQueue[Result | BaseException | None] = SimpleQueue()
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
            result = results.get()
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


def _drive(worker: Worker, waiting: SimpleQueue[Any], results: SimpleQueue[Any]) -> None:
    """Hand a worker one task after the other."""
    try:
        while not worker.stopped and (task := waiting.get()) is not None:
            for outcome in worker.do(task):
                results.put((outcome, worker.versions))
        results.put(None)
    except BaseException as problem:
        results.put(problem)
    finally:
        worker.kill()


def dask_engine(tasks: Sequence[Task], n_jobs: int, address: str | None = None) -> Results:
    """Do tasks on a Dask cluster; without an address on one of ``n_jobs`` processes made here.

    A task whose machine fails is done again elsewhere.  Data files must lie where every machine
    finds them under the same path.
    """
    if not tasks:
        return
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ValueError("engine='dask' needs Dask: install wager[dask]") from None
    with _client(n_jobs, address) as client:
        try:
            yield from _through(client, tasks, n_jobs)
        finally:
            client.run(_dismiss, on_error="ignore")


def _through(client: Any, tasks: Sequence[Task], n_jobs: int) -> Results:
    """Hand tasks to the scheduler, a few at a time, and give outcomes as they come."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    waiting = iter(tasks)
    running: dict[str, Task] = {}

    def submit(number: int) -> list[Any]:
        futures = []
        for task in islice(waiting, number):
            futures.append(client.submit(_in_dask, task, pure=False))
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
                yield Outcome(unit.key, error=reason, trace=str(problem)), "{}"
        future.release()


@contextmanager
def _client(n_jobs: int, address: str | None) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    if address is not None:
        try:
            client = Client(address, timeout="20s", set_as_default=False)
        except (OSError, ValueError) as problem:
            raise ValueError(f"cannot reach a Dask scheduler at {address}: {problem}") from None
        with client:
            yield client
        return
    with (
        LocalCluster(
            n_workers=n_jobs, threads_per_worker=1, dashboard_address=":0", silence_logs="ERROR"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


_WORKERS: dict[int, Worker] = {}  # of this Dask worker, one a thread


def _in_dask(task: Task) -> list[Result]:
    """Do a task on a Dask worker: in a process beside it, with the same limits as anywhere."""
    worker = _WORKERS.setdefault(get_ident(), Worker())
    return [(outcome, worker.versions) for outcome in worker.do(task)]


def _dismiss() -> None:
    """End the processes beside a Dask worker, which may have other things to do afterwards."""
    while _WORKERS:
        _WORKERS.popitem()[1].stop()


ENGINES: dict[str, Callable[[Sequence[Task], int, str | None], Results]] = {
    "local": local_engine,
    "dask": dask_engine,
}
