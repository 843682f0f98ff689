"""What a simplex plot shows: points, classes, correctness rates, and measures if known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import ArrayLike, Floats, Ints
from wager.partitions import PartitionMeasures, StandardizedPartition
from wager.predictions import check_probabilities

__all__ = ["SimplexContent", "correctness_by_class", "simplex_content"]


@dataclass(frozen=True)
class SimplexContent:
    """Points, assigned classes, names and correctness rates; true classes and measures if known."""

    points: Floats
    assigned: Ints
    names: Sequence[Any]
    rates: Sequence[float | None]
    truth: Ints | None = None
    measures: PartitionMeasures | None = None


def simplex_content(partition: StandardizedPartition | ArrayLike, scaled: bool) -> SimplexContent:
    """The content of a plot of a partition, or of memberships without true classes."""
    if not isinstance(partition, StandardizedPartition):
        points = check_probabilities(partition, name="memberships")
        n_classes = points.shape[1]
        return SimplexContent(points, points.argmax(axis=1), range(n_classes), [None] * n_classes)
    return SimplexContent(
        partition.scaled if scaled else partition.memberships,
        partition.assigned,
        partition.classes.tolist(),
        correctness_by_class(partition),
        partition.truth,
        partition.measures if scaled else partition.measures_before,
    )


def correctness_by_class(partition: StandardizedPartition) -> list[float | None]:
    """Correctness rate of the assignments to each class, None for a class without any."""
    hit, weights = partition.truth == partition.assigned, partition.weights
    n_classes = len(partition.classes)
    number = np.bincount(partition.assigned, weights, n_classes)
    counted = None if weights is None else weights[hit]
    right = np.bincount(partition.assigned[hit], counted, n_classes)
    return [float(r / n) if n else None for r, n in zip(right, number, strict=True)]
