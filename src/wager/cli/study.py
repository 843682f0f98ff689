"""``wager study``: rerun the papers' experiments, and hold what they printed against it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wager.cli._errors import one_sentence

if TYPE_CHECKING:
    from wager.experiments.studies import Study

WIDTH = 100  # characters of a line
INDENT = "    "

app = typer.Typer(
    help="Rerun the papers' experiments: published numbers and ours, side by side.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="As `wager study list` shows it.", show_default=False)]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="A small version, within two minutes; most do without --data."),
]
OfQuick = Annotated[bool, typer.Option("--quick", help="Of the small version.")]
Data = Annotated[
    str | None,
    typer.Option(help="Folder of data sets, or openml; WAGER_DATA by default.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Folder for results; the study's name by default.",
                 show_default=False),
]  # fmt: skip
From = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Folder of its results; the study's name by default.",
                 show_default=False),
]  # fmt: skip
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Fits at a time.")]
Docs = Annotated[
    Path | None,
    typer.Option(help="Write tables, figures and reproduction.md into this folder too.",
                 show_default=False),
]  # fmt: skip


@app.command("list")
def show_list() -> None:
    """List the studies: name, paper, what it shows."""
    from textwrap import fill

    from wager.experiments import studies

    for name in studies.names():
        study = studies.get(name)
        typer.echo(name)
        for text in (study.paper, study.shows):
            typer.echo(fill(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT))


@app.command("run")
def run(
    name: Name, quick: Quick = False, data: Data = None, out: Out = None, jobs: Jobs = 1
) -> None:
    """Run a study; run it again to go on where it was stopped."""
    from wager.cli.run import FAILED, in_words, progress

    study, folder = _study(name, quick, out)
    with in_words(folder):
        _require_folder(data)
        with progress() as report:
            summary = study.run(folder, data=data, quick=quick, n_jobs=jobs, progress=report)
    if summary is None:
        typer.echo(f"{name} has nothing to run: see wager study report {name}")
        return
    typer.echo(summary.text())
    if not summary.ok:
        typer.echo(f"tracebacks: wager results {folder} --failures")
        raise typer.Exit(FAILED)
    typer.echo(f"report: wager study report {name}{_options(quick, out)}")


@app.command("report")
def report(name: Name, quick: OfQuick = False, out: From = None, docs: Docs = None) -> None:
    """Print what a study found so far, as Markdown."""
    study, folder = _study(name, quick, out)
    with one_sentence():
        if study.plan is not None and not (folder / "results.sqlite").is_file():
            how = f"wager study run {name}{_options(quick, out)}"
            raise ValueError(f"there are no results in {folder}: first do {how}")
        found = study.report(folder)
        typer.echo(found.section())
        if docs is not None:
            found.write(docs)


def _study(name: str, quick: bool, out: Path | None) -> tuple[Study, Path]:
    """The study and the folder of its results."""
    with one_sentence():
        from wager.experiments import studies

        study = studies.get(name)
    return study, out or study.store(quick)


def _require_folder(data: str | None) -> None:
    if data not in (None, "openml") and not Path(data).is_dir():
        raise ValueError(f"--data {data}: there is no such folder; name one, or openml")


def _options(quick: bool, out: Path | None) -> str:
    """What a command that goes on with these results must be told."""
    return (" --quick" if quick else "") + (f" --out {out}" if out else "")
