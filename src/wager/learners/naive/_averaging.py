"""Averaging naive Bayes over all subsets of the features, in closed form.

Dash & Cooper (2004): every feature is included or excluded, independently of the others.  The
posterior over the ``2^m`` subsets factorises over the features, so the contribution of a feature is
a mixture of two terms: P(value | class) if it is included, and P(value), which does not depend on
the class, if it is excluded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln, log_expit

from wager._tables import Counts, real_number
from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.learners._base import check_strength, normalise_logs
from wager.learners._counted import CountsClassifier
from wager.learners.naive._log_tables import add_up, pad, padded_starts

__all__ = ["BayesianModelAveraging", "SubsetModels"]

_LEAST_S = 1e-290  # a smaller strength vanishes when it is divided among the values


@dataclass(frozen=True)
class SubsetModels:
    """Log probabilities of each feature value with its feature included and excluded.

    If t is the prior probability that feature j is included, its value a contributes
    ``log(t exp(inside + likelihood_in) + (1 - t) exp(outside + likelihood_out))``.  The lines of
    values are padded, as ``_log_tables`` describes.
    """

    first: Floats  # (K,), theta(c)
    inside: Floats  # (lines, K), theta_j(a | c)
    outside: Floats  # (lines, 1), theta_j(a)
    likelihood_in: Floats  # (m,), of the training values given the classes
    likelihood_out: Floats  # (m,), of the training values alone
    n_values: Ints

    @classmethod
    def of(cls, counts: Counts, s: float) -> SubsetModels:
        """The models with the Perks prior of weight s, from counts."""
        n_classes = len(counts.classes)
        rows = counts.classes + s / n_classes
        inside, likelihood_in = _perks(counts.values, counts.observed, s / n_classes, counts)
        outside, likelihood_out = _perks(
            counts.values.sum(axis=1, keepdims=True),
            counts.observed.sum(axis=1, keepdims=True),
            s,
            counts,
        )
        first = np.log(rows / rows.sum())
        return cls(first, inside, outside, likelihood_in, likelihood_out, counts.n_values)

    @property
    def starts(self) -> Ints:
        """The line of each feature's first value."""
        return padded_starts(self.n_values)

    def inclusion(self, t: float) -> Floats:
        """The posterior probability that each feature is included, if the prior one is t."""
        return expit(self._log_odds(t))

    def lines(self, t: float) -> Floats:
        """The contribution of each value, relative to the likelihood of its feature; (lines, K)."""
        odds = np.repeat(self._log_odds(t), self.n_values + 2)[:, None]
        return np.logaddexp(log_expit(odds) + self.inside, log_expit(-odds) + self.outside)

    def proba(self, codes: Ints, lines: Floats) -> Floats:
        """The averaged class probabilities of rows, (n, K), from the contributions of values."""
        return normalise_logs(add_up(codes, lines, self.starts, self.first))

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


class BayesianModelAveraging(CountsClassifier):
    """Average naive Bayes over all subsets of the features.

    Every subset of features gives one naive Bayes model; the probabilities are averaged with the
    posterior probabilities of the models as weights.

    Use it if many features may be irrelevant and a single class per row is wanted.

    Parameters
    ----------
    s : float, default=1.0
        The weight of the prior, in rows.
    inclusion : float, default=0.5
        The prior probability that a feature is included.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    inclusion_ : ndarray
        The posterior probability that each feature is included.

    Notes
    -----
    Features must be nominal: discretize numeric ones first.  Missing values are ignored.

    References
    ----------
    Dash, D. & Cooper, G. (2004). Model averaging for prediction with discrete Bayesian networks.
    Journal of Machine Learning Research 5.

    Examples
    --------
    >>> X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]] * 5
    >>> model = BayesianModelAveraging().fit(X, [0, 0, 1, 1] * 5)
    >>> model.inclusion_.round(2).tolist()  # the second feature is irrelevant
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

    def _take_counts(self, counts: Counts) -> None:
        if not real_number(self.s, "s") >= _LEAST_S:
            raise ValueError(f"s must be positive, at least {_LEAST_S:g}, got {brief(self.s)}")
        check_strength(self.s)
        if not 0 <= real_number(self.inclusion, "inclusion") <= 1:
            raise ValueError(f"inclusion must lie in [0, 1], got {brief(self.inclusion)}")
        self._models = SubsetModels.of(counts, float(self.s))
        self.inclusion_ = self._models.inclusion(self.inclusion)
        self._lines = self._models.lines(self.inclusion)

    def _proba(self, codes: Ints) -> Floats:
        return self._models.proba(codes, self._lines)
