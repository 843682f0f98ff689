"""New objects under a scaling that was learnt from other objects, and their measures.

The scaling is taken as given: standard errors show what another sample of new objects would change,
not what another sample for the fit would.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import View, ViewedFields
from wager._typing import Floats
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._influence import estimate_measures
from wager.partitions._measured_rows import MeasuredRows

__all__ = ["MeasuredPartition", "MeasuredRegion"]

NOT_SEEN = "order not seen in the fit"


@dataclass(frozen=True, repr=False)
class MeasuredRegion(ViewedFields):
    """What a region promised when the scaling was learnt, and what its new objects show.

    Parameters
    ----------
    orders : tuple of tuples of labels
        The classes of the largest memberships, largest first; empty for objects whose order did not
        occur in the fit, which keep their memberships.
    n : float
        Number (or weight) of new objects.
    rate : float
        The rate of correct assignments that the scaling uses; NaN for an order not seen.
    correctness : float
        The share of the new objects that are assigned to their true class.
    confidence : float
        Their mean scaled membership in the assigned class.
    """

    orders: tuple[tuple[Any, ...], ...]
    n: float
    rate: float
    correctness: float
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredPartition(MeasuredRows):
    """New objects with known classes, scaled by what was learnt from others, and the measures.

    The result of ``partition.transform(memberships, y_true)``.  Objects are assigned by their
    memberships before scaling.

    Attributes
    ----------
    scaled : ndarray of shape (n_rows, n_classes)
        Memberships after scaling.
    classes : ndarray of shape (n_classes,)
        The classes.
    depth : int
        The number of leading classes in the order of memberships that define a region.
    rate : {"observed", "jeffreys"}
        The rates of the regions that the scaling uses.

    Examples
    --------
    >>> from wager.partitions import standardize
    >>> fitted = standardize([0, 0, 1, 0] * 5, [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.4, 0.6]] * 5)
    >>> new = fitted.transform([[0.8, 0.2], [0.3, 0.7], [0.1, 0.9]], [0, 0, 1])
    >>> round(new.correctness, 3), round(new.confidence, 3)
    (0.667, 0.77)
    >>> [(region.rate, region.correctness) for region in new.regions]
    [(1.0, 1.0), (0.5, 0.5)]
    """

    rate: str
    _orders: tuple[tuple[tuple[Any, ...], ...], ...] = field(repr=False)  # of every region
    _rates: Floats = field(repr=False)

    @cached_property
    def estimates(self) -> dict[str, PartitionEstimate]:
        """The measures with standard errors and intervals, given the learnt scaling.

        ``estimates["accuracy" | "separation" | "correctness" | "confidence"]`` has ``.value``,
        ``.standard_error`` and ``.interval(level=0.95)``.  What is estimated is the measure of all
        objects of the population that the new ones come from, under this scaling: another scaling,
        learnt from other objects, would have another value.
        """
        fixed = replace(self._rows, points=self.scaled)
        return estimate_measures(fixed, (), self.measures)

    @cached_property
    def regions(self) -> tuple[MeasuredRegion, ...]:
        """The regions of the new objects; last those whose order was not seen in the fit."""
        rows, weights = self._rows, self._rows.weights
        own = np.asarray(self.scaled)[np.arange(len(rows)), self.assigned]
        found = []
        for number in (*range(len(self._orders)), -1):
            here = np.flatnonzero(rows.region == number)
            n = float(weights[here].sum())
            if not n > 0:
                continue
            seen = number >= 0
            right = self.assigned[here] == self.truth[here]
            found.append(
                MeasuredRegion(
                    self._orders[number] if seen else (),
                    n,
                    float(self._rates[number]) if seen else float("nan"),
                    float(weights[here] @ right / n),
                    float(weights[here] @ own[here] / n),
                )
            )
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """The measures, after and before scaling, and the regions, as plain data."""
        return {**self._plain(), "rate": self.rate, "regions": self._region_rows()}

    def _view(self) -> View:
        table, notes = self._region_table()
        rate = "" if self.rate == "observed" else ", with shrunken rates"
        return View(
            f"{self.n_rows} new objects, {len(self.classes)} classes, scaled as learnt at depth "
            f"{self.depth}{rate}",
            [self._measure_table(), table],
            [*notes, "Standard errors take the learnt scaling as given."],
        )

    def _region_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "region": " | ".join(">".join(map(str, order)) for order in region.orders)
                or NOT_SEEN,
                "n": int(region.n) if region.n.is_integer() else region.n,
                "learnt rate": region.rate,
                "correct here": region.correctness,
                "confidence": region.confidence,
            }
            for region in self.regions
        ]
