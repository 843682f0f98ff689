"""Predictions do not depend on how classes, values and features are named or ordered.

Small tables have many exact ties, between classes, between splits and between features that repeat
each other.  Where a learner's definition depends on an order, its cases say so below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier

from wager.learners import (
    AODE,
    C45,
    TAN,
    BayesianModelAveraging,
    CausalMML,
    Conformal,
    CredalForest,
    CredalIntervals,
    CredalModelAveraging,
    CredalNeighbors,
    CredalTree,
    EnsembleCredal,
    KRandom,
    LazyNaiveCredal,
    NaiveBayes,
    NaiveCredal,
    NestedDichotomies,
    NestedDichotomyForest,
    Nondeterministic,
    OptimalSets,
    RandomClass,
    Rejecting,
    TunedCaution,
    Vacuous,
    VennAbers,
)
from wager.learners._registry import learner_classes

K = 3
N_PROBLEMS = 6
COSTS = np.array([[0.0, 2.0, 5.0], [1.0, 0.0, 2.0], [4.0, 1.0, 0.0]])
nominal = {"categorical_features": "all"}
bayes = NaiveBayes(**nominal)


@dataclass(frozen=True)
class Case:
    """A learner and the orders that its predictions do not depend on."""

    learner: Any
    classes: bool = True
    values: bool = True
    features: bool = True
    gaps: bool = True  # also with missing values; the mode that replaces them may be tied


# features of equal worth are taken in their order
in_order = {"features": False}
CASES = {
    "naive Bayes": Case(bayes),
    "naive Bayes, Perks": Case(NaiveBayes("perks", **nominal)),
    "naive credal": Case(NaiveCredal()),
    "naive credal, s=2": Case(NaiveCredal(2.0)),
    "naive credal, local": Case(NaiveCredal(idm="local")),
    "naive credal, intervals": Case(NaiveCredal(idm="intervals")),
    "naive credal, conservative": Case(NaiveCredal(missing="conservative")),
    "naive credal, floor": Case(NaiveCredal(epsilon=0.01)),
    "naive credal, contaminated": Case(NaiveCredal(epsilon=0.05, epsilon_model="contamination")),
    "naive credal, costs": Case(NaiveCredal(costs=COSTS)),
    "naive credal, local costs": Case(NaiveCredal(costs=COSTS, idm="local")),
    "naive credal, rejecting": Case(NaiveCredal(reject=0.55)),
    "model averaging": Case(BayesianModelAveraging()),
    "credal model averaging": Case(CredalModelAveraging()),
    "lazy naive credal": Case(LazyNaiveCredal(k=8, step=5)),
    "AODE": Case(AODE()),
    "TAN": Case(TAN(ties="first"), gaps=False, **in_order),
    "TAN by mutual information": Case(TAN("cmi"), **in_order),
    # accuracies of ties count the first class
    "TAN by SuperParent": Case(TAN("superparent"), classes=False, **in_order),
    "TAN by hill climbing": Case(TAN("hcs"), classes=False, **in_order),
    "C4.5": Case(C45(**nominal), **in_order),
    "credal tree": Case(CredalTree(**nominal), gaps=False, **in_order),
    "credal tree, s=2": Case(CredalTree(2.0, **nominal), gaps=False, **in_order),
    "credal tree, fractions": Case(CredalTree(missing="fractional", **nominal), **in_order),
    "credal C4.5": Case(CredalTree(criterion="iigr", **nominal), gaps=False, **in_order),
    "credal tree, range": Case(CredalTree(criterion="range", **nominal), gaps=False, **in_order),
    "credal forest": Case(CredalForest(6, random_state=0, **nominal), gaps=False, **in_order),
    "credal forest, average": Case(
        CredalForest(6, combine="average", random_state=0, **nominal), gaps=False, **in_order
    ),
    # the search draws random arcs between numbered nodes
    "CaMML": Case(CausalMML(search_factor=0.01, random_state=0), gaps=False, **in_order),
    "nested dichotomies": Case(NestedDichotomies(tree=((0, 1), 2))),
    # random trees are drawn over the classes in their order
    "random dichotomies": Case(NestedDichotomies(n_trees=4, random_state=0), classes=False),
    "dichotomy forest": Case(NestedDichotomyForest(n_trees=4, random_state=0), classes=False),
    "vacuous": Case(Vacuous()),
    # a random position among the classes is drawn
    "random class": Case(RandomClass(random_state=0), classes=False),
    "random class of a set": Case(KRandom(NaiveCredal(), random_state=0), classes=False),
    "nondeterministic": Case(Nondeterministic(bayes)),
    "optimal sets": Case(OptimalSets(bayes)),
    "optimal sets, costs": Case(OptimalSets(bayes, costs=COSTS)),
    "rejecting": Case(Rejecting(bayes, 0.6)),
    # folds are drawn by the position of each class
    "tuned caution": Case(TunedCaution(NaiveCredal(), strengths=[0.5, 1, 2], cv=3), classes=False),
    "credal intervals": Case(CredalIntervals(NaiveCredal())),
    # values are numbers with distances
    "credal neighbours": Case(CredalNeighbors(5), values=False, gaps=False),
    "Venn-Abers": Case(VennAbers(bayes, random_state=0)),
    "ensemble": Case(EnsembleCredal(BaggingClassifier(bayes, 4, random_state=0))),
}


def test_every_learner_has_a_case():
    covered = {type(case.learner).__name__ for case in CASES.values()}
    assert covered | {"Conformal"} == set(learner_classes())
    assert Conformal  # its sets are MAPIE's, which the tests of the wrapper cover


def table(seed, gaps):
    """Rows with ties: few values, a repeated feature, and rows to predict."""
    random = np.random.default_rng(seed)
    m = int(random.integers(2, 5))
    n_values = random.integers(2, 4, size=m)
    n_values[-1] = n_values[0]
    n = int(random.integers(12, 40))
    X = random.integers(0, n_values, size=(n, m))
    X[:, -1] = X[:, 0]
    y = np.where(random.random(n) < 0.5, X[:, 0] % K, random.integers(0, K, n))
    y[:K] = np.arange(K)
    rows = random.integers(0, n_values, size=(10, m))
    if gaps:
        X[random.random(X.shape) < 0.1] = -1
        rows[random.random(rows.shape) < 0.15] = -1
    return X, y, n_values, rows


def answers(learner, X, y, rows, n_values, labels=None):
    """Sets, probabilities and bounds of a fitted clone, where it has them."""
    model = with_declared(clone(learner), n_values, np.arange(K) if labels is None else labels)
    model.fit(X, y)
    found = {}
    if hasattr(model, "predict_set"):
        found["set"] = np.asarray(model.predict_set(rows))
    if hasattr(model, "predict_proba"):
        found["proba"] = model.predict_proba(rows)
    if hasattr(model, "predict_credal"):
        bounds = model.predict_credal(rows)
        found["bounds"] = bounds.lower if hasattr(bounds, "lower") else bounds.vertices[:, 0]
    return found


def with_declared(learner, n_values, labels):
    """The learner, and those inside it, with declared values and classes."""
    parameters = learner.get_params()
    for key, value in (("classes", labels), ("n_values", n_values)):
        names = [name for name in parameters if name == key or name.endswith(f"__{key}")]
        learner.set_params(**dict.fromkeys(names, value))
    if "estimator__estimator__classes" in parameters:  # bagging passes codes to its members
        learner.set_params(estimator__estimator__classes=np.arange(K))
    return learner


def assert_same(found, expected, columns=slice(None)):
    assert found.keys() == expected.keys()
    assert found or expected == {}
    for key, values in expected.items():
        if key == "set":
            np.testing.assert_array_equal(found[key][:, columns], values)
        else:
            np.testing.assert_allclose(found[key][:, columns], values, rtol=0, atol=1e-12)


def problems(case):
    for seed in range(N_PROBLEMS):
        yield seed, table(seed, gaps=case.gaps and seed % 2 == 1)


def cases(order):
    return pytest.mark.parametrize(
        "case",
        [pytest.param(case, id=name) for name, case in CASES.items() if getattr(case, order)],
    )


def permuted(learner, order):
    """The learner for classes that are listed in another order: class c becomes order[c]."""
    changed = clone(learner)
    back = np.argsort(order)
    for name, value in changed.get_params().items():
        if name.endswith("costs") and value is not None:
            changed.set_params(**{name: value[np.ix_(back, back)]})
        if name == "tree" and isinstance(value, tuple):
            (a, b), c = value
            changed.set_params(tree=((int(order[a]), int(order[b])), int(order[c])))
    return changed


@cases("classes")
def test_the_order_of_the_classes_does_not_matter(case):
    for seed, (X, y, n_values, rows) in problems(case):
        order = np.random.default_rng(seed).permutation(K)
        expected = answers(case.learner, X, y, rows, n_values)
        turned = answers(permuted(case.learner, order), X, order[y], rows, n_values)
        assert_same(turned, expected, columns=order)


@cases("values")
def test_the_order_of_the_values_does_not_matter(case):
    for seed, (X, y, n_values, rows) in problems(case):
        random = np.random.default_rng(seed)
        turned, turned_rows = X.copy(), rows.copy()
        for j, v in enumerate(n_values):
            order = np.append(random.permutation(v), -1)  # -1 stays missing
            turned[:, j], turned_rows[:, j] = order[X[:, j]], order[rows[:, j]]
        expected = answers(case.learner, X, y, rows, n_values)
        assert_same(answers(case.learner, turned, y, turned_rows, n_values), expected)


@cases("features")
def test_the_order_of_the_features_does_not_matter(case):
    for seed, (X, y, n_values, rows) in problems(case):
        order = np.random.default_rng(seed).permutation(X.shape[1])
        expected = answers(case.learner, X, y, rows, n_values)
        turned = answers(case.learner, X[:, order], y, rows[:, order], n_values[order])
        assert_same(turned, expected)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_other_names_in_the_same_order_change_nothing(case):
    names = np.array(["ash", "elm", "oak"])
    for _, (X, y, n_values, rows) in list(problems(case))[:2]:
        expected = answers(case.learner, X, y, rows, n_values)
        learner = case.learner
        if isinstance(getattr(learner, "tree", None), tuple):
            learner = clone(learner).set_params(tree=(("ash", "elm"), "oak"))
        assert_same(answers(learner, X, names[y], rows, n_values, names), expected)


@pytest.mark.parametrize(
    "learner", [bayes, AODE(), BayesianModelAveraging(), NaiveCredal(), CredalModelAveraging()]
)
def test_ties_that_rounding_would_break_go_to_the_first_class(learner):
    # the rows of one class are those of the other with the features reversed, so a row that reads
    # the same both ways has the same factors in both classes, multiplied in another order
    random = np.random.default_rng(3)
    for _ in range(20):
        half = random.integers(0, 3, (11, 6))
        X, y = np.concatenate([half, half[:, ::-1]]), np.repeat([0, 1], 11)
        left = random.integers(0, 3, (30, 3))
        rows = np.hstack([left, left[:, ::-1]])
        model = clone(learner).set_params(n_values=np.full(6, 3)).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(rows), 0.5, atol=1e-12)
        assert (model.predict(rows) == 0).all()


def test_a_tie_in_tan_goes_to_the_first_class():
    # without a link between features TAN is naive Bayes; the class term comes last, as in Weka
    random = np.random.default_rng(5)
    for search in ("superparent", "hcs"):
        n_tied = 0
        for _ in range(10):
            half = random.integers(0, 3, (11, 6))
            X, y = np.concatenate([half, half[:, ::-1]]), np.repeat([0, 1], 11)
            left = random.integers(0, 3, (30, 3))
            rows = np.hstack([left, left[:, ::-1]])
            model = TAN(search, n_values=np.full(6, 3)).fit(X, y)
            tied = np.ptp(model.predict_proba(rows), axis=1) < 1e-12
            assert (model.predict(rows)[tied] == 0).all()
            n_tied += tied.sum()
        assert n_tied > 0
