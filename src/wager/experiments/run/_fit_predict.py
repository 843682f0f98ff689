"""Train a learner on one data set and predict others with the same columns and classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats, Ints
from wager._visible import brief
from wager.experiments.plan import (
    Preparation,
    PreparedTable,
    Step,
    first_column_of_numbers,
    learn_steps,
)
from wager.experiments.run._fit_unit import configured_learner, predict
from wager.experiments.run._unit_data import UnitData
from wager.learners import make_learner
from wager.predictions import ProbabilityIntervals
from wager.prepare import Dataset

__all__ = ["Fitted", "FittedLearner", "declare_classes", "fit_learner", "like"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """The predictions of a trained learner for some rows.

    Attributes
    ----------
    classes : ndarray
        The classes, in the order of the columns.
    y_true : ndarray
        The true labels.
    sets : ndarray of bool, shape (n, K)
    proba : ndarray of shape (n, K), optional
    intervals : ProbabilityIntervals, optional
    predict_seconds : float
    """

    classes: Array
    y_true: Array
    sets: Bools
    proba: Floats | None
    intervals: ProbabilityIntervals | None
    predict_seconds: float


@dataclass(frozen=True, eq=False)
class FittedLearner:
    """A trained learner with the preparation of its rows.

    Attributes
    ----------
    model : estimator
        It predicts the classes as 0, 1, ... in their order.
    learner : str
        Its name.
    data : Dataset
        The columns, levels and classes of the training rows.
    n_rows : int
        The number of training rows.
    prepare : callable
        Prepares rows as the training rows were prepared.
    fit_seconds : float
    n_left_out : int, default=0
        The number of rows of a file on disk that are left out because they have no class.
    """

    model: Any
    learner: str
    data: Dataset
    n_rows: int
    prepare: Step
    fit_seconds: float
    n_left_out: int = 0

    def predict(self, test: Dataset, places: Ints | None = None) -> Fitted:
        """The predictions for rows with the same columns and a class in every row.

        ``places`` are the numbers of the rows in their file, from 0, for error messages.
        """
        asked = like(test, self.data, places)
        rows = self.prepare(PreparedTable.of(asked))
        _require_known(self.model, self.learner, rows, asked, places)
        start = perf_counter()
        classes = self.data.classes
        sets, proba = predict(self.model, rows.X, len(classes), True)
        intervals = None
        if hasattr(self.model, "predict_credal"):
            intervals = _for_all_classes(self.model.predict_credal(rows.X), classes)
        seconds = perf_counter() - start
        return Fitted(classes, classes[asked.target_codes], sets, proba, intervals, seconds)


def fit_learner(
    train: Dataset,
    learner: str,
    params: Mapping[str, Any],
    preparation: Preparation,
    random_state: int = 0,
    places: Ints | None = None,
) -> FittedLearner:
    """Train a learner on a data set.

    Parameters
    ----------
    train : Dataset
        A data set with a class in every row.
    learner, params
        The arguments of `make_learner`.  The learner sees the classes as 0, 1, ... in their order.
    preparation : Preparation
        Steps that learn from the training rows.
    random_state : int
        The random state of the learner.
    places : ndarray of int, optional
        The numbers of the rows in their file, from 0, for error messages.
    """
    y = train.target_codes.astype(np.int64)
    X, prepare = learn_steps(PreparedTable.of(train), y, preparation)
    start = perf_counter()
    model = configured_learner(
        {"learner": learner, "params": params}, training_data(X, y, train.classes), random_state
    )
    _require_nominal(learner, params, X, train)
    _require_known(model, learner, X, train, places)
    model.fit(X.X, y)
    none = train.rows(np.zeros(0, dtype=np.intp))
    return FittedLearner(model, learner, none, len(train), prepare, perf_counter() - start)


def training_data(X: PreparedTable, y: Ints, classes: Array) -> UnitData:
    """Training rows without any test rows."""
    none = np.zeros(0, dtype=np.int64)
    return UnitData(X, y, X.rows(none), none, none, classes)


def _require_nominal(learner: str, params: Any, rows: PreparedTable, data: Dataset) -> None:
    """Refuse numeric columns that a learner of nominal features would take for codes."""
    if rows.nominal.all():
        return
    place = first_column_of_numbers(make_learner(learner, params), rows.X, rows.nominal)
    if place is not None:  # nothing was discretized, so these are the columns of the data
        raise ValueError(
            f"{learner} takes nominal features, but column {data.columns[place]!r} of {data.name} "
            "has numbers: discretize them with --discretize mdl"
        )


def _require_known(
    model: Any, learner: str, rows: PreparedTable, data: Dataset, places: Ints | None = None
) -> None:
    """Refuse missing numbers if the learner does not accept them."""
    from sklearn.utils import get_tags

    if rows.X.dtype.kind == "f" and not get_tags(model).input_tags.allow_nan:
        missing = np.isnan(rows.X).any(axis=1)
        if missing.any():
            row = _row_number(int(missing.argmax()), places)
            raise ValueError(
                f"{learner} does not accept missing values, but row {row} of {data.name} has one: "
                "fill them with --impute"
            )


def _row_number(row: int, places: Ints | None) -> int:
    """The number of a row in its file, from 1."""
    return 1 + (row if places is None else int(places[row]))


def _for_all_classes(found: ProbabilityIntervals, classes: Array) -> ProbabilityIntervals:
    """Intervals for all classes; a class unknown to the learner has probability 0."""
    lower, upper = np.zeros((2, len(found), len(classes)))
    lower[:, found.classes], upper[:, found.classes] = found.lower, found.upper
    return ProbabilityIntervals(lower, upper, classes)


def declare_classes(data: Dataset, declared: Sequence[str], places: Ints | None = None) -> Dataset:
    """The data set with these classes, in this order; they must include all classes that occur.

    ``places`` are the numbers of the rows in their file, from 0, for error messages.

    Examples
    --------
    >>> data = Dataset.from_columns("toy", {"x": [1.0, 2.0], "c": ["p", "q"]}, target="c")
    >>> declare_classes(data, ["q", "p", "r"]).target_codes.tolist()
    [1, 0]
    """
    return _with_classes(data, declared_labels(data.classes, declared), places)


def declared_labels(classes: Array, declared: Sequence[str]) -> Array:
    """The declared classes: whole numbers if they are, and the classes of the data are too."""
    whole = classes.dtype.kind in "iu" and all(_is_whole(label) for label in declared)
    return np.array([int(label) for label in declared] if whole else list(declared))


def like(test: Dataset, train: Dataset, places: Ints | None = None) -> Dataset:
    """The test rows with the columns, levels and classes of the training rows.

    A value that the training data does not declare gets the code after the last declared one.
    ``places`` are the numbers of the rows in their file, from 0, for error messages.

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
                f"{test.name} has no column {brief(name)}, but {train.name} has: both need the "
                "same columns"
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
    return _with_classes(same, train.classes, places)


