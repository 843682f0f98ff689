"""The caution of a set-valued classifier, chosen for a user's utility or costs.

Yang, Destercke & Masson (2017, Section VII-C) choose the strength s of the naive credal classifier
by the average cost of its sets: with a larger s, first fewer predictions are wrong, then too many
are needlessly indeterminate.  Where the minimum lies differs between data sets and users, so they
suggest to find it by cross-validation.
"""

from __future__ import annotations

import warnings
from functools import reduce
from math import isfinite
from numbers import Real
from operator import add
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from wager._doc_links import DocumentedEstimator
from wager._tables import encode_labels, labels_for_fit, read_class_labels
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief, reason
from wager.learners.wrappers._caution_curve import CautionCurve
from wager.learners.wrappers._choose_strength import FoldSums, Rule, judged
from wager.learners.wrappers._find_strength import TunedParameter, find_parameter
from wager.learners.wrappers._inner import (
    adopt,
    inner_tags,
    innermost,
    input_of_innermost,
    new_copy,
    routed,
)
from wager.learners.wrappers._payoffs import Payoff, payoff_of
from wager.predictions import ProbabilityIntervals, explain_set, predict_set, robustness
from wager.rewards import UtilityLike, get_utility

__all__ = ["TunedCaution"]

HELD = 1 << 26  # flags of predicted sets (strengths x rows x classes) in memory at a time


def _has(method: str) -> Any:
    """Whether the estimator has a method: the fitted one, or the one that will be fitted."""

    def found(self: TunedCaution) -> bool:
        return hasattr(innermost(getattr(self, "estimator_", self.estimator)), method)

    return available_if(found)


