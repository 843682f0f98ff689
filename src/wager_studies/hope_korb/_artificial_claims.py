"""Claims of Hope & Korb (2004), Section 5.1, about learning from few rows and from many.

Each claim is checked with the rewards of four learners on the models of a family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wager._typing import Floats
from wager.experiments.study import Claim, listed

__all__ = ["COMPARED", "FAMILIES", "LEARNERS", "NEAR", "SIZES", "Experiment", "claims_of"]

FAMILIES = {
    "naive Bayes": "random-naive-bayes",
    "TAN": "random-tan",
    "AODE": "random-aode",
}
SIZES = [50, 500, 5000]
COMPARED = ("NB", "TAN", "AODE", "CaMML")
LEARNERS: dict[str, dict[str, Any]] = {
    "NB": {"learner": "naive-bayes"},
    "TAN": {"learner": "tan", "params": {"search": "superparent"}},  # Keogh & Pazzani's
    "AODE": {"learner": "aode"},
    "CaMML": {"learner": "causal-mml"},
    "TAN, smoothed": {
        "learner": "tan",
        "params": {"search": "superparent", "smoothing": "friedman"},
    },
}
NEAR = 0.03  # bits: rewards this close count as similar


@dataclass(frozen=True, eq=False)
class Experiment:
    """The rewards of the learners on some models of one family.

    Attributes
    ----------
    everyone : ndarray of shape (models, learners, sizes)
    """

    everyone: Floats

    @property
    def scores(self) -> Floats:
        """The rewards of the four learners that the paper compares."""
        return self.everyone[:, : len(COMPARED)]

    def mean(self, learner: str, size: int) -> float:
        """The mean over the models."""
        return float(self.everyone[:, list(LEARNERS).index(learner), SIZES.index(size)].mean())

    def means(self, size: int) -> str:
        """The means of the compared learners, as text."""
        return ", ".join(f"{name} {self.mean(name, size):+.3f}" for name in COMPARED)

    def beats(self, a: str, b: str, size: int, alpha: float = 0.05) -> bool:
        """Whether the first is significantly better, by Bonferroni intervals of all pairs."""
        return b in self.worse_than(size, alpha)[a]

    def worse_than(self, size: int, alpha: float = 0.05) -> dict[str, list[str]]:
        """The learners that are significantly worse than each learner."""
        from wager.compare import bonferroni_intervals

        pairs = bonferroni_intervals(
            self.scores[:, :, SIZES.index(size)], names=COMPARED, alpha=alpha
        )
        losers: dict[str, list[str]] = {name: [] for name in COMPARED}
        for (a, b), outcome in pairs.items():
            low, high = outcome.interval
            if low > 0:
                losers[a].append(b)
            elif high < 0:
                losers[b].append(a)
        return losers

    def above_zero(self, learner: str, size: int, alpha: float = 0.05) -> bool:
        """Whether the mean reward is significantly above that of repeating the prior."""
        from wager.compare import paired_t

        rewards = self.everyone[:, list(LEARNERS).index(learner), SIZES.index(size)]
        return paired_t(rewards, alpha=alpha).interval[0] > 0

    def spread(self, names: Sequence[str], size: int) -> float:
        """The mean reward of the best of these learners minus that of the worst."""
        means = [self.mean(name, size) for name in names]
        return max(means) - min(means)


LOW, MIDDLE, HIGH = SIZES
OTHERS = ("NB", "TAN", "AODE")  # the compared learners without CaMML


def claims_of(experiments: Mapping[str, Experiment]) -> list[Claim]:
    """Every conclusion of the paper on the models of the three families, checked."""
    naive, tan, aode = (experiments[family] for family in FAMILIES)
    return [
        *_design_claims(experiments),
        *_claims_on_naive_bayes_models(naive),
        *_claims_on_tan_models(tan),
        *_claims_on_aode_models(aode),
        *_summary_claims(naive, aode),
    ]


def _all_beat(experiment: Experiment, winners: Sequence[str], loser: str, size: int) -> bool:
    return all(experiment.beats(winner, loser, size) for winner in winners)


def _beats_all(experiment: Experiment, winner: str, losers: Sequence[str], size: int) -> bool:
    return all(experiment.beats(winner, loser, size) for loser in losers)


def _design_claims(experiments: Mapping[str, Experiment]) -> list[Claim]:
    naive = experiments["naive Bayes"]
    beaten = any(e.beats(name, "CaMML", HIGH) for e in experiments.values() for name in OTHERS)
    behind = max(
        e.mean("NB", HIGH) - e.mean(name, HIGH)
        for e in experiments.values()
        for name in ("TAN", "AODE")
    )
    return [
        Claim(
            "5.1, design",
            "with enough data CaMML is at least as good as every other learner",
            not beaten,
            f"{HIGH} rows: "
            + "; ".join(f"{family} models {e.means(HIGH)}" for family, e in experiments.items()),
        ),
        Claim(
            "5.1, design",
            "with enough data TAN and AODE are at least on par with naive Bayes",
            behind <= NEAR,
            f"{HIGH} rows: behind naive Bayes by at most {behind:.3f} bits",
        ),
        Claim(
            "5.1, design",
            "with little data the simplest learner that can represent the true model is best",
            _beats_all(naive, "NB", ("TAN", "AODE", "CaMML"), LOW),
            f"naive Bayes models, {LOW} rows: {naive.means(LOW)}",
        ),
    ]


def _claims_on_naive_bayes_models(naive: Experiment) -> list[Claim]:
    where = "5.1, naive Bayes models"
    smoothed = ("NB", "TAN, smoothed", "AODE")
    better = [name for name in OTHERS if naive.beats(name, "CaMML", LOW)]
    return [
        Claim(
            where,
            "NB, TAN and AODE perform similarly at each size",
            all(naive.spread(OTHERS, size) <= NEAR for size in SIZES),
            "best minus worst of the three: "
            + ", ".join(f"{naive.spread(OTHERS, size):.3f} ({size} rows)" for size in SIZES)
            + f" bits; similar means up to {NEAR}; with TAN smoothed "
            + ", ".join(f"{naive.spread(smoothed, size):.3f}" for size in SIZES),
        ),
        Claim(
            where,
            "with 50 rows CaMML is significantly worse than the others",
            len(better) == len(OTHERS),
            f"{naive.means(LOW)}; significantly better than CaMML: {listed(better)}; TAN smoothed "
            f"{naive.mean('TAN, smoothed', LOW):+.3f}",
        ),
        Claim(
            where,
            "with more data CaMML does as well as the others",
            naive.spread(COMPARED, HIGH) <= NEAR,
            f"best minus worst of all: {naive.spread(COMPARED, MIDDLE):.3f} ({MIDDLE} rows), "
            f"{naive.spread(COMPARED, HIGH):.3f} ({HIGH} rows) bits",
        ),
    ]


def _claims_on_tan_models(tan: Experiment) -> list[Claim]:
    where = "5.1, TAN models"
    return [
        Claim(
            where,
            "with 50 rows AODE is better than TAN, on TAN's own models",
            tan.beats("AODE", "TAN", LOW),
            f"{LOW} rows: {tan.means(LOW)}",
        ),
        Claim(
            where,
            "with enough data TAN and CaMML outperform AODE",
            _all_beat(tan, ("TAN", "CaMML"), "AODE", HIGH),
            f"{HIGH} rows: {tan.means(HIGH)}",
        ),
        Claim(
            where,
            "naive Bayes is clearly inferior given adequate data",
            all(_all_beat(tan, COMPARED[1:], "NB", size) for size in (MIDDLE, HIGH)),
            f"{MIDDLE} rows: {tan.means(MIDDLE)}; {HIGH} rows: {tan.means(HIGH)}",
        ),
    ]


def _claims_on_aode_models(aode: Experiment) -> list[Claim]:
    where = "5.1, AODE models"
    means = [aode.mean(name, size) for name in COMPARED for size in SIZES]
    above = [name for name in COMPARED if aode.above_zero(name, LOW)]
    return [
        Claim(
            where,
            "hard to learn: mean rewards from -0.3 to 0.1",
            min(means) >= -0.35 and max(means) < 0.15,
            f"from {min(means):.2f} to {max(means):.2f}",
        ),
        Claim(
            where,
            "it takes more than 50 rows to score above zero",
            not above,
            f"{LOW} rows: {aode.means(LOW)}; significantly above zero: {listed(above)}",
        ),
        Claim(
            where,
            "with 50 rows all learners but CaMML score below zero",
            max(aode.mean(name, LOW) for name in OTHERS) < 0 <= aode.mean("CaMML", LOW) + NEAR,
            f"{LOW} rows: {aode.means(LOW)}; CaMML may be within {NEAR} of zero",
        ),
        Claim(
            where,
            "with 50 rows CaMML's caution wins, even against naive Bayes",
            _beats_all(aode, "CaMML", OTHERS, LOW),
            f"CaMML is significantly better than {listed(aode.worse_than(LOW)['CaMML'])}",
        ),
        *(
            Claim(
                where,
                f"with enough data AODE is ahead of the others ({size} rows)",
                _beats_all(aode, "AODE", ("NB", "TAN", "CaMML"), size),
                f"{aode.means(size)}; AODE is significantly better than "
                f"{listed(aode.worse_than(size)['AODE'])}",
            )
            for size in (MIDDLE, HIGH)
        ),
    ]


def _summary_claims(naive: Experiment, aode: Experiment) -> list[Claim]:
    least = min(aode.mean(name, size) for name in COMPARED for size in SIZES)
    return [
        Claim(
            "6",
            "a more powerful learner pays a penalty when data are few",
            naive.beats("NB", "CaMML", LOW),
            f"naive Bayes models, {LOW} rows: NB {naive.mean('NB', LOW):+.3f}, CaMML "
            f"{naive.mean('CaMML', LOW):+.3f}",
        ),
        Claim(
            "6",
            "it can be better not to model the data at all",
            least < 0,
            f"AODE models: the lowest mean reward is {least:.2f}, while repeating the prior earns "
            "zero",
        ),
    ]
