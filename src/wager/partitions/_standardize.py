"""The standardized partition space: memberships of any rule, scaled by how it fared on a test set.

A classifier's own memberships show it from its own perspective.  Scaled within regions so that
they mean what was observed there, those of a support vector machine, a tree and a Bayes rule can
be measured, and drawn, side by side (Sondhauss & Weihs, 2001).

Depth one is the paper's.  The paper only announces how to scale deeper; what is done here is our
extension.  In a region of order (o1, ..., od) a Dirichlet vector would be drawn as a chain of
Betas, each for the share that class oj takes of what o1, ..., oj-1 have left.  So those shares are
scaled one after the other by the rule of depth one, a trial of step j being an object that is of
none of the classes before oj.  Where the number of objects limits the certainty at every step, the
scaled vectors follow the Dirichlet distribution of the observed class counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wager._blocks import row_sums
from wager._text import table
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.partitions._measures import (
    PartitionMeasures,
    check_depth,
    distances_to_corners,
    nearness,
    two_classes,
)
from wager.partitions._regions import Regions, Ties, class_order
from wager.partitions._scaling import BRANCHES, BetaScaling
from wager.predictions import align_probabilities, check_probabilities, check_weights


@dataclass(frozen=True)
class RegionStep:
    """How the values of one class of a region's order were scaled.

    Parameters
    ----------
    p : float
        Frequency of the class among the objects that are of none of the classes before it.
    mean, variance, concentration : float
        Moments of the values, and alpha + beta of their Beta distribution.
    certainty : float
        alpha + beta of the scaled values, NaN where no Beta was used.
    branch : {"one", "zero", "shift", "beta", "empty"}
        The rule that applied.
    """

    p: float
    mean: float
    variance: float
    concentration: float
    certainty: float
    branch: str

    @property
    def alpha(self) -> float:
        """First parameter of the values' Beta distribution."""
        return self.concentration * self.mean

    @property
    def beta(self) -> float:
        """Second parameter of the values' Beta distribution."""
        return self.concentration * (1 - self.mean)

    @property
    def alpha_scaled(self) -> float:
        """First parameter of the scaled values' Beta distribution, Eq. (ii)."""
        return self.certainty * self.p

    @property
    def beta_scaled(self) -> float:
        """Second parameter of the scaled values' Beta distribution."""
        return self.certainty * (1 - self.p)


@dataclass(frozen=True)
class Region:
    """The objects with one order of classes (or several that were joined).

    Parameters
    ----------
    orders : tuple of tuples of labels
        The classes of the largest memberships, largest first.
    n : float
        Number (or weight) of objects.
    frequencies : ndarray of shape (n_classes,)
        The region-conditional class frequencies.
    steps : tuple of RegionStep
        One a class of the order.
    """

    orders: tuple[tuple[Any, ...], ...]
    n: float
    frequencies: Floats = field(repr=False)
    steps: tuple[RegionStep, ...]

    @property
    def correctness(self) -> float:
        """Rate of correct assignments."""
        return self.steps[0].p

    @property
    def assigned(self) -> tuple[Any, ...]:
        """The class that objects here are assigned to; several where regions were joined."""
        return tuple(dict.fromkeys(order[0] for order in self.orders))


