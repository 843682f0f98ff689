"""The form ``p:<class>``: the probability of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._typing import Floats
from wager.predictions.files.forms._form import Rows
from wager.predictions.files.forms._numbers import NumberForm

__all__ = ["COMPUTED", "PRINTED", "ProbabilityForm"]

PRINTED = 5e-4  # the rounding error of a probability printed with three decimals
COMPUTED = 1e-6  # the rounding error of a computed sum


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
        proba = self.matrix(rows, self.columns)
        sums = proba.sum(axis=1)
        error = np.abs(sums - 1)
        if (error > PRINTED * proba.shape[1]).any():
            row = int((error > PRINTED * proba.shape[1]).argmax())
            raise ValueError(
                f"{self.path}: the p: columns of row {rows.number_of(row)} sum to "
                f"{sums[row]:.6g}: probabilities must sum to 1; put other scores into m: columns"
            )
        return proba / sums[:, None] if (error > COMPUTED).any() else proba
