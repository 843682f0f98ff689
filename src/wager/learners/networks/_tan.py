"""TAN: naive Bayes in which every feature may depend on one other feature besides the class.

Friedman, Geiger & Goldszmidt (1997); Keogh & Pazzani (1999) for the searches by accuracy.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from wager._jit import entry
from wager._tables import MISSING_CODE, Counts, PairCounts, row_blocks
from wager._typing import ArrayLike, Floats, Ints
from wager.learners._base import check_option, normalise_logs
from wager.learners._counted import CountsClassifier
from wager.learners.networks._dependence_trees import (
    dirichlet_tree,
    mutual_information_tree,
    network_score,
)
from wager.learners.networks._leave_one_out import hill_climbing_tree, super_parent_tree

__all__ = ["TAN"]

BY_ACCURACY = ("superparent", "hcs")  # searches that predict the training rows
SEARCHES = ("bayes", "cmi", *BY_ACCURACY)
SMOOTHINGS = ("auto", "dirichlet", "m-estimate", "friedman")
CONFIDENCE = 5.0  # weight of the marginal distribution in Friedman's smoothing, in rows


def _needs_rows(search: str) -> str:
    return (
        f"search={search!r} needs the rows, not only counts: call fit, or set search='bayes' or "
        "'cmi'"
    )


def _learns_from_counts(model: TAN) -> bool:
    if model.search in BY_ACCURACY:
        raise AttributeError(_needs_rows(model.search))
    return True


class TAN(CountsClassifier):
    """Tree-augmented naive Bayes: each feature depends on the class and on its parent in a tree.

    The tree is the one with the best score; the probabilities of its nodes come from counts.

    Use it if a few features depend strongly on each other, which naive Bayes ignores.

    Parameters
    ----------
    search : {"bayes", "cmi", "superparent", "hcs"}, default="bayes"
        How the tree is found: by a Bayesian score (Weka's), by conditional mutual information
        (Chow-Liu), by the SuperParent search for accuracy, or by hill climbing over single arcs.
        The last two may leave features without a parent.
    smoothing : {"auto", "dirichlet", "m-estimate", "friedman"}, default="auto"
        How counts become probabilities.  "dirichlet" adds 1/2 to every count; "m-estimate" adds
        one row spread evenly; "friedman" mixes the frequency given the parents with the marginal
        one.  "auto" is "dirichlet" for the search "bayes" and "m-estimate" for the others.
    ties : {"weka", "first"}, default="weka"
        With search="bayes", how equally good links are chosen, as between features that repeat each
        other.  "weka" lets the last bit of the scores decide, as Weka does, so that the tree may
        depend on the order of classes and values.  "first" takes the first feature.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    counts_ : NamedCounts
        The counts of all pairs of values, by class.
    parents_ : ndarray of int
        The parent of each feature among the features; -1 if it has none.
    log_score_ : float
        The logarithm of the network's marginal likelihood, with the Dirichlet prior 1/2 for every
        value.
    modes_ : ndarray of int
        With search="bayes", the codes that replace missing values.

    Notes
    -----
    Features must be nominal: discretize numeric ones first.  With "bayes" a missing value is
    replaced by the feature's most frequent value, as in Weka.  With the other searches it is
    ignored, and P(x | c) is used where the parent is missing.  Equally good links are taken in the
    order of the features (see ``ties`` for "bayes"); "superparent" and "hcs" count accuracies, for
    which tied classes are predicted in their order.

    References
    ----------
    Friedman, N., Geiger, D. & Goldszmidt, M. (1997). Bayesian network classifiers. Machine Learning
    29.

    Keogh, E. J. & Pazzani, M. J. (1999). Learning augmented Bayesian classifiers: a comparison of
    distribution-based and classification-based approaches. AISTATS.

    Examples
    --------
    >>> X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]] * 5
    >>> model = TAN().fit(X, [0, 1, 1, 0] * 5)
    >>> model.predict(X[:4]).tolist(), model.parents_.tolist()
    ([0, 1, 1, 0], [-1, 0])
    """

    _needs_pairs = True

    def __init__(
        self,
        search: str = "bayes",
        *,
        smoothing: str = "auto",
        ties: str = "weka",
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.search = search
        self.smoothing = smoothing
        self.ties = ties
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, table: Any, y: Ints) -> None:
        self._check_arguments()
        if self.search not in BY_ACCURACY:
            super()._learn(table, y)
            return
        self._rows = self.schema_.codes(table, known=True), y
        try:
            super()._learn(table, y)
        finally:
            del self._rows

    def fit_counts(self, counts: Any, classes: ArrayLike | None = None) -> Self:
        """Learn from counts alone: the same model as ``fit`` on the rows that were counted.

        Parameters
        ----------
        counts : NamedCounts
            The counts of pairs of values, such as the sum of the ``counts_`` of several models.
            Plain counts by code are accepted too; rows to predict must then be codes.
        classes : array-like, optional
            The names of the classes, for plain counts; 0..K-1 by default.
        """
        self._require_counts_suffice()
        return super().fit_counts(counts, classes)

    def _require_counts_suffice(self) -> None:
        self._check_arguments()
        if self.search in BY_ACCURACY:
            raise ValueError(_needs_rows(self.search))

    @available_if(_learns_from_counts)
    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Learn from further rows, besides those learnt so far; not for searches by accuracy.

        After any number of calls the model is the one that ``fit`` makes of all rows together.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            The same features in every call.
        y : array-like of shape (n,)
            The class labels.
        classes : array-like, optional
            All classes that may occur, in the first call, as in scikit-learn; they are put into
            sorted order.  Without them the classes are those that occurred so far.
        """
        self._check_arguments()
        return super().partial_fit(X, y, classes)

    def _proba(self, codes: Ints) -> Floats:
        if self.search == "bayes":
            codes = self._without_gaps(codes)
        return normalise_logs(self._model.joint_logs(codes))

    def _check_arguments(self) -> None:
        check_option("search", self.search, SEARCHES)
        check_option("smoothing", self.smoothing, SMOOTHINGS)
        check_option("ties", self.ties, ("weka", "first"))

    def _take_counts(self, counts: PairCounts) -> None:
        if self.search == "bayes":
            self.modes_ = _modes(counts.single)
            counts = counts.filled(self.modes_)
            parents = dirichlet_tree(counts, self.ties)
        elif self.search == "cmi":
            parents = mutual_information_tree(counts)
        elif self.search == "superparent":
            parents = super_parent_tree(*self._rows, counts)
        else:
            parents = hill_climbing_tree(*self._rows, counts)
        self._make_model(parents, counts)

    def _without_gaps(self, codes: Ints) -> Ints:
        return np.where(codes == MISSING_CODE, self.modes_.astype(codes.dtype), codes)

    def _make_model(self, parents: Ints, counts: PairCounts) -> None:
        smoothing = self.smoothing
        if smoothing == "auto":
            smoothing = "dirichlet" if self.search == "bayes" else "m-estimate"
        self.parents_ = parents
        self.log_score_ = network_score(parents, counts)
        self._model = _TreeModel.of(parents, counts, smoothing)


