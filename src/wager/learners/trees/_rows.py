"""Rows for credal trees: reading them, filling their gaps, growing trees on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._tables import Counts, nominal_columns, value_offsets
from wager._typing import Floats, Ints
from wager.learners._base import TableClassifier
from wager.learners._set_valued import SetValuedMixin

__all__ = ["UNLIMITED", "CredalTreeBase", "TreeGrower"]

UNLIMITED = 2**31 - 1  # questions on the way to a leaf


class CredalTreeBase(SetValuedMixin, TableClassifier):
    """What a credal tree and a forest of them share: reading rows, and filling gaps."""

    s: float
    dominance: str
    missing: str
    max_depth: int | None
    categorical_features: Any

    def _read_tree_rows(self, X: Any, y: Any) -> tuple[Any, Ints]:
        """The training rows as the loops want them, and their classes."""
        from wager.learners.trees._nodes import Table

        table, labels = self._read_training(
            X, y, lambda table: nominal_columns(table, self.categorical_features)
        )
        rows = Table.of(self.schema_, table, known=True)
        self.fill_ = _usual_values(rows)
        return self._without_gaps(rows), labels.astype(np.int32)

    def _rows_to_predict(self, X: Any) -> tuple[Any, int]:
        from wager.learners.trees._nodes import Table

        table = self._read_rows(X)
        return self._without_gaps(Table.of(self.schema_, table)), table.shape[0]

    def _without_gaps(self, rows: Any) -> Any:
        """Missing values replaced by the usual ones, unless rows are to be split up."""
        if self.missing == "fractional":
            return rows
        usual_codes, usual_numbers = self.fill_
        codes, values = rows.codes, rows.numbers
        if codes.min(initial=0) < 0:
            torn = np.flatnonzero(codes.ravel() < 0)
            codes = codes.copy()
            codes.ravel()[torn] = usual_codes[torn % codes.shape[1]]
        if np.isnan(values).any():
            values = np.where(np.isnan(values), usual_numbers[:, None], values)
        return rows._replace(codes=codes, numbers=values)

    def _check_shared_arguments(self) -> None:
        if not 0 <= self.s < np.inf:
            raise ValueError(f"s must be a number of rows, 0 or more, got {self.s!r}")
        if self.missing not in ("mode", "fractional"):
            raise ValueError(f"missing must be 'mode' or 'fractional', got {self.missing!r}")
        if self.dominance not in ("weak", "strict"):
            raise ValueError(f"dominance must be 'weak' or 'strict', got {self.dominance!r}")
        if self.max_depth is not None and not self.max_depth >= 0:
            raise ValueError(f"max_depth must not be negative, got {self.max_depth!r}")


class TreeGrower:
    """Training rows made ready, to grow one tree or many from."""

    def __init__(self, rows: Any, y: Ints, n_classes: int):
        self.rows, self.y, self.n_classes = rows, y, n_classes
        self.orders = np.argsort(rows.numbers, axis=1, kind="stable").astype(np.int32)
        self.keys = _places(rows.codes, rows.n_values[rows.n_values > 0], n_classes)
        self.gaps = bool(rows.codes.min(initial=0) < 0 or np.isnan(rows.numbers).any())

    def grow(self, rule: Any, weights: Ints | None = None, state: int = 1) -> Any:
        """A tree on the rows, each counted so many times."""
        from wager.learners.trees._credal_grow import grow
        from wager.learners.trees._entropy import entropy_terms
        from wager.learners.trees._nodes import room

        kind = np.float64 if self.gaps else np.int32
        counted = np.ones(len(self.y)) if weights is None else weights
        nodes, n_nodes = grow(
            self.rows, self.keys, self.orders, self.y, counted.astype(kind), self.gaps, rule,
            state, entropy_terms(int(counted.sum())), room(64, self.n_classes),
        )  # fmt: skip
        return nodes._make(part[:n_nodes].copy() for part in nodes)


def _places(codes: Ints, n_values: Ints, n_classes: int) -> Ints:
    """Where each value begins in a flat table by (value, class); missing values at its end."""
    starts = (value_offsets(n_values) * n_classes).astype(np.int32)
    places = codes * np.int32(n_classes)
    places += starts
    if codes.min(initial=0) < 0:
        places[codes < 0] = n_values.sum() * n_classes
    return places


def _usual_values(rows: Any) -> tuple[Ints, Floats]:
    """The most frequent code of each nominal column, the first of several, and the mean numbers."""
    n_values = rows.n_values[rows.n_values > 0]
    counts = Counts.of(rows.codes, np.zeros(len(rows.codes), np.int32), n_values, 1)
    usual = [counts.of_feature(j).argmax() for j in range(len(n_values))]
    codes = np.array(usual, dtype=rows.codes.dtype)
    known = ~np.isnan(rows.numbers)
    total = np.where(known, rows.numbers, 0.0).sum(axis=1)
    return codes, total / np.maximum(known.sum(axis=1), 1)
