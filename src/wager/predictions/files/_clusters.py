"""What each cluster of dependent rows adds to the counts of a file.

Only totals that occur are kept: of a million clusters, most have rows in a few cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wager._typing import Array, Bools, Floats, Ints

__all__ = ["FileClusters"]


@dataclass(frozen=True, eq=False)
class FileClusters:
    """Totals by cluster and entry of a `FileCounts`, one element per pair that occurs.

    Parameters
    ----------
    labels : ndarray of shape (G,)
        The clusters, ascending.
    cluster : ndarray of int
        The cluster of each total, as an index into `labels`.
    entry : ndarray of int
        The entry of the counts to which it belongs.
    total : ndarray of float
        The total weight of the rows of this cluster in this entry.

    Examples
    --------
    >>> one = FileClusters(np.array(["x", "y"]), np.array([0, 1]), np.array([0, 0]), np.ones(2))
    >>> both = FileClusters.concatenated([one, one], [0, 0])
    >>> both.renumbered(np.array([0])).total.tolist()
    [2.0, 2.0]
    """

    labels: Array
    cluster: Ints
    entry: Ints
    total: Floats

    @classmethod
    def concatenated(cls, parts: Sequence[FileClusters], starts: Sequence[int]) -> FileClusters:
        """The totals of several counts, whose entries begin at the given places.

        A cluster that occurs in several parts is one cluster.
        """
        labels, code = np.unique(
            np.concatenate([part.labels for part in parts]), return_inverse=True
        )
        codes = np.split(code, np.cumsum([len(part.labels) for part in parts])[:-1])
        return cls(
            labels,
            np.concatenate([of[part.cluster] for of, part in zip(codes, parts, strict=True)]),
            np.concatenate([part.entry + at for at, part in zip(starts, parts, strict=True)]),
            np.concatenate([part.total for part in parts]),
        )

    def renumbered(self, entry: Ints) -> FileClusters:
        """The totals if the i-th entry becomes the entry ``entry[i]``; equal pairs are added."""
        n_entries = int(entry.max(initial=-1)) + 1
        pair = self.cluster * n_entries + entry[self.entry]
        distinct, place = np.unique(pair, return_inverse=True)
        total = np.asarray(np.bincount(place, self.total, len(distinct)), dtype=np.float64)
        cluster, number = np.divmod(distinct, max(n_entries, 1))
        return FileClusters(self.labels, cluster, number, total)

    def where(self, chosen: Bools) -> FileClusters:
        """The totals of some entries, which are numbered anew."""
        kept = chosen[self.entry]
        entry = (np.cumsum(chosen) - 1)[self.entry[kept]]
        return FileClusters(self.labels, self.cluster[kept], entry, self.total[kept])

    @property
    def n_clusters(self) -> int:
        """The number of clusters that have rows of positive weight."""
        return len(np.unique(self.cluster[self.total > 0]))
