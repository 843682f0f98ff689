import json

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from tests.experiments.filled import HERE
from wager.experiments import Plan
from wager.experiments.plan import PreparedTable
from wager.experiments.plan._keys import random_state_of
from wager.experiments.run._fit_unit import (
    configured_learner,
    do_task,
    predict,
    with_declared,
)
from wager.experiments.run._unit_data import UnitData, unit_data
from wager.experiments.store._unit_result import unpack_probabilities, unpack_rows
from wager.learners import C45, NaiveBayes, NaiveCredal
from wager.prepare import MDLDiscretizer, load_dataset
from wager.rewards import (
    Tally,
    evaluate_probabilities,
    kl_divergence,
    prior_from_counts,
    prior_from_labels,
)

MDL = {"discretize": "mdl"}


def results(plan, first=None):
    with plan.modules():
        tasks = plan.tasks(plan.units())[:first]
        return [result for task in tasks for result in do_task(task)]


def test_a_unit_is_what_one_would_do_by_hand():
    plan = Plan(
        datasets=["wine"],
        learners={"ncc": {"learner": "naive-credal", "params": {"s": 2.0}}, "nbc": "naive-bayes"},
        scheme={"n_folds": 3},
        prepare=MDL,
    )
    data = load_dataset("wine")
    y = data.target_codes
    (unit, *_) = plan.units()
    state = random_state_of([unit.source.what, unit.scheme, 0, 1])
    folds = StratifiedKFold(3, shuffle=True, random_state=state).split(data.matrix, y)
    found = results(plan)
    for number, (train, test) in enumerate(folds):
        cutter = MDLDiscretizer().fit(data.matrix[train], y[train])
        X, X_test = cutter.transform(data.matrix[train]), cutter.transform(data.matrix[test])
        sizes = cutter.n_values_
        credal = NaiveCredal(2.0, n_values=sizes).fit(X, y[train])
        plain = NaiveBayes(n_values=sizes).fit(X, y[train])
        ncc, nbc = found[2 * number : 2 * number + 2]
        assert Tally.from_json(ncc.tally) == Tally.of(y[test], credal.predict_set(X_test))
        assert Tally.from_json(nbc.tally) == Tally.of(y[test], plain.predict(X_test), range(3))
        size, hit = unpack_rows(ncc.rows)
        np.testing.assert_array_equal(size, credal.predict_set(X_test).sum(axis=1))
        np.testing.assert_array_equal(
            hit, credal.predict_set(X_test)[np.arange(len(test)), y[test]]
        )
        prior = prior_from_labels(y[train], [0, 1, 2])
        expected = evaluate_probabilities(y[test], plain.predict_proba(X_test), prior)
        sums = unpack_probabilities(nbc.probabilities).sums
        assert sums["information_reward"].mean == expected.information_reward
        assert (nbc.n_train, nbc.n_test, nbc.n_features) == (len(train), len(test), 13)


@pytest.mark.parametrize("clip", [0.01, "unseen"])
def test_probabilities_are_clipped_as_the_plan_says(clip):
    """ "unseen" is what counts that start at 0.5 give to a class that training did not meet."""
    base = {"datasets": ["iris"], "learners": {"tree": "c45"}, "scheme": {"n_folds": 2}}
    plan, sure = Plan(**base, clip=clip), Plan(**base)
    for unit, result in zip(plan.units(), results(plan), strict=True):
        data = unit_data(unit)
        tree = configured_learner(unit.learner, data, 0).fit(data.train.X, data.y_train)
        prior = prior_from_labels(data.y_train, [0, 1, 2])
        least = prior_from_counts([len(data.y_train), 0, 0])[1] if clip == "unseen" else clip
        expected = evaluate_probabilities(
            data.y_test, tree.predict_proba(data.test.X), prior, clip=least
        )
        sums = unpack_probabilities(result.probabilities).sums
        assert sums["information_reward"].mean == expected.information_reward > -np.inf
    assert not {unit.key for unit in plan.units()} & {unit.key for unit in sure.units()}


def test_a_clip_that_is_none_is_refused():
    with pytest.raises(ValueError, match="clip must lie strictly between 0 and 0"):
        Plan(datasets=["iris"], learners={"tree": "c45"}, clip=0.5)


