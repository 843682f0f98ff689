"""Selective classification: what predictions are worth if the least confident ones are rejected.

A classifier that may abstain answers where its confidence is high enough.  The risk-coverage curve
shows the mean loss of its answers for every share of rows that it answers; AURC and AUGRC are
areas that summarise the curve.  Their uncertainty follows from influence functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from wager._tables import (
    LARGEST_WEIGHT,
    ROUNDING,
    RowUnits,
    Table,
    View,
    Viewed,
    ViewedFields,
    real_number,
    unmasked,
)
from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.predictions import size_and_hit
from wager.rewards._count import read_rows, require_rows
from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._reward_sums import RewardSums
from wager.rewards._risk_coverage import GENERALIZED, SELECTIVE, RiskCoverage
from wager.rewards._utility import reward_points
from wager.rewards._utility_names import UtilityLike, get_utility

SHOWN_COVERAGES = (0.9, 0.8, 0.5)
SELECTIVE_TITLES = {"risk": "risk", "aurc": "AURC", "e_aurc": "excess AURC", "augrc": "AUGRC"}
_ERROR = "0/1 error"
_MOST_ROWS = 10**7  # in a sum over rows, which holds some numbers for each
_MOST_TRIED = 200  # thresholds at which the interval of a coverage is looked for


class Influence(NamedTuple):
    """A measure, and how much each row moves it."""

    value: float
    rows: Floats
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Abstention(ViewedFields):
    """The best threshold if every abstention has the same cost.

    Attributes
    ----------
    cost : float
        The cost of an abstention, in the units of the loss.
    threshold : float
        Predictions of at least this confidence are given; infinite if none is.
    coverage : float
        The share of rows that are answered.
    loss : MeanEstimate
        The mean over all rows of the loss of answers and the cost of abstentions, as if the
        threshold had been chosen on other rows; since it was chosen on these, it is a little too
        small.
    answering : float
        The mean loss if every row is answered.
    """

    cost: float
    threshold: float
    coverage: float
    loss: MeanEstimate
    answering: float

    def __str__(self) -> str:
        best = f"{self.loss.value:.4f} per row, instead of {self.answering:.4f}"
        if self.coverage == 1:
            return f"at the cost {self.cost:g} of an abstention, answer every row"
        if self.coverage == 0:
            return f"at the cost {self.cost:g} of an abstention, answer no row: {best}"
        return (
            f"at the cost {self.cost:g} of an abstention, answer the {100 * self.coverage:.1f}% of "
            f"rows whose confidence is at least {self.threshold:.6g}: {best}"
        )


@dataclass(frozen=True, repr=False)
class CoverageAtRisk(ViewedFields):
    """The largest coverage at which the risk is small enough.

    Attributes
    ----------
    risk : float
        The largest risk that is allowed.
    value : float
        The largest coverage of a threshold with at most this risk; 0 if there is none.
    threshold : float
        Predictions of at least this confidence are accepted; infinite if none is.
    evaluation : SelectiveEvaluation
        The evaluation, for intervals.
    """

    risk: float
    value: float
    threshold: float
    evaluation: SelectiveEvaluation = field(repr=False)

    def __float__(self) -> float:
        return self.value

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the coverage at which the risk of all rows is this large.

        As Woodruff's (1952) interval of a quantile: from the estimate it extends to the next
        coverages at which the interval of the risk lies below, or above, the allowed risk.
        """
        found = self.evaluation
        tried = found.curve.coverage
        if len(tried) > _MOST_TRIED:
            places = np.linspace(0, len(tried) - 1, _MOST_TRIED).round().astype(int)
            tried = tried[np.unique(places)]
        low = high = None
        for coverage in tried[tried < self.value][::-1]:
            if found.risk_at_coverage(coverage).interval(level)[1] <= self.risk:
                low = float(coverage)
                break
        for coverage in tried[tried > self.value]:
            if found.risk_at_coverage(coverage).interval(level)[0] > self.risk:
                high = float(coverage)
                break
        return 0.0 if low is None else low, 1.0 if high is None else high


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveEvaluation(Viewed):
    """How well a confidence score says which predictions to accept.

    Printed, it is a table with intervals; ``evaluation["aurc"]`` is one value.

    Attributes
    ----------
    curve : RiskCoverage
        Coverage and risk for every threshold.
    units : RowUnits
        Weights, counts and clusters of the rows, in the order of the curve.
    rows : ndarray of int
        The positions of the rows of the curve in the data; rows of weight 0 are left out.
    what : str
        The loss: "0/1 error", "1 - u65", "cost", "loss".
    bounds : tuple of two floats
        The smallest and the largest possible loss; infinite if they are not known.

    References
    ----------
    El-Yaniv, R. & Wiener, Y. (2010). On the foundations of noise-free selective classification.
    Journal of Machine Learning Research 11.

    Geifman, Y., Uziel, G. & El-Yaniv, R. (2019). Bias-reduced uncertainty estimation for deep
    neural classifiers. ICLR.

    Traub, J., Bungert, T. J., Lüth, C. T., Baumgartner, M., Maier-Hein, K. H., Maier-Hein, L. &
    Jaeger, P. F. (2024). Overcoming common flaws in the evaluation of selective classification
    systems. NeurIPS.
    """

    curve: RiskCoverage
    units: RowUnits
    rows: Ints
    what: str = _ERROR
    bounds: tuple[float, float] = (0.0, 1.0)

    # -- areas ---------------------------------------------------------------------------------

    @cached_property
    def influences(self) -> dict[str, Influence]:
        """Each measure with the influence of each row of the curve on it."""
        curve, best, (low, high) = self.curve, self.curve.best(), self.bounds
        risk = float(curve.generalized_risk[-1])
        areas = [curve.area(area) for area in (SELECTIVE, GENERALIZED)]
        least, slack = best.area(SELECTIVE), ROUNDING * float(np.abs(curve.loss).max())
        excess = areas[0] - least if areas[0] - least > slack else 0.0
        selective = curve.area_influence(SELECTIVE)
        most = high - low
        return {
            "risk": Influence(risk, curve.row_loss - risk, low, high),
            "aurc": Influence(areas[0], selective, low, high),
            "e_aurc": Influence(excess, selective - best.area_influence(SELECTIVE), 0.0, most),
            "augrc": Influence(areas[1], curve.area_influence(GENERALIZED), low / 2, high / 2),
        }

    @cached_property
    def estimates(self) -> dict[str, MeanEstimate]:
        """Risk at full coverage, AURC, excess AURC and AUGRC, with their uncertainty."""
        return {
            name: influence_estimate(found, self.units, self.is_error and name == "risk")
            for name, found in self.influences.items()
        }

    @property
    def values(self) -> dict[str, float]:
        """The same measures as numbers."""
        return {name: found.value for name, found in self.influences.items()}

    def __getitem__(self, name: str) -> float:
        if name not in self.influences:
            raise KeyError(
                f"there is no measure {brief(name)}: choose from {', '.join(self.influences)}"
            )
        return self.influences[name].value

    @property
    def is_error(self) -> bool:
        """Whether the loss is the 0/1 error."""
        return self.what == _ERROR

    @property
    def mean_risk_over_rows(self) -> float:
        """AURC as a sum over rows, (R(1) + ... + R(n)) / n, as Geifman et al. (2019) define it.

        R(k) is the mean loss of the k most confident rows.  The area differs from it by about
        1/n; it is also defined for weights and agrees with the closed form of the best ranking.
        """
        if self.units.weights is not None:
            raise ValueError(
                "the sum over rows is not defined for weighted rows: use the area, ['aurc']"
            )
        n = self.units.observations(len(self.rows))
        if n > _MOST_ROWS:
            raise ValueError(
                f"the sum over rows takes up to {_MOST_ROWS:,} rows, got {n:,}: use the area, "
                "['aurc'], which differs from it by about 1/n"
            )
        k = np.arange(1, n + 1) / n
        risk = np.append(0.0, self.curve.generalized_risk)
        return float((np.interp(k, np.append(0.0, self.curve.coverage), risk) / k).mean())

    # -- single points of the curve ------------------------------------------------------------

    def risk_at_coverage(self, coverage: float) -> MeanEstimate:
        """The mean loss of the most confident rows, of which there is this share.

        Parameters
        ----------
        coverage : float
            Above 0 and up to 1.
        """
        _require_coverage(coverage)
        return influence_estimate(
            self.risk_influence(coverage), self.units, self.is_error, coverage
        )

    def risk_influence(self, coverage: float) -> Influence:
        """The risk at a coverage with the influence of each row."""
        _require_coverage(coverage)
        rows = self.curve.risk_influence(coverage, _effective_units(self.units, len(self.rows)))
        value = self.curve.generalized_risk_at(coverage) / coverage
        return Influence(value, rows, *self.bounds)

    def accuracy_at_coverage(self, coverage: float) -> MeanEstimate:
        """One minus the risk at a coverage: accuracy, or the mean utility of the accepted rows.

        Parameters
        ----------
        coverage : float
            Above 0 and up to 1.
        """
        _require_coverage(coverage)
        if self.what in ("cost", "loss"):
            raise ValueError(f"a {self.what} has no accuracy: use risk_at_coverage")
        risk, (low, high) = self.risk_influence(coverage), self.bounds
        turned = Influence(1 - risk.value, -risk.rows, 1 - high, 1 - low)
        return influence_estimate(turned, self.units, self.is_error, coverage)

    def coverage_at_risk(self, risk: float) -> CoverageAtRisk:
        """The largest coverage of a threshold at which the risk is at most this large.

        Parameters
        ----------
        risk : float
            The largest mean loss of accepted rows that is allowed.
        """
        if not np.isfinite(real_number(risk, "risk")):
            raise ValueError(f"risk must be a number, got {brief(risk)}")
        slack = ROUNDING * max(abs(risk), float(np.abs(self.curve.loss).max()))
        places = np.flatnonzero(self.curve.selective_risk <= risk + slack)
        if len(places) == 0:
            return CoverageAtRisk(float(risk), 0.0, inf, self)
        last = places[-1]
        threshold = float(self.curve.threshold[last])
        return CoverageAtRisk(float(risk), float(self.curve.coverage[last]), threshold, self)

    # -- abstention with a cost ----------------------------------------------------------------

    def abstain(self, cost: float) -> Abstention:
        """The best threshold if an abstention costs as much as `cost` units of the loss.

        The mean over all rows is G(c) + cost (1 - c) at coverage c (Chow, 1970).

        Parameters
        ----------
        cost : float
            The cost of an abstention, such as 0.2 of an error; or 1 - u(1/K) if abstaining is
            predicting all K classes and the loss is 1 - utility.
        """
        if not np.isfinite(real_number(cost, "cost")):
            raise ValueError(f"cost must be a number, got {brief(cost)}")
        curve = self.curve
        total = np.append(0.0, curve.generalized_risk - cost * curve.coverage) + cost
        # the largest of equally good coverages
        largest = max(abs(cost), float(np.abs(curve.loss).max()))
        close = total <= total.min() + ROUNDING * largest
        best = int(np.flatnonzero(close)[-1])
        coverage = float(np.append(0.0, curve.coverage)[best])
        paid = np.where(curve.tie < best, curve.row_loss, cost)
        low, high = min(self.bounds[0], cost), max(self.bounds[1], cost)
        value = float(total[best])
        loss = influence_estimate(Influence(value, paid - value, low, high), self.units)
        threshold = inf if best == 0 else float(curve.threshold[best - 1])
        return Abstention(float(cost), threshold, coverage, loss, self["risk"])

    def break_even_cost(self, coverage: float) -> MeanEstimate:
        """The mean loss of the rejected rows: abstaining on them pays if it costs less.

        Parameters
        ----------
        coverage : float
            The share of rows that are answered, from 0 to below 1.
        """
        if not 0 <= real_number(coverage, "coverage") < 1:
            raise ValueError(f"coverage must be at least 0 and below 1, got {brief(coverage)}")
        curve = self.curve
        rows = curve.rejected_influence(coverage, _effective_units(self.units, len(self.rows)))
        lost = float(curve.generalized_risk[-1]) - curve.generalized_risk_at(coverage)
        found = Influence(lost / (1 - coverage), rows, *self.bounds)
        return influence_estimate(found, self.units, self.is_error, 1 - coverage)

    # -- forms ---------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The measures and the curve as plain data."""
        return {
            "rows": self.units.observations(len(self.rows)),
            "loss": self.what,
            **self.values,
            "standard_errors": {k: e.standard_error for k, e in self.estimates.items()},
            "coverage": self.curve.coverage.tolist(),
            "selective_risk": self.curve.selective_risk.tolist(),
            "generalized_risk": self.curve.generalized_risk.tolist(),
            "threshold": self.curve.threshold.tolist(),
        }

    def to_frame(self) -> Any:
        """The curve as a pandas DataFrame, one row per threshold."""
        import pandas as pd

        curve = self.curve
        return pd.DataFrame(
            {
                "threshold": curve.threshold,
                "coverage": curve.coverage,
                "selective_risk": curve.selective_risk,
                "generalized_risk": curve.generalized_risk,
            }
        )

    def sentence(self) -> str:
        """The main results in words."""
        n = self.units.observations(len(self.rows))
        kind = "" if self.is_error else f" ({self.what})"
        at, risk = self.risk_at_coverage(0.8).value, self["risk"]
        return (
            f"{n:,} predictions with {len(self.curve.share):,} levels of confidence: risk{kind} "
            f"{risk:.4f} if all are accepted, {at:.4f} for the 80% most confident."
        )

    def _view(self) -> View:
        rows = [_line(SELECTIVE_TITLES[name], found) for name, found in self.estimates.items()]
        for coverage in SHOWN_COVERAGES:
            if self.what in ("cost", "loss"):
                title, found = "risk", self.risk_at_coverage(coverage)
            else:
                title = "accuracy" if self.is_error else self.what.removeprefix("1 - ")
                found = self.accuracy_at_coverage(coverage)
            rows.append(_line(f"{title} at coverage {coverage:g}", found))
        table = Table(["measure", "value", "std. error", "95% from", "to"], rows)
        return View(f"loss: {self.what}", [table], verdict=[self.sentence()])


