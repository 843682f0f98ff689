"""C4.5: a decision tree grown by gain ratio and pruned by pessimistic error (Quinlan, 1993).

The defaults and every detail are those of Weka's J48, so trees and probabilities agree with it.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from wager._tables import nominal_columns
from wager._typing import ArrayLike, Floats
from wager.learners._base import TableClassifier
from wager.learners.trees._view import TreeMixin, TreeNode

__all__ = ["C45"]


class C45(TreeMixin, TableClassifier):
    """Ask for one feature after the other; each question is the most telling one that is left.

    Parameters
    ----------
    confidence : float, default=0.25
        The smaller, the more is pruned: errors are estimated by the upper limit that is exceeded
        with this probability.  In (0, 0.5].
    min_rows : int, default=2
        A split must leave at least two branches with so many rows.
    prune : bool, default=True
        Whether to replace subtrees by leaves, or by their largest branch, where that is no worse.
        A split that does not lessen the training errors is undone in any case.
    smoothing : {None, "laplace"}, default=None
        Leaves answer with relative frequencies, so probabilities of 0 and 1 occur; "laplace" adds
        one to every count.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which features are nominal.  "auto" goes by type: in a frame the columns of category,
        string, object or boolean type; an array of integers or strings is nominal and one of
        floats numeric.
    classes, n_values, empty_classes
        What is declared, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    tree_ : Nodes
        The tree as flat arrays, one entry a node.
    n_nodes_, n_leaves_, depth_ : int
        Its size; a branch that no training row took is a leaf as well.

    Notes
    -----
    A nominal feature gets one branch a declared value, a numeric one is cut in two.  Where a value
    is missing, the row goes down every branch with a part of its weight, in training and in
    prediction.  A value that training did not show at a node is answered by the node itself.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Examples
    --------
    >>> X = [[1.0], [1.5], [2.0], [2.5], [3.0], [3.5]]
    >>> tree = C45().fit(X, ["low", "low", "low", "high", "high", "high"])
    >>> print(tree.to_text())
    x0 <= 2: low (3.0)
    x0 > 2: high (3.0)
    >>> tree.predict_proba([[2.9], [np.nan]]).tolist()  # columns: high, low
    [[1.0, 0.0], [0.5, 0.5]]
    """

    def __init__(
        self,
        confidence: float = 0.25,
        min_rows: int = 2,
        *,
        prune: bool = True,
        smoothing: str | None = None,
        categorical_features: Any = "auto",
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.confidence = confidence
        self.min_rows = min_rows
        self.prune = prune
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree, collapse it, prune it.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Missing is NaN, None, NA, or -1 in an array of integers.
        y : array-like of shape (n,)
        """
        from wager.learners.trees._c45_grow import grow_tree
        from wager.learners.trees._nodes import compact, room
        from wager.learners.trees._prune import collapse, prune

        self._check_arguments()
        table, labels = self._read_training(
            X, y, lambda table: nominal_columns(table, self.categorical_features)
        )
        rows = self._rows(table, known=True)
        labels = labels.astype(np.int32)
        complete = not ((rows.codes < 0).any() or np.isnan(rows.numbers).any())
        # rows of fractional weight are summed in this order; among whole ones ties do not matter
        orders = np.argsort(rows.numbers, axis=1, stable=not complete).astype(np.int32)
        nodes, n_nodes = grow_tree(
            rows, orders, labels, float(self.min_rows), room(64, len(self.classes_))
        )
        nodes = nodes._make(part[:n_nodes] for part in nodes)
        collapse(nodes)
        if self.prune:
            # Weka keeps the confidence in single precision
            level = np.float32(self.confidence)
            z = float(ndtri(float(np.float32(1) - level)))
            prune(nodes, rows, labels, float(level), z, complete)
        self.tree_ = compact(nodes)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The class frequencies of the leaf, or their mean over the branches a row may take.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        from wager.learners.trees._predict import tree_proba

        table = self._read_rows(X)
        return tree_proba(self.tree_, self._rows(table), table.shape[0], self._node_proba())

    def to_node(self) -> TreeNode:
        """The tree as nested nodes with labels, to print or draw.

        A leaf names its class and, in brackets, the weight of its training rows and how much of it
        is of other classes.
        """
        from wager.learners.trees._c45_view import view

        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return view(self.tree_, [str(name) for name in names], self.schema_.levels, self.classes_)

    def _check_arguments(self) -> None:
        if not 0 < self.confidence <= 0.5:
            raise ValueError(f"confidence must lie in (0, 0.5], got {self.confidence!r}")
        if not self.min_rows >= 1:
            raise ValueError(f"min_rows must be at least 1, got {self.min_rows!r}")
        if self.smoothing not in (None, "laplace"):
            raise ValueError(f"smoothing must be None or 'laplace', got {self.smoothing!r}")

    def _rows(self, table: Any, *, known: bool = False) -> Any:
        """The rows as the loops want them: codes row by row, numbers column by column."""
        from wager.learners.trees._nodes import Table

        return Table.of(self.schema_, table, known=known)

    def _node_proba(self) -> Floats:
        counts, weight = self.tree_.counts, self.tree_.weight[:, None]
        if self.smoothing == "laplace":
            return (counts + 1.0) / (weight + counts.shape[1])
        return np.divide(
            counts, weight, out=np.zeros_like(counts), where=~self.tree_.empty[:, None]
        )
