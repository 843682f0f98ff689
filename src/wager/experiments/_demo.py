"""A demonstration of classifiers that may predict several classes, on handwritten digits.

The digits are scikit-learn's, discretized within each fold.  Naive Bayes, which predicts one digit,
is compared with classifiers that may predict several.  All use the same test rows, so that
differences are paired.
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
    """The tally of each classifier, and the paired tallies with naive Bayes."""

    tallies: dict[str, Tally]
    paired: dict[str, PairedTally]

    @property
    def break_evens(self) -> dict[tuple[str, str], BreakEven]:
        """The break-even point of every cautious classifier with naive Bayes."""
        return {
            (name, PLAIN): break_even(paired, names=(name, PLAIN))
            for name, paired in self.paired.items()
        }

    @property
    def profile(self) -> RiskProfile:
        """Expected utility of each classifier as a function of u(0.5)."""
        return risk_profile(self.tallies)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One row per classifier: share of single classes, and utilities with standard errors."""
        for name, tally in self.tallies.items():
            single = float(tally.table[1].sum() / tally.n)
            yield (name, single, *(tally.estimate(u) for u in UTILITIES))

    def paragraph(self) -> str:
        """Which users should prefer which classifier, in plain words."""
        best = {u: max(self.tallies, key=_utility(self.tallies, u)) for u in UTILITIES}
        sentences = [
            f"If a prediction of two digits, one of them right, is worth half as much as the right "
            f"digit alone (u50), {best['u50']} has the highest utility; if it is worth 0.65 (u65), "
            f"{best['u65']}; if it is worth 0.80 (u80), {best['u80']}."
        ]
        sentences += [
            f"{even.verdict[0].upper()}{even.verdict[1:]}." for even in self.break_evens.values()
        ]
        return " ".join(sentences)


def _utility(tallies: dict[str, Tally], utility: str) -> Callable[[str], float]:
    return lambda name: tallies[name].expected_utility(utility)


def run_demo(
    *, n_folds: int = 10, random_state: int = 0, progress: Callable[[float], None] | None = None
) -> Demo:
    """Cross-validate all classifiers and tally their predictions.

    Parameters
    ----------
    n_folds : int, default=10
        The number of stratified folds.
    random_state : int, default=0
        Shuffles the rows.
    progress : callable, optional
        Called after each fold with the share of folds that are done.
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
        discretizer = MDLDiscretizer().fit(X[train], y[train])
        X_train, X_test = discretizer.transform(X[train]), discretizer.transform(X[test])
        labels = NaiveBayes().fit(X_train, y[train]).predict(X_test)
        plain = PredictionSets.from_labels(labels, classes)
        tallies[PLAIN] += Tally.of(y[test], plain)
        for name, learner in cautious.items():
            sets = PredictionSets.from_indicator(
                learner.fit(X_train, y[train]).predict_set(X_test), classes
            )
            tallies[name] += Tally.of(y[test], sets)
            paired[name] += PairedTally.of(y[test], sets, plain)
        if progress is not None:
            progress(done / n_folds)
    return Demo(tallies, paired)
