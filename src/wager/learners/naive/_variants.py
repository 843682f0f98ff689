"""Two further least ratios of the naive credal classifier: contaminated priors, unknown gaps.

`Contaminated` (Corani & Benavoli, 2010) mixes a share epsilon of the uniform prior into the
imprecise Dirichlet model, against the feature problem: one zero count forbids every dominance.
`Conservative` (NCC2: Corani & Zaffalon, 2008) assumes nothing about why values are missing: a class
must dominate for every completion of the training and the test rows.

Both are searched one ordered pair of classes at a time, all rows together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from wager._tables import Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners.naive._log_tables import pad, padded_starts
from wager.learners.naive._ratio import TIE

POINTS = (
    65  # of the grid on which the contaminated ratio, not convex in general, is first looked at
)


@dataclass(frozen=True)
class _PairSearch:
    """Counts ready for gathering, and the loop over ordered pairs of classes."""

    counts: Counts
    s: float

    @cached_property
    def _padded(self) -> Floats:
        values = self.counts.values.astype(float)
        unseen = np.zeros((len(self.counts.n_values), values.shape[1]))
        return pad(values, unseen, self.counts.n_values)

    def undominated(self, codes: Ints) -> Bools:
        """The classes of each row that no other class dominates, shape (n, K)."""
        return np.asarray(~(self.log_infimum(codes) > TIE).any(axis=1))

    def log_infimum(self, codes: Ints) -> Floats:
        """The logarithm of the least ratio of classes c1 and c2, ``[row, c1, c2]``."""
        K = len(self.counts.classes)
        starts = padded_starts(self.counts.n_values)
        found = np.full((len(codes), K, K), np.nan)
        for block in row_blocks(len(codes), max(codes.shape[1], 1)):
            n = self._padded[starts + codes[block]]
            for c1 in range(K):
                for c2 in range(K):
                    if c1 != c2:
                        found[block, c1, c2] = self._least(codes[block], n, c1, c2)
        return found

    def _least(self, codes: Ints, n: Floats, c1: int, c2: int) -> Floats:
        raise NotImplementedError


@dataclass(frozen=True)
class Contaminated(_PairSearch):
    """Least ratios when the prior is (1 - epsilon) of the imprecise Dirichlet and epsilon uniform.

    Parameters
    ----------
    counts, s
        As for the exact model.
    epsilon : float or array of shape (m,)
        Share of the uniform prior; the class's share is the mean where it differs by feature.
    """

    epsilon: float | Floats

    def _least(self, codes: Ints, n: Floats, c1: int, c2: int) -> Floats:
        K = len(self.counts.classes)
        share = np.broadcast_to(self.epsilon, self.counts.n_values.shape).astype(float)
        e = float(share.mean()) if share.size else float(np.mean(self.epsilon))
        room = self.s * (1 - e * (K - 2) / K)  # the other classes keep their least
        low, high = self.s * e / K, self.s * (e / K + 1 - e)
        seen = codes >= 0
        rows1, rows2 = (float(self.counts.classes[c]) for c in (c1, c2))
        total1, total2 = (self.counts.observed[:, c].astype(float) for c in (c1, c2))
        least = share / self.counts.n_values
        most = 1 - share + least

        def log_ratio(x: Floats) -> Floats:
            at, to = x[:, None], room - x[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                term = np.log(n[:, :, c1] + least * to) - np.log(total1 + to)
                # a feature never observed with the class: log(x / (most x))
                known = np.log(total2 + at) - np.log(n[:, :, c2] + most * at)
                term += np.where(total2 > 0, known, -np.log(most))
                value = np.log(rows1 + room - x) - np.log(rows2 + x)
                value = value + np.where(seen, term, 0.0).sum(axis=1)
            return np.where(np.isnan(value), -np.inf, value)

        grid = np.linspace(low, high, POINTS)
        values = np.stack([log_ratio(np.full(len(codes), x)) for x in grid])
        best = values.argmin(axis=0)
        left, right = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, POINTS - 1)]
        return np.minimum(values.min(axis=0), _golden_section(log_ratio, left, right))


def _golden_section(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """The least value of a function between two bounds a row, by golden-section search."""
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(50):
        width = ratio * (high - low)
        left, right = high - width, low + width
        smaller = function(left) < function(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return function((low + high) / 2)


@dataclass(frozen=True)
class Conservative(_PairSearch):
    """Least ratios over every completion of values that may be missing for any reason.

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
            for low, high in pairwise(cuts):
                piece = self._least_between(codes[rows], n[rows], c1, c2, features, low, high)
                found[rows] = np.minimum(found[rows], piece)
        return found

    def _crossings(self, features: Ints, c1: int, c2: int) -> Floats:
        """The ends of (0, s), and where the least favourable value of a missing feature changes."""
        cuts = [0.0, self.s]
        for j in features:
            n1, n2 = (self.counts.of_feature(j)[:, c].astype(float) for c in (c1, c2))
            n2 = n2 + self._missing[j, c2]
            for a, b in combinations(range(len(n1)), 2):
                if n1[a] != n1[b]:
                    x = (n1[b] * n2[a] - n1[a] * n2[b]) / (n1[a] - n1[b])
                    if 0 < x < self.s:
                        cuts.append(float(x))
        return np.unique(cuts) if self.s > 0 else np.zeros(2)

    def _least_between(
        self, codes: Ints, n: Floats, c1: int, c2: int, features: Ints, low: float, high: float
    ) -> Floats:
        """The least log ratio on a piece where each missing feature has one worst value."""
        s, seen = self.s, codes >= 0
        rows1, rows2 = (float(self.counts.classes[c]) for c in (c1, c2))
        middle = (low + high) / 2
        worst1, worst2 = [], []
        for j in features:
            n1, n2 = (self.counts.of_feature(j)[:, c].astype(float) for c in (c1, c2))
            n2 = n2 + self._missing[j, c2]
            with np.errstate(divide="ignore"):
                a = int(np.argmin(n1 / (n2 + middle)))
            worst1.append(n1[a])
            worst2.append(n2[a])
        total1 = np.where(self.unknown, rows1, self.counts.observed[:, c1])
        total2 = np.where(self.unknown, rows2, self.counts.observed[:, c2])
        n1, n2 = n[:, :, c1], n[:, :, c2] + self._missing[:, c2]
        filled1, filled2 = np.array(worst1), np.array(worst2)
        k = len(features)
        vanishes = (seen & (n1 == 0)).any(axis=1)

        def value_and_slope(x: Floats) -> tuple[Floats, Floats]:
            at, to = x[:, None], (s - x)[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                known = seen & (total2 > 0)
                f = np.where(seen & (n1 > 0), np.log(n1) - np.log(total1 + to), 0.0)
                f = f + np.where(known, np.log(total2 + at) - np.log(n2 + at), 0.0)
                g = np.where(seen & (n1 > 0), 1 / (total1 + to), 0.0)
                g = g + np.where(known, 1 / (total2 + at) - 1 / (n2 + at), 0.0)
                # the class's own term enters once for each feature of Q but one
                own = np.log(rows2 + x) - np.log(rows1 + s - x)
                own_slope = 1 / (rows2 + x) + 1 / (rows1 + s - x)
                gap = (np.log(filled1) - np.log(filled2 + at)).sum(axis=1)
                gap_slope = (-1 / (filled2 + at)).sum(axis=1)
                value = f.sum(axis=1) + (k - 1) * own + gap
                slope = g.sum(axis=1) + (k - 1) * own_slope + gap_slope
            return np.where(vanishes | np.isnan(value), -np.inf, value), slope

        left, right = np.full(len(codes), low), np.full(len(codes), high)
        for _ in range(60):
            x = (left + right) / 2
            falls = value_and_slope(x)[1] < 0
            left, right = np.where(falls, x, left), np.where(falls, right, x)
        return value_and_slope((left + right) / 2)[0]
