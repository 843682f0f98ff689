"""What blocks of rows have in common: the probability of the true class, and values by class."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from wager._typing import Floats, Ints


class TrueClassBlock:
    """Rows with their true classes, and the probability of the true class, ``true_p``."""

    truth: Ints
    true_p: Any  # an array; a property of the blocks

    def __len__(self) -> int:
        return len(self.truth)

    def of_truth(self, values: Floats) -> Any:
        """The value of each row's true class, given one per class; a number if all are equal."""
        same = (values == values[0]).all()
        return float(values[0]) if same else values.take(self.truth)

    @cached_property
    def log_true(self) -> Floats:
        """The logarithm of the probability of the true class."""
        return np.log(self.true_p)
