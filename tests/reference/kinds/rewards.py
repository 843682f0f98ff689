"""Golden values of rewards, utilities and bets; the peer's scores of its own sets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog

from tests.reference.compare import assert_close
from tests.reference.kinds.credal import named
from tests.reference.kinds.information import assert_answer
from tests.reference.registry import Case, check, splitter
from wager import metrics
from wager.compare import objective_winner
from wager.costs import CostMatrix
from wager.predictions import PredictionSets
from wager.rewards import (
    SET_SCORES,
    Exponential,
    FBeta,
    Quadratic,
    Tally,
    all_sets,
    expected_utility_of_bets,
    extended_reward_matrix,
    mic,
    mip,
    random_vs_vacuous,
    utility_score,
)

Law = list[dict[str, Any]]


def sets_of(n_classes: int, predictions: list[list[int]]) -> PredictionSets:
    return PredictionSets.from_lists(predictions, classes=np.arange(n_classes))


def law_of(outcomes: Law, n_classes: int) -> Tally:
    return Tally.from_distribution(outcomes, n_classes)


# discounted accuracy


@check("golden/set_metrics")
def set_metrics(case: Case) -> None:
    def answer(n_classes: int, predictions: list[list[int]], truths: list[int]) -> dict[str, Any]:
        sets, classes = sets_of(n_classes, predictions), np.arange(n_classes)
        tally = Tally.of(truths, sets, classes=classes)
        parts, guess = tally.decompose(), tally.k_random().moments()
        evaluation = metrics.evaluate_sets(truths, sets, classes=classes)
        result = {
            "discounted_accuracy": metrics.discounted_accuracy(truths, sets),
            "second_moment": tally.moments().second_moment,
            "variance": metrics.reward_variance(truths, sets),
            "determinacy": metrics.determinacy(sets),
            "single_accuracy": metrics.single_accuracy(truths, sets),
            "set_accuracy": metrics.set_accuracy(truths, sets),
            "mean_set_size": metrics.mean_set_size(sets),
            "mean_indeterminate_size": metrics.indeterminate_set_size(sets),
            "empty_share": metrics.empty_rate(sets),
            "coverage": metrics.coverage(truths, sets),
            "E_hD": parts.determinate,
            "E_hI": parts.indeterminate,
            "E_hD2": parts.determinate_square,
            "E_hI2": parts.indeterminate_square,
            "per_instance_reward": SET_SCORES["discounted_accuracy"].per_row(truths, sets),
            "k_random_expected_accuracy": guess.mean,
            "k_random_variance": guess.variance,
        }
        for name in SET_SCORES:  # the evaluation says the same
            alone = {"mean_indeterminate_size": "indeterminate_set_size"}
            alone |= {"empty_share": "empty_rate"}
            ours = {alone.get(key, key): value for key, value in result.items()}
            np.testing.assert_array_equal(evaluation[name], ours[name])
        return result

    assert_answer(case, answer)


@check("golden/reward")
def reward(case: Case) -> None:
    def answer(n_classes: int, prediction: list[int], truth: int) -> dict[str, Any]:
        return {"reward": metrics.discounted_accuracy([truth], sets_of(n_classes, [prediction]))}

    assert_answer(case, answer)


# utilities


@check("golden/utility_values")
def utility_values(case: Case) -> None:
    def answer(utility: dict[str, Any], x: list[float]) -> dict[str, Any]:
        u = named(utility)
        return {"u": u(x), "second_derivative": u.derivative2(x)}

    assert_answer(case, answer)


@check("golden/utility_discounted_accuracy")
def utility_discounted_accuracy(case: Case) -> None:
    def answer(
        n_classes: int,
        predictions: list[list[int]],
        truths: list[int],
        utility: dict[str, Any],
    ) -> dict[str, Any]:
        u, sets = named(utility), sets_of(n_classes, predictions)
        tally = Tally.of(truths, sets)
        return {
            "expected_utility": metrics.utility_discounted_accuracy(truths, sets, u),
            "certainty_equivalent": metrics.certainty_equivalent(truths, sets, u),
            "second_order_approximation": tally.mean_variance_utility(u),
            "mean_reward": metrics.discounted_accuracy(truths, sets),
            "variance": metrics.reward_variance(truths, sets),
            "k_random_expected_utility": tally.k_random().expected_utility(u),
        }

    assert_answer(case, answer)


@check("golden/certainty_equivalent")
def certainty_equivalent(case: Case) -> None:
    def answer(utility: dict[str, Any], expected_utility: float) -> dict[str, Any]:
        return {"x": named(utility).inverse(expected_utility)}

    assert_answer(case, answer)


@check("golden/quadratic_coefficients")
def quadratic_coefficients(case: Case) -> None:
    def answer(u05: float) -> dict[str, Any]:
        a, b = Quadratic(u05).coefficients
        return {"a": a, "b": b}

    assert_answer(case, answer)


@check("golden/fbeta_by_size")
def fbeta_by_size(case: Case) -> None:
    def answer(beta: float, sizes: list[int]) -> dict[str, Any]:
        u = FBeta(beta)
        return {"F_hit": u.of_size(sizes), "F_miss": u(0.0)}

    assert_answer(case, answer)


@check("golden/exp_norm_parameter_for_u05")
def exp_norm_parameter_for_u05(case: Case) -> None:
    assert_answer(case, lambda u05: {"a": Exponential.through(u05).a})


# theorems


@check("golden/minimax")
def minimax(case: Case) -> None:
    """The value of the game between bettor and house is what the set earns (Theorem 1)."""

    def answer(n_classes: int, prediction: list[int]) -> dict[str, Any]:
        reward_of = SET_SCORES["discounted_accuracy"].per_row
        bets = [sets_of(n_classes, [[bet]] * len(prediction)) for bet in prediction]
        game = np.array([reward_of(prediction, bet) for bet in bets])  # played on the set
        k = len(game)
        solved = linprog(  # largest v with σ @ game >= v for every class house may choose
            np.r_[np.zeros(k), -1.0],
            A_ub=np.c_[-game.T, np.ones(k)],
            b_ub=np.zeros(k),
            A_eq=[np.r_[np.ones(k), 0.0]],
            b_eq=[1.0],
            bounds=[(0, 1)] * k + [(None, None)],
        )
        rewards = reward_of(prediction, sets_of(n_classes, [prediction] * k))
        np.testing.assert_allclose(rewards, solved.x[-1], atol=1e-9)
        return {"value": rewards[0], "strategy": solved.x[:-1]}

    assert_answer(case, answer)


@check("golden/extended_reward_matrix")
def reward_matrix(case: Case) -> None:
    def answer(n_classes: int, utility: dict[str, Any]) -> dict[str, Any]:
        rows = [list(labels) for labels in all_sets(n_classes)]
        return {"rows": rows, "matrix": extended_reward_matrix(n_classes, named(utility))}

    assert_answer(case, answer)


@check("golden/proposition1")
def proposition1(case: Case) -> None:
    def answer(n_classes: int, chances: list[list[int]], utility: dict[str, Any]) -> dict[str, Any]:
        u = named(utility)
        right = sum(Fraction(*chance) / n_classes for chance in chances)  # guess meets the truth
        random = Tally.from_distribution([(1, True, right), (1, False, 1 - right)], n_classes)
        vacuous = Tally.from_distribution([(n_classes, True, 1)], n_classes)
        worth = [tally.expected_utility(u) for tally in (random, vacuous)]
        return {
            "E_random": random.moments().mean,
            "E_vacuous": vacuous.moments().mean,
            "Eu_random": worth[0],
            "Eu_vacuous": worth[1],
            "vacuous_strictly_better": worth[1] > worth[0] + 1e-12,
        }

    assert_answer(case, answer)


@check("golden/proposition2")
def proposition2(case: Case) -> None:
    def answer(n_classes: int, credal: Law, precise: Law) -> dict[str, Any]:
        f, g = law_of(credal, n_classes), law_of(precise, n_classes)
        verdicts = {"a": "credal", "b": "precise", "equal": "equal", "none": "none"}
        np.testing.assert_allclose(f.moments().mean, g.moments().mean, atol=1e-12)
        return {
            "mean": f.moments().mean,
            "delta_variance": g.moments().variance - f.moments().variance,
            "E_gD": g.decompose().determinate,
            "E_fD": f.decompose().determinate,
            "E_fI": f.decompose().indeterminate,
            "E_fI2": f.decompose().indeterminate_square,
            "winner_for_every_concave_utility": verdicts[objective_winner(f, g)],
        }

    assert_answer(case, answer)


@check("golden/proposition3")
def proposition3(case: Case) -> None:
    def answer(n_classes: int, f: Law, g: Law) -> dict[str, Any]:
        first, second = law_of(f, n_classes), law_of(g, n_classes)
        return {
            "delta_variance": second.moments().variance - first.moments().variance,
            "determinacy_f": SET_SCORES["determinacy"](first),
            "determinacy_g": SET_SCORES["determinacy"](second),
            "winner": verdict(first, second),
        }

    assert_answer(case, answer)


def verdict(f: Tally, g: Tally) -> str:
    return {"a": "f", "b": "g", "equal": "equal", "none": "none"}[objective_winner(f, g)]


@check("golden/example1")
def example1(case: Case) -> None:
    """F_1, F_1^c, F_2, F_2^c are G's moved by +e, -2e, -2e, +3e."""

    def answer(g: Law, epsilon: list[int]) -> dict[str, Any]:
        step = Fraction(*epsilon)
        chances = {
            (entry["k"], entry["hit"]): Fraction(entry["numerator"], entry["denominator"])
            for entry in g
        }
        moved = dict(chances)
        for outcome, factor in {(1, True): 1, (1, False): -2, (2, True): -2, (2, False): 3}.items():
            moved[outcome] = moved.get(outcome, Fraction(0)) + factor * step
        second = law_of(g, 3)
        first = Tally.from_distribution([(k, hit, p) for (k, hit), p in moved.items()], 3)
        mean_f, square_f, variance_f = first.moments()
        mean_g, square_g, variance_g = second.moments()
        more = {name: SET_SCORES[name](first) - SET_SCORES[name](second) for name in SET_SCORES}
        return {
            "E_f": mean_f,
            "E_g": mean_g,
            "second_moment_difference_f_minus_g": square_f - square_g,
            "delta_variance": variance_g - variance_f,
            "determinacy_difference_f_minus_g": more["determinacy"],
            "mean_size_difference_f_minus_g": more["mean_set_size"],
            "objective_winner": verdict(first, second),
        }

    assert_answer(case, answer)


