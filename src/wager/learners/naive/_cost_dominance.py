"""Dominance of the naive credal classifier with costs, exactly.

Yang, Destercke & Masson (2017, Section VII-B) decide from outer bounds of the posterior
probabilities and note (footnote 2) that solving the exact problem is less conservative.  Class i
dominates j if E[c_j - c_i | x] is positive for every prior.  With d_k = c_j(k) - c_i(k) this means
that ``sum_k d_k P(k, x)`` is.  Under the global imprecise Dirichlet model P(k, x) depends on the
part x_k of the prior's weight s that class k receives, and lies between

    L_k(x_k) = (n(k)+x_k) prod_j n_j(a_j,k) / (n_j(k)+x_k)                 used where d_k > 0,
    U_k(x_k) = (n(k)+x_k) prod_j (n_j(a_j,k)+x_k) / (n_j(k)+x_k)           used where d_k < 0,

so the least value over all x with sum s decides.  All terms decrease in x_k once a feature is
known, so weight on a class with d_k = 0 is wasted and ``sum x_k <= s`` may be required instead.
Nearly all pairs are decided by the values where one class gets all of s, and by linear bounds; the
others go to ``_cost_search``.  If no feature is known, and under the local model, all terms are
linear in x and there is a closed form.

A tie is not dominance: the negative terms must be exceeded by the factor 1 + ``TIE``, as in the
ratio of two classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wager._tables import ROUNDING, Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._cost_search import Terms, stays_positive
from wager.learners.naive._intervals import LocalModel
from wager.learners.naive._probe_tables import PaddedCounts
from wager.learners.naive._row_counts import RowCountsByClass

__all__ = ["CostDominance", "LocalCostDominance"]


@dataclass(frozen=True)
class _PairwiseCosts:
    """Base class: the loop over ordered pairs of classes."""

    counts: Counts
    s: float
    costs: Floats  # (K, K), by predicted and true class

    def undominated(self, codes: Ints) -> Bools:
        """The classes of each row that no other class dominates, shape (n, K)."""
        K = len(self.costs)
        kept = np.ones((len(codes), K), dtype=bool)
        for block in row_blocks(len(codes), K * max(codes.shape[1], 1)):
            part = kept[block]
            for j in range(K):
                for i in range(K):
                    # what a dominated class dominates, its dominator dominates as well
                    open_rows = np.flatnonzero(part[:, i] & part[:, j])
                    if i != j and open_rows.size:
                        chosen = codes[block][open_rows]
                        s = np.full(len(chosen), float(self.s))
                        beaten = self.dominates(chosen, self.differences(i, j), s)
                        part[open_rows[beaten], j] = False
        return kept

    def log_infimum(self, codes: Ints) -> Floats:
        """Not defined with costs, which no ratio of two probabilities takes into account."""
        raise ValueError("log_dominance compares probabilities alone: fit without costs")

    def differences(self, i: int, j: int) -> Floats:
        """How much more j costs than i, by true class; rounding errors are 0."""
        d = self.costs[j] - self.costs[i]
        return np.where(np.abs(d) <= ROUNDING * self.costs.max(), 0.0, d)

    def dominates(self, codes: Ints, d: Floats, s: Floats) -> Bools:
        """Whether the sum of d_k P(k, x) is positive for every prior of each row's strength."""
        raise NotImplementedError


@dataclass(frozen=True)
class CostDominance(_PairwiseCosts):
    """Dominance with costs under the global imprecise Dirichlet model.

    Parameters
    ----------
    counts : Counts
        Of the training rows.
    s : float
        Strength of the imprecise Dirichlet model, in rows.
    costs : ndarray of shape (K, K)
        The cost of predicting a class (row) when another is true (column).

    Examples
    --------
    >>> counts = Counts.of(np.array([[0], [0], [0], [1]]), np.array([0, 0, 0, 1]), [2], 2)
    >>> costs = np.array([[0.0, 9.0], [1.0, 0.0]])
    >>> CostDominance(counts, 1.0, costs).undominated(np.array([[0], [1]])).tolist()
    [[True, True], [False, True]]
    """

    @cached_property
    def _padded(self) -> PaddedCounts:
        return PaddedCounts.of(self.counts)

    @cached_property
    def _complete(self) -> bool:
        """Whether no training value is missing: the U_k are then convex."""
        return bool((self.counts.observed == self.counts.classes).all())

    def dominates(self, codes: Ints, d: Floats, s: Floats) -> Bools:
        """Whether the sum of d_k P(k, x) is positive for every prior of each row's strength."""
        if (d > 0).all():
            return np.ones(len(codes), dtype=bool)
        if not (d > 0).any():
            return np.zeros(len(codes), dtype=bool)
        seen = codes >= 0
        known = np.flatnonzero(seen.any(axis=1))
        nothing = np.zeros((len(codes), len(d)))  # log likelihoods without any feature
        beaten = _dominates_linearly(nothing, nothing, self._padded.classes, s, d)
        n = self._padded.values[self._padded.starts + codes[known]]
        if (d < 0).any():
            beaten[known] = self._decide(Terms.of(self._padded, n, seen[known], d, s[known]))
        else:  # no term is negative: one that cannot vanish is enough
            vanishes = (seen[known][:, :, None] & (n[:, :, d > 0] == 0)).any(axis=1)
            beaten[known] = ~vanishes.all(axis=1)
        return beaten

    def _decide(self, terms: Terms) -> Bools:
        """By probes and linear bounds if these are enough, else by the search."""
        beaten = ~terms.refuted_at_corners()
        open_rows = beaten & (terms.linear_bound() <= 0) if self._complete else beaten
        rest = np.flatnonzero(open_rows)
        if rest.size:
            beaten[rest] = stays_positive(terms.take(rest), convex=self._complete)
        return beaten


@dataclass(frozen=True)
class LocalCostDominance(_PairwiseCosts):
    """Dominance with costs under separate models of the class and of every conditional."""

    def dominates(self, codes: Ints, d: Floats, s: Floats) -> Bools:
        """Whether the sum of d_k P(k, x) is positive for every prior of each row's strength."""
        low, high = self._likelihoods(codes, s)
        return _dominates_linearly(low, high, self.counts.classes.astype(float), s, d)

    def _likelihoods(self, codes: Ints, s: Floats) -> tuple[Floats, Floats]:
        if (s == self.s).all():
            return self._model.likelihoods(codes)
        share = np.zeros(len(self.counts.n_values))
        rows = RowCountsByClass.of(self.counts, codes)
        return rows.likelihoods(s, share, self.counts.n_values)

    @cached_property
    def _model(self) -> LocalModel:
        return LocalModel(self.counts, self.s)


def _dominates_linearly(low: Floats, high: Floats, rows: Floats, s: Floats, d: Floats) -> Bools:
    """Dominance where P(k, x) is (n(k) + x_k) times a likelihood between two bounds, in logs.

    All of s then goes to one class: the one that lowers the sum most.
    """
    if (d > 0).all():
        return np.ones(len(low), dtype=bool)
    negative = d < 0
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(negative, high, -np.inf) if negative.any() else low
        shift = sizes.max(axis=1, keepdims=True)
        shift = np.where(np.isfinite(shift), shift, 0.0)
        gains = np.where(d > 0, np.exp(np.minimum(low - shift, 300.0)) * d, 0.0)
        losses = np.where(negative, np.exp(high - shift) * -d, 0.0)
    against = losses @ rows + s * losses.max(axis=1)
    return gains @ rows > (1 + TIE) * against
