"""Attempts to reproduce Table 11: wins, ties and losses by classifier version, test and level.

Zaffalon, Corani & Mauá (2012), Section 9.3, count the data sets on which the naive credal
classifier (NCC) or the nondeterministic one (NDC) earns significantly more.  Done as described, the
counts do not reproduce; here they are repeated with other versions of both classifiers and with
other tests, and their distance from the printed counts is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats, Ints
from wager.compare import corrected_t, paired_t, wilcoxon, wins_ties_losses
from wager_studies._published import printed

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = [
    "AS_DESCRIBED",
    "HEADERS",
    "UTILITIES",
    "FoldUtilities",
    "WinCounts",
    "printed_counts",
    "printed_row",
]

Test = Callable[[Floats, Floats], float]
UTILITIES = ("u65", "f1", "u80")
AS_DESCRIBED = "t over folds"
HEADERS = (
    *("NCC", "NDC", "test", *UTILITIES),
    *(f"Wilcoxon p, {utility}" for utility in UTILITIES),
    *("differ only under u80", "distance"),
)
# The rows of the table sum to 53; so do ours without the two largest data sets.
LEFT_OUT = ("letter", "connect-4")


def printed_counts() -> Ints:
    """The printed numbers of NCC wins, ties and NDC wins (columns) by utility (rows)."""
    table = printed("zaffalon2012_tables4_11", "11", "dataset", "classifier")
    return np.array(
        [[table[f"all|{u}", who] for who in ("NCC", "", "NDC")] for u in ("u65", "F1", "u80")],
        dtype=int,
    )


def printed_row() -> tuple[Any, ...]:
    """The printed counts as a row under HEADERS."""
    return ("printed", "", AS_DESCRIBED, *_shown(printed_counts()), *(float("nan"),) * 3, "yes", 0)


@dataclass(frozen=True, eq=False)
class WinCounts:
    """NCC wins, ties and NDC wins under each utility, decided by one test.

    Attributes
    ----------
    counts : array of shape (3, 3)
        NCC wins, ties and NDC wins (columns) by utility (rows).
    p : tuple of float
        p-values of Wilcoxon's test over all data sets, by utility.
    """

    ncc: str
    ndc: str
    test: str
    counts: Ints
    p: tuple[float, ...]

    @property
    def distance(self) -> int:
        """The sum of the absolute differences from the printed counts."""
        return int(np.abs(self.counts - printed_counts()).sum())

    @property
    def only_u80(self) -> bool:
        """Whether they differ only under u80, in favour of NDC, as the paper concludes."""
        u65, f1, u80 = self.p
        ncc, _, ndc = self.counts[-1]
        return bool(u80 < 0.05 <= min(u65, f1) and ndc > ncc)

    @property
    def row(self) -> tuple[Any, ...]:
        """The counts as a row under HEADERS."""
        verdict = "yes" if self.only_u80 else "no"
        counts = _shown(self.counts)
        return (self.ncc, self.ndc, self.test, *counts, *self.p, verdict, self.distance)


def _shown(counts: Ints) -> list[str]:
    return [" / ".join(str(count) for count in row) for row in counts]


class FoldUtilities:
    """The utilities of every learner on every fold of every data set.

    Parameters
    ----------
    store : Store
    names : sequence of str
        The finished data sets.
    """

    def __init__(self, store: Store, names: Sequence[str]):
        self._kept = [j for j, name in enumerate(names) if name not in LEFT_OUT]
        self._values: dict[tuple[str, str], Floats] = {}
        self._p: dict[tuple[Any, ...], list[float]] = {}
        for utility in UTILITIES:
            tables = [store.folds(name, utility) for name in names]
            for j, learner in enumerate(tables[0].columns):
                values = np.array([table.values[:, j] for table in tables])
                self._values[utility, learner] = values

    @cached_property
    def tests(self) -> dict[str, tuple[Test, float]]:
        """The tests that decide a data set: a p-value from the folds of both, and the level."""
        tests: dict[str, tuple[Test, float]] = {
            AS_DESCRIBED: (_over_folds, 0.05),
            "t over folds, level 1%": (_over_folds, 0.01),
            "t over folds, level 0.1%": (_over_folds, 0.001),
            "t over runs": (_over_runs, 0.05),
            "corrected t": (_corrected, 0.05),
            "t, folds not matched": (_not_matched, 0.05),
        }
        if next(iter(self._values.values())).shape[1] < 20:
            del tests["t over runs"]  # a quick study has one run
        return tests

    def record(self, ncc: str, ndc: str, test: str = AS_DESCRIBED) -> WinCounts:
        """Count the data sets that each of the two wins."""
        p_value, level = self.tests[test]
        counts, over_all = [], []
        for utility in UTILITIES:
            a, b = (self._values[utility, name].mean(axis=1) for name in (ncc, ndc))
            over_all.append(wilcoxon(a, b).p)
            p = self._p_values(p_value, utility, ncc, ndc)
            won = wins_ties_losses(a[self._kept], b[self._kept], p=p, alpha=level)
            counts.append([won.wins, won.ties, won.losses])
        return WinCounts(ncc, ndc, test, np.array(counts), tuple(over_all))

    def _p_values(self, test: Test, utility: str, ncc: str, ndc: str) -> list[float]:
        """The p-value of each data set, computed once for all levels."""
        key = test, utility, ncc, ndc
        if key not in self._p:
            a, b = (self._values[utility, name][self._kept] for name in (ncc, ndc))
            self._p[key] = [test(x, y) for x, y in zip(a, b, strict=True)]
        return self._p[key]

    def every(self) -> Iterator[WinCounts]:
        """The counts of every NCC against every other learner, with every test."""
        learners = list(dict.fromkeys(learner for _, learner in self._values))
        credal = [name for name in learners if name.startswith("NCC")]
        for ncc in credal:
            for ndc in learners:
                if ndc not in credal:
                    yield from (self.record(ncc, ndc, test) for test in self.tests)


def _over_folds(a: Floats, b: Floats) -> float:
    return paired_t(a, b).p


def _over_runs(a: Floats, b: Floats) -> float:
    return paired_t(a.reshape(-1, 10).mean(axis=1), b.reshape(-1, 10).mean(axis=1)).p


def _corrected(a: Floats, b: Floats) -> float:
    return corrected_t(a, b, n_train=9, n_test=1).p


def _not_matched(a: Floats, b: Floats) -> float:
    """As if the two had different folds: each fold is paired with a fold of another run."""
    return paired_t(a, np.roll(b, 11)).p
