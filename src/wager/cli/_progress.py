"""Progress on standard error: a bar for a long file, the current step, the state of a run.

A terminal gets bars that move.  Elsewhere a run prints a line every few seconds, and everything
else is silent, as is every command with ``--quiet``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wager._visible import visible
from wager.cli._say import say

if TYPE_CHECKING:
    from wager.experiments import Progress

SECONDS_BEFORE_BAR = 1.0  # files that are read sooner get no progress bar
SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def file_progress(*paths: Path, quiet: bool = False) -> Iterator[Callable[[float], None] | None]:
    """A function that takes the share of the files that is read; None if no bar is shown."""
    console = _terminal(quiet)
    if console is None:
        yield None
        return
    with late_bar(console, ", ".join(path.name for path in paths)) as report:
        yield report


@contextmanager
def late_bar(
    console: Any, name: str, seconds: float = SECONDS_BEFORE_BAR
) -> Iterator[Callable[[float], None]]:
    """A bar that appears if the work takes longer than some seconds.

    It moves to and fro until the share that is done is known.
    """
    from threading import Timer

    from rich.progress import Progress

    bar = Progress(console=console, transient=True)
    task = bar.add_task(_plain(name), total=None)
    timer = Timer(seconds, bar.start)
    timer.daemon = True  # an interrupted command does not wait for it
    timer.start()
    try:
        yield lambda share: bar.update(task, total=1.0, completed=share)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def step_progress(quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A function that takes the name of the current step."""
    console = _terminal(quiet)
    if console is None:
        yield lambda step: None
        return
    with step_progress_on(console) as report:
        yield report


@contextmanager
def step_progress_on(console: Any) -> Iterator[Callable[[str], None]]:
    """The same on a terminal."""
    with console.status("") as status:
        yield lambda step: status.update(_plain(step))


@contextmanager
def run_progress(quiet: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """A function that takes the state of a run: how many units are done, and how fast."""
    if quiet:
        yield None
        return
    console = _terminal()
    if console is None:
        yield run_lines()
        return
    with run_bar(console) as report:
        yield report


def duration(seconds: float) -> str:
    """A time in the unit that suits it.

    Examples
    --------
    >>> duration(12.34), duration(1800), duration(9000)
    ('12.3 seconds', '30 minutes', '2.5 hours')
    """
    if seconds < 100:
        return f"{seconds:.1f} seconds"
    if seconds < 6000:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


@contextmanager
def run_bar(console: Any) -> Iterator[Callable[[Progress], None]]:
    """A bar with the units done, their rate, the time left, failures and the latest unit."""
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TextColumn("{task.fields[left]}"),
        progress.TextColumn("{task.fields[failed]}", style="red"),
        # the brackets in a learner's name such as credal[s=1] are not markup
        progress.TextColumn("{task.fields[latest]}", style="dim", markup=False),
    )
    with progress.Progress(*columns, console=console) as bar:
        line = bar.add_task("starting", total=None, rate="", left="", failed="", latest="")

        def report(state: Progress) -> None:
            unit = state.latest
            bar.update(
                line,
                description=f"{state.finished} of {state.total} units",
                total=state.total,
                completed=state.total - state.left,
                rate=f"{state.rate:.1f} per second",
                left=f"{duration(state.seconds_left)} left" if state.rate else "",
                failed=f"{state.failed} failed" if state.failed else "",
                latest="" if unit is None else visible(f"{unit.label} on {unit.source.name}"),
            )

        yield report


def run_lines() -> Callable[[Progress], None]:
    """A line at the start, at the end, and every few seconds in between."""
    from time import monotonic

    last = monotonic()

    def report(state: Progress) -> None:
        nonlocal last
        now = monotonic()
        if state.tried == 0 or state.left == 0 or now - last >= SECONDS_BETWEEN_LINES:
            last = now
            text = f"{state.finished} of {state.total} units"
            if state.rate:
                text += f", {state.rate:.1f} per second, {duration(state.seconds_left)} left"
            if state.failed:
                text += f", {state.failed} failed"
            say(text, err=True)

    return report


def _plain(text: str) -> str:
    """A text in which neither markup nor control codes act; rich removes only some of them."""
    from rich.markup import escape

    return escape(visible(text))


def _terminal(quiet: bool = False) -> Any:
    """A console on standard error; None if it is not a terminal or nothing shall be shown."""
    if quiet:
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_terminal else None
