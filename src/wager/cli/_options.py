"""The options that commands share: one name, one meaning and one help text for each.

A command writes its signature with the annotated types below; an option that only one command has
is defined in that command's module.  The functions at the end read the texts that options take.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from wager._visible import brief
from wager.cli._help import COLUMNS, COSTS, OUTPUT, WORKERS

DEFAULT_UTILITIES = ("u50", "u65", "u80")
USUAL_RULE = "maximality"
_LARGEST = 1 << 26  # characters of a file with classes


def option(
    names: str,
    metavar: str,
    help_text: str,
    default: str | bool = True,
    section: str | None = None,
    **settings: Any,
) -> Any:
    """An option that takes a value.

    Parameters
    ----------
    names : str
        All its spellings, separated by spaces.
    metavar : str
        What stands for the value in the help text.
    help_text : str
    default : bool or str, default=True
        Whether the help text shows the default (unless it is None), or words that describe it.
    section : str, optional
        The section of the help that lists it.
    **settings
        Further arguments of ``typer.Option``.
    """
    return typer.Option(
        *names.split(), metavar=metavar, help=help_text, show_default=default,
        rich_help_panel=section, **settings,
    )  # fmt: skip


def argument(metavar: str, help_text: str, **settings: Any) -> Any:
    """A positional argument, with further arguments of ``typer.Argument``."""
    return typer.Argument(metavar=metavar, help=help_text, show_default=False, **settings)


class OutputFormat(StrEnum):
    """How a command prints its tables."""

    text = "text"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


# -- output ---------------------------------------------------------------------------------------


def read_format(text: str) -> OutputFormat:
    """The format of that name; ``table`` is the older name of ``text``."""
    try:
        return OutputFormat("text" if text == "table" else text)
    except ValueError:
        raise typer.BadParameter(
            f"{brief(text)} is not one of {', '.join(OutputFormat)}."
        ) from None


def _formats(incomplete: str) -> list[str]:
    """The formats that begin with the text, for the shell's completion."""
    return [name for name in OutputFormat if name.startswith(incomplete)]


Format = Annotated[
    OutputFormat,
    option(
        "--format -f",
        "|".join(OutputFormat),
        "Output format.",
        parser=read_format,
        autocompletion=_formats,
        section=OUTPUT,
    ),
]


def output_option(help_text: str, metavar: str = "FILE", default: str | bool = True) -> Any:
    """The option ``--output`` with its short form ``-o`` and its older name ``--out``."""
    return option("--output --out -o", metavar, help_text, default, section=OUTPUT)


