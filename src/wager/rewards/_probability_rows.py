"""Reported probabilities with their true classes, checked and ready to be scored."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wager._tables import RowUnits
from wager._typing import Array, ArrayLike, Floats, Ints
from wager.predictions import TopKProbabilities, align_probabilities, align_top_k, as_top_k
from wager.rewards._priors import prior_over


class ProbabilityRows(NamedTuple):
    """True classes as codes, probabilities by row and class, the classes, and what rows count.

    The probabilities are a matrix, or listed for a few classes of each row.
    ``declared`` says whether the user gave the classes in their order.
    """

    truth: Ints
    proba: Floats | TopKProbabilities
    classes: Array
    units: RowUnits
    declared: bool = True

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        proba: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        name: str = "proba",
    ) -> ProbabilityRows:
        """Check the input of a function that scores probabilities."""
        listed = as_top_k(proba)
        if listed is not None:
            truth, listed = align_top_k(y_true, listed, classes)
            units = RowUnits.of(len(listed), sample_weight, counts, groups)
            return cls(truth, listed, listed.classes, units, classes is not None)
        truth, table, known = align_probabilities(y_true, proba, classes, name=name)
        units = RowUnits.of(len(table), sample_weight, counts, groups)
        return cls(truth, table, known, units, classes is not None)

    def take(self, rows: Array) -> ProbabilityRows:
        """Some of the rows, given by their positions or as a mask."""
        places = np.flatnonzero(rows) if rows.dtype == bool else rows
        truth, proba, units = self.truth[places], self.proba[places], self.units.take(places)
        if units.clusters is not None and units.labels is not None:
            here, codes = np.unique(units.clusters, return_inverse=True)
            units = units._replace(clusters=codes, labels=units.labels[here])
        return self._replace(truth=truth, proba=proba, units=units)

    def prior(self, prior: Any) -> Floats:
        """The prior of each class, in the order of the columns."""
        return prior_over(prior, self.classes, declared=self.declared)

    @property
    def weights(self) -> Floats | None:
        """What each row adds to a total; None if that is 1."""
        return self.units.totals
