"""Selective classification: coverage of its intervals, and error rates of paired comparisons.

The chance of an error falls with a uniform variable z, of which the confidence is a function.  The
true curve is that of the chances themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wager.compare import compare_selective
from wager.rewards import SelectiveEvaluation, evaluate_selective

REPLICATIONS = 2000
SEED = 2019
_GRID = 20_000
_VISITS = 4  # rows of a cluster

Floats = npt.NDArray[np.float64]


class Law(NamedTuple):
    """The chance of an error as a function of z, and the confidence; rows may be clustered."""

    chance: Callable[[Floats], Floats]
    confidence: Callable[[Floats], Floats] = lambda z: z
    clustered: bool = False

    def draw(self, rng: np.random.Generator, n: int) -> SelectiveEvaluation:
        """The evaluation of a sample."""
        units = n // _VISITS if self.clustered else n
        z, luck = rng.random(units), rng.random(units)
        groups = None
        if self.clustered:  # the visits of a patient are alike, and go well or badly together
            groups = np.repeat(np.arange(units), _VISITS)
            z, luck = np.repeat(z, _VISITS), np.repeat(luck, _VISITS)
        wrong = (luck < self.chance(z)).astype(int)
        return evaluate_selective(np.zeros(len(z)), wrong, self.confidence(z), groups=groups)

    def truth(self) -> dict[str, float]:
        """The values of infinitely many rows."""
        z = (np.arange(_GRID) + 0.5) / _GRID
        found = evaluate_selective(
            np.zeros(_GRID), np.zeros(_GRID), self.confidence(z), loss=self.chance(z)
        )
        risk = found["risk"]
        best = risk + (1 - risk) * log(1 - risk)
        return {
            "AURC": found["aurc"],
            "excess AURC": found["aurc"] - best,
            "AUGRC": found["augrc"],
            "risk at coverage 0.8": found.risk_at_coverage(0.8).value,
            "risk at coverage 0.5": found.risk_at_coverage(0.5).value,
            "break-even cost at coverage 0.8": found.break_even_cost(0.8).value,
            "coverage at 0.6 of the risk": found.coverage_at_risk(0.6 * risk).value,
        }


LAWS = {
    "useful confidence": Law(lambda z: 0.6 * (1 - z) ** 3),
    "4% errors": Law(lambda z: 0.12 * (1 - z) ** 2),
    "useless confidence": Law(lambda z: np.full(len(z), 0.2)),
    "five levels of confidence": Law(lambda z: 0.6 * (1 - z) ** 2, lambda z: np.floor(5 * z)),
    "clusters of four rows": Law(lambda z: 0.6 * (1 - z) ** 2, clustered=True),
}
AREAS = {"AURC": "aurc", "excess AURC": "e_aurc", "AUGRC": "augrc"}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """Coverage of 95% intervals, and how often equally good scores are found different."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for name, law in LAWS.items():
        truth = law.truth()
        for n in (100, 500):
            hits = dict.fromkeys(truth, 0)
            if n > 100:  # its search takes long
                del hits["coverage at 0.6 of the risk"]
            for _ in range(replications):
                found = law.draw(rng, n)
                for what in hits:
                    low, high = _interval(found, what, truth, 0.6)
                    hits[what] += low <= truth[what] <= high
            for what, count in hits.items():
                bound = ">= 0.92" if what in AREAS else ">= 0.9"
                rows.append(_row(f"coverage, {what}", name, n, count / replications, bound))
    for noise in (0.1, 0.5):
        for n in (100, 500):
            found = [_pair(rng, n, noise) for _ in range(replications)]
            for what, measure in AREAS.items():
                rate = float(np.mean([pair.p(measure) < 0.05 for pair in found]))
                rows.append(_row(f"type I error, {what}", f"noise {noise}", n, rate, "<= 0.07"))
    for row in rows:
        row["replications"] = replications
    return rows


def _interval(
    found: SelectiveEvaluation, what: str, truth: dict[str, float], share: float
) -> tuple[float, float]:
    if what in AREAS:
        return found.estimates[AREAS[what]].interval()
    if what.startswith("risk"):
        return found.risk_at_coverage(float(what.split()[-1])).interval()
    if what.startswith("break-even"):
        return found.break_even_cost(0.8).interval()
    # the risk that is allowed: that of all rows, times the share
    whole = 0.8 * truth["risk at coverage 0.8"] + 0.2 * truth["break-even cost at coverage 0.8"]
    return found.coverage_at_risk(share * whole).interval()


def _pair(rng: np.random.Generator, n: int, noise: float) -> Any:
    """Two scores of the same predictions that are equally noisy."""
    z = rng.random(n)
    wrong = (rng.random(n) < 0.6 * (1 - z) ** 2).astype(int)
    both = (evaluate_selective(np.zeros(n), wrong, z + rng.normal(0, noise, n)) for _ in range(2))
    return compare_selective(*both)


def _row(what: str, law: str, n: int, value: float, bound: str) -> dict[str, Any]:
    return {"what": what, "law": law, "n": n, "value": round(value, 4), "bound": bound}


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
