"""Classifiers compared by what they cost on the same rows, in the user's unit.

The paired difference of two average costs has the same test and interval as a difference of
utilities.  If the costs of sets are p-discounted, the comparison also follows r, the reward for
caution, from 0 to 1: that is how much the user gains from a cautious answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wager._typing import ArrayLike
from wager.compare._break_even import BENDS, BreakEven, break_even
from wager.compare._lead_curves import cost_lead
from wager.compare._outcome import Outcome, show_p
from wager.compare._paired_amounts import PairedAmounts
from wager.compare._paired_costs import PairedCosts
from wager.compare._risk_profile import RiskProfile, risk_profile
from wager.compare._simultaneous import Adjustment, z_value
from wager.costs import (
    CostMatrix,
    CostTally,
    ExtendedCosts,
    PDiscounted,
    costs_over,
    format_amount,
    in_unit,
    named_costs,
    require_sorted_predictions,
    row_costs,
)
from wager.predictions import sets_over
from wager.rewards import Estimate, read_rows, shared_classes

COST = "average_cost"  # the name of the criterion, beside those of utilities
Pair = tuple[str, str]
_FAMILY = "p-discounted"


@dataclass(frozen=True, eq=False)
class CostComparison:
    """What classifiers cost on the same rows.

    Parameters
    ----------
    amounts : mapping of (name, name) to PairedAmounts
        The costs of every two classifiers.
    joint : mapping of (name, name) to PairedCosts
        Their joint counts; empty if costs differ between rows.
    costs : ExtendedCosts, optional
        The costs; None if they differ between rows.
    empty_cost : float, optional
        The cost of an empty set.
    """

    amounts: Mapping[Pair, PairedAmounts]
    joint: Mapping[Pair, PairedCosts]
    costs: ExtendedCosts | None = None
    empty_cost: float | None = None

    @classmethod
    def of_counts(
        cls,
        joint: Mapping[Pair, PairedCosts],
        costs: CostMatrix | ExtendedCosts,
        empty_cost: float | None = None,
    ) -> CostComparison:
        """Price the joint counts of every two classifiers."""
        extended = costs.extend() if isinstance(costs, CostMatrix) else costs
        amounts = {
            pair: counts.amounts(extended, empty_cost=empty_cost) for pair, counts in joint.items()
        }
        return cls(amounts, joint, extended, empty_cost)

    @property
    def unit(self) -> str | None:
        """What the costs are counted in."""
        return None if self.costs is None else self.costs.unit

    @property
    def title(self) -> str:
        """The name of the average cost, with its unit."""
        return in_unit("average cost", self.unit)

    def of_pair(self, a: str, b: str) -> PairedAmounts:
        """The costs of two classifiers, a first."""
        return self.amounts[a, b] if (a, b) in self.amounts else self.amounts[b, a].swap()

    def score(self, name: str) -> Estimate:
        """The average cost of a classifier."""
        first, second = next(pair for pair in self.amounts if name in pair)
        found = self.amounts[first, second]
        return found.a if name == first else found.b

    def difference(self, pair: Pair, adjustment: Adjustment, alpha: float) -> Outcome:
        """The average cost of the first minus that of the second: adjusted test and interval."""
        found = self.of_pair(*pair).difference
        alone = found.p
        p, interval = adjustment.p(alone), found.interval(adjustment.level(alpha))
        return Outcome(
            "paired score test of costs",
            float(np.sign(found.mean)) * z_value(alone),
            p,
            found.mean,
            interval,
            saving_sentence(found.mean, interval, p, pair, alpha, self.unit),
            {"unit": self.unit, "n": found.n, "unadjusted_p": alone},
        )

    # -- along r --------------------------------------------------------------------------------

    @property
    def has_curve(self) -> bool:
        """Whether the costs of sets are p-discounted, so that they can be followed along r."""
        return self.costs is not None and isinstance(self.costs.rule, PDiscounted)

    @property
    def r(self) -> float | None:
        """The r of the costs; None if they are not p-discounted with an r from 0 to 1."""
        if self.costs is None or not isinstance(self.costs.rule, PDiscounted):
            return None
        inside, outside = self.costs.rule.inside, self.costs.rule.outside
        known = outside in (inside, 2 - inside) and 0 <= 1 - inside <= 1
        return 1 - inside if known else None

    @property
    def n_single(self) -> int:
        """The statements beside the curve along r, which contains those for its own r."""
        return int(self.has_curve) + int(self.r is None)

    def length(self, pair: Pair) -> float:
        """The length of the curve of standardised differences along r."""
        if not self.has_curve:
            return 0.0
        lead = cost_lead(self.joint[pair], _FAMILY, self._single, self._options)
        return lead.length(np.linspace(0.0, 1.0, BENDS))

    def break_even(self, pair: Pair, confidence: float, adjustment: Adjustment) -> BreakEven | None:
        """The r above which one of the two costs less; None if costs have no r."""
        if not self.has_curve:
            return None
        a, b = pair
        joint = self.joint[pair] if pair in self.joint else self.joint[b, a].swap()
        return break_even(
            joint,
            family=_FAMILY,
            costs=self._single,
            names=pair,
            confidence=confidence,
            adjustment=adjustment,
            **self._options,
        )

    def profile(self) -> RiskProfile:
        """The average costs along r, for a plot."""
        if not self.has_curve:
            raise ValueError(
                "costs are drawn along r, the reward for caution: that needs p-discounted costs"
            )
        tallies: dict[str, CostTally] = {}
        for (a, b), joint in self.joint.items():
            tallies.setdefault(a, joint.a)
            tallies.setdefault(b, joint.b)
        return risk_profile(tallies, _FAMILY, costs=self._single, **self._options)

    @property
    def _single(self) -> CostMatrix:
        assert self.costs is not None
        single = self.costs.determinate
        return CostMatrix(single.costs, single.classes, single.unit)

    @property
    def _options(self) -> dict[str, Any]:
        assert self.costs is not None
        assert isinstance(self.costs.rule, PDiscounted)
        cautious = self.costs.rule.inside == self.costs.rule.outside
        mode = "cautious" if cautious else "mistake-averse"
        return {"mode": mode, "empty_cost": self.empty_cost}


def saving_sentence(
    mean: float,
    interval: tuple[float, float],
    p: float,
    names: Pair,
    alpha: float,
    unit: str | None = None,
) -> str:
    """What one classifier saves compared with another, as far as the interval supports it.

    Parameters
    ----------
    mean, interval, p
        The cost of the first minus that of the second, its interval and the p-value of no
        difference.
    names : pair of str
        The classifiers.
    alpha : float
        The level of the statement.
    unit : str, optional
        What costs are counted in.

    Examples
    --------
    >>> saving_sentence(-0.42, (-0.66, -0.18), 0.001, ("credal", "naive Bayes"), 0.05, "EUR")
    'credal saves 0.42 EUR per case compared with naive Bayes (0.18 to 0.66)'
    >>> saving_sentence(-0.1, (-0.3, 0.1), 0.3, ("a", "b"), 0.05, "EUR")
    'no significant difference in cost between a and b (-0.30 to 0.10 EUR per case, p = 0.3000)'
    """
    a, b = names
    low, high = interval
    if mean == 0 or not p < alpha:
        said = f"no significant difference in cost between {a} and {b}"
        if low != low:  # one row has no interval
            return said
        return f"{said} ({format_amount(low)} to {format_amount(high, unit)} per case, {show_p(p)})"
    if mean > 0:
        a, b, low, high = b, a, -high, -low
    # what is significant is no rounding error, however small it is
    ends = f"{format_amount(-high, least=0)} to {format_amount(-low, least=0)}"
    saved = format_amount(abs(mean), unit, least=0)
    return f"{a} saves {saved} per case compared with {b} ({ends})"


def compare_costs(
    y_true: ArrayLike,
    predictions: Mapping[str, Any],
    costs: Any,
    *,
    classes: ArrayLike | None = None,
    empty_cost: float | None = None,
    **units: Any,
) -> CostComparison:
    """Count, or price row by row, the predictions of every two classifiers.

    Parameters
    ----------
    y_true, predictions, classes
        As in `head_to_head`.
    costs : CostMatrix, ExtendedCosts, or array of shape (K, K) or (n, K, K)
        The costs; the classes of an array are those of the predictions.
    empty_cost : float, optional
        The cost of an empty set.
    **units
        ``sample_weight``, ``counts`` and ``groups``.
    """
    costs = named_costs(costs)
    pairs = list(combinations(predictions, 2))
    if isinstance(costs, CostMatrix | ExtendedCosts):
        predictions = {
            name: sets_over(predicted, costs.classes, classes=classes, what=name)
            for name, predicted in predictions.items()
        }
        classes = costs.classes
    elif classes is None:
        for predicted in predictions.values():
            require_sorted_predictions(predicted)
    shared = shared_classes(y_true, predictions.values(), classes)
    if not isinstance(costs, CostMatrix | ExtendedCosts) and np.ndim(costs) == 3:
        return _by_row(y_true, predictions, np.asarray(costs), shared, empty_cost, units)
    joint = {
        (a, b): PairedCosts.of(y_true, predictions[a], predictions[b], shared, **units)
        for a, b in pairs
    }
    return CostComparison.of_counts(joint, costs_over(costs, joint[pairs[0]].classes), empty_cost)


def _by_row(
    y_true: ArrayLike,
    predictions: Mapping[str, Any],
    matrices: Any,
    classes: ArrayLike | None,
    empty_cost: float | None,
    units: Mapping[str, Any],
) -> CostComparison:
    """The comparison under costs that differ between rows."""
    spent = {}
    for name, predicted in predictions.items():
        rows = read_rows(y_true, predicted, classes, **units)
        spent[name] = row_costs(rows.codes, rows.sets, matrices, empty_cost=empty_cost)
    high = max(float(matrices.max()), float(empty_cost or 0.0))
    return CostComparison(
        {
            (a, b): PairedAmounts.of_rows(spent[a], spent[b], rows.units, 0.0, high, high)
            for a, b in combinations(predictions, 2)
        },
        {},
        None,
        empty_cost,
    )
