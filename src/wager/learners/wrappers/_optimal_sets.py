"""Sets of greatest expected utility or least expected cost, from class probabilities."""

from __future__ import annotations

from typing import Any

from wager._typing import Bools
from wager.costs import SetRewards
from wager.credal import Search, optimal_sets
from wager.learners.wrappers._base import SetWrapper
from wager.rewards import UtilityLike, get_utility

__all__ = ["OptimalSets"]


class OptimalSets(SetWrapper):
    """Predict the set of greatest expected utility, or of least expected cost.

    The expected utility (or cost) of sets follows from the probabilities of the classifier, and the
    best set is searched row by row.

    Use it if your utility or your costs are known: no other sets earn more, if the probabilities
    are right.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.
    utility : str, float, callable or Utility, default="u65"
        The value of a hit by the size of the set, as in `get_utility`; not used with costs.
    costs : ExtendedCosts, CostMatrix or array-like of shape (K, K), optional
        Costs of sets; a matrix of costs of single classes is extended by its p-discounted means.
    search : {"auto", "exact", "contiguous", "greedy"}, default="auto"
        How the set is searched, as in `optimal_sets`.
    rewards : SetRewards, optional
        Rewards of sets that depend on the true class, instead of a utility or costs.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    ``predict`` returns the most probable class of the set, or with costs the cheapest one.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 9.3.

    Yang, Destercke & Masson (2017).

    Examples
    --------
    >>> from wager.learners import NaiveBayes
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["fog"]]
    >>> y = ["out", "out", "out", "in", "in", "in"]
    >>> OptimalSets(NaiveBayes()).fit(X, y).predict_set([["sun"], [None]]).tolist()
    [[False, True], [True, True]]
    >>> wet_is_bad = [[0, 1], [9, 0]]  # predicted in, out; true in, out
    >>> OptimalSets(NaiveBayes(), costs=wet_is_bad).fit(X, y).predict_set([[None]]).tolist()
    [[True, False]]
    """

    def __init__(
        self,
        estimator: Any,
        utility: UtilityLike = "u65",
        costs: Any = None,
        *,
        search: Search = "auto",
        rewards: SetRewards | None = None,
    ):
        self.estimator = estimator
        self.utility = utility
        self.costs = costs
        self.search = search
        self.rewards = rewards

    def _sets(self, X: Any) -> Bools:
        proba = self.predict_proba(X)
        sets = optimal_sets(
            proba,
            self.utility,
            self.costs,
            self.classes_,
            search=self.search,
            rewards=self.rewards,
        )
        return sets.to_indicator()

    def _check_arguments(self) -> None:
        if self.costs is None and self.rewards is None:
            get_utility(self.utility)
