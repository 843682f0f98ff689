"""`predict_set` reads what each library's estimators return.

MAPIE is installed; the classes of crepes, TorchCP and nonconformist below have the documented
methods and results of these libraries and nothing else.
"""

from __future__ import annotations

import numpy as np
import pytest
from mapie.classification import CrossConformalClassifier, SplitConformalClassifier
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from wager import predict_set
from wager.learners import Nondeterministic
from wager.predictions._estimators import classes_of
from wager.rewards import make_set_scorer

NAMES = np.array(["setosa", "versicolor", "virginica"])
ALL, CODES = load_iris(return_X_y=True)
X, Y = ALL[:, :2], NAMES[CODES]
MODEL = GaussianNB().fit(X, Y)


def p_values(rows):
    proba = MODEL.predict_proba(rows)
    return proba / proba.max(axis=1, keepdims=True)


class WrapClassifier:
    """Of crepes: a binary matrix before version 0.9.1, lists of labels since."""

    def __init__(self, labels=True):
        self.learner, self.labels = MODEL, labels

    def predict(self, rows):
        return self.learner.predict(rows)

    def predict_set(self, X, y=None, confidence=0.95, smoothing=True):
        inside = p_values(X) >= 1 - confidence
        if not self.labels:
            return inside.astype(int)
        return [self.learner.classes_[row].tolist() for row in inside]


class IcpClassifier:
    """Of nonconformist: p-values, or flags if a significance level is given."""

    classes = NAMES

    def predict(self, x, significance=None):
        return p_values(x) if significance is None else p_values(x) > significance


