"""Costs of predicting single classes, and the class with the least expected cost.

``costs[i, j]`` is the cost of predicting class i when class j is true.  `CostMatrix` adds the
usual matrices, files and the extension to sets of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wager._tables import check_classes, format_table, is_frame
from wager._typing import Array, ArrayLike, Floats
from wager.costs._checks import check_costs, check_proba
from wager.costs._cost_frames import values_of_frame
from wager.costs._cost_unit import check_unit
from wager.costs._tolerance import ROUNDING

__all__ = ["ClassCosts"]


@dataclass(frozen=True, eq=False, repr=False)
class ClassCosts:
    """Costs by predicted and true class; `CostMatrix` has the parameters."""

    costs: Floats
    classes: Array
    unit: str | None

    def __init__(
        self, costs: Any, classes: ArrayLike | None = None, unit: str | None = None
    ) -> None:
        if is_frame(costs):
            costs, classes = values_of_frame(costs, classes)
        values = check_costs(costs)
        if values.ndim != 2:
            raise ValueError(
                f"costs must be one square matrix, got shape {values.shape}: only average_cost "
                "takes one matrix per row"
            )
        known = np.arange(len(values)) if classes is None else check_classes(classes)
        if len(known) != len(values):
            raise ValueError(
                f"classes lists {len(known)} classes but costs has {len(values)} rows: "
                "give one label per row, in order"
            )
        values.setflags(write=False)
        object.__setattr__(self, "costs", values)
        object.__setattr__(self, "classes", known)
        object.__setattr__(self, "unit", check_unit(unit))

    def with_unit(self, unit: str | None) -> Self:
        """The same costs in another unit, such as ``"EUR"``; the numbers do not change."""
        return type(self)(self.costs, self.classes, unit)

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

    def __repr__(self) -> str:
        head = ["predicted", *map(str, self.classes)]
        rows = zip(map(str, self.classes), *self.costs.T, strict=True)
        table = format_table(rows, head)
        return table if self.unit is None else f"costs in {self.unit}\n{table}"
