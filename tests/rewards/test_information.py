"""Information rewards: laws of Hope & Korb (2004), their numbers, and the errors."""

from math import inf, log, log2

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import entropy
from sklearn.datasets import load_iris
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from tests.fewer import fewer
from wager._tables import _rows
from wager.metrics import (
    good_reward,
    information_reward,
    information_reward_2002,
    information_reward_bound,
    kl_divergence,
    kononenko_bratko,
    optimal_report_2002,
    prior_from_counts,
    prior_from_labels,
)

REWARDS = [good_reward, kononenko_bratko, information_reward_2002, information_reward]
WITH_PRIOR = REWARDS[1:]


def simplex(n_classes, least=0.01):
    """Distributions over some classes, none of them impossible."""
    parts = hnp.arrays(np.float64, n_classes, elements=st.floats(least, 1))
    return parts.map(lambda values: values / values.sum())


@st.composite
def reports(draw, max_rows=5):
    """True codes, reported probabilities and a prior over two to five classes."""
    n_classes = draw(st.integers(2, 5))
    rows = draw(st.lists(simplex(n_classes), min_size=1, max_size=max_rows))
    truth = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(rows), max_size=len(rows)))
    return np.array(truth), np.array(rows), draw(simplex(n_classes))


def expected(reward, frequency, report, prior):
    """The reward of one report in the long run, when classes have these frequencies."""
    n_classes = len(frequency)
    repeated = np.tile(report, (n_classes, 1))
    return reward(np.arange(n_classes), repeated, prior, sample_weight=frequency)


# Laws ------------------------------------------------------------------------------------------


@given(reports())
def test_a_report_that_repeats_the_prior_earns_nothing(data):
    truth, _, prior = data
    repeated = np.tile(prior, (len(truth), 1))
    for reward in WITH_PRIOR:
        assert reward(truth, repeated, prior) == pytest.approx(0, abs=1e-12)


@given(st.integers(2, 5).flatmap(lambda k: st.tuples(*[simplex(k)] * 3)))
def test_honesty_earns_most_in_the_long_run(distributions):
    frequency, report, prior = distributions
    honest = expected(information_reward, frequency, frequency, prior)
    assert expected(information_reward, frequency, report, prior) <= honest + 1e-12


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_reward_of_2002_pays_a_dishonest_report_better(frequency, prior):
    """Theorem 1: the best report is that of Eq. 9, honest only where the prior is one half."""
    f, before = np.array([frequency, 1 - frequency]), np.array([prior, 1 - prior])
    best = optimal_report_2002(frequency, prior)
    earned = expected(information_reward_2002, f, [best, 1 - best], before)
    for report in np.linspace(0.001, 0.999, 33):
        other = expected(information_reward_2002, f, [report, 1 - report], before)
        assert other <= earned + 1e-9
    if abs(prior - 0.5) > 0.01:
        assert abs(best - frequency) > 1e-5
        assert earned > expected(information_reward_2002, f, f, before)


@given(reports(), st.randoms(use_true_random=False))
def test_the_order_of_the_classes_does_not_matter(data, random):
    truth, proba, prior = data
    order = list(range(len(prior)))
    random.shuffle(order)
    place = np.argsort(order)
    for reward in WITH_PRIOR:
        shuffled = reward(place[truth], proba[:, order], prior[order])
        assert shuffled == pytest.approx(reward(truth, proba, prior), abs=1e-12)


@given(reports())
def test_no_report_earns_more_than_the_bound_and_a_certain_hit_earns_it(data):
    truth, proba, prior = data
    bound = information_reward_bound(prior, truth)
    assert (information_reward(truth, proba, prior, per_row=True) <= bound + 1e-12).all()
    certain = np.eye(len(prior))[truth]
    np.testing.assert_allclose(
        information_reward(truth, certain, prior, per_row=True), bound, atol=1e-12
    )


@given(reports())
def test_every_reward_is_what_the_paper_writes(data):
    truth, proba, prior = data
    for t, p in zip(truth, proba, strict=True):
        k, named = len(p), int(np.argmax(p))
        good = 1 + log2(p[named] if named == t else 1 - p[named])
        gain, loss = log2(p[t]) - log2(prior[t]), -log2(1 - p[t]) + log2(1 - prior[t])
        old = new = 0.0
        for i in range(k):
            said, before = (p[i], prior[i]) if i == t else (1 - p[i], 1 - prior[i])
            old += 1 - log(said) / log(before)
            new += log2(said / before)
        assert good_reward([t], [p]) == pytest.approx(good)
        assert kononenko_bratko([t], [p], prior) == pytest.approx(
            gain if p[t] >= prior[t] else loss, abs=1e-12
        )
        assert information_reward_2002([t], [p], prior) == pytest.approx(old / k, abs=1e-12)
        assert information_reward([t], [p], prior) == pytest.approx(new / k, abs=1e-12)


