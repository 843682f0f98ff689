"""Learners on many data sets: how often each outcome occurred, from which the page ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.compare import nemenyi_q

if TYPE_CHECKING:
    from wager.experiments import Store

_MOST_FAILURES = 20  # that the page lists


def store_section(
    store: Store, level: float, learners: Sequence[str] | None = None
) -> dict[str, Any]:
    """The section ``store`` of the data.

    Parameters
    ----------
    store : Store
        The results of a run.
    level : float
        The level of the tests.
    learners : sequence of str, optional
        The learners to compare, by default all.
    """
    from wager.experiments import require_learners

    names = list(store.learners if learners is None else learners)
    require_learners(names, store.learners)
    shares = store.outcome_shares()
    datasets = list(store.scores("u65").rows)
    counts, failures = store.counts(), store.failures()
    return {
        "learners": names,
        "datasets": datasets,
        "shares": [[_cells(shares.get((d, name))) for name in names] for d in datasets],
        "nemenyi_q": nemenyi_q(len(names), 1 - level) if len(names) > 2 else None,
        "counts": counts,
        "failures": [
            {"dataset": f.dataset, "learner": f.learner, "error": f.error}
            for f in failures[:_MOST_FAILURES]
        ],
    }


def _cells(shares: Floats | None) -> list[list[float]] | None:
    """The outcomes that occur: size, hit and share."""
    if shares is None:
        return None
    return [[size, hit, float(shares[size, hit])] for size, hit in np.argwhere(shares > 0).tolist()]
