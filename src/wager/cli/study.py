"""``wager study``: rerun the papers' experiments, and hold what they printed against it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wager.cli._errors import one_sentence

FAILED = 1

app = typer.Typer(
    help="Rerun the papers' experiments: published numbers and ours, side by side.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="As `wager study list` shows it.", show_default=False)]
Quick = Annotated[bool, typer.Option("--quick", help="A small version, within two minutes.")]
Data = Annotated[
    str | None,
    typer.Option(help="Folder of data sets, or openml; WAGER_DATA by default.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Folder for results; the study's name by default.",
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
    from wager.experiments import studies

    for name in studies.names():
        study = studies.get(name)
        typer.echo(f"{name}\n    {study.paper}\n    {study.shows}")


@app.command("run")
def run(
    name: Name, quick: Quick = False, data: Data = None, out: Out = None, jobs: Jobs = 1
) -> None:
    """Run a study; run it again to go on where it was stopped."""
    from wager.cli.run import _progress

    with one_sentence():
        from wager.experiments import studies

        study = studies.get(name)
        folder = out or study.store(quick)
        with _progress() as report:
            summary = study.run(folder, data=data, quick=quick, n_jobs=jobs, progress=report)
    if summary is None:
        typer.echo(f"{name} has nothing to run: see wager study report {name}")
        return
    typer.echo(summary.text())
    if not summary.ok:
        raise typer.Exit(FAILED)
    suffix = f" --out {out}" if out else " --quick" if quick else ""
    typer.echo(f"report: wager study report {name}{suffix}")


@app.command("report")
def report(name: Name, quick: Quick = False, out: Out = None, docs: Docs = None) -> None:
    """Print what a study found so far, as Markdown."""
    with one_sentence():
        from wager.experiments import studies

        study = studies.get(name)
        found = study.report(out or study.store(quick))
        typer.echo(found.section())
        if docs is not None:
            found.write(docs)
