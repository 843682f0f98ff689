"""The raw scores in Appendix A of Hope & Korb (2004), and the unit of A.1.

A.1 calls its numbers information rewards, but they exceed the upper bound of IR_B.  They fit this
definition:

    the sum over the classes of I_i (not their mean), in nats,
    relative to a prior that counts all training rows of a fold for one class,

not the same class in every fold.  The paper does not mention it.  The prior adds the same amount to
every learner's score on a fold, so neither the order within a row nor a paired test depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, log
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.rewards import information_reward_bound, prior_from_counts
from wager_studies._published import printed

if TYPE_CHECKING:
    from wager.experiments import Store
    from wager.rewards import ProbabilityEvaluation

__all__ = [
    "LEAST_DIFFERENCE",
    "PRINTED",
    "InUnitOfA1",
    "Level",
    "OneClassPrior",
    "printed_scores",
    "same_order",
]

PRINTED = {"NB": "Naive Bayes"}  # names that differ in the paper's tables
FOLDS = 10
LEAST_DIFFERENCE = 2.0  # nats: with a smaller difference the counted class cannot be identified


def printed_scores(table: str, names: tuple[str, ...], learners: tuple[str, ...]) -> Floats:
    """The scores printed in A.1 or A.2, by data set and learner; NaN for other data sets.

    A.1 shortens the names of the data sets.
    """
    cells = printed(f"hope_korb2004_appendix{table.replace('.', '')}", table, "dataset",
                    "classifier")  # fmt: skip
    spelt = [name.split("-")[0] if table == "A.1" else name for name in names]
    labels = [PRINTED.get(learner, learner) for learner in learners]
    rows = [[cells.get((name, label), np.nan) for label in labels] for name in spelt]
    return np.array(rows).reshape(len(names), len(learners))


def without_prior(found: ProbabilityEvaluation) -> float:
    """The mean over the rows of log p' of the true class and log(1 - p') of the others, in nats."""
    prior, share = found.prior, _share(found)
    bound = information_reward_bound(prior, np.arange(len(prior)), base=e)
    return len(prior) * (found.information_reward * log(2) - float(share @ bound))


@dataclass(frozen=True, eq=False)
class OneClassPrior:
    """What a prior that counts all training rows of a fold for one class adds to the score.

    Attributes
    ----------
    share : ndarray of shape (n_classes,)
        The share of each class in the rows.
    added : ndarray of shape (n_classes,)
        The amount added, by the counted class.

    Examples
    --------
    >>> prior = OneClassPrior.of([0.75, 0.25], 100)
    >>> prior.added.round(2).tolist(), round(prior.expected, 2)
    ([2.66, 7.96], 3.99)
    """

    share: Floats
    added: Floats

    @classmethod
    def of(cls, share: Any, n_train: float) -> OneClassPrior:
        """Compute it from the class shares and the number of training rows."""
        shares = np.asarray(share, dtype=float)
        codes = np.arange(len(shares))
        added = [
            len(codes) * shares @ information_reward_bound(
                prior_from_counts(np.where(codes == c, n_train, 0)), codes, base=e
            )
            for c in codes
        ]  # fmt: skip
        return cls(shares, np.array(added))

    @property
    def expected(self) -> float:
        """The mean amount if the counted class is that of a row drawn at random."""
        return float(self.share @ self.added)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean of ten folds if each counts the class of a random row."""
        return float(np.sqrt(self.share @ (self.added - self.expected) ** 2 / FOLDS))

    def folds_with_first(self, added: float) -> float:
        """For two classes: the share of folds that count the first, given the amount added."""
        first, second = self.added
        return float((added - second) / (first - second))


