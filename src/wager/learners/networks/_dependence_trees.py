"""Trees of dependence between features for TAN, found from counts.

``dirichlet_tree`` links features by the gain in a Bayesian (Dirichlet) score,
``mutual_information_tree`` by conditional mutual information (Friedman, Geiger & Goldszmidt, 1997).
Both return the parent of each feature, -1 for the root.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from wager._jit import entry
from wager._tables import PairCounts
from wager._typing import Floats, Ints
from wager.learners._base import TIE

__all__ = [
    "conditional_mutual_information",
    "dirichlet_gains",
    "dirichlet_tree",
    "mutual_information_tree",
    "network_score",
]

MOST_TERMS = 1 << 22  # rows up to which a table of the terms of all counts is worthwhile
ALPHA = 0.5  # the weight of every value in the Dirichlet score


def dirichlet_tree(counts: PairCounts, ties: str = "weka") -> Ints:
    """Link the features by the gain of the Dirichlet score, best link first.

    Every later link joins a new feature to those linked before.  As in Weka, the first link points
    against the direction in which it was scored, and later ones point away from a feature that has
    a parent.  With ties="weka" the last bit of the gains decides between equal ones, with "first"
    the order of the features.
    """
    largest = first_of_the_largest if ties == "first" else np.argmax
    gain = dirichlet_gains(counts)
    m = len(gain)
    parents = np.full(m, -1)
    linked = np.zeros(m, dtype=bool)
    np.fill_diagonal(gain, -np.inf)
    for step in range(m - 1):
        allowed = gain if step == 0 else np.where(linked[:, None] ^ linked, gain, -np.inf)
        head, tail = np.unravel_index(int(largest(allowed)), gain.shape)
        linked[[head, tail]] = True
        if parents[tail] < 0:
            parents[tail] = head
        else:
            parents[head] = tail
    return parents


def first_of_the_largest(values: Floats) -> int:
    """The position of the largest value in flat order, the first one if several are tied.

    Values that differ only by rounding are tied: the links of features that repeat each other must
    not depend on the order of classes and values.

    Examples
    --------
    >>> first_of_the_largest(np.array([[0.1 + 0.2, -np.inf], [0.3, 0.1]]))
    0
    >>> first_of_the_largest(np.array([0.3, 0.1 + 0.2]))
    0
    """
    largest = values.max()
    return int((values.ravel() >= largest - TIE * max(1.0, abs(largest))).argmax())


def dirichlet_gains(counts: PairCounts) -> Floats:
    """``gain[h, t]``: how much the score of h grows when t joins the class as its parent.

    The score of a feature given its parents is the logarithm of its Dirichlet marginal likelihood
    with 1/2 for every value.  It is summed term by term in a fixed order, classes outermost: the
    gains of redundant features differ in the last bit only, and that bit decides the tree.
    """
    n_values = counts.single.n_values
    n_rows = int(counts.single.classes.sum())
    gain = np.zeros((len(n_values), len(n_values)))
    known = counts.table, counts.single.values, counts.single.offsets, n_values
    if n_rows > MOST_TERMS:
        _gains_by_cumsum(*known, _ScoreTerms.computed(n_values), gain)
    else:
        _fill_gains(*known, _ScoreTerms.of(n_values, n_rows), gain, work=1e-7 * counts.table.size)
    return gain


class _GammaLogs:
    """Logarithms of the gamma function, for which a table of all counts would be too large."""

    def __init__(self, alpha: float):
        self.alpha = alpha

    def __getitem__(self, counts: Ints) -> Floats:
        return np.asarray(gammaln(counts + self.alpha))


class _ScoreTerms(NamedTuple):
    """Logarithms of gamma functions of all counts that can occur."""

    of_count: Any  # (rows + 1,), by count of a value
    of_total: Any  # (distinct numbers of values, rows + 1), by count of a configuration
    which: Ints  # (m,), the line of ``of_total`` for each feature
    constants: Floats  # (m, 2), the two terms that do not depend on counts

    @classmethod
    def of(cls, n_values: Ints, n_rows: int) -> _ScoreTerms:
        distinct, which = np.unique(n_values, return_inverse=True)
        rows = np.arange(n_rows + 1.0)
        return cls(
            gammaln(rows + ALPHA),
            gammaln(rows + ALPHA * distinct[:, None]),
            which,
            _constants(n_values),
        )

    @classmethod
    def computed(cls, n_values: Ints) -> _ScoreTerms:
        """The same terms, computed where they are needed."""
        distinct, which = np.unique(n_values, return_inverse=True)
        totals = [_GammaLogs(ALPHA * v) for v in distinct]
        return cls(_GammaLogs(ALPHA), totals, which, _constants(n_values))


def _constants(n_values: Ints) -> Floats:
    return np.column_stack([n_values * gammaln(ALPHA), gammaln(ALPHA * n_values)])


def _gains_by_cumsum(
    table: Ints, values: Ints, offsets: Ints, n_values: Ints, terms: _ScoreTerms, gain: Floats
) -> None:
    def score(h: int, configurations: Ints) -> float:
        minus, plus = terms.constants[h]
        of_values = terms.of_count[configurations]
        of_totals = terms.of_total[terms.which[h]][configurations.sum(axis=1)]
        fixed = np.broadcast_to([-minus, plus], (len(configurations), 2))
        # cumsum adds one term after the other, as the compiled loop does; sum would not
        return float(np.cumsum(np.column_stack([of_values, -of_totals, fixed]))[-1])

    ends = offsets + n_values
    for h in range(len(n_values)):
        alone = score(h, values[offsets[h] : ends[h]].T)
        for t in range(len(n_values)):
            if t != h:
                pairs = table[offsets[t] : ends[t], offsets[h] : ends[h]].transpose(2, 0, 1)
                gain[h, t] = score(h, pairs.reshape(-1, pairs.shape[2])) - alone


@entry(plain=_gains_by_cumsum, label="gains of arcs")
def _fill_gains(table, values, offsets, n_values, terms, gain):
    """Fill in the gain of every feature by every other as its parent."""
    m = len(n_values)
    n_classes = values.shape[1]
    for h in range(m):
        of_total = terms.of_total[terms.which[h]]
        minus, plus = terms.constants[h, 0], terms.constants[h, 1]
        alone = 0.0
        for c in range(n_classes):
            total = 0
            for x in range(n_values[h]):
                count = values[offsets[h] + x, c]
                total += count
                alone += terms.of_count[count]
            alone -= of_total[total]
            alone -= minus
            alone += plus
        for t in range(m):
            if t == h:
                continue
            score = 0.0
            for c in range(n_classes):
                for b in range(n_values[t]):
                    total = 0
                    for x in range(n_values[h]):
                        count = table[offsets[t] + b, offsets[h] + x, c]
                        total += count
                        score += terms.of_count[count]
                    score -= of_total[total]
                    score -= minus
                    score += plus
            gain[h, t] = score - alone


def network_score(parents: Ints, counts: PairCounts) -> float:
    """The Dirichlet score of the class and of every feature given the class and its parent."""
    score = _dirichlet_score(counts.single.classes[None])
    for j, parent in enumerate(parents):
        if parent < 0:
            score += _dirichlet_score(counts.single.of_feature(j).T)
        else:
            pairs = counts.of_features(int(parent), j).transpose(0, 2, 1)
            score += _dirichlet_score(pairs.reshape(-1, pairs.shape[2]))
    return score


def _dirichlet_score(configurations: Ints) -> float:
    """The log marginal likelihood of counts, one line per configuration of the parents."""
    n, v = configurations.shape
    values = gammaln(configurations + ALPHA).sum()
    totals = gammaln(configurations.sum(axis=1) + ALPHA * v).sum()
    return float(values - totals + n * (gammaln(ALPHA * v) - v * gammaln(ALPHA)))


def mutual_information_tree(counts: PairCounts) -> Ints:
    """The maximum spanning tree of conditional mutual information, grown from feature 0."""
    weight = conditional_mutual_information(counts)
    m = len(weight)
    parents = np.full(m, -1)
    inside = np.zeros(m, dtype=bool)
    inside[:1] = True
    for _ in range(m - 1):
        allowed = np.where(inside[:, None] & ~inside, weight, -np.inf)
        near, new = np.unravel_index(first_of_the_largest(allowed), weight.shape)
        parents[new] = near
        inside[new] = True
    return parents


def conditional_mutual_information(counts: PairCounts) -> Floats:
    """I(X_i; X_j | C) in nats over the rows where both features are known, shape (m, m)."""
    m = len(counts.single.n_values)
    information = np.zeros((m, m))
    for i in range(m):
        for j in range(i):
            pairs = counts.of_features(i, j).astype(np.float64)
            rows = pairs.sum()
            if rows:
                total = _sum_xlogx(pairs) + _sum_xlogx(pairs.sum(axis=(0, 1)))
                margins = _sum_xlogx(pairs.sum(axis=1)) + _sum_xlogx(pairs.sum(axis=0))
                information[i, j] = information[j, i] = (total - margins) / rows
    return information


def _sum_xlogx(x: Floats) -> float:
    return float(xlogy(x, x).sum())
