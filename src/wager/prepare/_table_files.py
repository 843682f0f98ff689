"""Read the columns of a CSV or Parquet file as numbers or labels.

A CSV file is read as text first.  A column whose known values are all numbers becomes numbers, with
decimal commas where the delimiter is a semicolon or a tab; every other column keeps its text.  So a
column does not change its kind because of a value far down in the file, and "yes" or "1/2" stay
labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import (
    BLANKS,
    MISSING_WORDS,
    TextFile,
    as_utf8,
    csv_dialect,
    duckdb_path,
    duckdb_sentence,
    irregular_csv,
)
from wager._typing import Array

__all__ = ["MISSING_TEXTS", "read_csv", "read_parquet"]

MISSING_TEXTS = ("", "?", *MISSING_WORDS)  # missing values in a CSV file
Columns = dict[str, Array]

_HEAD = 1 << 22  # characters in which the header is looked for
_NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf|Inf|INF|Infinity)"
_WHOLE = r"[-+]?[0-9]{1,18}"


def read_csv(path: Path, wanted: Sequence[str] = ()) -> Columns:
    """The columns of a CSV file by name, blanks removed; missing values are masked.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed; ``-`` is standard input.
    wanted : sequence of str
        Names of columns that are expected, from which the delimiter is recognised.
    """
    file = as_utf8(path)
    dialect = csv_dialect(file.head(_HEAD), wanted)
    if not any(name.strip(BLANKS) for name in dialect.names):
        raise ValueError(f"{file.path} has no header: the first line must name the columns")
    names, skip = list(dialect.names), dialect.skip + 1
    skip += sum(name.count("\n") for name in names)
    if len(dialect.first) == len(names) + 1:  # R's row names have no name, or each row ends in ;
        at_end = not dialect.first[-1].strip(BLANKS)
        names = [*names, ""] if at_end else ["", *names]
    named = _distinct_names(names, file.path)
    line_end = dialect.line_end if dialect.line_end == "\r" else ""
    with _database(file.path, file) as connection:
        n_rows = _load_text(connection, file, len(names), dialect.delimiter, skip, line_end)
        if not n_rows and any(dialect.first):
            raise ValueError(irregular_csv(file.path))
        return {
            name: _column(connection, place, dialect.decimal_comma) for name, place in named.items()
        }


def read_parquet(path: Path) -> Columns:
    """The columns of a Parquet file by name; missing values are masked."""
    with _database(path) as connection:
        query = "from read_parquet(?, hive_partitioning = false)"
        found: Columns = connection.execute(query, [duckdb_path(path)]).fetchnumpy()
    for name, values in found.items():
        known = np.ma.compressed(values) if np.ma.isMA(values) else values
        if len(known) and isinstance(known[0], list | dict | np.ndarray):
            raise ValueError(
                f"{path}: column {name} has lists or tables in its cells, but a feature must be a "
                "number or a label: remove the column, or give each entry a column"
            )
    return found


@contextmanager
def _database(path: Path, file: TextFile | None = None) -> Iterator[Any]:
    """A connection to an empty database; errors of DuckDB become a `ValueError` of one sentence."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            yield connection
    except duckdb.Error as problem:
        raise ValueError(duckdb_sentence(problem, path, file, is_parquet=file is None)) from None
    except UnicodeDecodeError:  # DuckDB repeats bytes that are not text
        raise (
            ValueError(f"{path} is not UTF-8 text") if file is None else file.wrong_encoding()
        ) from None


def _distinct_names(names: Sequence[str], path: Path) -> dict[str, int]:
    """The place of each column by name; columns without a name or values are numbered."""
    found: dict[str, int] = {}
    for place, given in enumerate(names):
        name = given.strip(BLANKS) or f"column {place + 1}"
        if name in found:
            raise ValueError(f"{path}: the column {name} occurs more than once: keep one")
        found[name] = place
    return found


def _load_text(
    connection: Any, file: TextFile, n_columns: int, delimiter: str, skip: int, line_end: str
) -> int:
    """Make the table ``cells`` of columns c0, c1, ..., with NULL for missing; count its rows."""
    names = [f"c{i}" for i in range(n_columns)]
    types = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    ends = f", new_line = '{repr(line_end)[1:-1]}'" if line_end else ""
    source = (
        f"read_csv(?, delim = '{delimiter}', columns = {{{types}}}, header = false, skip = {skip}, "
        f"quote = '\"', escape = '\"', auto_detect = false, compression = '{file.compression}', "
        f"hive_partitioning = false, null_padding = false{ends})"
    )
    missing = ", ".join(f"'{word}'" for word in MISSING_TEXTS)
    trimmed = ", ".join(
        f"if(trim({name}, ?) IN ({missing}), NULL, trim({name}, ?)) AS {name}" for name in names
    )
    connection.execute(
        f"CREATE TABLE cells AS SELECT {trimmed} FROM {source}",
        [*[BLANKS] * (2 * n_columns), duckdb_path(file.readable)],
    )
    (n_rows,) = connection.execute("SELECT count(*) FROM cells").fetchone()
    return int(n_rows)


def _column(connection: Any, place: int, decimal_comma: bool) -> Array:
    """A column as whole numbers, numbers or text."""
    cell = f"c{place}"
    number = f"replace({cell}, ',', '.')" if decimal_comma else cell
    shape = f"regexp_full_match({number}, '{{}}')"
    (known, whole, numbers) = connection.execute(
        f"SELECT count({cell}), count(*) FILTER ({shape.format(_WHOLE)}), "
        f"count(*) FILTER ({shape.format(_NUMBER)}) FROM cells"
    ).fetchone()
    kind = "BIGINT" if whole == known else "DOUBLE" if numbers == known else "VARCHAR"
    value = cell if kind == "VARCHAR" else f"CAST({number} AS {kind})"
    found: Array = connection.execute(f"SELECT {value} AS v FROM cells").fetchnumpy()["v"]
    return found
