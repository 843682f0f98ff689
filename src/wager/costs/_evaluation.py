"""Averages of costs over cells of rows: overall, by true class and by part, with their errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from wager._tables import (
    RowUnits,
    Table,
    View,
    Viewed,
    encode_labels,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.costs._checks import check_lengths
from wager.costs._cost_unit import format_amount, in_unit
from wager.costs._error_costs import ErrorCosts
from wager.costs._extended_costs import ExtendedCosts
from wager.rewards import CellSums, Estimate, estimate_mean

__all__ = [
    "Averages",
    "ClassMeans",
    "CostCells",
    "CostEvaluation",
    "cost_ranges",
    "means_by_part",
    "plain_estimate",
    "summarize",
    "whole_range",
]

_COLUMNS = ("n", "mean", "standard_error", "lower", "upper")


class Averages(Viewed):
    """Base of the averages over all rows, by true class and by part of the rows."""

    overall: Estimate
    by_class: Mapping[Any, Estimate]
    by_group: Mapping[Any, Estimate]
    unit: str | None
    rule: str | None
    _mean_of: ClassVar[str]
    _verb: ClassVar[str]

    @property
    def mean(self) -> float:
        """The average over all rows."""
        return self.overall.value

    @property
    def standard_error(self) -> float:
        """The standard error of the average."""
        return self.overall.standard_error

    def sentence(self, level: float = 0.95) -> str:
        """The average in a sentence, with its interval."""
        low, high = self.overall.interval(level)
        words = f"A prediction {self._verb} {format_amount(self.mean, self.unit)} on average"
        ends = f"{format_amount(low)} to {format_amount(high)}"
        return f"{words}." if low != low else f"{words} ({100 * level:g}% interval {ends})."

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as plain data."""
        return {
            "unit": self.unit,
            "rule": self.rule,
            "overall": plain_estimate(self.overall),
            "by_class": {str(name): plain_estimate(part) for name, part in self.by_class.items()},
            "by_group": {str(name): plain_estimate(part) for name, part in self.by_group.items()},
        }

    def to_frame(self) -> Any:
        """The evaluation as a pandas data frame, one row per average."""
        import pandas as pd

        rows = [(part, name, *plain_estimate(e).values()) for part, name, e in self._rows()]
        return pd.DataFrame(rows, columns=["part", "label", *_COLUMNS])

    def _rows(self) -> list[tuple[str, Any, Estimate]]:
        rows: list[tuple[str, Any, Estimate]] = [("all", "all", self.overall)]
        rows += [("class", name, part) for name, part in self.by_class.items()]
        return rows + [("group", name, part) for name, part in self.by_group.items()]

    def _view(self) -> View:
        rows = [
            (f"group {name}" if part == "group" else str(name), *plain_estimate(e).values())
            for part, name, e in self._rows()
        ]
        heads = [in_unit(self._mean_of, self.unit), "n", "mean", "std. error", "95% from", "to"]
        return View(tables=[Table(heads, rows, alike=True)])