@check("golden/objective_winner")
def winner(case: Case) -> None:
    def answer(n_classes: int, f: Law, g: Law) -> dict[str, Any]:
        first, second = law_of(f, n_classes), law_of(g, n_classes)
        return {
            "winner": verdict(first, second),
            "mean_f": first.moments().mean,
            "mean_g": second.moments().mean,
            "variance_f": first.moments().variance,
            "variance_g": second.moments().variance,
        }

    assert_answer(case, answer)


# the next m bets


@check("golden/random_vs_vacuous")
def random_and_vacuous(case: Case) -> None:
    def answer(n_classes: int, m: int, utility: dict[str, Any]) -> dict[str, Any]:
        gap = random_vs_vacuous(m, n_classes, named(utility))
        approximate = random_vs_vacuous(m, n_classes, named(utility), exact=False)
        return {
            "random": gap.random,
            "vacuous": gap.vacuous,
            "difference": float(gap),
            "random_second_order": gap.random_second_order,
            "difference_second_order": float(approximate),
        }

    assert_answer(case, answer)


@check("golden/second_order_difference_slope")
def slope(case: Case) -> None:
    def answer(n_classes: int, m: int, utility: dict[str, Any]) -> dict[str, Any]:
        gap = random_vs_vacuous(m, n_classes, named(utility))
        return {"derivative_in_m": gap.slope, "turning_point_m": gap.turning_point}

    assert_answer(case, answer)


