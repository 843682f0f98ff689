"""Fit a partition: the regions of its rows, and the scaling of every step."""

from __future__ import annotations

from typing import Any

from wager._tables import RowUnits, row_blocks
from wager.partitions._beta_scaling import BetaScaling
from wager.partitions._region_sums import RegionSums
from wager.partitions._regions import Regions, Ties, class_orders
from wager.partitions._rows import PartitionRows
from wager.partitions._storage import Storage


def find_regions(
    points: Any,
    truth: Any,
    units: RowUnits,
    depth: int,
    ties: Ties,
    random_state: Any,
    storage: Storage,
) -> tuple[PartitionRows, Regions]:
    """The rows with their order of classes and their region, and the regions.

    Parameters
    ----------
    points, truth, units
        The columns of `PartitionRows`.
    depth, ties, random_state
        As in `standardize`.
    storage : callable
        Where the new columns are put.
    """
    n_classes = points.shape[1]
    order, region = storage("int32", depth), storage("int32", None)
    distinct: set[tuple[int, ...]] = set()
    for part in class_orders(points, depth, ties, random_state):
        order.append(part)
        distinct |= Regions.distinct(part, n_classes)
    orders = order.finish()
    regions = Regions.of(sorted(distinct), points, ties)
    for rows in row_blocks(len(truth), n_classes):
        region.append(regions.locate(orders[rows], n_classes))
    return PartitionRows(points, truth, orders, region.finish(), units), regions


def fit_steps(rows: PartitionRows, n_regions: int, depth: int) -> tuple[BetaScaling, ...]:
    """The scaling of every class of the order, fitted to all rows in two passes."""
    sums = [RegionSums.empty(n_regions) for _ in range(depth)]
    for part in rows.blocks():
        parts = zip(sums, part.shares(), part.hits(), strict=True)
        for j, (step, share, (tried, hit)) in enumerate(parts):
            step.add(share, hit, tried if j else None, part.region, part.units)
    for part in rows.blocks():
        for step, share in zip(sums, part.shares(), strict=True):
            step.add_squares(share, part.region, part.units)
    return tuple(BetaScaling.of_sums(step) for step in sums)
