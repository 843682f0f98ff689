"""Base classes of the tree learners: reading rows, filling gaps, size and text of a tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wager._tables import Counts, Schema, nominal_columns, real_number
from wager._typing import Array, Floats, Ints
from wager._visible import brief
from wager.learners._base import TableClassifier, check_option, check_strength
from wager.learners._robustness import RobustMixin
from wager.learners._set_valued import SetValuedMixin
from wager.learners._strengths import FEW_PRIOR_ROWS, Strength
from wager.learners.trees._tree_node import TreeNode

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._grow import Training
    from wager.learners.trees._information_gain import SplitRule
    from wager.learners.trees._nodes import TreeNodes, TreeRows

__all__ = ["CredalTreeClassifier", "SingleTreeMixin", "TreeClassifier"]


class TreeClassifier(TableClassifier, ABC):
    """Base class of all tree learners: they learn from nominal and numeric columns."""

    categorical_features: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree, or the trees, from labelled rows.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
            Missing values are NaN, None, NA, or -1 in an array of integers.
        y : array-like of shape (n,)
            The class labels.
        """
        self._check_arguments()
        self._grow(self._training(X, y))
        return self

    @abstractmethod
    def _check_arguments(self) -> None:
        """Refuse parameters that are not valid."""

    @abstractmethod
    def _grow(self, training: Training) -> None:
        """Grow what ``predict_proba`` needs."""

    def _training(self, X: Any, y: Any) -> Training:
        """The checked training rows, ready to grow trees from."""
        from wager.learners.trees._grow import Training
        from wager.learners.trees._nodes import TreeRows

        table, labels = self._read_training(
            X, y, lambda table: nominal_columns(table, self.categorical_features)
        )
        rows = TreeRows.of(self.schema_, table, known=True)
        self._learn_fill(rows)
        return Training.of(self._filled(rows), labels.astype(np.int32), len(self.classes_))

    def _tree_rows(self, X: Any) -> TreeRows:
        """The checked rows to predict."""
        from wager.learners.trees._nodes import TreeRows

        table = self._read_rows(X)
        return self._filled(TreeRows.of(self.schema_, table))

    def _learn_fill(self, rows: TreeRows) -> None:
        """Learn from the training rows how to fill gaps."""

    def _filled(self, rows: TreeRows) -> TreeRows:
        """The rows with their gaps filled; a learner that handles gaps leaves them."""
        return rows


class SingleTreeMixin(ABC):
    """The size and the text of an estimator with one tree, in flat arrays in ``tree_``."""

    tree_: TreeNodes
    schema_: Schema
    classes_: Array
    n_features_in_: int

    def to_node(self, feature_names: Sequence[Any] | None = None) -> TreeNode:
        """The tree as nested nodes with labels, to print or draw.

        Leaves are labelled as in ``to_text``.  ``feature_names`` replaces the names of the columns
        that the tree learned from, or x0, x1, ... for an array.
        """
        from wager.learners.trees._labels import named_tree

        check_is_fitted(self)
        m = self.n_features_in_
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(m)])
        if feature_names is not None:
            names = list(feature_names)
            if len(names) != m:
                raise ValueError(f"feature_names has {len(names)} names for {m} features")
        return named_tree(
            self.tree_, [str(name) for name in names], self.schema_.levels, self._leaf_labels()
        )

    @abstractmethod
    def _leaf_labels(self) -> list[str]:
        """What each node would predict as a leaf."""

    def to_text(self) -> str:
        """The tree as text, one line per branch."""
        return self.to_node().to_text()

    @property
    def n_nodes_(self) -> int:
        """Number of nodes."""
        return len(self.tree_.feature)

    @property
    def n_leaves_(self) -> int:
        """Number of leaves."""
        return int((self.tree_.feature < 0).sum())

    @property
    def depth_(self) -> int:
        """Number of splits on the longest path to a leaf."""
        from wager.learners.trees._nodes import depth_of

        return depth_of(self.tree_)


class CredalTreeClassifier(RobustMixin, SetValuedMixin, TreeClassifier):
    """Base class of credal trees and forests: they fill gaps and share most parameters."""

    s: float
    dominance: str
    missing: str
    max_depth: int | None

    fill_: tuple[Ints, Floats]

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        return (Strength("s", FEW_PRIOR_ROWS, refit="the splits of a credal tree depend on s"),)

    def _learn_fill(self, rows: TreeRows) -> None:
        self.fill_ = _usual_values(rows)

    def _filled(self, rows: TreeRows) -> TreeRows:
        """Missing values replaced by the usual ones, unless rows are to be split up."""
        if self.missing == "fractional":
            return rows
        usual_codes, usual_numbers = self.fill_
        codes, values = rows.codes, rows.numbers
        if codes.min(initial=0) < 0:
            gaps = np.flatnonzero(codes.ravel() < 0)
            codes = codes.copy()
            codes.ravel()[gaps] = usual_codes[gaps % codes.shape[1]]
        if np.isnan(values).any():
            values = np.where(np.isnan(values), usual_numbers[:, None], values)
        return rows._replace(codes=codes, numbers=values)

    def _split_rule(self, training: Training, **options: Any) -> SplitRule:
        """How to split the nodes; ``options`` are those that a tree and a forest do not share."""
        from wager.learners.trees._grow import UNLIMITED
        from wager.learners.trees._information_gain import STEP, SplitRule
        from wager.learners.trees._upper_entropy import entropy_terms

        tried = min(options["n_tried"], len(training.rows.n_values))
        return SplitRule(
            s=float(self.s),
            max_depth=UNLIMITED if self.max_depth is None else int(self.max_depth),
            logs=entropy_terms(len(training.y)),
            step=STEP * tried,
            **options,
        )

    def _check_arguments(self) -> None:
        check_strength(self.s)
        check_option("missing", self.missing, ("mode", "fractional"))
        check_option("dominance", self.dominance, ("weak", "strict"))
        if self.max_depth is not None and not (
            0 <= real_number(self.max_depth, "max_depth") < np.inf
        ):
            raise ValueError(
                f"max_depth must not be negative (None is no limit), got {brief(self.max_depth)}"
            )


def _usual_values(rows: TreeRows) -> tuple[Ints, Floats]:
    """The most frequent code of each nominal column, the first of several, and the mean numbers."""
    n_values = rows.n_values[rows.n_values > 0]
    counts = Counts.of(rows.codes, np.zeros(len(rows.codes), np.int32), n_values, 1)
    usual = [counts.of_feature(j).argmax() for j in range(len(n_values))]
    codes = np.array(usual, dtype=rows.codes.dtype)
    known = ~np.isnan(rows.numbers)
    with np.errstate(over="ignore", invalid="ignore"):  # beyond all thresholds all the same
        total = np.where(known, rows.numbers, 0.0).sum(axis=1)
    return codes, total / np.maximum(known.sum(axis=1), 1)
