"""Running work in several threads: compiled loops release Python's global lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_threads", "number_of_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def number_of_threads(n_jobs: int | None) -> int:
    """The number of threads for scikit-learn's ``n_jobs``.

    Examples
    --------
    >>> number_of_threads(None), number_of_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: use 1, or -1 for all processors")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> Iterator[Result]:
    """The results of a function, in the order of the items.

    Examples
    --------
    >>> list(in_threads(abs, [-1, 2], n_jobs=2))
    [1, 2]
    """
    threads = number_of_threads(n_jobs)
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(function, items)
