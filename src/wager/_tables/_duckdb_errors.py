"""What DuckDB says about a file it cannot read, in one plain sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

from wager._tables._csv_dialect import file_dialect
from wager._tables._text_files import TextFile, reading

__all__ = ["duckdb_sentence", "first_line", "irregular_csv"]


def duckdb_sentence(
    problem: object, path: Path | str, file: TextFile | None = None, *, is_parquet: bool = False
) -> str:
    """One sentence that summarizes an error of DuckDB about a file.

    Parameters
    ----------
    problem : exception or str
        What DuckDB says.
    path : Path or str
        What messages call the file.
    file : TextFile, optional
        The file as text, if it is text.
    is_parquet : bool
        Whether it is a Parquet file.

    Examples
    --------
    >>> duckdb_sentence("IO Error: No magic bytes found.", "a.parquet", is_parquet=True)
    'a.parquet is not a complete Parquet file: it may be truncated; write it again'
    """
    text = str(problem)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if line and columns:
        return f"{path}: {_unequal_rows(line[1], columns[2], columns[1], file)}"
    if line and "unterminated quote" in text:
        return (
            f"{path}: the quote that opens in line {line[1]} is never closed: write quotes "
            "inside text twice"
        )
    if file is not None and re.search("unicode|utf-8", text, re.IGNORECASE):
        return str(file.wrong_encoding())
    if line and "Maximum line size" in text:
        return f"{path}: line {line[1]} is longer than 16 MB: check that its quotes are closed"
    if "state machine" in text:
        return irregular_csv(path)
    if "Malformed JSON" in text:
        return f"{path} is not JSON Lines{_json_line(file)}: write one JSON object per line"
    if is_parquet:
        return f"{path} is not a complete Parquet file: it may be truncated; write it again"
    if file is not None and file.compression != "none":
        return f"{path} cannot be read: the compressed file is truncated or damaged"
    return f"{path} cannot be read: {first_line(problem)}"


def _unequal_rows(line: str, found: str, expected: str, file: TextFile | None) -> str:
    """Which rows differ; a first row with a field more than the header may begin with a name."""
    cure = "give every row a value for each column"
    header = int(expected) if file is None else len(file_dialect(file).names)
    if header < int(expected):
        return (
            f"the header has {header} fields, but the rows before line {line} have {expected} and "
            f"that line has {found}: {cure}"
        )
    return f"line {line} has {found} fields but the header has {expected}: {cure}"


def _json_line(file: TextFile | None) -> str:
    """Which line is the first that is not JSON; DuckDB counts blank and broken lines otherwise."""
    if file is None:
        return ""
    with reading(file.readable, file.path), file.open() as lines:
        for number, line in enumerate(lines, start=1):
            try:
                json.loads(line if line.strip() else "null")
            except ValueError:
                return f" (line {number} is not valid JSON)"
    return ""


def irregular_csv(path: Path | str) -> str:
    """The sentence about a CSV file whose quotes or line ends do not fit together."""
    return (
        f"{path} is not regular CSV: write quotes inside text twice, and end all lines in the same "
        "way (not some in LF and some in CRLF)"
    )


def first_line(problem: object) -> str:
    """The first line of an error message, without DuckDB's prefix and the final full stop."""
    line = (str(problem).strip() or type(problem).__name__).splitlines()[0].rstrip(". ")
    return re.sub(r"^(Invalid Input|IO|Conversion) Error: ", "", line)
