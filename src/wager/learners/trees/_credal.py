"""Credal decision trees: splits that reduce the largest entropy, leaves that predict intervals.

Abellán & Moral (2003); Abellán & Masegosa (2012).  The class counts of a node do not give one
distribution, but the set of all distributions that the imprecise Dirichlet model allows.  The gain
of a split is the reduction of the largest entropy in this set.  So small branches look uncertain,
and the tree stops growing without pruning.  Nonparametric predictive inference (Coolen & Augustin,
2009) is another such set, without a strength to choose.  Credal C4.5 (Mantas & Abellán, 2014)
divides the gain by the entropy of the split, and prunes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from wager._tables import real_number
from wager._typing import ArrayLike, Bools, Floats
from wager._visible import brief
from wager.learners._base import check_option, check_single, feature_names
from wager.learners._explain import evidence_of
from wager.learners._strengths import Strength
from wager.learners.trees._base import CredalTreeClassifier, SingleTreeMixin
from wager.learners.trees._explain import LeafExplanation, LeafPath
from wager.learners.trees._leaf_intervals import bounds_of, centres, intervals, undominated
from wager.learners.trees._leaf_strengths import RowLeaves, ruled_out_up_to, second_smallest
from wager.predictions import ProbabilityIntervals

if TYPE_CHECKING:  # these modules load Numba
    from wager.learners.trees._grow import Training
    from wager.learners.trees._information_gain import SplitRule

__all__ = ["CredalTree"]


class CredalTree(SingleTreeMixin, CredalTreeClassifier):
    """A decision tree that predicts all classes that the intervals of a leaf do not rule out.

    Class probabilities in a node are intervals of the imprecise Dirichlet model, or of
    nonparametric predictive inference, and splits are chosen by the largest entropy within them.

    Use it for a tree that names several classes in leaves with few rows.

    Numbers that differ by 1e-5 or less are not separated, as in Weka: rescale features in tiny
    units.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the imprecise Dirichlet model: how many rows the prior is worth.  Larger values
        give smaller trees and wider intervals; 0 gives a tree by plain information gain.  The
        other models do not use it.
    criterion : {"iig", "iigr", "range"}, default="iig"
        "iig" is the imprecise information gain.  "iigr" is Credal C4.5: the gain divided by the
        entropy of the split, among features of at least average gain, followed by C4.5's pruning.
        "range" weighs the largest entropy against the smallest by ``gamma``, and splits if the
        result is below ``t_base``.
    dominance : {"weak", "strict"}, default="weak"
        A leaf rules a class out if the lower probability of another class reaches its upper
        probability; with "strict" only if it exceeds it.
    missing : {"mode", "fractional"}, default="mode"
        "mode" replaces a missing value by the most frequent value of the training rows, or by the
        mean of numbers; "fractional" sends the row down every branch with a part of its weight.
    candidates : {"all", "complete"}, default="all"
        "complete" allows only splits where every declared value has rows.
    min_rows : float, optional
        At least two branches of a split, or all of them with "complete", must have this many rows;
        by default 2 for "iigr" and no limit otherwise.
    max_depth : int, optional
        Largest number of splits on the path to a leaf; no limit by default.
    correction : {None, "strobl", "abellan"}, default=None
        Correction of the entropies for small samples.
    gamma, t_base : float
        Parameters of the "range" criterion.
    ties : {"first", "weka"}, default="first"
        How equally good splits are chosen.  "first" takes the first feature, and the first cut of a
        numeric one.  "weka" lets the last bit of the gains decide, as the published program does,
        so that the tree may depend on the order of classes and values.
    prune : bool, optional
        Whether to prune as C4.5 does; by default only with "iigr".
    confidence : float, default=0.25
        Confidence of the pruning: smaller values prune more.
    model : {"idm", "npi", "npi-approx", "npi-ordinal"}, default="idm"
        The set of class distributions of a node.  "idm" is the imprecise Dirichlet model.  "npi" is
        nonparametric predictive inference, "npi-approx" the slightly larger set of all
        distributions within its intervals.  "npi-ordinal" is for classes that are ordered as in
        ``classes``.  All but "idm" need ``missing="mode"``.
    categorical_features : "auto", "all", "none", mask, indices or names, default="auto"
        Which features are nominal, as for ``C45``.  A nominal feature gets one branch per declared
        value, a numeric feature two branches.
    classes, n_values, empty_classes
        Declared classes and values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    tree_ : TreeNodes
        The tree as flat arrays with one entry per node.
    n_nodes_, n_leaves_, depth_ : int
        The size of the tree; a branch without training rows is a leaf as well.

    Notes
    -----
    A leaf without training rows predicts the interval [0, 1] for every class, so it keeps them all.
    ``predict_proba`` returns the centre of the leaf's intervals (those of the parent for a leaf
    without rows), and ``predict`` the most probable class within the set.

    The interval of class c in a leaf with n rows, n(c) of this class, is

    - ``[n(c), n(c) + s] / (n + s)`` with "idm",
    - ``[max(0, n(c) - 1), min(n, n(c) + 1)] / n`` with "npi" and "npi-approx",
    - ``[max(0, n(c) - 1), n(c) + 1] / (n + 1)`` with "npi-ordinal", where the lower bound of the
      first and of the last class is ``n(c) / (n + 1)``.

    "npi" and "npi-approx" differ only in the entropies by which the tree grows.  Of the "npi"
    model, whose distributions are those of a wheel on which each class has one segment, we compute
    the largest entropy exactly; the published algorithm (Abellán, Baker & Coolen, 2011), as R's
    imptree has it, gives another value for some counts, such as 1, 1, 1, 3, 3.

    Gains that differ by less than 1e-9 are equal, and of equal features the first one is split on,
    so the predictions do not depend on the order of classes and values, but may depend on that of
    the features.  With missing="mode", equally frequent values count in their order.

    In the text of the tree, a leaf names the classes that it keeps, the weight of its training rows
    and the interval of every class that has any of them.

    References
    ----------
    Abellán, J. & Moral, S. (2003). Building classification trees using the total uncertainty
    criterion. International Journal of Intelligent Systems 18.
    Coolen, F. P. A. & Augustin, T. (2009). A nonparametric predictive alternative to the imprecise
    Dirichlet model. International Journal of Approximate Reasoning 50.
    Abellán, J., Baker, R. M. & Coolen, F. P. A. (2011). Maximising entropy on the nonparametric
    predictive inference model for multinomial data. European Journal of Operational Research 212.
    Coolen, F. P. A., Coolen-Schrijner, P., Coolen-Maturi, T. & Ali, F. F. (2013). Nonparametric
    predictive inference for ordinal data. Communications in Statistics 42.

    Examples
    --------
    >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["rain"], ["fog"]]
    >>> tree = CredalTree().fit(X, ["out", "out", "out", "in", "in", "in", "in"])
    >>> print(tree.to_text())
    x0 = fog: in (1): in [0.50, 1.00], out [0.00, 0.50]
    x0 = rain: in (3): in [0.75, 1.00], out [0.00, 0.25]
    x0 = sun: out (3): in [0.00, 0.25], out [0.75, 1.00]
    >>> tree.predict_set([["sun"], ["snow"]]).tolist()  # no training row has snow
    [[False, True], [True, True]]
    >>> tree.set_params(model="npi").fit(X, ["out", "out", "out", "in", "in", "in", "in"])
    CredalTree(model='npi')
    >>> tree.predict_credal([["sun"]]).lower.round(3).tolist()
    [[0.0, 0.667]]
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
        ties: str = "first",
        prune: bool | None = None,
        confidence: float = 0.25,
        model: str = "idm",
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
        self.ties = ties
        self.prune = prune
        self.confidence = confidence
        self.model = model
        self.categorical_features = categorical_features
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _grow(self, training: Training) -> None:
        from wager.learners.trees._information_gain import grow_credal_tree
        from wager.learners.trees._prune import ErrorLimit, collapse_and_prune

        self.tree_ = grow_credal_tree(training, self._rule(training))
        if self.criterion == "iigr" if self.prune is None else self.prune:
            limit = ErrorLimit(float(self.confidence), float(ndtri(1 - self.confidence)))
            self.tree_ = collapse_and_prune(self.tree_, training, limit)

    def predict_set(self, X: Any) -> Bools:
        """The classes that the leaf of each row does not rule out, columns as ``classes_``."""
        return undominated(*self._bounds(X), self.dominance)

    def robustness(self, X: Any) -> Floats:
        """The largest s at which the leaf of each row rules out all classes but one.

        The tree stays as it was grown with the fitted ``s``; in a leaf the answer is the difference
        between the two largest class counts.  Needs ``model="idm"``, since the other models have no
        strength.

        Parameters
        ----------
        X : table as for ``fit``

        Returns
        -------
        ndarray of shape (n,)
            0 where the leaf has no training rows or a tie, infinity if there is one class only.
        """
        self._check_has_strength("robustness")
        leaves = RowLeaves.of(self.tree_, self._tree_rows(X))
        return second_smallest(ruled_out_up_to(leaves, self.dominance))

    def explain_set(self, x: Any) -> LeafExplanation:
        """Why one row has its predicted set: the tests to its leaf, and the counts there.

        Needs ``model="idm"``, as ``robustness`` does.

        Parameters
        ----------
        x : table with one row

        Returns
        -------
        LeafExplanation
            ``print(str(...))`` says it in words; `plot_explanation` draws it.

        Examples
        --------
        >>> X = [["sun"], ["sun"], ["sun"], ["rain"], ["rain"], ["rain"], ["fog"]]
        >>> tree = CredalTree().fit(X, ["out", "out", "out", "in", "in", "in", "in"])
        >>> found = tree.explain_set([["sun"]])
        >>> found.path, found.pair, found.lead
        (('x0 = sun',), ('out', 'in'), 3.0)
        """
        from wager.learners.trees._nodes import TreeRows

        self._check_has_strength("explain_set")
        raw = TreeRows.of(self.schema_, self._read_rows(x))
        check_single(len(raw.codes))
        rows, names = self._filled(raw), feature_names(self)
        leaves = RowLeaves.of(self.tree_, rows)
        lower, upper = (part[0] for part in intervals(self.tree_, rows, float(self.s), self.model))
        path = LeafPath.of(self.tree_, rows, names, self.schema_.levels)
        counts = leaves.counts[0] if not leaves.mixed else np.full(len(self.classes_), np.nan)
        kept = undominated(lower[None], upper[None], self.dominance)[0]
        on_path = bounds_of(self.tree_.counts[path.nodes], float(self.s), self.model)
        gaps = raw.gaps()[0]
        return LeafExplanation(
            **evidence_of(self.classes_, counts, lower, upper, kept),
            s=float(self.s),
            robustness=float(second_smallest(ruled_out_up_to(leaves, self.dominance))[0]),
            source=path.source(counts.sum(), len(leaves.mixed[0][0]) if leaves.mixed else 1),
            path=tuple(path.tests),
            filled=tuple(dict.fromkeys(names[a] for a, _ in path.turns if gaps[a])),
            undecided_by=()
            if kept.sum() == 1
            else path.undecided_by(undominated(*on_path, self.dominance), self.classes_),
        )

    def _check_has_strength(self, method: str) -> None:
        if self.model != "idm":
            raise ValueError(
                f"{method} needs a strength, and model={self.model!r} has none: set model='idm'"
            )

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        return super()._strengths if self.model == "idm" else ()

    def predict_credal(self, X: Any) -> ProbabilityIntervals:
        """The intervals of each row's leaf, for "idm" n(c)/(n+s) to (n(c)+s)/(n+s)."""
        lower, upper = self._bounds(X)
        return ProbabilityIntervals(lower, upper, self.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """The centre of the leaf's intervals, for "idm" (n(c) + s/K)/(n + s)."""
        rows = self._tree_rows(X)
        return centres(self.tree_, rows, float(self.s), self.model)

    def _bounds(self, X: Any) -> tuple[Floats, Floats]:
        rows = self._tree_rows(X)
        return intervals(self.tree_, rows, float(self.s), self.model)

    def _leaf_labels(self) -> list[str]:
        from wager.learners.trees._labels import credal_label

        lower, upper = bounds_of(self.tree_.counts, float(self.s), self.model)
        kept = undominated(lower, upper, self.dominance)
        return [
            credal_label(counts, self.classes_, *prediction)
            for counts, *prediction in zip(self.tree_.counts, lower, upper, kept, strict=True)
        ]

    def _rule(self, training: Training) -> SplitRule:
        from wager.learners.trees._information_gain import CRITERIA, TIED
        from wager.learners.trees._npi_entropy import MODELS
        from wager.learners.trees._upper_entropy import CORRECTIONS

        usual = 2.0 if self.criterion == "iigr" else 0.0
        return self._split_rule(
            training,
            model=MODELS[self.model],
            criterion=CRITERIA[self.criterion],
            complete=self.candidates == "complete",
            min_rows=usual if self.min_rows is None else float(self.min_rows),
            correction=CORRECTIONS[self.correction],
            gamma=float(self.gamma),
            t_base=real_number(self.t_base, "t_base"),
            n_tried=len(training.rows.n_values),
            tied=TIED if self.ties == "first" else 0.0,
        )

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_option("criterion", self.criterion, ("iig", "iigr", "range"))
        check_option("candidates", self.candidates, ("all", "complete"))
        check_option("correction", self.correction, (None, "strobl", "abellan"))
        check_option("ties", self.ties, ("first", "weka"))
        check_option("model", self.model, ("idm", "npi", "npi-approx", "npi-ordinal"))
        if self.model != "idm" and self.missing != "mode":
            raise ValueError(
                f"model={self.model!r} counts whole rows and cannot be used with "
                f"missing={self.missing!r}: use missing='mode' or model='idm'"
            )
        if self.model != "idm" and self.correction == "abellan":
            raise ValueError(
                f"correction='abellan' is for the imprecise Dirichlet model, not for "
                f"model={brief(self.model)}: use correction='strobl' or None"
            )
        if self.min_rows is not None and not real_number(self.min_rows, "min_rows") >= 0:
            raise ValueError(f"min_rows must not be negative, got {brief(self.min_rows)}")
        if not 0 <= real_number(self.gamma, "gamma") <= 1:
            raise ValueError(f"gamma must be in [0, 1], got {brief(self.gamma)}")
        if not 0 < real_number(self.confidence, "confidence") <= 0.5:
            raise ValueError(f"confidence must be in (0, 0.5], got {brief(self.confidence)}")
