"""Credal decision trees: splits that lower the largest entropy, leaves that answer with intervals.

Abellán & Moral (2003); Abellán & Masegosa (2012).  What a node knows of the classes is not one
distribution but all those that the imprecise Dirichlet model allows after its counts; a split is
worth what it takes from the largest entropy among them.  So small branches look uncertain, and the
tree stops by itself.  Credal C4.5 (Mantas & Abellán, 2014) divides that gain by the entropy of the
split and prunes.
"""

from __future__ import annotations

from typing import Any, Self

from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from wager._typing import ArrayLike, Bools, Floats
from wager.learners.trees._answers import bounds_of, centres, intervals, undominated
from wager.learners.trees._rows import UNLIMITED, CredalTreeBase, TreeGrower
from wager.learners.trees._view import TreeMixin, TreeNode
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalTree"]


class CredalTree(TreeMixin, CredalTreeBase):
    """Ask for the feature that leaves the least doubt at worst; keep what a leaf cannot rule out.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the imprecise Dirichlet model: how many rows the prior is worth.  Larger gives
        smaller trees and wider intervals; 0 is a tree by plain information gain.
    criterion : {"iig", "iigr", "range"}, default="iig"
        "iig" is the imprecise information gain.  "iigr" is Credal C4.5: the gain over the entropy
        of the split, among features of at least average gain, then C4.5's pruning.  "range" weighs
        the largest entropy against the least by ``gamma``, and splits below ``t_base``.
    dominance : {"weak", "strict"}, default="weak"
        At a leaf a class goes when another one's lower probability reaches its upper one; "strict":
        when it exceeds it.
    missing : {"mode", "fractional"}, default="mode"
        A missing value becomes the most frequent one of the training rows (the mean of numbers), or
        the row goes down every branch with a part of its weight.
    candidates : {"all", "complete"}, default="all"
        "complete" allows only splits in which every declared value has rows.
    min_rows : float, optional
        Two branches of a split, with "complete" every one, hold at least so many rows; 2 for "iigr"
        and no limit otherwise.
    max_depth : int, optional
        Number of questions on the way to a leaf; no limit by default.
    correction : {None, "strobl", "abellan"}, default=None
        A correction of entropies for small samples.
    gamma, t_base : float
        Of the "range" criterion.
    prune : bool, optional
        Whether to prune as C4.5 does; by default with "iigr" only.
    confidence : float, default=0.25
        Of the pruning: smaller prunes more.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which features are nominal, as for ``C45``.  A nominal one gets a branch a declared value, a
        numeric one is cut in two.
    classes, n_values, empty_classes
        What is declared, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    tree_ : Nodes
        The tree as flat arrays, one entry a node.
    n_nodes_, n_leaves_, depth_ : int
        Its size; a branch that no training row took is a leaf as well.

    Notes
    -----
    A leaf that no training row reached says nothing: [0, 1] and all classes.  ``predict_proba`` is
    the centre of the leaf's intervals (of the node above, for a leaf without rows), and ``predict``
    its most probable class within the set.

    References
    ----------
    Abellán, J. & Moral, S. (2003). Building classification trees using the total uncertainty
    criterion. International Journal of Intelligent Systems 18.

    Examples
    --------
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["rain"], ["fog"]]
    >>> tree = CredalTree().fit(X, ["out", "out", "out", "in", "in", "in", "in"])
    >>> print(tree.to_text())
    x0 = fog: in (1): in [0.50, 1.00], out [0.00, 0.50]
    x0 = rain: in (3): in [0.75, 1.00], out [0.00, 0.25]
    x0 = sun: out (3): in [0.00, 0.25], out [0.75, 1.00]
    >>> tree.predict_set([["sun"], ["snow"]]).tolist()  # nothing is known of snow
    [[False, True], [True, True]]
    """

    def __init__(
        self,
        s: float = 1.0,
        criterion: str = "iig",
        dominance: str = "weak",
        missing: str = "mode",
        candidates: str = "all",
        *,
        min_rows: float | None = None,
        max_depth: int | None = None,
        correction: str | None = None,
        gamma: float = 0.5,
        t_base: float = 1.0,
        prune: bool | None = None,
        confidence: float = 0.25,
        categorical_features: Any = "auto",
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.criterion = criterion
        self.dominance = dominance
        self.missing = missing
        self.candidates = candidates
        self.min_rows = min_rows
        self.max_depth = max_depth
        self.correction = correction
        self.gamma = gamma
        self.t_base = t_base
        self.prune = prune
        self.confidence = confidence
        self.categorical_features = categorical_features
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree, and prune it where that is asked.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Missing is NaN, None, NA, or -1 in an array of integers.
        y : array-like of shape (n,)
        """
        self._check_arguments()
        rows, labels = self._read_tree_rows(X, y)
        grower = TreeGrower(rows, labels, len(self.classes_))
        nodes = grower.grow(self._rule(len(rows.n_values)))
        if self.criterion == "iigr" if self.prune is None else self.prune:
            nodes = _pruned(nodes, grower, self.confidence)
        self.tree_ = nodes
        return self

    def predict_set(self, X: Any) -> Bools:
        """The classes that the leaf of each row cannot rule out, columns as ``classes_``."""
        rows, n_rows = self._rows_to_predict(X)
        return undominated(*intervals(self.tree_, rows, n_rows, float(self.s)), self.dominance)

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The intervals of each row's leaf: n(c)/(n+s) to (n(c)+s)/(n+s)."""
        rows, n_rows = self._rows_to_predict(X)
        return ProbabilityIntervals(
            *intervals(self.tree_, rows, n_rows, float(self.s)), self.classes_
        )

    def predict_proba(self, X: Any) -> Floats:
        """The centre of the leaf's intervals: (n(c) + s/K)/(n + s)."""
        rows, n_rows = self._rows_to_predict(X)
        return centres(self.tree_, rows, n_rows, float(self.s))

    def to_node(self) -> TreeNode:
        """The tree as nested nodes with labels, to print or draw.

        A leaf names the classes that it keeps, the weight of its training rows, and the interval of
        every class that has any of them.
        """
        from wager.learners.trees._c45_view import named_tree
        from wager.learners.trees._credal_view import leaf_label

        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        lower, upper = bounds_of(self.tree_.counts, float(self.s))
        kept = undominated(lower, upper, self.dominance)
        labels = [
            leaf_label(counts, self.classes_, *said)
            for counts, *said in zip(self.tree_.counts, lower, upper, kept, strict=True)
        ]
        return named_tree(self.tree_, [str(name) for name in names], self.schema_.levels, labels)

    def _rule(self, n_features: int) -> Any:
        from wager.learners.trees._credal_gain import CRITERIA, Rule
        from wager.learners.trees._entropy import CORRECTIONS

        usual = 2.0 if self.criterion == "iigr" else 0.0
        return Rule(
            float(self.s),
            CRITERIA[self.criterion],
            self.candidates == "complete",
            usual if self.min_rows is None else float(self.min_rows),
            UNLIMITED if self.max_depth is None else int(self.max_depth),
            CORRECTIONS[self.correction],
            float(self.gamma),
            float(self.t_base),
            n_features,
        )

    def _check_arguments(self) -> None:
        self._check_shared_arguments()
        for name, value, known in (
            ("criterion", self.criterion, ("iig", "iigr", "range")),
            ("candidates", self.candidates, ("all", "complete")),
            ("correction", self.correction, (None, "strobl", "abellan")),
        ):
            if value not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(map(str, known))}, got {value!r}"
                )
        if self.min_rows is not None and not self.min_rows >= 0:
            raise ValueError(f"min_rows must not be negative, got {self.min_rows!r}")
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must lie in [0, 1], got {self.gamma!r}")
        if not 0 < self.confidence <= 0.5:
            raise ValueError(f"confidence must lie in (0, 0.5], got {self.confidence!r}")


def _pruned(nodes: Any, grower: TreeGrower, confidence: float) -> Any:
    """The tree after C4.5's collapsing and pruning."""
    from wager.learners.trees._nodes import compact
    from wager.learners.trees._prune import collapse, prune

    collapse(nodes)
    z = float(ndtri(1 - confidence))
    prune(nodes, grower.rows, grower.y, confidence, z, not grower.gaps)
    return compact(nodes)
