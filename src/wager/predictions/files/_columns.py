"""A column of a prediction file, and what its cells mean as SQL.

Each method that ends in ``_sql`` gives an expression for one meaning of a cell: a label as text, a
number, a flag, a bit mask, the members of a set.  The expression is NULL where the cell cannot be
read in this way.  Counting and reading therefore assume that the file is correct and check for NULL
afterwards; `_faults` then finds the row.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from wager._tables import BLANKS, LARGEST_WEIGHT, MISSING_WORDS
from wager._visible import in_one_line
from wager.predictions.files._database import quoted
from wager.predictions.files._formats import Format

__all__ = ["Check", "FileColumn", "trimmed_sql", "within_sql"]

_LARGEST = sys.float_info.max
_LARGEST_COUNT = 2**53  # larger numbers are not exact as floats
_SIGNED, _UNSIGNED = "TINYINT SMALLINT INTEGER BIGINT", "UTINYINT USMALLINT UINTEGER"
_FITS_BIGINT = (*_SIGNED.split(), *_UNSIGNED.split())
_WHOLE = (*_FITS_BIGINT, "UBIGINT", "HUGEINT", "UHUGEINT")
_REAL = ("FLOAT", "DOUBLE")
_LEAST_OF_LENGTH = f"CAST({[0, *(10**n for n in range(1, 20))]} AS UBIGINT[])"  # 0, 10, 100, ...
_JSON_WHOLE = "('BIGINT', 'UBIGINT')"


@dataclass(frozen=True)
class FileColumn:
    """A column of a prediction file.

    Parameters
    ----------
    place : int
        Its position in the file, from 0; in SQL the column is called ``c<place>``, after `prefix`.
    name : str
        Its name in the file.
    type : str
        Its DuckDB type; for JSON Lines, the JSON type of its first value.
    format : {"csv", "json", "parquet", "arrow"}
        The format of the file.
    missing : tuple of str
        The words that mean that a value is missing.
    decimal_comma : bool, default=False
        Whether a comma in a number is a decimal comma.
    prefix : str, default=""
        How the names of the file's columns begin in SQL, to distinguish several files.
    """

    place: int
    name: str
    type: str
    format: Format
    missing: tuple[str, ...] = MISSING_WORDS
    decimal_comma: bool = False
    prefix: str = ""

    @property
    def shown(self) -> str:
        """Its name in one line, for error messages."""
        return in_one_line(self.name)

    @property
    def cell(self) -> str:
        """The cell as it is."""
        return f"{self.prefix}c{self.place}"

    @property
    def key(self) -> str:
        """A name in SQL for what the cell means, which differs from the cell itself."""
        return f"{self.prefix}x{self.place}"

    @property
    def fits_bigint(self) -> bool:
        """Whether the cells can be compared with a BIGINT without conversion."""
        return self.format != "json" and self.type in _FITS_BIGINT

    @property
    def is_text(self) -> bool:
        """Whether the file declares the column as text, which a CSV file cannot do."""
        return self.format != "csv" and self.type.startswith(("VARCHAR", "ENUM"))

    @property
    def is_list(self) -> bool:
        """Whether the cells are lists."""
        return self.type == "ARRAY" if self.format == "json" else self.type.endswith("]")

    @property
    def _is_untyped(self) -> bool:
        return self.format in ("csv", "json")

    def text_sql(self) -> str:
        """Any cell as text; NULL where it is missing."""
        return (
            f"({self.cell} ->> '$')" if self.format == "json" else f"CAST({self.cell} AS VARCHAR)"
        )

    def _written_sql(self) -> str:
        """Text that is read as a number.

        DuckDB reads a column of a CSV as numbers if it is only used in a cast, even in TRY_CAST,
        and stops at a cell that is not a number; it leaves text in a function alone.
        """
        text = self.text_sql()
        return f"coalesce({text}, '')" if self.format == "csv" else text

    def name_sql(self) -> str:
        """The name of a group, a cluster or a row; NULL where it is missing."""
        text = self.text_sql()
        if not self.is_text and not self._is_untyped:
            real = self.type in _REAL
            return f"CASE WHEN NOT isnan({self.cell}) THEN {text} END" if real else text
        words = ", ".join(map(quoted, ("", *self.missing)))
        return f"CASE WHEN {trimmed_sql(text)} NOT IN ({words}) THEN trim({text}) END"

    def group_sql(self) -> str:
        """The name of a group: a whole number as it is, which is grouped faster than text."""
        return self.cell if self.fits_bigint else self.name_sql()

    def missing_sql(self, *, may_be_empty: bool = False) -> str:
        """Whether the cell is missing: true or false, never NULL.

        Parameters
        ----------
        may_be_empty : bool, default=False
            Whether empty text has a separate meaning.  A CSV file has no other NULL.
        """
        if not self._is_untyped and not self.type.startswith(("VARCHAR", "ENUM")):
            nan = f" OR isnan({self.cell})" if self.type in _REAL else ""
            return f"{self.cell} IS NULL{nan}"
        text = self.text_sql()
        words = self.missing if may_be_empty else ("", *self.missing)
        among = f"{trimmed_sql(text)} IN ({', '.join(map(quoted, words))})" if words else "false"
        if may_be_empty and self.format == "csv":
            return f"coalesce({among}, false)"
        return f"({text} IS NULL OR {among})"

    def label_sql(self) -> str:
        """A label as text: whole numbers without a decimal point, booleans as in Python.

        Blanks around it are still there: removing them from distinct labels only is faster.
        """
        cell, kind = self.cell, self.type
        if self.format == "json":
            if kind == "BOOLEAN":
                return f"CASE {cell} ->> '$' WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' END"
            if kind == "VARCHAR":
                return f"CASE WHEN json_type({cell}) = 'VARCHAR' THEN {cell} ->> '$' END"
            return (
                f"CASE WHEN json_type({cell}) IN {_JSON_WHOLE} THEN {cell} ->> '$' "
                f"WHEN json_type({cell}) = 'DOUBLE' THEN {_whole_sql(_json_double_sql(cell))} END"
            )
        return cell if kind == "VARCHAR" else _label_of_sql(cell, kind)

    def number_sql(self) -> str:
        """A number, which may still be infinite or NaN."""
        if self._is_untyped:
            text = self._written_sql()
            number = f"replace({text}, ',', '.')" if self.decimal_comma else text
            return f"TRY_CAST({number} AS DOUBLE)"
        if self.type in (*_WHOLE, *_REAL) or self.type.startswith("DECIMAL"):
            return f"CAST({self.cell} AS DOUBLE)"
        return "CAST(NULL AS DOUBLE)"

    def weight_sql(self) -> str:
        """A number from 0 to the largest weight."""
        return within_sql(self.number_sql(), low=0, high=LARGEST_WEIGHT)

    def count_sql(self) -> str:
        """A whole number from 0 up; ``2.0`` is one."""
        number = self.number_sql()
        whole = f"{number} BETWEEN 0 AND {_LARGEST_COUNT} AND {number} = trunc({number})"
        return f"CASE WHEN {whole} THEN CAST({number} AS BIGINT) END"

    def mask_sql(self) -> str:
        """An unsigned integer, which may still have bits beyond the classes."""
        cell, kind = self.cell, self.type
        if self._is_untyped:
            # A cast alone would round 3.5 and 25e-1: the text must be as long as the number.
            text = self._written_sql()
            mask = f"TRY_CAST({text} AS UBIGINT)"
            return f"CASE WHEN {mask} >= {_LEAST_OF_LENGTH}[strlen({text})] THEN {mask} END"
        if kind == "UBIGINT":
            return cell
        if kind in _REAL:
            return f"CASE WHEN {cell} = trunc({cell}) THEN TRY_CAST({cell} AS UBIGINT) END"
        if kind in _WHOLE:
            return f"TRY_CAST({cell} AS UBIGINT)"
        return "CAST(NULL AS UBIGINT)"

    def flag_sql(self) -> str:
        """1 if the set contains the class and 0 if not; see `may_exceed_one`."""
        cell, kind = self.cell, self.type
        if self._is_untyped:
            return f"CAST(TRY_CAST(trim({self.text_sql()}) AS BOOLEAN) AS UTINYINT)"
        if kind == "BOOLEAN":
            return f"CAST({cell} AS UTINYINT)"
        if kind in _WHOLE:
            return f"TRY_CAST({cell} AS UTINYINT)"
        if kind in _REAL:
            return f"CASE {cell} WHEN 1 THEN 1 WHEN 0 THEN 0 END"
        return "CAST(NULL AS UTINYINT)"

    @property
    def may_exceed_one(self) -> bool:
        """Whether `flag_sql` may give numbers above 1, which are errors."""
        return not self._is_untyped and self.type in _WHOLE

    def members_sql(self) -> str:
        """The labels of a set: as one text, or as a list of texts none of which is NULL."""
        cell, kind = self.cell, self.type
        if self.format == "csv":
            return f"coalesce({cell}, '')"  # a CSV has no NULL: an empty field is the empty set
        if self.format == "json" and kind != "ARRAY":
            return f"CASE WHEN json_type({cell}) = 'VARCHAR' THEN {cell} ->> '$' END"
        if self.format == "json":
            listed = f"CASE WHEN json_type({cell}) = 'ARRAY' THEN {cell} END"
            text = f"TRY_CAST({listed} AS VARCHAR[])"
            members = f"[{_json_member_sql('x')} for x in TRY_CAST({listed} AS JSON[])]"
            others = f"regexp_matches({cell}, '^[^\"]*[.eE]')"  # a boolean or decimals before text
            labels = f"CASE WHEN {others} THEN {members} ELSE {text} END"
        elif not kind.endswith("]"):
            return f"CAST({cell} AS VARCHAR)"
        elif (element := kind[: kind.rindex("[")]) == "BOOLEAN" or element in _REAL:
            number = f"coalesce({_label_of_sql('x', element)}, CAST(x AS VARCHAR))"
            labels = f"[{number} for x in {cell}]"
        else:
            labels = f"CAST(({cell}) AS VARCHAR[])"
        return f"CASE WHEN list_aggregate({labels}, 'count') = len({labels}) THEN {labels} END"

    def label_check(self) -> Check:
        """The check that every cell is a label."""
        wanted = "every row needs a class, as text or as a whole number"
        if self.format == "json":
            first = {"VARCHAR": "text", "BIGINT": "whole numbers", "UBIGINT": "whole numbers"}
            if self.type in first:
                kind = first[self.type]
                wanted = f"the first labels of this column are {kind}, so all of them must be"
        return Check(self, self.label_sql(), wanted)


@dataclass(frozen=True)
class Check:
    """A column, SQL that is NULL where its cell is wrong, and what is expected instead."""

    column: FileColumn
    sql: str
    wanted: str


def _whole_sql(number: str) -> str:
    """A whole number without a decimal point, as text; NULL if it is not one."""
    whole = f"isfinite({number}) AND {number} = trunc({number})"
    return f"CASE WHEN {whole} THEN CAST(TRY_CAST({number} AS HUGEINT) AS VARCHAR) END"


def _label_of_sql(value: str, kind: str) -> str:
    """A value of that DuckDB type as a label: a boolean as in Python, and no other decimals."""
    if kind == "BOOLEAN":
        return f"CASE WHEN {value} THEN 'True' WHEN NOT {value} THEN 'False' END"
    return _whole_sql(value) if kind in _REAL else f"CAST({value} AS VARCHAR)"


def _json_double_sql(value: str) -> str:
    """A number of JSON; NULL if it is so large that others are equal to it."""
    return within_sql(f"TRY_CAST({value} ->> '$' AS DOUBLE)", -(2**53), 2**53)


def _json_member_sql(value: str) -> str:
    """A member of a list of JSON as a label."""
    text = f"{value} ->> '$'"
    return (
        f"CASE json_type({value}) "
        f"WHEN 'BOOLEAN' THEN CASE {text} WHEN 'true' THEN 'True' ELSE 'False' END "
        f"WHEN 'DOUBLE' THEN coalesce({_whole_sql(_json_double_sql(value))}, {text}) "
        f"ELSE {text} END"
    )


def trimmed_sql(text: str) -> str:
    """Text without blanks around it."""
    return f"trim({text}, {quoted(BLANKS)})"


def within_sql(number: str, low: float = -_LARGEST, high: float = _LARGEST) -> str:
    """A number within bounds, which is therefore finite; NaN is outside all bounds."""
    return f"CASE WHEN {number} BETWEEN {low!r} AND {high!r} THEN {number} END"
