"""The command line: one module per command, one of options, one of rendering.

The modules import only typer and the standard library at the top, so that ``wager --help`` answers
at once; a command imports what it needs when it is called.

To add a command, write a module with its function and its ``EXAMPLES``, and a line in `_COMMANDS`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from wager.cli import (
    compare,
    costs,
    demo,
    elicit,
    explain,
    fit,
    monitor,
    predict,
    report,
    results,
    run,
    score,
    study,
)
from wager.cli._errors import space_for_lines
from wager.cli._help import Command, examples
from wager.cli._say import say
from wager.cli._usage import Commands

app = typer.Typer(
    name="wager",
    cls=Commands,
    help="Score classifiers as bettors: what are their predictions worth, and to which users?\n\n"
    "A classifier may predict one class, a set of classes, or probabilities. Start with `wager "
    "demo`, or with a CSV file that has the columns y_true and y_pred (or set, as in cat|dog): "
    "`wager score FILE`.",
    epilog=examples(
        """
    # see what wager does, on data that comes with scikit-learn
    wager demo
    # score a prediction file
    wager score predictions.csv
    # compare two of them
    wager compare cautious.csv plain.csv
    # what a number in the output means
    wager explain u65
    """
    )
    + "\n\nEvery command has examples: `wager COMMAND --help`.\n\n"
    "Exit status: 0 if all went well, 1 if a part of the work failed or there is no space for the "
    "output, 2 if the input or an option is wrong, 130 if the command was interrupted. 1 of `wager "
    "monitor` is an alert.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"wager {version('wager')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


_PREDICTIONS = "Predictions"
_VALUES = "What predictions are worth to you"
_EXPERIMENTS = "Training and experiments"
_LEARNING = "Getting to know wager"

_COMMANDS = (
    (score, "Score prediction files by every measure that applies.", _PREDICTIONS),
    (compare, "Compare classifiers: which one is better, for which users.", _PREDICTIONS),
    (report, "Write an interactive page that decides with its reader.", _PREDICTIONS),
    (monitor, "Watch the predictions of a model in production.", _PREDICTIONS),
    (costs, "Write costs, extend them to sets of classes, and check them.", _VALUES),
    (elicit, "Find out what sets of classes are worth to you.", _VALUES),
    (fit, "Train on one file and predict another.", _EXPERIMENTS),
    (predict, "Predict a file with a learner that was saved.", _EXPERIMENTS),
    (run, "Run the experiment that a plan describes.", _EXPERIMENTS),
    (results, "Show the results of a run.", _EXPERIMENTS),
    (study, "Rerun the papers' experiments.", _EXPERIMENTS),
    (demo, "Show by an example whether a cautious classifier pays off.", _LEARNING),
    (explain, "Explain a measure, a test, a verdict, a learner or a column.", _LEARNING),
)
for _module, _help, _section in _COMMANDS:
    _name = _module.__name__.rpartition(".")[2]
    if hasattr(_module, "app"):  # a group of commands
        app.add_typer(_module.app, name=_name, short_help=_help, rich_help_panel=_section)
    else:
        app.command(
            cls=Command, short_help=_help, epilog=_module.EXAMPLES, rich_help_panel=_section
        )(getattr(_module, _name))


def main() -> None:
    """Run the command line: the console script ``wager``."""
    _open_closed_streams()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not on every system
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    with space_for_lines():
        app()


def _end(number: int, frame: object) -> None:
    """End as Ctrl-C does, so that drafts and temporary copies are removed."""
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(128 + number)


def _open_closed_streams() -> None:
    """Put the null device in the place of streams that are closed, as by ``wager ... >&-``.

    Otherwise printing fails, and the next file that is opened takes the number of the stream.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
