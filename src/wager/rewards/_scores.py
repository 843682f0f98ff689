"""Scores of set-valued predictions: each is a function of the set's size and of whether it hit.

The formula is written once and serves tallies, single rows and files of any length.  Where a
score does not apply to a prediction, as single accuracy to a set of two classes, it is NaN, and
the mean leaves that prediction out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from textwrap import dedent, indent
from typing import Any, Protocol, cast

import numpy as np

from wager._tables import check_weights, require_kind, require_whole
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.predictions import align, as_sets, size_and_hit
from wager.rewards._count import require_rows
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._human_utility import HumanUtility
from wager.rewards._measure import Measure
from wager.rewards._tally import Tally, utility_of
from wager.rewards._utility import Utility
from wager.rewards._utility_names import UtilityLike, get_utility


@dataclass(frozen=True, repr=False)
class SetScore(Measure):
    """A score of set-valued predictions: the mean of a function of (size, hit).

    Parameters
    ----------
    name : str
        Its name in tables and, with underscores for spaces, in `SET_SCORES`.
    function : callable
        Computes values from arrays of sizes and hits; NaN where the score does not apply.
    greater_is_better : bool, default=True
        Whether larger values are better.
    meaning : str, default=""
        What it is, in one sentence.
    largest_size : float, default=inf
        The size of the largest set that `function` accepts.
    needs_n_classes : bool, default=False
        Whether `function` takes the number of classes as a third argument.
    measures_size : bool, default=False
        Whether the score grows with the size of the set.  Its interval then allows for sets that
        are one class larger than the largest observed one; intervals of other scores allow for
        every possible prediction.
    example : str, default=""
        An example for the docstring of the score's function in `wager.metrics`.
    formula, use, source, range, kind, needs_truth, aliases, title, of_tally
        As in `Measure`.

    Examples
    --------
    >>> pairs = SetScore("pairs", lambda size, hit: (size == 2) * 1.0)
    >>> y, sets = [0, 1], np.array([[1, 1, 0], [0, 1, 0]], dtype=bool)
    >>> pairs(Tally.of(y, sets)), pairs.per_row(y, sets).tolist()
    (0.5, [1.0, 0.0])
    """

    function: Callable[..., Array]
    greater_is_better: bool = True
    largest_size: float = np.inf
    needs_n_classes: bool = field(default=False, kw_only=True)
    measures_size: bool = field(default=False, kw_only=True)
    example: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise TypeError(f"the score {self.name!r} needs a function of sizes and hits")

    def __call__(self, tally: Tally) -> float:
        """The mean of the score over all predictions it applies to; NaN if there are none."""
        return self.estimate(tally).value

    @property
    def is_read_off_tallies(self) -> bool:
        """Always true: sizes and hits are what a tally counts."""
        return True

    @property
    def metric(self) -> SetMetric | SizeMetric:
        """The score as a function in scikit-learn's argument order."""
        return set_metric(self) if self.needs_truth else size_metric(self)

    def estimate(self, tally: Tally) -> Estimate:
        """The mean with its standard error and confidence interval."""
        require_kind(tally, "tally", Tally)
        tally.require_rows()
        size, hit, _ = tally.cells
        low, high = self.range_beyond(int(size.max()), tally.n_classes)
        return estimate_mean(self.values(size, hit, tally.n_classes), tally.sums, low, high)

    def values(self, size: Ints, hit: Bools, n_classes: int) -> Floats:
        """The score of predictions with these sizes and hits, over so many classes."""
        given = (size, hit, n_classes) if self.needs_n_classes else (size, hit)
        values = np.asarray(self.function(*given), dtype=np.float64)
        return np.broadcast_to(values, np.shape(size))

    def per_row(self, y_true: ArrayLike, sets: Any, classes: ArrayLike | None = None) -> Floats:
        """The score of every prediction."""
        codes, known = align(y_true, sets, classes)
        size, hit = size_and_hit(codes, known)
        return self.values(size.astype(np.intp), hit, len(known.classes)).copy()

    def range_beyond(self, observed: int, n_classes: int) -> tuple[float, float]:
        """The range of the score for an interval, if the largest set has so many classes."""
        n_classes = require_whole(n_classes, "n_classes")
        largest = require_whole(observed, "observed") + 1 if self.measures_size else n_classes
        return self._range(min(largest, n_classes), n_classes)

    def _range(self, largest: int, n_classes: int) -> tuple[float, float]:
        """The smallest and the largest value of predictions with up to so many classes."""
        sizes = np.arange(min(largest, self.largest_size) + 1, dtype=np.intp)
        # an empty set cannot hit, and the set of all classes cannot miss
        possible = [(sizes[sizes < n_classes], False), (sizes[1:], True)]
        values = np.concatenate(
            [self.values(s, np.full(len(s), hit), n_classes) for s, hit in possible]
        )
        values = values[~np.isnan(values)]  # the score does not apply to these predictions
        return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


