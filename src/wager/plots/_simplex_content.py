"""What a simplex plot shows: points, classes, correctness rates, and measures if known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Floats, Ints
from wager.credal import CredalVertices
from wager.partitions import MeasuredPartition, PartitionMeasures, StandardizedPartition
from wager.plots._inputs import as_numbers, refuse
from wager.predictions import (
    ProbabilityIntervals,
    check_probabilities,
    columns_by_name,
)

__all__ = ["SimplexContent", "check_partition", "correctness_by_class", "simplex_content"]


_WANTED = "the result of standardize, or a matrix of memberships"


@dataclass(frozen=True)
class SimplexContent:
    """Points, assigned classes, names and correctness rates; true classes and measures if known."""

    points: Floats
    assigned: Ints
    names: Sequence[Any]
    rates: Sequence[float | None]
    truth: Ints | None = None
    measures: PartitionMeasures | None = None


def simplex_content(
    partition: StandardizedPartition | MeasuredPartition | ArrayLike, scaled: bool
) -> SimplexContent:
    """The content of a plot of a partition, or of memberships without true classes."""
    if isinstance(partition, ProbabilityIntervals | CredalVertices):
        raise refuse("plot_simplex", _WANTED, partition, "draw credal sets with plot_credal")
    if not isinstance(partition, StandardizedPartition | MeasuredPartition):
        table, classes = columns_by_name(partition)
        if as_numbers(table) is None:
            raise refuse("plot_simplex", _WANTED, partition)
        points = check_probabilities(table, name="memberships")
        names = list(range(points.shape[1])) if classes is None else list(np.asarray(classes))
        return SimplexContent(points, points.argmax(axis=1), names, [None] * len(names))
    return SimplexContent(
        partition.scaled if scaled else partition.memberships,
        partition.assigned,
        partition.classes.tolist(),
        correctness_by_class(partition),
        partition.truth,
        partition.measures if scaled else partition.measures_before,
    )


def check_partition(partition: Any, plot: str) -> None:
    """Refuse anything but the result of `standardize`."""
    if not isinstance(partition, StandardizedPartition):
        hint = "call standardize(y_true, memberships) first"
        raise refuse(plot, "the result of standardize", partition, hint)


def correctness_by_class(
    partition: StandardizedPartition | MeasuredPartition,
) -> list[float | None]:
    """Correctness rate of the assignments to each class, None for a class without any."""
    hit, weights = partition.truth == partition.assigned, partition.weights
    n_classes = len(partition.classes)
    number = np.bincount(partition.assigned, weights, n_classes)
    counted = None if weights is None else weights[hit]
    right = np.bincount(partition.assigned[hit], counted, n_classes)
    return [float(r / n) if n else None for r, n in zip(right, number, strict=True)]
