"""Draw the pictures of the documentation: ``python docs/images/make.py``.

Each function draws one picture from the library's own results, on data that everyone has.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import wager
from wager import compare, plots
from wager.costs import CostMatrix

HERE = Path(__file__).parent


def risk_profile() -> Any:
    """The first example: naive Bayes and the naive credal classifier on handwritten digits."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline

    from wager.learners import NaiveBayes, NaiveCredal
    from wager.prepare import MDLDiscretizer

    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    precise = make_pipeline(MDLDiscretizer(), NaiveBayes()).fit(X_train, y_train)
    credal = make_pipeline(MDLDiscretizer(), NaiveCredal()).fit(X_train, y_train)
    names = ("naive credal", "naive Bayes")
    bets = wager.PairedTally.of(y_test, wager.predict_set(credal, X_test), precise.predict(X_test))
    profile = wager.risk_profile(dict(zip(names, (bets.a, bets.b), strict=True)))
    even = wager.break_even(bets, names=names)
    return plots.plot_risk_profile(profile, {names: even}, _axes(6.4, 3.8)).figure


def decision() -> Any:
    """Expected cost of naming healthy, ill, or both."""
    ill = CostMatrix([[0, 4], [2, 0]], classes=["healthy", "ill"])
    return plots.plot_decision(ill.extend("p-discounted", r=0.5), _axes(6.4, 3.6)).figure


def credal() -> Any:
    """Three diseases, probabilities between bounds, and what to predict."""
    names = ["healthy", "bronchitis", "pneumonia"]
    costs = CostMatrix([[0, 2, 4], [1, 0, 2], [4, 3, 0]], names)
    known = wager.ProbabilityIntervals([[0.1, 0.1, 0.3]], [[0.4, 0.5, 0.7]], classes=names)
    return plots.plot_credal(known, 0, _axes(5.6, 4.6), costs=costs).figure


def reward_curves() -> Any:
    """What rewards pay for a report on three classes."""
    return plots.plot_reward_curves(ax=_axes(6.4, 3.8)).figure


def standardized() -> Any:
    """Decision values of a support vector machine on the irises, before and after scaling."""
    from sklearn.datasets import load_iris
    from sklearn.model_selection import cross_val_predict
    from sklearn.svm import SVC

    iris = load_iris()
    scores = cross_val_predict(SVC(), iris.data, iris.target, cv=10, method="decision_function")
    memberships = wager.to_memberships(scores, kind="softmax")
    labels = iris.target_names[iris.target]
    partition = wager.standardize(labels, memberships, classes=iris.target_names)
    return plots.plot_standardization(partition, figure=_figure(7.2, 3.9))[0].figure


def critical_difference() -> Any:
    """Nemenyi's test of four classifiers over made-up scores on twelve data sets."""
    rng = np.random.default_rng(0)
    scores = 0.8 + rng.normal(0, 0.05, (12, 1)) + rng.normal([0, 0.02, 0.03, 0.06], 0.02, (12, 4))
    names = ["naive Bayes", "C4.5", "naive credal", "credal forest"]
    return plots.plot_critical_difference(
        compare.nemenyi(scores, names=names), _axes(6.4, 2.2)
    ).figure


def confidence_sequence() -> Any:
    """Two classifiers on a stream of digits, with bounds that hold at every row."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_digits(return_X_y=True)
    a = cross_val_predict(KNeighborsClassifier(), X, y, cv=5)
    b = cross_val_predict(GaussianNB(), X, y, cv=5)
    result = compare.sequential(y, a, b, names=("nearest neighbours", "naive Bayes"))
    return plots.plot_confidence_sequence(result, _axes(6.4, 3.6)).figure


PICTURES: dict[str, Callable[[], Any]] = {
    "risk-profile.png": risk_profile,
    "decision.png": decision,
    "credal.png": credal,
    "reward-curves.png": reward_curves,
    "standardized.png": standardized,
    "critical-difference.png": critical_difference,
    "confidence-sequence.png": confidence_sequence,
}


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _axes(width: float, height: float) -> Any:
    return _figure(width, height).subplots()


def make(folder: Path = HERE) -> None:
    """Draw every picture into a folder."""
    for name, draw in PICTURES.items():
        plots.save(draw(), folder / name, dpi=110, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    make()
