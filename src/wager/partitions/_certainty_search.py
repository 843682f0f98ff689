"""Search the certainty of every region for which its scaled memberships are best.

The paper takes the certainty alpha + beta of the scaled values to be that of the values themselves,
but at most the number of objects N.  The R package klaR offers another way (``b.scal`` with
``dis=TRUE``): of the whole numbers between the two, take the one for which the most objects of the
region are right after scaling, and of these the one with the largest accuracy Ac.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats
from wager.partitions._beta_chain import TINY
from wager.partitions._beta_scaling import BETA, BetaScaling
from wager.partitions._rows import PartitionRows

__all__ = ["search_certainty"]

MOST_TRIED = 1000  # numbers to try in a region


def search_certainty(rows: PartitionRows, scaling: BetaScaling) -> BetaScaling:
    """The scaling of depth one with the best certainty of each region.

    Parameters
    ----------
    rows : PartitionRows
        The rows, in memory or on disk.
    scaling : BetaScaling
        The scaling that was fitted to them.
    """
    tried = {
        int(number): candidates(scaling.trials[number], scaling.concentration[number])
        for number in np.flatnonzero(scaling.branch == BETA)
    }
    scores = {number: np.zeros(len(numbers)) for number, numbers in tried.items()}
    total = dict.fromkeys(tried, 0.0)
    for block in rows.blocks():
        for number, numbers in tried.items():
            part = block.take(np.flatnonzero(block.region == number))
            total[number] += part.weights.sum()
            scores[number] += _scores(part, scaling, number, numbers)
    certainty = scaling.certainty.copy()
    for number, numbers in tried.items():
        value = scores[number] / total[number]
        # scores that differ by rounding are equal, and the smallest certainty wins
        certainty[number] = numbers[np.flatnonzero(value >= value.max() - ROUNDING)[0]]
    return replace(scaling, certainty=certainty, searched=True)


def candidates(n: float, concentration: float) -> Floats:
    """The fitted certainty, then the whole numbers up to the larger of both.

    If these are more than ``MOST_TRIED``, as many of them at equal ratios.

    Examples
    --------
    >>> candidates(5, 2.5).tolist(), candidates(2, 4.8).tolist()
    ([2.5, 3.0, 4.0, 5.0], [2.0, 3.0, 4.0])
    """
    low, high = min(n, concentration), max(n, concentration)
    first, last = np.floor(low) + 1, np.floor(high)
    if last - first < MOST_TRIED:
        return np.concatenate([[low], np.arange(first, last + 1)])
    spread = np.geomspace(first, last, MOST_TRIED)
    return np.concatenate([[low], np.unique(np.rint(spread))])


def _scores(part: PartitionRows, scaling: BetaScaling, number: int, tried: Floats) -> Floats:
    """For every certainty, the weighted sum of N times being right plus closeness to the truth.

    Only the number of right objects and the mean distance matter, and they follow from a few
    numbers per row: the others of a row share what the assigned class leaves, in fixed ratios.
    """
    n_classes, everyone = part.n_classes, np.arange(len(part))
    assigned, truth, weights = part.order[:, 0], part.truth, part.weights
    others = part.points.copy()
    others[everyone, assigned] = 0
    rest = others.sum(axis=1)
    empty = rest < TINY
    others[empty] = 1 / (n_classes - 1)
    others[everyone, assigned] = 0
    others /= np.where(empty, 1.0, rest)[:, None]
    rival, strength = others.argmax(axis=1), others.max(axis=1)
    squares, of_truth = (others**2).sum(axis=1), others[everyone, truth]
    own, by_rival = truth == assigned, truth == rival
    radius = np.sqrt((n_classes - 1) / n_classes)
    values = part.points[everyone, assigned]
    found = np.empty(len(tried))
    for k, certainty in enumerate(tried):
        given = scaling.certainty.copy()
        given[number] = certainty
        scaled = replace(scaling, certainty=given).apply(values, part.region)
        left = 1 - scaled
        right = np.where(scaled >= left * strength, own, by_rival)
        at_truth = np.where(own, scaled, left * of_truth)
        squared = scaled**2 + left**2 * squares - 2 * at_truth + 1
        closeness = 1 - np.sqrt(np.maximum(squared, 0)) / radius
        found[k] = (weights * (right * scaling.n[number] + closeness)).sum()
    return found
