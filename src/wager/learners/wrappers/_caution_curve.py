"""The value of a set-valued classifier as a function of how cautious it is.

All strengths are judged on the same rows, so their values are compared row by row.  Which strength
is best is then uncertain only as far as the differences between strengths are, which is much less
than the uncertainty of each value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wager._tables import ROUNDING, Table, View, Viewed, format_number
from wager._typing import Bools, Floats
from wager.costs import in_unit
from wager.rewards import MeanEstimate, check_level

__all__ = ["CautionCurve"]

SHOWN = 12  # strengths in the printed table, about
DRAWS = 4000  # for the critical values of the comparison with the best strength


@dataclass(frozen=True, eq=False, repr=False)
class CautionCurve(Viewed):
    """Value, size and determinacy of predicted sets by the strength of a classifier's caution.

    `TunedCaution` makes it from predictions for rows that the models were not trained on.

    Attributes
    ----------
    parameter : str
        The parameter that was varied.
    objective : str
        The utility, or "average cost".
    strength, value : ndarray of shape (S,)
        The values of the parameter in ascending order, and the mean utility or cost at each.
    mean_set_size, determinacy : ndarray of shape (S,)
        The mean number of predicted classes, and the share of rows with one class.
    covariance : ndarray of shape (S, S)
        The covariance of the value of one row at two strengths.
    n : int
        The number of rows.
    bounds : (float, float)
        The smallest and the largest possible value of a row.
    best, chosen : int
        The positions of the best strength, and of the chosen one, which differs from it under the
        one-standard-error rule.
    greater_is_better : bool
        False for costs.
    fold_strengths : ndarray
        For each fold, the strength that the rows of the other folds would choose.
    honest : MeanEstimate or None
        The mean value of each fold at the strength that the other folds choose; None if the folds
        share rows.
    why_fitted_again : str or None
        Why a model was fitted for every strength, if it was.
    unit : str or None
        What costs are counted in.
    """

    parameter: str
    objective: str
    strength: Floats
    value: Floats
    mean_set_size: Floats
    determinacy: Floats
    covariance: Floats
    n: int
    bounds: tuple[float, float]
    best: int
    chosen: int
    greater_is_better: bool = True
    fold_strengths: Floats = field(default_factory=lambda: np.empty(0))
    honest: MeanEstimate | None = None
    why_fitted_again: str | None = None
    unit: str | None = None

    @property
    def best_strength(self) -> float:
        """The strength with the best value."""
        return float(self.strength[self.best])

    @property
    def chosen_strength(self) -> float:
        """The strength that was chosen."""
        return float(self.strength[self.chosen])

    @cached_property
    def standard_error(self) -> Floats:
        """The standard error of each value."""
        if self.n < 2:
            return np.full(len(self.value), np.nan)
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0) / self.n)

    def estimate(self, position: int) -> MeanEstimate:
        """The value at one position, with its interval."""
        low, high = self.bounds
        value, error = float(self.value[position]), float(self.standard_error[position])
        return MeanEstimate(value, error, self.n, lowest=low, largest=high)

    def band(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The ends of the confidence interval of each value, strength by strength."""
        ends = [self.estimate(i).interval(level) for i in range(len(self.value))]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    def plausible(self, level: float = 0.95) -> Floats:
        """The strengths that may be the best one: a confidence set for it.

        Strength i is kept unless some strength j is significantly better on the same rows: unless

            T_i = max_j (v_j - v_i) / se(v_j - v_i)

        exceeds the quantile of T_i that belongs to equally good strengths, computed from random
        draws with the covariance of the data.  If i is the best strength, T_i exceeds it with a
        probability of at most ``1 - level`` in large samples, however many strengths are compared
        and however similar they are: so the set contains the best strength with a probability of
        at least ``level`` (Lei, 2020).

        In small samples, two strengths often differ on a few rows only, and rows with a rare large
        difference, such as a missed class that is rare and expensive, may not occur at all.  So the
        standard error of a difference includes one more row with the largest possible difference.
        In simulations of utilities and of costs the set then contains the best strength about as
        often as promised or more often (documentation, "Certainty").  The price is that small
        samples exclude few strengths if costs have a wide range.

        The values are those of models that are trained on all rows but one fold; the best strength
        for all rows may differ slightly.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        ndarray
            Strengths in ascending order; the best one is always among them.

        References
        ----------
        Lei, J. (2020). Cross-validation with confidence. Journal of the American Statistical
        Association 115, Section 3.
        """
        check_level(level)
        return self.strength[self._may_be_best(level)]

    def _may_be_best(self, level: float) -> Bools:
        from scipy.special import stdtrit

        gain = self.value if self.greater_is_better else -self.value
        if self.n < 2:
            return np.ones(len(gain), dtype=bool)
        own = np.diag(self.covariance)
        spread = np.maximum(own[:, None] + own[None, :] - 2 * self.covariance, 0.0)
        size = np.sqrt(np.maximum(own + gain**2, 0.0))  # of the values of rows
        spread[spread <= ROUNDING * max(own.max(), ROUNDING * size.max() ** 2)] = 0.0
        error = np.sqrt(spread / self.n)
        lead = gain[None, :] - gain[:, None]  # of j over i
        lead[np.abs(lead) <= ROUNDING * np.maximum(size[None, :], size[:, None])] = 0.0
        widest = self.bounds[1] - self.bounds[0]
        cautious = np.sqrt((spread + widest**2 / self.n) / self.n)  # with one row more
        t = np.divide(lead, cautious, out=np.zeros_like(lead), where=lead > 0).max(axis=1)
        kept = t <= stdtrit(self.n - 1, level)  # the quantile of one comparison; more have a larger
        draws = self._draws()
        for i in np.flatnonzero(~kept):
            others = error[i] > 0
            if others.any():  # if not, all differences are the same on all rows
                largest = ((draws[:, others] - draws[:, [i]]) / error[i, others]).max(axis=1)
                kept[i] = t[i] <= np.quantile(largest, level)
        return kept

    def _draws(self) -> Floats:
        """Means of equally good strengths, with the covariance of the data: Student's t."""
        rng = np.random.default_rng(0)
        values, vectors = np.linalg.eigh(self.covariance / self.n)
        normal = rng.standard_normal((DRAWS, len(values)))
        means = (normal * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        freedom = self.n - 1
        return means / np.sqrt(rng.chisquare(freedom, (DRAWS, 1)) / freedom)

    def sentence(self, level: float = 0.95) -> str:
        """The choice, its value and its uncertainty in words."""
        score = in_unit(self.objective, self.unit)
        at, value = self.chosen_strength, self.estimate(self.chosen)
        low, high = value.interval(level)
        shown = format_number(value.value)
        ends = (
            ""
            if low != low
            else (f" ({100 * level:g}% interval {format_number(low)} to {format_number(high)})")
        )
        if self.chosen == self.best:
            words = f"{self.parameter} = {at:.4g} is best: {score} {shown}{ends}."
        else:
            words = (
                f"{self.parameter} = {at:.4g} is chosen: the most cautious one within a standard "
                f"error of the best ({self.best_strength:.4g}); {score} {shown}{ends}."
            )
        plausible = self.plausible(level)
        words += (
            f" With {100 * level:g}% confidence the best is one of {len(plausible)} of "
            f"{len(self.strength)} strengths, {plausible[0]:.4g} to {plausible[-1]:.4g}."
        )
        if self.honest is not None:
            verb = "it is worth" if self.greater_is_better else "it costs"
            words += (
                f" Chosen on other folds and judged on each fold, {verb} "
                f"{format_number(self.honest.value)}."
            )
        return words

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """The curve and the choice as plain data."""
        return {
            "parameter": self.parameter,
            "objective": self.objective,
            "unit": self.unit,
            "greater_is_better": self.greater_is_better,
            "n": int(self.n),
            "best": self.best_strength,
            "chosen": self.chosen_strength,
            "plausible": self.plausible(level).tolist(),
            "fold_strengths": self.fold_strengths.tolist(),
            "honest": None if self.honest is None else self.honest.value,
            "why_fitted_again": self.why_fitted_again,
            "curve": {name: column.tolist() for name, column in self._columns(level).items()},
        }

    def to_frame(self, level: float = 0.95) -> Any:
        """The curve as a pandas data frame, one row per strength."""
        import pandas as pd

        return pd.DataFrame(self._columns(level))

    def _columns(self, level: float) -> dict[str, Any]:
        lower, upper = self.band(level)
        return {
            self.parameter: self.strength,
            "value": self.value,
            "standard_error": self.standard_error,
            "lower": lower,
            "upper": upper,
            "mean_set_size": self.mean_set_size,
            "determinacy": self.determinacy,
            "plausible": self._may_be_best(level),
        }

    def _view(self) -> View:
        step = max(1, -(-len(self.strength) // SHOWN))
        shown = sorted({*range(0, len(self.strength), step), self.best, self.chosen})
        marks = {self.best: "best"} | {self.chosen: "chosen"}
        columns = list(self._columns(0.95).values())
        rows = [
            [f"{self.strength[i]:.4g}", *(float(c[i]) for c in columns[1:7]), marks.get(i, "")]
            for i in shown
        ]
        score = in_unit(self.objective, self.unit)
        header = [self.parameter, score, "std. error", "95% from", "to", "set size", "determinacy"]
        notes = (
            []
            if len(shown) == len(self.strength)
            else [f"{len(shown)} of {len(self.strength)} strengths are shown."]
        )
        if self.why_fitted_again is not None:
            notes.append(f"A model was fitted for every strength: {self.why_fitted_again}.")
        table = Table([*header, ""], rows, align=">" * 7 + "<")
        title = f"{score} by {self.parameter}, {self.n:,} rows"
        return View(title, [table], notes=notes, verdict=[self.sentence()])
