"""A standardized partition: scaled memberships, the fit of each region, and the measures."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from wager._tables import RowUnits, View, ViewedFields, is_one_of
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.partitions._beta_chain import ratio, scale_chain
from wager.partitions._beta_scaling import BRANCHES, BetaMoments, BetaScaling
from wager.partitions._estimate import PartitionEstimate
from wager.partitions._influence import estimate_measures
from wager.partitions._measured_partition import MeasuredPartition
from wager.partitions._measured_rows import MeasuredRows
from wager.partitions._regions import Regions, class_order
from wager.partitions._rows import PartitionRows
from wager.partitions._scaled_memberships import marked, refuse_scaled
from wager.predictions import align_probabilities, check_probabilities, columns_over

Rate = Literal["observed", "jeffreys"]


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
class StandardizedPartition(MeasuredRows):
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

    _regions: Regions = field(repr=False)
    _steps: tuple[BetaScaling, ...] = field(repr=False)

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
    def regions(self) -> tuple[Region, ...]:
        """The regions that contain at least one object, with the fit of each."""
        n_classes, n_regions = len(self.classes), len(self._regions)
        cells = np.zeros(n_regions * n_classes)
        for rows in self._rows.blocks():
            cell = rows.region * n_classes + rows.truth
            cells += np.bincount(cell, rows.units.totals, len(cells))
        counts = cells.reshape(-1, n_classes)
        regions = []
        for number, orders in enumerate(self._orders()):
            steps = tuple(_step(scaling, number) for scaling in self._steps)
            n = float(counts[number].sum())
            regions.append(Region(orders, n, ratio(counts[number], np.array(n), np.nan), steps))
        return tuple(regions)

    def _orders(self) -> tuple[tuple[tuple[Any, ...], ...], ...]:
        """The orders of every region, as labels."""
        labels = [tuple(self.classes[order].tolist()) for order in self._regions.orders]
        numbers = self._regions.region
        return tuple(
            tuple(labels[i] for i in np.flatnonzero(numbers == number))
            for number in range(len(self._regions))
        )

    @overload
    def transform(
        self, memberships: ArrayLike, y_true: None = None, *, rate: Rate = ...
    ) -> Floats: ...

    @overload
    def transform(
        self,
        memberships: ArrayLike,
        y_true: ArrayLike,
        *,
        rate: Rate = ...,
        sample_weight: ArrayLike | None = ...,
        counts: ArrayLike | None = ...,
        groups: ArrayLike | None = ...,
    ) -> MeasuredPartition: ...

    def transform(
        self,
        memberships: ArrayLike,
        y_true: ArrayLike | None = None,
        *,
        rate: Rate = "observed",
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Floats | MeasuredPartition:
        """Scale the memberships of new objects with the fitted scaling, and measure them.

        An object whose order of classes did not occur in the fit keeps its memberships.  Tied
        classes are taken in their order.

        Parameters
        ----------
        memberships : array-like of shape (n_rows, n_classes)
            Membership values of new objects, rows summing to 1, for the same classes.
        y_true : array-like of shape (n_rows,), optional
            Their true labels.  Objects are assigned by the memberships before scaling, as the paper
            requires (Sondhauss & Weihs, 2001, Sec. 5).
        rate : {"observed", "jeffreys"}, default="observed"
            The rate of correct assignments to which a region is scaled.  "observed" is that of the
            fit: a region without errors gives certainty, also to weak new objects.  "jeffreys" is
            its posterior mean under Jeffreys' prior, ``(right + 1/2) / (n + 1)`` for n objects in
            the fit (Jeffreys, 1961; Brown, Cai & DasGupta, 2001).  In small
            regions it usually predicts new objects better, except where nearly all assignments are
            right in truth; in large regions it hardly differs.
        sample_weight, counts, groups : array-like of shape (n_rows,), optional
            Weights, counts and clusters of the new objects, as in `standardize`; need ``y_true``.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or MeasuredPartition
            The scaled memberships, or with ``y_true`` the measures of the new objects.  Their
            standard errors take the fitted scaling as given.

        Examples
        --------
        >>> from wager.partitions import standardize
        >>> fitted = standardize([0, 0, 1], [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])
        >>> fitted.transform([[0.55, 0.45]]).tolist()  # both assignments to class 0 were right
        [[1.0, 0.0]]
        >>> fitted.transform([[0.55, 0.45]], rate="jeffreys").round(2).tolist()
        [[0.66, 0.34]]
        >>> fitted.transform([[0.55, 0.45], [0.2, 0.8]], [1, 1]).correctness
        0.5
        """
        if not is_one_of(rate, ("observed", "jeffreys")):
            raise ValueError(f"rate must be 'observed' or 'jeffreys', got {brief(rate)}")
        if y_true is None and not (sample_weight is counts is groups is None):
            raise ValueError(
                "sample_weight, counts and groups change the measures of the new objects, which "
                "need y_true: pass the true labels"
            )
        points = self._new_points(memberships)
        order = class_order(points, self.depth, "first")
        region = self._regions.locate(order, len(self.classes))
        steps = self._steps
        if rate == "jeffreys":
            steps = tuple(step.shrunken() for step in steps)
        scaled = points.copy()
        known = region >= 0
        scaled[known] = scale_chain(
            points[known], order[known], lambda j, share: steps[j].apply(share, region[known])
        )
        if y_true is None:
            return marked(scaled)
        truth, points, _ = align_probabilities(y_true, points, self.classes, name="memberships")
        units = RowUnits.of(len(points), sample_weight, counts, groups)
        rows = PartitionRows(points.copy(), truth.copy(), order, region, units.kept())
        return MeasuredPartition(
            marked(scaled), self.classes, self.depth, rows, rate, self._orders(), steps[0].p
        )

    def _new_points(self, memberships: ArrayLike) -> Floats:
        """Checked memberships for the classes of the fit."""
        refuse_scaled(memberships, "scaled")
        named = columns_over(memberships, self.classes, "the scaling", what="memberships")
        points = check_probabilities(named, name="memberships")
        if points.shape[1] != len(self.classes):
            raise ValueError(
                f"memberships must have the {len(self.classes)} classes that the scaling was "
                f"fitted on, got {points.shape[1]} columns"
            )
        return points

    def to_dict(self) -> dict[str, Any]:
        """The measures, after and before scaling, and the regions, as plain data."""
        return {**self._plain(), "regions": self._region_rows()}

    def _view(self) -> View:
        table, notes = self._region_table()
        align = "<<" + ">" * (len(table.header) - 3) + "<"
        return View(
            f"{self.n_rows} objects, {len(self.classes)} classes, scaled at depth {self.depth}",
            [self._measure_table(), table._replace(align=align)],
            notes,
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


def _step(scaling: BetaScaling, number: int) -> RegionStep:
    return RegionStep(
        mean=float(scaling.mean[number]),
        variance=float(scaling.variance[number]),
        concentration=float(scaling.concentration[number]),
        p=float(scaling.p[number]),
        certainty=float(scaling.certainty[number]),
        branch=BRANCHES[scaling.branch[number]],
    )
