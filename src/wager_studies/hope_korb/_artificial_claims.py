"""What Hope & Korb (2004), Section 5.1, say about learning from few rows and from many.

Each conclusion is a question to the rewards of four learners on the models of a family.
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
NEAR = 0.03  # bits: what we call similar


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
        """Those of the four learners that the paper compares."""
        return self.everyone[:, : len(COMPARED)]

    def mean(self, learner: str, size: int) -> float:
        """The mean over the models."""
        return float(self.everyone[:, list(LEARNERS).index(learner), SIZES.index(size)].mean())

    def means(self, size: int) -> str:
        """The means of all learners, in words."""
        return ", ".join(f"{name} {self.mean(name, size):+.3f}" for name in COMPARED)

    def beats(self, a: str, b: str, size: int, alpha: float = 0.05) -> bool:
        """Whether the first is significantly better, by Bonferroni's intervals of all pairs."""
        return b in self.worse_than(size, alpha)[a]

    def worse_than(self, size: int, alpha: float = 0.05) -> dict[str, list[str]]:
        """Which learners are significantly worse than each."""
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
        """Whether the learner surely earns more than one that repeats the prior."""
        from wager.compare import paired_t

        rewards = self.everyone[:, list(LEARNERS).index(learner), SIZES.index(size)]
        return paired_t(rewards, alpha=alpha).interval[0] > 0

    def spread(self, names: Sequence[str], size: int) -> float:
        """How far the best of these learners is ahead of the worst, on average."""
        means = [self.mean(name, size) for name in names]
        return max(means) - min(means)


def claims_of(experiments: Mapping[str, Experiment]) -> list[Claim]:
    """Every conclusion of the paper on the models of the three families, checked."""
    naive, tan, aode = (experiments[family] for family in FAMILIES)
    others = ("NB", "TAN", "CaMML")
    rest, smoothed = ("NB", "TAN", "AODE"), ("NB", "TAN, smoothed", "AODE")

    def all_beat(experiment: Experiment, winner: str, losers: Sequence[str], size: int) -> bool:
        return all(experiment.beats(winner, loser, size) for loser in losers)

    def any_beats(experiment: Experiment, winners: Sequence[str], loser: str, size: int) -> bool:
        return any(experiment.beats(winner, loser, size) for winner in winners)

    low, middle, high = SIZES
    least, most = (
        float(pick(aode.mean(name, size) for name in COMPARED for size in SIZES))
        for pick in (min, max)
    )
    behind = max(
        e.mean("NB", high) - e.mean(name, high)
        for e in experiments.values()
        for name in ("TAN", "AODE")
    )
    return [
        Claim("5.1, design", "with enough data CaMML is at least as good as every other learner",
              not any(any_beats(e, rest, "CaMML", high) for e in experiments.values()),
              f"{high} rows: " + "; ".join(f"{family} models {e.means(high)}"
                                           for family, e in experiments.items())),
        Claim("5.1, design", "with enough data TAN and AODE are at least on par with naive Bayes",
              behind <= NEAR,
              f"{high} rows: behind naive Bayes by at most {behind:.3f} bits"),
        Claim("5.1, design", "with little data the simplest learner that holds the true model is "
              "best", all_beat(naive, "NB", ("TAN", "AODE", "CaMML"), low),
              f"naive Bayes models, {low} rows: {naive.means(low)}"),
        Claim("5.1, naive Bayes models", "NB, TAN and AODE perform similarly at each size",
              all(naive.spread(rest, size) <= NEAR for size in SIZES),
              "best minus worst of the three: "
              + ", ".join(f"{naive.spread(rest, size):.3f} ({size} rows)" for size in SIZES)
              + f" bits; similar is up to {NEAR}; with TAN smoothed "
              + ", ".join(f"{naive.spread(smoothed, size):.3f}" for size in SIZES)),
        Claim("5.1, naive Bayes models", "with 50 rows CaMML is significantly worse than the "
              "others", all(naive.beats(name, "CaMML", low) for name in rest),
              f"{naive.means(low)}; significantly better than CaMML: "
              f"{listed(name for name in rest if naive.beats(name, 'CaMML', low))}; TAN smoothed "
              f"{naive.mean(smoothed[1], low):+.3f}"),
        Claim("5.1, naive Bayes models", "with more data CaMML does as well as the others",
              naive.spread(COMPARED, high) <= NEAR,
              f"best minus worst of all: {naive.spread(COMPARED, middle):.3f} ({middle} rows), "
              f"{naive.spread(COMPARED, high):.3f} ({high} rows) bits"),
        Claim("5.1, TAN models", "with 50 rows AODE is better than TAN, on TAN's own models",
              tan.beats("AODE", "TAN", low), f"{low} rows: {tan.means(low)}"),
        Claim("5.1, TAN models", "with enough data TAN and CaMML outperform AODE",
              all(tan.beats(name, "AODE", high) for name in ("TAN", "CaMML")),
              f"{high} rows: {tan.means(high)}"),
        Claim("5.1, TAN models", "naive Bayes is clearly inferior given adequate data",
              all(tan.beats(name, "NB", size) for name in COMPARED[1:] for size in (middle, high)),
              f"{middle} rows: {tan.means(middle)}; {high} rows: {tan.means(high)}"),
        Claim("5.1, AODE models", "hard to learn: mean rewards from -0.3 to 0.1",
              least >= -0.35 and most < 0.15,
              f"from {least:.2f} to {most:.2f}"),
        Claim("5.1, AODE models", "it takes more than 50 rows to score above zero",
              not any(aode.above_zero(name, low) for name in COMPARED),
              f"{low} rows: {aode.means(low)}; surely above zero: "
              f"{listed(name for name in COMPARED if aode.above_zero(name, low))}"),
        Claim("5.1, AODE models", "with 50 rows all learners but CaMML score below zero",
              max(aode.mean(name, low) for name in rest) < 0 <= aode.mean("CaMML", low) + NEAR,
              f"{low} rows: {aode.means(low)}; CaMML may be within {NEAR} of zero"),
        Claim("5.1, AODE models", "with 50 rows CaMML's caution wins, even against naive Bayes",
              all_beat(aode, "CaMML", rest, low),
              "CaMML is significantly better than "
              f"{listed(aode.worse_than(low)['CaMML'])}"),
        *(Claim("5.1, AODE models", f"with enough data AODE is ahead of the others ({size} rows)",
                all_beat(aode, "AODE", others, size),
                f"{aode.means(size)}; AODE is significantly better than "
                f"{listed(aode.worse_than(size)['AODE'])}") for size in (middle, high)),
        Claim("6", "a more powerful learner pays a penalty when data are few",
              naive.beats("NB", "CaMML", low),
              f"naive Bayes models, {low} rows: NB {naive.mean('NB', low):+.3f}, CaMML "
              f"{naive.mean('CaMML', low):+.3f}"),
        Claim("6", "it can be better not to model the data at all", least < 0,
              f"AODE models: the lowest mean reward is {least:.2f}, and zero is to be had for "
              "nothing"),
    ]  # fmt: skip
