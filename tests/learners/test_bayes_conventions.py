"""The Bayesian learners follow scikit-learn's conventions and raise clear errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from wager.learners import (
    AODE,
    TAN,
    BayesianModelAveraging,
    KRandom,
    NaiveBayes,
    RandomClass,
    Vacuous,
)
from wager.prepare import MDLDiscretizer, load_dataset

CATEGORICAL = [
    NaiveBayes(categorical_features="all"),
    AODE(),
    TAN(),
    TAN("cmi"),
    TAN("superparent"),
    TAN("hcs"),
    BayesianModelAveraging(),
]
IDS = [repr(learner) for learner in CATEGORICAL]
each_learner = pytest.mark.parametrize("learner", CATEGORICAL, ids=IDS)


@parametrize_with_checks(
    [
        NaiveBayes(),
        NaiveBayes("perks", categorical_features="all"),
        NaiveBayes(categorical_features="none"),
        AODE(),
        AODE("m-estimate", frequency_limit=3),
        TAN(),
        TAN("cmi", smoothing="friedman"),
        TAN("superparent"),
        TAN("hcs"),
        BayesianModelAveraging(),
        Vacuous(),
        RandomClass(),
        KRandom(Vacuous()),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@each_learner
def test_one_class_one_row_and_constant_columns(learner):
    one = clone(learner).fit([[0, 0]], ["only"])
    assert one.predict_proba([[0, 0], [1, 5]]).tolist() == [[1.0], [1.0]]
    constant = clone(learner).fit([[0, 0], [0, 1], [0, 0], [0, 1]], [0, 1, 0, 1])
    assert constant.predict([[0, 0], [0, 1]]).tolist() == [0, 1]


@each_learner
def test_all_missing_columns_change_nothing_between_the_classes(learner):
    X = np.array([[-1, 0], [-1, 1], [-1, 0], [-1, 1]])
    model = clone(learner).fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]
    assert np.isfinite(model.predict_proba([[-1, -1], [3, -1], [0, 0]])).all()


@each_learner
def test_unseen_levels_are_predicted_with_probabilities_that_sum_to_one(learner):
    frame = pd.DataFrame({"a": list("xyxy"), "b": pd.Categorical(list("pqpq"), list("pqr"))})
    model = clone(learner).fit(frame, list("nmnm"))
    new = pd.DataFrame({"a": ["z", None, "x"], "b": pd.Categorical(["r", "p", None])})
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1.0)


@each_learner
def test_ten_thousand_columns_work_or_raise_a_clear_error(learner):
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, size=(40, 10_000)), np.arange(40) % 2
    if isinstance(learner, NaiveBayes | BayesianModelAveraging):
        assert clone(learner).fit(X, y).predict_proba(X).shape == (40, 2)
    else:
        with pytest.raises(ValueError, match=r"10000 features .* takes .* GiB"):
            clone(learner).fit(X, y)


@each_learner
def test_without_any_feature_the_class_frequencies_remain(learner):
    nothing = pd.DataFrame(index=range(4))
    proba = clone(learner).fit(nothing, [0, 0, 0, 1]).predict_proba(nothing)
    assert (proba[:, 0] > proba[:, 1]).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


@each_learner
def test_declared_classes_are_kept_or_dropped(learner):
    X, y = [[0], [1]], pd.Series(pd.Categorical(["a", "c"], ["a", "b", "c"]))
    assert clone(learner).fit(X, y).classes_.tolist() == ["a", "b", "c"]
    keep = clone(learner).set_params(classes=["a", "b", "c"])
    assert keep.fit(X, ["a", "c"]).predict_proba(X).shape == (2, 3)
    drop = clone(keep).set_params(empty_classes="drop")
    assert drop.fit(X, ["a", "c"]).classes_.tolist() == ["a", "c"]
    with pytest.raises(ValueError, match="empty_classes must be"):
        clone(learner).set_params(empty_classes="x").fit(X, ["a", "c"])


@each_learner
def test_pickled_models_and_sparse_codes_give_the_same_answer(learner):
    random = np.random.default_rng(1)
    X, y = random.integers(0, 3, size=(60, 4)), random.integers(0, 2, size=60)
    model = clone(learner).fit(X, y)
    expected = model.predict_proba(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), expected)
    spread = clone(learner).fit(sparse.csr_array(X), y).predict_proba(sparse.csr_array(X))
    np.testing.assert_array_equal(spread, expected)


@pytest.mark.parametrize("learner", [AODE(), TAN(), BayesianModelAveraging()])
def test_numeric_features_raise_a_helpful_error(learner):
    with pytest.raises(ValueError, match="discretize numbers first, for instance with MDL"):
        learner.fit(load_dataset("iris").matrix, load_dataset("iris").y)


def test_learners_can_be_searched_and_cross_validated_in_a_pipeline():
    data = load_dataset("wine")
    pipe = make_pipeline(MDLDiscretizer(), TAN())
    assert cross_val_score(pipe, data.frame, data.y, cv=3).mean() > 0.85
    grid = GridSearchCV(pipe, {"tan": [NaiveBayes(), AODE()]}, cv=3).fit(data.frame, data.y)
    assert grid.best_score_ > 0.9


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (NaiveBayes("jeffreys"), "prior must be"),
        (NaiveBayes(s=0), "s must be positive"),
        (NaiveBayes(numeric="kernel"), "numeric must be"),
        (AODE("x"), "smoothing must be"),
        (AODE(frequency_limit=0), "frequency_limit must be"),
        (TAN("greedy"), "search must be 'bayes', 'cmi', 'superparent' or 'hcs'"),
        (TAN(smoothing="x"), "smoothing must be"),
        (BayesianModelAveraging(s=-1), "s must be positive"),
        (BayesianModelAveraging(inclusion=2), "inclusion must lie"),
        (KRandom(NaiveBayes()), "NaiveBayes has no predict_set"),
    ],
)
def test_unknown_arguments_raise_clear_errors(learner, words):
    with pytest.raises(ValueError, match=words):
        learner.fit([[0], [1]], [0, 1])
