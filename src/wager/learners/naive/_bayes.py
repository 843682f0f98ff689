"""Naive Bayes: features are independent given the class (Duda & Hart, 1973).

Nominal features are counted; numeric ones have a normal distribution per class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from wager._tables import Counts, nominal_columns, nominal_names, real_number
from wager._typing import Array, ArrayLike, Bools, Floats
from wager._visible import brief
from wager.learners._base import check_option, check_strength, first_largest, normalise_logs
from wager.learners._counted import FitCountsMixin
from wager.learners.naive._gaussians import Gaussians, NumericRows
from wager.learners.naive._point_model import PointModel

__all__ = ["NaiveBayes"]


def _can_continue(model: NaiveBayes) -> bool:
    """Whether further rows can be added: not after ``fit`` on numeric features."""
    if hasattr(model, "counts_") and not model.schema_.all_nominal and not model._numeric_rows:
        raise AttributeError(
            "fit does not keep the values of numeric features, which further rows would need: use "
            "partial_fit from the first rows on, or discretize the features"
        )
    return True


class NaiveBayes(FitCountsMixin):
    """Naive Bayes: multiply P(class) by the probability of each feature value given the class.

    The features are treated as independent given the class, and the class with the largest product
    is predicted.

    Use it as the precise counterpart of `NaiveCredal`, and as a fast first model.

    Parameters
    ----------
    prior : {"laplace", "perks", "bdeu"}, default="laplace"
        How counts become probabilities.  "laplace" adds one to every count.  "perks" (also called
        "bdeu") spreads ``s`` evenly over the classes and over the values within a class; it is the
        centre of the imprecise Dirichlet model of the naive credal classifier.
    s : float, default=1.0
        The weight of the "perks" prior, in rows.
    numeric : {"gaussian", "refuse"}, default="gaussian"
        Whether numeric features get a normal distribution per class or raise an error.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which features are nominal.  "auto" decides by type: in a frame, the columns of category,
        string, object or boolean type are nominal; an array of integers or strings is nominal, an
        array of floats numeric.
    classes : array-like, optional
        The declared classes; by default those that occur (or a pandas column's categories).
    n_values : int or array-like, optional
        The declared number of values of each feature.
    empty_classes : {"keep", "drop"}, default="keep"
        Whether a declared class without any training row is kept.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    counts_ : NamedCounts
        The counts of the nominal features.
    class_log_prior_ : ndarray of shape (K,)
        The logarithm of P(class).
    feature_log_prob_ : ndarray of shape (sum of ``n_values_``, K)
        The logarithm of P(value | class), the values of all features one after the other.
    n_values_ : ndarray
        The number of values of each feature; 0 for a numeric one.

    Notes
    -----
    A missing value is ignored, in training and in prediction.  A value that training did not see
    has count zero.

    References
    ----------
    Duda, R. O. & Hart, P. E. (1973). Pattern Classification and Scene Analysis. Wiley.

    Examples
    --------
    >>> X = [["sunny", "mild"], ["rainy", "mild"], ["rainy", "cold"], ["sunny", "hot"]]
    >>> model = NaiveBayes().fit(X, ["out", "in", "in", "out"])
    >>> model.predict([["sunny", "cold"]]).item()
    'out'
    >>> model.predict_proba([["sunny", None]]).round(3).tolist()
    [[0.25, 0.75]]
    """

    _numeric_rows: tuple[NumericRows, ...]  # kept by ``partial_fit`` only
    _gaussians: Gaussians | None  # None: to be made of the rows

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
        """Count the nominal features, and estimate the normal distributions of the numeric ones.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        y : array-like of shape (n,)
        """
        self._check_arguments()
        table, labels = self._read_training(X, y, lambda table: self._nominal_columns(table, True))
        numbers = self.schema_.numbers(table)
        self._learn(table, labels)
        self._gaussians = Gaussians.of(numbers, labels, len(self.classes_))
        return self

    @available_if(_can_continue)
    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Learn from further rows, besides those learnt so far.

        After any number of calls the model is the one that ``fit`` makes of all rows together.
        Nominal features need no memory but their counts.  The normal distributions need all values
        (their precision is the mean gap between neighbouring ones), so those are kept: discretize
        numeric features where memory matters.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            The same features in every call; the first call decides which ones are nominal.
        y : array-like of shape (n,)
            The class labels.
        classes : array-like, optional
            All classes that may occur, in the first call, as in scikit-learn; they are put into
            sorted order.  Without them the classes are those that occurred so far.
        """
        self._check_arguments()
        seen: tuple[NumericRows, ...] = getattr(self, "_numeric_rows", ())
        table, codes, known = self._read_part(X, y, classes)
        if not self.schema_.all_nominal:
            self._numeric_rows = (*seen, NumericRows(self.schema_.numbers(table), codes, known))
            self._gaussians = None
        return self

    @property
    def gaussians_(self) -> Gaussians:
        """The normal distributions of the numeric features."""
        if self._gaussians is None:  # after ``partial_fit``, which may be called often
            self._gaussians = NumericRows.gaussians(self._numeric_rows, self.classes_)
        return self._gaussians

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class given the row.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        n, blocks = self._table_blocks(X)
        proba = np.empty((n, len(self.classes_)))
        for rows, table in blocks:
            proba[rows] = self._proba(table, rows.start)
        return proba

    def predict(self, X: Any) -> Array:
        """The most probable class of each row; the first one if several are equally probable.

        Probabilities that differ only by rounding are equal.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n,)
        """
        n, blocks = self._table_blocks(X)
        predicted = np.empty(n, dtype=self.classes_.dtype)
        for rows, table in blocks:
            predicted[rows] = self.classes_[first_largest(self._proba(table, rows.start))]
        return predicted

    def _proba(self, table: Any, first_row: int) -> Floats:
        """P(c) prod_j P(x_j | c), normalised, shape (n, K)."""
        logs = self._model.joint_logs(self.schema_.codes(table, first_row=first_row))
        numbers = self.schema_.numbers(table, first_row)
        return normalise_logs(self.gaussians_.add_logs(numbers, logs))

    def _take_counts(self, counts: Counts) -> None:
        self._check_arguments()
        # counts describe nominal features only; ``fit`` adds the numeric ones afterwards
        self._numeric_rows = ()
        self._gaussians = Gaussians.none(counts.n_classes)
        self._model = PointModel(counts, self.prior, self.s)
        self.class_log_prior_ = self._model.class_logs
        self.feature_log_prob_ = self._model.value_logs

    def _nominal_columns(self, table: Any, first: bool) -> Bools:
        if not first:
            return self.schema_.nominal
        nominal = nominal_columns(table, self.categorical_features)
        if self.numeric == "refuse" and not nominal.all():
            raise ValueError(
                f"column {int(np.argmin(nominal))} is numeric: discretize it first, or set "
                "numeric='gaussian'"
            )
        return nominal

    def _nominal_features(self, names: Sequence[str], numeric: Bools) -> Bools:
        return nominal_names(names, numeric, self.categorical_features)

    def _check_arguments(self) -> None:
        check_option("prior", self.prior, ("laplace", "perks", "bdeu"))
        if not real_number(self.s, "s") > 0:
            raise ValueError(f"s must be positive, got {brief(self.s)}")
        check_strength(self.s)
        check_option("numeric", self.numeric, ("gaussian", "refuse"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        chosen = self.categorical_features
        tags.input_tags.positive_only = isinstance(chosen, str) and chosen == "all"
        return tags