@pytest.mark.parametrize("reward", REWARDS)
@given(data=reports(), weights=st.lists(st.integers(0, 3), min_size=5, max_size=5))
@fewer(12)
def test_the_mean_is_that_of_the_rows_and_whole_weights_repeat_them(reward, data, weights):
    truth, proba, _ = data
    weights = np.array(weights[: len(truth)])
    assume(weights.any())
    rows = reward(truth, proba, per_row=True)
    assert reward(truth, proba) == pytest.approx(rows.mean())
    again = np.repeat(np.arange(len(truth)), weights)
    weighted = reward(truth, proba, sample_weight=weights)
    assert weighted == pytest.approx(reward(truth[again], proba[again]))


@pytest.mark.parametrize("reward", [good_reward, kononenko_bratko, information_reward])
@given(data=reports())
def test_the_base_is_a_unit(reward, data):
    truth, proba, _ = data
    bits = reward(truth, proba)
    assert reward(truth, proba, base=np.e) == pytest.approx(bits * log(2), abs=1e-12)
    assert reward(truth, proba, base=4) == pytest.approx(bits / 2, abs=1e-12)


@given(st.integers(2, 5).flatmap(lambda k: st.tuples(simplex(k), simplex(k))))
def test_divergence_is_scipy_s_and_zero_only_for_the_truth(pair):
    p, q = pair
    assert kl_divergence(p, q) == pytest.approx(entropy(p, q, base=2), abs=1e-12)
    assert kl_divergence(p, q) >= -1e-15
    assert kl_divergence(p, p) == 0


@given(st.integers(2, 5).flatmap(lambda k: st.tuples(*[simplex(k)] * 3)))
def test_two_classes_lose_in_reward_what_they_gain_in_divergence(distributions):
    """For two classes expected IR_B falls short of honesty by exactly the divergence."""
    frequency, report, prior = (d[:2] / d[:2].sum() for d in distributions)
    honest = expected(information_reward, frequency, frequency, prior)
    lost = honest - expected(information_reward, frequency, report, prior)
    assert lost == pytest.approx(kl_divergence(frequency, report), abs=1e-9)


@pytest.mark.parametrize("reward", REWARDS)
def test_blocks_of_rows_make_no_difference(reward, monkeypatch):
    rng = np.random.default_rng(1)
    proba, truth = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    whole = reward(truth, proba, per_row=True)
    monkeypatch.setattr(_rows, "BLOCK", 12)
    np.testing.assert_array_equal(reward(truth, proba, per_row=True), whole)
    np.testing.assert_array_equal(reward(truth, np.asfortranarray(proba), per_row=True), whole)


# Numbers of the paper --------------------------------------------------------------------------


def test_the_lazy_expert_of_section_3_3_is_paid_by_good_alone():
    prior, report = np.array([0.1, 0.9]), np.tile([0.1, 0.9], (2, 1))
    assert good_reward([0, 1], report, sample_weight=prior) == pytest.approx(0.531, abs=5e-4)
    for reward in WITH_PRIOR:
        assert reward([0, 1], report, prior, sample_weight=prior) == pytest.approx(0, abs=1e-12)


def test_the_best_report_for_a_rare_class_is_far_from_its_frequency():
    f = np.array([0.1, 0.9])
    best = optimal_report_2002(0.1, 0.1)
    assert best == pytest.approx(0.00506, abs=5e-6)
    earned = expected(information_reward_2002, f, [best, 1 - best], f)
    assert earned == pytest.approx(0.727, abs=5e-4)


def test_figure_1a_old_and_new_are_nearly_indistinguishable_under_a_uniform_prior():
    report = [[0.5, 0.25, 0.25]]
    assert information_reward_2002([0], report) == pytest.approx(0.317, abs=5e-4)
    assert information_reward([0], report) == pytest.approx(0.308, abs=5e-4)


def test_kononenko_and_bratko_balance_certain_right_and_wrong_for_two_classes_only():
    two = kononenko_bratko([0, 0], [[1, 0], [0, 1]], [0.3, 0.7], per_row=True)
    assert two[1] == pytest.approx(log2(0.7))
    other = kononenko_bratko([1], [[0, 1]], [0.3, 0.7])
    assert other == pytest.approx(-two[1])
    three = kononenko_bratko([0, 1], [[1, 0, 0], [1, 0, 0]], [0.2, 0.3, 0.5], per_row=True)
    assert three.sum() != pytest.approx(0)


@pytest.mark.parametrize(
    ("counts", "start", "prior"),
    [([3, 7], 0.5, [3.5 / 11, 7.5 / 11]), ([0, 5], 1, [1 / 7, 6 / 7]), ([1, 3], 0, [0.25, 0.75])],
)
def test_counts_begin_at_start(counts, start, prior):
    np.testing.assert_allclose(prior_from_counts(counts, start), prior)


