"""Preparation of data: imputation, discretization, feature selection and encoding.

The order of the steps is fixed: impute, discretize, select, fill, encode.  A step normally learns
from the training rows of a fold and is applied to its training and test rows.  A step that is done
*once* learns from all rows before they are split, as some published experiments did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from wager._typing import Array, Bools, Ints
from wager.prepare import (
    CfsSelector,
    Dataset,
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
    ModeMeanImputer,
)

__all__ = [
    "Preparation",
    "PreparedTable",
    "Step",
    "cut_numbers",
    "learn_steps",
    "make_discretizer",
    "prepare_fold",
    "prepare_once",
]

Place = Literal["fold", "once"]
# the settings of each of the first steps
_IMPUTE = ("impute",)
_DISCRETIZE = ("discretize", "discretize_in", "n_bins", "encoding", "criterion", "single_bin")
_SELECT = ("select", "select_in")


class Preparation(BaseModel):
    """How data is prepared before a learner sees it.

    Examples
    --------
    >>> Preparation(discretize="mdl", single_bin="drop").identity()
    {'discretize': 'mdl', 'single_bin': 'drop'}
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    impute: Literal["none", "fold", "once"] = "none"  # by the mean or the mode
    discretize: Literal["none", "mdl", "equal-frequency"] = "none"
    discretize_in: Place = "fold"
    n_bins: Annotated[int, Field(ge=1)] = 5  # of equal-frequency
    encoding: Literal["rows", "distinct"] = "rows"  # of mdl
    criterion: Literal["fayyad-irani", "kononenko"] = "fayyad-irani"  # of mdl
    single_bin: Literal["keep", "drop"] = "keep"
    select: Literal["none", "cfs"] = "none"
    select_in: Place = "fold"
    fill: Literal["none", "mode"] = "none"  # values still missing after selection, in each fold
    encode: Literal["codes", "one-hot"] = "codes"

    @model_validator(mode="after")
    def _once_before_fold(self) -> Self:
        places = [place for _, place in self._steps()]
        if "once" in places[places.index("fold") :] if "fold" in places else False:
            raise ValueError(
                "has a step for the whole data set (once) after a step for each fold (fold), but "
                "the order of the steps is impute, discretize, select"
            )
        return self

    def identity(self) -> dict[str, object]:
        """The settings that differ from the defaults."""
        return self.model_dump(exclude_defaults=True)

    def once(self) -> Preparation:
        """The steps before the rows are split, without the others.

        Examples
        --------
        >>> Preparation(impute="once", discretize="mdl", select="cfs").once().identity()
        {'impute': 'once'}
        """
        used: tuple[str, ...] = _IMPUTE if self.impute == "once" else ()
        used += _DISCRETIZE if self.discretize_in == "once" else ()
        used += _SELECT if self.select_in == "once" else ()
        return self._only(used)

    def around_selection(self) -> tuple[Preparation, Preparation]:
        """The steps before the selection of features, and the others."""
        return self._only(_IMPUTE + _DISCRETIZE), self._only((*_SELECT, "fill", "encode"))

    def _only(self, names: tuple[str, ...]) -> Preparation:
        """The preparation with only these settings, the others as by default."""
        return Preparation(**{name: getattr(self, name) for name in names})

    def _steps(self) -> list[tuple[Learn, str]]:
        """The steps in their order, each with the place where it is done."""
        steps: list[tuple[Learn, str]] = []
        if self.impute != "none":
            steps.append((_impute, self.impute))
        if self.discretize != "none":
            steps.append((_discretize, self.discretize_in))
        if self.select != "none":
            steps.append((_select, self.select_in))
        if self.fill != "none":
            steps.append((_impute, "fold"))
        if self.encode != "codes":
            steps.append((_one_hot, "fold"))
        return steps


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Rows as learners take them: integer codes, or floats if any column is numeric.

    A missing value is -1 among codes and NaN among floats.
    """

    X: Array
    nominal: Bools  # (m,)
    n_values: Ints  # (m,), declared; 0 for a numeric column

    @classmethod
    def of(cls, data: Dataset) -> PreparedTable:
        """The features of a data set."""
        if not data.nominal.all():
            return cls(data.matrix, data.nominal, data.n_values)
        codes = np.empty((len(data), len(data.columns)), dtype=np.int32)
        for j, values in enumerate(data.values):
            codes[:, j] = values
        return cls(codes, data.nominal, data.n_values)

    def rows(self, chosen: Ints) -> PreparedTable:
        """The table of some of the rows."""
        return PreparedTable(self.X[chosen], self.nominal, self.n_values)

    def copy(self) -> PreparedTable:
        """The same table in arrays of its own, with the same layout in memory."""
        return PreparedTable(self.X.copy("K"), self.nominal.copy(), self.n_values.copy())


Step = Callable[[PreparedTable], PreparedTable]
Learn = Callable[[PreparedTable, Ints, Preparation], Step]


def prepare_once(table: PreparedTable, y: Ints, preparation: Preparation) -> PreparedTable:
    """All rows, after the steps that are done before the rows are split."""
    for learn, place in preparation._steps():
        if place == "once":
            table = learn(table, y, preparation)(table)
    return table


def prepare_fold(
    train: PreparedTable, y: Ints, test: PreparedTable, preparation: Preparation
) -> tuple[PreparedTable, PreparedTable]:
    """Training and test rows, after the steps that learn from the training rows alone."""
    train, step = learn_steps(train, y, preparation)
    return train, step(test)


def learn_steps(
    train: PreparedTable, y: Ints, preparation: Preparation
) -> tuple[PreparedTable, Step]:
    """The prepared training rows, and a function that prepares other rows in the same way."""
    steps: list[Step] = []
    for learn, place in preparation._steps():
        if place == "fold":
            steps.append(learn(train, y, preparation))
            train = steps[-1](train)

    def prepare(rows: PreparedTable) -> PreparedTable:
        for step in steps:
            rows = step(rows)
        return rows

    return train, prepare


def _unchanged(rows: PreparedTable) -> PreparedTable:
    return rows


def _impute(table: PreparedTable, y: Ints, preparation: Preparation) -> Step:
    if not table.X.shape[1]:
        return _unchanged
    imputer = ModeMeanImputer(categorical_features=table.nominal).fit(table.X)
    return lambda rows: PreparedTable(imputer.transform(rows.X), rows.nominal, rows.n_values)


def _discretize(table: PreparedTable, y: Ints, preparation: Preparation) -> Step:
    numeric = ~table.nominal
    if not numeric.any():
        return _unchanged
    discretizer = make_discretizer(preparation).fit(table.X[:, numeric], y)
    return cut_numbers(table.nominal, table.n_values, discretizer, preparation)


def make_discretizer(preparation: Preparation) -> MDLDiscretizer | EqualFrequencyDiscretizer:
    """The discretizer of numeric columns."""
    if preparation.discretize == "mdl":
        return MDLDiscretizer(
            preparation.encoding, criterion=preparation.criterion, categorical_features="none"
        )
    return EqualFrequencyDiscretizer(preparation.n_bins, categorical_features="none")


def cut_numbers(
    nominal: Bools,
    n_values: Ints,
    discretizer: MDLDiscretizer | EqualFrequencyDiscretizer,
    preparation: Preparation,
) -> Step:
    """A function that replaces the numbers of the numeric columns by their intervals."""
    numeric = ~nominal
    n_values = n_values.copy()
    n_values[numeric] = discretizer.n_values_
    kept = nominal | (n_values > 1) | (preparation.single_bin == "keep")

    def cut(rows: PreparedTable) -> PreparedTable:
        known = np.where(np.isnan(rows.X), -1, rows.X)
        codes = np.empty(rows.X.shape, dtype=np.int32)
        codes[:, rows.nominal] = known[:, rows.nominal]
        codes[:, numeric] = discretizer.transform(rows.X[:, numeric])
        return PreparedTable(codes[:, kept], np.ones(kept.sum(), dtype=bool), n_values[kept])

    return cut


def _select(table: PreparedTable, y: Ints, preparation: Preparation) -> Step:
    if not table.nominal.all():
        raise ValueError("select='cfs' needs nominal features: discretize numeric features first")
    if not table.X.shape[1]:
        return _unchanged
    chosen = CfsSelector().fit(table.X, y).get_support()
    return lambda rows: PreparedTable(
        rows.X[:, chosen], rows.nominal[chosen], rows.n_values[chosen]
    )


def _one_hot(table: PreparedTable, y: Ints, preparation: Preparation) -> Step:
    """One column per declared value, for numeric learners; a missing value is all zeros."""

    def spread(rows: PreparedTable) -> PreparedTable:
        columns = [
            rows.X[:, [j]] == np.arange(rows.n_values[j]) if rows.nominal[j] else rows.X[:, [j]]
            for j in range(rows.X.shape[1])
        ]
        X = np.hstack([np.empty((len(rows.X), 0)), *columns])
        return PreparedTable(X, np.zeros(X.shape[1], dtype=bool), np.zeros(X.shape[1], dtype=int))

    return spread
