"""Write predictions to a file that any program can read, and that `read_predictions` reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import check_counts, check_weights, counted, refuse_final_nul
from wager._typing import Array, ArrayLike
from wager.predictions._intervals import ProbabilityIntervals
from wager.predictions.files._classes import label_column, refuse_unsaved
from wager.predictions.files._output import Columns, writing_columns
from wager.predictions.files.forms import writer_of

__all__ = ["write_predictions", "writing_predictions"]

_PREDICTIONS = ("y_pred", "sets", "proba", "memberships", "intervals")


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
    count: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    group: ArrayLike | None = None,
    id: ArrayLike | None = None,
) -> None:
    """Write predictions to a file, one row per test instance.

    Several kinds of predictions of one classifier can be written side by side.  The file appears
    complete or not at all.

    Parameters
    ----------
    path : path
        A name that ends in .csv, .csv.gz, .parquet, .jsonl, .arrow or .feather; the ending
        determines the format.
    y_true : array-like of shape (n,)
        The true labels: text or whole numbers.
    y_pred : array-like of shape (n,), optional
        One predicted label per row.
    sets : anything `as_sets` takes, optional
        One predicted set per row.
    proba, memberships : array-like of shape (n, K), optional
        Probabilities, or raw membership values.
    intervals : ProbabilityIntervals, optional
        Lower and upper probabilities.
    classes : array-like of shape (K,), optional
        The classes of the columns; needed if neither the predictions nor the true labels name them.
    form : {"set", "list", "mask", "in"}
        How `sets` are written: as text, as a list (not in CSV), as an integer with one bit for
        each of at most 64 classes, or as one 0/1 column per class.
    weight, count, cluster, group, id : array-like of shape (n,), optional
        Further columns: an importance weight of each row, how many observations it stands for,
        the cluster of rows that may depend on each other, a group to report, and an identifier.

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
    with writing_predictions(path) as write:
        write(
            y_true,
            y_pred=y_pred,
            sets=sets,
            proba=proba,
            intervals=intervals,
            memberships=memberships,
            classes=classes,
            form=form,
            weight=weight,
            count=count,
            cluster=cluster,
            group=group,
            id=id,
        )


@contextmanager
def writing_predictions(path: str | PathLike[str]) -> Iterator[Callable[..., None]]:
    """A function that writes the predictions of some rows at a time.

    Its arguments are those of `write_predictions` after the path; every call must have the same
    kinds of predictions.  The file appears when all rows are written, or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sets.csv"
    ...     with writing_predictions(file) as write:
    ...         for truth in ("cat", "dog"):
    ...             write([truth], sets=[["cat", "dog"]])
    ...     print(file.read_text())
    "y_true","set"
    "cat","cat|dog"
    "dog","cat|dog"
    """
    with writing_columns(Path(path)) as write:
        yield lambda y_true, **predictions: write(_prediction_columns(y_true, **predictions))


def _prediction_columns(
    y_true: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    form: str = "set",
    weight: ArrayLike | None = None,
    count: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    group: ArrayLike | None = None,
    id: ArrayLike | None = None,
    **given: Any,
) -> Columns:
    """The columns of a prediction file."""
    truth = label_column(y_true, "y_true")
    columns: Columns = {"y_true": truth}
    for argument in _PREDICTIONS:
        if given.get(argument) is not None:
            writer = writer_of(argument, form, given[argument])
            columns |= writer.write(given[argument], classes, truth)
    if len(columns) == 1:
        raise ValueError(
            f"pass the predictions as one or more of {', '.join(_PREDICTIONS)}, got none"
        )
    if weight is not None:
        columns |= {"weight": np.asarray(check_weights(weight, len(truth), squared=False))}
    if count is not None:
        columns |= {"count": np.asarray(check_counts(count, len(truth)))}
    if cluster is not None:
        columns |= {"cluster": _text_column(label_column(cluster, "cluster"), "cluster")}
    columns |= {
        name: _text_column(values, name)
        for name, values in (("group", group), ("id", id))
        if values is not None
    }
    for name, values in columns.items():
        if len(values) != len(truth):
            raise ValueError(
                f"y_true has {counted(len(truth), 'row')} but {name} has {len(values)}: pass one "
                "value per row"
            )
    return columns


def _text_column(values: ArrayLike, name: str) -> Array:
    if isinstance(values, (list, tuple)):
        refuse_final_nul(values, name)
    column = np.asarray(values)
    if column.dtype.kind in "iu":
        return column
    texts = [None if v is None else str(v) for v in column.tolist()]
    refuse_unsaved(texts, name)
    return np.array(texts, dtype=object)
