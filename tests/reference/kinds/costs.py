"""Costs of indeterminacy: extended matrices, means, average costs, the ten properties."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.reference.compare import assert_close
from tests.reference.registry import Case, check
from wager.costs import CostMatrix, ExtendedCosts, Witness, audit, generalized_mean
from wager.metrics import average_cost
from wager.rewards import Exponential, FBeta, Linear, Logarithmic, Quadratic, Utility

MODES = {"cautiousness_seeking": "cautious", "mistake_averse": "mistake-averse"}


def _utility(spec: dict[str, Any]) -> Utility:
    made = {
        "linear": lambda: Linear(),
        "quadratic": lambda: Quadratic(spec["u05"]),
        "log": lambda: Logarithmic(),
        "log_norm": lambda: Logarithmic(normalized=True),
        "exp": lambda: Exponential(spec["a"]),
        "exp_norm": lambda: Exponential(spec["a"], normalized=True),
        "fbeta": lambda: FBeta(spec["beta"]),
    }
    return made[spec["kind"]]()


def _extended(kind: str, given: dict[str, Any]) -> ExtendedCosts:
    if kind == "discounted_costs":
        return CostMatrix(given["costs"]).extend("discounted")
    if kind == "p_discounted_costs":
        mode = MODES[given["mode"]]
        return CostMatrix(given["costs"]).extend("p-discounted", r=given["r"], mode=mode)
    if kind == "ha_costs":
        return CostMatrix.ha(given["eta"]).extend("ha", delta=given["delta"])
    if kind == "abellan_masegosa_costs":
        return CostMatrix(given["costs"]).extend("abellan-masegosa")
    assert kind == "utility_discounted_costs"
    costs = CostMatrix.zero_one(range(given["n_classes"]))
    return costs.extend("utility", utility=_utility(given["utility"]))


def _refused(expected: Any) -> bool:
    return isinstance(expected, dict) and "error" in expected


def _expect(case: Case, compute) -> None:
    """Compare, or see that the case is refused with the error it names."""
    expected = case.data["expected"]
    if _refused(expected):
        assert expected == {"error": "ValueError"}, f"unknown error {expected}"
        try:
            compute()
        except ValueError:
            return
        raise AssertionError("should have been refused")
    actual = compute()
    assert set(expected) == set(actual), f"unknown fields {set(expected) ^ set(actual)}"
    assert_close(actual, expected, case.data["tolerance"])


@check(
    "golden/discounted_costs",
    "golden/p_discounted_costs",
    "golden/ha_costs",
    "golden/abellan_masegosa_costs",
    "golden/utility_discounted_costs",
)
def extended_matrix(case: Case) -> None:
    kind = case.kind.removeprefix("golden/")

    def compute():
        extended = _extended(kind, case.data["inputs"])
        rows = zip(extended.subsets(), extended.matrix().tolist(), strict=True)
        return {"rows": [{"set": list(labels), "costs": costs} for labels, costs in rows]}

    _expect(case, compute)


@check("golden/generalized_mean")
def mean(case: Case) -> None:
    given = case.data["inputs"]
    _expect(case, lambda: {"mean": generalized_mean(given["values"], float(given["p"]))})


@check("golden/average_cost")
def average(case: Case) -> None:
    given = case.data["inputs"]

    def compute():
        costs = CostMatrix(given["costs"])
        extended = costs.extend("p-discounted", r=given["r"], mode=MODES[given["mode"]])
        sets, truths = given["predictions"], given["truths"]
        return {
            "average": average_cost(truths, sets, extended),
            "per_instance": extended.of(sets, truths).tolist(),
        }

    _expect(case, compute)


@check("golden/properties")
def properties(case: Case) -> None:
    given, expected = case.data["inputs"], case.data["expected"]
    table = {
        tuple(row["set"]): np.array(row["costs"], dtype=float) for row in given["extended_costs"]
    }
    n_classes = max(map(len, table))
    costs = CostMatrix([table[(k,)] for k in range(n_classes)])
    report = audit(costs.extend({labels: row for labels, row in table.items() if len(labels) > 1}))
    assert set(expected) == {"holds", "witnesses"}
    assert {str(n): holds for n, holds in report.holds.items()} == expected["holds"]
    for number, holds in report.holds.items():
        witness = report[number].witness
        assert (witness is not None) == (holds if number in (1, 9) else not holds)
        if witness is not None:
            assert _proves(number, witness, table, costs.costs, case.data["tolerance"])
    shown = {str(number) for number in report.witnesses}
    assert set(expected["witnesses"]) - {"1", "8", "9"} <= shown


def _proves(number: int, w: Witness, table: dict, singles: np.ndarray, tolerance: float) -> bool:
    """Whether a witness is a proof, by the words of the property."""
    row, members = table[w.set], singles[list(w.set)]
    mean, least, largest = members.mean(axis=0), members.min(axis=0), members.max(axis=0)
    inside = [truth in w.set for truth in w.truths]
    if number == 1:
        p = np.array(w.probability)
        assert p.min() >= 0
        assert abs(p.sum() - 1) <= tolerance
        return row @ p < (members @ p).min() - tolerance
    if number == 2:
        return bool((row >= mean - tolerance).all())
    if number in (5, 8, 9):
        y, z = w.truths
        same = np.allclose(np.sort(members[:, y]), np.sort(members[:, z]), rtol=0, atol=tolerance)
        differs = abs(row[y] - row[z]) > tolerance
        return differs and {5: same, 8: all(inside), 9: all(inside) and not same}[number]
    (y,) = w.truths
    return {
        3: inside[0] and row[y] >= mean[y] - tolerance,
        4: row[y] < least[y] - tolerance,
        6: not inside[0] and row[y] < mean[y] - tolerance,
        7: not inside[0] and row[y] > mean[y] + tolerance,
        10: row[y] > largest[y] + tolerance,
    }[number]
