"""What a cell of a prediction file means, as SQL.

Each function gives an expression for one column: a label as text, a number, a flag, a bit mask, the
members of a set.  The expression is NULL where the cell holds no such thing, so that counting
reads a file as if all were well and afterwards sees whether it was (`_files_faults` then says where
it was not).
"""

from __future__ import annotations

import sys

from wager.predictions.files._source import Source

__all__ = [
    "flag_sql",
    "is_text",
    "is_whole",
    "label_sql",
    "mask_sql",
    "may_exceed_one",
    "members_sql",
    "number_sql",
    "text_sql",
    "weight_sql",
    "within_sql",
]

_MOST = sys.float_info.max
_SIGNED, _UNSIGNED = "TINYINT SMALLINT INTEGER BIGINT", "UTINYINT USMALLINT UINTEGER"
_FITS_BIGINT = (*_SIGNED.split(), *_UNSIGNED.split())
_WHOLE = (*_FITS_BIGINT, "UBIGINT", "HUGEINT", "UHUGEINT")
_REAL = ("FLOAT", "DOUBLE")
_LEAST_OF_LENGTH = f"CAST({[0, *(10**n for n in range(1, 20))]} AS UBIGINT[])"  # 0, 10, 100, ...
_JSON_WHOLE = "('BIGINT', 'UBIGINT')"


def is_whole(source: Source, place: int) -> bool:
    """Whether a column can be compared with a BIGINT as it is."""
    return source.format != "json" and source.types[place] in _FITS_BIGINT


def is_text(source: Source, place: int) -> bool:
    """Whether a column is text by declaration; that of a CSV is only text for want of types."""
    return source.format != "csv" and source.types[place].startswith(("VARCHAR", "ENUM"))


def label_sql(source: Source, place: int) -> str:
    """A label, as text: whole numbers without a point, booleans as Python spells them."""
    cell, kind = f"c{place}", source.types[place]
    if source.format == "json":
        if kind == "BOOLEAN":
            return f"CASE {cell} ->> '$' WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' END"
        wanted = f"= '{kind}'" if kind == "VARCHAR" else f"IN {_JSON_WHOLE}"
        return f"CASE WHEN json_type({cell}) {wanted} THEN {cell} ->> '$' END"
    if kind == "BOOLEAN":
        return f"CASE WHEN {cell} THEN 'True' WHEN NOT {cell} THEN 'False' END"
    if kind in _REAL:
        whole = f"isfinite({cell}) AND {cell} = trunc({cell})"
        return f"CASE WHEN {whole} THEN CAST(TRY_CAST({cell} AS HUGEINT) AS VARCHAR) END"
    return cell if kind == "VARCHAR" else f"CAST({cell} AS VARCHAR)"


def text_sql(source: Source, place: int) -> str:
    """Whatever a cell holds, as text; NULL where it is missing."""
    cell = f"c{place}"
    return f"({cell} ->> '$')" if source.format == "json" else f"CAST({cell} AS VARCHAR)"


def number_sql(source: Source, place: int) -> str:
    """A number, which may still be infinite or NaN."""
    kind = source.types[place]
    if source.format in ("csv", "json"):
        return f"TRY_CAST({text_sql(source, place)} AS DOUBLE)"
    if kind in (*_WHOLE, *_REAL) or kind.startswith("DECIMAL"):
        return f"CAST(c{place} AS DOUBLE)"
    return "CAST(NULL AS DOUBLE)"


def within_sql(number: str, low: float = -_MOST, high: float = _MOST) -> str:
    """A number within bounds, and so finite; NaN is beyond any bound."""
    return f"CASE WHEN {number} BETWEEN {low!r} AND {high!r} THEN {number} END"


def weight_sql(source: Source, place: int) -> str:
    """A finite number that is not negative."""
    return within_sql(number_sql(source, place), low=0)


def mask_sql(source: Source, place: int) -> str:
    """An unsigned integer, which may still have bits beyond the classes."""
    cell, kind = f"c{place}", source.types[place]
    if kind == "UBIGINT" and source.format != "json":
        return cell
    if source.format in ("csv", "json"):
        # A cast alone would round 3.5 and 25e-1: the text must be as long as the number.
        text = text_sql(source, place)
        mask = f"TRY_CAST({text} AS UBIGINT)"
        return f"CASE WHEN {mask} >= {_LEAST_OF_LENGTH}[strlen({text})] THEN {mask} END"
    if kind in _REAL:
        return f"CASE WHEN {cell} = trunc({cell}) THEN TRY_CAST({cell} AS UBIGINT) END"
    if kind in _WHOLE:
        return f"TRY_CAST({cell} AS UBIGINT)"
    return "CAST(NULL AS UBIGINT)"


def flag_sql(source: Source, place: int) -> str:
    """1 for a class that a set holds, 0 for another; whole numbers may still be larger."""
    cell, kind = f"c{place}", source.types[place]
    if source.format in ("csv", "json"):
        return f"CAST(TRY_CAST({text_sql(source, place)} AS BOOLEAN) AS UTINYINT)"
    if kind == "BOOLEAN":
        return f"CAST({cell} AS UTINYINT)"
    if kind in _WHOLE:
        return f"TRY_CAST({cell} AS UTINYINT)"
    if kind in _REAL:
        return f"CASE {cell} WHEN 1 THEN 1 WHEN 0 THEN 0 END"
    return "CAST(NULL AS UTINYINT)"


def may_exceed_one(source: Source, place: int) -> bool:
    """Whether `flag_sql` lets numbers above 1 through."""
    return source.format not in ("csv", "json") and source.types[place] in _WHOLE


def members_sql(source: Source, place: int) -> str:
    """The labels of a set: joined as text, or a list of texts none of which is NULL."""
    cell, kind = f"c{place}", source.types[place]
    if source.format == "csv":
        return f"coalesce({cell}, '')"  # a CSV has no NULL: an empty field is the empty set
    if source.format == "json" and kind != "ARRAY":
        return f"CASE WHEN json_type({cell}) = 'VARCHAR' THEN {cell} ->> '$' END"
    if source.format == "json":
        cell = f"CASE WHEN json_type({cell}) = 'ARRAY' THEN TRY_CAST({cell} AS VARCHAR[]) END"
    elif not kind.endswith("]"):
        return f"CAST({cell} AS VARCHAR)"
    labels = f"CAST(({cell}) AS VARCHAR[])"
    return f"CASE WHEN list_aggregate({labels}, 'count') = len({labels}) THEN {labels} END"
