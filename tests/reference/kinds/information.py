"""Information rewards (Hope & Korb, 2004): golden values, and the scores that Weka gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.reference.compare import assert_close
from tests.reference.kinds.weka import LEARNERS, split_of
from tests.reference.registry import Case, check
from wager.metrics import (
    evaluate_probabilities,
    good_reward,
    information_reward,
    information_reward_2002,
    information_reward_bound,
    kl_divergence,
    kononenko_bratko,
    optimal_report_2002,
    prior_from_counts,
)


def assert_answer(case: Case, answer: Callable[..., dict[str, Any]]) -> None:
    """The answer to the case's inputs is what it expects, or the error that it expects."""
    inputs, expected = case.data["inputs"], case.data["expected"]
    if expected == {"error": "ValueError"}:
        with pytest.raises(ValueError, match=r"\w"):
            answer(**inputs)
    else:
        assert_close(answer(**inputs), expected, case.data["tolerance"])


@check("golden/good")
def good(case: Case) -> None:
    def answer(p: float, correct: bool) -> dict[str, Any]:
        return {"reward": good_reward([0 if correct else 1], [[p, 1 - p]])}

    assert_answer(case, answer)


@check("golden/kononenko_bratko")
def kononenko_bratko_of_the_true_class(case: Case) -> None:
    def answer(p_true: float, prior_true: float, base: float) -> dict[str, Any]:
        report, prior = [[p_true, 1 - p_true]], [prior_true, 1 - prior_true]
        return {"reward": kononenko_bratko([0], report, prior, base=base)}

    assert_answer(case, answer)


@check("golden/prior_from_counts")
def prior(case: Case) -> None:
    assert_answer(case, lambda **inputs: {"prior": prior_from_counts(**inputs)})


@check("golden/information_rewards")
def information_rewards(case: Case) -> None:
    def answer(p: list[float], prior: list[float], truth: int) -> dict[str, Any]:
        return {
            "IR_2002": information_reward_2002([truth], [p], prior),
            "IR_B_bits": information_reward([truth], [p], prior),
            "IR_B_nats": information_reward([truth], [p], prior, base=math.e),
            "KB_bits": kononenko_bratko([truth], [p], prior),
            "IR_B_upper_bound_bits": information_reward_bound(prior, truth),
        }

    assert_answer(case, answer)


@check("golden/mean_information_reward")
def mean_information_reward(case: Case) -> None:
    def answer(train_counts: list[int], p: list[list[float]], truths: list[int]) -> dict[str, Any]:
        prior = prior_from_counts(train_counts)
        return {
            "prior": prior,
            "mean_IR_B_bits": information_reward(truths, p, prior),
            "mean_IR_2002": information_reward_2002(truths, p, prior),
            "mean_KB_bits": kononenko_bratko(truths, p, prior),
        }

    assert_answer(case, answer)


@check("golden/theorem1_optimum")
def theorem1(case: Case) -> None:
    def answer(frequency: float, prior: float) -> dict[str, Any]:
        def expected(reward: Callable[..., Any], report: float) -> float:
            proba = np.tile([report, 1 - report], (2, 1))
            return reward(
                [0, 1], proba, [prior, 1 - prior], sample_weight=[frequency, 1 - frequency]
            )

        best = optimal_report_2002(frequency, prior)
        stated = case.data["expected"]["IR_B_best_p"]
        here = expected(information_reward, stated)
        others = [p for p in np.linspace(0.001, 0.999, 999) if abs(p - stated) > 1e-6]
        others += [stated - 1e-5, stated + 1e-5]
        assert all(expected(information_reward, p) < here for p in others if 0 < p < 1)
        return {
            "best_p": best,
            "IR_at_best": expected(information_reward_2002, best),
            "IR_at_frequency": expected(information_reward_2002, frequency),
            "IR_B_best_p": stated,
        }

    assert_answer(case, answer)


