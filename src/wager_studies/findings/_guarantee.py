"""Whether conformal sets contain the true class as often as they promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats, Ints
from wager.experiments.study import StudyTable
from wager_studies.findings._plan import ALPHAS

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["CoverageCheck", "checks_of", "coverage_checks", "guarantee_table", "rows_table"]

CALIBRATED = 0.3  # the share of the training rows used for calibration


@dataclass(frozen=True, eq=False)
class CoverageCheck:
    """Coverage of one method on every data set, and the coverage that it promises.

    Attributes
    ----------
    promised : float
    coverage, error : array, one entry per data set
        Observed coverage and its standard error, from the test rows and from the threshold that
        is learnt from the calibration rows, taken to be the same in all folds.
    rows, train : array
        The number of rows of each data set, and of the training rows of a fold.
    """

    promised: float
    coverage: Floats
    error: Floats
    rows: Ints
    train: Ints

    @property
    def n_below(self) -> int:
        """On how many data sets it is below the promise by more than two standard errors."""
        return int((self.coverage < self.promised - 2 * self.error).sum())


def coverage_checks(
    store: Store, coverage: dict[str, Floats], names: tuple[str, ...]
) -> dict[str, CoverageCheck]:
    """The coverage of every conformal method beside its promise."""
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
    return checks_of(coverage, n, np.array([train[name] for name in names]))


def checks_of(coverage: dict[str, Floats], n: Ints, n_train: Ints) -> dict[str, CoverageCheck]:
    """The coverage of conformal methods on data sets with so many rows, beside their promises."""
    calibration = CALIBRATED * n_train
    found = {}
    for method, columns in coverage.items():
        level = next((a for a in ALPHAS if method.endswith(f" {100 * a:g}%")), None)
        if level is not None:
            error = np.sqrt(level * (1 - level) * (1 / n + 1 / calibration))
            found[method] = CoverageCheck(1 - level, columns, error, n, n_train)
    return found


def rows_table(checks: dict[str, CoverageCheck], names: tuple[str, ...]) -> StudyTable:
    """The rows of the data sets, on which the standard errors of coverage depend."""
    first = next(iter(checks.values()))
    rows = list(zip(names, first.rows.tolist(), first.train.tolist(), strict=True))
    return StudyTable("Rows", ("data set", "rows", "training rows"), rows, shown=False)


def guarantee_table(checks: dict[str, CoverageCheck]) -> StudyTable:
    """The promised and the observed coverage of every conformal method."""
    rows = [
        (
            name,
            100 * check.promised,
            100 * check.coverage.mean(),
            100 * check.coverage.min(),
            int((check.coverage < check.promised).sum()),
            check.n_below,
            len(check.coverage),
        )
        for name, check in checks.items()
    ]
    headers = (
        "method", "promised coverage", "mean coverage", "smallest", "data sets below",
        "significantly below", "data sets",
    )  # fmt: skip
    return StudyTable("Promised and observed coverage (per cent)", headers, rows, digits=1)
