"""Verdicts: how often a test or a sentence names a winner although there is none.

There are two classes, and every row is one of a few joint outcomes of two classifiers.  Under
``single classes`` both predict one class and are equally accurate.  Under ``credal`` the first one
keeps both classes in some rows; there the second one is right in 65% of the rows, so that u65 is
exactly their break-even point.  Under ``same law`` both are right, wrong, or keep both classes
equally often, independently of each other.
A statement is false if it names a side at a u(0.5) at which that side is not better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from wager._typing import Floats
from wager.compare import HeadToHead, dominance, equivalence, mcnemar, sample_size
from wager.compare._quadratic_line import HIGH, LOW
from wager.rewards import PairedTally, Quadratic, mean_p_values

REPLICATIONS = 4000
SEED = 20260214
ROWS = (50, 200, 1000)
ALPHA = 0.05
BOUND = "<= 0.06"
MARGIN = 0.05
BREAK_EVEN = 0.65
GRID = np.round(np.linspace(LOW, HIGH, 11), 2)  # u(0.5) at which statements are checked
_WORTH = np.stack([Quadratic(q).of_size(np.arange(3)) for q in GRID])

RIGHT, ONLY_A, ONLY_B = (1, 1, 1, 1), (1, 1, 1, 0), (1, 0, 1, 1)
BOTH_RIGHT, BOTH_WRONG = (2, 1, 1, 1), (2, 1, 1, 0)  # the first keeps both classes
RIGHT_BOTH, WRONG_BOTH, VACUOUS = (1, 1, 2, 1), (1, 0, 2, 1), (2, 1, 2, 1)
Law = dict[tuple[int, int, int, int], float]
Row = dict[str, object]


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample, and the tests on which its report rests: those of all u(0.5) of the grid.

    The tests of the package show that stars, sentences and `recommended` agree with these
    (``tests/compare/test_verdicts.py``).
    """

    paired: PairedTally
    p: Floats  # unadjusted
    side: Floats  # 1 if the first is ahead, -1 if the second is
    level: float  # of a single test, so that the report has the level ALPHA

    @classmethod
    def of(cls, paired: PairedTally) -> Sample:
        """The tests of a paired tally."""
        gaps, most = paired.gaps(_WORTH)
        p = mean_p_values(gaps, paired.sums, -most, most)
        side = np.sign(gaps @ (paired.counts / paired.n))
        report = HeadToHead(("A", "B"), {("A", "B"): paired}, ("u65",))
        return cls(paired, p, side, 1 - report.adjustment("A", "B").level(ALPHA))

    def starred(self, *attitudes: float) -> Floats:
        """The starred side under some utilities; 0 where there is no star."""
        found = self.side * (self.p < self.level)
        return np.array([found[int(np.flatnonzero(q == GRID)[0])] for q in attitudes])


Check = Callable[[Sample], bool]


def _single(discordant: float) -> Law:
    return {RIGHT: 1 - discordant, ONLY_A: discordant / 2, ONLY_B: discordant / 2}


def _credal(share: float) -> Law:
    right = share * BREAK_EVEN
    return {RIGHT: 1 - share, BOTH_RIGHT: right, BOTH_WRONG: share - right}


def _same_law() -> Law:
    """Each is right, wrong or vacuous with probability .6, .1, .3, independently."""
    own = {(1, 1): 0.6, (1, 0): 0.1, (2, 1): 0.3}
    return {(*a, *b): p * q for a, p in own.items() for b, q in own.items()}


