"""Train on one data set and predict another: what the two must agree on, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager.experiments.plan._prepare import Preparation, Table, prepare_fold
from wager.experiments.run._fit_unit import Fold, predict, ready
from wager.predictions import ProbabilityIntervals
from wager.prepare import Dataset

__all__ = ["Fitted", "declare_classes", "fit_and_predict", "like"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a trained learner says of the rows of another data set.

    Attributes
    ----------
    classes : ndarray
        The classes, in the order of the columns.
    y_true : ndarray
        The true labels.
    sets : ndarray of bool, shape (n, K)
    proba : ndarray of shape (n, K), optional
    intervals : ProbabilityIntervals, optional
    fit_seconds, predict_seconds : float
    """

    classes: Array
    y_true: Array
    sets: Bools
    proba: Floats | None
    intervals: ProbabilityIntervals | None
    fit_seconds: float
    predict_seconds: float


def fit_and_predict(
    train: Dataset,
    test: Dataset,
    learner: str,
    params: Mapping[str, Any],
    preparation: Preparation,
    random_state: int = 0,
) -> Fitted:
    """Train a learner on one data set and ask it about another.

    Parameters
    ----------
    train, test : Dataset
        With a class in every row; of the same columns (see `like`).
    learner, params
        As `make_learner` takes them.  Inside, classes are numbered 0, 1, ... in their order.
    preparation : Preparation
        Steps that learn from the training rows.
    random_state : int
        Where the learner's randomness begins.
    """
    rows, asked = Table.of(train), Table.of(test)
    y, y_test = train.target_codes.astype(np.int64), test.target_codes.astype(np.int64)
    rows, asked = prepare_fold(rows, y, asked, preparation)
    fold = Fold(rows, y, asked, y_test, np.arange(len(test)), train.classes)
    start = perf_counter()
    model = ready({"learner": learner, "params": params}, fold, random_state)
    _require_nominal(model, learner, rows, train)
    for table, data in ((rows, train), (asked, test)):
        _require_known(model, learner, table, data)
    model.fit(rows.X, y)
    fitted = perf_counter()
    sets, proba = predict(model, asked.X, len(train.classes), True)
    intervals = None
    if hasattr(model, "predict_credal"):
        intervals = _over_all(model.predict_credal(asked.X), train.classes)
    return Fitted(
        train.classes,
        train.classes[y_test],
        sets,
        proba,
        intervals,
        fitted - start,
        perf_counter() - fitted,
    )


def _require_nominal(model: Any, learner: str, rows: Table, data: Dataset) -> None:
    """Refuse numbers that a learner of nominal features cannot take for codes."""
    from sklearn.utils import get_tags

    tags = get_tags(model).input_tags
    if rows.nominal.all() or not (tags.categorical and tags.positive_only):
        return
    for j in np.flatnonzero(~rows.nominal):  # nothing was discretized: these are the data's columns
        known = rows.X[~np.isnan(rows.X[:, j]), j]
        if (known < 0).any() or (known != np.floor(known)).any():
            raise ValueError(
                f"{learner} takes nominal features, but column {data.columns[j]!r} of {data.name} "
                "holds numbers: cut them into intervals with --discretize mdl"
            )


def _require_known(model: Any, learner: str, rows: Table, data: Dataset) -> None:
    """Refuse gaps among numbers for a learner that cannot take them."""
    from sklearn.utils import get_tags

    if rows.X.dtype.kind == "f" and not get_tags(model).input_tags.allow_nan:
        gaps = np.isnan(rows.X).any(axis=1)
        if gaps.any():
            raise ValueError(
                f"{learner} takes no missing values, but row {int(gaps.argmax()) + 1} of "
                f"{data.name} has one: fill gaps with --impute"
            )


def _over_all(found: ProbabilityIntervals, classes: Array) -> ProbabilityIntervals:
    """Intervals over all classes; one that the learner never met has probability 0."""
    lower, upper = np.zeros((2, len(found), len(classes)))
    lower[:, found.classes], upper[:, found.classes] = found.lower, found.upper
    return ProbabilityIntervals(lower, upper, classes)


def declare_classes(data: Dataset, declared: Sequence[str]) -> Dataset:
    """The data set over these classes, in this order; all that occur must be among them.

    Examples
    --------
    >>> data = Dataset.from_columns("toy", {"x": [1.0, 2.0], "c": ["p", "q"]}, target="c")
    >>> declare_classes(data, ["q", "p", "r"]).target_codes.tolist()
    [1, 0]
    """
    whole = data.classes.dtype.kind in "iu" and all(_is_whole(label) for label in declared)
    return _over(data, np.array([int(label) for label in declared] if whole else list(declared)))


def like(test: Dataset, train: Dataset) -> Dataset:
    """The test rows with the columns, levels and classes of the training rows.

    A value that the training rows do not declare gets the number after the last.

    Examples
    --------
    >>> train = Dataset.from_columns("a", {"x": ["u", "v"], "c": ["p", "q"]}, target="c")
    >>> test = Dataset.from_columns("b", {"c": ["q", "q"], "x": ["w", "u"]}, target="c")
    >>> like(test, train).values[0].tolist(), like(test, train).target_codes.tolist()
    ([2, 0], [1, 1])
    """
    values = []
    for name, levels in zip(train.columns, train.levels, strict=True):
        if name not in test.columns:
            raise ValueError(
                f"{test.name} has no column {name!r}, which {train.name} has: give both the same"
            )
        j = test.columns.index(name)
        values.append(_column(test, j, levels, train.name))
    same = Dataset(
        test.name,
        train.columns,
        tuple(values),
        train.levels,
        test.target_codes,
        test.classes,
        test.target_name,
    )
    return _over(same, train.classes)


def _column(data: Dataset, j: int, levels: tuple[Any, ...] | None, other: str) -> Array:
    """A column as numbers, or as codes among levels that another data set declares."""
    values, own = data.values[j], data.levels[j]
    if levels is None:
        if own is None:
            return values
        if (values < 0).all():  # nothing is known: neither numbers nor labels
            return np.full(len(values), np.nan)
        raise ValueError(
            f"column {data.columns[j]!r} holds numbers in {other} but labels, as {own[0]!r}, in "
            f"{data.name}: give both the same"
        )
    place = {_text(level): code for code, level in enumerate(levels)}
    if own is not None:
        codes = np.array([place.get(_text(level), len(levels)) for level in own] + [-1])
        return codes[values].astype(np.int32)
    found = [-1 if np.isnan(v) else place.get(_text(v), len(levels)) for v in values.tolist()]
    return np.array(found, dtype=np.int32)


def _over(data: Dataset, classes: Array) -> Dataset:
    """The data set over these classes; labels are compared as text."""
    place = {_text(label): code for code, label in enumerate(classes.tolist())}
    codes = np.array([place.get(_text(label), -1) for label in data.classes.tolist()] + [-1])
    target: Ints = codes[data.target_codes].astype(np.int32)
    lost = (target < 0) & (data.target_codes >= 0)
    if lost.any():
        row = int(lost.argmax())
        label = data.classes[data.target_codes[row]]
        raise ValueError(
            f"{data.name} has the class {label!s} in row {row + 1}, which is not among "
            f"{', '.join(map(str, classes[:8]))}{', ...' * (len(classes) > 8)}: declare all "
            "classes with --classes"
        )
    return Dataset(
        data.name, data.columns, data.values, data.levels, target, classes, data.target_name
    )


def _text(label: Any) -> str:
    """A label as a file spells it: whole numbers without a point."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def _is_whole(label: str) -> bool:
    return label.removeprefix("-").isdigit()
