"""Measures of a partition: how close memberships are to the corners of the simplex.

A membership vector is a point of the simplex, and a class is one of its corners.  Every measure is
``1 - mean distance / sqrt((G-1)/G)``, where the divisor is the distance from the centroid to a
corner: 1 if all points are where they should be, 0 if all are in the centroid, negative if they
are in wrong corners (Sondhauss & Weihs, 2001, Sec. 5, with the missing square root added).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wager._tables import (
    ViewedFields,
    check_weights,
    row_blocks,
)
from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.partitions._regions import Regions, class_order
from wager.partitions._scaled_memberships import refuse_scaled
from wager.predictions import align_probabilities, check_probabilities, same_columns
from wager.rewards import Measure, as_measure, register

SONDHAUSS_WEIHS_2001 = "Sondhauss & Weihs (2001)"


@dataclass(frozen=True, eq=False, repr=False)
class PartitionMeasures(ViewedFields):
    """The measures of a partition, computed from its membership vectors.

    Attributes
    ----------
    accuracy : float
        Ac, closeness to the corners of the true classes.
    separation : float
        AS, closeness to the corners of the assigned classes.
    correctness : float
        CR, the share of objects assigned to their true class.
    confidence : float
        CF, mean membership in the assigned class.
    confidence_by_class : ndarray of shape (n_classes,)
        The same over the objects of each true class, NaN for a class without objects.
    """

    accuracy: float
    separation: float
    correctness: float
    confidence: float
    confidence_by_class: Floats

    @classmethod
    def of(
        cls, points: Floats, truth: Ints, assigned: Ints, weights: Floats | None
    ) -> PartitionMeasures:
        """Measure membership vectors against true and assigned classes."""
        return cls.of_blocks([(points, truth, assigned, weights)], points.shape[1])

    @classmethod
    def of_blocks(
        cls, blocks: Iterable[tuple[Floats, Ints, Ints, Floats | None]], n_classes: int
    ) -> PartitionMeasures:
        """Measure blocks of rows, each with the arguments of `of`."""
        totals, by_class = np.zeros(5), np.zeros((2, n_classes))
        for points, truth, assigned, weights in blocks:
            own = points[np.arange(len(points)), assigned]
            terms = (
                distances_to_corners(points, truth),
                distances_to_corners(points, assigned),
                (truth == assigned).astype(np.float64),
                own,
            )
            size = len(points) if weights is None else weights.sum()
            totals += [size, *(_total(term, weights) for term in terms)]
            by_class[0] += np.bincount(truth, own if weights is None else weights * own, n_classes)
            by_class[1] += np.bincount(truth, weights, n_classes)
        with np.errstate(invalid="ignore"):  # NaN for a class without objects
            confidence = by_class[0] / by_class[1]
        to_true, to_assigned, correct, own_share = (totals[1:] / totals[0]).tolist()
        radius = float(np.sqrt((n_classes - 1) / n_classes))
        accuracy, separation = 1 - to_true / radius, 1 - to_assigned / radius
        return cls(accuracy, separation, correct, own_share, confidence)


def distances_to_corners(points: Floats, corner: Ints) -> Floats:
    """Euclidean distance of every point to the corner of a class."""
    squares = np.empty(len(points))
    for rows in row_blocks(*points.shape):
        away = points[rows].copy()
        away[np.arange(len(away)), corner[rows]] -= 1
        squares[rows] = np.einsum("ij,ij->i", away, away)
    return np.sqrt(squares)


def closeness(distances: Floats, n_classes: int, weights: Floats | None) -> float:
    """``1 - mean distance / sqrt((G-1)/G)``."""
    return float(1 - _mean(distances, weights) / np.sqrt((n_classes - 1) / n_classes))


def _mean(values: Floats, weights: Floats | None) -> float:
    return _total(values, weights) / float(len(values) if weights is None else weights.sum())


def _total(values: Floats, weights: Floats | None) -> float:
    return float(values.sum() if weights is None else (weights * values).sum())


@as_measure(
    kind="memberships",
    meaning="How close memberships are to the true class probabilities.",
    formula="1 - mean distance to the true probabilities / sqrt((G-1)/G)",
    use="For data with known probabilities, such as artificial data.",
    source=f"Hand (1997), {SONDHAUSS_WEIHS_2001}, Section 3",
    range="1 - sqrt(2G/(G-1)) to 1",
)
def precision(
    true_proba: ArrayLike, memberships: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """How close memberships are to the true class probabilities, if these are known.

    Hand's (1997) precision on the scale of the other measures: 1 if they are equal.  If the true
    probabilities are 0 and 1, it equals `partition_accuracy` of the unscaled memberships.

    Parameters
    ----------
    true_proba, memberships : array-like of shape (n_rows, n_classes)
        The true class probabilities (of a simulation) and the memberships, rows summing to 1.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> precision([[0.9, 0.1], [0.2, 0.8]], [[0.9, 0.1], [0.2, 0.8]])
    1.0
    """
    truth, points = _both(true_proba, memberships)
    weights = check_weights(sample_weight, len(points))
    distances = np.sqrt(((truth - points) ** 2).sum(axis=1))
    return closeness(distances, points.shape[1], weights)


@as_measure(
    kind="memberships",
    meaning="How well the classes can be separated at all, by the rule that knows the true "
    "probabilities.",
    formula="the ability to separate of the true class probabilities",
    use="An upper bound on any rule's ability to separate; a property of the data.",
    source=f"Hand (1997), {SONDHAUSS_WEIHS_2001}, Section 3",
    range="0 (not at all) to 1",
)
def separability(true_proba: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """How well the classes can be separated at all: the bound on any rule's ability to separate.

    The ability to separate of the best possible rule, which knows the true class probabilities
    (Sondhauss & Weihs, 2001, Sec. 3, after Hand, 1997).

    Parameters
    ----------
    true_proba : array-like of shape (n_rows, n_classes)
        The true class probabilities at the observed predictors.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> separability([[0.9, 0.1], [0.2, 0.8]])
    0.7
    """
    truth = two_classes(check_probabilities(true_proba, name="true_proba"))
    weights = check_weights(sample_weight, len(truth))
    distances = distances_to_corners(truth, truth.argmax(axis=1))
    return closeness(distances, truth.shape[1], weights)


@as_measure(
    kind="memberships",
    meaning="How different the true class probabilities remain, given the prediction of the rule.",
    formula="mean over regions of the distance of the mean true probabilities from the centre, "
    "divided by that of a corner",
    use="0 if all classes remain equally likely given the prediction, 1 if only one remains.",
    source=f"Hand (1997), {SONDHAUSS_WEIHS_2001}, Section 3; the formula is wager's",
)
def non_resemblance(
    true_proba: ArrayLike,
    memberships: ArrayLike,
    *,
    depth: int = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """How different the true class probabilities are from each other, given the rule's assignment.

    Hand's (1997) counterpart of resemblance compares the probabilities *within* a vector: the mean
    true probabilities are computed for every region of the rule, and their distances from the
    centroid are averaged and divided by that of a corner.  0 means that all classes are equally
    likely once the assignment is known, 1 that only one class is left.  (The paper describes the
    concept; the formula is ours.)

    Parameters
    ----------
    true_proba, memberships : array-like of shape (n_rows, n_classes)
        The true class probabilities, or 0 and 1 for observed classes, and the memberships.
    depth : int, default=1
        The number of leading classes in the order of memberships that define a region.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> non_resemblance([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.4], [0.3, 0.7]])
    1.0
    >>> non_resemblance([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.4], [0.7, 0.3]])
    0.0
    """
    truth, points = _both(true_proba, memberships)
    n_classes = points.shape[1]
    weights = check_weights(sample_weight, len(points))
    w = np.ones(len(points)) if weights is None else weights
    order = class_order(points, check_depth(depth, n_classes), "first")
    regions = Regions.of(sorted(Regions.distinct(order, n_classes)), points, "first")
    place = regions.locate(order, n_classes)
    sums = np.zeros((len(regions), n_classes))
    np.add.at(sums, place, w[:, None] * truth)
    share = sums.sum(axis=1)
    filled = share > 0
    means = sums[filled] / share[filled, None]
    away = np.sqrt(((means - 1 / n_classes) ** 2).sum(axis=1))
    return float(np.average(away, weights=share[filled]) / np.sqrt((n_classes - 1) / n_classes))


register(
    Measure(
        "confidence",
        kind="memberships",
        meaning="Confidence CF: how much the standardized memberships favour the assigned class.",
        formula="mean scaled membership in the assigned class",
        use="Compare it with the correctness rate: after scaling the two should be close.",
        source=f"the klaR program, for the partitions of {SONDHAUSS_WEIHS_2001}",
    )
)


@as_measure(
    kind="memberships",
    meaning="The share of objects whose largest membership is in their true class.",
    formula="share of rows with argmax membership = true class",
    use="The usual accuracy, among the measures of partition spaces.",
    source=f"{SONDHAUSS_WEIHS_2001}, Section 3",
    aliases=("cr",),
)
def correctness_rate(
    y_true: ArrayLike,
    memberships: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """The share of objects whose largest membership is in their true class.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    memberships : array-like of shape (n_rows, n_classes)
        Membership values, rows summing to 1; in a tie the first class is assigned.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.

    Examples
    --------
    >>> correctness_rate(["a", "b"], [[0.6, 0.4], [0.7, 0.3]], classes=["a", "b"])
    0.5
    """
    refuse_scaled(memberships, "correctness")
    truth, points, _ = align_probabilities(y_true, memberships, classes, name="memberships")
    weights = check_weights(sample_weight, len(points))
    return float(np.average(points.argmax(axis=1) == truth, weights=weights))


def check_depth(depth: int, n_classes: int) -> int:
    """A depth between 1 and G-1."""
    if not isinstance(depth, (int, np.integer)) or not 1 <= depth <= n_classes - 1:
        raise ValueError(
            f"depth must be a whole number from 1 to {n_classes - 1} for {n_classes} classes, got "
            f"{brief(depth)}"
        )
    return int(depth)


def two_classes(points: Floats) -> Floats:
    """The points; a ValueError if there are fewer than two classes."""
    if points.shape[1] < 2:
        raise ValueError("a partition needs at least two classes, got one column")
    return points


def _both(true_proba: ArrayLike, memberships: ArrayLike) -> tuple[Floats, Floats]:
    true_proba, memberships, _ = same_columns(
        true_proba, memberships, ("true_proba", "memberships")
    )
    truth = two_classes(check_probabilities(true_proba, name="true_proba"))
    points = check_probabilities(memberships, name="memberships")
    if truth.shape != points.shape:
        raise ValueError(
            f"true_proba and memberships must have the same rows and classes, got shapes "
            f"{truth.shape} and {points.shape}"
        )
    return truth, points
