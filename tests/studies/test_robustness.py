"""Robustness as a confidence score: the area, the encoding of scores, and the plan."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.experiments import Plan, Store, run, studies
from wager.predictions import read_predictions
from wager_studies.findings._confidence import PAIRS, SCORES, RankedBy
from wager_studies.findings._robustness import (
    _answers,
    _augrc,
    _best_and_random,
    _ranked_rows,
)
from wager_studies.findings._tuned_caution import Gains, _answers as tuned_answers

pytestmark = pytest.mark.long

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=9)


@given(rows, st.integers(0, 2**16))
def test_the_area_is_the_mean_over_thresholds_and_orders_of_ties(found, seed):
    """Without ties the slow sum over thresholds; with ties the mean over all orders, sampled."""
    wrong = np.array([w for w, _ in found])
    distinct = np.random.default_rng(seed).permutation(len(wrong)).astype(float)
    order = np.argsort(-distinct)
    n = len(wrong)
    slow = np.mean([wrong[order[:k]].sum() / n for k in range(1, n + 1)])
    assert _augrc(wrong, distinct) == pytest.approx(slow)
    # of two tied rows each is first in half of the orders
    tied = distinct.copy()
    if n > 1:
        a, b = order[:2]
        tied[b] = tied[a]
        swapped = distinct.copy()
        swapped[a], swapped[b] = distinct[b], distinct[a]
        both = (_augrc(wrong, distinct) + _augrc(wrong, swapped)) / 2
        assert _augrc(wrong, tied) == pytest.approx(both)


@given(rows)
def test_no_order_is_better_than_the_perfect_one_and_ties_are_random(found):
    wrong, score = (np.array(column) for column in zip(*found, strict=True))
    best, by_chance = _best_and_random(wrong)
    assert best - 1e-12 <= _augrc(wrong, score.astype(float))
    assert _augrc(wrong, -wrong.astype(float)) == pytest.approx(best)
    assert _augrc(wrong, np.zeros(len(wrong))) == pytest.approx(by_chance)


@pytest.mark.parametrize("name", SCORES)
def test_scores_rank_the_same_predictions(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = np.stack([(y + rng.integers(0, 3, 60) * (rng.random(60) < 0.5)) % 3 for _ in range(3)], 1)
    model, score = SCORES[name]
    fitted = RankedBy(model, score).fit(X, y)
    proba = fitted.predict_proba(X)
    np.testing.assert_array_equal(fitted.classes_[proba.argmax(axis=1)], fitted.predict(X))
    if score == "robustness":
        robust = fitted.model_.robustness(X)
        order = np.argsort(proba.max(axis=1), kind="stable")
        assert (np.diff(robust[order]) >= -1e-9).all()


def test_the_study_compares_scores_that_it_runs():
    plan = studies.get("robustness-ranks-errors").plan("openml", False)
    assert len(plan.datasets) == 40
    assert {name for pair in PAIRS for name in pair} == set(SCORES)


def test_each_run_of_folds_is_ranked_by_itself(tmp_path):
    plan = Plan(
        name="two-runs",
        datasets=["iris"],
        scheme={"n_folds": 2, "repeats": 2},
        learners={"tree": {"learner": "c45"}},
        measures=("u50",),
        predictions=True,
    )
    assert run(plan, tmp_path).ok
    store = Store(tmp_path)
    files = store.predictions_by_split("iris", "tree", kind="probabilities")
    for repeat, (wrong, confidence) in enumerate(_ranked_rows(store, "iris", "tree")):
        read = [read_predictions(files[repeat, fold]).proba for fold in (0, 1)]
        sure = np.concatenate([each.max(axis=1) for each in read])
        np.testing.assert_array_equal(np.sort(confidence), np.sort(sure))
        assert len(wrong) == 150


def test_a_question_is_answered_only_if_the_difference_is_significant():
    rng = np.random.default_rng(0)
    base = rng.uniform(0.05, 0.2, 30)
    noise = rng.normal(0, 0.01, 30)
    values = {
        "NBC probability": base,
        "NCC robustness+": base - 0.02 - noise / 10,
        "tree probability": base,
        "tree robustness+": base + 0.02 + noise / 10,
        "forest probability": base,
        "forest robustness+": base + noise - noise.mean(),
    }
    assert [found.answer for found in _answers(values)] == [
        "yes",
        "no, worse",
        "no significant difference",
    ]


def test_tuning_pays_only_if_it_wins_significantly():
    rng = np.random.default_rng(1)
    usual = rng.uniform(0.5, 0.9, 20)
    noise = rng.normal(0, 0.01, 20)
    gains = {
        ("NCC", "u65"): Gains(usual, usual + 0.05 + noise / 10, 1),
        ("NCC", "costs"): Gains(usual, usual + 0.05 + noise / 10, -1),
        ("NCC", "u80"): Gains(usual, usual, 1),
    }
    found = tuned_answers(gains)
    assert [each.answer for each in found] == ["yes", "no, it costs", "no significant difference"]
    assert "equal on 20" in found[2].because
