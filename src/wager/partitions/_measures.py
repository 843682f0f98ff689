"""Measures of a partition: how near memberships are to the corners of the simplex.

A membership vector is a point of the simplex, a class one of its corners.  Every measure is
``1 - mean distance / sqrt((G-1)/G)``, the divisor being the distance from the centroid to a
corner: 1 if all points are where they should be, 0 if all lie in the centroid, negative if they
lie in wrong corners (Sondhauss & Weihs, 2001, Sec. 5, with the square root supplied).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import row_blocks
from wager._typing import ArrayLike, Floats, Ints
from wager.partitions._regions import Regions, class_order
from wager.predictions import align_probabilities, check_probabilities, check_weights


@dataclass(frozen=True, eq=False)
class PartitionMeasures:
    """What a partition is worth, read off its membership vectors.

    Attributes
    ----------
    accuracy, accuracy_standard_error : float
        Ac, nearness to the corners of the true classes.
    separation, separation_standard_error : float
        AS, nearness to the corners of the assigned classes.
    correctness, correctness_standard_error : float
        CR, the share of objects assigned to their true class.
    confidence, confidence_standard_error : float
        CF, mean membership in the assigned class.
    confidence_by_class : ndarray of shape (n_classes,)
        The same over the objects of each true class, NaN where there is none.
    """

    accuracy: float
    accuracy_standard_error: float
    separation: float
    separation_standard_error: float
    correctness: float
    correctness_standard_error: float
    confidence: float
    confidence_standard_error: float
    confidence_by_class: Floats

    @classmethod
    def of(
        cls, points: Floats, truth: Ints, assigned: Ints, weights: Floats | None
    ) -> PartitionMeasures:
        """Measure membership vectors against true and assigned classes."""
        n_classes = points.shape[1]
        own = points[np.arange(len(points)), assigned]
        counted = own if weights is None else weights * own
        with np.errstate(invalid="ignore"):  # a class without objects has no mean
            by_class = np.bincount(truth, counted, n_classes) / np.bincount(
                truth, weights, n_classes
            )
        return cls(
            *nearness(distances_to_corners(points, truth), n_classes, weights),
            *nearness(distances_to_corners(points, assigned), n_classes, weights),
            *mean_and_error((truth == assigned).astype(np.float64), weights),
            *mean_and_error(own, weights),
            by_class,
        )


def distances_to_corners(points: Floats, corner: Ints) -> Floats:
    """Euclidean distance of every point to the corner of a class."""
    squares = np.empty(len(points))
    for rows in row_blocks(*points.shape):
        away = points[rows].copy()
        away[np.arange(len(away)), corner[rows]] -= 1
        squares[rows] = np.einsum("ij,ij->i", away, away)
    return np.sqrt(squares)


def nearness(distances: Floats, n_classes: int, weights: Floats | None) -> tuple[float, float]:
    """``1 - mean distance / sqrt((G-1)/G)`` and its standard error."""
    radius = np.sqrt((n_classes - 1) / n_classes)
    mean, error = mean_and_error(distances, weights)
    return float(1 - mean / radius), float(error / radius)


def mean_and_error(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """The mean and its standard error, NaN for fewer than two rows."""
    counted = len(values) if weights is None else int((weights > 0).sum())
    total = counted if weights is None else weights.sum()
    mean = (values if weights is None else weights * values).sum() / total
    if counted < 2:
        return float(mean), float("nan")
    away = values - mean if weights is None else weights * (values - mean)
    spread = np.einsum("i,i->", away, away) * counted / (counted - 1)
    return float(mean), float(np.sqrt(spread) / total)


def precision(
    true_proba: ArrayLike, memberships: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """How near memberships are to the true class probabilities, where these are known.

    Hand's (1997) precision on the scale of the other measures: 1 if they are equal.  With truths
    of 0 and 1 it is the accuracy `partition_accuracy` of the unscaled memberships.

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
    return nearness(distances, points.shape[1], weights)[0]


def separability(true_proba: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """How well the classes can be told apart at all: the bound on any rule's ability to separate.

    The ability to separate of the best rule there is, the one that knows the true class
    probabilities (Sondhauss & Weihs, 2001, Sec. 3, after Hand, 1997).

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
    return nearness(distances, truth.shape[1], weights)[0]


def non_resemblance(
    true_proba: ArrayLike,
    memberships: ArrayLike,
    *,
    depth: int = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """How different the true class probabilities are from each other, given what the rule said.

    Hand's (1997) counterpart of resemblance compares the probabilities *within* a vector: of every
    region of the rule the mean true probabilities are taken, and their distance from the centroid
    is averaged and divided by that of a corner.  0: knowing the rule's answer leaves all classes
    equally likely; 1: it leaves one class.  (The paper describes the concept; the formula is ours.)

    Parameters
    ----------
    true_proba, memberships : array-like of shape (n_rows, n_classes)
        The true class probabilities, or 0 and 1 for observed classes, and the memberships.
    depth : int, default=1
        How many classes of the order define a region.
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
    regions, place = Regions.of(order, points, "first")
    sums = np.zeros((len(regions), n_classes))
    np.add.at(sums, place, w[:, None] * truth)
    share = sums.sum(axis=1)
    filled = share > 0
    means = sums[filled] / share[filled, None]
    away = np.sqrt(((means - 1 / n_classes) ** 2).sum(axis=1))
    return float(np.average(away, weights=share[filled]) / np.sqrt((n_classes - 1) / n_classes))


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
        Membership values, rows summing to 1; of equal ones the first is taken.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.

    Examples
    --------
    >>> correctness_rate(["a", "b"], [[0.6, 0.4], [0.7, 0.3]], classes=["a", "b"])
    0.5
    """
    truth, points, _ = align_probabilities(y_true, memberships, classes, name="memberships")
    weights = check_weights(sample_weight, len(points))
    return float(np.average(points.argmax(axis=1) == truth, weights=weights))


def check_depth(depth: int, n_classes: int) -> int:
    """A depth between 1 and G-1."""
    if not isinstance(depth, (int, np.integer)) or not 1 <= depth <= n_classes - 1:
        raise ValueError(
            f"depth must be a whole number from 1 to {n_classes - 1} for {n_classes} classes, got "
            f"{depth!r}"
        )
    return int(depth)


def two_classes(points: Floats) -> Floats:
    """The points, if they are of two classes at least."""
    if points.shape[1] < 2:
        raise ValueError("a partition needs at least two classes, got one column")
    return points


def _both(true_proba: ArrayLike, memberships: ArrayLike) -> tuple[Floats, Floats]:
    truth = two_classes(check_probabilities(true_proba, name="true_proba"))
    points = check_probabilities(memberships, name="memberships")
    if truth.shape != points.shape:
        raise ValueError(
            f"true_proba and memberships must have the same rows and classes, got the shapes "
            f"{truth.shape} and {points.shape}"
        )
    return truth, points
