"""AODE: the average of all models in which one feature is a parent of all the others.

Webb, Boughton & Wang (2005).  Each known feature value of a row is the super-parent in turn:
P(c, x_a) prod_b P(x_b | c, x_a); the class scores are the mean over the super-parents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wager._jit import entry
from wager._tables import PairCounts, real_number, row_blocks
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.learners._base import check_option
from wager.learners._counted import CountsClassifier
from wager.learners.naive import PointModel, pad, padded_starts

__all__ = ["AODE"]

MANY = 5000  # rows from which on merging the children's tables is worthwhile
LARGEST_GROUP = 64  # largest number of lines of a merged table
LEAST = 1e-200  # a row whose largest sum is smaller is computed in logarithms


class AODE(CountsClassifier):
    """Average the one-dependence models, one per feature; no structure is searched.

    In each model all features depend on the class and on one of the features; the probabilities of
    the models are averaged.

    Use it for more accurate probabilities than those of naive Bayes, if rows are many and features
    not too many.

    Parameters
    ----------
    smoothing : {"laplace", "m-estimate"}, default="laplace"
        "laplace" adds one to every count, as Weka does; "m-estimate" adds a single row, spread
        evenly over the cells.
    frequency_limit : int, default=1
        A value is used as super-parent if it occurs at least this often in training; the original
        paper uses 30.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    counts_ : NamedCounts
        The counts of all pairs of values, by class.

    Notes
    -----
    Features must be nominal: discretize numeric ones first.  Missing values are ignored, as parents
    and as children.  A row without any super-parent is predicted by naive Bayes.  The table of all
    pairs of values must fit into memory, so thousands of features raise an error.

    References
    ----------
    Webb, G. I., Boughton, J. R. & Wang, Z. (2005). Not so naive Bayes: aggregating one-dependence
    estimators. Machine Learning 58.

    Examples
    --------
    >>> X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]]
    >>> AODE().fit(X, [0, 1, 1, 0]).predict(X).tolist()
    [0, 1, 1, 0]
    """

    _needs_pairs = True
    _pair_bytes = 20  # the counts and two tables of doubles

    def __init__(
        self,
        smoothing: str = "laplace",
        *,
        frequency_limit: int = 1,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.smoothing = smoothing
        self.frequency_limit = frequency_limit
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _take_counts(self, counts: PairCounts) -> None:
        check_option("smoothing", self.smoothing, ("laplace", "m-estimate"))
        if not real_number(self.frequency_limit, "frequency_limit") >= 1:
            raise ValueError(
                f"frequency_limit must be at least 1, got {brief(self.frequency_limit)}"
            )
        single = counts.single
        n_values, n_classes = single.n_values, single.n_classes
        each = single.feature_of_value
        known = single.observed.sum(axis=1)[each, None]
        self._model = _OneDependence(
            n_values,
            single.offsets,
            single.values.sum(axis=1) >= self.frequency_limit,
            self._smooth(single.values, known, (n_values[each] * n_classes)[:, None]),
            self._children(counts, each),
        )
        self._fallback = PointModel(single, "laplace", 1.0)

    def _smooth(self, count: Any, total: Any, cells: Any) -> Floats:
        """A smoothed proportion: ``count`` of ``total`` rows, in one of ``cells`` cells."""
        if self.smoothing == "laplace":
            return (count + 1.0) / (total + cells)
        return (count + 1.0 / cells) / (total + 1.0)

    def _children(self, counts: PairCounts, each: Ints) -> Floats:
        """P(x_b | c, x_a) by parent value, padded line of the child's value, and class."""
        n_values = counts.single.n_values
        both = np.add.reduceat(counts.table, counts.single.offsets, axis=1)
        values = self._smooth(counts.table, both[:, each], n_values[each, None])
        unseen = self._smooth(0.0, both, n_values[:, None])
        values[each[:, None] == each] = 1.0  # a feature is not its own child
        return pad(values, unseen, n_values, missing=1.0)

    def _proba(self, codes: Ints) -> Floats:
        sums, parents = self._model.sums(codes)
        sums /= sums.sum(axis=1, keepdims=True)
        without_parent = parents == 0
        if without_parent.any():
            sums[without_parent] = self._fallback.proba(codes[without_parent])
        return sums


