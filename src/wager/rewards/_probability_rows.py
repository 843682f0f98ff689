"""Reported probabilities with their true classes, checked and ready to be scored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wager._tables import check_weights
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.predictions import align_probabilities


class ProbabilityRows(NamedTuple):
    """True classes as codes, probabilities by row and class, weights, and the classes."""

    truth: Ints
    proba: Floats
    weights: Floats | None
    classes: Array

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        proba: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
    ) -> ProbabilityRows:
        """Check the input of a function that scores probabilities."""
        truth, table, known = align_probabilities(y_true, proba, classes)
        return cls(truth, table, check_weights(sample_weight, len(table)), known)


def pick(p: Floats, column: Ints) -> Floats:
    """One number from each row."""
    return p[np.arange(len(p)), column]
