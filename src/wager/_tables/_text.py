"""Numbers and tables as plain text, for the printed form of results, and similar names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import isfinite, isnan
from numbers import Integral, Real
from typing import Any

from wager._tables._values import ROUNDING
from wager._visible import visible

SIGNIFICANT = 6  # digits of a number that is shown
_LARGE = 1e12  # numbers from this size on are written with an exponent


def format_number(value: Any, digits: int = 4) -> str:
    """A number as short text: integers without a fraction, an undefined number as a dash.

    At most six digits are significant, so that large numbers have fewer decimals.

    Examples
    --------
    >>> [format_number(value) for value in (0.123456, 1200, float("nan"), float("-inf"), "a")]
    ['0.1235', '1200', '-', '-inf', 'a']
    >>> [format_number(value) for value in (1234.56789, 7654321.0, 1.2e15)]
    ['1234.57', '7654321', '1.2e+15']
    """
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, Real):
        return visible(str(value))
    if isinstance(value, Integral):
        return str(int(value))
    value = float(value)
    if isnan(value):
        return "-"
    if not isfinite(value):
        return f"{value}"
    if value != 0 and abs(value) < 10.0**-digits:
        return f"{value:.{max(digits - 2, 1)}e}"
    if abs(value) >= _LARGE:
        return f"{value:.{SIGNIFICANT}g}"
    whole = len(f"{abs(value):.0f}")
    return f"{value:.{max(min(digits, SIGNIFICANT - whole), 0)}f}"


def counted(n: Any, what: str, form: str = "") -> str:
    """A number and what it counts, in the plural unless there is one.

    Parameters
    ----------
    n : number
        How many there are.
    what : str
        The singular.
    form : str, default=""
        How the number is formatted.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row", ","), counted(0, "class"), counted(1, "class")
    ('1 row', '1,200 rows', '0 classes', '1 class')
    """
    plural = "es" if what.endswith("s") else "s"
    return f"{n:{form}} {what}{'' if n == 1 else plural}"


def there_are(n: int, what: str) -> str:
    """That there are so many, as a part of a sentence.

    Examples
    --------
    >>> there_are(1, "class"), there_are(2, "class")
    ('there is 1 class', 'there are 2 classes')
    """
    return f"there {'is' if n == 1 else 'are'} {counted(n, what)}"


def signed_numbers(*values: float, digits: int = 4) -> list[str]:
    """Differences as text, with their signs and with the same decimals.

    The largest one has at most five significant digits.  Where all are on one side of 0, or too
    small for these decimals, those that would look like 0 have two significant digits.

    Examples
    --------
    >>> signed_numbers(0.02, -0.125), signed_numbers(208.18714, -94.799)
    (['+0.0200', '-0.1250'], ['+208.19', '-94.80'])
    >>> signed_numbers(0.02, 0.00001), signed_numbers(0.02, -0.00001)
    (['+0.0200', '+1e-05'], ['+0.0200', '-0.0000'])
    """
    known = [value for value in values if isfinite(value)]
    largest = max(map(abs, known), default=0.0)
    shown = max(min(digits, SIGNIFICANT - 1 - len(f"{largest:.0f}")), 0)
    texts = [f"{value:+.{shown}f}" for value in values]
    one_side = min(known, default=0.0) > 0 or max(known, default=0.0) < 0
    if not one_side and float(f"{largest:.{shown}f}") > 0:
        return texts
    pairs = zip(values, texts, strict=True)
    return [f"{value:+.2g}" if value and float(text) == 0 else text for value, text in pairs]


def supported_digits(width: float, otherwise: int = 4) -> int:
    """The decimals that show half of an interval's width with two digits, at most 6.

    Parameters
    ----------
    width : float
        The width of the interval.
    otherwise : int, default=4
        The answer for an interval of width 0.

    Examples
    --------
    >>> [supported_digits(width) for width in (30, 0.6, 0.07, 0.0007, 0.0)]
    [0, 2, 3, 5, 4]
    """
    if width <= ROUNDING:
        return otherwise
    return next((d for d in range(6) if width / 2 >= 10.0 ** (1 - d)), 6)


def format_table(
    rows: Iterable[Sequence[Any]],
    headers: Sequence[str] | None = None,
    *,
    align: str | None = None,
    digits: int = 4,
    indent: int = 0,
) -> str:
    """Rows as text in aligned columns, two spaces apart, below an underlined header.

    Parameters
    ----------
    rows : iterable of sequences
        Cells; numbers are written with `format_number`, other values as their text.
    headers : sequence of str, optional
        A title for each column.
    align : str, optional
        One character per column, ``<`` (left) or ``>`` (right); by default the first column is
        aligned left and the others right.
    digits : int, default=4
        Digits after the decimal point.
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
    shown = ([list(map(visible, headers))] if headers else []) + cells
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


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The most similar of the known names, whatever their case; None if none is similar.

    Examples
    --------
    >>> [nearest_name(word, ["colour", "class"]) for word in ("Clas", "x")]
    ['class', None]
    """
    by_lower = {each.lower(): each for each in known if isinstance(each, str)}
    near = get_close_matches(name.strip().lower(), by_lower, n=1)
    return by_lower[near[0]] if near else None
