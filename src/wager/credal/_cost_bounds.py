"""Lower bounds of the expected cost of any set, which certify a search that skips some sets."""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.costs import ExtendedCosts, PDiscounted, TabulatedCosts
from wager.credal._set_search import cheapest_of, costs_of

__all__ = ["least_possible"]

_STEPS = 100  # Frank-Wolfe steps: the bound is then within a few per cent of its limit


def least_possible(proba: Floats, extended: ExtendedCosts) -> Floats:
    """A lower bound of the expected cost of any set, for each row.

    The sets of a user's table are checked one by one, since no rule determines their costs.
    """
    rule = extended.rule
    if isinstance(rule, TabulatedCosts):
        _, listed = cheapest_of(proba, costs_of(extended), iter([rule.sets.to_indicator()]))
        rest = least_possible(proba, ExtendedCosts(extended.determinate, rule.otherwise))
        return np.minimum(listed, rest)
    bound = _by_size(proba, extended)
    if isinstance(rule, PDiscounted) and 0 < min(rule.inside, rule.outside) < 1:
        exponent = min(rule.inside, rule.outside)  # the mean grows with its exponent
        np.maximum(bound, _of_weights(proba, extended.determinate.costs, exponent), out=bound)
    return bound


def _of_weights(proba: Floats, costs: Floats, exponent: float) -> Floats:
    """A lower bound of the p-discounted cost over all weighted sets.

    A set's expected cost is ``sum_y p_y (mean of c_i(y)^e)^(1/e)`` over its members i.  For
    exponents e in (0, 1) this is convex in the mean.  The mean over a set is a weighted mean over
    all classes, so every tangent ``(1 - 1/e) G + min_i dG/dw_i``, taken at any weights, is a lower
    bound.  Frank-Wolfe steps lead to weights where the bound is large.
    """
    unit = costs.max() or 1.0
    powers = (costs / unit) ** exponent
    degree = 1 / exponent
    weights = np.full(proba.shape, 1 / proba.shape[1])
    bound = np.zeros(len(proba))
    rows = np.arange(len(proba))
    for step in range(_STEPS):
        mean = weights @ powers
        slope = proba * mean ** (degree - 1)
        value = np.einsum("nk,nk->n", slope, mean)
        gradient = degree * (slope @ powers.T)
        steepest = gradient.argmin(axis=1)
        tangent = (1 - degree) * value + gradient[rows, steepest]
        np.maximum(bound, tangent, out=bound)
        share = 2 / (step + 2)
        weights *= 1 - share
        weights[rows, steepest] += share
    return unit * bound


def _by_size(proba: Floats, extended: ExtendedCosts) -> Floats:
    """A bound for every rule under which a set costs more if a member is replaced by a dearer one.

    Among the sets of k classes, a set that contains y costs at least as much for y as y together
    with the k - 1 cheapest other classes, and a set without y at least as much as the k cheapest
    other classes.  Assume that the set contains the k classes for which this saves most: no set of
    k classes costs less.
    """
    hit, miss = _cheapest_cells(extended)
    bound = proba @ hit[-1]  # all classes
    for k in range(1, proba.shape[1]):
        saved = np.sort(proba * (miss[k - 1] - hit[k - 1]), axis=1)[:, -k:].sum(axis=1)
        np.minimum(bound, proba @ miss[k - 1] - saved, out=bound)
    return bound


def _cheapest_cells(extended: ExtendedCosts) -> tuple[Floats, Floats]:
    """By set size and true class, the smallest cost of a set with the true class, and without."""
    costs = costs_of(extended)
    n_classes = extended.n_classes
    truth = np.arange(n_classes)
    others = extended.determinate.costs.T.copy()  # (true, predicted)
    np.fill_diagonal(others, np.inf)
    rank = np.argsort(np.argsort(others, axis=1), axis=1)  # the true class itself ranks last
    hit = np.empty((n_classes, n_classes))
    miss = np.empty((n_classes - 1, n_classes))
    for k in range(n_classes):
        hit[k] = costs((rank < k) | np.eye(n_classes, dtype=bool))[truth, truth]
        if k:
            miss[k - 1] = costs(rank < k)[truth, truth]
    return hit, miss
