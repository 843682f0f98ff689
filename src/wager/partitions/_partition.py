"""A standardized partition: scaled memberships, the fit of each region, and the measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
    ViewedFields,
    row_blocks,
)
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.partitions._beta_chain import ratio, scale_chain
from wager.partitions._beta_scaling import BRANCHES, BetaMoments, BetaScaling
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._influence import estimate_measures
from wager.partitions._measures import PartitionMeasures
from wager.partitions._regions import Regions, class_order
from wager.partitions._rows import PartitionRows
from wager.predictions import check_probabilities, columns_over

ROWS_SHOWN = 12  # of the regions, in the printed table
TITLES = {
    "accuracy": "accuracy Ac",
    "separation": "ability to separate AS",
    "correctness": "correctness rate CR",
    "confidence": "confidence CF",
}


@dataclass(frozen=True, repr=False)
class RegionStep(BetaMoments):
    """How the values of one class of a region's order were scaled.

    Parameters
    ----------
    mean, variance, concentration : float
        Moments of the values, and alpha + beta of their Beta distribution.
    p : float
        Frequency of the class among the objects that belong to none of the classes before it.
    certainty : float
        alpha + beta of the scaled values, NaN if no Beta was used.
    branch : {"one", "zero", "shift", "beta", "empty"}
        The case of the scaling rule that applied.
    """

    p: float
    certainty: float
    branch: str

    @property
    def alpha_scaled(self) -> float:
        """First parameter of the scaled values' Beta distribution, Eq. (ii)."""
        return self.certainty * self.p

    @property
    def beta_scaled(self) -> float:
        """Second parameter of the scaled values' Beta distribution."""
        return self.certainty * (1 - self.p)


@dataclass(frozen=True, eq=False, repr=False)
class Region(ViewedFields):
    """The objects with the same order of classes (or with several orders that were joined).

    Parameters
    ----------
    orders : tuple of tuples of labels
        The classes of the largest memberships, largest first.
    n : float
        Number (or weight) of objects.
    frequencies : ndarray of shape (n_classes,)
        The region-conditional class frequencies.
    steps : tuple of RegionStep
        One per class of the order.
    """

    orders: tuple[tuple[Any, ...], ...]
    n: float
    frequencies: Floats = field(repr=False)
    steps: tuple[RegionStep, ...]

    @property
    def correctness(self) -> float:
        """The rate of correct assignments."""
        return self.steps[0].p

    @property
    def assigned(self) -> tuple[Any, ...]:
        """The class that objects here are assigned to; several where regions were joined."""
        return tuple(dict.fromkeys(order[0] for order in self.orders))


