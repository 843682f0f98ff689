"""Standard errors of scores over the runs of a repeated cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["errors_over_runs"]


def errors_over_runs(
    store: Store, names: Sequence[str], measures: Iterable[str]
) -> dict[str, Floats]:
    """The standard errors by data set (rows) and learner (columns), for each measure.

    A run of the cross-validation has one mean over its folds; the standard error is that of the
    mean of these means.  It is NaN with a single run.
    """
    measures = tuple(measures)
    table = store.columns(measures)
    row = {name: i for i, name in enumerate(names)}
    column = {name: j for j, name in enumerate(store.learners)}
    known = [k for k, name in enumerate(table["dataset"]) if name in row]
    n_runs = 1 + max((table["repeat"][k] for k in known), default=0)
    shape = (len(row), len(column), n_runs)
    place = tuple(
        np.array([of(k) for k in known], dtype=int)
        for of in (
            lambda k: row[table["dataset"][k]],
            lambda k: column[table["learner"][k]],
            lambda k: table["repeat"][k],
        )
    )
    found = {}
    for measure in measures:
        values = np.array([table[measure][k] for k in known], dtype=float)
        sums, counts = np.zeros(shape), np.zeros(shape)
        defined = np.isfinite(values)
        np.add.at(sums, tuple(part[defined] for part in place), values[defined])
        np.add.at(counts, tuple(part[defined] for part in place), 1.0)
        means = sums / np.where(counts > 0, counts, np.nan)
        if n_runs < 2:
            found[measure] = np.full(shape[:2], np.nan)
        else:
            found[measure] = means.std(axis=2, ddof=1) / np.sqrt(n_runs)
    return found
