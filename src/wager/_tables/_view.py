"""How a result looks: as text in a terminal and as HTML in a notebook, from one description.

A result describes itself once, as a `View`: a title, tables, sentences and a verdict in words.
In a terminal the verdict comes last, next to the prompt; in a notebook it comes first.  The HTML
has no colours, so that it is readable on light and dark pages, and all names in it are text.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from wager._tables._text import SIGNIFICANT, format_number, format_table
from wager._visible import visible

WIDTH = 88  # characters of a line of text
_FOLD: Any = {"width": WIDTH, "break_long_words": False, "break_on_hyphens": False}
_MOST_SENTENCES = 20  # in a notebook
_PADDING = "padding: 0.2em 0.6em"
_LONGEST = 200  # characters of a cell
_LONGEST_FIELD = 60  # characters of a value between others in one line
_SHOWN_ITEMS = 8  # numbers of an array in one line


class Table(NamedTuple):
    """A header, rows, and how columns are aligned: one of ``<`` and ``>`` for each."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    align: str | None = None
    digits: int = 4
    alike: bool = False  # all numbers have the same decimals

    def cells(self) -> list[list[str]]:
        """The rows as text."""
        digits = self.digits
        if self.alike:
            numbers = [abs(c) for row in self.rows for c in row if isinstance(c, float)]
            largest = max(filter(isfinite, numbers), default=0.0)
            digits = max(min(digits, SIGNIFICANT - len(f"{largest:.0f}")), 0)
        return [[format_number(cell, digits) for cell in row] for row in self.rows]

    def sides(self) -> str:
        """The alignment of each column: by default the first is left, the others are right."""
        columns = len(self.header) or max(map(len, self.rows), default=0)
        return self.align or "<" + ">" * (columns - 1)


@dataclass(frozen=True)
class View:
    """What a person sees of a result.

    Examples
    --------
    >>> view = View("a & b", [Table(["measure", "value"], [["<u65>", 0.5]])], verdict=["done"])
    >>> print(view.text())
    a & b
    <BLANKLINE>
    measure   value
    ---------------
    <u65>    0.5000
    <BLANKLINE>
    done
    >>> "<p>done</p>" in view.html(), "&lt;u65&gt;" in view.html()
    (True, True)
    """

    title: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    verdict: Sequence[str] = ()
    sentences: Sequence[str] = ()  # details of the verdict

    def text(self) -> str:
        """For a terminal: no line is wider than `WIDTH` where that can be avoided."""
        words = (self.notes, self.sentences, self.verdict)
        said = ("\n".join(folded(sentence) for sentence in part) for part in words)
        parts = [folded(self.title), *map(_fitted, self.tables), *said]
        return visible("\n\n".join(part for part in parts if part))

    def html(self) -> str:
        """For a notebook."""
        title = "<br>".join(map(_text, self.title.splitlines()))
        parts = [f"<p><strong>{title}</strong></p>"] if title else []
        parts += [f"<p>{escape(sentence)}</p>" for sentence in self.verdict]
        parts += [_html_table(table) for table in self.tables]
        parts += [f"<p>{escape(sentence)}</p>" for sentence in self.sentences[:_MOST_SENTENCES]]
        more = len(self.sentences) - _MOST_SENTENCES
        parts += [f"<p>... and {more} more sentences: print it to see all</p>"] if more > 0 else []
        parts += [f"<p><small>{escape(sentence)}</small></p>" for sentence in self.notes]
        return visible("<div style='overflow-x: auto'>" + "\n".join(parts) + "</div>")


class Viewed:
    """Base of results that describe themselves by a `View`."""

    def _view(self) -> View:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._view().text()

    def _repr_html_(self) -> str:
        """The form that notebooks show."""
        return self._view().html()


def fields_text(value: Any) -> str:
    """A small value as it is written in Python, its numbers rounded.

    Examples
    --------
    >>> fields_text(Table(["x"], [], None, 2))
    "Table(header=['x'], rows=[], align=None, digits=2, alike=False)"
    """
    parts = ", ".join(f"{name}={_short(item)}" for name, item in _fields(value))
    return textwrap.fill(f"{type(value).__name__}({parts})", subsequent_indent="    ", **_FOLD)


def fields_html(value: Any) -> str:
    """A small value as its sentence, a table of its fields, and its interval if it has one.

    Examples
    --------
    >>> "digits</th>" in fields_html(Table([], [], None, 2))
    True
    """
    rows = [[name.replace("_", " "), _short(item)] for name, item in _fields(value)]
    if callable(getattr(value, "interval", None)):
        low, high = value.interval() or (nan, nan)
        rows.append(["95% interval", f"{format_number(low)} to {format_number(high)}"])
    has_words = any("__str__" in vars(base) for base in type(value).__mro__[:-1])
    words = [str(value)] if has_words else []
    return View(type(value).__name__, [Table((), rows)], verdict=words).html()


