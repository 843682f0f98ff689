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


app.command("fit")(fit.fit)
app.command("run")(run.run)
app.command("results")(results.results)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.command("demo")(demo.demo)
app.command("elicit")(elicit.elicit)
app.command("explain")(explain.explain)
app.add_typer(costs.app, name="costs")
app.add_typer(study.app, name="study")


def main() -> None:
    """Run the command line: the console script ``wager``."""
    app()
