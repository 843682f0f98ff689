"""How cheap a set could possibly be: the certificate of a search that does not see all sets."""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.costs import ExtendedCosts, Mean, Table
from wager.credal._search import cheapest_of, costs_of

__all__ = ["least_possible"]

_STEPS = 100  # of Frank and Wolfe: the bound is then within a few per cent of the best set


def least_possible(proba: Floats, extended: ExtendedCosts) -> Floats:
    """A cost that no set can fall below, for each row.

    The sets of a user's own table are looked at one by one, as no rule binds them.
    """
    rule = extended.rule
    if isinstance(rule, Table):
        _, listed = cheapest_of(proba, costs_of(extended), iter([rule.sets.to_indicator()]))
        rest = least_possible(proba, ExtendedCosts(extended.determinate, rule.otherwise))
        return np.minimum(listed, rest)
    bound = _by_size(proba, extended)
    if isinstance(rule, Mean) and 0 < min(rule.inside, rule.outside) < 1:
        exponent = min(rule.inside, rule.outside)  # the mean grows with its exponent
        np.maximum(bound, _of_weights(proba, extended.determinate.costs, exponent), out=bound)
    return bound


def _of_weights(proba: Floats, costs: Floats, exponent: float) -> Floats:
    """The least p-discounted cost when classes may be members by any weight, or a little less.

    A set's expected cost is ``sum_y p_y (mean of c_i(y)^e)^(1/e)`` over its members i.  With
    exponents e in (0, 1) that is convex in the mean, so over all weighted means, of which those of
    sets are some, it is bounded by its tangents: ``(1 - 1/e) G + min_i dG/dw_i`` at any weights.
    Frank and Wolfe's steps lead to weights where that is large.
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
    """A bound for every rule that makes a set dearer when a member gives way to a dearer one.

    Among the sets of k classes none costs less at y than y with its k - 1 cheapest companions, if
    it holds y, and than the k cheapest of the others, if it does not.  Let the k classes be held
    for which that saves most: no set of k costs less.
    """
    held, missed = _cheapest_cells(extended)
    bound = proba @ held[-1]  # all classes
    for k in range(1, proba.shape[1]):
        saved = np.sort(proba * (missed[k - 1] - held[k - 1]), axis=1)[:, -k:].sum(axis=1)
        np.minimum(bound, proba @ missed[k - 1] - saved, out=bound)
    return bound


def _cheapest_cells(extended: ExtendedCosts) -> tuple[Floats, Floats]:
    """By set size and truth, the least cost of a set that holds the truth, and that misses it."""
    costs = costs_of(extended)
    n_classes = extended.n_classes
    truth = np.arange(n_classes)
    others = extended.determinate.costs.T.copy()  # (truth, predicted)
    np.fill_diagonal(others, np.inf)
    rank = np.argsort(np.argsort(others, axis=1), axis=1)  # the truth itself ranks last
    held = np.empty((n_classes, n_classes))
    missed = np.empty((n_classes - 1, n_classes))
    for k in range(n_classes):
        held[k] = costs((rank < k) | np.eye(n_classes, dtype=bool))[truth, truth]
        if k:
            missed[k - 1] = costs(rank < k)[truth, truth]
    return held, missed
