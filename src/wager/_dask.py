"""A Dask cluster: reach it or start one, count parts of data on it, and add up the counts.

Tallies of parts add up to the tally of the whole.  So a large file is divided into parts, each part
is counted by a worker with the function that counts a whole file on one machine, and what the
workers return is added up on the workers, as a tree.  The tree depends on the number of parts only:
neither the number of workers nor the order in which they finish can change a bit of the result, and
a part whose worker is lost is counted again by another one.

Only names of functions of this package, and values that it defines, are sent to workers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import reduce
from operator import add
from time import monotonic
from typing import Any, TypeVar

__all__ = ["FAN_IN", "DaskEngine", "add_all", "dask_client", "dask_engine", "engine_of"]

FAN_IN = 8  # tallies that one step of the tree adds up
_SECONDS = 2.0  # for the greetings of a scheduler, from the first attempt to the last
_BUSY_SECONDS = 30.0  # for the connection to a scheduler that has greeted: it may be busy
# Dask starts a web server in every process, and records a hundred times a second what the process
# does: here nothing shows it
_NO_PAGES: dict[str, Any] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
}

Part = TypeVar("Part")
Total = TypeVar("Total")


@dataclass(frozen=True)
class DaskEngine:
    """Counts parts of data on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        The connection to its scheduler.
    """

    client: Any

    def total(
        self,
        count: Callable[[Part], Total],
        parts: Sequence[Part],
        progress: Callable[[float], None] | None = None,
    ) -> Total:
        """What `count` returns for each of the parts, added up.

        Parameters
        ----------
        count : callable
            A function of a module that the workers can import; its results can be added.
        parts : sequence
            The parts, in order; the first one that is wrong raises its error.
        progress : callable, optional
            Called with the share of the parts that is counted.
        """
        futures = self.client.map(count, parts, pure=False, key="wager-count")
        total = self._tree(futures)
        try:
            for place, future in enumerate(futures):
                _finish(future)
                if future is not total:
                    future.release()  # its sum keeps it as long as needed
                if progress is not None:
                    progress((place + 1) / len(parts))
            _finish(total)
            found: Total = total.result()
        finally:  # what nobody wants is not computed
            for future in (*futures, total):
                future.release()
        return found

    def _tree(self, level: Sequence[Any]) -> Any:
        """The future of the sum, added up in steps of a few neighbours each."""
        while len(level) > 1:
            steps = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
            level = [
                self.client.submit(add_all, step, pure=False) if len(step) > 1 else step[0]
                for step in steps
            ]
        return level[0]


def engine_of(client: Any) -> DaskEngine | None:
    """The engine of a Dask client that a user has; None without one."""
    if client is None or isinstance(client, DaskEngine):
        return client
    if not hasattr(client, "scheduler_info"):
        raise ValueError(f"client must be a dask.distributed.Client, got {type(client).__name__}")
    return DaskEngine(client)


def add_all(parts: Sequence[Any]) -> Any:
    """The sum of some tallies, from the first to the last."""
    return reduce(add, parts)


def _finish(future: Any) -> None:
    """Wait until a part is counted; its error, if any, is raised in plain words."""
    from distributed.scheduler import KilledWorker

    problem = future.exception()
    if isinstance(problem, KilledWorker):
        raise ValueError(
            "several Dask workers were lost while they counted the same part: give workers more "
            "memory, or look at their logs"
        )
    if isinstance(problem, ModuleNotFoundError):
        raise ValueError(
            f"a Dask worker cannot import {problem.name}: install wager of the same version on "
            "every worker"
        )
    if problem is not None:
        raise problem


@contextmanager
def dask_engine(n_jobs: int, address: str | None = None) -> Iterator[DaskEngine]:
    """An engine on a Dask cluster; see `dask_client`."""
    with dask_client(n_jobs, address) as client:
        yield DaskEngine(client)


@contextmanager
def dask_client(n_jobs: int, address: str | None = None) -> Iterator[Any]:
    """A client of the scheduler at an address; without one, of a cluster that is started here.

    Parameters
    ----------
    n_jobs : int
        The number of workers of a cluster that is started here: processes with one thread each,
        which only this machine can reach.  They end with the context.
    address : str, optional
        Such as ``tcp://host:8786``.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("engine='dask' needs Dask: install wager[dask]") from None
    if address is not None:
        with _without_logs(), _reach(address) as client:
            yield client
        return
    with _local_cluster(n_jobs) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@contextmanager
def _without_logs() -> Iterator[None]:
    """A context in which a lost connection prints no traceback: it is an error that is raised."""
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _local_cluster(n_workers: int) -> Any:
    """A cluster of processes with one thread each, which only this machine can reach."""
    from distributed import LocalCluster

    import dask

    with dask.config.set(_NO_PAGES):
        return LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            worker_dashboard_address=None,
            # a fixed port would be taken by the next cluster on this machine
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            config=deepcopy(dask.config.config),  # also for workers that replace lost ones
            silence_logs="CRITICAL",
        )


def _reach(address: str) -> Any:
    """A client of the scheduler at an address that has workers; anything else is a ValueError."""
    from distributed import Client

    end = monotonic() + _SECONDS
    try:
        # notebooks run a loop of events in this thread, where another one cannot start
        with ThreadPoolExecutor(1) as thread:
            thread.submit(_greet_once, address, end).result()
        client = Client(address, timeout=_BUSY_SECONDS, set_as_default=False)
    except Exception as problem:  # whatever another kind of server makes of the greeting
        raise ValueError(
            f"cannot reach a Dask scheduler at {address or repr(address)}{_reason(problem)}: give "
            "the address that the scheduler shows, such as tcp://host:8786"
        ) from None
    if not client.scheduler_info()["workers"]:
        client.close()
        raise ValueError(f"the Dask scheduler at {address} has no workers: start some first")
    return client


def _reason(problem: Exception) -> str:
    """What is known about a failed attempt, in brackets."""
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError) or "refused" in str(cause):
            return " (nothing listens there)"
        cause = cause.__cause__
    known = isinstance(problem, ValueError) and str(problem)
    return f" ({str(problem).splitlines()[0]})" if known else ""


def _greet_once(address: str, end: float) -> None:
    import asyncio

    asyncio.run(_greet(address, end))


async def _greet(address: str, end: float) -> None:
    """Exchange greetings with a scheduler; `Client` would wait for a silent server for ever."""
    import asyncio

    from distributed.comm import connect

    async with asyncio.timeout(end - monotonic()):
        comm = await connect(address, timeout=0.9 * _SECONDS)  # so that it says what is wrong
        await comm.close()