class SetMetric(Protocol):
    """A score as a function of true classes and predicted sets."""

    __name__: str
    score: SetScore

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: Any,
        *,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> float:
        """The mean score of the predictions."""


class SizeMetric(Protocol):
    """A score as a function of the predicted sets alone, of which it needs only the sizes."""

    __name__: str
    score: SetScore

    def __call__(
        self,
        y_pred: Any,
        *,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> float:
        """The mean score of the predictions."""


@cache
def set_metric(score: SetScore) -> SetMetric:
    """The score as a function of ``(y_true, y_pred)``, with a docstring from its record."""

    def metric(
        y_true: ArrayLike,
        y_pred: Any,
        *,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> float:
        return score(Tally.of(y_true, y_pred, classes, sample_weight))

    return cast(SetMetric, _described(metric, score))


@cache
def size_metric(score: SetScore) -> SizeMetric:
    """The score as a function of ``y_pred``, for scores that need no true classes."""

    def metric(
        y_pred: Any,
        *,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> float:
        sets = as_sets(y_pred, classes)
        weights = check_weights(sample_weight, len(sets))
        require_rows(len(sets))
        counts = np.bincount(sets.sizes, weights=weights)
        size = np.flatnonzero(counts)
        values = score.values(size, np.zeros(len(size), dtype=bool), len(sets.classes))
        defined = ~np.isnan(values)
        if not defined.any():
            return float("nan")
        return float(np.average(values[defined], weights=counts[size][defined]))

    return cast(SizeMetric, _described(metric, score))


def _described(metric: Callable[..., float], score: SetScore) -> Any:
    """Give a function the name and the documentation of its score."""
    function: Any = metric
    function.__name__ = function.__qualname__ = score.name.replace(" ", "_")
    function.__module__ = "wager.metrics"  # where it can be imported from, also by pickle
    function.__doc__ = _docstring(score)
    function.score = score
    return function


def _docstring(score: SetScore) -> str:
    """Documentation in the numpydoc format, from the record."""
    truth = "y_true : array-like of shape (n,)\n    The true classes.\n"
    remarks = [f"Formula: {score.formula}." if score.formula else "", score.use]
    remarks.append(f"Source: {score.source}." if score.source else "")
    parts = [
        score.meaning,
        "\n\n".join(text for text in remarks if text),
        _PARAMETERS.format(truth=truth if score.needs_truth else ""),
        "Returns\n-------\nfloat",
        f"Examples\n--------\n{score.example}" if score.example else "",
    ]
    text = "\n\n".join(part.strip() for part in parts if part)
    return indent(text, "    ").strip() + "\n    "


_PARAMETERS = dedent("""
    Parameters
    ----------
    {truth}y_pred : array-like of shape (n, K) or anything `wager.as_sets` takes
        The predicted sets: a boolean matrix, lists of labels, single labels, ...
    sample_weight : array-like of shape (n,), optional
        A weight for each row.
    classes : array-like of shape (K,), optional
        The classes, in the order of the columns of `y_pred`.
""")


def utility_score(utility: UtilityLike) -> SetScore:
    """The score whose mean is utility-discounted accuracy, for any utility.

    Examples
    --------
    >>> utility_score("u65")(Tally.of([0], [[True, True]]))
    0.65
    """
    u = get_utility(utility)
    meaning = "The worth of a prediction: utility of 1/size for a hit, of 0 for a miss."
    return UtilityScore(u.name, partial(utility_of, u), True, meaning, u.largest_size, utility=u)


@dataclass(frozen=True, repr=False)
class UtilityScore(SetScore):
    """The score of a utility, whose own uncertainty belongs to the mean if it was measured."""

    utility: Utility | None = field(default=None, kw_only=True)

    def estimate(self, tally: Tally) -> Estimate:
        """The mean with its standard error and confidence interval."""
        mean = super().estimate(tally)
        return mean if self.utility is None else self.utility.with_own_error(mean, tally.hit_shares)


def human_score(person: HumanUtility, name: str = "value with a person") -> SetScore:
    """The exact value of handing sets to a person: asking about a set that misses costs as much.

    As a utility, a miss has one value, whatever the size of the set.  This score charges the cost
    of asking for every set that is handed over, whether it contains the true class or not.

    Parameters
    ----------
    person : HumanUtility
        The accuracies and the cost, from `human_utility`.
    name : str
        The name of the score.

    Examples
    --------
    >>> from wager.rewards import human_utility
    >>> person = human_utility({2: 0.9}, n=100, cost=0.1)
    >>> tally = Tally.of(["a", "b", "c"], [["a"], ["a", "b"], ["a", "b"]], classes=list("abc"))
    >>> round(tally.score(human_score(person)).value, 4)  # (1 + 0.8 - 0.1) / 3
    0.5667
    """
    require_kind(person, "person", HumanUtility)
    return UtilityScore(
        name,
        person.of_size_and_hit,
        meaning="The value of sets from which a person chooses: accuracy minus cost.",
        largest_size=person.largest_size,
        utility=person,
    )
