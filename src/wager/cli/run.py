"""``wager run``: run the experiment of a plan, or resume it where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wager.cli._engine import refuse_workers
from wager.cli._errors import FAILED, one_sentence
from wager.cli._help import examples
from wager.cli._options import (
    DaskAddress,
    Engine,
    Quiet,
    argument,
    cores,
    jobs_option,
    option,
    output_option,
)
from wager.cli._progress import duration, run_progress, step_progress
from wager.cli._render import Grid, text_grid
from wager.cli._say import say

if TYPE_CHECKING:
    from wager.experiments import Plan, Progress

    Report = Callable[[Progress], None]

EXAMPLES = examples(
    """
    # a plan to start from
    wager run --example > plan.toml
    # check the plan and estimate the time
    wager run plan.toml --dry
    # run it, four units at a time; run it again to resume
    wager run plan.toml --jobs 4 -o results
    # run it on a Dask cluster
    wager run plan.toml --engine dask --dask-address tcp://scheduler:8786
    """
)

# what `--example` prints; the tests run it
EXAMPLE = """\
# Which learners run on which splits of which data sets.  Check it with: wager run plan.toml --dry

seed = 1
measures = ["u65", "u80", "determinacy"]     # what `wager results` shows
time_limit = 600                             # seconds per unit

[datasets.iris]                              # any name
source = "iris"                              # bundled with scikit-learn; or "openml:vehicle"

# [datasets.wine]
# source = "data/wine.csv"                   # a file beside the plan: CSV, Parquet or ARFF
# target = "class"                           # the column of the class; ARFF: by default the last
# drop = ["id"]                              # columns that are left out

[scheme]
kind = "cross-validation"                    # or 5x2, holdout, downsample, generate
n_folds = 10
repeats = 1

[prepare]
discretize = "mdl"                           # learnt within each fold

[learners.bayes]
learner = "naive-bayes"

[learners.credal]
learner = "naive-credal"
grid.s = [1, 2]                              # two learners: credal[s=1], credal[s=2]
"""


def _print_example(wanted: bool) -> None:
    if wanted:
        say(EXAMPLE, nl=False)
        raise typer.Exit


PlanFile = Annotated[Path, argument("PLAN", "The plan, a TOML file.")]
Jobs = Annotated[int | None, jobs_option("all cores")]
Folder = Annotated[
    Path | None, output_option("Folder for the results.", "FOLDER", "the name of the plan's file")
]
Dry = Annotated[
    bool,
    typer.Option("--dry", help="Only check the plan, try a few units and estimate the time."),
]
Retry = Annotated[bool, typer.Option("--retry", help="Run units again that failed before.")]
Example = Annotated[
    bool,
    typer.Option(
        "--example",
        help="Print a plan with comments, to start from, and exit.",
        is_eager=True,
        callback=_print_example,
    ),
]
NoImport = Annotated[
    bool,
    typer.Option(
        "--no-import",
        help="Refuse a plan that names classes by import paths, which would run their code; only "
        "wager's learners can then be used.",
    ),
]
Mlflow = Annotated[
    str | None,
    option("--mlflow", "URI", "Also log the results to this MLflow server or folder."),
]


def run(
    plan: PlanFile,
    jobs: Jobs = None,
    engine: Engine = "local",
    dask_address: DaskAddress = None,
    output: Folder = None,
    dry: Dry = False,
    retry: Retry = False,
    no_import: NoImport = False,
    mlflow: Mlflow = None,
    quiet: Quiet = False,
    example: Example = False,
) -> None:
    """Run the experiment that a plan describes.

    The plan, its data files and its learners are checked before anything runs. Stop it at any
    time and run it again to resume. The exit status is 1 if any unit failed (the summary says
    which), and 2 if the plan is wrong.

    A plan runs code: the classes that it names by import paths, also with --dry.
    """
    folder = output or Path(plan.stem)
    with one_sentence(folder):
        from wager.experiments import Plan, Store, run as run_plan

        refuse_workers(engine, dask_address)
        loaded = Plan.load(plan, imports=not no_import)
        n_jobs = jobs or cores()
        if dry:
            if not _print_estimate(loaded, folder, n_jobs, retry, quiet):
                raise typer.Exit(FAILED)
            return
        with run_progress(quiet) as progress:
            summary = run_plan(
                loaded,
                folder,
                n_jobs=n_jobs,
                engine=engine,
                address=dask_address,
                retry=retry,
                progress=_saying_what_is_done_again(progress),
            )
        say(summary.text())
        if mlflow is not None:
            from wager.experiments import log_to_mlflow

            number = log_to_mlflow(Store(folder), mlflow)
            say(f"{number} runs logged to {mlflow}")
    if not summary.ok:
        say(f"tracebacks: wager results {folder} --failures; to run them again: --retry")
        raise typer.Exit(FAILED)
    say(f"results: wager results {folder}")


def _saying_what_is_done_again(report: Report | None) -> Report:
    """The same report, which first says what cannot be reused: it may be hours of work."""

    def reported(state: Progress) -> None:
        if state.tried == 0:
            _print_again(state.again)
        if report is not None:
            report(state)

    return reported


def _print_again(again: Mapping[str, int]) -> None:
    for reason, number in again.items():
        say(f"computed again: {number} of the units in the store ({reason})", err=True)


def _print_estimate(plan: Plan, folder: Path, n_jobs: int, retry: bool, quiet: bool) -> bool:
    """Print the units and the time they will take; returns whether all units tried succeeded."""
    from wager.experiments import Store, probe

    units = plan.units()
    stored = Store(folder).known(plan, units, retry)
    known = stored.ok
    todo = [unit for unit in units if unit.key not in known]
    done = sum(known.get(unit.key, False) for unit in units)
    failed = len(units) - len(todo) - done
    before = f", {failed} failed before (--retry runs them again)" if failed else ""
    with step_progress(quiet) as report:
        report("checking the plan and trying a few units")
        estimate = probe(plan, todo) if todo else None
    say(f"{len(units)} units, {done} of them already done{before}")
    _print_again(stored.again)
    if estimate is None:
        return True
    rows = [
        [name, splits, estimate.units[name], estimate.seconds.get(name)]
        for name, splits in estimate.tasks.items()
    ]
    header = ["data set", "splits", "units", "seconds per split"]
    least = "at least" if estimate.cut_short else "about"
    tried = f"{len(estimate.seconds)} of {len(estimate.tasks)} data sets tried"
    total, jobs = duration(estimate.wall(n_jobs)), "1 job" if n_jobs == 1 else f"{n_jobs} jobs"
    say(f"\n{text_grid(Grid(header, rows))}\n\n{least} {total} with {jobs} ({tried})")
    for unit, reason in estimate.failures:
        say(f"{unit.label} on {unit.source.name} failed: {reason.splitlines()[0]}")
    return not estimate.failures
