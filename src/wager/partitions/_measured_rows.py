"""Rows with scaled memberships and their measures: what every measured partition has."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import Table, Viewed, row_blocks
from wager._typing import Array, Floats, Ints
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._influence import estimate_measures
from wager.partitions._measures import PartitionMeasures
from wager.partitions._rows import PartitionRows

__all__ = ["MeasuredRows"]

TITLES = {
    "accuracy": "accuracy Ac",
    "separation": "ability to separate AS",
    "correctness": "correctness rate CR",
    "confidence": "confidence CF",
}
ROWS_SHOWN = 12  # of the regions, in the printed table


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredRows(Viewed):
    """Scaled memberships of objects with known classes, and the measures.

    Attributes
    ----------
    scaled : ndarray of shape (n_rows, n_classes)
        Memberships after scaling.
    classes : ndarray of shape (n_classes,)
        The classes.
    depth : int
        The number of leading classes in the order of memberships that define a region.
    """

    scaled: Any = field(repr=False)
    classes: Array
    depth: int
    _rows: PartitionRows = field(repr=False)

    @property
    def memberships(self) -> Floats:
        """Memberships before scaling."""
        return self._rows.points

    @property
    def truth(self) -> Ints:
        """Codes of the true classes."""
        return self._rows.truth

    @property
    def weights(self) -> Floats | None:
        """What each row adds to a total, its weight times its count; None if that is 1."""
        return self._rows.units.totals

    @property
    def assigned(self) -> Ints:
        """Codes of the classes assigned by the memberships *before* scaling."""
        return self._rows.order[:, 0]

    @property
    def n_rows(self) -> int:
        """The number of objects: rows of positive weight, each as often as it counts."""
        return sum(block.units.observations(len(block)) for block in self._rows.blocks())

    @cached_property
    def measures(self) -> PartitionMeasures:
        """The measures of the scaled memberships."""
        return self._measure(self.scaled)

    @cached_property
    def measures_before(self) -> PartitionMeasures:
        """The same measures of the memberships before scaling."""
        return self._measure(self._rows.points)

    def _measure(self, points: Any) -> PartitionMeasures:
        places = row_blocks(len(self._rows), self._rows.n_classes)
        return PartitionMeasures.of_blocks(
            (
                (np.asarray(points[place]), rows.truth, rows.order[:, 0], rows.units.totals)
                for place, rows in zip(places, self._rows.blocks(), strict=True)
            ),
            self._rows.n_classes,
        )

    def to_frame(self) -> Any:
        """A pandas frame with one row per region, and per step of its scaling."""
        import pandas as pd

        return pd.DataFrame(self._region_rows())

    def _region_rows(self) -> list[dict[str, Any]]:
        """The regions as rows of a table."""
        raise NotImplementedError

    def _region_table(self) -> tuple[Table, list[str]]:
        """The first regions as a table, and a note if there are more."""
        rows = self._region_rows()
        more = len(rows) - ROWS_SHOWN
        notes = [f"({more} more rows: see to_frame())"] if more > 0 else []
        return Table([*rows[0]], [list(row.values()) for row in rows[:ROWS_SHOWN]]), notes

    @property
    def estimates(self) -> dict[str, PartitionEstimate]:
        """The measures with standard errors and intervals, by name."""
        raise NotImplementedError

    @cached_property
    def estimates_before(self) -> dict[str, PartitionEstimate]:
        """The measures of the memberships before scaling, with standard errors and intervals."""
        return estimate_measures(self._rows, (), self.measures_before)

    @property
    def accuracy(self) -> float:
        """Accuracy Ac: closeness of the scaled memberships to the corners of the true classes."""
        return self.measures.accuracy

    @property
    def separation(self) -> float:
        """Ability to separate AS: closeness to the corners of the assigned classes."""
        return self.measures.separation

    @property
    def correctness(self) -> float:
        """Correctness rate CR: share of objects assigned to their true class."""
        return self.measures.correctness

    @property
    def confidence(self) -> float:
        """Confidence CF: mean scaled membership in the assigned class."""
        return self.measures.confidence

    def _measure_table(self) -> Table:
        before = self.measures_before
        rows = [
            [title, estimate.value, estimate.standard_error, getattr(before, name)]
            for name, title in TITLES.items()
            for estimate in [self.estimates[name]]
        ]
        return Table(["measure", "scaled", "std. error", "before scaling"], rows)

    def _plain(self) -> dict[str, Any]:
        return {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            "depth": self.depth,
            **_plain_measures(self.measures, self.estimates),
            "before_scaling": _plain_measures(self.measures_before, self.estimates_before),
        }


def _plain_measures(
    measures: PartitionMeasures, estimates: dict[str, PartitionEstimate]
) -> dict[str, Any]:
    """The measures and their standard errors as plain data."""
    plain: dict[str, Any] = {}
    for name, estimate in estimates.items():
        plain[name] = estimate.value
        plain[f"{name}_standard_error"] = estimate.standard_error
    return plain | {"confidence_by_class": measures.confidence_by_class.tolist()}
