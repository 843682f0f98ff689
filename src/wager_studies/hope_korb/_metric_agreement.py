"""How often a metric ranks two learners in the same order as the truth: a meta-metric.

The metric uses a small test set with labels.  The truth is computed from the true class
probabilities on other rows: the divergence of the predicted probabilities from them, how often the
most probable class is right, and the cost of acting on the predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from wager._typing import Floats, Ints
from wager.costs import CostMatrix
from wager.partitions import partition_accuracy
from wager.rewards import HIT, LOG_SCORE, QUADRATIC_SCORE, kl_divergence
from wager.rewards.information import GOOD, INFORMATION, INFORMATION_2002, KONONENKO_BRATKO

__all__ = ["METRICS", "TRUTHS", "agreement", "random_costs", "scores_of_blocks", "true_values"]

BY_ROW = {
    "accuracy": HIT,
    "Good": GOOD,
    "KB": KONONENKO_BRATKO,
    "IR 2002": INFORMATION_2002,
    "IR_B": INFORMATION,
    "log loss": LOG_SCORE,
    "Brier": QUADRATIC_SCORE,
}
METRICS = (*BY_ROW, "Ac")
TRUTHS = ("divergence", "accuracy", "cost")


def scores_of_blocks(
    y: Ints, proba: Floats, prior: Floats, sizes: Sequence[int], blocks: int
) -> list[Floats]:
    """Every metric on consecutive, disjoint test sets; larger is better.

    Parameters
    ----------
    y, proba, prior : ndarray
        True classes as codes, predicted probabilities, and the prior of the rewards.
    sizes : sequence of int
        The sizes of the test sets.
    blocks : int
        The largest number of test sets of each size; they do not overlap.

    Returns
    -------
    list of ndarray of shape (metrics, test sets), one per size

    Examples
    --------
    >>> y, proba = np.array([0, 1, 1, 0]), np.array([[0.8, 0.2]] * 4)
    >>> scores_of_blocks(y, proba, np.array([0.5, 0.5]), [2, 4], 3)[0][0].tolist()
    [0.5, 0.5]
    """
    by_row = np.stack([reward.rows(proba, y, prior, 2.0, None) for reward in BY_ROW.values()])
    classes = np.arange(proba.shape[1])
    found = []
    for size in sizes:
        many = min(blocks, len(y) // size)
        means = by_row[:, : many * size].reshape(len(by_row), many, size).mean(axis=2)
        parts = [slice(k * size, (k + 1) * size) for k in range(many)]
        near = [partition_accuracy(y[part], proba[part], classes=classes) for part in parts]
        found.append(np.vstack([means, near]))
    return found


def random_costs(n_classes: int, number: int, seed: int = 0) -> list[CostMatrix]:
    """Cost matrices with costs of errors drawn uniformly between 0 and 1.

    Examples
    --------
    >>> costs = random_costs(3, 2)
    >>> len(costs), costs[0].costs.diagonal().tolist()
    (2, [0.0, 0.0, 0.0])
    """
    drawn = np.random.default_rng(seed).random((number, n_classes, n_classes))
    return [CostMatrix(costs) for costs in drawn * (1 - np.eye(n_classes))]


def true_values(truth: Floats, proba: Floats, costs: Sequence[CostMatrix]) -> Floats:
    """The true quality of predicted probabilities, in the order of ``TRUTHS``; larger is better.

    The divergence from the truth (negated); how often the most probable class is right; and the
    cost (negated, mean over the matrices) of predicting the class of least expected cost.

    Examples
    --------
    >>> truth = np.array([[0.6, 0.4]])
    >>> true_values(truth, np.array([[0.4, 0.6]]), [CostMatrix([[0, 1], [1, 0]])]).round(3).tolist()
    [-0.117, 0.4, -0.6]
    """
    rows = np.arange(len(truth))
    right = truth[rows, proba.argmax(axis=1)].mean()
    spent = [matrix.expected(truth)[rows, matrix.optimal_class(proba)].mean() for matrix in costs]
    return np.array([-kl_divergence(truth, proba), right, -np.mean(spent)])


def agreement(scores: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """How often each metric prefers, of two learners, the one that is truly better.

    Parameters
    ----------
    scores : ndarray of shape (learners, metrics, test sets)
    truth : ndarray of shape (learners,)
        Pairs of learners that are truly equal are left out.

    Returns
    -------
    share, lost : ndarray of shape (metrics,)
        The share of pairs ranked in the same order as by the truth, a tie counting one half; and
        the mean loss of true quality when the learner that the metric prefers is chosen.  NaN if
        all learners are equal.

    Examples
    --------
    >>> agreement(np.array([[[1.0]], [[2.0]], [[2.0]]]), np.array([0.0, 1.0, 3.0]))
    (array([0.83333333]), array([0.33333333]))
    """
    shares, losses = [], []
    for a, b in combinations(range(len(truth)), 2):
        gap = truth[a] - truth[b]
        if abs(gap) > 1e-12:
            with np.errstate(invalid="ignore"):  # two infinite scores are a tie
                ahead = np.nan_to_num(np.sign(scores[a] - scores[b]))
            agrees = (1 + ahead * np.sign(gap)).mean(axis=1) / 2
            shares.append(agrees)
            losses.append(abs(gap) * (1 - agrees))
    if not shares:
        nothing = np.full(scores.shape[1], np.nan)
        return nothing, nothing
    return np.mean(shares, axis=0), np.mean(losses, axis=0)