DRAWS = {
    "single classes, 4% discordant": _single(0.04),
    "single classes, 20% discordant": _single(0.2),
    "same law": _same_law(),
}
BREAK_EVENS = {
    "credal, 3% indeterminate": _credal(0.03),
    "credal, 30% indeterminate": _credal(0.3),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[Row]:
    """All rows of the table."""
    rng = np.random.default_rng(seed)
    return [
        *_winners(replications, rng),
        *_equivalence(replications, rng),
        *_power(replications, rng),
    ]


def _samples(
    law: Law, n: int, replications: int, rng: np.random.Generator
) -> list[tuple[PairedTally, int]]:
    """The distinct samples of n rows, and how often each occurs."""
    cells = np.array(list(law))
    drawn = rng.multinomial(n, list(law.values()), replications)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    return [
        (PairedTally(2, cells[counts > 0], counts[counts > 0]), int(repeated))
        for counts, repeated in zip(tables, times, strict=True)
    ]


def _rates(
    law: Law, n: int, replications: int, rng: np.random.Generator, checks: dict[str, Check]
) -> Iterator[tuple[str, float]]:
    """How often each check is true."""
    samples = _samples(law, n, replications, rng)
    found = dict.fromkeys(checks, 0)
    for paired, repeated in samples:
        sample = Sample.of(paired)
        for name, check in checks.items():
            found[name] += repeated * bool(check(sample))
    for name, times in found.items():
        yield name, times / replications


def _paired_test(sample: Sample) -> bool:
    """The unadjusted test under u65."""
    return bool(sample.p[GRID == BREAK_EVEN][0] < ALPHA)


def _mcnemar(sample: Sample) -> bool:
    outcomes, counts = sample.paired.outcomes, sample.paired.counts
    hit_a, hit_b = (np.repeat(outcomes[:, i] == 1, counts) for i in (1, 3))
    return mcnemar(hit_a, hit_b).p < ALPHA


def _prefers(sample: Sample) -> bool:
    """Whether a sentence says that everyone prefers one of the two."""
    # dominance needs the lead of u(0.5) = 0.5, so most samples need no further tests
    return bool(sample.p[0] < ALPHA) and dominance(sample.paired).p < ALPHA


def _take(*attitudes: float) -> Check:
    """Whether the report says "take A" or "take B" under these utilities."""
    return lambda sample: abs(sample.starred(*attitudes).sum()) == len(attitudes)


def _star(sample: Sample) -> bool:
    """Whether any of three utilities gets a star."""
    return bool(sample.starred(0.5, 0.65, 0.8).any())


def _names_a_wrong_side(truth: float) -> Check:
    """Whether the sentence of the break-even point names a side somewhere where it is not better.

    ``truth`` is the true u(0.5) of the break-even, above which the first is better; NaN if the two
    are equally good for everyone.
    """
    better = 0 * GRID if np.isnan(truth) else np.sign(np.round(GRID - truth, 9))
    return lambda sample: bool(((sample.p < sample.level) & (sample.side != better)).any())


def _equivalent(sample: Sample) -> bool:
    within = abs(sample.paired.difference("u65").mean) < MARGIN
    return within and equivalence(sample.paired, margin=MARGIN).p < ALPHA


def _winners(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    for law, cells in DRAWS.items():
        checks: dict[str, Check] = {
            "paired difference": _paired_test,
            '"everyone prefers X" (dominance)': _prefers,
            '"take X"': _take(0.5, 0.65, 0.8),
            '"X scores higher" (break-even)': _names_a_wrong_side(np.nan),
            "a star under any of u50, u65, u80": _star,
        }
        if law.startswith("single"):
            checks["McNemar's test"] = _mcnemar
        for n in ROWS:
            for what, rate in _rates(cells, n, replications, rng, checks):
                yield _row(what, law, n, rate, replications)
    for law, cells in BREAK_EVENS.items():
        checks = {
            "paired difference": _paired_test,
            '"take X" under u65': _take(BREAK_EVEN),
            '"X scores higher" (break-even)': _names_a_wrong_side(BREAK_EVEN),
            '"everyone prefers X" (dominance)': _prefers,
        }
        for n in ROWS:
            for what, rate in _rates(cells, n, replications, rng, checks):
                yield _row(what, law, n, rate, replications)


def _row(what: str, law: str, n: int, rate: float, replications: int) -> Row:
    return {
        "what": what,
        "law": law,
        "n": n,
        "value": rate,
        "replications": replications,
        "bound": BOUND,
    }


def _equivalence(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    laws: dict[str, Law] = {
        "single classes, 15% discordant": {RIGHT: 0.85, ONLY_A: 0.1, ONLY_B: 0.05},
        "credal, 50% indeterminate": {RIGHT: 0.5, BOTH_RIGHT: 0.275, BOTH_WRONG: 0.225},
    }
    for law, cells in laws.items():
        for n in ROWS:
            checks: dict[str, Check] = {"equivalence at the margin": _equivalent}
            for what, rate in _rates(cells, n, replications, rng, checks):
                yield _row(what, law, n, rate, replications)


def _power(replications: int, rng: np.random.Generator) -> Iterator[Row]:
    """The power of the test at the planned number of rows; the pilot is the law itself."""
    laws: dict[str, Law] = {
        "single classes, 30% discordant": {RIGHT: 0.7, ONLY_A: 0.2, ONLY_B: 0.1},
        "single classes, 4% discordant": {RIGHT: 0.96, ONLY_A: 0.03, ONLY_B: 0.01},
        "credal, 40% indeterminate": {RIGHT: 0.6, BOTH_RIGHT: 0.2, BOTH_WRONG: 0.2},
    }
    for law, cells in laws.items():
        counts = np.round(np.array(list(cells.values())) * 10_000).astype(int)
        pilot = PairedTally(2, list(cells), counts)
        for power in (0.8, 0.9):
            n = int(sample_size(pilot, "u65", power=power).n)
            for _, rate in _rates(cells, n, replications, rng, {"": _paired_test}):
                yield {
                    "what": f"power at the planned rows, for {power:.1f}",
                    "law": law,
                    "n": n,
                    "value": rate,
                    "replications": replications,
                    "bound": f">= {power - 0.04:.2f}",
                }
