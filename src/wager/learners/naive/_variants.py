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
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wager._tables import Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners._base import TIE
from wager.learners.naive._probe_tables import PaddedCounts
from wager.learners.naive._ratio import feature_slopes, feature_values

__all__ = ["Conservative", "Contaminated", "golden_section"]

# The contaminated ratio is not convex in general: it is evaluated on a grid of so many points, and
# the search continues around the best of them.
POINTS = 65
PROBES = 12  # points at which a sum of tables is taken first, for each half of the range


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
        for block in row_blocks(len(codes), int(self._kinds.max(initial=0)) ** 2 + 1):
            dominated = np.any(self._of_kinds(codes[block]) > TIE, axis=1)
            kept[block] = ~dominated.take(self._kinds, axis=1)
        return kept

    def log_infimum(self, codes: Ints) -> Floats:
        """The logarithm of the least ratio of classes c1 and c2, ``[row, c1, c2]``."""
        found = self._of_kinds(codes)[:, self._kinds[:, None], self._kinds]
        found[:, range(found.shape[1]), range(found.shape[1])] = np.nan
        return found

    def _of_kinds(self, codes: Ints) -> Floats:
        """The least log ratio of two classes of each kind; NaN for a single class of a kind."""
        kind = self._kinds
        members = [np.flatnonzero(kind == k) for k in range(kind.max(initial=-1) + 1)]
        among = np.full((len(codes), len(members), len(members)), np.nan)
        for block in row_blocks(len(codes), max(codes.shape[1], 1)):
            n = self._padded.values[self._padded.starts + codes[block]]
            for k1, k2 in np.ndindex(among.shape[1:]):
                c1, c2 = members[k1][0], members[k2][-1]
                if c1 != c2:
                    among[block, k1, k2] = self._least(codes[block], n, int(c1), int(c2))
        return among

    @cached_property
    def _kinds(self) -> Ints:
        """Equal numbers for classes with equal counts, such as all classes that never occur."""
        counts = [self.counts.classes[None], self.counts.observed, self._padded.values]
        return np.unique(np.vstack(counts), axis=1, return_inverse=True)[1].ravel()

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

    def undominated(self, codes: Ints) -> Bools:
        """The classes of each row that no other class dominates, shape (n, K).

        The log ratio is the sum of a part that rises with x and one that falls.  Between two probes
        it is at least the rising part at the first plus the falling part at the second, and this
        settles most pairs.  The others are searched, if no third class dominates the second one.
        """
        tables, K = self._tables, self.counts.n_classes
        kept = np.empty((len(codes), K), dtype=bool)
        for block in row_blocks(len(codes), tables.classes.size * K):
            least, most = tables.bounds(codes[block])
            dominates = least > TIE
            unsettled = ~dominates & (most > TIE) & ~dominates.any(axis=1, keepdims=True)
            row, c1, c2 = np.nonzero(unsettled)
            for part in row_blocks(len(row), max(codes.shape[1], 1)):
                place = row[part], c1[part], c2[part]
                dominates[place] = self._least_of(codes[block][row[part]], *place[1:]) > TIE
            kept[block] = ~dominates.any(axis=1)
        return kept

    @cached_property
    def _tables(self) -> _RatioTables:
        return _RatioTables.of(self, self._padded)

    @property
    def shares(self) -> Floats:
        """The share of the uniform prior for each feature."""
        return np.broadcast_to(self.epsilon, self.counts.n_values.shape).astype(float)

    @property
    def range(self) -> tuple[float, float, float]:
        """The end points of x, and the part of s that the two classes share."""
        K, share = len(self.counts.classes), self.shares
        e = float(share.mean()) if share.size else float(np.mean(self.epsilon))
        low, high = self.s * e / K, self.s * (e / K + 1 - e)
        return low, high, self.s * (1 - e * (K - 2) / K)  # the others keep their least share

    def _least(self, codes: Ints, n: Floats, c1: int, c2: int) -> Floats:
        return self._least_of(codes, np.full(len(codes), c1), np.full(len(codes), c2))

    def _least_of(self, codes: Ints, c1: Ints, c2: Ints) -> Floats:
        """The logarithm of the least ratio of two classes, which are given for each row."""
        low, high, shared = self.range
        counts, seen, row = self._padded, codes >= 0, self._padded.starts + codes
        n1, n2 = counts.values[row, c1[:, None]], counts.values[row, c2[:, None]]
        total1, total2 = counts.known.T[c1], counts.known.T[c2]
        rows1, rows2 = counts.classes[c1], counts.classes[c2]
        least = self.shares / self.counts.n_values
        most = 1 - self.shares + least

        def log_ratio(x: Floats) -> Floats:
            at, to = x[:, None], shared - x[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                term = np.log(n1 + least * to) - np.log(total1 + to)
                # a feature never known with the second class gives log(x / (most x))
                known = np.log(total2 + at) - np.log(n2 + most * at)
                term += np.where(total2 > 0, known, -np.log(most))
                value = np.log(rows1 + shared - x) - np.log(rows2 + x)
                value = value + np.where(seen, term, 0.0).sum(axis=1)
            return np.where(np.isnan(value), -np.inf, value)

        grid = np.linspace(low, high, POINTS)
        values = np.stack([log_ratio(np.full(len(codes), x)) for x in grid])
        best = values.argmin(axis=0)
        left, right = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, POINTS - 1)]
        return np.minimum(values.min(axis=0), golden_section(log_ratio, left, right))


