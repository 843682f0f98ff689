"""Credal dominance of the naive credal classifier: the least ratio of two classes' probabilities.

Zaffalon (2001, 2002).  Under the imprecise Dirichlet model with strength s, class c1 dominates c2
when P(c1 | x) / P(c2 | x) exceeds 1 for every prior, that is when the least value of

    h(x) = (n(c1)+s-x)/(n(c2)+x) prod_j [(n_j(c2)+x)/(n_j(c1)+s-x)] [n_j(a_j,c1)/(n_j(a_j,c2)+x)]

over 0 < x < s does.  Its logarithm f is convex, and it splits into a part of c1 and a part of c2:
f(x) = G1_c1(s - x) + G2_c2(x).  So what the rows need at a few fixed points x comes from tables by
value and class, as cheap as naive Bayes; convexity then settles nearly all pairs (a value below 0:
no dominance; tangents that stay above 0: dominance), and only the rest are searched.

With a floor epsilon (Corani & Zaffalon's program runs so) n_j(a_j,c1) becomes n_j(a_j,c1) + s
epsilon and x keeps to [s epsilon, s (1 - epsilon)].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wager._jit import compiled
from wager._tables import Counts, row_blocks
from wager._typing import Bools, Floats, Ints
from wager.learners.naive._log_tables import pad, padded_starts

TIE = 1e-9  # a logarithm within this of 0 is a tie, and a tie is no dominance


@dataclass(frozen=True)
class Dominance:
    """Least log ratios of the classes, from counts.

    Parameters
    ----------
    counts : Counts
        Of the training rows.
    s : float
        Strength of the imprecise Dirichlet model, in rows; 0 gives maximum likelihood.
    floor : float
        The epsilon of the module's text; 0 is the exact model.

    Examples
    --------
    >>> counts = Counts.of(np.array([[0], [0], [0], [1]]), np.array([0, 0, 0, 1]), [2], 2)
    >>> np.exp(Dominance(counts, s=1.0).log_infimum(np.array([[0]]))[0, 0, 1]).round(6).item()
    3.0
    """

    counts: Counts
    s: float
    floor: float = 0.0

    @property
    def range(self) -> tuple[float, float]:
        """The end points of x."""
        return self.s * self.floor, self.s * (1 - self.floor)

    @cached_property
    def starts(self) -> Ints:
        """The line of each feature's first value in the padded tables."""
        return padded_starts(self.counts.n_values)

    @cached_property
    def padded(self) -> Floats:
        """n_j(a, c) with a line of zeros for a value that training did not see."""
        values = self.counts.values.astype(float)
        return pad(values, np.zeros((len(self.counts.n_values), values.shape[1])), self.n_values)

    @property
    def n_values(self) -> Ints:
        """The number of values of each feature."""
        return self.counts.n_values

    @cached_property
    def probes(self) -> Floats:
        """The fixed points: both ends and the middle."""
        low, high = self.range
        return np.array([low, (low + high) / 2, high])

    @cached_property
    def tables(self) -> tuple[Floats, Floats]:
        """At each probe: G1, its slope, G2, its slope; by value (padded lines) and class (columns).

        The first array is added up over the features of a row, the second is what it starts from.
        """
        K, m = len(self.counts.classes), len(self.n_values)
        lines = np.zeros((int(self.n_values.sum()) + 2 * m, 3, 4, K))
        first = np.empty((3, 4, K))
        tabulate = compiled(_tables_loop) or _tables_loop
        tabulate(
            self.padded, self.counts.observed.astype(float), self.counts.classes.astype(float),
            self.starts, self.n_values, self.probes, self.s, self.s * self.floor, lines, first,
        )  # fmt: skip
        return lines.reshape(len(lines), first.size), first.ravel()

    def undominated(self, codes: Ints) -> Bools:
        """The classes of each row that no other class dominates, shape (n, K)."""
        n, K = len(codes), len(self.counts.classes)
        loop = compiled(_undominated_loop, work=codes.size * K * K)
        if loop is None:
            return self._undominated_by_infimum(codes)
        lines, first = self.tables
        kept = np.empty((n, K), dtype=np.bool_)
        loop(
            codes, self.starts, lines, first, self.padded, self.counts.observed.astype(float),
            self.counts.classes.astype(float), self.probes, self.s, self.s * self.floor, kept,
        )  # fmt: skip
        return kept

    def _undominated_by_infimum(self, codes: Ints) -> Bools:
        kept = np.empty((len(codes), len(self.counts.classes)), dtype=bool)
        for block in row_blocks(len(codes), kept.shape[1] ** 2):
            # NaN on the diagonal compares as no dominance
            kept[block] = ~(self.log_infimum(codes[block]) > TIE).any(axis=1)
        return kept

    def log_infimum(self, codes: Ints) -> Floats:
        """The logarithm of the least ratio of classes c1 and c2, ``[row, c1, c2]``.

        Minus infinity where the ratio can vanish, NaN on the diagonal.
        """
        K = len(self.counts.classes)
        found = np.full((len(codes), K, K), np.nan)
        for block in row_blocks(len(codes), max(codes.shape[1], 1)):
            rows = _Rows.of(self, codes[block])
            for c1 in range(K):
                for c2 in range(K):
                    if c1 != c2:
                        found[block, c1, c2] = _least(rows, c1, c2, self.range)
        return found


