"""The naive credal classifier: naive Bayes with a set of priors, which may keep several classes.

Zaffalon (1999, 2001); NCC2 for missing values: Corani & Zaffalon (2008); posterior intervals and
costs: Yang, Destercke & Masson (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Protocol, Self

import numpy as np

from wager._tables import Counts, positions, read_class_labels, real_numbers
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.credal import decide, determinate_costs, reject_credal
from wager.learners._base import (
    LEAST_STRENGTH,
    check_option,
    check_strength,
    feature_names,
    one_row,
)
from wager.learners._counted import CountsClassifier
from wager.learners._robustness import CodedRobustnessMixin
from wager.learners._set_valued import CodedSetsMixin, CostSensitiveMixin, single_class_costs
from wager.learners._single_up_to import single_class
from wager.learners._strengths import PRIOR_ROWS, SHARES, Strength, nested_sets
from wager.learners.naive._changes import (
    SmallestChange,
    labels_to_change,
    least_labels,
    least_missing,
)
from wager.learners.naive._cost_dominance import CostDominance, LocalCostDominance
from wager.learners.naive._explain import RatioExplanation, explain_row, naive_terms, value_of
from wager.learners.naive._intervals import LocalModel
from wager.learners.naive._point_model import PointModel
from wager.learners.naive._ratio import Dominance
from wager.learners.naive._row_counts import RowCountsByClass
from wager.learners.naive._single_up_to import IntervalStrengths, dominance_strengths
from wager.learners.naive._variants import Conservative, Contaminated
from wager.predictions import PredictionSets, ProbabilityIntervals

__all__ = ["NaiveCredal"]

MOST_COMPLETIONS = 4096  # of a row, which are tried one by one


class _DominanceModel(Protocol):
    def undominated(self, codes: Ints) -> Bools: ...

    def log_infimum(self, codes: Ints) -> Floats: ...


class NaiveCredal(CodedRobustnessMixin, CodedSetsMixin, CostSensitiveMixin, CountsClassifier):
    """Naive Bayes with a set of priors: keep every class that no other class dominates.

    A class dominates another one if it is more probable for every prior of the set.

    Use it where rows are few: it names one class where the data suffice, and several where the
    prediction of naive Bayes would depend on the prior.

    Parameters
    ----------
    s : float, default=1.0
        Strength of the imprecise Dirichlet model: the number of rows that the prior is worth.
        Larger values are more cautious; 0 is maximum-likelihood naive Bayes, with ties kept.
    idm : {"global", "local", "intervals"}, default="global"
        "global" tests credal dominance exactly under one model of the joint distribution.  "local"
        gives the class and every conditional a separate model (closed form, wider sets).
        "intervals" decides by maximality from the posterior intervals of ``predict_credal``.
    missing : {"mar", "conservative"}, default="mar"
        "mar": values are missing at random and are ignored.  "conservative": they may be missing
        for any reason, so a class must dominate for every completion (NCC2).
    nonmar : array-like of bool or int, optional
        The features that "conservative" applies to, as a mask or as indices; all by default.
    epsilon : float or array-like of shape (m,), default=0.0
        Restricts the priors, so that a single zero count does not rule out all dominance.
    epsilon_model : {"floor", "contamination"}, default="floor"
        How priors are restricted: by a floor under the counts, or by a share of the uniform prior.
    unseen : {"zero", "missing", "error"}, default="zero"
        Whether a value that training did not see has count zero, is ignored, or is an error.
    reject : float, optional
        Predict all classes unless the largest lower probability exceeds this (Zaffalon, Corani &
        Mauá, 2012, Section 9.4).
    reject_group : bool, default=False
        Instead of predicting all classes, add classes until the lower probability of the set
        exceeds ``reject``.
    costs : CostMatrix or array-like of shape (K, K), optional
        The cost of predicting a class (row) when another is true (column).  A class then dominates
        another one if its expected cost is smaller for every prior of the set.  "global" and
        "local" solve this exactly; "intervals" is more cautious.  A ``CostMatrix`` is matched by
        the names of its classes, an array has the order of ``classes_``.  Needs ``missing="mar"``
        and ``epsilon=0`` unless ``idm="intervals"``.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_set``, in order.
    counts_ : NamedCounts
        The training counts, from which the model is made.

    Notes
    -----
    ``predict_proba`` is the posterior under the Perks prior, the centre of the set of priors, and
    ``predict`` its most probable class within the set, or with costs the cheapest one.
    ``predict_credal`` returns outer bounds under the global model.  With
    ``epsilon_model="contamination"`` it mixes a share of the uniform distribution into each
    conditional after training, whereas the sets of the global model restrict the priors: its
    intervals are then no bounds of that model, and ``predict_proba`` may lie outside them.

    References
    ----------
    Zaffalon, M. (2002). The naive credal classifier. Journal of Statistical Planning and Inference
    105.

    Corani, G. & Zaffalon, M. (2008). Learning reliable classifiers from small or incomplete data
    sets: the naive credal classifier 2. Journal of Machine Learning Research 9.

    Examples
    --------
    >>> X = [["sunny"], ["sunny"], ["sunny"], ["rainy"], ["rainy"], ["foggy"]]
    >>> model = NaiveCredal().fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> model.predict_set([["sunny"], ["rainy"], ["foggy"], [None]]).tolist()
    [[False, True], [True, False], [True, True], [True, True]]
    >>> model.classes_.tolist()  # one foggy row is too little evidence, a missing value is none
    ['in', 'out']
    """

    def __init__(
        self,
        s: float = 1.0,
        idm: str = "global",
        missing: str = "mar",
        epsilon: float | ArrayLike = 0.0,
        epsilon_model: str = "floor",
        unseen: str = "zero",
        reject: float | None = None,
        *,
        reject_group: bool = False,
        nonmar: ArrayLike | None = None,
        costs: Any = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.idm = idm
        self.missing = missing
        self.epsilon = epsilon
        self.epsilon_model = epsilon_model
        self.unseen = unseen
        self.reject = reject
        self.reject_group = reject_group
        self.nonmar = nonmar
        self.costs = costs
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _sets(self, codes: Ints) -> Bools:
        """The undominated classes of each row."""
        if self.idm == "intervals":
            costs = single_class_costs(self.costs)
            sets = decide(self._intervals(codes), "maximality", costs).to_indicator()
        else:
            sets = self._model.undominated(codes)
        if self.reject is None:
            return sets
        named = PredictionSets.from_indicator(sets, self.classes_)
        kept = reject_credal(self._intervals(codes), named, self.reject, group=self.reject_group)
        return kept.to_indicator()

    def log_dominance(self, X: Any) -> Floats:
        """The logarithm of the least ratio P(c1|x)/P(c2|x), ``[row, c1, c2]``.

        Positive where c1 dominates c2; minus infinity where the ratio can be 0, NaN for c1 = c2.
        """
        if self.idm == "intervals":
            raise ValueError(
                "log_dominance needs ratios of probabilities, not intervals: set idm='global' or "
                "'local'"
            )
        n, blocks = self._code_blocks(X)
        found = np.empty((n, len(self.classes_), len(self.classes_)))
        for rows, codes in blocks:
            found[rows] = self._model.log_infimum(codes)
        return found

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        floor = tuple(share / 2 for share in SHARES)
        return (
            Strength("s", PRIOR_ROWS),
            Strength("epsilon", floor if self.epsilon_model == "floor" else SHARES),
            Strength("reject", SHARES),
        )

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        """The sets for several values, from the counts of the fitted model."""
        codes = self._all_codes(X)
        if name == "s" and self._grows_with_s:
            check_strength(values[0])  # the least one

            def decide_some(rows: Ints, s: float) -> Bools:
                if isinstance(self._model, Dominance) and self.idm == "global":
                    return self._model.with_strength(float(s)).undominated(codes[rows])
                return self._with("s", s)._sets(codes[rows])

            return nested_sets(decide_some, values, len(codes), len(self.classes_))
        return np.stack([self._with(name, value)._sets(codes) for value in values])

    @property
    def _grows_with_s(self) -> bool:
        """Whether a larger s can only add classes.

        With x unchanged and s larger, the factor (n(c1)+s-x) / prod_j (n_j(c1)+s-x) of the ratio
        cannot increase, since n_j(c1) <= n(c1); without any observed feature, the same is true of
        a larger x.  The floor of a positive epsilon grows with s, so that it may rule classes out.
        """
        plain = self.missing == "mar" and self.reject is None and self.costs is None
        return plain and not np.any(np.asarray(self.epsilon) > 0)

    def _with(self, name: str, value: float) -> Self:
        """The model with another value of a parameter, made from the same counts."""
        twin = copy(self)
        setattr(twin, name, value)
        twin._take_counts(self.counts_.single)
        return twin

    def _largest_strengths(self, codes: Ints) -> Floats:
        """The largest s at which each prediction is single, with all other settings as fitted."""
        if self.idm == "intervals":
            found = self._interval_strengths(codes).maximal(single_class_costs(self.costs))
        else:
            model = self._make_model(self._local.counts, LEAST_STRENGTH)
            found = dominance_strengths(model, codes)
        if self.reject is None:
            return found
        kept = None  # any class may be the one that is probable enough
        if self.reject_group:
            plain = self._with("s", LEAST_STRENGTH)
            plain.reject = None
            _, kept = single_class(plain._sets(codes))
        return np.minimum(found, self._interval_strengths(codes).accepted(self.reject, kept))

    def robustness(self, X: Any, *, of: str = "strength") -> Floats:
        """How much must be different to change the prediction of each row.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n, m)
        of : {"strength", "missing", "labels"}, default="strength"
            "strength": the largest s at which the prediction stays the same single class.
            "missing": the smallest number of the row's missing values that change the prediction if
            they become known, exactly.  "labels": a certified lower bound of the number of training
            rows that must get another label.  The last two keep the fitted s; they need
            ``idm="global"``, ``missing="mar"``, and no epsilon, costs or reject.

        Returns
        -------
        ndarray of shape (n,)
            0 where the prediction is not a single class (with "strength": not at any s, however
            small); infinity where nothing changes it.

        Examples
        --------
        >>> X = [["sunny"], ["sunny"], ["sunny"], ["rainy"], ["rainy"], ["foggy"]]
        >>> model = NaiveCredal().fit(X, ["out", "out", "out", "in", "in", "in"])
        >>> model.robustness([["sunny"], ["rainy"], ["foggy"]]).round(3).tolist()
        [3.0, 2.0, 1.0]
        """
        check_option("of", of, ("strength", "missing", "labels"))
        if of == "strength":
            return super().robustness(X)
        self._check_changeable()
        n, blocks = self._code_blocks(X)
        found = np.zeros(n)
        for rows, codes in blocks:
            alone, winner = single_class(self._sets(codes))
            for i in np.flatnonzero(alone):
                one = codes[i : i + 1]
                found[rows][i] = self._least_change(one, int(winner[i]), of)
        return found

    def smallest_change(
        self, x: Any, *, of: str = "missing", training: tuple[Any, Any] | None = None
    ) -> SmallestChange:
        """Missing values of a row, or labels of training rows, that change its prediction.

        Parameters
        ----------
        x : table with one row
        of : {"missing", "labels"}, default="missing"
            As for ``robustness``.  The values for missing ones are the fewest that are enough.
        training : tuple (X, y), optional
            The training rows, to find labels that change the prediction, by greedy steps; the
            model itself keeps only counts, which give a lower bound.

        Returns
        -------
        SmallestChange

        Examples
        --------
        >>> X = [["sun"], ["sun"], ["sun"], ["rain"]]
        >>> model = NaiveCredal().fit(X, ["out", "out", "out", "in"])
        >>> model.smallest_change([[None]]).changes
        (('x0', 'rain'),)
        """
        check_option("of", of, ("missing", "labels"))
        self._check_changeable()
        codes = one_row(self, x)
        kept = self._sets(codes)[0]
        before = tuple(self.classes_[kept].tolist())
        if kept.sum() != 1:
            return SmallestChange(of, before, before, 0.0, ())
        winner = int(kept.argmax())
        if of == "labels":
            return self._change_of_labels(codes, winner, training)
        values = least_missing(self._local.counts, codes, winner, float(self.s))
        completions = self._changing_completions(codes, kept)
        if values is None:
            return SmallestChange(of, before, before, np.inf, (), completions)
        filled, names = codes.copy(), feature_names(self)
        filled[0, list(values)] = list(values.values())
        after = tuple(self.classes_[self._sets(filled)[0]].tolist())
        changes = tuple((names[j], value_of(self.schema_, j, a)) for j, a in values.items())
        return SmallestChange(of, before, after, len(changes), changes, completions)

    def _change_of_labels(
        self, codes: Ints, winner: int, training: tuple[Any, Any] | None
    ) -> SmallestChange:
        rows = RowCountsByClass.of(self._local.counts, codes)
        least = least_labels(rows, winner, float(self.s))
        before = (self.classes_[winner].item(),)
        if training is None:
            return SmallestChange("labels", before, before, least, ())
        n, blocks = self._code_blocks(training[0])
        table = np.concatenate([part for _, part in blocks])
        y, _ = read_class_labels(self, training[1], n, self.classes_)
        found = labels_to_change(rows, codes, (table, y), winner, float(self.s))
        changed = y.copy()
        for row, new in found:
            changed[row] = new
        counts = Counts.of(table, changed, self.n_values_, len(self.classes_))
        kept = self._make_model(counts, float(self.s)).undominated(codes)[0]
        labels = self.classes_.tolist()
        changes = tuple((row, labels[y[row]], labels[new]) for row, new in found)
        return SmallestChange("labels", before, tuple(self.classes_[kept].tolist()), least, changes)

    def _least_change(self, codes: Ints, winner: int, of: str) -> float:
        counts, s = self._local.counts, float(self.s)
        if of == "labels":
            return least_labels(RowCountsByClass.of(counts, codes), winner, s)
        values = least_missing(counts, codes, winner, s)
        return np.inf if values is None else float(len(values))

    def _changing_completions(self, codes: Ints, kept: Bools) -> tuple[int, int] | None:
        """How many completions of a row change its prediction, and how many there are."""
        gaps = np.flatnonzero(codes[0] < 0)
        sizes = self.n_values_[gaps]
        total = int(np.prod(sizes, dtype=float))
        if not len(gaps) or total > MOST_COMPLETIONS:
            return None
        rows = np.repeat(codes, total, axis=0)
        rows[:, gaps] = np.indices(tuple(sizes)).reshape(len(gaps), -1).T
        return int((self._sets(rows) != kept).any(axis=1).sum()), total

    def _check_changeable(self) -> None:
        plain = self.idm == "global" and self.missing == "mar" and not np.any(self.epsilon)
        if not plain or self.costs is not None or self.reject is not None:
            raise ValueError(
                "changes of missing values and labels need idm='global', missing='mar', and no "
                "epsilon, costs or reject"
            )

    def explain_set(self, x: Any) -> RatioExplanation:
        """Why one row has its predicted set: which pair of classes decides, and which features.

        Parameters
        ----------
        x : table with one row

        Returns
        -------
        RatioExplanation
            ``print(str(...))`` says it in words; `plot_explanation` draws it.

        Examples
        --------
        >>> X = [["sunny"], ["sunny"], ["sunny"], ["rainy"], ["rainy"], ["foggy"]]
        >>> model = NaiveCredal().fit(X, ["out", "out", "out", "in", "in", "in"])
        >>> model.explain_set([["foggy"]]).pair
        ('in', 'out')
        """
        self._check_explainable()
        codes = one_row(self, x)
        counts, s = RowCountsByClass.of(self._local.counts, codes), float(self.s)
        floor = float(np.asarray(self.epsilon)) if self.idm == "global" else 0.0
        return explain_row(
            self,
            counts,
            codes,
            self._sets(codes)[0],
            s=s,
            terms=naive_terms(counts, s, floor=floor, local=self.idm == "local"),
            kind=RatioExplanation,
        )

    def _check_explainable(self) -> None:
        contaminated = self.epsilon_model == "contamination" and np.any(
            np.asarray(self.epsilon) > 0
        )
        conservative = self.missing == "conservative"
        decided_otherwise = self.costs is not None or self.reject is not None
        if self.idm == "intervals" or contaminated or conservative or decided_otherwise:
            raise ValueError(
                "explain_set needs ratios of two probabilities: set idm='global' or 'local', "
                "missing='mar', no contamination, no costs and no reject"
            )

    def _interval_strengths(self, codes: Ints) -> IntervalStrengths:
        return IntervalStrengths(self._local, codes, self.classes_)

    def _proba(self, codes: Ints) -> Floats:
        """The posterior under the Perks prior, the centre of the set of priors."""
        return self._centre.proba(codes)

    def _take_counts(self, counts: Counts) -> None:
        """Make the three models; each computes its tables when it is first asked."""
        self._check_arguments(len(counts.n_values))
        self._model = self._make_model(counts, float(self.s))
        self._local = LocalModel(counts, float(self.s), self._contamination)
        self._centre = PointModel(counts, "perks", max(float(self.s), LEAST_STRENGTH))

    def _make_model(self, counts: Counts, s: float) -> _DominanceModel:
        costs = determinate_costs(single_class_costs(self.costs), self.classes_)
        if costs is not None and self.idm != "intervals":
            model = CostDominance if self.idm == "global" else LocalCostDominance
            return model(counts, s, costs)
        if self.idm == "local":
            return LocalModel(counts, s, self._contamination)
        if self.missing == "conservative":
            return Conservative(counts, s, self._unknown_features(len(counts.n_values)))
        if self.epsilon_model == "contamination" and np.any(np.asarray(self.epsilon) > 0):
            return Contaminated(counts, s, self._contamination)
        return Dominance(counts, s, float(np.asarray(self.epsilon)))

    @property
    def _contamination(self) -> float | Floats:
        if self.epsilon_model == "floor":
            return 0.0
        epsilon = np.asarray(self.epsilon, dtype=float)
        return float(epsilon) if epsilon.ndim == 0 else epsilon

    def _intervals(self, codes: Ints) -> ProbabilityIntervals:
        """The posterior intervals; outer bounds under the global model."""
        lower, upper = self._local.intervals(codes)
        return ProbabilityIntervals(lower, upper, self.classes_).tighten()

    def _codes(self, table: Any, first_row: int) -> Ints:
        """The rows as codes; values that training did not see are handled as ``unseen`` says."""
        codes = super()._codes(table, first_row)
        if self.unseen == "zero":
            return codes
        strange = codes == self.n_values_
        if self.unseen == "missing":
            return np.where(strange, -1, codes).astype(codes.dtype)
        if strange.any():
            row, column = np.argwhere(strange)[0]
            raise ValueError(
                f"row {first_row + row} has a value in column {column} that training did not see: "
                "declare it, or set unseen='zero' or unseen='missing'"
            )
        return codes

    def _unknown_features(self, m: int) -> Bools:
        if self.nonmar is None:
            return np.ones(m, dtype=bool)
        chosen = np.asarray(self.nonmar)
        if chosen.dtype.kind == "b":
            if chosen.shape != (m,):
                raise ValueError(
                    f"nonmar as a mask needs one entry per feature: {m}, got shape {chosen.shape}"
                )
            return chosen
        mask = np.zeros(m, dtype=bool)
        mask[positions(chosen, m, "nonmar")] = True
        return mask

    def _check_arguments(self, n_features: int | None = None) -> None:
        check_strength(self.s)
        check_option("idm", self.idm, ("global", "local", "intervals"))
        check_option("missing", self.missing, ("mar", "conservative"))
        check_option("epsilon_model", self.epsilon_model, ("floor", "contamination"))
        check_option("unseen", self.unseen, ("zero", "missing", "error"))
        epsilon = real_numbers(self.epsilon, "epsilon")
        if not ((epsilon >= 0) & (epsilon < 1)).all():
            raise ValueError(f"epsilon must be at least 0 and below 1, got {brief(self.epsilon)}")
        known = epsilon.shape if n_features is None else (n_features,)  # None: no data yet
        if epsilon.ndim and (self.epsilon_model == "floor" or epsilon.shape != known):
            raise ValueError(
                "an epsilon per feature needs epsilon_model='contamination' and "
                f"{n_features or 'as many'} values, one per feature"
            )
        if self.epsilon_model == "floor" and epsilon >= 0.5:
            raise ValueError(
                f"with epsilon_model='floor' epsilon must be below 0.5, got {brief(self.epsilon)}"
            )
        if self.missing == "conservative" and (self.idm != "global" or epsilon.any()):
            raise ValueError("missing='conservative' needs idm='global' and epsilon=0")
        restricted = self.missing == "conservative" or epsilon.any()
        if self.costs is not None and self.idm != "intervals" and restricted:
            raise ValueError(
                f"costs with idm={self.idm!r} need missing='mar' and epsilon=0: set them, or set "
                "idm='intervals'"
            )
