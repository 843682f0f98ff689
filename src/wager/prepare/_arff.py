"""Read ARFF, the file format of Weka: a header that declares every attribute, then the rows.

Nominal attributes declare their values, which keep their order even if they do not occur.  Rows
may be dense or sparse (``{2 high, 5 1.5}``; omitted entries are 0 or the first value), names and
values may be quoted, and ``%`` starts a comment at the beginning of a line or of a word.  Missing
is ``?``, or a word such as ``NA`` that an attribute does not declare.  The file may be compressed.
Rows are counted from 1 in messages, without comments and empty lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wager._tables import MISSING_WORDS, bounded, open_text, reading, repeated
from wager._typing import Array

_WORD = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|"""  # quoted, with escapes
_NAME = re.compile(rf"\s*({_WORD}[^\s{{]+)\s*(.*)", re.DOTALL)
_CELL = re.compile(rf"\s*({_WORD}[^,\s]+)\s*(?:,|$)")
_CELL_LOOSE = re.compile(rf"({_WORD}[^,\s]+)[\s,]*")
_SPARSE_CELL = re.compile(rf"\s*(\d+)\s+({_WORD}[^,\s]+)\s*(?:,|$)")
_COMMENT = re.compile(rf"(?<![^\s,{{}}])(?:{_WORD})(%)?")  # perhaps after a quoted word
_NUMERIC = ("numeric", "real", "integer")
_BLOCK = 1 << 20  # characters that are read at a time
_LARGEST_TEXT = 1 << 25  # characters; a longer text is read up to so many times the file's size:
_LARGEST_RATIO = 100


@dataclass(frozen=True)
class Attribute:
    """One column of an ARFF file: numbers, or codes of the declared values."""

    name: str
    levels: tuple[str, ...] | None  # None: numeric
    column: Array  # doubles with NaN, or 32-bit codes with -1


def read_arff(path: str | Path) -> tuple[str, list[Attribute]]:
    """The name of the relation and the columns of an ARFF file, plain or compressed.

    Examples
    --------
    >>> import tempfile
    >>> lines = ["@relation r", "@attribute x numeric", "@attribute c {a,'b c'}", "@data"]
    >>> lines += ["1.5,'b c'", "?,a"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "r.arff")
    ...     _ = file.write_text(chr(10).join(lines))
    ...     name, (x, c) = read_arff(file)
    >>> x.column.tolist(), c.levels, c.column.tolist()
    ([1.5, nan], ('a', 'b c'), [1, 0])
    """
    path = Path(path)
    with reading(path), open_text(path) as file:
        blocks = iter(lambda: file.read(_BLOCK), "")
        text = "".join(bounded(blocks, path, _LARGEST_TEXT, _LARGEST_RATIO))
    head, body = _cut_at_data(text, path)
    relation, declared = _header(head, path)
    lines = body.split("\n") if "%" not in body else map(_without_comment, body.split("\n"))
    lines = [line for line in lines if line and not line.isspace()]
    columns = _cells(lines, len(declared), path)
    attributes = []
    for j, (name, levels) in enumerate(declared):
        if levels is None:
            column, found = _numbers(columns[j], name, path), None
        else:
            found = levels or tuple(
                sorted({cell for cell in columns[j] if cell is not None and cell not in _NUMBER_OF})
            )
            column = _codes(columns[j], found, name, path)
        attributes.append(Attribute(name, found, column))
    return relation, attributes


def _cut_at_data(text: str, path: Path) -> tuple[str, str]:
    match = re.search(r"^[^\S\n]*@data[^\n]*$", text, re.IGNORECASE | re.MULTILINE)
    if match is None:
        raise ValueError(f"{path.name} has no @data line, so it is not an ARFF file")
    return text[: match.start()], text[match.end() :]


def _without_comment(line: str) -> str:
    for match in _COMMENT.finditer(line) if "%" in line else ():
        if match[1]:
            return line[: match.start(1)]
    return line


def _header(text: str, path: Path) -> tuple[str, list[tuple[str, tuple[str, ...] | None]]]:
    """The relation, and each attribute with its values: None if numeric, () for strings."""
    relation = path.name
    declared: dict[str, tuple[str, ...] | None] = {}
    for statement in _statements(text):
        keyword, _, rest = statement.partition(" ")
        if keyword.lower() == "@relation":
            relation = _plain(rest.strip())
        elif keyword.lower() == "@attribute":
            match = _NAME.match(rest)
            if match is None:
                raise ValueError(f"{path.name}: cannot read the attribute {statement!r}")
            name = _plain(match[1])
            if name in declared:
                raise ValueError(f"{path.name} declares attribute {name} more than once: keep one")
            declared[name] = _type(match[2].strip(), name, path)
    if not declared:
        raise ValueError(f"{path.name} declares no attribute, so it is not an ARFF file")
    return relation, list(declared.items())


