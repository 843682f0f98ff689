"""Plain tables and short numbers for what a result prints of itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, isnan
from numbers import Integral, Real
from typing import Any


def format_number(value: Any, digits: int = 4) -> str:
    """A number as a person wants to read it: whole numbers whole, an undefined one as a dash.

    Examples
    --------
    >>> format_number(0.123456), format_number(1200), format_number(float("nan")), format_number(float("-inf")), format_number("a")
    ('0.1235', '1200', '-', '-inf', 'a')
    """
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, Real):
        return str(value)
    if isinstance(value, Integral):
        return str(int(value))
    value = float(value)
    if isnan(value):
        return "-"
    if not isfinite(value):
        return f"{value}"
    if value != 0 and abs(value) < 10.0**-digits:
        return f"{value:.{max(digits - 2, 1)}e}"
    return f"{value:.{digits}f}"


def format_table(
    rows: Iterable[Sequence[Any]],
    headers: Sequence[str] | None = None,
    *,
    align: str | None = None,
    digits: int = 4,
    indent: int = 0,
) -> str:
    """Rows in columns of equal width, two spaces apart, under one ruled line of headers.

    Parameters
    ----------
    rows : iterable of sequences
        Cells; numbers are shortened with `number`, the rest is shown as text.
    headers : sequence of str, optional
        A title for each column.
    align : str, optional
        One letter a column, ``<`` or ``>``; by default the first column is flushed left and the
        others right.
    digits : int, default=4
        Digits behind the point.
    indent : int, default=0
        Spaces before every line.

    Examples
    --------
    >>> print(format_table([["coverage", 0.9123], ["rows", 12]], ["measure", "value"]))
    measure    value
    ----------------
    coverage  0.9123
    rows          12
    """
    cells = [[format_number(cell, digits) for cell in row] for row in rows]
    shown = ([list(headers)] if headers else []) + cells
    if not shown:
        return ""
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    align = align or "<" + ">" * (len(widths) - 1)
    lines = [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)
        )
        for row in shown
    ]
    if headers:
        lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    margin = " " * indent
    return "\n".join((margin + line).rstrip() for line in lines)
