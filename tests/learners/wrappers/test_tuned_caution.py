"""Choosing the strength of caution: the same sets as after refitting, the choice, its certainty."""

import pickle
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import wager
from wager.costs import CostMatrix, average_cost
from wager.learners import (
    Conformal,
    CredalForest,
    CredalIntervals,
    CredalModelAveraging,
    CredalNeighbors,
    CredalTree,
    EnsembleCredal,
    LazyNaiveCredal,
    NaiveBayes,
    NaiveCredal,
    NestedDichotomies,
    NestedDichotomyForest,
    Nondeterministic,
    OptimalSets,
    Rejecting,
    TunedCaution,
    Vacuous,
    check_parameters,
    learner_classes,
    make_learner,
)
from wager.learners._strengths import nested_sets
from wager.learners.wrappers._caution_curve import CautionCurve
from wager.learners.wrappers._choose_strength import FoldSums, Rule, judged
from wager.metrics import make_set_scorer, utility_discounted_accuracy
from wager.predictions import predict_set
from wager.prepare import MDLDiscretizer

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
FOREST = RandomForestClassifier(10, random_state=0)


def nominal(rng, n=120, m=4, v=3, k=3, gaps=0.05):
    """Nominal features that depend on the class, with gaps."""
    y = rng.choice(k, n, p=rng.dirichlet(np.full(k, 5.0)))
    leaning = rng.dirichlet(np.full(v, 0.7), (k, m)).cumsum(axis=2)
    X = (rng.random((n, m, 1)) > leaning[y]).sum(axis=2).clip(0, v - 1)
    return np.where(rng.random(X.shape) < gaps, -1, X), y


NOMINAL = nominal(np.random.default_rng(4))

LEARNERS = [
    (NaiveCredal(), "s"),
    (NaiveCredal(idm="local"), "s"),
    (NaiveCredal(idm="intervals"), "s"),
    (NaiveCredal(missing="conservative"), "s"),
    (NaiveCredal(epsilon=0.01), "s"),
    (NaiveCredal(epsilon=0.01, epsilon_model="contamination"), "s"),
    (NaiveCredal(costs=CostMatrix.ordinal([0, 1, 2])), "s"),
    (NaiveCredal(reject=0.6), "s"),
    (NaiveCredal(), "epsilon"),
    (NaiveCredal(reject=0.3), "reject"),
    (LazyNaiveCredal(k=10), "s"),
    (CredalModelAveraging(), "t_min"),
    (CredalTree(), "s"),
    (CredalForest(3, random_state=0), "s"),
    (NestedDichotomies(ordinal=True, random_state=0), "s"),
    (NestedDichotomies(((0, 1), 2)), "s"),
    (NestedDichotomies(decomposition="cumulative"), "s"),
    (NestedDichotomyForest(5, random_state=0), "s"),
    (NestedDichotomyForest(5, combine="vote", random_state=0), "s"),
    (NestedDichotomyForest(2, base=NaiveCredal(), random_state=0), "s"),
    (Nondeterministic(NaiveBayes()), "beta"),
    (Rejecting(NaiveBayes(), 0.5), "threshold"),
    (Rejecting(NaiveCredal(), 0.5, group=True), "threshold"),
    (Conformal(NaiveBayes(), random_state=0), "alpha"),
    (Conformal(NaiveBayes(), method="aps", random_state=0), "alpha"),
    (Conformal(NaiveBayes(), 0.4, "raps", calibration_size=0.8, random_state=0), "alpha"),
    (Conformal(NaiveBayes(), mondrian=True, allow_empty=False, random_state=0), "alpha"),
    (Conformal(NaiveBayes(), cv=3), "alpha"),
    (Conformal(NaiveBayes(), cv=3, mondrian=True), "alpha"),
    (CredalNeighbors(7), "s"),
    (EnsembleCredal(FOREST, "idm"), "s"),
    (EnsembleCredal(FOREST, "quantile"), "alpha"),
    (EnsembleCredal(FOREST, "quantile", rule="interval-dominance"), "alpha"),
]
each_learner = pytest.mark.parametrize(
    ("learner", "name"), LEARNERS, ids=[f"{learner!r} {name}" for learner, name in LEARNERS]
)


