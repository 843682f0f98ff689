"""Where prediction files are counted: on this machine, or by the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from wager.cli._help import WORKERS
from wager.cli._options import cores, option

if TYPE_CHECKING:
    from wager._dask import DaskEngine

Workers = Annotated[
    int | None,
    option(
        "--jobs -j",
        "NUMBER",
        "With --engine dask and no address: the number of worker processes.",
        "all cores",
        min=1,
        section=WORKERS,
    ),
]


@contextmanager
def chosen_engine(
    engine: str, address: str | None, jobs: int | None
) -> Iterator[DaskEngine | None]:
    """The Dask cluster that the options name; None for this machine."""
    refuse_workers(engine, address, jobs)
    if engine != "dask":
        yield None
        return
    if address is not None and jobs is not None:
        raise ValueError(
            "--jobs is for a cluster that is started here: leave it out with --dask-address"
        )
    from wager._dask import dask_engine

    with dask_engine(jobs or cores(), address) as started:
        yield started


def refuse_workers(engine: str, address: str | None, jobs: int | None = None) -> None:
    """Raise a ValueError if an option about workers is given without Dask."""
    for name, value in (("--dask-address", address), ("--jobs", jobs)):
        if value is not None and engine != "dask":
            raise ValueError(f"{name} needs --engine dask: add it, or leave out {name}")


def refuse_engine(engine: str, address: str | None, jobs: int | None) -> None:
    """Raise a ValueError if Dask shall compare the learners of a run."""
    refuse_workers(engine, address, jobs)
    if engine == "dask":
        raise ValueError(
            "--engine dask is for prediction files: leave it out for the results of a run"
        )