class Tensor:
    """The part of a torch tensor that is needed to read it."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.asarray(self.values)


class SplitPredictor:
    """Of TorchCP: a tensor of 0 and 1, or lists of positions in versions before 1.0."""

    def __init__(self, ragged):
        self.ragged = ragged

    def predict(self, x_batch):
        inside = p_values(x_batch) >= 0.1
        if self.ragged:
            return [np.flatnonzero(row).tolist() for row in inside]
        return Tensor(inside.astype(np.int32))


SplitPredictor.__module__ = "torchcp.classification.predictor.split"


def mapie(level=0.9):
    split = SplitConformalClassifier(GaussianNB(), confidence_level=level, prefit=False)
    return split.fit(X[::2], Y[::2]).conformalize(X[1::2], Y[1::2])


def test_mapie_returns_a_pair_whose_sets_are_taken():
    model = mapie()
    sets = predict_set(model, X)
    assert sets.shape == (150, 3)
    assert sets.dtype == bool
    np.testing.assert_array_equal(sets, model.predict_set(X)[1][:, :, 0])
    assert make_set_scorer("coverage")(model, X, Y) == sets[np.arange(150), CODES].mean()


def test_mapies_cross_conformal_sets():
    model = CrossConformalClassifier(GaussianNB(), confidence_level=0.8).fit_conformalize(X, Y)
    np.testing.assert_array_equal(predict_set(model, X), model.predict_set(X)[1][:, :, 0])


def test_one_of_several_levels_of_mapie_is_chosen():
    model = mapie([0.8, 0.95])
    with pytest.raises(
        ValueError, match=r"has sets at 2 confidence levels \(0.8, 0.95\): choose one with level="
    ):
        predict_set(model, X)
    with pytest.raises(ValueError, match=r"at the levels 0.8, 0.95, not at 0.9: choose one"):
        predict_set(model, X, level=0.9)
    np.testing.assert_array_equal(
        predict_set(model, X, level=0.95), model.predict_set(X)[1][:, :, 1]
    )
    sets = model.predict_set(X)[1][:, :, 0]
    scorer = make_set_scorer("mean_set_size", level=0.8)
    assert scorer(model, X, Y) == pytest.approx(-sets.sum(axis=1).mean())


@pytest.mark.parametrize("labels", [True, False])
def test_crepes_returns_labels_or_a_matrix(labels):
    model = WrapClassifier(labels)
    np.testing.assert_array_equal(predict_set(model, X), p_values(X) >= 1 - 0.95)
    np.testing.assert_array_equal(predict_set(model, X, level=0.6), p_values(X) >= 1 - 0.6)


def test_columns_are_found_by_the_classes_that_an_estimator_knows():
    turned = NAMES[::-1]
    for model in (WrapClassifier(labels=False), WrapClassifier(), MODEL):
        expected = predict_set(model, X)
        np.testing.assert_array_equal(predict_set(model, X, classes=turned), expected[:, ::-1])
        more = predict_set(model, X, classes=["tulip", *NAMES])
        np.testing.assert_array_equal(more, np.insert(expected, 0, False, axis=1))
    matrix = WrapClassifier(labels=False)
    with pytest.raises(ValueError, match=r"'virginica' .* not among the classes"):
        predict_set(matrix, X, classes=["setosa", "versicolor", "tulip"])
    names = ["a", "b", "c"]  # none of which it knows: names for its columns
    np.testing.assert_array_equal(predict_set(matrix, X, classes=names), predict_set(matrix, X))


def test_nonconformist_returns_p_values_that_need_a_level():
    with pytest.raises(ValueError, match="IcpClassifier returns p-values: choose the confidence"):
        predict_set(IcpClassifier(), X)
    np.testing.assert_array_equal(predict_set(IcpClassifier(), X, level=0.9), p_values(X) > 1 - 0.9)
    scorer = make_set_scorer("coverage", level=0.9)
    inside = p_values(X) > 1 - 0.9
    assert scorer(IcpClassifier(), X, Y) == inside[np.arange(150), CODES].mean()


@pytest.mark.parametrize("ragged", [True, False])
def test_torchcp_returns_a_tensor_or_positions(ragged):
    sets = predict_set(SplitPredictor(ragged), X, classes=NAMES)
    np.testing.assert_array_equal(sets, p_values(X) >= 0.1)
    # positions even where the labels are numbers that could be taken for them
    np.testing.assert_array_equal(predict_set(SplitPredictor(ragged), X, classes=[2, 0, 1]), sets)


def test_positions_need_all_classes():
    with pytest.raises(ValueError, match="SplitPredictor returns positions of classes: name the"):
        predict_set(SplitPredictor(True), X)
    with pytest.raises(ValueError, match=r"returned position 2 in row \d+, but there are 2 class"):
        predict_set(SplitPredictor(True), X, classes=["a", "b"])


PLAIN = {
    "classifier": MODEL,
    "pipeline": make_pipeline(StandardScaler(), GaussianNB()).fit(X, Y),
    "pipeline of one step": Pipeline([("bayes", GaussianNB())]).fit(X, Y),
    "search": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}).fit(X, Y),
    "one against the rest": OneVsRestClassifier(GaussianNB()).fit(X, Y),
}


@pytest.mark.parametrize("case", PLAIN)
def test_plain_classifiers_predict_sets_with_one_class(case):
    model = PLAIN[case]
    np.testing.assert_array_equal(predict_set(model, X), model.predict(X)[:, None] == NAMES)


def test_sets_of_a_learner_in_a_pipeline_in_a_search():
    steps = make_pipeline(StandardScaler(), Nondeterministic(GaussianNB()))
    search = GridSearchCV(
        steps, {"nondeterministic__beta": [1, 2]}, scoring=make_set_scorer("u65"), cv=3
    ).fit(X, Y)
    best = search.best_estimator_
    expected = best[-1].predict_set(best[0].transform(X))
    np.testing.assert_array_equal(predict_set(search, X), expected)
    assert (expected.sum(axis=1) > 1).any()


WRONG = {
    "a regressor": (LinearRegression().fit(X, CODES), {}, "LinearRegression has no classes_"),
    "a transformer": (StandardScaler().fit(X), {}, "has neither predict_set nor predict"),
    "a class": (GaussianNB, {}, "pass a fitted estimator, got the class GaussianNB"),
    "no estimator": (None, {}, "NoneType has neither predict_set nor predict"),
    "not fitted": (GaussianNB(), {}, "not fitted yet"),
    "a level for a plain one": (MODEL, {"level": 0.9}, "does not take a confidence level"),
    "no level": (WrapClassifier(), {"level": 95}, "strictly between 0 and 1, got 95"),
    "too few classes": (WrapClassifier(False), {"classes": ["a", "b"]}, "3 columns .* 2 classes"),
}


@pytest.mark.parametrize("case", WRONG)
def test_other_estimators_are_refused_in_one_sentence(case):
    estimator, options, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        predict_set(estimator, X, **options)


@pytest.mark.parametrize("level", ["0.9", 1.5, 0, float("nan")])
def test_a_level_is_a_number_between_0_and_1(level):
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, got"):
        predict_set(mapie(), X, level=level)


def test_an_estimator_that_names_itself_as_its_inner_one_has_no_classes():
    model = LinearRegression()
    model.best_estimator_ = model
    assert classes_of(model) is None
    model.best_estimator_ = MODEL
    assert classes_of(model).tolist() == NAMES.tolist()
