"""Two confidence scores, or two models with their confidence, on the same rows.

The difference of two areas below risk-coverage curves is as uncertain as the mean of the
differences of the two influences of each row; rows that both rank alike cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from wager._tables import ROUNDING, RowUnits, Table, View, Viewed, real_number
from wager._typing import Floats
from wager._visible import brief
from wager.compare._outcome import check_names, show_p
from wager.compare._pickled import Pickled
from wager.rewards import (
    SELECTIVE_TITLES,
    Influence,
    MeanEstimate,
    SelectiveEvaluation,
    influence_estimate,
)


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveComparison(Pickled, Viewed):
    """Differences of two selective classifiers on the same rows, first minus second.

    Attributes
    ----------
    a, b : SelectiveEvaluation
        The two evaluations.
    names : tuple of two str
        What to call them.
    """

    a: SelectiveEvaluation
    b: SelectiveEvaluation
    names: tuple[str, str] = ("A", "B")

    @cached_property
    def differences(self) -> Mapping[str, MeanEstimate]:
        """The difference in each measure; negative if the first is better."""
        ours, theirs = self.a.influences, self.b.influences
        return MappingProxyType({name: self._gap(ours[name], theirs[name]) for name in ours})

    def at_coverage(self, coverage: float) -> MeanEstimate:
        """The difference in risk if both accept this share of rows.

        Parameters
        ----------
        coverage : float
            Above 0 and up to 1.
        """
        for evaluation in (self.a, self.b):
            evaluation.risk_at_coverage(coverage)  # checks the coverage
        return self._gap(self.a.risk_influence(coverage), self.b.risk_influence(coverage))

    def p(self, measure: str = "augrc") -> float:
        """The two-sided p-value of the hypothesis that both are equal in a measure."""
        return self._of(measure).p_value()

    def verdict(self, measure: str = "augrc", alpha: float = 0.05) -> str:
        """The result in one measure as a sentence.

        Parameters
        ----------
        measure : {"augrc", "aurc", "e_aurc", "risk"}, default="augrc"
            The measure, which should be chosen before looking at the results.
        alpha : float, default=0.05
            The level of the test.
        """
        found, title = self._of(measure), SELECTIVE_TITLES[measure]
        p, (a, b) = found.p_value(), self.names
        if not p < real_number(alpha, "alpha"):
            return f"no significant difference in {title} between {a} and {b} ({show_p(p)})"
        better, worse = (a, b) if found.value < 0 else (b, a)
        return f"{better} has a lower {title} than {worse} ({show_p(p)})"

    def to_dict(self) -> dict[str, Any]:
        """The differences as plain data."""
        found = {}
        for name, gap in self.differences.items():
            low, high = gap.interval()
            found[name] = {
                "a": self.a[name], "b": self.b[name], "difference": gap.value,
                "standard_error": gap.standard_error, "lower": low, "upper": high,
                "p": gap.p_value(),
            }  # fmt: skip
        return {"names": list(self.names), "loss": self.a.what, **found}

    def _of(self, measure: str) -> MeanEstimate:
        if measure not in self.differences:
            raise ValueError(
                f"unknown measure {brief(measure)}: choose from {', '.join(self.differences)}"
            )
        return self.differences[measure]

    def _gap(self, ours: Influence, theirs: Influence) -> MeanEstimate:
        rows = _difference(_placed(self.a, ours.rows), _placed(self.b, theirs.rows))
        value = float(_difference(np.array([ours.value]), np.array([theirs.value]))[0])
        most = max(ours.high, theirs.high) - min(ours.low, theirs.low)
        gap = Influence(value, rows, -most, most)
        return influence_estimate(gap, _units(self.a), extremes=False)

    def _view(self) -> View:
        rows = [
            [
                SELECTIVE_TITLES[name],
                self.a[name],
                self.b[name],
                gap.value,
                *gap.interval(),
                gap.p_value(),
            ]
            for name, gap in self.differences.items()
        ]
        header = [f"loss: {self.a.what}", *self.names, "difference", "95% from", "to", "p"]
        return View(tables=[Table(header, rows)], verdict=[self.verdict()])


def compare_selective(
    a: SelectiveEvaluation, b: SelectiveEvaluation, names: tuple[str, str] = ("A", "B")
) -> SelectiveComparison:
    """Compare two confidence scores, or two models, on the same rows: intervals and p-values.

    The standard error of a difference is that of the mean of the differences of both influence
    functions, row by row.

    Use it to choose between confidence scores, or between models that may abstain.

    Parameters
    ----------
    a, b : SelectiveEvaluation
        Results of `evaluate_selective` for the same rows in the same order, with the same weights,
        counts and clusters.
    names : tuple of two str
        What to call them.

    Returns
    -------
    SelectiveComparison

    References
    ----------
    Traub et al. (2024); Hampel (1974) for influence functions.

    Examples
    --------
    >>> from wager.rewards import evaluate_selective
    >>> y, predicted = [0, 1] * 20, [0, 1, 0, 1, 1, 1, 0, 1] * 5
    >>> good, bad = [3, 2, 4, 5, 1, 6, 7, 8] * 5, [1, 1, 2, 2, 3, 3, 4, 4] * 5
    >>> both = [evaluate_selective(y, predicted, score) for score in (good, bad)]
    >>> compare_selective(*both, names=("margin", "size")).verdict()
    'margin has a lower AUGRC than size (p = 0.0124)'
    """
    if not isinstance(a, SelectiveEvaluation) or not isinstance(b, SelectiveEvaluation):
        wrong = b if isinstance(a, SelectiveEvaluation) else a
        raise TypeError(
            f"compare_selective takes two results of evaluate_selective, got {type(wrong).__name__}"
        )
    names = check_names(names)
    if not np.array_equal(np.sort(a.rows), np.sort(b.rows)) or not _same(_units(a), _units(b)):
        raise ValueError(
            "the two evaluations must be of the same rows, in the same order, with the same "
            "weights, counts and groups"
        )
    if a.what != b.what:
        raise ValueError(f"the losses differ ({a.what} and {b.what}): use the same one for both")
    return SelectiveComparison(a, b, names)


def _difference(ours: Floats, theirs: Floats) -> Floats:
    """Differences that are 0 where sums over the rows in two orders differ by rounding alone."""
    gap = ours - theirs
    largest = max(np.abs(ours).max(), np.abs(theirs).max())
    return np.where(np.abs(gap) <= ROUNDING * largest, 0.0, gap)


def _placed(evaluation: SelectiveEvaluation, values: Floats) -> Floats:
    """Values of the rows of the curve, in the order of the data."""
    return values[np.argsort(evaluation.rows, kind="stable")]


def _units(evaluation: SelectiveEvaluation) -> RowUnits:
    return evaluation.units.take(np.argsort(evaluation.rows, kind="stable"))


def _same(first: RowUnits, second: RowUnits) -> bool:
    for ours, theirs in zip(first[:3], second[:3], strict=True):
        if ours is None or theirs is None:
            if ours is not theirs:
                return False
        elif not np.array_equal(ours, theirs):
            return False
    return True