class _RatioTables(NamedTuple):
    """The contaminated log ratio of two classes at a few probes, in parts for summing up.

    The four parts are what falls and what rises with x, of the first class of a pair and of the
    second.
    """

    lines: Floats  # (padded lines, 4, probes, K): by feature value
    classes: Floats  # (4, probes, K): of the class itself
    starts: Ints  # (m,): the line of each feature's first value

    @classmethod
    def of(cls, model: Contaminated, counts: PaddedCounts) -> _RatioTables:
        low, _, shared = model.range
        # geometric from both ends, where the logarithms of zero counts change fastest
        near = np.geomspace(low, shared / 2, PROBES) if low > 0 else np.zeros(PROBES)
        x = np.concatenate([near, shared - near[-2::-1]])
        at, to = x[:, None], shared - x[:, None]
        feature = np.repeat(np.arange(len(counts.n_values)), counts.n_values + 2)
        n, total = counts.values[:, None, :], counts.known[feature][:, None, :]
        least = (model.shares / counts.n_values)[feature][:, None, None]
        most = 1 - model.shares[feature][:, None, None] + least
        rows, zero = counts.classes, np.zeros((len(x), len(counts.classes)))
        with np.errstate(divide="ignore"):
            parts = [
                np.log(n + least * to),
                -np.log(total + to),
                # a feature never known with the second class gives log(x / (most x))
                -np.log(np.where(total > 0, n + most * at, most)),
                np.log(np.where(total > 0, total + at, 1.0)),
            ]
            classes = np.stack([np.log(rows + to), zero, -np.log(rows + at), zero])
        lines = np.stack(parts, axis=1)
        lines[counts.starts - 1] = 0.0  # a missing value
        return cls(lines, classes, counts.starts)

    def bounds(self, codes: Ints) -> tuple[Floats, Floats]:
        """A lower and an upper bound of the least log ratio of c1 and c2, ``[row, c1, c2]``."""
        total = np.tile(self.classes, (len(codes), 1, 1, 1))
        with np.errstate(invalid="ignore"):
            for j in range(codes.shape[1]):
                total += self.lines[self.starts[j] + codes[:, j]]
            falls = total[:, 0, :, :, None] + total[:, 2, :, None, :]
            rises = total[:, 1, :, :, None] + total[:, 3, :, None, :]
            least = (falls[:, 1:] + rises[:, :-1]).min(axis=1)
            most = (falls + rises).min(axis=1)
        # infinite parts of both signs: as in the search, the ratio can be 0
        least[np.isnan(least)] = most[np.isnan(most)] = -np.inf
        return least, most


