"""Claims of Hope & Korb (2004), Section 5.1, about learning from few rows and from many.

Each claim is checked with the rewards of four learners on the models of a family.  A check says
whether a claim holds under one set of settings; the study combines the checks of several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.experiments.study import listed

__all__ = [
    "COMPARED",
    "FAMILIES",
    "LEARNERS",
    "NEAR",
    "SIZES",
    "SMOOTHED",
    "ClaimCheck",
    "Experiment",
    "checks_of",
    "replaced",
]

FAMILIES = {
    "naive Bayes": "random-naive-bayes",
    "TAN": "random-tan",
    "AODE": "random-aode",
}
SIZES = [50, 500, 5000]
COMPARED = ("NB", "TAN", "AODE", "CaMML")
SMOOTHED = "TAN, smoothed"
LEARNERS: dict[str, dict[str, Any]] = {
    "NB": {"learner": "naive-bayes"},
    "TAN": {"learner": "tan", "params": {"search": "superparent"}},  # Keogh & Pazzani's
    "AODE": {"learner": "aode"},
    "CaMML": {"learner": "causal-mml"},
    SMOOTHED: {
        "learner": "tan",
        "params": {"search": "superparent", "smoothing": "friedman"},
    },
}
NEAR = 0.03  # bits: rewards this close count as similar


@dataclass(frozen=True)
class ClaimCheck:
    """Whether a claim of the paper holds in one experiment.

    Attributes
    ----------
    where, says, quote : str
        As in a ``Claim``.
    holds : bool
    because : str
        The numbers.
    reading : str
        What we had to assume for the check itself.
    """

    where: str
    says: str
    quote: str
    holds: bool
    because: str
    reading: str = ""


@dataclass(frozen=True, eq=False)
class Experiment:
    """The rewards of the learners that the paper compares, on some models of one family.

    Attributes
    ----------
    scores : ndarray of shape (models, learners, sizes)
        The learners in the order of ``COMPARED``.
    """

    scores: Floats

    @cached_property
    def _pairs(self) -> dict[tuple[str, str, int], tuple[float, float, float]]:
        """Difference and interval of all pairs, by Bonferroni's rule over the pairs of a size."""
        from wager.compare import bonferroni_intervals

        return {
            (*names, size): (outcome.effect, *outcome.interval)
            for i, size in enumerate(SIZES)
            for names, outcome in bonferroni_intervals(
                self.scores[:, :, i], names=COMPARED, alpha=0.05
            ).items()
        }

    def difference(self, a: str, b: str, size: int) -> tuple[float, float, float]:
        """The mean difference of two learners and the ends of its adjusted 95% interval."""
        if (a, b, size) in self._pairs:
            return self._pairs[a, b, size]
        middle, low, high = self._pairs[b, a, size]
        return -middle, -high, -low

    def shown(self, a: str, b: str, size: int) -> str:
        """The difference of two learners as text."""
        middle, low, high = self.difference(a, b, size)
        return f"{a} minus {b} {middle:+.3f} ({low:+.3f} to {high:+.3f})"

    def beats(self, a: str, b: str, size: int) -> bool:
        """Whether the first is significantly better, by Bonferroni intervals of all pairs."""
        return self.difference(a, b, size)[1] > 0

    def worse_than(self, size: int) -> dict[str, list[str]]:
        """The learners that are significantly worse than each learner."""
        return {
            a: [b for b in COMPARED if a != b and self.beats(a, b, size)] for a in COMPARED
        }  # fmt: skip

    def mean(self, learner: str, size: int) -> float:
        """The mean over the models."""
        return float(self.scores[:, COMPARED.index(learner), SIZES.index(size)].mean())

    def means(self, size: int) -> str:
        """The means of the learners, as text."""
        return ", ".join(f"{name} {self.mean(name, size):+.3f}" for name in COMPARED)

    def interval(self, learner: str, size: int) -> tuple[float, float]:
        """The 95% interval of a mean reward, without adjustment."""
        from wager.compare import paired_t

        rewards = self.scores[:, COMPARED.index(learner), SIZES.index(size)]
        low, high = paired_t(rewards, alpha=0.05).interval
        return float(low), float(high)

    def mean_shown(self, learner: str, size: int) -> str:
        """A mean with its interval, as text."""
        low, high = self.interval(learner, size)
        return f"{learner} {self.mean(learner, size):+.3f} ({low:+.3f} to {high:+.3f})"

    def spread(self, names: Sequence[str], size: int) -> float:
        """The mean reward of the best of these learners minus that of the worst."""
        means = [self.mean(name, size) for name in names]
        return max(means) - min(means)


LOW, MIDDLE, HIGH = SIZES
OTHERS = ("NB", "TAN", "AODE")  # the compared learners without CaMML
NO_LIMIT = "AODE without a limit, which the study hope-korb-2004-settings varies"
SIMILAR = f"similar means a difference of at most {NEAR} bits, a limit of ours"