def _modes(counts: Counts) -> Ints:
    """The most frequent value of each feature, the first on ties."""
    return np.array(
        [counts.of_feature(j).sum(axis=1).argmax() for j in range(len(counts.n_values))], dtype=int
    )


class _TreeModel(NamedTuple):
    """Log probabilities of every feature given the class and the parent, in one flat table.

    The line of feature j is ``start[j] + stride[j] * code of its parent + its code``; each feature
    has lines for the codes -1 (missing) and v (unseen), its own and those of its parent.
    """

    first: Floats  # (K,), log P(c)
    table: Floats  # (lines, K)
    start: Ints
    stride: Ints
    parents: Ints  # a feature without a parent has its own number here, and stride 0

    @classmethod
    def of(cls, parents: Ints, counts: PairCounts, smoothing: str) -> _TreeModel:
        single = counts.single
        n_classes = len(single.classes)
        weight = 0.5 if smoothing == "dirichlet" else 1.0 / n_classes
        first = np.log((single.classes + weight) / (single.classes.sum() + weight * n_classes))
        m = len(parents)
        start, stride, blocks, begin = np.zeros(m, int), np.zeros(m, int), [], 0
        for j, parent in enumerate(parents):
            alone = _conditional_logs(single.of_feature(j)[None], smoothing)
            if parent < 0:
                block = alone
                start[j] = begin + 1
            else:
                given = _conditional_logs(counts.of_features(int(parent), j), smoothing)
                no_rows = np.zeros((1, *single.of_feature(j).shape), dtype=int)
                unseen = _conditional_logs(no_rows, smoothing, single.of_feature(j))
                block = np.concatenate([alone, given, unseen])
                stride[j] = block.shape[1]
                start[j] = begin + stride[j] + 1
            blocks.append(block.reshape(-1, n_classes))
            begin += len(blocks[-1])
        table = np.concatenate(blocks) if blocks else np.zeros((0, n_classes))
        return cls(first, table, start, stride, np.where(parents < 0, np.arange(m), parents))

    def joint_logs(self, codes: Ints) -> Floats:
        """The logarithm of P(c) prod_j P(x_j | c, x_parent), shape (n, K)."""
        sums = np.empty((len(codes), len(self.first)))
        _add_up_tree(codes, self, sums, work=1e-8 * codes.size * len(self.first))
        return sums


