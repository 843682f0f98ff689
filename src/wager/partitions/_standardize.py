"""The standardized partition space: memberships scaled by their success on a test set.

The memberships of different classifiers are not comparable.  If they are scaled within regions to
the rates observed there, those of a support vector machine, a tree and a Bayes rule can be measured
and drawn side by side (Sondhauss & Weihs, 2001).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from wager._tables import RowUnits, check_weights, is_one_of
from wager._typing import Array, ArrayLike, Floats, Ints
from wager._visible import brief
from wager.partitions._certainty_search import search_certainty
from wager.partitions._fit import find_regions, fit_steps
from wager.partitions._measures import (
    SONDHAUSS_WEIHS_2001,
    check_depth,
    closeness,
    distances_to_corners,
    two_classes,
)
from wager.partitions._partition import StandardizedPartition
from wager.partitions._regions import Ties
from wager.partitions._scaled_memberships import marked, refuse_scaled
from wager.partitions._storage import Storage, in_memory
from wager.predictions import align_probabilities
from wager.rewards import as_measure


def standardize(
    y_true: ArrayLike,
    memberships: ArrayLike,
    classes: ArrayLike | None = None,
    depth: int = 1,
    ties: Ties = "first",
    random_state: Any = None,
    *,
    certainty: Literal["fitted", "searched"] = "fitted",
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> StandardizedPartition:
    """Scale memberships within regions to the observed rates, and measure the partition.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of a test set.
    memberships : array-like of shape (n_rows, n_classes)
        Membership values, rows summing to 1; see `to_memberships` for other scores.
    classes : array-like of shape (n_classes,), optional
        The classes of the columns.
    depth : int, default=1
        The number of leading classes in the order of memberships that define a region, from 1 to
        G-1.  Depth one is the method of the paper; deeper scaling is our extension, a chain of
        Betas as for a Dirichlet vector.
    ties : {"first", "random", "join"}, default="first"
        If memberships are equal: the first class comes first; the order is drawn with
        ``random_state``; or the regions that such an object could belong to are joined.
    random_state : int or numpy Generator, optional
        Seed of ``ties="random"``.
    certainty : {"fitted", "searched"}, default="fitted"
        How far the scaled values of a region spread around its rate.  "fitted" is the rule of the
        paper: like the values themselves, but at most as certain as the number of objects allows.
        "searched" takes, of the whole numbers between the two, the certainty with which the most
        objects are right after scaling, and of these the one with the largest accuracy; this is
        ``dis=TRUE`` of the R package klaR.  It needs ``depth=1``.  Standard errors take a searched
        certainty as given.
    sample_weight : array-like of shape (n_rows,), optional
        Importance weights: a row of weight 2 counts twice in every mean, but is one object.  Only
        their ratios matter.
    counts : array-like of int, shape (n_rows,), optional
        How many objects each row stands for.
    groups : array-like of shape (n_rows,), optional
        Clusters of rows that are not independent, such as the patient of each visit.  They change
        the standard errors and intervals, not the values.

    Returns
    -------
    StandardizedPartition
        ``.scaled``, ``.accuracy``, ``.separation``, ``.correctness``, ``.confidence``,
        ``.estimates`` (the same with standard errors and intervals), ``.regions``,
        ``.transform(memberships, y_true=None)`` for new objects; prints as a table.

    Examples
    --------
    >>> partition = standardize(["a", "a", "b", "b"],
    ...     [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]], classes=["a", "b"])
    >>> partition.correctness, [region.correctness for region in partition.regions]
    (0.75, [0.6666666666666666, 1.0])
    >>> partition.scaled.round(3).tolist()
    [[0.93, 0.07], [0.611, 0.389], [0.441, 0.559], [0.0, 1.0]]
    """
    refuse_scaled(memberships, "measures")
    truth, points, known = align_probabilities(y_true, memberships, classes, name="memberships")
    units = RowUnits.of(len(points), sample_weight, counts, groups)
    # measures are computed when they are asked for: the caller may change the arrays until then
    points, truth, units = points.copy(), truth.copy(), units.kept()
    return standardize_rows(
        points, truth, known, units, depth, ties, random_state, certainty=certainty
    )


def standardize_rows(
    points: Any,
    truth: Any,
    classes: Array,
    units: RowUnits,
    depth: int = 1,
    ties: Ties = "first",
    random_state: Any = None,
    storage: Storage = in_memory,
    certainty: str = "fitted",
) -> StandardizedPartition:
    """The same for checked rows, whose columns may be on disk.

    Parameters
    ----------
    points, truth, units
        The memberships, the codes of the true classes, and what the rows count for.  The scaled
        memberships and other columns are put into `storage`; memory does not grow with the rows if
        all of them are on disk, and rows of the same cluster are next to each other.
    classes : ndarray
        The classes.
    depth, ties, random_state, certainty
        As in `standardize`.
    storage : callable, default=in_memory
        Gives new columns.
    """
    depth = check_depth(depth, two_classes(points).shape[1])
    if not is_one_of(ties, ("first", "random", "join")):
        raise ValueError(f"ties must be 'first', 'random' or 'join', got {brief(ties)}")
    if not is_one_of(certainty, ("fitted", "searched")):
        raise ValueError(f"certainty must be 'fitted' or 'searched', got {brief(certainty)}")
    if certainty == "searched" and depth > 1:
        raise ValueError(f"certainty='searched' is defined at depth 1, got depth={depth}")
    rows, regions = find_regions(points, truth, units, depth, ties, random_state, storage)
    steps = fit_steps(rows, len(regions), depth)
    if certainty == "searched":
        steps = (search_certainty(rows, steps[0]),)
    scaled = storage(np.float64, points.shape[1])
    for block in rows.blocks():
        scaled.append(block.scale(steps))
    return StandardizedPartition(marked(scaled.finish()), classes, depth, rows, regions, steps)


@as_measure(
    kind="memberships",
    meaning="Accuracy Ac: how close the standardized memberships are to the corner of the true "
    "class.",
    formula="1 - mean distance to the true corner / sqrt((G-1)/G), after Beta scaling",
    use="Compares classifiers of any kind (scores, votes, probabilities) on one scale.",
    source=f"{SONDHAUSS_WEIHS_2001}, Section 5, normalisation corrected",
    range="1 - sqrt(2G/(G-1)) to 1; 0 at the centre",
    aliases=("ac",),
)
def partition_accuracy(
    y_true: ArrayLike,
    memberships: ArrayLike,
    scale: bool = True,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Accuracy Ac: how close memberships are to the corners of the true classes.

    ``1 - mean distance / sqrt((G-1)/G)`` (Sondhauss & Weihs, 2001, Sec. 5, with the missing
    square root added): 1 if all objects are in their corner, 0 if all are in the centroid,
    negative if they are in wrong corners.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    memberships : array-like of shape (n_rows, n_classes)
        Membership values, rows summing to 1.
    scale : bool, default=True
        Scale the memberships at depth one first, as `standardize` does.
    sample_weight : array-like of shape (n_rows,), optional
        Importance weights of the rows.
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
    return _unscaled_closeness(points, truth, sample_weight)


@as_measure(
    kind="memberships",
    meaning="Ability to separate AS: how close the standardized memberships are to the corner of "
    "the assigned class.",
    formula="1 - mean distance to the assigned corner / sqrt((G-1)/G), after Beta scaling",
    use="How clearly the classes are separated, rightly or wrongly.",
    source=f"{SONDHAUSS_WEIHS_2001}, Section 5, normalisation corrected",
    range="1 - sqrt(2G/(G-1)) to 1",
    aliases=("as",),
)
def separation(
    y_true: ArrayLike,
    memberships: ArrayLike,
    scale: bool = True,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> float:
    """Ability to separate AS: how close memberships are to the corners of the assigned classes.

    The same standardized distance as `partition_accuracy`, to the corner of the class that the
    memberships *before* scaling assign (Sondhauss & Weihs, 2001, Sec. 5).

    Parameters
    ----------
    y_true, memberships, scale, sample_weight, classes
        As in `partition_accuracy`; without scaling ``y_true`` is only checked.  Memberships that
        ``transform`` has scaled are refused: they no longer show which class is assigned.

    Examples
    --------
    >>> separation([0, 0], [[1.0, 0.0], [0.0, 1.0]], scale=False)
    1.0
    """
    if scale:
        return standardize(y_true, memberships, classes, sample_weight=sample_weight).separation
    refuse_scaled(memberships, "separation")
    _, points, _ = align_probabilities(y_true, memberships, classes, name="memberships")
    return _unscaled_closeness(points, points.argmax(axis=1), sample_weight)


def _unscaled_closeness(points: Floats, corner: Ints, sample_weight: ArrayLike | None) -> float:
    weights = check_weights(sample_weight, len(points))
    distances = distances_to_corners(two_classes(points), corner)
    return closeness(distances, points.shape[1], weights)
