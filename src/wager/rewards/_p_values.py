"""Measures of conformal p-values themselves, before a significance level turns them into sets.

A conformal predictor computes a p-value for each class of each row, and predicts the classes whose
p-value is above the significance level.  It is *valid* if the p-value of the true class is uniform,
and *efficient* if those of the other classes are small.  Vovk, Fedorova, Nouretdinov & Gammerman
(2016) name ten criteria of efficiency, five of the p-values alone (S, U, F, OU, OF) and five of the
sets at one significance level (N, M, E, OM, OE); all are means over rows, and smaller is better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from wager._tables import (
    RowUnits,
    Table,
    View,
    Viewed,
    encode_labels,
    real_number,
    real_numbers,
    require_whole,
)
from wager._typing import Array, ArrayLike, Bools, Floats, Ints
from wager._visible import brief
from wager.predictions import as_real_matrix, columns_by_name
from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._measure import Measure
from wager.rewards._registry import register
from wager.rewards._reward_sums import RewardSums

_SAME_LEVEL = 1e-9  # relative: 1 - 0.9 is 0.1, and a p-value of 0.1 is not greater
_VOVK = "Vovk, Fedorova, Nouretdinov & Gammerman (2016)"


class PValueRows(NamedTuple):
    """Checked p-values: true classes as codes, one column per class, what rows count for."""

    truth: Ints
    p_values: Floats
    classes: Array
    units: RowUnits

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        p_values: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> PValueRows:
        """Check the input of a function that measures p-values."""
        given, classes = columns_by_name(p_values, classes, y_true)
        table, _ = as_real_matrix(given, "p_values")
        wrong = ~((table >= 0) & (table <= 1))
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"p-values must lie in [0, 1], got {table[row, column]:g} in row {row}, column "
                f"{column}: pass p-values, not scores"
            )
        codes, known = encode_labels(y_true, classes, n_classes=table.shape[1])
        if len(codes) != len(table) or len(known) != table.shape[1]:
            raise ValueError(
                f"p_values must have one row for each of the {len(codes)} labels and one column "
                f"for each of the {len(known)} classes, got the shape {table.shape}"
            )
        units = RowUnits.of(len(table), sample_weight, counts, groups)
        return cls(codes, table, known, units)

    @property
    def of_truth(self) -> Floats:
        """The p-value of the true class of each row."""
        return self.p_values[np.arange(len(self.truth)), self.truth]

    @property
    def is_false(self) -> Bools:
        """Whether each class of each row is not the true one."""
        return np.arange(self.p_values.shape[1]) != self.truth[:, None]


# -- the ten criteria ------------------------------------------------------------------------------


def _sum(p: Floats, false: Bools) -> Floats:
    return p.sum(axis=1)


def _second_largest(p: Floats, false: Bools) -> Floats:
    return np.zeros(len(p)) if p.shape[1] < 2 else np.partition(p, -2, axis=1)[:, -2]


def _all_but_largest(p: Floats, false: Bools) -> Floats:
    return p.sum(axis=1) - p.max(axis=1)


def _largest_false(p: Floats, false: Bools) -> Floats:
    return np.where(false, p, 0.0).max(axis=1)


def _sum_of_false(p: Floats, false: Bools) -> Floats:
    return np.where(false, p, 0.0).sum(axis=1)


def _several(p: Floats, false: Bools) -> Floats:
    return (p.sum(axis=1) > 1) * 1.0


def _excess(p: Floats, false: Bools) -> Floats:
    return np.maximum(p.sum(axis=1) - 1, 0.0)


@dataclass(frozen=True)
class Criterion:
    """A criterion of efficiency: a function of p-values, or of sets as numbers 0 and 1.

    Parameters
    ----------
    letter, name, meaning, formula, use : str
        What it is called in the paper, and what it is.
    value : callable
        Its value in each row, from p-values or from the set, and which classes are false.
    of_sets : bool
        Whether it depends on the significance level.
    largest : callable
        The largest possible value for K classes.
    """

    letter: str
    name: str
    value: Callable[[Floats, Bools], Floats]
    of_sets: bool
    largest: Callable[[int], int]
    meaning: str
    formula: str
    use: str


def _one(K: int) -> int:
    return 1


def _all(K: int) -> int:
    return K


def _others(K: int) -> int:
    return max(K - 1, 0)


_PROPER = "It is probabilistic: true conditional probabilities as conformity scores are best by it."
_ANY_LEVEL = "It needs no significance level. "
CRITERIA: tuple[Criterion, ...] = (
    Criterion(
        "S", "p_value_sum", _sum, False, _all,
        "The mean sum of the p-values of a row.",
        "mean of the sum of p(y) over the classes y",
        f"{_ANY_LEVEL}{_PROPER}",
    ),
    Criterion(
        "N", "p_value_set_size", _sum, True, _all,
        "The mean number of classes with a p-value above the significance level.",
        "mean number of classes y with p(y) > alpha",
        f"The mean set size at one level. {_PROPER}",
    ),
    Criterion(
        "U", "p_value_unconfidence", _second_largest, False, _one,
        "The mean second largest p-value: one minus the confidence of the prediction.",
        "mean of the second largest p(y)",
        f"{_ANY_LEVEL}It sees the two largest p-values only.",
    ),
    Criterion(
        "F", "p_value_fuzziness", _all_but_largest, False, _others,
        "The mean sum of all p-values of a row but the largest.",
        "mean of the sum of p(y) minus the largest p(y)",
        f"{_ANY_LEVEL}For two classes it equals the unconfidence.",
    ),
    Criterion(
        "M", "p_value_multiple", _several, True, _one,
        "The share of rows with two or more classes above the significance level.",
        "share of rows with more than one p(y) > alpha",
        "How often no single class is predicted. It rewards empty sets: read the empty rate too.",
    ),
    Criterion(
        "E", "p_value_excess", _excess, True, _others,
        "The mean number of predicted classes beyond the first.",
        "mean of max(number of classes with p(y) > alpha, 1) minus 1",
        "Like the mean set size, but an empty set is no better than a single class.",
    ),
    Criterion(
        "OU", "p_value_observed_unconfidence", _largest_false, False, _one,
        "The mean largest p-value of a false class.",
        "mean of the largest p(y) over the classes y that are not the true one",
        f"{_ANY_LEVEL}It uses the true class, so a false class on top counts.",
    ),
    Criterion(
        "OF", "p_value_observed_fuzziness", _sum_of_false, False, _others,
        "The mean sum of the p-values of the false classes.",
        "mean of the sum of p(y) over the classes y that are not the true one",
        f"{_ANY_LEVEL}{_PROPER}",
    ),
    Criterion(
        "OM", "p_value_observed_multiple", _largest_false, True, _one,
        "The share of rows with a false class above the significance level.",
        "share of rows where p(y) > alpha for a class y that is not the true one",
        "How often the prediction contains a false class.",
    ),
    Criterion(
        "OE", "p_value_observed_excess", _sum_of_false, True, _others,
        "The mean number of false classes above the significance level.",
        "mean number of classes y that are not the true one with p(y) > alpha",
        f"How many false classes a prediction contains. {_PROPER}",
    ),
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class PValueEfficiency(Viewed):
    """The ten criteria of efficiency of conformal p-values.

    Attributes
    ----------
    estimates : dict of str to MeanEstimate
        Value, standard error and interval of each criterion, by its letter in the paper: S, N, U,
        F, M, E, OU, OF, OM, OE.
    alpha : float
        The significance level of N, M, E, OM and OE.
    n_rows : int
        The number of rows, or the sum of their counts.
    """

    estimates: dict[str, MeanEstimate]
    alpha: float
    n_rows: int

    def __getitem__(self, letter: str) -> float:
        """The value of a criterion."""
        if letter not in self.estimates:
            known = ", ".join(self.estimates)
            raise KeyError(f"there is no criterion {brief(letter)}: choose from {known}")
        return self.estimates[letter].value

    def to_dict(self) -> dict[str, float]:
        """The values by letter."""
        return {letter: estimate.value for letter, estimate in self.estimates.items()}

    def to_frame(self, level: float = 0.95) -> Any:
        """A pandas frame with one row per criterion."""
        import pandas as pd

        rows = {
            letter: (e.value, e.standard_error, *e.interval(level))
            for letter, e in self.estimates.items()
        }
        return pd.DataFrame.from_dict(
            rows, orient="index", columns=["value", "standard_error", "lower", "upper"]
        )

    def _view(self) -> View:
        rows = []
        for criterion in CRITERIA:
            found = self.estimates[criterion.letter]
            ends = found.interval()
            words = criterion.name.removeprefix("p_value_").replace("_", " ")
            rows.append([criterion.letter, words, found.value, found.standard_error, *ends])
        return View(
            f"efficiency of the p-values of {self.n_rows:,} rows",
            [Table(["", "criterion", "value", "std. error", "95% from", "to"], rows, "<<>>>>")],
            [f"smaller is better; set size, multiple and excess at the level {self.alpha:g}"],
        )


def pvalue_efficiency(
    y_true: ArrayLike,
    p_values: ArrayLike,
    alpha: float = 0.1,
    *,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> PValueEfficiency:
    """The ten criteria of efficiency of Vovk et al. (2016), with standard errors.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The true classes.
    p_values : array-like of shape (n_rows, n_classes)
        The p-value of each class; a class is predicted if its p-value is greater than `alpha`.
    alpha : float, default=0.1
        The significance level of the criteria of sets.
    sample_weight, counts, groups, classes
        As in `evaluate_sets`.

    Returns
    -------
    PValueEfficiency

    Examples
    --------
    >>> found = pvalue_efficiency(["a", "b"], [[0.8, 0.05], [0.3, 0.6]], alpha=0.1)
    >>> found["S"], found["N"], found["OF"]
    (0.875, 1.5, 0.175)
    """
    if not 0 <= real_number(alpha, "alpha") < 1:
        raise ValueError(f"alpha, the significance level, must lie in [0, 1), got {brief(alpha)}")
    rows = PValueRows.of(y_true, p_values, classes, sample_weight, counts, groups)
    kept: Floats = (rows.p_values > alpha * (1 + _SAME_LEVEL)).astype(np.float64)
    false = rows.is_false
    K = len(rows.classes)
    estimates = {}
    for criterion in CRITERIA:
        values = criterion.value(kept if criterion.of_sets else rows.p_values, false)
        is_share = criterion.of_sets and criterion.largest is _one
        estimates[criterion.letter] = _mean(values, rows.units, criterion.largest(K), is_share)
    return PValueEfficiency(estimates, float(alpha), rows.units.observations(len(rows.truth)))


def _mean(values: Floats, units: RowUnits, largest: float, is_share: bool) -> MeanEstimate:
    """The mean over rows with its uncertainty."""
    sums = RewardSums.of(values, np.zeros(len(values), dtype=np.intp), units, 1)
    mean, error, n, skewness = (float(part[-1]) for part in sums.by_class_and_overall)
    clustered = units.clusters is not None
    plain = units.weights is None and not clustered  # as Wilson's interval expects
    return MeanEstimate(
        mean, error, n, 0.0, float(largest), is_share and plain, skewness=skewness,
        clustered=clustered,
    )  # fmt: skip


for _each in CRITERIA:
    register(
        Measure(
            _each.name,
            greater_is_better=False,
            meaning=_each.meaning,
            formula=_each.formula,
            use=_each.use,
            source=f"{_VOVK}, criterion {_each.letter}",
            range=f"0 (best) to {'K' if _each.largest is _all else '1'}"
            if _each.largest is not _others
            else "0 (best) to K - 1",
            kind="p-values",
            aliases=(f"{_each.letter}_criterion", f"criterion_{_each.letter}"),
            title=f"{_each.name.removeprefix('p_value_').replace('_', ' ')} of p-values",
        )
    )


# -- validity --------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class UniformityTest(Viewed):
    """The result of a test whether the p-values of the true classes are uniform.

    Parameters
    ----------
    statistic : float
        The largest distance of the distribution of p-values from the uniform one; without
        smoothing, the largest excess of small p-values.
    p : float
        The p-value of the hypothesis that they are uniform, or at least not too small.
    n_rows : int
        The number of rows.
    n_effective : float
        The number of independent p-values that the test counts with.
    smoothed : bool
        Whether the p-values were taken to be smoothed.
    at : float
        The p-value at which the distance is largest.
    """

    statistic: float
    p: float
    n_rows: int
    n_effective: float
    smoothed: bool
    at: float

    def _view(self) -> View:
        what = "uniform" if self.smoothed else "not too small"
        rows = [
            ["largest distance", self.statistic],
            ["at the p-value", self.at],
            ["p", self.p],
        ]
        expected = (
            "smoothed p-values of a valid predictor are uniform"
            if self.smoothed
            else "p-values without smoothing of a valid predictor are uniform or larger"
        )
        notes = [
            f"expected: {expected}",
            f"Kolmogorov-Smirnov, {self.n_rows:,} rows that count as {self.n_effective:.6g} "
            "independent p-values",
        ]
        title = f"test whether the p-values of the true classes are {what}"
        return View(title, [Table((), rows)], notes, [self.verdict()])

    def verdict(self, alpha: float = 0.05) -> str:
        """The result as a sentence."""
        shown = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        if self.p >= real_number(alpha, "alpha"):
            return f"the data are compatible with valid p-values ({shown})"
        if self.smoothed:
            return f"the p-values of the true classes are not uniform ({shown})"
        return f"the p-values of the true classes are too small ({shown})"


def pvalue_uniformity(
    y_true: ArrayLike,
    p_values: ArrayLike,
    *,
    smoothed: bool = True,
    n_calibration: int | None = None,
    classes: ArrayLike | None = None,
) -> UniformityTest:
    """Test whether the p-values of the true classes are uniform, by Kolmogorov and Smirnov.

    With *smoothing* (ties are broken at random) the p-value of the true class is exactly uniform if
    rows are exchangeable, and both directions count.  *Without* smoothing it is at least as large:
    P(p <= e) <= e, with equality only at multiples of 1 / (n + 1) for n calibration scores without
    ties.  Then larger p-values are expected, and the test looks only for an excess of small ones.

    All rows of a test set are compared with the same calibration scores, and so deviate together:
    for m rows and n calibration scores the distance is that of two samples, as large as that of
    n m / (n + m) independent p-values.  Without `n_calibration` the test takes the rows as
    independent, as for p-values that were computed online, and with few calibration scores it
    rejects valid predictors too often.

    Parameters
    ----------
    y_true, p_values, classes
        As in `pvalue_efficiency`; or p-values of shape (n_rows,) of the true classes, with
        ``y_true=None``.
    smoothed : bool, default=True
        Whether ties were broken at random.
    n_calibration : int, optional
        The number of calibration scores that all rows were compared with.

    Returns
    -------
    UniformityTest

    Examples
    --------
    >>> p = (np.arange(100) + 0.5) / 100
    >>> pvalue_uniformity(None, p).verdict()
    'the data are compatible with valid p-values (p = 1.000)'
    >>> pvalue_uniformity(None, p**2).verdict()
    'the p-values of the true classes are not uniform (p < 0.001)'
    """
    from scipy.stats import ks_1samp, ksone, kstwo, uniform

    p = _true_p_values(y_true, p_values, classes)
    side: Literal["two-sided", "greater"] = "two-sided" if smoothed else "greater"
    found = ks_1samp(p, uniform.cdf, alternative=side)
    statistic, n = float(found.statistic), float(len(p))
    p_value = float(found.pvalue)
    if n_calibration is not None:
        n_calibration = min(require_whole(n_calibration, "n_calibration", 1), 2**53)
        n = n * n_calibration / (n + n_calibration)
        law = kstwo if smoothed else ksone
        p_value = float(np.clip(law.sf(statistic, max(round(n), 1)), 0, 1))
    at = float(found.statistic_location)
    return UniformityTest(statistic, p_value, len(p), n, smoothed, at)


def _true_p_values(
    y_true: ArrayLike | None, p_values: ArrayLike, classes: ArrayLike | None
) -> Floats:
    if y_true is not None:
        return PValueRows.of(y_true, p_values, classes).of_truth
    p = real_numbers(p_values, "p_values")
    if p.ndim != 1 or not len(p) or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(
            "without y_true, p_values must be the p-values of the true classes: one number in "
            f"[0, 1] per row, got an array of shape {p.shape}"
        )
    return p