@dataclass(frozen=True)
class Level:
    """What the prior must have added to the scores of a data set, according to A.1.

    Attributes
    ----------
    name : str
    n_rows, n_classes : int
    largest : float
        The share of the largest class.
    expected, error : float
        The amount if each fold counts the class of a random row, and its standard error.
    implied : float
        The amount that A.1 implies, by the median learner.
    folds : float
        The share of the folds that count the largest class according to A.1, if the other classes
        are counted in proportion to their rows; NaN if the amounts are nearly equal.
    """

    name: str
    n_rows: int
    n_classes: int
    largest: float
    expected: float
    error: float
    implied: float
    folds: float

    @property
    def off(self) -> float:
        """Implied minus expected, in standard errors; NaN if the counted class hardly matters."""
        return (self.implied - self.expected) / self.error if self.error > 0.01 else float("nan")

    @classmethod
    def of(cls, name: str, prior: OneClassPrior, n_rows: int, implied: float) -> Level:
        """Compute it from the amount that A.1 implies."""
        top = int(prior.share.argmax())
        rest = np.delete(prior.share, top)
        other = float(np.average(np.delete(prior.added, top), weights=rest))
        width = prior.added[top] - other
        folds = (implied - other) / width if abs(width) > LEAST_DIFFERENCE else float("nan")
        return cls(name, n_rows, int((prior.share > 0).sum()), float(prior.share[top]),
                   prior.expected, prior.standard_error, implied, float(folds))  # fmt: skip


@dataclass(frozen=True, eq=False)
class InUnitOfA1:
    """Our scores in the unit of A.1, and what A.1 implies about the counted class.

    Attributes
    ----------
    scores : ndarray of shape (n_datasets, n_learners)
        With the expected amount added by the prior.
    doubt : ndarray of shape (n_datasets,)
        How much the amount added by the prior varies with the counted class.
    shares : list of (data set, share of the first class in the rows, in the folds)
        For data sets with two classes; the second share follows from A.1, by the median learner.
    most : ndarray of shape (n_datasets,)
        The largest possible mean of Eq. (10) on a data set, in bits.
    levels : list of Level
        What A.1 implies about the amount added by the prior, by data set.
    factors : ndarray of shape (n_datasets,)
        One bit of the mean of Eq. (10) in the unit of A.1, by data set.
    """

    scores: Floats
    doubt: Floats
    shares: list[tuple[str, float, float]]
    most: Floats
    levels: list[Level]
    factors: Floats

    @classmethod
    def of(cls, store: Store, names: tuple[str, ...], learners: tuple[str, ...]) -> InUnitOfA1:
        """Compute it from the stored evaluations of five runs of two folds."""
        print_ = printed_scores("A.1", names, learners)
        scores, doubt, shares = np.empty(print_.shape), np.empty(len(names)), []
        most, factors = np.empty(len(names)), np.empty(len(names))
        levels = []
        for i, name in enumerate(names):
            found = [store.probabilities(name, learner) for learner in learners]
            bare = np.array([without_prior(one) for one in found])
            prior = OneClassPrior.of(_share(found[0]), found[0].n_rows / 10)  # N/2, five times
            scores[i] = bare + prior.expected
            doubt[i] = np.ptp(prior.added[prior.share > 0])
            codes = np.arange(len(prior.share))
            most[i] = prior.share @ information_reward_bound(found[0].prior, codes)
            factors[i] = len(prior.share) * log(2)
            level = float(np.median(print_[i] - bare))
            levels.append(Level.of(name, prior, round(found[0].n_rows / 5), level))
            if len(prior.share) == 2 and doubt[i] > LEAST_DIFFERENCE:
                shares.append((name, float(prior.share[0]), prior.folds_with_first(level)))
        return cls(scores, doubt, shares, most, levels, factors)


def _share(found: ProbabilityEvaluation) -> Floats:
    rows = found.tally.sums["information_reward"].rows
    return rows / rows.sum()


def same_order(ours: Floats, print_: Floats) -> tuple[int, int]:
    """The number of pairs of cells in a row in the same order, and the number of all pairs."""
    same = total = 0
    for mine, theirs in zip(ours, print_, strict=True):
        first, second = np.triu_indices(len(mine), 1)
        known = np.isfinite(theirs[first]) & np.isfinite(theirs[second])
        agree = np.sign(mine[first] - mine[second]) == np.sign(theirs[first] - theirs[second])
        same += int((agree & known).sum())
        total += int(known.sum())
    return same, total
