"""Effective sizes and biases of estimates against a twin that moves the weights of single rows.

The twin has a row for every class that could be the true one, and differentiates the measures of
this smoothed sample by the weight of each such row; the package adds up influences on parameters.
"""

import numpy as np
import pytest
from scipy.special import betainc, betaincinv

from tests.partitions.test_estimates import MEASURES, overlapping
from wager.partitions import standardize

STEP = 1e-4  # change of a weight


def terms_of(weights, truth, points, order, sizes):
    """The term of every row of a region in every measure, with the scaling of the weighted rows."""
    total, n_classes, left, tried = 1.0, points.shape[1], 1.0, weights.copy()
    scaled = points.copy()
    for place, (n, trials) in zip(order, sizes, strict=True):
        share = points[:, place] / total
        mean = share @ weights / weights.sum()
        variance = (share - mean) ** 2 @ weights / weights.sum() * n / (n - 1)
        p = tried @ (truth == place) / tried.sum()
        tried = tried * (truth != place)
        size = mean * (1 - mean) / variance - 1
        certainty = min(trials, size)
        level = betainc(size * mean, size * (1 - mean), share)
        moved = betaincinv(certainty * p, certainty * (1 - p), level)
        scaled[:, place] = left * moved
        left, total = left * (1 - moved), total - points[:, place]
    others = np.setdiff1d(np.arange(n_classes), order)
    scaled[:, others] = points[:, others] * (left / total)[:, None]
    corners, radius = np.eye(n_classes), np.sqrt((n_classes - 1) / n_classes)
    return np.array(
        [
            1 - np.linalg.norm(scaled - corners[truth], axis=1) / radius,
            1 - np.linalg.norm(scaled - corners[order[0]], axis=1) / radius,
            truth == order[0],
            scaled[:, order[0]],
        ]
    )


@pytest.mark.parametrize(("depth", "weighted"), [(1, False), (2, False), (1, True)])
def test_sizes_and_biases_are_those_of_moving_weights(depth, weighted):
    rng = np.random.default_rng(11)
    n, n_classes = 24 if depth == 1 else 36, 3
    truth, points = overlapping(rng, n, n_classes)
    own = rng.choice([1.0, 2.0, 3.0], n) if weighted else np.ones(n)
    partition = standardize(truth, points, depth=depth, sample_weight=own if weighted else None)
    assert all(step.branch != "shift" for region in partition.regions for step in region.steps)
    total, pseudo = own.sum(), (own**2).sum() / own.sum() ** 2
    orders, region = np.unique(np.argsort(-points, axis=1)[:, :depth], axis=0, return_inverse=True)
    each = np.repeat(np.arange(n), n_classes)  # a row for every possible class
    label = np.tile(np.arange(n_classes), n)
    chance = (1 - pseudo) * (truth[each] == label) + pseudo / n_classes
    weights = own[each] * chance
    terms, through_scaling = np.empty((2, 4, len(weights)))
    bias = np.zeros(4)
    for number, order in enumerate(orders):
        here = np.flatnonzero(region.ravel()[each] == number)
        sizes = [(step.n[number], step.trials[number]) for step in partition._steps]
        inside, sample = weights[here], (label[here], points[each[here]], order, sizes)
        terms[:, here] = terms_of(inside, *sample)
        for i, moved in enumerate(STEP * np.eye(len(here))):
            change = terms_of(inside + moved, *sample) - terms_of(inside - moved, *sample)
            through_scaling[:, here[i]] = change @ inside / (2 * STEP)
            bias += inside[i] * own[each[here[i]]] * change[:, i] / (2 * STEP) / total
    means = terms @ weights / total
    influence = (terms - means[:, None] + through_scaling) / total
    variance = influence**2 @ (chance * own[each] ** 2)
    for k, name in enumerate(MEASURES):
        least = 1 - np.sqrt(2 * n_classes / (n_classes - 1)) if k < 2 else 0
        share, spread = (1 - means[k]) / (1 - least), variance[k] / (1 - least) ** 2 / pseudo
        centre = (1 - pseudo) * share + pseudo / 2  # one row in n is at either end
        at_ends = ((0 - centre) ** 2 + (1 - centre) ** 2) / 2
        mixed = (1 - pseudo) * (spread + (share - centre) ** 2) + pseudo * at_ends
        estimate = partition.estimates[name]
        # slopes from changes of 1% in a rate differ by less than 1% from those of small changes
        assert estimate.effective_n == pytest.approx(
            centre * (1 - centre) / mixed / pseudo, rel=0.01
        )
        assert estimate.bias == pytest.approx(bias[k], rel=0.01, abs=1e-9)
