"""``wager run``: run the experiment of a plan, or resume it where it was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wager.cli._errors import FAILED, one_sentence
from wager.cli._options import (
    Quiet,
    argument,
    examples,
    jobs_option,
    option,
    output_option,
)
from wager.cli._progress import duration, run_progress, step_progress
from wager.cli._render import Grid, text_grid

if TYPE_CHECKING:
    from wager.experiments import Plan

EXAMPLES = examples(
    "wager run plan.toml --dry",
    "wager run plan.toml --jobs 4 -o results",
    "wager run plan.toml --engine dask --dask-address tcp://scheduler:8786",
)

PlanFile = Annotated[Path, argument("PLAN", "The plan, a TOML file.")]
Jobs = Annotated[int | None, jobs_option("all cores")]
Engine = Annotated[
    Literal["local", "dask"],
    option("--engine", "local|dask", "Run on this machine, or on Dask."),
]
Address = Annotated[
    str | None,
    option("--dask-address", "ADDRESS", "Address of a Dask scheduler, such as tcp://host:8786."),
]
Folder = Annotated[
    Path | None, output_option("Folder for the results.", "FOLDER", "the name of the plan")
]
Dry = Annotated[
    bool, typer.Option("--dry", help="Only list the units and estimate how long they take.")
]
Retry = Annotated[bool, typer.Option("--retry", help="Run units again that failed before.")]
Mlflow = Annotated[
    str | None,
    option("--mlflow", "URI", "Also log the results to this MLflow server or folder."),
]


def run(
    plan: PlanFile,
    jobs: Jobs = None,
    engine: Engine = "local",
    dask_address: Address = None,
    output: Folder = None,
    dry: Dry = False,
    retry: Retry = False,
    mlflow: Mlflow = None,
    quiet: Quiet = False,
) -> None:
    """Run the experiment that a plan describes.

    Stop it at any time and run it again to resume. The exit status is 1 if some units failed (the
    summary says which), and 2 if the plan is wrong.
    """
    folder = output or Path(plan.stem)
    with one_sentence(folder):
        from wager.experiments import Plan, Store, run as run_plan

        loaded = Plan.load(plan)
        n_jobs = jobs or _cores()
        if dry:
            _print_estimate(loaded, folder, n_jobs, quiet)
            return
        with run_progress(quiet) as progress:
            summary = run_plan(
                loaded,
                folder,
                n_jobs=n_jobs,
                engine=engine,
                address=dask_address,
                retry=retry,
                progress=progress,
            )
        typer.echo(summary.text())
        if mlflow is not None:
            from wager.experiments import log_to_mlflow

            number = log_to_mlflow(Store(folder), mlflow)
            typer.echo(f"{number} runs logged to {mlflow}")
    if not summary.ok:
        typer.echo(f"tracebacks: wager results {folder} --failures; to run them again: --retry")
        raise typer.Exit(FAILED)
    typer.echo(f"results: wager results {folder}")


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _print_estimate(plan: Plan, folder: Path, n_jobs: int, quiet: bool) -> None:
    from wager.experiments import Store, probe

    units = plan.units()
    done = Store(folder).done() if (folder / "results.sqlite").is_file() else set()
    todo = [unit for unit in units if unit.key not in done]
    typer.echo(f"{len(units)} units, {len(units) - len(todo)} of them already done")
    if not todo:
        return
    with step_progress(quiet) as report:
        report("trying a few units")
        estimate = probe(plan, todo)
    rows = [
        [name, splits, sum(unit.source.name == name for unit in todo), estimate.seconds.get(name)]
        for name, splits in estimate.tasks.items()
    ]
    header = ["data set", "splits", "units", "seconds per split"]
    least = "at least" if estimate.cut_short else "about"
    tried = f"{len(estimate.seconds)} of {len(estimate.tasks)} data sets tried"
    total = duration(estimate.total / n_jobs)
    typer.echo(f"\n{text_grid(Grid(header, rows))}\n\n{least} {total} with {n_jobs} jobs ({tried})")
