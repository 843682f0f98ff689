"""Set-valued predictions from any classifier with ``predict_proba``.

Three ways to turn one distribution into a set: the set of greatest expected F measure (del Coz &
Bahamonde, 2009; Zaffalon, Corani & Mauá, 2012, Section 9.3), that of greatest expected utility or
least expected cost, and the single best class unless it is too improbable (Chow, 1970; Section
9.4).
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from wager._typing import Bools
from wager.credal import Search, optimal_sets, reject, reject_credal
from wager.learners.wrappers._base import SetWrapper, innermost, seen_by
from wager.rewards import FBeta, UtilityLike, get_utility

__all__ = ["Nondeterministic", "OptimalSets", "Rejecting"]


class Nondeterministic(SetWrapper):
    """Predict the set of classes with the greatest expected F measure.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.
    beta : float, default=1.0
        How much a hit counts beside a small set: 0 always names one class, larger is more cautious.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    A set of k classes that holds the true one earns ``(1 + beta^2) / (beta^2 + k)``, so the best
    set is a head of the sorted probabilities (del Coz & Bahamonde, 2009).  ``predict`` names the
    most probable class.

    Examples
    --------
    >>> from wager.learners import NaiveBayes
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["fog"]]
    >>> model = Nondeterministic(NaiveBayes()).fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> model.predict_set([["sun"], [None]]).tolist()  # of the second nothing is known
    [[False, True], [True, True]]
    """

    def __init__(self, estimator: Any, beta: float = 1.0):
        self.estimator = estimator
        self.beta = beta

    def predict_set(self, X: Any) -> Bools:
        """The best set of each row, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        proba = self.predict_proba(X)
        return optimal_sets(proba, FBeta(self.beta), classes=self.classes_).to_indicator()

    def _check_arguments(self) -> None:
        FBeta(self.beta)


class OptimalSets(SetWrapper):
    """Predict the set of greatest expected utility, or of least expected cost.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        It is cloned, never modified.
    utility : str, float, callable or Utility, default="u65"
        What a hit is worth by the size of the set, as `get_utility` takes it; not used with costs.
    costs : ExtendedCosts, CostMatrix or array-like of shape (K, K), optional
        Costs of sets; a matrix of costs of single classes is extended by its p-discounted means.
    search : {"auto", "exact", "contiguous", "greedy"}, default="auto"
        How the set is looked for, as in `optimal_sets`.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    ``predict`` names the class of the set that is most probable, or cheapest if there are costs.

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
    ):
        self.estimator = estimator
        self.utility = utility
        self.costs = costs
        self.search = search

    def predict_set(self, X: Any) -> Bools:
        """The best set of each row, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        proba = self.predict_proba(X)
        sets = optimal_sets(proba, self.utility, self.costs, self.classes_, search=self.search)
        return sets.to_indicator()

    def _check_arguments(self) -> None:
        if self.costs is None:
            get_utility(self.utility)


class Rejecting(SetWrapper):
    """Name all classes where none is probable enough.

    Parameters
    ----------
    estimator : classifier with ``predict_proba`` or ``predict_credal``
        It is cloned, never modified.
    threshold : float in [0, 1]
        A prediction stands when the largest probability is at least this; with cost 1 for an error
        and d for rejecting, ``1 - d``.  The prediction of an estimator with ``predict_credal``
        stands when the largest lower probability exceeds this.
    group : bool, default=False
        Of an estimator with ``predict_credal``: instead of naming all classes, add classes until
        the lower probability of the set exceeds the threshold.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    Chow (1970); the credal forms: Zaffalon, Corani & Mauá (2012), Section 9.4.  ``predict`` names
    the most probable class of the set.

    Examples
    --------
    >>> from wager.learners import NaiveBayes
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["fog"]]
    >>> model = Rejecting(NaiveBayes(), 0.7).fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> model.predict_set([["sun"], ["fog"]]).tolist()
    [[False, True], [True, True]]
    """

    def __init__(self, estimator: Any, threshold: float, *, group: bool = False):
        self.estimator = estimator
        self.threshold = threshold
        self.group = group

    def predict_set(self, X: Any) -> Bools:
        """The accepted sets, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table as the estimator takes it
        """
        check_is_fitted(self)
        inner = innermost(self.estimator_)
        if not hasattr(inner, "predict_credal"):
            return reject(self.predict_proba(X), self.threshold, self.classes_).to_indicator()
        rows = seen_by(self.estimator_, X)
        sets, credal = inner.predict_set(rows), inner.predict_credal(rows)
        return reject_credal(credal, sets, self.threshold, group=self.group).to_indicator()

    def _check_arguments(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be a probability, 0 to 1, got {self.threshold!r}")

    def _check_fitted_estimator(self) -> None:
        super()._check_fitted_estimator()
        if self.group and not hasattr(innermost(self.estimator_), "predict_credal"):
            raise ValueError(
                "group=True adds classes by their lower probabilities, but "
                f"{type(self.estimator).__name__} has no predict_credal: leave it out"
            )