def _conditional_logs(counts: Ints, smoothing: str, marginal: Ints | None = None) -> Floats:
    """Log P(x | c, parent) by value of the parent, value of the feature (padded) and class.

    The padding is 0 for a missing value, and the log probability of a zero count for an unseen one.
    """
    parents, v, n_classes = counts.shape
    padded = np.zeros((parents, v + 2, n_classes))
    count = np.concatenate([counts, np.zeros((parents, 1, n_classes), dtype=int)], axis=1)
    total = counts.sum(axis=1, keepdims=True)
    if smoothing == "dirichlet":
        padded[:, 1:] = np.log((count + 0.5) / (total + 0.5 * v))
    elif smoothing == "m-estimate":
        padded[:, 1:] = np.log((count + 1.0 / v) / (total + 1.0))
    else:
        padded[:, 1:] = _friedman_logs(count, total, counts if marginal is None else marginal[None])
    return padded


def _friedman_logs(count: Ints, total: Ints, marginal: Ints) -> Floats:
    """The frequency given class and parent, mixed with the marginal frequency.

    The more rows support the first, the less the second counts.  A value that never occurs is
    equally impossible for all classes, so it contributes 0.
    """
    overall = np.append(marginal.sum(axis=(0, 2)), 0)[None, :, None]
    rows = max(int(overall.sum()), 1)
    mixed = (count + CONFIDENCE * overall / rows) / (total + CONFIDENCE)
    return np.log(np.where(overall > 0, mixed, 1.0))


def _add_up_tree_by_gathering(codes: Ints, model: _TreeModel, sums: Floats) -> None:
    for block in row_blocks(*sums.shape):
        sums[block] = 0.0
        for j in range(codes.shape[1]):
            above = model.stride[j] * codes[block, model.parents[j]]
            sums[block] += model.table[model.start[j] + codes[block, j] + above]
        sums[block] += model.first


@entry(plain=_add_up_tree_by_gathering, label="predictions of TAN")
def _add_up_tree(codes, model, sums):
    n_classes = sums.shape[1]
    for i in range(codes.shape[0]):
        for c in range(n_classes):
            sums[i, c] = 0.0
        for j in range(codes.shape[1]):
            line = model.start[j] + codes[i, j] + model.stride[j] * codes[i, model.parents[j]]
            for c in range(n_classes):
                sums[i, c] += model.table[line, c]
        for c in range(n_classes):  # last, as in Weka
            sums[i, c] += model.first[c]
