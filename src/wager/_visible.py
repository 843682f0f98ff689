"""Text from files as it is shown to a person: nothing in it can act on a terminal or spreadsheet.

Class names, column names and paths are data.  One may contain the control codes of a terminal,
which move the cursor, change its title or hide text, or begin like the formula of a spreadsheet.
"""

from __future__ import annotations

import re

__all__ = ["brief", "in_one_line", "reason", "safe_cell", "shortened", "visible", "visible_json"]

# Control characters but for line feeds and tabs; marks that reverse the direction of text; halves
# of surrogate pairs, which cannot be written as UTF-8.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LONGEST = 200  # characters of a value in a message
_LONG = 500  # characters of a path, or of a sentence of another library
_BREAKS = re.compile("[\n\t]")
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?%?|[-+]?(inf|Inf|nan)")


def visible(text: str) -> str:
    r"""The text with control characters spelt out; line ends and tabs stay.

    Examples
    --------
    >>> print(visible("a\x1b[2J"))
    a\x1b[2J
    """
    return text if text.isprintable() else _HIDDEN.sub(_spelt_out, text)


def in_one_line(text: str) -> str:
    r"""The text with control characters, line ends and tabs spelt out, for a message of one line.

    Examples
    --------
    >>> print(in_one_line("a\nb"))
    a\nb
    """
    return text if text.isprintable() else _BREAKS.sub(_spelt_out, visible(text))


def brief(value: object) -> str:
    r"""A value as a message quotes it: its ``repr`` in one line, cut off where it is long.

    Examples
    --------
    >>> brief("a\nb"), brief(0.5)
    ("'a\\nb'", '0.5')
    >>> import numpy as np
    >>> brief(np.eye(2))
    'array([[1., 0.], [0., 1.]])'
    >>> len(brief(list(range(1000))))
    200
    """
    if getattr(value, "ndim", None) == 0 and not hasattr(value, "__setitem__"):  # a NumPy number
        value = getattr(value, "item", lambda: value)()
    try:
        text = in_one_line(re.sub(r"\s*\n\s*", " ", repr(value)))
    except Exception:
        return f"an object of type {type(value).__name__}"
    return _cut(text, _LONGEST)


def shortened(text: object) -> str:
    r"""Text such as a path in one line; of a very long one, the end.

    Examples
    --------
    >>> print(shortened("a\nb.csv"), len(shortened("a" * 5000)))
    a\nb.csv 500
    """
    line = in_one_line(str(text))
    return line if len(line) <= _LONG else f"...{line[3 - _LONG :]}"


def reason(problem: BaseException) -> str:
    r"""What an error of another library says, in one line and cut off where it is long.

    Examples
    --------
    >>> print(reason(ValueError("no\nnumber")))
    no\nnumber
    """
    return _cut(in_one_line(str(problem)), _LONG)


def visible_json(text: str) -> str:
    r"""JSON with control characters in its strings escaped, which means the same.

    Examples
    --------
    >>> print(visible_json('"a\x9b2J"'))
    "a\u009b2J"
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def safe_cell(text: str) -> str:
    """A cell of CSV with an apostrophe before what a spreadsheet would run as a formula.

    Numbers stay as they are.

    Examples
    --------
    >>> [safe_cell(text) for text in ("=1+2", "-cmd", "-1.5", "a=b")]
    ["'=1+2", "'-cmd", '-1.5', 'a=b']
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _spelt_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