def checks_of(experiments: Mapping[str, Experiment]) -> list[ClaimCheck]:
    """Every conclusion of the paper on the models of the three families, checked."""
    naive, tan, aode = (experiments[family] for family in FAMILIES)
    return [
        *_design_checks(experiments),
        *_checks_on_naive_bayes_models(naive),
        *_checks_on_tan_models(tan),
        *_checks_on_aode_models(aode),
        *_summary_checks(naive, tan, aode),
    ]


def _all_shown(e: Experiment, pairs: Sequence[tuple[str, str]], size: int) -> str:
    return f"{size} rows: " + ", ".join(e.shown(a, b, size) for a, b in pairs)


def _design_checks(experiments: Mapping[str, Experiment]) -> list[ClaimCheck]:
    naive, tan = experiments["naive Bayes"], experiments["TAN"]
    leads = {
        (family, name): e.difference(name, "CaMML", HIGH)
        for family, e in experiments.items()
        for name in OTHERS
    }
    family, name = max(leads, key=lambda key: leads[key][0])
    behind = {
        (family, name): e.difference(name, "NB", HIGH)[0]
        for family, e in experiments.items()
        for name in ("TAN", "AODE")
    }
    last = min(behind, key=lambda key: behind[key])
    rivals = [("NB", name) for name in COMPARED[1:]]
    return [
        ClaimCheck(
            "2004, 5.1, design",
            "with enough data CaMML is at least as good as every other learner",
            "CaMML must better or equal every other machine learner",
            not any(low > 0 for _, low, _ in leads.values()),
            f"{HIGH} rows: no learner is significantly ahead of CaMML; the largest lead is "
            f"{experiments[family].shown(name, 'CaMML', HIGH)} on {family} models",
            f"{HIGH} rows, the largest training sets, stand for the limit",
        ),
        ClaimCheck(
            "2004, 5.1, design",
            "with enough data TAN and AODE are at least on par with naive Bayes",
            "should perform at least on par with Naive Bayes",
            min(behind.values()) >= -NEAR,
            f"{HIGH} rows: {experiments[last[0]].shown(last[1], 'NB', HIGH)} on {last[0]} models "
            "is the worst of six cases",
            SIMILAR,
        ),
        ClaimCheck(
            "2004, 5.1, design",
            "with few data the simplest learner that can represent the true model is best",
            "the simpler learner should outperform the more complex",
            all(naive.beats(a, b, LOW) for a, b in rivals) and tan.beats("TAN", "CaMML", LOW),
            f"naive Bayes models, {_all_shown(naive, rivals, LOW)}; TAN models, which TAN and "
            f"CaMML can represent, {_all_shown(tan, [('TAN', 'CaMML')], LOW)}",
        ),
    ]


def _checks_on_naive_bayes_models(naive: Experiment) -> list[ClaimCheck]:
    where = "2004, 5.1, Fig. 2b"
    ahead = [(name, "CaMML") for name in OTHERS]
    return [
        ClaimCheck(
            where,
            "on naive Bayes models, NB, TAN and AODE perform similarly at each size",
            "Naive Bayes, TAN and AODE perform similarly for each level",
            all(naive.spread(OTHERS, size) <= NEAR for size in SIZES),
            "best minus worst of the three: "
            + ", ".join(f"{naive.spread(OTHERS, size):.3f} ({size} rows)" for size in SIZES)
            + f" bits; {_all_shown(naive, [('NB', 'TAN'), ('NB', 'AODE')], LOW)}",
            SIMILAR,
        ),
        ClaimCheck(
            where,
            "on naive Bayes models with 50 rows CaMML is significantly worse than the others",
            "CaMML performs significantly worse than the other learners",
            all(naive.beats(a, b, LOW) for a, b in ahead),
            _all_shown(naive, ahead, LOW),
        ),
        ClaimCheck(
            where,
            "on naive Bayes models with more data CaMML does as well as the others",
            "achieves a similar score to the other learners",
            naive.spread(COMPARED, HIGH) <= NEAR,
            f"best minus worst of all: {naive.spread(COMPARED, MIDDLE):.3f} ({MIDDLE} rows), "
            f"{naive.spread(COMPARED, HIGH):.3f} ({HIGH} rows) bits; "
            + _all_shown(naive, ahead, HIGH),
            SIMILAR,
        ),
    ]