@dataclass(frozen=True, repr=False)
class CostEvaluation(Averages):
    """Average costs with their standard errors.

    Parameters
    ----------
    overall : Estimate
        ``overall.value``, ``.standard_error``, ``.n`` and ``.interval()``.
    by_class : dict of label to Estimate
        By true class; NaN for a class that never occurs.  Intervals know the range of the
        costs of the class; `overall` and `by_group` know that over all classes, also if all rows
        have the same one.
    by_group : dict of label to Estimate
        By part of the rows, if ``by`` was given.
    errors : ErrorCosts, optional
        The cost of each kind of error, the most expensive one first.
    unit : str, optional
        What the costs are counted in.
    rule : str, optional
        How costs of single classes were extended to sets, in words.
    """

    overall: Estimate
    by_class: Mapping[Any, Estimate]
    by_group: Mapping[Any, Estimate] = field(default_factory=dict)
    errors: ErrorCosts | None = None
    unit: str | None = None
    rule: str | None = None

    _mean_of: ClassVar[str] = "average cost"
    _verb: ClassVar[str] = "costs"

    def sentence(self, level: float = 0.95) -> str:
        """The average cost in a sentence, with its interval and the most expensive error."""
        words = super().sentence(level)
        if self.errors is None or len(self.errors) < 2:
            return words
        worst = self.errors[0]
        said = worst.set if len(worst.predicted) != 1 else str(worst.predicted[0])
        share = f"{100 * worst.share:.0f}% of the total cost"
        return f"{words} Predicting {said} where {worst.true} is true causes {share}."

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as plain data."""
        return super().to_dict() | {"errors": [] if self.errors is None else self.errors.to_dict()}


@dataclass(frozen=True, eq=False)
class CostCells:
    """Rows with equal cost, true class and part, and their sums.

    Parameters
    ----------
    values : array of shape (J,)
        The cost of each cell.
    truth, part : array of shape (J,)
        Its true class and its part of the rows, as codes.
    sums : CellSums
        The totals of the cells.
    """

    values: Floats
    truth: Ints
    part: Ints
    sums: CellSums

    @classmethod
    def of_rows(cls, values: Floats, truth: Ints, part: Ints, units: RowUnits) -> CostCells:
        """Join the rows that have the same cost, true class and part."""
        distinct, code = np.unique(values, return_inverse=True)
        n_parts, n_classes = int(part.max(initial=0)) + 1, int(truth.max(initial=0)) + 1
        number = (code * n_classes + truth) * n_parts + part
        sums = CellSums.of(number, units)
        rest, parts = np.divmod(sums.numbers, n_parts)
        codes, truths = np.divmod(rest, n_classes)
        return cls(distinct[codes], truths, parts, sums)

    def where(self, kept: Bools | Ints) -> CostCells:
        """Some of the cells."""
        return CostCells(
            self.values[kept], self.truth[kept], self.part[kept], self.sums.where(kept)
        )

    def mean(self, low: float, high: float) -> Estimate:
        """The mean cost, within the range of possible costs."""
        return estimate_mean(self.values, self.sums, low, high)


class ClassMeans(Mapping[Any, Estimate]):
    """The mean cost of each true class, computed when it is asked for: there may be many."""

    def __init__(self, cells: CostCells, classes: Array, ranges: Floats) -> None:
        self._codes = {name: code for code, name in enumerate(classes.tolist())}
        self._cells, self._ranges = cells, ranges
        self._order = np.argsort(cells.truth, kind="stable")
        self._ends = np.searchsorted(cells.truth[self._order], np.arange(len(classes) + 1))

    def __getitem__(self, name: Any) -> Estimate:
        code = self._codes[name]
        here = np.sort(self._order[self._ends[code] : self._ends[code + 1]])
        return self._cells.where(here).mean(*self._ranges[code])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)


def means_by_part(
    values: Floats, truth: Ints, by: ArrayLike | None, units: RowUnits, ranges: Floats
) -> tuple[CostCells, dict[Any, Estimate]]:
    """The cells of rows, and the mean of each part of the rows, if `by` names the parts."""
    if by is None:
        return CostCells.of_rows(values, truth, np.zeros_like(truth), units), {}
    parts, labels = encode_labels(by, name="by")
    check_lengths(len(truth), len(parts), "labels in by")
    cells = CostCells.of_rows(values, truth, parts, units)
    means = (
        cells.where(cells.part == part).mean(*whole_range(ranges)) for part in range(len(labels))
    )
    return cells, dict(zip(labels.tolist(), means, strict=True))


def whole_range(ranges: Floats) -> tuple[float, float]:
    """The smallest and the largest value over all true classes."""
    return float(ranges[:, 0].min()), float(ranges[:, 1].max())


def summarize(
    cells: CostCells,
    classes: Array,
    ranges: Floats,
    by_part: Mapping[Any, Estimate] | None = None,
    **about: Any,
) -> CostEvaluation:
    """The evaluation of costs, given their range for each true class.

    ``about`` are the errors, unit and rule of the evaluation.
    """
    overall = cells.mean(*whole_range(ranges))
    by_class = ClassMeans(cells, classes, ranges)
    return CostEvaluation(overall, by_class, by_part or {}, **about)


def cost_ranges(extended: ExtendedCosts, empty_cost: float | None) -> Floats:
    """The smallest and the largest cost for each true class, the empty set's included."""
    ranges = extended.ranges
    if empty_cost is None:
        return ranges
    low, high = np.minimum(ranges[:, 0], empty_cost), np.maximum(ranges[:, 1], empty_cost)
    return np.stack([low, high], axis=1)


def plain_estimate(estimate: Estimate) -> dict[str, float]:
    """An estimate as plain data, with its 95% interval."""
    n = int(estimate.n) if float(estimate.n).is_integer() else estimate.n
    low, high = estimate.interval()
    error = estimate.standard_error
    return {"n": n, "mean": estimate.value, "standard_error": error, "lower": low, "upper": high}
