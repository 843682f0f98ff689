"""Write predictions to a file that any program can read, and that `read_predictions` reads back.

A file appears whole or not at all: it is written under another name beside its place, and moved
there when it is complete.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from wager._atomic import replacing
from wager._tables import check_classes, check_weights, encode_labels
from wager._typing import Array, ArrayLike
from wager.predictions._dispatch import as_sets
from wager.predictions._intervals import ProbabilityIntervals
from wager.predictions._sets import PredictionSets
from wager.predictions._strings import join_labels
from wager.predictions.files._classes import class_texts
from wager.predictions.files._source import connect, file_format, quoted

__all__ = ["write_predictions"]

Table = dict[str, Array]
_ROWS = 1 << 16  # rows that are turned into text at a time
_SET_FORMS = ("set", "list", "mask", "in")


def write_predictions(
    path: str | PathLike[str],
    y_true: ArrayLike,
    *,
    y_pred: ArrayLike | None = None,
    sets: Any = None,
    proba: ArrayLike | None = None,
    intervals: ProbabilityIntervals | None = None,
    memberships: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    form: str = "set",
    weight: ArrayLike | None = None,
    group: ArrayLike | None = None,
    id: ArrayLike | None = None,
) -> None:
    """Write predictions, one row a test instance; several kinds of one classifier side by side.

    Parameters
    ----------
    path : path
        Ends in .csv, .csv.gz, .parquet, .jsonl, .arrow or .feather, which tells the format.
    y_true : array-like of shape (n,)
        The true labels: text or whole numbers.
    y_pred : array-like of shape (n,), optional
        One predicted label a row.
    sets : anything `as_sets` takes, optional
        One predicted set a row.
    proba, memberships : array-like of shape (n, K), optional
        Probabilities, or raw membership values.
    intervals : ProbabilityIntervals, optional
        Lower and upper probabilities.
    classes : array-like of shape (K,), optional
        The classes of the columns; needed where predictions do not name them.
    form : {"set", "list", "mask", "in"}
        How `sets` are written: as text, as a list (not in CSV), as an integer with a bit for each
        of at most 64 classes, or as a 0/1 column for each class.
    weight, group, id : array-like of shape (n,), optional
        Written beside the predictions.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sets.csv"
    ...     write_predictions(file, ["cat", "dog"], sets=[["cat", "dog"], ["dog"]])
    ...     print(file.read_text())
    "y_true","set"
    "cat","cat|dog"
    "dog","dog"
    """
    said = {
        "y_pred": y_pred,
        "sets": sets,
        "proba": proba,
        "intervals": intervals,
        "memberships": memberships,
    }
    if all(value is None for value in said.values()):
        raise ValueError(f"pass the predictions as one or more of {', '.join(said)}, got none")
    truth = _label_column(y_true, "y_true")
    table: Table = {"y_true": truth}
    if y_pred is not None:
        table["y_pred"] = _label_column(y_pred, "y_pred")
    if sets is not None:
        table |= _set_columns(as_sets(sets, classes), form)
    for prefix, given in (("p:", proba), ("m:", memberships)):
        if given is not None:
            values = np.asarray(given, dtype=np.float64)
            table |= _class_columns(prefix, values, _column_names(values, truth, classes))
    if intervals is not None:
        names = class_texts(intervals.classes)
        table |= _class_columns("lower:", intervals.lower, names)
        table |= _class_columns("upper:", intervals.upper, names)
    if weight is not None:
        checked = check_weights(weight, len(truth))
        assert checked is not None
        table["weight"] = checked
    for name, column in (("group", group), ("id", id)):
        if column is not None:
            table[name] = _text_column(column)
    for name, values in table.items():
        if len(values) != len(truth):
            raise ValueError(
                f"y_true has {len(truth)} rows but {name} has {len(values)}: pass one value a row"
            )
    _write(Path(path), table)


def _label_column(labels: ArrayLike, name: str) -> Array:
    codes, distinct = encode_labels(labels, name=name)
    return _plain_labels(distinct, name)[codes]


def _plain_labels(labels: Array, name: str) -> Array:
    """Labels as a file holds them: whole numbers, or else text."""
    if labels.dtype.kind in "iu":
        return labels
    if labels.dtype.kind == "f":
        if not (labels == np.trunc(labels)).all():
            raise ValueError(f"{name} holds fractions: labels in a file are text or whole numbers")
        return labels.astype(np.int64)
    texts = np.array([str(label) for label in labels.tolist()], dtype=object)
    for text in texts:
        if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in text):
            raise ValueError(f"{name} holds {text!r}, which is no text that a file can hold")
    return texts


def _text_column(values: ArrayLike) -> Array:
    column = np.asarray(values)
    if column.dtype.kind in "iu":
        return column
    return np.array([None if v is None else str(v) for v in column.tolist()], dtype=object)


def _set_columns(sets: PredictionSets, form: str) -> Table:
    names = class_texts(sets.classes)
    if form == "in":
        return _class_columns("in:", sets.to_indicator().astype(np.uint8), names)
    if form == "mask":
        if len(names) > 64:
            raise ValueError(
                f"a mask has bits for 64 classes and there are {len(names)}: write form='set'"
            )
        return {"mask": sets.words[:, 0]}
    if form not in _SET_FORMS:
        raise ValueError(f"form must be one of {', '.join(_SET_FORMS)}, got {form!r}")
    column = np.empty(len(sets), dtype=object)
    labels = _plain_labels(sets.classes, "classes")
    for row, kept in enumerate(sets.to_indicator()):
        members = labels[kept].tolist()
        column[row] = members if form == "list" else join_labels(map(str, members))
    return {"set": column}


def _column_names(values: Array, truth: Array, classes: ArrayLike | None) -> list[str]:
    if values.ndim != 2:
        raise ValueError(f"predictions need a column a class, got the shape {values.shape}")
    if classes is None:
        return class_texts(encode_labels(truth, n_classes=values.shape[1])[1])
    return class_texts(check_classes(classes))


def _class_columns(prefix: str, values: Array, names: list[str]) -> Table:
    if values.shape[1] != len(names):
        raise ValueError(f"there are {values.shape[1]} columns but {len(names)} classes")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"{prefix}{names[column]} is {values[row, column]} in row {row}")
    return {f"{prefix}{name}": values[:, i] for i, name in enumerate(names)}


def _write(path: Path, table: Table) -> None:
    writers: dict[str, Callable[[Path, Table, bool], None]] = {
        "csv": _write_csv,
        "json": _write_json,
        "parquet": _write_parquet,
        "arrow": _write_arrow,
    }
    writer = writers[file_format(path)]
    with replacing(path) as draft:
        writer(draft, table, path.suffix.lower() == ".gz")


def _write_csv(path: Path, table: Table, zipped: bool) -> None:
    if any(isinstance(v, list) for v in table.get("set", [])[:1]):
        raise ValueError("a CSV file has no lists: write form='set', or a Parquet or JSON file")
    with _open_text(path, zipped) as file:
        file.write(",".join(map(_csv_cell, table)) + "\n")
        for row in _rows(table):
            file.write(",".join(map(_csv_cell, row)) + "\n")


def _csv_cell(value: Any) -> str:
    """Text in quotes, so that an empty one differs from a missing one; numbers bare."""
    if value is None:
        return ""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)


def _write_json(path: Path, table: Table, zipped: bool) -> None:
    with _open_text(path, zipped) as file:
        for row in _rows(table):
            line = dict(zip(table, row, strict=True))
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _open_text(path: Path, zipped: bool) -> IO[str]:
    if zipped:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def _rows(table: Table) -> Iterator[tuple[Any, ...]]:
    """The rows as plain Python values."""
    columns = list(table.values())
    for start in range(0, len(columns[0]), _ROWS):
        yield from zip(*(c[start : start + _ROWS].tolist() for c in columns), strict=True)


def _write_parquet(path: Path, table: Table, zipped: bool) -> None:
    lower = [name.lower() for name in table]
    if len(set(lower)) < len(lower):
        twice = next(name for name in table if lower.count(name.lower()) > 1)
        raise ValueError(
            f"the column {twice} differs from another by upper and lower case alone, which DuckDB "
            "cannot write to Parquet: write CSV or JSON Lines, or sets with form='set'"
        )
    with connect() as con:
        con.register("rows", {f"c{i}": column for i, column in enumerate(table.values())})
        named = ", ".join(
            f"{_column_sql(column, i)} AS {_identifier(name)}"
            for i, (name, column) in enumerate(table.items())
        )
        con.execute(f"COPY (SELECT {named} FROM rows) TO {quoted(str(path))} (FORMAT parquet)")


def _column_sql(column: Array, place: int) -> str:
    if column.dtype != object:
        return f"c{place}"
    lists = any(isinstance(value, list) for value in column[:1])
    if not lists:
        return f"CAST(c{place} AS VARCHAR)"
    whole = any(isinstance(label, int) for value in column for label in value[:1])
    return f"CAST(c{place} AS {'BIGINT' if whole else 'VARCHAR'}[])"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _write_arrow(path: Path, table: Table, zipped: bool) -> None:
    try:
        import pyarrow
        import pyarrow.feather
    except ImportError:
        raise ValueError(
            "writing Arrow files needs pyarrow: install wager[frames], or write Parquet"
        ) from None
    columns = [
        pyarrow.array(column.tolist(), type=_arrow_type(pyarrow, column))
        if column.dtype == object
        else pyarrow.array(column)
        for column in table.values()
    ]
    pyarrow.feather.write_feather(pyarrow.table(columns, names=list(table)), str(path))


def _arrow_type(pyarrow: Any, column: Array) -> Any:
    if not any(isinstance(value, list) for value in column[:1]):
        return pyarrow.string()
    whole = any(isinstance(label, int) for value in column for label in value[:1])
    return pyarrow.list_(pyarrow.int64() if whole else pyarrow.string())
