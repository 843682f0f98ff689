"""What commands share in reading options and showing progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Any

LONG_FILE = 20_000_000  # bytes from which a progress bar is worth its line


class Rule(StrEnum):
    """How sets follow from intervals of probabilities: the rules of `wager.credal.decide`."""

    maximality = "maximality"
    e_admissibility = "e-admissibility"
    interval_dominance = "interval-dominance"
    gamma_maximin = "gamma-maximin"
    gamma_maximax = "gamma-maximax"


def labels(text: str | None) -> list[str] | None:
    """Labels between commas; one that has a comma itself stands in quotes.

    Examples
    --------
    >>> labels('a, "b,c"'), labels(None)
    (['a', 'b,c'], None)
    """
    if text is None:
        return None
    import csv

    return [label.strip() for label in next(csv.reader([text], skipinitialspace=True), [])]


def progress_bar(path: Path) -> AbstractContextManager[Callable[[float], None] | None]:
    """A progress bar on standard error for a long file on a terminal; nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal and path.is_file() and path.stat().st_size >= LONG_FILE):
        return nullcontext(None)

    @contextmanager
    def bar() -> Any:
        from rich.progress import Progress

        with Progress(console=console, transient=True) as progress:
            task = progress.add_task(path.name, total=1.0)
            yield lambda share: progress.update(task, completed=share)

    return bar()
