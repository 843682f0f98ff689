"""``wager results``: what a run gave."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._errors import one_sentence

if TYPE_CHECKING:
    from wager.experiments import ScoreTable, Store


class Format(StrEnum):
    """How results are printed."""

    table = "table"
    csv = "csv"
    json = "json"


Folder = Annotated[Path, typer.Argument(help="The folder that a run wrote to.", show_default=False)]
Measure = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="As u65, coverage or log_loss; the plan's by default.",
                 show_default=False),
]  # fmt: skip
Pivot = Annotated[bool, typer.Option("--pivot", help="Data sets in rows, learners in columns.")]
Pooled = Annotated[bool, typer.Option("--pooled", help="Score all folds' rows together.")]
Failures = Annotated[bool, typer.Option("--failures", help="Show what failed, and why.")]


def results(
    folder: Folder,
    measure: Measure = None,
    pivot: Pivot = False,
    pooled: Pooled = False,
    failures: Failures = False,
    output_format: Annotated[
        Format, typer.Option("--format", help="A table, CSV or JSON.")
    ] = Format.table,
) -> None:
    """Show the results of a run: medians, ranks and wins, or every data set with --pivot."""
    with one_sentence():
        from wager.experiments import Store

        store = Store(folder)
        if failures:
            _print_failures(store)
            return
        chosen = measure or list(store.measures)
        tables = [store.scores(name, pooled=pooled) for name in chosen]
        rows, headers = _pivoted(tables, output_format) if pivot else _summed_up(tables)
        _print(rows, headers, output_format)
        if output_format is Format.table:
            typer.echo(_state(store, tables[0]))


def _pivoted(tables: list[ScoreTable], output_format: Format) -> tuple[list[list[Any]], list[str]]:
    headers = ["data set", "measure", *tables[0].columns]
    rows = [
        [name, table.measure, *table.values[place].tolist()]
        for place, name in enumerate(tables[0].rows)
        for table in tables
    ]
    if len(tables) == 1 and output_format is not Format.json:  # the measure heads the names
        return [[row[0], *row[2:]] for row in rows], [tables[0].measure, *headers[2:]]
    return rows, headers


def _summed_up(tables: list[ScoreTable]) -> tuple[list[list[Any]], list[str]]:
    rows = []
    for table in tables:
        parts = (table.means, table.medians, table.mean_ranks, table.wins)
        for learner, *numbers in zip(
            table.columns, *(part.tolist() for part in parts), strict=True
        ):
            rows.append([table.measure, learner, *numbers])
    return rows, ["measure", "learner", "mean", "median", "mean rank", "wins"]


def _print(rows: list[list[Any]], headers: list[str], output_format: Format) -> None:
    if output_format is Format.json:
        import json

        entries = [dict(zip(headers, map(_jsonable, row), strict=True)) for row in rows]
        typer.echo(json.dumps(entries, indent=2, ensure_ascii=False))
    elif output_format is Format.csv:
        import csv
        import sys

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([headers, *rows])
    else:
        from wager._tables import format_table

        words = sum(isinstance(cell, str) for cell in rows[0]) if rows else 1
        align = "<" * words + ">" * (len(headers) - words)
        typer.echo(format_table(rows, headers, align=align))


def _jsonable(cell: Any) -> Any:
    """JSON has no NaN: what is undefined is null."""
    return None if isinstance(cell, float) and cell != cell else cell


def _state(store: Store, table: ScoreTable) -> str:
    counts = store.counts()
    text = f"\n{counts['done']} of {counts['planned']} units done"
    if counts["failed"]:
        text += f", {counts['failed']} failed (see --failures)"
    left_out = len(table.rows) - len(table.complete().rows)
    if left_out:
        lacking = "1 data set that lacks" if left_out == 1 else f"{left_out} data sets that lack"
        text += f"; means, ranks and wins leave out {lacking} some learner"
    if len(store.versions()) > 1:
        text += "; computed with more than one version of the software"
    return text


def _print_failures(store: Store) -> None:
    failed = store.failures()
    for failure in failed:
        size = "" if failure.size is None else f", {failure.size} rows"
        where = f"{failure.dataset}{size}, repeat {failure.repeat}, fold {failure.fold}"
        typer.echo(f"{failure.learner} on {where}: {failure.error}\n{failure.trace}")
    typer.echo(f"{len(failed)} units failed")
