"""Averaging naive Bayes over all subsets of the features, in closed form.

Dash & Cooper (2004): every feature is in or out, independently.  The posterior over the ``2^m``
subsets factorises over the features, so a feature's contribution is a mixture of two terms: what
it says when it is in, and what it says (nothing about the class) when it is out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit, gammaln, log_expit

from wager._tables import Counts
from wager._typing import ArrayLike, Floats, Ints
from wager.learners._base import CategoricalClassifier, normalise_logs
from wager.learners.naive._log_tables import add_up, pad, padded_starts

__all__ = ["BayesianModelAveraging", "SubsetModels"]


@dataclass(frozen=True)
class SubsetModels:
    """What each feature value says if its feature is in the model, and if it is out.

    Everything is a logarithm.  With prior probability t that feature j is in, its value a
    contributes ``log(t exp(inside + likelihood_in) + (1 - t) exp(outside + likelihood_out))``.  The
    lines of values are padded: one for "missing" before and one for "unseen" behind each feature's.
    """

    first: Floats  # (K,), theta(c)
    inside: Floats  # (lines, K), theta_j(a | c)
    outside: Floats  # (lines, 1), theta_j(a)
    likelihood_in: Floats  # (m,), of the training values given the classes
    likelihood_out: Floats  # (m,), of the training values alone
    n_values: Ints

    @classmethod
    def of(cls, counts: Counts, s: float) -> SubsetModels:
        """The models with the Perks prior of weight s, from the counts alone."""
        n_classes = len(counts.classes)
        rows = counts.classes + s / n_classes
        inside, likelihood_in = _perks(counts.values, counts.observed, s / n_classes, counts)
        outside, likelihood_out = _perks(
            counts.values.sum(axis=1, keepdims=True),
            counts.observed.sum(axis=1, keepdims=True),
            s,
            counts,
        )
        return cls(
            np.log(rows / rows.sum()),
            inside,
            outside,
            likelihood_in,
            likelihood_out,
            counts.n_values,
        )

    @property
    def starts(self) -> Ints:
        """The line of each feature's first value."""
        return padded_starts(self.n_values)

    def inclusion(self, t: float) -> Floats:
        """The posterior probability that each feature is in, if it was t before the data."""
        return expit(self._log_odds(t))

    def lines(self, t: float) -> Floats:
        """Each value's contribution, relative to the likelihood of its feature; (lines, K)."""
        odds = np.repeat(self._log_odds(t), self.n_values + 2)[:, None]
        return np.logaddexp(log_expit(odds) + self.inside, log_expit(-odds) + self.outside)

    def _log_odds(self, t: float) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(t) - np.log1p(-t) + self.likelihood_in - self.likelihood_out


def _perks(values: Ints, known: Ints, weight: float, counts: Counts) -> tuple[Floats, Floats]:
    """Padded log probabilities of the values, and the log likelihood of each feature's values.

    ``weight`` is the prior's share of each column of the table, spread evenly over the values.
    """
    n_values = counts.n_values
    each = np.repeat(np.arange(len(n_values)), n_values)
    of_value = weight / n_values[:, None]
    total = known + weight
    seen = np.log((values + of_value[each]) / total[each])
    lines = pad(seen, np.log(of_value / total), n_values)
    if not len(n_values):
        return lines, np.zeros(0)
    cells = gammaln(values + of_value[each]) - gammaln(of_value[each])
    columns = gammaln(weight) - gammaln(total) + np.add.reduceat(cells, counts.offsets, axis=0)
    return lines, columns.sum(axis=1)


class BayesianModelAveraging(CategoricalClassifier):
    """Average naive Bayes over all subsets of features, each feature in with probability 1/2.

    Parameters
    ----------
    s : float, default=1.0
        The weight of the prior, in rows.
    inclusion : float, default=0.5
        The prior probability that a feature is in.
    classes, n_values, empty_classes
        What is declared, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    inclusion_ : ndarray
        The posterior probability of each feature to be in.

    Notes
    -----
    Features must be nominal: discretize numbers first.  Missing values are left out.

    Examples
    --------
    >>> X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]] * 5
    >>> model = BayesianModelAveraging().fit(X, [0, 0, 1, 1] * 5)
    >>> model.inclusion_.round(2).tolist()  # the second feature says nothing of the class
    [1.0, 0.11]
    """

    def __init__(
        self,
        s: float = 1.0,
        *,
        inclusion: float = 0.5,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.inclusion = inclusion
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, codes: Ints, y: Ints) -> None:
        self._take_counts(Counts.of(codes, y, self.n_values_, len(self.classes_)))

    def fit_counts(self, counts: Counts, classes: ArrayLike | None = None) -> Self:
        """Learn from counts alone, as those of a training part are had by subtraction.

        Parameters
        ----------
        counts : Counts
        classes : array-like, optional
            The names of the classes; 0..K-1 by default.
        """
        n_classes = len(counts.classes)
        self.classes_ = np.arange(n_classes) if classes is None else np.asarray(classes)
        self._declare_codes(counts.n_values)
        self._take_counts(counts)
        return self

    def _take_counts(self, counts: Counts) -> None:
        if not self.s > 0:
            raise ValueError(f"s must be positive, got {self.s!r}")
        if not 0 <= self.inclusion <= 1:
            raise ValueError(f"inclusion must lie in [0, 1], got {self.inclusion!r}")
        self.counts_ = counts
        models = SubsetModels.of(counts, self.s)
        self.inclusion_ = models.inclusion(self.inclusion)
        self._first, self._starts = models.first, models.starts
        self._lines = models.lines(self.inclusion)  # log 1 = 0 where a value is missing

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class given the row.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        codes = self._codes(X)
        return normalise_logs(add_up(codes, self._lines, self._starts, self._first))
