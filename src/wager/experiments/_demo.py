"""The demonstration: whether a cautious classifier is worth having, on data that everyone has.

Handwritten digits from scikit-learn, discretized within each fold; a plain naive Bayes against
classifiers that may name several digits.  All meet the same test rows, so differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager.compare import BreakEven, RiskProfile, break_even, risk_profile
from wager.rewards import PairedTally, Tally

PLAIN = "naive Bayes"
UTILITIES = ("u50", "u65", "u80")


@dataclass(frozen=True)
class Demo:
    """What the demonstration found: a tally each, and a paired one against the plain one."""

    tallies: dict[str, Tally]
    paired: dict[str, PairedTally]

    @property
    def break_evens(self) -> dict[tuple[str, str], BreakEven]:
        """The break-even point of every cautious classifier with the plain one."""
        return {
            (name, PLAIN): break_even(paired, names=(name, PLAIN))
            for name, paired in self.paired.items()
        }

    @property
    def profile(self) -> RiskProfile:
        """Expected utility of each classifier against u(0.5)."""
        return risk_profile(self.tallies)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One row a classifier: share of single answers, and utility with its standard error."""
        for name, tally in self.tallies.items():
            single = float(tally.table[1].sum() / tally.n)
            yield (name, single, *(tally.estimate(u) for u in UTILITIES))

    def paragraph(self) -> str:
        """Who should prefer which, in plain words."""
        best = {u: max(self.tallies, key=_worth(self.tallies, u)) for u in UTILITIES}
        said = [
            f"If naming two digits of which one is right is worth half of a single right answer "
            f"(u50), {best['u50']} earns most; worth 0.65 (u65), {best['u65']}; worth 0.80 (u80), "
            f"{best['u80']}."
        ]
        said += [
            f"{even.verdict[0].upper()}{even.verdict[1:]}." for even in self.break_evens.values()
        ]
        return " ".join(said)


def _worth(tallies: dict[str, Tally], utility: str) -> Callable[[str], float]:
    return lambda name: tallies[name].expected_utility(utility)


def run_demo(
    *, n_folds: int = 10, random_state: int = 0, progress: Callable[[float], None] | None = None
) -> Demo:
    """Train on each fold's complement, predict the fold, and tally what every classifier earned.

    Parameters
    ----------
    n_folds : int, default=10
        Stratified folds.
    random_state : int, default=0
        Shuffles the rows.
    progress : callable, optional
        Told the share that is done, after each fold.
    """
    from sklearn.datasets import load_digits
    from sklearn.model_selection import StratifiedKFold

    from wager.learners import NaiveBayes, NaiveCredal, Nondeterministic, Rejecting
    from wager.predictions import PredictionSets
    from wager.prepare import MDLDiscretizer

    X, y = load_digits(return_X_y=True)
    classes = np.unique(y)
    cautious: dict[str, Any] = {
        "naive credal": NaiveCredal(),
        "optimal F1 sets": Nondeterministic(NaiveBayes()),
        "rejection at 0.8": Rejecting(NaiveBayes(), 0.8),
    }
    tallies = dict.fromkeys((PLAIN, *cautious), Tally.empty(len(classes)))
    paired = dict.fromkeys(cautious, PairedTally.empty(len(classes)))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    for done, (train, test) in enumerate(folds.split(X, y), start=1):
        cut = MDLDiscretizer().fit(X[train], y[train])
        rows, asked, truth = cut.transform(X[train]), cut.transform(X[test]), y[test]
        named = NaiveBayes().fit(rows, y[train]).predict(asked)
        plain = PredictionSets.from_labels(named, classes)
        tallies[PLAIN] += Tally.of(truth, plain)
        for name, learner in cautious.items():
            sets = PredictionSets.from_indicator(
                learner.fit(rows, y[train]).predict_set(asked), classes
            )
            tallies[name] += Tally.of(truth, sets)
            paired[name] += PairedTally.of(truth, sets, plain)
        if progress is not None:
            progress(done / n_folds)
    return Demo(tallies, paired)
