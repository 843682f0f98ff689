"""Two variants of credal dominance: contaminated priors, and values missing for unknown reasons.

`Contaminated` (Corani & Benavoli, 2010) mixes a share epsilon of the uniform prior into the
imprecise Dirichlet model.  This solves the feature problem: without it a single zero count rules
out any dominance.  `Conservative` (NCC2: Corani & Zaffalon, 2008) assumes nothing about why values
are missing: a class must dominate for every completion of the training and the test rows.

Both search the least ratio for one ordered pair of classes at a time, for all rows together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from wager._tables import Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import PaddedCounts
from wager.learners.naive._ratio import feature_terms

__all__ = ["Conservative", "Contaminated"]

# The contaminated ratio is not convex in general: it is evaluated on a grid of so many points, and
# the search continues around the best of them.
POINTS = 65


@dataclass(frozen=True)
class _PairSearch:
    """Base class: the loop over ordered pairs of classes."""

    counts: Counts
    s: float

    @cached_property
    def _padded(self) -> PaddedCounts:
        return PaddedCounts.of(self.counts)

    def undominated(self, codes: Ints) -> Bools:
        """The classes of each row that no other class dominates, shape (n, K)."""
        kept = np.empty((len(codes), self.counts.n_classes), dtype=bool)
        for block in row_blocks(len(codes), kept.shape[1] ** 2):
            kept[block] = ~(self.log_infimum(codes[block]) > TIE).any(axis=1)
        return kept

    def log_infimum(self, codes: Ints) -> Floats:
        """The logarithm of the least ratio of classes c1 and c2, ``[row, c1, c2]``."""
        K = len(self.counts.classes)
        found = np.full((len(codes), K, K), np.nan)
        for block in row_blocks(len(codes), max(codes.shape[1], 1)):
            n = self._padded.values[self._padded.starts + codes[block]]
            for c1 in range(K):
                for c2 in range(K):
                    if c1 != c2:
                        found[block, c1, c2] = self._least(codes[block], n, c1, c2)
        return found

    def _least(self, codes: Ints, n: Floats, c1: int, c2: int) -> Floats:
        raise NotImplementedError


@dataclass(frozen=True)
class Contaminated(_PairSearch):
    """Least ratios for the prior (1 - epsilon) * imprecise Dirichlet + epsilon * uniform.

    Parameters
    ----------
    counts, s
        As for the exact model.
    epsilon : float or array of shape (m,)
        Share of the uniform prior.  If it differs by feature, the class prior gets the mean.
    """

    epsilon: float | Floats

    def _least(self, codes: Ints, n: Floats, c1: int, c2: int) -> Floats:
        K = len(self.counts.classes)
        share = np.broadcast_to(self.epsilon, self.counts.n_values.shape).astype(float)
        e = float(share.mean()) if share.size else float(np.mean(self.epsilon))
        # the part of s that the two classes share: the others keep their least share
        shared = self.s * (1 - e * (K - 2) / K)
        low, high = self.s * e / K, self.s * (e / K + 1 - e)
        seen = codes >= 0
        rows1, rows2 = (float(self.counts.classes[c]) for c in (c1, c2))
        total1, total2 = (self.counts.observed[:, c].astype(float) for c in (c1, c2))
        least = share / self.counts.n_values
        most = 1 - share + least

        def log_ratio(x: Floats) -> Floats:
            at, to = x[:, None], shared - x[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                term = np.log(n[:, :, c1] + least * to) - np.log(total1 + to)
                # a feature never known with the second class gives log(x / (most x))
                known = np.log(total2 + at) - np.log(n[:, :, c2] + most * at)
                term += np.where(total2 > 0, known, -np.log(most))
                value = np.log(rows1 + shared - x) - np.log(rows2 + x)
                value = value + np.where(seen, term, 0.0).sum(axis=1)
            return np.where(np.isnan(value), -np.inf, value)

        grid = np.linspace(low, high, POINTS)
        values = np.stack([log_ratio(np.full(len(codes), x)) for x in grid])
        best = values.argmin(axis=0)
        left, right = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, POINTS - 1)]
        return np.minimum(values.min(axis=0), _golden_section(log_ratio, left, right))


def _golden_section(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """The least value of a function between two bounds per row, by golden-section search."""
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(50):
        width = ratio * (high - low)
        left, right = high - width, low + width
        smaller = function(left) < function(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return function((low + high) / 2)


@dataclass(frozen=True)
class Conservative(_PairSearch):
    """Least ratios over all completions of values that are missing for unknown reasons.

    Parameters
    ----------
    counts, s
        As for the exact model.
    unknown : bool array of shape (m,)
        The features whose values are missing for unknown reasons; the others are missing at random.
    """

    unknown: Bools

    @cached_property
    def _missing(self) -> Floats:
        """M_j(c): training rows of class c in which an `unknown` feature is missing."""
        hidden = self.counts.classes - self.counts.observed
        return np.where(self.unknown[:, None], hidden, 0).astype(float)

    def _least(self, codes: Ints, n: Floats, c1: int, c2: int) -> Floats:
        found = np.full(len(codes), np.inf)
        gaps = (codes < 0) & self.unknown
        patterns, group = np.unique(gaps, axis=0, return_inverse=True)
        for g, pattern in enumerate(patterns):
            rows = np.flatnonzero(group.ravel() == g)
            features = np.flatnonzero(pattern)
            if any((self.counts.of_feature(j)[:, c1] == 0).any() for j in features.tolist()):
                found[rows] = -np.inf  # some completion makes the first class impossible
                continue
            cuts = self._crossings(features, c1, c2)
            for piece in pairwise(cuts):
                least = self._least_between(codes[rows], n[rows], (c1, c2), features, piece)
                found[rows] = np.minimum(found[rows], least)
        return found

    def _crossings(self, features: Ints, c1: int, c2: int) -> Floats:
        """The ends of (0, s), and the x at which the worst value of a missing feature changes."""
        cuts = [0.0, self.s]
        for j in features:
            n1, n2 = self._completed(j, c1, c2)
            for a, b in combinations(range(len(n1)), 2):
                if n1[a] != n1[b]:
                    x = (n1[b] * n2[a] - n1[a] * n2[b]) / (n1[a] - n1[b])
                    if 0 < x < self.s:
                        cuts.append(float(x))
        return np.unique(cuts) if self.s > 0 else np.zeros(2)

    def _completed(self, j: int, c1: int, c2: int) -> tuple[Floats, Floats]:
        """Counts of a feature's values when the gaps are filled to the disadvantage of c1."""
        n1, n2 = (self.counts.of_feature(j)[:, c].astype(float) for c in (c1, c2))
        return n1, n2 + self._missing[j, c2]

    def _worst(self, features: Ints, c1: int, c2: int, x: float) -> tuple[Floats, Floats]:
        """The counts of the worst value of each missing feature, at x."""
        worst1, worst2 = [], []
        for j in features:
            n1, n2 = self._completed(j, c1, c2)
            with np.errstate(divide="ignore"):
                a = int(np.argmin(n1 / (n2 + x)))
            worst1.append(n1[a])
            worst2.append(n2[a])
        return np.array(worst1), np.array(worst2)

    def _least_between(
        self,
        codes: Ints,
        n: Floats,
        pair: tuple[int, int],
        features: Ints,
        ends: tuple[float, float],
    ) -> Floats:
        """The least log ratio on a piece where each missing feature has one worst value."""
        s, seen, (c1, c2) = self.s, codes >= 0, pair
        rows1, rows2 = (float(self.counts.classes[c]) for c in pair)
        filled1, filled2 = self._worst(features, c1, c2, sum(ends) / 2)
        total1 = np.where(self.unknown, rows1, self.counts.observed[:, c1])
        total2 = np.where(self.unknown, rows2, self.counts.observed[:, c2])
        n1, n2 = n[:, :, c1], n[:, :, c2] + self._missing[:, c2]
        k = len(features)
        vanishes = (seen & (n1 == 0)).any(axis=1)

        def value_and_slope(x: Floats) -> tuple[Floats, Floats]:
            at = x[:, None]
            value, slope = feature_terms(seen, (n1, total1), (n2, total2), x, s - x)
            with np.errstate(divide="ignore", invalid="ignore"):
                # the class term appears once for each missing feature, less one
                own = np.log(rows2 + x) - np.log(rows1 + s - x)
                own_slope = 1 / (rows2 + x) + 1 / (rows1 + s - x)
                gap = (np.log(filled1) - np.log(filled2 + at)).sum(axis=1)
                gap_slope = (-1 / (filled2 + at)).sum(axis=1)
                value = value + (k - 1) * own + gap
                slope = slope + (k - 1) * own_slope + gap_slope
            return np.where(vanishes | np.isnan(value), -np.inf, value), slope

        left, right = (np.full(len(codes), end) for end in ends)
        for _ in range(60):
            x = (left + right) / 2
            falls = value_and_slope(x)[1] < 0
            left, right = np.where(falls, x, left), np.where(falls, right, x)
        return value_and_slope((left + right) / 2)[0]
