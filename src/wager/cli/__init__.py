"""The command line.

A command is a module here and a line below.  Its module imports nothing but typer and the standard
library at the top, so that ``wager --help`` answers at once; what it needs it imports when called.
"""

from __future__ import annotations

from typing import Annotated

import typer

from wager.cli import compare, costs, demo, elicit, explain, fit, results, run, score, study

app = typer.Typer(
    name="wager",
    help="Score classifiers as bettors: what are their predictions worth, and to whom?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"wager {version('wager')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


app.command("fit", short_help="Train on one file, predict another.")(fit.fit)
app.command("run", short_help="Run the experiment that a plan describes.")(run.run)
app.command("results", short_help="Show the results of a run.")(results.results)
app.command("score", short_help="Score prediction files by everything that applies.")(score.score)
app.command("compare", short_help="Compare prediction files: who wins, for whom, how surely.")(
    compare.compare
)
app.command("demo", short_help="Is a cautious classifier worth having? An example.")(demo.demo)
app.command("elicit", short_help="Find out what sets of classes are worth to you.")(elicit.elicit)
app.command("explain", short_help="Explain a measure: definition, formula, use.")(explain.explain)
app.add_typer(costs.app, name="costs", short_help="Costs of sets: extend, audit, complete.")
app.add_typer(study.app, name="study", short_help="Rerun the papers' experiments.")


def main() -> None:
    """Run the command line: the console script ``wager``."""
    app()
