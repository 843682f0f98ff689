"""The naive credal classifier: naive Bayes with a set of priors, which may leave several classes.

Zaffalon (1999, 2001); NCC2 for missing values: Corani & Zaffalon (2008); posterior intervals and
costs: Yang, Destercke & Masson (2017).
"""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

from wager._tables import Counts
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.credal import decide, reject_credal
from wager.learners._base import CategoricalClassifier
from wager.learners._set_valued import SetValuedMixin
from wager.learners.naive._bayes import NaiveBayes
from wager.learners.naive._intervals import LocalModel
from wager.learners.naive._ratio import Dominance
from wager.learners.naive._variants import Conservative, Contaminated
from wager.predictions import ProbabilityIntervals

__all__ = ["NaiveCredal"]

LEAST_STRENGTH = 1e-9  # stands for s = 0 where a distribution is asked for


class _Model(Protocol):
    def undominated(self, codes: Ints) -> Bools: ...

    def log_infimum(self, codes: Ints) -> Floats: ...


class NaiveCredal(SetValuedMixin, CategoricalClassifier):
    """Keep every class that is the most probable one for some prior of the set.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the imprecise Dirichlet model: how many rows the prior is worth.  Larger is more
        cautious; 0 is the maximum-likelihood naive Bayes, with ties kept.
    idm : {"global", "local", "intervals"}, default="global"
        "global" tests credal dominance exactly under one model of the joint distribution.  "local"
        gives the class and every conditional a model of its own (closed form, wider sets).
        "intervals" decides by maximality from the posterior intervals of ``predict_credal``, with
        any ``costs``.
    missing : {"mar", "conservative"}, default="mar"
        Missing values are missing at random and left out, or for unknown reasons: then a class must
        dominate for every completion (NCC2).
    nonmar : array-like of bool or int, optional
        With "conservative", the features that it is about; all by default.
    epsilon : float or array-like of shape (m,), default=0.0
        Restricts the priors, so that one zero count does not forbid all dominance.
    epsilon_model : {"floor", "contamination"}, default="floor"
        How: a floor under the counts, or a share of the uniform prior.
    unseen : {"zero", "missing", "error"}, default="zero"
        A value that training did not see has count zero, or is left out, or is refused.
    reject : float, optional
        Name all classes unless the largest lower probability exceeds this (Zaffalon, Corani & Mauá,
        2012, Section 9.4).
    reject_group : bool, default=False
        Instead of naming all, add classes until the set's lower probability exceeds ``reject``.
    costs : CostMatrix or array-like of shape (K, K), optional
        With ``idm="intervals"``: the cost of predicting a class (row) when one is true (column).
    classes, n_values, empty_classes
        Declared classes and numbers of values, and what becomes of a declared class without a row.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    counts_ : Counts
        The training counts, all that the model needs.

    Notes
    -----
    ``predict_proba`` is the posterior under the Perks prior, the centre of the set of priors, and
    ``predict`` its most probable class within the set.

    Examples
    --------
    >>> X = [["sunny"], ["sunny"], ["sunny"], ["rainy"], ["rainy"], ["foggy"]]
    >>> model = NaiveCredal().fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> model.predict_set([["sunny"], ["rainy"], ["foggy"], [None]]).tolist()
    [[False, True], [True, False], [True, True], [True, True]]
    >>> model.classes_.tolist()  # one foggy row says too little, a missing value nothing
    ['in', 'out']
    """

    def __init__(
        self,
        s: float = 1.0,
        idm: str = "global",
        missing: str = "mar",
        epsilon: float | ArrayLike = 0.0,
        epsilon_model: str = "floor",
        unseen: str = "zero",
        reject: float | None = None,
        *,
        reject_group: bool = False,
        nonmar: ArrayLike | None = None,
        costs: Any = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.idm = idm
        self.missing = missing
        self.epsilon = epsilon
        self.epsilon_model = epsilon_model
        self.unseen = unseen
        self.reject = reject
        self.reject_group = reject_group
        self.nonmar = nonmar
        self.costs = costs
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, codes: Ints, y: Ints) -> None:
        self._take_counts(Counts.of(codes, y, self.schema_.n_values, len(self.classes_)))

    def fit_counts(self, counts: Counts, classes: ArrayLike | None = None) -> Self:
        """Learn from counts alone; rows to predict must then be codes."""
        self.classes_ = np.arange(len(counts.classes)) if classes is None else np.asarray(classes)
        self._declare_codes(counts.n_values)
        self._take_counts(counts)
        return self

    def predict_set(self, X: Any) -> Bools:
        """The undominated classes of each row, a boolean matrix with columns as ``classes_``."""
        codes = self._known_codes(X)
        if self.idm == "intervals":
            sets = decide(self._intervals(codes), "maximality", self.costs).to_indicator()
        else:
            sets = self._model.undominated(codes)
        if self.reject is None:
            return sets
        kept = reject_credal(self._intervals(codes), sets, self.reject, group=self.reject_group)
        return kept.to_indicator()

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """Posterior probability intervals of the classes, an outer bound under the global model."""
        return self._intervals(self._known_codes(X))

    def predict_proba(self, X: Any) -> Floats:
        """The posterior under the Perks prior, the centre of the set of priors."""
        codes = self._known_codes(X)
        return self._centre.predict_proba(codes)

    def log_dominance(self, X: Any) -> Floats:
        """The logarithm of the least ratio P(c1|x)/P(c2|x), ``[row, c1, c2]``.

        Positive where c1 dominates c2; minus infinity where the ratio can be 0, NaN for c1 = c2.
        """
        if self.idm == "intervals":
            raise ValueError("posterior intervals have no ratios: take idm='global' or 'local'")
        codes = self._known_codes(X)
        return self._model.log_infimum(codes)

    def _take_counts(self, counts: Counts) -> None:
        self._check_arguments(len(counts.n_values))
        self.counts_ = counts
        self._model = self._make_model()
        self._local = LocalModel(counts, float(self.s), self._contamination)
        self._centre = NaiveBayes(
            "perks", max(float(self.s), LEAST_STRENGTH), categorical_features="all"
        ).fit_counts(counts, self.classes_)

    def _make_model(self) -> _Model:
        s = float(self.s)
        if self.idm == "local":
            return LocalModel(self.counts_, s, self._contamination)
        if self.missing == "conservative":
            return Conservative(self.counts_, s, self._unknown_features())
        if self.epsilon_model == "contamination" and np.any(np.asarray(self.epsilon) > 0):
            return Contaminated(self.counts_, s, self._contamination)
        return Dominance(self.counts_, s, float(np.asarray(self.epsilon)))

    @property
    def _contamination(self) -> float | Floats:
        if self.epsilon_model == "floor":
            return 0.0
        epsilon = np.asarray(self.epsilon, dtype=float)
        return float(epsilon) if epsilon.ndim == 0 else epsilon

    def _intervals(self, codes: Ints) -> ProbabilityIntervals:
        lower, upper = self._local.intervals(codes)
        return ProbabilityIntervals(lower, upper, self.classes_).tighten()

    def _known_codes(self, X: Any) -> Ints:
        """The rows as codes, with values that training did not see treated as ``unseen`` says."""
        codes = self._codes(X)
        if self.unseen == "zero":
            return codes
        strange = codes == self.n_values_
        if self.unseen == "missing":
            return np.where(strange, -1, codes).astype(codes.dtype)
        if strange.any():
            row, column = np.argwhere(strange)[0]
            raise ValueError(
                f"row {row} holds a value in column {column} that training did not see: declare "
                "it, or take unseen='zero' or 'missing'"
            )
        return codes

    def _unknown_features(self) -> Bools:
        m = len(self.counts_.n_values)
        if self.nonmar is None:
            return np.ones(m, dtype=bool)
        chosen = np.asarray(self.nonmar)
        if chosen.dtype.kind == "b":
            if chosen.shape != (m,):
                raise ValueError(
                    f"nonmar as a mask has one entry a feature, {m}, got {chosen.shape}"
                )
            return chosen
        mask = np.zeros(m, dtype=bool)
        mask[chosen.astype(int)] = True
        return mask

    def _check_arguments(self, n_features: int) -> None:
        if not 0 <= self.s < np.inf:
            raise ValueError(f"s must be a number of rows, 0 or more, got {self.s!r}")
        for name, value, known in (
            ("idm", self.idm, ("global", "local", "intervals")),
            ("missing", self.missing, ("mar", "conservative")),
            ("epsilon_model", self.epsilon_model, ("floor", "contamination")),
            ("unseen", self.unseen, ("zero", "missing", "error")),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
        epsilon = np.asarray(self.epsilon, dtype=float)
        if not ((epsilon >= 0) & (epsilon < 1)).all():
            raise ValueError(f"epsilon is a share, from 0 to below 1, got {self.epsilon!r}")
        if epsilon.ndim and (self.epsilon_model == "floor" or epsilon.shape != (n_features,)):
            raise ValueError(
                "an epsilon for each feature goes with epsilon_model='contamination', "
                f"{n_features} of them"
            )
        if self.epsilon_model == "floor" and epsilon >= 0.5:
            raise ValueError(f"a floor epsilon must be below 0.5, got {self.epsilon!r}")
        if self.missing == "conservative" and (self.idm != "global" or epsilon.any()):
            raise ValueError("missing='conservative' goes with idm='global' and epsilon=0")
        if self.costs is not None and self.idm != "intervals":
            raise ValueError("costs are taken into account with idm='intervals': set that as well")
