"""The base class of nested dichotomies: intervals at splits, and decisions from them."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from math import nan
from typing import Any, Self, cast

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.validation import _num_samples

from wager._tables import BLOCK, Counts, read_table, real_numbers, row_blocks
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.credal import determinate_costs
from wager.learners._base import TableClassifier, check_single, check_strength
from wager.learners._robustness import RobustMixin
from wager.learners._set_valued import CostSensitiveMixin, single_class_costs
from wager.learners._strengths import FEW_PRIOR_ROWS, PRIOR_ROWS, Strength
from wager.learners.dichotomies._class_trees import ClassTree, sample_nominal, sample_ordinal
from wager.learners.dichotomies._credal import Credal
from wager.learners.dichotomies._decide import gains_of, maximal, weighted_mean
from wager.learners.dichotomies._explain import Dichotomy, DichotomyExplanation
from wager.learners.dichotomies._single_up_to import dichotomy_strengths
from wager.learners.dichotomies._split_models import (
    EstimatorSplitModels,
    NaiveSplitModels,
    SplitModels,
    Splits,
)
from wager.learners.wrappers import inner_tags
from wager.predictions import ProbabilityIntervals, check_functions

__all__ = ["DichotomiesBase"]


class DichotomiesBase(RobustMixin, CostSensitiveMixin, TableClassifier):
    """Base class of classifiers with intervals at splits: one tree, or a forest."""

    ordinal: bool
    s: float
    base: Any
    n_trees: int
    random_state: Any
    combine: str = "mean"

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Nominal features (categories, strings, or codes 0, 1, ...; missing is None, NaN, NA, or
            -1 among integers), or any input that ``base`` accepts.
        y : array-like of shape (n,)
            The class labels.
        """
        self._check_arguments()
        if self.base is None:
            table, codes = self._read_training(X, y)
            rows: Any = self.schema_.codes(table, known=True)
        else:
            (rows,) = indexable(X)
            codes = self._read_labels(y, read_table(self, rows, reset=True).shape[0])
        self._cost_matrix()  # raises an error now if the costs are for other classes
        self._learn(rows, codes)
        return self

    def predict_set(self, X: Any) -> Bools:
        """The undominated classes of each row, a boolean matrix with columns as ``classes_``.

        Class i dominates j if the lower expectation of (cost of j - cost of i) is positive.

        Parameters
        ----------
        X : table as for ``fit``
        """
        rows = self._rows(X)
        return np.concatenate([self._maximal(part) for part in self._parts(rows)])

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The lower and upper probability of each class.

        Parameters
        ----------
        X : table as for ``fit``
        """
        low, high = zip(*(self._bounds(part) for part in self._parts(self._rows(X))), strict=True)
        intervals = ProbabilityIntervals(np.concatenate(low), np.concatenate(high), self.classes_)
        return intervals.tighten()

    def predict_proba(self, X: Any) -> Floats:
        """A distribution of the credal set: it takes the middle of the interval at every split.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n, K), columns in the order of ``classes_``
        """
        proba = np.concatenate([self._centre(part) for part in self._parts(self._rows(X))])
        return proba / proba.sum(axis=1, keepdims=True)

    def robustness(self, X: Any) -> Floats:
        """The largest s at which the prediction of each row stays the same single class.

        The trees stay those that were chosen with the fitted ``s``; the intervals at all splits
        widen with s.  Needs ``base=None``: with a base classifier the strength is that of the base.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n,)
            0 where the prediction is not a single class at any s, however small; infinity where it
            is single at every s.
        """
        rows = self._rows(X)
        if not isinstance(self._split_models, NaiveSplitModels):
            raise ValueError(
                f"robustness needs base=None, but the intervals at the splits are those of "
                f"{type(self.base).__name__}, whose strength is its own: fit without base"
            )
        found = np.empty(len(rows))
        for part in row_blocks(len(rows), 4 * self._split_models.n_groups * max(1, rows.shape[1])):
            found[part] = dichotomy_strengths(
                self._split_models, rows[part], self._credals, self._maximal
            )
        return found

    def explain_set(self, x: Any) -> DichotomyExplanation:
        """Why one row has its predicted set: where two classes part, and how clearly.

        Parameters
        ----------
        x : table with one row

        Returns
        -------
        DichotomyExplanation
            ``print(str(...))`` says it in words; `plot_explanation` draws it.

        Examples
        --------
        >>> from wager.learners import NestedDichotomies
        >>> X = [["low"], ["low"], ["mid"], ["mid"], ["high"], ["high"]] * 3
        >>> y = ["a", "a", "b", "b", "c", "b"] * 3
        >>> found = NestedDichotomies((("a", "b"), "c")).fit(X, y).explain_set([["high"]])
        >>> one = found.decisive
        >>> found.pair, one.left, one.right, round(one.lower, 3), round(one.upper, 3)
        (('c', 'b'), ('a', 'b'), ('c',), 0.346, 0.735)
        """
        rows = self._rows(x)
        check_single(_num_samples(rows))
        lower, upper = self._split_models.bounds(rows)
        credals = self._credals(lower, upper)
        kept = self._maximal(credals)[0]
        strong = self.base is None
        known: dict[str, Any] = {
            "kept": self._labels(kept),
            "ruled_out": self._labels(~kept),
            "s": float(self.s) if strong else nan,
            "robustness": float(self.robustness(x)[0]) if strong else nan,
            "trees": int(self._weights.sum()),
            "with_costs": self.costs is not None,
            "votes": self.combine == "vote",
        }
        if len(kept) == 1:
            return DichotomyExplanation(
                **known, pair=(), margin=nan, dominating=0, dichotomies=(), in_a_cycle=False
            )
        costs, weights, vote = self._cost_matrix(), self._weights, self.combine == "vote"
        first = int(np.where(kept, self._centre(credals)[0] @ costs.T, np.inf).argmin())
        gains, wins = gains_of(first, credals, weights, costs)
        others = np.flatnonzero(kept if kept.sum() > 1 else ~kept)
        others = others[others != first]
        order = np.lexsort((gains[others], wins[others])) if vote else gains[others].argsort()
        second = int(others[order[0]])
        beaten = [
            2 * gains_of(c, credals, weights, costs)[1] > weights.sum()
            for c in range(len(kept) if vote and kept.all() else 0)
        ]
        return DichotomyExplanation(
            **known,
            pair=tuple(self.classes_[[first, second]].tolist()),
            margin=float(gains[second]),
            dominating=int(wins[second]),
            dichotomies=self._dichotomies(lower, upper, first, second),
            in_a_cycle=bool(beaten) and bool(np.any(beaten, axis=0).all()),
        )

    def _dichotomies(
        self, lower: Floats, upper: Floats, first: int, second: int
    ) -> tuple[Dichotomy, ...]:
        """The splits of the only row, each with the sets after a decision for a side."""
        splits = self._split_models.splits
        left, right, trees = splits.left, splits.right, self._split_counts()
        apart = (left[:, first] & right[:, second]) | (left[:, second] & right[:, first])
        chosen = self._shown_splits(apart, trees)
        bounds = [self._decided(lower, upper, k, share) for k in chosen for share in (1.0, 0.0)]
        low, high = (np.concatenate(part) for part in zip(*bounds, strict=True))
        sets = self._maximal(self._credals(low, high))
        return tuple(
            Dichotomy(
                self._labels(left[k]),
                self._labels(right[k]),
                float(lower[0, k]),
                float(upper[0, k]),
                int(trees[k]),
                self._labels(sets[2 * i]),
                self._labels(sets[2 * i + 1]),
            )
            for i, k in enumerate(chosen)
        )

    def _split_counts(self) -> Floats:
        """How many trees have each split."""
        return np.ones(len(self._split_models.splits))

    @abstractmethod
    def _shown_splits(self, apart: Bools, trees: Floats) -> Sequence[int]:
        """The splits that an explanation lists, in order.

        ``apart`` says which splits separate the pair that decides, ``trees`` how many trees have
        each of them.
        """

    def _decided(
        self, lower: Floats, upper: Floats, split: int, share: float
    ) -> tuple[Floats, Floats]:
        """The bounds if the left side of a split had this probability, 0 or 1."""
        lower, upper = lower.copy(), upper.copy()
        lower[:, split] = upper[:, split] = share
        return lower, upper

    def _labels(self, chosen: Bools) -> tuple[Any, ...]:
        return tuple(self.classes_[chosen].tolist())

    def lower_expectation(self, X: Any, f: ArrayLike) -> Floats:
        """The lower expectation of a function of the class, for each row.

        Parameters
        ----------
        X : table as for ``fit``
        f : array-like of shape (K,) or (m, K)
            One function or several; values in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n,) or (n, m)
        """
        rows = self._rows(X)
        functions = check_functions(f, (1, len(self.classes_)), per_row=False)
        parts = self._parts(rows, len(functions))
        values = np.concatenate([self._expectations(part, functions).T for part in parts])
        return values[:, 0] if np.ndim(f) == 1 else values

    def upper_expectation(self, X: Any, f: ArrayLike) -> Floats:
        """The upper expectation: minus the lower expectation of ``-f``."""
        return -self.lower_expectation(X, -real_numbers(f, "f"))

    _split_models: SplitModels
    _weights: Floats  # how often each distinct tree was drawn

    @abstractmethod
    def _learn(self, rows: Any, y: Ints) -> None:
        """Choose the trees, and learn a model for each of their splits."""

    @abstractmethod
    def _credals(self, lower: Floats, upper: Floats) -> list[Credal]:
        """The credal sets of each distinct tree, for rows with these intervals at the splits."""

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        if self.base is not None:
            return (Strength("s", FEW_PRIOR_ROWS, refit="with base, fit uses s"),)
        return (Strength("s", PRIOR_ROWS),)

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """The sets for several values of s, from the counts at the same splits."""
        rows, twin = self._rows(X), copy(self)
        fitted = cast(NaiveSplitModels, self._split_models)
        found = []
        for value in values:
            twin._split_models = NaiveSplitModels(fitted.counts, fitted.splits, float(value))
            found.append(np.concatenate([twin._maximal(part) for part in twin._parts(rows)]))
        return np.stack(found)

    def _learn_splits(self, rows: Any, y: Ints, splits: Splits) -> SplitModels:
        if self.base is not None:
            return EstimatorSplitModels.learn(self.base, rows, y, splits, float(self.s))
        counts = Counts.of(rows, y, self.n_values_, len(self.classes_))
        return NaiveSplitModels(counts, splits, float(self.s))

    def _sample(self, count: int) -> tuple[list[ClassTree], Floats]:
        """Distinct trees in the order of their first draw, and how often each was drawn."""
        rng = check_random_state(self.random_state)
        draw = sample_ordinal if self.ordinal else sample_nominal
        distinct: dict[bytes, ClassTree] = {}
        times: Counter[bytes] = Counter()
        for _ in range(count):
            tree = draw(len(self.classes_), rng)
            key = tree.sides.tobytes()
            distinct.setdefault(key, tree)
            times[key] += 1
        return list(distinct.values()), np.array([times[key] for key in distinct], dtype=float)

    def _rows(self, X: Any) -> Any:
        table = self._read_rows(X)
        return self.schema_.codes(table) if self.base is None else indexable(X)[0]

    def _parts(self, rows: Any, functions: int | None = None) -> Iterator[list[Credal]]:
        """The credal sets of the trees, some rows at a time."""
        for bounds in self._split_bounds(rows, functions):
            yield self._credals(*bounds)

    def _split_bounds(
        self, rows: Any, functions: int | None = None
    ) -> Iterator[tuple[Floats, Floats]]:
        """The intervals at all splits, for so few rows at a time that expectations stay in cache.

        ``functions`` is the number of expectations per row; by default one per pair of classes.
        """
        K = len(self.classes_)
        step = max(1, BLOCK // max(1, K * (K - 1) if functions is None else functions))
        for start in range(0, _num_samples(rows), step):
            yield self._split_models.bounds(_safe_indexing(rows, slice(start, start + step)))

    def _maximal(self, credals: Sequence[Credal]) -> Bools:
        return maximal(credals, self._weights, self._cost_matrix(), vote=self.combine == "vote")

    def _cost_matrix(self) -> Floats:
        """The cost of predicting a class (row) when another is true (column)."""
        matrix = determinate_costs(single_class_costs(self.costs), self.classes_)
        return 1.0 - np.eye(len(self.classes_)) if matrix is None else matrix

    def _expectations(self, credals: Sequence[Credal], functions: Floats) -> Floats:
        return weighted_mean([c.lower_expectation(functions) for c in credals], self._weights)

    def _bounds(self, credals: Sequence[Credal]) -> tuple[Floats, Floats]:
        low, high = zip(*(credal.bounds() for credal in credals), strict=True)
        return weighted_mean(low, self._weights), weighted_mean(high, self._weights)

    def _centre(self, credals: Sequence[Credal]) -> Floats:
        return weighted_mean([credal.centre() for credal in credals], self._weights)

    def _check_arguments(self) -> None:
        check_strength(self.s)
        if not (isinstance(self.n_trees, int | np.integer) and self.n_trees >= 1):
            raise ValueError(
                f"n_trees must be a whole number of at least 1, got {brief(self.n_trees)}"
            )
        if self.base is not None and not hasattr(self.base, "predict_credal"):
            raise ValueError(
                f"base must give probability intervals, but {type(self.base).__name__} has no "
                "predict_credal: wrap it in EnsembleCredal or CredalIntervals"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.base is not None:
            return inner_tags(tags, self.base)
        tags.input_tags.positive_only = True
        return tags