@check("golden/outcome_distribution_m_bets")
def bets(case: Case) -> None:
    def answer(
        n_classes: int, m: int, distribution: Law, utility: dict[str, Any]
    ) -> dict[str, Any]:
        tally = law_of(distribution, n_classes)
        value = expected_utility_of_bets(tally, m, named(utility))
        approximate = expected_utility_of_bets(tally, m, named(utility), exact=False)
        return {
            "expected_utility": float(value),
            "mean_total": value.mean_total,
            "variance_total": value.variance_total,
            "second_order": float(approximate),
        }

    assert_answer(case, answer)


# the peer's own scores of the sets it predicted


@splitter("ncc_peer")
def peer_predictions(file: Path) -> Iterator[tuple[str, str, Any]]:
    """Two cases for each set of predictions: the sets themselves, and their scores."""
    problem = json.loads(file.read_text(encoding="utf-8"))
    for key, predicted in problem["predictions"].items():
        learner = key.rpartition("_s")[0]  # ncc_eps0_s1: the learner, then its s
        data = {"problem": problem, "key": key, "predicted": predicted}
        yield f"ncc_peer/{learner}", key, data
        if "weka_ip_measures" in predicted:
            yield "ncc_peer/weka_ip_measures", f"{key}-measures", data


@check("ncc_peer/weka_ip_measures")
def peer_measures(case: Case) -> None:
    problem, predicted = case.data["problem"], case.data["predicted"]
    n_classes, truths = len(problem["classes"]), problem["test_y"]
    sets = sets_of(n_classes, predicted["sets"])
    tally = Tally.of(truths, sets)
    none_given = CostMatrix(np.zeros((n_classes, n_classes)), np.arange(n_classes))
    free = none_given.extend("discounted")
    ours = {
        "measureDeterminacy": metrics.determinacy(sets),
        "measureSingleAccuracy": metrics.single_accuracy(truths, sets),
        "measureSetAccuracy": metrics.set_accuracy(truths, sets),
        "measureInderminacySize": metrics.indeterminate_set_size(sets),
        "measureSingleCost": metrics.average_cost(truths, sets, free),
        "measureSetCost": metrics.average_cost(truths, sets, free),
        "measureMIP.A=-1": mip(n_classes, -1)(tally),
        "measureMIP.A=0": mip(n_classes, 0)(tally),
        "measureMIP.A=+1": mip(n_classes, 1)(tally),
        "measureMIC": mic(n_classes)(tally),
        "measureMIC_CostMatrix": mip(n_classes, -1)(tally),  # without costs a miss loses nothing
        "measureDACC": metrics.discounted_accuracy(truths, sets),
    }
    expected = predicted["weka_ip_measures"]
    for name in expected:
        if name.startswith("measureQUAD_UTIL"):
            u_half = float(name.removeprefix("measureQUAD_UTIL"))
            ours[name] = utility_score(u_half)(tally)
    assert_close(ours, expected, 1e-9)
