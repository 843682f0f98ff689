"""The command line: one module per command, one of options, one of rendering.

The modules import only typer and the standard library at the top, so that ``wager --help`` answers
at once; a command imports what it needs when it is called.

To add a command, write a module with its function and its ``EXAMPLES``, and a line in `_COMMANDS`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from wager.cli import (
    compare,
    costs,
    demo,
    elicit,
    explain,
    fit,
    report,
    results,
    run,
    score,
    study,
)
from wager.cli._usage import Commands

app = typer.Typer(
    name="wager",
    cls=Commands,
    help="Score classifiers as bettors: what are their predictions worth, and to which users?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
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


_COMMANDS = (
    (score.score, "Score prediction files by every measure that applies.", score.EXAMPLES),
    (
        compare.compare,
        "Compare classifiers: which one is better, for which users.",
        compare.EXAMPLES,
    ),
    (report.report, "Write an interactive page that decides with its reader.", report.EXAMPLES),
    (explain.explain, "Explain a measure: meaning, formula, use.", explain.EXAMPLES),
    (fit.fit, "Train on one file and predict another.", fit.EXAMPLES),
    (run.run, "Run the experiment that a plan describes.", run.EXAMPLES),
    (results.results, "Show the results of a run.", results.EXAMPLES),
    (elicit.elicit, "Find out what sets of classes are worth to you.", elicit.EXAMPLES),
    (demo.demo, "Show by an example whether a cautious classifier pays off.", demo.EXAMPLES),
)
for _command, _help, _examples in _COMMANDS:
    app.command(short_help=_help, epilog=_examples)(_command)
app.add_typer(
    costs.app, name="costs", short_help="Extend costs to sets of classes, and check them."
)
app.add_typer(study.app, name="study", short_help="Rerun the papers' experiments.")


def main() -> None:
    """Run the command line: the console script ``wager``."""
    app()
