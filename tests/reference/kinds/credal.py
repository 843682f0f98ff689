"""Golden values of credal sets, decisions and optimal sets, through the public functions.

The golden files number the classes, write costs by rows and name two rules by what they do to
costs: ``gamma_minimax`` is Gamma-maximin of minus the cost, ``gamma_minimin`` Gamma-maximax.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.reference.kinds.information import assert_answer
from tests.reference.registry import Case, check
from wager.costs import CostMatrix, ExtendedCosts
from wager.credal import class_selective_rejection, decide, optimal_sets, reject, reject_credal
from wager.predictions import PredictionSets, ProbabilityIntervals
from wager.rewards import (
    Exponential,
    FBeta,
    Linear,
    Logarithmic,
    Quadratic,
    Utility,
    all_sets,
    extended_reward_matrix,
)

TIED = 1e-9
RULES = {
    "maximal": "maximality",
    "e_admissible": "e-admissibility",
    "interval_dominance": "interval-dominance",
    "gamma_minimax": "gamma-maximin",
    "gamma_minimin": "gamma-maximax",
}
UTILITIES = {
    "linear": Linear,
    "quadratic": lambda u05: Quadratic(u05),
    "log": Logarithmic,
    "log_norm": lambda: Logarithmic(normalized=True),
    "exp": lambda a: Exponential(a),
    "exp_norm": lambda a: Exponential(a, normalized=True),
    "fbeta": lambda beta: FBeta(beta),
}
MODES = {"cautiousness_seeking": "cautious", "mistake_averse": "mistake-averse"}


def named(utility: dict[str, Any]) -> Utility:
    parameters = {key: value for key, value in utility.items() if key != "kind"}
    return UTILITIES[utility["kind"]](**parameters)


def subsets(n_classes: int) -> list[list[int]]:
    return [list(chosen) for chosen in all_sets(n_classes)]


def vertices_of(intervals: ProbabilityIntervals) -> list[list[float]]:
    return sorted(intervals.vertices(0).round(12).tolist())


@check("golden/decisions")
def decisions(case: Case) -> None:
    def answer(lower: Any, upper: Any, costs: Any) -> dict[str, Any]:
        intervals, matrix = ProbabilityIntervals(lower, upper), CostMatrix(costs)
        differences = matrix.costs[None, :] - matrix.costs[:, None]
        k = len(lower)
        lower_differences = intervals.lower_expectation(differences.reshape(-1, k))
        return {
            "vertices": vertices_of(intervals),
            "lower_expected_costs": intervals.lower_expectation(matrix.costs)[0],
            "upper_expected_costs": intervals.upper_expectation(matrix.costs)[0],
            "lower_of_cost_differences": lower_differences.reshape(k, k),
        } | {key: decide(intervals, rule, matrix).to_lists()[0] for key, rule in RULES.items()}

    assert_answer(case, answer)


@check("golden/interval_coherence")
def interval_coherence(case: Case) -> None:
    def answer(lower: Any, upper: Any) -> dict[str, Any]:
        try:
            intervals = ProbabilityIntervals(lower, upper)
        except ValueError:
            if "error" in case.data["expected"]:
                raise
            return {"proper": False, "reachable": False}  # bounds that are refused are not proper
        verdict = {"proper": intervals.is_proper[0], "reachable": intervals.is_reachable[0]}
        if not intervals.is_proper[0]:
            return verdict
        tight = intervals.tighten()
        return verdict | {
            "reachable_lower": tight.lower[0],
            "reachable_upper": tight.upper[0],
            "vertices": vertices_of(intervals),
        }

    assert_answer(case, answer)


@check("golden/expectation_bounds")
def expectation_bounds(case: Case) -> None:
    def answer(lower: Any, upper: Any, gamble: Any) -> dict[str, Any]:
        intervals = ProbabilityIntervals(lower, upper)
        return {
            "lower_expectation": intervals.lower_expectation(gamble)[0],
            "upper_expectation": intervals.upper_expectation(gamble)[0],
            "n_vertices": len(intervals.vertices(0)),
        }

    assert_answer(case, answer)


@check("golden/optimal_set_utility")
def optimal_set_utility(case: Case) -> None:
    def answer(p: list[float], utility: dict[str, Any]) -> dict[str, Any]:
        sets, info = optimal_sets([p], named(utility), return_info=True)
        worth = extended_reward_matrix(len(p), named(utility)) @ np.asarray(p)
        best = np.flatnonzero(worth >= worth.max() - TIED)
        return {
            "expected_utility": info.expected[0],
            "best_set": sets.to_lists()[0],
            "all_best_sets": [subsets(len(p))[row] for row in best],
        }

    assert_answer(case, answer)


def cheapest(p: list[float], extended: ExtendedCosts, sets: PredictionSets) -> dict[str, Any]:
    costs = extended.matrix() @ np.asarray(p)
    return {
        "expected_cost": extended.expected(sets, [p])[0],
        "best_set": sets.to_lists()[0],
        "all_best_sets": [
            subsets(len(p))[row] for row in np.flatnonzero(costs <= costs.min() + TIED)
        ],
    }


@check("golden/optimal_set_ha")
def optimal_set_ha(case: Case) -> None:
    def answer(p: list[float], eta: list[float], delta: float) -> dict[str, Any]:
        extended = CostMatrix.ha(eta).extend("ha", delta=delta)
        sets = class_selective_rejection([p], delta, eta)
        assert optimal_sets([p], costs=extended).to_lists() == sets.to_lists()
        return cheapest(p, extended, sets)

    assert_answer(case, answer)


@check("golden/optimal_set_p_discounted")
def optimal_set_p_discounted(case: Case) -> None:
    def answer(p: list[float], costs: Any, r: float, mode: str) -> dict[str, Any]:
        extended = CostMatrix(costs).extend("p-discounted", r=r, mode=MODES[mode])
        return cheapest(p, extended, optimal_sets([p], costs=extended))

    assert_answer(case, answer)


@check("golden/expected_costs")
def expected_costs(case: Case) -> None:
    def answer(p: list[float], costs: Any) -> dict[str, Any]:
        matrix = CostMatrix(costs)
        return {"expected": matrix.expected([p])[0], "best": matrix.optimal_class([p])[0]}

    assert_answer(case, answer)


@check("golden/expected_cost_of_set")
def expected_cost_of_set(case: Case) -> None:
    def answer(p: list[float], row: list[float]) -> dict[str, Any]:
        extended = CostMatrix.zero_one(range(len(p))).extend({(0, 1): row})
        pair = PredictionSets.from_lists([[0, 1]], extended.classes)
        return {"expected": extended.expected(pair, [p])[0]}

    assert_answer(case, answer)


def binary_costs(c_h: Any, c_n: Any, c_hn: Any) -> ExtendedCosts:
    return CostMatrix([c_h, c_n], ["h", "n"]).extend({("h", "n"): c_hn})


@check("golden/binary_decision")
def binary_decision(case: Case) -> None:
    def answer(p_n: float, c_h: Any, c_n: Any, c_hn: Any) -> dict[str, Any]:
        extended, p = binary_costs(c_h, c_n, c_hn), [[1 - p_n, p_n]]
        options = PredictionSets.from_lists([["h"], ["n"], ["h", "n"]], extended.classes)
        return {
            "best": "".join(optimal_sets(p, costs=extended).to_lists()[0]),
            "expected": dict(zip(("h", "n", "hn"), extended.expected(options, p), strict=True)),
        }

    assert_answer(case, answer)


@check("golden/decision_thresholds_binary")
def decision_thresholds_binary(case: Case) -> None:
    def answer(c_h: Any, c_n: Any, c_hn: Any) -> dict[str, Any]:
        extended = binary_costs(c_h, c_n, c_hn)

        def chosen(p_n: float) -> list[str]:
            return optimal_sets([[1 - p_n, p_n]], costs=extended).to_lists()[0]

        def last(label: str, start: float, end: float) -> float | None:
            """The end of the stretch from ``start`` where the label alone is chosen."""
            if chosen(start) != [label]:
                return None
            for _ in range(50):
                middle = (start + end) / 2
                start, end = (middle, end) if chosen(middle) == [label] else (start, middle)
            return start

        return {"h_until": last("h", 0.0, 1.0), "n_from": last("n", 1.0, 0.0)}

    assert_answer(case, answer)


@check("golden/chow_threshold")
def chow_threshold(case: Case) -> None:
    def answer(p: list[float], t: float) -> dict[str, Any]:
        sets = reject([p], t)
        return {"prediction": sets.to_lists()[0], "rejected": sets.sizes[0] == len(p)}

    assert_answer(case, answer)


@check("golden/chow_cost")
def chow_cost(case: Case) -> None:
    def answer(p: list[float], reject_cost: float) -> dict[str, Any]:
        everything = tuple(range(len(p)))
        extended = CostMatrix.zero_one(everything).extend({everything: [reject_cost] * len(p)})
        sets = reject([p], 1 - reject_cost)
        return {
            "rejected": sets.sizes[0] == len(p),
            "expected_cost": extended.expected(sets, [p])[0],
        }

    assert_answer(case, answer)


@check("golden/credal_reject")
def credal_reject(case: Case) -> None:
    def answer(lower: list[float], t: float) -> dict[str, Any]:
        conjugate = 1 - (sum(lower) - np.asarray(lower))
        intervals = ProbabilityIntervals(lower, conjugate)
        first = [[True] + [False] * (len(lower) - 1)]
        return {"rejected": reject_credal(intervals, first, t).sizes[0] == len(lower)}

    assert_answer(case, answer)