@check("golden/lazy_expert")
def lazy_expert(case: Case) -> None:
    def answer(prior: list[float], p: list[float]) -> dict[str, Any]:
        every_class, report = np.arange(len(p)), np.tile(p, (len(p), 1))
        return {
            "good_expected": good_reward(every_class, report, sample_weight=prior),
            "IR_2002_expected": information_reward_2002(
                every_class, report, prior, sample_weight=prior
            ),
            "IR_B_expected": information_reward(every_class, report, prior, sample_weight=prior),
            "KB_expected": kononenko_bratko(every_class, report, prior, sample_weight=prior),
        }

    assert_answer(case, answer)


@check("golden/kld")
def kld(case: Case) -> None:
    def answer(p: list[float], q: list[float]) -> dict[str, Any]:
        return {"bits": kl_divergence(p, q), "nats": kl_divergence(p, q, base=math.e)}

    assert_answer(case, answer)


# Scores of Weka's own that this library leaves to others.
NOT_OURS = {
    "kappa",
    "weighted_auc",
    "confusion_matrix",
    "mean_absolute_error",
    "relative_absolute_error_pct",
    "mean_prior_absolute_error",
}
SMALLEST = 5e-324  # Weka takes the logarithm of at least the smallest double


@check(*(f"weka/evaluation/{learner}" for learner in LEARNERS))
def weka_evaluation(case: Case) -> None:
    """Weka's scores of the stored distributions, its prior from training rows with Laplace's 1."""
    split, stored = split_of(case), case.data["evaluation"]
    column, n_classes = split["class_index"], len(split["class_values"])
    counts = np.bincount([row[column] for row in split["train_codes"]], minlength=n_classes)
    prior = prior_from_counts(counts, start=1)
    proba = np.array(case.data["distribution"])
    classified = proba.any(axis=1)
    truth = np.array([row[column] for row in split["test_codes"]])
    n_all, n = len(truth), int(classified.sum())
    said = evaluate_probabilities(truth[classified], proba[classified], prior, clip=SMALLEST)
    lazy = evaluate_probabilities(truth, np.tile(prior, (n_all, 1)), prior)
    lazy_here = evaluate_probabilities(truth[classified], np.tile(prior, (n, 1)), prior)

    entropy = math.log2(n_classes) - kl_divergence(prior, np.full(n_classes, 1 / n_classes))
    bits = n / math.log(2)
    known = said.kononenko_bratko * n
    rmse, lazy_rmse = math.sqrt(said.brier / n_classes), math.sqrt(lazy_here.brier / n_classes)
    correct = said.accuracy * n
    best, second = np.sort(proba, axis=1)[:, ::-1].T[:2]
    ties = int((best - second < 1e-11).sum())
    prior_bits, scheme_bits = lazy_here.log_loss * bits, said.log_loss * bits
    ours = {
        "num_instances": n_all,
        "unclassified": n_all - n,
        "class_priors_unnormalised": prior * (counts.sum() + n_classes),
        "correct": correct,
        "pct_correct": 100 * correct / n_all,
        "prior_entropy": entropy,
        "KB_information": known,
        "KB_mean_information": known / n,
        "KB_relative_information_pct": 100 * known / entropy,
        "SF_prior_entropy": prior_bits,
        "SF_mean_prior_entropy": lazy.log_loss / math.log(2),
        "SF_scheme_entropy": scheme_bits,
        "SF_mean_scheme_entropy": scheme_bits / n,
        "SF_entropy_gain": prior_bits - scheme_bits,
        "SF_mean_entropy_gain": (prior_bits - scheme_bits) / n,
        "root_mean_squared_error": rmse,
        "root_mean_prior_squared_error": lazy_rmse,
        "root_relative_squared_error_pct": 100 * rmse / lazy_rmse,
    }
    unknown = set(stored) - set(ours) - NOT_OURS
    assert not unknown, f"Weka's evaluation holds unknown scores {sorted(unknown)}"
    for score in ours:
        slack = 1e-9 * max(1, np.max(np.abs(stored[score])))
        if score in ("correct", "pct_correct"):  # stored digits may tie that Weka distinguished
            slack += ties * ours[score] / max(1, correct)
        assert_close(ours[score], stored[score], slack, score)
