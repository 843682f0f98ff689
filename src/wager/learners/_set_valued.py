"""What every classifier with ``predict_set`` shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Array, Bools, Floats

__all__ = ["SetValuedMixin", "forced_choice"]


class SetValuedMixin:
    """A classifier that may name several classes; forced to one, the most probable of them."""

    classes_: Array

    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Floats:
        """A representative distribution over the classes."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The single class that a forced bettor names: the most probable one of the set."""
        chosen = forced_choice(self.predict_set(X), self.predict_proba(X))
        return self.classes_[chosen]


def forced_choice(sets: Bools, proba: Floats) -> Any:
    """The place of the most probable class within each set (within all classes if it is empty).

    Examples
    --------
    >>> forced_choice(np.array([[False, True, True]]), np.array([[0.6, 0.1, 0.3]])).tolist()
    [2]
    """
    open_to_all = sets | ~sets.any(axis=1, keepdims=True)
    return np.where(open_to_all, proba, -1.0).argmax(axis=1)
