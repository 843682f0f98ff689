"""Totals of each cluster of rows by its name, for parts that divide clusters.

Second moments of clusters add up only if no cluster is divided between the parts.  A table of the
totals of each cluster adds up in any case; second moments are computed from it afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.rewards._summable import plain_labels, plain_numbers


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """Totals of each cluster.

    Parameters
    ----------
    labels : ndarray of shape (n_clusters,)
        The names of the clusters.
    totals : dict of str to ndarray of shape (n_clusters, ...)
        Totals by the name of what is added up.

    Examples
    --------
    >>> one = ClusterTable(np.array(["a", "b"]), {"rows": np.array([1.0, 2.0])})
    >>> both = one + ClusterTable(np.array(["b", "c"]), {"rows": np.array([1.0, 1.0])})
    >>> both.labels.tolist(), both.totals["rows"].tolist()
    (['a', 'b', 'c'], [1.0, 3.0, 1.0])
    """

    labels: Array
    totals: dict[str, Floats]

    def __add__(self, other: ClusterTable) -> ClusterTable:
        labels, place = np.unique(np.concatenate([self.labels, other.labels]), return_inverse=True)
        first, second = place[: len(self.labels)], place[len(self.labels) :]
        totals = {}
        for name in self.totals:
            if name in other.totals:
                table = np.zeros((len(labels), *self.totals[name].shape[1:]))
                table[first] = self.totals[name]
                table[second] += other.totals[name]
                totals[name] = table
        return ClusterTable(labels, totals)

    def __sub__(self, other: ClusterTable) -> ClusterTable:
        """The totals without those of a part; clusters of which nothing is left are left out."""
        negative = {name: -table for name, table in other.totals.items()}
        both = self + ClusterTable(other.labels, negative)
        size = self + other
        totals = {
            name: np.where(np.abs(table) <= 1e-9 * np.abs(size.totals[name]), 0.0, table)
            for name, table in both.totals.items()
        }
        left = [table.reshape(len(table), -1).any(axis=1) for table in totals.values()]
        kept = np.logical_or.reduce(left)
        return ClusterTable(both.labels[kept], {n: table[kept] for n, table in totals.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterTable):
            return NotImplemented
        return (
            np.array_equal(self.labels, other.labels)
            and self.totals.keys() == other.totals.keys()
            and all(np.array_equal(self.totals[name], other.totals[name]) for name in self.totals)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        totals = {name: table.tolist() for name, table in self.totals.items()}
        return {"labels": self.labels.tolist(), "totals": totals}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClusterTable:
        """The table that `to_dict` wrote."""
        labels = plain_labels(data["labels"])
        totals = {}
        for name, table in data["totals"].items():
            totals[name] = plain_numbers(table, "the totals of clusters", signed=True)
            if len(totals[name]) != len(labels):
                raise ValueError(
                    f"there are {len(labels)} clusters but totals of {len(totals[name])}"
                )
        return cls(labels, totals)