@dataclass(frozen=True)
class _OneDependence:
    """The probabilities of all one-dependence models, and their sum over the super-parents."""

    n_values: Ints
    offsets: Ints
    frequent: Bools  # (V,), which values may be super-parents
    parents: Floats  # (V, K), P(c, x_a)
    children: Floats  # (V, padded lines, K), P(x_b | c, x_a); 1 for the feature of x_a itself

    def sums(self, codes: Ints) -> tuple[Floats, Ints]:
        """The sum of P(c, x) over the super-parents of each row, and their number.

        A row whose products are too small for a double is summed in logarithms instead; only the
        ratios between the classes matter.
        """
        sums = np.zeros((len(codes), self.parents.shape[1]))
        number = np.zeros(len(codes), dtype=np.int64)
        if not codes.shape[1]:
            return np.ones_like(sums), number
        children, lines = self._merged(codes) if len(codes) >= MANY else self._unmerged()
        parents = _SuperParents(self.offsets, self.n_values, self.frequent, self.parents)
        work = 1e-8 * codes.size * codes.shape[1] * sums.shape[1]
        _add_products(codes, parents, children, lines, sums, number, work=work)
        small = np.flatnonzero((sums.max(axis=1) < LEAST) & (number > 0))
        if len(small):
            self._sum_logs(codes, sums, number, small)
        sums[number == 0] = 1.0
        return sums, number

    def _unmerged(self) -> tuple[Floats, Ints]:
        """The children's table with every feature as a group."""
        sizes = self.n_values + 2
        lines = np.column_stack(
            [np.arange(len(sizes)), sizes, np.full(len(sizes), -1), np.cumsum(sizes) - sizes]
        )
        return self.children, lines

    def _merged(self, codes: Ints) -> tuple[Floats, Ints]:
        """The children's table with neighbouring features of few values merged into groups.

        Three features of 3 values become one of 27, so that a row needs a third of the factors.
        The lines contain for each feature: its group, its size, its smallest code, and the first
        line of the group.
        """
        starts = padded_starts(self.n_values)
        low = np.minimum(codes.min(axis=0), 0)
        sizes = np.maximum(codes.max(axis=0), self.n_values - 1) - low + 1
        tables: list[Floats] = []
        lines = []
        begin = 0
        for j, size in enumerate(sizes):
            first = starts[j] + low[j]
            own = self.children[:, first : first + size]
            if tables and tables[-1].shape[1] * size <= LARGEST_GROUP:
                last = tables.pop()
                begin -= last.shape[1]
                own = (last[:, :, None] * own[:, None]).reshape(len(own), -1, own.shape[2])
            lines.append([len(tables), size, low[j], begin])
            tables.append(own)
            begin += own.shape[1]
        return np.concatenate(tables, axis=1), np.array(lines)

    def _sum_logs(self, codes: Ints, sums: Floats, number: Ints, rows: Ints) -> None:
        """The sums of these rows by way of logarithms, up to a factor per row."""
        parents, children = np.log(self.parents), np.log(self.children)
        starts = padded_starts(self.n_values)
        sums[rows], number[rows] = 0.0, 0
        top = np.full(len(codes), -np.inf)
        for block in row_blocks(len(rows), sums.shape[1]):
            part = codes[rows[block]]
            for a in range(codes.shape[1]):
                u = self.offsets[a] + np.clip(part[:, a], 0, self.n_values[a] - 1)
                usable = (part[:, a] >= 0) & (part[:, a] < self.n_values[a]) & self.frequent[u]
                at, u = rows[block][usable], u[usable]
                score = parents[u]
                for b in range(codes.shape[1]):
                    score = score + children[u, starts[b] + part[usable, b]]
                # sums are kept relative to the largest term so far, so that they do not vanish
                best = np.maximum(top[at], score.max(axis=1))
                sums[at] *= np.exp(top[at] - best)[:, None]
                sums[at] += np.exp(score - best[:, None])
                top[at] = best
                number[at] += 1
        sums[rows[number[rows] == 0]] = 1.0