def test_a_class_that_was_never_seen_keeps_a_prior():
    prior = prior_from_labels(["a", "b", "a"], classes=["a", "b", "c"])
    np.testing.assert_allclose(prior, np.array([2.5, 1.5, 0.5]) / 4.5)


# Minus infinity --------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", [good_reward, information_reward_2002, information_reward])
def test_a_certain_error_earns_minus_infinity_unless_clipped(reward):
    truth, proba = [0, 1, 0], [[0.8, 0.2], [1.0, 0.0], [0.6, 0.4]]
    assert reward(truth, proba) == -inf
    np.testing.assert_array_equal(np.isinf(reward(truth, proba, per_row=True)), [0, 1, 0])
    assert np.isfinite(reward(truth, proba, sample_weight=[1, 0, 1]))
    clipped = reward(truth, proba, clip=0.01, per_row=True)
    assert clipped[1] == reward([1], [[0.99, 0.01]])
    assert clipped[0] == reward([0], [[0.8, 0.2]])


def test_ruling_out_the_truth_is_infinitely_bad_even_without_certainty_elsewhere():
    assert information_reward([0], [[0.0, 0.5, 0.5]]) == -inf
    assert kononenko_bratko([0], [[0.0, 0.5, 0.5]]) == pytest.approx(log2(2 / 3))


def test_divergence_is_infinite_where_something_possible_was_ruled_out():
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == inf
    assert kl_divergence([1.0, 0.0], [1.0, 0.0]) == 0


def test_a_tiny_chance_of_the_truth_is_not_lost_beside_a_near_certain_error():
    tiny = 5e-324
    earned = information_reward([0], [[tiny, np.nextafter(1, 0), 1 - np.nextafter(1, 0)]])
    assert np.isfinite(earned)
    assert earned < -300


# Use -------------------------------------------------------------------------------------------


def test_one_distribution_is_compared_with_all_rows_of_the_other():
    many = [[0.9, 0.1], [0.5, 0.5]]
    np.testing.assert_allclose(
        kl_divergence([0.5, 0.5], many, per_row=True),
        kl_divergence([[0.5, 0.5]] * 2, many, per_row=True),
    )


def test_the_bound_takes_labels_and_several_classes():
    prior = [0.2, 0.3, 0.5]
    assert information_reward_bound(prior, "b", classes=["a", "b", "c"]) == pytest.approx(
        information_reward_bound(prior, 1)
    )
    assert information_reward_bound(prior, [0, 2]).shape == (2,)


def test_scikit_learn_can_score_with_it():
    X, y = load_iris(return_X_y=True)
    scorer = make_scorer(information_reward, response_method="predict_proba")
    scores = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=3)
    by_hand = []
    for train, test in StratifiedKFold(3).split(X, y):
        proba = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])
        by_hand.append(information_reward(y[test], proba))
    np.testing.assert_allclose(scores, by_hand)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: information_reward([0], [[0.5, 0.5]], [1.0, 0.0]), "got 1 for class 0"),
        (lambda: kononenko_bratko([0], [[0.5, 0.5]], [0.4, 0.5]), "must sum to 1, got the sum 0.9"),
        (lambda: information_reward([0], [[0.5, 0.5]], [1.0]), "each of the 2 classes"),
        (lambda: information_reward([0], [[1.0]]), "at least two classes"),
        (lambda: information_reward([2], [[0.5, 0.5]]), "y_true runs from 2 to 2"),
        (lambda: information_reward([0], [[0.5, 0.5]], base=1), "above 1, got 1"),
        (lambda: information_reward([0], [[0.5, 0.5]], clip=0.5), "between 0 and 0.5, got 0.5"),
        (lambda: information_reward([0, 1], [[0.5, 0.5]]), "2 labels but proba has 1 row:"),
        (lambda: kl_divergence([[0.5, 0.5]] * 2, [[0.5, 0.5]] * 3), "same rows and classes"),
        (lambda: prior_from_counts([1, -1]), "got -1 for class 1"),
        (lambda: prior_from_counts([0, 0], 0), "every count is 0"),
        (lambda: prior_from_counts([[1, 2]]), "one number per class"),
        (lambda: prior_from_counts([1, 2], -1), "start must be finite and not negative"),
        (lambda: optimal_report_2002(0.5, 1.0), "strictly between 0 and 1, got 1.0"),
        (lambda: optimal_report_2002(1.5, 0.5), r"lie in \[0, 1\], got 1.5"),
        (lambda: information_reward_bound([0.5, 0.5], 2), "true_class runs from 2 to 2"),
    ],
)
def test_errors_say_what_was_wanted(call, words):
    with pytest.raises(ValueError, match=words):
        call()
