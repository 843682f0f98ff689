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

from wager._tables import Table, View, Viewed
from wager._typing import Ints
from wager.compare import BreakEven, HeadToHead, RiskProfile, risk_profile
from wager.experiments.store import ResampledPairedTally, Resampling, SplitRows
from wager.rewards import PairedTally, Tally, cell_of, joint_number

PLAIN = "naive Bayes"
UTILITIES = ("u50", "u65", "u80")


@dataclass(frozen=True, repr=False)
class Demo(Viewed):
    """The tally of each classifier, the paired tallies with naive Bayes, and what errors assume.

    Attributes
    ----------
    tallies : dict of str to Tally
        The tally of each classifier.
    paired : dict of str to PairedTally
        The paired tally of each cautious classifier with naive Bayes.
    assumption : str
        What the standard errors assume.
    """

    tallies: dict[str, Tally]
    paired: dict[str, PairedTally]
    assumption: str = ""

    def _view(self) -> View:
        rows = [
            [name, single, *(f"{e.value:.4f} ± {e.standard_error:.4f}" for e in estimates)]
            for name, single, *estimates in self.rows()
        ]
        return View(
            tables=[Table(["classifier", "single class", *UTILITIES], rows)],
            notes=[self.assumption] if self.assumption else [],
            verdict=[self.paragraph()],
        )

    @property
    def break_evens(self) -> dict[tuple[str, str], BreakEven]:
        """The break-even point of every cautious classifier with naive Bayes.

        Their intervals and sentences hold together for all pairs.
        """
        pairs = {(name, PLAIN): paired for name, paired in self.paired.items()}
        report = HeadToHead((*self.paired, PLAIN), pairs)
        return {pair: report.break_even(*pair) for pair in pairs}

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
            f"digit alone (u50), {best['u50']} has the highest utility in this sample; if it is "
            f"worth 0.65 (u65), {best['u65']}; if it is worth 0.80 (u80), {best['u80']}."
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
    from wager.predictions import PredictionSets, size_and_hit
    from wager.prepare import MDLDiscretizer

    X, y = load_digits(return_X_y=True)
    classes = np.unique(y)
    cautious: dict[str, Any] = {
        "naive credal": NaiveCredal(),
        "optimal F1 sets": Nondeterministic(NaiveBayes()),
        "rejection at 0.8": Rejecting(NaiveBayes(), 0.8),
    }
    splits: list[SplitRows] = []
    cells: dict[str, list[Ints]] = {name: [] for name in cautious}
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    for done, (train, test) in enumerate(folds.split(X, y), start=1):
        discretizer = MDLDiscretizer().fit(X[train], y[train])
        X_train, X_test = discretizer.transform(X[train]), discretizer.transform(X[test])
        labels = NaiveBayes().fit(X_train, y[train]).predict(X_test)
        splits.append(SplitRows(0, len(train), len(test), test))
        plain = cell_of(*size_and_hit(y[test], PredictionSets.from_labels(labels, classes)))
        for name, learner in cautious.items():
            sets = PredictionSets.from_indicator(
                learner.fit(X_train, y[train]).predict_set(X_test), classes
            )
            cell = cell_of(*size_and_hit(y[test], sets))
            cells[name].append(joint_number(cell, plain, len(classes)))
        if progress is not None:
            progress(done / n_folds)
    rows = Resampling.of(splits)
    paired: dict[str, PairedTally] = {
        name: ResampledPairedTally.over(rows, len(classes), np.concatenate(parts))
        for name, parts in cells.items()
    }
    tallies = {PLAIN: next(iter(paired.values())).b}
    return Demo(tallies | {name: pair.a for name, pair in paired.items()}, paired, rows.assumption)
