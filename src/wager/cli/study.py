"""``wager study``: rerun published experiments and compare the results with the papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wager.cli._errors import FAILED, one_sentence
from wager.cli._options import (
    Format,
    OutputFile,
    OutputFormat,
    Quiet,
    argument,
    examples,
    jobs_option,
    option,
    output_option,
)
from wager.cli._progress import run_progress
from wager.cli._render import Grid, Printout, printing

if TYPE_CHECKING:
    from wager.experiments.studies import Study

WIDTH = 100  # characters per line
INDENT = "    "

app = typer.Typer(
    help="Rerun the papers' experiments: published results and ours, side by side.",
    epilog=examples(
        "wager study list",
        "wager study run zaffalon-2012-credal --quick",
        "wager study report zaffalon-2012-credal --quick",
    ),
    no_args_is_help=True,
)

Name = Annotated[
    str,
    argument("NAME", "Name of the study, as `wager study list` shows it."),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help="A small version that takes less than two minutes; most need no --data.",
    ),
]
OfQuick = Annotated[bool, typer.Option("--quick", help="Report the small version.")]
Data = Annotated[
    str | None,
    option(
        "--data",
        "FOLDER",
        "Folder of data sets, or openml to download them.",
        default="the environment variable WAGER_DATA",
    ),
]
Folder = Annotated[
    Path | None, output_option("Folder for the results.", "FOLDER", "the name of the study")
]
ResultsFolder = Annotated[
    Path | None, output_option("Folder of the study's results.", "FOLDER", "the name of the study")
]
Jobs = Annotated[int, jobs_option()]
Retry = Annotated[bool, typer.Option("--retry", help="Run units again that failed before.")]
Docs = Annotated[
    Path | None,
    option("--docs", "FOLDER", "Also write tables, figures and reproduction.md into this folder."),
]


@app.command(
    "list", epilog=examples("wager study list", "wager study list --format csv -o studies.csv")
)
def list_command(output_format: Format = OutputFormat.text, output: OutputFile = None) -> None:
    """List the studies: name, paper and what it shows."""
    with one_sentence(), printing(output_format, output) as show:
        from wager.experiments import studies

        found = [studies.get(name) for name in studies.names()]
        rows = [[study.name, study.paper, study.shows] for study in found]
        show(
            Printout(
                about=f"{len(found)} studies",
                grids=[Grid(["name", "paper", "shows"], rows, "<<<")],
                text=lambda: "\n".join(map(_entry, found)),
            )
        )


@app.command(
    "run",
    epilog=examples(
        "wager study run zaffalon-2012-credal --quick",
        "wager study run zaffalon-2012-credal --data datasets --jobs 2 -o results",
    ),
)
def run_command(
    name: Name,
    quick: Quick = False,
    data: Data = None,
    output: Folder = None,
    jobs: Jobs = 1,
    retry: Retry = False,
    quiet: Quiet = False,
) -> None:
    """Run a study.

    Stop it at any time and run it again to resume. The exit status is 1 if any unit failed.
    """
    study, folder = _study(name, quick, output)
    with one_sentence(folder):
        _require_folder(data)
        with run_progress(quiet) as progress:
            summary = study.run(
                folder, data=data, quick=quick, n_jobs=jobs, retry=retry, progress=progress
            )
    if summary is None:
        typer.echo(f"{name} has nothing to run: see wager study report {name}")
        return
    typer.echo(summary.text())
    if not summary.ok:
        typer.echo(f"tracebacks: wager results {folder} --failures; to run them again: --retry")
        raise typer.Exit(FAILED)
    typer.echo(f"report: wager study report {name}{_options(quick, output)}")


@app.command(
    "report",
    epilog=examples(
        "wager study report zaffalon-2012-credal --quick",
        "wager study report zaffalon-2012-credal -o results --docs docs",
    ),
)
def report_command(
    name: Name, quick: OfQuick = False, output: ResultsFolder = None, docs: Docs = None
) -> None:
    """Print the results of a study so far, as Markdown."""
    study, folder = _study(name, quick, output)
    with one_sentence():
        if study.plan is not None and not (folder / "results.sqlite").is_file():
            command = f"wager study run {name}{_options(quick, output)}"
            raise ValueError(f"there are no results in {folder}: first run {command}")
        found = study.report(folder)
        typer.echo(found.section())
        if docs is not None:
            found.write(docs)


def _entry(study: Study) -> str:
    """The name of a study, and its paper and claim in indented lines."""
    from textwrap import fill

    texts = (study.paper, study.shows)
    lines = [fill(t, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT) for t in texts]
    return "\n".join([study.name, *lines])


def _study(name: str, quick: bool, output: Path | None) -> tuple[Study, Path]:
    """The study and the folder of its results."""
    with one_sentence():
        from wager.experiments import studies

        study = studies.get(name)
    return study, output or study.store(quick)


def _require_folder(data: str | None) -> None:
    if data not in (None, "openml") and not Path(data).is_dir():
        raise ValueError(f"--data {data}: there is no such folder; name another one, or openml")


def _options(quick: bool, output: Path | None) -> str:
    """The options that make another command use the same results."""
    return (" --quick" if quick else "") + (f" --out {output}" if output else "")