def test_learners_are_told_the_declared_classes_values_and_a_random_state(tmp_path):
    text = "@relation r\n@attribute x {a,b,c}\n@attribute class {p,q,never}\n@data\n"
    (tmp_path / "small.arff").write_text(text + "a,p\nb,q\n" * 10)
    inner = {"learner": "naive-credal"}
    plan = Plan(
        datasets=["small"],
        learners={"k": {"learner": "k-random", "params": {"estimator": inner}}},
        scheme={"n_folds": 2},
        folder=tmp_path,
    )
    (unit, *_) = plan.units()
    learner = configured_learner(unit.learner, unit_data(unit), unit.random_state)
    assert learner.estimator.classes.tolist() == [0, 1, 2]
    assert learner.estimator.n_values.tolist() == [3]
    assert learner.random_state == unit.random_state
    assert Tally.from_json(results(plan, 1)[0].tally).n_classes == 3


def test_numeric_and_nominal_columns_stay_apart_for_learners_that_take_both(tmp_path):
    text = (
        "@relation r\n@attribute x {a,b,c}\n@attribute z numeric\n@attribute class {p,q}\n@data\n"
    )
    rows = "".join(f"{'ab'[i % 2]},{i / 3},{'pq'[i % 2]}\n" for i in range(30))
    (tmp_path / "mixed.arff").write_text(text + rows)
    learners = {
        "tree": "c45",
        "nbc": "naive-bayes",
        "boosted": {
            "learner": "sklearn.ensemble.HistGradientBoostingClassifier",
            "params": {"max_iter": 2, "min_samples_leaf": 1},
        },
    }
    plan = Plan(datasets=["mixed"], learners=learners, scheme={"n_folds": 2}, folder=tmp_path)
    for unit in plan.units()[:3]:
        learner = configured_learner(unit.learner, unit_data(unit), 0)
        assert learner.categorical_features.tolist() == [True, False]
    for result in results(plan):
        assert result.error is None, result.trace
    tree, *_ = results(plan, 1)
    assert Tally.from_json(tree.tally).expected_utility("u50") == 1.0  # by the nominal column


def test_a_class_that_training_rows_lack_gets_nothing(tmp_path):
    text = "@relation r\n@attribute z numeric\n@attribute class {p,q,rare}\n@data\n"
    (tmp_path / "rare.arff").write_text(text + "1,p\n2,q\n" * 6 + "3,rare\n")
    tree = "sklearn.tree.DecisionTreeClassifier"
    plan = Plan(datasets=["rare"], learners={"t": tree}, scheme={"n_folds": 3}, folder=tmp_path)
    found = results(plan)
    assert [Tally.from_json(result.tally).n_classes for result in found] == [3, 3, 3]
    assert sum(Tally.from_json(result.tally).n for result in found) == 13


def test_generated_data_knows_the_truth():
    plan = Plan(
        datasets=[{"generator": "random-binary-naive-bayes", "params": {"n_features": 4}}],
        learners={"nbc": "naive-bayes", "all": "vacuous"},
        scheme={"kind": "generate", "sizes": [20], "test_rows": 300},
    )
    nbc, _ = plan.units()
    data = unit_data(nbc)
    model = nbc.source.model(1)
    np.testing.assert_array_equal(data.truth, model.class_probabilities(data.test.X))
    proba = (
        configured_learner(nbc.learner, data, 0)
        .fit(data.train.X, data.y_train)
        .predict_proba(data.test.X)
    )
    first, second = results(plan)
    assert first.kl_divergence == pytest.approx(kl_divergence(data.truth, proba))
    named = data.truth[np.arange(300), proba.argmax(axis=1)]
    true = Tally.from_json(first.true_tally)
    assert true.expected_utility("u50") == pytest.approx(named.mean())
    assert Tally.from_json(second.true_tally).expected_utility("u65") == pytest.approx(0.65)


def test_downsampling_trains_on_few_rows_and_tests_on_the_rest():
    scheme = {"kind": "downsample", "sizes": [9, 30], "repeats": 2}
    plan = Plan(datasets=["iris"], learners={"all": "vacuous"}, scheme=scheme)
    found = results(plan)
    assert [(o.n_train, o.n_test) for o in found] == [(9, 141)] * 2 + [(30, 120)] * 2
    folds = [unit_data(unit) for unit in plan.units()]
    assert np.bincount(folds[0].y_train).tolist() == [3, 3, 3]
    assert folds[0].rows.tolist() != folds[1].rows.tolist()