@dataclass(frozen=True, eq=False, repr=False)
class StandardizedPartition(Viewed):
    """Scaled memberships of a test set, the fit of each region, and the measures.

    Attributes
    ----------
    scaled : ndarray of shape (n_rows, n_classes)
        Memberships after scaling.
    classes : ndarray of shape (n_classes,)
        The classes.
    depth : int
        The number of leading classes in the order of memberships that define a region.
    regions : tuple of Region
        The regions that contain at least one object.
    """

    scaled: Any = field(repr=False)
    classes: Array
    depth: int
    _rows: PartitionRows = field(repr=False)
    _regions: Regions = field(repr=False)
    _steps: tuple[BetaScaling, ...] = field(repr=False)

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
        """The number of objects: of the rows, or the sum of their counts."""
        return sum(_objects(block) for block in self._rows.blocks())

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
                (points[place], rows.truth, rows.order[:, 0], rows.units.totals)
                for place, rows in zip(places, self._rows.blocks(), strict=True)
            ),
            self._rows.n_classes,
        )

    @cached_property
    def estimates(self) -> dict[str, PartitionEstimate]:
        """The measures with standard errors and intervals, by name.

        ``estimates["accuracy" | "separation" | "correctness" | "confidence"]`` has ``.value``,
        ``.standard_error`` and ``.interval(level=0.95)``.  They allow for the scaling being fitted
        on the same rows: what is estimated is the measure of the partition of the whole population,
        with the scaling fitted on the population.  Rows are independent unless they belong to the
        same cluster of ``groups``; regions that were joined are treated as given.

        Computed at the first access from the influence of every row, in about six times the time of
        the scaling.  If there are more than 10,000 rows, the effect of the fitted scaling is
        averaged over a random part of about 10,000 rows, always the same, and the time is about
        twice that of the scaling.

        Intervals are not reliable for memberships that are 0 or 1 except in a few rows: then these
        few decide whether a region counts as constant, and the measures jump.

        Examples
        --------
        >>> from wager.partitions import standardize
        >>> partition = standardize([0, 0, 1, 1] * 10, [[0.9, 0.1], [0.4, 0.6]] * 20)
        >>> estimate = partition.estimates["correctness"]
        >>> estimate.value, round(estimate.standard_error, 3)
        (0.5, 0.08)
        >>> [round(end, 3) for end in estimate.interval()]
        [0.338, 0.662]
        """
        return estimate_measures(self._rows, self._steps, self.measures)

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

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The regions that contain at least one object, with the fit of each."""
        n_classes, n_regions = len(self.classes), len(self._regions)
        cells = np.zeros(n_regions * n_classes)
        for rows in self._rows.blocks():
            cell = rows.region * n_classes + rows.truth
            cells += np.bincount(cell, rows.units.totals, len(cells))
        counts = cells.reshape(-1, n_classes)
        labels = [tuple(self.classes[order].tolist()) for order in self._regions.orders]
        regions = []
        for number in range(n_regions):
            orders = tuple(labels[i] for i in np.flatnonzero(self._regions.region == number))
            steps = tuple(_step(scaling, number) for scaling in self._steps)
            n = float(counts[number].sum())
            regions.append(Region(orders, n, ratio(counts[number], np.array(n), np.nan), steps))
        return tuple(regions)

    def transform(self, memberships: ArrayLike) -> Floats:
        """Scale other memberships with the fitted scaling.

        An object whose order of classes did not occur in the fit keeps its memberships.  Tied
        classes are taken in their order.
        """
        named = columns_over(memberships, self.classes, "the scaling", what="memberships")
        points = check_probabilities(named, name="memberships")
        if points.shape[1] != len(self.classes):
            raise ValueError(
                f"memberships must have the {len(self.classes)} classes that the scaling was "
                f"fitted on, got {points.shape[1]} columns"
            )
        order = class_order(points, self.depth, "first")
        region = self._regions.locate(order, len(self.classes))
        scaled = points.copy()
        known = region >= 0
        scaled[known] = scale_chain(
            points[known], order[known], lambda j, share: self._steps[j].apply(share, region[known])
        )
        return scaled

    def to_dict(self) -> dict[str, Any]:
        """The measures, after and before scaling, and the regions, as plain data."""
        return {
            "rows": self.n_rows,
            "classes": self.classes.tolist(),
            "depth": self.depth,
            **_plain(self.measures, self.estimates),
            "before_scaling": _plain(self.measures_before, self.estimates_before),
            "regions": self._region_rows(),
        }

    def to_frame(self) -> Any:
        """A pandas frame with one row per region and step."""
        import pandas as pd

        return pd.DataFrame(self._region_rows())

    def _view(self) -> View:
        before = self.measures_before
        measures = [
            [title, estimate.value, estimate.standard_error, getattr(before, name)]
            for name, title in TITLES.items()
            for estimate in [self.estimates[name]]
        ]
        headers = ["measure", "scaled", "std. error", "before scaling"]
        rows = self._region_rows()
        shown = [list(row.values()) for row in rows[:ROWS_SHOWN]]
        more = len(rows) - ROWS_SHOWN
        return View(
            f"{self.n_rows} objects, {len(self.classes)} classes, scaled at depth {self.depth}",
            [
                Table(headers, measures),
                Table([*rows[0]], shown, "<<" + ">" * (len(rows[0]) - 3) + "<"),
            ],
            [f"({more} more rows: see to_frame())"] if more > 0 else [],
        )

    def _region_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "region": " | ".join(">".join(map(str, order)) for order in region.orders),
                "class": " | ".join(dict.fromkeys(str(order[j]) for order in region.orders)),
                "n": int(region.n) if region.n.is_integer() else region.n,
                "p": step.p,
                "mean": step.mean,
                "variance": step.variance,
                "concentration": step.concentration,
                "certainty": step.certainty,
                "branch": step.branch,
            }
            for region in self.regions
            for j, step in enumerate(region.steps)
        ]


def _objects(rows: PartitionRows) -> int:
    return len(rows) if rows.units.counts is None else int(rows.units.counts.sum())


def _plain(measures: PartitionMeasures, estimates: dict[str, PartitionEstimate]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for name, estimate in estimates.items():
        plain[name] = estimate.value
        plain[f"{name}_standard_error"] = estimate.standard_error
    return plain | {"confidence_by_class": measures.confidence_by_class.tolist()}


def _step(scaling: BetaScaling, number: int) -> RegionStep:
    return RegionStep(
        mean=float(scaling.mean[number]),
        variance=float(scaling.variance[number]),
        concentration=float(scaling.concentration[number]),
        p=float(scaling.p[number]),
        certainty=float(scaling.certainty[number]),
        branch=BRANCHES[scaling.branch[number]],
    )
