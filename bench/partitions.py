"""Standardizing a partition, compared with the Beta functions that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import betainc, betaincinv

from bench.measure import Row, race
from wager.partitions import StandardizedPartition, standardize

NOTE = (
    "five sixths of the time are these two functions; the rest finds regions, fits moments and "
    "measures distances, in a dozen passes over all memberships"
)


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for n_rows, n_classes in ((100_000, 3), (200_000, 10)):
        memberships = rng.dirichlet(np.full(n_classes, 0.7), n_rows)
        draws = rng.random((n_rows, 1))
        truth = (memberships.cumsum(axis=1) < draws).sum(axis=1).clip(max=n_classes - 1)

        def ours(truth=truth, memberships=memberships) -> StandardizedPartition:
            partition = standardize(truth, memberships)
            _ = partition.accuracy, partition.separation
            return partition

        partition = ours()
        values = memberships[np.arange(n_rows), partition.assigned]
        step = {region.orders[0][0]: region.steps[0] for region in partition.regions}
        fitted = [step[code] for code in partition.assigned]
        mean, concentration, p, certainty = (
            np.array([getattr(s, name) for s in fitted])
            for name in ("mean", "concentration", "p", "certainty")
        )
        before = concentration * mean, concentration * (1 - mean)
        after = certainty * p, certainty * (1 - p)
        row = race(
            f"standardize with Ac and AS, {n_rows:,} x {n_classes}",
            ours,
            lambda values=values, before=before, after=after: betaincinv(
                *after, betainc(*before, values)
            ),
            "betainc and betaincinv (SciPy)",
            at_most=1.3,
            repeat=3,
        )
        yield replace(row, note=NOTE)
