"""Base classes of the learners that need only the counts of the training rows.

There is one path: rows are counted, and the model is made of the counts.  ``fit`` counts all rows,
``partial_fit`` adds the counts of further rows, and ``fit_counts`` takes counts that were made
elsewhere: of a file, of another site, of the training part of a cross-validation.  So all three
give the same model, to the last bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np

from wager._dask import engine_of
from wager._tables import (
    Counts,
    NamedCounts,
    PairCounts,
    Schema,
    check_classes,
    check_count_table_size,
    check_pair_table_size,
    format_labels,
    read_class_labels,
    read_table,
)
from wager._typing import Array, ArrayLike, Bools, Ints
from wager._visible import brief
from wager.learners._base import CategoricalClassifier, TableClassifier, table_blocks
from wager.prepare import count_file

__all__ = ["CountsClassifier", "FitCountsMixin"]


class FitCountsMixin(TableClassifier, ABC):
    """A learner that needs only the counts of the training rows."""

    _needs_pairs: ClassVar[bool] = False  # whether the counts of pairs of values are needed
    _pair_bytes: ClassVar[int] = 4  # what the model takes for each pair of values

    counts_: NamedCounts
    _declared: Array | None  # the classes given to the first call of ``partial_fit``

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
        if not isinstance(counts, NamedCounts | Counts | PairCounts):
            raise ValueError(
                f"counts must be NamedCounts, such as the counts_ of a fitted model, "
                f"got {brief(counts)}"
            )
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

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Learn from further rows, besides those learnt so far.

        After any number of calls the model is the one that ``fit`` makes of all rows together.
        Classes and values that appear for the first time are added, unless they contradict the
        declared ones.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            The same features in every call.
        y : array-like of shape (n,)
            The class labels.
        classes : array-like, optional
            All classes that may occur, in the first call, as in scikit-learn; they are put into
            sorted order.  Without them the classes are those that occurred so far.
        """
        self._read_part(X, y, classes)
        return self

    def _read_part(self, X: Any, y: Any, classes: ArrayLike | None) -> tuple[Any, Ints, Array]:
        """Add rows to the counts; returns the table, the class codes and the classes."""
        first = not hasattr(self, "counts_")
        declared = self._declared_classes(classes, first)
        table = read_table(self, X, reset=first)
        codes, known = read_class_labels(self, y, table.shape[0], declared)
        schema = Schema.of(table, self._nominal_columns(table, first), self.n_values)
        counts = self._count(table, codes, known, schema)
        if not first:
            counts = self.counts_ + counts
        self._take_named(counts.declared(declared, self.n_values))
        self._declared = declared
        return table, codes, known

    def _declared_classes(self, classes: ArrayLike | None, first: bool) -> Array | None:
        """The classes that ``partial_fit`` may meet; None if any label is a class."""
        known = None if self.classes is None else check_classes(self.classes)
        if known is None and not first:
            known = self._declared
        if classes is None:
            return known
        given = np.unique(check_classes(classes))
        if (known is None and not first) or (
            known is not None and sorted(known.tolist()) != given.tolist()
        ):
            before = "not given" if known is None else format_labels(known)
            raise ValueError(
                f"classes is {format_labels(given)}, but was {before} before: pass the same "
                "classes in every call, or only in the first"
            )
        return given if known is None else known

    def _nominal_columns(self, table: Any, first: bool) -> Bools | None:
        """Which columns of a part of the rows are nominal; None if all are."""
        return None

    def fit_file(
        self,
        path: str | PathLike[str],
        target: str = "y",
        *,
        columns: Sequence[str] | None = None,
        progress: Callable[[float], None] | None = None,
        client: Any = None,
    ) -> Self:
        """Learn from a CSV or Parquet file of any length, which is counted on disk.

        The model equals that of ``fit`` on the rows that `load_dataset` reads, to the last bit.

        Parameters
        ----------
        path : path
            The file; CSV may be compressed.
        target : str, default="y"
            The column of the class; rows without a class are left out.
        columns : sequence of str, optional
            The features; by default all other columns.
        progress : callable, optional
            Called from time to time with the fraction of the work that is done.
        client : distributed.Client, optional
            Counts a Parquet file on the workers of its Dask cluster, which must all find it under
            this path; the model is the same.  A CSV file is counted on this machine.
        """
        self._require_counts_suffice()
        counts = count_file(
            path,
            target,
            columns=columns,
            nominal=self._nominal_features,
            pairs=self._needs_pairs,
            check_size=self._check_size,
            progress=progress,
            engine=engine_of(client),
        )
        return self.fit_counts(counts)

    @property
    def needs_pairs(self) -> bool:
        """Whether the counts of pairs of values are needed."""
        return self._needs_pairs

    def learns_from_counts(self) -> bool:
        """Whether counts are enough with these settings."""
        try:
            self._require_counts_suffice()
        except ValueError:
            return False
        return True

    def _require_counts_suffice(self) -> None:
        """Refuse settings with which the rows themselves are needed."""

    def _nominal_features(self, names: Sequence[str], numeric: Bools) -> Bools:
        """Which columns of a file are nominal, their numbers codes: here all of them."""
        return np.ones_like(numeric)

    def _learn(self, table: Any, y: Ints) -> None:
        """Count the rows that ``_read_training`` has read, and make the model."""
        self._take_named(self._count(table, y, self.classes_, self.schema_))

    def _count(self, table: Any, y: Ints, classes: Array, schema: Schema) -> NamedCounts:
        of: Any = PairCounts.of if self._needs_pairs else Counts.of
        n_values, K = schema.n_values[schema.nominal], len(classes)
        check_count_table_size(int(n_values.sum()), K, table.shape[0] * len(n_values))
        self._check_size(n_values, K)
        parts = (
            of(schema.codes(part, known=True), y[rows], n_values, K)
            for rows, part in table_blocks(table, K)
        )
        names = getattr(self, "feature_names_in_", None)
        features = None if names is None else tuple(map(str, names))
        return NamedCounts(reduce(add, parts), classes, schema, features)

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
        self.classes_ = counts.classes
        self.schema_ = counts.schema
        self.n_values_ = counts.schema.n_values
        self._take_counts(counts.table)
        self._declared = None
        self.counts_ = counts  # last: an argument that is refused must not add rows

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
