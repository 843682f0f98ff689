"""Whatever a classifier said, as prediction sets; and truth and prediction on the same classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import ArrayLike, Ints
from wager.predictions._labels import encode_labels
from wager.predictions._sets import PredictionSets

__all__ = ["align", "as_sets"]


def as_sets(predictions: Any, classes: ArrayLike | None = None) -> PredictionSets:
    """Prediction sets from any of the accepted forms."""
    if isinstance(predictions, PredictionSets):
        return predictions
    return PredictionSets.from_indicator(np.asarray(predictions), classes)


def align(
    y_true: ArrayLike, y_pred: Any, classes: ArrayLike | None = None
) -> tuple[Ints, PredictionSets]:
    """Codes of the truth and the predicted sets, over the same classes."""
    sets = as_sets(y_pred, classes)
    codes, _ = encode_labels(y_true, classes, n_classes=len(sets.classes))
    return codes, sets
