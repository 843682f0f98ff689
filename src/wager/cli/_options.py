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

DEFAULT_UTILITIES = ("u50", "u65", "u80")


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
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(OutputFormat)}.") from None


def _formats(incomplete: str) -> list[str]:
    """The formats that begin with the text, for the shell's completion."""
    return [name for name in OutputFormat if name.startswith(incomplete)]


Format = Annotated[
    OutputFormat,
    typer.Option(
        "--format", "-f",
        parser=read_format,
        metavar="|".join(OutputFormat),
        autocompletion=_formats,
        help="Output format.",
    ),
]  # fmt: skip


def output_option(help_text: str, metavar: str = "FILE", default: str | bool = False) -> Any:
    """The option ``--output`` with its short form ``-o`` and its older name ``--out``."""
    return typer.Option(
        "--output", "--out", "-o", metavar=metavar, help=help_text, show_default=default
    )


OutputFile = Annotated[
    Path | None, output_option("Write the output to this file instead of the terminal.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def jobs_option(default: str | bool = True) -> Any:
    """The option ``--jobs``; ``default`` is shown in the help text."""
    return typer.Option(
        "--jobs", "-j",
        min=1,
        metavar="NUMBER",
        help="Number of units to run in parallel.",
        show_default=default,
    )  # fmt: skip


# -- what is scored, and how ----------------------------------------------------------------------

Utilities = Annotated[
    list[str] | None,
    typer.Option(
        "--utility", "-u",
        metavar="UTILITY",
        help="Utility to score by: u50, u65, u80, f1, log-norm, exp-norm:2, a number such as 0.7 "
        "for u(0.5), or a TOML file. May be repeated.",
        show_default=", ".join(DEFAULT_UTILITIES),
    ),
]  # fmt: skip
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        metavar="LABELS",
        help="All classes, including those that never occur: a,b,c. Put a label that contains a "
        "comma in double quotes.",
        show_default=False,
    ),
]
CostsFile = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        metavar="FILE",
        help="Cost matrix (CSV or TOML), for learners that use costs.",
        show_default=False,
    ),
]
Level = Annotated[
    float,
    typer.Option(
        "--level", "--confidence",
        metavar="NUMBER",
        help="Confidence level of the intervals, for all pairs together.",
    ),
]  # fmt: skip
Form = Annotated[
    str | None,
    typer.Option(
        "--form",
        metavar="NAME",
        help="Which columns to use if a file has several kinds of predictions: label, set, mask, "
        "in, p, interval or m.",
        show_default=False,
    ),
]
RuleName = Annotated[
    # the rules of `wager.credal.decide`, which is imported only when a command runs
    Literal[
        "maximality", "e-admissibility", "interval-dominance", "gamma-maximin", "gamma-maximax"
    ],
    typer.Option(
        "--rule",
        metavar="NAME",
        help="Rule that turns probability intervals into sets: maximality, e-admissibility, "
        "interval-dominance, gamma-maximin or gamma-maximax.",
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


def numbers(
    text: str | None, kind: Callable[[str], Number], option: str, example: str
) -> list[Number] | None:
    """The numbers in a comma-separated text.

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
            f"{option} takes {what} separated by commas, such as {example}, got {text!r}"
        ) from None


def examples(*commands: str) -> str:
    """The examples at the end of a command's help text."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {command}" for command in commands)])