class _SuperParents(NamedTuple):
    """The values that may be super-parents, for the compiled loop."""

    offsets: Ints  # (m,), the first value of each feature
    n_values: Ints  # (m,)
    frequent: Bools  # (V,)
    proba: Floats  # (V, K), P(c, x_a)


def _add_products_by_gathering(
    codes: Ints,
    parents: _SuperParents,
    children: Floats,
    lines: Ints,
    sums: Floats,
    number: Ints,
) -> None:
    """The same products, for many rows at a time."""
    for block in row_blocks(len(codes), sums.shape[1]):
        part = codes[block]
        places = np.zeros((lines[-1, 0] + 1, len(part)), dtype=np.int64)
        for b, (group, size, low, _) in enumerate(lines):
            places[group] = places[group] * size + part[:, b] - low
        places += lines[np.searchsorted(lines[:, 0], np.arange(len(places))), 3][:, None]
        for a in range(codes.shape[1]):
            value = part[:, a]
            u = parents.offsets[a] + np.clip(value, 0, parents.n_values[a] - 1)
            usable = (value >= 0) & (value < parents.n_values[a]) & parents.frequent[u]
            at = np.flatnonzero(usable)
            u = u[at]
            product = parents.proba[u]
            for place in places:
                product *= children[u, place[at]]
            sums[block][at] += product
            number[block][at] += 1


@entry(plain=_add_products_by_gathering, label="AODE")
def _add_products(codes, parents, children, lines, sums, number):
    """Sum the products over the super-parents, four classes at a time, then two, then one.

    Positions in the flat table are unsigned, so that Numba does not check them for negative
    numbers; several classes at a time keep the processor busy while it waits for memory.
    """
    n, m = codes.shape
    n_classes = sums.shape[1]
    flat = children.reshape(-1)
    size = children.shape[1] * n_classes
    groups = lines[m - 1, 0] + 1
    block = 256  # rows whose positions stay in the cache while the parents take turns
    places = np.empty((block, groups), dtype=np.uint64)
    for first in range(0, n, block):
        last = min(first + block, n)
        for i in range(first, last):
            b = 0
            for g in range(groups):
                line = 0
                while b < m and lines[b, 0] == g:
                    line = line * lines[b, 1] + codes[i, b] - lines[b, 2]
                    b += 1
                places[i - first, g] = np.uint64((line + lines[b - 1, 3]) * n_classes)
        for a in range(m):
            for i in range(first, last):
                value = codes[i, a]
                u = parents.offsets[a] + value
                if value < 0 or value >= parents.n_values[a] or not parents.frequent[u]:
                    continue
                number[i] += 1
                at, own = places[i - first], parents.proba[u]
                c = 0
                while c + 4 <= n_classes:
                    start = np.uint64(u * size + c)
                    p, q, r, s = own[c], own[c + 1], own[c + 2], own[c + 3]
                    for g in range(groups):
                        k = start + at[g]
                        p *= flat[k]
                        q *= flat[k + np.uint64(1)]
                        r *= flat[k + np.uint64(2)]
                        s *= flat[k + np.uint64(3)]
                    sums[i, c] += p
                    sums[i, c + 1] += q
                    sums[i, c + 2] += r
                    sums[i, c + 3] += s
                    c += 4
                while c + 2 <= n_classes:
                    start = np.uint64(u * size + c)
                    p, q = own[c], own[c + 1]
                    for g in range(groups):
                        k = start + at[g]
                        p *= flat[k]
                        q *= flat[k + np.uint64(1)]
                    sums[i, c] += p
                    sums[i, c + 1] += q
                    c += 2
                if c < n_classes:
                    start = np.uint64(u * size + c)
                    p = own[c]
                    for g in range(groups):
                        p *= flat[start + at[g]]
                    sums[i, c] += p
