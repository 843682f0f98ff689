"""Every plot can be read: no text overlaps another, leaves the figure or covers a point.

Each function draws a typical input, and the worst one that a user may bring: many classifiers or
classes, long names.
"""

from __future__ import annotations

from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from tests.plots.legible import faults
from wager import plots
from wager.compare import break_even, nemenyi, risk_profile, sequential
from wager.costs import CostMatrix
from wager.learners import (
    C45,
    CredalTree,
    NaiveBayes,
    NaiveCredal,
    NestedDichotomies,
    NestedDichotomyForest,
    Rejecting,
    TreeNode,
    TunedCaution,
)
from wager.partitions import standardize
from wager.predictions import ProbabilityIntervals
from wager.rewards import (
    PairedTally,
    coverage_report,
    evaluate_probabilities,
    evaluate_selective,
)

LONG = "histogram gradient boosting, calibrated by isotonic regression"
CLASSES = ["bronchitis", "pneumonia", "tuberculosis", "influenza", "common cold", "asthma"]


def long_names(n):
    return [f"{i}: {LONG}"[: 20 + 3 * i] for i in range(n)]


@cache
def answers(n_classes, n_classifiers, seed=0):
    """True classes, and sets of several classifiers that are cautious to different degrees."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, 400)
    scores = rng.normal(size=(400, n_classes)) + 2.2 * np.eye(n_classes)[truth]
    order = np.sort(scores, axis=1)[:, ::-1]
    sets = [scores >= order[:, [0]] - 0.12 * k for k in range(n_classifiers)]
    return truth, sets


def profile(names):
    truth, sets = answers(4, len(names))
    pairs = {
        (names[i], names[j]): PairedTally.of(truth, sets[j], sets[i])
        for i in range(len(names))
        for j in range(i + 1, len(names))
    }
    tallies = {names[0]: PairedTally.of(truth, sets[0], sets[0]).a}
    tallies |= {names[j]: pairs[names[0], names[j]].a for j in range(1, len(names))}
    evens = {
        (b, a): break_even(pair, names=(b, a)) for (a, b), pair in pairs.items() if a == names[0]
    }
    return risk_profile(tallies), evens


def scores(names, seed=0):
    rng = np.random.default_rng(seed)
    return nemenyi(rng.random((30, len(names))) + 0.03 * np.arange(len(names)), names=names)


def race(names, rows=600, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, rows)
    a, b = (np.where(rng.random(rows) < p, truth, 1 - truth) for p in (0.9, 0.7))
    return sequential(truth, a, b, names=names)


def partition(names, rows=150, seed=0, sharp=0.4):
    rng = np.random.default_rng(seed)
    memberships = rng.dirichlet(np.full(len(names), sharp), rows)
    truth = (memberships.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1)
    return standardize(np.array(names)[truth.clip(max=len(names) - 1)], memberships, classes=names)


def rankings(names, rows=300, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.random(rows)
    wrong = (rng.random(rows) < 0.5 * (1 - z)).astype(int)
    return {
        name: evaluate_selective(np.zeros(rows), wrong, z + rng.normal(0, 0.1 * i, rows))
        for i, name in enumerate(names)
    }


def reliability(names, of, rows=4000):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(len(names), 0.5), rows)
    truth = (proba.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1).clip(max=len(names) - 1)
    found = evaluate_probabilities(np.array(names)[truth], proba, classes=names, n_bins=8)
    return lambda ax=None: plots.plot_reliability(found, ax=ax, of=of)


def covered(names, rows=2000):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, len(names), rows)
    other = (truth + 1) % len(names)
    predicted = np.where(rng.random(rows) < 0.6 + 0.4 * (truth % 3 > 0), truth, other)
    return coverage_report(np.array(names)[truth], np.array(names)[predicted], alpha=0.1)


def credal(names):
    found = ProbabilityIntervals([[0.1, 0.1, 0.3]], [[0.4, 0.5, 0.7]], classes=names)
    return lambda ax=None: plots.plot_credal(found, 0, ax)


def credal_of_all(names):
    found = ProbabilityIntervals([[0.1] * 3], [[0.6, 0.7, 0.8]], classes=names)
    return lambda ax=None: plots.plot_credal(found, 0, ax)


def costs_of(names, sets=True):
    matrix = CostMatrix.ordinal(names)
    return matrix.extend("p-discounted", r=0.5) if sets else matrix


def tree(depth, name="length of petal"):
    if not depth:
        return TreeNode(f"{name[:24]} (12.0/3.0)", shares=(0.7, 0.3))
    branches = tuple((f"{op} 0.{depth}5", tree(depth - 1, name)) for op in ("<=", ">"))
    return TreeNode(name, branches)


def network(names):
    arcs = [(names[i], names[j]) for j in range(1, len(names)) for i in (j // 2, j // 3) if i < j]
    weights = np.full((len(names), len(names)), 0.4)
    return SimpleNamespace(node_names_=names, edges_=sorted(set(arcs)), edge_probabilities_=weights)


def bayes(n_features):
    rng = np.random.default_rng(0)
    return NaiveBayes().fit(rng.integers(0, 2, (50, n_features)), rng.integers(0, 2, 50))


def caution(estimator, **options):
    """Fitted when it is drawn: it takes longer than all other cases together."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = (y[:, None] + rng.integers(0, 3, (90, 3))) % 4
    model = TunedCaution(estimator, "u80", **options)
    return lambda ax=None: plots.plot_caution(model.fit(X, y).curve_, ax=ax)