def _column(data: Dataset, j: int, levels: tuple[Any, ...] | None, other: str) -> Array:
    """A column as numbers, or as codes of the levels that another data set declares."""
    values, own = data.values[j], data.levels[j]
    if levels is None:
        if own is None:
            return values
        if (values < 0).all():  # all values are missing, so they may be taken as numbers
            return np.full(len(values), np.nan)
        raise ValueError(
            f"column {data.columns[j]!r} has numbers in {other} but labels such as {own[0]!r} in "
            f"{data.name}: both need the same kind of values"
        )
    code_of, unknown = _finder_of_codes(levels), len(levels)
    if own is not None:
        codes = np.array([code_of(level, unknown) for level in own] + [-1])
        return codes[values].astype(np.int32)
    found = [-1 if np.isnan(v) else code_of(v, unknown) for v in values.tolist()]
    return np.array(found, dtype=np.int32)


def _with_classes(data: Dataset, classes: Array, places: Ints | None = None) -> Dataset:
    """The data set with these classes; labels are compared as text."""
    code_of = _finder_of_codes(classes.tolist())
    codes = np.array([code_of(label, -1) for label in data.classes.tolist()] + [-1])
    target: Ints = codes[data.target_codes].astype(np.int32)
    unknown = (target < 0) & (data.target_codes >= 0)
    if unknown.any():
        row = int(unknown.argmax())
        label = data.classes[data.target_codes[row]]
        raise ValueError(
            f"{data.name} has the class {label!s} in row {_row_number(row, places)}, which is not "
            f"among {', '.join(map(str, classes[:8]))}{', ...' * (len(classes) > 8)}: declare all "
            "classes with --classes"
        )
    return Dataset(
        data.name, data.columns, data.values, data.levels, target, classes, data.target_name
    )


def _finder_of_codes(labels: Iterable[Any]) -> Callable[[Any, int], int]:
    """A function that finds the code of a label by its text, or returns its second argument.

    Programs write true and false in different cases, and whole numbers with and without a point, so
    these words are found in any case, and numbers also by their value.

    Examples
    --------
    >>> code_of = _finder_of_codes(["False", "True"])
    >>> code_of("true", -1), code_of(True, -1), code_of("yes", -1)
    (1, 1, -1)
    >>> _finder_of_codes(["low", "1.0", "2.0"])(2.0, -1)
    2
    """
    place = {label_text(label): code for code, label in enumerate(labels)}
    in_lower_case = {text.lower(): code for text, code in place.items()}
    if len(in_lower_case) == len(place) and in_lower_case.keys() <= {"false", "true"}:
        return lambda label, unknown: in_lower_case.get(label_text(label).lower(), unknown)
    by_value: dict[float, int] = {}
    for text, code in place.items():
        with suppress(ValueError):
            by_value.setdefault(float(text), code)

    def code_of(label: Any, unknown: int) -> int:
        other = by_value.get(label, unknown) if isinstance(label, float) else unknown
        return place.get(label_text(label), other)

    return code_of


def label_text(label: Any) -> str:
    """A label as it is written in a file: whole numbers without a decimal point."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def _is_whole(label: str) -> bool:
    return label.removeprefix("-").isdigit()
