"""The rows of a partition: memberships, true class, order of classes, region, and what they count.

Everything that is computed from all rows goes through them in blocks, so that they may be on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import RowUnits, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.partitions._beta_chain import chain_shares, scale_chain
from wager.partitions._beta_scaling import BetaScaling


@dataclass(frozen=True, eq=False)
class PartitionRows:
    """The rows of a test set; every column is an array, or a column on disk.

    Parameters
    ----------
    points : matrix of shape (n_rows, n_classes)
        The memberships.
    truth : vector of int
        Codes of the true classes.
    order : matrix of int, shape (n_rows, depth)
        Codes of the classes of the largest memberships, largest first.
    region : vector of int
        The number of the region of each row.
    units : RowUnits
        Weights, counts and clusters of the rows.
    """

    points: Any
    truth: Any
    order: Any
    region: Any
    units: RowUnits

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.points.shape[1])

    def take(self, rows: Ints | slice) -> PartitionRows:
        """Some of the rows, in memory; a slice if they are on disk."""
        return PartitionRows(
            self.points[rows],
            self.truth[rows],
            self.order[rows],
            self.region[rows],
            self.units.take(rows),
        )

    def blocks(self) -> Iterator[PartitionRows]:
        """All rows in order, some at a time."""
        for rows in row_blocks(len(self), self.n_classes):
            yield self.take(rows)

    def cluster_blocks(self) -> Iterator[PartitionRows]:
        """All rows, some at a time, so that no cluster is divided between blocks.

        Rows that are not sorted by cluster come in one block.
        """
        if self.units.clusters is None:
            yield from self.blocks()
            return
        start = 0
        for end in self._ends_of_clusters():
            yield self.take(slice(start, end))
            start = end

    def _ends_of_clusters(self) -> list[int]:
        """The first end of a cluster in every block; only the last row if they are not sorted."""
        clusters, ends, last = self.units.clusters, [], -1
        assert clusters is not None
        for rows in row_blocks(len(self), self.n_classes):
            part = np.concatenate([[last], clusters[rows]])
            steps = np.diff(part)
            if (steps < 0).any():
                return [len(self)]
            new = np.flatnonzero(steps)
            if len(new) and rows.start + new[0] > 0:
                ends.append(int(rows.start + new[0]))
            last = part[-1]
        return [*ends, len(self)]

    @property
    def weights(self) -> Floats:
        """What each row adds to a total: its weight times its count."""
        totals = self.units.totals
        return np.ones(len(self)) if totals is None else totals.astype(np.float64)

    def shares(self) -> list[Floats]:
        """The values that every step scales."""
        return list(chain_shares(self.points, self.order))

    def scale(self, steps: Sequence[BetaScaling]) -> Floats:
        """The scaled memberships, or without steps the memberships themselves."""
        if not steps:
            return self.points
        return scale_chain(self.points, self.order, lambda j, x: steps[j].apply(x, self.region))

    def hits(self) -> Iterator[tuple[Bools, Bools]]:
        """For every step: the rows that belong to no class before it, and those of its class."""
        tried = np.ones(len(self), dtype=bool)
        for j in range(self.order.shape[1]):
            hit = self.truth == self.order[:, j]
            yield tried, hit
            tried = tried & ~hit
