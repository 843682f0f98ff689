"""What each kind of error costs: by true class and predicted set, the most expensive one first.

An average says how much predictions cost; this table says where the money goes.  A set that
contains the true class is listed as well if it has a cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    fields_html,
    fields_text,
    in_braces,
)
from wager._typing import Array, Floats, Ints
from wager.costs._cost_unit import format_amount, in_unit
from wager.costs._pairs import distinct_pairs
from wager.predictions import PredictionSets

__all__ = ["ErrorCost", "ErrorCosts", "error_costs"]


class ErrorCost(NamedTuple):
    """The rows of one true class with the same predicted set.

    Attributes
    ----------
    true : label
        The true class.
    predicted : tuple of labels
        The predicted set.
    n : float
        The number of these rows, or their total weight.
    cost : float
        Their cost per case; the mean, if costs differ between rows.
    total : float
        Their total cost.
    share : float
        The part of the total cost of all rows.
    """

    true: Any
    predicted: tuple[Any, ...]
    n: float
    cost: float
    total: float
    share: float

    def __repr__(self) -> str:
        return fields_text(self)

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def set(self) -> str:
        """The predicted set as text."""
        return in_braces(self.predicted)


@dataclass(frozen=True, eq=False)
class ErrorRows(Sequence[ErrorCost]):
    """The rows of `ErrorCosts`, each made when it is read: there may be a million."""

    sets: PredictionSets
    codes: Ints
    n: Array
    totals: Floats
    whole: float

    def __len__(self) -> int:
        return len(self.codes)

    def beyond(self, place: int) -> tuple[float, float]:
        """The number and the total cost of the rows from this one on."""
        return self.n[place:].sum().item(), float(self.totals[place:].sum())

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(len(self))))
        n, total = self.n[place].item(), float(self.totals[place])
        (true,) = self.sets.classes[[self.codes[place]]].tolist()
        return ErrorCost(true, tuple(self.sets[place]), n, total / n, total, total / self.whole)


@dataclass(frozen=True, repr=False)
class ErrorCosts(Viewed):
    """The cost of each kind of error, ordered by total cost; it iterates over its rows.

    Parameters
    ----------
    rows : sequence of ErrorCost
        The pairs of true class and predicted set that have a cost.
    n, total : float
        The number (or weight) and the total cost of all predictions, also those without a cost.
    unit : str, optional
        What the costs are counted in.
    """

    rows: ErrorRows
    n: float
    total: float
    unit: str | None = None

    def __iter__(self) -> Iterator[ErrorCost]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> ErrorCost:
        return self.rows[place]

    @property
    def header(self) -> list[str]:
        """The titles of the columns of `table`."""
        total = in_unit("total cost", self.unit)
        number = "weight" if self.rows.n.dtype.kind == "f" else "cases"
        return ["true class", "predicted", number, "cost per case", total, "share"]

    def table(self, most: int | None = None) -> list[list[Any]]:
        """The rows as cells for a table; beyond `most` of them the rest is added up."""
        shown = self.rows if most is None or len(self.rows) <= most else self.rows[: most - 1]
        cells = [
            [str(row.true), row.set, *_amounts(row.n, row.cost, row.total, row.share)]
            for row in shown
        ]
        if len(shown) < len(self.rows):
            n, total = self.rows.beyond(len(shown))
            rest = _amounts(n, total / n, total, total / self.total)
            cells.append([f"{len(self.rows) - len(shown)} further kinds", "", *rest])
        return cells

    def to_dict(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        return [{**row._asdict(), "predicted": list(row.predicted)} for row in self.rows]

    def to_frame(self) -> Any:
        """The rows as a pandas data frame; the predicted sets as text."""
        import pandas as pd

        rows = [{**row._asdict(), "predicted": row.set} for row in self]
        return pd.DataFrame(rows, columns=list(ErrorCost._fields))

    def _view(self) -> View:
        if not self.rows:
            return View(verdict=["no prediction has a cost"])
        return View(tables=[Table(self.header, self.table(), "<<>>>>")])


def _amounts(n: float, cost: float, total: float, share: float) -> list[Any]:
    return [n, format_amount(cost), format_amount(total), f"{100 * share:.1f}%"]


def error_costs(
    sets: PredictionSets, truth: Ints, values: Floats, weights: Array | None, unit: str | None
) -> ErrorCosts:
    """The cost of each kind of error, from the cost of each row or of each cell of rows.

    Parameters
    ----------
    sets : PredictionSets
        The predicted sets.
    truth : array of int
        The true classes, as codes of ``sets.classes``.
    values : array of float
        The cost of each of them.
    weights : array, optional
        How many rows, or how much weight, each of them stands for; 1 by default.
    unit : str, optional
        What the costs are counted in.
    """
    distinct, codes, place = distinct_pairs(sets, truth)
    each = np.ones(len(truth), dtype=np.int64) if weights is None else weights
    n = np.bincount(place, weights=each, minlength=len(codes)).astype(each.dtype)
    totals = np.bincount(place, weights=each * values, minlength=len(codes)).astype(np.float64)
    whole = float(totals.sum())
    order = np.argsort(-totals, kind="stable")
    order = order[totals[order] > 0]
    rows = ErrorRows(distinct[order], codes[order], n[order], totals[order], whole)
    return ErrorCosts(rows, each.sum().item(), whole, unit)
