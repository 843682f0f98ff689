"""Costs of predicting single classes, and the class with the least expected cost.

``costs[i, j]`` is the cost of predicting class i when class j is true.  `CostMatrix` adds the
usual matrices, files and the extension to sets of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from wager._tables import (
    ROUNDING,
    Table,
    View,
    Viewed,
    check_classes,
    counted,
    is_frame,
    is_sparse,
    real_number,
)
from wager._typing import Array, ArrayLike, Floats
from wager.costs._checks import MOST_COST, are_costs, check_costs, check_proba, wrong_cost
from wager.costs._cost_frames import values_of_frame
from wager.costs._cost_tables import CostTable, DefaultCosts, FullCosts
from wager.costs._cost_unit import check_unit

__all__ = ["ClassCosts"]

_PRINTED = 100  # classes up to which the matrix is printed


@dataclass(frozen=True, eq=False, repr=False)
class ClassCosts(Viewed):
    """Costs by predicted and true class; `CostMatrix` has the parameters."""

    table: CostTable
    classes: Array
    unit: str | None

    source: ClassVar[str | None] = None  # the file of the costs, for error messages

    def __init__(
        self,
        costs: Any,
        classes: ArrayLike | None = None,
        unit: str | None = None,
        *,
        default: float | None = None,
    ) -> None:
        if is_frame(costs):
            costs, classes = values_of_frame(costs, classes)
        table = costs if isinstance(costs, CostTable) else _table_of(costs, default)
        known = np.arange(table.n_classes) if classes is None else check_classes(classes)
        if len(known) != table.n_classes:
            raise ValueError(
                f"classes lists {counted(len(known), 'class')} but costs has "
                f"{counted(table.n_classes, 'row')}: give one label per row, in order"
            )
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "classes", known)
        object.__setattr__(self, "unit", check_unit(unit))

    @cached_property
    def costs(self) -> Floats:
        """The matrix ``costs[predicted, true]``."""
        values = self.table.dense()
        values.setflags(write=False)
        return values

    def with_unit(self, unit: str | None) -> Self:
        """The same costs in another unit, such as ``"EUR"``; the numbers do not change."""
        return type(self)(self.table, self.classes, unit).from_source(self.source)

    def from_source(self, source: str | None) -> Self:
        """Remember the name of the file that the costs come from, for error messages."""
        object.__setattr__(self, "source", source)
        return self

    def expected(self, proba: ArrayLike, classes: ArrayLike | None = None) -> Floats:
        """The expected cost of predicting each class (Eq. 1), in the order of ``self.classes``.

        Parameters
        ----------
        proba : array-like of shape (n, K) or (K,)
            Class probabilities.  The columns of a data frame are matched by name; other columns
            have the order of the costs' own classes, unless ``classes`` is given.
        classes : array-like of shape (K,), optional
            The classes of the columns of ``proba``, such as ``estimator.classes_``.

        Returns
        -------
        ndarray of the same shape
        """
        return check_proba(proba, self.classes, classes) @ self.costs.T

    def optimal_class(self, proba: ArrayLike, classes: ArrayLike | None = None) -> Array:
        """The class with the least expected cost (Eq. 2); the first one in a tie.

        Parameters
        ----------
        proba, classes
            As in `expected`.

        Examples
        --------
        >>> from wager.costs import CostMatrix
        >>> CostMatrix([[0, 5], [1, 0]], ["ill", "well"]).optimal_class([[0.8, 0.2], [0.9, 0.1]])
        array(['well', 'ill'], dtype='<U4')
        >>> costs = CostMatrix([[0, 5], [1, 0]], ["well", "ill"])
        >>> costs.optimal_class([[0.8, 0.2]], classes=["ill", "well"])
        array(['ill'], dtype='<U4')
        """
        expected = self.expected(proba, classes)
        slack = ROUNDING * self.costs.max()  # rounding does not break a tie
        least = expected.min(axis=-1, keepdims=True)
        return self.classes[(expected <= least + slack).argmax(axis=-1)]

    def __len__(self) -> int:
        return len(self.classes)

    def _view(self) -> View:
        if len(self) > _PRINTED:
            unit = "" if self.unit is None else f", in {self.unit}"
            return View(f"<costs of {len(self):,} classes{unit}>")
        head = ["predicted", *map(str, self.classes)]
        rows = list(zip(map(str, self.classes), *self.costs.T, strict=True))
        return View(
            "" if self.unit is None else f"costs in {self.unit}", [Table(head, rows, alike=True)]
        )


def _table_of(costs: Any, default: float | None) -> CostTable:
    """The table of a matrix, or of a sparse matrix with the cost of all other errors."""
    if not is_sparse(costs):
        if default is not None:
            raise ValueError(
                "default= is the cost of the errors that a sparse matrix leaves out: leave it out "
                "for other matrices"
            )
        values = check_costs(costs)
        if values.ndim != 2:
            raise ValueError(
                f"costs must be one square matrix, got shape {values.shape}: only average_cost "
                "takes one matrix per row"
            )
        return FullCosts(values)
    if default is None:
        raise ValueError(
            "a sparse matrix of costs leaves errors out: give their cost with default=, such as "
            "CostMatrix(costs, classes, default=1)"
        )
    if not 0 <= real_number(default, "default") <= MOST_COST:
        raise ValueError(wrong_cost(default, "default"))
    if len(costs.shape) != 2 or costs.shape[0] != costs.shape[1] or costs.shape[0] < 2:
        raise ValueError(
            "costs must be a square matrix with one row and one column per class, for at least "
            f"two classes, got shape {costs.shape}"
        )
    table = DefaultCosts.of(costs, default)
    bad = ~are_costs(table.stored.data)
    if bad.any():
        at, where = table.stored.tocoo(), int(bad.argmax())
        raise ValueError(
            f"{wrong_cost(table.stored.data[where])} in row {at.row[where]}, column {at.col[where]}"
        )
    return table
