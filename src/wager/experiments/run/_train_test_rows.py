"""Training and test rows of a split: cross-validation folds and random samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from wager._typing import Ints
from wager.experiments._weka_folds import weka_folds
from wager.experiments.plan import random_state_of

__all__ = ["cross_validation_rows", "sample_rows"]

Rows = tuple[Ints, Ints]


def cross_validation_rows(
    y: Ints, scheme: dict[str, Any], repeat: int, seed: int, what: Any
) -> list[Rows]:
    """Training and test rows of every fold of one repeat of cross-validation.

    Parameters
    ----------
    y : ndarray of int
        The class of each row.
    scheme : dict
        The identity of the scheme, with ``folds`` and ``n_folds``.
    repeat : int
        Counted from 0.  Weka's folds use the seed ``seed + repeat``, as Weka's Explorer does.
    seed : int
    what : plain data
        The identity of the data set: scikit-learn's folds differ between data sets.
    """
    n_folds = scheme["n_folds"]
    if n_folds > len(y):
        raise ValueError(f"cannot make {n_folds} folds of {len(y)} rows: use fewer folds")
    if scheme["folds"] == "weka":
        return list(weka_folds(y, 1, seed + repeat, n_folds=n_folds))
    from sklearn.model_selection import StratifiedKFold

    state = random_state_of([what, scheme, repeat, seed])
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=state)
    with warnings.catch_warnings():  # a class may have fewer rows than there are folds
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(splitter.split(np.zeros(len(y)), y))


def sample_rows(y: Ints, n_train: int, stratified: bool, state: int) -> Rows:
    """Draw ``n_train`` training rows; all other rows are test rows.

    In a stratified sample each class gets its share of the rows, rounded by largest remainders.

    Examples
    --------
    >>> train, test = sample_rows(np.repeat([0, 1], [6, 3]), 3, True, 0)
    >>> np.repeat([0, 1], [6, 3])[train].tolist(), len(test)
    ([0, 0, 1], 6)
    """
    if not 0 < n_train < len(y):
        raise ValueError(
            f"cannot take {n_train} of {len(y)} rows for training and test on the rest"
        )
    random = np.random.default_rng(state)
    order = random.permutation(len(y))
    if stratified:
        share = np.bincount(y) * n_train / len(y)
        quota = np.floor(share).astype(int)
        # classes with equal remainders are taken in random order
        shuffled = random.permutation(len(share))
        by_remainder = shuffled[np.argsort(-(share - quota)[shuffled], kind="stable")]
        quota[by_remainder[: n_train - quota.sum()]] += 1
        taken = [order[y[order] == c][: quota[c]] for c in range(len(quota))]
        train = np.sort(np.concatenate(taken))
    else:
        train = np.sort(order[:n_train])
    return train, np.setdiff1d(np.arange(len(y)), train)
