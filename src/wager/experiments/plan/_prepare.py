"""Preparation: missing values, discretization, selection; once, or inside each fold.

Steps come in one order: impute, discretize, select, fill, encode.  A step learns from the training
rows of a fold and is then applied to its training and test rows; done *once* it learns from all
rows, before they are split, as published experiments sometimes did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from wager._typing import Array, Bools, Ints

if TYPE_CHECKING:
    from wager.prepare import Dataset

__all__ = ["Preparation", "Table", "prepare_fold", "prepare_once"]

Place = Literal["fold", "once"]


class Preparation(BaseModel):
    """How data is prepared before a learner sees it.

    Examples
    --------
    >>> Preparation(discretize="mdl", single_bin="drop").identity()
    {'discretize': 'mdl', 'single_bin': 'drop'}
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    impute: Literal["none", "fold", "once"] = "none"  # mean or mode
    discretize: Literal["none", "mdl", "equal-frequency"] = "none"
    discretize_in: Place = "fold"
    n_bins: Annotated[int, Field(ge=1)] = 5  # equal-frequency
    encoding: Literal["rows", "distinct"] = "rows"  # mdl
    criterion: Literal["fayyad-irani", "kononenko"] = "fayyad-irani"  # mdl
    single_bin: Literal["keep", "drop"] = "keep"
    select: Literal["none", "cfs"] = "none"
    select_in: Place = "fold"
    fill: Literal["none", "mode"] = "none"  # what is missing after all that, in each fold
    encode: Literal["codes", "one-hot"] = "codes"

    @model_validator(mode="after")
    def _once_before_fold(self) -> Self:
        places = [place for _, place in self._steps()]
        if "once" in places[places.index("fold") :] if "fold" in places else False:
            raise ValueError(
                "does a step once after one that it does in each fold, but the order is impute, "
                "discretize, select"
            )
        return self

    def identity(self) -> dict[str, object]:
        """What is not as by default: enough to tell two preparations apart."""
        return self.model_dump(exclude_defaults=True)

    def _steps(self) -> list[tuple[Learn, str]]:
        """The steps in their order, and where each is done."""
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
class Table:
    """Rows as learners take them: codes (-1 is missing), or doubles where a column is numeric."""

    X: Array
    nominal: Bools  # (m,)
    n_values: Ints  # (m,), declared; 0 for a numeric column

    @classmethod
    def of(cls, data: Dataset) -> Table:
        """The features of a data set."""
        if not data.nominal.all():
            return cls(data.matrix, data.nominal, data.n_values)
        codes = np.empty((len(data), len(data.columns)), dtype=np.int32)
        for j, values in enumerate(data.values):
            codes[:, j] = values
        return cls(codes, data.nominal, data.n_values)

    def rows(self, chosen: Ints) -> Table:
        """Some of the rows."""
        return Table(self.X[chosen], self.nominal, self.n_values)


Step = Callable[[Table], Table]
Learn = Callable[[Table, Ints, Preparation], Step]


def prepare_once(table: Table, y: Ints, how: Preparation) -> Table:
    """All rows, after the steps that are done before the rows are split."""
    for learn, place in how._steps():
        if place == "once":
            table = learn(table, y, how)(table)
    return table


def prepare_fold(train: Table, y: Ints, test: Table, how: Preparation) -> tuple[Table, Table]:
    """Training and test rows, after the steps that learn from the training rows alone."""
    for learn, place in how._steps():
        if place == "fold":
            step = learn(train, y, how)
            train, test = step(train), step(test)
    return train, test


def _impute(table: Table, y: Ints, how: Preparation) -> Step:
    from wager.prepare import ModeMeanImputer

    if not table.X.shape[1]:
        return lambda rows: rows
    filler = ModeMeanImputer(categorical_features=table.nominal).fit(table.X)
    return lambda rows: Table(filler.transform(rows.X), rows.nominal, rows.n_values)


def _discretize(table: Table, y: Ints, how: Preparation) -> Step:
    from wager.prepare import EqualFrequencyDiscretizer, MDLDiscretizer

    numeric = ~table.nominal
    if not numeric.any():
        return lambda rows: rows
    if how.discretize == "mdl":
        cutter = MDLDiscretizer(how.encoding, criterion=how.criterion, categorical_features="none")
    else:
        cutter = EqualFrequencyDiscretizer(how.n_bins, categorical_features="none")
    cutter.fit(table.X[:, numeric], y)
    n_values = table.n_values.copy()
    n_values[numeric] = cutter.n_values_
    kept = table.nominal | (n_values > 1) | (how.single_bin == "keep")

    def cut(rows: Table) -> Table:
        known = np.where(np.isnan(rows.X), -1, rows.X)
        codes = np.empty(rows.X.shape, dtype=np.int32)
        codes[:, rows.nominal] = known[:, rows.nominal]
        codes[:, numeric] = cutter.transform(rows.X[:, numeric])
        return Table(codes[:, kept], np.ones(kept.sum(), dtype=bool), n_values[kept])

    return cut


def _select(table: Table, y: Ints, how: Preparation) -> Step:
    from wager.prepare import CfsSelector

    if not table.nominal.all():
        raise ValueError("select='cfs' needs nominal features: discretize numbers first")
    if not table.X.shape[1]:
        return lambda rows: rows
    chosen = CfsSelector().fit(table.X, y).get_support()
    return lambda rows: Table(rows.X[:, chosen], rows.nominal[chosen], rows.n_values[chosen])


def _one_hot(table: Table, y: Ints, how: Preparation) -> Step:
    """One column a declared value, for learners that know numbers only; missing is all zeros."""

    def spread(rows: Table) -> Table:
        columns = [
            rows.X[:, [j]] == np.arange(rows.n_values[j]) if rows.nominal[j] else rows.X[:, [j]]
            for j in range(rows.X.shape[1])
        ]
        X = np.hstack([np.empty((len(rows.X), 0)), *columns])
        return Table(X, np.zeros(X.shape[1], dtype=bool), np.zeros(X.shape[1], dtype=int))

    return spread