def test_a_holdout_keeps_its_share_for_testing():
    scheme = {"kind": "holdout", "test_share": 0.2, "repeats": 2}
    plan = Plan(datasets=["iris"], learners={"all": "vacuous"}, scheme=scheme)
    assert [(o.n_train, o.n_test) for o in results(plan)] == [(120, 30)] * 2


def test_the_folds_are_the_same_for_every_learner_and_its_own_preparation():
    learners = {
        "raw": {"learner": "naive-bayes", "prepare": {"discretize": "none"}},
        "cut": "naive-bayes",
    }
    plan = Plan(datasets=["iris"], learners=learners, scheme={"n_folds": 3}, prepare=MDL)
    raw, cut = (unit_data(unit) for unit in plan.units()[:2])
    np.testing.assert_array_equal(raw.rows, cut.rows)
    assert raw.train.X.dtype.kind == "f"
    assert cut.train.X.dtype.kind == "i"


def test_a_learner_that_draws_gets_the_same_numbers_in_any_order():
    learners = {"guess": "faulty.Draws", "random": "random-class"}
    plan = Plan(datasets=["iris"], learners=learners, scheme={"n_folds": 3}, folder=HERE)
    forward = {o.key: o.rows for o in results(plan)}
    with plan.modules():
        backward = {
            o.key: o.rows
            for task in reversed(plan.tasks(plan.units()))
            for o in do_task(task.only(reversed(task.units)))
        }
    assert forward == backward
    assert len(set(forward.values())) == 6


def test_tuning_chooses_by_an_inner_cross_validation():
    tuned = {"learner": "naive-credal", "tune": {"s": [0.5, 60.0]}, "tune_folds": 3}
    plan = Plan(datasets=["iris"], learners={"ncc": tuned}, scheme={"n_folds": 3}, prepare=MDL)
    (result,) = results(plan, 1)
    assert result.error is None, result.trace
    assert json.loads(result.chosen) == {"s": 0.5}


def test_tuning_a_learner_of_single_classes_goes_by_accuracy():
    tuned = {"learner": "c45", "tune": {"min_rows": [2, 70]}}
    plan = Plan(datasets=["iris"], learners={"tree": tuned}, scheme={"n_folds": 3})
    (result,) = results(plan, 1)
    assert json.loads(result.chosen) == {"min_rows": 2}


def test_a_fault_becomes_the_outcome_of_its_unit_alone():
    learners = {"bad": "faulty.Raises", "good": "faulty.Majority"}
    plan = Plan(datasets=["iris"], learners=learners, folder=HERE)
    found = results(plan)
    bad, good = found[::2], found[1::2]
    assert all(result.error is None for result in good)
    failed = [result for result in bad if result.error]
    assert 0 < len(failed) < len(bad)
    assert failed[0].error.startswith("RuntimeError: cannot learn from a value of")
    assert "in fit" in failed[0].trace
    assert failed[0].tally is None


def test_data_that_cannot_be_read_fails_every_unit_that_needs_it(tmp_path):
    (tmp_path / "bad.arff").write_text("@relation r\n@attribute x {a}\n@data\nwhat,is,this\n")
    plan = Plan(datasets=["bad"], learners={"a": "vacuous", "b": "naive-bayes"}, folder=tmp_path)
    found = results(plan)
    assert len(found) == 20
    assert all(result.error for result in found)
    assert len({result.key for result in found}) == 20


def test_labels_that_a_learner_made_up_are_an_error_and_not_empty_sets():
    class Inventive:
        def predict(self, X):
            return np.array([0, 7])

    with pytest.raises(ValueError, match="predict returned 7 for test row 2, but the learner was"):
        predict(Inventive(), np.zeros((2, 1)), 3, with_proba=False)


def test_object_labels_that_a_learner_made_up_get_the_same_reason():
    class Inventive:
        def predict(self, X):
            return np.array([0, "what"], dtype=object)

    with pytest.raises(ValueError, match="predict returned 'what' for test row 2, but the learner"):
        predict(Inventive(), np.zeros((2, 1)), 3, with_proba=False)


def answering(method, answer):
    """A learner whose method returns an answer."""
    return type("Answers", (), {method: lambda self, X: answer, "classes_": np.arange(2)})()


