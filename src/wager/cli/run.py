"""``wager run``: do what a plan asks for, and go on where it was when it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from wager.experiments import Plan, Progress

FAILED = 1  # some units failed, or could not be stored
WRONG_PLAN = 2
STOPPED = 130
SECONDS_BETWEEN_LINES = 5.0  # when nobody looks at a terminal


class Engine(StrEnum):
    """Where units are done."""

    local = "local"
    dask = "dask"


PlanFile = Annotated[Path, typer.Argument(help="The plan, a TOML file.", show_default=False)]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Units at a time; all cores by default.",
                 show_default=False),
]  # fmt: skip
Address = Annotated[
    str | None, typer.Option(help="Of a Dask scheduler, as tcp://host:8786.", show_default=False)
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Folder for results; the plan's name by default.",
                 show_default=False),
]  # fmt: skip
Dry = Annotated[bool, typer.Option("--dry", help="Only list the units and estimate the time.")]
Retry = Annotated[bool, typer.Option("--retry", help="Try units again that failed before.")]
Mlflow = Annotated[
    str | None,
    typer.Option(help="Log results to this MLflow server or folder.", show_default=False),
]


def run(
    plan: PlanFile,
    jobs: Jobs = None,
    engine: Annotated[Engine, typer.Option(help="This machine, or Dask.")] = Engine.local,
    dask_address: Address = None,
    out: Out = None,
    dry: Dry = False,
    retry: Retry = False,
    mlflow: Mlflow = None,
) -> None:
    """Run the experiment that a plan describes; run it again to go on where it was stopped.

    Exits with 1 if some units failed (the summary says which), with 2 if the plan is wrong.
    """
    folder = out or Path(plan.stem)
    with in_words(folder):
        from wager.experiments import Plan, Store
        from wager.experiments import run as run_plan

        read = Plan.load(plan)
        n_jobs = jobs or _cores()
        if dry:
            _print_estimate(read, folder, n_jobs)
            return
        with progress() as report:
            summary = run_plan(
                read,
                folder,
                n_jobs=n_jobs,
                engine=engine.value,
                address=dask_address,
                retry=retry,
                progress=report,
            )
        typer.echo(summary.text())
        if mlflow is not None:
            from wager.experiments import log_to_mlflow

            number = log_to_mlflow(Store(folder), mlflow)
            typer.echo(f"{number} runs logged to {mlflow}")
    if not summary.ok:
        typer.echo(f"tracebacks: wager results {folder} --failures; --retry tries them again")
        raise typer.Exit(FAILED)
    typer.echo(f"results: wager results {folder}")


@contextmanager
def in_words(folder: Path) -> Iterator[None]:
    """What went wrong, a sentence for each problem, and the exit code that goes with it."""
    from wager.experiments import StoreError

    try:
        yield
    except BrokenPipeError:
        raise
    except StoreError as problem:
        typer.echo(f"wager: {problem}", err=True)
        raise typer.Exit(FAILED) from None
    except (ValueError, OSError, ImportError) as problem:
        for line in str(problem).splitlines():
            typer.echo(f"wager: {line}", err=True)
        raise typer.Exit(WRONG_PLAN) from None
    except KeyboardInterrupt:
        typer.echo(f"wager: stopped; what was done is in {folder}, run again to go on", err=True)
        raise typer.Exit(STOPPED) from None


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _print_estimate(plan: Plan, folder: Path, n_jobs: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from wager.experiments import Store, probe

    units = plan.units()
    done = Store(folder).done() if (folder / "results.sqlite").is_file() else set()
    todo = [unit for unit in units if unit.key not in done]
    console = Console()
    console.print(f"{len(units)} units, {len(units) - len(todo)} of them done already")
    if not todo:
        return
    with console.status("trying a few units"):
        estimate = probe(plan, todo)
    table = Table(box=SIMPLE_HEAD)
    for header in ("data set", "splits", "units", "seconds a split"):
        table.add_column(header, justify="left" if header == "data set" else "right")
    for name, splits in estimate.tasks.items():
        number = sum(unit.source.name == name for unit in todo)
        seconds = estimate.seconds.get(name)
        shown = "-" if seconds is None else f"{seconds:.3f}"
        table.add_row(name, str(splits), str(number), shown)
    console.print(table)
    least = "at least " if estimate.cut_short else "about "
    tried = f"{len(estimate.seconds)} of {len(estimate.tasks)} data sets tried"
    console.print(f"{least}{_duration(estimate.total / n_jobs)} with {n_jobs} jobs ({tried})")


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} seconds"
    if seconds < 6000:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


@contextmanager
def progress() -> Iterator[Callable[[Progress], None]]:
    """A bar in a terminal, a line now and then elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console) as report:
            yield report
    else:
        yield _lines()


@contextmanager
def _bar(console: Any) -> Iterator[Callable[[Progress], None]]:
    from rich import progress

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TextColumn("{task.fields[left]}"),
        progress.TextColumn("{task.fields[failed]}", style="red"),
        # the names of learners, as credal[s=1], are no markup
        progress.TextColumn("{task.fields[latest]}", style="dim", markup=False),
    )
    with progress.Progress(*columns, console=console) as bar:
        line = bar.add_task("starting", total=None, rate="", left="", failed="", latest="")

        def report(state: Progress) -> None:
            latest = "" if state.latest is None else f"{state.latest.label} on {_where(state)}"
            bar.update(
                line,
                description=f"{state.total - state.left} of {state.total} units",
                total=state.total,
                completed=state.total - state.left,
                rate=f"{state.rate:.1f} a second",
                left=f"{_duration(state.seconds_left)} left" if state.rate else "",
                failed=f"{state.failed} failed" if state.failed else "",
                latest=latest,
            )

        yield report


def _where(state: Progress) -> str:
    return "" if state.latest is None else state.latest.source.name


def _lines() -> Callable[[Progress], None]:
    from time import monotonic

    last = monotonic()

    def report(state: Progress) -> None:
        nonlocal last
        now = monotonic()
        if state.done == 0 or state.left == 0 or now - last >= SECONDS_BETWEEN_LINES:
            last = now
            text = f"{state.total - state.left} of {state.total} units"
            if state.rate:
                text += f", {state.rate:.1f} a second, {_duration(state.seconds_left)} left"
            if state.failed:
                text += f", {state.failed} failed"
            typer.echo(text, err=True)

    return report