def over(function, *args, **options):
    return lambda ax=None: function(*args, ax=ax, **options)


def top_number(ax=None):
    """The vertical axis ends at a number, which is beside the name of u50."""
    ax = plots.plot_risk_profile(profile(["naive Bayes", "naive credal"])[0], ax=ax)
    ax.set_ylim(0.5, 1.0)
    return ax


def risk(names):
    found, evens = profile(names)
    return lambda ax=None: plots.plot_risk_profile(found, evens, ax)


def explained(features, classes, learner=NaiveCredal):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 3, (40, len(features))), columns=features)
    model = learner().fit(table, np.array(classes)[rng.integers(0, len(classes), 40)])
    return over(plots.plot_explanation, model.explain_set(table[:1]))


TWO, THREE = ["healthy", "ill"], ["setosa", "versicolor", "virginica"]
CASES = {
    "plot_caution": {
        "s": caution(NaiveCredal()),
        "a threshold": caution(Rejecting(NaiveBayes(), 0.5)),
        "two strengths": caution(NaiveCredal(), strengths=[1, 2]),
        "one strength": caution(NaiveCredal(), strengths=[1]),
    },
    "plot_confidence_sequence": {
        "two classifiers": over(plots.plot_confidence_sequence, race(("nearest", "Bayes"))),
        "long names": over(plots.plot_confidence_sequence, race((LONG, LONG[::-1]))),
        "undecided": over(plots.plot_confidence_sequence, race(("a", "b"), rows=6)),
    },
    "plot_costs": {
        "three classes": over(plots.plot_costs, costs_of(CLASSES[:3])),
        "six classes": over(plots.plot_costs, costs_of(CLASSES)),
        "five classes": over(plots.plot_costs, costs_of(CLASSES[:5])),
        "long names": over(plots.plot_costs, costs_of(long_names(4))),
        "costs of twelve classes": over(plots.plot_costs, costs_of(long_names(12), sets=False)),
    },
    "plot_coverage": {
        "three classes": over(plots.plot_coverage, covered(THREE)),
        "long names": over(plots.plot_coverage, covered(long_names(12))),
        "sixty classes": over(plots.plot_coverage, covered([f"class {i}" for i in range(60)])),
    },
    "plot_credal": {
        "three diseases": credal(CLASSES[:3]),
        "a title almost as wide": credal_of_all(["Barbera", "Barolo", "Grignolino"]),
        "a title as wide as the figure": credal_of_all(CLASSES[:3]),
        "a long title": over(plots.plot_credal, [[[0, 0, 1], [0, 1, 0], [1, 0, 0]]], title=LONG),
        "long names": credal(long_names(3)),
    },
    "plot_critical_difference": {
        "four classifiers": over(plots.plot_critical_difference, scores(list("abcd"))),
        "twenty classifiers": over(plots.plot_critical_difference, scores(long_names(20))),
    },
    "plot_explanation": {
        "two features": explained(["weather", "wind"], ["in", "out"]),
        "long names": explained(long_names(14), [LONG, LONG[::-1]]),
        "a leaf with long names": explained(["wind"], [LONG, LONG[::-1]], CredalTree),
        "a leaf with many classes": explained(["wind"], long_names(20), CredalTree),
        "dichotomies": explained(["wind"], THREE, NestedDichotomies),
        "many dichotomies with long names": explained(
            ["wind"], long_names(20), partial(NestedDichotomies, "random", random_state=0)
        ),
        "a forest of dichotomies": explained(
            ["wind"], CLASSES, partial(NestedDichotomyForest, random_state=0)
        ),
    },
    "plot_decision": {
        "two classes": over(plots.plot_decision, CostMatrix([[0, 4], [2, 0]], TWO).extend(r=0.5)),
        "narrow": over(plots.plot_decision, CostMatrix([[0, 9], [1, 0]], TWO)),
        "thresholds close together": over(
            plots.plot_decision, CostMatrix([[0, 2], [4, 0]], TWO).extend("p-discounted", r=0.02)
        ),
        "long names": over(plots.plot_decision, CostMatrix([[0, 4], [2, 0]], long_names(2))),
    },
    "plot_nemenyi_segments": {
        "four classifiers": over(plots.plot_nemenyi_segments, scores(list("abcd"))),
        "twenty classifiers": over(plots.plot_nemenyi_segments, scores(long_names(20))),
    },
    "plot_network": {
        "six nodes": over(plots.plot_network, network([f"x{i}" for i in range(5)] + ["class"])),
        "long names": over(plots.plot_network, network([*long_names(9), "class"])),
        "naive Bayes with thirty features": over(plots.plot_network, bayes(30)),
    },
    "plot_random_vs_vacuous": {
        "four numbers": over(plots.plot_random_vs_vacuous),
        "twelve numbers": over(plots.plot_random_vs_vacuous, list(range(2, 14)), m_max=30),
    },
    "plot_reliability": {
        "the predicted class": reliability(THREE, "top-label"),
        "three classes": reliability(THREE, "classes"),
        "twelve classes": reliability(long_names(12), "classes"),
    },
    "plot_reward_curves": {
        "three classes": over(plots.plot_reward_curves),
        "twelve classes": over(plots.plot_reward_curves, np.arange(1, 13) / 78),
    },
    "plot_risk_coverage": {
        "one score": over(plots.plot_risk_coverage, rankings(["margin"])["margin"]),
        "twelve scores": over(plots.plot_risk_coverage, rankings(long_names(12))),
        "generalized risk": over(plots.plot_risk_coverage, rankings(list("abc")), of="generalized"),
    },
    "plot_risk_profile": {
        "two classifiers": risk(["naive Bayes", "naive credal"]),
        "four classifiers": risk(["naive Bayes", "naive credal", "conformal", "rejection"]),
        "twenty classifiers": risk(long_names(20)),
        "a number at the top": top_number,
    },
    "plot_scatter": {
        "points in the corners": over(
            plots.plot_scatter, [0.5, 0.5, 1.0, 0.7], [0.5, 1.0, 0.5, 0.9], names=("NCC", "NBC")
        ),
        "long names": over(
            plots.plot_scatter, [0, 0, 1], [0, 1, 0], names=(LONG, LONG[::-1]), score="u65"
        ),
        "one point": over(plots.plot_scatter, [1.0], [2.0]),
    },
    "plot_simplex": {
        "two classes": over(plots.plot_simplex, partition(TWO)),
        "three classes": over(plots.plot_simplex, partition(THREE, sharp=0.1)),
        "four classes": over(plots.plot_simplex, partition(CLASSES[:4], sharp=0.1)),
        "two long names": over(plots.plot_simplex, partition(long_names(2))),
        "three long names": over(plots.plot_simplex, partition(long_names(3), sharp=0.1)),
        "four long names": over(plots.plot_simplex, partition(long_names(4), sharp=0.1)),
        "distances": over(plots.plot_simplex, partition(THREE), lines="true", title="A rule"),
    },
    "plot_standardization": {
        "three classes": lambda: plots.plot_standardization(partition(THREE, sharp=0.1))[0],
        "four classes": lambda: plots.plot_standardization(partition(CLASSES[:4]))[0],
        "long names": lambda: plots.plot_standardization(partition(long_names(3), sharp=0.1))[0],
    },
    "plot_tree": {
        "irises": over(plots.plot_tree, C45().fit(*load_iris(return_X_y=True))),
        "long names": over(plots.plot_tree, tree(3, LONG)),
        "sixty leaves": over(plots.plot_tree, tree(5)),
    },
    "plot_utilities": {
        "three utilities": over(plots.plot_utilities),
        "twelve utilities and classes": over(
            plots.plot_utilities, [0.5 + 0.04 * i for i in range(12)], n_classes=12
        ),
    },
}  # fmt: skip