class TunedCaution(DocumentedEstimator, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Choose how cautious a set-valued classifier is, for your utility or your costs.

    The strength of its caution is the one whose sets are worth most, or cost least, on rows that
    the model was not trained on: the s of credal classifiers, the alpha of conformal sets, the beta
    of nondeterministic classifiers, the threshold of rejection.

    Use it instead of the usual strength if you know what a set is worth to you.

    Parameters
    ----------
    estimator : set-valued classifier, or pipeline that ends in one
        It is cloned, never modified.
    utility : str, float, callable or Utility, default="u65"
        The value of a hit by the size of the set, as in `get_utility`; not used with costs.
    costs : ExtendedCosts, CostMatrix or array-like of shape (K, K), optional
        Costs of sets, to be as small as possible on average; a matrix of costs of single classes is
        extended by its p-discounted means.
    parameter : str, optional
        The parameter to choose, of the classifier or of the last step of a pipeline; also a path
        such as "estimator__s".  By default the one that usually sets the caution of the classifier.
    cv : int, splitter or iterable of splits, default=5
        The folds, as in scikit-learn: an int gives so many stratified folds.  For folds by groups
        pass the splits themselves, ``list(GroupKFold().split(X, y, groups))``; standard errors
        still take the rows as independent.
    strengths : array-like, optional
        The values to try.  By default about 50, or 10 where each is expensive, and the one that
        the estimator has.
    one_standard_error : bool, default=False
        Whether to choose the most cautious strength (the one with the largest sets) among those
        whose value is within one standard error of the best value.  Its larger sets claim less than
        those of the best strength, and the data hardly show that they are worth less.
    empty_cost : float, optional
        With costs: the cost of an empty set, for classifiers that may predict one.
    refit : bool, default=True
        Whether to fit the estimator on all rows with the chosen strength.  If not, there are no
        predictions.
    random_state : int, RandomState or None
        Shuffles the rows before they are split, if ``cv`` is an int.  None keeps their order.

    Attributes
    ----------
    estimator_ : classifier
        The clone with the chosen strength, fitted on all rows; it has made no use of the folds.
    best_strength_ : float
        The chosen strength.
    best_score_ : float
        Its mean utility or average cost on the rows of all folds.  It is too good to expect, since
        the strength was chosen on the same rows.
    honest_score_ : MeanEstimate or None
        The value to expect, with its interval: each fold is judged at the strength that the other
        folds choose.  None if folds share rows.
    curve_ : CautionCurve
        Value, standard error, set size and determinacy by strength, and the strengths that may be
        the best one (``curve_.plausible()``).
    parameter_ : str
        The parameter that was chosen, as for ``set_params``.
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    One model is fitted per fold, and only its decisions are made again for each strength: the
    counts of `NaiveCredal`, `CredalModelAveraging` and nested dichotomies, the probabilities of
    `Nondeterministic` and `Rejecting`, the members of `EnsembleCredal` and the calibration rows of
    `Conformal` are kept.  `LazyNaiveCredal` searches neighbours again, because neighbourhoods grow
    until one class is left.  Credal trees and forests, whose splits depend on s, the best one
    of several nested dichotomies, and classifiers of other libraries are fitted again for every
    strength: so the curve always shows what the refitted estimator does, and
    ``curve_.why_fitted_again`` says why.  Give a forest a ``random_state``, so that strengths are
    compared on the same random numbers.

    Of equally good strengths, the one nearest to that of the estimator is chosen.  A class that
    does not occur in the training rows of a fold is missed there.  Standard errors take the rows as
    independent; a row that is in several folds counts once.

    ``predict_set``, ``predict``, ``predict_proba``, ``predict_credal``, ``robustness`` and
    ``explain_set`` are those of ``estimator_``.

    References
    ----------
    Yang, G., Destercke, S. & Masson, M.-H. (2017). The costs of indeterminacy: how to determine
    them? IEEE Transactions on Cybernetics 47, Section VII-C.

    Lei, J. (2020). Cross-validation with confidence. Journal of the American Statistical
    Association 115.

    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and regression trees,
    Section 3.4.3, for the one-standard-error rule.

    Examples
    --------
    >>> from wager.learners import NaiveCredal
    >>> X = [["sun"], ["rain"], ["fog"]] * 18
    >>> y = ["out", "in", "in", "out", "in", "in", "out", "in", "out"] * 6
    >>> model = TunedCaution(NaiveCredal(), "u80", strengths=[1, 8, 30]).fit(X, y)
    >>> model.best_strength_  # in fog both classes are worth more than a guess
    8
    >>> model.predict_set([["sun"], ["fog"]]).tolist()
    [[False, True], [True, True]]
    >>> model.curve_.plausible().tolist()  # larger sets still are worth significantly less
    [1.0, 8.0]
    """

    estimator_: Any
    classes_: Array
    curve_: CautionCurve

    def __init__(
        self,
        estimator: Any,
        utility: UtilityLike = "u65",
        costs: Any = None,
        parameter: str | None = None,
        cv: Any = 5,
        *,
        strengths: ArrayLike | None = None,
        one_standard_error: bool = False,
        empty_cost: float | None = None,
        refit: bool = True,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.utility = utility
        self.costs = costs
        self.parameter = parameter
        self.cv = cv
        self.strengths = strengths
        self.one_standard_error = one_standard_error
        self.empty_cost = empty_cost
        self.refit = refit
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Choose the strength by cross-validation, and fit a clone with it.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        y : array-like of shape (n,)
            The class labels.
        **fit_params
            Passed on to the estimator's ``fit``; values that belong to rows are split like them.
        """
        self._check_arguments()
        X, y = indexable(X, labels_for_fit(y))
        codes, labels = read_class_labels(self, y, _num_samples(X))
        if not len(codes):
            raise ValueError("X and y have no rows: pass at least two, so that one can be judged")
        tuned = find_parameter(self.estimator, self.parameter)
        values = self._values(tuned)
        splits = self._splits(X, y, codes)
        folds = Folds(self, tuned, values, labels)
        results = [folds.judge(X, y, train, test, fit_params) for train, test in splits]
        self.parameter_ = tuned.path
        bounds = folds.bounds()
        rule = Rule(
            folds.payoff.greater_is_better,
            bool(self.one_standard_error),
            np.array(values, dtype=float),
            tuned.given,
        )
        self.curve_ = CautionCurve(
            parameter=tuned.name,
            objective=folds.payoff.name,
            unit=folds.payoff.unit,
            why_fitted_again=tuned.refit,
            **judged(rule, results, [test for _, test in splits], bounds),
        )
        self.honest_score_ = self.curve_.honest
        self.best_strength_ = values[self.curve_.chosen]
        self.best_score_ = float(self.curve_.value[self.curve_.chosen])
        self.classes_ = folds.labels
        self.__dict__.pop("estimator_", None)  # of an earlier fit
        if self.refit:
            chosen = new_copy(self.estimator).set_params(**{tuned.path: self.best_strength_})
            self.estimator_ = chosen.fit(X, y, **fit_params)
            adopt(self, self.estimator_)
        return self

    def predict_set(self, X: Any) -> Bools:
        """The classes kept for each row, a boolean matrix with columns as ``classes_``.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        """
        return predict_set(self._fitted(), X)

    def predict(self, X: Any) -> Array:
        """A single class for each row, that of the estimator.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        """
        return self._fitted().predict(X)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> Floats:
        """The class probabilities of the estimator, columns in the order of ``classes_``.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        """
        return self._fitted().predict_proba(X)

    @_has("predict_credal")
    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The probability intervals of the estimator.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        """
        fitted = self._fitted()
        return innermost(fitted).predict_credal(input_of_innermost(fitted, X))

    @_has("robustness")
    def robustness(self, X: Any, **options: Any) -> Floats:
        """The largest strength at which each prediction of the estimator stays a single class.

        Parameters
        ----------
        X : table
            Any input that the estimator accepts.
        **options
            Passed on, such as ``of="missing"``.
        """
        return robustness(self._fitted(), X, **options)

    @_has("explain_set")
    def explain_set(self, x: Any) -> Any:
        """Why one row has its predicted set, at the chosen strength.

        Parameters
        ----------
        x : table
            One row.
        """
        return explain_set(self._fitted(), x)

    def get_metadata_routing(self) -> Any:
        """What the estimator's ``fit`` asks for, as scikit-learn's ``MetadataRouter``."""
        return routed(self)

    def _fitted(self) -> Any:
        check_is_fitted(self)
        if not hasattr(self, "estimator_"):
            raise AttributeError(
                "there is no model of all rows, since refit=False: set refit=True to predict"
            )
        return self.estimator_

    def _values(self, tuned: TunedParameter) -> list[Any]:
        """The values to try, in ascending order."""
        if self.strengths is not None:
            return sorted(np.asarray(self.strengths).tolist())
        if not tuned.values:
            raise ValueError(
                f"there are no usual values of {tuned.path}: list the values to try in strengths="
            )
        given = tuned.given
        is_number = isinstance(given, Real) and isfinite(float(given))
        return sorted({*tuned.values, *([float(given)] if is_number else [])})

    def _splits(self, X: Any, y: Any, codes: Ints) -> list[tuple[Ints, Ints]]:
        cv, n = self.cv, _num_samples(X)
        if isinstance(cv, int | np.integer):
            largest = int(np.bincount(codes).max())
            if largest < cv:
                raise ValueError(
                    f"cv={cv} needs a class with at least {cv} rows, but with n_samples={n} the "
                    f"largest class has {largest}: choose a smaller cv, or give more rows"
                )
            if self.random_state is not None:
                cv = StratifiedKFold(int(cv), shuffle=True, random_state=self.random_state)
        with warnings.catch_warnings():  # a class with few rows is no problem here
            warnings.filterwarnings("ignore", message="The least populated class", module="sklearn")
            labels = y if hasattr(cv, "split") else codes  # a splitter of users may read y
            splitter = check_cv(cv, labels, classifier=True)
            if _needs_groups(splitter):
                name = type(splitter).__name__
                raise ValueError(
                    f"{name} needs the group of each row: pass its splits, "
                    "cv=list(splitter.split(X, y, groups))"
                )
            found = list(splitter.split(X, labels))
        if not found:
            raise ValueError("cv gives no split: pass a number of folds, or at least one split")
        indices = np.arange(n)  # splits may be masks
        try:
            return [(indices[train], indices[test]) for train, test in found]
        except IndexError as problem:
            raise ValueError(
                f"cv must give the numbers of rows from 0 to {n - 1}, or masks: {reason(problem)}"
            ) from None

    def _check_arguments(self) -> None:
        """Raise an error for impossible arguments, before anything is fitted."""
        if self.costs is None:
            get_utility(self.utility)
            if self.empty_cost is not None:
                raise ValueError("empty_cost= is the cost of an empty set: pass costs= as well")
        if isinstance(self.cv, int | np.integer) and self.cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {brief(self.cv)}")
        tuned = find_parameter(self.estimator, self.parameter)
        if self.strengths is None:
            self._values(tuned)
            return
        values = np.asarray(self.strengths)
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
            raise ValueError(
                f"strengths must list the values of {tuned.path} to try, "
                f"got {brief(self.strengths)}"
            )
        if not np.isfinite(values).all() or len(np.unique(values)) < len(values):
            raise ValueError(f"strengths must be different finite numbers, got {values.tolist()}")

    def __sklearn_tags__(self) -> Any:
        return inner_tags(super().__sklearn_tags__(), self.estimator)


def _needs_groups(splitter: Any) -> bool:
    """Whether a splitter of scikit-learn divides groups of rows."""
    if not hasattr(splitter, "get_metadata_routing"):
        return False
    return bool(splitter.get_metadata_routing().consumes("split", {"groups"}))


class Folds:
    """Judges all strengths on the rows of one fold after the other."""

    payoff: Payoff

    def __init__(
        self, owner: TunedCaution, tuned: TunedParameter, values: list[Any], labels: Array
    ):
        self.owner, self.tuned, self.values, self.labels = owner, tuned, values, labels

    def judge(self, X: Any, y: Any, train: Ints, test: Ints, fit_params: Any) -> FoldSums:
        """Fit on some rows, and sum up the values of the sets of the others."""
        params = _check_method_params(X, fit_params, indices=train)
        part = _safe_indexing(X, train), _safe_indexing(y, train)
        models = (
            []
            if self.tuned.refit is None
            else [
                new_copy(self.owner.estimator)
                .set_params(**{self.tuned.path: v})
                .fit(*part, **params)
                for v in self.values
            ]
        )
        model = models[0] if models else new_copy(self.owner.estimator).fit(*part, **params)
        if not hasattr(self, "payoff"):
            self._meet(np.asarray(model.classes_))
        codes, _ = encode_labels(_safe_indexing(y, test), self.labels, name="y")
        known = {label: j for j, label in enumerate(np.asarray(model.classes_).tolist())}
        columns = np.array([known.get(label, -1) for label in self.labels.tolist()], dtype=np.intp)
        parts = []
        step = max(1, HELD // (len(self.values) * max(1, len(known))))
        for start in range(0, len(test), step):
            rows = slice(start, start + step)
            sets = self._sets(models or [model], _safe_indexing(X, test[rows]))
            parts.append(self._sum_up(sets, columns, codes[rows]))
        return reduce(add, parts)

    def _meet(self, classes: Array) -> None:
        """Settle the order of the classes: the model's, if it knows all of them."""
        if np.isin(self.labels, classes).all():
            self.labels = classes
        owner = self.owner
        self.payoff = payoff_of(owner.utility, owner.costs, self.labels, owner.empty_cost)

    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest possible value of a row."""
        return self.payoff.bounds(len(self.labels))

    def _sets(self, models: list[Any], X: Any) -> Bools:
        """The sets of the rows at every strength, (S, n, K)."""
        if self.tuned.refit is not None:
            return np.stack([predict_set(model, X) for model in models])
        last, rows = innermost(models[0]), input_of_innermost(models[0], X)
        return last._sets_by_strength(rows, self.tuned.name, self.values)

    def _sum_up(self, sets: Bools, columns: Ints, codes: Ints) -> FoldSums:
        sizes = np.zeros(sets.shape[:2], dtype=np.min_scalar_type(sets.shape[2]))
        for k in range(sets.shape[2]):  # few classes: faster than a sum over the last axis
            sizes += sets[:, :, k]
        return FoldSums.of(self.payoff.of(sets, sizes, columns, codes), sizes)
