"""Merge classes of networks that the data hardly distinguish.

A message need not state which of two nearly equal networks is meant.  Stating the simpler one (i)
for both saves the choice between them, and costs what the data of the other one (j) are longer on
average when they are stated with i.  With the prior probabilities p of the two classes and N rows,
strict minimum message length gains

    p_i log((p_i + p_j) / p_i) + p_j log((p_i + p_j) / p_j) - p_j N KL(j || i)

CaMML joins, again and again, the pair with the largest gain, as long as it is positive; the class
with fewer arcs, or as many, represents both (O'Donnell, 2010).  The prior of a class is its
posterior divided by the likelihood of its network.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import Any

import numpy as np

from wager._typing import Floats, Ints
from wager.learners.networks.causal._network import Network

__all__ = ["divergences", "groups_to_merge"]

MOST_STATES = 100_000  # of all nodes together; with more, the divergences are sampled
SAMPLED = 10_000  # rows drawn from each network, at least


def divergences(networks: Sequence[Network], n_rows: int, random: Any) -> Floats:
    """The Kullback-Leibler divergences of all pairs in nats: entry (j, i) is KL(j || i).

    Computed from the probabilities of all combinations of values if these are few, and otherwise
    from rows drawn at random, at least as many as there are training rows.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    >>> sizes = np.array([2, 2])
    >>> apart, joined = (Network.of(codes, sizes, parents) for parents in ([(), ()], [(), (0,)]))
    >>> divergences([apart, joined], 5, None).round(3).tolist()
    [[0.0, 0.124], [0.111, 0.0]]
    """
    sizes = networks[0].sizes
    if float(np.prod(sizes, dtype=float)) <= MOST_STATES:
        states = np.indices(tuple(int(size) for size in sizes)).reshape(len(sizes), -1).T
        logs = np.array([network.log_joint(states) for network in networks])
        return np.array(
            [[float((np.exp(own) * (own - other)).sum()) for other in logs] for own in logs]
        )
    found = np.zeros((len(networks), len(networks)))
    for j, network in enumerate(networks):
        drawn = network.sample(max(SAMPLED, n_rows), random)
        own = network.log_joint(drawn)
        found[j] = [float((own - other.log_joint(drawn)).mean()) for other in networks]
    return np.maximum(found, 0.0)


def groups_to_merge(
    log_priors: Floats, n_arcs: Ints | Sequence[int], divergence: Floats, n_rows: int
) -> list[list[int]]:
    """Which classes belong together; the first of each group represents it.

    Parameters
    ----------
    log_priors : ndarray
        Logarithms of the classes' prior probabilities, up to a constant.
    n_arcs : sequence of int
        The number of arcs of each class.
    divergence : ndarray of shape (n_classes, n_classes)
        As from `divergences`.
    n_rows : int
        The number of training rows.

    Examples
    --------
    >>> far = np.array([[0, 0.001, 2.0], [0.001, 0, 2.0], [2.0, 2.0, 0]])
    >>> groups_to_merge(np.log([0.5, 0.3, 0.2]), [2, 1, 1], far, 100)
    [[1, 0], [2]]
    """
    prior = np.exp(np.asarray(log_priors) - np.max(log_priors))
    groups = {i: [i] for i in range(len(prior))}
    while True:
        gain, i, j = max(
            (
                (_gain(prior[i], prior[j], n_rows * divergence[j, i]), -i, -j)
                for i in groups
                for j in groups
                if i != j and n_arcs[i] <= n_arcs[j]
            ),
            default=(0.0, 0, 0),
        )
        if not gain > 0:
            return list(groups.values())
        i, j = -i, -j
        groups[i] += groups.pop(j)
        prior[i] += prior[j]


def _gain(p: float, q: float, longer: float) -> float:
    """The nats saved on average by stating the first class for both, the second at a cost."""
    if not (p > 0 and q > 0):
        return 0.0
    return float(p * log1p(q / p) + q * log1p(p / q) - q * longer)
