"""The options that say what a file calls its columns, and what to do about missing values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from wager.cli._help import COLUMNS
from wager.cli._options import option
from wager.cli._say import say

STANDARD_INPUT = Path("-")  # as in `wager._tables`, which is imported only when a command runs

TruthColumn = Annotated[
    str | None,
    option("--truth", "COLUMN", "Column of the true classes.", default="y_true", section=COLUMNS),
]
PredColumn = Annotated[
    str | None,
    option("--pred", "COLUMN", "Column of predicted labels.", default="y_pred", section=COLUMNS),
]
SetColumn = Annotated[
    str | None,
    option("--set", "COLUMN", "Column of predicted sets.", default="set", section=COLUMNS),
]
ProbaPrefix = Annotated[
    str | None,
    option(
        "--proba-prefix",
        "TEXT",
        "How the names of the columns of probabilities begin, before the class.",
        default="p:",
        section=COLUMNS,
    ),
]
IdColumn = Annotated[
    str | None,
    option("--id", "COLUMN", "Column that identifies each row.", default="id", section=COLUMNS),
]
WeightColumn = Annotated[
    str | None,
    option(
        "--weight", "COLUMN", "Column of importance weights.", default="weight", section=COLUMNS
    ),
]
CountColumn = Annotated[
    str | None,
    option(
        "--count",
        "COLUMN",
        "Column of how many rows a row stands for.",
        default="count",
        section=COLUMNS,
    ),
]
MISSING_HELP = (
    "What to do about rows with missing values (empty cells, NA, NaN, nan, <NA>, NaT, null, "
    "NULL, None): stop, or leave the rows out. An empty cell of the set column is the empty "
    "set; a word that --classes lists is a class."
)
MissingValues = Annotated[
    Literal["error", "drop"],
    option("--na", "error|drop", MISSING_HELP, section=COLUMNS),
]


def column_names(
    truth: str | None,
    pred: str | None,
    sets: str | None,
    proba_prefix: str | None,
    row_id: str | None,
    weight: str | None,
    count: str | None,
) -> dict[str, str]:
    """The values of the options, as the argument ``columns=`` of the readers of files.

    Examples
    --------
    >>> column_names("truth", None, None, "prob_", None, None, None)
    {'y_true': 'truth', 'p:': 'prob_'}
    """
    if proba_prefix is not None and not proba_prefix.strip():
        raise ValueError(
            "--proba-prefix is empty: give the beginning of the names of the columns of "
            "probabilities, such as p: or prob_"
        )
    given = {"y_true": truth, "y_pred": pred, "set": sets, "p:": proba_prefix}
    given |= {"id": row_id, "weight": weight, "count": count}
    return {role: name for role, name in given.items() if name is not None}


def refuse_twice(files: Sequence[Path]) -> None:
    """Raise if standard input is named more than once."""
    if files.count(STANDARD_INPUT) > 1:
        raise ValueError("standard input (-) can be read only once: name it once")


def warn(sentences: Iterable[str]) -> None:
    """Print warnings on standard error, each once."""
    for sentence in dict.fromkeys(sentences):
        say(f"wager: warning: {sentence}", err=True)
