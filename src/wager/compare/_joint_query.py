"""The SQL that counts the outcomes of several files jointly, in one pass over all of them.

Rows are matched by their order, or joined by their ids.  The rows of the result are the joint
outcomes that occur, by true class and cluster, with what their rows count for, and with the number
of rows that do not fit together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wager.predictions import OutcomeRows, RowKey, text_code_sql

UNITS = {"weight": "w", "count": "k", "cluster": "cl"}  # by the name of the column


class JointQuery(NamedTuple):
    """A query over the rows of several files.

    Attributes
    ----------
    files : sequence of OutcomeRows
        The rows of each file.
    by_id : bool
        Whether all rows have ids that must be the same.
    code_type : str
        The SQL type of the numbers of classes.
    joined : bool
        Whether rows are joined by their ids instead of by their order.
    """

    files: Sequence[OutcomeRows]
    by_id: bool
    code_type: str
    joined: bool = False

    @property
    def values(self) -> list[object]:
        """The values of its parameters."""
        return [value for file in self.files for value in file.values]

    @property
    def has_numbers(self) -> bool:
        """Whether all files have whole numbers as true classes, which need not become text."""
        return all(file.truth.number is not None for file in self.files)

    def units(self) -> dict[str, str]:
        """The name of each unit in the first file that has it, by ``w``, ``k`` and ``cl``."""
        having = {name: self.having(name) for name in UNITS.values()}
        return {name: f"{files[0].prefix}{name}" for name, files in having.items() if files}

    def having(self, unit: str) -> list[OutcomeRows]:
        """The files that have a unit."""
        return [file for file in self.files if unit in file.units]

    def counts(self) -> str:
        """The joint counts: ``code``, ``c0``, ``c1``, ..., ``cl`` if there is one, and sums.

        The sums are ``n_joined``, the number of rows that are matched; ``rows``, ``total`` and
        ``squares`` as in `CellSums`; ``wrong`` and ``moved``, the numbers of rows that do not fit
        together and that have different ids; and ``named<i>``, the mask of the classes that file
        i predicts.
        """
        units = self.units()
        outcomes = [f"{file.outcome.sql} AS c{i}" for i, file in enumerate(self.files)]
        joins = " ".join(file.outcome.join for file in self.files)
        rows = f"(SELECT r.*, {', '.join(outcomes)} FROM {self._coded()} AS r {joins})"
        keys = ["code", *(f"c{i}" for i in range(len(self.files)))]
        groups = [*keys, f"{units['cl']} AS cl"] if "cl" in units else keys
        sums = {"n_joined": "count(*)", **_sums(units)}
        sums |= {name: f"count_if({sql})" for name, sql in self._misfits().items()}
        sums |= {f"named{i}": file.outcome.union for i, file in enumerate(self.files)}
        columns = ", ".join([*groups, *(f"{sql} AS {name}" for name, sql in sums.items())])
        by = ", ".join([*keys, "cl"] if "cl" in units else keys)
        return f"SELECT {columns} FROM {rows} GROUP BY {by}"

    def differences(self, condition: str) -> str:
        """The first row in which a condition holds: its number, its id, and all cells."""
        first = self.files[0].prefix
        rows = self._cells(numbered=True)
        return f"SELECT * FROM {rows} WHERE {condition} ORDER BY {first}n LIMIT 1"

    def moved_at_once(self, n: int) -> str:
        """How many of the first rows have different ids."""
        rows = f"(SELECT * FROM {self._cells()} LIMIT {n})"
        return f"SELECT count_if({self._moved()}) FROM {rows}"

    def _coded(self) -> str:
        """The cells of all files, and the number ``code`` of the true class in the first."""
        first = f"{self.files[0].prefix}y"
        code = "of_first.code"
        if not self.has_numbers:  # blanks are removed only from labels that are not known
            code = f"coalesce({code}, {text_code_sql(first, self.code_type)})"
        known = f"LEFT JOIN classes AS of_first ON cells.{first} = of_first.label"
        return f"(SELECT cells.*, {code} AS code FROM {self._cells()} AS cells {known})"

    def _cells(self, numbered: bool = False) -> str:
        cells: dict[str, str] = {}
        for file in self.files:
            cells[f"{file.prefix}y"] = self._key(file.truth, self.has_numbers)
            if self.by_id:
                cells[f"{file.prefix}id"] = self.id_of(file)
            if numbered:
                cells[f"{file.prefix}n"] = f"{file.prefix}n"
            cells |= {f"{file.prefix}{name}": sql for name, sql in file.units.items()}
            cells |= file.outcome.cells
        columns = ", ".join(f"{sql} AS {name}" for name, sql in cells.items())
        return f"(SELECT {columns} FROM {self._rows(numbered)})"

    def _rows(self, numbered: bool) -> str:
        """The rows of all files side by side."""
        tables = [file.numbered if numbered else file.table for file in self.files]
        if not self.joined:  # DuckDB reads bare tables in step, and stores neither
            return " POSITIONAL JOIN ".join(tables)
        rows, seen = tables[0], self.id_of(self.files[0])
        for table, file in zip(tables[1:], self.files[1:], strict=True):
            rows = f"{rows} FULL JOIN {table} ON {seen} = {self.id_of(file)}"
            seen = f"coalesce({seen}, {self.id_of(file)})"
        return rows

    def id_of(self, file: OutcomeRows) -> str:
        """The id of a row of a file."""
        assert file.id is not None
        return self._key(file.id, all(one.id and one.id.number for one in self.files))

    @staticmethod
    def _key(key: RowKey, as_numbers: object) -> str:
        return key.number if as_numbers and key.number is not None else key.text

    def _misfits(self) -> dict[str, str]:
        return {"wrong": self._wrong(), "moved": self._moved()}

    def _wrong(self) -> str:
        """Whether a row is wrong, or missing, or not the same in all files."""
        wrong = ["code IS NULL", *(f"c{i} IS NULL" for i in range(len(self.files)))]
        wrong += [self.differ_in_truth(other) for other in self.files[1:]]
        if self.by_id:
            wrong += [f"{file.prefix}id IS NULL" for file in self.files]
        for unit, name in self.units().items():
            wrong.append(f"{name} IS NULL")
            wrong += [
                f"{other.prefix}{unit} IS DISTINCT FROM {name}" for other in self.having(unit)[1:]
            ]
        return " OR ".join(wrong)

    def differ_in_truth(self, other: OutcomeRows) -> str:
        """Whether the true class is another one than in the first file."""
        y, first = f"{other.prefix}y", f"{self.files[0].prefix}y"
        if self.has_numbers:
            return f"{y} IS DISTINCT FROM {first}"
        code = f"coalesce({text_code_sql(y)} <> {text_code_sql(first)}, true)"
        return f"CASE WHEN {y} = {first} THEN false ELSE {code} END"

    def _moved(self) -> str:
        if not self.by_id or self.joined:
            return "false"
        first, *others = (f"{file.prefix}id" for file in self.files)
        return " OR ".join(f"{other} IS DISTINCT FROM {first}" for other in others)


def _sums(units: dict[str, str]) -> dict[str, str]:
    """The number of observations of a group of rows, their total, and the sum of squares."""
    w, k = units.get("w"), units.get("k")
    if w is None:
        rows = "count(*)" if k is None else f"CAST(sum({k}) AS BIGINT)"
        return {"rows": rows, "total": rows, "squares": "CAST(NULL AS DOUBLE)"}
    times = "" if k is None else f"{k} * "
    rows = f"count_if({w} > 0)" if k is None else f"sum(CASE WHEN {w} > 0 THEN {k} ELSE 0 END)"
    return {
        "rows": f"CAST({rows} AS BIGINT)",
        "total": f"sum({times}{w})",
        "squares": f"sum({times}{w} * {w})",
    }
