"""Scores of set-valued predictions: each one function of size and hit.

The formula is written once and serves the table, the row and the file of any length.  Where a
score says nothing about a prediction, as single accuracy about a set of two, it is NaN, and the
mean leaves that prediction out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager.rewards._count import size_and_hit_of
from wager.rewards._estimate import Estimate, estimate_mean
from wager.rewards._tally import Tally, utility_of
from wager.rewards._utility import rewards_of
from wager.rewards._utility_names import UtilityLike, get_utility


@dataclass(frozen=True)
class SetScore:
    """A score of set-valued predictions: the mean of a function of (size, hit).

    Parameters
    ----------
    name : str
        What a table calls it.
    function : callable
        Values from arrays of sizes and hits; NaN where the score does not apply.
    greater_is_better : bool, default=True
        Whether larger values are to be preferred.
    meaning : str, default=""
        One sentence for a person.
    largest_size : float, default=inf
        The size of the largest set that `function` takes.

    Examples
    --------
    >>> pairs = SetScore("pairs", lambda size, hit: (size == 2) * 1.0)
    >>> y, sets = [0, 1], np.array([[1, 1, 0], [0, 1, 0]], dtype=bool)
    >>> pairs(Tally.of(y, sets)), pairs.per_row(y, sets).tolist()
    (0.5, [1.0, 0.0])
    """

    name: str
    function: Callable[[Ints, Bools], Array]
    greater_is_better: bool = True
    meaning: str = field(default="", repr=False)
    largest_size: float = field(default=np.inf, repr=False)

    def __call__(self, tally: Tally) -> float:
        """The mean of the score over all predictions it applies to; NaN if there is none."""
        return self.estimate(tally).value

    def estimate(self, tally: Tally) -> Estimate:
        """The mean with its standard error and confidence interval."""
        tally.require_rows()
        size, hit, count = tally.cells
        values = np.asarray(self.function(size, hit), dtype=np.float64)
        return estimate_mean(
            np.broadcast_to(values, size.shape),
            count,
            tally.effective_n,
            may_be_proportion=self._most(tally.n_classes) <= 1,
        )

    def _most(self, n_classes: int) -> float:
        """The largest value that any prediction can have."""
        sizes = np.arange(min(n_classes, self.largest_size) + 1, dtype=np.intp)
        values = [self.function(sizes, np.full(len(sizes), hit)) for hit in (False, True)]
        # fmax passes over NaN, which a score is where it does not apply.
        return float(np.fmax.reduce(np.ravel(values).astype(np.float64), initial=-np.inf))

    def per_row(self, y_true: ArrayLike, sets: Any, classes: ArrayLike | None = None) -> Floats:
        """The score of every prediction."""
        _, size, hit = size_and_hit_of(y_true, sets, classes)
        values = np.asarray(self.function(size, hit), dtype=np.float64)
        return np.broadcast_to(values, size.shape).copy()


def _where(applies: Bools, values: Array) -> Floats:
    return np.where(applies, values, np.nan)


def utility_score(utility: UtilityLike) -> SetScore:
    """The score whose mean is utility-discounted accuracy, for any utility.

    Examples
    --------
    >>> utility_score("u65")(Tally.of([0], [[True, True]]))
    0.65
    """
    u = get_utility(utility)
    meaning = "the worth of a prediction: utility of 1/size for a hit, of 0 for a miss"
    return SetScore(
        u.name, lambda size, hit: utility_of(u, size, hit), True, meaning, u.largest_size
    )


def mic(n_classes: int) -> SetScore:
    """Mean information of a prediction: log(K/size) for a hit, -log(K)/(K - 1) for a miss."""
    loss = np.log(n_classes) / max(n_classes - 1, 1)
    return SetScore("MIC", lambda size, hit: _information(size, hit, n_classes, loss))


def mip(n_classes: int, a: float = 0.0) -> SetScore:
    """Like MIC with a miss charged (1 + a) log K: -1 forgives it, 0 takes all back."""
    loss = (1 + a) * np.log(n_classes)
    return SetScore(f"MIP({a:g})", lambda size, hit: _information(size, hit, n_classes, loss))


def _information(size: Ints, hit: Bools, n_classes: int, loss: float) -> Floats:
    return np.where(hit, np.log(n_classes / np.maximum(size, 1)), -loss)


# Every plain score by the name of its function in `wager.metrics`.
SET_SCORES: dict[str, SetScore] = {
    "discounted_accuracy": SetScore(
        "discounted accuracy",
        rewards_of,
        meaning="1/size for a set that holds the true class, 0 for one that does not",
    ),
    "coverage": SetScore(
        "coverage", lambda size, hit: hit * 1.0, meaning="how often the set holds the true class"
    ),
    "determinacy": SetScore(
        "determinacy", lambda size, hit: (size == 1) * 1.0, meaning="how often one class is named"
    ),
    "single_accuracy": SetScore(
        "single accuracy",
        lambda size, hit: _where(size == 1, hit),
        meaning="how often the class is right where only one is named",
    ),
    "set_accuracy": SetScore(
        "set accuracy",
        lambda size, hit: _where(size > 1, hit),
        meaning="how often a set of two or more classes holds the true one",
    ),
    "mean_set_size": SetScore(
        "mean set size",
        lambda size, hit: size * 1.0,
        greater_is_better=False,
        meaning="how many classes are named on average",
    ),
    "indeterminate_set_size": SetScore(
        "indeterminate set size",
        lambda size, hit: _where(size > 1, size),
        greater_is_better=False,
        meaning="how many classes are named on average where it is more than one",
    ),
    "empty_rate": SetScore(
        "empty rate",
        lambda size, hit: (size == 0) * 1.0,
        greater_is_better=False,
        meaning="how often no class is named at all",
    ),
}
