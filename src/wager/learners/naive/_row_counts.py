"""Dominance of the naive credal classifiers with a strength of its own for every row.

Prediction uses tables for one strength s and all rows.  To find out up to which s a prediction
stays a single class, each row needs its own s.  So the counts of the rows' values are collected
here, and the conditions of ``_ratio``, ``_variants`` and ``_intervals`` are computed from them.

All margins are least log ratios P(c1 | x) / P(c2 | x) of the winner c1 to another class c2.  In the
global model with x = s - y, log h = G1(y) + G2(x) is the sum of two convex functions that fall as
soon as a feature is known (Zaffalon, 2001), and the least value over x + y = s is their infimal
convolution: convex and falling in s.  So sets grow with s, and the strength at which the margin is
0 is unique.  In the local model the lower bounds fall and the upper bounds grow with s.  With a
floor or a contamination epsilon the prior counts of the first class grow with s as well, so that a
margin may rise again; there the first root counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wager._tables import Counts
from wager._typing import Bools, Floats, Ints
from wager.learners.naive._probe_tables import PaddedCounts
from wager.learners.naive._variants import golden_section

__all__ = ["PairCountsOfRows", "RowCountsByClass"]

_HALVINGS = 60  # steps at most; half a dozen are usual
_NEAR = 1e-9  # share of s: the value at the minimum is then exact to rounding
_POINTS = 65  # of a ratio that need not be convex, as for prediction


@dataclass(frozen=True, eq=False)
class RowCountsByClass:
    """The training counts that matter for some rows.

    Attributes
    ----------
    n_value : ndarray of shape (r, m, K)
        Training rows of each class with the row's value of the feature.
    n_known : ndarray of shape (r, m, K)
        Training rows of each class in which the feature is known.
    n_class : ndarray of shape (r, K)
        Training rows of each class.
    seen : ndarray of shape (r, m)
        Whether the row's value is known.
    """

    n_value: Floats
    n_known: Floats
    n_class: Floats
    seen: Bools

    @classmethod
    def of(cls, counts: Counts, codes: Ints) -> RowCountsByClass:
        """The counts of rows that are given as codes."""
        padded = PaddedCounts.of(counts)
        n = padded.values[padded.starts + codes]
        rows = len(codes)
        return cls(
            n,
            np.broadcast_to(padded.known, (rows, *padded.known.shape)),
            np.broadcast_to(padded.classes, (rows, len(padded.classes))),
            codes >= 0,
        )

    def take(self, rows: Ints) -> RowCountsByClass:
        """The counts of some rows."""
        return RowCountsByClass(
            self.n_value[rows], self.n_known[rows], self.n_class[rows], self.seen[rows]
        )

    def most_probable(self) -> Ints:
        """The most probable class of each row by relative frequencies, without any prior."""
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(self.n_value > 0, np.log(self.n_value / self.n_known), -np.inf)
            logs = np.log(self.n_class) + np.where(self.seen[:, :, None], terms, 0.0).sum(axis=1)
        return logs.argmax(axis=1)

    def pair(self, rows: Ints, first: Ints, second: Ints) -> PairCountsOfRows:
        """The counts of two classes for each of some rows."""
        return PairCountsOfRows(
            self.n_class[rows, first],
            self.n_class[rows, second],
            self.n_value[rows, :, first],
            self.n_value[rows, :, second],
            self.n_known[rows, :, first],
            self.n_known[rows, :, second],
            self.seen[rows],
        )

    def likelihoods(self, s: Floats, share: Floats, n_values: Ints) -> tuple[Floats, Floats]:
        """The logarithms of the lower and the upper likelihood by class, as in ``LocalModel``."""
        strength, e = s[:, None, None], share[:, None]
        uniform = e / n_values[:, None]
        whole = self.n_known + strength
        known = np.where(whole > 0, whole, 1.0)
        with np.errstate(divide="ignore"):
            low = np.log((1 - e) * self.n_value / known + uniform)
            most = np.where(whole > 0, (self.n_value + strength) / known, 1.0)
            high = np.log((1 - e) * most + uniform)
        there = self.seen[:, :, None]
        return np.where(there, low, 0.0).sum(axis=1), np.where(there, high, 0.0).sum(axis=1)


@dataclass(frozen=True, eq=False)
class PairCountsOfRows:
    """The counts of two classes, c1 and c2, for q pairs of a row and two classes."""

    class1: Floats  # (q,)
    class2: Floats
    n1: Floats  # (q, m): with the row's value
    n2: Floats
    total1: Floats  # (q, m): with a known value
    total2: Floats
    seen: Bools  # (q, m)

    def take(self, rows: Ints) -> PairCountsOfRows:
        """Some of the pairs."""
        return PairCountsOfRows(
            self.class1[rows],
            self.class2[rows],
            self.n1[rows],
            self.n2[rows],
            self.total1[rows],
            self.total2[rows],
            self.seen[rows],
        )

    # -- the global model ----------------------------------------------------------------------

    def log_ratio(self, x: Floats, s: Floats, floor: float = 0.0) -> Floats:
        """The logarithm of P(c1|row)/P(c2|row) at the prior that gives x of s to c2."""
        own, features = self.terms(x, s, floor)
        return own + features.sum(axis=1)

    def terms(self, x: Floats, s: Floats, floor: float = 0.0) -> tuple[Floats, Floats]:
        """The part of the classes in the log ratio, (q,), and that of each feature, (q, m)."""
        at, to = x[:, None], (s - x)[:, None]
        n1 = self.n1 + (s * floor)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.log(self.class1 + s - x) - np.log(self.class2 + x)
            first = np.where(n1 > 0, np.log(n1) - np.log(self.total1 + to), -np.inf)
            # a feature never known with the second class gives log(x / x) = 0
            second = np.where(self.total2 > 0, np.log(self.total2 + at) - np.log(self.n2 + at), 0.0)
            term = np.where(np.isneginf(first), first, first + second)
        return own, np.where(self.seen, term, 0.0)

    def _slope(self, x: Floats, s: Floats) -> tuple[Floats, Floats]:
        """The slope of the log ratio in x, and its curvature, which is not negative."""
        with np.errstate(divide="ignore", invalid="ignore"):
            before, behind = 1 / (self.class1 + s - x), 1 / (self.class2 + x)
            to = 1 / (self.total1 + (s - x)[:, None])
            at = np.where(self.total2 > 0, 1 / (self.total2 + x[:, None]), 0.0)
            of = np.where(self.total2 > 0, 1 / (self.n2 + x[:, None]), 0.0)
            slope = np.where(self.seen, to + at - of, 0.0).sum(axis=1) - before - behind
            bend = np.where(self.seen, to * to - at * at + of * of, 0.0).sum(axis=1)
            return slope, bend - before**2 + behind**2

    def worst_prior(self, s: Floats, floor: float = 0.0) -> Floats:
        """The x at which the ratio is least: log h is convex, so its slope has one root.

        Newton steps inside a bracket; the value at the minimum depends on the square of the error.
        """
        first, last = s * floor, s * (1 - floor)
        at_first, at_last = self._slope(first, s)[0] >= 0, self._slope(last, s)[0] <= 0
        x = np.where(at_last, last, np.where(at_first, first, (first + last) / 2))
        rows = np.flatnonzero(~at_first & ~at_last)  # the minimum lies between the ends
        part, s, low, high, at = self.take(rows), s[rows], first[rows], last[rows], x[rows]
        for _ in range(_HALVINGS):
            if not len(at):
                break
            slope, bend = part._slope(at, s)
            falls = slope < 0
            low, high = np.where(falls, at, low), np.where(falls, high, at)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = at - slope / bend
            inside = (step > low) & (step < high)
            further = np.where(inside, step, (low + high) / 2)
            near, at = np.abs(further - at) <= _NEAR * s, further
            if near.all():
                break
        x[rows] = at
        return x

    def log_infimum(self, s: Floats, floor: float = 0.0) -> Floats:
        """The logarithm of the least ratio; minus infinity where it can be 0."""
        x = self.worst_prior(s, floor)
        value = self.log_ratio(x, s, floor)
        vanishes = (self.seen & (self.n1 + (s * floor)[:, None] <= 0)).any(axis=1)
        return np.where(vanishes | np.isnan(value), -np.inf, value)

    def steepest_fall(self, s: Floats) -> Floats:
        """A bound of how fast the log infimum falls per unit of log s, with or without epsilon.

        In x = s t and y = s (1 - t) every factor n + s t of the ratio has the logarithmic slope
        s t / (n + s t), which lies between 0 and s / (n + s); only the factors below the fraction
        line make the ratio fall.
        """
        below = _share(s[:, None], self.total1)
        below = below + np.where(self.total2 > 0, _share(s[:, None], self.n2), 0.0)
        fall = np.where(self.seen, below, 0.0).sum(axis=1) + _share(s, self.class2)
        return np.maximum(fall, 1e-300)

    # -- contaminated priors -------------------------------------------------------------------

    def contaminated_infimum(
        self, s: Floats, epsilon: Floats, n_values: Ints, n_classes: int, class_share: float
    ) -> Floats:
        """The logarithm of the least ratio with a share epsilon of the uniform prior."""
        e, K = class_share, n_classes
        shared = s * (1 - e * (K - 2) / K)
        low, high = s * e / K, s * (e / K + 1 - e)
        least = epsilon / n_values
        most = 1 - epsilon + least

        def log_ratio(x: Floats) -> Floats:
            at, to = x[:, None], (shared - x)[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                term = np.log(self.n1 + least * to) - np.log(self.total1 + to)
                known = np.log(self.total2 + at) - np.log(self.n2 + most * at)
                term += np.where(self.total2 > 0, known, -np.log(most))
                value = np.log(self.class1 + shared - x) - np.log(self.class2 + x)
                value = value + np.where(self.seen, term, 0.0).sum(axis=1)
            return np.where(np.isnan(value), -np.inf, value)

        steps = np.linspace(0.0, 1.0, _POINTS)
        values = np.stack([log_ratio(low + t * (high - low)) for t in steps])
        best = values.argmin(axis=0)
        left = low + steps[np.maximum(best - 1, 0)] * (high - low)
        right = low + steps[np.minimum(best + 1, _POINTS - 1)] * (high - low)
        return np.minimum(values.min(axis=0), golden_section(log_ratio, left, right))


def _share(part: Floats, rest: Floats) -> Floats:
    """``part / (part + rest)``, 0 where both are 0."""
    whole = part + rest
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
