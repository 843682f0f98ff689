"""The meta-metric: how often metrics rank learners as the truth does, where the truth is known."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score

from wager.experiments import MetaMetric, meta_metric
from wager.experiments._meta_metric import _draw, _probabilities
from wager.experiments._metric_agreement import agreement, random_costs, true_values
from wager.experiments._ranking_metrics import auc, read_metrics, scores_of_test_sets
from wager.experiments.generators import random_chi_square, random_tan
from wager.partitions import partition_accuracy
from wager.rewards import Measure, evaluate_probabilities

OURS = (
    *("accuracy", "good_reward", "kononenko_bratko", "information_reward_2002"),
    *("information_reward", "log_loss", "brier", "partition_accuracy", "auc"),
)
numbers = st.floats(-5, 5).map(lambda x: round(x, 2))


class Coin:
    """A class of probability 0.7 that no feature helps to predict."""

    n_values = np.array([2])

    def sample(self, n, random_state):
        random = np.random.default_rng(random_state)
        return random.integers(2, size=(n, 1)), (random.random(n) >= 0.7).astype(int)

    def class_probabilities(self, X):
        return np.tile([0.7, 0.3], (len(X), 1))


class Constant(ClassifierMixin, BaseEstimator):
    """Always the same probability of the first of two classes."""

    def __init__(self, p=0.5):
        self.p = p

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return np.tile([self.p, 1 - self.p], (len(X), 1))

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Spoils(Constant):
    """Changes all that it is given."""

    def fit(self, X, y):
        X[:], y[:] = 0, 0
        return super().fit(X, y)

    def predict_proba(self, X):
        X[:] = 0
        return super().predict_proba(X)


CONSTANTS = {"right": Constant(0.7), "low": Constant(0.6)}


# A toy whose answer is known ---------------------------------------------------------------------


def test_shares_are_those_of_the_binomial_distribution():
    """0.7 beats 0.6 on a test set if k log(7/6) + (n - k) log(3/4) > 0 for k rows of class 0."""
    n = 20
    found = meta_metric(
        ["log_loss", "accuracy"], CONSTANTS, [Coin()],
        truths=["divergence"], train_rows=2, test_rows=[n, 2000], n_models=60, n_test_sets=100,
        truth_rows=10,
    )  # fmt: skip
    k = np.arange(n + 1)
    wins = k * np.log(7 / 6) + (n - k) * np.log(3 / 4) > 0
    exact = binom.pmf(k, n, 0.7)[wins].sum()
    estimate = found.estimate("log_loss", "divergence", n)
    assert estimate.value == pytest.approx(exact, abs=3.5 * estimate.standard_error)
    assert estimate.standard_error < 0.01
    ties = found.estimate("accuracy", "divergence", n)  # both always predict class 0
    assert (ties.value, ties.standard_error) == (0.5, 0)
    assert found.estimate("log_loss", "divergence", 2000).value > 0.99
    assert found.trusted("divergence", 2000) == ("log_loss",)
    gap = found.difference("log_loss", "accuracy", "divergence", n)
    assert gap.value == pytest.approx(estimate.value - 0.5)
    low, high = gap.interval()
    assert low < exact - 0.5 < high


def test_a_metric_that_knows_the_truth_is_always_right_and_its_opposite_never():
    def knows(y, proba):
        return -abs(proba[0, 0] - 0.7)

    def opposite_loss(y, proba):
        return knows(y, proba)

    found = meta_metric(
        {"knows": knows, "opposite": opposite_loss, "undefined": lambda y, proba: np.nan,
         "as a loss": Measure("distance", lambda y, proba: -knows(y, proba), False)},
        CONSTANTS | {"far": Constant(0.2)},
        {"coin": Coin()},
        truths={"kl": "divergence", "own": lambda truth, proba: -np.abs(truth - proba).mean()},
        train_rows=2, test_rows=5, n_models=3, truth_rows=10,
    )  # fmt: skip
    for truth in ("kl", "own"):
        shares = [found.estimate(metric, truth, 5).value for metric in found.metrics]
        assert shares == [1, 0, 0.5, 1]
    low, high = found.estimate("knows", "kl", 5).interval()
    assert low < 1  # three models that agree do not prove that all do
    assert high == 1


def test_learners_that_are_truly_equal_are_left_out():
    same = {"a": Constant(0.6), "b": Constant(0.6)}
    found = meta_metric(["brier"], same, [Coin()], train_rows=2, test_rows=5, n_models=2)
    assert np.isnan(found.share).all()
    assert found.n_informative == 0
    assert np.isnan(found.estimate("brier", "cost", 5).value)


# Ours and the user's -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    return meta_metric(
        ["log_loss", "auc"], ["naive-bayes", "tan"], ["random-tan"],
        train_rows=[40, 80], test_rows=[20, 50], n_models=3, truth_rows=200,
    )  # fmt: skip


def test_more_metrics_learners_and_generators_leave_the_others_as_they_were(small):
    more = meta_metric(
        ["brier", "auc", "log_loss"],
        {"tan": "tan", "naive-bayes": "naive-bayes"},
        {"random-naive-bayes": "random-naive-bayes", "random-tan": random_tan},
        train_rows=[40, 80], test_rows=[20, 50], n_models=3, truth_rows=200,
    )  # fmt: skip
    chosen = [i for i, (model, _) in enumerate(more.problems) if model.startswith("random-tan")]
    for metric in ("auc", "log_loss"):
        before = small.share[..., small.metrics.index(metric)]
        np.testing.assert_array_equal(before, more.share[chosen][..., more.metrics.index(metric)])


def test_numeric_features_and_estimators_of_scikit_learn():
    found = meta_metric(
        [roc_auc_by_pairs],
        [LogisticRegression(C=100.0), Constant3()],
        {"numbers": random_chi_square},
        train_rows=90, test_rows=90, n_models=2, truth_rows=300,
    )  # fmt: skip
    assert found.metrics == ("roc_auc_by_pairs",)
    assert found.estimate("roc_auc_by_pairs", "divergence", 90).value == 1


def roc_auc_by_pairs(y, proba):
    return roc_auc_score(y, proba, multi_class="ovo")


class Constant3(Constant):
    """Always the same probabilities of three classes."""

    def fit(self, X, y):
        self.classes_ = np.arange(3)
        return self

    def predict_proba(self, X):
        return np.tile([0.3, 0.3, 0.4], (len(X), 1))


@given(st.integers(0, 200), st.integers(2, 4))
@settings(deadline=None, max_examples=20)
def test_the_area_under_the_curve_is_that_of_scikit_learn(seed, n_classes):
    _, proba, y = reports(seed, n_classes=n_classes)
    proba = proba.round(1) + 0.01  # with ties
    proba /= proba.sum(axis=1, keepdims=True)
    given_ = proba[:, 1] if n_classes == 2 else proba
    options = {} if n_classes == 2 else {"multi_class": "ovo", "labels": range(n_classes)}
    if len(np.unique(y)) == n_classes:
        assert auc(y, proba) == pytest.approx(roc_auc_score(y, given_, **options))


def test_the_area_needs_two_classes():
    assert np.isnan(auc([1, 1], [[0.2, 0.8], [0.5, 0.5]]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"metrics": ["brierr"]},
            "there is no metric 'brierr' of probabilities: did you mean 'brier'",
        ),
        ({"metrics": ["coverage"]}, "there is no metric 'coverage' of probabilities"),
        ({"metrics": ["kl_divergence"]}, "kl_divergence is not computed from true classes"),
        ({"metrics": []}, "metrics is empty"),
        ({"metrics": ["brier", "brier"]}, "duplicate metric 'brier'"),
        ({"learners": ["naive-bayes"]}, "at least two learners: it ranks pairs"),
        ({"learners": [Constant(), Constant()]}, "duplicate learner 'Constant'"),
        ({"learners": {1: Constant(), "1": Constant(), "b": Constant()}}, "duplicate learner '1'"),
        ({"generators": ["random-tann"]}, "there is no generator 'random-tann': did you mean"),
        ({"truths": ["entropy"]}, "there is no truth 'entropy': choose one of divergence"),
        ({"truths": []}, "truths is empty"),
        ({"test_rows": 0}, "test_rows must be a whole number of at least 1"),
        ({"n_models": 1.5}, "n_models must be a whole number of at least 1"),
        ({"learners": ["naive-bayes", "perceptron"]}, "perceptron|predict_proba"),
    ],
)
def test_wrong_arguments(arguments, words):
    usual = {"metrics": ["brier"], "learners": CONSTANTS, "generators": [Coin()]}
    with pytest.raises(ValueError, match=words):
        meta_metric(**usual | arguments)


@pytest.mark.parametrize("arguments", [{"generators": [3]}, {"metrics": [3]}, {"truths": {"a": 3}}])
def test_wrong_types(arguments):
    usual = {"metrics": ["brier"], "learners": CONSTANTS, "generators": [Coin()]}
    with pytest.raises(TypeError, match="got 3"):
        meta_metric(**usual | arguments)


# The result ---------------------------------------------------------------------------------------


def test_the_table_the_frame_and_the_dictionary_agree(small):
    frame, plain = small.to_frame(), small.to_dict()
    assert len(frame) == 3 * 2 * 2
    row = frame.iloc[-1]
    estimate = small.estimate(row["metric"], row["truth"], row["test_rows"])
    assert row["share"] == estimate.value
    assert (row["low"], row["high"]) == estimate.interval()
    assert plain["shares"][-1]["share"] == estimate.value
    assert plain["training_rows"] == [40, 80]
    shown = repr(small)
    assert "3 models, 40 or 80 training rows" in shown
    assert f"{100 * estimate.value:.1f}" in shown
    assert "By divergence, with 50 test rows," in shown


def test_problems_of_one_model_count_as_one():
    """Two training sizes of each model: the standard error is that of the means over models."""
    share = np.array([0.2, 0.4, 0.6, 1.0])[:, None, None, None]
    problems = (("A", 50), ("A", 500), ("B", 50), ("B", 500))
    found = MetaMetric(("m",), ("t",), (10,), problems, share, 0 * share)
    estimate = found.estimate("m", "t", 10)
    assert estimate.value == pytest.approx(0.55)
    assert estimate.standard_error == pytest.approx(0.25)
    assert found.models == ["A", "B"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda f: f.estimate("auk", "cost", 20),
            "there is no metric 'auk' here: did you mean 'auc'",
        ),
        (lambda f: f.estimate("auc", "kost", 20), "there is no truth 'kost' here: did you mean"),
        (
            lambda f: f.estimate("auc", "cost", 30),
            "there is no test size 30 here: choose one of 20",
        ),
    ],
)
def test_wrong_questions(small, call, words):
    with pytest.raises(ValueError, match=words):
        call(small)


# Counting pairs --------------------------------------------------------------------------------


@given(
    arrays(float, (4, 3, 6), elements=numbers),
    arrays(float, 4, elements=numbers),
)
def test_agreement_is_that_of_counting_pairs(scores, truth):
    share, lost = agreement(scores, truth)
    told = [(a, b) for a, b in combinations(range(4), 2) if truth[a] != truth[b]]
    if not told:
        assert np.isnan([*share, *lost]).all()
        return
    for metric in range(3):
        right, missed = 0.0, 0.0
        for a, b in told:
            best, other = (a, b) if truth[a] > truth[b] else (b, a)
            for block in range(6):
                ahead = scores[best, metric, block] - scores[other, metric, block]
                point = 0.5 if ahead == 0 else float(ahead > 0)
                right += point
                missed += (1 - point) * (truth[best] - truth[other])
        assert share[metric] == pytest.approx(right / len(told) / 6)
        assert lost[metric] == pytest.approx(missed / len(told) / 6)


@given(arrays(float, 5, elements=numbers, unique=True))
def test_the_truth_itself_is_always_right_and_its_opposite_never(truth):
    scores = np.stack([truth, np.exp(truth), -truth, 0 * truth], axis=1)[:, :, None]
    share, lost = agreement(scores, truth)
    np.testing.assert_allclose(share, [1, 1, 0, 0.5])
    np.testing.assert_allclose(lost[:2], 0)


def test_two_infinite_losses_are_a_draw():
    scores = np.array([[[-np.inf]], [[-np.inf]], [[-1.0]]])
    share, _ = agreement(scores, np.array([0.0, 1.0, 2.0]))
    assert share == pytest.approx([(0.5 + 1 + 1) / 3])


def reports(seed, n=120, n_classes=3):
    random = np.random.default_rng(seed)
    truth, proba = random.dirichlet(np.ones(n_classes), size=(2, n))
    y = (truth.cumsum(axis=1) < random.random((n, 1))).sum(axis=1)
    return truth, proba, y


@given(st.integers(0, 200))
@settings(deadline=None, max_examples=20)
def test_metrics_of_test_sets_are_those_of_their_rows(seed):
    _, proba, y = reports(seed)
    prior = np.array([0.2, 0.3, 0.5])
    few, all_rows = scores_of_test_sets(read_metrics(OURS), y, proba, prior, [25, 120], 3)
    assert few.shape == (len(OURS), 3)
    assert all_rows.shape == (len(OURS), 1)
    for block in range(3):
        part = slice(25 * block, 25 * block + 25)
        found = evaluate_probabilities(y[part], proba[part], prior=prior, classes=[0, 1, 2])
        near = partition_accuracy(y[part], proba[part], classes=[0, 1, 2])
        np.testing.assert_allclose(
            few[:, block],
            [
                found.accuracy, found.good_reward, found.kononenko_bratko,
                found.information_reward_2002, found.information_reward, -found.log_loss,
                -found.brier, near, auc(y[part], proba[part]),
            ],
        )  # fmt: skip


@given(st.integers(0, 200), st.integers(2, 4))
@settings(deadline=None, max_examples=20)
def test_no_report_is_truly_better_than_the_truth(seed, n_classes):
    truth, proba, _ = reports(seed, n_classes=n_classes)
    costs = random_costs(n_classes, 4)
    assert (true_values(truth, truth, costs) >= true_values(truth, proba, costs)).all()
    assert true_values(truth, truth, costs)[0] == pytest.approx(0, abs=1e-12)


def test_a_learner_that_changes_its_rows_changes_no_other_learner():
    data = _draw(random_tan(1), 100, 50, [1])
    alone = _probabilities("nbc", "naive-bayes", data, 0)
    _probabilities("spoils", Spoils(), data, 0)
    assert _probabilities("nbc", "naive-bayes", data, 0).tolist() == alone.tolist()


@pytest.mark.parametrize(
    ("learner", "generator", "words"),
    [
        (Constant(0.6), lambda seed: "data", "a generator must be a model with"),
        (RidgeClassifier(), Coin(), "one has no predict_proba: metrics of probabilities need it"),
    ],
)
def test_learners_and_generators_that_lack_a_method_are_named(learner, generator, words):
    with pytest.raises(ValueError, match=words):
        meta_metric(
            ["log_loss"], {"one": learner, "other": Constant(0.7)}, [generator],
            train_rows=20, test_rows=[5], n_models=2, truth_rows=10,
        )  # fmt: skip