# -- the slow, obvious way: bisection on the slope, all rows of a block at once ------------------


@dataclass(frozen=True)
class _Rows:
    """What the ratio needs of some rows: counts of their values by class, and which are missing."""

    model: Dominance
    n: Floats  # (rows, m, K): n_j(a_j, c)
    seen: Bools  # (rows, m): the value is not missing

    @classmethod
    def of(cls, model: Dominance, codes: Ints) -> _Rows:
        return cls(model, model.padded[model.starts + codes], codes >= 0)

    def value_and_slope(self, c1: int, c2: int, x: Floats) -> tuple[Floats, Floats]:
        """The logarithm of the ratio and its slope, each row at its own x."""
        model, rows = self.model, self.model.counts.classes
        y = model.s - x
        total1, total2 = (model.counts.observed[:, c].astype(float) for c in (c1, c2))
        n1, n2 = self.n[:, :, c1] + model.s * model.floor, self.n[:, :, c2]
        at, to = x[:, None], y[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            known = self.seen & (total2 > 0)
            f = np.where(self.seen & (n1 > 0), np.log(n1) - np.log(total1 + to), 0.0)
            f = f + np.where(known, np.log(total2 + at) - np.log(n2 + at), 0.0)
            slope = np.where(self.seen & (n1 > 0), 1 / (total1 + to), 0.0)
            slope = slope + np.where(known, 1 / (total2 + at) - 1 / (n2 + at), 0.0)
            value = np.log(rows[c1] + y) - np.log(rows[c2] + x) + f.sum(axis=1)
            steep = -1 / (rows[c1] + y) - 1 / (rows[c2] + x) + slope.sum(axis=1)
        vanishes = (self.seen & (n1 <= 0)).any(axis=1)
        return np.where(vanishes, -np.inf, value), steep


def _least(rows: _Rows, c1: int, c2: int, ends: tuple[float, float]) -> Floats:
    n = len(rows.n)
    low, high = np.full(n, ends[0]), np.full(n, ends[1])
    for _ in range(80):
        middle = (low + high) / 2
        falls = rows.value_and_slope(c1, c2, middle)[1] < 0
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    values = [rows.value_and_slope(c1, c2, x)[0] for x in ((low + high) / 2, low, high)]
    return np.fmin.reduce([np.full(n, np.inf), *values])


# -- the compiled way ---------------------------------------------------------------------------


def _tables_loop(padded, observed, classes, starts, n_values, probes, s, floor, lines, first):
    for p in range(3):
        x = probes[p]
        y = s - x
        for c in range(classes.shape[0]):
            to, at = classes[c] + y, classes[c] + x
            first[p, 0, c] = np.log(to)
            first[p, 1, c] = 1 / to if to > 0 else np.inf
            first[p, 2, c] = -np.log(at)
            first[p, 3, c] = -1 / at if at > 0 else -np.inf
            for j in range(starts.shape[0]):
                total = observed[j, c]
                log_to = np.log(total + y)
                log_at = np.log(total + x)
                for line in range(starts[j], starts[j] + n_values[j] + 1):
                    n = padded[line, c]
                    if n + floor > 0:
                        lines[line, p, 0, c] = np.log(n + floor) - log_to
                        lines[line, p, 1, c] = -1 / (total + y)
                    else:
                        lines[line, p, 0, c] = -np.inf
                    # a feature never observed with the class says nothing: log(x / x)
                    if total > 0 and n + x > 0:
                        lines[line, p, 2, c] = log_at - np.log(n + x)
                        lines[line, p, 3, c] = 1 / (total + x) - 1 / (n + x)
                    elif total > 0:
                        lines[line, p, 2, c] = np.inf
                        lines[line, p, 3, c] = -np.inf


def _undominated_loop(
    codes, starts, lines, first, padded, observed, classes, probes, s, floor, kept
):
    n, m = codes.shape
    K = classes.shape[0]
    wide = first.shape[0]
    sums = np.empty(wide)
    G1, D1, G2, D2 = 0, K, 2 * K, 3 * K  # where the four parts begin within a probe
    step = 4 * K
    for i in range(n):
        for q in range(wide):
            sums[q] = first[q]
        for j in range(m):
            if codes[i, j] >= 0:
                line = starts[j] + codes[i, j]
                for q in range(wide):
                    sums[q] += lines[line, q]
        for c2 in range(K):
            dominated = False
            for c1 in range(K):
                if c1 == c2 or sums[G1 + c1] == -np.inf:
                    continue
                middle = sums[step + G1 + c1] + sums[step + G2 + c2]
                if not middle > 1e-9:
                    continue
                at_low = sums[G1 + c1] + sums[G2 + c2]
                at_high = sums[2 * step + G1 + c1] + sums[2 * step + G2 + c2]
                if not (at_low > 1e-9 and at_high > 1e-9):
                    continue
                slope_low = sums[D2 + c2] - sums[D1 + c1]
                slope_high = sums[2 * step + D2 + c2] - sums[2 * step + D1 + c1]
                if slope_low >= 0 or slope_high <= 0:
                    dominated = True  # least at an end
                    break
                slope = sums[step + D2 + c2] - sums[step + D1 + c1]
                if slope > 0:
                    a, fa, ga = probes[0], at_low, slope_low
                    b, fb, gb = probes[1], middle, slope
                else:
                    a, fa, ga = probes[1], middle, slope
                    b, fb, gb = probes[2], at_high, slope_high
                # f lies above its tangents at a and b, and has its least value between them
                for turn in range(200):
                    if ga == -np.inf or np.isinf(fa):
                        x = a
                        bound = fb - gb * (b - a)
                    elif gb - ga <= 0:
                        x = a
                        bound = min(fa, fb)
                    else:
                        x = (fa - fb - ga * a + gb * b) / (gb - ga)
                        x = min(max(x, a), b)
                        bound = fa + ga * (x - a)
                    if bound > 1e-9:
                        dominated = True
                        break
                    if b - a <= 1e-9 * s:
                        dominated = min(fa, fb) > 1e-9
                        break
                    if turn % 3 == 2 or x - a < 1e-3 * (b - a) or b - x < 1e-3 * (b - a):
                        x = (a + b) / 2
                    y = s - x
                    value = np.log((classes[c1] + y) / (classes[c2] + x))
                    slope = -1 / (classes[c1] + y) - 1 / (classes[c2] + x)
                    product = 1.0
                    for j in range(m):
                        if codes[i, j] >= 0:
                            place = starts[j] + codes[i, j]
                            t1 = observed[j, c1] + y
                            product *= (padded[place, c1] + floor) / t1
                            slope += 1 / t1
                            if observed[j, c2] > 0:
                                t2, n2 = observed[j, c2] + x, padded[place, c2] + x
                                product *= t2 / n2
                                slope += 1 / t2 - 1 / n2
                            if product < 1e-200 or product > 1e200:
                                value += np.log(product)
                                product = 1.0
                    value += np.log(product)
                    if not value > 1e-9:
                        break
                    if slope < 0:
                        a, fa, ga = x, value, slope
                    else:
                        b, fb, gb = x, value, slope
                if dominated:
                    break
            kept[i, c2] = not dominated
