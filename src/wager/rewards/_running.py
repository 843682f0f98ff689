"""Set measures of a stream, row by row, with the interface of river's metrics.

river (Montiel et al., 2021) calls ``update(y_true, y_pred)`` for each row and ``get()`` for the
value; ``revert`` takes a row back, for rolling windows.  Nothing of river is imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from wager._tables import View, Viewed, format_number
from wager.rewards._cell_sums import CellSums
from wager.rewards._registry import MEASURES
from wager.rewards._tally import Tally
from wager.rewards._utility import Utility
from wager.rewards._utility_names import UtilityLike, get_utility


class RunningMeasure(Viewed):
    """A measure of set-valued predictions that is updated row by row, as metrics of river are.

    The state is a count by set size and hit, of constant size.

    Parameters
    ----------
    measure : str or utility, default="u65"
        The name of a measure that a tally can compute, such as "coverage", "determinacy" or
        "mean_set_size", or a utility.
    n_classes : int, optional
        The number of classes, for measures that depend on it; by default the largest set seen.

    Examples
    --------
    >>> coverage, worth = RunningMeasure("coverage"), RunningMeasure("u65")
    >>> for y_true, y_pred in [("cat", {"cat", "dog"}), ("dog", "dog"), ("dog", {"cat"})]:
    ...     coverage.update(y_true, y_pred)
    ...     worth.update(y_true, y_pred)
    >>> round(coverage.get(), 4), round(worth.get(), 4), worth
    (0.6667, 0.55, u65: 0.5500)
    """

    requires_labels = True

    def __init__(self, measure: str | UtilityLike = "u65", n_classes: int | None = None):
        self.measure = measure
        self.n_classes = n_classes
        self._counts: Counter[tuple[int, bool]] = Counter()
        known = isinstance(measure, str) and measure in MEASURES
        self._score: str | Utility = str(measure) if known else get_utility(measure)
        self._tally({(1, True): 1}).score(self._score)  # refuses what a tally does not have

    @property
    def name(self) -> str:
        """The name of the measure."""
        return self._score if isinstance(self._score, str) else self._score.name

    @property
    def bigger_is_better(self) -> bool:
        """Whether larger values are better."""
        return (
            not isinstance(self._score, str) or MEASURES[self._score].greater_is_better is not False
        )

    @property
    def n(self) -> int:
        """The number of rows, or their total weight."""
        return sum(self._counts.values())

    def update(self, y_true: Any, y_pred: Any, w: int = 1) -> None:
        """Add a row.

        Parameters
        ----------
        y_true : label
            The true class.
        y_pred : label, or set, list or tuple of labels
            The prediction; None is the empty set, as of a model that has not learned yet.
        w : int, default=1
            How often the row counts.
        """
        self._add(y_true, y_pred, w)

    def revert(self, y_true: Any, y_pred: Any, w: int = 1) -> None:
        """Take back a row that was added, with the same arguments."""
        self._add(y_true, y_pred, -w)

    def _add(self, y_true: Any, y_pred: Any, w: int) -> None:
        cell = _outcome(y_true, y_pred)
        if self._counts[cell] + w < 0:
            raise ValueError("revert takes back a row that was added before, but there is none")
        self._counts[cell] += w
        if not self._counts[cell]:
            del self._counts[cell]

    def get(self) -> float:
        """The value so far; NaN before the first row."""
        return self._tally(self._counts).score(self._score).value if self._counts else float("nan")

    @property
    def tally(self) -> Tally:
        """The rows so far as a tally, for intervals and every other measure."""
        return self._tally(self._counts)

    def is_better_than(self, other: RunningMeasure) -> bool:
        """Whether the value is better than that of another one."""
        ahead = self.get() - other.get()
        return ahead > 0 if self.bigger_is_better else ahead < 0

    def works_with(self, model: Any) -> bool:
        """Whether the model predicts row by row: whether it has ``predict_one``."""
        return hasattr(model, "predict_one")

    def clone(self) -> RunningMeasure:
        """The same measure without rows."""
        return RunningMeasure(self.measure, self.n_classes)

    def __repr__(self) -> str:
        return f"{self.name}: {format_number(self.get())}"

    def _view(self) -> View:
        return View(verdict=[f"{self!r} ({self.n:,} rows)"])

    def _tally(self, counts: dict[tuple[int, bool], int]) -> Tally:
        cells = sorted(counts)
        largest = max([2, self.n_classes or 0, *(size for size, _ in cells)])
        numbers = np.array([2 * size + hit for size, hit in cells], dtype=np.int64)
        totals = np.array([counts[cell] for cell in cells], dtype=np.int64)
        return Tally.of_sums(largest, CellSums(numbers, totals))


def _outcome(y_true: Any, y_pred: Any) -> tuple[int, bool]:
    """The size of the prediction, and whether it hits."""
    if y_pred is None:
        return 0, False
    if isinstance(y_pred, AbstractSet | list | tuple):
        members = set(y_pred)
        return len(members), y_true in members
    if isinstance(y_pred, dict):
        raise TypeError("y_pred must be a label or a set of labels, got probabilities (a dict)")
    return 1, bool(y_true == y_pred)
