"""Posterior probability intervals of the naive credal classifier, and its local model.

Yang, Destercke & Masson (2017, Eqs 19-24): each conditional has a separate imprecise Dirichlet
model, so P(a_j | c) lies between n_j(a_j,c)/(n_j(c)+s) and (n_j(a_j,c)+s)/(n_j(c)+s).  The extreme
points of the class model give all of s to one class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wager._tables import Counts
from wager._typing import Bools, Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._log_tables import add_up, pad, padded_starts

__all__ = ["LocalModel", "largest_other", "posterior_intervals"]


@dataclass(frozen=True)
class LocalModel:
    """Bounds of the likelihood of every class, from counts.

    Parameters
    ----------
    counts : Counts
        Of the training rows.
    s : float
        Strength of each imprecise Dirichlet model, in rows.
    epsilon : float or array of shape (m,)
        Share of the uniform distribution mixed into each conditional (contamination).
    """

    counts: Counts
    s: float
    epsilon: float | Floats = 0.0

    @cached_property
    def _tables(self) -> Floats:
        """Logarithms of the lower bounds (K columns), then of the upper bounds; padded lines."""
        n_values = self.counts.n_values
        each = np.repeat(np.arange(len(n_values)), n_values)
        total = self.counts.observed.astype(float)
        share = np.broadcast_to(self.epsilon, (len(n_values),)).astype(float)

        def bounds(n: Floats, feature: Ints) -> Floats:
            rows, e = total[feature], share[feature][:, None]
            whole = np.where(rows + self.s > 0, rows + self.s, 1.0)
            uniform = e / n_values[feature][:, None]
            low, high = n / whole, (n + self.s) / whole
            # without rows and without a prior nothing is known about the value
            high = np.where(rows + self.s > 0, high, 1.0)
            with np.errstate(divide="ignore"):
                return np.concatenate(
                    [np.log((1 - e) * low + uniform), np.log((1 - e) * high + uniform)], axis=1
                )

        seen = bounds(self.counts.values.astype(float), each)
        unseen = bounds(np.zeros_like(total), np.arange(len(n_values)))
        return pad(seen, unseen, n_values)

    def likelihoods(self, codes: Ints) -> tuple[Floats, Floats]:
        """The logarithms of the lower and of the upper likelihood of each row, by class."""
        K = len(self.counts.classes)
        starts = padded_starts(self.counts.n_values)
        sums = add_up(codes, self._tables, starts, np.zeros(2 * K))
        return sums[:, :K], sums[:, K:]

    def intervals(self, codes: Ints) -> tuple[Floats, Floats]:
        """Lower and upper posterior probability of each class (Eqs 23 and 24 as corrected)."""
        return posterior_intervals(
            *self.likelihoods(codes), self.counts.classes.astype(float), self.s
        )

    def undominated(self, codes: Ints) -> Bools:
        """The undominated classes of each row, in closed form, shape (n, K).

        Class c1 dominates c2 when n(c1) L(c1) > (n(c2) + s) U(c2), so it suffices to compare with
        the largest left side among the other classes.
        """
        first, second = self._sides(codes)
        with np.errstate(invalid="ignore"):
            return ~(largest_other(first, -np.inf) - second > TIE)

    def log_infimum(self, codes: Ints) -> Floats:
        """The logarithm of the least ratio of classes c1 and c2, ``[row, c1, c2]``."""
        first, second = self._sides(codes)
        with np.errstate(invalid="ignore"):
            ratio = first[:, :, None] - second[:, None, :]
        ratio = np.where(np.isneginf(first)[:, :, None], -np.inf, ratio)
        diagonal = np.arange(first.shape[1])
        ratio[:, diagonal, diagonal] = np.nan
        return ratio

    def _sides(self, codes: Ints) -> tuple[Floats, Floats]:
        low, high = self.likelihoods(codes)
        rows = self.counts.classes.astype(float)
        with np.errstate(divide="ignore"):
            return np.log(rows) + low, np.log(rows + self.s) + high


def posterior_intervals(
    low_log: Floats, high_log: Floats, rows: Floats, s: float | Floats
) -> tuple[Floats, Floats]:
    """Posterior bounds from the logarithms of the likelihood bounds and from the class counts.

    For the upper bound all of s goes to the class itself, for the lower one to its strongest rival.
    """
    peak = high_log.max(axis=1, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    L, U = np.exp(low_log - peak), np.exp(high_log - peak)
    others_up = (rows * U).sum(axis=1, keepdims=True) - rows * U
    others_low = (rows * L).sum(axis=1, keepdims=True) - rows * L
    # the subtractions may end slightly below 0 through rounding
    others_up, others_low = np.maximum(others_up, 0), np.maximum(others_low, 0)
    below = rows * L + others_up + s * largest_other(U, 0.0)
    above = (rows + s) * U + others_low
    lower = np.divide(rows * L, below, out=np.zeros_like(L), where=(below > 0) & (rows * L > 0))
    upper = np.divide((rows + s) * U, above, out=np.ones_like(U), where=above > 0)
    return np.minimum(lower, upper), upper


def largest_other(values: Floats, nothing: float) -> Floats:
    """For each column the largest of the other columns; ``nothing`` if there is no other.

    Examples
    --------
    >>> largest_other(np.array([[3.0, 1.0, 2.0]]), -np.inf).tolist()
    [[2.0, 3.0, 3.0]]
    """
    rows, place = np.arange(len(values)), values.argmax(axis=1)
    rest = values.copy()
    rest[rows, place] = nothing
    largest = np.repeat(values[rows, place][:, None], values.shape[1], axis=1)
    largest[rows, place] = rest.max(axis=1)
    return largest
