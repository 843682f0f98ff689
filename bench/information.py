"""Information reward against scikit-learn's log loss on the same arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import log_loss

from bench.measure import Row, race
from wager.metrics import (
    good_reward,
    information_reward,
    information_reward_2002,
    kononenko_bratko,
)

REWARDS = (information_reward, information_reward_2002, kononenko_bratko, good_reward)


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    n_rows, n_classes = 1_000_000, 10
    proba = rng.dirichlet(np.ones(n_classes), n_rows)
    truth = rng.integers(0, n_classes, n_rows)
    labels = np.arange(n_classes)

    def peer() -> object:
        return log_loss(truth, proba, labels=labels)

    for reward in REWARDS:
        yield race(
            f"{reward.__name__}, {n_rows:,} x {n_classes}",
            lambda reward=reward: reward(truth, proba),
            peer,
            "log_loss (scikit-learn)",
            at_most=0.5,
        )