def test_every_plot_function_is_drawn():
    assert set(CASES) == {name for name in plots.__all__ if name.startswith("plot_")}


@pytest.mark.parametrize(
    ("plot", "case"),
    [
        pytest.param(plot, case, marks=[pytest.mark.long] if number else [])
        for plot, cases in CASES.items()
        for number, case in enumerate(cases)
    ],
)
def test_every_text_can_be_read(plot, case):
    ax = CASES[plot][case]()
    assert faults(ax.figure) == []


def test_faults_are_found():
    """The check itself sees texts that overlap, leave the figure or cover a point."""
    figure = Figure(figsize=(4, 3))
    ax = figure.subplots()
    ax.scatter([0.5], [0.5])
    ax.set(xlim=(0, 1), ylim=(0, 1))
    assert faults(figure) == []
    ax.text(0.1, 0.8, "first")
    ax.text(0.12, 0.81, "second")
    ax.text(0.95, 0.2, "too far to the right")
    ax.text(0.5, 0.5, "point", ha="center", va="center")
    assert faults(figure) == [
        "'too far to the right' is not inside the figure",
        "'first' overlaps 'second'",
        "'point' covers 1 points",
    ]


def test_turned_texts_are_compared_as_they_are_turned():
    figure = Figure(figsize=(4, 3))
    for place in (0.4, 0.46):  # boxes around slanted texts would overlap, the texts do not
        figure.text(place, 0.4, "a slanted text", rotation=45)
    assert faults(figure) == []