def golden_section(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """The least value of a function between two bounds per row, by golden-section search."""
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(50):
        width = ratio * (high - low)
        left, right = high - width, low + width
        smaller = function(left) < function(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return function((low + high) / 2)


_Piece = tuple[Ints, float, float, Bools, Floats]  # rows, start, end, gaps and worst counts


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
        return self.least_at(codes, n, (c1, c2), np.full(len(codes), float(self.s)))

    def least_at(self, codes: Ints, n: Floats, pair: tuple[int, int], s: Floats) -> Floats:
        """The logarithm of the least ratio of two classes, with a strength for each row.

        The range of x is cut where the worst value of a missing feature changes; all pieces of all
        rows are searched together.
        """
        found = np.full(len(codes), np.inf)
        gaps = (codes < 0) & self.unknown
        patterns, group = np.unique(gaps, axis=0, return_inverse=True)
        pieces: list[_Piece] = []
        for g, pattern in enumerate(patterns):
            rows = np.flatnonzero(group.ravel() == g)
            features = np.flatnonzero(pattern)
            if any((self.counts.of_feature(j)[:, pair[0]] == 0).any() for j in features.tolist()):
                found[rows] = -np.inf  # some completion makes the first class impossible
                continue
            cuts = self._crossings(features, pair, float(s[rows].max(initial=0.0)))
            for start, end in pairwise(cuts):
                part = rows[s[rows] >= start]
                worst = self._worst(features, pair, (start + end) / 2)
                pieces.append((part, start, end, pattern, worst))
        if pieces:
            rows = np.concatenate([part for part, *_ in pieces])
            sizes = [len(part) for part, *_ in pieces]
            starts, ends, patterns, worst = (
                np.repeat(np.array(column), sizes, axis=0)
                for column in list(zip(*pieces, strict=True))[1:]
            )
            least = self._least_between(
                codes[rows] >= 0, n[rows], pair, (patterns, worst), (starts, ends), s[rows]
            )
            np.minimum.at(found, rows, least)
        return found

    def _crossings(self, features: Ints, pair: tuple[int, int], s: float) -> Floats:
        """The ends of (0, s), and the x at which the worst value of a missing feature changes."""
        cuts = [0.0, s]
        for j in features.tolist():
            cuts += [x for x in self._crossings_of(j, pair) if x < s]
        return np.unique(cuts) if s > 0 else np.zeros(2)

    def _crossings_of(self, j: int, pair: tuple[int, int]) -> list[float]:
        """All x at which the worst value of one missing feature may change."""
        key = (j, *pair)
        if key not in self._known_crossings:
            n1, n2 = self._completed(j, pair)
            a, b = np.triu_indices(len(n1), 1)
            a, b = a[n1[a] != n1[b]], b[n1[a] != n1[b]]
            x = (n1[b] * n2[a] - n1[a] * n2[b]) / (n1[a] - n1[b])
            self._known_crossings[key] = np.unique(x[x > 0]).tolist()
        return self._known_crossings[key]

    @cached_property
    def _known_crossings(self) -> dict[tuple[int, int, int], list[float]]:
        return {}

    def _completed(self, j: int, pair: tuple[int, int]) -> tuple[Floats, Floats]:
        """Counts of a feature's values when the gaps are filled to the disadvantage of c1."""
        n1, n2 = (self.counts.of_feature(j)[:, c].astype(float) for c in pair)
        return n1, n2 + self._missing[j, pair[1]]

    def _worst(self, features: Ints, pair: tuple[int, int], x: float) -> Floats:
        """The counts of both classes for the worst value of each missing feature at x, (2, m)."""
        worst = np.ones((2, len(self.counts.n_values)))
        for j in features.tolist():
            n1, n2 = self._completed(j, pair)
            with np.errstate(divide="ignore"):
                a = int(np.argmin(n1 / (n2 + x)))
            worst[:, j] = n1[a], n2[a]
        return worst

    def _least_between(
        self,
        seen: Bools,
        n: Floats,
        pair: tuple[int, int],
        filled: tuple[Bools, Floats],
        ends: tuple[Floats, Floats],
        s: Floats,
    ) -> Floats:
        """The least log ratio on pieces where each missing feature has one worst value.

        ``filled`` says which features are missing for unknown reasons, and has the counts of their
        worst values.
        """
        (c1, c2), (gaps, worst) = pair, filled
        rows1, rows2 = (float(self.counts.classes[c]) for c in pair)
        total1 = np.where(self.unknown, rows1, self.counts.observed[:, c1])
        total2 = np.where(self.unknown, rows2, self.counts.observed[:, c2])
        n1, n2 = n[:, :, c1], n[:, :, c2] + self._missing[:, c2]
        k = gaps.sum(axis=1)
        vanishes = (seen & (n1 == 0)).any(axis=1)

        def value_at(x: Floats) -> Floats:
            value = feature_values(seen, (n1, total1), (n2, total2), x, s - x)
            with np.errstate(divide="ignore", invalid="ignore"):
                # the class term appears once for each missing feature, less one
                own = np.log(rows2 + x) - np.log(rows1 + s - x)
                gap = np.log(worst[:, 0]) - np.log(worst[:, 1] + x[:, None])
                value = value + (k - 1) * own + np.where(gaps, gap, 0.0).sum(axis=1)
            return np.where(vanishes | np.isnan(value), -np.inf, value)

        def slope_at(x: Floats) -> Floats:
            slope = feature_slopes(seen, (n1, total1), (n2, total2), x, s - x)
            with np.errstate(divide="ignore", invalid="ignore"):
                own = 1 / (rows2 + x) + 1 / (rows1 + s - x)
                gap = np.where(gaps, -1 / (worst[:, 1] + x[:, None]), 0.0).sum(axis=1)
                return slope + (k - 1) * own + gap

        left, right = ends[0], np.minimum(ends[1], s)
        for _ in range(60):
            x = (left + right) / 2
            falls = slope_at(x) < 0
            left, right = np.where(falls, x, left), np.where(falls, right, x)
        return value_at((left + right) / 2)
