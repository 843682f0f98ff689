"""Draw the figures of the documentation: ``python docs/images/make.py``, or ``make figures``.

Each function draws one figure from the library's own results, on data that everyone has, and
returns it with its *facts*: the numbers that the figure shows.  A test compares them with the
numbers in the texts beside the figure.  The figures of the studies are drawn by ``studies.py``, the
screenshots of the report by ``report.py``.
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
Facts = dict[str, str]  # the number at {} in texts such as "decided at row {}"


def demo_risk_profile() -> tuple[Any, Facts]:
    """What `wager demo` draws: three cautious classifiers beside naive Bayes."""
    from wager.experiments import run_demo

    found = run_demo()
    figure = plots.plain_figure((7.4, 4.6))
    plots.plot_risk_profile(found.profile, found.break_evens, figure.subplots())
    credal = found.break_evens["naive credal", "naive Bayes"]
    best = found.break_evens["optimal F1 sets", "naive Bayes"]
    return figure, {
        "break-even points at {} and": f"{credal.value:.2f}",
        f"break-even points at {credal.value:.2f} and {{}}": f"{best.value:.2f}",
        "worth less than {} of": f"{credal.value:.2f}",
        "(95% interval {}) better than the naive credal": "{:.2f}-{:.2f}".format(*credal.interval),
    }


def risk_profile() -> tuple[Any, Facts]:
    """Naive Bayes and the naive credal classifier on handwritten digits."""
    from sklearn.pipeline import make_pipeline

    from wager.learners import NaiveBayes, NaiveCredal
    from wager.prepare import MDLDiscretizer

    X_train, X_test, y_train, y_test = _digits()
    precise = make_pipeline(MDLDiscretizer(), NaiveBayes()).fit(X_train, y_train)
    credal = make_pipeline(MDLDiscretizer(), NaiveCredal()).fit(X_train, y_train)
    names = ("naive credal", "naive Bayes")
    bets = wager.PairedTally.of(y_test, wager.predict_set(credal, X_test), precise.predict(X_test))
    profile = wager.risk_profile(dict(zip(names, (bets.a, bets.b), strict=True)))
    even = wager.break_even(bets, names=names)
    figure = plots.plain_figure((7.0, 4.0))
    plots.plot_risk_profile(profile, {names: even}, figure.subplots())
    return figure, {
        "cross at {}](": f"{even.value:.2f}",
        "scores higher than naive Bayes for u(0.5) above {} (": f"{even.value:.2f}",
    }


def decision() -> tuple[Any, Facts]:
    """Expected cost of naming healthy, ill, or both."""
    ill = CostMatrix([[0, 4], [2, 0]], classes=["healthy", "ill"])
    figure = plots.plain_figure((6.4, 3.6))
    plots.plot_decision(ill.extend("p-discounted", r=0.5), figure.subplots())
    return figure, {}


def credal() -> tuple[Any, Facts]:
    """Three diseases, probabilities between bounds, and what to predict."""
    names = ["healthy", "bronchitis", "pneumonia"]
    costs = CostMatrix([[0, 2, 4], [1, 0, 2], [4, 3, 0]], names)
    known = wager.ProbabilityIntervals([[0.1, 0.1, 0.3]], [[0.4, 0.5, 0.7]], classes=names)
    figure = plots.plain_figure((5.6, 4.6))
    plots.plot_credal(known, 0, figure.subplots(), costs=costs)
    return figure, {}


def reward_curves() -> tuple[Any, Facts]:
    """What rewards pay for a report on three classes."""
    figure = plots.plain_figure((6.4, 3.8))
    plots.plot_reward_curves(ax=figure.subplots())
    return figure, {}


def standardized() -> tuple[Any, Facts]:
    """Decision values of a support vector machine on the irises, before and after scaling."""
    from sklearn.datasets import load_iris
    from sklearn.model_selection import cross_val_predict
    from sklearn.svm import SVC

    iris = load_iris()
    scores = cross_val_predict(SVC(), iris.data, iris.target, cv=10, method="decision_function")
    memberships = wager.to_memberships(scores, kind="softmax")
    labels = iris.target_names[iris.target]
    partition = wager.standardize(labels, memberships, classes=iris.target_names)
    figure = plots.plain_figure((7.6, 4.2))
    plots.plot_standardization(partition, figure=figure)
    return figure, {}


def critical_difference() -> tuple[Any, Facts]:
    """Nemenyi's test of four classifiers over made-up scores on twelve data sets."""
    rng = np.random.default_rng(0)
    scores = 0.8 + rng.normal(0, 0.05, (12, 1)) + rng.normal([0, 0.02, 0.03, 0.06], 0.02, (12, 4))
    names = ["naive Bayes", "C4.5", "naive credal", "credal forest"]
    found = compare.nemenyi(scores, names=names)
    figure = plots.plain_figure((7.0, 2.4))
    plots.plot_critical_difference(found, figure.subplots())
    ranks = zip(names, found.mean_ranks, strict=True)
    return figure, {f"\n{name} {{}}\n": f"{rank:.3f}" for name, rank in ranks}


def confidence_sequence() -> tuple[Any, Facts]:
    """Two classifiers on a stream of digits, with bounds that hold at every row."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    X_train, X_test, y_train, y_test = _digits()
    near = KNeighborsClassifier().fit(X_train, y_train).predict(X_test)
    bayes = GaussianNB().fit(X_train, y_train).predict(X_test)
    race = compare.sequential(y_test, near, bayes, names=("nearest neighbours", "naive Bayes"))
    figure = plots.plain_figure((6.6, 3.8))
    plots.plot_confidence_sequence(race, figure.subplots())
    return figure, {
        "decided at row {}": str(race.decided_at),
        "exclude 0 from row {} on](": str(race.decided_at),
    }


def coverage() -> tuple[Any, Facts]:
    """The coverage report of the page about coverage."""
    page = (HERE.parent / "guide" / "coverage.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0].replace("print(report)", "")
    found: dict[str, Any] = {}
    exec(code, found)
    report = found["report"]
    figure = plots.plain_figure((6.6, 3.6))
    plots.plot_coverage(report, figure.subplots())
    (oldest,) = (part for part in report.below if part.kind == "age")
    return figure, {"ages of {} and over are below 0.9](": oldest.name.removeprefix(">= ")}


FIGURES: dict[str, Callable[[], tuple[Any, Facts]]] = {
    "demo-risk-profile": demo_risk_profile,
    "risk-profile": risk_profile,
    "decision": decision,
    "credal": credal,
    "reward-curves": reward_curves,
    "standardized": standardized,
    "critical-difference": critical_difference,
    "confidence-sequence": confidence_sequence,
    "coverage": coverage,
}


def _digits() -> Any:
    """Training and test halves of the handwritten digits, as in the pages."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, test_size=0.5, random_state=0)


def make(folder: Path = HERE) -> None:
    """Draw every figure into a folder."""
    for name, draw in FIGURES.items():
        plots.save(draw()[0], folder / f"{name}.svg")


if __name__ == "__main__":
    make()
