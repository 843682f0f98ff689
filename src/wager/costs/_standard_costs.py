"""The usual costs: zero-one, ordinal, and Ha's; as tables that need no K x K array."""

from __future__ import annotations

import numpy as np

from wager._tables import real_number, real_numbers
from wager._typing import ArrayLike
from wager._visible import brief
from wager.costs._cost_tables import LossByTruth, RankDistances

__all__ = ["ha_costs", "ordinal_costs", "zero_one_costs"]

_LARGEST_LOG = 700.0  # of a distance that is a finite number


def zero_one_costs(n_classes: int) -> LossByTruth:
    """1 for every error, 0 on the diagonal."""
    return LossByTruth(np.ones(_several(n_classes)))


def ordinal_costs(n_classes: int, p: float) -> RankDistances:
    """The distance between the ranks of ordered classes, to the power ``p``."""
    power = real_number(p, "the power of a distance")
    if not 0 < power < np.inf:
        raise ValueError(f"the power of a distance must be positive and finite, got p={brief(p)}")
    if power * np.log(_several(n_classes) - 1) > _LARGEST_LOG:
        raise ValueError(f"the distance of {n_classes - 1} ranks to the power p={p!r} is too large")
    return RankDistances(n_classes, power)


def ha_costs(eta: ArrayLike, n_classes: int | None) -> LossByTruth:
    """``eta(y)`` for every prediction that misses the class y."""
    loss = real_numbers(eta, "eta")
    if loss.ndim == 0:
        if n_classes is None:
            raise ValueError("a single eta for all classes needs their labels: pass classes=")
        loss = np.full(n_classes, float(loss))
    if loss.ndim != 1:
        raise ValueError(f"eta must be one number, or one per class, got shape {loss.shape}")
    _several(len(loss))
    bad = ~(np.isfinite(loss) & (loss >= 0))
    if bad.any():
        raise ValueError(
            f"eta must be finite and not negative, got {loss[bad][0]:g} for class {bad.argmax()}: "
            "write a gain as a smaller cost, with 0 for the best prediction of each true class"
        )
    return LossByTruth(loss)


def _several(n_classes: int) -> int:
    if n_classes < 2:
        raise ValueError(
            "costs must be a square matrix with one row and one column per class, for at least "
            f"two classes, got shape {(n_classes, n_classes)}"
        )
    return n_classes
