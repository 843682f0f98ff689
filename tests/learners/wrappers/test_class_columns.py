"""Wrappers match the columns of the models inside them by class, also if classes are not sorted."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from wager.credal import CredalVertices
from wager.learners import (
    Conformal,
    CredalIntervals,
    CredalTree,
    NaiveBayes,
    NaiveCredal,
    Rejecting,
    TunedCaution,
    VennAbers,
)
from wager.predictions import ProbabilityIntervals

SORTED, UNSORTED = ["x", "y", "z"], ["z", "x", "y"]
PLACES = [SORTED.index(label) for label in UNSORTED]


def nominal_problem():
    random = np.random.default_rng(0)
    y = random.integers(3, size=120)
    X = (y[:, None] + random.integers(2, size=(120, 4)) * random.integers(3, size=(120, 4))) % 3
    return X, np.array(SORTED)[y]


@pytest.mark.parametrize(
    "make",
    [
        lambda classes: Conformal(NaiveBayes(classes=classes), 0.3, cv=4),
        lambda classes: Conformal(NaiveBayes(classes=classes), 0.3, cv=4, mondrian=True),
        lambda classes: Conformal(NaiveBayes(classes=classes), 0.3, random_state=0),
        lambda classes: VennAbers(NaiveBayes(classes=classes), random_state=0),
        lambda classes: NaiveCredal(classes=classes, reject=0.6),
        lambda classes: NaiveCredal(classes=classes, reject=0.8, reject_group=True),
        lambda classes: NaiveCredal(classes=classes, idm="intervals", reject=0.6),
        lambda classes: Rejecting(NaiveCredal(classes=classes), 0.6),
        lambda classes: Rejecting(CredalTree(classes=classes), 0.8, group=True),
        lambda classes: TunedCaution(NaiveCredal(classes=classes), parameter="reject", cv=3),
    ],
)
def test_the_order_of_declared_classes_changes_nothing(make):
    pytest.importorskip("mapie")
    pytest.importorskip("venn_abers")
    X, y = nominal_problem()
    plain, other = make(SORTED).fit(X[:90], y[:90]), make(UNSORTED).fit(X[:90], y[:90])
    assert other.classes_.tolist() == UNSORTED
    np.testing.assert_array_equal(other.predict_set(X), plain.predict_set(X)[:, PLACES])
    np.testing.assert_allclose(
        other.predict_proba(X), plain.predict_proba(X)[:, PLACES], rtol=1e-12
    )


@pytest.mark.parametrize("form", [ProbabilityIntervals, CredalVertices])
def test_bounds_are_matched_to_the_classes_by_name(form):
    def bounds(model, X, names):
        proba = model.predict_proba(X)[:, [model.classes_.tolist().index(name) for name in names]]
        if form is CredalVertices:
            return CredalVertices(proba[:, None, :], names)
        return ProbabilityIntervals(np.maximum(proba - 0.1, 0), np.minimum(proba + 0.1, 1), names)

    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "a", "b", "b"])
    expected = CredalIntervals(LogisticRegression(), lambda m, X: bounds(m, X, ["a", "b"]))
    turned = CredalIntervals(LogisticRegression(), lambda m, X: bounds(m, X, ["b", "a"]))
    sets = turned.fit(X, y).predict_set(X)
    np.testing.assert_array_equal(sets, expected.fit(X, y).predict_set(X))
    assert sets[[0, -1]].tolist() == [[True, False], [False, True]]


def test_bounds_for_some_other_classes_are_refused():
    def bounds(model, X):
        return ProbabilityIntervals([[0.2, 0.4]] * len(X), [[0.6, 0.8]] * len(X), ["b", "c"])

    model = CredalIntervals(LogisticRegression(), bounds).fit([[0], [1]], ["a", "b"])
    with pytest.raises(ValueError, match="are for the classes 'b', 'c' but the estimator was"):
        model.predict_set([[0]])