@dataclass(frozen=True)
class StandardizedPartition:
    """Scaled memberships of a test set, what was learnt in each region, and the measures.

    Attributes
    ----------
    scaled, memberships : ndarray of shape (n_rows, n_classes)
        Memberships after and before scaling.
    truth, assigned : ndarray of int, shape (n_rows,)
        Codes of the true class and of the class assigned by the memberships *before* scaling.
    classes : ndarray of shape (n_classes,)
        The classes.
    depth : int
        How many classes of the order define a region.
    regions : tuple of Region
        The regions that hold an object.
    """

    scaled: Floats = field(repr=False)
    memberships: Floats = field(repr=False)
    truth: Ints = field(repr=False)
    assigned: Ints = field(repr=False)
    classes: Array
    depth: int
    weights: Floats | None = field(repr=False)
    _regions: Regions = field(repr=False)
    _region_of_row: Ints = field(repr=False)
    _steps: tuple[BetaScaling, ...] = field(repr=False)

    @cached_property
    def measures(self) -> PartitionMeasures:
        """The measures of the scaled memberships; their standard errors take scaling as given."""
        return PartitionMeasures.of(self.scaled, self.truth, self.assigned, self.weights)

    @cached_property
    def measures_before(self) -> PartitionMeasures:
        """The same measures of the memberships before scaling."""
        return PartitionMeasures.of(self.memberships, self.truth, self.assigned, self.weights)

    @property
    def accuracy(self) -> float:
        """Accuracy Ac: nearness of the scaled memberships to the corners of the true classes."""
        return self.measures.accuracy

    @property
    def separation(self) -> float:
        """Ability to separate AS: nearness to the corners of the assigned classes."""
        return self.measures.separation

    @property
    def correctness(self) -> float:
        """Correctness rate CR: share of objects that were assigned to their true class."""
        return self.measures.correctness

    @property
    def confidence(self) -> float:
        """Confidence CF: mean scaled membership in the assigned class."""
        return self.measures.confidence

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The regions that hold an object, with what was learnt there."""
        n_classes, n_regions = len(self.classes), len(self._regions)
        cell = self._region_of_row * n_classes + self.truth
        counts = np.bincount(cell, self.weights, n_regions * n_classes).reshape(-1, n_classes)
        labels = [tuple(self.classes[order].tolist()) for order in self._regions.orders]
        regions = []
        for number in range(n_regions):
            orders = tuple(labels[i] for i in np.flatnonzero(self._regions.region == number))
            steps = tuple(_step(scaling, number) for scaling in self._steps)
            n = float(counts[number].sum())
            regions.append(Region(orders, n, _ratio(counts[number], np.array(n), np.nan), steps))
        return tuple(regions)

    def transform(self, memberships: ArrayLike) -> Floats:
        """Scale other memberships by what was learnt here.

        An object of an order that no object had here keeps its memberships.  Of tied classes the
        first comes first.
        """
        points = check_probabilities(memberships, name="memberships")
        if points.shape[1] != len(self.classes):
            raise ValueError(
                f"memberships must have the {len(self.classes)} classes the scaling was learnt "
                f"on, got {points.shape[1]} columns"
            )
        order = class_order(points, self.depth, "first")
        region = self._regions.locate(order, len(self.classes))
        scaled = points.copy()
        known = region >= 0
        scaled[known] = _chain(
            points[known], order[known], lambda j, share: self._steps[j].apply(share, region[known])
        )
        return scaled

    def to_dict(self) -> dict[str, Any]:
        """The measures, after and before scaling, and the regions, in plain Python."""
        return {
            "rows": len(self.scaled),
            "classes": self.classes.tolist(),
            "depth": self.depth,
            **_plain(self.measures),
            "before_scaling": _plain(self.measures_before),
            "regions": self._rows(),
        }

    def to_frame(self) -> Any:
        """A pandas frame with one row a region and step."""
        import pandas as pd

        return pd.DataFrame(self._rows())

    def __repr__(self) -> str:
        after, before = self.measures, self.measures_before
        measures = [
            [
                title,
                getattr(after, name),
                getattr(after, f"{name}_standard_error"),
                getattr(before, name),
            ]
            for name, title in TITLES.items()
        ]
        headers = ["measure", "scaled", "std. error", "before scaling"]
        rows = self._rows()
        shown = [list(row.values()) for row in rows[:ROWS_SHOWN]]
        more = f"\n({len(rows) - ROWS_SHOWN} rows more: see to_frame())"
        return (
            f"{len(self.scaled)} objects, {len(self.classes)} classes, scaled at depth "
            f"{self.depth}\n\n{table(measures, headers)}\n\n"
            + table(shown, [*rows[0]], align="<<" + ">" * (len(rows[0]) - 3) + "<")
            + (more if len(rows) > ROWS_SHOWN else "")
        )

    def _rows(self) -> list[dict[str, Any]]:
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


ROWS_SHOWN = 12  # of the regions, in the printed table
TINY = 1e-290
TITLES = {
    "accuracy": "accuracy Ac",
    "separation": "ability to separate AS",
    "correctness": "correctness rate CR",
    "confidence": "confidence CF",
}


def standardize(
    y_true: ArrayLike,
    memberships: ArrayLike,
    classes: ArrayLike | None = None,
    depth: int = 1,
    ties: Ties = "first",
    random_state: Any = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> StandardizedPartition:
    """Scale memberships within regions to what was observed there, and measure the partition.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of a test set.
    memberships : array-like of shape (n_rows, n_classes)
        Membership values, rows summing to 1; see `to_memberships` for other scores.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.
    depth : int, default=1
        How many classes of the order of memberships define a region, from 1 to G-1.  Depth one is
        the paper's; deeper scaling is our extension (see `StandardizedPartition`).
    ties : {"first", "random", "join"}, default="first"
        Where memberships are equal: the first class comes first; any of them, drawn with
        ``random_state``; or the regions that such an object could belong to become one region.
    random_state : int or numpy Generator, optional
        Seed of ``ties="random"``.
    sample_weight : array-like of shape (n_rows,), optional
        How many objects each row stands for.

    Returns
    -------
    StandardizedPartition
        ``.scaled``, ``.accuracy``, ``.separation``, ``.correctness``, ``.confidence``,
        ``.regions``, ``.transform(memberships)``; prints as a table.

    Examples
    --------
    >>> partition = standardize(["a", "a", "b", "b"],
    ...     [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]], classes=["a", "b"])
    >>> partition.correctness, [region.correctness for region in partition.regions]
    (0.75, [0.6666666666666666, 1.0])
    >>> partition.scaled.round(3).tolist()
    [[0.93, 0.07], [0.611, 0.389], [0.441, 0.559], [0.0, 1.0]]
    """
    truth, points, known = align_probabilities(y_true, memberships, classes, name="memberships")
    n_classes = two_classes(points).shape[1]
    depth = check_depth(depth, n_classes)
    if ties not in ("first", "random", "join"):
        raise ValueError(f"ties must be 'first', 'random' or 'join', got {ties!r}")
    weights = check_weights(sample_weight, len(points))
    order = class_order(points, depth, ties, random_state)
    regions, region = Regions.of(order, points, ties)
    steps: list[BetaScaling] = []
    tried: Bools | None = None

    def learn(j: int, share: Floats) -> Floats:
        nonlocal tried
        hit = truth == order[:, j]
        steps.append(BetaScaling.fit(share, hit, tried, region, len(regions), weights))
        tried = ~hit if tried is None else tried & ~hit
        return steps[-1].apply(share, region)

    scaled = _chain(points, order, learn)
    return StandardizedPartition(
        scaled, points, truth, order[:, 0], known, depth, weights, regions, region, tuple(steps)
    )


def partition_accuracy(
    y_true: ArrayLike,
    memberships: ArrayLike,
    scale: bool = True,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Accuracy Ac: how near memberships are to the corners of the true classes.

    ``1 - mean distance / sqrt((G-1)/G)`` (Sondhauss & Weihs, 2001, Sec. 5, with the square root
    supplied): 1 if all objects are in their corner, 0 if all are in the centroid, negative if they
    are in wrong corners.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    memberships : array-like of shape (n_rows, n_classes)
        Membership values, rows summing to 1.
    scale : bool, default=True
        Scale the memberships at depth one first, as `standardize` does.
    sample_weight : array-like of shape (n_rows,), optional
        How many objects each row stands for.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.

    Examples
    --------
    >>> partition_accuracy([0, 1], [[0.5, 0.5], [0.5, 0.5]], scale=False)
    0.0
    """
    if scale:
        return standardize(y_true, memberships, classes, sample_weight=sample_weight).accuracy
    truth, points, _ = align_probabilities(y_true, memberships, classes, name="memberships")
    weights = check_weights(sample_weight, len(points))
    distances = distances_to_corners(two_classes(points), truth)
    return nearness(distances, points.shape[1], weights)[0]