@pytest.mark.parametrize("method", ["predict", "predict_set", "predict_proba"])
def test_masked_answers_are_refused(method):
    shape = 3 if method == "predict" else (3, 2)
    learner = answering(method, np.ma.array(np.zeros(shape), mask=False))
    learner.predict = getattr(learner, "predict", lambda X: np.zeros(3))
    predict(learner, np.zeros((3, 1)), 2, with_proba=True)  # nothing is hidden
    masked = np.ma.zeros(shape)
    masked[1] = np.ma.masked
    sentence = f"^{method} returned a masked value for test row 2: it must return an array without"
    with pytest.raises(ValueError, match=sentence):
        predict(answering(method, masked), np.zeros((3, 1)), 2, with_proba=True)


@pytest.mark.parametrize("value", [np.nan, 0.2, 2, -1, None, "yes"])
def test_sets_are_marked_by_true_and_false_alone(value):
    sets = np.array([[0, 1], [1, value]], dtype=object)
    given = sets.astype(float) if isinstance(value, float) else sets
    sentence = r"predict_set returned (nan|0.2|2|-1|None|'yes') for test row 2: it must return True"
    with pytest.raises(ValueError, match=sentence):
        predict(answering("predict_set", given), np.zeros((2, 1)), 2, with_proba=False)


@pytest.mark.parametrize("dtype", [bool, int, float, object])
def test_zeros_and_ones_of_any_type_mark_sets(dtype):
    learner = answering("predict_set", np.array([[0, 1], [1, 1]], dtype=dtype))
    sets, _ = predict(learner, np.zeros((2, 1)), 2, with_proba=False)
    assert (sets.dtype, sets.tolist()) == (np.dtype(bool), [[False, True], [True, True]])


@pytest.mark.parametrize(
    "prepare", [{}, {"impute": "fold"}, MDL, {"discretize": "mdl", "fill": "mode"}]
)
def test_what_a_learner_does_to_its_arrays_changes_no_other_unit(prepare):
    """Each result is that of a split with this learner alone."""
    learners = {
        "before": "sklearn.naive_bayes.GaussianNB",
        "centres": "faulty.Centres",
        "again": "faulty.Centres",
        "after": {"learner": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 1e-8}},
        "selects": {
            "learner": "sklearn.naive_bayes.GaussianNB",
            "prepare": {"discretize": "mdl", "select": "cfs", "encode": "one-hot"},
        },
    }
    base = {"datasets": ["iris"], "scheme": {"n_folds": 3}, "prepare": prepare, "folder": HERE}
    alone = {}
    for name, learner in learners.items():
        alone |= {found.key: found for found in results(Plan(learners={name: learner}, **base))}
    for found in results(Plan(learners=learners, **base)):
        expected = alone[found.key]
        assert found.error is None, found.trace
        assert (found.rows, found.cost_tally) == (expected.rows, expected.cost_tally)
        assert found.probabilities == expected.probabilities


def test_the_scores_of_a_learner_are_those_of_the_data_and_not_of_what_it_makes_of_them():
    """Neither its classes in training, for the prior, nor its rows when it predicts twice."""
    base = {"datasets": ["iris"], "scheme": {"n_folds": 3}, "folder": HERE}
    learners = {"centres": "faulty.Centres", "plain": "sklearn.naive_bayes.GaussianNB"}
    with_proba = results(Plan(learners=learners, **base))
    without = results(Plan(learners=learners, **base, probabilities=False))
    assert [found.rows for found in with_proba] == [found.rows for found in without]
    for centres, plain in zip(with_proba[::2], with_proba[1::2], strict=True):
        ours, theirs = (unpack_probabilities(found.probabilities) for found in (centres, plain))
        assert ours.prior.tolist() == theirs.prior.tolist()


