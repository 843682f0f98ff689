"""Results in notebooks: plain HTML tables and paragraphs without style; names are text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from wager._tables._text import format_number

_LONGEST = 200  # characters of a cell


def html_block(
    title: str,
    tables: Iterable[tuple[Sequence[str], Iterable[Sequence[Any]]]],
    sentences: Iterable[str] = (),
) -> str:
    """A title, tables (header and rows) and sentences as HTML.

    Examples
    --------
    >>> print(html_block("a & b", [(["measure", "value"], [["<u65>", 0.5]])], ["done"]))
    <div><p><strong>a &amp; b</strong></p>
    <table><thead><tr><th>measure</th><th>value</th></tr></thead>
    <tbody><tr><th scope="row">&lt;u65&gt;</th><td>0.5000</td></tr></tbody></table>
    <p>done</p></div>
    """
    parts = [f"<p><strong>{_text(title)}</strong></p>"] if title else []
    parts += [_table(header, rows) for header, rows in tables]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence]
    return "<div>" + "\n".join(parts) + "</div>"


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    heads = "".join(f"<th>{_text(cell)}</th>" for cell in header)
    lines = [
        "<tr>"
        + "".join(
            f'<th scope="row">{_text(cell)}</th>' if i == 0 else f"<td>{_text(cell)}</td>"
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    ]
    body = "\n".join(lines)
    return f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table>"


def _text(cell: Any) -> str:
    """A number or a text, cut if it is long, with the characters of markup written as entities."""
    text = format_number(cell)
    return escape(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
