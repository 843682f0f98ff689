"""Whether conformal sets covered the true class as often as they promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats, Ints
from wager.experiments.study import StudyTable
from wager_studies.findings._plan import ALPHAS

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["Kept", "guarantee", "guarantee_table"]

CALIBRATED = 0.3  # the share of the training rows that calibrates


@dataclass(frozen=True, eq=False)
class Kept:
    """Coverage of one method on every data set, beside what it promised.

    Attributes
    ----------
    promised : float
    coverage, error : array, one entry a data set
        Coverage found, and its standard error: that of the test rows, and that of a threshold
        learnt from the calibration rows, taken to be the same in all folds.
    rows : array
        The rows of the data sets.
    """

    promised: float
    coverage: Floats
    error: Floats
    rows: Ints

    @property
    def short(self) -> int:
        """On how many data sets it is below the promise by more than two standard errors."""
        return int((self.coverage < self.promised - 2 * self.error).sum())


def guarantee(store: Store, coverage: dict[str, Floats], names: tuple[str, ...]) -> dict[str, Kept]:
    """The coverage of every conformal method."""
    table = store.columns(["coverage"])
    one = store.learners[0]
    rows, train = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for name, learner, n_test, n_train in zip(
        table["dataset"], table["learner"], table["n_test"], table["n_train"], strict=True
    ):
        if learner == one and name in rows:
            rows[name] += n_test
            train[name] = n_train
    n = np.array([rows[name] for name in names])
    calibration = CALIBRATED * np.array([train[name] for name in names])
    found = {}
    for method, columns in coverage.items():
        level = next((a for a in ALPHAS if method.endswith(f" {100 * a:g}%")), None)
        if level is not None:
            error = np.sqrt(level * (1 - level) * (1 / n + 1 / calibration))
            found[method] = Kept(1 - level, columns, error, n)
    return found


def guarantee_table(kept: dict[str, Kept]) -> StudyTable:
    """The promise and what became of it."""
    rows = [
        (
            name,
            100 * k.promised,
            100 * k.coverage.mean(),
            100 * k.coverage.min(),
            int((k.coverage < k.promised).sum()),
            k.short,
            len(k.coverage),
        )
        for name, k in kept.items()
    ]
    headers = (
        "method", "promised coverage", "mean coverage", "least", "data sets below",
        "surely below", "data sets",
    )  # fmt: skip
    return StudyTable("Is the promise kept? (per cent)", headers, rows, digits=1)
