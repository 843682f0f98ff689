"""Rows with true classes, predictions and units, which can be written in several ways.

A case is written as arguments of public functions by the names of their parameters, which mean the
same everywhere.  The same case in another order of its rows or classes, with other names, or as
values of another library, says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from wager import CostMatrix
from wager._typing import Array, Floats

CLASSES = ("birch", "maple", "walnut")
RENAMED = ("spruce", "larch", "elm")  # the sorted order is reversed
SITES = ("coast", "hill", "island", "meadow", "valley")  # as many as nothing else
RENAMED_SITES = ("tundra", "swamp", "ridge", "marsh", "delta")
CLUSTERS = tuple(range(9))
RENAMED_CLUSTERS = tuple("zyxwvutsr")
K, N = len(CLASSES), 28
SCALE = 8.0  # a power of 2: no rounding


@dataclass(frozen=True)
class Drawn:
    """What is known of each row: codes of classes, and numbers with one column per class."""

    true: Array
    single: Array
    sets: Array
    more_sets: Array
    proba: Floats
    more_proba: Floats
    features: Array
    site: Array
    cluster: Array
    weight: Floats
    count: Array
    width: Floats


@cache
def drawn() -> Drawn:
    """Rows in which every class is true, and predicted alone and together."""
    rng = np.random.default_rng(0)
    true = np.append(np.arange(K), rng.integers(K, size=N - K))
    scores = 1.2 * np.eye(K)[true] + rng.normal(size=(N, K))
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    more = rng.dirichlet([0.9, 1.3, 0.7], size=N)
    least = rng.uniform(0.2, 1, size=(N, 1)) * proba.max(axis=1, keepdims=True)
    return Drawn(
        true=true,
        single=more.argmax(axis=1),
        sets=proba >= least,
        more_sets=more >= 0.4 * more.max(axis=1, keepdims=True),
        proba=proba,
        more_proba=more,
        features=rng.integers(3, size=(N, 2)) + (true[:, None] == [0, 2]),
        site=rng.integers(len(SITES), size=N),
        cluster=np.append(np.arange(9), rng.integers(9, size=N - 9)),
        weight=rng.integers(1, 9, size=N) / 4,
        count=rng.integers(1, 4, size=N),
        width=rng.random(N),
    )


@dataclass(frozen=True)
class Case:
    """Chosen rows, and how they are written."""

    rows: tuple[int, ...] = tuple(range(N))  # which of the drawn rows, in which order
    order: tuple[int, ...] = tuple(range(K))  # of the classes
    names: tuple[str, ...] = CLASSES
    sites: tuple[str, ...] = SITES
    clusters: tuple[Any, ...] = CLUSTERS
    form: str = "array"
    units: tuple[str, ...] = ()
    scale: float = 1.0  # of the weights
    unweighted: tuple[int, ...] = ()  # rows of weight 0
    declared: bool = True  # whether classes= is passed, where there is such an argument

    @property
    def classes(self) -> list[str]:
        """The names of the classes, in their order."""
        return [self.names[code] for code in self.order]

    def vector(self, values: Sequence[Any] | Array) -> Any:
        """One value per row; the index of a Series says nothing about the order of the rows."""
        values = [values[row] for row in self.rows]
        match self.form:
            case "list":
                return [each.item() if isinstance(each, np.generic) else each for each in values]
            case "pandas":
                return pd.Series(values, index=self._index())
            case "polars":
                return pl.Series(values)
            case "arrow":
                return pa.array(values)
        return np.array(values)

    def named(self, codes: Array, names: Sequence[Any]) -> Any:
        """The name of each code."""
        return self.vector([names[code] for code in codes])

    def table(self, values: Array) -> Any:
        """One column per class; frames have the names of the classes, in yet another order."""
        values = values[list(self.rows)]
        if self.form in ("list", "array"):
            values = values[:, list(self.order)]
            return values.tolist() if self.form == "list" else values
        order = self.order[1:] + self.order[:1]
        return self._frame({self.names[code]: values[:, code] for code in order})

    def sets(self, values: Array) -> Any:
        """Sets as an indicator matrix or frame, or as lists of names."""
        if self.form == "list":
            return [[self.names[c] for c in np.flatnonzero(values[row])] for row in self.rows]
        return self.table(values)

    def features(self) -> Any:
        """Two columns of whole numbers."""
        values = drawn().features[list(self.rows)]
        if self.form in ("list", "array"):
            return values.tolist() if self.form == "list" else values
        return self._frame({"height": values[:, 0], "girth": values[:, 1]})

    def _frame(self, columns: dict[str, Array]) -> Any:
        if self.form == "pandas":
            return pd.DataFrame(columns, index=self._index())
        return pl.DataFrame(columns) if self.form == "polars" else pa.table(columns)

    def _index(self) -> list[int]:
        return [7 * row % 101 + 3 for row in self.rows]

    def by_class(self, values: Sequence[float]) -> Any:
        """One value per class, by name, in an order that is not that of the classes."""
        by_name = {self.names[code]: values[code] for code in self.order[::-1]}
        return pd.Series(by_name) if self.form == "pandas" else by_name

    def costs(self) -> CostMatrix:
        """The same costs of predicting a class for another one, whatever their order."""
        matrix = np.array([[0.0, 2.0, 7.0], [1.0, 0.0, 3.0], [4.0, 2.5, 0.0]])
        at = list(self.order)
        return CostMatrix(matrix[np.ix_(at, at)], self.classes)

    def tree(self) -> dict[str, Any]:
        """A hierarchy of the classes."""
        first, second, third = self.names
        return {"leafy": [first, third], second: None}

    def ordinal(self) -> list[str]:
        """An order of the classes that has a meaning, and stays whatever their names are."""
        return [self.names[code] for code in (1, 0, 2)]

    def of_units(self) -> dict[str, Any]:
        """Weights, counts and clusters of the rows, by parameter."""
        weight = drawn().weight * self.scale
        weight[list(self.unweighted)] = 0
        written = {
            "sample_weight": self.vector(weight),
            "counts": self.vector(drawn().count),
            "groups": self.named(drawn().cluster, self.clusters),
        }
        return {name: written[name] for name in self.units}

    def permuted(self) -> Case:
        """The same rows in another order."""
        order = np.random.default_rng(1).permutation(len(self.rows))
        return replace(self, rows=tuple(self.rows[i] for i in order))

    def written_out(self) -> Case:
        """Every row as often as its count says."""
        rows = tuple(row for row in self.rows for _ in range(drawn().count[row]))
        return replace(self, rows=rows, units=tuple(u for u in self.units if u != "counts"))
