"""Partitions: coverage of the intervals of Ac, AS, CF and CR, and the size of standard errors.

The classes are normal with equal covariance; the memberships are the posterior probabilities, or
distorted ones (raised to a power, tilted towards a class, with noise, or rounded).  The target is
the measure of the whole population with the scaling fitted on the population, here on a sample of
``POPULATION`` rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager.partitions import standardize

REPLICATIONS = 400
SEED = 20260208
POPULATION = 400_000
SIZES = (150, 1000)
MEASURES = {"accuracy": "Ac", "separation": "AS", "confidence": "CF", "correctness": "CR"}


@dataclass(frozen=True)
class Law:
    """Class priors, distance between the class means, and what is done to the posterior."""

    priors: tuple[float, ...]
    distance: float
    power: float = 1.0
    tilt: float = 0.0
    noise: float = 0.0
    steps: int | None = None

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """True classes and memberships."""
        priors = np.array(self.priors)
        centres = np.eye(len(priors)) * self.distance / np.sqrt(2)
        truth = rng.choice(len(priors), n, p=priors)
        features = centres[truth] + rng.normal(size=(n, len(priors)))
        scores = self.power * (np.log(priors) + features @ centres.T)
        scores += self.noise * rng.normal(size=scores.shape)
        scores[:, 0] += self.tilt
        memberships = np.exp(scores - scores.max(axis=1, keepdims=True))
        memberships /= memberships.sum(axis=1, keepdims=True)
        if self.steps is not None:
            memberships = np.round(memberships * self.steps)
            memberships /= memberships.sum(axis=1, keepdims=True)
        return truth, memberships


THIRDS = (1 / 3, 1 / 3, 1 / 3)
LAWS = {
    "2 classes, well separated": Law((0.5, 0.5), 3.3),
    "2 classes, overlapping": Law((0.5, 0.5), 1.0),
    "2 classes, 9:1": Law((0.9, 0.1), 2.0),
    "3 classes, nearly certain (CR 0.99)": Law(THIRDS, 5.0),
    "3 classes, overlapping": Law(THIRDS, 1.5),
    "3 classes, overconfident (power 4)": Law(THIRDS, 2.0, power=4.0),
    "3 classes, underconfident (power 0.1)": Law(THIRDS, 2.5, power=0.1),
    "3 classes, tilted towards one": Law(THIRDS, 2.0, tilt=1.5),
    "3 classes, rounded to fifths": Law(THIRDS, 2.0, steps=5),
    "4 classes, well separated": Law((0.25, 0.25, 0.25, 0.25), 3.5),
    "4 classes, unbalanced": Law((0.55, 0.25, 0.12, 0.08), 2.5),
    "4 classes, useless memberships": Law((0.25, 0.25, 0.25, 0.25), 0.0, noise=1.0),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, object]]:
    """Coverage of 95% intervals, and mean standard error divided by the true standard deviation."""
    rows: list[dict[str, object]] = []
    for number, (name, law) in enumerate(LAWS.items()):
        rng = np.random.default_rng([seed, number])
        population = _standardize(law, POPULATION, rng)
        for n in SIZES:
            drawn = [_standardize(law, n, rng).estimates for _ in range(replications)]
            for measure, short in MEASURES.items():
                target = getattr(population, measure)
                found = [estimates[measure] for estimates in drawn]
                ends = np.array([estimate.interval() for estimate in found])
                covered = (ends[:, 0] <= target) & (target <= ends[:, 1])
                error = np.mean([estimate.standard_error for estimate in found])
                spread = np.std([estimate.value for estimate in found], ddof=1)
                for what, value, bound in (
                    (f"coverage of {short}", covered.mean(), ">= 0.92"),
                    (f"standard error / true deviation of {short}", error / spread, ""),
                ):
                    rows.append(
                        {
                            "what": what,
                            "law": name,
                            "n": n,
                            "value": round(float(value), 4),
                            "replications": replications,
                            "bound": bound,
                        }
                    )
    return rows


def _standardize(law: Law, n: int, rng: np.random.Generator) -> Any:
    truth, memberships = law.draw(n, rng)
    return standardize(truth, memberships, classes=np.arange(len(law.priors)))
