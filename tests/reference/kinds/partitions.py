"""Golden values of standardized partition spaces (Sondhauss & Weihs, 2001)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.reference.kinds.information import assert_answer
from tests.reference.registry import Case, check
from wager.metrics import correctness_rate, partition_accuracy
from wager.partitions import Region, beta_moments, standardize, to_memberships


@check("golden/beta_scaling_depth1")
def beta_scaling_depth1(case: Case) -> None:
    def answer(membership: list[list[float]], truth: list[int]) -> dict[str, Any]:
        partition = standardize(truth, membership)
        found = {str(region.orders[0][0]): _describe(region) for region in partition.regions}
        return {
            "assigned": partition.assigned,
            "regions": {str(code): found.get(str(code)) for code in range(len(membership[0]))},
            "scaled": partition.scaled,
            "Ac": partition.accuracy,
            "AS": partition.separation,
            "correctness_rate": partition.correctness,
            "Ac_unscaled": partition_accuracy(truth, membership, scale=False),
            "CF": partition.confidence,
        }

    assert_answer(case, answer)
    if "correctness_rate" in case.data["expected"]:
        inputs = case.data["inputs"]
        rate = correctness_rate(inputs["truth"], inputs["membership"])
        assert rate == standardize(inputs["truth"], inputs["membership"]).correctness


def _describe(region: Region) -> dict[str, Any]:
    step = region.steps[0]
    # A constant region has no finite concentration: undefined, in the golden files' spelling.
    concentration = step.concentration if np.isfinite(step.concentration) else None
    return {
        "N": region.n,
        "mean": step.mean,
        "p": step.p,
        "variance": step.variance,
        "concentration": concentration,
        "branch": step.branch,
        "alpha": step.alpha,
        "beta": step.beta,
        "N_s": step.certainty,
        "alpha_s": step.alpha_scaled,
        "beta_s": step.beta_scaled,
    }


@check("golden/measures")
def measures(case: Case) -> None:
    def answer(vectors: list[list[float]], classes: list[int]) -> dict[str, Any]:
        return {"value": partition_accuracy(classes, vectors, scale=False)}

    assert_answer(case, answer)


@check("golden/beta_moments")
def moments(case: Case) -> None:
    def answer(values: list[float]) -> dict[str, Any]:
        fitted = beta_moments(values)
        return {
            "concentration": fitted.concentration,
            "alpha": fitted.alpha,
            "beta": fitted.beta,
        }

    assert_answer(case, answer)


@check("golden/rank_membership")
def rank_membership(case: Case) -> None:
    def answer(scores: list[list[float]]) -> dict[str, Any]:
        return {"membership": to_memberships(scores, kind="rank")}

    assert_answer(case, answer)
