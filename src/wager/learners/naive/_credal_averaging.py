"""Credal model averaging: naive Bayes over all subsets of features, under a set of priors.

Corani & Zaffalon (2008), with the exact averaging of Dash & Cooper (2004).  The prior probability
t_j that feature j is included is only known to lie in [t_min, 1 - t_min].  The ratio of two
classes' probabilities factorises over the features and each factor is monotone in its t_j, so the
least ratio is attained at an end of each interval, and no search is needed:

    log theta(c1)/theta(c2) + sum_j min over both ends t of [F_j(x_j, c1; t) - F_j(x_j, c2; t)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from scipy.special import log_expit

from wager._jit import entry
from wager._tables import Counts, real_number, row_blocks
from wager._typing import ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.learners._base import LEAST_STRENGTH, TIE, check_strength, one_row
from wager.learners._counted import CountsClassifier
from wager.learners._robustness import CodedRobustnessMixin
from wager.learners._set_valued import CodedSetsMixin
from wager.learners._single_up_to import largest_root
from wager.learners._strengths import SHARES, Strength
from wager.learners.naive._averaging import SubsetModels
from wager.learners.naive._explain import AveragingExplanation, Terms, explain_row
from wager.learners.naive._log_tables import add_up
from wager.learners.naive._row_counts import RowCountsByClass
from wager.predictions import ProbabilityIntervals

__all__ = ["CredalModelAveraging"]

TABLE = 1 << 22  # numbers in a table of differences by value and pair of classes


class CredalModelAveraging(CodedRobustnessMixin, CodedSetsMixin, CountsClassifier):
    """Average naive Bayes over all subsets of features, with imprecise inclusion probabilities.

    The prior probability that a feature is included lies in an interval instead of being one half,
    and a class is kept unless another one is more probable for all these priors.

    Use it as a cautious form of `BayesianModelAveraging`, on few rows with many features.

    Parameters
    ----------
    s : float, default=1.0
        The weight of the Perks prior of each model's parameters, in rows; 0 is replaced by a very
        small weight.
    t_min : float, default=0.1
        The prior probability that a feature is included lies between ``t_min`` and ``1 - t_min``;
        1/2 gives ``BayesianModelAveraging``, with ties kept.
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
    Features must be nominal: discretize numeric ones first.  Missing values are ignored.
    ``predict_proba`` averages with inclusion probability 1/2 for every feature, and ``predict`` is
    its most probable class within the set.

    The strength of ``robustness`` is the half-width ``0.5 - t_min`` of the inclusion probabilities:
    ``s`` is the weight of one prior, and does not make the model more cautious.

    References
    ----------
    Corani, G. & Zaffalon, M. (2008). Credal model averaging: an extension of Bayesian model
    averaging to imprecise probabilities. ECML PKDD.

    Examples
    --------
    >>> X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]] * 2
    >>> model = CredalModelAveraging().fit(X, [0, 0, 1, 1] * 2)
    >>> model.predict_set([["a", "p"], ["a", None], [None, "p"]]).tolist()
    [[True, False], [True, False], [True, True]]
    """

    def __init__(
        self,
        s: float = 1.0,
        t_min: float = 0.1,
        *,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.s = s
        self.t_min = t_min
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _take_counts(self, counts: Counts) -> None:
        check_strength(self.s)
        if not 0 <= real_number(self.t_min, "t_min") <= 0.5:
            raise ValueError(f"t_min must lie in [0, 0.5], got {brief(self.t_min)}")
        self._models = SubsetModels.of(counts, max(float(self.s), LEAST_STRENGTH))
        self._ends = self._ends_of(float(self.t_min))

    def _ends_of(self, t: float) -> tuple[Floats, Floats]:
        return self._models.lines(t), self._models.lines(1 - t)

    @property
    def _strengths(self) -> tuple[Strength, ...]:
        """The width of the interval of inclusion probabilities; s is the weight of one prior."""
        return (Strength("t_min", (*(share / 2 for share in SHARES), 0.5)),)

    def _sets_by_strength(self, X: Any, name: str, values: Sequence[float]) -> Bools:
        codes, twin = self._all_codes(X), copy(self)
        found = []
        for value in values:
            twin._ends = self._ends_of(float(value))
            found.append(twin._sets(codes))
        return np.stack(found)

    def _sets(self, codes: Ints) -> Bools:
        """The undominated classes of each row."""
        kept = np.ones((len(codes), len(self.classes_)), dtype=bool)
        for _, table, first in self._least_ratios():
            work = 1e-8 * codes.size * first.size
            _rule_out(codes, table, self._models.starts, first, kept, work=work)
        return kept

    def _largest_strengths(self, codes: Ints) -> Floats:
        """The largest half-width of the inclusion probabilities at which one class is left."""
        found = np.empty(len(codes))
        for block in row_blocks(len(codes), 4 * codes.shape[1] * len(self.classes_)):
            found[block] = self._half_widths(codes[block])
        return found

    def explain_set(self, x: Any) -> AveragingExplanation:
        """Why one row has its predicted set: which pair of classes decides, and which features.

        Parameters
        ----------
        x : table with one row

        Returns
        -------
        AveragingExplanation
            ``print(str(...))`` says it in words; `plot_explanation` draws it.

        Examples
        --------
        >>> X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]] * 2
        >>> model = CredalModelAveraging().fit(X, [0, 0, 1, 1] * 2)
        >>> found = model.explain_set([["a", "p"]])
        >>> [(one.name, round(one.factor, 2)) for one in found.factors]
        [('class frequencies', 1.0), ('x0', 10.34), ('x1', 1.0)]
        """
        codes = one_row(self, x)
        at, first = self._models.starts + codes[0], self._models.first
        ends = tuple(lines[at] for lines in self._ends)
        middle = (self._models.lines(0.5)[at],)

        def least(ends: tuple[Floats, ...]) -> Terms:
            def terms(c1: Ints, c2: Ints) -> tuple[Floats, Floats]:
                each = np.min([lines[:, c1] - lines[:, c2] for lines in ends], axis=0)
                return first[c1] - first[c2], each.T

            return terms

        return explain_row(
            self,
            RowCountsByClass.of(self.counts_.single, codes),
            codes,
            self._sets(codes)[0],
            s=0.5 - float(self.t_min),
            terms=(least(ends), least(middle)),
            kind=AveragingExplanation,
        )

    def _half_widths(self, codes: Ints) -> Floats:
        models, rows = self._models, np.arange(len(codes))
        lines = models.starts + codes
        inside, outside = models.inside[lines], models.outside[lines]
        odds = models.likelihood_in - models.likelihood_out
        winner = self._proba(codes).argmax(axis=1)

        def margin(chosen: Ints, half_width: Floats) -> Floats:
            ratios = models.first[winner[chosen], None] - models.first
            least = np.full((len(chosen), *inside.shape[1:]), np.inf)
            for t in (0.5 - half_width, 0.5 + half_width):
                with np.errstate(divide="ignore"):
                    at = (np.log(t) - np.log1p(-t))[:, None, None] + odds[:, None]
                logs = np.logaddexp(
                    log_expit(at) + inside[chosen], log_expit(-at) + outside[chosen]
                )
                own = logs[np.arange(len(chosen)), :, winner[chosen]]
                np.minimum(least, own[:, :, None] - logs, out=least)
            ratios = ratios + least.sum(axis=1)
            ratios[np.arange(len(chosen)), winner[chosen]] = np.inf
            return ratios.min(axis=1) - TIE

        return largest_root(margin, len(rows), last=0.5)

    def _intervals(self, codes: Ints) -> ProbabilityIntervals:
        """Bounds of the averaged probabilities, from the bounds of all ratios of two classes.

        The bounds hold for all priors of the set, but need not be attained.
        """
        K = len(self.classes_)
        lower, others = np.zeros((2, len(codes), K))
        for chosen, table, first in self._least_ratios():
            for block in row_blocks(len(codes), first.size):
                sums = add_up(codes[block], table, self._models.starts, first)
                with np.errstate(over="ignore"):
                    # the ratio of a class to itself is included: 1, with logarithm 0
                    ratios = np.exp(sums.reshape(len(sums), -1, K))
                    lower[block, chosen] = 1 / (1 / ratios).sum(axis=2)
                    others[block] += ratios.sum(axis=1)
        upper = 1 / others
        return ProbabilityIntervals(np.minimum(lower, upper), upper, self.classes_).tighten()

    def _proba(self, codes: Ints) -> Floats:
        """The average with inclusion probability 1/2 for every feature."""
        return self._models.proba(codes, self._models.lines(0.5))

    def _least_ratios(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """Tables that sum up to the log of the least ratio of each c1 to each c2, side by side.

        They come in parts of some classes c1: these classes, the lines by value, and the term of
        the classes themselves.
        """
        K, (low, high), first = len(self.classes_), self._ends, self._models.first
        at_once = max(1, TABLE // (len(low) * K + 1))
        for start in range(0, K, at_once):
            chosen = slice(start, min(start + at_once, K))
            table = low[:, chosen, None] - low[:, None]
            np.minimum(table, high[:, chosen, None] - high[:, None], out=table)
            ratios = (first[chosen, None] - first).ravel()
            yield chosen, table.reshape(len(low), ratios.size), ratios


def _rule_out_by_sums(codes: Ints, table: Floats, starts: Ints, first: Floats, kept: Bools) -> None:
    """Set ``kept`` to False where the least ratio of some other class to this one exceeds 1."""
    for block in row_blocks(len(codes), first.size):
        sums = add_up(codes[block], table, starts, first)
        kept[block] &= ~(sums.reshape(len(sums), -1, kept.shape[1]) > TIE).any(axis=1)


@entry(plain=_rule_out_by_sums, label="credal model averaging")
def _rule_out(codes, table, starts, first, kept):
    """Set ``kept`` to False where the least ratio of some other class to this one exceeds 1."""
    K, wide = kept.shape[1], first.shape[0]
    sums = np.empty(wide)
    for i in range(codes.shape[0]):
        for q in range(wide):
            sums[q] = first[q]
        for j in range(codes.shape[1]):
            line = starts[j] + codes[i, j]
            for q in range(wide):
                sums[q] += table[line, q]
        for q in range(wide):
            if sums[q] > TIE:
                kept[i, q % K] = False  # pairs are ordered by c1, then by the class they rule out
