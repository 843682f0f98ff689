"""The values of the usual cost matrices: zero-one, ordinal, and Ha's."""

from __future__ import annotations

import numpy as np

from wager._typing import ArrayLike, Floats

__all__ = ["ha_costs", "ordinal_costs", "zero_one_costs"]


def zero_one_costs(n_classes: int) -> Floats:
    """1 for every error, 0 on the diagonal."""
    return 1.0 - np.eye(n_classes)


def ordinal_costs(n_classes: int, p: float) -> Floats:
    """The distance between the ranks of ordered classes, to the power ``p``."""
    if not 0 < p < np.inf:
        raise ValueError(f"the power of a distance must be positive and finite, got p={p!r}")
    rank = np.arange(n_classes, dtype=np.float64)
    return np.abs(rank[:, None] - rank) ** p


def ha_costs(eta: ArrayLike, n_classes: int | None) -> Floats:
    """``eta(y)`` for every prediction that misses the class y."""
    loss = np.asarray(eta, dtype=np.float64)
    if loss.ndim == 0:
        if n_classes is None:
            raise ValueError("a single eta for all classes needs their labels: pass classes=")
        loss = np.full(n_classes, float(loss))
    if loss.ndim != 1:
        raise ValueError(f"eta must be one number, or one per class, got shape {loss.shape}")
    return np.where(np.eye(len(loss), dtype=bool), 0.0, loss)
