"""Train a learner on a file that stays on disk, if it learns from counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from wager._dask import DaskEngine
from wager._tables import Counts, PairCounts
from wager._typing import Array, Floats, Ints
from wager.experiments.plan import Preparation, PreparedTable, Step, cut_numbers, make_discretizer
from wager.experiments.run._fit_predict import (
    FittedLearner,
    declared_labels,
    label_text,
    training_data,
)
from wager.experiments.run._fit_unit import configured_learner
from wager.learners import FitCountsMixin, make_learner
from wager.prepare import CodedColumn, Dataset, ValueCounts, count_pairs, count_values, open_rows

__all__ = ["NumericColumnError", "can_fit_file", "fit_learner_on_file"]


class NumericColumnError(ValueError):
    """A learner cannot learn from counts, since a column has numbers that are not discretized."""


def can_fit_file(learner: str, params: Mapping[str, Any], preparation: Preparation) -> bool:
    """Whether the learner, and the preparation of its rows, can be learnt from counts.

    Examples
    --------
    >>> can_fit_file("naive-credal", {}, Preparation(discretize="mdl"))
    True
    >>> can_fit_file("c45", {}, Preparation())
    False
    """
    settings = preparation.identity().keys()
    if not settings <= {"discretize", "n_bins", "encoding", "criterion"}:
        return False
    model = make_learner(learner, params)
    return isinstance(model, FitCountsMixin) and model.learns_from_counts()


def fit_learner_on_file(
    path: str | Path,
    target: str | None,
    learner: str,
    params: Callable[[Dataset], Mapping[str, Any]],
    preparation: Preparation,
    *,
    classes: Sequence[str] | None = None,
    random_state: int = 0,
    progress: Callable[[float], None] | None = None,
    engine: DaskEngine | None = None,
) -> FittedLearner:
    """Train a learner on a CSV or Parquet file of any length; the result equals `fit_learner`.

    Parameters
    ----------
    path, target
        The file and the column of the class.
    learner
        The name of a learner for which `can_fit_file` is true.
    params : callable
        Returns its parameters, given the columns, levels and classes of the file.
    preparation : Preparation
        At most a discretization.
    classes : sequence of str, optional
        The declared classes, in their order.
    random_state : int
        The random state of the learner.
    progress : callable, optional
        Called from time to time with the fraction of the work that is done.
    engine : DaskEngine, optional
        Counts parts of a Parquet file on a cluster; a CSV file is counted on this machine.
    """
    start = perf_counter()
    cut = preparation.discretize != "none"
    with open_rows(path, target, progress=progress) as (rows, features):
        found = count_values(
            rows, str(target), features, bins=cut, progress=progress, engine=engine
        )
        n_rows = rows.n_rows
        name = rows.table.path.name.split(".", 1)[0]
        found, labels = _declared(found, classes, name)
        data = _described(found, labels, name, str(target))
        cuts, prepare = _preparation(found, data, preparation, learner)
        X = _no_rows(data, cuts)
        unit = training_data(X, np.zeros(0, dtype=np.int64), labels)
        what = {"learner": learner, "params": params(data)}
        model = configured_learner(what, unit, random_state)
        counts: Counts | PairCounts = _counts(found, cuts, X.n_values)
        if model.needs_pairs:
            coded = [
                CodedColumn(rows.place(name), column.labels, c)
                for name, column, c in zip(features, found.columns, cuts, strict=True)
            ]
            truth = CodedColumn(rows.place(str(target)), found.classes)
            counts = count_pairs(rows, truth, coded, X.n_values, progress, engine)
        model.fit_counts(counts)
    left_out = n_rows - found.n_rows
    return FittedLearner(
        model, learner, data, found.n_rows, prepare, perf_counter() - start, left_out
    )


def _declared(
    found: ValueCounts, classes: Sequence[str] | None, name: str
) -> tuple[ValueCounts, Array]:
    """The counts with the declared classes in their order, and the labels of these classes."""
    labels = np.array(found.classes)
    if classes is None:
        return found, labels
    declared = declared_labels(labels, classes)
    own = {label_text(label): label for label in found.classes}
    order = [own.pop(label_text(label), label) for label in declared.tolist()]
    if own:
        raise ValueError(
            f"{name} has the class {next(iter(own))}, which is not among "
            f"{', '.join(map(str, declared[:8]))}{', ...' * (len(declared) > 8)}: declare all "
            "classes with --classes"
        )
    return found.of_classes(tuple(order)), declared


def _described(found: ValueCounts, labels: Array, name: str, target: str) -> Dataset:
    """A data set without rows, with the columns, levels and classes of the file."""
    return Dataset(
        name,
        found.names,
        tuple(np.zeros(0, dtype=np.float64 if c.is_numeric else np.int32) for c in found.columns),
        tuple(column.labels for column in found.columns),
        np.zeros(0, dtype=np.int32),
        labels,
        target,
    )


def _preparation(
    found: ValueCounts, data: Dataset, preparation: Preparation, learner: str
) -> tuple[list[Floats | None], Step]:
    """The cuts of each column (None for labels), and the function that prepares rows."""
    cuts: list[Floats | None] = [None] * len(found.names)
    numeric = np.flatnonzero(~found.nominal)
    if not len(numeric):
        return cuts, lambda rows: rows
    if preparation.discretize == "none":
        raise NumericColumnError(
            f"{learner} takes nominal features, but column {found.names[numeric[0]]!r} of "
            f"{data.name} has numbers: discretize them with --discretize mdl"
        )
    discretizer = make_discretizer(preparation).fit_counts(found.of_columns(numeric))
    del discretizer.feature_names_in_  # prepared rows are arrays, whose columns have no names
    del discretizer.counts_  # all values of the file, which a saved learner does not need
    for j, column in zip(numeric, discretizer.cuts_, strict=True):
        cuts[j] = column
    return cuts, cut_numbers(data.nominal, data.n_values, discretizer, preparation)


def _no_rows(data: Dataset, cuts: Sequence[Floats | None]) -> PreparedTable:
    """A prepared table without rows, with the number of values of each column."""
    n_values = data.n_values
    for j, column in enumerate(cuts):
        if column is not None:
            n_values[j] = len(column) + 1
    codes = np.zeros((0, len(cuts)), dtype=np.int32)
    return PreparedTable(codes, np.ones(len(cuts), dtype=bool), n_values)


def _counts(found: ValueCounts, cuts: Sequence[Floats | None], n_values: Ints) -> Counts:
    """The counts of labels and of intervals."""
    none = np.zeros((0, len(found.classes)), dtype=np.int64)
    tables = [
        column.table if c is None else column.by_interval(c)
        for column, c in zip(found.columns, cuts, strict=True)
    ]
    return Counts(np.concatenate([none, *tables]), found.rows, n_values)