class ViewedFields:
    """Base of small results that are shown by their fields."""

    __repr__ = fields_text
    _repr_html_ = fields_html


def folded(sentence: str) -> str:
    """A sentence in lines that are not wider than `WIDTH`."""
    lines = sentence.splitlines()
    return "\n".join(textwrap.fill(line, **_FOLD) for line in lines)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.repr]
    else:
        names = list(value._fields)
    return ((name, getattr(value, name)) for name in names)


def _short(item: Any) -> str:
    """A value in one line: numbers rounded, long texts and arrays shortened."""
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, float):
        shown = format_number(item)
        is_decimal = "." in shown and "e" not in shown
        return shown.rstrip("0").rstrip(".") if is_decimal else shown
    if isinstance(item, np.ndarray):
        if item.ndim != 1 or len(item) > _SHOWN_ITEMS:
            return f"<array of shape {item.shape}>"
        return f"[{', '.join(map(_short, item))}]"
    if isinstance(item, Mapping):
        shown = ", ".join(f"{key!r}: {_short(each)}" for key, each in item.items())
        return _cut(f"{{{shown}}}", _LONGEST_FIELD)
    if type(item) in (list, tuple):
        shown = ", ".join(map(_short, item)) + "," * (type(item) is tuple and len(item) == 1)
        return _cut(f"[{shown}]" if type(item) is list else f"({shown})", _LONGEST_FIELD)
    return _cut(" ".join(repr(item).split()), _LONGEST_FIELD)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


# -- text --------------------------------------------------------------------------------------


def _fitted(table: Table) -> str:
    """A table as text; one that is too wide has a folded last column, or is split by columns."""
    cells = table.cells()
    shown = [list(table.header), *cells] if table.header else cells
    if not shown:
        return ""
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    header, sides = list(table.header) or None, table.sides()
    left = WIDTH - sum(widths[:-1]) - 2 * (len(widths) - 1)
    if widths[-1] <= left:
        return format_table(cells, header, align=sides)
    if sides[-1] == "<" and left >= WIDTH // 4:
        return format_table(_fold_last(cells, left), header, align=sides)
    parts = []
    for columns in _that_fit(widths):
        part = [[row[j] for j in columns] for row in cells]
        heads = [header[j] for j in columns] if header else None
        parts.append(format_table(part, heads, align="".join(sides[j] for j in columns)))
    return "\n\n".join(parts)


def _fold_last(cells: Iterable[Sequence[str]], width: int) -> Iterator[list[str]]:
    for row in cells:
        first, *more = textwrap.wrap(row[-1], **(_FOLD | {"width": width})) or [""]
        yield [*row[:-1], first]
        for line in more:
            yield [*([""] * (len(row) - 1)), line]


def _that_fit(widths: Sequence[int]) -> Iterator[list[int]]:
    """Groups of columns that fit in a line, each with the first column."""
    group, used = [0], widths[0]
    for j, width in enumerate(widths[1:], 1):
        if used + 2 + width > WIDTH and len(group) > 1:
            yield group
            group, used = [0], widths[0]
        group.append(j)
        used += 2 + width
    yield group


# -- HTML --------------------------------------------------------------------------------------


def _html_table(table: Table) -> str:
    sides = ["left" if side == "<" else "right" for side in table.sides()]
    heads = "".join(
        f"<th scope='col' style='text-align: {side}; {_PADDING}'>{_text(cell)}</th>"
        for cell, side in zip(table.header, sides, strict=bool(table.header))
    )
    top = f"<thead><tr>{heads}</tr></thead>\n" if table.header else ""
    lines = []
    for row in table.cells():
        first, *rest = map(_text, row)
        cells = [f"<th scope='row' style='text-align: {sides[0]}; {_PADDING}'>{first}</th>"]
        cells += [
            f"<td style='text-align: {side}; {_PADDING}'>{cell}</td>"
            for cell, side in zip(rest, sides[1:], strict=True)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    body = "\n".join(lines)
    return (
        f"<table class='dataframe' style='margin: 0.5em 0 1em'>{top}<tbody>{body}</tbody></table>"
    )


def _text(text: str) -> str:
    """A text, cut if it is long, with the characters of markup written as entities."""
    return escape(_cut(text, _LONGEST))
