"""``wager monitor``: watch the predictions of a model in production."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wager.cli._columns import (
    MISSING_HELP,
    PredColumn,
    ProbaPrefix,
    SetColumn,
    TruthColumn,
    column_names,
)
from wager.cli._errors import FAILED, WRONG_INPUT, one_sentence
from wager.cli._help import COLUMNS, examples
from wager.cli._options import (
    Classes,
    Form,
    Format,
    OutputFile,
    OutputFormat,
    argument,
    class_labels,
    option,
)
from wager.cli._render import Grid, Printout, printing

if TYPE_CHECKING:
    from wager.report import LogMonitor

EXAMPLES = examples(
    """
    # sets that shall contain the true class in 90% of rows
    wager monitor log.csv --coverage 0.9
    # compare coverage and u65 with those of an earlier file
    wager monitor log.csv --reference predictions.csv --state drift.json
    # again when rows were added, for another program
    wager monitor log.csv --coverage 0.9 --format json
    """
)

Log = Annotated[
    Path,
    argument("LOG", "Prediction file (CSV or JSON Lines) to which rows are only appended."),
]
Reference = Annotated[
    Path | None,
    option(
        "--reference",
        "FILE",
        "Prediction file, or tally as JSON, of a time when all was well: coverage and mean utility "
        "are compared with it. A prediction file is read with the options for the log.",
    ),
]
PromisedCoverage = Annotated[
    float | None,
    option("--coverage", "NUMBER", "Promised share of sets that contain the true class."),
]
Target = Annotated[
    float | None, option("--target", "NUMBER", "Mean utility that is expected, under --utility.")
]
OneUtility = Annotated[
    str | None,
    option("--utility -u", "UTILITY", "Utility of a prediction: u65, f1, 0.7, ...", default="u65"),
]
Alpha = Annotated[
    float | None,
    option(
        "--alpha",
        "NUMBER",
        "Largest probability of an alert, ever, if nothing changes.",
        default="0.05",
    ),
]
Sides = Annotated[
    Literal["drop", "both"] | None,
    option("--side", "drop|both", "Whether values above the targets are alerts too.", "drop"),
]
WindowRows = Annotated[
    int | None, option("--window", "ROWS", "Rows per window of the table.", default="1000", min=1)
]
ReadMissing = Annotated[
    Literal["error", "drop"] | None,
    option(
        "--na",
        "error|drop",
        f"{MISSING_HELP} A later call may change it.",
        default="error",
        section=COLUMNS,
    ),
]
State = Annotated[
    Path | None,
    option(
        "--state",
        "FILE",
        "JSON file with the state, which is read if it exists, and written.",
        default="LOG.monitor.json",
    ),
]
Every = Annotated[
    float | None,
    option(
        "--every",
        "SECONDS",
        "Look again after so many seconds, until there is an alert, instead of once.",
        min=0,
    ),
]


def monitor(
    log: Log,
    reference: Reference = None,
    coverage: PromisedCoverage = None,
    target: Target = None,
    utility: OneUtility = None,
    alpha: Alpha = None,
    side: Sides = None,
    window: WindowRows = None,
    state: State = None,
    every: Every = None,
    truth: TruthColumn = None,
    pred: PredColumn = None,
    sets: SetColumn = None,
    proba_prefix: ProbaPrefix = None,
    na: ReadMissing = None,
    classes: Classes = None,
    form: Form = None,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
) -> None:
    """Watch the predictions of a model in production: raise an alert if they become worse.

    Reads the rows that were appended to the log since the last call, and tests coverage and mean
    utility against a reference. The tests may be looked at after every row. The state is one JSON
    file of constant size; the options that began it need not be repeated, also those about columns
    and values.

    Exit status: 0 if there is no alert, 1 if there is one (also later, until a new state is begun),
    2 if the input or an option is wrong, or the output could not be written. The state is saved
    after the output is written.
    """
    with (
        one_sentence(full=WRONG_INPUT),
        ExitStack() as last,  # ends after the output: rows that nobody saw are read again
        printing(output_format, output) as show,
    ):
        from time import sleep

        from wager.report import monitor_log

        where = log.with_name(f"{log.name}.monitor.json") if state is None else state
        if output is not None and output.resolve() == where.resolve():
            raise ValueError(f"{output} is the state: choose another name for --output")
        declared = class_labels(classes)
        columns = column_names(truth, pred, sets, proba_prefix, None, None, None)
        while True:
            found = monitor_log(
                log, where, reference=reference, coverage=coverage, mean_utility=target,
                utility=utility, alpha=alpha, side=side, window=window, classes=declared,
                form=form, columns=columns, na=na, save=False,
            )  # fmt: skip
            if every is None or found.monitor.alerts:
                break
            with found.saving(where):
                pass  # nothing is to be shown yet
            sleep(every)
        last.enter_context(found.saving(where))
        show(_printout(log, where, found))
    if found.monitor.alerts:
        raise typer.Exit(FAILED)


def _printout(log: Path, state: Path, found: LogMonitor) -> Printout:
    from wager._tables import counted
    from wager.rewards import get_utility

    watched = found.monitor
    utility = get_utility(watched.utility)
    header, rows = watched.table()
    remarks = [*watched.sentences(), *found.notes()]
    data = {
        "log": str(log),
        "state": str(state),
        "rows": watched.rows,
        "left_out": found.left_out,
        "bytes": found.place.bytes,
        "alert": bool(watched.alerts),
        "tests": [
            {
                "measure": test.measure, "target": test.target,
                "side": "rise" if test.rise else "drop", "alpha": test.alpha,
                "e_value": test.e_value, "alert_at": test.alert_at,
            }
            for test in watched.tests
        ],
        "windows": [
            {
                "start": part.start, "rows": part.n,
                "coverage": part.tally.score("coverage").value,
                watched.utility_name: part.tally.score(utility).value,
            }
            for part in watched.windows
        ],
    }  # fmt: skip
    grid = Grid(header, rows)
    about = f"{counted(watched.rows, 'row', ',')} of {log}"
    return Printout(about, [grid], remarks=remarks, data=data)
