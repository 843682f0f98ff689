"""The form ``p:<class>``: the probability of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._jit import entry
from wager._typing import Floats
from wager.predictions._probabilities import SUM_TOLERANCE
from wager.predictions.files.forms._form import Rows
from wager.predictions.files.forms._numbers import NumberForm

__all__ = ["COMPUTED", "PRINTED", "ProbabilityForm"]

PRINTED = 5e-4  # the rounding error of a probability printed with three decimals
ROUNDED = 5e-2  # the rounding error of a probability printed with one decimal
COMPUTED = SUM_TOLERANCE  # the rounding error of a computed sum


@dataclass(frozen=True)
class ProbabilityForm(NumberForm):
    """One probability per class."""

    name = "p"
    heading = "p:"
    usage = "p:<class>"
    kind = "proba"
    argument = "proba"

    def assemble(self, rows: Rows) -> Floats:
        """Probabilities, divided by their sum if it differs from 1 by rounding in print."""
        given = self.side_by_side(rows, self.columns)
        if given.dtype == np.float64 and _all_fit(given, COMPUTED, work=3e-9 * given.size):
            return given
        proba = self.within_bounds(rows, given)
        sums = proba.sum(axis=1)
        error = np.abs(sums - 1)
        if (error > PRINTED * proba.shape[1]).any():
            row = int((error > PRINTED * proba.shape[1]).argmax())
            problem = ValueError(
                f"{self.path}: the p: columns of row {rows.number_of(row)} sum to "
                f"{sums[row]:.6g}: probabilities must sum to 1; put other scores into m: columns"
            )
            if error[row] <= ROUNDED * proba.shape[1]:
                problem.add_note("if they were rounded, write more digits")
            raise problem
        return proba / sums[:, None] if (error > COMPUTED).any() else proba


def _fit_by_numpy(proba: Floats, slack: float) -> bool:
    low, high = proba.min(), proba.max()  # NaN if there is one
    return bool(low >= 0 and high <= 1 and (np.abs(proba.sum(axis=1) - 1) <= slack).all())


@entry(plain=_fit_by_numpy, label="the loops over probabilities")
def _all_fit(proba, slack):
    """Whether all numbers are probabilities, and those of each row sum to 1."""
    n_rows, n_columns = proba.shape
    sums, wrong = np.empty(4096), 0
    for start in range(0, n_rows, 4096):  # so that the sums stay in the cache
        sums[:] = 0.0
        for j in range(n_columns):
            column = proba[start : start + 4096, j]
            for i in range(len(column)):
                x = column[i]
                wrong += 0 if 0.0 <= x <= 1.0 else 1
                sums[i] += x
        for i in range(min(4096, n_rows - start)):
            wrong += 0 if abs(sums[i] - 1.0) <= slack else 1
    return wrong == 0
