"""C4.5: a decision tree grown by gain ratio and pruned by pessimistic error (Quinlan, 1993).

The defaults and all details follow Weka's J48, so trees and probabilities agree with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from wager._tables import real_number
from wager._typing import ArrayLike, Floats
from wager._visible import brief
from wager.learners._base import check_option
from wager.learners.trees._base import SingleTreeMixin, TreeClassifier

if TYPE_CHECKING:  # this module loads Numba
    from wager.learners.trees._grow import Training

__all__ = ["C45"]


class C45(SingleTreeMixin, TreeClassifier):
    """A decision tree that splits each node on the feature with the largest gain ratio.

    The tree grows until no split helps, and is then pruned where an upper bound of the error
    becomes smaller.

    Use it for a tree that a person can read, and to compare with Weka's J48.

    Numbers that differ by 1e-5 or less are not separated, as in Weka: rescale features in tiny
    units.

    Parameters
    ----------
    confidence : float, default=0.25
        Smaller values prune more: the errors of a leaf are estimated by the upper limit that is
        exceeded with this probability.  In (0, 0.5].
    min_rows : int, default=2
        At least two branches of a split must have this many rows.
    prune : bool, default=True
        Whether to replace subtrees by leaves, or by their largest branch, where that is not worse.
        A split that does not reduce the training errors is removed in any case.
    smoothing : {None, "laplace"}, default=None
        Leaves predict relative frequencies, so probabilities of 0 and 1 occur; "laplace" adds one
        to every count.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which features are nominal.  "auto" decides by type: in a frame the columns of category,
        string, object or boolean type are nominal; an array of integers or strings is nominal, an
        array of floats numeric.
    classes, n_values, empty_classes
        Declared classes and values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    tree_ : TreeNodes
        The tree as flat arrays with one entry per node.
    n_nodes_, n_leaves_, depth_ : int
        The size of the tree; a branch without training rows is a leaf as well.

    Notes
    -----
    A nominal feature gets one branch per declared value, a numeric feature two branches.  A row
    with a missing value goes down every branch with a part of its weight, in training and in
    prediction.  For a value that no training row had at a node, the node itself predicts.  Of
    features with equal gain ratios the first one is split on.

    In the text of the tree, a leaf names its class and, in parentheses, the weight of its training
    rows and how much of it belongs to other classes.

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

    def _grow(self, training: Training) -> None:
        from wager.learners.trees._gain_ratio import grow_c45_tree
        from wager.learners.trees._prune import ErrorLimit, collapse_and_prune

        nodes = grow_c45_tree(training, self.min_rows)
        # Weka stores the confidence in single precision
        level = np.float32(self.confidence)
        limit = ErrorLimit(float(level), float(ndtri(float(np.float32(1) - level))))
        self.tree_ = collapse_and_prune(nodes, training, limit if self.prune else None)

    def predict_proba(self, X: Any) -> Floats:
        """The class frequencies of the leaf, or their mean over the branches a row may take.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        from wager.learners.trees._predict import c45_proba

        rows = self._tree_rows(X)
        return c45_proba(self.tree_, rows, self._node_proba())

    def _leaf_labels(self) -> list[str]:
        from wager.learners.trees._labels import c45_labels

        return c45_labels(self.tree_, self.classes_)

    def _check_arguments(self) -> None:
        if not 0 < real_number(self.confidence, "confidence") <= 0.5:
            raise ValueError(f"confidence must be in (0, 0.5], got {brief(self.confidence)}")
        if not real_number(self.min_rows, "min_rows") >= 1:
            raise ValueError(f"min_rows must be at least 1, got {brief(self.min_rows)}")
        check_option("smoothing", self.smoothing, (None, "laplace"))

    def _node_proba(self) -> Floats:
        """The class probabilities that each node would predict as a leaf."""
        counts, weight = self.tree_.counts, self.tree_.weight[:, None]
        if self.smoothing == "laplace":
            return (counts + 1.0) / (weight + counts.shape[1])
        return np.divide(
            counts, weight, out=np.zeros_like(counts), where=~self.tree_.empty[:, None]
        )