def _checks_on_tan_models(tan: Experiment) -> list[ClaimCheck]:
    where = "2004, 5.1, Fig. 3b"
    few = [("AODE", name) for name in ("NB", "TAN", "CaMML")]
    late = [("TAN", "AODE"), ("CaMML", "AODE")]
    naive = [(name, "NB") for name in COMPARED[1:]]
    return [
        ClaimCheck(
            where,
            "on TAN models with 50 rows AODE is better than all others",
            "AODE stands superior for low amounts of training instances",
            all(tan.beats(a, b, LOW) for a, b in few),
            _all_shown(tan, few, LOW),
            NO_LIMIT,
        ),
        ClaimCheck(
            where,
            "on TAN models with enough data TAN and CaMML outperform AODE",
            "thus both outperform AODE",
            all(tan.beats(a, b, HIGH) for a, b in late),
            _all_shown(tan, late, HIGH),
        ),
        ClaimCheck(
            where,
            "on TAN models naive Bayes is clearly inferior given adequate data",
            "is clearly inferior to the other learners",
            all(tan.beats(a, b, size) for a, b in naive for size in (MIDDLE, HIGH)),
            "; ".join(_all_shown(tan, naive, size) for size in (MIDDLE, HIGH)),
            f"adequate data are {MIDDLE} rows and more",
        ),
    ]


def _checks_on_aode_models(aode: Experiment) -> list[ClaimCheck]:
    where = "2004, 5.1, Fig. 4b"
    means = {(name, size): aode.mean(name, size) for name in COMPARED for size in SIZES}
    least, most = (choose(means, key=lambda key: means[key]) for choose in (min, max))
    above = [name for name in COMPARED if aode.interval(name, LOW)[0] > 0]
    few = {name: aode.interval(name, LOW) for name in COMPARED}
    caution = [("CaMML", name) for name in OTHERS]
    late = [("AODE", name) for name in ("NB", "TAN", "CaMML")]
    return [
        ClaimCheck(
            where,
            "AODE models are hard to learn: mean rewards range from -0.3 to 0.1",
            "the information reward ranging from -0.3 to 0.1",
            (round(means[least], 1), round(means[most], 1)) == (-0.3, 0.1),
            f"from {aode.mean_shown(*least)} with {least[1]} rows to {aode.mean_shown(*most)} "
            f"with {most[1]}",
        ),
        ClaimCheck(
            where,
            "on AODE models it takes more than 50 rows to score above zero",
            "it takes more than 50 training instances",
            not above,
            f"{LOW} rows: {', '.join(aode.mean_shown(name, LOW) for name in COMPARED)}; "
            f"significantly above zero: {listed(above)}",
        ),
        ClaimCheck(
            where,
            "on AODE models with 50 rows all learners but CaMML score below zero",
            "other than CaMML score worse than zero",
            all(few[name][1] < 0 for name in OTHERS) and few["CaMML"][1] >= 0,
            f"{LOW} rows: {', '.join(aode.mean_shown(name, LOW) for name in COMPARED)}: "
            f"CaMML is {'below zero too' if few['CaMML'][1] < 0 else 'not below zero'}",
        ),
        ClaimCheck(
            where,
            "on AODE models with 50 rows CaMML's caution wins, even against naive Bayes",
            "This conservatism wins out, even against Naive Bayes",
            all(aode.beats(a, b, LOW) for a, b in caution),
            _all_shown(aode, caution, LOW),
        ),
        ClaimCheck(
            where,
            "on AODE models AODE is ahead of all others once data are enough",
            "obtain an advantage over the other learners",
            all(aode.beats(a, b, size) for a, b in late for size in (MIDDLE, HIGH)),
            "; ".join(_all_shown(aode, late, size) for size in (MIDDLE, HIGH))
            + "; the design of 5.1 expects CaMML to catch up in the limit",
            f"enough data are {MIDDLE} rows and more",
        ),
    ]


def _summary_checks(naive: Experiment, tan: Experiment, aode: Experiment) -> list[ClaimCheck]:
    below = [name for name in COMPARED if aode.interval(name, LOW)[1] < 0]
    return [
        ClaimCheck(
            "2004, 6",
            "a more powerful learner pays a penalty when data are few",
            "can pay a performance penalty when there is a sparsity of data",
            naive.beats("NB", "CaMML", LOW),
            f"naive Bayes models, {_all_shown(naive, [('NB', 'CaMML')], LOW)}",
        ),
        ClaimCheck(
            "2004, 6",
            "it can be better not to model the data at all, which earns zero",
            "sometimes zero information reward is the best you can do",
            bool(below) and not any(aode.interval(name, LOW)[0] > 0 for name in COMPARED),
            f"AODE models, {LOW} rows: significantly below zero {listed(below)}, "
            f"{', '.join(aode.mean_shown(name, LOW) for name in COMPARED)}",
        ),
        ClaimCheck(
            "2004, 6",
            "without model selection AODE is ahead on TAN models",
            "AODE’s superior performance with TAN models",
            all(tan.beats("AODE", name, LOW) for name in ("TAN", "CaMML")),
            _all_shown(tan, [("AODE", "TAN"), ("AODE", "CaMML")], LOW),
            f"with {LOW} rows, as Section 5.1 says; {NO_LIMIT}",
        ),
    ]


def replaced(scores: Floats, learner: str, by: Floats) -> Floats:
    """The scores with those of one learner replaced by others: (models, learners, sizes)."""
    changed = np.array(scores[:, : len(COMPARED)])
    changed[:, COMPARED.index(learner)] = by
    return changed