@pytest.mark.long
@parametrize_with_checks(
    [
        TunedCaution(NaiveCredal()),
        TunedCaution(Nondeterministic(NaiveBayes()), "u80", cv=3, one_standard_error=True),
        TunedCaution(Rejecting(LogisticRegression(), 0.6), cv=2, strengths=[0.3, 0.6, 0.9]),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


# -- the same sets as after refitting ------------------------------------------------------------


@pytest.mark.long
@each_learner
def test_strengths_are_judged_as_if_fitted_again(learner, name):
    """Against the slow twin: a clone with each strength, fitted on the same rows."""
    X, y = NOMINAL
    known = next(s for s in learner._strengths if s.name == name)
    values = list(known.values[:: max(1, len(known.values) // 5)])
    if getattr(learner, "method", None) == "raps":
        values = [0.3, 0.4, 0.5]  # smaller ones need more calibration rows
    train, test = np.arange(90), np.arange(90, 120)
    tuned = TunedCaution(learner, "u80", None, name, [(train, test)], strengths=values, refit=False)
    curve = tuned.fit(X, y).curve_
    for i, value in enumerate(values):
        refitted = clone(learner).set_params(**{name: value}).fit(X[train], y[train])
        sets = refitted.predict_set(X[test])
        score = utility_discounted_accuracy(y[test], sets, utility="u80")
        assert curve.value[i] == pytest.approx(score, abs=1e-12)
        assert curve.mean_set_size[i] == pytest.approx(sets.sum(axis=1).mean())
        assert curve.determinacy[i] == pytest.approx((sets.sum(axis=1) == 1).mean())
    if known.refit is None:
        model = clone(learner).fit(X[train], y[train])
        together = model._sets_by_strength(X[test], name, values)
        for value, sets in zip(values, together, strict=True):
            refitted = clone(learner).set_params(**{name: value}).fit(X[train], y[train])
            np.testing.assert_array_equal(sets, refitted.predict_set(X[test]))
        assert curve.why_fitted_again is None
    else:
        assert known.refit in curve.why_fitted_again
        assert curve.why_fitted_again in repr(curve).replace("\n", " ")


def test_every_set_valued_learner_with_a_strength_is_compared_with_refitting():
    tested = {(type(learner), name) for learner, name in LEARNERS}
    others = {TunedCaution, Rejecting}  # one takes its strength from the estimator, one is tested
    for kind in learner_classes().values():
        if hasattr(kind, "_sets_by_strength") and kind not in others:
            made = kind.__new__(kind)
            made.__dict__.update(base=None, tree="random", decomposition="nested")
            made.__dict__.update(envelope="idm", epsilon_model="floor", model="idm")
            for strength in made._strengths:
                assert (kind, strength.name) in tested


@given(st.integers(0, 2**32 - 1), st.sampled_from(["global", "local", "intervals"]))
def test_larger_s_only_adds_classes(seed, idm):
    """So rows whose sets agree at two strengths need not be decided between them."""
    rng = np.random.default_rng(seed)
    X, y = nominal(rng, n=rng.integers(5, 60), m=rng.integers(0, 4) + 1, gaps=0.3)
    strengths = np.sort(np.concatenate([[0.0], 10 ** rng.uniform(-2, 2, 7)]))
    model = NaiveCredal(idm=idm, classes=[0, 1, 2]).fit(X, y)
    new = nominal(rng, n=30, m=X.shape[1], v=4, gaps=0.3)[0]
    sets = [NaiveCredal(s, idm, classes=[0, 1, 2]).fit(X, y).predict_set(new) for s in strengths]
    assert all((small <= large).all() for small, large in pairwise(sets))
    together = model._sets_by_strength(new, "s", strengths.tolist())
    np.testing.assert_array_equal(together, sets)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_nested_sets_equal_deciding_each_strength(seed, n_values):
    rng = np.random.default_rng(seed)
    n, K = rng.integers(1, 20), rng.integers(1, 5)
    enters = rng.integers(0, 12, (n, K))  # the strength from which a class is kept
    values = np.sort(rng.choice(12, n_values, replace=False)).tolist()
    found = nested_sets(lambda rows, s: enters[rows] <= s, values, n, K)
    np.testing.assert_array_equal(found, [enters <= s for s in values])


def test_one_model_is_fitted_per_fold_and_one_on_all_rows():
    class Counting(NaiveCredal):
        fits = 0

        def fit(self, X, y):
            Counting.fits += 1
            return super().fit(X, y)

    TunedCaution(Counting(), cv=4).fit(*NOMINAL)
    assert Counting.fits == 5


# -- values and choice ---------------------------------------------------------------------------


def test_the_curve_equals_cross_validation_at_each_strength():
    strengths = [0.0, 0.5, 2.0, 10.0, 60.0]
    pipe = make_pipeline(MDLDiscretizer(), NaiveCredal())
    curve = TunedCaution(pipe, "u65", strengths=strengths, random_state=1).fit(*WINE).curve_
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    for i, s in enumerate(strengths):
        pipe.set_params(naivecredal__s=s)
        score = make_set_scorer("utility_discounted_accuracy", utility="u65")
        found = cross_validate(pipe, *WINE, cv=cv, scoring=score)["test_score"]
        rows = [len(test) for _, test in cv.split(*WINE)]
        assert curve.value[i] == pytest.approx(np.average(found, weights=rows))


def rows_of(estimator, X, y, strengths, cv, worth):
    """The value of each row at each strength, the slow way."""
    values = np.empty((len(strengths), len(y)))
    for train, test in cv:
        for i, s in enumerate(strengths):
            model = clone(estimator).set_params(s=s).fit(X[train], y[train])
            values[i, test] = worth(y[test], model.predict_set(X[test]))
    return values


def u80_of(y, sets):
    size, hit = sets.sum(axis=1), sets[np.arange(len(y)), y]
    return hit * (2.2 / size - 1.2 / size**2)


def test_standard_errors_and_covariances_are_those_of_rows():
    X, y = NOMINAL
    strengths = [0.1, 1.0, 3.0, 20.0]
    cv = list(StratifiedKFold(4).split(X, y))
    curve = TunedCaution(NaiveCredal(), "u80", None, None, cv, strengths=strengths).fit(X, y).curve_
    values = rows_of(NaiveCredal(), X, y, strengths, cv, u80_of)
    np.testing.assert_allclose(curve.value, values.mean(axis=1))
    np.testing.assert_allclose(curve.covariance, np.cov(values), atol=1e-12)
    error = np.cov(values).diagonal() ** 0.5 / 120**0.5
    np.testing.assert_allclose(curve.standard_error, error, atol=1e-12)
    assert curve.n == len(y)


def test_the_honest_value_is_that_of_choices_by_other_folds():
    X, y = NOMINAL
    strengths = [0.1, 1.0, 3.0, 20.0]
    cv = list(StratifiedKFold(4).split(X, y))
    tuned = TunedCaution(NaiveCredal(s=3), "u80", None, None, cv, strengths=strengths).fit(X, y)
    values = rows_of(NaiveCredal(), X, y, strengths, cv, u80_of)
    honest = np.empty(len(y))
    for k, (_, test) in enumerate(cv):
        others = np.setdiff1d(np.arange(len(y)), test)
        chosen = values[:, others].mean(axis=1).argmax()
        assert tuned.curve_.fold_strengths[k] == strengths[chosen]
        honest[test] = values[chosen, test]
    assert tuned.honest_score_.value == pytest.approx(honest.mean())
    assert tuned.honest_score_.standard_error == pytest.approx(honest.std(ddof=1) / len(y) ** 0.5)


def test_folds_that_share_rows_have_no_honest_value_and_count_rows_once():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    tuned = TunedCaution(NaiveCredal(), cv=cv).fit(*NOMINAL)
    assert tuned.honest_score_ is None
    assert tuned.curve_.n == len(NOMINAL[1])
    assert len(tuned.curve_.fold_strengths) == 0


@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(2, 6))
def test_the_one_standard_error_rule(seed, greater_is_better, n_strengths):
    """The largest sets among the strengths within one standard error of the best."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (n_strengths, 12)) / 4
    sizes = rng.integers(1, 4, (n_strengths, 12))
    folds = [np.arange(6), np.arange(6, 12)]
    sums = [FoldSums.of(values[:, f], sizes[:, f]) for f in folds]
    strengths = np.arange(float(n_strengths))
    plain, careful = (
        judged(Rule(greater_is_better, one, strengths, 1.0), sums, folds, (0.0, 1.0))
        for one in (False, True)
    )
    gain = values.mean(axis=1) * (1 if greater_is_better else -1)
    best = plain["chosen"]
    assert gain[best] == pytest.approx(gain.max())
    assert careful["best"] == best
    error = values[best].std(ddof=1) / 12**0.5
    within = gain >= gain[best] - error - 1e-9
    assert within[careful["chosen"]]
    assert sizes.mean(axis=1)[careful["chosen"]] == pytest.approx(sizes.mean(axis=1)[within].max())


def test_the_one_standard_error_rule_never_predicts_smaller_sets():
    plain, careful = (
        TunedCaution(NaiveCredal(), "u80", one_standard_error=one, random_state=0).fit(*NOMINAL)
        for one in (False, True)
    )
    assert careful.best_strength_ >= plain.best_strength_
    assert careful.curve_.best_strength == plain.best_strength_
    sets, larger = plain.predict_set(NOMINAL[0]), careful.predict_set(NOMINAL[0])
    assert (sets <= larger).all()
    assert "within a standard error of the best" in careful.curve_.sentence().replace("\n", " ")


def test_equal_values_keep_the_given_strength():
    X, y = np.zeros((40, 1), dtype=int), np.array([0] * 40)
    assert TunedCaution(NaiveCredal(s=2.5, classes=[0, 1])).fit(X, y).best_strength_ == 2.5
    given = TunedCaution(NaiveCredal(s=2.5, classes=[0, 1]), strengths=[1, 2, 7]).fit(X, y)
    assert given.best_strength_ == 2


# -- utilities and costs -------------------------------------------------------------------------


@pytest.mark.parametrize("utility", ["u50", "u65", "u80"])
def test_zero_one_costs_with_a_utility_are_the_utility(utility):
    """The cost of a set is then 1 - u, so both choose the same strength."""
    by_utility = TunedCaution(NaiveCredal(), utility).fit(*NOMINAL)
    costs = CostMatrix.zero_one([0, 1, 2]).extend("utility", utility=utility)
    by_costs = TunedCaution(NaiveCredal(), costs=costs).fit(*NOMINAL)
    np.testing.assert_allclose(1 - by_costs.curve_.value, by_utility.curve_.value)
    np.testing.assert_allclose(by_costs.curve_.covariance, by_utility.curve_.covariance, atol=1e-12)
    assert by_costs.best_strength_ == by_utility.best_strength_
    np.testing.assert_array_equal(by_costs.curve_.plausible(), by_utility.curve_.plausible())
    assert by_costs.curve_.greater_is_better is False


@pytest.mark.parametrize("one_standard_error", [False, True])
def test_the_unit_of_costs_changes_nothing(one_standard_error):
    costs = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]])
    options = {"one_standard_error": one_standard_error, "cv": 3}
    curve = TunedCaution(NaiveCredal(0.01), costs=costs, **options).fit(*NOMINAL).curve_
    assert curve.chosen > 0  # not the strength of the estimator, which breaks ties
    assert len(curve.plausible(0.2)) < len(curve.strength)
    for unit in (2.0**-50, 2.0**-80, 2.0**60):
        other = TunedCaution(NaiveCredal(0.01), costs=costs * unit, **options).fit(*NOMINAL).curve_
        np.testing.assert_array_equal(other.value, curve.value * unit)
        assert other.chosen == curve.chosen
        assert other.fold_strengths.tolist() == curve.fold_strengths.tolist()
        assert other.plausible(0.2).tolist() == curve.plausible(0.2).tolist()


def test_a_huge_cost_that_occurs_in_no_row_does_not_make_strengths_equal():
    X, y = load_iris(return_X_y=True)
    X = (np.median(X, axis=0) < X).astype(str)
    found = []
    for largest in (0.2, 1e11):
        costs = [[0.0, 0.1, largest], [0.1, 0.0, 0.3], [0.2, 0.1, 0.0]]
        tuned = TunedCaution(NaiveCredal(1.0), costs=costs, strengths=[1.0, 2.0, 5.0, 10.0])
        found.append(tuned.fit(X, y).curve_)
    assert found[0].chosen > 0
    assert found[0].chosen == found[1].chosen
    assert found[0].value.tolist() == found[1].value.tolist()


def test_costs_are_averages_over_all_folds():
    X, y = NOMINAL
    names = np.array(["low", "mid", "high"])
    costs = CostMatrix([[0, 1, 9], [1, 0, 4], [3, 1, 0]], names, unit="EUR").extend(r=0.7)
    strengths = [0.5, 4.0]
    tuned = TunedCaution(NaiveCredal(), costs=costs, strengths=strengths).fit(X, names[y])
    sets = np.empty((len(y), 3), dtype=bool)
    for train, test in StratifiedKFold(5).split(X, names[y]):
        model = NaiveCredal(4.0).fit(X[train], names[y][train])
        assert model.classes_.tolist() == ["high", "low", "mid"]
        sets[test] = model.predict_set(X[test])
    cost = average_cost(names[y], sets, costs, classes=["high", "low", "mid"])
    assert tuned.curve_.value[1] == pytest.approx(cost)
    assert "average cost (EUR)" in repr(tuned.curve_)
    low, high = tuned.curve_.bounds
    assert (low, high) == (0.0, 9.0)


def test_costs_without_names_are_in_the_order_of_the_declared_classes():
    X, y = NOMINAL
    names = np.array(["low", "mid", "high"])
    matrix = [[0, 1, 9], [1, 0, 4], [3, 1, 0]]
    declared = NaiveCredal(classes=names)
    unnamed = TunedCaution(declared, costs=matrix).fit(X, names[y])
    named = TunedCaution(declared, costs=CostMatrix(matrix, names)).fit(X, names[y])
    np.testing.assert_allclose(unnamed.curve_.value, named.curve_.value)


def test_the_sentence_about_costs_says_what_the_choice_costs():
    X, y = IRIS
    tuned = TunedCaution(Rejecting(GaussianNB(), threshold=0.5), costs=1 - np.eye(3)).fit(X, y)
    words = " ".join(tuned.curve_.sentence().split())
    assert words.endswith(f"judged on each fold, it costs {tuned.honest_score_.value:.4f}.")


def test_empty_sets_need_a_cost():
    X, y = IRIS
    conformal = Conformal(GaussianNB(), random_state=0)
    costs = 1 - np.eye(3)
    with pytest.raises(ValueError, match="pass empty_cost=, or let the classifier"):
        TunedCaution(conformal, costs=costs).fit(X, y)
    assert TunedCaution(conformal, costs=costs, empty_cost=0.9).fit(X, y).best_strength_ < 0.5
    assert TunedCaution(conformal.set_params(allow_empty=False), costs=costs).fit(X, y).best_score_


def test_a_class_that_a_fold_was_not_trained_on_is_missed():
    X = np.array([[0], [1]] * 20 + [[0]])
    y = np.array(["a", "b"] * 20 + ["rare"])
    cv = [(np.arange(40), np.array([40, 0, 1]))]
    for worth in ({}, {"costs": CostMatrix.zero_one(["a", "b", "rare"])}):
        curve = TunedCaution(NaiveCredal(), cv=cv, strengths=[0.1], **worth).fit(X, y).curve_
        right = 1 / 3 if worth else 2 / 3
        assert curve.value[0] == pytest.approx(right)


# -- how certain the choice is -------------------------------------------------------------------


def cautious_rows(rng, n, thresholds, worth):
    """One class if it is probable enough, else two, of which one is right in 80% of the rest."""
    p = rng.beta(3, 1, n)
    single, right = p >= thresholds[:, None], rng.random(n) < p
    either = right | (rng.random(n) < 0.8)
    return np.where(single, right, either * worth), np.where(single, 1, 2)


def expected_value(thresholds, worth):
    """The exact mean of the above, by the moments of the beta distribution with density 3 p^2."""
    t = thresholds
    above = 3 / 4 * (1 - t**4)
    below_right = 3 / 4 * t**4
    return above + worth * (below_right + 0.8 * (t**3 - below_right))


@pytest.mark.long
@pytest.mark.parametrize(("n", "worth"), [(40, 0.8), (150, 0.8), (150, 0.65)])
def test_the_plausible_strengths_contain_the_best_one(n, worth):
    """At level 0.9; with 300 samples, 0.852 is three standard errors below it."""
    rng = np.random.default_rng(n)
    thresholds = np.linspace(0.3, 0.99, 10)
    best = expected_value(thresholds, worth).argmax()
    contained = 0
    for _ in range(300):
        values, sizes = cautious_rows(rng, n, thresholds, worth)
        rule = Rule(True, False, thresholds, None)
        fields = judged(rule, [FoldSums.of(values, sizes)], [np.arange(n)], (0.0, 1.0))
        contained += thresholds[best] in CautionCurve("t", "u", **fields).plausible(0.9)
    assert contained / 300 >= 0.852


def test_a_sample_without_a_rare_and_expensive_error_does_not_exclude_caution():
    """Caution costs 0.2 on all of 40 rows; one row of a missed class may cost 50."""
    values = np.vstack([np.zeros(40), np.full(40, 0.2)])
    rule = Rule(False, False, np.array([1.0, 2.0]), None)
    sums = FoldSums.of(values, np.ones((2, 40), dtype=int))
    for dearest, kept in ((50.0, [1.0, 2.0]), (1.0, [1.0])):
        fields = judged(rule, [sums], [np.arange(40)], (0.0, dearest))
        assert CautionCurve("s", "cost", **fields).plausible().tolist() == kept


def test_with_many_rows_few_strengths_are_plausible():
    rng = np.random.default_rng(1)
    thresholds = np.linspace(0.3, 0.99, 10)
    values, sizes = cautious_rows(rng, 50_000, thresholds, 0.8)
    rule = Rule(True, False, thresholds, None)
    fields = judged(rule, [FoldSums.of(values, sizes)], [np.arange(50_000)], (0.0, 1.0))
    plausible = CautionCurve("t", "u", **fields).plausible()
    assert thresholds[expected_value(thresholds, 0.8).argmax()] in plausible
    assert len(plausible) <= 2


def test_the_honest_value_is_less_optimistic():
    """Where all strengths are equally good, the best one of many looks better than it is."""
    rng = np.random.default_rng(2)
    folds = np.array_split(np.arange(100), 5)
    optimism, honest = [], []
    for _ in range(200):
        values = rng.random((20, 100))
        sums = [FoldSums.of(values[:, f], np.ones((20, len(f)), dtype=int)) for f in folds]
        found = judged(Rule(True, False, np.arange(20.0), None), sums, folds, (0.0, 1.0))
        optimism.append(found["value"][found["chosen"]] - 0.5)
        honest.append(found["honest"].value - 0.5)
    assert np.mean(optimism) > 0.04
    assert abs(np.mean(honest)) < 4 * np.std(honest) / 200**0.5


# -- around it -----------------------------------------------------------------------------------


def test_the_last_step_of_a_pipeline_is_tuned_by_either_name():
    pipe = make_pipeline(MDLDiscretizer(), NaiveCredal())
    fitted = [
        TunedCaution(pipe, parameter=name, random_state=0).fit(*IRIS)
        for name in (None, "s", "naivecredal__s")
    ]
    for tuned in fitted:
        assert tuned.parameter_ == "naivecredal__s"
        assert tuned.estimator_[-1].s == tuned.best_strength_ == fitted[0].best_strength_
        np.testing.assert_array_equal(
            tuned.predict_set(IRIS[0]), predict_set(tuned.estimator_, IRIS[0])
        )
    assert pipe[-1].s == 1.0
    model = fitted[0]
    np.testing.assert_array_equal(
        model.predict_proba(IRIS[0]), model.estimator_.predict_proba(IRIS[0])
    )
    np.testing.assert_array_equal(model.predict(IRIS[0]), model.estimator_.predict(IRIS[0]))
    rows = model.estimator_[0].transform(IRIS[0])
    intervals = model.estimator_[1].predict_credal(rows)
    np.testing.assert_array_equal(model.predict_credal(IRIS[0]).lower, intervals.lower)


def test_a_parameter_inside_the_classifier_is_fitted_again():
    wrapped = CredalIntervals(NaiveCredal())
    tuned = TunedCaution(wrapped, parameter="estimator__s", strengths=[0.5, 2]).fit(*NOMINAL)
    assert tuned.estimator_.estimator_.s == tuned.best_strength_
    assert "NaiveCredal, which is inside CredalIntervals" in tuned.curve_.why_fitted_again


class OtherLibrary(ClassifierMixin, BaseEstimator):
    """A set-valued classifier that knows nothing of strengths."""

    def __init__(self, ratio=0.5):
        self.ratio = ratio

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_set(self, X):
        proba = self.model_.predict_proba(X)
        return proba >= self.ratio * proba.max(axis=1, keepdims=True)


def test_classifiers_of_other_libraries_are_fitted_again():
    tuned = TunedCaution(OtherLibrary(), parameter="ratio", strengths=[0.01, 0.3, 1]).fit(*IRIS)
    assert tuned.estimator_.ratio == tuned.best_strength_
    assert "uses ratio while fitting" in tuned.curve_.why_fitted_again
    assert not hasattr(tuned, "predict_proba")
    with pytest.raises(ValueError, match="no strength of OtherLibrary is known"):
        TunedCaution(OtherLibrary()).fit(*IRIS)
    with pytest.raises(ValueError, match="no usual values of ratio: list the values"):
        TunedCaution(OtherLibrary(), parameter="ratio").fit(*IRIS)


def test_it_can_be_cross_validated_named_in_plans_and_pickled():
    tuned = make_learner("tuned-caution", {"estimator": "naive-credal", "utility": "u80", "cv": 3})
    check_parameters(tuned)
    assert set(cross_val_predict(tuned, *NOMINAL, cv=2)) <= {0, 1, 2}
    copy = pickle.loads(pickle.dumps(tuned.fit(*NOMINAL)))
    np.testing.assert_array_equal(copy.predict_set(NOMINAL[0]), tuned.predict_set(NOMINAL[0]))
    assert repr(copy.curve_) == repr(tuned.curve_)


def test_frames_and_declared_classes():
    X = pd.DataFrame(NOMINAL[0], columns=list("pqrs")).replace(-1, None).astype("category")
    y = pd.Series(np.array(["a", "b", "c"])[NOMINAL[1]], dtype="category")
    y = y.cat.set_categories(["c", "b", "a", "never"])
    tuned = TunedCaution(NaiveCredal(), costs=1 - np.eye(4)).fit(X, y)
    assert tuned.classes_.tolist() == ["a", "b", "c", "never"]
    assert tuned.feature_names_in_.tolist() == list("pqrs")


def test_weights_are_split_like_rows():
    X, y = IRIS
    weights = np.where(y == 2, 0.01, 1.0)
    model = TunedCaution(Rejecting(GaussianNB(), 0.5), cv=3, refit=False)
    weighted = model.fit(X, y, sample_weight=weights).curve_
    train, test = next(iter(StratifiedKFold(3).split(X, y)))
    assert weighted.n == 150
    single = TunedCaution(Rejecting(GaussianNB(), 0.5), cv=[(train, test)], strengths=[0.0, 0.9])
    curve = single.fit(X, y, sample_weight=weights).curve_
    fitted = GaussianNB().fit(X[train], y[train], sample_weight=weights[train])
    assert curve.value[0] == pytest.approx((fitted.predict(X[test]) == y[test]).mean())


def test_without_refit_there_are_no_predictions():
    tuned = TunedCaution(NaiveCredal(), refit=False).fit(*NOMINAL)
    assert tuned.best_strength_ in tuned.curve_.strength
    with pytest.raises(AttributeError, match="since refit=False: set refit=True to predict"):
        tuned.predict_set(NOMINAL[0])
    with pytest.raises(NotFittedError):
        TunedCaution(NaiveCredal()).predict_set(NOMINAL[0])


def test_the_curve_as_data():
    curve = TunedCaution(NaiveCredal(), "u80", strengths=[0.1, 1, 9]).fit(*NOMINAL).curve_
    frame, plain = curve.to_frame(), curve.to_dict()
    assert frame.columns.tolist() == [
        *("s", "value", "standard_error", "lower", "upper", "mean_set_size", "determinacy"),
        "plausible",
    ]
    assert frame["s"].tolist() == [0.1, 1.0, 9.0]
    assert frame.loc[frame["plausible"], "s"].tolist() == plain["plausible"]
    assert (frame["lower"] < frame["value"]).all()
    assert (frame["value"] < frame["upper"]).all()
    assert plain["curve"]["value"] == frame["value"].tolist()
    assert plain["chosen"] == curve.chosen_strength
    assert plain["objective"] == "u80"
    for shown in (repr(curve), curve._repr_html_()):
        assert "determinacy" in shown
        assert "chosen" in shown
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        curve.plausible(1.0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"estimator": GaussianNB()}, "needs a set-valued classifier, but GaussianNB has no"),
        ({"estimator": Vacuous()}, "no strength of Vacuous is known: name the parameter"),
        ({"estimator": OptimalSets(NaiveBayes())}, "no strength of OptimalSets is known"),
        ({"estimator": EnsembleCredal(FOREST)}, "no strength of EnsembleCredal is known"),
        ({"parameter": "S"}, "NaiveCredal has no parameter 'S': did you mean 's'?"),
        ({"parameter": "k__s"}, "NaiveCredal has no parameter 'k__s'"),
        ({"strengths": []}, "strengths must list the values of s to try, got []"),
        ({"strengths": ["a"]}, "strengths must list the values of s to try, got ['a']"),
        ({"strengths": [1, 1]}, "strengths must be different finite numbers, got [1, 1]"),
        ({"strengths": [1, np.inf]}, "strengths must be different finite numbers, got [1.0, inf]"),
        ({"strengths": [-1, 1]}, "s must be a number of rows, 0 or more, got -1"),
        ({"cv": 1}, "cv must be at least 2 folds, got 1"),
        ({"cv": 100}, "cv=100 needs a class with at least 100 rows, but with n_samples=120 the"),
        ({"utility": "u"}, "there is no utility called 'u'"),
        ({"empty_cost": 1.0}, "empty_cost= is the cost of an empty set: pass costs= as well"),
        ({"costs": CostMatrix.zero_one([0, 1])}, "y has the class 2, but the costs are for 0, 1"),
        ({"costs": 1 - np.eye(2)}, "costs has 2 rows but there are 3 classes"),
    ],
)
def test_errors_say_what_to_do(wrong, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        TunedCaution(**{"estimator": NaiveCredal()} | wrong).fit(*NOMINAL)


def test_robustness_and_explanations_are_those_of_the_tuned_model():
    X, y = IRIS
    credal = make_pipeline(MDLDiscretizer(), NaiveCredal())
    tuned = TunedCaution(credal, strengths=[1, 30]).fit(X, y)
    usual = tuned.estimator_
    np.testing.assert_array_equal(tuned.robustness(X), wager.robustness(usual, X))
    np.testing.assert_array_equal(wager.robustness(tuned, X), wager.robustness(usual, X))
    np.testing.assert_array_equal(
        tuned.robustness(X[:2], of="labels"), wager.robustness(usual, X[:2], of="labels")
    )
    assert str(wager.explain_set(tuned, X[70:71])) == str(wager.explain_set(usual, X[70:71]))
    assert not hasattr(TunedCaution(Vacuous()), "robustness")


def test_no_rows_are_refused_in_words():
    with pytest.raises(ValueError, match="X and y have no rows"):
        TunedCaution(NaiveCredal()).fit(np.empty((0, 2), dtype=int), np.empty(0, dtype=int))


def test_folds_by_groups_are_given_as_splits():
    X, y = IRIS
    groups = np.arange(150) % 7
    credal = make_pipeline(MDLDiscretizer(), NaiveCredal())
    with pytest.raises(ValueError, match=r"GroupKFold needs the group of each row: pass its spl"):
        TunedCaution(credal, cv=GroupKFold(3)).fit(X, y)
    splits = list(GroupKFold(3).split(X, y, groups))
    assert TunedCaution(credal, cv=splits, strengths=[1, 4]).fit(X, y).honest_score_.value > 0.8