OutputFile = Annotated[
    Path | None, output_option("Write the output to this file instead of the terminal.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=OUTPUT)
]


def jobs_option(default: str | bool = True) -> Any:
    """The option ``--jobs``; ``default`` is shown in the help text."""
    return option("--jobs -j", "NUMBER", "Number of units to run in parallel.", default, min=1)


Engine = Annotated[
    Literal["local", "dask"],
    option("--engine", "local|dask", "Run on this machine, or on Dask.", section=WORKERS),
]
DaskAddress = Annotated[
    str | None,
    option(
        "--dask-address",
        "ADDRESS",
        "Address of a Dask scheduler, such as tcp://host:8786.",
        section=WORKERS,
    ),
]


def cores() -> int:
    """The number of cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


# -- what is scored, and how ----------------------------------------------------------------------

Utilities = Annotated[
    list[str] | None,
    option(
        "--utility -u",
        "UTILITY",
        "Utility to score by: u50, u65, u80, f1, log-norm, exp-norm:2, a number such as 0.7 "
        "for u(0.5), or a TOML file. May be repeated.",
        default=", ".join(DEFAULT_UTILITIES),
    ),
]
Classes = Annotated[
    str | None,
    option(
        "--classes",
        "LABELS",
        "All classes, including those that never occur: a,b,c. Put a label that contains a "
        "comma in double quotes. Many classes can be in a file, one per line: @FILE.",
        section=COLUMNS,
    ),
]
CostsFile = Annotated[
    Path | None,
    option("--costs", "FILE", "Cost matrix (CSV or TOML), for learners that use costs."),
]
Costs = Annotated[
    Path | None,
    option(
        "--costs",
        "FILE",
        "Costs of predictions (CSV or TOML), whose classes are matched by name: also show the "
        "average cost. `wager costs new` writes such a file.",
        section=COSTS,
    ),
]
EmptyCost = Annotated[
    float | None,
    option(
        "--empty-cost", "NUMBER", "With --costs: the cost of an empty set.", min=0, section=COSTS
    ),
]
CostUnit = Annotated[
    str | None,
    option(
        "--unit",
        "NAME",
        "With --costs: what the costs are counted in, such as EUR.",
        default="that of the file",
        section=COSTS,
    ),
]
Level = Annotated[
    float,
    option(
        "--level --confidence",
        "NUMBER",
        "Confidence level of the intervals, for all pairs together.",
    ),
]
Form = Annotated[
    str | None,
    option(
        "--form",
        "NAME",
        "Which columns to use if a file has several kinds of predictions: label, set, mask, "
        "in, p, interval or m.",
        section=COLUMNS,
    ),
]
Cluster = Annotated[
    str | None,
    option(
        "--cluster",
        "COLUMN",
        "Column that names the cluster of each row: rows of one cluster, such as the visits of "
        "one patient, may depend on each other.",
        default="the column cluster, if there is one",
        section=COLUMNS,
    ),
]
Prior = Annotated[
    str | None,
    option(
        "--prior",
        "NUMBERS",
        "Training frequencies of the classes, in their order, for information rewards: "
        "0.5,0.3,0.2.",
        default="uniform",
    ),
]
RuleName = Annotated[
    # the rules of `wager.credal.decide`, which is imported only when a command runs
    Literal["maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax"]
    | None,
    option(
        "--rule",
        "NAME",
        "Rule that turns probability intervals into sets: maximality, e-admissibility, "
        "interval-dominance, gamma-maximin or gamma-maximax.",
        default=USUAL_RULE,
    ),
]


# -- reading option values ------------------------------------------------------------------------

Number = TypeVar("Number", int, float)


def labels(text: str | None) -> list[str] | None:
    """The labels in a comma-separated text; a label that contains a comma is quoted.

    Examples
    --------
    >>> labels('a, "b,c"'), labels(None)
    (['a', 'b,c'], None)
    """
    if text is None:
        return None
    import csv

    try:
        found = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise ValueError(
            f"cannot read the labels {text!r}: write them on one line, separated by commas, and "
            "put a label that contains a comma in double quotes"
        ) from None
    return [label.strip() for label in found]


def class_labels(text: str | None) -> list[str] | None:
    """The classes in a comma-separated text, or in a file with one per line: ``@FILE``."""
    if text is None or not text.startswith("@"):
        return labels(text)
    from wager._tables import limited_text

    path = Path(text[1:])
    try:
        lines = limited_text(path, _LARGEST, "utf-8-sig").splitlines()
    except PermissionError:
        raise ValueError(f"--classes {text}: you may not read this file") from None
    except OSError:
        raise ValueError(
            f"--classes {text}: there is no such file: name one with a class per line"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not UTF-8 text: save it as UTF-8, one class per line"
        ) from None
    return [line.strip() for line in lines if line.strip()]


def refuse_beside(option_name: str, why: str, **options: object) -> None:
    """Raise a ValueError if one of the other options is given, which would have no effect.

    Parameters
    ----------
    option_name : str
        The option that decides.
    why : str
        What it does.
    **options
        The other options: None, False, an empty list or mapping if they were not given.

    Examples
    --------
    >>> refuse_beside("--failures", "lists failed units", pivot=True, plot=None)
    Traceback (most recent call last):
    ...
    ValueError: --failures lists failed units: leave out --pivot
    """
    for name, value in options.items():
        if value is not None and value is not False and value != [] and value != {}:
            raise ValueError(f"{option_name} {why}: leave out --{name.replace('_', '-')}")


def check_level(level: float | None) -> None:
    """Raise a ValueError if the option ``--level`` is not a share between 0 and 1.

    Examples
    --------
    >>> check_level(95)
    Traceback (most recent call last):
    ...
    ValueError: --level must lie between 0 and 1, got 95: 95% is 0.95
    """
    if level is None or 0 < level < 1:
        return
    cure = f": {level:g}% is {level / 100:g}" if 1 < level < 100 else ", such as 0.95"
    raise ValueError(f"--level must lie between 0 and 1, got {level:g}{cure}")


def numbers(
    text: str | None, kind: Callable[[str], Number], name: str, example: str
) -> list[Number] | None:
    """The numbers in the comma-separated text of the option of that name.

    Examples
    --------
    >>> numbers("0.5,0.3,0.2", float, "--prior", "0.5,0.3,0.2")
    [0.5, 0.3, 0.2]
    """
    if text is None:
        return None
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise ValueError(
            f"{name} takes {what} separated by commas, such as {example}, got {brief(text)}"
        ) from None