def separation(
    y_true: ArrayLike,
    memberships: ArrayLike,
    scale: bool = True,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Ability to separate AS: how near memberships are to the corners of the assigned classes.

    The same standardized distance as `partition_accuracy`, to the corner of the class that the
    memberships *before* scaling assign (Sondhauss & Weihs, 2001, Sec. 5).

    Parameters
    ----------
    y_true, memberships, scale, sample_weight, classes
        As in `partition_accuracy`; without scaling ``y_true`` is only checked.

    Examples
    --------
    >>> separation([0, 0], [[1.0, 0.0], [0.0, 1.0]], scale=False)
    1.0
    """
    if scale:
        return standardize(y_true, memberships, classes, sample_weight=sample_weight).separation
    _, points, _ = align_probabilities(y_true, memberships, classes, name="memberships")
    weights = check_weights(sample_weight, len(points))
    distances = distances_to_corners(two_classes(points), points.argmax(axis=1))
    return nearness(distances, points.shape[1], weights)[0]


def _chain(points: Floats, order: Ints, scale: Callable[[int, Floats], Floats]) -> Floats:
    """Scale the classes of the order one after the other; the rest keep their ratios."""
    n_rows, n_classes = points.shape
    depth = order.shape[1]
    rows = np.arange(n_rows)
    result, remaining = points.copy(), np.ones(n_rows)
    taken, rest = np.empty((depth, n_rows)), np.ones(n_rows)
    for j in range(depth):
        value = points[rows, order[:, j]]
        share = value if j == 0 else _ratio(value, rest, 1 / (n_classes - j))
        scaled = scale(j, share)
        taken[j] = remaining * scaled
        remaining = remaining * (1 - scaled)
        result[rows, order[:, j]] = 0
        rest = row_sums(result)
    tiny = np.flatnonzero(rest < TINY)  # division would overflow, or there is nothing to divide
    result[tiny] = _ratio(result[tiny], rest[tiny, None], 1 / (n_classes - depth))
    rest[tiny] = 1
    result *= (remaining / rest)[:, None]
    for j in range(depth):
        result[rows, order[:, j]] = taken[j]
    return result


def _ratio(part: Floats, whole: Floats, otherwise: float) -> Floats:
    return np.divide(part, whole, out=np.full(part.shape, otherwise), where=whole > 0)


def _plain(measures: PartitionMeasures) -> dict[str, Any]:
    plain = asdict(measures)
    return plain | {"confidence_by_class": plain["confidence_by_class"].tolist()}


def _step(scaling: BetaScaling, number: int) -> RegionStep:
    return RegionStep(
        float(scaling.p[number]),
        float(scaling.mean[number]),
        float(scaling.variance[number]),
        float(scaling.concentration[number]),
        float(scaling.certainty[number]),
        BRANCHES[scaling.branch[number]],
    )