def test_parameters_and_declared_values_that_a_learner_changes_are_those_of_its_unit_alone():
    params = {"extra": [1], "other": 0}
    learners = {
        "a": {"learner": "faulty.Declared", "params": params, "grid": {"other": [1, 2]}},
        "nbc": "naive-bayes",
    }
    base = {"datasets": ["iris"], "scheme": {"n_folds": 3}, "prepare": MDL, "folder": HERE}
    found = results(Plan(learners=learners, **base))
    assert [each.error for each in found] == [None] * 9
    (*_, alone) = results(Plan(learners={"nbc": "naive-bayes"}, **base))
    assert (found[-1].key, found[-1].probabilities) == (alone.key, alone.probabilities)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_a_learner_gets_copies_in_the_same_layout(order, dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype, order=order)
    part = PreparedTable(X, np.ones(3, dtype=bool), np.full(3, 12))
    y = np.arange(4)
    data = UnitData(part, y, part.rows(y[:2]), y[:2], y[:2], y)
    own = data.for_learner()
    given = [own.train.X, own.train.nominal, own.train.n_values, own.y_train, own.test.X]
    ours = [part.X, part.nominal, part.n_values, y, data.test.X]
    for copy, array in zip(given, ours, strict=True):
        assert (copy.dtype, copy.strides) == (array.dtype, array.strides)
        assert copy.tobytes("A") == array.tobytes("A")
        assert not any(np.shares_memory(copy, other) for other in ours)


def test_units_of_a_split_share_the_steps_before_selection(monkeypatch):
    learners = {
        "raw": {"learner": "naive-bayes", "prepare": {"discretize": "none"}},
        "all": "naive-bayes",
        "some": {"learner": "naive-bayes", "prepare": {"select": "cfs"}},
        "filled": {"learner": "naive-bayes", "prepare": {"select": "cfs", "fill": "mode"}},
        "once": {"learner": "naive-bayes", "prepare": {"discretize_in": "once"}},
    }
    plan = Plan(datasets=["iris"], learners=learners, scheme={"n_folds": 3}, prepare=MDL)
    units = plan.units()[: len(learners)]
    alone = [unit_data(unit) for unit in units]
    fits, fit = [], MDLDiscretizer.fit
    monkeypatch.setattr(MDLDiscretizer, "fit", lambda *a: fits.append(1) or fit(*a))
    folds = {}
    for unit, expected in zip(units, alone, strict=True):
        found = unit_data(unit, folds)
        for part in ("train", "test"):
            ours, theirs = getattr(found, part), getattr(expected, part)
            assert ours.X.tobytes() == theirs.X.tobytes()
            assert ours.n_values.tolist() == theirs.n_values.tolist()
    assert len(fits) == 1  # the cut points of all rows were known already


@pytest.mark.parametrize("name", ["naive-bayes", "aode", "tan"])
def test_the_predicted_class_comes_from_the_probabilities_and_is_that_of_predict(name):
    plan = Plan(datasets=["iris"], learners={"a": name}, scheme={"n_folds": 3}, prepare=MDL)
    unit = plan.units()[0]
    data = unit_data(unit)
    model = configured_learner(unit.learner, data, 0).fit(data.train.X, data.y_train)
    rows = np.vstack([data.test.X, np.full((1, 4), -1)])  # the last row has tied classes
    sets, proba = predict(model, rows, 3, with_proba=True)
    assert proba is not None
    assert sets.argmax(axis=1).tolist() == model.predict(rows).tolist()
    assert sets.tolist() == predict(model, rows, 3, with_proba=False)[0].tolist()


def test_classes_that_differ_by_a_rounding_error_are_predicted_as_by_predict():
    X = [[-1, 1, 0, 0], [0, 0, -1, -1], [2, 2, 1, 1], [1, 2, 0, 2], [-1, 0, 2, -1]]
    X = np.array([*X, [-1, 2, -1, 1], [2, 0, 2, 0]])
    y = np.array([1, 1, 2, 1, 0, 0, 0])
    model = C45(min_rows=1, prune=False, classes=[0, 1, 2]).fit(X, y)
    proba = model.predict_proba(X)
    assert 0 < proba[1, 1] - proba[1, 0] < 1e-15  # 3/7 each
    expected = np.arange(3) == model.predict(X)[:, None]
    for with_proba in (True, False):
        np.testing.assert_array_equal(predict(model, X, 3, with_proba)[0], expected)


def test_only_what_a_learner_leaves_open_is_declared():
    (unit, *_) = Plan(datasets=["iris"], learners={"a": "c45"}, scheme={"n_folds": 2}).units()
    data = unit_data(unit)
    for given, expected in (("auto", [False] * 4), ("none", "none"), ("all", "all")):
        learner = with_declared(C45(categorical_features=given), data, 1)
        assert np.array_equal(learner.categorical_features, expected)
