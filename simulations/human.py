"""Sets that are handed to a person: intervals of their value when the person was measured too.

The rows are one sample, and the cases on which the accuracy of the person was measured are another.
The interval must contain the true value, for rows and cases together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wager.predictions import PredictionSets
from wager.rewards import PairedTally, Tally, human_score, human_utility

REPLICATIONS = 300
SEED = 2022
COST = 0.05
CLASSES = np.arange(3)
ROWS, CASES = (50, 300), (10, 40, 200)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]

PEOPLE = {"good person": (1.0, 0.95, 0.9), "weak person": (1.0, 0.7, 0.45)}
# probabilities of sets of one, two and three classes, and of a hit by each
SETS = {
    "mostly single": ((0.8, 0.15, 0.05), (0.85, 0.95, 1.0)),
    "mostly pairs": ((0.2, 0.7, 0.1), (0.9, 0.95, 1.0)),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """Coverage of 95% intervals of values and differences, and the error rate of equal values."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for person, accuracy in PEOPLE.items():
        for law in SETS:
            for n in ROWS:
                for cases in CASES:
                    rates = _rates(rng, law, np.array(accuracy), n, cases, replications)
                    for what, rate in rates.items():
                        rows.append(
                            {"what": what, "setting": f"{person}, {law}, {cases} cases", "n": n,
                             "value": round(rate, 4), "replications": replications,
                             "bound": ">= 0.92" if n > 50 and cases > 10 else ">= 0.9"}
                        )  # fmt: skip
    return rows


def _rates(
    rng: np.random.Generator, law: str, accuracy: Floats, n: int, cases: int, replications: int
) -> dict[str, float]:
    """How often each interval contains the true value."""
    sizes, hits = (np.array(part) for part in SETS[law])
    worth = accuracy - COST * np.array([0, 1, 1])
    charged = hits * accuracy - COST * np.array([0, 1, 1])
    single = float(sizes @ hits) * accuracy[0]  # of the first class of each set, all alone
    truths = {
        "value of sets": float(sizes @ (hits * worth)),
        "value, all questions charged": float(sizes @ charged),
    }
    truths["difference from single classes"] = truths["value of sets"] - single * 0.9
    right = dict.fromkeys(truths, 0)
    for _ in range(replications):
        size, truth = rng.choice(3, n, p=sizes) + 1, rng.integers(0, 3, n)
        hit = rng.random(n) < hits[size - 1]
        first = np.where(hit & (rng.random(n) < 0.9), truth, (truth + 1) % 3)
        sets, alone = _sets(truth, size, hit), PredictionSets.from_labels(first, CLASSES)
        seen = rng.binomial(cases, accuracy[1:]) / cases
        person = human_utility({2: seen[0], 3: seen[1]}, n=cases, cost=COST)
        tally = Tally.of(truth, sets)
        pair = PairedTally.of(truth, sets, alone)
        ends = (
            tally.estimate(person).interval(),
            tally.score(human_score(person)).interval(),
            pair.difference(person).interval(),
        )
        for (what, value), (low, high) in zip(truths.items(), ends, strict=True):
            right[what] += low <= value <= high
    return {f"coverage, {what}": count / replications for what, count in right.items()}


def _sets(truth: Ints, size: Ints, hit: npt.NDArray[np.bool_]) -> PredictionSets:
    """Sets of these sizes that contain the true class, or not; sets of three always do."""
    members = np.zeros((len(truth), 3), dtype=bool)
    rows = np.arange(len(truth))
    members[rows, np.where(hit, truth, (truth + 1) % 3)] = True
    two = size == 2
    members[rows[two], np.where(hit, (truth + 1) % 3, (truth + 2) % 3)[two]] = True
    members[size == 3] = True
    return PredictionSets.from_indicator(members, CLASSES)


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
