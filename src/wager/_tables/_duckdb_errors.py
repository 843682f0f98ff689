"""What DuckDB says about a file it cannot read, in one plain sentence."""

from __future__ import annotations

import re
from pathlib import Path

from wager._tables._text_files import TextFile

__all__ = ["duckdb_sentence", "first_line", "irregular_csv"]


def duckdb_sentence(problem: object, path: Path, file: TextFile | None = None) -> str:
    """One sentence that summarizes an error of DuckDB about a CSV or Parquet file.

    Parameters
    ----------
    problem : exception or str
        What DuckDB says.
    path : Path
        What messages call the file.
    file : TextFile, optional
        The file as text; None if it is a Parquet file.

    Examples
    --------
    >>> duckdb_sentence("Error: No magic bytes found at end of file 'a'.", Path("a.parquet"))
    'a.parquet is not a complete Parquet file: it may be truncated; write it again'
    """
    text = str(problem)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if line and columns:
        return (
            f"{path}: line {line[1]} has {columns[2]} fields but the header has {columns[1]}: "
            "give every row a value for each column"
        )
    if line and "unterminated quote" in text:
        return (
            f"{path}: the quote that opens in line {line[1]} is never closed: write quotes "
            "inside text twice"
        )
    if file is not None and re.search("unicode|utf-8", text, re.IGNORECASE):
        return str(file.wrong_encoding())
    if line and "Maximum line size" in text:
        return f"{path}: line {line[1]} is too long: check that its quotes are closed"
    if "state machine" in text:
        return irregular_csv(path)
    if file is None:
        return f"{path} is not a complete Parquet file: it may be truncated; write it again"
    if file.compression != "none":
        return f"{path} cannot be read: the compressed file is truncated or damaged"
    return f"{path} cannot be read: {first_line(problem)}"


def irregular_csv(path: Path) -> str:
    """The sentence about a CSV file whose quotes or line ends do not fit together."""
    return (
        f"{path} is not regular CSV: write quotes inside text twice, and end all lines in the same "
        "way (not some in LF and some in CRLF)"
    )


def first_line(problem: object) -> str:
    """The first line of an error message, without DuckDB's prefix and the final full stop."""
    line = str(problem).strip().splitlines()[0].rstrip(". ")
    return re.sub(r"^(Invalid Input|IO|Conversion) Error: ", "", line)
