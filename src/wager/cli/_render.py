"""How every command prints: the same tables as text, JSON, CSV, Markdown or LaTeX.

A command describes its result as a `Printout` and hands it to the function that `printing` gives:

    with one_sentence(), printing(output_format, output) as show:
        ...
        show(Printout("scores of 2 files", [Grid(header, rows)]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from math import isfinite, isnan
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

import typer

from wager._visible import visible, visible_json
from wager.cli._options import OutputFormat
from wager.cli._say import say

GAP = 2  # spaces between two columns, as `wager._tables.format_table` leaves
LONGEST_TITLE = 24  # characters of a column title before it is folded
TEXT_WIDTH = 100  # characters of a table that ends in sentences, where there is no terminal
NARROWEST = 30  # characters that a column of sentences gets at least


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes
    ----------
    header : sequence of str
        The title of each column.
    rows : sequence of sequences
        The cells; numbers are shortened where a person reads them, and kept in full in CSV.
    align : str, optional
        One ``<`` or ``>`` per column; by default the first column is aligned to the left, the
        others to the right.
    ends_in_text : bool, default=False
        Whether the last column holds sentences, which are folded to the width of the terminal.
    caption : str, default=""
        What the table shows, in the line above it.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    align: str | None = None
    ends_in_text: bool = False
    caption: str = ""

    @property
    def alignment(self) -> str:
        """One letter per column."""
        return self.align or "<" + ">" * (len(self.header) - 1)

    @property
    def n_labels(self) -> int:
        """The number of columns that label the rows: the first one, or all left of the numbers."""
        before = len(self.alignment) - len(self.alignment.lstrip("<"))
        return before if 0 < before < len(self.alignment) else 1


@dataclass(frozen=True)
class Printout:
    """The result of a command, ready for every format.

    Attributes
    ----------
    about : str
        What it is, for the line that is printed when it goes to a file.
    grids : sequence of Grid
        The tables of text, Markdown and LaTeX.
    title : str, default=""
        The line above the tables, in text and Markdown.
    summary : sequence of str, default=()
        Sentences above the tables, in text and Markdown.
    legend : str, default=""
        What brackets and marks in the tables mean; below them, also in LaTeX.
    remarks : sequence of str, default=()
        Sentences below the tables, in text and Markdown.
    advice : str, default=""
        The recommendation at the end, in text and Markdown.
    text : function without arguments, optional
        Gives the whole text, for results that have a separate text form.  A terminal that is
        too narrow for it gets the tables.
    latex : Printout, optional
        What LaTeX shows instead, where its symbols differ.
    records : Grid, optional
        The table of CSV; by default the first of ``grids``.
    data : optional
        What JSON holds; by default one object per row of ``records``.
    pieces : mapping of OutputFormat to function without arguments, optional
        The whole text of some formats piece by piece, for results that are too long to be held.
    """

    about: str
    grids: Sequence[Grid]
    title: str = ""
    summary: Sequence[str] = ()
    legend: str = ""
    remarks: Sequence[str] = ()
    advice: str = ""
    text: Callable[[], str] | None = None
    latex: Printout | None = None
    records: Grid | None = None
    data: Any = None
    pieces: Mapping[OutputFormat, Callable[[], Iterator[str]]] = field(default_factory=dict)


@contextmanager
def printing(
    output_format: OutputFormat, output: Path | None
) -> Iterator[Callable[[Printout], None]]:
    """A function that prints a result, or writes it to a file that appears whole or not at all.

    A file that cannot be written is refused before the work begins.
    """
    if output is None:
        yield lambda printout: _print(printout, output_format)
        return
    from wager._atomic import replacing

    about = []
    with replacing(output) as draft:

        def write(printout: Printout) -> None:
            with draft.open("w", encoding="utf-8") as file:
                shown = _shown(output_format, is_terminal=False)
                for piece in _pieces(printout, output_format):
                    file.write(shown(piece))
            about.append(printout.about)

        yield write
    say(f"{output}: {about[0]}")


def _print(printout: Printout, output_format: OutputFormat) -> None:
    width = _terminal_width()
    shown = _shown(output_format, is_terminal=width is not None)
    for piece in _pieces(printout, output_format, width):
        typer.echo(shown(piece), nl=False, color=True)  # else click drops control codes of a CSV


def _shown(output_format: OutputFormat, *, is_terminal: bool) -> Callable[[str], str]:
    """What is done about control codes in the data; only a CSV that is passed on keeps them."""
    if output_format is OutputFormat.json:
        return visible_json
    return visible if is_terminal or output_format is not OutputFormat.csv else str


def _pieces(
    printout: Printout, output_format: OutputFormat, width: int | None = None
) -> Iterator[str]:
    """The text of a result, with the end of its last line."""
    if output_format in printout.pieces:
        return printout.pieces[output_format]()
    return iter((render(printout, output_format, width), "\n"))


def render(printout: Printout, output_format: OutputFormat, width: int | None = None) -> str:
    """The result in a format; ``width`` is that of the terminal, None if nothing is folded."""
    from wager.report import latex_note, to_csv, to_latex

    records = printout.records or printout.grids[0]
    if output_format is OutputFormat.json:
        return _json(objects(records) if printout.data is None else printout.data)
    if output_format is OutputFormat.csv:
        return to_csv(records.header, records.rows)
    if output_format is OutputFormat.latex:
        shown = printout.latex or printout
        tables = [to_latex(grid.header, grid.rows, grid.align) for grid in shown.grids]
        return _paragraphs(*tables, latex_note(shown.legend))
    if output_format is OutputFormat.markdown:
        return _markdown(printout)
    if printout.text is not None and (width is None or width >= TEXT_WIDTH):
        return printout.text()
    captions = (_folded(grid.caption, width) for grid in printout.grids)
    tables = [text_grid(grid, width) for grid in printout.grids]
    parts = [part for pair in zip(captions, tables, strict=True) for part in pair]
    summary, remarks = (
        "\n".join(_folded(sentence, width) for sentence in sentences if sentence)
        for sentences in (printout.summary, (printout.legend, *printout.remarks))
    )
    advice = printout.advice and _folded(f"recommendation: {printout.advice}", width)
    return _paragraphs(_folded(printout.title, width), summary, *parts, remarks, advice)


def _markdown(printout: Printout) -> str:
    from wager.report import markdown_text, to_markdown

    parts = []
    for grid in printout.grids:
        parts += [markdown_text(grid.caption), to_markdown(grid.header, grid.rows, grid.align)]
    summary, remarks = (
        "\n".join(f"- {markdown_text(sentence)}" for sentence in sentences if sentence)
        for sentences in (printout.summary, (printout.legend, *printout.remarks))
    )
    advice = printout.advice and f"**Recommendation:** {markdown_text(printout.advice)}"
    return _paragraphs(markdown_text(printout.title), summary, *parts, remarks, advice)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _folded(sentence: str, width: int | None) -> str:
    if width is None:
        return sentence
    return fill(sentence, width, break_long_words=False, break_on_hyphens=False)


def _terminal_width() -> int | None:
    import shutil
    import sys

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


# -- text -----------------------------------------------------------------------------------------


def text_grid(grid: Grid, width: int | None = None) -> str:
    """A table for the terminal, folded or split into blocks of columns if it is too wide.

    Examples
    --------
    >>> grid = Grid(["measure", "a", "b"], [["u65", 0.5, 0.25], ["rows", 6, 6]])
    >>> print(text_grid(grid))
    measure       a       b
    -----------------------
    u65      0.5000  0.2500
    rows          6       6
    >>> print(text_grid(grid, width=16))
    measure       a
    ---------------
    u65      0.5000
    rows          6
    <BLANKLINE>
    measure       b
    ---------------
    u65      0.2500
    rows          6
    """
    from wager._tables import format_number

    header, rows = list(grid.header), [[format_number(cell) for cell in row] for row in grid.rows]
    if grid.ends_in_text:
        rows = _fold_last(header, rows, width or TEXT_WIDTH)
    if width is None or grid.ends_in_text:
        return _aligned(header, rows, grid.alignment)
    header = [_folded_title(title) for title in header]
    widths = _widths(header, rows)
    blocks = []
    for columns in _fitting(widths, width, grid.n_labels):
        block = [[cells[i] for i in columns] for cells in (header, *rows)]
        blocks.append(_aligned(block[0], block[1:], "".join(grid.alignment[i] for i in columns)))
    return "\n\n".join(blocks)


def _aligned(header: list[str], rows: list[list[str]], align: str) -> str:
    """The cells in columns under a ruled header; cells may have several lines."""
    from wager._tables import format_table

    above = _lines(header)
    below = [line for row in rows for line in _lines(row)]
    lines = format_table([*above, *below], align=align).split("\n")
    rule = "-" * max(map(len, lines))
    return "\n".join([*lines[: len(above)], rule, *lines[len(above) :]])


def _lines(cells: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip_longest(*(cell.split("\n") for cell in cells), fillvalue=""))


def _widths(header: list[str], rows: list[list[str]]) -> list[int]:
    columns = zip(header, *rows, strict=True)
    return [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]


def _fold_last(header: list[str], rows: list[list[str]], width: int) -> list[list[str]]:
    """The rows, with the sentences of the last column in lines that fit."""
    widths = _widths(header, rows)
    left = max(width - sum(widths[:-1]) - GAP * (len(widths) - 1), NARROWEST)
    return [[*row[:-1], "\n".join(wrap(row[-1], left))] for row in rows]


def _folded_title(title: str) -> str:
    """A title in lines of a readable length; one that is folded already stays as it is."""
    if "\n" in title:
        return title
    return "\n".join(wrap(title, LONGEST_TITLE, break_on_hyphens=False))


def _fitting(widths: Sequence[int], width: int, n_labels: int) -> Iterator[list[int]]:
    """The columns of each block: those that label the rows, and as many others as fit."""
    labels = list(range(n_labels))
    free = width - sum(widths[:n_labels]) - GAP * (n_labels - 1)
    chosen, left = labels, free
    for column in range(n_labels, len(widths)):
        needed = widths[column] + GAP
        if needed > left and len(chosen) > n_labels:
            yield chosen
            chosen, left = labels, free
        chosen = [*chosen, column]
        left -= needed
    yield chosen


# -- JSON -----------------------------------------------------------------------------------------


def objects(grid: Grid) -> list[dict[str, Any]]:
    """One object per row: the cells by their column titles."""
    return [dict(zip(grid.header, row, strict=True)) for row in grid.rows]


def _json(data: Any) -> str:
    import json

    return json.dumps(jsonable(data), indent=2, ensure_ascii=False, allow_nan=False)


def jsonable(value: Any) -> Any:
    """Plain data without NaN and infinity, which JSON lacks: null, and "inf" or "-inf"."""
    if isinstance(value, Mapping):
        return {key: jsonable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(entry) for entry in value]
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    return value
