"""Credal decision trees: splits that lower the largest entropy, leaves that answer with intervals.

Abellán & Moral (2003); Abellán & Masegosa (2012).  What a node knows of the classes is not one
distribution but all those that the imprecise Dirichlet model allows after its counts; a split is
worth what it takes from the largest entropy among them.  So small branches look uncertain, and the
tree stops by itself.  Credal C4.5 (Mantas & Abellán, 2014) divides that gain by the entropy of the
split and prunes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from wager._typing import ArrayLike, Bools, Floats, Ints
from wager.learners._base import TableClassifier
from wager.learners._ncc_intervals import largest_other
from wager.learners._set_valued import SetValuedMixin
from wager.learners._tree_view import TreeNode
from wager.predictions import ProbabilityIntervals
from wager.prepare._codes import nominal_columns
from wager.prepare._counts import Counts, offsets_of
from wager.prepare._table import numbers

__all__ = ["CredalTree", "CredalTreeBase", "undominated_leaves"]

TIE = 1e-9
UNLIMITED = 2**31 - 1


class CredalTreeBase(SetValuedMixin, TableClassifier):
    """What a credal tree and a forest of them share: reading rows, and filling gaps."""

    s: float
    dominance: str
    missing: str
    max_depth: int | None
    categorical_features: Any

    def _read_tree_rows(self, X: Any, y: Any) -> tuple[Any, Ints]:
        """The training rows as the loops want them, and their classes."""
        table, labels = self._read_training(
            X, y, lambda table: nominal_columns(table, self.categorical_features)
        )
        rows = self._as_rows(table, known=True)
        self.fill_ = _usual_values(rows)
        return self._without_gaps(rows), labels.astype(np.int32)

    def _rows_to_predict(self, X: Any) -> tuple[Any, int]:
        table = self._read_rows(X)
        return self._without_gaps(self._as_rows(table)), table.shape[0]

    def _as_rows(self, table: Any, *, known: bool = False) -> Any:
        from wager.learners._c45_nodes import Table

        nominal = self.schema_.nominal
        slot = np.where(nominal, np.cumsum(nominal), np.cumsum(~nominal)) - 1
        numeric = [numbers(table, int(j)) for j in np.flatnonzero(~nominal)]
        return Table(
            self.schema_.codes(table, known=known),
            np.array(numeric).reshape(len(numeric), table.shape[0]),
            self.schema_.n_values.astype(np.int64),
            slot.astype(np.int64),
        )

    def _without_gaps(self, rows: Any) -> Any:
        """Missing values replaced by the usual ones, unless rows are to be split up."""
        if self.missing == "fractional":
            return rows
        usual_codes, usual_numbers = self.fill_
        codes, values = rows.codes, rows.numbers
        if codes.min(initial=0) < 0:
            torn = np.flatnonzero(codes.ravel() < 0)
            codes = codes.copy()
            codes.ravel()[torn] = usual_codes[torn % codes.shape[1]]
        if np.isnan(values).any():
            values = np.where(np.isnan(values), usual_numbers[:, None], values)
        return rows._replace(codes=codes, numbers=values)

    def _check_shared_arguments(self) -> None:
        if not 0 <= self.s < np.inf:
            raise ValueError(f"s must be a number of rows, 0 or more, got {self.s!r}")
        if self.missing not in ("mode", "fractional"):
            raise ValueError(f"missing must be 'mode' or 'fractional', got {self.missing!r}")
        if self.dominance not in ("weak", "strict"):
            raise ValueError(f"dominance must be 'weak' or 'strict', got {self.dominance!r}")
        if self.max_depth is not None and not self.max_depth >= 0:
            raise ValueError(f"max_depth must not be negative, got {self.max_depth!r}")


class CredalTree(CredalTreeBase):
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
        lower, upper = self._bounds(X)
        return undominated_leaves(lower, upper, self.dominance)

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The intervals of each row's leaf: n(c)/(n+s) to (n(c)+s)/(n+s)."""
        return ProbabilityIntervals(*self._bounds(X), self.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """The centre of the leaf's intervals: (n(c) + s/K)/(n + s)."""
        s, (rows, n_rows) = float(self.s), self._rows_to_predict(X)
        return read_leaves(
            self.tree_, rows, n_rows, speaking_counts(self.tree_), lambda n: centre_of(n, s)
        )

    def _bounds(self, X: Any) -> tuple[Floats, Floats]:
        s, (rows, n_rows) = float(self.s), self._rows_to_predict(X)
        both = read_leaves(
            self.tree_, rows, n_rows, self.tree_.counts, lambda n: np.hstack(bounds_of(n, s))
        )
        K = len(self.classes_)
        return both[:, :K], both[:, K:]

    @property
    def n_nodes_(self) -> int:
        return len(self.tree_.feature)

    @property
    def n_leaves_(self) -> int:
        return int((self.tree_.feature < 0).sum())

    @property
    def depth_(self) -> int:
        from wager.learners._c45_predict import tree_depth

        return int(tree_depth(self.tree_))

    def to_node(self) -> TreeNode:
        """The tree as nested nodes with labels, to print or draw."""
        from wager.learners._c45_view import named_tree
        from wager.learners._credal_tree_view import leaf_label

        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        lower, upper = bounds_of(self.tree_.counts, float(self.s))
        kept = undominated_leaves(lower, upper, self.dominance)
        labels = [
            leaf_label(counts, self.classes_, *said)
            for counts, *said in zip(self.tree_.counts, lower, upper, kept, strict=True)
        ]
        return named_tree(self.tree_, [str(name) for name in names], self.schema_.levels, labels)

    def to_text(self) -> str:
        """The tree in words, one line a branch.

        A leaf names the classes that it keeps, the weight of its training rows, and the interval of
        every class that has any of them.
        """
        return self.to_node().to_text()

    def _rule(self, n_features: int) -> Any:
        from wager.learners._credal_tree_entropy import CORRECTIONS
        from wager.learners._credal_tree_grow import CRITERIA, Rule

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


class TreeGrower:
    """Training rows made ready, to grow one tree or many from."""

    def __init__(self, rows: Any, y: Ints, n_classes: int):
        self.rows, self.y, self.n_classes = rows, y, n_classes
        self.orders = np.argsort(rows.numbers, axis=1, kind="stable").astype(np.int32)
        self.keys = _places(rows.codes, rows.n_values[rows.n_values > 0], n_classes)
        self.gaps = bool(rows.codes.min(initial=0) < 0 or np.isnan(rows.numbers).any())

    def grow(self, rule: Any, weights: Ints | None = None, state: int = 1) -> Any:
        """A tree on the rows, each counted so many times."""
        from wager.learners._c45_nodes import room
        from wager.learners._credal_tree_entropy import entropy_terms
        from wager.learners._credal_tree_grow import grow

        kind = np.float64 if self.gaps else np.int32
        counted = np.ones(len(self.y)) if weights is None else weights
        nodes, n_nodes = grow(
            self.rows, self.keys, self.orders, self.y, counted.astype(kind), self.gaps, rule,
            state, entropy_terms(int(counted.sum())), room(64, self.n_classes),
        )  # fmt: skip
        return nodes._make(part[:n_nodes].copy() for part in nodes)


def _pruned(nodes: Any, grower: TreeGrower, confidence: float) -> Any:
    """The tree after C4.5's collapsing and pruning."""
    from wager.learners._c45_nodes import compact
    from wager.learners._c45_prune import collapse, prune

    collapse(nodes)
    z = float(ndtri(1 - confidence))
    prune(nodes, grower.rows, grower.y, confidence, z, not grower.gaps)
    return compact(nodes)


def read_leaves(
    nodes: Any, rows: Any, n_rows: int, counts: Floats, says: Callable[[Floats], Floats]
) -> Floats:
    """What the leaf of each row says, or the mean over its leaves where values are missing.

    ``counts`` are the class counts of every node, ``says`` turns such lines into what is asked.
    """
    from wager.learners._credal_tree_leaves import leaves_of, mixtures_of

    counts = np.vstack([counts, np.zeros(counts.shape[1])])  # a value without a branch: no rows
    leaves = leaves_of(nodes, rows, n_rows)
    said = says(counts[leaves])
    torn = np.flatnonzero(leaves < 0)
    if len(torn):
        said[torn] = mixtures_of(nodes, rows, torn, says(counts))
    return said


def bounds_of(counts: Floats, s: float) -> tuple[Floats, Floats]:
    """n(c)/(n+s) and (n(c)+s)/(n+s); 0 and 1 where there is neither a row nor strength."""
    total = counts.sum(axis=1, keepdims=True) + s
    nothing = total[:, 0] <= 0
    total[nothing] = 1.0
    lower, upper = counts / total, (counts + s) / total
    upper[nothing] = 1.0
    return lower, upper


def centre_of(counts: Floats, s: float) -> Floats:
    """(n(c) + s/K)/(n + s); uniform where there is neither a row nor strength."""
    K = counts.shape[1]
    total = counts.sum(axis=1, keepdims=True) + s
    nothing = total[:, 0] <= 0
    total[nothing] = 1.0
    centre = (counts + s / K) / total
    centre[nothing] = 1 / K
    return centre


def speaking_counts(nodes: Any) -> Floats:
    """The class counts of every node; of the node above for one without rows."""
    inner = np.flatnonzero(nodes.n_sons)
    n_sons = nodes.n_sons[inner]
    within = np.arange(n_sons.sum()) - np.repeat(np.cumsum(n_sons) - n_sons, n_sons)
    sons, above = np.repeat(nodes.first[inner], n_sons) + within, np.repeat(inner, n_sons)
    empty = nodes.empty[sons]
    counts = nodes.counts.copy()
    counts[sons[empty]] = counts[above[empty]]
    return counts


def undominated_leaves(lower: Floats, upper: Floats, dominance: str) -> Bools:
    """The classes whose interval no other one's leaves behind (Abellán & Masegosa, 2012).

    With "weak" dominance it is enough to touch: n(c') >= n(c) + s.  Classes whose probabilities are
    one and the same number never dominate each other.
    """
    rival = largest_other(lower, -np.inf)
    if dominance == "strict":
        return ~(rival > upper + TIE)
    return ~((rival >= upper - TIE) & (rival > lower + TIE))


def _places(codes: Ints, n_values: Ints, n_classes: int) -> Ints:
    """Where each value begins in a flat table by (value, class); missing values at its end."""
    starts = (offsets_of(n_values) * n_classes).astype(np.int32)
    places = codes * np.int32(n_classes)
    places += starts
    if codes.min(initial=0) < 0:
        places[codes < 0] = n_values.sum() * n_classes
    return places


def _usual_values(rows: Any) -> tuple[Ints, Floats]:
    """The most frequent code of each nominal column, the first of several, and the mean numbers."""
    n_values = rows.n_values[rows.n_values > 0]
    counts = Counts.of(rows.codes, np.zeros(len(rows.codes), np.int32), n_values, 1)
    usual = [counts.of_feature(j).argmax() for j in range(len(n_values))]
    codes = np.array(usual, dtype=rows.codes.dtype)
    known = ~np.isnan(rows.numbers)
    total = np.where(known, rows.numbers, 0.0).sum(axis=1)
    return codes, total / np.maximum(known.sum(axis=1), 1)
