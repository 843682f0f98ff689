"""How often a metric ranks two learners in the same order as the truth: a meta-metric.

The metric uses a small test set with labels.  The truth is computed from the true class
probabilities on other rows: the divergence of the predicted probabilities from them, how often the
most probable class is right, and the cost of acting on the predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from wager._tables import ROUNDING
from wager._typing import Floats
from wager.costs import CostMatrix
from wager.rewards import kl_divergence

__all__ = ["TRUTHS", "Truth", "agreement", "random_costs", "true_values"]


Truth: TypeAlias = Callable[[Floats, Floats, Sequence[CostMatrix]], float]


def _divergence(truth: Floats, proba: Floats, costs: Sequence[CostMatrix]) -> float:
    return -float(kl_divergence(truth, proba))


def _accuracy(truth: Floats, proba: Floats, costs: Sequence[CostMatrix]) -> float:
    return float(truth[np.arange(len(truth)), proba.argmax(axis=1)].mean())


def _cost(truth: Floats, proba: Floats, costs: Sequence[CostMatrix]) -> float:
    rows = np.arange(len(truth))
    spent = [matrix.expected(truth)[rows, matrix.optimal_class(proba)].mean() for matrix in costs]
    return -float(np.mean(spent))


# The true quality of predicted probabilities by name; larger is better.
TRUTHS: Mapping[str, Truth] = {"divergence": _divergence, "accuracy": _accuracy, "cost": _cost}


def true_values(
    truth: Floats,
    proba: Floats,
    costs: Sequence[CostMatrix],
    by: Mapping[str, Truth] = TRUTHS,
) -> Floats:
    """The true quality of predicted probabilities by each truth; larger is better.

    By default the divergence from the truth (negated); how often the most probable class is right;
    and the cost (negated, mean over the matrices) of predicting the class of least expected cost.

    Examples
    --------
    >>> truth = np.array([[0.6, 0.4]])
    >>> true_values(truth, np.array([[0.4, 0.6]]), [CostMatrix([[0, 1], [1, 0]])]).round(3).tolist()
    [-0.117, 0.4, -0.6]
    """
    return np.array([quality(truth, proba, costs) for quality in by.values()])


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


def agreement(scores: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """How often each metric prefers, of two learners, the one that is truly better.

    Parameters
    ----------
    scores : ndarray of shape (learners, metrics, test sets)
        A score that is not defined (NaN) ranks nothing: it counts as a tie.
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
        with np.errstate(invalid="ignore"):  # two infinite values are equal
            gap = truth[a] - truth[b]
            ahead = np.nan_to_num(np.sign(scores[a] - scores[b]))
        if abs(gap) > ROUNDING:
            agrees = (1 + ahead * np.sign(gap)).mean(axis=1) / 2
            shares.append(agrees)
            losses.append(np.where(agrees < 1, abs(gap), 0.0) * (1 - agrees))
    if not shares:
        nothing = np.full(scores.shape[1], np.nan)
        return nothing, nothing
    return np.mean(shares, axis=0), np.mean(losses, axis=0)