def _statements(text: str) -> list[str]:
    """The statements of the header in one line each; a list of values may span several lines."""
    text = "\n".join(map(_without_comment, text.split("\n")))
    starts = [match.start() for match in re.finditer(r"^[^\S\n]*@", text, re.MULTILINE)]
    parts = [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    # blanks are kept inside quotes, so only those after the keyword and line ends are joined
    return [re.sub(r"^(\S+)\s+", r"\1 ", part).replace("\n", " ") for part in parts]


def _type(text: str, name: str, path: Path) -> tuple[str, ...] | None:
    if text.startswith("{"):
        if "}" not in text:
            raise ValueError(f"{path.name}: the values of attribute {name} are not closed by a }}")
        inside = text[1 : text.rindex("}")]
        levels = tuple(_plain(cell) for cell in _CELL.findall(inside))
        if twice := repeated(levels):
            raise ValueError(f"{path.name}: attribute {name} declares {twice[0]!r} more than once")
        return levels
    kind = text.split()[0].lower() if text.split() else ""
    if kind in _NUMERIC:
        return None
    if kind == "string":
        return ()
    raise ValueError(
        f"{path.name}: attribute {name} has the type {text or 'none'!r}, but only numeric, nominal "
        "and string attributes can be read: remove or convert it"
    )


def _cells(lines: list[str], width: int, path: Path) -> Sequence[Sequence[str | None]]:
    """The cells, one list per column.

    Without quotes and braces the whole body is split at once, so that a file of millions of cells
    is read quickly.
    """
    body = "\n".join(lines)
    if not any(mark in body for mark in "'\"{\t%"):
        cells = body.replace("\n", ",").split(",")
        if len(cells) == width * len(lines):
            cells = [cell.strip() for cell in cells]
            return [cells[j::width] for j in range(width)]
    rows = [_row(line, width, number, path) for number, line in enumerate(lines, start=1)]
    return list(zip(*rows, strict=True)) or [[] for _ in range(width)]


def _row(line: str, width: int, number: int, path: Path) -> Sequence[str | None]:
    line = line.strip()
    if line.startswith("{"):
        return _sparse_row(line, width, number, path)
    found = _CELL.findall(line)
    if len(found) != width:
        found = _CELL_LOOSE.findall(line)
    if len(found) != width:
        raise ValueError(
            f"{path.name}: row {number} has {len(found)} values but {width} attributes are declared"
        )
    return [_plain(cell) for cell in found]


def _sparse_row(line: str, width: int, number: int, path: Path) -> Sequence[str | None]:
    cells: list[str | None] = [None] * width  # None: omitted from a sparse row
    inside = line[1:-1].strip()
    found = list(_SPARSE_CELL.finditer(inside))
    if not line.endswith("}") or sum(len(match[0]) for match in found) != len(inside):
        raise ValueError(
            f"{path.name}: row {number} is not a sparse row such as {{0 1.5, 3 high}}: {line!r}"
        )
    for match in found:
        place = int(match[1])
        if place >= width:
            raise ValueError(
                f"{path.name}: row {number} has a value for attribute {place}, but there are only "
                f"{width} attributes, counted from 0"
            )
        cells[place] = _plain(match[2])
    return cells


def _plain(cell: str) -> str:
    """The text without its quotes and escapes."""
    if len(cell) >= 2 and cell[0] == cell[-1] and cell[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", cell[1:-1])
    return cell


def _numbers(cells: Sequence[str | None], name: str, path: Path) -> Array:
    try:
        return np.array([_NUMBER_OF.get(cell, cell) for cell in cells], dtype=np.float64)
    except ValueError:
        for row, cell in enumerate(cells, start=1):
            try:
                float(_NUMBER_OF.get(cell, cell or "empty"))
            except ValueError:
                raise ValueError(
                    f"{path.name}: numeric attribute {name} contains {cell!r} in row {row}: write "
                    "a number, or ? for a missing value"
                ) from None
        raise


_NUMBER_OF: dict[str | None, float] = {
    "?": np.nan,
    None: 0.0,
    **dict.fromkeys(MISSING_WORDS, np.nan),
}


def _codes(cells: Sequence[str | None], levels: tuple[str, ...], name: str, path: Path) -> Array:
    code: dict[str | None, int] = {"?": -1, **dict.fromkeys(MISSING_WORDS, -1)}
    code |= {level: i for i, level in enumerate(levels)}
    code[None] = 0
    try:
        return np.array([code[cell] for cell in cells], dtype=np.int32)
    except KeyError as unknown:
        row = cells.index(unknown.args[0]) + 1
        raise ValueError(
            f"{path.name}: attribute {name} contains {unknown.args[0]!r} in row {row}, which its "
            "header does not declare"
        ) from None
