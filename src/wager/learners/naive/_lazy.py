"""The lazy naive credal classifier: naive credal dominance among a row's neighbours.

Corani & Zaffalon (2009).  Near the row to classify, the features are almost independent given the
class, as the model assumes.  So only the nearest training rows are counted, as many as are needed
to leave a single class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from wager._tables import real_number
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.learners._base import (
    LEAST_STRENGTH,
    CategoricalClassifier,
    check_option,
    check_strength,
    normalise_logs,
    one_row,
)
from wager.learners._robustness import CodedRobustnessMixin
from wager.learners._set_valued import CodedSetsMixin
from wager.learners._strengths import FEW_PRIOR_ROWS, Strength
from wager.learners._threads import in_threads, number_of_threads
from wager.learners.naive._distances import Overlap, ValueDifferences
from wager.learners.naive._explain import RatioExplanation, explain_row, naive_terms
from wager.learners.naive._intervals import posterior_intervals
from wager.learners.naive._row_counts import RowCountsByClass
from wager.learners.naive._single_up_to import global_strengths
from wager.predictions import ProbabilityIntervals

__all__ = ["LazyNaiveCredal"]

BLOCK = 1 << 20  # number of counts that the neighbourhoods of a block of rows may take


class LazyNaiveCredal(CodedRobustnessMixin, CodedSetsMixin, CategoricalClassifier):
    """Naive credal classifier on the nearest training rows, and on more until one class is left.

    The rows nearest to the new one train a naive credal classifier; if it keeps several classes,
    more rows are added.

    Use it if features depend on each other, which matters less among similar rows, and predictions
    may take longer.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the imprecise Dirichlet model: how many rows the prior is worth.
    k : int, default=25
        Size of the first neighbourhood; rows at the distance of its last row are added.
    step : int, default=20
        How many rows are added, with all rows at the distance of the last one, while several
        classes remain.
    max_tries : int, default=50
        Largest number of neighbourhoods that are tried.
    weights : {"uniform", "linear"}, default="uniform"
        With "linear", near rows count more than far ones: the weight decreases linearly with the
        distance, to almost 0 for the farthest row of the neighbourhood.
    metric : {"overlap", "mvdm"}, default="overlap"
        How far two rows are from each other: in how many features they differ, or by the modified
        value difference metric, which compares the class frequencies of their values.
    published : bool, default=False
        Never use the farthest training row, like the program behind the published tables (Zaffalon,
        Corani & Mauá, 2012).
    n_jobs : int, optional
        Number of threads; 1 by default, -1 for all processors.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.

    Notes
    -----
    The overlap distance of two rows is the number of features in which they differ; a value that is
    missing in one of them counts as different.  The modified value difference metric is
    ``d(x, z) = sum_j sum_c |P(c | x_j) - P(c | z_j)|`` with relative frequencies in all training
    rows (Cost & Salzberg, 1993); a value that is missing, or that no training row has, is as far as
    two different values of the feature are on average.

    Linear weights are ``1.0001 - d / d_max`` with ``d_max`` the largest distance in the
    neighbourhood, scaled to sum to its number of rows, and computed anew when it grows (Frank, Hall
    & Pfahringer, 2003).  For "overlap", d is then the square root of the number of differing
    features, their Euclidean distance.  Weighted counts are not rounded.

    ``predict_proba`` is the posterior under the Perks prior
    within the last neighbourhood, ``predict_credal`` bounds the posterior there, and ``predict``
    returns the most probable class of the set.  ``robustness`` keeps the last neighbourhood of each
    row, which was found with the fitted ``s``, and changes ``s`` only there.

    References
    ----------
    Corani, G. & Zaffalon, M. (2009). Lazy naive credal classifier. KDD Workshop on Knowledge
    Discovery from Uncertain Data.
    Cost, S. & Salzberg, S. (1993). A weighted nearest neighbor algorithm for learning with symbolic
    features. Machine Learning 10, 57-78.
    Frank, E., Hall, M. & Pfahringer, B. (2003). Locally weighted naive Bayes. UAI, 249-256.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 3, [0, 1, 1, 0] * 3
    >>> model = LazyNaiveCredal(k=2).fit(X, y)  # naive Bayes cannot learn this
    >>> model.predict_set([[0, 0], [0, 1]]).tolist()
    [[True, False], [False, True]]
    """

    def __init__(
        self,
        s: float = 1.0,
        k: int = 25,
        step: int = 20,
        max_tries: int = 50,
        *,
        weights: str = "uniform",
        metric: str = "overlap",
        published: bool = False,
        n_jobs: int | None = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.k = k
        self.step = step
        self.max_tries = max_tries
        self.weights = weights
        self.metric = metric
        self.published = published
        self.n_jobs = n_jobs
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, table: Any, y: Ints) -> None:
        self._check_arguments()
        codes = self.schema_.codes(table, known=True)
        # a code for values that training did not see, and one for missing values
        kind = np.min_scalar_type(int(self.n_values_.max(initial=1)) + 1)
        self._missing = int(np.iinfo(kind).max)
        self._rows = np.where(codes < 0, np.int64(self._missing), codes).astype(kind)
        self._y = y.astype(np.int32)
        if self.metric == "mvdm":
            self._differences = ValueDifferences.of(codes, y, self.n_values_, len(self.classes_))

    def _sets(self, codes: Ints) -> Bools:
        """The classes left in the last neighbourhood of each row."""
        kept = np.empty((len(codes), len(self.classes_)), dtype=bool)
        for block, found in self._neighbourhoods(codes):
            kept[block] = found.kept
        return kept

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        """Each value of s needs a search: the neighbourhoods grow until one class is left."""
        return (Strength("s", FEW_PRIOR_ROWS),)

    def _intervals(self, codes: Ints) -> ProbabilityIntervals:
        """Posterior probability intervals within the last neighbourhood, as outer bounds."""
        lower, upper = np.empty((2, len(codes), len(self.classes_)))
        for block, found in self._neighbourhoods(codes):
            lower[block], upper[block] = found.intervals(codes[block] >= 0, float(self.s))
        return ProbabilityIntervals(lower, upper, self.classes_).tighten()

    def _proba(self, codes: Ints) -> Floats:
        """The posterior under the Perks prior within the last neighbourhood."""
        proba = np.empty((len(codes), len(self.classes_)))
        for block, found in self._neighbourhoods(codes):
            s = max(float(self.s), LEAST_STRENGTH)
            proba[block] = found.centre(codes[block] >= 0, s, self.n_values_)
        return proba

    def _largest_strengths(self, codes: Ints) -> Floats:
        """The largest s at which one class is left in the last neighbourhood of each row."""
        strengths = np.empty(len(codes))
        for block, found in self._neighbourhoods(codes):
            counts = found.counts(codes[block] >= 0)
            strengths[block] = global_strengths(counts, counts.most_probable())
        return strengths

    def explain_set(self, x: Any) -> RatioExplanation:
        """Why one row has its predicted set, by the counts of its last neighbourhood.

        Parameters
        ----------
        x : table with one row

        Returns
        -------
        RatioExplanation
            ``print(str(...))`` says it in words; `plot_explanation` draws it.
        """
        codes = one_row(self, x)
        ((_, found),) = self._neighbourhoods(codes)
        counts, s = found.counts(codes >= 0), float(self.s)
        return explain_row(
            self,
            counts,
            codes,
            found.kept[0],
            s=s,
            terms=naive_terms(counts, s),
            kind=RatioExplanation,
        )

    def _neighbourhoods(self, codes: Ints) -> Iterator[tuple[slice, Neighbourhoods]]:
        """The last neighbourhood of each row, block by block, several blocks at a time."""
        n, m = codes.shape
        most = max(1, BLOCK // (max(1, m) * len(self.classes_)))
        ranked = (self.weights, self.metric) != ("uniform", "overlap")
        if ranked:  # all training rows are sorted for every row of a block
            most = max(1, min(most, BLOCK // len(self._rows)))
        step = max(1, min(most, -(-n // number_of_threads(self.n_jobs))))
        blocks = [slice(at, min(at + step, n)) for at in range(0, n, step)]
        columns = np.ascontiguousarray(self._rows.T)
        search = self._search_ranked if ranked else self._search

        def search_block(at: slice) -> Neighbourhoods:
            first, place = self._distinct(codes[at])
            found = search(codes[at][first], columns)
            return Neighbourhoods._make(part[place] for part in found)

        yield from zip(blocks, in_threads(search_block, blocks, self.n_jobs), strict=True)

    def _distinct(self, codes: Ints) -> tuple[Any, Any]:
        """One of each of the different rows, and the place of every row among them.

        Equal rows have the same neighbours, and with few features many rows are equal.  Where rows
        are too long for a number of 64 bits, they are not compared.
        """
        sizes = self.n_values_.astype(np.int64) + 2  # a value may also be missing, or new
        if np.log2(sizes).sum() > 62:  # a bit less than 63, for rounding
            return slice(None), slice(None)
        numbers = (codes + 1) @ (np.cumprod(sizes) // sizes)
        _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
        return first, place

    def _search(self, codes: Ints, columns: Ints) -> Neighbourhoods:
        """The last neighbourhoods of some rows."""
        from wager.learners.naive._neighbours import classify

        found = Neighbourhoods.empty(codes.shape[0], codes.shape[1], len(self.classes_))
        n, known = len(self._rows), codes >= 0
        test = np.where(known, codes, 0).astype(self._rows.dtype)
        growth = self._growth()
        # distances are whole numbers up to m: the smallest type makes the counting fastest
        distance = np.empty(n, np.min_scalar_type(codes.shape[1]))
        training = TrainingRows(self._rows.ravel(), columns.ravel(), self._y, self._missing)
        flat = Neighbourhoods._make(part.ravel() for part in found)  # views, to be filled
        K = len(self.classes_)
        # about three neighbourhoods per row
        each = 1e-8 * n + 4e-7 * (self.k + 2 * self.step) + 3e-6 * K * (K - 1)
        work = each * codes.size
        classify(training, test.ravel(), known.ravel(), growth, distance, flat, work=work)
        return found

    def _search_ranked(self, codes: Ints, columns: Ints) -> Neighbourhoods:
        """The same by the distances of the metric, and with weights."""
        from wager.learners.naive._ranked_neighbours import Ranking, classify_ranked

        weighted = self.weights == "linear"
        kind = np.float64 if weighted else np.int32
        found = Neighbourhoods.empty(codes.shape[0], codes.shape[1], len(self.classes_), kind)
        n, known = len(self._rows), codes >= 0
        test = np.where(known, codes, 0).astype(self._rows.dtype)
        metric = self._differences if self.metric == "mvdm" else Overlap(columns)
        ranking = Ranking(np.empty(n * len(codes), np.int32), np.empty(n * len(codes)))
        for t in range(len(codes)):
            distance = metric.between(test[t], known[t])
            order = np.argsort(distance, kind="stable")
            ranking.order[t * n : (t + 1) * n] = order
            ranking.radius[t * n : (t + 1) * n] = metric.radius(distance[order])
        training = TrainingRows(self._rows.ravel(), columns.ravel(), self._y, self._missing)
        flat = Neighbourhoods._make(part.ravel() for part in found)  # views, to be filled
        K = len(self.classes_)
        work = (4e-7 * (self.k + 2 * self.step) + 3e-6 * K * (K - 1)) * codes.size
        classify_ranked(
            training,
            test.ravel(),
            known.ravel(),
            self._growth(),
            ranking,
            weighted,
            flat,
            work=work,
        )
        return found

    def _growth(self) -> Growth:
        limit = len(self._rows) - 1 if self.published else len(self._rows)
        return Growth(float(self.s), int(self.k), int(self.step), int(self.max_tries), int(limit))

    def _check_arguments(self) -> None:
        check_strength(self.s)
        check_option("weights", self.weights, ("uniform", "linear"))
        check_option("metric", self.metric, ("overlap", "mvdm"))
        for name in ("k", "step", "max_tries"):
            value = getattr(self, name)
            if not (1 <= real_number(value, name) < np.inf and value == int(value)):
                raise ValueError(f"{name} must be a whole number, 1 or more, got {brief(value)}")


class TrainingRows(NamedTuple):
    """The training rows as codes, in both orders: by column distances are counted faster."""

    rows: Ints  # row after row
    columns: Ints  # column after column
    y: Ints
    missing: int  # the code of a missing value


class Growth(NamedTuple):
    """How neighbourhoods grow."""

    s: float
    k: int
    step: int
    max_tries: int
    limit: int  # how many training rows may be used


class Neighbourhoods(NamedTuple):
    """The last neighbourhood of each row: its size, its counts and the classes left in it."""

    kept: Bools  # (rows, K): the undominated classes
    sizes: Ints  # (rows,)
    n_value: Ints  # (rows, m, K): training rows of class c with the value of the row in feature j
    n_known: Ints  # (rows, m, K): those in which feature j is not missing
    n_class: Ints  # (rows, K)

    @classmethod
    def empty(cls, n: int, m: int, n_classes: int, kind: Any = np.int32) -> Neighbourhoods:
        """Neighbourhoods to be filled; counts are numbers of this kind."""
        return cls(
            np.empty((n, n_classes), np.bool_),
            np.empty(n, np.int64),
            np.zeros((n, m, n_classes), kind),
            np.zeros((n, m, n_classes), kind),
            np.zeros((n, n_classes), kind),
        )

    def centre(self, known: Bools, s: float, n_values: Ints) -> Floats:
        """The posterior under the Perks prior of weight s."""
        K = self.kept.shape[1]
        share = s / (K * n_values[:, None])
        terms = np.log((self.n_value + share) / (self.n_known + s / K))
        logs = np.log(self.n_class + s / K) + np.where(known[:, :, None], terms, 0.0).sum(axis=1)
        return normalise_logs(logs)

    def counts(self, known: Bools) -> RowCountsByClass:
        """The counts as numbers for each row and class."""
        n_value, n_known = self.n_value.astype(float), self.n_known.astype(float)
        return RowCountsByClass(n_value, n_known, self.n_class.astype(float), known)

    def intervals(self, known: Bools, s: float) -> tuple[Floats, Floats]:
        """Lower and upper posterior probabilities, with a separate model per conditional."""
        total = np.maximum(self.n_known + s, np.finfo(float).tiny)
        empty = self.n_known + s <= 0  # without rows and without a prior nothing is known
        with np.errstate(divide="ignore"):
            low = np.log(self.n_value / total)
            high = np.log(np.where(empty, 1.0, (self.n_value + s) / total))
        low, high = (np.where(known[:, :, None], logs, 0.0).sum(axis=1) for logs in (low, high))
        return posterior_intervals(low, high, self.n_class.astype(float), s)
