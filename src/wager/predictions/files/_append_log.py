"""The rows that were appended to a prediction file since it was read last.

A place in a log is the number of bytes that were read and their digest, so that a log that was
rewritten is noticed.  Only complete lines are read: a line that is still being written waits.

Which line ends divide rows of a CSV file is decided as DuckDB does: a quote opens a quoted field at
the beginning of a field only, perhaps after one space; anywhere else it is text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple

import numpy as np

from wager._tables import COMPRESSED, csv_dialect
from wager._typing import ArrayLike
from wager._visible import in_one_line
from wager.predictions.files._column_names import ColumnNames
from wager.predictions.files._formats import file_format
from wager.predictions.files._predictions import Predictions
from wager.predictions.files._read import scan_predictions

__all__ = ["AppendedRows", "LogPlace", "read_appended"]

_PIECE = 1 << 25  # bytes that are read at once
_LONGEST_HEADER = 1 << 22  # bytes
_LONGEST_ROW = 1 << 24  # bytes; DuckDB reads no longer ones
_OPEN_LINES = 1000  # line ends in a quoted field that may still be written
_UTF16, _UTF8 = (b"\xff\xfe", b"\xfe\xff"), b"\xef\xbb\xbf"


@dataclass(frozen=True)
class LogPlace:
    """How far a log has been read.

    Parameters
    ----------
    bytes : int, default=0
        The bytes that were read, the header included.
    sha256 : str, optional
        Their digest; by default that of none.
    rows : int, default=0
        The rows in them, also those that were left out.
    """

    bytes: int = 0
    sha256: str = hashlib.sha256(b"").hexdigest()
    rows: int = 0


class AppendedRows(NamedTuple):
    """New rows of a log, the place after them, and how many are left out for lack of a value."""

    rows: Predictions | None
    place: LogPlace
    left_out: int


def read_appended(
    path: str | PathLike[str],
    place: LogPlace | None = None,
    *,
    classes: ArrayLike | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    na: str = "error",
    piece: int = _PIECE,
) -> Iterator[AppendedRows]:
    """Read what was appended to a CSV or JSON Lines file after a place in it.

    Parameters
    ----------
    path : path
        The log; it must only grow.
    place : LogPlace, optional
        Where reading stopped last; by default the beginning.
    classes, form, columns, na
        As for `read_predictions`.
    piece : int, optional
        About how many bytes are read at once.
    """
    log, start = Path(path), place or LogPlace()
    if log.is_dir():
        raise ValueError(f"{log} is a folder: name the log, a CSV or JSON Lines file")
    kind = file_format(log)
    if kind not in ("csv", "json") or log.suffix.lower() in COMPRESSED:
        raise ValueError(f"{log}: a log that grows must be plain CSV or JSON Lines (.csv, .jsonl)")
    with log.open("rb") as file:
        digest = _read_again(log, file, start)
        header, delimiter = b"", ""
        if kind == "csv":
            named = ColumnNames.of(columns).names.values()
            header, delimiter = _header(log, file, ("y_true", *named))
            if not header:
                return
        if start.bytes == 0 and header:
            digest.update(header)
            start = replace(start, bytes=len(header), sha256=digest.hexdigest())
        file.seek(start.bytes)
        rest = b""
        with TemporaryDirectory(prefix="wager-") as folder:
            part = Path(folder) / f"part{log.suffix}"
            while len(rest) <= _LONGEST_ROW and (block := file.read(piece)):
                rest += block
                end = _last_line_end(rest, delimiter)
                lines, rest = rest[:end], rest[end:]
                if not lines:
                    continue
                digest.update(lines)
                start = replace(start, bytes=start.bytes + end, sha256=digest.hexdigest())
                if not lines.strip():
                    continue
                part.write_bytes(header + lines)
                for found in _rows(log, part, start, classes, form, columns, na):
                    start = found.place
                    yield found
        _refuse_open_field(log, rest, delimiter, start.rows + 1)


def _read_again(log: Path, file: IO[bytes], place: LogPlace) -> Any:
    """The digest of what was read before; raise if that has changed."""
    digest, left = hashlib.sha256(), place.bytes
    while left and (block := file.read(min(left, 1 << 20))):
        digest.update(block)
        left -= len(block)
    if left:
        raise ValueError(
            f"{log} has only {place.bytes - left:,} bytes, but {place.bytes:,} were read before: a "
            "log must only grow; begin again with a new state"
        )
    if digest.hexdigest() != place.sha256:
        raise ValueError(
            f"{log} was rewritten: its first {place.bytes:,} bytes are not those that were read "
            "before; begin again with a new state"
        )
    return digest


def _header(log: Path, file: IO[bytes], wanted: Collection[str]) -> tuple[bytes, str]:
    """The header of a CSV file, empty if it is not complete yet, and the delimiter.

    A first line such as ``sep=;`` belongs to the header.
    """
    file.seek(0)
    head = file.read(_LONGEST_HEADER)
    if head.startswith(_UTF16):
        raise ValueError(f"{log}: a log that grows must be UTF-8 text")
    dialect = csv_dialect(head.decode("utf-8-sig", "replace"), wanted)
    start = len(_UTF8) if head.startswith(_UTF8) else 0
    if dialect.skip:
        start = head.find(b"\n") + 1
    for begin, stop in _unquoted(head[start:], dialect.delimiter):
        end = head.find(b"\n", start + begin, start + stop) + 1
        if end:
            return head[:end], dialect.delimiter
    _refuse_open_field(log, head, dialect.delimiter, 0)
    return b"", dialect.delimiter


def _last_line_end(text: bytes, delimiter: str) -> int:
    """The length of the complete lines; a line end in a quoted field does not end a line.

    Without a delimiter there are no quoted fields.
    """
    if not delimiter:
        return text.rfind(b"\n") + 1
    return max(text.rfind(b"\n", start, stop) + 1 for start, stop in _unquoted(text, delimiter))


def _unquoted(text: bytes, delimiter: str) -> Iterator[tuple[int, int]]:
    r"""Where the text between quoted fields starts and stops.

    Examples
    --------
    >>> list(_unquoted(b'5" a,"b""\n"\n', ","))
    [(0, 5), (11, 12)]
    """
    before = re.escape(delimiter.encode())
    opening = rb'"(?:(?<=\A.)|(?<=[\n%b].)|(?<=\A ")|(?<=[\n%b] "))' % (before, before)
    # a quote after another one, or after a closing one and spaces, continues the field
    field = re.compile(opening + rb'[^"]*+(?:" *+"[^"]*+)*+"?')
    start = 0
    for found in field.finditer(text):
        yield start, found.start()
        start = found.end()
    yield start, len(text)


def _refuse_open_field(log: Path, rest: bytes, delimiter: str, row: int) -> None:
    """Raise if the row that is still being written is so long that a quote must be missing.

    Parameters
    ----------
    log : Path
        The log.
    rest : bytes
        What was written after the last complete row.
    delimiter : str
        That of a CSV file.
    row : int
        The number of the row; 0 is the header.
    """
    where = f"row {row}" if row else "the header"
    if len(rest) > _LONGEST_ROW:
        raise ValueError(
            f"{log}: {where} is longer than {_LONGEST_ROW >> 20} MB: end it, or shorten it"
        )
    if delimiter and (n := rest.count(b"\n")) > _OPEN_LINES:
        raise ValueError(
            f"{log}: a quoted field of {where} is still open {n:,} lines later: close its quotes"
        )


def _rows(
    log: Path,
    part: Path,
    place: LogPlace,
    classes: ArrayLike | None,
    form: str | None,
    columns: Mapping[str, str] | None,
    na: str,
) -> Iterator[AppendedRows]:
    """The rows of a piece; errors name the log and the number of the row in it."""
    before = place.rows
    try:
        file = replace(scan_predictions(part, classes, form=form, columns=columns), is_part=True)
        for name in ("weight", "count"):
            if getattr(file.layout, name) is not None:
                raise ValueError(
                    f"{log}: a log has one row per prediction, but there is a column {name}: "
                    "remove it"
                )
        if na == "drop":
            file = file.without_missing()
        left_out = 0 if file.missing is None else file.missing.n
        place = replace(place, rows=before + left_out)
        if file.has_no_rows:
            yield AppendedRows(None, place, left_out)
            return
        for rows in file.chunks():
            if classes is None:
                _refuse_header(log, rows, file.layout.truth.name)
            place = replace(place, rows=place.rows + len(rows))
            yield AppendedRows(rows, place, left_out)
            left_out = 0
    except ValueError as error:
        said = str(error).replace(str(part), str(log))
        moved = re.sub(r"\brow (\d+)", lambda found: f"row {before + int(found[1])}", said)
        raise ValueError(moved) from None


def _refuse_header(log: Path, rows: Predictions, name: str) -> None:
    """Raise if the true class of a row is the name of its column: the header was written again."""
    repeated = np.flatnonzero(rows.classes[rows.codes].astype(str) == name)
    if len(repeated):
        assert rows.row is not None  # rows of a file have numbers
        raise ValueError(
            f"{log}: row {rows.row[repeated[0]]} repeats the header, with {in_one_line(name)} as "
            "the true class: a log has one header"
        )
