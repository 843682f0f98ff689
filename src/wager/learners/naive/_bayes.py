"""Naive Bayes: features independent given the class; nominal by counts, numeric by Gaussians.

Duda & Hart (1973); the Gaussian for numeric features is that of John & Langley (1995) with values
rounded to the data's own precision, the form in which Hope & Korb (2004) used it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import ndtr

from wager._tables import Counts, nominal_columns
from wager._typing import ArrayLike, Floats, Ints
from wager.learners._base import TableClassifier, normalise_logs
from wager.learners.naive._log_tables import add_up, pad, padded_starts

__all__ = ["NaiveBayes"]

LEAST_DENSITY = 1e-75  # a numeric value counts as at least this probable


class NaiveBayes(TableClassifier):
    """Multiply the class's probability by that of each feature's value, given the class.

    Parameters
    ----------
    prior : {"laplace", "perks", "bdeu"}, default="laplace"
        How counts become probabilities.  "laplace" adds one to every count.  "perks" (the same as
        "bdeu") spreads ``s`` evenly over the classes and over the values within a class; it is the
        centre of the imprecise Dirichlet model of the naive credal classifier.
    s : float, default=1.0
        The weight of the "perks" prior, in rows.
    numeric : {"gaussian", "refuse"}, default="gaussian"
        What to do with numeric features.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which features are nominal.  "auto" goes by type: in a frame the columns of category,
        string, object or boolean type; an array of integers or strings is nominal and one of
        floats numeric.
    classes : array-like, optional
        The declared classes; by default those that occur (or a pandas column's categories).
    n_values : int or array-like, optional
        The declared number of values of each feature.
    empty_classes : {"keep", "drop"}, default="keep"
        What becomes of a declared class without a row.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    counts_ : Counts
        The counts of the nominal features.
    n_values_ : ndarray
        The number of values of each feature; 0 for a numeric one.

    Notes
    -----
    A missing value is left out, in training and in prediction.  A value that training did not see
    has count zero.

    Examples
    --------
    >>> X = [["sunny", "mild"], ["rainy", "mild"], ["rainy", "cold"], ["sunny", "hot"]]
    >>> model = NaiveBayes().fit(X, ["out", "in", "in", "out"])
    >>> model.predict([["sunny", "cold"]]).item()
    'out'
    >>> model.predict_proba([["sunny", None]]).round(3).tolist()
    [[0.25, 0.75]]
    """

    def __init__(
        self,
        prior: str = "laplace",
        s: float = 1.0,
        *,
        numeric: str = "gaussian",
        categorical_features: Any = "auto",
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.prior = prior
        self.s = s
        self.numeric = numeric
        self.categorical_features = categorical_features
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def fit(self, X: Any, y: Any) -> Self:
        """Count the nominal features and describe the numeric ones, class by class.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        y : array-like of shape (n,)
        """
        self._check_arguments()
        table, labels = self._read_training(
            X, y, lambda table: nominal_columns(table, self.categorical_features)
        )
        if self.numeric == "refuse" and not self.schema_.all_nominal:
            j = int(np.argmin(self.schema_.nominal))
            raise ValueError(
                f"column {j} is numeric: discretize it first, or take numeric='gaussian'"
            )
        numbers = self.schema_.numbers(table)
        self.gaussians_ = Gaussians.of(numbers, labels, len(self.classes_))
        codes = self.schema_.codes(table, known=True)
        n_values = self.schema_.n_values[self.schema_.nominal]
        return self._take_counts(Counts.of(codes, labels, n_values, len(self.classes_)))

    def fit_counts(self, counts: Counts, classes: ArrayLike | None = None) -> Self:
        """Learn from counts alone, as those of a training part are had by subtraction.

        Parameters
        ----------
        counts : Counts
            Of nominal features; rows to predict must then be codes.
        classes : array-like, optional
            The names of the classes; 0..K-1 by default.
        """
        self._check_arguments()
        n_classes = len(counts.classes)
        self.classes_ = np.arange(n_classes) if classes is None else np.asarray(classes)
        self._declare_codes(counts.n_values)
        self.gaussians_ = Gaussians.of(np.empty((0, 0)), np.empty(0, dtype=int), n_classes)
        return self._take_counts(counts)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class given the row.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        return normalise_logs(self._joint_logs(X))

    def _joint_logs(self, X: Any) -> Floats:
        """The logarithm of P(c) prod_j P(x_j | c), shape (n, K)."""
        table = self._read_rows(X)
        codes = self.schema_.codes(table)
        logs = add_up(codes, self.log_table_, self._starts, self.class_log_prior_)
        return self.gaussians_.add_logs(self.schema_.numbers(table), logs)

    def _take_counts(self, counts: Counts) -> Self:
        self.counts_ = counts
        n_classes = len(counts.classes)
        if self.prior == "laplace":
            for_class, for_value = 1.0, np.ones(len(counts.n_values))
        else:
            for_class = self.s / n_classes
            for_value = self.s / (n_classes * counts.n_values)
        rows = counts.classes + for_class
        self.class_log_prior_ = np.log(rows / rows.sum())
        total = counts.observed + (for_value * counts.n_values)[:, None]
        each = np.repeat(np.arange(len(counts.n_values)), counts.n_values)
        self.feature_log_prob_ = np.log((counts.values + for_value[each, None]) / total[each])
        unseen = np.log(for_value[:, None] / total)
        self.log_table_ = pad(self.feature_log_prob_, unseen, counts.n_values)
        self._starts = padded_starts(counts.n_values)
        return self

    def _check_arguments(self) -> None:
        if self.prior not in ("laplace", "perks", "bdeu"):
            raise ValueError(f"prior must be 'laplace', 'perks' or 'bdeu', got {self.prior!r}")
        if not self.s > 0:
            raise ValueError(f"s must be positive, got {self.s!r}")
        if self.numeric not in ("gaussian", "refuse"):
            raise ValueError(f"numeric must be 'gaussian' or 'refuse', got {self.numeric!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        chosen = self.categorical_features
        tags.input_tags.positive_only = isinstance(chosen, str) and chosen == "all"
        return tags


@dataclass(frozen=True)
class Gaussians:
    """Numeric features, class by class: a normal law on values rounded to a precision.

    A feature's precision p is the mean gap between neighbouring distinct values (0.01 if there is
    none); values are rounded to its multiples.  The probability of a value is that of the interval
    of width p around it, and at least 1e-75.
    """

    precision: Floats  # (m,)
    mean: Floats  # (m, K)
    deviation: Floats  # (m, K)

    @classmethod
    def of(cls, numbers: Floats, y: Ints, n_classes: int) -> Gaussians:
        m = numbers.shape[1]
        precision, mean, deviation = np.empty(m), np.zeros((m, n_classes)), np.empty((m, n_classes))
        for j in range(m):
            known = ~np.isnan(numbers[:, j])
            values, labels = numbers[known, j], y[known]
            gaps = np.diff(np.unique(values))
            # summed from left to right, as the class sums below: the last bit decides a rounding
            precision[j] = np.cumsum(gaps)[-1] / len(gaps) if len(gaps) else 0.01
            rounded = np.rint(values / precision[j]) * precision[j]
            rows = np.bincount(labels, minlength=n_classes)
            sums = np.bincount(labels, weights=rounded, minlength=n_classes)
            squares = np.bincount(labels, weights=rounded**2, minlength=n_classes)
            some = rows > 0
            mean[j, some] = sums[some] / rows[some]
            spread = np.sqrt(np.abs(squares - mean[j] * sums) / np.maximum(rows, 1))
            least = precision[j] / 6
            deviation[j] = np.where(spread > 1e-10, np.maximum(spread, least), least)
        return cls(precision, mean, deviation)

    def add_logs(self, numbers: Floats, logs: Floats) -> Floats:
        """Add log P(x_j | c) of every known value to the rows of ``logs``, in place."""
        for j, p in enumerate(self.precision):
            known = ~np.isnan(numbers[:, j])
            x = np.rint(numbers[known, j, None] / p) * p
            above = ndtr((x - self.mean[j] + p / 2) / self.deviation[j])
            below = ndtr((x - self.mean[j] - p / 2) / self.deviation[j])
            logs[known] += np.log(np.maximum(above - below, LEAST_DENSITY))
        return logs
