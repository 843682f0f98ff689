"""Pairs of methods over data sets: gains, tests, and the utility at which both earn the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wager._typing import Floats
from wager.compare import bayesian_hierarchical, holm_adjust, wilcoxon, wins_ties_losses
from wager.experiments.study import StudyTable
from wager_studies.findings._utility_lines import UtilityLines, without_rounding

if TYPE_CHECKING:
    from wager.experiments import Store

__all__ = ["FoldDifferences", "pair_table"]

UTILITIES = ("u65", "u80")
ROPE = 0.01  # differences of utility up to one percentage point count as equal
CORRELATION = 0.1  # between the differences in ten folds
SAMPLES = 1000

Pair = tuple[str, str]


@dataclass(frozen=True)
class FoldDifferences:
    """The utility of each method in every fold, by utility, method and data set."""

    values: dict[tuple[str, str, str], Floats]
    datasets: tuple[str, ...]

    @classmethod
    def of(cls, store: Store, datasets: tuple[str, ...]) -> Self:
        """Read it from a store, in the order of the folds."""
        table = store.columns(UTILITIES)
        order = sorted(
            zip(table["dataset"], table["learner"], table["repeat"], table["fold"],
                range(len(table["fold"])), strict=True)
        )  # fmt: skip
        lists: dict[tuple[str, str, str], list[float]] = {}
        for utility in UTILITIES:
            for dataset, learner, _, _, place in order:
                lists.setdefault((utility, learner, dataset), []).append(table[utility][place])
        return cls({key: np.array(found) for key, found in lists.items()}, datasets)

    def differences(self, utility: str, pair: Pair) -> list[Floats]:
        """First minus second in every fold, one array per data set."""
        a, b = pair
        return [self.values[utility, a, d] - self.values[utility, b, d] for d in self.datasets]


def pair_table(
    title: str, lines: UtilityLines, folds: FoldDifferences, pairs: Sequence[Pair]
) -> StudyTable:
    """One row per pair of methods; the p-values of a column are adjusted together."""
    p = {u: holm_adjust([_wilcoxon(folds, u, pair) for pair in pairs]) for u in UTILITIES}
    rows = [
        (
            *pair,
            *(round(100 * lines.gain(*pair, q), 1) + 0.0 for q in (0.5, 0.65, 0.8)),
            *(
                entry
                for u in UTILITIES
                for entry in (
                    _record(folds, u, pair),
                    _shown(p[u][i]),
                    _probabilities(folds, u, pair),
                )
            ),
            *_even(lines, pair),
        )
        for i, pair in enumerate(pairs)
    ]
    headers = (
        "method", "against", "gain u50", "u65", "u80",
        *(f"{what} {u}" for u in UTILITIES
          for what in ("won-lost", "p", "better / equal / worse")),
        "equal at u(0.5)", "95% interval",
    )  # fmt: skip
    return StudyTable(title, headers, rows, digits=1)


def _means(folds: FoldDifferences, utility: str, pair: Pair) -> Floats:
    means = np.array([found.mean() for found in folds.differences(utility, pair)])
    return without_rounding(means)


def _wilcoxon(folds: FoldDifferences, utility: str, pair: Pair) -> float:
    gaps = _means(folds, utility, pair)
    return wilcoxon(gaps, np.zeros(len(gaps))).p


def _record(folds: FoldDifferences, utility: str, pair: Pair) -> str:
    gaps = _means(folds, utility, pair)
    record = wins_ties_losses(gaps, np.zeros(len(gaps)))
    return f"{record.wins}-{record.losses}"


def _probabilities(folds: FoldDifferences, utility: str, pair: Pair) -> str:
    """The probabilities that the first is better, equal or worse on the next data set."""
    found = bayesian_hierarchical(
        folds.differences(utility, pair), rho=CORRELATION, rope=ROPE, n_samples=SAMPLES
    ).details
    return " / ".join(f"{found[key]:.2f}" for key in ("p_a", "p_rope", "p_b"))


def _even(lines: UtilityLines, pair: Pair) -> tuple[Any, Any]:
    """Where both earn the same, and where the difference is not significant."""
    found = lines.break_even(*pair)
    value = "never" if found.value is None else f"{found.value:.2f}"
    if found.interval is None:
        return value, "significant" if found.value is None else ""
    return value, f"{found.interval[0]:.2f}-{found.interval[1]:.2f}"


def _shown(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
