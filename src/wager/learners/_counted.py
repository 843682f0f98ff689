"""Base classes of the learners that need only the counts of the training rows.

There is one path: rows are counted, and the model is made of the counts.  ``fit`` counts all rows,
``partial_fit`` adds the counts of further rows, and ``fit_counts`` takes counts that were made
elsewhere: of a file, of another site, of the training part of a cross-validation.  So all three
give the same model, to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from wager._tables import Counts, NamedCounts, PairCounts, check_pair_table_size
from wager._typing import ArrayLike, Ints
from wager.learners._base import CategoricalClassifier, TableClassifier

__all__ = ["CountsClassifier", "FitCountsMixin"]


class FitCountsMixin(TableClassifier, ABC):
    """A learner that needs only the counts of the training rows."""

    _needs_pairs: ClassVar[bool] = False  # whether the counts of pairs of values are needed
    _pair_bytes: ClassVar[int] = 4  # what the model takes for each pair of values

    counts_: NamedCounts

    def fit_counts(
        self, counts: NamedCounts | Counts | PairCounts, classes: ArrayLike | None = None
    ) -> Self:
        """Learn from counts alone: the same model as ``fit`` on the rows that were counted.

        Parameters
        ----------
        counts : NamedCounts
            The counts of the training rows, such as the sum of the ``counts_`` of several models.
            Plain counts by code are accepted too; rows to predict must then be codes.
        classes : array-like, optional
            The names of the classes, for plain counts; 0..K-1 by default.
        """
        if not isinstance(counts, NamedCounts):
            known = None if classes is None else np.asarray(classes)
            counts = NamedCounts.of_codes(counts, known)
        elif classes is not None:
            raise ValueError("these counts name their classes already: do not pass classes")
        if not counts.schema.all_nominal:
            j = int(np.argmin(counts.schema.nominal))
            raise ValueError(
                f"feature {j} is numeric, and its normal distribution needs all values, not only "
                "counts: call fit, or discretize the feature before counting"
            )
        counts = counts.declared(self.classes, self.n_values)
        self._name_features(counts)
        self._take_named(counts)
        return self

    def _learn(self, codes: Ints, y: Ints) -> None:
        """Count the rows that ``_read_training`` has read, and make the model."""
        self._take_named(self._count(codes, y))

    def _count(self, codes: Ints, y: Ints) -> NamedCounts:
        of = PairCounts.of if self._needs_pairs else Counts.of
        n_values = self.schema_.n_values[self.schema_.nominal]
        self._check_size(n_values, len(self.classes_))
        table = of(codes, y, n_values, len(self.classes_))
        names = getattr(self, "feature_names_in_", None)
        features = None if names is None else tuple(map(str, names))
        return NamedCounts(table, self.classes_, self.schema_, features)

    def _take_named(self, counts: NamedCounts) -> None:
        """Make the model of counts; sets all attributes that end with an underscore."""
        if self._needs_pairs and not counts.has_pairs:
            raise ValueError(
                f"{type(self).__name__} needs the counts of pairs of values, and these are counts "
                "of single values: count with a learner that counts pairs, such as AODE"
            )
        self._check_size(counts.single.n_values, len(counts.classes))
        if not self._needs_pairs:
            counts = counts.without_pairs()
        if self.empty_classes == "drop":
            counts = counts.without_empty_classes()
        self.counts_ = counts
        self.classes_ = counts.classes
        self.schema_ = counts.schema
        self.n_values_ = counts.schema.n_values
        self._take_counts(counts.table)

    def _check_size(self, n_values: Ints, n_classes: int) -> None:
        if self._needs_pairs:
            check_pair_table_size(n_values, n_classes, self._pair_bytes)

    def _name_features(self, counts: NamedCounts) -> None:
        self.n_features_in_ = len(counts.schema.nominal)
        if counts.features is not None:
            self.feature_names_in_ = np.array(counts.features, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    @abstractmethod
    def _take_counts(self, counts: Any) -> None:
        """Check the arguments and make the model from the counts by code."""


class CountsClassifier(FitCountsMixin, CategoricalClassifier):
    """Base class for learners of nominal features from counts."""