def _line(title: str, found: MeanEstimate) -> list[Any]:
    return [title, found.value, found.standard_error, *found.interval()]


def evaluate_selective(
    y_true: ArrayLike,
    y_pred: Any,
    confidence: ArrayLike,
    *,
    utility: UtilityLike | None = None,
    costs: Any = None,
    empty_cost: float | None = None,
    loss: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> SelectiveEvaluation:
    """Risk-coverage curve, AURC, excess AURC and AUGRC of a confidence score, with intervals.

    With losses l, sorted by decreasing confidence, and u the share of rows accepted up to a row::

        G(c)   = mean of l over all rows, with l = 0 for rejected ones, at coverage c
        R(c)   = G(c) / c
        AURC   = integral of R(c) from 0 to 1 = E[-l ln u]
        E-AURC = AURC - AURC of the best ranking, r + (1 - r) ln(1 - r) for errors of rate r
        AUGRC  = integral of G(c) from 0 to 1 = E[l (1 - u)]

    Rows of equal confidence are accepted in random order, and values are expectations over these
    orders; results do not depend on the order of rows.  Only the order of confidences matters, and
    those that differ only by rounding are equal.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_pred : array-like of shape (n,), or anything `wager.as_sets` takes
        The predictions: single labels or sets.  By default a prediction has the loss 1 if it does
        not contain the true class, else 0; for sets pass a utility or costs, since large sets
        seldom miss.
    confidence : array-like of shape (n,)
        The confidence in each prediction; larger is more confident.
    utility : utility, optional
        The loss is 1 minus the utility, which may be anything `wager.rewards.get_utility` takes.
    costs : CostMatrix or ExtendedCosts, optional
        The loss is the cost.  Costs of single classes are extended by ``costs.extend()``.
    empty_cost : float, optional
        The cost of an empty set; without it an empty set is an error if costs are given.
    loss : array-like of shape (n,), optional
        The loss of each row, computed by you.
    sample_weight : array-like of shape (n,), optional
        An importance weight for each row; standard errors are robust to them.
    counts : array-like of shape (n,), optional
        How many rows each row stands for.
    groups : array-like of shape (n,), optional
        The cluster of each row, for rows that depend on each other, such as a patient's visits.
    classes : array-like of shape (K,), optional
        The classes, in the order of the columns of `y_pred`.

    Returns
    -------
    SelectiveEvaluation

    See Also
    --------
    wager.compare.compare_selective : two confidence scores or two models on the same rows.

    Notes
    -----
    Standard errors are those of influence functions: the derivative of the measure with respect
    to the weight of each row.  The intervals are those of `MeanEstimate`.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), Section 3; Traub et al. (2024), Equations 5 and 6; Zhou,
    Van Landeghem, Popordanoska & Blaschko (2024) for the weights -ln u.

    Examples
    --------
    >>> y, predicted = [0, 1, 1, 0, 1], [0, 1, 1, 1, 0]
    >>> found = evaluate_selective(y, predicted, [0.9, 0.8, 0.7, 0.4, 0.6])
    >>> round(found["aurc"], 4), round(found["e_aurc"], 4), round(found["augrc"], 4)
    (0.0935, 0.0, 0.08)
    >>> found.coverage_at_risk(0.25).value
    0.8
    >>> print(found.abstain(0.2))
    at the cost 0.2 of an abstention, answer the 60.0% of rows whose confidence is at least 0.7:
    0.0800 per row, instead of 0.4000
    """
    rows = read_rows(y_true, y_pred, classes, sample_weight, counts, groups)
    n = len(rows.codes)
    require_rows(n)
    if sum(given is not None for given in (utility, costs, loss)) > 1:
        raise ValueError("pass one of utility=, costs= and loss=")
    if empty_cost is not None and costs is None:
        raise ValueError("empty_cost= is the cost of an empty set: pass costs= as well")
    bounds, what = (0.0, 1.0), _ERROR
    losses: Floats
    if loss is not None:
        losses, bounds, what = _numbers(loss, n, "loss"), (-inf, inf), "loss"
        known = np.abs(losses) <= LARGEST_WEIGHT  # and not for NaN
        if not known.all():
            row = int(np.flatnonzero(~known)[0])
            at_most = f"between -{LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}"
            raise ValueError(f"loss must lie {at_most}, got {losses[row]:g} in row {row}")
    elif costs is not None:
        extended = costs.extend() if hasattr(costs, "extend") else costs
        if not hasattr(extended, "of"):
            kind = type(costs).__name__
            raise TypeError(f"costs must be a CostMatrix or ExtendedCosts, got a {kind}")
        losses = extended.of(rows.sets, y_true, empty_cost=empty_cost)
        bounds, what = (-inf, inf), "cost"
    else:
        sizes, hits = size_and_hit(rows.codes, rows.sets)
        losses = (~hits).astype(np.float64)
        if utility is not None:
            u = get_utility(utility)
            worth = u.of_size(np.arange(len(rows.sets.classes) + 1))
            losses, what = 1 - worth[np.where(hits, sizes, 0)], f"1 - {u.name}"
            points = u(reward_points(len(rows.sets.classes)))
            bounds = (1 - float(np.max(points)), 1 - float(np.min(points)))
    scores = _numbers(confidence, n, "confidence")
    if np.isnan(scores).any():
        row = int(np.flatnonzero(np.isnan(scores))[0])
        raise ValueError(
            f"confidence is missing in row {row}: leave out the row, or give it a confidence"
        )
    return _ranked(scores, losses, rows.units, what, bounds)


def _ranked(
    scores: Floats, losses: Floats, units: RowUnits, what: str, bounds: tuple[float, float]
) -> SelectiveEvaluation:
    """The evaluation of checked rows, in an order that does not depend on theirs."""
    weight = np.ones(len(scores)) if units.totals is None else units.totals.astype(float)
    others = [key for key in (units.clusters, units.counts) if key is not None]
    order = np.lexsort([*others, weight, losses, -scores])
    # weights that vanish beside the total would be a share of 0, as weights of 0 are
    order = order[weight[order] > np.finfo(float).tiny * weight.sum()]
    require_rows(len(order))
    curve = RiskCoverage.of(scores[order], losses[order], weight[order])
    return SelectiveEvaluation(curve, units.take(order), order, what, bounds)


def influence_estimate(
    found: Influence,
    units: RowUnits,
    is_proportion: bool = False,
    share: float = 1.0,
    *,
    extremes: bool = True,
) -> MeanEstimate:
    """A measure with the standard error that the influences of its rows give.

    Parameters
    ----------
    found : Influence
        The measure.
    units : RowUnits
        What each row counts for.
    is_proportion : bool, default=False
        Whether the measure is a mean of losses 0 and 1.
    share : float, default=1
        The share of rows that the measure is about.
    extremes : bool, default=True
        As in `MeanEstimate`.
    """
    sums = RewardSums.of(found.rows, np.zeros(len(found.rows), dtype=np.int64), units, 1)
    return MeanEstimate(
        found.value,
        sums.standard_error,
        sums.n * share,
        found.low,
        found.high,
        is_proportion=is_proportion,
        extremes=extremes,
        skewness=sums.skewness,
        clustered=units.clusters is not None,
    )


def _effective_units(units: RowUnits, n: int) -> float:
    """The equivalent number of equally weighted rows, or of equally large clusters."""
    return RewardSums.of(np.zeros(n), np.zeros(n, dtype=np.int64), units, 1).n


def _numbers(values: ArrayLike, n: int, name: str) -> Floats:
    given = np.asarray(unmasked(values))
    try:
        if given.dtype.kind == "c":  # NumPy would drop the imaginary parts
            raise TypeError
        numbers = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be real numbers, got {given.dtype}") from None
    except OverflowError:
        raise ValueError(f"{name} contains a number beyond 1.8e308: rescale it") from None
    if numbers.shape != (n,):
        raise ValueError(
            f"{name} must have one number for each of the {n} rows, got the shape {numbers.shape}"
        )
    return numbers


def _require_coverage(coverage: float) -> None:
    if not 0 < real_number(coverage, "coverage") <= 1:
        raise ValueError(f"coverage must be above 0 and at most 1, got {brief(coverage)}")
